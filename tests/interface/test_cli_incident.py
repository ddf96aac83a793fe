"""`hindcast incident`, as somebody at a keyboard and as a script sees it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from rich.cells import cell_len
from tests.keyboard import Said, typed
from tests.serving import free_port

from hindcast import cli
from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.cli import session
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.case import Case, Outcome, from_json
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState
from hindcast.model.signal import Severity
from hindcast.register import Register

START = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
POOL = Case(
    "redis-pool",
    "payment workers: redis resets connections",
    START - timedelta(minutes=30),
    services=("payment", "auth"),
    symptoms=("ConnectionResetError: [Errno 104] Connection reset by peer",),
    source="markdown",
)


@dataclass(frozen=True)
class Told(Said):
    """What a command left behind that answers with a case."""

    @property
    def case(self) -> Case:
        """The case that a command answers with."""
        return from_json(self.document["case"])


@dataclass
class Keyboard:
    """Types command lines, a minute after the other."""

    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    clock: ManualClock
    folder: Path

    def __call__(self, line: str, *, stdin: str = "", terminal: bool = False) -> Told:
        """Run `hindcast incident LINE`."""
        self.clock.move(timedelta(minutes=1))
        said = typed([GROUP, *shlex.split(line)], self.capture, self.patch, stdin=stdin, terminal=terminal)
        return Told(said.code, said.out, said.err)

    def ok(self, line: str, *, stdin: str = "", terminal: bool = False) -> Told:
        """A command that has to work."""
        said = self(line, stdin=stdin, terminal=terminal)
        assert said.code == 0, said.err
        return said

    def json(self, line: str, *, stdin: str = "") -> Told:
        """A command that has to work and answers with a document."""
        return self.ok(f"{line} --json", stdin=stdin)

    def memory(self) -> Memory:
        """The memory behind the commands."""
        return open_memory(Settings(store=str(self.folder), space="shop", actor="ana", model="none"), clock=self.clock)


GROUP = "incident"


@pytest.fixture
def hindcast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Keyboard:
    """A place with one imported case, a clock that moves a minute with each command, and nothing that listens."""
    clock = ManualClock(START)
    monkeypatch.setattr(session, "clock", clock)
    for name, value in {
        "HINDCAST_STORE": str(tmp_path / "store"),
        "HINDCAST_SPACE": "shop",
        "HINDCAST_ACTOR": "ana",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": str(tmp_path / "none.toml"),
        "HINDCAST_PORT": str(free_port()),
        "COLUMNS": "160",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "none.toml").write_text("")
    keyboard = Keyboard(capsys, monkeypatch, clock, tmp_path / "store")
    memory = keyboard.memory()
    Casebook(memory).put(POOL, actor="import", why="imported")
    memory.close()
    return keyboard


def detected(hindcast: Keyboard, state: IncidentState = IncidentState.OPEN) -> Incident:
    """An incident that detection wrote."""
    finding = Finding("shop", "search", Rule.FIXED, START, START, value=132, expected=1, limit=100)
    affected = Affected("search", START, START, errors=132, peak=132)
    made = Incident(
        "inc-live", "shop", "search: 132 errors", state, finding, (affected,), START, START, START, Severity.MAJOR
    )  # fmt: skip
    memory = hindcast.memory()
    Register(lambda _, **_create: memory).remember(Event(EventKind.OPENED, START, made, "132 errors"))
    memory.close()
    return made


def test_an_open_incident_is_acknowledged(hindcast: Keyboard) -> None:
    """Who acknowledges it is its owner until somebody else is named, and everybody is shown who that is."""
    detected(hindcast)

    assert hindcast.ok("ack inc-live").out.strip() == "ana works on inc-live."
    owner = hindcast.json("ack inc-live --by priya").case.acknowledged
    assert owner is not None
    assert owner.by == "priya"
    shown = hindcast.ok("show inc-live").out
    assert re.search(r"Owner\s+priya, since 2026-11-15 02:05 UTC", shown)
    hindcast.ok("resolve redis-pool --fix released")
    assert "redis-pool is resolved." in hindcast("ack redis-pool").err


def test_incidents_and_cases_are_one_list(hindcast: Keyboard) -> None:
    """What was detected and what was imported stand in one list, the newest first, each once."""
    detected(hindcast)

    lines = hindcast.ok("list").out.splitlines()
    assert [line.split()[0] for line in lines] == ["incident", "inc-live", "redis-pool"]
    document = hindcast.json("list").document
    assert [one["id"] for one in document["incidents"]] == ["inc-live"]
    assert [one["id"] for one in document["cases"]] == ["inc-live", "redis-pool"]


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ("--state open", ["inc-live", "redis-pool"]),
        ("--state resolved --state OPEN", ["inc-live", "redis-pool"]),
        ("--state resolved", []),
        ("--severity major", ["inc-live"]),
        ("--service auth", ["redis-pool"]),
        ("--text 'redis CONNECTIONS'", ["redis-pool"]),
        ("--limit 1", ["inc-live"]),
    ],
)
def test_the_list_is_narrowed(hindcast: Keyboard, asked: str, ids: list[str]) -> None:
    """By state, severity, service and words, each as it is shown; and the document says the same."""
    detected(hindcast)

    lines = hindcast.ok(f"list {asked}").out.splitlines()
    document = hindcast.json(f"list {asked}").document

    assert [line.split()[0] for line in lines] == (["incident", *ids] if ids else [])
    listed = {one["id"] for one in (*document["incidents"], *document["cases"])}
    assert listed == set(ids)


def test_a_list_that_goes_on_says_so(hindcast: Keyboard) -> None:
    """What the limit cut is not passed over in silence, and neither is a list with nothing in it."""
    detected(hindcast)

    assert "There are more: --limit 2 shows them." in hindcast.ok("list --limit 1").err
    assert "There are more" not in hindcast.ok("list").err
    assert "No such incident. Ask for less" in hindcast.ok("list --service nobody").err


def test_the_list_of_a_past_moment(hindcast: Keyboard) -> None:
    """With --at the list is what was known then."""
    before = hindcast.clock.now()
    hindcast.clock.move(timedelta(minutes=1))
    detected(hindcast)

    then = [line.split()[0] for line in hindcast.ok(f"list --at {before:%Y-%m-%dT%H:%M:%SZ}").out.splitlines()]
    assert then == ["incident", "redis-pool"]
    assert [one["id"] for one in hindcast.json(f"list --at {before:%Y-%m-%dT%H:%M:%SZ}").document["cases"]] == [
        "redis-pool"
    ]


@pytest.mark.parametrize(
    ("asked", "field", "remedy"),
    [
        ("--state nope", "--state", "open, awaiting, resolved"),
        ("--severity bad", "--severity", "critical, major, minor"),
        ("--days 3 --at yesterday", "--days", "Leave --days out"),
    ],
)
def test_a_list_that_cannot_be_is_refused(hindcast: Keyboard, asked: str, field: str, remedy: str) -> None:
    """What nobody can mean names the option and what to say instead."""
    said = hindcast(f"list {asked}")

    assert said.code == 2
    assert field in said.err
    assert remedy in said.err


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120, 160, 240])
def test_the_list_fits_the_screen(hindcast: Keyboard, columns: int) -> None:
    """One line for an incident where there is room, else two; no id is cut, no line wider than it has to be."""
    title = "Verbindungen 接続 zu Redis brechen ab, " * 4
    memory = hindcast.memory()
    long = replace(POOL, id="past-redis-worker-pool-of-payments", title=title, attempts=())
    Casebook(memory).put(long, actor="import", why="imported")
    memory.close()
    hindcast.patch.setenv("COLUMNS", str(columns))

    lines = hindcast.ok("list").out.splitlines()

    assert sum(long.id in line for line in lines) == 1
    if columns >= 80:
        assert max(map(cell_len, lines)) <= columns
        assert len(lines) == (3 if columns >= 120 else 5)


def test_a_case_is_shown_with_what_is_missing(hindcast: Keyboard) -> None:
    """Whoever looks at a case sees what is known, what nobody has said, and the command that says it."""
    shown = hindcast.ok("show redis-pool").out

    assert "Connection reset by peer" in shown
    assert "the cause  hindcast incident resolve redis-pool --cause" in shown
    missing = hindcast.json("show redis-pool").document["missing"]
    assert [one["what"] for one in missing] == ["the cause", "what ended it", "what was tried"]


def test_the_story_of_an_incident_is_told_in_a_few_commands(hindcast: Keyboard) -> None:
    """Note, attempts, outcome and resolution make a complete case, and it is shown whole."""
    hindcast.ok("note redis-pool 'only in eu-west'")
    hindcast.ok("attempt redis-pool 'raised the pool to 200' --outcome made-worse --command 'kubectl set env' --by bo")
    hindcast.ok("attempt redis-pool 'restarted the workers'")
    hindcast.ok("attempt redis-pool --set a2 --outcome no-effect")
    case = hindcast.json(
        "resolve redis-pool --cause 'workers kept their connections' --fix 'release in the teardown' --minutes 34"
    ).case

    assert [(one.id, one.outcome, one.by) for one in case.attempts] == [
        ("a1", Outcome.MADE_WORSE, "bo"),
        ("a2", Outcome.NO_EFFECT, "ana"),
    ]
    assert (case.minutes_to_resolve, case.responders) == (34, ("bo", "ana"))
    shown = hindcast.ok("show redis-pool").out
    for words in (
        "✗ made worse  a1  raised the pool to 200 (bo)",
        "$ kubectl set env",
        "workers kept their connections (ana)",
        "release in the teardown (ana)",
        "ana: only in eu-west",
        "took 34 min",
    ):
        assert words in shown
    assert "Nobody has said yet" not in shown


def test_an_attempt_can_be_told_with_its_diff_and_its_time(hindcast: Keyboard, tmp_path: Path) -> None:
    """A diff comes from a file or a pipe, and an attempt may have been made earlier."""
    file = tmp_path / "fix.diff"
    file.write_text("-pool = 50\n+pool = 20\n")
    first = hindcast.json(f"attempt redis-pool 'capped the pool' --diff {file} --at 2026-11-15T01:50Z").case
    second = hindcast.json("attempt redis-pool 'set ttl' --diff - --setting 'ttl=60'", stdin="+ttl\n").case

    assert first.attempts[0].diff == "-pool = 50\n+pool = 20\n"
    assert first.attempts[0].at == datetime(2026, 11, 15, 1, 50, tzinfo=UTC)
    assert (second.attempts[1].diff, second.attempts[1].config) == ("+ttl\n", "ttl=60")


def test_nobody_knows_when_something_old_was_tried(hindcast: Keyboard) -> None:
    """What is told while an incident lasts was done now; what is told once it is over has no time unless it is said."""
    during = hindcast.json("attempt redis-pool 'restarted'").case.attempts[0]
    hindcast.ok("confirm redis-pool")
    later = hindcast.json("attempt redis-pool 'restarted again'").case.attempts[1]

    assert (during.at, later.at) == (START + timedelta(minutes=1), None)


def test_a_terminal_is_asked_for_what_is_worth_asking(hindcast: Keyboard) -> None:
    """On a terminal resolve asks why, what ended it and what made it worse, and not what is already known."""
    asked = hindcast.ok("resolve redis-pool", stdin="a leak\nreleased them\nraising the pool\n", terminal=True)
    assert re.findall(r"[A-Z][^?]*\?", asked.err) == [
        "Why did it happen?",
        "What ended it?",
        "Did anything make it worse?",
    ]
    case = hindcast.json("show redis-pool").case
    assert case.cause is not None
    assert case.resolution is not None
    assert (case.cause.text, case.resolution.text) == ("a leak", "released them")
    assert [(one.action, one.outcome) for one in case.attempts] == [("raising the pool", Outcome.MADE_WORSE)]

    again = hindcast.ok("resolve redis-pool --minutes 12", terminal=True)
    assert "?" not in again.err


@pytest.mark.parametrize(("answer", "cause"), [("y\n", "workers kept them"), ("n\na full disk\n", "a full disk")])
def test_the_cause_of_the_last_time_is_offered(hindcast: Keyboard, answer: str, cause: str) -> None:
    """When a failure is back, the cause that was found then is asked about by name; only a yes makes it this one's."""
    hindcast.ok("resolve redis-pool --cause 'workers kept them' --fix 'release them in the teardown'")
    memory = hindcast.memory()
    Casebook(memory).put(
        replace(POOL, id="redis-again", occurred_at=POOL.occurred_at + timedelta(hours=1)), actor="import", why="again"
    )
    memory.close()

    asked = hindcast.ok("resolve redis-again", stdin=f"{answer}released them\n\n", terminal=True)

    assert "Last time: workers kept them. (cases/redis-pool@" in asked.err
    case = hindcast.json("show redis-again").case
    assert case.cause is not None
    assert case.cause.text.rstrip(".") == cause


def test_a_pipe_is_never_asked(hindcast: Keyboard) -> None:
    """Without a terminal a resolution that says nothing is an error that names what to give, and nothing waits."""
    said = hindcast("resolve redis-pool")

    assert said.code != 0
    assert "--cause" in said.err
    assert hindcast.json("show redis-pool").case.resolution is None


def test_a_story_is_read_and_proposed(hindcast: Keyboard, tmp_path: Path) -> None:
    """Prose is read for attempts; without a terminal it is only proposed, and --yes takes it."""
    story = tmp_path / "story.txt"
    story.write_text("We raised the pool size to 200 but it made things worse. Rolled back the release, recovered.\n")

    proposed = hindcast.json(f"resolve redis-pool --from-text {story}").document
    assert proposed["written"] is False
    assert {one["outcome"] for one in proposed["proposed"]["sure"]} >= {"made worse", "worked"}
    assert hindcast.json("show redis-pool").case.attempts == ()

    assert hindcast("resolve redis-pool --from-text -", stdin="It was a dark night.").code != 0
    case = hindcast.json("resolve redis-pool --from-text - --yes --cause 'a leak'", stdin=story.read_text()).case
    assert Outcome.MADE_WORSE in [one.outcome for one in case.attempts]
    assert case.resolution is not None
    assert case.resolution.attempt, "the fix is the attempt that worked"


def test_secrets_are_taken_out_before_anything_is_stored(hindcast: Keyboard) -> None:
    """What people paste is redacted like everything that comes in."""
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    hindcast.ok(f"note redis-pool 'key was {secret}'")
    hindcast.ok(f"attempt redis-pool 'rotated' --command 'export KEY={secret}'")

    assert secret not in hindcast.ok("show redis-pool").out
    assert all(secret.encode() not in file.read_bytes() for file in hindcast.folder.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("show nothing", "nothing"),
        ("note redis-pool '  '", "text"),
        ("note nothing x", "hindcast incident list"),
        ("attempt redis-pool", "action"),
        ("attempt redis-pool --set a1 --outcome worked", "a1"),
        ("attempt redis-pool x --at 'next week'", "--at"),
        ("attempt redis-pool x --at 2030-01-01", "--at"),
        ("attempt redis-pool x --outcome great", "outcome"),
        ("attempt redis-pool x --diff nowhere.diff", "nowhere.diff"),
        ("resolve redis-pool --fix x --minutes -3", "minutes"),
        ("resolve redis-pool --attempt a7", "a7"),
        ("split redis-pool --services redis", "services"),
        ("split redis-pool --from-previous", "no earlier incident"),
        ("split redis-pool --from-previous --services auth", "--from-previous alone"),
        ("join redis-pool redis-pool", "itself"),
        ("verdict redis-pool --right --wrong --for x", "--right"),
        ("verdict redis-pool --right", "--for"),
        ("verdict nothing --right --for x", "nothing"),
        ("retire legacy --back", "not retired"),
    ],
)
def test_what_cannot_be_done_says_why(hindcast: Keyboard, line: str, words: str) -> None:
    """A mistake is named with its field and what to do about it, and changes nothing."""
    before = hindcast.json("show redis-pool").case
    said = hindcast(line)

    assert said.code != 0
    assert words in said.err
    assert "Traceback" not in said.err
    assert hindcast.json("show redis-pool").case == before


def test_what_nobody_watches_is_decided_in_memory(hindcast: Keyboard) -> None:
    """An imported incident can be confirmed, reopened and dismissed without a running Hindcast."""
    assert hindcast.json("confirm redis-pool").document["state"] == "resolved"
    assert "already resolved" in hindcast("confirm redis-pool").err
    assert hindcast.json("reopen redis-pool").document["state"] == "open"
    assert hindcast.json("dismiss redis-pool").document["state"] == "dismissed"


def test_what_is_watched_needs_whoever_watches(hindcast: Keyboard) -> None:
    """A live incident is not decided behind the back of whoever watches it."""
    detected(hindcast)

    said = hindcast("confirm inc-live")
    assert said.code != 0
    assert "hindcast serve" in said.err


def test_an_incident_is_shown_as_it_was_known_then(hindcast: Keyboard) -> None:
    """What was known at a moment can be read as long as anybody wants to know it."""
    commit = hindcast.memory().log()[0].id
    hindcast.ok("resolve redis-pool --cause 'a leak' --fix 'released'")

    assert hindcast.json(f"show redis-pool --at {commit}").case == POOL
    assert hindcast.json("show redis-pool").case.cause is not None
    assert "no incident 'redis-pool' at" in hindcast("show redis-pool --at 2020-01-01").err


def test_what_the_watcher_has_forgotten_is_decided_in_memory(hindcast: Keyboard) -> None:
    """An incident that whoever watches no longer knows of is decided here: incident and case, in one step."""
    detected(hindcast, IncidentState.AWAITING)
    unknown = httpx.Response(404, json={"error": "there is no incident inc-live"})
    hindcast.patch.setattr(httpx, "post", lambda *_, **__: unknown)

    assert hindcast.json("confirm inc-live").document["state"] == "resolved"
    shown = hindcast.json("show inc-live").document
    assert (shown["state"], shown["closed_by"], shown["case"]["state"]) == ("confirmed", "ana", "resolved")
    assert "already confirmed" in hindcast("dismiss inc-live").err
    assert hindcast.json("reopen inc-live").document["state"] == "open"


def test_what_the_watcher_refuses_is_told(hindcast: Keyboard) -> None:
    """A refusal of whoever watches is told in its words, and nothing is written."""
    detected(hindcast)
    refused = httpx.Response(409, json={"error": "inc-live is already confirmed"})
    hindcast.patch.setattr(httpx, "post", lambda *_, **__: refused)

    said = hindcast("confirm inc-live")
    assert said.code != 0
    assert "already confirmed" in said.err
    assert hindcast.json("show inc-live").document["state"] == "open"


def test_a_joined_incident_is_listed_as_joined(hindcast: Keyboard) -> None:
    """What detection made part of another incident is not called dismissed."""
    made = replace(detected(hindcast), state=IncidentState.JOINED, joined="redis-pool")
    memory = hindcast.memory()
    Register(lambda _, **_create: memory).remember(Event(EventKind.JOINED, START, made, "one outage"))
    memory.close()

    rows = [line.split()[:2] for line in hindcast.ok("list").out.splitlines()]
    assert ["inc-live", "joined"] in rows


def test_split_and_join_stick(hindcast: Keyboard) -> None:
    """Services can be taken out into a case of their own and put together again, with what was said meanwhile."""
    made = hindcast.json("split redis-pool --services auth --as auth-tokens").document
    assert (made["left"]["services"], made["new"]["services"]) == (["payment"], ["auth"])
    hindcast.ok("note auth-tokens 'tokens expired'")
    hindcast.ok("join redis-pool auth-tokens")

    whole = hindcast.json("show redis-pool").document
    assert whole["case"]["services"] == ["payment", "auth"]
    assert [one["text"] for one in whole["case"]["notes"]] == ["tokens expired"]
    part = hindcast.json("show auth-tokens").document
    assert (part["joined_into"], part["missing"]) == ("redis-pool", [])
    assert "part of redis-pool" in hindcast.ok("show auth-tokens").out
    for line in ("confirm auth-tokens", "note auth-tokens x", "attempt auth-tokens x", "resolve auth-tokens --fix x"):
        assert "part of redis-pool" in hindcast(line).err


def test_a_link_to_an_earlier_incident_can_be_taken_away(hindcast: Keyboard) -> None:
    """Whoever sees that it is another failure says so, and the page no longer says that it happened before."""
    memory = hindcast.memory()
    casebook = Casebook(memory)
    casebook.put(replace(POOL, id="again", previous="redis-pool"), actor="import", why="imported")
    memory.close()
    assert "It happened before: redis-pool" in hindcast.ok("show again").out

    assert "linked to no earlier incident now" in hindcast.ok("split again --from-previous").out
    assert "It happened before" not in hindcast.ok("show again").out


def test_a_verdict_is_remembered_and_taken_back(hindcast: Keyboard) -> None:
    """Right or wrong is kept with the question and who said it, and its commit can be reverted."""
    said = hindcast.json("verdict cases/redis-pool --right --for 'ConnectionResetError: [Errno 104]'").document
    assert (said["case"], said["judgement"], said["matter"]) == ("redis-pool", "right", "memory")
    refused = hindcast.json("verdict redis-pool --wrong --for 'redis is slow' --action 'raise the pool'").document
    assert refused["matter"] == "proposal"

    memory = hindcast.memory()
    from hindcast.experience import verdicts_of

    assert [one.by for one in verdicts_of(memory.now())] == ["ana", "ana"]
    memory.revert(said["commit"], actor="ana", why="a mistake")
    assert [one.action for one in verdicts_of(memory.now())] == ["raise the pool"]
    memory.close()


def test_an_incident_can_be_the_question_of_a_verdict(hindcast: Keyboard) -> None:
    """A verdict may be about what was shown for an incident."""
    detected(hindcast)

    assert hindcast.json("verdict redis-pool --wrong --incident inc-live").document["judgement"] == "wrong"


def test_the_old_name_of_the_group_still_works(hindcast: Keyboard) -> None:
    """Scripts that say `hindcast incidents` go on working."""
    assert cli.run(["incidents", "show", "redis-pool", "--json"]) == 0
    assert "redis-pool" in hindcast.capture.readouterr().out


def test_what_is_retired_is_listed_and_comes_back(hindcast: Keyboard) -> None:
    """A removed service can be retired, listed and brought back."""
    hindcast.ok("retire legacy-auth --why 'replaced by auth'")
    assert hindcast.json("retire").document == {"retired": ["legacy-auth"]}
    hindcast.ok("retire legacy-auth --back")
    assert hindcast.ok("retire").out == "Nothing is retired.\n"


def test_remembered_text_cannot_drive_the_terminal(hindcast: Keyboard) -> None:
    """What a log said is shown, never obeyed."""
    memory = hindcast.memory()
    Casebook(memory).put(
        Case("evil", "a\x1b[2Jb", START, symptoms=("\x1b]0;owned\x07",)), actor="import", why="imported"
    )
    memory.close()

    for line in ("show evil", "list"):
        assert "\x1b" not in hindcast.ok(line).out
