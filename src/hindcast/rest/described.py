"""Routes whose answers are described only when somebody asks for the description.

Nearly every handler here writes its answer itself; the shape that its route names is there to be read by people and by
the generator of clients. FastAPI makes of each such shape what would check and write an answer, which takes a fifth of
a second at the start and is never used. Here that waits until the OpenAPI document is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import FastAPI
from fastapi.datastructures import Default
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Cookie, Header, Path
from fastapi.routing import APIRoute
from fastapi.utils import create_model_field
from starlette.requests import Request
from starlette.responses import Response

from hindcast.rest import parameters

# What FastAPI means by a shape that nobody has said anything about: it may follow from what the handler returns.
_UNSAID = Default(None)
# Parameters that are no part of the query.
ELSEWHERE = (Cookie, Header, Path)


class DescribedRoute(APIRoute):
    """A route that knows the shape of its answers, and makes something of it once it is to be described.

    It refuses query parameters that it does not know: an answer without the filter that was asked for is a wrong one.
    """

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        response_model: Any = _UNSAID,  # noqa: ANN401
        **told: Any,  # noqa: ANN401
    ) -> None:
        self._shape = response_model if response_model and writes_itself(endpoint) else None
        super().__init__(path, endpoint, response_model=response_model if self._shape is None else None, **told)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind the check of the query's names."""
        handle = super().get_route_handler()
        fields = get_flat_params(self.dependant)
        known = frozenset(field.alias for field in fields if not isinstance(field.field_info, ELSEWHERE))
        if self.path in parameters.OTHERS_ADD:
            return handle

        async def checked(request: Request) -> Response:
            parameters.check(request.query_params, known)
            return await handle(request)

        return checked

    def describe(self) -> None:
        """Make ready what the document reads; doing so again changes nothing."""
        if self._shape is not None and self.response_field is None:
            self.response_model = self._shape
            self.response_field = create_model_field(f"Response_{self.unique_id}", self._shape, mode="serialization")


def writes_itself(endpoint: Callable[..., Any]) -> bool:
    """Whether a handler answers with a response and nothing else, so that nobody has to make one of what it says."""
    return getattr(endpoint, "__annotations__", {}).get("return") in (Response, Response.__name__)


def describe(app: FastAPI) -> None:
    """Make every route of an application ready to be described."""
    for route in app.routes:
        if isinstance(route, DescribedRoute):
            route.describe()
