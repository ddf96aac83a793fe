"""The order of cards, and what they say about why they stand where they stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.carrying import Shelf
from tests.proposing import LOOP, NOW, PAST, advice, card_of, place, proposed, sheet, verdict_on

from hindcast.model.card import CardSeverity, CardSource, CardState, CardVerdict, Proposal
from hindcast.model.code import LineSpan
from hindcast.propose.guard import Passed
from hindcast.propose.rank import Preference, Ranked, preference_of, rank
from hindcast.propose.sheet import Sheet

PATH = "worker/loop.py"
FIXED = LOOP.replace("    task.run(connection)\n", "    task.run(connection)\n    pool.release(connection)\n")
CODE = Shelf({PATH: LOOP})
RELEASE = proposed(CODE, PATH, FIXED)
NOBODY = Preference({}, {})
RUN_TASK = place(PATH, 9, "run_task", LineSpan(8, 10))


def ordered(asked: Sheet, *proposals: Proposal, preference: Preference = NOBODY) -> list[Ranked]:
    """Proposals in their order."""
    read = [CODE.read(PATH)]
    return list(rank([Passed(one, LOOP) for one in proposals], asked, preference, read=read))


def titles(found: list[Ranked]) -> list[str]:
    """What comes first."""
    return [one.passed.proposal.title for one in found]


def decided(
    state: CardState, count: int, source: CardSource = CardSource.CARRIED_OVER, **more: str
) -> list[CardVerdict]:
    """So many decisions about cards of one source."""
    card = card_of(replace(RELEASE, source=source), LOOP)
    return [verdict_on(replace(card, id=f"fix-{state}-{number}"), state, **more) for number in range(count)]


def test_a_fix_that_held_comes_before_a_rule_that_is_surer() -> None:
    """What ended the failure for good is shown before what a linter is certain of."""
    asked = sheet({}, fixes=(advice(RELEASE.action, worked=2, held=2, held_of=2),), places=(RUN_TASK,))
    found = proposed(
        CODE,
        PATH,
        f"# {LOOP}",
        source=CardSource.LINTER,
        title="Lint.",
        evidence=("rule/x",),
        confidence=0.99,
        action="x",
    )

    first, second = ordered(asked, found, RELEASE)

    assert titles([first, second]) == [RELEASE.title, "Lint."]
    assert "the failure stayed away for weeks after it 2 of 2 times" in first.why
    assert "no past incident speaks for it" in second.why


def test_a_fix_that_came_back_comes_after_one_that_held() -> None:
    """Of two past fixes the one after which the failure stayed away is first."""
    short = replace(RELEASE, title="Restart.", action="restart the workers")
    asked = sheet(
        {},
        fixes=(
            advice("restart the workers", worked=3, held=0, held_of=3),
            advice(RELEASE.action, worked=1, held=1, held_of=1),
        ),
    )

    assert titles(ordered(asked, short, RELEASE)) == [RELEASE.title, "Restart."]


def test_what_the_team_takes_moves_up() -> None:
    """Two sources that are equal otherwise stand in the order of how often their cards were accepted."""
    model = replace(RELEASE, source=CardSource.TEAM_RULE, title="By the team's rule.")
    verdicts = [
        *decided(CardState.REJECTED, 5),
        *decided(CardState.ACCEPTED, 4, CardSource.TEAM_RULE),
        *decided(CardState.MODIFIED, 1, CardSource.TEAM_RULE),
    ]

    found = ordered(sheet({}), RELEASE, model, preference=preference_of(verdicts))

    assert titles(found) == [model.title, RELEASE.title]
    assert [one.record for one in found] == ["accepted 5 of 5", "accepted 0 of 5"]
    assert "the team accepted 5 of 5 such cards" in found[0].why
    assert "the team accepted 0 of 5 such cards" in found[1].why


def test_one_rejection_does_not_end_a_source() -> None:
    """With so little to go by, a record says nothing and a share stays near the middle."""
    preference = preference_of(decided(CardState.REJECTED, 1))

    assert preference.record(RELEASE) == "too few to say"
    assert 0.35 < preference.share(RELEASE) < 0.5


def test_only_the_last_word_about_a_card_counts_and_none_that_was_taken_back() -> None:
    """A card that was rejected and then accepted is one acceptance; one that was undone is nothing."""
    card = card_of(RELEASE, LOOP)
    first = verdict_on(card, CardState.REJECTED)
    later = replace(verdict_on(card, CardState.ACCEPTED), at=NOW.replace(hour=3))
    undone = replace(verdict_on(replace(card, id="fix-2"), CardState.ACCEPTED), undone_by="ana")

    found = preference_of([later, first, undone])

    assert (found.taken, found.decided) == ({"carried over": 1}, {"carried over": 1})


def test_a_rule_has_a_record_of_its_own_once_there_is_enough() -> None:
    """Three decisions about one rule say more than those about all rules together."""
    ruled = replace(RELEASE, source=CardSource.LINTER, rule="r1", evidence=("rule/r1",))
    card = card_of(ruled, LOOP)
    verdicts = [verdict_on(replace(card, id=f"fix-{n}"), CardState.ACCEPTED) for n in range(3)]
    other = card_of(replace(ruled, evidence=("rule/r2",)), LOOP)
    verdicts += [verdict_on(replace(other, id=f"fix-o{n}"), CardState.REJECTED) for n in range(5)]
    preference = preference_of(verdicts)

    assert preference.record(ruled) == "accepted 3 of 3 of this rule"
    assert preference.record(replace(ruled, rule="r9")) == "accepted 3 of 8"
    assert preference.share(ruled) > preference.share(replace(ruled, rule="r9"))


def test_where_it_failed_comes_before_elsewhere() -> None:
    """Of two equal changes the one in the function that failed is first, and says so."""
    elsewhere = replace(RELEASE, title="Elsewhere.", lines=LineSpan(4, 5))
    asked = sheet({}, places=(RUN_TASK,))

    first, second = ordered(asked, elsewhere, RELEASE)

    assert titles([first, second]) == [RELEASE.title, "Elsewhere."]
    assert "it is in `run_task`, where it failed" in first.why


def test_a_small_change_comes_before_a_large_one() -> None:
    """What touches many lines stands behind what touches one, and both say how many."""
    large = proposed(CODE, PATH, FIXED + "".join(f"x{n} = {n}\n" for n in range(120)), title="Much.")

    first, second = ordered(sheet({}), large, RELEASE)

    assert titles([first, second]) == [RELEASE.title, "Much."]
    assert "it changes 1 line of `run_task`" in first.why
    assert "Against it: it changes 121 lines" in second.why


@pytest.mark.parametrize("severity", list(CardSeverity))
def test_a_score_is_the_sum_of_its_parts(severity: CardSeverity) -> None:
    """No part can add more than its weight, and all weights together are one."""
    asked = sheet({}, fixes=(advice(RELEASE.action, worked=1, evidence=(PAST,)),), places=(RUN_TASK,))

    (one,) = ordered(asked, replace(RELEASE, severity=severity))

    assert 0 < one.score <= 1
    assert all(0 <= part.share <= 1 for part in one.parts)
    assert [part.name for part in one.parts] == ["evidence", "sureness", "preference", "place", "reach", "severity"]
