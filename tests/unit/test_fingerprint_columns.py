"""Fingerprints for whole columns: who gets one, what is shared, what is new, and what is forgotten."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from hindcast.ingest.fingerprint import columns, fingerprint
from hindcast.ingest.fingerprint.columns import Fingerprinter, FingerprintLimits
from hindcast.ingest.trace import TraceLimits, parse
from hindcast.model.signal import Level
from hindcast.model.trace import Trace

STACK = (
    "com.acme.PoolException: none left\n\tat com.acme.Pool.take(Pool.java:{line})\n"
    "\tat com.acme.Charge.run(Charge.java:12)"
)
Row = tuple[int, str, str, int]


def assign(maker: Fingerprinter, rows: Sequence[Row]) -> list[int]:
    """The fingerprints of rows of level, message, stack and template."""
    levels, messages, stacks, templates = zip(*rows, strict=True) if rows else ((), (), (), ())
    found = maker.assign(
        pa.array(levels, pa.uint8()),
        pa.array(messages, pa.string()),
        pa.array(stacks, pa.string()),
        pa.array(templates, pa.uint64()),
    )
    assert found.type == pa.uint64()
    return [int(number) for number in found.to_pylist()]


@pytest.mark.parametrize("level", [Level.UNKNOWN, Level.DEBUG, Level.INFO, Level.WARN])
def test_lines_below_error_have_none(level: Level) -> None:
    """Nothing failed where nobody says so."""
    assert assign(Fingerprinter(), [(level, "started in 12 ms", "", 7)]) == [0]


def test_a_stack_makes_a_failure_of_any_line() -> None:
    """A line with a stack has a fingerprint whatever it calls itself."""
    assert assign(Fingerprinter(), [(Level.INFO, "x", STACK.format(line=3), 7)]) == [
        fingerprint("", stack=STACK.format(line=3)).id
    ]


def test_columns_and_single_lines_agree() -> None:
    """A column gives the same numbers as one line after the other."""
    rows: list[Row] = [
        (Level.ERROR, "pool empty", "", 7),
        (Level.INFO, "fine", "", 8),
        (Level.FATAL, "x", STACK.format(line=3), 9),
        (Level.ERROR, STACK.format(line=4), "", 10),
        (Level.ERROR, STACK.format(line=5).replace("\n", "\\n").replace("\t", "\\t"), "", 11),
        (Level.ERROR, "no template 4", "", 0),
        (Level.ERROR, "odd stack", "not a trace", 12),
        (Level.ERROR, "", "", 0),
    ]
    alone = [
        fingerprint(message, stack=stack, template=template).id if level >= Level.ERROR else 0
        for level, message, stack, template in rows
    ]

    assert assign(Fingerprinter(), rows) == alone
    assert [one for row in rows for one in assign(Fingerprinter(), [row])] == alone


def test_lines_of_one_template_share_one() -> None:
    """Lines without a stack are told apart by their template alone."""
    maker = Fingerprinter()
    first = assign(maker, [(Level.ERROR, "user ana not found", "", 7), (Level.ERROR, "user bo not found", "", 7)])
    later = assign(maker, [(Level.ERROR, "user cy not found", "", 7), (Level.ERROR, "user cy not found", "", 8)])

    assert first[0] == first[1] == later[0] != later[1]


def test_traces_folded_into_lines_of_one_template_are_told_apart() -> None:
    """A template of one-line traces stands for none of them."""
    maker = Fingerprinter()
    take = STACK.format(line=3).replace("\n", "\\n").replace("\t", "\\t")
    numbers = assign(maker, [(Level.ERROR, take, "", 7), (Level.ERROR, take.replace("take", "put"), "", 7)])
    again = assign(maker, [(Level.ERROR, take.replace("take", "put"), "", 7), (Level.ERROR, take, "", 7)])

    assert numbers[0] != numbers[1]
    assert again == [numbers[1], numbers[0]]


def test_a_stack_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand failures with one stack cost one parsing, and lines without a failure none."""
    parsed: list[str] = []

    def counted(text: str, limits: TraceLimits) -> Trace | None:
        parsed.append(text)
        return parse(text, limits)

    monkeypatch.setattr(columns, "parse", counted)
    maker = Fingerprinter()
    rows: list[Row] = [(Level.ERROR, f"order {n} failed", STACK.format(line=3), 7) for n in range(500)]
    assign(maker, rows)
    assign(maker, rows)
    assign(maker, [(Level.INFO, f"order {n} fine", "", 8) for n in range(500)])

    assert parsed == [STACK.format(line=3)]


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ("none left for order 8812", "none left for order 17", True),
        ("Pool.java:3)", "Pool.java:99)", True),
        ("Pool.take(", "Pool.take2(", False),
    ],
)
def test_a_flood_of_one_failure_is_parsed_once(
    monkeypatch: pytest.MonkeyPatch, one: str, two: str, shared: bool
) -> None:
    """Stacks that differ in line numbers and ids alone are one stack; a number in a name makes two of them."""
    parsed: list[str] = []

    def counted(text: str, limits: TraceLimits) -> Trace | None:
        parsed.append(text)
        return parse(text, limits)

    monkeypatch.setattr(columns, "parse", counted)
    stack = STACK.format(line=3).replace("none left", "none left for order 8812")
    numbers = assign(Fingerprinter(), [(17, "x", stack, 7), (17, "x", stack.replace(one, two), 7)])

    assert (numbers[0] == numbers[1]) is shared
    assert len(parsed) == (1 if shared else 2)


@pytest.mark.parametrize("other", ["balance >= 1", "Ring<16>::put"])
def test_numbers_that_are_code_count_in_columns_too(other: str) -> None:
    """Conditions and template arguments are code: with another number they are another failure."""
    stack = (
        "F0303 02:14:09.775753  384244 ledger.cc:130] Check failed: balance >= 0\n"
        "    #0 0x560e73b80fe2 in Ring<8>::put(int) /src/ring.h:3:1\n"
    )
    plain = stack.partition("\n")[2].join(["==1==ERROR: AddressSanitizer: SEGV on unknown address 0x1\n", ""])
    text = stack if "balance" in other else plain
    changed = text.replace("balance >= 0", other) if "balance" in other else text.replace("Ring<8>::put", other)
    numbers = assign(Fingerprinter(), [(17, "x", text, 7), (17, "x", changed, 7)])

    assert numbers[0] != numbers[1]


def test_each_new_fingerprint_is_told_once() -> None:
    """`fresh` gives what came up since it was last asked, with a title."""
    maker = Fingerprinter()
    numbers = assign(maker, [(Level.ERROR, "x", STACK.format(line=3), 7), (Level.ERROR, "x", STACK.format(line=9), 7)])
    told = maker.fresh()
    assign(maker, [(Level.ERROR, "x", STACK.format(line=11), 7)])

    assert numbers[0] == numbers[1]
    assert [(one.id, one.text) for one in told] == [
        (numbers[0], "com.acme.PoolException: none left in com.acme.Pool.take")
    ]
    assert maker.fresh() == ()


def test_what_is_forgotten_comes_out_the_same() -> None:
    """Memory is bounded: with room for one entry of each kind the numbers are those of one with room for all."""
    rows: list[Row] = [
        (
            Level.ERROR,
            f"kind {n % 5}",
            STACK.format(line=n).replace("take", f"take{'abcde'[n % 5]}") if n % 2 else "",
            n % 5 + 1,
        )
        for n in range(60)
    ]
    small = Fingerprinter(FingerprintLimits(stacks_kept_max=1, templates_kept_max=1, titles_kept_max=1))

    assert [one for row in rows for one in assign(small, [row])] == assign(Fingerprinter(), rows)


def test_empty_and_chunked_columns_are_columns() -> None:
    """No rows give no numbers, and columns in several chunks give theirs in order."""
    maker = Fingerprinter()
    chunked = maker.assign(
        pa.chunked_array([pa.array([17], pa.uint8()), pa.array([9, 21], pa.uint8())]),
        pa.chunked_array([["a"], ["b", "c"]], pa.string()),
        pa.chunked_array([[""], ["", STACK.format(line=1)]], pa.string()),
        pa.chunked_array([pa.array([1], pa.uint64()), pa.array([2, 3], pa.uint64())]),
    )

    assert assign(maker, []) == []
    assert [number > 0 for number in chunked.to_pylist()] == [True, False, True]


def test_a_fingerprint_with_several_messages_shows_the_newest() -> None:
    """Its title is told again whenever it reads otherwise, also where both were seen before."""
    fingerprinter = Fingerprinter()

    def titles(message: str) -> list[str]:
        stack = (
            f'Traceback (most recent call last):\n  File "/app/shop.py", line 3, in pay\n    go()\nShopError: {message}'
        )
        fingerprinter.assign(pa.array([17]), pa.array([""]), pa.array([stack]), pa.array([1], pa.uint64()))
        return [pattern.text for pattern in fingerprinter.fresh()]

    told = [titles(message) for message in ("closed", "closed", "on fire", "closed")]

    assert told == [["ShopError: closed in pay"], [], ["ShopError: on fire in pay"], ["ShopError: closed in pay"]]
