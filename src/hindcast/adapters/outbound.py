"""The guard of every address that Hindcast calls because a setting or a person named it: models, identity providers.

An address is judged by where it really leads. The name is resolved here, every address it resolves to is judged, and
the connection goes to an address that was judged, so that a name which changes its mind between the question and the
call (DNS rebinding) gains nothing. Redirects open connections too, and pass by here like the first one.

Who said it matters. Whoever writes the settings runs this machine: a setting that names this machine itself
(`localhost`, 127.0.0.1, ::1) is taken at its word. Anything else that is not public (private networks, link-local
addresses) has to be listed in `outbound_allow`, and an address that came over the API is never taken at its word.
Metadata services of clouds hand out credentials to whoever asks: they are reached only when their own address or
network is listed.

Proxies of the environment are not used: behind one, nothing could be judged.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

from hindcast.model.errors import Malformed, Refused, Unavailable

if TYPE_CHECKING:
    import httpx2

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# From a host and a port to the addresses behind it.
Resolve = Callable[[str, int], Sequence[str]]

THIS_MACHINE = frozenset({"localhost", "ip6-localhost", "ip6-loopback"})
URL_CHARS_MAX = 2_000
CONNECTIONS_MAX = 20
# Where clouds answer whoever asks with credentials. Most lie in link-local networks; these do not.
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fd00:42::42",
    )
)
# Prefixes in which an IPv6 address carries an IPv4 address in its last 32 bits.
_NAT64 = tuple(ipaddress.IPv6Network(text) for text in ("64:ff9b::/96", "64:ff9b:1::/48"))
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_SITE_LOCAL = ipaddress.IPv6Network("fec0::/10")


def resolved(host: str, port: int) -> tuple[str, ...]:
    """The addresses behind a name, as the system resolves it: also 2130706433, 0x7f.1 and other spellings of one."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class Outbound:
    """Which addresses may be called."""

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    # Whether the loopback of this machine may be called by its name or address.
    is_this_machine_allowed: bool = False
    resolve: Resolve = resolved

    @classmethod
    def allowing(cls, listed: str, *, resolve: Resolve = resolved) -> Outbound:
        """The guard for addresses from outside, with what `outbound_allow` lists, commas between."""
        names, networks = set(), []
        for entry in (part.strip().lower() for part in listed.split(",")):
            try:
                networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                if entry and not _is_name(entry):
                    raise Malformed(
                        f"{entry!r} is neither a name, nor an address, nor a network.",
                        field="outbound_allow",
                        remedy="List such as localhost, 10.1.2.3, 10.0.0.0/8, models.internal, commas between.",
                    ) from None
                names.add(entry)
        return cls(frozenset(names - {""}), tuple(networks), resolve=resolve)

    def for_setting(self) -> Outbound:
        """The guard for addresses out of the settings: whoever writes those runs this machine."""
        return Outbound(self.names, self.networks, is_this_machine_allowed=True, resolve=self.resolve)

    def check(self, url: str, *, field: str) -> None:
        """Raise unless this may be called: Malformed for what is no address, Refused for where it leads."""
        remedy = "Give an address such as https://models.example.com/v1."
        try:
            parsed = httpx.URL(url[: URL_CHARS_MAX + 1])
        except (httpx.InvalidURL, ValueError) as error:
            raise Malformed("This is no URL.", field=field, remedy=remedy) from error
        if len(url) > URL_CHARS_MAX or parsed.scheme not in ("http", "https") or not parsed.host:
            raise Malformed("This is no http(s) URL.", field=field, remedy=remedy)
        if parsed.userinfo:
            raise Malformed(
                "The URL holds a name or a password.", field=field, remedy="Put the key into its own setting."
            )
        self.addresses(parsed.host, parsed.port or (443 if parsed.scheme == "https" else 80), field=field)

    def addresses(self, host: str, port: int, *, field: str | None = None) -> tuple[str, ...]:
        """The addresses to connect to. All of them are judged: one that may not be called spoils the name."""
        name = host.strip("[]").rstrip(".").lower()
        try:
            found = self.resolve(name, port)
        except (OSError, UnicodeError) as error:
            raise Unavailable(
                f"The name {name!r} cannot be resolved.", field=field, remedy="Check its spelling, or the network."
            ) from error
        for address in found:
            if not self._is_allowed(name, ipaddress.ip_address(address.partition("%")[0])):
                raise self._refusal(name, address, field)
        if not found:
            raise Unavailable(f"The name {name!r} has no address.", field=field, remedy="Check its spelling.")
        return tuple(found)

    def _refusal(self, name: str, address: str, field: str | None) -> Refused:
        """Whoever writes the settings is told where a name leads; whoever calls the API learns nothing of it."""
        if not self.is_this_machine_allowed:
            return Refused(
                f"{name!r} is not a public address.",
                field=field,
                remedy="Name a public one, or ask an admin to list it in outbound_allow.",
            )
        leads = "" if name == address else f" leads to {address}, which"
        return Refused(
            f"{name!r}{leads} is not a public address.",
            field=field,
            remedy=f'If it is meant, list it: outbound_allow = "{name if _is_address(name) else f"{name},{address}"}".',
        )

    def _is_allowed(self, name: str, address: Ip) -> bool:
        every = tuple(_meant(address))
        if any(one in network for one in every for network in self.networks if network.version == one.version):
            return True
        if any(one.is_link_local or one in _METADATA for one in every):
            return False
        if name in self.names or all(_is_public(one) for one in every):
            return True
        is_here = name in THIS_MACHINE or _is_address(name)
        return self.is_this_machine_allowed and is_here and all(one.is_loopback for one in every)


@cache
def _trusted() -> ssl.SSLContext:
    """Whose certificates are believed; reading them takes longer than a request."""
    return httpx.create_ssl_context()


def transport(guard: Outbound) -> httpx.HTTPTransport:
    """A transport for httpx that connects only where the guard lets it, at the moment it connects."""
    context = _trusted()
    made = httpx.HTTPTransport(verify=context)
    # The library has no door for this. Should it ever keep its pool elsewhere, nothing may be sent unguarded.
    assert isinstance(made._pool, httpcore.ConnectionPool)
    made._pool = httpcore.ConnectionPool(context, max_connections=CONNECTIONS_MAX, network_backend=_Backend(guard))
    return made


def async_transport(guard: Outbound) -> httpx2.AsyncHTTPTransport:
    """The same for the asynchronous clients that the libraries of language models use."""
    import anyio.to_thread
    import httpcore2
    import httpx2

    class Backend(httpcore2.AsyncNetworkBackend):
        """Connects to addresses that were judged."""

        def __init__(self) -> None:
            self._inner = httpcore2.AnyIOBackend()

        async def connect_tcp(self, host: str, port: int, *args: Any, **named: Any) -> Any:  # noqa: ANN401
            trouble: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
            for address in await anyio.to_thread.run_sync(guard.addresses, host, port):
                try:
                    return await self._inner.connect_tcp(address, port, *args, **named)
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                    trouble = error
            assert trouble is not None
            raise trouble

        async def sleep(self, seconds: float) -> None:
            await self._inner.sleep(seconds)

    context = _trusted()
    made = httpx2.AsyncHTTPTransport(verify=context)
    assert isinstance(made._pool, httpcore2.AsyncConnectionPool)
    made._pool = httpcore2.AsyncConnectionPool(context, max_connections=CONNECTIONS_MAX, network_backend=Backend())
    return made


class _Backend(httpcore.NetworkBackend):
    """Connects to addresses that were judged."""

    def __init__(self, guard: Outbound) -> None:
        self._guard = guard
        self._inner = httpcore.SyncBackend()

    def connect_tcp(self, host: str, port: int, *args: Any, **named: Any) -> httpcore.NetworkStream:  # noqa: ANN401
        trouble: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in self._guard.addresses(host, port):
            try:
                return self._inner.connect_tcp(address, port, *args, **named)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = error
        assert trouble is not None
        raise trouble

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


def _meant(address: Ip) -> Iterable[Ip]:
    """An address, and every IPv4 address that it stands for: mapped, translated, tunnelled."""
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        teredo = address.teredo
        for inner in (address.ipv4_mapped, address.sixtofour, *(teredo or ())):
            if inner is not None:
                yield inner
        if any(address in network for network in (*_NAT64, _COMPATIBLE)) and int(address) > 1:
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


def _is_public(address: Ip) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            # What it stands for is judged; by itself it says nothing.
            return True
        if address in _SITE_LOCAL:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_name(entry: str) -> bool:
    return all(part and part.replace("-", "").replace("_", "").isalnum() for part in entry.split("."))
