"""Added lines in today's words: names as they are called now, and calls awaited where today's code awaits them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hindcast.model.code import Tongue
from hindcast.propose.carry.laid import Laid
from hindcast.propose.carry.lex import Sort, Token, lex
from hindcast.propose.carry.vocabulary import SCRIPTS
from hindcast.propose.carry.names import Naming


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
        if token.sort is not Sort.NAME:
            return raw
        name = self.naming.of(raw, is_member=token.is_member)
        if not token.is_member and self.owned and raw in self.owned:
            name = f"{self.owned[raw]}.{name}"
        return f"await {name}" if self._is_awaited(tokens, index) else name

    def _is_awaited(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether this is the object of a call that has to be awaited today."""
        token = tokens[index]
        if token.is_member or token.key not in self.awaited or (index and tokens[index - 1].key == "await"):
            return False
        after = tokens[index + 1 : index + 3]
        return token.is_called or (len(after) == 2 and after[0].key == "." and after[1].is_called)


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
        after = laid.tokens[index + 1 : index + 3]
        if not (token.is_called or (len(after) == 2 and after[0].key == "." and after[1].is_called)):
            continue
        was = index > 0 and laid.tokens[index - 1].key == "await"
        now = file[image - 1].key == "await"
        gained[token.key] = gained.get(token.key, True) and now and not was
    return frozenset(name for name, every in gained.items() if every)
