"""What a repository's history tells about a file: which commits touched it, and what was in it then."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

import pygit2

from hindcast.adapters.workspace_git.committing import blob_at
from hindcast.adapters.workspace_git.names import shown
from hindcast.adapters.workspace_git.past import Past, by_age, touches
from hindcast.model.code import CodeCommit
from hindcast.model.errors import Missing, Refused

SUBJECT_CHARS_MAX = 200
_LINK = 0o120000


def commit_named(repo: pygit2.Repository, name: str) -> str:
    """The commit that an id, its beginning, a branch or HEAD stands for. Raises Missing."""
    missing = Missing(
        f"There is no commit {shown(name)}.", field="commit", remedy="Give the id of a commit, or the name of a branch."
    )
    try:
        if name == "HEAD":
            return str(repo.head.target)
        if pygit2.reference_is_valid_name(f"refs/heads/{name}") and name in repo.branches.local:
            return str(repo.branches.local[name].target)
        if not re.fullmatch(r"[0-9a-f]{7,40}", name):
            raise missing
        found = repo[repo.expand_id(name) if len(name) < 40 else name]
        return str(found.peel(pygit2.Commit).id)
    except (KeyError, ValueError, pygit2.GitError):
        raise missing from None


def bytes_at(repo: pygit2.Repository, path: str, commit: str, *, bytes_max: int) -> bytes:
    """A file as a commit has it. Raises Missing, or Refused for what is no file or too large."""
    found = blob_at(repo, commit_named(repo, commit), path)
    if found is None:
        problem = f"{shown(path)} is not in the commit {shown(commit)}."
        raise Missing(problem, field="path", remedy="Ask for a commit that has it.")
    blob, mode = found
    if mode == _LINK:
        raise Refused(f"{shown(path)} is a link.", field="path", remedy="Links are not followed; name the file itself.")
    if blob.size > bytes_max:
        problem = f"{shown(path)} is larger than {bytes_max:,} bytes."
        raise Refused(problem, field="path", remedy="Look at it with git.")
    return blob.data


def commits_of(repo: pygit2.Repository, past: Past, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:
    """The last commits that touched a file, newest first."""
    if repo.head_is_unborn:
        return ()
    read = past.read(repo)
    maybe = by_age(read, [*read.touched.get(path, ()), *read.wide])
    found = (commit for commit in maybe if touches(repo, read, commit, path))
    return tuple(told(repo[commit].peel(pygit2.Commit)) for commit in islice(found, commits_max))


def told(commit: pygit2.Commit) -> CodeCommit:
    """A commit as far as it explains a line."""
    author = commit.author
    zone = timezone(timedelta(minutes=author.offset)) if abs(author.offset) < 1440 else UTC
    message = commit.raw_message.decode("utf-8", "replace")
    subject = message.strip().partition("\n")[0].strip()[:SUBJECT_CHARS_MAX]
    name = author.raw_name.decode("utf-8", "replace")
    return CodeCommit(str(commit.id), datetime.fromtimestamp(author.time, zone), name, subject)
