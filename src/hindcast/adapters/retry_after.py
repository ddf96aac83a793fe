"""What a receiver means by `Retry-After`: a number of seconds, or a time."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(header: str | None, *, now: datetime) -> float | None:
    """How long a server asks to wait, from either form of the header; None when it does not say."""
    if header is None:
        return None
    try:
        if header.strip().isdigit():
            return float(header)
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
