"""Fingerprints: one number for all occurrences of a failure, with the reasons for it, and people's own grouping on top.

`fingerprint` is for one line or trace, `Fingerprinter` for columns of them, `Groups` for what people joined and split.
"""

from __future__ import annotations

from hindcast.ingest.fingerprint.scheme import (
    SCHEME,
    Fingerprint,
    Part,
    Variant,
    fingerprint,
    key,
    of_message,
    of_template,
    of_trace,
)

__all__ = [
    "SCHEME",
    "Fingerprint",
    "Part",
    "Variant",
    "fingerprint",
    "key",
    "of_message",
    "of_template",
    "of_trace",
]
