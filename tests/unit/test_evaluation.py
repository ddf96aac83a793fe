"""Measuring recall on somebody's own records and questions."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.store_sql import open_store
from hindcast.casebook import Casebook
from hindcast.evaluation import Evaluation, evaluate, read_questions, read_records, recall_at
from hindcast.evaluation.rows import Rejected, Row, rows
from hindcast.memory import Memory
from hindcast.model.case import Case, Outcome, to_json
from hindcast.model.errors import Malformed, Refused
from hindcast.recall.evaluate import Judged

NOW = datetime(2026, 11, 15, 2, 0, tzinfo=UTC)
RECORDS = """
{"id": "A/1", "title": "Redis pool exhausted in payment workers", "description": "connection reset by peer"}
{"id": "B 2", "text": "Certificate of the gateway expired\\nx509: certificate has expired"}
{"id": 3, "title": "Kafka consumer lag", "cause": "session timeout too short"}
"""
QUESTIONS = """
{"id": "q1", "text": "redis connection reset in payment workers", "relevant": ["A/1"]}
{"query": "x509: certificate has expired", "expected": "B 2"}
{"id": "q3", "question": "zeppelin ballast frozen", "answers": []}
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory that knows words only."""
    store = open_store(str(tmp_path), "evaluation", now=NOW, create=True)
    made = Memory(store, clock=ManualClock(NOW), entropy=os.urandom, index=LocalIndex(tmp_path / "index", store))
    yield made
    made.close()


def seconds() -> Callable[[], float]:
    """A clock that moves a millisecond each time it is looked at."""
    ticks = itertools.count()
    return lambda: next(ticks) / 1_000


def run(memory: Memory, records: str = RECORDS, questions: str = QUESTIONS) -> Evaluation:
    """Measure on two texts."""
    known, asked = read_records(records, fallback_at=NOW), read_questions(questions)
    return evaluate(memory, known, asked.questions, now=NOW, seconds=seconds())


def test_what_is_told_is_told_by_the_ids_of_the_file(memory: Memory) -> None:
    """An id that could not be a case's id here (slashes, blanks, numbers) still comes back as it was written."""
    found = run(memory)

    assert [one.judged.ranked[:1] for one in found.asked[:2]] == [("A/1",), ("B 2",)]
    assert found.recall_at == {1: 1.0, 5: 1.0, 10: 1.0}
    assert (found.records, found.measures.asked, found.measures.matched) == (3, 3, 2)
    assert found.milliseconds == pytest.approx((1.0, 1.0, 1.0))


def test_a_memory_that_holds_anything_is_refused(memory: Memory) -> None:
    """An evaluation cannot write into a memory that somebody uses: one commit is enough to be refused."""
    memory.put("payments/pool.size", 20, actor="ana", why="It is so")
    before = memory.log(None)

    with pytest.raises(Refused):
        run(memory)
    assert memory.log(None) == before
    assert not Casebook(memory).every()


def test_asking_writes_nothing(memory: Memory) -> None:
    """The only commit of an evaluation holds the records; what was served is not remembered."""
    run(memory)

    assert len(memory.log(None)) == 1
    assert memory.now().namespaces() == {"cases": 3}


def test_a_record_that_asks_does_not_remember_itself(memory: Memory) -> None:
    """Where the question is one of the records, it is left out of its own answer."""
    question = '{"text": "Redis pool exhausted in payment workers", "incident": "A/1", "relevant": []}'
    found = run(memory, questions=question)

    assert "A/1" not in found.asked[0].judged.ranked


def test_unknown_records_are_told_and_not_guessed_about(memory: Memory) -> None:
    """A question whose right records are all missing is left out; one with some of them counts with those."""
    questions = """
    {"id": "some", "text": "redis connection reset", "relevant": ["A/1", "gone"]}
    {"id": "none", "text": "redis connection reset", "relevant": ["gone"]}
    """
    found = run(memory, questions=questions)

    assert found.unknown == (("some", ("gone",)), ("none", ("gone",)))
    assert [query for query, _ in found.unasked] == ["none"]
    assert [one.question.id for one in found.asked] == ["some"]


def test_a_question_without_a_word_is_left_out_with_its_reason(memory: Memory) -> None:
    """What cannot be asked is named; the others are still measured."""
    found = run(memory, questions=QUESTIONS + '{"id": "q9", "text": "???", "relevant": ["A/1"]}')

    assert [query for query, _ in found.unasked] == ["q9"]
    assert found.measures.asked == 3


def test_nothing_left_to_ask_is_an_error(memory: Memory) -> None:
    """Numbers over no questions would mean nothing."""
    with pytest.raises(Malformed) as caught:
        run(memory, questions='{"text": "redis", "relevant": ["gone"]}')
    assert caught.value.field == "--queries"


def test_bad_lines_are_named_and_the_rest_counts() -> None:
    """A line that is no JSON, has no id, no words, or an id twice is told by its number."""
    content = (
        '{"id": "a", "title": "one"}\n{"broken\n\n{"title": "no id"}\n{"id": "b"}\n{"id": "a", "title": "two"}\n[]'
    )
    found = read_records(content, fallback_at=NOW)

    assert [case.title for case in found.cases] == ["one"]
    assert [one.line for one in found.rejected] == [2, 4, 5, 6, 7]
    assert [one.why for one in found.rejected[1:4]] == [
        "no id",
        "no words to find it by",
        "the id 'a' was there before",
    ]


def test_no_usable_line_is_an_error_that_names_the_first() -> None:
    """Whoever mixes up two files is told what stands in the first line."""
    with pytest.raises(Malformed, match="line 1: no id"):
        read_records('{"title": "x"}', fallback_at=NOW)
    with pytest.raises(Malformed, match="line 1: it does not say which records are relevant"):
        read_questions('{"text": "x"}')
    with pytest.raises(Malformed):
        read_questions("")


def test_a_log_is_no_record() -> None:
    """A record longer than any account of an incident is refused by its line."""
    long = "x " * 250_000
    content = f'{{"id": "a", "title": "fine"}}\n{{"id": "b", "title": "log", "text": "{long}"}}'

    assert [one.line for one in read_records(content, fallback_at=NOW).rejected] == [2]


def test_odd_characters_lose_no_other_record(memory: Memory) -> None:
    """Half a character is refused by its line; a zero byte and a direction mark in a text or an id do no harm."""
    records = r"""
    {"id": "half", "title": "bad \ud800 text"}
    {"id": "zero\u0000\u202e", "title": "redis \u0000 pool \u202e exhausted"}
    {"id": "sure", "title": "kafka lag", "attempts": 7, "services": {"a": 1}, "cause": [], "occurred_at": 5}
    """
    known = read_records(records, fallback_at=NOW)
    found = run(memory, records, '{"text": "redis pool \\udfff exhausted", "relevant": "zero\\u0000\\u202e"}')

    assert [one.line for one in known.rejected] == [2]
    assert found.recall_at[1] == 1.0


def test_csv_is_read_by_its_headings() -> None:
    """Headings may be written with blanks and capitals; a field may hold lines; lists have separators."""
    content = 'Issue id,Summary,Description\n7,Checkout slow,"first line\nsecond line"\n8,Other,text\n'
    found = read_records(content, fallback_at=NOW)
    asked = read_questions("text,relevant\nslow checkout,7; 8\nnothing known,\n")

    assert next((case.title, case.summary) for case in found.cases) == ("Checkout slow", "first line\nsecond line")
    assert list(found.ids.values()) == ["7", "8"]
    assert [one.relevant for one in asked.questions] == [frozenset({"7", "8"}), frozenset()]


def test_a_row_with_too_many_values_is_told() -> None:
    """A comma that nobody quoted shifts every value: such a row is not used."""
    found = list(rows("id,title\n1,a,b\n2,c\n"))

    assert isinstance(found[0], Rejected)
    assert found[0].line == 2
    assert isinstance(found[1], Row)
    assert found[1].fields["title"] == "c"


def test_a_json_list_is_read_like_lines() -> None:
    """Exports are often one list."""
    found = read_records('[{"id": 1, "title": "a"}, 7, {"id": 2, "title": "b"}]', fallback_at=NOW)

    assert [case.title for case in found.cases] == ["a", "b"]
    assert [one.line for one in found.rejected] == [2]


def test_a_case_as_hindcast_writes_it_is_taken_whole() -> None:
    """What was exported from here loses nothing but its id, and what it refers to follows the new ids."""
    old = Case("old", "An old lesson", NOW, summary="raise the limit")
    new = Case("new", "A new lesson", NOW, services=("payment",), supersedes=("old",), previous="old")
    lines = "\n".join(_json(case) for case in (old, new))
    first, second = read_records(lines, fallback_at=NOW).cases

    assert second.services == ("payment",)
    assert second.supersedes == (first.id,)
    assert second.previous == first.id


def test_whatever_a_team_calls_its_fields_is_understood() -> None:
    """Cause, fix, time, services and attempts are found under the names that exports use."""
    content = """{"key": "PAY-1", "name": "Slow", "root_cause": {"text": "no index"}, "solution": "added it",
    "created": "2026-01-02", "service": "a, b",
    "attempts": ["restarted", {"action": "scaled up", "outcome": "made_worse"}]}
    """.replace("\n", " ")
    (case,) = read_records(content, fallback_at=NOW).cases

    assert case.cause is not None
    assert case.cause.text == "no index"
    assert case.resolution is not None
    assert case.resolution.text == "added it"
    assert case.occurred_at == datetime(2026, 1, 2, tzinfo=UTC)
    assert case.services == ("a", "b")
    assert [(one.action, one.outcome) for one in case.attempts] == [
        ("restarted", Outcome.UNKNOWN),
        ("scaled up", Outcome.MADE_WORSE),
    ]


def test_a_text_alone_gets_its_first_line_as_its_title() -> None:
    """The title is what a search reads first, and a text begins with what matters."""
    first, second = read_records(
        f'{{"id": 1, "text": "\\n\\nHead\\nrest"}}\n{{"id": 2, "text": "{"word " * 100}"}}', fallback_at=NOW
    ).cases

    assert (first.title, first.summary) == ("Head", "rest")
    assert len(second.title) <= 200
    assert len(second.title) + len(second.summary) >= 490


def test_recall_at_counts_questions_with_a_match() -> None:
    """A question without a true match is no question that recall could find something for."""
    judged = [
        Judged("1", ("a", "b"), 0.5, False, frozenset({"b"})),
        Judged("2", ("a",), 0.5, False, frozenset()),
        Judged("3", (), 0.0, False, frozenset({"c"})),
    ]

    assert [recall_at(judged, places) for places in (1, 2)] == [0.0, 0.5]
    assert recall_at([], 1) == 0.0


def _json(case: Case) -> str:
    import msgspec

    return msgspec.json.encode(to_json(case)).decode()
