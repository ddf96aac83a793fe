"""Desks for the tools of an agent that works on the store itself. Nothing is opened before a tool needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hindcast.casebook.summaries import Summaries, Table
from hindcast.config import Settings
from hindcast.recollect import OpenView, Recollect
from hindcast.toolbox import Desks

if TYPE_CHECKING:
    from hindcast.fixes import Fixes
    from hindcast.memory import Memory
    from hindcast.ports import Telemetry


def open_desks(
    settings: Settings, memory: Callable[[], Memory], *, now: Callable[[], datetime], others: OpenView
) -> Desks:
    """Desks in the one space of the settings, whatever space is asked for."""
    asked: list[Recollect] = []
    followed: list[Summaries] = []

    def recollect(_: str) -> Recollect:
        if not asked:
            asked.append(Recollect(memory(), now=now, others=others))
        return asked[0]

    def summaries(_: str) -> Table:
        if not followed:
            followed.append(Summaries(memory(), lock=threading.Lock))
        return followed[0].now()

    code: list[Fixes] = []
    # Calls come at the same time, and the first that is about code opens it for all.
    turn = threading.Lock()

    def fixes() -> Fixes:
        # Imported here: parsers of a dozen languages take their time to load, and most agents only ask.
        from hindcast.build.fixes import open_fixes
        from hindcast.build.workspaces import open_workspaces

        with turn:
            if not code:
                places = open_workspaces(settings, lambda _: memory())
                code.append(open_fixes(settings, lambda _: memory(), recollect, places))
        return code[0]

    return Desks(
        lambda _: memory(),
        recollect,
        now,
        lambda text: _cleaned(settings, text),
        lambda: telemetry_of_call(settings),
        summaries,
        fixes,
    )


def _cleaned(settings: Settings, text: str) -> str:
    # What it comes with takes a second to load, and most agents only read.
    from hindcast.build.running import redactor

    return redactor(settings).text(text).text


@contextmanager
def telemetry_of_call(settings: Settings) -> Iterator[Telemetry | None]:
    """Raw telemetry for the length of one call, or None where there is none.

    An embedded one belongs to one process at a time: who held it longer would keep `hindcast serve` out.
    """
    from hindcast.adapters.telemetry_clickhouse import Retention, open_telemetry
    from hindcast.adapters.telemetry_clickhouse.address import parse
    from hindcast.build.running import telemetry_address

    where = telemetry_address(settings)
    place = parse(where)
    if place.embedded and not Path(place.folder).exists():
        yield None
        return
    days = settings.telemetry_days
    telemetry = open_telemetry(where, retention=Retention(log_days=days, metric_days=days, span_days=days))
    try:
        yield telemetry
    finally:
        telemetry.close()
