"""`hindcast memory`, as somebody at a keyboard and as a script sees it."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.keyboard import Said, typed

from hindcast.adapters.clock import ManualClock
from hindcast.cli import session

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


@dataclass
class Keyboard:
    """Types command lines, one hour after the other."""

    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    clock: ManualClock
    folder: Path

    def __call__(self, line: str, *more: str, stdin: str | bytes | None = None, terminal: bool = False) -> Said:
        """Run `hindcast memory LINE`; further words are taken as they are."""
        self.clock.move(timedelta(hours=1))
        words = ["memory", *shlex.split(line), *more]
        return typed(words, self.capture, self.patch, stdin=stdin, terminal=terminal)

    def ok(self, line: str, *more: str, stdin: str | None = None) -> str:
        """What a command prints that has to work."""
        said = self(line, *more, stdin=stdin)
        assert said.code == 0, said.err
        return said.out

    def json(self, line: str, *more: str) -> dict[str, Any]:
        """The document of a command that has to work."""
        said = self(line, *more, "--json")
        assert said.code == 0, said.err
        return said.document


@pytest.fixture
def hindcast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Keyboard:
    """An empty place, a clock that moves an hour with each command, and no settings of the machine's own."""
    clock = ManualClock(START)
    monkeypatch.setattr(session, "clock", clock)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "HINDCAST_SPACE", "HINDCAST_DEBUG", "HINDCAST_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"STORE": str(tmp_path / "memory"), "MODEL": "none", "ACTOR": "ana"}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)
    return Keyboard(capsys, monkeypatch, clock, tmp_path)


@pytest.fixture
def story(hindcast: Keyboard) -> Keyboard:
    """Two lines of history that disagree on the size of a pool."""
    hindcast.ok("""put payments/pool '{"size": 20, "owner": "ana"}' --why 'from the runbook'""")
    hindcast.ok("""put payments/runbook.restart '"drain, restart, warm up"' --why 'from the runbook' --kind runbook""")
    hindcast.ok("snapshot create good --why 'before the change'")
    hindcast.ok("branch create fix --why 'try it apart'")
    hindcast.ok("""put payments/pool '{"size": 5, "owner": "ana"}' --why 'saves connections' --actor bo""")
    hindcast.ok("""put payments/pool '{"size": 40, "owner": "cy"}' --why 'tested under load' --branch fix""")
    hindcast.ok("put auth/token.ttl 900 --why shorter --branch fix")
    return hindcast


def head(keyboard: Keyboard, moment: str = "main") -> str:
    """The whole id of a moment's last commit."""
    return str(keyboard.json("show", moment)["commit"]["id"])


def named(text: str) -> str:
    """Text with commit ids, which differ every time, numbered in the order in which they appear."""
    seen: dict[str, str] = {}
    return re.sub(r"\b[0-9a-f]{12}\b", lambda found: seen.setdefault(found[0], f"commit-{len(seen) + 1:05}"), text)


def check_golden(name: str, text: str) -> None:
    """Compare what was printed with what a person has read and found good."""
    assert named(text) == (GOLDEN / f"cli_{name}.txt").read_text(encoding="utf-8")


# Remember


def test_put_says_which_commit_it_made(hindcast: Keyboard) -> None:
    """A write answers with the commit, the branch and the address, and can be read back."""
    told = hindcast.ok("put user/theme '\"dark\"' --why 'she said so'")

    assert re.fullmatch(r"[0-9a-f]{12} on main: remembered user/theme\n", told)
    assert hindcast.json("get user/theme")["record"]["body"] == "dark"


@pytest.mark.parametrize("how", ["argument", "stdin", "file"])
def test_a_body_comes_from_anywhere(hindcast: Keyboard, how: str) -> None:
    """The body is an argument, stdin or a file, and means the same."""
    text = '{"theme": "dark", "größe": 1}'
    (hindcast.folder / "body.json").write_text(text, encoding="utf-8")
    words = {"argument": [text], "stdin": ["-"], "file": ["--file", "body.json"]}[how]

    hindcast.ok("put user/prefs --why w", *words, stdin=text)

    assert hindcast.json("get user/prefs")["record"]["body"] == {"theme": "dark", "größe": 1}


def test_put_keeps_what_it_is_told(hindcast: Keyboard) -> None:
    """Kind, text, entry, actor and the time of the event are kept with the body."""
    hindcast.ok(
        "put ops/outage 1 -m w --kind incident --text 'pool ran dry' --entry first --actor bo",
        "--occurred=2026-02-01T10:00Z",
    )
    kept = hindcast.json("get ops/outage#first")["record"]

    assert (kept["kind"], kept["text"], kept["entry"], kept["actor"]) == ("incident", "pool ran dry", "first", "bo")
    assert kept["occurred_at"] == "2026-02-01T10:00:00Z"
    assert kept["learned_at"] == "2026-03-01T10:00:00Z"


def test_adding_the_same_thing_twice_is_one_entry(hindcast: Keyboard) -> None:
    """An entry is named after its content, so a second time finds the first."""
    hindcast.ok("add user/notes '\"likes tea\"' -m seen")
    hindcast.ok("add user/notes '\"likes cake\"' -m seen")

    assert "Already remembered" in hindcast.ok("add user/notes '\"likes tea\"' -m seen")
    assert hindcast.json("add user/notes '\"likes tea\"' -m seen")["commit"] is None
    found = hindcast.json("entries user/notes")["records"]
    assert sorted(record["body"] for record in found) == ["likes cake", "likes tea"]


def test_a_batch_is_one_commit(hindcast: Keyboard) -> None:
    """Many changes come as JSON lines and become one step of history."""
    hindcast.ok("put a/old 1 -m w")
    lines = '{"address": "a/x", "body": 1, "kind": "number"}\n\n{"address": "a/old", "retract": true}\n'

    hindcast.ok("commit -m 'all at once'", stdin=lines)

    assert [commit["changes"] for commit in hindcast.json("log")["commits"]] == [2, 1]
    assert [record["address"] for record in hindcast.json("list")["records"]] == ["a/x"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"address": "a/x"}', "needs a body"),
        ('{"address": "a/x", "body": 1, "retract": true}', "needs a body"),
        ('{"address": "a/x", "body": 1, "bdoy": 2}', "unknown field 'bdoy'"),
        ('{"address": "a/x", "body": 1, "kind": 2}', "kind is not text"),
        ("[1]", "names no address"),
        ('{"address": "a/x", "body": 1', "line 2, is not JSON"),
    ],
)
def test_a_batch_with_a_bad_line_writes_nothing(hindcast: Keyboard, line: str, told: str) -> None:
    """One bad line is named by its number, and none of the batch is written."""
    said = hindcast("commit -m w", stdin=f'{{"address": "a/good", "body": 1}}\n{line}\n')

    assert said.code == 2
    assert told in said.err
    assert hindcast("list").code == 3


def test_what_is_retracted_stays_in_the_past(hindcast: Keyboard) -> None:
    """A retracted record is missing now, and there at an earlier moment."""
    hindcast.ok("put a/x 1 -m w")
    hindcast.ok("retract a/x -m 'no longer true'")

    gone = hindcast("get a/x")
    assert gone.code == 3
    assert "was retracted" in gone.err
    assert hindcast.json("get a/x --at '3 hours ago'")["record"]["body"] == 1


# Look


def test_get_shows_all_a_record_says_of_itself(story: Keyboard) -> None:
    """A person sees address, times both ways, commit and body."""
    shown = story.ok("get payments/runbook.restart")

    assert shown.splitlines()[0] == "payments/runbook.restart"
    assert re.search(r"kind +runbook\n", shown)
    assert "6 hours ago  2026-03-01 11:00:00 UTC  by ana" in shown
    assert '"drain, restart, warm up"' in shown


def test_get_can_print_the_body_alone(story: Keyboard) -> None:
    """`--body` prints JSON that a program can read without taking it out of anything."""
    assert json.loads(story.ok("get payments/pool --body")) == {"owner": "ana", "size": 5}


def test_a_long_body_is_cut_and_says_so(hindcast: Keyboard) -> None:
    """What does not fit on a screen is cut with a word on how to see it all; --full shows it all."""
    hindcast.ok("put a/long -m w", json.dumps({f"field{n:03}": n for n in range(100)}))

    cut = hindcast("get a/long")
    assert "more lines" in cut.out
    assert "--full" in cut.err
    assert "field099" in hindcast.ok("get a/long --full")


def test_list_filters_and_pages(hindcast: Keyboard) -> None:
    """List narrows by place, kind, actor and both clocks, and continues where a page ended."""
    hindcast.ok("put a/x.one 1 -m w --kind number")
    hindcast.ok("put a/x.two 2 -m w --actor bo")
    hindcast.ok("put b/y 3 -m w --occurred 2026-01-01")

    def listed(line: str) -> list[str]:
        return [record["address"] for record in hindcast.json(line)["records"]]

    assert listed("list") == ["a/x.one", "a/x.two", "b/y"]
    assert listed("list a") == listed("list a/x") == listed("list -n a --prefix x") == ["a/x.one", "a/x.two"]
    assert listed("list --kind number") == ["a/x.one"]
    assert listed("list --actor bo") == ["a/x.two"]
    assert listed("list --since 2026-03-01T12:00Z") == ["b/y"]
    assert listed("list --until 2026-03-01T11:00Z") == ["a/x.one"]
    assert listed("list --happened-until 2026-02-01") == ["b/y"]
    assert listed("list --happened-since 2026-02-01") == ["a/x.one", "a/x.two"]
    page = hindcast.json("list --limit 2")
    assert page["next"] == "a/x.two"
    assert listed(f"list --after {page['next']}") == ["b/y"]


def test_list_draws_a_tree(story: Keyboard) -> None:
    """`--tree` shows paths as the tree they are."""
    assert story.ok("list --tree --branch fix") == (
        "local\n"
        "├── auth\n"
        "│   └── token\n"
        "│       └── ttl  900\n"
        "└── payments\n"
        '    ├── pool  {"owner": "cy", "size": 40}\n'
        "    └── runbook\n"
        '        └── restart  "drain, restart, warm up"\n'
    )


def test_an_empty_answer_says_what_to_do(story: Keyboard) -> None:
    """Nothing found is an answer with a next step, and no error."""
    for line in ("list nobody", "entries nobody/x", "search zebra", "where zebra", "namespaces --kind none"):
        said = story(line)
        assert (said.code, bool(said.out.strip())) == (0, True), line
        assert said.err.strip() or line.startswith("namespaces"), line


def test_search_explains_itself(story: Keyboard) -> None:
    """A hit shows its place, and with --explain what each arm thought of it; on a branch it finds the branch's."""
    shown = story.ok("search warm restart --explain")
    assert "payments/runbook.restart" in shown
    assert re.search(r"score 0\.\d+ = words: place 1", shown)
    found = story.json("search ttl token --branch fix --limit 1")
    assert [hit["record"]["address"] for hit in found["hits"]] == ["auth/token.ttl"]
    assert found["hits"][0]["ranks"]["words"]["place"] == 1
    assert story.json("search ttl token")["hits"] == []


def test_where_names_the_namespaces(story: Keyboard) -> None:
    """Which namespaces held something like it at that moment?"""
    assert "payments" in story.ok("where warm restart")
    found = story.json("where restart --at good")["namespaces"]
    assert [(one["namespace"], one["records"]) for one in found] == [("payments", 2)]


def test_namespaces_are_counted(story: Keyboard) -> None:
    """Every namespace is listed with its number of records, on any branch."""
    assert story.json("namespaces")["namespaces"] == {"payments": 2}
    assert re.search(r"auth +1\npayments +2", story.ok("namespaces --branch fix"))


# Go back in time


def test_log_lists_commits_newest_first(story: Keyboard) -> None:
    """The log pages, and names what points at a commit."""
    page = story.json("log --limit 2")
    assert [commit["why"] for commit in page["commits"]] == ["saves connections", "from the runbook"]
    assert page["commits"][0]["names"] == ["main"]
    rest = story.json(f"log --before {page['next']}")
    assert [commit["why"] for commit in rest["commits"]] == ["from the runbook"]
    assert rest["next"] is None
    assert len(story.json("log --all")["commits"]) == 5
    assert "saves connections" in story.ok("log")


def test_log_draws_branches(story: Keyboard) -> None:
    """`log --graph` draws where branches part and join."""
    story.ok("merge fix --policy theirs")
    story.ok("put auth/token.ttl 600 --why 'even shorter'")

    check_golden("log_graph", story.ok("log --graph"))


def test_lines_that_cross_are_drawn_apart(hindcast: Keyboard) -> None:
    """Branches of branches, merges in both directions and several forks at one commit keep their lines."""
    for line in (
        "put x/m 1 -m first",
        "branch create a",
        "branch create b",
        "put x/a 1 -m a1 -b a",
        "put x/b 1 -m b1 -b b",
        "put x/m 2 -m second",
        "merge b --into a",
        "put x/b 3 -m b2 -b b",
        "branch create c --at b",
        "put x/c 3 -m c1 -b c",
        "merge a",
        "merge c",
        "merge main --into b",
        "put x/e 1 -m last",
    ):
        hindcast.ok(line)

    check_golden("log_graph_crossing", hindcast.ok("log --graph --all"))


def test_a_graph_of_one_branch_leads_back_through_its_merges(story: Keyboard) -> None:
    """With --branch only what led to the branch is drawn, merged commits included."""
    assert "saves connections" not in story.ok("log --graph --branch fix")
    story.ok("merge fix --policy theirs")
    story.ok("branch create later")
    story.ok("put a/x 1 -m 'on later' --branch later")

    drawn = story.ok("log --graph --branch main")
    assert "tested under load" in drawn
    assert "on later" not in drawn
    assert len(story.ok("log --graph --branch main --limit 2").splitlines()) == 3


def test_show_tells_what_a_commit_did(story: Keyboard) -> None:
    """A commit shows who, when, why, and each field before and after."""
    shown = story.ok("show main")

    assert "saves connections" in shown
    assert "0 learned, 1 changed, 0 forgotten" in shown
    assert "20 → 5" in shown
    document = story.json("show", head(story)[:8])
    assert document["changed"][0]["fields"] == ["size"]
    assert story.json("show --branch main 2020-01-01") == {"commit": None}


def test_history_lists_versions(story: Keyboard) -> None:
    """Every version of an address is there, newest first, its end included."""
    story.ok("retract payments/pool -m gone")

    found = story.json("history payments/pool")["versions"]
    assert [version["state"] for version in found] == ["retracted", "live", "live"]
    assert "retracted" in story.ok("history payments/pool")
    assert story("history payments/nothing").code == 3


def test_diff_shows_values(story: Keyboard) -> None:
    """A difference shows what was learned, changed and forgotten between two moments, on whatever branches."""
    story.ok("retract payments/runbook.restart -m wrong --branch fix")

    check_golden("diff", story.ok("diff main fix"))
    document = story.json("diff good fix")
    assert [record["address"] for record in document["learned"]] == ["auth/token.ttl"]
    assert [record["address"] for record in document["forgotten"]] == ["payments/runbook.restart"]
    assert story.ok("diff good good").startswith("good → good   0 learned, 0 changed, 0 forgotten")


def test_blame_finds_who_set_each_field(story: Keyboard) -> None:
    """Each field names the commit that gave it its value."""
    found = {one["field"]: one["commit"]["why"] for one in story.json("blame payments/pool")["fields"]}

    assert found == {"owner": "from the runbook", "size": "saves connections"}
    assert re.search(r"size +5 +[0-9a-f]{12}", story.ok("blame payments/pool"))


def test_bisect_finds_the_commit_that_changed_a_value(story: Keyboard) -> None:
    """Bisecting on a field finds the commit at which it left its first value."""
    found = story.json("bisect --path payments/pool --field size")

    assert found["turn"]["why"] == "saves connections"
    assert (found["before"], found["after"]) == ({"there": True, "value": 20}, {"there": True, "value": 5})
    shown = story.ok("bisect --path payments/pool --field size")
    assert re.search(r"before +20\nafter +5", shown)


def test_bisect_finds_the_commit_that_changed_an_answer(story: Keyboard) -> None:
    """Bisecting on a search finds the commit at which its best hit changed."""
    story.ok("""put payments/pool '{"size": 7, "owner": "ana"}' --why again""")

    assert story.json("bisect owner ana --since good")["turn"]["why"] == "saves connections"
    same = story.json("bisect warm restart --since good")
    assert same["turn"] is None
    assert "the same at both ends" in story.ok("bisect warm restart --since good")


@pytest.mark.parametrize("line", ["bisect", "bisect pool --path payments/pool", "bisect pool --since main"])
def test_bisect_needs_one_question_and_a_span(story: Keyboard, line: str) -> None:
    """No question, two questions, or an end before the beginning are malformed."""
    assert story(line).code == 2


# Branch and merge


def test_branches_and_snapshots_are_listed(story: Keyboard) -> None:
    """What was created is listed, with its reason and where it stands."""
    branches = {one["name"]: one for one in story.json("branches")["branches"]}
    assert (branches["fix"]["parent"], branches["fix"]["fork_step"], branches["fix"]["why"]) == (
        "main",
        2,
        "try it apart",
    )
    assert re.search(r"fix +[0-9a-f]{12} +step 2 of main", story.ok("branches"))
    (snapshot,) = story.json("snapshots")["snapshots"]
    assert (snapshot["name"], snapshot["step"]) == ("good", 2)
    assert "before the change" in story.ok("snapshots")


def test_a_branch_begins_at_any_moment(story: Keyboard) -> None:
    """A branch from a past moment sees what was known then, and keeps its own."""
    story.ok("branch create again --at good")
    story.ok("put a/x 1 -m w --branch again")

    assert story.json("get payments/pool --branch again")["record"]["body"]["size"] == 20
    assert story("get a/x").code == 3


def test_a_conflict_shows_both_sides_and_how_to_settle_it(story: Keyboard) -> None:
    """A merge that cannot be made writes nothing, exits with 8, and prints the commands that settle it."""
    before = head(story)
    said = story("merge fix")

    assert said.code == 8
    check_golden("conflict", said.out)
    assert head(story) == before
    document = story("merge fix --json").document
    assert document["merged"] is False
    assert [(one["address"], one["fields"]) for one in document["conflicts"]] == [("payments/pool", ["size"])]


def test_several_conflicts_are_settled_in_one_command(story: Keyboard) -> None:
    """Each conflict is shown, and the printed command chooses for all of them at once."""
    story.ok("put auth/token.ttl 60 -m 'much shorter'")
    said = story("merge fix")

    assert "met 2 conflicts" in said.out
    assert "(the whole body)" in said.out
    printed = "hindcast memory merge fix --choose auth/token.ttl=theirs --choose payments/pool=theirs"
    assert f"  {printed}\n" in said.out
    story.ok(printed.removeprefix("hindcast memory "))
    assert story.json("get auth/token.ttl")["record"]["body"] == 900


def test_the_command_that_a_conflict_prints_works(story: Keyboard) -> None:
    """The printed command, typed as it is, makes the merge."""
    printed = [line.strip() for line in story("merge fix").out.splitlines() if "=theirs" in line]

    story.ok(printed[0].removeprefix("hindcast memory "))

    assert story.json("get payments/pool")["record"]["body"] == {"owner": "cy", "size": 40}
    assert "already has everything of fix" in story.ok("merge fix")


@pytest.mark.parametrize(
    ("choice", "size"),
    [
        ("--choose payments/pool=ours", 5),
        ("--choose payments/pool=newest", 40),
        ("""--choose 'payments/pool={"size": 30, "owner": "both"}'""", 30),
        ("--policy ours", 5),
        ("--policy newest", 40),
    ],
)
def test_a_conflict_is_settled_by_choice_or_policy(story: Keyboard, choice: str, size: int) -> None:
    """Ours, theirs, the newest or a body of one's own settle a conflict."""
    merged = story.json(f"merge fix {choice}")

    assert merged["merged"] is True
    assert [one["address"] for one in merged["settled"]] == ["payments/pool"]
    assert story.json("get payments/pool")["record"]["body"]["size"] == size


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("merge fix --choose payments/pool", 2),
        ("merge fix --choose payments/pool=mine", 2),
        ("merge fix --choose 'payments/pool={size: 3}'", 2),
        ("merge fix --choose payments/other=ours", 2),
        ("merge fix --policy mine", 2),
        ("merge main", 5),
        ("merge nowhere", 3),
        ("branch create main", 5),
        ("branch create 2026-01", 2),
        ("snapshot create good", 5),
        ("revert nothing", 2),
        ("revert abcdef123456", 3),
    ],
)
def test_bad_merges_and_names_are_told_apart(story: Keyboard, line: str, code: int) -> None:
    """Every bad choice, name and moment exits with the code of its kind and writes nothing."""
    before = head(story)

    assert story(line).code == code
    assert head(story) == before


def test_revert_takes_one_commit_back(story: Keyboard) -> None:
    """Reverting undoes a commit by a new one, and a change on top of it is a conflict."""
    bad = head(story)
    story.ok(f"revert {bad[:10]}")
    assert story.json("get payments/pool")["record"]["body"]["size"] == 20
    assert story.json("log --limit 1")["commits"][0]["why"] == f"revert {bad[:12]}: saves connections"

    story.ok("""put payments/pool '{"size": 6}' -m w""")
    assert story(f"revert {bad}").code == 8


# Keep


def test_status_says_where_and_what(story: Keyboard) -> None:
    """Status tells space, store, counts, head and the state of the index."""
    told = story.json("status")

    assert (told["space"], told["records"], told["commits"], told["branches"], told["snapshots"]) == (
        "local",
        2,
        5,
        2,
        1,
    )
    assert told["index"]["there"] is False
    story.ok("index")
    assert story.json("status")["index"]["there"] is True
    assert re.search(r"holds +2 records, 1 namespace\n", story.ok("status"))


def test_decay_archives_what_is_stale(story: Keyboard) -> None:
    """A dry run only shows; the real one takes records from today's answers, and --archived shows them."""
    story.clock.move(timedelta(days=30))
    assert "2 records would be archived" in story.ok("decay --stale-days 20 --dry-run")
    assert len(story.json("decay --stale-days 20 --kind runbook")["archived"]) == 1

    assert [one["address"] for one in story.json("list")["records"]] == ["payments/pool"]
    assert [one["address"] for one in story.json("list --archived")["records"]] == ["payments/runbook.restart"]
    assert story("decay --stale-days 0").code == 2


def test_erasing_asks_for_the_address(story: Keyboard) -> None:
    """Somebody at a terminal has to type the address; anything else erases nothing."""
    assert story("erase payments/pool -m gdpr", stdin="yes\n", terminal=True).code == 5
    assert story("erase payments/pool -m gdpr").code == 5
    assert story("erase payments/pool -m gdpr --json", terminal=True).code == 5
    assert story.json("get payments/pool")["record"]["body"]["size"] == 5

    asked = story("erase payments/pool -m gdpr", stdin="payments/pool\n", terminal=True)
    assert asked.code == 0
    assert "for ever" in asked.err
    assert story("get payments/pool").code == 3
    assert story("get payments/pool --at good").code == 3
    assert story.json("verify")["erased"] == 3
    assert "erased for ever: payments/pool" in story.ok("show main")


def test_erasing_below_takes_the_paths_under_it(story: Keyboard) -> None:
    """`--below` erases a whole tree without asking when told --yes."""
    told = story.json("erase payments/runbook -m gdpr --below --yes")

    assert told["addresses"] == ["payments/runbook.restart"]
    assert story("erase payments/never -m gdpr --yes").code == 3


def test_verify_finds_a_flipped_byte(story: Keyboard) -> None:
    """A sound memory says so; an altered body is named and exits with 7."""
    assert story.ok("verify").startswith("Sound. 5 commits and 5 versions")
    with sqlite3.connect(story.folder / "memory" / "local.db") as file:
        file.execute("UPDATE version SET body = replace(body, '20', '21') WHERE id = 1")
    file.close()

    said = story("verify")
    assert said.code == 7
    assert "version 1 (payments/pool" in said.out
    assert story("verify --json").document["faults"]


def test_an_export_comes_back_whole(story: Keyboard) -> None:
    """What is exported to a file or stdout can be imported into an empty space, with every id."""
    story.ok("export copy.jsonl")
    story.ok("import copy.jsonl --space copy")
    story.ok("import - --space other", stdin=story.ok("export"))

    for space in ("copy", "other"):
        assert story.json(f"log --all --space {space}") == story.json("log --all")
    assert [path.name for path in story.folder.iterdir() if "copy" in path.name] == ["copy.jsonl"]
    assert story("export copy.jsonl").code == 5
    assert story.json("export copy.jsonl --force")["bytes"] > 0
    assert story("import copy.jsonl").code == 5


def test_a_failed_export_leaves_the_old_file(story: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export that fails half-way leaves what was there, and no part of its own."""
    (story.folder / "copy.jsonl").write_text("precious")

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    said = story("export copy.jsonl --force")

    assert said.code == 6
    assert (story.folder / "copy.jsonl").read_text() == "precious"
    assert not list(story.folder.glob("*.part")) + list(story.folder.glob(".*.part"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("import nowhere.jsonl --space new", 3),
        ("import bad.jsonl --space new", 2),
        ("export nowhere/copy.jsonl", 6),
        ("export --json", 2),
    ],
)
def test_bad_files_are_told_apart(story: Keyboard, line: str, code: int) -> None:
    """A file that is not there, not an export, or not to be written exits with the code of its kind."""
    (story.folder / "bad.jsonl").write_text("{}\n")

    assert story(line).code == code


def test_an_index_can_be_thrown_away(story: Keyboard) -> None:
    """Search finds the same after the index was rebuilt."""
    before = story.json("search restart")["hits"]
    story.ok("index --rebuild")

    assert story.json("search restart")["hits"] == before
    assert "up to date" in story.ok("index")
