"""Decks: everything there is to propose for an incident in one workspace, worked out when something has changed.

A deck is kept in the process for as long as the code it looked at and the memory it rests on are the same. Its cards
are remembered when they are first proposed; what became of them is read back whenever the deck is worked out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from hindcast.casebook import kept_in
from hindcast.casebook.summaries import Lock
from hindcast.casebook.writing import write
from hindcast.fixes import standing
from hindcast.fixes.composing import Named, ask, compose
from hindcast.fixes.decisions import Decisions
from hindcast.fixes.keeping import FILE_BYTES_MAX, card_in, card_there, change_of, changes_of, keep
from hindcast.fixes.reading import Looked
from hindcast.fixes.rechecking import Rechecked, recheck
from hindcast.fixes.sheets import sheet_of, stacks_of, told_harms
from hindcast.fixes.turning import has_turned
from hindcast.memory import Memory, View
from hindcast.model.card import Card, CardSource, CardState, CardVerdict, Deck, Warned
from hindcast.model.code_rule import CodeRule
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.errors import Missing, Refused, Stale, Unavailable
from hindcast.model.record import Change
from hindcast.ports import Code
from hindcast.propose.dealt import dealt
from hindcast.propose.guard import Grounds
from hindcast.propose.harm import harms_of
from hindcast.propose.lint import team_rules
from hindcast.propose.model_patch import Patched
from hindcast.propose.sheet import Sheet
from hindcast.recollect import Answered
from hindcast.workspaces import Workspaces

# A deck with the files it looked at is about a megabyte.
DECKS_KEPT_MAX = 100
# Decks that share a turn wait for each other; with so many turns that is rare.
TURNS = 64

# What memory says about an incident of a space, as of a moment.
Ask = Callable[[str, str, datetime], Answered]
# What a model proposes to a sheet; it may take its time, and ends soon after the last argument says that it is over.
Patch = Callable[[Sheet, Grounds, Callable[[], bool]], Patched]
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What of memory a deck rests on: while these are equal, memory may move on without changing it."""

    diagnosis: Diagnosis
    # Address, version, and how familiar each case is.
    remembered: tuple[tuple[str, int, str], ...]
    stacks: tuple[str, ...]
    verdicts: tuple[CardVerdict, ...]
    rules: tuple[CodeRule, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A deck, and what it was made from."""

    deck: Deck
    step: int
    answered: Answered
    inputs: Inputs
    looked: Looked
    sheet: Sheet
    grounds: Grounds
    # False: its cards are still to be written.
    is_remembered: bool


class Decks:
    """The decks of all spaces. Several threads may ask; each deck is worked out by one of them at a time."""

    def __init__(
        self,
        memory: Callable[[str], Memory],
        answered: Ask,
        workspaces: Workspaces,
        *,
        sources: Sequence[Named],
        rules: Callable[[View], Sequence[CodeRule]],
        patch: Patch | None = None,
        fresh: Ask | None = None,
        lock: Lock = nullcontext,
    ) -> None:
        """`rules` are those of the team that are switched on; `patch` asks a model, where there is one.

        `answered` may be an answer that was ready before; `fresh` asks anew.
        """
        self._memory, self._answered, self._workspaces = memory, answered, workspaces
        self._fresh = fresh or answered
        self._sources, self._rules, self._patch = tuple(sources), rules, patch
        self._turn = lock()
        self._decisions = Decisions(lock=lock)
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._turns = tuple(lock() for _ in range(TURNS))
        # What a model said to each deck, and what it was asked about.
        self._patched: dict[Key, tuple[object, Patched]] = {}

    def deck(self, space: str, incident: str, *, workspace: str = "", now: datetime) -> Deck:
        """What to propose for an incident, the best first: as it is kept, or worked out now.

        Raises Missing for an incident or a workspace that is not there, and Malformed where several workspaces are and
        none is named.
        """
        name = self._workspaces.chosen(space, workspace).name
        key = (space, incident, name)
        answered = self._told(key, now)
        with self._turn_of(key):
            return self._current(key, answered, now).deck

    def card(self, space: str, card_id: str) -> Card:
        """One card as it stands. Raises Missing."""
        return card_there(self._memory(space).now(), card_id)

    def recheck(self, space: str, card_id: str, *, by: str, now: datetime) -> Card:
        """The same change for today's file, as a card of its own; the old one is gone.

        Raises Refused where the change is there already or has no place any more, which the old card then says.
        """
        memory = self._memory(space)
        old = card_there(memory.now(), card_id)
        if old.state not in (CardState.PROPOSED, CardState.UNDONE, CardState.GONE):
            raise Refused(
                f"The card {card_id} was {old.state}.", field="card", remedy="Undo that first; then check it again."
            )
        workspace = self._workspaces.open(space, old.workspace)
        found = recheck(old, workspace)
        if isinstance(found, Rechecked):
            if found.edit == old.proposal.edit and old.state is not CardState.GONE:
                return old
            card = _rechecked(old, found, workspace, now)
            if not self._replace(memory, old, card, by=by, why=f"Checked again: {found.note}"):
                problem = f"Somebody decided about {card_id} meanwhile."
                raise Stale(problem, field="card", remedy="Read the card again.")
            return card
        self._replace(memory, old, None, by=by, why=f"Checked again: {found.why}")
        raise Refused(
            f"The card {card_id} has no place in today's code: {found.why}",
            field="card",
            remedy="Ask for the incident's cards again.",
        )

    @staticmethod
    def _replace(memory: Memory, old: Card, new: Card | None, *, by: str, why: str) -> bool:
        def plan(view: View) -> list[Change]:
            known = card_in(view, old.id)
            if known is None or known.state is not old.state:
                # Somebody decided meanwhile; that stands.
                return []
            # Where only the file around it has changed it is the same card, made anew.
            is_same = new is not None and new.id == old.id
            gone = [] if is_same else [change_of(replace(old, state=CardState.GONE))]
            return [*gone, *(changes_of(new) if new is not None else [])]

        return write(memory, plan, actor=by, why=why) is not None

    def forget(self, space: str) -> None:
        """Keep nothing of a space: something was erased, and no deck may quote it any longer."""
        with self._turn:
            for key in [key for key in self._kept if key[0] == space]:
                del self._kept[key]
                self._patched.pop(key, None)
        self._decisions.forget(space)

    # A model

    def wants_model(self, space: str, incident: str, *, workspace: str = "") -> bool:
        """Whether a model is to be asked about a deck: there is one, and it was not asked about this code before."""
        if self._patch is None:
            return False
        key = (space, incident, self._workspaces.chosen(space, workspace).name)
        kept = self._kept.get(key)
        if kept is None or not kept.sheet.places:
            return False
        is_proposed = any(card.proposal.source is CardSource.MODEL for card in kept.deck.cards)
        return not is_proposed and self._patched.get(key, (None,))[0] != _question(kept)

    def ask_model(
        self, space: str, incident: str, *, workspace: str = "", now: datetime,
        is_over: Callable[[], bool] = lambda: False,
    ) -> Deck:  # fmt: skip
        """The deck with what a model proposes; it may take a minute, and nobody who asks for the deck waits for it.

        Where nobody wants to know any more, `is_over` says so, and the deck is as it was.
        """
        deck = self.deck(space, incident, workspace=workspace, now=now)
        key = (space, incident, deck.workspace)
        kept = self._kept.get(key)
        if self._patch is None or kept is None or not self.wants_model(space, incident, workspace=deck.workspace):
            return deck
        patched = self._patch(kept.sheet, kept.grounds, is_over)
        if is_over():
            return deck
        self._patched[key] = (_question(kept), patched)
        with self._turn_of(key):
            self._kept.pop(key, None)
        return self.deck(space, incident, workspace=deck.workspace, now=now)

    # Working out

    def _told(self, key: Key, now: datetime) -> Answered:
        """What memory says, and nothing that is no longer there: another process may have erased it meanwhile.

        An answer that was ready before would be told again, and written into new cards.
        """
        space, incident, _ = key
        answered = self._answered(space, incident, now)
        view, kept = self._memory(space).now(), self._kept.get(key)
        if kept is not None and kept.answered is answered and kept.step == view.newest_step:
            return answered
        own = [one.address for one in answered.recollection.remembered if one.space in ("", space)]
        if all(view.find(address) is not None for address in own):
            return answered
        # What a model said may quote it as well.
        self._patched.pop(key, None)
        return self._fresh(space, incident, now)

    def _turn_of(self, key: Key) -> AbstractContextManager[Any]:
        return self._turns[hash(key) % TURNS]

    def _current(self, key: Key, answered: Answered, now: datetime) -> Kept:
        space, incident, name = key
        memory = self._memory(space)
        workspace = self._workspaces.open(space, name)
        state = workspace.state()
        step = memory.now().newest_step
        kept = self._kept.get(key)
        is_still = kept is not None and kept.is_remembered and kept.looked.is_still(state)
        if kept is not None and is_still and kept.step == step and kept.answered is answered:
            return kept
        view = memory.now()
        inputs = self._inputs(space, view, incident, answered)
        if kept is not None and is_still and kept.inputs == inputs:
            made = replace(kept, step=step, answered=answered)
        else:
            looked = (
                kept.looked.again(state) if kept is not None else self._beside(space, name, Looked(workspace, state))
            )
            made = self._made(key, memory, _Asked(answered, inputs, looked, step), now)
        with self._turn:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > DECKS_KEPT_MAX:
                gone, _ = self._kept.popitem(last=False)
                self._patched.pop(gone, None)
        return made

    def _beside(self, space: str, name: str, looked: Looked) -> Looked:
        """What another deck has read of the same workspace need not be read again."""
        with self._turn:
            others = [one.looked for key, one in self._kept.items() if (key[0], key[2]) == (space, name)]
        return others[-1].again(looked.state) if others and others[-1].workspace is looked.workspace else looked

    def _inputs(self, space: str, view: View, incident: str, answered: Answered) -> Inputs:
        case = kept_in(view, incident)
        if case is None:
            raise Missing(
                f"There is no incident {incident[:80]!r}.",
                field="incident",
                remedy="`hindcast incident list` shows them.",
            )
        found = answered.recollection.remembered
        return Inputs(
            # When it was asked changes nothing.
            replace(answered.diagnosis, at=case.case.occurred_at),
            tuple((one.address, one.version, one.familiarity.value) for one in found),
            stacks_of(view, case.case),
            self._decisions.of(space, view),
            tuple(self._rules(view)),
        )

    def _made(self, key: Key, memory: Memory, asked: _Asked, now: datetime) -> Kept:
        _, incident, name = key
        view, inputs, answered, looked = memory.now(), asked.inputs, asked.answered, asked.looked
        sheet = sheet_of(incident, answered, inputs.stacks, looked, at=now)
        fingerprints = frozenset(answered.recollection.cue.clues.fingerprints)
        rejections = tuple(standing.rejections(view, inputs.verdicts, incident, fingerprints))
        harms = (*harms_of(sheet), *told_harms(answered.recollection))
        grounds = Grounds(harms, rejections, partial(has_turned, memory), FILE_BYTES_MAX)
        own = (Named("The team's own rules", team_rules(inputs.rules)),) if inputs.rules else ()
        patched = self._patched.get(key, (None, Patched()))[1]
        found = ask((*self._sources, *own), sheet)
        found = replace(found, proposals=(*found.proposals, *standing.of_model(view, incident, name, patched, looked)))
        composed = compose(found, sheet, inputs.verdicts, grounds, workspace=name, now=now, read=looked.texts)
        shown, reads, held = standing.as_decided(view, composed)
        ids = [card.id for card in shown]
        gone = standing.gone(view, incident, name, set(ids), looked)
        try:
            written, unkept = keep(memory, incident, name, [*reads, *gone], ids), ""
        except (Unavailable, Stale) as error:
            # What there is to propose is worth showing all the same.
            written, unkept = None, f"These cards could not be remembered yet: {error.problem}"
        notes = tuple(note for note in (*composed.notes, patched.note, unkept) if note)
        held_back = (*held, *composed.held_back, *patched.held_back)
        applied = tuple(standing.applied(view, inputs.verdicts, incident, name, set(ids)))
        warned = tuple(one for one in composed.warned if not _is_told_by(applied, one))
        deck = Deck(incident, name, (*shown, *applied), warned, held_back, now, notes)
        # What somebody else wrote in between is looked at with the next question.
        step = written if written == asked.step + 1 else asked.step
        return Kept(deck, step, answered, inputs, looked, sheet, grounds, is_remembered=not unkept)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one working out begins with."""

    answered: Answered
    inputs: Inputs
    looked: Looked
    step: int


def _rechecked(old: Card, found: Rechecked, code: Code, now: datetime) -> Card:
    """The card of a change that was found again."""
    edit = found.edit
    file = code.read(edit.path) if edit.expected else None
    if file is not None and file.digest != edit.expected:
        raise Stale(f"{edit.path} changed while it was looked at.", field="card", remedy="Check it once more.")
    why = old.proposal.why if found.note in old.proposal.why else f"{old.proposal.why} {found.note}"
    proposal = replace(old.proposal, edit=edit, lines=found.lines, why=why)
    before = file.text if file is not None else ""
    card = dealt(proposal, before, incident=old.incident, workspace=old.workspace, at=now)
    undo = f"`hindcast fix undo {card.id}` brings {edit.path} back to what it was."
    return replace(card, record=old.record, standing=old.standing, again=found.note, undo=undo)


def _question(kept: Kept) -> object:
    """What a model would be asked about: the same code and the same answer need not be asked about again."""
    paths = dict.fromkeys(place.path for place in kept.sheet.places)
    texts = kept.looked.texts
    return kept.inputs.diagnosis.case, tuple((path, texts[path].digest) for path in paths if path in texts)


def _is_told_by(applied: Iterable[Card], warned: Warned) -> bool:
    """Whether somebody has just applied what is said to be there."""
    return warned.is_there and any(card.proposal.edit.path == warned.path for card in applied)
