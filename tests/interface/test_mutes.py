"""A service that was called well while it still fails: every place that shows it says that it is muted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.interface.test_running import PROTOBUF, errors, opened
from tests.serving import Serving, serving, wait_for

from hindcast.build.doctor import Check, posture
from hindcast.config import Settings

SERVICE = "auth"


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast."""
    with serving(tmp_path_factory.mktemp("muted")) as running:
        yield running


@pytest.fixture(scope="module")
def incident(hindcast: Serving) -> str:
    """An incident that was confirmed at once, and what came after it."""
    with hindcast.client() as client:
        found = opened(client, SERVICE)
        decision = {"verb": "confirm"}
        client.post(f"/api/v1/incidents/{found}/decision", json=decision).raise_for_status()
        client.post("/v1/logs", content=errors(SERVICE), headers=PROTOBUF).raise_for_status()
        wait_for(lambda: row(client)["muted"]["errors"] >= 120, what="the errors after it")
    return found


def row(client: httpx.Client) -> dict[str, Any]:
    """The service's row."""
    items = client.get("/api/v1/services").raise_for_status().json()["items"]
    return next(one for one in items if one["name"] == SERVICE)


def test_the_row_of_a_muted_service_says_so(hindcast: Serving, incident: str) -> None:
    """Until when, after which incident, and how many errors came since."""
    with hindcast.client() as client:
        muted = row(client)["muted"]

    assert (muted["incident"], muted["errors"]) == (incident, 120)
    said = rf"auth: muted until \d\d:\d\d UTC after {incident} was resolved; 120 errors since"
    assert re.fullmatch(said, muted["why"])


def test_the_doctor_says_which_services_are_muted(hindcast: Serving, incident: str, tmp_path: Path) -> None:
    """Whoever asks whether something is broken hears of it, with the command that listens again."""
    settings = Settings(store=str(tmp_path / "store"), port=hindcast.port)
    checks: list[Check] = list(posture.muted(settings, posture.answering(settings)))

    (muted,) = checks
    assert (muted.name, muted.level.value) == ("muted", "warn")
    assert "120 errors since" in muted.found
    assert incident in muted.remedy


def test_the_doctor_says_that_it_was_refused(tmp_path: Path) -> None:
    """A server that shows services to nobody without a key leaves it open whether one is muted."""
    with serving(tmp_path, auth="required") as running:
        settings = Settings(store=str(tmp_path / "elsewhere"), port=running.port)
        checks: list[Check] = list(posture.muted(settings, posture.answering(settings)))

    assert [(one.name, one.level.value, one.found) for one in checks] == [
        ("muted", "warn", "The server does not say which services are muted.")
    ]
