"""Added lines in today's words: names as they are called now, and calls awaited where today's code awaits them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hindcast.model.code import Tongue
from hindcast.propose.carry.laid import Laid
from hindcast.propose.carry.lex import Sort, Token, lex
from hindcast.propose.carry.names import Naming
from hindcast.propose.carry.vocabulary import SCRIPTS


@dataclass(frozen=True, slots=True)
class Wording:
    """How a line of the diff is written today."""

    naming: Naming
    tongue: Tongue
    # Objects whose calls were not awaited then and are now.
    awaited: frozenset[str] = frozenset()
    # Variables that are attributes of the object today: `conn` is `self.conn`.
    owned: Mapping[str, str] | None = None

    def text(self, text: str) -> str:
        """A text of the diff with today's names."""
        pieces: list[str] = []
        at = 0
        tokens = lex(text, self.tongue)
        for index, token in enumerate(tokens):
            pieces.append(text[at : token.start])
            pieces.append(self._token(text, tokens, index))
            at = token.end
        return "".join((*pieces, text[at:]))

    def _token(self, text: str, tokens: tuple[Token, ...], index: int) -> str:
        token = tokens[index]
        raw = text[token.start : token.end]
        if token.sort is Sort.STRING and (raw[:1] == "`" or re.match(r"[rRbB]?[fF]", raw)):
            return re.sub(r"(?<=\{)[^\W\d]\w*", lambda found: self.naming.of(found.group(), is_member=False), raw)
        if token.key in ("self", "this") and self._owns_awaited(tokens, index):
            return f"await {raw}"
        if token.sort is not Sort.NAME:
            return raw
        name = self.naming.of(raw, is_member=token.is_member)
        if not token.is_member and self.owned and raw in self.owned and not _after_dot(tokens, index):
            name = f"{self.owned[raw]}.{name}"
        return f"await {name}" if self._is_awaited(tokens, index) else name

    def _is_awaited(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether this is the object of a call that has to be awaited today."""
        token = tokens[index]
        if token.is_member or token.key not in self.awaited or _after_dot(tokens, index):
            return False
        if index and tokens[index - 1].key == "await":
            return False
        return _is_callee(tokens, index)

    def _owns_awaited(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether this is the `self` of such an object."""
        if len(tokens) < index + 3 or tokens[index + 1].key != "." or (index and tokens[index - 1].key == "await"):
            return False
        return tokens[index + 2].key in self.awaited and _is_callee(tokens, index + 2)


def _after_dot(tokens: Sequence[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].key == "."


def _is_callee(tokens: Sequence[Token], index: int) -> bool:
    """Whether a name is called, or a method of it is."""
    after = tokens[index + 1 : index + 3]
    return tokens[index].is_called or (len(after) == 2 and after[0].key == "." and after[1].is_called)


def wording(laid: Laid) -> Wording:
    """How the lines of a diff are written in a file, learnt from the lines that both have."""
    return Wording(laid.naming, laid.today.tongue, _awaited(laid), laid.owners)


def _awaited(laid: Laid) -> frozenset[str]:
    """Objects all of whose calls in the snippet are awaited today, and were not then."""
    if laid.today.tongue is not Tongue.PYTHON and laid.today.tongue not in SCRIPTS:
        return frozenset()
    gained: dict[str, bool] = {}
    file = laid.today.tokens
    for index, token in enumerate(laid.tokens):
        image = laid.image(index)
        if image <= 0 or token.sort is not Sort.NAME or token.is_member:
            continue
        if not _is_callee(laid.tokens, index):
            continue
        was = _awaits(laid.tokens, index)
        now = _awaits(file, image)
        gained[token.key] = gained.get(token.key, True) and now and not was
    return frozenset(name for name, every in gained.items() if every)


def _awaits(tokens: Sequence[Token], index: int) -> bool:
    """Whether a name, or the object it belongs to, is awaited."""
    while index >= 2 and tokens[index - 1].key == ".":
        index -= 2
    return index > 0 and tokens[index - 1].key == "await"
