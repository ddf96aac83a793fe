"""The web pages as the service hands them out: to whom, with which headers, and never in place of anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.routing import Route
from starlette.testclient import TestClient
from tests.resting import resting

from hindcast.rest import pages

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A Hindcast with its built pages."""
    with resting(tmp_path_factory.mktemp("pages")) as made:
        yield made.client


def assets(page: str) -> list[str]:
    """What a page loads from us."""
    return re.findall(r'(?:src|href)="(/[^"]+)"', page)


@pytest.mark.parametrize("path", ["/", "/incidents", "/incidents/inc-1.2", "/settings/keys?space=a", "/invitation/x"])
def test_a_browser_gets_the_page_at_every_address_of_it(client: TestClient, path: str) -> None:
    """Whatever address of a page is opened, the page comes, which then shows what the address says."""
    answer = client.get(path, headers=HTML)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert '<div id="root">' in answer.text


def test_the_page_runs_only_its_own_scripts(client: TestClient) -> None:
    """No script in the page, none from elsewhere, none from data; nothing is loaded from or sent to another host."""
    answer = client.get("/", headers=HTML)
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))

    assert policy["script-src"] == "'self'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "'none'")
    assert policy["connect-src"] == policy["font-src"] == "'self'"
    assert (policy["default-src"], policy["frame-ancestors"], policy["base-uri"]) == ("'none'", "'none'", "'none'")
    assert not re.search(r"<script(?![^>]*\ssrc=)", answer.text)
    assert not re.search(r"\son\w+=|javascript:", answer.text)
    assert all(path.startswith("/") and not path.startswith("//") for path in assets(answer.text))


def test_every_file_of_the_page_is_there_and_kept_for_ever(client: TestClient) -> None:
    """What the page names is handed out; files whose names hold their digest are never asked for again."""
    for path in assets(client.get("/", headers=HTML).text):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert ("immutable" in answer.headers["Cache-Control"]) is path.startswith("/assets/"), path
        assert "javascript" in answer.headers["Content-Type"] or not path.endswith(".js")


@pytest.mark.parametrize(("accepted", "told"), [("br, gzip", "br"), ("gzip", "gzip"), ("identity", None)])
def test_files_are_sent_as_small_as_the_browser_takes_them(client: TestClient, accepted: str, told: str | None) -> None:
    """What was compressed beforehand is sent so, and comes out as what it was."""
    path = next(one for one in assets(client.get("/", headers=HTML).text) if one.endswith(".js") and "assets" in one)
    with client.stream("GET", path, headers={"Accept-Encoding": accepted}) as answer:
        raw = b"".join(answer.iter_raw())

    plain = pages.built(pages.STATIC)[path.lstrip("/")].content
    assert answer.headers.get("Content-Encoding") == told
    assert (raw == plain) is (told is None)
    assert int(answer.headers["Content-Length"]) == len(raw) <= len(plain)


def test_a_page_that_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    """The page itself is asked for each time, and answered with 304 while it is the same."""
    first = client.get("/", headers=HTML)
    again = client.get("/", headers={**HTML, "If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["Cache-Control"] == "no-cache"


def test_no_page_stands_in_the_way_of_another_route(client: TestClient) -> None:
    """Whoever wants HTML below a path of the API or of a protocol gets what is there, or is told that nothing is."""
    app = client.app
    assert isinstance(app, FastAPI)
    others = [route for route in app.routes if isinstance(route, Route) and type(route) is not pages.PageRoute]
    paths = [re.sub(r"\{[^}]*\}", "x", route.path) for route in others if not route.path.startswith("/{")]
    assert len(paths) > 50
    for path in {*paths, "/api/v1/nothing", "/v1/nothing", "/_nothing", "/favicon.ico", "/assets/nothing.js"} - {"/"}:
        answer = client.head(path, headers=HTML)
        assert not answer.headers.get("Content-Type", "").startswith("text/html"), path


def test_who_does_not_want_html_is_answered_as_ever(client: TestClient) -> None:
    """A shipper that asks who is there is greeted in its own words, and a script finds no page by mistake."""
    assert client.get("/").json()["tagline"] == "You Know, for Search"
    assert client.get("/incidents").status_code == 404
    assert client.post("/incidents", headers=HTML).status_code == 404


def test_nothing_but_the_built_files_can_be_had(client: TestClient) -> None:
    """No path leads out of the folder, and the stamp stays inside."""
    for path in ("/.stamp", "/assets/../.stamp", "/assets/%2e%2e/%2e%2e/py.typed", "/index.html.br", "/assets/"):
        answer = client.get(path)
        assert answer.status_code == 404, path


def test_without_built_pages_everything_else_works(tmp_path: Path) -> None:
    """An installation whose pages were not built is one without pages, not one that does not start."""
    app = FastAPI()
    pages.add(app, tmp_path)

    assert TestClient(app).get("/", headers=HTML).status_code == 404


def test_an_answer_to_anybody_says_nothing_about_anybody(client: TestClient) -> None:
    """The page is the same for everybody: it holds no data, and no cookie is set with it."""
    answers = [client.get(path, headers=HTML) for path in ("/", "/incidents/secret")]

    assert answers[0].content == answers[1].content
    assert not any("set-cookie" in answer.headers for answer in answers)
