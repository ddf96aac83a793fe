"""Pages of a list: items, and a cursor that continues exactly where they end, whatever is written meanwhile."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import msgspec
from fastapi import Query

from hindcast.model.errors import Malformed

ITEMS_MAX = 200
ITEMS_IF_UNSAID = 50
CURSOR_CHARS_MAX = 1_000

T = TypeVar("T")

Cursor = Annotated[
    str | None, Query(max_length=CURSOR_CHARS_MAX, description="`next` of the page before; the first page if left out.")
]
Limit = Annotated[int, Query(ge=1, le=ITEMS_MAX, description="How many items a page holds at most.")]


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, and where it goes on."""

    items: tuple[T, ...]
    # Opaque; None at the end.
    next: str | None = None


def cursor_of(*position: str | int) -> str:
    """A cursor that names a position in a list."""
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def position_of(cursor: str, *kinds: type) -> tuple[str | int, ...]:
    """The position that a cursor names; each part has to be of the kind that the list expects."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        position = tuple(msgspec.json.decode(raw, type=list[str | int]))
    except (ValueError, binascii.Error, msgspec.DecodeError) as error:
        raise _no_cursor(cursor) from error
    if len(position) != len(kinds) or not all(type(part) is kind for part, kind in zip(position, kinds, strict=True)):
        raise _no_cursor(cursor)
    return position


def _no_cursor(cursor: str) -> Malformed:
    return Malformed(
        f"{cursor[:40]!r} is not a cursor of this list.",
        field="cursor",
        remedy="Use `next` of the page before as it is, or leave it out to begin anew.",
    )
