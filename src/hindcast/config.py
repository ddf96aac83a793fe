"""Settings, read once: flags beat the environment, the environment beats the file, the file beats the defaults."""

from __future__ import annotations

import getpass
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from platformdirs import user_config_path, user_data_path

from hindcast.model.errors import Malformed, Missing

ENVIRONMENT_PREFIX = "HINDCAST_"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything Hindcast can be told from outside."""

    # A folder (SQLite, one file for each space) or postgresql://user:password@host/database.
    store: str = ""
    space: str = "local"
    # Who acts when nobody says: the person at the keyboard.
    actor: str = ""
    # Where the local index lives; empty: beside the SQLite files, or in the user's data folder for PostgreSQL.
    index: str = ""
    # A folder with a model pack; empty: the installed default pack, if there is one; "none": words only.
    model: str = ""
    # An OpenAI-compatible endpoint that makes vectors, instead of a model pack.
    embed_url: str = ""
    embed_model: str = ""
    embed_key: str = ""
    # clickhouse://user:password@host:8123/database, or chdb:///folder; empty: a folder beside the SQLite files.
    telemetry: str = ""
    # How long raw telemetry is kept. What was learnt from it is memory, and stays.
    telemetry_days: int = 30
    host: str = "127.0.0.1"
    # OpenTelemetry's own port, so that an exporter needs only the host.
    port: int = 4318
    # 0: no syslog. 514 is the usual one, and needs rights that Hindcast should not have.
    syslog_port: int = 0
    # What senders sign with; where one is set, an unsigned delivery is refused.
    github_secret: str = ""
    pagerduty_secret: str = ""
    sentry_secret: str = ""
    # Kinds of secrets, with commas between: further ones to take out, ones to leave in, and values to leave alone.
    redact_on: str = ""
    redact_off: str = ""
    redact_allow: str = ""
    # The version that Elasticsearch's shippers are told: older ones than theirs they refuse.
    elastic_version: str = "8.15.0"
    # The fixed rule: so many errors of one service within so many seconds are an incident.
    errors_min: int = 100
    window_seconds: int = 120
    # Who has to say who they are. auto: nobody while it listens on this machine only and nobody was invited, everybody
    # otherwise. required: everybody, always. open: nobody, which is refused unless it listens on this machine only.
    auth: str = "auto"
    # How browsers and links reach it, if that is not host and port: https://hindcast.example.com
    public_url: str = ""
    # Pages of other origins that may call the API, with commas between; none if empty.
    cors_origins: str = ""
    # How many requests a key, a person or an address may make in a minute; ingest has limits of its own.
    requests_per_minute: int = 1_200
    # How long a request may take, and how long a client may take to send it.
    request_seconds_max: int = 30
    # An identity provider people may sign in with (OpenID Connect).
    oidc_issuer: str = ""
    oidc_client: str = ""
    oidc_secret: str = ""
    # A language model to ask with, as provider:name; empty: none, and questions are answered by the tools directly.
    ask_model: str = ""
    ask_url: str = ""
    ask_key: str = ""
    # What one question may cost.
    ask_tokens_max: int = 50_000
    ask_seconds_max: int = 60
    ask_calls_max: int = 12
    # Private addresses that Hindcast may call all the same (models, webhooks, providers): names, addresses, networks.
    outbound_allow: str = ""
    # text for people, json for machines.
    log_format: str = "text"
    log_level: str = "warning"
    # Where its own metrics and traces go (OTLP over HTTP), for example http://collector:4318; nowhere if empty.
    otel_endpoint: str = ""
    # demo: the simulator can be steered over the API.
    mode: str = "product"

    @property
    def is_postgres(self) -> bool:
        """Whether the store is a PostgreSQL server."""
        return self.store.startswith(("postgresql://", "postgres://"))


def read_settings(flags: Mapping[str, str | None] | None = None, *, file: Path | None = None) -> Settings:
    """Put the settings together from file, environment and flags."""
    known = {field.name: field.type for field in fields(Settings)}
    values: dict[str, object] = {"store": str(user_data_path("hindcast")), "actor": _login()}
    values.update(_from_file(file, known))
    for name in known:
        given = os.environ.get(f"{ENVIRONMENT_PREFIX}{name.upper()}")
        if given is not None:
            values[name] = given
    values.update({name: value for name, value in (flags or {}).items() if value is not None})
    return Settings(**{name: _typed(name, value, known[name]) for name, value in values.items()})


def _typed(name: str, value: object, kind: object) -> Any:  # noqa: ANN401
    """A setting as its type wants it: numbers come as text from the environment."""
    if kind == "int":
        try:
            number = int(str(value))
        except ValueError:
            number = -1
        if number < 0:
            raise Malformed(f"{value!r} is not a whole number.", field=name, remedy="Give a number, 0 or greater.")
        return number
    return str(value)


def _from_file(file: Path | None, known: Mapping[str, object]) -> dict[str, object]:
    named = file or (Path(os.environ["HINDCAST_CONFIG"]) if "HINDCAST_CONFIG" in os.environ else None)
    path = named or user_config_path("hindcast") / "hindcast.toml"
    try:
        content = tomllib.loads(path.read_text())
    except FileNotFoundError as error:
        if named is None:
            return {}
        raise Missing(
            f"There is no file {path}.", field="config", remedy="Correct its path, or leave it out."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise Malformed(f"{path} cannot be read: {error}.", field="config", remedy="Correct the file.") from error
    for name, value in content.items():
        if name not in known or isinstance(value, bool) or not isinstance(value, str | int):
            raise Malformed(
                f"{path} sets {name!r}, which is not a setting with a text or a number.",
                field="config",
                remedy=f"Settings are {', '.join(known)}.",
            )
    return content


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
