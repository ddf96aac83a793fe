"""A program that changes a workspace until it is stopped. Each life is a process of its own, forked from this one.

A line on its input begins a life: `on files` makes changes of every kind, that one first, until it is killed;
`files 7` makes one change of that kind and ends by itself at the seventh thing that it does to the machine, or when the
change is made. It tells each change after it was made, never before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from hindcast.adapters.workspace_git import FolderWorkspace, open_workspace
from hindcast.model.code import Edit
from hindcast.model.errors import Missing

STOPPED = 77
KINDS = ("files", "commit", "branch")
# What is done to the machine, as Python tells of it.
DEEDS = ("open", "os.", "fcntl.", "shutil.")


def say(line: str) -> None:
    """One line, in one write, so that lines of two processes never mix."""
    os.write(1, f"{line}\n".encode())


def edits(read: Callable[[str], tuple[str, str]], paths: tuple[str, ...], marker: str) -> list[Edit]:
    """Edits that give every file one marker; every other marker the last of them is not there."""
    found = []
    for path in paths:
        digest, _ = read(path)
        text = None if path == paths[-1] and int(marker) % 2 else f"{marker}\n"
        if text is not None or digest:
            found.append(Edit(path, digest, text))
    return found


def here(code: FolderWorkspace) -> Callable[[str], tuple[str, str]]:
    """Reads files as they lie there."""

    def read(path: str) -> tuple[str, str]:
        try:
            found = code.read(path)
        except Missing:
            return "", "0"
        return found.digest, found.text

    return read


def there(code: FolderWorkspace) -> Callable[[str], tuple[str, str]]:
    """Reads files of the branch, or of the last commit before there is one."""

    def read(path: str) -> tuple[str, str]:
        for commit in ("fix/crash", "HEAD"):
            try:
                found = code.read_at(path, commit)
            except Missing as missing:
                if missing.field == "path":
                    return "", "0"
                continue
            return found.digest, found.text
        return "", "0"

    return read


def change(code: FolderWorkspace, kind: str) -> None:
    """Make the next change of a kind."""
    paths = tuple(f"{kind}/{name}.txt" for name in ("one", "deep/two", "deep/er/three"))
    read = there(code) if kind == "branch" else here(code)
    marker = str(int(read(paths[0])[1]) + 1)
    say(f"begins {kind} {marker}")
    how = {"files": {}, "commit": {"message": marker}, "branch": {"branch": "fix/crash", "message": marker}}[kind]
    code.apply(edits(read, paths, marker), **how)
    say(f"made {kind} {marker}")


def live(root: Path, words: list[str]) -> None:
    """One life."""
    if words[0] == "on":
        code = open_workspace(root)
        first = KINDS.index(words[1])
        for number in count(first):
            change(code, KINDS[number % len(KINDS)])
    kind, last = words[0], int(words[1])
    done = 0

    def tally(event: str, _: object) -> None:
        nonlocal done
        if event.startswith(DEEDS):
            done += 1
            if done >= last:
                os._exit(STOPPED)

    code = open_workspace(root)
    sys.addaudithook(tally)
    change(code, kind)
    os._exit(0)


def main() -> None:
    """Fork a life for every line that comes in."""
    # Everything is imported and read once before the first life.
    open_workspace(Path(sys.argv[1])).state()
    say("ready")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(Path(sys.argv[1]), line.split())
        say(f"began {child}")
        _, status = os.waitpid(child, 0)
        say(f"ended {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
