"""Signing in over HTTP: passwords, cookies, one-time links; then projects, people, keys and the trail."""

from __future__ import annotations

from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from tests.serving import wait_for
from tests.tenants import OWN, PASSWORD, Tenants, bearer, cookie, tenants

from hindcast.model.access import Power, Role

VIEWER = {"email": "viewer@acme.example", "password": PASSWORD}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """A Hindcast where everybody has to say who they are."""
    with tenants(tmp_path_factory.mktemp("signing")) as made:
        yield made


def set_cookie(answer: Any) -> Any:
    """The cookie that an answer sets."""
    return SimpleCookie(answer.headers["Set-Cookie"])["hindcast"]


# --- Sessions ---------------------------------------------------------------------------------------------------------


def test_a_password_begins_a_session(here: Tenants) -> None:
    """Who signs in gets a cookie that no script reads, and learns who they are and what they may do where."""
    answer = here.client.post("/api/v1/session", json=VIEWER)
    made = set_cookie(answer)
    told = answer.json()

    assert answer.status_code == 200
    assert (made["httponly"], made["samesite"].lower(), made["path"]) == (True, "lax", "/")
    assert answer.headers["Cache-Control"] == "no-store"
    assert (told["actor"], told["space"]) == ("viewer@acme.example", OWN)
    assert told["spaces"] == [{"space": OWN, "permissions": ["read"]}]
    assert here.client.get("/api/v1/session", headers={"Cookie": f"hindcast={made.value}"}).json() == told
    here.client.cookies.clear()


@pytest.mark.parametrize("email", ["viewer@acme.example", "nobody@acme.example", "not an address"])
def test_a_wrong_password_says_nothing_more(here: Tenants, email: str) -> None:
    """Whether an address is known cannot be learnt from being refused."""
    answer = here.client.post("/api/v1/session", json={"email": email, "password": "wrong but long enough"})

    assert answer.status_code == 401
    assert answer.json()["detail"] == "E-mail address or password are wrong."
    assert "Set-Cookie" not in answer.headers


def test_guessing_becomes_slow(here: Tenants) -> None:
    """After some wrong passwords for one account the next has to wait, right or wrong."""
    said = {"email": "maintainer@acme.example", "password": "guess after guess"}
    statuses = [here.client.post("/api/v1/session", json=said).status_code for _ in range(30)]

    assert 429 in statuses
    answer = here.client.post("/api/v1/session", json=said | {"password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_session_needs_the_page_that_began_it(here: Tenants) -> None:
    """A cookie alone reads; what changes something has to show the csrf value of that very session."""
    own, other = here.callers["responder"], here.callers["viewer"]
    bare = {"Cookie": own["Cookie"]}
    said = {"text": "a note"}

    assert here.client.get("/api/v1/session", headers=bare).status_code == 200
    for headers in (bare, {**bare, "X-Hindcast-CSRF": "guess"}, {**other, "Cookie": own["Cookie"]}):
        refused = here.client.post("/api/v1/incidents/x/notes", json=said, headers=headers)
        assert (refused.status_code, refused.json()["field"]) == (403, "X-Hindcast-CSRF")
    assert here.client.post("/api/v1/incidents/x/notes", json=said, headers=own).status_code == 404


def test_a_page_of_somebody_else_gains_nothing_from_a_cookie(here: Tenants) -> None:
    """Even with the right csrf value a request that another origin made is refused."""
    headers = {**here.callers["responder"], "Origin": "https://evil.example"}

    assert here.client.post("/api/v1/incidents/x/notes", json={"text": "x"}, headers=headers).status_code == 403


def test_a_page_cannot_sign_somebody_in(here: Tenants) -> None:
    """A form on another site cannot make a browser begin a session of the attacker's."""
    answer = here.client.post("/api/v1/session", json=VIEWER, headers={"Origin": "https://evil.example"})

    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers


def test_signing_out_ends_the_session_at_once(here: Tenants) -> None:
    """After signing out the cookie is worth nothing, wherever it has been copied to, and can still be thrown away."""
    made = set_cookie(here.client.post("/api/v1/session", json=VIEWER)).value
    here.client.cookies.clear()
    bare = here.client.delete("/api/v1/session", headers={"Cookie": f"hindcast={made}"})
    ended = here.client.delete("/api/v1/session", headers=cookie(made))
    again = here.client.delete("/api/v1/session", headers={"Cookie": f"hindcast={made}"})

    assert (bare.status_code, ended.status_code, again.status_code) == (403, 204, 204)
    assert set_cookie(ended).value == set_cookie(again).value == ""
    assert here.client.get("/api/v1/session", headers={"Cookie": f"hindcast={made}"}).status_code == 401


def test_another_password_ends_the_other_sessions(here: Tenants) -> None:
    """Who changes the password stays signed in here and is signed out everywhere else."""
    _invited(here, "changes@acme.example")
    person = {"email": "changes@acme.example", "password": PASSWORD}
    first, second = (set_cookie(here.client.post("/api/v1/session", json=person)).value for _ in range(2))
    here.client.cookies.clear()
    said = {"old": PASSWORD, "new": "another long enough password"}
    wrong = here.client.put("/api/v1/session/password", json=said | {"old": "not this one"}, headers=cookie(first))
    changed = here.client.put("/api/v1/session/password", json=said, headers=cookie(first))
    statuses = [here.client.get("/api/v1/session", headers=cookie(one)).status_code for one in (first, second)]

    assert wrong.status_code in (401, 403)
    assert (changed.status_code, statuses) == (204, [200, 401])


def test_sessions_elsewhere_can_be_seen_and_ended(here: Tenants) -> None:
    """A person sees where they are signed in, and can end what they do not know."""
    lost = set_cookie(here.client.post("/api/v1/session", json={**VIEWER, "email": "admin@acme.example"})).value
    here.client.cookies.clear()
    admin = here.callers["admin"]
    seen = here.client.get("/api/v1/session/all", headers=admin).json()
    newest = max(seen, key=lambda one: str(one["created_at"]))
    ended = here.client.delete(f"/api/v1/session/all/{newest['id']}", headers=admin)

    assert len(seen) == 2
    assert ended.status_code == 204
    assert here.client.get("/api/v1/session", headers=cookie(lost)).status_code == 401
    assert here.client.get("/api/v1/session", headers=admin).status_code == 200


def test_ways_to_sign_in_are_known_before(here: Tenants) -> None:
    """A page that shows a form knows whether there is a provider, and nothing about anybody."""
    assert here.client.get("/api/v1/session/ways").json() == {"is_open": False, "password": True, "provider": ""}
    assert here.client.get("/api/v1/session/provider").json()["field"] == "oidc_issuer"


# --- One-time links ---------------------------------------------------------------------------------------------------


def test_an_invitation_is_followed_once(here: Tenants) -> None:
    """The link shows what it is for, makes a member with a password, signs them in, and is gone."""
    owner = here.callers["owner"]
    said = {"email": "new@acme.example", "role": "responder", "organisation": "acme", "project": "payments"}
    made = here.client.post("/api/v1/members", json=said, headers=owner)
    token = made.json()["link"].rpartition("/")[2]
    shown = here.client.get(f"/api/v1/invitations/{token}").json()
    weak = here.client.post(f"/api/v1/invitations/{token}", json={"password": "short", "name": "New"})
    accepted = here.client.post(f"/api/v1/invitations/{token}", json={"password": PASSWORD, "name": "New"})
    here.client.cookies.clear()
    again = here.client.post(f"/api/v1/invitations/{token}", json={"password": PASSWORD, "name": "New"})
    unknown = here.client.get("/api/v1/invitations/nosuch")

    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    assert (shown["email"], shown["role"], shown["project"]) == ("new@acme.example", "responder", "payments")
    assert (weak.status_code, weak.json()["field"]) == (400, "password")
    assert accepted.json()["spaces"] == [{"space": OWN, "permissions": ["read", "record", "respond"]}]
    assert again.status_code == unknown.status_code == 404
    assert again.json() == unknown.json()


def test_an_invitation_can_be_withdrawn(here: Tenants) -> None:
    """What was withdrawn is not listed, and its link leads nowhere."""
    owner = here.callers["owner"]
    said = {"email": "late@acme.example", "role": "viewer", "organisation": "acme"}
    made = here.client.post("/api/v1/members", json=said, headers=owner).json()
    listed = here.client.get("/api/v1/invitations", headers=owner).json()["items"]
    gone = here.client.delete(f"/api/v1/invitations/{made['invitation']['id']}", headers=owner)
    token = made["link"].rpartition("/")[2]

    assert made["invitation"]["id"] in [one["id"] for one in listed]
    assert gone.status_code == 204
    assert here.client.get(f"/api/v1/invitations/{token}").status_code == 404


# --- People, projects, keys, the trail --------------------------------------------------------------------------------


def test_a_role_is_changed_by_who_has_read_it(here: Tenants) -> None:
    """A role counts from the next request on; who decided on an older state is told so (412)."""
    owner = here.callers["owner"]
    _invited(here, "moves@acme.example")
    path = "/api/v1/members/moves@acme.example"
    read = here.client.get(path, headers=owner)
    said = {"role": "maintainer", "project": "payments"}
    first = here.client.put(f"{path}/role", json=said, headers={**owner, "If-Match": read.headers["ETag"]})
    second = here.client.put(f"{path}/role", json=said, headers={**owner, "If-Match": read.headers["ETag"]})

    assert (first.status_code, first.json()["role"]) == (200, "maintainer")
    assert (second.status_code, second.json()["type"]) == (412, "/problems/stale")


def test_who_is_removed_is_out_at_once(here: Tenants) -> None:
    """A member who was removed can do nothing with a session that was good a moment before."""
    owner, gone = here.callers["owner"], _invited(here, "goes@acme.example")
    before = here.client.get("/api/v1/incidents", params={"space": OWN}, headers=gone)
    removed = here.client.delete("/api/v1/members/goes@acme.example", headers=owner)
    after = here.client.get("/api/v1/incidents", params={"space": OWN}, headers=gone)

    assert (before.status_code, removed.status_code) == (200, 204)
    assert after.status_code in (401, 404)


def test_the_last_admin_stays(here: Tenants) -> None:
    """An organisation is not left without an admin."""
    owner = here.callers["owner"]
    here.client.delete("/api/v1/members/left@acme.example", headers=owner)
    answer = here.client.delete("/api/v1/members/owner@acme.example", headers=owner)

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/refused")


def test_a_key_is_told_once_and_ends_at_once(here: Tenants) -> None:
    """The secret of a key is in the answer that makes it and nowhere else; revoked, it opens nothing."""
    owner = here.callers["owner"]
    said = {"name": "once", "power": "read", "organisation": "acme", "project": "payments"}
    made = here.client.post("/api/v1/keys", json=said, headers=owner)
    secret, known = made.json()["secret"], made.json()["key"]
    listed = here.client.get("/api/v1/keys", headers=owner)
    used = here.client.get("/api/v1/incidents", headers=bearer(secret))
    revoked = here.client.delete(f"/api/v1/keys/{known['id']}", headers=owner)
    after = here.client.get("/api/v1/incidents", headers=bearer(secret))

    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    assert known["id"] in [one["id"] for one in listed.json()["items"]]
    assert secret not in listed.text
    assert secret.rpartition("_")[2] not in listed.text
    assert (used.status_code, revoked.status_code, after.status_code) == (200, 200, 401)
    assert revoked.json()["revoked_at"] is not None


def test_no_key_makes_keys(here: Tenants) -> None:
    """Who holds a key cannot make another that outlives it."""
    said = {"name": "child", "power": "read", "organisation": "acme", "project": "payments"}

    assert here.client.post("/api/v1/keys", json=said, headers=here.callers["key write"]).status_code == 403


def test_lists_continue_where_they_end(here: Tenants) -> None:
    """Pages of keys, put together, are all keys, each once."""
    for number in range(5):
        here.access.keys.create(
            f"page {number}", Power.READ, organisation="acme", project="payments", by=here.access.operator
        )
    owner, found, cursor = here.callers["owner"], list[str](), None
    while True:
        params = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = here.client.get("/api/v1/keys", params=params, headers=owner).json()
        found += [one["id"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break

    assert sorted(found) == sorted(one.id for one in here.access.keys.list("acme", by=here.access.operator))


def test_a_project_is_made_archived_and_restored(here: Tenants) -> None:
    """An archived project can be read and takes nothing in; restored, it does again."""
    owner = here.callers["owner"]
    made = here.client.post("/api/v1/spaces", json={"project": "old-shop"}, headers=owner)
    space = made.json()["space"]
    path = f"/api/v1/spaces/{space}"
    archived = here.client.patch(path, json={"is_archived": True}, headers={**owner, "If-Match": made.headers["ETag"]})
    named = {**owner, "X-Hindcast-Space": space}
    sent, read = (
        here.client.post("/api/v1/lines", content="x", headers=named),
        here.client.get("/api/v1/incidents", headers=named),
    )
    stale = here.client.patch(path, json={"is_archived": False}, headers={**owner, "If-Match": made.headers["ETag"]})
    here.client.patch(path, json={"is_archived": False}, headers=owner)
    again = here.client.post("/api/v1/lines", content="x", headers=named)

    assert (made.status_code, space) == (201, "acme/old-shop")
    assert archived.json()["archived_at"] is not None
    assert (sent.status_code, read.status_code, stale.status_code, again.status_code) == (403, 200, 412, 200)


def test_the_trail_says_who_did_and_saw_what(here: Tenants) -> None:
    """Reads, writes and refusals stand in the trail with who and from where; pages and CSV agree, and it verifies."""
    here.client.get("/api/v1/incidents", params={"space": OWN}, headers=here.callers["viewer"])
    here.client.post("/api/v1/memory/erase", json={}, headers={**here.callers["viewer"], "X-Hindcast-Space": OWN})
    owner = here.callers["owner"]
    refused = here.client.get(
        "/api/v1/audit", params={"outcome": "refused", "actor": "viewer@acme.example"}, headers=owner
    )
    entry = next(one for one in refused.json()["items"] if "erase" in one["what"])
    checked = here.client.get("/api/v1/audit/check", headers=owner).json()
    # What is seen is written a moment later, so that there may be more of it by now, and never less.
    csv = here.client.get("/api/v1/audit", headers={**owner, "Accept": "text/csv"})

    assert (entry["actor"], entry["space"], entry["peer"]) == ("viewer@acme.example", OWN, "127.0.0.1")
    assert "POST /api/v1/memory/erase" in entry["what"]
    assert csv.headers["Content-Type"].startswith("text/csv")
    assert "attachment" in csv.headers["Content-Disposition"]
    assert len(csv.text.splitlines()) > checked["entries"]
    assert checked["faults"] == []


def test_the_trail_says_which_incident_was_seen(here: Tenants) -> None:
    """Two incidents that somebody looks at within a minute are two entries; one that is looked at twice is one."""
    headers = {**here.callers["viewer"], "X-Hindcast-Space": OWN}
    for incident in ("one", "two", "two"):
        here.client.get(f"/api/v1/incidents/{incident}", headers=headers)
    wanted = {"what": "GET /api/v1/incidents/{incident_id}", "actor": "viewer@acme.example"}

    def seen() -> list[str]:
        found = here.client.get("/api/v1/audit", params=wanted, headers=here.callers["owner"]).json()["items"]
        return sorted(one["subject"] for one in found)

    assert wait_for(lambda: seen() == ["one", "two"], what="the trail to be written")


def test_what_a_spreadsheet_would_run_is_text(here: Tenants) -> None:
    """A key that is called like a formula is a text in the exported trail."""
    owner = here.callers["owner"]
    said = {"name": "=HYPERLINK(1)", "power": "read", "organisation": "acme", "project": "payments"}
    here.client.post("/api/v1/keys", json=said, headers=owner).raise_for_status()
    csv = here.client.get("/api/v1/audit", headers={**owner, "Accept": "text/csv"}).text

    assert "=HYPERLINK(1)" in csv
    assert not [cell for line in csv.splitlines() for cell in line.split(",") if cell.lstrip('"').startswith("=")]


def test_settings_are_shown_to_the_operator_without_secrets(here: Tenants) -> None:
    """Whoever administers the installation's own space sees every setting; a secret is never among the values."""
    access = here.access
    made = access.people.invite("root@home.example", Role.ADMIN, organisation="home", by=access.operator)
    signed = access.signing.accept(made.secret, password=PASSWORD, name="Root", peer="")
    told = here.client.get("/api/v1/settings", headers=cookie(signed.secret)).json()

    assert {"auth": "required"}.items() <= {one["name"]: one["value"] for one in told}.items()
    assert all(one["what"] for one in told)
    assert here.client.get("/api/v1/settings", headers=here.callers["owner"]).status_code == 404


def _invited(here: Tenants, email: str) -> dict[str, str]:
    made = here.access.people.invite(
        email, Role.VIEWER, organisation="acme", project="payments", by=here.access.operator
    )
    return cookie(here.access.signing.accept(made.secret, password=PASSWORD, name=email, peer="").secret)
