"""Reading history: what a scope sees, in pages, in bulk, by number; commits, branches, snapshots.

A scope is a list of (branch, last step), nearest branch first. The version of an address that it sees is the newest one
on the first branch that has any: version numbers grow with time, so "newest" is the largest number up to that step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, func, or_, select, text

from hindcast.adapters.store_sql import shape
from hindcast.adapters.store_sql import tables as t
from hindcast.model.errors import Damaged
from hindcast.model.query import Filter
from hindcast.model.record import SEQ_MAX, Commit, Record, Scope, State

# SQLite takes 32,766 bound values in one statement, PostgreSQL 65,535; thousands cost more than another trip.
IDS_PER_STATEMENT_MAX = 1_000
ROWS_PER_FETCH = 2_000

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Pieces of a sequence, none longer than `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))


def branch_query() -> Select[Any]:
    """Branches of `space` with their parents' names and their heads' ids."""
    parent = t.branch.alias("parent")
    return (
        select(t.branch, parent.c.name.label("parent_name"), t.commit.c.id.label("head_id"))
        .outerjoin(t.commit, and_(t.commit.c.space == t.branch.c.space, t.commit.c.seq == t.branch.c.head_seq))
        .outerjoin(parent, and_(parent.c.space == t.branch.c.space, parent.c.number == t.branch.c.parent))
        .where(t.branch.c.space == bindparam("space"))
        .order_by(t.branch.c.number)
    )


def commit_query() -> Select[Any]:
    """Commits of `space` with their parents' ids and their branch's name."""
    parent, merged = t.commit.alias("p"), t.commit.alias("m")
    own = t.commit.c.space
    return (
        select(
            t.commit,
            t.branch.c.name.label("branch_name"),
            parent.c.id.label("parent_id"),
            merged.c.id.label("merge_id"),
        )
        .outerjoin(t.branch, and_(t.branch.c.space == own, t.branch.c.number == t.commit.c.branch))
        .outerjoin(parent, and_(parent.c.space == own, parent.c.seq == t.commit.c.parent))
        .outerjoin(merged, and_(merged.c.space == own, merged.c.seq == t.commit.c.merge_parent))
        .where(t.commit.c.space == bindparam("space"))
    )


BRANCHES = branch_query()
COMMITS = commit_query()


def seen_in(scope: Scope, branch: ColumnElement[int], seq: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a (branch, step) lies within a scope."""
    return or_(*(and_(branch == number, seq <= last) for number, last in scope))


def address_range(wanted: Filter) -> list[tuple[str, str]]:
    """The half-open ranges of addresses that namespace and prefix allow; an empty list allows all.

    Addresses compare by code point, and the characters after a prefix are known ('#' before an entry, '.' before a
    further segment), so every answer is a range of the index.
    """
    if wanted.namespace is None:
        return []
    start = f"{wanted.namespace}/"
    if wanted.prefix is None:
        return [(start, f"{wanted.namespace}0")]
    exact = f"{start}{wanted.prefix}"
    return [(exact, f"{exact}\x01"), (f"{exact}#", f"{exact}$"), (f"{exact}.", f"{exact}/")]


def _within(ranges: list[tuple[str, str]]) -> ColumnElement[bool] | None:
    address = t.version.c.address
    return or_(*(and_(address >= low, address < high) for low, high in ranges)) if ranges else None


def _newest(space: int, branch: int, last: int, ranges: list[tuple[str, str]]) -> Select[Any]:
    query = select(t.version.c.address, func.max(t.version.c.id).label("id")).where(
        t.version.c.space == space, t.version.c.branch == branch
    )
    if last < SEQ_MAX:
        query = query.where(t.version.c.from_seq <= last)
    within = _within(ranges)
    return (query if within is None else query.where(within)).group_by(t.version.c.address)


def page_of_versions(
    connection: Connection, space: int, scope: Scope, ranges: list[tuple[str, str]], *, after: str, versions_max: int
) -> list[tuple[str, int]]:
    """The next addresses beyond `after` with the version that a scope sees of each, whatever its state."""
    nearest: dict[str, int] = {}
    for branch, last in scope:
        query = _newest(space, branch, last, ranges).where(t.version.c.address > after)
        for address, version in connection.execute(query.order_by(t.version.c.address).limit(versions_max)):
            nearest.setdefault(address, version)
    # Each branch gave its first addresses, so the first of them all are complete; the rest may have gaps.
    try:
        return sorted(nearest.items())[:versions_max]
    except TypeError as error:
        raise Damaged(
            f"Addresses are no text: {error}.", remedy="Run `hindcast memory verify`, then restore from a copy."
        ) from error


def newest_versions(connection: Connection, space: int, scope: Scope, addresses: Sequence[str]) -> dict[str, int]:
    """The version that a scope sees of each address that it has."""
    found: dict[str, int] = {}
    left = list(dict.fromkeys(addresses))
    for branch, last in scope:
        for chunk in chunks(left, IDS_PER_STATEMENT_MAX):
            query = _newest(space, branch, last, []).where(t.version.c.address.in_(chunk))
            found.update((row[0], row[1]) for row in connection.execute(query))
        left = [address for address in left if address not in found]
    return found


def _record_query() -> Select[Any]:
    """RECORD_COLUMNS of versions of `space`, in Core's words."""
    v, c = t.version, t.commit
    return (
        select(
            v.c.id, v.c.kind, v.c.state, v.c.from_seq, v.c.body, v.c.text, v.c.occurred_us, v.c.origin,
            v.c.salt.is_(None), c.c.id, c.c.at_us, c.c.actor, v.c.address,
        )
        .join(c, and_(c.c.space == v.c.space, c.c.seq == v.c.from_seq))
        .where(v.c.space == bindparam("space"))
    )  # fmt: skip


_RECORDS = _record_query()
_RECORDS_BY_NUMBER = _RECORDS.where(t.version.c.id.in_(bindparam("numbers", expanding=True)))


def records_by_number(
    connection: Connection,
    space: int,
    versions: Sequence[int],
    wanted: Filter | None = None,
    states: Sequence[State] | None = None,
) -> dict[int, Record]:
    """Versions by number, those that a filter and a choice of states let through."""
    conditions = _conditions(wanted) if wanted else []
    if states is not None:
        alive = [int(state) for state in states if state is not State.ERASED]
        passing = and_(t.version.c.state.in_(alive), t.version.c.salt.is_not(None))
        conditions.append(or_(passing, t.version.c.salt.is_(None)) if State.ERASED in states else passing)
    found: dict[int, Record] = {}
    for chunk in chunks(versions, IDS_PER_STATEMENT_MAX):
        query = _RECORDS_BY_NUMBER.where(*conditions) if conditions else _RECORDS_BY_NUMBER
        rows = connection.execute(query, {"space": space, "numbers": list(chunk)})
        found.update((row[0], shape.record(row)) for row in rows)
    return found


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.kind is not None:
        conditions.append(t.version.c.kind == wanted.kind)
    if wanted.actor is not None:
        conditions.append(t.commit.c.actor == wanted.actor)
    bounds: tuple[tuple[datetime | None, ColumnElement[int], bool], ...] = (
        (wanted.occurred_since, t.version.c.occurred_us, True),
        (wanted.occurred_until, t.version.c.occurred_us, False),
        (wanted.learned_since, t.commit.c.at_us, True),
        (wanted.learned_until, t.commit.c.at_us, False),
    )
    for bound, column, since in bounds:
        if bound is not None:
            limit = shape.microseconds(bound)
            conditions.append(column >= limit if since else column < limit)
    return conditions


def trail(connection: Connection, space: int, scope: Scope, address: str) -> list[Record]:
    """Every version of an address within a scope, newest first."""
    query = _RECORDS.where(
        t.version.c.address == address, seen_in(scope, t.version.c.branch, t.version.c.from_seq)
    ).order_by(t.version.c.id.desc())
    return [shape.record(row) for row in connection.execute(query, {"space": space})]


def touched(connection: Connection, space: int, spans: Sequence[tuple[int, int, int]]) -> list[str]:
    """Addresses written on (branch, after step, up to step). Steps know their version numbers: this scans a range."""
    found: set[str] = set()
    for branch, after, until in spans:
        low = select(func.coalesce(func.max(t.commit.c.last_version), 0)).where(
            t.commit.c.space == space, t.commit.c.seq == after
        )
        query = select(t.version.c.address).distinct().where(
            t.version.c.space == space,
            t.version.c.id > low.scalar_subquery(),
            t.version.c.branch == branch,
            t.version.c.from_seq > after,
        )  # fmt: skip
        if until < SEQ_MAX:
            query = query.where(t.version.c.from_seq <= until)
        found.update(connection.execute(query).scalars())
    return sorted(found)


def _look_at_everything(connection: Connection) -> None:
    """What follows in this transaction reads most of a table, whatever the engine expects.

    PostgreSQL takes a table that it has not analysed yet for a small one, and would compare every row with every other.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT set_config('enable_nestloop', 'off', true)"))


def counts(connection: Connection, space: int, scope: Scope, wanted: Filter) -> Mapping[str, tuple[int, datetime]]:
    """Live records of each namespace and when the newest was learnt, counted inside the engine."""
    _look_at_everything(connection)
    ranges = address_range(wanted)
    levels = []
    for depth, (branch, last) in enumerate(scope):
        query = _newest(space, branch, last, ranges)
        for nearer, nearer_last in scope[:depth]:
            other = t.version.alias()
            shadow = select(text("1")).where(
                other.c.space == space, other.c.branch == nearer, other.c.address == t.version.c.address,
                other.c.from_seq <= nearer_last,
            )  # fmt: skip
            query = query.where(~shadow.exists())
        levels.append(query)
    visible = levels[0].union_all(*levels[1:]).subquery() if len(levels) > 1 else levels[0].subquery()
    slash = func.instr if connection.dialect.name == "sqlite" else func.strpos
    namespace = func.substr(t.version.c.address, 1, slash(t.version.c.address, "/") - 1)
    query = (
        select(namespace, func.count(), func.max(t.commit.c.at_us))
        .select_from(visible.join(t.version, and_(t.version.c.space == space, t.version.c.id == visible.c.id)))
        .join(t.commit, and_(t.commit.c.space == space, t.commit.c.seq == t.version.c.from_seq))
        .where(t.version.c.state == int(State.LIVE), t.version.c.salt.is_not(None), *_conditions(wanted))
        .group_by(namespace)
        .order_by(namespace)
    )
    return {name: (count, shape.moment(at)) for name, count, at in connection.execute(query)}


def commits(
    connection: Connection,
    space: int,
    scope: Scope | None,
    *,
    before: int,
    after: int,
    commits_max: int,
    oldest_first: bool,
) -> list[Commit]:
    """Commits of a scope strictly between two steps."""
    query = COMMITS.where(t.commit.c.seq < before, t.commit.c.seq > after)
    if scope is not None:
        query = query.where(seen_in(scope, t.commit.c.branch, t.commit.c.seq))
    order = t.commit.c.seq.asc() if oldest_first else t.commit.c.seq.desc()
    return [
        shape.commit(row)
        for row in connection.execute(query.order_by(order).limit(commits_max), {"space": space}).mappings()
    ]


def versions_of(connection: Connection, space: int, addresses: Sequence[str], *, below: bool) -> list[int]:
    """Every version, on every branch, of these addresses, and of those below them."""
    branches = select(t.branch.c.number).where(t.branch.c.space == space)
    found: set[int] = set()
    for address in addresses:
        ranges = [(address, f"{address}\x01")]
        if below:
            ranges += [(f"{address}#", f"{address}$"), (f"{address}.", f"{address}/")]
        within = _within(ranges)
        query = select(t.version.c.id).where(t.version.c.space == space, t.version.c.branch.in_(branches))
        found.update(connection.execute(query if within is None else query.where(within)).scalars())
    return sorted(found)
