"""Being at this machine is proved by a token: in HTTP, by commands, by a client, and in the cookie of a browser."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest
from tests.serving import Serving, serving

from hindcast.cli.browser import is_sensible
from hindcast.client import Hindcast
from hindcast.config import Settings
from hindcast.config.local_token import FILE, PREFIX, find_token, keep_token, read_token, withdraw
from hindcast.model.errors import Unidentified

LINE = b'{"message": "a line of a program at this machine"}'


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server as anybody starts it: nothing is set but where it lies."""
    with serving(tmp_path_factory.mktemp("local")) as running:
        yield running


@pytest.fixture
def stranger(hindcast: Serving) -> Iterator[httpx.Client]:
    """Somebody on this machine who holds no proof."""
    with httpx.Client(base_url=hindcast.url, trust_env=False, timeout=30) as client:
        yield client


# --- The file -----------------------------------------------------------------------------------------------------


def test_the_token_is_its_owners(hindcast: Serving) -> None:
    """The first start makes a token in the data folder that nobody else can read."""
    file = hindcast.folder / "store" / FILE

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_uid == os.getuid()
    assert re.fullmatch(PREFIX + "[0-9a-f]{64}", file.read_text())


def test_a_token_stays(tmp_path: Path) -> None:
    """The next start takes the token that is there, so that a browser that was opened stays open."""
    assert keep_token(tmp_path / FILE) == keep_token(tmp_path / FILE) == read_token(tmp_path / FILE)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_a_token_that_others_could_read_is_replaced(tmp_path: Path, mode: int) -> None:
    """Who may have read it may not use it any longer."""
    first = keep_token(tmp_path / FILE)
    (tmp_path / FILE).chmod(mode)
    second = keep_token(tmp_path / FILE)

    assert first != second
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_planted_link_is_replaced(tmp_path: Path) -> None:
    """A token is neither read nor written through a link."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(PREFIX + "known")
    elsewhere.chmod(0o600)
    (tmp_path / FILE).symlink_to(elsewhere)
    made = keep_token(tmp_path / FILE)

    assert made != PREFIX + "known"
    assert elsewhere.read_text() == PREFIX + "known"
    assert not (tmp_path / FILE).is_symlink()


def test_a_folder_that_cannot_be_written_to_stops_nothing(tmp_path: Path) -> None:
    """Where no file can be made the token lasts as long as the process."""
    (tmp_path / "file").write_text("")

    assert keep_token(tmp_path / "file" / FILE).startswith(PREFIX)


# --- Over HTTP ----------------------------------------------------------------------------------------------------


def test_without_proof_there_is_only_health(hindcast: Serving, stranger: httpx.Client) -> None:
    """No route of the API answers a program on the same machine that proves nothing; health does."""
    with hindcast.client() as client:
        paths = client.get("/openapi.json").raise_for_status().json()["paths"]
    open_to_all = re.compile(r"/api/v1/(session(/ways|/provider.*)?|invitations/.*)")
    answered = {
        f"{method} {path}": stranger.request(method, re.sub(r"\{[^}]*\}", "x", path)).status_code
        for path, item in paths.items()
        if not open_to_all.fullmatch(path)
        for method in item
    }

    assert len(answered) > 80
    assert {route: status for route, status in answered.items() if status != 401} == {}
    others = ("/metrics", "/openapi.json", "/mcp", "/api/v1/session")
    assert [stranger.get(path).status_code for path in others] == [401] * len(others)
    assert [stranger.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]


def test_the_pages_lead_to_the_sign_in(stranger: httpx.Client) -> None:
    """The page itself is the same for everybody and holds nothing of anybody."""
    answer = stranger.get("/incidents", headers={"Accept": "text/html"})

    assert answer.headers["Content-Type"].startswith("text/html")
    assert stranger.get("/api/v1/session/ways").json()["is_open"] is True


def test_a_link_opens_a_browser(hindcast: Serving, stranger: httpx.Client) -> None:
    """The link that the start prints sets a cookie for this host alone, and leads on to the pages."""
    printed = re.search(r"Open it in a browser: (\S+)", (hindcast.folder / "serve.log").read_text())
    assert printed
    answer = stranger.get(printed[1])
    (cookie,) = SimpleCookie(answer.headers["Set-Cookie"]).values()

    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (True, "strict", "/", "")
    assert answer.headers["Cache-Control"] == "no-store"
    assert hindcast.token not in answer.headers["Set-Cookie"]
    session = stranger.get("/api/v1/session").json()
    assert (session["kind"], bool(session["csrf"])) == ("local", True)


def test_what_a_cookie_changes_comes_from_a_page_of_ours(hindcast: Serving, stranger: httpx.Client) -> None:
    """A cookie alone reads; what changes something has to show the csrf value, and signing out throws it away."""
    stranger.get("/local", params={"token": hindcast.token})
    said = {"body": {"text": "x"}, "why": "x"}
    path = "/api/v1/memory/records/notes/cookie"
    csrf = {"X-Hindcast-CSRF": stranger.get("/api/v1/session").json()["csrf"]}

    assert stranger.put(path, json=said).status_code == 403
    assert stranger.put(path, json=said, headers={"X-Hindcast-CSRF": "x"}).status_code == 403
    assert stranger.put(path, json=said, headers=csrf).is_success
    assert stranger.delete("/api/v1/session", headers=csrf).status_code == 204
    assert stranger.get("/api/v1/session").status_code == 401


@pytest.mark.parametrize("token", ["", "ht_", "ht_" + "0" * 64, "hc_read_x", "é"])
def test_a_wrong_link_leads_to_the_sign_in(stranger: httpx.Client, token: str) -> None:
    """A link with another token sets no cookie."""
    answer = stranger.get("/local", params={"token": token, "next": "/live"})

    assert (answer.status_code, answer.headers["Location"]) == (303, "/sign-in?next=%2Flive")
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("page", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\r\nX: y", "x"])
def test_a_link_leads_nowhere_else(hindcast: Serving, stranger: httpx.Client, page: str) -> None:
    """What a link says to go on to is a path of this server, or the front page."""
    answer = stranger.get("/local", params={"token": hindcast.token, "next": page})

    assert answer.headers["Location"] == "/"


def test_the_token_is_in_no_log(hindcast: Serving, stranger: httpx.Client) -> None:
    """The link is printed once, and requests with the token are logged without it."""
    stranger.get("/local", params={"token": hindcast.token})
    stranger.get("/api/v1/status", headers={"Authorization": f"Bearer {hindcast.token}"})

    assert (hindcast.folder / "serve.log").read_text().count(hindcast.token) == 1


# --- Ways in ------------------------------------------------------------------------------------------------------


def test_an_exporter_needs_no_more_than_the_host(tmp_path: Path) -> None:
    """Records of a program on this machine are taken without proof, until the first key is made."""
    with serving(tmp_path) as running, httpx.Client(base_url=running.url, trust_env=False, timeout=30) as stranger:
        taken = stranger.post("/api/v1/lines", content=LINE)
        greeted = stranger.get("/")
        with running.client() as client:
            client.post("/api/v1/keys", json={"name": "n", "power": "read"}).raise_for_status()
        refused = stranger.post("/api/v1/lines", content=LINE)
        greeted_again = stranger.get("/")

    assert (taken.status_code, greeted.status_code) == (200, 200)
    assert (refused.status_code, greeted_again.status_code) == (401, 401)


# --- Commands and clients -----------------------------------------------------------------------------------------


def test_a_client_finds_the_token_by_the_address(
    hindcast: Serving, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A client on the same machine needs the address alone; without the server's word it is nobody."""
    with Hindcast(hindcast.url) as client:
        assert client.session_get().kind == "local"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Hindcast(hindcast.url) as client, pytest.raises(Unidentified):
        client.session_get()


def test_commands_prove_by_themselves_where_they_are(hindcast: Serving, tmp_path: Path) -> None:
    """A command that speaks to a server here is let in, whether it knows the address or only the data folder."""
    with hindcast.client() as client:
        client.post("/api/v1/keys", json={"name": "closes", "power": "read"}).raise_for_status()
    file = tmp_path / "a.log"
    file.write_text("ERROR a line\n")
    known_by = (
        {"HINDCAST_STORE": str(hindcast.folder / "store"), "XDG_STATE_HOME": str(tmp_path / "nothing")},
        {"HINDCAST_STORE": str(tmp_path / "other")},
    )
    command = [sys.executable, "-m", "hindcast", "ingest", str(file), "--to", hindcast.url, "--json"]
    for known in known_by:
        environment = {**os.environ, "HINDCAST_CONFIG": os.devnull, "HINDCAST_MODEL": "none", **known}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr


def test_a_token_is_shown_to_this_machine_only(hindcast: Serving) -> None:
    """No address elsewhere is sent the token, however it is written; what a server took back is not found by it."""
    settings = Settings(store=str(hindcast.folder / "store"))
    port = hindcast.port
    here = (f"http://127.0.0.1:{port}", f"http://localhost:{port}/x", f"http://[::1]:{port}")
    elsewhere = (
        "http://192.0.2.1:4318",
        "http://127.0.0.1.evil.example",
        "http://evil.example@x",
        "nothing",
        "http://[",
    )

    assert {find_token(url, settings) for url in here} == {hindcast.token}
    assert {find_token(url, settings) for url in elsewhere} == {""}
    withdraw(port, hindcast.folder / "another")
    assert find_token(here[0], Settings(store="/nonexistent")) == hindcast.token


@pytest.mark.parametrize(
    ("environment", "is_terminal", "platform", "wanted"),
    [
        ({"DISPLAY": ":0"}, True, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True, "linux", True),
        ({}, True, "darwin", True),
        ({}, True, "linux", False),
        ({"DISPLAY": ":0"}, False, "linux", False),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "x"}, True, "linux", False),
        ({"CI": "1"}, True, "darwin", False),
    ],
)
def test_a_browser_is_opened_where_somebody_sees_it(
    environment: dict[str, str], is_terminal: bool, platform: str, wanted: bool
) -> None:
    """Only at a terminal before a screen, and never at the other end of SSH."""
    assert is_sensible(environment, is_terminal=is_terminal, platform=platform) is wanted
