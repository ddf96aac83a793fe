"""The doctor: what it finds, how bad it says that is, and what it tells people to do."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import orjson
import pytest

from hindcast import cli
from hindcast.build import index_folder, open_memory
from hindcast.build.accounts import open_accounts
from hindcast.build.doctor import Check, Level, examine, machine, posture, stores
from hindcast.config import Settings
from hindcast.config.reading import read
from hindcast.model.access import HOME, Power

NOW = datetime(2026, 11, 16, 2, 3, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store of one's own, without a model."""
    return Settings(store=str(tmp_path / "store"), space="ours", actor="ana", model="none", port=1)


@pytest.fixture
def remembered(settings: Settings) -> Settings:
    """The same with something in it, and an index."""
    memory = open_memory(settings)
    memory.put("facts/a", {"b": 1}, actor="ana", why="because")
    memory.index()
    memory.close()
    return settings


def levels(checks: Iterable[Check]) -> list[tuple[str, str]]:
    """What was looked at, and how bad it is."""
    return [(check.name, check.level.value) for check in checks]


def test_a_store_without_anything_is_well(settings: Settings) -> None:
    """Nothing was remembered yet, and that is no fault; nothing is made by looking."""
    found = stores.memory(settings, now=NOW)

    assert (levels(found.checks), found.tip) == ([("store", "ok")], None)
    assert next(iter(stores.telemetry(settings, now=NOW))).level is Level.OK
    assert not Path(settings.store).exists()


def test_a_store_in_use_answers_with_its_steps(remembered: Settings) -> None:
    """The store, its integrity and its index are looked at, and the tip is known for the other checks."""
    found = stores.memory(remembered, now=NOW)

    assert levels(found.checks) == [("store", "ok"), ("integrity", "ok")]
    assert found.tip is not None
    assert stores.index(remembered, found.tip).level is Level.OK


def test_a_damaged_store_is_a_failure(remembered: Settings) -> None:
    """A file whose pages are not what they should be is told of, with what to do about it."""
    file = Path(remembered.store) / "ours.db"
    content = bytearray(file.read_bytes())
    content[4096 : 4096 + 8192] = os.urandom(8192)
    file.write_bytes(content)
    found = stores.memory(remembered, now=NOW)

    assert any(check.level is Level.FAIL and check.remedy for check in found.checks)


def test_accounts_are_looked_at(settings: Settings) -> None:
    """Accounts that are damaged, or that others can read, are a failure with a remedy; looking makes none."""
    file = Path(settings.store) / ".accounts.db"
    assert stores.accounts(settings).level is Level.OK
    assert not file.exists()
    accounts = open_accounts(settings)
    for number in range(40):
        accounts.keys.create(f"key {number}", Power.READ, organisation=HOME, by=accounts.operator)
    accounts.close()
    assert stores.accounts(settings).level is Level.OK

    file.chmod(0o640)
    readable = stores.accounts(settings)
    file.chmod(0o600)
    content = bytearray(file.read_bytes())
    content[4096 : 4096 + 16_384] = os.urandom(16_384)
    file.write_bytes(content)
    damaged = stores.accounts(settings)

    assert (readable.level, damaged.level) == (Level.FAIL, Level.FAIL)
    assert "chmod 600" in readable.remedy
    assert damaged.remedy


def test_an_index_of_another_history_or_far_behind_is_worth_a_look(
    remembered: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index catches up by itself, so that it is never broken; what takes long or is not there is said."""
    tip = stores.memory(remembered, now=NOW).tip
    followed = index_folder(remembered) / "followed"
    layout, seq, commit = orjson.loads(followed.read_bytes())
    followed.write_bytes(orjson.dumps([layout, seq + 5, commit]))
    assert "another history" in stores.index(remembered, tip).found

    followed.write_bytes(orjson.dumps([layout, seq - 1, commit]))
    monkeypatch.setattr(stores, "BEHIND_STEPS_MAX", 0)
    assert stores.index(remembered, tip).level is Level.WARN
    followed.unlink()
    assert stores.index(remembered, tip).level is Level.WARN


def test_a_model_that_is_not_what_it_says_is_a_failure(settings: Settings, tmp_path: Path) -> None:
    """A folder without a pack, named as one, is told of; no model at all can be what somebody wants."""
    assert stores.model(settings).level is Level.OK
    named = Settings(store=settings.store, model=str(tmp_path / "no-pack"))
    assert stores.model(named).level is Level.FAIL


def test_a_clock_that_disagrees_is_told_of() -> None:
    """A commit from the future and a server with another time are found; an even clock is well."""
    even = list(machine.clock(NOW, NOW, NOW))
    ahead = list(machine.clock(NOW + timedelta(hours=1), NOW, None))
    skewed = list(machine.clock(None, NOW, NOW + timedelta(seconds=30)))

    assert levels(even) == [("clock", "ok")]
    assert ahead[0].level is Level.FAIL
    assert skewed[0].level is Level.WARN


def test_a_disk_that_is_nearly_full_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each disk is told of once, even where the folder is still to be made."""
    folders = [tmp_path / "not" / "yet", tmp_path]
    assert levels(machine.disks(folders)) == [("disk", "ok")]
    monkeypatch.setattr(machine, "DISK_BYTES_WARN", 10**18)
    assert levels(machine.disks(folders)) == [("disk", "warn")]
    monkeypatch.setattr(machine, "DISK_BYTES_FAIL", 10**18)
    assert levels(machine.disks(folders)) == [("disk", "fail")]


def test_what_others_can_read_is_told_of(tmp_path: Path) -> None:
    """A store that everybody can write to is a failure, one that they can read a warning; so is the settings file."""
    store, config = tmp_path / "store", tmp_path / "hindcast.toml"
    store.mkdir(mode=0o700)
    config.write_text("port = 4318\n", encoding="utf-8")
    config.chmod(0o600)
    assert levels(machine.permissions(store, config)) == [("permissions", "ok")]
    store.chmod(0o755)
    config.chmod(0o644)
    assert levels(machine.permissions(store, config)) == [("permissions", "warn"), ("permissions", "warn")]
    store.chmod(0o777)
    assert levels(machine.permissions(store, None)) == [("permissions", "fail")]


@pytest.mark.parametrize(
    ("said", "level"),
    [
        ({"host": "127.0.0.1"}, "ok"),
        ({"host": "127.0.0.1", "auth": "required"}, "ok"),
        ({"host": "192.0.2.7", "auth": "open"}, "fail"),
        ({"host": "192.0.2.7"}, "warn"),
        ({"host": "192.0.2.7", "public_url": "http://hindcast.example"}, "warn"),
        ({"host": "192.0.2.7", "public_url": "https://hindcast.example"}, "ok"),
    ],
)
def test_who_may_come_in_is_judged(said: dict[str, str], level: str) -> None:
    """Open to a network is a failure; keys that travel in the clear are worth a look."""
    first = next(iter(posture.access(Settings(**said))))  # type: ignore[arg-type]
    assert (first.name, first.level.value) == ("access", level)


class Foreign(BaseHTTPRequestHandler):
    """Another program that speaks HTTP."""

    def do_GET(self) -> None:
        """Answer with something that no Hindcast says."""
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"hi")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def foreign() -> Iterator[int]:
    """The port of another program."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Foreign) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_another_program_on_the_port_is_a_failure(foreign: int) -> None:
    """Whoever has the port and is no Hindcast is told of, and never taken for one."""
    settings = Settings(port=foreign)
    assert levels(posture.server(settings, posture.answering(settings))) == [("port", "fail")]


def test_the_command_tells_everything_and_its_exit_code_says_whether_it_is_well(
    remembered: Settings, foreign: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One JSON document with every check; 1 when one failed, 0 when none did."""
    for name, value in {"STORE": remembered.store, "SPACE": "ours", "MODEL": "none", "CONFIG": os.devnull}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)
    monkeypatch.setenv("HINDCAST_PORT", str(foreign))
    assert cli.run(["doctor", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)

    assert said["ok"] is False
    assert {"port": "fail", "store": "ok", "index": "ok"}.items() <= {
        one["name"]: one["level"] for one in said["checks"]
    }.items()
    monkeypatch.setenv("HINDCAST_PORT", "1")
    monkeypatch.setattr(posture, "_bindable", lambda *_: Check("port", Level.OK, "It is free."))
    assert cli.run(["doctor"]) == 0
    assert "Nothing is broken." in capsys.readouterr().out


def test_every_check_that_is_not_well_says_what_to_do(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong comes with a remedy."""
    monkeypatch.setenv("HINDCAST_PROT", "typo")
    monkeypatch.setattr(posture, "ANSWER_SECONDS_MAX", 0.2)
    monkeypatch.setattr(machine, "DISK_BYTES_WARN", 10**18)
    found = read(Settings, {"store": settings.store, "model": "none", "port": "1", "host": "192.0.2.7"})
    checks = list(examine(found, now=NOW))

    unwell = [check for check in checks if check.level is not Level.OK]
    assert {"configuration", "disk", "access", "port"} <= {check.name for check in unwell}
    assert all(check.remedy for check in unwell)
