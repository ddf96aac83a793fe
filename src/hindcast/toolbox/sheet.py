"""A sheet: an answer written line by line until its budget is spent, with the records that each line rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from hindcast.recall.pack import tokens_of
from hindcast.toolbox.quoting import EXPLAINED, cited
from hindcast.toolbox.tool import ToolAnswer

TOKENS_MIN, TOKENS_MAX = 150, 20_000
# Kept free for saying what was left out and how to get it.
CLOSING_TOKENS = 60

Tokens = Annotated[
    int,
    Meta(ge=TOKENS_MIN, le=TOKENS_MAX, description="The most tokens that the answer may have.", examples=[1500]),
]


class Sheet:
    """Takes whole lines while there is room, and remembers what there was no room for."""

    def __init__(self, tokens_max: int) -> None:
        self._room = tokens_max - CLOSING_TOKENS
        self._tokens_max = tokens_max
        self._lines: list[str] = []
        self._evidence: dict[str, None] = {}
        self._left_out: dict[str, int] = {}
        self._is_quoting = False

    def say(self, line: str, *refs: str, what: str = "", quotes: bool = False) -> bool:
        """Write a line if it fits; if not, `what` is counted as left out. `quotes` says that it holds recorded text."""
        first = f"{EXPLAINED}\n" if quotes and not self._is_quoting else ""
        cost = tokens_of(first + line) + 1
        if cost > self._room:
            if what:
                self._left_out[what] = self._left_out.get(what, 0) + 1
            return False
        if first:
            self._lines.append(EXPLAINED)
            self._is_quoting = True
        self._lines.append(line)
        self._room -= cost
        self._evidence.update(dict.fromkeys(refs))
        return True

    def answer(self, data: Mapping[str, Any], *, more: str = "") -> ToolAnswer:
        """The answer. `more` says how to get what was left out; without it a larger budget is proposed."""
        if self._left_out:
            larger = min(2 * self._tokens_max, TOKENS_MAX)
            self._lines.append(self._closing(more or f"Call again with tokens_max={larger} to get more."))
        return ToolAnswer("\n".join(self._lines), data, tuple(self._evidence), bool(self._left_out))

    def _closing(self, how: str) -> str:
        """What was left out, by name where there is room for the names, and how to get it."""
        named = ", ".join(f"{count} × {what}" if count > 1 else what for what, count in self._left_out.items())
        for what in (named, f"{sum(self._left_out.values())} parts"):
            line = f"Left out for lack of room: {what}. {how}"
            if tokens_of(line) + 1 <= self._room + CLOSING_TOKENS:
                break
        return line


def refs_text(refs: Sequence[str], *, most: int = 2) -> str:
    """The records a line rests on, as they are cited."""
    shown = [cited(ref) for ref in refs[:most]]
    if len(refs) > most:
        shown.append(f"+{len(refs) - most}")
    return f" [{', '.join(shown)}]" if shown else ""
