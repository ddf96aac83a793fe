"""Tells senders of failures: one table from the error tree to HTTP statuses, and the words each protocol expects."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import orjson
from starlette.responses import Response

from hindcast.build.admission import AtCapacity
from hindcast.ingest import elastic, otlp
from hindcast.ingest.body import TooLarge, UnknownEncoding
from hindcast.ingest.sources import pagerduty_events
from hindcast.model.errors import (
    Busy,
    Damaged,
    HindcastError,
    Malformed,
    Missing,
    Refused,
    Stale,
    Unavailable,
    Unidentified,
)
from hindcast.rest.conditions import Unmatched
from hindcast.rest.limits import TooOften
from hindcast.rest.pace import SentTooSlowly

LOG = logging.getLogger("hindcast")


class WrongType(Malformed):
    """The body is of a type that is not understood here: send it as another one (HTTP 415)."""


# The one table, the narrower kind before the wider. Senders retry on 429 and 503, and on nothing else.
STATUSES: tuple[tuple[type[HindcastError], int], ...] = (
    (TooLarge, 413),
    (UnknownEncoding, 415),
    (WrongType, 415),
    (Malformed, 400),
    (Missing, 404),
    (Unmatched, 412),
    (Stale, 409),
    (Unidentified, 401),
    (Refused, 403),
    (SentTooSlowly, 408),
    (AtCapacity, 503),
    (Busy, 429),
    (Unavailable, 503),
    (Damaged, 500),
)
# How long a sender should wait before it tries a store again that did not answer.
STORE_RETRY_AFTER_SECONDS = 5

UNEXPECTED = "Hindcast met something it did not expect."
PROBLEM = "application/problem+json"

# Makes a protocol's answer out of a status and the words.
Answer = Callable[[int, str], Response]


def status_of(error: HindcastError) -> int:
    """The HTTP status of an error."""
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def told(error: Exception, answer: Answer) -> Response:
    """The answer to a request that failed, in the words of its protocol."""
    if not isinstance(error, HindcastError):
        LOG.error("A request failed in a way nobody expected.", exc_info=error)
        return answer(500, f"{UNEXPECTED} Its log says what.")
    response = answer(status_of(error), str(error))
    if isinstance(error, Unavailable):
        seconds = error.retry_after_seconds if isinstance(error, Busy) else STORE_RETRY_AFTER_SECONDS
        response.headers["Retry-After"] = str(seconds)
    if isinstance(error, Unidentified):
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooOften):
        response.headers.update(error.allowance.headers)
    return response


def as_json(status: int, message: str) -> Response:
    """Our own words."""
    return Response(orjson.dumps({"error": message, "status": status}), status, media_type="application/json")


def as_problem(error: Exception, *, status: int | None = None, more: Mapping[str, object] | None = None) -> Response:
    """The answer of the REST face to a request that failed: problem details (RFC 9457) with field and remedy."""
    if isinstance(error, HindcastError):
        kind, detail, field, remedy = kind_of(error), error.problem, error.field, error.remedy
    else:
        kind, detail, field, remedy = "unexpected", UNEXPECTED, None, "The log of the server says what."

    def answer(usual: int, _: str) -> Response:
        document: dict[str, object] = {
            "type": f"/problems/{kind}",
            "title": kind.capitalize(),
            "status": status or usual,
            "detail": detail,
            "remedy": remedy,
        }
        if field:
            document["field"] = field
        return Response(orjson.dumps({**document, **(more or {})}), status or usual, media_type=PROBLEM)

    return told(error, answer)


def kind_of(error: HindcastError) -> str:
    """What the caller can do next, in a word: the name in the error tree, whichever narrower kind it is."""
    named = (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == HindcastError.__module__)
    return next(named).lower()


def as_text(status: int, message: str) -> Response:
    """Loki's words: a line."""
    return Response(message + "\n", status, media_type="text/plain")


def as_elastic(status: int, message: str) -> Response:
    """Elasticsearch's words."""
    headers = {"X-Elastic-Product": "Elasticsearch"}
    return Response(elastic.refusal(status, message), status, headers, media_type="application/json")


def as_pagerduty(status: int, message: str) -> Response:
    """PagerDuty's words, where it has any for the occasion."""
    if status == 429:
        body = pagerduty_events.too_many().body
    elif 400 <= status < 500:
        body = pagerduty_events.refusal(message).body
    else:
        return as_json(status, message)
    return Response(body, status, media_type="application/json")


def as_otlp(is_json: bool) -> Answer:
    """OpenTelemetry's words: a Status message in the encoding of the request."""

    def answer(status: int, message: str) -> Response:
        media_type = "application/json" if is_json else "application/x-protobuf"
        return Response(otlp.failure(status, message, as_json=is_json), status, media_type=media_type)

    return answer
