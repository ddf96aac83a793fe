"""Values compared and converted by what they mean: `30s` is `30000` where the key counts milliseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

_NUMBER = re.compile(r"^([+-]?\d[\d_]*(?:\.\d+)?)\s*([A-Za-zµ%]*)$")
_TIME = {
    **dict.fromkeys(("ns", "nanoseconds", "nanos"), Fraction(1, 10**9)),
    **dict.fromkeys(("us", "µs", "microseconds", "micros"), Fraction(1, 10**6)),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), Fraction(1, 1000)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Fraction(1)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), Fraction(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Fraction(3600)),
    **dict.fromkeys(("d", "day", "days"), Fraction(86_400)),
}
_BYTES = {
    **dict.fromkeys(("b", "byte", "bytes"), Fraction(1)),
    **dict.fromkeys(("ki", "kib"), Fraction(2**10)),
    **dict.fromkeys(("mi", "mib"), Fraction(2**20)),
    **dict.fromkeys(("gi", "gib"), Fraction(2**30)),
    **dict.fromkeys(("ti", "tib"), Fraction(2**40)),
    **dict.fromkeys(("kb",), Fraction(10**3)),
    **dict.fromkeys(("mb",), Fraction(10**6)),
    **dict.fromkeys(("gb",), Fraction(10**9)),
    **dict.fromkeys(("tb",), Fraction(10**12)),
}
_MEMORY_WORDS = frozenset(
    {"memory", "mem", "heap", "xmx", "xms", "xmn", "xss", "maxmemory", "storage", "buffer", "buffers", "bytes"}
)
_TRUE = frozenset({"true", "on", "yes", "enabled"})
_FALSE = frozenset({"false", "off", "no", "disabled"})
# Words of a key that say what its number counts. `s` and `m` alone are letters, not units.
_KEY_TIME = frozenset(_TIME) - {"s", "h", "d", "day", "hour", "minute", "second", "min"}
_KEY_BYTES = frozenset({"bytes", "kb", "mb", "gb", "kib", "mib", "gib"})
UNIT_WORDS = _KEY_TIME | _KEY_BYTES | {"s"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, what it counts (time in seconds, memory in bytes, cpu in cores), and how that was written."""

    number: Fraction
    # "time", "bytes", "cpu", "percent"; empty: a bare number.
    family: str
    factor: Fraction
    # As written behind the number; empty where only the key tells it.
    unit: str

    @property
    def amount(self) -> Fraction:
        """How much it is, in the family's own unit."""
        return self.number * self.factor


def quantity(value: str, key_words: Sequence[str]) -> Quantity | None:
    """A value as a quantity, or None where it is none."""
    match = _NUMBER.match(value.strip())
    if match is None:
        return None
    number = Fraction(match[1].replace("_", ""))
    unit = match[2]
    family, factor = _meant(unit, key_words) if unit else _by_key(key_words)
    if unit and not family:
        return None
    return Quantity(number, family, factor, unit)


def same_value(one: str, one_words: Sequence[str], other: str, other_words: Sequence[str]) -> bool:
    """Whether two values mean the same, each below its own key."""
    if one.strip() == other.strip() and _agree(quantity(one, one_words), quantity(other, other_words)):
        return True
    left, right = one.strip().lower(), other.strip().lower()
    if {left, right} <= _TRUE or {left, right} <= _FALSE:
        return True
    first, second = quantity(one, one_words), quantity(other, other_words)
    if first is not None and second is not None:
        return first.family == second.family and first.amount == second.amount
    return first is None and second is None and left == right


def converted(wanted: str, wanted_words: Sequence[str], today: str, today_words: Sequence[str]) -> str | None:
    """A wanted value as it is written below today's key; None where nobody knows what the number would count."""
    now, then = quantity(today, today_words), quantity(wanted, wanted_words)
    if then is None:
        return _as_boolean(wanted, today)
    if now is None:
        return wanted if not then.unit or not today.strip() or _agree_text(today) else None
    if now.family != then.family:
        return None
    if bool(now.unit) == bool(then.unit) and (now.unit or now.factor == then.factor):
        # A unit that is written may be another one: it is what memory says, letter by letter.
        return wanted
    # 1500 ms is no whole number of seconds, and a key's own unit cannot be changed.
    exact = then.amount / now.factor
    return f"{exact.numerator}{now.unit}" if exact.denominator == 1 else None


def _agree(one: Quantity | None, other: Quantity | None) -> bool:
    """Whether two values with the same text count the same: 30 seconds are not 30 milliseconds."""
    return (
        one is None
        or other is None
        or (one.family, one.factor) == (other.family, other.factor)
        or not (one.family and other.family)
    )


def _agree_text(today: str) -> bool:
    return today.strip().lower() in ("null", "none", "~", "-1", "unlimited", "infinity", "default")


def _as_boolean(wanted: str, today: str) -> str:
    """`off` where today says `true` is `false`."""
    pairs = (("true", "false"), ("True", "False"), ("on", "off"), ("yes", "no"), ("1", "0"), ("enabled", "disabled"))
    low = wanted.strip().lower()
    if low in _TRUE or low in _FALSE:
        for yes, no in pairs:
            if today.strip() in (yes, no):
                return yes if low in _TRUE else no
    return wanted


def _meant(unit: str, key_words: Sequence[str]) -> tuple[str, Fraction]:
    low = unit.lower()
    if unit == "%":
        return "percent", Fraction(1, 100)
    if low == "m" and "cpu" in key_words:
        return "cpu", Fraction(1, 1000)
    if low in ("k", "m", "g", "t") and (low != "m" or _MEMORY_WORDS & set(key_words) or unit == "M"):
        return "bytes", Fraction(2 ** (10 * ("kmgt".index(low) + 1)))
    if low == "m":
        return "time", Fraction(60)
    if low in _TIME:
        return "time", _TIME[low]
    return ("bytes", _BYTES[low]) if low in _BYTES else ("", Fraction(1))


def _by_key(key_words: Sequence[str]) -> tuple[str, Fraction]:
    """What a bare number counts, where its key says so."""
    if key_words and key_words[-1] == "cpu":
        return "cpu", Fraction(1)
    if len(key_words) > 1 and key_words[-1] == "s":
        return "time", Fraction(1)
    for word in reversed(key_words[-2:]):
        if word in _KEY_TIME:
            return "time", _TIME[word]
        if word in _KEY_BYTES:
            # Programs that count megabytes in a setting count them in powers of two.
            return "bytes", {"kb": Fraction(2**10), "mb": Fraction(2**20), "gb": Fraction(2**30)}.get(
                word, _BYTES[word]
            )
    return "", Fraction(1)
