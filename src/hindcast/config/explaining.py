"""Explains settings: what each is, where its value came from, and what it is for; as values, as TOML and as a page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hindcast.config import Settings
from hindcast.config.reading import ReadSettings
from hindcast.config.setting import About, abouts, masked, variable

LINE_CHARS = 100
# What stands there when nobody says: it depends on the machine, so it is told in words.
_FOUND_OUT = {"store": "the user's data folder", "actor": "the login name"}

PAGE_HEAD = """# Settings

*Written from the code by `make generate`; a test compares the two.*

Flags beat the environment, the environment beats the file, and the file beats the defaults. The file is the one that
`--config` or `HINDCAST_CONFIG` names, or `hindcast.toml` in the user's configuration folder. In the environment a
setting is called `HINDCAST_` and its name in capitals.

`hindcast config` shows what each setting is and where that came from, `hindcast config check FILE` reads a file without
using it, and `hindcast config example` prints one to begin with. A value that cannot be right is refused by name,
before anything is opened.
"""


@dataclass(frozen=True, slots=True)
class Explained:
    """One setting, as it can be shown to anybody: secrets are masked."""

    name: str
    value: str | int
    # flag, environment, file or default.
    source: str
    default: str | int
    what: str
    group: str
    variable: str
    choices: tuple[str, ...] = ()
    is_secret: bool = False


def explained(found: ReadSettings[Settings]) -> tuple[Explained, ...]:
    """Every setting as it is."""
    return tuple(
        _explained(found.settings, found.sources[name], name, default, about) for name, default, about in _all()
    )


def explained_values(settings: Settings) -> tuple[Explained, ...]:
    """The same of settings whose origin nobody knows: what differs from the default was set."""
    return tuple(
        _explained(settings, "default" if getattr(settings, name) == default else "set", name, default, about)
        for name, default, about in _all()
    )


def _explained(settings: Settings, source: str, name: str, default: str | int, about: About) -> Explained:
    value = masked(about, getattr(settings, name))
    known = (about.what, about.group, variable(name), about.choices, about.is_secret)
    return Explained(name, value, source, default, *known)


def _all() -> list[tuple[str, Any, About]]:
    return [(field.name, field.default, about) for field, about in abouts(Settings)]


def example() -> str:
    """A TOML file with every setting, each commented out at its default."""
    lines = ["# Hindcast. Every setting is here at its default; take the # away from what should be different."]
    for group, members in _groups():
        lines += ["", f"# --- {group} ---"]
        for name, default, about in members:
            lines += ["", *(f"# {line}" for line in textwrap.wrap(_told(about), LINE_CHARS))]
            lines.append(f"# {name} = {_toml(default)}")
    return "\n".join(lines) + "\n"


def page() -> str:
    """docs/reference/settings.md."""
    parts = [PAGE_HEAD]
    for group, members in _groups():
        parts += [f"## {group}", "", "| setting | default | what it is for |", "|---|---|---|"]
        for name, default, about in members:
            shown = _FOUND_OUT.get(name) or (f"`{default}`" if default != "" else "empty")
            parts.append(f"| `{name}` | {shown} | {_told(about).replace('|', '&#124;')} |")
        parts.append("")
    return "\n".join(parts)


def _groups() -> Iterator[tuple[str, list[tuple[str, Any, About]]]]:
    every = _all()
    order = list(dict.fromkeys(about.group for _, _, about in every))
    ordered = sorted(every, key=lambda one: order.index(one[2].group))
    for group, members in groupby(ordered, key=lambda one: one[2].group):
        yield group, list(members)


def _told(about: About) -> str:
    return f"{about.what} One of: {', '.join(about.choices)}." if about.choices else about.what


def _toml(value: str | int) -> str:
    return str(value) if isinstance(value, int) else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
