"""Briefings: which one is due, what is kept, and what happens while memory cannot be asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from hindcast.briefing import BriefingLimits, Briefings
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.errors import Missing, Unavailable
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Event, EventKind, Incident, IncidentState
from hindcast.model.recollection import Cue, CueKind, Familiarity, Recollection
from hindcast.model.signal import Severity
from hindcast.recollect import Answered

NOW = datetime(2026, 11, 16, 2, 3, tzinfo=UTC)
SECOND = timedelta(seconds=1)
A, B = ("ours", "inc-a"), ("ours", "inc-b")


@dataclass
class Mind:
    """A memory that answers with what it is told to say."""

    headline: str = "Your team hit this 6 weeks ago."
    newest: int = 7
    problem: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def ask(self, _space: str, incident: str) -> Answered:
        """What is known about an incident."""
        self.asked.append(incident)
        if self.problem is not None:
            raise self.problem
        cue = Cue("pool exhausted", CueKind.PROSE, NOW)
        told = Diagnosis("pool exhausted", NOW, Familiarity.SEEN, 0.9, None, self.headline)
        return Answered(Recollection(cue, Familiarity.SEEN), told)

    def step(self, _space: str) -> int:
        """The newest step."""
        return self.newest


@pytest.fixture
def mind() -> Mind:
    """A memory."""
    return Mind()


@pytest.fixture
def briefings(mind: Mind) -> Briefings:
    """Briefings from it."""
    return Briefings(mind.ask, mind.step)


def event(
    kind: EventKind, incident: str = "inc-a", state: IncidentState = IncidentState.OPEN, at: datetime = NOW
) -> Event:
    """A step in the life of an incident."""
    finding = Finding("ours", "payment", Rule.FIXED, NOW, NOW, 200, 3.0, 100)
    found = Incident(incident, "ours", "payment fails", state, finding, (), NOW, at, NOW, Severity.CRITICAL)
    return Event(kind, at, found)


def test_an_incident_that_opens_is_briefed_about(briefings: Briefings, mind: Mind) -> None:
    """An event asks for a briefing, and what was worked out is there for whoever comes, without asking again."""
    briefings.hear(event(EventKind.OPENED))

    assert briefings.due(NOW) == A
    made = briefings.work_out(*A, now=NOW)

    assert briefings.due(NOW) is None
    assert briefings.of(*A, now=NOW + SECOND) is made
    assert (made.step, made.revision, made.age_seconds(NOW + SECOND), mind.asked) == (7, 1, 1.0, ["inc-a"])


def test_new_incidents_come_before_old_ones(briefings: Briefings) -> None:
    """Whoever has no briefing yet is served before those whose briefing is only brought up to date."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW)
    briefings.hear(event(EventKind.GREW))
    briefings.hear(event(EventKind.OPENED, "inc-b"))

    assert briefings.due(NOW + 5 * SECOND) == B
    assert briefings.due_again(NOW + 5 * SECOND) == A


def test_an_incident_that_changes_by_the_second_is_not_briefed_about_by_the_second(briefings: Briefings) -> None:
    """Events that follow one another closely make one more briefing, not one each."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW)
    briefings.hear(event(EventKind.CHANGED))

    assert briefings.due_again(NOW + SECOND) is None
    assert briefings.due_again(NOW + 2 * SECOND) == A


def test_memory_that_moved_on_makes_a_briefing_anew(briefings: Briefings, mind: Mind) -> None:
    """What somebody taught memory meanwhile reaches the briefings of incidents under way, at a bounded pace."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW)
    later = NOW + 20 * SECOND
    assert briefings.due_again(later) is None

    mind.newest, mind.headline = 8, "Restarting the pool made it worse."
    assert briefings.due_again(NOW + 3 * SECOND) is None
    assert briefings.due_again(later) == A
    made = briefings.work_out(*A, now=later)

    assert (made.step, made.revision) == (8, 2)


def test_the_same_answer_again_is_no_news(briefings: Briefings, mind: Mind) -> None:
    """A briefing that says the same as before keeps its revision; only its step and its age are new."""
    briefings.work_out(*A, now=NOW)
    mind.newest = 9
    made = briefings.work_out(*A, now=NOW + 20 * SECOND)

    assert (made.step, made.revision, made.at) == (9, 1, NOW + 20 * SECOND)


def test_a_memory_that_cannot_be_asked_is_told_of_and_asked_again(briefings: Briefings, mind: Mind) -> None:
    """The briefing says why it is empty; when memory is back, it is worked out without anybody calling for it."""
    mind.problem = Unavailable("The store does not answer.", remedy="Wait.")
    briefings.hear(event(EventKind.OPENED))
    made = briefings.work_out(*A, now=NOW)

    assert made.answered is None
    assert "The store does not answer." in made.failure
    assert briefings.due(NOW + SECOND) is None
    mind.problem = None
    assert briefings.due(NOW + 5 * SECOND) == A
    assert briefings.work_out(*A, now=NOW + 5 * SECOND).answered is not None


def test_an_answer_from_before_stays_while_memory_is_away(briefings: Briefings, mind: Mind) -> None:
    """What was known is served with its age and the failure beside it, and it is not tried in a tight loop."""
    briefings.hear(event(EventKind.OPENED))
    first = briefings.work_out(*A, now=NOW)
    mind.problem = Unavailable("The store does not answer.", remedy="Wait.")
    briefings.hear(event(EventKind.GREW))
    failed = briefings.work_out(*A, now=NOW + 60 * SECOND)

    assert (failed.answered, failed.at) == (first.answered, NOW)
    assert failed.failure
    assert briefings.due(NOW + 61 * SECOND) is None
    assert briefings.due_again(NOW + 61 * SECOND) is None
    assert briefings.due(NOW + 65 * SECOND) == A


def test_an_incident_that_is_over_is_briefed_about_no_more(briefings: Briefings, mind: Mind) -> None:
    """Once somebody said that it is over nothing is worked out by itself; whoever asks gets what there is."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW)
    briefings.hear(event(EventKind.CONFIRMED, state=IncidentState.CONFIRMED))
    mind.newest = 8

    assert briefings.due(NOW + 60 * SECOND) is None
    assert briefings.due_again(NOW + 60 * SECOND) is None
    assert briefings.of(*A, now=NOW + 60 * SECOND).answered is not None


def test_whoever_asks_about_an_old_incident_gets_an_answer_at_once(briefings: Briefings, mind: Mind) -> None:
    """What is not kept is worked out while the caller waits; an incident that does not exist is missing."""
    assert briefings.kept(*B) is None
    assert briefings.of(*B, now=NOW).answered is not None
    mind.problem = Missing("There is no incident.", remedy="Look.")

    assert briefings.kept(*B) is not None
    with pytest.raises(Missing):
        briefings.of("ours", "inc-c", now=NOW)


def test_serving_a_briefing_that_memory_left_behind_asks_for_a_new_one(briefings: Briefings, mind: Mind) -> None:
    """The caller gets what is ready at once, and the next one gets what is newer."""
    first = briefings.of(*A, now=NOW)
    mind.newest = 8

    assert briefings.of(*A, now=NOW + 5 * SECOND) is first
    assert briefings.due_again(NOW + 5 * SECOND) == A


def test_a_restart_briefs_about_everything_under_way(briefings: Briefings) -> None:
    """Incidents that are not over are taken up, the newest first; those that are over are not."""
    over = event(EventKind.CONFIRMED, "inc-b", IncidentState.CONFIRMED).incident
    older = event(EventKind.OPENED, "inc-a", at=NOW - 60 * SECOND).incident
    newer = event(EventKind.OPENED, "inc-c").incident
    briefings.take_up([older, over, newer], now=NOW)

    assert briefings.due(NOW) == ("ours", "inc-c")
    briefings.work_out("ours", "inc-c", now=NOW)
    assert briefings.due(NOW) == A
    briefings.work_out(*A, now=NOW)
    assert briefings.due(NOW) is None


def test_only_so_many_are_kept(mind: Mind) -> None:
    """Briefings take a bounded amount of memory: the one that was worked out longest ago goes first."""
    briefings = Briefings(mind.ask, mind.step, BriefingLimits(kept_max=2))
    for number in range(4):
        briefings.work_out("ours", f"inc-{number}", now=NOW)

    assert [briefings.kept("ours", f"inc-{number}") is not None for number in range(4)] == [False, False, True, True]


def test_a_clock_that_is_put_back_keeps_nobody_waiting(briefings: Briefings) -> None:
    """A briefing made in what is now the future is brought up to date all the same."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW + timedelta(days=1))
    briefings.hear(event(EventKind.GREW))

    assert briefings.due_again(NOW) == A


def test_what_was_erased_is_quoted_no_longer(briefings: Briefings) -> None:
    """After an erasure nothing of the space is kept; what is under way is worked out anew, other spaces are not."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW)
    briefings.work_out(*B, now=NOW)
    briefings.work_out("theirs", "inc-a", now=NOW)
    briefings.forget("ours")

    assert (briefings.kept(*A), briefings.kept(*B), briefings.due(NOW)) == (None, None, A)
    assert briefings.kept("theirs", "inc-a") is not None


def test_the_first_answer_keeps_its_time(briefings: Briefings, mind: Mind) -> None:
    """An answer that was worked out anew was there since the first one."""
    briefings.hear(event(EventKind.OPENED))
    briefings.work_out(*A, now=NOW + SECOND)
    mind.headline = "Your team hit this twice."
    made = briefings.work_out(*A, now=NOW + 60 * SECOND)

    assert (made.first_at, made.at, made.revision) == (NOW + SECOND, NOW + 60 * SECOND, 2)


def test_a_failure_to_ask_is_no_first_answer(briefings: Briefings, mind: Mind) -> None:
    """While memory could not be asked there was no answer, and the first one is the one that came."""
    briefings.hear(event(EventKind.OPENED))
    mind.problem = Unavailable("The store is away.", remedy="Wait.")
    assert briefings.work_out(*A, now=NOW).first_at is None
    mind.problem = None

    assert briefings.work_out(*A, now=NOW + 9 * SECOND).first_at == NOW + 9 * SECOND
