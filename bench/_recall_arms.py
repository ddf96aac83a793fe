"""What each arm of recall contributes: every arm alone, all of them joined, and all but one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hindcast.memory import View
from hindcast.model import case as cases
from hindcast.model.query import Filter, Hit, Query
from hindcast.model.recollection import Cue
from hindcast.recall.arms import Candidate
from hindcast.recall.fuse import fuse
from hindcast.recall.keys import keys_of_clues
from hindcast.recall.learnt import Learnt, shipped
from hindcast.recall.limits import ARMS, LIMITS
from hindcast.recall.remember import recall
from hindcast.recall.text import clean

WHOLE = "arms joined and ranked"
# The arm of tokens looks only at what others found.
FINDING = ("words", "meaning")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to remember: which arms are asked, and what is made of them."""

    name: str
    arms: tuple[str, ...]
    # The arm whose order counts; empty: all of them, joined.
    alone: str = ""
    ranked: bool = False


def ways() -> Iterator[Way]:
    """All of them, in the order of the table."""
    for arm in ARMS:
        yield Way(f"{arm} alone", (*FINDING, arm) if arm == "tokens" else (arm,), alone=arm)
    yield Way("arms joined", ARMS)
    yield Way(WHOLE, ARMS, ranked=True)
    for arm in ARMS:
        yield Way(f"  without {arm}", tuple(one for one in ARMS if one != arm), ranked=True)


def order(view: View, cue: Cue, way: Way) -> tuple[str, ...]:
    """The ids of the cases that come to mind in one way, the best first."""
    # The weights of the whole, so that nothing but the arm is missing.
    model = replace(shipped().model_for(ARMS), arms=())
    if way.ranked:
        # The real thing, with everything that recall does after the arms.
        found = recall(view, cue, limits=replace(LIMITS, arms=way.arms), learnt=Learnt((model,)))
        return tuple(one.case.id for one in found.remembered if not one.gates)
    candidates = [one for one in _found(view, cue, way.arms) if one.case.id != cue.incident]
    if way.alone:
        known = [one for one in candidates if way.alone in one.ranks]
        return _by(known, {one.address: one.ranks[way.alone].score for one in known})
    together = fuse([one.ranks for one in candidates], model.arm_weights[cue.kind])
    return _by(candidates, {one.address: score for one, score in zip(candidates, together, strict=True)})


def _found(view: View, cue: Cue, arms: tuple[str, ...]) -> list[Candidate]:
    keys = keys_of_clues(cue.clues, cue.services)[: LIMITS.keys_max]
    asked = arms if keys else tuple(arm for arm in arms if arm != "keys")
    if not asked:
        return []
    query = Query(
        text=clean(cue.text, chars_max=LIMITS.cue_chars_max),
        filter=Filter(namespace=cases.NAMESPACE, kind=cases.KIND),
        hits_max=LIMITS.candidates_max,
        arms=asked,
        keys=keys,
        scored_by_all=True,
        tokens_ms_max=LIMITS.tokens_ms_max,
    )
    return [_candidate(hit) for hit in view.search(query).hits]


def _candidate(hit: Hit) -> Candidate:
    record = hit.record
    assert isinstance(record.body, Mapping)
    case = cases.from_json(record.body)
    return Candidate(case, str(record.address), record.version, hit.ranks, record.text or case.title)


def _by(candidates: list[Candidate], scores: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(one.case.id for one in sorted(candidates, key=lambda one: (-scores[one.address], one.address)))
