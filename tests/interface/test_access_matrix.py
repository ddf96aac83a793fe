"""Every route × every kind of caller × their own, a foreign and no space: allowed or refused, and nothing in between.

The tables below are what the product promises. They are compared with the routes of the real application, so that a
route nobody has thought about fails here before anybody can use it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import orjson
import pytest
from fastapi.routing import APIRoute
from starlette.routing import Mount, Route
from tests.asgi import Answer, ask
from tests.tenants import FOREIGN, NOWHERE, OWN, Tenants, tenants

from hindcast.model.access import POWER_PERMISSIONS, ROLE_PERMISSIONS, Permission, Power, Role
from hindcast.rest.seat import Needs, NeedsAtHome, somebody

INGEST, READ, RECORD = Permission.INGEST, Permission.READ, Permission.RECORD
RESPOND, MAINTAIN, ADMINISTER = Permission.RESPOND, Permission.MAINTAIN, Permission.ADMINISTER

# What a route needs in the space that it is asked about.
SEATED: Mapping[str, Permission] = {
    "GET /api/v1/status": READ,
    "GET /api/v1/integrations": READ,
    "POST /api/v1/integrations/{name}/test": ADMINISTER,
    "GET /api/v1/retention": READ,
    "GET /api/v1/privacy": READ,
    "POST /api/v1/privacy/try": READ,
    "GET /api/v1/incidents": READ,
    "GET /api/v1/incidents/{incident_id}": READ,
    "GET /api/v1/incidents/{incident_id}/recall": READ,
    "POST /api/v1/incidents/{incident_id}/notes": RECORD,
    "POST /api/v1/incidents/{incident_id}/acknowledgement": RECORD,
    "POST /api/v1/incidents/{incident_id}/attempts": RECORD,
    "POST /api/v1/incidents/{incident_id}/attempts/{attempt_id}": RECORD,
    "POST /api/v1/incidents/{incident_id}/verdicts": RECORD,
    "POST /api/v1/incidents/{incident_id}/resolution": RESPOND,
    "POST /api/v1/incidents/{incident_id}/decision": RESPOND,
    "POST /api/v1/incidents/{incident_id}/split": RESPOND,
    "POST /api/v1/incidents/{incident_id}/join": RESPOND,
    "POST /api/v1/imports": RESPOND,
    "POST /api/v1/imports/review": RESPOND,
    "GET /api/v1/incidents/{incident_id}/cards": READ,
    "GET /api/v1/cards/{card_id}": READ,
    "POST /api/v1/cards/{card_id}/accept": RESPOND,
    "POST /api/v1/cards/{card_id}/modify": RESPOND,
    "POST /api/v1/cards/{card_id}/reject": RESPOND,
    "POST /api/v1/cards/{card_id}/undo": RESPOND,
    "POST /api/v1/cards/{card_id}/recheck": RESPOND,
    "GET /api/v1/memory-log": READ,
    "GET /api/v1/code-rules": READ,
    "GET /api/v1/code-rules/{rule_id}": READ,
    "POST /api/v1/code-rules/{rule_id}": MAINTAIN,
    "POST /api/v1/recall": READ,
    "POST /api/v1/ask": READ,
    "GET /api/v1/live": READ,
    "GET /api/v1/memory/records": READ,
    "GET /api/v1/memory/records/{address:path}": READ,
    "PUT /api/v1/memory/records/{address:path}": MAINTAIN,
    "DELETE /api/v1/memory/records/{address:path}": MAINTAIN,
    "GET /api/v1/memory/namespaces": READ,
    "GET /api/v1/memory/search": READ,
    "GET /api/v1/memory/commits": READ,
    "POST /api/v1/memory/commits": MAINTAIN,
    "GET /api/v1/memory/commits/{commit}": READ,
    "GET /api/v1/memory/moments/resolve": READ,
    "GET /api/v1/memory/diff": READ,
    "GET /api/v1/memory/history": READ,
    "GET /api/v1/memory/blame": READ,
    "GET /api/v1/memory/bisect": READ,
    "GET /api/v1/memory/branches": READ,
    "POST /api/v1/memory/branches": MAINTAIN,
    "GET /api/v1/memory/snapshots": READ,
    "POST /api/v1/memory/snapshots": MAINTAIN,
    "POST /api/v1/memory/merge": MAINTAIN,
    "POST /api/v1/memory/revert": MAINTAIN,
    "POST /api/v1/memory/erase": ADMINISTER,
    "GET /api/v1/memory/verify": MAINTAIN,
    "GET /api/v1/workspaces": READ,
    "POST /api/v1/workspaces": MAINTAIN,
    "GET /api/v1/workspaces/{name}": READ,
    "DELETE /api/v1/workspaces/{name}": MAINTAIN,
    "POST /api/v1/workspaces/{name}/refresh": MAINTAIN,
    "POST /api/v1/workspaces/{name}/upload": MAINTAIN,
    "GET /api/v1/workspaces/{name}/tree": READ,
    "GET /api/v1/workspaces/{name}/search": READ,
    "GET /api/v1/workspaces/{name}/paths": READ,
    "GET /api/v1/workspaces/{name}/file": READ,
    "PUT /api/v1/workspaces/{name}/file": RESPOND,
    "GET /api/v1/workspaces/{name}/blame": READ,
    "GET /api/v1/workspaces/{name}/lens": READ,
    "GET /api/v1/logs": READ,
    "GET /api/v1/traces/{trace}": READ,
    "GET /api/v1/metrics": READ,
    "GET /api/v1/calls": READ,
    "GET /api/v1/changes": READ,
    "GET /api/v1/alerts": READ,
    "GET /api/v1/overview": READ,
    "GET /api/v1/learning": READ,
    "GET /api/v1/services": READ,
    "GET /api/v1/rates": READ,
    "GET /api/v1/simulator": RESPOND,
    "POST /api/v1/simulator": RESPOND,
    "DELETE /api/v1/simulator": RESPOND,
}
# Where records come in; each answers in the words of its protocol.
INGESTING = (
    "POST /v1/logs",
    "POST /v1/metrics",
    "POST /v1/traces",
    "POST /_bulk",
    "POST /{index}/_bulk",
    "POST /{index}/{type}/_bulk",
    "POST /loki/api/v1/push",
    "POST /api/prom/push",
    "POST /api/v1/lines",
    "POST /webhooks/alertmanager",
    "POST /webhooks/grafana",
    "POST /webhooks/pagerduty",
    "POST /webhooks/sentry",
    "POST /webhooks/github",
    "POST /v2/enqueue",
    "POST /v2/change/enqueue",
)
# About the caller, whoever that is.
KNOWN = (
    "GET /api/v1/session",
    "GET /api/v1/spaces",
    "GET /api/v1/organisations",
    "GET /metrics",
    "GET /openapi.json",
)
# About the caller, who has to be a person.
PERSONAL = (
    "PUT /api/v1/session/password",
    "GET /api/v1/session/all",
    "DELETE /api/v1/session/all/{session_id}",
)
# About an organisation, for its admins: where the organisation is said, and what else has to be.
BODY = {"email": "new@acme.example", "role": "viewer", "name": "new", "power": "read", "project": "new"}
GOVERNED: Mapping[str, tuple[str, ...]] = {
    "GET /api/v1/members": (),
    "GET /api/v1/members/{person}": (),
    "PUT /api/v1/members/{person}/role": ("role",),
    "DELETE /api/v1/members/{person}": (),
    "POST /api/v1/members": ("email", "role"),
    "GET /api/v1/invitations": (),
    "POST /api/v1/spaces": ("project",),
    "GET /api/v1/keys": (),
    "POST /api/v1/keys": ("name", "power"),
    "GET /api/v1/audit": (),
    "GET /api/v1/audit/check": (),
}
# About one thing, which names nothing but itself: what is somebody else's is not there.
NAMED = (
    "DELETE /api/v1/keys/{key_id}",
    "DELETE /api/v1/invitations/{invitation_id}",
    "POST /api/v1/members/{person}/password-link",
    "GET /api/v1/spaces/{space:path}",
    "PATCH /api/v1/spaces/{space:path}",
)
# About the installation, for whoever administers the space that it is at home in.
OPERATED = ("GET /api/v1/settings", "POST /api/v1/organisations")
# Open to anybody: they say nothing about anybody, or are how one becomes somebody.
PUBLIC = (
    "GET /healthz",
    "GET /readyz",
    "GET /local",
    "POST /api/v1/session",
    "DELETE /api/v1/session",
    "GET /api/v1/session/ways",
    "GET /api/v1/session/provider",
    "GET /api/v1/session/provider/callback",
    "GET /api/v1/invitations/{token}",
    "POST /api/v1/invitations/{token}",
    # The web pages and their files: the same for everybody, and without any data.
    "GET /{file:path}",
    "GET /{page:path}",
)
# What Elasticsearch's shippers ask before they send: constants, for whoever may send something.
HANDSHAKES = re.compile(r"/$|/_(?!bulk)")
# Told in their own way below.
ELSEWHERE = ("/mcp", "/mcp/")

ROLES = tuple(map(str, Role))
KEYS = tuple(f"key {power}" for power in Power)
OVER = ("nobody", "expired", "revoked", "signed out", "forged", "garbage")
JSON = {"Content-Type": "application/json"}
# What differs from one request to the next, whatever is asked.
UNSTEADY = ("x-request-id", "ratelimit-remaining", "ratelimit-reset", "date")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A Hindcast of two organisations, with the simulator, and with no limit on requests."""
    with tenants(tmp_path_factory.mktemp("matrix"), mode="demo", requests_per_minute=0) as made:
        # A space that nobody has written to has no memory to read.
        headers = {**made.callers["key write"], "X-Hindcast-Space": OWN}
        made.client.put(
            "/api/v1/memory/records/notes/first", json={"body": {}, "why": "A beginning."}, headers=headers
        ).raise_for_status()
        yield made


def sent(
    here: Tenants,
    caller: str,
    route: str,
    *,
    space: str = "",
    body: Any = None,
    query: str = "",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """The answer to a caller on a route, with something harmless in the place of every id."""
    method, _, path = route.partition(" ")
    filled = re.sub(r"\{[^}]*\}", "nosuch", path) + query
    named = {"X-Hindcast-Space": space} if space else {}
    content = b"" if method in ("GET", "DELETE") else orjson.dumps(body or {})
    portal = here.client.portal
    assert portal is not None, "the application runs"
    return portal.call(
        partial(ask, here.app, method, filled, {**here.callers[caller], **JSON, **named, **(headers or {})}, content)
    )


def field_of(answer: Answer) -> str:
    """Which field a problem is about."""
    is_problem = answer.headers.get("content-type", "").startswith("application/problem+json")
    return str(orjson.loads(answer.body).get("field", "")) if is_problem else ""


def verdict(answer: Answer) -> str:
    """What became of the question whether somebody may."""
    if answer.status == 401:
        return "unidentified"
    if answer.status == 403 and field_of(answer) == "permission":
        return "refused"
    if answer.status == 404 and field_of(answer) in ("space", "organisation"):
        return "missing"
    assert answer.status < 500, answer.body
    return "allowed"


def without_names(answer: Answer, *names: str) -> tuple[int, dict[str, str], bytes]:
    """An answer without the names that were asked for, and without what differs every time."""
    body = answer.body
    for name in names:
        body = body.replace(name.encode(), b"*")
    headers = {name: value for name, value in answer.headers.items() if name not in UNSTEADY}
    return answer.status, headers | {"content-length": ""}, body


def routes(here: Tenants) -> Iterator[tuple[str, Route | Mount]]:
    """Every route of the application, as method and path."""
    for route in here.app.routes:
        assert isinstance(route, Route | Mount), route
        if isinstance(route, Mount) or route.methods is None:
            yield route.path, route
        else:
            yield from ((f"{method} {route.path}", route) for method in sorted(route.methods - {"HEAD"}))


def is_handshake(name: str) -> bool:
    """Whether this is what a shipper asks before it sends."""
    path = name.partition(" ")[2]
    return bool(HANDSHAKES.match(path))


def test_every_route_is_in_exactly_one_table(here: Tenants) -> None:
    """A route that no table knows may be used by nobody, and a table knows no route that is not there."""
    listed = [*SEATED, *INGESTING, *KNOWN, *PERSONAL, *GOVERNED, *NAMED, *OPERATED, *PUBLIC]
    twice = {"PUT /_bulk", "PUT /{index}/_bulk", "PUT /{index}/{type}/_bulk"}
    found = {name for name, _ in routes(here) if not is_handshake(name) and not name.endswith(ELSEWHERE)}

    assert sorted(found - twice) == sorted(listed)


def test_every_route_asks_at_the_door(here: Tenants) -> None:
    """What is not public has exactly one seat, or a known caller, among its arguments; what is public has none."""
    for name, route in routes(here):
        if not isinstance(route, APIRoute):
            continue
        calls = [one.call for one in route.dependant.dependencies]
        doors = [call for call in calls if isinstance(call, Needs | NeedsAtHome) or call is somebody]
        assert len(doors) == (0 if name in PUBLIC else 1), name


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_a_caller_may_what_their_role_or_key_says_and_nothing_else(here: Tenants, caller: str) -> None:
    """In their own space each caller is let in exactly where their role or key allows it."""
    allowed = _permissions(caller)
    found = {route: verdict(sent(here, caller, route, space=OWN)) for route in SEATED}

    assert found == {route: "allowed" if need in allowed else "refused" for route, need in SEATED.items()}


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_a_foreign_space_is_like_none(here: Tenants, caller: str) -> None:
    """Whatever a route needs, a space of somebody else is answered byte for byte like one that does not exist."""
    for route in SEATED:
        foreign, nowhere = (sent(here, caller, route, space=space) for space in (FOREIGN, NOWHERE))
        assert verdict(foreign) == "missing", route
        assert without_names(foreign, FOREIGN) == without_names(nowhere, NOWHERE), route


@pytest.mark.parametrize("caller", OVER)
def test_whoever_is_not_known_gets_nowhere(here: Tenants, caller: str) -> None:
    """No key, a wrong one, one that expired or was revoked, and a session that ended open no route and no space."""
    for route in (*SEATED, *INGESTING, *KNOWN, *PERSONAL, *GOVERNED, *NAMED, *OPERATED):
        answers = [sent(here, caller, route, space=space, body=_body(route)) for space in (OWN, FOREIGN, NOWHERE)]
        assert [answer.status for answer in answers] == [401, 401, 401], route
        assert len({without_names(answer)[2] for answer in answers}) == 1, route


@pytest.mark.parametrize("caller", [*OVER, "key ingest"])
def test_shippers_are_greeted_once_it_is_known_who_they_are(here: Tenants, caller: str) -> None:
    """What Elasticsearch's shippers ask first is answered to a caller who is known, and to nobody else."""
    asked = [name for name, _ in routes(here) if name.startswith("GET ") and is_handshake(name)]

    assert len(asked) > 10
    for route in asked:
        assert (sent(here, caller, route).status == 401) is (caller in OVER), route


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_only_those_who_may_send_are_read(here: Tenants, caller: str) -> None:
    """Ingest takes records from maintainers, admins and keys that may write, into their own space only."""
    is_allowed = INGEST in _permissions(caller)
    for route in INGESTING:
        own, foreign, nowhere = (sent(here, caller, route, space=space) for space in (OWN, FOREIGN, NOWHERE))
        assert (own.status not in (401, 403, 404)) is is_allowed, (route, own)
        assert own.status < 500, (route, own)
        assert is_allowed or own.status == 403, (route, own)
        assert foreign.status == 404, (route, foreign)
        assert without_names(foreign, FOREIGN) == without_names(nowhere, NOWHERE), route


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
TOOLS = {
    "search_incidents": (READ, {"words": "x"}),
    "attempt_record": (RECORD, {"incident": "x", "action": "x", "outcome": "unknown"}),
    "fix_verdict": (RESPOND, {"card": "x", "verdict": "reject"}),
}
MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS, *OVER])
def test_agents_pass_the_same_door(here: Tenants, caller: str) -> None:
    """Who may not read learns nothing over MCP, a foreign space is like none, and each tool needs its own right."""
    allowed = _permissions(caller) if caller not in OVER else frozenset()
    for tool, (need, arguments) in TOOLS.items():
        body = {**CALL, "params": {"name": tool, "arguments": arguments}}
        own, foreign, nowhere = (
            sent(here, caller, "POST /mcp", space=space, body=body, headers=MCP_HEADERS)
            for space in (OWN, FOREIGN, NOWHERE)
        )
        assert without_names(foreign, FOREIGN) == without_names(nowhere, NOWHERE)
        assert foreign.status == (401 if caller in OVER else 404)
        assert own.status == (401 if caller in OVER else 200 if READ in allowed else 403), own
        if READ in allowed:
            is_refused = b"needs the permission" in own.body
            assert is_refused is (need not in allowed), own


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_everybody_may_ask_about_themselves(here: Tenants, caller: str) -> None:
    """Who is known may ask who they are and what there is for them, and hears of nothing else."""
    for route in KNOWN:
        answer = sent(here, caller, route)
        assert answer.status == 200, (route, answer)
        assert b"globex" not in answer.body, route
    for route in PERSONAL:
        answer = sent(here, caller, route, body={"old": "x", "new": "y"})
        is_person = not caller.startswith("key ")
        assert (answer.status == 403 and field_of(answer) == "session") is not is_person, (route, answer)


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_an_organisation_is_governed_by_its_admins(here: Tenants, caller: str) -> None:
    """People, projects, keys and the trail of an organisation are for whoever administers all of it."""
    for route in GOVERNED:
        found = verdict(_governing(here, caller, route, "acme"))
        # A project's admin sees the keys of the project.
        may = caller == "owner" or (caller == "admin" and route == "GET /api/v1/keys")
        assert found == ("allowed" if may else "refused"), (route, caller)


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_a_foreign_organisation_is_like_none(here: Tenants, caller: str) -> None:
    """An organisation of somebody else is answered byte for byte like one that does not exist."""
    for route in GOVERNED:
        foreign, nowhere = (_governing(here, caller, route, name) for name in ("globex", "nobody"))
        assert verdict(foreign) == "missing", (route, foreign)
        assert without_names(foreign, "globex") == without_names(nowhere, "nobody"), route


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_a_foreign_thing_is_like_none(here: Tenants, caller: str) -> None:
    """A key, invitation, person or space of another organisation is answered like one that does not exist."""
    for route, (foreign, nowhere) in _things(here).items():
        answers = [
            sent(here, caller, re.sub(r"\{[^}]*\}", one, route), body={"is_archived": True})
            for one in (foreign, nowhere)
        ]
        assert answers[0].status == 404, (route, answers[0])
        assert without_names(answers[0], foreign) == without_names(answers[1], nowhere), route


@pytest.mark.parametrize("caller", [*ROLES, "owner", *KEYS])
def test_the_installation_is_nobodys_but_its_operators(here: Tenants, caller: str) -> None:
    """Who administers an organisation sees and changes nothing of the installation that it lives in."""
    settings, organisations = (sent(here, caller, route, body={"name": "another"}) for route in OPERATED)

    assert verdict(settings) == "missing"
    assert verdict(organisations) == "refused"


def _permissions(caller: str) -> frozenset[Permission]:
    if caller == "owner":
        return ROLE_PERMISSIONS[Role.ADMIN]
    if caller.startswith("key "):
        return POWER_PERMISSIONS[Power(caller.removeprefix("key "))]
    return ROLE_PERMISSIONS[Role(caller)]


def _body(route: str) -> dict[str, str]:
    return {name: BODY[name] for name in GOVERNED.get(route, ())} | ({"name": "x"} if "organisations" in route else {})


def _governing(here: Tenants, caller: str, route: str, organisation: str) -> Answer:
    """A request about an organisation, which it names where the route expects it."""
    if route.startswith(("POST", "PUT")):
        return sent(here, caller, route, body={**_body(route), "organisation": organisation})
    return sent(here, caller, route, query=f"?organisation={organisation}")


def _things(here: Tenants) -> dict[str, tuple[str, str]]:
    """For each route about one thing: a thing of another organisation, and one that is nowhere."""
    access = here.access
    by = access.operator
    key = _made(access.keys.list("globex", by=by), lambda: access.keys.create(
        "theirs", Power.READ, organisation="globex", project="secrets", by=by
    ).key)  # fmt: skip
    invitation = _made(
        access.people.invitations("globex", by=by),
        lambda: access.people.invite("theirs@globex.example", Role.VIEWER, organisation="globex", by=by).invitation,
    )
    return dict(
        zip(
            NAMED,
            (
                (key.id, "0" * len(key.id)),
                (invitation.id, "0" * len(invitation.id)),
                ("theirs@globex.example", "nobody@globex.example"),
                (FOREIGN, NOWHERE),
                (FOREIGN, NOWHERE),
            ),
            strict=True,
        )
    )


def _made(there: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    return there[0] if there else make()
