"""What worked how often: everything that was tried over many incidents, the same deed counted together.

Unlike an answer about one failure (`avoid`), this counts over incidents that have a service or a component in common
and may be different failures. So it says how often something went well there, never that it is the fix for this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from hindcast.model.action import action_key
from hindcast.model.case import Case, CaseState, Outcome
from hindcast.model.recollection import Familiarity, Remembered
from hindcast.reason.pool import Member, Standing
from hindcast.reason.shares import share
from hindcast.reason.tries import Try, same, tries_of

# Deeds are compared in pairs; the newest incidents say most about the system as it is.
CASES_MAX = 200
# From this share of the longer telling's words on, two tellings are of one deed and not of one among others.
ALIKE_MIN = 1 / 3


@dataclass(frozen=True, slots=True)
class Tendency:
    """One deed, over all incidents in which it was done, with what came of it."""

    action: str
    worked: int
    no_effect: int
    made_worse: int
    unknown: int
    # The share of times it worked, and where it lies eight times in ten.
    share: float
    share_min: float
    share_max: float
    evidence: tuple[str, ...]
    last_at: datetime
    # How long the incidents took that it ended, in the middle; None where nobody knows.
    minutes: float | None = None

    @property
    def tried(self) -> int:
        """How often its outcome is known."""
        return self.worked + self.no_effect + self.made_worse


@dataclass(frozen=True, slots=True)
class Patterns:
    """How incidents of one kind went."""

    incidents: int
    resolved: int
    # How long they took, in the middle and at the ninth of ten; None where nobody knows.
    minutes: float | None
    minutes_long: float | None
    # What worked most surely first.
    tendencies: tuple[Tendency, ...]
    # How many were recurrences of an earlier one.
    recurrences: int = 0
    # Incidents that were not looked at because there are newer ones.
    older: int = 0


def patterns_of(known: Sequence[tuple[Case, str]]) -> Patterns:
    """The patterns of incidents, each given with what to cite for it. What was no incident does not count."""
    counted = [(case, ref) for case, ref in known if case.state is not CaseState.DISMISSED]
    counted.sort(key=lambda one: (one[0].occurred_at, one[0].id), reverse=True)
    newest = counted[:CASES_MAX]
    tries = [one for case, ref in newest for one in tries_of(_member(case, ref))]
    tendencies = sorted((_tendency(group) for group in _groups(tries)), key=_by_strength)
    times = sorted(case.minutes_to_resolve for case, _ in newest if case.minutes_to_resolve is not None)
    ids = {case.id for case, _ in counted}
    return Patterns(
        len(newest),
        sum(case.state is CaseState.RESOLVED for case, _ in newest),
        median(times) if times else None,
        times[min(round(0.9 * len(times)), len(times) - 1)] if times else None,
        tuple(tendencies),
        sum(case.previous in ids for case, _ in newest if case.previous),
        len(counted) - len(newest),
    )


def _member(case: Case, ref: str) -> Member:
    """A case that is asked about itself, not for its likeness to something: nothing about it is in doubt."""
    address, _, version = ref.rpartition("@")
    remembered = Remembered(case, address, int(version), "", 1.0, Familiarity.SEEN, 0.0)
    return Member(remembered, Standing.CURRENT, ref)


def _groups(tries: Iterable[Try]) -> list[list[Try]]:
    """Tries of the same deed together, each the same as every other.

    Passing sameness on, as for one failure, would join deeds here that have nothing to do with each other.
    """
    groups: list[list[Try]] = []
    for one in sorted(tries, key=lambda one: (one.at, one.member.ref, one.action, one.outcome)):
        home = next((group for group in groups if all(_alike(one.action, other.action) for other in group)), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    return groups


def _alike(one: str, other: str) -> bool:
    """Whether two texts name the same deed, done to what both of them name, and tell of little else.

    Within one failure a shared deed is enough: "scaled up" can mean only one thing. Over many it is not.
    """
    if not same(one, other):
        return False
    ours, theirs = (frozenset(action_key(text).words) for text in (one, other))
    if one.casefold().split() == other.casefold().split():
        return True
    return bool(ours & theirs) and len(ours & theirs) >= ALIKE_MIN * max(len(ours), len(theirs))


def _tendency(group: Sequence[Try]) -> Tendency:
    by_case = _each_case(group)
    counts = {outcome: [one for one in by_case if one.outcome is outcome] for outcome in Outcome}
    worked = counts[Outcome.WORKED]
    hits = float(len(worked))
    misses = float(len(counts[Outcome.NO_EFFECT]) + len(counts[Outcome.MADE_WORSE]))
    estimated = share(hits, misses)
    ended = [one.member.case.minutes_to_resolve for one in worked if one.is_ending]
    times = [minutes for minutes in ended if minutes is not None]
    # Of several wordings the shortest says what they have in common, and least of what only one of them did.
    shown = min(by_case, key=lambda one: (len(one.action), one.action))
    newest_first = sorted(by_case, key=lambda one: (one.at, one.member.ref), reverse=True)
    return Tendency(
        shown.action,
        len(worked),
        len(counts[Outcome.NO_EFFECT]),
        len(counts[Outcome.MADE_WORSE]),
        len(counts[Outcome.UNKNOWN]),
        estimated.mean,
        estimated.least,
        round(1 - share(misses, hits).least, 6),
        tuple(dict.fromkeys(one.member.ref for one in newest_first)),
        newest_first[0].at,
        median(times) if times else None,
    )


def _each_case(group: Iterable[Try]) -> list[Try]:
    """One try of each incident: its harm where it did any, then what it ended, then what is known at all."""
    worst_first = (Outcome.MADE_WORSE, Outcome.WORKED, Outcome.NO_EFFECT, Outcome.UNKNOWN)
    found: dict[str, Try] = {}
    for one in group:
        kept = found.get(one.member.ref)
        if kept is None or worst_first.index(one.outcome) < worst_first.index(kept.outcome):
            found[one.member.ref] = one
    return list(found.values())


def _by_strength(one: Tendency) -> tuple[float, int, str]:
    """What worked surely first, what surely did not last; what nobody knows the outcome of stands between."""
    return -one.share_min if one.worked else one.share_max, -one.tried, one.action
