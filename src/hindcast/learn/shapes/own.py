"""Hindcast's own shape: cases as `hindcast incident show --json` and the body of their records hold them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hindcast.learn.shapes.row import Row
from hindcast.model.case import Case, from_json

_OWN = ("attempts", "clues", "symptoms", "supersedes", "resolution")


def recognise(row: Mapping[str, object]) -> bool:
    """Whether a row is a case as Hindcast writes it."""
    inside = row.get("body")
    fields = inside if isinstance(inside, dict) else row
    return {"id", "title", "occurred_at"} <= set(fields) and any(name in fields for name in _OWN)


def read(row: Row, fallback_at: datetime) -> Case:
    """The case itself; the time of the file is never needed."""
    del fallback_at
    inside = row.fields.get("body")
    return from_json(inside if isinstance(inside, dict) else row.fields)
