"""A Hindcast with people, a year of history and an outage, for stories that are told in a real browser."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from tests.serving import Serving, serving, wait_for

from hindcast.build.shop import write_shop
from hindcast.cli.outage import ERRORS, SERVICE, STORY
from hindcast.simulate.history import cases
from hindcast.simulate.otlp import exports
from hindcast.simulate.replay import replay
from hindcast.simulate.shop import printed_today

FOLDER = Path(__file__).resolve().parent
STORY_SECONDS_MAX = 240
PASSWORD = "a sentence is a good one"
SPACE = "demo"
PEOPLE = {"admin": "ada", "viewer": "vic", "responder": "rae"}


@dataclass(frozen=True)
class Stage:
    """A Hindcast with people in it, for stories to be told on."""

    served: Serving
    told: Mapping[str, Any]

    def tell(self, name: str, **more: object) -> None:
        """Let a story happen; it fails with what the browser saw."""
        picture = self.served.folder / f"{name}.png"
        environment = {**os.environ, "STORY": json.dumps({**self.told, **more}), "PICTURE": str(picture)}
        node = shutil.which("node")
        assert node, "Node runs the stories; make prepares it"
        done = subprocess.run(
            [node, str(FOLDER / f"{name}.mjs")],
            env=environment,
            capture_output=True,
            text=True,
            timeout=STORY_SECONDS_MAX,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}{done.stderr}(a picture of it: {picture})"


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """One where everybody has to say who they are, with people of several roles, and incidents under way."""
    told = {"HINDCAST_STORE": str(folder / "store"), "HINDCAST_MODEL": "none", "HINDCAST_CONFIG": os.devnull}
    seed = [sys.executable, "-m", "hindcast", "demo", "seed"]
    subprocess.run(seed, env={**os.environ, **told}, check=True, capture_output=True)
    with serving(folder, space=SPACE, mode="demo", auth="required", log_level="warning") as served:
        yield Stage(served, _peopled(served))


def add_code(stage: Stage) -> None:
    """Upload the code that the outage happens in, as an admin would."""
    folder = stage.served.folder / "shop"
    write_shop(folder, now=datetime.now(UTC))
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and ".git" not in path.parts:
                archive.write(path, path.relative_to(folder))
    with _signed_in(stage.served, stage.told["admin"]) as client:
        kind = {"Content-Type": "application/zip"}
        client.post("/api/v1/workspaces/shop/upload", content=body.getvalue(), headers=kind).raise_for_status()


def _peopled(served: Serving) -> Mapping[str, Any]:
    first = re.search(r"/invitation/(\S+)", (served.folder / "serve.log").read_text())
    assert first, "the first admin is told of a link"
    with served.client() as client:
        client.headers["Origin"] = served.url
        said = {"password": PASSWORD, "name": "Ada", "email": "ada@shop.example"}
        presence = client.post(f"/api/v1/invitations/{first[1]}", json=said).raise_for_status().json()
        client.headers["X-Hindcast-CSRF"] = presence["csrf"]
        for name, role in (("Vic", "viewer"), ("Rae", "responder")):
            _accepted(served, _invited(client, f"{name.lower()}@shop.example", role), name)
        made = client.post("/api/v1/keys", json={"name": "stage", "power": "ingest", "project": SPACE})
        incident = _broken(served, client, str(made.raise_for_status().json()["secret"]))
        return {
            "url": served.url,
            "incident": incident,
            **{who: {"email": f"{name}@shop.example", "password": PASSWORD} for who, name in PEOPLE.items()},
            "link": f"{served.url}/invitation/{_invited(client, 'nia@shop.example', 'admin')}",
            "other_link": f"{served.url}/invitation/{_invited(client, 'kit@shop.example', 'admin')}",
        }


@contextmanager
def _signed_in(served: Serving, who: Mapping[str, str]) -> Iterator[httpx.Client]:
    with served.client() as client:
        client.headers["Origin"] = served.url
        presence = client.post("/api/v1/session", json=dict(who)).raise_for_status().json()
        client.headers["X-Hindcast-CSRF"] = presence["csrf"]
        yield client


def _invited(client: httpx.Client, email: str, role: str) -> str:
    made = client.post("/api/v1/members", json={"email": email, "role": role}).raise_for_status().json()
    return str(made["link"]).rpartition("/")[2]


def _accepted(served: Serving, token: str, name: str) -> None:
    with served.client() as client:
        said = {"password": PASSWORD, "name": name}
        client.post(f"/api/v1/invitations/{token}", json=said, headers={"Origin": served.url}).raise_for_status()


def _broken(served: Serving, client: httpx.Client, key: str) -> str:
    """A deploy, then an outage that the team has met before, as soon as its briefing is ready; and another one.

    Both go quiet, and wait for somebody's word once the hold window has passed.
    """
    now = datetime.now(UTC)
    deployed = {
        "action": "created",
        "repository": {"full_name": "shop/payment", "name": "payment"},
        "deployment": {"id": 7, "sha": "8f3c2e1d90aa", "ref": "main", "environment": "production"},
        "deployment_status": {"state": "success", "updated_at": (now - timedelta(minutes=12)).isoformat()},
    }
    story = next(case for case in cases(now=now) if case.id == STORY)
    with served.client() as sender:
        sender.headers["X-Hindcast-Key"] = key
        named = {"X-GitHub-Event": "deployment_status", "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
        taken = sender.post("/webhooks/github", json=deployed, headers=named)
        assert taken.is_success, taken.text
        for export in exports(replay(story, SERVICE, ERRORS, at=now, seed=1, printed=printed_today)):
            kind = {"Content-Type": export.content_type}
            sender.post(export.path, content=export.body, headers=kind).raise_for_status()
    other = {"scenario": "memory-leak", "service": "analytics", "errors": 150}
    client.post("/api/v1/simulator", json=other).raise_for_status()

    def found() -> str:
        listed = client.get("/api/v1/incidents", params={"state": "open", "service": SERVICE}).json()["items"]
        return next((one["id"] for one in listed if one["familiarity"] == "seen before"), "")

    return str(wait_for(found, what="the outage is recognised"))
