"""Postmortems beside the record that a person made of them, and how much of it is read."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hindcast.learn.postmortem import read_postmortem
from hindcast.learn.roles import plain_words
from hindcast.model.case import Attempt, Case

FOLDER = Path(__file__).resolve().parent / "golden" / "postmortems"
# So much of a person's words has to stand in what was read.
SHARE_MIN = 0.6
FALLBACK = datetime(1999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Wanted:
    """An attempt as a person recorded it."""

    action: str
    outcome: str
    # Words that have to stand in a sentence that it cites.
    proof: str = ""
    by: str = ""


@dataclass(frozen=True)
class Page:
    """A page with its record."""

    name: str
    text: str
    cause: str
    fix: str
    attempts: tuple[Wanted, ...]
    people: tuple[str, ...] = ()
    title: str = ""
    minutes: float | None = None
    started: str = ""
    state: str = ""

    def read(self) -> Case:
        """The case that is read out of it."""
        return read_postmortem(self.text, name=self.name, fallback_at=FALLBACK).case


def pages(folder: str) -> Iterator[Page]:
    """The pages of a folder, each with the record beside it."""
    for path in sorted((FOLDER / folder).glob("*.toml")):
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        page = next(other for other in path.parent.glob(f"{path.stem}.*") if other.suffix != ".toml")
        attempts = tuple(Wanted(*one) for one in given.pop("attempts", []))
        people = tuple(given.pop("people", ()))
        yield Page(name=page.name, text=page.read_text(encoding="utf-8"), attempts=attempts, people=people, **given)


def stems(text: str) -> set[str]:
    """The words of a statement that tell anything, without their endings."""
    return {word[:5] for word in plain_words(text).split() if len(word) > 2 or word.isdigit()}


def says(found: str, wanted: str) -> bool:
    """Whether a text says what a person's words say."""
    return not wanted or len(stems(wanted) & stems(found)) >= SHARE_MIN * len(stems(wanted))


def paired(wanted: Sequence[Wanted], found: Sequence[Attempt]) -> list[tuple[Wanted, Attempt]]:
    """The attempts that were read with the right outcome, each with what was wanted."""
    left = list(found)
    pairs = []
    for one in wanted:
        match = next(
            (other for other in left if other.outcome.value == one.outcome and says(other.action, one.action)), None
        )
        if match is not None:
            left.remove(match)
            pairs.append((one, match))
    return pairs
