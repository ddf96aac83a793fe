"""How a client on the same machine as the server proves it: by the token in the server's data folder."""

from __future__ import annotations

from pathlib import Path

import httpx
from platformdirs import user_state_path

PREFIX = "ht_"
_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_CHARS_MAX = 200


def token_for(url: httpx.URL) -> str:
    """The token of the server that listens at an address of this machine; empty where there is none to be found.

    A running server says in the user's state folder which file holds it (`hindcast.config.local_token` writes it).
    """
    if url.host not in _HOSTS:
        return ""
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        file = Path((user_state_path("hindcast") / "servers" / str(port)).read_text())
        token = file.read_text()[:_CHARS_MAX].strip()
    except (OSError, ValueError):
        return ""
    return token if token.startswith(PREFIX) and token.isascii() and token.isprintable() else ""
