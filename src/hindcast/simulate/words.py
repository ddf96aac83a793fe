"""Fills the blanks of messages: ids, durations, addresses, statements, each made from one random number.

A template such as `user {user} logged in from {ip}` is read once; filling it is one string operation. `{peer}` stands
for the service that could not be reached, `{subject}` for what was being done; both are put in when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Maker = Callable[[int], str]

# The most blanks of any template; so many numbers are drawn for each line.
BLANKS_MAX = 8
_BLANK = re.compile(r"\{(\w+)\}")
_MIX = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1

_PATHS = (
    "/api/v1/users/{}",
    "/api/v1/payments",
    "/api/v1/payments/{}",
    "/api/v1/login",
    "/api/v1/reports/daily",
    "/api/v1/users/{}/sessions",
    "/healthz",
)
_STATEMENTS = (
    "SELECT id, email, status FROM users WHERE id = {}",
    "UPDATE accounts SET balance_cents = balance_cents - {} WHERE id = $2",
    "INSERT INTO payments (order_id, amount_cents, currency) VALUES ({}, $2, 'EUR')",
    "SELECT count(*) FROM events WHERE day = current_date - {}",
    "DELETE FROM sessions WHERE expires_at < now() AND shard = {}",
    "SELECT p.id, p.state FROM payments p JOIN orders o ON o.id = p.order_id WHERE o.customer_id = {}",
)
_TABLES = ("users", "payments", "sessions", "orders", "events", "accounts", "refunds")
_VERBS = ("GET", "GET", "GET", "POST", "POST", "PUT", "DELETE")
_GIVEN = ("ana", "bo", "carla", "dmitri", "eva", "farid", "greta", "hiro", "ines", "jonas")
_JOBS = ("daily_rollup", "funnel", "retention", "revenue", "cohort", "export_csv")
_CHANNELS = ("email", "sms", "push")
_CURRENCIES = ("EUR", "USD", "GBP", "CHF")
_STATUSES = (200, 200, 200, 200, 201, 204, 304)
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def mixed(number: int, times: int = 1) -> int:
    """Another number of 64 bits, the same for the same number."""
    for _ in range(times):
        number = (number + _MIX) & _MASK
        number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _MASK
        number ^= number >> 31
    return number


def _uuid(number: int) -> str:
    digits = f"{mixed(number):016x}{mixed(number ^ _MIX):016x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _letters(number: int, count: int) -> str:
    found: list[str] = []
    for _ in range(count):
        number, rest = divmod(number, 64) if number else (mixed(count + len(found)), 0)
        found.append(_ALPHABET[rest])
    return "".join(found)


def _token(number: int) -> str:
    first, second = mixed(number), mixed(number ^ _MIX)
    return f"eyJhbGciOiJSUzI1NiJ9.eyJ{_letters(first, 24)}.{_letters(second, 32)}"


def _ms(number: int) -> str:
    """Durations lean to the short side and have a long tail."""
    return str(2 + (number % 1_009) ** 2 // 8_000 + number % 7)


def _path(number: int) -> str:
    return _PATHS[number % len(_PATHS)].format(10_000 + number // 7 % 90_000)


def _statement(number: int) -> str:
    return _STATEMENTS[number % len(_STATEMENTS)].format(1 + number // 7 % 90_000)


def _one_of(values: Sequence[object]) -> Maker:
    texts = tuple(map(str, values))
    return lambda number: texts[number % len(texts)]


def _number(low: int, high: int) -> Maker:
    return lambda number: str(low + number % (high - low))


MAKERS: dict[str, Maker] = {
    "user": lambda number: f"usr_{10_000 + number % 90_000}",
    "order": lambda number: f"ord-{100_000 + number % 900_000}",
    "charge": lambda number: f"ch_{mixed(number):016x}",
    "uuid": _uuid,
    "jti": lambda number: f"{mixed(number):016x}"[:12],
    "token": _token,
    "hex": lambda number: f"0x{mixed(number) & 0xFFFFFFFFFF:010x}",
    "ip": lambda number: f"10.{number % 4 + 20}.{number // 4 % 256}.{number // 1024 % 254 + 1}",
    "port": _number(32_768, 61_000),
    "ms": _ms,
    "long_ms": _number(5_000, 30_000),
    "seconds": _number(2, 60),
    "bytes": _number(180, 48_000),
    "rows": _number(0, 900),
    "count": _number(1, 400),
    "many": _number(9_000, 60_000),
    "few": _number(1, 6),
    "percent": _number(81, 100),
    "pid": _number(1_000, 32_000),
    "mb": _number(3_000, 8_000),
    "amount": lambda number: f"{number % 40_000 / 100 + 1:.2f}",
    "currency": _one_of(_CURRENCIES),
    "card": lambda number: f"**** **** **** {number % 10_000:04d}",
    "email": lambda number: f"{_GIVEN[number % len(_GIVEN)]}{number // 10 % 1_000}@example.com",
    "verb": _one_of(_VERBS),
    "path": _path,
    "status": _one_of(_STATUSES),
    "sql": _statement,
    "table": _one_of(_TABLES),
    "job": _one_of(_JOBS),
    "channel": _one_of(_CHANNELS),
    "worker": _number(1, 9),
    "shard": _number(0, 16),
    "host": lambda number: f"node-{number % 6 + 1}",
}


@dataclass(frozen=True, slots=True)
class Template:
    """A message with blanks, ready to be filled."""

    text: str
    makers: tuple[Maker, ...]

    def filled(self, numbers: Sequence[int]) -> str:
        """The message that these numbers make."""
        return self.text % tuple(maker(number) for maker, number in zip(self.makers, numbers, strict=False))


@lru_cache(maxsize=4096)
def template(text: str, peer: str = "", subject: str = "") -> Template:
    """Read a template."""
    named = text.replace("{subject}", subject).replace("{peer}", peer)
    makers = tuple(MAKERS[name] for name in _BLANK.findall(named))
    assert len(makers) <= BLANKS_MAX, text
    return Template(_BLANK.sub("%s", named.replace("%", "%%")), makers)
