"""Changes of a file's settings by position: nothing but a value, or one new line beside its siblings, is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.propose.settings.entry import Form, Setting
from hindcast.propose.settings.reading import settings_in

_LITERAL = re.compile(r"^-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?$|^(?:true|false|null|True|False|None)$")
_PLAIN_YAML = re.compile(r"^[A-Za-z0-9_./+-](?:[\w./+@%=,-]|:(?=\S)| (?=[^#\s]))*$")


def written(value: str, like: Setting) -> str | None:
    """A value as it has to be written where another stands; None where it cannot be."""
    if "\n" in value or len(value) > 500:
        return None
    if like.quote == "$":
        return value if re.match(r"^[^${}\"'\s]*$", value) else None
    if like.quote:
        return value if like.quote not in value and "\\" not in value else None
    if like.form is Form.FLAG:
        return value if re.match(r"^[^\s\"',]+$", value) else None
    if like.form in (Form.JSON, Form.TOML, Form.CODE):
        return value if _LITERAL.match(value) else _double(value)
    if like.form is Form.YAML:
        return value if _PLAIN_YAML.match(value) and not value.endswith(":") else _double(value)
    if re.search(r"[\s#\"'$`\\]", value):
        # Shells and readers of .env take quotes; for other files quotes would be part of the value.
        return _double(value) if like.key.isupper() else None
    return value


def with_values(path: str, text: str, changes: Sequence[tuple[Setting, str]]) -> str | None:
    """A text with values put in the place of others; None unless reading it again gives just that."""
    made = text
    for setting, value in sorted(changes, key=lambda pair: -pair[0].start):
        new = written(value, setting)
        if new is None:
            return None
        made = made[: setting.start] + new + made[setting.end :]
    before, after = settings_in(path, text), settings_in(path, made)
    if all(setting.form is not Form.FLAG for setting, _ in changes):
        # A command line that is replaced as a whole may have other flags than before.
        before = tuple(one for one in before if one.form is not Form.FLAG)
        after = tuple(one for one in after if one.form is not Form.FLAG)
    if len(before) != len(after) or [one.path for one in before] != [one.path for one in after]:
        return None
    wanted: dict[tuple[tuple[str, ...], int], str] = {(one.path, one.start): value for one, value in changes}
    for old, new_one in zip(before, after, strict=True):
        where = (old.path, old.start)
        holds_one = any(old.start <= setting.start and setting.end <= old.end for setting, _ in changes)
        if where in wanted:
            if new_one.value != wanted.pop(where):
                return None
        elif not holds_one and new_one.value != old.value:
            return None
    # What is left stands within a value: a flag's string, the default of a reference.
    return (
        made if all(setting.quote == "$" for setting, _ in changes if (setting.path, setting.start) in wanted) else None
    )


def with_sibling(path: str, text: str, sibling: Setting, key: str, value: str) -> tuple[str, int] | None:
    """A text with a new setting written as its sibling is, on the line behind it, and that line's number.

    None where the sibling does not stand alone on its line, or reading it again does not give just that.
    """
    first = text.rfind("\n", 0, sibling.key_start) + 1
    end = text.find("\n", sibling.end)
    end = len(text) if end < 0 else end
    tail = text[sibling.end + len(sibling.quote.replace("$", "")) : end]
    head, between = text[first : sibling.key_start], text[sibling.key_end : sibling.start]
    if sibling.form in (Form.JSON, Form.CODE, Form.FLAG) or sibling.quote == "$" or between.count("\n") > 1:
        return None
    if not re.match(r"^[ \t]*(?:- +(?:name: *)?)?(?:export +|ENV +)?[\"']?$", head) or not re.match(
        r"^\s*(?:#.*)?$", tail
    ):
        return None
    new = written(value, sibling)
    if new is None:
        return None
    line = f"{head}{key}{between}{new}{sibling.quote}"
    made = f"{text[:end]}\n{line}{text[end:]}"
    before = [(one.path, one.value) for one in settings_in(path, text)]
    after = [(one.path, one.value) for one in settings_in(path, made)]
    added = (*sibling.path[:-1], key), value
    if after.count(added) != before.count(added) + 1 or len(after) != len(before) + 1:
        return None
    return made, text.count("\n", 0, end) + 2


def _double(value: str) -> str | None:
    return f'"{value}"' if '"' not in value and "\\" not in value else None
