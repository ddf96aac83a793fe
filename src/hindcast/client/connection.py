"""What both clients share about connections: how they are made, what failing ones mean, how lists and streams go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Protocol, TypeVar

import httpx

from hindcast.client.call import SPACE_HEADER, Call, Patience
from hindcast.client.generated.calls import CALLS
from hindcast.client.local import token_for
from hindcast.model.errors import Malformed, Missing, Refused, Unavailable

Item_co = TypeVar("Item_co", covariant=True)

CONNECTIONS_MAX = 100
# What a stream that is closed may say, after which coming back would be in vain.
CLOSED_FOR_GOOD = frozenset({"refused"})


class Paged(Protocol[Item_co]):
    """A page of a list."""

    @property
    def items(self) -> Sequence[Item_co]:
        """What is on it."""
        ...

    @property
    def next(self) -> str | None:
        """Where the list goes on; None at its end."""
        ...


def connecting(url: str, key: str, space: str, patience: Patience) -> dict[str, Any]:
    """How httpx is to connect."""
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise _no_address() from error
    if address.scheme not in ("http", "https") or not address.host:
        raise _no_address()
    if not (key + space).isascii() or not (key + space).isprintable():
        raise Malformed("A key and a space are plain text.", field="key", remedy="Copy them as they were shown.")
    key = key or token_for(address)
    return {
        "base_url": address,
        "headers": {
            **({"Authorization": f"Bearer {key}"} if key else {}),
            **({SPACE_HEADER: space} if space else {}),
        },
        "timeout": httpx.Timeout(patience.read_seconds_max, connect=patience.connect_seconds_max),
        "limits": httpx.Limits(max_connections=CONNECTIONS_MAX),
        # Who asks is said with every request, by the key; a cookie beside it would be a second identity.
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        # A key is for one server: no redirect may carry it elsewhere, and no proxy of the environment may read it.
        "follow_redirects": False,
        "trust_env": False,
    }


def _no_address() -> Malformed:
    return Malformed("The address is no http(s) URL.", field="url", remedy="Give one such as http://127.0.0.1:4318.")


def no_answer(call: Call[Any], error: httpx.HTTPError) -> Unavailable:
    """What it means that a request got no answer."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Unavailable(
        f"{call.name} got no answer ({said}).", remedy="Check that `hindcast serve` runs at that address, then retry."
    )


def by_name(name: str) -> Call[Any]:
    """The call of an operation's name."""
    found = next((call for call in CALLS if call.name == name), None)
    if found is None:
        raise Missing(f"There is no operation {name!r}.", field="name", remedy="docs/reference/rest.md lists them.")
    return found


def refusal(data: Mapping[str, Any]) -> Refused:
    """Why a stream was closed for good."""
    why = str(data.get("why", "The stream was closed."))
    return Refused(why, remedy="Sign in again, or use a key that is still good.")


def following(
    kinds: str | Sequence[str] | None,
    service: Sequence[str] | None,
    level_min: int | None,
    words: str | None,
    template: str | None,
) -> dict[str, object]:
    """What a stream is asked for."""
    return {
        "kinds": kinds if kinds is None or isinstance(kinds, str) else ",".join(kinds),
        "service": list(service) if service is not None else None,
        "level_min": level_min,
        "words": words,
        "template": template,
    }


def may_repeat(call: Call[Any], error: httpx.HTTPError) -> bool:
    """Whether a request that got no answer may be sent again: it was never sent, or twice is the same as once."""
    return call.is_repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
