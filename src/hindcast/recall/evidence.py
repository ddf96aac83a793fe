"""Whether a question and a case show the same failure, as a person who reads both would see it.

What failed, where, and what it said is evidence. The same service, fixed wording that every failure of a program shares
and a common line beside other errors are none: however alike the texts are, such a case may only be related.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hindcast.model.case import NOTICED_HERE, Case
from hindcast.model.recollection import Cue, CueKind
from hindcast.recall.text import alike

_KIND = re.compile(r"<\w+>")

# From here on two stacks lead through the same code.
TRACE_SHARED_MIN = 0.5
# Below this two stacks have little more in common than their framework: what is shared is a line beside them.
TRACE_TOUCHED_MIN = 0.25
# From here on two exceptions say the same. Drivers wrap what differs into many words that never do.
ERRORS_ALIKE_MIN = 0.5
# Without evidence of its own a case is less likely than not the same failure.
CONFIDENCE_MAX = 0.45
# And comes behind what shares a fingerprint, whatever the words say.
SCORE_COST = 3.0


def is_unlike(cue: Cue, case: Case, features: Mapping[str, float]) -> bool:
    """Whether both show what failed, and it is not the same; an incident that shows nothing is like none."""
    if cue.incident and not (cue.clues.fingerprints or cue.clues.frames or cue.clues.exceptions):
        return True
    if not _shows_failure(cue) or not _tells_failure(case):
        return False
    mine, theirs = cue.clues, case.clues
    if say_otherwise(mine.errors, theirs.errors):
        return True
    trace = features.get("trace", 0.0)
    is_shared = bool(features.get("fingerprint") or features.get("message"))
    if trace >= TRACE_SHARED_MIN or (features.get("fingerprint") and trace >= TRACE_TOUCHED_MIN):
        return False
    if mine.frames and theirs.frames:
        return True
    # A line that both have says little where one of two incidents has more to show than that.
    return not is_shared or bool(cue.incident and bool(mine.frames) != bool(theirs.frames))


def say_otherwise(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether exceptions were raised on both sides, and none says what one of the other side does."""
    return bool(some) and bool(others) and not any(_says_same(one, other) for one in some for other in others)


def _says_same(one: str, other: str) -> bool:
    kind, _, message = one.partition(": ")
    other_kind, _, other_message = other.partition(": ")
    if not message or not other_message:
        return kind == other_kind
    # What varies stands there as its kind, in everybody's messages.
    return message == other_message or alike(_fixed(message), _fixed(other_message)) >= ERRORS_ALIKE_MIN


def _fixed(message: str) -> str:
    return _KIND.sub(" ", message)


def _shows_failure(cue: Cue) -> bool:
    """Whether a question holds what a program wrote. A person's sentence is compared by what it means."""
    return bool(cue.incident) or cue.kind is CueKind.TRACE


def _tells_failure(case: Case) -> bool:
    return bool(case.clues.frames or (case.source == NOTICED_HERE and case.clues.fingerprints))
