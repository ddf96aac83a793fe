"""The review of what was read: each field of a record with the sentence it came from, accepted or corrected in one go.

What a reading is unsure of is a question. What a person accepts or corrects is that person's word from then on: the
next import of the same source keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from hindcast.learn.prose import SURE_MIN
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Note, Outcome, Resolution, Witness
from hindcast.model.errors import Malformed

FIELDS = ("cause", "fix", "people", "minutes")
SPELLINGS = {
    **dict.fromkeys(("worked", "w"), Outcome.WORKED),
    **dict.fromkeys(("no effect", "no-effect", "n"), Outcome.NO_EFFECT),
    **dict.fromkeys(("made worse", "made-worse", "worse", "m"), Outcome.MADE_WORSE),
    **dict.fromkeys(("unknown", "?"), Outcome.UNKNOWN),
}
# Takes an attempt out of the record: nobody tried it.
NEVER = "never"
# The note that says who was there, so that the next import does not bring others back.
PEOPLE = "people"
_NEXT = re.compile(r"\s{0,20};\s{0,20}(?=(?:cause|fix|people|minutes|a\d+)\s*=)", re.I)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One field of a record as it was read."""

    # `cause`, `fix`, `people`, `minutes`, or the number of an attempt: `a1`.
    name: str
    value: str
    # What came of it, for an attempt.
    outcome: str = ""
    # The sentences that it was read from.
    sentences: tuple[str, ...] = ()
    sure: bool = True
    # What a person is asked where the reading is not sure.
    question: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """One record to look at."""

    case: str
    title: str
    items: tuple[ReviewItem, ...]

    @property
    def questions(self) -> tuple[ReviewItem, ...]:
        """What is left open."""
        return tuple(item for item in self.items if item.question)


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person says about a record in one go; what is not named is accepted as far as it was read surely."""

    cause: str | None = None
    fix: str | None = None
    people: tuple[str, ...] | None = None
    minutes: float | None = None
    # By the number of an attempt: its outcome, or None where nobody tried it.
    attempts: Mapping[str, Outcome | None] = field(default_factory=dict)


def review_of(case: Case, *, suggestion: str = "") -> Review:
    """The fields of a record with their sentences and, where the reading is not sure, a question."""
    items = [_cause_item(case, suggestion), _fix_item(case)]
    items += [_attempt_item(number, one) for number, one in enumerate(case.attempts, 1)]
    people = ", ".join(case.responders)
    items.append(ReviewItem("people", people, sure=bool(people), question="" if people else "Who was there?"))
    minutes = case.minutes_to_resolve
    unended = "" if minutes is not None else "How long did it take?"
    items.append(
        ReviewItem("minutes", f"{minutes:g}" if minutes is not None else "", sure=not unended, question=unended)
    )
    return Review(case.id, case.title, tuple(items))


def _cause_item(case: Case, suggestion: str) -> ReviewItem:
    if case.cause is None:
        question = f"Was this the cause: “{suggestion}”?" if suggestion else "Why did it happen? The text does not say."
        return ReviewItem("cause", "", sentences=(suggestion,) if suggestion else (), sure=False, question=question)
    sure = case.cause.confidence >= SURE_MIN
    question = "" if sure else "Is that the cause?"
    return ReviewItem("cause", case.cause.text, sentences=_quotes(case.cause), sure=sure, question=question)


def _fix_item(case: Case) -> ReviewItem:
    if case.resolution is None:
        return ReviewItem("fix", "", sure=False, question="What ended it?")
    sure = case.resolution.confidence >= SURE_MIN
    question = "" if sure else "Is that what ended it?"
    return ReviewItem("fix", case.resolution.text, sentences=_quotes(case.resolution), sure=sure, question=question)


def _attempt_item(number: int, one: Attempt) -> ReviewItem:
    sure = one.confidence >= SURE_MIN and one.outcome is not Outcome.UNKNOWN
    asked = "What came of it?" if one.outcome is Outcome.UNKNOWN else f"Is “{one.outcome}” right?"
    said = f"{one.by}: {one.action}" if one.by else one.action
    return ReviewItem(f"a{number}", said, one.outcome.value, _quotes(one), sure, "" if sure else asked)


def _quotes(one: Cause | Resolution | Attempt) -> tuple[str, ...]:
    return tuple(re.sub(r"\s+", " ", evidence.quote) for evidence in one.evidence)


def read_correction(text: str) -> Correction:
    """What somebody types: `cause=the disk was full; a2=worse; a3=never; people=Ana, Ben; minutes=40`.

    Raises Malformed for a field or an outcome that nobody knows.
    """
    told: dict[str, str] = {}
    for piece in _NEXT.split(text.strip()):
        name, sign, value = piece.partition("=")
        if not sign or not value.strip():
            raise Malformed(f"{piece[:60]!r} is no correction.", field="correction", remedy="Write cause=…; a2=worse.")
        told[name.strip().lower()] = value.strip().rstrip(";").strip()
    return correction_of(told)


def correction_of(told: Mapping[str, str]) -> Correction:
    """A correction out of names and values, as a line or a document gives them."""
    attempts: dict[str, Outcome | None] = {}
    for name, value in told.items():
        if re.fullmatch(r"a\d{1,4}", name):
            if value.lower() != NEVER and value.lower() not in SPELLINGS:
                known = "worked, no-effect, worse, unknown or never"
                raise Malformed(f"{value[:40]!r} is no outcome.", field=name, remedy=f"Say {known}.")
            attempts[name] = SPELLINGS.get(value.lower())
        elif name not in FIELDS:
            known = ", ".join((*FIELDS, "a1, a2 …"))
            raise Malformed(f"There is no field {name[:40]!r}.", field="correction", remedy=f"Known are {known}.")
    people = tuple(one.strip() for one in told["people"].split(",") if one.strip()) if "people" in told else None
    return Correction(told.get("cause"), told.get("fix"), people, _minutes(told.get("minutes")), attempts)


def _minutes(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        minutes = float(value)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes < 5_256_000:
        raise Malformed(f"{value[:40]!r} are no minutes.", field="minutes", remedy="Give a number, 0 or more.")
    return minutes


def settle(case: Case, said: Correction, *, by: str, at: datetime) -> Case:
    """The record as a person settled it: what was corrected as that person says it, what was read surely accepted.

    What is unsure and not named stays open. Raises Malformed for an attempt that the record has not.
    """
    unknown = [name for name in said.attempts if not 0 < int(name[1:]) <= len(case.attempts)]
    if unknown:
        raise Malformed(f"{case.id} has no attempt {unknown[0]}.", field=unknown[0], remedy="Look at the review again.")
    attempts = [_settled(f"a{number}", one, said, at) for number, one in enumerate(case.attempts, 1)]
    notes = [*case.notes]
    for one, left in zip(case.attempts, attempts, strict=True):
        if left is None:
            notes.append(Note(f"{NEVER}-{one.id}", f"Nobody tried this: {one.action}", at, by))
    made = replace(case, attempts=tuple(one for one in attempts if one is not None), notes=tuple(notes))
    made = replace(made, cause=_settled_cause(case, said, by, at), resolution=_settled_fix(made, said, at))
    if said.people is not None:
        named = Note(PEOPLE, f"Who was there: {', '.join(said.people)}", at, by)
        others = (note for note in made.notes if note.id != PEOPLE)
        made = replace(made, responders=said.people, notes=(*others, named))
    if said.minutes is not None:
        made = replace(made, minutes=said.minutes, resolved_at=case.occurred_at + timedelta(minutes=said.minutes))
    over = made.resolution is not None or made.resolved_at is not None
    return replace(made, state=CaseState.RESOLVED) if over and case.state is CaseState.OPEN else made


def _word(text: str, at: datetime) -> Evidence:
    return Evidence(Witness.PERSON, text, "", at)


def _is_word(evidence: Sequence[Evidence]) -> bool:
    return any(one.witness is Witness.PERSON for one in evidence)


def _settled(name: str, one: Attempt, said: Correction, at: datetime) -> Attempt | None:
    if name in said.attempts:
        outcome = said.attempts[name]
        if outcome is None:
            return None
        return replace(
            one, outcome=outcome, confidence=1.0, evidence=(_word(f"{one.action}: {outcome}", at), *one.evidence)
        )
    if _is_word(one.evidence) or one.outcome is Outcome.UNKNOWN or one.confidence < SURE_MIN:
        return one
    return replace(one, confidence=1.0, evidence=(_word(f"{one.action}: {one.outcome}", at), *one.evidence))


def _settled_cause(case: Case, said: Correction, by: str, at: datetime) -> Cause | None:
    known = case.cause
    if said.cause is not None:
        sentences = known.evidence if known is not None and known.text == said.cause else ()
        return Cause(said.cause, by, (_word(said.cause, at), *sentences))
    if known is None or _is_word(known.evidence) or known.confidence < SURE_MIN:
        return known
    return replace(known, confidence=1.0, evidence=(*known.evidence, _word(known.text, at)))


def _settled_fix(case: Case, said: Correction, at: datetime) -> Resolution | None:
    known = case.resolution
    if said.fix is not None:
        return Resolution(said.fix, at=case.resolved_at, evidence=(_word(said.fix, at),))
    if known is None or _is_word(known.evidence) or known.confidence < SURE_MIN:
        return known
    attempt = known.attempt if known.attempt in {one.id for one in case.attempts} else ""
    return replace(known, attempt=attempt, confidence=1.0, evidence=(*known.evidence, _word(known.text, at)))
