"""Asking in words over HTTP: the answer as it comes (server-sent events), or in one piece (JSON)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Annotated

import anyio
import anyio.to_thread
import orjson
from fastapi import FastAPI, Header
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hindcast.ask import ASKED_CHARS_MAX, Asker, Done, Event, Failed
from hindcast.ask.telling import name_of, told
from hindcast.model.errors import Busy
from hindcast.rest.casework import Said
from hindcast.rest.desk import MOMENT_CHARS_MAX
from hindcast.rest.seat import Reading
from hindcast.toolbox import Desk, Desks

# Questions that are answered at the same time. Each may keep a model busy for a minute.
QUESTIONS_MAX = 16
RETRY_AFTER_SECONDS = 5
# While nothing happens a stream says so, and notices that its client has gone.
BEAT_SECONDS = 10.0
EVENTS = "text/event-stream"
HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}

_DESCRIPTION = """A question in words, answered by the tools that agents use too: by a language model that may only
read, if one is configured, and otherwise by rules that say how they read the question. Every sentence names the records
it rests on; what rests on none is marked. Nothing is written.

With `Accept: text/event-stream` the answer comes as it is made: `understood` (how the question is read), `called` and
`found` (tools), `said` (a sentence, checked), and last `done` (the whole answer, which counts) or `failed`. Otherwise
it comes in one piece."""


class AskSaid(Said):
    """A question."""

    question: str = Field(
        min_length=1,
        max_length=ASKED_CHARS_MAX,
        description="In words; an error or a trace may be pasted below it, or stand alone.",
        examples=["What usually fixes redis?"],
    )
    at: str = Field(
        default="",
        max_length=MOMENT_CHARS_MAX,
        description="Answer with what was known then: a time, a commit, a snapshot or a branch.",
    )


class SentenceTold(BaseModel):
    """One statement and the records it rests on."""

    text: str
    citations: list[str] = Field(description="Records that a tool has shown while this was answered.")
    is_cited: bool = Field(description="Whether it rests on a record, or needs none.")
    is_aside: bool = Field(description="Words about the answer itself, which need no record.")


class CostsTold(BaseModel):
    """What an answer took."""

    tokens_in: int
    tokens_out: int
    calls: int
    seconds: float


class AskTold(BaseModel):
    """The answer to a question."""

    question: str
    text: str = Field(description="The sentences, a line each, with their records; what rests on none is marked.")
    sentences: list[SentenceTold]
    reading: str = Field(description="How the question was read, where no language model did.")
    model: str = Field(description="The language model that worded it; empty: the tools answered directly.")
    ended_by: str = Field(
        description="`answered`, `nothing found`, `not understood`, or why the model's answer does not count."
    )
    uncited: int = Field(description="How many sentences rest on no record.")
    notes: list[str]
    is_failure: bool = Field(description="Whether it describes a failure, so that `recall` answers the same text.")
    suggestions: list[str] = Field(description="Questions that can be answered, where this one cannot.")
    costs: CostsTold


def add(app: FastAPI, desks: Desks, asker: Asker) -> None:
    """Add the route."""
    room = Room()

    @app.post(
        "/api/v1/ask",
        tags=["recall"],
        operation_id="ask",
        summary="Ask in words",
        description=_DESCRIPTION,
        response_model=AskTold,
        responses={200: {"content": {EVENTS: {"schema": {"type": "string"}}}}},
    )
    async def ask(
        request: Request,
        said: AskSaid,
        seat: Reading,
        accept: Annotated[str, Header(max_length=1_000, include_in_schema=False)] = "",
    ) -> Response:
        desk = await anyio.to_thread.run_sync(lambda: desks.at(seat.space, actor=seat.actor))
        room.take()
        answering = Answering(asker, said.question, desk, said.at, room)
        if EVENTS in accept.lower():
            return StreamingResponse(_frames(answering), media_type=EVENTS, headers=HEADERS)
        return await _whole(answering, request)


class Room:
    """Threads for as many questions as may be answered at once."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(QUESTIONS_MAX, "hindcast-ask")
        self._left = threading.BoundedSemaphore(QUESTIONS_MAX)

    def take(self) -> None:
        """Room for one question. Raises Busy where there is none."""
        if not self._left.acquire(blocking=False):
            raise Busy(
                f"{QUESTIONS_MAX} questions are being answered.",
                remedy="Ask again in a moment.",
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )

    def give_back(self) -> None:
        """It was answered."""
        self._left.release()


class Answering:
    """One question that is answered in a thread, event by event, for as long as somebody waits."""

    def __init__(self, asker: Asker, question: str, desk: Desk, at: str, room: Room) -> None:
        self._asker = asker
        self._question = question
        self._desk = desk
        self._at = at
        self._room = room
        self._over = threading.Event()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        room.threads.submit(self._answer)

    async def next(self, seconds: float) -> Event | None:
        """The next event; None at the end. Raises TimeoutError where there is none yet."""
        async with asyncio.timeout(seconds):
            return await self._events.get()

    def leave(self) -> None:
        """Whoever asked has the answer, or has gone: end the work soon."""
        self._over.set()

    def _answer(self) -> None:
        try:
            for event in self._answered():
                self._tell(event)
        finally:
            self._room.give_back()
            self._tell(None)

    def _answered(self) -> Iterator[Event]:
        return self._asker.ask(self._question, self._desk, at=self._at, is_over=self._over.is_set)

    def _tell(self, event: Event | None) -> None:
        # A loop that was closed meanwhile has nobody left to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)


async def _frames(answering: Answering) -> AsyncIterator[bytes]:
    """The events of an answer as a stream; the work ends with whoever reads it."""
    try:
        while True:
            try:
                event = await answering.next(BEAT_SECONDS)
            except TimeoutError:
                yield b": beat\n\n"
                continue
            if event is None:
                return
            yield f"event: {name_of(event)}\n".encode() + b"data: " + orjson.dumps(told(event)) + b"\n\n"
    finally:
        answering.leave()


async def _whole(answering: Answering, request: Request) -> Response:
    """The answer in one piece; the work ends when its client goes away."""
    try:
        while True:
            try:
                event = await answering.next(1.0)
            except TimeoutError:
                if await request.is_disconnected():
                    return Response(status_code=499)
                continue
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Done):
                return Response(orjson.dumps(told(event)), media_type="application/json")
            assert event is not None, "an answer ends with Done or Failed"
    finally:
        answering.leave()
