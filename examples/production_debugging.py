"""An on-call assistant gave advice that took payments down. What did it know then, since when, and from whom?

Run it: `python examples/production_debugging.py`. With `--folder DIR` the memory stays there, to be explored with
`hindcast memory log --graph --store DIR --space production`. The tutorial in docs/tutorial tells the same story slowly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.memory import Memory, View
from hindcast.model.answer import Conflicts, Merged, Policy, Turn
from hindcast.model.errors import Unavailable
from hindcast.model.query import Filter, Query
from hindcast.model.record import Commit, Json
from production_story import (
    ADVICE_AT,
    COMPLAINT,
    DAY_1,
    DAY_2,
    DAY_3,
    DAY_4,
    POOL,
    QUESTION,
    REVIEW_AT,
    SPACE,
    live_through,
    revise,
)

FIX = "fix/pool-size"
ASKED = Query(QUESTION, Filter(kind="runbook"), hits_max=1)
# The largest pool that leaves the database its spare connections: (100 - 10) / 4 pods.
SAFE_POOL_SIZE = 22


def advice(view: View) -> Json:
    """What the assistant answers when it is asked at a moment: the pool size of the best runbook."""
    body = view.search(ASKED).hits[0].record.body
    return body["pool_size"] if isinstance(body, dict) else None


def connections(view: View) -> tuple[int, int]:
    """How many connections payments would open if the advice were followed, and how many it may."""
    limit = view.get("database/facts.database").body
    size, pods = advice(view), view.get("payments/facts.pods").body
    assert isinstance(limit, dict)
    assert isinstance(size, int)
    assert isinstance(pods, int)
    return size * pods, int(str(limit["max_connections"])) - int(str(limit["spare"]))


class Story:
    """Prints the investigation, one chapter at a time."""

    def __init__(self, memory: Memory, console: Console) -> None:
        self._memory = memory
        self._console = console
        self._chapter = 0

    def chapter(self, title: str) -> None:
        """Begin a chapter."""
        self._chapter += 1
        self._console.print()
        self._console.rule(f"[bold]{self._chapter}. {title}", align="left")

    def say(self, text: str) -> None:
        """One line of the story."""
        self._console.print(text, highlight=False)

    def table(self, *columns: str, rows: Sequence[Sequence[str | Text]]) -> None:
        """A small table."""
        table = Table(*columns, box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for row in rows:
            table.add_row(*row)
        self._console.print(table)

    def complaint(self) -> None:
        """Who complains about what."""
        self.say("Seven services, one on-call assistant, one memory. Day 1 is 2 March 2026.")
        self.chapter("The complaint")
        record = self._memory.get(COMPLAINT)
        body = record.body
        assert isinstance(body, dict)
        self.say(f"[italic]“{body['said']}”[/]")
        self.say(f"{record.actor}; it happened on {_when(record.occurred_at)}, learnt on {_when(record.learned_at)}.")
        self.say(f"The action item is taken up on {REVIEW_AT:%d %B}, months later. Asked today:")
        self.say(f"  {QUESTION}")
        self.say(f"  → [bold red]{advice(self._memory.now())}[/]")

    def then(self) -> None:
        """Jump to the moment of the advice and look around."""
        self.chapter("What was known at that moment")
        view = self._memory.at(ADVICE_AT)
        hit = view.search(ASKED).hits[0]
        used, allowed = connections(view)
        self.say(f"Memory as of {_when(ADVICE_AT)}: {view.count()} entries in {len(view.namespaces())} namespaces.")
        self.say(f"The evidence, found by {', '.join(sorted(hit.matched))}:")
        self.say(f"  [cyan]{hit.record.address}[/], version {hit.record.version}")
        fields = hit.record.body
        assert isinstance(fields, dict)
        self.table("field", "value", rows=[(name, str(fields[name])) for name in ("symptom", "pool_size", "source")])
        self.say(f"Following it, payments opens [red]{used}[/] connections. The database had {allowed} to give.")
        self.say("So the answer was faithful to memory, and memory was wrong.")
        assert advice(view) == 50
        assert used > allowed
        assert view.find(COMPLAINT) is None, "the past does not know what came after it"

    def timeline(self) -> None:
        """How many entries there were, and what was answered, at the end of each day."""
        self.chapter("The timeline")
        moments = [("day 1", DAY_2), ("day 2", DAY_3), ("day 3", DAY_4), ("review", REVIEW_AT + timedelta(seconds=1))]
        views = [(name, self._memory.at(end - timedelta(microseconds=1))) for name, end in moments]
        counts = [view.count() for _, view in views]
        answers = [advice(view) for _, view in views]
        rows = [
            (name, view.moment.name[:10], str(count), "█" * (count // 8), _judged(answer))
            for (name, view), count, answer in zip(views, counts, answers, strict=True)
        ]
        self.table("end of", "date", "entries", "", "advice", rows=rows)
        self.say(f"Entries: [bold]{' → '.join(map(str, counts))}[/]")
        self.say("Day 3 added nothing, and yet the answer changed: an entry was overwritten.")
        assert counts == [145, 147, 147, 167]
        assert answers == [20, 20, 50, 50]

    def culprit(self) -> Commit:
        """Find the commit at which the answer changed, and who made it."""
        self.chapter("Which commit changed the answer?")
        commits = len(self._memory.log(commits_max=1_000))
        turn = self._memory.bisect(advice, since=DAY_3, until="main")
        assert isinstance(turn, Turn)
        assert turn.commit.actor == "job:config-sync"
        self.say(f"Asked at {turn.looks} moments of {commits} commits: {turn.before} became {turn.after} in")
        self.say(f"  [yellow]{turn.commit.id[:12]}[/]  {_when(turn.commit.at)}  {turn.commit.actor}: {turn.commit.why}")
        for change in self._memory.changes(turn.commit).changed:
            self.say(f"  [cyan]{change.after.address}[/]")
            for name in change.fields:
                self.say(f"    [red]- {name}: {_field(change.before.body, name)}[/]")
                self.say(f"    [green]+ {name}: {_field(change.after.body, name)}[/]")
        self.say("Who said what, field by field, as it stands today:")
        rows = [
            (line.field, str(line.value), line.commit.actor, line.commit.why)
            for line in self._memory.blame(POOL)
            if line.field in ("pool_size", "source", "owner")
        ]
        self.table("field", "value", "by", "why", rows=rows)
        return turn.commit

    def fix(self, fault: Commit) -> None:
        """Branch from the last good moment, correct the record, and try the answer there."""
        self.chapter("A fix, tried in isolation")
        assert fault.parent is not None
        before = self._memory.at("main")
        self._memory.branch(FIX, actor="ana", why="Correct the pool size", start=fault.parent)
        self.say(f"Branch [magenta]{FIX}[/] begins at [yellow]{fault.parent[:12]}[/], the last good commit.")
        revise(
            self._memory,
            POOL,
            pool_size=SAFE_POOL_SIZE,
            because="4 pods share 90 connections",
            source="payments/incidents.pool_exhausted_outage",
            actor="ana",
            why="22 is the most that four pods may take",
            branch=FIX,
        )
        view = self._memory.now(FIX)
        used, allowed = connections(view)
        self.table(
            "where", "advice", "connections", rows=[
                (FIX, _judged(advice(view)), f"{used} of {allowed}"),
                ("main", _judged(advice(self._memory.now())), "untouched"),
            ],
        )  # fmt: skip
        assert used <= allowed
        assert advice(view) == SAFE_POOL_SIZE
        assert self._memory.at("main").moment.seq == before.moment.seq, "main has not moved"

    def merge(self) -> None:
        """Join the fix into main. Both sides changed one field, so somebody has to choose."""
        self.chapter("Merged to main")
        asked = self._memory.merge(FIX, actor="ana", why="Correct the pool size")
        assert isinstance(asked, Conflicts), "both sides changed pool_size"
        (conflict,) = asked.conflicts
        assert conflict.ours is not None
        assert conflict.theirs is not None
        self.say(f"A conflict in [cyan]{conflict.address}[/], which both sides changed:")
        ours, theirs = conflict.ours.body, conflict.theirs.body
        sides = [(name, str(_field(ours, name)), str(_field(theirs, name))) for name in conflict.fields]
        self.table("field", "main", FIX, rows=sides)
        self.say("Nothing was written. Ana chooses the fix; what is not disputed joins by itself:")
        choices = {str(POOL): Policy.THEIRS}
        done = self._memory.merge(FIX, actor="ana", why="Correct the pool size", choices=choices)
        assert isinstance(done, Merged)
        assert done.commit is not None
        body = self._memory.get(POOL).body
        self.say(f"  [yellow]{done.commit.id[:12]}[/]  merge of {FIX}, {done.taken} entry taken")
        rows = [(name, str(_field(body, name)), said) for name, said in (
            ("pool_size", "chosen"), ("because", "from the fix"), ("owner", "from main, renamed meanwhile")
        )]  # fmt: skip
        self.table("field", "value", "", rows=rows)
        assert _field(body, "owner") == "team-payments-core"

    def proof(self) -> None:
        """The answer is right now, the past is as it was, and nobody touched the record of it."""
        self.chapter("Afterwards")
        now, past = advice(self._memory.now()), advice(self._memory.at(ADVICE_AT))
        found = self._memory.verify()
        (said,) = (line for line in self._memory.blame(POOL) if line.field == "pool_size")
        self.say(f"Asked now: [green]{now}[/]. Blame says {said.commit.actor}: “{said.commit.why}”.")
        self.say(f"Asked as of {_when(ADVICE_AT)}: [red]{past}[/], which is what was believed then.")
        self.say(f"verify: {found.commits} commits, {found.versions} versions, {len(found.faults)} faults")
        assert now == SAFE_POOL_SIZE
        assert past == 50
        assert not found.faults


def _when(moment: datetime) -> str:
    return f"day {(moment - DAY_1).days + 1} {moment:%H:%M}"


def _field(body: Json, name: str) -> Json:
    return body.get(name) if isinstance(body, dict) else None


def _judged(answer: Json) -> Text:
    return Text(str(answer), style="red" if answer == 50 else "green")


def investigate(folder: Path, console: Console) -> None:
    """Live through the months, then find the fault and mend it."""
    clock = ManualClock(DAY_1)
    memory = open_memory(Settings(store=str(folder), space=SPACE, model="none"), clock=clock)
    try:
        live_through(memory, clock)
        story = Story(memory, console)
        story.complaint()
        story.then()
        story.timeline()
        fault = story.culprit()
        clock.move(timedelta(hours=1))
        story.fix(fault)
        clock.move(timedelta(hours=1))
        story.merge()
        story.proof()
    finally:
        memory.close()


def main(argv: Sequence[str] | None = None) -> int:
    """Tell the story."""
    parser = argparse.ArgumentParser(description="Find out why an assistant's memory gave bad advice, and mend it.")
    parser.add_argument("--folder", type=Path, help="keep the memory in this folder, to explore it afterwards")
    chosen: Path | None = parser.parse_args(argv).folder
    console = Console(highlight=False)
    if chosen is not None:
        if (chosen / f"{SPACE}.db").exists():
            parser.error(f"{chosen} holds this story already; name another folder")
        try:
            investigate(chosen, console)
        except Unavailable as error:
            parser.error(str(error))
        console.print(f"\nKept. Look around: hindcast memory log --graph --store {chosen} --space {SPACE}")
        return 0
    with TemporaryDirectory() as folder:
        investigate(Path(folder), console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
