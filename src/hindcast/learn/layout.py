"""Layouts that hide a page's lines, made plain: HTML, wiki headings, tables of events, several labels on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from hindcast.learn.roles import field_of, plain_words

_HTML = re.compile(r"<(?:h[1-6]|p|li|strong|table)\b[^>]*>", re.I)
_HTML_HEAD = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>", re.I | re.S)
_HTML_BOLD = re.compile(r"</?(?:b|strong)\b[^>]*>", re.I)
_HTML_ITEM = re.compile(r"<li\b[^>]*>", re.I)
_HTML_CELL = re.compile(r"</t[dh]>\s{0,20}(?=<t[dh]\b)", re.I)
_HTML_BREAK = re.compile(r"<(?:br|/p|/li|/div|/tr|/ul|/ol)\b[^>]*>", re.I)
_HTML_TAG = re.compile(r"</?[a-z][^<>]{0,300}>", re.I)
_WIKI_HEAD = re.compile(r"^h([1-6])\.\s{1,20}", re.M)
_EQUALS_HEAD = re.compile(r"^(={2,5})\s{0,200}([^=\n]{2,70}?)\s{0,200}\1\s{0,20}$", re.M)
_RULE = re.compile(r"^\s{0,20}\|?(?:\s{0,20}:?-{2,}+:?\s{0,20}\|?)+\s{0,20}$")
# Between two labels of one line.
_BETWEEN = re.compile(r"\s{1,200}[|·•]\s{1,20}|\s{0,20};\s{1,20}|[ \t]{2,}|\.\s{1,20}(?=\*\*)|,\s{1,20}(?=\*\*)")
_LABELLED = re.compile(
    r"^(?:[-*+]\s{1,20})?(?:\*\*|__)?([^\W\d_][\w /&'’()-]{1,40}?)(?:\*\*|__)?\s{0,20}:(?:\*\*|__)?\s{0,20}\S"
)
_COLUMNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (column, re.compile(pattern))
    for column, pattern in (
        ("result", (r"^(?:result|outcome|effect|what came of it|did it help|helped|worked|ergebnis|wirkung|"
                   r"resultado|efecto|resultat|effet)")),
        ("who", r"^(?:who|by|person|people|owner|actor|responder|engineer|name|wer|quien|qui)$"),
        ("time", r"^(?:time|when|at|utc|timestamp|clock|date|zeit|uhrzeit|hora|heure|tijd|ora)\b"),
        ("what", (r"^(?:what|action|event|attempt|step|tried|description|activity|entry|note|detail|we tried|we did|"
                 r"was|aktion|ereignis|mass|accion|evento|que|quoi)")),
    )
)  # fmt: skip


def flattened(text: str) -> str:
    """The text with one thing on each line, as Markdown would have it."""
    if _HTML.search(text):
        text = _without_html(text)
    if _WIKI_HEAD.search(text):
        # A hash begins an item there, and two bars a heading of a table.
        text = re.sub(r"^#+\s{1,20}", "1. ", text, flags=re.M).replace("||", "|")
    text = _WIKI_HEAD.sub(lambda match: "#" * int(match.group(1)) + " ", text)
    text = _EQUALS_HEAD.sub(lambda match: "#" * len(match.group(1)) + " " + match.group(2), text)
    lines = text.split("\n")
    return "\n".join(_labels_apart(_rows_told(lines)))


def _without_html(text: str) -> str:
    text = _HTML_HEAD.sub(lambda match: f"\n\n{'#' * int(match.group(1))} {match.group(2).strip()}\n\n", text)
    text = _HTML_BOLD.sub("**", text)
    text = _HTML_ITEM.sub("\n- ", text)
    text = _HTML_CELL.sub(" | ", text)
    text = _HTML_BREAK.sub("\n", text)
    return unescape(_HTML_TAG.sub("", text))


def _rows_told(lines: Sequence[str]) -> Iterator[str]:
    """Tables of what was done when, as items: "- 09:22 Ines: restarted the workers -> no change"."""
    place = 0
    while place < len(lines):
        columns = _columns(lines, place)
        if columns is None:
            yield lines[place]
            place += 1
            continue
        place += 2
        yield ""
        while place < len(lines) and "|" in lines[place]:
            item = _item(columns, _cells(lines[place]))
            if item:
                yield item
            place += 1


def _columns(lines: Sequence[str], place: int) -> list[str] | None:
    """What the columns of a table hold that begins here, if it tells events or attempts."""
    if "|" not in lines[place] or place + 1 >= len(lines) or not _RULE.match(lines[place + 1]):
        return None
    names = [plain_words(cell) for cell in _cells(lines[place])]
    found = [next((column for column, pattern in _COLUMNS if pattern.search(name)), "") for name in names]
    if len(set(found) - {""}) < 2 or not {"time", "result"} & set(found):
        return None
    if "what" not in found:
        free = [number for number, column in enumerate(found) if not column]
        if not free:
            return None
        found[free[0]] = "what"
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _item(columns: Sequence[str], cells: Sequence[str]) -> str:
    held: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        if column and cell.strip("-– "):
            held[column] = f"{held[column]}, {cell}" if column in held else cell
    if "what" not in held:
        return ""
    who = f"{held['who']}: " if "who" in held else ""
    result = f" -> {held['result']}" if "result" in held else ""
    return f"- {held.get('time', '')} {who}{held['what']}{result}".replace("-  ", "- ")


def _labels_apart(lines: Iterator[str]) -> Iterator[str]:
    """Lines that hold several labels, one label a line: "Author: Mei | Duration: 2h"."""
    for line in lines:
        if line.count(":") < 2 or line.lstrip().startswith("|"):
            yield line
            continue
        pieces = [piece for piece in _BETWEEN.split(line) if piece.strip()]
        labels = [match for piece in pieces if (match := _LABELLED.match(piece.strip()))]
        known = [match for match in labels if field_of(match.group(1)) is not None]
        if len(pieces) > 1 and len(labels) == len(pieces) and known:
            yield from (piece.strip() for piece in pieces)
        else:
            yield line
