"""The outage of the demo's story: a past case that happens again in a running instance, and what memory says to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from hindcast.model.errors import Unavailable

if TYPE_CHECKING:
    import httpx

    from hindcast.model.case import Case
    from hindcast.model.diagnosis import Diagnosis

STORY = "past-redis-worker-pool"
SERVICE = "payment"
# The fixed rule opens an incident at a hundred errors within two minutes.
ERRORS = 120
WAIT_SECONDS_MAX = 60.0
# Signals of the first seconds of a process may be counted late; the outage happens once more before giving up.
AGAIN_SECONDS = (20.0,)
POLL_SECONDS = 0.2
# The outage takes a second, and none of it may lie before somebody's word about the last one. That word mutes whatever
# still fails at that moment, so the last one has to be over for longer than that.
APART_SECONDS = 2.0
CALM_SECONDS = 12.0


@dataclass(frozen=True, slots=True)
class Round:
    """The outage, played once: what it opened, and what memory says to it."""

    # As detection has it.
    incident: dict[str, Any]
    diagnosis: Diagnosis
    # What there is to change in the code, and what is warned of: sentences, each with its place.
    changes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    # The larger incident that it went on in, where one of the same service was under way.
    within: str = ""


def play(url: str, space: str, *, now: Callable[[], datetime], seed: int, key: str = "") -> Round:
    """Let the outage of a past case happen in a space of a running instance, and hear what memory says.

    `key` proves who asks: a key, or the token of this machine.
    """
    import httpx
    import msgspec

    from hindcast.model.diagnosis import Diagnosis
    from hindcast.simulate.history import cases
    from hindcast.simulate.shop import printed_today

    story = next(case for case in cases(now=now()) if case.id == STORY)
    headers = {"X-Hindcast-Space": space} | ({"X-Hindcast-Key": key} if key else {})
    with httpx.Client(base_url=url, headers=headers, timeout=WAIT_SECONDS_MAX, trust_env=False) as client:
        _end_resolved(client, now)
        larger = next((one for one in _watched(client, "open") if len(one["affected"]) > 1), None)
        before = now()
        send = partial(_send, url, space, key, story, seed=seed)
        send(at=before)
        incident = larger or _opened(client, lambda: send(at=now()))
        if len(incident["affected"]) > 1:
            # It has become part of what was wrong before, here or elsewhere. The answer to that is about all of it; the
            # story is about this failure, and what was known of it when it began.
            said = {"text": printed_today(story.stack), "services": [SERVICE], "at": before.isoformat()}
            asked = client.post("/api/v1/recall", json=said).raise_for_status().json()
            return Round(incident, msgspec.convert(asked["diagnosis"], Diagnosis), within=incident["id"])
        asked = client.get(f"/api/v1/incidents/{incident['id']}/recall").raise_for_status().json()
        return Round(incident, msgspec.convert(asked["diagnosis"], Diagnosis), *_deck(client, incident["id"]))


def _send(url: str, space: str, key: str, story: Case, *, at: datetime, seed: int) -> None:
    from hindcast.adapters.otlp_sender import OtlpSender
    from hindcast.simulate.otlp import exports
    from hindcast.simulate.replay import replay
    from hindcast.simulate.shop import printed_today

    with closing(OtlpSender(url, space=space, key=key)) as sender:
        for export in exports(replay(story, SERVICE, ERRORS, at=at, seed=seed, printed=printed_today)):
            sender.send(export.path, export.body, content_type=export.content_type, records=export.records)


def _end_resolved(client: httpx.Client, now: Callable[[], datetime]) -> None:
    """What somebody has resolved is over, as far as the story goes: the same outage again is another incident."""
    for one in _watched(client, "resolved"):
        if one["state"] in ("open", "awaiting"):
            passed = (now() - datetime.fromisoformat(one["last_trouble_at"])).total_seconds()
            time.sleep(min(max(CALM_SECONDS - passed, 0.0), CALM_SECONDS))
            client.post(f"/api/v1/incidents/{one['id']}/decision", json={"verb": "confirm"}).raise_for_status()
            time.sleep(APART_SECONDS)


def _watched(client: httpx.Client, state: str) -> Iterator[dict[str, Any]]:
    """The incidents of the service in a state, as detection has them."""
    page = client.get("/api/v1/incidents", params={"state": state, "service": SERVICE}).raise_for_status().json()
    for one in page["items"]:
        found = client.get(f"/api/v1/incidents/{one['id']}").raise_for_status().json()["detection"]
        if found is not None:
            yield found


def _opened(client: httpx.Client, again: Callable[[], None]) -> dict[str, Any]:
    """The incident that the outage is, once there is one with evidence; it happens again while nobody notices it."""
    begin = time.monotonic()
    resends = list(AGAIN_SECONDS)
    while (passed := time.monotonic() - begin) < WAIT_SECONDS_MAX:
        for incident in _watched(client, "open"):
            # One that is still open from the last time goes on with this.
            if incident["exemplars"]:
                return incident
        if resends and passed > resends[0]:
            resends.pop(0)
            again()
        time.sleep(POLL_SECONDS)
    raise Unavailable(
        f"The outage was played and no incident of {SERVICE} opened within {WAIT_SECONDS_MAX:.0f} seconds"
        f"{_muted(client)}.",
        remedy="`hindcast doctor` says what keeps it from being noticed.",
    )


def _muted(client: httpx.Client) -> str:
    services = client.get("/api/v1/services", params={"limit": 200}).raise_for_status().json()["items"]
    return next((f" ({one['muted']['why']})" for one in services if one["name"] == SERVICE and one["muted"]), "")


def _deck(client: httpx.Client, incident: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What there is to change, and what is warned of; nothing in a space without code."""
    answer = client.get(f"/api/v1/incidents/{incident}/cards")
    if answer.status_code == HTTPStatus.NOT_FOUND:
        return (), ()
    deck = answer.raise_for_status().json()
    changes = tuple(f"{one['title']} [{one['path']}:{one['lines']['first']}]" for one in deck["cards"])
    warnings = tuple(f"{one['text']} [{one['path']}:{one['lines']['first']}]" for one in deck["warned"])
    return changes, warnings
