"""Raw telemetry and services over HTTP: windows, pages, traces, and how a service does now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.resting import Resting, resting

from hindcast.adapters.clock import ManualClock
from hindcast.model.case import Case

LOGS = "/api/v1/logs"
NOW = datetime.now(UTC).replace(microsecond=0)
TRACE = "0af7651916cd43dd8448eb211c80319c"


def nanos(at: datetime) -> str:
    """A time as OTLP writes it."""
    return str(int(at.timestamp() * 1_000_000) * 1_000)


def resource(service: str) -> dict[str, Any]:
    """A resource of this name."""
    return {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}


def lines(service: str, *told: tuple[datetime, int, str], trace: str = "") -> dict[str, Any]:
    """Log lines of a service as an OTLP request."""
    records = [
        {"timeUnixNano": nanos(at), "severityNumber": level, "body": {"stringValue": text}, "traceId": trace}
        for at, level, text in told
    ]
    return {"resourceLogs": [{"resource": resource(service), "scopeLogs": [{"logRecords": records}]}]}


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast that has heard of two services, a trace and an outage that is under way."""
    # Time stands still: what was just now when this was written stays so, however late these tests come.
    with resting(tmp_path_factory.mktemp("telemetry"), ManualClock(NOW)) as made:
        same = NOW - timedelta(minutes=10)
        burst = [(same, 9, f"burst line {number}") for number in range(25)]
        made.ask("POST", "/v1/logs", "shop", json=lines("auth", *burst))
        errors = [(NOW - timedelta(seconds=30), 17, f"could not sign in {number}") for number in range(20)]
        hours = [(NOW - timedelta(hours=5), 17, "an error long ago"), (NOW - timedelta(seconds=20), 13, "slow")]
        made.ask("POST", "/v1/logs", "shop", json=lines("payment", *errors, *hours, trace=TRACE))
        span = {
            "traceId": TRACE,
            "spanId": "b7ad6b7169203331",
            "name": "POST /pay",
            "kind": 2,
            "startTimeUnixNano": nanos(NOW - timedelta(seconds=31)),
            "endTimeUnixNano": nanos(NOW - timedelta(seconds=30)),
            "status": {"code": 2},
        }
        spans = {"resourceSpans": [{"resource": resource("payment"), "scopeSpans": [{"spans": [span]}]}]}
        made.ask("POST", "/v1/traces", "shop", json=spans)
        yield made


@pytest.mark.parametrize("newest_first", [False, True])
def test_lines_of_one_moment_are_paged_without_loss(hindcast: Resting, newest_first: bool) -> None:
    """Twenty-five lines of the same microsecond come in pages of ten, each line once, either way round."""
    found: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = hindcast.get(LOGS, "shop", service="auth", limit=10, newest_first=newest_first, **cursor)
        found += [line["message"] for line in page["items"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}

    assert sorted(found) == sorted(f"burst line {number}" for number in range(25))


def test_lines_are_narrowed(hindcast: Resting) -> None:
    """Level, words, trace and window narrow the lines; numbers of 64 bits are text."""
    # The span that failed is a line, too.
    assert len(hindcast.get(LOGS, "shop", level_min=17)["items"]) == 21
    (line,) = hindcast.get(LOGS, "shop", words="slo")["items"]
    assert (line["service"], line["level"], line["trace"], line["template"].isdigit()) == ("payment", 13, TRACE, True)
    since = (NOW - timedelta(hours=6)).isoformat()
    assert len(hindcast.get(LOGS, "shop", since=since, level_min=17)["items"]) == 22
    assert hindcast.get(LOGS, "elsewhere")["items"] == []


def test_lines_are_found_and_counted_by_parts_of_words(hindcast: Resting) -> None:
    """A part of a word, or several, finds lines and counts them by step; too many are refused by name."""
    assert [one["message"] for one in hindcast.get(LOGS, "shop", words="SLO")["items"]] == ["slow"]
    assert len(hindcast.get(LOGS, "shop", words="rst ne 1")["items"]) == 12
    found = hindcast.get("/api/v1/rates", "shop", words="SLO", step_seconds=30)["services"]
    assert [(one["service"], [point["lines"] for point in one["points"]]) for one in found] == [("payment", [1])]
    refused = hindcast.ask("GET", LOGS, "shop", status=400, params={"words": " ".join("abcdefghijk")})
    assert refused.json()["field"] == "words"


def test_a_trace_is_told_with_its_lines(hindcast: Resting) -> None:
    """A trace has the spans of each service in order and what was logged meanwhile; an unknown one is missing."""
    told = hindcast.get(f"/api/v1/traces/{TRACE}", "shop")

    assert [(one["service"], one["name"], one["status"], one["duration_us"]) for one in told["spans"]] == [
        ("payment", "POST /pay", 2, 1_000_000)
    ]
    assert len(told["lines"]) == 22
    hindcast.ask("GET", "/api/v1/traces/00", "shop", status=404)
    hindcast.ask("GET", f"/api/v1/traces/{TRACE}", "elsewhere", status=404)


def test_services_say_how_they_do(hindcast: Resting) -> None:
    """A service has its errors now and usually, when it was last heard of, and its day by hours."""
    auth, payment = hindcast.get("/api/v1/services", "shop")["items"]

    assert (auth["name"], auth["errors_per_minute"], sum(auth["errors_by_hour"])) == ("auth", 0, 0)
    assert (payment["errors_per_minute"], payment["lines_per_minute"]) == (20, 21)
    assert payment["errors_per_minute_usual"] == pytest.approx(1 / 1439)
    assert (len(payment["errors_by_hour"]), sum(payment["errors_by_hour"]), payment["errors_by_hour"][-1]) == (
        24,
        21,
        20,
    )
    assert datetime.fromisoformat(payment["last_seen_at"]) == NOW - timedelta(seconds=20)


def test_what_nobody_closed_long_ago_is_not_what_happens_now(hindcast: Resting) -> None:
    """A service is in an incident that people opened this week, and not in one that was left open before that."""
    left = Case("past-left-open", "Sign-ins are slow", NOW - timedelta(days=42), services=("auth",))
    hindcast.remember("shop", left)

    assert [one["incident"] for one in hindcast.get("/api/v1/services", "shop")["items"]] == ["", ""]

    fresh = Case("told-by-hand", "Nobody can sign in", NOW - timedelta(days=2), services=("auth",))
    hindcast.remember("shop", fresh)

    assert [one["incident"] for one in hindcast.get("/api/v1/services", "shop")["items"]] == ["told-by-hand", ""]


def test_rates_are_counts_by_step_and_level(hindcast: Resting) -> None:
    """Lines are counted by service, step and level; too many steps are refused."""
    told = hindcast.get("/api/v1/rates", "shop", service="payment", step_seconds=3600)
    (rates,) = told["services"]

    assert rates["service"] == "payment"
    assert sum(point["lines"] for point in rates["points"]) == 21
    assert sum(point["errors"] for point in rates["points"]) == 20
    assert {name for point in rates["points"] for name in point["levels"]} == {"error", "warn"}
    far = (NOW - timedelta(days=80)).isoformat()
    refused = hindcast.ask("GET", "/api/v1/rates", "shop", params={"since": far, "step_seconds": 1}, status=400)
    assert refused.json()["field"] == "step_seconds"


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"since": "2026-11-15T02:03:04"}, "since"),
        ({"since": "1875-01-01T00:00:00Z"}, "since"),
        ({"since": "2026-01-01T00:00:00Z"}, "since"),
        ({"since": "2026-11-15T02:00:00Z", "until": "2026-11-15T01:00:00Z"}, "since"),
        ({"cursor": "WzEsMl0"}, "cursor"),
        ({"level_min": 25}, "level_min"),
        ({"limit": 0}, "limit"),
    ],
)
def test_a_window_has_to_make_sense(hindcast: Resting, params: dict[str, Any], field: str) -> None:
    """A window without a timezone, of another century, too long or upside down is refused by its field."""
    answer = hindcast.client.get(LOGS, params=params, headers={"X-Hindcast-Space": "shop"})

    assert answer.status_code in (400, 422)
    assert answer.json()["field"] == field
