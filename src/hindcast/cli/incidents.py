"""`hindcast incident`: what broke, what is known about it, and what people add. Reading needs no running Hindcast."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hindcast.cli import casepage, casework, deciding, judging
from hindcast.cli.options import At, Limit
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address

if TYPE_CHECKING:
    from hindcast.casebook import Kept
    from hindcast.model.case import Case
    from hindcast.model.incident import Incident
    from hindcast.register import Register

HELP = (
    "Incidents: what broke, since when, what was seen, what was tried, what ended it.\n\n"
    "Detection writes what it sees; you add what only people know. What you say here is what the next person gets "
    "when it happens again."
)
ROWS_MAX = 200

app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Id = Annotated[str, typer.Argument(metavar="ID", help="As `hindcast incident list` shows it.")]


@verb(app, "list", epilog="Example: hindcast incident list --days 90")
def list_incidents(
    session: Session,
    days: Annotated[int, typer.Option("--days", min=1, help="How far back to look.")] = 30,
    limit: Limit = ROWS_MAX,
) -> None:
    """List incidents and what is known about them, the newest first."""
    from hindcast.casebook.summaries import Wanted
    from hindcast.model.case import to_json as case_json
    from hindcast.model.incident import to_json

    wanted = Wanted(since=session.now() - timedelta(days=days))
    register, space = deciding.register(session), session.settings.space
    # The glances say which ones; only those that are shown are read whole.
    newest = list(islice(register.summaries(space).newest(wanted), limit))
    rows = [
        (_case(register, space, one.id) if one.case_version else None, _seen(register, space, one.id)) for one in newest
    ]
    if not rows and not session.as_json:
        session.hint(f"No incident in the last {days} days. `hindcast simulate --list` shows how to make one.")
    document = {
        "incidents": [to_json(incident) for _, incident in rows if incident is not None],
        "cases": [case_json(case) for case, _ in rows if case is not None],
    }
    session.answer(document, casepage.table(rows, session.now()))


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
    session.answer(casepage.document(kept, incident, gaps), _page(kept, incident, gaps))


def _case(register: Register, space: str, incident_id: str) -> Case | None:
    """The case of an incident; None where somebody wrote something else in its place."""
    from hindcast.casebook.layout import address_of, readable

    kept = readable(register.memory(space).now().find(address_of(incident_id)))
    return kept.case if kept is not None else None


def _seen(register: Register, space: str, incident_id: str) -> Incident | None:
    try:
        return register.find(space, incident_id)
    except Malformed:
        return None


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
    previous = (case.previous if case is not None else "") or (incident.previous if incident is not None else "")
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
        ("Lines", [f"{seen.count:>6}  {seen.text}" for seen in one.templates]),
        ("First seen", [f"{line.at:%H:%M:%S} {line.service}: {line.message}" for line in one.exemplars[:3]]),
    ]
    for title, lines in sections:
        if lines:
            parts += [Text(""), Text(title, style="bold")]
            parts += [Padding(Text(clean(line)), (0, 0, 0, 2)) for line in lines]
    return parts


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
