"""Signing in and out: passwords, one-time links, identity providers, and what a guesser learns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from tests.admitting import PASSWORD, PEER, Desk, desk

from hindcast.access import Proof
from hindcast.access.signing import SESSIONS_MAX, Identity
from hindcast.access.throttle import ACCOUNT, PAIR
from hindcast.access.throttle import PEER as PEER_PACE
from hindcast.adapters.passwords_argon2 import Argon2Passwords
from hindcast.model.access import Permission, Role
from hindcast.model.account import INVITATION_AGE_MAX, Credential, Invitation, Membership, Person, Purpose
from hindcast.model.audit import Decision
from hindcast.model.errors import Busy, Malformed, Missing, Refused, Unidentified

OTHER = "another horse entirely"
ANA = Identity("https://id.example.com", "7", "ana@example.com", is_verified=True, name="Ana")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Desk]:
    """An installation with one admin."""
    made = desk(tmp_path)
    made.join("root@example.com")
    yield made
    made.close()


def refused(made: Desk, email: str, password: str, peer: str = PEER) -> str:
    """What somebody is told who is not let in."""
    with pytest.raises(Unidentified) as told:
        made.access.signing.sign_in(email, password, peer=peer)
    return str(told.value)


# --- Passwords ----------------------------------------------------------------------------------------------------


def test_the_right_password_opens_a_session(home: Desk) -> None:
    """Whoever gives address and password, the address in any case, gets a cookie that the next request is known by."""
    signed_in = home.access.signing.sign_in(" ROOT@example.com ", PASSWORD, peer=PEER)

    assert home.again(signed_in).actor == "root@example.com"
    home.access.authorise(signed_in.caller, Permission.ADMINISTER, "local")


def test_a_guesser_learns_nothing(home: Desk) -> None:
    """A wrong password, an unknown address and somebody without a password cost and say exactly the same."""
    home.access.people.invite("sso@example.com", Role.VIEWER, organisation="home", by=home.operator)
    home.access.signing.sign_in_by_provider(replace(ANA, email="sso@example.com"), peer=PEER)
    refused(home, "warm@example.com", OTHER)
    said, asked = [], []
    for number, email in enumerate(("root@example.com", "nobody@example.com", "sso@example.com", "", "x" * 5_000)):
        before = home.passwords.asked
        said.append(refused(home, email, OTHER, peer=f"198.51.100.{number}"))
        asked.append(home.passwords.asked - before)

    assert len(set(said)) == 1
    assert asked == [1, 1, 1, 1, 1]


def test_an_endless_password_is_not_hashed(home: Desk) -> None:
    """A password longer than any that can be chosen is wrong, whatever it begins with."""
    with pytest.raises(Malformed, match="12 to 1024"):
        home.join("ana@example.com", password="x" * 1_025)
    assert "wrong" in refused(home, "root@example.com", PASSWORD + "x" * 1_000_000)


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "' OR 1=1 --", "\u202e", "é" * 2_000])
def test_strange_characters_are_only_wrong(home: Desk, text: str) -> None:
    """Whatever is typed as address, password, key, cookie or link is wrong, and nothing else happens."""
    refused(home, text, OTHER)
    refused(home, "root@example.com", text)
    for proof in (Proof(key=text), Proof(session=text)):
        with pytest.raises(Unidentified):
            home.access.caller(proof)
    with pytest.raises(Missing):
        home.access.signing.invitation(text)
    with pytest.raises(Missing):
        home.access.people.remove(text, organisation="home", by=home.operator)
    with pytest.raises(Missing):
        home.access.people.list(text, by=home.operator)
    assert not any("\0" in one.subject or "\ud800" in one.subject for one in home.told())


@pytest.mark.parametrize(
    "password", ["short", "aaaaaaaaaaaaaaaa", "\ud800 is no character", "long-name-of-ana@example.com"]
)
def test_a_password_that_anybody_would_try_is_refused(home: Desk, password: str) -> None:
    """Short ones, one letter over and over, and one's own address cannot be chosen."""
    with pytest.raises(Malformed, match="password"):
        home.join("long-name-of-ana@example.com", password=password)


def test_weaker_hashes_are_replaced(home: Desk) -> None:
    """A password that was hashed with weaker parameters is hashed again when it is next given."""
    person = home.accounts.find(Person, email="root@example.com")[0]
    owner = f"password {person.id}"
    weaker = home.accounts.get(Credential, owner)
    assert weaker is not None
    home.passwords._hasher = PasswordHasher(2, 16, 1)

    home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)

    stronger = home.accounts.get(Credential, owner)
    assert stronger is not None
    assert stronger.kept != weaker.kept
    assert not home.passwords.is_outdated(stronger.kept)
    home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)


def test_passwords_are_argon2id_as_the_library_recommends() -> None:
    """What is kept of a password is an argon2id hash with the library's own parameters, whose salt is ours."""
    passwords = Argon2Passwords()
    kept = passwords.hashed(PASSWORD, b"0123456789abcdef")

    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$")
    assert passwords.is_right(PASSWORD, kept)
    assert not passwords.is_right(OTHER, kept)
    assert not passwords.is_right(PASSWORD, "no hash at all")
    assert not passwords.is_outdated(kept)


def test_another_password_ends_the_other_sessions(home: Desk) -> None:
    """Changing a password keeps the session that did it, ends all others, and makes open links worthless."""
    here, there = home.join("ana@example.com"), home.access.signing.sign_in("ana@example.com", PASSWORD, peer=PEER)
    link = home.access.people.password_link("ana@example.com", by=home.operator)
    with pytest.raises(Unidentified):
        home.access.signing.change_password(here.caller, OTHER, OTHER, keep=here.secret, peer=PEER)

    home.access.signing.change_password(here.caller, PASSWORD, OTHER, keep=here.secret, peer=PEER)

    home.again(here)
    with pytest.raises(Unidentified):
        home.again(there)
    with pytest.raises(Missing):
        home.access.signing.invitation(link.secret)
    refused(home, "ana@example.com", PASSWORD)
    home.access.signing.sign_in("ana@example.com", OTHER, peer=PEER)


def test_somebody_sees_and_ends_their_own_sessions_only(home: Desk) -> None:
    """The sessions of a person are listed to that person, who ends them one by one; nobody else can."""
    ana, bo = home.join("ana@example.com"), home.join("bo@example.com")
    second = home.access.signing.sign_in("ana@example.com", PASSWORD, peer="198.51.100.9")

    with pytest.raises(Missing):
        home.access.signing.end(bo.caller, ana.session.id)
    home.access.signing.end(ana.caller, second.session.id)

    assert [one.id for one in home.access.signing.sessions(ana.caller)] == [ana.session.id]
    with pytest.raises(Unidentified):
        home.again(second)
    with pytest.raises(Refused):
        home.access.signing.sessions(home.operator)


def test_signing_out_ends_one_session(home: Desk) -> None:
    """A cookie is worthless once its owner has signed out; doing it again, or with nonsense, is no error."""
    first, second = (home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER) for _ in range(2))

    for text in (first.secret, first.secret, "nonsense", second.secret[:-1] + "x"):
        home.access.signing.sign_out(text)

    with pytest.raises(Unidentified):
        home.again(first)
    home.again(second)
    assert [one.actor for one in home.told() if one.what == "sign out"] == ["root@example.com"]


def test_one_person_has_so_many_sessions(home: Desk) -> None:
    """One session more than the limit ends the one that was not seen for the longest time."""
    first = home.join("ana@example.com")
    for _ in range(SESSIONS_MAX):
        home.later(seconds=1)
        last = home.access.signing.sign_in("ana@example.com", PASSWORD, peer=PEER)

    assert len(home.access.signing.sessions(last.caller)) == SESSIONS_MAX
    with pytest.raises(Unidentified):
        home.again(first)


# --- Guessing -----------------------------------------------------------------------------------------------------


def fail(made: Desk, count: int, *, email: str = "root@example.com", peer: str = PEER) -> None:
    """Give a wrong password so many times, waiting as long as it takes each time."""
    done = 0
    while done < count:
        try:
            made.access.signing.sign_in(email, OTHER, peer=peer)
        except Busy as busy:
            made.later(seconds=busy.retry_after_seconds)
        except Unidentified:
            done += 1


def wait_seconds(made: Desk, email: str = "root@example.com", peer: str = PEER) -> int:
    """How long the next attempt has to wait."""
    try:
        made.access.signing.sign_in(email, OTHER, peer=peer)
    except Busy as busy:
        return busy.retry_after_seconds
    except Unidentified:
        return 0
    raise AssertionError("a wrong password was right")


def test_guessing_takes_longer_and_longer(home: Desk) -> None:
    """After a few free attempts each wait is twice the one before, up to 15 minutes, for the right one too."""
    fail(home, PAIR.free)
    waits = []
    for _ in range(12):
        waits.append(wait_seconds(home))
        with pytest.raises(Busy):
            home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)
        home.later(seconds=waits[-1])
        refused(home, "root@example.com", OTHER)

    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]


def test_the_right_password_forgives(home: Desk) -> None:
    """Somebody who remembers their password after a few attempts begins again without waiting."""
    fail(home, PAIR.free + 2)
    home.later(seconds=60)
    home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)

    assert wait_seconds(home) == 0


def test_strangers_keep_nobody_out_for_long(home: Desk) -> None:
    """However many addresses guess at one account, its owner elsewhere waits a minute at most."""
    for number in range(80):
        fail(home, 1, peer=f"198.51.100.{number}")

    with pytest.raises(Busy) as told:
        home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)

    assert told.value.retry_after_seconds <= ACCOUNT.seconds_max
    home.later(seconds=told.value.retry_after_seconds)
    home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)


def test_one_address_cannot_try_everybody(home: Desk) -> None:
    """An address that guesses at ever other accounts has to wait, and so does its whole IPv6 network."""
    for number in range(PEER_PACE.free):
        fail(home, 1, email=f"p{number}@example.com", peer=f"2001:db8::{number}")

    assert wait_seconds(home, "new@example.com", "2001:db8::ffff") > 0
    assert wait_seconds(home, "new@example.com", "2001:db8:0:1::1") == 0


def test_a_restart_forgives_nothing(home: Desk, tmp_path: Path) -> None:
    """Failures are kept in the store: a second process makes the same guesser wait."""
    fail(home, PAIR.free)
    elsewhere = desk(tmp_path, clock=home.clock)

    assert wait_seconds(elsewhere) > 0
    elsewhere.close()


@pytest.mark.parametrize("hours", [1, 24 * 365])
def test_a_clock_that_is_set_back_locks_nobody_out(home: Desk, hours: int) -> None:
    """After the clock was set back by an hour or a year nobody waits for it to catch up."""
    fail(home, PAIR.free + 3)
    home.later(hours=-hours)

    home.access.signing.sign_in("root@example.com", PASSWORD, peer=PEER)


# --- One-time links -----------------------------------------------------------------------------------------------


def test_a_link_works_once(home: Desk) -> None:
    """Whoever takes up an invitation becomes what it says, and the link is worthless from then on."""
    made = home.access.people.invite(
        "ana@example.com", Role.RESPONDER, organisation="home", project="local", by=home.operator
    )
    ana = home.access.signing.accept(made.secret, password=PASSWORD, name="Ana", peer=PEER)

    assert ana.person.name == "Ana"
    assert [one.role for one in home.accounts.find(Membership, person=ana.person.id)] == [Role.RESPONDER]
    with pytest.raises(Missing):
        home.access.signing.accept(made.secret, password=PASSWORD, peer=PEER)


def test_a_worthless_link_says_nothing(home: Desk) -> None:
    """A link that was used, is too old, was replaced, withdrawn or made up is told of in the same words."""
    people = home.access.people

    def invited(email: str) -> str:
        return people.invite(email, Role.VIEWER, organisation="home", by=home.operator).secret

    used, replaced, withdrawn = invited("a@example.com"), invited("b@example.com"), invited("c@example.com")
    home.access.signing.accept(used, password=PASSWORD, peer=PEER)
    invited("b@example.com")
    people.withdraw(home.accounts.find(Invitation, email="c@example.com")[0].id, by=home.operator)
    old = invited("d@example.com")
    home.clock.move(INVITATION_AGE_MAX)
    said = set()
    for text in (used, replaced, withdrawn, old, old[:-1] + "0", "hi_nonsense", ""):
        with pytest.raises(Missing) as told:
            home.access.signing.invitation(text)
        said.add(str(told.value))

    assert len(said) == 1


def test_an_invitation_does_not_open_somebodys_account(home: Desk) -> None:
    """Somebody with an account joins with the password they have; whoever only has the link does not get in."""
    home.join("ana@example.com", Role.VIEWER, project="local")
    home.access.projects.add_organisation("acme", by=home.operator)
    made = home.access.people.invite("ana@example.com", Role.ADMIN, organisation="acme", by=home.operator)

    with pytest.raises(Unidentified):
        home.access.signing.accept(made.secret, password=OTHER, peer=PEER)
    ana = home.access.signing.accept(made.secret, password=PASSWORD, peer=PEER)

    assert {right.organisation for right in ana.caller.rights} == {"home", "acme"}
    refused(home, "ana@example.com", OTHER)


def test_a_password_link_takes_the_old_password_away(home: Desk) -> None:
    """A password link gives the person a new password, ends their sessions, and makes nobody a member."""
    ana = home.join("ana@example.com", Role.VIEWER, project="local")
    made = home.access.people.password_link("ana@example.com", by=home.operator)
    assert home.access.signing.invitation(made.secret).purpose is Purpose.PASSWORD

    after = home.access.signing.accept(made.secret, password=OTHER, peer=PEER)

    assert after.caller.rights == ana.caller.rights
    with pytest.raises(Unidentified):
        home.again(ana)
    refused(home, "ana@example.com", PASSWORD)
    home.access.signing.sign_in("ana@example.com", OTHER, peer=PEER)


def test_the_first_admin_says_who_they_are(tmp_path: Path) -> None:
    """The link of a first start makes its user an admin of everything at home; then there is no other such link."""
    made = desk(tmp_path)
    first, second = made.access.first_link("https://h.example/"), made.access.first_link("https://h.example/")
    assert first is not None
    assert second is not None
    assert first.startswith("https://h.example/invitation/hi_")
    with pytest.raises(Missing):
        made.access.signing.invitation(first.rpartition("/")[2])
    with pytest.raises(Malformed):
        made.access.signing.accept(second.rpartition("/")[2], password=PASSWORD, peer=PEER)

    ana = made.access.signing.accept(second.rpartition("/")[2], password=PASSWORD, email="Ana@Example.com", peer=PEER)

    assert ana.person.email == "ana@example.com"
    made.access.authorise(ana.caller, Permission.ADMINISTER, "local")
    assert made.access.first_link("https://h.example") is None
    made.close()


def test_an_open_installation_needs_no_first_link(tmp_path: Path) -> None:
    """Where nobody has to sign in there is no link for a first admin."""
    made = desk(tmp_path, is_proof_required=None)

    assert made.access.first_link("https://h.example") is None
    made.close()


# --- Identity providers -------------------------------------------------------------------------------------------


def test_a_provider_opens_the_door_to_whom_somebody_invited(home: Desk) -> None:
    """An identity with a verified, invited address becomes a member without a password, and is known by it later."""
    with pytest.raises(Refused, match="Nobody has invited"):
        home.access.signing.sign_in_by_provider(ANA, peer=PEER)
    home.access.people.invite("ana@example.com", Role.RESPONDER, organisation="home", project="local", by=home.operator)
    with pytest.raises(Refused, match="not verified"):
        home.access.signing.sign_in_by_provider(replace(ANA, is_verified=False), peer=PEER)

    ana = home.access.signing.sign_in_by_provider(ANA, peer=PEER)
    moved = home.access.signing.sign_in_by_provider(replace(ANA, email="ana@new.example.com"), peer=PEER)

    home.access.authorise(ana.caller, Permission.RESPOND, "local")
    assert moved.person == ana.person
    assert home.accounts.find(Invitation, email="ana@example.com") == ()
    refused(home, "ana@example.com", PASSWORD)


def test_a_provider_ends_what_somebody_else_may_have_begun(home: Desk) -> None:
    """The first sign-in by a provider takes away the password and sessions that the address had until then."""
    squatter = home.join("ana@example.com", Role.VIEWER)

    ana = home.access.signing.sign_in_by_provider(ANA, peer=PEER)

    assert ana.person.id == squatter.person.id
    with pytest.raises(Unidentified):
        home.again(squatter)
    refused(home, "ana@example.com", PASSWORD)
    home.again(ana)


def test_another_identity_with_the_same_address_is_somebody_else(home: Desk) -> None:
    """Once an address belongs to an identity, another identity that claims it is not let in."""
    home.join("ana@example.com", Role.VIEWER)
    home.access.signing.sign_in_by_provider(ANA, peer=PEER)

    with pytest.raises(Refused):
        home.access.signing.sign_in_by_provider(replace(ANA, subject="8"), peer=PEER)
    with pytest.raises(Refused):
        home.access.signing.sign_in_by_provider(replace(ANA, issuer="https://evil.example"), peer=PEER)


def test_who_signs_in_by_a_provider_takes_up_no_link_with_a_password(home: Desk) -> None:
    """A link for somebody who has no password cannot give them one; signing in takes it up."""
    home.join("ana@example.com", Role.VIEWER)
    home.access.signing.sign_in_by_provider(ANA, peer=PEER)
    home.access.projects.add_organisation("acme", by=home.operator)
    made = home.access.people.invite("ana@example.com", Role.ADMIN, organisation="acme", by=home.operator)

    with pytest.raises(Refused, match="identity provider"):
        home.access.signing.accept(made.secret, password=PASSWORD, peer=PEER)
    ana = home.access.signing.sign_in_by_provider(ANA, peer=PEER)

    assert {right.organisation for right in ana.caller.rights} == {"home", "acme"}


# --- What is written down -----------------------------------------------------------------------------------------


def test_signing_in_is_written_down_where_it_matters(home: Desk) -> None:
    """Each organisation of a person sees when they signed in and when somebody failed; unknown names are not kept."""
    home.access.projects.add_organisation("acme", by=home.operator)
    home.join("ana@example.com", Role.ADMIN, organisation="acme")
    refused(home, "ana@example.com", OTHER)
    refused(home, "my secret password", OTHER)
    home.access.signing.sign_in("ana@example.com", PASSWORD, peer=PEER)

    acme = [(one.what, one.outcome, one.peer) for one in home.told("acme") if one.actor == "ana@example.com"]

    assert acme == [
        ("accept join link", Decision.ALLOWED, PEER),
        ("sign in by link", Decision.ALLOWED, PEER),
        ("sign in", Decision.REFUSED, PEER),
        ("sign in", Decision.ALLOWED, PEER),
    ]
    assert ("nobody", "sign in", Decision.REFUSED) in [(one.actor, one.what, one.outcome) for one in home.told()]
    assert not any("secret" in f"{one}" for one in home.told())


def test_a_stream_ends_with_the_session(home: Desk) -> None:
    """A stream that a session opened is no longer admitted once its owner has signed out."""
    ana = home.join("ana@example.com")
    proof = Proof(session=ana.secret)
    assert home.access.admits(proof, Permission.READ, "local")

    home.access.signing.sign_out(ana.secret)

    assert not home.access.admits(proof, Permission.READ, "local")
