"""Answers without a language model: one reading of the question, a tool or two, an answer out of what they found."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from hindcast.ask.beginnings import Want
from hindcast.ask.composing import composed, is_empty
from hindcast.ask.events import Answer, Called, Costs, Done, EndedBy, Event, Found, Said, Sentence, Understood
from hindcast.ask.intent import Intent, intent_of
from hindcast.ask.wording import plain
from hindcast.model.errors import Missing
from hindcast.toolbox import Desk, ToolAnswer, call

SUMMARY_CHARS_MAX = 200


def answered(question: str, desk: Desk, *, at: str = "") -> Iterator[Event]:
    """The events of an answer, `Done` last. Raises whatever the tools raise."""
    intent = intent_of(question, desk.now)
    if at:
        intent = replace(intent, arguments={**intent.arguments, "at": at}, as_of=f" as of {plain(at, 60)}")
        if intent.tool == "memory_diff":
            intent = replace(
                intent, arguments={**{k: v for k, v in intent.arguments.items() if k != "at"}, "after": at}
            )
    yield Understood(intent.reading)
    calls = 0
    tries = (intent.arguments, *({**one, "at": at} if at else one for one in intent.otherwise))
    for arguments in tries:
        yield Called(intent.tool, arguments)
        found = call(intent.tool, arguments, desk)
        calls += 1
        yield Found(intent.tool, summary(found), found.evidence)
        if not is_empty(intent, found):
            break
    case: Mapping[str, Any] | None = None
    if intent.want in (Want.RECALL, Want.PEOPLE) and found.data["incident"]:
        case = yield from _looked_up(found, intent, desk)
        calls += 1
    sentences = _empty(intent, found, desk) or composed(intent, found, case, _seen_from(intent, desk.now))
    yield from (Said(sentence) for sentence in sentences)
    is_new = intent.want is Want.RECALL and not found.data["incident"]
    ended = EndedBy.NOTHING_FOUND if is_new or is_empty(intent, found) else EndedBy.ANSWERED
    yield Done(Answer(question, sentences, ended, Costs(calls=calls), reading=intent.reading, notes=intent.notes))


def _seen_from(intent: Intent, now: datetime) -> datetime:
    """From when ages are counted: the moment that is asked about, where it is a time, as in what memory says itself."""
    try:
        then = datetime.fromisoformat(str(intent.arguments.get("at", "")))
    except ValueError:
        return now
    return min(then, now) if then.tzinfo is not None else now


def _empty(intent: Intent, found: ToolAnswer, desk: Desk) -> tuple[Sentence, ...]:
    """That nothing at all was known at the moment that is asked about: so that nobody takes it for a clean record."""
    at = intent.arguments.get("at", "")
    if not at or not is_empty(intent, found) or desk.view(at).count():
        return ()
    text = f"Memory was empty{intent.as_of}: nothing had been written down by then."
    return (Sentence(text, is_aside=True),)


def _looked_up(found: ToolAnswer, intent: Intent, desk: Desk) -> Generator[Event, None, Mapping[str, Any] | None]:
    """What is known of the incident that was recalled; nothing where it is another space's."""
    wanted = {"incident": found.data["incident"], **_moment(intent)}
    yield Called("incident_get", wanted)
    try:
        case = call("incident_get", wanted, desk)
    except Missing as error:
        yield Found("incident_get", plain(error.problem, SUMMARY_CHARS_MAX), is_error=True)
        return None
    yield Found("incident_get", summary(case), case.evidence)
    return case.data


def _moment(intent: Intent) -> dict[str, Any]:
    return {name: value for name, value in intent.arguments.items() if name == "at"}


def summary(found: ToolAnswer) -> str:
    """The first line of what a tool says."""
    return plain(found.text.partition("\n")[0], SUMMARY_CHARS_MAX)
