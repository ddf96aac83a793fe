"""Joins what the arms of the index found into one ranking, and keeps the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hindcast.model.query import Found, Hit, Query, Rank
from hindcast.model.record import Record, Scope, State
from hindcast.ports import Early, Index, Store

ARMS = ("words", "meaning", "keys", "tokens")
# Arms that find nothing by themselves: they compare what others have found.
COMPARING_ARMS = ("tokens",)
KEYS_PER_QUERY_MAX = 400
KEY_CHARS_MAX = 200

# Cormack et al. (2009) found 60 to work across collections. A larger value trusts agreement between arms more, and any
# single arm's first place less.
RANK_OFFSET = 60

# Words and meaning miss different things. Incident memory is full of identifiers, on which words are nearly always
# right and vectors are not, so meaning counts a little less. A shared key is a shared fact, and counts a little more.
ARM_WEIGHTS: Mapping[str, float] = {"words": 1.0, "meaning": 0.8, "keys": 1.2, "tokens": 1.0}

# Each arm looks this much deeper than the answer, so that a record two arms rank in the middle can still win.
DEPTH_FACTOR = 3
CANDIDATES_MIN = 30
SCORED_MIN = 50
# What is looked through for the question's words; a body may be a megabyte.
MATCHED_CHARS_MAX = 20_000


def fuse(
    by_arm: Mapping[str, tuple[tuple[int, float], ...]], *, hits_max: int | None = None
) -> list[tuple[int, float, dict[str, Rank]]]:
    """Weighted reciprocal rank fusion: version, score and each arm's opinion, best first, ties by the newer version."""
    scores: dict[int, float] = {}
    places: dict[str, dict[int, int]] = {}
    for arm, found in by_arm.items():
        weight = ARM_WEIGHTS[arm]
        places[arm] = {version: place for place, (version, _) in enumerate(found, 1)}
        for version, place in places[arm].items():
            scores[version] = scores.get(version, 0.0) + weight / (RANK_OFFSET + place)
    best = sorted(((-score, -version) for version, score in scores.items()))[:hits_max]
    return [(-version, -score, _opinions(-version, by_arm, places)) for score, version in best]


def _opinions(
    version: int, by_arm: Mapping[str, tuple[tuple[int, float], ...]], places: Mapping[str, Mapping[int, int]]
) -> dict[str, Rank]:
    """What each arm thought of a version."""
    found = ((arm, places[arm].get(version)) for arm in by_arm)
    return {arm: Rank(place, by_arm[arm][place - 1][1]) for arm, place in found if place is not None}


def search(store: Store, index: Index, query: Query, scope: Scope, early: Early | None = None) -> Found:
    """Ask the index, join the arms, and read the winners from history itself; those that are told early, early."""
    index.follow(embed=False)
    # Where every arm scores what any arm found, nothing in the middle of one is lost for want of depth.
    depth = max(query.hits_max, SCORED_MIN) if query.scored_by_all else query.hits_max * DEPTH_FACTOR
    depth = max(depth, CANDIDATES_MIN)
    known: dict[int, Record] = {}

    def read_early(versions: Sequence[int]) -> None:
        fresh = store.records(versions)
        known.update(fresh)
        if early is not None:
            early(tuple(fresh.values()))

    found = index.search(query, scope, candidates_max=depth, early=read_early if early is not None else None)
    fused = fuse(found.by_arm, hits_max=query.hits_max)
    known.update(store.records([version for version, _, _ in fused if version not in known]))
    hits = tuple(
        Hit(known[version], score, opinions, () if query.one_look else _matched(found.words, known[version]))
        for version, score, opinions in fused
        # An erasure may have come between the index and here.
        if version in known and known[version].state is State.LIVE
    )
    return Found(hits, tuple(found.by_arm), found.unembedded, found.notes)


def _matched(words: Mapping[str, str], record: Record) -> tuple[str, ...]:
    """The question's words that the record holds, as far as plain reading of what was searched can tell."""
    told = record.text if record.text is not None else f"{record.body}"
    haystack = f"{record.path} {told[:MATCHED_CHARS_MAX]}".lower()
    return tuple(word for term, word in words.items() if term in haystack)
