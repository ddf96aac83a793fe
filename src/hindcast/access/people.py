"""People: inviting them, what they are in which project, and letting them go."""

from __future__ import annotations

from dataclasses import dataclass

from hindcast.access import secret
from hindcast.access.office import Office, is_known, no_space, require_admin
from hindcast.model.access import Caller, CallerKind, Permission, Role, space_of
from hindcast.model.account import (
    INVITATION_AGE_MAX,
    Credential,
    Invitation,
    Membership,
    Person,
    Project,
    Purpose,
    Session,
    check_email,
)
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused
from hindcast.ports import Accounts, Ledger

# Enough for any organisation's first day; more are a mistake or a flood.
INVITATIONS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation with its secret, which is shown once."""

    invitation: Invitation
    secret: str

    def link(self, public_url: str) -> str:
        """Where a browser takes it up."""
        return f"{public_url.rstrip('/')}/invitation/{self.secret}"


@dataclass(frozen=True, slots=True)
class Member:
    """A person with what they are in one organisation."""

    person: Person
    memberships: tuple[Membership, ...]


class People:
    """Changes who belongs to an organisation. Every verb checks that the caller may, and writes itself down."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def invite(self, email: str, role: Role, *, organisation: str, project: str = "", by: Caller) -> Invited:
        """A one-time link with which somebody becomes a member. Another one for the same takes its place."""
        address = check_email(email) if email else ""
        now = self._office.now()
        made = secret.make(secret.INVITATION, self._office.entropy)
        invitation = Invitation(
            made.id, Purpose.JOIN, address, organisation, project, role, now, by.actor, now + INVITATION_AGE_MAX
        )
        told = f"invite {role}"
        with self._office.changing(by, told, organisation=organisation, project=project, subject=address) as ledger:
            require_admin(ledger, by, organisation, project)
            _check_scope(ledger, organisation, project)
            _check_first(ledger, invitation)
            pending = ledger.find(Invitation, organisation=organisation)
            if len(pending) >= INVITATIONS_MAX:
                raise Refused(
                    f"{INVITATIONS_MAX} invitations are open already.", remedy="Withdraw those that nobody needs."
                )
            for known in ledger.find(Person, email=address) if address else ():
                if ledger.get(Membership, known.id, organisation, project) is not None:
                    raise Refused(f"{address} is a member already.", field="email", remedy="Change their role instead.")
            same = [one for one in pending if (one.email, one.project, one.purpose) == (address, project, Purpose.JOIN)]
            withdraw_from(ledger, *same)
            ledger.put(invitation, made.credential)
        return Invited(invitation, made.text)

    def invitations(self, organisation: str, *, by: Caller) -> tuple[Invitation, ...]:
        """Invitations that were not taken up, those that are too old included."""
        self._office.look(by, "list invitations", organisation=organisation)
        return self._office.accounts.find(Invitation, organisation=organisation)

    def withdraw(self, invitation: str, *, by: Caller) -> None:
        """Make a one-time link worthless."""
        found = self._office.accounts.get(Invitation, invitation)
        if found is None or not is_known(by, found.organisation):
            raise _no_invitation(invitation)
        organisation, project = found.organisation, found.project
        with self._office.changing(
            by, "withdraw invitation", organisation=organisation, project=project, subject=found.email
        ) as ledger:
            require_admin(ledger, by, organisation, project)
            withdraw_from(ledger, found)

    def list(self, organisation: str, *, by: Caller) -> tuple[Member, ...]:
        """Who belongs to an organisation, by e-mail address."""
        accounts = self._office.accounts
        self._office.look(by, "list people", organisation=organisation)
        found: dict[str, list[Membership]] = {}
        for one in accounts.find(Membership, organisation=organisation):
            found.setdefault(one.person, []).append(one)
        people = ((accounts.get(Person, person), memberships) for person, memberships in found.items())
        members = (Member(person, tuple(memberships)) for person, memberships in people if person is not None)
        return tuple(sorted(members, key=lambda member: member.person.email))

    def set_role(self, person: str, role: Role, *, organisation: str, project: str = "", by: Caller) -> Membership:
        """Make a member something else, in a project or in the whole organisation."""
        told = f"set role {role}"
        with self._office.changing(by, told, organisation=organisation, project=project, subject=person) as ledger:
            require_admin(ledger, by, organisation, project)
            _check_scope(ledger, organisation, project)
            found = _member(ledger, person, organisation)
            made = Membership(found.id, organisation, project, role, self._office.now(), by.actor)
            before = ledger.get(Membership, found.id, organisation, project)
            if before is not None:
                _keep_an_admin(ledger, organisation, losing=(before,) if not made.is_whole_admin else ())
            ledger.put(made)
        return made

    def remove(self, person: str, *, organisation: str, project: str = "", by: Caller) -> None:
        """Take somebody out of a project or, with no project, out of the organisation and all of its projects."""
        told = "remove member"
        with self._office.changing(by, told, organisation=organisation, project=project, subject=person) as ledger:
            require_admin(ledger, by, organisation, project)
            found = _member(ledger, person, organisation)
            theirs = ledger.find(Membership, person=found.id, organisation=organisation)
            gone = tuple(one for one in theirs if not project or one.project == project)
            if not gone:
                raise Missing(
                    f"{found.email} is no member of {project!r} itself.",
                    field="person",
                    remedy="They are a member of the whole organisation: change that instead.",
                )
            _keep_an_admin(ledger, organisation, losing=gone)
            ledger.remove(*gone)
            if not ledger.find(Membership, person=found.id):
                _forget(ledger, found)

    def password_link(self, person: str, *, by: Caller) -> Invited:
        """A one-time link with which somebody chooses another password. Whoever asks has to administer all they are in.

        An admin of one organisation could otherwise become somebody in another one.
        """
        accounts = self._office.accounts
        found = _person(accounts, person)
        theirs = {one.organisation for one in accounts.find(Membership, person=found.id)} if found else set()
        if found is None or not any(is_known(by, one) for one in theirs):
            raise _no_person(person)
        organisation, now = min(theirs), self._office.now()
        made = secret.make(secret.INVITATION, self._office.entropy)
        invitation = Invitation(
            made.id,
            Purpose.PASSWORD,
            found.email,
            organisation,
            "",
            Role.VIEWER,
            now,
            by.actor,
            now + INVITATION_AGE_MAX,
        )
        with self._office.changing(by, "password link", organisation=organisation, subject=found.email) as ledger:
            if found.identity and by.kind is not CallerKind.LOCAL:
                raise Refused(
                    f"{found.email} signs in with the identity provider.", field="person", remedy="Reset it there."
                )
            if any(Permission.ADMINISTER not in by.permissions_over(one) for one in theirs):
                raise Refused(
                    "Only somebody who administers every organisation that they are in may do this.",
                    field="permission",
                    remedy="Ask whoever operates Hindcast: `hindcast person password-link`.",
                )
            withdraw_from(ledger, *(one for one in ledger.find(Invitation, email=found.email) if _is_password(one)))
            ledger.put(invitation, made.credential)
        return Invited(invitation, made.text)


def withdraw_from(ledger: Ledger, *invitations: Invitation) -> None:
    """Take invitations away, with what proves them."""
    for one in invitations:
        ledger.remove(one, Credential(secret.owner(secret.INVITATION, one.id), ""))


def end_sessions(ledger: Ledger, person: str, *, keep: str = "") -> None:
    """End the sessions of a person, save one."""
    for one in ledger.find(Session, person=person):
        if one.id != keep:
            ledger.remove(one, Credential(secret.owner(secret.SESSION, one.id), ""))


def _forget(ledger: Ledger, person: Person) -> None:
    """Take away somebody who belongs to nothing any more."""
    end_sessions(ledger, person.id)
    withdraw_from(ledger, *(one for one in ledger.find(Invitation, email=person.email) if _is_password(one)))
    ledger.remove(Credential(f"password {person.id}", ""), person)


def _is_password(invitation: Invitation) -> bool:
    return invitation.purpose is Purpose.PASSWORD


def _check_scope(ledger: Ledger, organisation: str, project: str) -> None:
    if project and ledger.get(Project, organisation, project) is None:
        raise no_space(space_of(organisation, project))


def _check_first(ledger: Ledger, invitation: Invitation) -> None:
    """The first who comes has to be able to let others in; only then it need not be known who that is."""
    if not invitation.email and (ledger.find(Person) or invitation.role is not Role.ADMIN or invitation.project):
        raise Malformed("Whom?", field="email", remedy="Give the e-mail address of whoever is invited.")
    if ledger.find(Person) or any(one.role is Role.ADMIN and not one.project for one in ledger.find(Invitation)):
        return
    if invitation.role is not Role.ADMIN or invitation.project:
        raise Refused(
            "The first person has to be an admin of the whole organisation: from then on everybody has to sign in.",
            field="role",
            remedy="Invite yourself first: `hindcast person invite YOU@… --role admin --organisation NAME`.",
        )


def _keep_an_admin(ledger: Ledger, organisation: str, *, losing: tuple[Membership, ...]) -> None:
    """Refuse to leave an organisation without anybody who may administer it."""
    admins = {one.person for one in ledger.find(Membership, organisation=organisation) if one.is_whole_admin}
    lost = {one.person for one in losing if one.is_whole_admin}
    if lost and not admins - lost:
        raise Refused(
            f"This is the last admin of {organisation!r}.",
            field="person",
            remedy="Make somebody else an admin of the whole organisation first.",
        )


def _person(ledger: Accounts | Ledger, person: str) -> Person | None:
    """Somebody by id or e-mail address."""
    if "@" in person:
        return next(iter(ledger.find(Person, email=person.strip().lower())), None)
    return ledger.get(Person, person)


def _member(ledger: Ledger, person: str, organisation: str) -> Person:
    found = _person(ledger, person)
    if found is None or not ledger.find(Membership, person=found.id, organisation=organisation):
        raise _no_person(person)
    return found


def _no_person(person: str) -> HindcastError:
    return Missing(
        f"Nobody here is {person[:80]!r}.", field="person", remedy="The members are listed; others can be invited."
    )


def _no_invitation(invitation: str) -> HindcastError:
    return Missing(
        f"There is no invitation {invitation[:80]!r}.", field="invitation", remedy="Those that are open are listed."
    )
