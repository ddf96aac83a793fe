"""How bad a record calls itself, whatever its sender's spelling: words, letters, numbers of several scales.

The answer is a number on OpenTelemetry's scale (`Level`). Numbers are ambiguous (40 is an error in Python and a warning
in Pino), so whoever knows the field says which scale it is on. A record that names no level is read for one at the
start of its message, conservatively: a word in the middle of a sentence says nothing.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from hindcast.model.signal import Level


class Scale(Enum):
    """What a bare number means."""

    OTLP = "otlp"
    SYSLOG = "syslog"
    PYTHON = "python"
    # Pino and Bunyan, which is what a number in a JSON line's `level` most often is; see `read_level`.
    JSON = "json"


_WORDS: Final[dict[Level, str]] = {
    Level.TRACE: "trace trc t finest finer verbose vrb v silly",
    Level.DEBUG: "debug dbg dbug deb d fine debugging config debug1 debug2 debug3 debug4 debug5",
    Level.INFO: "info inf i information informational informative note notice n ok log default normal success",
    Level.WARN: "warn warning wrn w warnings",
    Level.ERROR: "error err e eror errors severe failure failed fail exception",
    Level.FATAL: "fatal ftl f critical crit c panic emerg emergency alert a dpanic abort disaster",
}
WORDS: Final[dict[str, int]] = {word: int(level) for level, words in _WORDS.items() for word in words.split()}

_SYSLOG: Final = (Level.FATAL, Level.FATAL, Level.FATAL, Level.ERROR, Level.WARN, Level.INFO, Level.INFO, Level.DEBUG)

# Lowest number of each level, highest first.
_PYTHON: Final = ((50, Level.FATAL), (40, Level.ERROR), (30, Level.WARN), (20, Level.INFO), (10, Level.DEBUG))
_PINO: Final = ((60, Level.FATAL), (50, Level.ERROR), (40, Level.WARN), (30, Level.INFO), (20, Level.DEBUG))
_MONOLOG: Final = ((500, Level.FATAL), (400, Level.ERROR), (300, Level.WARN), (200, Level.INFO), (100, Level.DEBUG))
_LOGBACK: Final = ((40_000, Level.ERROR), (30_000, Level.WARN), (20_000, Level.INFO), (10_000, Level.DEBUG))

_OTLP_NAME: Final = re.compile(r"(trace|debug|info|warn|error|fatal)([1-4])")
_OTLP_MAX: Final = 24


def read_level(value: str | float | bool | None, *, scale: Scale = Scale.JSON) -> int:
    """The level that a word or a number stands for; 0 when it stands for none.

    On the JSON scale: 0 to 7 are syslog's (as GELF sends them), 10 to 60 Pino's, 100 to 600 Monolog's, 5000 and more
    Logback's. Python's own numbers differ from Pino's by a step, so a field that holds them (`levelno`) has to say so.
    """
    if value is None or isinstance(value, bool):
        return 0
    if isinstance(value, int | float):
        return _number(value, scale)
    word = value.strip().strip("[]<>()\"':|").lower()
    known = WORDS.get(word)
    if known is not None:
        return known
    if word.isascii() and word.isdigit() and len(word) <= 6:
        return _number(int(word), scale)
    if otlp := _OTLP_NAME.fullmatch(word.removeprefix("severity_number_")):
        return WORDS[otlp[1]] + int(otlp[2]) - 1
    # `log.level.error`, `Level.WARN`, `LOG_ERR`, `syslog:err`: the last word counts.
    last = re.split(r"[._:/\s-]", word)[-1]
    return WORDS.get(last, 0) if len(last) > 1 else 0


def _number(value: float, scale: Scale) -> int:
    if not 0 <= value <= 1_000_000:
        return 0
    number = int(value)
    match scale:
        case Scale.OTLP:
            return number if number <= _OTLP_MAX else 0
        case Scale.SYSLOG:
            return int(_SYSLOG[number]) if number < len(_SYSLOG) else 0
        case Scale.PYTHON:
            return _step(number, _PYTHON)
    if number < len(_SYSLOG):
        return int(_SYSLOG[number])
    if number < 10:
        return 0
    if number < 100:
        return _step(number, _PINO)
    return _step(number, _MONOLOG) if number < 5_000 else _step(number, _LOGBACK)


def _step(number: int, steps: tuple[tuple[int, Level], ...]) -> int:
    return int(next((level for least, level in steps if number >= least), Level.TRACE))


def read_levels(words: pa.Array, *, scale: Scale = Scale.JSON) -> pa.Array:
    """`read_level` of a whole column of strings; each spelling is looked at once."""
    encoded = words.dictionary_encode()
    levels = pa.array([read_level(word, scale=scale) for word in encoded.dictionary.to_pylist()], pa.uint8())
    return pc.fill_null(levels.take(encoded.indices), 0).cast(pa.uint8())


# How much of a message is its start.
_START_CHARS: Final = 300

# What may stand before the level: times, dates, thread or logger names in brackets, `name - `, a process id.
_BEFORE: Final = (
    r"(?:[\[(<]?\d[\w:.,+/-]*[\])>]?(?:\s+|\|)"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6},?\s+"
    r"|\[[^\]\n]{0,64}\]\s*"
    r"|[\w.$/#:-]{1,64}\s+[-|]\s+"
    r"|[-|]\s+)"
)
_UPPER: Final = (
    "TRACE|DEBUG|INFO|INFORMATION|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|CRITICAL|CRIT|FATAL|PANIC|EMERG|EMERGENCY|ALERT"
)
_ANY_CASE: Final = "(?i:trace|debug|info|notice|warn|warning|error|err|severe|critical|crit|fatal|panic|emerg|alert)"

# In their order; the first that matches and whose word is a level decides. Bounded repeats keep each of them linear.
_PATTERNS: Final = (
    # 2026-01-01 10:00:00,123 ERROR [main] …   [2026-01-01] [E] …   name - WARN - …   production.ERROR: …
    rf"^{_BEFORE}{{0,8}}(?:[\w-]{{1,32}}\.)?(?P<word>{_UPPER})(?:[\s:\]|,(/]|$)",
    # [error] …   error: …   <warn> …   2026-01-01 error: …
    rf"^{_BEFORE}{{0,8}}(?:[\[<(](?P<word>{_ANY_CASE}|[TDIWEF])[\])>])",
    rf"^{_BEFORE}{{0,8}}(?P<word>{_ANY_CASE}):",
    # glog and klog: E0102 10:00:00.000000
    r"^(?P<word>[IWEF])\d{4} \d{2}:\d{2}:\d{2}",
    # Ruby's logger: E, [2026-01-01T…
    r"^(?P<word>[DIWEF]), \[",
    # logfmt and JSON inside a text.
    r"^(?:[^\n]{0,160}[\s{,])?\"?(?:level|lvl|severity|loglevel|log_level|levelname)\"?\s{0,2}[=:]\s{0,2}\"?(?P<word>\w{1,16})",
    # What only ever starts a failure.
    r"^(?P<word>panic): ",
    r"^(?P<failure>Traceback \(most recent call last\)|Exception in thread |Unhandled exception|Uncaught |Caused by: )",
    r"^(?P<failure>thread '[^']{0,64}' panicked|fatal error: )",
    # The name of an exception and its words, as `java.lang.IllegalStateException: …`.
    r"^(?P<failure>[A-Za-z_][\w.$]{0,120}(?:Error|Exception))(?::\s|$)",
)
_COMPILED: Final = tuple(re.compile(pattern) for pattern in _PATTERNS)


def infer_level(message: str) -> int:
    """The level a message shows at its start; 0 when it shows none."""
    start = message[:_START_CHARS]
    for pattern in _COMPILED:
        if found := pattern.match(start):
            groups = found.groupdict()
            if groups.get("failure"):
                return int(Level.ERROR)
            if (word := groups.get("word")) and (level := WORDS.get(word.lower(), 0)):
                return level
    return 0


# A cheap look that lets most lines without a level go: no level is ever inferred from a line without one of these.
_HINT: Final = (
    r"(?i:trace|debug|info|notice|warn|err|severe|crit|fatal|panic|emerg|alert|level|lvl|severity|exception|uncaught"
    r"|caused by)|^[\[<(]?[TDIWEF][\])>,\d]|[\[<(][TDIWEF][\])>]"
)


def infer_levels(messages: pa.Array) -> pa.Array:
    """`infer_level` of a whole column, of which only the lines that could show a level are looked at one by one."""
    levels = [0] * len(messages)
    hinted = pc.fill_null(pc.match_substring_regex(messages, _HINT), False)
    where = pc.indices_nonzero(hinted)
    for row, message in zip(where.to_pylist(), messages.take(where).to_pylist(), strict=True):
        levels[row] = infer_level(message)
    return pa.array(levels, pa.uint8())
