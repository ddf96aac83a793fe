"""Asking a whole memory: the demo's year of history, on the real index, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.config import Settings
from hindcast.experience import record_verdict
from hindcast.memory import Memory
from hindcast.model.case import Case, Resolution
from hindcast.model.errors import Malformed, Missing
from hindcast.model.recollection import Familiarity
from hindcast.model.verdict import Judgement, Matter, Verdict
from hindcast.recollect import Recollect
from hindcast.seeding import seed
from hindcast.simulate.history import cases

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
STORY = "past-redis-worker-pool"
ERROR = "ConnectionResetError: [Errno 104] Connection reset by peer"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the demo's history, written once for this module."""
    where = tmp_path_factory.mktemp("recollect")
    memory = open_memory(Settings(store=str(where), space="team", model="none"), clock=ManualClock(NOW))
    seed(memory, now=NOW)
    memory.close()
    return where


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    """That memory, for reading."""
    opened = open_memory(Settings(store=str(folder), space="team", model="none"), clock=ManualClock(NOW))
    yield opened
    opened.close()


@pytest.fixture
def asking(memory: Memory) -> Recollect:
    """Somebody who can ask it."""
    return Recollect(memory, now=lambda: NOW)


def test_the_raw_error_brings_back_the_whole_story(asking: Recollect) -> None:
    """Cause, fix, what not to try, who and how long: from one pasted line, without a model."""
    answer = asking.ask(ERROR).diagnosis

    assert answer.familiarity is Familiarity.SEEN
    assert answer.case.startswith(f"cases/{STORY}") or answer.case == STORY
    assert answer.cause is not None
    assert "release" in answer.cause.text
    assert "teardown" in answer.fixes[0].action
    assert any("200" in advice.action and advice.made_worse for advice in answer.avoid)
    assert not any("200" in advice.action for advice in answer.fixes)
    assert answer.minutes == 34
    assert any(f"cases/{STORY}@" in ref for ref in answer.fixes[0].evidence)


def test_the_trace_of_another_day_is_the_same_failure(asking: Recollect) -> None:
    """Other line numbers and another path before it change nothing."""
    story = next(case for case in cases(now=NOW) if case.id == STORY)
    other = story.stack.replace("line 1", "line 2").replace('File "/', 'File "/var/lib/containers/x/')

    found = asking.ask(other).recollection

    assert found.familiarity is Familiarity.SEEN
    assert found.remembered[0].case.id == STORY


def test_what_nobody_has_seen_is_said_to_be_new(asking: Recollect) -> None:
    """A failure of a kind that is not in memory is not made into one that is."""
    answer = asking.ask("printer on fire: toner cartridge of the label robot melted").diagnosis

    assert answer.familiarity is Familiarity.NEW
    assert answer.case == ""
    assert answer.fixes == ()


def test_asking_writes_nothing(asking: Recollect, memory: Memory) -> None:
    """An answer can never become evidence for itself: asking leaves no commit behind."""
    before = memory.log(commits_max=1)

    for _ in range(3):
        asking.ask(ERROR)
        asking.ask("something entirely new about zebras")

    assert memory.log(commits_max=1) == before


def test_an_empty_question_is_refused(asking: Recollect) -> None:
    """There is nothing to look for, and the error names the field."""
    with pytest.raises(Malformed) as caught:
        asking.ask("   ")
    assert caught.value.field == "text"


def test_an_incident_that_nobody_knows_is_missing(asking: Recollect) -> None:
    """Asking about an id that does not exist is an error, not an empty answer."""
    with pytest.raises(Missing):
        asking.about("inc-none")


@pytest.fixture
def young(tmp_path: Path) -> Iterator[tuple[Memory, ManualClock]]:
    """An empty memory with a clock that is moved by hand."""
    clock = ManualClock(NOW)
    memory = open_memory(Settings(store=str(tmp_path), space="young", model="none"), clock=clock)
    yield memory, clock
    memory.close()


def remember(memory: Memory, case: Case) -> None:
    """Write a case as an importer would."""
    Casebook(memory).put(with_clues(case), actor="ana", why="It happened.")


LESSON = Case(
    "ldap-42",
    "Logins fail: LdapReferralLimitExceeded",
    NOW,
    services=("auth",),
    symptoms=("LdapReferralLimitExceeded: too many referrals while resolving group cn=ops",),
    resolution=Resolution("limit referral hops to 3", by="bo"),
)
QUESTION = "LdapReferralLimitExceeded: too many referrals while resolving group cn=dev"


def test_an_empty_memory_says_so(young: tuple[Memory, ManualClock]) -> None:
    """The first incident of a team is new, and nothing is made up."""
    answer = Recollect(young[0], now=young[1].now).ask(ERROR).diagnosis

    assert answer.familiarity is Familiarity.NEW
    assert answer.nearest == ()
    assert answer.avoid == ()


def test_a_new_case_is_found_by_the_next_question(young: tuple[Memory, ManualClock]) -> None:
    """Nothing has to be rebuilt between learning and knowing."""
    memory, clock = young
    asking = Recollect(memory, now=clock.now)
    assert asking.ask(QUESTION).diagnosis.familiarity is Familiarity.NEW

    remember(memory, LESSON)

    assert asking.ask(QUESTION).diagnosis.familiarity is Familiarity.SEEN


def test_the_past_answers_as_it_would_have(young: tuple[Memory, ManualClock]) -> None:
    """Asked as of a moment before the lesson, memory does not know it; on a branch it knows what the branch knows."""
    memory, clock = young
    remember(memory, replace(LESSON, id="other-1", title="Mail is late", symptoms=("queue of postfix grows",)))
    before = clock.move(timedelta(hours=1))
    memory.branch("quiet", actor="ana", why="try something")
    clock.move(timedelta(hours=1))
    remember(memory, LESSON)
    asking = Recollect(memory, now=clock.now)

    assert asking.ask(QUESTION, moment=before).diagnosis.familiarity is Familiarity.NEW
    assert asking.ask(QUESTION, branch="quiet").diagnosis.familiarity is Familiarity.NEW
    assert asking.ask(QUESTION).diagnosis.familiarity is Familiarity.SEEN


def test_an_incident_does_not_remember_itself(young: tuple[Memory, ManualClock]) -> None:
    """The first occurrence of a failure is new, although its own case is in memory already."""
    memory, clock = young
    remember(memory, LESSON)

    answer = Recollect(memory, now=clock.now).about(LESSON.id)

    assert answer.diagnosis.familiarity is Familiarity.NEW
    assert all(one.case.id != LESSON.id for one in answer.recollection.remembered)


def test_a_verdict_counts_from_then_on_and_can_be_taken_back(young: tuple[Memory, ManualClock]) -> None:
    """Somebody said that it was not this: it is held back with the reason; reverting that commit brings it back."""
    memory, clock = young
    remember(memory, LESSON)
    asking = Recollect(memory, now=clock.now)
    shown = asking.ask(QUESTION).recollection
    verdict = Verdict(
        Matter.MEMORY,
        Judgement.WRONG,
        LESSON.id,
        shown.remembered[0].version,
        shown.cue.clues.fingerprints,
        QUESTION,
        shown.remembered[0].confidence,
        "bo",
        clock.now(),
    )

    said = record_verdict(memory, verdict, actor="bo")
    held = asking.ask(QUESTION)

    assert held.diagnosis.familiarity is not Familiarity.SEEN
    assert held.recollection.remembered[0].gates
    memory.revert(said, actor="bo", why="I was wrong.")
    assert asking.ask(QUESTION).diagnosis.familiarity is Familiarity.SEEN
