"""Trying a way in: a request that Hindcast makes to itself, through every layer that a sender's would pass.

It carries the proof of whoever asks for it, so it may do exactly what they may. What it brings is marked as a test, and
neither what was taken nor what was refused counts as a sender's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

from starlette.requests import HTTPConnection, Request
from starlette.types import Message

from hindcast.ingest.probe import Probe
from hindcast.model.columns import Parsed
from hindcast.model.signal import TEST_LABEL
from hindcast.rest.arrivals import records
from hindcast.rest.seat import SPACE_HEADER

STATE = "hindcast_trial"
# What belongs to the body of the request that asks for the trial, not to the trial; all else says who asks.
_OF_THE_BODY = frozenset(
    (
        b"accept",
        b"accept-encoding",
        b"connection",
        b"content-encoding",
        b"content-length",
        b"content-type",
        b"expect",
        b"idempotency-key",
        b"if-match",
        b"transfer-encoding",
        SPACE_HEADER.lower().encode(),
    )
)
# A refusal is a sentence or two.
SAID_CHARS_MAX = 400


@dataclass(slots=True)
class Trial:
    """One try, and what came of it."""

    mark: str
    taken: dict[str, int]
    # What the way in raised, before it put it into the words of its protocol.
    error: Exception | None = None

    def marked(self, parsed: Parsed) -> Parsed:
        """What was parsed, so that everybody downstream can tell that it is a test."""
        label = {TEST_LABEL: self.mark}
        for name, count in records(parsed).items():
            self.taken[name] = self.taken.get(name, 0) + count
        return replace(
            parsed,
            alerts=tuple(replace(one, labels={**one.labels, **label}) for one in parsed.alerts),
            changes=tuple(replace(one, labels={**one.labels, **label}) for one in parsed.changes),
        )


def trial_of(connection: HTTPConnection) -> Trial | None:
    """The try that a request is, if it is one. Nobody outside can say so: it stands in no header."""
    found = connection.scope.get("state", {}).get(STATE)
    return found if isinstance(found, Trial) else None


async def tried(trial: Trial, probe: Probe, asked: Request, space: str) -> tuple[int, str]:
    """Send a probe through the application that was asked; the status of the answer, and its beginning."""
    body = [{"type": "http.request", "body": probe.body, "more_body": False}]
    answer: list[Message] = []

    async def receive() -> Message:
        return body.pop() if body else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        answer.append(message)

    headers = [(name, value) for name, value in asked.scope["headers"] if name.lower() not in _OF_THE_BODY]
    headers += [(name.lower().encode(), value.encode()) for name, value in probe.headers.items()]
    headers += [
        (SPACE_HEADER.lower().encode(), space.encode()),
        (b"content-length", str(len(probe.body)).encode()),
    ]
    scope = {
        **{name: asked.scope.get(name) for name in ("type", "asgi", "http_version", "scheme", "client", "server")},
        "method": "POST",
        "path": probe.path,
        "raw_path": quote(probe.path).encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "state": {STATE: trial},
    }
    await asked.app(scope, receive, send)
    said = b"".join(message.get("body", b"") for message in answer if message["type"] == "http.response.body")
    return int(answer[0]["status"]), said.decode(errors="replace")[:SAID_CHARS_MAX]
