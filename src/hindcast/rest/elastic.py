"""Elasticsearch's `_bulk`, and what its shippers ask before they send."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hindcast.config import Settings
from hindcast.ingest import elastic
from hindcast.model.errors import HindcastError
from hindcast.rest.failure import Answer, as_elastic, told
from hindcast.rest.receiving import Received, Receiver, add_route
from hindcast.rest.seat import doorkeeper_of

# Official clients and Logstash refuse whoever does not say so.
HEADERS = {"X-Elastic-Product": "Elasticsearch"}
_ASKED = (
    "/",
    "/_license",
    "/_cluster/health",
    "/_xpack",
    "/_ilm/{rest:path}",
    "/_index_template/{rest:path}",
    "/_component_template/{rest:path}",
    "/_template/{rest:path}",
    "/_ingest/{rest:path}",
    "/_nodes/{rest:path}",
    "/_nodes",
    "/_logstash/{rest:path}",
    "/_data_stream/{rest:path}",
    "/_alias/{rest:path}",
)


def add(app: FastAPI, receiver: Receiver, settings: Settings) -> None:
    """Add the routes."""

    def parse(body: bytes, request: Request) -> Received:
        index = str(request.path_params.get("index", ""))
        bulk = elastic.parse_bulk(body, receiver.limits, arrived=receiver.app.now(), index=index)
        response = Response(elastic.answer(bulk.items, 0), 200, HEADERS, media_type="application/json")
        return Received(bulk.read, response, row_keys=bulk.keys)

    async def shake(request: Request) -> Response:
        try:
            await run_in_threadpool(doorkeeper_of(request).caller, request, is_sender=True)
        except HindcastError as error:
            return told(error, as_elastic)
        writes = request.method in ("PUT", "POST")
        body = elastic.handshake(request.url.path, version=settings.elastic_version, writes=writes)
        if body is None:
            return as_elastic(404, f"{request.url.path} is not answered here.")
        return Response(body if request.method != "HEAD" else b"", 200, HEADERS, media_type="application/json")

    bulk = receiver.endpoint(parse, _answer, way="elastic")
    for path in ("/_bulk", "/{index}/_bulk", "/{index}/{type}/_bulk"):
        add_route(app, path, bulk, ("POST", "PUT"))
    for path in _ASKED:
        add_route(app, path, shake, ("GET", "HEAD", "PUT", "POST"))


def _answer(_: Request) -> Answer:
    return as_elastic
