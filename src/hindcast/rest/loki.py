"""Loki's push: JSON, or protobuf in a snappy block."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from hindcast.config import Settings
from hindcast.ingest import loki
from hindcast.model.columns import Parsed
from hindcast.model.errors import Malformed
from hindcast.rest.failure import Answer, as_text
from hindcast.rest.receiving import Received, Receiver, add_route, is_json

# Loki's own way of saying whose lines these are.
TENANT_HEADER = "X-Scope-OrgID"


def add(app: FastAPI, receiver: Receiver, _settings: Settings) -> None:
    """Add the route, under its present name and its old one."""

    def parse(body: bytes, request: Request) -> Received:
        read = (loki.parse_json if is_json(request) else loki.parse_protobuf)(
            body, receiver.limits, arrived=receiver.app.now()
        )
        if read.rejections and not _rows(read):
            first = read.rejections[0]
            raise Malformed(first.problem, field=f"streams[{first.position}]", remedy="Correct the entry.")
        return Received(read, Response(status_code=204))

    endpoint = receiver.endpoint(parse, _answer, way="loki", space_header=TENANT_HEADER)
    for path in ("/loki/api/v1/push", "/api/prom/push"):
        add_route(app, path, endpoint)


def _rows(parsed: Parsed) -> int:
    return parsed.logs.num_rows if parsed.logs is not None else 0


def _answer(_: Request) -> Answer:
    return as_text
