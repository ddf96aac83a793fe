"""What was answered a moment ago, and how long it may be told again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from hindcast.model.recollection import Recollection
from hindcast.standing import Grounds

# An answer is some ten kilobytes.
ANSWERS_KEPT_MAX = 1_000
# How long ago something was is part of an answer. "Just now" is still true after half a minute, and "six weeks ago"
# after ten; what is in between is as true as nobody would notice.
STANDS_SECONDS_MIN, STANDS_SECONDS_MAX = 30.0, 600.0
STANDS_SHARE_OF_AGE = 0.01

# Whether an answer with these grounds, which was right at a step, is so still.
Still = Callable[[Grounds, int], bool]


class _Kept(NamedTuple):
    """An answer, what it rests on, and until when it stands at the longest."""

    # It was worked out from this step on, or found to be the same since.
    step: int
    grounds: Grounds
    until: float
    answer: bytes
    at_a_glance: bool


class Lately:
    """What was answered a moment ago: in an outage the same is asked by everybody and their agents.

    An answer stands until something is learnt that changes it, and never for long: how long ago something was is part
    of it. One that was given at a glance stands only for who would be answered at a glance again. Several threads may
    use it: each step is one operation on one dictionary.
    """

    def __init__(self, *, seconds: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._kept: dict[bytes, _Kept] = {}

    def find(self, request: bytes, step: int, still: Still, *, at_a_glance: bool = False) -> bytes | None:
        """The answer to the very same request, if it is still the same at this step."""
        kept = self._kept.get(request)
        if kept is None or self._seconds() >= kept.until or (kept.at_a_glance and not at_a_glance):
            return None
        if kept.step != step:
            if not still(kept.grounds, kept.step):
                return None
            self._kept[request] = kept._replace(step=step)
        return kept.answer

    def keep(
        self, request: bytes, step: int, answer: bytes, grounds: Grounds, *, seconds: float, at_a_glance: bool = False
    ) -> None:
        """Keep an answer that was worked out from this step on, for so long. A glance replaces no thought."""
        kept = self._kept.get(request)
        is_thought = kept is not None and not kept.at_a_glance and kept.step == step and self._seconds() < kept.until
        if at_a_glance and is_thought:
            return
        self._kept.pop(request, None)
        self._kept[request] = _Kept(step, grounds, self._seconds() + seconds, answer, at_a_glance)
        while len(self._kept) > ANSWERS_KEPT_MAX:
            with suppress(RuntimeError, KeyError):
                del self._kept[next(iter(self._kept))]


def stands_seconds(found: Recollection) -> float:
    """How long an answer may be told again: as long as the youngest of what it tells of has hardly grown older."""
    cases = (one.case for one in found.remembered)
    youngest = max((max(case.occurred_at, case.resolved_at or case.occurred_at) for case in cases), default=None)
    if youngest is None:
        return STANDS_SECONDS_MAX
    age = (found.cue.at - youngest).total_seconds()
    return min(max(STANDS_SHARE_OF_AGE * age, STANDS_SECONDS_MIN), STANDS_SECONDS_MAX)
