"""OTLP over HTTP: `/v1/logs`, `/v1/metrics`, `/v1/traces`."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from hindcast.config import Settings
from hindcast.ingest import otlp
from hindcast.rest.failure import Answer, WrongType, as_otlp
from hindcast.rest.receiving import Received, Receiver, add_route, is_json

_JSON = "application/json"
_PROTOBUF = "application/x-protobuf"


def add(app: FastAPI, receiver: Receiver, _settings: Settings) -> None:
    """Add the routes."""

    def parse(kind: otlp.Kind, body: bytes, request: Request) -> Received:
        as_json = is_json(request)
        _check_type(request)
        read = otlp.parse(kind, body, receiver.limits, as_json=as_json)
        # One example says what is wrong; the count says how often.
        problem = read.rejections[0].problem if read.rejections else ""
        answer = otlp.answer(kind, len(read.rejections), problem, as_json=as_json)
        return Received(read, Response(answer, media_type=_JSON if as_json else _PROTOBUF))

    for kind in ("logs", "metrics", "traces"):
        endpoint = receiver.endpoint(partial(parse, kind), _answer, way="otlp")
        add_route(app, f"/v1/{kind}", endpoint)


def _answer(request: Request) -> Answer:
    return as_otlp(is_json(request))


def _check_type(request: Request) -> None:
    given = request.headers.get("Content-Type", _PROTOBUF).partition(";")[0].strip().lower()
    if given not in (_JSON, _PROTOBUF, "application/protobuf"):
        raise WrongType(f"{given[:60]!r} is not OTLP.", field="Content-Type", remedy=f"Use {_PROTOBUF} or {_JSON}.")
