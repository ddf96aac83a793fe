"""A page is known by its structure, whatever its style."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hindcast.learn.page import page_of
from hindcast.learn.postmortem import case_of, read_postmortem
from hindcast.learn.roles import Field, field_of
from hindcast.learn.runbook import runbook_of
from hindcast.model.case import CaseState, Outcome
from hindcast.model.errors import Malformed

FALLBACK = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("Root Cause", Field.CAUSE),
        ("5. Root cause analysis", Field.CAUSE),
        ("Why did it happen?", Field.CAUSE),
        ("Mitigation", Field.RESOLUTION),
        ("How we fixed it", Field.RESOLUTION),
        ("Action Items", Field.ACTIONS),
        ("Lessons learned", Field.ACTIONS),
        ("What went well", Field.ACTIONS),
        ("Timeline (UTC)", Field.TIMELINE),
        ("Summary of impact", Field.SUMMARY),
        ("Customer impact", Field.IMPACT),
        ("Time to resolve", Field.DURATION),
        ("Incident commander", Field.RESPONDERS),
        ("Affected services", Field.SERVICES),
        ("Weather", None),
    ],
)
def test_parts_are_known_by_their_names(name: str, field: Field | None) -> None:
    """People name the parts of a postmortem in many ways."""
    assert field_of(name) is field


@pytest.mark.parametrize(
    "page",
    [
        "# T\n\n## Root cause\n\nThe disk was full.\n",
        "T\n=\n\nRoot cause\n----------\nThe disk was full.\n",
        "T\n\n**Root cause**\n\nThe disk was full.\n",
        "T\n\n- **Root cause**: The disk was full.\n- **Other**: x\n",
        "T\n\nRoot cause: The disk was full.\n",
        "T\n\nROOT CAUSE\nThe disk was full.\n",
        "T\n\n| Root cause | The disk was full. |\n",
        "T\nSummary: it broke. Root cause: The disk was full. Mitigation: none.\n",
        "---\nroot_cause: The disk was full.\n---\nT\n",
    ],
)
def test_the_cause_is_found_in_every_style(page: str) -> None:
    """Headings, underlines, bold text, labels, tables and front matter all name a part."""
    cause = case_of(page, name="x.md", fallback_at=FALLBACK).cause

    assert cause is not None
    assert cause.text == "The disk was full."
    assert cause.confidence == 0.9


def test_a_cause_in_prose_is_less_sure() -> None:
    """Without a part about it, the sentence that names the cause best is taken, with its words as evidence."""
    read = read_postmortem("Checkout was down. It was caused by a full disk.", name="x.txt", fallback_at=FALLBACK)

    assert read.case.cause is not None
    assert read.case.cause.confidence < 0.9
    assert read.case.cause.evidence[0].quote == "It was caused by a full disk."
    assert [one.field for one in read.found] == ["cause"]


@pytest.mark.parametrize("cause", ["TBD", "Under investigation.", "Unknown", "n/a"])
def test_an_unknown_cause_is_none(cause: str) -> None:
    """A part that says nothing gives nothing."""
    assert case_of(f"# T\n\n## Root cause\n\n{cause}\n", name="x.md", fallback_at=FALLBACK).cause is None


def test_plans_are_no_attempts() -> None:
    """What stands under action items is kept as notes, and never as something that was tried."""
    case = case_of(
        "# T\n\n## Action items\n\n- Restarted hosts get a check\n- We rolled back by hand\n",
        name="x.md",
        fallback_at=FALLBACK,
    )

    assert case.attempts == ()
    assert [note.text for note in case.notes][-2:] == [
        "Action items: Restarted hosts get a check",
        "Action items: We rolled back by hand",
    ]


def test_what_failed_is_no_part_of_the_fix() -> None:
    """A part about the fix that also tells what did not help gives only what did."""
    page = "# T\n\n## Resolution\n\nRestarting redis made it worse. Capping the pool at 20 fixed it.\n"
    case = case_of(page, name="x.md", fallback_at=FALLBACK)

    assert case.resolution is not None
    assert case.resolution.text == "Capping the pool at 20 fixed it."
    assert [one.outcome for one in case.attempts] == [Outcome.MADE_WORSE, Outcome.WORKED]


def test_a_change_that_started_it_is_no_attempt() -> None:
    """A deploy that broke things is a trigger, and what was done before the beginning tried nothing."""
    page = (
        "# T\n\nWe deployed v2 and errors spiked.\n\n## Timeline\n\n"
        "- 2026-03-02 13:00 UTC Upgraded the driver\n- 2026-03-02 14:00 UTC Outage begins\n"
        "- 2026-03-02 14:10 UTC Rolled back, recovered\n"
    )
    case = case_of(page, name="x.md", fallback_at=FALLBACK)

    assert [(one.action, one.at) for one in case.attempts] == [
        ("rolled back", datetime(2026, 3, 2, 14, 10, tzinfo=UTC))
    ]
    assert case.occurred_at == datetime(2026, 3, 2, 14, 0, tzinfo=UTC)


def test_an_open_page_stays_open() -> None:
    """A page whose status is open is no resolved case."""
    page = "# T\n\n**Status**: investigating\n\nSlow.\n"

    assert case_of(page, name="x.md", fallback_at=FALLBACK).state is CaseState.OPEN


def test_an_empty_page_is_refused() -> None:
    """Nothing to read is said, with the file's name."""
    with pytest.raises(Malformed) as caught:
        case_of("  \n", name="x.md", fallback_at=FALLBACK)
    assert caught.value.field == "x.md"


def test_code_is_not_read_as_prose() -> None:
    """Commands and logs in blocks of code are no sentences about what was done."""
    page = page_of("# T\n\n```\nwe restarted redis, it made things worse\n```\n")

    assert case_of(page.text, name="x.md", fallback_at=FALLBACK).attempts == ()


def test_a_runbook_without_a_list_has_its_sentences_as_steps() -> None:
    """A runbook in prose still has steps."""
    body = runbook_of("# Disk full\n\nLook at df. Delete old logs.\n", name="disk.md")

    assert body["steps"] == ["Look at df.", "Delete old logs."]
