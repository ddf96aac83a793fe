"""Secrets that Hindcast hands out: keys, session cookies, one-time links. Each is shown once and kept as a digest.

A secret has 256 bits that nobody can guess, so a fast digest is enough to keep: there is nothing to try through.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from hashlib import sha256

from hindcast.model.access import Power
from hindcast.model.account import Credential
from hindcast.ports import Entropy

ID_BYTES = 6
SECRET_BYTES = 32
SALT_BYTES = 16

KEY, SESSION, INVITATION = "key", "session", "invitation"
_PREFIXES = {KEY: "hc", SESSION: "hs", INVITATION: "hi"}
_POWER = f"(?:{'|'.join(Power)})_"
_REST = rf"([0-9a-f]{{{2 * ID_BYTES}}})_[0-9a-f]{{{2 * SECRET_BYTES}}}"
_FORMS = {what: re.compile(f"{prefix}_{_POWER if what == KEY else ''}{_REST}") for what, prefix in _PREFIXES.items()}


@dataclass(frozen=True, slots=True)
class Made:
    """A new secret: its id, the text that is shown once, and what is kept of it."""

    id: str
    text: str
    credential: Credential


def new_id(entropy: Entropy) -> str:
    """An id that nobody else has."""
    return entropy(ID_BYTES).hex()


def make(what: str, entropy: Entropy, *, power: Power | None = None) -> Made:
    """A secret of a kind; a key says by itself what it is for, so that one in the wrong place is noticed."""
    made = new_id(entropy)
    middle = f"{power}_" if power is not None else ""
    text = f"{_PREFIXES[what]}_{middle}{made}_{entropy(SECRET_BYTES).hex()}"
    return Made(made, text, Credential(owner(what, made), digest(text)))


def browser_secret(token: str) -> str:
    """What the cookie of a browser holds that was opened with the token of this machine: not the token itself."""
    return f"hl_{hmac.new(token.encode(), b'browser', 'sha256').hexdigest()}"


def id_of(what: str, text: str) -> str | None:
    """The id in a secret of a kind, or None where the text is no such secret."""
    found = _FORMS[what].fullmatch(text)
    return found[1] if found else None


def owner(what: str, id_: str) -> str:
    """The name under which a credential is kept."""
    return f"{what} {id_}"


def digest(text: str) -> str:
    """What is kept of a secret."""
    # What came in may be no text at all; it is nobody's secret then, and no reason to fail.
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def is_proof(text: str, credential: Credential | None) -> bool:
    """Whether a secret is the one whose digest is kept, in a time that says nothing about where it differs."""
    return credential is not None and hmac.compare_digest(digest(text), credential.kept)
