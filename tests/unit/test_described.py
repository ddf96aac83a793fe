"""Routes are described when somebody asks for the description, and answer as they are without it."""

from __future__ import annotations

from dataclasses import dataclass

import orjson
from fastapi import FastAPI
from starlette.responses import Response
from starlette.testclient import TestClient

from hindcast.rest.contract import document
from hindcast.rest.described import DescribedRoute, writes_itself


@dataclass(frozen=True)
class Told:
    """What an answer looks like."""

    count: int


def described() -> FastAPI:
    """An application with a handler that writes its answer itself, and one that leaves that to FastAPI."""
    app = FastAPI()
    app.router.route_class = DescribedRoute

    @app.get("/written", response_model=Told, operation_id="written")
    def written() -> Response:
        return Response(orjson.dumps({"count": 1, "more": 2}), media_type="application/json")

    @app.get("/left", response_model=Told, operation_id="left")
    def left() -> dict[str, int]:
        return {"count": 1, "more": 2}

    return app


def fields(app: FastAPI) -> dict[str, bool]:
    """Whether each route has something that could check its answers."""
    routes = [route for route in app.routes if isinstance(route, DescribedRoute)]
    return {str(route.operation_id): route.response_field is not None for route in routes}


def test_a_shape_waits_until_it_is_to_be_described() -> None:
    """Nothing is made of the shape of a written answer at the start; asking for the document makes it, once."""
    app = described()
    before = fields(app)
    first, again = document(app), document(app)

    assert before == {"written": False, "left": True}
    assert fields(app) == {"written": True, "left": True}
    assert first == again
    for path in ("/written", "/left"):
        content = first["paths"][path]["get"]["responses"]["200"]["content"]
        assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/Told"}


def test_an_answer_is_the_same_before_and_after_it_was_described() -> None:
    """What a handler writes goes out as it is; what it leaves to FastAPI is held to its shape."""
    app = described()
    client = TestClient(app)

    def answers() -> list[object]:
        return [client.get(path).json() for path in ("/written", "/left")]

    before = answers()
    document(app)

    assert before == answers() == [{"count": 1, "more": 2}, {"count": 1}]


def test_only_a_handler_that_answers_with_a_response_writes_itself() -> None:
    """A handler that may also return something else needs what makes an answer of it."""

    def always() -> Response:
        return Response()

    def sometimes() -> Told | Response:
        return Told(1)

    assert writes_itself(always)
    assert not writes_itself(sometimes)
    assert not writes_itself(lambda: None)
