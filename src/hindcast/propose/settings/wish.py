"""What a past fix wanted to be set, as somebody wrote it down: lines of a file, a manifest, a flag, a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hindcast.propose.settings.blocks import read_yaml
from hindcast.propose.settings.entry import Form, Setting, line_of, words_of
from hindcast.propose.settings.flat import read_lines
from hindcast.propose.settings.flow import Scalar
from hindcast.propose.settings.inner import REFERENCE, inner
from hindcast.propose.settings.reading import read_json

# A note about a setting is short; what is longer is a file, and its first settings will do.
TEXT_CHARS_MAX = 4_000
WISHES_MAX = 12

_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.M)
_SQL = re.compile(
    r"^\s{0,200}(?:ALTER\s+(?:SYSTEM|ROLE\s+\S+|DATABASE\s+\S+)\s+)?SET\s+(?:LOCAL\s+|SESSION\s+|GLOBAL\s+)?(?=[\w.]+\s*(?:=|TO\b))",
    re.I | re.M,
)
_FLAT = re.compile(r"^\s*(?:export\s+|ENV\s+)?[A-Za-z_][\w.\-/\[\]\"]*\s*=\s*\S", re.I)
_STRUCTURED = re.compile(r"^\s{0,200}(?:- )?[\"']?[\w./-]+[\"']?\s*:(?:\s|$)", re.M)
_HIDDEN = re.compile(r"^\*+$|^<.*>$|redacted|^\[.*\]$|^x{3,}$|^…$|^\.\.\.$", re.I)
# A name that only a setting has: joined words, capitals, camels, or marked as code.
_NAME = (
    r"(?:`(?P<{0}ticked>[\w.\-/]+)`"
    r"|(?<!\w)(?P<{0}name>[A-Za-z][\w-]{{0,80}}(?:[._][\w-]{{1,80}}){{1,12}}"
    r"|[A-Z]?[a-z]{{1,40}}(?:[A-Z][a-z0-9]{{1,40}}){{1,12}}|[A-Z][A-Z0-9]{{3,80}}))"
)
_VALUE = r"[\"'`]?(?P<value>[+-]?\d[\w.%]{0,80}|true|false|on|off)[\"'`]?(?![\w])(?!\s*[*/])"
_FROM = r"(?:\s{1,20}from\s{1,20}[\"'`]?(?P<was>[\w.%]{1,80})[\"'`]?)?"
_TOLD = re.compile(
    _NAME.format("a") + r"(?:\s{1,20}\w{1,80}){0,3}?" + _FROM + r"\s{0,20}(?:\bto\b|=|:|->|→)\s{0,20}" + _VALUE
)
_ARROW = re.compile(
    _NAME.format("b") + r"\s{0,20}[:=]?\s{0,20}(?P<was>[\w.%]{1,80})\s{0,20}(?:->|→|=>)\s{0,20}" + _VALUE
)
_MORE = re.compile(r"(?<=\S)(?:,\s*|\s+)(?=[A-Za-z_][\w.-]*=\S)")
# `maxmemory-policy noeviction`, `timeout 0`: two words are a setting where one of them looks like it.
_SPACED = re.compile(r"^\s*[a-z]\w*(?:[-_.]\w+)+[ \t]+\S+\s*$|^\s*[a-z][\w.-]*[ \t]+(?:\d\w*|yes|no|on|off)\s*$")
_BECAME = re.compile(r"^(\S+)\s*(?:->|→|=>)\s*(\S+)$")
_IDENTITY = frozenset({"apiVersion", "kind", "metadata", "selector", "matchLabels", "labels", "annotations"})


@dataclass(frozen=True, slots=True)
class Wish:
    """A setting that somebody made once: its key with what it hung below, as far as they wrote that down."""

    path: tuple[str, ...]
    value: str
    # What it was before, where they said so.
    was: str = ""
    scope: tuple[str, ...] = ()
    # How exactly it was written down: a setting as it stands in a file, or a sentence about it.
    is_quoted: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its whole path."""
        return words_of(*self.path)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence about a number that names no key: "raised the pool size from 50 to 200"."""

    text: str
    value: str
    was: str = ""


_PHRASE = re.compile(
    r"(?:\bfrom\s+(?:\w+\s+)?(?P<was>\d[\w.%]*)(?:\s+\w+){0,2}?\s+)?(?<!\bup )\bto\s+(?:\w+\s+)?"
    r"(?P<value>\d[\w.%]*)(?![\w:])(?:\s*(?P<unit>ms|s|seconds|minutes|Mi|Gi|MB|GB)\b)?",
)


def wishes(config: str) -> tuple[Wish, ...]:
    """The settings that a text about a configuration wants."""
    text = _FENCE.sub("", config[:TEXT_CHARS_MAX]).strip("\n")
    if not text.strip():
        return ()
    found: list[Wish] = []
    seen: set[tuple[str, ...]] = set()
    # A sentence is read as one only where nothing is written as in a file: what hangs below a name keeps hanging there.
    for wish in tuple(map(_unfolded, _read(text))) or told(text):
        if wish.path and wish.words not in seen and is_settable(wish.value):
            seen.add(wish.words)
            found.append(wish)
    return tuple(found[:WISHES_MAX])


def told(sentence: str) -> tuple[Wish, ...]:
    """Settings that a sentence names by their keys: "raised max_connections from 50 to 200"."""
    found: dict[tuple[str, ...], Wish] = {}
    for pattern in (_ARROW, _TOLD):
        for match in pattern.finditer(sentence[:TEXT_CHARS_MAX]):
            groups = match.groupdict()
            name = next(value for key, value in groups.items() if key.endswith(("ticked", "name")) and value)
            value = match["value"].rstrip(".")
            path = tuple(name.split(".")) if "." in name else (name,)
            if all(path):
                found.setdefault(path, Wish(path, value, match["was"] or "", is_quoted=False))
    return tuple(found.values())


def phrase(action: str) -> Phrase | None:
    """The number that an action in words changed, or None where it names none."""
    found = list(_PHRASE.finditer(action[:400]))
    if len(found) != 1:
        return None
    match = found[0]
    value = match["value"].rstrip(".") + (match["unit"] or "")
    return Phrase(action, value, (match["was"] or "").rstrip("."))


def is_settable(value: str) -> bool:
    """Whether a value is one that can be written: not hidden, not a reference to elsewhere."""
    return bool(value.strip()) and not _HIDDEN.search(value.strip()) and not REFERENCE.search(value.strip())


def _unfolded(wish: Wish) -> Wish:
    """`50 -> 200` as a value is what it was, and what it became."""
    match = _BECAME.match(wish.value)
    return replace(wish, was=match[1], value=match[2]) if match is not None else wish


def _read(text: str) -> Iterator[Wish]:
    """The settings of a text that is written as a file would have them."""
    lines = text.splitlines()
    if any(line.startswith("+") for line in lines) and all(line[:1] in "+- " for line in lines if line):
        yield from _of_diff([line for line in lines if not line.startswith(("+++", "---"))])
        return
    for one in _settings(_SQL.sub("", text)):
        yield Wish(one.path, one.value, "", one.scope)


def _of_diff(lines: list[str]) -> Iterator[Wish]:
    """What the added lines of a diff set, with what stood there before."""
    before = {one.path: one.value for one in _settings("\n".join(line[1:] for line in lines if line[:1] in "- "))}
    after = [line for line in lines if line[:1] in "+ "]
    text = "\n".join(line[1:] for line in after)
    for one in _settings(text):
        if after[line_of(text, one.start) - 1].startswith("+"):
            yield Wish(one.path, one.value, before.get(one.path, ""), one.scope)


def _settings(text: str) -> tuple[Setting, ...]:
    text = re.sub(r"^(\s*[\w.]+)\s+TO\s+", r"\1 = ", text, flags=re.I | re.M)
    # `A=1 B=2` and `a=1, b=2` are two lines in one.
    text = re.sub(r"^[A-Za-z_][\w.-]*=\S.*$", lambda line: _MORE.sub("\n", line[0]), text, flags=re.M)
    if text.lstrip()[:1] == "{":
        found = read_json(text)
        if found:
            return _plain(found)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", ";"))]
    if lines and lines[0].lstrip().startswith("-") and not lines[0].lstrip().startswith("- "):
        return tuple(inner(Scalar(text, 0, len(text)), ()))
    has_section = any(re.match(r"^\s*\[[\w.\s\"-]+\]\s*$", line) for line in lines)
    flat = sum(bool(_FLAT.match(line)) for line in lines)
    if has_section or (flat and flat >= len(lines) / 2):
        is_toml = has_section and any("." in line for line in lines if line.lstrip().startswith("["))
        body = re.sub(r"^(\s*)ENV\s+", r"\1", text, flags=re.M)
        return _plain(read_lines(body, form=Form.TOML if is_toml else Form.LINE))
    if lines and all(_SPACED.match(line) for line in lines):
        return _plain(read_lines(text, is_spaced=True))
    return _plain(read_yaml(text)) if _STRUCTURED.search(text) or "- " in text else ()


def _plain(found: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """Without what only says which document it is, and without a command line whose flags are told one by one."""
    lines = {one.path[:-1] for one in found if one.form is Form.FLAG}
    return tuple(one for one in found if one.path not in lines and not _IDENTITY & set(one.path))
