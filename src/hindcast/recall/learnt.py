"""What was learnt from labelled questions: weights of arms and features, the calibration, the gates, and how it held.

The file beside this module is written by `python -m bench.train_recall`, which also says what it was learnt from. There
is one model for each set of arms that a memory may have; the one with the most arms that took part is used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import msgspec

from hindcast.model.reading import ready
from hindcast.model.recollection import CueKind
from hindcast.model.verdict import Reliability

FILE = "weights.json"


@dataclass(frozen=True, slots=True)
class Level:
    """A step of the calibration: from which estimate on it holds, and the share that was right on it."""

    estimate_min: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that turns features into an order, a confidence and a verdict."""

    # The arms it was learnt with.
    arms: tuple[str, ...]
    # How much each arm counts, by what the question is made of.
    arm_weights: Mapping[CueKind, Mapping[str, float]]
    # The order: a weighted sum of features.
    rank: Mapping[str, float]
    # The confidence: a weighted sum of features and its offset, as log odds.
    confidence: Mapping[str, float]
    confidence_offset: float
    # The same while there are too few cases to compare one with the others: nothing relative counts.
    confidence_young: Mapping[str, float]
    confidence_young_offset: float
    # What such estimates were worth, the lowest first; empty: they are taken at their word.
    levels: tuple[Level, ...]
    # From which confidence on "seen before" and "maybe related" may be said.
    seen_min: float
    maybe_min: float
    # How often answers of each confidence were right on questions that were not learnt from.
    reliability: tuple[Reliability, ...] = ()


@dataclass(frozen=True, slots=True)
class Learnt:
    """The models, the one with the most arms first."""

    models: tuple[Model, ...]

    def model_for(self, arms: Collection[str]) -> Model:
        """The first model whose arms all took part; the last one needs the fewest."""
        for model in self.models:
            if set(model.arms) <= set(arms):
                return model
        return self.models[-1]


@cache
def shipped() -> Learnt:
    """What this release has learnt."""
    return parse(resources.files("hindcast.recall").joinpath(FILE).read_bytes())


def parse(content: bytes) -> Learnt:
    """The models in a file."""
    return msgspec.json.decode(content, type=Learnt)


ready(Learnt)
