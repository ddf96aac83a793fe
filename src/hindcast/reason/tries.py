"""Everything that was tried in a case, the fix included, each with what came of it and how much that counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from hindcast.model.action import action_key, same_action
from hindcast.model.action_words import Deed
from hindcast.model.case import Attempt, Case, CaseState, Evidence, Outcome, Resolution, Witness
from hindcast.reason.pool import Member
from hindcast.reason.wording import one_line

# What vouches for an outcome, and what it counts for. Numbers counted before and after are the best there is, and
# somebody's own word comes close. Text was written for another purpose, and a rule has read it.
WITNESS_WEIGHTS = {
    Witness.TELEMETRY: 1.0,
    Witness.VERDICT: 0.9,
    Witness.PERSON: 0.9,
    Witness.TEXT: 0.6,
    Witness.AGENT: 0.6,
}
# A statement without evidence was typed in by whoever made it.
UNSTATED_WEIGHT = 0.8
# What nobody put their name to is harder to ask about, and easier to make up.
UNSIGNED_WEIGHT = 0.8
# A case may call something its end of which it also says that nobody knows what came of it.
UNSEEN_WEIGHT = 0.5
# From this share of the words of their objects on, a fix tells an attempt again.
RETOLD_WORDS_MIN = 0.5
# While nobody has said how a case ended, what is written in it may still be taken back.
OPEN_WEIGHT = 0.7
QUOTE_CHARS_MAX = 400
ACTION_CHARS_MAX = 400
NAME_CHARS_MAX = 60

# Where one clause of an action ends and the next begins.
_JOINTS = re.compile(r"(\s{0,200};\s+|\.\s+|,?\s{1,200}(?:and|plus|then|as well as|followed by)\s+(?:then\s+)?|,\s+)")


@dataclass(frozen=True, slots=True)
class Try:
    """One action in one case, and what came of it."""

    action: str
    outcome: Outcome
    # How much it counts, 0 to 1: how sure the reading, the witness and the memory are.
    weight: float
    member: Member
    at: datetime
    by: str = ""
    quotes: tuple[str, ...] = ()
    diff: str = ""
    command: str = ""
    config: str = ""
    # Whether it is what ended the case.
    is_ending: bool = False
    # How the same case words it elsewhere: an attempt and the resolution that names it.
    retold: tuple[str, ...] = ()

    def is_same(self, other: Try) -> bool:
        """Whether both are the same action, in any of their wordings."""
        return any(same(a, b) for a in (self.action, *self.retold) for b in (other.action, *other.retold))


def tries_of(member: Member) -> tuple[Try, ...]:
    """What was tried in a case, in its order, and what ended it."""
    case = member.case
    ending = case.resolution
    named = next((one for one in case.attempts if ending is not None and one.id == ending.attempt), None)
    merged = named if named is not None else _ending_attempt(case, ending)
    found = [
        _joined(_of_attempt(member, one), member, ending) if one is merged and ending else _of_attempt(member, one)
        for one in case.attempts
        if one.action.strip()
    ]
    told = merged is not None and merged.outcome not in (Outcome.NO_EFFECT, Outcome.MADE_WORSE)
    if ending is not None and ending.text.strip() and not told:
        found.append(_of_resolution(member, ending))
    return tuple(found)


@lru_cache(maxsize=65_536)
def same(a: str, b: str) -> bool:
    """Whether two texts name the same action. Where no word of either is known, only the same text does."""
    one, other = action_key(a), action_key(b)
    if Deed.OTHER in (one.deed, other.deed) and not (one.words and other.words):
        return " ".join(a.casefold().split()) == " ".join(b.casefold().split())
    return same_action(a, b)


@lru_cache(maxsize=4_096)
def retells(text: str, attempt: str) -> bool:
    """Whether two texts of one case most likely tell the same deed, though their verbs have little in common."""
    ours, theirs = (set(action_key(one).words) for one in (text, attempt))
    if same(text, attempt):
        return True
    return bool(ours and theirs) and len(ours & theirs) >= RETOLD_WORDS_MIN * min(len(ours), len(theirs))


def without(action: str, harmful: Sequence[str]) -> str:
    """An action of several clauses without those that did harm; empty when nothing that says something is left."""
    clauses, joints = _clauses(action)
    if len(clauses) == 1:
        return "" if any(same(action, one) for one in harmful) else action
    is_bad = [action_key(one).deed is not Deed.OTHER and any(same(one, bad) for bad in harmful) for one in clauses]
    if not any(is_bad):
        return action
    kept = [(joint, clause) for joint, clause, bad in zip(joints, clauses, is_bad, strict=True) if not bad]
    if all(action_key(clause).deed is Deed.OTHER for _, clause in kept):
        return ""
    return kept[0][1] + "".join(joint + clause for joint, clause in kept[1:])


@lru_cache(maxsize=4_096)
def _clauses(action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The clauses of an action, and what stands before each. Cases of one failure tell the same few actions."""
    pieces = _JOINTS.split(action)
    return tuple(pieces[::2]), ("", *pieces[1::2])


def grouped(tries: Iterable[Try]) -> list[tuple[Try, ...]]:
    """Tries of the same action together. Sameness is passed on, and so the order of tries changes nothing."""
    order = sorted(tries, key=lambda one: (one.at, one.member.ref, one.action, one.outcome))
    texts = list(dict.fromkeys(text for one in order for text in (one.action, *one.retold)))
    leader = {text: text for text in texts}

    def first(text: str) -> str:
        while leader[text] != text:
            text = leader[text]
        return text

    for place, text in enumerate(texts):
        for other in texts[:place]:
            if first(text) != first(other) and same(text, other):
                leader[first(text)] = first(other)
    for one in order:
        for text in one.retold:
            leader[first(text)] = first(one.action)
    groups: dict[str, list[Try]] = {}
    for one in order:
        groups.setdefault(first(one.action), []).append(one)
    return [tuple(group) for group in groups.values()]


def _ending_attempt(case: Case, ending: Resolution | None) -> Attempt | None:
    """The attempt that a fix tells again in other words: the last of those that worked."""
    if ending is None:
        return None
    working = [one for one in case.attempts if one.outcome is Outcome.WORKED and same(one.action, ending.text)]
    return working[-1] if working else None


def _of_attempt(member: Member, attempt: Attempt) -> Try:
    return Try(
        one_line(attempt.action, ACTION_CHARS_MAX),
        attempt.outcome,
        _weight(member, attempt.evidence, attempt.confidence, attempt.by),
        member,
        attempt.at or member.case.occurred_at,
        one_line(attempt.by, NAME_CHARS_MAX),
        _quotes(attempt.evidence),
        attempt.diff,
        attempt.command,
        attempt.config,
        is_ending=member.case.resolution is None and attempt.outcome is Outcome.WORKED,
    )


def _of_resolution(member: Member, ending: Resolution) -> Try:
    told = [one.outcome for one in member.case.attempts if retells(ending.text, one.action)]
    seen = UNSEEN_WEIGHT if told and set(told) == {Outcome.UNKNOWN} else 1.0
    return Try(
        one_line(ending.text, ACTION_CHARS_MAX),
        Outcome.WORKED,
        round(seen * _weight(member, ending.evidence, ending.confidence, ending.by), 6),
        member,
        ending.at or member.case.resolved_at or member.case.occurred_at,
        one_line(ending.by, NAME_CHARS_MAX),
        _quotes(ending.evidence),
        ending.diff,
        ending.command,
        ending.config,
        is_ending=True,
    )


def _joined(made: Try, member: Member, ending: Resolution) -> Try:
    """The attempt that was the fix, with what both tellings say of it."""
    # Somebody measured or saw that it did not end it; then the fix is told by itself.
    if made.outcome in (Outcome.NO_EFFECT, Outcome.MADE_WORSE):
        return made
    fix = _of_resolution(member, ending)
    return Try(
        fix.action or made.action,
        fix.outcome,
        max(made.weight, fix.weight),
        member,
        fix.at,
        fix.by or made.by,
        tuple(dict.fromkeys((*made.quotes, *fix.quotes))),
        fix.diff or made.diff,
        fix.command or made.command,
        fix.config or made.config,
        is_ending=fix.is_ending,
        retold=(made.action,),
    )


def _weight(member: Member, evidence: Sequence[Evidence], confidence: float, by: str) -> float:
    vouched = max((WITNESS_WEIGHTS[one.witness] for one in evidence), default=UNSTATED_WEIGHT)
    vouched *= 1.0 if by.strip() else UNSIGNED_WEIGHT
    settled = 1.0 if member.case.state is CaseState.RESOLVED else OPEN_WEIGHT
    sure = min(max(confidence, 0.0), 1.0) * min(max(member.remembered.confidence, 0.0), 1.0)
    return round(vouched * settled * sure, 6)


def _quotes(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one_line(one.quote, QUOTE_CHARS_MAX) for one in evidence if one.quote.strip()))
