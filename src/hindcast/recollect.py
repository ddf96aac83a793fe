"""Asking memory: from what somebody pasted, or an incident under way, to the answer with its evidence.

It only reads. What is asked and what was answered leave no trace in memory, so that an answer can never become evidence
for itself; only what people say about an answer is remembered, as a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from hindcast.asking import cue_of, cue_of_case
from hindcast.casebook import Casebook
from hindcast.experience import experience_of
from hindcast.instruments import Instruments, Silent, Work
from hindcast.memory import Memory, View, When
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.ids import Address
from hindcast.model.incident import from_json
from hindcast.model.query import Filter, Query
from hindcast.model.recollection import Cue, Familiarity, Recollection
from hindcast.model.record import MAIN, Action, Commit, Record
from hindcast.model.verdict import Experience
from hindcast.reason.answer import diagnose
from hindcast.recall.cache import AnswerCache, CacheKey
from hindcast.recall.limits import RecallLimits
from hindcast.recall.shared import recall_shared
from hindcast.register import NAMESPACE as INCIDENTS
from hindcast.register import Register
from hindcast.shares import Side, grants, shares_of

RUNBOOKS = "runbooks"
RUNBOOK = "runbook"
RUNBOOKS_SHOWN_MAX = 2
# Looking at more steps than this one by one takes longer than a few answers.
STEPS_FOLLOWED_MAX = 20

# The present of another space; None: there is no such space.
OpenView = Callable[[str], View | None]
# Entered for as long as a question is answered. Raises Busy where too many are asked at once.
Admit = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Answered:
    """What memory had to say, and what follows from it."""

    recollection: Recollection
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class _Beside:
    """What a memory holds beside its cases, as far as an answer needs it."""

    experience: Experience
    # Whether other spaces have to be asked, and whether there are generic checks at all.
    takes: bool
    has_runbooks: bool


def nobody(_: str) -> None:
    """No other space can be reached."""


class Recollect:
    """Asks the memory of one space, and what others share with it."""

    def __init__(
        self,
        memory: Memory,
        *,
        now: Callable[[], datetime],
        others: OpenView = nobody,
        limits: RecallLimits | None = None,
        instruments: Instruments | None = None,
        admit: Admit = nullcontext,
        cache: AnswerCache[Answered] | None = None,
        step: Callable[[], int] = lambda: -1,
    ) -> None:
        """A `cache` keeps answers for as long as `step` stays the same."""
        self._instruments = instruments or Silent()
        self._admit = admit
        self._cache = cache
        self._step = step
        self._memory = memory
        self._now = now
        self._others = others
        self._limits = limits or RecallLimits()
        # What was read beside the cases last, by branch, and the step it was read at.
        self._known: dict[str, tuple[int, _Beside]] = {}

    def ask(
        self,
        text: str,
        *,
        services: Sequence[str] = (),
        moment: When | None = None,
        branch: str = MAIN,
        hits_max: int | None = None,
    ) -> Answered:
        """What is known about an error, a trace or a question, now or as it was known at a moment.

        Raises Busy where too many are asked at once.
        """

        def answer() -> Answered:
            view = self._view(moment, branch)
            cue, notes = cue_of(text, at=self._asked_at(moment), services=services)
            return self._answer(view, cue, notes, self._limits_for(hits_max), is_now=moment is None)

        cache = self._cache
        # What other spaces share is theirs to change and to stop at once.
        if cache is None or moment is not None or self._beside(self._view(None, branch)).takes:
            with self._admit():
                return answer()
        key, step = CacheKey(self._memory.space, text, tuple(services), branch, hits_max), self._step()
        if (known := cache.find(key, step, self._now())) is not None:
            return known
        with self._admit():
            # The one who was before may have asked the same.
            if (known := cache.find(key, step, self._now())) is None:
                known = answer()
                cache.keep(key, step, known, self._now())
            return known

    def about(
        self, incident: str, *, moment: When | None = None, branch: str = MAIN, hits_max: int | None = None
    ) -> Answered:
        """What is known about an incident's failure from before it."""
        view = self._view(moment, branch)
        case = Casebook(self._memory, branch=branch).case(incident)
        cue = cue_of_case(case, at=self._asked_at(moment))
        limits = self._limits_for(hits_max)
        return self._answer(view, cue, (), limits, is_now=moment is None, changes=_changes_before(view, incident))

    def _limits_for(self, hits_max: int | None) -> RecallLimits:
        return self._limits if hits_max is None else replace(self._limits, hits_max=hits_max)

    def _view(self, moment: When | None, branch: str) -> View:
        return self._memory.now(branch) if moment is None else self._memory.at(moment, branch=branch)

    def _asked_at(self, moment: When | None) -> datetime:
        """Ages are counted from the moment that is asked about, where it is a time."""
        return moment if isinstance(moment, datetime) else self._now()

    def _answer(
        self,
        view: View,
        cue: Cue,
        notes: Sequence[str],
        limits: RecallLimits,
        *,
        is_now: bool,
        changes: Sequence[str] = (),
    ) -> Answered:
        beside = self._beside(view) if is_now else _beside(view)
        experience = beside.experience
        space = self._memory.space
        # What others share is theirs to give and to stop, so only the present may ask them.
        shared = grants(view, space, self._others) if is_now and beside.takes else ()
        with self._instruments.timed(Work.RECALL, space=space):
            found = recall_shared(view, cue, experience, grants=shared, limits=limits, space=space)
        found = replace(found, notes=(*notes, *found.notes))
        # A sure answer with a fix needs no generic checks; what is sure and without one does.
        best = found.best
        is_told = found.familiarity is Familiarity.SEEN and best is not None and best.case.resolution is not None
        runbooks = () if is_told or not beside.has_runbooks else self._runbooks(view, cue)
        with self._instruments.timed(Work.ANSWER, space=space):
            told = diagnose(found, runbooks=runbooks, experience=experience, space=space, changes=changes)
        return Answered(found, told)

    def _beside(self, view: View) -> _Beside:
        """What is known beside the cases; read again only when something was written since."""
        branch, step = view.moment.branch, view.newest_step
        known = self._known.get(branch)
        if known is None or known[0] != step:
            known = self._known[branch] = (step, _beside(view))
        return known[1]

    def _runbooks(self, view: View, cue: Cue) -> tuple[Record, ...]:
        wanted = Filter(namespace=RUNBOOKS, kind=RUNBOOK)
        text = cue.text[: self._memory.limits.query_chars_max]
        # By words alone: running the model a second time would cost more than it finds among a few pages.
        found = view.search(Query(text, wanted, RUNBOOKS_SHOWN_MAX, arms=("words",)))
        return tuple(hit.record for hit in found.hits)


def _changes_before(view: View, incident: str) -> tuple[str, ...]:
    """What was altered in the watched system just before an incident, in words."""
    record = view.find(Address(INCIDENTS, incident))
    if record is None or not isinstance(record.body, dict):
        return ()
    return tuple(change.told for change in from_json(record.body).changes)


def _beside(view: View) -> _Beside:
    takes = any(share.side is Side.TAKEN for share in shares_of(view))
    has_runbooks = bool(view.list(Filter(namespace=RUNBOOKS, kind=RUNBOOK), records_max=1).records)
    return _Beside(experience_of(view), takes, has_runbooks)


class Minds:
    """Somebody to ask in each space, made when the space is first asked about."""

    def __init__(
        self, register: Register, *, now: Callable[[], datetime], instruments: Instruments, admit: Admit = nullcontext
    ) -> None:
        self._register = register
        self._now = now
        self._instruments = instruments
        self._admit = admit
        self._cache = AnswerCache[Answered]()
        self._known: dict[str, Recollect] = {}
        # By space: the newest step that was looked at, and the last one up to it that taught anything.
        self._learnt: dict[str, tuple[int, int]] = {}

    def of(self, space: str) -> Recollect:
        """Who can be asked about a space."""
        if space not in self._known:
            memory = self._register.memory(space)
            self._known[space] = Recollect(
                memory,
                now=self._now,
                others=self._view,
                instruments=self._instruments,
                admit=self._admit,
                cache=self._cache,
                step=partial(self.step, space),
            )
        return self._known[space]

    def forget(self, space: str) -> None:
        """Keep no answer of a space: something was erased."""
        self._cache.forget(self._register.memory(space).space)

    def _view(self, space: str) -> View | None:
        memory = self._register.existing(space)
        return memory.now() if memory is not None else None

    def about(self, space: str, incident: str) -> Answered:
        """What a space knows about the failure of one of its incidents."""
        return self.of(space).about(incident)

    def step(self, space: str) -> int:
        """The newest step of a space that an answer to a question may rest on.

        What an incident teaches is in its case. A step that wrote nothing but how incidents go on changes no answer,
        and while an outage lasts there are many of those.
        """
        memory = self._register.memory(space)
        newest = memory.now().newest_step
        seen, taught = self._learnt.get(space, (-1, -1))
        if newest != seen:
            behind = newest - seen
            if seen < 0 or behind > STEPS_FOLLOWED_MAX:
                taught = newest
            else:
                commits = memory.log(None, before=newest + 1, commits_max=behind)
                taught = max((commit.seq for commit in commits if _teaches(memory, commit)), default=taught)
            self._learnt[space] = (newest, taught)
        return taught


def _teaches(memory: Memory, commit: Commit) -> bool:
    """Whether an answer may change with a commit. What was erased, and what is joined, may be anything."""
    if commit.action is not Action.COMMIT:
        return True
    changes = memory.changes(commit)
    touched = (*changes.learned, *(one.after for one in changes.changed), *changes.forgotten)
    return not touched or any(record.namespace != INCIDENTS for record in touched)
