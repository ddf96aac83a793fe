"""Files of one setting a line: .env, ini, properties, TOML, systemd units, Dockerfiles, and settings kept in code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindcast.propose.settings.entry import Form, Setting
from hindcast.propose.settings.flow import Flow, Scalar, Unreadable
from hindcast.propose.settings.inner import inner
from hindcast.propose.settings.leaves import Leaf, settings_of_leaves

_SECTION = re.compile(r"^\s*\[\[?\s{0,200}([^\[\]\n]{1,200}?)\s{0,200}\]\]?\s*(?:[#;].*)?$")
_LINE = re.compile(
    r"^[ \t]*(?:export[ \t]+|set[ \t]+(?=[\w.]+[ \t]*=))?"
    r"(?P<key>[A-Za-z_\"'][\w.\-/\"'\[\]]*)[ \t]*(?P<mark>[=:])[ \t]*(?P<rest>.*)$",
    re.I,
)
# `maxmemory-policy noeviction` as Redis has it, `worker_connections 1024;` as nginx has it.
_SPACED = re.compile(r"^[ \t]*(?P<key>[a-z][\w.-]*)[ \t]+(?P<rest>[^\s=:{}#;]+[ \t]{0,200};?[ \t]*(?:#.*)?)$")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_PAIR = re.compile(
    r"""(?P<key>[A-Za-z_][\w.-]{0,200})=(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s"']*))"""
)
_ENV = re.compile(r"^[ \t]*(?:ENV|ARG)[ \t]+(?P<rest>.*)$", re.I)
_ENV_SPACED = re.compile(r"^(?P<key>[A-Za-z_]\w*)[ \t]+(?P<value>[^=\n]+?)[ \t]{0,200}$")
_UNIT_ENVIRONMENT = re.compile(r"^Environment=(?P<rest>.*)$")
# `name = literal` and `"name": literal` in code, in calls too; what is computed is nobody's setting.
_LITERAL = (
    r"""(?:"(?P<double>[^"\\\n]*)"|'(?P<single>[^'\\\n]*)'|(?P<plain>-?\d[\d_]*(?:\.\d+)?|True|False|true|false))"""
)
_ASSIGNED = re.compile(
    r"(?<![\w.=!<>\"'])[\"']?(?P<key>[A-Za-z_]\w*)[\"']?\s*(?::\s*(?:int|float|str|bool|number|string|boolean)\s*=|=(?![=>])|:=|:)\s*"
    + _LITERAL
    + r"(?=\s*[,)\]};#]|\s*//|\s*$)"
)
_DEFAULT = re.compile(
    r"(?:environ\.get|getenv|env(?:\.\w+)?|config)\(\s*[\"'](?P<key>[A-Za-z_]\w*)[\"']\s*,\s*(?:default\s*=\s*)?"
    + _LITERAL
    + r"\s*\)"
    r"|process\.env\.(?P<name>[A-Za-z_]\w*)\s*(?:\|\||\?\?)\s*"
    + _LITERAL.replace("?P<double>", "?P<double2>")
    .replace("?P<single>", "?P<single2>")
    .replace("?P<plain>", "?P<plain2>")
)


def read_lines(text: str, *, form: Form = Form.LINE, is_spaced: bool = False) -> tuple[Setting, ...]:
    """The settings of a text with one `key = value` a line, in sections or not; `key value` as well where it is so."""
    found: list[Setting] = []
    section: tuple[str, ...] = ()
    is_item = False
    at = 0
    for line in text.split("\n"):
        if (match := _SECTION.match(line)) is not None:
            section = _dotted(match[1]) if form is Form.TOML else (match[1],)
            is_item = line.lstrip().startswith("[[")
        elif (unit := _UNIT_ENVIRONMENT.match(line)) is not None:
            found.extend(_pairs(unit["rest"].strip("\"'"), at + unit.start("rest") + _leading(unit["rest"]), section))
        elif not line.lstrip().startswith(("#", ";", "//", "!")) and (match := _LINE.match(line)) is not None:
            found.extend(_line(text, match, at, section, form))
            if is_item and match["key"] == "name" and found:
                # The tables of an array are told apart by their names.
                section, is_item = (*section, found[-1].value), False
        elif is_spaced and (match := _SPACED.match(line)) is not None:
            found.extend(_line(text, match, at, section, form))
        at += len(line) + 1
    return tuple(found)


def read_dockerfile(text: str) -> tuple[Setting, ...]:
    """The variables that an image is built with."""
    found: list[Setting] = []
    at = 0
    for line in text.split("\n"):
        if (match := _ENV.match(line)) is not None:
            rest, start = match["rest"], at + match.start("rest")
            spaced = _ENV_SPACED.match(rest)
            if spaced is not None:
                key = start + spaced.start("key"), start + spaced.end("key")
                value = start + spaced.start("value")
                found.append(
                    Setting((spaced["key"],), spaced["value"], value, start + spaced.end("value"), Form.LINE, "", *key)
                )
            else:
                found.extend(_pairs(rest, start, ()))
        elif "=" in line:
            found.extend(inner(Scalar(line, at, at + len(line)), ()))
        at += len(line) + 1
    return tuple(found)


def read_code(text: str) -> tuple[Setting, ...]:
    """Names that are given a plain value in code, and what a variable of the environment is by default."""
    found: list[Setting] = []
    at = 0
    for line in text.split("\n"):
        if len(line) < 500 and not line.lstrip().startswith(("#", "//", "*", "/*")):
            matches = (*_ASSIGNED.finditer(line), *_DEFAULT.finditer(line))
            found.extend(_of_code(match, at) for match in matches)
        at += len(line) + 1
    return tuple(sorted(found, key=lambda one: one.start))


def _of_code(match: re.Match[str], at: int) -> Setting:
    groups = match.groupdict()
    named = "key" if groups.get("key") else "name"
    kind = next(
        one for one in ("plain", "double", "single", "plain2", "double2", "single2") if groups.get(one) is not None
    )
    quote = {"double": '"', "single": "'"}.get(kind.rstrip("2"), "")
    start, end = at + match.start(kind), at + match.end(kind)
    return Setting(
        (match[named],), match[kind], start, end, Form.CODE, quote, at + match.start(named), at + match.end(named)
    )


def _line(text: str, match: re.Match[str], at: int, section: tuple[str, ...], form: Form) -> Iterator[Setting]:
    key = Scalar(match["key"].strip("\"'"), at + match.start("key"), at + match.end("key"))
    path = (*section, *(_dotted(match["key"]) if form is Form.TOML else (key.text,)))
    rest, start = match["rest"], at + match.start("rest")
    if form is Form.TOML and rest[:1] in "{[" and rest:
        yield from _inline(text, start, path)
        return
    value = _value(rest, start)
    if value is None:
        return
    yield Setting(path, value.text, value.start, value.end, form, value.quote, key.start, key.end)
    yield from inner(value, path)


def _value(rest: str, start: int) -> Scalar | None:
    """A value up to its comment."""
    quoted = _QUOTED.match(rest)
    if quoted is not None:
        if re.match(r"\s{0,80};?\s{0,80}(?:[#;].*)?$", rest[quoted.end() :]) is None:
            return None
        return Scalar(quoted.group()[1:-1], start + 1, start + quoted.end() - 1, rest[0])
    if rest[:1] in ('"', "'") or rest.endswith("\\"):
        # It goes on in the next line.
        return None
    plain = re.split(r"(?<!\s)\s+[#;]", rest)[0].rstrip()
    if plain.endswith(";") and not re.search(r"[=;].*;", plain):
        # It ends a statement; the last of several belongs to the value, as in a connection's string.
        plain = plain[:-1].rstrip()
    return Scalar(plain, start, start + len(plain))


def _inline(text: str, start: int, path: tuple[str, ...]) -> Iterator[Setting]:
    leaves: list[Leaf] = []
    items = iter(range(1, 10**6))

    def emit(path: tuple[str | int, ...], key: Scalar | None, value: Scalar) -> None:
        leaves.append(Leaf(path, key, value))

    try:
        Flow(text, emit, lambda: next(items), separator="=").read(start, path)
    except Unreadable:
        return
    yield from settings_of_leaves(leaves, Form.TOML)


def _pairs(rest: str, start: int, section: tuple[str, ...]) -> Iterator[Setting]:
    for match in _PAIR.finditer(rest):
        kind = next(one for one in ("plain", "double", "single") if match[one] is not None)
        quote = {"double": '"', "single": "'"}.get(kind, "")
        key = start + match.start("key"), start + match.end("key")
        value = Scalar(match[kind], start + match.start(kind), start + match.end(kind), quote)
        yield Setting((*section, match["key"]), value.text, value.start, value.end, Form.LINE, quote, *key)
        yield from inner(value, (*section, match["key"]))


def _dotted(key: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", key) if part.strip())


def _leading(rest: str) -> int:
    return len(rest) - len(rest.lstrip("\"'"))
