"""Recall on other people's data: duplicates of bug reports, alerts and their runbooks, incidents with the same cause.

The files are read from the data folder and nothing of them is kept. Weights are the ones that ship; none was fitted
here. Each set has one protocol, and everything in its table was asked the same questions in the same run.
"""

from __future__ import annotations

import csv
import json
import math
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench._recall_arms import WHOLE, order, ways
from bench._recall_peers import bm25, orders, tfidf
from hindcast.asking import cue_of
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.evaluation import Records, read_records
from hindcast.memory import Memory

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PEER = "TF-IDF"
CAUSE_PLACES = 5
Labels = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by which record if it is one, and which are right."""

    text: str
    relevant: frozenset[str]
    asker: str = ""


@dataclass(frozen=True, slots=True)
class Set:
    """One set of data: records as somebody would hand them over, and questions."""

    name: str
    protocol: str
    records: tuple[Mapping[str, Any], ...]
    questions: tuple[Question, ...]
    # By the name of a reading of the annotations: the causes of each record.
    labels: Mapping[str, Labels] = field(default_factory=dict)

    @property
    def documents(self) -> list[str]:
        """The same words that a memory gets, for whoever only counts words."""
        return ["\n".join(str(one[name]) for name in ("title", "text") if name in one) for one in self.records]


def duplicates(folder: Path) -> Set | None:
    """Bug reports; a report with known duplicates asks, with its title and its text, for them among all others."""
    pairs = sorted(folder.glob("*/*-combined.csv"))
    if not pairs:
        return None
    # No field of a report is longer.
    csv.field_size_limit(10_000_000)
    reports = _csv(pairs[0].with_name(pairs[0].name.replace("-combined", "")))
    texts = {one["Issue id"]: (one["Summary"], one["Description"]) for one in reports}
    questions = []
    for pair in _csv(pairs[0]):
        same = frozenset(one.strip() for one in pair["Duplicate id"].split(",")) & texts.keys()
        if same and pair["Issue id"] in texts:
            questions.append(Question("\n".join(texts[pair["Issue id"]]), frozenset(same), pair["Issue id"]))
    records = tuple({"id": name, "title": title, "text": text} for name, (title, text) in texts.items())
    return Set("gitbugs_dup", "a report asks for its duplicates among all others", records, tuple(questions))


def runbooks(folder: Path) -> Set | None:
    """Alerts; each asks, with its name and its text, for the page that says what to do."""
    if not (folder / "docs.jsonl").exists():
        return None
    records = tuple({"id": one["id"], "text": one["text"]} for one in _lines(folder / "docs.jsonl"))
    questions = tuple(
        Question(f"{one['alert']}\n{one['text']}", frozenset(one["relevant"]))
        for one in _lines(folder / "queries.jsonl")
    )
    return Set("alert_runbook", "an alert asks for its runbook page", records, questions)


def causes(folder: Path) -> Set | None:
    """Post-mortems without their annotations; one with an annotated cause asks for others with the same cause."""
    if not (folder / "annotated_incidents.jsonl").exists():
        return None
    found = list(_lines(folder / "annotated_incidents.jsonl"))
    records = tuple(
        {"id": one["id"], "title": record["title"], "text": f"{record['summary']}\n{record['details']}"}
        for one in found
        for record in [one["record"]]
    )
    coarse: dict[str, frozenset[str]] = {}
    fine: dict[str, frozenset[str]] = {}
    for one in found:
        given = one["record"]["root cause"]["label"]
        coarse[one["id"]] = frozenset(label.get("layer-2", "").strip() for label in given) - {""}
        fine[one["id"]] = frozenset(
            f"{label['layer-2'].strip()} / {str(label.get('layer-3') or '').strip()}"
            for label in given
            if label.get("layer-2", "").strip()
        )
    questions = tuple(
        Question(f"{one['title']}\n{one['text']}", frozenset(), one["id"]) for one in records if coarse[one["id"]]
    )
    known = {name: labels for name, labels in coarse.items() if labels}
    labels = {"layer 2": coarse, "layer 2, only labelled ones may answer": known, "layers 2 and 3": fine}
    return Set("cloud_incidents", "an incident asks for others with the same cause", records, questions, labels)


@contextmanager
def remembered(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Memory, Records]]:
    """A memory of some records in a folder of its own."""
    lines = "\n".join(json.dumps(one) for one in records)
    known = read_records(lines, fallback_at=NOW)
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as folder:
        memory = open_memory(Settings(store=folder, space="bench"))
        Casebook(memory).put_many(known.cases, actor="bench", why="measure")
        memory.index()
        try:
            yield memory, known
        finally:
            memory.close()


def measure(one: Set) -> dict[str, list[tuple[str, ...]]]:
    """By way: what came to mind for each question, the best first, peers included."""
    ids = [str(record["id"]) for record in one.records]
    texts, askers = [question.text for question in one.questions], [question.asker for question in one.questions]
    found = {
        PEER: orders(tfidf(one.documents, texts), ids, askers),
        "BM25": orders(bm25(one.documents, texts), ids, askers),
    }
    with remembered(one.records) as (memory, known):
        own = {theirs: ours for ours, theirs in known.ids.items()}
        cues = [cue_of(one.text, at=NOW, incident=own.get(one.asker, ""))[0] for one in one.questions]
        view = memory.now()
        for way in ways():
            found[way.name] = [tuple(known.ids[case] for case in order(view, cue, way)) for cue in cues]
    return found


def places(one: Set, console: Console) -> dict[str, float]:
    """The table of a set with right answers, and the figures of the whole of recall."""
    found = measure(one)
    table = Table(
        "way", "R@1", "R@5", "R@10", "MRR", title=f"{one.name}: {one.protocol}; {len(one.questions)} questions"
    )
    figures: dict[str, float] = {}
    for name, answers in found.items():
        at = [_place(answer, question.relevant) for answer, question in zip(answers, one.questions, strict=True)]
        within = {k: statistics.fmean(place <= k for place in at) for k in (1, 5, 10)}
        mrr = statistics.fmean(1 / place for place in at)
        table.add_row(name, *(f"{within[k]:.3f}" for k in (1, 5, 10)), f"{mrr:.3f}")
        if name == WHOLE:
            figures = {"r1": within[1], "r10": within[10]}
    console.print(table)
    return figures


def same_cause(one: Set, console: Console) -> float:
    """The table of the set of causes, and how much better the whole of recall is than TF-IDF."""
    found = measure(one)
    table = Table("way", *one.labels, title=f"{one.name}: {one.protocol}, share of the first {CAUSE_PLACES}")
    shares = {
        name: [_same_cause(one, answers, labels) for labels in one.labels.values()] for name, answers in found.items()
    }
    for name, values in shares.items():
        table.add_row(name, *(f"{value:.3f}" for value in values))
    ratios = [own / peer for own, peer in zip(shares[WHOLE], shares[PEER], strict=True)]
    table.add_row("against TF-IDF", *(f"{ratio:.2f} times" for ratio in ratios))
    console.print(table)
    return ratios[0]


def _same_cause(one: Set, answers: Sequence[tuple[str, ...]], labels: Labels) -> float:
    """The share of the first answers that have a cause in common with whoever asks; a missing answer is a wrong one."""
    shares = []
    for question, answer in zip(one.questions, answers, strict=True):
        first = [name for name in answer if name in labels][:CAUSE_PLACES]
        shares.append(sum(bool(labels[name] & labels[question.asker]) for name in first) / CAUSE_PLACES)
    return statistics.fmean(shares)


def _place(answer: Sequence[str], relevant: frozenset[str]) -> float:
    return next((place for place, name in enumerate(answer, 1) if name in relevant), math.inf)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, filter(str.strip, file))


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
