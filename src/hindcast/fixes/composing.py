"""A deck put together: the sources are asked one after the other, then guard and ranking decide what is shown.

It knows the order and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from hindcast.model.card import Card, CardVerdict, HeldBack, Proposal, Warned
from hindcast.model.code import SourceFile
from hindcast.model.errors import HindcastError
from hindcast.model.trace import Trace
from hindcast.ports import Code
from hindcast.propose.context import broke_before, troubles
from hindcast.propose.dealt import dealt
from hindcast.propose.guard import Grounds, guard
from hindcast.propose.near_tests import near_tests
from hindcast.propose.printed import printed
from hindcast.propose.rank import CARDS_MAX, Ranked, preference_of, rank
from hindcast.propose.sheet import Sheet, Source

# Warnings are read beside the cards; more of them than this are not read.
WARNED_MAX = 12
HELD_BACK_MAX = 30
# What goes wrong in a source that reads the code of strangers: a defect of ours, and no reason to show nothing.
_FAILURES = (HindcastError, ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError,
             ValueError)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """A source, and what it is called where it could not be asked."""

    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class Composed:
    """What there is to show, and what is kept from being shown."""

    cards: tuple[Card, ...]
    warned: tuple[Warned, ...]
    held_back: tuple[HeldBack, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What the sources had to say."""

    proposals: tuple[Proposal, ...]
    warned: tuple[Warned, ...]
    notes: tuple[str, ...]


def ask(sources: Iterable[Named], sheet: Sheet) -> Found:
    """Ask every source. One that fails is told of, and takes nothing from what the others found."""
    proposals: list[Proposal] = []
    warned: list[Warned] = []
    notes: list[str] = []
    for one in sources:
        try:
            for said in one.source(sheet):
                if isinstance(said, Proposal):
                    proposals.append(said)
                else:
                    warned.append(said)
        except _FAILURES as failure:
            why = str(failure) or type(failure).__name__
            notes.append(f"{one.name} could not be asked: {why[:300]}")
    if sheet.trace is None:
        notes.append("There is no stack trace, so only what memory names was looked at.")
    elif not sheet.places:
        closed = _closed(sheet.trace, sheet.code)
        notes.append(
            f"The trace leads to a file that cannot be looked into: {closed}"
            if closed
            else "No frame of the stack trace is in this workspace."
        )
    return Found(tuple(proposals), _once(warned), tuple(notes))


def _closed(trace: Trace, code: Code) -> str:
    """Why a file that a trace names by its whole path cannot be read: too large, no text; empty where none is so."""
    frames = [frame for raised in trace.raised for frame in raised.frames]
    named = {
        one.parts[at:] for frame in frames for one in printed(frame, trace.language) for at in range(len(one.parts))
    }
    for path in code.paths():
        if tuple(path.split("/")) in named:
            try:
                code.read(path)
            except HindcastError as error:
                return error.problem
    return ""


def _once(warned: Iterable[Warned]) -> tuple[Warned, ...]:
    found = {(one.path, one.lines, one.text): one for one in warned}
    return tuple(found.values())[:WARNED_MAX]


def compose(
    found: Found, sheet: Sheet, verdicts: Iterable[CardVerdict], grounds: Grounds, *, workspace: str, now: datetime,
    read: Mapping[str, SourceFile],
) -> Composed:  # fmt: skip
    """Guard, rank, and deal at most seven."""
    guarded = guard(found.proposals, sheet.code, grounds)
    traced = {place.path for place in sheet.places}
    near = traced | {one.proposal.edit.path for one in guarded.passed}
    callers = [file for path, file in read.items() if path in near]
    ordered = rank(guarded.passed, sheet, preference_of(verdicts), read=callers)
    tests = near_tests({one.passed.proposal.edit.path for one in ordered}, sheet.code.paths())
    cards: dict[str, Card] = {}
    held = list(guarded.held_back)
    for one in ordered:
        card = _card(one, sheet, workspace, now, tests)
        if card.id in cards:
            continue
        if len(cards) < CARDS_MAX:
            cards[card.id] = card
        else:
            proposal = card.proposal
            reason = f"{CARDS_MAX} better ones are shown."
            held.append(HeldBack(proposal.source, proposal.title, proposal.edit.path, reason, proposal.evidence))
    return Composed(tuple(cards.values()), found.warned, tuple(held[:HELD_BACK_MAX]), found.notes)


def _card(ranked: Ranked, sheet: Sheet, workspace: str, now: datetime, tests: Mapping[str, tuple[str, ...]]) -> Card:
    passed = ranked.passed
    proposal = passed.proposal
    # What came with a past fix is surer than what a name tells.
    proposal = replace(proposal, tests=proposal.tests or tests.get(proposal.edit.path, ()))
    told = _broke_before(proposal, sheet)
    if told and told not in proposal.why:
        proposal = replace(proposal, why=f"{proposal.why} {told}")
    card = dealt(proposal, passed.before, incident=sheet.incident, workspace=workspace, at=now)
    undo = f"`hindcast fix undo {card.id}` brings {proposal.edit.path} back to what it was."
    return replace(card, record=ranked.record, standing=ranked.why, again=passed.again, undo=undo)


def _broke_before(proposal: Proposal, sheet: Sheet) -> str:
    """How often what a change touches has broken, as far as the cases that came to mind tell."""
    lines = proposal.lines
    for place in sheet.places:
        body = place.body
        if place.path == proposal.edit.path and body and body.first <= lines.last and lines.first <= body.last:
            told = broke_before(troubles(place, (one.case for one in sheet.recollection.remembered), sheet.code))
            return f"{told.rstrip('.')}." if told else ""
    return ""
