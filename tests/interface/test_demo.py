"""The demo, started twice in one folder: one outage told twice, and nothing forgotten."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.serving import free_port

# What the demo says last before it waits.
LAST = "  agents   "
# A review is for a person at a terminal; a stream of events ends when whoever watches has seen enough.
OTHER_CODES = {"review": 5, "curl": 28}
NOTICED = r"inc-\d{8}-\d{4}-payment(?:-\d+)?(?=, noticed)"


@dataclass(frozen=True)
class Played:
    """What both demos said, and what memory has afterwards of their incidents."""

    first: str
    second: str
    shown: str
    incident: str
    # The incident of the second start, and what memory has of it.
    again: str
    again_shown: str
    # Every command that the second start printed, with the code with which it ended when it was pasted.
    pasted: Mapping[str, int]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, source_environment: Mapping[str, str]) -> Played:
    """Two demos, one after the other."""
    folder, port = tmp_path_factory.mktemp("demo"), free_port()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    pasted: dict[str, int] = {}
    first = end_after(running_demo(folder, source_environment, port), LAST)
    incident = first.split(f"http://127.0.0.1:{port}/api/v1/incidents/")[1].split("/")[0]
    command = [sys.executable, "-m", "hindcast", "--store", ".demo", "--space", "demo", "incident"]

    def run(*words: str) -> str:
        done = subprocess.run(
            [*command, *words], env=source_environment, cwd=folder, capture_output=True, text=True, check=True
        )
        return done.stdout

    # As the demo says: end it, Ctrl-C, start again.
    run("resolve", incident, "--cause", "workers kept their connections", "--fix", "released them in the teardown")
    second = end_after(
        running_demo(folder, source_environment, port),
        LAST,
        lambda said: pasted.update({one: paste(one, elsewhere, source_environment) for one in commands_in(said)}),
    )
    again = re.findall(NOTICED, second)[0]
    return Played(first, second, run("show", incident), incident, again, run("show", again), pasted)


def running_demo(folder: Path, environment: Mapping[str, str], port: int, *words: str) -> subprocess.Popen[str]:
    """A demo that goes on until somebody ends it, or as the words say."""
    settings = {"HINDCAST_MODEL": "none", "HINDCAST_CONFIG": os.devnull, "COLUMNS": "160", "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "hindcast", "demo", "--port", str(port), *words],
        env={**environment, **settings},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def commands_in(said: str) -> list[str]:
    """The commands that were printed to be typed: those that name a store, and curl's."""
    found = re.findall(r"^ +[a-z]+(?: it)? +(\S+ -m hindcast --store .*|curl .*)$", said, re.MULTILINE)
    return [one.strip() for one in found]


def paste(command: str, folder: Path, environment: Mapping[str, str]) -> int:
    """The code with which a line ends that is pasted into a shell in some other folder; nobody sits at it."""
    env = {**environment, "HINDCAST_MODEL": "none", "HINDCAST_CONFIG": os.devnull}
    # What goes on until somebody ends it is watched for a moment.
    typed = command.replace("curl ", "curl --silent --max-time 2 ") if command.startswith("curl ") else command
    ran = subprocess.run(
        ["/bin/bash", "-c", typed], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    return ran.returncode


def end_after(process: subprocess.Popen[str], words: str, meanwhile: Callable[[str], None] = lambda _: None) -> str:
    """Read until it says these words, do something, press Ctrl-C as a terminal would; all that it said."""
    assert process.stdout is not None
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line)
            if words in line or "could not be told" in line:
                break
        assert words in said[-1], "".join(said)
        meanwhile("".join(said))
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 0, "".join((*said, rest))
    assert "Traceback" not in rest, rest
    return "".join((*said, rest))


def test_an_outage_is_told_twice(played: Played) -> None:
    """With an empty memory the outage is new; with a year of history the team's own answer stands beside it."""
    told = played.first
    first, second = told.index("Round 1: memory is empty"), told.index("Round 2: memory is on")
    assert first < second
    assert "Not seen before" in told
    for part in ("6 weeks ago", "task teardown", "Do NOT try", "from 50 to 200", "34", "cases/past-redis-worker-pool@"):
        assert part in told, part


def test_the_page_of_the_incident_is_told_first(played: Played) -> None:
    """Whoever starts the demo is told which page to open, before anything to type."""
    told = played.first.split("Look at it in a browser:")[1].split()[0]
    link = r"http://127\.0\.0\.1:\d+/local\?token=ht_\w+&next=%2Fincidents%2Finc-\S+-payment%3Fspace%3Ddemo"
    assert re.fullmatch(link, told)
    assert played.first.index(told) < played.first.index("Three things to try")


def test_the_fix_is_shown_as_changes_of_the_demos_code(played: Played) -> None:
    """The second round proposes the release and the cap, warns of the raised pool, and says how to decide."""
    told = " ".join(played.first.replace("│", " ").split())
    incident = told.split("/api/v1/incidents/")[1].split("/")[0]
    assert "What to change today" in told
    assert "[payment/worker/loop.py:23]" in told
    assert "`pool_size` from 200 to 20" in told
    assert "made it worse in cases/past-redis-worker-pool" in told
    for words in (f"fix list {incident}", f"review {incident}", "Fixed on … by …, held until"):
        assert words in told, words


def test_every_printed_command_can_be_pasted(played: Played) -> None:
    """What the demo offers to type runs as it stands in another folder, without the program on the path."""
    kinds = ("ask", "inject", "curl", "fix list", "review", "incident resolve", "incident list", "recall", "mcp")
    by_kind = {
        kind: code for kind in kinds for command, code in played.pasted.items() if re.search(rf"\b{kind}\b", command)
    }

    assert len(played.pasted) == len(kinds)
    assert by_kind == {kind: OTHER_CODES.get(kind, 0) for kind in kinds}


def test_the_next_start_remembers_everything(played: Played) -> None:
    """Ctrl-C ends the demo cleanly; the next one in the same folder knows what happened."""
    assert "ConnectionResetError" in played.shown
    assert "Everything is remembered" in played.second
    assert "Round 1" not in played.second


def test_the_outage_happens_again_after_it_was_resolved(played: Played) -> None:
    """What somebody resolved is over: the second start opens an incident of its own and tells what memory says."""
    assert "could not be told" not in played.second
    assert "Memory is on" in played.second
    assert played.again != played.incident
    # It did not have to happen several times before anybody heard of it.
    assert "payment: 120 errors" in played.again_shown


def test_history_is_seeded_once(played: Played) -> None:
    """A second seeding finds everything there and writes nothing."""
    assert int(played.first.split(" incidents and ")[0].split()[-1]) >= 150
    assert "each on the day it was known" in " ".join(played.first.split())
    assert "there already" in played.second
