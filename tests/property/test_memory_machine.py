"""Random lives of a memory, told to a model in plain dictionaries that never asks the code under test.

The model is told what happened (which verb, which arguments, what the new commit is called). What follows from it, it
works out itself: the full state after every commit, ancestors as sets, merge bases from those sets, and a three-way
merge of its own. Then both have to agree on everything that can be read, now and at every moment that ever was.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.store_sql import open_store
from hindcast.memory import Memory
from hindcast.model.answer import Conflicts, Merged, Policy
from hindcast.model.errors import Missing, Refused
from hindcast.model.ids import Address
from hindcast.model.query import Filter, Query
from hindcast.model.record import Change, Commit, State

if TYPE_CHECKING:
    from tests.conftest import Postgres

START = datetime(2026, 1, 1, tzinfo=UTC)
BRANCHES_MAX = 6
HITS_MAX = 1_000
WORDS = ("zulu", "kilo", "tango")
ADDRESSES = ("m/x", "n/p", "n/p#e", "n/p.q", "n/r")
# Fields that the product promises to merge as sets.
SETS = ("tags", "attempts")


# --- The model ----------------------------------------------------------------------------------------------------


class Nothing:
    """What an address holds when it holds nothing."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()


@dataclass(eq=False)
class Cell:
    """One version of one address. Branches share cells, so erasing one is seen wherever it is seen."""

    body: Any
    kind: str
    occurred: datetime
    learned: datetime
    step: int
    erased: bool = False

    @property
    def says(self) -> Any:
        """What it says: its kind and body, or nothing."""
        if self.erased or self.body is NOTHING:
            return NOTHING
        return {"kind": self.kind, "body": self.body}


@dataclass(eq=False)
class Node:
    """One commit: everything that its line holds after it."""

    step: int
    name: str
    branch: str
    at: datetime
    # What it follows on its own line, and what it merged.
    before: Node | None
    merged: Node | None
    cells: dict[str, Cell]
    wrote: frozenset[str]
    erasure: bool = False
    ancestors: frozenset[Node] = frozenset()

    @property
    def parents(self) -> list[Node]:
        """What it came from."""
        return [parent for parent in (self.before, self.merged) if parent is not None]

    def __post_init__(self) -> None:
        self.ancestors = frozenset({self}).union(*(parent.ancestors for parent in self.parents))


def text_of(value: Any) -> str:
    """A value as text: 1, 1.0 and true differ, the order of keys does not."""
    return repr(value) if value is NOTHING else json.dumps(value, sort_keys=True)


def said(cells: dict[str, Cell], address: str) -> Any:
    """What a state says at an address."""
    return cells[address].says if address in cells else NOTHING


def live(node: Node | None) -> dict[str, Any]:
    """What a commit's line shows: kind, body and time of everything that is there."""
    if node is None:
        return {}
    return {
        address: (cell.kind, text_of(cell.body), cell.occurred)
        for address, cell in node.cells.items()
        if cell.says is not NOTHING
    }


def nearest_shared(left: Node, right: Node) -> list[Node]:
    """The newest commits that both include: shared ones that no other shared one includes."""
    shared = left.ancestors & right.ancestors
    return [one for one in shared if not any(one in other.ancestors for other in shared if other is not one)]


@dataclass
class Joining:
    """A three-way merge of one record's content, counting what could not be joined."""

    pick: Callable[[Any, Any], Any]
    disputes: int = 0

    def join(self, base: Any, ours: Any, theirs: Any, name: str = "") -> Any:
        """Take the side that changed; go inside objects and sets when both did; else let somebody pick."""
        changed_here, changed_there = text_of(base) != text_of(ours), text_of(base) != text_of(theirs)
        if text_of(ours) == text_of(theirs) or not changed_there:
            return ours
        if not changed_here:
            return theirs
        if isinstance(ours, dict) and isinstance(theirs, dict):
            return self._objects(base if isinstance(base, dict) else {}, ours, theirs)
        if isinstance(ours, list) and isinstance(theirs, list) and name in SETS:
            return self._sets(base if isinstance(base, list) else [], ours, theirs)
        self.disputes += 1
        return self.pick(ours, theirs)

    def _objects(self, base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
        names = sorted(set(ours) | set(theirs))
        joined = {
            name: self.join(base.get(name, NOTHING), ours.get(name, NOTHING), theirs.get(name, NOTHING), name)
            for name in names
        }
        return {name: value for name, value in joined.items() if value is not NOTHING}

    def _sets(self, base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
        named = all(isinstance(item, dict) and isinstance(item.get("id"), str) for item in base + ours + theirs)

        def keyed(items: list[Any]) -> dict[str, Any]:
            return {item["id"] if named else text_of(item): item for item in items}

        before, here, there = keyed(base), keyed(ours), keyed(theirs)
        order = [*here, *(key for key in there if key not in here)]
        joined = [self.join(before.get(key, NOTHING), here.get(key, NOTHING), there.get(key, NOTHING)) for key in order]
        return [item for item in joined if item is not NOTHING]


@dataclass
class Model:
    """The whole space, told step by step."""

    nodes: list[Node] = field(default_factory=list)
    heads: dict[str, Node | None] = field(default_factory=lambda: {"main": None})
    snapshots: dict[str, Node] = field(default_factory=dict)
    cells: dict[str, list[Cell]] = field(default_factory=dict)

    def add(
        self,
        commit: Commit,
        branch: str,
        changes: Mapping[str, tuple[Any, str, datetime | None]],
        merged: Node | None = None,
        *,
        erasure: bool = False,
    ) -> None:
        """A commit happened: what each changed address holds from now on."""
        head = self.heads[branch]
        step = len(self.nodes)
        written = {
            address: Cell(body, kind, occurred or commit.at, commit.at, step)
            for address, (body, kind, occurred) in changes.items()
        }
        for address, cell in written.items():
            self.cells.setdefault(address, []).append(cell)
        cells = {**(head.cells if head else {}), **written}
        node = Node(step, commit.id, branch, commit.at, head, merged, cells, frozenset(written), erasure)
        self.nodes.append(node)
        self.heads[branch] = node

    def line(self, node: Node | None) -> list[Node]:
        """A commit and what came before it on its own line, newest first."""
        found = []
        while node is not None:
            found.append(node)
            node = node.before
        return found

    def at(self, branch: str, moment: datetime) -> Node | None:
        """What a branch's line had come to by a time."""
        return next((node for node in self.line(self.heads[branch]) if node.at <= moment), None)

    def joined(
        self,
        bases: Sequence[dict[str, Cell]],
        ours: dict[str, Cell],
        theirs: dict[str, Cell],
        addresses: Iterable[str],
        policy: Policy,
    ) -> tuple[dict[str, tuple[Any, str, datetime | None]], set[str]]:
        """What a merge changes on our side, and where it cannot."""
        changes: dict[str, tuple[Any, str, datetime | None]] = {}
        disputed: set[str] = set()
        for address in addresses:
            here, there = said(ours, address), said(theirs, address)
            before = [said(base, address) for base in bases]
            agreed = len({text_of(value) for value in before}) <= 1
            known = [base[address] for base in bases if address in base]
            base_cell = max(known, key=lambda cell: cell.step) if agreed and known else None
            base = base_cell.says if base_cell is not None else NOTHING
            our_cell, their_cell = ours.get(address), theirs.get(address)
            newer = (their_cell.step if their_cell else -1) > (our_cell.step if our_cell else -1)
            wins = policy is Policy.THEIRS or (policy is Policy.NEWEST and newer)
            work = Joining(lambda left, right, wins=wins: right if wins else left)  # type: ignore[misc]
            if not agreed and text_of(here) != text_of(there):
                work.disputes = 1
                result = work.pick(here, there)
            else:
                result = work.join(base, here, there)
            times = [
                cell.occurred if cell is not None and cell.says is not NOTHING else None
                for cell in (base_cell, our_cell, their_cell)
            ]
            corrected = None not in times and times[0] == times[1] != times[2]
            if work.disputes:
                disputed.add(address)
            if text_of(result) == text_of(here) and not corrected:
                continue
            if result is NOTHING:
                changes[address] = (NOTHING, "fact", None)
            else:
                changes[address] = (result["body"], result["kind"], _later(times))
        return changes, disputed


def _later(times: Sequence[datetime | None]) -> datetime | None:
    """The time that one side alone changed, else the later one."""
    before, ours, theirs = times
    if ours is None or theirs is None or ours == before:
        return theirs or ours
    return ours if theirs == before else max(ours, theirs)


# --- What may happen ----------------------------------------------------------------------------------------------

scalars = st.one_of(st.sampled_from([None, True, 1, 1.0, "x"]), st.sampled_from(WORDS))
bodies = st.one_of(
    scalars,
    st.lists(scalars, max_size=2),
    st.fixed_dictionaries(
        {},
        optional={
            "a": scalars,
            "b": scalars,
            "deep": st.one_of(scalars, st.fixed_dictionaries({}, optional={"x": scalars, "y": scalars})),
            "tags": st.lists(st.sampled_from(["p", "q", "r"]), unique=True),
            "attempts": st.lists(
                st.fixed_dictionaries({"id": st.sampled_from(["1", "2"])}, optional={"o": scalars}),
                unique_by=lambda item: item["id"],
                max_size=2,
            ),
        },
    ),
)
occurrences = st.sampled_from([None, None, START - timedelta(days=9), START + timedelta(days=9)])
batches = st.dictionaries(
    st.sampled_from(ADDRESSES),
    st.one_of(st.just(NOTHING), st.tuples(bodies, st.sampled_from(["fact", "incident"]), occurrences)),
    min_size=1,
    max_size=3,
)
# Small edits of what is there: the stuff that merges are made of.
edits = st.one_of(
    st.tuples(st.sampled_from(["a", "b", "deep.x", "deep.y", "attempts.1", "attempts.2"]), scalars),
    st.tuples(st.just("tags"), st.sampled_from(["p", "q", "r"])),
    st.tuples(st.sampled_from(["drop", "kind", "time", "retract"]), st.sampled_from(["a", "b", "deep", "tags"])),
)
numbers = st.integers(0, 10**6)
policies = st.sampled_from(list(Policy))
WHO: dict[str, Any] = {"actor": "ana", "why": "because"}


def edited(body: Any, place: str, value: Any) -> Any:
    """A body with one field set, dropped, or an item put in or out; a body that is no object becomes one."""
    new = json.loads(json.dumps(body)) if isinstance(body, dict) else {}
    name, _, inner = place.partition(".")
    if place == "drop":
        new.pop(value, None)
    elif place == "tags":
        held = new["tags"] if isinstance(new.get("tags"), list) else []
        new["tags"] = [tag for tag in held if tag != value] if value in held else [*held, value]
    elif name == "attempts":
        held = [item for item in new.get("attempts", []) if isinstance(item, dict) and item["id"] != inner]
        new["attempts"] = [*held, {"id": inner, "o": value}]
    elif name == "deep":
        new["deep"] = {**(new["deep"] if isinstance(new.get("deep"), dict) else {}), inner: value}
    else:
        new[name] = value
    return new


class Life(RuleBasedStateMachine):
    """Verbs in any order, on any branch, at any moment; model and memory have to agree."""

    def __init__(self, where: str | None, folder: AbstractContextManager[str]) -> None:
        super().__init__()
        self.folder = folder
        root = Path(folder.__enter__())
        self.where = where or str(root)
        self.space = f"life-{os.urandom(6).hex()}"
        self.clock = ManualClock(START)
        self.store = open_store(self.where, self.space, now=START)
        self.memory = Memory(
            self.store, clock=self.clock, entropy=os.urandom, index=LocalIndex(root / "index", self.store)
        )  # fmt: skip
        self.model = Model()

    # Choosing

    def branch_of(self, number: int) -> str:
        """Any branch."""
        return sorted(self.model.heads)[number % len(self.model.heads)]

    def node_of(self, number: int) -> Node:
        """Any commit that ever was."""
        return self.model.nodes[number % len(self.model.nodes)]

    def moment_of(self, number: int, kind: int) -> tuple[Any, str, Node | None]:
        """Any moment, by any of its names: what to ask for, the branch it is on, and the commit it is."""
        if kind == 0 or not self.model.nodes:
            name = self.branch_of(number)
            return name, name, self.model.heads[name]
        node = self.node_of(number)
        if kind == 1 and self.model.snapshots:
            name = sorted(self.model.snapshots)[number % len(self.model.snapshots)]
            taken = self.model.snapshots[name]
            return name, taken.branch, taken
        if kind == 2:
            return node.at, "main", self.model.at("main", node.at)
        if kind == 4:
            name = self.branch_of(number)
            return f"{name}@{node.at.isoformat()}", name, self.model.at(name, node.at)
        return (node.name if number % 2 else node.name[:16]), node.branch, node

    def shows(self, moment: Any, node: Node | None, branch: str = "main") -> None:
        """The memory shows at a moment what the model holds at a commit."""
        view = self.memory.at(moment, branch=branch)
        found = {
            str(record.address): (record.kind, text_of(record.body), record.occurred_at) for record in view.every()
        }
        assert found == live(node)
        assert view.count() == len(found)

    # Writing

    @rule(batch=batches, number=numbers, hours=st.integers(0, 30))
    def commit(self, batch: dict[str, Any], number: int, hours: int) -> None:
        """A batch of new bodies and retractions is one commit, or nothing if it takes back what is not there."""
        self.clock.move(timedelta(hours=hours))
        self.commit_all(batch, self.branch_of(number))

    def commit_all(self, batch: dict[str, Any], branch: str) -> None:
        """Commit a batch and tell the model, unless it has to be refused."""
        shown = live(self.model.heads[branch])
        changes, told = [], {}
        for address, content in batch.items():
            if content is NOTHING:
                changes.append(Change(Address.parse(address), state=State.RETRACTED))
                told[address] = (NOTHING, "fact", None)
            else:
                body, kind, occurred = content
                changes.append(Change(Address.parse(address), body, kind=kind, occurred_at=occurred))
                told[address] = (body, kind, occurred)
        if any(content is NOTHING and address not in shown for address, content in batch.items()):
            with pytest.raises(Missing):
                self.memory.commit(changes, branch=branch, **WHO)
            return
        self.model.add(self.memory.commit(changes, branch=branch, **WHO), branch, told)

    @precondition(lambda self: len(self.model.heads) < BRANCHES_MAX)
    @rule(number=numbers, kind=st.integers(0, 4))
    def branch(self, number: int, kind: int) -> None:
        """A branch begins at any moment."""
        moment, _, node = self.moment_of(number, kind)
        name = f"b{len(self.model.heads)}x"
        made = self.memory.branch(name, start=moment, **WHO)
        assert made.head == (node.name if node else None)
        self.model.heads[name] = node

    @precondition(lambda self: self.model.nodes)
    @rule(number=numbers)
    def snapshot(self, number: int) -> None:
        """A snapshot names any commit."""
        name, node = f"s{len(self.model.snapshots)}x", self.node_of(number)
        self.memory.snapshot(name, moment=node.name, **WHO)
        self.model.snapshots[name] = node

    @rule(number=numbers, address=st.sampled_from(ADDRESSES[:3]), edit=edits)
    def edit(self, number: int, address: str, edit: tuple[str, Any]) -> None:
        """One field of one record is changed, or its kind, or when it happened, or it is taken back."""
        branch = self.branch_of(number)
        head = self.model.heads[branch]
        cell = head.cells.get(address) if head is not None else None
        shown = cell is not None and cell.says is not NOTHING
        body, kind, occurred = (cell.body, cell.kind, cell.occurred) if shown and cell else ({}, "fact", None)
        if edit[0] == "retract":
            if shown:
                self.commit_all({address: NOTHING}, branch)
            return
        if edit[0] == "kind":
            kind = "incident" if kind == "fact" else "fact"
        elif edit[0] == "time":
            occurred = START - timedelta(days=len(edit[1]))
        else:
            body = edited(body, *edit)
        self.commit_all({address: (body, kind, occurred)}, branch)

    @precondition(lambda self: len(self.model.heads) > 1 and self.model.nodes)
    @rule(left=numbers, right=numbers, address=st.sampled_from(ADDRESSES[:3]), one=edits, two=edits, policy=policies)
    def meet(self, left: int, right: int, address: str, one: Any, two: Any, policy: Policy) -> None:
        """Two branches edit the same record, and one is merged into the other."""
        into, source = self.branch_of(left), self.branch_of(right)
        self.edit(left, address, one)
        self.edit(right, address, two)
        if into != source:
            self.join(into, source, source, self.model.heads[source], policy)

    @precondition(lambda self: len(self.model.heads) > 1 and self.model.nodes)
    @rule(left=numbers, right=numbers, policy=policies, other=policies)
    def cross(self, left: int, right: int, policy: Policy, other: Policy) -> None:
        """Two branches each merge what the other was a moment ago, so that later they have no single base."""
        one, two = self.branch_of(left), self.branch_of(right)
        was_one, was_two = self.model.heads[one], self.model.heads[two]
        if was_one is None or was_two is None or was_one.branch != one or was_two.branch != two or one == two:
            return
        self.join(one, was_two.name, two, was_two, policy)
        self.join(two, was_one.name, one, was_one, other)

    @precondition(lambda self: len(self.model.heads) > 1 and self.model.nodes)
    @rule(number=numbers, other=numbers, kind=st.sampled_from([0, 0, 0, 3, 4]), policy=policies)
    def merge(self, number: int, other: int, kind: int, policy: Policy) -> None:
        """A branch or a commit is merged into a branch; doing it again changes nothing more."""
        self.join(self.branch_of(number), *self.moment_of(other, kind), policy)

    def join(self, into: str, moment: Any, source: str, theirs: Node | None, policy: Policy) -> None:
        """Merge a moment, which is a commit on some branch, and compare with what the model makes of it."""
        ours = self.model.heads[into]
        if source == into:
            with pytest.raises(Refused):
                self.memory.merge(moment, into, policy=policy, **WHO)
            return
        answer = self.memory.merge(moment, into, policy=policy, **WHO)
        if theirs is None or (ours is not None and theirs in ours.ancestors):
            assert answer == Merged(None, 0)
            return
        bases = [base.cells for base in nearest_shared(ours, theirs)] if ours is not None else []
        our_cells = ours.cells if ours is not None else {}
        changes, disputed = self.model.joined(
            bases, our_cells, theirs.cells, set(our_cells) | set(theirs.cells), policy
        )  # fmt: skip
        if disputed and policy is Policy.ASK:
            assert isinstance(answer, Conflicts)
            assert {str(conflict.address) for conflict in answer.conflicts} == disputed
            return
        assert isinstance(answer, Merged)
        assert answer.commit is not None
        assert {str(conflict.address) for conflict in answer.settled} == disputed
        assert answer.taken == len(changes)
        self.model.add(answer.commit, into, changes, merged=theirs)
        self.shows(into, self.model.heads[into])
        assert self.memory.merge(moment, into, policy=policy, **WHO) == Merged(None, 0)

    @precondition(lambda self: self.model.nodes)
    @rule(number=numbers, other=numbers, policy=policies)
    def revert(self, number: int, other: int, policy: Policy) -> None:
        """Any commit of a branch's own line is undone, unless it was an erasure."""
        branch = self.branch_of(number)
        head = self.model.heads[branch]
        # Mostly something recent of the same line; now and then anything.
        line = self.model.line(head)[:4]
        node = line[other % len(line)] if line and other % 3 else self.node_of(other)
        if node.erasure or node not in self.model.line(head):
            with pytest.raises(Refused):
                self.memory.revert(node.name, branch=branch, policy=policy, **WHO)
            return
        assert head is not None
        answer = self.memory.revert(node.name, branch=branch, policy=policy, **WHO)
        before = node.before.cells if node.before is not None else {}
        changes, disputed = self.model.joined([node.cells], head.cells, before, sorted(node.wrote), policy)
        if disputed and policy is Policy.ASK:
            assert isinstance(answer, Conflicts)
            assert {str(conflict.address) for conflict in answer.conflicts} == disputed
            return
        assert isinstance(answer, Merged)
        assert answer.commit is not None
        self.model.add(answer.commit, branch, changes)

    @rule(address=st.sampled_from(ADDRESSES), below=st.booleans())
    def erase(self, address: str, below: bool) -> None:
        """Every version of an address, with its entries and perhaps what is below it, is gone from every moment."""
        reach = {"n/p": {"n/p", "n/p#e"} | ({"n/p.q"} if below else set())}.get(address, {address})
        meant = [cell for name in reach for cell in self.model.cells.get(name, [])]
        held = [cell for cell in meant if not cell.erased]
        if not meant:
            with pytest.raises(Missing):
                self.memory.erase(address, below=below, **WHO)
            return
        done = self.memory.erase(address, below=below, **WHO)
        assert done.versions == len(held)
        for cell in held:
            cell.erased = True
        if held:
            self.model.add(done.commit, "main", {}, erasure=True)

    @rule(number=numbers, days=st.integers(1, 3), namespace=st.sampled_from(["m", "n"]))
    def archive(self, number: int, days: int, namespace: str) -> None:
        """What nobody learnt anew for some days is put aside."""
        branch = self.branch_of(number)
        head = self.model.heads[branch]
        limit = self.clock.now() - timedelta(days=days)
        stale = {
            address: (NOTHING, cell.kind, None)
            for address, cell in (head.cells if head else {}).items()
            if cell.says is not NOTHING and cell.learned < limit and address.startswith(f"{namespace}/")
        }
        found = self.memory.decay(stale_days=days, wanted=Filter(namespace=namespace), branch=branch, **WHO)
        assert {str(record.address) for record in found} == set(stale)
        if stale:
            self.model.add(self.memory.log(branch)[0], branch, stale)

    # Reading

    @rule(number=numbers, kind=st.integers(0, 4))
    def read(self, number: int, kind: int) -> None:
        """Any moment shows what it showed when it was the present, less what was erased since."""
        moment, _, node = self.moment_of(number, kind)
        self.shows(moment, node)

    @rule(number=numbers, hours=st.integers(-10, 200))
    def read_by_time(self, number: int, hours: int) -> None:
        """Any branch at any time shows what its line had come to by then."""
        branch, moment = self.branch_of(number), START + timedelta(hours=hours)
        self.shows(moment, self.model.at(branch, moment), branch)

    @rule(left=numbers, right=numbers, kind=st.integers(0, 4), other=st.integers(0, 4))
    def diff(self, left: int, right: int, kind: int, other: int) -> None:
        """The difference of any two moments is the difference of two dictionaries."""
        first, _, before = self.moment_of(left, kind)
        second, _, after = self.moment_of(right, other)
        old = {address: content[:2] for address, content in live(before).items()}
        new = {address: content[:2] for address, content in live(after).items()}
        found = self.memory.diff(first, second)
        assert {str(record.address) for record in found.learned} == set(new) - set(old)
        assert {str(record.address) for record in found.forgotten} == set(old) - set(new)
        assert {str(one.after.address) for one in found.changed} == {
            address for address in set(old) & set(new) if old[address] != new[address]
        }

    @rule(word=st.sampled_from(WORDS), number=numbers, kind=st.integers(0, 4))
    def search(self, word: str, number: int, kind: int) -> None:
        """A word finds exactly the records that hold it at that moment on that branch."""
        moment, _, node = self.moment_of(number, kind)
        found = self.memory.at(moment).search(Query(word, hits_max=HITS_MAX, arms=("words",))).hits
        assert {str(hit.record.address) for hit in found} == {
            address for address, (_, body, _) in live(node).items() if f'"{word}"' in body
        }
        assert len(found) == len({hit.record.address for hit in found})

    @precondition(lambda self: self.model.nodes)
    @rule(number=numbers)
    def log(self, number: int) -> None:
        """The log of a branch is its line, and every commit names its parents."""
        branch = self.branch_of(number)
        line = self.model.line(self.model.heads[branch])
        commits = self.memory.log(branch, commits_max=1_000)
        assert [commit.id for commit in commits] == [node.name for node in line]
        for commit, node in zip(commits, line, strict=True):
            assert commit.parent == (node.before.name if node.before else None)
            assert commit.merge_parent == (node.merged.name if node.merged else None)

    @invariant()
    def every_branch_shows_its_state(self) -> None:
        """After every step, each branch lists what its dictionary holds."""
        for branch, head in self.model.heads.items():
            self.shows(branch, head) if head is not None or self.model.nodes else None

    def teardown(self) -> None:
        """At the end of a life: no fault, the whole past unchanged, and an export that is the same life elsewhere."""
        try:
            self._look_back()
        finally:
            self.memory.close()
            self.folder.__exit__(None, None, None)

    def _look_back(self) -> None:
        assert self.memory.verify().faults == ()
        for node in self.model.nodes:
            self.shows(node.name, node)
        for name, node in self.model.snapshots.items():
            self.shows(name, node)
        lines = list(self.memory.export())
        copy = Memory(
            open_store(self.where, f"{self.space}-copy", now=START), clock=self.clock, entropy=os.urandom
        )  # fmt: skip
        try:
            copy.import_lines(lines)
            assert list(copy.export())[1:] == lines[1:]
            assert copy.verify().faults == ()
        finally:
            copy.close()


def live_out(where: str | None, examples: int, steps: int) -> None:
    """Run so many lives of at most so many steps."""
    run_state_machine_as_test(
        lambda: Life(where, tempfile.TemporaryDirectory(prefix="hindcast-life-")),  # type: ignore[arg-type]
        settings=settings(max_examples=examples, stateful_step_count=steps),
    )


def test_memory_is_what_its_model_says_on_sqlite() -> None:
    """Whatever happens in whatever order, memory shows what plain dictionaries hold, and its past never changes."""
    live_out(None, examples=120, steps=40)


def test_memory_is_what_its_model_says_on_postgres(postgres: Postgres) -> None:
    """The same lives hold on PostgreSQL."""
    live_out(postgres.address, examples=10, steps=20)
