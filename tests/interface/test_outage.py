"""The outage of the demo's story, in an instance in which something else is wrong already."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.interface.test_running import PROTOBUF, errors
from tests.questions import seeded
from tests.serving import serving, wait_for

from hindcast.cli import outage

# With one more they are a cascade.
OTHERS = ("auth", "cart", "order", "user")


def test_the_story_is_told_though_the_outage_is_part_of_another(tmp_path: Path) -> None:
    """Where detection takes it for part of what was wrong before, memory is asked about the failure itself."""
    with seeded(tmp_path / "store", now=datetime.now(UTC)):
        pass
    with serving(tmp_path) as running, running.client() as client:
        for service in OTHERS:
            client.post("/v1/logs", content=errors(service), headers=PROTOBUF).raise_for_status()
            wait_for(
                lambda service=service: running.get(f"/api/v1/incidents?state=open&service={service}")["items"],  # type: ignore[misc]
                what=f"an incident of {service}",
            )
        played = outage.play(running.url, "local", now=lambda: datetime.now(UTC), seed=2, key=running.token)

    assert {one["service"] for one in played.incident["affected"]} == {*OTHERS, outage.SERVICE}
    assert played.within == played.incident["id"]
    assert played.diagnosis.case == outage.STORY
    assert played.changes == ()
