"""`hindcast person`: who may sign in, and what they are in which project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli.accounts import opened, organisation_for, scope, scope_named, table, whole_lines
from hindcast.cli.plain import Plain
from hindcast.cli.render import ago, clean
from hindcast.cli.session import Session, verb
from hindcast.model.access import Role

if TYPE_CHECKING:
    from hindcast.access.people import Invited, Member

HELP = (
    "People: who may sign in, and what they are.\n\n"
    "A viewer looks; a responder also records attempts and decides about incidents; a maintainer also changes what is "
    "remembered; an admin also changes people, keys and projects. Each is so in one project (--space) or in a whole "
    "organisation (--organisation).\n\n"
    "As soon as the first person is invited everybody has to sign in, so the first one is an admin."
)
app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="As in ana@example.com.")]
MaybeEmail = Annotated[
    str | None,
    typer.Argument(
        metavar="EMAIL", help="Whom; for the very first admin it may be left out, and they say so.", show_default=False
    ),
]
RoleOption = Annotated[Role, typer.Option("--role", help="What they are.")]
MaybeRole = Annotated[Role | None, typer.Option("--role", help="What they are; a viewer if not said.")]
Whole = Annotated[
    str | None,
    typer.Option("--organisation", "-o", metavar="NAME", help="In this whole organisation, not in one project."),
]


def invite(session: Session, email: MaybeEmail = None, role: MaybeRole = None, organisation: Whole = None) -> None:
    """Make a link with which somebody becomes a member. It works once, for a day; send it to nobody else.

    Without an address this makes the link of the very first admin again, as long as nobody has signed in.
    """
    whole, project = scope(session, organisation)
    if email is None:
        # Whoever comes first has to be able to let the others in.
        project, role = "", Role.ADMIN
    with opened(session) as access:
        made = access.people.invite(
            email or "", role or Role.VIEWER, organisation=whole, project=project, by=access.operator
        )
    where = scope_named(whole, project)
    _show_link(session, made, f"{email or 'Whoever opens this'} becomes {made.invitation.role} of {where} here:")


def list_people(session: Session, organisation: Whole = None) -> None:
    """List who belongs to an organisation, and who was invited."""
    name = organisation_for(session, organisation)
    with opened(session) as access:
        members = access.people.list(name, by=access.operator)
        pending = access.people.invitations(name, by=access.operator)
    now = session.now()
    shown = table("person", "name", "is", "of", "since")
    for member in members:
        for one in member.memberships:
            where = scope_named(one.organisation, one.project)
            shown.add_row(
                clean(member.person.email), clean(member.person.name), one.role, where, ago(one.since, now)
            )  # fmt: skip
    for link in pending:
        state = "invited" if link.is_good(now) else "invited, link too old"
        where = scope_named(link.organisation, link.project)
        told = f"{state}: {link.role}" if link.purpose == "join" else "may choose a password"
        shown.add_row(clean(link.email or "the first admin"), "", told, where, ago(link.created_at, now))
    document: Plain = {
        "people": [_member(one) for one in members],
        "invitations": [
            {
                "id": one.id,
                "purpose": one.purpose,
                "email": one.email,
                "role": one.role,
                "project": one.project,
                "expires_at": one.expires_at,
                "expired": not one.is_good(now),
            }
            for one in pending
        ],
    }
    session.answer(document, shown if members or pending else Text(f"Nobody belongs to {name}."))


def set_role(session: Session, email: Email, role: RoleOption, organisation: Whole = None) -> None:
    """Make a member something else; it counts from their next request on."""
    whole, project = scope(session, organisation)
    with opened(session) as access:
        made = access.people.set_role(email, role, organisation=whole, project=project, by=access.operator)
    session.answer(
        {"person": email, "role": made.role, "organisation": whole, "project": project},
        Text(clean(f"{email} is {made.role} of {scope_named(whole, project)}.")),
    )


def remove(session: Session, email: Email, organisation: Whole = None) -> None:
    """Take somebody out of a project, or out of an organisation and all of its projects. They are out at once."""
    whole, project = scope(session, organisation)
    with opened(session) as access:
        access.people.remove(email, organisation=whole, project=project, by=access.operator)
    session.answer(
        {"person": email, "organisation": whole, "project": project, "removed": True},
        Text(clean(f"{email} is no longer in {scope_named(whole, project)}.")),
    )


def password_link(session: Session, email: Email) -> None:
    """Make a link with which somebody chooses another password. It works once, for a day, and ends their sessions."""
    with opened(session) as access:
        made = access.people.password_link(email, by=access.operator)
    _show_link(session, made, f"{email} chooses another password here:")


verb(app, "invite", writes=True, epilog="Example: hindcast person invite ana@example.com --role admin -o home")(invite)
verb(app, "list", epilog="Example: hindcast person list --json")(list_people)
verb(app, "role", writes=True, epilog="Example: hindcast person role ana@example.com --role responder")(set_role)
verb(app, "remove", writes=True, epilog="Example: hindcast person remove ana@example.com -o acme")(remove)
verb(app, "password-link", writes=True, epilog="Example: hindcast person password-link ana@example.com")(password_link)


def _show_link(session: Session, made: Invited, said: str) -> None:
    from hindcast.build.accounts import public_url

    link = made.link(public_url(session.settings))
    document = {
        "link": link,
        "email": made.invitation.email,
        "role": made.invitation.role,
        "organisation": made.invitation.organisation,
        "project": made.invitation.project,
        "expires_at": made.invitation.expires_at,
    }
    session.answer(document, Text(clean(said)))
    whole_lines(session, link)
    session.hint("It works once, for a day. Send it to nobody else.")
    if not session.settings.public_url:
        session.hint("Set public_url if people reach Hindcast by another address.")


def _member(member: Member) -> Plain:
    return {
        "id": member.person.id,
        "email": member.person.email,
        "name": member.person.name,
        "memberships": [{"project": one.project, "role": one.role, "since": one.since} for one in member.memberships],
    }
