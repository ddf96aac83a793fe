"""Fetches from an origin, in a process of its own: `python -m hindcast.adapters.clone_fetch`, started by `clone_git`.

Git's library can wait without end for an origin that stops talking, in places that no time limit of it reaches. A
process can be ended from outside, at any moment; and it ends itself when its parent is gone.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pygit2
from pygit2.remotes import TransferProgress

from hindcast.model.errors import HindcastError, Missing, Refused
from hindcast.model.reading import ready

REMOTE = "origin"


class FetchRequest(msgspec.Struct, frozen=True):
    """What to fetch: into which repository, from where, by which proxy, and how much of it."""

    folder: str
    url: str
    proxy: str
    commits_max: int
    objects_max: int
    # After so long the process is gone, whatever it does.
    seconds_max: float


class FetchResult(msgspec.Struct, frozen=True):
    """The branch that the origin calls its own and its head; or why there is none."""

    branch: str = ""
    commit: str = ""
    # A class of the error tree, and what it says; or what git's library said.
    kind: str = ""
    problem: str = ""
    remedy: str = ""
    git: str = ""


class _Callbacks(pygit2.RemoteCallbacks):
    """Nobody signs in anywhere, and nothing goes beyond its limits."""

    def __init__(self, objects_max: int) -> None:
        super().__init__()
        self._objects_max = objects_max

    def credentials(self, url: str, username_from_url: str | None, allowed_types: int) -> None:  # type: ignore[override]  # noqa: ARG002
        """None: what is asked for is a public repository."""
        raise Refused(
            "The repository asks who wants it.",
            field="url",
            remedy="Clone it yourself, then register the clone by its path; no password is kept here.",
        )

    def transfer_progress(self, stats: TransferProgress) -> None:
        """Look at the limit now and then."""
        if stats.total_objects > self._objects_max:
            raise Refused(
                f"The repository has more than {self._objects_max} objects.",
                field="url",
                remedy="Upload the part that matters, or register a clone of your own by its path.",
            )


def fetch(wanted: FetchRequest) -> FetchResult:
    """The branch that the origin calls its own, as it is there now."""
    repository = pygit2.Repository(wanted.folder)
    callbacks = _Callbacks(wanted.objects_max)
    try:
        remote = _remote(repository, wanted.url)
        heads = remote.list_heads(callbacks=callbacks, proxy=wanted.proxy)
        branch = next((one.symref_target or "" for one in heads if one.name == "HEAD"), "")
        if not branch.startswith("refs/heads/"):
            raise Missing("The repository has no branch of its own yet.", field="url", remedy="Push a commit first.")
        name = branch.removeprefix("refs/heads/")
        spec = f"+{branch}:refs/remotes/{REMOTE}/{name}"
        remote.fetch([spec], callbacks=callbacks, proxy=wanted.proxy, depth=wanted.commits_max)
        commit = repository.references[f"refs/remotes/{REMOTE}/{name}"].peel(pygit2.Commit)
    except HindcastError as error:
        return FetchResult(kind=type(error).__name__, problem=error.problem, remedy=error.remedy)
    except pygit2.GitError as error:
        return FetchResult(git=str(error) or "Git's library failed.")
    return FetchResult(name, str(commit.id))


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


def clear(folder: Path) -> None:
    """Remove what a fetch that was ended half-way has left."""
    for left in (folder / ".git" / "objects" / "pack").glob("pack_git2_*"):
        left.unlink(missing_ok=True)


def main() -> None:
    """Fetch what is asked for on the standard input, and tell on the standard output what came of it."""
    wanted = msgspec.json.decode(sys.stdin.buffer.read(), type=FetchRequest)
    # Its usual action ends the process, wherever it stands.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, wanted.seconds_max)
    sys.stdout.buffer.write(msgspec.json.encode(fetch(wanted)))


ready(FetchRequest, FetchResult)


if __name__ == "__main__":
    main()
