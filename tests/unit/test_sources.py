"""Webhooks: what each sender's fields mean, and how each wrong one is named."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindcast.ingest.sources import NAMING, SOURCES, Naming
from hindcast.ingest.sources.alertmanager import fingerprint
from hindcast.ingest.sources.naming import SERVICE_LABELS, severity
from hindcast.ingest.sources.reading import LIMITS, clip, flat, moment
from hindcast.model.columns import Parsed
from hindcast.model.errors import Malformed
from hindcast.model.signal import ChangeKind, Severity, Status

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)

ALERT = {"status": "firing", "labels": {"alertname": "Down"}, "startsAt": "2026-11-15T02:00:00Z"}
GROUP = {"version": "4", "alerts": [ALERT]}
INCIDENT = {"id": "P1", "type": "incident", "status": "triggered", "created_at": "2026-11-15T02:00:00Z"}
WEBHOOK = {"event": {"id": "E1", "event_type": "incident.triggered", "data": INCIDENT}}
SENTRY = {"action": "triggered", "data": {"event": {"issue_id": "7", "title": "Boom", "level": "error"}}}


def parse(name: str, body: object, headers: Mapping[str, str] | None = None, naming: Naming = NAMING) -> Parsed:
    """What a source makes of a body that is JSON."""
    return SOURCES[name](json.dumps(body).encode(), headers or {}, now=NOW, naming=naming)


def changed(body: Any, path: str, value: object) -> Any:
    """A copy of a body in which one dotted field is another; `...` takes it away."""
    made = copy.deepcopy(body)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner = made
    for part in way:
        inner = inner[part]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return made


WRONG = [
    ("alertmanager", [], "body"),
    ("alertmanager", {}, "alerts"),
    ("alertmanager", {"alerts": {}}, "alerts"),
    ("alertmanager", changed(GROUP, "version", "1"), "version"),
    ("alertmanager", changed(GROUP, "alerts.0", 5), "alerts[0]"),
    ("alertmanager", changed(GROUP, "alerts.0.startsAt", ...), "alerts[0].startsAt"),
    ("alertmanager", changed(GROUP, "alerts.0.startsAt", 5), "alerts[0].startsAt"),
    ("alertmanager", {"alerts": [ALERT, ALERT, changed(ALERT, "startsAt", "soon")]}, "alerts[2].startsAt"),
    ("alertmanager", changed(GROUP, "alerts.0.status", "burning"), "alerts[0].status"),
    ("alertmanager", changed(GROUP, "alerts.0.status", ...), "alerts[0].status"),
    ("alertmanager", changed(GROUP, "alerts.0.labels", ["a"]), "alerts[0].labels"),
    ("alertmanager", changed(GROUP, "alerts.0.labels", {"a": 1}), "alerts[0].labels[...]"),
    ("alertmanager", {"alerts": [ALERT] * (LIMITS.alerts_max + 1)}, "alerts"),
    ("grafana", changed(GROUP, "alerts.0.startsAt", "x"), "alerts[0].startsAt"),
    ("grafana", changed(GROUP, "alerts.0.values", {"B": []}), "alerts[0].values[...]"),
    ("pagerduty", {}, "event"),
    ("pagerduty", changed(WEBHOOK, "event.id", ...), "event.id"),
    ("pagerduty", changed(WEBHOOK, "event.occurred_at", "x"), "event.occurred_at"),
    ("pagerduty", changed(WEBHOOK, "event.data.id", ...), "event.data.id"),
    ("pagerduty", changed(WEBHOOK, "event.data.status", "odd"), "event.data.status"),
    ("pagerduty", changed(WEBHOOK, "event.data.created_at", "x"), "event.data.created_at"),
    ("sentry", {}, "data"),
    ("sentry", changed(SENTRY, "data.event.issue_id", ...), "data.event.issue_id"),
    ("sentry", changed(SENTRY, "data.event.title", 5), "data.event.title"),
    ("sentry", {"event": {}}, "id"),
    ("sentry", {"action": "resolved", "data": {"issue": {}}}, "data.issue.id"),
    ("sentry", {"action": "critical", "data": {"metric_alert": {}}}, "data.metric_alert.id"),
]


@pytest.mark.parametrize(("name", "body", "field"), WRONG, ids=[f"{name}:{field}" for name, _, field in WRONG])
def test_a_wrong_field_is_named(name: str, body: object, field: str) -> None:
    """A request that cannot be read names the field that is wrong and what to do about it."""
    with pytest.raises(Malformed) as caught:
        parse(name, body)

    assert caught.value.field == field
    assert caught.value.remedy


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a":' * 100_000, b"null", b'"\\ud800"'])
def test_what_is_no_json_is_malformed(name: str, body: bytes) -> None:
    """Empty, cut, deeply nested and undecodable bodies are all refused in the same way."""
    headers = {"X-GitHub-Event": "push", "X-GitHub-Delivery": "1"}

    with pytest.raises(Malformed) as caught:
        SOURCES[name](body, headers, now=NOW)

    assert caught.value.field == "body"


def test_a_body_over_the_limit_is_malformed() -> None:
    """A body that is larger than accepted is refused before it is read."""
    with pytest.raises(Malformed, match="bytes"):
        SOURCES["alertmanager"](b" " * (LIMITS.body_bytes_max + 1), {}, now=NOW)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
STARTS: dict[str, Any] = {
    "alertmanager": GROUP,
    "grafana": changed(GROUP, "version", "1"),
    "pagerduty": WEBHOOK,
    "pagerduty-events": {
        "routing_key": "r",
        "event_action": "trigger",
        "dedup_key": "d",
        "payload": {
            "summary": "s",
            "source": "h",
            "severity": "info",
            "custom_details": {"a": 1},
            "timestamp": "2026-11-15",
        },
        "links": [{"href": "h"}],
    },
    "pagerduty-changes": {"routing_key": "r", "payload": {"summary": "s"}},
    "sentry": {
        "action": "triggered",
        "data": {
            "event": {
                "issue_id": "7",
                "tags": [["a", "b"]],
                "datetime": "2026-11-15",
                "exception": {"values": [{"type": "E", "stacktrace": {"frames": [{"function": "f", "lineno": 1}]}}]},
            }
        },
    },
    "github": {
        "ref": "refs/heads/main",
        "repository": {"name": "r", "default_branch": "main", "pushed_at": 1},
        "commits": [{"message": "m"}],
        "pusher": {"name": "p"},
    },
}


def places(value: Any, path: str = "") -> list[str]:
    """The dotted path of every field of a body."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[str] = []
    for key, one in inner:
        own = f"{path}.{key}".lstrip(".")
        found += (own, *places(one, own))
    return found


@settings(max_examples=300)
@given(st.sampled_from(sorted(SOURCES)), st.data())
def test_whatever_a_field_holds_the_answer_is_named(name: str, data: st.DataObject) -> None:
    """Any field of a good request may hold anything: the answer is a result or a named error, and no other failure."""
    start = STARTS[name]
    body = changed(start, data.draw(st.sampled_from(places(start))), data.draw(json_values))

    try:
        parsed = parse(name, body, {"X-GitHub-Event": "push", "X-GitHub-Delivery": "1"})
    except Malformed as error:
        wrong = error.field
    else:
        wrong = ""
        keys = [*(alert.key for alert in parsed.alerts), *(change.key for change in parsed.changes)]
        assert all(keys)
        assert all(alert.started_at.tzinfo for alert in parsed.alerts)
        assert keys or parsed.rejections or body["alerts"] == []

    assert wrong is not None


# --- Alertmanager and Grafana -------------------------------------------------------------------------------------


def test_a_fingerprint_is_the_one_alertmanager_would_send() -> None:
    """An alert without a fingerprint gets the number that Alertmanager itself gives to its labels."""
    assert int(fingerprint({"name": "garland, briggs", "fear": "love is not enough"}), 16) == 5799056148416392346
    assert int(fingerprint({}), 16) == 14695981039346656037


def test_labels_in_another_order_are_the_same_alert() -> None:
    """The key of an alert without a fingerprint does not depend on the order of its labels."""
    orders = [{"a": "1", "b": "2"}, {"b": "2", "a": "1"}]
    keys = {parse("alertmanager", {"alerts": [changed(ALERT, "labels", labels)]}).alerts[0].key for labels in orders}

    assert len(keys) == 1


def test_the_next_outage_is_another_alert() -> None:
    """The same labels that start firing at another time have another key."""
    later = changed(ALERT, "startsAt", "2026-11-15T02:01:00Z")
    first, second = parse("alertmanager", {"alerts": [ALERT, later]}).alerts

    assert first.key != second.key


@pytest.mark.parametrize("name", ["alertmanager", "grafana"])
def test_a_zero_end_is_open(name: str) -> None:
    """The year 1 stands for "not yet": a firing alert has no end, and a resolved one ended when it was told."""
    body = {
        "alerts": [
            {**ALERT, "endsAt": "0001-01-01T00:00:00Z"},
            {**ALERT, "status": "resolved", "endsAt": "0001-01-01T00:00:00+02:00"},
        ]
    }
    firing, resolved = parse(name, body).alerts

    assert (firing.status, firing.ended_at) == (Status.FIRING, None)
    assert (resolved.status, resolved.ended_at) == (Status.RESOLVED, NOW)


@pytest.mark.parametrize("name", ["alertmanager", "grafana"])
def test_a_clock_ahead_is_noticed_and_reported(name: str) -> None:
    """A time that is still to come is replaced by the arrival, and said so; the key stays the sender's."""
    body = {"alerts": [ALERT, changed(ALERT, "startsAt", "2200-01-01T00:00:00Z")]}

    parsed = parse(name, body)

    assert parsed.alerts[1].started_at == NOW
    assert parsed.alerts[1].key.endswith("@2200-01-01T00:00:00.000+00:00")
    assert [(note.position, note.problem[:18]) for note in parsed.rejections] == [(1, "alerts[1].startsAt")]


def test_a_long_text_is_cut_and_many_labels_are_bounded() -> None:
    """Nothing that a sender writes is longer than its limit."""
    labels = {f"l{number:04}": "x" * 5_000 for number in range(500)}
    body = {"alerts": [{**ALERT, "labels": labels, "annotations": {"summary": "y" * 200_000}}]}

    alert = parse("alertmanager", body).alerts[0]

    assert len(alert.labels) == LIMITS.labels_max
    assert max(map(len, alert.labels.values())) == LIMITS.label_chars_max
    assert (len(alert.text), len(alert.title)) == (LIMITS.text_chars_max, LIMITS.title_chars_max)
    assert alert.text.endswith("…")


def test_an_empty_group_is_nothing() -> None:
    """A request without alerts is fine and tells nothing."""
    assert parse("alertmanager", {"alerts": []}) == Parsed()


# --- PagerDuty webhooks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event_type", "status", "expected"),
    [
        ("incident.triggered", "triggered", Status.FIRING),
        ("incident.reopened", "triggered", Status.FIRING),
        ("incident.acknowledged", "acknowledged", Status.ACKNOWLEDGED),
        ("incident.reassigned", "acknowledged", Status.ACKNOWLEDGED),
        ("incident.resolved", "resolved", Status.RESOLVED),
    ],
)
def test_an_incident_elsewhere_has_a_status(event_type: str, status: str, expected: Status) -> None:
    """What the incident is now counts, not what was done to it; its key and its beginning stay the same."""
    body = changed(changed(WEBHOOK, "event.event_type", event_type), "event.data.status", status)

    alert = parse("pagerduty", body).alerts[0]

    assert (alert.key, alert.status) == ("P1", expected)
    assert alert.started_at == datetime(2026, 11, 15, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize("event_type", ["pagey.ping", "service.updated", "incident.custom_field_values.updated"])
def test_other_events_are_taken_and_noted(event_type: str) -> None:
    """An event that tells nothing of an incident is accepted, ignored and said so."""
    data = {"type": "ping"} if event_type == "pagey.ping" else {"type": "something_else", "id": "X"}
    parsed = parse("pagerduty", {"event": {"id": "E", "event_type": event_type, "data": data}})

    assert (parsed.alerts, parsed.changes) == ((), ())
    assert event_type in parsed.rejections[0].problem


# --- Sentry -------------------------------------------------------------------------------------------------------


def test_resolving_an_issue_closes_what_an_event_opened() -> None:
    """An event alert, an error and the issue's own webhook share one key."""
    event = parse("sentry", SENTRY, {"Sentry-Hook-Resource": "event_alert"}).alerts[0]
    error = parse("sentry", {"action": "created", "data": {"error": {"issue_id": 7}}}).alerts[0]
    issue = parse("sentry", {"action": "resolved", "data": {"issue": {"id": "7"}}}, {"sentry-hook-resource": "issue"})

    assert {event.key, error.key, issue.alerts[0].key} == {"7"}
    assert (event.status, issue.alerts[0].status) == (Status.FIRING, Status.RESOLVED)


def test_an_issue_is_known_by_its_address() -> None:
    """An event without the issue's id has it at the end of the issue's address."""
    body = {"data": {"event": {"issue_url": "https://sentry.io/api/0/issues/117/"}}}

    assert parse("sentry", body).alerts[0].key == "117"


@pytest.mark.parametrize(
    ("action", "expected"),
    [("critical", (Status.FIRING, Severity.CRITICAL)), ("warning", (Status.FIRING, Severity.MINOR))],
)
def test_a_metric_alert_has_its_own_severity(action: str, expected: tuple[Status, Severity]) -> None:
    """The action of a metric alert says how bad it is, and a later one of the same alert has the same key."""
    alert = parse("sentry", {"action": action, "data": {"metric_alert": {"id": "4"}}}).alerts[0]
    resolved = parse("sentry", {"action": "resolved", "data": {"metric_alert": {"id": "4"}}}).alerts[0]

    assert (alert.status, alert.severity) == expected
    assert (resolved.key, resolved.status, resolved.ended_at) == (alert.key, Status.RESOLVED, NOW)


@pytest.mark.parametrize(
    ("body", "resource"),
    [
        ({"action": "created", "data": {"installation": {}}}, "installation"),
        ({"action": "created", "data": {}}, "comment"),
        ({"action": "started", "data": {}}, "seer"),
        ({"action": "created", "data": {"something": {}}}, ""),
        ({"action": "merged", "data": {"issue": {"id": "1"}}}, "issue"),
        ({"action": "odd", "data": {"metric_alert": {"id": "1"}}}, "metric_alert"),
    ],
)
def test_what_tells_of_no_error_is_taken_and_noted(body: object, resource: str) -> None:
    """Webhooks about anything else are accepted and ignored, with a note."""
    parsed = parse("sentry", body, {"Sentry-Hook-Resource": resource})

    assert (parsed.alerts, len(parsed.rejections)) == ((), 1)


def test_a_header_without_its_part_is_malformed() -> None:
    """A webhook that says it is about an issue has one."""
    with pytest.raises(Malformed, match="required") as caught:
        parse("sentry", {"action": "created", "data": {}}, {"Sentry-Hook-Resource": "issue"})

    assert caught.value.field == "data.issue"


def test_tags_come_in_two_shapes() -> None:
    """Tags are pairs or objects by the age of the sender, and others are passed over."""
    tags = [["service", "auth"], {"key": "region", "value": "eu"}, ["cut"], 5, None, ["n", 3]]
    alert = parse("sentry", changed(SENTRY, "data.event.tags", tags)).alerts[0]

    assert alert.service == "auth"
    assert alert.labels["region"] == "eu"
    assert alert.labels["n"] == "3"


FRAMES = [
    {"function": "main", "module": "com.acme.Main", "filename": "Main.java", "lineno": 3},
    {
        "function": "run",
        "module": "com.acme.Job",
        "filename": "Job.java",
        "lineno": 9,
        "colno": 4,
        "abs_path": "/srv/Job.java",
    },
]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("java", ["\tat com.acme.Job.run(Job.java:9)", "\tat com.acme.Main.main(Main.java:3)"]),
        ("node", ["    at run (Job.java:9:4)", "    at main (Main.java:3:0)"]),
        ("elixir", ["    at run (Job.java:9:4)", "    at main (Main.java:3:0)"]),
        ("csharp", ["   at com.acme.Job.run() in Job.java:line 9", "   at com.acme.Main.main() in Main.java:line 3"]),
        ("ruby", ["\tfrom Job.java:9:in `run'", "\tfrom Main.java:3:in `main'"]),
        ("go", ["com.acme.Job.run()", "\t/srv/Job.java:9", "com.acme.Main.main()", "\tMain.java:3"]),
    ],
)
def test_a_stack_reads_as_its_language_prints_it(platform: str, expected: list[str]) -> None:
    """Frames come oldest first and are written newest first, as most languages print them."""
    exception = {"values": [{"type": "Boom", "value": "no", "module": "com.acme", "stacktrace": {"frames": FRAMES}}]}
    body = changed(changed(SENTRY, "data.event.exception", exception), "data.event.platform", platform)

    assert parse("sentry", body).alerts[0].stack.splitlines() == ["com.acme.Boom: no", *expected]


def test_causes_follow_the_last_exception() -> None:
    """Exceptions come first cause first; in Java the last one is printed first, with its causes below."""
    chain = [{"type": name, "stacktrace": {"frames": FRAMES[:1]}} for name in ("Cause", "Effect")]
    body = changed(changed(SENTRY, "data.event.exception", {"values": chain}), "data.event.platform", "java")

    assert parse("sentry", body).alerts[0].stack.splitlines() == [
        "Effect",
        "\tat com.acme.Main.main(Main.java:3)",
        "Caused by: Cause",
        "\tat com.acme.Main.main(Main.java:3)",
    ]


def test_anything_can_be_thrown() -> None:
    """An exception whose value is no text is written as it is."""
    exception = {"values": [{"type": "Error", "value": {"code": 5}, "stacktrace": {"frames": FRAMES[:1]}}]}
    stack = parse("sentry", changed(SENTRY, "data.event.exception", exception)).alerts[0].stack

    assert stack.startswith("Error: {'code': 5}\n")


def test_an_endless_recursion_keeps_both_ends() -> None:
    """Of very many frames the oldest and the newest stay."""
    frames = [{"function": f"f{number}", "lineno": number} for number in range(5_000)]
    exception = {"values": [{"type": "RecursionError", "stacktrace": {"frames": frames}}]}
    stack = parse("sentry", changed(SENTRY, "data.event.exception", exception)).alerts[0].stack

    assert len(stack.splitlines()) < 300
    assert "at f0 " in stack
    assert "at f4999 " in stack


# --- GitHub -------------------------------------------------------------------------------------------------------

REPOSITORY = {"name": "payment", "full_name": "acme/payment", "default_branch": "main"}
GITHUB = [
    ("deployment", {"deployment": {"ref": "v1", "environment": "production"}}, ChangeKind.DEPLOY),
    ("deployment_status", {"deployment": {}, "deployment_status": {"state": "failure"}}, ChangeKind.DEPLOY),
    ("release", {"action": "published", "release": {"tag_name": "v1"}}, ChangeKind.RELEASE),
    ("workflow_run", {"action": "completed", "workflow_run": {"name": "CI"}}, ChangeKind.WORKFLOW),
    ("check_run", {"action": "completed", "check_run": {"name": "lint"}}, ChangeKind.WORKFLOW),
    ("pull_request", {"action": "closed", "pull_request": {"merged": True}}, ChangeKind.MERGE),
    ("push", {"ref": "refs/heads/main", "commits": []}, ChangeKind.PUSH),
]


def github(event: str, body: object, **more: str) -> Parsed:
    """What is made of one of GitHub's events."""
    return parse("github", body, {"x-github-event": event, "X-GitHub-Delivery": "d-1", **more})


@pytest.mark.parametrize(("event", "body", "kind"), GITHUB, ids=[event for event, _, _ in GITHUB])
def test_an_event_is_a_change(event: str, body: dict[str, object], kind: ChangeKind) -> None:
    """Each event that changes the watched system is a change of its kind."""
    change = github(event, {**body, "repository": REPOSITORY, "sender": {"login": "ana"}}).changes[0]

    assert (change.kind, change.service, change.actor) == (kind, "payment", "ana")
    assert change.at == NOW
    assert change.title


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("issues", {}),
        ("star", {"action": "created"}),
        ("release", {"action": "created", "release": {}}),
        ("workflow_run", {"action": "requested", "workflow_run": {}}),
        ("pull_request", {"action": "closed", "pull_request": {"merged": False}}),
        ("pull_request", {"action": "opened", "pull_request": {}}),
        ("push", {"ref": "refs/heads/side", "repository": REPOSITORY}),
        ("push", {"ref": "refs/tags/v1", "repository": REPOSITORY}),
        ("push", {"ref": "refs/heads/main", "deleted": True, "repository": REPOSITORY}),
    ],
)
def test_what_changes_nothing_is_taken_and_noted(event: str, body: object) -> None:
    """Everything else that GitHub sends is accepted and ignored, with a note."""
    parsed = github(event, body)

    assert (parsed.changes, len(parsed.rejections)) == ((), 1)


def test_a_ping_is_answered_with_nothing() -> None:
    """GitHub's first request only asks whether somebody is there."""
    assert github("ping", {"zen": "Keep it logically awesome."}) == Parsed()


def test_a_missing_header_is_named() -> None:
    """Without its header it is not known what an event is about."""
    with pytest.raises(Malformed) as caught:
        parse("github", {}, {})

    assert caught.value.field == "X-GitHub-Event"


def test_a_delivery_that_is_sent_again_is_the_same_change() -> None:
    """Neither the id of a delivery nor its kind is signed: another one makes no other change of the same body."""
    body = {"deployment": {"id": 7, "sha": "8f3c"}, "deployment_status": {"state": "success"}, "repository": REPOSITORY}
    first = github("deployment_status", body).changes[0]
    again = github("deployment_status", body, **{"X-GitHub-Delivery": "d-2"}).changes[0]
    as_another = github("deployment", body, **{"X-GitHub-Delivery": "d-3"}).changes[0]
    other = github("deployment_status", {**body, "deployment": {"id": 8, "sha": "8f3c"}}).changes[0]

    assert first.key == again.key == as_another.key
    assert first.key != other.key


@pytest.mark.parametrize(
    ("event", "field"),
    [("release", "release"), ("deployment", "deployment"), ("deployment_status", "deployment_status")],
)
def test_a_missing_part_is_named(event: str, field: str) -> None:
    """An event without what it is about is wrong."""
    with pytest.raises(Malformed) as caught:
        github(event, {"action": "published", **({"deployment": {}} if event == "deployment_status" else {})})

    assert caught.value.field == field


def test_a_payload_nested_too_deep_is_left_out() -> None:
    """A deployer's own payload that cannot be read does not keep the deployment out."""
    deep = {"deployment": {"ref": "v1", "payload": "[" * 5_000 + "]" * 5_000}, "repository": REPOSITORY}

    assert github("deployment", deep).changes[0].service == "payment"


@pytest.mark.parametrize("body", [b"other=1", b"payload=%7B", b"\xff", b"&".join([b"a=1"] * 100)])
def test_a_wrong_form_is_malformed(body: bytes) -> None:
    """A form without a payload that is JSON is refused."""
    headers = {"X-GitHub-Event": "push", "X-GitHub-Delivery": "1", "content-type": "application/x-www-form-urlencoded"}

    with pytest.raises(Malformed):
        SOURCES["github"](body, headers, now=NOW)


# --- Names, severities, times -------------------------------------------------------------------------------------


def test_the_first_label_that_names_a_service_counts() -> None:
    """Labels are asked in their documented order, and empty ones are passed over."""
    assert (SERVICE_LABELS[0], SERVICE_LABELS[-1]) == ("service", "job")
    assert Naming().service({"job": "node", "app": "auth", "service": ""}) == "auth"
    assert Naming().service({"instance": "10.0.0.1"}) == ""


def test_names_can_be_told_otherwise() -> None:
    """Which labels name a service, and what it is called here, is the reader's to say."""
    naming = Naming(service_labels=("owner",), services={"pay": "payment", "acme/pay": "payment"})
    alert = parse(
        "alertmanager", {"alerts": [changed(ALERT, "labels", {"service": "x", "owner": "pay"})]}, naming=naming
    )
    headers = {"X-GitHub-Event": "release", "X-GitHub-Delivery": "1"}
    release = {"action": "published", "release": {}, "repository": {"name": "p", "full_name": "acme/pay"}}

    assert alert.alerts[0].service == "payment"
    assert parse("github", release, headers, naming).changes[0].service == "payment"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("critical", Severity.CRITICAL),
        ("Page", Severity.CRITICAL),
        ("P1", Severity.CRITICAL),
        ("error", Severity.MAJOR),
        ("high", Severity.MAJOR),
        (" Warning ", Severity.MINOR),
        ("none", Severity.INFO),
        ("info", Severity.INFO),
        ("odd", Severity.MAJOR),
        ("", Severity.MAJOR),
        (None, Severity.MAJOR),
    ],
)
def test_a_word_is_a_severity(word: str | None, expected: Severity) -> None:
    """What others call a severity is one of four; an unknown word is not taken lightly."""
    assert severity(word) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-15T02:03:00Z", NOW),
        ("2026-11-15T03:03:00+01:00", NOW),
        ("2026-11-15T02:03:00.000000999Z", NOW),
        ("2026-11-15 02:03:00", NOW),
        (NOW.timestamp(), NOW),
        ("1970-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+05:00", None),
        (0, None),
        ("", None),
        (None, None),
    ],
)
def test_a_time_has_its_timezone(value: str | float | None, expected: datetime | None) -> None:
    """Times come out in UTC, and what stands for no time is none."""
    assert moment(value, "at") == expected


@pytest.mark.parametrize("value", ["yesterday", "2026-13-01", float("nan"), float("inf"), 1e300, "9" * 500])
def test_what_is_no_time_is_malformed(value: str | float) -> None:
    """A time that cannot be read is named, and quoted no longer than needed."""
    with pytest.raises(Malformed) as caught:
        moment(value, "alerts[0].startsAt")

    assert caught.value.field == "alerts[0].startsAt"
    assert len(str(caught.value)) < 300


def test_a_little_ahead_is_believed() -> None:
    """Clocks differ by a little, and a time that is minutes ahead is kept as it is."""
    soon = NOW + timedelta(minutes=5)
    alert = parse("alertmanager", {"alerts": [changed(ALERT, "startsAt", soon.isoformat())]}).alerts[0]

    assert alert.started_at == soon


def test_details_are_flattened() -> None:
    """Nested objects become dotted names; lists are kept as JSON; there are never more than allowed."""
    assert flat({"a": {"b": 1}, "c": [1, None], "d": None, "e": "x"}) == {"a.b": "1", "c": "[1,null]", "e": "x"}
    assert len(flat({str(number): number for number in range(1_000)}, values_max=10)) == 10
    assert clip("abcdef", 3) == "ab…"
