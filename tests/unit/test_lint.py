"""Rules on the code of a trace: where they look, what they show, and how sure they are."""

from __future__ import annotations

import pytest
from tests.carrying import Shelf
from tests.recalling import NOW, cue

from hindcast.adapters.linter_ruff import RuffLinter
from hindcast.model.card import CardSeverity, CardSource, Proposal, Warned
from hindcast.model.code import LineSpan, Place
from hindcast.model.code_rule import ErrorKind
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.recollection import Familiarity, Recollection
from hindcast.model.trace import Language, Raised, Trace
from hindcast.ports import Linter
from hindcast.propose.lint import changed, lint
from hindcast.propose.rules.kinds import kinds_of
from hindcast.propose.sheet import Sheet

RATES = """import requests


def rates(day):
    answer = requests.get(f"{RATES}/{day}")
    return answer.json()


def table(days):
    out = open("rates.txt", "w")
    for day in days:
        out.write(str(rates(day)))
    out.close()


def untouched(url):
    return requests.get(url)
"""
FAILED = Place("shop/rates.py", 5, "rates", LineSpan(4, 6), 1.0, "the path ends alike", 0)
CALLER = Place("shop/rates.py", 12, "table", LineSpan(9, 13), 1.0, "the path ends alike", 1)


def trace(kind: str = "ReadTimeout", message: str = "timed out") -> Trace:
    """What was printed."""
    return Trace(Language.PYTHON, (Raised(kind, message),))


def sheet(*places: Place, trace: Trace | None = None, asked: str = "", text: str = RATES) -> Sheet:
    """An incident with a trace through today's code."""
    return Sheet(
        incident="inc-1",
        at=NOW,
        trace=trace,
        places=places,
        recollection=Recollection(cue("x"), Familiarity.NEW, ()),
        diagnosis=Diagnosis(asked, NOW, Familiarity.NEW, 0.0, None, "New."),
        code=Shelf({"shop/rates.py": text}),
    )


def proposals(made: Sheet, linter: Linter | None = None) -> list[Proposal]:
    """What is proposed."""
    return [one for one in lint(linter)(made) if isinstance(one, Proposal)]


def test_a_rule_that_answers_the_error_is_proposed() -> None:
    """A timeout in a function that waits without end gives one card, about the line that failed and no other."""
    (one,) = proposals(sheet(FAILED, trace=trace()))

    assert CardSource.LINTER is one.source
    assert (one.title, one.rule) == ("Give the request a timeout.", "py-request-without-timeout")
    assert one.lines == LineSpan(5, 5)
    assert one.edit.text == RATES.replace('{day}")', '{day}", timeout=10)')
    assert one.evidence == ("rule/py-request-without-timeout",)
    assert "timeout" in one.why
    assert "`rates` is where it failed." in one.why
    assert one.edit.expected == Shelf({"a.py": RATES}).read("a.py").digest
    assert 0.7 < one.confidence <= 1.0


def test_a_rule_that_answers_another_error_is_not_shown() -> None:
    """Where memory ran out, a missing timeout is not what anybody wants to hear of."""
    assert proposals(sheet(FAILED, trace=trace("MemoryError", "out of memory"))) == []


def test_callers_weigh_less() -> None:
    """The same trouble in a caller is less sure and less grave than where it failed."""
    leak = trace("OSError", "[Errno 24] Too many open files")
    near = Place("shop/rates.py", 12, "table", LineSpan(9, 13), 1.0, "", 0)
    (inner,), (outer,) = (proposals(sheet(place, trace=leak)) for place in (near, CALLER))

    assert outer.confidence < inner.confidence
    assert outer.lines == LineSpan(10, 13)
    assert outer.severity is CardSeverity.HINT
    assert "`table` called what failed." in outer.why


def test_an_unsure_place_makes_an_unsure_card() -> None:
    """How sure a card is goes with how sure it is that the trace means this code."""
    unsure = Place("shop/rates.py", 5, "rates", LineSpan(4, 6), 0.4, "", 0)
    (one,) = proposals(sheet(unsure, trace=trace()))

    assert one.confidence < 0.4


def test_without_a_known_kind_what_is_wrong_is_shown_with_less_weight() -> None:
    """An error that says nothing gets what is wrong in its function, and is told that nothing more is known."""
    (unknown,) = proposals(sheet(FAILED, trace=trace("Oops", "?")))
    (known,) = proposals(sheet(FAILED, trace=trace()))

    assert unknown.confidence < known.confidence
    assert "Nothing tells" in unknown.why


def test_without_a_trace_the_question_tells_the_kind() -> None:
    """What was asked stands in for a trace that there is none of."""
    assert proposals(sheet(FAILED, asked="checkout: read timed out"))
    assert proposals(sheet(FAILED, asked="out of memory")) == []


def test_a_function_is_found_by_its_line_where_its_lines_are_not_known() -> None:
    """A place that knows only its line is the function around that line."""
    (one,) = proposals(sheet(Place("shop/rates.py", 5, "", None, 0.9, ""), trace=trace()))

    assert one.lines == LineSpan(5, 5)


@pytest.mark.parametrize(
    "place",
    [
        Place("gone.py", 5, "rates", LineSpan(4, 6), 1.0, ""),
        Place("shop/rates.py", 0, "rates", None, 1.0, ""),
        Place("shop/rates.py", 900, "rates", LineSpan(899, 901), 1.0, ""),
    ],
    ids=["gone", "only the file", "beyond its end"],
)
def test_places_that_are_not_there_give_nothing(place: Place) -> None:
    """A file that is gone, or a place that is not known, gives no card and no failure."""
    assert list(lint()(sheet(place, trace=trace()))) == []


def test_a_rule_without_a_safe_fix_warns() -> None:
    """Where no change is safe in every case, there is a warning with its lines, and no diff."""
    text = "import asyncio\n\n\nasync def pay(order):\n    asyncio.create_task(send(order))\n"
    place = Place("shop/rates.py", 5, "pay", LineSpan(4, 5), 1.0, "")
    (one,) = lint()(sheet(place, trace=trace("RuntimeError", "Task exception was never retrieved"), text=text))

    assert isinstance(one, Warned)
    assert one.lines == LineSpan(5, 5)
    assert one.evidence == ("rule/py-task-not-kept",)


def test_few_cards_are_shown_and_none_twice_for_the_same_lines() -> None:
    """Ten of the same mistake give two cards; cards of one function are about different lines."""
    lines = "\n".join(f"    requests.get(urls[{number}])" for number in range(10))
    text = f"import requests\n\n\ndef warm(urls):\n{lines}\n"
    place = Place("shop/rates.py", 6, "warm", LineSpan(4, 14), 1.0, "")
    shown = proposals(sheet(place, trace=trace(), text=text))

    assert len(shown) == 2
    assert len({one.lines for one in shown}) == 2
    assert shown[0].lines == LineSpan(6, 6)


def test_ruff_gives_cards_with_its_fixes() -> None:
    """What ruff knows and the packs do not is a card in our words, with ruff's fix."""
    text = "def collect(order, seen=[]):\n    seen.append(order)\n    return seen\n"
    place = Place("shop/rates.py", 2, "collect", LineSpan(1, 3), 1.0, "")
    (one,) = proposals(sheet(place, trace=trace("IntegrityError", "duplicate key"), text=text), RuffLinter())

    assert one.rule == "ruff-B006"
    assert one.edit.text is not None
    assert "seen=None" in one.edit.text
    assert "ruff says" in one.why


def test_a_linter_that_cannot_run_takes_nothing_from_the_others() -> None:
    """The rules of the packs answer as well without ruff."""
    made = sheet(FAILED, trace=trace())

    assert proposals(made, RuffLinter(program="no-such-program")) == proposals(made)


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("requests.exceptions.ReadTimeout", "Read timed out.", ErrorKind.TIMEOUT),
        ("ConnectionResetError", "[Errno 104] Connection reset by peer", ErrorKind.CONNECTION),
        ("sqlalchemy.exc.TimeoutError", "QueuePool limit of size 5 overflow 10 reached", ErrorKind.POOL),
        ("OSError", "[Errno 24] Too many open files", ErrorKind.LEAK),
        ("psycopg.errors.DeadlockDetected", "deadlock detected", ErrorKind.DEADLOCK),
        ("fatal error", "all goroutines are asleep - deadlock!", ErrorKind.DEADLOCK),
        ("MemoryError", "", ErrorKind.MEMORY),
        ("RuntimeError", "dictionary changed size during iteration", ErrorKind.DATA),
        ("TypeError", "Cannot read properties of undefined", ErrorKind.CRASH),
        ("RuntimeWarning", "coroutine 'save' was never awaited", ErrorKind.STALLED),
        ("HTTPError", "429 Client Error: Too Many Requests", ErrorKind.OVERLOAD),
    ],
)
def test_errors_have_kinds(kind: str, message: str, expected: ErrorKind) -> None:
    """What was raised tells what the incident is about."""
    assert expected in kinds_of(trace(kind, message))


def test_words_inside_other_words_are_no_kind() -> None:
    """A change is not something that hangs, and a spool is no pool."""
    assert kinds_of(None, ["the change was annulled, spooler exchanged"]) == frozenset()


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", LineSpan(2, 2)),
        ("a\nb\nc\n", "a\nc\n", LineSpan(2, 2)),
        ("a\nb\n", "a\nx\nb\n", LineSpan(1, 1)),
        ("a\n", "x\na\n", LineSpan(1, 1)),
    ],
    ids=["changed", "removed", "added", "added first"],
)
def test_the_lines_of_a_change_are_those_that_differ(before: str, after: str, lines: LineSpan) -> None:
    """A change names the lines of the file as it is that it is about."""
    assert changed(before, after) == lines
