"""The code of a workspace over HTTP: folders, files, who touched which line, search, what memory knows of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from fastapi import FastAPI, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from hindcast.model.code import Edit, LineSpan
from hindcast.model.errors import Malformed, Missing, Stale
from hindcast.model.workspace import FoundLine, TreeEntry
from hindcast.ports.code import Workspace
from hindcast.rest import workspaces_shapes as shapes
from hindcast.rest.casework import Said
from hindcast.rest.conditions import IfMatch, IfNoneMatch, Unmatched, etag, is_known
from hindcast.rest.desk import Desk, answered
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Reading, Responding, Seat
from hindcast.rest.workspaces import ONE, TAG, Announcer, Name
from hindcast.rest.workspaces_shapes import BlamedTold, EditedTold, FileTold, LensTold
from hindcast.workspaces.lens import Lenses

PATH_CHARS_MAX = 1_000
TEXT_CHARS_MAX = 4_000_000
FOUND_MAX = 500
BLAMED_LINES_MAX = 20_000

FilePath = Annotated[
    str, Query(min_length=1, max_length=PATH_CHARS_MAX, description="Below the workspace, with slashes: src/app.py")
]
AtCommit = Annotated[
    str, Query(max_length=100, description="As a commit of its repository has it; as it lies there if left out.")
]


class TextSaid(Said):
    """What a file is to become."""

    text: str = Field(max_length=TEXT_CHARS_MAX, description="The whole text, with plain newlines.")


def add(app: FastAPI, desk: Desk, announce: Announcer) -> None:
    """Add the routes."""
    _add_tree(app, desk)
    _add_file(app, desk, announce)
    _add_knowledge(app, desk)


def _code(desk: Desk, seat: Seat, name: str) -> Workspace:
    # Named first: an empty name would mean the only one.
    return desk.app.workspaces.open(seat.space, desk.app.workspaces.registered(seat.space, name).name)


def _add_tree(app: FastAPI, desk: Desk) -> None:
    @app.get(f"{ONE}/tree", tags=[TAG], operation_id="workspace_tree", response_model=Page[TreeEntry])
    def workspace_tree(
        name: Name,
        seat: Reading,
        path: Annotated[str, Query(max_length=PATH_CHARS_MAX, description="A folder; the workspace if empty.")] = "",
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """What lies in a folder, folders first; nothing that the repository ignores."""
        entries = _code(desk, seat, name).entries(path)
        if cursor is not None:
            is_file, last = position_of(cursor, int, str)
            entries = tuple(one for one in entries if (not one.is_folder, one.path) > (bool(is_file), str(last)))
        shown = entries[:limit]
        more = cursor_of(int(not shown[-1].is_folder), shown[-1].path) if len(entries) > limit else None
        return answered(Page(shown, more))

    @app.get(f"{ONE}/paths", tags=[TAG], operation_id="workspace_paths", response_model=tuple[str, ...])
    def workspace_paths(
        name: Name,
        seat: Reading,
        text: Annotated[str, Query(max_length=500, description="Words that a path has to hold; every path if empty.")],
        limit: Annotated[int, Query(ge=1, le=FOUND_MAX, description="How many at most.")] = 100,
    ) -> Response:
        """Files whose path holds each word, whatever its case; those that hold it in the file's name come first."""
        return answered(_named(_code(desk, seat, name).paths(), text.casefold().split())[:limit])

    @app.get(f"{ONE}/search", tags=[TAG], operation_id="workspace_search", response_model=tuple[FoundLine, ...])
    def workspace_search(
        name: Name,
        seat: Reading,
        text: Annotated[str, Query(min_length=1, max_length=500, description="What a line has to hold, as it is.")],
        limit: Annotated[int, Query(ge=1, le=FOUND_MAX, description="How many lines at most.")] = 100,
    ) -> Response:
        """Lines that hold a text, in the order of paths."""
        return answered(_code(desk, seat, name).search(text, lines_max=limit))


def _named(paths: Iterable[str], words: Sequence[str]) -> tuple[str, ...]:
    """Paths that hold every word. Who looks for a file mostly knows its name, and the shorter path is the likelier."""
    found = [path for path in paths if all(word in path.casefold() for word in words)]

    def distance(path: str) -> tuple[int, int, str]:
        name = path.rpartition("/")[2].casefold()
        return sum(word not in name for word in words), len(path), path

    return tuple(sorted(found, key=distance)) if words else tuple(found)


def _add_file(app: FastAPI, desk: Desk, announce: Announcer) -> None:
    @app.get(
        f"{ONE}/file",
        tags=[TAG],
        operation_id="workspace_file",
        response_model=FileTold,
        responses={304: {"description": "It is still what you have."}},
    )
    def workspace_file(
        name: Name, seat: Reading, path: FilePath, at: AtCommit = "", if_none_match: IfNoneMatch = None
    ) -> Response:
        """A text file: its text, its language, and how it is written back. Its digest is the ETag."""
        code = _code(desk, seat, name)
        found = code.read_at(path, at) if at else code.read(path)
        tag = etag(found.digest)
        if is_known(if_none_match, tag):
            return Response(status_code=304, headers={"ETag": tag})
        return answered(shapes.file(found, at), headers={"ETag": tag})

    @app.put(f"{ONE}/file", tags=[TAG], operation_id="workspace_edit", response_model=EditedTold)
    def workspace_edit(
        name: Name,
        said: TextSaid,
        seat: Responding,
        request: Request,
        path: FilePath,
        if_match: IfMatch = None,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Change a file as it lies there; nothing is committed. The answer has what takes the change back.

        `If-Match` with the digest that was read is needed, or `If-None-Match: *` for a file that is new.
        """
        expected = _expected(if_match, if_none_match)
        code = _code(desk, seat, name)
        try:
            applied = code.apply([Edit(path, expected, said.text)], author=seat.actor)
        except Stale as error:
            raise Unmatched(error.problem, field="If-Match", remedy=error.remedy) from error
        announce(request, seat, "edit", name, path=path)
        told = shapes.edited(path, applied)
        return answered(told, headers={"ETag": etag(told.digest)})


def _expected(if_match: str | None, if_none_match: str | None) -> str:
    """The digest of what an edit was made for; empty for a file that is not there yet."""
    if if_match is None and (if_none_match or "").strip() == "*":
        return ""
    digest = (if_match or "").strip().strip('"')
    if not digest or digest == "*" or if_none_match is not None:
        raise Malformed(
            "It is not said which version of the file this was made for.",
            field="If-Match",
            remedy="Send the ETag of the file as you have read it, or `If-None-Match: *` for a new file.",
        )
    return digest


def _add_knowledge(app: FastAPI, desk: Desk) -> None:
    lenses = Lenses(desk.register.existing)

    @app.get(f"{ONE}/blame", tags=[TAG], operation_id="workspace_blame", response_model=tuple[BlamedTold, ...])
    def workspace_blame(
        name: Name,
        seat: Reading,
        path: FilePath,
        first: Annotated[int, Query(ge=1, le=10_000_000, description="The first line.")] = 1,
        last: Annotated[
            int | None, Query(ge=1, le=10_000_000, description="The last line; the file's if unsaid.")
        ] = None,
    ) -> Response:
        """Who last touched which lines; nothing where there is no history."""
        code = _code(desk, seat, name)
        end = min(last or first + BLAMED_LINES_MAX - 1, len(code.read(path).lines))
        if first > end:
            raise Missing(f"{path} has no line {first}.", field="first", remedy=f"Ask for lines 1 to {end}.")
        if end - first >= BLAMED_LINES_MAX:
            raise Malformed(
                "So many lines are not blamed at once.", field="last", remedy=f"Ask for {BLAMED_LINES_MAX} at most."
            )
        return answered(tuple(map(shapes.blamed, code.blame(path, LineSpan(first, end)))))

    @app.get(f"{ONE}/lens", tags=[TAG], operation_id="workspace_lens", response_model=LensTold)
    def workspace_lens(name: Name, seat: Reading, path: FilePath) -> Response:
        """What memory knows about a file and each of its functions: who to ask, what changed lately, what broke."""
        return answered(shapes.lens(lenses.of(seat.space, path, _code(desk, seat, name))))
