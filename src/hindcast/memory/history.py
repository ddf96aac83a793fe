"""Adds to history: checks changes, numbers and seals them, and writes each batch as one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import repeat
from typing import NamedTuple

from hindcast.memory import chain
from hindcast.memory.moments import MAIN_NUMBER, aware
from hindcast.model.errors import Malformed, Missing, Refused, Stale
from hindcast.model.ids import check_actor, check_kind, check_name
from hindcast.model.limits import MemoryLimits
from hindcast.model.record import DEFAULT_KIND, MAIN, Action, Branch, Change, Commit, Json, Snapshot, State
from hindcast.ports import Clock, Entropy, Row, Store, Tip, Writer


@dataclass(frozen=True, slots=True)
class Step:
    """What a commit says of itself, before history gives it a number and an id."""

    actor: str
    why: str
    branch: str = MAIN
    action: Action = Action.COMMIT
    detail: Json = None
    # The commit that joins in as second parent.
    merge_parent: str | None = None
    merge_seq: int | None = None
    # The head that the caller has read: if the branch has moved since, nothing is written.
    expected_head: str | None = None


class _Sealed(NamedTuple):
    """Changes whose content is already in its final bytes, so that the write lock is held only for writing.

    Columns rather than rows: a batch of thousands is put together at the speed of lists.
    """

    changes: Sequence[Change]
    addresses: list[str]
    bodies: list[bytes | None]
    salts: list[bytes]
    digests: list[bytes]


class History:
    """The writing half of memory."""

    def __init__(self, store: Store, clock: Clock, entropy: Entropy, limits: MemoryLimits) -> None:
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._limits = limits

    def commit(
        self, changes: Sequence[Change], step: Step, *, check: Callable[[Writer, Branch], None] | None = None
    ) -> Commit:
        """Write changes as one commit; `check` may still refuse once the write lock is held."""
        self._check_step(step)
        sealed = self._seal(changes)
        with self._store.write() as writer:
            branch = self._branch(writer, step.branch)
            if step.expected_head is not None and branch.head != step.expected_head:
                raise Stale(
                    f"The branch {branch.name!r} has moved to {(branch.head or 'nothing')[:12]}.",
                    field="expected_head",
                    remedy="Read again, then repeat the change on what is there now.",
                )
            if check is not None:
                check(writer, branch)
            return self._append(writer, branch, step, sealed)

    def _append(self, writer: Writer, branch: Branch, step: Step, sealed: _Sealed) -> Commit:
        tip = writer.tip()
        at = self._now_after(tip)
        replaced = writer.current(branch.number, sealed.addresses) if sealed.addresses else {}
        at_us, seq = chain.microseconds(at), tip.seq + 1
        # Column by column, in the order of Row's fields: several times quicker than making rows one by one.
        changes = sealed.changes
        columns = zip(
            range(tip.version + 1, tip.version + len(changes) + 1),
            repeat(branch.number),
            sealed.addresses,
            [change.kind for change in changes],
            [int(change.state) for change in changes],
            repeat(seq),
            sealed.bodies,
            [change.text for change in changes],
            [at_us if change.occurred_at is None else chain.microseconds(change.occurred_at) for change in changes],
            [change.origin for change in changes],
            [replaced.get(address) for address in sealed.addresses] if replaced else repeat(None),
            sealed.salts,
            sealed.digests,
            strict=False,
        )
        rows = list(map(Row._make, columns))
        commit = Commit(
            seq=seq,
            id="",
            branch=branch.name,
            parent=branch.head,
            merge_parent=step.merge_parent,
            at=at,
            actor=step.actor,
            why=step.why,
            action=step.action,
            detail=step.detail,
            first_version=tip.version + 1,
            last_version=tip.version + len(rows),
        )
        commit = replace(commit, id=chain.commit_id(commit, tip.id, rows))
        writer.append(commit, branch, step.merge_seq, rows)
        return commit

    def _seal(self, changes: Sequence[Change]) -> _Sealed:
        if len(changes) > self._limits.changes_per_commit_max:
            raise Refused(
                f"One commit holds at most {self._limits.changes_per_commit_max} changes, not {len(changes)}.",
                field="changes",
                remedy="Write them in several commits.",
            )
        addresses = [str(change.address) for change in changes]
        if len(set(addresses)) < len(addresses):
            twice = next(address for address in addresses if addresses.count(address) > 1)
            raise Malformed(
                f"{twice} is changed twice in one commit.", field="changes", remedy="Keep the change that counts."
            )
        size = chain.SALT_BYTES
        entropy = self._entropy(size * len(changes))
        salts = [entropy[at : at + size] for at in range(0, len(entropy), size)]
        bodies = [self._body(change, address) for change, address in zip(changes, addresses, strict=True)]
        digests = [
            chain.digest(body, change.text, salt) for change, body, salt in zip(changes, bodies, salts, strict=True)
        ]
        return _Sealed(changes, addresses, bodies, salts, digests)

    def _body(self, change: Change, address: str) -> bytes | None:
        if change.kind != DEFAULT_KIND:
            check_kind(change.kind)
        if change.occurred_at is not None:
            aware(change.occurred_at, field="occurred_at")
        if change.text is not None:
            self._check_text(change.text, address)
        if change.state is not State.LIVE:
            self._check_end(change, address)
            return None
        body = chain.canonical(change.body)
        if len(body) > self._limits.body_bytes_max:
            raise Refused(
                f"The body of {address} has {len(body)} bytes; {self._limits.body_bytes_max} are kept.",
                field="body",
                remedy="Keep the whole elsewhere, and remember a summary with a link to it.",
            )
        deep_max = self._limits.body_depth_max
        # Counting brackets is quick and never too low; only a suspicious body is walked.
        if body.count(b"[") + body.count(b"{") > deep_max and chain.depth(change.body) > deep_max:
            raise Refused(
                f"The body of {address} has more than {deep_max} levels.", field="body", remedy="Write it flatter."
            )
        return body

    def _check_end(self, change: Change, address: str) -> None:
        if change.state is State.ERASED:
            raise Malformed(
                f"A commit cannot erase {address}.", field="state", remedy="Use `erase`: it removes every version."
            )

    def _check_text(self, text: str, address: str) -> None:
        if len(text) > self._limits.text_chars_max:
            raise Refused(
                f"The text of {address} has {len(text)} characters; {self._limits.text_chars_max} are kept.",
                field="text",
                remedy="Give search the words that matter.",
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Malformed(f"The text of {address} is not valid Unicode.", field="text", remedy="Clean it.") from error
        if "\0" in text:
            raise Malformed(f"The text of {address} holds a zero character.", field="text", remedy="Remove it.")

    def _check_step(self, step: Step) -> None:
        check_actor(step.actor)
        if step.branch != MAIN:
            check_name(step.branch, field="branch")
        why = step.why
        if not why.strip() or len(why) > self._limits.why_chars_max or "\0" in why or not why.isascii():
            self._check_why(why)

    def _check_why(self, why: str) -> None:
        try:
            why.encode()
            valid = bool(why.strip()) and len(why) <= self._limits.why_chars_max and "\0" not in why
        except UnicodeEncodeError:
            valid = False
        if not valid:
            raise Malformed(
                "A commit says why, in words." if not why.strip() else "The reason cannot be kept as it is.",
                field="why",
                remedy=f"Give a reason of up to {self._limits.why_chars_max} characters.",
            )

    def _now_after(self, tip: Tip) -> datetime:
        """The present, but never before the last commit: a clock that was set back must not disorder history."""
        now = aware(self._clock.now(), field="clock")
        return now if tip.at is None or now >= tip.at else tip.at

    def _branch(self, writer: Writer, name: str) -> Branch:
        try:
            return writer.branch(name)
        except Missing:
            if name != MAIN:
                raise
        main = Branch(MAIN_NUMBER, MAIN, None, 0, 0, None, self._now_after(writer.tip()), "hindcast", "where it begins")
        writer.add_branch(main, chain.branch_seal(main))
        return main

    def start_branch(self, name: str, *, parent: str, fork_seq: int, actor: str, why: str) -> Branch:
        """Begin a branch at a step of its parent."""
        check_name(name, field="branch")
        self._check_step(Step(actor, why))
        with self._store.write() as writer:
            self._branch(writer, parent)
            self._check_free(name, field="branch")
            branches = self._store.branches()
            if len(branches) >= self._limits.branches_max:
                raise Refused(
                    f"This space has {len(branches)} branches already.",
                    field="branch",
                    remedy="Merge into one of them.",
                )
            number = max((known.number for known in branches), default=MAIN_NUMBER) + 1
            branch = Branch(number, name, parent, fork_seq, fork_seq, None, self._now_after(writer.tip()), actor, why)
            writer.add_branch(branch, chain.branch_seal(branch))
            return writer.branch(name)

    def take_snapshot(self, name: str, commit: Commit, *, actor: str, why: str) -> Snapshot:
        """Give a commit a name, once and for ever."""
        check_name(name, field="snapshot")
        self._check_step(Step(actor, why))
        with self._store.write() as writer:
            self._check_free(name, field="snapshot")
            if len(self._store.snapshots()) >= self._limits.snapshots_max:
                raise Refused(
                    f"This space has {self._limits.snapshots_max} snapshots already.",
                    field="snapshot",
                    remedy="Use commit ids or times; they need no name.",
                )
            made = Snapshot(name, commit.id, commit.branch, commit.seq, self._now_after(writer.tip()), actor, why)
            writer.add_snapshot(made, chain.snapshot_seal(made))
            return made

    def _check_free(self, name: str, *, field: str) -> None:
        """Branches and snapshots share their names, so that a name always means one moment."""
        branches = {known.name for known in self._store.branches()} | {MAIN}
        if name in branches or name in {known.name for known in self._store.snapshots()}:
            raise Refused(
                f"{name!r} already names a {'branch' if name in branches else 'snapshot'}.",
                field=field,
                remedy="Choose another name.",
            )
