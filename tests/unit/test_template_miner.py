"""What the miner learns from comparing messages, what it keeps, and what it survives."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hindcast.ingest.template import Miner, TemplateLimits
from hindcast.model.columns import Pattern
from hindcast.model.errors import Malformed, Missing


def assigned(miner: Miner, *messages: str | None) -> list[int]:
    """The ids of some messages."""
    ids: list[int] = miner.assign(pa.array(messages, pa.string())).to_pylist()
    return ids


def texts(miner: Miner, *messages: str) -> list[str]:
    """What the templates of some messages read, once all of them were seen."""
    return [miner.template(number) for number in assigned(miner, *messages)]


def test_lines_that_differ_in_numbers_share_a_template() -> None:
    """One origin, one id, whatever numbers the lines have."""
    one, other, different = assigned(Miner(), "took 5 ms", "took 17 ms", "gave up")

    assert one == other != different


def test_values_become_variable_as_soon_as_they_differ() -> None:
    """What stands after an equals sign, in quotes or after `user` is fixed until another value is seen."""
    miner = Miner()

    assert texts(miner, "login tty=ssh user bob 'x'") == ["login tty=ssh user bob 'x'"]
    assert texts(miner, "login tty=cron user eve 'y'") == ["login tty=<*> user <*> '<*>'"]
    assert len(set(assigned(miner, "login tty=ssh user bob 'x'", "login tty=cron user eve 'y'"))) == 1


def test_names_that_differ_in_their_number_share_a_template() -> None:
    """A name with a digit is fixed until it is seen with another digit."""
    miner = Miner()

    assert texts(miner, "link eth0 is up") == ["link eth0 is up"]
    assert texts(miner, "link eth1 is up", "link eth0 is up") == ["link eth<*> is up"] * 2


def test_a_few_words_in_one_place_are_told_apart() -> None:
    """Paused, resumed and stopped are three things that happened, not one with a variable."""
    messages = [f"machine 7 was {word} by the scheduler" for word in ("paused", "resumed", "stopped")]

    assert len(set(assigned(Miner(), *messages))) == len(messages)


def test_many_words_in_one_place_are_a_variable() -> None:
    """Beyond the limit a place counts as variable, and the templates that were apart now read the same."""
    words = ["alder", "beech", "cedar", "elm", "fir", "holly", "larch", "maple", "oak", "pine"]
    miner = Miner(limits=TemplateLimits(words_distinct_max=5))
    before = assigned(miner, *(f"grew a fine {word} tree" for word in words[:5]))
    assert len(set(before)) == 5

    after = assigned(miner, *(f"grew a fine {word} tree" for word in words))

    assert len(set(after)) == 1
    assert {miner.template(number) for number in before + after} == {"grew a fine <*> tree"}
    assert after[0] == min(before + after)


def test_a_place_that_is_variable_takes_words_too() -> None:
    """`state <*>` is where `state unknown` belongs, in whichever order they come."""
    assert len(set(texts(Miner(), "child in error state 6", "child in error state unknown"))) == 1
    assert len(set(texts(Miner(), "child in error state unknown", "child in error state 6"))) == 1


def test_a_number_alone_does_not_swallow_words() -> None:
    """A line that is nothing but a variable shares a template with no line of words."""
    number, word = assigned(Miner(), "42", "LOOKING")

    assert number != word


def test_fresh_tells_what_is_new_or_reads_differently() -> None:
    """Each template is told once when it is new, and again when its text changes."""
    miner = Miner()
    (number,) = assigned(miner, "login user=bob")
    assert miner.fresh() == (Pattern(number, "login user=bob"),)
    assert miner.fresh() == ()

    assigned(miner, "login user=bob")
    assert miner.fresh() == ()

    assigned(miner, "login user=eve")
    assert miner.fresh() == (Pattern(number, "login user=<*>"),)


def test_a_joined_template_is_told_under_all_its_ids() -> None:
    """Rows that were stored under an id that was given up can still be read."""
    miner = Miner(limits=TemplateLimits(words_distinct_max=2))
    ids = assigned(miner, "a red light", "a green light")
    miner.fresh()

    ids += assigned(miner, "a blue light")

    told = {pattern.id: pattern.text for pattern in miner.fresh()}
    assert set(told.values()) == {"a <*> light"}
    assert set(ids) <= set(told)


def test_a_restart_continues_with_the_same_ids() -> None:
    """A miner that is given what an earlier one told gives the same lines the same ids and has no news of them."""
    lines = ["login user=bob", "login user=eve", "took 5 ms", "a red light", "a green light", "a blue light", "eth0 up"]
    limits = TemplateLimits(words_distinct_max=2)
    first = Miner(limits=limits)
    assigned(first, *lines)
    known = first.fresh()

    second = Miner(known, limits)

    assert assigned(second, *lines, "a pink light") == assigned(first, *lines, "a pink light")
    assert second.fresh() == ()


def test_messages_of_several_lines_count_by_their_first() -> None:
    """A stack trace below a message does not change its template, and neither do blank lines above it."""
    ids = assigned(Miner(), "it broke\n  at a.py:3\n  at b.py:4", "\n\nit broke\nelse", "it broke", "it broke\r\nx")

    assert len(set(ids)) == 1


def test_whatever_a_line_holds_it_gets_an_id() -> None:
    """Empty, missing, binary and endless lines are lines too."""
    odd = [
        "",
        None,
        " ",
        "\x00\x01\x02",
        "\ufffd\u202e\u0000",
        "é" * 10_000,
        "7" * 1_000_000,
        "😀 5",
        "\ud7ff",
        "<*>",
        "\t",
    ]
    ids = assigned(Miner(), *odd)

    assert len(ids) == len(odd)
    assert all(ids)


def test_bytes_that_are_no_text_are_taken_as_they_are() -> None:
    """Invalid UTF-8 in a column of strings harms nobody."""
    raw = pa.array([b"bad \xff\xfe byte 7", b"bad \xff\xfe byte 8"], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())

    one, other = Miner().assign(broken).to_pylist()

    assert one == other != 0


def test_all_shapes_of_columns_are_taken() -> None:
    """Slices, chunks, large strings and empty columns give what plain ones give."""
    lines = ["a 1", "b 2 c", "a 3", "d"]
    plain = Miner().assign(pa.array(lines)).to_pylist()

    assert Miner().assign(pa.array(["x", *lines, "y"]).slice(1, 4)).to_pylist() == plain
    assert Miner().assign(pa.chunked_array([lines[:1], lines[1:]])).to_pylist() == plain
    assert Miner().assign(pa.array(lines, pa.large_string())).to_pylist() == plain
    assert Miner().assign(pa.array([], pa.string())).to_pylist() == []
    assert Miner().assign(pa.chunked_array([], pa.string())).to_pylist() == []


def test_a_column_of_something_else_is_refused() -> None:
    """Numbers are not messages, and the error says what to give instead."""
    with pytest.raises(Malformed) as refused:
        Miner().assign(pa.array([1, 2]))

    assert refused.value.field == "messages"


def test_memory_is_bounded() -> None:
    """However many templates come by, only so many are held, and what is in use stays."""
    limits = TemplateLimits(templates_max=100, outlines_max=50)
    miner = Miner(limits=limits)
    (kept,) = assigned(miner, "heart beat ok")
    for batch in range(20):
        distinct = [f"{chr(97 + batch)}{chr(97 + at)}x says {chr(97 + at)}{chr(97 + batch)}y" for at in range(26)]
        assert assigned(miner, "heart beat ok", *distinct)[0] == kept

    held = miner._groups
    assert len(held) <= 100
    assert len(held.by_id) <= 100
    assert len(miner._young) + len(miner._old) <= 50
    assert miner.template(kept) == "heart beat ok"


def test_a_forgotten_template_returns_with_its_id() -> None:
    """Ids are made from what a template reads first, so that forgetting one loses nothing but its place in memory."""
    miner = Miner(limits=TemplateLimits(templates_max=4))
    (first,) = assigned(miner, "seldom seen")
    for word in ("alpha", "beta", "gamma", "delta", "omega", "sigma"):
        assigned(miner, f"{word} came by and {word} left")
    with pytest.raises(Missing):
        miner.template(first)

    assert assigned(miner, "seldom seen") == [first]


def test_a_limit_below_one_is_refused() -> None:
    """A miner that may hold nothing cannot work."""
    with pytest.raises(Malformed) as refused:
        TemplateLimits(templates_max=0)

    assert refused.value.field == "templates_max"


def test_explain_says_what_varies_and_learns_nothing() -> None:
    """Words that others were seen in place of are told apart from what varies by its looks."""
    miner = Miner()
    assigned(miner, "login user=bob after 3 tries", "login user=eve after 4 tries")
    miner.fresh()

    told = miner.explain("login user=joe after 5 tries\nmore")

    assert told.id == assigned(miner, "login user=ann after 5 tries")[0]
    assert told.template == "login user=<*> after <*> tries"
    assert [(part.text, bool(part.why)) for part in told.parts] == [
        ("login user=", False),
        ("joe", True),
        (" after ", False),
        ("5", True),
        (" tries", False),
    ]
    assert miner.explain("never seen 7").id is None
    assert miner.explain("never seen 7").template == "never seen <*>"
    assert miner.fresh() == ()
