"""What goes together in time, counted: services, errors and changes that turn up in the same incidents or minutes.

An occasion is whatever things can share: an incident, or a minute of trouble. Two things go together when they share
occasions more often than chance would have it (lift above one). Going together is no cause, and fewer than a handful of
shared occasions say nothing, so those are counted and not told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from statistics import median

# Two shared occasions happen by chance in any long list; three rarely do.
TOGETHER_MIN = 3
# Below this two things meet about as often as strangers would.
LIFT_MIN = 1.2
PAIRS_MAX = 200


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something that things can share, and what was part of it. A thing is a kind and a name: ("service", "auth")."""

    ref: str
    things: frozenset[tuple[str, str]]
    # When each thing first showed, where that is known.
    first_at: Mapping[tuple[str, str], datetime]


@dataclass(frozen=True, slots=True)
class Together:
    """Two things that share occasions more often than chance would have it."""

    one: tuple[str, str]
    other: tuple[str, str]
    together: int
    one_count: int
    other_count: int
    occasions: int
    # How many times more often than if they had nothing to do with each other.
    lift: float
    # How many seconds `other` shows after `one`, in the middle; below 0: before. None where that is not known.
    seconds_later: float | None
    evidence: tuple[str, ...]


def together(
    occasions: Sequence[Occasion],
    *,
    about: frozenset[tuple[str, str]] = frozenset(),
    together_min: int = TOGETHER_MIN,
) -> tuple[Together, ...]:
    """Pairs that go together, the surest first. With `about`, only pairs that have one of these things in them."""
    counts: Counter[tuple[str, str]] = Counter()
    pairs: dict[tuple[tuple[str, str], tuple[str, str]], list[Occasion]] = {}
    for occasion in occasions:
        counts.update(occasion.things)
        for pair in combinations(sorted(occasion.things), 2):
            if not about or about & set(pair):
                pairs.setdefault(pair, []).append(occasion)
    found = [
        _pair(pair, shared, counts, len(occasions)) for pair, shared in pairs.items() if len(shared) >= together_min
    ]
    telling = [one for one in found if one.lift >= LIFT_MIN]
    telling.sort(key=lambda one: (-one.together * (one.lift - 1), one.one, one.other))
    return tuple(telling[:PAIRS_MAX])


def _pair(
    pair: tuple[tuple[str, str], tuple[str, str]],
    shared: Sequence[Occasion],
    counts: Mapping[tuple[str, str], int],
    occasions: int,
) -> Together:
    one, other = pair
    later = [
        (occasion.first_at[other] - occasion.first_at[one]).total_seconds()
        for occasion in shared
        if one in occasion.first_at and other in occasion.first_at
    ]
    seconds = median(later) if later else None
    if seconds is not None and seconds < 0:
        # Whatever shows first is told first.
        one, other, seconds = other, one, -seconds
    lift = len(shared) * occasions / (counts[one] * counts[other])
    return Together(
        one,
        other,
        len(shared),
        counts[one],
        counts[other],
        occasions,
        round(lift, 3),
        seconds,
        tuple(occasion.ref for occasion in reversed(shared)),
    )


@dataclass(frozen=True, slots=True)
class Followed:
    """A kind of change that is followed by trouble of a service more often than any other time is."""

    change: str
    service: str
    times: int
    of: int
    # How many times more often than at a moment chosen at random.
    lift: float


def followed(
    changes: Iterable[tuple[datetime, str]],
    troubles: Mapping[str, Sequence[datetime]],
    *,
    since: datetime,
    until: datetime,
    within: timedelta,
    times_min: int = TOGETHER_MIN,
) -> tuple[Followed, ...]:
    """Changes that are followed by trouble within a time, the surest first. Troubles are given by service."""
    by_name: dict[str, list[datetime]] = {}
    for at, name in changes:
        by_name.setdefault(name, []).append(at)
    found = []
    for service, times in troubles.items():
        usual = _covered(times, since=since, until=until, within=within)
        for name, moments in by_name.items():
            after = sum(any(at <= time < at + within for time in times) for at in moments)
            lift = after / len(moments) / usual if usual else 0.0
            if after >= times_min and lift >= LIFT_MIN:
                found.append(Followed(name, service, after, len(moments), round(lift, 3)))
    return tuple(sorted(found, key=lambda one: (-one.times * (one.lift - 1), one.change, one.service)))


def _covered(times: Sequence[datetime], *, since: datetime, until: datetime, within: timedelta) -> float:
    """The share of a span from which some trouble lies within reach."""
    covered, reached = timedelta(0), since
    for time in sorted(times):
        start = max(time - within, reached)
        end = min(time, until)
        if end > start:
            covered, reached = covered + (end - start), end
    return covered / (until - since) if until > since else 0.0


def troubled(
    counts: Mapping[str, Mapping[datetime, int]], *, times_usual: float = 4.0, errors_min: int = 5
) -> dict[str, tuple[datetime, ...]]:
    """The steps in which each service had far more errors than usual, from its errors in every step."""
    found: dict[str, tuple[datetime, ...]] = {}
    for service, by_step in counts.items():
        usual = median(by_step.values()) if by_step else 0.0
        line = max(times_usual * usual, float(errors_min))
        steps = tuple(step for step, count in sorted(by_step.items()) if count >= line)
        if steps:
            found[service] = steps
    return found
