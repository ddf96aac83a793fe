"""Laws of history: every line is blamed on the commit that wrote it, over moves and merges, as the line itself says."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.working import ENVIRONMENT, Tree, forget_settings

from hindcast.model.code import LineSpan

# What a commit does to the file: put lines in, take lines out, move it, leave it alone, or do the first two on both
# sides of a merge, one in the upper half and one in the lower.
DEEDS = st.lists(
    st.tuples(st.sampled_from(["in", "out", "move", "other", "merge"]), st.integers(0, 99), st.integers(1, 3)),
    min_size=1,
    max_size=8,
)


@dataclass
class Told:
    """A history as it is told to git, and what is known of it."""

    lines: list[str] = field(default_factory=lambda: [f"commit 0, line {number}, as it was" for number in range(12)])
    path: str = "start.py"
    count: int = 0
    stream: list[str] = field(default_factory=list)
    # Every path that it had, and the commits that touched it at the path that it has.
    paths: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)

    def commit(self, *, parents: tuple[int, ...], lines: list[str], moved: bool = False, other: bool = False) -> int:
        """A commit of the file; the number by which its lines name it."""
        number = self.count
        self.count += 1
        message, text = f"commit {number}", "".join(f"{line}\n" for line in lines)
        # Time stands still now and then, as it does when many commits are made at once.
        self.stream.append(f"commit refs/heads/b{number}\nmark :{number + 1}\n")
        self.stream.append(f"committer Ana <ana@example.org> {1_700_000_000 + number // 3} +0000\n")
        self.stream.append(f"data {len(message)}\n{message}\n")
        self.stream.extend(f"{'merge' if at else 'from'} :{parent + 1}\n" for at, parent in enumerate(parents))
        if other:
            self.stream.append(f"M 100644 inline other.py\ndata {len(message)}\n{message}\n")
            return number
        if moved:
            self.stream.append(f"D {self.path}\n")
            self.paths.append(self.path)
            self.path = f"moved{number}/file.py"
            self.touched = []
        self.stream.append(f"M 100644 inline {self.path}\ndata {len(text)}\n{text}\n")
        return number

    def changed(self, verb: str, lines: list[str], at: int, size: int) -> list[str]:
        """Lines with some put in, or taken out."""
        at = at % (len(lines) + 1)
        if verb == "out":
            return [*lines[:at], *lines[at + size :]]
        return [*lines[:at], *(f"commit {self.count}, line {at} {step}, new" for step in range(size)), *lines[at:]]


def tell(deeds: list[tuple[str, int, int]]) -> Told:
    """A history of one file."""
    told = Told()
    head = told.commit(parents=(), lines=told.lines)
    told.touched = ["commit 0"]
    for verb, at, size in deeds:
        before = list(told.lines)
        if verb == "merge":
            half = len(before) // 2
            upper = told.changed("in", before[:half], at, size)
            one = told.commit(parents=(head,), lines=[*upper, *before[half:]])
            lower = told.changed("in", before[half:], at, size)
            two = told.commit(parents=(head,), lines=[*before[:half], *lower])
            told.lines = [*upper, *lower]
            head = told.commit(parents=(one, two), lines=told.lines)
            told.touched += [f"commit {number}" for number in (one, two, head)]
        elif verb in ("move", "other"):
            head = told.commit(parents=(head,), lines=before, moved=verb == "move", other=verb == "other")
            told.touched += [f"commit {head}"] if verb == "move" else []
        else:
            told.lines = told.changed(verb, before, at, size)
            head = told.commit(parents=(head,), lines=told.lines)
            told.touched += [f"commit {head}"] if told.lines != before else []
    told.stream.append(f"reset refs/heads/main\nfrom :{head + 1}\n\n")
    return told


@settings(max_examples=40)
@given(DEEDS)
def test_every_line_is_blamed_on_the_commit_that_wrote_it(deeds: list[tuple[str, int, int]]) -> None:
    """Over any history of insertions, removals, moves and merges, blame, commits and whereabouts are what was told."""
    forget_settings()
    told = tell(deeds)
    if len(told.lines) < 8:
        # Too little is left of the file to be known again after a move.
        return
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place) / "code").init()
        command = ["git", "-C", str(tree.root), "fast-import", "--quiet"]
        subprocess.run(command, env=ENVIRONMENT, input="".join(told.stream).encode(), check=True)
        tree.git("reset", "-q", "--hard")
        code = tree.open()

        assert code.read(told.path).text == "".join(f"{line}\n" for line in told.lines)
        seen = dict(blamed_lines(code.blame(told.path, LineSpan(1, 999))))
        assert seen == {at: line.partition(",")[0] for at, line in enumerate(told.lines, 1)}
        commits = code.commits(told.path, commits_max=99)
        assert sorted(one.subject for one in commits) == sorted(told.touched)
        for path in told.paths:
            assert code.now_at(path) == (told.path,)
        assert list(code.paths()) == sorted(
            {told.path, *(["other.py"] if "other" in {one[0] for one in deeds} else [])}
        )


def blamed_lines(found: object) -> Iterator[tuple[int, str]]:
    """Every line that has a commit, with the first line of its message."""
    assert isinstance(found, tuple)
    for one in found:
        for line in range(one.lines.first, one.lines.last + 1):
            yield line, one.commit.subject
