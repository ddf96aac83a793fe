"""A repository's history, read once for each commit that is checked out: which commits touched which paths.

Reading is bounded: what lies further back than the newest few thousand commits is not known here. When somebody
commits, only the new commits are read.
"""

from __future__ import annotations

import heapq
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pygit2
from pygit2.enums import SortMode

from hindcast.adapters.workspace_git.tree_changes import TreeReader

COMMITS_READ_MAX = 3_000
# A commit with more paths brought or moved a whole tree; which ones is asked when it matters.
PATHS_PER_COMMIT_MAX = 2_000
# Of a commit that is asked what it renamed: as many as a large project has files.
RENAMED_PATHS_MAX = 200_000


@dataclass(slots=True)
class Read:
    """What is known of history as of one commit. It is filled before anybody sees it, and not changed afterwards."""

    head: str = ""
    # From new to old.
    order: list[str] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # By path: commits that have it otherwise than each of their parents; and those that removed it.
    touched: dict[str, set[str]] = field(default_factory=dict)
    removed: dict[str, set[str]] = field(default_factory=dict)
    # Commits whose paths are not listed: first ones, and those with too many.
    wide: set[str] = field(default_factory=set)


class Past:
    """The history of one repository. Any thread may ask; one reads at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read = Read()
        self._renames: dict[str, dict[str, list[str]]] = {}

    def read(self, repo: pygit2.Repository) -> Read:
        """What is known as of the commit that is checked out, which there has to be."""
        head = str(repo.head.target)
        with self._lock:
            if self._read.head != head:
                self._read = _read(repo, head, self._read)
            return self._read

    def renames(self, repo: pygit2.Repository, commit: str) -> dict[str, list[str]]:
        """What a commit renamed, from old to new paths; nothing for a merge or a first commit."""
        with self._lock:
            if commit not in self._renames:
                if len(self._renames) > COMMITS_READ_MAX:
                    self._renames.clear()
                self._renames[commit] = _renames(repo, commit)
            return self._renames[commit]


def tree_of(repo: pygit2.Repository, commit: str) -> pygit2.Tree:
    """The files of a commit."""
    return repo[commit].peel(pygit2.Tree)


def entry_id(tree: pygit2.Tree, path: str) -> pygit2.Oid | None:
    """What a tree has at a path."""
    try:
        return tree[path].id
    except KeyError:
        return None


def touches(repo: pygit2.Repository, read: Read, commit: str, path: str) -> bool:
    """Whether a commit has a path otherwise than each of its parents."""
    if commit not in read.wide:
        return commit in read.touched.get(path, ())
    now = entry_id(tree_of(repo, commit), path)
    known = [parent for parent in read.parents[commit] if parent in repo]
    if len(known) < len(read.parents[commit]):
        # A shallow clone ends here: what was before is not known.
        return False
    return all(entry_id(tree_of(repo, parent), path) != now for parent in known) if known else now is not None


def _read(repo: pygit2.Repository, head: str, before: Read) -> Read:
    is_further = bool(before.head) and before.head in repo and repo.descendant_of(head, before.head)
    walker = repo.walk(repo.head.target, SortMode.TIME)
    if is_further:
        walker.hide(before.head)
    made, trees = Read(head), TreeReader(repo)
    for commit in walker:
        if len(made.order) >= COMMITS_READ_MAX:
            break
        made.order.append(str(commit.id))
        _note(repo, trees, commit, made)
    if is_further:
        made.order += before.order
        made.parents |= before.parents
        made.wide |= before.wide
        for new, old in ((made.touched, before.touched), (made.removed, before.removed)):
            for path, commits in old.items():
                new[path] = new[path] | commits if path in new else commits
    made.order = _descending(made)
    made.number = {commit: number for number, commit in enumerate(made.order)}
    return made


def _note(repo: pygit2.Repository, trees: TreeReader, commit: pygit2.Commit, made: Read) -> None:
    name = str(commit.id)
    made.parents[name] = tuple(map(str, commit.parent_ids))
    if not commit.parent_ids or any(parent not in repo for parent in commit.parent_ids):
        made.wide.add(name)
        return
    touched: set[str] | None = None
    removed: Iterable[str] = ()
    for parent in commit.parents:
        changes = trees.changes(parent.tree_id.raw, commit.tree_id.raw, paths_max=PATHS_PER_COMMIT_MAX)
        if changes is None:
            made.wide.add(name)
            return
        paths = {*changes.removed, *changes.added, *changes.modified}
        touched = paths if touched is None else touched & paths
        # What one side of a merge removed is told by that side.
        removed = changes.removed if len(commit.parent_ids) == 1 else ()
    for path in touched or ():
        made.touched.setdefault(path, set()).add(name)
    for path in removed:
        made.removed.setdefault(path, set()).add(name)


def _renames(repo: pygit2.Repository, name: str) -> dict[str, list[str]]:
    commit = repo[name].peel(pygit2.Commit)
    if len(commit.parent_ids) != 1 or commit.parent_ids[0] not in repo:
        return {}
    trees = TreeReader(repo)
    changes = trees.changes(commit.parents[0].tree_id.raw, commit.tree_id.raw, paths_max=RENAMED_PATHS_MAX)
    return trees.renames(changes) if changes is not None else {}


def _descending(read: Read) -> list[str]:
    """The commits with none before its children: clocks differ, and many commits share a second."""
    known = set(read.order)
    children = Counter(parent for name in read.order for parent in read.parents[name] if parent in known)
    place = {name: number for number, name in enumerate(read.order)}
    ready = [(place[name], name) for name in read.order if not children[name]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, name = heapq.heappop(ready)
        order.append(name)
        for parent in read.parents[name]:
            if parent in known:
                children[parent] -= 1
                if not children[parent]:
                    heapq.heappush(ready, (place[parent], parent))
    return order


def by_age(read: Read, commits: Iterable[str]) -> Iterator[str]:
    """Commits from new to old, each once."""
    yield from sorted(set(commits), key=lambda commit: read.number[commit])
