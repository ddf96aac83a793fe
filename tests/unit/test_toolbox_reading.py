"""Arguments as models write them: what has one meaning is understood, what has none is explained."""

from __future__ import annotations

from typing import Any

import pytest

from hindcast import toolbox
from hindcast.model.errors import Malformed, Missing
from hindcast.toolbox import TOOLS, Tool
from hindcast.toolbox.reading import read_arguments


def read(name: str, **given: Any) -> Any:
    """The arguments of a tool."""
    return read_arguments(toolbox.find(name), given)


def problem(name: str, **given: Any) -> Malformed:
    """What is wrong with arguments."""
    with pytest.raises(Malformed) as caught:
        read(name, **given)
    return caught.value


@pytest.mark.parametrize(
    ("name", "given", "field", "meant"),
    [
        ("search_incidents", {"count_max": "5"}, "count_max", 5),
        ("search_incidents", {"count_max": 5.0}, "count_max", 5),
        ("search_incidents", {"services": "payment"}, "services", ("payment",)),
        ("search_incidents", {"services": "payment, auth"}, "services", ("payment", "auth")),
        ("search_incidents", {"services": '["payment", "auth"]'}, "services", ("payment", "auth")),
        ("search_incidents", {"services": None}, "services", ()),
        ("search_incidents", {"state": "OPEN"}, "state", "open"),
        ("search_incidents", {"query": "redis", "limit": 3}, "words", "redis"),
        ("search_incidents", {"limit": "3"}, "count_max", 3),
        ("recall", {"error": "boom"}, "text", "boom"),
        ("recall", {"Text": "boom"}, "text", "boom"),
        ("recall", {"text": ["boom"]}, "text", "boom"),
        ("recall", {"text": 404}, "text", "404"),
        ("recall", {"text": "boom", "verbose": None, "extra": ""}, "text", "boom"),
        ("incident_get", {"incident_id": "inc-7"}, "incident", "inc-7"),
        ("attempt_record", {"incident": "inc-7", "outcome": "made worse"}, "outcome", "made_worse"),
        ("attempt_record", {"incident": "inc-7", "outcome": "No-Effect"}, "outcome", "no_effect"),
        ("memory_diff", {"from": "yesterday", "to": "now"}, "before", "yesterday"),
    ],
)
def test_what_has_one_meaning_is_understood(name: str, given: dict[str, Any], field: str, meant: Any) -> None:
    """Numbers as text, one name for a list, other spellings and other tools' names are read as they were meant."""
    assert getattr(read(name, **given), field) == meant


def test_a_wrong_value_is_told_with_what_is_allowed_and_an_example() -> None:
    """A model that reads the error knows the argument, the range and a value that works."""
    told = problem("search_incidents", count_max="many")

    assert told.field == "count_max"
    assert told.problem == "\"many\" cannot be 'count_max'."
    assert told.remedy == "It has to be a whole number from 1 to 50. For example: 10"


def test_a_wrong_choice_is_told_with_every_choice() -> None:
    """An unknown state names the states that there are."""
    told = problem("search_incidents", state="closed")

    assert told.field == "state"
    assert "one of any, awaiting, dismissed, joined, open, resolved" in told.remedy


def test_an_unknown_argument_is_told_with_the_nearest() -> None:
    """An argument that no tool calls so is refused, and the likeliest one is named."""
    told = problem("search_incidents", service_names="payment", stat="open")

    assert told.problem.startswith("search_incidents has no argument")
    assert "Its arguments are words, services, state" in told.remedy
    assert "Did you mean 'state'?" in problem("search_incidents", stat="open").remedy


def test_a_missing_argument_is_told_with_a_call_that_works() -> None:
    """What is needed is named, described and shown."""
    told = problem("incident_get")

    assert told.field == "incident"
    assert told.remedy == 'For example: {"incident": "inc-20260930-0203-payment"}'


def test_two_names_for_one_argument_are_refused() -> None:
    """Where an argument is given already, its alias is an unknown one: nobody could say which of them counts."""
    assert problem("recall", text="one", query="two").field == "query"


def test_too_long_a_text_is_told_with_its_limit() -> None:
    """Limits are in the error."""
    assert "a text of 0 to 200 characters" in problem("recall", text="x", at="y" * 300).remedy


@pytest.mark.parametrize("given", ["text", ["text"], 7])
def test_arguments_that_are_no_object_are_refused(given: Any) -> None:
    """Arguments come by name."""
    with pytest.raises(Malformed, match="not a JSON object"):
        read_arguments(toolbox.find("recall"), given)


@pytest.mark.parametrize(("name", "meant"), [("recal", "recall"), ("searchIncidents", "search_incidents")])
def test_an_unknown_tool_is_told_with_the_nearest(name: str, meant: str) -> None:
    """A misspelt tool names the one that was meant, and all others."""
    with pytest.raises(Missing) as caught:
        toolbox.find(name)

    assert f"Did you mean {meant}?" in caught.value.remedy
    assert all(tool.name in caught.value.remedy for tool in TOOLS)


@pytest.mark.parametrize("name", ["Recall", "what-not-to-try", "hindcast.recall"])
def test_a_tool_is_found_in_any_spelling(name: str) -> None:
    """Capitals, dashes and a client's own prefix make no difference."""
    assert toolbox.find(name).name in ("recall", "what_not_to_try")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_schema_is_whole_closed_and_described(tool: Tool) -> None:
    """Every argument of every tool has a type and a description, nothing refers elsewhere, nothing else is let in."""
    schema = toolbox.schema(tool)

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert "$ref" not in str(schema)
    assert "$defs" not in schema
    assert all(one["description"] and one["type"] for one in schema["properties"].values())


def test_only_recording_and_deciding_write() -> None:
    """The tools that write are those that say so, and only deciding about code changes what is there."""
    assert [tool.name for tool in TOOLS if not tool.is_read_only] == ["attempt_record", "verdict_record", "fix_verdict"]
    assert [tool.name for tool in TOOLS if tool.is_destructive] == ["fix_verdict"]


def test_a_schema_that_is_changed_changes_no_other() -> None:
    """Who gets a schema owns it."""
    tool = toolbox.find("recall")
    toolbox.schema(tool)["properties"].clear()

    assert "text" in toolbox.schema(tool)["properties"]
