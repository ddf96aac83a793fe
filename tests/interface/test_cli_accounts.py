"""`hindcast organisation`, `project`, `person`, `key` and `audit`, as somebody at a keyboard sees them."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.admitting import CountedPasswords
from tests.keyboard import Said, typed

from hindcast.access import Access, Proof
from hindcast.adapters.accounts_sql import FILE
from hindcast.adapters.clock import ManualClock
from hindcast.build.accounts import open_accounts, public_url
from hindcast.cli import session
from hindcast.config import Settings
from hindcast.model.access import CallerKind, Permission
from hindcast.model.errors import Refused, Unidentified

NOW = datetime(2026, 11, 16, 2, 3, tzinfo=UTC)
PASSWORD = "correct horse battery staple"
Run = Callable[[str], Said]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """What every command takes for the time."""
    made = ManualClock(NOW)
    monkeypatch.setattr(session, "clock", made)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """What a server beside the commands would be set to."""
    return Settings(store=str(tmp_path / "store"), actor="op", model="none")


@pytest.fixture
def run(
    settings: Settings, clock: ManualClock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Types `hindcast …` on a store of the test's own."""
    assert clock
    (Path(settings.store).parent / "none.toml").write_text("")
    for name, value in {
        "HINDCAST_STORE": settings.store,
        "HINDCAST_ACTOR": "op",
        "HINDCAST_CONFIG": str(Path(settings.store).parent / "none.toml"),
        "COLUMNS": "80",
    }.items():
        monkeypatch.setenv(name, value)
    return lambda line: typed(shlex.split(line), capsys, monkeypatch)


@pytest.fixture
def server(settings: Settings, clock: ManualClock) -> Iterator[Access]:
    """The access of a server that runs on the same store."""
    access = open_accounts(settings, clock=clock, passwords=CountedPasswords())
    yield access
    access.close()


def secret_of(link: str) -> str:
    """The secret in a one-time link."""
    return link.rpartition("/")[2]


def test_a_key_made_on_the_command_line_opens_the_server(run: Run, server: Access, clock: ManualClock) -> None:
    """A key works for what it was made for until it is revoked, which a running server sees at once."""
    made = run("key create collector --power ingest --days 30 --json").document
    proof = Proof(key=made["secret"], peer="192.0.2.1")

    caller = server.caller(proof)
    server.authorise(caller, Permission.INGEST, "local")
    with pytest.raises(Refused):
        server.authorise(caller, Permission.READ, "local")
    assert made["expires_at"] == (clock.now() + timedelta(days=30)).isoformat().replace("+00:00", "Z")

    assert run("key revoke collector").out == f"The key collector ({made['id']}) is worth nothing.\n"
    with pytest.raises(Unidentified):
        server.caller(proof)


def test_the_secret_of_a_key_is_shown_once_and_whole(run: Run) -> None:
    """Making a key shows its secret and what to paste where, each on a line that no width breaks; lists never do."""
    shown = run("key create collector").out.splitlines()
    (secret,) = (line.partition("=")[2] for line in shown if line.startswith("  export HINDCAST_KEY="))

    assert secret.startswith("hc_ingest_")
    assert len(secret) == len("hc_ingest_") + 12 + 1 + 64
    assert '  export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$HINDCAST_KEY"' in shown
    assert any('-u "hindcast:$HINDCAST_KEY"' in line for line in shown)
    assert any("/k/$HINDCAST_KEY/webhooks/" in line for line in shown)
    for line in ("key list", "key list --all --json", "audit list --json", "audit export"):
        assert secret[-64:] not in run(line).out


def test_keys_are_listed_with_what_became_of_them(run: Run, clock: ManualClock) -> None:
    """A list has the good keys with when they were last used; revoked and expired ones are shown on request."""
    for line in ("key create a", "key create b --power read --days 1", "key create c --power agent -o home"):
        assert run(line).code == 0
    run("key revoke a")
    clock.move(timedelta(days=2))

    assert [one["name"] for one in run("key list --json").document["keys"]] == ["c"]
    every = run("key list --all").out
    assert [word in every for word in ("revoked", "expired", "never", "all of home")] == [True] * 4


def test_inviting_closes_the_door_and_the_link_opens_it(run: Run, server: Access) -> None:
    """From the first invitation on a running server asks everybody; whoever takes up the link is an admin."""
    here = Proof(key=server.token, peer="127.0.0.1", host="localhost")
    assert server.caller(here).kind is CallerKind.LOCAL

    made = run("person invite ana@example.com --role admin -o home --json").document

    with pytest.raises(Unidentified):
        server.caller(here)
    ana = server.signing.accept(secret_of(made["link"]), password=PASSWORD, peer="127.0.0.1")
    server.authorise(ana.caller, Permission.ADMINISTER, "local")
    (listed,) = run("person list --json").document["people"]
    assert (listed["email"], listed["memberships"][0]["role"]) == ("ana@example.com", "admin")


def test_the_first_person_is_told_to_be_an_admin(run: Run) -> None:
    """Inviting anybody else first is refused, with the command that comes first."""
    said = run("person invite bo@example.com")

    assert said.code == 5
    assert "hindcast person invite YOU@… --role admin" in said.err


def test_the_link_of_the_first_admin_can_be_made_again(run: Run, server: Access) -> None:
    """Without an address the command makes the first admin's link, the one before it is worthless, and later none."""
    first, second = (secret_of(run("person invite --json").document["link"]) for _ in range(2))

    server.signing.accept(second, email="ana@example.com", password=PASSWORD, peer="::1")

    assert first != second
    assert run("person invite").code == 2


def test_a_link_is_one_line_with_the_address_that_people_use(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link begins with public_url, where it is set, and stays whole however narrow the screen is."""
    monkeypatch.setenv("HINDCAST_PUBLIC_URL", "https://hindcast.example.com/")

    said = run("person invite ana@example.com --role admin -o home")

    assert said.out.splitlines()[1].startswith("https://hindcast.example.com/invitation/hi_")
    assert len(said.out.splitlines()) == 2
    assert "It works once, for a day." in said.err


def test_roles_change_and_people_leave(run: Run, server: Access) -> None:
    """Roles and removals on the command line count for the next request of whoever they are about."""
    for who, rest in (("ana", "--role admin -o home"), ("bo", "--role viewer"), ("cy", "--role viewer")):
        link = run(f"person invite {who}@example.com {rest} --json").document["link"]
        made = server.signing.accept(secret_of(link), password=PASSWORD, peer="::1")
    cy = Proof(session=made.secret)

    assert run("person role cy@example.com --role maintainer").out == "cy@example.com is maintainer of local.\n"
    server.authorise(server.caller(cy), Permission.MAINTAIN, "local")
    assert run("person remove cy@example.com").code == 0
    with pytest.raises(Unidentified):
        server.caller(cy)
    assert run("person remove ana@example.com -o home").code == 5
    link = run("person password-link bo@example.com --json").document["link"]
    assert server.signing.accept(secret_of(link), password="another horse entirely", peer="::1").person.name == "bo"


def test_organisations_keep_their_projects_apart(run: Run) -> None:
    """Organisations and projects are made, listed and archived by name; what is not there is said to be missing."""
    assert run("organisation add acme").code == 0
    assert run("project add acme/payments").code == 0
    assert run("project add nobody/x").code == 3
    assert run("project add acme/payments").code == 5
    assert run("project add Acme").code == 2
    assert run("key create k --space acme/none").code == 3

    listed = run("project list --json").document["projects"]
    assert [one["project"] for one in listed] == ["acme/payments", "local"]
    assert run("project archive acme/payments --json").document["archived_at"] is not None
    assert "archived" in run("project list -o acme").out
    assert run("project archive acme/payments --undo --json").document["archived_at"] is None
    owners = run("organisation list --json").document["organisations"]
    assert [(one["organisation"], one["projects"]) for one in owners] == [("acme", 1), ("home", 1)]


def test_the_trail_is_read_filtered_and_taken_away(run: Run, tmp_path: Path) -> None:
    """What the commands did is in the trail of the organisation, can be narrowed down, and leaves as CSV or JSON."""
    run("key create =cmd() --power read")
    run("person invite bo@example.com")
    refusals = run("audit list --refused --json").document["entries"]
    keys = run("audit list --what 'create key' --who op --json").document["entries"]

    assert [one["what"] for one in refusals] == ["invite viewer"]
    assert [one["subject"] for one in keys] == ["=cmd()"]
    assert run("audit list --since '2030-01-01' --json").document["entries"] == []
    rows = list(csv.DictReader(io.StringIO(run("audit export").out)))
    assert "'=cmd()" in {row["subject"] for row in rows}
    file = tmp_path / "audit.jsonl"
    said = run(f"audit export --form jsonl --into {shlex.quote(str(file))} --json").document
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert said["entries"] == len(lines) >= 3
    assert run("audit export --form xml").code == 2
    assert run("audit export --into /nowhere/at/all").code == 6


def test_a_changed_trail_does_not_verify(run: Run, settings: Settings) -> None:
    """Verifying shows the head to write down; after a row was changed it names the entry, and the exit code says so."""
    run("key create k --power read")
    sound = run("audit verify --json").document
    assert (sound["sound"], sound["entries"], len(sound["head"])) == (True, sound["last"], 64)

    engine = create_engine(f"sqlite:///{Path(settings.store) / FILE}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE audit SET actor = 'nobody' WHERE seq = 1"))
    engine.dispose()

    said = run("audit verify")
    assert said.code == 7
    assert "Entry 1 is not what was written." in said.out


def test_names_cannot_drive_the_terminal(run: Run) -> None:
    """A name with an escape sequence is refused when it is given, and what was asked for is shown without it."""
    assert run("key create '\x1b[31mred'").code == 2
    assert run("key revoke '\x1b[31mred'").code == 3
    said = run("person role '\x1b[31m@x' --role admin")
    assert said.code == 3
    assert "\x1b" not in said.err + run("audit list").out


@pytest.mark.parametrize(
    ("settings_", "wanted"),
    [
        (Settings(port=4318), "http://127.0.0.1:4318"),
        (Settings(host="::1", port=1), "http://[::1]:1"),
        (Settings(host="0.0.0.0"), "http://127.0.0.1:4318"),  # noqa: S104
        (Settings(public_url="https://h.example/"), "https://h.example"),
    ],
)
def test_links_lead_to_where_it_listens(settings_: Settings, wanted: str) -> None:
    """Links begin with public_url, or with an address that the machine itself can open."""
    assert public_url(settings_) == wanted


def test_serving_without_a_door_does_not_start(run: Run, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """`auth = open` on an address that others can reach is refused before anything is opened or listened on."""
    monkeypatch.setenv("HINDCAST_AUTH", "open")

    said = run("serve --host 0.0.0.0 --port 1")

    assert said.code == 5
    assert "Set auth to required" in said.err
    assert not Path(settings.store).exists()
