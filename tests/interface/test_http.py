"""The HTTP face as strangers meet it: every protocol on its path, and bad input answered the way each one says."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import cramjam
import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from tests.serving import Serving, serving, wait_for

PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
SECRET = "a secret between us"


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast that expects GitHub to sign."""
    with serving(tmp_path_factory.mktemp("http"), github_secret=SECRET) as running:
        yield running


@pytest.fixture
def client(hindcast: Serving) -> Iterator[httpx.Client]:
    """An HTTP client for it."""
    with hindcast.client() as opened:
        yield opened


def otlp(service: str, *messages: str, level: int = 9, at_ns: int | None = None) -> bytes:
    """An export request with these lines."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.add(key="service.name").value.string_value = service
    scope = resource.scope_logs.add()
    for message in messages:
        record = scope.log_records.add(
            time_unix_nano=time.time_ns() if at_ns is None else at_ns,
            severity_number=level,
        )
        record.body.string_value = message
    return bytes(request.SerializeToString())


def lines(client: httpx.Client, **wanted: str | int) -> list[dict[str, Any]]:
    """The stored lines that satisfy these conditions."""
    found: list[dict[str, Any]] = client.get("/api/v1/logs", params=wanted).raise_for_status().json()["items"]
    return found


def count(client: httpx.Client, name: str) -> int:
    """A counter of the running Hindcast."""
    status = client.get("/api/v1/status").json()
    return int(status["counts"].get(name, 0) + status["noticed"].get(name, 0))


# --- What is taken ------------------------------------------------------------------------------------------------


def test_otlp_protobuf_is_durable_when_it_is_answered(client: httpx.Client) -> None:
    """A line can be read as soon as its request is answered; the answer is an empty response of the same type."""
    answer = client.post("/v1/logs", content=otlp("billing", "protobufline one"), headers=PROTOBUF)

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-protobuf")
    assert not ExportLogsServiceResponse.FromString(answer.content).HasField("partial_success")
    assert [line["service"] for line in lines(client, words="protobufline")] == ["billing"]


def test_otlp_json_and_gzip(client: httpx.Client) -> None:
    """JSON is answered with JSON, compressed bodies are read, and fields nobody knows are passed over."""
    record = {"timeUnixNano": str(time.time_ns()), "severityText": "Err", "body": {"stringValue": "jsonline one"}}
    scope = {"logRecords": [{**record, "aFieldOfTomorrow": 1}]}
    body = {"resourceLogs": [{"resource": {"attributes": []}, "scopeLogs": [scope]}]}
    headers = {**JSON, "Content-Encoding": "gzip"}

    answer = client.post("/v1/logs", content=gzip.compress(json.dumps(body).encode()), headers=headers)

    assert (answer.status_code, answer.json()) == (200, {})
    (line,) = lines(client, words="jsonline")
    assert (line["level"], line["service"]) == (17, "unnamed")


def test_a_secret_never_reaches_the_store(client: httpx.Client) -> None:
    """A password in a line is gone before it is kept, and the counter says that there was one."""
    client.post("/v1/logs", content=otlp("billing", "secretline password=hunter2horse"), headers=PROTOBUF)

    (line,) = lines(client, words="secretline")
    assert "hunter2horse" not in line["message"]
    assert "[redacted:" in line["message"]


def test_elasticsearch_bulk_answers_item_by_item(client: httpx.Client) -> None:
    """Each document has its own answer, and a repeated document is answered and not kept twice."""
    body = (
        '{"create":{"_index":"logs","_id":"d1"}}\n'
        '{"message":"bulkline one","log.level":"error","service.name":"stock"}\n'
        '{"create":{"_index":"logs"}}\nnot json\n'
    )
    for _ in range(2):
        answer = client.post("/_bulk", content=body, headers={"Content-Type": "application/x-ndjson"}).json()
        assert [item["create"]["status"] for item in answer["items"]] == [201, 400]
        assert answer["errors"] is True

    (line,) = lines(client, words="bulkline")
    assert (line["service"], line["level"]) == ("stock", 17)


def test_shippers_are_greeted_as_they_expect(client: httpx.Client) -> None:
    """What shippers ask before they send is answered, with the header that official clients insist on."""
    greeting = client.get("/")

    assert greeting.headers["X-Elastic-Product"] == "Elasticsearch"
    assert greeting.json()["version"]["number"].startswith("8.")
    assert client.head("/").status_code == 200
    assert client.get("/_license").json()["license"]["status"] == "active"
    assert client.get("/_cluster/health").json()["status"] == "green"
    assert client.put("/_index_template/logs", json={}).json() == {"acknowledged": True}


def test_loki_pushes_json_and_names_its_tenant(client: httpx.Client) -> None:
    """Loki's JSON is taken, and X-Scope-OrgID says into whose space."""
    stream = {"app": "checkout", "level": "error"}
    body = {"streams": [{"stream": stream, "values": [[str(time.time_ns()), "lokiline one"]]}]}

    assert client.post("/loki/api/v1/push", json=body, headers={"X-Scope-OrgID": "team-b"}).status_code == 204

    assert lines(client, words="lokiline") == []
    answer = client.get("/api/v1/logs", params={"words": "lokiline"}, headers={"X-Hindcast-Space": "team-b"})
    found = answer.json()["items"]
    assert [(line["service"], line["level"]) for line in found] == [("checkout", 17)]


def test_lines_may_be_delivered_twice(client: httpx.Client) -> None:
    """A delivery with a key is taken once, however often it is repeated."""
    body = b'{"level":"warn","msg":"keyline one"}\nplain text keyline two\n'
    for _ in range(2):
        headers = {"Idempotency-Key": "delivery-7"}
        answer = client.post("/api/v1/lines", params={"service": "cron"}, content=body, headers=headers)
        assert answer.json()["accepted"] == 2

    assert [line["service"] for line in lines(client, words="keyline")] == ["cron", "cron"]


def test_what_it_can_do_is_described(client: httpx.Client) -> None:
    """The API describes itself."""
    assert "/api/v1/incidents" in client.get("/openapi.json").json()["paths"]
    assert "hindcast_rows_waiting" in client.get("/metrics").text


# --- What is not taken --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (gzip.compress(b"x" * 1000)[:-12], {**PROTOBUF, "Content-Encoding": "gzip"}, 400),
        (gzip.compress(bytes(80_000_000)), {**PROTOBUF, "Content-Encoding": "gzip"}, 413),
        (bytes(40_000_000), PROTOBUF, 413),
        (b"\xff\xff\xff not protobuf", PROTOBUF, 400),
        (b"{not json", JSON, 400),
        (b"<xml/>", {"Content-Type": "text/xml"}, 415),
        (b"x", {**PROTOBUF, "Content-Encoding": "br"}, 415),
    ],
    ids=["truncated gzip", "bomb", "too large", "not protobuf", "not JSON", "another type", "another encoding"],
)
def test_a_bad_body_is_refused_and_harms_nothing(
    client: httpx.Client, content: bytes, headers: dict[str, str], status: int
) -> None:
    """A body that cannot be taken has the status its protocol says, words that help, a counter, and no other effect."""
    before = count(client, f"answered_{status}")

    answer = client.post("/v1/logs", content=content, headers=headers)

    assert answer.status_code == status
    assert len(answer.content) > 20
    assert count(client, f"answered_{status}") == before + 1
    assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize("year", [1970, 2200])
def test_a_time_that_cannot_be_true_is_replaced_and_counted(client: httpx.Client, year: int) -> None:
    """A line from 1970 or 2200 is filed under its arrival, and the counter tells of a skewed clock."""
    at = int(datetime(year, 1, 2, tzinfo=UTC).timestamp() * 1e9)
    before = count(client, "time_skewed")

    client.post("/v1/logs", content=otlp("billing", f"skewline{year}", at_ns=at), headers=PROTOBUF)

    (line,) = lines(client, words=f"skewline{year}")
    assert abs((datetime.fromisoformat(line["time"]) - datetime.now(UTC)).total_seconds()) < 60
    assert count(client, "time_skewed") == before + 1


def test_a_line_of_ten_megabytes_is_cut_and_marked(client: httpx.Client) -> None:
    """A huge line is kept up to the limit, says that it was cut, and is counted."""
    before = count(client, "message_cut")

    answer = client.post("/v1/logs", content=otlp("billing", "hugeline " + "x" * 10_000_000), headers=PROTOBUF)

    assert answer.status_code == 200
    (line,) = lines(client, words="hugeline")
    assert len(line["message"]) < 70_000
    assert count(client, "message_cut") == before + 1


def test_a_metric_that_is_no_number_is_refused_alone(client: httpx.Client) -> None:
    """NaN among the points is told as a partial success; its neighbours are kept."""
    points = [{"timeUnixNano": str(time.time_ns()), "asDouble": value} for value in (1.5, "NaN")]
    metric = {"name": "oddgauge", "gauge": {"dataPoints": points}}
    body = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}

    answer = client.post("/v1/metrics", json=body)

    assert answer.status_code == 200
    assert answer.json()["partialSuccess"]["rejectedDataPoints"] == "1"


def test_loki_in_broken_snappy_is_refused(client: httpx.Client) -> None:
    """Neither noise nor a snappy block of noise is taken for a push."""
    for content in (b"\x00\x01noise", bytes(cramjam.snappy.compress_raw(b"\xff\xffnoise"))):
        assert client.post("/loki/api/v1/push", content=content, headers=PROTOBUF).status_code == 400


def test_a_space_with_an_odd_name_is_refused(client: httpx.Client) -> None:
    """The name of a space is checked before anything is kept under it."""
    headers = {**PROTOBUF, "X-Hindcast-Space": "../../etc"}
    answer = client.post("/v1/logs", content=otlp("billing", "x"), headers=headers)

    assert answer.status_code == 400
    assert b"space" in answer.content


# --- What becomes of it -------------------------------------------------------------------------------------------


def test_github_has_to_sign(client: httpx.Client) -> None:
    """With a secret set, an unsigned delivery is refused, and a signed one becomes a change."""
    release = {"tag_name": "v2.0", "name": "v2.0", "published_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}
    repository = {"full_name": "acme/payment", "name": "payment"}
    payload = {"action": "published", "release": release, "repository": repository, "sender": {"login": "ana"}}
    body = json.dumps(payload).encode()
    headers = {**JSON, "X-GitHub-Event": "release", "X-GitHub-Delivery": "delivery-1"}
    assert client.post("/webhooks/github", content=body, headers=headers).status_code == 403

    signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    signed = {**headers, "X-Hub-Signature-256": signature}
    assert client.post("/webhooks/github", content=body, headers=signed).json()["changes"] == 1
    assert client.post("/webhooks/github", content=body, headers=signed).json()["changes"] == 1

    changes = client.get("/api/v1/changes").json()["items"]
    assert [(change["kind"], change["actor"]) for change in changes if change["source"] == "github"] == [
        ("release", "ana")
    ]


def test_an_outage_is_named_on_the_live_stream(hindcast: Serving, client: httpx.Client) -> None:
    """120 errors of one service open an incident that names it, with evidence, and listeners hear of it."""
    heard: list[dict[str, Any]] = []
    url = f"{hindcast.url}/api/v1/live?kinds=incident"

    def listen() -> None:
        with (
            # The stream ends when the server does.
            suppress(httpx.HTTPError),
            httpx.stream("GET", url, headers=hindcast.proof, timeout=60, trust_env=False) as stream,
        ):
            # Grows as it is heard, line by line.
            heard.extend(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))

    threading.Thread(target=listen, daemon=True).start()
    client.post("/v1/logs", content=otlp("warehouse", *["all is well"] * 50), headers=PROTOBUF)
    failing = [f"could not reserve item {number}: no connection" for number in range(120)]
    client.post("/v1/logs", content=otlp("warehouse", *failing, level=17), headers=PROTOBUF)

    event = wait_for(
        lambda: next((one for one in heard if one.get("incident", {}).get("origin") == "warehouse"), None),
        what="the outage on the live stream",
    )
    assert event["kind"] == "opened"
    incident = client.get(f"/api/v1/incidents/{event['incident']['id']}").json()["detection"]
    assert incident["title"].startswith("warehouse: could not reserve item …: no connection")
    assert incident["templates"][0]["count"] == 120
    assert incident["exemplars"][0]["message"].startswith("could not reserve item")
    assert incident["changes"] == [] or incident["changes"][0]["source"] == "github"

    decided = client.post(f"/api/v1/incidents/{incident['id']}/decision", json={"verb": "confirm"}).raise_for_status()
    seen = decided.json()["detection"]
    assert (decided.json()["state"], seen["state"], seen["closed_by"]) == ("resolved", "confirmed", "test")
    assert seen["templates"] == incident["templates"]


def test_pagerduty_events_page_here(client: httpx.Client) -> None:
    """What would page through PagerDuty opens an incident here; a repeated trigger is still one alert."""
    payload = {"summary": "Disk of db-7 is full", "source": "db-7", "severity": "critical", "component": "ledger"}
    event = {"routing_key": "k", "event_action": "trigger", "dedup_key": "disk-7", "payload": payload}
    for _ in range(2):
        answer = client.post("/v2/enqueue", json=event)
        assert (answer.status_code, answer.json()["dedup_key"]) == (202, "disk-7")

    def found() -> list[dict[str, Any]]:
        listed = client.get("/api/v1/incidents").json()["items"]
        incidents = [client.get(f"/api/v1/incidents/{one['id']}").json()["detection"] for one in listed]
        return [one for one in incidents if any(alert["key"].endswith("disk-7") for alert in one["alerts"])]

    (incident,) = wait_for(found, what="an incident for the page")
    assert len(incident["alerts"]) == 1
    bad = client.post("/v2/enqueue", json={**event, "event_action": "shout"})
    assert (bad.status_code, bad.json()["status"]) == (400, "invalid event")


def test_an_unknown_incident_is_missing(client: httpx.Client) -> None:
    """Asking for an incident that is not there says so, and what to do."""
    answer = client.get("/api/v1/incidents/inc-nothing")

    assert answer.status_code == 404
    assert "inc-nothing" in answer.json()["detail"]
    assert answer.json()["remedy"]
