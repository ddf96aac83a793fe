"""Files of a derived index: written whole or not at all, and by one process at a time."""

from __future__ import annotations

import fcntl
import mmap
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

_CHUNK_BYTES = 1 << 20
_SEAL = "seal"
# Held while files are written; and by whoever makes vectors, which takes a while and keeps nobody from writing.
WRITING, MAKING = "lock", "making"


def write_whole(file: Path, content: bytes) -> None:
    """Replace a file in one step, so that no reader ever sees half of it."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(file)


@contextmanager
def alone(folder: Path, name: str = WRITING) -> Iterator[None]:
    """Wait until nobody else does this here. The system lets go of the lock even when its holder is killed."""
    with (folder / name).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def alone_if_free(folder: Path, name: str = WRITING) -> Iterator[bool]:
    """The same without waiting: False when another process does this here just now."""
    with (folder / name).open("a") as lock:
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


class Mapped:
    """A file that only grows, read where it lies.

    Reading a few hundred places of it with a call each would let other threads in as often, and under load each of
    those calls then waits for its turn. Only pages that were looked at are in memory, and the system may take them.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._is: tuple[int, int] = (0, 0)
        self._bytes: NDArray[np.uint8] = np.zeros(0, np.uint8)

    def bytes(self) -> NDArray[np.uint8]:
        """All that the file holds now. Looked at anew each time: touching what was cut off would end the process."""
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return np.zeros(0, np.uint8)
        if self._is != (found.st_ino, found.st_size):
            with self._file.open("rb") as opened:
                size = os.fstat(opened.fileno()).st_size
                held = mmap.mmap(opened.fileno(), size, access=mmap.ACCESS_READ) if size else b""
            # Whoever still reads what was there before keeps it.
            self._bytes, self._is = np.frombuffer(held, np.uint8), (found.st_ino, found.st_size)
        return self._bytes
