"""Cases, cues and a small memory to try recall on, without any index or model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hindcast.model import case as cases
from hindcast.model.case import Attempt, Case, CaseState, Cause, Clues, Evidence, Outcome, Resolution, Witness
from hindcast.model.ids import Address
from hindcast.model.query import Looked, Query, Rank, Sight
from hindcast.model.recollection import Cue, CueKind
from hindcast.model.record import Record, State
from hindcast.ports import Early
from hindcast.recall.keys import keys_of_case
from hindcast.recall.reading import components, exceptions, identifiers, words_of_case
from hindcast.recall.text import words_in

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)

STACK = ("read_response", "send_command", "checkout", "run_task", "main")
POOL_FINGERPRINT = 0x91AB
RESET = "redis.exceptions.ConnectionError: Error 104 while writing to socket. Connection reset by peer."


def clues(text: str, *, frames: Sequence[str] = (), fingerprints: Sequence[int] = ()) -> Clues:
    """What identifies a failure in a text, with a stack that is given as it would be read."""
    return Clues(tuple(fingerprints), exceptions(text), tuple(frames), identifiers(text), components(text))


def cue(
    text: str, *, frames: Sequence[str] = (), fingerprints: Sequence[int] = (), kind: CueKind | None = None, **rest: Any
) -> Cue:
    """A question."""
    found = CueKind.TRACE if frames else CueKind.PROSE
    return Cue(text, kind or found, NOW, clues(text, frames=frames, fingerprints=fingerprints), **rest)


def case(id_: str, title: str, *symptoms: str, days_ago: float = 42, **rest: Any) -> Case:
    """A resolved case; clues are read from its symptoms, `frames` and `fingerprints`."""
    frames, fingerprints = rest.pop("frames", ()), rest.pop("fingerprints", ())
    seen = "\n".join(symptoms) or title
    made = Case(
        id=id_,
        title=title,
        occurred_at=NOW - timedelta(days=days_ago),
        state=CaseState.RESOLVED,
        symptoms=symptoms,
        clues=clues(seen, frames=frames, fingerprints=fingerprints),
    )
    return replace(made, **rest)


def said(quote: str, witness: Witness = Witness.PERSON) -> tuple[Evidence, ...]:
    """Somebody's word for something."""
    return (Evidence(witness, quote),)


def pool_case(id_: str = "redis-worker-pool", **rest: Any) -> Case:
    """Workers that do not give their connections back."""
    known: dict[str, Any] = {
        "frames": STACK,
        "fingerprints": (POOL_FINGERPRINT,),
        "services": ("payment",),
        "components": ("redis",),
        "cause": Cause("workers did not release connections after a task", evidence=said("see the diff")),
        "attempts": (
            Attempt("a1", "raised the pool size to 200", Outcome.MADE_WORSE, evidence=said("it got worse")),
            Attempt("a2", "release the connection in task teardown", Outcome.WORKED, evidence=said("recovered")),
        ),
        "resolution": Resolution("release the connection in task teardown", attempt="a2", evidence=said("recovered")),
    }
    return case(id_, "Payment workers: redis connection resets", RESET, **(known | rest))


class SmallMemory:
    """Cases found by shared words, shared keys and, when it has a model, the share of words as meaning."""

    def __init__(self, *remembered: Case, model: bool = True, bodies: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._records = {str(record.address): record for record in map(_record, enumerate(remembered, 1))}
        for version, (path, body) in enumerate((bodies or {}).items(), len(remembered) + 1):
            first = next(iter(self._records.values()))
            whole = replace(first, address=Address("cases", path), body=body, version=version)
            self._records[str(whole.address)] = whole
        self.asked: list[Query] = []
        self.versions_read: list[int] = []

    def look(self, query: Query, *, early: Early | None = None) -> Looked:
        """Every record that shares a word or a key."""
        self.asked.append(query)
        wanted = set(words_in(query.text))
        sights: list[Sight] = []
        arms = tuple(arm for arm in query.arms or () if self._model or arm not in ("meaning", "tokens"))
        for record in self._records.values():
            held = set(words_in(record.text or ""))
            keys = _keys(record)
            likeness = len(wanted & held) / (len(wanted) * len(held)) ** 0.5 if wanted and held else 0.0
            scores = {
                "words": float(len(wanted & held)),
                "meaning": likeness,
                "keys": float(len(keys & set(query.keys))),
                "tokens": len(wanted & held) / len(wanted) if wanted else 0.0,
            }
            if scores["words"] or scores["keys"]:
                sights.append(Sight(record.version, scores["words"], {arm: Rank(1, scores[arm]) for arm in arms}))
        sights.sort(key=lambda sight: -sight.score)
        if early is not None:
            early(list(self.read(sights[::2]).values()))
        notes = () if self._model else ("There is no model: meaning took no part.",)
        return Looked(tuple(sights[: query.hits_max]), arms, notes=notes)

    def read(self, sights: Sequence[Sight]) -> dict[int, Record]:
        """Their records."""
        known = {record.version: record for record in self._records.values()}
        self.versions_read += [sight.version for sight in sights]
        return {sight.version: known[sight.version] for sight in sights}


def _keys(record: Record) -> set[str]:
    found = record.body.get("keys") if isinstance(record.body, Mapping) else None
    return {str(key) for key in found} if isinstance(found, list) else set()


def _record(numbered: tuple[int, Case]) -> Record:
    version, one = numbered
    return Record(
        address=Address(cases.NAMESPACE, one.id),
        body={**cases.to_json(one), "keys": list(keys_of_case(one))},
        kind=cases.KIND,
        state=State.LIVE,
        text=words_of_case(one),
        occurred_at=one.occurred_at,
        learned_at=one.occurred_at,
        actor="ana",
        commit="c0ffee",
        seq=version,
        version=version,
    )
