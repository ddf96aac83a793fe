"""Attempts, cause and end out of lines in the order of time: a later line tells what came of an earlier one.

Who tried something is who said so; what came of it is what the next one says, whoever that is. Harm is given to the
latest attempt even when somebody else shouts it. What somebody names as the cause counts when the words say so, or when
another one confirms it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from hindcast.learn.attempts import attempt_of, is_past, outcome_of
from hindcast.learn.facts import cause_in
from hindcast.learn.prose import attempt_id, attempts_in, told_once
from hindcast.learn.roles import plain_words
from hindcast.learn.sentences import sentences_of
from hindcast.learn.talk import Line
from hindcast.model.action import similarity
from hindcast.model.case import Attempt, Cause, Evidence, Outcome, Witness

# What only says that it came out so is short.
OUTCOME_WORDS_MAX = 22
STATEMENT_WORDS_MIN = 4

_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|so|hmm+|alright|right|well|update|fyi|and|now|then|just|yes|yeah|yep|me|@\w+)[,:.!]?\s{1,20})*"
    r"(?P<who>(?:i['’]?m|i am|i['’]?ve|i have|i|we['’]?re|we are|we['’]?ve|we have|we|let me|lemme|let['’]s|gonna|"
    r"going to|i['’]ll|about to|went ahead and|will)\s{1,20})*"
    r"(?P<try>(?:try(?:ing)?(?:\s{1,20}to)?|tried(?:\s{1,20}to)?|just|now|also|gonna|"
    r"going to|go ahead and|quickly)\s{1,20})*",
    re.I,
)
_GERUND = re.compile(
    r"^([a-z]+ing)\s{1,20}(?!(?:is|are|was|were|not)\b|it\b|that\b|this\b|now\b|into\b|at\b|for\b|to\b|with\b|like\b|"
    r"from\b|on it\b)(\S.*)$",
    re.I,
)
_AGAIN = re.compile(r"^(?:([a-z]+)ing|([a-z]+)ed|done|doing)\b(?:\s{1,20}(?:it|that|this|them|now|so|\.+))*\W*$", re.I)
_INQUIRY = frozenset(
    [
        "seeing",
        "looking",
        "checking",
        "investigating",
        "getting",
        "having",
        "going",
        "being",
        "wondering",
        "paging",
        "joining",
        "watching",
        "thinking",
        "reading",
        "waiting",
        "asking",
        "digging",
        "hearing",
        "confirming",
        "verifying",
        "guessing",
        "following",
        "pinging",
        "escalating",
        "calling",
        "trying",
        "monitoring",
        "missing",
        "failing",
        "throwing",
        "burning",
        "working",
        "running",
        "returning",
        "showing",
        "timing",
        "dying",
        "crashing",
        "hitting",
        "reporting",
        "starting",
        "closing",
        "stopping",
        "declaring",
        "nothing",
        "something",
        "everything",
        "anything",
        "during",
        "according",
    ]
)
_CONFIRMS = re.compile(
    r"^\W*(?:(?:yes|yep|ok|ah|aha|oh|right|wow)\W+)*(?:(?:so )?(?:that|this)(?:['’]?s| is| was| must be| would "
    r"be)?\s{1,20}(?:it|(?:the|our|your)\s{1,20}(?:\w+\s{1,20})?(?:cause|culprit|reason|problem|bug|smoking gun)|why)|"
    r"(?:that|this)\s{1,20}explains\b.*|bingo|mystery solved|there we go|there it is|das ist (?:die ursache|der grund|"
    r"es)|das war(?:['’]s| es)|es la causa|esa es la causa|c['’]est (?:la cause|ça))\b",
    re.I,
)
_NAMES_CAUSE = re.compile(
    r"\b(?:found (?:it|the (?:cause|problem|culprit|reason|issue))|root cause|(?:the )?(?:cause|culprit|reason) "
    r"(?:is|was|:)|turns out|turned out|"
    r"the whole reason|that is (?:the|why)|that['’]s why|it['’]?s because|it was because|caused by|reason:|cause:|"
    r"ursache|grund war|la causa|la cause)\b",
    re.I,
)
_CAUSE_LEAD = re.compile(
    r"^(?:(?:ok|so|ah|aha|oh|well|update|and|yes|me|my bad|sorry)[,:.!]?\s{1,20})*(?:(?:we |i )?(?:found (?:it|the "
    r"(?:cause|problem|culprit|reason|issue))|(?:the )?root cause(?: is| was)?|turns out(?: that)?|it turned "
    r"out(?: that)?|"
    r"(?:the )?(?:cause|culprit|reason)(?: is| was)?(?: that)?)\s{0,20}[:,–—-]?\s{0,20})",
    re.I,
)
_ANSWER = re.compile(r"^(?:(?:me|yes|yeah|yep|no|sorry|my bad|my fault|i did|it was me|oh|ah)[,.:!]+\s{1,20})+", re.I)
_CAUSE_TAIL = re.compile(
    r",?\s{0,20}(?:and\s{1,20})?(?:that|this|which) (?:is|was) (?:the (?:whole |root )?(?:reason|cause)|why).*$", re.I
)
_UNDONE = re.compile(r"\b(?:it|that|this|them)\s{1,20}(?:again|back|on again|off again)$")
_THAT_WAS_IT = re.compile(
    r"^\W*(?:and\s{1,20})?(?:that|this)(?:['’]s|\s{1,20}was|\s{1,20}is)\s{1,20}(?:all|it|"
    r"the\s{1,20}(?:whole\s{1,20})?(?:cause|reason|problem|story|culprit))\W*$",
    re.I,
)
_SURELY = re.compile(r"\b(?:cause|culprit|reason|explains|smoking gun|ursache|causa)\b", re.I)
_COMMAND = re.compile(r"^[a-z][\w./-]+\s{1,20}(?:\S+\s{1,20})*?--?\w", re.I)
_ARROW = re.compile(r"\s(?:->|→|=>)\s")
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|i guess|guessing|could it|might|could be|i think|probably|not sure|suspect\w*|looks like "
    r"it might|wild guess|theory)\b",
    re.I,
)
_OVER = re.compile(
    r"\b(?:back to normal|all (?:green|clear)|resolved|closing (?:this|the|it)|closed (?:this|as)|^closed\W*$|"
    r"incident (?:is )?over|is over|fully recovered|recovered|we['’]re (?:good|back)|back up|"
    r"calling it|standing down|stand down|behoben|erledigt|alles wieder|resuelto|cerrado|résolu|resolvido|all good|"
    r"works? again|working again)\b",
    re.I,
)
_NOT_OVER = re.compile(r"\b(?:not|n['’]t|once|until|when|if|nobody)\b[^.]*$", re.I)


@dataclass(frozen=True, slots=True)
class Told:
    """What lines tell together."""

    attempts: tuple[Attempt, ...]
    cause: Cause | None
    ended: datetime | None


@dataclass(slots=True)
class _Course:
    """What is known after some of the lines."""

    ref: str
    attempts: list[Attempt] = field(default_factory=list)
    # By attempt: the number of the line that tells it.
    lines: list[int] = field(default_factory=list)
    cause: Cause | None = None
    ended: datetime | None = None
    # The latest statement that is neither a deed nor an outcome: what somebody may confirm as the cause.
    statement: Line | None = None
    statement_line: int = -1
    # The line before, whatever it tells.
    before: Line | None = None


def follow(lines: Sequence[Line], ref: str = "") -> Told:
    """What was tried, what came of it, the cause and the end, out of lines in the order of time."""
    course = _Course(ref)
    for number, line in enumerate(lines):
        _take(course, number, line)
        if line.text.strip() and not line.text.rstrip().endswith("?"):
            course.before = line
    attempts = _with_end(course, lines)
    return Told(told_once(attempts), course.cause, course.ended)


def _take(course: _Course, number: int, line: Line) -> None:
    text = re.sub(
        r"\s{1,20}", " ", " ".join(one.text for one in sentences_of(line.text) if not one.is_question)
    ).strip()
    if not text:
        return
    if _OVER.search(text) and not _NOT_OVER.search(text[: _OVER.search(text).start()]):  # type: ignore[union-attr]
        course.ended = line.at or course.ended
    if _confirm(course, text, line):
        return
    named = _named_cause(text)
    # What names the cause tells what broke it, and nothing that was tried.
    deeds = _deeds(text.replace(named, " ").strip() if named else text, line, course.ref)
    early = _before_deed(text, deeds)
    outcome = outcome_of(early) if early and len(early.split()) <= OUTCOME_WORDS_MAX else None
    if outcome is not None and course.attempts and not named:
        _give(course, outcome, text if not deeds else early, line)
    if named and (course.cause is None or course.cause.confidence < 0.9):
        by = line.by
        course.cause = Cause(_cause_text(named), by, (Evidence(Witness.TEXT, named, course.ref, line.at),), 0.85)
    for one in deeds:
        if one.outcome is Outcome.UNKNOWN and (_UNDONE.search(one.action) or " " not in one.action.strip()):
            # Taking back what did not help is no other attempt.
            continue
        if not _repeats(course, one):
            course.attempts.append(one)
            course.lines.append(number)
    if not deeds and outcome is None:
        if _goes_on(course, text, line):
            return
        if len(text.split()) >= STATEMENT_WORDS_MIN:
            course.statement, course.statement_line = replace(line, text=text), number


def _confirm(course: _Course, text: str, line: Line) -> bool:
    """Whether a line confirms what was said just before as the cause."""
    match = _CONFIRMS.match(text)
    if match is None or len(text.split()) > 12:
        return False
    if _SURELY.search(text) and course.before is not None and len(course.before.text.split()) >= STATEMENT_WORDS_MIN:
        # It is about the line before, even if that one sounds like a deed.
        course.statement, course.statement_line = course.before, len(course.lines) and course.lines[-1]
        if course.attempts and course.before.text.strip() in (one.quote for one in course.attempts[-1].evidence):
            course.attempts.pop()
            course.lines.pop()
    if course.statement is None:
        return False
    if course.lines and course.lines[-1] > course.statement_line:
        # It is about what was tried, rather than about what was said before that.
        return False
    said = max((one.text for one in sentences_of(course.statement.text)), key=len)
    course.cause = Cause(
        _cause_text(said),
        course.statement.by,
        (
            Evidence(Witness.TEXT, said, course.ref, course.statement.at),
            Evidence(Witness.TEXT, text, course.ref, line.at),
        ),
        0.9,
    )
    return True


def _named_cause(text: str) -> str:
    """The sentence of a line that names the cause; empty where none does."""
    said = sentences_of(text)
    for place, sentence in enumerate(said):
        if _GUESS.search(sentence.text):
            continue
        if place and _THAT_WAS_IT.match(sentence.text) and outcome_of(said[place - 1].text) is not Outcome.WORKED:
            return said[place - 1].text
        match = _NAMES_CAUSE.search(sentence.text)
        if match and len(sentence.text.split()) >= STATEMENT_WORDS_MIN and not _CONFIRMS.match(sentence.text):
            return sentence.text
    told = cause_in(text)
    return told[0].text if told is not None and told[1] >= 0.7 and not _GUESS.search(told[0].text) else ""


def _cause_text(sentence: str) -> str:
    bare = _CAUSE_TAIL.sub("", _CAUSE_LEAD.sub("", _ANSWER.sub("", sentence.strip()))).strip()
    return (
        re.sub(r"\s{1,20}", " ", bare)
        if len(bare.split()) >= STATEMENT_WORDS_MIN
        else re.sub(r"\s{1,20}", " ", sentence)
    )


def _deeds(text: str, line: Line, ref: str) -> list[Attempt]:
    if _ARROW.search(text):
        told = attempt_of(text, ref=ref, at=line.at)
        return [replace(told, by=told.by or line.by)] if told is not None else []
    read = [replace(one, by=one.by or line.by) for one in attempts_in(text, ref=ref, at=line.at)]
    if read:
        return [_whole(one, text) for one in read]
    found = []
    for sentence in sentences_of(text):
        one = _spoken(sentence.text, line, ref)
        if one is not None:
            found.append(_whole(one, text))
    return found


def _whole(one: Attempt, text: str) -> Attempt:
    """An attempt with the outcome that the rest of its line gives where its own sentence gives none."""
    quote = re.sub(r"\s{1,20}", " ", one.evidence[-1].quote)
    rest = text.partition(quote)[2].strip()
    within = quote.partition(",")[2] or quote.partition(":")[2]
    if one.outcome is Outcome.MADE_WORSE or len(rest.split()) > 40:
        return one
    told = outcome_of(within) if one.outcome is Outcome.UNKNOWN and within else None
    later = outcome_of(rest) if rest else None
    outcome = Outcome.MADE_WORSE if Outcome.MADE_WORSE in (told, later) else told or later
    if outcome is None or (one.outcome is not Outcome.UNKNOWN and outcome is not Outcome.MADE_WORSE):
        return one
    evidence = (
        one.evidence if told is outcome else (*one.evidence, Evidence(Witness.TEXT, rest, one.evidence[0].ref, one.at))
    )
    return replace(one, outcome=outcome, confidence=0.8, evidence=evidence)


def _spoken(text: str, line: Line, ref: str) -> Attempt | None:
    """What somebody says to be doing, in any words: "purging the jwks cache", "I put the old policy back"."""
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead else text
    gerund = _GERUND.match(rest)
    first = rest.split(" ", 1)[0].lower().strip(",.:")
    if line.by and _COMMAND.match(text):
        evidence = (Evidence(Witness.TEXT, text, ref, line.at),)
        return Attempt(attempt_id(text), text, at=line.at, by=line.by, evidence=evidence, confidence=0.5)
    spoken = lead is not None and (lead["who"] or lead["try"]) is not None
    if gerund is None or gerund.group(1).lower() in _INQUIRY:
        # Who writes under a name leaves out the "I".
        if not is_past(first) or not (spoken or rest[:1].isupper() or line.by):
            return None
        if first in (
            "acknowledged",
            "resolved",
            "triggered",
            "assigned",
            "escalated",
            "failed",
            "needed",
            "used",
            "noticed",
            "checked",
            "looked",
            "seemed",
            "got",
            "paged",
            "added",
            "reported",
            "asked",
            "confirmed",
            "did",
            "went",
        ):
            return None
    action, tail = _cut(rest)
    if len(action.split()) < 2:
        return None
    outcome = outcome_of(tail) if tail else None
    evidence = (Evidence(Witness.TEXT, text, ref, line.at),)
    return Attempt(
        attempt_id(action),
        action,
        outcome or Outcome.UNKNOWN,
        line.at,
        line.by,
        evidence=evidence,
        confidence=0.75 if outcome else 0.5,
    )


def _cut(rest: str) -> tuple[str, str]:
    for match in re.finditer(r"\s{0,20}(?:->|→|=>|—|–)\s{0,20}|[,;:.!]\s{1,20}|\s{1,20}(?:and|but)\s{1,20}", rest):
        if outcome_of(rest[match.end() :]) is not None:
            return rest[: match.start()].rstrip(" .!…"), rest[match.end() :]
    return rest.rstrip(" .!…"), ""


def _before_deed(text: str, deeds: Sequence[Attempt]) -> str:
    """The part of a line before what it says was done: an outcome there is about what was done before."""
    if not deeds:
        return text
    quote = re.sub(r"\s{1,20}", " ", deeds[0].evidence[0].quote)
    return text.partition(quote)[0].strip()


def _give(course: _Course, outcome: Outcome, text: str, line: Line) -> None:
    """Give an outcome that a line tells to the latest attempt."""
    place = len(course.attempts) - 1
    last = course.attempts[place]
    if last.outcome is Outcome.MADE_WORSE or (last.outcome is Outcome.NO_EFFECT and outcome is Outcome.WORKED):
        return
    if last.outcome is Outcome.WORKED and outcome is Outcome.WORKED:
        return
    together = [index for index, number in enumerate(course.lines) if number == course.lines[place]]
    for index in together:
        one = course.attempts[index]
        if index == place or one.outcome is Outcome.UNKNOWN:
            # Which of several did it, nobody says.
            sure = 0.75 if len(together) == 1 else 0.6
            evidence = (*one.evidence, Evidence(Witness.TEXT, text, course.ref, line.at))
            course.attempts[index] = replace(
                one, outcome=outcome, confidence=max(one.confidence, sure), evidence=evidence
            )


def _repeats(course: _Course, one: Attempt) -> bool:
    """Whether an attempt was announced just before: "let me try flushing the cache", then "flushing the cache now"."""
    for place in range(len(course.attempts) - 1, max(len(course.attempts) - 3, -1), -1):
        known = course.attempts[place]
        if similarity(known.action, one.action) < 0.8 and plain_words(known.action) != plain_words(one.action):
            continue
        if known.outcome is Outcome.UNKNOWN or known.outcome is one.outcome or one.outcome is Outcome.UNKNOWN:
            if (
                known.outcome is not Outcome.UNKNOWN
                and one.outcome is Outcome.UNKNOWN
                and known.outcome is not Outcome.WORKED
            ):
                return False
            better = one.outcome if known.outcome is Outcome.UNKNOWN else known.outcome
            course.attempts[place] = replace(
                known,
                outcome=better,
                evidence=(*known.evidence, *one.evidence),
                confidence=max(known.confidence, one.confidence),
            )
            return True
    return False


def _goes_on(course: _Course, text: str, line: Line) -> bool:
    """Whether a line only says that the latest attempt is under way: "flushing it", "done"."""
    return bool(course.attempts) and course.attempts[-1].by == line.by and _AGAIN.match(text) is not None


def _with_end(course: _Course, lines: Sequence[Line]) -> Iterator[Attempt]:
    """The attempts; the last one before an end that nobody contradicts is what worked."""
    for place, one in enumerate(course.attempts):
        last = place == len(course.attempts) - 1
        ends = course.ended is not None and one.at is not None and one.at <= course.ended
        if (
            last
            and one.outcome is Outcome.UNKNOWN
            and ends
            and not any(other.outcome is Outcome.WORKED for other in course.attempts)
        ):
            closing = next((line for line in reversed(lines) if line.at == course.ended), None)
            evidence = (
                *one.evidence,
                *((Evidence(Witness.TEXT, closing.text[:300], course.ref, closing.at),) if closing else ()),
            )
            one = replace(one, outcome=Outcome.WORKED, confidence=0.65, evidence=evidence)
        yield one
