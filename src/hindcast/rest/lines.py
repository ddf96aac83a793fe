"""Plain lines over HTTP: JSON lines or text, for `hindcast ingest` and for scripts."""

from __future__ import annotations

import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from hindcast.config import Settings
from hindcast.ingest import lines
from hindcast.rest.failure import Answer, as_json
from hindcast.rest.receiving import Received, Receiver, add_route

# A sender that names its delivery may repeat it without being counted twice.
KEY_HEADER = "Idempotency-Key"
PROBLEMS_TOLD_MAX = 10


def add(app: FastAPI, receiver: Receiver, _settings: Settings) -> None:
    """Add the route."""

    def parse(body: bytes, request: Request) -> Received:
        service = request.query_params.get("service", "")
        read = lines.parse(body, receiver.limits, arrived=receiver.app.now(), service=service)
        told = {
            "accepted": read.logs.num_rows if read.logs is not None else 0,
            "rejected": len(read.rejections),
            "problems": [
                {"line": rejection.position + 1, "problem": rejection.problem}
                for rejection in read.rejections[:PROBLEMS_TOLD_MAX]
            ],
        }
        response = Response(orjson.dumps(told), media_type="application/json")
        return Received(read, response, key=request.headers.get(KEY_HEADER, ""))

    add_route(app, "/api/v1/lines", receiver.endpoint(parse, _answer, way="lines"))


def _answer(_: Request) -> Answer:
    return as_json
