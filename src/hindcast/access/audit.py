"""The audit trail as people use it: read, checked, taken away as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from hindcast.access.office import Office
from hindcast.model.access import Caller, organisation_of, project_of
from hindcast.model.audit import AuditEntry, AuditFilter, Chained, checked
from hindcast.model.errors import Malformed

ENTRIES_MAX = 1_000
# What is looked at in one read while a whole trail is checked or taken away.
_STEP = 1_000

_COLUMNS = (
    "seq", "at", "until", "count", "actor", "kind", "caller", "outcome", "what", "space", "subject", "peer", "digest"
)  # fmt: skip
# What a spreadsheet takes for a formula. An actor or a space can be called whatever somebody likes.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


class AuditForm(StrEnum):
    """How a trail is taken away."""

    JSON_LINES = "jsonl"
    CSV = "csv"


class Audit:
    """Reads the trails of organisations, for those who administer them."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def record(
        self, by: Caller, what: str, *, space: str = "", organisation: str = "", subject: str = "", peer: str = ""
    ) -> None:
        """Write down something that has to be durable before anybody is told that it was done."""
        self._office.trail.write(
            self._office.entry(by, what, organisation=organisation, space=space, subject=subject, peer=peer)
        )

    def organisations(self) -> tuple[str, ...]:
        """The organisations that have a trail, for whoever operates this installation."""
        return self._office.accounts.trails()

    def entries(
        self,
        organisation: str,
        *,
        by: Caller,
        before: int = 0,
        limit: int = 100,
        since: datetime | None = None,
        until: datetime | None = None,
        actor: str = "",
        space: str = "",
        what: str = "",
        outcome: str = "",
    ) -> tuple[AuditEntry, ...]:
        """Entries of a trail, newest first. Who administers one project only has to ask for its space."""
        self._look("read audit", organisation, space, by)
        if not 1 <= limit <= ENTRIES_MAX:
            raise Malformed(
                f"{limit} entries at a time are not given.",
                field="limit",
                remedy=f"Ask for 1 to {ENTRIES_MAX}, and go on from the last one.",
            )
        wanted = AuditFilter(before, 0, since, until, actor, space, what, outcome, entries_max=limit)
        return self._office.accounts.entries(organisation, wanted)

    def verify(self, organisation: str, *, by: Caller) -> Chained:
        """Recompute a whole trail."""
        self._office.look(by, "verify audit", organisation=organisation)
        start = self._office.accounts.trail_start(organisation)
        return checked(organisation, start, self._all(organisation, AuditFilter()))

    def export(
        self,
        organisation: str,
        form: str = AuditForm.CSV,
        *,
        by: Caller,
        since: datetime | None = None,
        until: datetime | None = None,
        space: str = "",
    ) -> Iterator[str]:
        """A trail as lines of text, oldest first, each ending with a new line."""
        self._look("export audit", organisation, space, by)
        if form not in tuple(AuditForm):
            raise Malformed(f"{form!r} is no form.", field="form", remedy=f"Choose {', '.join(AuditForm)}.")
        entries = self._all(organisation, AuditFilter(since=since, until=until, space=space))
        return _csv(entries) if form == AuditForm.CSV else _json_lines(entries)

    def _look(self, what: str, organisation: str, space: str, by: Caller) -> None:
        is_inside = space and organisation_of(space) == organisation
        self._office.look(by, what, organisation=organisation, project=project_of(space) if is_inside else "")

    def _all(self, organisation: str, wanted: AuditFilter) -> Iterator[AuditEntry]:
        after = wanted.after
        while True:
            step = replace(wanted, after=after, is_oldest_first=True, entries_max=_STEP)
            found = self._office.accounts.entries(organisation, step)
            yield from found
            if len(found) < _STEP:
                return
            after = found[-1].seq


def plain(entry: AuditEntry) -> dict[str, str | int | None]:
    """An entry as plain values with names that stay as they are."""
    return {
        "seq": entry.seq,
        "at": entry.at.isoformat(),
        "until": entry.until.isoformat() if entry.until is not None else None,
        "count": entry.count,
        "actor": entry.actor,
        "kind": entry.kind,
        "caller": entry.caller,
        "outcome": str(entry.outcome),
        "what": entry.what,
        "space": entry.space,
        "subject": entry.subject,
        "peer": entry.peer,
        "digest": entry.digest,
    }


def _json_lines(entries: Iterator[AuditEntry]) -> Iterator[str]:
    return (json.dumps(plain(entry), ensure_ascii=False) + "\n" for entry in entries)


def _csv(entries: Iterator[AuditEntry]) -> Iterator[str]:
    yield ",".join(_COLUMNS) + "\r\n"
    for entry in entries:
        told = plain(entry)
        yield ",".join(_cell(told[column]) for column in _COLUMNS) + "\r\n"


def _cell(value: str | int | None) -> str:
    """A value between commas. What a spreadsheet would run gets an apostrophe, with which it is shown instead."""
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    safe = f"'{value}" if value.startswith(_FORMULA) else value
    doubled = safe.replace('"', '""')
    return f'"{doubled}"' if doubled else ""
