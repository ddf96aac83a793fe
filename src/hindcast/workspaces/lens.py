"""The memory lens: what is remembered about the functions of a file, for whoever looks at it before changing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hindcast.casebook import cases_in
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.code import Blamed, CodeCommit, Context, LineSpan, Place, SourceFile
from hindcast.model.errors import HindcastError, Missing
from hindcast.ports.code import Code
from hindcast.propose.carry.syntax import functions, has_grammar
from hindcast.propose.context import broke_before, context_of, troubles
from hindcast.propose.lines import FILE_CHARS_MAX

_DIFF_PATH = re.compile(r"^(?:\+\+\+|---) (?:[ab]/)?(\S+)", re.M)
# A file with more is generated, or nobody reads the margin of all of them.
FUNCTIONS_MAX = 300


@dataclass(frozen=True, slots=True)
class KnownFunction:
    """A function of a file, and what is known about it."""

    name: str
    lines: LineSpan
    context: Context
    # "It broke twice before, last on …"; empty for what never did.
    broke: str


@dataclass(frozen=True, slots=True)
class Lens:
    """A file as memory sees it."""

    path: str
    # Of the bytes that this was read from.
    digest: str
    # About the file as a whole: also what is in none of its functions.
    context: Context
    broke: str
    functions: tuple[KnownFunction, ...]


class Lenses:
    """Lenses of all spaces. The cases that name code are read again only when something was written."""

    def __init__(self, existing: Callable[[str], Memory | None]) -> None:
        self._existing = existing
        # By space: the step up to which cases were read, and those that name code.
        self._read: dict[str, tuple[int, tuple[Case, ...]]] = {}

    def of(self, space: str, path: str, code: Code) -> Lens:
        """A file of a workspace of a space as its memory sees it."""
        return lens_of(path, code, self._cases(space))

    def _cases(self, space: str) -> tuple[Case, ...]:
        memory = self._existing(space)
        if memory is None:
            return ()
        view = memory.now()
        step = view.newest_step
        known = self._read.get(space)
        if known is None or known[0] != step:
            known = (step, tuple(case for case in cases_in(view) if names_code(case)))
            self._read[space] = known
        return known[1]


def names_code(case: Case) -> bool:
    """Whether a case can say anything about a file: by its trace, or by what was changed."""
    return any(_code_in(case))


def _code_in(case: Case) -> Iterator[str]:
    yield case.stack
    if case.resolution is not None:
        yield case.resolution.diff
    yield from (attempt.diff for attempt in case.attempts)


def lens_of(path: str, code: Code, cases: Iterable[Case]) -> Lens:
    """What memory knows about a file and its functions, from top to bottom. Raises as `Code.read` does."""
    file = code.read(path)
    once = _Once(code, file)
    whole = Place(path, 0, "", LineSpan(1, len(file.lines)), 1.0, "")
    name = path.rpartition("/")[2]
    # Most cases have nothing to do with this file: they are looked at once, and closely only where they have its name,
    # or that of a file that history says is this one.
    near = [
        case
        for case in cases
        if (any(name in text for text in _code_in(case)) or _led_here(case, once)) and troubles(whole, (case,), once)
    ]
    context = context_of(whole, once, near)
    found: list[KnownFunction] = []
    if has_grammar(file.tongue) and len(file.text) <= FILE_CHARS_MAX:
        for one in functions(file.text, file.tongue)[:FUNCTIONS_MAX]:
            lines = LineSpan(one.first + 1, one.last + 1)
            inner = context_of(Place(path, lines.first, one.name, lines, 1.0, ""), once, near)
            found.append(KnownFunction(one.name, lines, inner, broke_before(inner.troubles)))
    return Lens(path, file.digest, context, broke_before(context.troubles), tuple(found))


def _led_here(case: Case, once: _Once) -> bool:
    """Whether a fix of this case changed what is this file today."""
    diffs = [text for text in _code_in(case) if text and text is not case.stack]
    return any(once.path in once.now_at(path) for diff in diffs for path in set(_DIFF_PATH.findall(diff)))


class _Once:
    """Code of which each file is read, and this one file blamed, once."""

    def __init__(self, code: Code, file: SourceFile) -> None:
        self._code = code
        self._files: dict[str, SourceFile | None] = {file.path: file}
        self.path = file.path
        self._moved: dict[str, tuple[str, ...]] = {}
        self._today = frozenset(code.paths())
        self._blamed: tuple[Blamed, ...] | None = None
        self._lines = LineSpan(1, max(len(file.lines), 1))

    def paths(self) -> Sequence[str]:
        return self._code.paths()

    def read(self, path: str) -> SourceFile:
        if path not in self._files:
            try:
                self._files[path] = self._code.read(path)
            except HindcastError:
                self._files[path] = None
        file = self._files[path]
        if file is None:
            raise Missing(f"There is no file {path}.", field="path", remedy="Look at the tree.")
        return file

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:
        if path != self.path:
            return self._code.blame(path, lines)
        if self._blamed is None:
            try:
                self._blamed = self._code.blame(path, self._lines)
            except HindcastError:
                self._blamed = ()
        return tuple(
            Blamed(LineSpan(max(one.lines.first, lines.first), min(one.lines.last, lines.last)), one.commit)
            for one in self._blamed
            if one.lines.first <= lines.last and lines.first <= one.lines.last
        )

    def commits(self, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:
        return self._code.commits(path, commits_max=commits_max)

    def now_at(self, path: str) -> tuple[str, ...]:
        if path not in self._moved:
            try:
                is_there = path in self._today
                self._moved[path] = (path,) if is_there else self._code.now_at(path)
            except HindcastError:
                # What no path of a workspace can be has not moved.
                self._moved[path] = ()
        return self._moved[path]
