"""From a recollection to an answer: what is said when something was seen, may be related, or is new."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.remembering import NOW, OWN, attempt, case, cue, recollection, remembered, runbook, story

from hindcast.model.case import Cause, Clues, Outcome, Resolution
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.recollection import Familiarity, Remembered
from hindcast.model.verdict import Reliability
from hindcast.reason.answer import claims_of, diagnose
from hindcast.reason.causes import agree
from hindcast.reason.headline import percent
from hindcast.reason.markdown import fenced, markdown, plain

KAFKA = cue("lag", clues=Clues((5,), ("CommitFailedException",), (), ("max_poll",), ("kafka",)), services=("orders",))
LAG = runbook("kafka.lag", "Kafka consumers fall behind", ("Look at the lag.", "Check for a rebalance loop."))


def days(count: float) -> timedelta:
    """So many days."""
    return timedelta(days=count)


def answer(*found: Remembered, **fields: Any) -> Diagnosis:
    """The answer to the usual question, asked in the usual space."""
    asked = fields.pop("asked", None)
    return diagnose(recollection(*found, asked=asked), **{"space": OWN, **fields})


def test_what_was_seen_is_told_in_one_sentence() -> None:
    """The headline says when, what, how long it took, who ended it and how."""
    assert answer(remembered(story())).headline == (
        "Your team hit this 6 weeks ago: Payment workers lose their Redis connections. "
        "Fixed in 34 minutes by ana: "
        "Release the connection explicitly in the task teardown, with a cap of 20 connections."
    )


def test_recurrences_are_counted() -> None:
    """Three cases of the same failure are counted in a sentence of their own, behind the one that is told."""
    found = answer(
        remembered(story("a", ago=days(240), minutes=10.0)),
        remembered(story("b", ago=days(300), minutes=30.0), 0.9),
        remembered(story("c", ago=days(400), minutes=300.0), 0.9),
    )

    assert found.headline.startswith("Your team hit this 8 months ago: Payment workers lose their Redis connections.")
    assert found.headline.endswith(" 3 incidents of this kind, the last in March; median 30 minutes.")
    assert found.times_seen == 3
    assert (found.minutes, found.minutes_median) == (10.0, 30.0)
    assert [(one.evidence, one.minutes) for one in found.others] == [("cases/b@12", 30.0), ("cases/c@12", 300.0)]


def test_the_answer_says_how_sure_it_is() -> None:
    """Confidence and how often that level was right come from the recollection, as measured."""
    known = Reliability(0.9, 1.0, 38, 35)
    found = diagnose(recollection(remembered(story(), 0.93), reliability=known))

    assert (found.confidence, found.reliability) == (0.93, known)
    assert [percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0 %", "1 %", "50 %", "99 %", "99 %"]


def test_what_may_be_related_is_never_an_instruction() -> None:
    """Below the gate nothing is told to be done: the cause and the fix are what happened then."""
    found = answer(remembered(story(), 0.5))

    assert found.headline.startswith("Maybe related: ")
    assert found.fixes
    assert found.cause is not None
    assert not any(step.text.startswith(("Do ", "Check that", "Consider")) for step in found.next_steps)
    assert any("this made it worse then: raised the pool size" in step.text for step in found.next_steps)


def test_first_sight_says_so() -> None:
    """Nothing near: no case, no cause, no fix, no step that nobody has evidence for."""
    found = answer()

    assert found.headline == "Not seen before. Nothing in memory is like it."
    assert (found.case, found.cause, found.fixes, found.avoid, found.next_steps) == ("", None, (), (), ())


def test_first_sight_shows_the_nearest_and_what_differs() -> None:
    """What is nearest is compared, and gives no advice."""
    found = answer(remembered(story(services=("search",)), 0.09, reasons=()))

    assert found.familiarity is Familiarity.NEW
    assert (found.fixes, found.avoid) == ((), ())
    assert found.nearest[0].alike == ("the same exception: ConnectionResetError", "the same component: redis")
    assert found.nearest[0].differs == ("It is in payment now; then it was in search.",)


def test_harm_in_a_near_case_is_worth_a_word() -> None:
    """One chance in four that it is the same is enough for a warning, told as one of a near case; no fix is."""
    found = answer(remembered(story(), 0.26))

    assert found.familiarity is Familiarity.NEW
    assert [one.action for one in found.avoid] == ["raised the pool size to 200"]
    assert found.fixes == ()
    assert [step.text for step in found.next_steps] == [
        "Think twice, it made a case that is near worse: raised the pool size to 200."
    ]


def test_a_near_case_warns_though_another_replaced_it() -> None:
    """On first sight the harm of a case that was held back is told like that of the case which replaced it."""
    old = remembered(story("a"), 0.27, gates=("superseded by cases/b: it says so",), superseded_by="cases/b")
    found = answer(remembered(case("b", ago=days(5)), 0.27), old)

    assert [one.evidence for one in found.avoid] == [("cases/a@12",)]


def test_first_sight_gives_the_checks_of_a_runbook_that_fits() -> None:
    """A runbook about the component is quoted step by step, with its version; another one is not."""
    other = runbook("ldap.login", "Nobody can log in", ("Ask LDAP for a known user.",), "Mentions kafka once.")
    found = answer(asked=KAFKA, runbooks=(other, LAG))

    assert [step.text for step in found.next_steps] == [
        "Runbook “Kafka consumers fall behind”: Look at the lag.",
        "Runbook “Kafka consumers fall behind”: Check for a rebalance loop.",
    ]
    assert {step.evidence for step in found.next_steps} == {("runbooks/kafka.lag@3",)}
    assert answer(asked=KAFKA, runbooks=(other,)).next_steps == ()


@pytest.mark.parametrize(
    "body", [None, "text", {}, {"title": 3, "steps": "no list", "text": None}, {"steps": [1, None]}]
)
def test_a_runbook_of_another_shape_is_left_out(body: Any) -> None:
    """Whatever somebody remembered as a runbook, the answer does not break."""
    assert answer(asked=KAFKA, runbooks=(replace(LAG, body=body),)).next_steps == ()


def test_a_runbook_helps_where_no_fix_is_known() -> None:
    """A failure that was seen and never solved gets the generic checks as well; one with a fix does not need them."""
    open_case = case(components=("kafka",), services=("orders",))
    unsolved = answer(remembered(open_case), asked=KAFKA, runbooks=(LAG,))
    solved = answer(remembered(replace(open_case, resolution=Resolution("Failed over"))), asked=KAFKA, runbooks=(LAG,))

    assert any("Look at the lag" in step.text for step in unsolved.next_steps)
    assert not any("Look at the lag" in step.text for step in solved.next_steps)


def test_everything_held_back_is_not_an_answer() -> None:
    """A retired service's case is shown with its reason; its fix is not told, its harm is."""
    found = answer(remembered(story(), 0.95, gates=("legacy-pay no longer exists",)))

    assert found.familiarity is Familiarity.NEW
    assert "held back (legacy-pay no longer exists)" in found.headline
    assert (found.fixes, found.cause, found.case) == ((), None, "")
    assert [one.action for one in found.avoid] == ["raised the pool size to 200"]
    assert found.nearest[0].differs[0] == "legacy-pay no longer exists."


def test_a_case_without_cause_or_end_says_what_is_missing() -> None:
    """What nobody wrote down is named, with the command that completes it."""
    found = answer(remembered(case(attempts=(attempt("drained node 4", Outcome.UNKNOWN, id="a7"),), minutes=None)))

    assert found.headline.endswith("How it ended is not recorded.")
    assert (found.cause, found.fixes, found.avoid) == (None, (), ())
    assert [one.outcome for one in found.tried] == [Outcome.UNKNOWN]
    assert [note.rpartition(": ")[2] for note in found.notes] == [
        "hindcast incident resolve redis-resets --cause …",
        "hindcast incident resolve redis-resets --fix …",
        "hindcast incident attempt redis-resets --set a7 --outcome …",
    ]


def test_the_cause_of_another_case_of_the_same_failure_will_do() -> None:
    """Where the best case knows no cause, one that somebody found elsewhere is told, with its own evidence."""
    found = answer(remembered(case("a")), remembered(case("b", cause="A leak.", ago=days(90)), 0.9))

    assert found.cause is not None
    assert (found.cause.text, found.cause.evidence) == ("A leak.", ("cases/b@12",))


def test_causes_that_disagree_are_disputed() -> None:
    """Two causes are both told: one as the cause, the other as what another record says."""
    found = answer(remembered(story("a")), remembered(case("b", cause="A firewall rule dropped idle sockets."), 0.9))

    assert found.cause is not None
    assert found.cause.evidence == ("cases/a@12",)
    assert found.disputes[0].text == "cases/b@12 gives another cause: “A firewall rule dropped idle sockets”."
    assert set(found.disputes[0].evidence) == {"cases/a@12", "cases/b@12"}


def test_the_cause_that_most_cases_give_is_told() -> None:
    """One confident record does not outweigh three that agree."""
    wrong = case("wrong", cause="Redis is too small.")
    others = [case(f"c{n}", cause="The pool leaks connections.", ago=days(30 * n)) for n in (2, 3, 4)]
    found = answer(remembered(wrong), *(remembered(one, 0.95) for one in others))

    assert found.cause is not None
    assert found.cause.text == "The pool leaks connections."
    assert found.disputes[0].text.startswith("cases/wrong@12 gives another cause")


@pytest.mark.parametrize(
    "guess", ["unknown, some leak in the workers", "Slow network to the brokers?", "Root cause TBD"]
)
def test_a_guess_gives_way_to_a_cause(guess: str) -> None:
    """What nobody was sure of is told only where nobody knows better."""
    known = remembered(case("b", cause="A firewall rule dropped idle sockets.", ago=days(90)), 0.9)
    alone, beside = answer(remembered(case("a", cause=guess))), answer(remembered(case("a", cause=guess)), known)

    assert alone.cause is not None
    assert beside.cause is not None
    assert alone.cause.evidence == ("cases/a@12",)
    assert alone.next_steps[0].text.startswith("Look for the cause; all that was known then: ")
    assert beside.cause.evidence == ("cases/b@12",)


@pytest.mark.parametrize(
    ("a", "b", "agreed"),
    [
        ("Workers did not release connections", "connections were never released by the worker", True),
        ("The certificate had expired", "A pool of connections ran dry", False),
        (
            "process did not reload the renewed keystore",
            "nginx reads the certificate at start; nothing reloads it",
            True,
        ),
        ("default CPU limit throttles the jobs", "CFS quota too small: throttled, esp. during JIT", True),
        ("A leak.", "The client leaks sockets.", True),
        ("接続が漏れていた", "接続が漏れていた", True),
        ("接続が漏れていた", "証明書が切れていた", False),
    ],
)
def test_causes_agree_by_their_words(a: str, b: str, agreed: bool) -> None:
    """The same thing in other forms of its words is agreement; nothing in common is none."""
    assert agree(a, b) is agreed
    assert agree(b, a) is agreed


def test_to_name_the_same_component_is_no_agreement() -> None:
    """Two causes of a failure of Redis both name Redis; that alone makes them no one cause."""
    found = answer(
        remembered(story("a", cause="Redis kept the connections of dead workers.")),
        remembered(case("b", cause="The payment network dropped packets to Redis."), 0.9),
    )

    assert found.cause is not None
    assert found.cause.evidence == ("cases/a@12",)
    assert found.disputes[0].text.startswith("cases/b@12 gives another cause: ")


def test_not_to_know_is_no_other_opinion() -> None:
    """A case of which nobody knew the cause neither vouches for what another one says, nor disputes it."""
    found = answer(
        remembered(story("a", cause="The workers did not release their connections.")),
        remembered(case("b", cause="unknown, some leak in the workers"), 0.9),
    )

    assert found.cause is not None
    assert found.cause.evidence == ("cases/a@12",)
    assert found.disputes == ()


def test_an_old_case_is_told_to_be_old() -> None:
    """After a year somebody should look whether it still holds."""
    assert any("This is from 2 years ago" in note for note in answer(remembered(story(ago=days(735)))).notes)
    assert not any("This is from" in note for note in answer(remembered(story())).notes)


def test_what_differs_this_time_is_told() -> None:
    """Other services, another exception, another component, and a change that was not there then."""
    asked = cue(services=("checkout",), clues=Clues((1,), ("TimeoutError",), (), (), ("redis", "kafka")))
    found = answer(remembered(story()), asked=asked, changes=("deploy of checkout 4.12.0",))

    assert found.differs == (
        "It is in checkout now; then it was in payment.",
        "The exception is TimeoutError now; then it was ConnectionError and ConnectionResetError.",
        "It mentions kafka; then it did not.",
        "Just before it: deploy of checkout 4.12.0. Then there was no such change.",
    )


def test_silence_is_no_difference() -> None:
    """What the question does not say is not held against the memory."""
    assert answer(remembered(story()), asked=cue("resets", clues=Clues(), services=())).differs == ()


def test_who_knows_comes_with_how_often() -> None:
    """Those of the incident that is told come first, with what they did in it; two spellings are one person."""
    found = answer(
        remembered(story("a")),
        remembered(story("b", by="Ana", ago=days(90)), 0.9),
        remembered(story("c", by="cy", ago=days(120)), 0.9),
    )

    assert found.people[0].text == (
        "ana: fixed it and found the cause, 6 weeks ago; had a part in 3 incidents of this kind"
    )
    assert found.people[0].evidence[0] == "cases/a@12"
    assert set(found.people[0].evidence) == {"cases/a@12", "cases/b@12", "cases/c@12"}
    assert [one.text.partition(":")[0] for one in found.people] == ["ana", "bo", "cy"]


def test_the_last_step_is_how_to_say_whether_it_was_right() -> None:
    """The command names the case and the question; a long question is not repeated."""
    found = [
        answer(remembered(story()), asked=asked).next_steps[-1].text
        for asked in (cue("it's slow"), cue("x " * 80), cue(incident="inc-9"))
    ]

    assert [text.partition("--right ")[2] for text in found] == [
        "--for 'it'\"'\"'s slow' (or --wrong)",
        "--for TEXT (or --wrong)",
        "--incident inc-9 (or --wrong)",
    ]


def test_what_another_space_shares_is_called_theirs() -> None:
    """Evidence names the space; nothing tells the reader to judge a case that is not in their own memory."""
    found = answer(remembered(story(), space="billing", reasons=("shared by billing, about redis",)))

    assert found.headline.startswith("billing hit this 6 weeks ago")
    assert found.case == "billing:redis-resets"
    assert found.fixes[0].evidence == ("billing:cases/redis-resets@12",)
    assert not any("verdict" in step.text for step in found.next_steps)


def test_two_spaces_with_the_same_id_stay_apart() -> None:
    """The same id in two spaces is two cases: two pieces of evidence, and one that is ours."""
    found = answer(remembered(story(ago=days(30))), remembered(story(ago=days(42)), 0.9, space="billing"))

    assert found.times_seen == 1
    assert found.fixes[0].worked == 2
    assert found.fixes[0].evidence == ("cases/redis-resets@12", "billing:cases/redis-resets@12")
    # That it happened here three weeks after it was fixed there says nothing about their fix.
    assert (found.fixes[0].held, found.fixes[0].held_of) == (2, 2)


def test_every_claim_names_a_record() -> None:
    """All that an answer claims can be looked up."""
    found = answer(remembered(story()), remembered(case("b", cause="Another.", fix="Raised the pool size"), 0.9))
    known = {"cases/redis-resets@12", "cases/b@12"}

    assert len(claims_of(found)) > 10
    assert all(claim.evidence and set(claim.evidence) <= known for claim in claims_of(found))


def test_remembered_text_stays_text_in_markdown() -> None:
    """No heading, link, tag or block of ours can be made or ended by what somebody remembered."""
    assert (
        plain("# a [b](c) <d> `e` *f* _g_ | h\n\x1b[31m")
        == "\\# a \\[b\\](c) \\<d\\> \\`e\\` \\*f\\* \\_g\\_ \\| h �\\[31m"
    )
    assert next(fenced("a\n````\nb")) == "`````text"
    text = markdown(answer(remembered(case(cause="```\n# Heading", fix="- [x] done <script>"))))
    assert "\n# Heading" not in text
    assert "<script>" not in text


def test_markdown_tells_the_whole_answer() -> None:
    """Every part of the answer has its section, and the trace comes when it is asked for."""
    hits = recollection(
        remembered(story()), remembered(case("b", cause="Another thing entirely.", fix="Raised the pool"), 0.9)
    )
    text = markdown(diagnose(hits), hits)

    for heading in (
        "How so",
        "Cause",
        "Fix",
        "Don't try",
        "Who knows",
        "Where records disagree",
        "Next",
        "What came to mind",
    ):
        assert f"\n### {heading}\n" in text
    assert "arm keys: #1 (7.250)" in text
    assert "What came to mind" not in markdown(diagnose(hits))


def test_ages_are_counted_from_when_it_was_asked() -> None:
    """The same case is yesterday's for whoever asked then."""
    asked = cue(at=NOW - days(41))

    assert "hit this yesterday" in answer(remembered(story()), asked=asked).headline


def test_a_blank_cause_is_none() -> None:
    """A field that holds nothing but blanks says nothing."""
    found = answer(remembered(case(cause=None, resolution=Resolution("  "))))
    blank = answer(remembered(replace(case(), cause=Cause(" \n"))))

    assert (found.fixes, blank.cause) == ((), None)
