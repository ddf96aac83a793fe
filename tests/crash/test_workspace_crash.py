"""A process that changes a workspace is stopped wherever it is: every change is there whole afterwards, or not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.working import Tree, forget_settings

from hindcast.adapters.workspace_git import open_workspace
from hindcast.model.errors import Missing

CHANGER = Path(__file__).with_name("changer.py")
STOPPED = 77
KINDS = ("files", "commit", "branch")
KILLS = 40
CHANGE_MS_MAX = 30
# More than any change does to the machine.
DEEDS_MAX = 400


class Changer:
    """The program, what it is told, and what it tells."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout
        self._rest = b""
        self._lines: list[str] = []
        # What lives told.
        self.told: list[str] = []

    def begin(self, words: str) -> int:
        """Begin a life; its process id."""
        self._to.write(f"{words}\n".encode())
        return int(self.until("began").partition(" ")[2])

    def until(self, word: str) -> str:
        """The next line that begins with a word; lines before it are kept for `told`."""
        while True:
            line = self._line()
            if line.startswith(word):
                return line
            self.told.append(line)

    def _line(self) -> str:
        while not self._lines:
            more = os.read(self._from.fileno(), 65_536)
            assert more, "the program ended by itself"
            *lines, self._rest = (self._rest + more).split(b"\n")
            self._lines.extend(line.decode() for line in lines)
        return self._lines.pop(0)


@contextmanager
def changer(root: Path, environment: Mapping[str, str]) -> Iterator[Changer]:
    """The program that forks lives."""
    command = [sys.executable, str(CHANGER), str(root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
    ) as process:
        try:
            made = Changer(process)
            made.until("ready")
            yield made
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.kill()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A repository, with something staged that no change is about."""
    forget_settings()
    made = Tree(tmp_path / "code").init()
    made.write("readme.txt", "1\n")
    made.commit("The beginning")
    made.write("staged.txt", "1\n")
    made.git("add", "staged.txt")
    return made


def settled(tree: Tree, kind: str) -> int:
    """Open the workspace after somebody was stopped: nothing is left lying, and the marker that all files have."""
    code = open_workspace(tree.root)
    paths = [f"{kind}/{name}.txt" for name in ("one", "deep/two", "deep/er/three")]
    texts = []
    for path in paths:
        try:
            found = code.read_at(path, "fix/crash") if kind == "branch" else code.read(path)
            texts.append(found.text)
        except Missing:
            texts.append("")
    markers = {int(text) for text in texts[:-1] if text}
    assert len(markers) <= 1
    assert not markers or all(texts[:-1])
    marker = markers.pop() if markers else 0
    assert texts[-1] == ("" if marker % 2 or not marker else f"{marker}\n")
    left = [
        path for path in tree.root.rglob("*") if ".hindcast" in path.name or path.name.endswith((".lock", "journal"))
    ]
    assert left == []
    if kind == "commit":
        # What is committed, what is staged and what lies there are one.
        assert tree.git("status", "--porcelain", "-uno") == "A  staged.txt"
        assert tree.git("log", "-1", "--format=%s") == (str(marker) if marker else "The beginning")
    code.close()
    return marker


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_whole_wherever_it_stops(tree: Tree, source_environment: Mapping[str, str], kind: str) -> None:
    """Stopped after each single thing that it does to the machine, a change is there in all files or in none."""
    outcomes = set()
    with changer(tree.root, source_environment) as program:
        before = settled(tree, kind)
        for last in range(1, DEEDS_MAX):
            program.begin(f"{kind} {last}")
            code = int(program.until("ended").partition(" ")[2])
            after = settled(tree, kind)
            assert after in (before, before + 1)
            outcomes.add(after - before)
            if code == 0:
                assert after == before + 1
                break
            assert code == STOPPED
            before = after
        else:
            pytest.fail("the change never came to its end")
    # Some were stopped before they counted, and some after.
    assert outcomes == {0, 1}
    assert tree.git("fsck", "--strict", "--no-dangling") == ""


def test_what_somebody_changed_since_is_left_alone(tree: Tree, source_environment: Mapping[str, str]) -> None:
    """After a stop, files that somebody has changed meanwhile stay theirs; the others are all new, or all old again."""
    names = [f"files/{name}.txt" for name in ("one", "deep/two", "deep/er/three")]
    journal = tree.root / ".git/hindcast-journal"
    outcomes = set()
    with changer(tree.root, source_environment) as program:
        for last in range(1, DEEDS_MAX):
            for name in names:
                tree.write(name, "1\n")
            program.begin(f"files {last}")
            if program.until("ended") == "ended 0":
                break
            if not journal.exists():
                continue
            for mine, *others in (names, names[::-1]):
                kept = journal.read_bytes()
                before = {name: tree.raw(name) for name in others}
                tree.write(mine, "mine\n")
                open_workspace(tree.root).close()
                assert tree.raw(mine) == b"mine\n"
                after = {tree.raw(name) for name in others}
                assert after in ({b"1\n"}, {b"2\n"})
                outcomes |= after
                assert not journal.exists()
                # The same stop once more, met by somebody who changed another file.
                tree.write(mine, "1\n")
                for name, raw in before.items():
                    tree.write(name, raw)
                journal.write_bytes(kept)
            journal.unlink()
    assert outcomes == {b"1\n", b"2\n"}


def test_no_kill_leaves_half_a_change(tree: Tree, source_environment: Mapping[str, str]) -> None:
    """Killed at random instants, again and again: what was told is done is done, and nothing is done in part."""
    chance = random.Random(7)
    markers = dict.fromkeys(KINDS, 0)
    with changer(tree.root, source_environment) as program:
        for number in range(KILLS):
            life = program.begin(f"on {KINDS[number % 3]}")
            for _ in range(chance.randint(1, 3)):
                program.told.append(program.until("begins"))
            # It is somewhere in a change now.
            time.sleep(chance.uniform(0, CHANGE_MS_MAX) / 1000)
            os.kill(life, signal.SIGKILL)
            program.until("ended")
            told = dict(markers)
            for line in program.told:
                verb, kind, marker = line.split()
                if verb == "made":
                    told[kind] = max(told[kind], int(marker))
            program.told.clear()
            for kind in KINDS:
                markers[kind] = settled(tree, kind)
                assert told[kind] <= markers[kind] <= told[kind] + 1
    assert sum(markers.values()) > KILLS / 2
    assert tree.git("fsck", "--strict", "--no-dangling") == ""
    assert tree.raw("staged.txt") == b"1\n"
