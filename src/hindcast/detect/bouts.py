"""Bouts: a service that is hit again is not in the story of what hit it before, unless that was still going on.

Whether a new bout is a relapse or part of something else is told by what else is in trouble: alone, it is the same
incident again; with others that began after the earlier bout was over, it is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hindcast.detect import cascade, evidence
from hindcast.detect.book import Book
from hindcast.detect.trouble import Trouble, moment
from hindcast.model.incident import Affected, Incident


def is_separate(trouble: Trouble, first: datetime) -> bool:
    """Whether what came before the present bout of a service was over when other trouble began."""
    before = trouble.before
    return before is not None and cascade.was_over(before, min(first, moment(trouble.onset)))


def _leave(trouble: Trouble, home: Incident) -> Incident:
    """Let trouble go elsewhere with its present bout alone; returns the incident with what stays in it."""
    service, before = trouble.name[1], trouble.before
    assert before is not None, "only what had an earlier bout can leave it behind"
    trouble.incident, trouble.before = None, None
    affected = tuple(before if one.service == service else one for one in home.affected)
    ended_at = before.last_trouble_at + timedelta(seconds=1)
    findings = tuple(
        replace(one, onset_at=min(one.onset_at, before.onset_at), seen_at=min(one.seen_at, ended_at), ended_at=ended_at)
        if one.service == service and one.rule in trouble.findings
        else one
        for one in home.findings
    )
    last = max(one.last_trouble_at for one in affected)
    return replace(home, affected=affected, findings=findings, last_trouble_at=last)


def for_origin(parts: Mapping[str, Affected], mine: Iterable[Trouble]) -> list[Affected]:
    """The parts of an incident as they count for its origin: without bouts that were over before any other began."""
    found = dict(parts)
    bouts = {one.name[1]: one for one in mine if one.before is not None}
    for service in sorted(bouts, key=lambda one: parts[one].onset_at):
        others = [one.onset_at for name, one in found.items() if name != service]
        if others and is_separate(bouts[service], min(others)):
            found[service] = bouts[service].bout()
    return list(found.values())


def are_newer(mine: Sequence[Trouble], than: Trouble) -> bool:
    """Whether all that goes on in an incident is new, and what it was about was over when other trouble began."""
    return bool(mine) and all(is_separate(one, moment(than.onset)) for one in mine)


def move(mine: Iterable[Trouble], home: Incident, to: Incident, book: Book) -> None:
    """Let trouble go on in another incident with its present bout; what came before stays where it is."""
    for one in mine:
        home = _leave(one, home)
        evidence.attach(one, to)
    book.put(home)


def part(group: Sequence[Trouble], book: Book) -> None:
    """Leave behind what was over before a cascade began: it has a story of its own."""
    for trouble in group:
        home = book.find(trouble.name[0], trouble.incident) if trouble.incident else None
        first = min(one.onset for one in group if one is not trouble)
        if home is not None and not home.cascade and is_separate(trouble, moment(first)):
            book.put(_leave(trouble, home))
