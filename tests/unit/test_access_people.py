"""Changing who there is: invitations, roles, keys, projects, and what nobody may do to others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.admitting import PASSWORD, PEER, Desk, desk

from hindcast.access import Proof
from hindcast.access.keys import Keys
from hindcast.access.signing import SignedIn
from hindcast.model.access import Caller, Permission, Power, Role
from hindcast.model.account import Credential, Key, Person, Session
from hindcast.model.audit import Decision
from hindcast.model.errors import Malformed, Missing, Refused, Unidentified


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Desk]:
    """Two organisations, home and acme, each with an admin; acme has the projects shop and payments."""
    made = desk(tmp_path)
    made.join("root@example.com")
    made.access.projects.add_organisation("acme", by=made.operator)
    for name in ("shop", "payments"):
        made.access.projects.create("acme", name, by=made.operator)
    made.join("ada@acme.example", organisation="acme")
    yield made
    made.close()


def signed(two: Desk, email: str) -> Caller:
    """Somebody who is there, signed in."""
    return two.access.signing.sign_in(email, PASSWORD, peer=PEER).caller


# --- Last admins --------------------------------------------------------------------------------------------------


def test_the_last_admin_stays(two: Desk) -> None:
    """An organisation's last admin can be neither removed nor made anything less, not even by the operator."""
    people = two.access.people
    for act in (
        lambda: people.remove("ada@acme.example", organisation="acme", by=two.operator),
        lambda: people.set_role("ada@acme.example", Role.MAINTAINER, organisation="acme", by=two.operator),
    ):
        with pytest.raises(Refused, match="last admin"):
            act()

    two.join("bob@acme.example", organisation="acme")
    people.remove("ada@acme.example", organisation="acme", by=two.operator)
    with pytest.raises(Refused, match="last admin"):
        people.remove("bob@acme.example", organisation="acme", by=two.operator)


def test_an_admin_of_one_project_does_not_count(two: Desk) -> None:
    """An admin of one project keeps no organisation from being without an admin, and can be let go."""
    two.join("bob@acme.example", Role.ADMIN, organisation="acme", project="shop")

    with pytest.raises(Refused, match="last admin"):
        two.access.people.remove("ada@acme.example", organisation="acme", by=two.operator)
    two.access.people.remove("bob@acme.example", organisation="acme", project="shop", by=two.operator)


def test_a_last_admin_may_be_something_in_a_project_too(two: Desk) -> None:
    """A role in a project beside the one in the whole organisation takes nothing away."""
    two.access.people.set_role(
        "ada@acme.example", Role.VIEWER, organisation="acme", project="shop", by=two.operator
    )  # fmt: skip

    assert Permission.ADMINISTER in signed(two, "ada@acme.example").permissions_in("acme/shop")


# --- Letting go ---------------------------------------------------------------------------------------------------


def test_who_belongs_to_nothing_is_forgotten(two: Desk) -> None:
    """Somebody who was removed everywhere has no session, no password and no account left."""
    bob = two.join("bob@acme.example", Role.RESPONDER, organisation="acme", project="shop")
    two.access.people.password_link("bob@acme.example", by=two.operator)

    two.access.people.remove("bob@acme.example", organisation="acme", by=two.operator)

    with pytest.raises(Unidentified):
        two.again(bob)
    assert two.accounts.find(Person, email="bob@acme.example") == ()
    assert two.accounts.find(Session, person=bob.person.id) == ()
    assert two.accounts.get(Credential, f"password {bob.person.id}") is None
    two.join("bob@acme.example", Role.VIEWER, organisation="acme")


def test_who_belongs_elsewhere_stays(two: Desk) -> None:
    """Removing somebody from one organisation leaves what they are in another, and their session, as it was."""
    bob = two.join("bob@acme.example", Role.RESPONDER, organisation="acme")
    made = two.access.people.invite("bob@acme.example", Role.VIEWER, organisation="home", by=two.operator)
    two.access.signing.accept(made.secret, password=PASSWORD, peer=PEER)

    two.access.people.remove("bob@acme.example", organisation="acme", by=two.operator)

    caller = two.again(bob)
    assert {right.organisation for right in caller.rights} == {"home"}
    with pytest.raises(Missing):
        two.access.authorise(caller, Permission.READ, "acme/shop")


def test_somebody_of_the_whole_organisation_is_not_in_one_project(two: Desk) -> None:
    """Taking somebody out of one project who is in all of them says where the membership is."""
    with pytest.raises(Missing, match="no member of 'shop' itself"):
        two.access.people.remove("ada@acme.example", organisation="acme", project="shop", by=two.operator)


# --- Who may --------------------------------------------------------------------------------------------------------

Act = Callable[[Desk, Caller], object]
ACTS: dict[str, Act] = {
    "invite": lambda two, by: two.access.people.invite("x@x.example", Role.VIEWER, organisation="acme", by=by),
    "invite to a project": lambda two, by: two.access.people.invite(
        "x@x.example", Role.VIEWER, organisation="acme", project="shop", by=by
    ),
    "list people": lambda two, by: two.access.people.list("acme", by=by),
    "invitations": lambda two, by: two.access.people.invitations("acme", by=by),
    "set role": lambda two, by: two.access.people.set_role(
        "ada@acme.example", Role.ADMIN, organisation="acme", project="shop", by=by
    ),
    "remove": lambda two, by: two.access.people.remove("vic@acme.example", organisation="acme", by=by),
    "password link": lambda two, by: two.access.people.password_link("ada@acme.example", by=by),
    "create key": lambda two, by: two.access.keys.create("k2", Power.READ, organisation="acme", project="shop", by=by),
    "list keys": lambda two, by: two.access.keys.list("acme", by=by),
    "revoke key": lambda two, by: two.access.keys.revoke(two.accounts.find(Key, organisation="acme")[0].id, by=by),
    "create project": lambda two, by: two.access.projects.create("acme", "new", by=by),
    "archive project": lambda two, by: two.access.projects.archive("acme/shop", by=by),
    "restore project": lambda two, by: two.access.projects.restore("acme/shop", by=by),
    "read audit": lambda two, by: two.access.audit.entries("acme", by=by),
    "verify audit": lambda two, by: two.access.audit.verify("acme", by=by),
    "export audit": lambda two, by: two.access.audit.export("acme", by=by),
}
# What an admin of the project shop alone may do.
IN_SHOP = {
    "invite to a project",
    "set role",
    "create key",
    "list keys",
    "revoke key",
    "archive project",
    "restore project",
}


@pytest.fixture
def cast(two: Desk) -> dict[str, Caller]:
    """Everybody who could try something with acme."""
    key = two.access.keys.create("k", Power.WRITE, organisation="acme", project="shop", by=two.operator)
    made: dict[str, SignedIn] = {
        "viewer": two.join("vic@acme.example", Role.VIEWER, organisation="acme"),
        "maintainer": two.join("mo@acme.example", Role.MAINTAINER, organisation="acme"),
        "admin of shop": two.join("sam@acme.example", Role.ADMIN, organisation="acme", project="shop"),
        "admin of payments": two.join("pat@acme.example", Role.ADMIN, organisation="acme", project="payments"),
    }
    return {
        **{name: one.caller for name, one in made.items()},
        "admin": signed(two, "ada@acme.example"),
        "stranger": signed(two, "root@example.com"),
        "key": two.access.caller(Proof(key=key.secret)),
        "operator": two.operator,
    }


def test_only_admins_change_who_there_is(two: Desk, cast: dict[str, Caller]) -> None:
    """Each change and each look behind the scenes is for admins of where it happens; others leave all as it was."""
    before = two.accounts.revision()
    for act, attempt in ACTS.items():
        may = {"operator", "admin"} | ({"admin of shop"} if act in IN_SHOP else set())
        # A list has for everybody what is theirs, see below.
        spared = {"admin of payments"} if act == "list keys" else set()
        for name in cast.keys() - may - spared:
            # For a stranger there is no such organisation, and in another project of it nothing of this one.
            with pytest.raises(Missing if name == "stranger" else (Refused, Missing)):
                attempt(two, cast[name])
            assert two.accounts.revision() == before, (act, name)

    for act, attempt in ACTS.items():
        attempt(two, cast["admin of shop" if act in IN_SHOP else "admin"])


def test_an_admin_of_a_project_sees_its_keys_only(two: Desk, cast: dict[str, Caller]) -> None:
    """The keys of other projects, and of the whole organisation, do not exist for an admin of one project."""
    keys: Keys = two.access.keys
    wide = keys.create("wide", Power.READ, organisation="acme", by=cast["admin"]).key
    other = keys.create("other", Power.READ, organisation="acme", project="payments", by=cast["admin"]).key

    assert [one.name for one in keys.list("acme", by=cast["admin of shop"])] == ["k"]
    assert [one.name for one in keys.list("acme", by=cast["admin of payments"])] == ["other"]
    assert {one.name for one in keys.list("acme", by=cast["admin"])} == {"k", "wide", "other"}
    assert [one.name for one in keys.list("acme", project="payments", by=cast["admin"])] == ["other"]
    with pytest.raises(Missing):
        keys.revoke(other.id, by=cast["admin of shop"])
    with pytest.raises(Refused):
        keys.revoke(wide.id, by=cast["admin of shop"])


def test_a_stranger_cannot_tell_what_is_there(two: Desk, cast: dict[str, Caller]) -> None:
    """For somebody of another organisation people, keys and projects that exist sound like those that do not."""
    key = two.accounts.find(Key, organisation="acme")[0].id
    stranger, access = cast["stranger"], two.access
    pairs: list[tuple[Callable[[str], object], str, str]] = [
        (lambda name: access.keys.revoke(name, by=stranger), key, "0" * 12),
        (lambda name: access.people.password_link(name, by=stranger), "ada@acme.example", "no@acme.example"),
        (lambda name: access.people.list(name, by=stranger), "acme", "none"),
        (lambda name: access.projects.create(name, "x", by=stranger), "acme", "none"),
        (lambda name: access.projects.archive(name, by=stranger), "acme/shop", "acme/none"),
        (lambda name: access.audit.entries(name, by=stranger), "acme", "none"),
    ]
    for act, real, made_up in pairs:
        said = []
        for name in (real, made_up):
            with pytest.raises(Missing) as told:
                act(name)
            said.append(str(told.value).replace(repr(name), "NAME"))
        assert said[0] == said[1]


def test_an_admin_cannot_become_somebody_elsewhere(two: Desk) -> None:
    """An admin of one organisation gets no password link for somebody who is in another one as well."""
    bob = two.join("bob@acme.example", Role.VIEWER, organisation="acme")
    ada = signed(two, "ada@acme.example")
    two.access.people.password_link("bob@acme.example", by=ada)
    made = two.access.people.invite("bob@acme.example", Role.ADMIN, organisation="home", by=two.operator)
    two.access.signing.accept(made.secret, password=PASSWORD, peer=PEER)

    with pytest.raises(Refused, match="every organisation"):
        two.access.people.password_link("bob@acme.example", by=ada)
    assert two.access.people.password_link(bob.person.id, by=two.operator).invitation.email == "bob@acme.example"


def test_only_home_makes_organisations(two: Desk) -> None:
    """Admins of the home organisation and the operator make organisations; an admin of another one does not."""
    with pytest.raises(Refused):
        two.access.projects.add_organisation("mine", by=signed(two, "ada@acme.example"))

    two.access.projects.add_organisation("theirs", by=signed(two, "root@example.com"))

    assert [one.name for one in two.access.projects.organisations(by=two.operator)] == ["acme", "home", "theirs"]
    assert [one.name for one in two.access.projects.organisations(by=signed(two, "ada@acme.example"))] == ["acme"]


# --- What can be asked for ----------------------------------------------------------------------------------------


def test_the_first_person_has_to_be_an_admin(tmp_path: Path) -> None:
    """As everybody has to sign in from then on, the first who is invited is an admin of the whole organisation."""
    made = desk(tmp_path, is_proof_required=None)
    for role, project in ((Role.VIEWER, ""), (Role.ADMIN, "local")):
        with pytest.raises(Refused, match="first person"):
            made.access.people.invite("ana@example.com", role, organisation="home", project=project, by=made.operator)
    assert made.access.is_open

    made.access.people.invite("ana@example.com", Role.ADMIN, organisation="home", by=made.operator)
    made.access.people.invite("bo@example.com", Role.VIEWER, organisation="home", project="local", by=made.operator)
    made.close()


def test_nobody_is_invited_without_a_name(two: Desk) -> None:
    """A link that anybody may take up exists for the very first admin only."""
    with pytest.raises(Malformed, match="email"):
        two.access.people.invite("", Role.ADMIN, organisation="home", by=two.operator)


@pytest.mark.parametrize(
    "email", ["ana", "ana@", "@x.example", "a b@x.example", "a@x.example\r\nBcc: x", "<a>@x.example"]
)
def test_an_address_has_to_be_one(two: Desk, email: str) -> None:
    """What can be no e-mail address is refused before anything is made."""
    with pytest.raises(Malformed, match="e-mail"):
        two.access.people.invite(email, Role.VIEWER, organisation="home", by=two.operator)


def test_a_member_is_not_invited_again(two: Desk) -> None:
    """Somebody who is a member already gets another role, and no second invitation to the same."""
    with pytest.raises(Refused, match="member already"):
        two.access.people.invite("ADA@acme.example", Role.VIEWER, organisation="acme", by=two.operator)


def test_a_role_is_for_members_only(two: Desk) -> None:
    """Nobody is made anything in an organisation that they were not invited to."""
    with pytest.raises(Missing):
        two.access.people.set_role("root@example.com", Role.VIEWER, organisation="acme", by=two.operator)


def test_two_good_keys_never_share_a_name(two: Desk) -> None:
    """A name can be used again once its key was revoked or has expired."""
    create, soon = two.access.keys.create, two.clock.now() + timedelta(days=1)
    first = create("bot", Power.READ, organisation="acme", by=two.operator).key
    with pytest.raises(Refused, match="called 'bot' already"):
        create("bot", Power.AGENT, organisation="acme", by=two.operator)
    two.access.keys.revoke(first.id, by=two.operator)
    create("bot", Power.READ, organisation="acme", expires_at=soon, by=two.operator)
    two.later(days=1)
    create("bot", Power.READ, organisation="acme", by=two.operator)

    assert len(two.access.keys.list("acme", by=two.operator)) == 3


def test_revoking_twice_keeps_the_first_time(two: Desk) -> None:
    """A key that is worthless already stays revoked since when it was."""
    key = two.access.keys.create("bot", Power.READ, organisation="acme", by=two.operator).key
    first = two.access.keys.revoke(key.id, by=two.operator)
    two.later(hours=1)

    assert two.access.keys.revoke(key.id, by=two.operator) == first


def test_a_key_that_makes_no_sense_is_not_made(two: Desk) -> None:
    """A key that ingests into no one project, one that has expired, and one without a name are refused."""
    create = two.access.keys.create
    with pytest.raises(Malformed, match="one project"):
        create("k", Power.INGEST, organisation="acme", by=two.operator)
    with pytest.raises(Malformed, match="expired"):
        create("k", Power.READ, organisation="acme", expires_at=two.clock.now(), by=two.operator)
    for name in ("", "  ", "a\nb", "x" * 101):
        with pytest.raises(Malformed, match="name"):
            create(name, Power.READ, organisation="acme", by=two.operator)
    with pytest.raises(Missing):
        create("k", Power.READ, organisation="acme", project="none", by=two.operator)


@pytest.mark.parametrize("name", ["", "Shop", "a b", "../x", "x" * 81, "-x", "a/b", ".accounts"])
def test_a_project_needs_a_plain_name(two: Desk, name: str) -> None:
    """A name that could not be a space of its own is refused."""
    with pytest.raises(Malformed):
        two.access.projects.create("acme", name, by=two.operator)


def test_a_project_is_made_once(two: Desk) -> None:
    """A second project of the same name is refused, and the remedy knows about archives."""
    with pytest.raises(Refused, match="is there already"):
        two.access.projects.create("acme", "shop", by=two.operator)
    two.access.projects.archive("acme/shop", by=two.operator)
    with pytest.raises(Refused, match="Restore it"):
        two.access.projects.create("acme", "shop", by=two.operator)


def test_a_change_and_its_entry_are_one(two: Desk) -> None:
    """Every change is in the trail of its organisation with who made it; a refused one is there as refused."""
    ada = signed(two, "ada@acme.example")
    begin = len(two.told("acme"))
    key = two.access.keys.create("bot", Power.READ, organisation="acme", project="shop", by=ada).key
    two.access.keys.revoke(key.id, by=ada)
    with pytest.raises(Refused):
        two.access.people.remove("ada@acme.example", organisation="acme", by=ada)

    told = [(one.actor, one.what, one.space, one.subject, one.outcome) for one in two.told("acme")[begin:]]

    assert told == [
        ("ada@acme.example", "create key read", "acme/shop", "bot", Decision.ALLOWED),
        ("ada@acme.example", "revoke key", "acme/shop", "bot", Decision.ALLOWED),
        ("ada@acme.example", "remove member", "", "ada@acme.example", Decision.REFUSED),
    ]
