"""Asking about what fails at this moment: the answer is about the times before, and says what goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.remembering import NOW, OWN, attempt, case, cue, recollection, remembered, story

from hindcast.model.case import CaseState, Outcome
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.recollection import Familiarity, Remembered
from hindcast.model.verdict import Reliability
from hindcast.reason.answer import diagnose

ID = "inc-20261116-0158-payment"


def now(*, minutes_ago: float = 5, confidence: float = 0.98, **fields: Any) -> Remembered:
    """The incident that detection has just opened."""
    given: dict[str, Any] = {"title": "payment: 120 errors in 2 minutes", "state": CaseState.OPEN, "minutes": None}
    return remembered(case(ID, ago=timedelta(minutes=minutes_ago), **{**given, **fields}), confidence)


def answer(*found: Remembered, **fields: Any) -> Diagnosis:
    """The answer to the usual question, in the usual space."""
    return diagnose(recollection(*found, **fields), space=OWN)


def test_the_last_time_answers_for_what_is_under_way() -> None:
    """The likeliest case is the incident itself, which knows nothing: the one before tells cause, fix and who."""
    found = answer(now(), remembered(story(), 0.9))

    assert found.headline.startswith("Your team hit this 6 weeks ago: Payment workers lose their Redis connections. ")
    assert "by ana in 34 minutes" in found.headline
    assert (found.case, found.times_seen, found.minutes) == ("redis-resets", 1, 34.0)
    assert [one.text for one in found.under_way] == [
        f"payment: 120 errors in 2 minutes ({ID}) began 5 minutes ago; nobody has said what ended it."
    ]
    assert found.under_way[0].evidence == (f"cases/{ID}@12",)
    assert "verdict redis-resets" in found.next_steps[-1].text


def test_it_is_as_sure_as_the_likeliest() -> None:
    """The failure is the same with the confidence that was measured, though another case speaks for it."""
    known = Reliability(0.9, 1.0, 38, 35)
    found = answer(now(confidence=0.98), remembered(story(), 0.9), reliability=known)

    assert (found.confidence, found.reliability) == (0.98, known)


def test_a_link_alone_does_not_answer() -> None:
    """That an incident came after another one of its service is no likeness: the earlier one does not answer for it."""
    found = answer(now(previous="redis-resets"), remembered(story(), 0.2))

    assert (found.familiarity, found.case) == (Familiarity.NEW, "")


def test_a_recurrence_answers_through_what_it_replaces() -> None:
    """A case that a person tied to the incident is the same failure, however little the words have in common."""
    found = answer(now(supersedes=("redis-resets",)), remembered(story(), 0.2))

    assert (found.familiarity, found.case) == (Familiarity.SEEN, "redis-resets")
    assert found.headline.startswith("Your team hit this 6 weeks ago: ")


def test_like_nothing_but_itself_is_first_sight() -> None:
    """An incident is no memory of itself: where nothing else is like it, it was not seen before, and goes on."""
    found = answer(now(), remembered(story(), 0.1))

    assert (found.familiarity, found.case, found.times_seen) == (Familiarity.NEW, "", 0)
    assert found.headline == (
        "Not seen before. The nearest, 10 % likely the same: Payment workers lose their Redis connections."
    )
    assert [near.address for near in found.nearest] == ["cases/redis-resets@12"]
    assert len(found.under_way) == 1
    assert answer(now()).headline == "Not seen before. Nothing in memory is like it."


def test_what_may_be_related_is_told_as_such() -> None:
    """With nothing surely the same, the likeliest other case is compared at its own confidence."""
    known = Reliability(0.9, 1.0, 38, 35)
    found = answer(now(), remembered(story(), 0.6), reliability=known)

    assert (found.familiarity, found.confidence, found.reliability) == (Familiarity.MAYBE, 0.6, None)
    assert found.headline.startswith("Maybe related: Payment workers lose their Redis connections, 6 weeks ago.")
    assert len(found.under_way) == 1


def test_what_made_it_worse_just_now_is_no_fix_of_what_may_be_related() -> None:
    """What did harm in the incident itself is warned of, and never told as what ended another case."""
    tried = (attempt("raised the pool size to 200", Outcome.MADE_WORSE, by="bo"),)
    past = case("past", fix="Raised the pool size to 200")
    found = answer(now(attempts=tried), remembered(past, 0.6))

    assert (found.familiarity, found.case) == (Familiarity.MAYBE, "past")
    assert found.fixes == ()
    assert [one.action for one in found.avoid] == ["raised the pool size to 200"]


def test_what_is_under_way_may_be_related_only() -> None:
    """An incident that may be the failure is told as something that may be."""
    found = answer(now(confidence=0.5))

    assert found.familiarity is Familiarity.NEW
    assert found.under_way[0].text.endswith("nobody has said what ended it, and it may be another failure.")


def test_what_was_tried_so_far_is_told() -> None:
    """Of an incident under way, what others have tried within the hour counts at once, whatever came of it."""
    tried = (
        attempt("raised the pool size to 200", Outcome.MADE_WORSE, by="bo"),
        attempt("restarted the payment workers", Outcome.NO_EFFECT, by="bo"),
        attempt("opened the circuit breaker of checkout", Outcome.WORKED, by="bo"),
    )
    alone = answer(now(attempts=tried))
    known = answer(now(attempts=tried[1:2]), remembered(story(attempts=()), 0.9))

    assert [one.action for one in alone.avoid] == ["raised the pool size to 200", "restarted the payment workers"]
    assert [one.action for one in alone.fixes] == ["opened the circuit breaker of checkout"]
    assert [one.action for one in known.avoid] == ["restarted the payment workers"]


def test_a_cause_that_somebody_found_already_is_told() -> None:
    """As soon as somebody has said why, the incident itself is worth reading."""
    found = answer(now(cause="A deploy halved maxclients."))

    assert found.case == ID
    assert found.cause is not None
    assert found.headline == (
        "It is happening now and began 5 minutes ago: payment: 120 errors in 2 minutes. It was not seen before that."
    )


def test_what_went_quiet_is_under_way_until_somebody_says() -> None:
    """Detection saw it end; whether it is over, and what ended it, is for people to say."""
    found = answer(now(resolved_at=NOW - timedelta(minutes=1)), remembered(story(), 0.9))

    assert found.under_way[0].text.endswith("began 5 minutes ago and is quiet; nobody has said what ended it.")
    assert found.minutes == 34.0


@pytest.mark.parametrize(
    "fields",
    [
        {"minutes_ago": 3 * 24 * 60},
        {"source": "jira"},
        {"minutes_ago": -5},
        {"confidence": 0.97, "gates": ("said to be wrong",)},
    ],
)
def test_what_nobody_closed_for_long_is_no_news(fields: dict[str, Any]) -> None:
    """Old open cases, imported ones, those of the future and those held back are not happening now."""
    gates = fields.pop("gates", ())
    one = now(**fields)
    one = remembered(one.case, one.confidence, gates=gates)

    assert answer(one, remembered(story(), 0.96)).under_way == ()


def test_asked_about_the_last_time_it_happened_again() -> None:
    """On the page of an incident of long ago, the one that is under way is what came later, and it answers."""
    asked = cue(incident="redis-resets", since=NOW - timedelta(weeks=6))
    found = answer(now(), asked=asked)

    assert (found.case, found.familiarity, found.under_way) == (ID, Familiarity.SEEN, ())
    assert found.headline.startswith("Your team hit this 5 minutes ago: payment: 120 errors")


def test_asked_about_one_that_goes_on_the_others_stand_beside() -> None:
    """Two incidents of one failure at the same time tell of the last time, and of each other."""
    asked = cue(incident="inc-20261116-0200-auth", since=NOW - timedelta(minutes=3))
    found = answer(now(), remembered(story(), 0.9), asked=asked)

    assert (found.case, len(found.under_way)) == ("redis-resets", 1)


def test_of_several_that_never_ended_the_one_that_did_answers() -> None:
    """A case that stayed open for weeks tells nothing either; it counts as a time that it happened."""
    found = answer(now(minutes_ago=20 * 24 * 60), remembered(story(), 0.9))

    assert (found.case, found.times_seen) == ("redis-resets", 2)
    assert found.headline.startswith("Your team hit this 6 weeks ago: Payment workers lose")
    assert found.headline.endswith(" 2 incidents of this kind, the last 3 weeks ago.")


def test_what_goes_on_elsewhere_is_theirs() -> None:
    """Another space's incident is no news of ours."""
    one = remembered(now().case, 0.98, space="billing")

    assert diagnose(recollection(one, remembered(story(), 0.9)), space=OWN).under_way == ()


def test_a_known_cause_is_no_reason_to_hide_what_ended_it_before() -> None:
    """Where the incident has a cause and an older case an end, both are told."""
    cause = "Workers did not release their connections after a task."
    found = answer(now(cause=cause), remembered(story(cause=None), 0.9))

    assert found.headline.startswith("Your team hit this 6 weeks ago: Payment workers lose")
    assert found.fixes[0].action.startswith("Release the connection")
    assert found.cause is not None
    assert (found.cause.text, found.cause.evidence) == (cause, (f"cases/{ID}@12",))
