"""What makes history tamper-evident: canonical bytes, salted digests, and commit ids that cover all that came before.

A version's digest is salted with random bytes of its own. Erasing removes body and salt and leaves the digest, so the
chain still verifies and yet nobody can find the body by trying candidates against the digest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

import orjson

from hindcast.model.errors import Malformed
from hindcast.model.record import Branch, Commit, Json, Snapshot
from hindcast.ports import Row

# Written into every id, so that a later scheme can never be confused with this one.
SCHEME = "hindcast-memory-1"
SALT_BYTES = 16
_DIGEST_BYTES = 32
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Types that orjson would turn into strings without being asked are refused instead.
_CANONICAL = (
    orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
)  # fmt: skip


def microseconds(when: datetime) -> int:
    """A time as a whole number, the same for every timezone it is written in."""
    return (when - _EPOCH) // timedelta(microseconds=1)


def canonical(body: Json) -> bytes:
    """The one way to write a JSON value: keys sorted, no spaces."""
    try:
        written = orjson.dumps(body, option=_CANONICAL)
    except (TypeError, RecursionError) as error:
        raise Malformed(
            f"The body is not JSON: {error}.",
            field="body",
            remedy="Use objects with text keys, lists, text, 64-bit numbers, true, false and null.",
        ) from error
    # orjson writes NaN and infinities as null, which would lose them silently.
    if b"null" in written and _has_odd_float(body):
        raise Malformed(
            "The body holds NaN or an infinity.", field="body", remedy="Write such a number as text or null."
        )
    return written


def _has_odd_float(value: Json) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(map(_has_odd_float, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_odd_float, value))


def depth(value: Json) -> int:
    """How many objects and lists stand inside one another."""
    level, deep = [value], 0
    while level := [inner for outer in level for inner in _inside(outer)]:
        deep += 1
    return deep


def _inside(value: Json) -> Iterable[Json]:
    if isinstance(value, Mapping):
        return value.values() or (None,)
    return (value or (None,)) if isinstance(value, list | tuple) else ()


def same(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON. Python alone would say that 1, 1.0 and true are."""
    return left is right or orjson.dumps(left, option=_CANONICAL) == orjson.dumps(right, option=_CANONICAL)


def digest(body: bytes | None, text: str | None, salt: bytes) -> bytes:
    """What proves a version's content. Canonical JSON has no zero byte, so the parts cannot run together."""
    content = (body or b"") + (b"\0\0" if text is None else b"\0" + text.encode())
    return blake2b(content, salt=salt, digest_size=_DIGEST_BYTES).digest()


def commit_id(commit: Commit, prior: str | None, rows: Sequence[Row]) -> str:
    """The id of a commit: over its own words, its parents, the step before it on any branch, and all its versions."""
    named = [(row.id, row.address, row.kind, row.state, row.occurred_us, row.origin, row.replaces) for row in rows]
    leaves = blake2b(orjson.dumps(named), digest_size=_DIGEST_BYTES)
    leaves.update(b"".join([row.digest for row in rows]))
    words: list[Json] = [
        SCHEME,
        commit.seq,
        prior,
        commit.parent,
        commit.merge_parent,
        commit.branch,
        microseconds(commit.at),
        commit.actor,
        commit.why,
        str(commit.action),
        commit.detail,
        commit.first_version,
        commit.last_version,
        leaves.hexdigest(),
    ]
    return blake2b(orjson.dumps(words, option=_CANONICAL), digest_size=_DIGEST_BYTES).hexdigest()


def branch_seal(branch: Branch) -> bytes:
    """What proves that a branch still begins where it began."""
    return _seal(
        "branch",
        branch.name,
        branch.number,
        branch.parent,
        branch.fork_seq,
        branch.created_at,
        branch.actor,
        branch.why,
    )


def snapshot_seal(snapshot: Snapshot) -> bytes:
    """What proves that a snapshot still names the commit it was given for."""
    return _seal(
        "snapshot", snapshot.name, snapshot.commit, snapshot.seq, snapshot.created_at, snapshot.actor, snapshot.why
    )


def _seal(*words: str | int | datetime | None) -> bytes:
    plain: list[Json] = [microseconds(word) if isinstance(word, datetime) else word for word in words]
    return blake2b(orjson.dumps([SCHEME, *plain]), digest_size=_DIGEST_BYTES).digest()
