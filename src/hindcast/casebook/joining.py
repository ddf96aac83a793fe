"""One case out of two, and two out of one: what people decide about where an incident ends and another begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from hindcast.casebook import Casebook
from hindcast.casebook.layout import Kept
from hindcast.casebook.people import numbered
from hindcast.model.case import Attempt, Case, CaseState, Clues, Note, Resolution
from hindcast.model.errors import Malformed, Refused

SYMPTOMS_MAX = 40
LINKS_MAX = 50

T = TypeVar("T")


def link_to(case_id: str) -> str:
    """How one case points to another among its links."""
    return f"cases/{case_id}"


def join(casebook: Casebook, into: str, other: str, *, actor: str, why: str, expected: int | None = None) -> Case:
    """One case goes on with everything that the other holds; the other points to it and is no longer recalled."""
    if into == other:
        raise Malformed(f"{into} cannot be joined to itself.", field="other", remedy="Name two cases.")

    def decide(found: Sequence[Kept]) -> list[Kept]:
        first, second = found
        if first.joined_into:
            raise Refused(
                f"{into} is part of {first.joined_into}.", field="id", remedy=f"Join into {first.joined_into} instead."
            )
        if second.joined_into:
            raise Refused(
                f"{other} is already part of {second.joined_into}.",
                field="other",
                remedy=f"Join {second.joined_into} if that belongs here too.",
            )
        return [replace(first, case=absorbed(first.case, second.case)), pointing(second, into)]

    return casebook.revise([into, other], decide, actor=actor, why=why, expected=expected)[0].case


def split(
    casebook: Casebook,
    case_id: str,
    services: Iterable[str],
    *,
    new_id: str = "",
    actor: str,
    why: str,
    expected: int | None = None,
) -> tuple[Case, Case]:
    """Take services out of a case into one of their own. Detection does not put them back."""
    wanted = tuple(dict.fromkeys(name.strip() for name in services if name.strip()))
    if not wanted:
        raise Malformed("No service is named.", field="services", remedy="Name one or more: --services auth,user")
    new = new_id or f"{case_id}-{wanted[0]}"

    def decide(found: Sequence[Kept]) -> list[Kept]:
        whole = found[0]
        unknown = [name for name in wanted if name not in whole.case.services]
        if unknown:
            raise Malformed(
                f"{whole.case.id} does not have {', '.join(unknown)}.",
                field="services",
                remedy=f"It has {', '.join(whole.case.services) or 'none'}.",
            )
        if casebook.find(new) is not None:
            raise Refused(f"There is already a case {new}.", field="new_id", remedy="Choose another id with --as.")
        rest = tuple(name for name in whole.case.services if name not in wanted)
        if not rest:
            raise Malformed(
                "Nothing would be left of it.", field="services", remedy="Leave at least one service where it is."
            )
        return _apart(whole, wanted, rest, new)

    made = casebook.revise([case_id], decide, actor=actor, why=why, expected=expected)
    return made[0].case, made[1].case


def unlink(casebook: Casebook, case_id: str, *, actor: str, why: str, expected: int | None = None) -> Case:
    """Say that an incident does not repeat the earlier one that it is linked to. Detection does not link them again."""

    def decide(found: Sequence[Kept]) -> list[Kept]:
        kept = found[0]
        if not kept.case.previous:
            raise Refused(f"{case_id} is linked to no earlier incident.", field="id", remedy="There is nothing to do.")
        unlinked = _union(kept.unlinked, (kept.case.previous,))
        return [replace(kept, case=replace(kept.case, previous=""), unlinked=unlinked)]

    return casebook.revise([case_id], decide, actor=actor, why=why, expected=expected)[0].case


def _apart(whole: Kept, wanted: tuple[str, ...], rest: tuple[str, ...], new_id: str) -> list[Kept]:
    case = whole.case
    # What a symptom is about is known only where it names the service; the others stay in both.
    theirs = tuple(line for line in case.symptoms if not _names_any(line, rest) or _names_any(line, wanted))
    ours = tuple(line for line in case.symptoms if not _names_any(line, wanted) or _names_any(line, rest))
    new = Case(
        new_id,
        f"{', '.join(wanted)}: {case.title}",
        case.occurred_at,
        state=case.state,
        services=wanted,
        components=case.components,
        symptoms=theirs,
        stack=case.stack if not _names_any(case.stack, rest) else "",
        clues=case.clues,
        resolved_at=case.resolved_at,
        severity=case.severity,
        links=(link_to(case.id),),
        title_by=case.title_by,
        source=case.source,
    )
    left = replace(case, services=rest, symptoms=ours, links=_union(case.links, (link_to(new_id),))[-LINKS_MAX:])
    return [replace(whole, case=left, apart=_union(whole.apart, wanted)), Kept(new)]


def absorbed(home: Case, other: Case) -> Case:
    """A case with everything that another one holds; where both say something, its own word stays first."""
    moved = _renumbered(home.attempts, other.attempts)
    return replace(
        home,
        occurred_at=min(home.occurred_at, other.occurred_at),
        services=_union(home.services, other.services),
        components=_union(home.components, other.components),
        symptoms=_union(home.symptoms, other.symptoms)[:SYMPTOMS_MAX],
        stack=home.stack or other.stack,
        clues=together(home.clues, other.clues),
        cause=home.cause or other.cause,
        attempts=(*home.attempts, *moved.values()),
        resolution=home.resolution or _moved(other.resolution, {old: new.id for old, new in moved.items()}),
        responders=_union(home.responders, other.responders),
        course=home.course or other.course,
        notes=_with_notes(home.notes, other.notes),
        acknowledged=home.acknowledged or other.acknowledged,
        links=_union(home.links, (*(link for link in other.links if link != link_to(home.id)), link_to(other.id))),
        previous=home.previous or (other.previous if other.previous != home.id else ""),
    )


def pointing(kept: Kept, home: str) -> Kept:
    """A case that has become part of another: it is kept, points there, and is no longer recalled by itself."""
    case = replace(kept.case, state=CaseState.DISMISSED, links=_union(kept.case.links, (link_to(home),)))
    return replace(kept, case=case, joined_into=home)


def together(first: Clues, second: Clues) -> Clues:
    """The clues of both, the first's own first."""
    return Clues(
        _union(first.fingerprints, second.fingerprints),
        _union(first.exceptions, second.exceptions),
        _union(first.frames, second.frames),
        _union(first.identifiers, second.identifiers),
        _union(first.components, second.components),
        _union(first.errors, second.errors),
    )


def _renumbered(known: tuple[Attempt, ...], other: tuple[Attempt, ...]) -> dict[str, Attempt]:
    """The other case's attempts with ids that are free here, by their old ids; the same attempt is not taken twice."""
    taken = [one.id for one in known]
    moved: dict[str, Attempt] = {}
    for one in other:
        if any(replace(mine, id=one.id) == one for mine in known):
            continue
        free = numbered("a", taken)
        taken.append(free)
        moved[one.id] = replace(one, id=free)
    return moved


def _moved(resolution: Resolution | None, ids: dict[str, str]) -> Resolution | None:
    if resolution is None:
        return None
    return replace(resolution, attempt=ids.get(resolution.attempt, ""))


def _with_notes(known: tuple[Note, ...], other: tuple[Note, ...]) -> tuple[Note, ...]:
    notes = list(known)
    for note in other:
        if any((mine.text, mine.at, mine.by) == (note.text, note.at, note.by) for mine in notes):
            continue
        ids = [mine.id for mine in notes]
        notes.append(note if note.id not in ids else replace(note, id=numbered("n", ids)))
    return tuple(sorted(notes, key=lambda note: note.at))


def _names_any(text: str, services: Iterable[str]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in services)


def _union(first: Iterable[T], second: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))
