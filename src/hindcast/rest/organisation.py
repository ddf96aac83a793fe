"""What the routes about an organisation share: whose it is, its pages, and what may be overwritten."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

import msgspec
from fastapi import Query
from pydantic import StringConstraints

from hindcast.model.access import HOME, Caller
from hindcast.model.account import ACCOUNT_NAME_CHARS_MAX, EMAIL_CHARS_MAX, PASSWORD_CHARS_MAX, TITLE_CHARS_MAX
from hindcast.rest.conditions import Unmatched
from hindcast.rest.paging import Page, cursor_of, position_of

T = TypeVar("T")

OfOrganisation = Annotated[
    str | None,
    Query(max_length=ACCOUNT_NAME_CHARS_MAX, description="The organisation; the caller's own if there is only one."),
]
# What people type. How it has to look is checked where it is kept; here only that it cannot be endless.
Name = Annotated[str, StringConstraints(min_length=1, max_length=ACCOUNT_NAME_CHARS_MAX)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=TITLE_CHARS_MAX)]
Email = Annotated[str, StringConstraints(min_length=3, max_length=EMAIL_CHARS_MAX)]
Password = Annotated[str, StringConstraints(min_length=1, max_length=PASSWORD_CHARS_MAX)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=EMAIL_CHARS_MAX)]
Secret = Annotated[str, StringConstraints(min_length=1, max_length=300)]


def organisation_for(caller: Caller, named: str | None) -> str:
    """The organisation that a request is about."""
    own = {right.organisation for right in caller.rights}
    return named or (own.pop() if len(own) == 1 else HOME)


def page_of(items: Sequence[T], name: Callable[[T], str], cursor: str | None, limit: int) -> Page[T]:
    """A page of a list that is short enough to be at hand as a whole, in the order of names."""
    after = str(position_of(cursor, str)[0]) if cursor else ""
    rest = sorted((item for item in items if name(item) > after), key=name)
    more = cursor_of(name(rest[limit - 1])) if len(rest) > limit else None
    return Page(tuple(rest[:limit]), more)


def tag_of(value: object) -> str:
    """The ETag of a value that has no version: what it says, in short."""
    return f'"{hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:16]}"'


def check_match(if_match: str | None, value: object) -> None:
    """Raise unless a write was decided on this value."""
    if if_match is not None and if_match.strip() not in ("*", tag_of(value)):
        raise Unmatched("Somebody has changed it meanwhile.", field="If-Match", remedy="Read it again, then decide.")
