"""The OpenAPI document: what is kept in the repository is what the application says, and a client can be made of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hindcast.rest.openapi import BEGIN, END, document, with_routes

KEPT = Path(__file__).parents[2] / "docs/reference/openapi.json"
PAGE = Path(__file__).parents[2] / "docs/reference/rest.md"


def operations(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Every operation, as `GET /api/v1/incidents`."""
    return {f"{method.upper()} {path}": one for path, item in made["paths"].items() for method, one in item.items()}


KNOWN = operations(json.loads(KEPT.read_bytes()))


def test_the_document_is_what_the_application_says() -> None:
    """docs/reference/openapi.json is up to date; `make generate` makes it so."""
    assert json.loads(document()) == json.loads(KEPT.read_bytes())


def test_operations_have_names_of_their_own() -> None:
    """Each operation has a name that reads well as a method, and no two have the same."""
    names = [one["operationId"] for one in KNOWN.values()]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+){0,3}", name)] == []


@pytest.mark.parametrize("label", [one for one in KNOWN if " /api/v1/" in one])
def test_an_operation_says_what_it_answers(label: str) -> None:
    """An operation has a tag, a sentence, an answer with a schema, and failures told as problems."""
    one = KNOWN[label]
    good = [answer for status, answer in one["responses"].items() if status[0] in "23"]

    assert one["tags"]
    assert one.get("summary") or one.get("description")
    assert good
    assert all(content.get("schema") for answer in good for content in answer.get("content", {}).values())
    assert one["responses"]["404"] == {"$ref": "#/components/responses/Problem404"}


def test_every_route_stands_in_the_reference() -> None:
    """The routes in docs/reference/rest.md are those of the document; `make generate` makes it so."""
    page = PAGE.read_text()

    assert page.count(BEGIN) == page.count(END) == 1
    assert with_routes(page, json.loads(KEPT.read_bytes())) == page
    assert all(f"| `{label}` |" in page for label in KNOWN if " /api/v1/" in label)
