"""What holds a memory back, and what brings it forward again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.recalling import NOW, POOL_FINGERPRINT, RESET, STACK, SmallMemory, case, cue, pool_case, said

from hindcast.model.case import Attempt, Case, Cause, Outcome, Resolution, Witness
from hindcast.model.recollection import Cue, Familiarity, Remembered
from hindcast.model.verdict import Experience, Judgement, Matter, Reliability, Verdict
from hindcast.recall.limits import RecallLimits
from hindcast.recall.remember import recall


def asking(**rest: Any) -> Cue:
    """The question whose answer is the case of the worker pool."""
    return cue(RESET, frames=STACK, fingerprints=(POOL_FINGERPRINT,), **rest)


def verdict(judgement: Judgement, **rest: Any) -> Verdict:
    """What somebody said about the case of the worker pool, asked by its fingerprint."""
    known: dict[str, Any] = {
        "matter": Matter.MEMORY,
        "judgement": judgement,
        "case": "redis-worker-pool",
        "version": 1,
        "fingerprints": (POOL_FINGERPRINT,),
        "asked": RESET,
        "confidence": 0.9,
        "by": "ana",
        "at": NOW - timedelta(days=1),
    }
    return Verdict(**(known | rest))


def remembered(*cases: Case, experience: Experience | None = None) -> dict[str, Remembered]:
    """What comes to mind, by the id of the case."""
    found = recall(SmallMemory(*cases), asking(), experience or Experience())
    return {one.case.id: one for one in found.remembered}


def lesson(fix: str, *, cause: str = "workers did not release connections after a task", **rest: Any) -> dict[str, Any]:
    """A cause and a fix, vouched for by a person."""
    return {
        "cause": Cause(cause, evidence=said("it is so")),
        "resolution": Resolution(fix, evidence=said("it recovered")),
        "attempts": (),
        **rest,
    }


def test_what_a_case_says_it_replaces_is_put_behind_it() -> None:
    """A superseded case stays in the list with the reason; the one that replaces it answers, as surely as the old."""
    old = pool_case("old", days_ago=200)
    new = case(
        "new", "Why the workers lost redis", "pool audit", days_ago=20, supersedes=("old",), components=("redis",)
    )
    found = recall(SmallMemory(old, new), asking())

    assert found.best is not None
    assert found.best.case.id == "new"
    assert found.familiarity is Familiarity.SEEN
    held = found.remembered[-1]
    assert (held.case.id, held.superseded_by) == ("old", "cases/new")
    assert any("superseded by cases/new" in gate for gate in held.gates)


def test_another_fix_for_the_same_failure_replaces_the_older_lesson() -> None:
    """The same stack, the same cause, a newer fix: the newer case answers."""
    old = pool_case("old", days_ago=200, **lesson("restarted the payment workers"))
    new = pool_case("new", days_ago=20, **lesson("release the connection in task teardown"))
    found = remembered(old, new)

    assert found["old"].superseded_by == "cases/new"
    assert not found["new"].gates


def test_the_same_fix_again_replaces_nothing() -> None:
    """A recurrence that was ended the same way confirms the older case instead of replacing it."""
    old = pool_case("old", days_ago=200, **lesson("release the connection in task teardown"))
    new = pool_case("new", days_ago=20, **lesson("released the connections in the task teardown"))

    assert not any(one.gates for one in remembered(old, new).values())


def test_one_stack_with_two_causes_keeps_both() -> None:
    """A newer case with the same stack and another cause is another lesson: neither replaces the other."""
    old = pool_case("old", days_ago=200, **lesson("release the connection in task teardown"))
    new = pool_case(
        "new", days_ago=20, **lesson("renewed the certificate", cause="the proxy dropped idle TLS sessions")
    )

    assert not any(one.gates for one in remembered(old, new).values())


def test_a_link_waives_no_difference_of_causes() -> None:
    """A newer incident that names an earlier one does not replace it when each had a cause of its own."""
    old = pool_case("old", days_ago=200, **lesson("release the connection in task teardown"))
    new = pool_case(
        "new",
        days_ago=1,
        previous="old",
        **lesson("rolled web back to 4.1", cause="the deploy of 4.2 named a wrong database host"),
    )

    assert not any(one.gates for one in remembered(old, new).values())


def test_a_link_between_unlike_failures_replaces_nothing() -> None:
    """Exhausted connections, then a bad deploy of the same service: the link between them makes them no one failure."""
    old = pool_case("old", days_ago=2, **lesson("release the connection in task teardown"))
    new = case(
        "new",
        "web: wrong settings",
        "django.core.exceptions.ImproperlyConfigured: DATABASES is not set",
        days_ago=1,
        previous="old",
        **lesson("rolled web back to 4.1", cause="workers did not release connections after a task"),
    )

    assert not any(one.superseded_by for one in remembered(old, new).values())


def test_a_newer_case_that_nobody_vouches_for_replaces_nothing() -> None:
    """A confident sentence without any evidence does not replace what somebody saw work."""
    old = pool_case("old", days_ago=200, **lesson("release the connection in task teardown"))
    new = pool_case("new", days_ago=2, **lesson("disabled persistence on redis"))
    unvouched = pool_case(
        "new",
        days_ago=2,
        attempts=(),
        cause=Cause("workers did not release connections after a task"),
        resolution=Resolution("disabled persistence on redis"),
    )

    assert remembered(old, new)["old"].superseded_by == "cases/new"
    assert not remembered(old, unvouched)["old"].superseded_by


def test_a_line_of_replacements_ends_at_the_last() -> None:
    """When a replaces b and b replaces c, a answers for both."""
    cases = (
        pool_case("c", days_ago=300),
        pool_case("b", days_ago=200, supersedes=("c",)),
        pool_case("a", days_ago=100, supersedes=("b",)),
    )
    found = remembered(*cases)

    assert found["b"].superseded_by == found["c"].superseded_by == "cases/a"
    assert not found["a"].gates


def test_cases_that_replace_each_other_replace_nothing() -> None:
    """A circle of replacements holds back nobody."""
    found = remembered(pool_case("a", supersedes=("b",)), pool_case("b", supersedes=("a",)))

    assert not any(one.gates for one in found.values())


def test_age_alone_changes_nothing() -> None:
    """A case of ten years ago is as good a memory as one of yesterday: score and confidence are the same."""
    old, new = (remembered(pool_case(days_ago=days))["redis-worker-pool"] for days in (3_650, 1))

    assert (old.score, old.confidence) == (new.score, new.confidence)


@pytest.mark.parametrize(
    ("services", "components", "gated"),
    [
        (("legacy-auth",), (), True),
        (("Legacy-Auth",), (), True),
        (("payment", "legacy-auth"), (), False),
        (("payment",), ("legacy-auth",), True),
        (("payment",), ("redis",), False),
    ],
)
def test_what_no_longer_exists_is_history(services: Any, components: Any, gated: bool) -> None:
    """A case about a retired service or component is held back; one that a living service shares is not."""
    retired = Experience(retired=frozenset({"legacy-auth"}))
    found = remembered(pool_case(services=services, components=components), experience=retired)

    gates = found["redis-worker-pool"].gates
    assert bool(gates) is gated
    assert not gated or "no longer exists" in gates[0]


def test_not_this_is_remembered() -> None:
    """Somebody said it was not this: the same version is not offered for the same failure again."""
    found = recall(SmallMemory(pool_case()), asking(), Experience((verdict(Judgement.WRONG, why="other port"),)))

    assert found.best is None
    assert found.familiarity is Familiarity.NEW
    assert found.remembered[0].gates == ("ana said it was not this: other port",)


def test_not_this_is_said_of_the_same_words_too() -> None:
    """Without a fingerprint, nearly the same words are the same question."""
    words = "payment workers keep losing their redis connections, reset by peer everywhere"
    said_so = verdict(Judgement.WRONG, fingerprints=(), asked=words)
    found = recall(SmallMemory(pool_case()), cue(f"{words} !"), Experience((said_so,)))
    other = recall(SmallMemory(pool_case()), cue("redis connection reset by peer"), Experience((said_so,)))

    assert found.best is None
    assert other.best is not None


def test_what_has_changed_since_deserves_another_look() -> None:
    """A verdict on an older version no longer holds the case back, but is told."""
    found = recall(
        SmallMemory(case("first", "something else"), pool_case()), asking(), Experience((verdict(Judgement.WRONG),))
    )

    assert found.best is not None
    assert any("has changed since" in reason for reason in found.best.reasons)


def test_right_raises() -> None:
    """A confirmation for the same failure makes the memory surer and says who gave it."""
    asked = cue("payment workers lose redis", fingerprints=(7,))
    agreed = Experience((verdict(Judgement.RIGHT, fingerprints=(7,)),))
    plain = recall(SmallMemory(pool_case()), asked).remembered[0]
    raised = recall(SmallMemory(pool_case()), asked, agreed).remembered[0]

    assert raised.confidence > plain.confidence
    assert raised.score > plain.score
    assert any("ana said it was this" in reason for reason in raised.reasons)


def test_people_may_change_their_mind() -> None:
    """The last word of each person counts, and as many yes as no hold nothing back."""
    later = verdict(Judgement.RIGHT, at=NOW)
    changed = remembered(pool_case(), experience=Experience((later, verdict(Judgement.WRONG))))
    divided = remembered(
        pool_case(), experience=Experience((verdict(Judgement.WRONG), verdict(Judgement.RIGHT, by="bo")))
    )

    assert not changed["redis-worker-pool"].gates
    assert not divided["redis-worker-pool"].gates


def test_a_rejected_proposal_says_nothing_about_the_memory() -> None:
    """Not wanting a fix is not the same as not having had the failure."""
    rejected = Experience((verdict(Judgement.WRONG, matter=Matter.PROPOSAL, action="restart"),))

    assert not remembered(pool_case(), experience=rejected)["redis-worker-pool"].gates


def test_a_fix_that_others_saw_do_harm_is_held_back() -> None:
    """A confident record whose fix made the same failure worse elsewhere is gated, and matches no worse for it."""
    poisoned = pool_case("poisoned", attempts=(), resolution=Resolution("raised the redis pool size to 500"))
    found = remembered(pool_case(), poisoned)

    assert not found["redis-worker-pool"].gates
    assert any("contradicted by cases/redis-worker-pool" in gate for gate in found["poisoned"].gates)
    assert found["poisoned"].confidence == pytest.approx(remembered(poisoned)["poisoned"].confidence, abs=0.1)


def test_an_accusation_without_evidence_does_not_outweigh_what_was_seen() -> None:
    """A poisoned record that calls the true fix harmful does not hold the true case back."""
    slander = pool_case(
        "slander",
        attempts=(Attempt("x", "release the connection in task teardown", Outcome.MADE_WORSE),),
        resolution=Resolution("raised the redis pool size to 500"),
    )
    found = remembered(pool_case(), slander)

    assert not found["redis-worker-pool"].gates
    assert found["slander"].gates


def test_what_was_counted_outweighs_what_was_said() -> None:
    """A fix that telemetry saw work stands against one person's word that it did harm."""
    counted = Attempt(
        "a", "raised the pool size to 200", Outcome.WORKED, evidence=said("9.1 to 0.2", Witness.TELEMETRY)
    )
    other = pool_case("counted", attempts=(counted,), resolution=None)

    assert not remembered(pool_case(), other)["counted"].gates


def test_what_is_held_back_comes_last() -> None:
    """Everything that was gated stands after everything that was not."""
    retired = Experience(retired=frozenset({"payment"}))
    weaker = case("weaker", "Redis connection reset", "Connection reset by peer", services=("user",))
    found = recall(SmallMemory(pool_case(), weaker), asking(), retired)

    assert [bool(one.gates) for one in found.remembered] == [False, True]


def test_what_is_held_back_is_not_crowded_out() -> None:
    """A gated case that matches well stays in a short answer, so that it can still warn."""
    retired = Experience(retired=frozenset({"payment"}))
    strangers = [case(f"s{at}", f"Redis slow {at}", "redis connection slow", services=("user",)) for at in range(12)]
    found = recall(SmallMemory(pool_case(), *strangers), asking(), retired, limits=RecallLimits(hits_max=3))

    assert [one.case.id for one in found.remembered if one.gates] == ["redis-worker-pool"]
    assert found.best is not None


def test_a_teams_own_count_comes_before_the_shipped_one() -> None:
    """How often this level was right is taken from the team's own answers once there are enough of them."""
    own = tuple(Reliability(low / 10, (low + 1) / 10, 38, 35) for low in range(10))
    few = tuple(Reliability(low / 10, (low + 1) / 10, 1, 1) for low in range(10))

    told = recall(SmallMemory(pool_case()), asking(), Experience(reliability=own)).reliability
    assert told is not None
    assert (told.asked, told.right, told.is_own) == (38, 35, True)
    fallen_back = recall(SmallMemory(pool_case()), asking(), Experience(reliability=few)).reliability
    assert fallen_back is not None
    assert fallen_back.asked > 1
    assert not fallen_back.is_own
