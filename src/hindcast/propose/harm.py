"""What made a failure worse, held against what a change would set: by its words, its key, and its value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hindcast.model.action import ActionKey, action_key, key_similarity, same_action
from hindcast.model.action_words import Deed
from hindcast.model.case import Outcome
from hindcast.model.recollection import Familiarity
from hindcast.propose.dealt import hunks_of
from hindcast.propose.settings.entry import words_of
from hindcast.propose.settings.quantity import UNIT_WORDS, quantity, same_value
from hindcast.propose.settings.reading import is_configuration, settings_in
from hindcast.propose.settings.wish import Wish, phrase, told, wishes
from hindcast.propose.sheet import Sheet

# How alike the object of a sentence and a key have to be: sharing one general word is not enough.
LIKENESS_MIN = 0.82
_SET = re.compile(r"(?P<key>[A-Za-z_][\w.-]{0,200})[\"']?\s*(?::=|[:=])\s*[\"']?(?P<value>[+-]?\d[\w.%]*)")
_GROWING = (Deed.RAISE, Deed.SCALE_UP)
_SHRINKING = (Deed.LOWER, Deed.SCALE_DOWN)


@dataclass(frozen=True, slots=True)
class Harm:
    """Something that was tried for this failure and did harm, or nothing."""

    action: str
    # The sentence that says so, where there is one.
    said: str
    evidence: tuple[str, ...]
    config: str = ""
    # False: it had no effect.
    made_worse: bool = True

    @property
    def told(self) -> str:
        """What happened, in words that name the record."""
        where = ", ".join(dict.fromkeys(ref.partition("@")[0] for ref in self.evidence)) or "a past incident"
        did = "made it worse" if self.made_worse else "had no effect"
        return f"“{self.action.strip().rstrip('.')}” {did} in {where}."


@dataclass(frozen=True, slots=True)
class Turned:
    """A number that a change sets: its key with what it hangs below, what it was, and what it would be."""

    path: tuple[str, ...]
    was: str
    value: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its key."""
        return words_of(*self.path)


def harms_of(sheet: Sheet) -> tuple[Harm, ...]:
    """What memory says not to try: the answer's own list first, then every attempt that made it worse."""
    found = [
        Harm(
            one.action,
            " ".join((*one.happened, *one.remarks)[:1]),
            one.evidence[:1],
            one.config,
            made_worse=bool(one.made_worse),
        )
        for one in sheet.diagnosis.avoid
        # What people only said not to try is held against what they rejected, which tells it more exactly.
        if one.made_worse or (one.no_effect and not one.worked)
    ]
    for one in sheet.recollection.remembered:
        if one.familiarity is Familiarity.NEW:
            continue
        # A case that was superseded no longer says what helps; what did harm then is no less harmful for it.
        found += [
            Harm(attempt.action, _quote(attempt.evidence), (f"{one.address}@{one.version}",), attempt.config)
            for attempt in one.case.attempts
            if attempt.outcome is Outcome.MADE_WORSE
        ]
    return tuple(found)


def _quote(evidence: Sequence[object]) -> str:
    return str(getattr(evidence[0], "quote", "")) if evidence else ""


def is_repeated(harm: Harm, action: str, turned: Sequence[Turned]) -> bool:
    """Whether a change does again what did harm: in the same words, or by setting the same thing as badly."""
    if action and same_action(action, harm.action):
        return True
    return any(_is_as_bad(harm, one) for one in turned)


def _is_as_bad(harm: Harm, turned: Turned) -> bool:
    kind = action_key(harm.action).deed
    for wish in wishes(harm.config) or told(harm.action):
        if _is_same_key(wish, turned):
            return _is_beyond(kind, turned, wish.value, wish.words)
    if not _is_object(harm.action, turned):
        return False
    said = phrase(harm.action)
    if said is not None:
        return _is_beyond(kind, turned, said.value, turned.words if said.value.isdigit() else ())
    # No number was told: any step in the direction that did harm is one step too many.
    direction = _direction(turned)
    return direction is not None and direction is kind


def _is_beyond(kind: Deed, turned: Turned, value: str, words: tuple[str, ...]) -> bool:
    """Whether a change sets the very value that did harm, or goes beyond it in the direction that did."""
    if same_value(value, words, turned.value, turned.words):
        return True
    bad, new = quantity(value, words), quantity(turned.value, turned.words)
    if bad is None or new is None or bad.family != new.family:
        return False
    direction = _direction(turned)
    if kind in _GROWING:
        return direction is Deed.RAISE and new.amount > bad.amount
    return kind in _SHRINKING and direction is Deed.LOWER and new.amount < bad.amount


def _direction(turned: Turned) -> Deed | None:
    was, new = quantity(turned.was, turned.words), quantity(turned.value, turned.words)
    if was is None or new is None or was.family != new.family or was.amount == new.amount:
        return None
    return Deed.RAISE if new.amount > was.amount else Deed.LOWER


def _is_same_key(wish: Wish, turned: Turned) -> bool:
    wanted, there = wish.words, turned.words
    shared = min(len(wanted), len(there))
    return shared > 0 and wanted[-shared:] == there[-shared:] and (shared > 1 or len(wanted) == len(there))


def _is_object(action: str, turned: Turned) -> bool:
    """Whether an action in words is about what a key counts."""
    meant = action_key(action)
    # In which unit a key counts is no part of what it counts.
    words = tuple(word for word in words_of(*turned.path[-2:]) if word not in UNIT_WORDS)
    key = action_key(f"raised the {' '.join(words)}").words
    return bool(meant.words and key) and key_similarity(meant, ActionKey(meant.deed, key)) >= LIKENESS_MIN


@lru_cache(maxsize=256)
def turned_by(path: str, before: str, after: str) -> tuple[Turned, ...]:
    """The numbers that a change of a file sets."""
    if is_configuration(path):
        return tuple(_in_settings(path, before, after))
    return tuple(_in_lines(before, after))


def _in_settings(path: str, before: str, after: str) -> Iterator[Turned]:
    """By the keys of a file of settings, each with what it hangs below."""
    old = {(one.scope, one.path): one.value for one in settings_in(path, before)}
    for one in settings_in(path, after):
        was = old.get((one.scope, one.path), "")
        if was != one.value:
            yield Turned(one.path, was, one.value)


def _in_lines(before: str, after: str) -> Iterator[Turned]:
    """By what the lines of code that are taken out and put in say: `max_connections=50`."""
    for hunk in hunks_of(before, after):
        old = {found["key"]: found["value"] for row in hunk.lines if row[0] == "-" for found in _SET.finditer(row[1:])}
        for row in hunk.lines:
            if row[0] != "+":
                continue
            for found in _SET.finditer(row[1:]):
                key, value = found["key"], found["value"].rstrip(".")
                if old.get(key, "") != value:
                    yield Turned(tuple(part for part in key.split(".") if part), old.get(key, ""), value)
