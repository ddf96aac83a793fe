"""Two failures at once in a running Hindcast: told on the incident, asked of memory, split by one request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.interface.test_running import PROTOBUF
from tests.resting import Resting, resting
from tests.serving import wait_for

from hindcast.adapters.clock import ManualClock
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Outcome, Resolution, Witness

SPACE = "shop"
POOL = "could not acquire connection {}: pool exhausted"
PROFILE = "profile of usr_{} could not be serialised by the encoder"
# Longer than how an outage begins may take.
SETTLED = 70


@contextmanager
def failing(folder: Path, *known: Case) -> Iterator[tuple[Resting, ManualClock, str]]:
    """A service that has failed in one way for more than a minute, and still does; and its incident."""
    clock = ManualClock(datetime.now(UTC) - timedelta(minutes=30))
    with resting(folder, clock=clock) as made:
        made.remember(SPACE, *known)
        clock.move(timedelta(minutes=1))
        send(made, clock, POOL, 120)
        incident = wait_for(lambda: listed(made), what="the incident")[0]
        for _ in range(SETTLED // 10):
            clock.move(timedelta(seconds=10))
            send(made, clock, POOL, 20)
            looked(made)
        yield made, clock, incident


def send(made: Resting, clock: ManualClock, words: str, count: int) -> None:
    """Errors of now."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "user"
    scope = resource.scope_logs.add()
    for number in range(count):
        at = clock.now() - timedelta(milliseconds=number)
        record = scope.log_records.add(time_unix_nano=int(at.timestamp() * 1e9), severity_number=17)
        record.body.string_value = words.format(1_000 + number)
    made.ask("POST", "/v1/logs", SPACE, content=request.SerializeToString(), headers=PROTOBUF)


def looked(made: Resting) -> None:
    """Wait until somebody has looked at the counts since now."""
    before = made.running.app.counts["ticks"]
    wait_for(lambda: made.running.app.counts["ticks"] > before + 1, what="two looks")


def listed(made: Resting) -> list[str]:
    """The ids of incidents under way."""
    return [one["id"] for one in made.get("/api/v1/incidents", SPACE, state="open")["items"] if one["id"][:4] == "inc-"]


def new_in(made: Resting, incident: str) -> list[dict[str, Any]]:
    """What is new in an incident."""
    found: list[dict[str, Any]] = made.get(f"/api/v1/incidents/{incident}", SPACE)["detection"]["new_failures"]
    return found


def test_a_second_failure_is_told_and_split_by_one_request(tmp_path: Path) -> None:
    """The incident says what is new, with a line of it; one request gives it an incident of its own."""
    with failing(tmp_path) as (made, clock, first):
        send(made, clock, PROFILE, 120)
        clock.move(timedelta(seconds=6))
        (new,) = wait_for(lambda: new_in(made, first), what="what is new")
        assert (new["service"], new["count"], new["incident"]) == ("user", 120, "")
        assert new["sample"].startswith("profile of usr_")
        made.ask("POST", f"/api/v1/incidents/{first}/split", SPACE, json={}, status=400)
        split = made.ask("POST", f"/api/v1/incidents/{first}/split", SPACE, json={"failure": new["id"]}).json()

        assert split["id"] != first
        assert split["title"].startswith("user: profile of")
        assert [one["id"] for one in split["detection"]["fingerprints"]] == [new["id"]]
        assert all(one["message"].startswith("profile") for one in split["detection"]["exemplars"])
        assert new_in(made, first)[0]["incident"] == split["id"]
        assert set(listed(made)) == {first, split["id"]}
        again = made.ask("POST", f"/api/v1/incidents/{first}/split", SPACE, json={"failure": new["id"]}, status=403)
        assert split["id"] in again.json()["remedy"]


@pytest.mark.parametrize("is_known", [True, False])
def test_memory_is_asked_about_a_second_failure(tmp_path: Path, is_known: bool) -> None:
    """What memory knows as another failure has an incident of its own without anybody's doing; the unknown is told."""
    at = datetime.now(UTC) - timedelta(days=20)
    fixed = Attempt("A1", "rolled the release back", Outcome.WORKED, at, evidence=(Evidence(Witness.PERSON, "it"),))
    past = Case(
        "past-bad-encoder",
        "Profiles fail after a release",
        at,
        state=CaseState.RESOLVED,
        services=("user",),
        symptoms=tuple(PROFILE.format(number) for number in (42, 4711)),
        cause=Cause("The release sent enums that the encoder does not know."),
        attempts=(fixed,),
        resolution=Resolution("rolled the release back", "A1"),
        resolved_at=at + timedelta(minutes=20),
    )
    with failing(tmp_path, *([past] if is_known else [])) as (made, clock, first):
        send(made, clock, PROFILE, 120)
        clock.move(timedelta(seconds=6))
        wait_for(lambda: new_in(made, first), what="what is new")
        wait_for(lambda: made.running.app.counts["new_failures_asked"], what="what memory says")
        if is_known:
            own = wait_for(lambda: new_in(made, first)[0]["incident"], what="an incident of its own")
            assert set(listed(made)) == {first, own}
        else:
            looked(made)
            assert listed(made) == [first]
