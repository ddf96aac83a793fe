"""Laws of templates: numbers and ids do not matter, nor how lines are cut into batches, nor a restart."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hindcast.ingest.template import Miner, TemplateLimits
from hindcast.ingest.template.lines import Scratch, Text
from hindcast.ingest.template.outline import FOLDED, outlines
from hindcast.ingest.template.reading import read

# What programs say, with places for what they fill in. No two have the same words.
STATEMENTS = (
    "took {number} ms to answer {address}",
    "session {hex} closed after {number} seconds",
    "order {uuid} was rejected: code={number}",
    "cannot open {path}",
    "pool exhausted",
    "worker-{number} started on {address} with id {hex}",
    "[{uuid}] retry {number} of {number}",
    "r24={hex} PSR0={number} through SOCKS5",
)
# Characters that matter to the rules, more often than others.
TEXT = st.text(st.sampled_from("abefxz_0123456789.-/:=,;'\"()[]<> @#~éß中\\ABEFXZ*\t"), max_size=40)


def filled(statement: str, rng: random.Random) -> str:
    """A statement with other numbers and ids each time."""

    def group(size: int) -> str:
        return "".join(rng.choice("0123456789abcdef") for _ in range(size))

    return statement.format(
        number=rng.randrange(10 ** rng.randrange(1, 9)),
        address=".".join(str(rng.randrange(256)) for _ in range(4)) + f":{rng.randrange(1, 65536)}",
        hex=f"0x{group(rng.randrange(4, 16))}",
        uuid="-".join(("7" + group(7), group(4), group(4), group(4), group(12))),
        path=f"/var/{group(4)}/{rng.choice(('a', 'b'))}.conf",
    )


def lines_of(picks: Sequence[int], seed: int) -> list[str]:
    """Lines of the picked statements."""
    rng = random.Random(seed)
    return [filled(STATEMENTS[pick], rng) for pick in picks]


def assigned(miner: Miner, lines: Sequence[str]) -> list[int]:
    """The ids of some lines."""
    ids: list[int] = miner.assign(pa.array(lines, pa.string())).to_pylist()
    return ids


def outlined(lines: Sequence[str]) -> Any:
    """The outlines of some lines that are looked at together."""
    scratch = Scratch()
    return outlines(Text(pa.array(lines, pa.string()), scratch), scratch)


def outline(line: str) -> bytes:
    """The outline of one line."""
    made = outlined([line])
    assert made is not None
    found: bytes = made[0].as_py()
    return found


def forms(line: str) -> list[str]:
    """How a line reads by itself."""
    return [chunk.form for chunk in read(line, chunks_max=256)]


Picks = st.lists(st.integers(0, len(STATEMENTS) - 1), min_size=1, max_size=40)


@given(Picks, st.integers(0, 10**6), st.integers(0, 10**6))
def test_templates_ignore_numbers_and_ids(picks: list[int], one: int, other: int) -> None:
    """The same statements with other numbers and ids have the same templates, one for each statement."""
    ids = assigned(Miner(), lines_of(picks, one))

    assert ids == assigned(Miner(), lines_of(picks, other))
    assert len(set(ids)) == len(set(picks))


@given(Picks, st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_change_their_ids(picks: list[int], seed: int, shuffler: random.Random) -> None:
    """A line has the same id wherever it stands in the stream."""
    lines = lines_of(picks, seed)
    straight = dict(zip(lines, assigned(Miner(), lines), strict=True))
    shuffled = list(lines)
    shuffler.shuffle(shuffled)

    assert dict(zip(shuffled, assigned(Miner(), shuffled), strict=True)) == straight


@given(Picks, st.integers(0, 10**6), st.integers(1, 12))
def test_how_lines_are_cut_into_batches_does_not_matter(picks: list[int], seed: int, size: int) -> None:
    """One batch or many: the ids are the same."""
    lines = lines_of(picks, seed)
    miner = Miner()
    in_parts = [
        number for at in range(0, len(lines), size) for number in assigned(miner, lines[at : at + size])
    ]  # fmt: skip

    assert in_parts == assigned(Miner(), lines)


@given(st.lists(TEXT, min_size=1, max_size=20))
def test_a_restart_changes_nothing(lines: list[str]) -> None:
    """With what was told before, a new miner gives every line the id that the old one gives it."""
    limits = TemplateLimits(words_distinct_max=2)
    first = Miner(limits=limits)
    assigned(first, lines)
    settled = assigned(first, lines)
    second = Miner(first.fresh(), limits)

    assert assigned(second, lines) == settled
    assert [second.template(number) for number in settled] == [first.template(number) for number in settled]


@given(TEXT)
def test_a_line_and_its_outline_read_the_same(line: str) -> None:
    """Folding takes away only what reading takes for variable, so that lines may share what was found for one."""
    line = line.strip()
    # Two digits make an id of any word, which is what every fold stands for.
    unfolded = outline(line).replace(bytes([FOLDED]), b"00").decode()

    assert forms(unfolded) == forms(line)


@given(TEXT, st.integers(2, 10**6))
def test_a_line_has_one_outline(line: str, other: int) -> None:
    """What stands before and after a line in its batch is nothing to its outline."""
    lines = [str(other), line, f"{other}x=", line, "-beef-", line, "_"]
    made = outlined(lines)

    assert made is not None
    assert {made[at].as_py() for at in (1, 3, 5)} == {outline(line)}


@given(st.lists(st.text(max_size=30), max_size=20))
def test_every_line_gets_an_id_that_can_be_read(lines: list[str]) -> None:
    """Whatever the lines are, none is left out, and each id has a text."""
    storable = [line.encode("utf-8", "replace").decode() for line in lines]
    miner = Miner(limits=TemplateLimits(words_distinct_max=1))
    ids = assigned(miner, storable)

    assert len(ids) == len(storable)
    assert all(ids)
    assert all(isinstance(miner.template(number), str) for number in ids)


@given(st.lists(TEXT, max_size=30), st.integers(1, 8), st.integers(1, 8))
def test_memory_stays_within_its_limits(lines: list[str], templates_max: int, outlines_max: int) -> None:
    """No stream of lines makes a miner hold more than it may."""
    miner = Miner(limits=TemplateLimits(templates_max=templates_max, outlines_max=outlines_max))
    for line in lines:
        assigned(miner, [line])
        assert len(miner._groups) <= templates_max
        assert len(miner._young) + len(miner._old) <= max(2, outlines_max)
