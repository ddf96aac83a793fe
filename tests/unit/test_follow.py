"""Following a file: rotation, truncation, restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindcast.adapters import follow
from hindcast.adapters.follow import Follower
from hindcast.model.errors import Missing


def read(follower: Follower, *, keep: bool = True, whole: bool = False) -> str:
    """Everything that is new, kept as safe unless told otherwise."""
    content = b""
    for chunk in follower.chunks(whole=whole):
        content += chunk.content
        if keep:
            follower.keep(chunk)
    return content.decode()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log file with two lines."""
    path = tmp_path / "app.log"
    path.write_text("one\ntwo\n")
    return path


def test_only_what_is_new_is_handed_on(log: Path, tmp_path: Path) -> None:
    """A line is handed on once, and a line that is still being written waits for its end."""
    follower = Follower(log, tmp_path / "state")

    assert read(follower) == "one\ntwo\n"
    with log.open("a") as file:
        file.write("three\nfo")
    assert read(follower) == "three\n"
    with log.open("a") as file:
        file.write("ur\n")
    assert read(follower) == "four\n"
    assert read(follower) == ""


def test_a_restart_goes_on_where_it_stopped(log: Path, tmp_path: Path) -> None:
    """After a restart reading goes on behind what was kept, and what was not kept comes again."""
    assert read(Follower(log, tmp_path / "state")) == "one\ntwo\n"
    with log.open("a") as file:
        file.write("three\n")

    assert read(Follower(log, tmp_path / "state"), keep=False) == "three\n"
    assert read(Follower(log, tmp_path / "state")) == "three\n"
    assert read(Follower(log, tmp_path / "state")) == ""


def test_rotation_loses_no_line(log: Path, tmp_path: Path) -> None:
    """A file that is renamed while it is read is read to its end before its successor."""
    follower = Follower(log, tmp_path / "state")
    assert read(follower) == "one\ntwo\n"
    with log.open("a") as file:
        file.write("three\n")
    log.rename(tmp_path / "app.log.1")
    log.write_text("four\n")

    assert read(follower) == "three\nfour\n"


def test_rotation_during_a_pause_loses_no_line(log: Path, tmp_path: Path) -> None:
    """A file that was rotated while nobody read is found under its new name."""
    assert read(Follower(log, tmp_path / "state")) == "one\ntwo\n"
    with log.open("a") as file:
        file.write("three\n")
    log.rename(tmp_path / "app.log-20261115")
    log.write_text("four\n")

    assert read(Follower(log, tmp_path / "state")) == "three\nfour\n"


def test_a_file_emptied_in_place_is_read_from_its_start(log: Path, tmp_path: Path) -> None:
    """After copy-and-truncate the new content counts, even where a restart came between."""
    follower = Follower(log, tmp_path / "state")
    read(follower)
    log.write_text("3\n")
    assert read(follower) == "3\n"
    log.write_text("longer than before\n")
    assert read(follower) == "longer than before\n"

    log.write_text("different and longer\n")
    assert read(Follower(log, tmp_path / "state")) == "different and longer\n"


def test_an_unfinished_record_waits_for_its_last_line(log: Path, tmp_path: Path) -> None:
    """A patient reader leaves the last record alone until the next one begins, or until it has waited enough."""

    def settled(content: bytes) -> int:
        """A record begins with a letter; what is indented belongs to the one before."""
        starts = [at for at, line in enumerate(content.splitlines(keepends=True)) if not line.startswith(b" ")]
        return len(b"".join(content.splitlines(keepends=True)[: starts[-1]])) if starts else 0

    log.write_text("error\n  at one\n")
    follower = Follower(log, tmp_path / "state", settled=settled)
    assert [chunk.content for chunk in follower.chunks(patient=True)] == []
    with log.open("a") as file:
        file.write("  at two\nnext\n")
    (chunk,) = follower.chunks(patient=True)
    assert chunk.content == b"error\n  at one\n  at two\n"
    follower.keep(chunk)
    assert [chunk.content for chunk in follower.chunks()] == [b"next\n"]


def test_an_unfinished_end_is_handed_on_when_all_is_wanted(log: Path, tmp_path: Path) -> None:
    """Reading a file once takes its last line even without a newline."""
    log.write_text("one\ntwo")

    assert read(Follower(log), whole=True) == "one\ntwo"


def test_large_files_come_in_whole_lines(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the pieces, every chunk ends with a line, and together they are the file."""
    monkeypatch.setattr(follow, "CHUNK_BYTES_MAX", 10)
    text = "".join(f"line {number} {'x' * number}\n" for number in range(40))
    log.write_text(text)

    chunks = list(Follower(log).chunks())

    assert all(chunk.content.endswith(b"\n") for chunk in chunks)
    assert text == b"".join(chunk.content for chunk in chunks).decode()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Reading a file that is not there says so; following one waits for it."""
    with pytest.raises(Missing, match=r"nothing\.log"):
        read(Follower(tmp_path / "nothing.log"))
    assert read(Follower(tmp_path / "nothing.log", tmp_path / "state")) == ""
