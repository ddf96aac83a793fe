"""Rules meet code as it comes: broken, cut off, in another alphabet, or in another language."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hindcast
from hindcast.model.code import LineSpan, Tongue
from hindcast.model.code_rule import CodeRule
from hindcast.propose.carry.syntax import faults
from hindcast.propose.rules import TONGUES, rules, search

PACKAGE = Path(hindcast.__file__).resolve().parent
FILES = [
    (PACKAGE / name).read_text(encoding="utf-8")
    for name in ("propose/rules/rewrite.py", "model/case.py", "rest/once.py", "propose/rules/search.py")
]
SAMPLES = [*FILES, *(example.code for rule in rules() for example in rule.bad)]
ODD = st.sampled_from(["", "\x00", "\ud800", "é", "(", "}", '"""', "\t", "\n", "\n\n    ", ":", "await ", "😀", "\\"])


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """Real code with some pieces cut out and others put in."""
    text = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(text)))
        last = min(len(text), first + draw(st.integers(0, 30)))
        text = text[:first] + draw(ODD) + text[last:]
    return text


@settings(max_examples=120, deadline=None)
@given(mutilated(), st.sampled_from(sorted(TONGUES)), st.integers(1, 60), st.integers(0, 60))
def test_rules_bear_any_code(text: str, tongue: Tongue, first: int, length: int) -> None:
    """Whatever the code, rules find something in the lines they were asked about, or nothing; they never fail."""
    lines = LineSpan(first, first + length)
    for found in search(rules(), text, tongue, lines):
        assert lines.first <= found.lines.first <= found.lines.last <= lines.last
        if found.fixed is not None:
            assert found.fixed != text
            assert faults(found.fixed, tongue) <= faults(text, tongue)


@pytest.mark.parametrize("rule", [rule for rule in rules() if rule.fix is not None], ids=lambda rule: rule.id)
@settings(max_examples=5, deadline=None)
@given(st.text(alphabet="aé😀 ", max_size=8), st.text(alphabet="aé😀 ", max_size=8))
def test_a_fix_changes_nothing_around_it(rule: CodeRule, before: str, behind: str) -> None:
    """What stands before and behind a finding is the same after its fix, whatever alphabet it is in."""
    for tongue in rule.tongues:
        mark = "#" if tongue is Tongue.PYTHON else "//"
        head, tail = f"{mark} {before}\n", f"{mark} {behind}\n"
        found = search([rule], head + rule.bad[0].code + tail, tongue)
        assert [head + rule.bad[0].fixed + tail] == [one.fixed for one in found]
