"""Uploads: every name is judged, every byte is counted, and an archive is what it says it is or is refused."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hindcast.adapters.upload import UploadLimits, checked_path, unpack, without_top
from hindcast.adapters.upload_parts import read_parts
from hindcast.adapters.upload_zip import read_zip
from hindcast.model.errors import HindcastError, Malformed, Refused
from hindcast.ports.grounds import Incoming

SMALL = UploadLimits(files_max=4, bytes_max=2_000_000, file_bytes_max=1_500_000, depth_max=4, ratio_max=100)


@dataclass
class Entry:
    """One file of an archive, with whatever its maker claims about it."""

    name: bytes
    content: bytes = b"x = 1\n"
    mode: int = stat.S_IFREG | 0o644
    flags: int = 0x800
    method: int = zipfile.ZIP_DEFLATED
    # Claims; the truth where None.
    size: int | None = None
    packed_size: int | None = None
    crc: int | None = None
    # Where it is said to lie; where it lies if None.
    offset: int | None = None


def archive(*entries: Entry, directory_bytes: int | None = None, before_end: bytes = b"") -> io.BytesIO:
    """A zip, written byte by byte."""
    out, directory = bytearray(), bytearray()
    for one in entries:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = one.content if one.method == zipfile.ZIP_STORED else packer.compress(one.content) + packer.flush()
        crc = zlib.crc32(one.content) if one.crc is None else one.crc
        packed_size = len(packed) if one.packed_size is None else one.packed_size
        size = len(one.content) if one.size is None else one.size
        offset = len(out) if one.offset is None else one.offset
        fixed = struct.pack("<HHHHHLLLHH", 20, one.flags, one.method, 0, 33, crc, packed_size, size, len(one.name), 0)
        out += b"PK\x03\x04" + fixed + one.name + packed
        directory += b"PK\x01\x02" + struct.pack("<H", 3 << 8 | 20) + fixed[:-2]
        directory += struct.pack("<HHHHLL", 0, 0, 0, 0, one.mode << 16, offset) + one.name
    number = len(entries)
    start, size = len(out), len(directory) if directory_bytes is None else directory_bytes
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, number, number, size, start, 0)
    return io.BytesIO(bytes(out + directory + before_end + end))


def taken(packed: io.BytesIO, folder: Path, limits: UploadLimits = SMALL) -> dict[str, bytes]:
    """What an archive leaves in a folder."""
    unpack(read_zip(packed, limits), folder, limits)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sent(*files: tuple[str, bytes]) -> Iterator[Incoming]:
    """Files as a face hands them over."""
    return (Incoming(name, iter([content])) for name, content in files)


def test_files_arrive_as_they_were_sent(tmp_path: Path) -> None:
    """An archive's files arrive byte for byte, with the right to be run, and without what systems leave beside them."""
    packed = archive(
        Entry(b"src/app.py", b"a = 1\r\n"),
        Entry("docs/größe.md".encode(), b"\xff\xfe"),
        Entry(b"run.sh", b"#!/bin/sh\n", mode=stat.S_IFREG | 0o755, method=zipfile.ZIP_STORED),
        Entry(b"__MACOSX/._app.py"),
    )

    assert taken(packed, tmp_path) == {
        "src/app.py": b"a = 1\r\n",
        "docs/größe.md": b"\xff\xfe",
        "run.sh": b"#!/bin/sh\n",
    }
    assert (tmp_path / "run.sh").stat().st_mode & stat.S_IXUSR
    assert not (tmp_path / "src/app.py").stat().st_mode & stat.S_IXUSR


def test_names_in_utf_8_that_do_not_say_so_are_read(tmp_path: Path) -> None:
    """A name in UTF-8 arrives as it was meant, though its archive does not say which encoding it has."""
    assert list(taken(archive(Entry("größe.py".encode(), flags=0)), tmp_path)) == ["größe.py"]


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../outside.py",
        "src/../../outside.py",
        "src/./app.py",
        "src//app.py",
        "C:/windows/app.py",
        "c:app.py",
        "..\\outside.py",
        "src\\app.py",
        "src/a\x00b.py",
        "src/a\nb.py",
        "src/\u202egnp.py",
        "src/a\u200b.py",
        "src/trailing.",
        "src/trailing ",
        ".GIT/config",
        "sub/.Git/hooks/post-checkout",
        "git~1/config",
        ".git /config",
        ".git./config",
        ".git::$INDEX_ALLOCATION/config",
        "a/b/c/d/e.py",
        "x" * 256,
        "x/" * 300,
        "",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    """A name that is absolute, climbs, hides something, is too deep or passes for .git leads nowhere."""
    folder = tmp_path / "in"
    folder.mkdir()

    with pytest.raises((Refused, Malformed)):
        unpack(sent(("good.py", b""), (name, b"bad")), folder, SMALL)

    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["good.py"]


@pytest.mark.parametrize("name", [b"../up.py", b"/etc/cron.d/x", b"a\x00/../../b", b"..\\up.py"])
def test_an_archive_cannot_climb(name: bytes, tmp_path: Path) -> None:
    """An archive that names a place outside writes nothing there."""
    folder = tmp_path / "in"
    folder.mkdir()

    with pytest.raises(Refused):
        taken(archive(Entry(name)), folder)

    assert list(tmp_path.rglob("*")) == [folder]


def test_a_repository_inside_is_left_out() -> None:
    """The .git folder of whoever packed their project is left out; files that merely begin like it are not."""
    assert checked_path(".git/hooks/post-checkout", SMALL) is None
    assert checked_path("sub/.git", SMALL) is None
    assert checked_path(".gitignore", SMALL) == ".gitignore"
    assert checked_path("git/app.py", SMALL) == "git/app.py"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.py", "a.py"),
        ("a.py", "A.py"),
        ("Src/a.py", "src/b.py"),
        ("a", "a/b.py"),
        ("a/b.py", "a"),
        ("é.py", "e\u0301.py"),
    ],
)
def test_two_names_of_one_place_are_refused(one: str, other: str, tmp_path: Path) -> None:
    """Two files that some disk would take for one are refused, and so is a file inside a file."""
    with pytest.raises(Malformed, match="lead to one place"):
        unpack(sent((one, b""), (other, b"")), tmp_path, SMALL)


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (archive(Entry(b"link", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)), "is a link"),
        (archive(Entry(b"fifo", b"", mode=stat.S_IFIFO | 0o644)), "no plain file"),
        (archive(Entry(b"secret.py", flags=0x801)), "encrypted"),
        (archive(Entry(b"strong.py", flags=0x841)), "encrypted"),
        (archive(Entry(b"odd.py", method=zipfile.ZIP_LZMA)), "method"),
        (archive(Entry(b"zeros", b"\0" * 1_200_000)), "far more"),
        (archive(Entry(b"big", b"\0" * 1_600_000)), "larger than"),
        (
            archive(*(Entry(b"%d" % n, bytes(range(256)) * 2_500, method=zipfile.ZIP_STORED) for n in range(4))),
            "unpacks to",
        ),
        (archive(*(Entry(b"%d.py" % n) for n in range(5))), "more than 4 files"),
        (archive(Entry(b"a.py"), directory_bytes=2_000_000), "more than 4 files"),
        (archive(Entry(b"a.py"), before_end=b"PK\x06\x07" + b"\0" * 16), "zip64"),
        (archive(Entry(b"a", bytes(9_999)), Entry(b"b", packed_size=9_999)), "far more"),
    ],
    ids=[
        "link",
        "fifo",
        "encrypted",
        "strong",
        "lzma",
        "bomb",
        "large",
        "whole",
        "many",
        "directory",
        "zip64",
        "overlap",
    ],
)
def test_a_hostile_archive_is_refused_before_anything_is_written(packed: io.BytesIO, said: str, tmp_path: Path) -> None:
    """Links, passwords, bombs and archives that are larger than they may be leave nothing on the disk."""
    with pytest.raises(Refused) as refused:
        taken(packed, tmp_path)

    assert said in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "packed",
    [
        io.BytesIO(b""),
        io.BytesIO(b"no archive at all"),
        io.BytesIO(b"PK\x05\x06"),
        archive(Entry(b"a.py", crc=1)),
        archive(Entry(b"a.py", size=3)),
        archive(Entry(b"a.py", packed_size=2)),
        archive(Entry(b"a.py", offset=5)),
        archive(Entry(b"a.py"), Entry(b"b.py", offset=0)),
        archive(),
    ],
    ids=["nothing", "words", "torn", "checksum", "shorter", "cut", "elsewhere", "another's", "empty"],
)
def test_a_broken_archive_is_said_to_be_broken(packed: io.BytesIO, tmp_path: Path) -> None:
    """Bytes that are no archive, or not the one that they claim to be, are answered with what is wrong."""
    with pytest.raises(Malformed) as told:
        taken(packed, tmp_path)

    assert told.value.remedy


def test_a_file_that_is_larger_than_it_claims_stops_being_read(tmp_path: Path) -> None:
    """What an archive says about sizes is not believed: reading ends at the limit of one file and of all."""
    endless = (b"0" * 100_000 for _ in range(1_000_000))
    with pytest.raises(Refused, match="larger than 1500000"):
        unpack([Incoming("endless.txt", endless)], tmp_path / "one", SMALL)

    many = (Incoming(f"{number}.txt", iter([b"0" * 900_000])) for number in range(4))
    with pytest.raises(Refused, match="larger than 2000000"):
        unpack(many, tmp_path / "all", SMALL)


def test_one_folder_around_everything_can_be_dropped(tmp_path: Path) -> None:
    """What all files lie in can be left out, and only that: otherwise nothing is guessed."""
    files = (("shop-main/src/a.py", b"a"), ("__MACOSX/x", b""), ("shop-main/b.py", b"b"))
    assert unpack(without_top(sent(*files), SMALL), tmp_path / "one", SMALL).paths == ("b.py", "src/a.py")

    for wrong in ((("a/x.py", b""), ("b/y.py", b"")), (("x.py", b""),)):
        with pytest.raises(Malformed, match="one folder"):
            unpack(without_top(sent(*wrong), SMALL), tmp_path / "other", SMALL)


def test_flipped_bytes_are_never_a_failure_of_ours(tmp_path: Path) -> None:
    """Whichever byte of an archive is wrong, it is read, or refused with a reason; nothing else ever happens."""
    good = archive(Entry(b"src/a.py"), Entry(b"b.txt", b"hello", method=zipfile.ZIP_STORED)).getvalue()
    outcomes = set()
    for at in range(len(good)):
        folder = tmp_path / str(at)
        try:
            taken(io.BytesIO(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :]), folder)
            outcomes.add("read")
        except HindcastError as error:
            outcomes.add(type(error).__name__)

    assert outcomes == {"read", "Malformed", "Refused"}


FORM = (
    b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.py"\r\n\r\nhello\r\n'
    b'--x\r\nContent-Disposition: form-data; name="files"; filename="b/c.py"\r\n\r\n\r\n--x--\r\n'
)


def read(form: bytes, kind: str = "multipart/form-data; boundary=x") -> list[tuple[str, bytes]]:
    """The files of a form."""
    return [(file.path, b"".join(file.pieces)) for file in read_parts(io.BytesIO(form), kind, 10)]


def test_a_form_is_read_file_by_file() -> None:
    """The files of a form come with their paths; one that nobody reads is skipped."""
    assert read(FORM) == [("a.py", b"hello"), ("b/c.py", b"")]
    assert [file.path for file in read_parts(io.BytesIO(FORM), "multipart/form-data; boundary=x", 10)] == [
        "a.py",
        "b/c.py",
    ]


def test_a_form_that_was_cut_is_no_smaller_form() -> None:
    """Wherever a form is cut, it is refused as a whole."""
    for end in range(len(FORM) - len(b"--\r\n")):
        with pytest.raises(Malformed):
            read(FORM[:end])


@pytest.mark.parametrize("boundary", ["", "=", "=y", "=" + "y" * 9_999, '="'])
def test_a_form_without_its_boundary_is_no_form(boundary: str) -> None:
    """A boundary that is missing, another one, or too long is named as what is wrong."""
    with pytest.raises(Malformed):
        read(FORM, f"multipart/form-data; boundary{boundary}")


def test_a_form_with_too_many_files_is_refused() -> None:
    """Reading ends at the limit, however many files come."""
    with pytest.raises(Refused, match="More than 1 files"):
        list(read_parts(io.BytesIO(FORM), "multipart/form-data; boundary=x", 1))
