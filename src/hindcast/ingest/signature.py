"""Whether a webhook was sent by whom it says: the signatures of GitHub, PagerDuty and Sentry over the raw body.

All three are HMAC-SHA256 with a secret that both sides know. Digests are compared in constant time, so that nothing can
be learnt from how long a refusal takes. Check the bytes as they came, before anything has read or decoded them.
"""

from __future__ import annotations

import hashlib
import hmac

from hindcast.model.errors import Refused

GITHUB_HEADER = "X-Hub-Signature-256"
PAGERDUTY_HEADER = "X-PagerDuty-Signature"
SENTRY_HEADER = "Sentry-Hook-Signature"

# PagerDuty signs with each of an account's secrets while they are being changed; there are never more than a few.
SIGNATURES_MAX = 16


def check_github(secret: str, body: bytes, header: str | None) -> None:
    """Refuse a body that `X-Hub-Signature-256: sha256=…` does not sign."""
    _check(secret, body, header, name=GITHUB_HEADER, prefix="sha256=")


def check_pagerduty(secret: str, body: bytes, header: str | None) -> None:
    """Refuse a body that none of the signatures in `X-PagerDuty-Signature: v1=…,v1=…` signs."""
    _check(secret, body, header, name=PAGERDUTY_HEADER, prefix="v1=")


def check_sentry(secret: str, body: bytes, header: str | None) -> None:
    """Refuse a body that `Sentry-Hook-Signature` does not sign."""
    _check(secret, body, header, name=SENTRY_HEADER, prefix="")


def digest(secret: str, body: bytes) -> str:
    """What all three write behind their prefix."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _check(secret: str, body: bytes, header: str | None, *, name: str, prefix: str) -> None:
    if not secret:
        raise Refused(
            "There is no secret to check the signature with.",
            field=name,
            remedy="Set the secret that the sender signs with, or take the webhook without a signature.",
        )
    if not header:
        raise Refused(
            "The request is not signed.", field=name, remedy="Give the sender the secret that is configured here."
        )
    expected = digest(secret, body).encode()
    given = [part.strip() for part in header.split(",")[:SIGNATURES_MAX]]
    signed = [part.removeprefix(prefix).lower() for part in given if part.startswith(prefix)]
    # Every one is compared, so that the time taken does not tell which of them was near.
    matches = [hmac.compare_digest(expected, one.encode()) for one in signed]
    if not any(matches):
        raise Refused(
            "The signature does not fit the body.",
            field=name,
            remedy="Check that both sides have the same secret and that nothing in between changes the body.",
        )
