"""Settings, read once: flags beat the environment, the environment beats the file, the file beats the defaults."""

from __future__ import annotations

import getpass
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

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

    @property
    def is_postgres(self) -> bool:
        """Whether the store is a PostgreSQL server."""
        return self.store.startswith(("postgresql://", "postgres://"))


def read_settings(flags: Mapping[str, str | None] | None = None, *, file: Path | None = None) -> Settings:
    """Put the settings together from file, environment and flags."""
    known = [field.name for field in fields(Settings)]
    values: dict[str, str] = {"store": str(user_data_path("hindcast")), "actor": _login()}
    values.update(_from_file(file, known))
    for name in known:
        given = os.environ.get(f"{ENVIRONMENT_PREFIX}{name.upper()}")
        if given is not None:
            values[name] = given
    values.update({name: value for name, value in (flags or {}).items() if value is not None})
    return Settings(**values)


def _from_file(file: Path | None, known: list[str]) -> dict[str, str]:
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
        if name not in known or not isinstance(value, str):
            raise Malformed(
                f"{path} sets {name!r}, which is not a setting with a text value.",
                field="config",
                remedy=f"Settings are {', '.join(known)}.",
            )
    return content


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
