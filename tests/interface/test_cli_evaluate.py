"""`hindcast evaluate recall`, as somebody at a keyboard and as a script sees it."""

from __future__ import annotations

import hashlib
import json
import shlex
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.cli import evaluate, failure, session
from hindcast.config import Settings

NOW = datetime(2026, 11, 15, 2, 0, tzinfo=UTC)
RECORDS = """{"id": "inc-1", "title": "Redis pool exhausted in payment workers", "body": "connection reset by peer"}
{"id": "inc-2", "title": "Certificate of the gateway expired", "description": "x509: certificate has expired"}
"""
QUERIES = """{"id": "q1", "text": "redis connection reset in payment workers", "relevant": ["inc-1"]}
{"id": "q2", "text": "gateway certificate expired", "relevant": ["inc-1"]}
{"id": "q3", "text": "zeppelin ballast frozen", "relevant": []}
"""


@dataclass
class Keyboard:
    """Types command lines in a folder of its own."""

    capture: pytest.CaptureFixture[str]
    app: typer.Typer

    def __call__(self, line: str) -> tuple[int, str, str]:
        """Exit code, answer and everything else that was said."""
        self.capture.readouterr()
        try:
            get_command(self.app).main(args=shlex.split(line), prog_name="hindcast", standalone_mode=False, obj={})
            code = 0
        except Exception as error:  # noqa: BLE001
            code = failure.tell(error, as_json=False)
        told = self.capture.readouterr()
        return code, told.out, told.err

    def json(self, line: str) -> dict[str, Any]:
        """The document of a command that has to work."""
        code, out, err = self(f"{line} --json")
        assert code == 0, err
        found = json.loads(out)
        assert isinstance(found, dict)
        return found


@pytest.fixture
def type_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Keyboard:
    """A keyboard, and files to measure on."""
    monkeypatch.setattr(session, "clock", ManualClock(NOW))
    monkeypatch.setenv("HINDCAST_STORE", str(tmp_path / "nobody-opens-this"))
    monkeypatch.setenv("HINDCAST_MODEL", "none")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "records.jsonl").write_text(RECORDS, encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    app = typer.Typer()
    app.add_typer(evaluate.app, name="evaluate")
    app.callback()(lambda: None)
    return Keyboard(capsys, app)


COMMAND = "evaluate recall --records records.jsonl --queries queries.jsonl"


def test_the_numbers_are_told_for_a_person(type_line: Keyboard) -> None:
    """Every number stands beside what it says, with the levels of confidence below."""
    code, out, _ = type_line(f"{COMMAND} --misses 5")

    assert code == 0
    for word in ("recall@1", "recall@10", "MRR", "false recall", "calibration", "time", "confidence"):
        assert word in out
    assert "2 with a true match, 1 without" in out
    assert "right: inc-1" in out


def test_the_numbers_are_told_for_a_script(type_line: Keyboard) -> None:
    """One document holds the measures, the levels, the misses and what could not be used."""
    found = type_line.json(f"{COMMAND} --k 1,2 --misses 9")

    assert found["recall_at"] == {"1": 0.5, "2": 0.5}
    assert found["records"] == 2
    assert (found["questions"], found["with_a_match"]) == (3, 2)
    assert next(one["query"] for one in found["misses"]) == "q2"
    assert sum(level["right"] for level in found["reliability"]) == 1
    assert found["milliseconds"]["p99"] >= found["milliseconds"]["p50"] > 0
    assert found["rejected"] == {"records": [], "queries": []}


def test_the_memory_in_use_is_byte_for_byte_what_it_was(type_line: Keyboard, tmp_path: Path) -> None:
    """Even when a real memory is named, an evaluation changes not one byte of it."""
    store = tmp_path / "team"
    memory = open_memory(Settings(store=str(store), space="local", model="none"), create=True)
    memory.put("cases/inc-1", {"title": "Redis pool exhausted"}, actor="ana", why="It happened")
    memory.now().search("redis")
    memory.close()
    before = _bytes_of(store)
    assert before

    code, _, err = type_line(f"{COMMAND} --store {store} --space local")

    assert code == 0, err
    assert _bytes_of(store) == before


def test_a_store_that_is_not_there_is_not_made(type_line: Keyboard, tmp_path: Path) -> None:
    """The memory that the settings name is never opened, so it is not created either."""
    type_line(COMMAND)

    assert not (tmp_path / "nobody-opens-this").exists()


def test_nothing_is_left_behind(type_line: Keyboard, tmp_path: Path) -> None:
    """The folder in which it was measured is gone, after a success and after a failure."""
    (tmp_path / "strange.jsonl").write_text('{"text": "x y", "relevant": ["gone"]}', encoding="utf-8")
    assert type_line(COMMAND)[0] == 0
    assert type_line("evaluate recall --records records.jsonl --queries strange.jsonl")[0] == 2

    assert list((tmp_path / "temporary").iterdir()) == []


def test_bad_lines_are_told_beside_the_answer(type_line: Keyboard, tmp_path: Path) -> None:
    """A file with a broken line is measured without it, and the line is named."""
    with (tmp_path / "records.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"broken\n')
    with (tmp_path / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "q4", "text": "redis pool", "relevant": ["inc-1", "inc-99"]}\n')
    code, _, err = type_line(COMMAND)

    assert code == 0
    assert "line 3: not JSON" in err
    assert "q4: inc-99" in err


def test_wrong_input_says_which_option_it_was(type_line: Keyboard, tmp_path: Path) -> None:
    """Files that are not there, places that are no numbers, files without a usable line: each names its option."""
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    for line, code, word in (
        ("evaluate recall --records nowhere.jsonl --queries queries.jsonl", 3, "--records"),
        ("evaluate recall --records records.jsonl --queries empty.jsonl", 2, "--queries"),
        ("evaluate recall --records empty.jsonl --queries queries.jsonl", 2, "--records"),
        (f"{COMMAND} --k 0", 2, "--k"),
        (f"{COMMAND} --k ten", 2, "--k"),
        (f"{COMMAND} --k 51", 2, "--k"),
        ("evaluate recall --records . --queries queries.jsonl", 2, "--records"),
    ):
        got, out, err = type_line(line)
        assert (got, out) == (code, ""), line
        assert word in err


def _bytes_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
