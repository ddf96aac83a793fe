"""Signatures of webhooks: the right one passes, and nothing else does."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

import pytest

from hindcast.ingest.signature import check_github, check_pagerduty, check_sentry
from hindcast.model.errors import Refused

Check = Callable[[str, bytes, str | None], None]

BODY = b'{"action": "created"}'
# Computed once with another implementation: openssl dgst -sha256 -hmac "It's a Secret to Everybody".
GITHUB_EXAMPLE = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def signed(secret: str, body: bytes = BODY) -> str:
    """What the sender writes into its header."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_the_documented_example_passes() -> None:
    """GitHub's own example of secret, body and signature is accepted."""
    check_github("It's a Secret to Everybody", b"Hello, World!", f"sha256={GITHUB_EXAMPLE}")


@pytest.mark.parametrize(("check", "prefix"), [(check_github, "sha256="), (check_pagerduty, "v1="), (check_sentry, "")])
def test_the_right_signature_passes(check: Check, prefix: str) -> None:
    """Each sender's way of writing its signature is understood, in upper case too."""
    check("s3cret", BODY, prefix + signed("s3cret"))
    check("s3cret", BODY, prefix + signed("s3cret").upper())
    check("clé", BODY, prefix + signed("clé"))


def test_any_of_several_signatures_passes() -> None:
    """While PagerDuty's secrets are being changed it signs with each, and one that fits is enough."""
    check_pagerduty("new", BODY, f"v1={signed('old')},v1={signed('new')}")
    check_pagerduty("new", BODY, f"v1={signed('new')}, v2=something, v1={signed('old')}")


@pytest.mark.parametrize(("check", "prefix"), [(check_github, "sha256="), (check_pagerduty, "v1="), (check_sentry, "")])
@pytest.mark.parametrize(
    "header",
    [None, "", "nonsense", "{right}x", "{other}", "sha1={right}", "v0={right}", "é", "{prefix}", "{prefix},{prefix}"],
)
def test_a_wrong_signature_is_refused(check: Check, prefix: str, header: str | None) -> None:
    """What is absent, cut, made with another secret or written in another way is refused with the header's name."""
    given = header and header.format(right=prefix + signed("s3cret"), other=prefix + signed("other"), prefix=prefix)

    with pytest.raises(Refused) as caught:
        check("s3cret", BODY, given)

    assert (caught.value.field or "").endswith(("Signature", "Signature-256"))
    assert caught.value.remedy


@pytest.mark.parametrize("check", [check_github, check_pagerduty, check_sentry])
def test_another_body_is_refused(check: Check) -> None:
    """A signature signs one body, byte for byte."""
    header = signed("s3cret")

    with pytest.raises(Refused):
        check("s3cret", BODY + b" ", f"sha256={header}" if check is check_github else f"v1={header}")


@pytest.mark.parametrize("check", [check_github, check_pagerduty, check_sentry])
def test_no_secret_lets_nobody_in(check: Check) -> None:
    """An empty secret, which anybody could sign with, is refused rather than used."""
    with pytest.raises(Refused, match="no secret"):
        check("", BODY, f"sha256={signed('')}")
