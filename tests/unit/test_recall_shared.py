"""What other spaces share about a component, and what they keep to themselves."""

from __future__ import annotations

from tests.recalling import NOW, POOL_FINGERPRINT, RESET, STACK, SmallMemory, case, cue, pool_case

from hindcast.model.recollection import Familiarity
from hindcast.model.verdict import Experience, Judgement, Matter, Verdict
from hindcast.recall.remember import recall
from hindcast.recall.shared import Grant, recall_shared

OWN = case("cert", "API certificate expired", "x509: certificate has expired", components=("tls",))
SECRET = pool_case("secret", components=("postgres",), clues=pool_case().clues)


def test_a_shared_component_brings_the_other_teams_case() -> None:
    """A case of another space about the granted component answers, and says whose it is."""
    grant = Grant(SmallMemory(pool_case()), "checkout", frozenset({"redis"}))
    found = recall_shared(SmallMemory(OWN), cue(RESET, frames=STACK), grants=[grant], space="core")

    assert found.best is not None
    assert (found.best.space, found.best.case.id) == ("checkout", "redis-worker-pool")
    assert found.familiarity is Familiarity.SEEN
    assert any("shared by checkout, about redis" in reason for reason in found.best.reasons)
    assert {one.space for one in found.remembered} <= {"core", "checkout"}


def test_without_a_grant_nothing_comes_over() -> None:
    """A grant about another component shares nothing, however well a case matches."""
    grant = Grant(SmallMemory(pool_case()), "checkout", frozenset({"kafka"}))
    asked = cue(f"{RESET} kafka too", frames=STACK)
    found = recall_shared(SmallMemory(OWN), asked, grants=[grant], space="core")

    assert {one.space for one in found.remembered} <= {"core"}


def test_a_question_that_does_not_mention_the_component_asks_nobody() -> None:
    """The other memory is not even searched."""
    theirs = SmallMemory(pool_case())
    grant = Grant(theirs, "checkout", frozenset({"redis"}))
    recall_shared(SmallMemory(OWN), cue("connection reset by peer", frames=STACK), grants=[grant], space="core")

    assert theirs.asked == []


def test_cases_about_other_things_stay_where_they_are() -> None:
    """Of the other space only cases about the granted component come over."""
    kept = case("kept", "Connection reset by peer in payroll", "Connection reset by peer", components=("payroll-db",))
    grant = Grant(SmallMemory(pool_case(), kept), "checkout", frozenset({"redis"}))
    found = recall_shared(SmallMemory(OWN), cue(RESET, frames=STACK), grants=[grant], space="core")

    assert "kept" not in {one.case.id for one in found.remembered}


def test_a_component_that_we_do_not_know_by_name_can_be_shared() -> None:
    """A granted component is found in the text as a whole word, whatever it is called."""
    theirs = case("ledger", "ledger-db locks up", "ledger-db: lock wait timeout", components=("ledger-db",))
    grant = Grant(SmallMemory(theirs), "books", frozenset({"ledger-db"}))

    named = recall_shared(SmallMemory(OWN), cue("ledger-db: lock wait timeout"), grants=[grant])
    other = recall_shared(SmallMemory(OWN), cue("my-ledger-db2: lock wait timeout"), grants=[grant])

    assert "ledger" in {one.case.id for one in named.remembered}
    assert "ledger" not in {one.case.id for one in other.remembered}


def test_two_spaces_may_use_the_same_ids() -> None:
    """An id is known within its space: neither the asking incident nor a verdict here touches the case there."""
    wrong = Verdict(
        Matter.MEMORY, Judgement.WRONG, "redis-worker-pool", 1, (POOL_FINGERPRINT,), RESET, 0.9, by="ana", at=NOW
    )
    asked = cue(RESET, frames=STACK, fingerprints=(POOL_FINGERPRINT,), incident="redis-worker-pool")
    grant = Grant(SmallMemory(pool_case()), "checkout", frozenset({"redis"}))
    found = recall_shared(SmallMemory(pool_case()), asked, Experience((wrong,)), grants=[grant], space="core")

    assert [(one.space, one.gates) for one in found.remembered] == [("checkout", ())]


def test_own_memories_come_first_at_equal_confidence() -> None:
    """The same case known here and there is told as ours first."""
    grant = Grant(SmallMemory(pool_case()), "checkout", frozenset({"redis"}))
    found = recall_shared(SmallMemory(pool_case()), cue(RESET, frames=STACK), grants=[grant], space="core")

    assert [one.space for one in found.remembered] == ["core", "checkout"]


def test_without_grants_it_is_plain_recall() -> None:
    """No grants, no difference."""
    memory = SmallMemory(OWN, pool_case())
    asked = cue(RESET, frames=STACK)

    assert recall_shared(memory, asked, grants=[], space="core") == recall(memory, asked, space="core")
