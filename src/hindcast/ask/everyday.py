"""The everyday questions: one table of what is asked, in which forms, and which answer it gets.

A form has to fit the whole question. What is left over (a name that no service has, a condition that no form holds)
means that the question is another one, and another one is not answered with this one's answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib import resources

from hindcast.ask.beginnings import MACHINE, NOTHING, POLITE
from hindcast.ask.dates import MONTH_NAMES, Span, Window, spans_in, window_of

QUESTION_CHARS_MAX = 300
EXAMPLES_SHOWN = 3


class Asks(StrEnum):
    """What an everyday question asks for."""

    HELP = "help"
    SERVICE = "service"
    OPEN = "open"
    MUTED = "muted"
    NEWEST = "newest"
    COMPARE = "compare"
    UNEXPLAINED = "unexplained"
    EXTREME = "extreme"
    SEVERITY = "severity"
    COUNT = "count"
    MOST = "most"
    USUAL_DURATION = "usual duration"
    DURATION = "duration"
    ON_CALL = "on call"
    CHANGED = "changed"
    SINCE = "since"
    WHERE = "where"
    FIXED = "fixed"
    LEARNT_FROM = "learnt from"
    # Asked in another form: the same as a question that the rules of beginnings answer.
    SEEN = "seen"
    BEST_FIX = "best fix"
    WHAT_TO_DO = "what to do"


# No time is named.
ALWAYS = Window()


@dataclass(frozen=True, slots=True)
class Everyday:
    """An everyday question, read."""

    asks: Asks
    # The service or component that it is about, as it was written; empty: none was named.
    name: str = ""
    # A past failure in words; empty: none was named.
    topic: str = ""
    # Which of several: how many, which extreme, which severity.
    which: str = ""
    window: Window = ALWAYS
    spans: tuple[Span, ...] = ()


# In a form: a part of the table, which may be made of the parts before it.
_PART = re.compile(r"%([a-z]+)%")


@dataclass(frozen=True, slots=True)
class _Table:
    """The table as it is read from its file."""

    # A question for each intent, in the order of the file: what is offered where something else was asked.
    examples: tuple[str, ...]
    forms: tuple[tuple[Asks, re.Pattern[str]], ...]
    # The words between two times that are compared.
    compared: re.Pattern[str]


@cache
def _table() -> _Table:
    read = tomllib.loads(resources.files("hindcast.ask").joinpath("everyday.toml").read_text("utf-8"))
    parts: dict[str, str] = {}

    def whole(form: str) -> str:
        return _PART.sub(lambda part: parts[part[1]], form)

    for name, form in read["parts"].items():
        parts[name] = whole(form)
    compiled = tuple(
        (Asks(intent["asks"]), re.compile(whole(form), re.IGNORECASE))
        for intent in read["intent"]
        for form in intent["forms"]
    )
    examples = tuple(intent["example"] for intent in read["intent"])
    return _Table(examples, compiled, re.compile(whole(read["compared"]), re.IGNORECASE))


def examples() -> tuple[str, ...]:
    """A question for each intent, in the order of the table."""
    return _table().examples


_NOW = re.compile(
    r"[\s,]{0,200}\b(?:right now|just now|at the moment|at present|currently|now|today)(?=[\s,?!.]*$)", re.IGNORECASE
)
_IS = re.compile(r"\b(what|who|which|where|how|that|it|when|there)['’]s\b", re.IGNORECASE)
_END = re.compile(r"[\s?!.,;:]{1,200}$")
# A month is a time wherever it is compared, without a word before it.
_MONTH = re.compile(rf"(?<!in )(?<!of )\b({MONTH_NAMES})\b(?!\s*\d)", re.IGNORECASE)
_COMPARES = re.compile(
    r"\bcompare|\bcomparison\b|\bversus\b|\bvs\b|\b(?:more|fewer|less|worse|better)\b.*\bthan\b", re.IGNORECASE
)


def everyday(question: str, now: datetime, is_known: Callable[[str], bool]) -> Everyday | None:
    """Which everyday question it is; None where it is none. `is_known` says whether there is a service of a name."""
    first, _, below = question.strip().partition("\n")
    if below.strip() or len(first) > QUESTION_CHARS_MAX or MACHINE.match(first):
        return None
    head = _END.sub("", _IS.sub(r"\1 is", first.strip()))
    while (shorter := POLITE.sub("", head, count=1)) != head and shorter:
        head = shorter
    if _COMPARES.search(head):
        return _comparison(head, now)
    head = _END.sub("", _NOW.sub("", head))
    spans, rest = spans_in(head, now)
    return next(_readings(" ".join(_END.sub("", rest).split()), window_of(spans, now), is_known), None)


def _readings(text: str, window: Window, is_known: Callable[[str], bool]) -> Iterator[Everyday]:
    for asks, form in _table().forms:
        found = form.fullmatch(text)
        if found is None:
            continue
        groups = found.groupdict()
        name, topic = groups.get("name") or "", (groups.get("topic") or "").strip()
        is_empty = "topic" in groups and topic.lower() in NOTHING and asks is not Asks.ON_CALL
        if is_empty or (name and not is_known(name)):
            continue
        yield Everyday(asks, name, topic, (groups.get("which") or "").lower(), window)


def _comparison(head: str, now: datetime) -> Everyday | None:
    """Two stretches of time side by side; the other one is what goes on where only one is named."""
    spans, rest = spans_in(_MONTH.sub(r"in \1", head), now)
    if not spans or len(spans) > 2 or not _table().compared.fullmatch(rest):
        return None
    if len(spans) == 1:
        unit = spans[0].said.rpartition(" ")[2]
        this, _ = spans_in(f"this {unit}", now)
        if not this or this[0].start == spans[0].start:
            return None
        spans = (this[0], spans[0])
    return Everyday(Asks.COMPARE, spans=tuple(sorted(spans, key=lambda one: one.start)))


def suggestions(question: str) -> tuple[str, ...]:
    """The everyday questions that are nearest to one that cannot be answered."""
    words = frozenset(re.findall(r"[a-z]{3,}", question[:QUESTION_CHARS_MAX].lower()))
    near = sorted(examples(), key=lambda one: -len(words & frozenset(re.findall(r"[a-z]{3,}", one.lower()))))
    return tuple(near[:EXAMPLES_SHOWN])
