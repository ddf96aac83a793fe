"""Tools' answers as a model or a tired person reads them: text that somebody has looked through.

After a change that is meant, write the new ones with `HINDCAST_WRITE_GOLDEN=1`, and read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.toolbench import NOW, STORY, desk_on, memory_in, seeded

from hindcast import toolbox
from hindcast.mcp import reference
from hindcast.mcp.pages import incident_page, postmortem
from hindcast.model.errors import HindcastError
from hindcast.toolbox import Desk
from hindcast.toolbox.naming import known

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(__file__).resolve().parent / "tools"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "incident_get": ("incident_get", {"incident": STORY, "tokens_max": 3_000}),
    "incident_get_small": ("incident_get", {"incident": STORY, "tokens_max": 200}),
    "search_incidents": ("search_incidents", {"services": "payment", "since": "60 days ago", "count_max": 5}),
    "resolution_patterns": ("resolution_patterns", {"about": "redis", "tokens_max": 1_000}),
    "error_correlations": ("error_correlations", {"about": "postgres"}),
    "memory_search": ("memory_search", {"words": "certificate chain", "namespace": "runbooks"}),
}
# What goes wrong most often, by what was called.
MISTAKES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recal", {}),
    ("recall", {}),
    ("recall", {"text": "x", "at": "the other day"}),
    ("search_incidents", {"state": "closed"}),
    ("search_incidents", {"count_max": 500}),
    ("search_incidents", {"since": "recently"}),
    ("search_incidents", {"priority": "high"}),
    ("incident_get", {}),
    ("incident_get", {"incident": "past-redis-worker-poll"}),
    ("attempt_record", {"incident": STORY}),
    ("verdict_record", {"incident": STORY, "judgement": "maybe"}),
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with the demo's history."""
    memory = memory_in(seeded(tmp_path_factory.mktemp("golden-tools")))
    yield desk_on(memory)
    memory.close()


def golden(name: str, text: str) -> str:
    """What was found good, after having been rewritten where that was asked for."""
    path = FOLDER / name
    if os.environ.get("HINDCAST_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CALLS)
def test_a_tool_says_what_was_found_good(desk: Desk, name: str) -> None:
    """Each call gives the text that a person has read."""
    tool, given = CALLS[name]
    text = toolbox.call(tool, given, desk).text + "\n"

    assert text == golden(f"{name}.txt", text)


def test_mistakes_are_explained_as_was_found_good(desk: Desk) -> None:
    """Every common mistake of a model gets words that say what to write instead."""
    told = []
    for tool, given in MISTAKES:
        with pytest.raises(HindcastError) as caught:
            toolbox.call(tool, given, desk)
        told.append(f"{tool} {given}\n  {caught.value}")
    text = "\n".join(told) + "\n"

    assert text == golden("mistakes.txt", text)


def test_the_reference_is_what_the_code_says() -> None:
    """docs/reference/mcp.md has every tool, argument, resource, prompt and kind of failure as it is."""
    assert (ROOT / reference.PAGE).read_text(encoding="utf-8") == reference.page()


def test_pages_read_as_they_did(desk: Desk) -> None:
    """The page of an incident and its postmortem are the ones that were found good."""
    kept = known(desk.memory.now(), STORY)
    pages = {"incident.md": incident_page(kept, None, now=NOW), "postmortem.md": postmortem(kept, None, now=NOW)}

    assert pages == {name: golden(name, text) for name, text in pages.items()}
