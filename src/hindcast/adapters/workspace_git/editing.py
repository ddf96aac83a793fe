"""From edits to the bytes of files before and after, with every reason not to change them found first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from hindcast.adapters.workspace_git.names import parts_of, shown
from hindcast.adapters.workspace_git.plan import FileChange
from hindcast.adapters.workspace_git.rooted import Bytes, folder, read_in
from hindcast.adapters.workspace_git.swapping import changed_meanwhile, check_writable
from hindcast.adapters.workspace_git.texts import NEW, decode, encode
from hindcast.model.code import Edit
from hindcast.model.errors import Malformed, Missing, Refused

EDITS_MAX = 200
EDIT_BYTES_MAX = 2_000_000
NEW_MODE = 0o644

# A file as the last commit has it: its bytes and mode; None where it has no such file.
Committed = Callable[[str], Bytes | None]


def digest_of(raw: bytes) -> str:
    """The digest by which a file's bytes are known."""
    return sha256(raw).hexdigest()


def check(edits: Sequence[Edit]) -> None:
    """Raises Malformed for edits that cannot be meant."""
    remedy = "Give each file one edit."
    if not edits or len(edits) > EDITS_MAX:
        raise Malformed(f"There are {len(edits)} edits; 1 to {EDITS_MAX} are taken.", field="edits", remedy=remedy)
    paths = {edit.path for edit in edits}
    if len(paths) != len(edits):
        raise Malformed("A file has two edits.", field="edits", remedy=remedy)
    for edit in edits:
        parts_of(edit.path)
        if edit.text is None and not edit.expected:
            problem = f"The edit of {shown(edit.path)} removes a file that it expects not to be there."
            raise Malformed(problem, field="edits", remedy="Give the digest of the file that is to be removed.")


def change_here(root: Path, edit: Edit, committed: Committed) -> FileChange:
    """One file before and after. Raises Stale where it is not what is expected, Refused where it may not change."""
    names = parts_of(edit.path)
    there = _there(root, names, edit.path)
    if (digest_of(there.raw) if there else "") != edit.expected:
        raise changed_meanwhile(edit.path)
    if edit.text is None:
        return FileChange(edit.path, there.raw if there else None, None, there.mode if there else NEW_MODE)
    new, mode = written(edit, there, committed)
    return FileChange(edit.path, there.raw if there else None, new, mode)


def _there(root: Path, names: tuple[str, ...], path: str) -> Bytes | None:
    """A file that may be written; None where there is none, and one may be made."""
    for depth in range(len(names) - 1, -1, -1):
        try:
            with folder(root, names[:depth]) as parent:
                if depth < len(names) - 1:
                    check_writable(parent, names[depth], path, None)
                    return None
                try:
                    found = read_in(parent, names[-1], path, bytes_max=EDIT_BYTES_MAX)
                except Missing as missing:
                    if missing.problem.endswith("is a folder."):
                        raise Refused(missing.problem, field="path", remedy=missing.remedy) from None
                    check_writable(parent, names[-1], path, None)
                    return None
                check_writable(parent, names[-1], path, found.mode)
                return found
        except Missing:
            if depth == 0:
                raise
    raise AssertionError("the root has no folder above it")


def written(edit: Edit, there: Bytes | None, committed: Committed) -> tuple[bytes, int]:
    """The bytes of an edit's text, written as the file is, or as it was when it was last committed."""
    assert edit.text is not None
    like = decode(there.raw, edit.path) if there is not None else NEW
    before = committed(edit.path) if there is None or like.ends else None
    mode = there.mode if there is not None else NEW_MODE
    if before is not None:
        past = decode(before.raw, edit.path)
        if past.text == edit.text:
            # It is brought back: to the very bytes that it had.
            return before.raw, mode if there is not None else before.mode
        like = past if there is None else like
    raw = encode(edit.text, like, edit.path)
    if len(raw) > EDIT_BYTES_MAX:
        problem = f"{shown(edit.path)} would be larger than {EDIT_BYTES_MAX:,} bytes."
        raise Refused(problem, field="text", remedy="Change files this large where they lie.")
    return raw, mode


def undo_of(path: str, old: bytes | None, new: bytes | None) -> Edit:
    """The edit that brings back what was there."""
    text = decode(old, path).text if old is not None else None
    return Edit(path, digest_of(new) if new is not None else "", text)
