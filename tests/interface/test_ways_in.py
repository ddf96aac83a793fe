"""What every way in refuses before it reads: a space that would be passed over, and a body that is not signed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.resting import Resting, resting

from hindcast.build.provider import provider_client
from hindcast.config import Settings
from hindcast.ingest import signature
from hindcast.model.errors import Refused

SECRET = "between us"
LINE = b'{"message": "a line"}'
EVENT = {
    "deployment": {"id": 7, "sha": "8f3c2e1d90aa", "ref": "main", "environment": "production"},
    "deployment_status": {"state": "success"},
    "repository": {"full_name": "shop/payment", "name": "payment"},
}
BODY = json.dumps(EVENT).encode()
GITHUB = {"X-GitHub-Event": "deployment_status", "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast that checks what GitHub signs."""
    with resting(tmp_path_factory.mktemp("ways"), github_secret=SECRET) as made:
        yield made


def signed(body: bytes, **more: str) -> dict[str, str]:
    """The headers of a delivery whose bytes are signed as they are sent."""
    return {**GITHUB, signature.GITHUB_HEADER: f"sha256={signature.digest(SECRET, body)}", **more}


@pytest.mark.parametrize("path", ["/v1/logs", "/_bulk", "/loki/api/v1/push", "/api/v1/lines", "/webhooks/grafana"])
def test_a_space_in_the_address_is_refused_and_not_passed_over(hindcast: Resting, path: str) -> None:
    """Records whose sender names a space where no way in reads it do not land in another one."""
    answer = hindcast.client.post(f"{path}?space=acme/hr", content=LINE)

    assert answer.status_code == 400
    assert "space" in answer.text


@pytest.mark.parametrize("path", ["/v1/logs", "/_bulk", "/loki/api/v1/push", "/api/v1/lines", "/webhooks/grafana"])
@pytest.mark.parametrize("second", ["local", "other"])
def test_two_spaces_are_refused_by_ways_in(hindcast: Resting, path: str, second: str) -> None:
    """A sender that names its space twice is not understood, even if it names the same one."""
    headers = [("X-Hindcast-Space", "local"), ("X-Hindcast-Space", second)]

    assert hindcast.client.post(path, content=LINE, headers=headers).status_code == 400


@pytest.mark.parametrize("path", ["/api/v1/incidents", "/api/v1/live", "/mcp"])
def test_two_spaces_are_refused_by_the_api(hindcast: Resting, path: str) -> None:
    """The same holds for whoever reads, in headers and in the address."""
    headers = [("X-Hindcast-Space", "local"), ("X-Hindcast-Space", "other")]

    assert hindcast.client.get(path, headers=headers).status_code == 400
    assert hindcast.client.get(f"{path}?space=local&space=other").status_code == 400


def test_a_signature_is_over_the_bytes_as_they_came(hindcast: Resting) -> None:
    """What is packed is signed packed; a signature over what would come out of it counts for nothing."""
    packed = gzip.compress(BODY)
    post = hindcast.client.post
    gzipped = {"Content-Encoding": "gzip"}

    assert post("/webhooks/github", content=packed, headers=signed(packed, **gzipped)).status_code == 200
    assert post("/webhooks/github", content=packed, headers=signed(BODY, **gzipped)).status_code == 403
    assert post("/webhooks/github", content=BODY, headers=signed(BODY)).status_code == 200


def test_what_is_not_signed_is_not_unpacked(hindcast: Resting) -> None:
    """A body that cannot be unpacked is refused for its signature: nobody has looked into it."""
    answer = hindcast.client.post(
        "/webhooks/github", content=b"no gzip", headers={**GITHUB, "Content-Encoding": "gzip"}
    )

    assert answer.status_code == 403


def test_a_delivery_that_is_sent_again_counts_once(hindcast: Resting) -> None:
    """The id of a delivery is not signed: with another one the same body is still the same change."""
    body = json.dumps({**EVENT, "repository": {"full_name": "shop/again", "name": "again"}}).encode()
    for number in range(3):
        headers = signed(body, **{"X-GitHub-Delivery": f"made-up-{number}"})
        assert hindcast.client.post("/webhooks/github", content=body, headers=headers).status_code == 200

    assert len(hindcast.get("/api/v1/changes", "local", service="again")["items"]) == 1


def test_a_provider_cannot_name_this_machine(tmp_path: Path) -> None:
    """Addresses in a provider's own document lead to this machine only where the issuer itself is on it."""
    elsewhere = Settings(store=str(tmp_path), oidc_issuer="https://192.0.2.1", outbound_allow="192.0.2.1")
    for url in ("http://127.0.0.1:9/keys", "http://127.0.0.2:9/keys", "http://[::1]:9/keys", "http://localhost:9/keys"):
        with provider_client(elsewhere) as client, pytest.raises(Refused):
            client.get(url)
