"""Who knows: everybody who had a hand in cases of the same failure, with what they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hindcast.model.diagnosis import Claim
from hindcast.reason.pool import Member
from hindcast.reason.wording import last, listed, one_line, times

PEOPLE_MAX = 5
NAME_CHARS_MAX = 60


@dataclass
class _Part:
    """What one person did, over all cases."""

    name: str
    done: Counter[str] = field(default_factory=Counter)
    refs: dict[str, datetime] = field(default_factory=dict)


def people(members: Sequence[Member], now: datetime) -> tuple[Claim, ...]:
    """Who fixed it, most often first, then who found the cause, tried something, or was there; then who did it last."""
    parts: dict[str, _Part] = {}
    for member in members:
        for named, deed in dict.fromkeys(_hands(member)):
            name = one_line(named, NAME_CHARS_MAX)
            part = parts.setdefault(name.casefold(), _Part(name))
            part.done[deed] += 1
            part.refs[member.ref] = member.case.occurred_at
    ordered = sorted(parts.values(), key=_by_deeds)
    return tuple(Claim(_told(one, now), _newest_first(one)) for one in ordered[:PEOPLE_MAX])


def _by_deeds(one: _Part) -> tuple[float | str, ...]:
    return (*(-one.done[deed] for deed in _DEEDS), -max(one.refs.values()).timestamp(), one.name.casefold())


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
    did = [deed if one.done[deed] == 1 else f"{deed} {times(one.done[deed])}" for deed in _DEEDS if one.done[deed]]
    return f"{one.name}: {listed(did)}, {last(max(one.refs.values()), now)}"


def _newest_first(one: _Part) -> tuple[str, ...]:
    return tuple(sorted(one.refs, key=lambda ref: (-one.refs[ref].timestamp(), ref)))
