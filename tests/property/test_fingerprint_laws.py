"""Laws of fingerprints: what belongs to one run never counts, and the reasons given make the number."""

from __future__ import annotations

import re

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hindcast.ingest.fingerprint import SCHEME, Variant, fingerprint, key, of_message, of_trace
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.trace import parse, parse_all
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

NAMES = st.sampled_from(["take", "charge", "settle", "load", "parse", "render", "close", "retry"])
NUMBERS = st.integers(min_value=1, max_value=99_999)
STACKS = st.lists(NAMES, min_size=1, max_size=8)
HEX = st.integers(min_value=0x400000, max_value=0x7FFFFFFFFFFF).map(lambda value: f"0x{value:012x}")

# What traces are made of, so that random text comes near them.
FRAGMENTS = st.sampled_from(
    [
        "Traceback (most recent call last):", '  File "a.py", line 3, in f', "ValueError: x", "\tat a.B.c(B.java:3)",
        "Caused by: a.BException: y", "    at f (/a.js:1:2)", "    at A.B() in /a.cs:line 3", " ---> A.BException: z",
        "panic: p", "goroutine 1 [running]:", "main.f(0x1)", "\t/a.go:3 +0x1", "a.rb:3:in `f': m (NoMethodError)",
        "\tfrom b.rb:4:in `g'", "thread 'main' panicked at src/a.rs:1:2:", "stack backtrace:", "   0: a::b",
        "Stack trace:", "#0 /a.php(3): f()", "#1 {main}", "    #0 0x4f6b78 in f() a.cc:3:1", "#0 0x12 (",
        "==1==ERROR: AddressSanitizer: SEGV on unknown address", "\\n\\n",
        "  + Exception Group Traceback (most recent call last):",
        "  | ", "  | f",
        "  +-+---------------- 1 ----------------", "    +------------------------------------", "", "\x00", "[",
        "The above exception was the direct cause of the following exception:", "... 3 more", "[<c0>] f+0x1/0x2",
    ]
)  # fmt: skip
MESSY = st.lists(FRAGMENTS | st.text(max_size=30), max_size=30).map("\n".join)


def python(names: list[str], lines: list[int]) -> str:
    """A traceback with these functions, the last one innermost."""
    frames = "".join(
        f'  File "/srv/{name}.py", line {line}, in {name}\n    {name}()\n'
        for name, line in zip(names, lines, strict=True)
    )
    return f"Traceback (most recent call last):\n{frames}ValueError: order {sum(lines)} failed"


def java(names: list[str], lines: list[int]) -> str:
    """A Java trace with these methods."""
    frames = "".join(f"\n\tat com.acme.Shop.{name}(Shop.java:{line})" for name, line in zip(names, lines, strict=True))
    return f"com.acme.ShopException: order {sum(lines)} failed{frames}"


def native(names: list[str], addresses: list[str]) -> str:
    """A sanitizer's report with these functions."""
    frames = "".join(
        f"    #{n} {address} in shop::{name}(int) /src/{name}.cc:{n + 1}:7\n"
        for n, (name, address) in enumerate(zip(names, addresses, strict=True))
    )
    return f"==7==ERROR: AddressSanitizer: heap-buffer-overflow on address {addresses[0]} at pc 0x1\n{frames}"


@given(st.data(), STACKS)
def test_line_numbers_do_not_count(data: st.DataObject, names: list[str]) -> None:
    """The same calls on other lines, with other numbers in the message, are the same failure."""
    count = len(names)
    for made in (python, java):
        one = made(names, data.draw(st.lists(NUMBERS, min_size=count, max_size=count)))
        two = made(names, data.draw(st.lists(NUMBERS, min_size=count, max_size=count)))

        assert fingerprint(one).id == fingerprint(two).id
        assert fingerprint(one).title == fingerprint(two).title


@given(st.data(), STACKS)
def test_addresses_do_not_count(data: st.DataObject, names: list[str]) -> None:
    """A program loaded elsewhere fails the same way."""
    count = len(names)
    one = native(names, data.draw(st.lists(HEX, min_size=count, max_size=count)))
    two = native(names, data.draw(st.lists(HEX, min_size=count, max_size=count)))

    assert fingerprint(one).id == fingerprint(two).id


@given(STACKS, st.integers(1, 20), st.integers(1, 20), st.lists(NAMES, min_size=1, max_size=3, unique=True))
def test_the_depth_of_a_recursion_does_not_count(outer: list[str], one: int, two: int, cycle: list[str]) -> None:
    """Going round once or twenty times before failing is the same failure."""

    def deep(times: int) -> Trace:
        frames = [Frame(name, file=f"/srv/{name}.py") for name in ["fail", *cycle * times, "main", *outer]]
        return Trace(Language.PYTHON, (Raised("ValueError", "x", tuple(frames)),))

    assert of_trace(deep(one)).id == of_trace(deep(two)).id


@given(STACKS, STACKS)
def test_other_calls_are_another_failure(one: list[str], two: list[str]) -> None:
    """Stacks that differ in more than repetition have different fingerprints."""

    def folded(names: list[str]) -> list[str]:
        """The model: repetitions of one or more calls, shortest first, written once."""
        kept: list[str] = []
        for name in names:
            kept.append(name)
            for size in range(1, len(kept) // 2 + 1):
                if kept[-size:] == kept[-2 * size : -size]:
                    del kept[-size:]
                    break
        return kept

    left, right = (fingerprint(java(names, [1] * len(names))) for names in (one, two))

    assert (left.id == right.id) == (folded(one) == folded(two))


@given(MESSY)
def test_the_reasons_make_the_number(text: str) -> None:
    """Whoever has the parts can compute the keys again; a fingerprint is never 0 and fits 64 bits."""
    made = fingerprint(text)

    assert made.scheme == SCHEME
    assert key(made.parts, Variant.SYSTEM, made.scheme) == made.system
    assert made.app in (0, key(made.parts, Variant.APP, made.scheme))
    assert made.id == (made.app or made.system)
    assert 0 < made.id < 2**64


@given(MESSY)
def test_no_text_is_too_odd(text: str) -> None:
    """Whatever is read, traces lie within the text, in order, and none claims another's lines."""
    found = parse_all(text)
    last = -1

    for trace in found:
        assert last < trace.first_line <= trace.last_line
        assert trace.raised
        assert trace.raised[0].relation is Relation.RAISED
        last = trace.last_line
    assert last <= text.count("\n") + text.count("\\n") + text.count("#012")


@given(st.text(max_size=300))
def test_words_are_enough_for_a_fingerprint(text: str) -> None:
    """A message without a trace has a fingerprint of its words, the same each time."""
    assert of_message(text) == of_message(text)
    assert parse(text) is not None or fingerprint(text).id == of_message(text).id


@given(st.uuids(), st.uuids(), NUMBERS, NUMBERS, st.ip_addresses(v=4), st.ip_addresses(v=4))
def test_ids_in_a_message_do_not_count(a: object, b: object, n: int, m: int, x: object, y: object) -> None:
    """Two messages that differ in ids, numbers and addresses are the same message."""
    one = f"request {a} of user {n} from {x} failed after {n} ms"
    two = f"request {b} of user {m} from {y} failed after {m} ms"

    assert of_message(one).id == of_message(two).id
    assert re.search(r"\d", of_message(one).title) is None


@given(st.lists(MESSY.filter(lambda text: "\\n" not in text), min_size=1, max_size=4), st.data())
def test_columns_agree_with_single_lines(texts: list[str], data: st.DataObject) -> None:
    """Whatever a column remembers from line to line, each stack gets the number it has alone."""
    numbered = [re.sub(r"line \d+|:\d+", lambda found: found[0][:-1] + str(data.draw(NUMBERS)), text) for text in texts]
    rows = [*texts, *numbered]
    count = len(rows)
    found = Fingerprinter().assign(
        pa.array([17] * count, pa.uint8()),
        pa.array(["x"] * count, pa.string()),
        pa.array([row.encode("utf-8", "replace").decode() for row in rows], pa.string()),
        pa.array([7] * count, pa.uint64()),
    )

    assert found.to_pylist() == [
        fingerprint("x", stack=row.encode("utf-8", "replace").decode(), template=7).id for row in rows
    ]
