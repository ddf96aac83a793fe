"""A memory of very many cases, made up quickly, to search it as one searches a team's that has been at it for years.

Hundreds of stories are made up, others are the demo's year, which people could have written. All are read by the real
model, and every case is one of them, told with other details. Its vectors are the story's, each shaken a little, and go
where an index looks for vectors that it need not make: into the store (`keep_vectors`), and for tokens straight into
the index's own file (`Tokens.add`).

Run alone, it prints how long searches take: `python -m bench._cases --cases 100000`.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench._world import START, VOCABULARY, open_bench
from hindcast.adapters import model_pack
from hindcast.adapters.embedder_onnx import OnnxEmbedder
from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.index_local.meaning import packed
from hindcast.adapters.index_local.text import searched
from hindcast.adapters.index_local.tokens import TOKENS_PER_TEXT_MAX, Packed, packed_tokens
from hindcast.adapters.index_local.vectors import EMBEDDED_CHARS_MAX
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.model import case as case_model
from hindcast.model.case import Attempt, Case, CaseState, Cause, Clues, Outcome, Resolution
from hindcast.model.ids import Address
from hindcast.model.query import Filter, Found, Query
from hindcast.model.record import Change
from hindcast.recall.keys import keys_of_case, keys_of_clues
from hindcast.recall.reading import COMPONENTS, words_of_case
from hindcast.simulate import history

STORIES = 500
DETAILS = 10_000
WORDS_PER_CASE = 300
CASES_PER_COMMIT = 5_000
# Twenty-five megabytes of tokens.
TELLINGS_PER_WRITE = 1_000
# The very folder that was filled is used again only if it was filled by this very code.
_FORMAT = 2
_SERVICES = [f"{name}-{part}" for name in ("checkout", "search", "ledger", "mail", "stock") for part in ("api", "jobs")]
_PLAIN = """
    the of to and in was after a we on for by with it at no from not were request service error connection timeout
    pool worker database queue node deploy memory latency traffic retry disk cache client server thread pod release
    version config limit failed slow restarted rolled back increased exhausted dropped refused expired leaked full
    stuck waiting missing wrong stale duplicate certificate replica leader partition consumer lag lock index query
    plan migration schema token session gateway proxy load balancer dns zone region cluster batch job cron upstream
    downstream health check probe alert dashboard metric log trace span customer order payment refund invoice user
    login page image upload download report export import backup restore snapshot scale autoscaler quota rate throttle
    spike drop recovered mitigated fixed patched reverted raised lowered doubled halved enabled disabled flag header
    cookie socket port firewall route packet loss jitter bandwidth garbage collection heap native buffer descriptor
    file handle inode mount volume network kernel driver scheduler priority starvation deadlock race overflow integer
    encoding charset timezone clock drift leap daylight currency rounding negative null empty huge unexpected
"""
# Plain words first: they are the common ones, as in real text; then names that hardly any other text has.
_WORDS = [*_PLAIN.split(), *VOCABULARY]
_TELLING = 1 / np.arange(1, len(_WORDS) + 1) ** 1.1
_CUMULATIVE = np.cumsum(_TELLING / _TELLING.sum())
_FIRST_AT = datetime(2023, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the kind people ask, and the keys that would be read out of it."""

    text: str
    keys: tuple[str, ...]


def _zipf(rng: np.random.Generator, count: int, limit: int) -> list[int]:
    drawn: list[int] = np.minimum(rng.zipf(1.35, count), limit).tolist()
    return drawn


def _clues(rng: np.random.Generator) -> Clues:
    """About thirty keys: some that hundreds of cases share, some that hardly any other has."""
    return Clues(
        fingerprints=tuple(int(number) for number in rng.integers(1, 2**60, 2)),
        exceptions=(f"{VOCABULARY[_zipf(rng, 1, 400)[0]].title()}Error",),
        frames=tuple(dict.fromkeys(f"{VOCABULARY[at]}.run" for at in _zipf(rng, 12, 20_000))),
        identifiers=tuple(dict.fromkeys(f"{VOCABULARY[at]}_limit" for at in _zipf(rng, 12, 50_000))),
        components=(list(COMPONENTS)[_zipf(rng, 1, len(COMPONENTS))[0] - 1],),
    )


@cache
def _details() -> list[Clues]:
    """What tellings of stories differ by."""
    rng = np.random.default_rng(11)
    return [_clues(rng) for _ in range(DETAILS)]


@cache
def story(number: int) -> Case:
    """One made-up incident of about so many words, always the same for the same number."""
    rng = np.random.default_rng(number)
    drawn = np.searchsorted(_CUMULATIVE, rng.random(WORDS_PER_CASE))
    words = [_WORDS[min(at, len(_WORDS) - 1)] for at in drawn.tolist()]
    parts = [" ".join(words[start : start + 20]) for start in range(0, len(words), 20)]
    clues = _clues(rng)
    return Case(
        id="",
        title=" ".join((clues.components[0], *words[:8])),
        occurred_at=START,
        state=CaseState.RESOLVED,
        summary=". ".join(parts[4:9]),
        services=(_SERVICES[number % len(_SERVICES)],),
        components=clues.components,
        symptoms=(f"{clues.exceptions[0]}: {parts[0]}", parts[1], parts[2], parts[3]),
        clues=clues,
        cause=Cause(". ".join(parts[9:11])),
        attempts=(
            Attempt("1", parts[11], Outcome.MADE_WORSE),
            Attempt("2", parts[12], Outcome.NO_EFFECT),
            Attempt("3", parts[13], Outcome.WORKED),
        ),
        resolution=Resolution(parts[14], attempt="3"),
        minutes=float(10 + number % 90),
        responders=(f"person{number % 30}",),
        source="bench",
    )


@cache
def stories(count: int) -> tuple[Case, ...]:
    """The stories of a memory of so many cases: the made-up ones first, then the demo's year, as far as they go."""
    year = [with_clues(told) for told in history.cases(now=START)]
    return (*(story(number) for number in range(min(STORIES, count))), *year)[:count]


def case(number: int, stories: Sequence[Case]) -> Case:
    """A telling of a story: with a name of its own, and half of its fine details."""
    told = stories[number % len(stories)]
    if number < len(stories):
        return replace(told, id=f"inc-{number}", occurred_at=_FIRST_AT + timedelta(minutes=10 * number))
    own = _details()[number * 7_919 % DETAILS]
    clues = replace(
        told.clues,
        fingerprints=(number, *own.fingerprints[1:]) if number % 3 else told.clues.fingerprints,
        frames=(*told.clues.frames[:6], *own.frames[:6]),
        identifiers=(*told.clues.identifiers[:6], *own.identifiers[:6]),
    )
    return replace(
        told,
        id=f"inc-{number}",
        title=f"{told.title} {own.identifiers[-1]}",
        occurred_at=_FIRST_AT + timedelta(minutes=10 * number),
        summary=f"{told.summary}. {' '.join((*own.frames, *own.identifiers))}",
        clues=clues,
        services=(_SERVICES[number * 31 % len(_SERVICES)],),
    )


def change(one: Case) -> Change:
    """The case as a casebook would write it."""
    body = {**case_model.to_json(one), "keys": list(keys_of_case(one))}
    return Change(
        Address(case_model.NAMESPACE, one.id),
        body,
        kind=case_model.KIND,
        text=words_of_case(one),
        occurred_at=one.occurred_at,
    )


def questions(count: int, *, seed: int = 5) -> list[Question]:
    """Questions about made-up stories: an error line, some words of what was seen, and part of the keys.

    Hardly a word of them is in a dictionary, so that a model needs three times the tokens people need for as much.
    """
    rng = random.Random(seed)
    asked = []
    for _ in range(count):
        told = story(rng.randrange(STORIES))
        words = f"{told.symptoms[1]} {told.symptoms[2]}".split()
        error = " ".join(told.symptoms[0].split()[:12])
        text = " ".join((error, *rng.sample(words, 5), *told.clues.identifiers[:2]))
        clues = replace(told.clues, frames=told.clues.frames[:8], identifiers=told.clues.identifiers[:4])
        asked.append(Question(text, keys_of_clues(clues, told.services)))
    return asked


def embedder() -> OnnxEmbedder:
    """The default model, prepared if it has not been."""
    return OnnxEmbedder(model_pack.default_pack() or model_pack.prepare().folder)


def open_large(folder: Path, cases: int, *, told: Callable[[Case, int], Case] = lambda one, _: one) -> Memory:
    """A memory of so many cases with its index complete; made in this folder unless it is there already.

    `told` may give a case another name and time, by its number.
    """
    marker = folder / "made"
    there = marker.exists() and marker.read_text() == f"{_FORMAT} {cases}"
    folder.mkdir(parents=True, exist_ok=True)
    model = embedder()
    memory, store, _ = open_bench(folder, index=True, embedder=model)
    index = memory._index
    assert isinstance(index, LocalIndex)
    if there:
        index.follow(embed=False)
        return memory
    known = stories(cases)
    for start in range(0, cases, CASES_PER_COMMIT):
        numbers = range(start, min(start + CASES_PER_COMMIT, cases))
        changes = [change(told(case(number, known), number)) for number in numbers]
        memory.commit(changes, actor="bench", why="grow")
    assert store.tip().version == cases, "cases are numbered in the order in which they were written"
    vectors, tokens = _read(model, known)
    rng = np.random.default_rng(3)
    for start in range(0, cases, CASES_PER_COMMIT):
        versions = np.arange(start + 1, min(start + CASES_PER_COMMIT, cases) + 1)
        shaken = (
            vectors[(versions - 1) % len(known)] + rng.standard_normal((len(versions), model.dims), np.float32) / 50
        )
        shaken /= np.linalg.norm(shaken, axis=1, keepdims=True)
        made = packed(shaken.astype(np.float32))
        rows = [(version, row.tobytes()) for version, row in zip(versions.tolist(), made, strict=True)]
        store.keep_vectors(model.model, rows)
    index.follow(embed=False)
    kept = index._vectors.tokens if index._vectors is not None else None
    assert kept is not None
    for part in _tellings(tokens, cases, model.dims):
        kept.add(part)
    memory.index()
    marker.write_text(f"{_FORMAT} {cases}")
    return memory


def _read(model: OnnxEmbedder, stories: Sequence[Case]) -> tuple[NDArray[np.float32], list[Packed]]:
    """What the model makes of each story."""
    texts = [
        searched(f"{case_model.NAMESPACE}/inc-{number}", {}, words_of_case(told))[:EMBEDDED_CHARS_MAX]
        for number, told in enumerate(stories)
    ]
    read = model.embed_tokens(texts, tokens_max=TOKENS_PER_TEXT_MAX)
    return np.array([vector for vector, _, _ in read]), [packed_tokens(numbers, each) for _, numbers, each in read]


def _tellings(tokens: Sequence[Packed], cases: int, dims: int) -> Iterator[dict[int, Packed]]:
    """The tokens of every case: a story's, each level moved by up to two of 127, which is a cosine of about .99."""
    noise = np.random.default_rng(4).integers(-2, 3, (TOKENS_PER_TEXT_MAX * 2, dims), np.int8)
    for start in range(0, cases, TELLINGS_PER_WRITE):
        part: dict[int, Packed] = {}
        for number in range(start, min(start + TELLINGS_PER_WRITE, cases)):
            told = tokens[number % len(tokens)]
            content = told.content.copy()
            levels = content[:, :dims].view(np.int8)
            begin = number % TOKENS_PER_TEXT_MAX
            np.clip(levels, -125, 125, out=levels)
            levels += noise[begin : begin + len(levels)]
            part[number + 1] = Packed(told.numbers, content)
        yield part


@dataclass(frozen=True, slots=True)
class Taken:
    """Milliseconds: on the clock, and of processors. On a machine with other work the second says more."""

    p50: float
    p99: float
    cpu_p50: float
    cpu_p99: float


def _taken(each: Sequence[tuple[float, float]]) -> Taken:
    wall, cpu = np.array(each).T * 1e3
    return Taken(*(float(np.percentile(times, share)) for times in (wall, cpu) for share in (50, 99)))


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _searched(work: Sequence[Query], memory: Memory) -> Taken:
    view = memory.now()
    for query in work[:30]:
        view.search(query)
    gc.collect()
    gc.disable()
    each = [_timed(partial(view.search, query)) for query in work]
    gc.enable()
    return _taken(each)


def _new_record(memory: Memory, cases: int, repeats: int) -> Taken:
    """How long a search takes right after a commit, and holds what was committed; the model reads both."""
    each = []
    known = stories(cases)
    for number in range(cases, cases + repeats):
        name = os.urandom(6)
        told = case(number, known)
        clues = replace(told.clues, fingerprints=(int.from_bytes(name),))
        fresh = replace(told, id=f"new-{name.hex()}", clues=clues)
        memory.commit([change(fresh)], actor="bench", why="one more")
        found: list[Found] = []
        each.append(_timed(partial(_ask_for, memory, fresh, found)))
        assert any(hit.record.path == fresh.id for hit in found[0].hits), "a new record is found by the next query"
    return _taken(each)


def _ask_for(memory: Memory, wanted: Case, into: list[Found]) -> None:
    into.append(memory.now().search(Query(wanted.title, keys=keys_of_case(wanted))))


def measure(memory: Memory, cases: int, searches: int) -> list[tuple[str, Taken]]:
    """What each kind of search takes, and finding what was just written."""
    wanted = Filter(namespace=case_model.NAMESPACE, kind=case_model.KIND)
    asked = questions(searches)
    first = ("words", "meaning", "keys")

    def ask(*arms: str, by_all: bool = False) -> Taken:
        work = [
            Query(one.text, wanted, hits_max=50, arms=arms, keys=one.keys, scored_by_all=by_all, tokens_ms_max=1_000)
            for one in asked
        ]
        return _searched(work, memory)

    model = embedder()
    model.embed([asked[0].text])
    reading = [_timed(partial(model.embed_tokens, [one.text], tokens_max=TOKENS_PER_TEXT_MAX)) for one in asked]
    return [
        ("the model reads a question", _taken(reading)),
        ("words", ask("words")),
        ("keys", ask("keys")),
        ("meaning", ask("meaning")),
        ("words, meaning, keys", ask(*first)),
        ("the same, each scored by all", ask(*first, by_all=True)),
        ("words, meaning, keys, tokens", ask(*first, "tokens")),
        ("the same, each scored by all", ask(*first, "tokens", by_all=True)),
        ("a record written just now is found", _new_record(memory, cases, 30)),
    ]


def main() -> int:
    """Make it, search it, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--folder", type=Path, help="keep it here and use it again; a temporary folder unless given")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hindcast-cases-") as scratch:
        begin = time.perf_counter()
        memory = open_large(chosen.folder or Path(scratch), chosen.cases)
        opened = time.perf_counter() - begin
        title = f"Searches for 50 hits among {chosen.cases:,} cases"
        table = Table("arms", "p50 ms", "p99 ms", "p50 ms of CPU", "p99 ms of CPU", title=title)
        for name, taken in measure(memory, chosen.cases, chosen.searches):
            table.add_row(name, *(f"{value:.1f}" for value in astuple(taken)))
        table.add_row("made or opened in", f"{opened:.0f} s", "", "", "")
        table.add_row("resident", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", "", "", "")
        Console(width=100).print(table)
        memory.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
