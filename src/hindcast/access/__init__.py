"""The one authorisation point: who somebody is, and whether they may.

Every face asks here, for every request, tool call and stream, and nothing below asks again. What was asked, and what
came of it, goes to the audit trail.
"""

from __future__ import annotations

from collections.abc import Callable

from hindcast.access.audit import Audit
from hindcast.access.keys import Keys
from hindcast.access.office import NOBODY, Office, no_space
from hindcast.access.people import People
from hindcast.access.projects import Projects
from hindcast.access.recognition import Proof, Recognition
from hindcast.access.signing import Signing
from hindcast.model.access import HOME, Caller, CallerKind, Permission, Role, organisation_of, project_of
from hindcast.model.account import Invitation, Person, Project
from hindcast.model.audit import AuditEntry, Decision
from hindcast.model.errors import Missing, Refused, Unidentified

__all__ = ["Access", "Office", "Proof"]

# What may be done in a project that nothing is added to any more.
_ARCHIVED = frozenset({Permission.READ, Permission.ADMINISTER})
# What happens too often to be an entry each time.
_REPEATED = frozenset({Permission.READ, Permission.INGEST})


class Access:
    """Recognises callers, authorises them and writes down both; its parts change who there is."""

    def __init__(self, office: Office, *, actor: str, is_proof_required: bool | None = None, token: str = "") -> None:
        self._office = office
        # The local token; empty where there is none.
        self.token = token
        self._recognition = Recognition(office, actor=actor, is_proof_required=is_proof_required, token=token)
        # Whose the first admin is.
        self._organisation = HOME
        self._operator = Caller(CallerKind.LOCAL, "", actor)
        self.signing = Signing(office)
        self.people = People(office)
        self.keys = Keys(office)
        self.projects = Projects(office)
        self.audit = Audit(office)

    @property
    def is_open(self) -> bool:
        """Whether the token of this machine opens it, now."""
        return self._recognition.is_open

    @property
    def operator(self) -> Caller:
        """Whoever can open the store itself, and so may do everything."""
        return self._operator

    def caller(self, proof: Proof, *, is_sender: bool = False) -> Caller:
        """Who asks, or only sends records. Raises Unidentified where that has to be known and is not."""
        try:
            return self._recognition.sender(proof) if is_sender else self._recognition.caller(proof)
        except Unidentified:
            entry = AuditEntry(
                self._office.now(), HOME, NOBODY, NOBODY, "", proof.what, outcome=Decision.REFUSED, peer=proof.peer
            )
            # A wrong proof is worth a wait for the disk; none at all is what every browser begins with.
            if proof.key or proof.session:
                self._office.trail.write(entry, is_repeated=True)
            else:
                self._office.trail.note(entry, is_repeated=True)
            raise

    def authorise(
        self, caller: Caller, permission: Permission, space: str, *, what: str = "", subject: str = "", peer: str = ""
    ) -> None:
        """Raise unless the caller may. A space without any right in it is told of as if it did not exist."""
        told = f"{permission} {what}".strip()
        entry = self._office.entry(caller, told, space=space, subject=subject, peer=peer)
        try:
            self._check(caller, permission, space)
        except (Missing, Refused):
            self._office.trail.write(self._office.refused(entry), is_repeated=True)
            raise
        if permission is Permission.ADMINISTER:
            self._office.trail.write(entry)
        else:
            self._office.trail.note(entry, is_repeated=permission in _REPEATED)

    def admits(self, proof: Proof, permission: Permission, space: str) -> bool:
        """Whether a request would still be let in, for streams that stay open. Nothing is written down."""
        try:
            self._check(self._recognition.caller(proof), permission, space)
        except (Missing, Refused):
            return False
        return True

    def spaces_of(self, caller: Caller) -> tuple[Project, ...]:
        """The projects that exist for a caller, without archived ones."""
        return tuple(one for one in self.projects.list(by=caller) if one.archived_at is None)

    def revision(self) -> int:
        """A number that changes whenever anybody's rights do, in whichever process that happened."""
        return self._office.accounts.revision()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Be told after every change that is made in this process; what comes back ends it."""
        self._office.listeners.append(listener)
        return lambda: self._office.listeners.remove(listener)

    def begin(self, space: str) -> None:
        """Make the organisation and the project of the space that this installation works in, where they are not."""
        self._organisation = organisation_of(space)
        if self._recognition.project(space) is None:
            self.projects.begin(space, by=self._operator)

    def first_link(self, public_url: str) -> str | None:
        """A one-time link for the first admin, where everybody has to say who they are and nobody is there to do so."""
        if self.is_open or self._office.accounts.find(Person):
            return None
        pending = self._office.accounts.find(Invitation)
        if any(one.email and one.is_good(self._office.now()) and one.role is Role.ADMIN for one in pending):
            return None
        made = self.people.invite("", Role.ADMIN, organisation=self._organisation, by=self._operator)
        return made.link(public_url)

    def close(self) -> None:
        """Write what was noted, then let go of the store."""
        try:
            self._office.trail.close()
        finally:
            self._office.accounts.close()

    def _check(self, caller: Caller, permission: Permission, space: str) -> None:
        project = self._recognition.project(space)
        allowed = caller.permissions_in(space)
        is_alias = organisation_of(space) == HOME and project_of(space) != space
        if not allowed or is_alias or (project is None and caller.kind is not CallerKind.LOCAL):
            raise no_space(space)
        if permission not in allowed:
            raise Refused(
                f"This needs the permission to {permission} in {space!r}.",
                field="permission",
                remedy="Ask an admin of the project for a role or a key that has it.",
            )
        if project is not None and project.archived_at is not None and permission not in _ARCHIVED:
            raise Refused(
                f"The project {space!r} is archived.",
                field="space",
                remedy="Read it, or have an admin restore it first.",
            )
