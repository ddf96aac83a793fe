"""Reads what a question wants, by rules that anybody can follow, when no language model does.

Only how a question begins decides what it wants. What is pasted, quoted or follows is what it is about: it is handed to
a tool as it is, and cannot change which tool that is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from hindcast.ask.beginnings import FILLER, LISTING, MACHINE, NOTHING, POLITE, RULES, STATES, TAIL, Want
from hindcast.ask.dates import Window, spans_in, unknown_time, window_of
from hindcast.ask.wording import quoted

QUESTION_CHARS_MAX = 300
ABOUT_CHARS_MAX = 80
LISTED_MAX = 8
SHOWN_CHARS_MAX = 80


@dataclass(frozen=True, slots=True)
class Intent:
    """What a question wants: a tool, its arguments, and in words how the question was read."""

    want: Want
    tool: str
    arguments: Mapping[str, Any]
    reading: str
    # What could not be read, in words.
    notes: tuple[str, ...] = ()
    # Who asks to know it as of a moment, in words; empty: now.
    as_of: str = ""
    # What it is about, as a name or in words.
    about: str = ""
    # Over which incidents, in words that follow a count of them.
    scope: str = ""
    # Arguments to try in turn where these find nothing.
    otherwise: tuple[Mapping[str, Any], ...] = ()
    # Whether it begins as questions begin here; else it is taken for a failure in somebody's words.
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question taken apart."""

    # How it begins, without times, in lower case; and what it is about.
    head: str
    rest: str
    # Everything that was pasted below the question.
    pasted: str
    whole: str
    window: Window
    incident: str
    notes: tuple[str, ...]


_INCIDENT = re.compile(r"(?<![\w/-])(?:cases/|incidents/)?((?:inc-\d{8}-|past-)[\w.-]*\w)(?:@\d+)?(?![\w/])")


def intent_of(question: str, now: datetime) -> Intent:
    """What a question wants. Whatever has no other meaning is recalled as it is."""
    asked = _taken_apart(question, now)
    if asked is None:
        return _recalled(question, "an error or a log that was pasted, and whether we have seen it")
    if asked.incident and not asked.pasted:
        return _about_incident(asked)
    for want, pattern in RULES:
        found = pattern.match(asked.head)
        if found is not None:
            return _MAKERS[want](asked, _subject(asked, found.end()), found.group().lower())
    # It begins like no question, so it is a failure in somebody's words, and every word of it may tell something.
    first = asked.whole.partition("\n")[0]
    intent = _recalled(asked.whole, f"have we seen {_shown(first, asked)} before, and what ended it")
    return replace(intent, is_read=False)


def failure_in(text: str, now: datetime) -> str:
    """The failure that a text is about, as `ask` hands it to recall: a question without the words that only ask."""
    arguments = intent_of(text, now).arguments
    # A question about the past names a moment, which whoever recalls has said in another way, or has not.
    return str(arguments["text"]) if "text" in arguments and "at" not in arguments else text


def _taken_apart(question: str, now: datetime) -> _Asked | None:
    """A question's parts; None where it does not begin as a person asks but as a machine writes."""
    first, _, below = question.strip().partition("\n")
    if MACHINE.match(first) or len(first) > QUESTION_CHARS_MAX:
        return None
    head = first.strip()
    while (shorter := POLITE.sub("", head, count=1)) != head and shorter:
        head = shorter
    spans, without = spans_in(head, now)
    unknown = unknown_time(without)
    without = " ".join(without.replace(unknown, " ").split()) if unknown else without
    notes = (
        (f"{quoted(unknown, SHOWN_CHARS_MAX)} names no time that is known here, so it was left aside.",)
        if unknown
        else ()
    )
    named = _INCIDENT.search(first)
    return _Asked(
        without, without, below.strip(), question.strip(), window_of(spans, now), named[1] if named else "", notes
    )  # fmt: skip


def _subject(asked: _Asked, begins: int) -> str:
    """What a question is about: what follows its beginning, without words that only lead there."""
    text = asked.head[begins:].strip(" \t?!.,;:'\"`")
    for pattern in (FILLER, TAIL):
        while (shorter := pattern.sub("", text, count=1).strip(" \t?!.,;:'\"`")) != text:
            text = shorter
    text = re.sub(r"^between\s{0,9}(?:and)?\s{0,9}|\s{1,9}(?:and|or)$", "", text, flags=re.IGNORECASE).strip()
    return "" if text.lower() in NOTHING else text


def _failure(asked: _Asked, subject: str) -> str:
    """The failure that is asked about, in all the words there are for it."""
    return "\n".join(part for part in (subject, asked.pasted) if part) or asked.whole


def _shown(subject: str, asked: _Asked) -> str:
    if asked.pasted:
        return "what was pasted"
    return quoted(subject, SHOWN_CHARS_MAX) if subject else "anything"


def _as_of(asked: _Asked) -> tuple[dict[str, str], str]:
    """The moment as of which something is asked, as an argument and in words."""
    window = asked.window
    moment = window.until or window.since
    said = re.sub(r"^(?:in|on|at|during|before|until|till|by|since) ", "", window.said)
    return ({"at": moment.isoformat()}, f" as of {said}") if moment is not None else ({}, "")


def _recalled(text: str, reading: str) -> Intent:
    return Intent(Want.RECALL, "recall", {"text": text}, reading)


def _recall(asked: _Asked, subject: str, beginning: str) -> Intent:
    # Only a question about what was known asks for the past; "what did we do last week" is about an incident then.
    is_past = "know" in beginning
    at, when = _as_of(asked) if is_past else ({}, "")
    if is_past and not subject and not asked.pasted:
        reading = f"which incidents were known{when}"
        return Intent(Want.LIST, "search_incidents", {"count_max": LISTED_MAX, **at}, reading, asked.notes, when)
    text = _failure(asked, subject)
    reading = (
        f"what do we know about {_shown(subject, asked)}{when}"
        if is_past
        else f"have we seen {_shown(subject, asked)} before, and what ended it"
    )
    return Intent(Want.RECALL, "recall", {"text": text, **at}, reading, asked.notes, when, subject)


def _avoid(asked: _Asked, subject: str, _: str) -> Intent:
    at, when = _as_of(asked)
    reading = f"what made {_shown(subject, asked)} worse or did not help{when}"
    arguments = {"text": _failure(asked, subject), **at}
    return Intent(Want.AVOID, "what_not_to_try", arguments, reading, asked.notes, when, subject)


def _patterns(asked: _Asked, subject: str, _: str) -> Intent:
    since = {"since": asked.window.since.isoformat()} if asked.window.since else {}
    what = {"text": asked.pasted} if asked.pasted else {"about": subject[:ABOUT_CHARS_MAX]} if subject else {}
    when = f", {asked.window.said}" if since else ""
    reading = f"what worked how often for {_shown(subject, asked)}{when}"
    # What is no service or component may be a failure in words.
    otherwise = ({"text": subject, **since},) if subject and not asked.pasted else ()
    arguments = {**what, **since}
    return Intent(
        Want.PATTERNS, "resolution_patterns", arguments, reading, asked.notes, about=subject, otherwise=otherwise
    )


def _together(asked: _Asked, subject: str, _: str) -> Intent:
    arguments: dict[str, Any] = {"about": subject[:ABOUT_CHARS_MAX]} if subject else {}
    arguments |= _between(asked.window)
    reading = f"what goes together with {_shown(subject, asked)} in time"
    return Intent(Want.TOGETHER, "error_correlations", arguments, reading, asked.notes, about=subject)


def _people(asked: _Asked, subject: str, _: str) -> Intent:
    reading = f"who knows about {_shown(subject, asked)}"
    return Intent(Want.PEOPLE, "recall", {"text": _failure(asked, subject)}, reading, asked.notes, about=subject)


def _learnt(asked: _Asked, subject: str, beginning: str) -> Intent:
    window = asked.window
    if window.since is None and window.until is None:
        if subject or asked.pasted:
            return _recall(asked, subject, beginning)
        note = "No time was named, so it is answered for the last seven days."
        reading = "what was learnt in the last seven days"
        return Intent(Want.LEARNT, "memory_diff", {"before": "7 days ago"}, reading, (*asked.notes, note))
    before = window.since or window.until
    assert before is not None
    after = {"after": window.until.isoformat()} if window.since is not None and window.until is not None else {}
    reading = f"what memory learnt, changed and forgot, {window.said}"
    return Intent(Want.LEARNT, "memory_diff", {"before": before.isoformat(), **after}, reading, asked.notes)


def _list(asked: _Asked, subject: str, beginning: str) -> Intent:
    # `which payment incidents`: what stands between belongs to what is asked.
    inner = LISTING.sub("", beginning).strip()
    words = " ".join(part for part in (inner, subject) if part)
    state = next((state for word, state in STATES.items() if re.search(rf"\b{word}\b", beginning)), "any")
    arguments: dict[str, Any] = {"count_max": LISTED_MAX, "state": state, **_between(asked.window)}
    otherwise: tuple[dict[str, Any], ...] = ()
    if words:
        by_words = {**arguments, "words": words}
        is_name = bool(re.fullmatch(r"[\w.-]{2,40}", words))
        arguments, otherwise = ({**arguments, "services": [words]}, (by_words,)) if is_name else (by_words, ())
    kind = "" if state == "any" else f"{state} "
    of = f" of {quoted(words, SHOWN_CHARS_MAX)}" if words else ""
    when = f", {asked.window.said}" if asked.window.said else ""
    reading = f"which {kind}incidents{of} there were{when}"
    scope = f"{of}{when.replace(',', '')}"
    return Intent(Want.LIST, "search_incidents", arguments, reading, asked.notes, "", words, scope, otherwise)


def _search(asked: _Asked, subject: str, beginning: str) -> Intent:
    at, when = _as_of(asked)
    words = subject or asked.head
    where = {"namespace": "runbooks"} if "book" in beginning else {}
    reading = f"what is written down about {_shown(subject, asked)}{when}"
    return Intent(Want.SEARCH, "memory_search", {"words": words, **where, **at}, reading, asked.notes, when, subject)


def _about_incident(asked: _Asked) -> Intent:
    name, head = asked.incident, asked.head
    at, when = _as_of(asked) if "know" in head.lower() else ({}, "")
    given = {"incident": name, **at}
    for want, tool, pattern, reading in (
        (Want.AVOID, "what_not_to_try", r"avoid|not to|worse|should(?: not|n't)", f"what not to try in {name}"),
        (Want.RECALL, "recall", r"similar|like|seen|before|last time|remind|recall", f"what came before {name}"),
    ):
        if re.search(pattern, _INCIDENT.sub(" ", head), re.IGNORECASE):
            return Intent(want, tool, given, reading + when, asked.notes, when, name)
    return Intent(Want.INCIDENT, "incident_get", given, f"what is known about {name}{when}", asked.notes, when, name)


def _between(window: Window) -> dict[str, str]:
    found = {"since": window.since, "until": window.until}
    return {name: moment.isoformat() for name, moment in found.items() if moment is not None}


_MAKERS: Mapping[Want, Callable[[_Asked, str, str], Intent]] = {
    Want.RECALL: _recall,
    Want.AVOID: _avoid,
    Want.PATTERNS: _patterns,
    Want.TOGETHER: _together,
    Want.PEOPLE: _people,
    Want.LEARNT: _learnt,
    Want.LIST: _list,
    Want.SEARCH: _search,
}
