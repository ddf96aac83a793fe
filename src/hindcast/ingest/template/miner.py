"""The miner: gives every message the number of its template, batch after batch, and never looks back.

It holds no lock. Whoever shares one between threads calls it under a lock of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.template.grouping import Groups, Template, forms_of, is_value, living
from hindcast.ingest.template.lines import Scratch, Text, cut, first_lines, present, slices
from hindcast.ingest.template.outline import outlines
from hindcast.ingest.template.reading import VARIABLE, Part, read
from hindcast.model.columns import Pattern
from hindcast.model.errors import Malformed, Missing

# The arrays for so many lines of usual length stay in a processor's cache.
LINES_AT_ONCE = 2_048
# Called without the ways around it: looking it up each time takes longer than what it does with a thousand lines.
_ENCODE = pc.get_function("dictionary_encode")


@dataclass(frozen=True, slots=True)
class TemplateLimits:
    """What one miner holds in memory, and how it decides. One configuration serves every system."""

    # A busy company's services have a few thousand. Beyond this the longest unused are forgotten.
    templates_max: int = 20_000
    # Outlines whose template is remembered; about 200 bytes each.
    outlines_max: int = 200_000
    # What is behind this in a line counts as variable.
    message_bytes_max: int = 4_096
    # Chunks and delimiters of one line; what is behind them counts as variable.
    chunks_per_message_max: int = 256
    # So many words are told apart in one place while all the rest stays the same. One more, and the place is variable.
    words_distinct_max: int = 8

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) < 1:
                raise Malformed(f"{name} is {getattr(self, name)}.", field=name, remedy="Give a number of 1 or more.")


DEFAULT_LIMITS = TemplateLimits()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Which parts of a message are fixed in its template, which vary, and why."""

    # None when the message has not been seen: the template is then what it would begin with.
    id: int | None
    template: str
    parts: tuple[Part, ...]


class Miner:
    """A streaming template miner. Ids are made from a template's first form, so that they survive restarts."""

    def __init__(self, known: Iterable[Pattern] = (), limits: TemplateLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._groups = Groups(words_distinct_max=limits.words_distinct_max)
        self.know(known)
        # Two generations: when the younger is full, the older is dropped. What is in use is always in one of them.
        self._young: dict[bytes, Template] = {}
        self._old: dict[bytes, Template] = {}
        self._batch = 0
        self._scratch = Scratch()

    def know(self, known: Iterable[Pattern]) -> None:
        """Take templates up that were kept, before the first message."""
        for pattern in sorted(known, key=lambda pattern: pattern.id):
            self._groups.known(pattern.id, pattern.text)
        self._groups.changed.clear()

    def assign(self, messages: Any) -> pa.Array:  # noqa: ANN401
        """The id of each message's template, never 0."""
        if isinstance(messages, pa.ChunkedArray):
            messages = messages.combine_chunks()
        if not (pa.types.is_string(messages.type) or pa.types.is_large_string(messages.type)):
            raise Malformed(
                f"Messages are {messages.type}, not text.", field="messages", remedy="Give an array of strings."
            )
        self._batch += 1
        parts = [self._assign(part) for part in slices(messages, LINES_AT_ONCE)]
        return pa.array(np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64))

    def _assign(self, messages: Any) -> Any:  # noqa: ANN401
        lines = present(messages)
        text = Text(lines, self._scratch)
        if text.longest > self._limits.message_bytes_max:
            lines = cut(lines, bytes_max=self._limits.message_bytes_max)
            text = Text(lines, self._scratch)
        outlined = outlines(text, self._scratch)
        if outlined is None:
            lines = first_lines(lines)
            outlined = outlines(Text(lines, self._scratch), self._scratch)
        encoded = _ENCODE.call([outlined])
        places = encoded.indices.to_numpy()
        found = self._find(encoded.dictionary.to_pylist(), lines, places)
        # Ids are read when all lines are known: what was joined meanwhile has one.
        ids: list[int] = []
        for template in found:
            alive = template if template.joined is None else living(template)
            alive.used_at = self._batch
            ids.append(alive.id)
        return np.array(ids, dtype=np.uint64)[places]

    def _find(self, distinct: list[bytes], lines: Any, places: Any) -> list[Template]:  # noqa: ANN401
        """The template of each outline. One that is new is found by reading the first line that has it."""
        found = [self._recall(outline) for outline in distinct]
        if None not in found:
            return cast("list[Template]", found)
        firsts = np.empty(len(distinct), dtype=np.int64)
        firsts[places[::-1]] = np.arange(len(places) - 1, -1, -1)
        for at, outline in enumerate(distinct):
            if found[at] is None:
                template = self._mine(lines[int(firsts[at])].as_buffer().to_pybytes())
                self._remember(outline, template)
                found[at] = template
        return cast("list[Template]", found)

    def _recall(self, outline: bytes) -> Template | None:
        """What this outline was found to be."""
        found = self._young.get(outline)
        if found is None:
            found = self._old.get(outline)
            if found is not None:
                self._remember(outline, found)
        return found

    def _mine(self, line: bytes) -> Template:
        forms = self._forms(line.decode("utf-8", "replace"))
        found = self._groups.place(forms)
        if len(self._groups) > self._limits.templates_max:
            found.used_at = self._batch
            self._groups.forget(keep=max(1, self._limits.templates_max * 3 // 4))
            self._young.clear()
            self._old.clear()
        return found

    def _remember(self, outline: bytes, template: Template) -> None:
        if len(self._young) >= max(1, self._limits.outlines_max // 2):
            self._old, self._young = self._young, {}
        self._young[outline] = template

    def _forms(self, line: str) -> list[str]:
        chunks = read(line, chunks_max=self._limits.chunks_per_message_max)
        return forms_of("".join(chunk.form for chunk in chunks))

    def fresh(self) -> tuple[Pattern, ...]:
        """Templates that are new or read differently since the last call."""
        changed = self._groups.changed
        told = tuple(Pattern(number, living(template).text) for number, template in changed.items())
        changed.clear()
        return told

    def template(self, id: int) -> str:  # noqa: A002
        """What the template with this id reads now."""
        found = self._groups.by_id.get(id)
        if found is None:
            raise Missing(
                f"There is no template {id}.", field="id", remedy="Take an id from assign, or one kept from fresh."
            )
        return living(found).text

    def explain(self, message: str) -> Explanation:
        """Which parts of a message count as fixed, which as variable and why. Nothing is learnt from it."""
        line = message.strip().partition("\n")[0].encode("utf-8", "replace")[: self._limits.message_bytes_max]
        chunks = read(line.decode("utf-8", "replace"), chunks_max=self._limits.chunks_per_message_max)
        forms = forms_of("".join(chunk.form for chunk in chunks))
        found = self._groups.find(forms)
        if found is None:
            return Explanation(None, "".join(forms), _merged(part for chunk in chunks for part in chunk.parts))
        parts: list[Part] = []
        for at, chunk in enumerate(chunks):
            # Chunks and forms go together unless a variable touches another chunk without a delimiter.
            is_open = len(chunks) == len(found.forms) and found.forms[at] == VARIABLE != chunk.form
            if is_open:
                why = "a value" if is_value(forms, at) else "a word"
                parts.append(Part("".join(part.text for part in chunk.parts), f"{why}: others were seen in its place"))
            else:
                parts += chunk.parts
        return Explanation(found.id, found.text, _merged(parts))


def _merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts with fixed neighbours put together."""
    made: list[Part] = []
    for part in parts:
        if made and not part.why and not made[-1].why:
            made[-1] = Part(made[-1].text + part.text)
        else:
            made.append(part)
    return tuple(made)
