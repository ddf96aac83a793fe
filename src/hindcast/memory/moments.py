"""Finds the place in history that somebody means: a time, a commit, a snapshot, a branch, or `branch@time`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hindcast.model.answer import Moment
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import is_commit_prefix
from hindcast.model.record import MAIN, SEQ_MAX, Branch, Commit, Scope, Snapshot
from hindcast.ports import Clock, Store

# main is always there, even before anything is written; it is the first branch that a store gets.
MAIN_NUMBER = 1

_AGO = re.compile(r"(\d+)\s*(s|sec|second|m|min|minute|h|hour|d|day|w|week|month|y|year)s?\s+ago")
_UNIT_SECONDS = {
    "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600,
    "d": 86_400, "day": 86_400, "w": 604_800, "week": 604_800, "month": 2_629_800, "y": 31_557_600, "year": 31_557_600,
}  # fmt: skip


def read_time(text: str, now: datetime) -> datetime | None:
    """A time written by a person: ISO 8601 (UTC unless it says otherwise), `now`, `yesterday` or `3 days ago`."""
    words = text.strip().lower()
    if words in ("now", "yesterday"):
        return now if words == "now" else now - timedelta(days=1)
    ago = _AGO.fullmatch(words)
    if ago:
        try:
            return now - timedelta(seconds=int(ago[1]) * _UNIT_SECONDS[ago[2]])
        except (OverflowError, ValueError):
            return None
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def aware(when: datetime, *, field: str) -> datetime:
    """The same time, if it says in which timezone."""
    if when.tzinfo is None or when.utcoffset() is None:
        raise Malformed(f"{when} has no timezone.", field=field, remedy="Add one, for example datetime.now(UTC).")
    return when


def clip(scope: Scope, seq: int) -> Scope:
    """What the same branches showed at an earlier step."""
    return tuple((branch, min(last, seq)) for branch, last in scope)


class Moments:
    """Resolves what people call moments. Where a branch begins never changes, so lineages are kept."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lineages: dict[str, Scope] = {}
        self._commits: dict[str, Moment] = {}

    def lineage(self, branch: str) -> Scope:
        """The branches that a branch sees, nearest first, each up to where the next one left it."""
        known = self._lineages.get(branch)
        return known if known is not None else self._learn_lineage(branch)

    def _learn_lineage(self, branch: str) -> Scope:
        branches = {found.name: found for found in self._store.branches()}
        if branch == MAIN and not branches:
            return ((MAIN_NUMBER, SEQ_MAX),)
        scope: list[tuple[int, int]] = []
        name: str | None = branch
        last = SEQ_MAX
        while name is not None:
            found = branches.get(name)
            if found is None:
                raise Missing(
                    f"There is no branch {branch!r}.", field="branch", remedy="`hindcast memory branches` lists them."
                )
            scope.append((found.number, last))
            # A grandparent is seen only as far as both forks allow.
            last = min(last, found.fork_seq)
            name = found.parent
        self._lineages[branch] = tuple(scope)
        return self._lineages[branch]

    def live(self, branch: str) -> Moment:
        """Whatever a branch holds by the time it is read."""
        return Moment(branch, SEQ_MAX, self.lineage(branch), branch)

    def at(self, moment: Moment | Commit | Snapshot | Branch | datetime | str, *, branch: str = MAIN) -> Moment:
        """Resolve whatever names a moment. A branch means its head as it is now, held still."""
        if isinstance(moment, Moment):
            return moment if moment.seq < SEQ_MAX else self.head(moment.branch)
        if isinstance(moment, Commit | Snapshot):
            name = moment.id if isinstance(moment, Commit) else moment.name
            return self._on(moment.branch, moment.seq, name)
        if isinstance(moment, Branch):
            return self.head(moment.name)
        if isinstance(moment, datetime):
            when = aware(moment, field="moment")
            return self._on(branch, self._store.seq_at(when), when.isoformat())
        return self._named(moment, branch)

    def _named(self, text: str, branch: str) -> Moment:
        if text in self._commits:
            return self._commits[text]
        if is_commit_prefix(text):
            commit = self._store.commit(text)
            found = self._on(commit.branch, commit.seq, commit.id)
            if text == commit.id:
                self._commits[text] = found
            return found
        if text in self._lineages or any(known.name == text for known in self._store.branches()) or text == MAIN:
            return self.head(text)
        snapshot = next((known for known in self._store.snapshots() if known.name == text), None)
        if snapshot is not None:
            return self._on(snapshot.branch, snapshot.seq, text)
        when = read_time(text, self._clock.now())
        if when is not None:
            return self._on(branch, self._store.seq_at(when), text)
        name, at, rest = text.partition("@")
        if at and rest and "@" not in rest:
            within = self.lineage(name)
            inner = self._named(rest, name)
            return Moment(name, inner.seq, clip(within, inner.seq), text)
        raise Missing(
            f"{text!r} is no branch, snapshot, commit or time.",
            field="moment",
            remedy="Use a name from `hindcast memory branches` or `snapshots`, a commit id, or a time "
            "such as 2026-03-03T10:00Z or '2 days ago'.",
        )

    def head(self, branch: str) -> Moment:
        """A branch as it is now, held still."""
        lineage = self.lineage(branch)
        found = next((known for known in self._store.branches() if known.name == branch), None)
        return Moment(branch, found.head_seq if found else 0, clip(lineage, found.head_seq if found else 0), branch)

    def _on(self, branch: str, seq: int, name: str) -> Moment:
        return Moment(branch, seq, clip(self.lineage(branch), seq), name)
