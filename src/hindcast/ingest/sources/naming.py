"""Which service an alert is about and how much it matters, from the words that other systems use.

Both are guesses by convention, so both are documented, in order, and can be told otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hindcast.model.signal import Severity

# From the label that says it to the label that hints at it. `job` comes last: it is often the exporter's name.
SERVICE_LABELS = (
    "service",
    "service_name",
    "service.name",
    "app",
    "application",
    "app_kubernetes_io_name",
    "app.kubernetes.io/name",
    "component",
    "deployment",
    "workload",
    "statefulset",
    "daemonset",
    "container",
    "job",
)

_WORDS = {
    Severity.CRITICAL: "critical crit fatal emergency emerg disaster page p0 p1 sev0 sev1 s1 1 blocker",
    Severity.MAJOR: "major error err high alert p2 sev2 s2 2 severe",
    Severity.MINOR: "minor warning warn medium moderate average p3 sev3 s3 3",
    Severity.INFO: "info information informational notice low none debug ok p4 p5 sev4 sev5 s4 4 5",
}
SEVERITY_WORDS: Mapping[str, Severity] = {
    word: severity for severity, words in _WORDS.items() for word in words.split()
}

# Somebody found it worth an alert and did not say how bad it is.
UNSAID = Severity.MAJOR


@dataclass(frozen=True, slots=True)
class Naming:
    """How services are found in what others send."""

    # Labels that name the service; the first one that is there and not empty counts.
    service_labels: tuple[str, ...] = SERVICE_LABELS
    # What others call it, and what it is called here: {"payments-exporter": "payment", "acme/pay": "payment"}.
    services: Mapping[str, str] = field(default_factory=dict)

    def service(self, labels: Mapping[str, str]) -> str:
        """The service that labels name; empty when none does."""
        found = next((labels[name] for name in self.service_labels if labels.get(name)), "")
        return self.called(found)

    def called(self, name: str, *others: str) -> str:
        """What is called here what others call by one of these names; the first name where none is known."""
        return next((self.services[one] for one in (name, *others) if one in self.services), name)


NAMING = Naming()


def severity(word: str | None) -> Severity:
    """The severity that a word stands for; major for a word that is not known, and for none."""
    return SEVERITY_WORDS.get((word or "").strip().lower(), UNSAID)
