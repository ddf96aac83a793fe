"""What the ranker learns from: questions asked of a memory, every candidate with its numbers, and which were right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench._world import open_bench
from hindcast.adapters.embedder_onnx import OnnxEmbedder
from hindcast.adapters.model_pack import default_pack, prepare
from hindcast.asking import cue_of, cue_of_case
from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.model.case import Case, from_json
from hindcast.model.recollection import Cue, CueKind
from hindcast.recall.arms import Asked, ask
from hindcast.recall.features import features_of
from hindcast.recall.fuse import standing
from hindcast.recall.limits import ARMS, LIMITS
from hindcast.simulate import history

NOW = datetime(2026, 11, 16, tzinfo=UTC)
SET = Path(__file__).parent / "recall_set"
# Which cases are read depends on weights that are still to be learnt.
EVERY_ONE = replace(LIMITS, read_max=LIMITS.candidates_max)


@dataclass(frozen=True, slots=True)
class Question:
    """A labelled question."""

    id: str
    cue: Cue
    relevant: frozenset[str]
    # Questions about one mechanism are learnt from together or not at all, so that none is judged by its sibling.
    group: str
    # Cases about the same symptom whose lesson is wrong: the same failure from outside, so they teach nothing here.
    decoys: frozenset[str] = frozenset()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its candidates: what each arm and each feature says of them, and which are right."""

    id: str
    kind: CueKind
    group: str
    weight: float
    cases: tuple[str, ...]
    right: tuple[bool, ...]
    # By arm, then by candidate: how far above the mean.
    standings: dict[str, list[float]]
    features: tuple[dict[str, float], ...]


def open_history(folder: Path) -> tuple[Memory, tuple[Case, ...]]:
    """The demo's history and the decoys in a memory with a real index and the real model."""
    pack = default_pack() or prepare().folder
    memory, _, _ = open_bench(folder, index=True, embedder=OnnxEmbedder(pack))
    cases = [with_clues(case) for case in (*history.cases(now=NOW), *decoys())]
    Casebook(memory).put_many(cases, actor="bench", why="to learn from")
    memory.index()
    return memory, tuple(cases)


def decoys() -> Iterator[Case]:
    """Cases that claim something wrong, or that a later one has replaced."""
    yield from (from_json(body) for body in _lines("extra.jsonl"))


def written(name: str) -> Iterator[Question]:
    """The questions of one file of the labelled set."""
    groups = {case: mechanism for mechanism, cases in history.mechanisms().items() for case in cases}
    known = [case.id for case in decoys()]
    for line in _lines(name):
        services = [line["service"]] if line.get("service") else []
        cue, _ = cue_of(line["text"], at=NOW, services=services)
        relevant = frozenset(line["relevant"])
        group = next((groups[case] for case in sorted(relevant) if case in groups), line["id"])
        # The first questions were written before there were decoys: to them all are.
        misleading = frozenset(line.get("decoys", known if name == "seed.jsonl" else ()))
        yield Question(line["id"], cue, relevant, group, misleading)


def recurrences(cases: Sequence[Case], *, weight: float) -> Iterator[Question]:
    """Every past case asks about itself, as if it had just begun; its siblings would be right."""
    groups = history.mechanisms()
    for mechanism, ids in groups.items():
        for case in cases:
            if case.id in ids:
                yield Question(
                    f"again-{case.id}",
                    cue_of_case(case, at=NOW),
                    frozenset(ids) - {case.id},
                    mechanism,
                    frozenset(one.id for one in decoys()),
                    weight,
                )


def examples(memory: Memory, questions: Sequence[Question], *, arms: Sequence[str] = ARMS) -> list[Example]:
    """Ask every question, twice when it has a right answer: with it, and with every right answer taken away.

    The second is what a failure looks like that is new, and yet as near to what is known as can be.
    """
    found: list[Example] = []
    for question in questions:
        asked = ask(memory.now(), question.cue, EVERY_ONE)
        asked = replace(asked, candidates=tuple(one for one in asked.candidates if one.case.id not in question.decoys))
        found.append(_example(question, asked, arms))
        if question.relevant:
            left = tuple(one for one in asked.candidates if one.case.id not in question.relevant)
            found.append(_example(replace(question, id=f"{question.id}-gone"), replace(asked, candidates=left), arms))
    return found


def _example(question: Question, asked: Asked, arms: Sequence[str]) -> Example:
    kept = tuple(
        replace(one, ranks={arm: rank for arm, rank in one.ranks.items() if arm in arms}) for one in asked.candidates
    )
    return Example(
        id=question.id,
        kind=question.cue.kind,
        group=question.group,
        weight=question.weight,
        cases=tuple(one.case.id for one in kept),
        right=tuple(one.case.id in question.relevant for one in kept),
        standings={arm: standing([one.ranks for one in kept], arm) for arm in arms},
        features=features_of(question.cue, kept, LIMITS),
    )


def _lines(name: str) -> Iterator[dict[str, Any]]:
    path = SET / name
    if path.exists():
        yield from (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
