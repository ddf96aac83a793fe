"""The year of incidents that the demo remembers, and the labelled questions that recall is measured with."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hindcast.clues import clues_of
from hindcast.ingest.fingerprint import of_trace
from hindcast.ingest.trace import parse
from hindcast.model.case import Attempt, Case, CaseState, Outcome, Witness, from_json, to_json
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address
from hindcast.model.signal import Level
from hindcast.simulate import SCENARIOS
from hindcast.simulate.history import FAMILIES, SOURCE, cases, mechanisms, runbooks
from hindcast.simulate.history.written import WrittenAttempt
from hindcast.simulate.scenario import Expected, Fault
from hindcast.simulate.speech import error_line
from hindcast.simulate.topology import NAMES

NOW = datetime(2026, 11, 16, 3, 4, 5, tzinfo=UTC)
SET = Path(__file__).parents[2] / "bench" / "recall_set"
STORY = "past-redis-worker-pool"


def lines(name: str) -> list[dict[str, Any]]:
    """The lines of one file of the labelled set."""
    return [json.loads(line) for line in (SET / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def history() -> dict[str, Case]:
    """The cases of the year by their ids."""
    return {case.id: case for case in cases(now=NOW)}


@pytest.fixture(scope="module")
def extra() -> dict[str, Case]:
    """The decoys by their ids."""
    return {case.id: case for case in map(from_json, lines("extra.jsonl"))}


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    """Both halves of the labelled questions."""
    return lines("dev.jsonl") + lines("held.jsonl")


def attempts(history: dict[str, Case]) -> list[Attempt]:
    """Everything that was tried in the year."""
    return [attempt for case in history.values() for attempt in case.attempts]


# --- The history --------------------------------------------------------------------------------------------------


def test_every_case_survives_being_written_down(history: dict[str, Case]) -> None:
    """A case that is turned into JSON and back is the same case."""
    assert all(from_json(json.loads(json.dumps(to_json(case)))) == case for case in history.values())


def test_there_are_enough_cases_and_each_is_there_once(history: dict[str, Case]) -> None:
    """The year has 160 incidents or more, and no two share an id."""
    assert len(cases(now=NOW)) == len(history)
    assert len(history) >= 160


def test_ids_can_be_addressed(history: dict[str, Case]) -> None:
    """Every id is a path at which a record may live."""
    assert all(str(Address("cases", case_id)).endswith(case_id) for case_id in history)


def test_the_history_is_the_year_before_now(history: dict[str, Case]) -> None:
    """Nothing lies in the future, nothing is older than a year, and no season is left out."""
    ages_days = sorted((NOW - case.occurred_at).days for case in history.values())

    assert ages_days[0] >= 1
    assert ages_days[-1] <= 366
    assert all(after - before <= 20 for before, after in pairwise(ages_days))


def test_the_history_moves_with_now(history: dict[str, Case]) -> None:
    """Whoever seeds it a month later gets the same cases a month later; the hour of seeding changes nothing."""
    later = {case.id: case for case in cases(now=NOW + timedelta(days=30))}

    assert later.keys() == history.keys()
    assert all(later[one].occurred_at - history[one].occurred_at == timedelta(days=30) for one in history)
    assert cases(now=NOW) == cases(now=NOW + timedelta(hours=3))


def test_now_needs_a_timezone() -> None:
    """A time without a timezone is refused, and the error names the argument."""
    with pytest.raises(Malformed) as refused:
        cases(now=NOW.replace(tzinfo=None))

    assert refused.value.field == "now"


def test_the_redis_story_has_its_facts(history: dict[str, Case]) -> None:
    """Six weeks ago: resets, a larger pool made it worse, a release and a cap of 20 ended it in 34 minutes."""
    story = history[STORY]
    tried = {attempt.outcome: attempt for attempt in story.attempts}
    assert story.cause is not None
    assert story.resolution is not None

    assert (NOW - story.occurred_at).days == 42
    assert story.minutes_to_resolve == 34
    assert "payment" in story.services
    assert "redis" in story.components
    assert "ConnectionResetError: [Errno 104] Connection reset by peer" in story.symptoms
    assert "not release" in story.cause.text
    assert "from 50 to 200" in tried[Outcome.MADE_WORSE].action
    assert any("ten minutes" in one.quote for attempt in story.attempts for one in attempt.evidence)
    assert "teardown" in story.resolution.text
    assert "20 connections" in story.resolution.text
    assert "teardown" in story.resolution.diff
    assert story.resolution.by == "priya"
    assert story.resolution.attempt == tried[Outcome.WORKED].id
    assert Witness.TELEMETRY in {one.witness for one in tried[Outcome.WORKED].evidence}


def test_the_redis_story_has_a_trace_of_the_workers(history: dict[str, Case]) -> None:
    """Its trace is read as Python, through the worker's own code, down to the reset."""
    clues = clues_of("", stack=history[STORY].stack)

    assert {"ConnectionResetError", "redis.exceptions.ConnectionError"} <= set(clues.exceptions)
    assert any("hold" in frame for frame in clues.frames)


def test_mechanisms_recur(history: dict[str, Case]) -> None:
    """There are 60 mechanisms or more, at least 40 of which came back, and every case belongs to exactly one."""
    known = mechanisms()
    members = [case_id for group in known.values() for case_id in group]

    assert sorted(members) == sorted(history)
    assert len(known) >= 60
    assert sum(len(group) > 1 for group in known.values()) >= 40


def test_every_family_is_told() -> None:
    """All families together are the history, and the first one is about the database."""
    assert len(FAMILIES) == 10
    assert FAMILIES[0] == "postgres"


def test_much_was_tried_in_vain(history: dict[str, Case]) -> None:
    """At least 60 attempts made it worse, 80 had no effect, and of a few nobody knows."""
    outcomes = Counter(attempt.outcome for attempt in attempts(history))

    assert outcomes[Outcome.MADE_WORSE] >= 60
    assert outcomes[Outcome.NO_EFFECT] >= 80
    assert outcomes[Outcome.WORKED] >= 120
    assert outcomes[Outcome.UNKNOWN] >= 5


def test_every_attempt_has_its_sentence(history: dict[str, Case]) -> None:
    """No attempt is remembered without the words in which somebody told it."""
    assert all(attempt.evidence and attempt.evidence[0].quote for attempt in attempts(history))


def test_attempts_lie_within_their_incident(history: dict[str, Case]) -> None:
    """Attempts are in order, begin after the incident and end with it."""
    for case in history.values():
        times = [attempt.at for attempt in case.attempts if attempt.at is not None]
        assert times == sorted(times), case.id
        assert all(time >= case.occurred_at for time in times), case.id
        assert case.resolved_at is None or all(time <= case.resolved_at for time in times), case.id


def test_completeness_varies(history: dict[str, Case]) -> None:
    """A third or so has a trace, half a diff, command or setting; a few know no cause, and a few are still open."""
    every = list(history.values())
    resolutions = [case.resolution for case in every if case.resolution is not None]

    assert 0.25 <= sum(bool(case.stack) for case in every) / len(every) <= 0.5
    assert sum(bool(one.diff or one.command or one.config) for one in resolutions) / len(resolutions) >= 0.4
    assert sum(case.cause is None for case in every) >= 3
    assert sum(case.state is CaseState.OPEN for case in every) >= 2
    assert 8 <= len({name for case in every for name in case.responders}) <= 12


def test_services_are_the_seven(history: dict[str, Case]) -> None:
    """Cases are about the seven services, and each of them has had its share."""
    counted = Counter(service for case in history.values() for service in case.services)

    assert set(counted) == set(NAMES)
    assert min(counted.values()) >= 15


def test_what_a_case_refers_to_happened_before(history: dict[str, Case]) -> None:
    """A recurrence, and a lesson that is replaced, are older cases of the same mechanism."""
    mechanism = {case_id: name for name, group in mechanisms().items() for case_id in group}
    referred = [(case, other) for case in history.values() for other in (case.previous, *case.supersedes) if other]

    assert sum(bool(case.supersedes) for case in history.values()) >= 3
    for case, other in referred:
        assert history[other].occurred_at < case.occurred_at, case.id
        assert mechanism[other] == mechanism[case.id], case.id


def test_an_action_that_helped_in_one_case_hurt_in_another(history: dict[str, Case]) -> None:
    """Memory contradicts itself: within one mechanism the same action worked once and made it worse once."""
    by_mechanism = [[history[case_id] for case_id in group] for group in mechanisms().values()]
    disputed = [
        action
        for group in by_mechanism
        for action in {one.action for case in group for one in case.attempts if one.outcome is Outcome.WORKED}
        if action in {one.action for case in group for one in case.attempts if one.outcome is Outcome.MADE_WORSE}
    ]
    assert "restarted coredns" in disputed


# What each outage of the simulator really is, in the history's words.
COUSINS = {
    "pool-exhaustion": "pg-idle-transactions",
    "memory-leak": "analytics-report-cache-leak",
    "bad-deploy": "deploy-null-address",
    "dependency-outage": "auth-all-replicas-drained",
    "slow-database": "pg-missing-index",
    "certificate-expiry": "cert-partner-expired",
    "queue-backlog": "rabbit-queue-full",
    "flapping": "cardnet-flapping",
}


def thrown_by(fault: Fault) -> set[int]:
    """The fingerprints of everything that a service throws while it fails like this."""
    found = set()
    for pick in range(4):
        line = error_line(0, fault.service, Level.ERROR, fault.way, fault.peer or "upstream", pick, [*range(7, 29, 2)])
        if line.stack and (trace := parse(line.stack)) is not None:
            found.add(of_trace(trace).app)
    return found


def test_every_outage_has_a_cousin() -> None:
    """Each scenario that is an error outage has a mechanism in the history."""
    outages = {one.name for one in SCENARIOS.values() if one.expected in {Expected.CASCADE, Expected.OUTAGE}}

    assert COUSINS.keys() == outages
    assert set(COUSINS.values()) <= mechanisms().keys()


@pytest.mark.parametrize(("name", "mechanism"), COUSINS.items())
def test_an_outage_of_the_simulator_has_been_seen_before(name: str, mechanism: str, history: dict[str, Case]) -> None:
    """What an outage throws has the fingerprint of its cousin; at the root, of nothing else."""
    remembered: dict[int, set[str]] = {}
    for known, group in mechanisms().items():
        for case in (history[case_id] for case_id in group):
            if case.stack and case.state is CaseState.RESOLVED and (trace := parse(case.stack)) is not None:
                remembered.setdefault(of_trace(trace).app, set()).add(known)
    root, *_ = faults = SCENARIOS[name].faults

    seen = [remembered[one] for fault in faults for one in thrown_by(fault) if one in remembered]
    seen_at_root = [remembered[one] for one in thrown_by(root) if one in remembered]

    assert {mechanism} in seen
    assert all(known == {mechanism} for known in seen_at_root)


def test_a_silent_service_has_been_seen_before(history: dict[str, Case]) -> None:
    """The outage without an error line has its past as well."""
    assert len(mechanisms()["notification-silent-hang"]) == 2
    assert any("silent" in history[one].title for one in mechanisms()["notification-silent-hang"])


def test_cases_say_that_they_are_a_demo(history: dict[str, Case]) -> None:
    """Whoever sees one of these cases in memory can tell where it comes from."""
    assert {case.source for case in history.values()} == {SOURCE}


def test_an_attempt_has_exactly_one_outcome() -> None:
    """An attempt that both worked and made it worse is refused."""
    with pytest.raises(Malformed):
        _ = WrittenAttempt(worked="restarted", worse="restarted").outcome


def test_runbooks_say_what_to_look_at() -> None:
    """There are eight runbooks or more, each with steps, and each about a component or a service."""
    every = runbooks()

    assert len({one["id"] for one in every}) == len(every) >= 8
    assert all(len(one["steps"]) >= 4 and one["title"] and one["text"] for one in every)
    assert all(one["components"] or one["services"] for one in every)


# --- The labelled questions ---------------------------------------------------------------------------------------


def test_there_are_enough_questions(questions: list[dict[str, Any]]) -> None:
    """At least 240 questions, 70 of them without a true match, and at least 24 with a decoy."""
    assert len(questions) >= 240
    assert sum(not one["relevant"] for one in questions) >= 70
    assert sum(bool(one.get("decoys")) for one in questions) >= 24


def test_the_halves_share_nothing(questions: list[dict[str, Any]]) -> None:
    """No question stands twice, by id or by words, so what is trained on is not what is measured."""
    assert len({one["id"] for one in questions}) == len(questions)
    assert len({" ".join(one["text"].lower().split()) for one in questions}) == len(questions)


def test_the_halves_are_alike() -> None:
    """Both halves hold every mechanism, and nearly the same number of questions of each sort."""
    dev, held = lines("dev.jsonl"), lines("held.jsonl")

    assert {one.get("mechanism") for one in dev} == {one.get("mechanism") for one in held}
    assert abs(len(dev) - len(held)) <= 4
    assert abs(sum(not one["relevant"] for one in dev) - sum(not one["relevant"] for one in held)) <= 2
    assert min(sum(bool(one.get("decoys")) for one in half) for half in (dev, held)) >= 12


def test_relevant_is_the_whole_mechanism(
    questions: list[dict[str, Any]], history: dict[str, Case], extra: dict[str, Case]
) -> None:
    """A question's relevant cases exist, and hold every recurrence of its mechanism."""
    known = mechanisms()
    for one in questions:
        assert set(one["relevant"]) <= history.keys() | extra.keys(), one["id"]
        assert bool(one["relevant"]) == ("mechanism" in one), one["id"]
        if one.get("mechanism") in known:
            assert set(known[one["mechanism"]]) <= set(one["relevant"]), one["id"]


def test_what_a_question_names_exists(
    questions: list[dict[str, Any]], history: dict[str, Case], extra: dict[str, Case]
) -> None:
    """Fixes, decoys and harmful actions are those of cases that are there."""
    everything = history | extra
    harmful = {one.action for one in attempts(everything) if one.outcome is Outcome.MADE_WORSE}
    for one in questions:
        assert one["kind"] in {"trace", "identifiers", "prose"}, one["id"]
        assert one.get("service", "auth") in NAMES, one["id"]
        assert set(one.get("decoys", ())) <= extra.keys() - set(one["relevant"]), one["id"]
        assert set(one.get("superseded", ())) <= set(one["relevant"]), one["id"]
        assert set(one.get("harmful", ())) <= harmful, one["id"]
        if fix := one.get("fix"):
            assert everything[fix].resolution is not None, one["id"]
            assert fix in one["relevant"], one["id"]
            assert fix not in one.get("superseded", ()), one["id"]


def test_all_ways_of_asking_are_there(questions: list[dict[str, Any]]) -> None:
    """Traces, names and prose, long and short, with noise around and with wrong services."""
    kinds = Counter(one["kind"] for one in questions)

    assert min(kinds.values()) >= 50
    assert sum(len(one["text"].splitlines()) >= 15 for one in questions) >= 6
    assert sum(len(one["text"]) <= 60 for one in questions) >= 15
    assert sum("wrong service" in one.get("note", "") for one in questions) >= 10


def test_decoys_mislead(history: dict[str, Case], extra: dict[str, Case]) -> None:
    """At least 15 poisoned cases praise what made it worse in the history, and at least 8 lessons are replaced."""
    worse = {one.action for one in attempts(history) if one.outcome is Outcome.MADE_WORSE}
    poisoned = [case for case in extra.values() if case.id.startswith("bad-")]
    old = [case for case in extra.values() if case.id.startswith("old-")]

    assert len(poisoned) >= 15
    for case in poisoned:
        assert {one.action for one in case.attempts if one.outcome is Outcome.WORKED} <= worse, case.id
    assert len(old) >= 8
    assert not history.keys() & extra.keys()


def test_a_replaced_lesson_is_older(history: dict[str, Case], extra: dict[str, Case]) -> None:
    """Every old lesson has a younger case that names it, or one of the history with the same trace."""
    named = {other: case for case in extra.values() for other in case.supersedes}
    for case in extra.values():
        if not case.id.startswith("old-"):
            continue
        younger = (
            [named[case.id]] if case.id in named else [one for one in history.values() if one.stack == case.stack != ""]
        )
        assert younger, case.id
        assert all(one.occurred_at > case.occurred_at for one in younger), case.id


def test_what_ended_has_a_course(history: dict[str, Case]) -> None:
    """Errors are few before it began and after it ended, and more after what made it worse; the same each time."""
    ended = [case for case in history.values() if case.resolved_at is not None]
    for case in ended:
        assert case.course is not None
        step = timedelta(seconds=case.course.step_seconds)
        before = int((case.occurred_at - case.course.since) / step)
        during = int(((case.resolved_at or NOW) - case.course.since) / step)
        assert max(case.course.errors[:before]) < max(case.course.errors[before : during + 1])
        assert case.course.errors[-1] < max(case.course.errors[before : during + 1])
    again = {case.id: case.course for case in cases(now=NOW)}
    assert again == {name: case.course for name, case in history.items()}
