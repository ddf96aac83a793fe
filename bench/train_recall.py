"""Learns the weights of recall from the labelled questions in this repository, and says how well they hold.

`python -m bench.train_recall` prints what five-fold cross-validation gives (by mechanism: no question is judged by
weights that have seen its mechanism) and writes `src/hindcast/recall/weights.json`. With `--dry-run` it only prints.
`held.jsonl` is never read here: it decides in the end, in `make bench NAME=recall`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

from bench import _train_fit as fit
from bench._train_data import Example, Question, examples, open_history, recurrences, written
from hindcast.model.recollection import CueKind
from hindcast.recall import rank
from hindcast.recall.arms import ARMS
from hindcast.recall.evaluate import Judged, Measures, measure
from hindcast.recall.features import MEANINGS
from hindcast.recall.learnt import FILE, Learnt, Model
from hindcast.recall.reliability import tabulate

WEIGHTS = Path(__file__).parent.parent / "src" / "hindcast" / "recall" / FILE
FOLDS = 5
# A past incident that asks about itself is a question too, but nobody at 2 AM would ask it so.
RECURRENCE_WEIGHT = 0.3
# A question from which its answers were taken away, against one that never had any.
GONE_WEIGHT = 0.5
# How many of the first candidates teach confidence, and how much each counts: the first one is what is answered.
TAUGHT = (1.0, 0.4, 0.2)
# Which arms a memory may have: with a model, with a model that gives no vectors of tokens, without any.
SETS: tuple[tuple[str, ...], ...] = (ARMS, ("words", "meaning", "keys"), ("words", "keys"))
# How strongly weights are drawn to where they start. Kinds of question start at what all kinds share.
ARM_DRAWN, KIND_DRAWN, RANK_DRAWN, ODDS_DRAWN = 0.003, 0.03, 0.01, 0.002
# What a person would expect of features that few of the questions have; the others start at nothing.
RANK_EXPECTED = {"fused": 1.0, "fingerprint": 3.0, "message": 1.0, "trace": 2.0, "identifiers": 0.5}
ODDS_EXPECTED = {"fingerprint": 2.5, "message": 1.5, "trace": 2.0, "identifiers": 0.5}
# Of all questions asked; the promise is .03, and other questions will be a little harder than these.
FALSE_RECALL_MAX = 0.015
# Of all that was called "seen before".
WRONG_OF_SEEN_MAX = 0.03
MAYBE_RIGHT_MIN = 0.3

# What a confidence may rest on; the others order candidates and say nothing about how sure the first is.
RANKED_BY = tuple(MEANINGS)
SURE_BY = tuple(MEANINGS)

ArmWeights = Mapping[CueKind, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model that had not seen its mechanism made of one example."""

    example: Example
    order: tuple[int, ...]
    odds: float

    @property
    def right(self) -> bool:
        """Whether the first candidate is a true match."""
        return bool(self.order) and self.example.right[self.order[0]]


def learn(taught: Sequence[Example], arms: Sequence[str]) -> Model:
    """All weights from some examples."""
    with_answer = [one for one in taught if any(one.right)]
    weights = _arm_weights(with_answer, arms)
    names = _usable(RANKED_BY, arms)
    low, high = fit.bounds(names)
    rows = [_rows(one, names, weights) for one in with_answer]
    start = np.array([RANK_EXPECTED.get(name, 0.0) for name in names])
    drawn = np.array([RANK_DRAWN] * len(names))
    order = fit.fit_order(fit.padded(with_answer, rows), drawn=drawn, low=low, high=high, towards=start)
    model = Model(
        arms=tuple(arms),
        arm_weights=weights,
        rank={name: round(float(weight), 4) for name, weight in zip(names, order, strict=True) if abs(weight) > 1e-3},
        confidence={},
        confidence_offset=0.0,
        seen_min=0.5,
        maybe_min=0.2,
    )
    return _with_confidence(model, taught)


def _arm_weights(taught: Sequence[Example], arms: Sequence[str]) -> dict[CueKind, dict[str, float]]:
    rows = [fit.arm_rows(one, arms) for one in taught]
    count = len(arms)
    drawn = np.array([ARM_DRAWN] * count + [KIND_DRAWN] * count * len(fit.KINDS))
    low = np.array([0.0] * count + [-np.inf] * count * len(fit.KINDS))
    found = fit.fit_order(fit.padded(taught, rows), drawn=drawn, low=low, high=np.full(len(low), np.inf))
    return fit.arm_weights(found, arms)


def _with_confidence(model: Model, taught: Sequence[Example]) -> Model:
    names = _usable(SURE_BY, model.arms)
    rows, right, counted = [], [], []
    for one in taught:
        numbers = _rows(one, names, model.arm_weights)
        for place, at in enumerate(order_of(one, model)[: len(TAUGHT)]):
            rows.append(numbers[at])
            right.append(float(one.right[at]))
            counted.append(one.weight * TAUGHT[place] * (GONE_WEIGHT if one.id.endswith("-gone") else 1.0))
    low, high = fit.bounds(names)
    found = fit.fit_odds(
        np.array(rows),
        np.array(right),
        np.array(counted),
        drawn=np.array([ODDS_DRAWN] * len(names)),
        low=low,
        high=high,
        towards=np.array([ODDS_EXPECTED.get(name, 0.0) for name in names]),
    )
    kept = {name: round(float(one), 4) for name, one in zip(names, found[:-1], strict=True) if abs(one) > 1e-3}
    return replace(model, confidence=kept, confidence_offset=round(float(found[-1]), 4))


def _usable(names: Sequence[str], arms: Sequence[str]) -> tuple[str, ...]:
    missing = {"meaning", "tokens"} - set(arms)
    return tuple(name for name in names if name not in missing)


def _rows(one: Example, names: Sequence[str], weights: ArmWeights) -> list[list[float]]:
    together = fit.fused(one, weights)
    return [
        [together[at] if name == "fused" else features.get(name, 0.0) for name in names]
        for at, features in enumerate(one.features)
    ]


def order_of(one: Example, model: Model) -> tuple[int, ...]:
    """The candidates of an example by their score, the best first."""
    together = fit.fused(one, model.arm_weights)
    scores = [rank.score({"fused": together[at], **known}, model) for at, known in enumerate(one.features)]
    return tuple(sorted(range(len(scores)), key=lambda at: -scores[at]))


def odds_of(one: Example, at: int, model: Model) -> float:
    """The log odds of one candidate."""
    features = {"fused": fit.fused(one, model.arm_weights)[at], **one.features[at]}
    return model.confidence_offset + sum(weight * features.get(name, 0.0) for name, weight in model.confidence.items())


def crossed(taught: Sequence[Example], arms: Sequence[str]) -> list[Answered]:
    """Every example answered by weights that were learnt without its mechanism."""
    found: list[Answered] = []
    for fold in range(FOLDS):
        model = learn([one for one in taught if _fold(one) != fold], arms)
        for one in taught:
            if _fold(one) == fold:
                order = order_of(one, model)
                found.append(Answered(one, order, odds_of(one, order[0], model) if order else -9.0))
    return found


def _fold(one: Example) -> int:
    return zlib.crc32(one.group.encode()) % FOLDS


def calibrated(model: Model, answers: Sequence[Answered]) -> tuple[Model, list[tuple[Answered, float]]]:
    """Stretch and shift the log odds so that they mean what they say on what was not learnt from; then the gates."""
    odds = np.array([[one.odds] for one in answers])
    right = np.array([float(one.right) for one in answers])
    counted = np.array([_counted(one) for one in answers])
    nothing = np.zeros(1)
    stretch, shift = fit.fit_odds(
        odds, right, counted, drawn=nothing, low=nothing, high=np.full(1, np.inf), towards=nothing
    )
    sure = [(one, rank.probability(float(stretch * one.odds + shift))) for one in answers]
    seen_min, maybe_min = gates(sure)
    asked = [(confidence, one.right) for one, confidence in sure if one.example.weight == 1.0 and one.order]
    return (
        replace(
            model,
            confidence={name: round(float(weight * stretch), 4) for name, weight in model.confidence.items()},
            confidence_offset=round(float(model.confidence_offset * stretch + shift), 4),
            seen_min=seen_min,
            maybe_min=maybe_min,
            reliability=tabulate(asked),
        ),
        sure,
    )


def _counted(one: Answered) -> float:
    return one.example.weight * (GONE_WEIGHT if one.example.id.endswith("-gone") else 1.0)


def gates(sure: Sequence[tuple[Answered, float]]) -> tuple[float, float]:
    """The lowest confidence from which false recall stays within its limits, and from which a third is right."""
    whole = sum(_counted(one) for one, _ in sure)
    seen_min = 0.99
    for level in np.arange(0.98, 0.3, -0.01):
        above = [one for one, confidence in sure if confidence >= level]
        wrong = sum(_counted(one) for one in above if not one.right)
        if wrong > FALSE_RECALL_MAX * whole or wrong > WRONG_OF_SEEN_MAX * sum(map(_counted, above)) + 1e-9:
            continue
        seen_min = float(level)
    return round(seen_min, 2), round(min(MAYBE_RIGHT_MIN, seen_min / 2), 2)


def judged(sure: Sequence[tuple[Answered, float]], model: Model, *, written_only: bool = True) -> Measures:
    """The measures of answers that were given by weights that had not seen their mechanism."""
    return measure(
        [
            Judged(
                one.example.id,
                tuple(one.example.cases[at] for at in one.order),
                confidence,
                confidence >= model.seen_min,
                frozenset(case for case, right in zip(one.example.cases, one.example.right, strict=True) if right),
            )
            for one, confidence in sure
            if not written_only or (one.example.weight == 1.0 and not one.example.id.endswith("-gone"))
        ]
    )


def report(console: Console, arms: Sequence[str], model: Model, found: Measures) -> None:
    """What cross-validation says of one set of arms."""
    table = Table("R@1", "R@5", "R@10", "MRR", "false recall", "wrong of seen", "seen of new", "ECE", "seen", "gate")
    values = (found.r1, found.r5, found.r10, found.mrr, found.false_recall, found.wrong_of_seen, found.seen_of_new)
    table.add_row(*(f"{value:.3f}" for value in (*values, found.ece, found.found, model.seen_min)))
    table.title = f"{', '.join(arms)}: {found.matched} questions with a match, {found.asked - found.matched} without"
    console.print(table)


def main(arguments: Sequence[str]) -> None:
    """Learn, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="print only")
    options = parser.parse_args(arguments)
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        memory, cases = open_history(Path(folder))
        questions: list[Question] = [
            *written("dev.jsonl"),
            *written("seed.jsonl"),
            *recurrences(cases, weight=RECURRENCE_WEIGHT),
        ]
        models = []
        for arms in SETS:
            taught = [one for one in examples(memory, questions, arms=arms) if one.cases]
            model, sure = calibrated(learn(taught, arms), crossed(taught, arms))
            report(console, arms, model, judged(sure, model))
            models.append(model)
        memory.close()
    if not options.dry_run:
        WEIGHTS.write_bytes(msgspec.json.format(msgspec.json.encode(Learnt(tuple(models))), indent=1) + b"\n")
        console.print(f"Written: {WEIGHTS.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
