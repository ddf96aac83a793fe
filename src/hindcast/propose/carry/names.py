"""What names of the past are called today, learnt from a snippet that was laid against the code."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from hindcast.propose.carry.align import Spot
from hindcast.propose.carry.lex import Sort, Token

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Two names this alike are one name that somebody made longer or shorter.
ALIKE_MIN = 0.5
# Two strings this alike are one. A query of another table is less.
TEXTS_ALIKE_MIN = 0.85


@dataclass(frozen=True, slots=True)
class Naming:
    """Old names and today's, and the tokens of the snippet whose counterpart is something else altogether."""

    # By name and by whether it is a member: a variable `id` and a field `id` are two names.
    today: Mapping[tuple[str, bool], str]
    strays: frozenset[int]
    # Names that stand for themselves in one place and for something else in another.
    torn: frozenset[str] = frozenset()

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """What is called otherwise."""
        return tuple(sorted({(old, new) for (old, _), new in self.today.items() if old != new}))

    def of(self, name: str, *, is_member: bool) -> str:
        """What a name is called today, as far as anybody knows."""
        return self.today.get((name, is_member), name)


def naming(snippet: Sequence[Token], file: Sequence[Token], spot: Spot) -> Naming:
    """The names that stand for each other throughout; a pair that contradicts the others is a difference instead."""
    votes: dict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for token, image in zip(snippet, spot.images, strict=True):
        if image >= 0 and token.sort is Sort.NAME:
            votes[token.key, token.is_member][file[image].key] += 1
    kept = {(old, member) for (old, member), counts in votes.items() if old in counts}
    today: dict[tuple[str, bool], str] = {}
    taken: dict[tuple[str, bool], str] = {}
    for (old, member), counts in sorted(votes.items(), key=lambda item: (-max(item[1].values()), item[0])):
        new = old if old in counts else counts.most_common(1)[0][0]
        if new != old and ((new, member) in kept or taken.get((new, member), old) != old):
            continue
        if new != old and not _credible(old, new, snippet, spot, file, member=member):
            continue
        today[old, member] = new
        taken[new, member] = old
    strays = {
        index
        for index, (token, image) in enumerate(zip(snippet, spot.images, strict=True))
        if image >= 0 and not _stands(token, file[image], today)
    }
    torn = {old for (old, _), counts in votes.items() if len(counts) > 1}
    return Naming(today, frozenset(strays), frozenset(torn))


def texts_alike(one: str, other: str) -> bool:
    """Whether two strings of code are one that somebody reworded a little."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= TEXTS_ALIKE_MIN


def alike(one: str, other: str) -> float:
    """How much two names share, 0 to 1: `release_conn` and `releaseConnection` are one name."""
    first, second = _parts(one), _parts(other)
    numbers = [[part for part in parts if part.isdigit()] for parts in (first, second)]
    # `is_ipv4` and `is_ipv6` are two things.
    if not first or not second or numbers[0] != numbers[1]:
        return 0.0
    shared = sum(any(_same(part, each) for each in second) for part in first)
    return shared / max(len(first), len(second))


def same_function(one: str, other: str) -> bool:
    """Whether a function was only given a longer or shorter name: `thumb` and `make_thumbnail`, not two `install_…`.

    `aread` is no other name for `read`: where one is, there mostly is the other.
    """
    short, long = sorted((_parts(one), _parts(other)), key=len)
    within = all(any(_is_short_for(part, each) or _is_short_for(each, part) for each in long) for part in short)
    return one == other or (bool(short) and within and alike(one, other) > 0)


def _is_short_for(part: str, whole: str) -> bool:
    return part == whole or (len(part) >= 3 and whole.startswith(part))


def _is_given(snippet: Sequence[Token], index: int) -> bool:
    """Whether a name gets its value here: it stands left of what assigns, so nobody outside knows it."""
    for token in snippet[index + 1 : index + 8]:
        if token.line != snippet[index].line or (token.sort is not Sort.NAME and token.key not in (",", "=", ":=")):
            return False
        if token.key in ("=", ":="):
            return not snippet[index].is_member
    return False


def _is_longer(one: str, other: str) -> bool:
    """Whether a name is another one with words added at its end: `get_user_by_id` of `get_user`."""
    short, long = sorted((_parts(one), _parts(other)), key=len)
    return bool(short) and all(_same(part, each) for part, each in zip(short, long, strict=False))


def _same(part: str, other: str) -> bool:
    """Whether two parts of names are one word: `conn` is `connection`, `aclose` waits for `close`."""
    short, long = sorted((part, other), key=len)
    return short == long or (len(short) >= 3 and long.startswith(short)) or long == f"a{short}"


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PARTS.findall(name)]


def _stands(token: Token, image: Token, today: Mapping[tuple[str, bool], str]) -> bool:
    if token.sort is not image.sort:
        return False
    if token.key == image.key:
        return True
    if token.sort is Sort.NAME:
        return today.get((token.key, token.is_member)) == image.key
    if token.sort is Sort.STRING:
        return _braced(token.key, today) == image.key
    return token.sort is Sort.COMMENT


def _braced(text: str, today: Mapping[tuple[str, bool], str]) -> str:
    """A text with the names that it puts in as they are called today."""
    return re.sub(r"(?<=\{)[^\W\d]\w*", lambda found: today.get((found.group(), False), found.group()), text)


def _credible(old: str, new: str, snippet: Sequence[Token], spot: Spot, file: Sequence[Token], *, member: bool) -> bool:
    """Whether a new name is the old thing: names that others know must look alike, a local one may be any."""
    places = [
        index
        for index, token in enumerate(snippet)
        if token.sort is Sort.NAME and token.key == old and token.is_member == member and spot.images[index] >= 0
    ]
    is_known = member or any(snippet[index].is_called for index in places)
    is_known = is_known and not any(_is_given(snippet, index) for index in places)
    # A function's name and an attribute are known outside of these lines.
    is_known = is_known or any(
        index and snippet[index - 1].key in (".", "def", "func", "function", "class") for index in places
    )
    if (_is_longer(old, new) or alike(old, new) > ALIKE_MIN) if is_known else alike(old, new) >= ALIKE_MIN:
        return True
    if is_known:
        return False
    # The lines it stands in have to be the same otherwise.
    lines = {snippet[index].line for index in places}
    rest = [
        index
        for index, token in enumerate(snippet)
        if token.line in lines
        and token.sort in (Sort.NAME, Sort.STRING, Sort.KEYWORD, Sort.NUMBER)
        and token.key != old
    ]
    same = sum(spot.images[index] >= 0 and file[spot.images[index]].key == snippet[index].key for index in rest)
    return len(rest) > 0 and same >= 0.5 * len(rest)
