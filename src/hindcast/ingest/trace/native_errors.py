"""The line that says why a native program stopped: a sanitizer's report, a signal, a failed check, a kernel's oops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, basename


class Weight(IntEnum):
    """How much a line explains. A process that aborts does so because of something said before."""

    CONSEQUENCE = 0
    REPORT = 1
    ASSERTION = 2


@dataclass(frozen=True, slots=True)
class Why:
    """One reason for a crash, as its line gives it."""

    type: str
    message: str
    weight: Weight
    asserted: str = ""
    asserted_in: str = ""


_SANITIZER = re.compile(
    r"(?:ERROR|WARNING): (\w*Sanitizer): ([\w-]+(?: [a-z-]+){0,3}?)(?= on | \(|:? 0x| at |\s*$| of | detected)(.*)$"
)
_LIBFUZZER = re.compile(r"ERROR: libFuzzer: (timeout|out-of-memory|deadly signal|fuzz target [a-z ]+)")
_UNDEFINED = re.compile(r"([^\s:]{1,200}):\d+:\d+: runtime error: (.+)$")
# [1222/164952:FATAL:ftp_util.cc(198)] Check failed: … · F0813 00:29:27.77 384244 file.cc:130] Check failed: …
_CHECK = re.compile(r"(?:FATAL:|F\d{4} [\d:. ]{1,200})([\w.+/\\-]+)(?:\((?:\d+)\)|:\d+)\] (.+)$")
_CHECK_FAILED = re.compile(
    r"(?:([\w.+/-]{1,200}\.\w+)[:(]\d+\)?:? .{0,200}?)?\b((?:D?CHECK\w*\(.*\) failed)|(?:Assertion|Check) failed: (.+))"
)
_ANDROID_CHECK = re.compile(r"([\w./-]{1,200}\.(?:cpp|cc|c|h)):\d+ (D?CHECK\w*\(.*\) failed)")
_VALUES = re.compile(r"\.? \([^()]{1,200} vs\. .*$")
_FATAL_IN = re.compile(r"^# (?:Fatal|Runtime|Debug) (?:check failed|error) in (.*?)(?:, line \d+)?$")
_GLIBC_ASSERT = re.compile(r"^[^:]*?: ([^\s:]+):\d+: (?:.*: )?Assertion [`'‘](.+?)['’]? failed")
_ASSERT = re.compile(r"(?:assert failure|ASSERTION FAILED|assertion failed|Assertion failed): (.+)$")
# Assertion failed: (n > 0), function take, file pool.c, line 12.
_PLACED_ASSERT = re.compile(
    r"Assertion failed: \(?(.{1,300}?)\)?, (?:function \S{1,300}, )?file ([^,]{1,300}), line \d+"
)
_CAST = re.compile(
    r"control flow integrity check for type '(.+)' failed during |does not point to an object of type '(.+)'"
)
_CAST_FROM = re.compile(
    r": note: (?:(?:vtable|object) is of type '(.+)'|(?:object has )?(?:an? )?invalid (?:vtable|vptr))"
)
_THROWN = re.compile(
    r"terminat\w+ (?:called after throwing an instance of '(.+?)'"
    r"|due to uncaught exception of type ([\w:]+)(?:: (.*))?)"
)
_SIGNAL = re.compile(
    r"(?:Fatal signal \d+ \(|^signal \d+ \(|\bReceived signal \d+ |Program (?:received|terminated with) signal "
    r"|Exception Type:\s+\w+ \()"
    r"(SIG[A-Z]+|[A-Z]+_[A-Z]+)"
)
_FAULT = re.compile(r"^(?:\S+: )?(Segmentation fault|Bus error|Aborted|Illegal instruction|Floating point exception)\b")
_KERNEL = re.compile(
    r"(?:BUG: (KASAN|KMSAN|KCSAN|unable to handle [\w ]+|[\w -]+): ?([\w-]*)|(Unable to handle kernel [\w ]+)"
    r"|(general protection fault)"
    r"|(Internal error): ([\w -]+)|Kernel panic - not syncing: (.+))"
)
_WINDOWS = re.compile(
    r"(?:ExceptionCode: [0-9a-f]+ \(([\w -]+)\)|\([0-9a-f]+\.[0-9a-f]+\): ([\w -]+) - code ([0-9a-f]{8}))"
)
_CONSEQUENCES = re.compile(
    r"^(?:ABRT|TRAP|ILL|breakpoint|SIGABRT|SIGTRAP|SIGILL|Aborted|deadly signal|EXC_CRASH)", re.IGNORECASE
)
_QUOTED = re.compile(r"'[^']{0,200}'|\b\d+(?:\.\d+)?\b|0x[0-9a-f]+")
_WORDS = ("anitizer", "ERROR: lib", "rror", "FATAL", "ssert", "SSERT", "heck", "HECK", "ignal", "ault", "BUG", "anic",
          "termin", "F0", "F1", "xception", "code c", "code 8", "Unable", "bort", "llegal")  # fmt: skip


# Code has parentheses, comparisons or arrows; a sentence has none.
_FAILED = re.compile(r"^(?:D?Check|D?CHECK) failed: ", re.IGNORECASE)
_COMMENT = re.compile(r"(?<=[)\w\]'\"])[.;] (?=[A-Z])")
_IS_CHECK = re.compile(r"D?[Cc]heck failed: |D?CHECK|.*(?:->|[=!<>]=|\)$|[\w)] [<>] [\w(])")


def why(lines: Sequence[str], at: int) -> Why | None:
    """What a line says of the crash, or None."""
    line = lines[at]
    if not any(word in line for word in _WORDS):
        return None
    return _assertion(lines, at) or _bad_cast(lines, at) or _report(line)


def _report(line: str) -> Why | None:
    if (found := _SANITIZER.search(line)) is not None:
        return _weighed(found[2], f"{found[1]}: {found[2]}{found[3]}")
    if ": runtime error: " in line and (found := _UNDEFINED.search(line)) is not None:
        # Its kind is the sentence without the values in it.
        return Why(_QUOTED.sub("", found[2]).replace("  ", " ").strip()[:80], found[2], Weight.REPORT)
    if (found := _LIBFUZZER.search(line)) is not None:
        return _weighed(found[1].strip(), found[0])
    if (found := _KERNEL.search(line)) is not None:
        told = [part for part in found.groups() if part]
        said = line[found.start() :].strip()[:MESSAGE_CHARS_MAX]
        return Why(": ".join(told)[:80] or "kernel bug", said, Weight.REPORT)
    if (found := _THROWN.search(line)) is not None:
        return Why(found[1] or found[2], found[3] or "", Weight.ASSERTION)
    if (found := _SIGNAL.search(line) or _FAULT.search(line)) is not None:
        return _weighed(found[1], line.strip()[:MESSAGE_CHARS_MAX])
    if (found := _WINDOWS.search(line)) is not None:
        return _weighed((found[1] or found[2]).strip(), line.strip()[:MESSAGE_CHARS_MAX])
    return None


def _bad_cast(lines: Sequence[str], at: int) -> Why | None:
    """A value used as another type than it has. Both types are code, so they count like a condition."""
    line = lines[at]
    if ": runtime error: " not in line or (wanted := _CAST.search(line)) is None:
        return None
    became = f"Bad-cast to {(wanted[1] or wanted[2])[:200]}"
    for following in lines[at + 1 : at + 3]:
        if (found := _CAST_FROM.search(following)) is not None:
            became += f" from {found[1][:200]}" if found[1] else " from invalid vptr"
            break
    return Why("bad cast", line.strip()[:MESSAGE_CHARS_MAX], Weight.ASSERTION, became)


def _weighed(kind: str, message: str) -> Why:
    weight = Weight.CONSEQUENCE if _CONSEQUENCES.match(kind) else Weight.REPORT
    return Why(kind, message[:MESSAGE_CHARS_MAX], weight)


def _assertion(lines: Sequence[str], at: int) -> Why | None:
    line = lines[at]
    if (found := _FATAL_IN.match(line)) is not None:
        told = [text[2:].strip() for text in lines[at + 1 : at + 4] if text.startswith("# ") and text[2:].strip()]
        return _failed(told[0] if told else "", found[1])
    if line.startswith("# "):
        # The text of the error above, which has taken it already.
        return None
    if (found := _CHECK.search(line)) is not None:
        return _failed(found[2], found[1])
    if (found := _GLIBC_ASSERT.match(line)) is not None:
        return Why("assertion failed", line.strip()[:MESSAGE_CHARS_MAX], Weight.ASSERTION, found[2])
    if "CHECK" in line and (found := _ANDROID_CHECK.search(line)) is not None:
        return _failed(found[2], found[1])
    if "Assertion failed: " in line and (found := _PLACED_ASSERT.search(line)) is not None:
        return Why("assertion failed", found[0], Weight.ASSERTION, found[1][:300], basename(found[2]))
    if ("ssert" in line or "SSERT" in line) and (found := _ASSERT.search(line)) is not None:
        # An assert gives up in its own function, so the stack says where.
        return Why("assertion failed", line.strip()[:MESSAGE_CHARS_MAX], Weight.ASSERTION, found[1].rstrip(".;")[:300])
    if "heck failed" in line and (found := _CHECK_FAILED.search(line)) is not None:
        return _failed(found[3] or found[2], found[1] or "")
    return None


def _failed(text: str, place: str) -> Why:
    """A failed check: what did not hold is code, and the values it failed with are data."""
    is_check = _IS_CHECK.match(text) is not None
    held = _VALUES.sub("", _FAILED.sub("", text).strip())
    # What the programmer had to say stands behind the condition.
    held = _COMMENT.split(held, maxsplit=1)[0].rstrip(".;'")
    if not is_check:
        # Words for people, so that a number among them is data.
        held = re.sub(r"\b\d+\b", "<int>", held)
    kind = "check failed" if is_check else "fatal error"
    if held.lower() == "unreachable code":
        kind, held = held.lower(), ""
    file = basename(place) if "." in place and "(" not in place else ""
    return Why(kind, text[:MESSAGE_CHARS_MAX], Weight.ASSERTION, held[:300], file)
