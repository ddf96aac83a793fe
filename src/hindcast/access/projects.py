"""Organisations and their projects. A project is a space that somebody may have rights in."""

from __future__ import annotations

from dataclasses import replace

from hindcast.access.office import Office, no_space, require_admin
from hindcast.model.access import HOME, Caller, CallerKind, Permission, space_of
from hindcast.model.account import Organisation, Project, check_account_name, split_space
from hindcast.model.errors import Malformed, Refused

PROJECTS_MAX = 1_000


class Projects:
    """Makes and archives projects. Every verb checks that the caller may, and writes itself down."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def add_organisation(self, name: str, *, by: Caller) -> Organisation:
        """A new organisation, which has nobody and nothing yet. Admins of the home organisation may do this."""
        made = Organisation(check_account_name(name, field="organisation"), self._office.now(), by.actor)
        with self._office.changing(by, "add organisation", organisation=HOME, subject=name) as ledger:
            if Permission.ADMINISTER not in by.permissions_over(HOME):
                raise Refused(
                    "Only whoever operates Hindcast makes organisations.",
                    field="permission",
                    remedy="Ask them: `hindcast organisation add NAME`.",
                )
            if ledger.get(Organisation, name) is not None:
                raise Refused(f"There is an organisation {name!r} already.", field="name", remedy="Take another name.")
            ledger.put(made)
        return made

    def organisations(self, *, by: Caller) -> tuple[Organisation, ...]:
        """The organisations that exist for the caller."""
        mine = {right.organisation for right in by.rights}
        found = self._office.accounts.find(Organisation)
        return tuple(one for one in found if by.kind is CallerKind.LOCAL or one.name in mine)

    def begin(self, space: str, *, by: Caller) -> Project:
        """Make a project and its organisation, as far as they are not there. For whoever operates this installation."""
        organisation, name = split_space(space)
        now = self._office.now()
        with self._office.changing(by, "create project", organisation=organisation, project=name) as ledger:
            for owner in {HOME, organisation}:
                if ledger.get(Organisation, owner) is None:
                    ledger.put(Organisation(owner, now, by.actor))
            found = ledger.get(Project, organisation, name)
            if found is None:
                found = Project(organisation, name, now, by.actor)
                ledger.put(found)
        return found

    def create(self, organisation: str, name: str, *, by: Caller) -> Project:
        """A new project. What was remembered in a space of that name before belongs to it."""
        made = Project(organisation, name, self._office.now(), by.actor)
        with self._office.changing(by, "create project", organisation=organisation, subject=name) as ledger:
            require_admin(ledger, by, organisation)
            there = ledger.get(Project, organisation, name)
            if there is not None:
                state = "is archived" if there.archived_at is not None else "is there already"
                raise Refused(
                    f"The project {there.space!r} {state}.",
                    field="name",
                    remedy="Take another name." if there.archived_at is None else "Restore it, or take another name.",
                )
            if len(ledger.find(Project, organisation=organisation)) >= PROJECTS_MAX:
                raise Refused(f"{organisation!r} has {PROJECTS_MAX} projects.", remedy="Use those that nobody uses.")
            ledger.put(made)
        return made

    def list(self, *, by: Caller, organisation: str = "") -> tuple[Project, ...]:
        """The projects that exist for the caller, archived ones included, by name."""
        equal = {"organisation": organisation} if organisation else {}
        found = self._office.accounts.find(Project, **equal)
        return tuple(one for one in found if by.permissions_in(one.space))

    def archive(self, space: str, *, by: Caller) -> Project:
        """Let nothing be added to a project any more. What it remembers can still be read."""
        return self._change(space, "archive project", by, archived=True)

    def restore(self, space: str, *, by: Caller) -> Project:
        """Let an archived project be added to again."""
        return self._change(space, "restore project", by, archived=False)

    def _change(self, space: str, told: str, by: Caller, *, archived: bool) -> Project:
        try:
            organisation, name = split_space(space)
        except Malformed as error:
            raise no_space(space) from error
        with self._office.changing(by, told, organisation=organisation, project=name) as ledger:
            if not by.permissions_in(space_of(organisation, name)):
                raise no_space(space)
            require_admin(ledger, by, organisation, name)
            found = ledger.get(Project, organisation, name)
            assert found is not None, "require_admin has seen it"
            if (found.archived_at is not None) is not archived:
                found = replace(found, archived_at=self._office.now() if archived else None)
                ledger.put(found)
        return found
