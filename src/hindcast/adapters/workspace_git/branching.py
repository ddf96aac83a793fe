"""A change as a commit on a branch, while the files that are checked out stay as they are."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

import pygit2

from hindcast.adapters.workspace_git import editing
from hindcast.adapters.workspace_git.changing import new_token
from hindcast.adapters.workspace_git.committing import (
    blob_at,
    bytes_of,
    cleaned,
    commit_of,
    last_version,
    message_of,
    ref_of,
    staged_of,
    target_of,
    tree_with,
)
from hindcast.adapters.workspace_git.names import parts_of, shown
from hindcast.adapters.workspace_git.plan import Plan, RefChange
from hindcast.adapters.workspace_git.repositories import branch_of, head_of
from hindcast.adapters.workspace_git.rooted import Bytes, read
from hindcast.adapters.workspace_git.swapping import changed_meanwhile
from hindcast.model.code import Edit
from hindcast.model.errors import HindcastError, Refused
from hindcast.ports import Applied


def prepared(
    repo: pygit2.Repository, root: Path, edits: Sequence[Edit], branch: str, *, message: str, author: str
) -> tuple[Plan, Applied]:
    """The commit, made, and the plan to let the branch point to it. Raises Stale where the branch has other files."""
    ref = ref_of(branch)
    tip = target_of(repo, ref)
    _check_free(repo, branch, tip)
    parent = tip or head_of(repo)
    if not parent:
        problem = "The repository has no commit yet that a branch could begin at."
        raise Refused(problem, field="branch", remedy="Commit something first, or apply the change to the files.")
    staged, undo = [], []
    for edit in edits:
        found = blob_at(repo, parent, edit.path)
        if found is not None and stat.S_IFMT(found[1]) != stat.S_IFREG:
            raise Refused(f"{shown(edit.path)} is a link.", field="path", remedy="Name the file itself.")
        there = bytes_of(*found) if found is not None else None
        _check_expected(repo, root, edit, there, branch if tip else "")
        if edit.text is None:
            new, mode = None, editing.NEW_MODE
        else:
            new, mode = editing.written(edit, there, lambda path: last_version(repo, parent, path))
        undo.append(editing.undo_of(edit.path, there.raw if there else None, new))
        if there is None or new != there.raw:
            staged.append(staged_of(repo, edit.path, new, mode))
    if not staged:
        return Plan(new_token()), Applied(tuple(edits), tuple(undo), branch)
    text = message_of(message or f"Change {edits[0].path}")
    commit = commit_of(repo, tree_with(repo, parent, staged), [parent], message=text, author=author)
    return Plan(new_token(), ref=RefChange(ref, tip, commit)), Applied(tuple(edits), tuple(undo), branch, commit)


def _check_free(repo: pygit2.Repository, branch: str, tip: str) -> None:
    """Raises Refused for a branch that cannot be, or is checked out: its files would not follow."""
    others = [name for name in repo.branches.local if name != branch]
    if any(name.startswith(f"{branch}/") or branch.startswith(f"{name}/") for name in others):
        remedy = "Choose a name that is no part of another branch's name, and has none as its part."
        raise Refused(
            f"There cannot be a branch {shown(branch)} beside those there are.", field="branch", remedy=remedy
        )
    is_out = branch == branch_of(repo)
    if tip and not is_out:
        found = repo.lookup_branch(branch)
        is_out = found is not None and found.is_checked_out()
    if is_out:
        remedy = "Leave the branch out to change the files themselves, or name another branch."
        raise Refused(f"The branch {shown(branch)} is checked out.", field="branch", remedy=remedy)


def _check_expected(repo: pygit2.Repository, root: Path, edit: Edit, there: Bytes | None, branch: str) -> None:
    """Raises Stale where neither the branch nor the folder has the file that an edit was made for.

    Where the folder has it, looking again would change nothing, so that is Refused: the edit was made for something
    that is not on the branch.
    """
    if (editing.digest_of(there.raw) if there is not None else "") == edit.expected:
        return
    try:
        here = read(root, parts_of(edit.path), bytes_max=editing.EDIT_BYTES_MAX)
    except HindcastError:
        raise changed_meanwhile(edit.path) from None
    if editing.digest_of(here.raw) != edit.expected:
        raise changed_meanwhile(edit.path)
    # The same with the line ends that the repository keeps is the same.
    if there is not None and cleaned(repo, edit.path, here.raw) == there.raw:
        return
    if branch:
        problem = f"{shown(edit.path)} is another one on the branch {shown(branch)} than here."
        remedy = "Check that branch out and apply the change there, or name another branch."
    else:
        problem = f"{shown(edit.path)} has changes that are not committed, and a branch begins at the last commit."
        remedy = "Commit them first, or apply the change without a branch."
    raise Refused(problem, field="branch", remedy=remedy)
