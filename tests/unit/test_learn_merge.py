"""Importing again takes the source's new words and keeps what people said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hindcast.learn.merge import settled
from hindcast.learn.postmortem import case_of
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Note, Outcome, Resolution, Witness

AT = datetime(2026, 3, 2, 15, 0, tzinfo=UTC)
PAGE = """# Redis resets

Date: 2026-03-02

We restarted redis, to no avail. Then we flushed the cache.

## Root cause

Workers leak connections.

## Resolution

Capped the pool at 20.
"""


def imported(page: str = PAGE) -> Case:
    """The case of the page."""
    return case_of(page, name="redis.md", fallback_at=AT)


def by_person(quote: str = "said so") -> tuple[Evidence, ...]:
    """A person's word."""
    return (Evidence(Witness.PERSON, quote, "", AT),)


def test_importing_the_same_again_changes_nothing() -> None:
    """The same page settles to the same case."""
    assert settled(imported(), imported()) == imported()


def test_what_people_added_stays() -> None:
    """Attempts, notes, cause and fix by people survive an import, and do so again."""
    case = imported()
    own = Attempt("A1", "drained node 7", Outcome.MADE_WORSE, evidence=by_person())
    note = Note("N1", "ask Dana", AT, "kim")
    completed = replace(
        case,
        attempts=(*case.attempts, own),
        notes=(*case.notes, note),
        cause=Cause("The real cause.", "kim", by_person()),
        resolution=Resolution("The real fix.", by="kim", evidence=by_person()),
        responders=("kim",),
    )
    again = settled(completed, imported())

    assert own in again.attempts
    assert note in again.notes
    assert again.cause is not None
    assert again.cause.text == "The real cause."
    assert again.resolution is not None
    assert again.resolution.text == "The real fix."
    assert "kim" in again.responders
    assert settled(again, imported()) == again


def test_what_the_source_corrects_is_taken() -> None:
    """Fields that only the source gave follow the source."""
    changed = PAGE.replace("Workers leak connections.", "The driver leaks connections.").replace(
        "no avail", "great effect"
    )
    again = settled(imported(), imported(changed))

    assert again.cause is not None
    assert again.cause.text == "The driver leaks connections."


def test_a_judged_attempt_is_not_judged_back() -> None:
    """An outcome that a person gave to an imported attempt stays, beside the source's sentence."""
    case = imported()
    flushed = next(one for one in case.attempts if "flushed" in one.action)
    judged = replace(flushed, outcome=Outcome.MADE_WORSE, evidence=(*by_person(), *flushed.evidence), confidence=1.0)
    known = replace(case, attempts=tuple(judged if one is flushed else one for one in case.attempts))
    again = settled(known, imported())

    assert [one.outcome for one in again.attempts if "flushed" in one.action] == [Outcome.MADE_WORSE]
    assert again == known


def test_an_attempt_that_the_source_took_back_is_gone() -> None:
    """What only the source said, and says no longer, is not remembered against it."""
    shorter = PAGE.replace("We restarted redis, to no avail. ", "")

    assert not [one for one in settled(imported(), imported(shorter)).attempts if "restarted" in one.action]


def test_a_dismissed_case_stays_dismissed() -> None:
    """Somebody said that it was no incident; a page does not bring it back."""
    known = replace(imported(), state=CaseState.DISMISSED)

    assert settled(known, imported()).state is CaseState.DISMISSED
