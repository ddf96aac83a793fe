"""Recorded text that speaks to a language model instead of telling what happened.

Nobody writes `ignore all previous instructions` into a log by accident. Such a record may be shown and read, but what a
model says with nothing else to rest on passes as uncited: it may only be repeating what it was told to say. This is one
line of defence among several, and the only one that guesses; the others hold without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPEAKS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines|above|previous)\b"
    r"|\b(?:you are|act as|pretend to be|behave as)\b.{0,30}\b(?:assistant|model|ai|llm|agent|chatbot|admin|root|dan)\b"
    r"|\b(?:system|developer) (?:prompt|message|override|note)\b|\bnew (?:instructions?|rules?)\b"
    r"|(?:^|[\s\"'>\]])(?:system|assistant|developer)\s*:\s"
    r"|\b(?:instructions?|note|message|attention)\b.{0,12}\b(?:for|to) (?:the |any |all )?"
    r"(?:ai|llm|assistant|model|agent|language model|copilot)s?\b"
    r"|\b(?:tell|inform|assure|convince) the (?:user|operator|engineer|reader|on-?call)\b"
    r"|\bdo not (?:tell|mention|warn|reveal|show|cite)\b.{0,40}\b(?:user|operator|engineer|reader|anyone|this)\b"
    r"|\b(?:you|assistant|model|ai|agent) (?:must|should|shall|have to|need to|will) (?:now |always |only )?"
    r"(?:call|say|answer|reply|respond|cite|run|invoke|use|send|output|print|write|include|state|claim)\b"
    r"|\b(?:call|invoke|use) (?:the )?(?:tool|function)\b|\b(?:attempt|verdict)_record\b"
    r"|<\|?\s{0,200}/?\s*(?:im_start|im_end|system|data|tool|instructions?)\b|\[/?inst\]|‹/?data",
    re.IGNORECASE,
)


def speaks_to_models(text: str) -> bool:
    """Whether a text gives a language model orders."""
    return _SPEAKS.search(" ".join(text.split())) is not None


def suspects(refs: Iterable[str], text: str) -> frozenset[str]:
    """The records of a tool's answer that such text stands in: those of its lines, or all where no line names one."""
    found: set[str] = set()
    every = tuple(refs)
    for line in text.splitlines():
        if speaks_to_models(line):
            named = {ref for ref in every if ref in line or _bare(ref) in line}
            found |= named or set(every)
    return frozenset(found)


def _bare(ref: str) -> str:
    return ref.rpartition("@")[0].partition("/")[2] or ref
