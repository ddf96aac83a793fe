"""Phrases that say what came of an attempt: helped, did nothing, did harm. Each with its place in the sentence.

A phrase that says what was hoped for ("to fix the errors", "should help") says nothing of what happened and is left
out; one that is denied ("did not recover") says the contrary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindcast.learn.cue_words import NO_EFFECT, NOT, STAYED_AWAY, WORKED, WORSE, any_of
from hindcast.model.case import Outcome

# How far before a phrase its wish or its denial may stand.
_BEFORE_CHARS_MAX = 60
# Before a phrase: what was wanted or expected, not what happened.
_WISH = re.compile(
    r"\b"
    + any_of(
        "should would could will might may can must to hoping hope[ds]? expect(?:ed|ing)? supposed in_order "
        "wanted wants aim(?:ed|ing)? trying believed assum(?:ed|ing) thought if whether unless so_that "
        "intended meant needs? promis\\w+"
    )
    + r"\b(?:\s+(?:it|this|that|they|we|not|be|have|been|the|a|\w+ly|\w+\s+would|which))*\s*$",
    re.I,
)
_DOUBT = re.compile(r"\bwhether\b[^,;.]*$", re.I)
_NEITHER = re.compile(r"\b(?:neither|none\s+of|no\s+amount\s+of)\b[^;.]*$", re.I)
_DENIED = re.compile(
    rf"\b(?:{NOT})\b(?:\s+(?:\w+ly|have|been|even|the|any|of|really|yet|it|we|to|be|\w+ing))*\s*$", re.I
)
# "did not help", "wasn't resolved", "failed to clear": a denial with its own verb.
_DENIAL = re.compile(
    r"\b(?:(?:did|does|do|had|has|have|was|were|is|could)(?:\s+not|n[’']t)|didnt|wasnt|never|failed\s+to|neither|"
    r"none\s+of\s+(?:them|these|those|it|this|that))\s+"
    r"(?:\w+ly\s+|really\s+|even\s+|seem\s+to\s+|appear\s+to\s+|have\s+|\w+\s+nor\s+\w+\s+)?"
    + any_of(
        "help(?:ed)? work(?:ed)? fix(?:ed)? resolved? solved? changed? make_(?:a|any)_\\w+ improved? "
        "clear(?:ed)? stop(?:ped)? recover(?:ed)? go_away do_(?:anything|much|the_trick) bring restored? "
        "stabili[sz]e stick hold last address reduced? have_(?:any|an|much) drop mitigated? come_back "
        "get_better get_us budge alleviate cure relieve prevent(?:ed)? take_effect enough"
    )
    + r"\b",
    re.I,
)
_NOT_WORSE = re.compile(rf"\b(?:{NOT})\b(?:\s+\w+){{0,2}}\s*$", re.I)
_ORDER = ((WORSE, Outcome.MADE_WORSE), (NO_EFFECT, Outcome.NO_EFFECT), (WORKED, Outcome.WORKED))
_PARTIAL = re.compile(
    r"\b(?:a\s+bit|a\s+little|slightly|somewhat|partially|marginally|reduced|eased|partly|mostly)\b", re.I
)


@dataclass(frozen=True, slots=True)
class OutcomeCue:
    """A phrase that tells an outcome, with its place in the sentence."""

    outcome: Outcome
    start: int
    end: int
    # Whether it tells only a part: "helped a bit".
    partial: bool = False


def outcome_cues(sentence: str) -> tuple[OutcomeCue, ...]:
    """The phrases of a sentence that tell what came of something, in their order."""
    found = [
        OutcomeCue(Outcome.WORKED, match.start(), match.end())
        for match in STAYED_AWAY.finditer(sentence)
        if re.search(r"\b(?:since|again|recur\w*|reappear\w*)\b", sentence[match.start() :], re.I)
    ]
    found += [
        OutcomeCue(Outcome.NO_EFFECT, match.start(), match.end())
        for match in _DENIAL.finditer(sentence)
        if not _WISH.search(sentence[max(match.start() - _BEFORE_CHARS_MAX, 0) : match.start()])
    ]
    for patterns, outcome in _ORDER:
        for pattern in patterns:
            for match in pattern.finditer(sentence):
                cue = _judged(sentence, match, outcome)
                if cue is not None and not any(_overlap(cue, other) for other in found):
                    found.append(cue)
    return tuple(sorted(found, key=lambda cue: cue.start))


def _judged(sentence: str, match: re.Match[str], outcome: Outcome) -> OutcomeCue | None:
    """The cue as its context has it: wished for (none), denied (the contrary), or as it stands."""
    before = sentence[max(match.start() - _BEFORE_CHARS_MAX, 0) : match.start()]
    if not match.group().strip() or _WISH.search(before) or _DOUBT.search(before):
        return None
    partial = _PARTIAL.search(match.group()) is not None
    if outcome is Outcome.WORKED and (_DENIED.search(before) or _NEITHER.search(sentence[: match.start()])):
        return OutcomeCue(Outcome.NO_EFFECT, match.start(), match.end(), partial)
    if outcome is Outcome.MADE_WORSE and _NOT_WORSE.search(before):
        return OutcomeCue(Outcome.NO_EFFECT, match.start(), match.end(), partial)
    start = match.start() + len(match.group()) - len(match.group().lstrip())
    return OutcomeCue(outcome, start, match.end(), partial)


def _overlap(one: OutcomeCue, other: OutcomeCue) -> bool:
    return one.start < other.end and other.start < one.end
