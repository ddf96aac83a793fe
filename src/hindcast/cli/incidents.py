"""`hindcast incidents`: what broke, since when, and what was seen of it. Reading needs no running Hindcast."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hindcast.cli.ingest import address
from hindcast.cli.session import Session, verb
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale, Unavailable

if TYPE_CHECKING:
    from hindcast.model.incident import Incident
    from hindcast.register import Register

app = typer.Typer(
    no_args_is_help=True, help="Incidents: what broke, since when, what was seen, and whether it is over."
)

_STYLES = {"open": "bold red", "awaiting": "yellow", "confirmed": "green"}
_SEVERITIES = {"critical": "bold red", "major": "red", "minor": "yellow"}
# What the other side's refusal means here, by HTTP status.
_REFUSALS: dict[int, type[HindcastError]] = {400: Malformed, 422: Malformed, 404: Missing, 409: Stale, 403: Refused}
TIMEOUT_SECONDS = 10

To = Annotated[str, typer.Option("--to", metavar="URL", help="Where Hindcast listens.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="As `hindcast incidents list` shows it.")]


def _register(session: Session) -> Register:
    from hindcast.register import Register

    return Register(lambda _: session.memory(create=True))


@verb(app, "list")
def list_incidents(
    session: Session,
    days: Annotated[int, typer.Option("--days", min=1, help="How far back to look.")] = 30,
) -> None:
    """List incidents, the newest first."""
    from hindcast.model.incident import to_json

    since = session.now() - timedelta(days=days)
    found = _register(session).incidents(session.settings.space, since=since)
    if not found and not session.as_json:
        session.hint(f"No incident in the last {days} days. `hindcast simulate --list` shows how to make one.")
    session.answer({"incidents": [to_json(one) for one in found]}, _table(found, session.now()))


@verb(app, "show")
def show(session: Session, incident_id: Id) -> None:
    """Show one incident with its evidence: services, findings, templates, lines, changes before it."""
    from hindcast.model.incident import to_json

    found = _register(session).incident(session.settings.space, incident_id)
    session.answer(to_json(found), _page(found))


@verb(app, "confirm", writes=True)
def confirm(session: Session, incident_id: Id, to: To = "") -> None:
    """Say that an incident is over."""
    _decide(session, "confirm", incident_id, to)


@verb(app, "dismiss", writes=True)
def dismiss(session: Session, incident_id: Id, to: To = "") -> None:
    """Say that it was none: what its services do now counts as usual."""
    _decide(session, "dismiss", incident_id, to)


@verb(app, "reopen", writes=True)
def reopen(session: Session, incident_id: Id, to: To = "") -> None:
    """Say that an incident is not over after all."""
    _decide(session, "reopen", incident_id, to)


def _decide(session: Session, decision: str, incident_id: str, to: str) -> None:
    import httpx

    url = to or address(session.settings)
    try:
        answer = httpx.post(
            f"{url.rstrip('/')}/api/v1/incidents/{incident_id}/decision",
            json={"verb": decision, "by": session.who},
            headers={"X-Hindcast-Space": session.settings.space},
            timeout=TIMEOUT_SECONDS,
            trust_env=False,
        )
    except httpx.HTTPError as error:
        raise Unavailable(
            f"Nothing at {url} answers: {error or type(error).__name__}.",
            field="to",
            remedy="Start one with `hindcast serve`: whoever watches has to know of the decision.",
        ) from error
    told = answer.json() if "json" in answer.headers.get("Content-Type", "") else {}
    if not answer.is_success:
        kind = _REFUSALS.get(answer.status_code, Unavailable)
        raise kind(str(told.get("error", answer.text)), remedy="See `hindcast incidents list`.")
    session.answer(told, Text(f"{told['id']} is {told['state']}."))


def _table(incidents: tuple[Incident, ...], now: datetime) -> Table:
    table = Table(
        "incident", "state", "severity", "began", "lasted", "what", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for one in incidents:
        end = one.closed_at or one.quiet_since or now
        table.add_row(
            one.id,
            Text(one.state, style=_STYLES.get(one.state, "dim")),
            Text(one.severity, style=_SEVERITIES.get(one.severity, "")),
            f"{one.onset_at:%Y-%m-%d %H:%M:%S}",
            _duration(end - one.onset_at),
            one.title,
        )
    return table


def _duration(length: timedelta) -> str:
    seconds = max(int(length.total_seconds()), 0)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{seconds} s"


def _page(one: Incident) -> Group:
    parts: list[RenderableType] = [
        Text(one.title, style="bold"),
        Text(f"{one.id}   {one.state}   {one.severity}   since {one.onset_at:%Y-%m-%d %H:%M:%S} UTC", style="dim"),
    ]
    if one.origin:
        parts.append(Text(f"Likely origin: {one.origin}" + _because(one.origin_reasons)))
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
            parts += [Padding(Text(line), (0, 0, 0, 2)) for line in lines]
    if one.previous:
        parts += [Text(""), Text(f"It happened before: {one.previous}")]
    return Group(*parts)


def _because(reasons: tuple[str, ...]) -> str:
    return f" ({'; '.join(reasons)})" if reasons else ""


def _affected(one: Incident, number: int) -> str:
    part = one.affected[number]
    after = int((part.onset_at - one.onset_at).total_seconds())
    usual = "no history yet" if part.usual is None else f"usually {part.usual:.3g}"
    return f"{part.service}: {part.errors} errors, at worst {part.peak} ({usual}), +{max(after, 0)} s"


def _change(one: Incident, number: int) -> str:
    change = one.changes[number]
    return f"{change.at:%H:%M:%S} {change.kind} {change.service} {change.title} {change.ref} {change.actor}".strip()
