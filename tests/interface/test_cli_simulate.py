"""`hindcast simulate` and `hindcast inject`: the timeline that a person reads, and what really goes over the wire."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from hindcast import cli
from hindcast.cli.simulate import read_seconds
from hindcast.cli.verdict import differences
from hindcast.model.errors import Malformed
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Incident, IncidentState, to_json
from hindcast.model.signal import Severity
from hindcast.simulate import SCENARIOS, scenario, truth

ROOT = Path(__file__).resolve().parents[2]
FAST = ("--speed", "1000000")
NOW = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place without any settings of the machine's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "HINDCAST_SPACE", "HINDCAST_DEBUG", "HINDCAST_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"STORE": str(tmp_path / "memory"), "MODEL": "none", "ACTOR": "ana"}.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What one command line prints when it works."""
    capsys.readouterr()
    code = cli.run(list(words))
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def events(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    """The events that one command line prints as JSON lines."""
    return [json.loads(line) for line in said(capsys, *words, "--json").splitlines()]


# --- Watching here ------------------------------------------------------------------------------------------------


def test_the_timeline_tells_the_whole_story(capsys: pytest.CaptureFixture[str]) -> None:
    """Ten minutes of an exhausted pool read as noise, outage named, cascade, recovery, awaiting confirmation."""
    told = said(capsys, "simulate", "--for", "10m", "--scenario", "pool-exhaustion", *FAST)

    story = (
        r"world +quiet .* errors of noise",
        r"Hindcast noise .* nothing opened",
        r"world +outage",
        r"Hindcast opened +database: \d+ errors",
        r"Hindcast grew +payment",
        r"Hindcast cascade +cascade from database: database → payment → ",
        r"world +recovery",
        r"Hindcast awaiting .*awaiting confirmation",
        r"named after +\d+ s",
        r"^As expected\.$",
    )
    assert re.search(r"[\s\S]*?".join(story), told, flags=re.MULTILINE), told
    times = re.findall(r"^(\d\d:\d\d:\d\d)", told, flags=re.MULTILINE)
    assert times == sorted(times)
    assert not [line for line in told.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_is_seen_for_what_it_is(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Detection finds the origin, the services and the kind of each scenario, once, and nothing where nothing is."""
    *_, summary = events(capsys, "simulate", "--scenario", name, *FAST)

    [judged] = summary["scenarios"]
    assert judged["differences"] == []
    assert summary["as_expected"] is True
    assert len(judged["found"]) == (1 if truth(name).origin else 0)
    # A silence is called one after two minutes; errors are named within half a minute.
    assert (judged["detected_after_seconds"] or 0) <= (125 if name == "silent-service" else 30)


def test_a_deploy_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The deploy that breaks things stands before the incident, and the rollback before recovery."""
    kinds = [event["event"] for event in events(capsys, "simulate", "--scenario", "bad-deploy", *FAST)]

    assert kinds.index("deploy") < kinds.index("opened")
    assert kinds.count("deploy") == 2


def test_an_ordinary_day_opens_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a scenario there is noise, and nothing is named."""
    found = events(capsys, "simulate", "--for", "5m", *FAST)

    assert [event["event"] for event in found] == ["quiet", "summary"]
    assert found[-1]["as_expected"] is True
    assert found[-1]["errors"] > 100


def test_the_same_command_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """A seed makes the run repeatable, and another seed makes another one."""
    words = ("simulate", "--scenario", "certificate-expiry", "--for", "3m", *FAST)

    assert said(capsys, *words) == said(capsys, *words)
    assert said(capsys, *words) != said(capsys, *words, "--seed", "8")


def test_a_run_that_is_cut_short_judges_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the scenario is not over, the summary says so instead of calling it a failure."""
    told = said(capsys, "simulate", "--scenario", "slow-database", "--for", "2m", *FAST)

    assert "ended before the scenario was over" in told


def test_two_scenarios_are_judged_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of two scenarios has its own line of truth in the summary."""
    words = ("simulate", "--scenario", "memory-leak", "--scenario", "certificate-expiry", "--for", "3m", *FAST)
    *_, summary = events(capsys, *words)

    assert [judged["name"] for judged in summary["scenarios"]] == ["memory-leak", "certificate-expiry"]


def test_simulated_time_can_begin_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """`--at` says when simulated time begins."""
    [first, _] = events(capsys, "simulate", "--for", "1s", "--at", "2026-07-05T03:00Z", *FAST)

    assert first["at"] == "2026-07-05T03:00:00Z"


def test_scenarios_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`--list` names all ten with a sentence each, for people and as JSON."""
    shown = said(capsys, "simulate", "--list")
    listed = json.loads(said(capsys, "simulate", "--list", "--json"))["scenarios"]

    assert [one["name"] for one in listed] == list(SCENARIOS)
    assert all(name in shown for name in SCENARIOS)
    assert all(one["sentence"].endswith(".") for one in listed)


def test_ctrl_c_ends_with_a_summary(source_environment: Mapping[str, str], tmp_path: Path) -> None:
    """Interrupted in the middle, a run says how far it came and exits as interrupted."""
    words = [sys.executable, "-m", "hindcast", "simulate", "--speed", "1", "--for", "10m", "--json"]
    run = subprocess.Popen(words, cwd=tmp_path, env=dict(source_environment), stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    first = json.loads(run.stdout.readline())
    run.send_signal(signal.SIGINT)
    rest, _ = run.communicate(timeout=60)

    assert first["event"] == "quiet"
    assert run.returncode == 130
    summary = json.loads(rest.splitlines()[-1])
    assert summary["event"] == "summary"
    assert summary["interrupted"] is True
    assert summary["simulated_seconds"] < 600


# --- Judging ------------------------------------------------------------------------------------------------------


def incident(*services: str, rule: Rule = Rule.FIXED, cascade: bool = False) -> Incident:
    """An incident of these services, the first of them its origin."""
    trigger = Finding("s", services[0], rule, NOW, NOW, 132, 1, 100)
    return Incident(
        id=f"inc-{services[0]}",
        space="s",
        title=f"{services[0]}: 132 errors",
        state=IncidentState.OPEN,
        trigger=trigger,
        affected=tuple(Affected(one, NOW, NOW) for one in services),
        onset_at=NOW,
        opened_at=NOW,
        last_trouble_at=NOW,
        severity=Severity.MAJOR,
        cascade=cascade,
        origin=services[0],
    )


@pytest.mark.parametrize(
    ("name", "found", "wrong"),
    [
        ("bad-deploy", [], "trouble of user was not found"),
        ("bad-deploy", [incident("payment", "user", "api-gateway")], "payment was named"),
        ("bad-deploy", [incident("user", "payment", "api-gateway", cascade=True)], "it is no cascade"),
        ("bad-deploy", [incident("user", "payment")], "api-gateway suffered too"),
        ("bad-deploy", [incident("user", "payment", "api-gateway", "auth")], "auth had no part in it"),
        ("bad-deploy", [incident("user", "payment", "api-gateway"), incident("auth")], "2 incidents instead of one"),
        ("dependency-outage", [incident(*truth("dependency-outage").services)], "it is a cascade"),
        ("silent-service", [incident("notification")], "the rule that fired is fixed"),
        ("noisy-but-healthy", [incident("notification")], "is a false alarm"),
    ],
)
def test_a_wrong_finding_is_called_one(name: str, found: list[Incident], wrong: str) -> None:
    """The verdict names what was missed, misnamed, or made up."""
    assert any(wrong in one for one in differences(scenario(name), found))


def test_a_right_finding_is_called_one() -> None:
    """The truth itself is as expected."""
    cascade = incident(*truth("dependency-outage").services, cascade=True)

    assert differences(scenario("dependency-outage"), [cascade]) == []
    assert differences(scenario("silent-service"), [incident("notification", rule=Rule.SILENT)]) == []
    assert differences(scenario("noisy-but-healthy"), []) == []


# --- Sending ------------------------------------------------------------------------------------------------------


@dataclass
class Instance:
    """Something on a real port that takes OTLP and tells of incidents as it was told to."""

    url: str = ""
    came: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    # What /api/v1/incidents answers, one after the other; the last one again and again.
    incidents: list[list[Incident]] = field(default_factory=list)
    # Requests that are taken before the instance goes bad; None: all.
    good_requests: int | None = None

    def logs(self) -> list[tuple[str, Any]]:
        """Every log record that came, with its service."""
        found = []
        for path, headers, body in self.came:
            if path == "/v1/logs":
                plain = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body
                for scoped in ExportLogsServiceRequest.FromString(plain).resource_logs:
                    service = next(p.value.string_value for p in scoped.resource.attributes if p.key == "service.name")
                    found += [(service, record) for record in scoped.scope_logs[0].log_records]
        return found


@contextmanager
def instance(*incidents: list[Incident], good_requests: int | None = None) -> Iterator[Instance]:
    """Start one on a free port."""
    kept = Instance(incidents=list(incidents), good_requests=good_requests)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if kept.good_requests is not None and len(kept.came) >= kept.good_requests:
                self.answer(500, b"no more")
                return
            kept.came.append((self.path, dict(self.headers), body))
            self.answer(200, b"")

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            space = self.headers.get("X-Hindcast-Space", "")
            kept.asked.append((path, space))
            if path == "/api/v1/incidents":
                if len(kept.incidents) > 1 and (path, space) in kept.asked[:-1]:
                    kept.incidents.pop(0)
                told: dict[str, Any] = {"items": [{"id": one.id} for one in (kept.incidents or [[]])[0]], "next": None}
            else:
                told = {"detection": next(to_json(one) for one in kept.incidents[0] if path.endswith(one.id))}
            self.answer(200, json.dumps(told, default=str).encode())

        def answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_inject_sends_that_many_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """120 errors of payment arrive as 120 error records of payment, in words of the scenario, some with stacks."""
    with instance() as there:
        words = ("inject", "pool-exhaustion", "--service", "payment", "--to", there.url, "--space", "shop")
        told = json.loads(said(capsys, *words, "--json"))

    assert [(service, record.severity_number) for service, record in there.logs()] == [("payment", 17)] * 120
    assert told["acknowledged"] == told["errors"] == 120
    assert any("Hikari" in record.body.string_value for _, record in there.logs())
    stacks = [p.value.string_value for _, r in there.logs() for p in r.attributes if p.key == "exception.stacktrace"]
    assert any("com.zaxxer.hikari" in stack for stack in stacks)
    now = datetime.now(UTC).timestamp()
    assert all(now - 60 < record.time_unix_nano / 1e9 <= now for _, record in there.logs())
    assert {headers["X-Hindcast-Space"] for _, headers, _ in there.came} == {"shop"}


def test_inject_says_what_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    """After the burst a person sees what was acknowledged, what it looks like, and where to look next."""
    with instance() as there:
        code = cli.run(["inject", "bad-deploy", "--service", "user", "--errors", "7", "--to", there.url, "--seed", "1"])
    out, err = capsys.readouterr()

    assert code == 0
    assert out.startswith(f"7 errors of user acknowledged by {there.url}\n")
    assert "ERROR " in out
    assert "hindcast incident list" in err


def test_a_live_run_sends_everything(capsys: pytest.CaptureFixture[str]) -> None:
    """For four seconds, logs, metrics and traces of the present go to the instance, and all are acknowledged."""
    with instance() as there:
        found = events(capsys, "simulate", "--for", "4s", "--to", there.url, "--rate", "200")
    summary = found[-1]

    paths = Counter(path for path, _, _ in there.came)
    assert paths["/v1/logs"] == 4
    assert paths["/v1/traces"] >= 1
    assert summary["acknowledged_by_path"]["/v1/logs"] == len(there.logs()) > 100
    assert summary["acknowledged"] == sum(summary["acknowledged_by_path"].values())
    assert (summary["lost"], summary["rejected"], summary["seconds"]) == (0, 0, 4)
    now = datetime.now(UTC).timestamp()
    assert all(now - 60 < record.time_unix_nano / 1e9 <= now for _, record in there.logs())


def test_a_live_run_tells_what_the_instance_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """What the instance says of its incidents stands in the timeline: opened, a cascade, awaiting confirmation."""
    soon = datetime.now(UTC) + timedelta(minutes=1)
    first = replace(incident("auth", "user"), opened_at=soon)
    grown = replace(incident(*truth("dependency-outage").services, cascade=True), opened_at=soon)
    quiet = replace(grown, state=IncidentState.AWAITING, quiet_since=NOW)
    with instance([first], [grown], [quiet]) as there:
        found = events(capsys, "simulate", "--for", "6s", "--to", there.url, "--rate", "5", "--space", "shop")

    assert {space for _, space in there.asked} == {"shop"}
    kinds = [event["event"] for event in found if event.get("who") == "hindcast"]
    assert kinds == ["opened", "cascade", "awaiting"]


def test_what_an_instance_stops_taking_is_counted_as_lost(capsys: pytest.CaptureFixture[str]) -> None:
    """An instance that goes bad in the middle ends nothing: the run goes on and counts what was lost."""
    with instance(good_requests=2) as there:
        found = events(capsys, "simulate", "--for", "3s", "--to", there.url, "--rate", "20")

    assert "lost" in [event["event"] for event in found]
    assert found[-1]["lost"] > 0
    assert found[-1]["acknowledged"] > 0
    assert found[-1]["seconds"] == 3


# --- What is wrong ------------------------------------------------------------------------------------------------

HERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("words", "code", "problem", "remedy"),
    [
        (["simulate", "--scenario", "volcano"], 3, "no scenario 'volcano'", "pool-exhaustion"),
        (["simulate", "--for", "soon"], 2, "--for: 'soon' is not a length of time", "10m"),
        (["simulate", "--for", "0s"], 2, "--for:", "at least a second"),
        (["simulate", "--for", "10x"], 2, "--for:", "10m"),
        (["simulate", "--for", "99d"], 2, "too long", "30 days"),
        (["simulate", "--speed", "0"], 2, "--speed: 0 is no speed", "more than 0"),
        (["simulate", "--speed", "60", "--to", HERE], 2, "--speed: A running instance", "Leave out --speed"),
        (["simulate", "--at", "2026-01-01", "--to", HERE], 2, "--at: A running instance", "Leave out --at"),
        (["simulate", "--at", "noonish"], 2, "--at: 'noonish' is not a time", "2026-03-03"),
        (["simulate", "--rate", "0"], 2, "--rate: 0 lines", "more than 0"),
        (["simulate", "--seed", "-3"], 2, "--seed: -3 is not a seed", "from 0"),
        (["simulate", "--to", "nowhere"], 2, "--to: 'nowhere' is no http(s) address", "http://127.0.0.1:4318"),
        (["simulate", "--for", "2s", "--to", HERE], 6, "--to: Nothing listens at http://127.0.0.1:9", "hindcast serve"),
        (["inject", "volcano", "--service", "payment"], 3, "no scenario 'volcano'", "slow-database"),
        (["inject", "flapping", "--service", "billing"], 3, "no service 'billing'", "api-gateway, auth"),
        (["inject", "flapping", "--service", "auth", "--errors", "0"], 2, "--errors: 0 errors", "from 1"),
        (["inject", "flapping", "--service", "auth", "--to", HERE], 6, "Nothing listens", "hindcast serve"),
        (["inject", "flapping"], 2, "--service", "inject --help"),
    ],
)
def test_bad_input_says_what_to_do(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, problem: str, remedy: str
) -> None:
    """Each mistake exits with the code of its kind and says in two lines what is wrong and what to do."""
    capsys.readouterr()
    assert cli.run(words) == code
    first, second = capsys.readouterr().err.splitlines()

    assert problem in first
    assert remedy in second


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("1.5h", 5400), ("2d", 172_800)]
)
def test_lengths_of_time_are_read(text: str, seconds: int) -> None:
    """Seconds, minutes, hours and days are read alone and together."""
    assert read_seconds(text, field="--for") == seconds
    assert read_seconds(f" {text.upper()} ", field="--for") == seconds


@pytest.mark.parametrize("text", ["", "m", "10 minutes!", "-5m", "1h-5m", "m10", "inf", "nan", "1e3"])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    """Whatever else somebody writes is named as no length of time."""
    with pytest.raises(Malformed, match="--for"):
        read_seconds(text, field="--for")


def test_the_page_lists_every_scenario() -> None:
    """docs/reference/scenarios.md holds each scenario with its sentence, its origin, its services and its times."""
    page = (ROOT / "docs/reference/scenarios.md").read_text(encoding="utf-8")

    for name, one in SCENARIOS.items():
        told = truth(one)
        assert f"## {name}\n\n{one.sentence}\n" in page
        if told.origin:
            assert f"| {name} | {told.expected} | {' → '.join(told.services)} " in page
            assert f"| {told.starts_after_seconds} s | {told.ends_after_seconds} s |" in page
