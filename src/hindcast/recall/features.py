"""What the ranker looks at: how a case and a question are alike, each in a number with a name.

Numbers are absolute (0 to 1) wherever they can be, so that a confidence can rest on them; only `fused` compares a case
with the others at hand. An arm that took no part leaves its number at 0; a model learnt without it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hindcast.model.case import Case
from hindcast.model.recollection import Cue
from hindcast.recall.arms import Candidate
from hindcast.recall.keys import short_exception
from hindcast.recall.limits import RecallLimits
from hindcast.recall.rarity import Rarity
from hindcast.recall.reading import title_of
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

NONE: frozenset[str] = frozenset()
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


Words = frozenset[str]
Phrase = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, taken apart for comparison."""

    cue: Cue
    words: Words
    phrases: frozenset[Phrase]
    # The same, each with how it stands among the words of a text.
    needles: Sequence[tuple[Phrase, str]]
    # The words of its first lines.
    lines: Sequence[Words]
    exceptions: Words
    identifiers: Words
    components: Words
    services: Words
    # Where it failed, innermost first.
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A case as far as it is compared with a question: what neither has in common with it is not even read."""

    case: Case
    # Of its words those that are weighed, and of its phrases those of the question.
    words: Words
    phrases: frozenset[Phrase]
    title: Words
    # Of the lines that were seen then, those that may echo one of the question's.
    lines: Sequence[Words]
    identifiers: Words
    frames: tuple[str, ...]


def features_of(cue: Cue, candidates: Sequence[Candidate], limits: RecallLimits) -> tuple[dict[str, float], ...]:
    """The numbers of every candidate, in their order; `fused` is left to `fuse`."""
    asked = _question(cue, limits)
    titles = [word_set(title_of(candidate.case)) for candidate in candidates]
    lines = [_echoing(candidate.case, asked.words, limits.lines_max) for candidate in candidates]
    # A word is weighed by how many cases have it. Only those are counted that some share will be made of.
    met = (title for title in titles if not title.isdisjoint(asked.words))
    weighed = asked.words.union(*met, *(line for told in lines for line in told))
    compared = [
        _compared(asked, candidate, weighed, title, told, limits)
        for candidate, title, told in zip(candidates, titles, lines, strict=True)
    ]
    words = Rarity((one.words for one in compared), weighed)
    phrases = Rarity((one.phrases for one in compared), asked.phrases)
    names = Rarity((one.identifiers for one in compared), asked.identifiers)
    stacks = [frozenset(one.frames) for one in compared]
    frames = Rarity(stacks, frozenset(asked.frames).union(*stacks) if asked.frames else ())
    found: list[dict[str, float]] = []
    for candidate, one in zip(candidates, compared, strict=True):
        score = {arm: rank.score for arm, rank in candidate.ranks.items()}
        shared = words.met(asked.words, one.words)
        # A question of one line has no words but that line's.
        shares = [
            (shared if line is asked.words else words.met(line, one.words)) / (words.mass(line) + LINE_DOUBTED)
            for line in asked.lines
        ]
        found.append(
            {
                "meaning": min(max(score.get("meaning", 0.0), 0.0), 1.0),
                "tokens": min(max(score.get("tokens", 0.0), 0.0), 1.0),
                "words": shared / (words.mass(asked.words) + NAMES_DOUBTED),
                "phrases": phrases.share(asked.phrases, one.phrases, doubted=NAMES_DOUBTED),
                "title": words.share(one.title, asked.words, doubted=NAMES_DOUBTED),
                "head": shares[0] if shares else 0.0,
                "line": max(shares, default=0.0),
                "echo": max((_echo(line, told, words) for told in one.lines for line in asked.lines), default=0.0),
                "identifiers": names.share(asked.identifiers, one.identifiers, doubted=NAMES_DOUBTED),
                "trace": align(asked.frames, one.frames, frames) if one.frames else 0.0,
                **_same(asked, one.case),
            }
        )
    return tuple(found)


def read_ahead(case: Case, text: str, limits: RecallLimits) -> None:
    """Take a case apart before it is compared, while there is nothing else to do: its words are remembered."""
    word_set(title_of(case))
    words_in(text[: limits.case_chars_max])
    for line in _seen(case, limits.lines_max):
        words_in(line)


def _question(cue: Cue, limits: RecallLimits) -> Question:
    text = clean(cue.text, chars_max=limits.cue_chars_max)
    phrases = phrase_set(text)
    return Question(
        cue=cue,
        words=word_set(text),
        phrases=phrases,
        needles=[(pair, f" {pair[0]} {pair[1]} ") for pair in phrases],
        lines=_lines(text, limits.lines_max),
        exceptions=_short(cue.clues.exceptions),
        identifiers=_lower(cue.clues.identifiers),
        components=_lower(cue.clues.components),
        # People name the service in a sentence; only an incident or a flag gives it apart.
        services=_lower((*cue.services, *_WORD.findall(text.lower()))),
        frames=cue.clues.frames[: limits.frames_max],
    )


def _compared(
    asked: Question, candidate: Candidate, weighed: Words, title: Words, lines: Sequence[Words], limits: RecallLimits
) -> Compared:
    case = candidate.case
    told = words_in(candidate.text[: limits.case_chars_max])
    words = weighed.intersection(told)
    return Compared(
        case=case,
        words=words,
        phrases=_phrases_in(told, [needle for needle in asked.needles if words.issuperset(needle[0])]),
        title=title,
        lines=lines,
        identifiers=_lower(case.clues.identifiers) if asked.identifiers else NONE,
        frames=case.clues.frames[: limits.frames_max] if asked.frames else (),
    )


def _phrases_in(told: Sequence[str], wanted: Sequence[tuple[Phrase, str]]) -> frozenset[Phrase]:
    """Which of these pairs stand side by side among the words of a text."""
    if not wanted:
        return frozenset()
    # Looking for a few pairs in one string beats making every pair of a long text.
    row = f" {' '.join(told)} "
    return frozenset([pair for pair, needle in wanted if needle in row])


def _same(asked: Question, case: Case) -> dict[str, float]:
    cue = asked.cue
    shared = not set(cue.clues.fingerprints).isdisjoint(case.clues.fingerprints)
    stacks = bool(cue.clues.frames) and bool(case.clues.frames)
    # Of what the question does not name, nothing is the same and nothing is other.
    exceptions = _short(case.clues.exceptions) if asked.exceptions else NONE
    components = _lower((*case.components, *case.clues.components)) if asked.components else NONE
    return {
        "fingerprint": float(shared and stacks),
        "message": float(shared and not stacks),
        "exception": _share(asked.exceptions, exceptions),
        "exception_other": _apart(asked.exceptions, exceptions),
        "component": _share(asked.components, components),
        "component_other": _apart(asked.components, components),
        "service": float(any(name.lower() in asked.services for name in case.services)),
    }


def _short(exceptions: Iterable[str]) -> Words:
    return frozenset(map(short_exception, exceptions))


def _lower(names: Iterable[str]) -> Words:
    return frozenset(map(str.lower, names))


def _share(wanted: Words, present: Words) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _apart(one: Words, other: Words) -> float:
    return float(bool(one) and bool(other) and one.isdisjoint(other))


def _lines(text: str, lines_max: int) -> list[Words]:
    """The words of the first lines that have any. The first tells most; a very short one has the next too."""
    found = [words for line in text.splitlines() if (words := word_set(line))][:lines_max]
    if len(found) > 1 and len(found[0]) < HEAD_WORDS_MIN:
        found[0] = found[0] | found[1]
    return found


def _echoing(case: Case, asked: Words, lines_max: int) -> list[Words]:
    """The words of each line that was seen then and may echo what is asked."""
    lines = _seen(case, lines_max)
    return [word_set(line) for line in lines if len(asked.intersection(words_in(line))) >= ECHO_WORDS_MIN]


def _seen(case: Case, lines_max: int) -> tuple[str, ...]:
    """The lines that were seen then: symptoms, and what the stack says."""
    stack = case.stack.strip().splitlines()
    return (*case.symptoms, *stack[:1], *stack[-1:])[:lines_max]


def _echo(asked: Words, told: Words, words: Rarity[str]) -> float:
    """How nearly two lines are the same one, by the weight of their words."""
    shared = asked & told
    if len(shared) < ECHO_WORDS_MIN:
        return 0.0
    return 2 * words.mass(shared) / (words.mass(asked) + words.mass(told) + ECHO_DOUBTED)
