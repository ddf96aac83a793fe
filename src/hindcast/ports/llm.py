"""Language models, which have no rights of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from hindcast.model.conversation import Conversation, Piece


class LLM(Protocol):
    """A language model. It reads a conversation and replies; it has no tools, no memory and no rights of its own."""

    @property
    def name(self) -> str:
        """The model, as people know it: provider:name."""
        ...

    def reply(self, conversation: Conversation, *, tokens_max: int, seconds_max: float) -> Iterator[Piece]:
        """Words as they arrive, then the calls it asks for, and Spent at the end.

        While nothing comes there is an empty piece of words now and then, so that whoever reads can stop: closing the
        iterator ends the request. Raises Unavailable (also after `seconds_max`), Busy, Refused or
        Malformed, whatever a server does; what was said before that has been said.
        """
        ...
