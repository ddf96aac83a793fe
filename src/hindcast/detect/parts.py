"""Parts: failures that were split off and go on in an incident of their own, beside other errors of the same service.

Counts know services only, so a part is followed by looks: how many errors of its fingerprint there are, and how many of
the service's errors are left to whatever else goes on in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindcast.detect.counts import Name
from hindcast.detect.failures import LOOK_EVERY_SECONDS, Look
from hindcast.detect.mutes import Mute, Waved
from hindcast.detect.spike import STILL_EXCESS_MIN, STILL_SECONDS
from hindcast.detect.trouble import Trouble, Troubles, moment
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Incident, NewFailure


@dataclass(slots=True)
class Part:
    """One failure with an incident of its own."""

    failures: frozenset[int]
    trouble: Trouble
    looked: int = 0
    # The last second in which the service was seen to have other errors.
    others_last: int = 0
    # Once somebody has called it over while it goes on.
    waved: Waved | None = None


class Parts:
    """Every failure that was split off and is not over, by its incident."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str], Part] = {}

    def of(self, space: str, incident: str) -> list[Trouble]:
        """The trouble of an incident that was split off."""
        part = self._parts.get((space, incident))
        return [part.trouble] if part is not None else []

    def has(self, name: Name) -> bool:
        """Whether something of a service was split off."""
        return any(part.trouble.name == name for part in self._parts.values())

    def begin(self, failure: NewFailure, trigger: Finding, incident: Incident, now: datetime) -> None:
        """A failure goes on in an incident of its own."""
        name, onset, second = (incident.space, failure.service), int(failure.first_at.timestamp()), int(now.timestamp())
        trouble = Trouble(name, Rule.FIXED, onset, second, second, errors=failure.count, peak=failure.count)
        trouble.findings, trouble.incident, trouble.is_known = {Rule.FIXED: trigger}, incident.id, False
        self._parts[incident.space, incident.id] = Part(failure.ids, trouble, others_last=second)

    def restore(self, incident: Incident) -> None:
        """Go on with what was split off before a restart."""
        for one in incident.affected:
            onset, last = (int(at.timestamp()) for at in (one.onset_at, one.last_trouble_at))
            trouble = Trouble((incident.space, one.service), Rule.FIXED, onset, onset, last, errors=one.errors)
            trouble.peak, trouble.incident, trouble.is_known = one.peak, incident.id, False
            trouble.findings = {Rule.FIXED: incident.trigger}
            self._parts[incident.space, incident.id] = Part(frozenset(incident.failures), trouble, others_last=last)

    def widen(self, space: str, failure: NewFailure) -> None:
        """A failure that was split off shows in more ways than it did."""
        part = self._parts.get((space, failure.incident))
        if part is not None:
            part.failures |= failure.ids

    def end(self, space: str, incident: str) -> None:
        """What was split off is over, or all of its service goes on in its incident."""
        self._parts.pop((space, incident), None)

    def finish(self, space: str, incident: str, troubles: Troubles) -> None:
        """What was split off is over. Its errors stay its own, whatever else goes on in its service."""
        part = self._parts.pop((space, incident), None)
        trouble = troubles.by_name.get(part.trouble.name) if part is not None else None
        if part is not None and trouble is not None and trouble.incident != incident:
            trouble.errors_elsewhere += part.trouble.errors

    def wave_aside(self, space: str, incident: str, *, at: int, seconds: int) -> None:
        """Somebody has called it over while it goes on: it is muted, and its errors are nobody else's."""
        part = self._parts[space, incident]
        part.waved = Waved(at, at + seconds, incident, part.trouble.errors)

    def mutes(self) -> Iterator[Mute]:
        """Those that are muted, as they stand."""
        for part in self._parts.values():
            if part.waved is not None:
                waved, errors = part.waved, part.trouble.errors - part.waved.errors_before
                yield Mute(*part.trouble.name, moment(waved.since), moment(waved.until), waved.incident, errors)

    def listen(self, troubles: Troubles, now: datetime) -> Iterator[tuple[Trouble, Waved, int]]:
        """End the mutes whose time is up or whose failure is over: each that goes on, and its errors meanwhile."""
        for key, part in list(self._parts.items()):
            waved = part.waved
            if waved is None or (not part.trouble.is_over and now.timestamp() < waved.until):
                continue
            self.finish(*key, troubles)
            if not part.trouble.is_over:
                yield part.trouble, waved, part.trouble.errors - waved.errors_before

    def follow(self, troubles: Troubles, look: Look, now: datetime) -> None:
        """Look at each part again, and leave to its service's trouble what is not of a part."""
        for part in self._parts.values():
            if int(now.timestamp()) - part.looked >= LOOK_EVERY_SECONDS:
                self._look(part, look, now)
        for name in {part.trouble.name for part in self._parts.values()}:
            trouble = troubles.by_name.get(name)
            if trouble is not None and not trouble.is_silent:
                _without(trouble, [part for part in self._parts.values() if part.trouble.name == name], now)

    def _look(self, part: Part, look: Look, now: datetime) -> None:
        trouble, second = part.trouble, int(now.timestamp())
        part.looked = second
        space, service = trouble.name
        split_off = {
            number for one in self._parts.values() if one.trouble.name == trouble.name for number in one.failures
        }
        errors = sum(one.count for one in look(space, service, moment(trouble.onset), now) if one.id in part.failures)
        lately = look(space, service, now - timedelta(seconds=STILL_SECONDS), now)
        if errors > trouble.errors:
            trouble.errors, trouble.last = errors, second
        trouble.peak = max(trouble.peak, sum(one.count for one in lately if one.id in part.failures))
        trouble.is_over = second - trouble.last >= STILL_SECONDS
        if sum(one.count for one in lately if one.id not in split_off) > STILL_EXCESS_MIN:
            part.others_last = second


def _without(trouble: Trouble, parts: Sequence[Part], now: datetime) -> None:
    """A service's trouble as it is without the parts that have incidents of their own."""
    others_last = max(part.others_last for part in parts)
    trouble.errors = max(trouble.errors - sum(part.trouble.errors for part in parts), 0)
    if not trouble.is_over and int(now.timestamp()) - others_last >= STILL_SECONDS:
        trouble.is_over, trouble.last = True, min(trouble.last, others_last)
