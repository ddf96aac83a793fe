"""Settings inside a value: flags of a command line, environment variables in one string, defaults of references."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindcast.propose.settings.entry import Form, Setting
from hindcast.propose.settings.flow import Scalar

_FLAG = re.compile(r"(?:(?<=[\s\"'])|^)(-XX:|-D|--)([A-Za-z][\w.:-]*)=([^\s\"',]+)")
_HEAP = re.compile(r"(?:(?<=\s)|^)(-X(?:mx|ms|mn|ss))(\d+[kKmMgGtT]?)(?=\s|$)")
_ASSIGNMENT = re.compile(r"^([A-Za-z_][\w.-]*)=(.*)$", re.S)
# `${POOL_SIZE:-50}` in a shell and in compose, `${POOL_SIZE:50}` in Spring: what counts when nothing else is set.
DEFAULTED = re.compile(r"^\$\{[\w.-]+:-?([^${}]*)\}$")
# A value that is somewhere else.
REFERENCE = re.compile(r"^\$\{?[\w.:-]+\}?$|^\$\(|\{\{|^\*\w|^<.*>$|^%[\w]+%$")


def inner(value: Scalar, path: tuple[str, ...], scope: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Flags that are written in a value."""
    if "-" not in value.text:
        return
    for match in _FLAG.finditer(value.text):
        start = value.start + match.start(3)
        at = value.start + match.start(2), value.start + match.end(2)
        yield Setting((*path, match[2]), match[3], start, start + len(match[3]), Form.FLAG, "", *at, scope)
    for match in _HEAP.finditer(value.text):
        start = value.start + match.start(2)
        at = value.start + match.start(1), value.start + match.end(1)
        yield Setting((*path, match[1].lstrip("-")), match[2], start, start + len(match[2]), Form.FLAG, "", *at, scope)


def assignment(value: Scalar, path: tuple[str, ...], form: Form, scope: tuple[str, ...] = ()) -> Iterator[Setting]:
    """`NAME=value` as one text."""
    match = _ASSIGNMENT.match(value.text)
    if match is None:
        return
    start = value.start + match.start(2)
    key = value.start + match.start(1), value.start + match.end(1)
    yield Setting(
        (*path, match[1]),
        match[2],
        start,
        value.end,
        Form.LINE if form is Form.LINE else form,
        value.quote,
        *key,
        scope,
    )


def defaulted(setting: Setting) -> Setting | None:
    """The default of a reference as the value that can be set here; None where the value is set elsewhere."""
    match = DEFAULTED.match(setting.value)
    if match is not None:
        start = setting.start + match.start(1)
        return Setting(
            setting.path,
            match[1],
            start,
            start + len(match[1]),
            setting.form,
            setting.quote or "$",
            setting.key_start,
            setting.key_end,
            setting.scope,
        )
    return None if REFERENCE.search(setting.value) else setting
