"""Experience: what people said about our answers, what is no longer there, and how often answers were right.

All of it is remembered like everything else: a verdict is a commit that can be read at any moment and taken back.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from hindcast.memory import Memory, View
from hindcast.model.card import CardVerdict
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.recollection import Recollection
from hindcast.model.record import MAIN, Change, Commit, Json, Record
from hindcast.model.verdict import Caution, Experience, Judgement, Matter, Reliability, Verdict
from hindcast.recall.reliability import level_of, tabulate

VERDICTS = "verdicts"
VERDICT = "verdict"
CARD_VERDICTS = "card-verdicts"
CARD_VERDICT = "card-verdict"
CAUTIONS = "cautions"
CAUTION = "caution"
RETIRED = "retired"
RELIABILITY = Address("learning", "reliability")
RELIABILITY_KIND = "reliability"
# Sixteen hex digits tell all verdicts of a team apart.
DIGEST_CHARS = 16
ASKED_CHARS_MAX = 4_000
SAID_CHARS_MAX = 200


def experience_of(view: View) -> Experience:
    """What a team's life with its memory has taught, as a moment shows it."""
    verdicts = verdicts_of(view)
    reliability = _with_verdicts(reliability_of(view), verdicts)
    return Experience(verdicts, reliability, retired_in(view), cautions_of(view))


# Verdicts


def record_verdict(memory: Memory, verdict: Verdict, *, actor: str, branch: str = MAIN) -> Commit:
    """Remember what somebody said. What they say later about the same case and question replaces it."""
    if not 0 <= verdict.confidence <= 1:
        raise Malformed(f"{verdict.confidence} is no confidence.", field="confidence", remedy="Give 0 to 1.")
    if verdict.matter is Matter.PROPOSAL and not verdict.action.strip():
        raise Malformed("A proposal is about an action.", field="action", remedy="Say which action was proposed.")
    if verdict.at.tzinfo is None:
        raise Malformed(f"{verdict.at} has no timezone.", field="at", remedy="Write it as 2026-11-15T02:03:04Z.")
    kept = replace(verdict, asked=verdict.asked[:ASKED_CHARS_MAX])
    said = _said(kept)
    change = Change(verdict_address(verdict), msgspec.to_builtins(kept), VERDICT, text=said, occurred_at=verdict.at)
    return memory.commit([change], actor=actor, why=verdict.why or said, branch=branch)


def verdict_on(
    found: Recollection, case_id: str, judgement: Judgement, *, version: int, by: str, at: datetime
) -> Verdict:
    """A verdict on what memory has to say to a question: its fingerprints, and how sure it is of this case."""
    shown = next((one for one in found.remembered if one.case.id == case_id), None)
    # What did not come to mind was never told with any confidence.
    confidence = round(min(max(shown.confidence, 0.0), 1.0), 4) if shown is not None else 0.0
    cue = found.cue
    return Verdict(Matter.MEMORY, judgement, case_id, version, cue.clues.fingerprints, cue.text, confidence, by, at)


def on_proposal(verdict: Verdict, action: str) -> Verdict:
    """The same verdict about something that was proposed."""
    return replace(verdict, matter=Matter.PROPOSAL, action=action.strip())


def verdict_address(verdict: Verdict) -> Address:
    """Where a verdict is remembered: one place for each person, case and question."""
    # The same failure is the same question, however it was worded; without a fingerprint the words have to do.
    asked = sorted(verdict.fingerprints) or " ".join(verdict.asked.casefold().split())
    identity = repr(
        (verdict.matter.value, verdict.case, verdict.by, asked, " ".join(verdict.action.casefold().split()))
    )
    return Address(VERDICTS, hashlib.sha256(identity.encode()).hexdigest()[:DIGEST_CHARS])


def verdicts_of(view: View) -> tuple[Verdict, ...]:
    """All verdicts that a moment shows, in the order in which they were said. What is none is left out."""
    records = sorted(view.every(Filter(namespace=VERDICTS, kind=VERDICT)), key=lambda record: record.version)
    return tuple(verdict for record in records if (verdict := _verdict(record)) is not None)


def _verdict(record: Record) -> Verdict | None:
    try:
        verdict = msgspec.convert(record.body, Verdict)
    except msgspec.ValidationError:
        return None
    return verdict if verdict.at.tzinfo is not None else None


def _said(verdict: Verdict) -> str:
    asked = " ".join(verdict.asked.split())[:SAID_CHARS_MAX]
    of = f"{verdict.action!r} from " if verdict.matter is Matter.PROPOSAL else ""
    return f"{verdict.by} says that {of}cases/{verdict.case} is {verdict.judgement} for: {asked}"


# What was decided about cards


def card_verdict_address(card: str, number: int) -> Address:
    """Where a decision about a card is remembered; a card that was taken back may be decided about again."""
    return Address(CARD_VERDICTS, card, str(number))


def card_verdict_change(verdict: CardVerdict, number: int) -> Change:
    """The change that remembers a decision about a card: the first is number 1."""
    where = card_verdict_address(verdict.card, number)
    words = "\n".join(part for part in (verdict.title, verdict.path, verdict.reason) if part)
    return Change(where, msgspec.to_builtins(verdict), CARD_VERDICT, text=words, occurred_at=verdict.at)


def card_verdicts_of(view: View) -> tuple[CardVerdict, ...]:
    """Every decision about a card that a moment shows, the oldest first, those included that were taken back since."""
    return tuple(verdict for _, verdict in _card_verdicts(view))


def card_verdicts_on(view: View, card: str) -> tuple[CardVerdict, ...]:
    """Every decision about one card, the first one first."""
    records = sorted(view.entries(CARD_VERDICTS, card), key=lambda record: int(record.address.entry or 0))
    return tuple(verdict for record in records if (verdict := card_verdict_in(record)) is not None)


def card_verdict_in(record: Record) -> CardVerdict | None:
    """The decision about a card that a record holds, or None where it holds something else."""
    try:
        verdict = msgspec.convert(record.body, CardVerdict)
    except msgspec.ValidationError:
        return None
    return verdict if verdict.at.tzinfo is not None else None


def caution_address(card: str) -> Address:
    """Where the warning is remembered that somebody gave with a card."""
    return Address(CAUTIONS, card)


def caution_change(verdict: CardVerdict) -> Change:
    """The change that remembers what somebody said not to try, apart: every answer asks for it."""
    where = caution_address(verdict.card)
    # What they have seen and turned down; the action behind it may be more than this card.
    said = Caution(verdict.title, verdict.reason, verdict.by, verdict.at, verdict.fingerprints, verdict.incident, "")
    words = f"{verdict.title}\n{verdict.reason}"
    return Change(where, msgspec.to_builtins(said), CAUTION, text=words, occurred_at=verdict.at)


def cautions_of(view: View) -> tuple[Caution, ...]:
    """What people said not to try when a card proposed it, the oldest first."""
    found = []
    for record in view.every(Filter(namespace=CAUTIONS, kind=CAUTION)):
        try:
            caution = msgspec.convert(record.body, Caution)
        except msgspec.ValidationError:
            continue
        if caution.at.tzinfo is not None:
            found.append(replace(caution, ref=f"{record.address}@{record.version}"))
    return tuple(sorted(found, key=lambda one: (one.at, one.ref)))


def _card_verdicts(view: View) -> list[tuple[Record, CardVerdict]]:
    records = view.every(Filter(namespace=CARD_VERDICTS, kind=CARD_VERDICT))
    found = [(record, verdict) for record in records if (verdict := card_verdict_in(record)) is not None]
    return sorted(found, key=lambda pair: (pair[1].at, pair[1].card, pair[0].version))


# What is no longer there


def retire(memory: Memory, name: str, *, actor: str, why: str, branch: str = MAIN) -> Commit:
    """Say that a service or component no longer exists: what is known about it is history."""
    address = _retired_address(name)
    return memory.commit([Change(address, {"name": name.strip()}, RETIRED)], actor=actor, why=why, branch=branch)


def unretire(memory: Memory, name: str, *, actor: str, why: str, branch: str = MAIN) -> Commit:
    """Say that it is there again. Raises Missing when nobody had retired it."""
    address = _retired_address(name)
    if memory.now(branch).find(address) is None:
        raise Missing(f"{name!r} is not retired.", field="name", remedy="`hindcast incident retire` lists what is.")
    return memory.retract(address, actor=actor, why=why, branch=branch)


def retired_in(view: View) -> frozenset[str]:
    """The services and components that no longer exist, as people wrote them and in lower case."""
    names = [_text(record.body, "name") for record in view.every(Filter(namespace=RETIRED, kind=RETIRED))]
    return frozenset(spelling for name in names if name for spelling in (name, name.lower()))


def _retired_address(name: str) -> Address:
    try:
        return Address(RETIRED, name.strip().lower())
    except Malformed as error:
        raise Malformed(
            f"{name[:80]!r} cannot be a service or component.",
            field="name",
            remedy="Write its name, as in legacy-auth.",
        ) from error


# How often answers were right


def reliability_of(view: View) -> tuple[Reliability, ...]:
    """How often answers were right when that was last measured and kept; empty while nobody has."""
    record = view.find(RELIABILITY)
    levels = record.body.get("levels") if record is not None and isinstance(record.body, dict) else None
    try:
        return msgspec.convert(levels or [], tuple[Reliability, ...])
    except msgspec.ValidationError:
        return ()


def keep_reliability(
    memory: Memory, levels: Sequence[Reliability], *, actor: str, why: str, at: datetime, branch: str = MAIN
) -> Commit:
    """Remember how often answers were right. Raises Malformed when there is nothing to remember."""
    if not levels:
        raise Malformed("Nothing was measured.", field="levels", remedy="Measure on incidents that happened again.")
    body: dict[str, Any] = {"levels": msgspec.to_builtins(tuple(levels)), "measured_at": at.isoformat()}
    change = Change(RELIABILITY, body, RELIABILITY_KIND, occurred_at=at)
    return memory.commit([change], actor=actor, why=why, branch=branch)


def _with_verdicts(measured: Sequence[Reliability], verdicts: Iterable[Verdict]) -> tuple[Reliability, ...]:
    """What was measured, and what people said since: each verdict on a memory counts once, at the level it was told."""
    levels = tuple(measured) or tabulate(())
    asked: Counter[float] = Counter()
    right: Counter[float] = Counter()
    for verdict in verdicts:
        is_told = verdict.matter is Matter.MEMORY and verdict.confidence > 0
        level = level_of(verdict.confidence, levels) if is_told else None
        if level is not None:
            asked[level.confidence_min] += 1
            right[level.confidence_min] += verdict.judgement is Judgement.RIGHT
    counted = (
        replace(level, asked=level.asked + asked[level.confidence_min], right=level.right + right[level.confidence_min])
        for level in levels
    )
    return tuple(level for level in counted if level.asked)


def _text(body: Json, name: str) -> str:
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else ""
