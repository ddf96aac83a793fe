"""Every failure under /api/v1 is told as problem+json: ours, the router's, and what a body or a parameter got wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from hindcast.model.errors import HindcastError, Malformed, Missing, Refused
from hindcast.rest import failure
from hindcast.rest.pace import is_api

PATH_CHARS_TOLD_MAX = 200
PROBLEMS_TOLD_MAX = 10
FIELD_CHARS_MAX = 200
# What pydantic checked, and how to put it right; `{}` is what it expected.
_REMEDIES: Mapping[str, str] = {
    "missing": "Send it.",
    "extra_forbidden": "Leave it out; the name may be misspelt.",
    "string_too_long": "Use at most {max_length} characters.",
    "string_too_short": "Use at least {min_length} characters.",
    "too_long": "Give at most {max_length}.",
    "too_short": "Give at least {min_length}.",
    "greater_than_equal": "Give {ge} or more.",
    "greater_than": "Give more than {gt}.",
    "less_than_equal": "Give {le} or less.",
    "less_than": "Give less than {lt}.",
    "enum": "Give one of {expected}.",
    "literal_error": "Give one of {expected}.",
    "timezone_aware": "Write it with its timezone, as in 2026-11-15T02:03:04Z.",
    "datetime_from_date_parsing": "Write it as 2026-11-15T02:03:04Z.",
    "datetime_parsing": "Write it as 2026-11-15T02:03:04Z.",
    "int_parsing": "Give a whole number.",
    "float_parsing": "Give a number.",
    "bool_parsing": "Give true or false.",
}


class Unallowed(Refused):
    """The path is there, the method is not (HTTP 405)."""


def answered(path: str, error: Exception) -> Response:
    """The answer to a request that failed, in the words of its path."""
    return failure.as_problem(error) if is_api(path) else failure.told(error, failure.as_json)


def add(app: FastAPI) -> None:
    """Translate whatever the application raises."""

    @app.exception_handler(HindcastError)
    def known(request: Request, error: HindcastError) -> Response:
        return answered(request.url.path, error)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        return _invalid(request, error)

    @app.exception_handler(HTTPException)
    def routed(request: Request, error: HTTPException) -> Response:
        return _routed(request, error)


def _routed(request: Request, error: HTTPException) -> Response:
    """What the router says when nothing fits."""
    path, allowed = request.url.path[:PATH_CHARS_TOLD_MAX], ""
    if error.status_code == 404:
        told: HindcastError = Missing(
            f"There is nothing at {path}.", field="path", remedy="GET /openapi.json lists what there is."
        )
    elif error.status_code == 405:
        allowed = ", ".join(_methods(request))
        told = Unallowed(
            f"{path} does not take {request.method[:PATH_CHARS_TOLD_MAX]}.", field="method", remedy=f"Use {allowed}."
        )
    else:
        told = Malformed(str(error.detail), remedy="Correct the request.")
    if is_api(request.url.path):
        response = failure.as_problem(told, status=error.status_code)
    else:
        response = failure.as_json(error.status_code, str(told))
    if error.status_code == 405:
        response.headers["Allow"] = allowed
    return response


def _methods(request: Request) -> list[str]:
    """What a path takes, over all the routes that share it."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in routes for method in getattr(route, "methods", None) or ()})


def _invalid(request: Request, error: RequestValidationError) -> Response:
    """What a parameter or the body got wrong: each place with its problem and how to put it right."""
    wrong = [_wrong(one) for one in error.errors()[:PROBLEMS_TOLD_MAX]]
    first = wrong[0] if wrong else {"field": "body", "problem": "It is not as expected.", "remedy": "Correct it."}
    kind = str(error.errors()[0].get("type", "")) if error.errors() else ""
    if kind == "json_invalid":
        told = Malformed(
            "The body is not JSON.", field="body", remedy="Send JSON in UTF-8, with double quotes around names."
        )
        return failure.as_problem(told)
    if _is_of_another_type(request, error):
        wrong_type = failure.WrongType(
            "The body is not marked as JSON.", field="Content-Type", remedy="Send it as application/json."
        )
        return failure.as_problem(wrong_type)
    told = Malformed(first["problem"], field=first["field"], remedy=first["remedy"])
    return failure.as_problem(told, status=422, more={"problems": wrong} if len(wrong) > 1 else None)


def _is_of_another_type(request: Request, error: RequestValidationError) -> bool:
    given = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    is_json = given == "application/json" or given.endswith("+json")
    return not is_json and any(tuple(one["loc"]) == ("body",) and one["type"] != "missing" for one in error.errors())


def _wrong(one: Mapping[str, Any]) -> dict[str, str]:
    """One thing that is wrong. What was sent is not repeated: it may be a secret, and it may be long."""
    where: Sequence[Any] = one["loc"]
    field = ".".join(str(part) for part in where[1:]) or str(where[0])
    context = {name: value for name, value in one.get("ctx", {}).items() if isinstance(value, str | int | float)}
    try:
        remedy = _REMEDIES.get(one["type"], "Correct it.").format(**context)
    except KeyError:
        remedy = "Correct it."
    problem = str(one["msg"]).rstrip(".")
    return {"field": field[:FIELD_CHARS_MAX], "problem": f"{problem}.", "remedy": remedy}
