"""The payment service of the demo's shop as a project: its files of today, and how they came to be so.

It is code that somebody else might have written, kept as text: nothing here imports or runs it. The fix of the Redis
outage was made in it six weeks ago, was lost when a function moved, and the pool is larger than ever.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from importlib.resources import files as resources
from importlib.resources.abc import Traversable

import msgspec

from hindcast.model.errors import Malformed

# Files are kept with this ending, so that no tool takes them for ours.
_KEPT = ".txt"
# Where the service's container has its code.
_CONTAINER = "/app/"
_FRAME = re.compile(r'^  File "(?P<path>[^"]+)", line (?P<line>\d+), in \S+\n    (?P<code>.+)$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ShopCommit:
    """One commit of the project, with every file as it was then."""

    by: str
    at: datetime
    subject: str
    files: Mapping[str, str]


class _Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    was: str
    # Empty: `was` is the whole file.
    now: str = ""


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A commit as it stands in the file."""

    by: str
    days: int
    at: str
    subject: str
    added: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    change: tuple[_Change, ...] = ()


@cache
def files() -> Mapping[str, str]:
    """Today's files by their paths."""
    return dict(sorted(_below(resources(__name__).joinpath("files"), "")))


def commits(*, now: datetime) -> tuple[ShopCommit, ...]:
    """The project's history, oldest first, as seen from `now`. Raises Malformed when `now` has no timezone."""
    if now.tzinfo is None:
        raise Malformed(
            f"{now.isoformat()} has no timezone.", field="now", remedy="Give a time such as 2026-11-15T02:03:04Z."
        )
    told = tomllib.loads(resources(__name__).joinpath("commits.toml").read_text(encoding="utf-8"))
    found: list[ShopCommit] = []
    tree = dict(files())
    for one in reversed(msgspec.convert(told["commit"], list[_Written])):
        day = (now - timedelta(days=one.days)).date()
        at = datetime.combine(day, time.fromisoformat(one.at), now.tzinfo)
        found.append(ShopCommit(one.by, at, one.subject, tree))
        tree = _before(one, tree)
    return tuple(reversed(found))


def printed_today(stack: str) -> str:
    """A past trace as today's code would print it: the same frames, on the lines where their code is by now."""

    def moved(match: re.Match[str]) -> str:
        text = files().get(match["path"].removeprefix(_CONTAINER), "")
        lines = [line.strip() for line in text.split("\n")]
        if match["code"] not in lines:
            return match[0]
        line = lines.index(match["code"]) + 1
        return match[0].replace(f", line {match['line']}, in ", f", line {line}, in ", 1)

    return _FRAME.sub(moved, stack)


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(_KEPT):
            yield f"{path}{entry.name.removesuffix(_KEPT)}", entry.read_text(encoding="utf-8")


def _before(commit: _Written, after: Mapping[str, str]) -> dict[str, str]:
    """The files as they were before a commit."""
    tree = {path: text for path, text in after.items() if path not in commit.added}
    for change in commit.change:
        text = tree[change.path]
        if not change.now:
            tree[change.path] = change.was
            continue
        assert text.count(change.now) == 1, f"{commit.subject}: what {change.path} became is not there once"
        tree[change.path] = text.replace(change.now, change.was)
    for old, new in commit.renamed.items():
        tree[old] = tree.pop(new)
    return tree
