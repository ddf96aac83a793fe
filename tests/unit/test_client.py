"""The client without a network: requests, answers, errors, when a call is tried again, and events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import pytest

from hindcast.client import AsyncHindcast, Event, Hindcast, Patience
from hindcast.client.call import Call, asked, error_of
from hindcast.client.events import Reader
from hindcast.model.errors import (
    Busy,
    Damaged,
    HindcastError,
    Malformed,
    Missing,
    Refused,
    Stale,
    Unavailable,
    Unidentified,
)

URL = "http://127.0.0.1:1"
READ: Call[dict[str, int]] = Call("read", "GET", "/x/{id}", places=("id",), query=("at", "of"), result=dict[str, int])
ONCE: Call[dict[str, int]] = Call(
    "once", "POST", "/x", body=("a", "b"), headers={"key": "Idempotency-Key"}, result=dict[str, int]
)
WRITE: Call[dict[str, int]] = Call("write", "POST", "/x", body=("a",), result=dict[str, int])

Answers = Callable[[httpx.Request], httpx.Response]


def ask(call: Call[Any], answers: Answers, **given: object) -> tuple[Any, list[float]]:
    """What a call gives with a server that answers so, from both clients, and the pauses that they made."""
    pauses: list[float] = []
    with Hindcast(URL, key="k", space="s", transport=httpx.MockTransport(answers), sleep=pauses.append) as hindcast:
        return hindcast._run(call, given), pauses


def in_turn(*responses: httpx.Response | Exception) -> tuple[Answers, list[httpx.Request]]:
    """A server that answers so, one after the other, and what it was asked."""
    waiting: Iterator[httpx.Response | Exception] = iter(responses)
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        said = next(waiting)
        if isinstance(said, Exception):
            raise said
        return said

    return answer, seen


def problem(status: int, kind: str = "", **headers: str) -> httpx.Response:
    """A failure as the server tells it."""
    told = {"type": f"/problems/{kind}", "detail": "It failed.", "remedy": "Mend it.", "field": "a"}
    return httpx.Response(status, content=json.dumps(told), headers=headers)


def test_a_request_says_what_was_given() -> None:
    """Ids are quoted, times have their zone, lists repeat, flags are words, and what is None is left out."""
    at = datetime(2026, 11, 15, tzinfo=UTC)
    made = asked(READ, {"id": "a/b ?", "at": at, "of": ["x", True], "unknown": None})

    assert made.path == "/x/a%2Fb%20%3F"
    assert made.query == (("at", "2026-11-15T00:00:00+00:00"), ("of", "x"), ("of", "true"))
    assert asked(ONCE, {"a": 1, "b": None}, once="u").body == b'{"a":1}'
    assert asked(ONCE, {"a": 1}, once="u").headers["Idempotency-Key"] == "u"
    assert asked(ONCE, {"a": 1, "key": "mine"}, once="u").headers["Idempotency-Key"] == "mine"
    assert "Idempotency-Key" not in asked(WRITE, {"a": 1}, once="u").headers


@pytest.mark.parametrize("place", ["", ".", ".."])
def test_an_id_cannot_lead_elsewhere(place: str) -> None:
    """An id that would make another path of it is refused before anything is sent."""
    with pytest.raises(Malformed, match="id: "):
        asked(READ, {"id": place})


def test_a_caller_names_itself_with_every_request() -> None:
    """Key and space go with each request, and nowhere but in headers."""
    answers, seen = in_turn(httpx.Response(200, content=b'{"n":1}'))

    assert ask(READ, answers, id="7")[0] == {"n": 1}
    assert seen[0].headers["Authorization"] == "Bearer k"
    assert seen[0].headers["X-Hindcast-Space"] == "s"
    assert str(seen[0].url) == f"{URL}/x/7"


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (400, "malformed", Malformed),
        (422, "", Malformed),
        (401, "unidentified", Unidentified),
        (403, "refused", Refused),
        (404, "missing", Missing),
        (409, "stale", Stale),
        (412, "", Stale),
        (429, "busy", Busy),
        (500, "damaged", Damaged),
        (502, "", Unavailable),
        (503, "unavailable", Unavailable),
    ],
)
def test_errors_are_the_same_on_both_sides(status: int, kind: str, error: type[HindcastError]) -> None:
    """A problem becomes the error that the server raised, with its words, field and remedy."""
    found = error_of(status, {}, problem(status, kind).content)

    assert type(found) is error
    assert (found.problem, found.remedy, found.field) == ("It failed.", "Mend it.", "a")


def test_an_answer_of_somebody_else_is_an_error_too() -> None:
    """What a proxy says in HTML is told as it is; nothing is decoded by guess."""
    found = error_of(502, {}, b"<h1>Bad  gateway</h1>")

    assert isinstance(found, Unavailable)
    assert "502: <h1>Bad gateway</h1>" in found.problem
    with pytest.raises(Malformed, match="not what was expected"):
        ask(READ, lambda _: httpx.Response(200, content=b'{"n":"x"}'), id="7")


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    """Retry-After is honoured; without it pauses grow."""
    done = httpx.Response(200, content=b"{}")
    answers, _ = in_turn(problem(503, **{"Retry-After": "7"}), problem(429), problem(503), done)

    assert ask(READ, answers, id="7") == ({}, [7.0, 0.5, 1.0])


def test_a_server_that_wants_too_long_a_pause_is_unavailable() -> None:
    """Who asks is told at once when the server wants to be left alone for longer than they would wait."""
    answers, seen = in_turn(problem(503, "unavailable", **{"Retry-After": "3600"}))

    with pytest.raises(Unavailable):
        ask(READ, answers, id="7")
    assert len(seen) == 1


def test_what_may_be_done_once_only_is_sent_once() -> None:
    """A write without a key of its own is not repeated unless it was never begun; one with a key is, under that key."""
    begun: list[httpx.Response | Exception] = [problem(503, "unavailable"), httpx.ReadTimeout("slow")]
    for failure in begun:
        answers, seen = in_turn(failure)
        with pytest.raises(Unavailable):
            ask(WRITE, answers, a=1)
        assert len(seen) == 1
    not_begun: list[httpx.Response | Exception] = [problem(429), httpx.ConnectError("nobody")]
    for failure in not_begun:
        answers, seen = in_turn(failure, httpx.Response(200, content=b"{}"))
        assert ask(WRITE, answers, a=1)[0] == {}
    answers, seen = in_turn(httpx.ReadTimeout("slow"), problem(503), httpx.Response(200, content=b"{}"))
    assert ask(ONCE, answers, a=1)[0] == {}
    assert len({request.headers["Idempotency-Key"] for request in seen}) == 1


def test_a_server_that_never_answers_is_given_up() -> None:
    """After a few attempts the last failure is told, with what to do."""
    answers, seen = in_turn(*[httpx.ConnectError("nobody") for _ in range(9)])

    with pytest.raises(Unavailable, match="hindcast serve"):
        ask(READ, answers, id="7")
    assert len(seen) == Patience().attempts_max


@pytest.mark.parametrize("url", ["", "ftp://x", "127.0.0.1:4318", "http://", "http://[::1"])
def test_an_address_has_to_be_one(url: str) -> None:
    """An address that is none is refused when the client is made."""
    with pytest.raises(Malformed, match="url"):
        Hindcast(url)


def test_a_key_cannot_bring_a_header_along() -> None:
    """A key or space with a line end in it is refused."""
    with pytest.raises(Malformed, match="key"):
        Hindcast(URL, key="k\r\nX-Evil: 1")


class Numbers(msgspec.Struct):
    items: list[int]
    next: str | None = None


def test_a_list_is_followed_to_its_end() -> None:
    """`every` goes from page to page, with the same conditions, and asks for no page more than there are."""
    pages = {None: Numbers([1, 2], "a"), "a": Numbers([], "b"), "b": Numbers([3])}
    asked_for: list[Any] = []

    def listed(*, state: str, cursor: str | None = None) -> Numbers:
        asked_for.append((state, cursor))
        return pages[cursor]

    async def listed_later(*, state: str, cursor: str | None = None) -> Numbers:
        return listed(state=state, cursor=cursor)

    async def later() -> list[int]:
        async with AsyncHindcast(URL) as hindcast:
            return [number async for number in hindcast.every(listed_later, state="open")]

    with Hindcast(URL) as hindcast:
        assert list(hindcast.every(listed, state="open")) == [1, 2, 3]
    assert asyncio.run(later()) == [1, 2, 3]
    assert asked_for == [("open", None), ("open", "a"), ("open", "b")] * 2


def test_events_are_read_line_by_line() -> None:
    """Comments are left out, data of several lines is joined, ids are remembered, the pause is taken over."""
    reader = Reader()
    text = (
        'retry: 1500\n\n: hello\n\nid: e-1\nevent: incident\ndata: {"a":\ndata: 1}\n\nevent: rates\ndata:2\n\nid: e-9\n'
    )
    found = [event for line in text.split("\n") for event in reader.feed(line)]

    assert found == [Event("incident", {"a": 1}, "e-1"), Event("rates", 2)]
    assert (reader.last_id, reader.retry_seconds) == ("e-9", 1.5)


def stream(*events: str) -> httpx.Response:
    """A stream that says so and ends."""
    return httpx.Response(200, content="".join(f"{event}\n\n" for event in events))


def broken() -> tuple[Answers, list[httpx.Request]]:
    """A server whose streams end in every way there is."""
    return in_turn(
        stream("retry: 10", 'id: e-1\nevent: incident\ndata: "first"'),
        httpx.ReadError("cut"),
        problem(429, **{"Retry-After": "2"}),
        stream('event: closed\ndata: {"why":"stopping"}'),
        stream('id: e-2\nevent: incident\ndata: "second"', "event: beat\nid: e-3\ndata: {}"),
        stream('event: closed\ndata: {"why":"Your right has ended.","type":"refused"}'),
    )


def taken_up(heard: list[Event], seen: list[httpx.Request], pauses: list[float]) -> None:
    """Everything was heard once, and each time the client came back with the id it heard last."""
    assert [event.data for event in heard] == ["first", "second"]
    assert [request.headers.get("Last-Event-ID") for request in seen] == [None, "e-1", "e-1", "e-1", "e-1", "e-3"]
    assert {request.url.params["kinds"] for request in seen} == {"incident,answer"}
    assert pauses == [0.01, 0.25, 2, 0.01, 0.01]


def test_a_stream_that_breaks_is_taken_up_where_it_stopped() -> None:
    """Whatever ends a stream, the client comes back with the id it heard last, until its right has ended."""
    answers, seen = broken()
    pauses: list[float] = []
    heard: list[Event] = []
    with (
        Hindcast(URL, transport=httpx.MockTransport(answers), sleep=pauses.append) as hindcast,
        pytest.raises(Refused, match="right has ended"),
    ):
        heard.extend(hindcast.live(kinds=["incident", "answer"]))
    taken_up(heard, seen, pauses)


def test_an_awaited_stream_is_taken_up_too() -> None:
    """The client that is awaited comes back in the same way."""
    answers, seen = broken()
    pauses: list[float] = []
    heard: list[Event] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def listen() -> None:
        async with AsyncHindcast(URL, transport=httpx.MockTransport(answers), sleep=pause) as hindcast:
            async for event in hindcast.live(kinds=["incident", "answer"]):
                heard.append(event)  # noqa: PERF401

    with pytest.raises(Refused, match="right has ended"):
        asyncio.run(listen())
    taken_up(heard, seen, pauses)


def test_a_stream_nobody_may_hear_is_an_error_at_once() -> None:
    """Coming back would be in vain, so the client does not."""
    answers, seen = in_turn(problem(404, "missing"))

    with Hindcast(URL, transport=httpx.MockTransport(answers)) as hindcast, pytest.raises(Missing):
        next(hindcast.live())
    assert len(seen) == 1
