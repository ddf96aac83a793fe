"""A zip that somebody sends, as files. What an archive says of itself is compared with what it is, entry by entry.

Refused are archives that are encrypted, hold links or devices, overlap themselves, or unpack to far more than they are.
Only the two methods that everybody uses are read: the others can ask for as much memory as they like.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from hindcast.adapters.upload import UploadLimits
from hindcast.model.errors import Malformed, Refused
from hindcast.ports.grounds import Incoming

PIECE_BYTES = 65_536
# Small files may pack as well as they like.
_RATIO_COUNTS_FROM_BYTES = 1_000_000
# What the directory of an archive may take for each file: its fixed part, its name, and extras.
_DIRECTORY_BYTES_PER_FILE = 1_024
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x07"
_END_BYTES = 22
_LOCATOR_BYTES = 20
_COMMENT_BYTES_MAX = 65_535
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF_8 = 0x800
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error, ValueError)


def read_zip(archive: IO[bytes], limits: UploadLimits) -> Iterator[Incoming]:
    """The files of an archive, in its order. Raises Malformed or Refused, at the latest when the bad one is reached."""
    size = archive.seek(0, 2)
    _check_end(archive, size, limits)
    try:
        opened = zipfile.ZipFile(archive)
    except _BROKEN as error:
        raise _broken(error) from error
    with opened:
        entries = [info for info in opened.infolist() if not info.orig_filename.endswith("/")]
        _check_entries(entries, size, limits)
        for info in entries:
            is_executable = bool(info.external_attr >> 16 & stat.S_IXUSR)
            yield Incoming(_name(info), _pieces(opened, info), is_executable)


def _check_end(archive: IO[bytes], size: int, limits: UploadLimits) -> None:
    """The directory is read as a whole: how large it is has to be known before."""
    window = min(size, _END_BYTES + _COMMENT_BYTES_MAX + _LOCATOR_BYTES)
    archive.seek(size - window)
    tail = archive.read(window)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise Malformed("This is no zip archive.", field="body", remedy="Send a zip, or the files themselves.")
    directory_bytes = struct.unpack("<L", tail[at + 12 : at + 16])[0]
    if tail[max(at - _LOCATOR_BYTES, 0) : at].startswith(_END_64) or directory_bytes > min(
        size, limits.files_max * _DIRECTORY_BYTES_PER_FILE
    ):
        raise Refused(
            f"The archive is made for more than {limits.files_max} files.",
            field="body",
            remedy="Pack less into it, without the zip64 extension.",
        )
    archive.seek(0)


def _check_entries(entries: list[zipfile.ZipInfo], size: int, limits: UploadLimits) -> None:
    if len(entries) > limits.files_max:
        raise Refused(f"The archive holds more than {limits.files_max} files.", field="files", remedy="Leave some out.")
    for info in entries:
        _check(info, limits)
    whole = sum(info.file_size for info in entries)
    packed = sum(info.compress_size for info in entries)
    if whole > limits.bytes_max:
        raise Refused(
            f"The archive unpacks to more than {limits.bytes_max} bytes.", field="files", remedy="Leave some out."
        )
    # Together, entries cannot be larger than what they lie in, unless they lie in one another.
    if packed > size or (whole > _RATIO_COUNTS_FROM_BYTES and whole > limits.ratio_max * max(size, 1)):
        raise _bomb()


def _check(info: zipfile.ZipInfo, limits: UploadLimits) -> None:
    shown = info.orig_filename[:100]
    if "\x00" in info.orig_filename:
        raise Refused(f"{shown!r} holds characters that nobody sees.", field="file", remedy="Rename it.")
    if info.flag_bits & _ENCRYPTED:
        raise Refused(f"{shown!r} is encrypted.", field="file", remedy="Send the archive without a password.")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        what = "a link" if kind == stat.S_IFLNK else "no plain file"
        raise Refused(f"{shown!r} is {what}.", field="file", remedy="Send plain files only.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(
            f"{shown!r} is packed by a method that is not read here.",
            field="file",
            remedy="Pack it as usual (deflate).",
        )
    if info.file_size > limits.file_bytes_max:
        raise Refused(f"{shown!r} is larger than {limits.file_bytes_max} bytes.", field="file", remedy="Leave it out.")
    if info.file_size > _RATIO_COUNTS_FROM_BYTES and info.file_size > limits.ratio_max * max(info.compress_size, 1):
        raise _bomb()


def _pieces(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with opened.open(info) as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    except _BROKEN as error:
        raise _broken(error) from error


def _name(info: zipfile.ZipInfo) -> str:
    """A name as it was meant: many tools write UTF-8 and do not say so."""
    if info.flag_bits & _UTF_8:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.orig_filename


def _bomb() -> Refused:
    return Refused(
        "The archive unpacks to far more than it is.", field="body", remedy="Send plain source code, packed as usual."
    )


def _broken(error: Exception) -> Malformed:
    said = str(error).rstrip(".")[:100] or "it ends too early"
    return Malformed(f"The archive is broken: {said}.", field="body", remedy="Pack it again, then send it.")
