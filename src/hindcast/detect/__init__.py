"""Detection: from counts, alerts and findings to incidents, without a clock and without chance.

`Detector` is the door. It is handed the counts of the last minutes on every tick, and answers with events.
"""

from __future__ import annotations

from hindcast.detect.detector import Detector
from hindcast.detect.rules import Rules, ServiceRule
from hindcast.model.incident import Event, EventKind

__all__ = ["Detector", "Event", "EventKind", "Rules", "ServiceRule"]
