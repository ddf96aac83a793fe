"""`hindcast template`, as somebody at a keyboard and as a script sees it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from hindcast.cli import template
from hindcast.model.errors import Malformed, Missing

LOG = """\
2026-03-01 10:00:01 INFO took 5 ms for user ana

2026-03-01 10:00:02 INFO took 17 ms for user bo
2026-03-01 10:00:03 INFO took 9 ms for user cy
2026-03-01 10:00:04 ERROR pool exhausted
{"level": "warn", "message": "disk 81% full"}
"""


def run(*words: str) -> None:
    """Run `hindcast template …`."""
    app = typer.Typer()
    app.callback()(lambda: None)
    template.install(app)
    get_command(app).main(args=["template", *words], standalone_mode=False, obj={})


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The document that it prints."""
    run(*words, "--json")
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A small log."""
    path = tmp_path / "app.log"
    path.write_text(LOG, encoding="utf-8")
    return str(path)


def test_a_table_shows_each_template_with_an_example(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A person sees how many lines each template has, and the first of them."""
    run(log)
    told = capsys.readouterr()

    assert "    3   60.0%   <*> <*>:<*>:<*> INFO took <*> ms for user <*>\n" in told.out
    assert "2026-03-01 10:00:01 INFO took 5 ms for user ana\n" in told.out
    assert "5 lines, 3 templates\n" in told.out
    assert "--explain" in told.err


def test_json_tells_the_same(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A script gets counts, shares and ids as text; of a JSON line the message counts."""
    found = document(capsys, log)

    assert (found["lines"], found["templates"]) == (5, 3)
    assert [one["count"] for one in found["top"]] == [3, 1, 1]
    assert "disk <*>% full" in [one["template"] for one in found["top"]]
    assert all(len(one["id"]) == 16 and "parts" not in one for one in found["top"])


def test_explain_says_why(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every variable part is shown with its reason."""
    run(log, "--explain", "--top", "1")

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["5", "a", "number"] in lines
    assert ["ana", "a", "value:", "others", "were", "seen", "in", "its", "place"] in lines


def test_explain_in_json_puts_the_example_together_again(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The parts of an example are the example."""
    for one in document(capsys, log, "--explain")["top"]:
        assert "".join(part["text"] for part in one["parts"]) == one["example"]


def test_top_says_how_many_are_left_out(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is cut silently."""
    run(log, "--top", "1")

    assert "5 lines, 3 templates; 2 more with --top 3\n" in capsys.readouterr().out


def test_a_pipe_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With - the lines come from stdin, whatever bytes they are."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"odd \xff 1\nodd \xff 2\n" + b"x" * 3_000_000)))

    assert [one["count"] for one in document(capsys, "-")["top"]] == [2, 1]


def test_what_is_in_a_line_is_shown_and_not_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes of a terminal come out as their codes."""
    path = tmp_path / "app.log"
    path.write_text("cleared \x1b[2J screen\n", encoding="utf-8")
    run(str(path))

    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\u001b" in out


def test_an_empty_log_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No lines is an answer."""
    path = tmp_path / "app.log"
    path.write_bytes(b"\n\n")
    run(str(path))

    assert capsys.readouterr().out == "There are no lines.\n"


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    """What is not there, or is a folder, is an error that says what to do."""
    with pytest.raises(Missing) as missing:
        run(str(tmp_path / "none.log"))
    with pytest.raises(Malformed) as folder:
        run(str(tmp_path))

    assert missing.value.field == folder.value.field == "FILE"
