"""A runbook out of Markdown: its title, and its steps in their order, each a sentence or two."""

from __future__ import annotations

import re

from hindcast.learn.page import page_of
from hindcast.learn.postmortem import case_id
from hindcast.learn.sentences import sentences_of
from hindcast.model.errors import Malformed
from hindcast.model.record import Json

STEPS_MAX = 100
STEP_CHARS_MAX = 1_000
TEXT_CHARS_MAX = 20_000

_SUFFIX = re.compile(r"(?:\.(?:md|markdown|mdx|txt|text|rst|adoc|html|erb)){1,4}$", re.I)
_STEP = re.compile(r"^(\s*)(?:\d{1,3}[.)]|[-*+•]|step\s+\d+\s*[:.)-])\s+(?:\[[ xX]\]\s+)?(.*)$", re.I)
_FENCED = re.compile(r"^\s*(?:```|~~~)")


def runbook_of(text: str, *, name: str) -> dict[str, Json]:
    """The body of a runbook's record. Raises Malformed when a page holds no steps and no words."""
    page = page_of(text)
    if not page.text.strip():
        raise Malformed("There is nothing to read.", field=name, remedy="Give a page with a title and a list of steps.")
    steps = _steps(page.text) or [sentence.text for sentence in sentences_of(page.text) if sentence.text != page.title]
    if not steps:
        raise Malformed("This page has no steps.", field=name, remedy="Write them as a list, one step an item.")
    listed: list[Json] = [re.sub(r"[ \t]+", " ", step)[:STEP_CHARS_MAX] for step in steps[:STEPS_MAX]]
    return {
        "id": case_id("runbook", _SUFFIX.sub("", name)),
        "title": page.title or name,
        "steps": listed,
        "text": page.text.strip()[:TEXT_CHARS_MAX],
    }


def _steps(text: str) -> list[str]:
    """The items of the lists; what is indented under an item, commands included, belongs to it."""
    steps: list[str] = []
    inside = fenced = False
    for line in text.splitlines():
        if _FENCED.match(line):
            fenced = not fenced
            continue
        match = None if fenced else _STEP.match(line)
        if match and (not match.group(1) or not inside):
            steps.append(match.group(2).strip())
            inside = True
        elif match:
            steps[-1] += f" {match.group(2).strip()}"
        elif inside and line.strip() and (fenced or line.startswith((" ", "\t"))):
            steps[-1] += f" `{line.strip()}`" if fenced else f" {line.strip()}"
        elif line.strip() and not fenced:
            inside = False
    return [step for step in steps if step]
