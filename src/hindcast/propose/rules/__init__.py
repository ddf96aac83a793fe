"""Rules about code that causes incidents: packs that come with Hindcast, and rules that a team made from its fixes.

A rule is tried on the functions of a trace only. Where it has a safe fix, it gives a change; otherwise a warning.
"""

from hindcast.propose.rules.keeping import from_json, to_json
from hindcast.propose.rules.learning import NotLearnt, learn
from hindcast.propose.rules.pack import PACKS, pack, rules
from hindcast.propose.rules.search import TONGUES, Match, matches, places, search

__all__ = [
    "PACKS",
    "TONGUES",
    "Match",
    "NotLearnt",
    "from_json",
    "learn",
    "matches",
    "pack",
    "places",
    "rules",
    "search",
    "to_json",
]
