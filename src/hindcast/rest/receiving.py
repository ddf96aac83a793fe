"""What every way in has in common: read the body within limits, parse it beside the event loop, wait for the disk.

An endpoint is a function from a request's bytes to what its parser made of them and the answer its protocol expects.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from hindcast.app import App
from hindcast.ingest import body
from hindcast.model.access import Permission
from hindcast.model.columns import Parsed
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest import failure
from hindcast.rest.arrivals import NOBODYS, Arrivals
from hindcast.rest.seat import SPACE_HEADER, doorkeeper_of
from hindcast.rest.trial import trial_of

# A sender repeats itself soon after it missed an answer, or never.
KEYS_REMEMBERED_MAX = 200_000


@dataclass(frozen=True, slots=True)
class Received:
    """What a parser made of a request, the answer once it is durable, and by which keys a repetition is known."""

    parsed: Parsed
    response: Response
    # The whole request's key, if its sender gave one.
    key: str = ""
    # One key for each log row, empty where there is none; or nothing at all.
    row_keys: tuple[str, ...] = ()


class Deliveries:
    """The keys of what was taken lately, so that a sender which repeats itself is answered and not taken twice."""

    def __init__(self, keys_max: int = KEYS_REMEMBERED_MAX) -> None:
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._keys_max = keys_max

    def known(self, space: str, key: str) -> bool:
        """Whether this was taken already."""
        return bool(key) and (space, key) in self._known

    def note(self, space: str, keys: Iterable[str]) -> None:
        """These are durable now."""
        for key in keys:
            if key:
                self._known[space, key] = None
        while len(self._known) > self._keys_max:
            self._known.popitem(last=False)

    def without_known(self, space: str, received: Received) -> Parsed:
        """The records that are new."""
        parsed, keys = received.parsed, received.row_keys
        if self.known(space, received.key):
            return Parsed()
        if parsed.logs is None or not any(self.known(space, key) for key in keys):
            return parsed
        return replace(parsed, logs=parsed.logs.filter([not self.known(space, key) for key in keys]))


# From bytes and the request (for its headers and path) to what was received.
Parse = Callable[[bytes, Request], Received]
Endpoint = Callable[[Request], Awaitable[Response]]
# Raises Refused unless a body, as it came, is signed by whom it says it is from.
Check = Callable[[bytes, Mapping[str, str]], None]
# From a body to the key in it, or nothing.
KeyIn = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Receiver:
    """Turns parsers into endpoints of one running Hindcast."""

    app: App
    limits: IngestLimits
    arrivals: Arrivals
    deliveries: Deliveries = field(default_factory=Deliveries)

    def endpoint(
        self,
        parse: Parse,
        answer: Callable[[Request], failure.Answer],
        *,
        way: str,
        space_header: str = SPACE_HEADER,
        bytes_max: int | None = None,
        key_in: KeyIn | None = None,
        check: Check | None = None,
    ) -> Endpoint:
        """An endpoint that takes what `parse` reads and tells failures with `answer`; `way` is what it is counted as.

        Nothing is read from somebody who may not send, unless their key stands in the body (`key_in`), and nothing is
        unpacked that is not signed as it has to be (`check`).
        """

        async def receive(request: Request) -> Response:
            named = request.headers.get(space_header) or request.headers.get(SPACE_HEADER)
            most = bytes_max or self.limits.compressed_bytes_max
            encoding = request.headers.get("Content-Encoding", "")
            space, trial = NOBODYS, trial_of(request)
            try:
                _check_space_once(request)
                if key_in is None:
                    space = await run_in_threadpool(_space, request, named)
                    raw = await self._body(request, most)
                else:
                    raw = await self._body(request, most)
                    space = await run_in_threadpool(self._space_by_body, request, named, raw, key_in)
                received = await run_in_threadpool(self._received, parse, check, raw, encoding, request)
                parsed = self.deliveries.without_known(space, received)
                if trial is not None:
                    parsed = trial.marked(parsed)
                await asyncio.wrap_future(self.app.take(parsed, space=space))
                self.deliveries.note(space, (received.key, *received.row_keys))
            except ClientDisconnect:
                self.app.counts["disconnected"] += 1
                return Response(status_code=400)
            # The face of the product: whatever a request can bring about ends as an answer.
            except Exception as error:  # noqa: BLE001
                response = failure.told(error, answer(request))
                self.app.counts[f"answered_{response.status_code}"] += 1
                if trial is None:
                    self.arrivals.refused(space, way, error)
                else:
                    trial.error = error
                return response
            if trial is None:
                self.arrivals.took(space, way, parsed)
            return received.response

        return receive

    def _space_by_body(self, request: Request, named: str | None, raw: bytes, key_in: KeyIn) -> str:
        content = body.decoded(raw, request.headers.get("Content-Encoding", ""), self.limits)
        return _space(request, named, key_in(content))

    def _received(self, parse: Parse, check: Check | None, raw: bytes, encoding: str, request: Request) -> Received:
        if check is not None:
            check(raw, request.headers)
        return parse(body.decoded(raw, encoding, self.limits), request)

    async def _body(self, request: Request, bytes_max: int) -> bytes:
        """The body as it came. Reading stops at the limit, whatever its sender has announced."""
        announced = request.headers.get("Content-Length", "")
        if announced.isdigit() and int(announced) > bytes_max:
            raise _too_large(bytes_max)
        pieces: list[bytes] = []
        size = 0
        async for piece in request.stream():
            size += len(piece)
            if size > bytes_max:
                raise _too_large(bytes_max)
            pieces.append(piece)
        return b"".join(pieces)


class NamedRoute(Route):
    """A route that says which one it was, for logs, figures and the audit trail: `/{index}/_bulk`, not its index."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request is for this route, and what it adds to the request."""
        match, found = super().matches(scope)
        return match, found if match is Match.NONE else {**found, "route": self}


def add_route(app: FastAPI, path: str, endpoint: Endpoint, methods: Sequence[str] = ("POST",)) -> None:
    """Add a way in. It belongs to somebody else's protocol, and so not into our description of the API."""
    app.router.routes.append(NamedRoute(path, endpoint, methods=list(methods), include_in_schema=False))


def _check_space_once(request: Request) -> None:
    """Raise where a sender says its space in a way that is not read: its records would end up elsewhere."""
    if "space" in request.query_params:
        raise Malformed(
            "A way in does not read the space from the address.",
            field="space",
            remedy=f"Send it as {SPACE_HEADER}, or use a key: it is for one project.",
        )


def _space(request: Request, named: str | None, body_key: str = "") -> str:
    """Where a sender may send to."""
    return doorkeeper_of(request).seat(request, Permission.INGEST, named, body_key=body_key).space


def _too_large(bytes_max: int) -> body.TooLarge:
    return body.TooLarge(
        f"The body is larger than {bytes_max} bytes.", field="body", remedy="Send fewer records in one request."
    )


def is_json(request: Request) -> bool:
    """Whether a request says that its body is JSON."""
    return "json" in request.headers.get("Content-Type", "")
