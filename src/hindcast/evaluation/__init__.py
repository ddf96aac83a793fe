"""Measures recall on anybody's records and questions, in a memory that holds nothing else and is thrown away.

Nothing here reads or writes the memory that people use: `evaluate` refuses one that holds anything. What was served
during an evaluation is counted and forgotten, so it can never come back as evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hindcast.asking import cue_of
from hindcast.casebook import Casebook
from hindcast.evaluation.given import Question, Records, read_questions, read_records
from hindcast.evaluation.rows import Rejected
from hindcast.memory import Memory
from hindcast.model.errors import Malformed, Refused
from hindcast.model.recollection import Familiarity
from hindcast.ports import Progress
from hindcast.reason.answer import diagnose
from hindcast.recall.evaluate import Judged, Measures, measure
from hindcast.recall.limits import RecallLimits
from hindcast.recall.remember import recall

ACTOR = "evaluation"
WHY = "Records to be measured on."
PLACES_MAX = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and its answer, by the ids of the file."""

    question: Question
    judged: Judged
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured."""

    measures: Measures
    # By how many places are looked at: the share of questions with a true match that have one among them.
    recall_at: Mapping[int, float]
    records: int
    asked: tuple[Asked, ...]
    # The arms that took part.
    arms: tuple[str, ...]
    # Questions that name records which are not there: the question, and the ids.
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # Questions that could not be asked, and why.
    unasked: tuple[tuple[str, str], ...] = ()

    @property
    def milliseconds(self) -> tuple[float, ...]:
        """How long each answer took, the quickest first."""
        return tuple(sorted(one.milliseconds for one in self.asked))


def evaluate(
    memory: Memory,
    records: Records,
    questions: Sequence[Question],
    *,
    now: datetime,
    seconds: Callable[[], float],
    places: Sequence[int] = (1, 5, 10),
    progress: Progress | None = None,
) -> Evaluation:
    """Remember the records, ask the questions, judge the answers. `seconds` is a clock that only runs forward.

    Raises Refused when the memory holds anything already, Malformed when no question can be asked.
    """
    if memory.log(None, commits_max=1):
        raise Refused(
            "An evaluation runs only in a memory that holds nothing.",
            field="memory",
            remedy="Open an empty one in a folder of its own.",
        )
    Casebook(memory).put_many(records.cases, actor=ACTOR, why=WHY)
    memory.index(progress)
    own = {theirs: ours for ours, theirs in records.ids.items()}
    asked: list[Asked] = []
    arms: dict[str, None] = {}
    unknown: list[tuple[str, tuple[str, ...]]] = []
    unasked: list[tuple[str, str]] = []
    for number, question in enumerate(questions, 1):
        strange = tuple(sorted(question.relevant - own.keys()))
        if strange:
            unknown.append((question.id, strange))
        if strange and not question.relevant & own.keys():
            # Whether it has a true match cannot be told: counting it either way would be a guess.
            unasked.append((question.id, "none of the records it names is there"))
            continue
        try:
            itself = own.get(question.incident, "")
            one, taking_part = _ask(memory, records.ids, question, itself, now=now, seconds=seconds, places=max(places))
        except Malformed as error:
            unasked.append((question.id, error.problem))
            continue
        asked.append(one)
        arms.update(dict.fromkeys(taking_part))
        if progress is not None:
            progress(number, len(questions), "questions")
    if not asked:
        why = f": {unasked[0][0]}: {unasked[0][1]}." if unasked else "."
        raise Malformed(
            f"No question could be asked{why}", field="--queries", remedy="Name records that are in the file."
        )
    judged = [one.judged for one in asked]
    at = {place: recall_at(judged, place) for place in sorted(set(places))}
    return Evaluation(
        measure(judged), at, len(records.cases), tuple(asked), tuple(arms), tuple(unknown), tuple(unasked)
    )  # fmt: skip


def recall_at(judged: Sequence[Judged], places: int) -> float:
    """Of the questions with a true match, the share that has one within so many places; 0 when there are none."""
    matched = [one for one in judged if one.relevant]
    found = sum(any(case in one.relevant for case in one.ranked[:places]) for one in matched)
    return found / len(matched) if matched else 0.0


def _ask(
    memory: Memory,
    theirs: Mapping[str, str],
    question: Question,
    itself: str,
    *,
    now: datetime,
    seconds: Callable[[], float],
    places: int,
) -> tuple[Asked, tuple[str, ...]]:
    """Ask as a person would, from the text to the answer, and translate the ids back."""
    limits = RecallLimits(hits_max=max(places, RecallLimits().hits_max))
    begin = seconds()
    cue, _ = cue_of(question.text, at=now, services=question.services, stack=question.stack, incident=itself)
    found = recall(memory.now(), cue, limits=limits, space=memory.space)
    diagnose(found)
    taken = (seconds() - begin) * 1_000
    judged = Judged(
        query_id=question.id,
        ranked=tuple(theirs[one.case.id] for one in found.remembered if not one.gates),
        confidence=found.best.confidence if found.best is not None else 0.0,
        seen=found.familiarity is Familiarity.SEEN,
        relevant=question.relevant,
    )
    return Asked(question, judged, taken), found.arms


__all__ = [
    "PLACES_MAX",
    "Asked",
    "Evaluation",
    "Question",
    "Records",
    "Rejected",
    "evaluate",
    "read_questions",
    "read_records",
    "recall_at",
]
