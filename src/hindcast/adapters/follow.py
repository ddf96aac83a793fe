"""Follows a growing file through rotation and restarts, and never passes over a line.

What has been handed on is written down only when the caller says that it is safe, so after a crash the last piece is
handed on once more rather than lost. A file is known by its inode and by its first bytes: inodes are used again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from hindcast.model.errors import Missing, Unavailable

CHUNK_BYTES_MAX = 1_000_000
# A line longer than this is handed on in pieces; whoever reads it has a limit of its own.
LINE_BYTES_MAX = 16_000_000
HEAD_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class Place:
    """How far a file has been read: which file, by inode and first bytes, and how many bytes of it."""

    inode: int
    head: str
    head_bytes: int
    offset: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of one file, and the place that lies behind them."""

    content: bytes
    after: Place


class Follower:
    """Reads one path. `chunks` hands on what is new; `keep` writes down that a chunk is safe."""

    def __init__(self, path: Path, state: Path | None = None, *, settled: Callable[[bytes], int] = len) -> None:
        """`settled` says how many bytes of some lines hold records that no later line can add to."""
        self._path = path
        self._state = state
        self._settled = settled
        self._place = _read_place(state)
        self._file: int | None = None

    def chunks(self, *, whole: bool = False, patient: bool = False) -> Iterator[Chunk]:
        """Everything that is new, file after file. An unfinished last line is left for later unless `whole`.

        Whoever is `patient` leaves an unfinished last record for later too: a stack trace may still be under way.
        """
        while True:
            if self._file is not None and self._place is not None and not _is_same(self._file, self._place):
                # It was emptied in place: what it holds now is new.
                self._forget()
            if self._file is None and not self._open():
                return
            is_left_behind = self._is_left_behind()
            yield from self._rest(whole=whole or is_left_behind, patient=patient and not is_left_behind)
            if not is_left_behind:
                return
            self._forget()

    def keep(self, chunk: Chunk) -> None:
        """The chunk is safe: reading goes on behind it, after a restart too."""
        self._place = chunk.after
        if self._state is not None:
            place = {name: getattr(chunk.after, name) for name in Place.__slots__}
            fresh = self._state.with_suffix(".new")
            self._state.parent.mkdir(parents=True, exist_ok=True)
            with fresh.open("wb") as file:
                file.write(orjson.dumps(place))
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._state)

    def _open(self) -> bool:
        """Open the file to read next: the one we were in, wherever rotation has moved it, else the path itself."""
        for path in self._candidates():
            try:
                file = os.open(path, os.O_RDONLY)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise Unavailable(
                    f"{path} cannot be read: {error}.", field="file", remedy="Check its rights."
                ) from error
            if self._place is None or _is_same(file, self._place):
                self._file = file
                if self._place is None:
                    self._place = _begin(file)
                return True
            os.close(file)
        if self._place is not None:
            # The file we were in is gone for good, or was emptied in place: begin with what is there now.
            self._place = None
            return self._open()
        if self._state is None:
            raise Missing(f"There is no file {self._path}.", field="file", remedy="Correct the path.")
        return False

    def _candidates(self) -> list[Path]:
        if self._place is None or not self._path.parent.is_dir():
            return [self._path]
        moved = [
            path
            for path in self._path.parent.iterdir()
            if path.name.startswith(self._path.name) and path != self._path and _inode(path) == self._place.inode
        ]
        return [self._path, *moved]

    def _is_left_behind(self) -> bool:
        """Whether the path names another file by now than the one that is open."""
        assert self._place is not None
        return _inode(self._path) not in (None, self._place.inode)

    def _rest(self, *, whole: bool, patient: bool) -> Iterator[Chunk]:
        assert self._file is not None
        assert self._place is not None
        offset = self._place.offset
        size = CHUNK_BYTES_MAX
        while content := os.pread(self._file, size, offset):
            is_last = len(content) < size
            end = content.rfind(b"\n") + 1
            if not end:
                if not is_last and size < LINE_BYTES_MAX:
                    size *= 2
                    continue
                if is_last and not whole:
                    return
                end = len(content)
            elif is_last and whole:
                end = len(content)
            elif settled := self._settled(content[:end]):
                end = settled
            elif is_last and patient:
                return
            offset += end
            size = CHUNK_BYTES_MAX
            yield Chunk(content[:end], _place(self._file, offset))

    def _forget(self) -> None:
        self.close()
        self._place = None

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _read_place(state: Path | None) -> Place | None:
    if state is None:
        return None
    try:
        return Place(**orjson.loads(state.read_bytes()))
    except (FileNotFoundError, TypeError, orjson.JSONDecodeError):
        return None


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _begin(file: int) -> Place:
    return _place(file, 0)


def _place(file: int, offset: int) -> Place:
    head = os.pread(file, HEAD_BYTES, 0)[: max(offset, 0)]
    return Place(os.fstat(file).st_ino, hashlib.sha256(head).hexdigest(), len(head), offset)


def _is_same(file: int, place: Place) -> bool:
    """Whether an open file is the one that the place is in."""
    status = os.fstat(file)
    if status.st_ino != place.inode or status.st_size < place.offset:
        return False
    return hashlib.sha256(os.pread(file, place.head_bytes, 0)).hexdigest() == place.head
