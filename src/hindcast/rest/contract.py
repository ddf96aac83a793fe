"""The OpenAPI document: the contract that clients are generated from and that the fuzzer holds every route to.

FastAPI knows routes, parameters and answers. What it does not know is told here once for all of them: how a failure
looks, how callers say who they are, and what the headers of answers mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse

from hindcast.rest.described import describe
from hindcast.rest.seat import Somebody

API = "/api/v1/"

# What each failure means to whoever asked. Senders retry on 429 and 503, and on nothing else.
PROBLEMS = {
    400: "The request makes no sense: `field` and `remedy` say what to correct.",
    401: "Nobody knows who asks: sign in, or send a key.",
    403: "It is understood and not allowed.",
    404: "It is not there, or not for you.",
    409: "Something else happened meanwhile: read again, then retry.",
    412: "It is no longer what you have read: read again, then decide.",
    413: "The body is too large.",
    415: "The body is of a type that is not understood.",
    422: "A parameter or a field of the body is not as described here.",
    429: "Too many requests: come back after `Retry-After` seconds.",
    503: "Something outside does not answer, or too much is asked at once: come back after `Retry-After` seconds.",
}
CONDITIONAL = 412

_TEXT = {"type": "string"}
PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "What went wrong and what to do about it (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail", "remedy"],
    "properties": {
        "type": {**_TEXT, "description": "Which kind of failure, as a relative URL."},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": {**_TEXT, "description": "What is wrong."},
        "remedy": {**_TEXT, "description": "What to do about it."},
        "field": {**_TEXT, "description": "Where it is wrong: a parameter, a header, a field of the body."},
        "problems": {
            "type": "array",
            "description": "Each of several places that are wrong.",
            "items": {
                "type": "object",
                "required": ["field", "problem", "remedy"],
                "properties": {"field": _TEXT, "problem": _TEXT, "remedy": _TEXT},
            },
        },
    },
}
SECURITY: dict[str, Any] = {
    "key": {"type": "http", "scheme": "bearer", "description": "An API key, or the token of this machine."},
    "session": {"type": "apiKey", "in": "cookie", "name": "hindcast", "description": "Of who signed in."},
}
TAGS = (
    ("incidents", "What broke, what is known about it, and what people add."),
    ("recall", "Whether this was seen before, and whether the answer was right."),
    ("fixes", "Proposed changes of code: cards, what people decide about them, the log of it, and rules made from it."),
    ("memory", "Versioned memory: records, commits, branches, moments."),
    ("workspaces", "Code: where it lies, folders and files, uploads, and what memory knows of them."),
    ("telemetry", "Raw telemetry and services."),
    ("spaces", "Organisations and their projects."),
    ("members", "People, what they may do, and invitations."),
    ("keys", "Keys of programs."),
    ("session", "Signing in and out."),
    ("audit", "Who did and saw what."),
    ("settings", "How this installation is set, what it keeps and for how long, and what it takes out."),
    ("integrations", "Who sends data here, what came of it, and trying each way in."),
    ("status", "How it does."),
    ("live", "What happens, as it happens."),
    ("simulator", "What fails on purpose, in demo mode."),
)


def add(app: FastAPI) -> None:
    """Let the application describe itself with what FastAPI leaves out. The last routes are added before this."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]

    @app.get("/openapi.json", include_in_schema=False)
    def show(_caller: Somebody) -> JSONResponse:
        """The document."""
        return JSONResponse(app.openapi())


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of an application."""
    describe(app)
    made = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description="How paging, ETags, idempotency keys and moments work stands in docs/reference/rest.md.",
        routes=app.routes,
        tags=[{"name": name, "description": words} for name, words in TAGS],
    )
    components = made.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    components["responses"] = {f"Problem{status}": _response(words) for status, words in PROBLEMS.items()}
    components["securitySchemes"] = SECURITY
    made["security"] = [{name: []} for name in SECURITY]
    named = {route.operation_id for route in app.routes if isinstance(route, APIRoute) and route.summary}
    for path, operation in _operations(made):
        operation["responses"].pop("422", None)
        if operation.get("operationId") not in named:
            _with_summary(operation)
        if path.startswith(API):
            _with_problems(operation)
    return made


def _operations(made: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in made["paths"].items():
        for operation in item.values():
            yield path, operation


def _with_summary(operation: dict[str, Any]) -> None:
    """Say in the first sentence what it does, instead of spelling the function's name."""
    words = " ".join(operation.get("description", "").partition("\n\n")[0].split())
    if words:
        operation["summary"] = words.partition(". ")[0].rstrip(".")


def _with_problems(operation: dict[str, Any]) -> None:
    headers = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "header"}
    is_conditional = bool(headers & {"If-Match", "If-None-Match"})
    for status in PROBLEMS:
        if status != CONDITIONAL or is_conditional:
            operation["responses"].setdefault(str(status), {"$ref": f"#/components/responses/Problem{status}"})


def _response(words: str) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": words, "content": content}


def written(app: FastAPI) -> bytes:
    """The document as it is kept in the repository."""
    return orjson.dumps(app.openapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
