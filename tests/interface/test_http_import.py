"""Postmortems over HTTP: read, reviewed, accepted and corrected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.resting import Resting, resting

PAGE = """# Nobody could log in (3 Feb 2026)

## What broke
Logins failed with "jwt: signature is invalid" between 10:05 and 10:47 UTC.

## Why
The signing key was rotated, but the gateways had the old key cached; password=hunter2secret99.

## What we tried
1. restart of auth-service -> nothing
2. flushed the session store -> NO that made it worse, now everybody was logged out
3. drained node 7
"""


@pytest.fixture
def face(tmp_path: Path) -> Iterator[Resting]:
    """An HTTP face with an empty memory."""
    with resting(tmp_path) as served:
        yield served


def sent(face: Resting, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a POST."""
    answer = face.client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert isinstance(found, dict)
    return found


def fields(review: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields of a reviewed record by their names."""
    return {one["name"]: one for one in review["fields"]}


def test_a_document_comes_back_as_a_review(face: Resting) -> None:
    """Each field stands with its sentence; what the text does not say is empty and asked; secrets are gone."""
    told = sent(face, "imports", {"documents": [{"name": "login.md", "text": PAGE}]})
    read = fields(told["review"][0])

    assert told["new"] == ["markdown-login"]
    assert "hunter2secret99" not in str(told)
    assert read["cause"]["value"].startswith("The signing key was rotated")
    assert read["fix"] == {
        "name": "fix", "value": "", "outcome": "", "sentences": [], "sure": False, "question": "What ended it?"
    }  # fmt: skip
    assert (read["a2"]["outcome"], read["a3"]["question"]) == ("made worse", "What came of it?")
    assert "now everybody was logged out" in read["a2"]["sentences"][0]


def test_a_record_is_accepted_and_corrected_in_one_call(face: Resting) -> None:
    """One call settles a record, and the same document sent again changes nothing of it."""
    sent(face, "imports", {"documents": [{"name": "login.md", "text": PAGE}]})
    corrections = {"fix": "set the cache to 60 s", "a3": "never", "people": "dana, sam"}
    said = sent(face, "imports/review", {"records": [{"case": "markdown-login", "corrections": corrections}]})
    read = fields(said["review"][0])
    again = sent(face, "imports", {"documents": [{"name": "login.md", "text": PAGE}]})

    assert said["review"][0]["open"] == 0
    assert (read["fix"]["value"], read["people"]["value"]) == ("set the cache to 60 s", "dana, sam")
    assert "a3" not in read
    assert again["unchanged"] == ["markdown-login"]


def test_a_document_may_come_with_its_corrections(face: Resting) -> None:
    """Reading and settling are one call for whoever has looked at a dry run before."""
    body = {"documents": [{"name": "login.md", "text": PAGE}], "dry_run": True}
    looked = sent(face, "imports", body)
    missing = face.client.get("/api/v1/incidents/markdown-login").status_code
    body = {"documents": [{"name": "login.md", "text": PAGE, "corrections": {"a3": "no-effect", "fix": "x"}}]}
    told = sent(face, "imports", body)

    assert (looked["new"], missing) == (["markdown-login"], 404)
    assert fields(told["review"][0])["a3"]["outcome"] == "no effect"
    assert face.client.get("/api/v1/incidents/markdown-login").status_code == 200


@pytest.mark.parametrize("corrections", [{"weather": "fine"}, {"a9": "worse"}, {"a1": "perhaps"}, {"minutes": "-3"}])
def test_a_correction_that_cannot_be_meant_is_refused(face: Resting, corrections: dict[str, str]) -> None:
    """A field, an attempt, an outcome or a time that there is not is refused by its name, and nothing is written."""
    sent(face, "imports", {"documents": [{"name": "login.md", "text": PAGE}]})
    body = {"records": [{"case": "markdown-login", "corrections": corrections}]}
    answer = face.client.post("/api/v1/imports/review", json=body)

    assert answer.status_code in (400, 422)
    assert next(iter(corrections)) in answer.text
