"""Laws of reading a repository's index: whatever git wrote, all of its paths come out, in order and by folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindcast.adapters.workspace_git.index_file import Tracked, read_index

NAMES = st.text("abcZ0.-_ é\udc80", min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..") and not name.startswith(".")
)
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=0, max_size=25, unique=True)
LONG = "x" * 200 + "/" + "y" * 200


def written(folder: Path, paths: list[str], *, version: int = 2) -> Path:
    """An index that git wrote, which names these paths; those are left out that it cannot have beside the others."""
    place = folder / "index"
    place.unlink(missing_ok=True)
    told = "".join(f"100644 {'0' * 39}1 0\t{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    surroundings = {**os.environ, "GIT_INDEX_FILE": str(place), "GIT_CONFIG_GLOBAL": os.devnull}
    git = ("git", "-c", f"index.version={version}", "-C", str(folder))
    subprocess.run([*git, "update-index", "-z", "--index-info"], input=told, env=surroundings, check=True)
    return place


def alone(paths: list[str]) -> list[str]:
    """Those paths of which none is a folder of another one."""
    folders = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    return [path for path in paths if path not in folders]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty one."""
    folder = tmp_path_factory.mktemp("index")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)  # noqa: S607
    return folder


@given(paths=PATHS, version=st.sampled_from([2, 4]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_path_of_an_index_is_read(repository: Path, paths: list[str], version: int) -> None:
    """Spaces, bytes that are no text, long and short names, either layout: what git was told is what is read."""
    paths = alone(paths)

    found = read_index(written(repository, paths, version=version)) if paths else Tracked()

    assert list(found.paths) == sorted(paths)
    assert all(found.names(path) and not found.names(path + "x") for path in paths)


@given(paths=PATHS, asked=st.lists(NAMES, min_size=1, max_size=3).map("/".join))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_folder_holds_what_lies_below_it(repository: Path, paths: list[str], asked: str) -> None:
    """A folder holds something when a path goes on below it, and a name that merely begins alike does not count."""
    paths = alone(paths)
    found = read_index(written(repository, paths)) if paths else Tracked()
    parents = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}

    for folder in {asked, *parents, *paths}:
        assert found.holds(folder) == (folder in parents), folder


def test_an_index_with_a_name_of_more_than_255_bytes_is_read(repository: Path) -> None:
    """Names of any length stand beside each other."""
    assert read_index(written(repository, [LONG, "short"])).paths == ("short", LONG)


@pytest.mark.parametrize(("last", "is_usual"), [("z.py", True), ("z/.git2/z.py", False), ("zé.py", False)])
def test_an_index_of_thousands_is_read_whole(repository: Path, last: str, is_usual: bool) -> None:
    """However many there are, each path is read once, and one odd name among them is noticed wherever it stands."""
    paths = [*(f"folder{number // 20:03}/file{number:04}.py" for number in range(5_000)), last]

    found = read_index(written(repository, paths))

    assert list(found.paths) == paths
    assert (found.just(paths[:20], "folder000/") is not None) is is_usual


@pytest.mark.parametrize("keep", [13, 60, 70, 100])
def test_a_torn_index_tells_nothing(repository: Path, keep: int) -> None:
    """An index that ends in the middle of an entry names nothing, instead of half a path."""
    place = written(repository, ["some/file.py", "some/other.py"])
    place.write_bytes(place.read_bytes()[:keep])

    assert read_index(place) == Tracked()


@pytest.mark.parametrize(
    ("files", "folder", "are_just"),
    [
        (["a/b.py", "a/c.py"], "a/", True),
        (["a/b.py"], "a/", True),
        (["a/c.py"], "a/", False),
        (["a/b.py", "a/new.py"], "a/", False),
        ([], "a/", True),
    ],
)
def test_files_are_known_when_they_are_the_tracked_ones(
    repository: Path, files: list[str], folder: str, are_just: bool
) -> None:
    """Files that are tracked without a gap need no further question; one that is not tracked does."""
    found = read_index(written(repository, ["a/b.py", "a/c.py", "ab.py"]))

    assert found.just(files, folder) == (tuple(files) if are_just else None)
    assert read_index(written(repository, ["a/b.py", "a/c\t.py"])).just(["a/b.py"], "a/") is None
