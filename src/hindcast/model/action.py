"""Actions in one form: what was done, to what, whatever the wording.

"raised the pool size to 200", "bump max_connections on the pool" and "increasing redis pool" are one action; lowering
the same pool is another one, and the opposite. A key holds the kind of deed with its direction and the words of its
object. Two keys are compared, never only tested for equality: people name the same thing more or less exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from hindcast.model.action_words import BY_FORM, COMPARATIVES, SPLITS, Deed, Form, Sense, lemma, thing_of
from hindcast.model.action_words import words as word_set

# Two texts at least this alike are taken for the same action.
SAME_MIN = 0.6

# An action is a clause; whatever comes after so many characters does not say what was done.
ACTION_CHARS_MAX = 400

# What ends a clause, and with it the object of a verb.
_ENDS = word_set(
    "after because which but so then when while until since although though however as before once if unless via "
    "hoping whereas despite resulting causing making leading thereby"
)
# How many words may stand between a verb and its particle ("rolled the whole deployment back"), or between a verb and
# the object that tells its sense.
_GAP_WORDS_MAX = 6
_TOKEN = re.compile(r"[Rr]ate limit\w*|[A-Za-z][\w'’]*(?:[-./:][\w]+)*|\d(?:[\w.,%:-]*[\w%])?|[;,.:!?()\n—–]|--")
_WORD = re.compile(r"[A-Za-z]")
_SPLIT = re.compile(r"[_\-./:]+|(?<=[a-z0-9])(?=[A-Z])")
_FROM_TO = re.compile(
    r"\bfrom\s{1,200}\D{0,12}?(\d{1,200}(?:\.\d{1,200})?)\s{0,200}([a-z%]{0,200})\s*(?:\w+\s+){0,2}?to\s+\D{0,12}?(\d+(?:\.\d+)?)\s*([a-z%]*)",
    re.I,
)
_OPPOSITES = (
    (Deed.RAISE, Deed.LOWER),
    (Deed.SCALE_UP, Deed.SCALE_DOWN),
    (Deed.DISABLE, Deed.ENABLE),
    (Deed.STOP, Deed.START),
    (Deed.ADD, Deed.REMOVE),
    (Deed.DEPLOY, Deed.ROLL_BACK),
    (Deed.UPGRADE, Deed.ROLL_BACK),
)
# Deeds that people use one name of for the other, and how alike they are at best.
_NEAR = {
    frozenset((Deed.DEPLOY, Deed.FIX)): 0.7,
    frozenset((Deed.SET, Deed.RAISE)): 0.5,
    frozenset((Deed.SET, Deed.LOWER)): 0.5,
    frozenset((Deed.FAIL_OVER, Deed.REROUTE)): 0.8,
    frozenset((Deed.KILL, Deed.STOP)): 0.7,
    frozenset((Deed.RENEW, Deed.REPLACE)): 0.8,
    frozenset((Deed.FLUSH, Deed.CLEAN)): 0.7,
    frozenset((Deed.DISABLE, Deed.STOP)): 0.7,
    frozenset((Deed.ENABLE, Deed.START)): 0.7,
    frozenset((Deed.LOWER, Deed.THROTTLE)): 0.7,
    frozenset((Deed.CLEAN, Deed.REMOVE)): 0.7,
    frozenset((Deed.UPGRADE, Deed.DEPLOY)): 0.6,
    frozenset((Deed.RETRY, Deed.START)): 0.6,
}


class Kind(StrEnum):
    """How much a word of an object tells."""

    # What runs everywhere: a release, a pod, a service. Two actions that share only this share nothing.
    GENERIC = "generic"
    # A part that has one meaning where it stands: a pool, a timeout, a cache.
    PART = "part"
    # A product: redis, postgres.
    PRODUCT = "product"
    # Everything else: names that somebody chose.
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark of punctuation, with its place."""

    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        """The word as dictionaries spell it."""
        return self.text.lower()

    @property
    def is_word(self) -> bool:
        """Whether it is a word, rather than a number or punctuation."""
        return _WORD.match(self.text) is not None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A verb (or its noun) of operations found in a text."""

    deed: Deed
    form: Form
    # The verb in the past tense: "rolled back".
    past: str
    # Which token it is, and the token after its last word (a particle that follows at once counts as part of it).
    index: int
    after: int
    # The token of a particle that stands apart: "back" in "rolled the deployment back". None: there is none.
    particle: int | None = None


@dataclass(frozen=True, slots=True)
class ActionKey:
    """What was done, and to what, in one form. `deed` has a direction: raising and lowering are two deeds."""

    deed: Deed
    # The words of the object in one form, sorted: ("pool", "redis").
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.deed.value, *self.words))


def tokens_of(text: str) -> tuple[Token, ...]:
    """The words, numbers and marks of a text."""
    return tuple(Token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text))


def occurrences(tokens: Sequence[Token]) -> tuple[Occurrence, ...]:
    """Every verb of operations in a text, in its order, with the sense its object gives it."""
    found: list[Occurrence] = []
    taken = -1
    for index, token in enumerate(tokens):
        if index <= taken or not token.is_word:
            continue
        one = _occurrence(tokens, index)
        if one is not None:
            found.append(one)
            taken = one.after - 1
    return tuple(found)


@lru_cache(maxsize=16_384)
def action_key(text: str) -> ActionKey:
    """The canonical form of an action. A text without any known verb keeps its words and no deed but `other`."""
    tokens = tokens_of(text[:ACTION_CHARS_MAX])
    found = occurrences(tokens)
    if not found:
        deed = next((COMPARATIVES[token.low] for token in tokens if token.low in COMPARATIVES), Deed.OTHER)
        words = _object_words(deed, (token for token in tokens if token.is_word and token.low not in COMPARATIVES))
        return ActionKey(_scaled(deed, words), words)
    first = _telling(found)
    deed = first.deed
    after = _clause_after(tokens, first.after, skip=first.particle)
    words = _object_words(deed, after)
    if not words:
        # Passive voice and nouns: "the pool size was raised", "a cache flush".
        words = _object_words(deed, _clause_before(tokens, first.index))
    if deed in (Deed.SET, Deed.RAISE, Deed.LOWER):
        deed = _direction(text, deed)
    return ActionKey(_scaled(deed, words), words)


def similarity(a: str, b: str) -> float:
    """How likely two texts name the same action, 0 to 1. Opposite directions are 0."""
    return key_similarity(action_key(a), action_key(b))


def key_similarity(a: ActionKey, b: ActionKey) -> float:
    """How likely two keys name the same action, 0 to 1."""
    if a == b:
        return 1.0
    if Deed.OTHER in (a.deed, b.deed):
        return _alike(a.words, b.words) if a.deed is b.deed else 0.5 * _alike(a.words, b.words)
    verbs = 1.0 if a.deed is b.deed else _NEAR.get(frozenset((a.deed, b.deed)), 0.0)
    return verbs * _objects(a.words, b.words)


def same_action(a: str, b: str) -> bool:
    """Whether two texts name the same action."""
    return similarity(a, b) >= SAME_MIN


def opposite(a: str, b: str) -> bool:
    """Whether one of two actions undoes the other: raising a pool and lowering it."""
    one, other = action_key(a), action_key(b)
    pair = (one.deed, other.deed)
    return any(pair in (known, known[::-1]) for known in _OPPOSITES) and _objects(one.words, other.words) >= SAME_MIN


def kind_of(word: str) -> Kind:
    """How much a word of a key tells."""
    return Kind(thing_of(word)[1])


def _occurrence(tokens: Sequence[Token], index: int) -> Occurrence | None:
    """The verb at this token in the sense that fits best: with its particle first, then by its object."""
    for sense, form in BY_FORM.get(tokens[index].low, ()):
        if sense.particle:
            place = _particle(tokens, index, sense)
            if place is None:
                continue
            adjacent = place == index + 1
            after = place + 1 if adjacent else index + 1
            if _has_object(tokens, index, after, sense):
                return Occurrence(sense.deed, form, sense.past, index, after, None if adjacent else place)
        elif _has_object(tokens, index, index + 1, sense):
            return Occurrence(sense.deed, form, sense.past, index, index + 1)
    return None


def _particle(tokens: Sequence[Token], index: int, sense: Sense) -> int | None:
    """Where the particle of a verb stands, if it is there."""
    reach = index + (_GAP_WORDS_MAX if sense.particle in SPLITS else 1)
    for place in range(index + 1, min(reach + 1, len(tokens))):
        token = tokens[place]
        if token.low == sense.particle or (place == index + 1 and token.low in (f"{sense.particle}-", "-")):
            return place
        if not token.is_word or token.low in _ENDS or token.low in ("and", "or", "to"):
            return None
    return None


def _has_object(tokens: Sequence[Token], index: int, after: int, sense: Sense) -> bool:
    """Whether the object that a sense needs stands near: behind the verb, or before it in passive voice."""
    if not sense.objects:
        return True
    near = [*_clause_after(tokens, after), *_clause_before(tokens, index)[-4:]]
    return any(_wanted(part, sense.objects) for token in near[:12] for part in _parts(token.text))


def _wanted(part: str, objects: frozenset[str]) -> bool:
    word = lemma(part)
    return word in objects or thing_of(word)[0] in objects


def _clause_after(tokens: Sequence[Token], after: int, skip: int | None = None) -> list[Token]:
    """The words behind a verb that belong to its clause."""
    found: list[Token] = []
    for place in range(after, len(tokens)):
        token = tokens[place]
        if place == skip:
            continue
        if token.text in (";", ",", ".", ":", "!", "?", "(", "\n", "—", "–", "--") or token.low in _ENDS:
            break
        if token.low == "and" and place + 1 < len(tokens) and BY_FORM.get(tokens[place + 1].low):
            break
        if token.is_word:
            found.append(token)
    return found


def _clause_before(tokens: Sequence[Token], index: int) -> list[Token]:
    """The words before a verb that belong to its clause."""
    found: list[Token] = []
    for token in reversed(tokens[:index]):
        if not token.is_word and not token.text[0].isdigit():
            break
        if token.low in _ENDS:
            break
        if token.is_word:
            found.append(token)
    return found[::-1]


def _telling(found: Sequence[Occurrence]) -> Occurrence:
    """The verb that says what was done: the first that is more than a wish to set something or try it."""
    return next((one for one in found if one.deed is not Deed.SET), found[0])


def _parts(text: str) -> list[str]:
    """A name taken apart: `max_connections` is about connections."""
    return [part.lower() for part in _SPLIT.split(text) if part and _WORD.match(part)]


def _object_words(deed: Deed, tokens: Iterable[Token]) -> tuple[str, ...]:
    found: set[str] = set()
    for token in tokens:
        for part in _parts(token.text):
            word, kind = thing_of(lemma(part))
            if kind != "stop":
                found.add(word)
    if deed in (Deed.RAISE, Deed.LOWER, Deed.SET) and "connection" in found:
        # The number of connections and the size of their pool are one knob to those who turn it.
        found = (found - {"connection"}) | {"pool"}
    return tuple(sorted(found))


def _direction(text: str, deed: Deed) -> Deed:
    """Up or down, where the text gives both numbers."""
    match = _FROM_TO.search(text)
    if match is None or match.group(2).lower() != match.group(4).lower():
        return deed
    before, after = float(match.group(1)), float(match.group(3))
    if before == after:
        return deed
    return Deed.RAISE if after > before else Deed.LOWER


def _scaled(deed: Deed, words: tuple[str, ...]) -> Deed:
    """More replicas are a larger scale, whatever the verb."""
    if "replica" in words and "pool" not in words:
        return {Deed.RAISE: Deed.SCALE_UP, Deed.LOWER: Deed.SCALE_DOWN}.get(deed, deed)
    return deed


def _alike(a: Sequence[str], b: Sequence[str]) -> float:
    """The share of words in common."""
    return len(set(a) & set(b)) / len(set(a) | set(b)) if a or b else 1.0


def _objects(a: Sequence[str], b: Sequence[str]) -> float:
    """How likely two objects are the same thing, one of them perhaps named less exactly."""
    if not a or not b:
        # "rolled back" and "rolled back checkout": the one that says less may mean the other.
        return 0.8
    left, right = _sorted_out(a), _sorted_out(b)
    if _clash(left[Kind.PRODUCT], right[Kind.PRODUCT]):
        return 0.2
    shared = set(a) & set(b)
    if any(kind_of(word) in (Kind.PART, Kind.PRODUCT) for word in shared):
        parts_clash = _clash(left[Kind.PART], right[Kind.PART])
        return 0.4 if parts_clash else 0.7 + 0.3 * _alike(a, b)
    if any(kind_of(word) is Kind.NAME for word in shared):
        return 0.4 if _clash(left[Kind.PART], right[Kind.PART]) else 0.6 + 0.4 * _alike(a, b)
    ours = set(a) - left[Kind.GENERIC]
    theirs = set(b) - right[Kind.GENERIC]
    if not shared:
        # Two names for what may be one thing: "restart the workers", "restart celery".
        return 0.2 if ours and theirs else 0.5
    return 0.3 if _clash(ours, theirs) else 0.7


def _sorted_out(words: Iterable[str]) -> dict[Kind, set[str]]:
    found: dict[Kind, set[str]] = {kind: set() for kind in Kind}
    for word in words:
        found[kind_of(word)].add(word)
    return found


def _clash(a: set[str], b: set[str]) -> bool:
    """Whether both name something, and nothing in common."""
    if "database" in a | b:
        return False
    return bool(a) and bool(b) and not a & b
