"""Commits made in the object database: no file that is checked out is touched, no hook is run."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, FilterMode

from hindcast.adapters.workspace_git.names import parts_of, shown
from hindcast.adapters.workspace_git.plan import RefChange, Staged
from hindcast.adapters.workspace_git.rooted import Bytes
from hindcast.model.errors import Busy, Malformed, Refused, Stale, Unavailable

MESSAGE_CHARS_MAX = 20_000
# How far back a file that was removed is looked for, to bring it back as it was.
VERSIONS_BACK_MAX = 50
# How long a lock that says nothing may be somebody's who is about to write to it.
LOCK_SECONDS_MAX = 0.5
COMMITTER = ("Hindcast", "hindcast@localhost")


def ref_of(branch: str) -> str:
    """The full name of a branch. Raises Malformed for what git does not take for one."""
    name = f"refs/heads/{branch}"
    # Git's own check reads a name only up to its first zero character.
    is_text = branch.isprintable() and not branch.startswith("-") and branch != "HEAD" and len(branch) <= 200
    if not is_text or not pygit2.reference_is_valid_name(name):
        remedy = "Use letters, digits, dashes and slashes, as in fix/redis-pool."
        raise Malformed(f"{shown(branch)} is no name for a branch.", field="branch", remedy=remedy)
    return name


def signature_of(author: str, repo: pygit2.Repository) -> pygit2.Signature:
    """Who wrote a change: `Ana Ruiz <ana@example.org>`, a bare address or name, or whom the repository knows."""
    match = re.fullmatch(r"\s{0,40}([^<>]{0,200}?)\s{0,40}<\s{0,40}([^<>\s]{1,300})\s{0,40}>\s{0,40}", author)
    if match:
        name, address = match[1] or match[2], match[2]
    elif author.strip():
        name = re.sub(r"[<>\0\n]", "", author).strip()
        address = name if "@" in name and " " not in name else f"{re.sub(r'[^A-Za-z0-9._+-]', '-', name)}@localhost"
    else:
        try:
            return repo.default_signature
        except (KeyError, pygit2.GitError):
            name, address = COMMITTER
    return pygit2.Signature(name, address)


def message_of(message: str) -> str:
    """A message as it is committed. Raises Malformed for none."""
    text = message.replace("\r\n", "\n").strip()
    if not text or "\0" in text or len(text) > MESSAGE_CHARS_MAX:
        remedy = f"Say in a sentence what the change is for, in at most {MESSAGE_CHARS_MAX:,} characters."
        raise Malformed("The message cannot be committed.", field="message", remedy=remedy)
    return text + "\n"


def cleaned(repo: pygit2.Repository, path: str, raw: bytes) -> bytes:
    """Bytes of a file as the repository keeps them. Raises Refused where that takes a program of somebody's."""
    for attribute in ("filter", "working-tree-encoding"):
        if isinstance(value := repo.get_attr(path, attribute), str):
            problem = f"{shown(path)} is kept in another form ({attribute}={value}), which takes a program to make."
            raise Refused(problem, field="path", remedy="Apply it without a commit, and commit it with git yourself.")
    filters = repo.load_filter_list(path, FilterMode.TO_ODB)
    if filters is None or not raw or b"\0" in raw:
        return raw
    return bytes(filters.apply_to_buffer(raw))


def blob_at(repo: pygit2.Repository, commit: str, path: str) -> tuple[pygit2.Blob, int] | None:
    """A file of a commit with its mode; None where it has no such file."""
    if not commit:
        return None
    entry: pygit2.Object = _tree(repo, commit)
    for name in parts_of(path):
        if not isinstance(entry, pygit2.Tree) or name not in entry:
            return None
        entry = entry[name]
    return (entry, int(entry.filemode)) if isinstance(entry, pygit2.Blob) else None


def bytes_of(blob: pygit2.Blob, mode: int) -> Bytes:
    """A file of a commit, with the permissions it gets on disk."""
    return Bytes(blob.data, 0o755 if mode & 0o100 else 0o644)


def last_version(repo: pygit2.Repository, commit: str, path: str) -> Bytes | None:
    """A file as a commit has it, or one of the last before it; None where none of them does."""
    for _ in range(VERSIONS_BACK_MAX):
        if not commit:
            return None
        if (found := blob_at(repo, commit, path)) is not None:
            return bytes_of(*found)
        parents = repo[commit].peel(pygit2.Commit).parent_ids
        commit = str(parents[0]) if parents and parents[0] in repo else ""
    return None


def _tree(repo: pygit2.Repository, commit: str) -> pygit2.Tree:
    return repo[commit].peel(pygit2.Tree)


def tree_with(repo: pygit2.Repository, commit: str, staged: Iterable[Staged]) -> str:
    """The tree of a commit with some files changed."""
    changes: dict[str, Staged] = {one.path: one for one in staged}
    top = _tree(repo, commit) if commit else None
    made = _changed(repo, top, {parts_of(path): one for path, one in changes.items()})
    return str(made if made is not None else repo.TreeBuilder().write())


def _changed(
    repo: pygit2.Repository, tree: pygit2.Tree | None, changes: dict[tuple[str, ...], Staged]
) -> pygit2.Oid | None:
    """A tree with changes in it, by the names that lead to each; None where nothing is left."""
    builder = repo.TreeBuilder(tree) if tree is not None else repo.TreeBuilder()
    deeper: dict[str, dict[tuple[str, ...], Staged]] = {}
    for names, one in changes.items():
        if len(names) > 1:
            deeper.setdefault(names[0], {})[names[1:]] = one
        elif one.blob:
            builder.insert(names[0], one.blob, one.mode)
        elif builder.get(names[0]) is not None:
            builder.remove(names[0])
    for name, inside in deeper.items():
        there = tree[name] if tree is not None and name in tree else None
        made = _changed(repo, there if isinstance(there, pygit2.Tree) else None, inside)
        if made is not None:
            builder.insert(name, made, FileMode.TREE)
        elif builder.get(name) is not None:
            builder.remove(name)
    return builder.write() if len(builder) else None


def commit_of(repo: pygit2.Repository, tree: str, parents: Sequence[str], *, message: str, author: str) -> str:
    """A commit that no branch points to yet."""
    committer = pygit2.Signature(*COMMITTER)
    written = repo.create_commit(None, signature_of(author, repo), committer, message, tree, list(parents))
    return str(written)


def move(repo: pygit2.Repository, change: RefChange) -> None:
    """Let a branch point to its new commit, if it points where it did. Raises Stale if not."""
    there = target_of(repo, change.name)
    if there == change.new:
        return
    if there != change.old:
        raise _moved_on(change.name)
    try:
        if not change.old:
            repo.create_reference_direct(change.name, change.new, False, "commit: Hindcast")
        else:
            with repo.transaction() as transaction:
                transaction.lock_ref(change.name)
                # Under the lock nobody else can move it.
                if target_of(repo, change.name) != change.old:
                    raise _moved_on(change.name)
                transaction.set_target(change.name, change.new, message="commit: Hindcast")
    except pygit2.AlreadyExistsError as error:
        raise _moved_on(change.name) from error
    except (pygit2.GitError, OSError) as error:
        if "lock" in str(error):
            raise locked(change.name.removeprefix("refs/heads/")) from error
        remedy = "See that the repository's own folder is writable, then try again."
        raise Unavailable(f"The branch cannot be written: {error}.", field="branch", remedy=remedy) from error


def target_of(repo: pygit2.Repository, name: str) -> str:
    """Where a branch points to; empty where there is none."""
    try:
        return str(repo.lookup_reference(name).resolve().target)
    except KeyError:
        return ""


def _moved_on(name: str) -> Stale:
    problem = f"The branch {name.removeprefix('refs/heads/')} has moved meanwhile."
    return Stale(problem, field="branch", remedy="Look at it again, then retry.")


def locked(what: str) -> Busy:
    """Why nothing is written: somebody else is at it."""
    problem = f"Another git is writing to {what}."
    return Busy(problem, remedy="Wait until it is done; if none runs, remove its .lock file.", retry_after_seconds=1)


def unlock(git_folder: Path, change: RefChange) -> None:
    """Remove the lock of a branch that a process of ours left lying when it was killed."""
    lock = common_folder(git_folder) / f"{change.name}.lock"
    deadline = time.monotonic() + LOCK_SECONDS_MAX
    while True:
        try:
            said = lock.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
        if said and not change.new.encode().startswith(said.rstrip()):
            # Another's, who may be at work.
            return
        if said or time.monotonic() > deadline:
            # It names our commit, or nobody wrote to it for so long: whoever took it was stopped.
            break
        time.sleep(0.01)
    lock.unlink(missing_ok=True)


def common_folder(git_folder: Path) -> Path:
    """Where a repository keeps its branches: a worktree's are with those of the repository it belongs to."""
    try:
        return git_folder / (git_folder / "commondir").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return git_folder


def staged_of(repo: pygit2.Repository, path: str, raw: bytes | None, mode: int) -> Staged:
    """What the index and a tree are to hold for a file."""
    if raw is None:
        return Staged(path, "", 0)
    kind = FileMode.BLOB_EXECUTABLE if mode & 0o100 else FileMode.BLOB
    return Staged(path, str(repo.create_blob(raw)), int(kind))
