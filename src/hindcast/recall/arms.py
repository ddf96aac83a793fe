"""What is asked of the index: one query, in which every arm scores what any arm found, and what is read of the answer.

All that was found is weighed by what the arms think of it. Only what they put first together is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hindcast.model import case as cases
from hindcast.model.case import Case, CaseState
from hindcast.model.errors import Malformed
from hindcast.model.query import Filter, Looked, Query, Rank, Sight
from hindcast.model.recollection import Cue, CueKind
from hindcast.model.record import Record
from hindcast.ports import Searchable
from hindcast.recall.fuse import fuse
from hindcast.recall.keys import EXCEPTION, FINGERPRINT, having, keys_of_clues
from hindcast.recall.learnt import Learnt, shipped
from hindcast.recall.limits import RecallLimits
from hindcast.recall.reading import title_of
from hindcast.recall.text import clean

# So few were written a moment ago: words and keys know them, and the model is about to.
UNTOLD_MAX = 32


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case that an arm found, and what each arm thought of it."""

    case: Case
    address: str
    version: int
    ranks: Mapping[str, Rank]
    # The text in which the index looked.
    text: str
    # What the arms think of it together, against everything that they found.
    fused: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What the arms found, as far as it was read, and which of them took part."""

    candidates: tuple[Candidate, ...]
    # How many cases were weighed against one another.
    weighed: int
    arms: tuple[str, ...]
    notes: tuple[str, ...]


# Told of a case, and of the text in which the index looked, before it is known whether it will be compared.
Ahead = Callable[[Case, str], None]
Allowed = Callable[[Case], bool]


def ask(
    memory: Searchable,
    cue: Cue,
    limits: RecallLimits,
    *,
    learnt: Learnt | None = None,
    allowed: Allowed | None = None,
    ahead: Ahead | None = None,
) -> Asked:
    """Search the cases. Those that cannot answer are left out: the asking incident itself, and what was dismissed.

    `allowed` narrows the cases that may come to mind at all. Cases that are found early are read, and told `ahead`,
    while the rest is still looked for.

    Raises Malformed when there is nothing to ask for.
    """
    shelf = _Shelf(memory, cue, allowed, ahead)
    looked = memory.look(query_for(cue, limits), early=shelf.take)
    weights = (learnt or shipped()).model_for(looked.arms).arm_weights[cue.kind]
    # What may not be known here must not weigh here either, and only who has read everything knows what that is.
    count = max(limits.read_max, limits.hits_max) if allowed is None else len(looked.sights)
    weighed, candidates = _chosen(looked, weights, count, shelf)
    notes = list(looked.notes)
    if looked.unembedded > UNTOLD_MAX:
        notes.append(f"{looked.unembedded} cases are not indexed by meaning yet; they were looked for by their words.")
    return Asked(candidates, weighed, looked.arms, (*notes, *shelf.notes))


def query_for(cue: Cue, limits: RecallLimits) -> Query:
    """What the index is asked."""
    text = clean(cue.text, chars_max=limits.cue_chars_max)
    if not text:
        raise Malformed(
            "There is nothing to remember by: the text is empty.",
            field="text",
            remedy="Give an error, a stack trace or a question in words.",
        )
    keys = keys_of_clues(cue.clues, cue.services)[: limits.keys_max]
    if cue.kind is CueKind.PROSE:
        # In a person's sentences names are mentioned in passing; cases that only share one would crowd out better ones.
        keys = tuple(key for prefix in (FINGERPRINT, EXCEPTION) for key in having(prefix, keys))
    return Query(
        text=text,
        filter=Filter(namespace=cases.NAMESPACE, kind=cases.KIND),
        hits_max=limits.candidates_max,
        arms=limits.arms if keys else tuple(arm for arm in limits.arms if arm != "keys"),
        keys=keys,
        scored_by_all=True,
        one_look=True,
        tokens_ms_max=limits.tokens_ms_max,
    )


def _chosen(
    looked: Looked, weights: Mapping[str, float], count: int, shelf: _Shelf
) -> tuple[int, tuple[Candidate, ...]]:
    """The so many cases that all arms together put first, and how many were weighed to find them.

    Whatever turns out to be no answer once it is read is taken out, and the rest is weighed again without it.
    """
    left = looked.sights
    while True:
        fused = fuse([sight.ranks for sight in left], weights)
        best = sorted(range(len(left)), key=lambda at: -fused[at])[:count]
        shelf.fetch([left[at] for at in best])
        if all(left[at].version in shelf.read for at in best):
            chosen = [(left[at], shelf.read[left[at].version], fused[at]) for at in sorted(best)]
            return len(left), tuple(_candidate(sight, *read, together) for sight, read, together in chosen)
        left = tuple(sight for sight in left if sight.version not in shelf.refused)


def _candidate(sight: Sight, record: Record, case: Case, fused: float) -> Candidate:
    return Candidate(case, str(record.address), record.version, sight.ranks, _text(record, case), fused)


class _Shelf:
    """Cases by version, each read once: while the index still looks, or when it is known that they are wanted."""

    def __init__(self, memory: Searchable, cue: Cue, allowed: Allowed | None, ahead: Ahead | None) -> None:
        self._memory = memory
        self._incident = cue.incident
        self._allowed = allowed
        self._ahead = ahead
        self.read: dict[int, tuple[Record, Case]] = {}
        # What can be no answer.
        self.refused: set[int] = set()
        self.notes: list[str] = []

    def take(self, records: Sequence[Record]) -> None:
        """Take what was found early."""
        for record in records:
            # What cannot be read is told of when it is wanted.
            with suppress(Malformed):
                case = self._put(record)
                if self._ahead is not None:
                    self._ahead(case, _text(record, case))

    def fetch(self, sights: Sequence[Sight]) -> None:
        """Have these cases read or refused."""
        unread = [one for one in sights if one.version not in self.read and one.version not in self.refused]
        found = self._memory.read(unread) if unread else {}
        for version in (sight.version for sight in unread):
            record = found.get(version)
            if record is None:
                # Erased a moment ago.
                self.refused.add(version)
                continue
            try:
                self._put(record)
            except Malformed as error:
                self.refused.add(version)
                self.notes.append(f"{record.address} was left out, because it cannot be read: {error.problem}")

    def _put(self, record: Record) -> Case:
        case = _case(record)
        may_answer = case.id != self._incident and case.state is not CaseState.DISMISSED
        if may_answer and (self._allowed is None or self._allowed(case)):
            self.read[record.version] = record, case
        else:
            self.refused.add(record.version)
        return case


def _case(record: Record) -> Case:
    if not isinstance(record.body, Mapping):
        raise Malformed("Its body is no case.", field="body", remedy="Write cases with hindcast incident.")
    return cases.from_json(record.body)


def _text(record: Record, case: Case) -> str:
    title, text = title_of(case), record.text or ""
    # Records of earlier releases begin with whatever title they have.
    return (text if title else text.removeprefix(case.title).lstrip("\n")) or title
