"""Laws of carrying fixes over: a diff fits the file it was made from, is there in what it made, and does no harm."""

from __future__ import annotations

import ast
import string
from difflib import unified_diff

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.carrying import Shelf

from hindcast.propose.carry import AlreadyFixed, Carried, NotCarried, transplant

# Lines that files have more than once, beside lines that they have once.
OFTEN = ("", "}", "    return result", "pass")
WORDS = ("pool", "conn", "task", "retry", "limit", "queue")


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and the same after somebody changed it here and there; it may end without a newline."""
    count = draw(st.integers(1, 30))
    before = [
        draw(st.sampled_from(OFTEN))
        if draw(st.integers(0, 5)) == 0
        else f"{draw(st.sampled_from(WORDS))} = step_{number}"
        for number in range(count)
    ]
    after: list[str] = []
    for number, line in enumerate(before):
        deed = draw(st.sampled_from(("keep", "keep", "keep", "keep", "drop", "change", "add")))
        if deed != "drop":
            after.append(f"{line} or changed_{number}" if deed == "change" else line)
        if deed == "add":
            after.append(f"added_{number} = {draw(st.sampled_from(WORDS))}")
    end = draw(st.sampled_from(("\n", "")))
    return "\n".join(before) + end, "\n".join(after) + end


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Python that parses: some functions of some statements."""
    lines = [f"from parts import log, {', '.join(WORDS)}, {', '.join(f'open_{word}' for word in WORDS)}", ""]
    for number in range(draw(st.integers(1, 3))):
        lines.append(f"def work_{number}(task):")
        for step in range(draw(st.integers(1, 5))):
            word = draw(st.sampled_from(WORDS))
            form = draw(st.integers(0, 3))
            if form == 0:
                lines += [f"    if {word}.is_open:", f"        {word}.step_{step}(task)"]
            elif form == 1:
                lines += ["    try:", f"        {word}.call()", "    except OSError:", "        raise"]
            elif form == 2:
                lines.append(f"    {word} = open_{word}(task, {step})")
            else:
                lines.append(f'    log.info("{word} %s", task.id)')
        lines += ["    return task", ""]
    return "\n".join(lines)


def diff_of(before: str, after: str, path: str) -> str:
    """What git would print, the mark of a missing newline included."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = unified_diff(old, new, f"a/{path}", f"b/{path}")
    marked = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return "".join(marked)


@given(texts())
@settings(max_examples=150, deadline=None)
@example(("a = 1\nb = 2", "a = 1\nb = 3\n"))
def test_a_diff_fits_the_file_it_was_made_from(pair: tuple[str, str]) -> None:
    """Carrying a diff over to the very file it was made from gives exactly the file it made."""
    before, after = pair
    assume(before != after and before.strip() and after.strip())

    outcome = transplant(diff_of(before, after, "notes.txt"), Shelf({"notes.txt": before}))

    assert isinstance(outcome, Carried), outcome
    assert [after] == [one.edit.text for one in outcome.files]
    assert outcome.confidence >= 0.95


@given(texts())
@settings(max_examples=150, deadline=None)
def test_a_diff_is_there_in_the_file_it_made(pair: tuple[str, str]) -> None:
    """Carrying a diff over to the file that it made says that it is there already."""
    before, after = pair
    assume(before != after and before.strip() and after.strip())

    outcome = transplant(diff_of(before, after, "notes.txt"), Shelf({"notes.txt": after}))

    assert isinstance(outcome, AlreadyFixed), outcome


@given(programs(), programs(), programs())
@settings(max_examples=100, deadline=None)
def test_what_parsed_still_parses(before: str, after: str, today: str) -> None:
    """Whatever diff meets whatever program: where something is changed, the program parses as it did."""
    assume(before != after)

    outcome = transplant(diff_of(before, after, "work.py"), Shelf({"work.py": today}))

    if isinstance(outcome, Carried):
        for one in outcome.files:
            assert one.edit.text is not None
            assert one.edit.text != today
            ast.parse(one.edit.text)


@given(programs(), programs())
@settings(max_examples=80, deadline=None)
def test_a_fix_is_not_made_twice(before: str, after: str) -> None:
    """Carrying a diff over to what carrying it over gave changes nothing more."""
    assume(before != after)
    diff = diff_of(before, after, "work.py")

    once = transplant(diff, Shelf({"work.py": before}))
    assert isinstance(once, Carried)
    text = once.files[0].edit.text
    assert text is not None

    assert not isinstance(transplant(diff, Shelf({"work.py": text})), Carried)


SNIPPETS = st.lists(
    st.sampled_from(
        [
            "@@",
            "@@ -1,2 +3 @@ def f(x):",
            "--- a/w.py",
            "+++ b/w.py",
            "--- /dev/null",
            "+++ /dev/null",
            "diff --git a/w.py b/w.py",
            "+x = 1",
            "-x = 1",
            " x = 1",
            "+    try:",
            "-",
            "+",
            "\\ No newline at end of file",
            "x",
            "...",
            "rename to w.py",
            "new file mode 100644",
            "deleted file mode 100644",
            '+"""',
            "-'",
            "+`${",
            "+\t{",
            "-}",
        ]
    ),
    max_size=14,
).map("\n".join)


@given(
    st.one_of(SNIPPETS, st.text(max_size=200), st.text(alphabet=string.printable, max_size=200)), st.text(max_size=200)
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_answered(diff: str, text: str) -> None:
    """Whatever is kept as a diff and whatever the file holds, there is an answer, and every reason is a sentence."""
    for path in ("w.py", "w.ts", "w.go", "w.yaml"):
        outcome = transplant(diff.replace("w.py", path), Shelf({path: text}))

        if isinstance(outcome, NotCarried):
            assert outcome.reason.strip()
        elif isinstance(outcome, AlreadyFixed):
            assert outcome.lines.first >= 1
        else:
            assert 0 < outcome.confidence <= 1
