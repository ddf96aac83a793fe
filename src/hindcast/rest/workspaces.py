"""Workspaces over HTTP: which there are, adding and removing them, how each stands, and files that are uploaded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hindcast.adapters.upload import without_top
from hindcast.build.workspaces import UPLOAD_LIMITS
from hindcast.model.errors import Malformed
from hindcast.model.ids import check_name
from hindcast.model.workspace import Registered
from hindcast.ports.grounds import Incoming
from hindcast.rest import workspaces_shapes as shapes
from hindcast.rest.casework import Said
from hindcast.rest.desk import Desk, answered
from hindcast.rest.failure import WrongType
from hindcast.rest.live import Live
from hindcast.rest.once import Again
from hindcast.rest.organisation import page_of
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page
from hindcast.rest.seat import Maintaining, Reading, Seat, doorkeeper_of, peer_of
from hindcast.rest.workspaces_shapes import UploadedTold, WorkspaceStateTold, WorkspaceTold
from hindcast.workspaces import NAME_CHARS_MAX

TAG = "workspaces"
ROOT = "/api/v1/workspaces"
ONE = f"{ROOT}/{{name}}"
FORM = "multipart/form-data"
ZIP = "application/zip"
ARCHIVES = (ZIP, "application/x-zip-compressed", "application/octet-stream")
# A body up to this size never touches the disk.
SPOOLED_BYTES = 1_048_576
_BYTES = {"type": "string", "format": "binary"}
UPLOADED = {
    "required": True,
    "content": {
        ZIP: {"schema": {**_BYTES, "description": "An archive with the files."}},
        FORM: {
            "schema": {
                "type": "object",
                "required": ["files"],
                "properties": {
                    "files": {
                        "type": "array",
                        "items": _BYTES,
                        "description": "Each with its path below the workspace as filename.",
                    }
                },
            }
        },
    },
}

Name = Annotated[str, Path(max_length=NAME_CHARS_MAX, description="As GET /api/v1/workspaces shows it.")]


class WorkspaceSaid(Said):
    """A workspace that is to be: a folder of the server's machine, or a repository to clone. One of both."""

    name: str = Field(min_length=1, max_length=NAME_CHARS_MAX, examples=["shop"])
    path: str = Field(default="", max_length=4_000, description="Below a folder that `workspace_roots` lists.")
    url: str = Field(default="", max_length=2_000, description="An https address, where `workspace_clones` is on.")


class Announcer:
    """Writes down what was done to a workspace, and tells everybody who listens."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def __call__(self, request: Request, seat: Seat, verb: str, name: str, **more: str) -> None:
        """Durable in the audit trail before anybody is told."""
        subject = " ".join((name, *more.values()))
        audit = doorkeeper_of(request).access.audit
        audit.record(seat.caller, f"{verb} workspace", space=seat.space, subject=subject, peer=peer_of(request))
        self._live.tell(seat.space, "workspace", {"workspace": name, "verb": verb, "by": seat.actor, **more})


def add(app: FastAPI, desk: Desk, announce: Announcer) -> None:
    """Add the routes."""
    _add_reading(app, desk)
    _add_changing(app, desk, announce)
    _add_upload(app, desk, announce)


def _add_reading(app: FastAPI, desk: Desk) -> None:
    @app.get(ROOT, tags=[TAG], operation_id="workspaces_list", response_model=Page[WorkspaceTold])
    def workspaces_list(seat: Reading, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID) -> Response:
        """The workspaces of the space, by name."""
        told = [shapes.workspace(one, seat) for one in desk.app.workspaces.names(seat.space)]
        return answered(page_of(told, lambda one: one.name, cursor, limit))

    @app.get(ONE, tags=[TAG], operation_id="workspace_get", response_model=WorkspaceStateTold)
    def workspace_get(name: Name, seat: Reading) -> Response:
        """One workspace and how it stands: its branch, its head, what is not committed, what is under way."""
        registered = desk.app.workspaces.registered(seat.space, name)
        found = desk.app.workspaces.open(seat.space, name).state()
        return answered(shapes.state(registered, found, seat))


def _add_changing(app: FastAPI, desk: Desk, announce: Announcer) -> None:
    @app.post(ROOT, tags=[TAG], operation_id="workspace_add", response_model=WorkspaceTold, status_code=201)
    def workspace_add(said: WorkspaceSaid, seat: Maintaining, request: Request, again: Again) -> Response:
        """Register a folder of the server's machine, or clone a repository.

        Files that are uploaded need no adding: POST them to /workspaces/{name}/upload.
        """
        check_name(seat.space, field="space")

        def add_it() -> Response:
            registered = _added(desk, said, seat)
            announce(request, seat, "add", registered.name)
            return answered(shapes.workspace(registered, seat), status=201)

        return again.once(seat, said, add_it)

    @app.delete(ONE, tags=[TAG], operation_id="workspace_remove", response_model=WorkspaceTold)
    def workspace_remove(
        name: Name,
        seat: Maintaining,
        request: Request,
        files: Annotated[
            bool,
            Query(description="Remove a clone or uploaded files from the disk as well; never a registered folder."),
        ] = False,
    ) -> Response:
        """Forget a workspace. Cards and the log that name it stay in memory."""
        removed = desk.app.workspaces.remove(seat.space, name, by=seat.actor, with_files=files)
        announce(request, seat, "remove", name)
        return answered(shapes.workspace(removed, seat))

    @app.post(f"{ONE}/refresh", tags=[TAG], operation_id="workspace_refresh", response_model=WorkspaceStateTold)
    def workspace_refresh(name: Name, seat: Maintaining, request: Request) -> Response:
        """Bring a clone up to what its origin has by now. One with changes of its own is left alone (409)."""
        desk.app.workspaces.refresh(seat.space, name)
        announce(request, seat, "refresh", name)
        registered = desk.app.workspaces.registered(seat.space, name)
        return answered(shapes.state(registered, desk.app.workspaces.open(seat.space, name).state(), seat))


def _added(desk: Desk, said: WorkspaceSaid, seat: Seat) -> Registered:
    if bool(said.path) == bool(said.url):
        raise Malformed(
            "A workspace is a folder or a clone.", field="path", remedy="Give either `path` or `url`, not both."
        )
    workspaces, now = desk.app.workspaces, desk.now()
    if said.path:
        return workspaces.add_folder(seat.space, said.name, said.path, by=seat.actor, now=now, is_listed=True)
    return workspaces.add_clone(seat.space, said.name, said.url, by=seat.actor, now=now)


def _add_upload(app: FastAPI, desk: Desk, announce: Announcer) -> None:
    @app.post(
        f"{ONE}/upload",
        tags=[TAG],
        operation_id="workspace_upload",
        response_model=UploadedTold,
        openapi_extra={"requestBody": UPLOADED},
    )
    async def workspace_upload(
        name: Name,
        seat: Maintaining,
        request: Request,
        drop_top: Annotated[
            bool, Query(description="Leave out the one folder that all files lie in, as archives of a project have it.")
        ] = False,
    ) -> Response:
        """Upload files, or a zip of them: the whole workspace as it shall be, all of it or nothing.

        The first upload makes the workspace, each further one is a commit of its own repository. Files that are no
        longer sent are gone from it, and stay in its history.
        """
        kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind not in (*ARCHIVES, FORM):
            raise WrongType(
                f"{kind[:80]!r} is no upload.", field="Content-Type", remedy=f"Send {ZIP}, or files as {FORM}."
            )
        check_name(seat.space, field="space")
        with tempfile.SpooledTemporaryFile(max_size=SPOOLED_BYTES) as body:
            async for piece in request.stream():
                body.write(piece)
            content_type = request.headers["Content-Type"] if kind == FORM else ""

            def keep() -> UploadedTold:
                files = _files(body, content_type)
                files = without_top(files, UPLOAD_LIMITS) if drop_top else files
                taken = desk.app.workspaces.upload(seat.space, name, files, by=seat.actor, now=desk.now())
                announce(request, seat, "upload", name, commit=taken.commit[:12])
                registered = desk.app.workspaces.registered(seat.space, name)
                return UploadedTold(shapes.workspace(registered, seat), taken.files, taken.bytes, taken.commit)

            return answered(await run_in_threadpool(keep))


def _files(body: IO[bytes], content_type: str) -> Iterator[Incoming]:
    """The files of a form, or of an archive where no form was sent."""
    if content_type:
        # What reads forms takes its time to load.
        from hindcast.adapters.upload_parts import read_parts

        return read_parts(body, content_type, UPLOAD_LIMITS.files_max)
    from hindcast.adapters.upload_zip import read_zip

    return read_zip(body, UPLOAD_LIMITS)
