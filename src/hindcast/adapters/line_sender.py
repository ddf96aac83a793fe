"""Delivers lines to a running Hindcast, and comes back when it is told to come back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import orjson

from hindcast.adapters.retry_after import retry_after_seconds
from hindcast.model.errors import Malformed, Refused, Unavailable

TIMEOUT_SECONDS = 30
# A busy receiver says when to come back; one that says so for this long is not going to recover soon.
PATIENCE_SECONDS = 120
PAUSE_SECONDS_MIN = 0.1
PAUSE_SECONDS_MAX = 30.0


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of one delivery."""

    accepted: int
    rejected: int


class LineSender:
    """Posts lines to `/api/v1/lines`. On return they are durable on the other side."""

    def __init__(
        self, url: str, *, space: str, key: str = "", service: str = "", transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"X-Hindcast-Space": space} | ({"X-Hindcast-Key": key} if key else {})
        self.url = url.rstrip("/")
        self._service = service
        self._client = httpx.Client(timeout=TIMEOUT_SECONDS, headers=headers, transport=transport, trust_env=False)

    def send(self, content: bytes, *, key: str = "") -> Delivered:
        """Deliver lines; the same key is the same delivery, and is not taken twice."""
        headers = {"Content-Type": "application/x-ndjson"} | ({"Idempotency-Key": key} if key else {})
        waited = 0.0
        while True:
            try:
                answer = self._client.post(
                    f"{self.url}/api/v1/lines", params={"service": self._service}, content=content, headers=headers
                )
            except httpx.HTTPError as error:
                raise Unavailable(
                    f"Nothing at {self.url} took the lines: {error or type(error).__name__}.",
                    field="to",
                    remedy="Start one with `hindcast serve`, or say where it is with --to.",
                ) from error
            if answer.status_code not in (429, 503) or waited >= PATIENCE_SECONDS:
                return _delivered(answer)
            asked = retry_after_seconds(answer.headers.get("Retry-After"), now=datetime.now(UTC))
            pause = min(max(asked if asked is not None else 1.0, PAUSE_SECONDS_MIN), PAUSE_SECONDS_MAX)
            time.sleep(pause)
            waited += pause

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()


def _delivered(answer: httpx.Response) -> Delivered:
    try:
        told = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        told = {}
    problem = str(told.get("error", f"It answered with status {answer.status_code}.")) if isinstance(told, dict) else ""
    if answer.status_code in (400, 413, 415):
        raise Malformed(problem, field="lines", remedy="Correct the input and send it again.")
    if answer.status_code in (401, 403, 404):
        raise Refused(problem, field="to", remedy="Check the address and the rights of this sender.")
    if not answer.is_success:
        raise Unavailable(problem, field="to", remedy="Look at the log of the other side, then send it again.")
    return Delivered(int(told["accepted"]), int(told["rejected"]))
