"""Puts settings together from flags, environment and file, and remembers where each value came from."""

from __future__ import annotations

import difflib
import getpass
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from platformdirs import user_config_path, user_data_path

from hindcast.config.setting import PREFIX, abouts, typed, variable
from hindcast.model.errors import Malformed, Missing

FILE_VARIABLE = "HINDCAST_CONFIG"
# Told to Hindcast through the environment only: which file, where models and data are, and how to look for a bug.
OTHER_VARIABLES = frozenset({FILE_VARIABLE, "HINDCAST_MODELS", "HINDCAST_DEBUG", "HINDCAST_DATA"})
# Settings whose default depends on the machine.
FOUND_OUT = ("store", "actor")
FLAG, ENVIRONMENT, FILE, DEFAULT = "flag", "environment", "file", "default"

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class ReadSettings(Generic[S]):
    """Settings, and where each of them came from."""

    settings: S
    # By name: flag, environment, file or default.
    sources: Mapping[str, str]
    # The file that was read, if there was one.
    file: Path | None
    # Variables that begin like ours and are none of ours.
    unknown_variables: tuple[str, ...]


def read(kind: type[S], flags: Mapping[str, str | None] | None = None, *, file: Path | None = None) -> ReadSettings[S]:
    """Flags beat the environment, the environment beats the file, the file beats the defaults."""
    known = {field.name: (field, about) for field, about in abouts(kind)}
    values: dict[str, object] = {"store": str(user_data_path("hindcast")), "actor": _login()}
    sources = dict.fromkeys(known, DEFAULT)
    path, content = _from_file(file, tuple(known))
    given = (
        (FILE, content),
        (ENVIRONMENT, {name: os.environ[variable(name)] for name in known if variable(name) in os.environ}),
        (FLAG, {name: value for name, value in (flags or {}).items() if value is not None}),
    )
    for source, all_found in given:
        # What is found out when nobody says is not unsaid by an empty text.
        found = {name: value for name, value in all_found.items() if value != "" or name not in FOUND_OUT}
        values.update(found)
        sources.update(dict.fromkeys(found, source))
    made: dict[str, object] = {}
    for name, value in values.items():
        field, about = known[name]
        said = variable(name) if sources[name] == ENVIRONMENT else name
        made[name] = typed(name, value, about, is_number=field.type == "int", said=said)
    return ReadSettings(kind(**made), sources, path, _unknown_variables(known))


def _unknown_variables(known: Mapping[str, object]) -> tuple[str, ...]:
    ours = {variable(name) for name in known} | OTHER_VARIABLES
    return tuple(sorted(name for name in os.environ if name.startswith(PREFIX) and name not in ours))


def _from_file(file: Path | None, known: tuple[str, ...]) -> tuple[Path | None, dict[str, object]]:
    named = file or (Path(os.environ[FILE_VARIABLE]) if FILE_VARIABLE in os.environ else None)
    path = named or user_config_path("hindcast") / "hindcast.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if named is None:
            return None, {}
        raise Missing(
            f"There is no file {path}.", field="config", remedy="Correct its path, or leave it out."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise Malformed(f"{path} cannot be read: {error}.", field="config", remedy="Correct the file.") from error
    for name, value in content.items():
        if name not in known:
            raise Malformed(f"{path} sets {name!r}, which is no setting.", field="config", remedy=nearest(name, known))
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Malformed(
                f"{path} gives {name!r} a {type(value).__name__}.",
                field=name,
                remedy="Give it a text or a whole number.",
            )
    return path, content


def nearest(name: str, known: tuple[str, ...]) -> str:
    """What somebody may have meant, as a remedy."""
    found = difflib.get_close_matches(name, known, 1)
    return f"Did you mean {found[0]!r}?" if found else f"Settings are {', '.join(known)}."


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
