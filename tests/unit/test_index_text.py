"""What search reads of a record and of a question."""

from __future__ import annotations

import pytest

from hindcast.adapters.embedder_onnx import telling
from hindcast.adapters.index_local.text import HEAD_CHARS_MAX, head_of, keys_of, searched

PYTHON_STACK = """Traceback (most recent call last):
  File "worker.py", line 12, in run
    pool.release()
redis.exceptions.ConnectionError: Connection reset by peer
the rest of the log"""

JAVA_STACK = """java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available
\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)"""


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("one line only", "one line only"),
        ("\n\n  \nthe pool is exhausted again\nlog\nlog", "the pool is exhausted again"),
        ("checkout down\nconnections are refused\nlog", "checkout down\nconnections are refused"),
        (PYTHON_STACK, "redis.exceptions.ConnectionError: Connection reset by peer"),
        (JAVA_STACK, JAVA_STACK.splitlines()[0]),
        ("  indented\n  all of it", "  indented\n  all of it"),
        ("", ""),
        (" \n\t", " \n\t"),
    ],
)
def test_the_head_of_a_question_is_the_line_that_says_it(text: str, head: str) -> None:
    """The first line that is no part of a stack, with the next one if it is very short."""
    start, end = head_of(text)

    assert head == text[start:end]


def test_a_head_has_an_end() -> None:
    """A megabyte in one line is cut."""
    start, end = head_of("x " * 500_000)

    assert (start, end) == (0, HEAD_CHARS_MAX)


def test_keys_are_strings_out_of_the_list_keys() -> None:
    """Whatever else a body holds is no key, and a body need not be a mapping."""
    assert keys_of({"keys": ["a", 1, "", "b", "a"], "inner": {"keys": ["c"]}}) == ("a", "b")
    assert keys_of(["keys"]) == keys_of("keys") == keys_of(None) == keys_of({"keys": "a"}) == ()


def test_words_of_a_body_leave_its_keys_out() -> None:
    """A list of keys is looked for whole; `keys` that are no list, and inner ones, are words like any other."""
    assert searched("team/a", {"keys": ["zanzibar"], "note": "redis"}, None).split() == ["a", "note", "redis"]
    assert "zanzibar" in searched("team/a", {"keys": "zanzibar"}, None)
    assert "zanzibar" in searched("team/a", {"inner": {"keys": ["zanzibar"]}}, None)
    assert searched("team/a", {"keys": ["zanzibar"]}, "redis").split() == ["a", "redis"]


def test_telling_tokens_are_the_first_of_their_kind() -> None:
    """Marks, punctuation, single letters, function words and repetitions are passed over, in every spelling."""
    tokens = ["[CLS]", "The", "pool", "##s", "was", "##ness", "!", "pool", "[UNK]", "\u0120the", "\u2581lag", "[SEP]"]

    assert [tokens[place] for place in telling(tokens, 64)] == ["pool", "##ness", "\u2581lag"]
    assert telling(tokens, 1) == [2]
