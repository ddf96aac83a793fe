"""The Python client against a real server: every operation of the API is called, by both clients."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.answering import PROTOBUF, otlp
from tests.serving import Serving, serving, wait_for

from hindcast.client import AsyncHindcast, Hindcast
from hindcast.client.generated.calls import CALLS
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Unidentified
from hindcast.rest import client_code

ROOT = Path(__file__).parents[2]
DOCUMENT = json.loads((ROOT / "docs/reference/openapi.json").read_text())
PASSWORD = "correct horse battery staple"
POSTMORTEM = (
    "# Nobody could log in (3 Feb 2026)\n\n## Why\nThe signing key was rotated, but gateways had the old key cached.\n"
)
# Heard by `live`, which is tried in test_live.py.
STREAMS = {"live"}


@dataclass
class Story:
    """What was learnt on the way: answers by the name of the step, and a word that no other story uses."""

    word: str
    told: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.told[name]


@dataclass(frozen=True)
class Step:
    """One call: its place in the path, what it says, and what it fails with, if it should."""

    operation: str
    places: Callable[[Story], tuple[Any, ...]] = lambda _: ()
    says: Callable[[Story], dict[str, Any]] = lambda _: {}
    fails: type[HindcastError] | None = None


def incident(story: Story) -> tuple[Any, ...]:
    """The incident that the story is about."""
    return (story["incident"],)


def nowhere(_: Story) -> tuple[Any, ...]:
    """What is not there."""
    return ("nothing",)


def on(**said: Any) -> Callable[[Story], dict[str, Any]]:
    """Say always the same."""
    return lambda _: said


def zipped(path: str) -> bytes:
    """An archive with one file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(path, "x = 1\n")
    return made.getvalue()


STEPS = (
    Step("status_get"),
    Step("overview_get"),
    Step("learning_get"),
    Step("session_get"),
    Step("session_ways"),
    Step("settings_list"),
    Step("integrations_list"),
    Step("integration_test", lambda _: ("loki",)),
    Step("retention_get"),
    Step("privacy_get"),
    Step("privacy_try", says=on(text="password=hunter2")),
    Step("simulator_get"),
    Step("simulator_play", says=on(scenario="bad-deploy", service="payment", errors=10)),
    Step("simulator_stop", fails=Missing),
    # Incidents.
    Step("incidents_list", says=on(state=["open"], limit=5)),
    Step("incident_get", incident),
    Step("incident_acknowledge", incident, on(by="priya")),
    Step("note_add", incident, on(text="only in eu-west")),
    Step("attempt_add", incident, on(action="restarted payment", outcome="no effect")),
    Step("attempt_judge", lambda s: (s["incident"], s["attempt"]), on(outcome="made worse")),
    Step("incident_recall", incident),
    Step("verdict_add", incident, on(judgement="wrong", incident="inc-unknown"), fails=Missing),
    Step("incident_join", incident, on(other="inc-unknown"), fails=Missing),
    Step("incident_split", incident, on(services=["nobody"]), fails=HindcastError),
    Step("incident_decide", incident, on(verb="dismiss")),
    Step("incident_resolve", incident, on(cause="a bad deploy", fix="rolled back payment")),
    Step("recall", says=on(text="ConnectionResetError in payment", services=["payment"])),
    Step("ask", says=on(question="what broke?")),
    Step("import_documents", says=on(documents=[{"name": "login.md", "text": POSTMORTEM}])),
    Step("import_review", says=on(records=[{"case": "markdown-login", "corrections": {"fix": "waited"}}])),
    # Fixes; with code to change they are tried in test_http_fixes.py.
    Step("cards_list", incident, fails=Missing),
    Step("card_get", nowhere, fails=Missing),
    Step("card_accept", nowhere, on(branch="fix"), fails=Missing),
    Step("card_modify", nowhere, on(text="x = 1\n"), fails=Missing),
    Step("card_reject", nowhere, on(reason="no", dont_try=True), fails=Missing),
    Step("card_undo", nowhere, fails=Missing),
    Step("card_recheck", nowhere, fails=Missing),
    Step("memory_log", says=on(state=["rejected"], q="redis")),
    Step("code_rules_list"),
    Step("code_rule_get", nowhere, fails=Missing),
    Step("code_rule_switch", nowhere, on(is_on=True), fails=Missing),
    # Memory.
    Step("record_put", lambda _: ("notes/a",), on(body={"n": 1}, why="a fact", text="a fact")),
    Step("commit_add", says=on(why="two facts", changes=[{"address": "notes/b", "body": 2}])),
    Step("record_get", lambda _: ("notes/a",)),
    Step("records_list", says=on(namespace="notes")),
    Step("namespaces_list"),
    Step("commits_list", says=on(limit=2)),
    Step("commit_get", lambda s: (s["commit_add"].id,)),
    Step("snapshot_add", says=on(name="before")),
    Step("snapshots_list"),
    Step("branch_add", says=on(name="trial")),
    Step("branches_list"),
    Step("moment_resolve", says=on(moment="before")),
    Step("memory_search", says=on(text="fact")),
    Step("memory_diff", says=on(before="before")),
    Step("record_history", says=on(address="notes/a")),
    Step("record_blame", says=on(address="notes/a")),
    Step("memory_bisect", says=on(address="notes/a")),
    Step("memory_merge", says=on(source="trial")),
    Step("memory_revert", says=lambda s: {"commit": s["commit_add"].id}),
    Step("record_retract", lambda _: ("notes/a",), on(why="not so")),
    Step("memory_erase", says=on(address="notes/b", why="private")),
    Step("memory_verify"),
    # Code.
    Step("workspace_upload", lambda _: ("code",), lambda _: {"body": zipped("src/app.py"), "drop_top": False}),
    Step("workspaces_list"),
    Step("workspace_get", lambda _: ("code",)),
    Step("workspace_tree", lambda _: ("code",), on(path="src")),
    Step("workspace_file", lambda _: ("code",), on(path="src/app.py")),
    Step(
        "workspace_edit",
        lambda _: ("code",),
        lambda s: {"path": "src/app.py", "text": "x = 2\n", "if_match": s["workspace_file"].digest},
    ),
    Step("workspace_blame", lambda _: ("code",), on(path="src/app.py")),
    Step("workspace_paths", lambda _: ("code",), on(text="app")),
    Step("workspace_search", lambda _: ("code",), on(text="x = 2")),
    Step("workspace_lens", lambda _: ("code",), on(path="src/app.py")),
    Step("workspace_add", says=on(name="other", path="/srv/nothing"), fails=Refused),
    Step("workspace_refresh", lambda _: ("code",), fails=Refused),
    Step("workspace_remove", lambda _: ("code",), on(files=True)),
    # Telemetry.
    Step("logs_list", says=on(level_min=17, limit=3)),
    Step("rates_get"),
    Step("services_list"),
    Step("metrics_list"),
    Step("calls_list"),
    Step("changes_list"),
    Step("alerts_list"),
    Step("trace_get", lambda _: ("0" * 32,), fails=Missing),
    # Who there is.
    Step("organisation_add", says=lambda s: {"name": s.word}),
    Step("organisations_list"),
    Step("space_add", says=lambda s: {"organisation": s.word, "project": "shop"}),
    Step("spaces_list"),
    Step("space_get", lambda s: (f"{s.word}/shop",)),
    Step("space_change", lambda s: (f"{s.word}/shop",), on(is_archived=False)),
    Step("key_add", says=lambda s: {"name": "a key", "power": "read", "organisation": s.word}),
    Step("keys_list", says=lambda s: {"organisation": s.word}),
    Step("key_revoke", lambda s: (s["key_add"].key.id,)),
    Step("member_invite", says=lambda s: {"email": f"a@{s.word}.example", "role": "admin", "organisation": s.word}),
    Step("invitations_list", says=lambda s: {"organisation": s.word}),
    Step("invitation_get", lambda s: (s["token"],)),
    Step("invitation_accept", lambda s: (s["token"],), on(password=PASSWORD, name="Ana")),
    Step("session_begin", says=lambda s: {"email": f"a@{s.word}.example", "password": PASSWORD}),
    Step("sessions_list", fails=Refused),
    Step("session_revoke", lambda _: ("nobody",), fails=HindcastError),
    Step("password_change", says=on(old=PASSWORD, new=PASSWORD + "!"), fails=Refused),
    Step("session_end"),
    Step("members_list", says=lambda s: {"organisation": s.word}),
    Step("member_get", lambda s: (f"a@{s.word}.example",), lambda s: {"organisation": s.word}),
    Step(
        "member_role_set",
        lambda s: (f"a@{s.word}.example",),
        lambda s: {"role": "viewer", "organisation": s.word},
        fails=Refused,
    ),
    Step("password_link_add", lambda s: (f"a@{s.word}.example",)),
    Step("member_remove", lambda s: (f"a@{s.word}.example",), lambda s: {"organisation": s.word}, fails=Refused),
    Step("invitation_withdraw", lambda _: ("unknown",), fails=HindcastError),
    Step("session_provider", fails=Missing),
    Step("session_provider_callback", says=on(state="x", code="y"), fails=HindcastError),
    Step("audit_list", says=lambda s: {"organisation": s.word, "limit": 5}),
    Step("audit_verify", says=lambda s: {"organisation": s.word}),
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server in a process of its own, in demo mode."""
    with serving(tmp_path_factory.mktemp("client"), mode="demo", auth="open") as made:
        yield made


def opened(running: Serving, space: str) -> str:
    """The id of an incident that has just opened in a space."""
    failing = otlp("warehouse", *[f"could not reserve item {number}" for number in range(120)], level=17)
    with running.client() as client, Hindcast(running.url, space=space) as hindcast:
        client.post("/v1/logs", content=failing, headers={**PROTOBUF, "X-Hindcast-Space": space}).raise_for_status()
        found = wait_for(lambda: hindcast.incidents_list().items, what="an incident")
    return str(found[0].id)


def learn(story: Story, step: Step, told: Any) -> None:
    """Keep what later steps need."""
    story.told[step.operation] = told
    if step.operation == "attempt_add":
        story.told["attempt"] = told.case.attempts[0].id
    if step.operation == "member_invite":
        story.told["token"] = told.link.rpartition("/")[2]


def failed(step: Step, error: HindcastError) -> None:
    """A step may fail only where it should, with a word about what to do."""
    assert step.fails is not None, f"{step.operation}: {error}"
    assert isinstance(error, step.fails), f"{step.operation}: {error!r}"
    assert error.problem
    assert error.remedy


def test_every_operation_is_called() -> None:
    """A route without a step here, and so without a client's method that is tried, is found."""
    operations = {one.id for one in client_code.Document(DOCUMENT).operations()}

    assert operations == {call.name for call in CALLS}
    assert operations == {step.operation for step in STEPS} | STREAMS


def test_what_is_generated_is_up_to_date() -> None:
    """The client's table, values and methods are what docs/reference/openapi.json says; `make generate` makes it so."""
    for name, text in client_code.written(DOCUMENT).items():
        assert (ROOT / "src/hindcast/client/generated" / name).read_text() == text, name


def test_the_client_that_waits_can_do_everything(running: Serving) -> None:
    """Every operation can be called, and its answer is a typed value or an error of our own."""
    story = Story("waiting", {"incident": opened(running, "waiting")})
    with Hindcast(running.url, space="waiting") as hindcast:
        for step in STEPS:
            call = getattr(hindcast, step.operation)
            try:
                told = call(*step.places(story), **step.says(story))
            except HindcastError as error:
                failed(step, error)
            else:
                assert step.fails is None, step.operation
                learn(story, step, told)
        every = list(hindcast.every(hindcast.commits_list, limit=2))
        assert len({commit.id for commit in every}) == len(every) > 4
        answered = [event.kind for event in hindcast.stream("ask", question="what broke?")]
        assert answered


def test_the_client_that_is_awaited_can_do_everything(running: Serving) -> None:
    """The same for programs that do many things at once."""

    async def tell(story: Story) -> None:
        async with AsyncHindcast(running.url, space="awaited") as hindcast:
            for step in STEPS:
                call = getattr(hindcast, step.operation)
                try:
                    told = await call(*step.places(story), **step.says(story))
                except HindcastError as error:
                    failed(step, error)
                else:
                    assert step.fails is None, step.operation
                    learn(story, step, told)
            every = [commit.id async for commit in hindcast.every(hindcast.commits_list, limit=2)]
            assert len(set(every)) == len(every) > 4
            async for event in hindcast.live(kinds="rates"):
                assert event.kind == "rates"
                break
            assert [event.kind async for event in hindcast.stream("ask", question="what broke?")]

    asyncio.run(tell(Story("awaited", {"incident": opened(running, "awaited")})))


def test_the_page_about_the_client_is_true(running: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    """Every block of the how-to guide runs, in order, against a server that has an incident."""
    opened(running, "acme/shop")
    page = (ROOT / "docs/how-to/python-client.md").read_text()
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL):
        exec(re.sub(r"hc_\w+_…", "", block.replace("http://127.0.0.1:4318", running.url)), names)  # noqa: S102
    names["hindcast"].close()

    assert "inc-" in capsys.readouterr().out
    assert names["known"].id == names["incident"].id


def test_a_client_without_rights_is_told_so(running: Serving) -> None:
    """A key that is none is refused by name, and an unknown space is missing, not empty."""
    with Hindcast(running.url, key="hc_read_x_y") as hindcast, pytest.raises(Unidentified):
        hindcast.incidents_list()
    with Hindcast(running.url) as hindcast, pytest.raises(Malformed, match="limit"):
        hindcast.incidents_list(limit=0)
