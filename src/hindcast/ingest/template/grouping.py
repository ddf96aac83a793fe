"""Grouping: finds the template that a message belongs to, and learns by comparing which words vary.

Two messages whose fixed chunks are the same have the same template from the start. Beyond that, a chunk becomes
variable when it is seen with other values while all the rest stays the same: at once where values are expected (after
`=`, in quotes, after `user`), after a while where words are. What was joined is never taken apart again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from hindcast.ingest.template.reading import DELIMITERS, VARIABLE

Forms = tuple[str, ...]

# Words that are followed by a name which somebody chose.
NAMED = frozenset({"user", "host", "username", "hostname"})
_LETTER = re.compile(r"[A-Za-z\u0080-\U0010ffff]")
_DIGIT = re.compile(r"[0-9]")
_FORM = re.compile(r"(?:<\*>|[^\s,;:=|\"'()\[\]{}<>])+|.", re.ASCII | re.DOTALL)
_QUOTES = frozenset("\"'")


@dataclass(slots=True, eq=False)
class Template:
    """What messages of one origin have in common. Its id is made from its first key and never changes."""

    id: int
    forms: list[str]
    key: Forms
    # The batch in which it was last seen, which is how the longest unused ones are found.
    used_at: int = 0
    # How many of its chunks were words before they were found to vary.
    opened: int = 0
    # Where it went when it turned out to be the same as another.
    joined: Template | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """What a person reads."""
        return "".join(self.forms)


class Groups:
    """All templates there are, found by their keys."""

    def __init__(self, *, words_distinct_max: int) -> None:
        self._words_distinct_max = words_distinct_max
        self.by_id: dict[int, Template] = {}
        # Templates that are new or read differently, since somebody last asked.
        self.changed: dict[int, Template] = {}
        self._by_key: dict[Forms, Template] = {}
        # For each key with one chunk left open, the templates that differ in nothing but that chunk.
        self._by_mask: dict[int, list[Template]] = {}
        # For each number of chunks, which sets of places are variable in some template of that length.
        self._open_places: dict[int, dict[tuple[int, ...], int]] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def known(self, number: int, text: str) -> None:
        """Take in a template of an earlier life, smallest id first: of several that read the same, the first stays."""
        forms = forms_of(text)
        key = key_of(forms)
        living = self._by_key.get(key)
        if living is None:
            self._enter(Template(number, forms, key))
        else:
            self._learn(living, forms)
            self.by_id[number] = Template(number, forms, key, joined=living)

    def find(self, forms: Sequence[str]) -> Template | None:
        """The template of a message, if there is one already; nothing is learnt from asking."""
        key = key_of(forms)
        return self._by_key.get(key) or self._fitting(key)

    def place(self, forms: Sequence[str]) -> Template:
        """The template of a message: one that fits, one that is widened so that it fits, or a new one."""
        key = key_of(forms)
        found = self._by_key.get(key) or self._fitting(key)
        if found is not None:
            self._learn(found, forms)
            return found
        made = Template(_id(key), list(forms), key)
        self._enter(made)
        self.changed[made.id] = made
        return self._compared(made)

    def _fitting(self, key: Forms) -> Template | None:
        """The template that is variable wherever this key differs from it; of several, the one with most words."""
        found = [*self._by_open_places(key), *self._beside(key)]
        return min(found, key=lambda template: (-_words(template.key), template.id), default=None)

    def forget(self, keep: int) -> None:
        """Forget the templates that were not used for the longest time. A forgotten one that returns has its old id."""
        living = sorted(self._by_key.values(), key=lambda template: template.used_at, reverse=True)
        self.by_id.clear()
        self._by_key.clear()
        self._by_mask.clear()
        self._open_places.clear()
        for template in living[:keep]:
            self._enter(template)

    def _learn(self, template: Template, forms: Sequence[str]) -> None:
        """Open the places in which this message reads differently; of a name, only its number."""
        for at, (own, form) in enumerate(zip(template.forms, forms, strict=True)):
            if own not in (form, template.key[at]):
                template.forms[at] = template.key[at]
                self.changed[template.id] = template

    def _enter(self, template: Template) -> None:
        self.by_id[template.id] = template
        self._by_key[template.key] = template
        for _, mask in _masks(template.key):
            self._by_mask.setdefault(mask, []).append(template)
        places = _open_places(template.key)
        if places:
            counts = self._open_places.setdefault(len(template.key), {})
            counts[places] = counts.get(places, 0) + 1

    def _leave(self, template: Template) -> None:
        del self._by_key[template.key]
        for _, mask in _masks(template.key):
            self._by_mask[mask].remove(template)
            if not self._by_mask[mask]:
                del self._by_mask[mask]
        places = _open_places(template.key)
        if places:
            counts = self._open_places[len(template.key)]
            counts[places] -= 1
            if not counts[places]:
                del counts[places]

    def _by_open_places(self, key: Forms) -> Iterator[Template]:
        """Templates that are variable wherever this key differs from them, and have at least as many words."""
        for places in self._open_places.get(len(key), ()):
            if any(key[at] in DELIMITERS for at in places):
                continue
            opened = list(key)
            differing = 0
            for at in places:
                differing += opened[at] != VARIABLE
                opened[at] = VARIABLE
            if (found := self._by_key.get(tuple(opened))) and differing <= _words(opened):
                yield found

    def _beside(self, key: Forms) -> Iterator[Template]:
        """Templates that differ from a key in one chunk, which is variable in them."""
        for at, mask in _masks(key):
            for other in self._by_mask.get(mask, ()):
                if other.key[at] == VARIABLE and _agrees(other.key, key, at) and _words(other.key):
                    yield other

    def _compared(self, made: Template) -> Template:
        """Join a new template with those that differ from it in one chunk, if there are enough of them."""
        for at, mask in _masks(made.key):
            alike = [other for other in self._by_mask.get(mask, ()) if _agrees(other.key, made.key, at)]
            # A template keeps as many words as it has lost; otherwise it would say nothing in the end.
            opened = 1 + max(other.opened for other in alike) if alike else 0
            if len(alike) < 2 or opened > _words(_with(made.key, at)):
                continue
            is_variable = any(other.key[at] == VARIABLE for other in alike)
            if is_variable or len(alike) > self._allowed(at):
                return self._join(alike, at)
        return made

    def _allowed(self, at: int) -> int:
        """How many words may stand in one place before it counts as variable; the first word says most of a message."""
        return self._words_distinct_max * (2 if at == 0 else 1)

    def _join(self, alike: list[Template], at: int) -> Template:
        """Make one template of several that differ in one chunk. The smallest id stays, whatever came first."""
        key = _with(alike[0].key, at)
        keeper = min(alike, key=lambda template: template.id)
        opened = 1 + max(template.opened for template in alike)
        joined = Template(keeper.id, list(keeper.forms), key, max(template.used_at for template in alike), opened)
        for template in alike:
            self._leave(template)
            self._learn(joined, template.forms)
        self._enter(joined)
        for template in alike:
            template.joined = joined
            self.changed[template.id] = template
            if template.id != joined.id:
                self.by_id[template.id] = template
        self.changed[joined.id] = joined
        return self._compared(joined)


def living(template: Template) -> Template:
    """The template that this one has become."""
    while template.joined is not None:
        template = template.joined
    return template


def forms_of(text: str) -> list[str]:
    """The chunks and delimiters of a template's text."""
    return _FORM.findall(text)


def key_of(forms: Sequence[str]) -> Forms:
    """What two messages must share to have one template: all chunks, but not the values, which are expected to vary."""
    key = list(forms)
    for at, form in enumerate(forms):
        if form in DELIMITERS or form == VARIABLE:
            continue
        if is_value(forms, at):
            key[at] = VARIABLE
        elif VARIABLE not in form and _DIGIT.search(form):
            key[at] = _DIGIT.sub(VARIABLE, form)
    return tuple(key)


def is_value(forms: Sequence[str], at: int) -> bool:
    """Whether a chunk stands where values do: after an equals sign, in quotes of its own, after the word `user`."""
    if not at:
        return False
    before = forms[at - 1]
    if before == "=":
        return True
    if before in _QUOTES:
        return at + 1 < len(forms) and forms[at + 1] == before
    return before == " " and at >= 2 and forms[at - 2].lower() in NAMED


def _id(key: Forms) -> int:
    """A number that the same key always has, and never 0, which means none."""
    digest = blake2b("".join(key).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little") or 1


def _masks(key: Forms) -> Iterator[tuple[int, int]]:
    """For each chunk of a key its place, and a number for the key without it."""
    whole = hash(len(key))
    hashes = [hash((at, form)) for at, form in enumerate(key)]
    for one in hashes:
        whole ^= one
    for at, form in enumerate(key):
        if form not in DELIMITERS:
            yield at, hash((whole ^ hashes[at], at))


def _agrees(left: Forms, right: Forms, at: int) -> bool:
    """Whether two keys are the same but for one chunk."""
    return left[:at] == right[:at] and left[at + 1 :] == right[at + 1 :]


def _with(key: Forms, at: int) -> Forms:
    return (*key[:at], VARIABLE, *key[at + 1 :])


def _words(forms: Iterable[str]) -> int:
    """How many chunks have letters of their own."""
    return sum(1 for form in forms if _LETTER.search(form))


def _open_places(key: Forms) -> tuple[int, ...]:
    return tuple(at for at, form in enumerate(key) if form == VARIABLE)
