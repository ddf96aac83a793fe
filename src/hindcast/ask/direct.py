"""Answers without a language model: one reading of the question, a tool or two, an answer out of what they found."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from hindcast.ask.beginnings import Want
from hindcast.ask.composing import composed, is_empty
from hindcast.ask.events import Answer, Called, Costs, Done, EndedBy, Event, Found, Said, Sentence, Understood
from hindcast.ask.everyday import Asks, Everyday, everyday
from hindcast.ask.everyday_answers import told
from hindcast.ask.facts import Facts
from hindcast.ask.intent import Intent, intent_of
from hindcast.ask.outside import asks, describes_failure, is_outside, outside
from hindcast.ask.wording import plain
from hindcast.model.errors import Missing
from hindcast.toolbox import Desk, ToolAnswer, call

SUMMARY_CHARS_MAX = 200


# Everyday questions that ask in other words what a beginning asks.
_SAME_AS: Mapping[Asks, str] = {
    Asks.SEEN: "have we seen {}",
    Asks.WHAT_TO_DO: "have we seen {}",
    Asks.BEST_FIX: "what usually fixes {}",
}
# What is answered without any record.
_NO_RECORD = (Asks.HELP, Asks.ON_CALL, Asks.MUTED, Asks.COMPARE)


def answered(question: str, desk: Desk, *, at: str = "") -> Iterator[Event]:
    """The events of an answer, `Done` last. Raises whatever the tools raise."""
    facts = Facts(desk, at)
    asked = everyday(question, desk.now, facts.is_known)
    if asked is not None and asked.asks not in _SAME_AS:
        yield from _everyday(question, asked, facts, desk, at)
        return
    read = _SAME_AS[asked.asks].format(asked.topic) if asked is not None else question
    yield from _by_tools(question, intent_of(read, desk.now), desk, facts, at)


def _everyday(question: str, asked: Everyday, facts: Facts, desk: Desk, at: str) -> Iterator[Event]:
    """The answer to an everyday question."""
    found = told(asked, facts)
    if found is None:
        yield from _outside(question, facts, calls=1)
        return
    sentences = found.sentences
    is_found = asked.asks in _NO_RECORD or any(sentence.citations for sentence in sentences)
    if at and not is_found and not desk.view(at).count():
        sentences = (_memory_was_empty(f" as of {plain(at, 60)}"),)
    yield Understood(found.reading)
    yield from (Said(sentence) for sentence in sentences)
    ended = EndedBy.ANSWERED if is_found else EndedBy.NOTHING_FOUND
    yield Done(Answer(question, sentences, ended, Costs(calls=1), reading=found.reading))


def _outside(question: str, facts: Facts, *, calls: int) -> Iterator[Event]:
    """That a question cannot be answered, and what can be asked."""
    reading = "a question that I do not know"
    yield Understood(reading)
    sentences, offered = outside(question, facts)
    yield from (Said(sentence) for sentence in sentences)
    costs = Costs(calls=calls)
    yield Done(Answer(question, sentences, EndedBy.NOT_UNDERSTOOD, costs, reading=reading, suggestions=offered))


def _by_tools(question: str, intent: Intent, desk: Desk, facts: Facts, at: str) -> Iterator[Event]:
    """The answer of one tool or two to a question that begins as questions do, or that describes a failure."""
    if at:
        intent = replace(intent, arguments={**intent.arguments, "at": at}, as_of=f" as of {plain(at, 60)}")
        if intent.tool == "memory_diff":
            intent = replace(
                intent, arguments={**{k: v for k, v in intent.arguments.items() if k != "at"}, "after": at}
            )
    calls, made = 0, list[Event]()
    tries = (intent.arguments, *({**one, "at": at} if at else one for one in intent.otherwise))
    for arguments in tries:
        made.append(Called(intent.tool, arguments))
        found = call(intent.tool, arguments, desk)
        calls += 1
        made.append(Found(intent.tool, summary(found), found.evidence))
        if not is_empty(intent, found):
            break
    sentences = _empty(intent, found, desk)
    if not sentences and is_outside(question, intent, found, facts, is_empty=is_empty(intent, found)):
        yield from _outside(question, facts, calls=calls)
        return
    yield Understood(intent.reading)
    yield from made
    case: Mapping[str, Any] | None = None
    if intent.want in (Want.RECALL, Want.PEOPLE) and found.data["incident"]:
        case = yield from _looked_up(found, intent, desk)
        calls += 1
    if intent.want is Want.LIST and "words" in arguments:
        intent = replace(intent, arguments=arguments, scope=intent.scope.replace(" of “", " with the words “", 1))
    sentences = sentences or composed(intent, found, case, _seen_from(intent, desk.now))
    yield from (Said(sentence) for sentence in sentences)
    is_new = intent.want is Want.RECALL and not found.data["incident"]
    ended = EndedBy.NOTHING_FOUND if is_new or is_empty(intent, found) else EndedBy.ANSWERED
    answer = Answer(question, sentences, ended, Costs(calls=calls), reading=intent.reading, notes=intent.notes)
    yield Done(replace(answer, is_failure=is_failure(intent)))


def describes(question: str, desk: Desk) -> bool:
    """Whether a question describes a failure, before anything was looked for."""
    asked = everyday(question, desk.now, Facts(desk).is_known)
    if asked is not None:
        return asked.asks in (Asks.SEEN, Asks.WHAT_TO_DO) and describes_failure(asked.topic)
    intent = intent_of(question, desk.now)
    text = str(intent.arguments.get("text", ""))
    return is_failure(intent) and describes_failure(text) and not (asks(question) and not intent.is_read)


def is_failure(intent: Intent) -> bool:
    """Whether recall, asked with the text of the question, answers the same question."""
    return intent.want is Want.RECALL and "at" not in intent.arguments and "text" in intent.arguments


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
    return (_memory_was_empty(intent.as_of),)


def _memory_was_empty(as_of: str) -> Sentence:
    return Sentence(f"Memory was empty{as_of}: nothing had been written down by then.", is_aside=True)


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
