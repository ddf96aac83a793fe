"""Files below a root, reached name by name: no link is ever followed, whoever swaps one in meanwhile.

Every folder on the way is opened from the one above it, without following links, and everything is done relative to
the folder that was opened. A path is only a list of names here; what the system would make of it never matters.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hindcast.adapters.workspace_git.names import shown
from hindcast.model.errors import Malformed, Missing, Refused, Unavailable

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting: what is no file may never have anything to read.
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

# Files in which a folder says what git is to do with others.
RULES = (".gitignore", ".gitattributes")

LIST = "List the folder to see what is there."


@dataclass(frozen=True, slots=True)
class Bytes:
    """A file as it lies there."""

    raw: bytes
    # Its permissions, as chmod takes them.
    mode: int
    # What the system told about it when it was read.
    stat: os.stat_result | None = None


@contextmanager
def folder(root: Path, names: Sequence[str], *, is_made: bool = False) -> Iterator[int]:
    """A folder, opened; made first with all that lead to it, if asked. Raises Missing, or Refused for a link."""
    opened = _root(root)
    try:
        for number, name in enumerate(names):
            try:
                if is_made:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o777, dir_fd=opened)
                        os.fsync(opened)
                deeper = os.open(name, FOLDER, dir_fd=opened)
            except OSError as error:
                raise refusal(error, opened, name, "/".join(names[: number + 1])) from error
            os.close(opened)
            opened = deeper
            _enter(opened, "/".join(names[: number + 1]))
        yield opened
    finally:
        os.close(opened)


def _enter(opened: int, path: str) -> None:
    """Raises Refused for a folder that is a repository of its own, as a submodule is."""
    try:
        os.stat(".git", dir_fd=opened, follow_symlinks=False)
    except OSError:
        return
    problem = f"{shown(path)} is a repository of its own."
    raise Refused(problem, field="path", remedy="Register it as a workspace to work in it.")


def check_rules(root: Path, names: Sequence[str]) -> None:
    """Raises Refused where a folder on the way has a pipe or device in place of rules: git would wait for it."""
    opened = _root(root)
    try:
        for depth in range(len(names) + 1):
            for name in RULES:
                with suppress(FileNotFoundError):
                    check_rule(os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode, (*names[:depth], name))
            if depth < len(names):
                try:
                    deeper = os.open(names[depth], FOLDER, dir_fd=opened)
                except OSError:
                    # What is not there has no rules; whoever goes there finds out.
                    return
                os.close(opened)
                opened = deeper
    finally:
        os.close(opened)


def check_rule(mode: int, names: Sequence[str]) -> None:
    """Raises Refused for rules that are no file; those that are a link are not read."""
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode) and not stat.S_ISDIR(mode):
        problem = f"{shown('/'.join(names))} is a device, pipe or socket."
        raise Refused(problem, field="path", remedy="Remove it: git reads rules from it.")


def _root(root: Path) -> int:
    try:
        return os.open(root, FOLDER)
    except OSError as error:
        problem = f"The folder of the workspace cannot be opened: {error.strerror}."
        raise Missing(problem, remedy="Bring it back, or register the workspace where it is now.") from error


def refusal(error: OSError, parent: int, name: str, path: str) -> Missing | Malformed | Refused | Unavailable:
    """What an error of the system means to whoever named a path."""
    if error.errno == errno.ENAMETOOLONG:
        return Malformed(f"{shown(path)} is too long a name.", field="path", remedy=LIST)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        problem = f"{shown(path)} is not open to Hindcast: {error.strerror}."
        return Refused(problem, field="path", remedy="Change its permissions, or leave it alone.")
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENXIO):
        try:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except OSError:
            return Missing(f"There is no {shown(path)}.", field="path", remedy=LIST)
        return unfit(found.st_mode, path) or Missing(f"There is no {shown(path)}.", field="path", remedy=LIST)
    return Unavailable(f"{shown(path)}: {error.strerror}.", field="path", remedy="See to the disk, then try again.")


def unfit(mode: int, path: str) -> Refused | None:
    """Why something that is neither file nor folder is left alone."""
    if stat.S_ISLNK(mode):
        remedy = "Links are not followed; name the file that it points to, if that is in the workspace."
        return Refused(f"{shown(path)} is a link.", field="path", remedy=remedy)
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return Refused(f"{shown(path)} is a device, pipe or socket.", field="path", remedy="Name a file.")
    return None


def read_in(parent: int, name: str, path: str, *, bytes_max: int) -> Bytes:
    """A file of an opened folder. Raises Missing, or Refused for what is no file or too large."""
    try:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        _file_only(found, path, bytes_max)
        opened = os.open(name, READ, dir_fd=parent)
    except OSError as error:
        raise refusal(error, parent, name, path) from error
    try:
        # It may be another one than a moment ago.
        found = os.fstat(opened)
        _file_only(found, path, bytes_max)
        raw = _whole(opened, found.st_size, bytes_max)
    except OSError as error:
        raise refusal(error, parent, name, path) from error
    finally:
        os.close(opened)
    if len(raw) > bytes_max:
        raise _too_large(path, bytes_max)
    return Bytes(raw, stat.S_IMODE(found.st_mode), found)


def _whole(opened: int, size: int, bytes_max: int) -> bytes:
    """All that is in an opened file, which may be growing; one byte more than the most, where it is more."""
    raw = os.read(opened, size + 1)
    if len(raw) <= size:
        return raw
    pieces = [raw]
    left = bytes_max + 1 - len(raw)
    while left > 0 and (piece := os.read(opened, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read(root: Path, names: Sequence[str], *, bytes_max: int) -> Bytes:
    """A file by the names that lead to it."""
    with folder(root, names[:-1]) as parent:
        return read_in(parent, names[-1], "/".join(names), bytes_max=bytes_max)


def _file_only(found: os.stat_result, path: str, bytes_max: int) -> None:
    if (refused := unfit(found.st_mode, path)) is not None:
        raise refused
    if stat.S_ISDIR(found.st_mode):
        raise Missing(f"{shown(path)} is a folder.", field="path", remedy="Name a file in it.")
    if found.st_size > bytes_max:
        raise _too_large(path, bytes_max)


def _too_large(path: str, bytes_max: int) -> Refused:
    problem = f"{shown(path)} is larger than {bytes_max:,} bytes."
    return Refused(problem, field="path", remedy="Open it where it lies; files this large are left alone here.")


def write_new(parent: int, name: str, raw: bytes, *, mode: int, owner: tuple[int, int] | None = None) -> None:
    """A new file of an opened folder, on the disk when this returns; its name may still be lost."""
    opened = os.open(name, WRITE_NEW, 0o600, dir_fd=parent)
    try:
        view = memoryview(raw)
        while view:
            view = view[os.write(opened, view) :]
        if owner is not None and owner != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):
                os.fchown(opened, *owner)
        # As it is meant, whatever the umask says, and after the owner, whose change may take bits away.
        os.fchmod(opened, mode)
        os.fsync(opened)
    finally:
        os.close(opened)
