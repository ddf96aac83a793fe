"""The settings that an admin looks after, in a real browser: integrations, retention, privacy, audit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.web.staging import Stage, staged


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A Hindcast where everybody has to say who they are, with an admin and a viewer."""
    with staged(tmp_path_factory.mktemp("settings")) as made:
        yield made


def _prepared(stage: Stage) -> str:
    """A record that somebody wants gone, and a key that may send; its secret."""
    with stage.served.client() as client:
        client.headers["Origin"] = stage.served.url
        presence = client.post("/api/v1/session", json=stage.told["admin"]).raise_for_status().json()
        client.headers["X-Hindcast-CSRF"] = presence["csrf"]
        told = {"body": {"name": "quokka"}, "text": "quokka of the person", "why": "a note"}
        client.put("/api/v1/memory/records/notes/personal", json=told).raise_for_status()
        wanted = {"name": "grafana", "power": "ingest", "project": "demo"}
        made = client.post("/api/v1/keys", json=wanted).raise_for_status().json()
        return str(made["secret"])


def test_an_admin_looks_after_it_and_a_viewer_only_looks(stage: Stage) -> None:
    """A test is sent and seen, a line is tried, a record is erased for good and on record; a viewer is refused."""
    stage.tell("settings", key=_prepared(stage))
