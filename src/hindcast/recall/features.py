"""What the ranker looks at: how a case and a question are alike, each in a number with a name.

Numbers are absolute (0 to 1) wherever they can be, so that a confidence can rest on them; only `fused` compares a case
with the others at hand. An arm that took no part leaves its number at 0; a model learnt without it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hindcast.model.case import Case, Clues
from hindcast.model.recollection import Cue
from hindcast.recall.arms import Candidate
from hindcast.recall.keys import short_exception
from hindcast.recall.limits import RecallLimits
from hindcast.recall.rarity import Rarity
from hindcast.recall.stacks import align
from hindcast.recall.text import clean, phrase_set, word_set, words_in

# Weights this small (about one name that most cases have) are doubted; see Rarity.share.
NAMES_DOUBTED = 1.5
# The best of several lines is easily good, so more is asked of each.
LINE_DOUBTED = 6.0
# Two lines with fewer words in common do not echo each other, and one with little weight does so only a little.
ECHO_WORDS_MIN = 3
ECHO_DOUBTED = 4.0
# A first line with fewer words is a heading.
HEAD_WORDS_MIN = 4

_WORD = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

# By name: what each number says.
MEANINGS: Mapping[str, str] = {
    "fused": "what the arms think together, against the other cases",
    "meaning": "how near the two texts are in meaning",
    "tokens": "how well each word of the question is met by one in the case",
    "words": "how much of the question's words the case has, the rare ones most",
    "phrases": "how many pairs of neighbouring words of the question the case has",
    "title": "how much of the case's title the question has",
    "head": "how well the first line of the question is met",
    "line": "how well the best line of the question is met",
    "echo": "how nearly a line of the question is a line that was seen then",
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
    phrases: frozenset[tuple[str, str]]
    exceptions: frozenset[str]
    identifiers: frozenset[str]
    components: frozenset[str]
    services: frozenset[str]


def features_of(cue: Cue, candidates: Sequence[Candidate], limits: RecallLimits) -> tuple[dict[str, float], ...]:
    """The numbers of every candidate, in their order; `fused` is left to `fuse`."""
    text = clean(cue.text, chars_max=limits.cue_chars_max)
    # People name the service in a sentence; only an incident or a flag gives it apart.
    services = (*cue.services, *_WORD.findall(text.lower()))
    asked = _read(word_set(text), phrase_set(text), cue.clues, cue.clues.components, services)
    lines = _lines(text, limits.lines_max)
    titles = [word_set(candidate.case.title) for candidate in candidates]
    errors = [_errors(candidate.case, limits.lines_max) for candidate in candidates]
    known = asked.words.union(*titles, *(line for told in errors for line in told))
    reads = [_read_case(candidate, known, asked.phrases, limits) for candidate in candidates]
    words = Rarity((read.words for read in reads), known)
    phrases = Rarity((read.phrases for read in reads), asked.phrases)
    names = Rarity((read.identifiers for read in reads), asked.identifiers)
    stacks = [candidate.case.clues.frames[: limits.frames_max] for candidate in candidates]
    here = cue.clues.frames[: limits.frames_max]
    frames = Rarity(map(frozenset, stacks), frozenset(here).union(*stacks) if here else ())
    found: list[dict[str, float]] = []
    for candidate, read, title, told, stack in zip(candidates, reads, titles, errors, stacks, strict=True):
        score = {arm: rank.score for arm, rank in candidate.ranks.items()}
        met = [words.share(line, read.words, doubted=LINE_DOUBTED) for line in lines]
        found.append(
            {
                "meaning": min(max(score.get("meaning", 0.0), 0.0), 1.0),
                "tokens": min(max(score.get("tokens", 0.0), 0.0), 1.0),
                "words": words.share(asked.words, read.words, doubted=NAMES_DOUBTED),
                "phrases": phrases.share(asked.phrases, read.phrases, doubted=NAMES_DOUBTED),
                "title": words.share(title, asked.words, doubted=NAMES_DOUBTED),
                "head": met[0] if met else 0.0,
                "line": max(met, default=0.0),
                "echo": max((_echo(line, other, words) for line in lines for other in told), default=0.0),
                "identifiers": names.share(asked.identifiers, read.identifiers, doubted=NAMES_DOUBTED),
                "trace": align(here, stack, frames),
                **_same(cue, asked, candidate.case, read),
            }
        )
    return tuple(found)


def _same(cue: Cue, asked: Read, case: Case, read: Read) -> dict[str, float]:
    shared = not set(cue.clues.fingerprints).isdisjoint(case.clues.fingerprints)
    stacks = bool(cue.clues.frames) and bool(case.clues.frames)
    return {
        "fingerprint": float(shared and stacks),
        "message": float(shared and not stacks),
        "exception": _share(asked.exceptions, read.exceptions),
        "exception_other": _apart(asked.exceptions, read.exceptions),
        "component": _share(asked.components, read.components),
        "component_other": _apart(asked.components, read.components),
        "service": float(not asked.services.isdisjoint(read.services)),
    }


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _apart(one: frozenset[str], other: frozenset[str]) -> float:
    return float(bool(one) and bool(other) and one.isdisjoint(other))


def _lines(text: str, lines_max: int) -> list[frozenset[str]]:
    """The words of the first lines that have any. The first tells most; a very short one has the next too."""
    found = [words for line in text.splitlines() if (words := word_set(line))][:lines_max]
    if len(found) > 1 and len(found[0]) < HEAD_WORDS_MIN:
        found[0] = found[0] | found[1]
    return found


def _errors(case: Case, lines_max: int) -> list[frozenset[str]]:
    """The words of each line that was seen then: symptoms, and what the stack says was raised."""
    stack = case.stack.strip().splitlines()
    lines = (*case.symptoms, *stack[:1], *stack[-1:])[:lines_max]
    return [words for line in lines if len(words := word_set(line)) >= ECHO_WORDS_MIN]


def _echo(asked: frozenset[str], told: frozenset[str], words: Rarity[str]) -> float:
    """How nearly two lines are the same one, by the weight of their words."""
    shared = asked & told
    if len(shared) < ECHO_WORDS_MIN:
        return 0.0
    return 2 * words.mass(shared) / (words.mass(asked) + words.mass(told) + ECHO_DOUBTED)


def _read_case(
    candidate: Candidate, words: frozenset[str], phrases: frozenset[tuple[str, str]], limits: RecallLimits
) -> Read:
    """A case as far as it is compared: of its words and phrases those that will be asked for."""
    case = candidate.case
    told = words_in(candidate.text[: limits.case_chars_max])
    components = (*case.components, *case.clues.components)
    return _read(words.intersection(told), phrases.intersection(pairwise(told)), case.clues, components, case.services)


def _read(
    words: frozenset[str],
    phrases: frozenset[tuple[str, str]],
    clues: Clues,
    components: Sequence[str],
    services: Sequence[str],
) -> Read:
    return Read(
        words=words,
        phrases=phrases,
        exceptions=frozenset(short_exception(name) for name in clues.exceptions),
        identifiers=frozenset(name.lower() for name in clues.identifiers),
        components=frozenset(name.lower() for name in components),
        services=frozenset(name.lower() for name in services),
    )
