"""Puts together a Hindcast that takes signals in and watches them. Apart, because loading telemetry takes its time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from platformdirs import user_data_path

from hindcast import __version__
from hindcast.adapters.clock import WallClock
from hindcast.adapters.figures import Figures
from hindcast.adapters.intake import Intake
from hindcast.adapters.telemetry_clickhouse import Retention, open_telemetry
from hindcast.app import App, Parts
from hindcast.briefing import Briefings
from hindcast.build import embedder, open_memory_with
from hindcast.build.admission import Admission
from hindcast.build.telemetry import TelemetryAccess
from hindcast.build.workspaces import open_workspaces
from hindcast.config import Settings
from hindcast.detect import Detector, Rules
from hindcast.detect.anomaly import Anomalies
from hindcast.fixes import Fixes
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.redact import Redactor
from hindcast.ingest.template import Miner
from hindcast.instruments import Work
from hindcast.memory import Memory
from hindcast.model.columns import Batch, Parsed
from hindcast.new_failures import NewFailures
from hindcast.outcomes import Outcomes
from hindcast.pipeline import Course, Preparation, Stages
from hindcast.ports import Clock, Telemetry
from hindcast.recollect import Minds
from hindcast.register import Register
from hindcast.watch import Watch
from hindcast.workspaces import Workspaces

if TYPE_CHECKING:
    from hindcast.adapters.otel import Collector


@dataclass(frozen=True, slots=True)
class Running:
    """A Hindcast that takes signals in, and what has to be closed behind it, in this order."""

    app: App
    intake: Intake
    telemetry: Telemetry
    # The same, and why it is away.
    telemetry_access: TelemetryAccess
    workspaces: Workspaces
    register: Register
    figures: Figures
    # Lets questions in.
    admission: Admission
    collector: Collector | None = None

    def observe(self) -> None:
        """Begin to send figures to the collector, once every part has said what it shows."""
        if self.collector is not None:
            self.collector.follow(self.figures.registry)

    def close(self) -> None:
        """Write what was taken, then let go of everything. Closing again does nothing more."""
        self.intake.close()
        self.telemetry.close()
        self.workspaces.close()
        self.register.close()
        if self.collector is not None:
            self.collector.close()


def open_app(settings: Settings, *, clock: Clock | None = None) -> Running:
    """Open everything that one process needs to take signals in and to watch them."""
    clock = clock or WallClock()
    collector = _collector(settings)
    instruments = Figures(tuple(Work), span=collector.span if collector is not None else None)
    miner = Miner()
    access = TelemetryAccess(
        lambda: open_telemetry(telemetry_address(settings), retention=retention(settings), clock=clock),
        opened=lambda store: miner.know(store.templates()),
    )
    telemetry = cast("Telemetry", access)
    stages = Stages(redactor(settings), miner, Fingerprinter())
    preparation = Preparation(stages, clock)

    def unwritten(batches: Sequence[Batch]) -> None:
        instruments.counts["writes_failed"] += 1
        preparation.owe(batches)

    intake = Intake(preparation, telemetry, unwritten=unwritten, timed=partial(instruments.timed, Work.INGEST))
    rules = Rules(errors_min=settings.errors_min, window_seconds=settings.window_seconds)
    model = embedder(settings)

    def open_space(space: str, create: bool = True) -> Memory:
        return open_memory_with(replace(settings, space=space), model, create=create, clock=clock)

    register = Register(open_space, lock=threading.Lock)
    admission = Admission()
    minds = Minds(register, now=clock.now, instruments=instruments, admit=admission.admitted)
    briefings = Briefings(minds.about, minds.step)
    course = Course(
        Watch(telemetry, Detector(rules), Anomalies(), pulses=preparation.pulses.read),
        register,
        briefings,
        Outcomes(telemetry, register.casebook),
        preparation.groups,
        instruments.counts,
        NewFailures(
            lambda space, text, services, at: minds.of(space).ask(text, services=services, moment=at),
            briefings.case_of,
        ),
    )
    workspaces = open_workspaces(settings, register.memory, register.existing)
    turn = threading.Lock()

    @cache
    def made() -> Fixes:
        # Imported here: grammars, rules and what reads repositories take their time and their room.
        from hindcast.build.fixes import open_fixes

        return open_fixes(settings, register.memory, minds.of, workspaces, answered=briefings.answered)

    def fixes() -> Fixes:
        # Two who come first at the same moment get the same.
        with turn:
            return made()

    def take(space: str, parsed: Parsed) -> Future[None]:
        # Before anything is prepared: the templates that were kept have to be known first.
        access.check()
        return intake.take(space, parsed)

    parts = Parts(
        telemetry, take, course, register, minds, briefings, workspaces, fixes, clock, preparation.noticed,
        instruments,
    )  # fmt: skip
    app = App(parts, space=settings.space)
    return Running(app, intake, telemetry, access, workspaces, register, instruments, admission, collector)


def _collector(settings: Settings) -> Collector | None:
    """Where its own metrics and traces go; loading what sends them takes its time."""
    if not settings.otel_endpoint:
        return None
    from hindcast.adapters.otel import Collector, check_not_itself

    check_not_itself(settings.otel_endpoint, host=settings.host, port=settings.port)
    return Collector(settings.otel_endpoint, version=__version__)


def retention(settings: Settings) -> Retention:
    """How long telemetry of each kind is kept, as the settings want it."""
    days = settings.telemetry_days
    return Retention(log_days=days, metric_days=days, span_days=days)


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
