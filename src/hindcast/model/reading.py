"""Values out of JSON: made valid once, with an error that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from hindcast.model.errors import Malformed

Value = TypeVar("Value")

_ready: set[Any] = set()


def ready(*kinds: Any) -> None:  # noqa: ANN401
    """Let msgspec learn types now, at the end of the module that reads them.

    It learns a class when it first reads one. Where two threads let it learn the same class at once, it crashes or
    waits for ever (0.19 to 0.22): whatever several threads may read is learnt while its module is imported.
    """
    for kind in kinds:
        msgspec.json.Decoder(kind)
        _ready.add(kind)


def is_ready(kind: Any) -> bool:  # noqa: ANN401
    """Whether a type was learnt before anybody read it."""
    return kind in _ready


def read_value(kind: type[Value], body: Mapping[str, Any], *, what: str, remedy: str) -> Value:
    """The value that was written as JSON values. Fields that this version does not know are left out.

    Raises Malformed when a field is missing or of the wrong type; `what` is what the value is called.
    """
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise Malformed(
            f"This is no {what}: {problem}.", field=place.strip("`").removeprefix("$.") or None, remedy=remedy
        ) from error


def check_time(time: datetime, *, field: str) -> None:
    """Raise Malformed unless a time has a timezone."""
    if time.tzinfo is None:
        raise Malformed(
            f"{time.isoformat()} has no timezone.", field=field, remedy="Write times as 2026-11-15T02:03:04Z."
        )
