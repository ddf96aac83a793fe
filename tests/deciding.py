"""A small service in a repository, an incident of it, and cards about it: for tests of what people decide."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.workspace_git import open_workspace
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.fixes.keeping import card_there, changes_of
from hindcast.fixes.verdicts import Verdicts
from hindcast.memory import Memory, View
from hindcast.model.card import Card, CardSource, CardState, Proposal
from hindcast.model.case import Case, Clues
from hindcast.model.code import Edit
from hindcast.model.errors import Missing
from hindcast.model.workspace import Registered, WorkspaceKind
from hindcast.ports import Workspace
from hindcast.propose.dealt import dealt
from hindcast.propose.lint import changed

NOW = datetime(2026, 7, 3, 2, 0, tzinfo=UTC)
SPACE = "team"
INCIDENT = "inc-20260703-0150-payment"
FINGERPRINT = 0x91AB_4C07
WORKER = "payment/worker.py"
CODE = '''"""Takes payments."""

import requests


def charge(order):
    """Ask the bank."""
    answer = requests.post("https://bank.test/charge", json=order)
    return answer.json()


def refund(order):
    """Give it back."""
    return requests.post("https://bank.test/refund", json=order).json()


def receipts(day):
    """What was paid on a day."""
    return [line for line in open(f"/data/{day}.txt")]
'''
SLOW = 'requests.post("https://bank.test/charge", json=order)'
QUICK = 'requests.post("https://bank.test/charge", json=order, timeout=5)'
FIXED = CODE.replace(SLOW, QUICK)
TITLE = "Give the call to the bank a timeout."


def git(folder: Path, *words: str) -> str:
    """Ask git itself, as somebody at a keyboard would."""
    named = ["-c", "user.name=ana", "-c", "user.email=ana@example.test"]
    command = [shutil.which("git") or "git", *named, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def repository(folder: Path, files: dict[str, str]) -> Path:
    """A repository with these files, committed."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


@dataclass
class OnePlace:
    """The one workspace there is, opened from its folder."""

    root: Path
    name: str = "shop"
    _open: list[Workspace] = field(default_factory=list)

    def chosen(self, space: str, name: str = "") -> Registered:  # noqa: ARG002
        """The workspace that is there."""
        if name not in ("", self.name):
            raise Missing(f"There is no workspace {name!r}.", field="workspace", remedy="Use another.")
        return Registered(self.name, WorkspaceKind.PATH, str(self.root), "ana", NOW)

    def open(self, space: str, name: str) -> Workspace:
        """The workspace, opened once."""
        self.chosen(space, name)
        if not self._open:
            self._open.append(open_workspace(self.root))
        return self._open[0]

    def close(self) -> None:
        """Let go of it."""
        for one in self._open:
            one.close()
        self._open.clear()


@dataclass
class Shop:
    """The service, its memory, and whoever decides."""

    root: Path
    memory: Memory
    clock: ManualClock
    places: OnePlace
    verdicts: Verdicts

    @property
    def view(self) -> View:
        """The present."""
        return self.memory.now()

    @property
    def case(self) -> Case:
        """The incident as it is remembered."""
        return Casebook(self.memory).case(INCIDENT)

    @property
    def now(self) -> datetime:
        """What the clock says, a minute later each time."""
        return self.clock.move(timedelta(minutes=1))

    def read(self, path: str = WORKER) -> str:
        """A file as it lies there."""
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, text: str, path: str = WORKER) -> None:
        """Change a file by hand."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8", newline="")

    def card(
        self,
        text: str | None = FIXED,
        *,
        path: str = WORKER,
        title: str = TITLE,
        source: CardSource = CardSource.CARRIED_OVER,
        incident: str = INCIDENT,
        evidence: Sequence[str] = ("cases/past@4",),
    ) -> Card:
        """A card that changes a file into a text, proposed now."""
        try:
            file = self.places.open(SPACE, self.places.name).read(path)
        except Missing:
            file = None
        before, digest = (file.text, file.digest) if file is not None else ("", "")
        proposal = Proposal(
            source, title, Edit(path, digest, text), changed(before, text or ""), "It hung.", tuple(evidence), 0.9,
            action=title.rstrip("."),
        )  # fmt: skip
        made = dealt(proposal, before, incident=incident, workspace=self.places.name, at=self.now)
        self.memory.commit(changes_of(made), actor="hindcast", why="Proposed.")
        return made

    def state(self, card: Card) -> CardState:
        """What became of a card."""
        return card_there(self.view, card.id).state

    def again(self) -> Verdicts:
        """Somebody who decides in another process, as far as memory can tell."""
        return Verdicts(lambda _: self.memory, self.places)

    def close(self) -> None:
        """Let go of everything."""
        self.places.close()
        self.memory.close()


def shop(folder: Path, *, files: dict[str, str] | None = None) -> Shop:
    """The service with one open incident."""
    root = folder / "shop"
    root.mkdir(parents=True)
    repository(root, files or {WORKER: CODE})
    clock = ManualClock(NOW)
    memory = open_memory(Settings(store=str(folder / "memory"), space=SPACE, model="none"), clock=clock)
    case = Case(
        INCIDENT, "Payments hang", NOW, services=("payment",), symptoms=("TimeoutError: bank",),
        clues=Clues((FINGERPRINT,), ("TimeoutError",)),
    )  # fmt: skip
    Casebook(memory).put(case, actor="hindcast", why="It hung.")
    places = OnePlace(root)
    return Shop(root, memory, clock, places, Verdicts(lambda _: memory, places))
