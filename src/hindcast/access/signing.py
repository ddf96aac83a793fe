"""Signing in and out: passwords, identity providers, one-time links, sessions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hindcast.access import secret
from hindcast.access.office import NOBODY, Office
from hindcast.access.people import end_sessions, withdraw_from
from hindcast.access.recognition import caller_of_person
from hindcast.access.throttle import Throttle
from hindcast.model.access import HOME, Caller, CallerKind
from hindcast.model.account import (
    EMAIL_CHARS_MAX,
    PASSWORD_CHARS_MAX,
    Credential,
    Invitation,
    Membership,
    Person,
    Purpose,
    Session,
    check_email,
    check_password,
)
from hindcast.model.audit import AuditEntry, Decision
from hindcast.model.errors import Missing, Refused, Unidentified
from hindcast.ports import Ledger

# Browsers of one person; the oldest is signed out for one more.
SESSIONS_MAX = 50


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that has just begun, with the secret of its cookie, which is shown once."""

    session: Session
    secret: str
    person: Person
    caller: Caller


@dataclass(frozen=True, slots=True)
class Identity:
    """Who an identity provider says that somebody is."""

    issuer: str
    subject: str
    email: str
    # Whether the provider has made sure that the address is theirs.
    is_verified: bool
    name: str = ""

    @property
    def key(self) -> str:
        """How it is kept with a person."""
        return f"{self.issuer} {self.subject}"


class Signing:
    """Begins and ends sessions. What is wrong with a proof is never said, so that nothing can be learnt from it."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._throttle = Throttle(office)
        self._decoy = ""

    def sign_in(self, email: str, password: str, *, peer: str) -> SignedIn:
        """Begin a session with a password. Raises Unidentified, or Busy after too many attempts."""
        address = email.strip().lower()[:EMAIL_CHARS_MAX]
        self._throttle.attempt(address, peer)
        person = next(iter(self._office.accounts.find(Person, email=address)), None)
        if not self._is_password(person, password) or person is None:
            self._write_refusal(person, "sign in", peer)
            raise Unidentified(
                "E-mail address or password are wrong.", field="password", remedy="Correct them, or ask for a link."
            )
        self._throttle.succeeded(address, peer)
        return self._begin(person, "sign in", peer)

    def sign_in_by_provider(self, identity: Identity, *, peer: str) -> SignedIn:
        """Begin a session for whom an identity provider vouches for, if somebody has invited that address."""
        try:
            with self._office.accounts.write() as ledger:
                person = self._link(ledger, identity)
        except Refused:
            self._write_refusal(None, "sign in by provider", peer)
            raise
        self._office.tell()
        return self._begin(person, "sign in by provider", peer)

    def sign_out(self, text: str) -> None:
        """End the session of a cookie; one that has ended already is no error."""
        made = secret.id_of(secret.SESSION, text)
        found = self._office.accounts.get(Session, made) if made is not None else None
        if found is None or not secret.is_proof(text, self._credential(secret.SESSION, found.id)):
            return
        person = self._office.accounts.get(Person, found.person)
        with self._office.accounts.write() as ledger:
            ledger.remove(found, Credential(secret.owner(secret.SESSION, found.id), ""))
            ledger.append(*(self._entries(person, "sign out", "") if person is not None else ()))
        self._office.tell()

    def invitation(self, text: str) -> Invitation:
        """What a one-time link is for. Raises Missing, whatever is wrong with it."""
        made = secret.id_of(secret.INVITATION, text)
        if made is not None and secret.is_proof(text, self._credential(secret.INVITATION, made)):
            found = self._office.accounts.get(Invitation, made)
            if found is not None and found.is_good(self._office.now()):
                return found
        raise _worthless()

    def accept(self, text: str, *, password: str, name: str = "", email: str = "", peer: str) -> SignedIn:
        """Take up a one-time link: become a member, or choose another password.

        Somebody who is known already proves it with the password they have: whoever made the link may have seen it.
        """
        invitation = self.invitation(text)
        address = invitation.email or check_email(email)
        person = next(iter(self._office.accounts.find(Person, email=address)), None)
        kept = ""
        if person is None or invitation.purpose is Purpose.PASSWORD:
            kept = self._hashed(check_password(password, email=address))
        else:
            self._prove_known(person, password, peer)
        with self._office.accounts.write() as ledger:
            # Looked at again inside: a link is used once, even by two at the same instant.
            if ledger.get(Invitation, invitation.id) is None:
                raise _worthless()
            person = self._take_up(ledger, invitation, address, name, kept)
            caller = Caller(CallerKind.PERSON, person.id, person.email)
            told = f"accept {invitation.purpose} link"
            ledger.append(self._office.entry(caller, told, organisation=invitation.organisation, peer=peer))
        self._office.tell()
        return self._begin(person, "sign in by link", peer)

    def change_password(self, caller: Caller, old: str, new: str, *, keep: str = "", peer: str = "") -> None:
        """Choose another password, which ends every other session. `keep` is the cookie of the one that stays."""
        person = self._person_of(caller)
        check_password(new, email=person.email)
        self._prove_known(person, old, peer)
        kept, stays = self._hashed(new), secret.id_of(secret.SESSION, keep) or ""
        with self._office.accounts.write() as ledger:
            self._set_password(ledger, person, kept, stays=stays)
            ledger.append(*self._entries(person, "change password", peer))
        self._office.tell()

    def sessions(self, caller: Caller) -> tuple[Session, ...]:
        """Where somebody is signed in, most recently seen first."""
        now, person = self._office.now(), self._person_of(caller)
        found = [one for one in self._office.accounts.find(Session, person=person.id) if one.is_good(now)]
        return tuple(sorted(found, key=lambda one: one.last_seen_at, reverse=True))

    def end(self, caller: Caller, session: str) -> None:
        """End a session of one's own."""
        person = self._person_of(caller)
        found = self._office.accounts.get(Session, session)
        if found is None or found.person != person.id:
            raise Missing(f"There is no session {session[:80]!r}.", field="session", remedy="Yours are listed.")
        with self._office.accounts.write() as ledger:
            ledger.remove(found, Credential(secret.owner(secret.SESSION, found.id), ""))
            ledger.append(*self._entries(person, "end session", ""))
        self._office.tell()

    def _begin(self, person: Person, told: str, peer: str) -> SignedIn:
        now = self._office.now()
        made = secret.make(secret.SESSION, self._office.entropy)
        session = Session(made.id, person.id, now, now, peer[:100])
        with self._office.accounts.write() as ledger:
            if ledger.get(Person, person.id) is None:
                raise Unidentified(
                    "This account was removed.", field="email", remedy="Ask an admin to invite you again."
                )
            others = sorted(ledger.find(Session, person=person.id), key=lambda one: one.last_seen_at)
            for old in others[: max(0, len(others) + 1 - SESSIONS_MAX)]:
                ledger.remove(old, Credential(secret.owner(secret.SESSION, old.id), ""))
            # Touched and not put: one more session changes nothing for those who are there.
            ledger.touch(session, made.credential)
            ledger.append(*self._entries(person, told, peer))
            memberships = ledger.find(Membership, person=person.id)
        return SignedIn(session, made.text, person, caller_of_person(person, memberships))

    def _is_password(self, person: Person | None, password: str) -> bool:
        """Whether a password is right. Whoever does not exist is compared as well, so that the time tells nothing."""
        if not self._decoy:
            self._decoy = self._hashed(self._office.entropy(secret.SECRET_BYTES).hex())
        kept = self._office.accounts.get(Credential, _password_owner(person.id if person is not None else NOBODY))
        given = password[:PASSWORD_CHARS_MAX].encode(errors="replace").decode()
        right = self._office.passwords.is_right(given, kept.kept if kept else self._decoy)
        if person is None or kept is None or not right or given != password:
            return False
        if self._office.passwords.is_outdated(kept.kept):
            with self._office.accounts.write() as ledger:
                ledger.touch(Credential(kept.owner, self._hashed(password)))
        return True

    def _prove_known(self, person: Person, password: str, peer: str) -> None:
        """Raise unless somebody gives the password that they have."""
        if self._office.accounts.get(Credential, _password_owner(person.id)) is None:
            raise Refused(
                "This address signs in with the identity provider and has no password.",
                field="password",
                remedy="Sign in there: the invitation is taken up by that.",
            )
        self._throttle.attempt(person.email, peer)
        if not self._is_password(person, password):
            self._write_refusal(person, "prove password", peer)
            raise Unidentified(
                "This is not the password of this account.",
                field="password",
                remedy="Give the one you sign in with, or ask for a link to choose another.",
            )
        self._throttle.succeeded(person.email, peer)

    def _take_up(self, ledger: Ledger, invitation: Invitation, address: str, name: str, kept: str) -> Person:
        person = next(iter(ledger.find(Person, email=address)), None)
        if invitation.purpose is Purpose.PASSWORD:
            if person is None:
                raise _worthless()
            self._set_password(ledger, person, kept)
            return person
        if person is None:
            person = self._new_person(ledger, address, name)
            ledger.put(Credential(_password_owner(person.id), kept))
        elif kept:
            # Somebody took up another link for the same address meanwhile, with a password of their own.
            raise _worthless()
        self._join(ledger, person, invitation)
        return person

    def _link(self, ledger: Ledger, identity: Identity) -> Person:
        """The person that an identity is, made or linked where there is an invitation or a membership."""
        if not identity.is_verified:
            raise Refused(
                "The identity provider has not verified this address.", field="email", remedy="Verify it there first."
            )
        now, address = self._office.now(), check_email(identity.email)
        person = next(iter(ledger.find(Person, identity=identity.key)), None)
        if person is None:
            person = next(iter(ledger.find(Person, email=address)), None)
        pending = [
            one
            for one in ledger.find(Invitation, email=address)
            if one.purpose is Purpose.JOIN and one.is_good(now)
        ]  # fmt: skip
        if (person is None and not pending) or (person is not None and person.identity not in ("", identity.key)):
            raise Refused(
                f"Nobody has invited {address}.",
                field="email",
                remedy="Ask an admin for an invitation to this address.",
            )
        if person is None:
            person = self._new_person(ledger, address, identity.name)
        if not person.identity:
            # Whoever chose the password may not be who the address belongs to; from now on the provider says who it is.
            person = replace(person, identity=identity.key)
            end_sessions(ledger, person.id)
            ledger.remove(Credential(_password_owner(person.id), ""))
            ledger.put(person)
        for invitation in pending:
            self._join(ledger, person, invitation)
        return person

    def _new_person(self, ledger: Ledger, address: str, name: str) -> Person:
        title = name.strip() or address.partition("@")[0]
        person = Person(secret.new_id(self._office.entropy), address, title, self._office.now())
        ledger.put(person)
        return person

    def _join(self, ledger: Ledger, person: Person, invitation: Invitation) -> None:
        organisation, project = invitation.organisation, invitation.project
        role, by = invitation.role, invitation.created_by
        ledger.put(Membership(person.id, organisation, project, role, self._office.now(), by))
        withdraw_from(ledger, invitation)
        if not invitation.email:
            # The first admin is there: every other link for a first admin is worthless now.
            withdraw_from(ledger, *ledger.find(Invitation, email=""))

    def _set_password(self, ledger: Ledger, person: Person, kept: str, *, stays: str = "") -> None:
        ledger.put(Credential(_password_owner(person.id), kept))
        end_sessions(ledger, person.id, keep=stays)
        links = ledger.find(Invitation, email=person.email)
        withdraw_from(ledger, *(one for one in links if one.purpose is Purpose.PASSWORD))

    def _person_of(self, caller: Caller) -> Person:
        found = self._office.accounts.get(Person, caller.id) if caller.kind is CallerKind.PERSON else None
        if found is None:
            raise Refused("Only people who signed in have this.", field="session", remedy="Sign in with a password.")
        return found

    def _credential(self, what: str, made: str) -> Credential | None:
        return self._office.accounts.get(Credential, secret.owner(what, made))

    def _hashed(self, password: str) -> str:
        return self._office.passwords.hashed(password, self._office.entropy(secret.SALT_BYTES))

    def _entries(self, person: Person, told: str, peer: str) -> tuple[AuditEntry, ...]:
        """One entry in the trail of each organisation that somebody belongs to."""
        theirs = {one.organisation for one in self._office.accounts.find(Membership, person=person.id)} or {HOME}
        caller = Caller(CallerKind.PERSON, person.id, person.email)
        return tuple(self._office.entry(caller, told, organisation=one, peer=peer) for one in sorted(theirs))

    def _write_refusal(self, person: Person | None, told: str, peer: str) -> None:
        """Write down who was not let in; an address that nobody has is not kept, for it may be a password."""
        if person is None:
            nobody = AuditEntry(self._office.now(), HOME, NOBODY, NOBODY, "", told, outcome=Decision.REFUSED, peer=peer)
            self._office.trail.write(nobody, is_repeated=True)
            return
        for entry in self._entries(person, told, peer):
            self._office.trail.write(replace(entry, outcome=Decision.REFUSED), is_repeated=True)


def _password_owner(person: str) -> str:
    return f"password {person}"


def _worthless() -> Missing:
    return Missing(
        "This link was used, is older than a day, or never was one.",
        field="invitation",
        remedy="Ask whoever sent it for another.",
    )
