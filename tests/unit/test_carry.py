"""Past fixes on today's code: every case of the bench, and what is told besides the change."""

from __future__ import annotations

import pytest
from tests.carrying import CarryCase, Shelf, cases

from hindcast.model.code import Place, Tongue
from hindcast.propose.carry import AlreadyFixed, Carried, Hints, NotCarried, Tier, transplant
from hindcast.propose.carry.align import CELLS_MAX, spots
from hindcast.propose.carry.lex import lex
from hindcast.propose.carry.names import alike
from hindcast.propose.carry.syntax import enclosing, faults, functions

WORKER = """from worker.pool import pool


def run_task(task):
    conn = pool.checkout()
    return conn.get(task.key)
"""
RELEASE = """--- a/worker/tasks.py
+++ b/worker/tasks.py
@@ -4,3 +4,6 @@ def run_task(task):
     conn = pool.checkout()
-    return conn.get(task.key)
+    try:
+        return conn.get(task.key)
+    finally:
+        pool.release(conn)
"""


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_case_comes_out_as_a_person_would_say(case: CarryCase) -> None:
    """Each past fix is carried over to exactly the expected text, found to be there, or refused."""
    outcome = case.outcome()

    assert case.judge(outcome) == "right", outcome


def test_the_set_has_what_the_bars_are_about() -> None:
    """There are at least 60 cases, of all three languages, and each kind of outcome has a share."""
    every = cases()
    expected = [case.expect for case in every]

    assert len(every) >= 60
    assert min(expected.count(one) for one in ("carried", "already", "refused")) >= 10
    assert {"dev", "held"} == {case.half for case in every}


def test_a_diff_has_no_place_in_code_of_others() -> None:
    """No past fix is applied to the code of a case that has none of its files."""
    every = cases()[::4]
    applied = [
        (case.name, other.name)
        for case in every
        for other in every
        if not set(case.code.files) & set(other.code.files)
        and isinstance(transplant(case.diff, other.code, other.hints), Carried)
    ]

    assert applied == []


def test_what_is_called_otherwise_is_told() -> None:
    """A name that became another is mapped in the added lines, and the sentence says so."""
    today = WORKER.replace("conn", "redis_conn").replace("task", "job")

    outcome = transplant(RELEASE, Shelf({"worker/tasks.py": today}))

    assert isinstance(outcome, Carried)
    (file,) = outcome.files
    assert Tier.SYNTAX is file.tier
    assert file.mapped == (("conn", "redis_conn"), ("task", "job"))
    assert "`conn` is called `redis_conn` today." in file.why
    assert file.edit.text is not None
    assert "pool.release(redis_conn)" in file.edit.text


def test_the_edit_is_for_the_very_bytes_that_were_read() -> None:
    """A carried change expects the digest of the file that it was made for."""
    code = Shelf({"worker/tasks.py": WORKER})

    outcome = transplant(RELEASE, code)

    assert isinstance(outcome, Carried)
    assert code.read("worker/tasks.py").digest == outcome.files[0].edit.expected
    assert (outcome.files[0].lines.first, outcome.files[0].lines.last) == (6, 6)


def test_the_less_is_the_same_the_less_sure_it_is() -> None:
    """An exact place is surer than one under other names, and a file found by its words less than one by its path."""
    exact = transplant(RELEASE, Shelf({"worker/tasks.py": WORKER}))
    renamed = transplant(RELEASE, Shelf({"worker/tasks.py": WORKER.replace("conn", "redis_conn")}))
    elsewhere = transplant(RELEASE, Shelf({"jobs/run.py": WORKER}))

    assert isinstance(exact, Carried)
    assert isinstance(renamed, Carried)
    assert isinstance(elsewhere, Carried)
    assert exact.confidence >= 0.95
    assert renamed.confidence < exact.confidence
    assert elsewhere.confidence < exact.confidence


def test_nothing_is_carried_in_halves() -> None:
    """Where one file of a fix has no place, no file is changed, and the reason names it."""
    second = (
        "--- a/worker/gone.py\n+++ b/worker/gone.py\n@@ -1 +1 @@\n-limit = load_limit()\n+limit = load_limit(cap=10)\n"
    )

    outcome = transplant(RELEASE + second, Shelf({"worker/tasks.py": WORKER}))

    assert isinstance(outcome, NotCarried)
    assert "worker/gone.py" in outcome.reason


def test_a_test_that_is_gone_holds_nothing_back() -> None:
    """A part of the fix that was only a test or a changelog is left out with a note."""
    second = (
        "--- a/tests/test_tasks.py\n+++ b/tests/test_tasks.py\n@@ -1 +1 @@\n-assert run(1) == 2\n+assert run(1) == 3\n"
    )

    outcome = transplant(RELEASE + second, Shelf({"worker/tasks.py": WORKER}))

    assert isinstance(outcome, Carried)
    assert [one.edit.path for one in outcome.files] == ["worker/tasks.py"]
    assert any("tests/test_tasks.py" in note for note in outcome.notes)


def test_new_files_come_and_old_ones_go_only_as_they_were() -> None:
    """A file that the fix brought in is made; one with other content is left; one it took away must be the same."""
    born = "--- /dev/null\n+++ b/worker/limits.py\n@@ -0,0 +1,2 @@\n+LIMIT = 10\n+SIZE = 3\n"
    gone = "--- a/worker/old.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-LIMIT = 10\n-SIZE = 3\n"

    made = transplant(born, Shelf({}))
    assert isinstance(made, Carried)
    assert (made.files[0].edit.expected, made.files[0].edit.text) == ("", "LIMIT = 10\nSIZE = 3\n")
    assert isinstance(transplant(born, Shelf({"worker/limits.py": "LIMIT = 10\nSIZE = 3\n"})), AlreadyFixed)
    assert isinstance(transplant(born, Shelf({"worker/limits.py": "LIMIT = 4\n"})), NotCarried)
    taken = transplant(gone, Shelf({"worker/old.py": "LIMIT = 10\nSIZE = 3\n"}))
    assert isinstance(taken, Carried)
    assert taken.files[0].edit.text is None
    assert isinstance(transplant(gone, Shelf({"worker/old.py": "LIMIT = 11\nSIZE = 3\n"})), NotCarried)
    assert isinstance(transplant(gone, Shelf({})), AlreadyFixed)


def test_of_two_equal_files_the_trace_decides() -> None:
    """Two files with the same code are none, unless the trace goes through one of them."""
    code = Shelf({"blue/run.py": WORKER, "green/run.py": WORKER})
    place = Place("green/run.py", 6, "run_task", None, 0.9, "the path ends alike")

    assert isinstance(transplant(RELEASE, code), NotCarried)
    chosen = transplant(RELEASE, code, Hints((place,)))
    assert isinstance(chosen, Carried)
    assert chosen.files[0].edit.path == "green/run.py"


def test_a_file_that_does_not_parse_may_still_be_mended() -> None:
    """A change is held against how well the file parsed before, not against perfection."""
    broken = WORKER + "\n\ndef later(:\n    pass\n"

    outcome = transplant(RELEASE, Shelf({"worker/tasks.py": broken}))

    assert isinstance(outcome, Carried)
    assert faults(broken, Tongue.PYTHON) > 0


def test_a_long_file_is_searched_where_the_words_are() -> None:
    """In a file too long for a whole table the place is found by the snippet's own words."""
    filler = "".join(f"value_{number} = compute_{number}({number})\n" for number in range(30_000))
    snippet = lex("conn = pool.checkout()\nreturn conn.get(task.key)\n" * 4, Tongue.PYTHON)
    file = lex(filler + WORKER, Tongue.PYTHON)
    assert len(snippet) * len(file) > CELLS_MAX

    best = spots(lex(WORKER, Tongue.PYTHON), file, renames=True, score_min=0.5)[0]

    assert best.score > 0.9
    assert file[best.last].line == (filler + WORKER).count("\n") - 1


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("conn", "connection", True),
        ("release_conn", "releaseConnection", True),
        ("_broker", "broker", True),
        ("get", "set", False),
        ("user", "order", False),
    ],
)
def test_names_are_alike_by_their_words(one: str, other: str, is_alike: bool) -> None:
    """Short forms, cases and underscores make no other name; another word does."""
    assert is_alike == (alike(one, other) >= 0.5)


@pytest.mark.parametrize(
    ("tongue", "text", "names"),
    [
        (Tongue.PYTHON, "@once\ndef f():\n    def g():\n        pass\n", ["f", "g"]),
        (Tongue.JAVASCRIPT, "const f = async () => { g() }\nclass A { m() {} n = () => 1 }\n", ["f", "m", "n"]),
        (Tongue.TYPESCRIPT, "export function f(a: string): void {}\n", ["f"]),
        (Tongue.GO, "package p\n\nfunc (r *R) F() {}\n\nfunc g() {}\n", ["F", "g"]),
        (Tongue.YAML, "a: 1\n", []),
    ],
)
def test_functions_are_known_by_their_grammar(tongue: Tongue, text: str, names: list[str]) -> None:
    """Functions, methods and arrows that have a name are found, with the decorators they have."""
    assert names == [one.name for one in functions(text, tongue)]
    if tongue is Tongue.PYTHON:
        inner = enclosing(text, tongue, 3)
        assert inner is not None
        assert inner.name == "g"
        assert functions(text, tongue)[0].first == 0
