"""Questions outside of everything that can be answered never get a no."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.questions import asked, desk_of, seeded

from hindcast.ask.events import EndedBy
from hindcast.ask.everyday import examples
from hindcast.toolbox import Desk

OUTSIDE = """
what is the capital of France?
who won the world cup?
why is the sky blue?
what time is it?
how do I cook pasta?
write me a poem about autumn
translate “good morning” into French
tell me a joke
what is the weather tomorrow?
can you book a meeting room for Friday?
hello
thank you very much
restart payment please
deploy user to production
scale the gateway to ten pods
how many incidents will we have next week?
which customers complained the loudest?
how much money did we lose?
what does Hindcast cost?
which incidents cost more than 1000 euros?
how many deploys did we do in October?
who wrote the billing service?
who broke kafka?
is it safe to go home now?
what should I not try when cooking rice?
what usually fixes a bad mood?
what goes together with cheese?
when will payment be fixed?
how many users are affected?
what is our SLO for checkout?
how much error budget is left?
is Paris ok?
how is your mother doing?
show me the CPU of payment
show me the dashboards of redis
what is the p99 latency of checkout?
which version of payment is running?
which pods are restarting?
what is the password of the database?
delete all incidents
close all alerts
assign this to priya
when is the next release?
will it happen again?
should we switch to another cloud?
how many engineers work here?
is friday a good day to deploy?
what is a bloom filter?
explain the CAP theorem to me
what happened to the dinosaurs?
who should win the election?
did anybody buy milk?
compare apples and oranges
which services are written in Go?
what is wrong with politicians?
""".strip().splitlines()
NO = ("No incident", "Not seen before", "not seen before", "Nothing recorded", "Nobody", "Nothing ")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk on a year of history."""
    with seeded(tmp_path_factory.mktemp("outside")) as memory:
        yield desk_of(memory)


@pytest.mark.parametrize("question", OUTSIDE)
def test_a_question_outside_gets_no_false_no(question: str, desk: Desk) -> None:
    """What was not understood is said to be so, with three questions that can be asked, and is no failure."""
    answer = asked(question, desk).answer

    assert not [sentence.text for sentence in answer.sentences if any(no in sentence.text for no in NO)]
    assert answer.ended_by is EndedBy.NOT_UNDERSTOOD, answer.sentences
    assert answer.sentences[0].text.startswith("I cannot answer that.")
    assert len(answer.suggestions) == 3
    assert set(answer.suggestions) <= set(examples())
    assert not answer.is_failure
    assert answer.uncited == 0


def test_what_a_search_finds_is_shown_beside(desk: Desk) -> None:
    """The words of a question that cannot be answered are searched for, and what is found cites its record."""
    answer = asked("which incidents about redis evictions cost us customers?", desk).answer

    assert answer.ended_by is EndedBy.NOT_UNDERSTOOD
    assert any("redis" in ref for sentence in answer.sentences for ref in sentence.citations)


@pytest.mark.parametrize(
    "failure",
    [
        "FluxCapacitorError: temporal displacement exceeded in quantum mode",
        "the teleporter is stuck and refuses passengers",
        "what did we do last time the teleporter was stuck?",
    ],
)
def test_a_described_failure_that_is_new_is_said_to_be_new(failure: str, desk: Desk) -> None:
    """Only to what describes a failure the answer is that it was not seen before."""
    answer = asked(failure, desk).answer

    assert answer.is_failure
    assert answer.sentences[0].text.startswith("Not seen before") or "Maybe related" in answer.sentences[0].text
