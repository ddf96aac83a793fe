"""The memory log: every card of a space as a moment shows it, what was decided about it, and what came of that.

It is read from what memory holds at that moment, on whichever branch. Of the present a process follows what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from hindcast.casebook.summaries import Lock
from hindcast.experience import card_verdict_in, card_verdicts_on
from hindcast.fixes.deciding import APPLIED, case_of
from hindcast.fixes.decisions import DECIDED, Followed
from hindcast.fixes.keeping import ACTOR, CARDS, address_of, card_there
from hindcast.memory import View
from hindcast.model.card import CardSource, CardState, CardVerdict, LogLine
from hindcast.model.case import Attempt, Outcome
from hindcast.model.errors import Malformed
from hindcast.model.reading import ready
from hindcast.model.record import Record

LINES_PER_PAGE_MAX = 1_000
TEXT_CHARS_MAX = 1_000
# Where a measurement stands among the evidence of an attempt.
MEASURED = "telemetry"
NOT_FOLLOWED = "Its incident has no attempt for it, so nothing is measured: say what came of it with the incident."
NOT_DEPLOYED = "No deployment of it was heard of yet, so nothing is measured."
DEPLOYED = "It is deployed; what comes of it is not counted yet."


class _Glanced(msgspec.Struct):
    """What the log needs of a card; the texts of its file are left where they are."""

    class _Proposal(msgspec.Struct):
        class _Edit(msgspec.Struct):
            path: str

        source: CardSource
        title: str
        edit: _Edit

    id: str
    incident: str
    workspace: str
    proposal: _Proposal
    added: int
    removed: int
    made_at: datetime
    state: CardState = CardState.PROPOSED


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some lines of the log, and where it goes on: after the last line, or nowhere."""

    lines: tuple[LogLine, ...]
    next: tuple[datetime, str] | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines somebody wants: of one workspace, state, source or incident, or with all of some words."""

    workspace: str = ""
    states: Collection[CardState] = ()
    source: CardSource | None = None
    incident: str = ""
    text: str = ""

    def has(self, line: LogLine) -> bool:
        """Whether a line is among them, whatever its words."""
        return (
            (not self.workspace or line.workspace == self.workspace)
            and (not self.states or line.state in self.states)
            and (self.source is None or line.source is self.source)
            and (not self.incident or line.incident == self.incident)
        )


EVERYTHING = Wanted()


def lines(
    view: View,
    *,
    workspace: str = "",
    states: Collection[CardState] = (),
    source: CardSource | None = None,
    incident: str = "",
    text: str = "",
) -> tuple[LogLine, ...]:
    """The log of a moment, newest first: of one workspace, state, source or incident, or with all of some words."""
    wanted = Wanted(workspace, states, source, incident, text)
    said = _last_words((record.address.entry, card_verdict_in(record)) for record in view.every(DECIDED))
    return _lines(view, _told((_glanced(record) for record in view.every(CARDS)), said), wanted)


class Logbook:
    """The log of the present of all spaces, which reads only what is new. Several threads may ask."""

    def __init__(self, *, lock: Lock = nullcontext) -> None:
        self._cards = Followed(CARDS, _glanced, lock=lock)
        self._said = Followed(DECIDED, card_verdict_in, lock=lock)
        # For each space what was put together last, and from what.
        self._told: dict[str, tuple[object, object, _Told]] = {}

    def lines(self, space: str, view: View, wanted: Wanted = EVERYTHING) -> tuple[LogLine, ...]:
        """The log of a space, newest first; `view` is its present."""
        decided, cards = self._said.of(space, view), self._cards.of(space, view)
        known = self._told.get(space)
        if known is None or known[0] is not decided or known[1] is not cards:
            said = _last_words((where.rpartition("#")[2], verdict) for where, (_, verdict) in decided.items())
            known = (decided, cards, _told((card for _, card in cards.values()), said))
            self._told[space] = known
        return _lines(view, known[2], wanted)


@dataclass(frozen=True, slots=True)
class _Told:
    """The lines of all cards, the newest first, without what came of them; and what was decided last about each."""

    lines: Sequence[LogLine]
    said: Mapping[str, CardVerdict]


def _told(cards: Iterable[_Glanced | None], said: Mapping[str, CardVerdict]) -> _Told:
    found = (_line(card, said) for card in cards if card is not None)
    return _Told(sorted((line for line in found if line is not None), key=_place, reverse=True), said)


def _lines(view: View, told: _Told, wanted: Wanted) -> tuple[LogLine, ...]:
    if len(wanted.text) > TEXT_CHARS_MAX:
        remedy = f"Search with up to {TEXT_CHARS_MAX} characters."
        raise Malformed(f"The search has {len(wanted.text)} characters.", field="text", remedy=remedy)
    words = wanted.text.casefold().split()
    found = (line for line in told.lines if wanted.has(line) and _has(line, words))
    return _with_outcomes(view, found, told.said)


def line_of(view: View, card_id: str) -> LogLine:
    """The line of one card. Raises Missing."""
    card_there(view, card_id)
    record, verdicts = view.get(address_of(card_id)), card_verdicts_on(view, card_id)
    said = {card_id: verdicts[-1]} if verdicts else {}
    card = _glanced(record)
    line = _line(card, said) if card is not None else None
    assert line is not None, "what can be read as a card has a line"
    return _with_outcomes(view, [line], said)[0]


def page(found: Sequence[LogLine], *, after: tuple[datetime, str] | None = None, lines_max: int) -> LogPage:
    """The lines that come after a place in the log; what is decided meanwhile comes before, and moves nothing."""
    if not 1 <= lines_max <= LINES_PER_PAGE_MAX:
        remedy = f"Ask for 1 to {LINES_PER_PAGE_MAX} lines."
        raise Malformed(f"{lines_max} lines are no page.", field="lines_max", remedy=remedy)
    rest = [line for line in found if after is None or _place(line) < after]
    shown = tuple(rest[:lines_max])
    return LogPage(shown, _place(shown[-1]) if len(rest) > lines_max else None)


def counts(found: Iterable[LogLine]) -> dict[CardState, int]:
    """How many lines there are of each state, none left out."""
    counted = Counter(line.state for line in found)
    return {state: counted[state] for state in CardState}


def _place(line: LogLine) -> tuple[datetime, str]:
    return line.at, line.card


def _last_words(decided: Iterable[tuple[str, CardVerdict | None]]) -> Mapping[str, CardVerdict]:
    """What was decided last about each card, out of decisions with their numbers."""
    newest: dict[str, tuple[int, CardVerdict]] = {}
    for entry, verdict in decided:
        number = int(entry) if entry.isdecimal() else 0
        if verdict is not None and number > newest.get(verdict.card, (-1, None))[0]:
            newest[verdict.card] = (number, verdict)
    return {card: verdict for card, (_, verdict) in newest.items()}


def _glanced(record: Record) -> _Glanced | None:
    try:
        return msgspec.convert(record.body, _Glanced)
    except msgspec.ValidationError:
        return None


def _line(card: _Glanced, said: Mapping[str, CardVerdict]) -> LogLine | None:
    proposal, last = card.proposal, said.get(card.id)
    by, at = (ACTOR, card.made_at) if last is None else (last.by, last.at)
    if at.tzinfo is None:
        return None
    as_applied = last is not None and card.state in APPLIED
    return LogLine(
        card.id,
        card.incident,
        card.workspace,
        card.state,
        proposal.source,
        proposal.title,
        proposal.edit.path,
        last.added if last is not None and as_applied else card.added,
        last.removed if last is not None and as_applied else card.removed,
        by,
        at,
        last.reason if last is not None else "",
        branch=last.branch if last is not None else "",
        commit=last.commit if last is not None else "",
    )


def _has(line: LogLine, words: Sequence[str]) -> bool:
    """Whether every word stands somewhere in a line."""
    if not words:
        return True
    told = " ".join((line.card, line.incident, line.title, line.path, line.by, line.reason, line.branch)).casefold()
    return all(word in told for word in words)


def _with_outcomes(view: View, found: Iterable[LogLine], said: Mapping[str, CardVerdict]) -> tuple[LogLine, ...]:
    """The lines of what was applied with what came of it, as the cases of their incidents tell, or why nothing does."""
    known: dict[str, Mapping[str, Attempt]] = {}
    made: list[LogLine] = []
    for line in found:
        if line.state not in APPLIED or line.card not in said:
            made.append(line)
            continue
        if line.incident not in known:
            kept = case_of(view, line.incident)
            known[line.incident] = {one.id: one for one in kept.case.attempts} if kept is not None else {}
        attempt = known[line.incident].get(said[line.card].attempt)
        if attempt is not None and attempt.outcome is not Outcome.UNKNOWN:
            made.append(replace(line, outcome=attempt.outcome.value))
        else:
            made.append(replace(line, waiting=_waiting(attempt)))
    return tuple(made)


def _waiting(attempt: Attempt | None) -> str:
    """Why nobody knows yet what came of something that was applied."""
    if attempt is None:
        return NOT_FOLLOWED
    if attempt.at is None:
        return NOT_DEPLOYED
    measured = next((one.quote for one in attempt.evidence if one.ref == MEASURED), "")
    return f"The counts do not tell: {measured.rstrip('.')}." if measured else DEPLOYED


ready(_Glanced)
