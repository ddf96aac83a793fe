"""Finds what an argument names: an incident by its id or by how it was cited, a time as people write it."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from hindcast.casebook import kept_in
from hindcast.casebook.layout import CASES, Kept
from hindcast.memory import View
from hindcast.memory.moments import read_time
from hindcast.model.errors import Damaged, Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.incident import Incident, from_json
from hindcast.model.record import MAIN
from hindcast.register import NAMESPACE as INCIDENTS
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.quoting import cited

# Among so many the nearest id is looked for when somebody misspells one.
IDS_COMPARED_MAX = 1_000
NEAREST_MAX = 3

At = Annotated[
    str,
    Meta(
        max_length=200,
        description="Answer with what was known then: a time, a commit id, a snapshot, a branch. Without it: now.",
        examples=["2026-10-01T12:00Z", "2 weeks ago"],
    ),
]
Branch = Annotated[
    str, Meta(max_length=128, description="Which branch of memory to read. Without it: main.", examples=[MAIN])
]
IncidentId = Annotated[
    str,
    Meta(
        max_length=600,
        description="The id of an incident, as other tools show it.",
        examples=["inc-20260930-0203-payment"],
    ),
]
Time = Annotated[
    str,
    Meta(
        max_length=60, description="A time: ISO 8601, or such as '3 days ago'.", examples=["2026-10-01", "7 days ago"]
    ),
]


def incident_id(text: str) -> str:
    """The bare id out of however an incident was cited: `cases/ID@412`, `hindcast://incidents/ID`, `[ID]`."""
    bare = text.strip().strip("[]`\"' ")
    bare = bare.removeprefix("hindcast://")
    for folder in ("incidents/", "cases/", "postmortems/"):
        bare = bare.removeprefix(folder)
    return bare.partition("@")[0].strip()


def known(view: View, text: str, *, field: str = "incident") -> Kept:
    """What is known about an incident at a moment. Raises Missing, with the nearest ids, where there is none."""
    name = incident_id(text)
    if not name:
        raise Malformed(
            "No incident is named.", field=field, remedy="Give its id, which search_incidents finds for you."
        )
    try:
        found = kept_in(view, name)
    except Malformed:
        found = None
    if found is not None:
        return found
    ids = [record.path for record in view.list(CASES, records_max=IDS_COMPARED_MAX).records]
    near = difflib.get_close_matches(name, ids, n=NEAREST_MAX, cutoff=0.6)
    nearest = f"The nearest ids are {', '.join(map(cited, near))}. " if near else ""
    raise Missing(
        f"There is no incident {name[:120]!r} at this moment.",
        field=field,
        remedy=f"{nearest}search_incidents finds ids by words, services and time.",
    )


def detected(view: View, name: str) -> Incident | None:
    """What detection says of an incident at a moment; None where it was not detected here or cannot be read."""
    try:
        record = view.find(Address(INCIDENTS, name))
        return from_json(record.body) if record is not None and isinstance(record.body, dict) else None
    except (Malformed, Damaged):
        return None


def ref_of(kept: Kept) -> str:
    """What to cite for a case."""
    return f"cases/{kept.case.id}@{kept.version}"


def time_of(desk: Desk, text: str, *, field: str) -> datetime | None:
    """The time that a text names. None: it names none because it is empty."""
    if not text.strip():
        return None
    found = read_time(text, desk.now)
    if found is None:
        raise Malformed(
            f"{text[:60]!r} is no time.", field=field, remedy="Write 2026-10-01, 2026-10-01T12:00Z or '3 days ago'."
        )
    return found
