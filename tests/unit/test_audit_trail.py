"""The audit trail: what is durable when, what is counted together, what is lost and says so, and how it leaves."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.admitting import START, Desk, desk
from tests.serving import wait_for

from hindcast.adapters import audit_trail
from hindcast.adapters.accounts_sql import SqlAccounts, open_accounts_store
from hindcast.adapters.audit_trail import AuditTrail
from hindcast.adapters.clock import ManualClock
from hindcast.model.access import Permission, Role
from hindcast.model.audit import AUDIT_CHARS_MAX, AuditEntry, AuditFilter, Decision
from hindcast.model.errors import Malformed, Unavailable
from hindcast.ports import Ledger

EVERYTHING = AuditFilter(is_oldest_first=True, entries_max=1_000)


class Breaking(SqlAccounts):
    """A store that can be gone for a while."""

    is_gone = False

    @contextmanager
    def write(self) -> Iterator[Ledger]:
        """Fail while it is gone."""
        if self.is_gone:
            raise Unavailable("The disk is full.", remedy="Wait.")
        with super().write() as ledger:
            yield ledger


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Breaking]:
    """A store of accounts, and what it takes to break it."""
    opened = open_accounts_store(tmp_path)
    made = Breaking(opened._engine)
    yield made
    made.close()
    opened.close()


@pytest.fixture
def clock() -> ManualClock:
    """A clock to move."""
    return ManualClock(START)


@pytest.fixture
def trail(accounts: Breaking, clock: ManualClock) -> AuditTrail:
    """A trail whose seconds pass when the test says so."""
    return AuditTrail(accounts, clock)


def seen(clock: ManualClock, what: str = "read GET /x", **values: Any) -> AuditEntry:
    """Something that happened now."""
    return replace(AuditEntry(clock.now(), "home", "ana", "person", "7", what, "local"), **values)


def told(accounts: SqlAccounts) -> list[tuple[str, int]]:
    """What was written, oldest first, and how often it happened."""
    return [(one.what, one.count) for one in accounts.entries("home", EVERYTHING)]


def test_the_same_within_a_minute_is_counted(accounts: Breaking, trail: AuditTrail, clock: ManualClock) -> None:
    """A read is durable with the next second; its repetitions are one entry with a count when the minute is over."""
    for _ in range(30):
        trail.note(seen(clock), is_repeated=True)
        clock.set(clock.now().replace(second=clock.now().second + 1))
        trail.flush()
        assert told(accounts) == [("read GET /x", 1)]
    clock.set(START.replace(minute=1))
    trail.flush()

    first, rest = accounts.entries("home", EVERYTHING)

    assert (first.at, first.until, first.count) == (START, None, 1)
    assert (rest.at, rest.until, rest.count) == (START.replace(second=1), START.replace(second=29), 29)


def test_what_differs_is_not_counted_together(accounts: Breaking, trail: AuditTrail, clock: ManualClock) -> None:
    """Another caller, space, route, subject, outcome or address is another entry."""
    others: list[dict[str, Any]] = [
        {"caller": "8"},
        {"subject": "INC-2"},
        {"space": "other"},
        {"what": "read GET /y"},
        {"outcome": Decision.REFUSED},
        {"peer": "192.0.2.1"},
    ]
    for values in ({}, *others):
        trail.note(seen(clock, **values), is_repeated=True)
    trail.flush()

    assert len(told(accounts)) == 1 + len(others)


def test_every_write_is_an_entry(accounts: Breaking, trail: AuditTrail, clock: ManualClock) -> None:
    """What changes something is never counted together."""
    for _ in range(3):
        trail.note(seen(clock, "record POST /x"), is_repeated=False)
    trail.flush()

    assert told(accounts) == [("record POST /x", 1)] * 3


def test_what_matters_is_durable_before_the_answer(accounts: Breaking, trail: AuditTrail, clock: ManualClock) -> None:
    """A written entry is in the store at once; if it cannot be, whoever asked is told."""
    trail.write(seen(clock, "sign in"))
    assert told(accounts) == [("sign in", 1)]

    accounts.is_gone = True
    with pytest.raises(Unavailable):
        trail.write(seen(clock, "erase"))


def test_a_flood_of_refusals_is_one_write_a_minute(accounts: Breaking, trail: AuditTrail, clock: ManualClock) -> None:
    """The first refusal is written at once, and the thousand after it within the minute are one more entry."""
    for _ in range(1_000):
        trail.write(seen(clock, outcome=Decision.REFUSED), is_repeated=True)
    assert told(accounts) == [("read GET /x", 1)]
    trail.close()

    assert told(accounts) == [("read GET /x", 1), ("read GET /x", 999)]


def test_made_up_names_use_up_no_memory(
    accounts: Breaking, trail: AuditTrail, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a number of different things within a minute the rest is counted together, and nothing is uncounted."""
    monkeypatch.setattr(audit_trail, "WINDOWS_MAX", 10)
    for number in range(1_000):
        trail.note(seen(clock, f"read GET /{number}"), is_repeated=True)
    trail.close()

    found = told(accounts)
    assert len(found) == 12
    assert sum(count for _, count in found) == 1_000
    assert [what for what, _ in found[10:]] == ["read GET /10", "many things"]


def test_nothing_is_lost_while_the_store_is_gone(accounts: Breaking, trail: AuditTrail, clock: ManualClock) -> None:
    """Entries wait for the store to come back, in their order."""
    accounts.is_gone = True
    for number in range(5):
        trail.note(seen(clock, f"record POST /{number}"), is_repeated=False)
        with pytest.raises(Unavailable):
            trail.flush()
    accounts.is_gone = False
    trail.flush()

    assert [what for what, _ in told(accounts)] == [f"record POST /{number}" for number in range(5)]


def test_what_did_not_fit_is_counted(
    accounts: Breaking, trail: AuditTrail, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the store is gone so many entries wait and no more; how many were lost is the first thing written."""
    monkeypatch.setattr(audit_trail, "ENTRIES_WAITING_MAX", 3)
    accounts.is_gone = True
    for number in range(10):
        trail.note(seen(clock, f"record POST /{number}"), is_repeated=False)
    for _ in range(2):
        with pytest.raises(Unavailable):
            trail.flush()
    accounts.is_gone = False
    trail.flush()

    assert told(accounts) == [("audit entries lost", 7), *((f"record POST /{number}", 1) for number in range(3))]


def test_the_thread_writes_and_outlives_a_store_that_goes(
    accounts: Breaking, trail: AuditTrail, clock: ManualClock
) -> None:
    """Once started, entries become durable without anybody asking, also those from while the store was gone."""
    trail.start()
    trail.note(seen(clock, "record POST /1"), is_repeated=False)
    wait_for(lambda: len(told(accounts)) == 1, what="the first entry")
    accounts.is_gone = True
    trail.note(seen(clock, "record POST /2"), is_repeated=False)
    accounts.is_gone = False
    wait_for(lambda: len(told(accounts)) == 2, what="the second entry")
    trail.note(seen(clock, "record POST /3"), is_repeated=False)
    trail.close()

    assert [what for what, _ in told(accounts)] == [f"record POST /{number}" for number in (1, 2, 3)]


def test_an_entry_is_one_short_line() -> None:
    """Names that callers make up neither break a line nor make an entry large."""
    made = AuditEntry(datetime(2026, 1, 1, tzinfo=UTC), "home", "a\r\nb", "key", "x" * 9_999, "GET /\x1b[31m\u202e")

    assert made.actor == "a\ufffd\ufffdb"
    assert len(made.caller) == AUDIT_CHARS_MAX
    assert made.what.isprintable()


# --- Taking it away -------------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Desk]:
    """An installation with an admin."""
    made = desk(tmp_path)
    made.join("root@example.com")
    yield made
    made.close()


@pytest.mark.parametrize(
    "name",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("https://evil.example")', 'a","b', "a;b", "Ünï"],
)
def test_a_spreadsheet_runs_nothing_of_it(home: Desk, name: str) -> None:
    """Whatever somebody calls things, no cell of the export begins as a formula, and every cell is one cell."""
    home.access.audit.record(home.operator, "erase", space="local", subject=name)

    rows = list(csv.DictReader(io.StringIO("".join(home.access.audit.export("home", "csv", by=home.operator)))))

    (kept,) = (one.subject for one in home.told() if one.what == "erase")
    assert rows[-1]["subject"].removeprefix("'") == kept
    for row in rows:
        assert all(not cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values())


def test_json_lines_hold_everything(home: Desk) -> None:
    """Each line is one entry as it was sealed, oldest first."""
    home.access.authorise(home.operator, Permission.ADMINISTER, "local", what="DELETE /x", subject="INC-1")

    lines = [json.loads(line) for line in home.access.audit.export("home", "jsonl", by=home.operator)]

    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1]["what"] == "administer DELETE /x"
    assert lines[-1]["digest"] == home.access.audit.verify("home", by=home.operator).head


def test_a_long_trail_is_taken_away_whole(home: Desk) -> None:
    """Reading goes on where one step of it ends, for the export and for verifying."""
    with home.accounts.write() as ledger:
        ledger.append(*(seen(home.clock, f"read GET /{number}") for number in range(2_500)))

    lines = list(home.access.audit.export("home", "jsonl", by=home.operator))

    checked = home.access.audit.verify("home", by=home.operator)
    assert len(lines) == checked.entries == checked.last
    assert not checked.faults


def test_an_unknown_form_is_named(home: Desk) -> None:
    """A form that does not exist is refused with those that do, and so is too large a page."""
    with pytest.raises(Malformed, match="jsonl, csv"):
        home.access.audit.export("home", "xml", by=home.operator)
    with pytest.raises(Malformed, match="1 to 1000"):
        home.access.audit.entries("home", by=home.operator, limit=1_001)


def test_an_admin_of_a_project_sees_its_entries(home: Desk) -> None:
    """Who administers one project reads what happened there, and not the rest of the organisation's trail."""
    home.access.projects.create("home", "shop", by=home.operator)
    sam = home.join("sam@example.com", Role.ADMIN, project="shop").caller
    home.access.authorise(sam, Permission.MAINTAIN, "shop", what="POST /x")
    home.trail.flush()

    found = home.access.audit.entries("home", space="shop", by=sam)

    assert {one.space for one in found} == {"shop"}
    assert "maintain POST /x" in {one.what for one in found}
