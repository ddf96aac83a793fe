"""Reads the address of a telemetry store: a folder for the engine in this process, or the servers of a cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from hindcast.model.errors import Malformed

DATABASE = "hindcast"
# ClickHouse's own ports for HTTP, without and with TLS.
PORT, PORT_TLS = 8123, 8443

_TLS = {"clickhouse": False, "clickhouses": True, "http": False, "https": True}
_AFTER_SERVERS = re.compile(r"[/?#]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_FORMS = (
    "Write chdb:///folder, clickhouse://user:password@host:8123/database, or"
    " clickhouse://user:password@host1:8123,host2:8123/database?cluster=name."
)


@dataclass(frozen=True, slots=True)
class Host:
    """One server, as it is reached over HTTP."""

    name: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}:{self.port}"


@dataclass(frozen=True, slots=True)
class Address:
    """Where telemetry lives. Either a folder, or hosts: one for each shard of the cluster, or just one."""

    database: str
    folder: str = ""
    hosts: tuple[Host, ...] = ()
    user: str = ""
    password: str = ""
    tls: bool = False
    # The name under which the servers know each other; empty: one server that knows nobody.
    cluster: str = ""

    @property
    def embedded(self) -> bool:
        """Whether the engine runs in this process, which then owns the store alone."""
        return bool(self.folder)

    def __str__(self) -> str:
        # Without user and password: this is what messages show.
        return self.folder or ",".join(map(str, self.hosts))


def parse(dsn: str) -> Address:
    """The address in a dsn. Raises Malformed without repeating what may hold a password."""
    scheme, _, rest = dsn.partition("://")
    # Taken out first: what names several servers, some of them by numbers in brackets, is no URL to newer Pythons.
    servers = _AFTER_SERVERS.split(rest, maxsplit=1)[0]
    try:
        parts = urlsplit(f"{scheme}://{rest.removeprefix(servers)}")
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise _malformed("The address of the telemetry store cannot be read.") from error
    if parts.scheme == "chdb":
        return _embedded(servers, parts, options)
    if parts.scheme in _TLS:
        return _served(servers, parts, options)
    raise _malformed(f"There is no telemetry store of the kind {parts.scheme!r}.")


def _embedded(servers: str, parts: SplitResult, options: dict[str, str]) -> Address:
    _only(options, {"database"})
    folder = unquote(parts.path)
    if servers or folder.strip("/") == "":
        raise _malformed("A chdb address names a folder after three slashes.")
    if "?" in folder or "\0" in folder:
        # The engine takes its options after a question mark, so a folder cannot have one in its name.
        raise _malformed("The folder of a chdb address cannot have a question mark in its name.")
    return Address(_name("database", options.get("database", DATABASE)), folder=folder)


def _served(servers: str, parts: SplitResult, options: dict[str, str]) -> Address:
    _only(options, {"cluster"})
    tls = _TLS[parts.scheme]
    credentials, _, places = servers.rpartition("@")
    user, _, password = credentials.partition(":")
    hosts = tuple(_host(place, PORT_TLS if tls else PORT) for place in places.split(","))
    cluster = options.get("cluster", "")
    if cluster:
        _name("cluster", cluster)
    elif len(hosts) > 1:
        raise _malformed("Several servers are one store only as a cluster.", "cluster")
    if len(set(hosts)) != len(hosts):
        raise _malformed("A server is named twice.")
    database = unquote(parts.path.strip("/")) or DATABASE
    return Address(
        _name("database", database),
        hosts=hosts,
        user=unquote(user),
        password=unquote(password),
        tls=tls,
        cluster=cluster,
    )


def _host(place: str, port: int) -> Host:
    try:
        found = urlsplit(f"//{place}")
        name, given = found.hostname, found.port
    except ValueError as error:
        raise _malformed("The port of a server cannot be read.") from error
    if not name:
        raise _malformed("A server has no name.")
    return Host(name, given or port)


def _only(options: dict[str, str], known: set[str]) -> None:
    for option in options.keys() - known:
        raise _malformed(f"{option!r} is no option of this kind of address.")


def _name(field: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise _malformed(f"The {field} is called by letters, digits and underscores; {name[:80]!r} is not.")
    return name


def _malformed(problem: str, field: str = "") -> Malformed:
    return Malformed(problem, field=f"telemetry {field}".strip(), remedy=_FORMS)
