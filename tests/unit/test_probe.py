"""What is sent to try a way in: each sender's own kind of request, read by its own parser."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hindcast.config import Settings
from hindcast.ingest import elastic, lines, loki, otlp, probe, syslog
from hindcast.ingest.sources import SOURCES
from hindcast.model.columns import Parsed
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Severity
from hindcast.rest.ways import WAYS, way_named

NOW = datetime(2026, 11, 16, 12, 30, tzinfo=UTC)
MARK = "0123456789abcdef"
LIMITS = IngestLimits()


def read(name: str, one: probe.Probe) -> Parsed:
    """A probe as its way in reads it."""
    match name:
        case "otlp":
            kind = one.path.removeprefix("/v1/")
            return otlp.parse(kind, one.body, LIMITS, as_json=True)  # type: ignore[arg-type]
        case "elastic":
            return elastic.parse_bulk(one.body, LIMITS, arrived=NOW).read
        case "loki":
            return loki.parse_json(one.body, LIMITS, arrived=NOW)
        case "lines":
            return lines.parse(one.body, LIMITS, arrived=NOW)
    source = "pagerduty-changes" if "change" in one.path else name
    return SOURCES[source](one.body, one.headers, now=NOW)


@pytest.mark.parametrize("name", sorted(probe.PROBES))
def test_a_probe_is_what_its_sender_sends(name: str) -> None:
    """Its parser reads exactly one record of each request, leaves nothing out, and finds the mark in its words."""
    for one in probe.PROBES[name](MARK, NOW):
        parsed = read(name, one)

        assert parsed.rejections == ()
        tables = [table for table in (parsed.logs, parsed.metrics, parsed.spans) if table is not None and len(table)]
        assert len(tables) + len(parsed.alerts) + len(parsed.changes) == 1
        for table in tables:
            assert table["service"].to_pylist() == [probe.SERVICE]
        for alert in parsed.alerts:
            assert alert.service == probe.SERVICE
            assert alert.severity in (Severity.INFO, Severity.MINOR), "nobody is to be alarmed"
        assert MARK in str([*(table.to_pylist() for table in tables), *parsed.alerts, *parsed.changes]) or (
            parsed.metrics is not None
        )


def test_a_message_of_syslog_says_what_it_is() -> None:
    """It names the service of tests, and calls itself information."""
    parsed = syslog.parse([probe.syslog(MARK, NOW)], LIMITS, arrived=NOW)

    assert parsed.logs is not None
    (row,) = parsed.logs.to_pylist()
    assert (row["service"], row["level"], MARK in row["message"]) == (probe.SERVICE, 9, True)


def test_every_way_in_can_be_tried() -> None:
    """Each has probes for exactly the paths that it tells senders of; syslog has a port instead."""
    for way in WAYS:
        if way.paths:
            assert tuple(one.path for one in probe.PROBES[way.name](MARK, NOW)) == way.paths
    assert {way.name for way in WAYS if not way.paths} == {"syslog"}


@pytest.mark.parametrize("name", ["github", "pagerduty", "sentry"])
def test_a_probe_is_signed_where_a_secret_is_set(name: str) -> None:
    """Senders that sign are tried with a signature, and the secret itself is nowhere in the request."""
    way = way_named(name)
    settings = replace(Settings(), **{way.secret_setting: "a-very-secret-word"})  # type: ignore[arg-type]
    (one,) = probe.PROBES[name](MARK, NOW)

    signed = way.signed(one, settings)

    assert way.secret_header in signed.headers
    assert "a-very-secret-word" not in str(signed)
    assert way.signed(one, Settings()) == one
