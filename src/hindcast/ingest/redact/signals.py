"""Alerts, changes and records without secrets: few, so they are read value by value.

Keys stay as they are: the next telling of the same alert has to have the same one, and they are made of hashes,
numbers and names that the sender chose to be public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from hindcast.ingest.redact.redactor import Redactor
from hindcast.model.record import Change
from hindcast.model.signal import Alert, SystemChange


def redacted_alert(redactor: Redactor, alert: Alert) -> tuple[Alert, dict[str, int]]:
    """An alert whose title, text, stack, address and labels hold no secrets, and how many were taken out."""
    counts: Counter[str] = Counter()
    clean = replace(
        alert,
        title=_clean(redactor, alert.title, counts),
        service=_clean(redactor, alert.service, counts),
        text=_clean(redactor, alert.text, counts),
        stack=_clean(redactor, alert.stack, counts),
        url=_clean(redactor, alert.url, counts),
        labels=_labels(redactor, alert.labels, counts),
    )
    return clean, dict(counts)


def redacted_change(redactor: Redactor, change: SystemChange) -> tuple[SystemChange, dict[str, int]]:
    """A change whose title, address and labels hold no secrets. Who made it stays, even by an e-mail address."""
    counts: Counter[str] = Counter()
    clean = replace(
        change,
        title=_clean(redactor, change.title, counts),
        service=_clean(redactor, change.service, counts),
        ref=_clean(redactor, change.ref, counts),
        url=_clean(redactor, change.url, counts),
        labels=_labels(redactor, change.labels, counts),
    )
    return clean, dict(counts)


def redacted_record(redactor: Redactor, change: Change) -> tuple[Change, dict[str, int]]:
    """What is to be remembered at an address, whose body and search text hold no secrets."""
    body, found = redactor.document(change.body)
    counts = Counter(found)
    text = _clean(redactor, change.text, counts) if change.text is not None else None
    return replace(change, body=body, text=text), dict(counts)


def _clean(redactor: Redactor, text: str, counts: Counter[str]) -> str:
    redacted = redactor.text(text)
    counts.update(redacted.counts)
    return redacted.text


def _labels(redactor: Redactor, labels: Mapping[str, str], counts: Counter[str]) -> dict[str, str]:
    clean = {}
    for name, value in labels.items():
        redacted = redactor.named(name, value)
        counts.update(redacted.counts)
        clean[name] = redacted.text
    return clean
