"""Real nginx in front of Hindcast: as anybody would set it up at first, and as the documentation says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.serving import Serving, free_port, serving, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "how-to" / "put-it-behind-a-proxy.md"
# `make test` has installed it; Debian keeps it out of the path of whoever is not root.
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
PLAIN = "location / { proxy_pass http://127.0.0.1:%d; }"
# As a proxy that keeps its connections asks: nothing in such a request says that it was passed on.
KEPT_ALIVE = 'location / { proxy_pass http://127.0.0.1:%d; proxy_http_version 1.1; proxy_set_header Connection ""; }'
LINE = b'{"message": "told through a proxy"}'
WAYS_IN = (
    "/v1/logs",
    "/v1/metrics",
    "/v1/traces",
    "/_bulk",
    "/index/_bulk",
    "/loki/api/v1/push",
    "/api/prom/push",
    "/api/v1/lines",
    "/webhooks/alertmanager",
    "/webhooks/grafana",
    "/webhooks/pagerduty",
    "/webhooks/sentry",
    "/webhooks/github",
    "/v2/enqueue",
    "/v2/change/enqueue",
)
# How one signs in, which nobody could do who had to be signed in for it.
SIGNING_IN = re.compile(r"/api/v1/(session(/ways|/provider.*)?|invitations/.*)")


@contextmanager
def proxied(folder: Path, server: str) -> Iterator[httpx.Client]:
    """A client of an nginx with these lines in its server block. It is a process of ours, and no service."""
    port = free_port()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder / kind};" for kind in kinds)
    listening = "" if "listen " in server else f"listen 127.0.0.1:{port};"
    written = f"http {{ access_log off; {places} server {{ {listening} {server.replace('PORT', str(port))} }} }}"
    head = f"daemon off; master_process off; pid {folder / 'nginx.pid'}; error_log stderr warn; events {{}}"
    (folder / "nginx.conf").write_text(f"{head}\n{written}\n")
    with (folder / "nginx.log").open("wb") as log:
        command = [NGINX, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as client:
                wait_for(lambda: _answers(client, process, folder), what="nginx to answer")
                yield client
        finally:
            process.terminate()
            process.wait(20)


def _answers(client: httpx.Client, process: subprocess.Popen[bytes], folder: Path) -> bool:
    assert process.poll() is None, (folder / "nginx.log").read_text()
    try:
        return client.get("/healthz").is_success
    except httpx.HTTPError:
        return False


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server as anybody starts it."""
    with serving(tmp_path_factory.mktemp("proxied")) as running:
        yield running


@pytest.fixture(scope="module")
def world(hindcast: Serving, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Anybody in the world, behind the plainest nginx there is."""
    with proxied(tmp_path_factory.mktemp("nginx"), PLAIN % hindcast.port) as client:
        yield client


def routes(hindcast: Serving) -> Iterator[tuple[str, str]]:
    """Method and path of everything that the document of the API tells of and that has to be signed in for."""
    with hindcast.client() as client:
        paths = client.get("/openapi.json").raise_for_status().json()["paths"]
    for path, item in paths.items():
        if not SIGNING_IN.fullmatch(path):
            yield from ((method.upper(), re.sub(r"\{[^}]*\}", "x", path)) for method in item)


def refused(hindcast: Serving, client: httpx.Client, headers: dict[str, str] | None = None) -> dict[str, int]:
    """How many routes there are, and the status of each that does not say 401."""
    asked = [*routes(hindcast), *(("GET", path) for path in ("/metrics", "/openapi.json", "/api/v1/session"))]
    asked += [("POST", "/mcp"), ("GET", "/mcp")]
    answers = {f"{method} {path}": client.request(method, path, headers=headers).status_code for method, path in asked}
    assert len(answers) > 80
    return {route: status for route, status in answers.items() if status != 401}


def test_the_world_gets_nothing_but_health_and_the_sign_in(hindcast: Serving, world: httpx.Client) -> None:
    """Behind a bare `proxy_pass` every route of the API says 401; health answers, and the page where one signs in."""
    assert refused(hindcast, world) == {}
    assert [world.get(path).status_code for path in ("/healthz", "/readyz", "/api/v1/session/ways")] == [200] * 3
    assert world.get("/sign-in", headers={"Accept": "text/html"}).status_code == 200
    assert world.post("/api/v1/keys", json={"name": "mine", "power": "write"}).status_code == 401


@pytest.mark.parametrize("path", WAYS_IN)
def test_the_world_sends_nothing(world: httpx.Client, path: str) -> None:
    """The ways in are open to programs on the machine, and not to what a plain proxy passes on."""
    assert world.post(path, content=LINE).status_code == 401


def test_the_world_is_not_greeted(world: httpx.Client) -> None:
    """Not even the constants are told that shippers ask for before they send."""
    assert [world.get(path).status_code for path in ("/", "/_license", "/_nodes")] == [401] * 3


def test_the_token_opens_nothing_through_a_proxy(hindcast: Serving, world: httpx.Client) -> None:
    """Whoever has seen the link of the start cannot use it from elsewhere."""
    answer = world.get("/local", params={"token": hindcast.token})

    assert "Set-Cookie" not in answer.headers
    assert refused(hindcast, world, {"Authorization": f"Bearer {hindcast.token}"}) == {}


def test_a_proxy_that_hides_well_opens_no_more_than_the_ways_in(tmp_path: Path) -> None:
    """A proxy that looks like a program here reads nothing; what it sends is taken until the first key is made."""
    with serving(tmp_path) as running, proxied(tmp_path, KEPT_ALIVE % running.port) as world:
        assert refused(running, world) == {}
        before = world.post("/api/v1/lines", content=LINE)
        with running.client() as client:
            client.post("/api/v1/keys", json={"name": "first", "power": "read"}).raise_for_status()
        after = [world.post(path, content=LINE).status_code for path in WAYS_IN]

    assert (before.status_code, before.json()) == (200, {"accepted": 1, "rejected": 0, "problems": []})
    assert after == [401] * len(WAYS_IN)


def test_the_documented_proxy_works(tmp_path: Path) -> None:
    """With the page's own nginx blocks and `public_url` people sign in, keys work, streams flow."""
    text = PAGE.read_text()
    blocks = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    server = next(block for block in blocks if block.startswith("server {"))
    included = next(block for block in blocks if block.startswith("# proxy_hindcast.conf"))
    (tmp_path / "proxy_hindcast.conf").write_text(included)
    inner = re.sub(r"listen 443 ssl;|ssl_certificate\w*\s+\S+;", "", server.strip().removeprefix("server {")[:-1])
    with (
        serving(tmp_path, public_url="https://hindcast.example.com") as running,
        proxied(tmp_path, inner.replace("4318", str(running.port))) as world,
    ):
        world.headers["Host"] = "hindcast.example.com"
        assert [world.post(path, content=LINE).status_code for path in WAYS_IN] == [401] * len(WAYS_IN)
        assert world.get("/api/v1/incidents").status_code == 401
        link = re.search(r"https://hindcast\.example\.com/invitation/(\S+)", (tmp_path / "serve.log").read_text())
        assert link
        assert running.token == ""
        said = {"password": "a sentence is a good one", "name": "Ada", "email": "ada@example.com"}
        origin = {"Origin": "https://hindcast.example.com"}
        joined = world.post(f"/api/v1/invitations/{link[1]}", json=said, headers=origin).raise_for_status()
        cookie = joined.headers["Set-Cookie"]
        assert "Secure" in cookie
        session = {"Cookie": cookie.partition(";")[0], "X-Hindcast-CSRF": joined.json()["csrf"], **origin}
        wanted = {"name": "shipper", "power": "write", "project": "local"}
        key = world.post("/api/v1/keys", json=wanted, headers=session).raise_for_status().json()["secret"]
        large = b"\n".join(LINE.replace(b"told", b"told %d " % number * 40) for number in range(6_000))
        assert len(large) > 2_000_000
        assert world.post(f"/k/{key}/api/v1/lines", content=large).is_success
        with world.stream("GET", "/api/v1/live", headers={"X-Hindcast-Key": key}) as stream:
            assert next(stream.iter_lines())
