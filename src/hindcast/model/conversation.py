"""Conversations with a language model: what it is told, which tools it is offered, and what it answers, piece by piece.

A model never acts. It says words and asks for calls; whoever holds the conversation decides what becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that a model may ask for."""

    name: str
    description: str
    # The JSON schema of its arguments.
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of what a model says, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a model asks for. Neither the name nor the arguments have been checked."""

    id: str
    tool: str
    # JSON, or whatever the model wrote in its place.
    arguments: str


@dataclass(frozen=True, slots=True)
class Spent:
    """The end of a reply: what it cost, as the server counts it; 0 where it does not say."""

    tokens_in: int
    tokens_out: int
    # What the adapter wants to see again with the next request of the conversation; nobody else looks into it.
    memo: object = field(default=None, compare=False, repr=False)


Piece = Words | Call | Spent


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a call, as the model is told."""

    call: Call
    text: str


@dataclass(frozen=True, slots=True)
class Round:
    """One reply of a model that asked for calls, and what came of them."""

    said: str
    results: tuple[Result, ...]
    memo: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything a model knows when it replies."""

    instructions: str
    question: str
    offers: tuple[Offer, ...] = ()
    rounds: tuple[Round, ...] = ()
