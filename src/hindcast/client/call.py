"""One call of the API as a description, and everything about it that needs no network: requests, answers, errors.

Both clients, the one that waits and the one that is awaited, do nothing but send what is made here.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec

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

T = TypeVar("T")

SPACE_HEADER = "X-Hindcast-Space"
ONCE_HEADER = "Idempotency-Key"
SAID_CHARS_MAX = 200
JSON = "application/json"

# What a problem's type or, failing that, its status means for the caller.
_KINDS: Mapping[str, type[HindcastError]] = {
    "malformed": Malformed,
    "missing": Missing,
    "stale": Stale,
    "refused": Refused,
    "unidentified": Unidentified,
    "unavailable": Unavailable,
    "damaged": Damaged,
}
_STATUSES: Mapping[int, type[HindcastError]] = {
    401: Unidentified,
    403: Refused,
    404: Missing,
    408: Unavailable,
    409: Stale,
    412: Stale,
    500: Damaged,
}
# Nothing was done yet, or it can be done again.
RETRIED = frozenset({429, 502, 503, 504})
_RETRY_AFTER_IF_UNSAID_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One operation: where it goes, what it takes, and what it gives back."""

    name: str
    method: str
    path: str
    # What `path` has in braces.
    places: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    # Argument names, and the headers that they go in.
    headers: Mapping[str, str] = field(default_factory=dict)
    # Fields of a JSON body; `body` alone where the body is no object.
    body: tuple[str, ...] = ()
    # What the answer is decoded to; `bytes` where it is not JSON.
    result: Any = None
    accept: str = JSON
    # Of which type the body is; bytes go as they are where it is no JSON.
    sends: str = JSON

    @property
    def is_repeatable(self) -> bool:
        """Whether doing it twice is the same as doing it once."""
        return self.method in ("GET", "HEAD", "PUT", "DELETE") or ONCE_HEADER in self.headers.values()


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, ready to be sent."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    body: bytes | None


def asked(call: Call[T], given: Mapping[str, object], *, once: str = "") -> Asked:
    """The request that a call makes of its arguments; those that are None are left out.

    `once` is a key of its own for each call, under which a repeated request is done once only.
    """
    said = {name: value for name, value in given.items() if value is not None}
    path = call.path
    for place in call.places:
        text = _text(said.get(place, ""))
        if text in ("", ".", ".."):
            raise Malformed(f"{text!r} names nothing.", field=place, remedy="Give an id as a list shows it.")
        path = path.replace(f"{{{place}}}", quote(text, safe=""))
    query = tuple(
        (name, _text(one))
        for name in call.query
        if name in said
        for one in (said[name] if isinstance(said[name], list | tuple) else (said[name],))  # type: ignore[attr-defined]
    )
    headers = {header: _text(said[name]) for name, header in call.headers.items() if name in said}
    if once and ONCE_HEADER in call.headers.values():
        headers.setdefault(ONCE_HEADER, once)
    headers["Accept"] = call.accept
    body: bytes | None = None
    if call.body and call.sends != JSON:
        given_body = said.get("body")
        if not isinstance(given_body, bytes):
            raise Malformed("The body is no bytes.", field="body", remedy=f"Give it as bytes ({call.sends}).")
        headers["Content-Type"] = call.sends
        body = given_body
    elif call.body:
        headers["Content-Type"] = JSON
        fields = {name: said[name] for name in call.body if name in said}
        body = msgspec.json.encode(said.get("body") if call.body == ("body",) else fields)
    return Asked(call.method, path, query, headers, body)


def _text(value: object) -> str:
    """A value as it stands in a path, a query or a header."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value.value if isinstance(value, Enum) else value)


def answer(call: Call[T], status: int, headers: Mapping[str, str], body: bytes) -> T:
    """What an answer says, or the error that it is."""
    if status >= 400:
        raise error_of(status, headers, body)
    result: Any = call.result
    if result is bytes:
        result = body
    elif result is None or not body:
        result = None
    else:
        try:
            result = _decoder(call.result).decode(body)
        except msgspec.DecodeError as error:
            raise Malformed(
                f"The answer to {call.name} is not what was expected: {error}.",
                remedy="Use a client of the same version as the server.",
            ) from error
    answered: T = result
    return answered


# Two threads that let msgspec learn the same class at once crash it.
_learning = threading.Lock()


def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401
    """What reads a kind of answer, made once."""
    with _learning:
        return _made_decoder(kind)


@cache
def _made_decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401
    return msgspec.json.Decoder(kind)


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> HindcastError:
    """The error that an answer tells of: the same tree as on the other side."""
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        told = {}
    problem = str(told.get("detail") or told.get("error") or _said(status, body))
    remedy = str(told.get("remedy") or "See what the server's log says.")
    where = str(told["field"]) if told.get("field") else None
    named = str(told.get("type", "")).rpartition("/")[2]
    if status == 429 or named == "busy":
        return Busy(problem, remedy=remedy, field=where, retry_after_seconds=_retry_after(headers))
    kind = _KINDS.get(named) or _STATUSES.get(status) or (Unavailable if status >= 500 else Malformed)
    return kind(problem, remedy=remedy, field=where)


def _said(status: int, body: bytes) -> str:
    text = " ".join(body[: 4 * SAID_CHARS_MAX].decode(errors="replace").split())
    return f"The server answers with status {status}{': ' + text[:SAID_CHARS_MAX] if text else ''}."


def _retry_after(headers: Mapping[str, str]) -> int:
    said = headers.get("retry-after", "")
    return int(said) if said.isascii() and said.isdigit() else _RETRY_AFTER_IF_UNSAID_SECONDS


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, and how often to try again."""

    connect_seconds_max: float = 5.0
    # Between two bytes of an answer.
    read_seconds_max: float = 30.0
    attempts_max: int = 4
    # The first pause; each further one is twice as long.
    pause_seconds_min: float = 0.25
    # A server that asks for a longer pause than this is, to the caller, not available.
    pause_seconds_max: float = 20.0
    # A stream beats more often than this; one that does not is dead.
    silence_seconds_max: float = 45.0
    # How often in a row a stream may fail to come back before that is an error.
    returns_max: int = 20

    def pause_seconds(self, attempt: int) -> float:
        """How long to wait after the n-th attempt, if nobody says."""
        return float(min(self.pause_seconds_min * 2 ** (attempt - 1), self.pause_seconds_max))

    def before_next(self, call: Call[T], attempt: int, status: int, headers: Mapping[str, str]) -> float | None:
        """How long to wait before a call is tried again after an answer; None when it is not."""
        # Too many requests: this one was not even begun.
        may = status in RETRIED and (call.is_repeatable or status == 429)
        if not may or attempt >= self.attempts_max:
            return None
        pause = float(_retry_after(headers)) if "retry-after" in headers else self.pause_seconds(attempt)
        return pause if pause <= self.pause_seconds_max else None
