"""What a request brings to say who it comes from, in every way that a protocol has for it."""

from __future__ import annotations

import base64

import pytest
from starlette.requests import HTTPConnection

from hindcast.model.errors import Malformed, Refused
from hindcast.rest.proof import (
    COOKIE,
    CSRF_HEADER,
    LOCAL_COOKIE,
    PATH_KEY,
    SECURE_COOKIE,
    check_csrf,
    csrf_of,
    is_deliberate,
    proof_of,
)

KEY = "hc_ingest_abc_" + "0" * 64
OTHER = "hc_read_def_" + "1" * 64


def encoded(text: str) -> str:
    """As basic auth and Elasticsearch encode it."""
    return base64.b64encode(text.encode()).decode()


def request(*headers: tuple[str, str], path_key: str = "", method: str = "POST") -> HTTPConnection:
    """A request with these headers."""
    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "method": method, "path": "/", "headers": raw, "client": ("192.0.2.7", 1), "state": {}}
    return HTTPConnection({**scope, "state": {PATH_KEY: path_key} if path_key else {}})


@pytest.mark.parametrize(
    "header",
    [
        ("Authorization", f"Bearer {KEY}"),
        ("Authorization", f"bearer   {KEY} "),
        ("Authorization", f"ApiKey {KEY}"),
        ("Authorization", f"ApiKey {encoded('an-id:' + KEY)}"),
        ("Authorization", f"ApiKey {encoded(KEY)}"),
        ("Authorization", f"Basic {encoded('elastic:' + KEY)}"),
        ("Authorization", f"Basic {encoded(KEY + ':')}"),
        ("Authorization", f"Basic {encoded(KEY + ':anything')}"),
        ("X-Hindcast-Key", KEY),
    ],
)
def test_a_key_is_found_whichever_way_it_comes(header: tuple[str, str]) -> None:
    """Bearer, ApiKey (plain and encoded), basic auth on either side, and a header of our own carry a key."""
    assert proof_of(request(header)).key == KEY


def test_a_key_may_stand_in_the_path_or_the_body() -> None:
    """A key in the path counts like one in a header; one in the body counts where there is no other."""
    assert proof_of(request(path_key=KEY)).key == KEY
    assert proof_of(request(), body_key=KEY).key == KEY
    assert proof_of(request(("X-Hindcast-Key", KEY)), body_key=OTHER).key == KEY


def test_a_routing_key_of_somebody_else_is_no_key() -> None:
    """What does not look like a key of ours in a body is left to whoever reads the body."""
    assert proof_of(request(), body_key="0123456789abcdef0123456789abcdef").key == ""


def test_a_password_that_is_no_key_proves_nothing() -> None:
    """Shippers that always send some user and password are treated like those that send none."""
    assert proof_of(request(("Authorization", f"Basic {encoded('elastic:changeme')}"))).key == ""


@pytest.mark.parametrize(
    "headers",
    [
        (("Authorization", f"Bearer {KEY}"), ("X-Hindcast-Key", OTHER)),
        (("Authorization", f"Bearer {KEY}"), ("Authorization", f"Bearer {OTHER}")),
        (("X-Hindcast-Key", KEY), ("X-Hindcast-Key", OTHER)),
        (("Authorization", f"Bearer {KEY}"), ("Cookie", f"{COOKIE}=hs_1")),
    ],
)
def test_two_identities_at_once_are_refused(headers: tuple[tuple[str, str], ...]) -> None:
    """Where two different proofs come together, nobody could say which of them acted."""
    with pytest.raises(Malformed):
        proof_of(request(*headers))


def test_the_same_key_twice_is_one() -> None:
    """A key that is sent in two ways is still one key."""
    assert proof_of(request(("Authorization", f"Bearer {KEY}"), ("X-Hindcast-Key", KEY), path_key=KEY)).key == KEY


@pytest.mark.parametrize("value", ["Digest x", "Negotiate x", "Basic not-base64!", "Basic /w==", "Hoba"])
def test_what_cannot_be_read_is_told(value: str) -> None:
    """A scheme that is not known and a pair that cannot be decoded name the header."""
    with pytest.raises(Malformed) as told:
        proof_of(request(("Authorization", value)))
    assert told.value.field == "Authorization"


def test_only_the_cookie_that_was_set_counts() -> None:
    """Under https only the cookie that no neighbouring host can plant speaks for somebody."""
    planted = request(("Cookie", f"{COOKIE}=planted; {SECURE_COOKIE}=ours"))

    assert proof_of(planted, cookie=SECURE_COOKIE).session == "ours"
    assert proof_of(request(("Cookie", f"{COOKIE}=planted")), cookie=SECURE_COOKIE).session == ""


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"])
def test_a_request_says_that_it_was_passed_on(name: str) -> None:
    """Every header that proxies add marks a request as somebody else's."""
    assert proof_of(request((name, "x"))).is_forwarded
    assert not proof_of(request()).is_forwarded


@pytest.mark.parametrize(("version", "is_forwarded"), [("0.9", True), ("1.0", True), ("1.1", False), ("2", False)])
def test_the_oldest_version_is_a_proxys(version: str, is_forwarded: bool) -> None:
    """By itself nginx adds no header and asks in HTTP/1.0; no exporter and no browser does."""
    connection = request()
    connection.scope["http_version"] = version
    assert proof_of(connection).is_forwarded is is_forwarded


def test_each_port_has_a_cookie_of_its_own() -> None:
    """Browsers send a cookie to every port of a host; a server reads only the one that it set itself."""
    both = ("Cookie", f"{LOCAL_COOKIE}_4318=hl_1; {LOCAL_COOKIE}_5000=hl_2; {LOCAL_COOKIE}_80=hl_3")
    for host, session in (("127.0.0.1:4318", "hl_1"), ("[::1]:5000", "hl_2"), ("localhost", "hl_3"), ("x:1", "")):
        assert proof_of(request(both, ("Host", host))).session == session


def test_a_cookie_alone_changes_nothing() -> None:
    """What changes something needs the value that only a page of ours knows; reading does not."""
    check_csrf(request(method="GET"), "hs_1")
    check_csrf(request((CSRF_HEADER, csrf_of("hs_1"))), "hs_1")
    for given in ((), ((CSRF_HEADER, ""),), ((CSRF_HEADER, csrf_of("hs_2")),)):
        with pytest.raises(Refused):
            check_csrf(request(*given), "hs_1")


def test_what_browsers_send_by_themselves_is_not_deliberate() -> None:
    """A cookie and basic auth, which browsers add unasked, do not count as meant; a key in a header or path does."""
    assert not is_deliberate(request(("Cookie", f"{COOKIE}=hs_1")))
    assert not is_deliberate(request(("Authorization", f"Basic {encoded('a:' + KEY)}")))
    assert is_deliberate(request(("Authorization", f"Bearer {KEY}")))
    assert is_deliberate(request(path_key=KEY))


def test_a_name_is_only_a_name() -> None:
    """Whoever sits at this machine may say what they are called; what cannot name anybody is refused."""
    assert proof_of(request(("X-Hindcast-Actor", " ana "))).actor == "ana"
    assert proof_of(request()).actor == ""
    with pytest.raises(Malformed):
        proof_of(request(("X-Hindcast-Actor", "a" * 300)))
