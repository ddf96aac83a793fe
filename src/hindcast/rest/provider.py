"""The two routes of signing in with an identity provider: there, and back."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hindcast.access import Access
from hindcast.build.provider import provider_client
from hindcast.config import Settings
from hindcast.model.errors import Missing, Refused
from hindcast.rest.oidc import Journey, Provider
from hindcast.rest.proof import SECURE_COOKIE
from hindcast.rest.seat import doorkeeper_of, peer_of
from hindcast.rest.session import NO_STORE, set_cookie

JOURNEY = "-journey"
JOURNEY_SECONDS_MAX = 600
BACK = "/api/v1/session/provider/callback"
Answered = Annotated[str, Query(max_length=4_000)]


def add(app: FastAPI, access: Access, settings: Settings) -> None:
    """Add the routes. Where no provider is set up, they say so."""
    address = (settings.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")
    provider = Provider(
        settings.oidc_issuer,
        settings.oidc_client,
        settings.oidc_secret,
        f"{address}{BACK}",
        lambda: provider_client(settings),
    )

    def chosen() -> Provider:
        if not provider.issuer or not provider.client:
            raise Missing(
                "No identity provider is set up here.",
                field="oidc_issuer",
                remedy="Sign in with a password, or set oidc_issuer and oidc_client.",
            )
        return provider

    @app.get(
        "/api/v1/session/provider",
        tags=["session"],
        operation_id="session_provider",
        status_code=303,
        response_class=RedirectResponse,
    )
    def go(request: Request) -> Response:
        """Send a browser to the identity provider to sign in there."""
        journey = Journey.begin()
        response = RedirectResponse(chosen().address(journey), 303, NO_STORE)
        cookie = doorkeeper_of(request).cookie
        response.set_cookie(
            cookie + JOURNEY,
            journey.cookie,
            max_age=JOURNEY_SECONDS_MAX,
            path="/",
            secure=cookie == SECURE_COOKIE,
            httponly=True,
            samesite="lax",
        )
        return response

    @app.get(
        BACK,
        tags=["session"],
        operation_id="session_provider_callback",
        status_code=303,
        response_class=RedirectResponse,
    )
    def back(request: Request, state: Answered = "", code: Answered = "", error: Answered = "") -> Response:
        """Where the provider sends the browser back to; it goes on to the front page, signed in."""
        doorkeeper = doorkeeper_of(request)
        if error or not code:
            raise Refused(
                f"The identity provider let nobody in: {error[:100]!r}.", field="code", remedy="Begin to sign in again."
            )
        journey = Journey.read(request.cookies.get(doorkeeper.cookie + JOURNEY, ""))
        identity = chosen().identity(journey, state=state, code=code)
        made = access.signing.sign_in_by_provider(identity, peer=peer_of(request))
        response = RedirectResponse("/", 303, NO_STORE)
        set_cookie(response, doorkeeper, made)
        response.delete_cookie(doorkeeper.cookie + JOURNEY, path="/", httponly=True, samesite="lax")
        return response
