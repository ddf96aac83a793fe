"""Desks for the tools of an agent that works on the store itself. Nothing is opened before a tool needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hindcast.config import Settings
from hindcast.recollect import OpenView, Recollect
from hindcast.toolbox import Desks

if TYPE_CHECKING:
    from hindcast.memory import Memory
    from hindcast.ports import Telemetry


def open_desks(
    settings: Settings, memory: Callable[[], Memory], *, now: Callable[[], datetime], others: OpenView
) -> Desks:
    """Desks in the one space of the settings, whatever space is asked for."""
    asked: dict[str, Recollect] = {}

    def recollect(_: str) -> Recollect:
        if settings.space not in asked:
            asked[settings.space] = Recollect(memory(), now=now, others=others)
        return asked[settings.space]

    return Desks(
        lambda _: memory(), recollect, now, lambda text: _cleaned(settings, text), lambda: telemetry_of_call(settings)
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
