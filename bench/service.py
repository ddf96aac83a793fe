"""How a running service feels: recall and lists while telemetry pours in, five hundred listeners, its size, its start.

`make bench NAME=service` prints a table and, as its last line, the figures that are promised. A real `hindcast serve`
runs on a store of ten thousand incidents with the model pack, from bytecode, as an installed one does; the clients are
plain sockets that send what was made beforehand. The share of the processors that they take is told, and so is what a
shared host withheld from this machine meanwhile, and how late something woke that only sleeps: where that is much, the
times are those of the neighbours.
`BENCH_ARGS="--folder F"` keeps the store for the next run; `--quick` measures less of everything.
"""

from __future__ import annotations

import argparse
import compileall
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from tests.serving import Serving, start

from bench._cases import questions
from bench._live import burst
from bench._load import RECORDS_PER_REQUEST
from bench._service_load import (
    Crowd,
    Sleeper,
    framed,
    paced,
    processor_seconds,
    resident_mb,
    waited,
    withheld_seconds,
)
from bench._service_world import make, settings
from bench._world import SPACE
from hindcast import __file__ as package
from hindcast.build import open_memory
from hindcast.recollect import Recollect

INCIDENTS = 10_000
STARTS = 3
RECORDS_PER_S = 10_000
RECALLS_PER_S = 50
LISTS_PER_S = 40
LISTENERS = 500
BURSTS = 12
IDLE_SECONDS = 25
WARMING = 30
# The sender makes 120,000 records before it sends the first; on a busy machine that takes a while.
MAKING_SECONDS_MAX = 120
# Before it is measured, the server is asked for so long and so often: a second process for questions starts meanwhile.
# What that was like is told, too.
FIRST_SECONDS = 10
FIRST_PER_S = 20
# After that, questions that nobody has asked before.
NEW_SECONDS = 10
NEW_SEED = 6


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    incidents: int = INCIDENTS
    seconds: float = 30
    starts: int = STARTS
    bursts: int = BURSTS
    listeners: int = LISTENERS
    idle_seconds: float = IDLE_SECONDS


def compile_as_installed() -> None:
    """Compile the package, as `pip install` does for everybody.

    In a checkout, and where Python was told to write no bytecode, every start would measure the compiler instead: a
    second of it, and forty megabytes of what it leaves behind.
    """
    assert compileall.compile_dir(Path(package).parent, quiet=1), "something does not compile"


def p(values: Sequence[float], share: float) -> float:
    """A percentile."""
    return float(np.percentile(np.array(values), share)) if len(values) else float("nan")


@contextmanager
def served(folder: Path) -> Iterator[tuple[Serving, float]]:
    """A server on the store, and the seconds from its start to being ready."""
    begin = time.perf_counter()
    running = start(folder, store=str(folder), space=SPACE, model="", actor="bench")
    taken = time.perf_counter() - begin
    try:
        yield running, taken
    finally:
        running.stop()


@contextmanager
def pouring(running: Serving, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """Telemetry that pours in meanwhile, from a process of its own."""
    pace = RECORDS_PER_S / RECORDS_PER_REQUEST
    asked = {"port": running.port, "seconds": seconds, "connections": 8, "requests_per_s": pace}
    sender = subprocess.Popen([sys.executable, "-m", "bench._load", json.dumps(asked)], stdout=subprocess.PIPE)
    try:
        # It makes its requests first, which takes it as long as the machine lets it and is not what is measured.
        before = _logs(running)
        assert waited(lambda: _logs(running) > before, MAKING_SECONDS_MAX), "nothing pours in"
        yield sender
    finally:
        sender.terminate()
        sender.wait()


def _logs(running: Serving) -> int:
    """How many lines of telemetry it has taken in so far."""
    return int(running.get("/api/v1/status")["counts"].get("logs", 0))


def in_process(folder: Path, texts: Sequence[str]) -> list[float]:
    """Milliseconds of each question, asked by this very process; some others come before them."""
    warming = [one.text for one in questions(len(texts) + WARMING)[len(texts) :]]
    memory = open_memory(settings(folder))
    door = Recollect(memory, now=lambda: datetime.now(UTC))
    taken = []
    try:
        for turn, text in enumerate((*warming, *texts)):
            begin = time.perf_counter()
            door.ask(text)
            if turn >= WARMING:
                taken.append((time.perf_counter() - begin) * 1e3)
    finally:
        memory.close()
    return taken


@dataclass(frozen=True, slots=True)
class Recalls:
    """Milliseconds of each question over REST, from when it was due."""

    # Of the first seconds, at a gentler pace.
    first: list[float]
    # As promised: some hundred questions that come again and again, as those of an outage do.
    again: list[float]
    # Questions that nobody has asked before, each of which the model has to read.
    new: list[float]


def asked_over_rest(running: Serving, texts: Sequence[str], seconds: float, per_second: float) -> list[float]:
    """Milliseconds of each question over REST, from when it was due."""
    bodies = [json.dumps({"text": text}).encode() for text in texts]
    asked = [
        framed("POST", f"/api/v1/recall?space={SPACE}", running.port, body, token=running.token) for body in bodies
    ]
    return [one * 1e3 for one in paced(running.port, asked, seconds=seconds, per_second=per_second, connections=8)]


def recalls(running: Serving, texts: Sequence[str], seconds: float) -> Recalls:
    """Ask over REST."""
    first = asked_over_rest(running, texts, FIRST_SECONDS, FIRST_PER_S)
    again = asked_over_rest(running, texts, seconds, RECALLS_PER_S)
    others = [one.text for one in questions(int(NEW_SECONDS * RECALLS_PER_S), seed=NEW_SEED)]
    return Recalls(first, again, asked_over_rest(running, others, NEW_SECONDS, RECALLS_PER_S))


def lists(running: Serving, seconds: float) -> list[float]:
    """Milliseconds of a page of incidents: the newest, by state, by service, by words, and pages further on."""
    base = f"/api/v1/incidents?space={SPACE}&limit=50"
    with running.client() as client:
        cursor = client.get(base).raise_for_status().json()["next"]
    paths = ("", "&state=open", "&state=resolved", "&service=checkout-api", "&text=timeout", f"&cursor={cursor}")
    asked = [framed("GET", base + path, running.port, token=running.token) for path in paths]
    return [one * 1e3 for one in paced(running.port, asked, seconds=seconds, per_second=LISTS_PER_S, connections=4)]


def heard(running: Serving, plan: Plan) -> tuple[list[float], list[float]]:
    """Seconds from an incident to each listener, and from an incident to its briefing on the stream."""
    crowd = Crowd(running.port, SPACE, plan.listeners, running.token)
    assert waited(lambda: crowd.connected == plan.listeners, 60), f"{crowd.connected} of {plan.listeners} listen"
    with running.client() as client:
        for number in range(plan.bursts):
            service = f"burst-{number}"
            client.post("/v1/logs", content=burst(service), headers={"Content-Type": "application/x-protobuf"})
            waited(lambda service=service: service in crowd.services, 20)  # type: ignore[misc]
            name = crowd.services.get(service, "")
            waited(lambda name=name: len(crowd.heard.get(("answer", name), ())) >= plan.listeners, 20)  # type: ignore[misc]
    seen: list[float] = []
    briefed: list[float] = []
    for service, name in crowd.services.items():
        if service.startswith("burst-"):
            at = datetime.fromisoformat(crowd.opened_at[name]).timestamp()
            times = crowd.heard.get(("incident", name), [])
            seen += [one - at for one in times] + [float("inf")] * (plan.listeners - len(times))
            briefed.append(min(crowd.heard.get(("answer", name), [float("inf")])) - at)
    return seen, briefed


def measure(folder: Path, plan: Plan, console: Console) -> str:
    """Everything, as a table and a line. The folder is written to."""
    texts, sleeper = [one.text for one in questions(300)], Sleeper()
    starts: list[float] = []
    for _ in range(plan.starts):
        with served(folder) as (_running, taken):
            starts.append(taken)
    alone = in_process(folder, texts)
    with served(folder) as (running, _):
        time.sleep(plan.idle_seconds)
        idle = resident_mb(running.process.pid)
        sleeper.worst_ms()
        quiet_list = lists(running, min(plan.seconds, 10))
        stalls = [sleeper.worst_ms()]
        with pouring(running, plan.seconds + FIRST_SECONDS + NEW_SECONDS + 20) as sender:
            server_before, sender_before = processor_seconds(running.process.pid), processor_seconds(sender.pid)
            begin, own, logs_before = time.perf_counter(), time.process_time(), _logs(running)
            withheld_before = withheld_seconds()
            sleeper.worst_ms()
            asked = recalls(running, texts, plan.seconds)
            stalls.append(sleeper.worst_ms())
            elapsed = time.perf_counter() - begin
            shares = [
                (processor_seconds(running.process.pid) - server_before) / elapsed,
                (processor_seconds(sender.pid) - sender_before) / elapsed,
                (time.process_time() - own) / elapsed,
                (withheld_seconds() - withheld_before) / elapsed,
            ]
            taken_in = _logs(running) - logs_before
            busy = resident_mb(running.process.pid)
        seen, briefed = heard(running, plan)
        # All of it at once: the listeners are still there, and their incidents are noticed to be over.
        with pouring(running, plan.seconds + 10):
            sleeper.worst_ms()
            at_once = asked_over_rest(running, texts, plan.seconds, RECALLS_PER_S)
            stalls.append(sleeper.worst_ms())
    limit = 1.5 * p(alone, 99) + 5
    table = Table("figure", "p50", "p99", "limit", title=f"{plan.incidents:,} incidents, {len(texts)} questions")
    rows = (
        ("recall in this process, ms", alone, "", 1),
        (f"recall over REST, {RECALLS_PER_S}/s, {RECORDS_PER_S:,} records/s, ms", asked.again, f"≤ {limit:.1f}", 1),
        (f"the first {FIRST_SECONDS} seconds before that, {FIRST_PER_S}/s, ms", asked.first, "", 1),
        (f"{NEW_SECONDS} seconds after it, every question new, {RECALLS_PER_S}/s, ms", asked.new, "", 1),
        (f"the same while {plan.listeners} listen to {plan.bursts} incidents end, ms", at_once, "", 1),
        ("a page of incidents, ms", quiet_list, "≤ 50", 1),
        (f"incident → {plan.listeners} listeners, s", seen, "≤ 1", 3),
        ("incident → briefing, s", briefed, "≤ 1", 3),
        ("cold start, s", starts, "< 4", 2),
    )
    for name, values, most, digits in rows:
        table.add_row(name, f"{p(values, 50):.{digits}f}", f"{p(values, 99):.{digits}f}", most)
    table.add_row("idle, MB resident", f"{idle:.0f}", "", "< 350")
    table.add_row("under the load, MB resident, second process included", f"{busy:.0f}", "", "")
    # The sender made everything beforehand and sends ten requests a second, which takes a few thousandths.
    said = "server and second process {:.2f}, sender {:.3f}, this process {:.2f} processors; {:.2f} withheld"
    said = said.format(*shares)
    table.add_row("while recalling", said, f"{taken_in:,} records", "")
    late = "list {:.1f}, recall {:.1f}, all at once {:.1f}".format(*stalls)
    table.add_row("how late this process woke at the worst meanwhile, ms", late, "", "")
    console.print(table)
    return (
        f"service: recall_p99_ms={p(asked.again, 99):.1f} list_p99_ms={p(quiet_list, 99):.1f} "
        f"sse_p99_s={p(seen, 99):.2f} idle_mb={idle:.0f} cold_start_s={p(starts, 50):.2f}"
    )


def main() -> None:
    """Print the table, then the line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="keep the store here and use it again")
    parser.add_argument("--quick", action="store_true", help="measure less of everything, to see whether it runs")
    chosen = parser.parse_args()
    quick = Plan(seconds=6, starts=1, bursts=3, listeners=100, idle_seconds=20)
    with tempfile.TemporaryDirectory(prefix="hindcast-service-") as scratch:
        plan = quick if chosen.quick else Plan()
        kept = chosen.folder or Path(scratch) / "made"
        kept.mkdir(parents=True, exist_ok=True)
        make(kept, plan.incidents)
        compile_as_installed()
        # What a run leaves behind must not be there in the next one.
        shutil.copytree(kept, Path(scratch) / "used", ignore=shutil.ignore_patterns("telemetry", "*.log"))
        print(measure(Path(scratch) / "used", plan, Console(width=120)))


if __name__ == "__main__":
    main()
