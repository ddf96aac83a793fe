"""What the ranker looks at: how a case and a question are alike, each in a number with a name.

Numbers are absolute (0 to 1) wherever they can be, so that a confidence can rest on them; only `fused` compares a case
with the others at hand. An arm that took no part leaves its number at 0; a model learnt without it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hindcast.model.case import Case
from hindcast.model.recollection import Cue
from hindcast.recall.arms import Candidate
from hindcast.recall.keys import short_exception
from hindcast.recall.limits import RecallLimits
from hindcast.recall.rarity import Rarity
from hindcast.recall.stacks import align
from hindcast.recall.text import clean, words_in

# Weights this small (about one name that most cases have) are doubted; see Rarity.share.
NAMES_DOUBTED = 1.5

_WORD = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

# By name: what each number says.
MEANINGS: Mapping[str, str] = {
    "fused": "what the arms think together, against the other cases",
    "meaning": "how near the two texts are in meaning",
    "tokens": "how well each word of the question is met by one in the case",
    "words": "how much of the question's words the case has, the rare ones most",
    "phrases": "how many pairs of neighbouring words of the question the case has",
    "title": "how much of the case's title the question has",
    "line": "how well the best line of the question is met",
    "fingerprint": "whether the fingerprint of a stack is the same",
    "message": "whether the fingerprint of a line is the same",
    "trace": "how much of the stack is the same",
    "exception": "how many of the question's exceptions the case has",
    "exception_other": "whether both name exceptions and none is the same",
    "identifiers": "how many of the question's rare names the case has",
    "component": "how many of the question's components the case has",
    "component_other": "whether both name components and none is the same",
    "service": "whether a service is the same",
}


@dataclass(frozen=True, slots=True)
class Read:
    """A text taken apart for comparison."""

    words: frozenset[str]
    phrases: frozenset[str]
    exceptions: frozenset[str]
    identifiers: frozenset[str]
    components: frozenset[str]
    services: frozenset[str]


def features_of(cue: Cue, candidates: Sequence[Candidate], limits: RecallLimits) -> tuple[dict[str, float], ...]:
    """The numbers of every candidate, in their order; `fused` is left to `fuse`."""
    asked_words = words_in(clean(cue.text, chars_max=limits.cue_chars_max))
    asked = _read(asked_words, cue.clues.exceptions, cue.clues.identifiers, cue.clues.components, cue.services)
    lines = [frozenset(words_in(line)) for line in cue.text[: limits.cue_chars_max].splitlines()]
    reads = [_read_case(candidate, limits) for candidate in candidates]
    words = Rarity(read.words for read in reads)
    phrases = Rarity(read.phrases for read in reads)
    names = Rarity(read.identifiers | read.words for read in reads)
    frames = Rarity(candidate.case.clues.frames for candidate in candidates)
    found: list[dict[str, float]] = []
    for candidate, read in zip(candidates, reads, strict=True):
        score = {arm: rank.score for arm, rank in candidate.ranks.items()}
        found.append(
            {
                "meaning": min(max(score.get("meaning", 0.0), 0.0), 1.0),
                "tokens": min(max(score.get("tokens", 0.0), 0.0), 1.0),
                "words": words.share(asked.words, read.words, doubted=NAMES_DOUBTED),
                "phrases": phrases.share(asked.phrases, read.phrases, doubted=NAMES_DOUBTED),
                "title": _title(candidate.case, asked.words, words),
                "line": max((words.share(line, read.words, doubted=NAMES_DOUBTED * 4) for line in lines), default=0.0),
                **_clues(cue, asked, candidate.case, read, names, frames, limits),
            }
        )
    return tuple(found)


def _clues(
    cue: Cue, asked: Read, case: Case, read: Read, names: Rarity, frames: Rarity, limits: RecallLimits
) -> dict[str, float]:
    same = bool(set(cue.clues.fingerprints) & set(case.clues.fingerprints))
    stacks = bool(cue.clues.frames) and bool(case.clues.frames)
    # People name the service in a sentence; only an incident or a flag gives it apart.
    named = frozenset(_WORD.findall(cue.text[: limits.cue_chars_max].lower()))
    return {
        "fingerprint": float(same and stacks),
        "message": float(same and not stacks),
        "trace": align(cue.clues.frames[: limits.frames_max], case.clues.frames[: limits.frames_max], frames),
        "exception": _share(asked.exceptions, read.exceptions),
        "exception_other": _apart(asked.exceptions, read.exceptions),
        "identifiers": names.share(asked.identifiers, read.identifiers, doubted=NAMES_DOUBTED),
        "component": _share(asked.components, read.components),
        "component_other": _apart(asked.components, read.components),
        "service": float(bool((asked.services | named) & read.services)),
    }


def _title(case: Case, asked: frozenset[str], words: Rarity) -> float:
    return words.share(frozenset(words_in(case.title)), asked, doubted=NAMES_DOUBTED)


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _apart(one: frozenset[str], other: frozenset[str]) -> float:
    return float(bool(one) and bool(other) and not one & other)


def _read_case(candidate: Candidate, limits: RecallLimits) -> Read:
    case = candidate.case
    components = (*case.components, *case.clues.components)
    words = words_in(candidate.text[: limits.case_chars_max])
    return _read(words, case.clues.exceptions, case.clues.identifiers, components, case.services)


def _read(
    words: Sequence[str],
    exceptions: Sequence[str],
    identifiers: Sequence[str],
    components: Sequence[str],
    services: Sequence[str],
) -> Read:
    return Read(
        words=frozenset(words),
        phrases=frozenset(f"{first} {second}" for first, second in pairwise(words) if first != second),
        exceptions=frozenset(short_exception(name) for name in exceptions),
        identifiers=frozenset(name.lower() for name in identifiers),
        components=frozenset(name.lower() for name in components),
        services=frozenset(name.lower() for name in services),
    )
