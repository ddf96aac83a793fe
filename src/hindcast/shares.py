"""Shares: what one space lets another know about a component that both use, and nothing else.

A share has two sides, each said in its own space: one gives, the other takes. Without both nothing crosses, and either
can stop it at once. Only cases about the component cross: no other case, no verdict, no runbook, no fact.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hindcast.casebook.layout import CASES, readable
from hindcast.memory import Memory, View
from hindcast.model.case import KIND as CASE
from hindcast.model.case import CaseState
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address, check_name
from hindcast.model.query import Filter, Looked, Query, Sight
from hindcast.model.record import MAIN, Change, Commit, Record
from hindcast.ports import Early
from hindcast.recall.reading import components as components_in
from hindcast.recall.shared import Grant, about

NAMESPACE = "shares"
KIND = "share"
DIGEST_CHARS = 16
COMPONENT_CHARS_MAX = 100
# What is held back is looked for after the search, so more is asked for than is wanted.
ASKED_TIMES = 10
ASKED_MAX = 500


class Side(StrEnum):
    """Which half of a share a space has said."""

    GIVEN = "given"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class Share:
    """One half of a share, as one space says it."""

    side: Side
    component: str
    # The other space.
    space: str
    by: str = ""


def give(memory: Memory, component: str, *, to: str, actor: str, why: str) -> Commit:
    """Let another space recall this one's cases about a component, once it takes them."""
    return _say(memory, Share(Side.GIVEN, component_named(component), to), actor=actor, why=why)


def take(memory: Memory, component: str, *, source: str, actor: str, why: str) -> Commit:
    """Recall another space's cases about a component, once it gives them."""
    return _say(memory, Share(Side.TAKEN, component_named(component), source), actor=actor, why=why)


def stop(memory: Memory, share: Share, *, actor: str, why: str) -> Commit:
    """Take back one half of a share: from the next question on nothing crosses. Raises Missing if there is none."""
    named = replace(share, component=component_named(share.component))
    where = _address(named)
    if memory.now().find(where) is None:
        raise Missing(
            f"{named.component} is not {named.side} {'to' if named.side is Side.GIVEN else 'from'} {named.space}.",
            field="component",
            remedy="`hindcast share list` shows what is.",
        )
    return memory.retract(where, actor=actor, why=why)


def shares_of(view: View) -> tuple[Share, ...]:
    """What a space gives and takes, as a moment shows it."""
    found = [share for record in view.every(Filter(namespace=NAMESPACE, kind=KIND)) if (share := _share(record))]
    return tuple(sorted(found, key=lambda share: (share.side, share.space, share.component)))


def granted(giver: View, receiver: str) -> frozenset[str]:
    """The components about which a space lets another know."""
    return frozenset(one.component for one in shares_of(giver) if one.side is Side.GIVEN and one.space == receiver)


def grants(view: View, space: str, open_view: Callable[[str], View | None]) -> tuple[Grant, ...]:
    """What a space may recall from others: what it takes and they give, each through a view that shows only that.

    `open_view` gives the present of another space, or None when there is no such space.
    """
    taken: dict[str, set[str]] = {}
    for one in shares_of(view):
        if one.side is Side.TAKEN and one.space != space:
            taken.setdefault(one.space, set()).add(one.component)
    found: list[Grant] = []
    for giver, wanted in taken.items():
        theirs = open_view(giver)
        agreed = granted(theirs, space) & wanted if theirs is not None else frozenset()
        if theirs is not None and agreed:
            found.append(Grant(Lent(theirs, agreed), giver, agreed))
    return tuple(found)


class Lent:
    """Another space's memory, as far as it is shared: its cases about some components."""

    def __init__(self, view: View, components: frozenset[str]) -> None:
        self._view = view
        self._components = components
        # What looks came upon and may be shown.
        self._shown: dict[int, Record] = {}

    def look(self, query: Query, *, early: Early | None = None) -> Looked:  # noqa: ARG002
        """The shared cases that answer best. Nobody is told early: what is not shared must not be shown at all."""
        wanted = replace(query.filter, namespace=CASES.namespace, kind=CASE)
        asked = max(min(query.hits_max * ASKED_TIMES, ASKED_MAX), query.hits_max)
        looked = self._view.look(replace(query, filter=wanted, hits_max=asked))
        read = self._view.read(looked.sights)
        self._shown |= {version: record for version, record in read.items() if self._is_shared(record)}
        sights = tuple(sight for sight in looked.sights if sight.version in self._shown)
        return replace(looked, sights=sights[: query.hits_max])

    def read(self, sights: Sequence[Sight]) -> dict[int, Record]:
        """Those of them that a look has shown."""
        return {one.version: self._shown[one.version] for one in sights if one.version in self._shown}

    def _is_shared(self, record: Record) -> bool:
        if record.namespace != CASES.namespace or record.kind != CASE:
            return False
        kept = readable(record)
        return kept is not None and kept.case.state is not CaseState.DISMISSED and about(kept.case, self._components)


def component_named(text: str) -> str:
    """A component by its usual name: `postgresql` is `postgres`. Raises Malformed for what names none."""
    name = " ".join(text.lower().split())
    if not name or len(name) > COMPONENT_CHARS_MAX or not name.isprintable():
        raise Malformed(
            f"{text[:40]!r} names no component.", field="component", remedy="Write its usual name, as in redis."
        )
    known = components_in(name)
    return known[0] if len(known) == 1 and " " not in name else name


def _say(memory: Memory, share: Share, *, actor: str, why: str, branch: str = MAIN) -> Commit:
    check_name(share.space, field="space")
    if share.space == memory.space:
        raise Malformed(
            f"{share.space} is this space itself.",
            field="space",
            remedy="Name another one; a space knows its own cases.",
        )
    body = {"side": share.side.value, "component": share.component, "space": share.space}
    text = f"{share.component} {share.side} {share.space}"
    return memory.commit([Change(_address(share), body, KIND, text=text)], actor=actor, why=why, branch=branch)


def _address(share: Share) -> Address:
    identity = repr((share.side.value, share.space, share.component))
    return Address(NAMESPACE, hashlib.sha256(identity.encode()).hexdigest()[:DIGEST_CHARS])


def _share(record: Record) -> Share | None:
    body = record.body if isinstance(record.body, dict) else {}
    side, component, space = body.get("side"), body.get("component"), body.get("space")
    if side not in tuple(Side) or not isinstance(component, str) or not isinstance(space, str):
        return None
    return Share(Side(str(side)), component, space, record.actor)
