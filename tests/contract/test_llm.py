"""The contract of `ports.LLM`, held against a real server over HTTP that speaks the OpenAI protocol, well or badly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.openai_server import Endless, Fail, OpenAIServer, Raw, Say, Silence, openai_server

from hindcast.adapters.llm_model import ModelLLM
from hindcast.adapters.llm_provider import target_of
from hindcast.adapters.outbound import Outbound
from hindcast.model.conversation import Call, Conversation, Offer, Piece, Result, Round, Spent, Words
from hindcast.model.errors import Busy, HindcastError, Malformed, Refused, Unavailable
from hindcast.ports import LLM

KEY = "sk-a-key-nobody-may-see"
LOOK = Offer(
    "look",
    "Looks something up.",
    {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
)
ASKED = Conversation("Answer briefly.", "What happened?", (LOOK,))


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A server on this machine."""
    with openai_server() as made:
        yield made


@pytest.fixture
def llm(server: OpenAIServer) -> LLM:
    """The model behind the port."""
    return ModelLLM("openai:scripted", url=server.url, key=KEY)


def replied(llm: LLM, asked: Conversation = ASKED, *, tokens_max: int = 500, seconds_max: float = 20) -> list[Piece]:
    """A whole reply, without the pieces that only say that it is under way."""
    pieces = llm.reply(asked, tokens_max=tokens_max, seconds_max=seconds_max)
    return [piece for piece in pieces if piece != Words("")]


def said(pieces: list[Piece]) -> str:
    """The words of a reply."""
    return "".join(piece.text for piece in pieces if isinstance(piece, Words))


def test_words_arrive_in_pieces_and_the_cost_at_the_end(server: OpenAIServer, llm: LLM) -> None:
    """A reply is streamed as it is made, and ends with what it cost."""
    server.play(Say("The pool was exhausted.", pieces=4, tokens_in=321, tokens_out=7))

    pieces = replied(llm)

    assert said(pieces) == "The pool was exhausted."
    assert len(pieces) == 5
    assert pieces[-1] == Spent(321, 7)


def test_the_server_is_told_instructions_question_tools_and_limits(server: OpenAIServer, llm: LLM) -> None:
    """What a model knows is what the conversation holds, and how long it may speak is bounded there too."""
    server.play(Say("Yes."))

    replied(llm, tokens_max=77)

    (asked,) = server.requests
    assert [(one["role"], one["content"]) for one in asked["messages"]] == [
        ("system", "Answer briefly."),
        ("user", "What happened?"),
    ]
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["look"]
    assert asked["tools"][0]["function"]["parameters"]["required"] == ["words"]
    assert asked.get("max_completion_tokens", asked.get("max_tokens")) == 77
    assert server.keys == [f"Bearer {KEY}"]


def test_calls_come_as_the_model_wrote_them(server: OpenAIServer, llm: LLM) -> None:
    """A call is handed over unchecked: names that do not exist and arguments that are no JSON included."""
    server.play(Say("Let me look.", calls=[("look", {"words": "pool"}), ("drop_tables", "{not json")]))

    pieces = replied(llm)

    calls = [piece for piece in pieces if isinstance(piece, Call)]
    assert [(call.tool, call.arguments) for call in calls] == [
        ("look", '{"words": "pool"}'),
        ("drop_tables", "{not json"),
    ]
    assert len({call.id for call in calls}) == 2


def test_a_conversation_goes_on_with_what_came_of_the_calls(server: OpenAIServer, llm: LLM) -> None:
    """Results go back under the call they belong to, with or without the adapter's own memo."""
    server.play(Say("Let me look.", calls=[("look", {"words": "pool"})]))
    *_, call, spent = replied(llm)
    assert isinstance(call, Call)
    assert isinstance(spent, Spent)
    server.play(Say("It was the pool."))

    for memo in (spent.memo, None):
        rounds = (Round("Let me look.", (Result(call, "found: pool"),), memo),)
        replied(llm, Conversation("Answer briefly.", "What happened?", (LOOK,), rounds))

    for asked in server.requests:
        answered, told = asked["messages"][2:]
        assert (answered["content"], answered["tool_calls"][0]["function"]["name"]) == ("Let me look.", "look")
        assert (told["role"], told["content"], told["tool_call_id"]) == ("tool", "found: pool", call.id)


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_server_that_stumbles_is_asked_once_more(server: OpenAIServer, llm: LLM, status: int) -> None:
    """One failure of a server costs a moment; two in a row are said."""
    server.play(Fail(status), Say("There."))
    assert said(replied(llm)) == "There."

    server.play(Fail(status))
    with pytest.raises(Unavailable):
        replied(llm)
    assert len(server.requests) == 2


def test_a_short_pause_is_kept_and_a_long_one_is_told(server: OpenAIServer, llm: LLM) -> None:
    """A server that asks for a moment gets it; one that asks for a minute is busy, and says how long."""
    server.play(Fail(429, headers={"Retry-After": "0"}), Say("There."))
    assert said(replied(llm)) == "There."

    server.play(Fail(429, headers={"Retry-After": "60"}))
    with pytest.raises(Busy) as busy:
        replied(llm)
    assert (busy.value.retry_after_seconds, len(server.requests)) == (60, 1)


def test_a_silent_server_is_given_up_on_time(server: OpenAIServer, llm: LLM) -> None:
    """A server that says nothing, or stops in the middle, ends when the time is up, with what it had said."""
    for act, words in ((Silence(), ""), (Silence("The po"), "The po")):
        server.play(act)
        heard: list[Piece] = []
        with pytest.raises(Unavailable, match="did not answer within 1 seconds"):
            heard.extend(llm.reply(ASKED, tokens_max=500, seconds_max=0.7))
        assert said(heard) in ("", words)


def test_an_answer_without_end_is_cut(server: OpenAIServer, llm: LLM) -> None:
    """A model that does not stop is stopped, and its connection closed."""
    server.play(Endless("and so on " * 200))

    with pytest.raises(Malformed, match="more than 200,000 characters"):
        replied(llm)
    assert server.was_left.wait(20)


def test_whoever_stops_reading_ends_the_request(server: OpenAIServer, llm: LLM) -> None:
    """Closing the iterator closes the connection and leaves no thread behind."""
    server.play(Endless())
    reply = llm.reply(ASKED, tokens_max=500, seconds_max=20)
    next(reply)

    reply.close()  # type: ignore[attr-defined]

    assert server.was_left.wait(20)
    assert not [thread for thread in threading.enumerate() if thread.name == "hindcast-llm"]


BROKEN = {
    "garbage": Raw([b"data: {this is not json}\n\n", b"data: [DONE]\n\n"]),
    "another protocol": Raw([b"<html>Welcome to the intranet</html>"]),
    "a list": Raw([b"data: [1, 2]\n\n", b"data: [DONE]\n\n"]),
    "wrong types": Raw([b'data: {"id": 7, "choices": "none", "object": []}\n\n', b"data: [DONE]\n\n"]),
    "nothing": Raw([]),
    "cut": Raw([b'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model"'], is_cut=True),
    "bytes": Raw([bytes(range(256)) * 4]),
    "an error within": Raw([b'data: {"error": {"message": "boom", "code": 500}}\n\n']),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_server_that_talks_nonsense_is_named(server: OpenAIServer, llm: LLM, name: str) -> None:
    """Whatever a server sends, it comes out as an error of ours or as an empty reply, never as something else."""
    server.play(BROKEN[name])

    heard: list[Piece] = []
    with suppress(HindcastError):
        heard.extend(llm.reply(ASKED, tokens_max=500, seconds_max=20))

    assert said(heard) == ""
    assert not [piece for piece in heard if isinstance(piece, Call)]


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_said_and_not_shown(server: OpenAIServer, llm: LLM, status: int) -> None:
    """A key that is not accepted is named as the thing to correct, and stands in no message."""
    server.play(Fail(status, f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'))

    with pytest.raises(HindcastError) as refused:
        replied(llm)

    assert KEY not in str(refused.value)
    assert len(server.requests) == 1
    if status == 401:
        assert isinstance(refused.value, Refused)
        assert refused.value.field == "ask_key"


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_rejected_request_is_not_repeated(server: OpenAIServer, llm: LLM, status: int) -> None:
    """What a server rejects it would reject again; its words are kept, without the key."""
    server.play(Fail(status, f'{{"error": {{"message": "model not found {KEY}"}}}}'))

    with pytest.raises(Malformed) as rejected:
        replied(llm)

    assert "model not found" in str(rejected.value)
    assert KEY not in str(rejected.value)
    assert len(server.requests) == 1


def test_a_private_address_is_refused_before_anything_is_sent() -> None:
    """A model on a private network has to be listed, and the error says how."""
    with pytest.raises(Refused, match="outbound_allow") as refused:
        replied(ModelLLM("openai:x", url="http://10.99.0.1/v1"))

    assert refused.value.field == "ask_url"


def test_the_guard_holds_when_connecting(server: OpenAIServer) -> None:
    """A name that leads elsewhere by the time of the call is refused as such, through the provider's library."""
    answers = iter([("93.184.216.34",)])
    guard = Outbound.allowing("", resolve=lambda *_: next(answers, ("10.0.0.1",)))
    server.play(Say("Never."))

    with pytest.raises(Refused):
        replied(ModelLLM("openai:x", url=f"http://rebinding.example:{server.server_port}/v1", outbound=guard))
    assert server.requests == []


def test_redirects_are_not_followed(server: OpenAIServer, llm: LLM) -> None:
    """A key goes to the address that was configured and to no other."""
    server.play(Fail(307, headers={"Location": f"{server.url}/elsewhere"}))

    with pytest.raises(HindcastError):
        replied(llm)
    assert set(server.paths) == {"/v1/chat/completions"}


def test_a_server_of_ones_own_gets_no_key_of_somebody_else(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI's key out of the environment is not sent to another server."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.play(Say("Yes."))

    for provider in ("openai", "ollama"):
        assert said(replied(ModelLLM(f"{provider}:x", url=server.url))) == "Yes."

    assert KEY not in str(server.keys)


@pytest.mark.parametrize("model", ["", "gpt-5", "openai:", "unknown:model", ":x", "mistral:large"])
def test_a_model_that_is_not_named_properly_is_malformed(model: str) -> None:
    """A setting that names no model says what would."""
    with pytest.raises(Malformed) as error:
        ModelLLM(model)

    assert error.value.field == "ask_model"
    assert "ollama:" in error.value.remedy


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_a_missing_key_is_named(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that needs a key and has none says where to put it, without a request."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    open_to_all = Outbound.allowing("", resolve=lambda *_: ("93.184.216.34",))

    with pytest.raises(Malformed) as error:
        replied(ModelLLM(f"{provider}:x", outbound=open_to_all), seconds_max=20)

    assert error.value.field == "ask_key"


def test_without_the_extra_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the libraries of language models are not installed, the error says what to install."""
    monkeypatch.setattr("hindcast.adapters.llm_provider.find_spec", lambda _: None)

    with pytest.raises(Unavailable, match=r"hindcast\[ask\]"):
        target_of("openai:x")
