"""A key that is nowhere yet: where its siblings live, and only there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hindcast.model.code import SourceFile
from hindcast.propose.settings.change import with_sibling
from hindcast.propose.settings.entry import Form, Setting, words_of
from hindcast.propose.settings.matching import LIKENESS_MIN, is_other_document, likeness, standing
from hindcast.propose.settings.wish import Wish

# A key that nobody has set here is a guess about what reads the file.
_SURE = 0.45


@dataclass(frozen=True, slots=True)
class Addition:
    """A file with a new line, and the sibling that stands before it."""

    file: SourceFile
    text: str
    line: int
    sibling: Setting
    confidence: float


def addition(wish: Wish, files: Iterable[tuple[SourceFile, Sequence[Setting]]]) -> Addition | None:
    """The one place where a key may be added; None where there is none, or more than one that counts as much."""
    if not wish.is_quoted:
        return None
    places: list[tuple[int, SourceFile, Setting]] = []
    for file, settings in files:
        if any(likeness(wish, one) >= LIKENESS_MIN for one in settings):
            # It is there, and its value comes from elsewhere.
            return None
        # Siblings of one parent are one place; the last of them is what the new line follows.
        last: dict[tuple[str, ...], Setting] = {}
        for one in settings:
            if is_sibling(wish, one):
                last[one.path[:-1]] = one
        places.extend((standing(file.path), file, one) for one in last.values())
    most = max((counts for counts, _, _ in places), default=0)
    best = [(file, one) for counts, file, one in places if counts == most]
    if len(best) != 1 or most == 0:
        return None
    file, sibling = best[0]
    made = with_sibling(file.path, file.text, sibling, wish.path[-1], wish.value)
    return Addition(file, made[0], made[1], sibling, _SURE) if made is not None else None


def may_have_siblings(wish: Wish) -> bool:
    """Whether anything can be a sibling of what is wanted; see `is_sibling`."""
    key = wish.path[-1]
    return len(wish.path) > 1 or "." in key or (key.isupper() and "_" in key)


def is_sibling(wish: Wish, setting: Setting) -> bool:
    """Whether a setting hangs below the same name as the one that is wanted."""
    if setting.form in (Form.FLAG, Form.CODE, Form.JSON) or is_other_document(wish, setting):
        return False
    parents = wish.path[:-1]
    if parents:
        return setting.path[:-1][-len(parents) :] == parents
    key, other = wish.path[-1], setting.key
    if "." in key and "." in other:
        return key.rpartition(".")[0] == other.rpartition(".")[0]
    # `REDIS_MAX_CONNECTIONS` beside `REDIS_URL`: names in capitals share their first word.
    first, second = words_of(key), words_of(other)
    return key.isupper() and other.isupper() and "_" in key and "_" in other and first[:1] == second[:1]
