"""What the routes about workspaces answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hindcast.model.access import Permission
from hindcast.model.code import Blamed, CodeCommit, Context, LineSpan, PastTrouble, SourceFile, Tongue
from hindcast.model.workspace import Registered, WorkspaceKind
from hindcast.ports.code import Applied, WorkspaceState
from hindcast.rest.seat import Seat
from hindcast.workspaces.lens import KnownFunction, Lens

# How many changed files are named; how many there are is said.
DIRTY_MAX = 500


@dataclass(frozen=True, slots=True)
class WorkspaceTold:
    """A workspace of the space."""

    name: str
    kind: WorkspaceKind
    # Where it lies on the server's machine; empty for whoever may not change workspaces.
    root: str
    # Where it was cloned from.
    url: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class WorkspaceStateTold:
    """How a workspace stands."""

    workspace: WorkspaceTold
    # Empty where there is no repository; "HEAD" where no branch is checked out.
    branch: str
    head: str
    # Files that differ from the last commit, the first of them.
    dirty: tuple[str, ...]
    dirty_count: int
    # What has to be finished before anything can be changed: a merge, a rebase; empty: nothing.
    busy_with: str


@dataclass(frozen=True, slots=True)
class FileTold:
    """A text file, with plain newlines and without a byte order mark, and how it is written back."""

    path: str
    text: str
    # Of its bytes; the ETag is the same.
    digest: str
    language: Tongue
    newline: str
    encoding: str
    has_mark: bool
    # The commit that it was read at; empty for the file as it lies there.
    at: str


@dataclass(frozen=True, slots=True)
class EditedTold:
    """What an edit made of a file, and what takes it back: PUT `undo_text` with this digest as If-Match."""

    path: str
    digest: str
    # None: the file was not there before.
    undo_text: str | None


@dataclass(frozen=True, slots=True)
class LinesTold:
    """Lines of a file, the first one being 1, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CodeCommitTold:
    """A commit of the workspace's repository."""

    id: str
    at: datetime
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class BlamedTold:
    """Lines that one commit last touched."""

    lines: LinesTold
    commit: CodeCommitTold


@dataclass(frozen=True, slots=True)
class PastTroubleTold:
    """An incident that touched this before."""

    incident: str
    title: str
    at: datetime
    how: str


@dataclass(frozen=True, slots=True)
class KnownTold:
    """What is known about a file or a function: who to ask, what changed lately, what broke."""

    owners: tuple[str, ...]
    commits: tuple[CodeCommitTold, ...]
    troubles: tuple[PastTroubleTold, ...]
    # "It broke twice before, last on …"; empty for what never did.
    broke: str


@dataclass(frozen=True, slots=True)
class FunctionTold:
    """A function of a file, and what is known about it."""

    name: str
    lines: LinesTold
    known: KnownTold


@dataclass(frozen=True, slots=True)
class LensTold:
    """A file as memory sees it."""

    path: str
    digest: str
    known: KnownTold
    functions: tuple[FunctionTold, ...]


@dataclass(frozen=True, slots=True)
class UploadedTold:
    """What became of an upload."""

    workspace: WorkspaceTold
    files: int
    bytes: int
    # Of the workspace's own repository; empty where everything was there already.
    commit: str


def workspace(one: Registered, seat: Seat) -> WorkspaceTold:
    """A workspace, as somebody may see it."""
    may_change = Permission.MAINTAIN in seat.caller.permissions_in(seat.space)
    return WorkspaceTold(one.name, one.kind, one.root if may_change else "", one.url, one.by, one.at)


def state(one: Registered, found: WorkspaceState, seat: Seat) -> WorkspaceStateTold:
    """How it stands."""
    dirty = found.dirty
    return WorkspaceStateTold(
        workspace(one, seat), found.branch, found.head, dirty[:DIRTY_MAX], len(dirty), found.busy_with
    )


def file(found: SourceFile, at: str) -> FileTold:
    """A file."""
    how = (found.newline, found.encoding, found.has_mark)
    return FileTold(found.path, found.text, found.digest, found.tongue, *how, at)


def edited(path: str, applied: Applied) -> EditedTold:
    """What an edit of one file did."""
    back = applied.undo[0]
    return EditedTold(path, back.expected, back.text)


def blamed(one: Blamed) -> BlamedTold:
    """Lines and their commit."""
    return BlamedTold(_lines(one.lines), _commit(one.commit))


def lens(found: Lens) -> LensTold:
    """A file as memory sees it."""
    return LensTold(
        found.path, found.digest, _known(found.context, found.broke), tuple(map(_function, found.functions))
    )


def _function(one: KnownFunction) -> FunctionTold:
    return FunctionTold(one.name, _lines(one.lines), _known(one.context, one.broke))


def _known(context: Context, broke: str) -> KnownTold:
    return KnownTold(
        context.owners, tuple(map(_commit, context.commits)), tuple(map(_trouble, context.troubles)), broke
    )


def _lines(lines: LineSpan) -> LinesTold:
    return LinesTold(lines.first, lines.last)


def _commit(one: CodeCommit) -> CodeCommitTold:
    return CodeCommitTold(one.id, one.at, one.author, one.subject)


def _trouble(one: PastTrouble) -> PastTroubleTold:
    return PastTroubleTold(one.case, one.title, one.at, one.how)
