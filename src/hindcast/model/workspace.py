"""Workspaces as values: where a project's code lies, and what of it is shown in a tree."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hindcast.model.reading import ready


class WorkspaceKind(StrEnum):
    """How the code came here."""

    # A folder of somebody's on this machine, mostly a repository; it is never removed by us.
    PATH = "path"
    # A clone that we made and keep.
    CLONE = "clone"
    # Files that somebody uploaded; we keep them, with their history.
    UPLOAD = "upload"


@dataclass(frozen=True, slots=True)
class Registered:
    """A workspace of a space, as it is remembered."""

    name: str
    kind: WorkspaceKind
    # Where it lies on this machine.
    root: str
    by: str
    at: datetime
    # Where it was cloned from; empty where it was not.
    url: str = ""


@dataclass(frozen=True, slots=True, order=True)
class TreeEntry:
    """One line of a folder of a workspace."""

    # Relative to the workspace, with slashes.
    path: str
    is_folder: bool
    # In bytes; 0 for a folder.
    size: int = 0
    # Whether it, or something in it, differs from the last commit.
    is_dirty: bool = False


@dataclass(frozen=True, slots=True, order=True)
class FoundLine:
    """A line of a file that holds what was searched for."""

    path: str
    line: int
    text: str


ready(Registered)
