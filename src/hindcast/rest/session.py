"""Sessions for browsers: sign in, sign out, who am I; and the one-time links by which somebody becomes a member.

A session is a cookie that scripts cannot read and other sites cannot use. What changes something has to show the `csrf`
value as well, which only a page that could read our answers knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from urllib.parse import urlencode

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from hindcast.access import Access
from hindcast.access.secret import browser_secret
from hindcast.access.signing import SignedIn
from hindcast.config import Settings
from hindcast.config.local_token import LOCAL
from hindcast.model.access import Caller, CallerKind, Permission, Role
from hindcast.model.account import SESSION_AGE_MAX, Invitation, Purpose, Session
from hindcast.model.errors import Refused, Unidentified
from hindcast.rest.organisation import Email, Id, Password, Secret
from hindcast.rest.proof import SECURE_COOKIE, check_csrf, csrf_of, local_cookie
from hindcast.rest.seat import Doorkeeper, Somebody, doorkeeper_of, peer_of

# Nobody but the browser that asked may keep an answer with a secret in it.
NO_STORE = {"Cache-Control": "no-store"}
# A path of ours, and not an address of somebody else's.
_OWN_PATH = re.compile(r"/(?![/\\])[!-~]*")


class Credentials(BaseModel):
    """Who somebody says they are."""

    model_config = ConfigDict(extra="forbid")
    email: Email
    password: Password


class Acceptance(BaseModel):
    """What somebody who follows a one-time link chooses."""

    model_config = ConfigDict(extra="forbid")
    password: Password
    name: str = ""
    # Only the very first admin, whom nobody could invite by address.
    email: str = ""


class PasswordChange(BaseModel):
    """Another password."""

    model_config = ConfigDict(extra="forbid")
    old: Password
    new: Password


@dataclass(frozen=True, slots=True)
class SpaceSeen:
    """A space, and what the caller may do in it."""

    space: str
    permissions: tuple[Permission, ...]


@dataclass(frozen=True, slots=True)
class Presence:
    """Who the caller is to Hindcast."""

    kind: CallerKind
    id: str
    # How commits and the audit trail name the caller.
    actor: str
    # Where a request goes that names no space.
    space: str
    spaces: tuple[SpaceSeen, ...]
    # To be sent as X-Hindcast-CSRF with whatever changes something; empty where no cookie speaks for the caller.
    csrf: str


@dataclass(frozen=True, slots=True)
class Ways:
    """How one can sign in here."""

    # Whether the link that `hindcast serve` prints opens it.
    is_open: bool
    password: bool
    # Where a browser goes to sign in with the identity provider; empty where there is none.
    provider: str


@dataclass(frozen=True, slots=True)
class InvitationSeen:
    """What a one-time link is for."""

    purpose: Purpose
    email: str
    organisation: str
    project: str
    role: Role
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class SessionSeen:
    """A browser in which the caller is signed in."""

    id: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    peer: str


def add(app: FastAPI, access: Access, settings: Settings) -> None:
    """Add the routes."""
    _add_local(app, access)
    _add_signing(app, access, settings)
    _add_own(app, access)
    _add_invitations(app, access)


def _add_local(app: FastAPI, access: Access) -> None:
    @app.get(LOCAL, include_in_schema=False)
    def enter(request: Request, token: str = "", next: str = "/") -> Response:  # noqa: A002
        """Open the pages for a browser at this machine. A link that is wrong or old leads to the sign-in page."""
        doorkeeper = doorkeeper_of(request)
        page = next if _OWN_PATH.fullmatch(next) else "/"
        proof = replace(doorkeeper.proof(request), key=token or "-", session="", what=f"GET {LOCAL}")
        try:
            caller = access.caller(proof)
        except Unidentified:
            caller = None
        # A key opens no browser: it would stand in the browser's history.
        if caller is None or caller.kind is not CallerKind.LOCAL:
            return RedirectResponse(f"/sign-in?{urlencode({'next': page})}", 303, NO_STORE)
        response = RedirectResponse(page, 303, NO_STORE)
        # Without `secure`: the server listens on this machine only, and speaks HTTP.
        response.set_cookie(
            local_cookie(request),
            browser_secret(token),
            max_age=int(SESSION_AGE_MAX.total_seconds()),
            path="/",
            httponly=True,
            samesite="strict",
        )
        return response


def _add_signing(app: FastAPI, access: Access, settings: Settings) -> None:
    @app.post("/api/v1/session", tags=["session"], operation_id="session_begin")
    def sign_in(said: Credentials, request: Request, response: Response) -> Presence:
        """Sign in. The answer sets the cookie of the session."""
        return welcome(request, response, access.signing.sign_in(said.email, said.password, peer=peer_of(request)))

    @app.get("/api/v1/session", tags=["session"], operation_id="session_get")
    def who(caller: Somebody, request: Request, response: Response) -> Presence:
        """Who the caller is, which spaces there are for them, and what they may do there."""
        response.headers.update(NO_STORE)
        return _presence(doorkeeper_of(request), caller, doorkeeper_of(request).proof(request).session)

    @app.get("/api/v1/session/ways", tags=["session"], operation_id="session_ways")
    def ways() -> Ways:
        """How one can sign in here."""
        provider = "/api/v1/session/provider" if settings.oidc_issuer else ""
        return Ways(access.is_open, password=True, provider=provider)

    @app.delete("/api/v1/session", tags=["session"], operation_id="session_end", status_code=204)
    def sign_out(request: Request, response: Response) -> None:
        """Sign out, in this browser. Where nobody is signed in, there is nothing to do."""
        doorkeeper = doorkeeper_of(request)
        given = doorkeeper.proof(request).session
        # The cookie of a session that has ended can always be thrown away: its csrf value is told to nobody any more.
        if given and doorkeeper.is_recognised(request):
            check_csrf(request, given)
            access.signing.sign_out(given)
        is_secure = doorkeeper.cookie == SECURE_COOKIE
        response.delete_cookie(doorkeeper.cookie, path="/", secure=is_secure, httponly=True, samesite="lax")
        if local_cookie(request) in request.cookies:
            response.delete_cookie(local_cookie(request), path="/", httponly=True, samesite="strict")


def _add_own(app: FastAPI, access: Access) -> None:
    @app.put("/api/v1/session/password", tags=["session"], operation_id="password_change", status_code=204)
    def change_password(said: PasswordChange, caller: Somebody, request: Request) -> None:
        """Choose another password. Every other session of the caller ends."""
        access.signing.change_password(
            _person(caller), said.old, said.new, keep=doorkeeper_of(request).proof(request).session
        )

    @app.get("/api/v1/session/all", tags=["session"], operation_id="sessions_list")
    def sessions(caller: Somebody) -> tuple[SessionSeen, ...]:
        """Where the caller is signed in."""
        return tuple(_seen(one) for one in access.signing.sessions(_person(caller)))

    @app.delete("/api/v1/session/all/{session_id}", tags=["session"], operation_id="session_revoke", status_code=204)
    def end(session_id: Id, caller: Somebody) -> None:
        """Sign the caller out elsewhere."""
        access.signing.end(_person(caller), session_id)


def _add_invitations(app: FastAPI, access: Access) -> None:
    @app.get("/api/v1/invitations/{token}", tags=["session"], operation_id="invitation_get")
    def show(token: Secret, response: Response) -> InvitationSeen:
        """What a one-time link is for."""
        response.headers.update(NO_STORE)
        return _invited(access.signing.invitation(token))

    @app.post("/api/v1/invitations/{token}", tags=["session"], operation_id="invitation_accept")
    def accept(token: Secret, said: Acceptance, request: Request, response: Response) -> Presence:
        """Follow a one-time link: choose a password, and be signed in."""
        made = access.signing.accept(
            token, password=said.password, name=said.name, email=said.email, peer=peer_of(request)
        )
        return welcome(request, response, made)


def welcome(connection: HTTPConnection, response: Response, made: SignedIn) -> Presence:
    """Give somebody who signed in their cookie, and tell them who they are."""
    doorkeeper = doorkeeper_of(connection)
    response.headers.update(NO_STORE)
    set_cookie(response, doorkeeper, made)
    return _presence(doorkeeper, made.caller, made.secret)


def set_cookie(response: Response, doorkeeper: Doorkeeper, made: SignedIn) -> None:
    """The cookie of a session: for this host, for no script, and not sent along by other sites' forms."""
    samesite: Literal["lax"] = "lax"
    response.set_cookie(
        doorkeeper.cookie,
        made.secret,
        max_age=int(SESSION_AGE_MAX.total_seconds()),
        path="/",
        secure=doorkeeper.cookie == SECURE_COOKIE,
        httponly=True,
        samesite=samesite,
    )


def _presence(doorkeeper: Doorkeeper, caller: Caller, session: str) -> Presence:
    names = [project.space for project in doorkeeper.access.spaces_of(caller)]
    if caller.kind is CallerKind.LOCAL and doorkeeper.space not in names:
        names.append(doorkeeper.space)
    spaces = tuple(SpaceSeen(name, tuple(sorted(caller.permissions_in(name)))) for name in sorted(names))
    default = doorkeeper.space_for(caller)
    return Presence(caller.kind, caller.id, caller.actor, default, spaces, csrf_of(session) if session else "")


def _person(caller: Caller) -> Caller:
    if caller.kind is not CallerKind.PERSON:
        raise Refused(
            "Only somebody who signed in has sessions.", field="session", remedy="POST /api/v1/session first."
        )
    return caller


def _seen(one: Session) -> SessionSeen:
    return SessionSeen(one.id, one.created_at, one.last_seen_at, one.expires_at, one.peer)


def _invited(one: Invitation) -> InvitationSeen:
    return InvitationSeen(one.purpose, one.email, one.organisation, one.project, one.role, one.expires_at)
