"""How much an incident matters, and why: every step up has its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from hindcast.detect import wording
from hindcast.detect.rules import Rules
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected
from hindcast.model.signal import Alert, Severity, Status

ORDER = (Severity.INFO, Severity.MINOR, Severity.MAJOR, Severity.CRITICAL)
# A peak that is this many times the fixed rule's line is not just over it.
CRITICAL_LINES = 10


def worst(severities: Sequence[Severity]) -> Severity:
    """The worst of several; INFO of none."""
    return max(severities, key=ORDER.index, default=Severity.INFO)


def judge(
    affected: Sequence[Affected], findings: Sequence[Finding], alerts: Sequence[Alert], *, cascade: bool, rules: Rules
) -> tuple[Severity, tuple[str, ...]]:
    """The severity of an incident with the reasons for it, the weightiest first."""
    said: list[tuple[Severity, str]] = []
    if cascade:
        said.append((Severity.CRITICAL, f"{len(affected)} services are affected together"))
    loudest = max(affected, key=lambda one: one.peak, default=None)
    fired = {one.rule for one in findings}
    if loudest is not None and loudest.peak >= CRITICAL_LINES * rules.errors_min and Rule.FIXED in fired:
        said.append(
            (Severity.CRITICAL, f"{wording.errors(loudest.peak)} at its peak, {CRITICAL_LINES} times the line and more")
        )
    said.extend(_by_finding(one) for one in findings if one.rule is not Rule.ALERT)
    said.extend(
        (one.severity, f"{one.source} calls it {one.severity}: {' '.join(one.title.split())}")
        for one in alerts
        if one.status is not Status.RESOLVED or not findings
    )
    said.sort(key=lambda pair: -ORDER.index(pair[0]))
    reasons = tuple(dict.fromkeys(sentence for _, sentence in said))
    return worst([severity for severity, _ in said]), reasons[:REASONS_MAX]


REASONS_MAX = 8


def _by_finding(one: Finding) -> tuple[Severity, str]:
    match one.rule:
        case Rule.FIXED:
            return Severity.MAJOR, f"{one.why}; the line is {wording.number(one.limit)}"
        case Rule.SILENT | Rule.DEAF:
            return Severity.MAJOR, one.why
        case _:
            return Severity.MINOR, one.why or f"{one.service}: {one.metric} is unlike itself"
