"""A year of a team's incidents: what broke in the seven services, what was tried, what helped and what backfired.

Written to be remembered. The same mechanism comes back in other people's words, different mechanisms look alike, some
cases know no cause, and some contradict each other, as in any team's history. The words of the simulator's own outages
are among them, so that one that is replayed has been seen before.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from hindcast.model.case import Case
from hindcast.model.errors import Malformed
from hindcast.simulate.history.written import SOURCE, Runbook, Written

__all__ = ["FAMILIES", "SOURCE", "cases", "mechanisms", "runbooks"]

# One file each, in the order in which they are told.
FAMILIES = (
    "postgres",
    "redis",
    "queues",
    "network",
    "certificates",
    "resources",
    "releases",
    "identity",
    "kubernetes",
    "outside",
)


def cases(*, now: datetime) -> tuple[Case, ...]:
    """Every incident of the year before today, oldest first. Clues are left to whoever puts them into memory.

    Raises Malformed when `now` has no timezone.
    """
    if now.tzinfo is None:
        raise Malformed(
            f"{now.isoformat()} has no timezone.", field="now", remedy="Give a time such as 2026-11-15T02:03:04Z."
        )
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return tuple(sorted((one.case(midnight) for one in _written()), key=lambda case: (case.occurred_at, case.id)))


def mechanisms() -> dict[str, tuple[str, ...]]:
    """The ids of the cases that broke in the same way for the same reason, by the name of the mechanism."""
    found: dict[str, tuple[str, ...]] = {}
    for one in _written():
        found[one.mechanism] = (*found.get(one.mechanism, ()), one.id)
    return found


def runbooks() -> tuple[dict[str, Any], ...]:
    """What the team looks at first, for failures that nobody has seen before: bodies of records, each with its id."""
    told = msgspec.convert(tomllib.loads(_text("runbooks"))["runbook"], list[Runbook])
    return tuple(msgspec.to_builtins(runbook) for runbook in told)


@cache
def _written() -> tuple[Written, ...]:
    return tuple(_told())


def _told() -> Iterator[Written]:
    for family in FAMILIES:
        yield from msgspec.convert(tomllib.loads(_text(family))["case"], list[Written])


def _text(name: str) -> str:
    return files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
