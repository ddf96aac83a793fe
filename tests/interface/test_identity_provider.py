"""Signing in with an identity provider: a real one over HTTP, honest at first, then wrong in every way that counts."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import RSAKey
from tests.identity_provider import CLIENT, SECRET, IdentityProvider, identity_provider
from tests.tenants import Tenants, tenants

from hindcast.model.access import Role
from hindcast.model.errors import Malformed, Refused, Unavailable
from hindcast.rest.oidc import Journey, Provider

ADDRESS = "https://hindcast.example.com"
COOKIE = "__Host-hindcast"
ANA = {"sub": "ana-1", "email": "ana@acme.example", "email_verified": True, "name": "Ana"}


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    """An identity provider."""
    with identity_provider() as made:
        yield made


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider) -> Iterator[Tenants]:
    """A Hindcast that people reach by https and sign in to with the provider."""
    with tenants(
        tmp_path_factory.mktemp("oidc"),
        public_url=ADDRESS,
        oidc_issuer=provider.url,
        oidc_client=CLIENT,
        oidc_secret=SECRET,
    ) as made:
        made.access.people.invite(
            "ana@acme.example", Role.RESPONDER, organisation="acme", project="payments", by=made.access.operator
        )
        yield made


@pytest.fixture(autouse=True)
def _honest(provider: IdentityProvider) -> None:
    provider.claims, provider.wrong, provider.forged_by, provider.is_down = dict(ANA), {}, None, False


def begin(here: Tenants) -> tuple[str, str]:
    """Where the browser is sent to, and the cookie that it takes along."""
    answer = here.client.get("/api/v1/session/provider")
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"], answer.headers["Set-Cookie"].partition(";")[0]


def come_back(here: Tenants, location: str, cookie: str) -> Any:
    """What the browser gets at the end of its way through the provider."""
    there = httpx.get(location, trust_env=False)
    back = urlsplit(there.headers["Location"])
    return here.client.get(f"{back.path}?{back.query}", headers={"Cookie": cookie})


def sign_in(here: Tenants) -> Any:
    """The whole way."""
    return come_back(here, *begin(here))


def test_somebody_invited_signs_in(here: Tenants, provider: IdentityProvider) -> None:
    """The way there asks for a code with PKCE, state and nonce; the way back ends on the front page, signed in."""
    location, cookie = begin(here)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
    answer = come_back(here, location, cookie)
    session = answer.headers["Set-Cookie"]

    assert (asked["response_type"], asked["code_challenge_method"], asked["client_id"]) == ("code", "S256", CLIENT)
    assert asked["redirect_uri"] == f"{ADDRESS}/api/v1/session/provider/callback"
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert session.startswith(f"{COOKIE}=hs_")
    assert all(part in session for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))
    told = here.client.get("/api/v1/session", headers={"Cookie": session.partition(";")[0]}).json()
    assert (told["actor"], told["spaces"][0]["permissions"]) == ("ana@acme.example", ["read", "record", "respond"])
    assert answer.headers["Strict-Transport-Security"]


def test_the_second_time_is_the_same_person(here: Tenants, provider: IdentityProvider) -> None:
    """Who comes again is known by what the provider calls them, also under another address."""
    sign_in(here)
    provider.claims["email"] = "ana.married@acme.example"
    answer = sign_in(here)

    assert answer.status_code == 303, answer.text
    told = here.client.get("/api/v1/session", headers={"Cookie": answer.headers["Set-Cookie"].partition(";")[0]})
    assert told.json()["actor"] == "ana@acme.example"


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "eve", "email": "eve@acme.example"},
        {"sub": "eve", "email": "owner@acme.example", "email_verified": False},
        {"sub": "eve", "email": "owner@acme.example", "email_verified": "true"},
    ],
)
def test_who_was_not_invited_stays_outside(
    here: Tenants, provider: IdentityProvider, claims: dict[str, Any]
) -> None:  # fmt: skip
    """An address that nobody invited, or that the provider has not verified, opens nothing."""
    provider.claims.update(claims)
    answer = sign_in(here)

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/refused")
    assert f"{COOKIE}=hs_" not in answer.headers.get("Set-Cookie", "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"iss": "https://other.example"},
        {"exp": 1},
        {"exp": None},
        {"iat": 99_999_999_999},
        {"sub": None},
    ],
)
def test_a_token_that_does_not_fit_is_refused(
    here: Tenants, provider: IdentityProvider, wrong: dict[str, Any]
) -> None:  # fmt: skip
    """Another sign-in's, another client's, another issuer's, an old and a future token all open nothing."""
    provider.wrong = wrong
    answer = sign_in(here)

    assert (answer.status_code, answer.json()["field"]) == (403, "id_token"), answer.text


def test_a_token_that_somebody_else_signed_is_refused(here: Tenants, provider: IdentityProvider) -> None:
    """A token counts only if the provider's own key has signed it."""
    provider.forged_by = RSAKey.generate_key(2048, {"kid": "one"})

    assert sign_in(here).json()["field"] == "id_token"


@pytest.mark.parametrize("cookie", ["", "a.b.c", "nonsense"])
def test_only_the_browser_that_began_can_finish(here: Tenants, provider: IdentityProvider, cookie: str) -> None:
    """Without the cookie of the beginning a code opens nothing: nobody is signed in by somebody else's link."""
    location, _ = begin(here)
    asked_before = len(provider.token_requests)
    answer = come_back(here, location, f"{COOKIE}-journey={cookie}")

    assert (answer.status_code, answer.json()["field"]) == (403, "state")
    assert len(provider.token_requests) == asked_before


def test_a_code_is_worth_nothing_without_its_verifier(here: Tenants, provider: IdentityProvider) -> None:
    """A code that was stolen on its way cannot be taken up in a sign-in that somebody else began."""
    victim, _ = begin(here)
    _, thief = begin(here)
    there = urlsplit(httpx.get(victim, trust_env=False).headers["Location"])
    code = parse_qs(there.query)["code"][0]
    state = thief.partition("=")[2].partition(".")[0]
    answer = here.client.get(f"{there.path}?code={code}&state={state}", headers={"Cookie": thief})

    assert (answer.status_code, answer.json()["field"]) == (403, "code")


def test_who_turns_back_is_told(here: Tenants) -> None:
    """Somebody who does not sign in at the provider comes back to a clear refusal."""
    answer = here.client.get("/api/v1/session/provider/callback?error=access_denied&state=x")

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/refused")


def test_an_address_that_is_not_in_the_token_is_asked_for(provider: IdentityProvider) -> None:
    """Providers that put no address into the token are asked who that is."""
    provider.claims = {"sub": "bo-2"}
    direct, journey = reached(provider), Journey.begin()
    there = httpx.get(direct.address(journey), trust_env=False).headers["Location"]
    code = parse_qs(urlsplit(there).query)["code"][0]
    identity = direct.identity(journey, state=journey.state, code=code)

    assert (identity.subject, identity.email, identity.is_verified) == ("bo-2", "told@acme.example", True)


def test_keys_may_change(provider: IdentityProvider) -> None:
    """When the provider signs with a new key, the new key is asked for, and old tokens of the old key end."""
    seconds = [0.0]
    direct = reached(provider, seconds)
    old = provider.key
    try:
        _identified(direct)
        provider.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        with pytest.raises(Refused):
            _identified(direct)
        seconds[0] += 31
        assert _identified(direct).subject == "ana-1"
    finally:
        provider.key = old


def test_a_provider_that_does_not_answer_is_told(provider: IdentityProvider) -> None:
    """What is wrong with the provider is said as such, and that there is another way in."""
    provider.is_down = True
    with pytest.raises(Unavailable) as told:
        reached(provider).address(Journey.begin())
    assert "password" in told.value.remedy


def test_an_issuer_has_to_be_who_it_says(provider: IdentityProvider) -> None:
    """A provider that calls itself something else than the setting is not the one that was meant."""
    provider.issuer = "https://other.example"
    try:
        with pytest.raises(Malformed, match=r"other\.example"):
            reached(provider).address(Journey.begin())
    finally:
        provider.issuer = ""


def test_without_the_extra_it_says_what_to_install(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Where the library for tokens is not installed, the error names the extra."""
    real = builtins.__import__

    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name.startswith("joserfc") and not provider_asks(named, arguments):
            raise ImportError(name)
        return real(name, *arguments, **named)

    direct = reached(provider)
    journey = Journey.begin()
    there = httpx.get(direct.address(journey), trust_env=False).headers["Location"]
    code = parse_qs(urlsplit(there).query)["code"][0]
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(Unavailable, match=r"hindcast\[oidc\]"):
        direct.identity(journey, state=journey.state, code=code)


def provider_asks(named: dict[str, Any], arguments: tuple[Any, ...]) -> bool:
    """Whether it is the provider in this test that imports, not Hindcast."""
    where = named.get("globals") or (arguments[0] if arguments else None) or {}
    return not str(where.get("__name__", "")).startswith("hindcast")


def reached(provider: IdentityProvider, seconds: list[float] | None = None) -> Provider:
    """A provider as Hindcast sees it, with a clock that is moved by hand."""
    clock = seconds or [0.0]
    return Provider(
        provider.url,
        CLIENT,
        SECRET,
        f"{ADDRESS}/back",
        lambda: httpx.Client(trust_env=False, timeout=10),
        seconds=lambda: clock[0],
    )


def _identified(direct: Provider) -> Any:
    journey = Journey.begin()
    there = httpx.get(direct.address(journey), trust_env=False).headers["Location"]
    return direct.identity(journey, state=journey.state, code=parse_qs(urlsplit(there).query)["code"][0])
