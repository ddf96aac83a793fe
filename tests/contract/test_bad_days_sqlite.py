"""SQLite on bad days: a full disk, a file that may not be written, a lock, corruption. Each is a named error."""

from __future__ import annotations

import gc
import os
import random
import resource
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.store_sql import engine as engines
from hindcast.adapters.store_sql import open_store
from hindcast.memory import Memory
from hindcast.model.errors import Damaged, HindcastError, Missing, Refused, Unavailable
from hindcast.model.ids import Address
from hindcast.model.record import Change

if TYPE_CHECKING:
    from tests.conftest import Place

START = datetime(2026, 1, 1, tzinfo=UTC)
NOBODY = 65_534
FLIPS = 150


def fill(memory: Memory, commits: int = 20, size: int = 10) -> None:
    """A history of some pages."""
    for number in range(commits):
        changes = [Change(Address("n", f"k{key}"), {"number": number, "pad": "x" * 100}) for key in range(size)]
        memory.commit(changes, actor="ana", why="because")


def story(memory: Memory) -> list[bytes]:
    """All that a memory holds."""
    return list(memory.export())


def closed(place: Place) -> Path:
    """A file with a history, left as after a clean shutdown."""
    fill(place.memory())
    place.close()
    assert not Path(f"{place.file}-wal").exists()
    return place.file


# --- A full disk --------------------------------------------------------------------------------------------------


@contextmanager
def file_size_max(size: int) -> Iterator[None]:
    """No file of this process may grow beyond a size, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def write_until_full(memory: Memory) -> int:
    """Write more and more; how many commits were acknowledged before the disk was full."""
    number = 0

    def write() -> None:
        nonlocal number
        for number in range(1_000):
            memory.put("n/big", "y" * 20_000 + str(number), actor="ana", why="because")

    with pytest.raises(Unavailable, match="nothing of this was written"):
        write()
    return number


def test_a_full_disk_writes_nothing_half(sqlite_place: Place) -> None:
    """When no more bytes fit, the commit fails by name, all before it is there, and after making room it goes on."""
    memory = sqlite_place.memory()
    fill(memory)
    with file_size_max(2_000_000):
        acknowledged = write_until_full(memory)
        assert len(memory.log(commits_max=1_000)) == 20 + acknowledged
        assert memory.now().count() == 10 + min(acknowledged, 1)
        with pytest.raises(Unavailable):
            memory.commit([Change(Address("n", f"x{key}"), "z" * 9_000) for key in range(100)], actor="a", why="b")

    assert acknowledged > 0
    assert memory.verify().faults == ()
    memory.put("n/after", 1, actor="ana", why="there is room again")
    again = sqlite_place.memory()
    assert len(again.log(commits_max=1_000)) == 21 + acknowledged
    assert again.verify().faults == ()


def test_a_full_database_writes_nothing_half(sqlite_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same when SQLite itself says that its file may not grow."""
    fill(sqlite_place.memory())
    sqlite_place.close()
    usual = engines.configure_sqlite

    def small(raw: sqlite3.Connection) -> None:
        usual(raw)
        raw.execute("PRAGMA max_page_count = 120")

    with monkeypatch.context() as patch:
        patch.setattr(engines, "configure_sqlite", small)
        memory = sqlite_place.memory()
        acknowledged = write_until_full(memory)
        assert memory.verify().faults == ()

    again = sqlite_place.memory()
    assert len(again.log(commits_max=1_000)) == 20 + acknowledged
    again.put("n/after", 1, actor="ana", why="there is room again")
    assert again.verify().faults == ()


def test_a_disk_without_room_for_a_new_memory(sqlite_place: Place) -> None:
    """A memory that cannot even be made says so, and can be made later."""
    with file_size_max(4_096), pytest.raises(Unavailable):
        sqlite_place.memory()

    fill(sqlite_place.memory())


# --- Permissions --------------------------------------------------------------------------------------------------


def as_nobody(deed: Callable[[], str]) -> str:
    """What a deed says when somebody without special rights does it: root may write anywhere."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            said = deed()
        except HindcastError as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def public_place(sqlite_place: Place) -> Iterator[Place]:
    """A folder that everybody can reach: the usual temporary one belongs to its maker alone."""
    folder = Path(tempfile.mkdtemp(prefix="hindcast-public-"))
    folder.chmod(0o755)
    sqlite_place.where = str(folder / "memory")
    yield sqlite_place
    sqlite_place.close()
    for path in (folder, folder / "memory"):
        path.chmod(0o755)
    shutil.rmtree(folder)


def attempt(where: str, verb: Callable[[Memory], object]) -> Callable[[], str]:
    """A deed: open a memory, do something, say how many records there are."""

    def deed() -> str:
        clock = ManualClock(START)
        memory = Memory(open_store(where, "test", now=START, create=False), clock=clock, entropy=os.urandom)
        verb(memory)
        return str(memory.now().count())

    return deed


def test_a_read_only_file_can_be_read_and_refuses_writing(public_place: Place) -> None:
    """Without permission to write the file, reading works, writing is refused by name, and nothing changes."""
    file = closed(public_place)
    before = file.read_bytes()
    file.chmod(0o444)
    file.parent.chmod(0o777)

    assert as_nobody(attempt(public_place.where, lambda memory: memory.get("n/k1"))) == "10"
    said = as_nobody(attempt(public_place.where, lambda memory: memory.put("n/p", 1, actor="a", why="b")))
    assert said.startswith("Refused: The memory's file is read-only.")
    file.chmod(0o644)
    assert file.read_bytes() == before
    assert public_place.memory().verify().faults == ()


def test_a_read_only_folder_is_a_named_error(public_place: Place) -> None:
    """Where the folder may not be written either, whatever cannot be done is named, and nothing changes."""
    file = closed(public_place)
    before = file.read_bytes()
    file.chmod(0o444)
    file.parent.chmod(0o555)

    reading = as_nobody(attempt(public_place.where, lambda memory: memory.get("n/k1")))
    assert reading == "10" or reading.startswith(("Unavailable: ", "Refused: "))
    said = as_nobody(attempt(public_place.where, lambda memory: memory.put("n/p", 1, actor="a", why="b")))
    assert said.startswith(("Unavailable: ", "Refused: "))
    file.parent.chmod(0o755)
    file.chmod(0o644)
    assert file.read_bytes() == before
    assert public_place.memory().verify().faults == ()


def test_a_file_that_may_not_be_read(public_place: Place) -> None:
    """A file of somebody else is unavailable by name."""
    file = closed(public_place)
    file.chmod(0o000)

    said = as_nobody(attempt(public_place.where, lambda memory: memory.get("n/k1")))
    assert said.startswith("Unavailable: The memory's file cannot be opened.")
    file.chmod(0o644)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A file where a folder should be, and a folder where a file should be, are named."""
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "test.db").mkdir()
    for where in (tmp_path / "file" / "memory", tmp_path / "file", tmp_path):
        with pytest.raises(Unavailable):
            open_store(where, "test", now=START)


def test_a_memory_that_is_not_there(tmp_path: Path) -> None:
    """Opening only what exists makes nothing."""
    with pytest.raises(Missing):
        open_store(tmp_path / "nowhere", "test", now=START, create=False)
    assert list(tmp_path.iterdir()) == []


def test_threads_that_have_ended_leave_no_file_open(sqlite_place: Place) -> None:
    """A server may start and end threads for years: their connections end with them."""
    memory = sqlite_place.memory()
    fill(memory)

    def read_in_threads(threads: int) -> int:
        for _ in range(threads):
            thread = threading.Thread(target=memory.get, args=("n/k1",))
            thread.start()
            thread.join()
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    few, many = read_in_threads(100), read_in_threads(200)
    # A few files wait for the next connection to take them over; their number does not grow with the threads.
    assert many < few + 50


# --- Locks --------------------------------------------------------------------------------------------------------


def test_a_locked_database_is_unavailable_for_writing_only(
    sqlite_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another program holds the write lock, writing fails by name after a while and reading goes on."""
    monkeypatch.setattr(engines, "LOCK_WAIT_MS_MAX", 100)
    memory = sqlite_place.memory()
    fill(memory)
    with sqlite3.connect(sqlite_place.file, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unavailable, match="locked by another writer"):
            memory.put("n/p", 1, actor="ana", why="because")
        with pytest.raises(Unavailable, match="locked by another writer"):
            memory.erase("n/k1", actor="ana", why="because")
        with pytest.raises(Unavailable, match="locked by another writer"):
            memory.branch("fix", actor="ana", why="because")
        assert memory.now().count() == 10
        assert sqlite_place.memory().now().count() == 10
        other.execute("ROLLBACK")

    memory.put("n/p", 1, actor="ana", why="because")
    assert len(memory.log()) == 21
    assert memory.verify().faults == ()


# --- Corruption ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"this is a text file, not a database\n" * 100, b"\0" * 8192, os.urandom(8192)])
def test_a_file_that_is_no_database(sqlite_place: Place, content: bytes) -> None:
    """A file of something else is damaged, is not touched, and another space beside it works."""
    sqlite_place.file.parent.mkdir(parents=True)
    sqlite_place.file.write_bytes(content)

    with pytest.raises(Damaged, match="not a database"):
        sqlite_place.memory()
    assert sqlite_place.file.read_bytes() == content
    fill(sqlite_place.memory("beside"))


def test_an_empty_file_becomes_a_memory(sqlite_place: Place) -> None:
    """A file without a byte is what SQLite begins with."""
    sqlite_place.file.parent.mkdir(parents=True)
    sqlite_place.file.touch()

    fill(sqlite_place.memory())


def test_overwritten_pages_are_damage_by_name(sqlite_place: Place) -> None:
    """Whichever page is overwritten: what can still be read is right, the rest is damaged, and a copy restores it."""
    memory = sqlite_place.memory()
    fill(memory)
    expected = story(memory)
    sqlite_place.close()
    file = sqlite_place.file
    good = file.read_bytes()
    noticed = 0
    for page in range(1, len(good) // 4096):
        file.write_bytes(good[: page * 4096] + os.urandom(4096) + good[(page + 1) * 4096 :])
        noticed += found_damaged(sqlite_place, expected)
    assert noticed == len(good) // 4096 - 1

    file.write_bytes(good)
    assert story(sqlite_place.memory()) == expected


def test_a_file_cut_short_is_damage_by_name(sqlite_place: Place) -> None:
    """A copy that was broken off is noticed at any length."""
    memory = sqlite_place.memory()
    fill(memory)
    expected = story(memory)
    sqlite_place.close()
    good = sqlite_place.file.read_bytes()
    for size in (4096, 8192, len(good) // 2, len(good) - 4096, len(good) - 1):
        sqlite_place.file.write_bytes(good[:size])
        assert found_damaged(sqlite_place, expected)


def found_damaged(place: Place, expected: list[bytes]) -> bool:
    """Open, verify and read all: whether damage was found. Nothing but named errors may come, and no wrong answer."""
    try:
        memory = place.memory()
        if memory.verify().faults:
            _read_everything(memory)
            return True
        assert story(memory) == expected, "an unnoticed alteration"
    except (Damaged, Refused):
        return True
    finally:
        place.close()
    return False


def _read_everything(memory: Memory) -> None:
    """What is damaged may be read or not, but whatever is raised has a name."""
    verbs: list[Callable[[], object]] = [
        memory.now().every,
        memory.log,
        memory.branches,
        lambda: memory.get("n/k1"),
        lambda: story(memory),
    ]
    for verb in verbs:
        with suppress(HindcastError):
            verb()


def test_any_flipped_bit_is_found_or_harmless(sqlite_place: Place) -> None:
    """A bit flipped anywhere in the file is found by verify, or everything reads as before: never a wrong answer."""
    memory = sqlite_place.memory()
    fill(memory, commits=6, size=4)
    memory.branch("fix", actor="ana", why="because")
    memory.put("n/k1", {"text": "ü"}, actor="ana", why="because", branch="fix")
    memory.snapshot("good", actor="ana", why="because")
    memory.merge("fix", actor="ana", why="because")
    memory.erase("n/k2", actor="dpo", why="because")
    expected = story(memory)
    sqlite_place.close()
    good = sqlite_place.file.read_bytes()
    chance = random.Random(4)
    found = 0
    # Most zero bytes are unused space.
    places = [place for place in range(len(good)) if good[place]]
    for place in chance.sample(places, FLIPS):
        flipped = bytearray(good)
        flipped[place] ^= 1 << chance.randrange(8)
        sqlite_place.file.write_bytes(flipped)
        found += found_damaged(sqlite_place, expected)
    assert found > FLIPS // 2


def test_a_newer_schema_is_refused_and_left_alone(sqlite_place: Place) -> None:
    """A file from a newer Hindcast is refused with the remedy to upgrade, and no byte of it changes."""
    file = closed(sqlite_place)
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    before = file.read_bytes()

    with pytest.raises(Refused, match="schema 99"):
        sqlite_place.memory()
    assert file.read_bytes() == before
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA user_version = 1")
    raw.close()
    assert sqlite_place.memory().verify().faults == ()


def test_a_lost_log_loses_no_more_than_it_held(sqlite_place: Place, tmp_path: Path) -> None:
    """A copy made without the write-ahead log opens, is sound, and holds a beginning of the history."""
    memory = sqlite_place.memory()
    fill(memory)
    copied = tmp_path / "copy" / "test.db"
    copied.parent.mkdir()
    shutil.copy(sqlite_place.file, copied)
    all_steps = [commit.id for commit in memory.log(commits_max=100)]
    other = Memory(open_store(copied.parent, "test", now=START), clock=sqlite_place.clock, entropy=os.urandom)

    assert other.verify().faults == ()
    steps = [commit.id for commit in other.log(commits_max=100)]
    assert all_steps[len(all_steps) - len(steps) :] == steps
    other.close()
