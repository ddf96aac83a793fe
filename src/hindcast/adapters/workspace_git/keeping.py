"""Folders that we keep as repositories of our own: all that lies in one is committed, so that it has a history."""

from __future__ import annotations

from pathlib import Path

import pygit2

from hindcast.adapters.workspace_git.changing import Changer, new_token
from hindcast.adapters.workspace_git.committing import commit_of, message_of, staged_of, target_of, tree_with
from hindcast.adapters.workspace_git.listing import Listing, nothing
from hindcast.adapters.workspace_git.names import parts_of
from hindcast.adapters.workspace_git.plan import Plan, RefChange, Staged
from hindcast.adapters.workspace_git.repositories import Repositories, branch_of, head_of
from hindcast.adapters.workspace_git.rooted import read

BRANCH = "main"
FILE_BYTES_MAX = 100_000_000


def begin(root: Path) -> None:
    """Make a folder a repository of ours, with all that lies in it in its first commit, unless it is one already."""
    if not (root / ".git").exists():
        # Nothing of the machine's templates, which may hold hooks.
        pygit2.init_repository(str(root), initial_head=BRANCH)
    repos = Repositories(root)
    with repos.one() as repo:
        is_new = repo.head_is_unborn
    if is_new:
        keep_all(root, message="The files as they came", author="")


def keep_all(root: Path, *, message: str, author: str) -> str:
    """Commit everything that lies in a folder of ours, what `.gitignore` names included; the id of the commit.

    What is kept already gives the commit that has it. Links and what is no file are left out.
    """
    place = root.resolve()
    repos = Repositories(place)
    changer = Changer(place, repos)
    with changer.alone(), repos.one() as repo:
        head, branch = head_of(repo), branch_of(repo)
        paths = Listing(place, None).paths(nothing)
        staged = []
        for path in paths:
            found = read(place, parts_of(path), bytes_max=FILE_BYTES_MAX)
            staged.append(staged_of(repo, path, found.raw, found.mode))
        tree = tree_with(repo, "", staged)
        if head and str(repo[head].peel(pygit2.Tree).id) == tree:
            return head
        commit = commit_of(repo, tree, [head] if head else [], message=message_of(message), author=author)
        repo.index.read(False)
        kept = set(paths)
        gone = [Staged(entry.path, "", 0) for entry in repo.index if entry.path not in kept]
        ref = RefChange(f"refs/heads/{branch}", target_of(repo, f"refs/heads/{branch}"), commit)
        changer.perform(Plan(new_token(), ref=ref, staged=(*staged, *gone)))
    return commit
