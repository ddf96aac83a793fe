"""One try of a way in, from the request that a sender would make to the record found in the store."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hindcast.app import App
from hindcast.config import Settings
from hindcast.ingest import probe
from hindcast.model.errors import HindcastError
from hindcast.model.signal import TEST_LABEL
from hindcast.rest.desk import Desk
from hindcast.rest.failure import UNEXPECTED
from hindcast.rest.seat import Seat
from hindcast.rest.trial import Trial, tried
from hindcast.rest.ways import Way

# An answer means durable, so what was taken is there at once; a store on several machines may need a moment.
SEEN_SECONDS_MAX = 5.0
LOOK_EVERY_SECONDS = 0.1
# Syslog answers nothing; what came is looked for a little longer.
SYSLOG_SECONDS_MAX = 5.0
# Around the moment of sending: clocks of store and server may differ a little.
AROUND = timedelta(minutes=2)
EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104


@dataclass(frozen=True, slots=True)
class TrialTold:
    """What came of a try."""

    name: str
    at: datetime
    by: str
    # Stands in every record of the try, so that it can be looked for.
    mark: str
    is_taken: bool
    # How many records of each kind were taken, and how many of them were then found in the store.
    taken: Mapping[str, int]
    seen: Mapping[str, int]
    # From sending the first byte until the last record was found, or until nobody looked any longer.
    seconds: float
    # As a sender would have been told; 0 where there is no HTTP.
    status: int
    problem: str = ""
    remedy: str = ""


async def trying(way: Way, asked: Request, seat: Seat, desk: Desk, settings: Settings, *, why_off: str) -> TrialTold:
    """Try a way in, in the name of whoever asks."""
    app = desk.app
    mark, now, begin = secrets.token_hex(probe.MARK_CHARS // 2), app.now(), time.perf_counter()
    trial = Trial(mark, {})
    status, said = 0, why_off
    if not why_off and way.paths:
        status, said = await _by_http(way, trial, asked, seat.space, settings, now)
    elif not why_off:
        said = await _by_syslog(trial, settings, now)
    wanted = dict(trial.taken)
    seen = await _seen(app, seat.space, trial, now) if wanted else {}
    # Syslog is told nothing: what is found again was taken.
    taken = wanted if way.paths else seen
    is_taken = not said and bool(taken) and trial.error is None
    problem, remedy = _reason(trial.error, said, desk.clean)
    if not problem and seen != wanted:
        problem, remedy = _unseen(way)
    seconds = round(time.perf_counter() - begin, 3)
    return TrialTold(way.name, now, seat.actor, mark, is_taken, taken, seen, seconds, status, problem, remedy)


async def _by_http(
    way: Way, trial: Trial, asked: Request, space: str, settings: Settings, now: datetime
) -> tuple[int, str]:
    """Every request of the try; the first that is refused ends it. The status, and what is wrong in words, if it is."""
    status = 0
    for one in probe.PROBES[way.name](trial.mark, now):
        status, said = await tried(trial, way.signed(one, settings), asked, space)
        if status >= 400:
            return status, said or f"{one.path} answered {status}."
    return status, ""


async def _by_syslog(trial: Trial, settings: Settings, now: datetime) -> str:
    host = "127.0.0.1" if settings.syslog_host in EVERYWHERE else settings.syslog_host
    try:
        async with asyncio.timeout(SYSLOG_SECONDS_MAX):
            _, writer = await asyncio.open_connection(host, settings.syslog_port)
            writer.write(probe.syslog(trial.mark, now))
            await writer.drain()
            writer.close()
            await writer.wait_closed()
    except (OSError, TimeoutError) as error:
        return f"Port {settings.syslog_port} of {host} does not answer: {error or type(error).__name__}."
    trial.taken["lines"] = 1
    return ""


async def _seen(app: App, space: str, trial: Trial, now: datetime) -> dict[str, int]:
    """What of a try is in the store, once all of it is, or after a while."""
    deadline = time.monotonic() + SEEN_SECONDS_MAX
    while True:
        found = await run_in_threadpool(_found, app, space, trial, now)
        if found == trial.taken or time.monotonic() > deadline:
            return found
        await asyncio.sleep(LOOK_EVERY_SECONDS)


def _found(app: App, space: str, trial: Trial, now: datetime) -> dict[str, int]:
    since, until = now - AROUND, now + AROUND
    store, mark = app.telemetry, trial.mark
    found: dict[str, int] = {}
    if "lines" in trial.taken:
        found["lines"] = len(store.lines(space, since, until, services=(probe.SERVICE,), words=mark, lines_max=10))
    if "spans" in trial.taken:
        found["spans"] = len(store.spans(space, mark * 2, spans_max=10))
    if "metrics" in trial.taken:
        # A point has no words: one of this try's second is taken for this try's.
        rows = store.gauges(now - timedelta(seconds=1), until, space=space, step_seconds=1).to_pylist()
        named = [row for row in rows if (row["service"], row["name"]) == (probe.SERVICE, probe.METRIC)]
        found["metrics"] = min(len(named), trial.taken["metrics"])
    if "alerts" in trial.taken:
        alerts = store.alerts(space, since, until)
        found["alerts"] = sum(one.labels.get(TEST_LABEL) == mark for _, one in alerts)
    if "changes" in trial.taken:
        changes = store.changes(space, since, until)
        found["changes"] = sum(one.labels.get(TEST_LABEL) == mark for one in changes)
    return {name: count for name, count in found.items() if count}


def _reason(error: Exception | None, said: str, clean: Callable[[str], str]) -> tuple[str, str]:
    if isinstance(error, HindcastError):
        # The field is a word of ours, beside which the rest would look like its value.
        where = f"{error.field}: " if error.field else ""
        return f"{where}{clean(error.problem)}", clean(error.remedy)
    if error is not None:
        return UNEXPECTED, "The log of the server says what."
    return clean(said), ""


def _unseen(way: Way) -> tuple[str, str]:
    if not way.paths:
        return (
            "It was sent, and nothing of it is in the store.",
            "The log of the server says what syslog lost, and why.",
        )
    return "It was taken, and is not in the store yet.", "Look again in a moment; the log of the server may say why."
