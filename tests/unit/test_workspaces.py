"""Workspaces: remembered by name, opened only where a folder was admitted, and replaced as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pygit2
import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.build.workspaces import open_workspaces, workspaces_folder
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.case import Case, Resolution
from hindcast.model.code import Edit
from hindcast.model.errors import Malformed, Missing, Refused, Stale
from hindcast.model.workspace import Registered, WorkspaceKind
from hindcast.ports.grounds import Incoming
from hindcast.workspaces import NAMESPACE, Workspaces
from hindcast.workspaces.lens import lens_of

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
SPACE = "acme/shop"


class Ground:
    """A store in a folder, with code beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code = folder / "code" / "shop"
        (self.code / "src").mkdir(parents=True)
        (self.code / "src/app.py").write_text("def pay():\n    return 1\n")
        self.settings = Settings(
            store=str(folder / "store"), space=SPACE, model="none", workspace_roots=f"acme={folder / 'code'}"
        )
        self.memory: Memory = open_memory(self.settings, clock=ManualClock(NOW))
        self.workspaces = self.opened()

    def opened(self, **settings: str) -> Workspaces:
        """As another process would open them."""
        return open_workspaces(
            replace(self.settings, **settings),  # type: ignore[arg-type]
            lambda _: self.memory,
            lambda space: self.memory if space == SPACE else None,
        )

    def add(self, name: str = "shop", **more: bool) -> Registered:
        """Register the code."""
        return self.workspaces.add_folder(SPACE, name, str(self.code), by="ana", now=NOW, **more)

    def upload(self, *files: tuple[str, str], name: str = "up") -> str:
        """Upload texts; the commit."""
        coming = (Incoming(path, iter([text.encode()])) for path, text in files)
        return self.workspaces.upload(SPACE, name, coming, by="ana", now=NOW).commit

    def write(self, registered: Registered) -> None:
        """Write a record as anybody may who maintains a memory."""
        self.memory.put(
            f"{NAMESPACE}/{registered.name}",
            msgspec.to_builtins(registered),
            kind="workspace",
            actor="mallory",
            why="x",
        )

    def copies(self) -> list[str]:
        """What lies in the folder of our copies, by the first letters of their names."""
        home = workspaces_folder(self.settings)
        return sorted(path.name for path in home.glob("*/*/*"))


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """A store that is closed in the end."""
    made = Ground(tmp_path)
    yield made
    made.workspaces.close()
    made.memory.close()


def test_a_folder_is_found_by_its_name(ground: Ground) -> None:
    """A folder is registered once, found by its name or as the only one, and shared by everybody who opens it."""
    added = ground.add()

    assert ground.workspaces.names(SPACE) == (added,)
    assert ground.workspaces.registered(SPACE, "shop") == ground.workspaces.chosen(SPACE) == added
    opened = ground.workspaces.open(SPACE, "shop")
    assert opened is ground.workspaces.open(SPACE)
    assert opened.read("src/app.py").text == "def pay():\n    return 1\n"
    assert ground.workspaces.names("acme/other") == ()


def test_adding_again_changes_nothing(ground: Ground) -> None:
    """The same folder under the same name makes no second commit; another one under that name is refused."""
    first = ground.add()
    steps = len(ground.memory.log())

    assert ground.add() == first
    assert len(ground.memory.log()) == steps
    with pytest.raises(Stale, match="already"):
        ground.workspaces.add_folder(SPACE, "shop", str(ground.folder), by="bo", now=NOW)


def test_which_one_is_meant_has_to_be_said(ground: Ground) -> None:
    """None and several are told apart, and each says what to do."""
    with pytest.raises(Missing, match="no workspace yet"):
        ground.workspaces.chosen(SPACE)
    ground.add("one")
    ground.add("two")
    with pytest.raises(Malformed, match="one, two"):
        ground.workspaces.open(SPACE)
    with pytest.raises(Missing, match="'three'"):
        ground.workspaces.open(SPACE, "three")
    for wrong in ("", "Shop", "a/b", "../x", "a b", "x" * 65, "é"):
        with pytest.raises((Malformed, Missing)):
            ground.add(wrong)


def test_a_past_moment_knows_its_workspaces(ground: Ground) -> None:
    """What is removed is gone from now on and stays in the past; the folder stays where it is."""
    ground.add()
    before = ground.memory.log()[0]
    ground.workspaces.remove(SPACE, "shop", by="ana")

    assert ground.workspaces.names(SPACE) == ()
    assert ground.memory.at(before).find(f"{NAMESPACE}/shop") is not None
    assert (ground.code / "src/app.py").exists()


def test_nobodys_own_folder_is_removed(ground: Ground) -> None:
    """Asked to remove the files of a registered folder, it refuses and removes nothing at all."""
    ground.add()
    with pytest.raises(Refused, match="not ours"):
        ground.workspaces.remove(SPACE, "shop", by="ana", with_files=True)

    assert ground.workspaces.names(SPACE)
    assert (ground.code / "src/app.py").exists()


def test_over_http_only_listed_folders(ground: Ground) -> None:
    """What comes over HTTP is registered below listed folders only: no link, no climbing, nothing of Hindcast's own."""
    (ground.folder / "secret").mkdir()
    (ground.code.parent / "out").symlink_to(ground.folder / "secret")
    wrong = (ground.folder / "secret", ground.code.parent / "out", ground.code / "../../secret", "code/shop", "/")
    for path in map(str, wrong):
        with pytest.raises((Refused, Malformed)):
            ground.workspaces.add_folder(SPACE, "x", path, by="ana", now=NOW, is_listed=True)

    assert ground.add(is_listed=True).root == str(ground.code)
    wide = ground.opened(workspace_roots=f"acme={ground.folder}")
    for ours in (ground.folder, ground.folder / "store"):
        with pytest.raises(Refused):
            wide.add_folder(SPACE, "x", str(ours), by="ana", now=NOW, is_listed=True)
    with pytest.raises(Refused, match="No folder may be registered over HTTP"):
        ground.opened(workspace_roots="").add_folder(SPACE, "x", str(ground.code), by="a", now=NOW, is_listed=True)


def test_a_listed_folder_is_for_its_organisation_only(ground: Ground) -> None:
    """What is listed for one organisation is neither registered nor opened by any other space."""
    ground.add(is_listed=True)
    roots = f"acme={ground.folder / 'code'}, globex={ground.folder / 'other'}"
    both = open_workspaces(replace(ground.settings, workspace_roots=roots), lambda _: ground.memory)
    record = Registered("theirs", WorkspaceKind.PATH, str(ground.code), "mallory", NOW)
    ground.write(record)
    for space in ("globex/shop", "shop", "home/shop"):
        with pytest.raises(Refused, match="registered over HTTP"):
            both.add_folder(space, "other", str(ground.code), by="mallory", now=NOW, is_listed=True)
        with pytest.raises(Refused, match="not admitted"):
            both.open(space, "theirs")
    unnamed = ground.opened(workspace_roots=str(ground.folder / "code"))
    with pytest.raises(Refused, match="registered over HTTP"):
        unnamed.add_folder(SPACE, "again", str(ground.code), by="ana", now=NOW, is_listed=True)


def test_a_folder_of_another_project_is_refused(ground: Ground) -> None:
    """What one project has registered is no other's of the same organisation, nor is what lies in it or around it."""
    (ground.code / "inner").mkdir()
    ground.add(is_listed=True)
    ground.write(Registered("theirs", WorkspaceKind.PATH, str(ground.code), "mallory", NOW))
    for path in (ground.code, ground.code / "inner", ground.code.parent):
        with pytest.raises(Refused, match="another project"):
            ground.workspaces.add_folder("acme/other", "theirs", str(path), by="mallory", now=NOW, is_listed=True)
    with pytest.raises(Refused, match="not admitted"):
        open_workspaces(ground.settings, lambda _: ground.memory).open("acme/other", "theirs")

    ground.workspaces.remove(SPACE, "theirs", by="ana")
    for one in ground.workspaces.names(SPACE):
        ground.workspaces.remove(SPACE, one.name, by="ana")
    assert ground.workspaces.add_folder("acme/other", "free", str(ground.code), by="bo", now=NOW, is_listed=True)


def test_a_record_alone_opens_nothing(ground: Ground) -> None:
    """Whoever can write records cannot make one open a folder: not by path, not as a clone, not in another space."""
    secret = ground.folder / "secret"
    secret.mkdir()
    ground.upload(("a.py", "a"))
    inside = ground.workspaces.registered(SPACE, "up").root
    for kind, root in (
        (WorkspaceKind.PATH, str(secret)),
        (WorkspaceKind.CLONE, str(secret)),
        (WorkspaceKind.UPLOAD, f"{inside}/../../../../../secret"),
        (WorkspaceKind.UPLOAD, inside),
        (WorkspaceKind.PATH, inside),
    ):
        ground.write(Registered("forged", kind, root, "mallory", NOW))
        with pytest.raises(Refused, match="not admitted"):
            ground.workspaces.open(SPACE, "forged")
    ground.workspaces.remove(SPACE, "forged", by="ana")


def test_what_was_admitted_stays_admitted_for_its_space_only(ground: Ground) -> None:
    """A folder that was added on the machine itself opens in every process, and in the space it was added to."""
    unlisted = ground.folder / "elsewhere"
    unlisted.mkdir()
    (unlisted / "a.py").write_text("a\n")
    ground.workspaces.add_folder(SPACE, "far", str(unlisted), by="ana", now=NOW)

    assert ground.opened().open(SPACE, "far").read("a.py").text == "a\n"
    elsewhere = open_workspaces(ground.settings, lambda _: ground.memory)
    with pytest.raises(Refused, match="not admitted"):
        elsewhere.open("acme/other", "far")
    unlisted.rename(ground.folder / "moved")
    unlisted.symlink_to("/etc")
    with pytest.raises(Refused, match="not admitted"):
        ground.opened().open(SPACE, "far")


def test_what_was_forgotten_is_no_longer_admitted(ground: Ground) -> None:
    """Once the last name of a folder is removed no record opens it any more, until it is added again."""
    workspaces = ground.opened(workspace_roots="")
    one, two = (workspaces.add_folder(SPACE, name, str(ground.code), by="ana", now=NOW) for name in ("one", "two"))
    workspaces.remove(SPACE, "one", by="ana")
    ground.write(one)
    assert workspaces.open(SPACE, "one").paths()
    for name in ("one", "two"):
        workspaces.remove(SPACE, name, by="ana")
    ground.write(two)
    with pytest.raises(Refused, match="not admitted"):
        workspaces.open(SPACE, "two")


def test_a_folder_that_is_gone_is_said_to_be_gone(ground: Ground) -> None:
    """A registered folder that was moved away is missing, with its path and what to do."""
    ground.add()
    ground.code.rename(ground.folder / "moved")

    with pytest.raises(Missing, match="gone"):
        ground.workspaces.open(SPACE, "shop")
    with pytest.raises(Missing):
        ground.workspaces.add_folder(SPACE, "other", str(ground.code), by="ana", now=NOW)


def test_each_upload_is_a_commit(ground: Ground) -> None:
    """A second upload is the next commit, with the first in its history; the same files again are none."""
    first = ground.upload(("src/app.py", "one\n"), ("old.py", "x\n"), (".gitignore", "src\n"))
    second = ground.upload(("src/app.py", "two\n"), ("new.py", "y\n"))
    opened = ground.workspaces.open(SPACE, "up")

    assert len({first, second, ""}) == 3
    assert ground.upload(("src/app.py", "two\n"), ("new.py", "y\n")) == ""
    assert opened is ground.workspaces.open(SPACE, "up")
    assert sorted(opened.paths()) == ["new.py", "src/app.py"]
    assert opened.read_at("src/app.py", first).text == "one\n"
    assert opened.read_at("old.py", first).text == "x\n"
    state = opened.state()
    assert (state.branch, state.head, state.dirty) == ("main", second, ())
    assert [commit.author for commit in opened.commits("src/app.py", commits_max=5)] == ["ana", "ana"]


def test_what_was_not_committed_is_not_lost_by_an_upload(ground: Ground) -> None:
    """An edit that nobody committed is a commit of its own before the upload that replaces it, and so is a branch."""
    ground.upload(("app.py", "one\n"))
    opened = ground.workspaces.open(SPACE, "up")
    digest = opened.read("app.py").digest
    opened.apply([Edit("app.py", digest, "fixed on a branch\n")], branch="fix/one", message="Fix", author="bo")
    opened.apply([Edit("app.py", digest, "edited by hand\n")], author="bo")
    ground.upload(("app.py", "two\n"))

    root = ground.workspaces.registered(SPACE, "up").root
    repository = pygit2.Repository(root)
    texts = [commit.tree["app.py"].data for commit in repository.walk(repository.head.target)]  # type: ignore[union-attr]
    assert texts == [b"two\n", b"edited by hand\n", b"one\n"]
    assert repository.branches["fix/one"].peel(pygit2.Commit).tree["app.py"].data == b"fixed on a branch\n"  # type: ignore[union-attr]


def test_an_upload_that_fails_leaves_everything_as_it_was(ground: Ground) -> None:
    """Whatever is wrong with the last file, none is kept, and the workspace and its folder are as before."""
    commit = ground.upload(("app.py", "one\n"))
    there = ground.copies()
    for wrong in ("../up.py", "APP.py", "a/\x00b"):
        with pytest.raises((Refused, Malformed)):
            ground.upload(("app.py", "two\n"), (wrong, "x"))
    with pytest.raises(Malformed, match="no file"):
        ground.upload()

    assert ground.copies() == there
    assert ground.workspaces.open(SPACE, "up").state().head == commit
    with pytest.raises((Refused, Malformed)):
        ground.upload(("../up.py", "x"), name="never")
    assert [one.name for one in ground.workspaces.names(SPACE)] == ["up"]


def test_files_that_somebody_removed_can_be_uploaded_again(ground: Ground) -> None:
    """Where the files of an upload were removed by hand, the next upload begins anew."""
    ground.upload(("a.py", "a"))
    shutil.rmtree(ground.workspaces.registered(SPACE, "up").root)
    ground.upload(("a.py", "b"))

    assert ground.workspaces.open(SPACE, "up").read("a.py").text == "b"


def test_uploads_go_to_uploads_only(ground: Ground) -> None:
    """A registered folder is nobody's to overwrite by an upload."""
    ground.add()
    with pytest.raises(Refused, match="is a path"):
        ground.upload(("src/app.py", "x"), name="shop")

    assert (ground.code / "src/app.py").read_text() == "def pay():\n    return 1\n"


def test_whoever_holds_replaced_files_is_told(ground: Ground) -> None:
    """Who still holds a workspace whose files were replaced changes nothing any more, and hears why."""
    ground.upload(("app.py", "one\n"))
    held = ground.workspaces.open(SPACE, "up")
    file = held.read("app.py")
    ground.upload(("app.py", "two\n"))

    with pytest.raises(Stale, match="replaced"):
        held.apply([Edit("app.py", file.digest, "late\n")])
    with pytest.raises(Stale):
        held.read("app.py")
    assert ground.workspaces.open(SPACE, "up").read("app.py").text == "two\n"


def test_edits_and_uploads_at_once_lose_nothing(ground: Ground) -> None:
    """While somebody edits and somebody uploads, every edit that was acknowledged is in history."""
    ground.upload(("app.py", "start\n"))
    done: list[str] = []
    stop = threading.Event()

    def edit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                opened = ground.workspaces.open(SPACE, "up")
                opened.apply([Edit("app.py", opened.read("app.py").digest, f"edit {number}\n")], author="bo")
                done.append(f"edit {number}\n")
            except (Stale, Missing):
                continue

    thread = threading.Thread(target=edit)
    thread.start()
    for number in range(5):
        waited = len(done)
        while len(done) == waited and thread.is_alive():
            stop.wait(0.001)
        ground.upload(("app.py", "start\n"), ("other.py", f"{number}\n"))
    stop.set()
    thread.join()

    repository = pygit2.Repository(ground.workspaces.registered(SPACE, "up").root)
    kept = [commit.tree["app.py"].data.decode() for commit in repository.walk(repository.head.target)]  # type: ignore[union-attr]
    # Of edits in a row only the last one has to be there.
    assert len([text for text in kept if text.startswith("edit")]) >= 5
    assert set(kept) <= {"start\n", *done}


def test_removing_an_upload_removes_its_files_only_when_told(ground: Ground) -> None:
    """Uploaded files stay on the disk unless somebody says that they may go, and nothing else goes with them."""
    ground.upload(("a.py", "a"), name="kept")
    ground.upload(("b.py", "b"), name="gone")
    ground.upload(("b.py", "c"), name="gone")
    kept = ground.workspaces.remove(SPACE, "kept", by="ana")
    gone = ground.workspaces.remove(SPACE, "gone", by="ana", with_files=True)

    assert (Path(kept.root) / "a.py").read_text() == "a"
    assert not Path(gone.root).parent.exists()
    os.utime(kept.root, (0, 0))
    ground.upload(("a.py", "another"), name="kept")
    assert (Path(kept.root) / "a.py").read_text() == "a"


def test_what_was_replaced_is_cleared_away_by_the_next_upload(ground: Ground) -> None:
    """Copies do not pile up: beside the one in use there is at most the one before it."""
    for number in range(4):
        ground.upload(("a.py", f"{number}\n"))

    assert len(ground.copies()) == 2
    assert sum(name.startswith("old-") for name in ground.copies()) == 1


def test_a_clone_has_to_be_allowed(ground: Ground) -> None:
    """Without the setting nothing is cloned, and nothing is left behind."""
    with pytest.raises(Refused, match="not allowed"):
        ground.workspaces.add_clone(SPACE, "far", "https://git.example.com/shop.git", by="ana", now=NOW)
    ground.add()
    with pytest.raises(Refused, match="not a clone"):
        ground.workspaces.refresh(SPACE, "shop")

    assert ground.copies() == []


def test_the_lens_shows_what_broke_where(ground: Ground) -> None:
    """Each function of a file is shown with the incidents that touched it, and only with those."""
    ground.upload(
        ("src/app.py", "def pay():\n    return 1\n\n\ndef refund():\n    return 2\n"), ("CODEOWNERS", "* @payments\n")
    )
    diff = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@ def pay():\n-    return 0\n+    return 1\n"
    case = Case("inc-1", "pay fails", NOW, resolution=Resolution("return one", diff=diff))
    lens = lens_of("src/app.py", ground.workspaces.open(SPACE, "up"), (case, Case("inc-2", "other", NOW)))

    assert [(one.name, one.lines.first, one.broke) for one in lens.functions] == [
        ("pay", 1, "It broke once before, on 2026-11-15: pay fails"),
        ("refund", 5, ""),
    ]
    assert lens.functions[0].context.owners == ("@payments",)
    assert [commit.author for commit in lens.functions[1].context.commits] == ["ana"]
    assert [trouble.case for trouble in lens.context.troubles] == ["inc-1"]


def test_the_lens_follows_a_fix_to_where_its_file_went(ground: Ground) -> None:
    """A file that was moved and renamed since still has the incidents whose fix changed it, in the right function."""
    text = "def pay():\n    return 1\n\n\ndef refund():\n    return 2\n"
    ground.upload(("src/app.py", text))
    ground.upload(("src/money/payments.py", text))
    diff = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@ def pay():\n-    return 0\n+    return 1\n"
    case = Case("inc-1", "pay fails", NOW, resolution=Resolution("return one", diff=diff))

    lens = lens_of("src/money/payments.py", ground.workspaces.open(SPACE, "up"), (case,))

    assert [(one.name, bool(one.broke)) for one in lens.functions] == [("pay", True), ("refund", False)]
    assert [trouble.case for trouble in lens.context.troubles] == ["inc-1"]
