"""The token by which somebody proves that they sit at this machine: who can read its file can open the store as well.

The file lies in the data folder, for its owner only. A running server says in the user's state folder which file
belongs to its port, so that commands and clients that only know an address find it.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from platformdirs import user_data_path, user_state_path

if TYPE_CHECKING:
    from hindcast.config import Settings

# No space can be called like that.
FILE = ".token"
# Where the link leads that a server prints.
LOCAL = "/local"
PREFIX = "ht_"
_BYTES = 32
_CHARS_MAX = 200
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def token_file(settings: Settings) -> Path:
    """Where the token of a data folder is kept."""
    folder = user_data_path("hindcast") if settings.is_postgres else Path(settings.store)
    return folder / FILE


def keep_token(file: Path) -> str:
    """The token in a file, made where there is none, or where others could have read it.

    A folder that cannot be written to, as on a full disk, keeps nothing: the token then lasts as long as the process.
    """
    kept = read_token(file)
    if kept:
        return kept
    made = PREFIX + secrets.token_hex(_BYTES)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        # Made beside it and put in its place: no reader meets half a token, and a link that was planted is replaced.
        part = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
                stream.write(made)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    return made


def read_token(file: Path) -> str:
    """The token in a file; empty where there is none that only its owner can read."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW)) as stream:
            is_private = not os.fstat(stream.fileno()).st_mode & _OTHERS
            text = stream.read(_CHARS_MAX).strip()
    except (OSError, ValueError):
        return ""
    return text if is_private and text.startswith(PREFIX) and text.isascii() else ""


def local_link(url: str, token: str, page: str = "/") -> str:
    """The link that opens a page in a browser at this machine."""
    return f"{url}{LOCAL}?{urlencode({'token': token} | ({'next': page} if page != '/' else {}))}"


def announce(port: int, file: Path) -> None:
    """Say which file proves somebody to the server on a port, for commands that only know its address."""
    with suppress(OSError):
        folder = _announcements()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / str(port)).write_text(str(file.resolve()))


def withdraw(port: int, file: Path) -> None:
    """Take it back, unless another server has the port meanwhile."""
    with suppress(OSError):
        entry = _announcements() / str(port)
        if entry.read_text() == str(file.resolve()):
            entry.unlink()


def find_token(url: str, settings: Settings) -> str:
    """What proves to a server of this machine that the caller is at it; empty for a server elsewhere."""
    port = local_port(url)
    if port is None:
        return ""
    with suppress(OSError, ValueError):
        announced = read_token(Path((_announcements() / str(port)).read_text()))
        if announced:
            return announced
    return read_token(token_file(settings))


def local_port(url: str) -> int | None:
    """The port of an address on this machine; None for any other."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if host != "localhost":
        try:
            is_local = ip_address(host).is_loopback
        except ValueError:
            is_local = False
        if not is_local:
            return None
    return port or (443 if parts.scheme == "https" else 80)


def _announcements() -> Path:
    return user_state_path("hindcast") / "servers"
