"""PagerDuty's Events API, received: the same rules and the same answers as PagerDuty's own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hindcast.ingest.sources import SOURCES
from hindcast.ingest.sources.pagerduty_events import (
    BODY_BYTES_MAX,
    answer,
    parse,
    parse_change,
    refusal,
    routing_key,
    too_many,
)
from hindcast.model.errors import Malformed
from hindcast.model.signal import Alert, Severity, Status

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
ROUTING = "0123456789abcdef0123456789abcdef"
PAYLOAD = {"summary": "Pool exhausted", "source": "payment-1", "severity": "critical"}


def event(**fields: Any) -> bytes:
    """A trigger, with other fields; None takes one away."""
    whole = {"routing_key": ROUTING, "event_action": "trigger", "payload": PAYLOAD, **fields}
    return json.dumps({name: value for name, value in whole.items() if value is not None}).encode()


def alert(body: bytes) -> Alert:
    """The alert that an event makes."""
    return parse(body, {}, now=NOW).alerts[0]


@pytest.mark.parametrize(
    ("action", "status"),
    [("trigger", Status.FIRING), ("acknowledge", Status.ACKNOWLEDGED), ("resolve", Status.RESOLVED)],
)
def test_only_a_trigger_fires(action: str, status: Status) -> None:
    """The three actions on one dedup_key tell of one alert, and only a trigger can open an incident."""
    told = alert(event(event_action=action, dedup_key="k"))

    assert told.status is status
    assert told.key == alert(event(dedup_key="k")).key
    assert (told.ended_at == NOW) == (status is Status.RESOLVED)


def test_a_key_is_made_and_returned() -> None:
    """A trigger without a dedup_key gets one, the same for the same event, and the sender is told it."""
    first, second = parse(event(), {}, now=NOW), parse(event(), {}, now=NOW.replace(hour=9))
    other = parse(event(payload={**PAYLOAD, "summary": "Other"}), {}, now=NOW)
    told = json.loads(answer(first).body)

    assert first.alerts[0].key == second.alerts[0].key != other.alerts[0].key
    assert answer(first).status == 202
    assert told == {"status": "success", "message": "Event processed", "dedup_key": told["dedup_key"]}
    resolved = alert(event(event_action="resolve", dedup_key=told["dedup_key"], payload=None))
    assert resolved.key == first.alerts[0].key


def test_a_given_key_is_returned_as_it_came() -> None:
    """The sender's own dedup_key is what it is told."""
    assert json.loads(answer(parse(event(dedup_key="a b/ü"), {}, now=NOW)).body)["dedup_key"] == "a b/ü"


def test_keys_belong_to_their_integration() -> None:
    """The same dedup_key with another routing_key is another alert, and the routing_key itself is kept nowhere."""
    mine, other = alert(event(dedup_key="k")), alert(event(dedup_key="k", routing_key="other"))

    assert mine.key != other.key
    assert ROUTING not in repr(mine)
    assert routing_key(event()) == ROUTING


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("critical", Severity.CRITICAL),
        ("error", Severity.MAJOR),
        ("warning", Severity.MINOR),
        ("info", Severity.INFO),
    ],
)
def test_a_severity_is_mapped(word: str, expected: Severity) -> None:
    """PagerDuty's four severities are ours, in the same order."""
    assert alert(event(payload={**PAYLOAD, "severity": word})).severity is expected


def test_links_beside_the_payload_count() -> None:
    """Links and client stand beside the payload; those that some senders put into it are ignored, not refused."""
    told = alert(event(links=[{"href": "https://a.example"}], payload={**PAYLOAD, "links": "wrong", "images": 5}))

    assert told.url == "https://a.example"


@pytest.mark.parametrize("details", ["free text", ["a", 1], 5, None, {"a": {"b": "c"}}])
def test_details_may_be_anything(details: object) -> None:
    """custom_details of any shape are kept as text."""
    told = alert(event(payload={**PAYLOAD, "custom_details": details}))

    assert told.text == {"free text": "free text", "['a', 1]": '["a",1]', "5": "5", "None": ""}.get(
        str(details), "a.b: c"
    )


WRONG = [
    (event(routing_key=None), "routing_key"),
    (event(routing_key=""), "routing_key"),
    (event(event_action=None), "event_action"),
    (event(event_action="explode"), "event_action"),
    (event(payload=None), "payload"),
    (event(payload={**PAYLOAD, "summary": " "}), "payload.summary"),
    (event(payload={**PAYLOAD, "summary": "x" * 1025}), "payload.summary"),
    (event(payload={**PAYLOAD, "source": None}), "payload.source"),
    (event(payload={**PAYLOAD, "severity": "huge"}), "payload.severity"),
    (event(payload={**PAYLOAD, "severity": None}), "payload.severity"),
    (event(payload={**PAYLOAD, "timestamp": "now"}), "payload.timestamp"),
    (event(dedup_key="x" * 256), "dedup_key"),
    (event(event_action="resolve"), "dedup_key"),
    (event(event_action="acknowledge", dedup_key=""), "dedup_key"),
    (event(payload={**PAYLOAD, "custom_details": "x" * BODY_BYTES_MAX}), "body"),
    (b"not json", "body"),
]


@pytest.mark.parametrize(("body", "field"), WRONG, ids=[f"{number}:{field}" for number, (_, field) in enumerate(WRONG)])
def test_a_wrong_event_gets_the_answer_senders_know(body: bytes, field: str) -> None:
    """A wrong event is answered with 400 in PagerDuty's own shape, and the reason names the field."""
    with pytest.raises(Malformed) as caught:
        parse(body, {}, now=NOW)
    told = json.loads(refusal(str(caught.value)).body)

    assert caught.value.field == field
    assert refusal(str(caught.value)).status == 400
    assert (told["status"], told["message"]) == ("invalid event", "Event object is invalid")
    assert told["errors"][0].startswith(f"{field}: ")


def test_too_many_events_are_told_to_wait() -> None:
    """When events come too fast the answer is 429 in PagerDuty's own shape."""
    assert too_many().status == 429
    assert json.loads(too_many().body)["status"] == "throttle exceeded"


def test_a_change_event_is_a_change() -> None:
    """An event sent to the change address is a change, the same one each time, and answered as such."""
    body = event(event_action=None, payload={"summary": "Deployed 1.2", "custom_details": {"service": "payment"}})
    parsed = parse_change(body, {}, now=NOW)

    assert (parsed.changes[0].title, parsed.changes[0].service, parsed.changes[0].at) == (
        "Deployed 1.2",
        "payment",
        NOW,
    )
    assert parsed.changes[0].key == SOURCES["pagerduty-changes"](body, {}, now=NOW).changes[0].key
    assert json.loads(answer(parsed).body) == {"status": "success", "message": "Change event processed"}


@pytest.mark.parametrize("payload", [None, {}, {"summary": ""}])
def test_a_change_says_what_it_is(payload: object) -> None:
    """A change without a summary is refused."""
    with pytest.raises(Malformed) as caught:
        parse_change(event(payload=payload), {}, now=NOW)

    assert caught.value.field == "payload.summary"
