"""Every file of a workspace, kept between questions: only folders that changed are looked through again.

A folder's time of change tells whether a name in it came or went; the times of the index and of every `.gitignore`
tell whether what is ignored did. A time so young that another change could bear the same one is not relied on.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hindcast.adapters.workspace_git.index_file import Tracked, read_index
from hindcast.adapters.workspace_git.names import are_all_listed, is_listed
from hindcast.adapters.workspace_git.rooted import FOLDER, RULES, check_rule, folder
from hindcast.model.errors import Refused

# Kernels tell the time of a file in steps of up to ten milliseconds; some file systems in steps of two seconds.
YOUNG_NS = 50_000_000
COARSE_NS = 2_000_000_000
FILES_MAX = 500_000
DEPTH_MAX = 200

# Folders that tools fill, in a plain folder, where nothing says what is to be ignored.
TOOLS_FOLDERS = frozenset(
    {"node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    | {".hg", ".svn", ".idea", ".gradle", ".terraform", ".next", ".cache"}
)

# Whether the repository ignores a path; a folder's ends with a slash.
Ignored = Callable[[str], bool]
Stamp = tuple[int, ...]


def tools_folders(path: str) -> bool:
    """Whether a path is in a folder that tools fill: what is ignored where no repository says so."""
    return not TOOLS_FOLDERS.isdisjoint(path.split("/")[:-1])


def nothing(path: str) -> bool:  # noqa: ARG001
    """Nothing is ignored."""
    return False


class Folder(NamedTuple):
    """What lies in one folder, links and what is ignored left out. A tuple, as there are thousands."""

    # Its time of change, and which folder it is.
    stamp: Stamp
    # When it was looked through, on the clock that files bear.
    seen_at_ns: int
    # The time and size of the file in it that says what is ignored; empty: there is none.
    rules: Stamp = ()
    # By their whole paths, as a listing has them.
    files: tuple[str, ...] = ()
    # By their names in it.
    folders: tuple[str, ...] = ()
    # A repository of its own, as a submodule is: listed, and not entered.
    is_nested: bool = False


@dataclass(slots=True)
class _Known:
    """What was found the last time."""

    rules: tuple[Stamp, ...] = ()
    folders: dict[str, Folder] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    tracked: Tracked = field(default_factory=Tracked)
    index: Stamp = ()
    read_at_ns: int = 0


class Listing:
    """The files of one workspace. Any thread may ask; one looks at a time, and the others wait for what it found."""

    def __init__(self, root: Path, index: Path | None, rules: Iterable[Path] = ()) -> None:
        self._root = root
        self._index = index
        # Files outside the tree that say what is ignored.
        self._rules = tuple(rules)
        self._lock = threading.Lock()
        self._known = _Known()

    def paths(self, is_ignored: Ignored) -> tuple[str, ...]:
        """Every file, in order. Raises Refused for more than can be listed."""
        with self._lock:
            known = self._current()
            found: dict[str, Folder] = {}
            is_same = self._look(known, found, is_ignored)
            if not is_same or len(found) != len(known.folders):
                known.folders = found
                known.paths = _joined(found)
            return known.paths

    def folder(self, names: tuple[str, ...], is_ignored: Ignored) -> tuple[Folder, dict[str, int]]:
        """What lies in one folder, and how large its files are. Raises Missing, or Refused for a link."""
        with self._lock:
            tracked = self._current().tracked
        with folder(self._root, names) as opened:
            found = _scan(opened, "/".join(names), tracked, is_ignored)
            sizes = {}
            for path in found.files:
                with suppress(FileNotFoundError):
                    sizes[path] = os.stat(path.rpartition("/")[2], dir_fd=opened, follow_symlinks=False).st_size
            return found, sizes

    def tracked(self) -> Tracked:
        """What the index names."""
        with self._lock:
            return self._current().tracked

    def _current(self) -> _Known:
        """What is known, with today's index and forgotten where the rules have changed."""
        known = self._known
        index = _stamp_of(self._index) if self._index is not None else ()
        rules = tuple(map(_stamp_of, self._rules))
        is_young = bool(index) and not _is_settled(index, known.read_at_ns)
        if index != known.index or rules != known.rules or is_young:
            read_at_ns = time.time_ns()
            tracked = read_index(self._index) if self._index is not None else Tracked()
            if tracked != known.tracked or rules != known.rules:
                known = _Known(rules=rules)
            known.tracked, known.index, known.read_at_ns = tracked, index, read_at_ns
            self._known = known
        return known

    def _look(self, known: _Known, found: dict[str, Folder], is_ignored: Ignored) -> bool:
        """Look through every folder that changed; whether everything is as it was."""
        is_same = True
        files = 0
        with folder(self._root, ()) as root:
            # Which folders are still to be seen, and whether a rule above them changed.
            waiting = [(os.dup(root), "", False)]
            try:
                while waiting:
                    opened, path, is_anew = waiting.pop()
                    try:
                        before = known.folders.get(path)
                        now = None if is_anew or before is None else _again(opened, before)
                        if now is None:
                            now = _scan(opened, path, known.tracked, is_ignored)
                            is_same = False
                            is_anew = is_anew or before is None or now.rules != before.rules
                        found[path] = now
                        files += len(now.files)
                        if now.folders:
                            _go_deeper(opened, path, now, waiting, is_anew=is_anew)
                    finally:
                        os.close(opened)
                    if files > FILES_MAX:
                        problem = f"The workspace has more than {FILES_MAX:,} files."
                        raise Refused(problem, remedy="Have git ignore what tools make, or register a part of it.")
            finally:
                for opened, _, _ in waiting:
                    os.close(opened)
        return is_same


def _go_deeper(opened: int, path: str, now: Folder, waiting: list[tuple[int, str, bool]], *, is_anew: bool) -> None:
    if path.count("/") >= DEPTH_MAX:
        return
    for name in now.folders:
        try:
            deeper = os.open(name, FOLDER, dir_fd=opened)
        except OSError:
            # Gone, or a link since: no part of the workspace any more.
            continue
        waiting.append((deeper, f"{path}/{name}" if path else name, is_anew))


def _again(opened: int, before: Folder) -> Folder | None:
    """What was found before, if it holds still and a later change would have given it another time."""
    if not _is_settled(before.stamp, before.seen_at_ns) or _stamp(os.fstat(opened)) != before.stamp:
        return None
    if before.rules and (not _is_settled(before.rules, before.seen_at_ns) or _rules(opened) != before.rules):
        return None
    return before


def _is_settled(stamp: Stamp, seen_at_ns: int) -> bool:
    at = stamp[0]
    return seen_at_ns - at > (COARSE_NS if at % 1_000_000_000 == 0 else YOUNG_NS)


def _stamp(found: os.stat_result) -> Stamp:
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _rules(opened: int) -> Stamp:
    try:
        return _stamp(os.stat(".gitignore", dir_fd=opened, follow_symlinks=False))
    except OSError:
        return ()


def _stamp_of(place: Path) -> Stamp:
    try:
        return _stamp(place.stat())
    except OSError:
        return ()


def _scan(opened: int, path: str, tracked: Tracked, is_ignored: Ignored) -> Folder:
    """Look through one folder."""
    # What comes up while we look has a later time, and makes us look again.
    seen_at_ns = time.time_ns()
    with os.scandir(opened) as entries:
        every = list(entries)
    before = path + "/" if path else ""
    files = sorted([before + entry.name for entry in every if entry.is_file(follow_symlinks=False)])
    known = tracked.just(files, before) if len(files) == len(every) else None
    if known is not None:
        # Nothing in it has a name that would need a second look; git's rules would.
        return Folder(_stamp(os.fstat(opened)), seen_at_ns, files=known)
    found = {entry.name: entry for entry in every}
    for name in RULES:
        if name in found:
            check_rule(found[name].stat(follow_symlinks=False).st_mode, (path, name) if path else (name,))
    stamp = _stamp(os.fstat(opened))
    rules = _rules(opened) if ".gitignore" in found else ()
    if path and (".git" in found or path in tracked.submodules):
        return Folder(stamp, seen_at_ns, rules, is_nested=True)
    if not are_all_listed(found):
        found = {name: entry for name, entry in found.items() if is_listed(name)}
        files = [file for file in files if file[len(before) :] in found]
    folders: list[str] = []
    if len(files) < len(found):
        folders = [
            name
            for name, entry in found.items()
            if entry.is_dir(follow_symlinks=False) and _is_shown(before + name, tracked, is_ignored)
        ]
    files = [inside for inside in files if tracked.names(inside) or not is_ignored(inside)]
    return Folder(stamp, seen_at_ns, rules, tuple(files), tuple(sorted(folders)))


def _is_shown(folder_path: str, tracked: Tracked, is_ignored: Ignored) -> bool:
    """Whether a folder is entered: it holds something tracked, or is not ignored."""
    return tracked.holds(folder_path) or folder_path in tracked.submodules or not is_ignored(folder_path + "/")


def _joined(found: dict[str, Folder]) -> tuple[str, ...]:
    paths: list[str] = []
    # Folder after folder they are nearly in order, and what is left to sort takes no time.
    for path in sorted(found):
        paths += found[path].files
    paths.sort()
    return tuple(paths)
