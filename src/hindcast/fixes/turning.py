"""Whether a record tells another outcome than it did: what was rejected then may deserve another look."""

from __future__ import annotations

from hindcast.casebook.layout import readable
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.errors import HindcastError


def has_turned(memory: Memory, then: str, now: str) -> bool:
    """Whether a case says something else came of what was tried, in its later version; both as `cases/x@412`."""
    address, _, earlier = then.rpartition("@")
    other, _, later = now.rpartition("@")
    if address != other or not earlier.isdigit() or not later.isdigit():
        return False
    try:
        versions = {record.version: record for record in memory.history(address)}
    except HindcastError:
        # Another space's, or erased since: nothing can be told of it.
        return False
    old, new = readable(versions.get(int(earlier))), readable(versions.get(int(later)))
    return old is not None and new is not None and _is_other(old.case, new.case)


def _is_other(old: Case, new: Case) -> bool:
    """Whether what was tried then is told to have come out otherwise, or something else to have ended it."""
    then = {attempt.id: attempt.outcome for attempt in old.attempts}
    if any(then.get(attempt.id, attempt.outcome) is not attempt.outcome for attempt in new.attempts):
        return True
    return _ending(old) != _ending(new)


def _ending(case: Case) -> tuple[str, str] | None:
    return (case.resolution.text, case.resolution.attempt) if case.resolution is not None else None
