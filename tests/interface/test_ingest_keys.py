"""Keys of senders, each in the way that its protocol can send one, and how each is told that it may not."""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.tenants import FOREIGN, OWN, Tenants, bearer, tenants

from hindcast.access.keys import MadeKey
from hindcast.model.access import Power

LINE = b'{"level":"error","msg":"a line of ours"}\n'


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A Hindcast where everybody has to say who they are."""
    with tenants(tmp_path_factory.mktemp("ingest")) as made:
        yield made


@pytest.fixture(scope="module")
def key(here: Tenants) -> MadeKey:
    """A key that sends into one project."""
    return here.access.keys.create(
        "shipper", Power.INGEST, organisation="acme", project="payments", by=here.access.operator
    )


def encoded(text: str) -> str:
    """As basic auth and Elasticsearch encode it."""
    return base64.b64encode(text.encode()).decode()


def otlp(message: str) -> bytes:
    """An export request with one line."""
    request = ExportLogsServiceRequest()
    record = request.resource_logs.add().scope_logs.add().log_records.add(time_unix_nano=time.time_ns())
    record.body.string_value = message
    return bytes(request.SerializeToString())


def loki(message: str) -> bytes:
    """A push with one line."""
    return json.dumps({"streams": [{"stream": {"app": "x"}, "values": [[str(time.time_ns()), message]]}]}).encode()


def event(message: str, routing_key: str) -> bytes:
    """A PagerDuty event."""
    payload = {"summary": message, "source": "x", "severity": "error"}
    return json.dumps({"routing_key": routing_key, "event_action": "trigger", "payload": payload}).encode()


def stored(here: Tenants, word: str, space: str = OWN) -> int:
    """How many lines of a space have a word in them."""
    headers = here.callers["viewer"] if space == OWN else {}
    found = here.client.get("/api/v1/logs", params={"words": word, "space": space}, headers=headers)
    return len(found.raise_for_status().json()["items"])


PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
TENANT = {"X-Scope-OrgID": OWN}
BULK = '{"create":{}}\n{"message":"%s"}\n'


@pytest.mark.parametrize(
    ("word", "path", "body", "headers"),
    [
        ("otlpbearer", "/v1/logs", otlp("otlpbearer"), {**PROTOBUF, "Authorization": "Bearer {key}"}),
        ("otlpheader", "/v1/logs", otlp("otlpheader"), {**PROTOBUF, "X-Hindcast-Key": "{key}"}),
        ("otlppath", "/k/{key}/v1/logs", otlp("otlppath"), PROTOBUF),
        ("bulkbasic", "/_bulk", (BULK % "bulkbasic").encode(), {"Authorization": "basic {key}"}),
        ("bulkapikey", "/_bulk", (BULK % "bulkapikey").encode(), {"Authorization": "apikey {key}"}),
        ("bulkpath", "/k/{key}/_bulk", (BULK % "bulkpath").encode(), {}),
        ("lokibasic", "/loki/api/v1/push", loki("lokibasic"), {**JSON, "Authorization": "basic {key}"}),
        ("lokitenant", "/loki/api/v1/push", loki("lokitenant"), {**JSON, **TENANT, "X-Hindcast-Key": "{key}"}),
        ("linespath", "/k/{key}/api/v1/lines", b"linespath\n", {}),
    ],
)  # fmt: skip
def test_a_key_opens_its_own_space(
    here: Tenants, key: MadeKey, word: str, path: str, body: bytes, headers: Mapping[str, str]
) -> None:
    """However its protocol sends the key, a record lands in the one space that the key is for."""
    answer = here.client.post(path.format(key=key.secret), content=body, headers=filled(headers, key.secret))

    assert answer.is_success, answer.text
    assert stored(here, word) == 1


def filled(headers: Mapping[str, str], secret: str) -> dict[str, str]:
    """Headers with the key where they say so, encoded as the scheme wants it."""
    found = {name: value.format(key=secret) for name, value in headers.items()}
    given = found.get("Authorization", "")
    if given.startswith("basic "):
        found["Authorization"] = f"Basic {encoded('shipper:' + secret)}"
    if given.startswith("apikey "):
        found["Authorization"] = f"ApiKey {encoded('an-id:' + secret)}"
    return found


def test_pagerduty_sends_its_key_in_the_body(here: Tenants, key: MadeKey) -> None:
    """An event's routing key may be a key of ours; the alert is in the key's space and keeps only a hash of it."""
    answer = here.client.post("/v2/enqueue", content=event("paged by key", key.secret), headers=JSON)
    alerts = here.client.get("/api/v1/alerts", headers={**here.callers["viewer"], "X-Hindcast-Space": OWN})

    assert answer.status_code == 202
    assert "paged by key" in alerts.text
    assert key.secret not in alerts.text


def test_a_webhook_has_its_key_in_the_path(here: Tenants, key: MadeKey) -> None:
    """Whoever can be told a URL and nothing else has the key in it."""
    body = {
        "status": "firing",
        "alerts": [
            {
                "status": "firing",
                "labels": {"alertname": "PathAlert"},
                "annotations": {},
                "startsAt": "2026-11-16T00:00:00Z",
                "fingerprint": "f",
            }
        ],
    }
    answer = here.client.post(f"/k/{key.secret}/webhooks/alertmanager", json=body)

    assert (answer.status_code, answer.json()["alerts"]) == (200, 1)


@pytest.mark.parametrize("header", ["X-Hindcast-Space", "X-Scope-OrgID"])
@pytest.mark.parametrize("space", [FOREIGN, "acme/other", "local"])
def test_a_key_cannot_send_elsewhere(here: Tenants, key: MadeKey, header: str, space: str) -> None:
    """A header that names another space than the key's is answered as if that space did not exist."""
    headers = {**JSON, **bearer(key.secret), header: space}
    answer = here.client.post("/loki/api/v1/push", content=loki("elsewhere"), headers=headers)

    assert answer.status_code == 404
    assert "There is no space" in answer.text


@pytest.mark.parametrize("secret", ["", "hc_ingest_abc_" + "0" * 64])
def test_each_protocol_says_no_in_its_own_words(here: Tenants, secret: str) -> None:
    """Without a good key OTLP gets a Status, Elasticsearch an exception, Loki a line, PagerDuty its errors."""
    headers = bearer(secret) if secret else {}
    client = here.client
    protobuf = client.post("/v1/logs", content=otlp("x"), headers={**PROTOBUF, **headers})
    as_json = client.post("/v1/logs", content=b"{}", headers={**JSON, **headers})
    bulk = client.post("/_bulk", content=b"", headers=headers)
    push = client.post("/loki/api/v1/push", content=loki("x"), headers={**JSON, **headers})
    page = client.post("/v2/enqueue", content=event("x", "0" * 32), headers={**JSON, **headers})
    hook = client.post("/webhooks/github", content=b"{}", headers={**JSON, **headers})

    assert [one.status_code for one in (protobuf, as_json, bulk, push, page, hook)] == [401] * 6
    assert protobuf.headers["Content-Type"] == "application/x-protobuf"
    # A Status: field 1 is the code, and 16 is UNAUTHENTICATED.
    assert protobuf.content[:2] == b"\x08\x10"
    assert as_json.json()["code"] == 16
    assert bulk.json()["error"]["type"] == "security_exception"
    assert bulk.headers["X-Elastic-Product"] == "Elasticsearch"
    assert push.headers["Content-Type"].startswith("text/plain")
    assert page.json()["status"] == "invalid event"
    assert hook.json()["status"] == 401


def test_a_revoked_key_sends_nothing_more(here: Tenants) -> None:
    """The very next request after a revocation is refused."""
    made = here.access.keys.create(
        "short-lived", Power.INGEST, organisation="acme", project="payments", by=here.access.operator
    )
    before = here.client.post("/api/v1/lines", content=LINE, headers=bearer(made.secret))
    here.access.keys.revoke(made.key.id, by=here.access.operator)
    after = here.client.post("/api/v1/lines", content=LINE, headers=bearer(made.secret))

    assert (before.status_code, after.status_code) == (200, 401)


def test_nothing_is_read_from_a_stranger(here: Tenants) -> None:
    """A body is not even parsed before it is known who sends it: garbage is answered with 401 as well."""
    answer = here.client.post("/v1/logs", content=b"\xff" * 1_000_000, headers=PROTOBUF)

    assert answer.status_code == 401


def test_a_key_in_a_path_is_written_nowhere(here: Tenants, key: MadeKey, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the log nor the audit trail nor an answer repeats a key that stood in a path, good or bad."""
    bad = f"hc_ingest_bad_{'1' * 64}"
    with caplog.at_level(logging.DEBUG):
        answers = [
            here.client.post(f"/k/{secret}{path}", content=b"{}")
            for secret in (key.secret, bad)
            for path in ("/v1/logs", "/api/v1/lines", "/nothing", "")
        ]
    owner = {**here.callers["owner"], "Accept": "text/csv"}
    trail = here.client.get("/api/v1/audit", params={"organisation": "acme"}, headers=owner).text
    home = "".join(here.access.audit.export("home", by=here.access.operator))
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "asyncio"))]
    written: list[Any] = [*ours, trail, home, *(answer.text for answer in answers)]

    assert "/v1/logs" in trail + home
    assert not [one for one in written if key.secret in one or bad in one]
