"""Keys: what programs prove themselves with. Each is for one power, in one project or one organisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from hindcast.access import secret
from hindcast.access.office import Office, is_known, require_admin
from hindcast.model.access import Caller, Permission, Power, space_of
from hindcast.model.account import Key, check_title
from hindcast.model.errors import Missing, Refused

# A key for each service of a large organisation, several times over.
KEYS_MAX = 5_000


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new key with its secret, which is shown once."""

    key: Key
    secret: str


class Keys:
    """Makes and revokes keys. Every verb checks that the caller may, and writes itself down."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def create(
        self,
        name: str,
        power: Power,
        *,
        organisation: str,
        project: str = "",
        expires_at: datetime | None = None,
        by: Caller,
    ) -> MadeKey:
        """A new key; its secret is nowhere but in the answer."""
        made = secret.make(secret.KEY, self._office.entropy, power=power)
        title = check_title(name, field="name")
        key = Key(made.id, title, organisation, project, power, self._office.now(), by.actor, expires_at)
        told = f"create key {power}"
        with self._office.changing(by, told, organisation=organisation, project=project, subject=title) as ledger:
            require_admin(ledger, by, organisation, project)
            others = ledger.find(Key, organisation=organisation)
            if any(one.name == title and one.is_good(self._office.now()) for one in others):
                raise Refused(
                    f"There is a key called {title!r} already.",
                    field="name",
                    remedy="Take another name, or revoke that key first.",
                )
            if len(others) >= KEYS_MAX:
                raise Refused(f"{KEYS_MAX} keys were made already.", remedy="Share keys between senders of one kind.")
            ledger.put(key, made.credential)
        return MadeKey(key, made.text)

    def list(self, organisation: str, *, by: Caller, project: str = "") -> tuple[Key, ...]:
        """The keys of an organisation that the caller administers, newest first; those of no use any more included."""
        allowed = by.permissions_over(organisation)
        wide = Permission.ADMINISTER in allowed
        if project or wide or not _administers_any(by, organisation):
            self._office.look(by, "list keys", organisation=organisation, project=project)
        else:
            told = self._office.entry(by, "list keys", organisation=organisation)
            self._office.trail.note(told, is_repeated=True)
        found = [
            one
            for one in self._office.accounts.find(Key, organisation=organisation)
            if (not project or one.project == project)
            and (wide or (one.project and Permission.ADMINISTER in by.permissions_in(one.space)))
        ]
        return tuple(sorted(found, key=lambda one: (one.created_at, one.id), reverse=True))

    def revoke(self, key: str, *, by: Caller) -> Key:
        """Make a key worthless from the next request on. A key that is worthless already stays as it was."""
        found = self._office.accounts.get(Key, key)
        if found is None or not is_known(by, found.organisation):
            raise _no_key(key)
        organisation, project = found.organisation, found.project
        with self._office.changing(
            by, "revoke key", organisation=organisation, project=project, subject=found.name
        ) as ledger:
            if project and not by.permissions_in(space_of(organisation, project)):
                raise _no_key(key)
            require_admin(ledger, by, organisation, project)
            current = ledger.get(Key, key)
            assert current is not None, "keys are revoked, never removed"
            if current.revoked_at is None:
                current = replace(current, revoked_at=self._office.now())
                ledger.put(current)
        return current


def _administers_any(by: Caller, organisation: str) -> bool:
    return any(one.organisation == organisation and Permission.ADMINISTER in one.permissions for one in by.rights)


def _no_key(key: str) -> Missing:
    return Missing(f"There is no key {key[:80]!r}.", field="key", remedy="Those of the project are listed.")
