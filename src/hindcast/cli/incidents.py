"""`hindcast incident`: what broke, what is known about it, and what people add. Reading needs no running Hindcast."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hindcast.cli import casepage, casework, deciding, incident_list, judging
from hindcast.cli.options import At
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Missing
from hindcast.model.ids import Address

if TYPE_CHECKING:
    from hindcast.casebook import Kept
    from hindcast.model.case import Case
    from hindcast.model.incident import Incident, NewFailure

HELP = (
    "Incidents: what broke, since when, what was seen, what was tried, what ended it.\n\n"
    "Detection writes what it sees; you add what only people know. What you say here is what the next person gets "
    "when it happens again."
)

app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

incident_list.install(app)

Id = Annotated[str, typer.Argument(metavar="ID", help="As `hindcast incident list` shows it.")]


@verb(app, "show", epilog="Example: hindcast incident show inc-20261115-0203-payment --at yesterday")
def show(session: Session, incident_id: Id, at: At = None) -> None:
    """Show everything known about one incident: cause, fix, attempts with evidence, what was seen, what is missing."""
    from hindcast.casebook import kept_in
    from hindcast.casebook.people import missing_in
    from hindcast.model.incident import from_json
    from hindcast.register import NAMESPACE

    view = session.memory(create=True).now() if at is None else session.view(at)
    kept = kept_in(view, incident_id)
    record = view.find(Address(NAMESPACE, incident_id))
    incident = from_json(record.body) if record is not None and isinstance(record.body, dict) else None
    if kept is None and incident is None:
        when = "" if at is None else f" at {view.moment.name}"
        raise Missing(
            f"There is no incident {incident_id!r}{when}.", field="ID", remedy="`hindcast incident list` shows them."
        )
    gaps = missing_in(kept.case) if kept is not None and not kept.joined_into else ()
    session.answer(casepage.document(kept, incident, gaps), _page(kept, incident, casepage.typed(session, gaps)))


casework.install(app)
deciding.install(app)
judging.install(app)


def _page(kept: Kept | None, incident: Incident | None, gaps: tuple[tuple[str, str], ...]) -> Group:
    case = kept.case if kept is not None else None
    began = incident.onset_at if incident is not None else case.occurred_at if case is not None else None
    severity = incident.severity if incident is not None else case.severity if case is not None else None
    words = [
        case.id if case is not None else incident.id if incident is not None else "",
        casepage.standing(case, incident),
        str(severity or ""),
        f"since {began:%Y-%m-%d %H:%M:%S} UTC" if began is not None else "",
        _took(case),
    ]
    title = case.title if case is not None else incident.title if incident is not None else ""
    parts: list[RenderableType] = [
        Text(clean(title), style="bold"),
        Text("   ".join(word for word in words if word), style="dim"),
    ]
    if kept is not None:
        parts += casepage.lesson(kept)
    if incident is not None:
        parts += _evidence(incident)
    elif case is not None:
        parts += casepage.symptoms(case)
    # What people took away stays away, whatever detection found.
    previous = case.previous if case is not None else incident.previous if incident is not None else ""
    if previous:
        parts += [Text(""), Text(f"It happened before: {previous}")]
    if case is not None and case.links:
        parts += [
            Text(""),
            Text("Links", style="bold"),
            *(Padding(Text(clean(one)), (0, 0, 0, 2)) for one in case.links),
        ]
    return Group(*parts, *casepage.missing(gaps))


def _took(case: Case | None) -> str:
    minutes = case.minutes_to_resolve if case is not None else None
    return f"took {casepage.duration(timedelta(minutes=minutes))}" if minutes is not None else ""


def _evidence(one: Incident) -> list[RenderableType]:
    """What detection saw of it."""
    parts: list[RenderableType] = []
    if one.origin:
        parts += [Text(""), Text(f"Likely origin: {one.origin}" + _because(one.origin_reasons))]
    sections: list[tuple[str, list[str]]] = [
        ("Why it matters", list(one.reasons)),
        ("Services, in the order of spread", [_affected(one, number) for number in range(len(one.affected))]),
        ("Findings", [finding.why for finding in one.findings if finding.why]),
        ("Alerts", [f"{alert.source}: {alert.title} ({alert.status})" for alert in one.alerts]),
        ("Changes in the hour before", [_change(one, number) for number in range(len(one.changes))]),
        ("Failures", [f"{seen.count:>6}  {seen.text}" for seen in one.fingerprints]),
        ("New in it", [_new(one, failure) for failure in one.new_failures]),
        ("Lines", [f"{seen.count:>6}  {seen.text}" for seen in one.templates]),
        ("First seen", [f"{line.at:%H:%M:%S} {line.service}: {line.message}" for line in one.exemplars[:3]]),
    ]
    for title, lines in sections:
        if lines:
            parts += [Text(""), Text(title, style="bold")]
            parts += [Padding(Text(clean(line)), (0, 0, 0, 2)) for line in lines]
    return parts


def _new(one: Incident, failure: NewFailure) -> str:
    told = f"since {failure.first_at:%H:%M:%S}: {failure.count} × {failure.service}: {failure.sample or failure.text}"
    if failure.incident:
        return f"{told} (goes on in {failure.incident})"
    return f"{told} (hindcast incident split {one.id} --failure {failure.id})"


def _because(reasons: tuple[str, ...]) -> str:
    return f" ({'; '.join(reasons)})" if reasons else ""


def _affected(one: Incident, number: int) -> str:
    part = one.affected[number]
    after = int((part.onset_at - one.onset_at).total_seconds())
    usual = "what is usual is not known yet" if part.usual is None else f"usually {part.usual:.3g}"
    return f"{part.service}: {part.errors} errors, at worst {part.peak} ({usual}), +{max(after, 0)} s"


def _change(one: Incident, number: int) -> str:
    change = one.changes[number]
    return f"{change.at:%H:%M:%S} {change.kind} {change.service} {change.title} {change.ref} {change.actor}".strip()
