"""Idempotency-Key: a request that is sent again with its key gets the first answer again, and nothing happens twice.

Answers are kept for a day, in this process only: after a restart a key is new. A failure is not kept, so that what
failed can be tried again with the same key.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Depends, Header
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hindcast.model.errors import Stale
from hindcast.rest.seat import Seat

KEPT_FOR = timedelta(hours=24)
ANSWERS_MAX = 10_000
ANSWERS_BYTES_MAX = 64_000_000
KEY_CHARS_MAX = 200
# Says that an answer is the first one, told again.
REPLAYED = "Idempotency-Replayed"


class Reused(Stale):
    """The key belongs to another request: use a new one."""


@dataclass(frozen=True, slots=True)
class _Kept:
    digest: bytes
    at: datetime
    # None while the first request is still being answered.
    answer: tuple[int, bytes, tuple[tuple[str, str], ...]] | None


class Once:
    """The answers of the last day, by who asked, where, and with which key. For one process, any thread."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, str], _Kept] = OrderedDict()
        self._bytes = 0

    def answer(self, key: tuple[str, str, str], digest: bytes, make: Callable[[], Response]) -> Response:
        """The first answer to a request; made if there is none yet."""
        known = self._begin(key, digest)
        if known is not None:
            return _again(known)
        try:
            made = make()
        except BaseException:
            self._forget(key)
            raise
        self._keep(key, digest, made)
        return made

    def forget(self, space: str) -> None:
        """Keep no answer of a space any longer: what it quotes may have been erased."""
        with self._lock:
            for key in [key for key, kept in self._kept.items() if key[1] == space and kept.answer is not None]:
                self._drop(key)

    def _begin(self, key: tuple[str, str, str], digest: bytes) -> _Kept | None:
        with self._lock:
            self._expire()
            known = self._kept.get(key)
            if known is None:
                self._kept[key] = _Kept(digest, self._now(), None)
                return None
        if known.digest != digest:
            raise Reused(
                "This Idempotency-Key came with another request before.",
                field="Idempotency-Key",
                remedy="Use a new key for a new request.",
            )
        if known.answer is None:
            raise Stale(
                "The first request with this Idempotency-Key is still being answered.",
                field="Idempotency-Key",
                remedy="Send it again in a moment.",
            )
        return known

    def _keep(self, key: tuple[str, str, str], digest: bytes, made: Response) -> None:
        if made.status_code >= 400:
            self._forget(key)
            return
        # The length is counted anew for each answer.
        headers = tuple((name, value) for name, value in made.headers.items() if name != "content-length")
        with self._lock:
            self._kept[key] = _Kept(digest, self._now(), (made.status_code, bytes(made.body), headers))
            self._bytes += len(made.body)
            while len(self._kept) > ANSWERS_MAX or self._bytes > ANSWERS_BYTES_MAX:
                self._drop(next(iter(self._kept)))

    def _forget(self, key: tuple[str, str, str]) -> None:
        with self._lock:
            self._drop(key)

    def _expire(self) -> None:
        oldest = self._now() - KEPT_FOR
        while self._kept and next(iter(self._kept.values())).at < oldest:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[str, str, str]) -> None:
        dropped = self._kept.pop(key, None)
        if dropped is not None and dropped.answer is not None:
            self._bytes -= len(dropped.answer[1])


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a request says about having been sent before."""

    key: str
    request: str
    kept: Once

    def once(self, seat: Seat, said: BaseModel | None, make: Callable[[], Response]) -> Response:
        """The answer to a request: the first one again, if its key is known."""
        if not self.key:
            return make()
        body = said.model_dump_json().encode() if said is not None else b""
        digest = hashlib.sha256(self.request.encode() + b"\n" + body).digest()
        return self.kept.answer((f"{seat.caller.id}\n{seat.actor}", seat.space, self.key), digest, make)


def _repetition(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=KEY_CHARS_MAX,
            description="Sent again with the same key, a request gets the first answer again.",
        ),
    ] = None,
) -> Repetition:
    once: Once = request.app.state.once
    conditions = request.headers.get("If-Match", "")
    return Repetition(key or "", f"{request.method} {request.url.path}?{request.url.query} {conditions}", once)


Again = Annotated[Repetition, Depends(_repetition)]


def _again(known: _Kept) -> Response:
    status, body, headers = known.answer or (500, b"", ())
    return Response(body, status, {**dict(headers), REPLAYED: "true"})
