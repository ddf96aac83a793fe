"""The simulator over HTTP, in demo mode only: what can go wrong, what goes wrong now, and making it so.

What it says takes the same way in as everything else: OTLP bytes, parsed, redacted, counted, watched.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
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
from hindcast.model.errors import HindcastError, Malformed, Missing, Stale
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest.once import Again
from hindcast.rest.seat import Responding
from hindcast.simulate import NAMES, SCENARIOS, Moment, Phase, Scenario, World, burst
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

    scenario: Annotated[
        str | None,
        Field(max_length=100, description="A name of `scenarios`; if left out, services just log until stopped."),
    ] = None
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

    # Empty where services just log.
    scenario: str
    # Empty where all of them are concerned.
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
    """Seven services that log, and what befalls them."""

    world: World
    seed: int
    by: str
    # Whether they go on logging when nothing befalls them any more.
    is_endless: bool
    scenario: Scenario | None = None
    acknowledged: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def befall(self, scenario: Scenario | None, now: datetime, rate_per_s: float, by: str) -> None:
        """From now on this happens to them, or nothing."""
        quiet_seconds = scenario.quiet_seconds if scenario is not None else 0
        happens = [scenario] if scenario is not None else []
        starts_at = now - timedelta(seconds=quiet_seconds)
        self.world = World(self.seed, happens, rate_per_s=rate_per_s, starts_at=starts_at)
        self.scenario, self.by = scenario, by

    def is_over(self, second: datetime) -> bool:
        """Whether everything is as it was."""
        if self.scenario is None:
            return not self.is_endless
        return second >= self.world.starts_at + timedelta(seconds=self.scenario.over_after_seconds)

    def told(self, now: datetime) -> RunTold:
        """As callers get it."""
        after = (now - self.world.starts_at).total_seconds()
        name, phase = (self.scenario.name, self.scenario.phase(after)) if self.scenario else ("", Phase.QUIET)
        return RunTold(name, "", self.world.starts_at, phase.value, self.acknowledged, self.by)


class Simulator:
    """Plays one world in each space, and at most one scenario in it, each in a thread of its own."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._limits = IngestLimits()
        self._lock = threading.Lock()
        self._runs: dict[str, _Run] = {}

    def running(self, space: str) -> RunTold | None:
        """What plays in a space."""
        with self._lock:
            run = self._runs.get(space)
        return run.told(self._app.now()) if run is not None else None

    def play(self, space: str, wanted: Wanted, *, by: str) -> RunTold:
        """Begin a scenario where trouble begins to build up, in the world that logs here already if there is one.

        Raises Stale when one plays already.
        """
        now = self._app.now()
        scenario = by_name(wanted.scenario) if wanted.scenario is not None else None
        with self._lock:
            run = self._runs.get(space)
            if run is not None and (run.scenario is not None or scenario is None):
                raise Stale(
                    f"{run.scenario.name if run.scenario else 'The quiet world'} plays already.",
                    field="scenario",
                    remedy="Stop it with DELETE /api/v1/simulator first, or wait until it is over.",
                )
            if run is None:
                world = World(wanted.seed, rate_per_s=wanted.rate_per_s, starts_at=now)
                run = self._runs[space] = _Run(world, wanted.seed, by, is_endless=scenario is None)
                run.thread = threading.Thread(target=self._play, args=(space, run), name="simulator", daemon=True)
                run.befall(scenario, now, wanted.rate_per_s, by)
                run.thread.start()
            else:
                run.befall(scenario, now, run.world.rate_per_s, by)
            return run.told(now)

    def inject(self, space: str, wanted: Wanted, service: str, *, by: str) -> RunTold:
        """Let one service fail at once; when this returns, what it wrote is durable."""
        if wanted.scenario is None:
            raise Malformed(
                "How the service fails is not said.", field="scenario", remedy=f"Use one of {', '.join(SCENARIOS)}."
            )
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
        while not self._is_done(space, run, second):
            left = (second + timedelta(seconds=1) - self._app.now()).total_seconds()
            if run.stopping.wait(max(0.0, left)):
                return
            try:
                run.acknowledged += self._take(space, run.world.step(second))
            except HindcastError as error:
                # As a real sender would: what is not taken is lost, and the next second is tried.
                LOG.info("A simulated second was not taken: %s", error)
            second += timedelta(seconds=1)

    def _is_done(self, space: str, run: _Run, second: datetime) -> bool:
        """Whether there is nothing more to play; what befell an endless world is over, and it goes on without."""
        with self._lock:
            if not run.is_over(second):
                return False
            if run.is_endless:
                run.befall(None, second, run.world.rate_per_s, run.by)
                return False
            if self._runs.get(space) is run:
                del self._runs[space]
            return True

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
