"""A recorded shop that breaks: its lines go through the real way in, detection, memory and recall, as time goes by."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from hindcast.adapters.clock import ManualClock
from hindcast.casebook.people import Fix, resolved
from hindcast.detect import Detector
from hindcast.detect.anomaly import Anomalies
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.redact import Redactor
from hindcast.ingest.template import Miner
from hindcast.memory import Memory
from hindcast.model.columns import RAW_LOG, SPAN, Parsed
from hindcast.model.incident import EventKind
from hindcast.model.signal import Level
from hindcast.pipeline import Preparation, Stages
from hindcast.ports import Telemetry
from hindcast.recollect import Answered, Recollect
from hindcast.register import Register
from hindcast.watch import Watch

SPACE = "local"
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
TICK_SECONDS = 15
HEALTHY_SECONDS = 720
FAULT_SECONDS = 90
# Long enough for an incident to be over, and for a service that was waved aside to be heard again.
CALM_SECONDS = 165

_SITE = "/usr/local/lib/python3.11/site-packages"
_BLANK = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Fault:
    """Something that was done to the shop: what it then wrote, why, and what ended it."""

    name: str
    cause: str
    fix: str
    lines: Sequence[Mapping[str, Any]]


@cache
def recording() -> Mapping[str, Any]:
    """What the shop wrote, with blanks for what differs from line to line."""
    path = Path(__file__).parent / "golden" / "faults" / "shop.json"
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def faults() -> Iterator[Fault]:
    """Everything that was done to the shop, in this order."""
    for one in recording()["faults"]:
        yield Fault(one["name"], one["cause"], one["fix"], one["lines"])


def fault(name: str) -> Fault:
    """One of them."""
    return next(one for one in faults() if one.name == name)


class Shop:
    """The shop under watch; its clock moves only when somebody lets time pass."""

    def __init__(self, telemetry: Telemetry, memory: Memory, clock: ManualClock) -> None:
        self._telemetry = telemetry
        self._clock = clock
        self._chance = random.Random(7)
        self._prepare = Preparation(Stages(Redactor(), Miner(), Fingerprinter()), clock)
        self._register = Register(lambda _, **_create: memory)
        self._watch = Watch(telemetry, Detector(), Anomalies())
        self._recollect = Recollect(memory, now=clock.now)
        self.casebook = self._register.casebook(SPACE)
        self.run(HEALTHY_SECONDS)

    def break_by(self, of: Fault) -> list[str]:
        """Let it fail for a while and recover; the ids of the incidents that were opened meanwhile."""
        opened = self.run(FAULT_SECONDS, of.lines)
        return opened + self.run(CALM_SECONDS)

    def resolve(self, incident: str, of: Fault) -> None:
        """Say why it happened and what ended it."""
        said, at = Fix(of.fix, of.cause), self._clock.now()
        self.casebook.change(incident, lambda case: resolved(case, said, by="ana", at=at), actor="ana", why="over")
        event = self._watch.decide("confirm", SPACE, incident, by="ana", now=at)
        self._register.remember(event, actor="ana")

    def ask_about(self, incident: str) -> Answered:
        """What memory has to say to an incident."""
        return self._recollect.about(incident)

    def run(self, seconds: int, failing: Sequence[Mapping[str, Any]] = ()) -> list[str]:
        """Let time pass; the ids of the incidents that were opened."""
        opened: list[str] = []
        for second in range(0, seconds, TICK_SECONDS):
            self._write([*self._usual(), *(row for one in failing for row in self._failed(one, second))])
            self._clock.move(timedelta(seconds=TICK_SECONDS))
            for event in self._watch.tick(now=self._clock.now()):
                self._register.remember(event)
                opened += [event.incident.id] if event.kind is EventKind.OPENED else []
        return opened

    def _usual(self) -> Iterator[dict[str, Any]]:
        for one in recording()["usual"]:
            for _ in range(max(1, round(one["per_minute"] * TICK_SECONDS / 60))):
                yield self._row(one, Level.INFO)

    def _failed(self, one: Mapping[str, Any], second: int) -> Iterator[dict[str, Any]]:
        for _ in range(
            one["count"] * (second + TICK_SECONDS) // FAULT_SECONDS - one["count"] * second // FAULT_SECONDS
        ):
            yield self._row(one, Level[one["level"]])

    def _row(self, one: Mapping[str, Any], level: Level) -> dict[str, Any]:
        at = self._clock.now() + timedelta(seconds=self._chance.random() * TICK_SECONDS)
        stack = "\n".join(recording()["stacks"][one["stack"]]) if "stack" in one else ""
        message, stack = (
            _BLANK.sub(lambda blank: self._filled(blank[1], at), text) for text in (one["message"], stack)
        )
        plain = {"trace": "", "span": "", "attributes": []}
        return {
            **plain, "time": at, "service": one["service"], "level": int(level), "message": message, "stack": stack,
        }  # fmt: skip

    def _filled(self, blank: str, at: datetime) -> str:
        match blank:
            case "site":
                return _SITE
            case "iso":
                return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03}"
            case "slash":
                return f"{at:%Y/%m/%d %H:%M:%S}"
            case "id":
                return "-".join(f"{self._chance.getrandbits(4 * size):0{size}x}" for size in (8, 4, 4, 4, 12))
            case "slug":
                return self._chance.choice(("blue-mug", "tea-pot", "cake-stand", "milk-jug"))
            case "s":
                return str(self._chance.randint(1, 9))
            case _:
                return str(self._chance.randint(1_000, 99_999))

    def _calls(self) -> Iterator[dict[str, Any]]:
        """Who calls whom, as traces tell it: a span of the caller for each."""
        for caller, callee in recording()["calls"]:
            yield {
                "time": self._clock.now(), "duration_us": 900, "service": caller, "name": f"call {callee}", "kind": 3,
                "trace": f"{self._chance.getrandbits(128):032x}", "span": f"{self._chance.getrandbits(64):016x}",
                "parent": "", "peer": callee, "status": 0, "attributes": [],
            }  # fmt: skip

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        spans = pa.Table.from_pylist([{"space": "", **one} for one in self._calls()], schema=SPAN)
        logs = pa.Table.from_pylist(rows, schema=RAW_LOG)
        self._telemetry.write(self._prepare([(SPACE, Parsed(logs=logs, spans=spans))]))
