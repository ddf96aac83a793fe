"""Folders with code in tests: repositories made with git itself, folders of ours, and plain ones."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import ConfigLevel, Option

from hindcast.adapters.workspace_git import FolderWorkspace, open_workspace

# Nobody's settings but the repository's own.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_NAME": "Ana" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "ana@example.org" for who in ("AUTHOR", "COMMITTER")},
}


def forget_settings() -> None:
    """Let libgit2 know nothing of the settings of whoever runs the tests."""
    for level in (ConfigLevel.GLOBAL, ConfigLevel.SYSTEM, ConfigLevel.XDG):
        pygit2.option(Option.SET_SEARCH_PATH, level, os.devnull)


@dataclass(frozen=True)
class Tree:
    """A folder with code in it."""

    root: Path

    def git(self, *words: str, is_checked: bool = True) -> str:
        """What git says."""
        command = ["git", "-C", str(self.root), *words]
        ran = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert not is_checked or ran.returncode == 0, ran.stderr
        return ran.stdout.rstrip("\n")

    def init(self) -> Tree:
        """Make it a repository."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        return self

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file as it is given."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def commit(self, why: str = "A change", **files: str) -> str:
        """Commit everything that is there; the id of the commit."""
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-qm", why)
        return self.git("rev-parse", "HEAD")

    def raw(self, path: str) -> bytes:
        """A file as it lies there."""
        return (self.root / path).read_bytes()

    def open(self) -> FolderWorkspace:
        """The workspace in it."""
        return open_workspace(self.root)

    def everything(self) -> dict[str, bytes]:
        """Every file below it but the repository's own, with its bytes."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name != ".git"]
            for name in files:
                place = Path(folder) / name
                if place.is_file() and not place.is_symlink():
                    found[place.relative_to(self.root).as_posix()] = place.read_bytes()
        return found
