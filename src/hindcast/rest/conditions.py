"""ETags: an answer says which version it shows, and a write may say which version it was decided on.

The version of an incident has two parts: what people know (its case) and what detection sees. Detection counts on while
somebody types, so a write is compared with the first part only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Header

from hindcast.model.errors import Malformed, Stale

_VERSION = re.compile(r'"(\d{1,18})(?:-\d{1,18})?"')

IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", max_length=200, description="Write only if the ETag is still this one; else 412."),
]
IfNoneMatch = Annotated[
    str | None,
    Header(alias="If-None-Match", max_length=1_000, description="Answer 304 if the ETag is still one of these."),
]


class Unmatched(Stale):
    """What was read is no longer what is there: read again, then decide (HTTP 412)."""


def etag(version: str | int) -> str:
    """The ETag of a version."""
    return f'"{version}"'


def is_known(if_none_match: str | None, tag: str) -> bool:
    """Whether whoever asks has this version already."""
    given = [one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")]
    return tag in given or "*" in given


def expected_version(if_match: str | None) -> int | None:
    """The version that a write was decided on; None: whatever is there."""
    if if_match is None or if_match.strip() == "*":
        return None
    found = _VERSION.fullmatch(if_match.strip())
    if found is None:
        raise Malformed(
            f"{if_match[:40]!r} is no ETag of this.",
            field="If-Match",
            remedy='Send the ETag of the answer you have read as it is, as in "17-203", or leave it out.',
        )
    return int(found[1])


@contextmanager
def matching(if_match: str | None) -> Iterator[int | None]:
    """The version to expect; what turns out to be stale did not match."""
    expected = expected_version(if_match)
    try:
        yield expected
    except Stale as error:
        if if_match is None or isinstance(error, Unmatched):
            raise
        raise Unmatched(error.problem, field="If-Match", remedy=error.remedy) from error
