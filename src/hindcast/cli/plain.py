"""What `--json` prints: every answer as plain values with names that stay as they are.

Times are ISO 8601 in UTC, commit ids are whole, and addresses are text. Nothing is cut short here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from hindcast.model.answer import Blame, Conflict, Conflicts, Difference, Erased, Merged, Moment, Presence, Verified
from hindcast.model.query import Found, Hit
from hindcast.model.record import SEQ_MAX, Branch, Commit, Record, Snapshot

Plain = dict[str, Any]


def written(document: Plain) -> str:
    """A document as text."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z).decode()


def record(value: Record) -> Plain:
    """A record with all it knows of itself."""
    return {
        "address": str(value.address),
        "namespace": value.namespace,
        "path": value.path,
        "entry": value.address.entry,
        "body": value.body,
        "kind": value.kind,
        "state": value.state.name.lower(),
        "text": value.text,
        "occurred_at": value.occurred_at,
        "learned_at": value.learned_at,
        "actor": value.actor,
        "commit": value.commit,
        "step": value.seq,
        "version": value.version,
    }


def records(values: Iterable[Record]) -> list[Plain]:
    """Several records."""
    return [record(value) for value in values]


def maybe(value: Record | None) -> Plain | None:
    """A record, or null where there is none."""
    return record(value) if value is not None else None


def commit(value: Commit) -> Plain:
    """A commit."""
    return {
        "id": value.id,
        "step": value.seq,
        "branch": value.branch,
        "parent": value.parent,
        "merge_parent": value.merge_parent,
        "at": value.at,
        "actor": value.actor,
        "why": value.why,
        "action": str(value.action),
        "detail": value.detail,
        "changes": value.changes,
    }


def branch(value: Branch) -> Plain:
    """A branch."""
    return {
        "name": value.name,
        "parent": value.parent,
        "fork_step": value.fork_seq,
        "head": value.head,
        "head_step": value.head_seq,
        "created_at": value.created_at,
        "actor": value.actor,
        "why": value.why,
    }


def snapshot(value: Snapshot) -> Plain:
    """A snapshot."""
    return {
        "name": value.name,
        "commit": value.commit,
        "branch": value.branch,
        "step": value.seq,
        "created_at": value.created_at,
        "actor": value.actor,
        "why": value.why,
    }


def moment(value: Moment) -> Plain:
    """The moment that an answer holds for; the step is null when the branch was read as it is now."""
    live = value.seq >= SEQ_MAX
    return {"name": value.name, "branch": value.branch, "step": None if live else value.seq}


def difference(value: Difference) -> Plain:
    """What was learned, changed and forgotten."""
    return {
        "before": moment(value.before),
        "after": moment(value.after),
        "learned": records(value.learned),
        "changed": [
            {
                "address": str(change.after.address),
                "fields": list(change.fields),
                "before": record(change.before),
                "after": record(change.after),
            }
            for change in value.changed
        ],
        "forgotten": records(value.forgotten),
    }


def conflict(value: Conflict) -> Plain:
    """One address on which two sides cannot both be right."""
    return {
        "address": str(value.address),
        "fields": list(value.fields),
        "base": maybe(value.base),
        "ours": maybe(value.ours),
        "theirs": maybe(value.theirs),
    }


def joined(value: Merged | Conflicts) -> Plain:
    """The answer of a merge or a revert, whichever way it went."""
    if isinstance(value, Conflicts):
        return {
            "merged": False,
            "commit": None,
            "taken": 0,
            "settled": [],
            "conflicts": [conflict(one) for one in value.conflicts],
        }
    return {
        "merged": True,
        "commit": commit(value.commit) if value.commit is not None else None,
        "taken": value.taken,
        "settled": [conflict(one) for one in value.settled],
        "conflicts": [],
    }


def hit(value: Hit) -> Plain:
    """A record that answers, with the trace of how it was found."""
    return {
        "record": record(value.record),
        "score": value.score,
        "ranks": {arm: {"place": rank.place, "score": rank.score} for arm, rank in value.ranks.items()},
        "matched": list(value.matched),
    }


def found(value: Found) -> Plain:
    """What a search found."""
    return {
        "hits": [hit(one) for one in value.hits],
        "arms": list(value.arms),
        "unembedded": value.unembedded,
        "notes": list(value.notes),
    }


def presence(value: Presence) -> Plain:
    """What one namespace held that resembles what was asked."""
    return {
        "namespace": value.namespace,
        "records": value.records,
        "last_learned_at": value.last_learned_at,
        "hits": [hit(one) for one in value.hits],
    }


def blame(values: Sequence[Blame]) -> list[Plain]:
    """Who set each field."""
    return [{"field": one.field, "value": one.value, "commit": commit(one.commit)} for one in values]


def verified(value: Verified) -> Plain:
    """What a verification saw."""
    return {
        "sound": not value.faults,
        "commits": value.commits,
        "versions": value.versions,
        "erased": value.erased,
        "head": value.head,
        "faults": [{"where": fault.where, "what": fault.what} for fault in value.faults],
    }


def erased(value: Erased) -> Plain:
    """What an erasure removed."""
    return {
        "commit": commit(value.commit),
        "versions": value.versions,
        "addresses": [str(address) for address in value.addresses],
        "traces_gone": value.traces_gone,
    }


def written_value(value: Any) -> str:  # noqa: ANN401
    """A body by itself, as text."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
