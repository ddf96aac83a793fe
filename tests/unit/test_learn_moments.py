"""Times and durations are read as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from hindcast.learn.moments import minutes_in, moments_in, range_in, zone_of

DAY = date(2026, 3, 2)


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Fault occurs 2020-04-15 07:15", "2020-04-15T07:15"),
        ("2026-11-15T02:03:04Z first error", "2026-11-15T02:03:04"),
        ("2026-11-15T02:03:04+02:00", "2026-11-15T00:03:04"),
        ("20141128T1140 report", "2014-11-28T11:40"),
        ("21 Nov 2016 at 16:15 UTC", "2016-11-21T16:15"),
        ("16:15 UTC on 21 November 2016", "2016-11-21T16:15"),
        ("Mar 1 17:58 index frozen", "2026-03-01T17:58"),
        ("November 21st, 2016 4pm PST", "2016-11-22T00:00"),
        ("[14:05 UTC] restarted", "2026-03-02T14:05"),
        ("14:05 - restarted", "2026-03-02T14:05"),
        ("12/23/2016", "2016-12-23T00:00"),
        ("23/12/2016", "2016-12-23T00:00"),
    ],
)
def test_a_moment_is_read_in_every_style(text: str, wanted: str) -> None:
    """Days and clocks in the usual orders, with or without a zone, give one moment."""
    assert [one.at for one in moments_in(text, day=DAY)] == [at(wanted)]


@pytest.mark.parametrize(
    "text", ["version 2.4.1 build 20", "10.0.0.1:8080", "ratio 16:9000", "2026-13-45", "error 404"]
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    """Versions, addresses and impossible days are no times."""
    assert moments_in(text, day=DAY) == ()


def test_a_time_without_a_zone_says_so() -> None:
    """A guessed zone is told apart from a given one, and a page may give one for all."""
    assert [one.naive for one in moments_in("14:05, then 14:06 UTC", day=DAY)] == [True, False]
    zone = zone_of("All times are in PST")
    assert zone == timezone(timedelta(hours=-8))
    (one,) = moments_in("14:05", day=DAY, zone=zone)
    assert (one.at, one.naive) == (at("2026-03-02T22:05"), False)


def test_a_clock_without_a_day_is_left_out() -> None:
    """Where no day is known, a clock names no moment."""
    assert moments_in("restarted at 14:05") == ()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Between 16:15 UTC and 22:20 UTC on 21 Nov 2016, users", "2016-11-21T16:15", "2016-11-21T22:20"),
        ("between about 20:00 UTC on 08 Dec 2016 and 00:47 UTC on 09 Dec 2016", "2016-12-08T20:00", "2016-12-09T00:47"),
        ("from 2026-03-02 14:03 to 14:37 UTC", "2026-03-02T14:03", "2026-03-02T14:37"),
        ("Between 23:50 and 00:20 UTC on 5 March 2024", "2024-03-04T23:50", "2024-03-05T00:20"),
        ("From 10:00am to 2pm PST on Jan 5th, 2024", "2024-01-05T18:00", "2024-01-05T22:00"),
    ],
)
def test_a_range_has_two_ends(text: str, first: str, last: str) -> None:
    """A day or a zone that is given once counts for both ends, over midnight too."""
    found = range_in(text)

    assert found is not None
    assert (found[0].at, found[1].at) == (at(first), at(last))


@pytest.mark.parametrize("text", ["between the two clusters", "from 3 to 9 replicas", "from Monday to Friday"])
def test_other_ranges_are_none(text: str) -> None:
    """Not everything between two things is a time."""
    assert range_in(text, day=DAY) is None


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("0h 16m", 16),
        ("34 minutes", 34),
        ("7h (during support hours)", 420),
        ("1 hour and 5 minutes", 65),
        ("two hours", 120),
        ("1.5 hours", 90),
        ("01:34", 94),
        ("half an hour", 30),
        ("2 days", 2880),
        ("90 seconds", 1.5),
        ("unknown", None),
    ],
)
def test_a_duration_is_read_in_minutes(text: str, minutes: float | None) -> None:
    """Durations in the usual styles give minutes; what is none gives nothing."""
    assert minutes_in(text) == minutes
