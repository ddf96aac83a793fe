"""What other systems have told: each alert once, however often it is repeated, doubled or read again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from hindcast.model.errors import Malformed
from hindcast.model.incident import Incident
from hindcast.model.signal import Alert, Status

# Alerts whose last telling is kept. The oldest resolved ones go first.
ALERTS_KEPT_MAX = 20_000

# One alert of one system in one space.
AlertKey = tuple[str, str, str]


class Told:
    """The last telling of every alert, and which incident it went to."""

    def __init__(self) -> None:
        self._last: dict[AlertKey, Alert] = {}
        self._incident: dict[AlertKey, str] = {}

    def news(self, alerts: Iterable[tuple[str, Alert]]) -> list[tuple[str, Alert]]:
        """The alerts that say something new, in the order given."""
        found = []
        for space, alert in alerts:
            if alert.started_at.tzinfo is None:
                raise Malformed(
                    f"The alert {alert.key!r} began at a time without a timezone.",
                    field="started_at",
                    remedy="Give times with their timezone.",
                )
            last = self._last.get((space, alert.source, alert.key))
            if last == alert or (last is not None and _is_stale(alert, last)):
                continue
            self._keep((space, alert.source, alert.key), alert)
            found.append((space, alert))
        return found

    def incident(self, space: str, alert: Alert) -> str | None:
        """The incident that an earlier telling of the alert went to."""
        return self._incident.get((space, alert.source, alert.key))

    def went_to(self, space: str, alert: Alert, incident: str) -> None:
        """Remember where an alert belongs."""
        self._incident[space, alert.source, alert.key] = incident

    def restore(self, incident: Incident) -> None:
        """Know the alerts of an incident from before a restart."""
        for alert in incident.alerts:
            key = (incident.space, alert.source, alert.key)
            known = self._last.get(key)
            if known is None or known.started_at <= alert.started_at:
                self._keep(key, alert)
                self._incident[key] = incident.id

    def _keep(self, key: AlertKey, alert: Alert) -> None:
        self._last.pop(key, None)
        self._last[key] = alert
        if len(self._last) > ALERTS_KEPT_MAX:
            resolved = (one for one, last in self._last.items() if last.status is Status.RESOLVED)
            oldest = next(resolved, None) or next(iter(self._last))
            del self._last[oldest]
            self._incident.pop(oldest, None)


def _is_stale(alert: Alert, last: Alert) -> bool:
    """Whether a telling came late: the same bout is already known to be resolved, or a later bout is known."""
    if alert.started_at < last.started_at:
        return alert.status is not Status.RESOLVED or last.status is Status.RESOLVED or _ends_before(alert, last)
    return (
        alert.started_at == last.started_at and last.status is Status.RESOLVED and alert.status is not Status.RESOLVED
    )


def _ends_before(alert: Alert, last: Alert) -> bool:
    ended: datetime | None = alert.ended_at
    return ended is not None and ended <= last.started_at
