"""`hindcast organisation` and `hindcast project`: whose there is what. They work on the store itself.

Whoever can open the store is its operator and may do everything, so these commands ask nobody who they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from hindcast.cli.plain import Plain
from hindcast.cli.render import ago, clean
from hindcast.cli.session import Session, verb
from hindcast.model.access import HOME, organisation_of, space_of

if TYPE_CHECKING:
    from hindcast.access import Access
    from hindcast.model.account import Project

ORGANISATION_HELP = (
    "Organisations: who owns projects. Nothing is shared between two of them.\n\n"
    f"Spaces without an organisation in their name, such as local, belong to the one called {HOME}."
)
PROJECT_HELP = (
    "Projects: the spaces of an organisation that people and keys can have rights in.\n\n"
    "A project is named as its space is: acme/payments, or payments in the home organisation. Making one changes "
    "nothing in what is remembered there."
)
organisations = typer.Typer(no_args_is_help=True, help=ORGANISATION_HELP, rich_markup_mode="rich")
projects = typer.Typer(no_args_is_help=True, help=PROJECT_HELP, rich_markup_mode="rich")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Lower-case letters, digits, - and _, as in acme.")]
ProjectName = Annotated[str, typer.Argument(metavar="PROJECT", help="As its space is called: acme/payments.")]
Organisation = Annotated[
    str | None, typer.Option("--organisation", "-o", metavar="NAME", help="Only those of this organisation.")
]


@contextmanager
def opened(session: Session) -> Iterator[Access]:
    """Who there is and what they may do, of the store that this run works on."""
    from hindcast.build.accounts import open_accounts
    from hindcast.cli import session as sessions

    access = open_accounts(session.settings, clock=sessions.clock, is_serving=False)
    try:
        yield access
    finally:
        access.close()


def table(*columns: str) -> Table:
    """A table as all lists of accounts look."""
    return Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))


def whole_lines(session: Session, *lines: str) -> None:
    """Lines to copy, which no width may break; part of the answer for people, and of no document."""
    if not session.as_json:
        for line in lines:
            session.out.print(Text(line), soft_wrap=True)


def add_organisation(session: Session, name: Name) -> None:
    """Make an organisation. It has no projects and nobody in it yet."""
    with opened(session) as access:
        made = access.projects.add_organisation(name, by=access.operator)
    session.answer({"organisation": made.name}, Text(f"There is an organisation {made.name} now."))
    session.hint(f"Next: hindcast project add {made.name}/NAME")
    session.hint(f"      hindcast person invite EMAIL --role admin --organisation {made.name}")


def list_organisations(session: Session) -> None:
    """List the organisations of this store."""
    with opened(session) as access:
        found = access.projects.organisations(by=access.operator)
        owned = access.projects.list(by=access.operator)
    counts = {one.name: sum(project.organisation == one.name for project in owned) for one in found}
    shown = table("organisation", "projects", "made", "by")
    for one in found:
        shown.add_row(one.name, str(counts[one.name]), ago(one.created_at, session.now()), clean(one.created_by))
    rows = [
        {
            "organisation": one.name,
            "projects": counts[one.name],
            "created_at": one.created_at,
            "created_by": one.created_by,
        }
        for one in found
    ]
    session.answer({"organisations": rows}, shown)


def add_project(session: Session, project: ProjectName) -> None:
    """Make a project, so that people can be invited to it and keys be made for it."""
    from hindcast.model.account import split_space

    organisation, name = split_space(project)
    with opened(session) as access:
        made = access.projects.create(organisation, name, by=access.operator)
    session.answer(_plain(made), Text(f"There is a project {made.space} now."))
    session.hint(f"Next: hindcast key create NAME --power ingest --space {made.space}")


def list_projects(session: Session, organisation: Organisation = None) -> None:
    """List projects, archived ones as well."""
    with opened(session) as access:
        found = access.projects.list(by=access.operator, organisation=organisation or "")
    shown = table("project", "organisation", "made", "by", "")
    for one in found:
        state = Text("archived", style="yellow") if one.archived_at is not None else Text()
        made = ago(one.created_at, session.now())
        shown.add_row(one.space, one.organisation, made, clean(one.created_by), state)
    session.answer({"projects": [_plain(one) for one in found]}, shown if found else Text("There are no projects."))


def archive_project(
    session: Session,
    project: ProjectName,
    undo: Annotated[bool, typer.Option("--undo", help="Let it be added to again.")] = False,
) -> None:
    """Let nothing be added to a project any more. What it remembers can still be read, and --undo brings it back."""
    with opened(session) as access:
        change = access.projects.restore if undo else access.projects.archive
        made = change(project, by=access.operator)
    said = "can be added to again" if undo else "is archived: it can be read, and nothing is added to it"
    session.answer(_plain(made), Text(f"{made.space} {said}."))


verb(organisations, "add", writes=True, epilog="Example: hindcast organisation add acme")(add_organisation)
verb(organisations, "list", epilog="Example: hindcast organisation list --json")(list_organisations)
verb(projects, "add", writes=True, epilog="Example: hindcast project add acme/payments")(add_project)
verb(projects, "list", epilog="Example: hindcast project list --organisation acme")(list_projects)
verb(projects, "archive", writes=True, epilog="Example: hindcast project archive acme/payments")(archive_project)


def scope(session: Session, organisation: str | None) -> tuple[str, str]:
    """The organisation and the project that a command is about; with a whole organisation named, no project."""
    if organisation is not None:
        return organisation, ""
    from hindcast.model.account import split_space

    return split_space(session.settings.space)


def scope_named(organisation: str, project: str) -> str:
    """How people call it."""
    return space_of(organisation, project) if project else f"all of {organisation}"


def organisation_for(session: Session, organisation: str | None) -> str:
    """The organisation that a list is about: the one named, or that of the space."""
    return organisation or organisation_of(session.settings.space)


def _plain(one: Project) -> Plain:
    return {
        "project": one.space,
        "organisation": one.organisation,
        "created_at": one.created_at,
        "created_by": one.created_by,
        "archived_at": one.archived_at,
    }
