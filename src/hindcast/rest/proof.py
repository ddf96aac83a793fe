"""What a request brings to say who it comes from: a key, in whichever way its protocol can send one, or a cookie.

| way | who uses it |
|---|---|
| `Authorization: Bearer <key>` | scripts, agents, OTLP exporters |
| `X-Hindcast-Key: <key>` | whoever already uses Authorization for something else |
| `Authorization: Basic …` with the key as password or as user name | Loki's and Elasticsearch's shippers |
| `Authorization: ApiKey …`, plain or as Elasticsearch encodes `id:key` | Elasticsearch's shippers |
| `/k/<key>/…` before any path | webhooks that can be told a URL and nothing else |
| the same, with the token of this machine | commands and clients on it |
| a cookie | browsers, after signing in, or after the link that `hindcast serve` prints |
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re

from starlette.requests import HTTPConnection

from hindcast.access import Proof
from hindcast.model.errors import Malformed, Refused
from hindcast.model.ids import check_actor

KEY_HEADER = "X-Hindcast-Key"
CSRF_HEADER = "X-Hindcast-CSRF"
# Who sits at this machine, where nobody has to sign in; it says nothing anywhere else.
ACTOR_HEADER = "X-Hindcast-Actor"
# Where `edge.py` puts the key that stood in the path.
PATH_KEY = "hindcast_path_key"
COOKIE = "hindcast"
# Of a browser that was opened with the token of this machine. Cookies know no ports: each server has one of its own.
LOCAL_COOKIE = "hindcast_local"
# Browsers take a cookie of this name from https only, for this host only: no neighbour can plant one.
SECURE_COOKIE = "__Host-hindcast"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Ways that a page cannot make a browser use on its own.
_DELIBERATE = ("bearer ", "apikey ")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
# Proxies speak the oldest version unless they are told otherwise, and add nothing that says they are there (nginx).
_OLD_VERSIONS = frozenset({"0.9", "1.0"})
# A key, or the token of this machine.
_KEY = re.compile(r"h[ct]_[A-Za-z0-9_-]+")
_SEVERAL = "Send one: Authorization, X-Hindcast-Key, a key in the path, or the cookie of a session."


def proof_of(connection: HTTPConnection, *, cookie: str = COOKIE, body_key: str = "") -> Proof:
    """What a request brings. Different ones at once are refused: nobody could say which of them acted."""
    headers = connection.headers
    keys = {
        key
        for key in (
            _authorised(headers.getlist("Authorization")),
            *(key.strip() for key in headers.getlist(KEY_HEADER)),
            str(connection.scope.get("state", {}).get(PATH_KEY, "")),
        )
        if key
    }
    if not keys and body_key and _KEY.fullmatch(body_key):
        keys = {body_key}
    session = connection.cookies.get(cookie, "") or connection.cookies.get(local_cookie(connection), "")
    if len(keys) + bool(session) > 1:
        raise Malformed("The request proves two identities at once.", field="Authorization", remedy=_SEVERAL)
    return Proof(
        key=keys.pop() if keys else "",
        session=session,
        peer=connection.client.host if connection.client else "",
        host=headers.get("Host", ""),
        is_forwarded=any(name in headers for name in _FORWARDED)
        or connection.scope.get("http_version") in _OLD_VERSIONS,
        actor=_actor(headers.get(ACTOR_HEADER, "")),
    )


def local_cookie(connection: HTTPConnection) -> str:
    """What the cookie of a browser at this machine is called by the server that it asks."""
    port = connection.headers.get("Host", "").rpartition(":")[2]
    return f"{LOCAL_COOKIE}_{port if port.isdigit() else '80'}"


def _actor(given: str) -> str:
    name = given.strip()
    if name:
        check_actor(name)
    return name


def is_deliberate(connection: HTTPConnection) -> bool:
    """Whether a request carries something that a browser would not send for a page that only wants it to."""
    headers = connection.headers
    has_path_key = bool(connection.scope.get("state", {}).get(PATH_KEY))
    return has_path_key or KEY_HEADER in headers or headers.get("Authorization", "").lower().startswith(_DELIBERATE)


def csrf_of(session: str) -> str:
    """What a page of ours sends along to show that it is one: only who can read the answer to sign-in knows it."""
    return hashlib.sha256(b"csrf:" + session.encode()).hexdigest()


def check_csrf(connection: HTTPConnection, session: str) -> None:
    """Raise unless a request that a cookie speaks for was made by a page of ours, or changes nothing."""
    if connection.scope["method"] in SAFE_METHODS:
        return
    given = connection.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(given.encode(), csrf_of(session).encode()):
        raise Refused(
            "The request does not show that it comes from Hindcast's own pages.",
            field=CSRF_HEADER,
            remedy=f"Send the csrf value of GET /api/v1/session as {CSRF_HEADER}.",
        )


def _authorised(given: list[str]) -> str:
    """The key in Authorization."""
    if len(set(given)) > 1:
        raise Malformed("Authorization is there twice.", field="Authorization", remedy=_SEVERAL)
    if not given:
        return ""
    scheme, _, value = given[0].strip().partition(" ")
    value = value.strip()
    match scheme.lower():
        case "bearer":
            return value
        case "apikey":
            return value if _KEY.fullmatch(value) else _key_in(_decoded(value))
        case "basic":
            return _key_in(_decoded(value))
    raise Malformed(
        f"{scheme[:20]!r} is not a way to authorise here.", field="Authorization", remedy="Use Bearer, Basic or ApiKey."
    )


def _key_in(pair: str) -> str:
    """The key in `user:password`, on either side; the password counts first. A pair without a key proves nothing."""
    user, _, password = pair.partition(":")
    return next((part for part in (password, user) if _KEY.fullmatch(part)), "")


def _decoded(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise Malformed(
            "Authorization cannot be decoded.", field="Authorization", remedy="Send base64 of user:password."
        ) from error
