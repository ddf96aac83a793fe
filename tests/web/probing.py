"""A Hindcast in which whatever anybody can write holds markup that wants to run, for stories of pages that hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pygit2
from tests.serving import Serving, serving, wait_for
from tests.web.staging import PASSWORD, Stage

from hindcast.build import open_memory
from hindcast.build.shop import write_shop
from hindcast.build.year import lived_year
from hindcast.cli import outage
from hindcast.config import Settings
from hindcast.seeding import seed
from hindcast.simulate.history import cases
from hindcast.simulate.otlp import exports
from hindcast.simulate.replay import replay
from hindcast.simulate.shop import printed_today

SPACE = "demo"
PROBED = "probed"
ERRORS = 120
# A word that no line can be broken in.
LONG = "W" * 10_000
# Out of an attribute, an element, a script and a template; a link that runs; letters that turn a line or are not seen.
MARKUP = "\"'><img src=x onerror=hit()><svg onload=hit()>{{7*7}}"
EVERYTHING = f"{MARKUP}</script><script>hit()</script>[x](javascript:hit())\u200b\u202edrow"
# From the worst to what even a strict field may take: a field is set to the first that the API does not refuse.
FORMS = (
    EVERYTHING + LONG,
    EVERYTHING + LONG[:1_800],
    EVERYTHING,
    MARKUP,
    "<img/src=x/onerror=hit()>",
    "-javascript:hit()",
    "{{7*7}}",
)
LINK = "javascript:hit()"
# The name of a file has no slash and no quote.
FILE = "img<img src=x onerror=hit()>{{7*7}}.py"
CODE = f"""# code{EVERYTHING}
long = "{LONG}"


def take(pool):
    return pool.take(9)
"""
DIFF = f"""--- a/{FILE}
+++ b/{FILE}
@@ -5,2 +5,2 @@
 def take(pool):
-    return pool.take(9)
+    return pool.take(3)  # diff{MARKUP}
"""
STACK = f"""Traceback (most recent call last):
  File "/srv/main.py", line 9, in run<img src=x onerror=hit()>
    take(pool)
  File "/srv/{FILE}", line 6, in take
    return pool.take(9)
PoolError: thrown{EVERYTHING}"""


@dataclass
class Sender:
    """Sets fields to the worst that they take, and keeps what was refused."""

    client: httpx.Client
    # What each field is set to, and what the API said to what it refused.
    fields: dict[str, str] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)

    def send(self, verb: str, path: str, **said: Any) -> httpx.Response:
        """One request, to the project of the probes."""
        headers = {"X-Hindcast-Space": PROBED, **said.pop("headers", {})}
        return self.client.request(verb, path, headers=headers, **said)

    def must(self, verb: str, path: str, **said: Any) -> Any:
        """What the API answers to what it has to take."""
        answer = self.send(verb, path, **said)
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def worst(self, name: str, verb: str, path: str, **said: Any) -> Any:
        """What the API answers to the worst that a field takes; `probe` in what is said stands for it."""
        for form in FORMS:
            text = f"{name}{form}"
            filled = {key: _filled(value, text) for key, value in said.items()}
            answer = self.send(verb, path, **filled)
            if answer.is_success:
                self.fields[name] = text
                return answer.json() if answer.content else None
            assert 400 <= answer.status_code < 500, f"{name}: {answer.status_code} {answer.text}"
            self.refused.setdefault(name, []).append(f"{answer.status_code} {answer.json().get('detail', '')[:200]}")
        return None


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(one, text) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_filled(one, text) for one in value)
    return value.replace("PROBE", text) if isinstance(value, str) else value


@contextmanager
def probed(folder: Path) -> Iterator[Stage]:
    """A project with the demo's past, code and outage; and one of which every word wants to run."""
    code, now = folder / "code", datetime.now(UTC)
    code.mkdir()
    write_shop(code / "shop", now=now)
    write_probes(code / "probed")
    with closing(open_memory(Settings(store=str(folder / "store"), space=SPACE, model="none"))) as memory:
        seed(memory, now=now, lived=lambda: lived_year(now))
    told = {"space": SPACE, "mode": "demo", "auth": "required", "workspace_roots": str(code), "log_level": "warning"}
    with serving(folder, **told) as served, served.client() as client:
        sender = Sender(client)
        enter(served, sender)
        client.post("/api/v1/workspaces", json={"name": "shop", "path": str(code / "shop")}).raise_for_status()
        _break_the_shop(client)
        first, again = set_everything(sender, code / "probed")
        yield Stage(
            served,
            {
                "url": served.url,
                "incident": opened(client, SPACE, outage.SERVICE),
                "shop": str(code / "shop"),
                "first": first,
                "again": again,
                "file": FILE,
                "fields": sender.fields,
                "refused": sender.refused,
                "admin": {"email": "ada@shop.example", "password": PASSWORD},
            },
        )


def enter(served: Serving, sender: Sender) -> None:
    """Come in as the first admin, whose name is a probe."""
    link = re.search(r"/invitation/(\S+)", (served.folder / "serve.log").read_text())
    assert link, "the first admin is told of a link"
    sender.client.headers["Origin"] = served.url
    said = {"password": PASSWORD, "name": "PROBE", "email": "ada@shop.example"}
    presence = sender.worst("person", "POST", f"/api/v1/invitations/{link[1]}", json=said)
    sender.client.headers["X-Hindcast-CSRF"] = presence["csrf"]


def opened(client: httpx.Client, space: str, service: str) -> str:
    """The incident of a service, once memory has said that it knows it."""

    def found() -> str:
        query = {"state": "open", "service": service}
        listed = client.get("/api/v1/incidents", params=query, headers={"X-Hindcast-Space": space}).json()["items"]
        return next((str(one["id"]) for one in listed if one["familiarity"] is not None), "")

    return str(wait_for(found, what=f"the outage of {service[:20]} is there"))


def _break_the_shop(client: httpx.Client) -> None:
    story = next(case for case in cases(now=datetime.now(UTC)) if case.id == outage.STORY)
    moment = replay(story, outage.SERVICE, ERRORS, at=datetime.now(UTC), seed=1, printed=printed_today)
    for one in exports(moment):
        client.post(one.path, content=one.body, headers={"Content-Type": one.content_type}).raise_for_status()


def write_probes(folder: Path) -> None:
    """A repository whose branch, author, words, file names and owners are probes."""
    repository = pygit2.init_repository(str(folder), initial_head="<img/src=x/onerror=hit()>")
    (folder / FILE).write_text(CODE)
    (folder / "CODEOWNERS").write_text("* @<img/src=x/onerror=hit()>\n")
    (folder / "README.md").write_text(f"# readme{EVERYTHING}\n")
    repository.index.add_all()
    repository.index.write()
    # Git itself takes angle brackets out of names.
    who = pygit2.Signature("author{{7*7}} img src=x onerror=hit()", "javascript:hit()@example.com")
    repository.create_commit("HEAD", who, who, f"message{EVERYTHING}{LONG}", repository.index.write_tree(), [])


def set_everything(sender: Sender, code: Path) -> tuple[str, str]:
    """Set every field that there is, each by its own way in; gives an incident, and the one that brings it to mind."""
    sender.must("POST", "/api/v1/spaces", json={"project": PROBED})
    set_names(sender, code)
    send_signals(sender, "service")
    first = opened(sender.client, PROBED, sender.fields["service"])
    work_on(sender, first)
    set_memory(sender)
    send_signals(sender, "other")
    again = opened(sender.client, PROBED, sender.fields["other"])
    decide(sender, again)
    return first, again


def set_names(sender: Sender, code: Path) -> None:
    """Names of what people make."""
    sender.worst("project", "POST", "/api/v1/spaces", json={"project": "PROBE"})
    sender.worst("organisation", "POST", "/api/v1/organisations", json={"name": "PROBE"})
    sender.worst("email", "POST", "/api/v1/members", json={"email": "PROBE@example.com", "role": "viewer"})
    sender.worst("label", "POST", "/api/v1/keys", json={"name": "PROBE", "power": "read", "project": PROBED})
    sender.must("POST", "/api/v1/workspaces", json={"name": "code", "path": str(code)})
    sender.worst("workspace", "POST", "/api/v1/workspaces", json={"name": "PROBE", "path": str(code)})
    sender.worst("upload", "POST", "/api/v1/workspaces/notes/upload", files={"files": ("PROBE", b"hello")})


def send_signals(sender: Sender, service: str) -> None:
    """Errors, an alert and a deployment, of which every word is a probe."""
    now = datetime.now(UTC)
    form, at = EVERYTHING, int(now.timestamp() * 1_000_000_000)
    name = sender.fields[service] = f"{service}{form}"

    def pair(key: str, value: str) -> dict[str, Any]:
        return {"key": key, "value": {"stringValue": value}}

    lines = [
        {
            "timeUnixNano": str(at - place * 5_000_000),
            "severityNumber": 17,
            "severityText": f"severity{form}",
            "body": {"stringValue": f"body{form}{LONG if place % 40 == 0 else ''}"},
            "attributes": [
                pair(f"key{form}", f"value{form}"),
                pair("exception.type", "PoolError"),
                pair("exception.message", f"thrown{form}"),
                pair("exception.stacktrace", STACK),
            ],
        }
        for place in range(ERRORS)
    ]
    resource = {"attributes": [pair("service.name", name), pair("host.name", f"host{form}")]}
    logs = {
        "resourceLogs": [
            {"resource": resource, "scopeLogs": [{"scope": {"name": f"scope{form}"}, "logRecords": lines}]}
        ]
    }
    sender.must("POST", "/v1/logs", json=logs)
    deployed = (now - timedelta(minutes=1)).isoformat()
    labels = {"alertname": f"alert{form}{LONG}", "service": name, "severity": f"sev{form}", f"label{form}": f"of{form}"}
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": f"summary{form}"},
        # Not before the lines: which of the two is noticed first must not say which of two incidents came first.
        "startsAt": now.isoformat(),
        "generatorURL": LINK,
    }
    sender.must("POST", "/webhooks/alertmanager", json={"version": "4", "alerts": [alert]})
    change = {
        "action": "published",
        "repository": {"name": name, "full_name": f"repo{form}"},
        "sender": {"login": f"login{form}"},
        "release": {
            "tag_name": f"tag{form}",
            "name": f"change{form}{LONG}",
            "html_url": LINK,
            "published_at": deployed,
        },
    }
    told = {"X-GitHub-Event": "release", "X-GitHub-Delivery": f"{service}{form}".encode().hex()[:40]}
    sender.must("POST", "/webhooks/github", json=change, headers=told)


def work_on(sender: Sender, incident: str) -> None:
    """What a team says about an incident, up to its end."""
    path = f"/api/v1/incidents/{incident}"
    sender.worst("note", "POST", f"{path}/notes", json={"text": "PROBE", "by": "by<img src=x onerror=hit()>"})
    sender.worst(
        "attempt",
        "POST",
        f"{path}/attempts",
        json={"action": "PROBE", "outcome": "made worse", "command": "echo '<img src=x onerror=hit()>'"},
    )
    sender.worst("outcome", "POST", f"{path}/attempts/a1", json={"outcome": "made worse", "why": "PROBE"})
    sender.worst(
        "cause",
        "POST",
        f"{path}/resolution",
        json={
            "cause": "PROBE",
            "fix": f"fix{EVERYTHING}{LONG}",
            "command": f"command{EVERYTHING}",
            "config": f"config{EVERYTHING}",
            "diff": DIFF,
            "by": "by<img src=x onerror=hit()>",
        },
    )
    sender.fields["fix"] = f"fix{EVERYTHING}{LONG}"


def set_memory(sender: Sender) -> None:
    """Records, their words, and the names of moments."""
    sender.worst(
        "address",
        "PUT",
        "/api/v1/memory/records/notes/address%3Cimg%20src%3Dx%20onerror%3Dhit()%3E",
        json={"body": {"title": "PROBE", f"field{MARKUP}": LINK}, "why": "x"},
    )
    sender.worst(
        "why",
        "POST",
        "/api/v1/memory/commits",
        json={"changes": [{"address": "notes/why", "body": {"a": 1}}], "why": "PROBE"},
    )
    sender.worst("branch", "POST", "/api/v1/memory/branches", json={"name": "PROBE", "why": "x"})
    sender.worst("snapshot", "POST", "/api/v1/memory/snapshots", json={"name": "PROBE", "why": "x"})


def decide(sender: Sender, incident: str) -> None:
    """Reject a fix with a reason."""
    deck = sender.must("GET", f"/api/v1/incidents/{incident}/cards", params={"workspace": "code"})
    card = deck["cards"][0]
    sender.worst("reason", "POST", f"/api/v1/cards/{card['id']}/reject", json={"reason": "PROBE", "dont_try": False})
