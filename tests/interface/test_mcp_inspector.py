"""The npm MCP inspector, in its CLI mode, lists and calls every tool over stdio and over streamable HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.serving import Serving, serving
from tests.toolbench import CALLS, SAID, SPACE, STORY, UNDO, seeded_today

from hindcast.toolbox import TOOLS

ROOT = Path(__file__).resolve().parent.parent.parent
# `make test` has put it there.
INSPECTOR = ROOT / ".venv" / "inspector" / "node_modules" / ".bin" / "mcp-inspector"
# Each call is a process of its own, and over stdio two; more at once would only wait for one another.
AT_ONCE = 2
# A busy machine is no fault of the server.
ANSWER_SECONDS_MAX = 300
CONNECT_MS_MAX = 120_000


@dataclass(frozen=True)
class Inspector:
    """An inspector that is told where the server is."""

    target: tuple[str, ...]
    folder: Path

    def ask(self, *arguments: str) -> tuple[int, dict[str, Any], str]:
        """Its exit code, what it was answered, and what else it has to say."""
        # What it would keep in the home of whoever runs the tests goes to a folder of the test.
        environment = {**os.environ, "HOME": str(self.folder)}
        command = [str(INSPECTOR), "--cli", *self.target, *arguments, "--connect-timeout", str(CONNECT_MS_MAX)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=ANSWER_SECONDS_MAX, check=False
        )
        assert done.stdout.strip(), done.stderr
        return done.returncode, json.loads(done.stdout), done.stderr

    def call(self, tool: str, given: dict[str, str]) -> tuple[int, dict[str, Any], str]:
        """The same for one tool."""
        pairs = [part for name, value in given.items() for part in ("--tool-arg", f"{name}={value}")]
        return self.ask("--method", "tools/call", "--tool-name", tool, *pairs)


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast that remembers the demo's history."""
    folder = tmp_path_factory.mktemp("inspector")
    seeded_today(folder / "store")
    with serving(folder, space=SPACE) as running:
        yield running


def over_http(hindcast: Serving) -> Inspector:
    """One that asks over HTTP, with the token of this machine in a header."""
    proof = ("--header", f"Authorization: Bearer {hindcast.token}")
    return Inspector((f"{hindcast.url}/mcp", "--transport", "http", *proof), hindcast.folder)


@pytest.fixture(scope="module", params=["stdio", "http"])
def inspector(hindcast: Serving, request: pytest.FixtureRequest) -> Inspector:
    """One that looks each way."""
    if request.param == "http":
        return over_http(hindcast)
    settings = {"STORE": str(hindcast.folder / "store"), "SPACE": SPACE, "MODEL": "none", "CONFIG": os.devnull}
    variables = [part for name, value in settings.items() for part in ("-e", f"HINDCAST_{name}={value}")]
    return Inspector((*variables, sys.executable, "-m", "hindcast", "mcp"), hindcast.folder)


def test_the_inspector_lists_every_tool_and_finds_no_fault(inspector: Inspector) -> None:
    """Every tool is listed, and its strict reading of the schemas has nothing to say."""
    code, told, said = inspector.ask("--method", "tools/list", "--strict")

    assert [one["name"] for one in told["tools"]] == [tool.name for tool in TOOLS]
    assert code == 0, said


def test_the_inspector_calls_every_tool(inspector: Inspector) -> None:
    """Every tool says what it should, with evidence, to somebody else's client."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(CALLS, pool.map(lambda item: inspector.call(*item), CALLS.items()), strict=True))
    # Whoever comes next decides about the same card.
    assert inspector.call("fix_verdict", UNDO)[0] == 0

    for name, (code, told, said) in answers.items():
        assert (code, told.get("isError", False)) == (0, False), f"{name}: {told} {said}"
        assert SAID[name] in told["content"][0]["text"], name
        assert told["structuredContent"]["evidence"], name


def test_the_inspector_reads_a_resource_and_a_prompt(hindcast: Serving) -> None:
    """Resources and prompts are understood by somebody else's client too."""
    inspector = over_http(hindcast)
    _, page, _ = inspector.ask("--method", "resources/read", "--uri", f"hindcast://postmortems/{STORY}")
    _, prompt, _ = inspector.ask(
        "--method", "prompts/get", "--prompt-name", "write_postmortem", "--prompt-args", f"incident={STORY}"
    )

    assert "# Postmortem: Payment workers lose redis" in page["contents"][0]["text"]
    assert "blameless postmortem" in prompt["messages"][0]["content"]["text"]
