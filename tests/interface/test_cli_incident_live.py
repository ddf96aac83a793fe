"""An incident under way, with a real Hindcast watching it and people completing it from another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serving import Serving, serving, wait_for


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast."""
    with serving(tmp_path_factory.mktemp("live")) as running:
        yield running


def said(hindcast: Serving, *words: str, fed: str = "") -> Any:
    """What a command answers, as JSON."""
    environment = {
        **os.environ,
        "HINDCAST_STORE": str(hindcast.folder / "store"),
        "HINDCAST_PORT": str(hindcast.port),
        "HINDCAST_ACTOR": "ana",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": os.devnull,
        "XDG_STATE_HOME": str(Path(hindcast.folder) / "state"),
    }
    command = [sys.executable, "-m", "hindcast", *words, "--json"]
    done = subprocess.run(command, env=environment, input=fed.encode(), capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_an_incident_is_completed_while_it_is_watched(hindcast: Serving) -> None:
    """What people say during an incident and what the watcher writes meanwhile end up in one case."""
    line = {"level": "error", "service": "ledger", "time": time.time()}
    failing = [{**line, "message": f"ConnectionResetError: booking {number} lost redis"} for number in range(150)]
    said(hindcast, "ingest", "-", fed="".join(f"{json.dumps(one)}\n" for one in failing))
    (found,) = wait_for(
        lambda: [one for one in said(hindcast, "incident", "list")["cases"] if "ledger" in one["services"]],
        what="the case",
    )

    tried = said(hindcast, "incident", "attempt", found["id"], "raised the pool", "--outcome", "made-worse")["case"]
    assert "ConnectionResetError" in " ".join(tried["symptoms"])
    assert tried["clues"]["components"] == ["redis"]
    said(hindcast, "incident", "resolve", found["id"], "--cause", "a leak", "--fix", "released connections")
    with hindcast.client() as client:
        watched = client.get(f"/api/v1/incidents/{found['id']}").raise_for_status().json()
    # Whoever watches acts in the name of who asked it.
    assert (watched["detection"]["state"], watched["detection"]["closed_by"]) == ("confirmed", "ana")

    shown = said(hindcast, "incident", "show", found["id"])
    case = shown["case"]
    assert (case["state"], shown["missing"]) == ("resolved", [])
    assert [(one["action"], one["outcome"]) for one in case["attempts"]] == [("raised the pool", "made worse")]
    assert (case["cause"]["text"], case["resolution"]["text"]) == ("a leak", "released connections")

    reopened = said(hindcast, "incident", "reopen", found["id"])
    assert reopened["state"] == "open"
    again = said(hindcast, "incident", "show", found["id"])["case"]
    assert (again["state"], again["cause"]["text"]) == ("open", "a leak")
