"""Who may see and do what to workspaces over HTTP, and what the audit trail says of it."""

from __future__ import annotations

from pathlib import Path

from tests.tenants import OWN, tenants

CODE = "/api/v1/workspaces"


def test_the_server_says_where_files_lie_only_to_those_who_may_change_them(tmp_path: Path) -> None:
    """A viewer sees which workspaces there are, not where; what was done is in the audit trail, in whose name."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code/a.py").write_text("a\n")
    with tenants(tmp_path, requests_per_minute=0, workspace_roots=f"acme={tmp_path / 'code'}") as made:
        ask = made.client.request
        seats = {who: {**made.callers[who], "X-Hindcast-Space": OWN} for who in ("maintainer", "viewer", "responder")}
        said = {"name": "shop", "path": str(tmp_path / "code")}
        assert ask("POST", CODE, json=said, headers=seats["responder"]).status_code == 403
        assert ask("POST", CODE, json=said, headers=seats["maintainer"]).status_code == 201
        roots = {who: ask("GET", CODE, headers=seats[who]).json()["items"][0]["root"] for who in seats}
        assert roots == {"maintainer": said["path"], "viewer": "", "responder": ""}
        edit = {**seats["responder"], "If-None-Match": "*"}
        assert ask("PUT", f"{CODE}/shop/file?path=b.py", json={"text": "b\n"}, headers=edit).status_code == 200
        assert ask("DELETE", f"{CODE}/shop", headers=seats["maintainer"]).status_code == 200
        entries = made.access.audit.entries("acme", by=made.access.operator, what="workspace", limit=20)
        told = [(one.what, one.subject) for one in entries if one.what.endswith("workspace")]
        assert told == [("remove workspace", "shop"), ("edit workspace", "shop b.py"), ("add workspace", "shop")]
