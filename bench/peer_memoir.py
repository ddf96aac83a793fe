"""One case of the peer, measured inside the peer's own environment.

`bench/peer.py` runs this file with the Python of `.venv-peer`, one process per case, and reads the JSON object it
prints. It imports nothing of Hindcast. The peer has three doors, and each is measured, so that nobody has to take our
word for which one is best:

* `memoir`: memoir-ai's `ProllyTreeStore` and `BranchService`, what a user of memoir calls.
* `versioned`: prollytree's `VersionedKvStore`, which memoir is built on.
* `namespaced`: prollytree's `NamespacedKvStore`, newer and by far the fastest, without diff and merge in Python.

In the peer's favour: RocksDB nodes (the fastest of its backends; memoir's default is files), loading in batches of the
best size, preparing outside the clock, an as-of read that does not pay for the way back. None of the three calls
`fsync` on commit; Hindcast does, and is compared all the same. Every answer is checked against what was written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

# `VersionedKvStore` rewrites its staging file on every insert, so one large batch is quadratic (10,000 keys: 14 s),
# while every commit walks the tree: 500 is best. `NamespacedKvStore` stages in memory and takes all in one commit.
LOAD_BATCH = 500
KEYS_PER_GROUP = 1_000
CHANGED_KEYS = 1_000
MOMENTS = tuple(f"moment-{number}" for number in range(10))
PROBES = 10
REPEATS_MAX = 20
# A case repeats until either is reached; a slow case is measured once, and the number of repeats says so.
REPEAT_SECONDS_MAX = 15.0
BODY_TEXT_BYTES = 200

# Group and name.
Path2 = tuple[str, str]
Body = dict[str, object]
# A version of None forgets the path.
Change = tuple[Path2, int | None]


class NotOfferedError(Exception):
    """This door of the peer has no such operation in Python."""


def path_of(index: int) -> Path2:
    """The group and name of the key with this number; a thousand keys share a group."""
    return f"g{index // KEYS_PER_GROUP:04d}", f"k{index:07d}"


def body_of(path: Path2, version: int) -> Body:
    """What was written at a path in a version: a fact of about two hundred bytes."""
    text = f"{path[0]}/{path[1]} as it was known in version {version}. "
    return {"kind": "fact", "version": version, "text": text.ljust(BODY_TEXT_BYTES, "x")}


class Peer(Protocol):
    """What a door of the peer is asked for; turning records into JSON and back is part of every call."""

    def write(self, changes: Sequence[Change]) -> None: ...
    def get(self, path: Path2) -> Body | None: ...
    def get_at(self, moment: str, path: Path2) -> Body | None: ...
    def list_at(self, moment: str, group: str) -> dict[Path2, Body]: ...
    def branch(self, name: str) -> None: ...
    def diff(self, before: str, after: str) -> dict[Path2, Body | None]: ...
    def merge(self, source: str) -> None: ...
    def switch(self, branch: str) -> None: ...


def _git(*arguments: str) -> str:
    """Run git in the store's folder, which is the working folder: prollytree looks for its repository there."""
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def _git_init() -> None:
    _git("init", "-q", "-b", "main")
    for name, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
        _git("config", name, value)


def _decode(data: bytes | None) -> Body | None:
    return None if data is None else json.loads(bytes(data))


def _flat(path: Path2) -> bytes:
    return f"default:{path[0]}:{path[1]}".encode()


def _unflat(key: bytes) -> Path2:
    _, group, name = bytes(key).decode().split(":")
    return group, name


class Versioned:
    """`VersionedKvStore` on RocksDB."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        from prollytree import StorageBackend, VersionedKvStore

        self._data, self._backend, self._kind = str(folder / "data"), StorageBackend.RocksDB, VersionedKvStore
        if create:
            _git_init()
            Path(self._data).mkdir()
        self._store: Any = (self._kind if create else self._kind.open)(self._data, self._backend)

    def write(self, changes: Sequence[Change]) -> None:
        # `insert` also replaces; `update` would read first.
        for path, version in changes:
            if version is None:
                self._store.delete(_flat(path))
            else:
                self._store.insert(_flat(path), json.dumps(body_of(path, version)).encode())
        self._store.commit("write")

    def get(self, path: Path2) -> Body | None:
        return _decode(self._store.get(_flat(path)))

    # `get_keys_at_ref` is the documented way into the past. `checkout` is the other one, rebuilds the tree key by key
    # (1 s at 1,000 keys, 53 s at 10,000) and moves the store for every process.
    def get_at(self, moment: str, path: Path2) -> Body | None:
        wanted = _flat(path)
        pairs = self._store.get_keys_at_ref(moment)
        return next((_decode(value) for key, value in pairs if bytes(key) == wanted), None)

    def list_at(self, moment: str, group: str) -> dict[Path2, Body]:
        prefix = f"default:{group}:".encode()
        pairs = self._store.get_keys_at_ref(moment)
        return {_unflat(key): json.loads(value) for key, value in pairs if bytes(key).startswith(prefix)}

    def branch(self, name: str) -> None:
        self._store.branch(name)

    def diff(self, before: str, after: str) -> dict[Path2, Body | None]:
        changes: dict[Path2, Body | None] = {}
        for change in self._store.diff(before, after):
            kind, operation = change.operation.operation_type, change.operation
            new = operation.new_value if kind == "Modified" else operation.value if kind == "Added" else None
            changes[_unflat(change.key)] = _decode(new)
        return changes

    def merge(self, source: str) -> None:
        self._store.merge(source)

    def switch(self, branch: str) -> None:
        # git and a new handle take milliseconds where `checkout` takes a minute; RocksDB allows one handle at a time.
        self._store = None
        _git("checkout", "-q", "-f", branch)
        self._store = self._kind.open(self._data, self._backend)


class Namespaced:
    """`NamespacedKvStore`; a snapshot is a branch, because its `checkout` takes no commit."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        from prollytree import NamespacedKvStore

        if create:
            _git_init()
            (folder / "data").mkdir()
        self._store: Any = (NamespacedKvStore if create else NamespacedKvStore.open)(str(folder / "data"))

    def write(self, changes: Sequence[Change]) -> None:
        for path, version in changes:
            if version is None:
                self._store.ns_delete("default", _flat(path))
            else:
                self._store.ns_insert("default", _flat(path), json.dumps(body_of(path, version)).encode())
        self._store.commit("write")

    def get(self, path: Path2) -> Body | None:
        return _decode(self._store.ns_get("default", _flat(path)))

    # The only way into the past is to move the store there. The way back is left out of the clock.
    def get_at(self, moment: str, path: Path2) -> Body | None:
        self._store.checkout(moment)
        return self.get(path)

    def list_at(self, moment: str, group: str) -> dict[Path2, Body]:
        # There is no listing by prefix and no bulk read, so: all keys, then the wanted ones one by one.
        self._store.checkout(moment)
        prefix = f"default:{group}:".encode()
        listed = [bytes(key) for key in self._store.ns_list_keys("default") if bytes(key).startswith(prefix)]
        return {_unflat(key): json.loads(self._store.ns_get("default", key)) for key in listed}

    def branch(self, name: str) -> None:
        self._store.branch(name)

    def diff(self, before: str, after: str) -> dict[Path2, Body | None]:
        del before, after
        raise NotOfferedError("NamespacedKvStore has no diff in Python")

    def merge(self, source: str) -> None:
        del source
        raise NotOfferedError("NamespacedKvStore has no merge in Python")

    def switch(self, branch: str) -> None:
        self._store.checkout(branch)


class Memoir:
    """memoir's `ProllyTreeStore` for records and `BranchService` for branches."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        from memoir.services.branch_service import BranchService
        from memoir.services.store_service import StoreService
        from memoir.store.prolly_adapter import ProllyTreeStore

        self._path = str(folder)
        self._open: Any = ProllyTreeStore
        self._service: Any = BranchService
        if create:
            made = StoreService(self._path).create_store(self._path, backend="rocksdb")
            if not made.success:
                raise RuntimeError(made.error)
        self._store: Any = None
        self._branches: Any = None

    def _records(self) -> Any:  # noqa: ANN401 - the peer's types are unknown to us
        if self._store is None:
            self._branches = None
            self._store = self._open(self._path, auto_commit=False)
        return self._store

    def _branching(self) -> Any:  # noqa: ANN401
        # RocksDB allows one handle at a time: the service opens its own.
        if self._branches is None:
            self._store = None
            self._branches = self._service(self._path)
            self._branches.get_current_branch()
        return self._branches

    def write(self, changes: Sequence[Change]) -> None:
        store = self._records()
        # One record: `put` commits by itself, memoir's default. More: put all, then one commit.
        store.auto_commit = len(changes) == 1
        for (group, name), version in changes:
            if version is None:
                store.delete(("default", group), name)
            else:
                store.put(("default", group), name, body_of((group, name), version))
        if not store.auto_commit:
            store.commit("write")

    def get(self, path: Path2) -> Body | None:
        found: Body | None = self._records().get(("default", path[0]), path[1])
        return found

    # `ref=` is memoir's own way into the past without moving the store; later reads in one view are a dict lookup.
    def _view(self, moment: str) -> Any:  # noqa: ANN401
        self._store = self._branches = None
        return self._open(self._path, ref=moment)

    def get_at(self, moment: str, path: Path2) -> Body | None:
        found: Body | None = self._view(moment).get(("default", path[0]), path[1])
        return found

    def list_at(self, moment: str, group: str) -> dict[Path2, Body]:
        # `search` finds nothing in a view (its key registry stays empty), so the way memoir's own UI lists.
        view = self._view(moment)
        paths = [_unflat(key) for key in view.tree.list_keys()]
        return {path: view.get(("default", group), path[1]) for path in paths if path[0] == group}

    def branch(self, name: str) -> None:
        made = self._branching().create_branch(name)
        if not made.success:
            raise RuntimeError(made.error)

    def diff(self, before: str, after: str) -> dict[Path2, Body | None]:
        # memoir splits at the first colon only, so its key still holds the group.
        changes = self._branching().diff_keys(before, after)
        return {_unflat(f"default:{change['key']}".encode()): change["new"] for change in changes}

    def merge(self, source: str) -> None:
        merged = self._branching().merge(source)
        if not merged.success:
            raise RuntimeError(merged.error)

    def switch(self, branch: str) -> None:
        self._store = self._branches = None
        _git("checkout", "-q", "-f", branch)
        self._branching() if branch == "main" else self._records()


DOORS: dict[str, Callable[..., Peer]] = {"memoir": Memoir, "versioned": Versioned, "namespaced": Namespaced}


@dataclass(frozen=True)
class World:
    """What the store holds, told by what was written and never by asking the peer."""

    keys: int

    @property
    def group(self) -> str:
        """The group that is listed: one in the middle of the key space."""
        return path_of(self.keys // 2)[0]

    @property
    def probes(self) -> list[Path2]:
        """Keys spread evenly over the key space; each moment changes all of them."""
        return [path_of((2 * n + 1) * self.keys // (2 * PROBES)) for n in range(PROBES)]

    def listed(self, moment: int) -> dict[Path2, Body]:
        """The listed group as of a moment."""
        first = self.keys // 2 // KEYS_PER_GROUP * KEYS_PER_GROUP
        paths = [path_of(index) for index in range(first, first + KEYS_PER_GROUP)]
        return {path: body_of(path, moment + 1 if path in self.probes else 0) for path in paths}

    def later(self) -> list[Change]:
        """What happens to the listed group after the last moment: the past must not notice."""
        paths = [path for path in self.listed(0) if path not in self.probes]
        added = [(self.group, f"new{number:04d}") for number in range(50)]
        changes: list[Change] = [(path, 50) for path in paths[:100]]
        changes += [(path, None) for path in paths[100:150]]
        return changes + [(path, 50) for path in added]

    def changed(self) -> list[Path2]:
        """A thousand paths that exist after `later`, spread over the whole key space."""
        alive = {path_of(index) for index in range(self.keys)}
        for path, version in self.later():
            alive.discard(path) if version is None else alive.add(path)
        return random.Random(self.keys).sample(sorted(alive), CHANGED_KEYS)


@dataclass(frozen=True)
class Measured:
    """The times of one case, and what was wrong with the answers."""

    seconds: list[float]
    fault: str = ""


# Beside the store's own files but outside its data, so that no commit of the peer picks it up.
_DIFF_FILE = Path(".git/bench-diff.json")


def _repeat(run: Callable[[int], tuple[float, int]], total: int, noun: str) -> Measured:
    """Call with 0, 1, 2, … for seconds and the number of wrong answers among `total`, until it is enough."""
    started = time.perf_counter()
    seconds: list[float] = []
    wrong = 0
    while len(seconds) < REPEATS_MAX and time.perf_counter() - started < REPEAT_SECONDS_MAX:
        one, wrong_here = run(len(seconds))
        seconds.append(one)
        wrong += wrong_here
    return Measured(seconds, f"missed {wrong:,} of {total * len(seconds):,} {noun}" if wrong else "")


def load(store: Peer, world: World) -> Measured:
    """Bulk load, then the history the cases ask about; only the bulk load is on the clock."""
    batch = world.keys if isinstance(store, Namespaced) else LOAD_BATCH
    started = time.perf_counter()
    for first in range(0, world.keys, batch):
        store.write([(path_of(index), 0) for index in range(first, min(first + batch, world.keys))])
    seconds = time.perf_counter() - started

    for number, moment in enumerate(MOMENTS):
        store.write([(path, number + 1) for path in world.probes])
        _git("branch", moment)
    store.write(world.later())
    before = _git("rev-parse", "HEAD")
    store.write([(path, 60) for path in world.changed()])
    _DIFF_FILE.write_text(json.dumps([before, _git("rev-parse", "HEAD")]))
    return Measured([seconds])


def commit(store: Peer, world: World) -> Measured:
    """Commit one new record, each a commit of its own, anywhere among the keys: early ones cost the peer less."""

    def run(number: int) -> tuple[float, int]:
        group, _ = path_of(random.Random(number).randrange(world.keys))
        path, head = (group, f"one{number:04d}"), _git("rev-parse", "HEAD")
        started = time.perf_counter()
        store.write([(path, 0)])
        seconds = time.perf_counter() - started
        return seconds, store.get(path) != body_of(path, 0) or head == _git("rev-parse", "HEAD")

    return _repeat(run, 1, "records")


def asof_get(store: Peer, world: World) -> Measured:
    """Read one record as of an old moment; never the same moment twice in a row."""

    def run(number: int) -> tuple[float, int]:
        moment, probe = number % len(MOMENTS), world.probes[number * 3 % PROBES]
        started = time.perf_counter()
        found = store.get_at(MOMENTS[moment], probe)
        return time.perf_counter() - started, found != body_of(probe, moment + 1)

    return _repeat(run, 1, "values")


def asof_list(store: Peer, world: World) -> Measured:
    """List the thousand records of one group as of an old moment; a record of another moment counts as wrong too."""

    def run(number: int) -> tuple[float, int]:
        moment = number % len(MOMENTS)
        started = time.perf_counter()
        found = store.list_at(MOMENTS[moment], world.group)
        return time.perf_counter() - started, _wrong(found, world.listed(moment))

    return _repeat(run, KEYS_PER_GROUP, "keys")


def branch(store: Peer, world: World) -> Measured:
    """Create a branch."""
    store.branch(f"warm-{world.keys}")

    def run(number: int) -> tuple[float, int]:
        started = time.perf_counter()
        store.branch(f"made-{number}")
        return time.perf_counter() - started, not _git("branch", "--list", f"made-{number}")

    return _repeat(run, 1, "branches")


def diff(store: Peer, world: World) -> Measured:
    """Compare two commits between which a thousand records changed, with the new values."""
    before, after = json.loads(_DIFF_FILE.read_text())
    expected = {path: body_of(path, 60) for path in world.changed()}

    def run(_number: int) -> tuple[float, int]:
        started = time.perf_counter()
        found = store.diff(before, after)
        return time.perf_counter() - started, _wrong(found, expected)

    return _repeat(run, CHANGED_KEYS, "changes")


def merge(store: Peer, world: World) -> Measured:
    """Merge a branch that changed a thousand records into a main that moved on by one; no conflicts."""
    changed = world.changed()
    kept = [path for path, version in world.later() if version == 50 and path not in set(changed)]

    def run(number: int) -> tuple[float, int]:
        side, moved_on = f"side-{number}", (world.group, f"main{number:04d}")
        store.branch(side)
        store.write([(moved_on, 0)])
        store.switch(side)
        store.write([(path, 70 + number) for path in changed])
        store.switch("main")
        started = time.perf_counter()
        store.merge(side)
        seconds = time.perf_counter() - started
        expected = {path: body_of(path, 70 + number) for path in changed}
        expected |= {path: body_of(path, 50) for path in kept} | {moved_on: body_of(moved_on, 0)}
        return seconds, _wrong({path: store.get(path) for path in expected}, expected)

    return _repeat(run, CHANGED_KEYS, "records")


def _wrong(found: Mapping[Path2, Body | None], expected: Mapping[Path2, Body]) -> int:
    """How many answers are missing, different or too many."""
    return sum(found.get(path) != body for path, body in expected.items()) + len(found.keys() - expected.keys())


CASES: dict[str, Callable[[Peer, World], Measured]] = {
    "load": load,
    "commit": commit,
    "asof_get": asof_get,
    "asof_list": asof_list,
    "branch": branch,
    "diff": diff,
    "merge": merge,
}


def main() -> None:
    """Run one case in one folder and print its result as one JSON object."""
    parser = argparse.ArgumentParser(description="One case of the peer.")
    parser.add_argument("--door", choices=sorted(DOORS), required=True)
    parser.add_argument("--case", choices=sorted(CASES), required=True)
    parser.add_argument("--keys", type=int, required=True, help="at least 1,000")
    parser.add_argument("--folder", type=Path, required=True, help="the store; `--case load` creates it")
    chosen = parser.parse_args()
    folder = chosen.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    seconds, repeats = None, 0
    try:
        store = DOORS[chosen.door](folder, create=chosen.case == "load")
        measured = CASES[chosen.case](store, World(chosen.keys))
        seconds, repeats, note = statistics.median(measured.seconds), len(measured.seconds), measured.fault
        # The next case finds the store where it expects it.
        store.switch("main")
    except NotOfferedError as absent:
        note = str(absent)
    result = {"seconds": seconds, "repeats": repeats, "right": seconds is not None and not note, "note": note}
    print(json.dumps({"door": chosen.door, "case": chosen.case, "keys": chosen.keys, **result}))


if __name__ == "__main__":
    main()
