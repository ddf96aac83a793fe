"""Recomputes the whole chain and names every place where the stored bytes are not what was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain as joined

from hindcast.memory import chain
from hindcast.model.answer import Fault, Verified
from hindcast.model.errors import Damaged
from hindcast.model.record import Action, Branch, Commit
from hindcast.ports import Progress, Row, Store

COMMITS_PER_FETCH = 1_000


def verify(store: Store, progress: Progress | None = None) -> Verified:
    """Check every digest, id, parent, seal and number of a space."""
    faults = [Fault("the file", line) for line in store.integrity()]
    branches = store.branches()
    seals = store.seals()
    check = _Check({branch.name: branch for branch in branches}, faults)
    total = store.tip().seq
    rows = _Rows(store.rows(after=0))
    for commit in _commits(store, faults):
        check.commit(commit, rows.until(commit.last_version))
        if progress is not None and commit.seq % COMMITS_PER_FETCH == 0:
            progress(commit.seq, total, "commits")
    for row in rows.rest():
        faults.append(Fault(f"version {row.id}", "belongs to no commit"))
    check.blanked()
    for branch in branches:
        if seals.get(f"branch {branch.name}") != chain.branch_seal(branch):
            faults.append(Fault(f"branch {branch.name}", "does not begin where it was begun"))
        if branch.head_seq != check.heads.get(branch.name, branch.fork_seq):
            faults.append(
                Fault(f"branch {branch.name}", f"has its head at step {branch.head_seq}, which is not its last")
            )
    for snapshot in store.snapshots():
        if seals.get(f"snapshot {snapshot.name}") != chain.snapshot_seal(snapshot):
            faults.append(Fault(f"snapshot {snapshot.name}", "no longer names the commit it was given for"))
    for name in seals:
        if name.startswith("snapshot ") and name.removeprefix("snapshot ") not in {s.name for s in store.snapshots()}:
            faults.append(Fault(name, "names a commit that does not exist"))
    return Verified(check.commits, check.versions, len(check.erased), check.prior, tuple(faults))


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


class _Check:
    """What has been seen so far, and what each further commit has to fit."""

    def __init__(self, branches: dict[str, Branch], faults: list[Fault]) -> None:
        self._branches = branches
        self._faults = faults
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
        where = f"commit {commit.id[:12]} (step {commit.seq})"
        if commit.seq != self.commits + 1 and not self._faults:
            self._faults.append(Fault(where, f"follows step {self.commits}: commits between them are gone"))
        branch = self._branches.get(commit.branch)
        if branch is None:
            self._faults.append(Fault(where, "is on a branch that does not exist"))
        else:
            head = self.heads.get(commit.branch, branch.fork_seq)
            if commit.parent != self._ids.get(head):
                self._faults.append(Fault(where, "does not follow the commit before it on its branch"))
        numbers = [row.id for row in rows]
        if (
            numbers != list(range(self._version + 1, commit.last_version + 1))
            or commit.first_version != self._version + 1
        ):
            self._faults.append(Fault(where, "does not have the versions that it wrote"))
        if chain.commit_id(commit, self.prior, rows) != commit.id:
            self._faults.append(Fault(where, "its words, its parents or its list of versions were altered"))
        for row in rows:
            self._row(row, commit, branch)
        if commit.action is Action.ERASE and isinstance(commit.detail, dict):
            self.erased.update(int(str(number)) for number in commit.detail.get("versions", ()))
        self.commits = commit.seq
        self.versions += len(rows)
        self._version = max(commit.last_version, self._version)
        self._ids[commit.seq] = commit.id
        self.heads[commit.branch] = commit.seq
        self.prior = commit.id

    def _row(self, row: Row, commit: Commit, branch: Branch | None) -> None:
        where = f"version {row.id} ({row.address}, commit {commit.id[:12]})"
        if row.from_seq != commit.seq or (branch is not None and row.branch != branch.number):
            self._faults.append(Fault(where, "was moved to another commit or branch"))
        if row.replaces != self._newest.get((row.branch, row.address)):
            self._faults.append(Fault(where, "does not follow the version before it"))
        self._newest[row.branch, row.address] = row.id
        if row.salt is None:
            self._blank[row.id] = where
            if row.body is not None or row.text is not None:
                self._faults.append(Fault(where, "was erased and holds content all the same"))
        elif not _content_holds(row):
            self._faults.append(Fault(where, "its body or text was altered"))

    def blanked(self) -> None:
        """Every body that is gone has to be one that somebody erased, and said so."""
        for number, where in self._blank.items():
            if number not in self.erased:
                self._faults.append(Fault(where, "lost its body without an erasure"))
        for number in self.erased - set(self._blank):
            self._faults.append(Fault(f"version {number}", "was erased and is there again"))


def _content_holds(row: Row) -> bool:
    """Whether content and digest agree; content that is not even of its type was altered, too."""
    if (
        not isinstance(row.salt, bytes)
        or not isinstance(row.text, str | None)
        or not isinstance(row.body, bytes | None)
    ):
        return False
    return 0 < len(row.salt) <= 64 and chain.digest(row.body, row.text, row.salt) == row.digest


def _commits(store: Store, faults: list[Fault]) -> Iterator[Commit]:
    """All commits in order. One that cannot even be read becomes a fault, and the rest are looked at all the same."""
    after, size = 0, COMMITS_PER_FETCH
    last = store.tip().seq
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


def resealed(commit: Commit, prior: str | None, rows: list[Row]) -> Commit:
    """The commit with the id that its content has, which is its own id unless something was altered."""
    return replace(commit, id=chain.commit_id(commit, prior, rows))
