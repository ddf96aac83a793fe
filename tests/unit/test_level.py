"""Levels: no spelling escapes, no sentence is taken for one."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hindcast.ingest.level import Scale, infer_level, infer_levels, read_level, read_levels
from hindcast.model.signal import Level


@pytest.mark.parametrize(
    ("level", "spellings"),
    [
        (Level.TRACE, "TRACE trace Trace TRC T FINEST verbose"),
        (Level.DEBUG, "DEBUG debug dbg D FINE Debug"),
        (Level.INFO, "INFO info Info I information informational notice NOTICE inf"),
        (Level.WARN, "WARN warn WARNING Warning wrn W"),
        (Level.ERROR, "ERROR error Error ERR err E SEVERE severe eror"),
        (Level.FATAL, "FATAL fatal CRITICAL critical crit CRIT panic PANIC emerg emergency alert F dpanic"),
    ],
)
def test_every_spelling_is_known(level: Level, spellings: str) -> None:
    """Levels are the same in any case, abbreviated, bracketed or with blanks around them."""
    for word in spellings.split():
        assert read_level(word) == level, word
        assert read_level(f" [{word}] ") == level, word


@pytest.mark.parametrize(
    ("scale", "numbers"),
    [
        (Scale.SYSLOG, {0: 21, 1: 21, 2: 21, 3: 17, 4: 13, 5: 9, 6: 9, 7: 5, 8: 0, -1: 0}),
        (Scale.OTLP, {0: 0, 1: 1, 9: 9, 17: 17, 18: 18, 24: 24, 25: 0}),
        (Scale.PYTHON, {10: 5, 20: 9, 25: 9, 30: 13, 40: 17, 50: 21, 5: 1}),
        (Scale.JSON, {3: 17, 4: 13, 10: 1, 20: 5, 30: 9, 40: 13, 50: 17, 60: 21, 400: 17, 250: 9, 40_000: 17, 9: 0}),
    ],
)
def test_a_number_means_what_its_scale_says(scale: Scale, numbers: dict[int, int]) -> None:
    """The same number is another level on another scale, as a number and as text."""
    for number, level in numbers.items():
        assert read_level(number, scale=scale) == level, number
        if number >= 0:
            assert read_level(str(number), scale=scale) == level, number


@pytest.mark.parametrize(
    ("written", "level"),
    [("SEVERITY_NUMBER_ERROR2", 18), ("info3", 11), ("Level.WARN", 13), ("LOG_ERR", 17), ("app:error", 17)],
)
def test_names_with_something_around_them_are_read(written: str, level: int) -> None:
    """Enum names, and names with a prefix, are the level at their end."""
    assert read_level(written) == level


@pytest.mark.parametrize("nothing", [None, "", " ", "purple", True, False, float("nan"), "e-mail", -5, 10**9])
def test_what_is_no_level_is_unknown(nothing: str | float | None) -> None:
    """Nonsense is no level, and above all no error."""
    assert read_level(nothing) == Level.UNKNOWN


@pytest.mark.parametrize(
    ("message", "level"),
    [
        ("2026-11-16 00:00:01,123 ERROR [main] com.x.Pay - declined", Level.ERROR),
        ("2026-11-16T00:00:01.123Z WARN slow", Level.WARN),
        ("[2026-11-16 00:00:01] [ERROR] boom", Level.ERROR),
        ("[2026-11-16 00:00:01] production.ERROR: boom", Level.ERROR),
        ("2026-11-16 00:00:01,123 - app.db - ERROR - lost", Level.ERROR),
        ("2026-11-16 00:00:01.123  INFO 4242 --- [main] c.x.App : started", Level.INFO),
        ("Nov 16 00:00:01 FATAL out of memory", Level.FATAL),
        ("ERROR: relation does not exist", Level.ERROR),
        ("error: cannot open", Level.ERROR),
        ("[error] 12#12: *3 connect() failed", Level.ERROR),
        ("2026/11/16 00:00:01 [error] 12#12: connect() failed", Level.ERROR),
        ("[W] low disk", Level.WARN),
        ("E1116 00:00:01.123456 7 controller.go:114] failed", Level.ERROR),
        ("E, [2026-11-16T00:00:01.1 #1] ERROR -- : boom", Level.ERROR),
        ('time="2026-11-16" level=error msg="lost"', Level.ERROR),
        ("ts=1 lvl=warn msg=x", Level.WARN),
        ('{"severity":"ERROR","message":"x"}', Level.ERROR),
        ("panic: runtime error: index out of range", Level.FATAL),
        ("Traceback (most recent call last):", Level.ERROR),
        ("Exception in thread main", Level.ERROR),
        ("java.lang.IllegalStateException: closed", Level.ERROR),
        ("user logged in without error", Level.UNKNOWN),
        ("errors: 0", Level.UNKNOWN),
        ("no warnings, 3 errors fixed", Level.UNKNOWN),
        ("fatality rate of info desk", Level.UNKNOWN),
        ("GET /error HTTP/1.1 200", Level.UNKNOWN),
        ("Error handling was improved", Level.UNKNOWN),
        ("", Level.UNKNOWN),
    ],
)
def test_a_message_shows_its_level_at_its_start(message: str, level: Level) -> None:
    """A level at the start of a line is found behind times and names; a word in a sentence is none."""
    assert infer_level(message) == level
    assert infer_levels(pa.array([message, "x"])).to_pylist() == [level, 0]


def test_columns_are_read_as_their_cells_are() -> None:
    """A column of words gives what each word gives, nulls included."""
    words = pa.array(["ERROR", None, "error", "3", "", "warn"])

    assert read_levels(words).to_pylist() == [17, 0, 17, 17, 0, 13]
    assert read_levels(words, scale=Scale.SYSLOG).type == pa.uint8()
    assert read_levels(pa.array([], pa.string())).to_pylist() == []


def test_a_hostile_line_takes_no_time() -> None:
    """Lines made to confuse a pattern are looked at only at their start."""
    for piece in ("1 ", "- ", "[x] ", "1 | ", "a - ", "2026-11-16 ", "level ", "{,"):
        assert infer_level(piece * 20_000) in {0, 17}
