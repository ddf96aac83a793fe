"""`hindcast workspace`, as somebody at a keyboard sees it."""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pygit2
import pytest

from hindcast import cli
from hindcast.adapters.clock import ManualClock
from hindcast.cli import session
from hindcast.cli.workspace import name_of
from hindcast.model.errors import Malformed

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
Run = Callable[..., Any]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a change that is not committed."""
    root = tmp_path / "Shop API"
    repository = pygit2.init_repository(str(root), initial_head="main")
    (root / "src").mkdir()
    (root / "src/app.py").write_text("def pay():\n    return 1\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    repository.index.add_all()
    who = pygit2.Signature("ana", "ana@example.com")
    repository.create_commit("HEAD", who, who, "Begin", repository.index.write_tree(), [])
    repository.index.write()
    (root / "run.sh").write_text("#!/bin/sh\necho\n")
    return root


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `hindcast workspace …`; answers with its document, or with what it printed."""
    monkeypatch.setattr(session, "clock", ManualClock(NOW))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none.toml").write_text("")
    for name, value in {
        "HINDCAST_STORE": str(tmp_path / "store"),
        "HINDCAST_ACTOR": "ana",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": str(tmp_path / "none.toml"),
        "COLUMNS": "160",
    }.items():
        monkeypatch.setenv(name, value)

    def ran(line: str, *, code: int = 0, shown: bool = False) -> Any:
        words = ["workspace", *shlex.split(line), *(() if shown else ("--json",))]
        got = cli.run(words)
        printed = capsys.readouterr()
        assert got == code, printed
        return printed.out + printed.err if shown else json.loads(printed.out or printed.err)

    return ran


def test_a_folder_is_added_looked_at_and_forgotten(run: Run, shop: Path) -> None:
    """A folder gets a name from its own, is looked at, and is forgotten without being touched."""
    assert "no workspace yet" in run("list", shown=True)
    added = run(f"add '{shop.name}'")
    assert (added["name"], added["kind"], added["root"], added["by"]) == ("shop-api", "path", str(shop), "ana")
    assert [one["name"] for one in run("list")["workspaces"]] == ["shop-api"]

    state = run("show")
    assert (state["branch"], state["dirty"], state["busy_with"]) == ("main", ["run.sh"], "")
    assert [(one["path"], one["is_dirty"]) for one in run("tree")["entries"]] == [("src", False), ("run.sh", True)]
    assert run("tree src/")["entries"][0]["path"] == "src/app.py"
    assert run("search 'return 1'")["lines"] == [{"path": "src/app.py", "line": 2, "text": "    return 1"}]
    assert run("blame src/app.py --lines 2")["blamed"][0]["subject"] == "Begin"
    assert run("show src/app.py")["text"] == "def pay():\n    return 1\n"
    assert run(f"show run.sh --at {state['head']}")["text"] == "#!/bin/sh\n"

    run("remove shop-api --files", code=5)
    assert run("remove shop-api")["files_removed"] is False
    assert (shop / "src/app.py").exists()


def test_what_becomes_of_workspaces_is_in_the_audit_trail(
    run: Run, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Adding and removing name the workspace and where it lies, in the name of who typed it."""
    run(f"add '{shop}'")
    run("remove shop-api")
    assert cli.run(["audit", "list", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["entries"]

    told = [(one["what"], one["subject"], one["actor"]) for one in entries if one["what"].endswith("workspace")]
    assert told == [("remove workspace", "shop-api", "ana"), ("add workspace", f"shop-api {shop}", "ana")]


def test_what_is_shown_is_for_reading(run: Run, shop: Path) -> None:
    """People see names, marks and lines; what a file holds cannot drive their terminal."""
    (shop / "evil.py").write_text("x = '\x1b]0;owned\x07'\n")
    run(f"add '{shop}' --name shop")

    assert "* evil.py" in run("tree", shown=True)
    assert "main" in run("show", shown=True)
    shown = run("show evil.py", shown=True)
    assert "x = '" in shown
    assert "\x1b" not in shown
    assert "src/app.py:1" in run("search 'def pay'", shown=True)
    assert "ana" in run("blame src/app.py", shown=True)
    assert "shop" in run("list", shown=True)


def test_files_are_uploaded_from_a_folder_and_from_a_zip(run: Run, shop: Path, tmp_path: Path) -> None:
    """A folder and a zip of it are the same upload; links, repositories and what tools leave do not come along."""
    (shop / "__pycache__").mkdir()
    (shop / "__pycache__/x.pyc").write_bytes(b"x")
    (shop / "link").symlink_to("/etc/passwd")
    first = run(f"upload '{shop}' --name up")
    with zipfile.ZipFile(tmp_path / "up.zip", "w") as archive:
        for path in ("src/app.py", "run.sh"):
            archive.write(shop / path, f"shop-main/{path}")
    again = run("upload up.zip --drop-top")

    assert (first["files"], first["name"], again["name"]) == (2, "up", "up")
    assert first["commit"]
    assert again["commit"] == ""
    assert "already" in run("upload up.zip --drop-top", shown=True)
    gone = run("remove up --files")
    assert not Path(gone["root"]).exists()


@pytest.mark.parametrize(
    ("line", "code", "field"),
    [
        ("add nowhere", 3, "path"),
        ("add none.toml", 2, "path"),
        ("add https://git.example.com/shop.git", 5, "url"),
        ("upload nowhere.zip", 3, "FILES"),
        ("upload none.toml", 2, "body"),
        ("show", 3, "workspace"),
        ("remove nothing", 3, "workspace"),
        ("blame x.py --lines 9-3", 2, "--lines"),
        ("add . --name 'No Name'", 2, "name"),
    ],
)
def test_a_mistake_is_named_with_its_field(run: Run, line: str, code: int, field: str) -> None:
    """Each mistake ends with the exit code of its kind, and names what to correct."""
    told = run(line, code=code)

    assert told["error"]["field"] == field
    assert told["error"]["remedy"]


def test_a_name_is_made_of_a_folders() -> None:
    """Folders with spaces, capitals and dots make names; what has no letter has to be named."""
    assert [name_of(one) for one in ("Shop API", "web.app", "_x_")] == ["shop-api", "web-app", "x"]
    with pytest.raises(Malformed):
        name_of("…")
