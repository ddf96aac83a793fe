"""Compares: what two moments differ in, who set each field of a record, and when an answer changed."""

from __future__ import annotations

from collections.abc import Callable

from hindcast.memory.ancestry import spans
from hindcast.memory.chain import same
from hindcast.memory.moments import Moments, clip
from hindcast.memory.three_way import ABSENT, Value, differing, equal, leaves
from hindcast.memory.view import View
from hindcast.model.answer import Alteration, Blame, Difference, Moment, NoTurn, Turn
from hindcast.model.errors import Malformed, Refused
from hindcast.model.ids import Address
from hindcast.model.query import Query
from hindcast.model.record import Commit, Json, Record, State, inside
from hindcast.ports import Store

# What is asked of memory at a moment: a search, or any function of what it shows then.
Question = Query | Callable[[View], Json]


def diff(store: Store, before: Moment, after: Moment, *, records_max: int) -> Difference:
    """What was learned, changed and forgotten from one moment to another, on whatever branches they are."""
    addresses = store.touched(spans(before.scope, after.scope))
    if len(addresses) > records_max:
        raise Refused(
            f"{len(addresses)} addresses were written between these moments; {records_max} can be compared at once.",
            field="moments",
            remedy="Compare moments that are closer together.",
        )
    old, new = store.get_many(before.scope, addresses), store.get_many(after.scope, addresses)
    learned: list[Record] = []
    changed: list[Alteration] = []
    forgotten: list[Record] = []
    for address in addresses:
        was, now = _live(old.get(address)), _live(new.get(address))
        if was is None and now is not None:
            learned.append(now)
        elif was is not None and now is None:
            forgotten.append(was)
        elif was is not None and now is not None and was.version != now.version and not _same_record(was, now):
            changed.append(Alteration(was, now, differing(was.body, now.body)))
    return Difference(before, after, tuple(learned), tuple(changed), tuple(forgotten))


def _live(record: Record | None) -> Record | None:
    return record if record is not None and record.state is State.LIVE else None


def _same_record(left: Record, right: Record) -> bool:
    return left.kind == right.kind and left.text == right.text and same(left.body, right.body)


def blame(store: Store, moments: Moments, record: Record) -> tuple[Blame, ...]:
    """For every field of a record: the commit that gave it its value, through merges to where it was first said."""
    commits: dict[str, Commit] = {}
    trails: dict[int, list[Record]] = {}

    def commit_of(version: Record) -> Commit:
        if version.commit not in commits:
            commits[version.commit] = store.commit(version.commit)
        return commits[version.commit]

    def before(version: Record) -> Record | None:
        """The version of the same address that this one followed on its own line."""
        if version.version not in trails:
            scope = clip(moments.lineage(commit_of(version).branch), version.seq - 1)
            trails[version.version] = store.trail(scope, str(version.address))
        trail = trails[version.version]
        if trail:
            trails.setdefault(trail[0].version, trail[1:])
        return trail[0] if trail else None

    def source(version: Record, name: str, value: Json) -> Record:
        while True:
            earlier = before(version)
            if earlier is not None and equal(_field(earlier, name), value):
                version = earlier
                continue
            merged = store.records([version.origin]).get(version.origin) if version.origin is not None else None
            if merged is None or not equal(_field(merged, name), value):
                return version
            version = merged

    return tuple(
        Blame(name, value, commit_of(source(record, name, value))) for name, value in leaves(record.body).items()
    )


def _field(record: Record, name: str) -> Value:
    if record.state is not State.LIVE:
        return ABSENT
    return leaves(record.body).get(name, ABSENT)


def bisect(store: Store, since: Moment, until: Moment, ask: Callable[[Moment], Json]) -> Turn | NoTurn:
    """The commit at which an answer became different from what it was at the beginning.

    Looks at as many moments as a number has digits in base two. If the answer changed more than once, it finds one
    of the commits at which it left the first answer.
    """
    if since.seq >= until.seq:
        raise Malformed("The beginning is not before the end.", field="since", remedy="Swap them, or choose others.")
    low, high = since.seq, until.seq
    first, last = ask(_at(until, low)), ask(until)
    looks = 2
    if same(first, last):
        return NoTurn(first, looks)
    before, after = first, last
    turned: Commit | None = None
    while True:
        middle = _commit_between(store, until, low, high)
        if middle is None:
            break
        answer = ask(_at(until, middle.seq))
        looks += 1
        if same(answer, first):
            low, before = middle.seq, answer
        else:
            high, after, turned = middle.seq, answer, middle
    if turned is None or turned.seq != high:
        turned = store.commits(until.scope, before=high + 1, after=low, commits_max=1)[0]
    return Turn(turned, before, after, looks)


def _at(moment: Moment, seq: int) -> Moment:
    return Moment(moment.branch, seq, clip(moment.scope, seq), f"step {seq}")


def _commit_between(store: Store, moment: Moment, low: int, high: int) -> Commit | None:
    """A commit of this line near the middle of two steps, or None when they are neighbours."""
    middle = (low + high) // 2
    below = store.commits(moment.scope, before=middle + 1, after=low, commits_max=1)
    if below and below[0].seq < high:
        return below[0]
    above = store.commits(moment.scope, before=high, after=max(middle, low), commits_max=1, oldest_first=True)
    return above[0] if above else None


def value_at(address: Address, field: str = "") -> Callable[[View], Json]:
    """A question for `bisect`: the value at an address, where null and nothing are told apart."""

    def ask(view: View) -> Json:
        record = view.find(address)
        value, there = inside(record.body, field) if record is not None else (None, False)
        return {"there": there, "value": value}

    return ask


def answer(view: View, question: Question) -> Json:
    """What memory answers at a moment, as a value that can be compared."""
    if not isinstance(question, Query):
        return question(view)
    return [{"address": str(hit.record.address), "body": hit.record.body} for hit in view.search(question).hits]
