"""Diffs read as they are found in tickets: from git, from `diff -u`, or typed by hand."""

from __future__ import annotations

import pytest

from hindcast.model.errors import Malformed
from hindcast.propose.carry.patch import DIFF_CHARS_MAX, read_patch


def marks(diff: str) -> list[list[str]]:
    """The lines of every hunk, each with its mark."""
    return [[line.mark + line.text for line in hunk.lines] for file in read_patch(diff) for hunk in file.hunks]


def test_a_git_diff_names_its_files_and_lines() -> None:
    """From git's own form come both paths, both line numbers and the line that opens the function."""
    diff = (
        "diff --git a/old/name.py b/new/name.py\nsimilarity index 90%\nrename from old/name.py\nrename to new/name.py\n"
        "index 1..2 100644\n--- a/old/name.py\n+++ b/new/name.py\n@@ -7,2 +8,3 @@ def run(task):\n x\n+y\n z\n"
    )

    (file,) = read_patch(diff)

    assert (file.old_path, file.new_path) == ("old/name.py", "new/name.py")
    (hunk,) = file.hunks
    assert (hunk.old_first, hunk.new_first, hunk.section) == (7, 8, "def run(task):")
    assert hunk.old == ("x", "z")
    assert hunk.new == ("x", "y", "z")


def test_counts_that_are_wrong_are_not_believed() -> None:
    """Where a header's counts leave lines over, all lines up to the next header belong to the hunk."""
    assert marks("--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n+b\n c\n+d\n") == [["-a", "+b", " c", "+d"]]
    assert marks("--- x\n+++ x\n@@ -1,9 +1,9 @@\n-a\n+b\n--- y\n+++ y\n@@ -1 +0,0 @@\n-c\n") == [["-a", "+b"], ["-c"]]


def test_a_removed_comment_of_two_dashes_is_no_header() -> None:
    """A removed line that begins with two dashes is believed to be one where the counts say so."""
    assert marks("--- q.sql\n+++ q.sql\n@@ -1,2 +1,1 @@\n-- raise it\n--- why\n+select 2\n") == [
        ["-- raise it", "--- why", "+select 2"]
    ]


def test_lines_without_any_header_are_one_change() -> None:
    """A line out and a line in is a diff, although it names no file."""
    (file,) = read_patch("```diff\n-timeout = 5\n+timeout = 30\n```\n")

    assert file.path == ""
    assert file.hunks[0].old == ("timeout = 5",)


def test_prose_around_a_diff_is_passed_over() -> None:
    """What somebody wrote before a diff is not part of it."""
    assert marks("I changed this last night:\n\n--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b\n") == [["-a", "+b"]]


def test_stripped_context_lines_are_context() -> None:
    """A context line that lost its leading space, or is blank, is still one."""
    assert marks("--- x\n+++ x\n@@\ndef f():\n\n-a\n+b\n") != [[" def f():", "     ", "-a", "+b"]]
    assert marks("--- x\n+++ x\n@@\ndef f():\n\n-a\n+b\n") == [[" def f():", " ", "-a", "+b"]]


def test_dots_divide_hunks() -> None:
    """Where somebody left lines out with dots, two hunks are read."""
    assert marks("--- x\n+++ x\n@@\n-a\n+b\n...\n@@\n-c\n+d\n") == [["-a", "+b"], ["-c", "+d"]]


def test_windows_line_ends_make_no_difference() -> None:
    """A diff with CRLF reads as one without."""
    diff = "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"

    assert read_patch(diff) == read_patch(diff.replace("\n", "\r\n"))


def test_a_missing_newline_at_the_end_is_known_by_side() -> None:
    """The mark of a missing newline counts for the side whose line it follows."""
    (file,) = read_patch("--- x\n+++ x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")

    assert file.hunks[0].old_is_open
    assert not file.hunks[0].new_is_open


def test_new_and_removed_files_are_told_apart() -> None:
    """/dev/null on one side says that the diff brings a file in, or takes one away."""
    born, gone = read_patch(
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n--- a/g.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    )

    assert (born.creates, born.path) == (True, "n.py")
    assert (gone.removes, gone.path) == (True, "g.py")


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        ("", "no line that begins with"),
        ("Restarted the pods.", "no line that begins with"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n same\n", "no line that begins with"),
        ("diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n", "binary"),
        ("+" * (DIFF_CHARS_MAX + 1), "characters"),
        ("".join(f"@@ -{n} +{n} @@\n-a\n+b\n" for n in range(101)), "hunks"),
    ],
)
def test_what_is_no_diff_is_refused_by_name(diff: str, said: str) -> None:
    """Prose, binaries and floods are refused with what is wrong and what to do."""
    with pytest.raises(Malformed, match=said) as refused:
        read_patch(diff)

    assert refused.value.field == "diff"
    assert refused.value.remedy
