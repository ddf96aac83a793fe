"""The port of workspaces: a repository, a folder that we keep, and a plain folder answer alike."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from hindcast.adapters.workspace_git import open_workspace
from hindcast.adapters.workspace_git.editing import EDIT_BYTES_MAX, EDITS_MAX
from hindcast.adapters.workspace_git.plan import FileChange, Plan
from hindcast.adapters.workspace_git.workspace import READ_BYTES_MAX
from hindcast.model.code import Edit, LineSpan, Tongue
from hindcast.model.errors import Damaged, HindcastError, Malformed, Missing, Refused, Stale
from hindcast.ports import Workspace

if TYPE_CHECKING:
    from tests.working import Tree, forget_settings
else:
    from working import Tree, forget_settings

FILES = {
    "README.md": "# Shop\n",
    "src/worker/tasks.py": "def run():\n    return 1\n",
    "src/worker/pool.py": "SIZE = 50\n",
    "src/web.ts": "export {}\n",
    "config/app.yaml": "pool: 50\n",
}


@pytest.fixture(params=["repository", "kept", "plain"])
def kind(request: pytest.FixtureRequest) -> str:
    """How the code came there."""
    return str(request.param)


@pytest.fixture
def tree(kind: str, tmp_path: Path) -> Tree:
    """A folder with a few files, committed where there is a repository."""
    forget_settings()
    made = Tree(tmp_path / "code")
    for path, text in FILES.items():
        made.write(path, text)
    if kind == "repository":
        made.init().commit("The shop")
    if kind == "kept":
        open_workspace(made.root, create=True).close()
    return made


@pytest.fixture
def code(tree: Tree) -> Iterator[Workspace]:
    """The workspace in it."""
    opened = tree.open()
    yield opened
    opened.close()


def edit(code: Workspace, path: str, text: str | None) -> Edit:
    """An edit of a file as it is now."""
    return Edit(path, code.read(path).digest, text)


def test_every_file_is_listed_in_order(code: Workspace) -> None:
    """Paths are relative, with slashes, and in order."""
    assert list(code.paths()) == sorted(FILES)


def test_what_comes_and_goes_is_seen_at_once(code: Workspace, tree: Tree) -> None:
    """A listing is of this moment, however often it was asked for before."""
    for number in range(20):
        path = f"src/new{number}/deep/file.py"
        tree.write(path, "")
        assert path in code.paths()
        (tree.root / path).unlink()
        assert path not in code.paths()


def test_a_file_is_read_as_it_is(code: Workspace, tree: Tree) -> None:
    """A file has its text, the digest of its bytes, and what it is written in."""
    found = code.read("src/worker/tasks.py")

    assert (found.path, found.text) == ("src/worker/tasks.py", FILES["src/worker/tasks.py"])
    assert found.digest == sha256(tree.raw("src/worker/tasks.py")).hexdigest()
    assert (found.tongue, found.newline, found.encoding, found.has_mark) == (Tongue.PYTHON, "\n", "utf-8", False)


def test_the_name_or_the_first_line_tells_the_tongue(code: Workspace, tree: Tree) -> None:
    """What a file is written in is told by its name, or by the program that it names."""
    for path, text, tongue in (
        ("a.tsx", "", Tongue.TSX),
        ("deploy/Dockerfile", "", Tongue.DOCKERFILE),
        ("Dockerfile.dev", "", Tongue.DOCKERFILE),
        (".env.production", "", Tongue.ENV),
        ("settings.INI", "", Tongue.INI),
        ("bin/run", "#!/usr/bin/env -S FOO=1 python3.11 -u\n", Tongue.PYTHON),
        ("bin/go", "#!/bin/sh\n", Tongue.SHELL),
        ("bin/data", "no line that says so\n", Tongue.TEXT),
    ):
        tree.write(path, text)
        assert code.read(path).tongue is tongue


def wide(text: str, encoding: str) -> bytes:
    """A text in two bytes a character, with its mark."""
    return f"\ufeff{text}".encode(encoding)


WRITTEN = [
    (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n", "utf-8", "\r\n"),
    (b"a = 1\rb = 2\r", b"a = 1\rb = 3\r", "utf-8", "\r"),
    (b"\ta = 1\n\tb = 2", b"\ta = 1\n\tb = 3", "utf-8", "\n"),
    (b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 1\nb = 3\n", "utf-8", "\n"),
    (wide("é = 1\r\nb = 2\r\n", "utf-16-le"), wide("é = 1\r\nb = 3\r\n", "utf-16-le"), "utf-16-le", "\r\n"),
    (wide("a = 1\nb = 2\n", "utf-16-be"), wide("a = 1\nb = 3\n", "utf-16-be"), "utf-16-be", "\n"),
    (b"a = '\x80\xe9'\nb = 2\n", b"a = '\x80\xe9'\nb = 3\n", "cp1252", "\n"),
    (b"a = '\x81\xe9" + b"z" * 60 + b"'\nb = 2\n", b"a = '\x81\xe9" + b"z" * 60 + b"'\nb = 3\n", "latin-1", "\n"),
    (b"a\r\nb = 2\nc\r\nd\n", b"a\r\nb = 3\nc\r\nd\n", "utf-8", "\n"),
    (b"a\rstill a\nb = 2\n", b"a\rstill a\nb = 3\n", "utf-8", "\n"),
]


def test_only_what_is_edited_changes(code: Workspace, tree: Tree) -> None:
    """Encoding, byte order mark, line ends, tabs and a missing last newline are written back as they were."""
    for before, after, encoding, newline in WRITTEN:
        tree.write("file.txt", before)
        found = code.read("file.txt")
        assert (found.encoding, found.newline) == (encoding, newline)

        done = code.apply([Edit("file.txt", found.digest, found.text.replace("b = 2", "b = 3"))])
        assert tree.raw("file.txt") == after

        code.apply(done.undo)
        assert tree.raw("file.txt") == before


def test_line_ends_that_came_along_are_not_doubled(code: Workspace, tree: Tree) -> None:
    """A text with another system's line ends is written with those of the file."""
    tree.write("file.txt", b"a\r\nb\r\n")
    tree.write("plain.txt", b"a\nb\n")

    code.apply([edit(code, "file.txt", "a\r\nc\r\n"), edit(code, "plain.txt", "a\r\nc\r\n")])

    assert (tree.raw("file.txt"), tree.raw("plain.txt")) == (b"a\r\nc\r\n", b"a\nc\n")


def test_what_is_no_text_is_refused(code: Workspace, tree: Tree) -> None:
    """Bytes that are no text are neither shown nor edited, and the file stays as it is."""
    for content in (
        b"\x7fELF\0\1",
        b"\xff\xfe\x00\x00a\0\0\0",
        b"\xff\xfea",
        b"\x89PNG\r\n\x1a\n\x81\x02\x03\x04\x05\x06",
    ):
        tree.write("thing.bin", content)
        with pytest.raises(Refused, match="no text"):
            code.read("thing.bin")
        with pytest.raises(Refused, match="no text"):
            code.apply([Edit("thing.bin", sha256(content).hexdigest(), "text")])
        assert tree.raw("thing.bin") == content


def test_a_character_that_the_encoding_lacks_is_refused(code: Workspace, tree: Tree) -> None:
    """An edit with a character that the file's encoding has not is refused with character and line."""
    tree.write("old.txt", b"caf\xe9\nnext\n")

    with pytest.raises(Refused, match=r"cp1252, which has no '\\u4e16' \(line 2\)"):
        code.apply([edit(code, "old.txt", "caf\xe9\n\u4e16\n")])
    assert tree.raw("old.txt") == b"caf\xe9\nnext\n"


def test_sizes_have_limits(code: Workspace, tree: Tree) -> None:
    """Large files are read up to a limit and edited up to a lower one."""
    tree.write("big.txt", b"x" * READ_BYTES_MAX)
    found = code.read("big.txt")
    with pytest.raises(Refused, match="larger than"):
        code.apply([Edit("big.txt", found.digest, "x")])
    tree.write("big.txt", b"x" * (READ_BYTES_MAX + 1))
    with pytest.raises(Refused, match="larger than"):
        code.read("big.txt")
    with pytest.raises(Refused, match="would be larger"):
        code.apply([Edit("new.txt", "", "x" * (EDIT_BYTES_MAX + 1))])
    assert not (tree.root / "new.txt").exists()


def test_links_and_devices_are_refused(code: Workspace, tree: Tree, tmp_path: Path) -> None:
    """What is no file of the workspace is not listed, read, followed or written through."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (tmp_path / "outside").mkdir()
    (tree.root / "link.txt").symlink_to(secret)
    (tree.root / "inside.txt").symlink_to("README.md")
    (tree.root / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(tree.root / "pipe.txt")
    plug = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tree.root)
    plug.bind("plug.txt")
    os.chdir(here)
    plug.close()

    for path in ("link.txt", "inside.txt", "folder/new.txt", "pipe.txt", "plug.txt"):
        with pytest.raises(Refused, match=r"link|pipe"):
            code.read(path)
        with pytest.raises(Refused, match=r"link|pipe"):
            code.apply([Edit(path, "", "text")])
        with pytest.raises(Refused, match=r"link|pipe"):
            code.apply([Edit(path, sha256(b"secret").hexdigest(), "text")])
    with pytest.raises(Refused, match="link"):
        code.entries("folder")
    assert list(code.paths()) == sorted(FILES)
    assert {entry.path for entry in code.entries()} == {"README.md", "src", "config"}
    assert secret.read_text() == "secret"
    assert list((tmp_path / "outside").iterdir()) == []


def test_rules_that_never_end_hold_nobody_up(code: Workspace, tree: Tree, kind: str) -> None:
    """Where a pipe lies in place of the rules of git, everything that would read them is refused at once."""
    os.mkfifo(tree.root / "src/.gitignore")

    for verb in (
        lambda: code.read("src/web.ts"),
        lambda: code.apply([Edit("src/worker/new.py", "", "")]),
        code.paths,
        lambda: code.entries("src"),
        *([code.state] if kind != "plain" else []),
    ):
        with pytest.raises(Refused, match=r"src/.gitignore is a device, pipe or socket"):
            verb()


def test_a_second_name_outside_is_not_written_through(code: Workspace, tree: Tree, tmp_path: Path) -> None:
    """A file that has another name outside the workspace is replaced here, and stays as it is there."""
    outside = tmp_path / "outside.txt"
    outside.write_text("before\n")
    os.link(outside, tree.root / "inside.txt")

    code.apply([edit(code, "inside.txt", "after\n")])

    assert (tree.raw("inside.txt"), outside.read_text()) == (b"after\n", "before\n")


OUTSIDE = [
    *["", "/etc/passwd", "../secret", "src/../../secret", "src/..", ".", "./README.md", "src//web.ts", "src/"],
    *["C:\\secret", "c:/secret", "src\\web.ts", "a\0b", "a\nb", "a\rb", "a\u202eb", "a\u200bb", "a\ud800b", "\udcff"],
    *[".git", ".git/config", ".GIT/config", ".Git ", ".git.", ".git. ./config", "src/.git/config", "git~1/config"],
    *["GIT~2", ".g\u200cit/config", ".git\u200d", "\uff0egit/config", ".git::$INDEX_ALLOCATION/x", ".gi\ufe0ft"],
    *["x" * 256, "/".join(["y" * 200] * 21), ".hindcast-journal", ".Hindcast-1-2"],
]


def test_nothing_outside_can_be_named(code: Workspace, tree: Tree, tmp_path: Path) -> None:
    """A path that leads outside, into the repository's own folder, or cannot be shown is refused by every verb."""
    (tmp_path / "secret").write_text("secret")
    before = tree.everything()
    verbs: list[Callable[[str], object]] = [
        code.read,
        lambda path: code.read_at(path, "HEAD"),
        lambda path: code.blame(path, LineSpan(1, 1)),
        lambda path: code.commits(path, commits_max=1),
        code.now_at,
        lambda path: code.apply([Edit(path, "", "text")]),
        lambda path: code.apply([Edit(path, sha256(b"secret").hexdigest(), None)]),
        # No name is the name of the workspace's own folder.
        lambda path: code.entries(path or ".."),
    ]
    for path in OUTSIDE:
        for verb in verbs:
            with pytest.raises((Malformed, Refused)) as caught:
                verb(path)
            assert caught.value.field
            assert str(caught.value).isprintable()
    assert tree.everything() == before
    assert (tmp_path / "secret").read_text() == "secret"


def test_what_is_not_there_is_missing(code: Workspace) -> None:
    """A file that is not there, a folder in place of a file and a file in place of a folder are Missing."""
    for path in ("gone.py", "src", "README.md/inside.py", "no/such/folder.py"):
        with pytest.raises(Missing):
            code.read(path)
    for folder in ("gone", "README.md"):
        with pytest.raises(Missing):
            code.entries(folder)


def test_several_files_change_together(code: Workspace, tree: Tree) -> None:
    """Files are changed, made and removed in one step, and one step brings everything back."""
    before = tree.everything()
    edits = [
        edit(code, "src/web.ts", "export const x = 1\n"),
        Edit("src/deep/er/new.py", "", "x = 1\n"),
        edit(code, "config/app.yaml", None),
    ]

    done = code.apply(edits)

    assert done.edits == tuple(edits)
    assert (tree.raw("src/web.ts"), tree.raw("src/deep/er/new.py")) == (b"export const x = 1\n", b"x = 1\n")
    assert not (tree.root / "config").exists()
    back = code.apply(done.undo)
    assert tree.everything() == before
    assert not (tree.root / "src/deep").exists()
    code.apply(back.undo)
    assert tree.raw("src/deep/er/new.py") == b"x = 1\n"


@pytest.mark.parametrize("text", ["x\n", None])
def test_a_file_that_changed_stops_the_whole_change(code: Workspace, tree: Tree, text: str | None) -> None:
    """Where one file is not what its edit expects, no file is changed."""
    stale = edit(code, "src/web.ts", text)
    tree.write("src/web.ts", "somebody was here\n")
    before = tree.everything()

    with pytest.raises(Stale, match=r"src/web.ts is not what this change was made for"):
        code.apply([edit(code, "README.md", "# Other\n"), Edit("new.py", "", "x\n"), stale])
    assert tree.everything() == before


def test_a_change_does_not_apply_twice(code: Workspace, tree: Tree) -> None:
    """The same edits again are Stale, for files that changed, were made or were removed."""
    edits = [edit(code, "README.md", "# Other\n"), Edit("new.py", "", "x\n"), edit(code, "src/web.ts", None)]
    code.apply(edits)
    before = tree.everything()

    for one in edits:
        with pytest.raises(Stale):
            code.apply([one])
    assert tree.everything() == before


def test_edits_that_cannot_be_meant_are_malformed(code: Workspace, tree: Tree) -> None:
    """No edits, too many, two for one file, removing what is expected not to exist, and NULs are malformed."""
    before = tree.everything()
    bad: list[list[Edit]] = [
        [],
        [Edit(f"{number}.py", "", "") for number in range(EDITS_MAX + 1)],
        [Edit("a.py", "", "1"), Edit("a.py", "", "2")],
        [Edit("a.py", "", None)],
        [Edit("a.py", "", "a\0b")],
    ]
    for edits in bad:
        with pytest.raises(Malformed):
            code.apply(edits)
    assert tree.everything() == before


def test_nothing_is_done_where_nothing_changes(code: Workspace, tree: Tree) -> None:
    """An edit to what is there already leaves the very file in place."""
    inode = (tree.root / "README.md").stat().st_ino

    done = code.apply([edit(code, "README.md", FILES["README.md"])])

    assert (tree.root / "README.md").stat().st_ino == inode
    assert done.commit == ""


def test_permissions_are_kept(code: Workspace, tree: Tree) -> None:
    """A file that may be run may be run afterwards, and one that is closed to others stays closed."""
    (tree.root / "src/web.ts").chmod(0o750)
    (tree.root / "README.md").chmod(0o600)

    code.apply([edit(code, "src/web.ts", "1\n"), edit(code, "README.md", "2\n")])

    assert (tree.root / "src/web.ts").stat().st_mode & 0o7777 == 0o750
    assert (tree.root / "README.md").stat().st_mode & 0o7777 == 0o600


def test_a_read_only_file_is_refused(code: Workspace, tree: Tree) -> None:
    """A file that nobody may write to is left alone, with everything else of the change."""
    (tree.root / "src/web.ts").chmod(0o444)
    before = tree.everything()

    with pytest.raises(Refused, match=r"src/web.ts is read-only"):
        code.apply([edit(code, "README.md", "2\n"), edit(code, "src/web.ts", "1\n")])
    assert tree.everything() == before


def test_a_folder_takes_no_files_place(code: Workspace, tree: Tree) -> None:
    """A file cannot be made where a folder is, nor below a file, and nothing else of the change is made."""
    before = tree.everything()
    for path in ("src", "README.md/new.py"):
        with pytest.raises(HindcastError):
            code.apply([edit(code, "src/web.ts", "1\n"), Edit(path, "", "x")])
        assert tree.everything() == before


def test_nothing_of_ours_is_left_lying(code: Workspace, tree: Tree) -> None:
    """After a change that was made, and one that was refused half-way, there are only the files of the workspace."""
    done = code.apply([edit(code, "README.md", "2\n")])
    with pytest.raises(HindcastError):
        # Two files that cannot both be: the second fails when the first is already laid out.
        code.apply([Edit("a/b", "", "1"), Edit("a/b/c", "", "2")])
    code.apply(done.undo)

    assert sorted(tree.everything()) == sorted(FILES)
    assert not (tree.root / "a").exists()


def test_a_folder_lists_folders_first(code: Workspace, tree: Tree) -> None:
    """A folder shows its folders, then its files with their sizes."""
    tree.write("src/a.py", "12345")

    found = code.entries("src")

    assert [(entry.path, entry.is_folder, entry.size) for entry in found] == [
        ("src/worker", True, 0),
        ("src/a.py", False, 5),
        ("src/web.ts", False, 10),
    ]
    assert [entry.path for entry in code.entries()] == ["config", "src", "README.md"]


def test_lines_are_found_by_what_they_hold(code: Workspace, tree: Tree) -> None:
    """Lines that hold a text are found in the order of paths, whatever the encoding, and no more than asked for."""
    tree.write("a.txt", b"\xff\xfe" + "zwölf = 50\n".encode("utf-16-le"))
    tree.write("b.txt", "zw\xf6lf 50, 50\n\nzw\xf6lf".encode("cp1252"))
    tree.write("c.bin", b"50\0")
    tree.write("d.txt", "x" * 5_000 + "zwölf" + "y" * 5_000)

    assert [(one.path, one.line) for one in code.search("zwölf", lines_max=9)] == [
        *[("a.txt", 1), ("b.txt", 1), ("b.txt", 3), ("d.txt", 1)]
    ]
    assert [(one.path, one.line, one.text) for one in code.search("50", lines_max=3)] == [
        *[("a.txt", 1, "zwölf = 50"), ("b.txt", 1, "zwölf 50, 50"), ("config/app.yaml", 1, "pool: 50")]
    ]
    (long,) = (one for one in code.search("zwölf", lines_max=9) if one.path == "d.txt")
    assert "zwölf" in long.text
    assert len(long.text) <= 400
    for text in ("", "a\nb", "a\0b", "x" * 1_000):
        with pytest.raises(Malformed):
            code.search(text, lines_max=3)


def test_threads_lose_no_change(code: Workspace, tree: Tree) -> None:
    """Threads that change one file through one workspace, or through two, each build upon what the others did."""
    other = tree.open()
    tree.write("count.txt", "0")

    def count(mine: Workspace) -> None:
        done = 0
        while done < 5:
            found = mine.read("count.txt")
            try:
                mine.apply([Edit("count.txt", found.digest, str(int(found.text) + 1))])
            except Stale:
                continue
            done += 1

    threads = [threading.Thread(target=count, args=(mine,)) for mine in (code, other) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert tree.raw("count.txt") == b"30"


def test_readers_see_whole_files(code: Workspace, tree: Tree) -> None:
    """Whoever reads, lists and asks for the state while files change sees each file whole."""
    whole = {letter * 50_000 for letter in "ab"}
    tree.write("file.txt", "a" * 50_000)
    is_over = threading.Event()
    seen: list[str] = []
    failed: list[HindcastError] = []

    def look() -> None:
        while not is_over.is_set():
            try:
                seen.append(code.read("file.txt").text)
                assert "file.txt" in code.paths()
                code.state()
                code.entries()
            except HindcastError as error:
                failed.append(error)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(30):
        code.apply([edit(code, "file.txt", "ba"[number % 2] * 50_000)])
    is_over.set()
    for thread in threads:
        thread.join()
    assert failed == []
    assert seen
    assert set(seen) <= whole


def test_a_note_that_is_not_ours_is_told(code: Workspace, tree: Tree, kind: str, tmp_path: Path) -> None:
    """Where the note of a change cannot be read, or leads outside, nothing is done and the place is named."""
    note = tree.root / (".hindcast-journal" if kind == "plain" else ".git/hindcast-journal")
    secret = tmp_path / "secret"
    secret.write_bytes(b"1")
    leading_out = Plan("t", (FileChange("../secret", b"1", b"2", 0o644),))
    before = tree.everything()
    for raw in (b"garbage", b"", msgspec.msgpack.encode(leading_out)):
        note.write_bytes(raw)
        for verb in (tree.open, lambda: code.apply([Edit("a.py", "", "1")])):
            with pytest.raises(Damaged, match=str(note)):
                verb()
        note.unlink()
    assert tree.everything() == before
    assert secret.read_bytes() == b"1"


def test_a_folder_that_went_away_is_missing(code: Workspace, tree: Tree) -> None:
    """When the folder of a workspace is gone, every answer says so."""
    tree.root.rename(tree.root.with_name("elsewhere"))

    for verb in (code.paths, lambda: code.read("README.md"), lambda: code.apply([Edit("a.py", "", "")])):
        with pytest.raises(HindcastError, match=r"cannot be opened|gave no answer"):
            verb()
