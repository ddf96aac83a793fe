"""Moves a whole history as JSON lines, lossless: every version, every commit, every name, with the ids they had."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

import orjson

from hindcast.memory import chain
from hindcast.memory.verify import COMMITS_PER_FETCH, Check
from hindcast.model.errors import Damaged, Malformed, Refused
from hindcast.model.record import Action, Branch, Commit, Snapshot, State
from hindcast.ports import Progress, Row, Store, Writer

FORMAT = 1


def export(store: Store, progress: Progress | None = None) -> Iterator[bytes]:
    """A space as JSON lines: a header, its branches, each commit followed by its versions, its snapshots."""
    try:
        yield from _lines(store, progress)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(
            f"The history cannot be written out whole: {error}.",
            remedy="Run `hindcast memory verify`, then restore from a copy.",
        ) from error


def _lines(store: Store, progress: Progress | None) -> Iterator[bytes]:
    tip = store.tip()
    # Whatever is written while this goes on is left out.
    branches = [branch for branch in store.branches() if branch.fork_seq <= tip.seq]
    snapshots = [snapshot for snapshot in store.snapshots() if snapshot.seq <= tip.seq]
    seals = store.seals()
    header = {"hindcast_memory": FORMAT, "space": store.space, "commits": tip.seq, "versions": tip.version}
    yield _line({**header, "branches": len(branches), "snapshots": len(snapshots)})
    for branch in branches:
        plain = _plain(replace(branch, head_seq=branch.fork_seq, head=None))
        yield _line({"branch": plain, "seal": seals[f"branch {branch.name}"].hex()})
    after = 0
    while after < tip.seq:
        commits = store.commits(
            None, before=tip.seq + 1, after=after, commits_max=COMMITS_PER_FETCH, oldest_first=True
        )  # fmt: skip
        rows = iter(store.rows(after=commits[0].first_version - 1, until=commits[-1].last_version))
        for commit in commits:
            yield _line({"commit": _plain(commit)})
            for _ in range(commit.changes):
                yield _line({"version": _plain_row(next(rows, None))})
        after = commits[-1].seq
        if progress is not None:
            progress(after, tip.seq, "commits")
    for snapshot in snapshots:
        yield _line({"snapshot": _plain(snapshot), "seal": seals[f"snapshot {snapshot.name}"].hex()})


def import_lines(store: Store, lines: Iterable[bytes], progress: Progress | None = None) -> int:
    """Take in an export, into a space that holds nothing yet. Every id is recomputed; it is all written, or nothing."""
    with store.write() as writer:
        if writer.tip().seq or store.branches():
            raise Refused(
                "The space already has a history.", field="space", remedy="Import into a new space, then merge by hand."
            )
        return _Import(writer, progress).take(lines)


class _Import:
    """An import under way: the commit whose versions are still being read, and what it has to follow."""

    def __init__(self, writer: Writer, progress: Progress | None) -> None:
        self._writer = writer
        self._progress = progress
        self._check = Check({}, [])
        self._seqs: dict[str, int] = {}
        self._commit: Commit | None = None
        self._rows: list[Row] = []
        self._snapshots: set[str] = set()
        self._promised: dict[str, Any] = {}

    def take(self, lines: Iterable[bytes]) -> int:
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                self._take(number, orjson.loads(line))
            self._finish()
            self._check.blanked()
            self._complete()
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Malformed(
                f"Line {number} cannot be read: {error}.", field="file", remedy="Export again, and import all of it."
            ) from error
        return len(self._seqs)

    def _complete(self) -> None:
        self._trust("the file")
        found = {"commits": len(self._seqs), "branches": len(self._check.branches), "snapshots": len(self._snapshots)}
        for what, count in found.items():
            if count != self._promised.get(what):
                raise Malformed(
                    f"The file ends early: {count} of {self._promised.get(what)} {what} are there.",
                    field="file",
                    remedy="Export again, and import all of it.",
                )
        for branch in self._check.branches.values():
            if branch.fork_seq > len(self._seqs):
                raise ValueError(f"branch {branch.name} begins after the last commit")

    def _take(self, number: int, line: dict[str, Any]) -> None:
        if number == 1:
            if line.get("hindcast_memory") != FORMAT:
                raise ValueError(f"not an export of format {FORMAT}")
            self._promised = line
        elif "version" in line:
            self._rows.append(_row(line["version"]))
        elif "commit" in line:
            self._finish()
            self._commit = _commit(line["commit"])
        elif "branch" in line:
            self._branch(_named(Branch, line["branch"]), line["seal"])
        else:
            self._finish()
            self._snapshot(_named(Snapshot, line["snapshot"]), line["seal"])

    def _branch(self, branch: Branch, seal: str) -> None:
        known = self._check.branches
        if chain.branch_seal(branch).hex() != seal:
            raise ValueError(f"branch {branch.name} is not what was exported")
        if branch.name in known or (branch.parent is not None and branch.parent not in known):
            raise ValueError(f"branch {branch.name} is there twice, or before its parent")
        self._writer.add_branch(branch, chain.branch_seal(branch))
        known[branch.name] = branch

    def _snapshot(self, snapshot: Snapshot, seal: str) -> None:
        if chain.snapshot_seal(snapshot).hex() != seal or self._seqs.get(snapshot.commit) != snapshot.seq:
            raise ValueError(f"snapshot {snapshot.name} is not what was exported")
        if snapshot.name in self._snapshots:
            raise ValueError(f"snapshot {snapshot.name} is there twice")
        self._writer.add_snapshot(snapshot, chain.snapshot_seal(snapshot))
        self._snapshots.add(snapshot.name)

    def _finish(self) -> None:
        if self._commit is None:
            return
        commit, rows = self._commit, self._rows
        self._check.commit(commit, rows)
        self._trust(f"Commit {commit.id[:12]} (step {commit.seq})")
        branch = replace(
            self._check.branches[commit.branch],
            head=commit.parent,
            head_seq=self._seqs[commit.parent] if commit.parent is not None else 0,
        )
        merge_seq = self._seqs[commit.merge_parent] if commit.merge_parent is not None else None
        self._writer.append(commit, branch, merge_seq, rows)
        self._seqs[commit.id] = commit.seq
        self._commit, self._rows = None, []
        if self._progress is not None and commit.seq % COMMITS_PER_FETCH == 0:
            self._progress(commit.seq, self._promised["commits"], "commits")

    def _trust(self, where: str) -> None:
        if self._check.faults:
            fault = self._check.faults[0]
            raise Malformed(
                f"{where} is not what was exported: {fault.where} {fault.what}.",
                field="file",
                remedy="The file was altered or cut: export again.",
            )


def _line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n"


def _plain(value: Branch | Commit | Snapshot) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _plain_row(row: Row | None) -> dict[str, Any]:
    if row is None:
        raise LookupError("versions are missing")
    plain = row._asdict()
    plain["body"] = orjson.Fragment(row.body) if row.body is not None else None
    plain["salt"] = b64encode(row.salt).decode() if row.salt is not None else None
    plain["digest"] = b64encode(row.digest).decode()
    # An empty body and the body null differ: one is a retraction, the other a remembered null.
    plain["has_body"] = row.body is not None
    return plain


def _row(plain: dict[str, Any]) -> Row:
    values = dict(plain)
    has_body = values.pop("has_body")
    values["body"] = chain.canonical(values["body"]) if has_body else None
    values["salt"] = b64decode(values["salt"]) if values["salt"] is not None else None
    values["digest"] = b64decode(values["digest"])
    values["state"] = int(State(values["state"]))
    return Row(**values)


def _commit(plain: dict[str, Any]) -> Commit:
    return Commit(**{**plain, "at": datetime.fromisoformat(plain["at"]), "action": Action(plain["action"])})


def _named(kind: type[Any], plain: dict[str, Any]) -> Any:  # noqa: ANN401
    return kind(**{**plain, "created_at": datetime.fromisoformat(plain["created_at"])})
