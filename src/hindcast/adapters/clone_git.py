"""Copies of repositories elsewhere, over https and only there: shallow, within limits, and nothing of them is run.

No hooks, no filters, no submodules, and links are written as plain files. How much a checkout would be is counted
before the first file is written: a tree of a few kilobytes can unfold into billions of files. What talks to the origin
is a process of its own, which is ended at its deadline.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pygit2
from pygit2.enums import CheckoutStrategy, FileMode, FileStatus

import hindcast
from hindcast.adapters.clone_fetch import REMOTE, FetchRequest, FetchResult, clear
from hindcast.adapters.clone_tunnel import Tunnel
from hindcast.adapters.outbound import Outbound
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale, Unavailable

_CONFIG = {
    "core.symlinks": "false",
    "core.autocrlf": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.hooksPath": "/dev/null",
}
_KINDS: Mapping[str, type[HindcastError]] = {"Missing": Missing, "Refused": Refused}
# A fetch whose tunnel is over ends by itself, mostly; after so long it is ended.
END_SECONDS_MAX = 2.0


@dataclass(frozen=True, slots=True)
class CloneLimits:
    """How much a clone may be."""

    # Enough history for blame and for files that moved lately.
    commits_max: int = 300
    bytes_max: int = 300_000_000
    seconds_max: float = 120.0
    objects_max: int = 500_000
    files_max: int = 100_000
    checkout_bytes_max: int = 1_000_000_000


class Cloner:
    """Clones, and brings clones up to date."""

    def __init__(self, guard: Outbound, limits: CloneLimits | None = None) -> None:
        self._guard = guard
        self._limits = limits or CloneLimits()

    def __call__(self, url: str, folder: Path) -> str:
        """A clone in an empty folder, or an old one brought up to date; its head."""
        check_url(url, self._guard)
        is_new = not (folder / ".git").exists()
        repository = _begun(folder, url) if is_new else pygit2.Repository(str(folder))
        try:
            found = self._fetched(folder, url)
            commit = repository[found.commit].peel(pygit2.Commit)
            self._check_tree(commit)
            settle = _checked_out if is_new else _moved
            return settle(repository, found.branch, commit)
        finally:
            repository.free()

    def _fetched(self, folder: Path, url: str) -> FetchResult:
        """The branch that the origin calls its own, as it is there now. It takes no longer than it may."""
        limits = self._limits
        with Tunnel(self._guard, bytes_max=limits.bytes_max, seconds_max=limits.seconds_max) as tunnel:
            seconds_max = max(limits.seconds_max, 0) + END_SECONDS_MAX
            wanted = FetchRequest(
                str(folder), url, tunnel.url, limits.commits_max, limits.objects_max, seconds_max + END_SECONDS_MAX
            )
            try:
                # Its own folder comes first on its path, and nothing of where the server happens to run.
                done = subprocess.run(
                    [sys.executable, "-P", "-m", "hindcast.adapters.clone_fetch"],
                    input=msgspec.json.encode(wanted),
                    stdout=subprocess.PIPE,
                    env={**os.environ, "PYTHONPATH": str(Path(hindcast.__file__).resolve().parents[1])},
                    timeout=seconds_max,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                # It was ended. What the tunnel knows is the better reason: mostly the same.
                clear(folder)
                raise (tunnel.problem or tunnel.late()) from None
            if done.returncode:
                clear(folder)
                raise tunnel.problem or Unavailable(
                    "It cannot be cloned: git's library has failed.", field="url", remedy="Try again later."
                )
            found = msgspec.json.decode(done.stdout, type=FetchResult)
            if found.kind:
                raise _KINDS[found.kind](found.problem, field="url", remedy=found.remedy)
            if found.git:
                raise tunnel.problem or _said(found.git, url)
            return found

    def _check_tree(self, commit: pygit2.Commit) -> None:
        """Raise Refused where a checkout would be too much; counting ends there, however much more there is."""
        files, size, waiting = 0, 0, [commit.tree]
        while waiting:
            for entry in waiting.pop():
                files += 1
                if isinstance(entry, pygit2.Tree):
                    waiting.append(entry)
                elif isinstance(entry, pygit2.Blob) and entry.filemode != FileMode.COMMIT:
                    size += entry.size
                if files > self._limits.files_max or size > self._limits.checkout_bytes_max:
                    raise Refused(
                        "The repository unfolds into more than is kept.",
                        field="url",
                        remedy=f"Up to {self._limits.files_max} files; upload the part that matters.",
                    )


def check_url(url: str, guard: Outbound) -> None:
    """Raise unless this may be cloned: https, no password in it, and a public address."""
    parts = urlsplit(url)
    if parts.scheme != "https" or parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise Malformed(
            "This is no address to clone from.",
            field="url",
            remedy="Give one such as https://git.example.com/shop.git.",
        )
    guard.check(url, field="url")


def _begun(folder: Path, url: str) -> pygit2.Repository:
    repository = pygit2.init_repository(str(folder))
    for name, value in _CONFIG.items():
        repository.config[name] = value
    repository.remotes.create(REMOTE, url)
    return repository


def _checked_out(repository: pygit2.Repository, branch: str, commit: pygit2.Commit) -> str:
    repository.references.create(f"refs/heads/{branch}", commit.id)
    repository.set_head(f"refs/heads/{branch}")
    repository.checkout_head(strategy=CheckoutStrategy.FORCE)  # type: ignore[no-untyped-call]
    return str(commit.id)


def _moved(repository: pygit2.Repository, branch: str, commit: pygit2.Commit) -> str:
    """Follow the origin, unless somebody has changed something here."""
    here = repository.references.get(f"refs/heads/{branch}")
    if here is None or repository.head_is_detached or repository.head.name != here.name:
        raise _own_changes("it stands on another branch")
    if here.target == commit.id:
        return str(commit.id)
    # What a process that ended half-way has left is what would be written now.
    is_there = not list(repository.diff(commit.tree.id, flags=pygit2.enums.DiffOption.INCLUDE_UNTRACKED).deltas)
    changed = [
        path for path, flags in repository.status().items() if flags not in (FileStatus.CURRENT, FileStatus.IGNORED)
    ]
    if changed and not is_there:
        raise _own_changes(f"{changed[0]} is changed")
    if not repository.descendant_of(commit.id, here.target):
        raise _own_changes("it has commits of its own, or the origin was rewritten")
    # Nothing is changed here, and a link that is kept as a file would count as a change.
    repository.checkout_tree(commit.tree, strategy=CheckoutStrategy.FORCE)  # type: ignore[no-untyped-call]
    here.set_target(commit.id)
    return str(commit.id)


def _own_changes(what: str) -> Stale:
    return Stale(
        f"The clone cannot follow its origin: {what}.",
        field="workspace",
        remedy="Take the changes over, then remove the workspace with its files and add it again.",
    )


def _said(error: str, url: str) -> HindcastError:
    words = error.replace(url, "…")[:200]
    if "404" in words or "not found" in words.lower():
        return Missing("There is no repository at that address.", field="url", remedy="Check its spelling.")
    return Unavailable(f"It cannot be cloned: {words}.", field="url", remedy="Check the address, or try again later.")
