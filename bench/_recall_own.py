"""Recall on our own labelled questions: what people type at 2 AM, against a year of a team's incidents and decoys.

`held.jsonl` is asked like `dev.jsonl`, and only its sums are told: nobody looks at single results while tuning.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench._recall_arms import order, ways
from bench._train_data import NOW, SET, open_history
from hindcast.asking import cue_of
from hindcast.memory import Memory
from hindcast.model.action import same_action
from hindcast.model.diagnosis import Advice, Diagnosis
from hindcast.model.recollection import Cue, Familiarity
from hindcast.reason.answer import diagnose
from hindcast.recall.evaluate import Judged, Measures
from hindcast.recall.evaluate import measure as measured
from hindcast.recall.limits import ARMS, LIMITS, RecallLimits
from hindcast.recall.remember import recall

FILES = ("dev", "held")
WITHOUT_RERANKER = RecallLimits(arms=tuple(arm for arm in ARMS if arm != "tokens"))
WITHOUT_MODEL = RecallLimits(arms=("words", "keys"))
# The one that decides, as far as it is there.
DECIDES = "held"
# How a dispute about the cause is worded (hindcast.reason.causes).
ANOTHER_CAUSE = " another cause: "


@dataclass(frozen=True, slots=True)
class Answered:
    """One question with its answer."""

    line: Mapping[str, Any]
    cue: Cue
    judged: Judged
    diagnosis: Diagnosis

    @property
    def harmful(self) -> tuple[str, ...]:
        """Actions that made it worse where the right memory is the answer: they have to be warned of."""
        right = bool(self.judged.ranked) and self.judged.ranked[0] in self.judged.relevant
        named = self.diagnosis.familiarity is not Familiarity.NEW
        return tuple(self.line.get("harmful", ())) if right and named else ()

    @property
    def warned(self) -> int:
        """How many of them stand under "don't try"."""
        told = [advice for advice in self.diagnosis.avoid if advice.made_worse]
        return sum(any(_same(action, advice) for advice in told) for action in self.harmful)

    @property
    def proposed(self) -> int:
        """How many harmful actions stand under the fix, whatever the first memory is: there must be none."""
        return sum(
            any(_same(action, advice) for advice in self.diagnosis.fixes) for action in self.line.get("harmful", ())
        )

    @property
    def misled(self) -> bool:
        """Whether the first fix rests on nothing but decoys."""
        decoys = {f"cases/{name}" for name in self.line.get("decoys", ())}
        rests_on = [ref.partition("@")[0] for ref in self.diagnosis.fixes[0].evidence] if self.diagnosis.fixes else []
        return bool(rests_on) and decoys.issuperset(rests_on)

    @property
    def agreeing(self) -> tuple[int, int]:
        """Of other cases that are cited for the cause, how many are the same failure, and how many there are."""
        cause = self.diagnosis.cause
        return self._same_failure([cause.evidence[1:]] if cause is not None else [])

    @property
    def disputing(self) -> tuple[int, int]:
        """Of cases that are said to give another cause, how many are the same failure, and how many there are."""
        return self._same_failure([one.evidence[:-1] for one in self.diagnosis.disputes if ANOTHER_CAUSE in one.text])

    def _same_failure(self, cited: Sequence[Sequence[str]]) -> tuple[int, int]:
        is_right = bool(self.judged.ranked) and self.judged.ranked[0] in self.judged.relevant
        names = [ref.partition("@")[0].removeprefix("cases/") for refs in cited for ref in refs] if is_right else []
        return sum(name in self.judged.relevant for name in names), len(names)


def ask(memory: Memory, name: str, limits: RecallLimits = LIMITS) -> list[Answered]:
    """Ask all questions of a file, as the command does."""
    view = memory.now()
    found = []
    for line in _lines(name):
        services = [line["service"]] if line.get("service") else []
        cue, _ = cue_of(line["text"], at=NOW, services=services)
        told = recall(view, cue, space=memory.space, limits=limits)
        judged = Judged(
            query_id=line["id"],
            ranked=tuple(one.case.id for one in told.remembered if not one.gates),
            confidence=told.best.confidence if told.best is not None else 0.0,
            seen=told.familiarity is Familiarity.SEEN,
            relevant=frozenset(line["relevant"]),
        )
        found.append(Answered(line, cue, judged, diagnose(told, space=memory.space)))
    return found


def measure(console: Console, misses: int = 0) -> dict[str, float]:
    """Both tables, and the figures of the file that decides."""
    files = [name for name in FILES if (SET / f"{name}.jsonl").exists()]
    if not files:
        console.print("There are no labelled questions: left out.")
        return {}
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as folder:
        memory, cases = open_history(Path(folder))
        asked = {name: ask(memory, name) for name in files}
        measures = {name: measured([one.judged for one in answers]) for name, answers in asked.items()}
        console.print(_table(asked, measures, len(cases)), _levels(measures))
        console.print(_efforts(memory, files))
        console.print(_ablation(memory, asked))
        memory.close()
    if misses and "dev" in asked:
        _tell_misses(console, asked["dev"], misses)
    decides = measures.get(DECIDES) or measures[files[0]]
    return {"own_r1": decides.r1, "false_recall": decides.false_recall, "ece": decides.ece}


def _table(asked: Mapping[str, Sequence[Answered]], measures: Mapping[str, Measures], cases: int) -> Table:
    table = Table("measure", *asked, title=f"Our own questions, against {cases} cases")
    told = list(measures.values())
    rows: list[tuple[str, list[str]]] = [
        ("questions, with a true match", [f"{one.asked}, {one.matched}" for one in told]),
        ("R@1", [f"{one.r1:.3f}" for one in told]),
        ("R@5", [f"{one.r5:.3f}" for one in told]),
        ("MRR", [f"{one.mrr:.3f}" for one in told]),
        ("called seen before", [f"{one.answered:.3f}" for one in told]),
        ("  rightly, of those with a match", [f"{one.found:.3f}" for one in told]),
        ("false recall, of all", [f"{one.false_recall:.3f}" for one in told]),
        ("  of those without a match", [f"{one.seen_of_new:.3f}" for one in told]),
        ("calibration error", [f"{one.ece:.3f}" for one in told]),
        ("harmful under don't try", [_share(_sums(one)) for one in asked.values()]),
        ("harmful under the fix", [str(sum(each.proposed for each in one)) for one in asked.values()]),
        ("cited beside it for the cause, rightly", [_of(one.agreeing for one in each) for each in asked.values()]),
        ("  with another cause, the same failure", [_of(one.disputing for one in each) for each in asked.values()]),
        ("first fix from decoys only", [str(sum(each.misled for each in one)) for one in asked.values()]),
    ]
    for name, values in rows:
        table.add_row(name, *values)
    return table


def _levels(measures: Mapping[str, Measures]) -> Table:
    table = Table("confidence", *measures, title="How often the first was right, by confidence")
    for levels in zip(*(one.reliability for one in measures.values()), strict=True):
        first = levels[0]
        told = [f"{one.right} of {one.asked}" if one.asked else "" for one in levels]
        table.add_row(f"{first.confidence_min:.1f} to {first.confidence_max:.1f}", *told)
    return table


def _efforts(memory: Memory, files: Sequence[str]) -> Table:
    """What is found with less effort: the whole, without comparing tokens, and without a model."""
    efforts = {
        "all of it": LIMITS,
        "no reranker, the model all the same": WITHOUT_RERANKER,
        "no model": WITHOUT_MODEL,
    }
    table = Table("measure", *efforts, title="With less effort")
    for name in files:
        asked = {effort: ask(memory, name, limits) for effort, limits in efforts.items()}
        found = [measured([one.judged for one in answers]) for answers in asked.values()]
        table.add_row(f"{name}: R@1", *(f"{one.r1:.3f}" for one in found))
        table.add_row("  false recall, of all", *(f"{one.false_recall:.3f}" for one in found))
        table.add_row("  calibration error", *(f"{one.ece:.3f}" for one in found))
        table.add_row("  harmful under don't try", *(_share(_sums(answers)) for answers in asked.values()))
        proposed = (sum(one.proposed for one in answers) for answers in asked.values())
        table.add_row("  harmful under the fix", *map(str, proposed))
    return table


def _ablation(memory: Memory, asked: Mapping[str, Sequence[Answered]]) -> Table:
    """What each arm contributes; gates and verdicts take part only in the whole."""
    table = Table("way", *(f"{name} {what}" for name in asked for what in ("R@1", "R@5", "MRR")), title="By arm")
    view = memory.now()
    for way in ways():
        row: list[str] = []
        for answers in asked.values():
            judged = [
                Judged(one.judged.query_id, order(view, one.cue, way), 0.0, False, one.judged.relevant)
                for one in answers
                if one.judged.relevant
            ]
            found = measured(judged)
            row += [f"{found.r1:.3f}", f"{found.r5:.3f}", f"{found.mrr:.3f}"]
        table.add_row(way.name, *row)
    return table


def _tell_misses(console: Console, answers: Sequence[Answered], misses: int) -> None:
    """Questions of dev.jsonl whose first answer is wrong, or that were called seen before and are new."""
    told = 0
    for one in answers:
        judged = one.judged
        first = judged.ranked[0] if judged.ranked else "nothing"
        if (first in judged.relevant) if judged.relevant else not judged.seen:
            continue
        told += 1
        if told <= misses:
            at = next((str(place) for place, case in enumerate(judged.ranked, 1) if case in judged.relevant), "-")
            console.print(f"{judged.query_id}: {first} {judged.confidence:.2f} seen={judged.seen}; right at {at}")


def _of(counts: Iterable[tuple[int, int]]) -> str:
    right, cited = map(sum, zip(*counts, strict=True))
    return f"{right} of {cited}"


def _sums(answers: Sequence[Answered]) -> tuple[int, int]:
    return sum(one.warned for one in answers), sum(len(one.harmful) for one in answers)


def _share(sums: tuple[int, int]) -> str:
    return f"{sums[0]} of {sums[1]} ({sums[0] / sums[1] if sums[1] else math.nan:.3f})"


def _same(action: str, advice: Advice) -> bool:
    return action.strip().lower() == advice.action.strip().lower() or same_action(action, advice.action)


def _lines(name: str) -> list[dict[str, Any]]:
    text = (SET / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]
