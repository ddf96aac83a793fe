"""Code as tokens, whole files and torn snippets alike.

A grammar reads whole files; a hunk is a piece out of the middle of one. So both are cut by one lexer that cannot fail,
and compared by keys in which quotes, trailing commas, semicolons and underscores in numbers make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from hindcast.model.code import Tongue
from hindcast.propose.carry.vocabulary import KEYWORDS, SCRIPTS


class Sort(IntEnum):
    """What a token is."""

    NAME = 0
    KEYWORD = 1
    NUMBER = 2
    STRING = 3
    MARK = 4
    COMMENT = 5


class Token(NamedTuple):
    """One token, and where it stands in its text."""

    # What it is compared by.
    key: str
    sort: Sort
    # Characters of the text, the end not included; and its line, counted from 0.
    start: int
    end: int
    line: int
    # Behind a dot, or the name of a keyword argument or field: named by others, so not free to be renamed here.
    is_member: bool = False
    # Before an opening parenthesis.
    is_called: bool = False


_NAME = r"(?P<name>[^\W\d][\w$]*|\$[\w$]*)"
_NUMBER = r"(?P<number>\d(?:[\w.]|(?<=[eE])[+-])*)"
_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_C_COMMENT = r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"

_PYTHON = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<string>(?:[rRbBuUfF]{1,2}(?=[\"']))?(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|" + _STRING + r"))"
    r"|" + _NAME + r"|" + _NUMBER + r"|(?P<mark>->|:=|\*\*=?|//=?|<<=?|>>=?|[<>=!+\-*/%&|^@]=|\S)",
    re.DOTALL,
)
_SCRIPT = re.compile(
    _C_COMMENT
    + r"|(?P<string>"
    + _STRING
    + r"|`(?:\\.|[^`\\])*`)|"
    + _NAME
    + r"|"
    + _NUMBER
    + r"|(?P<mark>=>|\.\.\.|===|!==|\?\.|\?\?=?|&&=?|\|\|=?|\*\*=?|<<=?|>>>?=?|\+\+|--|[<>=!+\-*/%&|^]=|\S)",
    re.DOTALL,
)
_GO = re.compile(
    _C_COMMENT
    + r"|(?P<string>"
    + _STRING
    + r"|`[^`]*`)|"
    + _NAME
    + r"|"
    + _NUMBER
    + r"|(?P<mark>:=|<-|\.\.\.|&&|\|\||\+\+|--|<<=?|>>=?|&\^=?|[<>=!+\-*/%&|^]=|\S)",
    re.DOTALL,
)
_TEXT = re.compile(
    r"(?P<comment>(?:(?<=\n)|(?<=\s)|\A)\#[^\n]*)|(?P<string>"
    + _STRING
    + r")|"
    + _NAME
    + r"|"
    + _NUMBER
    + r"|(?P<mark>\S)"
)

_FORMS = {
    Tongue.PYTHON: _PYTHON,
    Tongue.JAVASCRIPT: _SCRIPT,
    Tongue.TYPESCRIPT: _SCRIPT,
    Tongue.TSX: _SCRIPT,
    Tongue.GO: _GO,
    Tongue.JAVA: _GO,
    Tongue.CSHARP: _GO,
    Tongue.C: _GO,
    Tongue.RUST: _GO,
    Tongue.PHP: _SCRIPT,
}

_CLOSERS = frozenset(")]}")


@lru_cache(maxsize=256)
def lex(text: str, tongue: Tongue) -> tuple[Token, ...]:
    """The tokens of a text, comments included, without what formatting alone puts there."""
    form = _FORMS.get(tongue, _TEXT)
    keywords = KEYWORDS.get(tongue, frozenset())
    found: list[Token] = []
    line = at = 0
    for match in form.finditer(text):
        start = match.start()
        line += text.count("\n", at, start)
        at = start
        found.append(_token(match, line, keywords))
    return tuple(_told(_plain(found, tongue), tongue))


def _token(match: re.Match[str], line: int, keywords: frozenset[str]) -> Token:
    kind, text = match.lastgroup, match.group()
    sort, key = Sort.MARK, text
    if kind == "name":
        sort = Sort.KEYWORD if text in keywords else Sort.NAME
    elif kind == "number":
        sort, key = Sort.NUMBER, text.replace("_", "").lower()
    elif kind == "string":
        sort, key = Sort.STRING, _string_key(text)
    elif kind == "comment":
        sort, key = Sort.COMMENT, " ".join(text.split())
    return Token(key, sort, match.start(), match.end(), line)


def _string_key(text: str) -> str:
    body = text.lstrip("rRbBuUfF")
    prefix = text[: len(text) - len(body)].lower().replace("u", "")
    for quote in ('"""', "'''"):
        if body.startswith(quote) and len(body) >= 6:
            return f'{prefix}"{body[3:-3].strip()}'
    return f'{prefix}"{body[1:-1]}'


def _plain(tokens: Sequence[Token], tongue: Tongue) -> list[Token]:
    """Without what formatters add and take: semicolons at line ends, commas before a closing bracket."""
    if tongue not in KEYWORDS:
        return list(tokens)
    found: list[Token] = []
    after = ""
    for token in reversed(tokens):
        is_format = token.sort is Sort.MARK and (
            (token.key == ";" and tongue in SCRIPTS) or (token.key == "," and after in _CLOSERS)
        )
        if not is_format:
            found.append(token)
            after = after if token.sort is Sort.COMMENT else token.key
    return found[::-1]


def _told(tokens: Sequence[Token], tongue: Tongue) -> list[Token]:
    """With what their neighbours tell of names."""
    found = []
    last = len(tokens) - 1
    depth = 0
    for index, token in enumerate(tokens):
        if token.sort is not Sort.NAME:
            depth = max(depth + (token.key == "(") - (token.key == ")"), 0) if token.sort is Sort.MARK else depth
            found.append(token)
            continue
        before = tokens[index - 1].key if index else ""
        after = tokens[index + 1].key if index < last else ""
        # What belongs to the object itself is as free to be renamed as a variable.
        member = before in (".", "?.") and (tokens[index - 2].key if index > 1 else "") not in ("self", "this")
        if tongue is Tongue.PYTHON and after == "=":
            # In a torn call an argument begins its line, behind a comma; `a, b = …` goes on in it.
            is_torn = before == "," and tokens[index - 1].line < token.line
            member = member or is_torn or (depth > 0 and before in ("(", ","))
        elif tongue is not Tongue.PYTHON and after == ":":
            member = member or before in ("{", ",")
        found.append(token._replace(is_member=member, is_called=after == "("))
    return found
