"""Merging and reverting: which moments to compare, and writing the result unless somebody has to choose first.

What becomes of each record is decided in `merge`; this is about where the sides parted and who moved meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hindcast.memory import merge
from hindcast.memory.ancestry import Ancestry, written_in
from hindcast.memory.history import History, Step
from hindcast.memory.moments import Moments, clip
from hindcast.model.answer import Choice, Conflicts, Merged, Moment, Policy
from hindcast.model.errors import Missing, Refused, Stale
from hindcast.model.limits import MemoryLimits
from hindcast.model.record import Action, Commit, Scope
from hindcast.ports import Store

# A branch that other writers keep moving is read again this often before the caller is told.
MERGE_ATTEMPTS_MAX = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """Who joins and why, and how disputes are to be settled."""

    actor: str
    why: str
    policy: Policy
    choices: Mapping[str, Choice]


def last_commit(store: Store, moment: Moment) -> Commit:
    """The newest commit that a moment includes on its own line."""
    found = store.commits(moment.scope, before=moment.seq + 1, after=0, commits_max=1)
    if not found:
        raise Missing("Nothing has been remembered yet.", field="moment", remedy="Commit something first.")
    return found[0]


class Joining:
    """Joins lines of history of one space."""

    def __init__(
        self, store: Store, moments: Moments, history: History, limits: MemoryLimits, sets: frozenset[str]
    ) -> None:
        self._store = store
        self._moments = moments
        self._history = history
        self._limits = limits
        self._sets = sets

    def merge(
        self, source: Callable[[], Moment], into: str, terms: Terms, *, expected_head: str | None
    ) -> Merged | Conflicts:
        """Join a moment into a branch; `source` is asked anew whenever the branch has moved meanwhile."""
        for _ in range(MERGE_ATTEMPTS_MAX):
            # The head is read first: whatever comes after it is either part of `ours` or makes the step stale.
            head = self._head(into)
            theirs, ours = source(), self._moments.head(into)
            if theirs.branch == into:
                raise Refused(f"{into!r} cannot be merged with itself.", field="source", remedy="Name another branch.")
            ancestry = Ancestry(self._store, self._moments)
            if ancestry.includes(ours.scope, theirs):
                return Merged(None, 0)
            last = last_commit(self._store, theirs)
            bases = ancestry.bases(ours.scope, theirs.scope)
            addresses = written_in(self._store, [(base, theirs.scope) for base in bases or [()]])
            step = Step(
                terms.actor,
                terms.why,
                into,
                Action.MERGE,
                detail={"from": theirs.branch, "from_seq": last.seq},
                merge_parent=last.id,
                merge_seq=last.seq,
                expected_head=expected_head or head,
            )
            try:
                return self._join(addresses, bases, ours, theirs, step, terms)
            except Stale:
                if expected_head is not None:
                    raise
        raise _moving(into, field="into")

    def revert(self, commit: Commit, branch: str, terms: Terms) -> Merged | Conflicts:
        """Undo one commit: join the world as it was before it, as if both had parted right after it."""
        if commit.action is Action.ERASE:
            raise Refused("What was erased is gone.", field="commit", remedy="There is nothing left to bring back.")
        for _ in range(MERGE_ATTEMPTS_MAX):
            # While something fails, detection commits all the time, and nobody who takes a word back should notice.
            with suppress(Stale):
                return self._reverted(commit, branch, terms)
        raise _moving(branch, field="branch")

    def _reverted(self, commit: Commit, branch: str, terms: Terms) -> Merged | Conflicts:
        head, ours = self._head(branch), self._moments.head(branch)
        after = self._moments.at(commit)
        number = after.scope[0][0]
        if dict(ours.scope).get(number, 0) < commit.seq:
            raise Refused(
                f"Commit {commit.id[:12]} is not part of {branch!r}.",
                field="commit",
                remedy=f"It is on {commit.branch!r}.",
            )
        before = Moment(commit.branch, commit.seq - 1, clip(after.scope, commit.seq - 1), f"before {commit.id[:12]}")
        addresses = self._store.touched([(number, commit.seq - 1, commit.seq)])
        detail = {"reverts": commit.id}
        step = Step(terms.actor, terms.why, branch, Action.REVERT, detail=detail, expected_head=head)
        return self._join(addresses, [after.scope], ours, before, step, terms)

    def _head(self, branch: str) -> str | None:
        return next((known.head for known in self._store.branches() if known.name == branch), None)

    def _join(
        self,
        addresses: Sequence[str],
        bases: Sequence[Scope],
        ours: Moment,
        theirs: Moment,
        step: Step,
        terms: Terms,
    ) -> Merged | Conflicts:
        if len(addresses) > self._limits.diff_records_max:
            raise Refused(
                f"{len(addresses)} addresses would have to be joined; {self._limits.diff_records_max} can be at once.",
                field="source",
                remedy="Merge an earlier moment of the branch first.",
            )
        plan = merge.plan(
            self._store,
            addresses,
            bases=bases,
            ours=ours.scope,
            theirs=theirs.scope,
            policy=terms.policy,
            choices=terms.choices,
            sets=self._sets,
        )
        if plan.conflicts:
            return Conflicts(plan.conflicts, ours, theirs)
        commit = self._history.commit(plan.changes, step)
        return Merged(commit, len(plan.changes), plan.settled)


def _moving(branch: str, *, field: str) -> Stale:
    return Stale(f"The branch {branch!r} keeps moving.", field=field, remedy="Try again when it is quieter.")
