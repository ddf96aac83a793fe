"""Shows an answer on one screen: what it is, what ended it, what not to try, who knows, what next, and the evidence.

An answer that would be longer is shortened step by step, the least important first, until it fits. Remembered text is
shown, never obeyed: it cannot move the cursor or colour the screen.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindcast.cli.render import clean, cut
from hindcast.model.case import Outcome
from hindcast.model.diagnosis import Advice, Claim, Diagnosis, Nearest
from hindcast.model.recollection import Familiarity
from hindcast.reason.headline import other_case, percent, took, track_record
from hindcast.reason.steps import FIX_SHARE_MIN
from hindcast.reason.wording import age, listed, one_line

SCREEN_LINES_MAX = 40
WIDTH_CHARS_MAX = 100
WIDTH_CHARS_MIN = 30
LABEL_CHARS = 11
NOTES_SHOWN_MAX = 4

_CAME_OF_IT = {
    Outcome.MADE_WORSE: "made it worse",
    Outcome.NO_EFFECT: "no effect",
    Outcome.WORKED: "worked",
}
_STYLES = {Familiarity.SEEN: "bold green", Familiarity.MAYBE: "bold yellow", Familiarity.NEW: "bold cyan"}
_WARNING = "bold red"


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much is shown of each part: characters of one text, and how many of a kind."""

    claim: int
    quote: int
    step: int
    fixes: int
    avoided: int
    steps: int
    nearest: int
    notes: int
    people: int
    diff_lines: int
    tried: int
    others: int


# From all that is worth reading down to what has to be said. Cause, fix and harm are cut last.
_DETAILS = (
    _Detail(400, 240, 240, fixes=3, avoided=8, steps=9, nearest=3, notes=4, people=3, diff_lines=8, tried=6, others=3),
    _Detail(360, 160, 120, fixes=2, avoided=5, steps=7, nearest=2, notes=3, people=3, diff_lines=4, tried=4, others=2),
    _Detail(300, 110, 90, fixes=2, avoided=4, steps=6, nearest=1, notes=2, people=2, diff_lines=0, tried=2, others=1),
    _Detail(220, 90, 80, fixes=1, avoided=4, steps=5, nearest=1, notes=1, people=2, diff_lines=0, tried=0, others=1),
    _Detail(140, 60, 75, fixes=1, avoided=3, steps=5, nearest=0, notes=1, people=1, diff_lines=0, tried=0, others=0),
    _Detail(80, 0, 70, fixes=1, avoided=3, steps=4, nearest=0, notes=0, people=1, diff_lines=0, tried=0, others=0),
)
# What somebody pastes is worth nothing when it is cut.
COMMAND_CHARS_MAX = 200


@dataclass
class _Citations:
    """Evidence by number, in the order in which it is first cited."""

    numbers: dict[str, int] = field(default_factory=dict)

    def cite(self, refs: Sequence[str], *, most: int = 3) -> str:
        """The numbers of these records, as in ` [1][4]`."""
        found = [self.numbers.setdefault(ref, len(self.numbers) + 1) for ref in refs[:most]]
        return f" {''.join(f'[{number}]' for number in found)}" if found else ""


def shown(diagnosis: Diagnosis, *, width: int, lines_max: int = SCREEN_LINES_MAX) -> RenderableType:
    """An answer for a terminal of this width, as much of it as fits on one screen."""
    wide = max(min(width, WIDTH_CHARS_MAX), WIDTH_CHARS_MIN)
    measured = Console(width=wide, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    made: RenderableType = Text("")
    for detail in _DETAILS:
        made = _page(diagnosis, detail, wide)
        if len(measured.render_lines(made, pad=False)) <= lines_max:
            break
    return made


def _page(diagnosis: Diagnosis, detail: _Detail, width: int) -> RenderableType:
    citations = _Citations()
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.width = width
    grid.add_column(width=LABEL_CHARS, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for label, style, lines in _rows(diagnosis, detail, citations):
        for number, line in enumerate(lines):
            grid.add_row(Text(label if number == 0 else "", style=style), line)
    if citations.numbers:
        told = "  ".join(f"[{number}] {clean(ref)}" for ref, number in citations.numbers.items())
        grid.add_row(Text("Evidence", style="dim"), Text(told, style="dim"))
    head = Text(no_wrap=False)
    head.append(diagnosis.familiarity.value.upper(), style=_STYLES[diagnosis.familiarity])
    head.append(_sureness(diagnosis), style="dim")
    headline = Text(clean(diagnosis.headline), style="bold")
    for line in (head, headline):
        line.truncate(6 * width, overflow="ellipsis")
    return Group(_narrow(head, width), _narrow(headline, width), Text(""), grid)


def _narrow(text: Text, width: int) -> RenderableType:
    grid = Table.grid()
    grid.width = width
    grid.add_column(overflow="fold")
    grid.add_row(text)
    return grid


def _sureness(diagnosis: Diagnosis) -> str:
    if not diagnosis.case:
        return ""
    said = f"  {percent(diagnosis.confidence)} likely the same"
    known = track_record(diagnosis.reliability)
    return f"{said} · {known}" if known else said


Row = tuple[str, str, list[Text]]


def _rows(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    made: list[Callable[[], Iterator[Row]]] = [
        lambda: _now(diagnosis, detail, citations),
        lambda: _why(diagnosis, detail),
        lambda: _cause(diagnosis, detail, citations),
        lambda: _fixes(diagnosis, detail, citations),
        lambda: _avoided(diagnosis, detail, citations),
        lambda: _tried(diagnosis, detail, citations),
        lambda: _others(diagnosis, detail, citations),
        lambda: _facts(diagnosis, detail, citations),
        lambda: _steps(diagnosis, detail, citations),
        lambda: _nearest(diagnosis, detail, citations),
        lambda: _notes(diagnosis, detail),
    ]
    for part in made:
        yield from part()


def _now(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    lines = [_claim(one, detail.claim, citations) for one in diagnosis.under_way[: max(detail.nearest, 1)]]
    if lines:
        yield "Now", "bold yellow", lines


def _why(diagnosis: Diagnosis, detail: _Detail) -> Iterator[Row]:
    if diagnosis.reasons:
        yield "How so", "dim", [_said(" · ".join(diagnosis.reasons), max(detail.quote, 80))]


def _cause(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    if diagnosis.cause is not None:
        label = "Cause" if diagnosis.familiarity is Familiarity.SEEN else "Cause then"
        yield label, "bold", [_claim(diagnosis.cause, detail.claim, citations)]


def _fixes(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    is_seen = diagnosis.familiarity is Familiarity.SEEN
    for number, fix in enumerate(diagnosis.fixes[: detail.fixes]):
        label = ("Fix" if is_seen else "Fix then") if number == 0 else "or"
        line = Text(("✓ " if fix.share >= FIX_SHARE_MIN else "~ ") if is_seen else "", style="green")
        line.append(_cut(fix.action, detail.claim), style="bold" if is_seen else "")
        line.append(f"  {_record(fix, citations)}", style="dim")
        yield cut(label, LABEL_CHARS), "bold green" if is_seen else "bold", [line, *_means(fix, detail)]


def _means(fix: Advice, detail: _Detail) -> Iterator[Text]:
    """The command, the setting and the change itself, as they were."""
    for sign, text in (("$ ", fix.command), ("set ", fix.config)):
        if text.strip():
            yield Text(f"  {sign}{_cut(text, COMMAND_CHARS_MAX)}", style="cyan")
    lines = fix.diff.strip("\n").splitlines()
    if lines and detail.diff_lines:
        for line in lines[: detail.diff_lines]:
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
            yield Text(f"  {cut(clean(line.expandtabs(4)), WIDTH_CHARS_MAX - LABEL_CHARS - 6)}", style=style)
    if len(lines) > detail.diff_lines:
        yield Text(f"  … {len(lines) - detail.diff_lines} more lines of the change with --format markdown", style="dim")


def _record(fix: Advice, citations: _Citations) -> str:
    """Who did it then, in which incident; and how often it worked and lasted, counted over all of them."""
    counts = [f"worked {fix.worked} of {fix.tried}"]
    if fix.held_of:
        counts.append(f"held {fix.held} of {fix.held_of}")
    who = [clean(one_line(name, 40)) for name in fix.by[:1]]
    if len(fix.evidence) < 2:
        return f"{' · '.join([*counts, *who])}{citations.cite(fix.evidence)}"
    own = f"{''.join(who)}{citations.cite(fix.evidence[:1])}".strip()
    return f"{own} · in {len(fix.evidence)} incidents: {', '.join(counts)}{citations.cite(fix.evidence)}"


def _avoided(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    """Harm stands out; what merely did nothing stands below it."""
    label = "DON'T TRY" if diagnosis.case else "BEWARE"
    for number, one in enumerate(diagnosis.avoid[: detail.avoided]):
        is_harm = one.made_worse > 0
        line = Text("✗ " if is_harm else "– ", style=_WARNING if is_harm else "yellow")
        line.append(_cut(one.action, detail.claim), style="red" if is_harm else "")
        first, *others = _outcomes(one, citations) or [f"{what_happened(one)}{citations.cite(one.evidence)}"]
        line.append(f": {first}", style="" if is_harm else "dim")
        for quote in one.happened[: 1 if detail.quote else 0]:
            line.append(f" “{_cut(quote, detail.quote)}”", style="italic dim")
        line.append("".join(f"; {other}" for other in others), style="dim")
        for remark in one.remarks[: 1 if detail.quote else 0]:
            line.append(f" {_cut(remark, detail.quote)}", style="dim")
        yield label if number == 0 else "", _WARNING, [line]


def _outcomes(one: Advice, citations: _Citations) -> list[str]:
    """What came of it in each incident, where there were several: harm and no effect apart, each with its records.

    The first is what came of it in the incident whose words are shown.
    """
    if not one.elsewhere or not one.tried:
        return []
    told = []
    for outcome, said in _CAME_OF_IT.items():
        refs = [one.record] if one.outcome is outcome else []
        refs += [other.evidence for other in one.elsewhere if other.outcome is outcome]
        if refs:
            told.append((refs[0] != one.record, f"{said}{citations.cite(refs)}"))
    return [text for _, text in sorted(told, key=lambda each: each[0])]


def what_happened(one: Advice) -> str:
    """What came of something that is better left, in a few words."""
    if one.made_worse:
        said = f"made it worse {one.made_worse} of {one.tried}"
        return f"{said}, worked {one.worked}" if one.worked else said
    if not one.tried:
        return f"turned down by {clean(listed(one.by))}"
    if one.worked and one.held_of:
        return f"did not hold {one.held_of - one.held} of {one.held_of}"
    return f"no effect {one.no_effect} of {one.tried}"


def _tried(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    """What was tried and has no known outcome; all else is told above."""
    told = {one.action for one in (*diagnosis.fixes, *diagnosis.avoid)}
    open_ended = [one for one in diagnosis.tried if one.outcome.value == "unknown" and one.action not in told]
    if open_ended and detail.tried:
        lines = [
            Text(f"? {_cut(one.action, detail.step)} (nobody knows what came of it)").append(
                citations.cite((one.evidence,)), style="dim"
            )
            for one in open_ended[: detail.tried]
        ]
        yield "Also tried", "dim", lines


def _facts(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    if diagnosis.people:
        line = Text()
        for number, one in enumerate(diagnosis.people[: detail.people]):
            line.append(f"{'; ' if number else ''}{_cut(one.text, detail.step)}")
            line.append(citations.cite(one.evidence, most=1), style="dim")
        yield "Who knows", "bold", [line]
    if took(diagnosis):
        yield "Took", "bold", [Text(took(diagnosis))]
    if diagnosis.differs:
        yield "This time", "bold", [_said(" ".join(diagnosis.differs), detail.claim)]
    for number, one in enumerate(diagnosis.disputes[: detail.fixes]):
        yield "Disputed" if number == 0 else "", "bold yellow", [_claim(one, detail.claim, citations)]


def _others(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    """The other incidents of this failure, each on a line of its own."""
    lines = [
        Text(_cut(other_case(one), detail.claim)).append(citations.cite((one.evidence,)), style="dim")
        for one in diagnosis.others[: detail.others]
    ]
    if lines:
        yield "Also", "dim", lines


def _steps(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    steps = list(diagnosis.next_steps)
    if len(steps) > detail.steps:
        # The last step, how to say whether it was right, is what the next answer learns from.
        steps = [*steps[: detail.steps - 1], steps[-1]]
    lines = []
    for number, one in enumerate(steps, 1):
        chars_max = COMMAND_CHARS_MAX if "hindcast " in one.text else detail.step
        lines.append(Text(f"{number}. ").append_text(_claim(one, chars_max, citations)))
    if lines:
        yield "Next", "bold", lines


def _nearest(diagnosis: Diagnosis, detail: _Detail, citations: _Citations) -> Iterator[Row]:
    label = "Also near" if diagnosis.case else "Nearest"
    for number, one in enumerate(diagnosis.nearest[: detail.nearest]):
        yield label if number == 0 else "", "dim", [*_near(one, diagnosis.at, detail, citations)]


def _near(one: Nearest, now: datetime, detail: _Detail, citations: _Citations) -> Iterator[Text]:
    line = Text(_cut(one.title, detail.step))
    sure = f" ({percent(one.confidence)}, {age(one.occurred_at, now)}){citations.cite((one.address,))}"
    line.append(sure, style="dim")
    yield line
    said = [f"alike: {'; '.join(one.alike)}"] if one.alike else []
    said += [f"but: {' '.join(one.differs)}"] if one.differs else []
    yield from (Text(f"  {_cut(text, max(detail.quote, 80))}", style="dim") for text in said)


def _notes(diagnosis: Diagnosis, detail: _Detail) -> Iterator[Row]:
    lines = [_said(note, max(detail.quote, 80), style="dim") for note in diagnosis.notes[: detail.notes]]
    if lines:
        yield "Note", "dim", lines


def _claim(claim: Claim, chars_max: int, citations: _Citations) -> Text:
    return _said(claim.text, chars_max).append(citations.cite(claim.evidence), style="dim")


def _said(text: str, chars_max: int, style: str = "") -> Text:
    return Text(_cut(text, chars_max), style=style)


def _cut(text: str, chars_max: int) -> str:
    return clean(one_line(text, chars_max))
