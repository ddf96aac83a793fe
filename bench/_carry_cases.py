"""The cases of carry-over, read from `bench/carry_set`, and what comes of each."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from hindcast.model.code import Blamed, CodeCommit, LineSpan, Place, SourceFile, Tongue
from hindcast.model.errors import Missing
from hindcast.propose.carry import AlreadyFixed, Carried, Hints, Outcome, transplant

FOLDER = Path(__file__).with_name("carry_set")

_TONGUES = {
    ".py": Tongue.PYTHON,
    ".js": Tongue.JAVASCRIPT,
    ".mjs": Tongue.JAVASCRIPT,
    ".ts": Tongue.TYPESCRIPT,
    ".tsx": Tongue.TSX,
    ".go": Tongue.GO,
    ".yaml": Tongue.YAML,
    ".toml": Tongue.TOML,
}


@dataclass(frozen=True, slots=True)
class Shelf:
    """Code that lies in memory: paths and texts, and where history says that files went."""

    files: dict[str, str]
    moved: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def paths(self) -> Sequence[str]:
        """Every path, in order."""
        return sorted(self.files)

    def read(self, path: str) -> SourceFile:
        """A file by its path."""
        if path not in self.files:
            raise Missing(f"There is no file {path}.", field="path", remedy="Ask for one of its paths.")
        text = self.files[path]
        tongue = _TONGUES.get(Path(path).suffix, Tongue.TEXT)
        return SourceFile(path, text, sha256(text.encode()).hexdigest(), tongue)

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:  # noqa: ARG002
        """There is no history here."""
        return ()

    def commits(self, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:  # noqa: ARG002
        """There is no history here."""
        return ()

    def now_at(self, path: str) -> tuple[str, ...]:
        """Where a file went."""
        return self.moved.get(path, ())


@dataclass(frozen=True, slots=True)
class CarryCase:
    """One past fix, today's code, and what is right."""

    name: str
    kind: str
    half: str
    diff: str
    code: Shelf
    hints: Hints
    expect: str
    # Every file as it has to be afterwards; only those that change.
    expected: dict[str, str]

    def outcome(self) -> Outcome:
        """What carrying it over gives."""
        return transplant(self.diff, self.code, self.hints)

    def judge(self, outcome: Outcome) -> str:
        """`right`, `missed` (nothing was changed, but something should have been said or done) or `wrong`."""
        if isinstance(outcome, Carried):
            made = {one.edit.path: one.edit.text for one in outcome.files}
            return "right" if self.expect == "carried" and made == self.expected else "wrong"
        said = "already" if isinstance(outcome, AlreadyFixed) else "refused"
        return "right" if said == self.expect else "missed"


def cases() -> tuple[CarryCase, ...]:
    """Every case, in the order of its file."""
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        found += [_case(row) for row in tomllib.loads(path.read_text(encoding="utf-8"))["case"]]
    assert len({case.name for case in found}) == len(found), "two cases have one name"
    return tuple(found)


def _case(row: dict[str, Any]) -> CarryCase:
    files: dict[str, str] = row["files"]
    expected: dict[str, str] = {}
    for change in row.get("change", ()):
        path = change.get("path") or next(iter(files))
        text = expected.get(path, files[path])
        assert text.count(change["was"]) == 1, f"{row['name']}: what was there is not there once"
        expected[path] = text.replace(change["was"], change["now"])
    places = tuple(
        Place(one["path"], one["line"], one["function"], None, 0.9, "the trace", depth)
        for depth, one in enumerate(row.get("trace", ()))
    )
    diff = row["diff"].replace("\n", "\r\n") if row.get("crlf") else row["diff"]
    moved = {old: tuple(new) for old, new in row.get("moved", {}).items()}
    return CarryCase(
        row["name"], row["kind"], row["half"], diff, Shelf(files, moved), Hints(places), row["expect"], expected
    )
