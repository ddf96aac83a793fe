"""What an incident was about: from the errors of its trace to the kinds that rules answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hindcast.model.code_rule import ErrorKind
from hindcast.model.trace import Trace

# Words of error types and messages, in any language; an error may be of several kinds.
_WORDS: tuple[tuple[ErrorKind, str], ...] = (
    (ErrorKind.TIMEOUT, r"time[d ]?.?out|deadline exceeded|took too long|ETIMEDOUT|504\b"),
    (
        ErrorKind.CONNECTION,
        (
            r"connection|ECONN|EPIPE|broken pipe|unreachable|socket|remote.?disconnected|getaddrinfo|no route to host|"
            r"server closed|max retries exceeded|502\b|dial tcp"
        ),
    ),
    (
        ErrorKind.POOL,
        (
            r"(?-i:\bpool|Pool)|too many (clients|connections)|remaining connection slots|no more connections|"
            r"max.?connections|maxclients|checked out"
        ),
    ),
    (
        ErrorKind.LEAK,
        (
            r"too many open files|EMFILE|ENFILE|file descriptor|can't start new thread|cannot assign requested address|"
            r"unclosed|was never closed|\bleak"
        ),
    ),
    (ErrorKind.DEADLOCK, r"dead.?lock|lock wait|lock timeout|database is locked|could not obtain lock|all goroutines"),
    (
        ErrorKind.MEMORY,
        r"memory|OOM|heap|bad_alloc|ENOMEM|MaxListenersExceeded|allocation failed|exit code 137|\bkilled\b",
    ),
    (
        ErrorKind.OVERLOAD,
        r"too many requests|rate.?limit|429\b|503\b|overload|throttl|queue (is )?full|backlog|circuit|\bretr(y|ies)\b",
    ),
    (
        ErrorKind.STALLED,
        (
            r"event loop|blocked|heartbeat|liveness|watchdog|worker timeout|stall|\bhangs?\b|\bhung\b|never awaited|"
            r"CancelledError|unresponsive"
        ),
    ),
    (
        ErrorKind.DATA,
        (
            r"integrity|duplicate|constraint|inconsisten|transaction is aborted|InFailedSqlTransaction|PendingRollback|"
            r"mismatch|changed size during iteration|never awaited|offset-naive|rounding|corrupt"
        ),
    ),
    (
        ErrorKind.CRASH,
        (
            r"TypeError|AttributeError|KeyError|IndexError|NameError|UnboundLocal|ValueError|RuntimeError|NoneType|"
            r"undefined|\bnull\b|nil (pointer|map)|SyntaxError|JSON|panic|unhandled|ReferenceError|segmentation"
        ),
    ),
    (ErrorKind.SILENT, r"unhandled|never retrieved|swallowed|suppressed|exception ignored|unknown error"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WORDS)
# What is read of a message; the rest repeats it.
MESSAGE_CHARS_MAX = 2_000


def kinds_of(trace: Trace | None, words: Iterable[str] = ()) -> frozenset[ErrorKind]:
    """The kinds of the errors in a trace, and of what else is said about the incident; empty where nothing tells."""
    told = list(words)
    if trace is not None:
        told += [f"{raised.type}: {raised.message[:MESSAGE_CHARS_MAX]}" for raised in trace.raised]
    return frozenset(kind for text in told for kind, pattern in _PATTERNS if pattern.search(text))
