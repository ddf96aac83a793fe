"""From the proof that a request brings to the caller that it comes from.

Who may do what is read from the store once and remembered until anything changes there, in whichever process: the
store's revision, one small read for each request, says so. A revoked key is therefore refused by the very next request.
"""

from __future__ import annotations

import hmac
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from ipaddress import ip_address

from hindcast.access import secret
from hindcast.access.office import Office
from hindcast.model.access import Caller, CallerKind
from hindcast.model.account import Credential, Invitation, Key, Membership, Person, Project, Session, split_space
from hindcast.model.errors import Malformed, Refused, Unavailable, Unidentified

# When something was last used is kept to the minute.
USED_EVERY = timedelta(minutes=1)
# More callers than this at a time are looked up again; it only keeps memory bounded.
REMEMBERED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Proof:
    """What a request brings to say who it comes from; empty where it brings nothing."""

    # An API key, however its protocol could send it: header, basic auth or URL.
    key: str = ""
    # The cookie of somebody who signed in.
    session: str = ""
    # The address it came from; empty where it came through no network.
    peer: str = ""
    # The name under which it asked for this machine.
    host: str = ""
    # Whether it came through a proxy, as far as can be told.
    is_forwarded: bool = False
    # What it wants to do, for the audit trail.
    what: str = ""
    # The name that somebody at this machine goes by. Nobody else is believed.
    actor: str = ""

    @property
    def is_local(self) -> bool:
        """Whether somebody at this machine sent it themselves: no proxy for others, no web page by a made-up name."""
        return not self.is_forwarded and is_loopback(self.peer) and is_loopback(_hostname(self.host))


@dataclass(slots=True)
class _Known:
    """What was read from the store at one revision."""

    revision: int
    # By the digest of their secret; no secret stays in memory.
    callers: dict[str, tuple[Key | Session, Caller]] = field(default_factory=dict)
    projects: dict[str, Project | None] = field(default_factory=dict)
    is_open: bool | None = None
    has_keys: bool | None = None


class Recognition:
    """Recognises callers, remembering what the store said until it changes."""

    def __init__(self, office: Office, *, actor: str, is_proof_required: bool | None, token: str = "") -> None:
        """`token` is the local token; without one, no caller counts as local."""
        self._office = office
        self._token = token
        self._browser = secret.browser_secret(token) if token else ""
        self._local = Caller(CallerKind.LOCAL, "", actor)
        # None: as soon as somebody was invited.
        self._is_proof_required = is_proof_required
        self._known = _Known(-1)

    def caller(self, proof: Proof) -> Caller:
        """Who asks. Raises Unidentified where that has to be known and is not."""
        if _is_same(proof.key, self._token) or (not proof.key and _is_same(proof.session, self._browser)):
            return self._at_this_machine(proof)
        if proof.key:
            return self._proved(secret.KEY, proof.key)
        if proof.session:
            return self._proved(secret.SESSION, proof.session)
        if self.is_open:
            raise Unidentified(
                "Nobody knows who asks.",
                field="Authorization",
                remedy="Open the link that `hindcast serve` prints, or send a key: Authorization: Bearer hc_…",
            )
        raise Unidentified(
            "Nobody knows who asks.", field="Authorization", remedy="Sign in, or send a key: Authorization: Bearer hc_…"
        )

    def sender(self, proof: Proof) -> Caller:
        """Who sends records. A program at this machine needs no proof for that, until the first key is made."""
        if self.is_open and proof.is_local and not (proof.key or proof.session or self._has_keys()):
            return self._local
        return self.caller(proof)

    def _has_keys(self) -> bool:
        known = self._fresh()
        if known.has_keys is None:
            # A key that was revoked counts as well: what it closed is not opened again by that.
            known.has_keys = bool(self._office.accounts.find(Key))
        return known.has_keys

    def _at_this_machine(self, proof: Proof) -> Caller:
        """The caller who holds the local token, from this machine only, while it is accepted."""
        if not self.is_open:
            raise Unidentified(
                "People were invited, so being at this machine is no proof any more.",
                field="Authorization",
                remedy="Sign in, or send a key: Authorization: Bearer hc_…",
            )
        if not proof.is_local:
            raise Unidentified(
                "The token of this machine counts only in requests that are made on it.",
                field="Authorization",
                remedy="Send a key (`hindcast key create`), or ask by a loopback name and through no proxy.",
            )
        return replace(self._local, actor=proof.actor) if proof.actor else self._local

    @property
    def is_open(self) -> bool:
        """Whether the token of this machine opens it."""
        if self._is_proof_required is not None:
            return not self._is_proof_required
        known = self._fresh()
        if known.is_open is None:
            accounts = self._office.accounts
            known.is_open = not accounts.find(Person) and not accounts.find(Invitation)
        return known.is_open

    def project(self, space: str) -> Project | None:
        """The project that a space is, or None where there is none of that name."""
        known = self._fresh()
        if space not in known.projects:
            if len(known.projects) >= REMEMBERED_MAX:
                known.projects.clear()
            known.projects[space] = self._find_project(space)
        return known.projects[space]

    def _fresh(self) -> _Known:
        revision = self._office.accounts.revision()
        known = self._known
        if known.revision != revision:
            # Read before what is remembered under it: what changes meanwhile is read again at the next request.
            self._known = known = _Known(revision)
        return known

    def _find_project(self, space: str) -> Project | None:
        try:
            organisation, name = split_space(space)
        except Malformed:
            return None
        return self._office.accounts.get(Project, organisation, name)

    def _proved(self, what: str, text: str) -> Caller:
        known, digest, now = self._fresh(), secret.digest(text), self._office.now()
        found = known.callers.get(digest)
        if found is None or not found[0].is_good(now):
            # Another process may have seen the session since; only the store knows whether it has really ended.
            found = self._read(what, text)
            if found is None or not found[0].is_good(now):
                raise _unproved(what)
            if len(known.callers) >= REMEMBERED_MAX:
                known.callers.clear()
            known.callers[digest] = found
        thing, caller = found
        used_at = thing.last_used_at if isinstance(thing, Key) else thing.last_seen_at
        if used_at is None or abs(now - used_at) >= USED_EVERY:
            known.callers[digest] = (_used(thing, now), caller)
            # When it was last used is not worth failing for, nor waiting.
            with suppress(Unavailable, Refused):
                self._touch(thing, now)
        return caller

    def _read(self, what: str, text: str) -> tuple[Key | Session, Caller] | None:
        accounts = self._office.accounts
        made = secret.id_of(what, text)
        if made is None or not secret.is_proof(text, accounts.get(Credential, secret.owner(what, made))):
            return None
        if what == secret.KEY:
            key = accounts.get(Key, made)
            return (key, caller_of_key(key)) if key is not None else None
        session = accounts.get(Session, made)
        person = accounts.get(Person, session.person) if session is not None else None
        if session is None or person is None:
            return None
        return session, caller_of_person(person, accounts.find(Membership, person=person.id))

    def _touch(self, thing: Key | Session, now: datetime) -> None:
        with self._office.accounts.write() as ledger:
            # Read again inside: a revocation that came meanwhile must not be written over.
            current = ledger.get(Key, thing.id) if isinstance(thing, Key) else ledger.get(Session, thing.id)
            if current is not None:
                ledger.touch(_used(current, now))


def _is_same(given: str, wanted: str) -> bool:
    """Whether a secret is the one that is wanted, in a time that says nothing about where it differs."""
    return bool(given and wanted) and hmac.compare_digest(given.encode(errors="replace"), wanted.encode())


def _used(thing: Key | Session, now: datetime) -> Key | Session:
    return replace(thing, last_used_at=now) if isinstance(thing, Key) else replace(thing, last_seen_at=now)


def caller_of_key(key: Key) -> Caller:
    """The caller that a key is."""
    return Caller(CallerKind.KEY, key.id, f"key:{key.name}", (key.right,))


def caller_of_person(person: Person, memberships: tuple[Membership, ...]) -> Caller:
    """The caller that a person is."""
    return Caller(CallerKind.PERSON, person.id, person.email, tuple(one.right for one in memberships))


def _unproved(what: str) -> Unidentified:
    if what == secret.KEY:
        return Unidentified(
            "This key is not known, has expired or was revoked.",
            field="Authorization",
            remedy="Ask an admin of the project for a new one.",
        )
    return Unidentified("The session has ended.", field="session", remedy="Sign in again.")


def is_loopback(name: str) -> bool:
    """Whether an address or a name means this machine. Nothing at all means that no network was involved."""
    if name in ("", "localhost") or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _hostname(host: str) -> str:
    """The name in a Host header, without the port."""
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]
