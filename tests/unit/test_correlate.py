"""What goes together in time: counted against chance, and silent where there is too little."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hindcast.reason.correlate import Occasion, followed, together, troubled

START = datetime(2026, 11, 15, tzinfo=UTC)
AUTH, PAYMENT, USER = ("service", "auth"), ("service", "payment"), ("service", "user")


def occasion(number: int, *things: tuple[str, str], seconds: dict[tuple[str, str], int] | None = None) -> Occasion:
    """Something that happened, with these things in it."""
    first = {thing: START + timedelta(seconds=later) for thing, later in (seconds or {}).items()}
    return Occasion(f"cases/{number}@1", frozenset(things), first)


def test_two_things_that_always_meet_are_told_with_their_lift() -> None:
    """Three of six occasions have both, and neither is ever alone: twice as often as chance would have it."""
    occasions = [*(occasion(n, AUTH, PAYMENT) for n in range(3)), *(occasion(n, USER) for n in range(3, 6))]

    (pair,) = together(occasions)

    assert {pair.one, pair.other} == {AUTH, PAYMENT}
    assert (pair.together, pair.one_count, pair.other_count, pair.occasions, pair.lift) == (3, 3, 3, 6, 2.0)
    assert pair.evidence == ("cases/2@1", "cases/1@1", "cases/0@1")


def test_what_meets_as_often_as_strangers_is_not_told() -> None:
    """Things that are everywhere go together with everything, which says nothing."""
    assert together([occasion(n, AUTH, PAYMENT) for n in range(10)]) == ()


def test_two_meetings_are_not_enough() -> None:
    """Fewer than three shared occasions are chance."""
    occasions = [*(occasion(n, AUTH, PAYMENT) for n in range(2)), *(occasion(n, USER) for n in range(2, 9))]

    assert together(occasions) == ()
    assert len(together(occasions, together_min=2)) == 1


def test_what_shows_first_is_told_first() -> None:
    """Where onsets are known, the order and the middle delay are told."""
    delays = (20, 30, 100)
    occasions = [occasion(n, AUTH, PAYMENT, seconds={PAYMENT: 0, AUTH: delay}) for n, delay in enumerate(delays)]

    (pair,) = together([*occasions, *(occasion(n, USER) for n in range(3, 9))])

    assert (pair.one, pair.other, pair.seconds_later) == (PAYMENT, AUTH, 30)


def test_a_question_about_one_thing_is_answered_about_it() -> None:
    """Only pairs that have the thing in them are told."""
    occasions = [
        *(occasion(n, AUTH, PAYMENT) for n in range(3)),
        *(occasion(n, USER, ("component", "redis")) for n in range(3, 6)),
        *(occasion(n) for n in range(6, 12)),
    ]

    assert len(together(occasions)) == 2
    assert [pair.other for pair in together(occasions, about=frozenset({USER}))] == [USER]


def test_a_change_that_trouble_follows_is_told() -> None:
    """Three of four deploys were followed by trouble within half an hour, in a day that was otherwise quiet."""
    deploys = [(START + timedelta(hours=hour), "deploy of auth") for hour in (2, 8, 14, 20)]
    troubles = {"payment": [at + timedelta(minutes=10) for at, _ in deploys[:3]]}

    (found,) = followed(deploys, troubles, since=START, until=START + timedelta(days=1), within=timedelta(minutes=30))

    assert (found.change, found.service, found.times, found.of) == ("deploy of auth", "payment", 3, 4)
    # Trouble lies within reach of an hour and a half of the day.
    assert found.lift == pytest.approx(0.75 / (1.5 / 24), rel=0.01)


def test_trouble_all_day_follows_from_no_change() -> None:
    """Where there is always trouble, a change before it says nothing."""
    deploys = [(START + timedelta(hours=hour), "deploy") for hour in range(1, 20)]
    troubles = {"payment": [START + timedelta(minutes=5 * step) for step in range(288)]}

    assert followed(deploys, troubles, since=START, until=START + timedelta(days=1), within=timedelta(minutes=30)) == ()


def test_trouble_is_measured_by_a_services_own_noise() -> None:
    """Twenty errors are trouble for a silent service and none for a noisy one."""
    steps = [START + timedelta(minutes=5 * step) for step in range(12)]
    quiet, noisy = dict.fromkeys(steps, 0), dict.fromkeys(steps, 20)
    quiet[steps[3]] = 20

    assert troubled({"quiet": quiet, "noisy": noisy, "silent": dict.fromkeys(steps, 0)}) == {"quiet": (steps[3],)}
