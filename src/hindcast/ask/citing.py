"""Citations: which records a sentence rests on, checked against what tools have shown while this question was answered.

A record that no tool has shown cannot be cited, whether it exists or not: so nothing invented and nothing of another
space passes. A citation says that the record was read here and that the sentence speaks of the same things; whether the
record really means what the sentence says, a reader can see by opening it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hindcast.ask.events import Sentence
from hindcast.ask.suspicion import suspects
from hindcast.ask.wording import cleaned

CITATIONS_PER_SENTENCE_MAX = 8
# Which share of a sentence's words has to stand in what tools said of the record it cites.
SHARED_MIN = 0.34
SHARED_COUNT_MIN = 2
STEM_CHARS = 5
# A line of so few words that ends in a colon introduces others, and claims nothing.
HEADING_WORDS_MAX = 6

_BRACKETS = re.compile(r"\s{0,200}\[([^\[\]]{1,400})\]")
# What can only be meant as the id of a record: an address, or the id of an incident.
_ID = re.compile(r"^(?:[\w.:-]+/)?[\w.:+~#/-]+@\d+$|^[\w.-]+/[\w.:+~#@/-]+$|^inc-[\w.-]+$|^\w+(?:-\w+){2,}$")
_BARE = re.compile(r"(?<![\w/-])(?:inc-\d{6,}[\w.-]*|(?:cases|incidents|runbooks|verdicts)/[\w.:+~#-]+(?:@\d+)?)")
_WORD = re.compile(r"[^\W\d_]{4,}")
# What has to stand in the record letter by letter: commands, settings, names of code.
_CODE = re.compile(r"`([^`]{2,200})`|\b([A-Z][A-Z_]{3,})\b|\b(\w+(?:_\w+)+)\b|(?<!\w)(--?[a-z][\w-]+)")
_BEGINS = re.compile(r"\s\S")
_BLANKS = re.compile(r"\s{2,}")
_NUMBER = re.compile(r"\d{1,2}[.)]")
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)]|#{1,6})\s+")
# Words that say nothing of which incident is meant.
_IDLE_WORDS = """
about after again also anything because been before being between both cause caused could does done during each error
errors everything fail failed failure fixed from have having here incident incidents into last like made make more
most much nobody nothing only other over problem record recorded same seen should since some such than that their them
then there these they this time times tried under until used using very want were what when where which while will
with worked works would your
"""
_IDLE = frozenset(_IDLE_WORDS.split())


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence after its citations were checked."""

    sentence: Sentence
    # Ids that no tool has shown, and links, images and markup: both were taken out.
    invented: int = 0
    removed: int = 0


class Evidence:
    """What tools have shown while one question was answered."""

    def __init__(self) -> None:
        # However a record may be cited, to the reference that a tool gave for it.
        self._known: dict[str, str] = {}
        self._texts: dict[str, list[str]] = {}
        # Records in which somebody speaks to language models.
        self.suspects: set[str] = set()

    def add(self, refs: Iterable[str], text: str) -> None:
        """A tool has shown these records, in these words."""
        every = tuple(refs)
        self.suspects |= suspects(every, text)
        for ref in every:
            address = ref.rpartition("@")[0] or ref
            # The newest reference counts: what is cited without a version is what was read last.
            for name in (ref, address, address.partition("/")[2] if ":" not in address.partition("/")[0] else ""):
                if name:
                    self._known[name.casefold()] = ref
            self._texts.setdefault(ref, []).append(text.casefold())

    def find(self, name: str) -> str | None:
        """The reference that a citation means, if a tool has shown it."""
        bare = name.strip().strip("`'\" ").casefold().removeprefix("incident ").removeprefix("hindcast://")
        for form in (bare, bare.removeprefix("incidents/"), f"cases/{bare}"):
            if form in self._known:
                return self._known[form]
        return None

    def check(self, text: str) -> Checked:
        """A sentence of a language model with the citations that hold; whatever does not is taken out and counted."""
        cited: dict[str, None] = {}
        invented = 0

        def take(match: re.Match[str]) -> str:
            nonlocal invented
            names = [name.strip() for name in re.split(r"[,;]\s{0,9}|\s{1,9}and\s{1,9}", match[1]) if name.strip()]
            found = [self.find(name) for name in names]
            if not any(found) and not any(_ID.match(name) for name in names):
                # Brackets of another kind, as in [Errno 104].
                return match.group()
            cited.update({ref: None for ref in found if ref})
            invented += sum(1 for ref in found if not ref)
            return ""

        bare = _LIST_MARK.sub("", _BRACKETS.sub(take, text))
        bare, lost = self._without_invented(bare)
        clean = cleaned(" ".join(bare.split()))
        citations = tuple(ref for ref in cited if self._bears(clean.text, ref))[:CITATIONS_PER_SENTENCE_MAX]
        words = clean.text.split()
        is_heading = clean.text.endswith(":") and len(words) <= HEADING_WORDS_MAX and not citations
        return Checked(Sentence(clean.text, citations, is_heading), invented + lost, clean.removed)

    def _without_invented(self, text: str) -> tuple[str, int]:
        """The text without ids that stand in the middle of it and that nobody has shown."""
        lost = 0

        def drop(match: re.Match[str]) -> str:
            nonlocal lost
            if self.find(match.group().rstrip(".")):
                return match.group()
            lost += 1
            return "(unknown id removed)"

        return _BARE.sub(drop, text), lost

    def _bears(self, sentence: str, ref: str) -> bool:
        """Whether a record can be trusted to tell, and what tools said of it speaks of the same things."""
        if ref in self.suspects:
            return False
        shown = "\n".join(self._texts[ref])
        for match in _CODE.finditer(sentence):
            code = next(part for part in match.groups() if part).casefold()
            if code not in shown:
                return False
        words = {word.casefold() for word in _WORD.findall(sentence)} - _IDLE
        # Endings differ between a record and whoever tells of it.
        there = {word[:STEM_CHARS] for word in _WORD.findall(shown)}
        known = sum(1 for word in words if word[:STEM_CHARS] in there)
        return known >= max(SHARED_MIN * len(words), min(SHARED_COUNT_MIN, len(words)))


class Sentences:
    """Cuts a text that arrives in pieces into sentences, each with the citations that follow it."""

    CHARS_MAX = 1_000
    _END = re.compile(
        r"(?:(?<=[.!?…。])|(?<=[.!?][\"'”)`]))(?:\s{0,2}\[[^\[\]]{1,400}\]){0,20}(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)\s{1,2}(?=[^\s\[])"
        r"|(?:\s{0,2}\[[^\[\]]{1,400}\]\.?)\s{1,2}(?=[A-Z“\"])"
        r"|\s{0,2}\n\s{0,2}(?=[^\s\[])"
    )

    def __init__(self) -> None:
        self._left = ""

    def add(self, piece: str) -> list[str]:
        """The sentences that are complete by now."""
        # A sentence is complete when the first letter of the next one has come: only then is it worth a look.
        is_due = _BEGINS.search(self._left[-1:] + piece) is not None
        self._left = _BLANKS.sub(_squeezed, self._left + piece)
        done: list[str] = []
        if is_due:
            *done, self._left = _split(self._END, self._left)
        while len(self._left) > self.CHARS_MAX:
            done.append(self._left[: self.CHARS_MAX])
            self._left = self._left[self.CHARS_MAX :]
        short = (part[at : at + self.CHARS_MAX] for part in done for at in range(0, len(part), self.CHARS_MAX))
        return [one for one in (part.strip() for part in short) if one]

    def end(self) -> list[str]:
        """What is left when there is no more to come."""
        left, self._left = self._left.strip(), ""
        return [left] if left else []


def _squeezed(blanks: re.Match[str]) -> str:
    return "\n" if "\n" in blanks.group() else " "


def _split(pattern: re.Pattern[str], text: str) -> list[str]:
    """The parts of a text between the ends of what matches, which stays with the part before it."""
    parts: list[str] = []
    done = 0
    for match in pattern.finditer(text):
        part = text[done : match.end()]
        # The number of a line in a list belongs to what follows it.
        if not _NUMBER.fullmatch(part.strip()):
            parts.append(part)
            done = match.end()
    return [*parts, text[done:]]
