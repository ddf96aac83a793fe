"""Settings, read once: flags beat the environment, the environment beats the file, the file beats the defaults.

Each setting is said once, below, with its default, what it is for and what it may be; reading, checking and explaining
follow from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hindcast.config.reading import read
from hindcast.config.setting import setting

__all__ = ["Settings", "read_settings"]

WHERE, LISTENING, ACCESS, INGEST, NOTICING, ASKING, CODE, OPERATING = (
    "Where things are",
    "Listening",
    "Who may",
    "Taking in",
    "Noticing",
    "Asking",
    "Code",
    "Operating",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything Hindcast can be told from outside."""

    store: str = setting(
        WHERE, "", "A folder (SQLite, one file for each space) or postgresql://user:password@host/database."
    )
    space: str = setting(WHERE, "local", "The space that is meant where none is named.", kind="space")
    actor: str = setting(WHERE, "", "Who acts when nobody says: the person at the keyboard.")
    key: str = setting(WHERE, "", "The key that commands show to a Hindcast that runs elsewhere.", secret=True)
    index: str = setting(
        WHERE,
        "",
        "Where the local index lives; empty: beside the SQLite files, or in the user's data folder for PostgreSQL.",
    )
    model: str = setting(
        WHERE, "", 'A folder with a model pack; empty: the installed default pack, if there is one; "none": words only.'
    )
    embed_url: str = setting(
        WHERE, "", "An OpenAI-compatible endpoint that makes vectors, instead of a model pack.", kind="url"
    )
    embed_model: str = setting(WHERE, "", "The model to ask for there.")
    embed_key: str = setting(WHERE, "", "The key to send there.", secret=True)
    telemetry: str = setting(
        WHERE,
        "",
        "clickhouse://user:password@host:8123/database, or chdb:///folder; empty: a folder beside the SQLite files.",
        kind="telemetry",
    )
    telemetry_days: int = setting(
        WHERE, 30, "How long raw telemetry is kept. What was learnt from it is memory, and stays.", at_least=1
    )
    host: str = setting(
        LISTENING, "127.0.0.1", "The address to listen on; 0.0.0.0: all, and then callers have to say who they are."
    )
    port: int = setting(
        LISTENING,
        4318,
        "OpenTelemetry's own port, so that an exporter needs only the host.",
        at_least=1,
        at_most=65_535,
    )
    syslog_port: int = setting(
        LISTENING,
        0,
        "0: no syslog. 514 is the usual one, and needs rights that Hindcast should not have.",
        at_most=65_535,
    )
    syslog_host: str = setting(
        LISTENING,
        "127.0.0.1",
        "Syslog cannot say who sends: the address it listens on, which should be this machine or a network you trust.",
    )
    github_secret: str = setting(
        INGEST, "", "What GitHub signs with; where one is set, an unsigned delivery is refused.", secret=True
    )
    pagerduty_secret: str = setting(INGEST, "", "The same for PagerDuty's webhooks.", secret=True)
    sentry_secret: str = setting(INGEST, "", "The same for Sentry.", secret=True)
    redact_on: str = setting(INGEST, "", "Further kinds of secrets to take out, with commas between.")
    redact_off: str = setting(INGEST, "", "Kinds of secrets to leave in.")
    redact_allow: str = setting(INGEST, "", "Values to leave alone, whatever they look like.")
    elastic_version: str = setting(
        INGEST, "8.15.0", "The version that Elasticsearch's shippers are told: older ones than theirs they refuse."
    )
    errors_min: int = setting(
        NOTICING,
        100,
        "The fixed rule: so many errors of one service within `window_seconds` are an incident.",
        at_least=1,
    )
    window_seconds: int = setting(NOTICING, 120, "The window of the fixed rule.", at_least=1, at_most=3_600)
    auth: str = setting(
        ACCESS,
        "auto",
        "Who has to say who they are. auto: while it listens on this machine only and nobody was invited, the token in "
        "its data folder opens it, otherwise everybody signs in or sends a key. required: everybody, always. open: the "
        "token opens it whoever was invited, which is refused unless it listens on this machine only.",
        choices=("auto", "required", "open"),
    )
    public_url: str = setting(
        ACCESS,
        "",
        "How browsers and links reach it, if that is not host and port: https://hindcast.example.com",
        kind="url",
    )
    cors_origins: str = setting(
        ACCESS, "", "Pages of other origins that may call the API, with commas between; none if empty.", kind="origins"
    )
    requests_per_minute: int = setting(
        ACCESS,
        1_200,
        "How many requests a key, a person or an address may make in a minute; ingest has limits of its own.",
        at_least=1,
    )
    request_seconds_max: int = setting(
        ACCESS, 30, "How long a request may take, and how long a client may take to send it.", at_least=1
    )
    oidc_issuer: str = setting(ACCESS, "", "An identity provider people may sign in with (OpenID Connect).", kind="url")
    oidc_client: str = setting(ACCESS, "", "What Hindcast is called there.")
    oidc_secret: str = setting(ACCESS, "", "What proves it to the provider.", secret=True)
    ask_model: str = setting(
        ASKING,
        "",
        "A language model to ask with, as provider:name; empty: none, and the tools answer questions directly.",
    )
    ask_url: str = setting(ASKING, "", "Where the model answers, if not at its provider's usual address.", kind="url")
    ask_key: str = setting(ASKING, "", "The key to send there.", secret=True)
    ask_tokens_max: int = setting(ASKING, 50_000, "How many tokens one question may cost.", at_least=1)
    ask_seconds_max: int = setting(ASKING, 60, "How long one question may take.", at_least=1)
    ask_calls_max: int = setting(ASKING, 12, "How many tools one question may call.", at_least=1)
    workspace_roots: str = setting(
        CODE,
        "",
        "Folders below which a workspace may be registered over HTTP, with commas between; none if empty. "
        "`acme=/srv/acme` is for the projects of the organisation acme, `/srv/code` for projects without one. On the "
        "machine itself `hindcast workspace add` takes any folder.",
        kind="folders",
    )
    workspace_clones: str = setting(
        CODE,
        "off",
        "on: maintainers may have repositories cloned over https, from public addresses and those that "
        "`outbound_allow` lists.",
        choices=("on", "off"),
    )
    workspace_patches: str = setting(
        CODE,
        "off",
        "on: the model of `ask_model` may propose cards, too; the code that a trace goes through is sent to it then.",
        choices=("on", "off"),
    )
    outbound_allow: str = setting(
        ASKING,
        "",
        "Private addresses that Hindcast may call all the same (models, webhooks, providers): names, addresses, "
        "networks, with commas between.",
    )
    log_format: str = setting(OPERATING, "text", "text for people, json for machines.", choices=("text", "json"))
    log_level: str = setting(
        OPERATING,
        "warning",
        "The least that is logged; info has a line for each request.",
        choices=("debug", "info", "warning", "error"),
    )
    otel_endpoint: str = setting(
        OPERATING,
        "",
        "Where its own metrics and traces go (OTLP over HTTP), for example http://collector:4318; nowhere if empty.",
        kind="url",
    )
    mode: str = setting(
        OPERATING, "product", "demo: the simulator can be steered over the API.", choices=("product", "demo")
    )

    @property
    def is_postgres(self) -> bool:
        """Whether the store is a PostgreSQL server."""
        return self.store.startswith(("postgresql://", "postgres://"))


def read_settings(flags: Mapping[str, str | None] | None = None, *, file: Path | None = None) -> Settings:
    """Put the settings together from file, environment and flags."""
    return read(Settings, flags, file=file).settings
