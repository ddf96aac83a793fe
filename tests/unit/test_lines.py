"""Files of log lines: JSON, plain text, and stack traces that belong to the line before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from hindcast.ingest import lines
from hindcast.model.columns import RAW_LOG
from hindcast.model.ingest_limits import IngestLimits

ARRIVED = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LIMITS = IngestLimits()

PYTHON = """Traceback (most recent call last):
  File "app.py", line 3, in pay
    charge(card)
ValueError: card declined

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "app.py", line 9, in main
    pay()
PaymentError: gave up"""
JAVA = """java.lang.IllegalStateException: closed
\tat com.x.Pool.take(Pool.java:10)
\tat com.x.Main.main(Main.java:3)
Caused by: java.net.ConnectException: refused
\tat java.net.Socket.connect(Socket.java:1)
\t... 2 more"""
GO = """panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.pay(...)
\t/app/main.go:7
main.main()
\t/app/main.go:3 +0x1d
exit status 2"""


def rows(text: str | bytes, **options: Any) -> list[dict[str, Any]]:
    """The rows of a text."""
    body = text.encode() if isinstance(text, str) else text
    read = lines.parse(body, LIMITS, **{"arrived": ARRIVED, "service": "shop", **options})
    assert read.logs is not None
    assert read.logs.schema == RAW_LOG
    return [dict(row) for row in read.logs.to_pylist()]


def told(text: str) -> list[tuple[str, int, str]]:
    """Message, level and stack of each row."""
    return [(row["message"], row["level"], row["stack"]) for row in rows(text)]


def test_json_lines_are_documents() -> None:
    """Each line is read by its fields; the service of the file is only for lines that name none."""
    found = rows(
        '{"time":"2026-11-16T09:59:00Z","level":"error","msg":"lost","service":"db"}\n'
        '{"level":30,"msg":"fine","time":1794823140000}\n'
    )

    assert [(row["service"], row["level"], row["message"]) for row in found] == [
        ("db", 17, "lost"),
        ("shop", 9, "fine"),
    ]
    assert [row["time"] for row in found] == [ARRIVED - timedelta(minutes=1)] * 2


def test_plain_lines_show_their_time_and_level() -> None:
    """The line stays whole; its time and its level are read from its start."""
    found = rows("2026-11-16 09:59:30,500 ERROR [main] boom\n1794823140 warn: slow\nno time\n")

    assert [row["time"] for row in found[:2]] == [
        datetime(2026, 11, 16, 9, 59, 30, 500_000, tzinfo=UTC),
        datetime(2026, 11, 16, 9, 59, tzinfo=UTC),
    ]
    assert found[0]["message"] == "2026-11-16 09:59:30,500 ERROR [main] boom"
    assert found[0]["level"] == 17
    assert found[0]["service"] == "shop"


@pytest.mark.parametrize("trace", [PYTHON, JAVA], ids=["python", "java"])
def test_a_stack_trace_belongs_to_the_line_before(trace: str) -> None:
    """With times and without: the error, its trace, and then the next line for itself."""
    without_blanks = "\n".join(line for line in trace.splitlines() if line)

    timed = told(f"2026-11-16 09:59:30 ERROR boom\n{trace}\n2026-11-16 09:59:31 INFO next\n")
    bare = told(f"ERROR boom\n{trace}\nINFO next\n")

    assert timed == [
        ("2026-11-16 09:59:30 ERROR boom", 17, without_blanks),
        ("2026-11-16 09:59:31 INFO next", 9, ""),
    ]
    assert bare == [("ERROR boom", 17, without_blanks), ("INFO next", 9, "")]


@pytest.mark.parametrize(
    ("trace", "message", "level"),
    [
        (PYTHON, "PaymentError: gave up", 17),
        (JAVA, "java.lang.IllegalStateException: closed", 17),
        (GO, "panic: runtime error: index out of range [3] with length 3", 21),
    ],
    ids=["python", "java", "go"],
)
def test_a_bare_stack_trace_is_one_record(trace: str, message: str, level: int) -> None:
    """What a program prints when it dies is one error with its exception as the sentence."""
    [before, found, after] = told(f"started\n{trace}\nstarted again\n")

    assert found == (message, level, "\n".join(line for line in trace.splitlines() if line))
    assert (before[0], after[0]) == ("started", "started again")


def test_a_json_program_that_dies_leaves_a_trace() -> None:
    """A bare traceback after a JSON line is that line's stack trace."""
    [found] = told('{"level":"info","msg":"working"}\n' + PYTHON)

    assert found[0] == "working"
    assert "PaymentError: gave up" in found[2]


def test_lines_that_only_look_alike_stay_apart() -> None:
    """A hundred errors in a row are a hundred errors."""
    assert len(rows("ConnectionError: refused\n" * 100)) == 100
    assert {row["level"] for row in rows("ConnectionError: refused\n" * 3)} == {17}


def test_a_record_with_many_lines_stays_together() -> None:
    """Among lines that begin with a time, one that does not continues the one before; it is no stack trace."""
    found = told("2026-11-16 09:59:30 INFO query:\nselect *\nfrom t\n2026-11-16 09:59:31 INFO done\n")

    assert [message for message, _, _ in found] == [
        "2026-11-16 09:59:30 INFO query:\nselect *\nfrom t",
        "2026-11-16 09:59:31 INFO done",
    ]


def test_an_endless_record_ends() -> None:
    """Continuation lines are counted, so a file of indented lines is not one record."""
    limits = IngestLimits(continuation_lines_max=10)
    read = lines.parse(b"first\n" + b"  more\n" * 100, limits, arrived=ARRIVED)

    assert read.logs is not None
    assert read.logs.num_rows == 10


def test_history_keeps_its_times() -> None:
    """Without an arrival times without a zone are taken as they are, in the zone that is given."""
    old = "2020-05-01 12:00:00 INFO old\n"

    assert rows(old)[0]["time"] is None
    assert rows(old, arrived=None)[0]["time"] == datetime(2020, 5, 1, 12, tzinfo=UTC)
    east = timezone(timedelta(hours=2))
    assert rows(old, arrived=None, zone=east)[0]["time"] == datetime(2020, 5, 1, 10, tzinfo=UTC)


def test_bad_bytes_and_long_lines_are_kept_and_counted() -> None:
    """Invalid UTF-8 is replaced; a line of ten megabytes is cut and says so."""
    read = lines.parse(b"caf\xe9\n" + b"x" * 10_000_000 + b"\nlast", LIMITS, arrived=ARRIVED)

    assert read.logs is not None
    first, long, last = read.logs["message"].to_pylist()
    assert (first, last) == ("caf�", "last")
    assert long.endswith("[cut, 10000000 bytes]")
    assert len(long.encode()) <= LIMITS.message_bytes_max
    assert read.altered["invalid_utf8"] == 1
    assert read.altered["message_cut"] == 1


def test_a_follower_takes_only_what_is_settled() -> None:
    """Read in any pieces, a growing file gives the same records as read at once."""
    text = f"2026-11-16 09:59:30 ERROR boom\n{PYTHON}\n2026-11-16 09:59:31 INFO next\n".encode()
    whole = rows(text)
    for cut in range(1, len(text)):
        settled = lines.settled_bytes(text[:cut], LIMITS)
        parts = rows(text[:settled]) + rows(text[settled:])
        assert settled <= cut
        assert parts == whole, cut


def test_too_many_lines_are_told() -> None:
    """Lines over the limit are rejected by their number, those before are kept."""
    read = lines.parse(b"a\nb\nc\n", IngestLimits(records_per_request_max=2), arrived=ARRIVED)

    assert read.logs is not None
    assert read.logs.num_rows == 2
    assert [rejection.position for rejection in read.rejections] == [2]


def test_a_hostile_line_takes_no_time() -> None:
    """Megabytes made to confuse a pattern are looked at only at their start."""
    for piece in ("(", "a(", " ", "1 ", "A.", "#1", "2026-11-16 "):
        read = lines.parse(f"ERROR x\n{piece * 200_000}z\n".encode(), LIMITS, arrived=ARRIVED)
        assert read.logs is not None
        assert read.logs.num_rows in {1, 2}
