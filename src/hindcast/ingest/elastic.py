"""Elasticsearch's `_bulk`, and the few answers that shippers ask an Elasticsearch for before they send anything.

Documents are written once and never read by id, so an update is taken as a document of its own where it carries a whole
one, and a delete finds nothing. Each item gets its own answer; only a request that cannot be cut into items is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from hindcast.ingest.document import add_document, loaded
from hindcast.ingest.rows import Json, LogRows, Read
from hindcast.model.columns import Rejection
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

ACTIONS: Final = frozenset({"create", "index", "update", "delete"})
# Beats refuse servers older than themselves, so it can be set.
VERSION: Final = "8.19.0"
# Logstash and the official clients look for it before they talk.
PRODUCT_HEADER: Final = ("X-Elastic-Product", "Elasticsearch")


@dataclass(frozen=True, slots=True)
class Item:
    """What became of one action of a bulk request."""

    action: str
    index: str
    # As the sender named it, else empty.
    id: str
    status: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Bulk:
    """A bulk request, read: the tables, and every item in the order of the request."""

    read: Read
    items: tuple[Item, ...]
    # For each row of the logs `index/id` when the sender gave an id, by which the same document is known again.
    keys: tuple[str, ...]


def parse_bulk(body: bytes, limits: IngestLimits, *, arrived: datetime, index: str = "") -> Bulk:
    """The rows and items of one bulk request; `index` is the one in the path, for actions that name none."""
    rows = LogRows(limits)
    items: list[Item] = []
    keys: list[str] = []
    lines = iter(enumerate(body.split(b"\n")))
    for number, line in lines:
        if not line.strip():
            continue
        action, about = _action(line, number)
        named = Item(action, str(about.get("_index") or index), str(about.get("_id") or ""), 201)
        if action == "delete":
            items.append(Item(action, named.index, named.id, 404))
            continue
        source = next((content for _, content in lines), None)
        if source is None or not source.strip():
            raise Malformed(
                f"The {action} on line {number + 1} has no document.",
                field=f"line {number + 2}",
                remedy="Put the document on the line after its action.",
            )
        document, problem = _document(source, action, rows)
        if document is None:
            items.append(
                Item(action, named.index, named.id, 404 if action == "update" and not problem else 400, problem)
            )
            continue
        if len(rows) >= limits.records_per_request_max:
            items.append(Item(action, named.index, named.id, 429, "too many documents in one request"))
            continue
        add_document(rows, document, arrived=arrived, limits=limits)
        items.append(named)
        keys.append(f"{named.index}/{named.id}" if named.id else "")
    rejections = [Rejection(place, item.problem) for place, item in enumerate(items) if item.problem]
    return Bulk(rows.read(rejections), tuple(items), tuple(keys))


def _action(line: bytes, number: int) -> tuple[str, Mapping[str, Json]]:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        found = None
    if isinstance(found, dict) and len(found) == 1:
        action, about = next(iter(found.items()))
        if action in ACTIONS and isinstance(about, dict | None):
            return action, about or {}
    raise Malformed(
        f"Line {number + 1} is not an action.",
        field=f"line {number + 1}",
        remedy='Send NDJSON: {"create": {"_index": …}} and the document on the next line, in turns.',
    )


def _document(source: bytes, action: str, rows: LogRows) -> tuple[Mapping[str, Json] | None, str]:
    """The document to keep, or what is wrong with it; neither for an update of what is not there."""
    found = loaded(source, rows.counts)
    if found is None:
        return None, "failed to parse: the document is not a JSON object"
    if action != "update":
        return found, ""
    whole = found.get("upsert") or (found.get("doc") if found.get("doc_as_upsert") else None)
    return (whole, "") if isinstance(whole, dict) else (None, "")


def answer(items: Sequence[Item], took_ms: int) -> bytes:
    """The body of the 200: one item for each action, in the order of the request."""
    told = [{item.action: _told(item)} for item in items]
    # A delete or an update that finds nothing is an answer and no error.
    errors = any(item.problem or (item.action == "update" and item.status == 404) for item in items)
    return orjson.dumps({"took": took_ms, "errors": errors, "items": told})


def _told(item: Item) -> dict[str, Any]:
    told: dict[str, Any] = {"_index": item.index, "status": item.status}
    if item.id:
        told["_id"] = item.id
    if item.problem:
        kind = "mapper_parsing_exception" if item.status == 400 else "es_rejected_execution_exception"
        told["error"] = {"type": kind, "reason": item.problem}
    elif item.status == 404:
        told["result"] = "not_found"
        if item.action == "update":
            told["error"] = {"type": "document_missing_exception", "reason": "documents are written once, not updated"}
    else:
        told["result"] = "created"
    return told


_EXCEPTIONS = {
    401: "security_exception",
    403: "security_exception",
    404: "resource_not_found_exception",
    413: "content_too_long_exception",
    429: "es_rejected_execution_exception",
}


def refusal(status: int, problem: str) -> bytes:
    """The body of an answer that refuses the whole request, in Elasticsearch's words."""
    kind = _EXCEPTIONS.get(status, "illegal_argument_exception")
    cause = {"type": kind, "reason": problem}
    return orjson.dumps({"error": {"root_cause": [cause], **cause}, "status": status})


def handshake(path: str, *, version: str = VERSION, writes: bool = False) -> bytes | None:
    """The body of the 200 to what a shipper asks before it sends; none for a path that is not part of it.

    `writes` is whether it wants to set something (PUT or POST): templates and policies are acknowledged and not needed.
    """
    first = path.strip("/").partition("/")[0]
    if first == "":
        return orjson.dumps(_root(version))
    if first == "_license":
        return orjson.dumps({"license": {"type": "basic", "status": "active", "mode": "basic"}})
    if first == "_cluster":
        return orjson.dumps(_HEALTH)
    if first in _SETTINGS:
        return b'{"acknowledged":true}' if writes else b"{}"
    return None


_HEALTH: Final = {
    "cluster_name": "hindcast",
    "status": "green",
    "timed_out": False,
    "number_of_nodes": 1,
    "number_of_data_nodes": 1,
    "active_primary_shards": 1,
    "active_shards": 1,
    "relocating_shards": 0,
    "initializing_shards": 0,
    "unassigned_shards": 0,
}
_SETTINGS: Final = frozenset(
    {
        "_alias",
        "_cat",
        "_component_template",
        "_data_stream",
        "_ilm",
        "_index_template",
        "_ingest",
        "_logstash",
        "_nodes",
        "_template",
        "_xpack",
    }
)


def _root(version: str) -> dict[str, Any]:
    return {
        "name": "hindcast",
        "cluster_name": "hindcast",
        "cluster_uuid": "hindcast",
        "version": {
            "number": version,
            "build_flavor": "default",
            "build_type": "tar",
            "lucene_version": "9.12.0",
            "minimum_wire_compatibility_version": "7.17.0",
            "minimum_index_compatibility_version": "7.0.0",
        },
        "tagline": "You Know, for Search",
    }
