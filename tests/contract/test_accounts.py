"""The contract of `ports.Accounts`, held by a SQLite file and by a real PostgreSQL: one suite for both."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import NullPool, create_engine, inspect, text
from sqlalchemy.engine import URL, make_url

from hindcast.adapters.accounts_sql import FILE, SqlAccounts, open_accounts_store
from hindcast.adapters.accounts_sql.tables import metadata
from hindcast.adapters.store_sql.engine import ACCOUNTS, check_space, migrate, migrations
from hindcast.model.access import Power, Role
from hindcast.model.account import (
    SESSION_IDLE,
    Credential,
    Failures,
    Invitation,
    Key,
    Membership,
    Organisation,
    Person,
    Project,
    Purpose,
    Session,
)
from hindcast.model.audit import AUDIT_DAYS_KEPT, AuditEntry, AuditFilter, Chained, Decision, checked
from hindcast.model.errors import Damaged, Malformed, Refused, Stale
from hindcast.ports import Account

if TYPE_CHECKING:
    from tests.conftest import Place

NOW = datetime(2026, 11, 16, 2, 3, 4, 567890, tzinfo=UTC)
EVERYTHING = AuditFilter(is_oldest_first=True, entries_max=1_000)


@pytest.fixture
def opened(place: Place) -> Iterator[Callable[[], SqlAccounts]]:
    """Opens the accounts of a place as often as somebody wants."""
    made: list[SqlAccounts] = []

    def once_more() -> SqlAccounts:
        made.append(open_accounts_store(place.where))
        return made[-1]

    yield once_more
    for one in made:
        one.close()


@pytest.fixture
def accounts(opened: Callable[[], SqlAccounts]) -> SqlAccounts:
    """The accounts of a place, on both engines."""
    return opened()


@pytest.fixture
def acme(accounts: SqlAccounts) -> str:
    """An organisation of this test's own: PostgreSQL keeps those of all tests."""
    name = f"acme-{secrets.token_hex(4)}"
    put(accounts, Organisation(name, NOW, "ana"))
    return name


def put(accounts: SqlAccounts, *values: Account) -> None:
    """Write values in one transaction."""
    with accounts.write() as ledger:
        ledger.put(*values)


def address(place: Place) -> URL:
    """Where the tables are."""
    if place.engine == "sqlite":
        return URL.create("sqlite", database=str(Path(place.where) / FILE))
    return make_url(place.where).set(drivername="postgresql+psycopg")


def raw(place: Place, statement: str, **values: object) -> None:
    """Change a row past every check, as somebody with the file or the database's password could."""
    engine = create_engine(address(place), poolclass=NullPool)
    with engine.begin() as connection:
        assert connection.execute(text(statement), values).rowcount == 1
    engine.dispose()


def ana() -> Person:
    """Somebody whom no other test knows."""
    made = secrets.token_hex(6)
    return Person(made, f"ana-{made}@example.com", "Ana", NOW)


def every_kind(acme: str, person: Person) -> list[tuple[Account, Account, tuple[str, ...]]]:
    """A value of every kind, the same changed, and its key."""
    someday, project = NOW + timedelta(days=1), Project(acme, "payments", NOW, "ana")
    key = Key(secrets.token_hex(6), "deploy", acme, "payments", Power.INGEST, NOW, "ana", someday)
    session = Session(secrets.token_hex(6), person.id, NOW, NOW, "192.0.2.1")
    link = Invitation(secrets.token_hex(6), Purpose.JOIN, "bo@example.com", acme, "", Role.VIEWER, NOW, "ana", someday)
    member = Membership(person.id, acme, "payments", Role.RESPONDER, NOW, "ana")
    owner, bucket = f"key {key.id}", f"peer {secrets.token_hex(6)}"
    return [
        (project, replace(project, archived_at=someday), (acme, "payments")),
        (person, replace(person, identity="https://id.example.com 7"), (person.id,)),
        (member, replace(member, role=Role.ADMIN), (person.id, acme, "payments")),
        (key, replace(key, revoked_at=someday, last_used_at=someday), (key.id,)),
        (session, replace(session, last_seen_at=someday), (session.id,)),
        (link, replace(link, expires_at=NOW), (link.id,)),
        (Credential(owner, "abc"), Credential(owner, "def"), (owner,)),
        (Failures(bucket, 1, NOW), Failures(bucket, 2, someday), (bucket,)),
    ]


def test_every_kind_comes_back_as_it_was(accounts: SqlAccounts, acme: str) -> None:
    """A value of any kind is found by its key as it was put, is replaced by the next one, and is gone once removed."""
    person = ana()
    kinds = every_kind(acme, person)
    for value, changed, key in kinds:
        kind: Any = type(value)
        put(accounts, value)
        assert accounts.get(kind, *key) == value
        put(accounts, changed)
        assert accounts.get(kind, *key) == changed
    for _, changed, key in reversed(kinds):
        gone: Any = type(changed)
        with accounts.write() as ledger:
            ledger.remove(changed)
            ledger.remove(changed)
        assert accounts.get(gone, *key) is None


def test_values_are_found_by_their_fields_in_order(accounts: SqlAccounts, acme: str) -> None:
    """All values whose fields are equal to what is asked are found, in the order of their keys on every engine."""
    names = ["b", "a-b", "a_b", "ab", "a", "1"]
    put(accounts, *(Project(acme, name, NOW, "ana") for name in names))

    found = accounts.find(Project, organisation=acme)

    assert [one.name for one in found] == sorted(names)
    assert accounts.find(Project, organisation=acme, name="ab") == (Project(acme, "ab", NOW, "ana"),)
    assert accounts.find(Project, organisation=f"{acme}-other") == ()


def test_all_of_a_transaction_happens_or_none(accounts: SqlAccounts, acme: str) -> None:
    """What was written before an error is not there afterwards, and neither is its audit entry."""
    before = accounts.revision()

    def fail() -> None:
        with accounts.write() as ledger:
            ledger.put(Project(acme, "payments", NOW, "ana"))
            ledger.append(entry(acme))
            assert ledger.get(Project, acme, "payments") is not None
            raise Refused("No.", remedy="Never.")

    with pytest.raises(Refused):
        fail()
    assert accounts.find(Project, organisation=acme) == ()
    assert accounts.entries(acme, EVERYTHING) == ()
    assert accounts.revision() == before


def test_the_revision_tells_other_processes_of_a_change(opened: Callable[[], SqlAccounts], acme: str) -> None:
    """A change through one opening is seen in another's revision; when something was last used is no change."""
    ours, theirs = opened(), opened()
    before = theirs.revision()
    key = Key(secrets.token_hex(6), "deploy", acme, "", Power.READ, NOW, "ana")

    put(ours, key)
    after = theirs.revision()
    with ours.write() as ledger:
        ledger.touch(replace(key, last_used_at=NOW))

    assert after > before
    assert theirs.get(Key, key.id) == replace(key, last_used_at=NOW)
    assert theirs.revision() == after
    with ours.write() as ledger:
        ledger.remove(key)
    assert theirs.revision() > after


def test_writers_take_turns(opened: Callable[[], SqlAccounts]) -> None:
    """Forty read-and-write transactions at once, through two openings, lose none of their counts."""
    both, bucket = (opened(), opened()), f"peer {secrets.token_hex(6)}"

    def count(number: int) -> None:
        with both[number % 2].write() as ledger:
            kept = ledger.get(Failures, bucket) or Failures(bucket, 0, NOW)
            ledger.touch(replace(kept, count=kept.count + 1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(40)))
    found = both[0].get(Failures, bucket)
    assert found is not None
    assert found.count == 40


def test_no_two_people_have_one_address(accounts: SqlAccounts) -> None:
    """A second person with the same e-mail address is refused, and the first stays who they are."""
    first = ana()
    put(accounts, first)

    with pytest.raises(Stale):
        put(accounts, replace(first, id=secrets.token_hex(6)))
    assert accounts.find(Person, email=first.email) == (first,)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "'; DROP TABLE key; --", "%", "x" * 100_000])
def test_whatever_is_looked_for_is_found_or_not(accounts: SqlAccounts, acme: str, name: str) -> None:
    """Names that no engine could hold, and names that look like SQL, are simply not there."""
    assert accounts.get(Key, name) is None
    assert accounts.find(Person, email=name) == ()
    assert accounts.find(Project, organisation=acme, name=name) == ()
    assert accounts.entries(acme, AuditFilter(actor=name, what=name)) == ()
    assert accounts.trail_start(acme) == (0, "0" * 64)


def test_a_row_that_can_be_no_value_is_damage(place: Place, accounts: SqlAccounts, acme: str) -> None:
    """A role that does not exist is told as damage and not read as any role."""
    person = ana()
    put(accounts, person, Membership(person.id, acme, "", Role.VIEWER, NOW, "ana"))
    raw(place, "UPDATE membership SET role = 'owner' WHERE person = :person", person=person.id)

    with pytest.raises(Damaged, match="membership"):
        accounts.find(Membership, person=person.id)


# --- The audit trail ----------------------------------------------------------------------------------------------


def entry(acme: str, number: int = 0, **values: Any) -> AuditEntry:
    """Something that happened, a minute after the one before."""
    at = NOW + timedelta(minutes=number)
    return replace(AuditEntry(at, acme, "ana", "person", "7", f"read GET /{number}", "acme/x"), **values)


def append(accounts: SqlAccounts, *entries: AuditEntry) -> None:
    """Write entries in one transaction."""
    with accounts.write() as ledger:
        ledger.append(*entries)


def verified(accounts: SqlAccounts, acme: str) -> Chained:
    """What recomputing the trail sees."""
    return checked(acme, accounts.trail_start(acme), accounts.entries(acme, EVERYTHING))


def test_entries_are_numbered_and_sealed_within_their_organisation(accounts: SqlAccounts, acme: str) -> None:
    """Each organisation's entries are numbered from one, come back as they were, and hold together."""
    other = f"{acme}-b"
    told = replace(entry(acme, 1), count=7, until=NOW + timedelta(minutes=2), outcome=Decision.REFUSED, peer="::1")
    append(accounts, entry(acme), entry(other), told)
    append(accounts, entry(acme, 2))

    found = accounts.entries(acme, EVERYTHING)

    assert [one.seq for one in found] == [1, 2, 3]
    assert replace(found[1], seq=0, digest="") == told
    assert [one.seq for one in accounts.entries(other, EVERYTHING)] == [1]
    assert verified(accounts, acme) == Chained(acme, 3, 1, 3, found[-1].digest)
    assert {acme, other} <= set(accounts.trails())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE audit SET actor = 'bo' WHERE organisation = :acme AND seq = 2", "Entry 2 is not"),
        ("UPDATE audit SET at = at + 1 WHERE organisation = :acme AND seq = 3", "Entry 3 is not"),
        ("DELETE FROM audit WHERE organisation = :acme AND seq = 2", "Entries 2 to 2 are missing"),
        ("DELETE FROM audit WHERE organisation = :acme AND seq = 1", "Entries 1 to 1 are missing"),
    ],
)
def test_whatever_is_changed_in_a_trail_is_found(
    place: Place, accounts: SqlAccounts, acme: str, change: str, fault: str
) -> None:
    """An entry that was altered or taken out past every check is named by its number."""
    append(accounts, *(entry(acme, number) for number in range(4)))

    raw(place, change, acme=acme)

    assert verified(accounts, acme).faults[0].startswith(fault)


def test_a_trail_that_was_cut_short_has_another_head(place: Place, accounts: SqlAccounts, acme: str) -> None:
    """Taking away the newest entry leaves a sound trail whose head is not the one that was written down."""
    append(accounts, entry(acme), entry(acme, 1))
    before = verified(accounts, acme)

    raw(place, "DELETE FROM audit WHERE organisation = :acme AND seq = 2", acme=acme)

    after = verified(accounts, acme)
    assert not after.faults
    assert (after.last, after.head) != (before.last, before.head)


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (AuditFilter(), [4, 3, 2, 1, 0]),
        (AuditFilter(before=4, entries_max=2), [2, 1]),
        (AuditFilter(after=2, is_oldest_first=True), [2, 3, 4]),
        (AuditFilter(since=NOW + timedelta(minutes=3)), [4, 3]),
        (AuditFilter(until=NOW + timedelta(minutes=1)), [0]),
        (AuditFilter(actor="bo"), [4]),
        (AuditFilter(space="acme/y"), [3]),
        (AuditFilter(outcome="refused"), [3]),
        (AuditFilter(what="GET /2"), [2]),
        (AuditFilter(what="GET%"), []),
    ],
)
def test_entries_are_found_by_what_is_known_of_them(
    accounts: SqlAccounts, acme: str, wanted: AuditFilter, numbers: list[int]
) -> None:
    """Number, time, actor, space, outcome and a part of what was done narrow the entries down, newest first."""
    append(accounts, *(entry(acme, number) for number in range(3)))
    append(accounts, entry(acme, 3, space="acme/y", outcome=Decision.REFUSED), entry(acme, 4, actor="bo"))

    found = accounts.entries(acme, wanted)

    assert [one.what for one in found] == [f"read GET /{number}" for number in numbers]


def test_pruning_keeps_what_is_still_good(accounts: SqlAccounts, acme: str) -> None:
    """Ended sessions go with what proved them, old failures go, and everything that is still good stays."""
    person = ana()
    old = Session(secrets.token_hex(6), person.id, NOW - SESSION_IDLE - timedelta(hours=1), NOW - SESSION_IDLE * 2)
    good = Session(secrets.token_hex(6), person.id, NOW, NOW)
    proofs = [Credential(f"session {one.id}", "x") for one in (old, good)]
    stale = Failures(f"peer {secrets.token_hex(6)}", 3, NOW - timedelta(days=2))
    put(accounts, person, old, good, *proofs, stale)

    accounts.prune(now=NOW)

    assert accounts.find(Session, person=person.id) == (good,)
    assert [accounts.get(Credential, one.owner) for one in proofs] == [None, proofs[1]]
    assert accounts.get(Failures, stale.bucket) is None


def test_a_shortened_trail_is_still_a_chain(accounts: SqlAccounts, acme: str) -> None:
    """Entries older than what is kept go from the front; the rest verifies, and the next one follows on."""
    append(accounts, *(entry(acme, number) for number in range(3)))
    kept = timedelta(days=AUDIT_DAYS_KEPT)

    accounts.prune(now=NOW + kept + timedelta(seconds=90))
    shortened = verified(accounts, acme)
    accounts.prune(now=NOW + kept + timedelta(days=1))
    append(accounts, entry(acme, 3))

    assert (shortened.first, shortened.last, shortened.faults) == (3, 3, ())
    final = verified(accounts, acme)
    assert (final.entries, final.first, final.last, final.faults) == (1, 4, 4, ())


# --- Files and migrations -----------------------------------------------------------------------------------------


def test_nobody_else_can_read_the_file(sqlite_place: Place) -> None:
    """The file of accounts and its logs are readable by their owner only, from the moment they are made."""
    store = open_accounts_store(sqlite_place.where)
    put(store, Organisation("acme", NOW, "ana"))

    files = sorted(Path(sqlite_place.where).glob(f"{FILE}*"))
    modes = [stat.S_IMODE(file.stat().st_mode) for file in files]
    store.close()

    assert [file.name for file in files] == [FILE, f"{FILE}-shm", f"{FILE}-wal"]
    assert modes == [0o600, 0o600, 0o600]


def test_no_space_can_take_the_file_of_accounts() -> None:
    """The name of the file is not the name of any space."""
    with pytest.raises(Malformed):
        check_space(FILE.removesuffix(".db"))


def test_the_sum_of_the_migrations_is_the_schema(place: Place, accounts: SqlAccounts) -> None:
    """A migrated database has exactly the tables and columns that the values need, of the same types."""
    assert accounts.revision() >= 1
    engine = create_engine(address(place), poolclass=NullPool)
    found = inspect(engine)

    for name, table in metadata.tables.items():
        columns = {column["name"]: column["type"] for column in found.get_columns(name)}
        assert columns.keys() == {column.name for column in table.columns}, name
        for column in table.columns:
            assert columns[column.name]._type_affinity is column.type._type_affinity, f"{name}.{column.name}"
    if place.engine == "sqlite":
        assert set(found.get_table_names()) == set(metadata.tables)
    engine.dispose()


def test_accounts_of_a_newer_hindcast_are_left_alone(sqlite_place: Place) -> None:
    """Code that meets accounts from the future says so and changes nothing."""
    open_accounts_store(sqlite_place.where).close()
    newest = migrations("sqlite", ACCOUNTS)[-1][0]
    engine = create_engine(address(sqlite_place), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"PRAGMA user_version = {newest + 1}"))

    with pytest.raises(Refused, match=f"schema {newest + 1}"):
        migrate(engine, ACCOUNTS)
    with pytest.raises(Refused, match="newer"):
        open_accounts_store(sqlite_place.where)
    engine.dispose()
