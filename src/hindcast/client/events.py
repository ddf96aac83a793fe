"""Server-sent events, line by line: bytes of a stream become events, whatever way they are cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hindcast.model.errors import Malformed

# Longer than any event of ours; a stream that goes on and on without one is not ours.
EVENT_CHARS_MAX = 16_777_216


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    # incident, answer, deck, card, rates, line, gap or closed; with `ask` its own kinds.
    kind: str
    data: Any
    # Name it to hear what comes after it; empty for what passes by.
    id: str = ""


@dataclass(slots=True)
class Reader:
    """Reads one stream."""

    # The id to come back with.
    last_id: str = ""
    # How long the server wants a client to wait before it comes back.
    retry_seconds: float | None = None
    _kind: str = ""
    _id: str = ""
    _data: list[str] = field(default_factory=list)
    _chars: int = 0

    def feed(self, line: str) -> Iterator[Event]:
        """Take one line, without its end; an empty one completes an event."""
        if not line:
            yield from self._complete()
            return
        self._chars += len(line)
        if self._chars > EVENT_CHARS_MAX:
            raise Malformed("The stream is not one of Hindcast's.", remedy="Check the address.")
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry_seconds = int(value) / 1000

    def _complete(self) -> Iterator[Event]:
        kind, event_id, data = self._kind, self._id, "\n".join(self._data)
        self._kind, self._id, self._chars = "", "", 0
        self._data.clear()
        self.last_id = event_id or self.last_id
        if data:
            try:
                yield Event(kind or "message", msgspec.json.decode(data), event_id)
            except msgspec.DecodeError as error:
                raise Malformed("An event is not JSON.", remedy="Check that the address is Hindcast's.") from error
