"""Attempts out of prose: what was tried and what came of it, with the sentence as evidence.

No model reads here. Verbs of operations say what was done, phrases say what came of it, and their order in the sentence
(or in the next one) says which belongs to which. How sure a reading is says whether a person should look at it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from hindcast.learn.cues import OutcomeCue, outcome_cues
from hindcast.learn.deeds import DeedFound, deeds_in
from hindcast.learn.sentences import Sentence, sentences_of
from hindcast.model.action import similarity
from hindcast.model.action_words import BY_FORM
from hindcast.model.case import Attempt, Evidence, Outcome, Witness

# Readings less sure than this are worth a person's look.
SURE_MIN = 0.6
ATTEMPTS_MAX = 60

# Behind an outcome: what comes next brought it about. "errors stopped after we rolled back", "fixed by reverting".
_FORWARD = re.compile(
    r"^[\s,]{0,40}(?:\w+\s{1,20}){0,5}?(?:only\s{1,20})?(?:after|once|when|by|with|thanks\s{1,20}to|following|as\s{1,20}soon\s{1,20}as|upon|"
    r"through|via|until|because)"
    r"\b",
    re.I,
)
_UNTIL = re.compile(r"\buntil\b|\bonly\s{1,20}(?:after|once|when)\b", re.I)
_THEN = re.compile(r"\b(?:then|finally|eventually|later|afterwards?|next|so|instead)\b|,", re.I)
_HEDGE = re.compile(
    r"\b(?:seem(?:ed|s)?|appear(?:ed|s)?|maybe|perhaps|possibly|probably|apparently|we\s{1,20}think|i\s{1,20}think|might|"
    r"unclear|not\s{1,20}sure|"
    r"allegedly|supposedly|presumably)\b",
    re.I,
)
# How a sentence goes on telling about the one before it.
_GOES_ON = re.compile(
    r"^\W*(?:that|this|it|which|the\s{1,20}(?:change|restart|rollback|fix|deploy|attempt|effect|result)|neither|both|"
    r"none|no|nothing|"
    r"unfortunately|sadly|luckily|thankfully|still|within|after|afterwards|immediately|almost|a\s{1,20}few|ten|five|two|"
    r"\d+|errors?|"
    r"service|traffic|latency|things|everything|all|but|however|instead|result|outcome|effect|did|didn[’']t|made|"
    r"helped|worked|"
    r"recovered|fixed|resolved|the)\b",
    re.I,
)
# An outcome that a sentence begins with is about the sentence before, however it begins.
_EARLY_CHARS_MAX = 25
_ALL_OF_THEM = re.compile(r"\b(?:neither|none|both|all\s{1,20}of|nothing|either|any\s{1,20}of|these|those|nor)\b", re.I)
_WORDS = re.compile(r"[a-z]+(?:-[a-z]+)?")
_BRIEFLY = re.compile(
    r"\b(?:briefly|momentarily|for\s{1,20}a\s{1,20}(?:moment|second|minute)|at\s{1,20}first|initially)\b", re.I
)


@dataclass(slots=True)
class _Reading:
    """An attempt while its outcome is still being looked for."""

    deed: DeedFound
    sentence: Sentence
    outcome: Outcome = Outcome.UNKNOWN
    sure: float = 0.5
    more: list[Sentence] = field(default_factory=list)


def attempts_in(text: str, *, ref: str = "", at: datetime | None = None) -> tuple[Attempt, ...]:
    """What was tried according to a text, in its order, each with its outcome and the sentences that say so."""
    sentences = sentences_of(text)
    read: list[_Reading] = []
    waiting: list[_Reading] = []
    for sentence in sentences:
        if sentence.is_question or not (waiting or _may_tell(sentence.text)):
            waiting = []
            continue
        cues = outcome_cues(sentence.text)
        deeds = deeds_in(sentence.text, cues)
        here = [_Reading(deed, sentence, sure=0.5 * deed.plain) for deed in deeds]
        _link_back(sentence, cues, here, waiting)
        _link(sentence.text, cues, here)
        here = [one for one in here if one.outcome is not Outcome.UNKNOWN or not one.deed.needs_outcome]
        read += here
        if here or cues or not sentence.follows:
            waiting = here
    return told_once(_attempt(one, ref, at) for one in read[:ATTEMPTS_MAX])


def _may_tell(text: str) -> bool:
    """Whether a sentence holds a verb of operations at all; most do not, and looking closer takes far longer."""
    return "`" in text or any(word in BY_FORM for word in _WORDS.findall(text.lower()))


def unsure(attempts: Iterable[Attempt], *, below: float = SURE_MIN) -> tuple[Attempt, ...]:
    """The attempts that a person should look at: read with little confidence, or without an outcome."""
    return tuple(one for one in attempts if one.confidence < below)


def _link(text: str, cues: Sequence[OutcomeCue], here: Sequence[_Reading]) -> None:
    """Give the outcomes that a sentence tells to what it says was done."""
    told: dict[int, Outcome] = {}
    for cue in cues:
        before = [index for index, one in enumerate(here) if one.deed.start < cue.start]
        after = [index for index, one in enumerate(here) if one.deed.start >= cue.end]
        forward = bool(after) and _FORWARD.search(text[cue.end : here[after[0]].deed.start])
        if forward and (not before or _starts_clause(text, here[before[-1]].deed.end, cue.start)):
            _forward(text, cue, here, after)
        elif before:
            _backward(text, cue, here, before, told)


def _starts_clause(text: str, left: int, right: int) -> bool:
    """Whether a new statement begins between a deed and an outcome: the outcome is not the deed's then."""
    return (
        re.search(r"[;.:]|,\s{0,20}(?:and|but)?\s{0,20}(?:the\s{1,20})?\w+\s{0,20}$|\bbut\b|\bso\b", text[left:right])
        is not None
    )


def _forward(text: str, cue: OutcomeCue, here: Sequence[_Reading], after: Sequence[int]) -> None:
    """An outcome told before its deed: "recovered only after the failover"; "errors went on until we rolled back"."""
    between = text[cue.start : here[after[0]].deed.start]
    outcome = cue.outcome
    if outcome is Outcome.NO_EFFECT:
        if not _UNTIL.search(between):
            return
        outcome = Outcome.WORKED
    group = [after[0]]
    for index in after[1:]:
        joint = text[here[group[-1]].deed.end : here[index].deed.start]
        if not re.fullmatch(
            r"\W*(?:and|plus|,)\W*(?:by\s{1,20}|then\s{1,20}|also\s{1,20})?(?:we\s{1,20}|a\s{1,20}|the\s{1,20})?",
            joint,
            re.I,
        ):
            break
        group.append(index)
    for index in group:
        _tell(here[index], outcome, text, share=len(group), partial=cue.partial)


def _backward(
    text: str, cue: OutcomeCue, here: Sequence[_Reading], before: Sequence[int], told: dict[int, Outcome]
) -> None:
    """An outcome told after its deeds: it belongs to those that have none yet, or corrects the last that has one."""
    waiting = [index for index in before if index not in told and here[index].outcome is Outcome.UNKNOWN]
    if not waiting:
        last = before[-1]
        _correct(here[last], cue, text)
        told[last] = here[last].outcome
        return
    group = _group(text, cue, here, waiting)
    for index in group:
        _tell(here[index], cue.outcome, text, share=len(group), partial=cue.partial)
        told[index] = cue.outcome


def _group(text: str, cue: OutcomeCue, here: Sequence[_Reading], waiting: Sequence[int]) -> list[int]:
    """Which of the deeds before an outcome share it: all that are joined by "and"; after a "then" only the last."""
    scope = text[: cue.end]
    if _ALL_OF_THEM.search(scope) and cue.outcome is not Outcome.WORKED:
        return list(waiting)
    group = [waiting[-1]]
    for index in reversed(waiting[:-1]):
        joint = text[here[index].deed.end : here[group[-1]].deed.start]
        if _THEN.search(joint) and cue.outcome is Outcome.WORKED:
            break
        if not re.search(r"\band\b|\bor\b|,|\bnor\b", joint, re.I) or re.search(r"[;.]|\bbut\b", joint):
            break
        group.append(index)
    return sorted(group)


def _link_back(
    sentence: Sentence, cues: Sequence[OutcomeCue], here: Sequence[_Reading], waiting: Sequence[_Reading]
) -> None:
    """Give an outcome told at the beginning of a sentence to what the sentence before said was done."""
    if not waiting or not cues or not sentence.follows:
        return
    goes_on = cues[0].start <= _EARLY_CHARS_MAX or _GOES_ON.search(sentence.text) is not None
    if not goes_on and (here or cues[0].outcome is Outcome.WORKED):
        # A cure is not given to a deed on a guess.
        return
    first = min((one.deed.start for one in here), default=len(sentence.text))
    early = [cue for cue in cues if cue.start < first]
    if here and early and _FORWARD.search(sentence.text[early[-1].end : first]):
        early = early[:-1]
    if not early:
        return
    unknown = [one for one in waiting if one.outcome is Outcome.UNKNOWN]
    if unknown:
        chosen = _told_together(unknown, early[0], sentence.text)
        for one in chosen:
            _tell(one, early[0].outcome, sentence.text, share=len(chosen), partial=early[0].partial, later=True)
            for cue in early[1:]:
                _correct(one, cue, sentence.text)
            one.sure *= 1.0 if goes_on else 0.7
            one.more.append(sentence)
        return
    last = waiting[-1]
    if last.outcome is Outcome.WORKED and early[0].outcome is not Outcome.WORKED:
        _correct(last, early[0], sentence.text)
        last.more.append(sentence)


def _told_together(unknown: Sequence[_Reading], cue: OutcomeCue, text: str) -> list[_Reading]:
    """Which deeds of the sentence before share an outcome that the next one tells."""
    if _ALL_OF_THEM.search(text):
        return list(unknown)
    before = unknown[-1].sentence.text
    end = OutcomeCue(cue.outcome, len(before), len(before))
    return [unknown[index] for index in _group(before, end, unknown, range(len(unknown)))]


def _tell(
    one: _Reading, outcome: Outcome, text: str, *, share: int = 1, partial: bool = False, later: bool = False
) -> None:
    sure = one.deed.plain
    if share > 1 and outcome is Outcome.WORKED:
        # Which of them did it, nobody says.
        sure *= 0.75
    if partial:
        sure *= 0.6
    if later:
        sure *= 0.92
    if _HEDGE.search(text):
        sure *= 0.65
    one.outcome, one.sure = outcome, sure


def _correct(one: _Reading, cue: OutcomeCue, text: str) -> None:
    """A second outcome of one deed: harm stays harm, relief that did not last is none."""
    if one.outcome is Outcome.MADE_WORSE:
        if cue.outcome is Outcome.WORKED and _BRIEFLY.search(text[: cue.start]):
            one.outcome = Outcome.WORKED
            one.sure *= 0.8
        return
    if cue.outcome is Outcome.MADE_WORSE or (one.outcome is Outcome.WORKED and cue.outcome is Outcome.NO_EFFECT):
        one.outcome = cue.outcome
        one.sure *= 0.95


def told_once(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """The attempts, each told once: a summary often repeats what the timeline says."""
    found: list[Attempt] = []
    for attempt in attempts:
        same = next((index for index, other in enumerate(found) if _is_same(other, attempt)), None)
        if same is None:
            taken = {other.id for other in found}
            found.append(replace(attempt, id=_free(attempt.id, taken)))
        else:
            found[same] = _merged(found[same], attempt)
    return tuple(found)


def _is_same(one: Attempt, other: Attempt) -> bool:
    if similarity(one.action, other.action) < 0.8:
        return False
    return one.outcome is other.outcome or Outcome.UNKNOWN in (one.outcome, other.outcome)


def _merged(one: Attempt, other: Attempt) -> Attempt:
    """Two tellings of one attempt: the one that knows its outcome, with what both say."""
    better, less = (one, other) if one.outcome is not Outcome.UNKNOWN else (other, one)
    evidence = tuple(dict.fromkeys((*one.evidence, *other.evidence)))
    longer = max(one.action, other.action, key=lambda action: min(len(action), 80))
    return replace(
        better,
        id=one.id,
        action=longer if similarity(longer, better.action) >= 0.8 else better.action,
        by=better.by or less.by,
        at=better.at or less.at,
        command=better.command or less.command,
        evidence=evidence,
        confidence=max(one.confidence, other.confidence) if one.outcome is other.outcome else better.confidence,
    )


def _attempt(one: _Reading, ref: str, at: datetime | None) -> Attempt:
    evidence = tuple(
        Evidence(Witness.TEXT, sentence.text, ref, at) for sentence in dict.fromkeys((one.sentence, *one.more))
    )
    return Attempt(
        id=attempt_id(one.deed.action),
        action=one.deed.action,
        outcome=one.outcome,
        at=at,
        by=one.deed.by,
        command=one.deed.command,
        evidence=evidence,
        confidence=round(min(one.sure, 0.95), 2),
    )


def attempt_id(action: str) -> str:
    """A short id that stays the same when the same text is read again."""
    return "t" + hashlib.sha256(action.lower().encode()).hexdigest()[:5]


def _free(wanted: str, taken: set[str]) -> str:
    number = 2
    free = wanted
    while free in taken:
        free = f"{wanted}-{number}"
        number += 1
    return free
