"""What the command line says when something is wrong, and what it leaves behind when it is part of a script."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from hindcast import build, cli
from hindcast.cli import failure, reference
from hindcast.model import errors
from hindcast.model.errors import HindcastError

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from hindcast.cli import main; main()"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place without any settings of the machine's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "HINDCAST_SPACE", "HINDCAST_DEBUG", "HINDCAST_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"STORE": str(tmp_path / "memory"), "MODEL": "none", "ACTOR": "ana"}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and stderr of one command line."""
    capsys.readouterr()
    code = cli.run(list(words))
    return code, capsys.readouterr().err


def test_every_error_has_an_exit_code_of_its_own() -> None:
    """The table knows every kind of error, no two share a code, and the page lists them all."""
    # A narrower kind asks for the same next step, so it shares the code of the kind that it belongs to.
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and HindcastError in kind.__bases__}

    assert set(failure.EXIT_CODES) == kinds
    assert len(set(failure.EXIT_CODES.values())) == len(failure.EXIT_CODES)
    named = {name: code for code, name, _ in failure.MEANINGS if name}
    assert named == {kind.__name__: code for kind, code in failure.EXIT_CODES.items()}


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["put", "nowhere", "1", "-m", "w"], 2, "is not an address"),
        (["put", "a/b..c", "1", "-m", "w"], 2, "a segment is empty"),
        (["put", "a/b", "1", "-m", " "], 2, "says why"),
        (["put", "a/b", "1", "-m", "w", "--kind", "Not A Kind"], 2, "is not a kind"),
        (["put", "a/b", "1", "-m", "w", "--occurred", "soon"], 2, "is not a time"),
        (["put", "a/b", "1", "-m", "w", "--entry", "no entry"], 2, "is not an entry name"),
        (["put", "a/b#x", "1", "-m", "w", "--entry", "y"], 2, "Two entries"),
        (["add", "a/b#x", "1", "-m", "w"], 2, "names an entry"),
        (["put", "a/b", "-m", "w"], 2, "Nothing was given"),
        (["put", "a/b", "1", "--file", "f", "-m", "w"], 2, "given twice"),
        (["put", "a/b", "--file", "nowhere.json", "-m", "w"], 3, "There is no file"),
        (["put", "a/b", '{"a": 1, "a": 2}', "-m", "w"], 2, "has 'a' twice"),
        (["put", "a/b", "NaN", "-m", "w"], 2, "NaN is not a JSON number"),
        (["put", "a/b", "[" * 100_000, "-m", "w"], 2, "nested too deeply"),
        (["put", "a/b", "123456789012345678901234567890", "-m", "w"], 2, "not JSON"),
        (["put", "a/b", '"' + "x" * 1_000_001 + '"', "-m", "w"], 5, "bytes"),
        (["put", "a/b", "1", "-m", "w", "--branch", "nowhere"], 3, "no branch 'nowhere'"),
        (["put", "a/b", "1", "-m", "w", "--space", "NOT A SPACE"], 2, "is not a space"),
        (["put", "a/b", "1"], 2, "--why"),
        (["get", "a/b"], 3, "There is no memory"),
        (["lst"], 2, "Did you mean 'list'"),
        (["list", "--wat"], 2, "--wat"),
        (["list", "--limit", "many"], 2, "--limit"),
    ],
)
def test_bad_input_says_what_to_do(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, problem: str
) -> None:
    """Each mistake exits with the code of its kind and says in two lines what is wrong and what to do."""
    exit_code, said = told(capsys, "memory", *words)

    assert exit_code == code
    assert problem in said
    assert len(said.splitlines()) == 2
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["get", "a/none"], 3),
        (["get", "a/x", "--at", "whenever"], 3),
        (["get", "a/x", "--at", "abcdef"], 3),
        (["get", "a/x", "--branch", "none"], 3),
        (["list", "--limit", "99999999"], 5),
        (["list", "--prefix", "x"], 2),
        (["list", "a/x", "--prefix", "x"], 2),
        (["search", " "], 2),
        (["search", "x", "--arm", "nose"], 2),
        (["retract", "a/none", "-m", "w"], 3),
        (["put", "a/x", "2", "-m", "w", "--expect", "main"], 2),
        (["history", "a/none"], 3),
        (["diff", "whenever"], 3),
    ],
)
def test_a_question_that_cannot_be_answered_has_its_code(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int
) -> None:
    """Where there is a memory, what is missing, malformed or too much is told apart."""
    assert cli.run(["memory", "put", "a/x", "1", "-m", "w"]) == 0

    assert told(capsys, "memory", *words)[0] == code


def test_malformed_json_is_shown_how_to_quote(capsys: pytest.CaptureFixture[str]) -> None:
    """A body that is not JSON is named by line and column, with the quotes that it needs."""
    assert told(capsys, "memory", "put", "a/b", "dark", "-m", "w") == (
        2,
        "body: The body is not JSON: Expecting value at line 1, column 1.\nTo remember it as text, write '\"dark\"'.\n",
    )
    _, said = told(capsys, "memory", "put", "a/b", '{\n "a": 1,\n b}', "-m", "w")
    assert "at line 3, column 2." in said
    assert """'{"theme": "dark"}'""" in said


def test_a_branch_that_moved_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    """Writing on a head that is no longer there exits with 4 and writes nothing."""
    assert told(capsys, "memory", "put", "a/x", "1", "-m", "w")[0] == 0
    cli.run(["memory", "log", "--json"])
    head = json.loads(capsys.readouterr().out)["commits"][0]["id"]
    assert told(capsys, "memory", "put", "a/x", "2", "-m", "w", "--expect", head[:12])[0] == 0

    code, said = told(capsys, "memory", "put", "a/x", "3", "-m", "w", "--expect", head[:12])
    assert code == 4
    assert "has moved" in said
    assert cli.run(["memory", "get", "a/x", "--body"]) == 0
    assert capsys.readouterr().out == "2\n"


def test_bad_days_are_told_apart(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    """A place that cannot be, a file that is no database, and a newer schema each have their code and their remedy."""
    (place / "file").write_text("not a folder")
    assert told(capsys, "memory", "put", "a/x", "1", "-m", "w", "--store", str(place / "file" / "inside"))[0] == 6
    (place / "broken").mkdir()
    (place / "broken" / "local.db").write_bytes(b"not a database at all" * 100)
    code, said = told(capsys, "memory", "list", "--store", "broken")
    assert (code, "restore a copy" in said) == (7, True)
    assert cli.run(["memory", "put", "a/x", "1", "-m", "w"]) == 0
    file = sqlite3.connect(place / "memory" / "local.db")
    file.execute("PRAGMA user_version = 999")
    file.close()
    code, said = told(capsys, "memory", "list")
    assert (code, "newer Hindcast" in said) == (5, True)


def test_errors_are_json_for_those_who_want_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json an error is one document on stderr, wherever the option stands and whatever went wrong."""
    for words in (["--json", "memory", "get", "a/b"], ["memory", "get", "a/b", "--json"]):
        code, said = told(capsys, *words)
        error = json.loads(said)["error"]
        assert (code, error["kind"], error["exit_code"]) == (3, "Missing", 3)
        assert set(error) == {"kind", "problem", "remedy", "field", "exit_code"}
    code, said = told(capsys, "memory", "nothing", "--json")
    assert (code, json.loads(said)["error"]["kind"]) == (2, "Malformed")


def test_a_bug_is_short_unless_somebody_looks_for_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody expected exits with 70 and two lines; HINDCAST_DEBUG=1 adds the traceback."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(build, "open_memory", fail)
    code, said = told(capsys, "memory", "list")
    assert code == 70
    assert "ZeroDivisionError: oops" in said
    assert "HINDCAST_DEBUG=1" in said
    assert "Traceback" not in said

    monkeypatch.setenv("HINDCAST_DEBUG", "1")
    assert "Traceback" in told(capsys, "memory", "list")[1]


def test_ctrl_c_exits_with_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption is quiet and has the code that shells expect."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "open_memory", interrupt)

    assert told(capsys, "memory", "list") == (failure.INTERRUPTED, "")


def test_remembered_text_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes and direction marks in reasons, texts and bodies are shown as codes, and markup as it was written."""
    nasty = "\x1b[2Jboo \u202e [bold]not bold[/bold] :smile:"
    assert cli.run(["memory", "put", "a/x", json.dumps({"n": nasty}), "-m", nasty, "--text", nasty]) == 0

    for words in (
        ["log"],
        ["log", "--graph"],
        ["show", "main"],
        ["get", "a/x"],
        ["list"],
        ["blame", "a/x"],
        ["status"],
    ):
        capsys.readouterr()
        assert cli.run(["memory", *words]) == 0
        shown = capsys.readouterr().out
        assert "\x1b" not in shown, words
        assert "\u202e" not in shown, words
        assert "[bold]not" in shown, words


def test_colours_are_for_terminals(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gets plain lines without padding; a terminal gets colours unless it says no."""
    assert cli.run(["memory", "put", "a/x", '{"n": 1}', "-m", "w"]) == 0

    def shown(*words: str) -> str:
        capsys.readouterr()
        assert cli.run(["memory", "log", *words]) == 0
        return capsys.readouterr().out

    assert "\x1b" not in shown()
    assert all(line == line.rstrip() for line in shown().splitlines())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in shown()
    assert "\x1b" not in shown("--no-color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown()


def test_settings_may_stand_before_or_after_the_command(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    """Store, space, actor and config mean the same ahead of the command and behind it; the nearer one wins."""
    (place / "settings.toml").write_text('space = "from-file"\n')
    assert cli.run(["--space", "one", "--actor", "bo", "memory", "put", "a/x", "1", "-m", "w"]) == 0
    assert cli.run(["--space", "two", "memory", "get", "a/x", "--space", "one"]) == 0
    assert " by bo" in capsys.readouterr().out
    assert cli.run(["memory", "put", "a/x", "1", "-m", "w", "--config", "settings.toml"]) == 0
    assert (place / "memory" / "from-file.db").exists()
    assert told(capsys, "--config", "gone.toml", "memory", "list")[0] == 3


# As a process of its own


def test_help_is_quick_because_it_loads_little(source_environment: Mapping[str, str]) -> None:
    """Help imports no database, index, model or number crunching."""
    script = (
        "import sys, hindcast.cli; hindcast.cli.run(['memory', '--help']);"
        "print([name for name in ('sqlalchemy', 'numpy', 'tantivy', 'onnxruntime', 'httpx') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], env=source_environment, capture_output=True, check=True)

    assert ran.stdout.decode().splitlines()[-1] == "[]"


def test_help_teaches_a_newcomer(capsys: pytest.CaptureFixture[str]) -> None:
    """The help of memory opens with what it is, groups the commands, and ends with a walk through them."""
    assert cli.run(["memory", "--help"]) == 0
    shown = capsys.readouterr().out

    places = [shown.index(part) for part in ("A record lives at an address", "Remember", "Look", "Go back in time")]
    places += [shown.index(part) for part in ("Branch and merge", "Keep", "A first walk", "hindcast memory put")]
    assert places == sorted(places)
    assert cli.run([]) == cli.run(["memory"]) == 0


def test_a_reader_that_has_seen_enough_is_no_error(source_environment: Mapping[str, str]) -> None:
    """A closed pipe ends the command quietly."""
    lines = "".join(f'{{"address": "a/x{n}", "body": "{"x" * 200}"}}\n' for n in range(1_000))
    put = [*COMMAND, "memory", "commit", "-m", "many"]
    subprocess.run(put, input=lines.encode(), env=source_environment, check=True, capture_output=True)

    for words in (["export"], ["list", "--limit", "1000", "--json"], ["list", "--limit", "1000"]):
        process = subprocess.Popen(
            [*COMMAND, "memory", *words], env=source_environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read().decode()
        process.stderr.close()
        process.wait()
        assert "Traceback" not in said, words
        assert "Broken" not in said, words


def test_an_interrupted_process_is_quiet(source_environment: Mapping[str, str]) -> None:
    """Ctrl-C while a body is being typed exits with 130 and without a traceback."""
    process = subprocess.Popen(
        [*COMMAND, "memory", "put", "a/x", "-", "-m", "w"],
        env=source_environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    # More than a pipe holds: writing it all means that somebody has begun to read.
    feeder = threading.Thread(target=lambda: process.stdin.write(b" " * 200_000), daemon=True)  # type: ignore[union-attr]
    feeder.start()
    feeder.join(timeout=60)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)

    assert process.returncode == failure.INTERRUPTED
    assert b"Traceback" not in said


def test_a_shell_completes_names(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """After a Tab the shell is offered branches, snapshots, namespaces and addresses that exist, and never an error."""
    for words in ("put payments/pool 1 -m w", "put auth/ttl 1 -m w", "branch create fix", "snapshot create good"):
        assert cli.run(["memory", *words.split()]) == 0

    def offered(words: str) -> set[str]:
        monkeypatch.setenv("_HINDCAST_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", f"hindcast memory {words}")
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) + 1))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.run([])
        told = capsys.readouterr()
        assert (ended.value.code, told.err) == (0, "")
        return set(told.out.split())

    assert offered("merge ") == {"main", "fix", "good"}
    assert offered("list --at g") == {"good"}
    assert offered("put a/x 1 --branch ") == {"main", "fix"}
    assert offered("list -n ") == {"payments", "auth"}
    assert offered("get pay") == {"payments/"}
    assert offered("get payments/") == {"payments/pool"}
    assert offered("merge --store nowhere ") == set()
    assert offered("snap") == {"snapshot", "snapshots"}


def test_the_reference_is_what_the_code_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/reference/cli.md is generated, complete and up to date, however wide the terminal is."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "40")

    assert reference.main(["--check"]) == 0


def test_a_stale_reference_is_noticed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that differs from the code fails the check, and writing it mends it."""
    assert reference.main(["--check"]) == 1
    assert "make generate" in capsys.readouterr().err
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    assert "hindcast memory bisect" in (place / reference.PAGE).read_text()
