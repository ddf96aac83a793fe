"""The ten scenarios, each told once. docs/reference/scenarios.md is the page for people; a test compares the two."""

from __future__ import annotations

from hindcast.model.errors import Missing
from hindcast.simulate.scenario import Deploy, Drift, Expected, Fault, Phase, Scenario, Truth, Wave, Way, truth_of

# One length of quiet for all: a window of the fixed rule passes before anything happens.
QUIET_SECONDS = 120

POOL_EXHAUSTION = Scenario(
    name="pool-exhaustion",
    sentence="The database runs out of connections, and whoever needs one waits until it gives up.",
    told=(
        (Phase.BUILDING, "transactions stay open, and free connections of database become few"),
        (Phase.OUTAGE, "database refuses connections; its callers time out one after the other"),
        (Phase.RECOVERY, "idle transactions are ended, and connections come free again"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=60,
    outage_seconds=150,
    recovery_seconds=40,
    faults=(
        Fault("database", Way.POOL, error_share=0.35, warn_share=0.15, latency_factor=4),
        Fault("payment", Way.POOL, "database", 8, error_share=0.4, warn_share=0.1, latency_factor=12),
        Fault("user", Way.POOL, "database", 15, error_share=0.35, warn_share=0.1, latency_factor=10),
        Fault("auth", Way.POOL, "database", 22, error_share=0.3, warn_share=0.1, latency_factor=9),
        Fault("api-gateway", Way.TIMEOUT, "payment", 30, error_share=0.25, warn_share=0.05, latency_factor=8),
        Fault("notification", Way.TIMEOUT, "user", 42, error_share=0.25, warn_share=0.05, latency_factor=5),
    ),
    expected=Expected.CASCADE,
    drifts=(Drift("database", "pool", 100), Drift("payment", "pool", 100), Drift("database", "cpu", 63)),
)

MEMORY_LEAK = Scenario(
    name="memory-leak",
    sentence="Analytics never lets go of its reports until the kernel ends it, again and again.",
    told=(
        (Phase.BUILDING, "memory of analytics climbs, and collecting garbage takes longer each time"),
        (Phase.OUTAGE, "analytics is out of memory, is killed, restarts and is killed again"),
        (Phase.RECOVERY, "the job that leaked is switched off; analytics stays up"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=180,
    outage_seconds=120,
    recovery_seconds=30,
    faults=(
        Fault(
            "analytics",
            Way.MEMORY,
            ramp_seconds=3,
            error_share=0.45,
            warn_share=0.2,
            fatal_share=0.1,
            lost_share=0.5,
            latency_factor=6,
        ),
        Fault("api-gateway", Way.REFUSED, "analytics", 10, error_share=0.08, warn_share=0.03, latency_factor=1.5),
    ),
    expected=Expected.OUTAGE,
    drifts=(Drift("analytics", "memory", 7_900), Drift("analytics", "cpu", 96)),
)

BAD_DEPLOY = Scenario(
    name="bad-deploy",
    sentence="A new version of user goes live and fails on profiles without an address; a rollback ends it.",
    told=(
        (Phase.OUTAGE, "user fails on every profile without an address, and so do its callers"),
        (Phase.RECOVERY, "user is rolled back"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=0,
    outage_seconds=180,
    recovery_seconds=25,
    faults=(
        Fault("user", Way.BUG, ramp_seconds=8, error_share=0.4, warn_share=0.02, latency_factor=1.2),
        Fault("payment", Way.UPSTREAM, "user", 6, error_share=0.2, warn_share=0.05, latency_factor=1.5),
        Fault("api-gateway", Way.UPSTREAM, "user", 9, error_share=0.15, warn_share=0.03),
    ),
    expected=Expected.OUTAGE,
    deploys=(
        Deploy("user", "4.4.0", "Deploy user 4.4.0: addresses with several lines", QUIET_SECONDS - 10, "mira"),
        Deploy("user", "4.3.2", "Roll user back to 4.3.2", QUIET_SECONDS + 178, "jonas"),
    ),
)

DEPENDENCY_OUTAGE = Scenario(
    name="dependency-outage",
    sentence="Auth is gone, and everything that has to check a token fails with it.",
    told=(
        (Phase.BUILDING, "auth answers slowly"),
        (Phase.OUTAGE, "auth is down; whoever has to check a token fails with it"),
        (Phase.RECOVERY, "auth is back, and its callers follow"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=20,
    outage_seconds=160,
    recovery_seconds=40,
    faults=(
        Fault("auth", Way.REFUSED, ramp_seconds=2, error_share=0.6, warn_share=0.1, lost_share=0.4, latency_factor=3),
        Fault("api-gateway", Way.REFUSED, "auth", 6, error_share=0.35, warn_share=0.05, latency_factor=2),
        Fault("user", Way.REFUSED, "auth", 11, error_share=0.4, warn_share=0.05, latency_factor=2),
        Fault("payment", Way.REFUSED, "auth", 16, error_share=0.4, warn_share=0.05, latency_factor=3),
        Fault("analytics", Way.REFUSED, "auth", 24, error_share=0.4, warn_share=0.05),
        Fault("notification", Way.UPSTREAM, "user", 34, error_share=0.3, warn_share=0.05),
    ),
    expected=Expected.CASCADE,
    drifts=(Drift("auth", "cpu", 4),),
)

SLOW_DATABASE = Scenario(
    name="slow-database",
    sentence="A missing index makes the database crawl: statements are cancelled, and payments run out of time.",
    told=(
        (Phase.BUILDING, "statements of database take longer and longer"),
        (Phase.OUTAGE, "statements are cancelled after their deadline, and payments with them"),
        (Phase.RECOVERY, "the index is back"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=90,
    outage_seconds=150,
    recovery_seconds=40,
    faults=(
        Fault(
            "database",
            Way.TIMEOUT,
            ramp_seconds=15,
            error_share=0.18,
            warn_share=0.3,
            lost_share=0.2,
            latency_factor=30,
        ),
        Fault("payment", Way.TIMEOUT, "database", 14, 10, error_share=0.22, warn_share=0.1, latency_factor=14),
        Fault("api-gateway", Way.TIMEOUT, "payment", 26, 10, error_share=0.1, warn_share=0.05, latency_factor=9),
    ),
    expected=Expected.OUTAGE,
    drifts=(Drift("database", "cpu", 98), Drift("payment", "pool", 85), Drift("database", "pool", 70)),
)

CERTIFICATE_EXPIRY = Scenario(
    name="certificate-expiry",
    sentence="From one second to the next a certificate is no longer valid, and no payment goes through.",
    told=(
        (Phase.OUTAGE, "a certificate has expired: payment cannot reach the card network at all"),
        (Phase.RECOVERY, "the new certificate is in place"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=0,
    outage_seconds=150,
    recovery_seconds=15,
    faults=(
        Fault("payment", Way.CERTIFICATE, ramp_seconds=1, error_share=0.55, warn_share=0.02),
        Fault("api-gateway", Way.UPSTREAM, "payment", 4, 2, error_share=0.12, warn_share=0.02),
    ),
    expected=Expected.OUTAGE,
)

QUEUE_BACKLOG = Scenario(
    name="queue-backlog",
    sentence="Receipts pile up faster than notification can send them, until the queue takes no more.",
    told=(
        (Phase.BUILDING, "the queue of notification grows by the second"),
        (Phase.OUTAGE, "the queue is full: messages are dropped, and payment cannot hand over receipts"),
        (Phase.RECOVERY, "more consumers work the backlog off"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=120,
    outage_seconds=120,
    recovery_seconds=60,
    faults=(
        Fault("notification", Way.QUEUE, ramp_seconds=10, error_share=0.4, warn_share=0.3, latency_factor=20),
        Fault("payment", Way.QUEUE, "notification", 12, 10, error_share=0.18, warn_share=0.1, latency_factor=2),
    ),
    expected=Expected.OUTAGE,
    drifts=(Drift("notification", "queue", 50_000), Drift("notification", "memory", 900)),
)

FLAPPING = Scenario(
    name="flapping",
    sentence="The card network comes and goes every minute and a half: one incident, not five.",
    told=(
        (Phase.OUTAGE, "the card network answers payment for a while, then not, then again"),
        (Phase.RECOVERY, "the card network has found out why"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=0,
    outage_seconds=360,
    recovery_seconds=10,
    faults=(Fault("payment", Way.UPSTREAM, ramp_seconds=2, error_share=0.45, warn_share=0.05, latency_factor=3),),
    expected=Expected.OUTAGE,
    wave=Wave(period_seconds=90, on_seconds=40),
)

NOISY_BUT_HEALTHY = Scenario(
    name="noisy-but-healthy",
    sentence="Notification and analytics complain all day, in clumps, and nothing is wrong.",
    told=((Phase.QUIET, "notification and analytics complain as they always do"),),
    quiet_seconds=600,
    building_seconds=0,
    outage_seconds=0,
    recovery_seconds=0,
    faults=(
        Fault("notification", Way.NOISE, error_share=0.012, warn_share=0.02, errors_per_minute_max=20),
        Fault("analytics", Way.NOISE, error_share=0.014, warn_share=0.02, errors_per_minute_max=20),
    ),
    expected=Expected.NOTHING,
    always=True,
)

SILENT_SERVICE = Scenario(
    name="silent-service",
    sentence="Notification hangs without a word: no error tells of it, only the lines that no longer come.",
    told=(
        (Phase.OUTAGE, "notification hangs and writes nothing any more"),
        (Phase.RECOVERY, "notification was restarted"),
    ),
    quiet_seconds=QUIET_SECONDS,
    building_seconds=0,
    outage_seconds=210,
    recovery_seconds=5,
    faults=(Fault("notification", Way.TIMEOUT, ramp_seconds=1, lost_share=1.0),),
    expected=Expected.SILENCE,
    drifts=(Drift("notification", "cpu", 0.4),),
)

SCENARIOS: dict[str, Scenario] = {
    one.name: one
    for one in (
        POOL_EXHAUSTION,
        MEMORY_LEAK,
        BAD_DEPLOY,
        DEPENDENCY_OUTAGE,
        SLOW_DATABASE,
        CERTIFICATE_EXPIRY,
        QUEUE_BACKLOG,
        FLAPPING,
        NOISY_BUT_HEALTHY,
        SILENT_SERVICE,
    )
}


def scenario(name: str) -> Scenario:
    """A scenario by its name.

    Raises Missing, which lists them, when there is none of that name.
    """
    if name not in SCENARIOS:
        raise Missing(
            f"There is no scenario {name!r}.", field="scenario", remedy=f"Choose one of {', '.join(SCENARIOS)}."
        )
    return SCENARIOS[name]


def truth(name: str | Scenario) -> Truth:
    """What really happens in a scenario: where it begins, whom it reaches in which order, from when until when."""
    return truth_of(name if isinstance(name, Scenario) else scenario(name))
