"""Where files went: what history tells of renames."""

from __future__ import annotations

from collections.abc import Iterator

import pygit2

from hindcast.adapters.workspace_git.past import Past, Read, by_age, entry_id, tree_of

# How often a file may have been moved on its way to where it is now.
MOVES_MAX = 20


def now_at(repo: pygit2.Repository, past: Past, path: str) -> tuple[str, ...]:
    """Where a file that was at a path once is today; the path itself, if a file is there."""
    if repo.head_is_unborn:
        return ()
    read = past.read(repo)
    today = tree_of(repo, read.head)
    if entry_id(today, path) is not None:
        return (path,)
    return tuple(dict.fromkeys(_followed(repo, past, read, today, path)))


def _followed(repo: pygit2.Repository, past: Past, read: Read, today: pygit2.Tree, path: str) -> Iterator[str]:
    """Every path that a file has today, by the latest commits first."""
    waiting = [(path, len(read.order), 0)]
    seen = {path}
    while waiting:
        name, before, moves = waiting.pop(0)
        for commit in by_age(read, [*read.removed.get(name, ()), *_wide(repo, read, name)]):
            # It went away after it had come here.
            if read.number[commit] >= before:
                continue
            for now in past.renames(repo, commit).get(name, ()):
                if entry_id(today, now) is not None:
                    yield now
                elif now not in seen and moves < MOVES_MAX:
                    seen.add(now)
                    waiting.append((now, read.number[commit], moves + 1))


def _wide(repo: pygit2.Repository, read: Read, path: str) -> Iterator[str]:
    """The commits with very many paths that removed this one."""
    for commit in read.wide:
        parents = read.parents[commit]
        if len(parents) == 1 and parents[0] in repo:
            before, after = (entry_id(tree_of(repo, one), path) for one in (parents[0], commit))
            if before is not None and after is None:
                yield commit
