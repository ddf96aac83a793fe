"""The one authorisation point: who is recognised, who may, and what does not exist for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.admitting import PEER, TOKEN, Desk, desk

from hindcast.access import Proof
from hindcast.access.mode import is_proof_required
from hindcast.access.recognition import is_loopback
from hindcast.access.secret import browser_secret
from hindcast.model.access import HOME, POWER_PERMISSIONS, ROLE_PERMISSIONS, CallerKind, Permission, Power, Role
from hindcast.model.account import SESSION_AGE_MAX, SESSION_IDLE, Key, Session
from hindcast.model.audit import Decision
from hindcast.model.errors import Malformed, Missing, Refused, Unidentified

EVERY_ADDRESS = "0.0.0.0"  # noqa: S104


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Desk]:
    """Everybody has to say who they are."""
    made = desk(tmp_path)
    yield made
    made.close()


@pytest.fixture
def auto(tmp_path: Path) -> Iterator[Desk]:
    """The token of this machine opens it until somebody was invited."""
    made = desk(tmp_path, is_proof_required=None)
    yield made
    made.close()


# --- Modes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auth", "host", "public_url", "wanted"),
    [
        ("auto", "127.0.0.1", "", None),
        ("auto", "::1", "", None),
        ("auto", "localhost", "", None),
        ("auto", "127.8.8.8", "", None),
        ("auto", EVERY_ADDRESS, "", True),
        ("auto", "::", "", True),
        ("auto", "", "", True),
        ("auto", "192.0.2.1", "", True),
        ("auto", "hindcast.example.com", "", True),
        ("auto", "127.0.0.1", "https://hindcast.example.com", True),
        ("required", "127.0.0.1", "", True),
        ("required", EVERY_ADDRESS, "", True),
        ("open", "127.0.0.1", "", False),
        ("open", "localhost", "", False),
    ],
)
def test_who_has_to_prove_themselves(auth: str, host: str, public_url: str, wanted: bool | None) -> None:
    """Only an installation that listens on its own machine alone, and that no address leads to, may be open."""
    assert is_proof_required(auth, host=host, public_url=public_url) is wanted


@pytest.mark.parametrize(
    ("host", "public_url"), [(EVERY_ADDRESS, ""), ("", ""), ("192.0.2.1", ""), ("127.0.0.1", "https://x.example")]
)
def test_an_open_door_to_the_world_is_refused(host: str, public_url: str) -> None:
    """`open` on an address that others can reach does not start."""
    with pytest.raises(Refused, match="Nobody would have to say who they are"):
        is_proof_required("open", host=host, public_url=public_url)


def test_an_unknown_mode_is_named() -> None:
    """A mode that does not exist is refused with those that do."""
    with pytest.raises(Malformed, match="auto, required, open"):
        is_proof_required("none", host="127.0.0.1", public_url="")


def test_a_name_is_believed_at_this_machine_only(auto: Desk) -> None:
    """Whoever sits here says what they are called; somebody with a key is called what the key is."""
    here = Proof(key=TOKEN, peer="127.0.0.1", host="localhost", actor="ana")
    assert auto.access.caller(here).actor == "ana"
    key = auto.access.keys.create("bot", Power.READ, organisation=HOME, by=auto.access.operator).secret
    assert auto.access.caller(replace(here, key=key)).actor == "key:bot"


@pytest.mark.parametrize(
    ("proof", "is_local"),
    [
        (Proof(), True),
        (Proof(peer="127.0.0.1", host="127.0.0.1:4318"), True),
        (Proof(peer="::1", host="[::1]:4318"), True),
        (Proof(peer="::ffff:127.0.0.1", host="localhost:4318"), True),
        (Proof(peer="127.0.0.1", host="hindcast.localhost"), True),
        (Proof(peer="127.0.0.1", host="LOCALHOST"), True),
        (Proof(peer="192.0.2.1", host="localhost"), False),
        (Proof(peer="::ffff:192.0.2.1", host="localhost"), False),
        (Proof(peer="testclient", host="localhost"), False),
        (Proof(peer="127.0.0.1", host="evil.example:4318"), False),
        (Proof(peer="127.0.0.1", host="127.0.0.1.evil.example"), False),
        (Proof(peer="127.0.0.1", host="localhost.evil.example"), False),
        (Proof(peer="127.0.0.1", host="evillocalhost"), False),
        (Proof(peer="127.0.0.1", host="localhost", is_forwarded=True), False),
    ],
)
def test_only_this_machine_itself_is_local(auto: Desk, proof: Proof, is_local: bool) -> None:
    """The token counts in a request from here, through no proxy, that asks for this machine by a name of its own."""
    assert proof.is_local is is_local
    for held in (replace(proof, key=TOKEN), replace(proof, session=browser_secret(TOKEN))):
        if is_local:
            assert auto.access.caller(held).kind is CallerKind.LOCAL
        else:
            with pytest.raises(Unidentified):
                auto.access.caller(held)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"key": "ht_guess"},
        {"key": browser_secret(TOKEN)},
        {"session": TOKEN},
        {"session": "hl_guess"},
        {"key": "ht_é"},
        {"key": TOKEN[:-1]},
    ],
)
def test_being_at_this_machine_has_to_be_proved(auto: Desk, given: dict[str, str]) -> None:
    """An address and a name of this machine prove nothing: a proxy on it has both, whoever it asks for."""
    with pytest.raises(Unidentified):
        auto.access.caller(Proof(peer="127.0.0.1", host="localhost", **given))  # type: ignore[arg-type]


def test_a_program_here_sends_without_proof_until_there_is_a_key(auto: Desk) -> None:
    """An exporter on this machine needs nothing but the address; the first key closes that, for good."""
    here = Proof(peer="127.0.0.1", host="localhost")
    for other in (replace(here, is_forwarded=True), replace(here, host="x.example"), replace(here, peer=PEER)):
        with pytest.raises(Unidentified):
            auto.access.caller(other, is_sender=True)
    assert auto.access.caller(here, is_sender=True).kind is CallerKind.LOCAL

    key = auto.access.keys.create("bot", Power.READ, organisation=HOME, by=auto.access.operator)
    auto.access.keys.revoke(key.key.id, by=auto.access.operator)

    with pytest.raises(Unidentified):
        auto.access.caller(here, is_sender=True)
    assert auto.access.caller(replace(here, key=TOKEN), is_sender=True).kind is CallerKind.LOCAL


def test_a_program_here_needs_a_proof_where_everybody_does(closed: Desk) -> None:
    """Where everybody has to say who they are, nothing is taken from nobody."""
    with pytest.raises(Unidentified):
        closed.access.caller(Proof(peer="127.0.0.1", host="localhost"), is_sender=True)


def test_loopback_is_told_by_the_address() -> None:
    """Names and numbers that mean this machine are told from all others."""
    assert all(map(is_loopback, ("127.0.0.1", "127.255.0.1", "::1", "localhost", "a.localhost", "")))
    assert not any(map(is_loopback, ("10.0.0.1", "169.254.0.1", EVERY_ADDRESS, "::", "example.com", "127.1.1")))


def test_the_first_invitation_closes_the_door(auto: Desk) -> None:
    """From the moment somebody is invited nobody gets in without saying who they are; nothing is restarted for it."""
    local = Proof(key=TOKEN, peer="127.0.0.1", host="localhost")
    before = auto.access.is_open
    assert auto.access.caller(local).kind is CallerKind.LOCAL

    ana = auto.join("ana@example.com")

    assert (before, auto.access.is_open) == (True, False)
    with pytest.raises(Unidentified):
        auto.access.caller(local)
    assert auto.again(ana).actor == "ana@example.com"


def test_an_open_installation_has_every_space(auto: Desk) -> None:
    """Whoever sits at this machine may use any space, and no other writing of one."""
    me = auto.access.caller(Proof(key=TOKEN))

    auto.access.authorise(me, Permission.ADMINISTER, "never/made")
    with pytest.raises(Missing):
        auto.access.authorise(me, Permission.READ, "home/local")


# --- Rights -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role)
def test_a_role_lets_do_what_it_says(closed: Desk, role: Role) -> None:
    """A member may do exactly what the role says, in the project that it is for."""
    closed.join("root@example.com")
    caller = closed.join("ana@example.com", role, project="local").caller

    for permission in Permission:
        if permission in ROLE_PERMISSIONS[role]:
            closed.access.authorise(caller, permission, "local")
        else:
            with pytest.raises(Refused, match=f"permission to {permission}"):
                closed.access.authorise(caller, permission, "local")


@pytest.mark.parametrize("power", Power)
def test_a_key_lets_do_what_its_power_says(closed: Desk, power: Power) -> None:
    """A key may do exactly what its power says, and none administers."""
    made = closed.access.keys.create("k", power, organisation="home", project="local", by=closed.operator)
    caller = closed.access.caller(Proof(key=made.secret))

    for permission in Permission:
        if permission in POWER_PERMISSIONS[power]:
            closed.access.authorise(caller, permission, "local")
        else:
            with pytest.raises(Refused):
                closed.access.authorise(caller, permission, "local")
    assert caller.actor == "key:k"


def test_a_foreign_space_is_as_if_it_did_not_exist(closed: Desk) -> None:
    """What is said of another organisation's project and of one that nobody made differs by the name only."""
    closed.access.projects.add_organisation("other", by=closed.operator)
    closed.access.projects.create("other", "shop", by=closed.operator)
    ana = closed.join("ana@example.com").caller

    said = []
    for space in ("other/shop", "other/none", "nobody/shop", "none", "home/local", "../x", ""):
        with pytest.raises(Missing) as told:
            closed.access.authorise(ana, Permission.READ, space)
        said.append(str(told.value).replace(repr(space), "NAME"))

    assert len(set(said)) == 1


def test_a_project_has_to_be_made_before_it_is_used(closed: Desk) -> None:
    """An admin of the whole organisation reaches its projects from the moment they are made, and no others."""
    ana = closed.join("ana@example.com")
    with pytest.raises(Missing):
        closed.access.authorise(ana.caller, Permission.READ, "shop")

    closed.access.projects.create("home", "shop", by=ana.caller)

    closed.access.authorise(closed.again(ana), Permission.READ, "shop")
    assert [one.space for one in closed.access.spaces_of(ana.caller)] == ["local", "shop"]


def test_an_archived_project_can_be_read_and_restored(closed: Desk) -> None:
    """Nothing is added to an archived project, what it remembers can be read, and an admin brings it back."""
    ana = closed.join("ana@example.com").caller
    closed.access.projects.archive("local", by=ana)

    closed.access.authorise(ana, Permission.READ, "local")
    for permission in (Permission.INGEST, Permission.RECORD, Permission.RESPOND, Permission.MAINTAIN):
        with pytest.raises(Refused, match="archived"):
            closed.access.authorise(ana, permission, "local")
    assert closed.access.spaces_of(ana) == ()

    closed.access.projects.restore("local", by=ana)
    closed.access.authorise(ana, Permission.INGEST, "local")


# --- Keys and sessions --------------------------------------------------------------------------------------------


def test_a_revoked_key_is_worth_nothing_at_the_next_request(closed: Desk, tmp_path: Path) -> None:
    """A key revoked by another process is refused by the very next request, and streams are told."""
    made = closed.access.keys.create("k", Power.READ, organisation="home", project="local", by=closed.operator)
    proof, before = Proof(key=made.secret), closed.access.revision()
    assert closed.access.caller(proof).id == made.key.id
    assert closed.access.admits(proof, Permission.READ, "local")

    elsewhere = desk(tmp_path, clock=closed.clock)
    elsewhere.access.keys.revoke(made.key.id, by=elsewhere.operator)
    elsewhere.close()

    with pytest.raises(Unidentified, match="revoked"):
        closed.access.caller(proof)
    assert not closed.access.admits(proof, Permission.READ, "local")
    assert closed.access.revision() > before


def test_listeners_hear_of_a_change_made_here(closed: Desk) -> None:
    """Whoever subscribed is called after a change, when it already counts, and no more after unsubscribing."""
    made = closed.access.keys.create("k", Power.READ, organisation="home", project="local", by=closed.operator)
    heard: list[bool] = []
    proof = Proof(key=made.secret)
    unsubscribe = closed.access.subscribe(lambda: heard.append(closed.access.admits(proof, Permission.READ, "local")))

    closed.access.keys.revoke(made.key.id, by=closed.operator)
    unsubscribe()
    closed.access.keys.create("other", Power.READ, organisation="home", project="local", by=closed.operator)

    assert heard == [False]


def test_a_key_expires_to_the_second(closed: Desk) -> None:
    """A key works until the moment it expires, and not in that moment."""
    ends = closed.clock.now() + timedelta(hours=1)
    made = closed.access.keys.create(
        "k", Power.READ, organisation="home", project="local", expires_at=ends, by=closed.operator
    )
    proof = Proof(key=made.secret)

    closed.later(seconds=3599)
    closed.access.caller(proof)
    closed.later(seconds=1)
    with pytest.raises(Unidentified):
        closed.access.caller(proof)


def test_a_key_says_when_it_was_last_used(closed: Desk) -> None:
    """The time of the last use is kept to the minute: many uses within one are one write."""
    made = closed.access.keys.create("k", Power.READ, organisation="home", project="local", by=closed.operator)

    def used() -> list[Key]:
        closed.access.caller(Proof(key=made.secret))
        return [one for one in [closed.accounts.get(Key, made.key.id)] if one is not None]

    first = closed.clock.now()
    assert used()[0].last_used_at == first
    closed.later(seconds=59)
    assert used()[0].last_used_at == first
    assert used()[0].last_used_at == first
    closed.later(seconds=1)
    assert used()[0].last_used_at == closed.clock.now()


@pytest.mark.parametrize("change", ["swap", "cut", "power", "case", "id"])
def test_a_key_that_is_not_quite_right_is_not_right(closed: Desk, change: str) -> None:
    """One wrong character anywhere in a key, its power included, makes it unknown."""
    text = closed.access.keys.create("k", Power.READ, organisation="home", project="local", by=closed.operator).secret
    parts = text.split("_")
    wrong = {
        "swap": text[:-1] + ("0" if text[-1] != "0" else "1"),
        "cut": text[:-1],
        "power": text.replace("_read_", "_write_"),
        "case": text.upper(),
        "id": "_".join([*parts[:2], "0" * 12, parts[3]]),
    }[change]

    with pytest.raises(Unidentified):
        closed.access.caller(Proof(key=wrong))


def test_a_session_ends_when_nobody_uses_it(closed: Desk) -> None:
    """A session goes on while somebody uses it, ends after twelve idle hours, and after two weeks in any case."""
    ana = closed.join("ana@example.com")

    for _ in range(10):
        closed.later(hours=11)
        closed.again(ana)
    closed.clock.move(SESSION_IDLE)
    with pytest.raises(Unidentified, match="session has ended"):
        closed.again(ana)

    bo = closed.join("bo@example.com")
    for _ in range(int(SESSION_AGE_MAX / timedelta(hours=8)) - 1):
        closed.later(hours=8)
        closed.again(bo)
    closed.later(hours=8)
    with pytest.raises(Unidentified):
        closed.again(bo)


def test_a_session_used_elsewhere_has_not_ended_here(closed: Desk, tmp_path: Path) -> None:
    """What one process remembers of a session does not end it while another one sees it used."""
    ana = closed.join("ana@example.com")
    elsewhere = desk(tmp_path, clock=closed.clock)
    closed.again(ana)
    for _ in range(3):
        closed.later(hours=6)
        elsewhere.again(ana)

    assert closed.again(ana).actor == "ana@example.com"
    elsewhere.close()


def test_rights_change_with_the_next_request(closed: Desk) -> None:
    """Somebody who was made a viewer can only look from the next request on."""
    closed.join("root@example.com")
    ana = closed.join("ana@example.com", Role.MAINTAINER, project="local")
    closed.access.authorise(closed.again(ana), Permission.MAINTAIN, "local")

    closed.access.people.set_role(ana.person.id, Role.VIEWER, organisation="home", project="local", by=closed.operator)

    with pytest.raises(Refused):
        closed.access.authorise(closed.again(ana), Permission.MAINTAIN, "local")
    closed.access.authorise(closed.again(ana), Permission.READ, "local")


def test_no_secret_is_kept(closed: Desk, tmp_path: Path) -> None:
    """Neither keys nor cookies nor passwords nor links stand anywhere in the store's files."""
    ana = closed.join("ana@example.com")
    key = closed.access.keys.create("k", Power.READ, organisation="home", project="local", by=ana.caller)
    link = closed.access.people.invite("bo@example.com", Role.VIEWER, organisation="home", by=ana.caller)
    closed.access.caller(Proof(key=key.secret))

    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    for secret in (key.secret, ana.secret, link.secret):
        assert secret.encode() not in kept
        assert secret.rpartition("_")[2].encode() not in kept
    assert b"correct horse" not in kept
    assert key.key.id.encode() in kept


# --- What is written down -----------------------------------------------------------------------------------------


def test_every_answer_is_in_the_trail(closed: Desk) -> None:
    """What was allowed and what was refused, with who, where from and what, is written down; reads are counted."""
    ana = closed.join("ana@example.com", Role.ADMIN).caller
    begin = len(closed.told())
    key = closed.access.keys.create("k", Power.READ, organisation="home", project="local", by=ana)
    caller = closed.access.caller(Proof(key=key.secret, peer=PEER))
    for _ in range(5):
        closed.access.authorise(caller, Permission.READ, "local", what="GET /x", peer=PEER)
    with pytest.raises(Refused):
        closed.access.authorise(caller, Permission.MAINTAIN, "local", what="POST /x", peer=PEER)
    with pytest.raises(Unidentified):
        closed.access.caller(Proof(key="hc_wrong", peer=PEER, what="GET /x"))
    closed.later(minutes=2)

    told = [(one.actor, one.what, one.space, one.outcome, one.count) for one in closed.told()[begin:]]

    assert told == [
        ("ana@example.com", "create key read", "local", Decision.ALLOWED, 1),
        ("key:k", "maintain POST /x", "local", Decision.REFUSED, 1),
        ("nobody", "GET /x", "", Decision.REFUSED, 1),
        ("key:k", "read GET /x", "local", Decision.ALLOWED, 1),
        ("key:k", "read GET /x", "local", Decision.ALLOWED, 4),
    ]
    assert closed.access.audit.verify("home", by=ana).faults == ()


def test_a_stored_session_shows_no_secret(closed: Desk) -> None:
    """What can be listed of a session is when and from where, and not what would prove it."""
    ana = closed.join("ana@example.com")

    (found,) = closed.access.signing.sessions(ana.caller)

    assert found == Session(ana.session.id, ana.person.id, closed.clock.now(), closed.clock.now(), PEER)
