"""A case out of a postmortem in Markdown or plain text: by its structure first, by its prose where there is none.

Everything that is read keeps where it was read from and how sure the reading is, so that a person can be asked about
the rest. Action items are kept as notes: what somebody means to do has not been tried.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

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
from hindcast.learn.moments import moments_in
from hindcast.learn.page import PAGE_CHARS_MAX, Page, page_of
from hindcast.learn.prose import attempts_in, told_once
from hindcast.learn.roles import Field, weights_of
from hindcast.learn.sentences import sentences_of
from hindcast.learn.sequence import Told, follow
from hindcast.learn.story import Times, attempts_of, day_in, times_of
from hindcast.learn.talk import Line, Talk, talk_of
from hindcast.model.action import similarity
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Note, Outcome, Resolution, Witness
from hindcast.model.errors import Malformed
from hindcast.model.signal import Severity

SOURCE = "markdown"
SUMMARY_CHARS_MAX = 1_500
TEXT_CHARS_MAX = 1_000
NOTES_MAX = 40
# How the ids of notes begin that were read out of a page. Nobody wrote them here, so they name nobody.
READER = "import"
_ITEM = re.compile(r"^\s{0,20}(?:[-*+•]|\d+[.)])\s{1,20}(?:\[[ xX]\]\s{1,20})?", re.M)
_SPACE = re.compile(r"\s{1,20}")
_SUFFIX = re.compile(r"(?:\.(?:md|markdown|mdx|txt|text|rst|adoc|html|erb)){1,4}$", re.I)
_CLOCK = re.compile(r"^\W*\d{1,2}:\d\d(?::\d\d)?(?:\s{0,20}(?:UTC|GMT|Z))?[\s:–—-]{0,40}")
# Less sure than this is not stated as the cause.
CAUSE_SURE_MIN = 0.6
# So many questions make a chain of whys.
WHYS_MIN = 3
_DONE = re.compile(
    r"^\W*(?:resolved|closed|complete\w*|done|fixed|final|mitigated|published|behoben|erledigt|resuelto|cerrado|"
    r"résolu)\b|\bresolved\b",
    re.I,
)
_KEY = re.compile(r"^\[?[A-Z][A-Z0-9]+-\d+\]?\s{0,20}[-:–]?\s{1,20}")
_CHANNEL = re.compile(r"^#?[\w-]+\s{0,20}(?:\(.*\))?$|^.*\bexport(?:ed)?\b")
_SINCE = re.compile(r"\b(since|from|until|at)\s{1,20}((?:about\s{1,20}|around\s{1,20})?)(?=\d)", re.I)
_IS_OVER = re.compile(r"\b(?:over|fixed|resolved|recovered|back|fine|normal|until)\b", re.I)
_OPEN = re.compile(r"\b(?:open|ongoing|investigating|in\s{1,20}progress|active|monitoring|triage)\b", re.I)


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
    # A cause that is too unsure to be stated: somebody may be asked whether it is.
    suggestion: Cause | None = None


def case_of(text: str, *, name: str, fallback_at: datetime) -> Case:
    """The case that a postmortem tells. `name` is the file's: it gives the id. Raises Malformed for an empty page."""
    return read_postmortem(text, name=name, fallback_at=fallback_at).case


def read_postmortem(text: str, *, name: str, fallback_at: datetime) -> Postmortem:
    """The case that a postmortem tells, with where each field was read."""
    if not text.strip():
        raise Malformed("There is nothing to read.", field=name, remedy="Give a page with a title and some words.")
    page, talk = _opened(text, name)
    told = follow(talk.lines, name) if talk is not None else None
    times = _times(page, talk, told, name=name, fallback_at=fallback_at)
    cause, how = _cause(page, name)
    if told is not None and told.cause is not None:
        cause, how = told.cause, "what was said"
    attempts = told_once((*(told.attempts if told is not None else ()), *attempts_of(page, name, times)))
    attempts = _by_full_name(_but_the_cause(attempts, cause), page)
    resolution = _resolution(page, name, attempts, times)
    attempts, resolution = _linked(attempts, resolution)
    services = _services(page)
    severity = _severity(page)
    notes = _notes(page, times)
    title = _title(page, talk) or name
    suggestion = None
    if cause is not None and cause.confidence < CAUSE_SURE_MIN:
        cause, suggestion = None, cause
    case = Case(
        id=case_id(SOURCE, _SUFFIX.sub("", name)),
        title=title,
        occurred_at=times.began,
        state=_state(page, resolution, times),
        summary=_summary(page) if talk is None else _opening(page, talk),
        services=services,
        components=tuple(one.lower() for part in page.of(Field.COMPONENTS) for one in names_in(part.text)),
        symptoms=symptoms_in(text, [part.text for part in page.of(Field.SYMPTOMS, Field.IMPACT)]),
        stack=stack_in(text),
        cause=cause,
        attempts=attempts,
        resolution=resolution,
        resolved_at=times.ended,
        minutes=times.minutes,
        severity=severity,
        responders=_responders(page, talk, attempts, resolution),
        notes=notes,
        links=links_in(text),
        source=SOURCE,
    )
    return Postmortem(case, _origins(case, how), suggestion)


def _opened(text: str, name: str) -> tuple[Page, Talk | None]:
    """The page, and what was said on it: of a conversation only what stands before it is a page."""
    talk = talk_of(text[:PAGE_CHARS_MAX].replace("\r\n", "\n"), day=day_in(name))
    if talk is None:
        return page_of(text), None
    return page_of(talk.before), talk


def _but_the_cause(attempts: tuple[Attempt, ...], cause: Cause | None) -> tuple[Attempt, ...]:
    """The attempts without what only the sentence about the cause tells: that is what broke it."""
    if cause is None:
        return attempts
    told = {_SPACE.sub(" ", one.quote) for one in cause.evidence}
    return tuple(
        one
        for one in attempts
        if one.outcome is not Outcome.UNKNOWN or any(_SPACE.sub(" ", proof.quote) not in told for proof in one.evidence)
    )


def _times(page: Page, talk: Talk | None, told: Told | None, *, name: str, fallback_at: datetime) -> Times:
    """When it began and ended: a conversation's own times where its page gives none."""
    timed = [line for line in talk.lines if line.at is not None] if talk is not None else []
    if not timed or told is None:
        return times_of(page, name=name, fallback_at=fallback_at)
    first = timed[0].at
    assert first is not None
    given = times_of(page, name=name, fallback_at=first)
    said = _said_times(timed, first)
    labelled = bool(page.of(Field.START, Field.DATE)) and given.are_known
    began = given.began if labelled and given.began <= first else said[0] or first
    ended = (given.ended if labelled else None) or said[1] or told.ended
    guesses = ("The page's times have no timezone: they are read as UTC.",) if timed[0].naive else ()
    return Times(began, ended if ended is None or ended >= began else None, given.minutes, guesses)


def _said_times(timed: Sequence[Line], first: datetime) -> tuple[datetime | None, datetime | None]:
    """Since when and until when, as somebody says it: "fail since 17:05", "over since 18:05"."""
    began, ended = None, None
    for line in timed:
        assert line.at is not None
        for match in _SINCE.finditer(line.text):
            moments = [
                one
                for one in moments_in(line.text[match.end() - len(match.group(2)) :], day=line.at.date())
                if one.has_clock
            ]
            if not moments or abs(moments[0].at - line.at) > timedelta(hours=12) or moments[0].start > 1:
                continue
            if _IS_OVER.search(line.text[max(match.start() - 25, 0) : match.end()]):
                ended = moments[0].at
            elif (
                began is None
                and match.group(1).lower() in ("since", "from")
                and moments[0].at <= first + timedelta(minutes=5)
            ):
                began = moments[0].at
    return began, ended


def _title(page: Page, talk: Talk | None) -> str:
    """What it is called; a conversation that is called nothing, by how it began."""
    title = _KEY.sub("", page.title)
    if talk is None:
        return title
    if talk.title or (title and not _CHANNEL.match(title) and len(title.split()) > 1):
        return talk.title or title
    return re.sub(r"\s{1,20}", " ", talk.lines[0].text).strip()[:160]


def _opening(page: Page, talk: Talk) -> str:
    """How a conversation began: its description, or the first that was said."""
    return _summary(page) or re.sub(r"\s{1,20}", " ", talk.lines[0].text).strip()[:SUMMARY_CHARS_MAX]


def case_id(source: str, name: str) -> str:
    """A stable id out of what a source calls it: `markdown-2026-03-02-redis`, with only what an id may hold."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if len(plain) > 80 or not plain:
        plain = f"{plain[:60].strip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".strip("-")
    return f"{re.sub(r'[^a-z0-9]+', '-', source.lower())}-{plain}"


def _cause(page: Page, name: str) -> tuple[Cause | None, str]:
    """The cause, from the part about it or from the sentence that names it best."""
    parts = [part for part in page.of(Field.CAUSE) if is_known(part.text)]
    best = max(parts, key=lambda part: (weights_of(part.name).get(Field.CAUSE, 0.0), -parts.index(part)), default=None)
    if best is not None:
        read = sentences_of(best.text)
        sentences = [one.text for one in read if not one.is_question and is_known(one.text)]
        if sum(one.is_question for one in read) >= WHYS_MIN or "whys" in best.name.lower():
            # Of a chain of questions and answers the last answer is the cause.
            sentences = sentences[-1:]
        text = _joined(sentences, TEXT_CHARS_MAX)
        if _tells(text):
            evidence = tuple(Evidence(Witness.TEXT, one, name) for one in sentences[:2])
            sure = 0.7 if "preliminary" in best.name.lower() else 0.9
            return Cause(text, evidence=evidence, confidence=sure), f"the part '{best.name}'"
    prose = "\n\n".join(
        part.text
        for part in page.parts
        if part.field not in (Field.ACTIONS, Field.LINKS, Field.RESPONDERS, Field.CAUSE, Field.ATTEMPTS)
    )
    told = cause_in(prose)
    if told is None or any(not is_known(part.text) for part in page.of(Field.CAUSE)):
        # A page that says that nobody knows is believed.
        return None, ""
    sentence, sure = told
    quote = re.sub(r"\s{1,20}", " ", sentence.text)
    return Cause(quote, evidence=(Evidence(Witness.TEXT, sentence.text, name),), confidence=sure), "a sentence"


def _tells(text: str) -> bool:
    """Whether a text tells anything besides a time: "Triggered: 2026-06-03 19:14 UTC" names no cause."""
    bare = text
    for moment in reversed(moments_in(text)):
        bare = bare[: moment.start] + bare[moment.end :]
    return re.search(r"[^\W\d_]{4,}|[A-Z]{2,}", re.sub(r"\b(?:UTC|GMT|Z|by)\b", "", bare)) is not None


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
            by = next(
                (
                    one.by
                    for one in attempts
                    if one.by and one.outcome is Outcome.WORKED and _SPACE.sub(" ", one.evidence[0].quote) in text
                ),
                "",
            )
            return Resolution(text, at=times.ended, by=by, evidence=evidence, confidence=0.9)
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


def _responders(
    page: Page, talk: Talk | None, attempts: Sequence[Attempt], resolution: Resolution | None
) -> tuple[str, ...]:
    listed = _listed(page)
    did = [one.by for one in attempts if one.by]
    fixed = [resolution.by] if resolution is not None and resolution.by else []
    spoke = talk.speakers if talk is not None else ()
    names = list(dict.fromkeys((*listed, *spoke, *did, *fixed, *people_in(page.text))))
    # A first name alone is the person whose whole name is known.
    whole = {name.split()[0].casefold() for name in names if " " in name}
    return tuple(name for name in names if " " in name or name.casefold() not in whole)


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
    if status and _OPEN.search(status) and not _DONE.search(status):
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
    return tuple(Note(f"{READER}-{number}", text, at, "") for number, text in enumerate(texts[:NOTES_MAX], 1))


def _joined(sentences: Sequence[str], chars_max: int) -> str:
    """Whole sentences, as many as fit."""
    kept: list[str] = []
    size = 0
    for sentence in sentences:
        plain = re.sub(r"\s{1,20}", " ", sentence).strip()
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
