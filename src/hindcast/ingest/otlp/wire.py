"""OTLP protobuf read straight into Arrow, without a Python object for each record.

The descriptors are OpenTelemetry's own with three changes that leave the wire format as it is. Strings are declared as
bytes, so that one invalid character does not cost the whole request. Nested values (arrays and maps inside attributes)
are declared as bytes, because Arrow has no recursive types. Fields that are not used here are left out, and skipped as
unknown fields are.
"""

from __future__ import annotations

from typing import Any, Final

import ptars
import pyarrow as pa
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

_FILES: Final = (common_pb2, resource_pb2, logs_pb2, metrics_pb2, trace_pb2)
_UNUSED: Final = frozenset(
    {
        "description",
        "dropped_attributes_count",
        "dropped_events_count",
        "dropped_links_count",
        "entity_refs",
        "exemplars",
        "key_strindex",
        "links",
        "metadata",
        "schema_url",
        "string_value_strindex",
        "trace_state",
        "version",
        "zero_threshold",
    }
)
_NESTED: Final = frozenset({"array_value", "kvlist_value"})
# Flags of log records and spans say nothing that is kept; those of data points say that a value is missing.
_UNUSED_OF: Final = {
    "InstrumentationScope": frozenset({"attributes"}),
    "LogRecord": frozenset({"flags"}),
    "Span": frozenset({"flags"}),
}


def _slim(message: DescriptorProto) -> None:
    unused = _UNUSED | _UNUSED_OF.get(message.name, frozenset())
    kept = [field for field in message.field if field.name not in unused]
    del message.field[:]
    for field in kept:
        if field.type == FieldDescriptorProto.TYPE_STRING:
            field.type = FieldDescriptorProto.TYPE_BYTES
        if field.name in _NESTED:
            field.type = FieldDescriptorProto.TYPE_BYTES
            field.ClearField("type_name")
        message.field.append(field)
    for nested in message.nested_type:
        _slim(nested)


def _handlers() -> dict[str, Any]:
    pool = DescriptorPool()
    for module in _FILES:
        file = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        for message in file.message_type:
            _slim(message)
        pool.AddSerializedFile(file.SerializeToString())
    roots = {
        "logs": "opentelemetry.proto.logs.v1.LogsData",
        "metrics": "opentelemetry.proto.metrics.v1.MetricsData",
        "traces": "opentelemetry.proto.trace.v1.TracesData",
    }
    found = {kind: pool.FindMessageTypeByName(name) for kind, name in roots.items()}
    handlers = ptars.HandlerPool([descriptor.file for descriptor in found.values()])
    return {kind: handlers.get_for_message(descriptor) for kind, descriptor in found.items()}


_HANDLERS: Final = _handlers()


def nested_arrow(kind: str, body: bytes) -> pa.ListArray:
    """The request as one nested Arrow list of its resources. Raises ValueError when it is not protobuf."""
    return _HANDLERS[kind].list_to_record_batch([body]).column(0)
