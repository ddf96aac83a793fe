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
from hindcast.recall.evaluate import Judged, Measures, measure
from hindcast.recall.features import MEANINGS
from hindcast.recall.learnt import FILE, Learnt, Level, Model
from hindcast.recall.limits import ARMS
from hindcast.recall.reliability import tabulate

WEIGHTS = Path(__file__).parent.parent / "src" / "hindcast" / "recall" / FILE
FOLDS = 5
# A past incident that asks about itself is a question too, but nobody at 2 AM would ask it so.
RECURRENCE_WEIGHT = 0.15
# A question from which its answers were taken away, against one that never had any.
GONE_WEIGHT = 0.5
# How many of the first candidates teach confidence, and how much each counts: the first one is what is answered.
TAUGHT = (1.0, 0.4, 0.2)
# Which arms a memory may have: with a model, with a model that gives no vectors of tokens, without any.
SETS: tuple[tuple[str, ...], ...] = (ARMS, ("words", "meaning", "keys"), ("words", "keys"))
# How strongly weights are drawn to where they start. Kinds of question start at what all kinds share.
ARM_DRAWN, KIND_DRAWN, RANK_DRAWN, ODDS_DRAWN = 0.003, 0.03, 0.01, 0.001
# What a person would expect of features that few of the questions have; the others start at nothing.
RANK_EXPECTED = {"fused": 1.0, "fingerprint": 3.0, "message": 1.0, "trace": 2.0, "echo": 1.0, "identifiers": 0.5}
ODDS_EXPECTED = {"fingerprint": 2.5, "message": 1.5, "trace": 2.0, "echo": 2.0, "identifiers": 0.5}
# Of all questions, of those that were called "seen before", and of those without a match: the promise is .03, and other
# questions will be a little harder than these.
FALSE_RECALL_MAX, WRONG_OF_SEEN_MAX, SEEN_OF_NEW_MAX = 0.01, 0.02, 0.03
# The gate keeps this far away from the last mistake.
SEEN_MARGIN = 0.02
# Fewer questions than this measure no level of confidence.
LEVEL_QUESTIONS_MIN = 40
MAYBE_MIN = 0.3

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
    # The same with nothing that compares it with the others.
    odds_young: float

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
        confidence_young={},
        confidence_young_offset=0.0,
        levels=(),
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
    whole = _odds(names, rows, right, counted)
    relative = names.index("fused")
    absolute = _odds(
        [name for name in names if name != "fused"],
        [[*row[:relative], *row[relative + 1 :]] for row in rows],
        right,
        counted,
    )
    return replace(
        model,
        confidence=whole[0],
        confidence_offset=whole[1],
        confidence_young=absolute[0],
        confidence_young_offset=absolute[1],
    )


def _odds(
    names: Sequence[str], rows: Sequence[Sequence[float]], right: Sequence[float], counted: Sequence[float]
) -> tuple[dict[str, float], float]:
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
    return kept, round(float(found[-1]), 4)


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


def odds_of(one: Example, at: int, model: Model) -> tuple[float, float]:
    """The log odds of one candidate, with and without what compares it with the others."""
    features = {"fused": fit.fused(one, model.arm_weights)[at], **one.features[at]}
    return (
        model.confidence_offset + sum(weight * features[name] for name, weight in model.confidence.items()),
        model.confidence_young_offset + sum(weight * features[name] for name, weight in model.confidence_young.items()),
    )


def crossed(taught: Sequence[Example], arms: Sequence[str]) -> list[Answered]:
    """Every example answered by weights that were learnt without its mechanism."""
    found: list[Answered] = []
    for fold in range(FOLDS):
        model = learn([one for one in taught if _fold(one) != fold], arms)
        for one in taught:
            if _fold(one) == fold:
                order = order_of(one, model)
                found.append(Answered(one, order, *odds_of(one, order[0], model)))
    return found


def _fold(one: Example) -> int:
    return zlib.crc32(one.group.encode()) % FOLDS


def calibrated(model: Model, answers: Sequence[Answered]) -> tuple[Model, list[tuple[Answered, float]]]:
    """Stretch and shift the log odds so that they mean what they say on what was not learnt from; then the gates."""
    asked = [one for one in answers if _written(one)]
    stretch, shift = _stretched([one.odds for one in asked], asked)
    young_stretch, young_shift = _stretched([one.odds_young for one in asked], asked)
    sure = [
        (
            one,
            rank.probability(rank.joined(stretch * one.odds + shift, young_stretch * one.odds_young + young_shift)),
        )
        for one in asked
    ]
    gate = gate_of(sure)
    levels = levels_of(sure, gate)
    told = [
        (one, rank.levelled(estimate, levels_of([other for other in sure if _fold(other[0].example) != fold], gate)))
        for fold in range(FOLDS)
        for one, estimate in sure
        if _fold(one.example) == fold
    ]
    return (
        replace(
            model,
            confidence={name: round(float(weight * stretch), 4) for name, weight in model.confidence.items()},
            confidence_offset=round(float(model.confidence_offset * stretch + shift), 4),
            confidence_young={
                name: round(float(weight * young_stretch), 4) for name, weight in model.confidence_young.items()
            },
            confidence_young_offset=round(float(model.confidence_young_offset * young_stretch + young_shift), 4),
            levels=levels,
            # Half-way between what is called so and the level below it.
            seen_min=round((levels[-1].confidence + levels[-2].confidence) / 2, 3),
            maybe_min=MAYBE_MIN,
            reliability=tabulate([(rank.levelled(estimate, levels), one.right) for one, estimate in sure]),
        ),
        told,
    )


def _stretched(odds: Sequence[float], answers: Sequence[Answered]) -> tuple[float, float]:
    nothing = np.zeros(1)
    stretch, shift = fit.fit_odds(
        np.array([[one] for one in odds]),
        np.array([float(one.right) for one in answers]),
        np.ones(len(answers)),
        drawn=nothing,
        low=nothing,
        high=np.full(1, np.inf),
        towards=nothing,
    )
    return float(stretch), float(shift)


def _written(one: Answered) -> bool:
    """Whether somebody wrote this question and its answers were left where they are: what calibration is about."""
    return one.example.weight == 1.0 and not one.example.id.endswith("-gone")


def levels_of(sure: Sequence[tuple[Answered, float]], gate: float) -> tuple[Level, ...]:
    """Steps that rise, each with enough questions to be measured; all that may be called "seen before" is one step."""
    below = sorted((estimate, one.right) for one, estimate in sure if estimate < gate)
    above = [one.right for one, estimate in sure if estimate >= gate]
    steps: list[tuple[float, int, int]] = []
    for part in np.array_split(np.arange(len(below)), max(len(below) // LEVEL_QUESTIONS_MIN, 1)):
        estimates = [below[at] for at in part.tolist()]
        step = (estimates[0][0], sum(right for _, right in estimates), len(estimates))
        while steps and steps[-1][1] * step[2] >= step[1] * steps[-1][2]:
            before = steps.pop()
            step = (before[0], before[1] + step[1], before[2] + step[2])
        steps.append(step)
    steps.append((gate, sum(above), len(above)))
    # Half a right answer and half a wrong one are added to each: no level is certain.
    return tuple(
        Level(0.0 if at == 0 else round(least, 4), round((right + 0.5) / (asked + 1), 4))
        for at, (least, right, asked) in enumerate(steps)
    )


def gate_of(sure: Sequence[tuple[Answered, float]]) -> float:
    """The lowest estimate from which false recall stays within its limits."""
    new = sum(not any(one.example.right) for one, _ in sure)
    seen_min = 0.99
    for level in np.arange(0.98, 0.5, -0.01):
        above = [one for one, confidence in sure if confidence >= level - SEEN_MARGIN]
        wrong = sum(not one.right for one in above)
        called = sum(not any(one.example.right) for one in above)
        if (
            wrong <= FALSE_RECALL_MAX * len(sure)
            and wrong <= WRONG_OF_SEEN_MAX * len(above)
            and called <= SEEN_OF_NEW_MAX * new
        ):
            seen_min = float(level)
    return round(seen_min, 2)


def judged(sure: Sequence[tuple[Answered, float]], model: Model) -> Measures:
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
