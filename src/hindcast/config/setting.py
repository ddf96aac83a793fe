"""What a setting is: its default, what it is for, and what it may be, kept as metadata of its field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from hindcast.model.errors import Malformed

PREFIX = "HINDCAST_"
HIDDEN = "••••••"
_KEY = "setting"
_SPACE = re.compile(r"[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)?")
_OWNER = re.compile(r"[a-z0-9][a-z0-9_-]{0,200}\s*=\s*")
_WITH_PASSWORD = re.compile(r"(?<=://)[^/@\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a setting beside its value."""

    group: str
    # What it is for, in sentences.
    what: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    at_least: int = 0
    at_most: int = 2**53
    is_secret: bool = False


def setting(
    group: str,
    default: str | int,
    what: str,
    *,
    kind: str = "text",
    choices: tuple[str, ...] = (),
    at_least: int = 0,
    at_most: int = 2**53,
    secret: bool = False,
) -> Any:  # noqa: ANN401
    """A field of the settings."""
    about = About(group, what, kind, choices, at_least, at_most, secret)
    return field(default=default, metadata={_KEY: about})


def abouts(settings: type[Any]) -> Iterator[tuple[Field[Any], About]]:
    """Every setting with what is known of it, in the order in which they are declared."""
    for one in fields(settings):
        yield one, one.metadata[_KEY]


def variable(name: str) -> str:
    """What a setting is called in the environment."""
    return f"{PREFIX}{name.upper()}"


def masked(about: About, value: str | int) -> str | int:
    """A value as it may be shown: no secret, and no password in an address."""
    if isinstance(value, int):
        return value
    if about.is_secret:
        return HIDDEN if value else ""
    return _WITH_PASSWORD.sub(lambda found: found[0].partition(":")[0] + (":" + HIDDEN) * (":" in found[0]), value)


def typed(name: str, value: object, about: About, *, is_number: bool, said: str) -> str | int:
    """A value as its setting wants it, checked. `said` is how it was given, for the error."""
    if is_number:
        return _number(value, about, said)
    text = str(value)
    if "\x00" in text or "\n" in text:
        raise Malformed("It holds a line break.", field=said, remedy="Write it on one line.")
    if about.choices and text not in about.choices:
        raise Malformed(
            f"{text!r} is none of its values.", field=said, remedy=f"Use one of: {', '.join(about.choices)}."
        )
    check = _CHECKS.get(about.kind)
    problem = check(text) if check is not None and text else ""
    if not text and name in ("host", "syslog_host", "space"):
        problem = "It is empty."
    if problem:
        raise Malformed(problem, field=said, remedy=_remedy(about))
    return text


def _number(value: object, about: About, said: str) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = None
    if number is None or isinstance(value, bool) or not about.at_least <= number <= about.at_most:
        most = f" to {about.at_most}" if about.at_most < 2**53 else " or greater"
        raise Malformed(
            f"{value!r} is not a whole number that it can be.",
            field=said,
            remedy=f"Give a number, {about.at_least}{most}.",
        )
    return number


def _url_problem(text: str) -> str:
    try:
        address = urlsplit(text)
        _ = address.port
    except ValueError:
        return f"{text!r} is not an address."
    if address.scheme not in ("http", "https") or not address.hostname:
        return f"{text!r} is not an address that begins with http:// or https://."
    return ""


def _origins_problem(text: str) -> str:
    for one in (part.strip() for part in text.split(",")):
        if not one:
            continue
        if one == "*":
            return "* would let every page of the web call the API in the name of whoever looks at it."
        address = urlsplit(one)
        if _url_problem(one) or address.path not in ("", "/") or address.query:
            return f"{one!r} is not an origin."
    return ""


def _telemetry_problem(text: str) -> str:
    schemes = ("chdb://", "clickhouse://", "clickhouses://", "http://", "https://")
    return "" if text.startswith(schemes) else f"{text!r} names no engine."


def _space_problem(text: str) -> str:
    return "" if _SPACE.fullmatch(text) else f"{text!r} is not a space."


def _folders_problem(text: str) -> str:
    listed = [one for part in text.split(",") if (one := part.strip())]
    wrong = [one for one in listed if not PurePath(_OWNER.sub("", one)).is_absolute()]
    return f"{wrong[0]!r} is no absolute path." if wrong else ""


_CHECKS = {
    "url": _url_problem,
    "origins": _origins_problem,
    "telemetry": _telemetry_problem,
    "space": _space_problem,
    "folders": _folders_problem,
}
_REMEDIES = {
    "url": "Give it as in https://hindcast.example.com.",
    "origins": "Give scheme, host and port, as in https://app.example.com, with commas between.",
    "telemetry": "Use chdb:///folder or clickhouse://user:password@host:8123/database.",
    "folders": "Give each from the root, as in /srv/code or acme=/srv/acme, with commas between.",
    "space": "Use lower-case letters, digits, - and _, as in acme/payments or local.",
}


def _remedy(about: About) -> str:
    return _REMEDIES.get(about.kind, "Give a value, or leave it out.")
