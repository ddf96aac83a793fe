"""Values out of JSON: made valid once, with an error that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from hindcast.model.errors import Malformed

Value = TypeVar("Value")


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
