"""Files that somebody sends, on their way to the disk: every name is judged and every byte is counted.

Nothing here trusts a sender. A name leads to one place below the folder or is refused; two names never lead to one
place, also not on a disk that cannot tell `A` from `a`; what is larger than a limit stops being read.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hindcast.model.errors import Malformed, Refused
from hindcast.ports.grounds import Incoming

# What systems and tools leave beside what people wrote; none of it is source code.
_LITTER = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", "node_modules"})
_DRIVE = re.compile(r"[A-Za-z]:")
# Spellings that some file systems take for `.git`: letters in other cases, short names, ends that are dropped.
_LIKE_GIT = re.compile(r"\.git[. ]*(?::.*)?|git~\d+", re.I)
_SHOWN_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """How much an upload may be."""

    files_max: int = 20_000
    bytes_max: int = 200_000_000
    file_bytes_max: int = 20_000_000
    # Folders in folders.
    depth_max: int = 32
    path_chars_max: int = 400
    # File systems have names of up to 255 bytes.
    name_bytes_max: int = 255
    # How much larger than packed the files may be; code packs to a fifth, and nothing honest to a hundredth.
    ratio_max: int = 100
    # What is sent, packed or not.
    body_bytes_max: int = 100_000_000


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What came in."""

    paths: tuple[str, ...]
    bytes: int


def checked_path(name: str, limits: UploadLimits) -> str | None:
    """Where a file goes, relative to the workspace; None for what is left out. Raises Malformed or Refused."""
    shown = name[:_SHOWN_CHARS_MAX]
    if not name or len(name) > limits.path_chars_max:
        raise Malformed(
            f"The name {shown!r} is empty or too long.",
            field="file",
            remedy=f"Names have up to {limits.path_chars_max} characters.",
        )
    if "\\" in name or name.startswith("/") or _DRIVE.match(name):
        raise Refused(
            f"{shown!r} is no path below a folder.",
            field="file",
            remedy="Send paths such as src/app.py, with slashes, from the folder itself.",
        )
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for char in name):
        raise Refused(
            f"{shown!r} holds characters that nobody sees.", field="file", remedy="Rename the file, then send it again."
        )
    parts = name.split("/")
    if len(parts) > limits.depth_max:
        raise Refused(
            f"{shown!r} lies more than {limits.depth_max} folders deep.", field="file", remedy="Send fewer levels."
        )
    for part in parts:
        if part in ("", ".", "..") or part.endswith((" ", ".")) or len(part.encode()) > limits.name_bytes_max:
            raise Refused(
                f"{shown!r} has a part that is no name: {part[:40]!r}.", field="file", remedy="Send plain paths."
            )
    if ".git" in parts or _LITTER & set(parts):
        return None
    if any(_LIKE_GIT.fullmatch(part) for part in parts):
        raise Refused(f"{shown!r} passes for a .git folder.", field="file", remedy="Leave it out.")
    return name


class _Names:
    """Names that were given out: no two lead to one place, and none lies in a file."""

    def __init__(self) -> None:
        # By how a disk without cases sees them: the spelling, and whether it is a folder.
        self._known: dict[str, tuple[str, bool]] = {}

    def add(self, path: str) -> None:
        """Raise Malformed unless a file may go there."""
        parts = path.split("/")
        for count in range(1, len(parts) + 1):
            spelling, is_folder = "/".join(parts[:count]), count < len(parts)
            key = unicodedata.normalize("NFC", spelling).casefold()
            known = self._known.get(key)
            self._known[key] = (spelling, is_folder)
            # A folder may be named again, by the same spelling; a file may not.
            if known is not None and (known != (spelling, is_folder) or not is_folder):
                raise Malformed(
                    f"{path[:_SHOWN_CHARS_MAX]!r} and {known[0][:_SHOWN_CHARS_MAX]!r} lead to one place.",
                    field="file",
                    remedy="Send each file once, under names that differ in more than their case.",
                )


def without_top(files: Iterable[Incoming], limits: UploadLimits) -> Iterator[Incoming]:
    """The same files without the one folder that all of them lie in, as archives of a project have it."""
    tops: set[str] = set()
    for file in files:
        path = checked_path(file.path, limits)
        if path is None:
            continue
        top, _, rest = path.partition("/")
        tops.add(top)
        if not rest or len(tops) > 1:
            raise Malformed(
                "The files do not all lie in one folder.", field="drop_top", remedy="Send them without `drop_top`."
            )
        yield replace(file, path=rest)


def unpack(files: Iterable[Incoming], folder: Path, limits: UploadLimits) -> Unpacked:
    """Write files below a folder that nobody else knows yet. Raises at the first that is wrong."""
    names, paths, size, count = _Names(), list[str](), 0, 0
    for file in files:
        count += 1
        if count > limits.files_max:
            raise Refused(
                f"More than {limits.files_max} files came.", field="files", remedy="Leave out what is no source code."
            )
        path = checked_path(file.path, limits)
        if path is None:
            continue
        names.add(path)
        size += _write(file, folder / path, limits, limits.bytes_max - size)
        paths.append(path)
    if not paths:
        raise Malformed("There is no file in it.", field="files", remedy="Send at least one file.")
    return Unpacked(tuple(sorted(paths)), size)


def _write(file: Incoming, where: Path, limits: UploadLimits, left: int) -> int:
    where.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o755 if file.is_executable else 0o644
    handle = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    size = 0
    with os.fdopen(handle, "wb") as out:
        for piece in file.pieces:
            size += len(piece)
            if size > limits.file_bytes_max:
                raise Refused(
                    f"{file.path[:_SHOWN_CHARS_MAX]!r} is larger than {limits.file_bytes_max} bytes.",
                    field="file",
                    remedy="Leave it out; it is hardly source code.",
                )
            if size > left:
                raise Refused(
                    f"The files are larger than {limits.bytes_max} bytes.",
                    field="files",
                    remedy="Leave out what is no source code.",
                )
            out.write(piece)
    return size
