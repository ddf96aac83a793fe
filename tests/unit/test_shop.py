"""The demo's own project: what its repository tells, and what memory has to say to its code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pygit2
import pytest
from tests.carrying import Shelf

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.linter_ruff import RuffLinter
from hindcast.build import open_memory
from hindcast.build.shop import write_shop
from hindcast.config import Settings
from hindcast.ingest.trace import parse
from hindcast.model.card import CardSource, Proposal, Warned
from hindcast.model.case import Case
from hindcast.model.errors import Malformed, Refused
from hindcast.propose.carry import carry_over
from hindcast.propose.lint import lint
from hindcast.propose.places import locate
from hindcast.propose.settings import harmful_settings, settings_again
from hindcast.propose.sheet import Sheet
from hindcast.recollect import Recollect
from hindcast.seeding import seed
from hindcast.simulate.history import cases
from hindcast.simulate.shop import commits, files, printed_today

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
STORY = "past-redis-worker-pool"
LOOP = "payment/worker/loop.py"
PRODUCTION = "config/production.toml"
RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)"


@pytest.fixture(scope="module")
def story() -> Case:
    """The Redis outage of six weeks ago."""
    return next(case for case in cases(now=NOW) if case.id == STORY)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory, story: Case) -> Sheet:
    """The same outage today, what a year of history says to it, and the project's files."""
    settings = Settings(store=str(tmp_path_factory.mktemp("shop")), space="team", model="none")
    memory = open_memory(settings, clock=ManualClock(NOW))
    try:
        seed(memory, now=NOW)
        stack = printed_today(story.stack)
        answer = Recollect(memory, now=lambda: NOW).ask(stack)
    finally:
        memory.close()
    code = Shelf(dict(files()))
    trace = parse(stack)
    assert trace is not None
    return Sheet("inc-1", NOW, trace, locate(trace, code), answer.recollection, answer.diagnosis, code)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> pygit2.Repository:
    """The project as it is written to disk."""
    folder = tmp_path_factory.mktemp("written") / "shop"
    write_shop(folder, now=NOW)
    return pygit2.Repository(str(folder))


def after(one: Proposal) -> str:
    """The file as a proposal would have it."""
    assert one.edit.text is not None
    return one.edit.text


def test_the_trace_goes_through_the_project(sheet: Sheet) -> None:
    """Every frame of the worker is found in today's files, on the line that it quotes."""
    found = {place.function: place for place in sheet.places}

    assert {name: place.path.rpartition("/")[2] for name, place in found.items()} == {
        "run_task": "loop.py",
        "run": "settle.py",
        "hold": "locks.py",
    }
    assert "result = task.run(context)" in files()[LOOP].split("\n")[found["run_task"].line - 1]
    assert all(place.confidence > 0.9 for place in found.values())


def test_the_missing_release_is_carried_over(sheet: Sheet) -> None:
    """The release of six weeks ago is proposed where the teardown is today, in today's names."""
    (one,) = [one for one in carry_over(sheet) if isinstance(one, Proposal)]

    assert one.edit.path == LOOP
    assert f"        ctx.session.close()\n        {RELEASE}\n" in after(one)
    assert any(STORY in where for where in one.evidence)
    assert one.confidence > 0.7


def test_the_cap_that_worked_is_proposed(sheet: Sheet) -> None:
    """The pool is to have the size that ended it, in production's file only."""
    (one,) = [one for one in settings_again(sheet) if isinstance(one, Proposal)]

    assert CardSource.SETTING is one.source
    assert one.edit.path == PRODUCTION
    assert after(one) == files()[PRODUCTION].replace("pool_size = 200", "pool_size = 20")
    assert "config/staging.toml (20)" in one.why


def test_the_larger_pool_is_warned_of(sheet: Sheet) -> None:
    """Today's pool size is what made it worse then, and whoever looks is told so."""
    (one,) = [one for one in harmful_settings(sheet) if isinstance(one, Warned)]

    assert one.path == PRODUCTION
    assert "pool_size = 200" in files()[PRODUCTION].split("\n")[one.lines.first - 1]
    assert "from 50 to 200" in one.text
    assert STORY in one.text


def test_no_rule_finds_fault_with_the_code_of_the_trace(sheet: Sheet) -> None:
    """What is wrong is in memory, not in what a linter could see: it stays silent."""
    assert list(lint(RuffLinter())(sheet)) == []


def test_the_release_gives_every_connection_back(sheet: Sheet, tmp_path: Path) -> None:
    """With the fix a task leaves no connection behind, and the project's own tests still pass; without it, one."""
    (one,) = [one for one in carry_over(sheet) if isinstance(one, Proposal)]
    for path, text in files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    before = left_behind(tmp_path)
    (tmp_path / LOOP).write_text(after(one), encoding="utf-8")

    assert (before, left_behind(tmp_path)) == (1, 0)
    subprocess.run([sys.executable, "-m", "unittest", "discover", "-t", ".", "-s", "tests"], cwd=tmp_path, check=True)


def left_behind(folder: Path) -> int:
    """How many connections are taken after one task."""
    program = """
from tests.test_loop import *
pool = Pool()
Loop(Queue(), None, Metrics()).run_task(SettleCharge("ch-1"), Context(Session(ROW), Redis(pool), Acquirer()))
print(len(pool.taken))
"""
    command = [sys.executable, "-B", "-c", program]
    return int(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)


def test_the_repository_has_a_past(repository: pygit2.Repository) -> None:
    """People of the history wrote it, oldest first and all before now, and the last state is today's files."""
    log = list(repository.walk(repository.head.target))[::-1]
    times = [commit.commit_time for commit in log]

    assert len(log) == len(commits(now=NOW))
    assert times == sorted(times)
    assert times[-1] < NOW.timestamp()
    assert {commit.author.name for commit in log} >= {"priya", "jonas", "hana"}
    folder = Path(repository.workdir)
    assert {entry.path: (folder / entry.path).read_text(encoding="utf-8") for entry in repository.index} == files()
    assert not repository.status()


def test_whoever_raised_the_pool_is_to_blame(repository: pygit2.Repository) -> None:
    """The line with the pool size is of the commit that raised it, nine days ago."""
    line = files()[PRODUCTION].split("\n").index("pool_size = 200") + 1
    raised = repository[repository.blame(PRODUCTION).for_line(line).final_commit_id].peel(pygit2.Commit)

    assert raised.author.name == "jonas"
    assert "redis connections" in raised.message


def patches(repository: pygit2.Repository) -> Iterator[tuple[pygit2.Commit, pygit2.Patch]]:
    """Every commit but the first, with what it did to each file, renames told as such."""
    for newer, older in pairwise(repository.walk(repository.head.target)):
        diff = repository.diff(older, newer)
        diff.find_similar()
        yield from ((newer, patch) for patch in diff if patch is not None)


def test_a_file_was_renamed(repository: pygit2.Repository) -> None:
    """Git itself sees a rename in the history."""
    deltas = [patch.delta for _, patch in patches(repository)]
    renamed = [(one.old_file.path, one.new_file.path) for one in deltas if one.status_char() == "R"]

    assert renamed == [("payment/store.py", "payment/database.py")]


def test_the_remembered_fix_is_the_commit_of_that_night(story: Case, repository: pygit2.Repository) -> None:
    """The diff in memory is what the repository has from that night, committed before the incident ended."""
    assert story.resolution is not None
    assert story.resolution.at is not None
    ((commit, patch),) = [
        (commit, patch)
        for commit, patch in patches(repository)
        if "Release the redis connection" in commit.message and patch.delta.new_file.path == LOOP
    ]
    text = patch.text or ""

    assert text[text.index("--- ") :].strip("\n") == story.resolution.diff
    assert commit.author.name == story.resolution.by
    assert story.occurred_at.timestamp() < commit.commit_time < story.resolution.at.timestamp()


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    """What somebody has there already is not written over."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "notes.txt").write_text("mine", encoding="utf-8")

    with pytest.raises(Refused) as refused:
        write_shop(tmp_path / "shop", now=NOW)

    assert refused.value.field == "folder"
    assert [path.name for path in tmp_path.rglob("*")] == ["shop", "notes.txt"]


def test_what_was_left_half_written_is_written_anew(tmp_path: Path) -> None:
    """Somebody who was stopped while writing leaves nothing that is taken for the project."""
    write_shop(tmp_path / "whole", now=NOW)
    (tmp_path / "whole").rename(tmp_path / ".shop.part")
    (tmp_path / ".shop.part" / LOOP).unlink()

    write_shop(tmp_path / "shop", now=NOW)

    assert [path.name for path in tmp_path.iterdir()] == ["shop"]
    assert (tmp_path / "shop" / LOOP).read_text(encoding="utf-8") == files()[LOOP]


def test_the_projects_past_needs_a_timezone() -> None:
    """A time without a timezone is refused, and the error names the argument."""
    with pytest.raises(Malformed) as refused:
        commits(now=NOW.replace(tzinfo=None))

    assert refused.value.field == "now"
