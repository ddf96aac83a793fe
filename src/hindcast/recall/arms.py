"""What is asked of the index: one query, in which every arm scores what any arm found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hindcast.model import case as cases
from hindcast.model.case import Case, CaseState
from hindcast.model.errors import Malformed
from hindcast.model.query import Filter, Hit, Query, Rank
from hindcast.model.recollection import Cue, CueKind
from hindcast.model.record import Record
from hindcast.ports import Searchable
from hindcast.recall.keys import EXCEPTION, FINGERPRINT, having, keys_of_clues
from hindcast.recall.limits import RecallLimits
from hindcast.recall.text import clean

# In the order in which they are explained.
ARMS = ("words", "meaning", "keys", "tokens")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case that an arm found, and what each arm thought of it."""

    case: Case
    address: str
    version: int
    ranks: Mapping[str, Rank]
    # The text in which the index looked.
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What the arms found, and which of them took part."""

    candidates: tuple[Candidate, ...]
    arms: tuple[str, ...]
    notes: tuple[str, ...]


# Told of a case, and of the text in which the index looked, before it is known whether it will be compared.
Ahead = Callable[[Case, str], None]


def ask(memory: Searchable, cue: Cue, limits: RecallLimits, *, ahead: Ahead | None = None) -> Asked:
    """Search the cases. Those that cannot answer are left out: the asking incident itself, and what was dismissed.

    Cases that are found early are read, and told `ahead`, while the rest is still looked for.

    Raises Malformed when there is nothing to ask for.
    """
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
    query = Query(
        text=text,
        filter=Filter(namespace=cases.NAMESPACE, kind=cases.KIND),
        hits_max=limits.candidates_max,
        arms=ARMS if keys else tuple(arm for arm in ARMS if arm != "keys"),
        keys=keys,
        scored_by_all=True,
        one_look=True,
        tokens_ms_max=limits.tokens_ms_max,
    )
    read: dict[int, Case] = {}

    def early(records: Sequence[Record]) -> None:
        for record in records:
            # What cannot be read is told of when it is in the answer.
            with suppress(Malformed):
                case = read[record.version] = _case(record)
                if ahead is not None:
                    ahead(case, _text(record, case))

    found = memory.search(query, early=early)
    notes = list(found.notes)
    if found.unembedded:
        notes.append(f"{found.unembedded} cases are not indexed by meaning yet; they were looked for by their words.")
    candidates: list[Candidate] = []
    for hit in found.hits:
        try:
            candidate = _candidate(hit, read.get(hit.record.version))
        except Malformed as error:
            notes.append(f"{hit.record.address} was left out, because it cannot be read: {error.problem}")
            continue
        if candidate.case.id != cue.incident and candidate.case.state is not CaseState.DISMISSED:
            candidates.append(candidate)
    return Asked(tuple(candidates), found.arms, tuple(notes))


def _candidate(hit: Hit, read: Case | None) -> Candidate:
    record = hit.record
    case = read or _case(record)
    return Candidate(case, str(record.address), record.version, hit.ranks, _text(record, case))


def _case(record: Record) -> Case:
    if not isinstance(record.body, Mapping):
        raise Malformed("Its body is no case.", field="body", remedy="Write cases with hindcast incident.")
    return cases.from_json(record.body)


def _text(record: Record, case: Case) -> str:
    return record.text or case.title
