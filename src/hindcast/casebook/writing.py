"""Writes what was made out of what was read, and only on that: whoever comes in between is never overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hindcast.memory import Memory, View
from hindcast.model.errors import Stale
from hindcast.model.record import MAIN, Change, Commit

# Each try that fails means that somebody else's commit went through; nobody meets so many in a row.
TRIES_MAX = 50

# What to write, made from what memory shows; made anew when somebody else has written meanwhile.
Plan = Callable[[View], Sequence[Change]]


def write(memory: Memory, plan: Plan, *, actor: str, why: str, branch: str = MAIN) -> Commit | None:
    """Commit what a plan makes of the present. None: the plan has nothing to change.

    Raises Stale when others write so fast that no try succeeds.
    """
    for _ in range(TRIES_MAX):
        # The head comes first: whatever is read after it and was written after it makes the commit stale.
        newest = memory.log(branch, commits_max=1)
        changes = plan(memory.now(branch))
        if not changes:
            return None
        try:
            return memory.commit(
                changes, actor=actor, why=why, branch=branch, expected_head=newest[0].id if newest else None
            )
        except Stale:
            continue
    raise Stale(
        f"Others wrote {TRIES_MAX} times while this was being written.", field="branch", remedy="Try again in a moment."
    )
