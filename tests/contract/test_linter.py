"""The port of linters, with ruff as it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hindcast.adapters.linter_ruff import TEXT_CHARS_MAX, RuffLinter
from hindcast.model.code import LineSpan
from hindcast.model.errors import Unavailable
from hindcast.ports import Linter
from hindcast.propose.rules.ruffs import RUFFS

SHARED = """def collect(order, seen=[]):
    seen.append(order)
    return seen
"""


@pytest.fixture
def linter() -> Linter:
    """The linter that comes with Hindcast."""
    return RuffLinter()


def test_a_finding_has_its_lines_and_the_whole_text_with_the_fix(linter: Linter) -> None:
    """What is found is told with its code, its lines, and the text as the linter would have it."""
    (found,) = linter.lint(SHARED, ["B006"])

    assert (found.code, found.lines) == ("B006", LineSpan(1, 1))
    assert found.fixed == SHARED.replace("seen=[]):", "seen=None):\n    if seen is None:\n        seen = []")


def test_a_fix_is_put_where_it_belongs_in_any_alphabet(linter: Linter) -> None:
    """Places are counted in characters, whatever each takes in bytes."""
    text = 'def f(x):\n    """é 😀"""\n    y = "é😀"; return x is "é"\n'
    (found,) = linter.lint(text, ["F632"])

    assert found.fixed == text.replace("x is", "x ==")


def test_only_the_rules_that_were_asked_for_answer(linter: Linter) -> None:
    """Nothing else that a linter knows is told."""
    assert linter.lint(SHARED, ["F821"]) == ()
    assert linter.lint(SHARED, []) == ()


def test_several_texts_are_answered_in_their_order(linter: Linter) -> None:
    """Each of several texts has its own findings, and one that cannot be read has none."""
    texts = [SHARED, "x = 1\n", "def f(:\n", SHARED.replace("seen", "known")]
    found = linter.lint_each(texts, ["B006"])

    assert found == tuple(linter.lint(text, ["B006"]) for text in texts)
    assert [len(each) for each in found] == [1, 0, 0, 1]
    assert linter.lint_each([], ["B006"]) == ()


def test_a_rule_without_a_fix_tells_what_it_found(linter: Linter) -> None:
    """A finding without a fix has no text."""
    (found,) = linter.lint("def f():\n    return missing\n", ["F821"])

    assert found.fixed is None
    assert "missing" in found.message


@pytest.mark.parametrize("text", ["def f(:\n", "\x00", "\ud800 = 1\n", "", "\ufeffx = 1\n", "é" * 1000])
def test_text_that_is_no_code_is_borne(linter: Linter, text: str) -> None:
    """Broken code has no findings, and is no failure."""
    assert linter.lint(text, ["F632"]) == ()


def test_a_text_that_is_too_long_is_not_looked_at(linter: Linter) -> None:
    """Nobody wrote half a million characters by hand."""
    assert linter.lint(SHARED + "#" * TEXT_CHARS_MAX, ["B006"]) == ()


def test_nobodys_configuration_counts(linter: Linter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project that switches a rule off, or an environment that does, changes no answer, and nothing is written."""
    (tmp_path / "ruff.toml").write_text('[lint]\nignore = ["B006"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUFF_OUTPUT_FILE", str(tmp_path / "said.txt"))

    assert len(linter.lint(SHARED, ["B006"])) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["ruff.toml"]


def program(folder: Path, body: str) -> str:
    """A program that stands in the place of ruff."""
    path = folder / "ruff"
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda folder: str(folder / "gone"), "could not be run"),
        (lambda folder: program(folder, "import sys; sys.exit('bad option')"), "bad option"),
        (lambda folder: program(folder, "print('no json')"), "cannot be read"),
        (lambda folder: program(folder, "import signal; signal.pause()"), "longer than"),
    ],
    ids=["missing", "fails", "babbles", "hangs"],
)
def test_a_linter_that_cannot_run_says_so(tmp_path: Path, made: Callable[[Path], str], problem: str) -> None:
    """A program that is missing, fails, says nonsense or hangs is named as what is wrong."""
    with pytest.raises(Unavailable, match=problem):
        RuffLinter(program=made(tmp_path), seconds_max=0.5).lint(SHARED, ["B006"])


def test_every_rule_of_ruff_that_is_named_exists(linter: Linter) -> None:
    """The installed ruff knows each of the rules that are asked for; an unknown one is refused by it."""
    assert len({rule.code for rule in RUFFS}) == len(RUFFS)
    assert linter.lint("x = 1\n", [rule.code for rule in RUFFS]) == ()
    with pytest.raises(Unavailable, match="Q999"):
        linter.lint("x = 1\n", ["Q999"])
