"""Redaction: secrets and personal data are taken out before anything is stored, with a note of what stood there.

`Redactor` is the door. Rules are values, one module for each way of knowing a secret: by its shape (`shapes`), by the
name it stands under (`named`), by what it is to a person (`personal`).
"""

from __future__ import annotations

from hindcast.ingest.redact.personal import OPTIONAL_RULES
from hindcast.ingest.redact.redactor import DEFAULT_RULES, Redacted, Redactor
from hindcast.ingest.redact.rule import Rule, placeholder
from hindcast.ingest.redact.signals import redacted_alert, redacted_change, redacted_record

__all__ = [
    "DEFAULT_RULES",
    "OPTIONAL_RULES",
    "Redacted",
    "Redactor",
    "Rule",
    "placeholder",
    "redacted_alert",
    "redacted_change",
    "redacted_record",
]
