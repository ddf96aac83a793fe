"""What is asked of the index: one query, in which every arm scores what any arm found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hindcast.model import case as cases
from hindcast.model.case import Case, CaseState
from hindcast.model.errors import Malformed
from hindcast.model.query import Filter, Hit, Query, Rank
from hindcast.model.recollection import Cue, CueKind
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


def ask(memory: Searchable, cue: Cue, limits: RecallLimits) -> Asked:
    """Search the cases. Those that cannot answer are left out: the asking incident itself, and what was dismissed.

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
    found = memory.search(query)
    notes = list(found.notes)
    if found.unembedded:
        notes.append(f"{found.unembedded} cases are not indexed by meaning yet; they were looked for by their words.")
    candidates: list[Candidate] = []
    for hit in found.hits:
        try:
            candidate = _candidate(hit)
        except Malformed as error:
            notes.append(f"{hit.record.address} was left out, because it cannot be read: {error.problem}")
            continue
        if candidate.case.id != cue.incident and candidate.case.state is not CaseState.DISMISSED:
            candidates.append(candidate)
    return Asked(tuple(candidates), found.arms, tuple(notes))


def _candidate(hit: Hit) -> Candidate:
    body = hit.record.body
    if not isinstance(body, Mapping):
        raise Malformed("Its body is no case.", field="body", remedy="Write cases with hindcast incident.")
    case = cases.from_json(body)
    return Candidate(case, str(hit.record.address), hit.record.version, hit.ranks, hit.record.text or case.title)
