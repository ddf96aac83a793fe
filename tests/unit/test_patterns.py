"""What worked how often, over incidents that need not be the same failure."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.remembering import NOW, attempt, case

from hindcast.model.case import Case, CaseState, Outcome
from hindcast.reason.patterns import CASES_MAX, patterns_of


def known(*cases: Case) -> list[tuple[Case, str]]:
    """Cases with what to cite for each."""
    return [(one, f"cases/{one.id}@{number}") for number, one in enumerate(cases, 1)]


def restarted(id_: str, outcome: Outcome, action: str = "restarted the payment workers") -> Case:
    """A case in which one thing was tried."""
    return case(id_, attempts=(attempt(action, outcome),))


def test_the_same_deed_is_counted_together_in_other_words() -> None:
    """Two wordings of one deed are one tendency, with every outcome counted and every incident cited."""
    found = patterns_of(
        known(
            restarted("a", Outcome.WORKED),
            restarted("b", Outcome.NO_EFFECT, "restart of the payment workers"),
            restarted("c", Outcome.MADE_WORSE),
        )
    )

    (only,) = found.tendencies
    assert (only.worked, only.no_effect, only.made_worse, only.tried) == (1, 1, 1, 3)
    assert set(only.evidence) == {"cases/a@1", "cases/b@2", "cases/c@3"}
    assert only.action == "restarted the payment workers"


def test_few_tries_have_a_wide_interval() -> None:
    """One success says little, ten say more: the interval narrows, and certainty is never reached."""
    once = patterns_of(known(restarted("a", Outcome.WORKED))).tendencies[0]
    often = patterns_of(known(*(restarted(f"a{n}", Outcome.WORKED) for n in range(10)))).tendencies[0]

    assert once.share_min < often.share_min < often.share < often.share_max < 1
    assert often.share_max - often.share_min < once.share_max - once.share_min


def test_what_works_comes_first_and_what_does_not_comes_last() -> None:
    """The order is by how surely something works."""
    found = patterns_of(
        known(
            restarted("a", Outcome.NO_EFFECT, "restarted the gateway"),
            restarted("b", Outcome.WORKED, "rolled back the release"),
            restarted("c", Outcome.WORKED, "rolled back the release"),
            restarted("d", Outcome.WORKED, "renewed the certificate"),
        )
    )

    assert [one.action for one in found.tendencies] == [
        "rolled back the release",
        "renewed the certificate",
        "restarted the gateway",
    ]


def test_one_incident_counts_once_for_a_deed_and_its_harm_first() -> None:
    """An incident that tells of a deed twice counts once, and what did harm in it counts as harm."""
    twice = case(
        "a",
        attempts=(
            attempt("restarted the payment workers", Outcome.WORKED, id="a1"),
            attempt("restarted the payment workers", Outcome.MADE_WORSE, id="a2"),
        ),
    )

    (only,) = patterns_of(known(twice)).tendencies
    assert (only.worked, only.made_worse) == (0, 1)


def test_sameness_is_not_passed_on() -> None:
    """Over different failures, a deed joins others only if it is the same as each of them."""
    found = patterns_of(
        known(
            restarted("a", Outcome.WORKED, "added two gateway pods"),
            restarted("b", Outcome.MADE_WORSE, "scaled the gateway 4 -> 12"),
            restarted("c", Outcome.NO_EFFECT, "raised maxReplicas of the gateway pods to 30"),
            restarted("d", Outcome.NO_EFFECT, "raised maxReplicas to 30"),
        )
    )

    assert len(found.tendencies) > 1


def test_the_same_verb_is_not_the_same_deed() -> None:
    """Restarting two different things is two deeds, and so is changing two different settings."""
    found = patterns_of(
        known(
            restarted("a", Outcome.WORKED, "sorted the ids before updating"),
            restarted("b", Outcome.MADE_WORSE, "set maxmemory-policy to noeviction"),
            restarted("c", Outcome.NO_EFFECT, "npm update of the ca bundle"),
        )
    )

    assert len(found.tendencies) == 3


def test_times_recurrences_and_dismissals_are_counted() -> None:
    """Incidents, resolved ones, recurrences and the middle of their lengths; what was no incident does not count."""
    found = patterns_of(
        known(
            case("a", minutes=10.0),
            case("b", minutes=30.0, previous="a"),
            case("c", minutes=50.0, state=CaseState.OPEN),
            case("d", minutes=5_000.0, state=CaseState.DISMISSED),
        )
    )

    assert (found.incidents, found.resolved, found.recurrences, found.minutes) == (3, 2, 1, 30.0)


def test_only_the_newest_are_compared_and_the_rest_is_told() -> None:
    """Beyond a limit older incidents are left out, and how many they are is said."""
    many = [case(f"a{n}", ago=timedelta(days=n + 1)) for n in range(CASES_MAX + 3)]

    found = patterns_of(known(*many))

    assert (found.incidents, found.older) == (CASES_MAX, 3)


def test_nothing_gives_nothing() -> None:
    """Without incidents there are no tendencies and no times."""
    found = patterns_of([])

    assert (found.incidents, found.minutes, found.tendencies) == (0, None, ())


@pytest.mark.parametrize("outcome", list(Outcome))
def test_an_unknown_outcome_is_no_success(outcome: Outcome) -> None:
    """Only what is known to have worked counts as such."""
    (only,) = patterns_of(known(restarted("a", outcome))).tendencies

    assert only.worked == (outcome is Outcome.WORKED)
    assert only.tried == (outcome is not Outcome.UNKNOWN)
    assert only.last_at <= NOW
