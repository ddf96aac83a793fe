"""The commands that speak to a running Hindcast: ingest, incidents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serving import Serving, free_port, serving, wait_for

from hindcast import cli
from hindcast.cli.tree import command_tree


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast."""
    with serving(tmp_path_factory.mktemp("cli")) as running:
        yield running


def environment(hindcast: Serving, folder: Path) -> dict[str, str]:
    """What a command has to know to find it."""
    return {
        **os.environ,
        "HINDCAST_STORE": str(hindcast.folder / "store"),
        "HINDCAST_PORT": str(hindcast.port),
        "HINDCAST_ACTOR": "ana",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": os.devnull,
        "XDG_STATE_HOME": str(folder / "state"),
    }


def said(hindcast: Serving, folder: Path, *words: str, fed: str = "") -> Any:
    """What a command answers, as JSON."""
    command = [sys.executable, "-m", "hindcast", *words, "--json"]
    done = subprocess.run(
        command, env=environment(hindcast, folder), input=fed.encode(), capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def stored(hindcast: Serving, words: str) -> list[dict[str, Any]]:
    """The stored lines that hold these words."""
    found: list[dict[str, Any]] = hindcast.get(f"/api/v1/logs?words={words}&limit=1000")["items"]
    return found


def test_a_file_is_handed_over(hindcast: Serving, tmp_path: Path) -> None:
    """A file of JSON lines and plain text is taken, stack traces in one piece."""
    file = tmp_path / "app.log"
    file.write_text(
        '{"level":"error","message":"fileword one"}\n'
        "2026-11-15 02:03:04,123 ERROR fileword two failed\n"
        "Traceback (most recent call last):\n"
        '  File "app.py", line 7, in charge\n    raise ValueError("no")\nValueError: no\n'
    )

    assert said(hindcast, tmp_path, "ingest", str(file), "--service", "billing") == {"accepted": 2, "rejected": 0}
    assert {line["service"] for line in stored(hindcast, "fileword")} == {"billing"}


def test_a_pipe_is_handed_over(hindcast: Serving, tmp_path: Path) -> None:
    """What is piped in is taken, the last line too if it has no end."""
    assert said(hindcast, tmp_path, "ingest", "-", fed="pipeword one\npipeword two")["accepted"] == 2
    assert len(stored(hindcast, "pipeword")) == 2


def test_a_server_with_telemetry_does_without_pandas(hindcast: Serving, tmp_path: Path) -> None:
    """Lines are taken in, stored, counted and shown without pandas, which is installed and which nobody here needs."""
    said(hindcast, tmp_path, "ingest", "-", fed="".join(f"ERROR countword {number}\n" for number in range(50)))
    wait_for(lambda: len(stored(hindcast, "countword")) == 50, what="the lines")
    looks = hindcast.get("/api/v1/status")["counts"]["ticks"]
    wait_for(lambda: hindcast.get("/api/v1/status")["counts"]["ticks"] > looks + 1, what="a look at their counts")

    loaded = Path(f"/proc/{hindcast.process.pid}/maps").read_text()
    assert "pyarrow" in loaded
    assert "/pandas/" not in loaded


def test_a_growing_file_is_followed_through_rotation(hindcast: Serving, tmp_path: Path) -> None:
    """Lines written before, after and across a rotation and a restart arrive, each once."""
    file = tmp_path / "grow.log"
    file.write_text("growword 0\n")

    def follow() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "hindcast", "ingest", "--follow", str(file)]
        return subprocess.Popen(command, env=environment(hindcast, tmp_path), stdout=subprocess.DEVNULL)

    def wait(count: int) -> None:
        wait_for(lambda: len(stored(hindcast, "growword")) >= count, what=f"{count} lines")

    process = follow()
    try:
        wait(1)
        with file.open("a") as opened:
            opened.write("growword 1\n")
        file.rename(tmp_path / "grow.log.1")
        file.write_text("growword 2\n")
        wait(3)
        process.kill()
        process.wait()
        with file.open("a") as opened:
            opened.write("growword 3\n")
        process = follow()
        wait(4)
    finally:
        process.kill()
        process.wait()
    assert sorted(line["message"] for line in stored(hindcast, "growword")) == [f"growword {n}" for n in range(4)]


def test_nobody_listening_is_said(hindcast: Serving, tmp_path: Path) -> None:
    """Where nothing listens the command says so, says how to start one, and exits with the code for waiting."""
    command = [sys.executable, "-m", "hindcast", "ingest", "-", "--to", f"http://127.0.0.1:{free_port()}"]
    done = subprocess.run(command, env=environment(hindcast, tmp_path), input=b"x\n", capture_output=True, check=False)

    assert done.returncode == 6
    assert b"hindcast serve" in done.stderr


def test_an_incident_is_listed_shown_and_confirmed(hindcast: Serving, tmp_path: Path) -> None:
    """What the server noticed can be read without it, and decided through it."""
    usual = {"level": "error", "service": "refunds", "time": time.time()}
    failing = "".join(json.dumps({**usual, "message": f"refundword {n} failed"}) + "\n" for n in range(150))
    said(hindcast, tmp_path, "ingest", "-", fed=failing)

    def listed() -> list[dict[str, Any]]:
        found = said(hindcast, tmp_path, "incidents", "list")["incidents"]
        return [one for one in found if one["origin"] == "refunds"]

    (incident,) = wait_for(listed, what="the incident")
    shown = said(hindcast, tmp_path, "incidents", "show", incident["id"])
    assert shown["exemplars"][0]["message"].startswith("refundword")
    confirmed = said(hindcast, tmp_path, "incidents", "confirm", incident["id"])
    detection = confirmed["detection"]
    assert (detection["state"], detection["closed_by"]) == ("confirmed", "ana")


def test_a_join_counts_from_then_on(hindcast: Serving, tmp_path: Path) -> None:
    """Two failures that a person calls one are one for every line that comes after."""

    def failures(word: str) -> list[str]:
        told = ({"level": "error", "message": f"{word} {rest}"} for rest in ("is empty", "has nothing left"))
        body = "".join(json.dumps(line) + "\n" for line in told)
        said(hindcast, tmp_path, "ingest", "-", fed=body)
        return [line["fingerprint"] for line in stored(hindcast, word)]

    one, other = failures("poolword")
    assert one != other
    said(hindcast, tmp_path, "group", "join", one, other, "--why", "the same pool")
    seen = hindcast.get("/api/v1/status")["counts"]["ticks"]
    wait_for(lambda: hindcast.get("/api/v1/status")["counts"]["ticks"] > seen + 14, what="the rules to be read anew")

    failures("poolword")
    assert len({line["fingerprint"] for line in stored(hindcast, "poolword")[-2:]}) == 1


@pytest.mark.parametrize("words", [["serve", "--help"], ["serve", "--port", "many"], ["serve", "--nonsense"]])
def test_a_server_says_the_same_without_the_other_commands(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hindcast serve` is put together without the other commands, and help and complaints are the same."""
    told = [(cli.run(words), *capsys.readouterr())]
    monkeypatch.setattr(cli, "_command", lambda _: command_tree())
    told.append((cli.run(words), *capsys.readouterr()))

    assert told[0] == told[1]
    assert "serve" in told[0][1] + told[0][2]
