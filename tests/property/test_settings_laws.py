"""Laws of settings: what was written is read back, nothing else changes, and no text is too strange."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import yaml  # type: ignore[import-untyped]
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.carrying import Shelf
from tests.recalling import cue
from tests.setting import CASES, SettingCase

from hindcast.model.card import Proposal, Warned
from hindcast.model.diagnosis import Advice, Diagnosis
from hindcast.model.recollection import Familiarity, Recollection
from hindcast.propose.settings import harmful_settings, settings_again
from hindcast.propose.settings.change import with_sibling, with_values
from hindcast.propose.settings.files import ConfigurationFiles
from hindcast.propose.settings.matching import LIKENESS_MIN, likeness
from hindcast.propose.settings.reading import settings_in
from hindcast.propose.settings.wish import Wish, phrase, wishes
from hindcast.propose.sheet import Sheet

NOW = datetime(2026, 11, 1, tzinfo=UTC)
# Whoever renames an item changes where its settings hang; a heap takes sizes only.
FIXED = ("name", "key", "kind", "Xms", "Xmx")
IN_YAML = [case for case in CASES if case.path.endswith((".yaml", ".yml")) and "{{" not in case.text]
VALUES = st.integers(0, 10**6).map(str) | st.from_regex(r"[a-z][a-z0-9./-]{0,12}[a-z0-9]", fullmatch=True)


def sheet(files: dict[str, str], config: str, action: str = "set it", *, is_harmful: bool = False) -> Sheet:
    """A past fix, or something that did harm, and today's files."""
    advice = Advice(action, (), 1, 0, 0, 0.5, 0.2, ("cases/a@1",), config=config)
    diagnosis = Diagnosis("pool", NOW, Familiarity.SEEN, 0.9, None, "Seen.", fixes=(advice,))
    if is_harmful:
        diagnosis = replace(diagnosis, fixes=(), avoid=(replace(advice, made_worse=1),))
    return Sheet("inc-1", NOW, None, (), Recollection(cue("x"), Familiarity.SEEN), diagnosis, Shelf(files))


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(CASES), VALUES, st.data())
def test_what_was_written_is_read_back(case: SettingCase, value: str, data: st.DataObject) -> None:
    """Any value put in the place of any other is read back from there; every other line is as it was."""
    found = [one for one in settings_in(case.path, case.text) if one.key not in FIXED]
    one = data.draw(st.sampled_from(found))
    made = with_values(case.path, case.text, [(one, value)])

    assert made is not None
    # A quote that had to be added stands before the value.
    places = ((one.path, one.start), (one.path, one.start + 1))
    after = [new for new in settings_in(case.path, made) if (new.path, new.start) in places]
    assert [value] == [new.value for new in after]
    line = case.text.count("\n", 0, one.start)
    old_lines, new_lines = case.text.split("\n"), made.split("\n")
    assert old_lines[:line] == new_lines[:line]
    assert old_lines[line + 1 :] == new_lines[line + 1 :]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(IN_YAML), VALUES, st.data())
def test_a_reader_of_yaml_agrees(case: SettingCase, value: str, data: st.DataObject) -> None:
    """After a change YAML is still YAML, and only as many of its values differ as were changed."""
    # What is merged elsewhere by its anchor changes there as well.
    known = [one for one in settings_in(case.path, case.text) if "x-shared" not in one.path]
    found = [one for one in known if one.key not in FIXED]
    one = data.draw(st.sampled_from(found))
    made = with_values(case.path, case.text, [(one, value)])

    assert made is not None
    before, after = list(yaml.safe_load_all(case.text)), list(yaml.safe_load_all(made))
    assert sum(left != right for left, right in zip(leaves(before), leaves(after), strict=True)) <= 1


def leaves(value: object) -> list[object]:
    """Every value of a structure, in its order."""
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(CASES), st.data())
def test_a_new_line_is_the_only_change(case: SettingCase, data: st.DataObject) -> None:
    """A key that is added beside another adds lines and touches none."""
    one = data.draw(st.sampled_from(settings_in(case.path, case.text)))
    made = with_sibling(case.path, case.text, one, "NEW_KEY", "7")

    if made is not None:
        text, number = made
        new, old = text.split("\n"), case.text.split("\n")
        count = len(new) - len(old)
        assert count in (1, 2)
        assert new[: number - 1] + new[number - 1 + count :] == old


STRANGE = st.text(max_size=200) | st.text(alphabet="abA_:=-#'\"{}[]|>&*!%$\n\t ,.05\\+<`", max_size=200)
PATHS = st.sampled_from(
    (
        ".env",
        "a.yaml",
        "a.json",
        "a.toml",
        "a.ini",
        "a.properties",
        "Dockerfile",
        "settings.py",
        "config.ts",
        "x.timer",
    )
)


@settings(max_examples=250, deadline=None)
@given(PATHS, STRANGE, STRANGE, st.booleans())
@example("a.yaml", "a:\n  - - b: {c: [}\n", "a: {b", False)
@example("a.json", '{"a": ' * 100, "a.b=1", False)
def test_no_text_is_too_strange(path: str, text: str, config: str, is_harmful: bool) -> None:
    """Whatever a file and a note about a setting hold, reading them fails nothing, and places are right."""
    for one in settings_in(path, text):
        assert one.value == text[one.start : one.end]
        assert one.path
    wishes(config)
    phrase(config)
    asked = sheet({path: text}, config, config[:80], is_harmful=is_harmful)
    for made in (*settings_again(asked), *harmful_settings(asked)):
        assert isinstance(made, Warned) or made.edit.text != text
        assert 1 <= made.lines.first <= made.lines.last <= text.count("\n") + 1


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(CASES), st.integers(1, 10**5))
def test_a_fix_is_done_once(case: SettingCase, value: int) -> None:
    """After a proposal was applied, the same fix has nothing more to propose for that file."""
    key = wishes(case.config)
    asked = sheet({case.path: case.text}, f"{'.'.join(key[0].path)}={value}") if key else None
    made = [one for one in settings_again(asked) if isinstance(one, Proposal)] if asked is not None else []
    for one in made:
        assert one.edit.text is not None
        again = sheet({case.path: one.edit.text}, f"{'.'.join(key[0].path)}={value}")
        assert [more for more in settings_again(again) if isinstance(more, Proposal)] == []


NAMES = st.lists(
    st.sampled_from(("redis", "Redis", "POOL", "pool", "size", "Size", "timeout", "TIMEOUT", "ms", "max", "2", "id")),
    min_size=1,
    max_size=3,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(CASES), NAMES, NAMES, st.sampled_from(("", "_", "-", ".")), st.booleans())
def test_no_file_that_holds_what_is_wanted_is_passed_over(
    case: SettingCase, last: list[str], above: list[str], joint: str, is_below: bool
) -> None:
    """Files are passed over by their words alone; whatever a key is like is never in one of those."""
    key = joint.join(last)
    wish = Wish((joint.join(above), key) if is_below else (key,), "7")
    text = f"{case.text}\n{key}: 1\n{joint.join(above)}:\n  {key}: 2\n{joint.join((*above, *last))}: 3\n"
    code = Shelf({case.path: case.text, "more.yaml": text})
    looked_into = {file.path for file, _ in ConfigurationFiles(replace(sheet({}, ""), code=code)).about(wish)}

    for path in code.paths():
        file = code.read(path)
        if any(likeness(wish, one) >= LIKENESS_MIN for one in settings_in(path, file.text)):
            assert path in looked_into
