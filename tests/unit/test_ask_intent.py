"""How questions are read without a language model: times, intents, and what cannot change them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hindcast.ask.dates import spans_in, unknown_time, window_of
from hindcast.ask.intent import failure_in, intent_of

# A Monday.
NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)


def day(month: int, date: int, hour: int = 0, minute: int = 0, *, year: int = 2026) -> datetime:
    """A time in UTC."""
    return datetime(year, month, date, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "since", "until"),
    [
        ("yesterday", day(11, 15), day(11, 16)),
        ("the day before yesterday", day(11, 14), day(11, 15)),
        ("today", day(11, 16), NOW),
        ("last night", day(11, 15, 18), day(11, 16, 8)),
        ("last week", day(11, 9), day(11, 16)),
        ("this week", day(11, 16), NOW),
        ("last month", day(10, 1), day(11, 1)),
        ("last quarter", day(7, 1), day(10, 1)),
        ("last year", day(1, 1, year=2025), day(1, 1)),
        ("in the last 3 days", day(11, 13, 8, 30), NOW),
        ("6 weeks ago", day(10, 5), day(10, 6)),
        ("two hours ago", day(11, 16, 6, 30), day(11, 16, 6, 30)),
        ("on 3 November", day(11, 3), day(11, 4)),
        ("on the 3rd of November", day(11, 3), day(11, 4)),
        ("on November 3rd, 2025", day(11, 3, year=2025), day(11, 4, year=2025)),
        ("on 24 December", day(12, 24, year=2025), day(12, 25, year=2025)),
        ("on Friday", day(11, 13), day(11, 14)),
        ("in March", day(3, 1), day(4, 1)),
        ("in December", day(12, 1, year=2025), day(1, 1)),
        ("on 2026-10-05", day(10, 5), day(10, 6)),
        ("at 2026-10-05 12:30", day(10, 5, 12, 30), day(10, 5, 12, 30)),
        ("since Friday", day(11, 13), None),
        ("after 2026-10-05", day(10, 6), None),
        ("before 2026-10-05", None, day(10, 5)),
        ("until 2026-10-05", None, day(10, 6)),
        ("between 2026-10-01 and 2026-10-05", day(10, 1), day(10, 6)),
        ("between Tuesday and Friday", day(11, 10), day(11, 14)),
        ("between Monday and Friday", day(11, 9), day(11, 14)),
    ],
)
def test_times_are_read_as_people_say_them(said: str, since: datetime | None, until: datetime | None) -> None:
    """A time in words becomes a stretch of time in UTC, and leaves the rest of the question alone."""
    spans, rest = spans_in(f"what happened {said} in payment", NOW)

    window = window_of(spans, NOW)
    assert (window.since, window.until) == (since, until)
    assert rest.replace("between and ", "") == "what happened in payment"


@pytest.mark.parametrize(
    "said",
    [
        "we may have",
        "on 31 November",
        "last time",
        "version 2026-10-01x",
        "the second of 5",
        "in 3 services",
        "marching",
    ],
)
def test_what_is_no_time_is_left_alone(said: str) -> None:
    """Words that only look like a time are kept as they are."""
    assert spans_in(said, NOW) == ((), said)


def test_a_time_that_only_people_know_is_said_to_be_unknown() -> None:
    """`before the deploy` is not guessed at: the answer says that it was left aside."""
    intent = intent_of("what did we know about redis before the deploy?", NOW)

    assert unknown_time("before the deploy") == "before the deploy"
    assert (intent.tool, intent.arguments) == ("recall", {"text": "redis"})
    assert intent.notes == ("“before the deploy” names no time that is known here, so it was left aside.",)


@pytest.mark.parametrize(
    ("question", "tool", "arguments"),
    [
        ("What did we do last time payment lost redis?", "recall", {"text": "payment lost redis"}),
        ('have we seen "connection reset by peer" before?', "recall", {"text": "connection reset by peer"}),
        ("why does payment time out?", "recall", {"text": "payment time out"}),
        ("payments are slow and customers complain", "recall", {"text": "payments are slow and customers complain"}),
        (
            "what should I not try when redis resets connections",
            "what_not_to_try",
            {"text": "redis resets connections"},
        ),
        ("What not to try for pool exhausted?", "what_not_to_try", {"text": "pool exhausted"}),
        ("what made it worse when the pool was exhausted?", "what_not_to_try", {"text": "pool was exhausted"}),
        ("What usually fixes redis?", "resolution_patterns", {"about": "redis"}),
        ("hi, please tell me what usually helps with OOMKilled", "resolution_patterns", {"about": "OOMKilled"}),
        ("how do we usually fix certificate expiry", "resolution_patterns", {"about": "certificate expiry"}),
        ("which services fail together with database?", "error_correlations", {"about": "database"}),
        ("what else breaks when redis is down?", "error_correlations", {"about": "redis"}),
        ("who knows about the card network?", "recall", {"text": "card network"}),
        ("whom should I call about kafka lag?", "recall", {"text": "kafka lag"}),
        ("what changed since yesterday?", "memory_diff", {"before": "2026-11-15T00:00:00+00:00"}),
        (
            "what did we learn between 2026-10-01 and 2026-10-05?",
            "memory_diff",
            {"before": "2026-10-01T00:00:00+00:00", "after": "2026-10-06T00:00:00+00:00"},
        ),
        ("list open incidents", "search_incidents", {"state": "open", "count_max": 8}),
        ("show me the latest outages", "search_incidents", {"state": "any", "count_max": 8}),
        (
            "how many incidents did payment have in October?",
            "search_incidents",
            {
                "state": "any",
                "count_max": 8,
                "services": ["payment"],
                "since": "2026-10-01T00:00:00+00:00",
                "until": "2026-11-01T00:00:00+00:00",
            },
        ),
        (
            "what happened yesterday?",
            "search_incidents",
            {
                "state": "any",
                "count_max": 8,
                "since": "2026-11-15T00:00:00+00:00",
                "until": "2026-11-16T00:00:00+00:00",
            },
        ),
        (
            "what did we know on 3 November about redis evictions?",
            "recall",
            {"text": "redis evictions", "at": "2026-11-04T00:00:00+00:00"},
        ),
        ("what did we know yesterday?", "search_incidents", {"count_max": 8, "at": "2026-11-16T00:00:00+00:00"}),
        ("is there a runbook for disk full?", "memory_search", {"words": "disk full", "namespace": "runbooks"}),
        ("past-redis-worker-pool", "incident_get", {"incident": "past-redis-worker-pool"}),
        ("what should we avoid in past-redis-worker-pool?", "what_not_to_try", {"incident": "past-redis-worker-pool"}),
        ("anything similar to inc-20261115-0203-payment?", "recall", {"incident": "inc-20261115-0203-payment"}),
    ],
)
def test_a_question_goes_to_the_tool_that_answers_it(question: str, tool: str, arguments: dict[str, object]) -> None:
    """How a question begins decides the tool; what it is about becomes its arguments."""
    intent = intent_of(question, NOW)

    assert (intent.tool, dict(intent.arguments)) == (tool, arguments)
    assert intent.reading


@pytest.mark.parametrize(
    "pasted",
    [
        "ConnectionResetError: [Errno 104] who knows about everything?",
        "2026-11-16 02:03:11 ERROR payment: list open incidents",
        "[ERROR] what usually fixes redis?",
        '{"level": "error", "message": "what changed since yesterday?"}',
        "Traceback (most recent call last):\nValueError: what not to try?",
        "java.lang.IllegalStateException: what should I not try?\n\tat com.example.A.b(A.java:3)",
    ],
)
def test_what_was_pasted_is_recalled_as_it_is(pasted: str) -> None:
    """A machine's text is what the question is about, whatever question stands in it."""
    intent = intent_of(pasted, NOW)

    assert (intent.tool, intent.arguments["text"]) == ("recall", pasted)


@pytest.mark.parametrize(
    "said",
    [
        "billing ran twice at 02:30 last night, clocks went back",
        "login takes seconds since the security release, cpu all in bcrypt",
        "our own tls cert on notification ran out, the self check fails",
        "2026-11-14T02:03:04.837Z user INFO GET /internal/users 200\n2026-11-14T02:03:05Z payment ERROR reset by peer",
    ],
)
def test_a_failure_in_words_is_recalled_as_it_is(said: str) -> None:
    """What begins like no question loses no word, so that `ask` and `recall` say the same to it."""
    intent = intent_of(said, NOW)

    assert (intent.tool, intent.arguments) == ("recall", {"text": said})


def test_what_stands_below_a_question_does_not_change_it() -> None:
    """A question above a paste decides the tool, and the paste is what it is about."""
    pasted = "ERROR list open incidents\nERROR what changed since yesterday? who knows about it?"
    intent = intent_of(f"What should I not try here?\n{pasted}", NOW)

    assert (intent.tool, dict(intent.arguments)) == ("what_not_to_try", {"text": pasted})


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        ("What fixed the redis resets", "redis resets"),
        ("have we seen connection reset by peer before?", "connection reset by peer"),
        ("what did we know about redis on 2026-06-01", "what did we know about redis on 2026-06-01"),
        ("what happened in inc-20261115-0203-payment?", "what happened in inc-20261115-0203-payment?"),
        (
            "ConnectionResetError: [Errno 104] Connection reset by peer",
            "ConnectionResetError: [Errno 104] Connection reset by peer",
        ),
    ],
)
def test_recall_reads_a_question_as_ask_does(said: str, failure: str) -> None:
    """What only asks is no part of a failure; what names a moment or an incident, or is none, stays as it is."""
    assert failure_in(said, NOW) == failure
