"""The simulator over HTTP, in demo mode only: what can go wrong, what goes wrong now, and making it so.

What it says takes the same way in as everything else: OTLP bytes, parsed, redacted, counted, watched.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated

import orjson
from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.responses import Response

from hindcast.app import App
from hindcast.ingest import otlp
from hindcast.model.columns import Parsed
from hindcast.model.errors import HindcastError, Missing, Stale
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest.once import Again
from hindcast.rest.seat import Responding
from hindcast.simulate import NAMES, SCENARIOS, Moment, Scenario, World, burst
from hindcast.simulate import scenario as by_name
from hindcast.simulate.burst import ERRORS_MAX
from hindcast.simulate.otlp import exports

LOG = logging.getLogger("hindcast")

# A second of the world is taken in well within a second, or the demo's machine is too slow for it.
TAKEN_SECONDS_MAX = 10.0
# Beside the seven services that the demo already plays, a quieter copy of them is enough to fail.
RATE_PER_S_IF_UNSAID = 60.0
RATE_PER_S_MAX = 2_000.0
_KINDS: dict[str, otlp.Kind] = {"/v1/logs": "logs", "/v1/metrics": "metrics", "/v1/traces": "traces"}


class Wanted(BaseModel):
    """What is to go wrong."""

    scenario: Annotated[str, Field(max_length=100, description="A name of `scenarios`.")]
    service: Annotated[
        str | None,
        Field(max_length=100, description="Only this service fails, at once; else the whole scenario plays."),
    ] = None
    errors: Annotated[int, Field(ge=1, le=ERRORS_MAX, description="How many errors a single service writes.")] = 120
    rate_per_s: Annotated[float, Field(gt=0, le=RATE_PER_S_MAX, description="Lines a second of a whole scenario.")] = (
        RATE_PER_S_IF_UNSAID
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1, description="Same seed, same words.")] = 7


@dataclass(frozen=True, slots=True)
class ScenarioTold:
    """Something that can go wrong."""

    name: str
    sentence: str
    # From when trouble begins to build up until everything is as it was.
    seconds: int
    expected: str


@dataclass(frozen=True, slots=True)
class RunTold:
    """Something that goes wrong, or went."""

    scenario: str
    # Empty where the whole scenario plays.
    service: str
    started_at: datetime
    phase: str
    acknowledged: int
    by: str


@dataclass(frozen=True, slots=True)
class SimulatorTold:
    """What there is, and what runs in this space."""

    scenarios: tuple[ScenarioTold, ...]
    services: tuple[str, ...]
    running: RunTold | None


@dataclass(slots=True)
class _Run:
    scenario: Scenario
    world: World
    by: str
    acknowledged: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def told(self, now: datetime) -> RunTold:
        after = (now - self.world.starts_at).total_seconds()
        phase = self.scenario.phase(after).value
        return RunTold(self.scenario.name, "", self.world.starts_at, phase, self.acknowledged, self.by)


class Simulator:
    """Plays at most one scenario in each space, each in a thread of its own."""

    def __init__(self, app: App, *, wait: Callable[[threading.Event, float], bool] | None = None) -> None:
        """`wait` lets time pass, or says that somebody wants it to end."""
        self._app = app
        self._limits = IngestLimits()
        self._wait = wait or threading.Event.wait
        self._lock = threading.Lock()
        self._runs: dict[str, _Run] = {}

    def running(self, space: str) -> RunTold | None:
        """What plays in a space."""
        with self._lock:
            run = self._runs.get(space)
        return run.told(self._app.now()) if run is not None else None

    def play(self, space: str, wanted: Wanted, *, by: str) -> RunTold:
        """Begin a scenario where trouble begins to build up. Raises Stale when one plays already."""
        scenario = by_name(wanted.scenario)
        starts_at = self._app.now() - timedelta(seconds=scenario.quiet_seconds)
        world = World(wanted.seed, [scenario], rate_per_s=wanted.rate_per_s, starts_at=starts_at)
        run = _Run(scenario, world, by)
        run.thread = threading.Thread(target=self._play, args=(space, run), name="simulator", daemon=True)
        with self._lock:
            if space in self._runs:
                raise Stale(
                    f"{self._runs[space].scenario.name} plays already.",
                    field="scenario",
                    remedy="Stop it with DELETE /api/v1/simulator first, or wait until it is over.",
                )
            self._runs[space] = run
        run.thread.start()
        return run.told(self._app.now())

    def inject(self, space: str, wanted: Wanted, service: str, *, by: str) -> RunTold:
        """Let one service fail at once; when this returns, what it wrote is durable."""
        now = self._app.now()
        moment = burst(by_name(wanted.scenario), service, wanted.errors, at=now, seed=wanted.seed)
        return RunTold(wanted.scenario, service, now, "outage", self._take(space, moment), by)

    def stop(self, space: str) -> RunTold:
        """End what plays. Raises Missing when nothing does."""
        with self._lock:
            run = self._runs.pop(space, None)
        if run is None:
            raise Missing("Nothing plays here.", remedy="POST /api/v1/simulator begins something.")
        self._end(run)
        return run.told(self._app.now())

    def close(self) -> None:
        """End everything."""
        with self._lock:
            runs, self._runs = list(self._runs.values()), {}
        for run in runs:
            self._end(run)

    @staticmethod
    def _end(run: _Run) -> None:
        run.stopping.set()
        if run.thread is not None:
            run.thread.join()

    def _play(self, space: str, run: _Run) -> None:
        second = self._app.now().replace(microsecond=0)
        over_at = run.world.starts_at + timedelta(seconds=run.scenario.over_after_seconds)
        while second < over_at:
            left = (second + timedelta(seconds=1) - self._app.now()).total_seconds()
            if self._wait(run.stopping, max(0.0, left)):
                return
            try:
                run.acknowledged += self._take(space, run.world.step(second))
            except HindcastError as error:
                # As a real sender would: what is not taken is lost, and the next second is tried.
                LOG.info("A simulated second was not taken: %s", error)
            second += timedelta(seconds=1)
        with self._lock:
            if self._runs.get(space) is run:
                del self._runs[space]

    def _take(self, space: str, moment: Moment) -> int:
        """Take a moment in, and wait until it is durable; how many records that was."""
        given: list[Parsed] = [
            otlp.parse(_KINDS[export.path], export.body, self._limits)
            for export in exports(moment)
            if export.path in _KINDS
        ]
        if moment.changes:
            given.append(Parsed(changes=moment.changes))
        for taken in [self._app.take(parsed, space=space) for parsed in given]:
            taken.result(TAKEN_SECONDS_MAX)
        counted = Counter(lines=len(moment.lines), gauges=len(moment.gauges), spans=len(moment.spans))
        return counted.total() + len(moment.changes)


def add(app: FastAPI, hindcast: App) -> Simulator:
    """Add the routes. Called in demo mode only: elsewhere there is nothing at this path."""
    simulator = Simulator(hindcast)

    @app.get("/api/v1/simulator", tags=["simulator"], operation_id="simulator_get")
    def show(seat: Responding) -> SimulatorTold:
        """What can go wrong here, and what does."""
        told = tuple(
            ScenarioTold(one.name, one.sentence, one.over_after_seconds - one.quiet_seconds, one.expected.value)
            for one in SCENARIOS.values()
        )
        return SimulatorTold(told, NAMES, simulator.running(seat.space))

    @app.post("/api/v1/simulator", tags=["simulator"], operation_id="simulator_play", response_model=RunTold)
    def play(said: Wanted, seat: Responding, again: Again) -> Response:
        """Let something go wrong: a whole scenario, or one service at once."""

        def made() -> Response:
            if said.service is not None:
                run = simulator.inject(seat.space, said, said.service, by=seat.actor)
            else:
                run = simulator.play(seat.space, said, by=seat.actor)
            return Response(orjson.dumps(run), media_type="application/json")

        return again.once(seat, said, made)

    @app.delete("/api/v1/simulator", tags=["simulator"], operation_id="simulator_stop")
    def stop(seat: Responding) -> RunTold:
        """End the scenario that plays."""
        return simulator.stop(seat.space)

    return simulator
