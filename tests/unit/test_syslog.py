"""Syslog messages of both standards, of neither, and the framing of a stream."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hindcast.ingest import syslog
from hindcast.model.columns import RAW_LOG
from hindcast.model.ingest_limits import IngestLimits

ARRIVED = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LIMITS = IngestLimits()


def row(message: bytes, peer: str = "") -> dict[str, Any]:
    """The row that one message becomes."""
    read = syslog.parse([message], LIMITS, arrived=ARRIVED, peer=peer)
    assert read.logs is not None
    assert read.logs.schema == RAW_LOG
    [found] = read.logs.to_pylist()
    return {**found, "attributes": dict(found["attributes"])}


def test_the_new_standard_is_read_whole() -> None:
    """RFC 5424: priority, time, names, structured data with escapes, and a message behind a byte order mark."""
    message = (
        b"<165>1 2026-11-16T11:59:30.003+02:00 web1.example.com evntslog 4711 ID47 "
        b'[exampleSDID@32473 iut="3" note="a \\"quoted\\" \\] one"][other@1 k="v"] \xef\xbb\xbfAn application event'
    )

    assert row(message) == {
        "time": datetime(2026, 11, 16, 9, 59, 30, 3_000, tzinfo=UTC),
        "service": "evntslog",
        "level": 9,
        "trace": "",
        "span": "",
        "message": "An application event",
        "stack": "",
        "dependency": "",
        "bare": False,
        "attributes": {
            "syslog.facility": "local4",
            "host.name": "web1.example.com",
            "process.pid": "4711",
            "syslog.msgid": "ID47",
            "exampleSDID@32473.iut": "3",
            "exampleSDID@32473.note": 'a "quoted" ] one',
            "other@1.k": "v",
        },
    }


def test_what_is_not_said_is_left_empty() -> None:
    """A dash in RFC 5424 means nothing: no time, no host, no service."""
    found = row(b"<11>1 - - - - - - boom")

    assert (found["time"], found["service"], found["level"], found["message"]) == (None, "", 17, "boom")
    assert found["attributes"] == {"syslog.facility": "user"}


@pytest.mark.parametrize(
    ("message", "service", "host", "text"),
    [
        (b"<34>Nov 16 09:59:30 web1 su[230]: failed", "su", "web1", "failed"),
        (b"<34>Nov 16 09:59:30 web1 /usr/sbin/cron[1]: failed", "cron", "web1", "failed"),
        (b"<34>Nov 16 09:59:30 su: failed", "su", "10.1.1.1", "failed"),
        (b"<34>2026-11-16T09:59:30+00:00 web1 su: failed", "su", "web1", "failed"),
        (b"<34>Nov 16 09:59:30 web1 no tag here", "", "web1", "no tag here"),
        (b"<34>just words", "", "10.1.1.1", "just words"),
    ],
)
def test_the_old_standard_is_read_as_far_as_it_is_followed(message: bytes, service: str, host: str, text: str) -> None:
    """RFC 3164, with and without host, tag and time."""
    found = row(message, peer="10.1.1.1")

    assert (found["service"], found["message"], found["level"]) == (service, text, 21)
    assert found["attributes"]["host.name"] == host


@pytest.mark.parametrize("priority", range(192))
def test_every_priority_is_a_level(priority: int) -> None:
    """The severity is the priority's last three bits."""
    levels = [21, 21, 21, 17, 13, 9, 9, 5]

    assert row(b"<%d>x: y" % priority)["level"] == levels[priority % 8]


@pytest.mark.parametrize(
    "message", [b"<192>x", b"<>x", b"<9999>ERROR: x", b"ERROR: x", b"<abc>", b"\xff\xfe", b"1 2 3"]
)
def test_what_follows_no_standard_is_kept_as_it_is(message: bytes) -> None:
    """Whatever arrives is somebody's line."""
    assert row(message)["message"]


def test_a_clock_without_year_and_zone_is_checked_against_the_arrival() -> None:
    """New Year is not a year's skew, and a zone's difference is no time; both are counted as naive."""
    arrived = datetime(2027, 1, 1, 0, 0, 10, tzinfo=UTC)
    messages = [b"<13>Dec 31 23:59:58 h a: x", b"<13>Dec 31 18:59:58 h a: x", b"<13>Jan  1 00:00:08 h a: x"]

    read = syslog.parse(messages, LIMITS, arrived=arrived)

    assert read.logs is not None
    assert read.logs["time"].to_pylist() == [arrived - timedelta(seconds=12), None, arrived - timedelta(seconds=2)]
    assert read.altered["time_naive"] == 3


def test_invalid_text_is_replaced_and_counted() -> None:
    """A byte that is no text costs a character."""
    read = syslog.parse([b"<13>a: caf\xe9"], LIMITS, arrived=ARRIVED)

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["caf�"]
    assert read.altered["invalid_utf8"] == 1


STREAM = b"11 <13>1 count9 <13>b\nc d<14>a line\r\n<15>another\n\n<16>zero\0"
MESSAGES = [b"<13>1 count", b"<13>b\nc d", b"<14>a line\r", b"<15>another", b"<16>zero"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(STREAM)])
def test_a_stream_is_cut_the_same_whatever_its_pieces(size: int) -> None:
    """Octet counts and line ends may be mixed, and a piece may end anywhere."""
    framer = syslog.Framer(LIMITS)
    found = [message for start in range(0, len(STREAM), size) for message in framer.feed(STREAM[start : start + size])]

    assert found == MESSAGES
    assert framer.flush() == []


def test_the_end_of_a_stream_gives_what_is_left() -> None:
    """A last line without its end, and a counted message that was cut off, are still messages."""
    framer = syslog.Framer(LIMITS)

    assert framer.feed(b"<13>last words") == []
    assert framer.flush() == [b"<13>last words"]
    assert framer.feed(b"50 <13>cut off") == []
    assert framer.flush() == [b"<13>cut off"]
    assert framer.flush() == []


@pytest.mark.parametrize("counted", [True, False])
def test_a_message_without_end_costs_no_memory(counted: bool) -> None:
    """It is handed out up to the limit, the rest is skipped, and the next message is whole again."""
    limits = IngestLimits(frame_bytes_max=100)
    framer = syslog.Framer(limits)
    long = b"<13>" + b"x" * 5_000
    stream = (b"%d " % len(long) + long if counted else long + b"\n") + b"<14>after\n"

    found = [message for start in range(0, len(stream), 64) for message in framer.feed(stream[start : start + 64])]

    assert found == [long[:100], b"<14>after"]
    assert framer.cut_count == 1
