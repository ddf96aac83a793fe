"""How answers say things: ages, durations, lists, cut texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hindcast.reason.wording import age, duration, first_sentence, full_stop, last, listed, one_line, sentences, times

NOW = datetime(2026, 11, 16, 2, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=-40), "just now"),
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=12), "12 minutes ago"),
        (timedelta(minutes=89), "89 minutes ago"),
        (timedelta(hours=2), "2 hours ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(hours=23), "yesterday"),
        (timedelta(days=1, hours=1), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "2 weeks ago"),
        (timedelta(weeks=6), "6 weeks ago"),
        (timedelta(days=90), "3 months ago"),
        (timedelta(days=365), "12 months ago"),
        (timedelta(days=735), "2 years ago"),
    ],
)
def test_an_age_is_said_as_people_say_it(ago: timedelta, said: str) -> None:
    """Each age has the unit in which somebody would tell it."""
    assert age(NOW - ago, NOW) == said


def test_an_age_does_not_depend_on_the_timezone() -> None:
    """The same moment is equally long ago, wherever its clock stood."""
    then = NOW - timedelta(days=2)

    assert age(then.astimezone(timezone(timedelta(hours=9))), NOW) == age(then, NOW) == "2 days ago"


def test_the_last_time_is_told_by_its_month_when_it_is_long_ago() -> None:
    """Weeks are counted, months are named, and last year's month has its year."""
    assert last(NOW - timedelta(days=20), NOW) == "3 weeks ago"
    assert last(datetime(2026, 3, 3, tzinfo=UTC), NOW) == "in March"
    assert last(datetime(2024, 3, 3, tzinfo=UTC), NOW) == "in March 2024"
    assert last(datetime(2025, 11, 30, tzinfo=UTC), NOW) == "in November 2025"


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0.2, "less than a minute"),
        (1, "1 minute"),
        (34, "34 minutes"),
        (60, "1 hour"),
        (125, "2 hours 5 minutes"),
        (1440, "1 day"),
        (1530, "1 day 2 hours"),
    ],
)
def test_a_duration_has_at_most_two_units(minutes: float, said: str) -> None:
    """Nobody wants to know the minutes of a day."""
    assert duration(minutes) == said


def test_lists_and_counts_are_words() -> None:
    """Lists end with an and, long ones with how many more there are; twice has its own word."""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a", "b", "c", "d", "e", "f"], most=3) == "a, b, c and 3 more"
    assert listed([]) == ""
    assert [times(count) for count in (1, 2, 3)] == ["once", "twice", "3 times"]


def test_a_long_text_is_cut_between_words() -> None:
    """What is cut shows an ellipsis, never half a word, and never more than was allowed."""
    assert one_line("one two\n\tthree   four", 40) == "one two three four"
    assert one_line("one two three four", 12) == "one two…"
    assert len(one_line("x" * 1_000_000, 50)) == 50
    assert one_line("a " * 100_000, 20).endswith("…")
    assert one_line("short" + " " * 5_000, 20) == "short"


def test_sentences_end_where_people_end_them() -> None:
    """A dot inside a version, a path or an abbreviation of numbers ends nothing."""
    text = "Upgraded redis-py to 5.0.1 in app.worker. It held! Did it?  Yes: 3.5 days."

    assert sentences(text) == ("Upgraded redis-py to 5.0.1 in app.worker.", "It held!", "Did it?", "Yes: 3.5 days.")
    assert first_sentence(text, 100) == "Upgraded redis-py to 5.0.1 in app.worker"
    assert sentences("接続を解放する。再起動する。") == ("接続を解放する。", "再起動する。")
    assert first_sentence("", 10) == ""


def test_a_full_stop_is_set_once() -> None:
    """What already ends as a sentence stays as it is."""
    assert [full_stop(text) for text in ("a", "a.", "a…", "")] == ["a.", "a.", "a…", ""]
