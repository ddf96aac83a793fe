"""`hindcast share` and `hindcast learning`, as somebody at a keyboard sees them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hindcast import cli
from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.cli import session
from hindcast.clues import with_clues
from hindcast.config import Settings
from hindcast.experience import reliability_of
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, CaseState, Cause, Outcome, Resolution

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A folder for spaces, and no settings of the machine's own."""
    monkeypatch.setattr(session, "clock", ManualClock(NOW))
    (tmp_path / "none.toml").write_text("")
    for name, value in {
        "HINDCAST_STORE": str(tmp_path / "store"),
        "HINDCAST_ACTOR": "ana",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": str(tmp_path / "none.toml"),
        "COLUMNS": "160",
    }.items():
        monkeypatch.setenv(name, value)
    return Settings(store=str(tmp_path / "store"), space="ours", actor="ana", model="none")


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `hindcast share …` or `hindcast learning …` and reads the document that it answers with."""
    assert settings

    def type_it(line: str) -> dict[str, Any]:
        capsys.readouterr()
        cli.run([*shlex.split(line), "--json"])
        told = capsys.readouterr()
        found = json.loads(told.out or told.err)
        assert isinstance(found, dict)
        return found

    return type_it


def opened(settings: Settings, space: str) -> Memory:
    """The memory of a space."""
    return open_memory(replace(settings, space=space), clock=ManualClock(NOW))


def test_both_sides_agree_and_either_stops(run: Run) -> None:
    """A share is pending until the other side says so, is listed with that, and is gone when one side stops it."""
    run("share give redis --to checkout --space platform")
    assert run("share list --space platform")["shares"][0]["agreed"] is False
    assert run("share take Redis --from platform --space checkout")["agreed"] is True
    assert run("share list --space platform")["shares"] == [
        {"side": "given", "component": "redis", "space": "checkout", "by": "ana", "agreed": True}
    ]

    run("share stop redis --to checkout --space platform")
    assert run("share list --space platform")["shares"] == []
    assert run("share list --space checkout")["shares"][0]["agreed"] is False


@pytest.mark.parametrize(
    ("line", "kind", "field"),
    [
        ("share give redis --to ours --space ours", "Malformed", "space"),
        ("share give ' ' --to theirs --space ours", "Malformed", "component"),
        ("share stop redis --space ours", "Malformed", "--to"),
        ("share stop redis --to theirs --space ours", "Missing", "component"),
        ("learning --keep --space ours", "Refused", "--keep"),
    ],
)
def test_what_cannot_be_done_says_why(run: Run, line: str, kind: str, field: str) -> None:
    """A mistake is told with its kind, its field and a remedy."""
    error = run(line)["error"]

    assert (error["kind"], error["field"]) == (kind, field)
    assert error["remedy"]


def failure(number: int, days_ago: float) -> Case:
    """A complete case of a failure that has its own stack."""
    names = ("checkout", "refund", "login", "search", "export", "import_")
    stack = f'Traceback (most recent call last):\n  File "/app/{names[number]}.py", line 7, in {names[number]}\n'
    made = Case(
        f"{names[number].strip('_')}-{int(days_ago)}",
        f"{names[number]} fails with a lost lock",
        NOW - timedelta(days=days_ago),
        state=CaseState.RESOLVED,
        symptoms=(f"{names[number].title()}Error: lost the lock of {names[number]}",),
        stack=f"{stack}    call()\n{names[number].title()}Error: lost the lock\n",
        cause=Cause("a short lease"),
        resolution=Resolution("a longer lease"),
        attempts=(Attempt("A1", "restart", Outcome.NO_EFFECT),),
    )
    return with_clues(made)


def test_learning_is_counted_and_kept_only_when_asked(run: Run, settings: Settings) -> None:
    """The number comes with its three shares; nothing is written unless --keep says so, and then it is a commit."""
    memory = opened(settings, "ours")
    Casebook(memory).put_many(
        [failure(number, days) for number in range(6) for days in (200, 20)], actor="ana", why="told"
    )
    commits = len(memory.log())

    told = run("learning --space ours")
    assert told["coverage"] == {"part": 6, "whole": 6, "share": 1.0}
    assert told["completeness"]["whole"] == 12
    assert (told["accuracy"]["part"], told["accuracy"]["whole"]) == (6, 6)
    assert told["confidence"] == 1.0
    assert (told["kept"], len(memory.log())) == (None, commits)

    kept = run("learning --keep --space ours")["kept"]
    assert memory.log()[0].id == kept
    assert sum(level.asked for level in reliability_of(memory.now())) == 6
    memory.close()


def test_too_little_is_said(run: Run) -> None:
    """An empty memory has no learning confidence, and says what is missing."""
    told = run("learning --space ours")

    assert told["confidence"] is None
    assert len(told["missing"]) == 3
