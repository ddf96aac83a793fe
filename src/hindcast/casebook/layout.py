"""How a case is kept as a record: the whole case as the body, its keys beside it, its words for search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hindcast.model.case import KIND, NAMESPACE, Case, from_json, to_json
from hindcast.model.errors import Damaged, Malformed
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.record import Change, Json, Record
from hindcast.recall.keys import keys_of_case
from hindcast.recall.reading import words_of_case

CASES = Filter(namespace=NAMESPACE, kind=KIND)


@dataclass(frozen=True, slots=True)
class Kept:
    """A case with what people decided about its record itself, which is no part of what it teaches."""

    case: Case
    # The case that goes on in its place; empty: it stands for itself.
    joined_into: str = ""
    # Services that people took out of it; detection does not put them back.
    apart: tuple[str, ...] = ()
    # The version that was read; 0: it is not written yet.
    version: int = 0
    # Earlier incidents that it does not repeat, as people said; detection does not link it to them again.
    unlinked: tuple[str, ...] = ()


def address_of(case_id: str) -> Address:
    """Where a case is remembered. Raises Malformed when this cannot be a case's id."""
    try:
        return Address(NAMESPACE, case_id)
    except Malformed as error:
        raise Malformed(
            f"{case_id[:80]!r} cannot be the id of a case.",
            field="id",
            remedy="Use letters, digits and dashes, as in inc-20261115-0203-payment.",
        ) from error


def change_of(kept: Kept) -> Change:
    """The change that remembers a case as it is now."""
    case = kept.case
    return Change(
        address_of(case.id), _body(kept), KIND, text=words_of_case(case), occurred_at=case.occurred_at
    )  # fmt: skip


def kept_of(record: Record) -> Kept:
    """The case in a record. Raises Damaged when the record holds something else."""
    body = record.body if isinstance(record.body, dict) else {}
    try:
        case = from_json(body)
    except Malformed as error:
        raise Damaged(
            f"{record.address} holds no case: {error.problem}",
            field=error.field,
            remedy=f"See who wrote it: hindcast memory history {record.address}",
        ) from error
    return Kept(
        case,
        str(body.get("joined_into") or ""),
        _names(body.get("apart")),
        record.version,
        _names(body.get("unlinked")),
    )


def readable(record: Record | None) -> Kept | None:
    """The case in a record, or None where there is none or something else."""
    try:
        return kept_of(record) if record is not None else None
    except Damaged:
        return None


def says_the_same(record: Record, kept: Kept) -> bool:
    """Whether remembering this case again would change nothing."""
    change = change_of(kept)
    if (record.kind, record.text, record.occurred_at) != (change.kind, change.text, change.occurred_at):
        return False
    known = readable(record)
    if known is None:
        return False
    # Times are written in more than one way, so values are compared, not what they were written as.
    same = replace(known, version=kept.version) == kept
    return same and _names(_field(record.body, "keys")) == keys_of_case(kept.case)


def _body(kept: Kept) -> dict[str, Json]:
    body: dict[str, Json] = {**to_json(kept.case), "keys": list(keys_of_case(kept.case))}
    if kept.joined_into:
        body["joined_into"] = kept.joined_into
    if kept.apart:
        body["apart"] = list(kept.apart)
    if kept.unlinked:
        body["unlinked"] = list(kept.unlinked)
    return body


def _field(body: Json, name: str) -> Json:
    return body.get(name) if isinstance(body, dict) else None


def _names(value: Json) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
