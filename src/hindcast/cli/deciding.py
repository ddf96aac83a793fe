"""Confirm, dismiss, reopen, split and join: what people decide about an incident.

Whoever watches an incident has to know of a decision, so it goes to the running Hindcast. What nobody watches
(imported, or long over) is decided in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hindcast.cli.ingest import address, spoken_to
from hindcast.cli.options import MaybeWhy
from hindcast.cli.session import Session, verb
from hindcast.model.case import to_json
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale, Unavailable, Unidentified

if TYPE_CHECKING:
    from hindcast.model.incident import Incident
    from hindcast.register import Register

# What the other side's refusal means here, by HTTP status.
_REFUSALS: dict[int, type[HindcastError]] = {
    400: Malformed,
    422: Malformed,
    401: Unidentified,
    403: Refused,
    404: Missing,
    409: Stale,
    412: Stale,
}
TIMEOUT_SECONDS = 10

To = Annotated[str, typer.Option("--to", metavar="URL", help="Where Hindcast listens.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="As `hindcast incident list` shows it.")]


def register(session: Session) -> Register:
    """The incidents of this run's space."""
    from hindcast.register import Register

    return Register(lambda _, create=True: session.memory(create=create))


def confirm(session: Session, incident_id: Id, to: To = "") -> None:
    """Say that an incident is over."""
    _decide(session, "confirm", incident_id, to)


def dismiss(session: Session, incident_id: Id, to: To = "") -> None:
    """Say that it was none: what its services do now counts as usual."""
    _decide(session, "dismiss", incident_id, to)


def reopen(session: Session, incident_id: Id, to: To = "") -> None:
    """Say that an incident is not over after all."""
    _decide(session, "reopen", incident_id, to)


def split(
    session: Session,
    incident_id: Id,
    services: Annotated[
        str, typer.Option("--services", metavar="A,B", help="The services that belong elsewhere.")
    ] = "",
    from_previous: Annotated[
        bool, typer.Option("--from-previous", help="It does not repeat the earlier incident that it is linked to.")
    ] = False,
    failure: Annotated[
        str,
        typer.Option("--failure", metavar="N", help="A failure that is new in it, as `incident show` has it."),
    ] = "",
    new_id: Annotated[str, typer.Option("--as", metavar="ID", help="The new case's id; made up if not said.")] = "",
    why: MaybeWhy = None,
    to: To = "",
) -> None:
    """Take services, or a failure that is new in it, out of an incident into one of their own. That sticks.

    A failure goes on being watched in its own incident, so that a running Hindcast has to know of it.
    """
    if not from_previous and bool(services) == bool(failure):
        raise Malformed("Say what to take out.", field="--services", remedy="Give --services A,B or --failure N.")
    if failure:
        told = _asked(session, f"{incident_id}/split", {"failure": failure}, to)
        if told is None:
            raise Missing(
                f"Nobody watches {incident_id}.", field="ID", remedy="`hindcast incident list` shows what is open."
            )
        session.answer(told, Text(f"{told['id']}: {told['title']}. It was split off {incident_id}."))
        return
    from hindcast.casebook.joining import split as apart
    from hindcast.casebook.joining import unlink

    if from_previous:
        if services or new_id:
            raise Malformed(
                "Services cannot be taken out at the same time.",
                field="--services",
                remedy="Give --from-previous alone, then split.",
            )
        casebook = register(session).casebook(session.settings.space)
        made = unlink(casebook, incident_id, actor=session.who, why=why or "It is another failure.")
        session.answer({"case": to_json(made)}, Text(f"{made.id} is linked to no earlier incident now."))
        return
    left, new = apart(
        register(session).casebook(session.settings.space),
        incident_id,
        services.split(","),
        new_id=new_id,
        actor=session.who,
        why=why or f"{services} has a cause of its own.",
    )
    session.answer(
        {"left": to_json(left), "new": to_json(new)},
        Text(f"{new.id} has {', '.join(new.services)}; {left.id} keeps {', '.join(left.services)}."),
    )


def join(
    session: Session,
    incident_id: Id,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The one that is part of it.")],
    why: MaybeWhy = None,
) -> None:
    """Make one incident out of two: the first goes on with what both know, the other points to it. That sticks."""
    from hindcast.casebook.joining import join as together

    casebook = register(session).casebook(session.settings.space)
    made = together(casebook, incident_id, other, actor=session.who, why=why or f"{other} is part of {incident_id}.")
    session.answer(
        {"case": to_json(made)}, Text(f"{other} is part of {incident_id} now, with all that is known of it.")
    )


def install(app: typer.Typer) -> None:
    """Add the decisions to a group of commands."""
    example = "inc-20261115-0203-payment"
    verb(app, "confirm", writes=True, epilog=f"Example: hindcast incident confirm {example}")(confirm)
    verb(app, "dismiss", writes=True, epilog=f"Example: hindcast incident dismiss {example}")(dismiss)
    verb(app, "reopen", writes=True, epilog=f"Example: hindcast incident reopen {example}")(reopen)
    verb(app, "split", writes=True, epilog=f"Example: hindcast incident split {example} --services auth,user")(split)
    verb(app, "join", writes=True, epilog=f"Example: hindcast incident join {example} inc-20261115-0205-auth")(join)


def _decide(session: Session, decision: str, incident_id: str, to: str) -> None:
    known = register(session)
    try:
        incident: Incident | None = known.incident(session.settings.space, incident_id)
    except Missing:
        incident = None
        if known.casebook(session.settings.space).find(incident_id) is None:
            raise
    if incident is None or not _told(session, decision, incident_id, to):
        _in_memory(session, known, decision, incident_id, incident)


def _told(session: Session, decision: str, incident_id: str, to: str) -> bool:
    """Hand the decision to whoever watches. False: they do not know of the incident."""
    told = _asked(session, f"{incident_id}/decision", {"verb": decision}, to)
    if told is None:
        return False
    session.answer(told, Text(f"{told['id']} is {told['state']}."))
    return True


def _asked(session: Session, path: str, body: dict[str, str], to: str) -> dict[str, Any] | None:
    """What whoever watches makes of it. None: they do not know of the incident."""
    import httpx

    url = to or address(session.settings)
    try:
        answer = httpx.post(
            f"{url.rstrip('/')}/api/v1/incidents/{path}",
            json=body,
            headers=spoken_to(url, session.settings),
            timeout=TIMEOUT_SECONDS,
            trust_env=False,
        )
    except httpx.HTTPError as error:
        raise Unavailable(
            f"Nothing at {url} answers: {error or type(error).__name__}.",
            field="to",
            remedy="Start one with `hindcast serve`: whoever watches has to know of the decision.",
        ) from error
    told: dict[str, Any] = answer.json() if "json" in answer.headers.get("Content-Type", "") else {}
    if answer.status_code == httpx.codes.NOT_FOUND and told:
        return None
    if not answer.is_success:
        kind = _REFUSALS.get(answer.status_code, Unavailable)
        raise kind(
            str(told.get("detail", answer.text)), remedy=str(told.get("remedy") or "See `hindcast incident list`.")
        )
    return told


def _in_memory(session: Session, known: Register, decision: str, incident_id: str, incident: Incident | None) -> None:
    """Decide about what nobody watches: its incident where there is one, and its case."""
    from hindcast.casebook.deciding import decided, event_of

    casebook, now = known.casebook(session.settings.space), session.now()
    if incident is not None:
        known.remember(event_of(incident, decision, by=session.who, at=now), actor=session.who)
        made = casebook.case(incident_id)
    else:
        (kept,) = casebook.revise(
            [incident_id],
            lambda found: decided(found, decision, at=now),
            actor=session.who,
            why=f"{session.who} said {decision}.",
        )
        made = kept.case
    session.answer(
        {"id": made.id, "state": str(made.state), "case": to_json(made)}, Text(f"{made.id} is {made.state}.")
    )
