"""Workspaces in folders of this machine: repositories of git, folders that we keep as such, and plain folders.

Nothing outside a workspace's folder can be read or written, whatever a path says and whatever links lie in it; see
`names` and `rooted`. No hook, filter or other program that a repository names is ever run.
"""

from __future__ import annotations

from pathlib import Path

from hindcast.adapters.workspace_git.keeping import begin, keep_all
from hindcast.adapters.workspace_git.repositories import Repositories
from hindcast.adapters.workspace_git.workspace import FolderWorkspace
from hindcast.model.errors import Malformed, Missing

__all__ = ["FolderWorkspace", "keep_all", "open_workspace"]


def open_workspace(root: Path, *, create: bool = False) -> FolderWorkspace:
    """The workspace in a folder; with create, the folder is made a repository of ours with all that lies in it.

    Raises Missing where there is no such folder, Refused for a bare repository, one whose files are elsewhere, and one
    of somebody else's that git is not told to trust.
    """
    try:
        place = root.resolve(strict=True)
    except OSError as error:
        problem = f"There is no folder {root}: {error.strerror}."
        raise Missing(problem, field="root", remedy="Give the path of a folder on this machine.") from error
    if not place.is_dir():
        raise Malformed(
            f"{root} is no folder.", field="root", remedy="Give the path of the folder that holds the code."
        )
    if create:
        begin(place)
    is_repository = (place / ".git").exists() or ((place / "HEAD").is_file() and (place / "objects").is_dir())
    return FolderWorkspace(place, Repositories(place) if is_repository else None)
