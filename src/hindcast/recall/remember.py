"""From a cue to the cases that come to mind: the order of the steps, and nothing else.

Arms find candidates, features compare them with the question, a ranker orders them, a calibration says how sure that
is, people's verdicts move it, and gates hold back what matches but must not answer. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hindcast.model.recollection import Cue, Familiarity, Recollection, Remembered
from hindcast.model.verdict import NO_EXPERIENCE, Experience
from hindcast.ports import Searchable
from hindcast.recall import evidence, rank
from hindcast.recall.arms import Allowed, Asked, Candidate, ask
from hindcast.recall.explain import reasons
from hindcast.recall.features import features_of, read_ahead
from hindcast.recall.fuse import standing
from hindcast.recall.gates import contradict, judge, retire
from hindcast.recall.learnt import Learnt, Model, shipped
from hindcast.recall.limits import LIMITS, RecallLimits
from hindcast.recall.mechanism import alike, mechanisms, stated_cause, states_root_cause
from hindcast.recall.reliability import reliability_of
from hindcast.recall.supersede import supersede

# Among cases of the same cause the nearer text comes first.
NEAR_WEIGHT = 0.05
# Above anything that only has the same cause.
SAME_FAILURE = 100.0
# From where on a feature says that it is the very same failure, whatever else is alike.
IDENTITY_MIN = {"fingerprint": 1.0, "message": 1.0, "trace": 0.5, "echo": 0.9}


@dataclass(frozen=True, slots=True)
class Considered:
    """The candidates with their features, before anything is decided: what a ranker learns from."""

    asked: Asked
    features: tuple[dict[str, float], ...]


def recall(
    memory: Searchable,
    cue: Cue,
    experience: Experience = NO_EXPERIENCE,
    *,
    limits: RecallLimits = LIMITS,
    space: str = "",
    learnt: Learnt | None = None,
    allowed: Allowed | None = None,
) -> Recollection:
    """What a memory has to say to a cue. `allowed` narrows the cases that may come to mind at all.

    Raises Malformed when there is nothing to ask for.
    """
    learnt = learnt or shipped()
    considered = consider(memory, cue, limits, learnt, allowed)
    model = learnt.model_for(considered.asked.arms)
    found = _contenders(_ranked(cue, considered, model, space), limits)
    found = judge(found, cue, experience)
    found = contradict(found, same_min=model.seen_min)
    found = retire(found, experience)
    found = supersede(found)
    remembered = tuple(
        replace(one, reasons=(*reasons(cue, one.case, one.features), *one.reasons))
        for one in _settled(found, model, limits.hits_max)
    )
    return _recollection(cue, remembered, considered.asked, experience, model)


def consider(
    memory: Searchable, cue: Cue, limits: RecallLimits, learnt: Learnt, allowed: Allowed | None = None
) -> Considered:
    """Ask the arms and compare what they put first with the cue."""
    if states_root_cause(cue.text):
        # What has the same cause may look altogether different, so that the arms put it anywhere.
        limits = replace(limits, read_max=limits.candidates_max)
    asked = ask(
        memory,
        cue,
        limits,
        learnt=learnt,
        allowed=allowed,
        ahead=lambda case, text: read_ahead(case, text, limits),
    )
    return Considered(asked, features_of(cue, asked.candidates, limits))


def _ranked(cue: Cue, considered: Considered, model: Model, space: str) -> tuple[Remembered, ...]:
    """Every candidate with its score and its confidence, the best first."""
    candidates = considered.asked.candidates
    found: list[Remembered] = []
    for candidate, known in zip(candidates, considered.features, strict=True):
        features = {"fused": candidate.fused, **known}
        estimate = rank.estimate(features, model, cases=considered.asked.weighed)
        unlike = evidence.is_unlike(cue, candidate.case, features)
        found.append(
            Remembered(
                case=candidate.case,
                address=candidate.address,
                version=candidate.version,
                space=space,
                # An estimate until the order is settled.
                confidence=estimate,
                familiarity=Familiarity.NEW,
                score=rank.score(features, model) - (evidence.SCORE_COST if unlike else 0.0),
                ranks=candidate.ranks,
                features={**features, "unlike": 1.0} if unlike else features,
            )
        )
    if states_root_cause(cue.text):
        found = _by_cause(cue, found, candidates, model)
    return tuple(sorted(found, key=lambda one: (-one.score, one.address)))


def _contenders(found: Sequence[Remembered], limits: RecallLimits) -> tuple[Remembered, ...]:
    """The best, and whatever says that it replaces one of them, however little it resembles the question."""
    best = found[: max(limits.compared_max, limits.hits_max)]
    known = {one.case.id for one in best}
    heirs = (one for one in found[len(best) :] if not known.isdisjoint(one.case.supersedes))
    return (*best, *heirs)


def _by_cause(cue: Cue, found: Sequence[Remembered], candidates: Sequence[Candidate], model: Model) -> list[Remembered]:
    """A report that states its root cause asks for others of the same cause, once the very same failure is told."""
    asked = mechanisms(stated_cause(cue.text))
    opinions = [candidate.ranks for candidate in candidates]
    words, meaning = standing(opinions, "words"), standing(opinions, "meaning")
    scored: list[Remembered] = []
    for one, candidate, by_words, by_meaning in zip(found, candidates, words, meaning, strict=True):
        told = one.case.cause.text if one.case.cause is not None else stated_cause(candidate.text)
        likeness = alike(asked, mechanisms(told))
        near = NEAR_WEIGHT * (by_words + by_meaning)
        same = SAME_FAILURE + one.score if one.confidence >= model.seen_min and _identical(one.features) else 0.0
        scored.append(replace(one, score=likeness + near + same, features={**one.features, "mechanism": likeness}))
    return scored


def _identical(features: Mapping[str, float]) -> bool:
    """Whether more than words is the same: reports of one team share much of their wording."""
    return any(features.get(name, 0.0) >= least for name, least in IDENTITY_MIN.items())


def _settled(found: Sequence[Remembered], model: Model, hits_max: int) -> tuple[Remembered, ...]:
    """The best first, then what was gated, as many again at most; nobody is surer than whoever stands before them."""
    ordered = sorted(found, key=lambda one: (-one.score, one.address))
    settled: list[Remembered] = []
    for held in (False, True):
        group = [one for one in ordered if bool(one.gates) is held]
        surest = rank.CONFIDENCE_MAX
        confidences = rank.settled([one.confidence for one in group], model.levels)
        for one, sure in zip(group[:hits_max], confidences, strict=False):
            # People's word comes before what we make of the evidence.
            most = evidence.CONFIDENCE_MAX if one.features.get("unlike") else rank.CONFIDENCE_MAX
            confidence = min(rank.raised(min(sure, most), one.features.get("verdict", 0.0)), surest)
            surest = confidence
            settled.append(replace(one, confidence=confidence, familiarity=rank.familiarity(confidence, model)))
    return tuple(settled)


def _recollection(
    cue: Cue, remembered: Sequence[Remembered], asked: Asked, experience: Experience, model: Model
) -> Recollection:
    best = next((one for one in remembered if not one.gates), None)
    notes = list(asked.notes)
    if best is None and remembered:
        notes.append("Everything that came to mind was held back; each says why.")
    return Recollection(
        cue=cue,
        familiarity=best.familiarity if best is not None else Familiarity.NEW,
        remembered=tuple(remembered),
        reliability=reliability_of(best.confidence, experience.reliability, model.reliability) if best else None,
        arms=asked.arms,
        notes=tuple(notes),
    )
