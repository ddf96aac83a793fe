"""How fast a workspace of 50,000 files with a history answers, and how long a change of it takes to be safe on disk."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from hindcast.adapters.runtime import seldom_collecting
from hindcast.adapters.workspace_git import open_workspace
from hindcast.model.code import Edit, LineSpan
from hindcast.ports import Workspace

FOLDERS = 2_500
FILES_PER_FOLDER = 20
COMMITS = 2_000
# Files that the commits are about, and how often one of them is moved.
BUSY_FILES = 40
COMMITS_PER_MOVE = 50
RUNS = 7


def measure() -> dict[str, float]:
    """Milliseconds in the median of a few runs; `tree_ms` is the first listing of a workspace that was just opened."""
    # As a server does.
    with tempfile.TemporaryDirectory() as place, seldom_collecting():
        root = Path(place) / "code"
        moved = make(root)
        found = {"tree_ms": timed(lambda: open_workspace(root).paths())}
        first = open_workspace(root)
        found["moves_first_ms"] = timed(lambda: open_workspace(root).now_at(moved), runs=3)
        first.now_at(moved)
        found["moves_ms"] = timed(lambda: first.now_at(moved))
        # What follows is asked of one that is open, as a server's is.
        first.paths()
        found |= reading(first) | changing(first)
        first.close()
    return found


def reading(code: Workspace) -> dict[str, float]:
    """Everything that only reads."""
    path = code.paths()[0]
    busy = next(path for path in code.paths() if path.startswith("busy/"))
    return {
        "tree_again_ms": timed(code.paths),
        "state_ms": timed(code.state),
        "folder_ms": timed(lambda: code.entries("package7")),
        "read_ms": timed(lambda: code.read(path)),
        "search_ms": timed(lambda: code.search("nobody wrote this", lines_max=100), runs=3),
        "blame_ms": timed(lambda: code.blame(busy, LineSpan(1, 40)), runs=3),
        "commits_ms": timed(lambda: code.commits(busy, commits_max=5), runs=3),
    }


def changing(code: Workspace) -> dict[str, float]:
    """What is on the disk when it returns."""
    path = code.paths()[0]
    names = [f"fix/{number}" for number in range(RUNS)]
    texts = [f"x = {number}\n" for number in range(RUNS)]

    def edit() -> Edit:
        return Edit(path, code.read(path).digest, texts.pop())

    on_branch = timed(lambda: code.apply([Edit("new.py", "", "x\n")], branch=names.pop(), message="Fix"))
    in_place = timed(lambda: code.apply([edit()]))
    code.apply([Edit("other.py", "", "x\n")])
    texts.extend(f"y = {number}\n" for number in range(RUNS))
    path = code.paths()[1]
    return {
        "apply_ms": in_place,
        "branch_ms": on_branch,
        "commit_ms": timed(lambda: code.apply([edit()], message="Fix")),
    }


def timed(work: Callable[[], object], runs: int = RUNS) -> float:
    """Milliseconds that something takes, in the median."""
    took = []
    for _ in range(runs):
        started = perf_counter()
        work()
        took.append((perf_counter() - started) * 1000)
    return median(took)


def make(root: Path) -> str:
    """A repository of many files and commits; a path that a file had long ago."""
    root.mkdir(parents=True)
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.environ["PATH"]}

    def git(*words: str, told: bytes = b"") -> None:
        subprocess.run(["git", *words], cwd=root, env=settings, input=told, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("fast-import", "--quiet", told=b"".join(history()))
    git("reset", "-q", "--hard")
    return "busy/file0_0.py"


def history() -> Iterator[bytes]:
    """Commits as git takes them in: one that brings all files, and many that change and move a few."""
    yield _commit(0)
    for folder in range(FOLDERS):
        for file in range(FILES_PER_FOLDER):
            path = f"package{folder % 50}/module{folder}/file{file}.py"
            yield _file(path, f"x = {folder * FILES_PER_FOLDER + file}\n")
    names = [f"busy/file{number}_0.py" for number in range(BUSY_FILES)]
    lines = [[f"line {line} of {number}\n" for line in range(60)] for number in range(BUSY_FILES)]
    for number, name in enumerate(names):
        yield _file(name, "".join(lines[number]))
    for commit in range(1, COMMITS):
        yield _commit(commit)
        number = commit % BUSY_FILES
        lines[number][commit * 7 % 60] = f"line of commit {commit}\n"
        if commit % COMMITS_PER_MOVE == 0:
            yield f"D {names[0]}\n".encode()
            names[0] = f"busy/file0_{commit}.py"
            yield _file(names[0], "".join(lines[0]))
        yield _file(names[number], "".join(lines[number]))


def _commit(number: int) -> bytes:
    message = f"Commit {number}"
    who = f"Ana <ana@example.org> {1_700_000_000 + number * 600} +0000"
    return f"commit refs/heads/main\ncommitter {who}\ndata {len(message)}\n{message}\n".encode()


def _file(path: str, text: str) -> bytes:
    return f"M 100644 inline {path}\ndata {len(text)}\n{text}\n".encode()


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:.4g}")
