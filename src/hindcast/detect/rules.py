"""The rules of detection: every number that decides, with its unit in its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from hindcast.model.errors import Malformed

WINDOW_SECONDS_MIN = 10
WINDOW_SECONDS_MAX = 3600


@dataclass(frozen=True, slots=True)
class ServiceRule:
    """The fixed rule as somebody wants it for one service. It is taken at its word, whatever is usual there."""

    errors_min: int = 100
    window_seconds: int = 120
    # A service whose noise is known to say nothing.
    ignored: bool = False

    def __post_init__(self) -> None:
        _at_least("errors_min", self.errors_min, 1)
        _window("window_seconds", self.window_seconds)


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as trouble, as its end, and as the same trouble again."""

    # The fixed rule: so many errors within the window.
    errors_min: int = 100
    window_seconds: int = 120
    # A service that always has that many errors is not in trouble: it has to be this much above its usual.
    # Off, the fixed rule asks for nothing but the count.
    knows_usual: bool = True
    services: Mapping[str, ServiceRule] = field(default_factory=dict)

    # The adaptive rule: this much less likely than chance (a negative power of ten), this many times the usual, and
    # this many errors more than usual. Together they allow less than one false alarm in a year of a thousand services.
    adaptive: bool = True
    surprise_min: float = 8.0
    ratio_min: float = 6.0
    excess_min: int = 12
    # Before a service has been watched that long, its usual is not known.
    known_minutes_min: int = 10

    # A steady service that has said nothing for that long has gone silent.
    silence: bool = True
    silence_seconds: int = 120
    silence_known_minutes_min: int = 30
    # One that exports metrics is gone sooner: after so many exports that did not come while others' did.
    exports_missed_min: float = 3.0

    # That many services in trouble together are a cascade, if no pause between their onsets is longer than the spread.
    cascade_services_min: int = 5
    cascade_spread_seconds: int = 300
    # A service joins the incident of another that it calls, or that calls it, if its onset is that near.
    join_seconds: int = 300

    # A failure that begins in the midst of another one is told of from so many errors within the window on. No more is
    # asked than what is clear: of a new failure none is usual.
    new_failure_errors_min: int = 50

    # Back to normal for that long: awaiting confirmation. Each relapse doubles it, up to the maximum.
    hold_seconds: int = 120
    hold_seconds_max: int = 1800
    # Trouble within this time after the quiet began is the same incident again; later it is a new one.
    relapse_seconds: int = 3600
    # What goes on after somebody's word is waved aside no longer than this, and a silence no longer than that: whoever
    # said it too early has to hear of it.
    mute_seconds: int = 300
    hush_seconds: int = 86_400
    # Nobody has said a word for that long: the rule confirms. None: only people do.
    confirm_after_seconds: int | None = 86_400
    # How long after its end an incident is named as the previous one of a new one.
    recurrence_seconds: int = 30 * 86_400
    # Trouble that lasts longer than this is what is usual from now on.
    adapt_seconds: int = 6 * 3600

    # Metric findings open an incident by themselves from this surprise on; below, they only join.
    metric_surprise_min: float = 6.0

    # While errors go on, an incident's numbers are told again this often, so that a restart loses little of them.
    retell_seconds: int = 60

    services_per_space_max: int = 5_000
    alerts_per_incident_max: int = 200
    findings_per_incident_max: int = 200

    def __post_init__(self) -> None:
        _window("window_seconds", self.window_seconds)
        for name in ("errors_min", "hold_seconds", "cascade_services_min", "silence_seconds", "excess_min"):
            _at_least(name, getattr(self, name), 2 if name == "cascade_services_min" else 1)
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int | float) and value < 0:
                raise Malformed(f"{value} is below zero.", field=one.name, remedy="Give a number from 0 up.")
        _at_least("hold_seconds_max", self.hold_seconds_max, self.hold_seconds)
        _at_least("ratio_min", self.ratio_min, 1)
        _at_least("services_per_space_max", self.services_per_space_max, 1)

    def hold_for(self, relapses: int) -> int:
        """How many seconds of quiet it takes after that many relapses."""
        return int(min(self.hold_seconds * 2.0 ** min(relapses, 30), self.hold_seconds_max))

    @property
    def windows_seconds_max(self) -> int:
        """The longest window that any rule looks at."""
        return max(self.window_seconds, *(one.window_seconds for one in self.services.values()), 120)


def _at_least(name: str, value: float, least: float) -> None:
    if value < least:
        raise Malformed(f"{value} is too small.", field=name, remedy=f"Give at least {least:g}.")


def _window(name: str, value: int) -> None:
    if not WINDOW_SECONDS_MIN <= value <= WINDOW_SECONDS_MAX:
        raise Malformed(
            f"A window of {value} seconds cannot be watched.",
            field=name,
            remedy=f"Give {WINDOW_SECONDS_MIN} to {WINDOW_SECONDS_MAX} seconds.",
        )
