"""The edge of the HTTP face: what holds for every request and every answer, whatever is behind.

From the outside in: a key is taken out of the path before anybody can write it down; pages of other origins are kept
from acting through somebody's browser; answers get the headers that keep browsers from misreading them; large ones are
compressed, streams never; sizes and times are limited (`pace.py`), and every failure has words (`translation.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindcast.config import Settings
from hindcast.model.errors import Malformed, Refused
from hindcast.rest import translation
from hindcast.rest.limits import Allowance
from hindcast.rest.pace import Pace, is_api
from hindcast.rest.proof import PATH_KEY, SAFE_METHODS, is_deliberate

PATH_KEY_PREFIX = "/k/"
# Where `seat.py` leaves what is left to the caller, for the headers of the answer.
ALLOWANCE = "hindcast_allowance"
# Smaller answers fit into one packet anyway; a higher level takes three times as long for a tenth less.
COMPRESSED_BYTES_MIN = 1_400
COMPRESSION_LEVEL = 4
# Asking a language model has a limit of its own; this much is added for what stands around it.
ASK_GRACE_SECONDS = 10
_CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
# Nothing here is a page: an answer that a browser is tricked into showing may load nothing and be framed by nobody.
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HSTS = "max-age=31536000"


def add(app: FastAPI, settings: Settings) -> None:
    """Put the edge around the application."""
    # Redirects would name whatever host the request named, and a slash too many is a mistake.
    app.router.redirect_slashes = False
    translation.add(app)
    origins = _origins(settings.cors_origins)
    seconds_max = float(settings.request_seconds_max) or None
    app.add_middleware(
        Pace,
        seconds_max=seconds_max,
        answer=translation.answered,
        recognise=_recognise,
        seconds_max_by_path={"/api/v1/ask": settings.ask_seconds_max + ASK_GRACE_SECONDS},
    )
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_BYTES_MIN, compresslevel=COMPRESSION_LEVEL)
    if origins:
        # Without credentials: a cookie never counts for another origin; what a listed page sends is a key.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=sorted(origins),
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["*"],
            expose_headers=["ETag", "Retry-After", "X-Request-Id", "RateLimit-Remaining", "RateLimit-Reset"],
            max_age=600,
        )
    app.add_middleware(Edge, origins=origins, public=_public(settings.public_url))


def add_path_keys(app: FastAPI) -> None:
    """Take keys out of paths. Whatever is added after this, and logs paths, would log keys."""
    app.add_middleware(PathKeys)


@dataclass(frozen=True, slots=True)
class PathKeys:
    """Middleware: `/k/<key>/v1/logs` is `/v1/logs` with that key."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its key where headers would have it."""
        if scope["type"] == "http" and scope["path"].startswith(PATH_KEY_PREFIX):
            key, slash, rest = scope["path"].removeprefix(PATH_KEY_PREFIX).partition("/")
            state = {**scope.get("state", {}), PATH_KEY: key or "-"}
            path = slash + rest or "/"
            scope = {**scope, "path": path, "raw_path": quote(path).encode(), "state": state}
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class Edge:
    """Middleware: who may act from where, and what every answer says."""

    app: ASGIApp
    # Pages that may call, and where our own pages are, as scheme://host[:port].
    origins: frozenset[str] = frozenset()
    public: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless a page of somebody else's made it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_begun = False

        async def dress(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                self._dress(scope, message)
            await send(message)

        try:
            self._check_origin(HTTPConnection(scope))
            await self.app(scope, receive, dress)
        # The face of the product: whatever a request can bring about ends as an answer.
        except Exception as error:
            if is_begun:
                raise
            await translation.answered(scope["path"], error)(scope, receive, dress)

    def _check_origin(self, connection: HTTPConnection) -> None:
        """Raise if a page of another origin wants to change something through somebody's browser."""
        if connection.scope["method"] in SAFE_METHODS or is_deliberate(connection):
            return
        headers = connection.headers
        origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site", "")
        if origin is None:
            is_foreign = site in ("cross-site", "same-site")
        else:
            own = (
                {self.public} if self.public else {f"{scheme}://{headers.get('Host')}" for scheme in ("http", "https")}
            )
            is_foreign = origin not in self.origins | own
        if is_foreign:
            raise Refused(
                "A page of another origin may not act here.",
                field="Origin",
                remedy="Use Hindcast's own address, send a key, or list the origin in cors_origins.",
            )

    def _dress(self, scope: Scope, message: Message) -> None:
        headers = MutableHeaders(scope=message)
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if self.public.startswith("https:"):
            headers.setdefault("Strict-Transport-Security", HSTS)
        if is_api(scope["path"]):
            # What one caller may see is no other's: no cache between them keeps it.
            headers.setdefault("Cache-Control", "private, no-cache")
            headers.add_vary_header("Authorization, Cookie")
        allowance: Allowance | None = scope.get("state", {}).get(ALLOWANCE)
        if allowance is not None:
            headers.update(allowance.headers)
        # A line end in a value would begin a header of somebody else's choosing.
        message["headers"] = [(name, _CONTROLS.sub(b" ", value)) for name, value in message["headers"]]


def _recognise(scope: Scope) -> None:
    scope["app"].state.doorkeeper.recognise(HTTPConnection(scope))


def _origins(given: str) -> frozenset[str]:
    """The origins that are listed, each as browsers write it."""
    origins = frozenset(one.strip().rstrip("/") for one in given.split(",") if one.strip())
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.hostname or origin != f"{parts.scheme}://{parts.netloc}":
            raise Malformed(
                f"{origin!r} is not an origin.",
                field="cors_origins",
                remedy="List each as https://app.example.com, with commas between; there is no way to allow all.",
            )
    return origins


def _public(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
