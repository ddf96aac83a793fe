"""Which files a repository's index names, read straight from its file: fifty thousand in a few hundredths of a second.

Only what a listing needs is read: the path, whether it is a repository of its own (a submodule), and whether it is left
out of a sparse checkout. An index that keeps part of its entries elsewhere gives those that are here; a listing is
right without the others, as they only tell which ignored files are to be shown nevertheless.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

import numpy as np

from hindcast.adapters.workspace_git.names import are_all_listed, looks_usual

_ID_BYTES = 20
# Where the flags begin in an entry: after ten numbers of four bytes and the id.
_FLAGS_AT = 40 + _ID_BYTES
# The byte of an entry that tells what it is, and what it is for a repository of its own.
_MODE_AT = 26
_GITLINK = 0o160000 >> 8
_IS_EXTENDED = 0x4000
# In the first byte of the flags: there are more of them, or the name has more than 255 bytes.
_UNUSUAL = 0x4F
_SKIP_WORKTREE = 0x4000


# Where the name begins in an entry of the usual kind, and how far the next one is, by the size of the name: entries are
# filled up with zeros to a multiple of eight, with one at least.
_NAME_AT = _FLAGS_AT + 2
_STEPS = tuple((_NAME_AT + size) // 8 * 8 + 8 for size in range(256))
# So many that what is made of them stays in the processor's cache: all at once would take twice as long.
_ENTRIES_AT_ONCE = 2_048


@dataclass(frozen=True, slots=True)
class Tracked:
    """What an index names."""

    # Its files, in order.
    paths: tuple[str, ...] = ()
    submodules: frozenset[str] = frozenset()
    # Tracked, but not checked out.
    left_out: frozenset[str] = frozenset()
    # Whether every one of them is listed beyond doubt, by each name in it.
    is_usual: bool = False

    def names(self, path: str) -> bool:
        """Whether a file is tracked."""
        at = bisect_left(self.paths, path)
        return at < len(self.paths) and self.paths[at] == path

    def holds(self, folder: str) -> bool:
        """Whether a tracked file lies in a folder, at whatever depth."""
        inside = folder + "/"
        at = bisect_left(self.paths, inside)
        return at < len(self.paths) and self.paths[at].startswith(inside)

    def just(self, files: Sequence[str], folder: str) -> tuple[str, ...] | None:
        """Files of a folder, in order, if they are the first that are tracked there, and all listed beyond doubt.

        Of nearly every folder without folders they are, and comparing neighbours is quicker than looking for each.
        """
        at = bisect_left(self.paths, folder)
        # Ours instead of theirs: fifty thousand paths are kept once, not twice.
        known = self.paths[at : at + len(files)]
        return known if self.is_usual and known == tuple(files) else None


def read_index(place: Path) -> Tracked:
    """What an index names; nothing where there is none or it is of a kind that is not known."""
    try:
        raw = place.read_bytes()
    except OSError:
        return Tracked()
    version = int.from_bytes(raw[4:8], "big")
    if raw[:4] != b"DIRC" or version not in (2, 3, 4):
        return Tracked()
    try:
        return _entries(raw, version)
    except (IndexError, ValueError):
        # Torn: what it would have told is not known.
        return Tracked()


def _entries(raw: bytes, version: int) -> Tracked:
    plain = _plain(raw) if version != 4 else None
    if plain is not None:
        return plain
    files: list[bytes] = []
    submodules: list[bytes] = []
    left_out: list[bytes] = []
    for at, name, extended in _walk(raw, version):
        if raw[at + _MODE_AT] == _GITLINK:
            submodules.append(name)
        else:
            files.append(name)
            if extended & _SKIP_WORKTREE:
                left_out.append(name)
    paths = _ordered(_decoded(files))
    return Tracked(paths, frozenset(_decoded(submodules)), frozenset(_decoded(left_out)), are_all_listed(paths))


def _plain(raw: bytes) -> Tracked | None:
    """What an index names that names nothing but files, as most do, in less time; None for any other.

    Only where each entry begins is found one by one; what stands in them is looked at all at once.
    """
    # Where the size of each name stands, just before the name.
    at, places, steps = 12 + _NAME_AT - 1, [], _STEPS
    for _ in range(int.from_bytes(raw[8:12], "big")):
        places.append(at)
        at += steps[raw[at]]
    content = np.frombuffer(raw, np.uint8)
    names: list[str] = []
    is_usual = True
    for start in range(0, len(places), _ENTRIES_AT_ONCE):
        before = np.array(places[start : start + _ENTRIES_AT_ONCE], np.intp)
        entries = before - (_NAME_AT - 1)
        if (content[entries + _FLAGS_AT] & _UNUSUAL).any() or (content[entries + _MODE_AT] == _GITLINK).any():
            return None
        # Each name with the zero that ends it.
        sizes = content[before].astype(np.intp) + 1
        ends = np.cumsum(sizes)
        wanted = np.repeat(before + 1 - (ends - sizes), sizes)
        wanted += np.arange(ends[-1])
        found = content[wanted]
        names += found[:-1].tobytes().decode("utf-8", "surrogateescape").split("\0")
        found[ends - 1] = ord("/")
        is_usual = is_usual and looks_usual(b"/" + found[:-1].tobytes())
    if len(names) != len(places):
        raise ValueError("A name is not as long as its entry says.")
    return Tracked(_ordered(names), is_usual=is_usual)


def _ordered(names: Sequence[str]) -> tuple[str, ...]:
    """Git has them in the order of their bytes, which is nearly always ours."""
    return tuple(sorted(names))


def _decoded(names: Sequence[bytes]) -> list[str]:
    """Paths as texts; at once, since a call for each of them takes as long as finding them. None has a zero in it."""
    return b"\0".join(names).decode("utf-8", "surrogateescape").split("\0") if names else []


def _walk(raw: bytes, version: int) -> Iterator[tuple[int, bytes, int]]:
    """Where each entry begins, its path, and its further flags."""
    at, path = 12, b""
    for _ in range(int.from_bytes(raw[8:12], "big")):
        flags = (raw[at + _FLAGS_AT] << 8) | raw[at + _FLAGS_AT + 1]
        start = at + _FLAGS_AT + 2
        extended = 0
        if flags & _IS_EXTENDED:
            extended = (raw[start] << 8) | raw[start + 1]
            start += 2
        if version == 4:
            kept, start = _offset(raw, start)
            end = raw.index(0, start)
            path = path[: len(path) - kept] + raw[start:end]
            after = end + 1
        else:
            size = flags & 0xFFF
            end = start + size if size < 0xFFF else raw.index(0, start)
            path = raw[start:end]
            # Entries are filled up with zeros to a multiple of eight, with one at least.
            after = at + ((end - at) // 8 + 1) * 8
        yield at, path, extended
        at = after


def doubtful(raw: bytes, *, written_at_ns: int) -> dict[str, str]:
    """The files of an index, with the ids of their contents, whose times do not tell whether they have changed since.

    A file as young as the index may have changed within the same step of the clock. Some gits know seconds only.
    """
    second = written_at_ns // 10**9
    return {
        name.decode("utf-8", "surrogateescape"): raw[at + 40 : at + 60].hex()
        for at, name, _ in _walk(raw, int.from_bytes(raw[4:8], "big"))
        if int.from_bytes(raw[at + 8 : at + 12], "big") >= second
    }


def stamped(raw: bytes, stamps: Mapping[str, os.stat_result | None]) -> bytes:
    """An index with the times and sizes of some files in it, so that git need not read them to know them unchanged.

    Where there is None for a file its time is taken out, and git looks at it once more.
    """
    made = bytearray(raw)
    wanted = {path.encode("utf-8", "surrogateescape"): found for path, found in stamps.items()}
    for at, name, _ in _walk(raw, int.from_bytes(raw[4:8], "big")):
        if name not in wanted:
            continue
        found = wanted[name]
        if found is None:
            made[at : at + 16] = bytes(16)
            continue
        times = [*divmod(found.st_ctime_ns, 10**9), *divmod(found.st_mtime_ns, 10**9)]
        before = [*times, found.st_dev, found.st_ino]
        made[at : at + 24] = b"".join((number & 0xFFFFFFFF).to_bytes(4, "big") for number in before)
        # Between them is the mode, which is as git wants it.
        after = [found.st_uid, found.st_gid, found.st_size]
        made[at + 28 : at + 40] = b"".join((number & 0xFFFFFFFF).to_bytes(4, "big") for number in after)
    # An index may be without a checksum, and then has zeros.
    if any(made[-_ID_BYTES:]):
        made[-_ID_BYTES:] = sha1(made[:-_ID_BYTES], usedforsecurity=False).digest()
    return bytes(made)


def _offset(raw: bytes, at: int) -> tuple[int, int]:
    """A number of the kind that version 4 shortens paths with, and where it ends."""
    value = raw[at] & 0x7F
    while raw[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (raw[at] & 0x7F)
    return value, at + 1
