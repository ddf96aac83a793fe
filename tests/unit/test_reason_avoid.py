"""What fixed it and what not to try: pooled over cases, with rules that come before numbers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.remembering import FINGERPRINT, NOW, attempt, case, cue, recollection, remembered, story

from hindcast.model.case import Case, CaseState, Clues, Evidence, Outcome, Resolution, Witness
from hindcast.model.diagnosis import Advice, Diagnosis
from hindcast.model.recollection import Remembered
from hindcast.model.verdict import Experience, Judgement, Matter, Verdict
from hindcast.reason.answer import diagnose
from hindcast.reason.held import HOLD_DAYS_MIN
from hindcast.reason.tries import same, without

WORKED, NO_EFFECT, MADE_WORSE = Outcome.WORKED, Outcome.NO_EFFECT, Outcome.MADE_WORSE
RAISED = "raised the pool size to 200"
GATE = ("bo said it was not this",)


def days(count: float) -> timedelta:
    """So many days."""
    return timedelta(days=count)


def answer(*found: Remembered, experience: Experience = Experience(), **asked: Any) -> Diagnosis:  # noqa: B008
    """The answer to the usual question."""
    return diagnose(recollection(*found, asked=cue(**asked)), experience=experience)


def one(of: tuple[Advice, ...], action: str) -> Advice:
    """The only advice about an action."""
    found = [advice for advice in of if same(advice.action, action)]
    assert len(found) == 1, [advice.action for advice in of]
    return found[0]


def having(id: str, *attempts: Any, **fields: Any) -> Case:  # noqa: A002
    """A case with these attempts and no fix of its own."""
    return case(id, attempts=tuple(attempts), **fields)


def test_what_was_tried_is_counted_over_all_cases() -> None:
    """One action in several cases, worded differently, is one advice with all its outcomes."""
    found = answer(
        remembered(having("a", attempt("restarted the payment workers", NO_EFFECT), ago=days(20))),
        remembered(having("b", attempt("restart of payment workers", NO_EFFECT), ago=days(40))),
        remembered(having("c", attempt("Restarting the payment workers", WORKED), ago=days(90))),
    )
    restart = one(found.fixes, "restarted the payment workers")

    assert (restart.worked, restart.no_effect, restart.made_worse) == (1, 2, 0)
    assert set(restart.evidence) == {"cases/a@12", "cases/b@12", "cases/c@12"}
    assert restart.share < 0.5


def test_prose_that_tells_it_twice_counts_once() -> None:
    """The same attempt in a case's summary and in its timeline is one try."""
    found = answer(remembered(having("a", attempt(RAISED, MADE_WORSE), attempt("raising the pool size", MADE_WORSE))))

    assert one(found.avoid, RAISED).made_worse == 1


def test_what_made_it_worse_once_is_never_a_fix() -> None:
    """Three successes do not outweigh one case of harm: it is told as a dispute with both sides."""
    found = answer(
        *(remembered(case(f"w{n}", fix="Raised the pool size", ago=days(30 * n))) for n in (1, 2, 3)),
        remembered(having("h", attempt(RAISED, MADE_WORSE), ago=days(10)), 0.85),
    )

    assert found.fixes == ()
    assert one(found.avoid, RAISED).made_worse == 1
    assert one(found.avoid, RAISED).worked == 3
    assert {"cases/w1@12", "cases/h@12"} <= set(found.disputes[0].evidence)


def test_lowering_is_not_raising() -> None:
    """That raising a pool did harm says nothing against lowering it."""
    found = answer(remembered(case(fix="Lowered the pool size to 20", attempts=(attempt(RAISED, MADE_WORSE),))))

    assert [fix.action for fix in found.fixes] == ["Lowered the pool size to 20"]
    assert [advice.action for advice in found.avoid] == [RAISED]


def test_harm_is_listed_before_what_had_no_effect() -> None:
    """The most harmful comes first, and what merely did nothing comes last."""
    found = answer(
        remembered(
            having(
                "a",
                attempt("restarted the workers", NO_EFFECT),
                attempt("flushed the cache", MADE_WORSE, "It may have got worse.", confidence=0.3),
                attempt(RAISED, MADE_WORSE, evidence=(Evidence(Witness.TELEMETRY, "From 3 to 40 a second."),)),
            )
        )
    )

    assert [advice.action for advice in found.avoid] == [RAISED, "flushed the cache", "restarted the workers"]


@pytest.mark.parametrize(
    "fields",
    [
        {"gates": GATE},
        {"gates": ("payment no longer exists",)},
        {"gates": ("superseded by cases/b: it says so",), "superseded_by": "cases/b"},
        {"gates": ("superseded by cases/b: it says so", *GATE), "superseded_by": "cases/b"},
    ],
)
def test_a_case_that_was_held_back_offers_no_fix_and_still_warns(fields: dict[str, Any]) -> None:
    """A gate takes away a case's fix, never its warning."""
    old = remembered(story("a", fix="Flush the whole cache", ago=days(300)), 0.9, **fields)
    found = answer(remembered(case("b", fix="Release connections in the teardown")), old)

    assert [fix.action for fix in found.fixes] == ["Release connections in the teardown"]
    assert one(found.avoid, RAISED).made_worse == 1


def test_a_superseded_case_may_confirm_the_fix_that_replaced_it() -> None:
    """The older case had the same fix as well: that is one success more, and no fix of its own."""
    old = remembered(
        case("a", fix="Release connections in the teardown", ago=days(300)),
        0.9,
        gates=("superseded by cases/b: it says so",),
        superseded_by="cases/b",
    )
    found = answer(remembered(case("b", fix="Release connections in the teardown")), old)

    assert [(fix.worked, fix.evidence) for fix in found.fixes] == [(2, ("cases/b@12", "cases/a@12"))]


def test_another_failure_says_nothing() -> None:
    """A case that is most likely another failure neither warns nor fixes."""
    found = answer(
        remembered(case("a", fix="Release connections in the teardown")),
        remembered(story("b", clues=Clues(), fix="Failed over to the replica"), 0.2),
    )

    assert [fix.action for fix in found.fixes] == ["Release connections in the teardown"]
    assert found.avoid == ()
    assert [near.address for near in found.nearest] == ["cases/b@12"]


def test_what_is_likely_the_same_warns_and_offers_no_fix() -> None:
    """A case that is more likely than not the same is compared: its harm counts, its fix does not."""
    found = answer(
        remembered(case("a", fix="Release connections in the teardown")),
        remembered(story("b", clues=Clues(), fix="Failed over to the replica"), 0.6),
    )

    assert [fix.action for fix in found.fixes] == ["Release connections in the teardown"]
    assert one(found.avoid, RAISED).made_worse == 1
    assert found.times_seen == 1
    assert [near.address for near in found.nearest] == ["cases/b@12"]


def test_what_may_be_related_warns_beside_a_sure_answer() -> None:
    """A sibling that is only maybe related gives its warning, and nothing else."""
    found = answer(
        remembered(case("a", fix="Failed over redis")),
        remembered(story("b", clues=Clues(), fix="Drained node 4"), 0.4),
    )

    assert one(found.avoid, RAISED).made_worse == 1
    assert [fix.action for fix in found.fixes] == ["Failed over redis"]


def test_harm_in_a_case_that_is_only_near_takes_no_fix_away() -> None:
    """While nothing is sure, near cases warn; what worked in the likeliest one is still told."""
    found = answer(
        remembered(case("a", fix="Failed over redis"), 0.5),
        remembered(
            having("b", attempt("failed over redis", MADE_WORSE), attempt(RAISED, MADE_WORSE), clues=Clues()), 0.277
        ),
    )

    assert [fix.action for fix in found.fixes] == ["Failed over redis"]
    assert [advice.action for advice in found.avoid] == [RAISED]


def test_what_people_tied_together_is_the_same_failure() -> None:
    """A case that a person said it replaces counts, however little its words match."""
    found = answer(
        remembered(case("b", fix="Release connections in the teardown", supersedes=("a",))),
        remembered(story("a", ago=days(300), clues=Clues()), 0.2),
    )

    assert one(found.avoid, RAISED).made_worse == 1
    assert found.times_seen == 2


def test_a_link_to_an_earlier_incident_makes_no_two_failures_one() -> None:
    """That one incident followed another counts neither as an occurrence nor as a warning: only likeness does."""
    found = answer(
        remembered(case("b", fix="Raised max_connections and closed the leak", previous="a")),
        remembered(story("a", ago=days(1), clues=Clues()), 0.2),
    )

    assert found.times_seen == 1
    assert not found.avoid


def test_a_fix_is_not_blamed_for_another_failure_of_its_service() -> None:
    """An incident that is not surely the same failure does not say that an earlier fix did not last."""
    asking: dict[str, Any] = {"incident": "inc-20261116-0201-payment", "since": NOW}
    known = case("a", fix="Raised the client timeout", ago=days(1))
    near, sure = (answer(remembered(known, confidence), **asking) for confidence in (0.6, 0.97))

    assert [advice.held_of for advice in (*near.fixes, *near.avoid)] == [0]
    assert [advice.held_of for advice in (*sure.fixes, *sure.avoid)] == [1]


def test_the_same_stack_is_the_same_failure() -> None:
    """Two cases with the same frames and fingerprint belong together; the same message alone does not tie them."""
    stack = Clues((FINGERPRINT,), (), ("release", "run_task"))
    best = remembered(case("b", fix="Release connections in the teardown", clues=stack))
    tied = answer(best, remembered(story("a", ago=days(300), clues=stack), 0.2))
    untied = answer(best, remembered(story("a", ago=days(300), clues=Clues((FINGERPRINT,))), 0.2))

    assert (tied.times_seen, untied.times_seen) == (2, 1)


def test_telemetry_weighs_more_than_prose() -> None:
    """Of two actions that worked once each, the one that was counted comes first."""
    counted = (Evidence(Witness.TELEMETRY, "Errors fell from 40 to 0 a second."),)
    found = answer(
        remembered(
            having(
                "a",
                attempt("drained node 4", WORKED, "Draining helped."),
                attempt("failed over redis", WORKED, evidence=counted),
            )
        )
    )

    assert [fix.action for fix in found.fixes] == ["failed over redis", "drained node 4"]
    assert found.fixes[0].share_min > found.fixes[1].share_min


def test_a_settled_case_weighs_more_than_an_open_one() -> None:
    """The same fix is worth more once somebody has said that it was one."""
    settled = answer(remembered(case(fix="Failed over redis"))).fixes[0]
    pending = answer(remembered(case(fix="Failed over redis", state=CaseState.OPEN))).fixes[0]

    assert settled.share_min > pending.share_min


def test_the_fix_of_the_case_that_answers_comes_first() -> None:
    """Another single case's fix is tried after that of the case most like it."""
    found = answer(
        remembered(case("a", fix="Failed over redis", ago=days(90)), 0.97),
        remembered(case("b", fix="Drained node 4", ago=days(20)), 0.96),
    )

    assert [fix.action for fix in found.fixes] == ["Failed over redis", "Drained node 4"]


def test_many_cases_outvote_the_nearest() -> None:
    """Where three cases agree on another fix, that one comes first, and the disagreement is told."""
    found = answer(
        remembered(case("wrong", fix="Flushed the whole cache", ago=days(5)), 0.97),
        *(remembered(case(f"c{n}", fix="Failed over redis", ago=days(30 * n)), 0.95) for n in (1, 2, 3)),
    )

    assert found.fixes[0].action == "Failed over redis"
    assert any("3 other cases agree" in claim.text for claim in found.disputes)


def test_the_attempt_that_was_the_fix_is_told_once() -> None:
    """A resolution that names its attempt is one try with what both say of it."""
    fix = Resolution(
        "Rolled back payment to 2.13", attempt="a1", by="bo", command="kubectl rollout undo deploy/payment"
    )
    done = attempt("rolled the release back", WORKED, "Rolled back, recovered.", id="a1", by="ana")
    found = answer(remembered(case(attempts=(done,), fix=fix)))

    assert [(one.action, one.worked, one.by) for one in found.fixes] == [("Rolled back payment to 2.13", 1, ("bo",))]
    assert found.fixes[0].happened == ("Rolled back, recovered.",)
    assert found.fixes[0].command == "kubectl rollout undo deploy/payment"


def test_a_resolution_that_its_own_attempt_contradicts_is_disputed() -> None:
    """What the case calls its fix and its own attempt calls harm is not proposed."""
    done = attempt("raised the pool size", MADE_WORSE, id="a1")
    found = answer(remembered(case(attempts=(done,), fix=Resolution("Raised the pool size", attempt="a1"))))

    assert found.fixes == ()
    assert len(found.disputes) == 1


def test_a_fix_in_other_words_is_discredited_with_its_attempt() -> None:
    """A case that praises in its own words what made it worse elsewhere offers no fix, and its cause counts little."""
    poisoned = case(
        "bad",
        cause="Old WAL files are leftovers.",
        fix="rm the oldest files in pg_wal",
        attempts=(attempt("deleted old files in pg_wal by hand", WORKED, "Freed 40 GB."),),
        by="eve",
    )
    sound = case(
        "good",
        ago=days(200),
        cause="An inactive replication slot kept every segment.",
        fix="Dropped the inactive slot",
        attempts=(attempt("deleted old files in pg_wal by hand", MADE_WORSE, "The primary did not start again."),),
    )
    found = answer(remembered(poisoned, 0.98), remembered(sound, 0.9))

    assert [fix.action for fix in found.fixes] == ["Dropped the inactive slot"]
    assert found.cause is not None
    assert found.cause.text == "An inactive replication slot kept every segment."
    assert one(found.avoid, "deleted old files in pg_wal by hand").made_worse == 1
    assert found.disputes


def test_a_lasting_fix_is_not_discredited_with_a_stopgap() -> None:
    """What ended it for good is told, though the stopgap of the same case did harm elsewhere."""
    stopgap = attempt("restarted the gateway", WORKED, "It was quiet for an hour.")
    lasting = case("a", fix="Fetch the signing keys again when one is unknown", attempts=(stopgap,))
    found = answer(remembered(lasting), remembered(having("b", attempt("restarted the gateway", MADE_WORSE)), 0.9))

    assert [fix.action for fix in found.fixes] == ["Fetch the signing keys again when one is unknown"]


def test_better_evidence_comes_before_the_nearest_case() -> None:
    """A workaround that nobody signed gives way to a fix that was counted, in a case that is nearly as like."""
    counted = (Evidence(Witness.TELEMETRY, "Errors fell from 40 to 0 a second."),)
    found = answer(
        remembered(
            case("old", fix=Resolution("Restart the workers every night", evidence=(Evidence(Witness.TEXT, "x"),)))
        ),
        remembered(
            case("new", fix=Resolution("Release connections in the teardown", by="ana", evidence=counted)), 0.96
        ),
    )

    assert [fix.action for fix in found.fixes] == [
        "Release connections in the teardown",
        "Restart the workers every night",
    ]


def test_an_end_whose_outcome_nobody_saw_weighs_less() -> None:
    """A case that calls something its fix and its outcome unknown vouches for it by half."""
    unseen = attempt("raised the session timeout to 45 s", Outcome.UNKNOWN)
    doubtful = answer(remembered(case(fix="session timeout = 45 s", attempts=(unseen,)))).fixes[0]
    plain = answer(remembered(case(fix="session timeout = 45 s"))).fixes[0]

    assert doubtful.share_min < plain.share_min


def test_cases_that_are_equally_likely_have_the_same_say() -> None:
    """Where nothing is sure, a case as likely as the first is heard as well."""
    found = answer(
        remembered(case("a", fix="Failed over redis", clues=Clues()), 0.7),
        remembered(case("b", fix="Drained node 4", clues=Clues(), ago=days(90)), 0.7),
    )

    assert [fix.action for fix in found.fixes] == ["Failed over redis", "Drained node 4"]


def test_a_harmful_part_is_cut_out_of_a_fix() -> None:
    """What did harm elsewhere leaves a fix of several parts; the rest of it stays, and the dispute is told."""
    found = answer(
        remembered(having("a", attempt(RAISED, MADE_WORSE))),
        remembered(case("b", fix="Rolled back the release and raised the pool size to 90", ago=days(90)), 0.9),
    )

    assert [fix.action for fix in found.fixes] == ["Rolled back the release"]
    assert "a part of it made it worse in cases/a@12" in found.disputes[0].text


@pytest.mark.parametrize(
    ("action", "left"),
    [
        ("Raised the pool size", ""),
        ("Rolled back the release", "Rolled back the release"),
        ("Rolled back the release, then raised the pool size", "Rolled back the release"),
        ("Raised the pool size and rolled back the release; failed over", "rolled back the release; failed over"),
        ("Raised the pool size and waited", ""),
    ],
)
def test_a_clause_is_cut_at_its_joints(action: str, left: str) -> None:
    """What is left of an action without its harmful clauses still reads as one, or nothing is left."""
    assert without(action, [RAISED]) == left


def test_texts_without_a_known_word_are_the_same_only_if_equal() -> None:
    """Actions in a script that nobody can read here are never thrown together."""
    assert same("再起動した", " 再起動した ")
    assert not same("再起動した", "増やした")
    assert not same("…", "restarted redis")


@pytest.mark.parametrize(
    ("came_back", "now", "held"),
    [
        (None, HOLD_DAYS_MIN + 1, (1, 1)),
        (None, HOLD_DAYS_MIN - 1, (0, 0)),
        (HOLD_DAYS_MIN + 1, 100, (1, 1)),
        (HOLD_DAYS_MIN - 1, 100, (0, 1)),
    ],
)
def test_a_fix_held_when_the_failure_stayed_away(came_back: int | None, now: int, held: tuple[int, int]) -> None:
    """Two weeks without it are a fix that held; a recurrence before that is one that did not; earlier nobody knows."""
    first = remembered(case("a", fix="Failed over redis", ago=days(now), minutes=0.0), 0.95)
    later = [] if came_back is None else [remembered(case("b", ago=days(now - came_back), state=CaseState.OPEN), 0.9)]
    found = answer(first, *later)

    assert (found.fixes[0].held, found.fixes[0].held_of) == held


def test_an_incident_under_way_is_a_recurrence() -> None:
    """A fix of three days ago has not held when an incident asks about the same failure; a question proves nothing."""
    first = remembered(case("a", fix="Failed over redis", ago=days(3)))

    assert answer(first, incident="inc-1").fixes[0].held_of == 1
    assert answer(first).fixes[0].held_of == 0


def test_a_fix_that_did_not_last_gives_way_to_one_that_did() -> None:
    """What came back within days is told among what not to try, as soon as there is something better."""
    found = answer(
        remembered(case("b", fix="Upgraded the redis client", ago=days(60), previous="a")),
        remembered(case("a", fix="Raised the client timeout", ago=days(63)), 0.9),
    )

    assert [fix.action for fix in found.fixes] == ["Upgraded the redis client"]
    assert found.avoid[0].action == "Raised the client timeout"
    assert (found.avoid[0].happened, found.avoid[0].remarks) == ((), ("It came back 3 days later (cases/b@12).",))


def rejected(**fields: Any) -> Experience:
    """Somebody did not want redis to be failed over."""
    given: dict[str, Any] = {
        "matter": Matter.PROPOSAL,
        "judgement": Judgement.WRONG,
        "case": "a",
        "version": 12,
        "fingerprints": (FINGERPRINT,),
        "asked": "resets",
        "confidence": 0.9,
        "by": "bo",
        "at": NOW - days(2),
        "action": "fail over redis",
    }
    return Experience((Verdict(**{**given, **fields}),))


@pytest.mark.parametrize(
    ("fields", "is_proposed"),
    [
        ({}, False),
        ({"case": "cases/a@12"}, False),
        ({"case": "elsewhere"}, False),
        ({"version": 11}, True),
        ({"judgement": Judgement.RIGHT}, True),
        ({"matter": Matter.MEMORY}, True),
        ({"fingerprints": (1,)}, True),
        ({"action": "restart redis"}, True),
        ({"fingerprints": (), "asked": "something else"}, True),
        ({"fingerprints": (), "asked": cue().text}, False),
        ({"at": NOW - days(80)}, True),
    ],
)
def test_a_rejected_fix_is_not_proposed_again(fields: dict[str, Any], is_proposed: bool) -> None:
    """Not for the same failure and action, until the case has changed or a newer one speaks for it."""
    found = answer(remembered(case("a", fix="Failed over redis", ago=days(42))), experience=rejected(**fields))

    assert bool(found.fixes) is is_proposed
    assert any("bo rejected it" in note for note in found.notes) is not is_proposed


def test_the_last_word_about_a_proposal_counts() -> None:
    """Whoever rejected it first and accepted it later gets it proposed."""
    no, yes = rejected(), rejected(judgement=Judgement.RIGHT, at=NOW - days(1))
    found = answer(
        remembered(case("a", fix="Failed over redis", ago=days(42))),
        experience=Experience((*no.verdicts, *yes.verdicts)),
    )

    assert found.fixes


def test_the_order_of_hits_changes_no_advice() -> None:
    """The same cases in another order give the same fixes, warnings and disputes."""
    hits = [
        remembered(story("a")),
        remembered(case("b", fix="Raised the pool size", ago=days(80)), 0.97),
        remembered(having("c", attempt("restarted redis", WORKED), ago=days(10)), 0.97),
    ]
    forward, backward = answer(*hits), answer(hits[0], *reversed(hits[1:]))

    assert (forward.fixes, forward.avoid, forward.disputes) == (backward.fixes, backward.avoid, backward.disputes)


def test_a_dismissed_case_says_nothing() -> None:
    """What turned out to be no incident has no lesson."""
    found = answer(remembered(case("b")), remembered(replace(story("a"), state=CaseState.DISMISSED)))

    assert found.avoid == ()
