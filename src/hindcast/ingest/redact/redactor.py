"""Takes secrets out of texts, columns of texts and columns of attributes.

A column is first looked through in one pass that runs in C++ and finds the few rows that may hold a secret; only those
are read rule by rule. What comes out is the same as reading every row: `column(x)[i] == text(x[i])`.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import takewhile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.redact.named import NAMED_RULES, kind_of_name
from hindcast.ingest.redact.personal import OPTIONAL_RULES, PERSONAL_RULES
from hindcast.ingest.redact.rule import Match, Rule, placeholder, secret_group
from hindcast.ingest.redact.shapes import SHAPE_RULES
from hindcast.model.errors import Malformed
from hindcast.model.record import Json

# Private keys first: they may hold anything. Shapes before names, so that an `api_key=…` says whose key it was.
DEFAULT_RULES: tuple[Rule, ...] = (*SHAPE_RULES, *NAMED_RULES, *PERSONAL_RULES)

# Taking one secret out can uncover another right beside it. Two rounds are common (the second finds nothing); more
# than a few only happen to texts made for it.
ROUNDS_MAX = 16

# Looking through a column begins with half a millisecond for making the search; this little is read sooner than that.
FEW_BYTES = 2048

# What is longer and no secret is passed over as a whole: looking into it again and again would take time by its square.
LOOK_INSIDE_CHARS_MAX = 1024


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


class Redactor:
    """Finds and replaces secrets by a list of rules, applied in order. Holds no state between calls."""

    def __init__(self, rules: Sequence[Rule] = DEFAULT_RULES, *, allow: Collection[str] = ()) -> None:
        self._rules = tuple((rule, re.compile(rule.pattern, re.ASCII)) for rule in rules)
        self._allow_exactly = frozenset(value for value in allow if "*" not in value)
        self._allow_like = tuple(value for value in allow if "*" in value)
        self._kinds = frozenset(rule.kind for rule in rules)
        known = sorted({*self._kinds, *(rule.kind for rule in (*DEFAULT_RULES, *OPTIONAL_RULES))})
        self._placeholder = re.compile(re.escape(placeholder("|")).replace(r"\|", "(?:" + "|".join(known) + ")"))
        hints = [rule.hint for rule in rules]
        self._hint = "|".join(dict.fromkeys(hints)) if all(hints) else None

    @classmethod
    def chosen(
        cls,
        *,
        on: Collection[str] = (),
        off: Collection[str] = (),
        allow: Collection[str] = (),
        patterns: Mapping[str, str] | None = None,
    ) -> Redactor:
        """As settings say: optional kinds on, kinds off, values to leave alone, and patterns of one's own by kind."""
        own = tuple(Rule(kind, pattern) for kind, pattern in (patterns or {}).items())
        optional = frozenset(rule.kind for rule in OPTIONAL_RULES)
        known = frozenset(rule.kind for rule in (*DEFAULT_RULES, *own))
        _all_known("on", on, optional)
        _all_known("off", off, known | optional)
        rules = (*DEFAULT_RULES, *(rule for rule in OPTIONAL_RULES if rule.kind in on), *own)
        return cls([rule for rule in rules if rule.kind not in off], allow=allow)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of secrets that are looked for."""
        return self._kinds

    def text(self, text: str) -> Redacted:
        """One text without its secrets."""
        counts: Counter[str] = Counter()
        return Redacted(self._clean(text, counts), dict(counts))

    def column(self, values: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, dict[str, int]]:
        """A column of texts (null stays null) without their secrets, and how many of each kind were taken out."""
        counts: Counter[str] = Counter()
        return self._column(_whole(values), counts), dict(counts)

    def attributes(self, values: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, dict[str, int]]:
        """A column of maps without secrets: what a name promises to be one is replaced, other values are read."""
        counts: Counter[str] = Counter()
        maps = _whole(values)
        if len(maps) == 0:
            return maps, {}
        # The children of a slice are whole, its offsets are not.
        first, last = maps.offsets[0].as_py(), maps.offsets[-1].as_py()
        names, items = maps.keys.slice(first, last - first), maps.items.slice(first, last - first)
        cleaned = self._column(self._by_name(names, items, counts), counts)
        if not counts:
            return maps, {}
        offsets = pc.subtract(maps.offsets, pa.scalar(first, pa.int32())) if first else maps.offsets
        if maps.null_count:
            absent = np.append(maps.is_null().to_numpy(zero_copy_only=False), False)
            offsets = pa.array(offsets.to_numpy(), mask=absent, type=pa.int32())
        made = pa.MapArray.from_arrays(offsets, names, cleaned, type=maps.type)
        return made, dict(counts)

    def named(self, name: str, value: str) -> Redacted:
        """One attribute's value without its secrets, or without itself when its name promises a secret."""
        kind = kind_of_name(name)
        if kind not in self._kinds or not value or self._is_allowed(value):
            return self.text(value)
        hidden = placeholder(kind or "")
        return Redacted(hidden, {} if value == hidden else {kind or "": 1})

    def document(self, value: Json, *, keep: Collection[str] = (), name: str = "") -> tuple[Json, dict[str, int]]:
        """Plain values, as JSON has them, without their secrets: each text is read by the name it stands under.

        What stands under a name of `keep` stays.
        """
        counts: Counter[str] = Counter()
        return self._document(value, name, frozenset(keep), counts), dict(counts)

    def _document(self, value: Json, name: str, keep: frozenset[str], counts: Counter[str]) -> Json:
        if isinstance(value, dict):
            return {key: self._document(inside, key, keep, counts) for key, inside in value.items()}
        if isinstance(value, list | tuple):
            return [self._document(inside, name, keep, counts) for inside in value]
        if not isinstance(value, str) or name in keep:
            return value
        done = self.named(name, value)
        counts.update(done.counts)
        return done.text

    def _by_name(self, names: pa.Array, items: pa.Array, counts: Counter[str]) -> pa.Array:
        """Replace every value whose name promises a secret. Names are few and repeat, so each is judged once."""
        encoded = names.dictionary_encode()
        kinds = [kind_of_name(name) for name in encoded.dictionary.to_pylist()]
        promised = [kind if kind in self._kinds else None for kind in kinds]
        if not any(promised):
            return items
        hidden = pa.array([placeholder(kind) if kind else None for kind in promised], items.type)
        instead = hidden.take(encoded.indices)
        wanted = pc.and_(instead.is_valid(), pc.fill_null(pc.not_equal(items, ""), False))
        wanted = pc.and_(wanted, pc.fill_null(pc.not_equal(items, instead), False))
        places = np.flatnonzero(wanted.to_numpy(zero_copy_only=False))
        if self._allow_exactly or self._allow_like:
            places = np.array([at for at in places if not self._is_allowed(items[int(at)].as_py())], dtype=np.int64)
        if len(places) == 0:
            return items
        indices = encoded.indices.take(pa.array(places)).to_numpy()
        counts.update(str(promised[index]) for index in indices)
        return _replaced(items, places, instead.take(pa.array(places)))

    def _column(self, array: pa.Array, counts: Counter[str]) -> pa.Array:
        sizes = pc.binary_length(array)
        size = pc.sum(sizes).as_py() or 0
        if size == 0 or not self._rules:
            return array
        if self._hint is None or size <= FEW_BYTES:
            found = pc.greater(sizes, 0)
        else:
            found = pc.match_substring_regex(array, self._hint)
        places = np.flatnonzero(pc.fill_null(found, False).to_numpy(zero_copy_only=False))
        if len(places) == 0:
            return array
        before = array.take(pa.array(places)).to_pylist()
        after = [self._clean(text, counts) for text in before]
        changed = [number for number, text in enumerate(after) if text is not before[number]]
        if not changed:
            return array
        return _replaced(array, places[changed], pa.array([after[number] for number in changed], array.type))

    def _clean(self, text: str, counts: Counter[str]) -> str:
        """The very same text if there is nothing to take out."""
        lowered = text.lower()
        # A rule whose words are not there now finds nothing later either: what is put in never begins a match.
        able = [one for one in self._rules if not one[0].words or _any_in(one[0].words, lowered)]
        for _ in range(ROUNDS_MAX):
            before = text
            for rule, pattern in able:
                text = self._without(rule, pattern, text, counts)
            if text is before:
                break
        return text

    def _without(self, rule: Rule, pattern: re.Pattern[str], text: str, counts: Counter[str]) -> str:
        spans = list(self._spans(rule, pattern, text))
        if not spans:
            return text
        pieces: list[str] = []
        end = 0
        for start, stop in spans:
            pieces += (text[end:start], rule.placeholder)
            end = stop
        counts[rule.kind] += len(spans)
        return "".join((*pieces, text[end:]))

    def _spans(self, rule: Rule, pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
        """Where the secrets of one rule stand. What is already hidden is left alone, or swallowed whole."""
        match, last = pattern.search(text), 0
        hidden = deque(found.span() for found in self._placeholder.finditer(text) if match)
        while match is not None:
            begin, end = match.span()
            start, stop = match.span(secret_group(match))
            while hidden and hidden[0][1] <= begin:
                hidden.popleft()
            if hidden and hidden[0][0] < begin:
                # The name of a kind is not the name of a value: [redacted:api-key]: denied.
                onwards = hidden[0][1]
            elif start < stop and self._is_secret(rule, match):
                onwards = end
                touching = _touching(hidden, start, stop)
                if not any(left <= start and stop <= right for left, right in touching):
                    if touching:
                        start, stop = max(last, min(start, touching[0][0])), max(stop, touching[-1][1])
                    yield start, stop
                    last = stop
            elif end - begin > LOOK_INSIDE_CHARS_MAX:
                onwards = end
            else:
                # What turns out to be no secret may have one inside.
                onwards = start
            match = pattern.search(text, max(onwards, begin + 1))

    def _is_secret(self, rule: Rule, match: Match) -> bool:
        if rule.accepts is not None and not rule.accepts(match):
            return False
        return not self._is_allowed(match[secret_group(match)])

    def _is_allowed(self, value: str) -> bool:
        return value in self._allow_exactly or any(fnmatchcase(value, like) for like in self._allow_like)


def _all_known(setting: str, kinds: Collection[str], known: Collection[str]) -> None:
    for kind in kinds:
        if kind not in known:
            raise Malformed(
                f"There is no kind of secret called {kind!r} to switch {setting}.",
                field=setting,
                remedy=f"Use one of: {', '.join(sorted(known))}.",
            )


def _touching(hidden: Iterable[tuple[int, int]], start: int, stop: int) -> list[tuple[int, int]]:
    """Which of some stretches, in order, share a character with the one from start to stop."""
    return [span for span in takewhile(lambda span: span[0] < stop, hidden) if span[1] > start]


def _any_in(words: tuple[str, ...], text: str) -> bool:
    # Plain, because this is asked dozens of times for each text, and a generator would take thrice as long.
    for word in words:  # noqa: SIM110
        if word in text:
            return True
    return False


def _whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        joined = values.combine_chunks()
        return joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)
    return values


def _replaced(array: pa.Array, places: np.ndarray[tuple[int], np.dtype[np.int64]], instead: pa.Array) -> pa.Array:
    mask = np.zeros(len(array), dtype=bool)
    mask[places] = True
    return pc.replace_with_mask(array, pa.array(mask), instead)
