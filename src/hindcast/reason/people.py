"""Who knows: everybody who had a hand in cases of the same failure, with what they did in one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hindcast.model.diagnosis import Claim
from hindcast.model.recollection import Remembered
from hindcast.reason.pool import Member
from hindcast.reason.wording import last, listed, one_line, plain_name

PEOPLE_MAX = 5
NAME_CHARS_MAX = 60


@dataclass
class _Part:
    """What one person did, case by case."""

    name: str
    done: dict[str, tuple[Member, list[str]]] = field(default_factory=dict)


def people(members: Sequence[Member], lead: Remembered, now: datetime) -> tuple[Claim, ...]:
    """Those of the leading case first: who fixed it, found the cause, tried something, or was there.

    Each is told with what they did in one case, the leading one or else their newest; that record is the first of the
    evidence. In how many cases they had a part is a count, and the others of the evidence are what is counted.
    """
    parts: dict[str, _Part] = {}
    for member in sorted(members, key=lambda one: (one.remembered is not lead, -one.case.occurred_at.timestamp())):
        for named, deed in _hands(member):
            who = one_line(named, NAME_CHARS_MAX)
            part = parts.setdefault(who.casefold(), _Part(who))
            _, deeds = part.done.setdefault(member.ref, (member, []))
            if deed not in deeds:
                deeds.append(deed)
    ordered = sorted(parts.values(), key=lambda one: _by_deeds(one, lead))
    return tuple(Claim(_told(one, now), tuple(one.done)) for one in ordered[:PEOPLE_MAX])


def _by_deeds(one: _Part, lead: Remembered) -> tuple[float | str, ...]:
    first, deeds = next(iter(one.done.values()))
    best = min(_DEEDS.index(deed) for deed in deeds)
    fixed = sum(_FIXED in each for _, each in one.done.values())
    return (
        first.remembered is not lead,
        best,
        -fixed,
        -len(deeds),
        -first.case.occurred_at.timestamp(),
        one.name.casefold(),
    )


# Older imports signed their notes with the name of the command, which is nobody.
_IMPORTER = "import"
_FIXED, _FOUND, _TRIED, _WAS_THERE = _DEEDS = ("fixed it", "found the cause", "tried something", "was there")


def _hands(member: Member) -> Iterator[tuple[str, str]]:
    case = member.case
    if case.resolution is not None and case.resolution.by:
        yield case.resolution.by, _FIXED
    if case.cause is not None and case.cause.by:
        yield case.cause.by, _FOUND
    named = {
        name.casefold() for name in (case.resolution.by if case.resolution else "", case.cause.by if case.cause else "")
    }
    for attempt in case.attempts:
        if attempt.by and attempt.by.casefold() not in named:
            yield attempt.by, _TRIED
    named |= {attempt.by.casefold() for attempt in case.attempts}
    for name in (*case.responders, *(note.by for note in case.notes if note.by != _IMPORTER)):
        if name and name.casefold() not in named:
            yield name, _WAS_THERE


def _told(one: _Part, now: datetime) -> str:
    member, deeds = next(iter(one.done.values()))
    did = listed([deed for deed in _DEEDS if deed in deeds])
    told = f"{plain_name(one.name)}: {did}, {last(member.case.occurred_at, now)}"
    return told if len(one.done) == 1 else f"{told}; had a part in {len(one.done)} incidents of this kind"
