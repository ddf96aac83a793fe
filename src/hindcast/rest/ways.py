"""The ways in: which senders Hindcast takes data from, by the name under which each is counted and tried."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hindcast.config import Settings
from hindcast.ingest import signature
from hindcast.ingest.probe import Probe
from hindcast.model.errors import Missing


class Brings(StrEnum):
    """What a sender is for."""

    TELEMETRY = "telemetry"
    ALERTS = "alerts"
    CHANGES = "changes"


@dataclass(frozen=True, slots=True)
class Way:
    """One sender, or one protocol that many senders speak."""

    name: str
    title: str
    # Who sends this way, and what it is good for.
    what: str
    brings: Brings
    # None for syslog, which has a port of its own.
    paths: tuple[str, ...]
    # The setting that holds what its sender signs with, and the header in which the signature stands.
    secret_setting: str = ""
    secret_header: str = ""
    secret_prefix: str = ""

    def secret(self, settings: Settings) -> str:
        """What its sender signs with; empty where it does not, or nobody has set it."""
        return str(getattr(settings, self.secret_setting)) if self.secret_setting else ""

    def signed(self, probe: Probe, settings: Settings) -> Probe:
        """A probe as its sender would sign it."""
        secret = self.secret(settings)
        if not secret:
            return probe
        digest = f"{self.secret_prefix}{signature.digest(secret, probe.body)}"
        return Probe(probe.path, probe.body, {**probe.headers, self.secret_header: digest})


WAYS: Final = (
    Way(
        "otlp",
        "OpenTelemetry",
        "Logs, metrics and traces of SDKs and of the Collector, over HTTP (OTLP).",
        Brings.TELEMETRY,
        ("/v1/logs", "/v1/metrics", "/v1/traces"),
    ),
    Way(
        "elastic",
        "Elasticsearch bulk",
        "Lines of Filebeat, Logstash, Fluent Bit, Vector and others that write to Elasticsearch.",
        Brings.TELEMETRY,
        ("/_bulk",),
    ),
    Way(
        "loki",
        "Loki push",
        "Lines of Promtail, Grafana Alloy and others that push to Loki.",
        Brings.TELEMETRY,
        ("/loki/api/v1/push",),
    ),
    Way(
        "lines",
        "Lines over HTTP",
        "JSON lines or plain text of scripts, and of hindcast ingest.",
        Brings.TELEMETRY,
        ("/api/v1/lines",),
    ),
    Way("syslog", "Syslog", "Machines and devices that send syslog, over UDP or TCP.", Brings.TELEMETRY, ()),
    Way(
        "alertmanager",
        "Prometheus Alertmanager",
        "Alerts of Prometheus, firing and resolved.",
        Brings.ALERTS,
        ("/webhooks/alertmanager",),
    ),
    Way(
        "grafana",
        "Grafana alerting",
        "Alerts of a webhook contact point of Grafana.",
        Brings.ALERTS,
        ("/webhooks/grafana",),
    ),
    Way(
        "pagerduty",
        "PagerDuty webhooks",
        "What happens to incidents at PagerDuty, and the notes that people write there.",
        Brings.ALERTS,
        ("/webhooks/pagerduty",),
        "pagerduty_secret",
        signature.PAGERDUTY_HEADER,
        "v1=",
    ),
    Way(
        "pagerduty-events",
        "PagerDuty events",
        "Whatever can page PagerDuty by its Events API v2 can page Hindcast: alerts and changes.",
        Brings.ALERTS,
        ("/v2/enqueue", "/v2/change/enqueue"),
    ),
    Way(
        "sentry",
        "Sentry",
        "Issues, errors and metric alerts of an internal integration of Sentry.",
        Brings.ALERTS,
        ("/webhooks/sentry",),
        "sentry_secret",
        signature.SENTRY_HEADER,
    ),
    Way(
        "github",
        "GitHub",
        "Deployments, releases, merges, pushes and workflow runs, which may be why something broke.",
        Brings.CHANGES,
        ("/webhooks/github",),
        "github_secret",
        signature.GITHUB_HEADER,
        "sha256=",
    ),
)


def way_named(name: str) -> Way:
    """One of them. Raises Missing."""
    found = next((way for way in WAYS if way.name == name), None)
    if found is None:
        known = ", ".join(way.name for way in WAYS)
        raise Missing(f"There is no integration {name[:60]!r}.", field="name", remedy=f"Choose one of: {known}.")
    return found
