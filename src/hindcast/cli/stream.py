"""Sends a simulated world to a running instance second by second, and listens for what that instance makes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from hindcast.cli.ingest import key_for, spoken_to
from hindcast.cli.rehearse import hear, tell_world
from hindcast.cli.timeline import SENDER, Timeline, clock
from hindcast.cli.verdict import Seen, close
from hindcast.model.errors import HindcastError, Unavailable
from hindcast.model.incident import Event, EventKind, Incident, IncidentState

if TYPE_CHECKING:
    from hindcast.adapters.otlp_sender import OtlpSender
    from hindcast.cli.session import Session
    from hindcast.simulate import Moment, World

# What was acknowledged is told this often.
REPORT_SECONDS = 30
BEHIND_SECONDS_MIN = 5
LISTEN_SECONDS = 2
LISTEN_TIMEOUT_SECONDS = 2.0
# An instance that does not answer this question so often in a row is not asked again.
UNHEARD_MAX = 5

_KINDS = {
    IncidentState.OPEN: EventKind.REOPENED,
    IncidentState.AWAITING: EventKind.AWAITING,
    IncidentState.CONFIRMED: EventKind.CONFIRMED,
    IncidentState.DISMISSED: EventKind.DISMISSED,
    IncidentState.JOINED: EventKind.JOINED,
}


@dataclass
class Sent:
    """What became of everything that was sent."""

    acknowledged: int = 0
    rejected: int = 0
    lost: int = 0
    retries: int = 0
    problem: str = ""
    by_path: dict[str, int] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """The counts as plain values."""
        return {
            "acknowledged": self.acknowledged,
            "rejected": self.rejected,
            "lost": self.lost,
            "retries": self.retries,
            "acknowledged_by_path": dict(self.by_path),
        }

    def __str__(self) -> str:
        lost = f", {self.lost:,} lost" if self.lost else ""
        rejected = f", {self.rejected:,} rejected ({self.problem})" if self.rejected else ""
        retried = f", {self.retries:,} retries" if self.retries else ""
        return f"{self.acknowledged:,} records acknowledged{rejected}{lost}{retried}"


def send(sender: OtlpSender, moment: Moment, sent: Sent) -> None:
    """Send a moment. The first request that is not taken ends it; what was not acknowledged is not counted."""
    from hindcast.simulate.otlp import exports

    for export in exports(moment):
        done = sender.send(export.path, export.body, content_type=export.content_type, records=export.records)
        sent.acknowledged += done.acknowledged
        sent.rejected += done.rejected
        sent.retries += done.attempts - 1
        sent.problem = done.problem or sent.problem
        sent.by_path[export.path] = sent.by_path.get(export.path, 0) + done.acknowledged


def stream(session: Session, world: World, seconds: int, to: str) -> bool:
    """Send the world as time passes, for so many seconds; whether it was interrupted."""
    from hindcast.adapters.otlp_sender import OtlpSender

    told = Timeline(session, world.starts_at)
    settings = session.settings
    sender = OtlpSender(to, space=settings.space, key=key_for(to, settings))
    listener = Listener(sender.where, spoken_to(sender.where, settings), world.starts_at)
    sent, seen = Sent(), Seen()
    try:
        for second in range(seconds):
            tell_world(told, world, second)
            over_at = world.starts_at + timedelta(seconds=second + 1)
            _wait(over_at)
            _send_or_tell(told, sender, world.step(over_at - timedelta(seconds=1)), sent)
            seen.seconds = second + 1
            if seen.seconds % LISTEN_SECONDS == 0:
                for event in listener.news(seen, now=session.now()):
                    hear(told, seen, event)
            if seen.seconds % REPORT_SECONDS == 0:
                told.say(over_at, SENDER, "sent", f"{sent}{_behind(over_at, session.now())}", **sent.told())
    except KeyboardInterrupt:
        seen.interrupted = True
    finally:
        sender.close()
        listener.close()
    document = {"seconds": seen.seconds, "to": sender.where, "space": settings.space, **sent.told()}
    close(told, world, seen, document, [("ran", clock(seen.seconds)), ("to", sender.where), ("sent", str(sent))])
    session.hint(f"See what it noticed: hindcast incident list --space {settings.space}")
    return seen.interrupted


def _send_or_tell(told: Timeline, sender: OtlpSender, moment: Moment, sent: Sent) -> None:
    """Send a moment. What fails before anything was taken is an error; later it is a part of the story."""
    before = sent.acknowledged + sent.rejected
    records = len(moment.lines) + len(moment.gauges) + len(moment.spans) + len(moment.changes)
    try:
        send(sender, moment, sent)
    except HindcastError as error:
        if not before and not sent.acknowledged:
            raise
        was_lost, sent.lost = sent.lost, sent.lost + records - (sent.acknowledged + sent.rejected - before)
        if not was_lost or not isinstance(error, Unavailable):
            told.say(moment.at, SENDER, "lost", f"{error.problem} It goes on trying.")


def _behind(over_at: datetime, now: datetime) -> str:
    """Whether the rate is more than the machine or the instance keeps up with."""
    seconds = (now - over_at).total_seconds()
    return f", {seconds:.0f} seconds behind" if seconds > BEHIND_SECONDS_MIN else ""


def _wait(until: datetime) -> None:
    left = (until - datetime.now(UTC)).total_seconds()
    if left > 0:
        time.sleep(left)


class Listener:
    """Asks an instance for its incidents. One that does not answer takes nothing from the story but this side of it."""

    def __init__(self, where: str, headers: Mapping[str, str], since: datetime) -> None:
        import httpx

        self._url = f"{where}/api/v1/incidents"
        self._params = {"since": since.isoformat()}
        self._since = since
        self._unheard = 0
        # An instance is asked directly, whatever proxy the environment names.
        self._client = httpx.Client(timeout=LISTEN_TIMEOUT_SECONDS, headers=headers, trust_env=False)

    def news(self, seen: Seen, *, now: datetime) -> Iterator[Event]:
        """What happened to incidents since the last time, oldest first."""
        for incident in sorted(self._incidents(), key=lambda one: one.opened_at):
            if incident.opened_at >= self._since:
                yield from _steps(seen.incidents.get(incident.id), incident, now)

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def _incidents(self) -> list[Incident]:
        import httpx

        if self._unheard >= UNHEARD_MAX:
            return []
        try:
            items = self._client.get(self._url, params=self._params).raise_for_status().json()["items"]
            found: list[Incident] | None = [one for item in items if (one := self._incident(item["id"])) is not None]
        except (httpx.HTTPError, ValueError, TypeError, KeyError, msgspec.ValidationError):
            found = None
        self._unheard = 0 if found is not None else self._unheard + 1
        return found or []

    def _incident(self, incident_id: str) -> Incident | None:
        """What the instance's detection says of one incident; None where only people know of it."""
        seen = self._client.get(f"{self._url}/{incident_id}").raise_for_status().json()["detection"]
        return msgspec.convert(seen, Incident, strict=False) if seen is not None else None


def _steps(before: Incident | None, incident: Incident, now: datetime) -> Iterator[Event]:
    """The events that lead from one telling of an incident to the next."""
    if before is None:
        yield Event(EventKind.OPENED, incident.opened_at, incident, incident.title)
    if incident.cascade and not (before is not None and before.cascade):
        yield Event(EventKind.CASCADE, now, incident, "; ".join(incident.origin_reasons))
    new = [one for one in incident.services if before is not None and one not in before.services]
    if new and not (incident.cascade and before is not None and not before.cascade):
        yield Event(EventKind.GREW, now, incident, f"{', '.join(new)} affected too")
    if before is not None and before.severity is not incident.severity:
        yield Event(EventKind.CHANGED, now, incident, f"now {incident.severity}, was {before.severity}")
    state = before.state if before is not None else IncidentState.OPEN
    if state is not incident.state:
        yield Event(_KINDS[incident.state], now, incident, _state(incident))


def _state(incident: Incident) -> str:
    if incident.state is not IncidentState.AWAITING or incident.quiet_since is None:
        return str(incident.state)
    return f"back to normal since {incident.quiet_since:%H:%M:%S}; awaiting confirmation"
