"""Other people's records and questions, read leniently: what is missing is left empty, what is odd is told.

Cases get ids of their own here, because an id in somebody's file may be anything; answers are told by theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from hindcast.clues import with_clues
from hindcast.evaluation.rows import Rejected, Row, named, names_of, rows, texts_of
from hindcast.model.case import Attempt, Case, CaseState, Cause, Outcome, Resolution, from_json
from hindcast.model.errors import Malformed

TITLE_CHARS_MAX = 200
# A case is an account of an incident. What is longer is a log, and would drown every other record.
RECORD_BYTES_MAX = 400_000

IDS = ("id", "case_id", "incident_id", "issue_id", "record_id", "key", "number")
TITLES = ("title", "name", "subject", "headline", "alert", "summary")
TEXTS = ("text", "summary", "description", "body", "details", "content", "document", "postmortem")
SYMPTOMS = ("symptoms", "symptom", "errors", "error", "message", "messages", "logs", "log")
STACKS = ("stack", "stacktrace", "stack_trace", "traceback")
CAUSES = ("cause", "root_cause", "rootcause")
RESOLUTIONS = ("resolution", "fix", "solution", "mitigation")
TIMES = ("occurred_at", "started_at", "created_at", "opened_at", "created", "date", "time", "timestamp")
SERVICES = ("services", "service", "service_name")
COMPONENTS = ("components", "component")
QUESTIONS = ("text", "query", "question")
ANSWERS = ("relevant", "expected", "answers", "answer", "duplicates", "duplicate_of")
ASKERS = ("incident", "asked_by", "itself")


@dataclass(frozen=True, slots=True)
class Records:
    """The cases of a file, with the ids that they have there."""

    cases: tuple[Case, ...]
    # By the id of a case: the id in the file.
    ids: Mapping[str, str]
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and which records would be right; none: nothing in memory is the same failure."""

    id: str
    text: str
    relevant: frozenset[str]
    services: tuple[str, ...] = ()
    stack: str = ""
    # The record that asks, where the question is a record itself: it must not remember itself.
    incident: str = ""


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a file."""

    questions: tuple[Question, ...]
    rejected: tuple[Rejected, ...] = ()


def read_records(content: str, *, fallback_at: datetime) -> Records:
    """Cases out of JSON lines, a JSON list or CSV. A record without a time is taken to be from `fallback_at`.

    Raises Malformed when not one record is left.
    """
    found: dict[str, Case] = {}
    rejected: list[Rejected] = []
    for row in rows(content):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        name = "".join(texts_of(named(row.fields, IDS))[:1])
        case = _case(row, fallback_at) if name else None
        why = _why_not(name, case, found)
        if case is None or why:
            rejected.append(Rejected(row.line, why))
        else:
            found[name] = case
    if not found:
        raise Malformed(
            f"There is no record to remember{_first(rejected)}",
            field="--records",
            remedy='Write lines such as {"id": "inc-7", "title": "Checkout is slow", "description": "…"}.',
        )
    own = {name: f"record-{number}" for number, name in enumerate(found, 1)}
    cases = tuple(_renamed(case, own[name], own) for name, case in found.items())
    return Records(cases, {ours: theirs for theirs, ours in own.items()}, tuple(rejected))


def read_questions(content: str) -> Questions:
    """Questions out of JSON lines, a JSON list or CSV. Raises Malformed when not one is left."""
    found: list[Question] = []
    rejected: list[Rejected] = []
    for row in rows(content):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        text = "\n".join(texts_of(named(row.fields, QUESTIONS)))
        if not text:
            rejected.append(Rejected(row.line, "no text to ask with"))
        elif not row.fields.keys() & set(ANSWERS):
            rejected.append(Rejected(row.line, "it does not say which records are relevant; an empty list means none"))
        else:
            found.append(_question(row, text))
    if not found:
        raise Malformed(
            f"There is no question to ask{_first(rejected)}",
            field="--queries",
            remedy='Write lines such as {"text": "checkout times out", "relevant": ["inc-7"]}.',
        )
    return Questions(tuple(found), tuple(rejected))


def _why_not(name: str, case: Case | None, found: Mapping[str, Case]) -> str:
    """Why a record cannot be used; empty: it can."""
    if case is None:
        return "no words to find it by" if name else "no id"
    if name in found:
        return f"the id {name[:80]!r} was there before"
    try:
        size = len(msgspec.json.encode(case))
    except UnicodeEncodeError:
        return "half characters in it, which no file can hold"
    return f"longer than {RECORD_BYTES_MAX:,} bytes" if size > RECORD_BYTES_MAX else ""


def _question(row: Row, text: str) -> Question:
    return Question(
        id="".join(texts_of(named(row.fields, IDS))[:1]) or f"line {row.line}",
        text=text,
        relevant=frozenset(names_of(named(row.fields, ANSWERS))),
        services=names_of(named(row.fields, SERVICES)),
        stack="\n".join(texts_of(named(row.fields, STACKS))),
        incident="".join(texts_of(named(row.fields, ASKERS))[:1]),
    )


def _case(row: Row, fallback_at: datetime) -> Case | None:
    """A case as Hindcast writes it, or whatever can be made of the row; None when there are no words in it."""
    try:
        return with_clues(from_json(row.written))
    except Malformed:
        case = _guessed(row.fields, fallback_at)
    return with_clues(case) if case.title else None


def _guessed(fields: Mapping[str, Any], fallback_at: datetime) -> Case:
    title = " ".join("".join(texts_of(named(fields, TITLES))[:1]).split())
    told = dict.fromkeys(text for name in TEXTS for text in texts_of(fields.get(name)))
    words = "\n".join(text for text in told if text != title)
    symptoms = texts_of(named(fields, SYMPTOMS))
    if not title or len(title) > TITLE_CHARS_MAX:
        words = f"{title}\n{words}".strip()
        title = _headline(words or "\n".join(symptoms))
        words = words.removeprefix(title).lstrip()
    cause, resolution = _said(named(fields, CAUSES)), _said(named(fields, RESOLUTIONS))
    return Case(
        id="",
        title=title,
        occurred_at=_time(named(fields, TIMES)) or fallback_at,
        state=CaseState.RESOLVED if resolution else CaseState.OPEN,
        summary=words,
        services=names_of(named(fields, SERVICES)),
        components=names_of(named(fields, COMPONENTS)),
        symptoms=symptoms,
        stack="\n".join(texts_of(named(fields, STACKS))),
        cause=Cause(cause) if cause else None,
        resolution=Resolution(resolution) if resolution else None,
        attempts=_attempts(fields.get("attempts")),
    )


def _headline(text: str) -> str:
    """What stands for a title where there is none: the first line, as far as a title goes."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_CHARS_MAX else line[:TITLE_CHARS_MAX].rsplit(" ", 1)[0]


def _said(value: Any) -> str:  # noqa: ANN401
    return "\n".join(texts_of(value.get("text", value.get("details")) if isinstance(value, Mapping) else value))


def _attempts(value: Any) -> tuple[Attempt, ...]:  # noqa: ANN401
    found: list[Attempt] = []
    for number, one in enumerate(value if isinstance(value, list) else names_of(value), 1):
        action = _said(one) or (_said(one.get("action")) if isinstance(one, Mapping) else "")
        outcome = str(one.get("outcome", "")).replace("_", " ") if isinstance(one, Mapping) else ""
        if action:
            known = Outcome(outcome) if outcome in tuple(Outcome) else Outcome.UNKNOWN
            found.append(Attempt(f"attempt-{number}", action, known))
    return tuple(found)


def _time(value: Any) -> datetime | None:  # noqa: ANN401
    try:
        when = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _renamed(case: Case, name: str, own: Mapping[str, str]) -> Case:
    """The case under an id of ours, with what it refers to renamed as well."""
    supersedes = tuple(own[one] for one in case.supersedes if one in own)
    return replace(case, id=name, previous=own.get(case.previous, ""), supersedes=supersedes)


def _first(rejected: Sequence[Rejected]) -> str:
    return f": line {rejected[0].line}: {rejected[0].why}." if rejected else "."
