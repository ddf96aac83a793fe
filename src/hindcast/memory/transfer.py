"""Moves a whole history as JSON lines, lossless: every version, every commit, every name, with the ids they had."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

import orjson

from hindcast.memory import chain
from hindcast.memory.verify import COMMITS_PER_FETCH, resealed
from hindcast.model.errors import Malformed, Refused
from hindcast.model.record import Action, Branch, Commit, Snapshot, State
from hindcast.ports import Progress, Row, Store, Writer

FORMAT = 1


def export(store: Store, progress: Progress | None = None) -> Iterator[bytes]:
    """A space as JSON lines: a header, its branches, each commit followed by its versions, its snapshots."""
    tip = store.tip()
    yield _line({"hindcast_memory": FORMAT, "space": store.space, "commits": tip.seq, "versions": tip.version})
    for branch in store.branches():
        yield _line({"branch": _plain(replace(branch, head_seq=branch.fork_seq, head=None))})
    after = 0
    while after < tip.seq:
        commits = store.commits(
            None, before=tip.seq + 1, after=after, commits_max=COMMITS_PER_FETCH, oldest_first=True
        )  # fmt: skip
        rows = iter(store.rows(after=commits[0].first_version - 1, until=commits[-1].last_version))
        for commit in commits:
            yield _line({"commit": _plain(commit)})
            for _ in range(commit.changes):
                yield _line({"version": _plain_row(next(rows))})
        after = commits[-1].seq
        if progress is not None:
            progress(after, tip.seq, "commits")
    for snapshot in store.snapshots():
        yield _line({"snapshot": _plain(snapshot)})


def import_lines(store: Store, lines: Iterable[bytes], progress: Progress | None = None) -> int:
    """Take in an export, into a space that holds nothing yet. Every id is recomputed; all of it is written, or nothing."""
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
        self._branches: dict[str, Branch] = {}
        self._seqs: dict[str, int] = {}
        self._commit: Commit | None = None
        self._rows: list[Row] = []
        self._prior: str | None = None
        self._total = 0

    def take(self, lines: Iterable[bytes]) -> int:
        number = 0
        for number, line in enumerate(lines, 1):
            try:
                self._take(number, orjson.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise Malformed(
                    f"Line {number} cannot be read: {error}.",
                    field="file",
                    remedy="Export again, and import all of it.",
                ) from error
        self._finish()
        if number == 0 or len(self._seqs) != self._total:
            raise Malformed(
                f"The file ends early: {len(self._seqs)} of {self._total} commits are there.",
                field="file",
                remedy="Export again, and import all of it.",
            )
        return len(self._seqs)

    def _take(self, number: int, line: dict[str, Any]) -> None:
        if number == 1:
            if line.get("hindcast_memory") != FORMAT:
                raise ValueError(f"not an export of format {FORMAT}")
            self._total = int(line["commits"])
        elif "version" in line:
            self._rows.append(_row(line["version"]))
        elif "commit" in line:
            self._finish()
            self._commit = _commit(line["commit"])
        elif "branch" in line:
            branch = _named(Branch, line["branch"])
            self._writer.add_branch(branch, chain.branch_seal(branch))
            self._branches[branch.name] = branch
        else:
            self._finish()
            snapshot = _named(Snapshot, line["snapshot"])
            self._writer.add_snapshot(snapshot, chain.snapshot_seal(snapshot))

    def _finish(self) -> None:
        if self._commit is None:
            return
        commit, rows = self._commit, self._rows
        broken = any(row.salt is not None and chain.digest(row.body, row.text, row.salt) != row.digest for row in rows)
        if broken or resealed(commit, self._prior, rows).id != commit.id:
            raise Malformed(
                f"Commit {commit.id[:12]} (step {commit.seq}) is not what was exported.",
                field="file",
                remedy="The file was altered or cut: export again.",
            )
        branch = replace(
            self._branches[commit.branch],
            head=commit.parent,
            head_seq=self._seqs[commit.parent] if commit.parent is not None else 0,
        )
        merge_seq = self._seqs[commit.merge_parent] if commit.merge_parent is not None else None
        self._writer.append(commit, branch, merge_seq, rows)
        self._seqs[commit.id] = commit.seq
        self._prior = commit.id
        self._commit, self._rows = None, []
        if self._progress is not None and commit.seq % COMMITS_PER_FETCH == 0:
            self._progress(commit.seq, self._total, "commits")


def _line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n"


def _plain(value: Branch | Commit | Snapshot) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _plain_row(row: Row) -> dict[str, Any]:
    plain = {field.name: getattr(row, field.name) for field in fields(row)}
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
    values["state"] = State(values["state"])
    return Row(**values)


def _commit(plain: dict[str, Any]) -> Commit:
    return Commit(**{**plain, "at": datetime.fromisoformat(plain["at"]), "action": Action(plain["action"])})


def _named(kind: type[Any], plain: dict[str, Any]) -> Any:  # noqa: ANN401
    return kind(**{**plain, "created_at": datetime.fromisoformat(plain["created_at"])})
