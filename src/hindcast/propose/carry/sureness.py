"""How sure it is that a carried change is the one that is meant.

The numbers are judgement, by how each change was found: among the cases of `bench/carry_set` every way is right now, so
they cannot be read off there. They were set below what code from outside showed (see the set's README), and are no
measured probabilities until a team's own verdicts make them so.
"""

from __future__ import annotations

from collections.abc import Sequence

from hindcast.propose.carry.names import ALIKE_MIN, alike
from hindcast.propose.carry.outcome import Tier

_MOST = {Tier.EXACT: 0.97, Tier.DRIFTED: 0.92, Tier.SYNTAX: 0.86}
# What a file that was found otherwise than by its path takes away.
_FOUND = {"path": 0.0, "history": 0.01, "name": 0.03, "trace": 0.04, "trace only": 0.06, "search": 0.1}
# How much of the distance to certainty what is missing of the code takes away.
_MISSING = 0.6
# A name that became another word altogether.
_OTHER_WORD = 0.03
_LEAST = 0.3


def sureness(tier: Tier, support: float, mapped: Sequence[tuple[str, str]], *, how: str, is_named: bool) -> float:
    """From how it was found, how much of the code is the same, and what is called otherwise, to 0 to 1."""
    words = sum(alike(old, new) < ALIKE_MIN for old, new in mapped)
    found = _MOST[tier] - _MISSING * (1 - support) - _OTHER_WORD * words - _FOUND.get(how, 0.1)
    return round(max(found if is_named else min(found, 0.85), _LEAST), 3)
