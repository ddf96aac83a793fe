"""OTLP over HTTP: logs, metrics and traces, in protobuf and in JSON, and the answers that exporters expect.

Protobuf goes through `arrow` (columns at once); what that way refuses is tried once more through `walk` before the
request is refused. JSON goes through `walk`. All ways end in the same columns and so in the same tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final, Literal

import orjson
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

from hindcast.ingest.otlp import arrow, walk
from hindcast.ingest.otlp.json_shape import decode
from hindcast.ingest.otlp.logs import read_logs
from hindcast.ingest.otlp.metrics import read_metrics
from hindcast.ingest.otlp.scan import check_sizes
from hindcast.ingest.otlp.traces import read_traces
from hindcast.ingest.otlp.wire import nested_arrow
from hindcast.ingest.rows import Read
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

Kind = Literal["logs", "metrics", "traces"]

_REQUESTS: Final[dict[str, Any]] = {
    "logs": logs_service_pb2.ExportLogsServiceRequest,
    "metrics": metrics_service_pb2.ExportMetricsServiceRequest,
    "traces": trace_service_pb2.ExportTraceServiceRequest,
}
_RESPONSES: Final[dict[str, Any]] = {
    "logs": logs_service_pb2.ExportLogsServiceResponse,
    "metrics": metrics_service_pb2.ExportMetricsServiceResponse,
    "traces": trace_service_pb2.ExportTraceServiceResponse,
}
_REJECTED: Final = {
    "logs": "rejected_log_records",
    "metrics": "rejected_data_points",
    "traces": "rejected_spans",
}
_FROM_ARROW: Final[dict[str, Callable[..., Any]]] = {
    "logs": arrow.log_columns,
    "metrics": arrow.point_columns,
    "traces": arrow.span_columns,
}
_FROM_MESSAGES: Final[dict[str, Callable[..., Any]]] = {
    "logs": walk.log_columns,
    "metrics": walk.point_columns,
    "traces": walk.span_columns,
}
_READERS: Final[dict[str, Callable[..., Read]]] = {"logs": read_logs, "metrics": read_metrics, "traces": read_traces}


def parse(kind: Kind, body: bytes, limits: IngestLimits, *, as_json: bool = False) -> Read:
    """The tables of one export request. Raises Malformed when the request as a whole cannot be read."""
    counts: Counter[str] = Counter()
    if as_json:
        columns = _FROM_MESSAGES[kind](decode(kind, body, counts))
        _check_count(len(columns.index), limits)
        return _READERS[kind](columns, limits, counts)
    check_sizes(kind, body, limits)
    try:
        found = nested_arrow(kind, body)
    except ValueError:
        return parse_by_message(kind, body, limits)
    return _READERS[kind](_FROM_ARROW[kind](found, counts), limits, counts)


def parse_by_message(kind: Kind, body: bytes, limits: IngestLimits) -> Read:
    """The same tables from protobuf by way of a Python object for each record: slower, and a second opinion."""
    try:
        request: Message = _REQUESTS[kind].FromString(body)
    except DecodeError as error:
        raise Malformed(
            f"The body is not an OTLP request of {kind}.",
            field="body",
            remedy="Send an Export…ServiceRequest as protobuf, or JSON with Content-Type application/json.",
        ) from error
    return _READERS[kind](_FROM_MESSAGES[kind](request), limits, Counter())


def _check_count(records: int, limits: IngestLimits) -> None:
    if records > limits.records_per_request_max:
        raise Malformed(
            f"{records} records in one request; {limits.records_per_request_max} are taken (records_per_request_max).",
            field="body",
            remedy="Send smaller batches.",
        )


def answer(kind: Kind, rejected: int, message: str, *, as_json: bool) -> bytes:
    """The body of a 200: empty when everything was taken, else how many records were not, and why.

    A message without rejections is a warning, as the standard has it.
    """
    if as_json:
        if not rejected and not message:
            return b"{}"
        first, *rest = _REJECTED[kind].split("_")
        name = first + "".join(word.capitalize() for word in rest)
        # 64-bit numbers are strings in protobuf's JSON.
        return orjson.dumps({"partialSuccess": {name: str(rejected), "errorMessage": message}})
    response = _RESPONSES[kind]()
    if rejected or message:
        setattr(response.partial_success, _REJECTED[kind], rejected)
        response.partial_success.error_message = message
    return bytes(response.SerializeToString())


# The numbers of google.rpc.Code for what can go wrong here, by HTTP status.
_CODES: Final = {400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 415: 3, 429: 8, 503: 14}
_UNKNOWN_CODE: Final = 2


def failure(status: int, message: str, *, as_json: bool) -> bytes:
    """The body of an answer that is not 200: a google.rpc.Status, as the standard wants it."""
    code = _CODES.get(status, _UNKNOWN_CODE)
    if as_json:
        return orjson.dumps({"code": code, "message": message})
    words = message.encode()
    return b"\x08" + bytes([code]) + b"\x12" + _varint(len(words)) + words


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)
