"""Sheets, proposals and verdicts for tests of what becomes a card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from tests.carrying import Shelf

from hindcast.model.card import Card, CardSource, CardState, CardVerdict, Proposal
from hindcast.model.case import Attempt, Case
from hindcast.model.code import Edit, LineSpan, Place
from hindcast.model.diagnosis import Advice, Diagnosis
from hindcast.model.recollection import Cue, CueKind, Familiarity, Recollection, Remembered
from hindcast.propose.dealt import dealt
from hindcast.propose.lint import changed
from hindcast.propose.sheet import Sheet

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
PAST = "cases/past-redis@7"
LOOP = """\
import redis


def take(pool):
    return pool.get()


def run_task(task, pool):
    connection = take(pool)
    task.run(connection)
"""


def digest(text: str) -> str:
    """Of a file as the shelf has it."""
    return sha256(text.encode()).hexdigest()


def proposed(code: Shelf, path: str, now: str, **more: Any) -> Proposal:
    """A change of a file to another text."""
    before = code.files[path]
    given: dict[str, Any] = {
        "source": CardSource.CARRIED_OVER,
        "title": "Release the connection when a task ends.",
        "why": "It ended it then.",
        "evidence": (PAST,),
        "confidence": 0.8,
        "action": "release the connection in the teardown",
        **more,
    }
    return Proposal(edit=Edit(path, digest(before), now), lines=changed(before, now), **given)


def advice(action: str, **counts: Any) -> Advice:
    """What memory says about an action."""
    given: dict[str, Any] = {"worked": 0, "no_effect": 0, "made_worse": 0, "evidence": (PAST,), **counts}
    return Advice(action, ("It was so.",), share=0.5, share_min=0.2, **given)


def sheet(
    files: Mapping[str, str],
    *,
    fixes: tuple[Advice, ...] = (),
    avoid: tuple[Advice, ...] = (),
    attempts: tuple[Attempt, ...] = (),
    case: Case | None = None,
    places: tuple[Place, ...] = (),
) -> Sheet:
    """An incident that memory has seen before."""
    known = case or Case("past-redis", "Redis pool exhausted", NOW, attempts=attempts)
    hit = Remembered(known, "cases/past-redis", 7, "ours", 0.9, Familiarity.SEEN, 1.0)
    found = Recollection(Cue("pool exhausted", CueKind.PROSE, NOW), Familiarity.SEEN, (hit,))
    told = Diagnosis("pool exhausted", NOW, Familiarity.SEEN, 0.9, None, "Seen before.", fixes=fixes, avoid=avoid)
    return Sheet("inc-1", NOW, None, places, found, replace(told, case="past-redis"), Shelf(dict(files)))


def card_of(proposal: Proposal, before: str, *, incident: str = "inc-0") -> Card:
    """A proposal as the card it once was."""
    return dealt(proposal, before, incident=incident, workspace="shop", at=NOW)


def verdict_on(card: Card, state: CardState = CardState.REJECTED, **more: Any) -> CardVerdict:
    """What somebody decided about a card."""
    proposal = card.proposal
    given: dict[str, Any] = {"by": "ana", "at": NOW, "evidence": proposal.evidence, "action": proposal.action, **more}
    return CardVerdict(
        card.id, card.incident, card.workspace, state, proposal.source, proposal.title, proposal.edit.path, card.added,
        card.removed, **given,
    )  # fmt: skip


def place(path: str, line: int, function: str, body: LineSpan, *, depth: int = 0) -> Place:
    """Where a frame is today."""
    return Place(path, line, function, body, 0.95, "the path ends with it", depth)
