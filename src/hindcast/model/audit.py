"""The audit trail: who did and saw what, each entry sealed to the one before it in its organisation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256

# Before the first entry of an organisation there is nothing.
FIRST_DIGEST = "0" * 64
# A year, which is what yearly reviews look back over, and a month in which to do them.
AUDIT_DAYS_KEPT = 400
# Names that callers make up end up in entries; none of them may make an entry large.
AUDIT_CHARS_MAX = 300


class Decision(StrEnum):
    """What came of asking."""

    ALLOWED = "allowed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that somebody did, saw, or was kept from; or the same thing several times within a minute."""

    at: datetime
    # In whose trail it stands.
    organisation: str
    # How commits name the caller.
    actor: str
    # How the caller was recognised, and by which id; "nobody" where it was not.
    kind: str
    caller: str
    # The permission and the route, tool or command, for example "read GET /api/v1/incidents".
    what: str
    space: str = ""
    # What it was about: a person, a key, an incident.
    subject: str = ""
    outcome: Decision = Decision.ALLOWED
    # The address that the request came from.
    peer: str = ""
    # How often, between `at` and `until`.
    count: int = 1
    until: datetime | None = None
    # Its number in the organisation's trail, and what seals it; given when it is written.
    seq: int = 0
    digest: str = ""

    def __post_init__(self) -> None:
        for name in ("organisation", "actor", "what", "space", "subject", "peer", "caller"):
            given = getattr(self, name)
            if len(given) > AUDIT_CHARS_MAX or not given.isprintable():
                shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in given)
                object.__setattr__(self, name, shown[:AUDIT_CHARS_MAX])

    @property
    def sameness(self) -> tuple[str, ...]:
        """What entries have in common that are counted as one."""
        asked = (self.what, self.space, self.subject, str(self.outcome))
        return (self.organisation, self.kind, self.caller, *asked, self.peer)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries somebody wants to see; what is empty does not count."""

    # Only entries with a smaller number, or with a greater one.
    before: int = 0
    after: int = 0
    since: datetime | None = None
    until: datetime | None = None
    actor: str = ""
    space: str = ""
    # A part of it is enough.
    what: str = ""
    outcome: str = ""
    is_oldest_first: bool = False
    entries_max: int = 100


@dataclass(frozen=True, slots=True)
class Chained:
    """What checking a trail saw. Write down `head` elsewhere: a trail that was cut short or made anew has another."""

    organisation: str
    entries: int
    # The numbers of the first and the last entry that are kept.
    first: int
    last: int
    head: str
    faults: tuple[str, ...] = ()


def sealed(entry: AuditEntry, *, seq: int, previous: str) -> AuditEntry:
    """The entry as it is written after the one with that digest."""
    numbered = replace(entry, seq=seq, digest="")
    return replace(numbered, digest=sha256(previous.encode() + _canonical(numbered)).hexdigest())


def checked(organisation: str, start: tuple[int, str], entries: Iterable[AuditEntry]) -> Chained:
    """Recompute a trail from the number and digest that it starts after."""
    seq, digest = start
    first, count, faults = seq + 1, 0, list[str]()
    for entry in entries:
        count += 1
        if entry.seq != seq + 1:
            faults.append(f"Entries {seq + 1} to {entry.seq - 1} are missing.")
        elif sealed(entry, seq=entry.seq, previous=digest).digest != entry.digest:
            faults.append(f"Entry {entry.seq} is not what was written.")
        seq, digest = entry.seq, entry.digest
    return Chained(organisation, count, first, seq, digest, tuple(faults))


def _canonical(entry: AuditEntry) -> bytes:
    told = [
        entry.organisation,
        entry.seq,
        entry.at.astimezone(UTC).isoformat(),
        entry.until.astimezone(UTC).isoformat() if entry.until is not None else "",
        entry.actor,
        entry.kind,
        entry.caller,
        entry.what,
        entry.space,
        entry.subject,
        str(entry.outcome),
        entry.peer,
        entry.count,
    ]
    return json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode()
