"""The edge of the HTTP face: what holds for every request and every answer, whatever is behind it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from tests.asgi import Answer, ask
from tests.tenants import HERE, opened, settings_in

from hindcast.access.secret import browser_secret
from hindcast.config import Settings
from hindcast.model.errors import Malformed, Unidentified
from hindcast.rest import edge
from hindcast.rest.pace import Pace
from hindcast.rest.proof import LOCAL_COOKIE
from hindcast.rest.translation import answered

PROBLEM = "application/problem+json"
PAGE = "https://evil.example"
LISTED = "https://app.example.com"
SECONDS_MAX = 20


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A Hindcast that is open to this machine, and to pages of one other origin."""
    with opened(settings_in(tmp_path_factory.mktemp("edge"), cors_origins=LISTED)) as (_, _, made):
        yield made


def problem(answer: Any) -> dict[str, Any]:
    """What an answer says went wrong, in the one form there is."""
    assert answer.headers["content-type"] == PROBLEM, answer.text
    told: dict[str, Any] = answer.json()
    assert {"type", "title", "status", "detail", "remedy"} <= set(told), told
    assert told["status"] == answer.status_code
    return told


# --- Failures have words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "field"),
    [
        ("GET", "/api/v1/nothing", {}, 404, "path"),
        ("GET", "/api/v1/incidents/", {}, 404, "path"),
        ("PATCH", "/api/v1/incidents", {}, 405, "method"),
        ("GET", "/api/v1/incidents?limit=0", {}, 422, "limit"),
        ("GET", "/api/v1/incidents?limit=many", {}, 422, "limit"),
        ("GET", "/api/v1/incidents?cursor=nonsense", {}, 400, "cursor"),
        ("GET", "/api/v1/incidents?space=a&space=b", {"headers": {"X-Hindcast-Space": "c"}}, 400, "space"),
        ("POST", "/api/v1/recall", {}, 422, "body"),
        ("POST", "/api/v1/recall", {"content": "{", "headers": {"Content-Type": "application/json"}}, 400, "body"),
        ("POST", "/api/v1/recall", {"content": "text", "headers": {"Content-Type": "text/plain"}}, 415, "Content-Type"),
        ("POST", "/api/v1/recall", {"json": {"text": ""}}, 422, "text"),
        ("POST", "/api/v1/keys", {"json": {"name": "x", "power": "godlike"}}, 422, "power"),
        ("POST", "/api/v1/keys", {"json": {"name": "x", "power": "read", "secret": "mine"}}, 422, "secret"),
        ("POST", "/api/v1/keys", {"content": b"x" * 1_100_000}, 413, "body"),
    ],
)  # fmt: skip
def test_whatever_goes_wrong_is_a_problem(
    client: TestClient, method: str, path: str, sent: Mapping[str, Any], status: int, field: str
) -> None:
    """Unknown paths and methods, parameters, bodies, types and sizes are all told as problem+json with a remedy."""
    answer = client.request(method, path, **sent)

    told = problem(answer)
    assert (answer.status_code, told["field"]) == (status, field), told
    assert told["remedy"]


def test_a_path_says_what_it_takes(client: TestClient) -> None:
    """A wrong method is answered with all the methods there are, as HTTP wants it."""
    answer = client.put("/api/v1/keys", json={})

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")


def test_what_was_sent_is_not_repeated(client: TestClient) -> None:
    """A problem names the field and never its value, which may be a secret."""
    answer = client.post("/api/v1/session", json={"email": "a@b.c", "password": ["hunter2horse"]})

    assert answer.status_code == 422
    assert "hunter2horse" not in answer.text


def test_several_mistakes_are_told_at_once(client: TestClient) -> None:
    """Whoever got several fields wrong learns of all of them."""
    told = problem(client.post("/api/v1/keys", json={"power": "x"}))

    assert sorted(one["field"] for one in told["problems"]) == ["name", "power"]


def test_the_unexpected_has_words_as_well() -> None:
    """A bug in a route is answered with 500 and without its innards."""
    app = made(lambda: 1 / 0)
    answer = TestClient(app, **HERE, raise_server_exceptions=False).get("/api/v1/x")  # type: ignore[arg-type]

    assert problem(answer)["type"] == "/problems/unexpected"
    assert "ZeroDivision" not in answer.text


# --- What every answer says -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/v1/incidents", "/api/v1/nothing", "/healthz", "/metrics", "/", "/nothing"])
def test_no_answer_can_be_taken_for_a_page(client: TestClient, path: str) -> None:
    """Every answer forbids sniffing, framing and loading, so that stored text stays text in any browser."""
    headers = client.get(path).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not headers["Content-Type"].startswith("text/html")


def test_a_script_that_is_stored_comes_back_as_json(client: TestClient) -> None:
    """Markup in a stored field is answered as JSON that no browser shows as a page."""
    script = "<script>alert(1)</script>"
    said = {"body": {"text": script}, "why": script}
    client.put("/api/v1/memory/records/notes/xss", json=said).raise_for_status()

    for path in ("/api/v1/memory/records/notes/xss", "/api/v1/memory/commits", "/api/v1/memory/search?text=alert"):
        answer = client.get(path)
        assert script in answer.text, path
        assert (answer.headers["Content-Type"], answer.headers["X-Content-Type-Options"]) == (
            "application/json",
            "nosniff",
        )


def test_a_header_cannot_be_split() -> None:
    """A line end in a value that is echoed begins no header of somebody else's choosing."""
    app = made(lambda: Response(headers={"X-Echo": "one\r\nSet-Cookie: hindcast=planted"}))
    headers = asyncio.run(ask(app, "GET", "/api/v1/x", {})).headers

    assert "set-cookie" not in headers
    assert "\r" not in headers["x-echo"]
    assert "\n" not in headers["x-echo"]


def test_large_answers_are_compressed_and_streams_are_not() -> None:
    """JSON of some size is compressed for who accepts it; events go out as they happen."""
    big = TestClient(made(lambda: {"text": "hindcast " * 1_000}), **HERE)  # type: ignore[arg-type]
    stream = TestClient(
        made(lambda: StreamingResponse(iter([b"data: x\n\n" * 1_000]), media_type="text/event-stream")),
        **HERE,  # type: ignore[arg-type]
    )
    asked = {"Accept-Encoding": "gzip"}

    assert big.get("/api/v1/x", headers=asked).headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in big.get("/api/v1/x", headers={"Accept-Encoding": "identity"}).headers
    assert "Content-Encoding" not in stream.get("/api/v1/x", headers=asked).headers


def test_caches_keep_nothing_for_others(client: TestClient) -> None:
    """Answers of the API are private, and vary by who asks."""
    headers = client.get("/api/v1/incidents").headers

    assert "private" in headers["Cache-Control"]
    assert {"Authorization", "Cookie"} <= {one.strip() for one in headers["Vary"].split(",")}


# --- Pages of other origins -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": PAGE},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/recall", "/v1/logs", "/loki/api/v1/push", "/webhooks/github", "/mcp"])
def test_a_page_cannot_write_to_this_machine(client: TestClient, headers: Mapping[str, str], path: str) -> None:
    """A web page of somebody else cannot act through a browser in which Hindcast is open, nor through any other."""
    token = client.app.state.doorkeeper.access.token  # type: ignore[attr-defined]
    secret = browser_secret(token)
    for proof in ({"Cookie": f"{LOCAL_COOKIE}_80={secret}"}, {"Authorization": "Basic Og=="}):
        answer = client.post(path, content=b"{}", headers={**headers, **proof, "Content-Type": "text/plain"})

        assert answer.status_code == 403
        assert "origin" in answer.text.lower()


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://127.0.0.1"}, {"Origin": LISTED}])
def test_our_own_pages_and_programs_can(client: TestClient, headers: Mapping[str, str]) -> None:
    """Programs send no origin, our own pages send ours, and listed ones were listed."""
    assert client.post("/api/v1/recall", json={"text": "timeout"}, headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4318", "127.0.0.1.evil.example", "192.0.2.1"])
def test_a_name_that_leads_here_is_not_this_machine(client: TestClient, host: str) -> None:
    """A page whose name was pointed at this machine (DNS rebinding) is nobody."""
    answer = client.get("/api/v1/incidents", headers={"Host": host})

    assert problem(answer)["type"] == "/problems/unidentified"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("host", ["localhost", "localhost:4318", "127.0.0.1:4318", "[::1]:4318", "hindcast.localhost"])
def test_every_name_of_this_machine_is(client: TestClient, host: str) -> None:
    """Whoever asks this machine by one of its own names is at this machine."""
    assert client.get("/api/v1/incidents", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_what_a_proxy_passes_on_is_not_from_here(client: TestClient, header: str) -> None:
    """A request that somebody else's proxy made on this machine is not somebody at this machine."""
    assert client.get("/api/v1/incidents", headers={header: "192.0.2.1"}).status_code == 401


def test_other_origins_are_closed_unless_listed(client: TestClient) -> None:
    """A page of a listed origin may read answers, without cookies; any other may not."""
    listed = client.get("/api/v1/incidents", headers={"Origin": LISTED}).headers
    other = client.get("/api/v1/incidents", headers={"Origin": PAGE}).headers
    asked = {"Origin": LISTED, "Access-Control-Request-Method": "POST"}
    refused = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}

    assert listed["Access-Control-Allow-Origin"] == LISTED
    assert "Access-Control-Allow-Credentials" not in listed
    assert "Access-Control-Allow-Origin" not in other
    assert client.options("/api/v1/recall", headers=asked).status_code == 200
    assert client.options("/api/v1/recall", headers=refused).status_code == 400


@pytest.mark.parametrize("origins", ["*", "https://*.example.com/", "example.com", "https://a.example/path"])
def test_an_origin_that_is_none_is_refused_at_the_start(origins: str) -> None:
    """Everybody cannot be allowed, and what is no origin is told before anything is served."""
    if origins.startswith("https://*"):
        # A star inside a name means nothing to browsers; it allows nobody.
        edge.add(FastAPI(), Settings(cors_origins=origins))
        return
    with pytest.raises(Malformed) as told:
        edge.add(FastAPI(), Settings(cors_origins=origins))
    assert told.value.field == "cors_origins"


# --- Names that lead elsewhere --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..%2F..%2Fetc%2Fpasswd", "%2e%2e/x", "x%00", "a/../../b", ".accounts"]
)
def test_no_name_leads_out_of_the_store(
    client: TestClient, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """A space or an id that looks like a path is refused or not found, and makes no file anywhere."""
    folder = tmp_path_factory.getbasetemp()
    before = _files(folder)
    for path in (
        f"/api/v1/incidents/{name}",
        f"/api/v1/memory/records/{name}",
        f"/api/v1/spaces/{name}",
        f"/k/{name}/x",
    ):
        assert client.get(path).status_code in (400, 401, 404, 422), path
    for headers in ({"X-Hindcast-Space": name.replace("%00", "\x7f")}, {"X-Scope-OrgID": name}):
        assert client.get("/api/v1/incidents", headers=headers).status_code < 500
        assert client.post("/loki/api/v1/push", json={"streams": []}, headers=headers).status_code < 500

    assert _files(folder) == before


def _files(folder: Path) -> set[Path]:
    """The stores of spaces in a folder; telemetry comes and goes by itself."""
    return set(folder.rglob("*.db"))


# --- Sizes and times ------------------------------------------------------------------------------------------------


def test_a_body_that_never_comes_is_given_up() -> None:
    """A client that announces a body and does not send it is told so (408), and the connection is closed."""
    answer = asyncio.run(_paced([], seconds_max=0.05))

    assert (answer["status"], answer["headers"]["connection"]) == (408, "close")
    assert json.loads(answer["body"])["field"] == "body"


def test_a_slow_sender_that_keeps_its_pace_is_heard() -> None:
    """A large body may take longer than the limit, as long as it keeps coming."""
    pieces = [b"x" * 100_000] * 8
    answer = asyncio.run(_paced(pieces, path="/v1/logs", seconds_max=0.2, pause_seconds=0.1))

    assert (answer["status"], answer["body"]) == (200, b"800000")


def test_an_answer_that_takes_too_long_is_cut() -> None:
    """When the time is over the client is told when to come back (503)."""
    answer = asyncio.run(_paced([b"{}"], seconds_max=0.05, answer_seconds=60))

    assert answer["status"] == 503
    assert int(answer["headers"]["retry-after"]) > 0


def test_a_route_that_works_in_a_thread_is_not_waited_for() -> None:
    """The client is told in time, although the thread goes on until it is done."""
    goes_on, is_done = threading.Event(), threading.Event()

    def work() -> dict[str, str]:
        goes_on.wait(SECONDS_MAX)
        is_done.set()
        return {}

    app = FastAPI()
    app.get("/api/v1/x")(work)
    app.add_middleware(Pace, seconds_max=0.05, answer=answered, recognise=lambda _: None)
    answer = asyncio.run(_let_go(ask(app, "GET", "/api/v1/x", {}), goes_on))

    assert answer.status == 503
    assert is_done.wait(SECONDS_MAX)


async def _let_go(asking: Coroutine[Any, Any, Answer], goes_on: threading.Event) -> Answer:
    """The answer, which has to be there before the thread may go on."""
    answer = await asking
    assert not goes_on.is_set()
    goes_on.set()
    return answer


def test_a_chunked_body_is_counted_as_it_comes() -> None:
    """A body that announces no length is cut where the limit is, not where it ends."""
    answer = asyncio.run(_paced([b"x" * 400_000] * 100))

    assert answer["status"] == 413
    assert answer["pieces_left"] > 90


def test_a_large_body_is_read_only_from_somebody_known() -> None:
    """A log may be pasted into a question by whoever may ask; of others nothing beyond the usual size is read."""
    known = asyncio.run(_paced([b"x" * 400_000] * 10, path="/api/v1/recall"))
    unknown = asyncio.run(_paced([b"x" * 400_000] * 10, path="/api/v1/recall", is_known=False))

    assert (known["status"], known["body"]) == (200, b"4000000")
    assert unknown["status"] == 401
    assert unknown["pieces_left"] > 5


async def _paced(
    pieces: list[bytes],
    *,
    path: str = "/api/v1/x",
    seconds_max: float = 5,
    pause_seconds: float = 0,
    answer_seconds: float = 0,
    is_known: bool = True,
) -> dict[str, Any]:
    """What becomes of a request that is sent in pieces to something that counts its bytes."""

    async def count(scope: Any, receive: Any, send: Any) -> None:
        body = await Request(scope, receive).body()
        await asyncio.sleep(answer_seconds)
        await Response(str(len(body)))(scope, receive, send)

    def recognise(_: Any) -> None:
        if not is_known:
            raise Unidentified("Who?", remedy="Say so.")

    left, sent = list(pieces), list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause_seconds)
        if not pieces:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": [], "state": {}}
    await Pace(count, seconds_max, answered, recognise)(scope, receive, send)
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    body = b"".join(one.get("body", b"") for one in sent[1:])
    return {"status": sent[0]["status"], "headers": headers, "body": body, "pieces_left": len(left)}


def made(answer: Any) -> FastAPI:
    """A small application behind the edge, with one route that answers like this."""
    app = FastAPI()
    app.get("/api/v1/x", response_model=None)(answer)
    edge.add(app, Settings())
    return app
