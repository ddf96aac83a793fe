"""The contract of `ports.Telemetry`, held by chDB in this process, a real ClickHouse server, and a cluster of two."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from hindcast.adapters.telemetry_clickhouse import ClickhouseTelemetry, Retention, schema, write
from hindcast.adapters.telemetry_clickhouse.connection import Engine
from hindcast.adapters.telemetry_clickhouse.recount import recount, token
from hindcast.adapters.telemetry_clickhouse.write import counted, numbered
from hindcast.model.columns import LOG, METRIC, RATE, SPAN, TIME, Batch, Pattern
from hindcast.model.errors import Malformed, Refused, Unavailable
from hindcast.model.signal import Alert, ChangeKind, Edge, Level, Severity, Status, SystemChange
from hindcast.ports import Telemetry

if TYPE_CHECKING:
    from tests.contract.conftest import TelemetryPlace

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
SPACE = "acme/shop"


def after(seconds: float) -> datetime:
    """A moment of the tests' hour."""
    return AT + timedelta(seconds=seconds)


def logs(*rows: dict[str, Any]) -> pa.Table:
    """Log lines that are all alike but for what is said of each."""
    usual = {
        "space": SPACE,
        "time": AT,
        "arrived": AT,
        "service": "api",
        "level": Level.INFO,
        "trace": "",
        "span": "",
        "template": 0,
        "fingerprint": 0,
        "repeated": False,
        "dependency": "",
        "message": "hello",
        "stack": "",
        "attributes": [],
    }
    return pa.Table.from_pylist([{**usual, **row} for row in rows], schema=LOG)


def metrics(*rows: dict[str, Any]) -> pa.Table:
    """Points of metrics."""
    usual = {
        "space": SPACE,
        "time": AT,
        "service": "api",
        "name": "cpu",
        "value": 1.0,
        "unit": "",
        "cumulative": False,
        "attributes": [],
    }
    return pa.Table.from_pylist([{**usual, **row} for row in rows], schema=METRIC)


def spans(*rows: dict[str, Any]) -> pa.Table:
    """Spans of one trace."""
    usual = {
        "space": SPACE,
        "time": AT,
        "duration_us": 1000,
        "service": "web",
        "name": "GET /",
        "kind": 3,
        "trace": "t1",
        "span": "",
        "parent": "",
        "peer": "",
        "status": 0,
        "attributes": [],
    }
    return pa.Table.from_pylist([{**usual, **row} for row in rows], schema=SPAN)


def keep(store: Telemetry, *rows: dict[str, Any]) -> None:
    """Write log lines as one batch."""
    store.write([Batch(SPACE, logs=logs(*rows))])


def told(table: pa.Table) -> list[tuple[int, str, int, int]]:
    """Rates as (seconds after AT, service, level, count)."""
    return sorted(
        (int((row["second"] - AT).total_seconds()), row["service"], row["level"], row["count"])
        for row in table.to_pylist()
    )


def messages(found: Sequence[Any]) -> list[str]:
    """What lines say."""
    return [line.message for line in found]


def alert(key: str = "k1", **other: Any) -> Alert:
    """An alert that fires."""
    usual: dict[str, Any] = {
        "source": "alertmanager",
        "status": Status.FIRING,
        "title": "Too slow",
        "service": "api",
        "severity": Severity.MAJOR,
        "started_at": AT,
    }
    return Alert(key=key, **{**usual, **other})


def change(key: str = "d1", **other: Any) -> SystemChange:
    """A deploy."""
    usual: dict[str, Any] = {
        "source": "github",
        "kind": ChangeKind.DEPLOY,
        "at": AT,
        "service": "api",
        "title": "v2",
    }
    return SystemChange(key=key, **{**usual, **other})


def stored(place: TelemetryPlace, query: str) -> int:
    """A number out of a query of each engine, added up."""
    return sum(int(engine.ask(query)["n"][0].as_py()) for engine in place.engines())


# --- Writing and reading back -------------------------------------------------------------------------------------


def test_an_empty_store_answers_every_question(telemetry: ClickhouseTelemetry) -> None:
    """A store in which nothing was written has an empty answer to everything, with the columns it always has."""
    assert telemetry.rates(AT, LATER).schema.equals(RATE)
    assert telemetry.rates(AT, LATER).num_rows == 0
    assert telemetry.rates(AT, LATER, step_seconds=60).schema.equals(RATE)
    assert telemetry.gauges(AT, LATER).column_names == ["space", "service", "name", "step", "value"]
    assert telemetry.gauges(AT, LATER).num_rows == 0
    assert telemetry.calls(AT, LATER, space=SPACE) == ()
    assert telemetry.top_templates(SPACE, (), AT, LATER, level_min=0, count_max=5) == ()
    assert telemetry.top_fingerprints(SPACE, (), AT, LATER, count_max=5) == ()
    assert telemetry.lines(SPACE, AT, LATER) == ()
    assert telemetry.changes(SPACE, AT, LATER) == ()
    assert telemetry.alerts(None, AT, LATER) == ()
    assert telemetry.templates() == ()
    telemetry.write([])
    telemetry.write([Batch(SPACE, logs=LOG.empty_table())])


def test_a_line_comes_back_as_it_was_written(telemetry: ClickhouseTelemetry) -> None:
    """Quotes, backslashes, line breaks, tabs, other scripts, NUL and microseconds all survive."""
    odd = 'it\'s "odd" \\ \\n \n\t\0 {x:String} $log %s Grüße 日本 🎉'
    time = AT + timedelta(microseconds=123_457)
    keep(
        telemetry,
        {
            "time": time,
            "service": odd,
            "level": 24,
            "trace": "ab" * 16,
            "span": "cd" * 8,
            "template": 2**64 - 1,
            "fingerprint": 2**63,
            "message": odd,
            "stack": odd,
            "attributes": [("k " + odd, odd), ("empty", "")],
        },
    )
    (line,) = telemetry.lines(SPACE, AT, LATER, services=[odd])
    assert (line.time, line.service, line.level, line.message, line.stack) == (time, odd, 24, odd, odd)
    assert (line.trace, line.template, line.fingerprint) == ("ab" * 16, 2**64 - 1, 2**63)
    assert line.attributes == {"k " + odd: odd, "empty": ""}
    assert line.time.tzinfo is not None
    assert telemetry.rates(AT, LATER)["service"].to_pylist() == [odd]


def test_times_of_other_zones_are_the_same_instant(telemetry: ClickhouseTelemetry) -> None:
    """A window given in another timezone is the same window."""
    keep(telemetry, {})
    there = timezone(timedelta(hours=-7))
    assert len(telemetry.lines(SPACE, AT.astimezone(there), LATER.astimezone(there))) == 1


def test_one_write_takes_many_batches_of_many_spaces(telemetry: ClickhouseTelemetry) -> None:
    """Batches that are written together are each there, in their own space only."""
    telemetry.write(
        [Batch(f"s{number}", logs=logs({"space": f"s{number}"}, {"space": f"s{number}"})) for number in range(5)]
    )
    for number in range(5):
        assert len(telemetry.lines(f"s{number}", AT, LATER)) == 2
        assert telemetry.rates(AT, LATER, space=f"s{number}")["count"].to_pylist() == [2]
    assert sum(telemetry.rates(AT, LATER)["count"].to_pylist()) == 10


def test_a_name_is_never_a_command(telemetry: ClickhouseTelemetry) -> None:
    """A space, a service or words that look like SQL are looked for and not carried out."""
    keep(telemetry, {})
    evil = "' OR 1=1; DROP TABLE log; --"
    assert telemetry.lines(evil, AT, LATER) == ()
    assert telemetry.lines(SPACE, AT, LATER, services=[evil]) == ()
    assert telemetry.lines(SPACE, AT, LATER, words=evil) == ()
    assert telemetry.lines(SPACE, AT, LATER, trace=evil) == ()
    assert len(telemetry.lines(SPACE, AT, LATER)) == 1


def test_a_write_of_any_size_is_whole(telemetry: ClickhouseTelemetry, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too much for one insert goes in by several, and every line is there and counted once."""
    monkeypatch.setattr(write, "ROWS_PER_INSERT_MAX", 7)
    rows = [{"time": after(number), "message": f"line {number}"} for number in range(30)]
    keep(telemetry, *rows)
    assert messages(telemetry.lines(SPACE, AT, LATER)) == [f"line {number}" for number in range(30)]
    assert told(telemetry.rates(AT, LATER)) == [(number, "api", 9, 1) for number in range(30)]


def test_lines_of_many_days_go_in_at_once(telemetry: ClickhouseTelemetry) -> None:
    """One write may hold lines of any number of days, as when a file of years is read."""
    days = 101
    keep(telemetry, *({"time": AT - timedelta(days=number)} for number in range(days)))
    found = telemetry.rates(AT - timedelta(days=days), LATER, step_seconds=86_400)
    assert sum(found["count"].to_pylist()) == days


# --- Rates --------------------------------------------------------------------------------------------------------


def test_rates_are_the_counts_of_lines(telemetry: ClickhouseTelemetry) -> None:
    """Whatever was written in whatever pieces, the rates of a window are the counts of its lines, oldest first."""
    chance = random.Random(3)
    expected: Counter[tuple[int, str, int]] = Counter()
    for _ in range(6):
        rows: list[dict[str, Any]] = [
            {
                "time": after(chance.randrange(40) + chance.random() * 0.999),
                "service": chance.choice(["api", "web", "db"]),
                "level": chance.choice([0, 9, 17]),
            }
            for _ in range(200)
        ]
        expected.update((int((row["time"] - AT).total_seconds()), row["service"], row["level"]) for row in rows)
        keep(telemetry, *rows)
    found = telemetry.rates(AT, LATER)
    assert found.schema.equals(RATE)
    assert told(found) == sorted((*key, count) for key, count in expected.items())
    assert found["second"].to_pylist() == sorted(found["second"].to_pylist())


def test_a_window_includes_its_beginning_and_not_its_end(telemetry: ClickhouseTelemetry) -> None:
    """A second counts if since <= second < until."""
    keep(telemetry, *({"time": after(seconds)} for seconds in (9.9, 10, 10.9, 19.9, 20)))
    assert told(telemetry.rates(after(10), after(20))) == [(10, "api", 9, 2), (19, "api", 9, 1)]
    assert len(telemetry.lines(SPACE, after(10), after(20))) == 3
    assert told(telemetry.rates(after(10.5), after(20))) == [(19, "api", 9, 1)]


def test_steps_begin_where_the_window_does(telemetry: ClickhouseTelemetry) -> None:
    """Counts are summed by steps from the window's first second on, and labelled by where each step begins."""
    keep(telemetry, *({"time": after(seconds)} for seconds in (7, 8, 16, 17, 36, 37)))
    found = telemetry.rates(after(7), after(37), step_seconds=10)
    assert told(found) == [(7, "api", 9, 3), (17, "api", 9, 1), (27, "api", 9, 1)]
    assert found.schema.equals(RATE)


# --- Metrics ------------------------------------------------------------------------------------------------------


def gauge_values(table: pa.Table) -> list[tuple[str, int, float]]:
    """Gauges as (name, seconds after AT, value)."""
    return [(row["name"], int((row["step"] - AT).total_seconds()), row["value"]) for row in table.to_pylist()]


def test_gauges_are_means_by_step(telemetry: ClickhouseTelemetry) -> None:
    """A metric's value in a step is the mean of its points there; values that are no numbers are left out."""
    points = [(0, 1.0), (59, 3.0), (60, 10.0), (61, float("nan")), (62, float("inf"))]
    rows = [{"time": after(seconds), "value": value} for seconds, value in points]
    telemetry.write([Batch(SPACE, metrics=metrics(*rows)), Batch("other", metrics=metrics({"space": "other"}))])
    assert gauge_values(telemetry.gauges(AT, LATER, space=SPACE)) == [("cpu", 0, 2.0), ("cpu", 60, 10.0)]
    assert telemetry.gauges(AT, LATER)["space"].to_pylist() == [SPACE, "other", SPACE]
    assert telemetry.gauges(AT, LATER).schema.field("step").type == pa.timestamp("s", tz="UTC")


def test_counters_are_rates(telemetry: ClickhouseTelemetry) -> None:
    """A counter's value is its growth by second; one that fell was set back to 0, and grew from there."""
    points = [(0, 100.0), (30, 160.0), (60, 220.0), (90, 30.0)]
    rows = [{"time": after(s), "value": v, "name": "requests", "cumulative": True} for s, v in points]
    telemetry.write([Batch(SPACE, metrics=metrics(*rows))])
    found = telemetry.gauges(AT, LATER)
    assert gauge_values(found) == [("requests", 0, 2.0), ("requests", 60, (60 + 30) / 60)]
    # The point before the window tells where the first one in it has come from.
    assert gauge_values(telemetry.gauges(after(30), after(60))) == [("requests", 30, 2.0)]


def test_the_series_of_one_counter_add_up(telemetry: ClickhouseTelemetry) -> None:
    """Series are told apart by their attributes, in whatever order these come, and their rates are added."""
    one, two = [("path", "/a"), ("code", "200")], [("path", "/b"), ("code", "200")]
    points = [(0, one, 0.0), (0, two, 1000.0), (10, one[::-1], 10.0), (10, two, 1030.0)]
    rows = [
        {"time": after(seconds), "value": value, "attributes": attributes, "cumulative": True}
        for seconds, attributes, value in points
    ]
    # Each point comes by its own write, and so by its own shard.
    for row in rows:
        telemetry.write([Batch(SPACE, metrics=metrics(row))])
    assert gauge_values(telemetry.gauges(AT, LATER)) == [("cpu", 0, 4.0)]


# --- Spans --------------------------------------------------------------------------------------------------------


def test_a_trace_is_read_in_order(telemetry: ClickhouseTelemetry) -> None:
    """The spans of one trace come in the order in which they began, of this space only, up to so many."""
    rows = [
        {"trace": "t1", "span": f"s{number}", "time": after(10 - number), "name": f"n{number}"} for number in range(3)
    ]
    telemetry.write(
        [Batch(SPACE, spans=spans(*rows, {"trace": "t2", "span": "x"}, {"trace": "t1", "space": "other/shop"}))]
    )

    assert [one.span for one in telemetry.spans(SPACE, "t1")] == ["s2", "s1", "s0"]
    assert [one.name for one in telemetry.spans(SPACE, "t1", spans_max=1)] == ["n2"]
    assert telemetry.spans(SPACE, "nothing") == ()


def test_lines_of_one_moment_have_an_order(telemetry: ClickhouseTelemetry) -> None:
    """However many lines are asked for, those of one microsecond come in the same order."""
    telemetry.write([Batch(SPACE, logs=logs(*({"message": f"m{number % 17:02}"} for number in range(40))))])
    every = [one.message for one in telemetry.lines(SPACE, AT, LATER, lines_max=100)]

    for few in (3, 11, 25):
        assert [one.message for one in telemetry.lines(SPACE, AT, LATER, lines_max=few)] == every[:few]


def test_calls_come_from_parents_and_children(telemetry: ClickhouseTelemetry) -> None:
    """A span whose parent belongs to another service is a call, which failed if the span did."""
    telemetry.write([Batch(SPACE, spans=spans({"span": "a"}, {"span": "b", "parent": "a"}))])
    telemetry.write(
        [
            Batch(SPACE, spans=spans({"span": "c", "parent": "a", "service": "api", "status": 2})),
            Batch(SPACE, spans=spans({"span": "d", "parent": "b", "service": "api"})),
            # The same numbers in another trace, or another space, are other spans.
            Batch(SPACE, spans=spans({"span": "e", "parent": "a", "service": "cron", "trace": "t2"})),
            Batch("other", spans=spans({"span": "f", "parent": "a", "service": "cron", "space": "other"})),
        ]
    )
    assert telemetry.calls(AT, LATER, space=SPACE) == (Edge("web", "api", calls=2, errors=1),)


def test_a_span_may_say_whom_it_called(telemetry: ClickhouseTelemetry) -> None:
    """The caller's own word counts where the callee is not traced, and a call that both tell of counts once."""
    telemetry.write(
        [
            Batch(
                SPACE,
                spans=spans(
                    {"span": "a", "peer": "postgres", "status": 2},
                    {"span": "b", "peer": "api"},
                    {"span": "c", "parent": "b", "service": "api"},
                    {"span": "d", "parent": "a", "service": "web"},
                    {"span": "e", "peer": "web"},
                ),
            )
        ]
    )
    found = telemetry.calls(AT, LATER, space=SPACE)
    assert sorted(found, key=lambda edge: edge.callee) == [Edge("web", "api", 1, 0), Edge("web", "postgres", 1, 1)]


def test_a_parent_may_have_begun_before_the_window(telemetry: ClickhouseTelemetry) -> None:
    """A call within the window is found although the caller's span began earlier; one outside is not."""
    rows = ({"span": "a"}, {"span": "b", "parent": "a", "service": "api", "time": after(100)})
    telemetry.write([Batch(SPACE, spans=spans(*rows))])
    assert telemetry.calls(after(90), after(110), space=SPACE) == (Edge("web", "api", 1, 0),)
    assert telemetry.calls(after(101), after(110), space=SPACE) == ()


# --- Templates and fingerprints -----------------------------------------------------------------------------------


def test_top_templates_of_a_window(telemetry: ClickhouseTelemetry) -> None:
    """Templates come most frequent first, with their words, when first, and the service that has most of them."""
    telemetry.write(
        [
            Batch(
                SPACE,
                logs=logs(
                    *({"template": 7, "time": after(number)} for number in range(3)),
                    *({"template": 7, "service": "web", "time": after(20)} for _ in range(4)),
                    *({"template": 8, "level": 17, "time": after(5)} for _ in range(5)),
                    *({"template": 0} for _ in range(9)),
                    {"template": 9, "time": LATER},
                ),
                templates=(Pattern(7, "took <*> ms"), Pattern(8, "failed: <*>")),
            )
        ]
    )
    first, second = telemetry.top_templates(SPACE, (), AT, LATER, level_min=0, count_max=5)
    assert (first.id, first.text, first.count, first.first_at, first.service) == (7, "took <*> ms", 7, AT, "web")
    assert (second.id, second.text, second.count, second.first_at) == (8, "failed: <*>", 5, after(5))
    assert [c.id for c in telemetry.top_templates(SPACE, (), AT, LATER, level_min=17, count_max=5)] == [8]
    assert [c.id for c in telemetry.top_templates(SPACE, ("web",), AT, LATER, level_min=0, count_max=5)] == [7]
    assert [c.id for c in telemetry.top_templates(SPACE, (), AT, LATER, level_min=0, count_max=1)] == [7]
    assert telemetry.top_templates("other", (), AT, LATER, level_min=0, count_max=5) == ()


def test_top_fingerprints_of_a_window(telemetry: ClickhouseTelemetry) -> None:
    """Fingerprints come most frequent first, with their words; one whose words are unknown has none."""
    rows = [{"fingerprint": number, "service": "api"} for number in (5, 6, 6)]
    telemetry.write([Batch(SPACE, logs=logs(*rows), fingerprints=(Pattern(6, "ValueError in parse"),))])
    found = telemetry.top_fingerprints(SPACE, (), AT, LATER, count_max=5)
    assert [(each.id, each.text, each.count) for each in found] == [(6, "ValueError in parse", 2), (5, "", 1)]


def test_a_template_reads_as_it_was_last_told(telemetry: ClickhouseTelemetry) -> None:
    """A template that reads differently now is known by its new words, however soon it was told again."""
    telemetry.write([Batch(SPACE, templates=(Pattern(1, "a b"), Pattern(2, "c")))])
    telemetry.write(
        [Batch(SPACE, templates=(Pattern(1, "a <*>"),)), Batch("other", templates=(Pattern(1, "<*> <*>"),))]
    )
    assert telemetry.templates() == (Pattern(1, "<*> <*>"), Pattern(2, "c"))


# --- Lines --------------------------------------------------------------------------------------------------------


def test_lines_satisfy_every_condition(telemetry: ClickhouseTelemetry) -> None:
    """Service, level, words, trace and fingerprint each narrow what is found, and all of them together."""
    keep(
        telemetry,
        {"message": "one", "service": "api", "level": 9, "trace": "aa", "fingerprint": 1},
        {"message": "two", "service": "web", "level": 17, "trace": "aa", "fingerprint": 1, "time": after(1)},
        {"message": "three", "service": "db", "level": 21, "trace": "bb", "fingerprint": 2, "time": after(2)},
    )
    ask = telemetry.lines
    assert messages(ask(SPACE, AT, LATER)) == ["one", "two", "three"]
    assert messages(ask(SPACE, AT, LATER, newest_first=True)) == ["three", "two", "one"]
    assert messages(ask(SPACE, AT, LATER, newest_first=True, lines_max=1)) == ["three"]
    assert messages(ask(SPACE, AT, LATER, services=["web", "db"])) == ["two", "three"]
    assert messages(ask(SPACE, AT, LATER, level_min=17)) == ["two", "three"]
    assert messages(ask(SPACE, AT, LATER, trace="aa")) == ["one", "two"]
    assert messages(ask(SPACE, AT, LATER, fingerprint=2)) == ["three"]
    assert messages(ask(SPACE, AT, LATER, services=["web"], level_min=17, trace="aa", fingerprint=1)) == ["two"]
    assert messages(ask(SPACE, AT, LATER, services=["web"], words="three")) == []
    assert messages(ask("other", AT, LATER)) == []


def test_words_are_parts_of_messages_and_stacks(telemetry: ClickhouseTelemetry) -> None:
    """Every word has to be a part of the message or of the stack, in capitals or not, and is taken literally."""
    keep(
        telemetry,
        {"message": "Connection REFUSED by user-42"},
        {"message": "connection lost", "time": after(1), "stack": "redis.ÄrgerError: lost\n  at hold"},
    )
    assert len(telemetry.lines(SPACE, AT, LATER, words="refused connection")) == 1
    assert len(telemetry.lines(SPACE, AT, LATER, words="CONNECTION")) == 2
    assert len(telemetry.lines(SPACE, AT, LATER, words="user-42")) == 1
    assert telemetry.lines(SPACE, AT, LATER, words="user_42") == ()
    assert len(telemetry.lines(SPACE, AT, LATER, words="nnect")) == 2
    assert messages(telemetry.lines(SPACE, AT, LATER, words="REDIS.ärgerErr LOST")) == ["connection lost"]
    assert messages(telemetry.lines(SPACE, AT, LATER, words="connection HOLD")) == ["connection lost"]
    assert telemetry.lines(SPACE, AT, LATER, words="refused lost") == ()
    assert telemetry.lines(SPACE, AT, LATER, words="?!") == ()
    assert len(telemetry.lines(SPACE, AT, LATER, words="  ")) == 2
    assert told(telemetry.rates(AT, LATER, words="nnect")) == [(0, "api", 9, 1), (1, "api", 9, 1)]
    assert told(telemetry.rates(AT, LATER, words="redis.", step_seconds=15)) == [(0, "api", 9, 1)]
    assert telemetry.rates(AT, LATER, words="refused lost").num_rows == 0


# --- Changes and alerts -------------------------------------------------------------------------------------------


def test_a_change_is_what_was_last_told_of_its_key(telemetry: ClickhouseTelemetry) -> None:
    """The same key of the same source is the same change, whose latest telling counts, also for its time."""
    full = change("d2", at=after(5), actor="ana", ref="abc", url="http://x", labels={"env": "prod"})
    telemetry.write([Batch(SPACE, changes=(change("d1", title="old"), full))])
    telemetry.write([Batch(SPACE, changes=(change("d1", title="new", at=after(9)), change("d1", source="gitlab")))])
    telemetry.write([Batch("other", changes=(change("d1"),))])
    found = telemetry.changes(SPACE, AT, LATER)
    assert found == (change("d1", source="gitlab"), full, change("d1", title="new", at=after(9)))
    assert telemetry.changes(SPACE, AT, after(1)) == (change("d1", source="gitlab"),)


def test_an_alert_is_found_by_when_it_was_told(
    telemetry: ClickhouseTelemetry, telemetry_place: TelemetryPlace
) -> None:  # fmt: skip
    """Alerts are found by the arrival of their latest telling, each key once, of one space or of all."""
    clock = telemetry_place.clock
    clock.set(after(10))
    telemetry.write([Batch(SPACE, alerts=(alert("k1"), alert("k2", labels={"a": "b"}, text="t", stack="s")))])
    clock.set(after(20))
    resolved = alert("k1", status=Status.RESOLVED, ended_at=after(15))
    telemetry.write([Batch(SPACE, alerts=(alert("k1"), resolved)), Batch("other", alerts=(alert("k1"),))])
    second = (SPACE, alert("k2", labels={"a": "b"}, text="t", stack="s"))
    assert telemetry.alerts(SPACE, AT, LATER) == (second, (SPACE, resolved))
    assert telemetry.alerts(SPACE, after(10), after(20)) == (second,)
    assert telemetry.alerts(None, after(20), after(21)) == ((SPACE, resolved), ("other", alert("k1")))


# --- Many at once -------------------------------------------------------------------------------------------------


def test_what_is_kept_is_counted_by_kind(telemetry: ClickhouseTelemetry) -> None:
    """Each kind says how many there are in a space and since when; what is told twice is one; nothing has no age."""
    empty = {one.kind: (one.rows, one.oldest_at) for one in telemetry.kept(SPACE)}
    assert empty == dict.fromkeys(("alert", "change", "log", "metric", "rate", "span"), (0, None))
    keep(telemetry, {"time": after(7)}, {"time": after(5)}, {"time": after(5)})
    other = [Batch("acme/other", logs=logs({"space": "acme/other", "time": AT}))]
    telemetry.write([Batch(SPACE, metrics=metrics({}), alerts=(alert(),)), *other])
    telemetry.write([Batch(SPACE, alerts=(alert(title="Slower"), alert("k2")))])
    found = {one.kind: one for one in telemetry.kept(SPACE)}
    assert (found["log"].rows, found["log"].oldest_at) == (3, after(5))
    assert (found["metric"].rows, found["metric"].oldest_at) == (1, AT)
    assert found["rate"].oldest_at == after(5)
    assert (found["alert"].rows, found["span"].rows) == (2, 0)


def test_readers_do_not_wait_for_the_writer(telemetry: ClickhouseTelemetry) -> None:
    """While one thread writes, others read, and never see lines vanish or counts shrink."""
    writes = 12

    def write_all() -> None:
        for number in range(writes):
            keep(telemetry, *({"time": after(number)} for _ in range(50)))

    def read_on() -> list[int]:
        seen = []
        for _ in range(15):
            seen.append(sum(telemetry.rates(AT, LATER)["count"].to_pylist()))
            assert len(telemetry.lines(SPACE, AT, LATER, lines_max=10_000)) >= seen[-1]
        return seen

    with ThreadPoolExecutor(4) as pool:
        written = pool.submit(write_all)
        reading = [pool.submit(read_on) for _ in range(3)]
        written.result()
        for seen in (future.result() for future in reading):
            assert seen == sorted(seen)
    assert sum(telemetry.rates(AT, LATER)["count"].to_pylist()) == writes * 50


def test_writers_take_turns(telemetry: ClickhouseTelemetry) -> None:
    """Several threads may write, and nothing of it is lost or counted twice."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: keep(telemetry, {"time": after(number)}, {"time": after(number)}), range(12)))
    assert told(telemetry.rates(AT, LATER)) == [(number, "api", 9, 2) for number in range(12)]


# --- A write that fails half-way ----------------------------------------------------------------------------------


class Failing:
    """Lets an engine's inserts into one table fail, before or after they are done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, table: str, *, done: bool) -> None:
        self.left = 1
        real = Engine.insert

        def insert(engine: Engine, into: str, rows: pa.Table, *, token: str = "") -> None:
            if into == table and self.left:
                self.left -= 1
                if done:
                    real(engine, into, rows, token=token)
                raise Unavailable("The line was cut.", remedy="Retry.")
            real(engine, into, rows, token=token)

        monkeypatch.setattr(Engine, "insert", insert)


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("table", ["metric", "log", "rate"])
def test_a_write_that_failed_can_be_repeated(
    telemetry: ClickhouseTelemetry, monkeypatch: pytest.MonkeyPatch, table: str, *, done: bool
) -> None:
    """Whatever was written before an error, the same write again leaves everything there exactly once."""
    rows = [{"time": after(number * 40_000)} for number in range(5)]
    batches = [Batch(SPACE, logs=logs(*rows), metrics=metrics({}, {"time": after(60)}))]
    Failing(monkeypatch, table, done=done)
    with pytest.raises(Unavailable):
        telemetry.write(batches)
    telemetry.write(batches)
    until = after(400_000)
    assert len(telemetry.lines(SPACE, AT, until)) == 5
    assert told(telemetry.rates(AT, until)) == [(number * 40_000, "api", 9, 1) for number in range(5)]
    # What comes next is something else, even if it is the same.
    telemetry.write(batches)
    assert len(telemetry.lines(SPACE, AT, until)) == 10
    assert sum(telemetry.rates(AT, until)["count"].to_pylist()) == 10


def test_a_failed_write_does_not_lose_another(
    telemetry: ClickhouseTelemetry, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """After an error, other lines than those that failed are written as ever."""
    Failing(monkeypatch, "rate", done=False)
    with pytest.raises(Unavailable):
        keep(telemetry, {"message": "first"})
    keep(telemetry, {"message": "second"})
    keep(telemetry, {"message": "first"})
    assert sorted(messages(telemetry.lines(SPACE, AT, LATER))) == ["first", "second"]
    assert told(telemetry.rates(AT, LATER)) == [(0, "api", 9, 2)]


def test_lines_that_a_crash_left_uncounted_are_counted(telemetry_place: TelemetryPlace) -> None:
    """Opening a store counts lines whose counts never came, and only those."""
    store = telemetry_place.telemetry()
    keep(store, {"time": after(1)}, {"time": after(2)})
    lost = logs({"time": after(2), "arrived": after(5)}, {"time": after(90_000), "arrived": after(5)})
    telemetry_place.engines()[0].insert("log", numbered(lost, 77))
    store.close()
    for _ in range(2):
        store = telemetry_place.telemetry()
        assert told(store.rates(AT, after(100_000))) == [(1, "api", 9, 1), (2, "api", 9, 2), (90_000, "api", 9, 1)]
        store.close()


def test_a_failure_counts_once_and_for_what_failed_it(telemetry_place: TelemetryPlace) -> None:
    """A line that repeats another counts for nothing, one with a dependency for both; counted again after a crash."""
    lines = (
        {"time": after(1), "level": Level.ERROR, "dependency": "redis"},
        {"time": after(1), "level": Level.ERROR, "repeated": True},
        {"time": after(1), "level": Level.ERROR, "repeated": True, "dependency": "postgresql"},
    )
    counts = [(1, "api", 17, 1), (1, "postgresql", 17, 1), (1, "redis", 17, 1)]
    store = telemetry_place.telemetry()
    keep(store, *lines)
    assert told(store.rates(AT, LATER)) == counts
    assert len(store.lines(SPACE, AT, LATER)) == 3
    for engine in telemetry_place.engines():
        engine.run("TRUNCATE TABLE rate")
    store.close()
    assert told(telemetry_place.telemetry().rates(AT, LATER)) == counts


def test_counting_again_meets_a_writer_that_was_only_slow(telemetry_place: TelemetryPlace) -> None:
    """On a server another process may be about to write the counts that are missing; they are still added once."""
    store = telemetry_place.telemetry()
    engine = telemetry_place.engines()[0]
    slow = logs({"time": after(1)}, {"time": after(1)}, {"time": after(2)})
    engine.insert("log", numbered(slow, 78))
    assert recount(engine, alone=False) == 3
    # The slow writer comes after all.
    engine.insert("rate", counted(slow), token=token(78))
    assert told(store.rates(AT, LATER)) == [(1, "api", 9, 2), (2, "api", 9, 1)]
    assert recount(engine, alone=False) == 0


# --- Bad input ----------------------------------------------------------------------------------------------------


def test_bad_questions_name_the_field(telemetry: ClickhouseTelemetry) -> None:
    """A time without a zone, a step of nothing, one name instead of several: each is an error that names the field."""
    naive = AT.replace(tzinfo=None)
    questions: dict[str, Callable[[], object]] = {
        "since": lambda: telemetry.rates(naive, LATER),
        "until": lambda: telemetry.lines(SPACE, AT, naive),
        "step_seconds": lambda: telemetry.rates(AT, LATER, step_seconds=0),
        "lines_max": lambda: telemetry.lines(SPACE, AT, LATER, lines_max=0),
        "count_max": lambda: telemetry.top_fingerprints(SPACE, (), AT, LATER, count_max=0),
        "services": lambda: telemetry.lines(SPACE, AT, LATER, services="api"),
    }
    for field, ask in questions.items():
        with pytest.raises(Malformed) as caught:
            ask()
        assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "batch"),
    [
        ("log", Batch(SPACE, logs=pa.table({"time": [1]}))),
        ("metric", Batch(SPACE, metrics=metrics({}).drop_columns(["name"]))),
        ("log", Batch(SPACE, logs=logs({}).set_column(1, "time", pa.array([None], TIME)))),
        ("log.time", Batch(SPACE, logs=logs({"time": datetime(2999, 1, 1, tzinfo=UTC)}))),
        ("change.at", Batch(SPACE, changes=(change(at=datetime(1, 1, 1, tzinfo=UTC)),))),
    ],
)
def test_a_batch_that_cannot_be_kept_is_refused_as_a_whole(
    telemetry: ClickhouseTelemetry, field: str, batch: Batch
) -> None:  # fmt: skip
    """Wrong columns or impossible times are an error that names them, and nothing of the write is there."""
    with pytest.raises(Malformed) as caught:
        telemetry.write([Batch(SPACE, logs=logs({}), templates=(Pattern(1, "x"),)), batch])
    assert caught.value.field == field
    assert telemetry.lines(SPACE, AT, LATER) == ()
    assert telemetry.templates() == ()


# --- Schema and retention -----------------------------------------------------------------------------------------


def test_the_sum_of_the_migrations_is_the_schema(telemetry_place: TelemetryPlace) -> None:
    """Every table has the columns that travel, in that order, and beyond them only what the store adds."""
    telemetry_place.telemetry()
    own = {"log": ["write"], "metric": ["series", "write"], "span": ["write"]}
    expected = {"log": LOG, "metric": METRIC, "span": SPAN, "rate": RATE, "change": write.CHANGE, "alert": write.ALERT}
    expected.update(template=write.PATTERN, fingerprint=write.PATTERN)
    for engine in telemetry_place.engines():
        for table, columns in expected.items():
            found = engine.ask(
                "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}"
                " ORDER BY position",
                {"table": table},
            )
            assert found["name"].to_pylist() == [*columns.names, *own.get(table, [])]
    assert set(expected) == set(schema.TABLES)


def test_a_migration_that_was_cut_short_is_repeated(telemetry_place: TelemetryPlace) -> None:
    """Tables that a crash left without their number are completed, and what they hold is kept."""
    store = telemetry_place.telemetry()
    keep(store, {})
    store.close()
    for engine in telemetry_place.engines():
        engine.run("TRUNCATE TABLE schema_version")
        engine.run("DROP TABLE fingerprint SYNC")
    store = telemetry_place.telemetry()
    assert len(store.lines(SPACE, AT, LATER)) == 1
    assert store.top_fingerprints(SPACE, (), AT, LATER, count_max=1) == ()


def test_a_newer_schema_is_refused_and_left_alone(telemetry_place: TelemetryPlace) -> None:
    """A store that a newer Hindcast has migrated is not opened, and nothing in it is changed."""
    telemetry_place.telemetry().close()
    telemetry_place.engines()[-1].run("INSERT INTO schema_version VALUES (9999)")
    with pytest.raises(Refused, match="9999"):
        telemetry_place.telemetry()
    assert stored(telemetry_place, "SELECT max(number) AS n FROM schema_version") >= 9999


def test_what_is_older_than_the_retention_goes(telemetry_place: TelemetryPlace) -> None:
    """Lines older than their days are dropped, counts stay as long as theirs say, and 0 days keep everything."""
    store = telemetry_place.telemetry()
    now = datetime.now(UTC)
    keep(store, {"time": now - timedelta(days=9)}, {"time": now - timedelta(days=2)})
    window = (now - timedelta(days=30), now)
    store.close()
    store = telemetry_place.telemetry(Retention(log_days=5, rate_days=20))
    for engine in telemetry_place.engines():
        engine.run("ALTER TABLE log MATERIALIZE TTL SETTINGS mutations_sync = 1")
        engine.run("OPTIMIZE TABLE log FINAL")
        engine.run("OPTIMIZE TABLE rate FINAL")
    assert [line.time for line in store.lines(SPACE, *window)] == [now - timedelta(days=2)]
    assert sum(store.rates(*window)["count"].to_pylist()) == 2
    store.close()
    telemetry_place.telemetry().close()
    assert stored(telemetry_place, "SELECT countSubstrings(create_table_query, 'toIntervalDay') AS n" + OF_LOG) == 0


OF_LOG = " FROM system.tables WHERE database = currentDatabase() AND name = 'log'"


@pytest.mark.parametrize("days", [-1, 1.5, True, 40_000])
def test_a_retention_is_whole_days(days: object) -> None:
    """Anything but a whole number of days is an error that names the table."""
    with pytest.raises(Malformed) as caught:
        Retention(span_days=days)  # type: ignore[arg-type]
    assert caught.value.field == "span_days"


def test_every_table_is_synced_to_disk(telemetry_place: TelemetryPlace) -> None:
    """Each table that holds telemetry is told to reach the disk before an insert is answered."""
    telemetry_place.telemetry()
    count = stored(
        telemetry_place,
        "SELECT countIf(engine_full LIKE '%fsync_after_insert = 1, fsync_part_directory = 1%') AS n"
        " FROM system.tables WHERE database = currentDatabase()",
    )
    assert count == (len(schema.TABLES) + 1) * len(telemetry_place.engines())


# --- A cluster ----------------------------------------------------------------------------------------------------


def test_writes_are_spread_over_shards(cluster_place: TelemetryPlace) -> None:
    """Each shard gets its share of the writes, and a reader sees all of them, through whichever shard it asks."""
    store = cluster_place.telemetry()
    for number in range(6):
        keep(store, {"time": after(number)})
        assert len(store.lines(SPACE, AT, LATER)) == number + 1
        assert told(store.rates(AT, LATER)) == [(second, "api", 9, 1) for second in range(number + 1)]
    for engine in cluster_place.engines():
        assert engine.ask("SELECT count() AS n FROM log")["n"].to_pylist() == [3]
        assert engine.ask("SELECT sum(count) AS n FROM rate")["n"].to_pylist() == [3]
