"""Copies of repositories elsewhere, over https and only there: shallow, within limits, and nothing of them is run.

No hooks, no filters, no submodules, and links are written as plain files. How much a checkout would be is counted
before the first file is written: a tree of a few kilobytes can unfold into billions of files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pygit2
from pygit2.enums import CheckoutStrategy, FileMode, FileStatus
from pygit2.remotes import TransferProgress

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
_REMOTE = "origin"


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
            with self._fetched(repository, url) as (branch, commit):
                self._check_tree(commit)
                return _checked_out(repository, branch, commit) if is_new else _moved(repository, branch, commit)
        finally:
            repository.free()

    @contextmanager
    def _fetched(self, repository: pygit2.Repository, url: str) -> Iterator[tuple[str, pygit2.Commit]]:
        """The branch that the origin calls its own, as it is there now."""
        limits = self._limits
        with Tunnel(self._guard, bytes_max=limits.bytes_max, seconds_max=limits.seconds_max) as tunnel:
            callbacks = _Callbacks(tunnel, limits)
            remote = _remote(repository, url)
            try:
                heads = remote.list_heads(callbacks=callbacks, proxy=tunnel.url)
                branch = next((one.symref_target or "" for one in heads if one.name == "HEAD"), "")
                if not branch.startswith("refs/heads/"):
                    raise Missing(
                        "The repository has no branch of its own yet.", field="url", remedy="Push a commit first."
                    )
                name = branch.removeprefix("refs/heads/")
                spec = f"+{branch}:refs/remotes/{_REMOTE}/{name}"
                remote.fetch([spec], callbacks=callbacks, proxy=tunnel.url, depth=limits.commits_max)
            except pygit2.GitError as error:
                raise tunnel.problem or _said(error, url) from error
        commit = repository.references[f"refs/remotes/{_REMOTE}/{name}"].peel(pygit2.Commit)
        yield name, commit

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


class _Callbacks(pygit2.RemoteCallbacks):
    """Nobody signs in anywhere, and nothing goes beyond its limits."""

    def __init__(self, tunnel: Tunnel, limits: CloneLimits) -> None:
        super().__init__()
        self._tunnel, self._limits = tunnel, limits

    def credentials(self, url: str, username_from_url: str | None, allowed_types: int) -> None:  # type: ignore[override]  # noqa: ARG002
        """None: what is asked for is a public repository."""
        raise Refused(
            "The repository asks who wants it.",
            field="url",
            remedy="Clone it yourself, then register the clone by its path; no password is kept here.",
        )

    def transfer_progress(self, stats: TransferProgress) -> None:
        """Look at the limits now and then."""
        self._tunnel.check_time()
        if stats.total_objects > self._limits.objects_max:
            raise Refused(
                f"The repository has more than {self._limits.objects_max} objects.",
                field="url",
                remedy="Upload the part that matters, or register a clone of your own by its path.",
            )


def _remote(repository: pygit2.Repository, url: str) -> pygit2.remotes.Remote:
    """Where to fetch from: the very address that was judged.

    Many people's own settings send https addresses to ssh or to a mirror (`url.….insteadOf`), past every judgement. The
    longest rule wins, so the whole address stands for itself; whatever still leads elsewhere is refused.
    """
    with suppress(pygit2.GitError, ValueError):
        repository.config[f"url.{url}.insteadOf"] = url
    remote = repository.remotes.create_anonymous(url)
    if remote.url != url:
        raise Refused(
            "The settings of git on this machine send that address elsewhere.",
            field="url",
            remedy="Take out its url.….insteadOf, or clone it yourself and register the clone by its path.",
        )
    return remote


def _begun(folder: Path, url: str) -> pygit2.Repository:
    repository = pygit2.init_repository(str(folder))
    for name, value in _CONFIG.items():
        repository.config[name] = value
    repository.remotes.create(_REMOTE, url)
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


def _said(error: pygit2.GitError, url: str) -> HindcastError:
    words = str(error).replace(url, "…")[:200]
    if "404" in words or "not found" in words.lower():
        return Missing("There is no repository at that address.", field="url", remedy="Check its spelling.")
    return Unavailable(f"It cannot be cloned: {words}.", field="url", remedy="Check the address, or try again later.")
