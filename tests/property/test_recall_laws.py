"""Laws of recall that hold for any cases and any question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.recalling import NOW, SmallMemory, case

from hindcast.model.case import Case, CaseState, Clues
from hindcast.model.recollection import Cue, CueKind, Familiarity
from hindcast.model.verdict import Experience
from hindcast.recall.evaluate import Judged, measure
from hindcast.recall.rarity import Rarity
from hindcast.recall.remember import recall
from hindcast.recall.stacks import align

WORDS = st.sampled_from(
    ["redis", "pool", "reset", "timeout", "kafka", "lag", "disk", "full", "certificate", "expired", "worker", "leak"]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
NAMES = st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True).map(tuple)
IDS = st.sampled_from([f"case-{number}" for number in range(6)])


@st.composite
def clues(draw: st.DrawFn) -> Clues:
    """What might be found in a text."""
    return Clues(
        fingerprints=tuple(draw(st.lists(st.integers(1, 4), max_size=2))),
        exceptions=draw(NAMES),
        frames=draw(NAMES),
        identifiers=draw(NAMES),
        components=draw(NAMES),
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[Case, ...]:
    """Up to six cases, some replacing one another, some dismissed."""
    ids = draw(st.lists(IDS, unique=True, max_size=6))
    return tuple(
        case(
            id_,
            draw(SENTENCES),
            days_ago=draw(st.floats(0, 700)),
            clues=draw(clues()),
            services=draw(NAMES),
            state=draw(st.sampled_from(CaseState)),
            supersedes=tuple(draw(st.lists(IDS, max_size=2))),
        )
        for id_ in ids
    )


@st.composite
def cues(draw: st.DrawFn) -> Cue:
    """Any question."""
    text = draw(SENTENCES | st.text(min_size=1).filter(lambda text: bool(text.replace("\0", " ").strip())))
    return Cue(text, draw(st.sampled_from(CueKind)), NOW, draw(clues()), draw(NAMES), draw(IDS | st.just("")))


@given(histories(), cues(), st.booleans(), NAMES)
def test_whatever_is_asked_the_answer_is_in_order(
    history: tuple[Case, ...], asked: Cue, model: bool, retired: tuple[str, ...]
) -> None:
    """Free before held back, surest first, each case once, never the asker nor what was dismissed."""
    found = recall(SmallMemory(*history, model=model), asked, Experience(retired=frozenset(retired)))
    remembered = found.remembered

    assert [bool(one.gates) for one in remembered] == sorted(bool(one.gates) for one in remembered)
    free = [one.confidence for one in remembered if not one.gates]
    assert free == sorted(free, reverse=True)
    assert all(0 < one.confidence < 1 for one in remembered)
    ids = [one.case.id for one in remembered]
    assert len(ids) == len(set(ids))
    assert asked.incident not in ids
    assert all(one.case.state is not CaseState.DISMISSED for one in remembered)
    assert found.familiarity is (found.best.familiarity if found.best is not None else Familiarity.NEW)
    # Whatever replaces something is itself in the list and held back by nothing but a replacement of its own.
    shown = {one.address: one for one in remembered}
    assert all(one.superseded_by in shown and one.gates for one in remembered if one.superseded_by)


@given(histories(), cues())
def test_the_order_in_which_cases_are_found_decides_nothing(history: tuple[Case, ...], asked: Cue) -> None:
    """The same cases in another order of records give the same answer."""
    one = recall(SmallMemory(*history), asked)
    other = recall(SmallMemory(*reversed(history)), asked)

    assert [(hit.case.id, round(hit.confidence, 9)) for hit in one.remembered] == [
        (hit.case.id, round(hit.confidence, 9)) for hit in other.remembered
    ]


@given(NAMES, NAMES)
def test_alignment_is_a_share_and_goes_both_ways(asked: tuple[str, ...], remembered: tuple[str, ...]) -> None:
    """How alike two stacks are lies between 0 and 1 and does not depend on which is asked."""
    found = align(asked, remembered, Rarity([], ()))

    assert 0 <= found <= 1
    assert abs(found - align(remembered, asked, Rarity([], ()))) < 1e-9
    assert found == 0 or set(asked) & set(remembered)


@given(
    st.lists(
        st.builds(
            Judged,
            query_id=st.just("q"),
            ranked=st.lists(st.sampled_from("abcd"), unique=True).map(tuple),
            confidence=st.floats(0, 1),
            seen=st.booleans(),
            relevant=st.frozensets(st.sampled_from("abcd")),
        )
    )
)
def test_measures_are_shares_that_fit_together(judged: list[Judged]) -> None:
    """Deeper is never worse, a reciprocal place lies between, and every answer is in the table once."""
    found = measure(judged)

    assert 0 <= found.r1 <= found.mrr <= 1
    assert found.r1 <= found.r5 <= found.r10 <= 1
    assert 0 <= found.false_recall <= found.answered <= 1
    assert 0 <= found.ece <= 1
    assert sum(level.asked for level in found.reliability) == sum(bool(one.ranked) for one in judged)
