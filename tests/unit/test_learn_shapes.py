"""Exports of incident tools become cases; what cannot be read is named, and costs nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hindcast.learn.shapes import Export, cases_of
from hindcast.model.case import CaseState, Outcome, to_json
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address
from hindcast.model.signal import Severity

FALLBACK = datetime(2026, 1, 1, tzinfo=UTC)

PAGERDUTY: dict[str, Any] = {
    "id": "Q2ABC9XYZ",
    "type": "incident",
    "incident_number": 812,
    "title": "payment-worker: connection resets",
    "created_at": "2026-03-02T14:03:00Z",
    "status": "resolved",
    "urgency": "high",
    "priority": {"summary": "P1"},
    "service": {"id": "PSVC", "summary": "payment-worker"},
    "html_url": "https://acme.example.com/incidents/Q2ABC9XYZ",
    "assignments": [{"assignee": {"type": "user_reference", "summary": "Dana Okoye"}}],
    "body": {"details": "ConnectionResetError: [Errno 104] Connection reset by peer"},
    "notes": [
        {
            "content": "Raised the pool size to 200.",
            "created_at": "2026-03-02T14:09:00Z",
            "user": {"summary": "Dana Okoye"},
        },
        {"content": "Resets doubled.", "created_at": "2026-03-02T14:12:00Z", "user": {"summary": "Piotr Z"}},
    ],
    "log_entries": [
        {"type": "trigger_log_entry", "created_at": "2026-03-02T14:03:00Z", "channel": {"summary": "noise"}},
        {
            "type": "annotate_log_entry",
            "created_at": "2026-03-02T14:31:00Z",
            "agent": {"summary": "Piotr Z"},
            "channel": {"content": "Capped the pool at 20 connections, errors stopped."},
        },
        {"type": "resolve_log_entry", "created_at": "2026-03-02T14:37:00Z", "agent": {"summary": "Piotr Z"}},
    ],
}
JIRA: dict[str, Any] = {
    "key": "OPS-77",
    "self": "https://jira.example.com/rest/api/2/issue/10077",
    "names": {"customfield_10010": "Root cause"},
    "fields": {
        "summary": "Logins failing",
        "description": {
            "type": "doc",
            "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Logins failed with HTTP 503."}]}],
        },
        "created": "2026-02-01T10:00:00.000+0100",
        "resolutiondate": "2026-02-01T11:25:00.000+0100",
        "status": {"name": "Done"},
        "priority": {"name": "High"},
        "components": [{"name": "Auth"}],
        "assignee": {"displayName": "Lena Roth"},
        "resolution": {"name": "Done"},
        "customfield_10010": "The certificate of the identity provider had expired.",
        "comment": {
            "comments": [
                {
                    "author": {"displayName": "Lena Roth"},
                    "body": "Restarting auth-service did not help.",
                    "created": "2026-02-01T10:20:00.000+0100",
                },
                {
                    "author": {"displayName": "Lena Roth"},
                    "body": "Renewed the certificate and logins recovered.",
                    "created": "2026-02-01T11:24:00.000+0100",
                },
            ]
        },
    },
}
INCIDENT_IO: dict[str, Any] = {
    "id": "01FDAG4SAP5TYPT98WGR2N7W91",
    "reference": "INC-123",
    "name": "Search returns nothing",
    "summary": "The disk of the search cluster was full.",
    "created_at": "2026-04-01T09:12:00Z",
    "incident_status": {"category": "closed", "name": "Closed"},
    "severity": {"name": "Major", "rank": 2},
    "permalink": "https://app.incident.example.com/incidents/123",
    "custom_field_entries": [
        {
            "custom_field": {"name": "Affected services"},
            "values": [{"value_option": {"value": "search-api"}}, {"value_catalog_entry": {"name": "catalogue"}}],
        },
        {"custom_field": {"name": "Root cause"}, "values": [{"value_text": "The reindex kept two copies."}]},
    ],
    "incident_role_assignments": [{"role": {"name": "Lead"}, "assignee": {"name": "Kim Vu"}}],
    "incident_timestamp_values": [
        {"incident_timestamp": {"name": "Impact started"}, "value": {"value": "2026-04-01T09:00:00Z"}},
        {"incident_timestamp": {"name": "Resolved at"}, "value": {"value": "2026-04-01T10:08:00Z"}},
    ],
    "updates": [{"message": "Expanded the volume and search recovered.", "created_at": "2026-04-01T10:07:00Z"}],
}


def read(*rows: Any, name: str = "export.json", shape: str = "auto") -> Export:
    """What a JSON list of rows gives."""
    return cases_of(json.dumps(list(rows)), name=name, fallback_at=FALLBACK, shape=shape)


def test_pagerduty_notes_tell_what_was_tried() -> None:
    """An incident of PagerDuty keeps who, when and how long, and its notes become attempts with outcomes."""
    export = read(PAGERDUTY)
    (case,) = export.cases

    assert (export.shape, export.rejected) == ("pagerduty", ())
    assert case.id == "pagerduty-q2abc9xyz"
    assert case.severity is Severity.CRITICAL
    assert case.services == ("payment-worker",)
    assert case.minutes_to_resolve == 34
    assert case.responders == ("Dana Okoye", "Piotr Z")
    assert [(one.action, one.outcome, one.by) for one in case.attempts] == [
        ("raised the pool size to 200", Outcome.MADE_WORSE, "Dana Okoye"),
        ("capped the pool at 20 connections", Outcome.WORKED, "Piotr Z"),
    ]
    assert case.resolution is not None
    assert case.resolution.text == "capped the pool at 20 connections"


def test_jira_comments_and_custom_fields_are_read() -> None:
    """An issue of Jira gives its rich text, its custom field of the cause, and its comments as attempts."""
    (case,) = read(JIRA).cases

    assert case.id == "jira-ops-77"
    assert case.occurred_at == datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
    assert case.minutes_to_resolve == 85
    assert case.cause is not None
    assert case.cause.text.startswith("The certificate")
    assert [(one.action, one.outcome) for one in case.attempts] == [
        ("restarted auth-service", Outcome.NO_EFFECT),
        ("renewed the certificate", Outcome.WORKED),
    ]
    assert case.components == ("auth",)


def test_jira_csv_gathers_repeated_columns() -> None:
    """The CSV of Jira writes a column for every comment; each keeps its author and time."""
    text = (
        "Issue key,Summary,Status,Priority,Created,Resolved,Comment,Comment,Custom field (Root cause)\n"
        "OPS-9,Slow checkout,Done,Low,16/Nov/26 2:03 AM,16/Nov/26 2:40 AM,"
        '"16/Nov/26 2:10 AM;dana;Rolled back checkout; no change",'
        '"16/Nov/26 2:30 AM;lee;Added an index on orders, fixed it",'
        "A missing index\n"
    )
    (case,) = cases_of(text, name="jira.csv", fallback_at=FALLBACK).cases

    assert case.minutes_to_resolve == 37
    assert [(one.by, one.outcome) for one in case.attempts] == [("dana", Outcome.NO_EFFECT), ("lee", Outcome.WORKED)]
    assert case.attempts[0].at == datetime(2026, 11, 16, 2, 10, tzinfo=UTC)


def test_pagerduty_csv_counts_seconds() -> None:
    """The CSV of PagerDuty gives the time to resolve in seconds and names of columns of its own."""
    text = (
        "id,incident_number,description,service_name,created_on,resolved_on,seconds_to_resolve,urgency\n"
        "PX1,7,Disk full,search,2026-05-01T10:00:00Z,2026-05-01T10:10:00Z,600,low\n"
    )
    (case,) = cases_of(text, name="incidents.csv", fallback_at=FALLBACK).cases

    assert (case.id, case.minutes, case.severity, case.title) == ("pagerduty-px1", 10.0, Severity.MINOR, "Disk full")


def test_incident_io_times_and_custom_fields() -> None:
    """An incident of incident.io begins when its impact did, and its custom fields name services and cause."""
    (case,) = read(INCIDENT_IO).cases

    assert case.id == "incident-io-inc-123"
    assert case.occurred_at == datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
    assert case.minutes_to_resolve == 68
    assert case.services == ("search-api", "catalogue")
    assert case.cause is not None
    assert case.cause.text == "The reindex kept two copies."
    assert case.responders == ("Kim Vu",)
    assert case.attempts[0].outcome is Outcome.WORKED


def test_our_own_cases_come_back_as_they_were() -> None:
    """A case that Hindcast wrote is read without any interpretation."""
    (case,) = read(PAGERDUTY).cases
    export = read({**to_json(case), "keys": ["fp:1"]})

    assert export.shape == "hindcast"
    assert export.cases == (case,)


def test_any_table_is_read_by_well_known_names() -> None:
    """Columns named as most tools name them are enough."""
    text = (
        "Incident ID;Title;Started At;Duration;Root Cause;Resolution;Service;Severity\n"
        "17;Queue stuck;2026-06-01 08:00;45 minutes;A poison message;"
        "Purged the queue and restarted the consumer;orders;SEV2\n"
    )
    export = cases_of(text, name="table.csv", fallback_at=FALLBACK)
    (case,) = export.cases

    assert export.shape == "generic"
    assert (case.id, case.minutes, case.services, case.severity) == ("generic-17", 45.0, ("orders",), Severity.MAJOR)
    assert {one.outcome for one in case.attempts} == {Outcome.WORKED}
    assert case.occurred_at == datetime(2026, 6, 1, 8, 0, tzinfo=UTC)


def test_one_bad_row_costs_no_other() -> None:
    """Rows that cannot be read are named with their place and reason; the rest is read."""
    lines = [
        json.dumps(PAGERDUTY),
        "{broken",
        json.dumps({"a": 1}),
        "[]",
        json.dumps({**JIRA, "fields": {"summary": ""}}),
    ]
    export = cases_of("\n".join(lines), name="x.jsonl", fallback_at=FALLBACK)

    assert [case.id for case in export.cases] == ["pagerduty-q2abc9xyz"]
    assert [one.place for one in export.rejected] == ["line 2", "line 3", "line 4", "line 5"]
    assert "no JSON" in export.rejected[0].reason
    assert "no summary" in export.rejected[3].reason


def test_a_time_that_is_none_is_named() -> None:
    """A row whose time cannot be read is rejected by the name of its field."""
    export = read({"id": 5, "title": "x", "created_at": "yesterday-ish"})

    assert export.cases == ()
    assert "is no time" in export.rejected[0].reason


def test_a_row_that_stands_twice_counts_once() -> None:
    """Two rows with one id are one case, and that is said."""
    export = read(PAGERDUTY, PAGERDUTY)

    assert len(export.cases) == 1
    assert "twice" in export.rejected[0].reason


def test_envelopes_are_opened() -> None:
    """The answer of an API holds its incidents in a list of its own."""
    text = json.dumps({"limit": 25, "incidents": [PAGERDUTY]})

    assert [case.id for case in cases_of(text, name="a.json", fallback_at=FALLBACK).cases] == ["pagerduty-q2abc9xyz"]


@pytest.mark.parametrize("key", ["Q2/ABC.XYZ", "Ünïcode #5", "x" * 400, "..", "a b\tc"])
def test_every_id_can_be_an_address(key: str) -> None:
    """Whatever a source calls an incident, its case has an id that memory takes, the same each time."""
    first, second = (read({**PAGERDUTY, "id": key}).cases[0].id for _ in range(2))

    assert first == second
    assert Address("cases", first).path == first


def test_reading_tells_how_far_it_is() -> None:
    """Whoever waits for a large export sees every row counted."""
    seen: list[tuple[int, int | None, str]] = []
    cases_of(
        json.dumps([PAGERDUTY, JIRA]),
        name="a.json",
        fallback_at=FALLBACK,
        progress=lambda done, total, unit: seen.append((done, total, unit)),
    )

    assert seen == [(1, 2, "rows"), (2, 2, "rows")]


def test_an_open_incident_stays_open() -> None:
    """What has not ended is not called resolved."""
    row = {**PAGERDUTY, "status": "triggered", "log_entries": [], "notes": []}

    assert read(row).cases[0].state is CaseState.OPEN


def test_an_unknown_shape_is_refused() -> None:
    """A shape that nobody has written is named with those there are."""
    with pytest.raises(Malformed) as caught:
        read(PAGERDUTY, shape="opsgenie")
    assert caught.value.field == "shape"
    assert "pagerduty" in caught.value.remedy


def test_a_postmortem_inside_of_a_ticket_is_taken_apart() -> None:
    """A description with headings gives cause and fix; its plans become notes, and its blocks are no prose."""
    description = (
        "h2. Summary\nCheckout was slow.\n{code}\nwe restarted redis, it made things worse\n{code}\n"
        "h2. Root cause\nA missing index.\nh2. Resolution\nAdded an index on orders.\n"
        "h2. Action items\n* Restart nothing\n"
    )
    fields = {"summary": "Slow checkout", "description": description, "created": "2026-02-01T10:00:00.000+0000"}
    (case,) = read({"key": "OPS-5", "fields": fields}).cases

    assert case.cause is not None
    assert case.cause.text == "A missing index."
    assert case.resolution is not None
    assert case.resolution.text == "Added an index on orders."
    assert [(one.action, one.outcome) for one in case.attempts] == [("added an index on orders", Outcome.WORKED)]
    assert [note.text for note in case.notes] == ["Action items: Restart nothing"]


def test_a_trace_without_marks_is_kept_whole() -> None:
    """A stack trace that somebody pasted between two sentences is found, with its exception."""
    python = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: no\n'
    java = "java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n"
    for trace in (python, java):
        (case,) = read({"id": 1, "title": "x", "description": f"It broke:\n{trace}\nThen we looked at it."}).cases
        assert case.stack == trace.rstrip()
