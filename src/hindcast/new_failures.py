"""Failures that begin in the midst of an incident: memory is asked about each, and whether it knows it as another one.

A second failure hides behind the first. Whoever watches tells of it and hands it over here; memory is asked as it was
before the incident, so that the incident cannot answer for itself. Asking takes longer than a look at the counts may,
so that this part only keeps what waits; whoever runs it has the thread.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hindcast.model.incident import Event, Incident, NewFailure
from hindcast.model.recollection import Familiarity
from hindcast.recollect import Answered

# Asks the memory of a space about a text with its services, as it was at a time.
Ask = Callable[[str, str, Sequence[str], datetime], Answered]
WAITING_MAX = 100
ASKED_KEPT_MAX = 10_000


@dataclass(frozen=True, slots=True)
class OtherFailure:
    """A failure of an incident that memory knows as another one than the incident."""

    space: str
    incident: str
    failure: int
    why: str


class NewFailures:
    """What is to be asked about failures that are new in an incident, and what memory said."""

    def __init__(self, ask: Ask, case_of: Callable[[str, str], str]) -> None:
        """`case_of` is the past incident that answers for one under way, by its id; empty where none does."""
        self._ask = ask
        self._case_of = case_of
        self._waiting: deque[tuple[Incident, NewFailure]] = deque(maxlen=WAITING_MAX)
        self._asked: OrderedDict[tuple[str, str, int], None] = OrderedDict()
        self._others: deque[OtherFailure] = deque(maxlen=WAITING_MAX)

    def hear(self, event: Event) -> None:
        """An incident may have new failures that nobody has asked about."""
        incident = event.incident
        for failure in incident.new_failures:
            key = (incident.space, incident.id, failure.id)
            if not failure.incident and not incident.state.is_over and key not in self._asked:
                self._asked[key] = None
                self._waiting.append((incident, failure))
        while len(self._asked) > ASKED_KEPT_MAX:
            self._asked.popitem(last=False)

    def work(self) -> int:
        """Ask about everything that waits; says how much that was."""
        asked = 0
        while self._waiting:
            incident, failure = self._waiting.popleft()
            asked += 1
            text = "\n".join(part for part in (failure.sample or failure.text, failure.stack) if part)
            said = self._ask(incident.space, text, (failure.service,), incident.onset_at).diagnosis
            is_another = said.familiarity is Familiarity.SEEN and said.case
            if is_another and said.case not in (incident.id, self._case_of(incident.space, incident.id)):
                why = f"memory knows it as cases/{said.case}"
                self._others.append(OtherFailure(incident.space, incident.id, failure.id, why))
        return asked

    def others(self) -> tuple[OtherFailure, ...]:
        """Those that memory knows as another failure, each once."""
        found = []
        while self._others:
            found.append(self._others.popleft())
        return tuple(found)
