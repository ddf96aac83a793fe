"""Failures: what the errors of a service are, by their fingerprints, and whether an incident is about them.

Counts say how many errors there are and not of which kind. Where it matters, whoever reads the telemetry is asked for
the kinds (`Look`): trouble may only go on in an incident whose failures it shares, and a failure that begins in the
midst of another one is told of. Where nobody can say, a service's trouble counts as the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hindcast.detect.rules import Rules
from hindcast.detect.trouble import Trouble, moment
from hindcast.model.incident import Incident, NewFailure, Sighting

# The failures of a service of a space in a time, the commonest first.
Look = Callable[[str, str, datetime, datetime], Sequence[Sighting]]
Key = tuple[str, str]

# A look is a query; a failure that is told of some seconds later is told of soon enough.
LOOK_EVERY_SECONDS = 5
# What a service shows that long after its trouble began belongs to how it began.
SETTLED_SECONDS = 60
# So large a part of the errors has to be of failures that are known for both to be the same trouble. Below it lies the
# noise that every outage of a service has in common.
ALIKE_SHARE_MIN = 0.25
# What began so shortly after it in the same service is the same failure, in other words.
TOGETHER = timedelta(seconds=30)
# Two texts with that part of their words in common are one: a template that was mined anew has another number.
ALIKE_WORDS_MIN = 0.6
FAILURES_KEPT_MAX = 200
NEW_FAILURES_MAX = 20

_WORD = re.compile(r"[^\W\d_]{2,}")


def look_nowhere(_space: str, _service: str, _since: datetime, _until: datetime) -> Sequence[Sighting]:
    """Nobody can say what the errors are."""
    return ()


class Failures:
    """The failures that each incident under way is about."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[Key, dict[int, Sighting]] = {}
        self._looked: dict[Key, int] = {}
        self.look: Look = look_nowhere

    def restore(self, incident: Incident) -> None:
        """Know the failures of an incident from before a restart."""
        found = (one for one in incident.fingerprints if one.id not in _new_ids(incident))
        self._known[incident.space, incident.id] = {one.id: one for one in found}

    def forget(self, key: Key) -> None:
        """An incident is gone."""
        self._known.pop(key, None)
        self._looked.pop(key, None)

    def are_of(self, incident: Incident, service: str, since: datetime, now: datetime) -> bool:
        """Whether what a service shows since a time is what an incident is about, as far as anybody can say."""
        known = self._known.get((incident.space, incident.id), {})
        seen = self.look(incident.space, service, since, now)
        if not seen or not known:
            return not incident.failures
        alike = sum(one.count for one in seen if _is_known(one, known))
        return alike >= ALIKE_SHARE_MIN * sum(one.count for one in seen)

    def unlike(self, key: Key, service: str, since: datetime, now: datetime) -> list[Sighting]:
        """Failures of a service that an incident is not about, if they are above the line together."""
        known = self._known.get(key, {})
        found = [one for one in self.look(key[0], service, since, now) if not _is_known(one, known)]
        return found if known and sum(one.count for one in found) >= self._rules.errors_min else []

    def leading(self, incident: Incident) -> Sighting | None:
        """The commonest failure where an incident began."""
        mine = [one for one in self._of(incident) if one.service in ("", incident.origin)]
        return max(mine, key=lambda one: one.count, default=None)

    def _of(self, incident: Incident) -> Iterable[Sighting]:
        return self._known.get((incident.space, incident.id), {}).values()

    def follow(self, incident: Incident, mine: Iterable[Trouble], now: datetime) -> Incident:
        """The incident with the failures that are new in it; now and then, as a look costs a query."""
        key, second = (incident.space, incident.id), int(now.timestamp())
        if incident.failures or second - self._looked.get(key, 0) < LOOK_EVERY_SECONDS:
            return incident
        is_first = key not in self._looked
        self._looked[key] = second
        new = {one.id: one for one in incident.new_failures}
        begun = {one.service: one.onset_at for one in incident.affected}
        for trouble in mine:
            service = trouble.name[1]
            if service and not trouble.is_silent and not trouble.is_over:
                # After a restart, what is there at the first look was there before.
                settled = now if is_first else begun.get(service, now) + timedelta(seconds=SETTLED_SECONDS)
                self._take_in(key, trouble, settled, new, now)
        kept = tuple(sorted(new.values(), key=lambda one: (one.first_at, one.id)))[:NEW_FAILURES_MAX]
        return replace(incident, new_failures=kept)

    def _take_in(
        self, key: Key, trouble: Trouble, settled: datetime, new: dict[int, NewFailure], now: datetime
    ) -> None:
        known, (space, service) = self._known.setdefault(key, {}), trouble.name
        since = max(moment(trouble.onset), now - timedelta(seconds=self._rules.window_seconds))
        mine = {one.id: one for one in new.values() if one.service == service}
        taken = {number for one in mine.values() for number in one.ids}
        others: list[Sighting] = []
        for seen in self.look(space, service, since, now):
            if seen.id in taken:
                continue
            if seen.first_at <= settled or _is_known(seen, known):
                most = max(seen.count, known[seen.id].count if seen.id in known else 0)
                if seen.id in known or len(known) < FAILURES_KEPT_MAX:
                    known[seen.id] = replace(seen, service=service, count=most)
                continue
            leader = next((one for one in mine.values() if abs(seen.first_at - one.first_at) <= TOGETHER), None)
            if leader is None:
                others.append(seen)
            else:
                mine[leader.id] = replace(leader, also=(*leader.also, seen.id))
        if others and sum(one.count for one in others) >= self._line(service):
            first = others[0]
            also = tuple(one.id for one in others[1:])
            began = min(one.first_at for one in others)
            mine[first.id] = NewFailure(first.id, service, first.text, 0, began, also=also)
        for one in mine.values():
            total = sum(seen.count for seen in self.look(space, service, one.first_at, now) if seen.id in one.ids)
            new[one.id] = replace(one, count=max(one.count, total))

    def _line(self, service: str) -> int:
        own = self._rules.services.get(service)
        return own.errors_min if own is not None else min(self._rules.new_failure_errors_min, self._rules.errors_min)

    def hand_over(self, failure: NewFailure, to: Incident) -> None:
        """A failure goes on in an incident of its own."""
        seen = Sighting(failure.id, failure.text, failure.count, failure.first_at, failure.service)
        self._known[to.space, to.id] = {number: replace(seen, id=number) for number in failure.ids}


def _new_ids(incident: Incident) -> set[int]:
    return {number for one in incident.new_failures for number in one.ids}


def _is_known(seen: Sighting, known: Mapping[int, Sighting]) -> bool:
    return seen.id in known or any(_read_alike(seen.text, one.text) for one in known.values())


def _read_alike(one: str, other: str) -> bool:
    first, second = (set(_WORD.findall(text.casefold())) for text in (one, other))
    return bool(first) and len(first & second) >= ALIKE_WORDS_MIN * len(first | second)
