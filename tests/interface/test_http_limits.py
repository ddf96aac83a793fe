"""How often one caller may ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.tenants import Tenants, bearer, tenants

from hindcast.model.access import Power


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A Hindcast that serves each caller five requests in a minute."""
    with tenants(tmp_path_factory.mktemp("limited"), requests_per_minute=5) as made:
        yield made


def test_a_caller_that_asks_too_often_is_told_to_wait(limited: Tenants) -> None:
    """The sixth request within a minute is refused with the time to wait; others are served as before."""
    viewer, responder = limited.callers["viewer"], limited.callers["responder"]
    answers = [limited.client.get("/api/v1/session", headers=viewer) for _ in range(6)]

    assert [one.status_code for one in answers] == [200] * 5 + [429]
    assert [one.headers["RateLimit-Remaining"] for one in answers] == ["4", "3", "2", "1", "0", "0"]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 12
    assert answers[-1].json()["type"] == "/problems/busy"
    assert limited.client.get("/api/v1/session", headers=responder).status_code == 200


def test_ingest_is_limited_by_what_waits_and_not_by_number(limited: Tenants) -> None:
    """A sender may send as often as it can be kept up with."""
    made = limited.access.keys.create(
        "sender", Power.INGEST, organisation="acme", project="payments", by=limited.access.operator
    )
    answers = [limited.client.post("/api/v1/lines", content="x\n", headers=bearer(made.secret)) for _ in range(10)]

    assert [one.status_code for one in answers] == [200] * 10
    assert all("RateLimit-Limit" not in one.headers for one in answers)


def test_whoever_tries_keys_is_slowed_down(limited: Tenants) -> None:
    """An address may be wrong as often as a caller may ask; who has a good key behind it is served all the same."""
    forged, good = limited.callers["forged"], limited.callers["maintainer"]
    answers = [limited.client.get("/api/v1/session", headers=forged).status_code for _ in range(7)]

    assert answers == [401] * 5 + [429] * 2
    assert limited.client.post("/v1/logs", headers=forged).status_code == 429
    assert limited.client.get("/api/v1/session", headers=good).status_code == 200
