"""The seven microservices: what each is written in, how much it talks, whom it calls, and the requests they serve."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hindcast.model.errors import Missing


class Voice(StrEnum):
    """How a microservice writes its errors and stack traces."""

    GO = "go"
    JAVA = "java"
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Microservice:
    """One of the seven, as it is on an ordinary day."""

    name: str
    voice: Voice
    version: str
    # Its part of all log lines; the seven add up to 1.
    share: float
    # How error-prone it is beside the others; weighted by share the seven average 1.
    noise: float
    calls: tuple[str, ...]
    # What it is busy with when something fails, as a template.
    subject: str
    latency_ms: float
    cpu_percent: float
    memory_mb: float
    disk_percent: float
    # 0 where it keeps no connections of its own, or no queue.
    pool_connections: int = 0
    queue_messages: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """One step of a request: a microservice, what it does there, and whom it asks in turn."""

    service: str
    operation: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A kind of request and how common it is; the weights of all routes add up to 1."""

    weight: float
    entry: Call


MICROSERVICES: tuple[Microservice, ...] = (
    Microservice(
        "api-gateway",
        Voice.GO,
        "1.42.0",
        0.24,
        0.7,
        ("auth", "user", "payment", "analytics"),
        "{verb} {path}",
        latency_ms=18,
        cpu_percent=34,
        memory_mb=310,
        disk_percent=22,
    ),
    Microservice(
        "auth",
        Voice.JAVA,
        "3.8.1",
        0.15,
        1.0,
        ("database",),
        "token {jti}",
        latency_ms=12,
        cpu_percent=28,
        memory_mb=780,
        disk_percent=31,
        pool_connections=20,
    ),
    Microservice(
        "database",
        Voice.POSTGRES,
        "16.4",
        0.16,
        0.8,
        (),
        "process {pid}",
        latency_ms=4,
        cpu_percent=41,
        memory_mb=6_200,
        disk_percent=58,
        pool_connections=200,
    ),
    Microservice(
        "payment",
        Voice.JAVA,
        "5.12.3",
        0.13,
        1.2,
        ("auth", "database", "user", "notification"),
        "order {order}",
        latency_ms=85,
        cpu_percent=31,
        memory_mb=1_150,
        disk_percent=27,
        pool_connections=40,
    ),
    Microservice(
        "notification",
        Voice.JAVASCRIPT,
        "2.6.0",
        0.1,
        1.3,
        ("user",),
        "message {uuid}",
        latency_ms=46,
        cpu_percent=19,
        memory_mb=260,
        disk_percent=18,
        queue_messages=35,
    ),
    Microservice(
        "user",
        Voice.PYTHON,
        "4.3.2",
        0.14,
        1.1,
        ("auth", "database"),
        "request of {user}",
        latency_ms=22,
        cpu_percent=26,
        memory_mb=420,
        disk_percent=24,
        pool_connections=30,
    ),
    Microservice(
        "analytics",
        Voice.PYTHON,
        "0.19.4",
        0.08,
        1.4,
        ("auth", "database"),
        "job {job} shard {shard}",
        latency_ms=240,
        cpu_percent=47,
        memory_mb=1_900,
        disk_percent=63,
        pool_connections=10,
        queue_messages=120,
    ),
)
NAMES: tuple[str, ...] = tuple(one.name for one in MICROSERVICES)
PLACES: dict[str, int] = {name: place for place, name in enumerate(NAMES)}

_QUERY = Call("database", "query")
_TOKEN = Call("auth", "POST /internal/token/verify", (_QUERY,))
_PROFILE = Call("user", "GET /internal/users/:id", (_QUERY,))

ROUTES: tuple[Route, ...] = (
    Route(0.12, Call("api-gateway", "GET /healthz")),
    Route(0.16, Call("api-gateway", "POST /api/v1/login", (Call("auth", "POST /login", (_QUERY,)),))),
    Route(0.28, Call("api-gateway", "GET /api/v1/users/:id", (_TOKEN, _PROFILE))),
    Route(
        0.1,
        Call("api-gateway", "PUT /api/v1/users/:id", (_TOKEN, Call("user", "PUT /internal/users/:id", (_QUERY,)))),
    ),
    Route(
        0.2,
        Call(
            "api-gateway",
            "POST /api/v1/payments",
            (
                Call(
                    "payment",
                    "POST /internal/charges",
                    (_TOKEN, _PROFILE, _QUERY, Call("notification", "publish receipt", (_PROFILE,))),
                ),
            ),
        ),
    ),
    Route(
        0.06,
        Call("api-gateway", "GET /api/v1/reports/daily", (Call("analytics", "GET /reports/daily", (_TOKEN, _QUERY)),)),
    ),
    Route(0.08, Call("analytics", "rollup job", (_QUERY,))),
)


def microservice(name: str) -> Microservice:
    """One of the seven by its name.

    Raises Missing, which lists them, when there is none of that name.
    """
    if name not in PLACES:
        raise Missing(f"There is no service {name!r}.", field="--service", remedy=f"Name one of {', '.join(NAMES)}.")
    return MICROSERVICES[PLACES[name]]
