"""Limits of the HTTP face: how large a body may be, and how many requests one caller may make.

A bucket holds a minute's worth of requests and fills up steadily, so that a page which asks for thirty things at once
is served and a loop that never rests is not.
"""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass

from hindcast.asking import ASKED_CHARS_MAX
from hindcast.build.workspaces import UPLOAD_LIMITS
from hindcast.model.errors import Busy

# Nothing that people or agents say about an incident is larger; logs come in through the ingest paths.
BODY_BYTES_MAX = 1_048_576
# A whole log may be pasted into a question; in JSON its line ends and quotes take two bytes each.
BODY_BYTES_MAX_BY_PATH = {"/api/v1/recall": 2 * ASKED_CHARS_MAX}
# A file is edited as a whole, and in JSON its quotes and line ends take two bytes each; an upload is many files.
BODY_BYTES_MAX_BY_SHAPE = (
    (re.compile(r"/api/v1/workspaces/[^/]+/file"), 8_000_000),
    (re.compile(r"/api/v1/workspaces/[^/]+/upload"), UPLOAD_LIMITS.body_bytes_max),
)
# What has to fetch or unpack many files before it can answer.
SECONDS_MAX_BY_SHAPE = (
    (re.compile(r"/api/v1/workspaces"), 150.0),
    (re.compile(r"/api/v1/workspaces/[^/]+/(?:upload|refresh)"), 150.0),
)
# A sender whose line is slow may take longer, as long as it keeps this pace; one byte a second is no pace.
BYTES_PER_SECOND_MIN = 65_536
# As many callers as are remembered; who has not asked for longest is forgotten first, which gives a full bucket back.
BUCKETS_MAX = 10_000
SECONDS_PER_MINUTE = 60


def body_bytes_max_of(path: str) -> int:
    """How large the body of a request to the REST face may be."""
    shaped = (most for shape, most in BODY_BYTES_MAX_BY_SHAPE if shape.fullmatch(path))
    return BODY_BYTES_MAX_BY_PATH.get(path) or next(shaped, BODY_BYTES_MAX)


def seconds_max_of(path: str) -> float:
    """How long an answer may take beyond what is usual; 0: no longer."""
    return next((most for shape, most in SECONDS_MAX_BY_SHAPE if shape.fullmatch(path)), 0.0)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left to a caller after a request."""

    limit: int
    remaining: int
    # Until the bucket is full again.
    reset_seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """As the answer tells it."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_seconds),
        }


class Buckets:
    """One bucket for each caller. Safe to use from several threads."""

    def __init__(self, requests_per_minute: int, *, buckets_max: int = BUCKETS_MAX) -> None:
        self._limit = requests_per_minute
        self._buckets_max = buckets_max
        # By caller: how much is in the bucket, and when (in seconds of a steady clock) that was so.
        self._kept: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = threading.Lock()

    def take(self, caller: str, *, now_seconds: float) -> Allowance | None:
        """One request of a caller. Raises Busy when the bucket is empty; None where nothing is limited."""
        if not self._limit:
            return None
        pace = self._limit / SECONDS_PER_MINUTE
        with self._turn:
            level, since = self._kept.pop(caller, (float(self._limit), now_seconds))
            # A clock that went back fills nothing.
            level = min(float(self._limit), level + max(0.0, now_seconds - since) * pace)
            is_empty = level < 1
            level -= 0 if is_empty else 1
            self._kept[caller] = (level, now_seconds)
            while len(self._kept) > self._buckets_max:
                self._kept.popitem(last=False)
        if is_empty:
            wait = max(1, math.ceil((1 - level) / pace))
            raise TooOften(self._limit, wait)
        return Allowance(self._limit, int(level), math.ceil((self._limit - level) / pace))

    def __len__(self) -> int:
        return len(self._kept)


class TooOften(Busy):
    """A caller asked too often (HTTP 429)."""

    def __init__(self, limit: int, wait_seconds: int) -> None:
        super().__init__(
            f"More than {limit} requests came within a minute.",
            remedy=f"Wait {wait_seconds} s, then ask again; spread requests out.",
            retry_after_seconds=wait_seconds,
        )
        self.allowance = Allowance(limit, 0, wait_seconds)
