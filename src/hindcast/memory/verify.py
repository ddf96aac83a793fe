"""Recomputes the whole chain and names every place where the stored bytes are not what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain as joined

from hindcast.memory import chain
from hindcast.model.answer import Fault, Verified
from hindcast.model.errors import Damaged
from hindcast.model.record import Action, Branch, Commit
from hindcast.ports import Progress, Row, Store

COMMITS_PER_FETCH = 1_000


def verify(store: Store, progress: Progress | None = None) -> Verified:
    """Check every digest, id, parent, seal and number of a space, up to the step it has now: writers may go on."""
    faults = [Fault("the file", line) for line in store.integrity()]
    check = Check({}, faults)
    try:
        _look(store, check, progress)
    except Damaged as damage:
        faults.append(Fault("the store", damage.problem))
    except (TypeError, ValueError, AttributeError) as error:
        # A flipped bit can turn a number into text: whatever cannot even be compared was altered.
        faults.append(Fault("the store", f"holds something that is not of its type: {error}"))
    return Verified(check.commits, check.versions, len(check.erased), check.prior, tuple(faults))


def _look(store: Store, check: Check, progress: Progress | None) -> None:
    tip = store.tip()
    branches = store.branches()
    check.branches.update({branch.name: branch for branch in branches})
    rows = _Rows(store.rows(after=0, until=tip.version))
    for commit in _commits(store, tip.seq, check.faults):
        check.commit(commit, rows.until(commit.last_version))
        if progress is not None and commit.seq % COMMITS_PER_FETCH == 0:
            progress(commit.seq, tip.seq, "commits")
    lost = [(row.id, row.from_seq) for row in joined(rows.rest(), store.rows(after=tip.version))]
    # What was written while we looked is no fault.
    last = store.tip().seq
    check.faults.extend(
        Fault(f"version {number}", "belongs to no commit") for number, seq in lost if not tip.seq < seq <= last
    )
    check.blanked(_erased_by(commit) for commit in store.commits_of(Action.ERASE, after=tip.seq))
    _look_at_names(store, check, branches, after=tip.seq, last=last)


def _look_at_names(store: Store, check: Check, branches: Sequence[Branch], *, after: int, last: int) -> None:
    snapshots, seals = store.snapshots(), store.seals()
    for branch in branches:
        if seals.get(f"branch {branch.name}") != chain.branch_seal(branch):
            check.faults.append(Fault(f"branch {branch.name}", "does not begin where it was begun"))
        if branch.head_seq != check.heads.get(branch.name, branch.fork_seq) and not after < branch.head_seq <= last:
            check.faults.append(
                Fault(f"branch {branch.name}", f"has its head at step {branch.head_seq}, which is not its last")
            )
    for snapshot in snapshots:
        if seals.get(f"snapshot {snapshot.name}") != chain.snapshot_seal(snapshot):
            check.faults.append(Fault(f"snapshot {snapshot.name}", "no longer names the commit it was given for"))
    # Read again, because a snapshot may have been taken between its two halves.
    known = {f"snapshot {snapshot.name}" for snapshot in store.snapshots()}
    check.faults.extend(
        Fault(name, "names a commit that does not exist")
        for name in seals
        if name.startswith("snapshot ") and name not in known
    )


class _Rows:
    """Stored versions, handed out commit by commit."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._waiting: Row | None = None

    def until(self, last: int) -> list[Row]:
        taken: list[Row] = []
        for row in self.rest():
            if row.id > last:
                self._waiting = row
                break
            taken.append(row)
        return taken

    def rest(self) -> Iterator[Row]:
        first = [self._waiting] if self._waiting is not None else []
        self._waiting = None
        return joined(first, self._rows)


class Check:
    """What has been seen so far, and what each further commit has to fit."""

    def __init__(self, branches: dict[str, Branch], faults: list[Fault]) -> None:
        self.branches = branches
        self.faults = faults
        self._ids: dict[int, str] = {}
        self._newest: dict[tuple[int, str], int] = {}
        self._blank: dict[int, str] = {}
        self.erased: set[int] = set()
        self.heads: dict[str, int] = {}
        self.prior: str | None = None
        self.commits = 0
        self.versions = 0
        self._version = 0

    def commit(self, commit: Commit, rows: list[Row]) -> None:
        """The next commit with its versions: note whatever does not fit what came before."""
        where = f"commit {commit.id[:12]} (step {commit.seq})"
        if commit.seq != self.commits + 1 and not self.faults:
            self.faults.append(Fault(where, f"follows step {self.commits}: commits between them are gone"))
        branch = self.branches.get(commit.branch)
        if branch is None:
            self.faults.append(Fault(where, "is on a branch that does not exist"))
        else:
            head = self.heads.get(commit.branch, branch.fork_seq)
            if commit.parent != self._ids.get(head):
                self.faults.append(Fault(where, "does not follow the commit before it on its branch"))
        numbers = [row.id for row in rows]
        if (
            numbers != list(range(self._version + 1, commit.last_version + 1))
            or commit.first_version != self._version + 1
        ):
            self.faults.append(Fault(where, "does not have the versions that it wrote"))
        if not _id_holds(commit, self.prior, rows):
            self.faults.append(Fault(where, "its words, its parents or its list of versions were altered"))
        elif commit.action is Action.ERASE:
            self.erased.update(_erased_by(commit))
        for row in rows:
            self._row(row, commit, branch)
        self.commits = commit.seq
        self.versions += len(rows)
        self._version = max(commit.last_version, self._version)
        self._ids[commit.seq] = commit.id
        self.heads[commit.branch] = commit.seq
        self.prior = commit.id

    def _row(self, row: Row, commit: Commit, branch: Branch | None) -> None:
        where = f"version {row.id} ({row.address}, commit {commit.id[:12]})"
        if row.from_seq != commit.seq or (branch is not None and row.branch != branch.number):
            self.faults.append(Fault(where, "was moved to another commit or branch"))
        if row.replaces != self._newest.get((row.branch, row.address)):
            self.faults.append(Fault(where, "does not follow the version before it"))
        self._newest[row.branch, row.address] = row.id
        if row.salt is None:
            self._blank[row.id] = where
            if row.body is not None or row.text is not None:
                self.faults.append(Fault(where, "was erased and holds content all the same"))
        elif not _content_holds(row):
            self.faults.append(Fault(where, "its body or text was altered"))

    def blanked(self, later: Iterable[set[int]] = ()) -> None:
        """Every body that is gone has to be one that somebody erased, and said so (`later`: while we looked)."""
        said = self.erased.union(*later)
        for number, where in self._blank.items():
            if number not in said:
                self.faults.append(Fault(where, "lost its body without an erasure"))
        for number in self.erased - set(self._blank):
            self.faults.append(Fault(f"version {number}", "was erased and is there again"))


def _erased_by(commit: Commit) -> set[int]:
    detail = commit.detail
    versions = detail.get("versions") if isinstance(detail, dict) else None
    return {int(str(number)) for number in versions} if isinstance(versions, list) else set()


def _id_holds(commit: Commit, prior: str | None, rows: Sequence[Row]) -> bool:
    """Whether a commit's id follows from its content; content that is not even of its type was altered."""
    try:
        return chain.commit_id(commit, prior, rows) == commit.id
    except (TypeError, ValueError):
        return False


def _content_holds(row: Row) -> bool:
    """Whether content and digest agree; content that is not even of its type was altered, too."""
    if (
        not isinstance(row.salt, bytes)
        or not isinstance(row.text, str | None)
        or not isinstance(row.body, bytes | None)
    ):
        return False
    return len(row.salt) == chain.SALT_BYTES and chain.digest(row.body, row.text, row.salt) == row.digest


def _commits(store: Store, last: int, faults: list[Fault]) -> Iterator[Commit]:
    """Commits in order. One that cannot even be read becomes a fault, and the rest are looked at all the same."""
    after, size = 0, COMMITS_PER_FETCH
    while after < last:
        try:
            found = store.commits(
                None, before=min(after + size, last) + 1, after=after, commits_max=size, oldest_first=True
            )
        except Damaged as damage:
            if size == 1:
                faults.append(Fault(f"step {after + 1}", damage.problem))
                after, size = after + 1, COMMITS_PER_FETCH
            else:
                size = max(1, size // 8)
            continue
        yield from found
        after = min(after + size, last)
        size = COMMITS_PER_FETCH if size == COMMITS_PER_FETCH else min(size * 2, COMMITS_PER_FETCH)
