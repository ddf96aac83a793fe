"""Who may do what over MCP: the same keys, roles and spaces as everywhere, and no trace of what is another's."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from httpx2 import Response
from tests.serving import wait_for
from tests.tenants import FOREIGN, NOWHERE, OWN, Tenants, settings_in, tenants

from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.model.access import Permission, Power
from hindcast.model.case import Case
from hindcast.toolbox import TOOLS

SECRET = "the vault of globex is open"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
# Enough for each tool to run: every incident below has this id.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "recall": {"text": "the vault is open"},
    "what_not_to_try": {"incident": "inc-1"},
    "search_incidents": {},
    "incident_get": {"incident": "inc-1"},
    "resolution_patterns": {},
    "error_correlations": {},
    "memory_search": {"words": "vault"},
    "memory_diff": {"before": "1 day ago"},
    "attempt_record": {"incident": "inc-1", "action": "closed it", "outcome": "worked"},
    "verdict_record": {"incident": "inc-1", "judgement": "right", "asked": "the vault is open"},
    "fix_cards": {"incident": "inc-1"},
    "fix_verdict": {"card": "fix-1", "verdict": "reject"},
}
# Who may read, and who may record as well.
READERS = ("viewer", "responder", "maintainer", "admin", "owner", "key read", "key agent", "key write")
RECORDERS = tuple(name for name in READERS if name not in ("viewer", "key read"))
# Who may decide, and what is decided about: there is no code here, and whoever may is told so.
RESPONDERS = ("responder", "maintainer", "admin", "owner", "key write")
MAY = {Permission.READ: READERS, Permission.RECORD: RECORDERS, Permission.RESPOND: RESPONDERS}
ABOUT_CODE = ("fix_cards", "fix_verdict")
STRANGERS = ("nobody", "expired", "revoked", "signed out", "forged", "garbage")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """Two organisations with an incident each, of the same id."""
    folder = tmp_path_factory.mktemp("mcp-access")
    for space, title in ((OWN, "a vault of acme is open"), (FOREIGN, SECRET)):
        memory = open_memory(replace(settings_in(folder), space=space))
        case = Case("inc-1", title, datetime.now(UTC), symptoms=(title,))
        Casebook(memory).put(case, actor="test", why="An incident.")
        memory.close()
    with tenants(folder) as made:
        yield made


_numbers = itertools.count(1)


def ask(
    served: Tenants, caller: str, method: str, params: dict[str, Any] | None = None, *, space: str = OWN
) -> Response:
    """What a caller is answered."""
    body = {"jsonrpc": "2.0", "id": next(_numbers), "method": method, "params": params or {}}
    headers = {**HEADERS, **served.callers[caller]}
    return served.client.post("/mcp", params={"space": space}, json=body, headers=headers)


def call(served: Tenants, caller: str, tool: str, *, space: str = OWN) -> Response:
    """What a caller is answered who calls a tool."""
    return ask(served, caller, "tools/call", {"name": tool, "arguments": ARGUMENTS[tool]}, space=space)


def result(answer: Response) -> dict[str, Any]:
    """The result in an answer."""
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["result"]
    return found


def test_every_tool_and_every_kind_of_caller_is_tried_here() -> None:
    """The tables above have every tool."""
    assert set(ARGUMENTS) == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("caller", READERS)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_needs_its_permission(served: Tenants, caller: str, tool: Any) -> None:
    """Who may read may call what reads; only who may record or decide may call what does, and the refusal says so."""
    told = result(call(served, caller, tool.name))

    may = (
        caller
        in {Permission.READ: READERS, Permission.RECORD: RECORDERS, Permission.RESPOND: RESPONDERS}[tool.permission]
    )
    kind = told["structuredContent"]["error"]["kind"] if told.get("isError") else ""
    assert kind == ("refused" if not may else "missing" if tool.name in ABOUT_CODE else ""), told
    if not may:
        assert "tell the person" in told["content"][0]["text"]


@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call", "resources/list", "prompts/list"])
@pytest.mark.parametrize("caller", STRANGERS)
def test_nobody_gets_in_without_a_good_proof(served: Tenants, caller: str, method: str) -> None:
    """Whatever is asked, a request that proves nothing is told to send a key, and nothing else."""
    answer = ask(served, caller, method)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
def test_a_key_for_ingest_gets_no_tools(served: Tenants, method: str) -> None:
    """Who may only send has nothing to ask."""
    assert ask(served, "key ingest", method).status_code == 403


@pytest.mark.parametrize("caller", [*READERS, "key ingest"])
def test_another_organisation_does_not_exist(served: Tenants, caller: str) -> None:
    """A foreign space answers exactly as one that is not there, whatever is called in it."""
    for tool in ARGUMENTS:
        foreign, nowhere = (call(served, caller, tool, space=space) for space in (FOREIGN, NOWHERE))
        assert foreign.status_code == nowhere.status_code == 404
        assert foreign.text.replace(FOREIGN, "") == nowhere.text.replace(NOWHERE, "")
        assert SECRET not in foreign.text


def test_an_id_of_another_space_is_ones_own_or_none(served: Tenants) -> None:
    """The same id means the caller's own incident, over tools, resources and prompts alike."""
    tool = result(call(served, "viewer", "incident_get"))["content"][0]["text"]
    page = result(ask(served, "viewer", "resources/read", {"uri": "hindcast://incidents/inc-1"}))
    prompt = result(
        ask(served, "viewer", "prompts/get", {"name": "triage_incident", "arguments": {"incident": "inc-1"}})
    )

    assert "a vault of acme" in tool
    assert "a vault of acme" in page["contents"][0]["text"]
    assert SECRET not in f"{tool}{page}{prompt}"


def test_what_an_agent_records_is_its_keys(served: Tenants) -> None:
    """The actor of what is recorded is the key that was sent, however the client calls itself."""
    told = result(call(served, "key agent", "attempt_record"))
    assert not told.get("isError"), told

    case = served.client.get("/api/v1/incidents/inc-1", params={"space": OWN}, headers=served.callers["viewer"]).json()
    assert "key:a key to agent" in [one["by"] for one in case["case"]["attempts"]]


def test_a_revoked_key_ends_with_the_next_call(served: Tenants) -> None:
    """There is no session that outlives a key: the next call after revoking is refused."""
    by = served.access.operator
    made = served.access.keys.create("short-lived", Power.AGENT, organisation="acme", project="payments", by=by)
    headers = {**HEADERS, "Authorization": f"Bearer {made.secret}"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    before = served.client.post("/mcp", json=body, headers=headers, params={"space": OWN})
    served.access.keys.revoke(made.key.id, by=by)
    after = served.client.post("/mcp", json=body, headers=headers, params={"space": OWN})

    assert (before.status_code, after.status_code) == (200, 401)


def test_the_audit_trail_names_the_tool(served: Tenants) -> None:
    """Who recorded what through which tool can be read afterwards."""
    result(call(served, "responder", "attempt_record"))

    def told() -> bool:
        entries = served.access.audit.entries("acme", by=served.access.operator, limit=100)
        return any("mcp attempt_record" in entry.what for entry in entries)

    wait_for(told, what="the entry, which is durable within about a second")


def test_a_page_of_another_origin_cannot_call(served: Tenants) -> None:
    """A browser that was tricked into calling with somebody's cookie is refused."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {**HEADERS, **served.callers["viewer"], "Origin": "https://evil.example"}

    assert served.client.post("/mcp", json=body, headers=headers, params={"space": OWN}).status_code == 403


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_no_stream_is_offered(served: Tenants, method: str) -> None:
    """There is no stream to hold open and no session to end: the protocol's answer to both is 405."""
    answer = served.client.request(method, "/mcp", headers=served.callers["key read"], params={"space": OWN})

    assert (answer.status_code, answer.headers.get("Allow")) == (405, "POST")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"garbage",
        b"[]",
        b"{}",
        b'{"jsonrpc": "2.0", "id": 1}',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"no/such"}',
    ],
)
def test_what_is_no_request_is_refused_in_words(served: Tenants, body: bytes) -> None:
    """Whatever is sent, the answer is an error of the protocol and never of the server."""
    headers = {**HEADERS, **served.callers["key read"]}
    answer = served.client.post("/mcp", content=body, headers=headers, params={"space": OWN})

    assert answer.status_code < 500
    assert answer.status_code >= 400 or "error" in answer.json()


def test_two_spaces_are_one_too_many(served: Tenants) -> None:
    """A header and an address that disagree are refused."""
    headers = {**HEADERS, **served.callers["viewer"], "X-Hindcast-Space": FOREIGN}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    assert served.client.post("/mcp", json=body, headers=headers, params={"space": OWN}).status_code == 400
