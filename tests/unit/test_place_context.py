"""What there is to know about a place: owners as CODEOWNERS names them, commits of its lines, what broke there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.carrying import Shelf
from tests.recalling import NOW, pool_case

from hindcast.model.case import Clues, Resolution
from hindcast.model.code import Blamed, CodeCommit, LineSpan, Place
from hindcast.propose.context import broke_before, context_of, troubles
from hindcast.propose.owners import fits, owners_of, read_rules, ruling

PLACE = Place("src/worker/tasks.py", 6, "run_task", LineSpan(4, 7), 0.95, "the path ends alike")
DIFF = """--- a/worker/tasks.py
+++ b/worker/tasks.py
@@ -5,3 +5,4 @@ def run_task(task):
     conn = pool.checkout()
+    pool.release(conn)
"""


def commit(number: int, author: str) -> CodeCommit:
    """A commit, later the higher its number."""
    return CodeCommit(
        f"{number:040x}", datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number), author, f"step {number}"
    )


@dataclass(frozen=True, slots=True)
class History(Shelf):
    """Files whose lines have authors."""

    blamed: tuple[Blamed, ...] = field(default=())

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:  # noqa: ARG002
        """Who touched the lines."""
        return self.blamed


@pytest.mark.parametrize(
    ("pattern", "path", "is_fit"),
    [
        ("*", "a/b.py", True),
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.pyc", False),
        ("b.py", "a/b.py", True),
        ("/b.py", "a/b.py", False),
        ("/b.py", "b.py", True),
        ("/a/", "a/b/c.py", True),
        ("a/", "x/a/c.py", True),
        ("/a/", "x/a/c.py", False),
        ("a/b", "a/b/c.py", True),
        ("a/b", "x/a/b/c.py", False),
        ("docs/*", "docs/a.md", True),
        ("docs/*", "docs/x/a.md", False),
        ("docs/**", "docs/x/a.md", True),
        ("**/logs", "a/b/logs/x.txt", True),
        ("a/**/c.py", "a/c.py", True),
        ("a/**/c.py", "a/b/b/c.py", True),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
        ("a.py", "aXpy", False),
        ("apps", "myapps/x", False),
        ("/", "a.py", True),
    ],
)
def test_patterns_fit_as_codeowners_says(pattern: str, path: str, is_fit: bool) -> None:
    """A slash anchors, a star stays in its folder, two go deeper, a folder owns what is below it."""
    assert is_fit == fits(pattern, path)


def test_the_last_rule_decides() -> None:
    """Of rules that fit, the last counts, even where it names nobody; comments and sections are no rules."""
    rules = read_rules("# all\n* @all\n[Backend]\n/src/ @back @ops # why\n/src/free/\nwith\\ blank.md @docs\n")

    assert [ruling(path, rules) for path in ("readme", "src/a.py", "src/free/a.py")] == [rules[0], rules[1], rules[2]]
    assert rules[1].owners == ("@back", "@ops")
    assert rules[2].owners == ()
    assert rules[3].pattern == "with blank.md"


def test_a_rule_comes_before_the_authors() -> None:
    """CODEOWNERS names the owner; where no rule fits, whoever last touched most lines of the function does."""
    blamed = (
        Blamed(LineSpan(1, 5), commit(1, "Ana")),
        Blamed(LineSpan(6, 7), commit(2, "Ben")),
        Blamed(LineSpan(8, 90), commit(3, "Eve")),
    )
    files = {PLACE.path: "x\n" * 90}
    ruled = History({**files, ".github/CODEOWNERS": "/src/ @worker-team\n", "CODEOWNERS": "* @nobody\n"}, blamed=blamed)

    assert owners_of(PLACE.path, ruled, lines=PLACE.body) == ("@worker-team",)
    assert owners_of(PLACE.path, History(files, blamed=blamed), lines=PLACE.body) == ("Ana", "Ben")
    assert owners_of(PLACE.path, Shelf(files), lines=PLACE.body) == ()


def test_a_place_knows_its_commits() -> None:
    """The commits of a function's lines are told, newest first and each once."""
    blamed = tuple(Blamed(LineSpan(line, line), commit(number, "Ana")) for line, number in ((4, 1), (5, 3), (6, 1)))
    found = context_of(PLACE, History({PLACE.path: "x\n" * 9}, blamed=blamed), ())

    assert [one.subject for one in found.commits] == ["step 3", "step 1"]
    assert found.owners == ("Ana",)


def test_what_broke_there_before_is_told() -> None:
    """Incidents whose fix or trace touched the function are found, other functions and files are not."""
    fixed = replace(pool_case("fixed"), stack="", resolution=Resolution("released it", diff=DIFF), attempts=())
    traced = replace(
        pool_case("traced"),
        occurred_at=NOW - timedelta(days=1),
        resolution=None,
        attempts=(),
        stack='File "/app/worker/tasks.py", line 6, in run_task\n',
        clues=Clues(frames=("run_task",)),
    )
    other = replace(fixed, id="other", resolution=Resolution("x", diff=DIFF.replace("run_task", "else_where")))
    elsewhere = replace(fixed, id="elsewhere", resolution=Resolution("x", diff=DIFF.replace("worker/", "web/")))

    past = troubles(PLACE, (fixed, traced, other, elsewhere))

    assert [(one.case, one.how) for one in past] == [
        ("traced", "its trace went through it"),
        ("fixed", "its fix changed it"),
    ]
    assert broke_before(past).startswith("It broke twice before, last on ")
    assert broke_before(past[:1]).startswith("It broke once before, on ")
    assert broke_before(()) == ""


@pytest.mark.parametrize(
    ("hunk", "touched"),
    [
        # As a card's own diff has it: nothing behind the second @@.
        (
            "@@ -2,4 +2,5 @@\n     def stop(self):\n         close()\n+        release()\n \n     def run(self):\n",
            ["stop"],
        ),
        # As git writes it for a method: the class.
        ("@@ -3,3 +3,4 @@ class Loop:\n         close()\n+        release()\n \n     def run(self):\n", ["stop"]),
        ("@@ -6 +6,2 @@ class Loop:\n         go()\n+        more()\n", ["run"]),
        # A line at the edge is in no function, whatever stands above it.
        ("@@ -6,2 +6,3 @@ def run(self):\n         go()\n \n+LIMIT = 3\n", []),
        # Typed by somebody who gave neither lines nor a function: it may have been any.
        ("-        go()\n+        go(1)\n", ["stop", "run"]),
        ("@@ -1 +1 @@ func (l *Loop) run() {\n-\tgo()\n+\tgo(1)\n", ["run"]),
        ("@@ -90,2 +90,2 @@\n   async stop(task: Task): Promise<void> {\n-    a();\n+    b();\n", ["stop"]),
    ],
)
def test_a_fix_touched_only_the_functions_it_changed(hunk: str, touched: list[str]) -> None:
    """Of the functions of a file those are told whose lines a fix changed, whoever wrote its diff."""
    case = replace(pool_case("one"), stack="", clues=Clues(), attempts=())
    case = replace(case, resolution=Resolution("x", diff=f"--- a/loop.py\n+++ b/loop.py\n{hunk}"))
    bodies = {"stop": LineSpan(2, 4), "run": LineSpan(5, 7)}

    found = [
        name for name, body in bodies.items() if troubles(Place("loop.py", body.first, name, body, 1.0, ""), (case,))
    ]

    assert found == touched
    assert troubles(Place("loop.py", 0, "", LineSpan(1, 99), 1.0, ""), (case,)) != ()
