"""Joins what the arms of the index found into one ranking, and keeps the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hindcast.model.query import Found, Hit, Looked, Query, Rank, Sight
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


def fuse(by_arm: Mapping[str, tuple[tuple[int, float], ...]], *, hits_max: int | None = None) -> tuple[Sight, ...]:
    """Weighted reciprocal rank fusion: version, score and each arm's opinion, best first, ties by the newer version."""
    scores: dict[int, float] = {}
    places: dict[str, dict[int, int]] = {}
    for arm, found in by_arm.items():
        weight = ARM_WEIGHTS[arm]
        places[arm] = {version: place for place, (version, _) in enumerate(found, 1)}
        for version, place in places[arm].items():
            scores[version] = scores.get(version, 0.0) + weight / (RANK_OFFSET + place)
    best = sorted(((-score, -version) for version, score in scores.items()))[:hits_max]
    return tuple(Sight(-version, -score, _opinions(-version, by_arm, places)) for score, version in best)


def _opinions(
    version: int, by_arm: Mapping[str, tuple[tuple[int, float], ...]], places: Mapping[str, Mapping[int, int]]
) -> dict[str, Rank]:
    """What each arm thought of a version."""
    found = ((arm, places[arm].get(version)) for arm in by_arm)
    return {arm: Rank(place, by_arm[arm][place - 1][1]) for arm, place in found if place is not None}


def look(store: Store, index: Index, query: Query, scope: Scope, early: Early | None = None) -> Looked:
    """Ask the index and join the arms; what is told early is read from history itself."""
    index.follow(embed=False)
    # Where every arm scores what any arm found, nothing in the middle of one is lost for want of depth.
    depth = max(query.hits_max, SCORED_MIN) if query.scored_by_all else query.hits_max * DEPTH_FACTOR
    depth = max(depth, CANDIDATES_MIN)

    def read_early(versions: Sequence[int]) -> None:
        if early is not None:
            early(tuple(read(store, versions).values()))

    found = index.search(query, scope, candidates_max=depth, early=read_early if early is not None else None)
    fused = fuse(found.by_arm, hits_max=query.hits_max)
    return Looked(fused, tuple(found.by_arm), found.words, found.unembedded, found.notes)


def read(store: Store, versions: Sequence[int]) -> dict[int, Record]:
    """Those versions that are there to be read: an erasure may have come between the index and here."""
    found = store.records(versions) if versions else {}
    return {version: record for version, record in found.items() if record.state is State.LIVE}


def search(store: Store, index: Index, query: Query, scope: Scope) -> Found:
    """Look, and read what was seen."""
    looked = look(store, index, query, scope)
    known = read(store, [sight.version for sight in looked.sights])
    hits = tuple(
        Hit(record, sight.score, sight.ranks, () if query.one_look else _matched(looked.words, record))
        for sight in looked.sights
        if (record := known.get(sight.version)) is not None
    )
    return Found(hits, looked.arms, looked.unembedded, looked.notes)


def _matched(words: Mapping[str, str], record: Record) -> tuple[str, ...]:
    """The question's words that the record holds, as far as plain reading of what was searched can tell."""
    told = record.text if record.text is not None else f"{record.body}"
    haystack = f"{record.path} {told[:MATCHED_CHARS_MAX]}".lower()
    return tuple(word for term, word in words.items() if term in haystack)
