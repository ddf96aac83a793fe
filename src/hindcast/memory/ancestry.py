"""Who descends from what: which steps a moment includes, and where two moments parted.

History on one branch is a line, so everything that a moment includes can be said with one number for each branch.
"""

from __future__ import annotations

from collections.abc import Sequence

from hindcast.memory.moments import Moments, clip
from hindcast.model.answer import Moment
from hindcast.model.record import Action, Scope
from hindcast.ports import Store

Reach = dict[int, int]


def spans(left: Scope, right: Scope) -> list[tuple[int, int, int]]:
    """The stretches of history that only one of two scopes sees: (branch, after step, up to step).

    An address that was not written in any of them looks the same from both.
    """
    a, b = dict(left), dict(right)
    found = []
    for branch in dict.fromkeys((*a, *b)):
        low, high = sorted((a.get(branch, 0), b.get(branch, 0)))
        if low != high:
            found.append((branch, low, high))
    return found


class Ancestry:
    """The merges of a space as they are now, ready to be asked."""

    def __init__(self, store: Store, moments: Moments) -> None:
        self._store = store
        self._moments = moments
        self._names = {branch.number: branch.name for branch in store.branches()}
        numbers = {name: number for number, name in self._names.items()}
        self._merges: list[tuple[int, int, str, int]] = []
        for commit in store.commits_of(Action.MERGE, after=0):
            detail = commit.detail
            if isinstance(detail, dict):
                source, seq = str(detail["from"]), int(str(detail["from_seq"]))
                self._merges.append((numbers[commit.branch], commit.seq, source, seq))

    def reach(self, scope: Scope) -> Reach:
        """The last step of every branch that a scope includes, through forks and merges."""
        found: Reach = {}
        waiting: list[Scope] = [scope]
        used: set[int] = set()
        while waiting:
            for branch, last in waiting.pop():
                found[branch] = max(found.get(branch, 0), last)
            for branch, seq, source, source_seq in self._merges:
                if seq not in used and seq <= found.get(branch, 0):
                    used.add(seq)
                    waiting.append(clip(self._moments.lineage(source), source_seq))
        return found

    def includes(self, scope: Scope, other: Moment) -> bool:
        """Whether everything that led to another moment is part of this scope already."""
        reach = self.reach(scope)
        return all(
            reach.get(branch, 0) >= self._last_step(branch, seq) for branch, seq in self.reach(other.scope).items()
        )

    def bases(self, left: Scope, right: Scope) -> list[Scope]:
        """Where two histories parted: the newest moments that both include. Crossed merges leave more than one."""
        a, b = self.reach(left), self.reach(right)
        shared = {branch: self._last_step(branch, min(a[branch], b[branch])) for branch in a if branch in b}
        points = {
            branch: clip(self._moments.lineage(self._names[branch]), seq) for branch, seq in shared.items() if seq > 0
        }
        reaches = {branch: self.reach(scope) for branch, scope in points.items()}
        return [
            scope
            for branch, scope in points.items()
            if not any(
                other != branch and reaches[other].get(branch, 0) >= shared[branch] for other in points
            )
        ]  # fmt: skip

    def _last_step(self, branch: int, seq: int) -> int:
        """The last commit made on this very branch up to a step."""
        found = self._store.commits(((branch, seq),), before=seq + 1, after=0, commits_max=1)
        return found[0].seq if found else 0


def written_in(store: Store, pairs: Sequence[tuple[Scope, Scope]]) -> list[str]:
    """The addresses that may look different from the two scopes of any pair."""
    found: set[str] = set()
    for left, right in pairs:
        found.update(store.touched(spans(left, right)))
    return sorted(found)
