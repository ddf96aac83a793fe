"""Memory: a complete history of what was learnt, opened for one space. `Memory` is its door.

It hides how history is numbered, sealed, merged and searched. It does not know which database holds the history, and it
keeps nothing that history does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hindcast.memory import compare, erase, transfer, verify
from hindcast.memory.compare import Question
from hindcast.memory.history import History, Step
from hindcast.memory.joining import Joining, Terms, last_commit
from hindcast.memory.moments import Moments, clip
from hindcast.memory.three_way import SET_FIELDS
from hindcast.memory.view import View, check_filter
from hindcast.model.answer import (
    Blame,
    Choice,
    Conflicts,
    Difference,
    Erased,
    Merged,
    Moment,
    NoTurn,
    Policy,
    Turn,
    Verified,
)
from hindcast.model.errors import Malformed, Missing, Refused, Stale
from hindcast.model.ids import Address, split_stored
from hindcast.model.limits import MemoryLimits
from hindcast.model.query import EVERYTHING, Filter
from hindcast.model.record import (
    DEFAULT_KIND,
    MAIN,
    SEQ_MAX,
    Action,
    Branch,
    Change,
    Commit,
    Json,
    Record,
    Snapshot,
    State,
)
from hindcast.ports import Clock, Entropy, Index, Progress, Store, Writer

COMMITS_PER_PAGE = 50
# A thousand years: longer than any memory, and within what a calendar can subtract.
STALE_DAYS_MAX = 365_250

When = Moment | Commit | Snapshot | Branch | datetime | str


class Memory:
    """The door to one space. Every read is made at a moment; `now` is the moment most people mean."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        entropy: Entropy,
        index: Index | None = None,
        limits: MemoryLimits | None = None,
        set_fields: frozenset[str] = SET_FIELDS,
    ) -> None:
        self._store = store
        self._clock = clock
        self._index = index
        self.limits = limits or MemoryLimits()
        self._moments = Moments(store, clock)
        self._history = History(store, clock, entropy, self.limits)
        self._joining = Joining(store, self._moments, self._history, self.limits, set_fields)

    @property
    def space(self) -> str:
        """The space it was opened for."""
        return self._store.space

    # Reading

    def now(self, branch: str = MAIN) -> View:
        """What a branch holds, whenever it is asked."""
        return self._view(self._moments.live(branch))

    def at(self, moment: When, *, branch: str = MAIN) -> View:
        """What was known at a moment: a time (on `branch`), a commit, a snapshot, or a branch's present head."""
        return self._view(self._moments.at(moment, branch=branch))

    def _view(self, moment: Moment) -> View:
        return View(self._store, self._index, moment, self.limits)

    def get(self, address: Address | str, *, branch: str = MAIN) -> Record:
        """The record at an address now."""
        return self.now(branch).get(address)

    # Writing

    def commit(
        self,
        changes: Sequence[Change],
        *,
        actor: str,
        why: str,
        branch: str = MAIN,
        expected_head: str | None = None,
    ) -> Commit:
        """Write changes as one step: all of them, or none. Give `expected_head` to write only on what you have read."""
        if not changes:
            raise Malformed("There is nothing to commit.", field="changes", remedy="Give at least one change.")
        ended = [str(change.address) for change in changes if change.state is not State.LIVE]
        step = Step(actor, why, branch, expected_head=expected_head)
        return self._history.commit(changes, step, check=self._still_there(ended, branch) if ended else None)

    def _still_there(self, addresses: Sequence[str], branch: str) -> Callable[[Writer, Branch], None]:
        def check(_writer: Writer, _branch: Branch) -> None:
            found = self._store.get_many(self._moments.lineage(branch), addresses)
            for address in addresses:
                if address not in found or found[address].state is not State.LIVE:
                    raise Missing(
                        f"There is nothing at {address} to take back.",
                        field="address",
                        remedy=f"See what there is: hindcast memory list {split_stored(address).namespace}",
                    )

        return check

    def put(
        self,
        address: Address | str,
        body: Json,
        *,
        actor: str,
        why: str,
        branch: str = MAIN,
        kind: str | None = None,
    ) -> Commit:
        """Remember one thing. What is there already keeps its kind, unless another one is given."""
        where = address if isinstance(address, Address) else Address.parse(address)
        if kind is None:
            known = self.now(branch).find(where)
            kind = known.kind if known is not None else DEFAULT_KIND
        return self.commit([Change(where, body, kind)], actor=actor, why=why, branch=branch)

    def retract(self, address: Address | str, *, actor: str, why: str, branch: str = MAIN) -> Commit:
        """Say that something is no longer true. The past still shows it."""
        where = address if isinstance(address, Address) else Address.parse(address)
        return self.commit([Change(where, state=State.RETRACTED)], actor=actor, why=why, branch=branch)

    # Names

    def branch(self, name: str, *, actor: str, why: str, start: When = MAIN) -> Branch:
        """Begin a branch at a moment. It sees what the moment showed; nobody else sees what it adds."""
        moment = self._moments.at(start)
        if len(moment.scope) >= self.limits.branch_depth_max:
            raise Refused(
                f"Branches go {self.limits.branch_depth_max} levels deep.",
                field="start",
                remedy="Merge some of them, or begin nearer to main.",
            )
        # A time may lie beyond the last step of this line; the branch begins at the step itself.
        last = self._store.commits(moment.scope, before=moment.seq + 1, after=0, commits_max=1)
        fork_seq = last[0].seq if last else 0
        return self._history.start_branch(name, parent=moment.branch, fork_seq=fork_seq, actor=actor, why=why)

    def branches(self) -> tuple[Branch, ...]:
        """All branches, oldest first."""
        return tuple(self._store.branches())

    def snapshot(self, name: str, *, actor: str, why: str, moment: When = MAIN) -> Snapshot:
        """Give a moment's last commit a name that never moves."""
        return self._history.take_snapshot(
            name, last_commit(self._store, self._moments.at(moment)), actor=actor, why=why
        )

    def snapshots(self) -> tuple[Snapshot, ...]:
        """All snapshots, oldest first."""
        return tuple(self._store.snapshots())

    # History

    def log(
        self, moment: When | None = MAIN, *, before: int | None = None, commits_max: int = COMMITS_PER_PAGE
    ) -> tuple[Commit, ...]:
        """Commits up to a moment, newest first; None: of all branches. `before` continues below a step."""
        if not 1 <= commits_max <= self.limits.commits_per_page_max:
            raise Refused(
                f"A page holds 1 to {self.limits.commits_per_page_max} commits, not {commits_max}.",
                field="commits_max",
                remedy="Ask for fewer and continue with `before`.",
            )
        scope = self._moments.at(moment).scope if moment is not None else None
        limit = SEQ_MAX if before is None else before
        return tuple(self._store.commits(scope, before=limit, after=0, commits_max=commits_max))

    def changes(self, commit: Commit | str) -> Difference:
        """What one commit learned, changed and forgot."""
        known = commit if isinstance(commit, Commit) else self._store.commit(commit)
        after = self._moments.at(known)
        before = Moment(known.branch, known.seq - 1, clip(after.scope, known.seq - 1), f"before {known.id[:12]}")
        return compare.diff(self._store, before, after, records_max=self.limits.diff_records_max)

    def history(self, address: Address | str, moment: When = MAIN) -> tuple[Record, ...]:
        """Every version of one address up to a moment, newest first."""
        where = address if isinstance(address, Address) else Address.parse(address)
        found = tuple(self._store.trail(self._moments.at(moment).scope, str(where)))
        if not found:
            raise Missing(f"Nothing was ever at {where}.", field="address", remedy="Check its spelling.")
        return found

    def diff(self, before: When, after: When = MAIN) -> Difference:
        """What was learned, changed and forgotten between two moments."""
        left, right = self._moments.at(before), self._moments.at(after)
        return compare.diff(self._store, left, right, records_max=self.limits.diff_records_max)

    def blame(self, address: Address | str, moment: When = MAIN) -> tuple[Blame, ...]:
        """Which commit gave each field of a record the value it has."""
        resolved = self._moments.at(moment)
        return compare.blame(self._store, self._moments, self._view(resolved).get(address))

    def bisect(self, question: Question, *, since: When, until: When = MAIN) -> Turn | NoTurn:
        """The commit at which the answer to a question changed."""
        first, last = self._moments.at(since), self._moments.at(until)
        if dict(last.scope).get(first.scope[0][0], 0) < first.seq and first.seq:
            raise Malformed(
                f"{first.name} is not part of what led to {last.name}.",
                field="since",
                remedy="Choose two moments on one line of history.",
            )
        return compare.bisect(
            self._store, first, last, lambda moment: compare.answer(self._view(moment), question)
        )  # fmt: skip

    # Joining

    def merge(
        self,
        source: When,
        into: str = MAIN,
        *,
        actor: str,
        why: str,
        policy: Policy = Policy.ASK,
        choices: Mapping[str, Choice] | None = None,
        expected_head: str | None = None,
    ) -> Merged | Conflicts:
        """Join a branch (or any moment) into a branch. By default a true conflict stops it and nothing is written."""
        terms = Terms(actor, why, policy, choices or {})
        return self._joining.merge(lambda: self._moments.at(source), into, terms, expected_head=expected_head)

    def revert(
        self,
        commit: Commit | str,
        *,
        actor: str,
        why: str,
        branch: str = MAIN,
        policy: Policy = Policy.ASK,
        choices: Mapping[str, Choice] | None = None,
    ) -> Merged | Conflicts:
        """Undo one commit by a new one, keeping what came after it. What was changed again since is a conflict."""
        known = commit if isinstance(commit, Commit) else self._store.commit(commit)
        return self._joining.revert(known, branch, Terms(actor, why, policy, choices or {}))

    # Keeping

    def decay(
        self,
        *,
        stale_days: float,
        actor: str,
        why: str,
        wanted: Filter = EVERYTHING,
        branch: str = MAIN,
        dry_run: bool = False,
    ) -> tuple[Record, ...]:
        """Archive what nobody has learnt anew for so long. Today's answers lose it; the past keeps it."""
        check_filter(wanted)
        if not 0 < stale_days <= STALE_DAYS_MAX:
            raise Malformed(
                f"Nothing becomes stale in {stale_days} days.",
                field="stale_days",
                remedy=f"Give a number of days above 0 and up to {STALE_DAYS_MAX}.",
            )
        limit = self._clock.now() - timedelta(days=stale_days)
        until = min(wanted.learned_until, limit) if wanted.learned_until is not None else limit
        stale = self._view(self._moments.head(branch)).every(replace(wanted, learned_until=until))
        if dry_run or not stale:
            return stale
        size = self.limits.changes_per_commit_max
        for start in range(0, len(stale), size):
            part = stale[start : start + size]
            changes = [Change(record.address, kind=record.kind, state=State.ARCHIVED) for record in part]
            step = Step(actor, why, branch, Action.ARCHIVE)
            self._history.commit(changes, step, check=self._still_the_same(part, branch))
        return stale

    def _still_the_same(self, records: Sequence[Record], branch: str) -> Callable[[Writer, Branch], None]:
        def check(_writer: Writer, _branch: Branch) -> None:
            found = self._store.get_many(self._moments.lineage(branch), [str(record.address) for record in records])
            for record in records:
                if found[str(record.address)].version != record.version:
                    raise Stale(f"{record.address} was written meanwhile.", field="address", remedy="Try again.")

        return check

    def erase(
        self, address: Address | str, *, actor: str, why: str, below: bool = False, along: Sequence[Address] = ()
    ) -> Erased:
        """Remove the bodies of an address from every version on every branch, and from every file, for ever.

        A path means all its entries; `below` adds the paths under it, `along` what quotes it elsewhere. The chain keeps
        the digests and still verifies. Erasing once more what is erased already removes the traces that a reader was
        holding then.
        """
        where = address if isinstance(address, Address) else Address.parse(address)
        erased = erase.erase(self._store, self._history, where, actor=actor, why=why, below=below, along=along)
        if self._index is not None:
            self._index.follow(embed=False)
        return replace(erased, traces_gone=self._store.scrub())

    def verify(self, progress: Progress | None = None) -> Verified:
        """Recompute the whole chain and name every fault."""
        return verify.verify(self._store, progress)

    def export(self, progress: Progress | None = None) -> Iterator[bytes]:
        """The whole history as JSON lines."""
        return transfer.export(self._store, progress)

    def import_lines(self, lines: Iterable[bytes], progress: Progress | None = None) -> int:
        """Take in an export; how many commits came."""
        return transfer.import_lines(self._store, lines, progress)

    def index(self, progress: Progress | None = None) -> None:
        """Bring the index up to date, meaning included."""
        if self._index is not None:
            self._index.follow(progress=progress)

    def close(self) -> None:
        """Let go of files and connections."""
        if self._index is not None:
            self._index.close()
        self._store.close()


__all__ = ["Memory", "View", "When"]
