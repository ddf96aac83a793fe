"""`hindcast recall`, as somebody at a keyboard and as a script sees it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.keyboard import Said, typed

from hindcast import cli
from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.cli import session
from hindcast.clues import clues_of
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, CaseState, Cause, Outcome, Resolution

START = datetime(2026, 11, 16, 2, tzinfo=UTC)
TRACE = """Traceback (most recent call last):
  File "worker/tasks.py", line 88, in run_task
    conn = pool.take(timeout=5)
  File "worker/pool.py", line 31, in take
    raise PoolEmpty("no connection left for order 8812")
worker.pool.PoolEmpty: no connection left for order 8812
"""
SYMPTOM = "worker.pool.PoolEmpty: no connection left for order 4711"


def pool_case() -> Case:
    """A case of six weeks ago about a pool that ran dry."""
    stack = TRACE.replace("8812", "4711")
    return Case(
        id="pool-empty",
        title="Payment workers find the connection pool empty",
        occurred_at=START - timedelta(weeks=6),
        state=CaseState.RESOLVED,
        services=("payment",),
        components=("redis",),
        symptoms=(SYMPTOM, "checkout shows a spinner for ever"),
        stack=stack,
        clues=clues_of(SYMPTOM, stack=stack),
        cause=Cause("Tasks that fail never give their connection back.", by="ana"),
        attempts=(
            Attempt("a1", "raised the pool size to 200", Outcome.MADE_WORSE, by="bo"),
            Attempt("a2", "restarted the workers", Outcome.NO_EFFECT),
        ),
        resolution=Resolution("Release the connection in a finally block", by="ana", command="make deploy"),
        minutes=34.0,
    )


def other_case() -> Case:
    """A case about something else entirely."""
    symptom = "x509: certificate has expired or is not yet valid"
    return Case(
        id="mail-cert",
        title="Nobody can send mail",
        occurred_at=START - timedelta(weeks=20),
        state=CaseState.RESOLVED,
        services=("notification",),
        symptoms=(symptom,),
        clues=clues_of(symptom),
        cause=Cause("The certificate of the mail relay had expired."),
        resolution=Resolution("Renewed the certificate", by="cy"),
    )


@dataclass
class Keyboard:
    """Types command lines."""

    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    def __call__(self, line: str, *more: str, stdin: str | bytes = b"") -> Said:
        """Run `hindcast recall LINE`; further words are taken as they are."""
        return typed(["recall", *shlex.split(line), *more], self.capture, self.patch, stdin=stdin)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that holds two cases and has no model."""
    clock = ManualClock(START - timedelta(days=1))
    made = open_memory(Settings(store=str(tmp_path / "memory"), space="team", model="none"), create=True, clock=clock)
    Casebook(made).put_many((pool_case(), other_case()), actor="ana", why="What we know")
    yield made
    made.close()


@pytest.fixture
def recall(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Keyboard:
    """That memory, at two in the morning."""
    monkeypatch.setattr(session, "clock", ManualClock(START))
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "HINDCAST_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"STORE": str(tmp_path / "memory"), "MODEL": "none", "SPACE": "team"}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)
    return Keyboard(capsys, monkeypatch)


def test_an_error_is_answered_on_one_screen(recall: Keyboard) -> None:
    """The raw error gets cause, fix, what not to try, who, how long, and evidence, in at most 40 lines."""
    said = recall("-", stdin=TRACE)
    lines = said.out.splitlines()

    assert said.code == 0, said.err
    assert len(lines) <= 40
    assert max(map(cell_len, lines)) <= 100
    assert "Your team hit this 6 weeks ago" in said.out
    for part in (
        "Tasks that fail never give their connection back.",
        "✓ Release the connection in a finally block",
        "DON'T TRY   ✗ raised the pool size to 200: made it worse 1 of 1",
        "ana: fixed it and found the cause",
        "34 minutes",
        "cases/pool-empty@",
    ):
        assert part in said.out


def test_a_script_reads_the_whole_answer(recall: Keyboard) -> None:
    """`--json` and `--format json` print the same document, with a version for every piece of evidence."""
    document = recall("- --json", stdin=TRACE).document

    assert document == recall("- --format json", stdin=TRACE).document
    assert document["familiarity"] == "seen before"
    assert document["case"] == "pool-empty"
    assert [fix["action"] for fix in document["fixes"]] == ["Release the connection in a finally block"]
    assert document["avoid"][0]["made_worse"] == 1
    assert document["cause"]["evidence"][0].startswith("cases/pool-empty@")
    assert "explained" not in document


def test_the_words_of_an_error_need_no_quotes(recall: Keyboard) -> None:
    """Whoever forgets the quotes is understood."""
    quoted = recall("--json", "PoolEmpty: no connection left").document
    bare = recall("PoolEmpty: no connection left --json").document

    assert quoted["asked"] == bare["asked"] == "PoolEmpty: no connection left"


def test_what_was_never_seen_is_said_so(recall: Keyboard) -> None:
    """A failure that nobody has met gets no fix, and no exit code of its own."""
    said = recall("'segmentation fault in the label printer firmware'")

    assert said.code == 0
    assert said.out.startswith("NOT SEEN BEFORE")
    assert "✓" not in said.out
    assert recall("--json", "segmentation fault in the label printer firmware").document["fixes"] == []


def test_every_hit_can_be_explained(recall: Keyboard) -> None:
    """`--explain` shows how the question was read, and for each case the arms' places, features and reasons."""
    said = recall("- --explain", stdin=TRACE)
    document = recall("- --explain --json", stdin=TRACE).document["explained"]

    for part in ("read as      trace", "frames", "PoolEmpty", "keys #1", "features", "for it"):
        assert part in said.out
    assert document["remembered"][0]["ranks"]["keys"]["place"] == 1
    assert document["remembered"][0]["features"]


def test_an_answer_is_written_as_markdown(recall: Keyboard) -> None:
    """A document for a ticket holds the same answer, and the trace when it is asked for."""
    text = recall("- --format markdown", stdin=TRACE).out

    assert text.startswith("## Seen before")
    assert "### Don't try" in text
    assert "```sh\n  make deploy\n  ```" in text
    assert "What came to mind" in recall("- --format markdown --explain", stdin=TRACE).out


def test_an_answer_fits_a_token_budget(recall: Keyboard) -> None:
    """`--tokens` packs the answer for a model: the fix first, evidence kept, what is left out named."""
    said = recall("- --tokens 120", stdin=TRACE)
    document = recall("- --tokens 120 --json", stdin=TRACE).document

    assert said.out.strip() == document["text"]
    assert document["tokens"] <= document["tokens_max"] == 120
    assert 'Fix: "Release the connection in a finally block"' in said.out
    assert document["evidence"][0].startswith("cases/pool-empty@")
    assert document["left_out"]


def test_an_incident_asks_about_itself(recall: Keyboard, memory: Memory) -> None:
    """An incident under way finds what is like it, and not itself."""
    now = replace(
        pool_case(), id="inc-now", occurred_at=START, state=CaseState.OPEN, resolution=None, cause=None, attempts=()
    )
    Casebook(memory).put(now, actor="ana", why="It is back")
    document = recall("--incident inc-now --json").document

    assert document["case"] == "pool-empty"
    assert "--incident inc-now" in document["next_steps"][-1]["text"]


def test_memory_answers_as_of_a_moment(recall: Keyboard, memory: Memory) -> None:
    """Before a case was remembered it is not known, and ages are counted from the moment asked about."""
    later = replace(pool_case(), cause=Cause("Something nobody knew then."))
    before = memory.log()[0].id
    Casebook(memory).put(later, actor="ana", why="Found out")

    assert recall("- --json", stdin=TRACE).document["cause"]["text"] == "Something nobody knew then."
    assert recall(f"- --json --at {before}", stdin=TRACE).document["cause"]["text"].startswith("Tasks that fail")
    assert recall("- --json --at '3 days ago'", stdin=TRACE).document["familiarity"] == "not seen before"


def test_what_another_space_shares_is_told_as_theirs(recall: Keyboard, tmp_path: Path) -> None:
    """Only after both sides agree does the other space's case come, and it is cited with its space."""
    ours = open_memory(Settings(store=str(tmp_path / "memory"), space="shop", model="none"), create=True)
    Casebook(ours).put(other_case(), actor="bo", why="What we know")
    ours.close()
    asked = f"redis is slow\n{TRACE}"

    assert recall("- --space shop --json", stdin=asked).document["fixes"] == []
    for line in ("share give redis --to shop --space team", "share take redis --from team --space shop"):
        assert cli.run(shlex.split(line)) == 0
    shared = recall("- --space shop --json", stdin=asked).document
    assert shared["case"] == "team:pool-empty"
    assert shared["headline"].startswith("team hit this 6 weeks ago")
    assert shared["fixes"][0]["evidence"][0].startswith("team:cases/pool-empty@")


def test_a_log_of_megabytes_is_read_for_what_matters(recall: Keyboard) -> None:
    """Of five megabytes the lines worth reading are chosen, and the answer says so."""
    noise = "".join(f"2026-11-16T01:{n % 60:02}:00 INFO served /cart/{n} in 12 ms\n" for n in range(100_000))
    document = recall("- --json", stdin=noise + TRACE).document

    assert len(noise) > 4_000_000
    assert document["case"] == "pool-empty"
    assert any("lines" in note and "were read" in note for note in document["notes"])
    assert len(document["asked"]) < 10_000


def test_a_log_of_windows_is_read(recall: Keyboard) -> None:
    """UTF-16, as Windows writes it, is text like any other."""
    assert recall("- --json", stdin=TRACE.encode("utf-16")).document["case"] == "pool-empty"


@pytest.mark.parametrize(
    ("line", "stdin", "code", "said"),
    [
        ("", b"", 2, "Nothing was asked."),
        ("-", b"", 2, "There is nothing to ask about."),
        ("''", b"", 2, "There is nothing to ask about."),
        ("' \t\n'", b"", 2, "There is nothing to ask about."),
        ("-", bytes(range(256)) * 50, 2, "This is not text."),
        ("text --incident pool-empty", b"", 2, "A text and an incident were given."),
        ("--incident nobody-knows", b"", 3, "nobody-knows"),
        ("text --tokens 10", b"", 2, "at least 60"),
        ("text --at nowhere-at-all", b"", 3, ""),
        ("text --format pdf", b"", 2, ""),
        ("text --hits 0", b"", 2, ""),
    ],
)
def test_bad_input_is_answered_with_a_remedy(recall: Keyboard, line: str, stdin: bytes, code: int, said: str) -> None:
    """What cannot be asked says why and what to do, and prints no answer."""
    got = recall(line, stdin=stdin)

    assert (got.code, got.out) == (code, "")
    assert said in got.err


def test_asking_leaves_no_trace_in_memory(recall: Keyboard, memory: Memory) -> None:
    """A question is never remembered, and so an answer can never become evidence for itself."""
    before = memory.log()[0].id
    for line in ("-", "- --explain", "- --tokens 100", "- --format markdown"):
        assert recall(line, stdin=TRACE).code == 0

    assert memory.log()[0].id == before
    assert memory.verify().faults == ()


def test_remembered_text_cannot_drive_the_terminal(recall: Keyboard, memory: Memory) -> None:
    """Escape sequences in a case are shown as their codes, in every format for people."""
    nasty = replace(pool_case(), cause=Cause("\x1b[2Jgone \u202e backwards"), title="\x1b]0;title\x07 pool empty")
    Casebook(memory).put(nasty, actor="mallory", why="Fun")

    for line in ("- --explain", "- --format markdown --explain", "- --tokens 300"):
        out = recall(line, stdin=TRACE).out
        assert "gone" in out
        assert not any(char in out for char in "\x1b\x07\u202e")


def test_whoever_reads_a_terminal_is_told_how_to_answer_back(recall: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an answer on a terminal a quiet line says how to call it right or wrong; a pipe gets none."""
    piped = recall("-", stdin=TRACE)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    shown = recall("-", stdin=TRACE)

    assert "--right, or --wrong" not in piped.err
    assert "--right, or --wrong" in shown.err
    for said in (piped, shown):
        assert re.search(r"  hindcast .*incident verdict pool-empty --right --for '", said.out.splitlines()[-1])
