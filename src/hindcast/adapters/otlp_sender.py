"""Posts telemetry to a running instance the way exporters do: gzip, bounded retries, Retry-After honoured.

Tells what was acknowledged and what was rejected record by record (OTLP's partial success). It does not know what it
carries: a path, a body, and how many records are in it.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from hindcast.adapters.retry_after import retry_after_seconds
from hindcast.model.errors import HindcastError, Malformed, Refused, Unavailable

DEFAULT_URL = "http://127.0.0.1:4318"
TIMEOUT_SECONDS_MAX = 10.0
ATTEMPTS_MAX = 5
# The first pause; each further one is twice as long.
WAIT_SECONDS_MIN = 0.2
# A receiver that asks for a longer pause than this is, to a live stream, not available.
WAIT_SECONDS_MAX = 10.0
PORT_MAX = 65_535
# Small bodies grow when they are packed.
GZIP_BYTES_MIN = 512
SAID_CHARS_MAX = 200
# What OTLP calls retryable.
_RETRIED = frozenset({429, 502, 503, 504})
# For each path the type of its answer, and the field that counts what was rejected.
_ANSWERS: Mapping[str, tuple[Any, str]] = {
    "/v1/logs": (ExportLogsServiceResponse, "rejected_log_records"),
    "/v1/metrics": (ExportMetricsServiceResponse, "rejected_data_points"),
    "/v1/traces": (ExportTraceServiceResponse, "rejected_spans"),
}


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of one request."""

    acknowledged: int
    rejected: int
    attempts: int
    # Why records were rejected, as the receiver says it.
    problem: str = ""


class OtlpSender:
    """One connection to one receiver. For one thread."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        space: str | None = None,
        key: str = "",
        timeout_seconds_max: float = TIMEOUT_SECONDS_MAX,
        attempts_max: int = ATTEMPTS_MAX,
        wait_seconds_max: float = WAIT_SECONDS_MAX,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = _checked(url)
        self._attempts_max = max(1, attempts_max)
        self._wait_seconds_max = wait_seconds_max
        self._sleep = sleep
        headers = ({"X-Hindcast-Space": space} if space else {}) | ({"X-Hindcast-Key": key} if key else {})
        # Posted directly, whatever proxy the environment names; redirects are not followed.
        self._client = httpx.Client(timeout=timeout_seconds_max, headers=headers, trust_env=False)

    @property
    def where(self) -> str:
        """The receiver's address as it may be shown: without a name, a password or a query."""
        return f"{self._url.scheme}://{self._url.netloc.decode('ascii')}{self._url.path.rstrip('/')}"

    def send(self, path: str, body: bytes, *, content_type: str, records: int) -> Delivery:
        """Post one request until it is acknowledged.

        Raises Unavailable when nothing answers or the receiver stays busy, Refused or Malformed when it says no.
        """
        headers = {"Content-Type": content_type}
        if len(body) >= GZIP_BYTES_MIN:
            # A fixed time in the header: the same records are the same bytes.
            body, headers["Content-Encoding"] = gzip.compress(body, compresslevel=1, mtime=0), "gzip"
        trouble = ""
        for attempt in range(1, self._attempts_max + 1):
            wait = min(WAIT_SECONDS_MIN * 2 ** (attempt - 1), self._wait_seconds_max)
            try:
                response = self._client.post(self._at(path), content=body, headers=headers)
            except httpx.ConnectError as error:
                # Nobody listens there. Waiting rarely changes that, and whoever waits wants to know at once.
                raise self._silent(str(error)) from error
            except httpx.TransportError as error:
                trouble = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            else:
                if response.is_success:
                    return _delivery(path, response.content, records, attempt)
                if response.status_code not in _RETRIED:
                    raise self._rejected(path, response)
                trouble = f"status {response.status_code}{_said(response)}"
                asked = retry_after_seconds(response.headers.get("Retry-After"), now=datetime.now(UTC))
                if asked is not None and asked > self._wait_seconds_max:
                    trouble += f", and asks to wait {asked:.0f} seconds"
                    break
                wait = wait if asked is None else asked
            if attempt < self._attempts_max:
                self._sleep(wait)
        raise Unavailable(
            f"{self.where}{path} does not take {records} records ({trouble}).",
            field="--to",
            remedy="Wait and retry, or send fewer at once with --rate.",
        )

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def _at(self, path: str) -> httpx.URL:
        return self._url.copy_with(path=f"{self._url.path.rstrip('/')}{path}")

    def _silent(self, why: str) -> Unavailable:
        return Unavailable(
            f"Nothing listens at {self.where} ({why}).",
            field="--to",
            remedy="Start an instance with `hindcast serve`, or name another address with --to.",
        )

    def _rejected(self, path: str, response: httpx.Response) -> HindcastError:
        said = _said(response)
        if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            return Refused(
                f"{self.where}{path} refuses the sender (status {response.status_code}{said}).",
                field="--to",
                remedy="Name an instance that takes telemetry from here.",
            )
        if response.is_server_error:
            return Unavailable(
                f"{self.where}{path} fails with status {response.status_code}{said}.",
                field="--to",
                remedy="See what the instance itself says about it, then retry.",
            )
        if response.status_code == httpx.codes.NOT_FOUND:
            return Malformed(
                f"{self.where} has no {path}.", field="--to", remedy="Name the address of a running `hindcast serve`."
            )
        return Malformed(
            f"{self.where}{path} rejects the request with status {response.status_code}{said}.",
            field="--to",
            remedy="Check that it is a running `hindcast serve` of the same version.",
        )


def _checked(url: str) -> httpx.URL:
    remedy = f"Give an address such as {DEFAULT_URL}."
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise Malformed("The address is no URL.", remedy=remedy, field="--to") from error
    is_host = bool(parsed.host) and "%" not in parsed.host and (parsed.port or 80) <= PORT_MAX
    if parsed.scheme not in ("http", "https") or not is_host:
        raise Malformed(f"{url[:SAID_CHARS_MAX]!r} is no http(s) address.", remedy=remedy, field="--to")
    return parsed


def _delivery(path: str, content: bytes, records: int, attempts: int) -> Delivery:
    """How many of the records were taken, as the answer says it."""
    if path not in _ANSWERS:
        return Delivery(records, 0, attempts)
    kind, counted = _ANSWERS[path]
    try:
        partial = kind.FromString(content).partial_success
    except DecodeError as error:
        raise Malformed(
            f"The answer to {path} is not OTLP.", field="--to", remedy="Name the address of a running `hindcast serve`."
        ) from error
    rejected = min(max(0, getattr(partial, counted)), records)
    return Delivery(records - rejected, rejected, attempts, partial.error_message)


def _said(response: httpx.Response) -> str:
    """The beginning of what a receiver said, on one line of printable characters."""
    text = "".join(char if char.isprintable() else " " for char in response.text[: 4 * SAID_CHARS_MAX])
    words = " ".join(text.split())
    return f": {words[:SAID_CHARS_MAX]}" if words else ""
