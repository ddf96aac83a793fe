"""`hindcast fingerprint` and `hindcast group`, as somebody at a keyboard and as a script sees them."""

from __future__ import annotations

import io
import json
import shlex
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from hindcast.adapters.clock import ManualClock
from hindcast.cli import failure, fingerprint, group, session

TRACE = """2026-03-03 02:14:09 ERROR payment failed
com.acme.PoolException: none left for order 8812
\tat com.acme.Pool.take(Pool.java:31)
\tat org.springframework.web.Filter.run(Filter.java:9)
"""


@dataclass
class Keyboard:
    """Types command lines, one minute after the other."""

    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    clock: ManualClock
    app: typer.Typer

    def __call__(self, line: str, *, stdin: str | bytes = b"") -> tuple[int, str, str]:
        """Exit code, answer and everything else that was said."""
        self.clock.move(timedelta(minutes=1))
        given = stdin.encode() if isinstance(stdin, str) else stdin
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        self.capture.readouterr()
        try:
            get_command(self.app).main(args=shlex.split(line), prog_name="hindcast", standalone_mode=False, obj={})
            code = 0
        except Exception as error:  # noqa: BLE001
            code = failure.tell(error, as_json=False)
        told = self.capture.readouterr()
        return code, told.out, told.err

    def json(self, line: str, *, stdin: str = "") -> dict[str, Any]:
        """The document of a command that has to work."""
        code, out, err = self(f"{line} --json", stdin=stdin)
        assert code == 0, err
        found = json.loads(out)
        assert isinstance(found, dict)
        return found


@pytest.fixture
def hindcast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Keyboard:
    """An empty place and the two commands."""
    clock = ManualClock(datetime(2026, 3, 3, 2, tzinfo=UTC))
    monkeypatch.setattr(session, "clock", clock)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "HINDCAST_SPACE", "HINDCAST_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"STORE": str(tmp_path / "memory"), "MODEL": "none", "ACTOR": "ana"}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)
    app = typer.Typer()
    fingerprint.install(app)
    app.add_typer(group.app, name="group")
    return Keyboard(capsys, monkeypatch, clock, app)


def made(hindcast: Keyboard, text: str = TRACE) -> str:
    """The fingerprint of a text."""
    return str(hindcast.json("fingerprint -", stdin=text)["found"][0]["fingerprint"])


def test_a_file_is_explained(hindcast: Keyboard, tmp_path: Path) -> None:
    """Each trace is shown with its fingerprint, and each part with whether it counted and why."""
    (tmp_path / "app.log").write_text(TRACE, encoding="utf-8")
    code, out, _ = hindcast("fingerprint app.log --frames")

    assert code == 0
    assert out.startswith(
        f"{made(hindcast)}  com.acme.PoolException: none left for order <int> in com.acme.Pool.take\n"
    )
    assert "jvm, lines 2 to 4, 2 frames" in out
    assert "system only" in out
    assert "Pool.java:31" in out


def test_a_script_reads_everything(hindcast: Keyboard) -> None:
    """The JSON holds both keys, the parts and the frames."""
    document = hindcast.json("fingerprint -", stdin=TRACE)
    found = document["found"][0]

    assert document["traces"] == 1
    assert found["fingerprint"] == found["app"] != found["system"]
    assert found["nearest"] == ["com.acme.Pool.take", "org.springframework.web.Filter.run"]
    assert [part["counts"] for part in found["parts"] if part["kind"] == "frame"] == [["app", "system"], ["system"]]
    assert found["trace"]["raised"][0]["frames"][0]["line"] == 31


def test_a_text_without_a_trace_is_grouped_by_its_words(hindcast: Keyboard) -> None:
    """Words have a fingerprint as well, and it is said that there was no trace."""
    code, out, _ = hindcast("fingerprint -", stdin="user 4711 not found\n")

    assert code == 0
    assert "user <int> not found" in out
    assert "no stack trace" in out


@pytest.mark.parametrize(
    ("line", "stdin", "code", "said"),
    [
        ("fingerprint gone.log", "", 3, "There is no file gone.log."),
        ("fingerprint -", " \n", 2, "There is nothing to read."),
        ("fingerprint .", "", 2, "cannot be read"),
        ("group join 1234 --why x", "", 2, "One group alone cannot be joined."),
        ("group join here there --why x", "", 2, "'here' is not a fingerprint."),
        ("group split 00000000000000a1 --why x", "", 2, "A split needs a condition."),
        ("group explain gone.log", "", 3, "There is no file gone.log."),
        ("group list --at nowhere-at-all", "", 3, ""),
    ],
)
def test_bad_input_is_answered_with_a_remedy(hindcast: Keyboard, line: str, stdin: str, code: int, said: str) -> None:
    """What cannot be done says why, and nothing is written."""
    got, out, err = hindcast(line, stdin=stdin)

    assert (got, out) == (code, "")
    assert said in err
    assert hindcast.json("group list")["rules"] == []


def test_bytes_that_are_no_text_disturb_nothing(hindcast: Keyboard) -> None:
    """A trace among bytes that are not UTF-8 is found."""
    code, out, _ = hindcast("fingerprint -", stdin=b"\xff\xfe\x00\n" + TRACE.encode())

    assert code == 0
    assert made(hindcast) in out


def test_a_log_cannot_steer_the_terminal(hindcast: Keyboard) -> None:
    """Control characters in what was logged are shown, not obeyed."""
    for command in ("fingerprint - --frames", "group explain -"):
        code, out, _ = hindcast(command, stdin=TRACE.replace("none left", "none\x1b]0;owned\x07 left"))

        assert code == 0
        assert "\x1b" not in out
        assert "\x07" not in out


def test_a_join_sticks_and_is_explained(hindcast: Keyboard) -> None:
    """Two groups joined are one from then on, and whoever asks is told by whom and why."""
    one, two = made(hindcast), made(hindcast, TRACE.replace("take", "put"))
    joined = hindcast.json(f"group join {one} {two} --why 'same pool'")
    explained = hindcast.json("group explain -", stdin=TRACE.replace("take", "put"))
    _, out, _ = hindcast("group list")

    assert joined["into"] == one
    assert (explained["fingerprint"], explained["group"]) == (two, one)
    assert explained["moves"][0]["why"] == "same pool"
    assert "same pool" in out
    assert "ana" in out


def test_a_split_takes_out_what_it_says(hindcast: Keyboard) -> None:
    """A split by service moves that service's failures and leaves the others."""
    one = made(hindcast)
    split = hindcast.json(f"group split {one} --service payment --why 'owned by others'")

    assert hindcast.json("group explain - --service payment", stdin=TRACE)["group"] == split["to"] != one
    assert hindcast.json("group explain - --service auth", stdin=TRACE)["group"] == one


def test_what_was_said_last_wins(hindcast: Keyboard) -> None:
    """A rule said again after another one counts from its last saying."""
    one, two, three = "00000000000000a1", "00000000000000b2", made(hindcast)
    hindcast.json(f"group join {three} {one} --into {one} --why first")
    hindcast.json(f"group join {one} {two} --into {two} --why second")
    assert hindcast.json("group explain -", stdin=TRACE)["group"] == two
    hindcast.json(f"group join {two} {one} --into {one} --why third")

    assert hindcast.json("group explain -", stdin=TRACE)["group"] == one
    assert [rule["why"] for rule in hindcast.json("group list")["rules"]] == ["first", "second", "third"]


def test_the_past_keeps_its_groups(hindcast: Keyboard) -> None:
    """As of a moment before a join, the groups are what they were."""
    one, two = made(hindcast), "00000000000000b2"
    hindcast.json(f"group join 00000000000000a1 {two} --why before")
    moment = hindcast.clock.now().isoformat()
    hindcast.json(f"group join {one} {two} --into {two} --why later")

    assert hindcast.json("group explain -", stdin=TRACE)["group"] == two
    assert hindcast.json(f"group explain - --at {moment}", stdin=TRACE)["group"] == one
