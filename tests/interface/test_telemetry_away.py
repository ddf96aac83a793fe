"""A server whose telemetry cannot be opened, or written to: memory answers, and what does not says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.resting import resting
from tests.serving import Serving, serving, wait_for

from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.model.errors import Unavailable
from hindcast.seeding import seed

ERROR = "ConnectionResetError: [Errno 104] Connection reset by peer"
MOUNT, UMOUNT = (shutil.which(name) or name for name in ("mount", "umount"))
DISK = ("-t", "tmpfs", "-o", "size=48m", "tmpfs")
# Where telemetry is to go, and what makes room for it.
Place = tuple[Path, Callable[[], None]]


@contextmanager
def no_folder() -> Iterator[Place]:
    """A file stands where the folder should be made."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "taken"
        file.write_text("by somebody else")
        yield file / "telemetry", file.unlink


@contextmanager
def full_disk() -> Iterator[Place]:
    """A disk without a free byte."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        subprocess.run([MOUNT, *DISK, folder], check=True)
        ending.callback(subprocess.run, [UMOUNT, "--lazy", folder], check=False)
        filler = Path(folder) / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as opened:
            while True:
                opened.write(bytes(65_536))
        yield Path(folder) / "telemetry", filler.unlink


def _may_mount() -> bool:
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        is_there = subprocess.run([MOUNT, *DISK, folder], capture_output=True, check=False).returncode == 0
        if is_there:
            subprocess.run([UMOUNT, folder], check=False)
    return is_there


# Only root can have a disk of its own to fill.
PLACES = [no_folder, *([full_disk] if _may_mount() else [])]


def readiness(hindcast: Serving) -> Any:
    """What readiness says, whatever its status."""
    with hindcast.client() as client:
        return client.get("/readyz").json()


def checks(found: Any) -> dict[str, bool]:
    """Which checks hold."""
    return {one["name"]: one["ok"] for one in found["checks"]}


@pytest.mark.parametrize("place", PLACES)
def test_it_starts_without_telemetry_and_answers_from_memory(tmp_path: Path, place: Callable[[], Any]) -> None:
    """Memory and recall answer, telemetry says why it does not, readiness is degraded; with room it is there again."""
    memory = open_memory(Settings(store=str(tmp_path / "store"), space="local", model="none"))
    seed(memory, now=datetime.now(UTC))
    memory.close()
    with place() as (folder, make_room), serving(tmp_path, telemetry=f"chdb://{folder}") as hindcast:
        with hindcast.client() as client:
            answer = client.post("/api/v1/recall", json={"text": ERROR}).raise_for_status().json()
            assert answer["diagnosis"]["familiarity"] == "seen before"
            assert client.get("/api/v1/incidents").raise_for_status().json()["items"]
            logs, sent = client.get("/api/v1/logs"), client.post("/api/v1/lines", content="ERROR lost\n")
            healthy = client.get("/healthz")
        for refused in (logs, sent):
            assert refused.status_code == 503
            assert "Telemetry is away: telemetry: The" in refused.text
            assert int(refused.headers["Retry-After"]) > 0
        degraded = readiness(hindcast)
        assert (degraded["status"], checks(degraded)) == ("degraded", {"memory": True, "telemetry": False})
        assert "Nothing is taken in or watched; memory and recall answer." in degraded["checks"][1]["why"]
        assert str(folder) not in str(degraded)
        assert healthy.json()["status"] == "ok"

        make_room()
        wait_for(lambda: readiness(hindcast)["status"] == "ready", what="telemetry")
        with hindcast.client() as client:
            client.post("/api/v1/lines", content="ERROR kept\n").raise_for_status()
            kept = client.get("/api/v1/logs").raise_for_status().json()["items"]
        assert [line["message"] for line in kept] == ["ERROR kept"]
        incidents = "ERROR refused by the bank\n" * 200
        with hindcast.client() as client:
            client.post("/api/v1/lines", params={"service": "ledger"}, content=incidents).raise_for_status()
        wait_for(
            lambda: hindcast.get("/api/v1/incidents?service=ledger")["items"][:1], what="an incident: it watches again"
        )


def test_a_folder_that_another_server_has_still_ends_the_start(tmp_path: Path) -> None:
    """While the other one lives no waiting helps, so the second one says who has it and ends."""
    (tmp_path / "other").mkdir()
    where = f"chdb://{tmp_path / 'telemetry'}"
    with (
        serving(tmp_path, telemetry=where),
        pytest.raises(AssertionError, match="in use by another process"),
        serving(tmp_path / "other", telemetry=where),
    ):
        pass


def test_readiness_is_degraded_while_writes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while it runs: readiness tells of the refused write, until one is taken again."""

    def write(_: object) -> None:
        raise Unavailable("The disk of the telemetry store is full (/var/lib: 28).", remedy="Free some space.")

    def ready() -> Any:
        return here.client.get("/readyz").raise_for_status().json()

    monkeypatch.setattr("hindcast.rest.health.FRESH_SECONDS", 0)
    with resting(tmp_path) as here:
        wait_for(lambda: here.client.get("/readyz").json()["status"] == "ready", what="the first look")
        with monkeypatch.context() as patched:
            patched.setattr(here.running.telemetry, "write", write, raising=False)
            refused = here.client.post("/api/v1/lines", content="ERROR lost\n")
            found = ready()
        taken = here.client.post("/api/v1/lines", content="ERROR kept\n")

        assert refused.status_code == httpx.codes.SERVICE_UNAVAILABLE
        assert (found["status"], checks(found)["intake"]) == ("degraded", False)
        why = next(one["why"] for one in found["checks"] if one["name"] == "intake")
        assert why == "The last write was refused. The disk of the telemetry store is full."
        assert taken.is_success
        assert ready()["status"] == "ready"
