"""Webhooks: alerts and changes that other systems tell of, each on a path of its own."""

from __future__ import annotations

from collections.abc import Callable

import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from hindcast.config import Settings
from hindcast.ingest import signature
from hindcast.ingest.sources import alertmanager, github, grafana, pagerduty_events, pagerduty_webhook, sentry
from hindcast.model.columns import Parsed
from hindcast.model.errors import Malformed
from hindcast.rest.failure import Answer, as_json, as_pagerduty
from hindcast.rest.receiving import Check, Received, Receiver, add_route

Source = Callable[..., Parsed]


def add(app: FastAPI, receiver: Receiver, settings: Settings) -> None:
    """Add the routes. Where a secret is set, what is not signed with it is refused."""

    def signed(secret: str, check: Callable[[str, bytes, str | None], None], header: str) -> Check | None:
        if not secret:
            return None
        return lambda body, headers: check(secret, body, headers.get(header))

    sources: tuple[tuple[str, Source, Check | None], ...] = (
        ("alertmanager", alertmanager.parse, None),
        ("grafana", grafana.parse, None),
        (
            "pagerduty",
            pagerduty_webhook.parse,
            signed(settings.pagerduty_secret, signature.check_pagerduty, signature.PAGERDUTY_HEADER),
        ),
        ("sentry", sentry.parse, signed(settings.sentry_secret, signature.check_sentry, signature.SENTRY_HEADER)),
        ("github", github.parse, signed(settings.github_secret, signature.check_github, signature.GITHUB_HEADER)),
    )
    for name, source, check in sources:
        endpoint = receiver.endpoint(_parser(receiver, source), lambda _: as_json, way=name, check=check)
        add_route(app, f"/webhooks/{name}", endpoint)
    _add_pagerduty_events(app, receiver)


def _parser(receiver: Receiver, source: Source) -> Callable[[bytes, Request], Received]:
    def parse(body: bytes, request: Request) -> Received:
        parsed = source(body, request.headers, now=receiver.app.now())
        told = {
            "alerts": len(parsed.alerts),
            "changes": len(parsed.changes),
            "notes": [rejection.problem for rejection in parsed.rejections],
        }
        return Received(parsed, Response(orjson.dumps(told), media_type="application/json"))

    return parse


def _add_pagerduty_events(app: FastAPI, receiver: Receiver) -> None:
    """Events v2, as if we were PagerDuty: whatever can page there can page here."""

    def answered(_: Request) -> Answer:
        return as_pagerduty

    for path, parse in (
        ("/v2/enqueue", pagerduty_events.parse),
        ("/v2/change/enqueue", pagerduty_events.parse_change),
    ):

        def receive(body: bytes, request: Request, parse: Source = parse) -> Received:
            parsed = parse(body, request.headers, now=receiver.app.now())
            answer = pagerduty_events.answer(parsed)
            return Received(parsed, Response(answer.body, answer.status, media_type="application/json"))

        endpoint = receiver.endpoint(
            receive,
            answered,
            way="pagerduty-events",
            bytes_max=pagerduty_events.BODY_BYTES_MAX,
            key_in=_routing_key,
        )
        add_route(app, path, endpoint)


def _routing_key(body: bytes) -> str:
    """What may be a key of ours; a body that cannot be read has none, and is told what is wrong with it later."""
    try:
        return pagerduty_events.routing_key(body)
    except Malformed:
        return ""
