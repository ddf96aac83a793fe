"""Laws of answers, whatever was remembered: no harm among fixes, no claim without evidence, no packing over budget."""

from __future__ import annotations

import io
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tests.remembering import NOW, cue, recollection, remembered, runbook

from hindcast.cli.answer import SCREEN_LINES_MAX, shown
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Outcome, Resolution, Witness
from hindcast.model.recollection import Recollection, Remembered
from hindcast.reason.answer import claims_of, diagnose
from hindcast.reason.markdown import markdown
from hindcast.reason.shares import share
from hindcast.reason.tries import same
from hindcast.recall.pack import TOKENS_MIN, pack, tokens_of

# Few enough that cases meet, and worded so that some are the same and some only nearly.
DONE = (
    "raised the pool size to 200",
    "Increase the redis pool size",
    "lowered the pool size to 20",
    "restarted the payment workers",
    "restart of payment workers",
    "failed over to the replica",
    "rolled back the release and raised the pool size to 90",
    "flushed the cache, then restarted the payment workers",
    "Release connections in the task teardown. Cap the pool at 20.",
    "再起動した",
)
actions = st.sampled_from(DONE)
words = st.one_of(
    st.sampled_from(("", "A leak.", "The pool ran dry. It was small.", "A firewall rule.")), st.text(max_size=60)
)
names = st.sampled_from(("", "ana", "Ana", "bo", "cy\n"))
shares = st.floats(0, 1, allow_nan=False)
evidence = st.lists(st.builds(Evidence, st.sampled_from(Witness), words), max_size=2).map(tuple)


@st.composite
def cases(draw: st.DrawFn, number: int) -> Case:
    """A case with whatever was tried, in any state."""
    attempts = tuple(
        Attempt(
            f"a{n}",
            draw(actions),
            draw(st.sampled_from(Outcome)),
            by=draw(names),
            evidence=draw(evidence),
            confidence=draw(shares),
        )
        for n in range(draw(st.integers(0, 3)))
    )
    fix = draw(
        st.none() | st.builds(Resolution, actions, st.sampled_from(("", "a0", "a9")), by=names, evidence=evidence)
    )
    return Case(
        f"c{number}",
        draw(words),
        NOW - timedelta(days=draw(st.integers(0, 800))),
        draw(st.sampled_from(CaseState)),
        cause=draw(st.none() | st.builds(Cause, words, names)),
        attempts=attempts,
        resolution=fix,
        minutes=draw(st.none() | st.floats(0, 10_000)),
        responders=tuple(draw(st.lists(names, max_size=2))),
        previous=draw(st.sampled_from(("", "c0", "c1"))),
    )


@st.composite
def hits(draw: st.DrawFn) -> tuple[Remembered, ...]:
    """Up to four cases that came to mind, the surest first, those that were held back last."""
    made = []
    for number in range(draw(st.integers(0, 4))):
        gates = draw(st.sampled_from(((), (), (), ("x no longer exists",), ("superseded by cases/c0: it says so",))))
        replaced = "cases/c0" if gates and gates[0].startswith("superseded") else ""
        space = draw(st.sampled_from(("shop", "shop", "billing")))
        made.append(
            remembered(
                draw(cases(number)), draw(shares), gates=gates, superseded_by=replaced, space=space, version=number + 3
            )
        )
    return tuple(sorted(made, key=lambda one: (bool(one.gates), -one.confidence)))


BOOK = runbook("redis", "Redis resets connections", ("Look at maxclients.", "Page whoever owns it."))


def remembering(found: tuple[Remembered, ...]) -> Recollection:
    """What came to mind when the usual question was asked."""
    return recollection(*found, asked=cue())


@given(hits())
def test_nothing_that_did_harm_is_among_the_fixes(found: tuple[Remembered, ...]) -> None:
    """No fix is an action that made it worse in any case that the answer rests on."""
    answer = diagnose(remembering(found), space="shop")
    harmful = [one.action for one in answer.avoid if one.made_worse]

    for fix in answer.fixes:
        assert fix.made_worse == 0
        assert not any(same(fix.action, bad) for bad in harmful)


@given(hits())
def test_the_answering_cases_own_harm_is_always_told(found: tuple[Remembered, ...]) -> None:
    """Whatever made it worse in the case that answers is told as something not to try."""
    recalled = remembering(found)
    answer = diagnose(recalled, space="shop")
    if not answer.case:
        return
    assert recalled.best is not None
    for attempt in recalled.best.case.attempts:
        if attempt.outcome is Outcome.MADE_WORSE:
            assert any(same(one.action, attempt.action) for one in answer.avoid if one.made_worse)


@given(hits())
def test_every_claim_rests_on_a_record_that_came_to_mind(found: tuple[Remembered, ...]) -> None:
    """Each statement has evidence, and all of it is an address and version of the recollection or a runbook."""
    known = {f"{one.address}@{one.version}" for one in found if one.space == "shop"}
    known |= {f"{one.space}:{one.address}@{one.version}" for one in found if one.space != "shop"}
    known.add("runbooks/redis@3")

    for claim in claims_of(diagnose(remembering(found), runbooks=(BOOK,), space="shop")):
        assert claim.evidence
        assert set(claim.evidence) <= known


@given(hits(), st.randoms(use_true_random=False))
def test_the_order_of_hits_changes_no_advice(found: tuple[Remembered, ...], chance: object) -> None:
    """However the cases behind the best are ordered, fixes, warnings and disputes are the same."""
    recalled = remembering(found)
    if recalled.best is None:
        return
    rest = [one for one in found if one is not recalled.best]
    chance.shuffle(rest)  # type: ignore[attr-defined]
    shuffled = remembering((recalled.best, *rest))
    before, after = diagnose(recalled, space="shop"), diagnose(shuffled, space="shop")

    assert (before.fixes, before.avoid, before.cause) == (after.fixes, after.avoid, after.cause)
    assert (set(before.disputes), before.people) == (set(after.disputes), after.people)


@given(hits(), st.integers(TOKENS_MIN, 600))
def test_packing_never_exceeds_its_budget(found: tuple[Remembered, ...], tokens_max: int) -> None:
    """Whatever was remembered, the packed text counts at most the tokens given, and its evidence is the answer's."""
    recalled = remembering(found)
    answer = diagnose(recalled, runbooks=(BOOK,), space="shop")
    packed = pack(recalled, answer, tokens_max=tokens_max)
    known = {ref for claim in claims_of(answer) for ref in claim.evidence} | {one.address for one in answer.nearest}

    assert tokens_of(packed.text) == packed.tokens <= tokens_max
    assert set(packed.evidence) <= known
    assert all(line.isprintable() for line in packed.text.split("\n"))


@given(hits(), st.integers(40, 160))
def test_a_screen_is_never_left(found: tuple[Remembered, ...], width: int) -> None:
    """No line is wider than the terminal, and at 100 columns no answer is longer than a screen."""
    answer = diagnose(remembering(found), runbooks=(BOOK,), space="shop")
    out = io.StringIO()
    Console(file=out, width=width, markup=False, highlight=False, emoji=False, color_system=None).print(
        shown(answer, width=width)
    )
    lines = out.getvalue().splitlines()

    assert all(cell_len(line) <= width for line in lines)
    assert len(lines) <= SCREEN_LINES_MAX or width < 100
    assert all(char.isprintable() or char == "\n" for char in out.getvalue())


@given(hits())
def test_a_document_can_always_be_written(found: tuple[Remembered, ...]) -> None:
    """Markdown holds every fix and every warning of the answer, and nothing that a terminal would act on."""
    answer = diagnose(remembering(found), space="shop")
    text = markdown(answer, remembering(found))

    assert text.count("\n- ") >= len(answer.fixes) + len(answer.avoid)
    assert "\x1b" not in text


@given(st.floats(0, 50), st.floats(0, 50), st.floats(0.1, 10))
def test_more_success_is_never_a_worse_bet(hits: float, misses: float, more: float) -> None:
    """One more success raises both the mean and the lower end, and the lower end stays below the mean."""
    before, after = share(hits, misses), share(hits + more, misses)

    assert before.mean <= after.mean
    assert before.least <= after.least + 1e-6
    assert 0 <= before.least <= before.mean <= 1
