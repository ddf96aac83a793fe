"""Clones: over https only, to judged addresses only, within limits; nothing of what is cloned is run or followed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pygit2
import pytest
from tests.git_server import GitServer, git_server

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.clone_fetch import FetchRequest
from hindcast.adapters.clone_git import END_SECONDS_MAX, CloneLimits, Cloner, check_url
from hindcast.adapters.outbound import Outbound
from hindcast.adapters.upload import UploadLimits
from hindcast.build import open_memory
from hindcast.build.workspaces import open_workspaces
from hindcast.config import Settings
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale, Unavailable
from hindcast.model.workspace import WorkspaceKind
from hindcast.workspaces import WORKSPACES_MAX

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
WHO = pygit2.Signature("ana", "ana@example.com")
HERE = Outbound.allowing("localhost")


def commit(repository: pygit2.Repository, message: str, **files: str) -> str:
    """The next commit of a bare repository, with these files and no others."""
    index = pygit2.Index()
    for name, text in files.items():
        blob = repository.create_blob(text.encode())
        path = name.replace("__", ".")
        mode = pygit2.enums.FileMode.LINK if name.startswith("link") else pygit2.enums.FileMode.BLOB
        index.add(pygit2.IndexEntry(path, blob, mode))
    parents = [] if repository.head_is_unborn else [repository.head.target]
    return str(repository.create_commit("HEAD", WHO, WHO, message, index.write_tree(repository), parents))


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    """A repository that is served over https, by a certificate that whoever fetches believes."""
    folder = tmp_path_factory.mktemp("origin")
    repository = pygit2.init_repository(str(folder / "shop.git"), bare=True, initial_head="trunk")
    commit(repository, "First", app__py="one\n")
    commit(repository, "Second", app__py="two\n", link="/etc/passwd", __gitattributes="* filter=evil\n")
    with git_server(folder, folder / "shop.git") as made, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(made.certificate))
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a clone goes."""
    made = tmp_path / "clone"
    made.mkdir()
    return made


@contextmanager
def frozen(origin: str, bytes_max: int) -> Iterator[str]:
    """An origin that says so many bytes for each connection and then nothing more, without hanging up."""
    far = urlsplit(origin)
    held: list[socket.socket] = []

    def carry(source: socket.socket, target: socket.socket, left: float) -> None:
        with suppress(OSError):
            while left > 0 and (piece := source.recv(int(min(left, 65_536)))):
                target.sendall(piece)
                left -= len(piece)

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                away = socket.create_connection((str(far.hostname), int(far.port or 443)))
                held.extend((near, away))
                for way in ((near, away, float("inf")), (away, near, bytes_max)):
                    threading.Thread(target=carry, args=way, daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"https://localhost:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    for one in held:
        # Closing alone does not end a connection that a thread reads from.
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def command_lines() -> Iterator[str]:
    """Those of the processes that this one has started."""
    for found in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for pid in found.read_text().split():
            with suppress(OSError):
                yield Path(f"/proc/{pid}/cmdline").read_text()


def test_a_clone_is_what_its_origin_has(origin: GitServer, folder: Path) -> None:
    """The branch that the origin calls its own is checked out; links are plain files, and history is there."""
    head = Cloner(HERE)(f"{origin.url}/shop.git", folder)
    repository = pygit2.Repository(str(folder))

    assert (folder / "app.py").read_text() == "two\n"
    assert (folder / "link").read_text() == "/etc/passwd"
    assert not (folder / "link").is_symlink()
    assert (repository.head.shorthand, str(repository.head.target)) == ("trunk", head)
    assert [one.message for one in repository.walk(repository.head.target)] == ["Second", "First"]


def test_history_can_be_cut_short(origin: GitServer, folder: Path) -> None:
    """A clone has no more commits than its limit says."""
    Cloner(HERE, CloneLimits(commits_max=1))(f"{origin.url}/shop.git", folder)
    repository = pygit2.Repository(str(folder))

    assert [one.message for one in repository.walk(repository.head.target)] == ["Second"]


def test_a_clone_follows_its_origin_unless_somebody_changed_it(origin: GitServer, folder: Path) -> None:
    """Refreshing brings what is new; over somebody's own change it is refused, and the change stays."""
    cloner, url = Cloner(HERE), f"{origin.url}/shop.git"
    first = cloner(url, folder)
    assert cloner(url, folder) == first
    third = commit(pygit2.Repository(str(origin.repository)), "Third", app__py="three\n")

    assert cloner(url, folder) == third
    assert (folder / "app.py").read_text() == "three\n"
    assert not (folder / "link").exists()
    (folder / "app.py").write_text("mine\n")
    commit(pygit2.Repository(str(origin.repository)), "Fourth", app__py="four\n")
    with pytest.raises(Stale, match=r"app\.py is changed"):
        cloner(url, folder)
    assert (folder / "app.py").read_text() == "mine\n"


@pytest.mark.parametrize(
    "url",
    [
        "http://git.example.com/shop.git",
        "ssh://git@example.com/shop.git",
        "git@example.com:shop.git",
        "file:///etc",
        "/srv/shop",
        "https://ana:secret@git.example.com/shop.git",
        "https://git.example.com/shop.git?x=1",
        "https://",
        "ext::sh -c id",
        "https://git.example.com/a b",
    ],
)
def test_only_plain_https_is_cloned(url: str) -> None:
    """Other protocols, passwords in an address and what is no address are refused before anything is called."""
    with pytest.raises(Malformed) as told:
        check_url(url, Outbound.allowing(""))

    assert "secret" not in str(told.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "2130706433"])
def test_nothing_private_is_cloned(host: str, folder: Path) -> None:
    """An address that is not public, in whatever spelling, is refused."""
    with pytest.raises(Refused, match="not a public address"):
        Cloner(Outbound.allowing(""))(f"https://{host}/shop.git", folder)


def test_a_name_that_changes_its_mind_gains_nothing(origin: GitServer, folder: Path) -> None:
    """An address is judged when the connection is made: a name that was public a moment ago leads nowhere."""
    answers = iter([("93.184.216.34",), ("127.0.0.1",)])
    guard = Outbound.allowing("", resolve=lambda *_: next(answers))
    before = len(origin.asked)
    with pytest.raises(Refused, match="not a public address"):
        Cloner(guard)(origin.url.replace("localhost", "rebind.example") + "/shop.git", folder)

    assert len(origin.asked) == before


@pytest.mark.parametrize("target", ["https://127.0.0.1:1", "http://localhost:1", "https://169.254.169.254"])
def test_a_redirect_is_judged_like_the_first_address(origin: GitServer, folder: Path, target: str) -> None:
    """An origin that sends git elsewhere cannot send it to a private address, nor to one without https."""
    origin.redirect = target
    try:
        with pytest.raises(HindcastError):
            Cloner(HERE)(f"{origin.url}/shop.git", folder)
    finally:
        origin.redirect = ""

    assert not (folder / "app.py").exists()


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's own settings of git, on the machine that clones."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home / ".gitconfig"


def test_somebodys_own_settings_send_no_clone_elsewhere(origin: GitServer, folder: Path, own_settings: Path) -> None:
    """What people let git do with https addresses does not count here, and what cannot be undone is refused."""
    elsewhere = pygit2.init_repository(str(folder.parent / "secret.git"), bare=True)
    commit(elsewhere, "Private", secret="key\n")
    own_settings.write_text(f'[url "file://{elsewhere.path}?"]\n\tinsteadOf = https://\n')
    Cloner(HERE)(f"{origin.url}/shop.git", folder)

    assert (folder / "app.py").is_file()
    own_settings.write_text(f'[url "file://{elsewhere.path}"]\n\tinsteadOf = {origin.url}/shop.git\n')
    with pytest.raises(Refused, match="send that address elsewhere"):
        Cloner(HERE)(f"{origin.url}/shop.git", folder)
    assert not (folder / "secret").exists()


def test_what_goes_wrong_elsewhere_is_said(origin: GitServer, folder: Path) -> None:
    """A repository that is not there, one that wants a password, and a server that fails are told apart."""
    for status, kind in ((404, Missing), (401, Refused), (500, Unavailable)):
        origin.status = status
        try:
            with pytest.raises(kind) as told:
                Cloner(HERE)(f"{origin.url}/shop.git", folder)
        finally:
            origin.status = 0
        assert told.value.remedy


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (CloneLimits(bytes_max=200), "larger than 200 bytes"),
        (CloneLimits(seconds_max=-1), "took longer"),
        (CloneLimits(objects_max=1), "more than 1 objects"),
        (CloneLimits(files_max=0), "unfolds into more"),
        (CloneLimits(checkout_bytes_max=1), "unfolds into more"),
    ],
)
def test_limits_hold(origin: GitServer, folder: Path, limits: CloneLimits, said: str) -> None:
    """A repository that is too large, too slow or too many files is refused, and no file of it is written."""
    with pytest.raises(HindcastError, match=said):
        Cloner(HERE, limits)(f"{origin.url}/shop.git", folder)

    assert not (folder / "app.py").exists()


# In the handshake, in the list of branches, in the pack, and just before the end.
@pytest.mark.parametrize("bytes_max", [0, 1, 900, 1_500, 2_200, 2_500])
def test_an_origin_that_stops_talking_is_given_up_at_the_deadline(
    origin: GitServer, folder: Path, bytes_max: int
) -> None:
    """Whichever byte is the last one, the clone ends at its deadline, says so, and leaves no process behind."""
    with frozen(origin.url, bytes_max) as url:
        begin = time.monotonic()
        with pytest.raises(Unavailable, match=r"took longer than 0\.5 s"):
            Cloner(HERE, CloneLimits(seconds_max=0.5))(f"{url}/shop.git", folder)

    # Whatever else this machine does: far from for ever.
    assert time.monotonic() - begin < 0.5 + 3 * END_SECONDS_MAX
    assert "clone_fetch" not in "".join(command_lines())
    assert not (folder / "app.py").exists()


def test_a_fetch_that_never_ends_is_ended(origin: GitServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that hears nothing of the end of its tunnel, as in the library's farewell, is ended from outside."""
    program = folder.parent / "program"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    begin = time.monotonic()
    with pytest.raises(Unavailable, match="took longer"):
        Cloner(HERE, CloneLimits(seconds_max=0.1))(f"{origin.url}/shop.git", folder)

    assert time.monotonic() - begin < 60


def test_a_fetch_whose_server_is_gone_ends_by_itself(origin: GitServer, folder: Path) -> None:
    """Started by a process that was killed since, it is gone after its time, wherever it stands."""
    pygit2.init_repository(str(folder))
    with frozen(origin.url, 0) as url:
        wanted = FetchRequest(str(folder), f"{url}/shop.git", "", 1, 1, seconds_max=1.0)
        command = [sys.executable, "-m", "hindcast.adapters.clone_fetch"]
        done = subprocess.run(command, input=msgspec.json.encode(wanted), timeout=60, check=False)

    assert done.returncode == -signal.SIGALRM


def test_a_tree_that_unfolds_for_ever_is_not_unfolded(tmp_path: Path) -> None:
    """Twelve small trees that name one another ten times each are a billion files, and counting them ends early."""
    repository = pygit2.init_repository(str(tmp_path / "bomb.git"), bare=True)
    entry, mode = repository.create_blob(b"x"), pygit2.enums.FileMode.BLOB
    for _ in range(12):
        builder = repository.TreeBuilder()
        for number in range(10):
            builder.insert(f"f{number}", entry, mode)
        entry, mode = builder.write(), pygit2.enums.FileMode.TREE
    bomb = repository[repository.create_commit("HEAD", WHO, WHO, "Boom", entry, [])].peel(pygit2.Commit)

    with pytest.raises(Refused, match="unfolds"):
        Cloner(HERE)._check_tree(bomb)


def test_a_clone_is_a_workspace(origin: GitServer, tmp_path: Path) -> None:
    """A clone is registered, read and brought up to date under its name, and its files go when somebody says so."""
    chosen = Settings(
        store=str(tmp_path), space="local", model="none", workspace_clones="on", outbound_allow="localhost"
    )
    memory = open_memory(chosen, clock=ManualClock(NOW))
    workspaces = open_workspaces(chosen, lambda _: memory)
    url = f"{origin.url}/shop.git"
    try:
        made = workspaces.add_clone("local", "shop", url, by="ana", now=NOW)
        head = commit(pygit2.Repository(str(origin.repository)), "Fifth", app__py="five\n")
        assert workspaces.refresh("local", "shop") == head
        assert workspaces.open("local", "shop").read("app.py").text == "five\n"
        assert (made.kind, made.url) == (WorkspaceKind.CLONE, url)
        with pytest.raises(Stale, match="already"):
            workspaces.add_clone("local", "shop", url, by="ana", now=NOW)
        with pytest.raises(Refused, match="not a public address"):
            workspaces.add_clone("local", "far", "https://10.0.0.1/shop.git", by="ana", now=NOW)
        workspaces.remove("local", "shop", by="ana", with_files=True)
        assert [path.name for path in (tmp_path / "workspaces.d/local").glob("*/*")] == []
    finally:
        workspaces.close()
        memory.close()


def test_the_page_tells_the_limits() -> None:
    """The page about workspaces gives the limits that hold."""
    page = (Path(__file__).parents[2] / "docs/explanation/workspaces.md").read_text()
    upload, clone = UploadLimits(), CloneLimits()
    told = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", page, flags=re.MULTILINE))

    assert told["an upload as it is sent"] == f"{upload.body_bytes_max:,} bytes"
    assert told["files of an upload"] == (
        f"{upload.files_max:,}, of {upload.file_bytes_max:,} bytes each, {upload.bytes_max:,} bytes together"
    )
    assert told["folders in folders"] == str(upload.depth_max)
    assert told["how much larger than packed the files of an archive may be"] == f"{upload.ratio_max} times"
    assert told["commits of a clone"] == str(clone.commits_max)
    assert told["what a clone may bring"] == (
        f"{clone.bytes_max:,} bytes, {clone.objects_max:,} objects, within {clone.seconds_max:.0f} seconds"
    )
    assert told["files of a clone"] == f"{clone.files_max:,}, of {clone.checkout_bytes_max:,} bytes together"
    assert told["workspaces of a space"] == str(WORKSPACES_MAX)
