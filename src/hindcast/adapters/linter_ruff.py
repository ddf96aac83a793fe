"""Ruff as a linter: the program of the installed package, given a text and asked for some of its rules.

It runs without anybody's configuration, cache or environment, is given the text on its standard input, and writes
nothing. The same text is not looked at twice.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import msgspec
from ruff import find_ruff_bin  # type: ignore[import-untyped]

from hindcast.model.code import LineSpan
from hindcast.model.errors import Unavailable
from hindcast.model.reading import ready
from hindcast.ports import Lint

# A file this long was written by a program; what ruff says about it would be as long.
TEXT_CHARS_MAX = 500_000
ANSWER_BYTES_MAX = 20_000_000
TEXTS_KEPT_MAX = 64
# A trace leads through a few files; more runs at a time than this would only share the machine.
RUNS_MAX = 4


class _Point(msgspec.Struct, frozen=True):
    """A place in a text, both numbers from 1, in characters."""

    row: int
    column: int


class _Change(msgspec.Struct, frozen=True):
    """A piece of text and what it becomes."""

    content: str
    location: _Point
    end_location: _Point


class _Fix(msgspec.Struct, frozen=True):
    """What ruff would do about it."""

    edits: tuple[_Change, ...]
    applicability: str


class _Said(msgspec.Struct, frozen=True):
    """One line of ruff's answer."""

    code: str | None
    message: str
    location: _Point
    end_location: _Point
    fix: _Fix | None = None


class RuffLinter:
    """The linter that comes as a package."""

    def __init__(self, *, program: str | None = None, seconds_max: float = 5.0) -> None:
        self._program = program
        self._seconds_max = seconds_max
        self._answers = lru_cache(maxsize=TEXTS_KEPT_MAX)(self._ask)

    def lint(self, text: str, codes: Sequence[str]) -> tuple[Lint, ...]:
        """What some of ruff's rules say about a Python text."""
        if len(text) > TEXT_CHARS_MAX or not codes:
            return ()
        return self._answers(text, tuple(codes))

    def lint_each(self, texts: Sequence[str], codes: Sequence[str]) -> tuple[tuple[Lint, ...], ...]:
        """The same for several texts, beside each other: most of the time of a run is its start."""
        if len(texts) < 2:
            return tuple(self.lint(text, codes) for text in texts)
        with ThreadPoolExecutor(min(len(texts), RUNS_MAX)) as runs:
            return tuple(runs.map(lambda text: self.lint(text, codes), texts))

    def _ask(self, text: str, codes: tuple[str, ...]) -> tuple[Lint, ...]:
        said = self._run(text, codes)
        # What is no rule is a text that ruff cannot read.
        return tuple(_lint(one, text) for one in said if one.code in codes)

    def _run(self, text: str, codes: tuple[str, ...]) -> list[_Said]:
        rules = ",".join(codes)
        options = ["--isolated", "--no-cache", "--no-fix", "--exit-zero", "--quiet", "--output-format=json"]
        name = ["--stdin-filename=code.py", "-"]
        try:
            command = [self._program or find_ruff_bin(), "check", *options, f"--select={rules}", *name]
            ran = subprocess.run(
                command,
                input=text.encode("utf-8", "replace"),
                capture_output=True,
                check=False,
                timeout=self._seconds_max,
                env={},
            )
        except subprocess.TimeoutExpired as error:
            problem = f"ruff took longer than {self._seconds_max:g} seconds."
            raise Unavailable(problem, remedy="Try again when the machine is less busy.") from error
        except OSError as error:
            raise Unavailable(f"ruff could not be run: {error}.", remedy="Install the package ruff.") from error
        if ran.returncode or len(ran.stdout) > ANSWER_BYTES_MAX:
            said = ran.stderr.decode("utf-8", "replace").strip()[:200] or "it said too much"
            raise Unavailable(f"ruff failed: {said}.", remedy="Install the version of ruff that Hindcast asks for.")
        try:
            return msgspec.json.decode(ran.stdout, type=list[_Said])
        except msgspec.DecodeError as error:
            problem = f"ruff gave an answer that cannot be read: {error}."
            raise Unavailable(problem, remedy="Install the version of ruff that Hindcast asks for.") from error


def _lint(said: _Said, text: str) -> Lint:
    lines = LineSpan(said.location.row, max(said.location.row, said.end_location.row))
    return Lint(said.code or "", said.message, lines, _fixed(said.fix, text))


def _fixed(fix: _Fix | None, text: str) -> str | None:
    if fix is None or fix.applicability == "display-only":
        return None
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    fixed = text
    # From the end, so that the places of the others stay true.
    for edit in sorted(fix.edits, key=lambda one: (one.location.row, one.location.column), reverse=True):
        first = starts[edit.location.row - 1] + edit.location.column - 1
        last = starts[edit.end_location.row - 1] + edit.end_location.column - 1
        fixed = fixed[:first] + edit.content + fixed[last:]
    return fixed


ready(list[_Said])
