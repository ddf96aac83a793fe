"""Puts access together: accounts in the store, argon2 for passwords, the trail that is written every second."""

from __future__ import annotations

import os

from hindcast.access import Access, Office
from hindcast.access.mode import is_proof_required
from hindcast.adapters.accounts_sql import open_accounts_store
from hindcast.adapters.audit_trail import AuditTrail
from hindcast.adapters.clock import WallClock
from hindcast.adapters.passwords_argon2 import Argon2Passwords
from hindcast.config import Settings
from hindcast.config.local_token import keep_token, token_file
from hindcast.ports import Clock, Passwords


def open_accounts(
    settings: Settings, *, clock: Clock | None = None, passwords: Passwords | None = None, is_serving: bool = True
) -> Access:
    """Open who there is and what they may do. Serving makes sure that the space it works in is a project."""
    # Whoever opens the store and serves nobody is its operator; who may come in makes no difference then.
    required = check_auth(settings) if is_serving else False
    clock = clock or WallClock()
    accounts = open_accounts_store(settings.store)
    trail = AuditTrail(accounts, clock)
    office = Office(accounts, trail, clock, os.urandom, passwords or Argon2Passwords())
    # Where everybody has to say who they are, being at this machine proves nothing.
    token = keep_token(token_file(settings)) if is_serving and required is not True else ""
    access = Access(office, actor=settings.actor, is_proof_required=required, token=token)
    if is_serving or not access.projects.organisations(by=access.operator):
        access.begin(settings.space)
    if is_serving:
        trail.start()
    return access


def check_auth(settings: Settings) -> bool | None:
    """Whether everybody has to say who they are; None: as soon as somebody was invited. Raises Refused for no door."""
    return is_proof_required(settings.auth, host=settings.host, public_url=settings.public_url)


def public_url(settings: Settings) -> str:
    """How browsers reach it, as far as that is known."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = settings.host if settings.host not in ("", "0.0.0.0", "::") else "127.0.0.1"  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
