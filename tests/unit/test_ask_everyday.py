"""Everyday questions over the demo's year: each is understood in several forms and answered from the right records."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.questions import NOW, Asked, asked, desk_of, seeded

from hindcast.ask.events import EndedBy
from hindcast.ask.everyday import Asks, everyday, examples
from hindcast.toolbox import Desk

SERVICES = frozenset(
    {"payment", "user", "auth", "database", "analytics", "notification", "api-gateway", "kafka", "redis"}
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk on a year of history."""
    with seeded(tmp_path_factory.mktemp("everyday")) as memory:
        yield desk_of(memory)


FORMS = {
    Asks.HELP: ["help", "what can I ask?", "what questions do you understand?"],
    Asks.OPEN: [
        "what is broken right now?",
        "What's broken?",
        "is anything on fire",
        "what incidents are open",
        "list open incidents",
        "are we down?",
        "is everything ok?",
        "how many open incidents are there?",
        "hi, please tell me which services are down at the moment",
        "any ongoing outages?",
    ],
    Asks.SERVICE: [
        "what is happening with payment?",
        "how is payment doing?",
        "is auth down?",
        "status of the payment service",
    ],
    Asks.MUTED: ["what is muted?", "is payment muted?", "which services are silenced?"],
    Asks.NEWEST: [
        "show me the last 3 incidents",
        "the latest payment incident",
        "what was the last outage of kafka?",
        "what broke last?",
    ],
    Asks.COUNT: [
        "how many incidents did payment have in October?",
        "how many incidents were there last month?",
        "number of kafka incidents",
        "how often did payment break in October?",
    ],
    Asks.MOST: [
        "which service breaks the most",
        "what fails most often?",
        "which service had the most incidents in October?",
    ],
    Asks.USUAL_DURATION: [
        "how long does a kafka outage usually take",
        "what is the median time to resolve?",
        "mttr of payment",
        "how long does it take to fix a redis problem?",
    ],
    Asks.DURATION: ["how long did the kafka disk outage take?"],
    Asks.FIXED: ["who fixed the kafka disk problem and how", "how was the kafka disk problem solved?"],
    Asks.ON_CALL: ["who is on call", "Who's on call tonight?", "whom should I page?", "who has the pager?"],
    Asks.CHANGED: ["what changed before the last payment incident", "what was deployed before the latest incident?"],
    Asks.WHERE: ["on which service was the last incident?", "which services were affected by the kafka disk problem?"],
    Asks.SINCE: [
        "since when is payment broken?",
        "when did payment last fail?",
        "when was the last incident?",
        "when did the current incident begin?",
    ],
    Asks.COMPARE: [
        "compare September and October",
        "more incidents this month than last month?",
        "October vs September",
    ],
    Asks.LEARNT_FROM: ["what did we learn from the kafka disk outage?", "lessons learned from the auth drain"],
    Asks.EXTREME: [
        "what was the longest incident in September?",
        "which incident took the longest?",
        "our worst outage",
    ],
    Asks.UNEXPLAINED: [
        "which incidents have no cause?",
        "unresolved incidents without a known cause",
        "what is still unexplained?",
    ],
    Asks.SEVERITY: ["which critical incidents were there in September?", "list major incidents of payment"],
    Asks.SEEN: ["was connection reset by peer seen before?", "has OOMKilled happened before?"],
    Asks.BEST_FIX: ["which fix works best for redis?", "what is the best fix for kafka lag?"],
    Asks.WHAT_TO_DO: ["what should I do when redis resets connections?", "how to fix an expired certificate"],
}


@pytest.mark.parametrize(("asks", "question"), [(asks, one) for asks, forms in FORMS.items() for one in forms])
def test_an_everyday_question_is_understood_in_several_forms(asks: Asks, question: str) -> None:
    """Each intent of the table is recognised however people put it."""
    found = everyday(question, NOW, SERVICES.__contains__)

    assert found is not None
    assert found.asks is asks


def test_every_intent_has_an_example_that_it_answers() -> None:
    """What is offered to somebody who was not understood is understood."""
    found = [everyday(one, NOW, SERVICES.__contains__) for one in examples()]

    assert [one.asks for one in found if one is not None] == list(dict.fromkeys(one.asks for one in found if one))
    assert len(found) == len([one for one in found if one is not None])
    assert {one.asks for one in found if one is not None} == set(Asks) - {Asks.COMPARE}


@pytest.mark.parametrize("question", ["how many incidents did marketing have?", "is Paris down?", "mttr of the office"])
def test_a_name_that_no_service_has_is_another_question(question: str) -> None:
    """A question about what is not watched is not answered as if it were about everything."""
    assert everyday(question, NOW, SERVICES.__contains__) is None


@pytest.mark.parametrize(
    ("question", "first", "cites"),
    [
        ("what is broken right now?", "2 incidents are open:", {"past-unclear-segfault", "past-unclear-lost-events"}),
        ("what incidents are open", "2 incidents are open:", {"past-unclear-segfault", "past-unclear-lost-events"}),
        ("is anything on fire", "2 incidents are open:", {"past-unclear-segfault", "past-unclear-lost-events"}),
        (
            "show me the last 3 incidents",
            "The 3 newest incidents:",
            {"past-notification-silent-2", "past-kafka-rebalance-notification", "past-pg-idle-analytics-notebook"},
        ),
        ("which service breaks the most", "Over 179 incidents, counted for each service:", set()),
        (
            "how long does a kafka outage usually take",
            "Median 47 minutes over 13 resolved incidents of kafka.",
            {"past-kafka-lag-slow-db"},
        ),
        ("who is on call", "Hindcast does not know who is on call", {"past-notification-silent-2"}),
        (
            "what changed before the last payment incident",
            "The newest incident of payment is “redis refuses writes: MISCONF, disk full”, 3 weeks ago.",
            {"past-redis-misconf-disk"},
        ),
        (
            "who fixed the kafka disk problem and how",
            "“kafka disk 97%”, 17 September 2026",
            {"past-kafka-disk-retention-bytes"},
        ),
        (
            "how many incidents did payment have in October?",
            "7 incidents of payment in October:",
            {"past-redis-worker-pool"},
        ),
        ("compare October and September", "October: 22 incidents, 3 fewer than September (25).", set()),
        (
            "how long did the bank certificate outage take",
            "“bank transfer API: certificate has expired”",
            {"past-cert-bank-expired"},
        ),
        (
            "which critical incidents were there in September?",
            "1 critical incident in September:",
            {"past-pg-idle-in-transaction"},
        ),
        (
            "what was the longest incident in September?",
            "The longest of 24 resolved incidents",
            {"past-payment-direct-memory"},
        ),
        ("which incidents have no known cause?", "3 incidents have no recorded cause:", {"past-unclear-segfault"}),
        ("is payment down?", "No incident of payment is open.", {"past-redis-misconf-disk"}),
        ("what did we learn from the kafka disk outage", "“kafka disk 97%”", {"past-kafka-disk-retention-bytes"}),
        ("when did payment last fail?", "No incident of payment is open now.", {"past-redis-misconf-disk"}),
        ("what should I not try when redis resets connections", "For “redis resets connections”, 1 action", set()),
    ],
)
def test_an_everyday_question_has_its_answer(question: str, first: str, cites: set[str], desk: Desk) -> None:
    """The first sentence answers, the records behind it are the right ones, and nothing else is without a record."""
    found = asked(question, desk)

    assert found.text.startswith(first)
    assert cites <= _cited(found)
    assert found.answer.uncited == 0
    assert found.answer.ended_by is EndedBy.ANSWERED


def test_who_fixed_it_is_told_from_one_record(desk: Desk) -> None:
    """The person, the words and the setting of a fix stand in the record that is cited for each of them."""
    answer = asked("who fixed the kafka disk problem and how", desk).answer

    told = [sentence.text for sentence in answer.sentences]
    assert "sven fixed it: “retention.bytes=20 GB on clickstream”." in told
    assert "Its setting: “retention.bytes=21474836480”." in told
    assert len({sentence.citations for sentence in answer.sentences}) == 1


def test_what_hindcast_words_itself_is_no_quotation(desk: Desk) -> None:
    """Quotation marks hold what somebody wrote; who took part and how is worded here."""
    text = asked("who knows about the card network?", desk).text

    assert "Ask priya: fixed it and found the cause, in August." in text


def test_the_past_is_asked_as_it_was_then(desk: Desk) -> None:
    """Asked as of a moment, an everyday question knows nothing that was learnt later."""
    answer = asked("how many incidents were there?", desk, at="2020-01-01").answer

    assert answer.sentences[0].text.startswith("Memory was empty")


def _cited(found: Asked) -> set[str]:
    refs = (ref for sentence in found.answer.sentences for ref in sentence.citations)
    return {ref.rpartition("/")[2].partition("@")[0] for ref in refs}
