"""The limits of what comes in from outside, each with its unit in its name.

A limit exists so that one careless or hostile sender cannot harm the others. A request over a limit is refused with an
error that names it; a single text over a limit is cut, marked and counted. Nothing is shortened in silence.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """What one request, one record and one clock may be. The defaults fit the senders that are out there."""

    # OTLP recommends 64 MiB for a body; it holds after decompression, where the memory is spent.
    body_bytes_max: int = 64 * 1024 * 1024
    # On the wire. The largest batch of a collector, compressed, is a tenth of it.
    compressed_bytes_max: int = 32 * 1024 * 1024
    # Repetitive logs reach 100; what goes beyond was made to. Small bodies may, since they harm nobody.
    expansion_ratio_max: int = 250
    expansion_free_bytes: int = 1024 * 1024
    # Bounds the memory of one request where records are a few bytes each.
    records_per_request_max: int = 250_000
    attributes_per_request_max: int = 2_500_000
    # Longer than any line a person reads; the rest is cut and the cut is told in the line.
    message_bytes_max: int = 65_536
    stack_bytes_max: int = 262_144
    # The limit of OpenTelemetry's own SDKs.
    attributes_per_record_max: int = 128
    attribute_key_bytes_max: int = 256
    attribute_value_bytes_max: int = 8_192
    service_bytes_max: int = 256
    # Clocks that run ahead by more are wrong; NTP keeps them within a second.
    ahead_seconds_max: int = 300
    # Senders buffer while the network is down, so the past is allowed far more than the future.
    behind_seconds_max: int = 86_400
    # A time without a zone is taken for UTC only as near to its arrival as this: a day would hide a wrong zone.
    naive_behind_seconds_max: int = 600
    # A stack trace in a plain text file: lines that belong to the line before.
    continuation_lines_max: int = 1_000
    # One message of a stream (syslog over TCP) before it is taken for noise.
    frame_bytes_max: int = 1024 * 1024
