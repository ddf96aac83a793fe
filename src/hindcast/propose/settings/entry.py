"""A setting as it stands in a file: its key, its value, and exactly where both are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Form(StrEnum):
    """How a setting is written, which decides how a value is quoted and how a neighbour is added."""

    # NAME=value, one a line.
    LINE = "line"
    YAML = "yaml"
    JSON = "json"
    TOML = "toml"
    CODE = "code"
    # Inside another value: `-Xmx512m`, `--workers=4`.
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a configuration, by position; nothing but its value is ever rewritten."""

    # Where it hangs: ("services", "web", "environment", "POOL_SIZE"); the key is the last part.
    path: tuple[str, ...]
    # Without quotes.
    value: str
    # Where the value stands in the text, quotes not included.
    start: int
    end: int
    form: Form
    quote: str = ""
    # Where the key stands; the same twice where it is not written as one word.
    key_start: int = 0
    key_end: int = 0
    # What document it is in, where documents say so: ("Deployment", "checkout").
    scope: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The last part of its path."""
        return self.path[-1]


@lru_cache(maxsize=16_384)
def words_of(*names: str) -> tuple[str, ...]:
    """Names taken apart into lower-case words: `maxPoolSize`, `MAX_POOL_SIZE` and `max-pool-size` are the same."""
    return tuple(word.lower() for name in names for word in _WORD.findall(name))


def line_of(text: str, offset: int) -> int:
    """The number of the line, from 1, that an offset is in."""
    return text.count("\n", 0, offset) + 1
