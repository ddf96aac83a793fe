"""A past outage that happens again is the same failure with other numbers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hindcast.clues import clues_of
from hindcast.model.case import Case
from hindcast.model.errors import Malformed
from hindcast.simulate.replay import replay

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
STACK = """Traceback (most recent call last):
  File "/srv/payment/worker/tasks.py", line 88, in settle
    client = pool.checkout()
ConnectionResetError: [Errno 104] Connection reset by peer"""
CASE = Case("past-1", "Resets", NOW, symptoms=("task 83f1a2c9 failed: ConnectionResetError",), stack=STACK)


def test_a_replayed_failure_is_the_same_failure() -> None:
    """Line numbers and ids differ, the fingerprint of the stack does not."""
    lines = replay(CASE, "payment", 50, at=NOW, seed=1).lines

    stacks = {line.stack for line in lines if line.stack}
    assert len(stacks) == 1
    assert STACK not in stacks
    assert clues_of("", stack=stacks.pop()).fingerprints == clues_of("", stack=STACK).fingerprints
    assert lines[0].exception == "ConnectionResetError"
    assert len({line.message for line in lines}) > 10


def test_a_replay_is_repeatable_and_in_order() -> None:
    """The same seed gives the same lines, all within the second before the moment."""
    first, second = (replay(CASE, "payment", 120, at=NOW, seed=7) for _ in range(2))

    assert first == second
    times = [line.time_ns for line in first.lines]
    assert times == sorted(times)
    assert times[-1] < NOW.timestamp() * 1e9
    assert len(times) == 120


def test_a_case_without_error_lines_cannot_be_replayed() -> None:
    """There is nothing to send, and the error says which case."""
    with pytest.raises(Malformed, match="past-2"):
        replay(Case("past-2", "Nobody wrote it down", NOW), "payment", 10, at=NOW, seed=1)


@pytest.mark.parametrize("errors", [0, 10**9])
def test_a_number_of_errors_has_limits(errors: int) -> None:
    """None or far too many errors are refused."""
    with pytest.raises(Malformed, match="cannot be sent"):
        replay(CASE, "payment", errors, at=NOW, seed=1)


def test_a_trace_is_printed_as_todays_code_would() -> None:
    """Where today's code is known, a trace has its line numbers instead of made-up ones."""
    lines = replay(CASE, "payment", 50, at=NOW, seed=1, printed=lambda stack: stack.replace("line 88", "line 7")).lines

    assert all("line 7," in line.stack for line in lines if line.stack)
    assert any(line.stack for line in lines)
