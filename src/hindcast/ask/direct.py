"""Answers without a language model: one reading of the question, a tool or two, an answer out of what they found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hindcast.ask.beginnings import Want
from hindcast.ask.composing import composed, is_empty
from hindcast.ask.events import Answer, Called, Costs, Done, EndedBy, Event, Found, Said, Understood
from hindcast.ask.intent import intent_of
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
        wanted = {"incident": found.data["incident"], **{k: v for k, v in intent.arguments.items() if k == "at"}}
        yield Called("incident_get", wanted)
        calls += 1
        case, event = _case(wanted, desk)
        yield event
    sentences = composed(intent, found, case, desk.now)
    yield from (Said(sentence) for sentence in sentences)
    is_new = intent.want is Want.RECALL and not found.data["incident"]
    ended = EndedBy.NOTHING_FOUND if is_new or is_empty(intent, found) else EndedBy.ANSWERED
    yield Done(Answer(question, sentences, ended, Costs(calls=calls), reading=intent.reading, notes=intent.notes))


def _case(wanted: Mapping[str, Any], desk: Desk) -> tuple[Mapping[str, Any] | None, Event]:
    """What is known of the incident that was recalled; nothing where it is another space's."""
    try:
        found = call("incident_get", wanted, desk)
    except Missing as error:
        return None, Found("incident_get", plain(error.problem, SUMMARY_CHARS_MAX), is_error=True)
    return found.data, Found("incident_get", summary(found), found.evidence)


def summary(found: ToolAnswer) -> str:
    """The first line of what a tool says."""
    return plain(found.text.partition("\n")[0], SUMMARY_CHARS_MAX)
