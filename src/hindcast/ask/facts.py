"""What everyday questions are answered from: the incidents of one moment at a glance, and one past incident whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from hindcast.ask.dates import Window
from hindcast.ask.events import Sentence
from hindcast.ask.everyday import ALWAYS
from hindcast.ask.wording import plain, quoted
from hindcast.casebook.layout import Kept
from hindcast.casebook.summaries import INCIDENT_NAMESPACE, Standing, Summary, Wanted
from hindcast.model.errors import Missing
from hindcast.model.incident import Incident
from hindcast.reason.wording import age, duration, listed
from hindcast.recall.reading import components, words_of_case
from hindcast.toolbox import Desk, ToolAnswer, call
from hindcast.toolbox.choosing import on_component
from hindcast.toolbox.naming import detected, known

COMMAND_CHARS_MAX = 160
# Which share of a topic's words a past incident has to hold, where only a search of words found it.
SHARED_MIN = 0.5


class Facts:
    """The incidents that stand for themselves at one moment."""

    def __init__(self, desk: Desk, at: str = "") -> None:
        self._desk = desk
        self._at = at
        self.now = _from(at, desk.now)
        self._rows = tuple(one for one in desk.table(at).newest(Wanted()) if one.state is not Standing.JOINED)
        self.services = frozenset(service.casefold() for one in self._rows for service in one.services)

    def is_known(self, name: str) -> bool:
        """Whether there is a service or a component of a name."""
        return name.casefold() in self.services or bool(self._on(name))

    def rows(
        self,
        name: str = "",
        window: Window = ALWAYS,
        states: Iterable[Standing] = (),
    ) -> list[Summary]:
        """The incidents of a service or a component, begun within a time, in any of some states; the newest first."""
        wanted, of = frozenset(states), self._ids(name) if name else None
        return [
            one
            for one in self._rows
            if (of is None or one.id in of)
            and (window.since is None or one.onset_at >= window.since)
            and (window.until is None or one.onset_at < window.until)
            and (not wanted or one.state in wanted)
        ]

    def case(self, name: str) -> Kept | None:
        """What is known of an incident; None where nobody has said anything or it is another space's."""
        try:
            return known(self._desk.view(self._at), name)
        except Missing:
            return None

    def seen(self, name: str) -> Incident | None:
        """What detection saw of an incident."""
        return detected(self._desk.view(self._at), name)

    def past(self, topic: str) -> tuple[Kept, str] | None:
        """The past incident that a few words mean, and how it was found; None where none fits them."""
        if self.is_known(topic) and (newest := self.rows(topic, states=(Standing.RESOLVED,))):
            kept = self.case(newest[0].id)
            return (kept, f"the newest of {plain(topic, 40)}") if kept is not None else None
        moment = {"at": self._at} if self._at else {}
        recalled = call("recall", {"text": topic, **moment}, self._desk)
        if recalled.data["incident"] and (kept := self.case(recalled.data["incident"])) is not None:
            return kept, recalled.data["familiarity"]
        words = frozenset(word for word in topic.lower().split() if len(word) > 2)
        for row in self.search(topic, 3, moment).data["incidents"]:
            kept = self.case(row["incident"])
            if kept is not None and _share(kept, words) >= SHARED_MIN:
                return kept, "found by its words"
        return None

    def holds(self, name: str, words: Iterable[str]) -> bool:
        """Whether an incident has every one of some words."""
        kept = self.case(name)
        return kept is not None and _share(kept, frozenset(words)) == 1

    def search(self, words: str, most: int, moment: dict[str, str] | None = None) -> ToolAnswer:
        """Incidents that have some of these words, the best first."""
        return call("search_incidents", {"words": words[:2_000], "count_max": most, **(moment or {})}, self._desk)

    def _ids(self, name: str) -> frozenset[str]:
        spelt = name.casefold()
        if spelt in self.services:
            return frozenset(one.id for one in self._rows if spelt in map(str.casefold, one.services))
        return self._on(name)

    def _on(self, name: str) -> frozenset[str]:
        # Only a name by itself: `redis evictions last year` is more than redis.
        spellings = components(name) if len(name.split()) == 1 else ()
        names = frozenset({name.casefold(), *spellings})
        return on_component(self._desk, self._desk.view(self._at), names)


def _from(at: str, now: datetime) -> datetime:
    try:
        then = datetime.fromisoformat(at)
    except ValueError:
        return now
    return min(then, now) if then.tzinfo is not None else now


def _share(kept: Kept, words: frozenset[str]) -> float:
    """Which share of some words an incident has."""
    text = words_of_case(kept.case).lower()
    return sum(word in text for word in words) / len(words) if words else 0.0


def ref_of(one: Summary) -> tuple[str, ...]:
    """What to cite for an incident at a glance."""
    if one.case_version:
        return (f"cases/{one.id}@{one.case_version}",)
    return (f"{INCIDENT_NAMESPACE}/{one.id}@{one.detection_version}",)


def row_told(one: Summary, now: datetime) -> Sentence:
    """An incident as a line of a list."""
    took = f", took {duration(one.minutes)}" if one.minutes is not None else ""
    where = f", {names_of(one.services)}" if one.services else ""
    state = "awaiting confirmation" if one.state is Standing.AWAITING else one.state.value
    return Sentence(f"{quoted(one.title, 120)}, {state}, {age(one.onset_at, now)}{where}{took}.", ref_of(one))


def names_of(names: Sequence[str]) -> str:
    """Names among our own words."""
    return listed([plain(name, 40) for name in names])
