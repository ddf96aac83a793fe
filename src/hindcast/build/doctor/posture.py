"""How it stands towards the network: the port, who answers there, and who may come in."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx

from hindcast.build.doctor.check import Check, fail, ok, warn
from hindcast.config import Settings
from hindcast.config.local_token import find_token
from hindcast.config.reading import ReadSettings

ANSWER_SECONDS_MAX = 3.0
# As many as one page of services may have.
SERVICES_ASKED = 200
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104


@dataclass(frozen=True, slots=True)
class Answering:
    """What answers on the port of the settings."""

    # A Hindcast, and what it says of its checks: names and whether they hold.
    is_hindcast: bool = False
    version: str = ""
    checks: tuple[tuple[str, bool, str], ...] = ()
    # Somebody who is not a Hindcast.
    is_foreign: bool = False


def url_of(settings: Settings) -> str:
    """Where a server with these settings can be asked from this machine."""
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def answering(settings: Settings) -> Answering:
    """Ask whoever listens on the port who they are."""
    try:
        with httpx.Client(base_url=url_of(settings), timeout=ANSWER_SECONDS_MAX, trust_env=False) as client:
            said = client.get("/healthz").json()
            if not isinstance(said, dict) or "version" not in said:
                return Answering(is_foreign=True)
            checks = client.get("/readyz").json()["checks"]
    except (httpx.ConnectError, httpx.ConnectTimeout):
        return Answering()
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return Answering(is_foreign=True)
    return Answering(True, str(said["version"]), tuple((one["name"], one["ok"], one["why"]) for one in checks))


def server(settings: Settings, found: Answering) -> Iterator[Check]:
    """Who has the port, and how they are."""
    where = f"{settings.host}:{settings.port}"
    if found.is_hindcast:
        yield ok("server", f"Hindcast {found.version} answers on {where}.")
        for name, is_ok, why in found.checks:
            if not is_ok:
                yield fail(f"server {name}", why or "It is not ready.", "Its log says more.")
    elif found.is_foreign:
        yield fail("port", f"Another program has {where}.", "Stop it, or set port to another one.")
    else:
        yield _bindable(settings, where)


def muted(settings: Settings, found: Answering) -> Iterator[Check]:
    """Services that a server does not tell of for a while, because somebody has called an incident of theirs over."""
    if not found.is_hindcast:
        return
    url = url_of(settings)
    proof = settings.key or find_token(url, settings)
    headers = {"X-Hindcast-Space": settings.space} | ({"X-Hindcast-Key": proof} if proof else {})
    try:
        with httpx.Client(base_url=url, timeout=ANSWER_SECONDS_MAX, trust_env=False) as client:
            answer = client.get("/api/v1/services", params={"limit": SERVICES_ASKED}, headers=headers)
            services = answer.raise_for_status().json()["items"]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        # Not to know is not the same as to know of none.
        remedy = "Set key to one that may read, or look at the page of its services."
        yield warn("muted", "The server does not say which services are muted.", remedy)
        return
    for one in services:
        if one["muted"] is not None:
            remedy = f"Reopen it if it is not over: hindcast incident reopen {one['muted']['incident']}"
            yield warn("muted", f"{one['muted']['why']}.", remedy)


def _bindable(settings: Settings, where: str) -> Check:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((settings.host, settings.port))
    except OSError as error:
        if error.errno == errno.EACCES:
            return fail("port", f"This user may not listen on {where}.", "Choose a port above 1023.")
        return fail("port", f"Nobody can listen on {where}: {error.strerror}.", "Correct host and port.")
    return ok("port", f"{where} is free; no server runs there.")


def configuration(found: ReadSettings[Settings]) -> Iterator[Check]:
    """Where the settings came from; variables that look like ours and are not."""
    where = f"Settings come from {found.file}" if found.file is not None else "There is no settings file"
    changed = sum(source != "default" for source in found.sources.values())
    yield ok("configuration", f"{where}; {changed} of {len(found.sources)} are not at their default.")
    if found.unknown_variables:
        names = ", ".join(found.unknown_variables)
        remedy = "`hindcast config` lists what can be set; correct or remove them."
        yield warn("configuration", f"These variables mean nothing to Hindcast: {names}.", remedy)


def access(settings: Settings) -> Iterator[Check]:
    """Whether strangers can come in."""
    is_local = is_loopback(settings.host)
    if settings.auth == "open" and not is_local:
        found = f"auth is open while it listens on {settings.host}: everybody on the network may do everything."
        yield fail("access", found, "Set auth to auto or required, or host to 127.0.0.1.")
    elif not is_local and urlsplit(settings.public_url).scheme != "https":
        found = "It listens beyond this machine, and passwords and keys travel in the clear."
        yield warn("access", found, "Put a proxy with TLS in front, and set public_url to its https:// address.")
    elif is_local and settings.auth != "required":
        yield ok("access", "The token of this machine opens everything, until somebody is invited.")
    else:
        yield ok("access", "Everybody has to say who they are.")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and not is_local:
        yield warn("access", "This runs as root.", "Run it as a user of its own: see run-it.")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
