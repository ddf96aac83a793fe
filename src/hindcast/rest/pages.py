"""The web pages: files built beforehand (`make web`), and one page for every address that is no other route's.

They are answered only to whoever asks for HTML, so that senders and scripts find what they always found, and never
below a path that begins like one of the API or of a protocol.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

STATIC = Path(__file__).resolve().parent.parent / "static"
PAGE = "index.html"
ASSETS = "assets/"
# What a browser can take, the smallest first.
ENCODINGS = {"br": ".br", "gzip": ".gz"}
# Scripts are files of ours and nothing else. Styles may also stand in the page: the parts that dialogs and editors are
# made of put some there, and with pictures, fonts and connections bound to ourselves no style can send anything away.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        # No text becomes markup or script, whatever part of a page would have it so: a browser refuses.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
PAGE_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
}
# Their names hold their digest: what is behind one never changes.
ASSET_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}
# Some systems know other types for these, or none.
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


@dataclass(frozen=True, slots=True)
class File:
    """A built file, as it is and compressed."""

    content: bytes
    media_type: str
    encoded: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def etag(self) -> str:
        """What it is known by; of a page that is asked for again and again."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    def answer(self, request: Request, headers: Mapping[str, str]) -> Response:
        """In the smallest way that the browser takes."""
        told = {**headers, "ETag": self.etag, "Vary": "Accept-Encoding"}
        if self.etag in request.headers.get("If-None-Match", ""):
            return Response(status_code=304, headers=told)
        accepted = {part.partition(";")[0].strip() for part in request.headers.get("Accept-Encoding", "").split(",")}
        for encoding, content in self.encoded.items():
            if encoding in accepted:
                return Response(content, 200, {**told, "Content-Encoding": encoding}, media_type=self.media_type)
        return Response(self.content, 200, told, media_type=self.media_type)


def add(app: FastAPI, folder: Path = STATIC) -> None:
    """Add the pages. Every other route is added before this; without a built page there is nothing to add."""
    files = built(folder)
    page = files.get(PAGE)
    if page is None:
        return

    async def show(request: Request) -> Response:
        return page.answer(request, PAGE_HEADERS)

    async def hand_out(request: Request) -> Response:
        name = request.url.path.lstrip("/")
        return files[name].answer(request, ASSET_HEADERS if name.startswith(ASSETS) else PAGE_HEADERS)

    names = frozenset(files) - {PAGE}
    taken = frozenset(map(_first, app.routes)) | {name.partition("/")[0] for name in names}
    # Before what a shipper asks at "/": only who wants HTML gets here.
    app.router.routes[:0] = [FileRoute(names, hand_out), PageRoute(taken, show)]


@cache
def built(folder: Path) -> Mapping[str, File]:
    """Every built file by its path."""
    paths = {PurePosixPath(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    found = {str(name): path for name, path in paths.items() if not any(part.startswith(".") for part in name.parts)}
    return {
        name: File(path.read_bytes(), _type(name), dict(_encoded(name, found)))
        for name, path in found.items()
        if not name.endswith(tuple(ENCODINGS.values()))
    }


class FileRoute(Route):
    """Files by their names, and nothing else below the same folder."""

    def __init__(self, names: frozenset[str], endpoint: object) -> None:
        super().__init__("/{file:path}", endpoint, methods=["GET"], name="files", include_in_schema=False)  # type: ignore[arg-type]
        self._names = names

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether there is such a file."""
        if scope["type"] != "http" or scope["path"].lstrip("/") not in self._names:
            return Match.NONE, {}
        return super().matches(scope)


class PageRoute(Route):
    """The page, for browsers that open an address which begins like no other route."""

    def __init__(self, taken: frozenset[str], endpoint: object) -> None:
        super().__init__("/{page:path}", endpoint, methods=["GET"], name="pages", include_in_schema=False)  # type: ignore[arg-type]
        self._taken = taken - {""}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a browser wants a page here."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return Match.NONE, {}
        first = scope["path"].lstrip("/").partition("/")[0]
        wants_page = "text/html" in Headers(scope=scope).get("Accept", "")
        # A name with a dot is a file's; where it is not there, a page in its place would be a riddle.
        if not wants_page or first in self._taken or first.startswith("_") or "." in first:
            return Match.NONE, {}
        return super().matches(scope)


def _first(route: BaseRoute) -> str:
    """How the path of a route begins; empty where anything may stand there."""
    first = str(getattr(route, "path", "")).lstrip("/").partition("/")[0]
    return "" if first.startswith("{") else first


def _encoded(name: str, found: Mapping[str, Path]) -> Iterable[tuple[str, bytes]]:
    return ((encoding, found[name + end].read_bytes()) for encoding, end in ENCODINGS.items() if name + end in found)


def _type(name: str) -> str:
    end = PurePosixPath(name).suffix
    return _TYPES.get(end) or mimetypes.guess_type(name)[0] or "application/octet-stream"
