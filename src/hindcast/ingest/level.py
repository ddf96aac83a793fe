"""How bad a record calls itself, whatever its sender's spelling: words, letters, numbers of several scales.

The answer is a number on OpenTelemetry's scale (`Level`). Numbers are ambiguous (40 is an error in Python and a warning
in Pino), so whoever knows the field says which scale it is on. A record that names no level is read for one at the
start of its message, conservatively: a word in the middle of a sentence says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
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


# How much of a message is its start; an access log names its status behind the whole path.
_START_CHARS: Final = 2_000

# What may stand before the level: times, dates, thread or logger names in brackets, `name - `, a process id.
_BEFORE: Final = (
    r"(?:[\[(<]?\d[\w:.,+/-]*[\])>]?(?:\s+|\|)"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6},?\s+"
    r"|\[[^\]\n]{0,64}\]\s*"
    r"|\{[^}\n]{0,64}\}\s*"
    r"|[\w.$/#:-]{1,64}\s+[-|]\s+"
    r"|[-|]\s+)"
)
# `Nov 19 04:29:12 host sshd[812]: `, as syslog writes a line into a file.
_SYSLOG_HEAD: Final = (
    r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8}|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,24})"
    r" [\w.:-]{1,64} [\w./@-]{1,64}(?:\[\d{1,10}\])?: "
)
_UPPER: Final = (
    "TRACE|DEBUG|INFO|INFORMATION|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|CRITICAL|CRIT|FATAL|PANIC|EMERG|EMERGENCY|ALERT"
    "|WRN|FTL|INF|DBG|TRC"
)
_ANY_CASE: Final = (
    "(?i:trace|debug|info|note|notice|warn|warning|error|err|severe|critical|crit|fatal|panic|emerg|alert|inf|wrn|ftl"
    "|dbg|dbug|trc|fail)"
)


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way in which lines show their level: where its word stands, and what the word means there."""

    # Every repeat is bounded or followed by what it cannot contain, so that each takes time in proportion to the text.
    pattern: re.Pattern[str]
    # Of the word in lower case; or what the line is whatever its word.
    meaning: Mapping[str, int] | Level

    def read(self, start: str) -> int:
        """The level that a text's start shows in this way; 0 when it shows none."""
        found = self.pattern.match(start)
        if found is None:
            return 0
        return int(self.meaning) if isinstance(self.meaning, Level) else self.meaning.get(found["word"].lower(), 0)


def _spelling(pattern: str, meaning: Mapping[str, int] | Level = WORDS) -> Spelling:
    return Spelling(re.compile(pattern), meaning)


# A server that answers 5xx has failed; one that answers 4xx has been asked for what it does not give.
_STATUS: Final[dict[str, int]] = {"5": Level.ERROR, "4": Level.INFO}
_REDIS: Final[dict[str, int]] = {"#": Level.WARN, "*": Level.INFO, "-": Level.DEBUG, ".": Level.DEBUG}
_POSTGRES: Final[dict[str, int]] = {
    **WORDS,
    **dict.fromkeys(("hint", "detail", "context", "statement", "query", "location"), int(Level.INFO)),
}

# Lines about requests: what they answer says how severe they are.
ACCESS: Final = (
    # Access logs of nginx, Apache, Envoy, Traefik, uvicorn: "GET /path HTTP/1.1" 502
    _spelling(r"^[^\"\n]{0,200}\"[A-Z]{3,16} [^\"\n]{1,1500} HTTP/\d(?:\.\d)?\" (?P<word>[1-5])\d\d(?:\s|$)", _STATUS),
    # HAProxy's: times of the phases, then the status.
    _spelling(r"^[^\n]{0,200}? [+-]?\d{1,9}(?:/[+-]?\d{1,9}){4} (?P<word>[1-5])\d\d \+?\d", _STATUS),
)
# The same once what varies was taken out of them.
_ACCESS_SHAPE: Final = re.compile(
    r"^[^\"\n]{0,200}\"<text>\" <int>(?: <int>|\s[A-Z-]|$)|^[^\n]{0,200}? <int>(?:/<int>){4} <int> "
)

# In their order; the first that shows a level decides.
SPELLINGS: Final = (
    *ACCESS,
    # PostgreSQL, whatever its log_line_prefix: the word, a colon and two blanks.
    _spelling(
        r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^\n]{0,200}?\b(?P<word>DEBUG[1-5]|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC"
        r"|HINT|DETAIL|CONTEXT|STATEMENT|QUERY|LOCATION):  ",
        _POSTGRES,
    ),
    # PgBouncer: 2026-11-19 04:29:12.123 UTC [1] WARNING C-0x55: …
    _spelling(rf"^\d{{4}}-\d\d-\d\d [\d:.]{{8,15}} [A-Z]{{2,5}} \[\d{{1,10}}\] (?P<word>{_UPPER}|LOG) "),
    # Redis: 24436:M 19 Nov 2026 04:29:12.123 # …   and, before version 4, [24436] 19 Nov 04:29:12.123 # …
    _spelling(
        r"^(?:\d{1,10}:[A-Z]|\[\d{1,10}\]) \d{1,2} [A-Z][a-z]{2} (?:\d{4} )?[\d:.]{8,15} (?P<word>[#*.-]) ", _REDIS
    ),
    # Celery: [2026-11-19 04:29:12,123: ERROR/ForkPoolWorker-1] …
    _spelling(rf"^\[\d[\d :,.-]{{8,32}}: (?P<word>{_UPPER})/"),
    # 2026-01-01 10:00:00,123 ERROR [main] …   [2026-01-01] [E] …   name - WARN - …   production.ERROR: …
    _spelling(rf"^{_BEFORE}{{0,8}}(?:[\w-]{{1,32}}\.)?(?P<word>{_UPPER})(?:[\s:\]|,(/]|$)"),
    # [error] …   error: …   <warn> …   [proxy:error] …   [WARN ][o.e.t] …   2026-01-01 error: …
    _spelling(rf"^{_BEFORE}{{0,8}}(?:[\[<(](?:\w{{1,32}}:)?(?P<word>{_ANY_CASE}|[TDIWEF]) {{0,2}}[\])>])"),
    _spelling(rf"^{_BEFORE}{{0,8}}(?:{_SYSLOG_HEAD})?(?P<word>{_ANY_CASE}):"),
    _spelling(rf"^{_SYSLOG_HEAD}(?:\[(?P<word>{_ANY_CASE})\])"),
    # glog and klog: E0102 10:00:00.000000
    _spelling(rf"^(?:{_SYSLOG_HEAD})?(?P<word>[IWEF])\d{{4}} \d{{2}}:\d{{2}}:\d{{2}}"),
    # Ruby's logger: E, [2026-01-01T…
    _spelling(r"^(?P<word>[DIWEF]), \["),
    # MongoDB before its lines were JSON, and etcd before its were: 2026-11-19T04:29:12.123+0000 E NETWORK …
    _spelling(r"^\d{4}-\d\d-\d\d[T ][\d:.,+Z-]{8,24} (?P<word>[DIWEF]) (?:\||[A-Z]{3,12} )"),
    # MongoDB: {"t":{"$date":"…"},"s":"E",  "c":"NETWORK", …
    _spelling(r"^\{\"t\":\{\"\$date\":\"[^\"\n]{8,40}\"\},\s{0,2}\"s\":\s?\"(?P<word>[DIWEF])\d?\""),
    # logfmt and JSON inside a text.
    _spelling(
        r"^(?:[^\n]{0,160}[\s{,])?\"?(?:level|lvl|severity|loglevel|log_level|log\.level|levelname)\"?\s{0,2}[=:]\s{0,2}"
        r"\"?(?P<word>\w{1,16})"
    ),
    # PHP Fatal error:  Uncaught …
    _spelling(rf"^{_BEFORE}{{0,4}}PHP (?P<word>Fatal|Warning|Notice)(?: error)?: "),
    _spelling(rf"^{_BEFORE}{{0,4}}PHP (?:Parse|Recoverable fatal) error: ", Level.ERROR),
    # What only ever starts a failure.
    _spelling(r"^(?P<word>panic): "),
    _spelling(
        r"^Traceback \(most recent call last\)|^Exception in thread |^Unhandled exception|^Uncaught ", Level.ERROR
    ),
    _spelling(r"^Caused by: |^thread '[^']{0,64}' panicked|^fatal error: ", Level.ERROR),
    # systemd that gives a unit up, and a kernel that kills.
    _spelling(
        rf"^(?:{_SYSLOG_HEAD})?(?:Failed to start [^\n]|[\w@.:-]{{1,80}}: Failed with result "
        r"|(?:\[ {0,6}\d{1,9}\.\d{1,9}\] )?Out of memory: Kill)",
        Level.ERROR,
    ),
    # The name of an exception and its words, as `java.lang.IllegalStateException: …`.
    _spelling(r"^[A-Za-z_][\w.$]{0,120}(?:Error|Exception)(?::\s|$)", Level.ERROR),
)


def infer_level(message: str) -> int:
    """The level a message shows at its start; 0 when it shows none."""
    start = message[:_START_CHARS]
    for spelling in SPELLINGS:
        if level := spelling.read(start):
            return level
    return 0


def is_access(line: str) -> bool:
    """Whether a line is one of an access log, as it was written or as its fingerprint has it.

    Without what varies in it one is like every other: it says that something answered, and not what has failed.
    """
    start = line[:_START_CHARS]
    return any(one.pattern.match(start) for one in ACCESS) or _ACCESS_SHAPE.match(start) is not None


# A cheap look that lets most lines without a level go: no level is ever inferred from a line without one of these.
_HINT: Final = (
    r"(?i:trace|debug|info|not[ei]|warn|err|severe|crit|fatal|panic|emerg|alert|level|lvl|severity|exception|uncaught"
    r"|caused by|fail|out of memory|\b(?:wrn|inf|ftl|dbg|dbug|trc)\b"
    r"|(?:log|hint|detail|context|statement|query|location):  )"
    r"|^[\[<(]?[TDIWEF][\])>,\d]|: [IWEF]\d{4} |[\[<(][TDIWEF] {0,2}[\])>]|^\{\"t\":|[\dZ] [DIWEF] |[ :.\d] [#*.-] "
    r"|\" [45]\d\d(?:\s|$)|/\d+ [45]\d\d "
)


def infer_levels(messages: pa.Array) -> pa.Array:
    """`infer_level` of a whole column, of which only the lines that could show a level are looked at one by one."""
    levels = [0] * len(messages)
    hinted = pc.fill_null(pc.match_substring_regex(messages, _HINT), False)
    where = pc.indices_nonzero(hinted)
    for row, message in zip(where.to_pylist(), messages.take(where).to_pylist(), strict=True):
        levels[row] = infer_level(message)
    return pa.array(levels, pa.uint8())
