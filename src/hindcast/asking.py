"""From what somebody pasted to a cue: five megabytes of log, a line, half a trace, a sentence, or a live incident.

What is asked is data. It is read, never stored, and never taken for an instruction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from hindcast.clues import clues_of
from hindcast.ingest.fingerprint.parameters import parameterised
from hindcast.model.case import Case, Clues
from hindcast.model.errors import Malformed
from hindcast.model.recollection import Cue, CueKind
from hindcast.recall.keys import keys_of_clues
from hindcast.recall.reading import title_of

# More than this nobody means to ask; less is read whole.
ASKED_CHARS_MAX = 20_000_000
# What a question may hold. A longer one is a log, and the lines worth reading are chosen from it.
READ_CHARS_MAX = 8_000
LINES_READ_MAX = 20
STACKS_READ_MAX = 3
LINE_CHARS_MAX = 600
# Beyond this share of characters that are no text, it is a file of another kind.
UNPRINTABLE_SHARE_MAX = 0.1
# Some names and codes among plain words are still a person's sentence; more are a machine's.
IDENTIFIERS_PER_WORD_MIN = 0.15

_TROUBLE = re.compile(
    r"error|exception|fatal|panic|critical|fail|refused|reset|timed? ?out|exhausted|denied|unavailable|killed|"
    r"traceback|caused by|cannot|could not|unable|oom|deadlock|overflow|corrupt|expired|\bwarn|"
    r"\b(?:status|http|code)\W{1,3}5\d\d\b",
    re.IGNORECASE,
)
_STACK_LINE = re.compile(r"^\s+at |^\s+File \"|^Traceback|^Caused by|^goroutine |^\s+from |^\s{2,}\S+\.\w+:\d+|^panic:")
_WORD = re.compile(r"\w+")
# Colours and cursor movements of a terminal that was copied from.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]")
_NOT_TEXT = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127, 0xFFFD])


def cue_of(
    text: str, *, at: datetime, services: Sequence[str] = (), stack: str = "", incident: str = ""
) -> tuple[Cue, tuple[str, ...]]:
    """A cue, and what was done to the text before it could be read."""
    clean = _cleaned(text)
    notes: tuple[str, ...] = ()
    clues = clues_of(clean, stack=stack, earlier=True)
    if len(clean) > READ_CHARS_MAX:
        chosen, lines = _worth_reading(clean)
        notes = (f"Of {lines} lines {len(chosen)} were read: traces, and each kind of trouble once.",)
        clean = "\n".join(chosen)
        clues = _joined(clues_of(clean, earlier=True), clues)
    named = tuple(dict.fromkeys(name.strip() for name in services if name.strip()))
    return Cue(clean, _kind(clean, clues, stack), at, clues, named, incident), notes


def cue_of_case(case: Case, *, at: datetime) -> Cue:
    """What an incident asks about itself: what was seen of it, not what anybody has concluded since."""
    title = title_of(case)
    seen = (*case.symptoms, title) if case.symptoms else (title, case.summary)
    # Where nothing was seen but numbers, all there is to ask by is what it concerns.
    names = " ".join((*case.services, *case.components, *case.clues.identifiers)) or case.id
    text = ("\n".join(filter(None, seen)) or names)[:READ_CHARS_MAX]
    is_read = keys_of_clues(case.clues) or not (any(seen) or case.stack)
    clues = case.clues if is_read else clues_of(text, stack=case.stack)
    if case.stack:
        asked = clues_of("", stack=case.stack, earlier=True).fingerprints
        clues = replace(clues, fingerprints=tuple(dict.fromkeys((*clues.fingerprints, *asked))))
    return Cue(text, _kind(text, clues, case.stack), at, clues, case.services, case.id, case.occurred_at)


def _cleaned(text: str) -> str:
    if len(text) > ASKED_CHARS_MAX:
        raise Malformed(
            f"The question has {len(text)} characters.",
            field="text",
            remedy=f"Ask with at most {ASKED_CHARS_MAX}: the part of the log around the error is enough.",
        )
    head = text[:100_000]
    odd = sum(1 for char in head if ord(char) in _NOT_TEXT and char != "\x1b")
    if odd > UNPRINTABLE_SHARE_MAX * len(head):
        raise Malformed("This is not text.", field="text", remedy="Paste the error as text, or pipe a log file.")
    clean = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n").translate(_NOT_TEXT)
    clean = clean.encode("utf-8", "ignore").decode().strip()
    if not _WORD.search(clean):
        raise Malformed(
            "There is nothing to ask about.",
            field="text",
            remedy="Paste an error, a stack trace or a question: hindcast recall 'ConnectionResetError: …'",
        )
    return clean


def _worth_reading(text: str) -> tuple[list[str], int]:
    """The lines of a log that say what is wrong: each stack once, each other kind of trouble once."""
    lines = text.splitlines()
    stacks: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    often: Counter[str] = Counter()
    block: list[str] = []
    for number, line in enumerate(lines):
        if _STACK_LINE.match(line) or (block and line.startswith((" ", "\t"))):
            if not block and not line.startswith("Traceback") and number:
                # All but Python say what was raised before they say where.
                block.append(lines[number - 1])
            block.append(line)
            continue
        if block:
            # Python says what was raised after it has said where.
            block.append(line)
            stacks.setdefault("\n".join(map(_form, block)), block)
            block = []
        elif _TROUBLE.search(line):
            form = _form(line)
            often[form] += 1
            first.setdefault(form, line)
    if block:
        stacks.setdefault("\n".join(map(_form, block)), block)
    # What failed is among the commonest kinds of trouble; they are told in the order in which they began.
    common = {form for form, _ in often.most_common(LINES_READ_MAX)}
    chosen = [line for found in list(stacks.values())[:STACKS_READ_MAX] for line in found]
    chosen += [line for form, line in first.items() if form in common]
    return _fitting(chosen or [line for line in lines if line.strip()][-LINES_READ_MAX:]), len(lines)


def _form(line: str) -> str:
    return parameterised(line[:LINE_CHARS_MAX])


def _fitting(lines: Iterable[str]) -> list[str]:
    kept: list[str] = []
    room = READ_CHARS_MAX
    for line in lines:
        cut = line[:LINE_CHARS_MAX]
        room -= len(cut) + 1
        if room < 0:
            break
        kept.append(cut)
    return kept


def _joined(first: Clues, second: Clues) -> Clues:
    return Clues(
        *(
            tuple(dict.fromkeys((*getattr(first, name), *getattr(second, name))))
            for name in ("fingerprints", "exceptions", "frames", "identifiers", "components", "errors")
        )
    )


def _kind(text: str, clues: Clues, stack: str) -> CueKind:
    if stack or clues.frames:
        return CueKind.TRACE
    if clues.exceptions:
        return CueKind.IDENTIFIERS
    words = len(_WORD.findall(text))
    return CueKind.IDENTIFIERS if len(clues.identifiers) >= IDENTIFIERS_PER_WORD_MIN * words else CueKind.PROSE
