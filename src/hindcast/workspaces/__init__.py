"""Workspaces: where the code of a space lies, each under a name, remembered like everything else.

What is remembered is a word about a folder of this machine. The folders themselves are the matter of `Grounds`, which
opens nothing that was not admitted, whatever a record says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from hindcast.casebook.summaries import Lock
from hindcast.casebook.writing import write
from hindcast.memory import Memory, View
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.record import Change, Record
from hindcast.model.workspace import Registered, WorkspaceKind
from hindcast.ports.code import Workspace
from hindcast.ports.grounds import Grounds, Incoming, Taken
from hindcast.workspaces.opened import Opened

NAMESPACE = "workspaces"
KIND = "workspace"
NAME_CHARS_MAX = 64
WORKSPACES_MAX = 200
# Lower case: on some disks two names that differ in nothing else are one folder.
_NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{NAME_CHARS_MAX - 1}}}")


class Workspaces:
    """The workspaces of all spaces. Each is opened when somebody first needs it, and shared; callers close nothing."""

    def __init__(
        self,
        memory: Callable[[str], Memory],
        existing: Callable[[str], Memory | None],
        grounds: Grounds,
        *,
        lock: Lock = nullcontext,
    ) -> None:
        """`memory` begins the memory of a space where there is none, `existing` does not. `lock` makes locks."""
        self._memory, self._existing, self._grounds = memory, existing, grounds
        self._lock, self._turn = lock, lock()
        self._opened: dict[tuple[str, str], tuple[str, Opened]] = {}
        # One upload, refresh or removal of a workspace at a time.
        self._changing: dict[tuple[str, str], AbstractContextManager[Any]] = {}

    # Reading

    def names(self, space: str) -> tuple[Registered, ...]:
        """The workspaces of a space, by name."""
        memory = self._existing(space)
        return registered_in(memory.now()) if memory is not None else ()

    def registered(self, space: str, name: str) -> Registered:
        """One workspace. Raises Missing when there is none of that name."""
        memory = self._existing(space)
        found = _found(memory.now(), name) if memory is not None else None
        if found is None:
            raise Missing(
                f"There is no workspace {name[:NAME_CHARS_MAX]!r}.",
                field="workspace",
                remedy="`hindcast workspace list` shows them; `hindcast workspace add` adds one.",
            )
        return found

    def chosen(self, space: str, name: str = "") -> Registered:
        """The workspace of that name, or the only one there is."""
        if name:
            return self.registered(space, name)
        there = self.names(space)
        if not there:
            raise Missing(
                f"{space!r} has no workspace yet.",
                field="workspace",
                remedy="Add the folder with its code: hindcast workspace add PATH",
            )
        if len(there) > 1:
            names = ", ".join(one.name for one in there)
            remedy = f"Name one of them; on the command line: --workspace {there[0].name}"
            raise Malformed(f"There are several workspaces: {names}.", field="workspace", remedy=remedy)
        return there[0]

    def open(self, space: str, name: str = "") -> Workspace:
        """The code of a workspace. Raises Missing, and Refused for a folder that nobody admitted."""
        return self._open(space, self.chosen(space, name))

    def _open(self, space: str, registered: Registered) -> Opened:
        key = (space, registered.name)
        with self._turn:
            root, opened = self._opened.get(key, ("", None))
            if opened is not None and root == registered.root:
                return opened
            fresh = Opened(self._grounds.open(space, registered), self._lock(), self._lock())
            self._opened[key] = (registered.root, fresh)
        if opened is not None:
            opened.end()
        return fresh

    # Changing

    def add_folder(
        self, space: str, name: str, path: str, *, by: str, now: datetime, is_listed: bool = False
    ) -> Registered:
        """Register a folder of this machine; with `is_listed` only one that a setting allows.

        The same folder under the same name again changes nothing.
        """
        check_workspace_name(name)
        root = self._grounds.admit(space, path, is_listed=is_listed)
        registered = Registered(name, WorkspaceKind.PATH, root, by, now)
        # Whatever keeps it from being opened is said now, and not at 2 AM.
        self._grounds.open(space, registered).close()
        return self._register(space, registered)

    def add_clone(self, space: str, name: str, url: str, *, by: str, now: datetime) -> Registered:
        """Clone a repository from elsewhere and register the copy."""
        check_workspace_name(name)
        self._check_free(space, name)
        root = self._grounds.clone(space, name, url)
        registered = Registered(name, WorkspaceKind.CLONE, root, by, now, url)
        try:
            return self._register(space, registered)
        except Stale:
            self._grounds.remove(space, registered)
            raise

    def refresh(self, space: str, name: str) -> str:
        """Bring a clone up to what its origin has by now; its head."""
        registered = self.registered(space, name)
        if registered.kind is not WorkspaceKind.CLONE:
            raise Refused(
                f"{name} is not a clone.",
                field="workspace",
                remedy="A folder is always as it lies there; files that were uploaded are uploaded again.",
            )
        with self._alone(space, name), self._held(space, registered):
            return self._grounds.refresh(registered.root, registered.url)

    def upload(self, space: str, name: str, files: Iterable[Incoming], *, by: str, now: datetime) -> Taken:
        """Keep files as a workspace, or as the next commit of one: all of them, or none."""
        check_workspace_name(name)
        with self._alone(space, name):
            memory = self._existing(space)
            known = _found(memory.now(), name) if memory is not None else None
            if known is not None and known.kind is not WorkspaceKind.UPLOAD:
                raise Refused(
                    f"{name} is a {known.kind}, and its files come from there.",
                    field="workspace",
                    remedy="Upload to another name.",
                )
            return self._replace(space, name, files, known, by=by, now=now)

    def remove(self, space: str, name: str, *, by: str, with_files: bool = False) -> Registered:
        """Forget a workspace. Its files stay, unless they are a copy of ours and somebody says that they may go."""
        registered = self.registered(space, name)
        if with_files and registered.kind is WorkspaceKind.PATH:
            raise Refused(
                f"The files of {name} are not ours to remove.",
                field="files",
                remedy=f"Remove the workspace without its files; they lie in {registered.root}.",
            )
        with self._alone(space, name):
            address = Address(NAMESPACE, registered.name)
            self._memory(space).retract(address, actor=by, why=f"The workspace {name} is no longer used.")
            self._forget(space, name)
            if with_files:
                self._grounds.remove(space, registered)
                return registered
            if any(one.root == registered.root for one in self.names(space)):
                # It has another name, too.
                return registered
            return replace(registered, root=self._grounds.leave(space, registered))

    def close(self) -> None:
        """Let go of everything that was opened."""
        with self._turn:
            held = [opened for _, opened in self._opened.values()]
            self._opened.clear()
        for opened in held:
            opened.end()

    def _replace(
        self, space: str, name: str, files: Iterable[Incoming], known: Registered | None, *, by: str, now: datetime
    ) -> Taken:
        """The next folder of an upload, in one commit of memory; whoever writes into the old one waits meanwhile."""
        before = known.root if known is not None else ""
        with self._held(space, known):
            taken = self._grounds.take(space, name, files, before=before, by=by, message=f"Uploaded by {by}")
            if known is not None and not taken.commit:
                return taken
            registered = Registered(name, WorkspaceKind.UPLOAD, taken.root, by, now)
            try:
                self._register(space, registered, before=before)
            except Stale:
                self._grounds.remove(space, registered)
                raise
            self._forget(space, name)
        if before:
            self._grounds.retire(before)
        return taken

    def _register(self, space: str, registered: Registered, *, before: str = "") -> Registered:
        """Remember where a workspace lies, if nobody has said otherwise meanwhile."""
        memory = self._memory(space)
        kept: list[Registered] = [registered]

        def plan(view: View) -> list[Change]:
            known = _found(view, registered.name)
            if known is not None and _is_same(known, registered):
                kept[0] = known
                return []
            if known is not None and known.root != before:
                raise _taken(registered.name)
            if known is None and len(registered_in(view)) >= WORKSPACES_MAX:
                raise Refused(
                    f"A space has up to {WORKSPACES_MAX} workspaces.", field="name", remedy="Remove one that is unused."
                )
            return [_change(registered)]

        write(memory, plan, actor=registered.by, why=f"{registered.name} is at {registered.root}.")
        return kept[0]

    def _check_free(self, space: str, name: str) -> None:
        if any(one.name == name for one in self.names(space)):
            raise _taken(name)

    def _forget(self, space: str, name: str) -> None:
        with self._turn:
            _, opened = self._opened.pop((space, name), ("", None))
        if opened is not None:
            opened.end()

    def _held(self, space: str, registered: Registered | None) -> AbstractContextManager[Any]:
        """Nobody changes the files of a workspace through us meanwhile, also not who opens it only now."""
        if registered is None:
            return nullcontext()
        try:
            return self._open(space, registered).writing
        except HindcastError:
            # It cannot be opened, so nobody can change anything in it.
            return nullcontext()

    def _alone(self, space: str, name: str) -> AbstractContextManager[Any]:
        with self._turn:
            return self._changing.setdefault((space, name), self._lock())


def check_workspace_name(name: str) -> None:
    """Raise unless this can name a workspace."""
    if not _NAME.fullmatch(name):
        raise Malformed(
            f"{name[:NAME_CHARS_MAX]!r} cannot name a workspace.",
            field="name",
            remedy=f"Use up to {NAME_CHARS_MAX} lower-case letters, digits, - and _, as in shop-api.",
        )


def registered_in(view: View) -> tuple[Registered, ...]:
    """The workspaces that a moment shows, by name. What lies among them and is none is left out."""
    found = (_registered(record) for record in view.every(Filter(namespace=NAMESPACE, kind=KIND)))
    return tuple(sorted((one for one in found if one is not None), key=lambda one: one.name))


def _found(view: View, name: str) -> Registered | None:
    record = view.find(Address(NAMESPACE, name)) if _NAME.fullmatch(name) else None
    return _registered(record) if record is not None else None


def _registered(record: Record) -> Registered | None:
    try:
        found = msgspec.convert(record.body, Registered)
    except msgspec.ValidationError:
        return None
    return found if found.name == record.path and found.at.tzinfo is not None else None


def _change(registered: Registered) -> Change:
    text = " ".join(("workspace", registered.name, registered.url)).strip()
    return Change(
        Address(NAMESPACE, registered.name), msgspec.to_builtins(registered), KIND, text, occurred_at=registered.at
    )


def _is_same(one: Registered, other: Registered) -> bool:
    return (one.kind, one.root, one.url) == (other.kind, other.root, other.url)


def _taken(name: str) -> Stale:
    return Stale(
        f"There is a workspace {name!r} already.",
        field="name",
        remedy="Choose another name, or remove that one first.",
    )
