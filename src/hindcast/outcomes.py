"""Outcomes: some minutes after something was tried, the errors before and after it say what came of it.

No person's word is overruled: only attempts whose outcome no person has told are measured, each once. What an agent
said came of one is compared with what was counted: only then does its success count. What was done to the affected
services while an incident lasts (a rollback, a deploy) is found here too, because it was tried as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindcast.casebook import Casebook
from hindcast.casebook.incident import with_changes
from hindcast.casebook.people import MEASURED_REF, attempt_of, claim_of, judged
from hindcast.learn.outcome import USUAL, Measured, outcome_of
from hindcast.model.case import NOTICED_HERE, Attempt, Case, CaseState, Evidence, Outcome, Witness
from hindcast.model.signal import Level, SystemChange
from hindcast.ports import Telemetry

ACTOR = "hindcast"
REF = MEASURED_REF
BUCKET_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Timing:
    """When an attempt is measured, and how far around it."""

    before: timedelta = timedelta(minutes=10)
    # Long enough for a change to settle and for several buckets after that.
    after: timedelta = timedelta(minutes=8)
    # Older attempts are history: whoever was there knows better than what is left of the counts.
    within: timedelta = timedelta(days=1)
    # Incidents that began longer ago are not looked at any more, even if they are still not over.
    lasts: timedelta = timedelta(days=7)
    # Looking more often finds nothing sooner.
    every: timedelta = timedelta(seconds=30)
    # A change announced this soon after the onset is a suspect.
    suspect: timedelta = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Due:
    """An attempt whose outcome can be measured now."""

    case: Case
    attempt: Attempt
    at: datetime


class Outcomes:
    """Measures what came of attempts, in the spaces it is told to look at."""

    def __init__(
        self, telemetry: Telemetry, casebook: Callable[[str], Casebook], *, timing: Timing | None = None
    ) -> None:
        self._telemetry = telemetry
        self._casebook = casebook
        self._timing = timing or Timing()
        self._looked_at: datetime | None = None

    def tick(self, spaces: Iterable[str], *, now: datetime) -> tuple[str, ...]:
        """Measure what is due, now and then; the ids of the cases that learnt something."""
        if self._looked_at is not None and now - self._looked_at < self._timing.every:
            return ()
        self._looked_at = now
        return tuple(case_id for space in spaces for case_id in self.look(space, now=now))

    def look(self, space: str, *, now: datetime) -> tuple[str, ...]:
        """Measure everything in one space that is due."""
        casebook = self._casebook(space)
        known = [case for case in casebook.detected(since=now - self._timing.lasts) if _is_ours(case)]
        changes = self._changes(space, known, now)
        learnt: list[str] = []
        for before in known:
            case = self._with_changes(casebook, before, changes)
            waiting = due([case], now, timing=self._timing)
            for one in waiting:
                self._remember(casebook, one, self.measure(space, one))
            if waiting or case != before:
                learnt.append(case.id)
        return tuple(learnt)

    def _changes(self, space: str, cases: Sequence[Case], now: datetime) -> tuple[SystemChange, ...]:
        """What was altered since the first of those began that last, or have just ended: senders may be late."""
        late = now - self._timing.after
        lasting = [case.occurred_at for case in cases if case.resolved_at is None or case.resolved_at > late]
        told = self._telemetry.changes(space, min(lasting), now) if lasting else ()
        return tuple(change for change in told if not change.is_test)

    def measure(self, space: str, one: Due) -> Measured:
        """What the counts around an attempt say."""
        since, until = window(one, timing=self._timing)
        rows = self._telemetry.rates(since, until, space=space).to_pylist()
        ours = [row for row in rows if row["service"] in one.case.services]
        errors = _by_second(row for row in ours if row["level"] >= Level.ERROR)
        whole = (one.at - since) // timedelta(seconds=BUCKET_SECONDS)
        before = _buckets(errors, one.at - whole * timedelta(seconds=BUCKET_SECONDS), one.at)
        after = _buckets(errors, one.at, until)
        told = outcome_of(before, after, bucket_seconds=BUCKET_SECONDS, action=one.attempt.action, at=one.at, ref=REF)
        # Services that say nothing at all any more have no errors either, and are not well.
        if told.outcome is Outcome.WORKED and not any(row["second"] >= one.at for row in ours):
            quote = f"nothing at all came from {', '.join(one.case.services)} after {one.attempt.action}"
            return replace(
                told,
                outcome=Outcome.UNKNOWN,
                confidence=0.0,
                evidence=Evidence(Witness.TELEMETRY, quote, REF, one.at),
            )
        return told

    def _with_changes(self, casebook: Casebook, case: Case, changes: Sequence[SystemChange]) -> Case:
        """The case with the attempts that other systems told of: what was done to its services while it lasted."""
        since = case.occurred_at + self._timing.suspect
        if with_changes(case, changes, since=since) == case:
            return case
        return casebook.change(
            case.id,
            lambda found: with_changes(found, changes, since=since),
            actor=ACTOR,
            why="Something was done to an affected service.",
        )

    def _remember(self, casebook: Casebook, one: Due, told: Measured) -> None:
        def edit(case: Case) -> Case:
            known = next((mine for mine in case.attempts if mine.id == one.attempt.id), None)
            # Somebody may have said what came of it while it was being measured.
            if known is None or not _is_open(known):
                return case
            unclear = told.outcome is Outcome.UNKNOWN
            came = known.outcome if unclear else told.outcome
            case = judged(case, known.id, came, evidence=_compared(known, told))
            if unclear:
                return case
            made = replace(attempt_of(case, known.id), confidence=told.confidence)
            return replace(case, attempts=tuple(made if mine.id == made.id else mine for mine in case.attempts))

        casebook.change(one.case.id, edit, actor=ACTOR, why=f"Measured what came of {one.attempt.id}.")


def due(cases: Iterable[Case], now: datetime, *, timing: Timing | None = None) -> tuple[Due, ...]:
    """Attempts that nobody has judged and that lie long enough back, but not too long."""
    chosen = timing or Timing()
    return tuple(
        Due(case, one, one.at)
        for case in cases
        if _is_ours(case)
        for one in case.attempts
        if one.at is not None and _is_open(one) and now - chosen.within <= one.at <= now - chosen.after
    )


def window(one: Due, *, timing: Timing | None = None) -> tuple[datetime, datetime]:
    """From when to when counts tell of this attempt alone: not of the time before the outage, nor of other attempts."""
    chosen = timing or Timing()
    others = [other.at for other in one.case.attempts if other.at is not None and other.id != one.attempt.id]
    settled = timedelta(seconds=USUAL.settle_seconds)
    since = max([one.at - chosen.before, one.case.occurred_at, *(at + settled for at in others if at < one.at)])
    until = min([one.at + chosen.after, *(at for at in others if at > one.at)])
    return min(since, one.at), until


def _is_ours(case: Case) -> bool:
    """Whether its services are watched here: what was imported happened elsewhere, or long ago."""
    return case.source == NOTICED_HERE and case.state is not CaseState.DISMISSED and bool(case.services)


def _is_open(attempt: Attempt) -> bool:
    """Whether nobody but an agent has said what came of it, and nothing was counted yet."""
    is_claimed = bool(attempt.evidence) and attempt.evidence[0].witness is Witness.AGENT
    return (attempt.outcome is Outcome.UNKNOWN or is_claimed) and not any(said.ref == REF for said in attempt.evidence)


def _compared(attempt: Attempt, told: Measured) -> Evidence:
    """What was counted; where an agent had said what came of it, whether both agree."""
    claimed, agent = claim_of(attempt)
    if claimed is Outcome.UNKNOWN:
        return told.evidence
    verdict = "agrees" if told.outcome is claimed else "disagrees"
    standing = "not checkable" if told.outcome is Outcome.UNKNOWN else f"telemetry {verdict}"
    return replace(told.evidence, quote=f"{claimed}, said by {agent}; {standing}: {told.evidence.quote}")


def _by_second(rows: Iterable[dict[str, object]]) -> Counter[datetime]:
    counts: Counter[datetime] = Counter()
    for row in rows:
        second, count = row["second"], row["count"]
        assert isinstance(second, datetime)
        assert isinstance(count, int)
        counts[second] += count
    return counts


def _buckets(counts: Counter[datetime], since: datetime, until: datetime) -> Sequence[int]:
    """Errors in whole buckets from `since` on; what is left over before `until` is not counted."""
    whole = int((until - since).total_seconds() // BUCKET_SECONDS)
    found = [0] * whole
    for second, count in counts.items():
        place = int((second - since).total_seconds() // BUCKET_SECONDS)
        if second >= since and place < whole:
            found[place] += count
    return found
