"""What somebody pastes becomes a cue: a line, a trace, five megabytes of log, or a live incident."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hindcast.asking import ASKED_CHARS_MAX, READ_CHARS_MAX, cue_of, cue_of_case
from hindcast.clues import clues_of
from hindcast.model.case import Case, Cause
from hindcast.model.errors import Malformed
from hindcast.model.recollection import CueKind

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
TRACE = """Traceback (most recent call last):
  File "/srv/payment/worker/tasks.py", line 88, in settle
    client = pool.checkout()
  File "/usr/lib/python3.12/site-packages/redis/connection.py", line 1086, in read_response
    raise ConnectionError(msg)
redis.exceptions.ConnectionError: Error while reading from socket: (104, 'Connection reset by peer')"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TRACE, CueKind.TRACE),
        ("ConnectionResetError: [Errno 104] Connection reset by peer", CueKind.IDENTIFIERS),
        ("HikariPool-1 SQLTransientConnectionException max_pool_size", CueKind.IDENTIFIERS),
        ("payments are slow and redis looks full", CueKind.PROSE),
    ],
)
def test_a_cue_knows_what_it_is_made_of(text: str, kind: CueKind) -> None:
    """A trace, identifiers and prose are told apart, because each trusts other arms."""
    assert cue_of(text, at=NOW)[0].kind is kind


def test_a_trace_gives_its_clues() -> None:
    """Frames, exceptions, components and both fingerprints of a pasted trace are found."""
    clues = cue_of(TRACE, at=NOW)[0].clues

    assert clues.frames == ("read_response", "settle")
    assert clues.exceptions == ("redis.exceptions.ConnectionError",)
    assert "redis" in clues.components
    assert len(clues.fingerprints) == 2


def test_the_same_failure_on_another_day_has_the_same_fingerprint() -> None:
    """Line numbers and the log around a trace do not change what it is."""
    noisy = f"02:13:07 INFO starting\n{TRACE.replace('88', '97')}\n02:13:08 INFO retry in 3 s"

    assert cue_of(noisy, at=NOW)[0].clues.fingerprints == clues_of(TRACE).fingerprints


def test_five_megabytes_of_log_are_read_for_their_trouble() -> None:
    """Of a whole log file the traces and each kind of trouble are read, and the answer says so."""
    quiet = "".join(f"2026-11-16T02:00:00Z INFO served /orders/{number} in 12 ms\n" for number in range(90_000))
    trouble = "".join(f"2026-11-16T02:00:01Z ERROR could not reach redis-{number}: refused\n" for number in range(500))
    assert len(quiet + trouble) > 4_000_000

    cue, notes = cue_of(f"{quiet}{trouble}{TRACE}\n{quiet[:10_000]}", at=NOW)

    assert len(cue.text) <= READ_CHARS_MAX
    assert cue.text.count("could not reach redis") == 1
    assert "read_response" in cue.text
    assert cue.clues.fingerprints[0] in clues_of(TRACE).fingerprints
    assert "lines were read" in notes[0] or "were read" in notes[0]


def test_a_log_without_trouble_is_read_at_its_end() -> None:
    """Where nothing says error, the newest lines are what somebody meant."""
    calm = "".join(f"step {number} done\n" for number in range(5_000))

    assert "step 4999 done" in cue_of(calm, at=NOW)[0].text


@pytest.mark.parametrize("text", ["", "   \n\t", "\x1b[31m\x1b[0m", "…!?"])
def test_nothing_to_ask_is_an_error_with_a_way_out(text: str) -> None:
    """An empty question names the field and shows how to ask."""
    with pytest.raises(Malformed, match="nothing to ask") as caught:
        cue_of(text, at=NOW)
    assert caught.value.field == "text"
    assert "hindcast recall" in str(caught.value.remedy)


def test_a_binary_file_is_not_a_question() -> None:
    """Bytes that are no text are refused instead of searched for."""
    with pytest.raises(Malformed, match="not text"):
        cue_of("\x00\x01\x02\x7f" * 200, at=NOW)


def test_a_question_has_a_limit() -> None:
    """What is longer than anybody's log is refused before it is looked at."""
    with pytest.raises(Malformed, match="characters"):
        cue_of("x" * (ASKED_CHARS_MAX + 1), at=NOW)


def test_odd_characters_are_cleaned() -> None:
    """Colours, carriage returns, zero characters and half characters do not reach the search."""
    cue, _ = cue_of("\x1b[31mERROR\x1b[0m pool\x00 full\r\nredis \ud800down", at=NOW)

    assert cue.text == "ERROR pool full\nredis down"


def test_an_incident_asks_with_what_was_seen_of_it() -> None:
    """What people have concluded since is no part of the question that an incident asks."""
    case = Case(
        "inc-1",
        "Errors of payment",
        NOW,
        services=("payment",),
        symptoms=("connection reset by peer",),
        stack=TRACE,
        cause=Cause("a leak in teardown"),
    )

    cue = cue_of_case(case, at=NOW)

    assert "connection reset by peer" in cue.text
    assert "teardown" not in cue.text
    assert cue.incident == "inc-1"
    assert cue.services == ("payment",)
    assert cue.clues.fingerprints == clues_of(TRACE).fingerprints
