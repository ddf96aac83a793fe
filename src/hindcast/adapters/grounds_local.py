"""Where workspaces lie on this machine: one folder for all copies of ours, and a list of folders that were admitted.

    <home>/admitted.json                      folders and their spaces; those that are only `listed` are so marked
    <home>/<space>/<workspace>/<token>/       a clone, or the files of an upload, each with its repository
    <home>/<space>/<workspace>/incoming-…     on its way in
    <home>/<space>/<workspace>/old-…          what an upload replaced, until the next one
    <home>/<space>/<workspace>/kept-…         what was forgotten and should stay

What is registered in memory is a word that many may write. A folder is opened only if it is a copy of ours, lies below
a folder that a setting lists, or was admitted from the command line.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from hindcast.adapters.upload import UploadLimits, unpack
from hindcast.model.access import organisation_of
from hindcast.model.errors import Damaged, Malformed, Missing, Refused
from hindcast.model.workspace import Registered, WorkspaceKind
from hindcast.ports.code import Workspace
from hindcast.ports.grounds import Incoming, Taken

TOKEN_BYTES = 8
INCOMING, OLD, KEPT = "incoming-", "old-", "kept-"
# How a folder came to be a space's: admitted on the machine itself, or registered over HTTP below a listed one.
ADMITTED, LISTED = "admitted", "listed"
# What is on its way in, or nobody's, for a day was left behind by a process that ended.
LEFT_BEHIND_SECONDS = 86_400

OpenWorkspace = Callable[[Path], Workspace]
# Makes a copy of what is at a URL in a folder that is not there yet, or brings it up to date; gives the head.
Fetch = Callable[[str, Path], str]


class LocalGrounds:
    """Grounds in folders of this machine."""

    def __init__(
        self,
        home: Path,
        open_workspace: OpenWorkspace,
        *,
        roots: Mapping[str, Iterable[Path]] | None = None,
        forbidden: Iterable[Path] = (),
        fetch: Fetch | None = None,
        limits: UploadLimits | None = None,
    ) -> None:
        """`roots` are listed by a setting, for each organisation; nothing `forbidden` is reached through them.

        Without `fetch` no clones.
        """
        self._home = home
        self._open = open_workspace
        self._roots = {owner: tuple(root.resolve() for root in folders) for owner, folders in (roots or {}).items()}
        self._forbidden = tuple(path.resolve() for path in (home, *forbidden))
        self._fetch = fetch
        self.limits = limits or UploadLimits()

    def admit(self, space: str, path: str, *, is_listed: bool) -> str:
        """The real path of a folder that may be opened from now on."""
        if "\x00" in path or not Path(path).is_absolute():
            raise Malformed(
                f"{path[:200]!r} is no absolute path.", field="path", remedy="Give it from the root, as in /srv/shop."
            )
        roots = self._roots_of(space)
        if is_listed and not roots:
            raise Refused(
                "No folder may be registered over HTTP here.",
                field="path",
                remedy="List one in workspace_roots, or use `hindcast workspace add` on the machine itself.",
            )
        # Whoever may not look there does not learn what there is.
        if is_listed and not self._is_below(Path(os.path.normpath(path)), roots):
            raise self._unlisted(path)
        try:
            real = Path(path).resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise Missing(f"There is no folder {path[:200]!r}.", field="path", remedy="Check its spelling.") from error
        if is_listed and not self._is_listed(space, real):
            raise self._unlisted(path)
        if not real.is_dir():
            raise Malformed(f"{path[:200]!r} is no folder.", field="path", remedy="Give the folder with the code.")
        self._note(space, str(real), LISTED if is_listed else ADMITTED)
        return str(real)

    def open(self, space: str, registered: Registered) -> Workspace:
        """The code, if its folder was admitted."""
        root = Path(registered.root)
        if registered.kind is WorkspaceKind.PATH:
            is_admitted = self._is_admitted(space, root)
        else:
            is_admitted = self._is_ours(space, registered)
        if not is_admitted or "\x00" in registered.root or root.is_symlink():
            raise Refused(
                f"The folder of {registered.name} is not admitted on this machine.",
                field="workspace",
                remedy="Have whoever runs it register the folder: hindcast workspace add PATH",
            )
        if not root.is_dir():
            raise Missing(
                f"The files of {registered.name} are gone: there is no folder {registered.root}.",
                field="workspace",
                remedy="Bring it back, or remove the workspace and add it anew.",
            )
        return self._open(root)

    def clone(self, space: str, name: str, url: str) -> str:
        """A copy of a repository elsewhere."""
        if self._fetch is None:
            raise Refused(
                "Cloning is not allowed here.", field="url", remedy="Set workspace_clones = on, or upload the files."
            )
        with self._incoming(space, name) as folder:
            self._fetch(url, folder)
            return str(self._kept(folder))

    def refresh(self, root: str, url: str) -> str:
        """Bring a copy up to what its origin has by now."""
        if self._fetch is None:
            raise Refused("Cloning is not allowed here.", field="url", remedy="Set workspace_clones = on.")
        return self._fetch(url, Path(root))

    def take(self, space: str, name: str, files: Iterable[Incoming], *, before: str, by: str, message: str) -> Taken:
        """Keep files that somebody sent, in a folder of their own."""
        # Git is loaded by whoever needs it: most commands do not.
        from hindcast.adapters.upload_commit import commit_folder

        # Where somebody has removed the files by hand, they begin anew.
        old = Path(before) if before and (Path(before) / ".git").is_dir() else None
        with self._incoming(space, name, old) as folder:
            unpacked = unpack(files, folder, self.limits)
            commit = commit_folder(folder, unpacked.paths, before=old, by=by, message=message)
            count = len(unpacked.paths)
            if not commit:
                return Taken(before, count, unpacked.bytes, "")
            # Once, for all files together: after a power cut the next start finds what was acknowledged.
            os.sync()
            return Taken(str(self._kept(folder)), count, unpacked.bytes, commit)

    def retire(self, root: str) -> None:
        """Whoever still reads there may finish; the next upload clears it away."""
        folder = Path(root)
        with contextlib.suppress(FileNotFoundError):
            folder.rename(folder.with_name(f"{OLD}{folder.name}"))

    def leave(self, space: str, registered: Registered) -> str:
        """A copy of ours gets a name that says so; somebody's own folder stays, and is no longer admitted."""
        root = Path(registered.root)
        if registered.kind is WorkspaceKind.PATH:
            self._note(space, registered.root, "")
        if not self._is_ours(space, registered) or not root.is_dir():
            return registered.root
        return str(root.rename(root.with_name(f"{KEPT}{root.name}")))

    def remove(self, space: str, registered: Registered) -> None:
        """Remove a copy of ours."""
        if not self._is_ours(space, registered):
            return
        root, folder = Path(registered.root), self._folder(space, registered.name)
        shutil.rmtree(root, ignore_errors=True)
        self._sweep(folder, root)
        for empty in (folder, folder.parent):
            with contextlib.suppress(OSError):
                empty.rmdir()

    def _is_ours(self, space: str, registered: Registered) -> bool:
        root = Path(registered.root)
        is_copy = registered.kind is not WorkspaceKind.PATH
        return is_copy and root.parent == self._folder(space, registered.name) and root.name.isalnum()

    @contextlib.contextmanager
    def _incoming(self, space: str, name: str, current: Path | None = None) -> Iterator[Path]:
        """A folder for what comes in, which is gone again unless it was kept."""
        workspace = self._folder(space, name)
        self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        workspace.mkdir(parents=True, exist_ok=True)
        self._sweep(workspace, current)
        folder = workspace / f"{INCOMING}{secrets.token_hex(TOKEN_BYTES)}"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _kept(self, folder: Path) -> Path:
        return folder.rename(folder.with_name(folder.name.removeprefix(INCOMING)))

    def _sweep(self, workspace: Path, current: Path | None) -> None:
        """Clear away what was replaced, and what processes that ended have left."""
        for one in workspace.iterdir() if workspace.is_dir() else ():
            is_left = one != current and time.time() - one.stat().st_mtime > LEFT_BEHIND_SECONDS
            if one.name.startswith(OLD) or (is_left and not one.name.startswith(KEPT)):
                shutil.rmtree(one, ignore_errors=True)

    def _folder(self, space: str, name: str) -> Path:
        return self._home / quote(space, safe="") / name

    # Admitted folders

    def _is_admitted(self, space: str, root: Path) -> bool:
        if not root.is_absolute() or root.resolve() != root:
            return False
        known = self._known()
        is_listed = self._is_listed(space, root) and not self._is_taken(space, root, known)
        return is_listed or [space, str(root)] in known

    def _roots_of(self, space: str) -> tuple[Path, ...]:
        return self._roots.get(organisation_of(space), ())

    def _is_listed(self, space: str, real: Path) -> bool:
        touches_ours = any(self._is_below(real, [path]) or self._is_below(path, [real]) for path in self._forbidden)
        return self._is_below(real, self._roots_of(space)) and not touches_ours

    @staticmethod
    def _is_below(path: Path, folders: Iterable[Path]) -> bool:
        return any(path.is_relative_to(folder) for folder in folders)

    def _is_taken(self, space: str, real: Path, known: Iterable[list[str]]) -> bool:
        """Whether a folder lies in or around one of another space."""
        others = [Path(one[1]) for one in known if one[0] != space]
        return self._is_below(real, others) or any(other.is_relative_to(real) for other in others)

    def _unlisted(self, path: str) -> Refused:
        return Refused(
            f"{path[:200]!r} lies in no folder that may be registered over HTTP.",
            field="path",
            remedy="Have it listed in workspace_roots, or use `hindcast workspace add` on the machine itself.",
        )

    def _known(self) -> list[list[str]]:
        """Space and folder of each; what was registered over HTTP has a third word, and is admitted by the setting."""
        try:
            found = json.loads((self._home / "admitted.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise Damaged(
                "The list of admitted folders cannot be read.",
                field="admitted.json",
                remedy=f"Remove {self._home / 'admitted.json'}, then add the folders again.",
            ) from error
        return [one for one in found if isinstance(one, list)] if isinstance(found, list) else []

    def _note(self, space: str, root: str, how: str) -> None:
        """Write down how a folder came to be a space's, or that it is no longer; several processes may do so at once.

        Raises Refused where it is to be registered over HTTP, and lies in or around a folder of another space.
        """
        self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self._home / "admitted.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            known = self._known()
            if how == LISTED and self._is_taken(space, Path(root), known):
                raise Refused(
                    f"{root[:200]!r} belongs to another project.",
                    field="path",
                    remedy="Use a folder of this project, or `hindcast workspace add` on the machine itself.",
                )
            mine = [one for one in known if one[:2] == [space, root]]
            # What was admitted on the machine itself stays so when it is registered over HTTP as well.
            entry = [space, root] if how == ADMITTED or (how and [space, root] in mine) else [space, root, how]
            if mine == ([entry] if how else []):
                return
            others = [one for one in known if one[:2] != [space, root]]
            written = self._home / "admitted.json.new"
            with written.open("w", encoding="utf-8") as out:
                json.dump([*others, entry] if how else others, out, indent=1)
                out.flush()
                os.fsync(out.fileno())
            written.replace(self._home / "admitted.json")
