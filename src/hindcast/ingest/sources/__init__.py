"""Alerts and changes from other systems: one file for each sender, each a function from a request to values.

`parse(body, headers, now=…)` reads what came, makes alerts and changes of it and keeps nothing. `now` is the moment of
arrival, used where a sender gives no time or an impossible one. A request that is wrong raises Malformed with the
field; what is right and tells nothing comes back as a rejection that says so, and is answered like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from hindcast.ingest.sources import (
    alertmanager,
    github,
    grafana,
    pagerduty_events,
    pagerduty_webhook,
    sentry,
)
from hindcast.ingest.sources.naming import NAMING, Naming
from hindcast.model.columns import Parsed

__all__ = ["NAMING", "SOURCES", "Naming", "Source"]


class Source(Protocol):
    """How a sender's requests are read."""

    def __call__(self, body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:
        """The alerts and changes that one request tells of."""
        ...


# By the name that a sender's address ends in.
SOURCES: Mapping[str, Source] = {
    "alertmanager": alertmanager.parse,
    "grafana": grafana.parse,
    "pagerduty": pagerduty_webhook.parse,
    "pagerduty-events": pagerduty_events.parse,
    "pagerduty-changes": pagerduty_events.parse_change,
    "sentry": sentry.parse,
    "github": github.parse,
}
