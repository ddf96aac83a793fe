"""Files of a derived index: written whole or not at all, and by one process at a time."""

from __future__ import annotations

import fcntl
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

_CHUNK_BYTES = 1 << 20
_SEAL = "seal"


def write_whole(file: Path, content: bytes) -> None:
    """Replace a file in one step, so that no reader ever sees half of it."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(file)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process writes here. The system lets go of the lock even when its holder is killed."""
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def alone_if_free(folder: Path) -> Iterator[bool]:
    """The same without waiting: False when another process writes here just now."""
    with (folder / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def checksum(file: Path) -> int:
    """A checksum of a whole file, read piece by piece."""
    found = 0
    with file.open("rb") as content:
        while piece := content.read(_CHUNK_BYTES):
            found = zlib.crc32(piece, found)
    return found


def seal(folder: Path, known: dict[str, int]) -> dict[str, int]:
    """Write down the checksum of every file here. Files that never change keep the checksum they are `known` by."""
    sums = {
        file.name: known[file.name] if file.name in known and file.suffix != ".json" else checksum(file)
        for file in sorted(folder.iterdir())
        if not file.name.startswith(".") and file.name != _SEAL
    }
    write_whole(folder / _SEAL, orjson.dumps(sums))
    return sums


def sealed(folder: Path) -> dict[str, int] | None:
    """The checksums of the files here, or None when any of them is not what it was when it was sealed."""
    try:
        sums: dict[str, int] = orjson.loads((folder / _SEAL).read_bytes())
        holds = all(checksum(folder / name) == known for name, known in sums.items())
    except (OSError, ValueError, AttributeError):
        return None
    return sums if holds else None
