"""Which of today's settings a wish means: the same key as each file writes it, where it counts most."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hindcast.model.action import ActionKey, action_key, key_similarity
from hindcast.model.code import SourceFile
from hindcast.propose.settings.entry import Setting, words_of
from hindcast.propose.settings.inner import defaulted
from hindcast.propose.settings.quantity import UNIT_WORDS, quantity, same_value
from hindcast.propose.settings.wish import Phrase, Wish

# Less alike than this is another key.
LIKENESS_MIN = 0.6
# How alike a sentence's object and a key have to be: sharing one general word is not enough.
_PHRASE_MIN = 0.82
# Keys this close in likeness are equally meant.
_EQUAL = 0.04

_PRODUCTION = re.compile(r"(?:^|[/._-])(?:prod|production|live|prd)(?=[/._-]|$)", re.I)
_REHEARSAL = re.compile(r"(?:^|[/._-])(?:staging|stage|stg|preprod|uat|qa)(?=[/._-]|$)", re.I)
_UNREAL = re.compile(
    r"(?:^|[/._-])(?:dev|development|local|tests?|testing|ci|examples?|samples?|dist|template|docs?|fixtures?)(?=[/._-]|$)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Match:
    """A setting of today that a wish means."""

    file: SourceFile
    setting: Setting
    likeness: float

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its key, with what it hangs below."""
        return words_of(*self.setting.path)


def standing(path: str) -> int:
    """How much a file counts: production 3, any 2, rehearsals 1, what only developers, tests and readers use 0."""
    if _PRODUCTION.search(path):
        return 3
    if _UNREAL.search(path):
        return 0
    return 1 if _REHEARSAL.search(path) else 2


def matches(wish: Wish, files: Iterable[tuple[SourceFile, Sequence[Setting]]]) -> tuple[Match, ...]:
    """The settings that a wish may mean, those most alike only, in the order of how much their files count."""
    found: list[Match] = []
    for file, settings in files:
        for one in settings:
            alike = likeness(wish, one)
            if alike >= LIKENESS_MIN and (settable := defaulted(one)) is not None:
                found.append(Match(file, settable, alike))
    most = max((one.likeness for one in found), default=0.0)
    return _ordered(one for one in found if one.likeness >= most - _EQUAL)


def phrase_matches(phrase: Phrase, files: Iterable[tuple[SourceFile, Sequence[Setting]]]) -> tuple[Match, ...]:
    """The numbers that a sentence may be about: by the words of their keys."""
    meant = action_key(phrase.text)
    known: dict[tuple[str, ...], float] = {}
    found: list[Match] = []
    for file, settings in files:
        for one in settings:
            if not one.value[:1].isdigit() or quantity(one.value, words_of(*one.path)) is None:
                continue
            key = words_of(*one.path[-2:])
            if key not in known:
                known[key] = _phrase_likeness(meant, key)
            alike = known[key]
            if alike >= _PHRASE_MIN and (settable := defaulted(one)) is not None:
                found.append(Match(file, settable, alike))
    return _ordered(found)


def _phrase_likeness(meant: ActionKey, key: Sequence[str]) -> float:
    """How likely a sentence's object is what a key counts."""
    # In which unit a key counts is no part of what it counts.
    words = action_key(f"raised the {' '.join(word for word in key if word not in UNIT_WORDS)}").words
    return key_similarity(meant, ActionKey(meant.deed, words)) if meant.words and words else 0.0


def likeness(wish: Wish, setting: Setting) -> float:
    """How likely a setting is the one that a wish names, 0 to 1."""
    wanted, there = wish.words, words_of(*setting.path)
    if not wanted or not there or is_other_document(wish, setting):
        return 0.0
    shared = min(len(wanted), len(there))
    if wanted[-shared:] != there[-shared:]:
        return 0.0
    if len(there) < len(wanted):
        # It was written down with more around it than there is here, as a manifest and a chart's values are.
        return 0.75 if shared >= 2 and len(setting.path) > 1 else 0.0
    own = len(words_of(setting.key))
    if shared < own:
        # `POOL_SIZE` may be `SHOP_POOL_SIZE` here; `size` is not.
        return 0.8 if shared >= 2 else 0.0
    exact = setting.path[-len(wish.path) :] == wish.path
    likely = 0.97 if exact else 0.93
    if shared == 1:
        return 0.7 if exact else 0.6
    return likely * _document(wish, setting)


def is_set(match: Match, value: str, words: Sequence[str]) -> bool:
    """Whether a setting has a value already."""
    return same_value(value, words, match.setting.value, match.words)


def _document(wish: Wish, setting: Setting) -> float:
    """A manifest of another name is less likely meant."""
    if len(wish.scope) < 2 or len(setting.scope) < 2 or wish.scope[1] == setting.scope[1]:
        return 1.0
    return 0.7


def is_other_document(wish: Wish, setting: Setting) -> bool:
    """Whether a wish and a setting belong to manifests of different kinds."""
    return bool(wish.scope and setting.scope) and wish.scope[0] != setting.scope[0]


def _ordered(found: Iterable[Match]) -> tuple[Match, ...]:
    return tuple(
        sorted(found, key=lambda one: (-standing(one.file.path), -one.likeness, one.file.path, one.setting.start))
    )
