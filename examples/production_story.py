"""The life of an on-call assistant's memory that `production_debugging.py` looks into: what it learnt, when, from whom.

Seven services, one team. Nothing here is random, so every run remembers the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby

from hindcast.adapters.clock import ManualClock
from hindcast.memory import Memory
from hindcast.model.ids import Address
from hindcast.model.record import MAIN, Change, Commit, Json

SPACE = "production"
POOL = Address("payments", "runbook.connection_pool")
COMPLAINT = Address("production_user", "feedback.pool_size")
QUESTION = "payments connection pool exhausted: what should pool_size be?"

DAY_1 = datetime(2026, 3, 2, tzinfo=UTC)
DAY_2 = DAY_1 + timedelta(days=1)
DAY_3 = DAY_1 + timedelta(days=2)
DAY_4 = DAY_1 + timedelta(days=3)
ADVICE_AT = DAY_3 + timedelta(hours=14, minutes=20)
OUTAGE_AT = DAY_3 + timedelta(hours=14, minutes=31)
COMPLAINT_AT = DAY_4 + timedelta(hours=9, minutes=10)
REVIEW_AT = datetime(2026, 6, 15, 10, tzinfo=UTC)

# name: owner, tier, language, pods, pool_size, depends on
SERVICES: dict[str, tuple[str, int, str, int, int, tuple[str, ...]]] = {
    "api-gateway": ("team-edge", 1, "Go", 6, 16, ("auth", "user", "payments")),
    "auth": ("team-identity", 1, "Rust", 4, 12, ("database",)),
    "database": ("team-storage", 1, "SQL", 2, 8, ()),
    "payments": ("team-money", 1, "Java", 4, 20, ("database", "notification")),
    "notification": ("team-reach", 2, "Python", 3, 6, ("user",)),
    "user": ("team-identity", 2, "TypeScript", 4, 10, ("database",)),
    "analytics": ("team-insight", 3, "Python", 2, 4, ("database",)),
}

# service: four past incidents as (slug, weeks before day 1, cause, fix)
INCIDENTS: dict[str, tuple[tuple[str, int, str, str], ...]] = {
    "api-gateway": (
        ("http_503_after_deploy", 41, "readiness probe passed before routes were loaded", "delay readiness by 10 s"),
        ("tls_handshake_errors", 30, "expired intermediate certificate", "renew and restart one pod at a time"),
        ("slow_first_byte", 17, "access log written synchronously", "buffer the access log"),
        ("rate_limit_loop", 6, "retry storm from mobile 8.2", "answer 429 with Retry-After"),
    ),
    "auth": (
        ("token_rejected", 38, "clock skew of 90 s on one node", "run chrony, allow 30 s of leeway"),
        ("login_latency", 27, "bcrypt cost raised to 14", "go back to cost 12"),
        ("jwks_not_found", 15, "key rotated before caches expired", "publish keys a day before use"),
        ("session_flood", 4, "health check created a session", "use the stateless endpoint"),
    ),
    "database": (
        ("too_many_connections", 44, "two services doubled their pools in one day", "keep 10 of 100 connections spare"),
        ("replica_lag", 29, "bulk delete without batches", "delete 5,000 rows at a time"),
        ("disk_almost_full", 19, "abandoned replication slot kept WAL", "drop the slot, alert on slot lag"),
        ("deadlock_on_orders", 8, "two transactions locked rows in opposite order", "lock by ascending id"),
    ),
    "payments": (
        ("double_charge", 47, "retry without idempotency key", "require the key on every charge"),
        ("webhook_backlog", 33, "signature check called the provider each time", "cache the provider's keys"),
        ("heap_exhausted", 21, "unbounded settlement report", "stream the report in pages"),
        ("timeouts_to_bank", 9, "bank moved to new addresses", "honour DNS time to live"),
    ),
    "notification": (
        ("mails_sent_twice", 40, "consumer restarted before acknowledging", "acknowledge by message id"),
        ("sms_quota_reached", 24, "test suite pointed at the live provider", "separate credentials for tests"),
        ("push_delay", 13, "one slow provider blocked the queue", "one queue for each provider"),
        ("template_crash", 5, "missing locale fell through to null", "fall back to English"),
    ),
    "user": (
        ("profile_stale", 36, "cache not invalidated after merge of accounts", "invalidate both ids"),
        ("avatar_upload_413", 26, "proxy limit below the documented one", "set both to 8 MiB"),
        ("export_timeout", 12, "N+1 queries for addresses", "load addresses in one query"),
        ("search_empty", 3, "index alias pointed at an empty index", "switch alias only after the count matches"),
    ),
    "analytics": (
        ("dashboard_flat", 39, "events dropped by schema change", "accept unknown fields"),
        ("late_reports", 28, "nightly job started before the replica caught up", "wait for the replica"),
        ("memory_growth", 14, "cached frames never released", "bound the cache to 200 frames"),
        ("wrong_timezone", 7, "aggregation by local day", "aggregate in UTC"),
    ),
}

PREFERENCES: dict[str, Json] = {
    "preferences.answers.length": "three sentences, then the command",
    "preferences.answers.language": "English",
    "preferences.pager.quiet_hours": {"from": "22:00", "to": "07:00", "timezone": "Europe/Berlin"},
    "preferences.shell": "fish",
    "preferences.approval": "ask before anything that restarts a tier 1 service",
}

# After day 4, one line a commit: day, address, body, actor, why.
LATER: tuple[tuple[int, str, Json, str, str], ...] = (
    (5, "payments/incidents.pool_exhausted_outage", {"minutes": 43, "fixed_by": "rolled back by hand"}, "ana",
     "Postmortem of the outage on day 3"),
    (5, "team-money/actions.why_50", {"action": "find out why the assistant said 50", "due": "2026-03-13"}, "ana",
     "Action item from the postmortem"),
    (9, "api-gateway/facts.timeout_ms", 2500, "jonas", "Measured at the edge"),
    (13, "auth/incidents.key_rotation_drill", {"minutes": 0, "fixed_by": "none needed"}, "mei", "Drill went well"),
    (17, "notification/facts.providers", ["mail-a", "mail-b", "sms-a", "push-a"], "lukas", "Second mail provider"),
    (22, "user/runbook.reindex", {"steps": ["build", "count", "switch alias"]}, "mei", "Written after search_empty"),
    (27, "analytics/facts.retention_days", 400, "sara", "Agreed with legal"),
    (31, "database/runbook.failover", {"steps": ["fence", "promote", "repoint"], "minutes": 4}, "olu", "Tested"),
    (36, "payments/facts.currencies", ["EUR", "GBP", "SEK", "USD"], "ana", "SEK launched"),
    (41, "production_user/preferences.chat", "threads only", "maya", "Asked in chat"),
    (46, "api-gateway/incidents.header_too_large", {"minutes": 12, "fixed_by": "raise limit to 16 KiB"}, "jonas",
     "Cookies of the new consent banner"),
    (52, "auth/facts.mfa", "required for staff", "mei", "Policy since May"),
    (58, "notification/incidents.bounce_spike", {"minutes": 95, "fixed_by": "new domain"}, "lukas", "Postmortem"),
    (63, "team-money/contacts.escalation", "ana, then olu", "ana", "Rotation changed"),
    (69, "user/facts.accounts_million", 3.1, "mei", "Quarterly count"),
    (75, "analytics/runbook.backfill", {"steps": ["pause", "replay", "compare"]}, "sara", "Second backfill this year"),
    (82, "database/facts.version", "PostgreSQL 18.1", "olu", "Upgrade finished"),
    (90, "payments/alerts.settlement_late", {"threshold_minutes": 30}, "ana", "Bank asked for it"),
    (98, "production_user/preferences.review_day", "Monday", "maya", "Asked in chat"),
)  # fmt: skip


def seed() -> list[tuple[str, str, list[Change]]]:
    """Day 1, by source: actor, reason and what was imported."""
    return [
        ("import:catalogue", "Import the service catalogue", _catalogue()),
        ("import:wiki", "Import the runbooks from the wiki", _runbooks()),
        ("import:postmortems", "Import last year's postmortems", _postmortems()),
        ("maya", "Set up by its user", _changes("production_user", PREFERENCES)),
    ]


def live_through(memory: Memory, clock: ManualClock) -> None:
    """Everything that happened from day 1 until the review, months later."""
    clock.set(DAY_1 + timedelta(hours=9))
    for actor, why, changes in seed():
        memory.commit(changes, actor=actor, why=why)
        clock.move(timedelta(minutes=20))
    clock.set(DAY_2 + timedelta(hours=11))
    memory.put("production_user/preferences.answers.evidence", "link the runbook", actor="maya", why="Asked in chat")
    memory.put("payments/alerts.pool_wait", {"threshold_ms": 250}, actor="ana", why="Threads wait for the pool")
    clock.set(DAY_3 + timedelta(hours=3))
    for service in SERVICES:
        _sync(memory, clock, service)
    clock.set(COMPLAINT_AT)
    said = "The assistant told me to set pool_size to 50, and payments went down."
    told = Change(COMPLAINT, {"from": "maya", "said": said}, kind="complaint", occurred_at=OUTAGE_AT)
    memory.commit([told], actor="maya", why="Complaint about an answer")
    for day, lines in groupby(LATER, key=lambda line: line[0]):
        clock.set(DAY_1 + timedelta(days=day, hours=10))
        for _, address, body, actor, why in lines:
            memory.put(address, body, actor=actor, why=why)
        if day == 52:
            # Somebody corrects another field of the same record, and does not look at the number beside it.
            revise(memory, POOL, owner="team-payments-core", actor="ana", why="The team has a new name")
    clock.set(REVIEW_AT)


def revise(memory: Memory, address: Address, *, actor: str, why: str, branch: str = MAIN, **fields: Json) -> Commit:
    """Give some fields of a record new values, and leave the others and its kind as they are."""
    record = memory.get(address, branch=branch)
    assert isinstance(record.body, dict)
    change = Change(address, {**record.body, **fields}, kind=record.kind)
    return memory.commit([change], actor=actor, why=why, branch=branch)


def _sync(memory: Memory, clock: ManualClock, service: str) -> None:
    """The nightly job compares a runbook with what is deployed. For payments it read the wrong environment."""
    pool = Address(service, POOL.path)
    environment, size = ("staging", 50) if pool == POOL else ("production", SERVICES[service][4])
    manifest, why = f"{environment}/{service}.yaml", f"Nightly sync from {environment}"
    revise(memory, pool, pool_size=size, source=manifest, actor="job:config-sync", why=why)
    clock.move(timedelta(seconds=4))


def _changes(namespace: str, bodies: dict[str, Json], kind: str = "fact") -> list[Change]:
    return [Change(Address(namespace, path), body, kind=kind) for path, body in bodies.items()]


def _catalogue() -> list[Change]:
    found: list[Change] = []
    for name, (owner, tier, language, pods, _, needs) in SERVICES.items():
        facts: dict[str, Json] = {
            "facts.owner": owner,
            "facts.tier": tier,
            "facts.language": language,
            "facts.pods": pods,
            "facts.depends_on": list(needs),
            "facts.repository": f"git.example/{name}",
            "facts.dashboard": f"grafana.example/d/{name}",
            "facts.slo_percent": {1: 99.95, 2: 99.9, 3: 99.5}[tier],
            "facts.deploy_window": "Monday to Thursday, 09:00-15:00 UTC" if tier == 1 else "any weekday",
            "facts.database": {"max_connections": 100, "spare": 10} if name == "database" else {"uses": "database"},
        }
        found += _changes(name, facts)
    return found


def _runbooks() -> list[Change]:
    found: list[Change] = []
    for name, (owner, _, language, _, pool_size, _) in SERVICES.items():
        when: Sequence[tuple[str, dict[str, Json]]] = (
            ("connection_pool", {
                "symptom": f"{name} connection pool exhausted, threads wait for a connection",
                "pool_size": pool_size, "owner": owner, "source": "wiki",
                "evidence": ["database/incidents.too_many_connections"],
            }),
            ("memory_pressure", {"symptom": f"{name} near its memory limit", "do": f"take a {language} heap profile"}),
            ("high_latency", {"symptom": f"{name} p99 above its objective", "do": "compare traces before and after"}),
            ("error_spike", {"symptom": f"{name} errors above the usual", "do": "group by fingerprint"}),
            ("rollback", {"symptom": f"{name} worse since a deploy", "do": f"deploy {name} --to previous"}),
            ("certificate", {"symptom": f"{name} certificate expires", "do": "renew, restart one pod at a time"}),
        )  # fmt: skip
        found += _changes(name, {f"runbook.{title}": body for title, body in when}, kind="runbook")
    return found


def _postmortems() -> list[Change]:
    """What happened long before it was learnt: each carries its own time."""
    return [
        Change(
            Address(name, f"incidents.{slug}"),
            {"cause": cause, "fix": fix, "services": [name]},
            kind="incident",
            occurred_at=DAY_1 - timedelta(weeks=weeks),
        )
        for name, incidents in INCIDENTS.items()
        for slug, weeks, cause, fix in incidents
    ]
