"""Times: every usual spelling is read to one moment, and clocks that cannot be right are set to the arrival."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest

from hindcast.ingest.times import Reading, leading_time, normalised, read_time, trusted
from hindcast.model.columns import TIME
from hindcast.model.ingest_limits import IngestLimits

NOW = datetime(2026, 11, 16, 0, 3, 28, tzinfo=UTC)
EXACT = datetime(2026, 11, 16, 0, 3, 28, 123_456, tzinfo=UTC)
LIMITS = IngestLimits()


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-11-16T00:03:28Z", NOW),
        ("2026-11-16T00:03:28.123456Z", EXACT),
        ("2026-11-16T00:03:28.123456789Z", EXACT),
        ("2026-11-16T02:03:28+02:00", NOW),
        ("2026-11-16T02:03:28+0200", NOW),
        ("2026-11-15T19:03:28-05", NOW),
        ("2026-11-16 00:03:28 UTC", NOW),
        ("2026-11-16 00:03:28 +0000", NOW),
        ("16/Nov/2026:02:03:28 +0200", NOW),
        ("Mon, 16 Nov 2026 00:03:28 GMT", NOW),
        (1_794_787_408, NOW),
        ("1794787408", NOW),
        (1_794_787_408_000, NOW),
        (1_794_787_408_123_456, EXACT),
        (1_794_787_408_123_456_789, EXACT),
        ("1794787408123456789", EXACT),
        (1_794_787_408.5, NOW + timedelta(milliseconds=500)),
        ("1794787408.500", NOW + timedelta(milliseconds=500)),
    ],
)
def test_a_time_with_a_zone_is_that_moment(written: str | float, at: datetime) -> None:
    """Text with a zone, and numbers since 1970 in any unit, are read without a guess."""
    assert read_time(written) == Reading(at)


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-16T00:03:28",
        "2026-11-16 00:03:28",
        "2026/11/16 00:03:28",
        "2026-11-16 00:03:28,000",
        "Nov 16 00:03:28",
        "Mon Nov 16 00:03:28 2026",
        "16-Nov-2026 00:03:28",
    ],
)
def test_a_time_without_a_zone_is_marked_as_a_guess(written: str) -> None:
    """It is read in the zone that is given, UTC if none is, and says so."""
    assert read_time(written, near=NOW) == Reading(NOW, naive=True)
    east = timezone(timedelta(hours=2))
    assert read_time(written, near=NOW, zone=east) == Reading(NOW - timedelta(hours=2), naive=True)


def test_a_date_without_a_year_is_the_nearest() -> None:
    """December's messages that arrive in January are last year's, and the other way round."""
    january = datetime(2027, 1, 1, 0, 0, 5, tzinfo=UTC)

    old = read_time("Dec 31 23:59:58", near=january)
    ahead = read_time("Jan  1 00:00:02", near=january - timedelta(seconds=10))

    assert old is not None
    assert old.at == datetime(2026, 12, 31, 23, 59, 58, tzinfo=UTC)
    assert ahead is not None
    assert ahead.at == datetime(2027, 1, 1, 0, 0, 2, tzinfo=UTC)
    assert read_time("Feb 29 00:00:00", near=datetime(2028, 3, 1, tzinfo=UTC)) is not None
    assert read_time("Nov 16 00:03:28") is None


@pytest.mark.parametrize(
    "nonsense",
    [
        *(None, "", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30", "25:00:00", 0, -5, float("nan"), float("inf")),
        *("0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "2026-11-16T25:00:00Z"),
        *(True, "12", "9" * 40, "2026-11-16T00:03:28Z and more", "x" * 1_000, "0000-00-00", 10**30, "Foo 12 10:00:00"),
    ],
)
def test_nonsense_is_no_time(nonsense: str | float | None) -> None:
    """What names no moment gives none; it never raises."""
    assert read_time(nonsense, near=NOW) is None


def test_a_leap_second_is_the_last_of_its_minute() -> None:
    """A clock that shows 60 is right once in a while."""
    assert read_time("2016-12-31T23:59:60Z") == Reading(datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC))


def test_a_line_starts_with_its_time() -> None:
    """The time at the start of a line is found with the place where it ends."""
    found = leading_time("2026-11-16 00:03:28,123 ERROR boom")

    assert found is not None
    assert found[0].at == NOW + timedelta(milliseconds=123)
    assert "2026-11-16 00:03:28,123 ERROR boom"[found[1] :] == " ERROR boom"
    assert leading_time("ERROR at 2026-11-16 00:03:28") is None
    assert leading_time("10.0.0.1 - - GET /") is None


def test_a_naive_clock_in_another_zone_is_not_believed() -> None:
    """Five hours behind is New York taken for UTC; a minute behind is a line that took a minute."""
    far, close = NOW - timedelta(hours=5), NOW - timedelta(minutes=1)

    assert trusted(Reading(far, naive=True), arrived=NOW, limits=LIMITS) is None
    assert trusted(Reading(far + timedelta(hours=10), naive=True), arrived=NOW, limits=LIMITS) is None
    assert trusted(Reading(close, naive=True), arrived=NOW, limits=LIMITS) == close
    assert trusted(Reading(far), arrived=NOW, limits=LIMITS) == far
    assert trusted(Reading(far, naive=True), arrived=None, limits=LIMITS) == far
    assert trusted(None, arrived=NOW, limits=LIMITS) is None


def test_impossible_clocks_are_set_to_the_arrival_and_counted() -> None:
    """1970, 2200 and no time at all become the arrival; the edges of what is allowed stay as they are."""
    ahead, behind = timedelta(seconds=LIMITS.ahead_seconds_max), timedelta(seconds=LIMITS.behind_seconds_max)
    sound = [NOW, NOW + ahead, NOW - behind]
    skewed = [
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2200, 1, 1, tzinfo=UTC),
        NOW + ahead + timedelta(microseconds=1),
        NOW - behind - timedelta(microseconds=1),
    ]

    result = normalised(pa.array([*sound, *skewed, None], TIME), NOW, LIMITS)

    assert result.times.to_pylist() == [*sound, *([NOW] * 5)]
    assert (result.skewed, result.missing, result.naive) == (4, 1, 0)
    assert result.times.type == TIME
    assert result.times.null_count == 0


def test_a_column_without_a_zone_is_counted_as_naive() -> None:
    """Arrow's times without a zone are taken for UTC, and whoever asked is told how many."""
    naive = pa.array([NOW.replace(tzinfo=None), None], pa.timestamp("us"))

    result = normalised(naive, NOW, LIMITS)

    assert result.times.to_pylist() == [NOW, NOW]
    assert (result.skewed, result.missing, result.naive) == (0, 1, 1)


def test_no_times_are_no_trouble() -> None:
    """An empty batch, and a chunked one, are normalised as well."""
    assert len(normalised(pa.array([], TIME), NOW, LIMITS).times) == 0
    assert normalised(pa.chunked_array([[NOW], [NOW]], TIME), NOW, LIMITS).times.to_pylist() == [NOW, NOW]
