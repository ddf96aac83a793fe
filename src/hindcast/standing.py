"""Whether an answer still stands after something was learnt.

In an outage the same is asked again and again, while cases are written about what goes on. Most of them have nothing to
do with the question; whether one has is told by the arms of the index, which look at it alone, without thinking anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hindcast.memory import Memory
from hindcast.model import case as cases
from hindcast.model.query import Rank
from hindcast.model.recollection import Cue, Recollection
from hindcast.model.record import Action, Commit
from hindcast.ports import Searchable
from hindcast.recall.arms import query_for
from hindcast.recall.fuse import fuse
from hindcast.recall.learnt import shipped
from hindcast.recall.limits import RecallLimits
from hindcast.register import NAMESPACE as INCIDENTS


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer rests on, as far as it takes to say whether it still stands."""

    cue: Cue
    # What each arm thought of the cases that are told, by address.
    told: Mapping[str, Mapping[str, Rank]]
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A step that answers may rest on."""

    step: int
    at: datetime
    # The cases that it wrote; None: it may have changed anything.
    cases: frozenset[str] | None


def grounds_of(found: Recollection) -> Grounds:
    """What an answer out of a recollection rests on."""
    # The tokens are only compared of what the others found, so they cannot say anything of a case alone.
    arms = tuple(arm for arm in found.arms if arm != "tokens")
    return Grounds(found.cue, {one.address: one.ranks for one in found.remembered}, arms)


def lesson_of(memory: Memory, commit: Commit) -> Lesson | None:
    """What a step taught; None: it wrote nothing but how incidents go on, which changes no answer.

    What was erased, and what is joined, may be anything.
    """
    anything = Lesson(commit.seq, commit.at, None)
    if commit.action is not Action.COMMIT:
        return anything
    changes = memory.changes(commit)
    touched = (*changes.learned, *(one.after for one in changes.changed), *changes.forgotten)
    teaching = [record for record in touched if record.namespace != INCIDENTS]
    if touched and not teaching:
        return None
    if not touched or any(record.namespace != cases.NAMESPACE for record in teaching):
        return anything
    return Lesson(commit.seq, commit.at, frozenset(str(record.address) for record in teaching))


def still_stands(memory: Searchable, grounds: Grounds, lessons: Sequence[Lesson]) -> bool:
    """Whether an answer is the same after these lessons: none is about what it tells, nor would have come before it.

    A case that all arms together put behind everything that is told would not be told either.
    """
    learnt = [lesson.cases for lesson in lessons]
    if not grounds.told or any(written is None or not grounds.told.keys().isdisjoint(written) for written in learnt):
        return False
    limits = RecallLimits(arms=grounds.arms, candidates_max=sum(len(written or ()) for written in learnt))
    query = query_for(grounds.cue, limits)
    since = min(lesson.at for lesson in lessons)
    looked = memory.look(replace(query, filter=replace(query.filter, learned_since=since)))
    if looked.unembedded or looked.notes:
        # Some arm has nothing to say about it yet.
        return False
    weights = {arm: weight for arm, weight in _weights(grounds).items() if arm in grounds.arms}
    told = len(grounds.told)
    fused = fuse([*grounds.told.values(), *(sight.ranks for sight in looked.sights)], weights)
    return max(fused[told:], default=-float("inf")) < min(fused[:told])


def _weights(grounds: Grounds) -> Mapping[str, float]:
    return shipped().model_for(grounds.arms).arm_weights[grounds.cue.kind]
