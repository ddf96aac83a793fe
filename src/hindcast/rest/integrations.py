"""Integrations over HTTP: every way in, what came by it lately and what went wrong, and trying it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fastapi import FastAPI
from starlette.requests import Request

from hindcast.config import Settings
from hindcast.config.setting import variable
from hindcast.model.access import Permission
from hindcast.rest.arrivals import NOBODYS, Arrivals, LastError, Tally
from hindcast.rest.desk import Desk
from hindcast.rest.seat import Administering, Reading
from hindcast.rest.trying import TrialTold, trying
from hindcast.rest.ways import WAYS, Brings, Way, way_named

TAG = "integrations"
# The last try of each way in of each project is shown beside it.
TRIALS_KEPT_MAX = 2_000


@dataclass(frozen=True, slots=True)
class IntegrationTold:
    """One way in, and what came by it for this project since the server started."""

    name: str
    title: str
    # Who sends this way, and what it is good for.
    what: str
    brings: Brings
    # Where its sender sends to; empty for syslog.
    paths: tuple[str, ...]
    # The port of its own, if it has one and is listened on; 0: none.
    port: int
    # Why it takes nothing here; empty: it does.
    why_off: str
    # The variable with what its sender signs with, and whether one is set; empty: it signs nothing.
    secret_variable: str
    is_secret_set: bool
    came: Tally
    last_test: TrialTold | None


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """What was refused before anybody knew which project it was for: a wrong key, most often."""

    name: str
    refused_lately: int
    last_error: LastError


@dataclass(frozen=True, slots=True)
class IntegrationsTold:
    """Every way in, and since when is counted."""

    since: datetime
    items: tuple[IntegrationTold, ...]
    # Told to those who run the installation; empty for others.
    unclaimed: tuple[Unclaimed, ...]


class Trials:
    """The last try of each way in, by project. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], TrialTold] = OrderedDict()
        self._turn = threading.Lock()

    def keep(self, space: str, told: TrialTold) -> None:
        """This was the last one."""
        with self._turn:
            self._kept[space, told.name] = told
            self._kept.move_to_end((space, told.name))
            while len(self._kept) > TRIALS_KEPT_MAX:
                self._kept.popitem(last=False)

    def of(self, space: str) -> Mapping[str, TrialTold]:
        """The last ones of a project, by the name of the way in."""
        with self._turn:
            return {name: told for (where, name), told in self._kept.items() if where == space}


def add(app: FastAPI, desk: Desk, settings: Settings, arrivals: Arrivals) -> None:
    """Add the routes."""
    trials = Trials()

    @app.get("/api/v1/integrations", tags=[TAG], operation_id="integrations_list")
    def integrations_list(seat: Reading) -> IntegrationsTold:
        """Every way in: where its sender sends to, what came by it lately, and the last error with its reason."""
        came, tried = arrivals.told(seat.space), trials.of(seat.space)
        items = tuple(_told(way, seat.space, settings, came.get(way.name), tried.get(way.name)) for way in WAYS)
        runs_it = Permission.ADMINISTER in seat.caller.permissions_in(settings.space)
        nobodys = arrivals.told(NOBODYS) if runs_it else {}
        unclaimed = tuple(
            Unclaimed(name, tally.refused_lately, tally.last_error)
            for name, tally in sorted(nobodys.items())
            if tally.last_error is not None
        )
        return IntegrationsTold(arrivals.since, items, unclaimed)

    @app.post("/api/v1/integrations/{name}/test", tags=[TAG], operation_id="integration_test")
    async def integration_test(name: str, seat: Administering, request: Request) -> TrialTold:
        """Send what the sender would send, through its own way in, and see whether it arrives.

        It is sent in the caller's name into this project, marked as a test: it opens no incident, and no change of the
        watched system is made of it. A refusal is an answer, too.
        """
        way = way_named(name)
        off = _why_off(way, seat.space, settings)
        told = await trying(way, request, seat, desk, settings, why_off=off)
        trials.keep(seat.space, told)
        return told


def _told(way: Way, space: str, settings: Settings, came: Tally | None, last_test: TrialTold | None) -> IntegrationTold:
    return IntegrationTold(
        way.name,
        way.title,
        way.what,
        way.brings,
        way.paths,
        settings.syslog_port if not way.paths else 0,
        _why_off(way, space, settings),
        variable(way.secret_setting) if way.secret_setting else "",
        bool(way.secret(settings)),
        came or Tally(),
        last_test,
    )


def _why_off(way: Way, space: str, settings: Settings) -> str:
    if way.paths:
        return ""
    if not settings.syslog_port:
        return f"It is not listened for: set {variable('syslog_port')} to a port, then start the server again."
    if space != settings.space:
        return f"Syslog cannot say which project it is for, so all of it goes into {settings.space}."
    return ""
