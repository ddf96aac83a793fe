"""A change of the watched system in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hindcast.model.signal import ChangeKind, SystemChange

AT = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "service", "title", "ref", "told"),
    [
        (
            ChangeKind.DEPLOY, "payment", "Deployment of main: success", "8f3c2e1",
            "deploy of payment (Deployment of main: success, 8f3c2e1)",
        ),
        (ChangeKind.RELEASE, "payment", "v42", "v42", "release of payment (v42)"),
        (ChangeKind.DEPLOY, "payment", "payment", "", "deploy of payment"),
        (ChangeKind.MERGE, "", "Simplify\n the pool ", "", "merge (Simplify the pool)"),
        (ChangeKind.OTHER, "", "", "", "change"),
    ],
)  # fmt: skip
def test_a_change_is_told_once_and_in_one_line(kind: ChangeKind, service: str, title: str, ref: str, told: str) -> None:
    """What was done, to which service, and how it was called; nothing is said twice."""
    assert SystemChange("github", "k", kind, AT, service, title, ref=ref).told == told
