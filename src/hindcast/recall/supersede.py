"""Which memory replaces which, decided among the cases that came to mind, and never by age alone.

A newer case takes the place of an older one when somebody said so, or when both are the same failure for the same
reason and the newer one found another fix. What is replaced stays in the list, behind, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hindcast.model.case import Case, CaseState
from hindcast.model.recollection import Remembered
from hindcast.recall.kinship import is_recurrence, same_cause, same_fix, trust


def supersede(remembered: Sequence[Remembered]) -> tuple[Remembered, ...]:
    """The same cases; each replaced one is gated, and the one that replaces it matches at least as well."""
    by_id = {one.case.id: one for one in remembered}
    heirs = {one.case.id: found for one in remembered if (found := _heir(one, remembered)) is not None}
    if not heirs:
        return tuple(remembered)
    changed = dict(by_id)
    for older in heirs:
        heir, why = _last_heir(older, heirs)
        old, new = changed[older], changed[heir]
        changed[heir] = replace(
            new,
            score=max(new.score, old.score),
            confidence=max(new.confidence, old.confidence),
            reasons=(*new.reasons, f"it replaces what was learnt in {old.address}"),
        )
        changed[older] = replace(
            old, gates=(*old.gates, f"superseded by {new.address}: {why}"), superseded_by=new.address
        )
    return tuple(changed[one.case.id] for one in remembered)


def _heir(older: Remembered, among: Sequence[Remembered]) -> tuple[str, str] | None:
    """The id of the case that replaces this one, and why."""
    found: list[tuple[bool, Remembered, str]] = []
    for newer in among:
        # What other spaces know replaces nothing here, and what is held back itself cannot replace anything.
        if newer is older or newer.space != older.space or newer.gates:
            continue
        if older.case.id in newer.case.supersedes and newer.case.id not in older.case.supersedes:
            found.append((True, newer, "it says so"))
        elif _another_lesson(newer.case, older.case):
            found.append((False, newer, "the same failure came back, and something else ended it"))
    if not found:
        return None
    # Somebody's word comes before our own conclusion, and the newest before the others.
    _, heir, why = max(found, key=lambda item: (item[0], item[1].case.occurred_at, item[1].version))
    return heir.case.id, why


def _another_lesson(newer: Case, older: Case) -> bool:
    """Whether a later case of the very same failure was ended otherwise, by somebody who can be believed as much."""
    if newer.occurred_at <= older.occurred_at or newer.state is not CaseState.RESOLVED or newer.resolution is None:
        return False
    if not is_recurrence(newer, older):
        return False
    # One stack can have two causes; then both lessons stand. A case that knows no cause has none to stand by.
    if newer.cause is None or same_cause(newer, older) is False:
        return False
    return same_fix(newer, older) is False and trust(newer) >= trust(older)


def _last_heir(older: str, heirs: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """Whoever stands at the end of a line of replacements; a circle ends where it would begin again."""
    seen = {older}
    heir, why = heirs[older]
    while heir in heirs and heir not in seen:
        seen.add(heir)
        following, _ = heirs[heir]
        if following in seen:
            break
        heir = following
    return heir, why
