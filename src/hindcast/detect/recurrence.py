"""Whether an incident is an earlier one again: most of what failed is the same, on both sides.

The same service is no likeness: whatever stands in front of everything has part in every failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from hindcast.model.incident import Incident, IncidentState

# Of the counted errors of either incident at least so many are failures that the other one has, too.
SHARED_MIN = 0.5
# Only what was over by then can come back.
OVER = (IncidentState.AWAITING, IncidentState.CONFIRMED)


def likeness(one: Incident, other: Incident) -> float:
    """How much of what was counted is the same failure: the smaller share of the two."""
    mine, theirs = _counts(one), _counts(other)
    shared = mine.keys() & theirs.keys()
    if not shared:
        return 0.0
    return min(sum(of[number] for number in shared) / sum(of.values()) for of in (mine, theirs))


def latest_like(incident: Incident, earlier: Iterable[Incident], *, within: timedelta) -> str | None:
    """The id of the latest earlier incident that this one most likely repeats."""
    best: tuple[datetime, str] | None = None
    for other in earlier:
        ended_at = other.closed_at or other.last_trouble_at
        is_past = other.state in OVER and other.onset_at < incident.onset_at
        if not is_past or other.id == incident.id or other.space != incident.space:
            continue
        if incident.onset_at - ended_at > within or (best is not None and ended_at <= best[0]):
            continue
        if likeness(incident, other) >= SHARED_MIN:
            best = ended_at, other.id
    return best[1] if best is not None else None


def _counts(incident: Incident) -> dict[int, int]:
    found: dict[int, int] = {}
    for seen in incident.fingerprints:
        if seen.id:
            found[seen.id] = found.get(seen.id, 0) + max(seen.count, 1)
    return found
