"""A Hindcast for several organisations, in this process, with somebody of every kind: for tests of who may do what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tests.serving import AtThisMachine, wait_for

from hindcast.access import Access
from hindcast.adapters.clock import WallClock
from hindcast.adapters.passwords_argon2 import Argon2Passwords
from hindcast.build.accounts import open_accounts
from hindcast.build.running import open_app
from hindcast.config import Settings
from hindcast.model.access import Power, Role
from hindcast.rest import create_app
from hindcast.rest.proof import COOKIE, CSRF_HEADER, csrf_of

OWN = "acme/payments"
# Of another organisation, and there; of the same one, and not.
FOREIGN = "globex/secrets"
NOWHERE = "globex/nothing"
PASSWORD = "correct horse battery staple"
# The real thing at its least cost: what is tried here is not how hard a password is to guess.
PASSWORDS = Argon2Passwords(PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
# A name of this machine, and an address of it.
HERE = {"base_url": "http://127.0.0.1", "client": ("127.0.0.1", 50_000)}


@dataclass(frozen=True)
class Tenants:
    """The application, and what each kind of caller sends to say who they are."""

    app: FastAPI
    access: Access
    client: TestClient
    # By name: "viewer" … "admin" (of the project), "owner" (of the organisation), "key ingest" …, and those at an end.
    callers: Mapping[str, Mapping[str, str]]


def settings_in(folder: Path, **settings: str | int) -> Settings:
    """Settings of a store in a folder."""
    return replace(Settings(store=str(folder / "store"), model="none", actor="test"), **settings)  # type: ignore[arg-type]


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[FastAPI, Access, TestClient]]:
    """A Hindcast in this process, from start to end."""
    access = open_accounts(settings, passwords=PASSWORDS)
    app = create_app(open_app(settings), settings, access)
    with TestClient(app, **HERE, follow_redirects=False) as client:  # type: ignore[arg-type]
        client.auth = AtThisMachine(lambda: access.token)
        yield app, access, client


@contextmanager
def tenants(folder: Path, **settings: str | int) -> Iterator[Tenants]:
    """Two organisations, where everybody has to say who they are."""
    with opened(settings_in(folder, auth="required", **settings)) as (app, access, client):
        by = access.operator
        for organisation, project in (("acme", "payments"), ("globex", "secrets")):
            access.projects.add_organisation(organisation, by=by)
            access.projects.create(organisation, project, by=by)
        # The first who comes has to be an admin of everything.
        callers = {"owner": _person(access, "owner@acme.example", Role.ADMIN, "")}
        callers |= {str(role): _person(access, f"{role}@acme.example", role, "payments") for role in Role}
        for power in Power:
            callers[f"key {power}"] = _key(access, power)
        yield Tenants(app, access, client, callers | _over(access))


def cookie(secret: str) -> dict[str, str]:
    """What a page of ours sends for somebody who signed in."""
    return {"Cookie": f"{COOKIE}={secret}", CSRF_HEADER: csrf_of(secret)}


def bearer(secret: str) -> dict[str, str]:
    """What a program sends."""
    return {"Authorization": f"Bearer {secret}"}


def _person(access: Access, email: str, role: Role, project: str) -> dict[str, str]:
    made = access.people.invite(email, role, organisation="acme", project=project, by=access.operator)
    signed = access.signing.accept(made.secret, password=PASSWORD, name=email, peer="")
    return cookie(signed.secret)


def _key(access: Access, power: Power, name: str = "") -> dict[str, str]:
    made = access.keys.create(
        name or f"a key to {power}", power, organisation="acme", project="payments", by=access.operator
    )
    return bearer(made.secret)


def _over(access: Access) -> dict[str, dict[str, str]]:
    """Callers whose proof is none, or none any more."""
    by = access.operator
    soon = WallClock().now() + timedelta(milliseconds=50)
    expired = access.keys.create(
        "expired", Power.WRITE, organisation="acme", project="payments", expires_at=soon, by=by
    )
    revoked = access.keys.create("revoked", Power.WRITE, organisation="acme", project="payments", by=by)
    access.keys.revoke(revoked.key.id, by=by)
    left = access.people.invite("left@acme.example", Role.ADMIN, organisation="acme", by=by)
    signed = access.signing.accept(left.secret, password=PASSWORD, name="left", peer="")
    access.signing.sign_out(signed.secret)
    wait_for(lambda: WallClock().now() > soon, what="the key to expire")
    forged = revoked.secret[:-4] + "0000"
    return {
        "nobody": {},
        "expired": bearer(expired.secret),
        "revoked": bearer(revoked.secret),
        "signed out": cookie(signed.secret),
        "forged": bearer(forged),
        "garbage": bearer("hc_write_x"),
    }
