"""Asking with a language model: a real loop over real tools against a real server that speaks the OpenAI protocol."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.openai_server import Endless, Fail, OpenAIServer, Raw, Say, Silence, openai_server, results_of
from tests.questions import asked, desk_of, seeded

from hindcast.adapters.llm_model import ModelLLM
from hindcast.ask import Asker, AskLimits
from hindcast.ask.events import Answer, EndedBy, Said
from hindcast.toolbox import TOOLS, Desk

QUESTION = "Why do payment workers lose redis?"
ERROR = "redis ConnectionResetError in payment"
REF = "cases/past-redis-worker-pool@160"
RECALL = Say("Let me look.", calls=[("recall", {"text": ERROR})])
ANSWER = Say(
    f"The payment workers did not release their redis connection. [{REF}] "
    f"Release it in the task teardown and cap the pool at 20. [past-redis-worker-pool]\n"
    f"Do not raise the pool size to 200: it made it worse. [{REF}]",
    tokens_in=900,
    tokens_out=60,
)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A server on this machine."""
    with openai_server() as made:
        yield made


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk on a year of history."""
    with seeded(tmp_path_factory.mktemp("ask")) as memory:
        yield desk_of(memory)


def is_from_tools(answer: Answer) -> bool:
    """Whether the tools answered instead of the model, and it is said."""
    return not answer.model and any("The tools answered instead." in note for note in answer.notes)


def test_an_answer_is_worded_by_the_model_and_rests_on_records(server: OpenAIServer, desk: Desk) -> None:
    """The model calls a tool, reads what it says, and each of its sentences rests on a record that the tool showed."""
    server.play(RECALL, ANSWER)

    found = asked(QUESTION, desk, server)

    answer = found.answer
    assert [sentence.citations for sentence in answer.sentences] == [(REF,)] * 3
    assert answer.sentences[2].text == "Do not raise the pool size to 200: it made it worse."
    assert (answer.ended_by, answer.model, answer.notes) == (EndedBy.ANSWERED, "openai:scripted", ())
    assert found.calls == ["recall"]
    assert (answer.costs.tokens_in, answer.costs.tokens_out, answer.costs.calls) == (1_000, 80, 1)


def test_sentences_are_told_as_soon_as_they_are_checked(server: OpenAIServer, desk: Desk) -> None:
    """What is said while it is answered is the checked sentence, never the raw words."""
    server.play(RECALL, ANSWER)

    said = [event.sentence for event in asked(QUESTION, desk, server).events if isinstance(event, Said)]

    assert said[0].text == "Let me look."
    assert not said[0].is_cited
    assert [sentence.citations for sentence in said[1:]] == [(REF,)] * 3


def test_a_model_is_offered_the_tools_that_only_read(server: OpenAIServer, desk: Desk) -> None:
    """The tools that write are not among those a model is told of."""
    server.play(RECALL, ANSWER)

    asked(QUESTION, desk, server)

    offered = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert offered == {tool.name for tool in TOOLS if tool.is_read_only}
    assert offered.isdisjoint({"attempt_record", "verdict_record"})


def test_question_and_results_are_data_between_marks(server: OpenAIServer, desk: Desk) -> None:
    """Each question has marks of its own, and whatever tools say stands between them."""
    server.play(RECALL, ANSWER)
    asked(QUESTION, desk, server)
    first = server.requests[-1]
    server.play(RECALL, ANSWER)
    asked(QUESTION, desk, server)
    second = server.requests[-1]

    marks = [results_of(one)[0].splitlines()[0] for one in (first, second)]
    assert marks[0] != marks[1]
    for mark, one in zip(marks, (first, second), strict=True):
        assert mark in one["messages"][0]["content"]
        assert one["messages"][1]["content"].startswith(mark)
        assert results_of(one)[0].endswith(mark.replace("<", "</"))


def test_sentences_without_a_record_are_marked_and_counted(server: OpenAIServer, desk: Desk) -> None:
    """What the model adds of its own is shown as uncited, and the answer says how much of it there is."""
    extra = " Redis is a popular cache. You might consider a bigger machine."
    server.play(RECALL, Say(f"The workers did not release their redis connection. [{REF}]{extra}"))

    answer = asked(QUESTION, desk, server).answer

    assert [sentence.is_cited for sentence in answer.sentences] == [True, False, False]
    assert answer.uncited == 2
    assert answer.notes == ("2 sentences rest on no record and are marked.",)


def test_invented_records_are_taken_out_and_counted(server: OpenAIServer, desk: Desk) -> None:
    """An id that no tool has shown is not in the answer, even when such a record exists."""
    words = "The workers did not release their redis connection. [{}]"
    ids = (REF, "inc-20250101-0000-payment", "past-kafka-lag-slow-db")
    server.play(RECALL, Say(" ".join(words.format(one) for one in ids)))

    answer = asked(QUESTION, desk, server).answer

    assert [sentence.citations for sentence in answer.sentences] == [(REF,), (), ()]
    assert "2 ids that no tool had shown were taken out." in answer.notes


def test_an_answer_that_cites_nothing_is_replaced_by_the_tools_own(server: OpenAIServer, desk: Desk) -> None:
    """A model that only talks is not listened to: the tools answer, and it is said."""
    server.play(Say("It is always DNS. Restart everything."))

    found = asked(QUESTION, desk, server)

    assert is_from_tools(found.answer)
    assert found.answer.ended_by is EndedBy.UNSUPPORTED
    assert "DNS" not in found.text
    assert found.answer.sentences[0].citations


BROKEN: dict[str, tuple[Any, EndedBy]] = {
    "a server that fails": (Fail(500), EndedBy.MODEL_FAILED),
    "a server that is busy": (Fail(429, headers={"Retry-After": "60"}), EndedBy.MODEL_FAILED),
    "a refused key": (Fail(401), EndedBy.MODEL_FAILED),
    "garbage": (Raw([b"data: {nonsense}\n\n"]), EndedBy.MODEL_FAILED),
    "a stream that is cut": (Raw([b'data: {"id": "1", "cho']), EndedBy.MODEL_FAILED),
    "no words at all": (Say(""), EndedBy.UNSUPPORTED),
    "words without end": (Endless("and so on and on " * 50), EndedBy.TOKENS),
}


@pytest.mark.parametrize("name", BROKEN)
def test_whatever_a_model_does_there_is_an_answer(server: OpenAIServer, desk: Desk, name: str) -> None:
    """A model that fails, before or after its first call, costs the wording and not the answer."""
    act, ended_by = BROKEN[name]
    for acts in ((act,), (RECALL, act)):
        server.play(*acts)

        answer = asked(QUESTION, desk, server).answer

        # A cut stream may also look like one that ended without a word.
        assert answer.ended_by in (ended_by, EndedBy.UNSUPPORTED)
        assert is_from_tools(answer)
        assert answer.sentences


def test_time_is_kept(server: OpenAIServer, desk: Desk) -> None:
    """A model that falls silent is given up when the time is up, and the tools answer."""
    server.play(RECALL, Silence("The workers did "))

    answer = asked(QUESTION, desk, server, seconds_max=1.5).answer

    assert answer.ended_by is EndedBy.SECONDS
    assert is_from_tools(answer)


def test_calls_are_kept(server: OpenAIServer, desk: Desk) -> None:
    """A model that only ever calls gets so many calls, is then asked for an answer without tools, and is given up."""
    server.play(lambda request: Say("", calls=[("recall", {"text": f"{ERROR} {len(request['messages'])}"})]))

    found = asked(QUESTION, desk, server, calls_max=3)

    assert found.answer.ended_by is EndedBy.CALLS
    assert is_from_tools(found.answer)
    assert len(server.requests) == 4
    assert "tools" not in server.requests[-1]


def test_many_calls_at_once_count_each(server: OpenAIServer, desk: Desk) -> None:
    """A hundred calls in one reply are not a hundred calls made."""
    many = [("search_incidents", {"words": f"redis {number}"}) for number in range(100)]
    server.play(Say("", calls=many), ANSWER)

    found = asked(QUESTION, desk, server, calls_max=5)

    assert found.calls.count("search_incidents") <= 5


def test_the_same_call_again_is_not_made_again(server: OpenAIServer, desk: Desk) -> None:
    """A model that repeats itself is told what it was told, and it counts."""
    server.play(RECALL, RECALL, ANSWER)

    found = asked(QUESTION, desk, server)

    assert found.answer.costs.calls == 2
    assert results_of(server.requests[-1])[1].startswith("You have made this call before.")


@pytest.mark.parametrize("tokens_max", [300, 3_000, 6_000])
def test_tokens_are_kept_by_our_own_count(server: OpenAIServer, desk: Desk, tokens_max: int) -> None:
    """A server that counts nothing cannot make a question cost more than it may."""
    server.play(
        lambda request: Say(
            "", calls=[("recall", {"text": f"{ERROR} {len(request['messages'])}"})], tokens_in=0, tokens_out=0
        )
    )

    answer = asked(QUESTION, desk, server, tokens_max=tokens_max, calls_max=100).answer

    assert answer.ended_by is EndedBy.TOKENS
    assert answer.costs.tokens_in + answer.costs.tokens_out <= tokens_max
    assert is_from_tools(answer)


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("recal", {"text": "x"}, "There is no tool 'recal'"),
        ("recall", "{not json", "not JSON"),
        ("recall", "[1, 2]", "no object"),
        ("recall", {}, "Nothing is asked"),
        ("recall", {"text": "x", "tokens_max": "lots"}, "tokens_max"),
        ("incident_get", {"incident": "inc-0"}, "There is no incident 'inc-0'"),
        ("memory_search", {"words": "x", "at": "the day of the deploy"}, "is no time"),
    ],
)
def test_a_wrong_call_is_explained_and_the_conversation_goes_on(
    server: OpenAIServer, desk: Desk, tool: str, arguments: Any, says: str
) -> None:
    """A call that cannot be made is answered with what is wrong, and the model may do better."""
    server.play(Say("", calls=[(tool, arguments)]), RECALL, ANSWER)

    found = asked(QUESTION, desk, server)

    assert found.refused == [tool]
    assert says in results_of(server.requests[-1])[0]
    assert found.answer.model == "openai:scripted"


def test_the_past_is_asked_whatever_the_model_asks_for(server: OpenAIServer, desk: Desk) -> None:
    """A question as of a moment sees nothing later, even if the model asks for now."""
    server.play(Say("", calls=[("recall", {"text": ERROR, "at": "now"})]), ANSWER)

    found = asked(QUESTION, desk, server, at="2026-11-01")

    assert "Nothing like it is remembered" in results_of(server.requests[-1])[0]
    assert found.answer.ended_by is EndedBy.UNSUPPORTED
    assert not found.cited


def test_whoever_goes_away_ends_the_work(server: OpenAIServer, desk: Desk) -> None:
    """Where nobody waits for the answer any more the request ends, and nothing is told."""
    server.play(Endless())
    llm = ModelLLM("openai:scripted", url=server.url)
    asker = Asker(llm, AskLimits(), seconds=time.monotonic, entropy=os.urandom)

    events = list(asker.ask(QUESTION, desk, is_over=lambda: len(server.requests) > 0))

    assert events == []
    assert server.was_left.wait(20)


def test_asking_writes_nothing(server: OpenAIServer, desk: Desk) -> None:
    """Neither a question nor its answer leaves a trace in memory."""
    before = desk.memory.now().newest_step
    server.play(RECALL, ANSWER)

    asked(QUESTION, desk, server)
    asked(QUESTION, desk)

    assert desk.memory.now().newest_step == before
