"""A store as a team has it after years: ten thousand incidents, each with its case, its vectors and its index."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from bench._cases import case, embedder, open_large, stories
from bench._world import SPACE
from hindcast.adapters.index_local.meaning import packed
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.model.case import Case
from hindcast.model.finding import Finding, Rule
from hindcast.model.ids import Address
from hindcast.model.incident import Affected, Exemplar, Incident, IncidentState, Sighting, to_json
from hindcast.model.record import Change
from hindcast.model.signal import Severity
from hindcast.register import KIND, NAMESPACE

INCIDENTS_PER_COMMIT = 2_000
# The newest are still under way, as on a bad night.
UNDER_WAY = 5
YEAR = timedelta(days=365)
_FORMAT = 3


def settings(folder: Path) -> Settings:
    """The settings that a server on such a store runs with."""
    return Settings(store=str(folder), space=SPACE, actor="bench")


def onset_of(number: int, *, count: int, now: datetime) -> datetime:
    """When it began: they are spread over the last year."""
    return now - YEAR * ((count - number) / count)


def named(told: Case, number: int, *, count: int, now: datetime) -> Case:
    """The case of an incident of the last year, called as detection calls it."""
    onset = onset_of(number, count=count, now=now)
    return replace(told, id=f"inc-{onset:%Y%m%d-%H%M}-{told.services[0]}-{number}", occurred_at=onset)


def incident(number: int, told: Case, *, count: int, now: datetime) -> Incident:
    """One incident of the last year, as detection leaves it behind."""
    onset = onset_of(number, count=count, now=now)
    service, lines = told.services[0], (*told.symptoms, told.title)
    finding = Finding(SPACE, service, Rule.FIXED, onset, onset, 240.0, 2.0, 100.0, window_seconds=120, why="240 errors")
    sightings = tuple(Sighting(number * 10 + at, line, 100, onset, service) for at, line in enumerate(lines))
    exemplars = tuple(Exemplar(onset, service, 17, line, fingerprint=number) for line in lines)
    is_over = number < count - UNDER_WAY
    return Incident(
        told.id,
        SPACE,
        told.title,
        IncidentState.CONFIRMED if is_over else IncidentState.OPEN,
        finding,
        (Affected(service, onset, onset, 240, 240, 2.0, 40.0),),
        onset,
        onset,
        onset + timedelta(minutes=20),
        Severity.CRITICAL if number % 5 == 0 else Severity.MAJOR,
        closed_at=onset + timedelta(minutes=30) if is_over else None,
        origin=service,
        findings=(finding,),
        templates=sightings,
        fingerprints=sightings[:2],
        exemplars=exemplars,
    )


def make(folder: Path, count: int) -> None:
    """Make it in a folder, unless it is there already."""
    marker = folder / "world"
    if marker.exists() and marker.read_text() == f"{_FORMAT} {count}":
        return
    # What an older run has made here is no use to this one, and only in its way.
    for left in (folder / "made", folder / "index", *folder.glob(f"{SPACE}.*")):
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)
    now = datetime.now(UTC)
    telling = partial(named, count=count, now=now)
    open_large(folder, count, told=telling).close()
    (folder / "index").rename(folder / f"{SPACE}.index")
    memory = open_memory(settings(folder))
    store, model, rng = memory._store, embedder(), np.random.default_rng(9)
    for start in range(0, count, INCIDENTS_PER_COMMIT):
        before = store.tip().version
        changes = []
        for number in range(start, min(start + INCIDENTS_PER_COMMIT, count)):
            one = incident(number, telling(case(number, stories(count)), number), count=count, now=now)
            text = "\n".join((one.title, *(sighting.text for sighting in one.templates)))
            changes.append(Change(Address(NAMESPACE, one.id), to_json(one), KIND, text=text, occurred_at=one.onset_at))
        memory.commit(changes, actor="hindcast", why="A year of incidents.")
        made = rng.standard_normal((len(changes), model.dims), np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        rows = packed(made.astype(np.float32))
        store.keep_vectors(model.model, [(before + 1 + at, row.tobytes()) for at, row in enumerate(rows)])
    memory.index()
    memory.close()
    marker.write_text(f"{_FORMAT} {count}")
