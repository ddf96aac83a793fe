"""Turns rows of answers into values, and times into the numbers that queries are asked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hindcast.model.errors import Damaged, Malformed
from hindcast.model.signal import Alert, ChangeKind, Edge, Severity, Status, SystemChange
from hindcast.ports import Counted, Kept, Line, Span

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: datetime) -> int:
    """A time as queries take it: exact, and in nobody's timezone."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def window(since: datetime, until: datetime) -> dict[str, int]:
    """The bounds of a window, as queries take them."""
    for field, moment in (("since", since), ("until", until)):
        if moment.tzinfo is None:
            raise Malformed(
                f"{moment} has no timezone.", field=field, remedy="Give an aware time, as in 2026-01-01T00:00:00Z."
            )
    return {"since_us": microseconds(since), "until_us": microseconds(until)}


def steps(step_seconds: int) -> int:
    """The width of a step, if it can be one."""
    if not isinstance(step_seconds, int) or step_seconds < 1:
        raise Malformed(
            f"{step_seconds!r} is not a width of steps.", field="step_seconds", remedy="Give whole seconds, at least 1."
        )
    return step_seconds


def most(field: str, wanted: int) -> int:
    """A number of answers, if it can be one."""
    if not isinstance(wanted, int) or wanted < 1:
        raise Malformed(f"{wanted!r} is not a number of answers.", field=field, remedy="Give a whole number above 0.")
    return wanted


def line(row: Mapping[str, Any]) -> Line:
    """A log line."""
    return Line(
        time=row["time"],
        service=row["service"],
        level=row["level"],
        message=row["message"],
        stack=row["stack"],
        trace=row["trace"],
        template=row["template"],
        fingerprint=row["fingerprint"],
        attributes=dict(row["attributes"]),
    )


def span(row: Mapping[str, Any]) -> Span:
    """A piece of work within a trace."""
    return Span(**{**row, "attributes": dict(row["attributes"])})


def counted(row: Mapping[str, Any]) -> Counted:
    """A template or a fingerprint with how often it was seen."""
    return Counted(
        id=row["id"], text=row["text"], count=row["seen"], first_at=row["first_at"], service=row["most_in"]
    )  # fmt: skip


def kept(row: Mapping[str, Any]) -> Kept:
    """How much there is of a kind; of nothing there is no oldest."""
    return Kept(row["kind"], row["rows"], row["oldest"] if row["rows"] else None)


def edge(row: Mapping[str, Any]) -> Edge:
    """Who called whom."""
    return Edge(caller=row["caller"], callee=row["callee"], calls=row["calls"], errors=row["errors"])


def change(row: Mapping[str, Any]) -> SystemChange:
    """A change of the watched system."""
    texts = {name: row[name] for name in ("source", "key", "service", "title", "actor", "ref", "url")}
    try:
        return SystemChange(**texts, kind=ChangeKind(row["kind"]), at=row["at"], labels=dict(row["labels"]))
    except ValueError as error:
        raise _damaged("change", row, error) from error


def alert(row: Mapping[str, Any]) -> Alert:
    """An alert of another system."""
    texts = {name: row[name] for name in ("source", "key", "title", "service", "url", "text", "stack")}
    try:
        return Alert(
            **texts,
            status=Status(row["status"]),
            severity=Severity(row["severity"]),
            started_at=row["started_at"],
            ended_at=row["ended_at"],
            labels=dict(row["labels"]),
        )
    except ValueError as error:
        raise _damaged("alert", row, error) from error


def names(field: str, given: Sequence[str]) -> list[str]:
    """A list of names. A single string is a sequence too, of letters, and never meant."""
    if isinstance(given, str):
        raise Malformed(f"{given!r} is one name, not several.", field=field, remedy="Give a list of names.")
    return list(given)


def _damaged(what: str, row: Mapping[str, Any], error: ValueError) -> Damaged:
    return Damaged(
        f"The {what} {row['key']!r} of {row['source']} cannot be read: {error}.",
        remedy="Restore a copy, or upgrade Hindcast if a newer one wrote it.",
    )
