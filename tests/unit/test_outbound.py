"""Where Hindcast may call: judged by where an address leads, at the moment of connecting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import httpx2
import pytest

from hindcast.adapters.outbound import Outbound, async_transport, transport
from hindcast.model.errors import Malformed, Refused, Unavailable

PRIVATE = (
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "100.64.1.1",
    "0.0.0.0",  # noqa: S104
    "255.255.255.255",
    "224.0.0.1",
    "198.18.0.1",
    "[fd00::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[::]",
    "[2001:db8::1]",
)
LINK_LOCAL = ("169.254.169.254", "168.63.129.16", "100.100.100.200", "[fe80::1]", "[fd00:ec2::254]")
# Other spellings of 127.0.0.1, and IPv6 addresses that stand for it.
DISGUISED = (
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "127.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
)


class _Moved(BaseHTTPRequestHandler):
    """Sends everybody on to a private address; what it was asked is kept by the server."""

    def do_GET(self) -> None:
        """Answer with a redirect."""
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(302)
        self.send_header("Location", "http://10.255.0.1/secrets")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    """A server on this machine."""
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Moved)
    made.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def asked(server: ThreadingHTTPServer) -> list[str]:
    """What a server was asked so far."""
    found: list[str] = server.asked  # type: ignore[attr-defined]
    return found


def url(host: str, port: int = 80) -> str:
    """An address on a host."""
    return f"http://{host}:{port}/v1"


@pytest.mark.parametrize("host", [*PRIVATE, *LINK_LOCAL, *DISGUISED, "127.0.0.1", "[::1]", "localhost"])
def test_nothing_private_is_called_for_somebody_outside(host: str) -> None:
    """An address that came over the API and is not public is refused, however it is spelt."""
    with pytest.raises(Refused) as refused:
        Outbound.allowing("").check(url(host), field="url")

    assert refused.value.field == "url"


@pytest.mark.parametrize("host", [*PRIVATE, *LINK_LOCAL, *DISGUISED])
def test_a_setting_is_taken_at_its_word_only_for_this_machine(host: str) -> None:
    """A private network has to be listed even when a setting names it, and so has a disguise of this machine."""
    with pytest.raises(Refused, match="outbound_allow"):
        Outbound.allowing("").for_setting().check(url(host), field="ask_url")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "LOCALHOST", "localhost."])
def test_a_setting_may_name_this_machine(host: str) -> None:
    """A model on this very machine needs no permission beyond the setting that names it."""
    Outbound.allowing("").for_setting().check(url(host), field="ask_url")


@pytest.mark.parametrize("host", ["8.8.8.8", "[2606:4700::1111]", "[::ffff:8.8.8.8]"])
def test_public_addresses_may_be_called(host: str) -> None:
    """What is public needs no list."""
    Outbound.allowing("").check(url(host), field="url")


@pytest.mark.parametrize(
    ("listed", "host"),
    [
        ("10.0.0.0/8", "10.1.2.3"),
        ("10.1.2.3", "10.1.2.3"),
        ("fd00::/8", "[fd00::1]"),
        (" localhost , 10.0.0.1", "localhost"),
        ("127.0.0.0/8", "2130706433"),
        ("169.254.169.254", "169.254.169.254"),
    ],
)
def test_what_is_listed_may_be_called(listed: str, host: str) -> None:
    """Names, addresses and networks of the list are open, and nothing beside them."""
    guard = Outbound.allowing(listed)

    guard.check(url(host), field="url")
    with pytest.raises(Refused):
        guard.check(url("192.168.7.7"), field="url")


def test_a_listed_name_does_not_open_a_metadata_service() -> None:
    """A listed name that begins to lead to a metadata service is refused: only its own address opens that."""
    guard = Outbound.allowing("models.internal", resolve=lambda *_: ("169.254.169.254",))

    with pytest.raises(Refused):
        guard.check("http://models.internal/v1", field="url")
    Outbound.allowing("models.internal", resolve=lambda *_: ("10.0.0.8",)).check("http://models.internal", field="url")


def test_one_private_address_spoils_a_name() -> None:
    """A name with a public and a private address is refused, whichever would be tried first."""
    guard = Outbound.allowing("", resolve=lambda *_: ("93.184.216.34", "10.0.0.1"))

    with pytest.raises(Refused):
        guard.check("https://both.example.com", field="url")


def test_somebody_outside_learns_nothing_of_where_a_name_leads() -> None:
    """A refusal over the API does not tell internal addresses; one for a setting does."""
    guard = Outbound.allowing("", resolve=lambda *_: ("10.20.30.40",))

    with pytest.raises(Refused) as outside:
        guard.check("https://intranet.example.com", field="url")
    with pytest.raises(Refused) as setting:
        guard.for_setting().check("https://intranet.example.com", field="url")
    assert "10.20.30.40" not in str(outside.value)
    assert "10.20.30.40" in str(setting.value)


@pytest.mark.parametrize(
    "given",
    ["ftp://example.com", "file:///etc/passwd", "gopher://x", "http://", "//example.com", "https://u:p@example.com",
     "https://key@example.com", "", "nonsense", "http://[::1", "https://example.com/" + "a" * 3_000],
)  # fmt: skip
def test_what_is_no_plain_address_is_malformed(given: str) -> None:
    """Other schemes, credentials within and things that are no URL are named as such."""
    with pytest.raises(Malformed) as error:
        Outbound.allowing("", resolve=lambda *_: ("8.8.8.8",)).check(given, field="url")

    assert "p@" not in str(error.value)


def test_a_name_that_nobody_knows_is_unavailable() -> None:
    """A name without an address says so."""

    def unknown(_: str, __: int) -> Sequence[str]:
        raise OSError("nobody knows it")

    with pytest.raises(Unavailable):
        Outbound.allowing("", resolve=unknown).check("https://nowhere.example", field="url")


@pytest.mark.parametrize("listed", ["10.0.0.0/99", "http://x", "a b", "*.internal", "x:80"])
def test_a_list_that_cannot_be_read_is_refused(listed: str) -> None:
    """An entry that is no name, address or network is named, instead of opening nothing silently."""
    with pytest.raises(Malformed) as error:
        Outbound.allowing(listed)

    assert error.value.field == "outbound_allow"


def test_the_connection_goes_to_the_address_that_was_judged(server: ThreadingHTTPServer) -> None:
    """A name that leads elsewhere the second time it is asked is judged again before anything is sent."""
    answers = iter([("93.184.216.34",), ("127.0.0.1",)])
    guard = Outbound.allowing("", resolve=lambda *_: next(answers))
    before = len(asked(server))

    guard.check(f"http://rebinding.example:{server.server_port}/", field="url")
    with httpx.Client(transport=transport(guard)) as client, pytest.raises(Refused):
        client.get(f"http://rebinding.example:{server.server_port}/")
    assert len(asked(server)) == before


def test_a_name_is_resolved_once_for_a_connection(server: ThreadingHTTPServer) -> None:
    """What was judged is what is connected to: the name is not looked up a second time."""
    lookups: list[str] = []

    def resolve(host: str, _: int) -> Sequence[str]:
        lookups.append(host)
        return ("127.0.0.1",)

    guard = Outbound.allowing("models.internal", resolve=resolve)
    with httpx.Client(transport=transport(guard)) as client:
        answer = client.get(f"http://models.internal:{server.server_port}/once")

    assert (answer.status_code, lookups, asked(server)[-1]) == (302, ["models.internal"], "/once")


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_redirects_are_judged(server: ThreadingHTTPServer, library: str) -> None:
    """A server that may be called cannot send the caller on to one that may not."""
    guard = Outbound.allowing("").for_setting()
    where = f"http://127.0.0.1:{server.server_port}/moved"

    with pytest.raises(Refused):
        _get_sync(guard, where) if library == "httpx" else asyncio.run(_get(guard, where))
    assert asked(server)[-1] == "/moved"


def _get_sync(guard: Outbound, where: str) -> None:
    with httpx.Client(transport=transport(guard), follow_redirects=True) as client:
        client.get(where)


async def _get(guard: Outbound, where: str) -> None:
    async with httpx2.AsyncClient(transport=async_transport(guard), follow_redirects=True) as client:
        await client.get(where)


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433"])
def test_nothing_is_sent_to_a_refused_address(server: ThreadingHTTPServer, host: str) -> None:
    """Both transports refuse before a connection is opened."""
    before = len(asked(server))
    guard, where = Outbound.allowing(""), f"http://{host}:{server.server_port}/"

    with httpx.Client(transport=transport(guard)) as client, pytest.raises(Refused):
        client.get(where)
    with pytest.raises(Refused):
        asyncio.run(_get(guard, where))
    assert len(asked(server)) == before


def test_proxies_of_the_environment_are_not_used(server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment cannot take a guarded call somewhere else."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    guard = Outbound.allowing("").for_setting()

    with httpx.Client(transport=transport(guard)) as client:
        assert client.get(f"http://127.0.0.1:{server.server_port}/direct").status_code == 302
