"""Findings: what detection noticed about one service, with the numbers that made it notice.

A finding is retold as long as it lasts: the same space, service, rule, metric and onset are the same finding, and the
last telling has an end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# A tail probability below 1e-99 says no more than this one; infinity cannot be written as JSON.
SURPRISE_MAX = 99.0


class Rule(StrEnum):
    """Which way of looking noticed it."""

    # So many errors within a window, whatever is usual for the service.
    FIXED = "fixed"
    # More errors than this service's own noise explains.
    ADAPTIVE = "adaptive"
    # A service that always has something to say has stopped.
    SILENT = "silent"
    # Nothing at all comes in: our own ears are the likelier cause, so no single service is accused.
    DEAF = "deaf"
    # A gauge that behaves unlike itself.
    METRIC = "metric"
    # Another system said so.
    ALERT = "alert"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something unusual about one service: what was seen, what was to be expected, and since when."""

    space: str
    # Empty when it concerns no single service.
    service: str
    rule: Rule
    # When it most likely began; a change-point estimate, so it may lie before anything was noticed.
    onset_at: datetime
    # When it was last seen to hold.
    seen_at: datetime
    # What was counted or measured within the window, and what would have been usual.
    value: float
    expected: float
    # What the value had to pass.
    limit: float
    # Zero when the value has no window.
    window_seconds: int = 0
    # The negative decimal logarithm of its chance, at most SURPRISE_MAX; 0 when the rule does not ask.
    surprise: float = 0.0
    # What is counted, as in "errors", "lines", "ms", "%".
    unit: str = "errors"
    # The gauge's name for METRIC, `source:key` for ALERT, else empty.
    metric: str = ""
    # A sentence for a person.
    why: str = ""
    # Set by the last telling, when it is over.
    ended_at: datetime | None = None

    @property
    def key(self) -> tuple[str, str, Rule, str]:
        """What it is about: findings with the same key and onset are tellings of one finding."""
        return self.space, self.service, self.rule, self.metric
