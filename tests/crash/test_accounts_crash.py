"""A process that makes and revokes keys is killed: what it was told is done stays done."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hindcast.access import Proof
from hindcast.build.accounts import open_accounts
from hindcast.config import Settings
from hindcast.model.errors import Unidentified

KEYMAKER = Path(__file__).with_name("keymaker.py")
LIVES = 3
STEPS_PER_LIFE = 25


def life(folder: Path, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """What one process had acknowledged when it was killed: made or revoked, and which secret."""
    command = [sys.executable, str(KEYMAKER), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(STEPS_PER_LIFE)]
        process.kill()
        told += process.stdout.readlines()
    # A line that was cut was not told.
    steps = [line.strip().partition(" ") for line in told if line.endswith("\n")]
    return [(verb, secret) for verb, _, secret in steps]


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, source_environment: Mapping[str, str]) -> None:
    """Keys that were shown still open, keys that were revoked do not, and the trail holds together, kill after kill."""
    good: set[str] = set()
    revoked: set[str] = set()
    for _ in range(LIVES):
        steps = life(tmp_path, source_environment)
        assert len(steps) >= STEPS_PER_LIFE
        gone = {secret for verb, secret in steps if verb == "revoked"}
        # The last one may have been revoked in the very instant of the end, before that could be told.
        good |= {secret for verb, secret in steps[:-1] if verb == "made"} - gone
        revoked |= gone

    access = open_accounts(Settings(store=str(tmp_path), actor="op"))
    for secret in good:
        assert access.caller(Proof(key=secret)).actor.startswith("key:")
    for secret in revoked:
        with pytest.raises(Unidentified):
            access.caller(Proof(key=secret))
    assert len(good) > len(revoked) / 2 > 0
    assert access.audit.verify("home", by=access.operator).faults == ()
    access.close()
