"""Joins two lines of history: finds what each side changed since they parted, and settles it record by record.

Reverting is the same work: the side to join is the world as it was before the commit, and the base the world after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hindcast.memory.three_way import ABSENT, Value, equal, join
from hindcast.model.answer import Choice, Conflict, Instead, Policy
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address, split_stored
from hindcast.model.record import Change, Json, Record, Scope, State
from hindcast.ports import Store

# The parts of a record beside its body that can be in conflict. No body has such a field: '@' cannot start a segment
# that a person would write, and it is only ever shown.
_KIND, _TEXT = "@kind", "@text"


@dataclass(frozen=True, slots=True)
class Plan:
    """What joining would do."""

    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]
    settled: tuple[Conflict, ...]


@dataclass(slots=True)
class _Sides:
    """One address as base, ours and theirs have it, and the fields on which they cannot agree."""

    base: Record | None
    ours: Record | None
    theirs: Record | None
    choice: Choice
    # Their side spoke last, be it to take something back.
    theirs_newer: bool
    disputed: list[str] = field(default_factory=list)

    def settle(self, name: str, _base: Value, ours: Value, theirs: Value) -> Value:
        self.disputed.append(name)
        if self.choice is Policy.THEIRS:
            return theirs
        if self.choice is Policy.NEWEST:
            return theirs if self.theirs_newer else ours
        return ours

    def occurred_at(self) -> datetime | None:
        """When it happened: what one side corrected, else the later of the two."""
        before, ours, theirs = _occurred(self.base), _occurred(self.ours), _occurred(self.theirs)
        if ours is None or theirs is None or ours == before:
            return theirs or ours
        return ours if theirs == before else max(ours, theirs)


def _occurred(record: Record | None) -> datetime | None:
    return record.occurred_at if record is not None else None


def _learned(record: Record | None) -> int:
    return record.seq if record is not None else 0


def plan(
    store: Store,
    addresses: Sequence[str],
    *,
    bases: Sequence[Scope],
    ours: Scope,
    theirs: Scope,
    policy: Policy,
    choices: Mapping[str, Choice],
    sets: frozenset[str],
) -> Plan:
    """What has to change on our side so that it holds what both sides say."""
    before = [_live(store, scope, addresses) for scope in bases]
    here, there = store.get_many(ours, addresses), store.get_many(theirs, addresses)
    changes: list[Change] = []
    conflicts: list[Conflict] = []
    settled: list[Conflict] = []
    for address in addresses:
        found = [known.get(address) for known in before]
        agreed = all(equal(_says(known), _says(found[0])) for known in found)
        choice = choices.get(address, policy)
        ours_version, their_version = here.get(address), there.get(address)
        sides = _Sides(
            _newest(found) if agreed else None,
            _if_live(ours_version),
            _if_live(their_version),
            choice,
            theirs_newer=_learned(their_version) > _learned(ours_version),
        )
        change = _joined(split_stored(address), sides, their_version, sets, base_known=agreed)
        if sides.disputed:
            conflict = Conflict(split_stored(address), tuple(sides.disputed), sides.base, sides.ours, sides.theirs)
            if choice is Policy.ASK:
                conflicts.append(conflict)
                continue
            settled.append(conflict)
        if change is not None:
            changes.append(change)
    unused = set(choices) - {str(conflict.address) for conflict in (*settled, *conflicts)}
    if unused:
        raise Malformed(
            f"There is no conflict at {', '.join(sorted(unused)[:3])}.",
            field="choices",
            remedy="Choose only for the addresses that the conflicts name.",
        )
    return Plan(tuple(changes), tuple(conflicts), tuple(settled))


def _joined(
    address: Address, sides: _Sides, their_version: Record | None, sets: frozenset[str], *, base_known: bool
) -> Change | None:
    ours, theirs = _says(sides.ours), _says(sides.theirs)
    if equal(ours, theirs) and not _corrects_time(sides):
        return None
    if isinstance(sides.choice, Instead):
        _ask_whether_disputed(sides, ours, theirs, sets, base_known=base_known)
        chosen: Value = {**_shell(sides), "body": sides.choice.body}
        value = chosen if sides.disputed else join(_says(sides.base), ours, theirs, sides.settle, sets=sets)
    elif not base_known:
        # Crossed merges: the sides parted at several moments that disagree, so nobody can say who changed what.
        value = sides.settle("", ABSENT, ours, theirs)
    else:
        value = join(_says(sides.base), ours, theirs, sides.settle, sets=sets)
    sides.disputed[:] = [_shown(name) for name in sides.disputed]
    if equal(value, ours) and not _corrects_time(sides):
        return None
    origin = their_version.version if their_version is not None else None
    if not isinstance(value, Mapping):
        ended = their_version.state if their_version is not None and their_version.state is not State.LIVE else None
        state = State.ARCHIVED if ended is State.ARCHIVED else State.RETRACTED
        kind = sides.ours.kind if sides.ours is not None else "fact"
        return Change(address, kind=kind, state=state, origin=origin)
    text = value.get(_TEXT)
    return Change(
        address,
        body=value["body"],
        kind=str(value[_KIND]),
        text=str(text) if text is not None else None,
        occurred_at=sides.occurred_at(),
        origin=origin,
    )


def _ask_whether_disputed(sides: _Sides, ours: Value, theirs: Value, sets: frozenset[str], *, base_known: bool) -> None:
    if base_known:
        join(_says(sides.base), ours, theirs, sides.settle, sets=sets)
    else:
        sides.settle("", ABSENT, ours, theirs)


def _corrects_time(sides: _Sides) -> bool:
    """Whether their side alone says that it happened at another time."""
    if sides.base is None or sides.ours is None or sides.theirs is None:
        return False
    return sides.ours.occurred_at == sides.base.occurred_at != sides.theirs.occurred_at


def _shell(sides: _Sides) -> dict[str, Json]:
    record = sides.ours or sides.theirs
    assert record is not None, "a conflict has at least one side"
    return {_KIND: record.kind, _TEXT: None}


def _says(record: Record | None) -> Value:
    """What a record says, as one value that can be joined field by field."""
    if record is None:
        return ABSENT
    return {_KIND: record.kind, _TEXT: record.text, "body": record.body}


def _shown(name: str) -> str:
    if name == "body":
        return ""
    return name.removeprefix("body.")


def _newest(records: Sequence[Record | None]) -> Record | None:
    return max((record for record in records if record is not None), key=_learned, default=None)


def _if_live(record: Record | None) -> Record | None:
    return record if record is not None and record.state is State.LIVE else None


def _live(store: Store, scope: Scope, addresses: Sequence[str]) -> dict[str, Record]:
    return {
        address: record
        for address, record in store.get_many(scope, addresses).items()
        if record.state is State.LIVE
    }  # fmt: skip
