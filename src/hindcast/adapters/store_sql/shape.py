"""Rows to values and back: times as microseconds, ids as bytes, bodies as canonical JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import index
from typing import Any

import orjson
from sqlalchemy import RowMapping

from hindcast.model.errors import Damaged
from hindcast.model.ids import Address, split_stored
from hindcast.model.record import Action, Branch, Commit, Record, State
from hindcast.ports import Row, Tip

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STATES = tuple(State)

# What `record` reads, in its order, and what `row` reads: kept beside the functions that depend on it.
RECORD_COLUMNS = (
    "v.id, v.kind, v.state, v.from_seq, v.body, v.text, v.occurred_us, v.origin, v.salt IS NULL, "
    "c.id, c.at_us, c.actor, v.address"
)
ROW_COLUMNS = "id, branch, address, kind, state, from_seq, body, text, occurred_us, origin, replaces, salt, digest"

COMMIT_COLUMNS = (
    "seq, id, branch, parent, merge_parent, at_us, actor, why, action, detail, first_version, last_version"
)  # fmt: skip


def commit_values(commit: Commit, branch: Branch, merge_seq: int | None) -> tuple[Any, ...]:
    """COMMIT_COLUMNS of a commit that follows its branch's head."""
    return (
        commit.seq,
        bytes.fromhex(commit.id),
        branch.number,
        branch.head_seq or None,
        merge_seq,
        microseconds(commit.at),
        commit.actor,
        commit.why,
        str(commit.action),
        orjson.dumps(commit.detail, option=orjson.OPT_SORT_KEYS),
        commit.first_version,
        commit.last_version,
    )


def moment(microseconds: int) -> datetime:
    """A stored time."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except (TypeError, OverflowError) as error:
        raise Damaged(
            f"{microseconds!r} was stored as a time.", remedy="Run `hindcast memory verify`, then restore from a copy."
        ) from error


def microseconds(when: datetime) -> int:
    """A time as it is stored: exact, and the same in every engine."""
    return (when - _EPOCH) // timedelta(microseconds=1)


def record(found: Sequence[Any], address: Address | None = None) -> Record:
    """A record out of RECORD_COLUMNS. Raises Damaged when the bytes are no longer what was written."""
    version, kind, state, seq, body, text, occurred_us, origin, erased, commit, at_us, actor, stored = found
    try:
        return Record(
            address or split_stored(stored),
            orjson.loads(body) if body is not None else None,
            kind,
            # Erasing takes the salt; every other version has one.
            State.ERASED if erased else _STATES[state],
            text,
            _EPOCH + timedelta(microseconds=occurred_us),
            _EPOCH + timedelta(microseconds=at_us),
            actor,
            commit.hex(),
            seq,
            version,
            origin,
        )
    except (ValueError, IndexError, TypeError, AttributeError, OverflowError) as error:
        raise Damaged(
            f"Version {version} of {stored} cannot be read: {error}.",
            remedy="Run `hindcast memory verify`, then restore from a copy.",
        ) from error


def row(found: Sequence[Any]) -> Row:
    """A stored version out of ROW_COLUMNS, with nothing decoded."""
    return Row._make(found)


def commit(found: RowMapping | Mapping[str, Any]) -> Commit:
    """A commit, with its parents' ids joined in as `parent_id` and `merge_id`, and its branch's name."""
    try:
        return Commit(
            seq=found["seq"],
            id=found["id"].hex(),
            branch=found["branch_name"],
            parent=found["parent_id"].hex() if found["parent_id"] is not None else None,
            merge_parent=found["merge_id"].hex() if found["merge_id"] is not None else None,
            at=moment(found["at_us"]),
            actor=found["actor"],
            why=found["why"],
            action=Action(found["action"]),
            detail=orjson.loads(found["detail"]),
            # Whole numbers already, unless something else was put in their place.
            first_version=index(found["first_version"]),
            last_version=index(found["last_version"]),
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise Damaged(
            f"Commit number {found['seq']} cannot be read: {error}.",
            remedy="Run `hindcast memory verify`, then restore from a copy.",
        ) from error


def _whole(stored: object) -> int:
    if not isinstance(stored, int):
        raise Damaged(
            f"{stored!r} was stored as a number.", remedy="Run `hindcast memory verify`, then restore from a copy."
        )
    return stored


def branch(found: RowMapping | Mapping[str, Any]) -> Branch:
    """A branch, with its parent's name joined in as `parent_name` and its head's id as `head_id`."""
    return Branch(
        number=_whole(found["number"]),
        name=found["name"],
        parent=found["parent_name"],
        fork_seq=_whole(found["fork_seq"]),
        head_seq=_whole(found["head_seq"]),
        head=found["head_id"].hex() if found["head_id"] is not None else None,
        created_at=moment(found["created_us"]),
        actor=found["actor"],
        why=found["why"],
    )


def tip(found: Sequence[Any] | None) -> Tip:
    """The newest step out of a commit's number, id, time and last version."""
    if found is None:
        return Tip(0, None, None, 0)
    try:
        return Tip(index(found[0]), found[1].hex(), moment(found[2]), index(found[3]))
    except (TypeError, AttributeError) as error:
        raise Damaged(
            f"The newest commit cannot be read: {error}.", remedy="Run `hindcast memory verify`, then restore a copy."
        ) from error
