"""What happens while a question is answered, one event after another; `Done` comes last, or `Failed` in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hindcast.model.errors import HindcastError


class EndedBy(StrEnum):
    """Why an answer ended where it did."""

    ANSWERED = "answered"
    # The tools found nothing that bears on the question.
    NOTHING_FOUND = "nothing found"
    # It is none of the questions that can be answered, and no failure that was described.
    NOT_UNDERSTOOD = "not understood"
    # The language model ran into a budget, failed, or said nothing that rests on a record; the tools answered instead.
    TOKENS = "out of tokens"
    SECONDS = "out of time"
    CALLS = "out of calls"
    MODEL_FAILED = "the model failed"
    UNSUPPORTED = "the model cited nothing"


@dataclass(frozen=True, slots=True)
class Understood:
    """How a question is read, when no language model reads it."""

    reading: str


@dataclass(frozen=True, slots=True)
class Called:
    """A tool is called."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a call."""

    tool: str
    # The first line of what the tool says.
    summary: str
    # The records that it rests on.
    evidence: tuple[str, ...] = ()
    # Whether the call was refused or went wrong.
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement, and the records it rests on. Each was shown by a tool while this question was answered."""

    text: str
    citations: tuple[str, ...] = ()
    # Whether these are words about the answer itself (a heading, what was looked at) that need no record.
    is_aside: bool = False

    @property
    def is_cited(self) -> bool:
        """Whether it rests on a record, or needs none."""
        return self.is_aside or bool(self.citations)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, as soon as it is complete and checked. What counts in the end is the answer."""

    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Costs:
    """What an answer took."""

    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question."""

    question: str
    sentences: tuple[Sentence, ...]
    ended_by: EndedBy = EndedBy.ANSWERED
    costs: Costs = Costs()
    # The language model that worded it; empty: the tools answered directly.
    model: str = ""
    # How the question was read, where no language model did.
    reading: str = ""
    # What a reader should know about the answer: sentences without a record, ids that do not exist, links taken out.
    notes: tuple[str, ...] = field(default=())
    # Whether the question describes a failure, so that what recall says to the same text answers it too.
    is_failure: bool = False
    # Questions that can be answered, where this one cannot.
    suggestions: tuple[str, ...] = field(default=())

    @property
    def uncited(self) -> int:
        """How many sentences rest on no record."""
        return sum(1 for sentence in self.sentences if not sentence.is_cited)


@dataclass(frozen=True, slots=True)
class Done:
    """The end."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """The question cannot be answered at all."""

    error: HindcastError


Event = Understood | Called | Found | Said | Done | Failed
