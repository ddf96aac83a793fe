"""One side of a hunk laid on today's file: which token became which, what is called otherwise, what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from textwrap import dedent

from hindcast.model.code import Tongue
from hindcast.propose.carry.align import WEIGHTS, Spot, spots
from hindcast.propose.carry.lex import Sort, Token, lex
from hindcast.propose.carry.names import Naming, naming, texts_alike
from hindcast.propose.carry.patch import Hunk
from hindcast.propose.carry.syntax import faults, has_grammar


class Today:
    """A file as it is, with its lines and tokens."""

    def __init__(self, path: str, text: str, tongue: Tongue) -> None:
        self.path, self.text, self.tongue = path, text, tongue
        self.lines = text.split("\n")

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its tokens."""
        return lex(self.text, self.tongue)

    @cached_property
    def by_line(self) -> dict[int, list[int]]:
        """The tokens that begin in each line."""
        found: dict[int, list[int]] = {}
        for index, token in enumerate(self.tokens):
            found.setdefault(token.line, []).append(index)
        return found

    def last_line(self, index: int) -> int:
        """The line in which a token ends."""
        token = self.tokens[index]
        return token.line + self.text.count("\n", token.start, token.end)


@dataclass(frozen=True, slots=True)
class Group:
    """Lines of a hunk that were removed and added in one place."""

    # Before the fix: how many lines of the hunk stand before it; and after the fix.
    old_at: int
    new_at: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


def groups_of(hunk: Hunk) -> tuple[Group, ...]:
    """The changes of a hunk, in its order."""
    found: list[Group] = []
    old = new = 0
    removed: list[str] = []
    added: list[str] = []
    for line in (*hunk.lines, None):
        if line is not None and line.mark != " ":
            (removed if line.mark == "-" else added).append(line.text)
            continue
        if removed or added:
            found.append(Group(old, new, tuple(removed), tuple(added)))
            old, new = old + len(removed), new + len(added)
            removed, added = [], []
        old, new = old + 1, new + 1
    return tuple(found)


class Laid:
    """A snippet on a file."""

    def __init__(self, tokens: Sequence[Token], today: Today, spot: Spot) -> None:
        self.tokens, self.today, self.spot = tokens, today, spot
        self.naming: Naming = naming(tokens, today.tokens, spot)
        self._by_line: dict[int, list[int]] = {}
        for index, token in enumerate(tokens):
            self._by_line.setdefault(token.line, []).append(index)

    @cached_property
    def owners(self) -> dict[str, str]:
        """Variables of the snippet that belong to an object today, all of them: `conn` is `self.conn`."""
        found: dict[str, set[str]] = {}
        for index, token in enumerate(self.tokens):
            if self._is_variable(index) and (image := self.image(index)) >= 0:
                found.setdefault(token.key, set()).add(self._owner(image))
        return {name: owners.pop() for name, owners in found.items() if len(owners) == 1 and "" not in owners}

    def _is_variable(self, index: int) -> bool:
        token = self.tokens[index]
        return token.sort is Sort.NAME and not token.is_member and not (index and self.tokens[index - 1].key == ".")

    def _owner(self, image: int) -> str:
        """The object that a name of the file is read from; Go has no word of its own for it."""
        file = self.today.tokens
        if image < 2 or file[image - 1].key != "." or (image > 2 and file[image - 3].key == "."):
            return ""
        owner = file[image - 2].key
        return owner if owner in ("self", "this") or self.today.tongue is Tongue.GO else ""

    def image(self, index: int) -> int:
        """The token of the file that stands for one of the snippet; -1: none does."""
        return -1 if index in self.naming.strays else self.spot.images[index]

    def place(self, index: int) -> int:
        """The same, where a string that was only reworded counts."""
        at = self.spot.images[index]
        if at < 0 or index not in self.naming.strays:
            return at
        token, image = self.tokens[index], self.today.tokens[at]
        is_text = token.sort is Sort.STRING and image.sort is Sort.STRING
        return at if is_text and texts_alike(token.key, image.key) else -1

    def of_lines(self, first: int, after: int) -> list[int]:
        """The snippet's tokens in some of its lines."""
        return [index for line in range(first, after) for index in self._by_line.get(line, ())]

    def images(self, first: int, after: int) -> list[int]:
        """What stands for some of the snippet's lines, in order, with the object that a variable belongs to today."""
        found: set[int] = set()
        for index in self.of_lines(first, after):
            image = self.image(index)
            if image < 0:
                continue
            found.add(image)
            if self._is_variable(index) and self.tokens[index].key in self.owners:
                found |= {image - 1, image - 2}
        return sorted(found)

    def missing(self, indexes: Iterable[int]) -> list[int]:
        """The tokens that nothing stands for; a comma at the end of its line may be there for form only."""
        return [
            one
            for one in indexes
            if self.image(one) < 0
            and not (
                self.tokens[one].key == ","
                and (one + 1 == len(self.tokens) or self.tokens[one + 1].line > self.tokens[one].line)
            )
        ]

    def support(self, indexes: Iterable[int] | None = None) -> float:
        """The share of what some tokens tell (or all of them) that is there today; 1 where they tell nothing."""
        chosen = range(len(self.tokens)) if indexes is None else list(indexes)
        told = [(WEIGHTS[self.tokens[one].sort], self.image(one) >= 0) for one in chosen]
        whole = sum(weight for weight, _ in told)
        return sum(weight for weight, is_there in told if is_there) / whole if whole else 1.0


def lay(lines: Sequence[str], today: Today, *, score_min: float) -> tuple[Laid, ...]:
    """Where one side of a hunk may be in a file, the likeliest first."""
    tokens = lex(_whole("\n".join(lines), today.tongue), today.tongue)
    found = spots(tokens, today.tokens, renames=has_grammar(today.tongue), score_min=score_min)
    return tuple(Laid(tokens, today, spot) for spot in found)


def _whole(text: str, tongue: Tongue) -> str:
    """A snippet of Python whose docstring was torn in two, with the quotes that are missing before or behind it."""
    quote = '"""' if text.count('"""') % 2 else "'''" if text.count("'''") % 2 else ""
    if tongue is not Tongue.PYTHON or not quote:
        return text
    begun, open_end = f"{quote}{text}", f"{text}{quote}"
    return min(begun, open_end, key=lambda one: faults(dedent(one), tongue))


def changed(removed: Sequence[Token], added: Sequence[Token]) -> list[tuple[str, int, int, int, int]]:
    """How a run of tokens became another, as difflib's opcodes."""
    matcher = SequenceMatcher(None, [one.key for one in removed], [one.key for one in added], autojunk=False)
    return list(matcher.get_opcodes())


def telling(tokens: Iterable[Token]) -> float:
    """How much some tokens tell, punctuation and comments aside."""
    return sum(WEIGHTS[token.sort] for token in tokens if token.sort not in (Sort.MARK, Sort.COMMENT))
