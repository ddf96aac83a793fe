"""Somebody swaps folders for links while files are read and written: nothing outside is ever reached."""

from __future__ import annotations

import ctypes
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.working import Tree, forget_settings

from hindcast.model.code import Edit
from hindcast.model.errors import HindcastError

# Enough of each: what was let through, and what was refused because something was swapped just then.
ENOUGH = 15
ROUNDS_MAX = 20_000
# From linux/fs.h and fcntl.h.
RENAME_EXCHANGE = 2
AT_FDCWD = -100


def exchange(one: Path, other: Path) -> None:
    """Let two names change places in one step."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextmanager
def swapping(inside: Path, other: Path) -> Iterator[None]:
    """Let a folder or file be something else, and itself again, as fast as can be."""
    is_over = threading.Event()
    failed: list[OSError] = []

    def swap() -> None:
        try:
            while not is_over.is_set():
                exchange(inside, other)
                exchange(inside, other)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
    assert failed == []


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A plain folder with a file deep inside, and a folder outside that looks the same."""
    forget_settings()
    made = Tree(tmp_path / "code")
    made.write("a/b/file.txt", "inside\n")
    outside = Tree(tmp_path / "outside")
    outside.write("b/file.txt", "secret\n")
    outside.write("file.txt", "secret\n")
    return made


@pytest.mark.parametrize("swapped", ["a", "a/b"])
def test_no_swapped_folder_leads_outside(tree: Tree, tmp_path: Path, swapped: str) -> None:
    """While a folder on the way becomes a link and a folder again, nothing outside is read, listed or written."""
    outside = tmp_path / "outside"
    before = Tree(outside).everything()
    link = tree.root / "link"
    link.symlink_to(outside)
    code = tree.open()
    seen: Counter[str] = Counter()
    with swapping(tree.root / swapped, link):
        for number in range(ROUNDS_MAX):
            try:
                found = code.read("a/b/file.txt")
                assert found.text.startswith("inside")
                seen["read"] += 1
                code.apply([Edit("a/b/file.txt", found.digest, f"inside {number}\n")])
                seen["written"] += 1
                code.apply([Edit("a/b/made.txt", "", "inside\n")])
                seen["made"] += 1
                code.apply([Edit("a/b/made.txt", code.read("a/b/made.txt").digest, None)])
            except HindcastError:
                seen["refused"] += 1
            assert code.search("secret", lines_max=5) == ()
            assert {path.rpartition("/")[2] for path in code.paths()} <= {"file.txt", "made.txt"}
            if all(seen[what] >= ENOUGH for what in ("read", "written", "refused")):
                break
    assert Tree(outside).everything() == before
    assert min(seen["read"], seen["written"], seen["refused"]) >= ENOUGH


def test_no_swapped_file_is_followed(tree: Tree, tmp_path: Path) -> None:
    """While a file becomes a link and a file again, what the link leads to is neither read nor written."""
    secret = tmp_path / "outside/file.txt"
    link = tree.root / "a/b/link.txt"
    link.symlink_to(secret)
    code = tree.open()
    seen: Counter[str] = Counter()
    with swapping(tree.root / "a/b/file.txt", link):
        for _ in range(ROUNDS_MAX):
            try:
                assert code.read("a/b/file.txt").text == "inside\n"
                seen["read"] += 1
            except HindcastError:
                seen["refused"] += 1
            if min(seen["read"], seen["refused"]) >= ENOUGH:
                break
        for number in range(ENOUGH):
            # The link itself may be replaced, as any file of that name; what it leads to may not.
            with suppress(HindcastError):
                code.apply([Edit("a/b/file.txt", code.read("a/b/file.txt").digest, f"inside {number}\n")])
    assert secret.read_text() == "secret\n"
    assert min(seen["read"], seen["refused"]) >= ENOUGH


def test_no_pipe_holds_anybody_up(tree: Tree) -> None:
    """A pipe that takes a file's place at any moment is refused, and nobody waits for what it has to say."""
    pipe = tree.root / "a/b/pipe"
    os.mkfifo(pipe)
    code = tree.open()
    seen: Counter[str] = Counter()
    with swapping(tree.root / "a/b/file.txt", pipe):
        for _ in range(ROUNDS_MAX):
            try:
                assert code.read("a/b/file.txt").text == "inside\n"
                seen["read"] += 1
            except HindcastError:
                seen["refused"] += 1
            if min(seen["read"], seen["refused"]) >= ENOUGH * 10:
                break
    assert min(seen["read"], seen["refused"]) >= ENOUGH
