"""Questions to memory and their answers: filters, pages, searches, hits with the trace of how they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hindcast.model.record import Record


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records count. Everything left at None lets everything through."""

    namespace: str | None = None
    # A path and all below it: preferences.ui holds preferences.ui and preferences.ui.theme, not preferences.uix.
    prefix: str | None = None
    kind: str | None = None
    actor: str | None = None
    # The two clocks; each range holds its beginning and not its end.
    occurred_since: datetime | None = None
    occurred_until: datetime | None = None
    learned_since: datetime | None = None
    learned_until: datetime | None = None


EVERYTHING = Filter()


@dataclass(frozen=True, slots=True)
class Page:
    """Some records in address order. `next` continues where this one ends; None means that nothing is left."""

    records: tuple[Record, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Query:
    """A search: by words, by meaning (when an embedder is there), or both, within a filter."""

    text: str
    filter: Filter = EVERYTHING
    hits_max: int = 10
    # None: words and meaning, as far as this memory has them. Otherwise "words", "meaning", "keys", "tokens".
    arms: tuple[str, ...] | None = None
    # What the arm of keys looks for: whole values out of a body's list `keys`, as in `fp:91ab…`; the rarer, the better.
    keys: tuple[str, ...] = ()
    # Whether every arm scores what any arm found, not only its own best: a ranker compares them all.
    scored_by_all: bool = False
    # Whether one look has to do: by meaning it is nearly always right, and of very many that words or keys find equally
    # good it finds some, which need not be the newest. Which words matched is then not told.
    one_look: bool = False
    # How long the arm of tokens may look, in milliseconds; what it has not reached by then stays unscored.
    tokens_ms_max: float = 60.0


@dataclass(frozen=True, slots=True)
class Rank:
    """What one arm thought of one version: its place (1 is best) and its score on the arm's own scale."""

    place: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that answers, with each arm's opinion and the query's words found in it."""

    record: Record
    score: float
    ranks: Mapping[str, Rank]
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and what it could not look at."""

    hits: tuple[Hit, ...]
    arms: tuple[str, ...]
    # Visible versions whose meaning is not indexed yet. They can be found by their words.
    unembedded: int = 0
    # Why an arm that was asked for took no part.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """A version that may answer, before anybody has read it: what all arms and what each of them thought of it."""

    version: int
    score: float
    ranks: Mapping[str, Rank]


@dataclass(frozen=True, slots=True)
class Looked:
    """What a search came upon, the best first, for whoever chooses what to read of it."""

    sights: tuple[Sight, ...]
    arms: tuple[str, ...]
    # The words of the question, each by the form in which it was looked for.
    words: Mapping[str, str] = field(default_factory=dict)
    # As in what is found.
    unembedded: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """What an index found for one query: for each arm the versions, best first, with scores."""

    by_arm: Mapping[str, tuple[tuple[int, float], ...]]
    # The words of the question, each by the form in which it was looked for.
    words: Mapping[str, str] = field(default_factory=dict)
    unembedded: int = 0
    notes: tuple[str, ...] = field(default=())
