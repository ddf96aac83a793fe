"""`hindcast import`, as somebody at a keyboard and as a script sees it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.keyboard import typed
from typer.main import get_command

from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.cli import importing
from hindcast.config import read_settings
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address

PAGE = """# Redis resets in payment-worker

Date: 2026-03-02 14:03 UTC

We raised the pool size to 200, which made things worse. Then we restarted the scheduler.

```
redis.exceptions.ConnectionError: no free connection
```

## Root cause

Workers leak connections; the password=hunter2secret99 was in the log.

## Resolution

We capped the pool at 20 connections and errors stopped.

## Action items

- restart nothing before looking at the pool
"""
EXPORT = [
    {"id": 1, "title": "Disk full", "created_at": "2026-05-01T10:00:00Z", "resolution": "Deleted old logs."},
    {"nothing": True},
]
RUNBOOK = """# Redis refuses connections

1. Look at connected_clients.
2. Compare it with maxclients:

   ```
   redis-cli info clients
   ```
3. Find who does not release connections.
"""


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Words are enough here, and a store of its own."""
    monkeypatch.setenv("HINDCAST_MODEL", "none")
    monkeypatch.setenv("HINDCAST_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("HINDCAST_ACTOR", "kim")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of postmortems, an export and what does not belong there."""
    made = tmp_path / "given"
    (made / "2026").mkdir(parents=True)
    (made / "2026" / "redis.md").write_text(PAGE, encoding="utf-8")
    (made / "export.json").write_text(json.dumps(EXPORT), encoding="utf-8")
    (made / "photo.md").write_bytes(b"\x89PNG\0\0\0")
    (made / ".hidden.md").write_text("# not meant", encoding="utf-8")
    (made / "binary.bin").write_bytes(b"\0")
    return made


def run(*words: str | Path) -> None:
    """Run `hindcast import …`."""
    app = typer.Typer()
    app.callback()(lambda: None)
    importing.install(app)
    get_command(app).main(args=["import", *map(str, words)], standalone_mode=False, obj={})


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Runs the command and gives the document that it prints."""

    def told(*words: str | Path) -> dict[str, Any]:
        capsys.readouterr()
        run(*words, "--json")
        found = json.loads(capsys.readouterr().out)
        assert isinstance(found, dict)
        return found

    return told


@contextmanager
def memory() -> Iterator[Memory]:
    """The memory that the command wrote into."""
    opened = open_memory(read_settings({}), create=False)
    try:
        yield opened
    finally:
        opened.close()


def cases() -> dict[str, Case]:
    """What is remembered."""
    with memory() as book:
        return {case.id: case for case in Casebook(book).every()}


def commits() -> list[str]:
    """The ids of all commits."""
    with memory() as book:
        return [commit.id for commit in book.log(commits_max=100)]


Told = Callable[..., dict[str, Any]]


def test_a_folder_of_everything_becomes_cases(folder: Path, document: Told) -> None:
    """Pages and exports below a folder become cases; what cannot be read is named, and nothing else is lost."""
    told = document(folder)

    assert told["new"] == ["markdown-2026-redis", "generic-1"]
    assert [one["place"] for one in told["rejected"]] == ["export.json, item 2", "photo.md"]
    assert set(cases()) == {"markdown-2026-redis", "generic-1"}


def test_a_case_keeps_attempts_clues_and_no_secret(folder: Path, document: Told) -> None:
    """What was tried is remembered with its outcome, the failure can be recognised, and secrets are gone."""
    told = document(folder / "2026" / "redis.md")
    case = cases()["markdown-redis"]

    assert [(one.action, one.outcome) for one in case.attempts] == [
        ("raised the pool size to 200", Outcome.MADE_WORSE),
        ("restarted the scheduler", Outcome.UNKNOWN),
        ("capped the pool at 20 connections", Outcome.WORKED),
    ]
    assert "redis" in case.components
    assert "redis.exceptions.ConnectionError" in case.clues.exceptions
    assert case.cause is not None
    assert "hunter2secret99" not in json.dumps(
        [case.cause.text, case.summary, [one.quote for one in case.cause.evidence]]
    )
    assert sum(told["redacted"].values()) >= 1


def test_importing_again_changes_nothing(folder: Path, document: Told) -> None:
    """The same files again are no change and no commit, whatever the time of the files."""
    document(folder)
    before = commits()
    for path in folder.rglob("*.*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    told = document(folder)

    assert (told["new"], told["changed"]) == ([], [])
    assert len(told["unchanged"]) == 2
    assert commits() == before


def test_what_people_said_survives_the_next_import(folder: Path, document: Told) -> None:
    """A corrected page changes the case, and an attempt that somebody added stays."""
    page = folder / "2026" / "redis.md"
    document(page)
    said = Attempt("A1", "drained node 7", Outcome.MADE_WORSE, evidence=(Evidence(Witness.PERSON, "kim said so"),))
    with memory() as book:
        Casebook(book).change(
            "markdown-redis",
            lambda case: replace(case, attempts=(*case.attempts, said)),
            actor="kim",
            why="I was there.",
        )
    page.write_text(PAGE.replace("Workers leak connections", "The driver leaks connections"), encoding="utf-8")
    told = document(page)
    case = cases()["markdown-redis"]

    assert told["changed"] == ["markdown-redis"]
    assert said in case.attempts
    assert case.cause is not None
    assert case.cause.text.startswith("The driver leaks")


def test_it_ends_in_a_review(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each field is shown with the sentence it was read from, and what is not sure is asked and left open."""
    run(folder / "2026" / "redis.md")
    out = capsys.readouterr().out

    assert out.startswith("1 new, 0 changed, 0 unchanged, 0 rejected, from 1 file\n")
    assert "  a1   ✗ raised the pool size to 200: made worse\n" in out
    assert "“We raised the pool size to 200, which made things worse.”" in out
    assert "  a2   ? restarted the scheduler: unknown\n" in out
    assert "asked: What came of it?" in out
    assert "  People  (open)\n         asked: Who was there?" in out
    assert cases()["markdown-redis"].attempts[1].outcome is Outcome.UNKNOWN


def test_no_review_shows_none(folder: Path, capsys: pytest.CaptureFixture[str], document: Told) -> None:
    """A script that wants no review gets none."""
    run(folder / "2026" / "redis.md", "--no-review")

    assert "asked:" not in capsys.readouterr().out
    assert document(folder, "--no-review")["review"] == []


def test_yes_accepts_what_was_read_surely(folder: Path, document: Told) -> None:
    """What was read surely is somebody's word then; what is unsure stays open, and the next import changes nothing."""
    told = document(folder / "2026" / "redis.md", "--yes")
    case = cases()["markdown-redis"]

    assert told["review"][0]["open"] == 3
    assert case.cause is not None
    assert case.cause.confidence == 1.0
    assert [(one.outcome, one.confidence == 1.0) for one in case.attempts] == [
        (Outcome.MADE_WORSE, True),
        (Outcome.UNKNOWN, False),
        (Outcome.WORKED, True),
    ]
    assert document(folder / "2026" / "redis.md")["unchanged"] == ["markdown-redis"]


def test_a_line_that_cannot_be_read_is_asked_again(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field, an outcome or an attempt that there is not is named, and nothing is written until the line is right."""
    page = str(folder / "2026" / "redis.md")
    lines = "bogus\nweather=fine\na2=perhaps\na9=worse\ncause=the driver leaks\n"
    said = typed(["import", page], capsys, monkeypatch, stdin=lines, terminal=True)
    case = cases()["markdown-redis"]

    assert said.code == 0
    assert "'bogus' is no correction" in said.err
    assert "There is no field 'weather'" in said.err
    assert "'perhaps' is no outcome" in said.err
    assert "has no attempt a9" in said.err
    assert case.cause is not None
    assert case.cause.text == "the driver leaks"


def test_what_was_corrected_survives_the_next_import(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, document: Told
) -> None:
    """The cause, an attempt that nobody tried, its outcome, the people and the minutes stay as somebody said them."""
    page = folder / "2026" / "redis.md"
    line = "cause=the driver leaks; a1=never; a2=worse; people=Ana, Ben; minutes=40\n"
    said = typed(["import", str(page)], capsys, monkeypatch, stdin=line, terminal=True)
    case = cases()["markdown-redis"]

    assert "Settled 1 of 1 record" in said.err
    assert case.cause is not None
    assert (case.cause.text, case.cause.by) == ("the driver leaks", "kim")
    assert [(one.action, one.outcome) for one in case.attempts] == [
        ("restarted the scheduler", Outcome.MADE_WORSE),
        ("capped the pool at 20 connections", Outcome.WORKED),
    ]
    assert case.responders == ("Ana", "Ben")
    assert case.minutes == 40
    assert document(page)["unchanged"] == ["markdown-redis"]


def test_a_dry_run_writes_nothing(folder: Path, document: Told) -> None:
    """What would be remembered is shown, and no memory is made for it."""
    told = document(folder, "--dry-run")

    assert len(told["new"]) == 2
    assert told["dry_run"] is True
    with pytest.raises(Missing), memory():
        pass


def test_a_dry_run_knows_what_is_there(folder: Path, document: Told) -> None:
    """After an import the same files are unchanged, in a dry run too."""
    document(folder)

    assert document(folder, "--dry-run")["unchanged"] == ["markdown-2026-redis", "generic-1"]


def test_runbooks_keep_their_steps(tmp_path: Path, document: Told) -> None:
    """A runbook's list becomes its steps, commands included; again it is no change."""
    page = tmp_path / "redis.md"
    page.write_text(RUNBOOK, encoding="utf-8")
    first, second = document(page, "--as", "runbook"), document(page, "--as", "runbook")
    with memory() as book:
        record = book.now().find(Address("runbooks", "runbook-redis"))
    assert record is not None
    body: Any = record.body

    assert (first["new"], second["unchanged"]) == (["runbook-redis"], ["runbook-redis"])
    assert body["title"] == "Redis refuses connections"
    assert body["steps"] == [
        "Look at connected_clients.",
        "Compare it with maxclients: `redis-cli info clients`",
        "Find who does not release connections.",
    ]
    assert body["components"] == ["redis"]


def test_a_page_without_a_time_takes_that_of_its_file(tmp_path: Path, document: Told) -> None:
    """A page that names no time gets its file's, says so, and keeps it when the file is touched."""
    page = tmp_path / "undated.md"
    page.write_text("# Slow exports\n\nWe restarted the exporter, no effect.\n", encoding="utf-8")
    os.utime(page, (1_700_000_000, 1_700_000_000))
    document(page)
    os.utime(page, (1_760_000_000, 1_760_000_000))
    again = document(page)
    case = cases()["markdown-undated"]

    assert again["unchanged"] == ["markdown-undated"]
    assert case.occurred_at == datetime.fromtimestamp(1_700_000_000, tz=UTC)
    assert any("time of the file" in note.text for note in case.notes)


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A missing file is said to be missing."""
    with pytest.raises(Missing) as caught:
        run(tmp_path / "nowhere")
    assert caught.value.field == "path"


def test_a_folder_without_anything_known_says_what_is_known(tmp_path: Path) -> None:
    """An empty folder is no success."""
    with pytest.raises(Missing) as caught:
        run(tmp_path)
    assert ".md" in caught.value.remedy


def test_when_nothing_can_be_read_the_reason_is_told(tmp_path: Path) -> None:
    """A file that holds no incident fails with its first reason, and no memory is made."""
    path = tmp_path / "x.json"
    path.write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(Malformed) as caught:
        run(path)
    assert "x.json, item 1" in caught.value.problem
    assert not (tmp_path / "store").exists()


def test_one_case_from_two_files_is_taken_once(tmp_path: Path, document: Told) -> None:
    """Two files that give the same id are told apart by saying so."""
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(EXPORT[:1]), encoding="utf-8")
    told = document(tmp_path / "a.json", tmp_path / "b.json")

    assert told["new"] == ["generic-1"]
    assert "two files" in told["rejected"][0]["reason"]
