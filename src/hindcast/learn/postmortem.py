"""A case out of a postmortem in Markdown or plain text: by its structure first, by its prose where there is none.

Everything that is read keeps where it was read from and how sure the reading is, so that a person can be asked about
the rest. Action items are kept as notes: what somebody means to do has not been tried.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hindcast.learn.facts import (
    cause_in,
    is_known,
    links_in,
    names_in,
    people_in,
    services_in,
    severity_in,
    severity_of,
    stack_in,
    symptoms_in,
)
from hindcast.learn.page import Field, Page, page_of
from hindcast.learn.prose import attempts_in
from hindcast.learn.sentences import sentences_of
from hindcast.learn.story import Times, attempts_of, times_of
from hindcast.model.action import similarity
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Note, Outcome, Resolution, Witness
from hindcast.model.errors import Malformed
from hindcast.model.signal import Severity

SOURCE = "markdown"
SUMMARY_CHARS_MAX = 1_500
TEXT_CHARS_MAX = 1_000
NOTES_MAX = 40
# Who notes what was read out of a page.
READER = "import"
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?", re.M)
_SPACE = re.compile(r"\s+")
_SUFFIX = re.compile(r"(?:\.(?:md|markdown|mdx|txt|text|rst|adoc|html|erb))+$", re.I)
_CLOCK = re.compile(r"^\W*\d{1,2}:\d\d(?::\d\d)?(?:\s*(?:UTC|GMT|Z))?[\s:–—-]*")
_OPEN = re.compile(r"\b(?:open|ongoing|investigating|in\s+progress|active|monitoring|triage)\b", re.I)


@dataclass(frozen=True, slots=True)
class Found:
    """One field as it was read: how, from which words, and how sure that is."""

    field: str
    how: str
    quote: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Postmortem:
    """A case read out of a page, with the origin of each of its fields."""

    case: Case
    found: tuple[Found, ...]


def case_of(text: str, *, name: str, fallback_at: datetime) -> Case:
    """The case that a postmortem tells. `name` is the file's: it gives the id. Raises Malformed for an empty page."""
    return read_postmortem(text, name=name, fallback_at=fallback_at).case


def read_postmortem(text: str, *, name: str, fallback_at: datetime) -> Postmortem:
    """The case that a postmortem tells, with where each field was read."""
    if not text.strip():
        raise Malformed("There is nothing to read.", field=name, remedy="Give a page with a title and some words.")
    page = page_of(text)
    times = times_of(page, name=name, fallback_at=fallback_at)
    cause, how = _cause(page, name)
    attempts = _by_full_name(attempts_of(page, name, times), page)
    resolution = _resolution(page, name, attempts, times)
    attempts, resolution = _linked(attempts, resolution)
    services = _services(page)
    severity = _severity(page)
    notes = _notes(page, times)
    title = page.title or name
    case = Case(
        id=case_id(SOURCE, _SUFFIX.sub("", name)),
        title=title,
        occurred_at=times.began,
        state=_state(page, resolution, times),
        summary=_summary(page),
        services=services,
        components=tuple(one.lower() for part in page.of(Field.COMPONENTS) for one in names_in(part.text)),
        symptoms=symptoms_in(page.text, [part.text for part in page.of(Field.SYMPTOMS, Field.IMPACT)]),
        stack=stack_in(page.text),
        cause=cause,
        attempts=attempts,
        resolution=resolution,
        resolved_at=times.ended,
        minutes=times.minutes,
        severity=severity,
        responders=_responders(page, attempts),
        notes=notes,
        links=links_in(page.text),
        source=SOURCE,
    )
    return Postmortem(case, _origins(case, how))


def case_id(source: str, name: str) -> str:
    """A stable id out of what a source calls it: `markdown-2026-03-02-redis`, with only what an id may hold."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if len(plain) > 80 or not plain:
        plain = f"{plain[:60].strip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".strip("-")
    return f"{re.sub(r'[^a-z0-9]+', '-', source.lower())}-{plain}"


def _cause(page: Page, name: str) -> tuple[Cause | None, str]:
    """The cause, from the part about it or from the sentence that names it best."""
    parts = [part for part in page.of(Field.CAUSE) if is_known(part.text)]
    best = next((part for part in parts if "root" in part.name.lower()), parts[0] if parts else None)
    if best is not None:
        sentences = [one.text for one in sentences_of(best.text) if not one.is_question]
        text = _joined(sentences, TEXT_CHARS_MAX)
        if text:
            evidence = tuple(Evidence(Witness.TEXT, one, name) for one in sentences[:2])
            sure = 0.7 if "preliminary" in best.name.lower() else 0.9
            return Cause(text, evidence=evidence, confidence=sure), f"the part '{best.name}'"
    prose = "\n\n".join(
        part.text
        for part in page.parts
        if part.field not in (Field.ACTIONS, Field.LINKS, Field.RESPONDERS, Field.CAUSE)
    )
    told = cause_in(prose)
    if told is None:
        return None, ""
    sentence, sure = told
    quote = re.sub(r"\s+", " ", sentence.text)
    return Cause(quote, evidence=(Evidence(Witness.TEXT, sentence.text, name),), confidence=sure), "a sentence"


def _resolution(page: Page, name: str, attempts: Sequence[Attempt], times: Times) -> Resolution | None:
    """What ended it: the part about that, or the sentence of what worked."""
    failed = {
        evidence.quote
        for one in attempts
        if one.outcome in (Outcome.NO_EFFECT, Outcome.MADE_WORSE)
        for evidence in one.evidence
    }
    for part in page.of(Field.RESOLUTION):
        # What did not help is told there as well; it is no part of the fix.
        told = [one.text for one in sentences_of(part.text) if not one.is_question and one.text not in failed]
        sentences = [_CLOCK.sub("", one) for one in told]
        text = _joined(sentences, TEXT_CHARS_MAX)
        if text and is_known(text):
            evidence = tuple(Evidence(Witness.TEXT, one, name) for one in sentences[:2])
            return Resolution(text, at=times.ended, evidence=evidence, confidence=0.9)
    worked = [one for one in attempts if one.outcome is Outcome.WORKED]
    if not worked:
        return None
    last = worked[-1]
    return Resolution(
        last.action, last.id, times.ended, last.by, command=last.command, evidence=last.evidence,
        confidence=min(last.confidence, 0.8),
    )  # fmt: skip


def _linked(
    attempts: tuple[Attempt, ...], resolution: Resolution | None
) -> tuple[tuple[Attempt, ...], Resolution | None]:
    """The attempt that the resolution is, if it is one of them; what the part about the fix tells is what worked."""
    if resolution is None or resolution.attempt:
        return attempts, resolution
    told = attempts_in(resolution.text)
    made: list[Attempt] = []
    chosen = ""
    for attempt in attempts:
        near = max((similarity(attempt.action, one.action) for one in told), default=0.0)
        if near >= 0.8 and attempt.outcome in (Outcome.UNKNOWN, Outcome.WORKED):
            if attempt.outcome is Outcome.UNKNOWN:
                attempt = replace(attempt, outcome=Outcome.WORKED, confidence=0.7)
            chosen = attempt.id
        made.append(attempt)
    return tuple(made), replace(resolution, attempt=chosen)


def _services(page: Page) -> tuple[str, ...]:
    listed = [name for part in page.of(Field.SERVICES) for name in names_in(part.text)]
    if listed:
        return tuple(dict.fromkeys(listed))
    told = "\n\n".join(part.text for part in page.parts if part.field is not Field.ACTIONS)
    return services_in(told, page.title)


def _severity(page: Page) -> Severity | None:
    for part in page.of(Field.SEVERITY):
        found = severity_of(part.text)
        if found is not None:
            return found
    return severity_in(page.text)


def _listed(page: Page) -> list[str]:
    """The people that the page lists."""
    return [name for part in page.of(Field.RESPONDERS) for name in names_in(part.text)]


def _by_full_name(attempts: tuple[Attempt, ...], page: Page) -> tuple[Attempt, ...]:
    """Attempts with the whole name of whoever is listed: a timeline calls people by their first one."""
    whole: dict[str, set[str]] = {}
    for name in _listed(page):
        whole.setdefault(name.split()[0], set()).add(name)
    only = {first: next(iter(names)) for first, names in whole.items() if len(names) == 1}
    return tuple(replace(one, by=only.get(one.by, one.by)) for one in attempts)


def _responders(page: Page, attempts: Sequence[Attempt]) -> tuple[str, ...]:
    listed = _listed(page)
    did = [one.by for one in attempts if one.by]
    return tuple(dict.fromkeys((*listed, *did, *people_in(page.text))))


def _summary(page: Page) -> str:
    parts = page.of(Field.SUMMARY) or page.of(Field.IMPACT)
    if parts:
        return _joined([one.text for one in sentences_of(parts[0].text)], SUMMARY_CHARS_MAX)
    loose = [part for part in page.parts if part.field in (None, Field.SYMPTOMS) and "|" not in part.text]
    for part in loose:
        sentences = [one.text for one in sentences_of(part.text) if one.text != page.title]
        if sentences:
            return _joined(sentences[:5], SUMMARY_CHARS_MAX)
    return ""


def _state(page: Page, resolution: Resolution | None, times: Times) -> CaseState:
    status = " ".join(part.text for part in page.of(Field.STATUS))
    if status and _OPEN.search(status) and "resolved" not in status.lower():
        return CaseState.OPEN
    return CaseState.RESOLVED if resolution is not None or times.ended is not None or status else CaseState.OPEN


def _notes(page: Page, times: Times) -> tuple[Note, ...]:
    """What somebody means to do, item by item, and what had to be guessed."""
    at = times.ended or times.began
    texts: list[str] = list(times.guesses)
    for part in page.of(Field.ACTIONS):
        items = _ITEM.split(part.text) if _ITEM.search(part.text) else [part.text]
        told = [_SPACE.sub(" ", item).strip() for item in items]
        texts += [f"{part.name or 'Action item'}: {item}"[:TEXT_CHARS_MAX] for item in told if item]
    return tuple(Note(f"{READER}-{number}", text, at, READER) for number, text in enumerate(texts[:NOTES_MAX], 1))


def _joined(sentences: Sequence[str], chars_max: int) -> str:
    """Whole sentences, as many as fit."""
    kept: list[str] = []
    size = 0
    for sentence in sentences:
        plain = re.sub(r"\s+", " ", sentence).strip()
        if kept and size + len(plain) > chars_max:
            break
        kept.append(plain[:chars_max])
        size += len(plain) + 1
    return " ".join(kept)


def _origins(case: Case, how: str) -> tuple[Found, ...]:
    """Where the fields that carry no evidence of their own come from."""
    found: list[Found] = []
    if case.cause is not None:
        found.append(Found("cause", how, case.cause.evidence[0].quote, case.cause.confidence))
    if case.resolution is not None and case.resolution.evidence:
        found.append(Found("resolution", "the page", case.resolution.evidence[0].quote, case.resolution.confidence))
    if case.services:
        found.append(Found("services", "the page", ", ".join(case.services), 0.7))
    return tuple(found)
