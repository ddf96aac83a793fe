"""Reading: takes a message apart into what its author wrote and what the program filled in, word by word.

The rules hold for every system alike. A rule is here only if it makes sense to somebody who has never seen the log in
question: numbers, ids and addresses vary, words do not. Which words vary is not known from one message; that is found
out by comparing (`hindcast.ingest.template.grouping`).

A message is a row of chunks with delimiters between them, `chdir(/tmp)` being `chdir`, `(`, `/tmp` and `)`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

VARIABLE = "<*>"
# Variables in a row are a list, and lists have any length: the template shows one variable. Without a blank between
# them two are enough, 10.0.0.7,10.0.0.8; with one it takes more, since `child 7 9` has two meanings.
_LISTS = (((",",), 2), ((" ",), 5), ((",", " "), 5), ((";",), 2), ((";", " "), 5))

# What may be folded to a number: something with a digit in it. Possessive, so that a long line costs no more than its
# length. Only ASCII makes words here: in a language without blanks a number stands right between letters.
_NUMBER = r"[A-Za-z_.-]*+[0-9][A-Za-z0-9_.-]*+"
_PIECE = re.compile(r"[A-Za-z0-9_]+|[^A-Za-z0-9_]+")
_PORT = re.compile(r":[A-Za-z0-9_]*[0-9]")
_HEX_GROUP = re.compile(r"[a-fA-F]{4,}\Z")
_KEY = re.compile(r"[A-Za-z][A-Za-z_]*[0-9]{1,3}\Z")
_EMAIL = re.compile(r"[\w.+-]+@[\w.-]+\.[A-Za-z]{2,}\Z", re.ASCII)
_PATH = re.compile(r"(?:\.{0,2}|~)[/\\]\S")
_HOST = re.compile(r"[\w.-]+\Z", re.ASCII)
_CONSTANTS = frozenset({"true", "false", "null"})
_DIGIT = re.compile(r"[0-9]")
_BLANKS = re.compile(r"\s+", re.ASCII)
_JOINS = frozenset(".-+_~")
# Quoted values vary, but what these keys hold is what the line has to say.
_TELLING_KEYS = frozenset({"msg", "message", "event", "error", "err", "reason", "title"})
# Accounts that every machine has. They vary where a person or a program is named: for root, by root, as root.
_ACCOUNTS = frozenset({"root", "admin", "administrator", "guest", "nobody"})
_BEFORE_ACCOUNTS = frozenset({"for", "by", "as", "user"})
# A part of an id that is too short to be a word: the N of R02-M1-N0-C.
_SHORT_CHARS_MAX = 2

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_GROUP = rf"(?:{_NUMBER}|[a-fA-F]{{1,4}})"
_TOKEN = re.compile(
    rf"""
      (?P<date>(?<!\w)(?:(?:{_DAYS})[a-z]*,?[ ])?(?:{_MONTHS})[a-z]*[ ]+{_NUMBER},?[ ]{_NUMBER}
        (?P<minute>:{_NUMBER}):(?P<second>{_NUMBER}(?:[ ]{_NUMBER}(?![:/]))?))
    | (?P<method>(?<!\w)(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS))[ ](?P<target>\S+[ ]HTTP/[\w.-]*)
    | (?P<scheme>(?<!\w)[A-Za-z][A-Za-z+]*)://(?P<rest>[^\s,;|"'()\[\]{{}}<>]+)
    | (?P<quoted_key>(?<=[A-Za-z0-9_])=")(?P<quoted>[^"]*)"
    | (?P<drive>(?<!\w)[A-Za-z]:\\[^\s,;|"'<>]*)
    | (?P<empty>(?<![^\s])(?:\(\)|\[\]|\{{\}}|""|'')(?![^\s,;.:]))
    | (?P<address>(?<![\w:.-]){_GROUP}(?:::?{_GROUP}){{5,}}(?![\w:]))
    | (?P<chunk>[^\s,;:=|"'()\[\]{{}}<>]+)
    | (?P<delimiter>.)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
DELIMITERS = frozenset(" ,;:=|\"'()[]{}<>")


class Part(NamedTuple):
    """A stretch of a message, and why it counts as variable; nothing is said of what is fixed."""

    text: str
    why: str = ""


class Chunk(NamedTuple):
    """A chunk or a delimiter: its form in a template, and the parts of the message that it comes from."""

    form: str
    parts: tuple[Part, ...]


def tidied(message: str) -> str:
    """A message without blanks at its ends and with single ones inside."""
    return _BLANKS.sub(" ", message).strip(" ")


def read(message: str, *, chunks_max: int) -> list[Chunk]:
    """The chunks and delimiters of one line. What comes after so many chunks is one variable."""
    chunks: list[Chunk] = []
    text = tidied(message)
    for found in _TOKEN.finditer(text):
        if len(chunks) >= chunks_max:
            chunks.append(_variable(text[found.start() :], "the rest of a long message"))
            break
        chunks += _read_token(found, text)
    return _without_lists(_without_accounts(chunks))


def _read_token(found: re.Match[str], text: str) -> list[Chunk]:
    kind, value = found.lastgroup, found[0]
    match kind:
        case "delimiter":
            return [_fixed(value)]
        case "chunk":
            end = found.end()
            return [_read_chunk(value, text.startswith("=", end), _PORT.match(text, end) is not None)]
        case "target":
            return [_fixed(found["method"]), _fixed(" "), _variable(found["target"], "what a request asks for")]
        case "rest":
            rest = Chunk(f"//{VARIABLE}", (Part("//"), Part(found["rest"], "an address")))
            return [_fixed(found["scheme"]), _fixed(":"), rest]
        case "quoted" if _key_before(text, found.start()) not in _TELLING_KEYS:
            return [_fixed("="), _fixed('"'), _variable(found["quoted"], "a quoted value"), _fixed('"')]
        case "quoted":
            inside = read(found["quoted"], chunks_max=len(text))
            return [_fixed("="), _fixed('"'), *inside, _fixed('"')]
        case "drive":
            return [_variable(value, "a path")]
        case "empty":
            return [_fixed(value[0]), _variable("", "an empty value"), _fixed(value[1])]
        case "address":
            return [_variable(value, "an address of many groups")]
    hour, minute, second = value[: found.start("minute") - found.start()], found["minute"], found["second"]
    why = "a date with its time"
    return [_variable(hour, why), _fixed(":"), _variable(minute[1:], why), _fixed(":"), _variable(second, why)]


def _key_before(text: str, end: int) -> str:
    """The key that ends here."""
    start = end
    while start and _is_word(text[start - 1]):
        start -= 1
    return text[start:end].lower()


def _fixed(text: str) -> Chunk:
    return Chunk(text, (Part(text),))


def _variable(text: str, why: str) -> Chunk:
    return Chunk(VARIABLE, (Part(text, why),))


@lru_cache(maxsize=32_768)
def _read_chunk(chunk: str, is_key: bool, is_before_port: bool) -> Chunk:
    """One chunk by itself. Of its surroundings it matters only whether an equals sign or a port comes next."""
    core = chunk.rstrip(".!?")
    parts = _whole(core, is_key and core == chunk, is_before_port) or _in_pieces(core)
    if len(core) < len(chunk):
        parts = (*parts, Part(chunk[len(core) :]))
    return Chunk("".join(VARIABLE if part.why else part.text for part in parts), parts)


def _whole(core: str, is_key: bool, is_before_port: bool) -> tuple[Part, ...]:
    """What can be said of a chunk without taking it apart; nothing if it has to be."""
    if not core:
        return (Part(core),)
    if _PATH.match(core):
        return (Part(core, "a path"),)
    if core.lower() in _CONSTANTS:
        return (Part(core, "true, false or null"),)
    if "@" in core and _EMAIL.match(core):
        return (Part(core, "an e-mail address"),)
    has_digit = _DIGIT.search(core) is not None
    if has_digit and is_key and _KEY.match(core):
        return (Part(core),)
    if has_digit and core.count("/") > 1:
        return (Part(core, "a path"),)
    if is_before_port and (parts := _host(core, has_digit)):
        return parts
    return () if has_digit else (Part(core),)


def _host(core: str, has_digit: bool) -> tuple[Part, ...]:
    """What stands before a port: db.example:5432, node-7:80, or Java's node/10.0.0.7:80."""
    host, slash, address = core.rpartition("/")
    if slash and host and has_digit and _DIGIT.search(address):
        return (Part(host, "a host"), Part("/"), Part(address, "an address"))
    if _HOST.match(core) and ("." in core.strip(".") or (has_digit and "-" in core)):
        return (Part(core, "a host"),)
    return ()


def _in_pieces(core: str) -> tuple[Part, ...]:
    """A chunk with digits in it: `core.2275` has a fixed part and a variable one."""
    pieces = _PIECE.findall(core)
    first = 0 if _is_word(pieces[0]) else 1
    words = range(first, len(pieces), 2)
    varies = [False] * len(pieces)
    for at in words:
        varies[at] = is_id(pieces[at])
    if not any(varies):
        return (Part(core),)
    last = pieces[-1]
    if len(pieces) > 2 and pieces[-2] == "." and len(last) >= _SHORT_CHARS_MAX and not _DIGIT.search(last):
        return (Part(core, "a host or a file with digits in its name"),)
    _widen(pieces, varies, first)
    return _joined(pieces, varies, first)


def _is_word(piece: str) -> bool:
    return piece[0] == "_" or (piece[0].isascii() and piece[0].isalnum())


def is_id(word: str) -> bool:
    """Whether a word with digits is a number or an id. A name with a single digit, SOCKS5 or log4j, is none."""
    digits = _DIGIT.findall(word)
    if len(digits) != 1:
        return bool(digits)
    if word[0] == digits[0] or word[0] == "_" or (word[-1] == digits[0] and word[-2] == "_"):
        return True
    return len(word) > _SHORT_CHARS_MAX and all(char in "0123456789abcdefABCDEF_" for char in word)


def _widen(pieces: list[str], varies: list[bool], first: int) -> None:
    """Let an id have what belongs to it: `blk_` before -17, `beef` in a UUID, single letters."""
    for at in range(first, len(pieces), 2):
        if varies[at]:
            continue
        before = at >= 2 and varies[at - 2]
        after = at + 2 < len(pieces) and varies[at + 2]
        left, right = pieces[at - 1] if at else "", pieces[at + 1] if at + 1 < len(pieces) else ""
        is_group = left == right == "-" and (before or after) and _HEX_GROUP.match(pieces[at]) is not None
        is_prefix = pieces[at].endswith("_") and right == "-" and after
        varies[at] = is_group or is_prefix
    # Twice, so that what stands left of a short part that has just been taken is looked at again.
    for steps in (range(first, len(pieces), 2), range(first, len(pieces), 2)[::-1]):
        for at in steps:
            if len(pieces[at]) > _SHORT_CHARS_MAX or varies[at]:
                continue
            is_left = at >= 2 and varies[at - 2] and pieces[at - 1] in (".", "-")
            is_right = at + 2 < len(pieces) and varies[at + 2] and pieces[at + 1] in (".", "-")
            varies[at] = is_left or is_right


def _joined(pieces: list[str], varies: list[bool], first: int) -> tuple[Part, ...]:
    """Pieces that vary are one variable where only dots, hyphens and the like are between; a sign belongs to it."""
    for at in range(first + 1, len(pieces) - 1, 2):
        varies[at] = varies[at - 1] and varies[at + 1] and set(pieces[at]) <= _JOINS
    if first and len(pieces) > 1:
        varies[0] = varies[1] and pieces[0] in ("-", "+")
    parts: list[Part] = []
    for at, piece in enumerate(pieces):
        if at and varies[at] == varies[at - 1]:
            parts[-1] = Part(parts[-1].text + piece, parts[-1].why)
        else:
            parts.append(Part(piece, "digits" if varies[at] else ""))
    return tuple(Part(text, _why(text)) if why else Part(text) for text, why in parts)


def _why(text: str) -> str:
    return "a number" if not re.search(r"[^0-9.+-]", text) else "an id or a number with a unit"


def _without_accounts(chunks: list[Chunk]) -> list[Chunk]:
    """Well-known accounts as variables where an account is named."""
    for at in range(2, len(chunks)):
        is_named = chunks[at - 2].form.lower() in _BEFORE_ACCOUNTS and chunks[at - 1].form == " "
        if is_named and chunks[at].form.lower() in _ACCOUNTS:
            chunks[at] = _variable(chunks[at].form, "an account that every machine has")
    return chunks


def _without_lists(chunks: list[Chunk]) -> list[Chunk]:
    """Lists of variables as one variable."""
    made: list[Chunk] = []
    at = 0
    while at < len(chunks):
        end = at
        if chunks[at].form == VARIABLE and any(chunk.form == VARIABLE for chunk in chunks[at + 2 : at + 4]):
            end = _list_end(chunks, at)
        if end > at:
            text = "".join(part.text for chunk in chunks[at:end] for part in chunk.parts)
            made.append(_variable(text, "a list"))
            at = end
        else:
            made.append(chunks[at])
            at += 1
    return made


def _list_end(chunks: list[Chunk], start: int) -> int:
    """Where a list of variables with the same delimiters between them ends, or where it starts if there is none."""
    for between, items_min in _LISTS:
        step = len(between) + 1
        end = start + 1
        while [chunk.form for chunk in chunks[end : end + step]] == [*between, VARIABLE]:
            end += step
        if (end - start - 1) // step + 1 >= items_min:
            return end
    return start
