"""Puts together a Hindcast that takes signals in and watches them. Apart, because loading telemetry takes its time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_data_path

from hindcast.adapters.clock import WallClock
from hindcast.adapters.intake import Intake
from hindcast.adapters.telemetry_clickhouse import Retention, open_telemetry
from hindcast.app import App, Parts
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.detect import Detector, Rules
from hindcast.detect.anomaly import Anomalies
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.redact import Redactor
from hindcast.ingest.template import Miner
from hindcast.outcomes import Outcomes
from hindcast.pipeline import Preparation, Stages
from hindcast.ports import Clock, Telemetry
from hindcast.register import Register
from hindcast.watch import Watch


@dataclass(frozen=True, slots=True)
class Running:
    """A Hindcast that takes signals in, and what has to be closed behind it, in this order."""

    app: App
    intake: Intake
    telemetry: Telemetry
    register: Register

    def close(self) -> None:
        """Write what was taken, then let go of everything."""
        self.intake.close()
        self.telemetry.close()
        self.register.close()


def open_app(settings: Settings, *, clock: Clock | None = None) -> Running:
    """Open everything that one process needs to take signals in and to watch them."""
    clock = clock or WallClock()
    days = settings.telemetry_days
    retention = Retention(log_days=days, metric_days=days, span_days=days)
    telemetry = open_telemetry(telemetry_address(settings), retention=retention, clock=clock)
    stages = Stages(redactor(settings), Miner(telemetry.templates()), Fingerprinter())
    preparation = Preparation(stages, clock)
    intake = Intake(preparation, telemetry, unwritten=preparation.owe)
    rules = Rules(errors_min=settings.errors_min, window_seconds=settings.window_seconds)
    register = Register(
        lambda space, create=True: open_memory(replace(settings, space=space), create=create, clock=clock)
    )
    watch = Watch(telemetry, Detector(rules), Anomalies())
    outcomes = Outcomes(telemetry, register.casebook)
    parts = Parts(telemetry, intake.take, watch, register, clock, preparation.noticed, preparation.groups, outcomes)
    return Running(App(parts, space=settings.space), intake, telemetry, register)


def redactor(settings: Settings) -> Redactor:
    """What takes secrets out, as the settings want it."""
    on, off, allow = (
        [word.strip() for word in text.split(",") if word.strip()]
        for text in (settings.redact_on, settings.redact_off, settings.redact_allow)
    )
    return Redactor.chosen(on=on, off=off, allow=allow)


def telemetry_address(settings: Settings) -> str:
    """Where telemetry goes: where it was told to, or embedded, beside the SQLite files."""
    if settings.telemetry:
        return settings.telemetry
    folder = user_data_path("hindcast") if settings.is_postgres else Path(settings.store)
    return f"chdb://{(folder / 'telemetry').resolve()}"
