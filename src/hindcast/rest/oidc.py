"""Signing in with an identity provider: OpenID Connect, authorization code with PKCE, state and nonce.

What a sign-in under way needs to be finished (state, nonce, verifier) travels in a cookie of the browser that began it,
so that nobody can finish it in another one. Whether somebody may come in is decided by who was invited, not here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from hindcast.access.signing import Identity
from hindcast.model.errors import HindcastError, Malformed, Refused, Unavailable

if TYPE_CHECKING:
    # Whoever hands over a client has loaded it. A server without a provider never does.
    import httpx

SCOPES = "openid email profile"
# Signed by the provider's private key; "none" and shared secrets are not proofs of who signed.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
# How far the provider's clock may be off.
LEEWAY_SECONDS = 60
# Providers change their keys now and then; an unknown key is looked for at once, but no more often than this.
KNOWN_SECONDS_MAX = 3_600
LOOK_AGAIN_SECONDS_MIN = 30
ANSWER_BYTES_MAX = 1_048_576


@dataclass(frozen=True, slots=True)
class Journey:
    """A sign-in under way: what the browser has to bring back."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def begin(cls) -> Journey:
        """A new one."""
        return cls(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48))

    @classmethod
    def read(cls, cookie: str) -> Journey:
        """The one that a cookie holds."""
        parts = cookie.split(".")
        if len(parts) != 3 or not all(parts):
            raise Refused(
                "This browser did not begin to sign in, or too long ago.",
                field="state",
                remedy="Begin to sign in again.",
            )
        return cls(*parts)

    @property
    def cookie(self) -> str:
        """As a cookie holds it."""
        return f"{self.state}.{self.nonce}.{self.verifier}"

    @property
    def challenge(self) -> str:
        """What the provider is told of the verifier before it sees it."""
        return _base64url(hashlib.sha256(self.verifier.encode()).digest())


@dataclass(slots=True)
class _Known:
    """What the provider has said about itself."""

    document: Mapping[str, Any]
    keys: Mapping[str, Any]
    at_seconds: float


@dataclass(slots=True)
class Provider:
    """One identity provider."""

    issuer: str
    client: str
    secret: str
    # Where the provider sends the browser back to.
    redirect: str
    open: Callable[[], httpx.Client]
    seconds: Callable[[], float] = time.monotonic
    epoch: Callable[[], float] = time.time
    _known: _Known | None = None
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def address(self, journey: Journey) -> str:
        """Where a browser goes to sign in."""
        endpoint = str(self._about().document["authorization_endpoint"])
        asked = {
            "response_type": "code",
            "client_id": self.client,
            "redirect_uri": self.redirect,
            "scope": SCOPES,
            "state": journey.state,
            "nonce": journey.nonce,
            "code_challenge": journey.challenge,
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    def identity(self, journey: Journey, *, state: str, code: str) -> Identity:
        """Who came back from the provider. Raises Refused unless everything fits."""
        if not hmac.compare_digest(state.encode(), journey.state.encode()):
            raise Refused("The answer belongs to another sign-in.", field="state", remedy="Begin to sign in again.")
        with self.open() as client:
            tokens = self._tokens(client, journey, code)
            claims = self._claims(str(tokens.get("id_token", "")), journey.nonce)
            if not claims.get("email"):
                claims = {**claims, **self._asked(client, tokens, str(claims["sub"]))}
        return Identity(
            issuer=self.issuer,
            subject=str(claims["sub"]),
            email=str(claims.get("email", "")),
            is_verified=claims.get("email_verified") is True,
            name=str(claims.get("name", "")),
        )

    def _tokens(self, client: httpx.Client, journey: Journey, code: str) -> Mapping[str, Any]:
        import httpx

        document = self._about().document
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": journey.verifier,
        }
        ways = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        basic = None
        if self.secret and "client_secret_basic" in ways:
            basic = httpx.BasicAuth(self.client, self.secret)
        else:
            form |= {"client_id": self.client, **({"client_secret": self.secret} if self.secret else {})}
        return _told(
            lambda: client.post(str(document["token_endpoint"]), data=form, auth=basic or httpx.USE_CLIENT_DEFAULT)
        )

    def _asked(self, client: httpx.Client, tokens: Mapping[str, Any], subject: str) -> Mapping[str, Any]:
        """What the provider says about somebody when it is asked; some put no address into the token."""
        endpoint = self._about().document.get("userinfo_endpoint")
        if not endpoint:
            return {}
        headers = {"Authorization": f"Bearer {tokens.get('access_token', '')}"}
        told = _told(lambda: client.get(str(endpoint), headers=headers))
        if told.get("sub") != subject:
            raise _untrusted("it speaks of somebody else")
        return {name: told[name] for name in ("email", "email_verified", "name") if name in told}

    def _claims(self, token: str, nonce: str) -> Mapping[str, Any]:
        """What the provider says in a token that it signed, for us, now, in answer to this very sign-in."""
        jwt, keys_of, JoseError = _joserfc()  # noqa: N806
        try:
            try:
                found = jwt.decode(token, keys_of(self._about().keys), algorithms=ALGORITHMS)
            except (JoseError, ValueError):
                # Its keys may have changed since.
                found = jwt.decode(token, keys_of(self._about(is_changed=True).keys), algorithms=ALGORITHMS)
            jwt.JWTClaimsRegistry(
                now=int(self.epoch()),
                leeway=LEEWAY_SECONDS,
                iss={"essential": True, "value": self.issuer},
                aud={"essential": True, "value": self.client},
                sub={"essential": True},
                exp={"essential": True},
                iat={"essential": True},
                nonce={"essential": True, "value": nonce},
            ).validate(found.claims)
        except (JoseError, ValueError) as error:
            raise _untrusted(str(error)[:200]) from error
        claims: Mapping[str, Any] = found.claims
        if claims.get("azp", self.client) != self.client:
            raise _untrusted("the token is for another client")
        return claims

    def _about(self, *, is_changed: bool = False) -> _Known:
        """What the provider says about itself, asked again when it is old, or may have changed."""
        with self._turn:
            now, known = self.seconds(), self._known
            age_max = LOOK_AGAIN_SECONDS_MIN if is_changed else KNOWN_SECONDS_MAX
            if known is None or now - known.at_seconds > age_max:
                with self.open() as client:
                    address = f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
                    document = _told(lambda: client.get(address))
                    if document.get("issuer") != self.issuer:
                        raise Malformed(
                            f"The provider calls itself {str(document.get('issuer'))[:200]!r}.",
                            field="oidc_issuer",
                            remedy="Set oidc_issuer to exactly that, if it is the provider you mean.",
                        )
                    wanted = ("authorization_endpoint", "token_endpoint", "jwks_uri")
                    if any(not isinstance(document.get(name), str) for name in wanted):
                        raise _unanswered("it does not say where its endpoints are")
                    keys = _told(lambda: client.get(str(document["jwks_uri"])))
                self._known = known = _Known(document, keys, now)
            return known


def _joserfc() -> tuple[Any, Callable[[Mapping[str, Any]], Any], type[Exception]]:
    try:
        # An extra: most installations need no identity provider.
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet
    except ImportError as error:
        raise Unavailable(
            "Signing in with an identity provider is not installed.", remedy="pip install 'hindcast[oidc]'"
        ) from error

    def keys_of(document: Mapping[str, Any]) -> Any:  # noqa: ANN401
        return KeySet.import_key_set(dict(document))  # type: ignore[arg-type]

    return jwt, keys_of, JoseError


def _told(ask: Callable[[], httpx.Response]) -> Mapping[str, Any]:
    """A JSON object that the provider answers with."""
    import httpx

    try:
        response = ask()
        is_refused = response.status_code in (400, 401, 403)
        document = response.json() if len(response.content) <= ANSWER_BYTES_MAX else None
    except (httpx.HTTPError, ValueError) as error:
        raise _unanswered(type(error).__name__) from error
    if is_refused:
        said = document.get("error") if isinstance(document, Mapping) else ""
        raise Refused(
            f"The identity provider refused: {str(said)[:100]!r}.", field="code", remedy="Begin to sign in again."
        )
    if response.status_code != 200 or not isinstance(document, Mapping):
        raise _unanswered(f"status {response.status_code}")
    return document


def _unanswered(why: str) -> HindcastError:
    return Unavailable(
        f"The identity provider does not answer as it should: {why}.",
        field="oidc_issuer",
        remedy="Try again; if it stays so, check oidc_issuer, or sign in with a password.",
    )


def _untrusted(why: str) -> HindcastError:
    return Refused(
        f"What the identity provider said cannot be trusted: {why}.", field="id_token", remedy="Begin to sign in again."
    )


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
