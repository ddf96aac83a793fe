"""Query parameters over HTTP: what a route does not know is refused by name, on every route."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute
from tests.serving import Serving, start

from hindcast.rest import parameters
from hindcast.rest.described import DescribedRoute


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast."""
    running = start(tmp_path_factory.mktemp("parameters"))
    yield running
    running.stop()


def get(serving: Serving, path: str) -> httpx.Response:
    """A request as a script makes it."""
    with serving.client() as client:
        return client.get(path)


@pytest.mark.parametrize(
    ("path", "named", "meant"),
    [
        ("/api/v1/logs?q=serialised", "q", "words"),
        ("/api/v1/logs?text=serialised", "text", "words"),
        ("/api/v1/logs?words=x&from=2026-01-01", "from", "since"),
        ("/api/v1/incidents?query=redis", "query", "text"),
        ("/api/v1/incidents?sates=open", "sates", "state"),
    ],
)
def test_a_parameter_that_is_not_known_is_refused_with_the_nearest(
    serving: Serving, path: str, named: str, meant: str
) -> None:
    """An answer without the filter that was asked for would be a wrong one: the name is refused, the right one told."""
    answer = get(serving, path)

    assert answer.status_code == 400
    assert answer.json()["field"] == named
    assert f"Did you mean {meant!r}?" in answer.json()["remedy"]


def test_a_parameter_that_is_like_none_is_refused_with_all_there_are(serving: Serving) -> None:
    """Where nothing is near, the names that the route knows are told."""
    problem = get(serving, "/api/v1/incidents?bogus=1").json()

    assert "There is no parameter 'bogus' here." in problem["detail"]
    assert "state" in problem["remedy"]
    assert "Did you mean" not in problem["remedy"]


def test_every_route_of_the_api_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    """No route was added past the check; the one whose address others add to is named."""
    from contextlib import closing

    from hindcast.build.running import open_app
    from hindcast.config import Settings
    from hindcast.rest import create_app

    settings = Settings(store=str(tmp_path / "store"), space="local", model="none")
    with closing(open_app(settings)) as running:
        routes = [route for route in create_app(running, settings).routes if isinstance(route, APIRoute)]

    assert len(routes) > 100
    assert [route.path for route in routes if not isinstance(route, DescribedRoute)] == []
    assert {route.path for route in routes} >= parameters.OTHERS_ADD


@pytest.mark.parametrize(
    ("path", "body"),
    [("/api/v1/lines?space=elsewhere", b"ERROR lost"), ("/webhooks/alertmanager?space=elsewhere", b"{}")],
)
def test_a_way_in_refuses_a_space_in_its_address(serving: Serving, path: str, body: bytes) -> None:
    """A space that is not honoured is refused, so that nobody looks for rows where they are not."""
    with serving.client() as client:
        answer = client.post(path, content=body)

    assert answer.status_code == 400
    assert "space" in answer.text
