"""Briefings: what memory has to say about each incident under way, worked out before anybody opens its page.

An event that changes what is known of an incident asks for a briefing; so does a memory that has moved on, at a bounded
pace. Working one out takes longer than a look at the counts may, so this part only says which is due and works it out
when told to; whoever runs it has the thread. A briefing is kept in the process and nowhere else: what was answered
never becomes evidence, and after a restart it is worked out again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindcast.model.errors import HindcastError
from hindcast.model.incident import Event, EventKind, Incident
from hindcast.recollect import Answered

# What is decided about an incident that is over changes nothing in its answer.
CALLING = frozenset(
    {EventKind.OPENED, EventKind.CHANGED, EventKind.GREW, EventKind.CASCADE, EventKind.REOPENED, EventKind.AWAITING}
)


@dataclass(frozen=True, slots=True)
class BriefingLimits:
    """How many are kept, and how often one is worked out again."""

    # An answer with its recollection is some 100 kB.
    kept_max: int = 500
    # An incident's numbers change with every look; its answer seldom does.
    again_seconds_min: int = 2
    # Memory moved on: somebody learnt something, or another incident went a step further.
    refresh_seconds_min: int = 10
    # It could not be worked out: a store that is away, mostly.
    retry_seconds_min: int = 5


@dataclass(frozen=True, slots=True)
class Briefing:
    """What memory says about an incident, and as of when."""

    space: str
    incident: str
    # None: it could not be worked out so far, and `failure` says why.
    answered: Answered | None
    # The newest step of memory that it takes into account.
    step: int
    at: datetime
    # When it was last tried; later than `at` while memory cannot be asked.
    tried_at: datetime
    # Goes up whenever the answer says something else than before.
    revision: int = 1
    # Why the last attempt to work it out failed; an answer from before stays beside it.
    failure: str = ""
    # When there was an answer for the first time; None: there is none yet.
    first_at: datetime | None = None

    def age_seconds(self, now: datetime) -> float:
        """How long ago it was worked out."""
        return max((now - self.at).total_seconds(), 0.0)


Key = tuple[str, str]


class Briefings:
    """The briefings of all spaces. Several threads may use it: each step is one operation on one dictionary."""

    def __init__(
        self,
        ask: Callable[[str, str], Answered],
        step: Callable[[str], int],
        limits: BriefingLimits | None = None,
    ) -> None:
        """`ask` asks the memory of a space about an incident; `step` is the newest step of a space."""
        self._ask = ask
        self._step = step
        self.limits = limits or BriefingLimits()
        self._kept: OrderedDict[Key, Briefing] = OrderedDict()
        # Since when each is asked for, the longest first.
        self._wanted: dict[Key, datetime] = {}
        # Incidents that are not over: theirs are worked out again when memory moves on.
        self._under_way: dict[Key, None] = {}

    @property
    def count(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def hear(self, event: Event) -> None:
        """What happened to an incident may change what there is to say about it."""
        key = (event.incident.space, event.incident.id)
        if event.incident.state.is_over:
            self._under_way.pop(key, None)
            self._wanted.pop(key, None)
        elif event.kind in CALLING:
            self._under_way[key] = None
            self._wanted.setdefault(key, event.at)

    def take_up(self, incidents: Iterable[Incident], *, now: datetime) -> None:
        """Ask for the briefings of incidents that are not over, the newest first: a restart."""
        waiting = [one for one in incidents if not one.state.is_over]
        for incident in sorted(waiting, key=lambda one: one.opened_at, reverse=True)[: self.limits.kept_max]:
            self._under_way[incident.space, incident.id] = None
            self._wanted.setdefault((incident.space, incident.id), now)

    def due(self, now: datetime) -> Key | None:
        """The next incident that has no briefing at all: somebody may be waiting for it."""
        fresh = (key for key in list(self._wanted) if key not in self._kept)
        return next(fresh, None) or self._failed_before(now)

    def due_again(self, now: datetime) -> Key | None:
        """The next one to bring up to date: more is known of its incident, or memory has moved on since."""
        for key in list(self._wanted):
            kept = self._kept.get(key)
            if kept is not None and not kept.failure and _past(kept.tried_at, now, self.limits.again_seconds_min):
                return key
        return self._left_behind(now)

    def _failed_before(self, now: datetime) -> Key | None:
        for key in list(self._wanted):
            kept = self._kept.get(key)
            if kept is not None and kept.failure and _past(kept.tried_at, now, self.limits.retry_seconds_min):
                return key
        return None

    def _left_behind(self, now: datetime) -> Key | None:
        steps: dict[str, int] = {}
        for key in list(self._under_way):
            kept = self._kept.get(key)
            if kept is None or not _past(kept.tried_at, now, self.limits.refresh_seconds_min):
                continue
            space = key[0]
            if space not in steps:
                steps[space] = self._step(space)
            if kept.step != steps[space]:
                return key
        return None

    def wanted_since(self, key: Key) -> datetime | None:
        """Since when it is asked for, while it is."""
        return self._wanted.get(key)

    def work_out(self, space: str, incident: str, *, now: datetime) -> Briefing:
        """Work one out and keep it. A memory that cannot be asked gives a briefing that says so, and is asked again."""
        key = (space, incident)
        # Taken off first: what happens while this is worked out asks for another one.
        self._wanted.pop(key, None)
        before = self._kept.get(key)
        try:
            step = self._step(space)
            answered = self._ask(space, incident)
        except HindcastError as error:
            made = _failed(key, before, str(error), now)
            if key in self._under_way:
                self._wanted.setdefault(key, now)
        else:
            made = _made(key, before, answered, step, now)
        self._keep(key, made)
        return made

    def kept(self, space: str, incident: str) -> Briefing | None:
        """The one that is ready, if there is one."""
        return self._kept.get((space, incident))

    def case_of(self, space: str, incident: str) -> str:
        """The past incident that answers for one under way; empty while none does."""
        kept = self._kept.get((space, incident))
        return kept.answered.diagnosis.case or "" if kept is not None and kept.answered is not None else ""

    def of(self, space: str, incident: str, *, now: datetime) -> Briefing:
        """The one that is ready, or worked out now. Memory that has moved on since is read again, beside the caller.

        Raises what asking raises when nothing is known from before: Missing for an incident that does not exist.
        """
        key = (space, incident)
        kept = self._kept.get(key)
        if kept is None or kept.answered is None:
            step = self._step(space)
            kept = _made(key, kept, self._ask(space, incident), step, now)
            self._keep(key, kept)
        elif key not in self._wanted and kept.step != self._step(space):
            self._wanted[key] = now
        return kept

    def answered(self, space: str, incident: str, now: datetime) -> Answered:
        """What memory says about an incident: ready, or asked for now. Raises what asking raises."""
        answered = self.of(space, incident, now=now).answered
        assert answered is not None, "a briefing that is asked for has an answer, or raises"
        return answered

    def forget(self, space: str) -> None:
        """Keep nothing of a space: something was erased, and no answer may quote it any longer.

        Those of incidents under way are asked for anew.
        """
        for key in [key for key in list(self._kept) if key[0] == space]:
            kept = self._kept.pop(key, None)
            if kept is not None and key in self._under_way:
                self._wanted.setdefault(key, kept.at)

    def _keep(self, key: Key, made: Briefing) -> None:
        self._kept[key] = made
        self._kept.move_to_end(key)
        while len(self._kept) > self.limits.kept_max:
            self._kept.popitem(last=False)


def _past(at: datetime, now: datetime, seconds_min: int) -> bool:
    """Whether so much time lies between; a clock that was put back must not keep one waiting."""
    return abs(now - at) >= timedelta(seconds=seconds_min)


def _made(key: Key, before: Briefing | None, answered: Answered, step: int, now: datetime) -> Briefing:
    revision = before.revision if before is not None else 0
    if before is None or before.answered is None or not _says_the_same(before.answered, answered):
        revision += 1
    first_at = before.first_at if before is not None else None
    return Briefing(*key, answered, step, now, now, revision, first_at=first_at or now)


def _failed(key: Key, before: Briefing | None, why: str, now: datetime) -> Briefing:
    if before is None:
        return Briefing(*key, None, 0, now, now, 0, why)
    return replace(before, tried_at=now, failure=why)


def _says_the_same(one: Answered, other: Answered) -> bool:
    """Whether two answers differ in nothing but when they were asked for."""
    return replace(one.diagnosis, at=other.diagnosis.at) == other.diagnosis
