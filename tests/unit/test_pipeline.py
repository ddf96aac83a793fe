"""The way in: times, secrets, templates and fingerprints, in this order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.fingerprint.grouping import Condition, Groups, Join, Split
from hindcast.ingest.redact import Redactor
from hindcast.ingest.template import Miner
from hindcast.model.columns import LOG, METRIC, RAW_LOG, RAW_METRIC, SPAN, Batch, Parsed
from hindcast.model.signal import Alert, Severity, Status
from hindcast.pipeline import Preparation, Stages

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


@pytest.fixture
def prepare() -> Preparation:
    """A fresh way in."""
    return Preparation(Stages(Redactor(), Miner(), Fingerprinter()), ManualClock(NOW))


def logs(*rows: dict[str, Any]) -> Parsed:
    """A request with these log rows; what is left out is ordinary."""
    usual = {"time": NOW, "service": "payment", "level": 9, "trace": "", "span": "", "message": "", "stack": ""}
    usual["dependency"] = ""
    return Parsed(logs=pa.Table.from_pylist([{**usual, "attributes": [], **row} for row in rows], schema=RAW_LOG))


def column(batches: Sequence[Batch], name: str) -> list[Any]:
    """One column of what was prepared."""
    return [value for batch in batches if batch.logs is not None for value in batch.logs[name].to_pylist()]


def test_what_is_prepared_has_the_columns_of_the_store(prepare: Preparation) -> None:
    """Every row gets its space, its arrival and a service to be filed under."""
    (batch,) = prepare([("local", logs({"message": "ready", "service": ""}))])

    assert batch.logs is not None
    assert batch.logs.schema == LOG
    (row,) = batch.logs.to_pylist()
    assert (row["space"], row["arrived"], row["service"]) == ("local", NOW, "unnamed")


def test_each_space_has_a_batch_of_its_own(prepare: Preparation) -> None:
    """Requests of several spaces that came together are written together and never mixed."""
    batches = prepare([("a", logs({"message": "1"})), ("b", logs({"message": "2"})), ("a", logs({"message": "3"}))])

    assert {batch.space: column([batch], "message") for batch in batches} == {"a": ["1", "3"], "b": ["2"]}


def test_a_wrong_clock_is_noticed(prepare: Preparation) -> None:
    """A time far from the arrival is replaced by it and counted; one a minute old is left alone."""
    old, recent = NOW - timedelta(days=400), NOW - timedelta(minutes=1)
    batches = prepare([("local", logs({"time": old}, {"time": recent}, {"time": None}))])

    assert column(batches, "time") == [NOW, recent, NOW]
    assert (prepare.noticed["time_skewed"], prepare.noticed["time_missing"]) == (1, 1)


def test_secrets_are_gone_before_templates_see_them(prepare: Preparation) -> None:
    """Neither message, stack, attributes nor template holds what was secret."""
    secret = "hunter2horsebattery"
    row = {
        "message": f"login failed password={secret}",
        "stack": f"ValueError: password={secret}",
        "attributes": [("db.password", secret), ("user", "ana")],
        "level": 17,
    }
    batches = prepare([("local", logs(row))])

    assert secret not in str([batch.logs.to_pylist() if batch.logs else None for batch in batches])
    assert secret not in str([(batch.templates, batch.fingerprints) for batch in batches])
    assert sum(count for name, count in prepare.noticed.items() if name.startswith("redacted_")) >= 3


def test_lines_of_one_origin_share_a_template(prepare: Preparation) -> None:
    """Numbers do not tell lines apart, and a new template is told once, with its words."""
    rows = [{"message": f"order {number} took {number * 3} ms"} for number in range(1, 30)]
    (batch,) = prepare([("local", logs(*rows))])
    (again,) = prepare([("local", logs(*rows))])

    assert len(set(column([batch, again], "template"))) == 1
    assert [pattern.id for pattern in batch.templates] == column([batch], "template")[:1]
    assert again.templates == ()


def test_what_could_not_be_written_is_told_again(prepare: Preparation) -> None:
    """A template that was new in a failed write is new in the next one too: its words are not lost."""
    failed = prepare([("local", logs({"message": "order 1 failed", "level": 17}))])
    prepare.owe(failed)
    (again,) = prepare([("local", logs({"message": "order 2 failed", "level": 17}))])
    (after,) = prepare([("local", logs({"message": "order 3 failed", "level": 17}))])

    assert again.templates == failed[0].templates != ()
    assert again.fingerprints == failed[0].fingerprints != ()
    assert after.templates == after.fingerprints == ()


def test_only_failures_have_fingerprints(prepare: Preparation) -> None:
    """An ordinary line has none, an error has one."""
    batches = prepare([("local", logs({"message": "fine"}, {"message": "broken", "level": 17}))])

    fine, broken = column(batches, "fingerprint")
    assert fine == 0
    assert broken != 0


def spans(*rows: dict[str, Any]) -> Parsed:
    """A request with these client spans; what is left out is ordinary."""
    usual = {
        "space": "",
        "time": NOW,
        "duration_us": 1000,
        "service": "web",
        "name": "GET",
        "kind": 3,
        "trace": "t1",
        "span": "s1",
        "parent": "",
        "peer": "redis\x1fvalkey",
        "status": 0,
    }
    return Parsed(spans=pa.Table.from_pylist([{**usual, "attributes": [], **row} for row in rows], schema=SPAN))


def test_a_failure_that_a_trace_repeats_counts_once(prepare: Preparation) -> None:
    """Each span up the chain and the framework's log tell of it; another service, moment or trace counts by itself."""
    later = NOW + timedelta(seconds=1)
    stack = 'Traceback (most recent call last):\n  File "/app/shop.py", line 3, in pay\nConnectionError: refused'
    row = {"level": 17, "trace": "t1", "message": "refused", "service": "web", "stack": stack}
    span = {**row, "message": "POST /pay", "stack": "", "dependency": "\x1f"}
    first = prepare(
        [("local", logs(row, span, {**row, "message": "Internal Server Error: /pay"}, {**row, "level": 9}))]
    )
    plain = prepare([("local", logs({**row, "stack": ""}, {**row, "stack": "", "message": "not paid"}))])
    second = prepare(
        [
            (
                "local",
                logs(
                    {**row, "time": later}, {**row, "service": "worker"}, {**row, "trace": "t2"}, {**row, "trace": ""}
                ),
            )
        ]
    )
    third = prepare([("local", logs({**row, "time": NOW - timedelta(seconds=30)}))])

    assert column(first, "repeated") == [False, True, True, False]
    assert column(plain, "repeated") == [False, False]
    assert column(second, "repeated") == [True, False, False, False]
    assert column(third, "repeated") == [False]


def test_a_failure_that_could_not_be_written_counts_when_it_comes_again(prepare: Preparation) -> None:
    """What a failed write counted was counted for nothing."""
    row = {"level": 17, "trace": "t1", "message": "refused"}
    prepare.owe(prepare([("local", logs(row))]))

    assert column(prepare([("local", logs(row))]), "repeated") == [False]


def test_an_error_counts_for_the_dependency_that_it_names(prepare: Preparation) -> None:
    """Where its service was seen to call it, once a trace; not where it was asked wrongly, nor by a word in passing."""
    text = "redis.exceptions.ConnectionError: Error 111 connecting to 10.0.0.9:6379. Connection refused."
    stack = 'Traceback (most recent call last):\n  File "redis/client.py", line 1, in f\nTypeError: no'
    row = {"level": 17, "trace": "t1", "message": text, "service": "web"}
    before = prepare([("local", logs({**row, "trace": "t0"}))])
    prepare([("local", spans({}))])
    batches = prepare(
        [
            (
                "local",
                logs(
                    {**row, "stack": stack.replace("TypeError: no", text)},
                    {**row, "stack": stack.replace("TypeError: no", text)},
                    {**row, "service": "worker", "trace": "t9"},
                    {**row, "message": "redis.exceptions.DataError: Invalid input", "trace": "t2"},
                    {**row, "message": "boom", "stack": stack, "trace": "t3"},
                    {**row, "level": 9, "trace": "t4"},
                ),
            )
        ]
    )

    assert column(before, "dependency") == [""]
    assert column(batches, "dependency") == ["redis", "", "", "", "", ""]


def test_a_dependency_that_sends_is_the_service_it_sends_as(prepare: Preparation) -> None:
    """PostgreSQL's own log says `postgres`: calls to the kind `postgresql` are calls to it."""
    named = "db.internal\x1fpostgresql\x1fpostgres\x1fpg"
    (alone,) = prepare([("local", spans({"peer": named}))])
    prepare([("local", logs({"service": "postgres"}))])
    (known,) = prepare([("local", spans({"peer": named}))])
    (other,) = prepare([("other", spans({"peer": named}, {"peer": "cart"}, {"peer": ""}))])
    made = [batch.spans["peer"].to_pylist() for batch in (alone, known, other) if batch.spans is not None]

    assert made == [["db.internal"], ["postgres"], ["db.internal", "cart", ""]]


def test_a_metric_export_is_a_sign_of_life() -> None:
    """Of each service it is known when it last exported and how often it does, once an interval has shown."""
    clock = ManualClock(NOW)
    prepare = Preparation(Stages(Redactor(), Miner(), Fingerprinter()), clock)
    usual = {"space": "", "name": "cpu", "value": 1.0, "unit": "", "cumulative": False, "attributes": []}

    def export(*services: str) -> None:
        rows = [{**usual, "service": service, "time": clock.now()} for service in services for _ in range(3)]
        prepare([("local", Parsed(metrics=pa.Table.from_pylist(rows, schema=METRIC)))])

    export("worker", "web")
    early = prepare.pulses.read()
    for _ in range(4):
        clock.move(timedelta(seconds=10))
        export("worker", "web")
        export("web")
    for _ in range(4):
        clock.move(timedelta(seconds=10))
        export("web")
    worker, web = prepare.pulses.read()

    assert [(one.service, one.interval_seconds, one.missed(NOW)) for one in early] == [
        ("worker", None, 0),
        ("web", None, 0),
    ]
    assert (worker.service, worker.last_at, worker.interval_seconds) == ("worker", NOW + timedelta(seconds=40), 10)
    assert (worker.missed(clock.now()), web.missed(clock.now())) == (3, 0)


def test_percentiles_of_a_running_histogram_are_of_what_came_since_the_last_export(prepare: Preparation) -> None:
    """They rise when answers become slow, say nothing of the first export, and begin anew with the process."""

    def export(second: int, *buckets: int, **other: str) -> dict[str, float]:
        low = [[0.0, 1.0], [1.0, 5.0], [5.0, 10.0]]
        counts = json.dumps([[*ends, count] for ends, count in zip(low, buckets, strict=True)])
        row = {"space": "", "service": "web", "name": "s", "value": 0.0, "unit": "s", "cumulative": False}
        at = {"time": NOW + timedelta(seconds=second), "attributes": list(other.items()), "buckets": counts}
        (batch,) = prepare([("local", Parsed(metrics=pa.Table.from_pylist([{**row, **at}], schema=RAW_METRIC)))])
        assert batch.metrics is not None
        assert batch.metrics.schema == METRIC
        return {row["name"]: row["value"] for row in batch.metrics.to_pylist()}

    assert export(0, 10_000, 0, 0) == {}
    assert export(10, 10_100, 0, 0) == {"s.p50": 0.5, "s.p90": 0.9, "s.p99": 0.99}
    assert export(10, 10_100, 0, 0) == {}
    assert export(20, 10_100, 0, 100) == {"s.p50": 7.5, "s.p90": 9.5, "s.p99": 9.95}
    assert export(30, 10_100, 0, 100) == {}
    assert export(30, 5, 5, 5, route="/pay") == {}
    assert export(40, 0, 2, 0) == {"s.p50": 3.0, "s.p90": 4.6, "s.p99": 4.96}
    assert export(50, 4, 1, 0) == {}


def test_people_regroup_failures_from_now_on(prepare: Preparation) -> None:
    """A join and a split hold for the space they were said in, and for no other."""
    rows = logs(
        {"message": "pool is empty", "level": 17},
        {"message": "no connection left", "level": 17},
        {"message": "pool is empty", "level": 17, "service": "stock"},
    )
    one, other, same = column(prepare([("local", rows)]), "fingerprint")
    assert one == same != other

    prepare.groups["local"] = Groups((Join((one, other), one), Split(one, Condition(service="stock"))))

    joined, too, apart = column(prepare([("local", rows)]), "fingerprint")
    assert joined == too == one
    assert apart not in (one, other)
    assert column(prepare([("elsewhere", rows)]), "fingerprint") == [one, other, one]


def test_alerts_and_metrics_go_the_same_way(prepare: Preparation) -> None:
    """An alert loses its secrets, and a metric gets its space."""
    alert = Alert("grafana", "k", Status.FIRING, "token=ghp_" + "a1B2" * 9, "payment", Severity.MAJOR, NOW)
    row = {"space": "", "time": NOW, "service": "", "name": "cpu", "value": 1.0, "unit": "", "cumulative": False}
    metrics = pa.Table.from_pylist([{**row, "attributes": []}], schema=METRIC)

    (batch,) = prepare([("local", Parsed(metrics=metrics, alerts=(alert,)))])

    assert "a1B2a1B2" not in batch.alerts[0].title
    assert batch.metrics is not None
    assert batch.metrics.to_pylist()[0]["space"] == "local"


def test_names_hold_no_secrets(prepare: Preparation) -> None:
    """Programs put addresses into names of spans, metrics and services; a secret in one is taken out."""
    secret = "hunter2horsebattery"
    name = f"GET /login?password={secret}"
    base = {"time": NOW, "service": f"payment password={secret}", "name": name, "attributes": []}
    metric = {**base, "space": "", "value": 1.0, "unit": "", "cumulative": False}
    span = {**base, "space": "", "duration_us": 5, "kind": 3, "trace": "", "span": "", "parent": "", "status": 2}
    parsed = Parsed(
        logs=logs({"message": "x", "service": f"payment password={secret}"}).logs,
        metrics=pa.Table.from_pylist([metric], schema=METRIC),
        spans=pa.Table.from_pylist([{**span, "peer": f"db password={secret}"}], schema=SPAN),
    )

    (batch,) = prepare([("local", parsed)])

    kept = [table.to_pylist() for table in (batch.logs, batch.metrics, batch.spans) if table is not None]
    assert secret not in str(kept)
    assert "GET /login?password=[redacted:password]" in str(kept)


def test_a_failed_operation_counts_and_does_not_say_what_failed(prepare: Preparation) -> None:
    """A span in error without a description is an error of its service, and no failure that could be recognised."""
    row = {"message": "POST /pay", "level": 17, "dependency": "\x1f", "bare": True}
    batches = prepare([("local", logs(row, {"message": "card network refused", "level": 17}))])

    bare, said = zip(*(column(batches, name) for name in ("template", "fingerprint", "level")), strict=True)
    assert bare == (0, 0, 17)
    assert all(said)
