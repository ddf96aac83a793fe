"""Every call of the API. Written by `make generate` from docs/reference/openapi.json; not by hand."""

# ruff: noqa
from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from hindcast.client.call import Call
from hindcast.client.generated import shapes

ALERTS_LIST: Call[shapes.PageAlert] = Call(
    "alerts_list",
    "GET",
    "/api/v1/alerts",
    query=("since", "until", "service", "cursor", "limit"),
    result=shapes.PageAlert,
)
ASK: Call[shapes.AskTold] = Call("ask", "POST", "/api/v1/ask", body=("question", "at"), result=shapes.AskTold)
ATTEMPT_ADD: Call[shapes.IncidentTold] = Call(
    "attempt_add",
    "POST",
    "/api/v1/incidents/{incident_id}/attempts",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("action", "outcome", "at", "by", "command", "diff", "config"),
    result=shapes.IncidentTold,
)
ATTEMPT_JUDGE: Call[shapes.IncidentTold] = Call(
    "attempt_judge",
    "POST",
    "/api/v1/incidents/{incident_id}/attempts/{attempt_id}",
    places=("incident_id", "attempt_id"),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("outcome", "why", "action"),
    result=shapes.IncidentTold,
)
AUDIT_LIST: Call[shapes.PageAuditEntry] = Call(
    "audit_list",
    "GET",
    "/api/v1/audit",
    query=("organisation", "since", "until", "actor", "what", "outcome", "cursor", "limit"),
    result=shapes.PageAuditEntry,
)
AUDIT_VERIFY: Call[shapes.Chained] = Call(
    "audit_verify", "GET", "/api/v1/audit/check", query=("organisation",), result=shapes.Chained
)
BRANCH_ADD: Call[shapes.BranchTold] = Call(
    "branch_add",
    "POST",
    "/api/v1/memory/branches",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("name", "at", "branch", "why"),
    result=shapes.BranchTold,
)
BRANCHES_LIST: Call[shapes.PageBranchTold] = Call(
    "branches_list", "GET", "/api/v1/memory/branches", query=("cursor", "limit"), result=shapes.PageBranchTold
)
CALLS_LIST: Call[shapes.PageEdge] = Call(
    "calls_list", "GET", "/api/v1/calls", query=("since", "until", "cursor", "limit"), result=shapes.PageEdge
)
CARD_ACCEPT: Call[shapes.CardTold] = Call(
    "card_accept",
    "POST",
    "/api/v1/cards/{card_id}/accept",
    places=("card_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("branch", "commit", "message"),
    result=shapes.CardTold,
)
CARD_GET: Call[shapes.CardTold] = Call(
    "card_get",
    "GET",
    "/api/v1/cards/{card_id}",
    places=("card_id",),
    query=("at", "branch"),
    headers={"if_none_match": "If-None-Match"},
    result=shapes.CardTold,
)
CARD_MODIFY: Call[shapes.CardTold] = Call(
    "card_modify",
    "POST",
    "/api/v1/cards/{card_id}/modify",
    places=("card_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("branch", "commit", "message", "text", "reason"),
    result=shapes.CardTold,
)
CARD_RECHECK: Call[shapes.CardTold] = Call(
    "card_recheck",
    "POST",
    "/api/v1/cards/{card_id}/recheck",
    places=("card_id",),
    headers={"idempotency_key": "Idempotency-Key"},
    result=shapes.CardTold,
)
CARD_REJECT: Call[shapes.CardTold] = Call(
    "card_reject",
    "POST",
    "/api/v1/cards/{card_id}/reject",
    places=("card_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("reason", "dont_try"),
    result=shapes.CardTold,
)
CARD_UNDO: Call[shapes.CardTold] = Call(
    "card_undo",
    "POST",
    "/api/v1/cards/{card_id}/undo",
    places=("card_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    result=shapes.CardTold,
)
CARDS_LIST: Call[shapes.DeckTold] = Call(
    "cards_list",
    "GET",
    "/api/v1/incidents/{incident_id}/cards",
    places=("incident_id",),
    query=("workspace",),
    result=shapes.DeckTold,
)
CHANGES_LIST: Call[shapes.PageSystemChange] = Call(
    "changes_list",
    "GET",
    "/api/v1/changes",
    query=("since", "until", "service", "cursor", "limit"),
    result=shapes.PageSystemChange,
)
CODE_RULE_GET: Call[shapes.RuleMatchesTold] = Call(
    "code_rule_get",
    "GET",
    "/api/v1/code-rules/{rule_id}",
    places=("rule_id",),
    query=("workspace",),
    result=shapes.RuleMatchesTold,
)
CODE_RULE_SWITCH: Call[shapes.RuleTold] = Call(
    "code_rule_switch",
    "POST",
    "/api/v1/code-rules/{rule_id}",
    places=("rule_id",),
    headers={"idempotency_key": "Idempotency-Key"},
    body=("is_on",),
    result=shapes.RuleTold,
)
CODE_RULES_LIST: Call[shapes.PageRuleTold] = Call(
    "code_rules_list", "GET", "/api/v1/code-rules", query=("cursor", "limit"), result=shapes.PageRuleTold
)
COMMIT_ADD: Call[shapes.CommitTold] = Call(
    "commit_add",
    "POST",
    "/api/v1/memory/commits",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("changes", "why", "branch", "expected_head"),
    result=shapes.CommitTold,
)
COMMIT_GET: Call[shapes.CommitChanges] = Call(
    "commit_get",
    "GET",
    "/api/v1/memory/commits/{commit}",
    places=("commit",),
    query=("shown",),
    result=shapes.CommitChanges,
)
COMMITS_LIST: Call[shapes.PageCommitTold] = Call(
    "commits_list",
    "GET",
    "/api/v1/memory/commits",
    query=("at", "branch", "every", "cursor", "limit"),
    result=shapes.PageCommitTold,
)
IMPORT_DOCUMENTS: Call[shapes.ImportResponse] = Call(
    "import_documents",
    "POST",
    "/api/v1/imports",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("documents", "dry_run"),
    result=shapes.ImportResponse,
)
IMPORT_REVIEW: Call[shapes.ReviewsResponse] = Call(
    "import_review",
    "POST",
    "/api/v1/imports/review",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("records",),
    result=shapes.ReviewsResponse,
)
INCIDENT_ACKNOWLEDGE: Call[shapes.IncidentTold] = Call(
    "incident_acknowledge",
    "POST",
    "/api/v1/incidents/{incident_id}/acknowledgement",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("by",),
    result=shapes.IncidentTold,
)
INCIDENT_DECIDE: Call[shapes.IncidentTold] = Call(
    "incident_decide",
    "POST",
    "/api/v1/incidents/{incident_id}/decision",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("verb",),
    result=shapes.IncidentTold,
)
INCIDENT_GET: Call[shapes.IncidentTold] = Call(
    "incident_get",
    "GET",
    "/api/v1/incidents/{incident_id}",
    places=("incident_id",),
    query=("at", "branch", "format"),
    headers={"if_none_match": "If-None-Match"},
    result=shapes.IncidentTold,
)
INCIDENT_JOIN: Call[shapes.IncidentTold] = Call(
    "incident_join",
    "POST",
    "/api/v1/incidents/{incident_id}/join",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("other", "why"),
    result=shapes.IncidentTold,
)
INCIDENT_RECALL: Call[shapes.AnswerTold] = Call(
    "incident_recall",
    "GET",
    "/api/v1/incidents/{incident_id}/recall",
    places=("incident_id",),
    query=("at", "branch", "tokens_max", "explain", "format"),
    result=shapes.AnswerTold,
)
INCIDENT_RESOLVE: Call[shapes.IncidentTold] = Call(
    "incident_resolve",
    "POST",
    "/api/v1/incidents/{incident_id}/resolution",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("cause", "fix", "attempt", "by", "command", "diff", "config", "minutes"),
    result=shapes.IncidentTold,
)
INCIDENT_SPLIT: Call[shapes.IncidentTold] = Call(
    "incident_split",
    "POST",
    "/api/v1/incidents/{incident_id}/split",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("services", "failure", "from_previous", "new_id", "why"),
    result=shapes.IncidentTold,
)
INCIDENTS_LIST: Call[shapes.PageIncidentGlance] = Call(
    "incidents_list",
    "GET",
    "/api/v1/incidents",
    query=("state", "severity", "service", "since", "until", "text", "at", "branch", "cursor", "limit", "format"),
    result=shapes.PageIncidentGlance,
)
INTEGRATION_TEST: Call[shapes.TrialTold] = Call(
    "integration_test", "POST", "/api/v1/integrations/{name}/test", places=("name",), result=shapes.TrialTold
)
INTEGRATIONS_LIST: Call[shapes.IntegrationsTold] = Call(
    "integrations_list", "GET", "/api/v1/integrations", result=shapes.IntegrationsTold
)
INVITATION_ACCEPT: Call[shapes.Presence] = Call(
    "invitation_accept",
    "POST",
    "/api/v1/invitations/{token}",
    places=("token",),
    body=("password", "name", "email"),
    result=shapes.Presence,
)
INVITATION_GET: Call[shapes.InvitationSeen] = Call(
    "invitation_get", "GET", "/api/v1/invitations/{token}", places=("token",), result=shapes.InvitationSeen
)
INVITATION_WITHDRAW: Call[None] = Call(
    "invitation_withdraw", "DELETE", "/api/v1/invitations/{invitation_id}", places=("invitation_id",)
)
INVITATIONS_LIST: Call[shapes.PageInvitation] = Call(
    "invitations_list",
    "GET",
    "/api/v1/invitations",
    query=("organisation", "cursor", "limit"),
    result=shapes.PageInvitation,
)
KEY_ADD: Call[shapes.NewKey] = Call(
    "key_add",
    "POST",
    "/api/v1/keys",
    body=("name", "power", "organisation", "project", "expires_at"),
    result=shapes.NewKey,
)
KEY_REVOKE: Call[shapes.Key] = Call(
    "key_revoke", "DELETE", "/api/v1/keys/{key_id}", places=("key_id",), result=shapes.Key
)
KEYS_LIST: Call[shapes.PageKey] = Call(
    "keys_list", "GET", "/api/v1/keys", query=("organisation", "project", "cursor", "limit"), result=shapes.PageKey
)
LEARNING_GET: Call[shapes.LearningTold] = Call("learning_get", "GET", "/api/v1/learning", result=shapes.LearningTold)
LIVE: Call[None] = Call(
    "live",
    "GET",
    "/api/v1/live",
    query=("kinds", "service", "level_min", "words", "template", "after"),
    headers={"last_event_id": "last-event-id"},
    accept="text/event-stream",
)
LOGS_LIST: Call[shapes.PageLineTold] = Call(
    "logs_list",
    "GET",
    "/api/v1/logs",
    query=(
        "since",
        "until",
        "service",
        "level_min",
        "words",
        "trace",
        "fingerprint",
        "newest_first",
        "cursor",
        "limit",
    ),
    result=shapes.PageLineTold,
)
MEMBER_GET: Call[shapes.MemberSeen] = Call(
    "member_get",
    "GET",
    "/api/v1/members/{person}",
    places=("person",),
    query=("organisation",),
    result=shapes.MemberSeen,
)
MEMBER_INVITE: Call[shapes.Link] = Call(
    "member_invite", "POST", "/api/v1/members", body=("email", "role", "organisation", "project"), result=shapes.Link
)
MEMBER_REMOVE: Call[None] = Call(
    "member_remove", "DELETE", "/api/v1/members/{person}", places=("person",), query=("organisation", "project")
)
MEMBER_ROLE_SET: Call[shapes.MembershipSeen] = Call(
    "member_role_set",
    "PUT",
    "/api/v1/members/{person}/role",
    places=("person",),
    headers={"if_match": "If-Match"},
    body=("role", "organisation", "project"),
    result=shapes.MembershipSeen,
)
MEMBERS_LIST: Call[shapes.PageMemberSeen] = Call(
    "members_list", "GET", "/api/v1/members", query=("organisation", "cursor", "limit"), result=shapes.PageMemberSeen
)
MEMORY_BISECT: Call[shapes.TurnTold] = Call(
    "memory_bisect",
    "GET",
    "/api/v1/memory/bisect",
    query=("text", "address", "field", "namespace", "top", "since", "until", "branch"),
    result=shapes.TurnTold,
)
MEMORY_DIFF: Call[shapes.DifferenceTold] = Call(
    "memory_diff",
    "GET",
    "/api/v1/memory/diff",
    query=("before", "after", "branch", "shown"),
    result=shapes.DifferenceTold,
)
MEMORY_ERASE: Call[shapes.ErasedTold] = Call(
    "memory_erase",
    "POST",
    "/api/v1/memory/erase",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("address", "below", "why"),
    result=shapes.ErasedTold,
)
MEMORY_LOG: Call[shapes.LogTold] = Call(
    "memory_log",
    "GET",
    "/api/v1/memory-log",
    query=("workspace", "state", "source", "incident", "q", "at", "branch", "cursor", "limit"),
    result=shapes.LogTold,
)
MEMORY_MERGE: Call[shapes.MergeTold] = Call(
    "memory_merge",
    "POST",
    "/api/v1/memory/merge",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("source", "into", "policy", "choices", "why", "expected_head"),
    result=shapes.MergeTold,
)
MEMORY_REVERT: Call[shapes.MergeTold] = Call(
    "memory_revert",
    "POST",
    "/api/v1/memory/revert",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("commit", "branch", "policy", "choices", "why"),
    result=shapes.MergeTold,
)
MEMORY_SEARCH: Call[shapes.FoundTold] = Call(
    "memory_search",
    "GET",
    "/api/v1/memory/search",
    query=(
        "text",
        "at",
        "branch",
        "arm",
        "limit",
        "namespace",
        "prefix",
        "kind",
        "actor",
        "since",
        "until",
        "happened_since",
        "happened_until",
    ),
    result=shapes.FoundTold,
)
MEMORY_VERIFY: Call[shapes.VerifiedTold] = Call(
    "memory_verify", "GET", "/api/v1/memory/verify", result=shapes.VerifiedTold
)
METRICS_LIST: Call[shapes.PageMeasureTold] = Call(
    "metrics_list",
    "GET",
    "/api/v1/metrics",
    query=("since", "until", "service", "name", "step_seconds", "cursor", "limit"),
    result=shapes.PageMeasureTold,
)
MOMENT_RESOLVE: Call[shapes.ResolvedTold] = Call(
    "moment_resolve", "GET", "/api/v1/memory/moments/resolve", query=("moment", "branch"), result=shapes.ResolvedTold
)
NAMESPACES_LIST: Call[shapes.PageNamespaceTold] = Call(
    "namespaces_list",
    "GET",
    "/api/v1/memory/namespaces",
    query=(
        "at",
        "branch",
        "cursor",
        "limit",
        "namespace",
        "prefix",
        "kind",
        "actor",
        "since",
        "until",
        "happened_since",
        "happened_until",
    ),
    result=shapes.PageNamespaceTold,
)
NOTE_ADD: Call[shapes.IncidentTold] = Call(
    "note_add",
    "POST",
    "/api/v1/incidents/{incident_id}/notes",
    places=("incident_id",),
    headers={"if_match": "If-Match", "idempotency_key": "Idempotency-Key"},
    body=("text", "by"),
    result=shapes.IncidentTold,
)
ORGANISATION_ADD: Call[shapes.Organisation] = Call(
    "organisation_add", "POST", "/api/v1/organisations", body=("name",), result=shapes.Organisation
)
ORGANISATIONS_LIST: Call[shapes.PageOrganisation] = Call(
    "organisations_list", "GET", "/api/v1/organisations", query=("cursor", "limit"), result=shapes.PageOrganisation
)
OVERVIEW_GET: Call[shapes.OverviewTold] = Call(
    "overview_get", "GET", "/api/v1/overview", query=("days", "at", "branch"), result=shapes.OverviewTold
)
PASSWORD_CHANGE: Call[None] = Call("password_change", "PUT", "/api/v1/session/password", body=("old", "new"))
PASSWORD_LINK_ADD: Call[shapes.Link] = Call(
    "password_link_add", "POST", "/api/v1/members/{person}/password-link", places=("person",), result=shapes.Link
)
PRIVACY_GET: Call[shapes.PrivacyTold] = Call("privacy_get", "GET", "/api/v1/privacy", result=shapes.PrivacyTold)
PRIVACY_TRY: Call[shapes.TextKept] = Call(
    "privacy_try", "POST", "/api/v1/privacy/try", body=("text", "name"), result=shapes.TextKept
)
RATES_GET: Call[shapes.RatesTold] = Call(
    "rates_get",
    "GET",
    "/api/v1/rates",
    query=("since", "until", "service", "step_seconds", "words"),
    result=shapes.RatesTold,
)
RECALL: Call[shapes.AnswerTold] = Call(
    "recall",
    "POST",
    "/api/v1/recall",
    body=("text", "services", "at", "branch", "hits_max", "tokens_max", "explain"),
    result=shapes.AnswerTold,
)
RECORD_BLAME: Call[shapes.PageBlameTold] = Call(
    "record_blame",
    "GET",
    "/api/v1/memory/blame",
    query=("address", "at", "branch", "cursor", "limit"),
    result=shapes.PageBlameTold,
)
RECORD_GET: Call[shapes.RecordTold] = Call(
    "record_get",
    "GET",
    "/api/v1/memory/records/{address}",
    places=("address",),
    query=("at", "branch"),
    headers={"if_none_match": "If-None-Match"},
    result=shapes.RecordTold,
)
RECORD_HISTORY: Call[shapes.PageRecordTold] = Call(
    "record_history",
    "GET",
    "/api/v1/memory/history",
    query=("address", "at", "branch", "cursor", "limit"),
    result=shapes.PageRecordTold,
)
RECORD_PUT: Call[shapes.WrittenTold] = Call(
    "record_put",
    "PUT",
    "/api/v1/memory/records/{address}",
    places=("address",),
    headers={"if_match": "If-Match", "if_none_match": "If-None-Match"},
    body=("body", "why", "kind", "text", "occurred_at", "branch"),
    result=shapes.WrittenTold,
)
RECORD_RETRACT: Call[shapes.WrittenTold] = Call(
    "record_retract",
    "DELETE",
    "/api/v1/memory/records/{address}",
    places=("address",),
    query=("why", "branch"),
    headers={"if_match": "If-Match"},
    result=shapes.WrittenTold,
)
RECORDS_LIST: Call[shapes.PageRecordTold] = Call(
    "records_list",
    "GET",
    "/api/v1/memory/records",
    query=(
        "archived",
        "at",
        "branch",
        "cursor",
        "limit",
        "namespace",
        "prefix",
        "kind",
        "actor",
        "since",
        "until",
        "happened_since",
        "happened_until",
    ),
    result=shapes.PageRecordTold,
)
RETENTION_GET: Call[shapes.RetentionTold] = Call(
    "retention_get", "GET", "/api/v1/retention", result=shapes.RetentionTold
)
SERVICES_LIST: Call[shapes.PageServiceTold] = Call(
    "services_list", "GET", "/api/v1/services", query=("cursor", "limit"), result=shapes.PageServiceTold
)
SESSION_BEGIN: Call[shapes.Presence] = Call(
    "session_begin", "POST", "/api/v1/session", body=("email", "password"), result=shapes.Presence
)
SESSION_END: Call[None] = Call("session_end", "DELETE", "/api/v1/session")
SESSION_GET: Call[shapes.Presence] = Call("session_get", "GET", "/api/v1/session", result=shapes.Presence)
SESSION_PROVIDER: Call[None] = Call("session_provider", "GET", "/api/v1/session/provider")
SESSION_PROVIDER_CALLBACK: Call[None] = Call(
    "session_provider_callback", "GET", "/api/v1/session/provider/callback", query=("state", "code", "error")
)
SESSION_REVOKE: Call[None] = Call(
    "session_revoke", "DELETE", "/api/v1/session/all/{session_id}", places=("session_id",)
)
SESSION_WAYS: Call[shapes.Ways] = Call("session_ways", "GET", "/api/v1/session/ways", result=shapes.Ways)
SESSIONS_LIST: Call[list[shapes.SessionSeen]] = Call(
    "sessions_list", "GET", "/api/v1/session/all", result=list[shapes.SessionSeen]
)
SETTINGS_LIST: Call[list[shapes.Explained]] = Call(
    "settings_list", "GET", "/api/v1/settings", result=list[shapes.Explained]
)
SIMULATOR_GET: Call[shapes.SimulatorTold] = Call(
    "simulator_get", "GET", "/api/v1/simulator", result=shapes.SimulatorTold
)
SIMULATOR_PLAY: Call[shapes.RunTold] = Call(
    "simulator_play",
    "POST",
    "/api/v1/simulator",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("scenario", "service", "errors", "rate_per_s", "seed"),
    result=shapes.RunTold,
)
SIMULATOR_STOP: Call[shapes.RunTold] = Call("simulator_stop", "DELETE", "/api/v1/simulator", result=shapes.RunTold)
SNAPSHOT_ADD: Call[shapes.SnapshotTold] = Call(
    "snapshot_add",
    "POST",
    "/api/v1/memory/snapshots",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("name", "at", "branch", "why"),
    result=shapes.SnapshotTold,
)
SNAPSHOTS_LIST: Call[shapes.PageSnapshotTold] = Call(
    "snapshots_list", "GET", "/api/v1/memory/snapshots", query=("cursor", "limit"), result=shapes.PageSnapshotTold
)
SPACE_ADD: Call[shapes.Space] = Call(
    "space_add", "POST", "/api/v1/spaces", body=("project", "organisation"), result=shapes.Space
)
SPACE_CHANGE: Call[shapes.Space] = Call(
    "space_change",
    "PATCH",
    "/api/v1/spaces/{space}",
    places=("space",),
    headers={"if_match": "If-Match"},
    body=("is_archived",),
    result=shapes.Space,
)
SPACE_GET: Call[shapes.Space] = Call(
    "space_get", "GET", "/api/v1/spaces/{space}", places=("space",), result=shapes.Space
)
SPACES_LIST: Call[shapes.PageSpace] = Call(
    "spaces_list", "GET", "/api/v1/spaces", query=("organisation", "cursor", "limit"), result=shapes.PageSpace
)
STATUS_GET: Call[shapes.HindcastRestStatusStatus] = Call(
    "status_get", "GET", "/api/v1/status", result=shapes.HindcastRestStatusStatus
)
TRACE_GET: Call[shapes.TraceTold] = Call(
    "trace_get", "GET", "/api/v1/traces/{trace}", places=("trace",), result=shapes.TraceTold
)
VERDICT_ADD: Call[shapes.VerdictTold] = Call(
    "verdict_add",
    "POST",
    "/api/v1/incidents/{incident_id}/verdicts",
    places=("incident_id",),
    headers={"idempotency_key": "Idempotency-Key"},
    body=("judgement", "asked", "incident", "action", "why"),
    result=shapes.VerdictTold,
)
WORKSPACE_ADD: Call[shapes.WorkspaceTold] = Call(
    "workspace_add",
    "POST",
    "/api/v1/workspaces",
    headers={"idempotency_key": "Idempotency-Key"},
    body=("name", "path", "url"),
    result=shapes.WorkspaceTold,
)
WORKSPACE_BLAME: Call[list[shapes.BlamedTold]] = Call(
    "workspace_blame",
    "GET",
    "/api/v1/workspaces/{name}/blame",
    places=("name",),
    query=("path", "first", "last"),
    result=list[shapes.BlamedTold],
)
WORKSPACE_EDIT: Call[shapes.EditedTold] = Call(
    "workspace_edit",
    "PUT",
    "/api/v1/workspaces/{name}/file",
    places=("name",),
    query=("path",),
    headers={"if_match": "If-Match", "if_none_match": "If-None-Match"},
    body=("text",),
    result=shapes.EditedTold,
)
WORKSPACE_FILE: Call[shapes.FileTold] = Call(
    "workspace_file",
    "GET",
    "/api/v1/workspaces/{name}/file",
    places=("name",),
    query=("path", "at"),
    headers={"if_none_match": "If-None-Match"},
    result=shapes.FileTold,
)
WORKSPACE_GET: Call[shapes.WorkspaceStateTold] = Call(
    "workspace_get", "GET", "/api/v1/workspaces/{name}", places=("name",), result=shapes.WorkspaceStateTold
)
WORKSPACE_LENS: Call[shapes.LensTold] = Call(
    "workspace_lens", "GET", "/api/v1/workspaces/{name}/lens", places=("name",), query=("path",), result=shapes.LensTold
)
WORKSPACE_PATHS: Call[list[str]] = Call(
    "workspace_paths",
    "GET",
    "/api/v1/workspaces/{name}/paths",
    places=("name",),
    query=("text", "limit"),
    result=list[str],
)
WORKSPACE_REFRESH: Call[shapes.WorkspaceStateTold] = Call(
    "workspace_refresh", "POST", "/api/v1/workspaces/{name}/refresh", places=("name",), result=shapes.WorkspaceStateTold
)
WORKSPACE_REMOVE: Call[shapes.WorkspaceTold] = Call(
    "workspace_remove",
    "DELETE",
    "/api/v1/workspaces/{name}",
    places=("name",),
    query=("files",),
    result=shapes.WorkspaceTold,
)
WORKSPACE_SEARCH: Call[list[shapes.FoundLine]] = Call(
    "workspace_search",
    "GET",
    "/api/v1/workspaces/{name}/search",
    places=("name",),
    query=("text", "limit"),
    result=list[shapes.FoundLine],
)
WORKSPACE_TREE: Call[shapes.PageTreeEntry] = Call(
    "workspace_tree",
    "GET",
    "/api/v1/workspaces/{name}/tree",
    places=("name",),
    query=("path", "cursor", "limit"),
    result=shapes.PageTreeEntry,
)
WORKSPACE_UPLOAD: Call[shapes.UploadedTold] = Call(
    "workspace_upload",
    "POST",
    "/api/v1/workspaces/{name}/upload",
    places=("name",),
    query=("drop_top",),
    body=("body",),
    result=shapes.UploadedTold,
    sends="application/zip",
)
WORKSPACES_LIST: Call[shapes.PageWorkspaceTold] = Call(
    "workspaces_list", "GET", "/api/v1/workspaces", query=("cursor", "limit"), result=shapes.PageWorkspaceTold
)

CALLS: tuple[Call[Any], ...] = (
    ALERTS_LIST,
    ASK,
    ATTEMPT_ADD,
    ATTEMPT_JUDGE,
    AUDIT_LIST,
    AUDIT_VERIFY,
    BRANCH_ADD,
    BRANCHES_LIST,
    CALLS_LIST,
    CARD_ACCEPT,
    CARD_GET,
    CARD_MODIFY,
    CARD_RECHECK,
    CARD_REJECT,
    CARD_UNDO,
    CARDS_LIST,
    CHANGES_LIST,
    CODE_RULE_GET,
    CODE_RULE_SWITCH,
    CODE_RULES_LIST,
    COMMIT_ADD,
    COMMIT_GET,
    COMMITS_LIST,
    IMPORT_DOCUMENTS,
    IMPORT_REVIEW,
    INCIDENT_ACKNOWLEDGE,
    INCIDENT_DECIDE,
    INCIDENT_GET,
    INCIDENT_JOIN,
    INCIDENT_RECALL,
    INCIDENT_RESOLVE,
    INCIDENT_SPLIT,
    INCIDENTS_LIST,
    INTEGRATION_TEST,
    INTEGRATIONS_LIST,
    INVITATION_ACCEPT,
    INVITATION_GET,
    INVITATION_WITHDRAW,
    INVITATIONS_LIST,
    KEY_ADD,
    KEY_REVOKE,
    KEYS_LIST,
    LEARNING_GET,
    LIVE,
    LOGS_LIST,
    MEMBER_GET,
    MEMBER_INVITE,
    MEMBER_REMOVE,
    MEMBER_ROLE_SET,
    MEMBERS_LIST,
    MEMORY_BISECT,
    MEMORY_DIFF,
    MEMORY_ERASE,
    MEMORY_LOG,
    MEMORY_MERGE,
    MEMORY_REVERT,
    MEMORY_SEARCH,
    MEMORY_VERIFY,
    METRICS_LIST,
    MOMENT_RESOLVE,
    NAMESPACES_LIST,
    NOTE_ADD,
    ORGANISATION_ADD,
    ORGANISATIONS_LIST,
    OVERVIEW_GET,
    PASSWORD_CHANGE,
    PASSWORD_LINK_ADD,
    PRIVACY_GET,
    PRIVACY_TRY,
    RATES_GET,
    RECALL,
    RECORD_BLAME,
    RECORD_GET,
    RECORD_HISTORY,
    RECORD_PUT,
    RECORD_RETRACT,
    RECORDS_LIST,
    RETENTION_GET,
    SERVICES_LIST,
    SESSION_BEGIN,
    SESSION_END,
    SESSION_GET,
    SESSION_PROVIDER,
    SESSION_PROVIDER_CALLBACK,
    SESSION_REVOKE,
    SESSION_WAYS,
    SESSIONS_LIST,
    SETTINGS_LIST,
    SIMULATOR_GET,
    SIMULATOR_PLAY,
    SIMULATOR_STOP,
    SNAPSHOT_ADD,
    SNAPSHOTS_LIST,
    SPACE_ADD,
    SPACE_CHANGE,
    SPACE_GET,
    SPACES_LIST,
    STATUS_GET,
    TRACE_GET,
    VERDICT_ADD,
    WORKSPACE_ADD,
    WORKSPACE_BLAME,
    WORKSPACE_EDIT,
    WORKSPACE_FILE,
    WORKSPACE_GET,
    WORKSPACE_LENS,
    WORKSPACE_PATHS,
    WORKSPACE_REFRESH,
    WORKSPACE_REMOVE,
    WORKSPACE_SEARCH,
    WORKSPACE_TREE,
    WORKSPACE_UPLOAD,
    WORKSPACES_LIST,
)
