"""A small identity provider that speaks OpenID Connect over HTTP, with signed tokens, and can be told to misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT, SECRET = "hindcast-client", "a secret of the client"


@dataclass
class IdentityProvider:
    """What it says, to whom, and how it is wrong."""

    url: str
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}))
    # Who signs in next.
    claims: dict[str, Any] = field(default_factory=dict)
    # What is to be wrong: replaces claims of the token, or its signing key.
    wrong: dict[str, Any] = field(default_factory=dict)
    forged_by: RSAKey | None = None
    issuer: str = ""
    # What it knows of each code that it gave out.
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    token_requests: list[dict[str, str]] = field(default_factory=list)
    is_down: bool = False

    def document(self) -> dict[str, Any]:
        """What it says about itself."""
        return {
            "issuer": self.issuer or self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def authorised(self, asked: Mapping[str, str]) -> str:
        """Where the browser goes after somebody signed in."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = dict(asked)
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def tokens(self, form: Mapping[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The tokens for a code, if everything fits that has to."""
        self.token_requests.append(dict(form))
        asked = self.codes.pop(form.get("code", ""), None)
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        given = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(given).decode().rstrip("=")
        if asked is None or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if authorization != f"Basic {expected}":
            return 401, {"error": "invalid_client"}
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"], **self.claims}
        claims = {name: value for name, value in {**claims, **self.wrong}.items() if value is not None}
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.forged_by or self.key)
        return 200, {"id_token": token, "access_token": "an access token", "token_type": "Bearer"}


def _handler(provider: IdentityProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if provider.is_down:
                self._answer(500, {})
            elif parts.path == "/.well-known/openid-configuration":
                self._answer(200, provider.document())
            elif parts.path == "/keys":
                self._answer(200, KeySet([provider.key]).as_dict(private=False))
            elif parts.path == "/userinfo":
                self._answer(200, {"sub": provider.claims["sub"], "email": "told@acme.example", "email_verified": True})
            elif parts.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorised(asked))
                self.end_headers()
            else:
                self._answer(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(*provider.tokens(form, self.headers.get("Authorization", "")))

        def _answer(self, status: int, document: Mapping[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    return Handler


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    """One that runs, on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    provider = IdentityProvider(f"http://127.0.0.1:{server.server_address[1]}")
    server.RequestHandlerClass = _handler(provider)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
