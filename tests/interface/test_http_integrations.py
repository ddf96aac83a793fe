"""Integrations over HTTP: what came by each way in, its last error, and trying it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.resting import Resting, resting
from tests.serving import free_port, wait_for

from hindcast.model.signal import TEST_LABEL
from hindcast.rest.ways import WAYS

SPACE = "local"
NAMES = tuple(way.name for way in WAYS)


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast that listens for syslog, and wants GitHub's deliveries signed."""
    with resting(tmp_path_factory.mktemp("settings"), syslog_port=free_port(), github_secret="shh") as made:
        yield made


def came(made: Resting, name: str, space: str = SPACE) -> Any:
    """One integration as a project sees it."""
    items = made.get("/api/v1/integrations", space)["items"]
    return next(one for one in items if one["name"] == name)


def alert(name: str, **labels: str) -> dict[str, Any]:
    """A request of Alertmanager with one alert that fires."""
    labelled = {"alertname": name, "service": "payment", "severity": "critical", **labels}
    fired = {"status": "firing", "labels": labelled, "startsAt": datetime.now(UTC).isoformat()}
    return {"version": "4", "status": "firing", "alerts": [fired]}


@pytest.mark.parametrize("name", NAMES)
def test_a_test_goes_all_the_way(hindcast: Resting, name: str) -> None:
    """Every way in can be tried: what its sender would send is taken by its own route and found in the store."""
    told = hindcast.ask("POST", f"/api/v1/integrations/{name}/test", SPACE).json()

    assert told["is_taken"], told
    assert told["seen"] == told["taken"] != {}
    assert (told["problem"], told["by"]) == ("", "ana")
    assert came(hindcast, name)["last_test"]["mark"] == told["mark"]


def test_a_test_is_no_sender(hindcast: Resting) -> None:
    """What was sent to try a way in does not count as data that came by it."""
    before = came(hindcast, "sentry")["came"]

    hindcast.ask("POST", "/api/v1/integrations/sentry/test", SPACE)

    assert came(hindcast, "sentry")["came"] == before


def test_a_test_opens_no_incident_and_an_alert_does(hindcast: Resting) -> None:
    """An alert that is marked as a test opens nothing, whoever marked it; the same one without the mark does."""
    for name in ("alertmanager", "grafana", "pagerduty", "pagerduty-events", "sentry"):
        assert hindcast.ask("POST", f"/api/v1/integrations/{name}/test", "alarmed").json()["is_taken"]
    marked = alert("Tried", service="tried", **{TEST_LABEL: "by its sender"})
    hindcast.ask("POST", "/webhooks/alertmanager", "alarmed", json=marked)
    hindcast.ask("POST", "/webhooks/alertmanager", "alarmed", json=alert("PaymentDown"))
    found = wait_for(lambda: hindcast.get("/api/v1/incidents", "alarmed")["items"], what="an incident")

    assert [one["services"] for one in found] == [["payment"]]
    assert len(hindcast.get("/api/v1/alerts", "alarmed")["items"]) == 7, "they are all there to be looked at"


def test_a_change_that_is_a_test_explains_nothing(hindcast: Resting) -> None:
    """A deploy that was sent as a test is listed, and is not among the changes before an incident."""
    told = hindcast.ask("POST", "/api/v1/integrations/github/test", "deployed").json()
    hindcast.ask("POST", "/webhooks/alertmanager", "deployed", json=alert("PaymentDown"))
    (found,) = wait_for(lambda: hindcast.get("/api/v1/incidents", "deployed")["items"], what="an incident")

    assert told["seen"] == {"changes": 1}
    assert hindcast.get("/api/v1/changes", "deployed")["items"]
    assert hindcast.get(f"/api/v1/incidents/{found['id']}", "deployed")["detection"]["changes"] == []


def test_what_comes_is_counted_and_the_last_error_is_told(hindcast: Resting) -> None:
    """A sender that is taken and then refused shows both: how much, when, and why not."""
    hindcast.ask("POST", "/webhooks/grafana", "counted", json={"alerts": []})
    line = {"streams": [{"stream": {"service_name": "a"}, "values": [["1700000000000000000", "hello"]]}]}
    hindcast.ask("POST", "/loki/api/v1/push", "counted", status=204, json=line)
    hindcast.ask(
        "POST", "/loki/api/v1/push", "counted", status=400, content=b"{", headers={"Content-Type": "application/json"}
    )

    loki = came(hindcast, "loki", "counted")["came"]

    assert (loki["taken"], loki["taken_lately"], loki["refused_lately"]) == ({"lines": 1}, 1, 1)
    assert loki["last_error"]["status"] == 400
    assert loki["last_error"]["problem"]
    assert came(hindcast, "loki", "elsewhere")["came"]["last_at"] is None, "another project has had nothing"


def test_an_unsigned_delivery_is_the_last_error(hindcast: Resting) -> None:
    """That a secret is set is said, and never which; an unsigned delivery is told of with its remedy."""
    hindcast.ask("POST", "/webhooks/github", "signed", status=403, json={}, headers={"X-GitHub-Event": "push"})
    github = came(hindcast, "github", "signed")

    assert (github["secret_variable"], github["is_secret_set"]) == ("HINDCAST_GITHUB_SECRET", True)
    assert "not signed" in github["came"]["last_error"]["problem"]
    assert "shh" not in json.dumps(github)
    assert came(hindcast, "sentry", "signed")["is_secret_set"] is False


def test_a_text_is_tried_and_not_kept(hindcast: Resting) -> None:
    """What would be kept is what the real rules make of it; nothing of the text is stored or counted."""
    said = {"text": "ana@example.org signed in with password=hunter2"}
    before = hindcast.get("/api/v1/privacy", SPACE)["kinds"]

    told = hindcast.ask("POST", "/api/v1/privacy/try", SPACE, json=said).json()

    assert told["text"] == "[redacted:email] signed in with password=[redacted:password]"
    assert told["counts"] == {"email": 1, "password": 1}
    assert hindcast.get("/api/v1/privacy", SPACE)["kinds"] == before
    named = hindcast.ask("POST", "/api/v1/privacy/try", SPACE, json={"text": "xyz", "name": "api_key"}).json()
    assert named["text"] == "[redacted:api-key]"
