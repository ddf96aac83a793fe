"""How Hindcast talks to an identity provider: through the guard of every address that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hindcast.access.recognition import is_loopback
from hindcast.config import Settings

if TYPE_CHECKING:
    import httpx

# Somebody waits in front of a browser.
PROVIDER_SECONDS_MAX = 10.0


def provider_client(settings: Settings) -> httpx.Client:
    """A client for the provider that the settings name."""
    # Imported here: a server without a provider calls nobody, and needs nothing to call with.
    import httpx

    from hindcast.adapters.outbound import Outbound, transport

    outside = Outbound.allowing(settings.outbound_allow)
    guard = outside.for_setting()
    guard.check(settings.oidc_issuer, field="oidc_issuer")
    # The issuer is a setting; the addresses in its document are its own words. They may name this machine only where
    # the issuer is on it.
    if not is_loopback(httpx.URL(settings.oidc_issuer).host):
        guard = outside
    return httpx.Client(transport=transport(guard), timeout=PROVIDER_SECONDS_MAX, follow_redirects=False)
