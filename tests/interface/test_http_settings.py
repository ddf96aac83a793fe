"""Integrations, retention and privacy over HTTP: who may, what is kept how long, what is taken out and what leaves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.resting import resting
from tests.tenants import FOREIGN, OWN, PASSWORD, cookie, tenants

from hindcast.adapters.clock import ManualClock
from hindcast.model.access import Role

SPACE = "local"


def test_syslog_that_is_off_says_how_to_turn_it_on(tmp_path: Path) -> None:
    """A way in that is not listened on is not taken, and the answer says what to set."""
    with resting(tmp_path) as made:
        told = made.ask("POST", "/api/v1/integrations/syslog/test", SPACE).json()

        assert (told["is_taken"], told["taken"]) == (False, {})
        assert "HINDCAST_SYSLOG_PORT" in told["problem"]
        items = made.get("/api/v1/integrations", SPACE)["items"]
        assert next(one for one in items if one["name"] == "syslog")["why_off"] == told["problem"]


def test_an_archived_project_takes_no_test(tmp_path: Path) -> None:
    """A try passes the same door as a sender: where nothing may be sent it is refused, with the reason."""
    with tenants(tmp_path) as made:
        headers = {**made.callers["owner"], "X-Hindcast-Space": OWN}
        made.client.patch(f"/api/v1/spaces/{OWN}", json={"is_archived": True}, headers=headers).raise_for_status()
        told = made.client.post("/api/v1/integrations/loki/test", headers=headers).json()

        assert (told["is_taken"], told["status"]) == (False, 403)
        assert "archived" in told["problem"]


def test_only_an_admin_tries_a_way_in(tmp_path: Path) -> None:
    """Viewers, responders and maintainers are refused; an admin may, in their own project only, and it is on record."""
    with tenants(tmp_path, requests_per_minute=0) as people:
        for caller, status in (("viewer", 403), ("responder", 403), ("maintainer", 403), ("admin", 200)):
            headers = {**people.callers[caller], "X-Hindcast-Space": OWN}
            assert people.client.post("/api/v1/integrations/loki/test", headers=headers).status_code == status, caller
        foreign = {**people.callers["admin"], "X-Hindcast-Space": FOREIGN}
        assert people.client.post("/api/v1/integrations/loki/test", headers=foreign).status_code == 404
        trail = people.access.audit.entries("acme", by=people.access.operator, what="integrations/{name}/test")

        assert {(one.actor, str(one.outcome), one.subject) for one in trail} >= {
            ("admin@acme.example", "allowed", "loki"),
            ("viewer@acme.example", "refused", "loki"),
        }


def test_a_wrong_key_is_told_to_whoever_runs_it(tmp_path: Path) -> None:
    """What was refused before anybody knew whose it is belongs to no project: others do not hear of it."""
    with tenants(tmp_path) as made:
        for _ in range(2):
            refused = made.client.post("/v1/logs", headers=made.callers["forged"], json={})
            assert refused.status_code == 401
        theirs = {**made.callers["admin"], "X-Hindcast-Space": OWN}
        told = made.client.get("/api/v1/integrations", headers=theirs).json()
        assert told["unclaimed"] == []
        by = made.access.operator
        runs_it = made.access.people.invite("root@example.org", Role.ADMIN, organisation="home", by=by)
        signed = made.access.signing.accept(runs_it.secret, password=PASSWORD, name="root", peer="")
        (found,) = made.client.get("/api/v1/integrations", headers=cookie(signed.secret)).json()["unclaimed"]
        assert (found["name"], found["refused_lately"], found["last_error"]["status"]) == ("otlp", 2, 401)
        assert "key is not known" in found["last_error"]["problem"]


def test_retention_tells_what_is_there(tmp_path: Path) -> None:
    """Each kind says for how long and how much there is; memory has no end, and every project its own figures."""
    now = datetime.now(UTC)
    with resting(tmp_path, ManualClock(now), telemetry_days=7) as made:
        at = str(int((now - timedelta(hours=1)).timestamp()) * 10**9)
        line = {"streams": [{"stream": {"service_name": "a"}, "values": [[at, "one"], [at, "two"]]}]}
        made.ask("POST", "/loki/api/v1/push", "shop", status=204, json=line)
        made.memory("shop").put("notes/a", {"n": 1}, actor="ana", why="a fact")
        made.memory("shop").put("notes/b", {"n": 1}, actor="ana", why="a fact")
        kinds = {one["kind"]: one for one in made.get("/api/v1/retention", "shop")["kinds"]}

        assert (kinds["log"]["days"], kinds["log"]["rows"]) == (7, 2)
        assert kinds["log"]["oldest_at"].startswith((now - timedelta(hours=1)).isoformat()[:16])
        assert kinds["log"]["variable"] == "HINDCAST_TELEMETRY_DAYS"
        assert (kinds["memory"]["days"], kinds["memory"]["rows"]) == (0, 2)
        assert kinds["memory"]["oldest_at"].startswith(now.date().isoformat())
        assert kinds["metric"] | {"rows": 0, "oldest_at": None} == kinds["metric"]
        other = {one["kind"]: one for one in made.get("/api/v1/retention", "other")["kinds"]}
        assert (other["log"]["rows"], other["memory"]["rows"]) == (0, 0)


def test_what_is_taken_out_is_counted(tmp_path: Path) -> None:
    """Each kind says whether it is on, and how many were taken out since the start."""
    with resting(tmp_path, redact_on="iban", redact_off="email") as made:
        line = {"streams": [{"stream": {"service_name": "a"}, "values": [["1700000000000000000", "password=hunter2"]]}]}
        made.ask("POST", "/loki/api/v1/push", SPACE, status=204, json=line)
        kinds = {one["kind"]: one for one in made.get("/api/v1/privacy", SPACE)["kinds"]}

        assert (kinds["password"]["count"], kinds["password"]["is_on"]) == (1, True)
        assert (kinds["iban"]["is_on"], kinds["iban"]["is_on_if_unsaid"]) == (True, False)
        assert (kinds["email"]["is_on"], kinds["ssn"]["is_on"]) == (False, False)
        assert all(one["what"] for one in kinds.values()), "each is told in words"


def test_what_leaves_the_machine_is_told(tmp_path: Path) -> None:
    """Without settings nothing leaves; a model at an address elsewhere does, and only who runs it hears where."""
    with resting(tmp_path) as made:
        leaves = {one["name"]: one["goes"] for one in made.get("/api/v1/privacy", SPACE)["leaves"]}
        assert leaves["ask_model"] == leaves["embed_url"] == leaves["otel_endpoint"] == "nowhere"
        assert leaves["store"] == leaves["telemetry"] == "here"
    settings: dict[str, str | int] = {"otel_endpoint": "http://collector.example.com:4318"}
    with tenants(tmp_path / "more", **settings) as people:
        headers = {**people.callers["viewer"], "X-Hindcast-Space": OWN}
        told = people.client.get("/api/v1/privacy", headers=headers).json()["leaves"]
        own = next(one for one in told if one["name"] == "otel_endpoint")
        assert (own["goes"], own["where"]) == ("elsewhere", "")
