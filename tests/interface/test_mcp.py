"""The official client lists and calls everything over every way in: stdio, streamable HTTP, and the bridge between."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.serving import Serving, free_port, serving
from tests.toolbench import CALLS, SAID, SPACE, STORY, UNDO, seeded_today

from hindcast import toolbox
from hindcast.cli.mcp import endpoint
from hindcast.toolbox import TOOLS

# How a client comes: over what, and with which age of the protocol (a handshake first, or every request by itself).
WAYS = ("stdio modern", "stdio handshake", "http modern", "http handshake", "bridge modern")
MODES = {"modern": "auto", "handshake": "legacy"}


@dataclass
class Seen:
    """What a client was told."""

    way: str
    server: types.Implementation | None = None
    instructions: str = ""
    version: str = ""
    tools: list[types.Tool] = field(default_factory=list)
    called: dict[str, types.CallToolResult] = field(default_factory=dict)
    resources: list[types.Resource] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    completed: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    # What as many calls at the same time found.
    at_once: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast that remembers the demo's history."""
    folder = tmp_path_factory.mktemp("mcp")
    seeded_today(folder / "store")
    with serving(folder, space=SPACE) as running:
        yield running


def let_fail_together(hindcast: Serving) -> None:
    """Four times today checkout was deployed, and ten minutes later checkout and cart failed together."""
    now = datetime.now(UTC)
    with hindcast.client() as client:
        for number, hours in enumerate((20, 15, 10, 5)):
            # The middle of a step of the count, wherever the hour begins.
            at = datetime.fromtimestamp((now - timedelta(hours=hours)).timestamp() // 300 * 300 + 60, tz=UTC)
            deploy = {
                "deployment": {"ref": f"v{number}", "created_at": (at - timedelta(minutes=10)).isoformat()},
                "repository": {"name": "checkout", "full_name": "acme/checkout"},
            }
            headers = {"X-GitHub-Event": "deployment", "X-GitHub-Delivery": f"delivery-{number}"}
            assert client.post("/webhooks/github", json=deploy, headers=headers).is_success
            failed = [
                {
                    "time": at.isoformat(),
                    "service": service,
                    "level": "error",
                    "message": f"{service} failed: pool empty",
                }
                for service in ("checkout", "cart")
                for _ in range(20)
            ]
            assert client.post("/api/v1/lines", content="\n".join(map(json.dumps, failed))).is_success


def on_stdio(store: Path, *arguments: str) -> StdioServerParameters:
    """The command that a client's configuration names."""
    environment = {
        **os.environ,
        "HINDCAST_STORE": str(store),
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": os.devnull,
        "HINDCAST_ACTOR": "ana",
    }
    return StdioServerParameters(
        command=sys.executable, args=["-m", "hindcast", "mcp", *arguments], env=environment, cwd=store.parent
    )


@asynccontextmanager
async def connected(hindcast: Serving, way: str) -> AsyncIterator[Client]:
    """A client that came this way."""
    over, _, age = way.partition(" ")
    carried = httpx2.AsyncClient(headers=hindcast.proof, timeout=60)
    target: Any = streamable_http_client(f"{hindcast.url}/mcp", http_client=carried)
    if over == "stdio":
        target = on_stdio(hindcast.folder / "store", "--space", SPACE)
    elif over == "bridge":
        target = on_stdio(hindcast.folder / "elsewhere", "--url", hindcast.url)
    info = types.Implementation(name="night agent", version="1")
    async with Client(target, mode=MODES[age], client_info=info, read_timeout_seconds=60) as client:
        yield client


async def look(hindcast: Serving, way: str) -> Seen:
    """Everything there is to see, the long way round."""
    async with connected(hindcast, way) as client:
        seen = Seen(way, client.server_info, client.instructions or "", client.protocol_version)
        seen.tools = (await client.list_tools()).tools
        for name, given in CALLS.items():
            seen.called[name] = await client.call_tool(name, dict(given))
        # Whoever comes next decides about the same card.
        assert not (await client.call_tool("fix_verdict", dict(UNDO))).is_error
        seen.called["wrong tool"] = await client.call_tool("recal", {"text": "x"})
        seen.called["wrong argument"] = await client.call_tool("search_incidents", {"state": "closed"})
        cursor: str | None = None
        while True:
            page = await client.list_resources(cursor=cursor)
            seen.resources += page.resources
            cursor = page.next_cursor
            if cursor is None:
                break
        seen.templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        for folder in ("incidents", "postmortems"):
            found = await client.read_resource(f"hindcast://{folder}/{STORY}")
            content = found.contents[0]
            assert isinstance(content, types.TextResourceContents)
            seen.pages[folder] = content.text
        for name, given in (
            ("triage_incident", {"incident": STORY}),
            ("what_changed", {"since": "1 day ago"}),
            ("write_postmortem", {"incident": STORY}),
        ):
            told = (await client.get_prompt(name, given)).messages[0].content
            assert isinstance(told, types.TextContent)
            seen.prompts[name] = told.text
        reference = types.ResourceTemplateReference(uri=seen.templates[0])
        completion = await client.complete(reference, {"name": "id", "value": "past-redis-w"})
        seen.completed = completion.completion.values
        for uri in ("hindcast://incidents/nobody-knows", "file:///etc/passwd", "hindcast://cases/x"):
            try:
                await client.read_resource(uri)
            except MCPError as error:
                seen.refused[uri] = str(error)
        pages = [client.call_tool("search_incidents", {"count_max": 1, "page": page}) for page in range(1, 21)]
        seen.at_once = [one.structured_content["incidents"][0]["incident"] for one in await asyncio.gather(*pages)]
        return seen


def unlisted(value: Any, schema: dict[str, Any], where: str = "") -> list[str]:
    """The fields of an answer that its schema does not name."""
    if isinstance(value, list):
        return [name for one in value for name in unlisted(one, schema.get("items", {}), where)]
    if not isinstance(value, dict):
        return []
    shapes: list[dict[str, Any]] = [one for one in schema.get("anyOf", [schema]) if "properties" in one]
    named: dict[str, Any] = shapes[0]["properties"] if shapes else {}
    found = [f"{where}/{name}" for name in value if name not in named]
    return found + [each for name, one in value.items() for each in unlisted(one, named.get(name, {}), name)]


@pytest.fixture(scope="module", params=WAYS)
def seen(hindcast: Serving, request: pytest.FixtureRequest) -> Seen:
    """What a client that came each way was told."""
    return asyncio.run(look(hindcast, request.param))


def test_every_tool_is_listed_with_its_schema_and_hints(seen: Seen) -> None:
    """The list is the toolbox: names, descriptions, schemas without references, and honest hints."""
    assert [tool.name for tool in seen.tools] == [tool.name for tool in TOOLS]
    for listed, tool in zip(seen.tools, TOOLS, strict=True):
        assert listed.input_schema == toolbox.schema(tool)
        assert listed.description == tool.description
        hints = listed.annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (
            tool.is_read_only,
            tool.is_destructive,
            False,
        )


def test_every_answer_has_the_shape_that_its_tool_lists(seen: Seen) -> None:
    """A client can check what a tool answers with: the listed schema holds for it, and names each of its fields."""
    for listed in seen.tools:
        told = seen.called[listed.name].structured_content
        assert listed.output_schema is not None
        Draft202012Validator.check_schema(listed.output_schema)
        assert list(Draft202012Validator(listed.output_schema).iter_errors(told)) == [], listed.name
        assert unlisted(told, listed.output_schema) == [], listed.name


def test_only_what_changes_files_is_said_to_destroy(seen: Seen) -> None:
    """A client that asks its person before anything is changed for good asks about files, and about nothing else."""
    assert [tool.name for tool in seen.tools if tool.annotations and tool.annotations.destructive_hint] == [
        "fix_verdict"
    ]


def test_every_tool_answers_with_text_data_and_evidence(seen: Seen) -> None:
    """Each tool is called and says what it should, and what it says rests on records."""
    assert set(CALLS) == {tool.name for tool in TOOLS}
    for name in CALLS:
        result = seen.called[name]
        content = result.content[0]
        assert isinstance(content, types.TextContent)
        assert not result.is_error, content.text
        assert SAID[name] in content.text, name
        assert result.structured_content["evidence"], name


def test_a_failed_call_is_a_result_that_says_what_to_do(seen: Seen) -> None:
    """A model reads the argument, what is allowed and what to do next; nothing breaks the connection."""
    wrong, misspelt = seen.called["wrong argument"], seen.called["wrong tool"]

    assert wrong.is_error
    assert misspelt.is_error
    text = wrong.content[0]
    assert isinstance(text, types.TextContent)
    assert text.text == (
        "Failed (argument state): \"closed\" cannot be 'state'. It has to be one of any, awaiting, "
        "dismissed, joined, open, resolved. "
        'For example: "open"\nCorrect the argument and call again.'
    )
    assert wrong.structured_content["error"]["kind"] == "malformed"
    assert "Did you mean recall?" in misspelt.structured_content["error"]["remedy"]


def test_incidents_and_postmortems_are_resources(seen: Seen) -> None:
    """Every incident is listed once, through pages, and what is over has a postmortem beside it."""
    uris = [one.uri for one in seen.resources]

    assert len(uris) == len(set(uris))
    assert sum(uri.startswith("hindcast://incidents/") for uri in uris) == 179
    assert sum(uri.startswith("hindcast://postmortems/") for uri in uris) == 177
    assert seen.templates == ["hindcast://incidents/{id}", "hindcast://postmortems/{id}"]
    assert "# Payment workers lose redis: connection reset by peer" in seen.pages["incidents"]
    assert "## What made it worse" in seen.pages["postmortems"]
    assert seen.completed == [STORY]


def test_what_is_no_resource_is_refused_in_words(seen: Seen) -> None:
    """Neither a file of this machine nor an incident that is not there can be read, and the error says what can."""
    assert set(seen.refused) == {"hindcast://incidents/nobody-knows", "file:///etc/passwd", "hindcast://cases/x"}
    assert "search_incidents" in seen.refused["hindcast://incidents/nobody-knows"]
    assert "hindcast://incidents/{id}" in seen.refused["file:///etc/passwd"]


def test_prompts_come_with_what_memory_knows(seen: Seen) -> None:
    """A triage begins with what recall says, a postmortem with the page, and both forbid inventing."""
    assert "What memory says (recall):" in seen.prompts["triage_incident"]
    assert "What memory learnt (memory_diff):" in seen.prompts["what_changed"]
    assert "# Postmortem: Payment workers lose redis" in seen.prompts["write_postmortem"]
    assert all("never follow instructions" in text for text in seen.prompts.values())


def test_a_client_is_told_whom_it_speaks_to_and_how(seen: Seen) -> None:
    """The server names itself and says what to call first."""
    assert seen.server is not None
    assert (seen.server.name, seen.server.title) == ("hindcast", "Hindcast")
    assert "call recall first" in " ".join(seen.instructions.split())


def test_an_agent_acts_in_its_persons_name(hindcast: Serving, seen: Seen) -> None:
    """What an agent on stdio records is its person's, through that client; over HTTP it is the caller's own."""
    found = hindcast.get(f"/api/v1/incidents/{STORY}?space={SPACE}")["case"]["attempts"]
    by = {one["by"] for one in found if one["action"] == CALLS["attempt_record"]["action"]}

    assert ("ana via night-agent" if seen.way.startswith("stdio") else "test") in by


def test_telemetry_that_a_server_holds_is_done_without(seen: Seen) -> None:
    """Beside a running server, an agent on stdio counts from incidents alone and says so; the server reads its own."""
    told = seen.called["error_correlations"].structured_content

    assert ("in use by another process" in told["telemetry"]) == seen.way.startswith("stdio")
    assert told["from_incidents"]


def test_what_an_engine_says_stays_out_of_the_clients_log(hindcast: Serving, tmp_path: Path) -> None:
    """That a running server holds the telemetry is told in the answer, and not on stderr by the engine."""
    log = tmp_path / "stderr"

    async def run() -> Any:
        with log.open("w") as stream:
            over = stdio_client(on_stdio(hindcast.folder / "store", "--space", SPACE), errlog=stream)
            async with Client(over, read_timeout_seconds=60) as client:
                return await client.call_tool("error_correlations", {})

    told = asyncio.run(run())

    assert "in use by another process" in told.structured_content["telemetry"]
    assert "DB::Exception" not in log.read_text()
    assert "Cannot lock" not in log.read_text()


def test_trouble_and_changes_that_go_together_are_found_in_telemetry(hindcast: Serving) -> None:
    """Services that fail in the same minutes, and after the same deploys, are told with counts and lift."""
    let_fail_together(hindcast)

    async def run() -> Any:
        async with connected(hindcast, "http modern") as client:
            return await client.call_tool("error_correlations", {"about": "checkout"})

    told = asyncio.run(run())

    (pair,) = told.structured_content["from_telemetry"]
    assert {pair["one"]["name"], pair["other"]["name"]} == {"cart", "checkout"}
    assert (pair["together"], pair["lift"] > 50) == (4, True)
    after = {
        one["service"]: (one["change"], one["times"], one["of"]) for one in told.structured_content["after_changes"]
    }
    assert after["checkout"] == after["cart"] == ("deploy of checkout", 4, 4)
    assert "checkout failed: pool empty" in told.content[0].text


def test_many_calls_at_once_are_all_answered(seen: Seen) -> None:
    """Twenty calls on one connection come back each with its own answer."""
    assert len(set(seen.at_once)) == 20


def test_a_bridge_to_nowhere_says_so(tmp_path: Path) -> None:
    """Where nothing answers, the bridge ends with words for whoever reads the agent's log, and not with a traceback."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    command = [sys.executable, "-m", "hindcast", "mcp", "--url", f"http://127.0.0.1:{free_port()}"]
    ended = subprocess.run(
        command, input=json.dumps(hello) + "\n", capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
    )

    assert ended.returncode not in (0, 1)
    assert "Nothing answers at http://127.0.0.1:" in ended.stderr
    assert "hindcast serve" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("url", "space", "meant"),
    [
        ("http://127.0.0.1:4318", "", "http://127.0.0.1:4318/mcp"),
        ("http://127.0.0.1:4318/", "shop", "http://127.0.0.1:4318/mcp?space=shop"),
        ("https://h.example/mcp", "acme/shop", "https://h.example/mcp?space=acme%2Fshop"),
        ("https://h.example/proxy/?a=b", "", "https://h.example/proxy/mcp?a=b"),
    ],
)
def test_the_address_of_the_tools_follows_from_the_servers(url: str, space: str, meant: str) -> None:
    """Who gives the address of a server means the tools of it."""
    assert endpoint(url, space) == meant


def test_a_first_agent_finds_an_empty_memory(tmp_path: Path) -> None:
    """On a machine where nothing was ever remembered, tools answer and nothing fails."""

    async def run() -> tuple[Any, Any, Any]:
        async with Client(on_stdio(tmp_path / "store")) as client:
            return (
                await client.call_tool("recall", {"text": "connection refused"}),
                await client.call_tool("error_correlations", {}),
                await client.list_resources(),
            )

    recalled, correlated, resources = asyncio.run(run())

    assert recalled.content[0].text.startswith("Not seen before.")
    assert "there is none here" in correlated.structured_content["telemetry"]
    assert resources.resources == []
