"""What somebody resolves is over for detection as well: over HTTP, and by the command with and without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from tests.interface.test_cli_incident_live import said
from tests.interface.test_running import PROTOBUF, errors, opened
from tests.serving import serving, wait_for

FIX = {"cause": "workers kept their connections", "fix": "released them in the teardown"}


def detected(client: httpx.Client, incident: str) -> dict[str, Any]:
    """An incident as detection has it."""
    found: dict[str, Any] = client.get(f"/api/v1/incidents/{incident}").raise_for_status().json()
    return {**found["detection"], "case": found["case"]}


def muted(client: httpx.Client, service: str) -> dict[str, Any] | None:
    """What the row of a service says of its mute."""
    items = client.get("/api/v1/services").raise_for_status().json()["items"]
    found: dict[str, Any] | None = next(one for one in items if one["name"] == service)["muted"]
    return found


def test_a_resolution_confirms_and_mutes_what_goes_on(tmp_path: Path) -> None:
    """The incident takes no further errors; the service is muted as after a confirmation, and its row says so."""
    with serving(tmp_path) as running, running.client() as client:
        incident = opened(client, "auth")
        client.post(f"/api/v1/incidents/{incident}/resolution", json=FIX).raise_for_status()
        ended = detected(client, incident)
        client.post("/v1/logs", content=errors("auth"), headers=PROTOBUF).raise_for_status()
        told = wait_for(lambda: (found := muted(client, "auth")) and found["errors"] >= 120 and found, what="the mute")
        after = detected(client, incident)

    assert (ended["state"], ended["closed_by"]) == ("confirmed", "test")
    assert (ended["case"]["cause"]["text"], ended["case"]["state"]) == (FIX["cause"], "resolved")
    assert (told["incident"], after["state"], after["affected"]) == (incident, "confirmed", ended["affected"])


def test_the_command_confirms_with_and_without_a_server(tmp_path: Path) -> None:
    """A running server is told at once; where none runs, the next one does not take the incident up."""
    words = ("--cause", FIX["cause"], "--fix", FIX["fix"])
    with serving(tmp_path) as running, running.client() as client:
        first, second = opened(client, "auth"), opened(client, "ledger")
        said(running, "incident", "resolve", first, *words)
        assert detected(client, first)["state"] == "confirmed"
        assert detected(client, second)["state"] == "open"
    resolved = said(running, "incident", "resolve", second, *words)["case"]
    with serving(tmp_path) as again, again.client() as client:
        known = detected(client, second)

    assert (resolved["state"], resolved["resolution"]["text"]) == ("resolved", FIX["fix"])
    assert (known["state"], known["closed_by"], known["case"]["state"]) == ("confirmed", "ana", "resolved")
