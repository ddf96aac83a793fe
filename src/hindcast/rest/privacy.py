"""Privacy over HTTP: what is taken out on the way in, trying it on a text, and what leaves this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, StringConstraints

from hindcast.build.running import redactor
from hindcast.config import Settings
from hindcast.config.setting import variable
from hindcast.ingest.redact import DEFAULT_RULES, OPTIONAL_RULES
from hindcast.model.access import Permission
from hindcast.rest.arrivals import Arrivals
from hindcast.rest.desk import Desk
from hindcast.rest.seat import Reading

TAG = "settings"
# A stack trace with some lines around it; whole files are for `hindcast ingest`.
TRIED_CHARS_MAX = 50_000
# As `Preparation` counts them.
NOTICED = "redacted_"

WHAT: Mapping[str, str] = {
    "private-key": "Private keys, whole or cut off",
    "api-key": "Keys with a shape of their own, and what stands under api_key and the like",
    "token": "Tokens, Bearer and Authorization, signatures in addresses",
    "password": "What stands under password, in any notation, and in user:…@host",
    "secret": "What stands under secret, client_secret and the like",
    "cookie": "Cookies and session ids",
    "email": "E-mail addresses",
    "card": "Card numbers whose check digit is right",
    "iban": "Bank accounts (IBAN)",
    "ssn": "US social security numbers",
}


class TextTried(BaseModel):
    """A text to try, and the name that it would stand under as an attribute."""

    model_config = ConfigDict(extra="forbid")
    text: Annotated[str, StringConstraints(max_length=TRIED_CHARS_MAX)]
    name: Annotated[str, StringConstraints(max_length=300)] = ""


@dataclass(frozen=True, slots=True)
class TextKept:
    """What would be kept of a text, and how many of each kind would be taken out."""

    text: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RedactedKind:
    """One kind of secret or personal data."""

    kind: str
    what: str
    # Whether it is taken out here, and whether it is where nobody says otherwise.
    is_on: bool
    is_on_if_unsaid: bool
    # How many were taken out since the server started, in all projects.
    count: int


@dataclass(frozen=True, slots=True)
class Leaving:
    """Something that may go to another machine."""

    name: str
    title: str
    # Nothing leaves, it stays on this machine, or it goes elsewhere.
    goes: str
    # What goes there, in words.
    what: str
    variable: str
    # The host; told to those who run the installation, and empty where nothing leaves.
    where: str = ""


@dataclass(frozen=True, slots=True)
class PrivacyTold:
    """What is taken out of what comes in, and what goes out."""

    since: datetime
    kinds: tuple[RedactedKind, ...]
    # How many values are left alone, whatever they look like.
    allowed: int
    leaves: tuple[Leaving, ...]
    # The variables that change what is taken out: more, less, and exceptions.
    on_variable: str
    off_variable: str
    allow_variable: str


def add(app: FastAPI, desk: Desk, settings: Settings, arrivals: Arrivals) -> None:
    """Add the routes."""
    secrets = redactor(settings)
    known = dict.fromkeys(rule.kind for rule in (*DEFAULT_RULES, *OPTIONAL_RULES))
    if_unsaid = frozenset(rule.kind for rule in DEFAULT_RULES)

    @app.get("/api/v1/privacy", tags=[TAG], operation_id="privacy_get")
    def privacy_get(seat: Reading) -> PrivacyTold:
        """What is taken out on the way in, how often that happened, and what leaves this machine."""
        noticed = desk.app.noticed
        kinds = tuple(
            RedactedKind(kind, WHAT.get(kind, ""), kind in secrets.kinds, kind in if_unsaid, noticed[NOTICED + kind])
            for kind in known
        )
        runs_it = Permission.ADMINISTER in seat.caller.permissions_in(settings.space)
        return PrivacyTold(
            arrivals.since,
            kinds,
            len([one for one in settings.redact_allow.split(",") if one.strip()]),
            tuple(leaving(settings, tells_hosts=runs_it)),
            variable("redact_on"),
            variable("redact_off"),
            variable("redact_allow"),
        )

    @app.post("/api/v1/privacy/try", tags=[TAG], operation_id="privacy_try")
    def privacy_try(said: TextTried, _: Reading) -> TextKept:
        """What would be kept of a text, by the rules that every line passes on its way in. Nothing is stored."""
        found = secrets.named(said.name, said.text) if said.name else secrets.text(said.text)
        return TextKept(found.text, dict(found.counts))


def leaving(settings: Settings, *, tells_hosts: bool) -> Iterator[Leaving]:
    """Everything that the settings let go to another machine, and what does not because they do not."""

    def one(name: str, title: str, what: str, url: str, *, is_on: bool, usual: str = "") -> Leaving:
        host = urlsplit(url).hostname or usual
        goes = "nowhere" if not is_on else "here" if _is_here(host) else "elsewhere"
        return Leaving(name, title, goes, what, variable(name), host if is_on and tells_hosts else "")

    has_model = settings.ask_model not in ("", "none")
    provider = settings.ask_model.partition(":")[0]
    yield one(
        "ask_model",
        "A language model for questions",
        "Questions, and what the tools found in memory and telemetry to answer them",
        settings.ask_url,
        is_on=has_model,
        usual=f"{provider}, at its usual address",
    )
    yield one(
        "workspace_patches",
        "The same model for fixes",
        "The code that a trace goes through",
        settings.ask_url,
        is_on=has_model and settings.workspace_patches == "on",
        usual=f"{provider}, at its usual address",
    )
    yield one(
        "embed_url",
        "A model that makes vectors",
        "Every text that memory searches",
        settings.embed_url,
        is_on=bool(settings.embed_url),
    )
    yield one(
        "store",
        "Where memory is",
        "Everything that is remembered, people and keys, the audit trail",
        settings.store if settings.is_postgres else "",
        is_on=True,
        usual="localhost",
    )
    yield one(
        "telemetry",
        "Where telemetry is",
        "Lines, metrics, traces, alerts and changes, after redaction",
        settings.telemetry if settings.telemetry.startswith("clickhouse") else "",
        is_on=True,
        usual="localhost",
    )
    yield one(
        "otel_endpoint",
        "Its own metrics and traces",
        "How Hindcast itself does: times and counts, no lines",
        settings.otel_endpoint,
        is_on=bool(settings.otel_endpoint),
    )
    yield one(
        "oidc_issuer",
        "An identity provider",
        "That somebody signs in",
        settings.oidc_issuer,
        is_on=bool(settings.oidc_issuer),
    )


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        # Imported here: it brings along what calls such addresses, which few servers ever do.
        from hindcast.adapters.outbound import THIS_MACHINE

        return host.lower() in THIS_MACHINE
