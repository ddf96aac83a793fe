"""Incidents over HTTP, as a page, an agent or another tool reads and completes them."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.resting import Resting, resting

from hindcast.experience import verdicts_of
from hindcast.model.case import Case, CaseState, Clues
from hindcast.model.incident import Incident
from hindcast.rest.shapes import CaseTold, CluesTold, DetectionTold

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
ONE = "/api/v1/incidents/inc-1"


def case(number: int = 1, **more: Any) -> Case:
    """A case; the higher the number, the older."""
    return Case(
        **{
            "id": f"inc-{number}",
            "title": "redis resets connections",
            "occurred_at": NOW - timedelta(hours=number),
            "services": ("payment",),
            "symptoms": ("ConnectionResetError",),
            **more,
        }
    )


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast; each test has a space of its own."""
    with resting(tmp_path_factory.mktemp("incidents")) as made:
        yield made


@pytest.fixture
def space(hindcast: Resting, request: pytest.FixtureRequest) -> str:
    """A space that knows one incident."""
    name: str = request.node.name.partition("[")[0].replace("_", "-")[:60] + f"-{abs(hash(request.node.name)) % 10_000}"
    hindcast.remember(name, case())
    return name


def test_an_incident_is_completed_over_http(hindcast: Resting, space: str) -> None:
    """Note, attempt, outcome and resolution can be said by any tool, and come back with what is still missing."""
    first = hindcast.get(ONE, space)
    assert [one["what"] for one in first["missing"]] == ["the cause", "what ended it", "what was tried"]
    hindcast.ask("POST", f"{ONE}/notes", space, json={"text": "only in eu-west"})
    tried = {"action": "raised the pool", "by": "agent:triage", "at": "2026-11-15T02:00:00Z", "command": "set pool=200"}
    told = hindcast.ask("POST", f"{ONE}/attempts", space, json=tried).json()
    assert (told["case"]["attempts"][0]["id"], told["case"]["attempts"][0]["by"]) == ("a1", "agent:triage")
    hindcast.ask("POST", f"{ONE}/attempts/a1", space, json={"outcome": "made worse"})
    said = {"cause": "a leak", "fix": "released", "minutes": 34}
    done = hindcast.ask("POST", f"{ONE}/resolution", space, json=said).json()

    assert done["missing"] == []
    assert (done["state"], done["cause"], done["fix"], done["minutes"]) == ("resolved", "a leak", "released", 34)
    assert done["case"]["attempts"][0]["outcome"] == "made worse"
    # Whoever asks is who acts; `by` says who did it.
    assert [commit.actor for commit in hindcast.memory(space).log(commits_max=4)] == ["ana"] * 4


def test_an_incident_has_an_owner_once_somebody_acknowledges_it(hindcast: Resting, space: str) -> None:
    """Who works on it and since when is told by the incident; the latest is the owner, and what is over has none."""
    path = f"{ONE}/acknowledgement"
    assert hindcast.get(ONE, space)["case"]["acknowledged"] is None

    first = hindcast.ask("POST", path, space, json={}).json()["case"]
    again = hindcast.ask("POST", path, space, json={"by": "ana"}).json()["case"]
    other = hindcast.ask("POST", path, space, json={"by": "priya"}).json()["case"]

    assert first["acknowledged"]["by"] == "ana"
    assert again["acknowledged"] == first["acknowledged"]
    assert (other["acknowledged"]["by"], other["responders"]) == ("priya", ["ana", "priya"])
    assert "- Owner: priya" in hindcast.ask("GET", ONE, space, headers={"Accept": "text/markdown"}).text
    hindcast.ask("POST", f"{ONE}/resolution", space, json={"fix": "released"})
    assert hindcast.ask("POST", path, space, status=403, json={}).json()["detail"].startswith("inc-1 is resolved")


def test_a_list_is_narrowed_and_goes_on_where_it_ended(hindcast: Resting) -> None:
    """State, severity, service, time and words narrow a list; pages join without gap or repetition."""
    cases = [case(number, services=("auth",) if number % 3 else ("payment",)) for number in range(1, 31)]
    hindcast.remember("listed", *cases)
    hindcast.ask("POST", "/api/v1/incidents/inc-7/resolution", "listed", json={"fix": "restarted the RELAY"})

    first = hindcast.get("/api/v1/incidents", "listed", limit=20)
    rest = hindcast.get("/api/v1/incidents", "listed", limit=20, cursor=first["next"])
    ids = [one["id"] for one in first["items"] + rest["items"]]
    assert (ids, rest["next"]) == ([f"inc-{number}" for number in range(1, 31)], None)

    def found(**wanted: Any) -> list[str]:
        return [one["id"] for one in hindcast.get("/api/v1/incidents", "listed", **wanted)["items"]]

    assert found(state="resolved") == ["inc-7"]
    assert found(text="relay REDIS") == ["inc-7"]
    assert found(text="nothing like it") == []
    assert len(found(service="payment")) == 10
    assert len(found(state=["open", "resolved"])) == 30
    assert found(since=(NOW - timedelta(hours=2)).isoformat()) == ["inc-1", "inc-2"]
    assert found(until=(NOW - timedelta(hours=28)).isoformat()) == ["inc-29", "inc-30"]


def test_an_overview_counts_what_stands_where(hindcast: Resting) -> None:
    """Open, resolved and dismissed incidents are counted; how long recent ones took is their median."""
    now = datetime.now(UTC)
    fresh = {"occurred_at": now - timedelta(hours=5), "state": CaseState.RESOLVED}
    told = [case(number, **fresh, minutes=minutes) for number, minutes in ((1, 10.0), (2, 20.0), (3, 90.0))]
    old = case(4, occurred_at=now - timedelta(days=400), state=CaseState.RESOLVED, minutes=1.0)
    hindcast.remember("counted", *told, old, case(5, occurred_at=now), case(6, state=CaseState.DISMISSED))
    hindcast.ask("POST", f"{ONE}/resolution", "counted", json={"cause": "a leak", "fix": "released"})
    seen = hindcast.get("/api/v1/overview", "counted")

    assert (seen["open"], seen["resolved"], seen["dismissed"]) == (1, 4, 1)
    assert (seen["recent"], seen["recent_explained"], seen["minutes_median"]) == (4, 1, 20.0)
    assert hindcast.get("/api/v1/overview", "nobody-counts")["minutes_median"] is None


def test_the_past_is_listed_as_it_was(hindcast: Resting, space: str) -> None:
    """With `at` a list and an incident are what they were before somebody said what ended it."""
    before = hindcast.memory(space).log(commits_max=1)[0].id
    hindcast.ask("POST", f"{ONE}/resolution", space, json={"fix": "released"})

    assert hindcast.get("/api/v1/incidents", space)["items"][0]["state"] == "resolved"
    assert hindcast.get("/api/v1/incidents", space, at=before)["items"][0]["state"] == "open"
    assert hindcast.get(ONE, space, at=before)["fix"] == ""


def test_reading_begins_no_memory(hindcast: Resting) -> None:
    """Asking about a space that nobody has written to answers that, and leaves no file behind."""
    assert hindcast.get("/api/v1/incidents", "nobody-was-here") == {"items": [], "next": None}
    hindcast.ask("GET", ONE, "nobody-was-here", status=404)
    hindcast.ask("POST", f"{ONE}/notes", "nobody-was-here", json={"text": "x"}, status=404)
    answer = hindcast.ask("POST", "/api/v1/recall", "nobody-was-here", json={"text": "error"}).json()
    assert answer["diagnosis"]["familiarity"] == "not seen before"
    hindcast.ask("GET", "/api/v1/memory/commits", "nobody-was-here", status=404)

    assert not [file for file in (hindcast.folder / "store").iterdir() if "nobody" in file.name]


def test_a_write_on_something_older_is_refused(hindcast: Resting, space: str) -> None:
    """An ETag that is no longer true makes a write fail with 412, and changes nothing."""
    tag = hindcast.ask("GET", ONE, space).headers["ETag"]
    said: dict[str, Any] = {"json": {"text": "first"}, "headers": {"If-Match": tag}}
    again = hindcast.ask("POST", f"{ONE}/notes", space, **said).headers["ETag"]

    refused = hindcast.ask("POST", f"{ONE}/notes", space, status=412, **said).json()
    assert (refused["field"], refused["type"]) == ("If-Match", "/problems/stale")
    assert len(hindcast.get(ONE, space)["case"]["notes"]) == 1
    hindcast.ask("POST", f"{ONE}/notes", space, json={"text": "second"}, headers={"If-Match": again})
    hindcast.ask("POST", f"{ONE}/notes", space, status=400, json={"text": "x"}, headers={"If-Match": "yesterday"})


def test_what_is_known_is_not_sent_again(hindcast: Resting, space: str) -> None:
    """Asking with the ETag one has gives 304 until something changes."""
    tag = hindcast.ask("GET", ONE, space).headers["ETag"]

    assert hindcast.ask("GET", ONE, space, status=304, headers={"If-None-Match": tag}).content == b""
    hindcast.ask("POST", f"{ONE}/notes", space, json={"text": "news"})
    hindcast.ask("GET", ONE, space, headers={"If-None-Match": tag})


def test_a_request_sent_twice_happens_once(hindcast: Resting, space: str) -> None:
    """The same key and body get the first answer again; the same key with another body is a conflict."""
    once: dict[str, Any] = {"json": {"text": "only once"}, "headers": {"Idempotency-Key": "note-1"}}
    first = hindcast.ask("POST", f"{ONE}/notes", space, **once)
    second = hindcast.ask("POST", f"{ONE}/notes", space, **once)

    assert (second.content, second.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert second.headers["ETag"] == first.headers["ETag"]
    assert len(hindcast.get(ONE, space)["case"]["notes"]) == 1
    other: dict[str, Any] = {"json": {"text": "another"}, "headers": {"Idempotency-Key": "note-1"}}
    assert hindcast.ask("POST", f"{ONE}/notes", space, status=409, **other).json()["field"] == "Idempotency-Key"
    # What failed may be tried again with its key.
    failed: dict[str, Any] = {"json": {"outcome": "worked"}, "headers": {"Idempotency-Key": "judge-1"}}
    hindcast.ask("POST", f"{ONE}/attempts/a1", space, status=404, **failed)
    hindcast.ask("POST", f"{ONE}/attempts", space, json={"action": "restarted"})
    hindcast.ask("POST", f"{ONE}/attempts/a1", space, **failed)


def test_two_writers_lose_nothing(hindcast: Resting, space: str) -> None:
    """Twenty notes from four threads are all there; with one ETag only one of many succeeds."""
    tag = hindcast.ask("GET", ONE, space).headers["ETag"]
    statuses: list[int] = []

    def write(writer: int) -> None:
        for number in range(5):
            hindcast.ask("POST", f"{ONE}/notes", space, json={"text": f"note {writer}.{number}"})

    def race(number: int) -> None:
        headers = {"If-Match": tag, "X-Hindcast-Space": space}
        answer = hindcast.client.post(f"{ONE}/attempts", json={"action": f"tried {number}"}, headers=headers)
        statuses.append(answer.status_code)

    for task in (race, write):
        threads = [threading.Thread(target=task, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    told = hindcast.get(ONE, space)["case"]
    assert sorted(statuses) == [200, 412, 412, 412]
    assert len(told["attempts"]) == 1
    assert {note["text"] for note in told["notes"]} == {f"note {w}.{n}" for w in range(4) for n in range(5)}
    assert len({note["id"] for note in told["notes"]}) == 20


def test_what_nobody_watches_is_decided_in_memory(hindcast: Resting, space: str) -> None:
    """Confirm, dismiss and reopen work for an incident that was imported; saying the same twice is refused."""
    assert hindcast.ask("POST", f"{ONE}/decision", space, json={"verb": "confirm"}).json()["state"] == "resolved"
    hindcast.ask("POST", f"{ONE}/decision", space, status=403, json={"verb": "confirm"})
    assert hindcast.ask("POST", f"{ONE}/decision", space, json={"verb": "reopen"}).json()["state"] == "open"
    assert hindcast.ask("POST", f"{ONE}/decision", space, json={"verb": "dismiss"}).json()["state"] == "dismissed"
    hindcast.ask("POST", "/api/v1/incidents/nothing/decision", space, status=404, json={"verb": "confirm"})


def test_incidents_are_split_and_joined(hindcast: Resting) -> None:
    """Services go into an incident of their own, and come back; the one that was joined points to the other."""
    hindcast.remember("borders", case(1, services=("auth", "user", "payment")))
    new = hindcast.ask("POST", f"{ONE}/split", "borders", json={"services": ["user"], "new_id": "inc-9"}).json()
    assert (new["id"], new["services"], hindcast.get(ONE, "borders")["apart"]) == ("inc-9", ["user"], ["user"])
    one = hindcast.ask("POST", f"{ONE}/join", "borders", json={"other": "inc-9"}).json()
    assert set(one["services"]) == {"auth", "payment", "user"}

    joined = hindcast.get("/api/v1/incidents/inc-9", "borders")
    assert (joined["state"], joined["joined_into"], joined["missing"]) == ("joined", "inc-1", [])
    refused = hindcast.ask("POST", "/api/v1/incidents/inc-9/notes", "borders", status=403, json={"text": "x"}).json()
    assert "inc-1" in refused["remedy"]


def test_a_link_to_an_earlier_incident_is_taken_back(hindcast: Resting) -> None:
    """Whoever sees that it is another failure says so; without such a link there is nothing to take back."""
    hindcast.remember("linked", case(1, previous="inc-2"), case(2))
    said = {"from_previous": True, "why": "another cause"}
    one = hindcast.ask("POST", f"{ONE}/split", "linked", json=said).json()

    assert (one["id"], one["case"]["previous"]) == ("inc-1", "")
    assert hindcast.get(ONE, "linked")["case"]["previous"] == ""
    hindcast.ask("POST", f"{ONE}/split", "linked", status=403, json=said)
    hindcast.ask("POST", f"{ONE}/split", "linked", status=400, json={**said, "services": ["payment"]})


def test_what_stands_in_the_place_of_a_case_harms_nobody(hindcast: Resting, space: str) -> None:
    """A record that looks like a case and is none is listed without its case, and nothing can be said of it."""
    body = {"title": "half a case", "occurred_at": "2026-11-15T02:03:00Z", "attempts": [7]}
    said = {"body": body, "why": "by mistake", "kind": "case"}
    hindcast.ask("PUT", "/api/v1/memory/records/cases/odd", space, json=said)
    hindcast.ask("PUT", "/api/v1/memory/records/incidents/odd", space, json={**said, "kind": "incident"})

    assert {one["id"] for one in hindcast.get("/api/v1/incidents", space)["items"]} == {"inc-1", "odd"}
    told = hindcast.get("/api/v1/incidents/odd", space)
    assert (told["title"], told["case"], told["detection"]) == ("half a case", None, None)
    for path, saying in (("notes", {"text": "x"}), ("decision", {"verb": "confirm"}), ("resolution", {"fix": "x"})):
        refused = hindcast.ask("POST", f"/api/v1/incidents/odd/{path}", space, json=saying, status=403).json()
        assert "cases/odd" in refused["detail"]
    hindcast.ask("POST", f"{ONE}/join", space, json={"other": "odd"}, status=403)
    hindcast.ask("GET", "/api/v1/incidents/odd/recall", space, status=403)
    hindcast.ask("POST", f"{ONE}/verdicts", space, json={"judgement": "right", "incident": "odd"}, status=403)


def test_a_verdict_is_said_over_http(hindcast: Resting, space: str) -> None:
    """Right or wrong is remembered for the question, and a rejected proposal with its action."""
    said = {"judgement": "right", "asked": "ConnectionResetError redis"}
    told = hindcast.ask("POST", f"{ONE}/verdicts", space, json=said).json()
    assert (told["matter"], told["by"]) == ("memory", "ana")
    rejected = {**said, "judgement": "wrong", "action": "raise the pool"}
    assert hindcast.ask("POST", f"{ONE}/verdicts", space, json=rejected).json()["matter"] == "proposal"

    assert [(one.judgement, one.action) for one in verdicts_of(hindcast.memory(space).now())] == [
        ("right", ""),
        ("wrong", "raise the pool"),
    ]


def test_secrets_do_not_come_in_this_way(hindcast: Resting, space: str) -> None:
    """What is posted is redacted before it is stored."""
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    hindcast.ask("POST", f"{ONE}/notes", space, json={"text": f"key {secret}"})
    hindcast.ask("POST", f"{ONE}/resolution", space, json={"fix": f"used {secret}"})

    assert secret not in hindcast.ask("GET", ONE, space).text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("nothing/notes", {"text": "x"}, 404),
        ("inc-1/notes", {"text": ""}, 422),
        ("inc-1/notes", {"txt": "x"}, 422),
        ("inc-1/attempts", {"action": "x", "outcome": "great"}, 422),
        ("inc-1/attempts", {"action": "x", "at": "2026-11-15T02:05:00"}, 422),
        ("inc-1/attempts", {"action": "x", "at": "2126-11-15T02:05:00Z"}, 400),
        ("inc-1/attempts/a9", {"outcome": "worked"}, 404),
        ("inc-1/resolution", {"fix": "x", "minutes": -1}, 422),
        ("inc-1/resolution", {}, 400),
        ("inc-1/split", {"services": ["payment"]}, 400),
        ("inc-1/join", {"other": "inc-1"}, 400),
        ("nothing/verdicts", {"judgement": "right", "asked": "x"}, 404),
        ("inc-1/verdicts", {"judgement": "right"}, 400),
        ("..%2F..%2Fetc%2Fpasswd/notes", {"text": "x"}, 404),
        ("%2e%2e%2f%2e%2e%2fstore/notes", {"text": "x"}, 404),
    ],
)
def test_what_cannot_be_said_changes_nothing(
    hindcast: Resting, space: str, path: str, body: dict[str, Any], status: int
) -> None:
    """A mistake has its status and is told as a problem with a remedy; memory stays as it was."""
    answer = hindcast.ask("POST", f"/api/v1/incidents/{path}", space, json=body, status=status)

    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["remedy"]
    assert len(hindcast.memory(space).log()) == 1


def test_a_spreadsheet_gets_no_formula(hindcast: Resting) -> None:
    """In CSV whatever a spreadsheet would run is text, and quotes and line breaks stay within their cell."""
    evil = '=HYPERLINK("http://evil.example","click")'
    hindcast.remember("sheet", case(1, title=evil), case(2, title='a, "quoted"\nline', responders=("@SUM(A1)",)))
    answer = hindcast.ask("GET", "/api/v1/incidents", "sheet", headers={"Accept": "text/csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))

    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="incidents.csv"' in answer.headers["content-disposition"]
    assert [row["title"] for row in rows] == [f"'{evil}", 'a, "quoted"\nline']
    assert rows[1]["who"] == "'@SUM(A1)"
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@", "\t", "\r"))]


def test_stored_markup_stays_text(hindcast: Resting) -> None:
    """A script in any stored field comes out as JSON data or escaped Markdown, never as a page."""
    script = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    hindcast.remember("marked", case(1, title=script, summary=script, symptoms=(script,)))
    for path, body in (("notes", {"text": script}), ("attempts", {"action": script, "by": script})):
        hindcast.ask("POST", f"{ONE}/{path}", "marked", json=body)
    hindcast.ask("POST", f"{ONE}/resolution", "marked", json={"fix": script, "cause": script})

    told = hindcast.ask("GET", ONE, "marked")
    assert told.headers["content-type"] == "application/json"
    assert told.headers["x-content-type-options"] == "nosniff"
    assert told.json()["title"] == script
    for path in (ONE, "/api/v1/incidents", f"{ONE}/recall"):
        shown = hindcast.ask("GET", path, "marked", params={"format": "markdown"})
        assert shown.headers["content-type"] == "text/plain; charset=utf-8"
        # What was asked stands in a block that it cannot end.
        outside = re.sub(r"^```text$.*?^```$", "", shown.text, flags=re.MULTILINE | re.DOTALL)
        assert "<" not in outside.replace("\\<", "")
        kept = hindcast.ask("GET", path, "marked", headers={"Accept": "text/markdown"})
        assert kept.headers["content-type"].startswith("text/markdown")
        assert kept.headers["content-disposition"].startswith("attachment")


def test_an_id_cannot_break_a_header(hindcast: Resting) -> None:
    """A file is named after its incident with what is dangerous in a header taken out."""
    hindcast.remember("named", case(1, id='x";evil="é'))
    answer = hindcast.ask("GET", '/api/v1/incidents/x";evil="é', "named", headers={"Accept": "text/markdown"})

    assert answer.headers["content-disposition"] == 'attachment; filename="x__evil___.md"'


def test_shapes_are_those_of_the_values() -> None:
    """What REST tells of a case, an incident and clues has the fields that they have."""
    for told, value in ((CaseTold, Case), (DetectionTold, Incident), (CluesTold, Clues)):
        assert [one.name for one in fields(told)] == [one.name for one in fields(value)]
