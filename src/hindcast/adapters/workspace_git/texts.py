"""Bytes of a file to text and back: encodings, byte order marks and line ends are kept as they were.

Whatever is read and written back unchanged gives the very same bytes. A file that is no UTF-8 and has no mark is read
as Windows-1252, or as Latin-1 where it has bytes that Windows-1252 lacks; both give every byte back.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from hindcast.adapters.workspace_git.names import shown
from hindcast.model.errors import Malformed, Refused

# Text in a single-byte encoding has next to no control characters; what has more is something else.
CONTROL_SHARE_MAX = 0.02
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, and how it was written."""

    text: str
    newline: str = "\n"
    encoding: str = "utf-8"
    mark: bytes = b""
    # The end of every line but the last, where they are not all alike; empty where they are.
    ends: tuple[str, ...] = ()


NEW = Decoded("")


def decode(raw: bytes, path: str) -> Decoded:
    """The text of a file. Raises Refused for what is no text."""
    mark, encoding, whole = _characters(raw, path)
    if "\n" not in whole:
        # Line ends of old Macs; a lone carriage return among other line ends is a character like any other.
        newline = "\r" if "\r" in whole else "\n"
        return Decoded(whole.replace("\r", "\n"), newline, encoding, mark)
    both = whole.count("\r\n")
    alone = whole.count("\n") - both
    newline = "\r\n" if both > alone else "\n"
    text = whole.replace("\r\n", "\n")
    if not both or not alone:
        return Decoded(text, newline, encoding, mark)
    lines = whole.split("\n")
    ends = tuple("\r\n" if line.endswith("\r") else "\n" for line in lines[:-1])
    return Decoded(text, newline, encoding, mark, ends)


def _characters(raw: bytes, path: str) -> tuple[bytes, str, str]:
    is_binary = Refused(
        f"{shown(path)} is no text.",
        field="path",
        remedy="Only text files are read; open this one with its own program.",
    )
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise is_binary
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            try:
                text = raw[len(mark) :].decode(encoding)
            except UnicodeDecodeError:
                raise is_binary from None
            if "\0" in text:
                raise is_binary
            return mark, encoding, text
    if b"\0" in raw:
        raise is_binary
    for encoding in ("utf-8", "cp1252", "latin-1"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "utf-8" and len(_CONTROL.findall(text)) > CONTROL_SHARE_MAX * len(text):
            raise is_binary
        return b"", encoding, text
    raise is_binary


def encode(text: str, like: Decoded, path: str) -> bytes:
    """A text as the bytes of a file that was written like another. Raises Malformed or Refused for what has none."""
    if "\0" in text:
        raise Malformed("The text has a NUL character in it.", field="text", remedy="Take it out: this is a text file.")
    text = _plain(text, like)
    if like.ends:
        whole = _with_ends(text.split("\n"), like)
    else:
        whole = text if like.newline == "\n" else text.replace("\n", like.newline)
    try:
        return like.mark + whole.encode(like.encoding)
    except UnicodeEncodeError as error:
        character, line = whole[error.start], whole.count("\n", 0, error.start) + 1
        problem = f"{shown(path)} is written in {like.encoding}, which has no {character!a} (line {line})."
        remedy = "Write it with characters of that encoding, or save the file as UTF-8 first."
        raise Refused(problem, field="text", remedy=remedy) from None


def _plain(text: str, like: Decoded) -> str:
    """The text with plain newlines, for callers whose line ends came along from somewhere else."""
    if "\r" not in text:
        return text
    if like.newline == "\r":
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text if "\r\n" in like.text else text.replace("\r\n", "\n")


def _with_ends(lines: Sequence[str], like: Decoded) -> str:
    """Lines with the ends they had; a new line gets the end that most lines have."""
    before = like.text.split("\n")
    first = 0
    while first < min(len(before), len(lines)) and before[first] == lines[first]:
        first += 1
    last = 0
    while last < min(len(before), len(lines)) - first and before[-1 - last] == lines[-1 - last]:
        last += 1
    origin: list[int | None] = [*range(first), *[None] * (len(lines) - first - last)]
    origin += range(len(before) - last, len(before))
    matcher = SequenceMatcher(None, before[first : len(before) - last], lines[first : len(lines) - last])
    for was, now, size in matcher.get_matching_blocks():
        for step in range(size):
            origin[first + now + step] = first + was + step
    # The last line has no end.
    ended = [
        line + (like.ends[was] if was is not None and was < len(like.ends) else like.newline)
        for line, was in zip(lines[:-1], origin[:-1], strict=True)
    ]
    return "".join([*ended, lines[-1]])
