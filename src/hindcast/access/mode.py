"""When the local token opens this server: always, never, or until the first person is invited."""

from __future__ import annotations

from hindcast.access.recognition import is_loopback
from hindcast.model.errors import Malformed, Refused

MODES = ("auto", "required", "open")


def is_proof_required(auth: str, *, host: str, public_url: str) -> bool | None:
    """What the settings ask for; None where it depends on whether somebody was invited."""
    is_private = bool(host) and is_loopback(host) and not public_url
    if auth not in MODES:
        raise Malformed(f"{auth!r} is no way to let people in.", field="auth", remedy=f"Choose {', '.join(MODES)}.")
    if auth == "required" or (auth == "auto" and not is_private):
        return True
    if auth == "open":
        if not is_private:
            where = f"{public_url} leads to it" if public_url else f"it listens on {host or 'every address'}"
            raise Refused(
                f"Nobody would have to say who they are, and {where}.",
                field="auth",
                remedy="Set auth to required, or listen on 127.0.0.1 without a public_url.",
            )
        return False
    return None
