"""What recall reads in a text without taking traces apart: identifiers, components, and the words of a case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindcast.model.case import CHANGE_NOTE, NOTICED_HERE, Case

IDENTIFIERS_MAX = 60
EXCEPTIONS_MAX = 10
# What is searched of a case by its words, and what a model reads of it; the beginning counts most.
CASE_CHARS_MAX = 6_000

# Names that somebody chose: snake_case, camelCase, CrashLoopBackOff, OOMKilled, ENOSPC, ORA-12519, dotted paths. None
# begins with a digit: those are times, sizes and parts of ids.
_IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[A-Z]{2,}[a-z]{2,}[A-Za-z0-9]*|[A-Z]?[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|"
    r"[A-Z]{2,}-?\d{2,}|E[A-Z]{4,}|[a-z]+(?:\.[a-z_]+){2,})\b"
)
# Words in capitals that look like the codes of operating systems and are levels or plain English.
_NO_CODES = frozenset(
    """ERROR ERRORS EXCEPTION EXCEPTIONS EMERG EMERGENCY EVENT EVENTS EXPIRED EXITED ENABLED EMPTY EXISTS EXECUTE
    EXPLAIN ENTRY EVERY EXACT EXTRA ENDED EITHER""".split()  # noqa: SIM905
)

_EXCEPTION = re.compile(
    r"\b(?:[A-Za-z_]\w*(?:\.|::)){0,12}[A-Z]\w*(?:Error|Exception|Fault|Timeout|Interrupt|Warning)\b"
)

# What systems run on, by the name most people use, with its other spellings. Cases may name others.
COMPONENTS: dict[str, tuple[str, ...]] = {
    "redis": ("redis", "elasticache", "valkey", "jedis", "lettuce"),
    "postgres": ("postgres", "postgresql", "psycopg", "psycopg2", "pgbouncer", "pgsql", "asyncpg"),
    "mysql": ("mysql", "mariadb", "innodb", "aurora"),
    "mongodb": ("mongodb", "mongo", "pymongo"),
    "cassandra": ("cassandra", "scylla"),
    "elasticsearch": ("elasticsearch", "opensearch", "lucene"),
    "kafka": ("kafka", "zookeeper"),
    "rabbitmq": ("rabbitmq", "amqp", "pika"),
    "celery": ("celery",),
    "kubernetes": ("kubernetes", "k8s", "kubelet", "kubectl", "crashloopbackoff", "oomkilled"),
    "docker": ("docker", "containerd"),
    "nginx": ("nginx",),
    "envoy": ("envoy", "istio"),
    "haproxy": ("haproxy",),
    "dns": ("dns", "coredns", "nxdomain", "getaddrinfo", "servfail", "enotfound"),
    "tls": ("tls", "ssl", "x509", "certificate", "certificates"),
    "jvm": ("jvm", "hikari", "hikaricp", "hikaripool"),
    "s3": ("s3", "minio"),
    "consul": ("consul",),
    "etcd": ("etcd",),
    "vault": ("vault",),
    "ldap": ("ldap",),
    "smtp": ("smtp",),
    "prometheus": ("prometheus",),
    "clickhouse": ("clickhouse",),
}
# Titles that detection wrote before cases said who gave them theirs.
_GENERATED = re.compile(
    r": [\d,.]+ errors? in \d+ (?:second|minute|hour|day)s?\b|\bhas gone silent: no line for \d|"
    r"^nothing comes in any more: no line|^cascade from .+: \d+ services \("
)
_SPELLINGS = {spelling: name for name, spellings in COMPONENTS.items() for spelling in spellings}
_WORD = re.compile(r"[a-z0-9]+")


def identifiers(text: str) -> tuple[str, ...]:
    """Words of a text that name one thing only, in the order of appearance."""
    found = dict.fromkeys(match.group() for match in _IDENTIFIER.finditer(text))
    return tuple(name for name in found if name not in _NO_CODES)[:IDENTIFIERS_MAX]


def exceptions(text: str) -> tuple[str, ...]:
    """Types of exceptions that a text names without a stack, as in `ConnectionResetError: [Errno 104] …`."""
    return tuple(dict.fromkeys(match.group() for match in _EXCEPTION.finditer(text)))[:EXCEPTIONS_MAX]


def components(text: str) -> tuple[str, ...]:
    """The components that a text mentions, by their usual names."""
    words = (_SPELLINGS.get(word) for word in _WORD.findall(text.lower()))
    return tuple(dict.fromkeys(name for name in words if name is not None))


def title_of(case: Case) -> str:
    """The title of a case, where it says what somebody wrote; empty where detection made it out of numbers.

    `nginx: 60 errors in 2 minutes` fits every failure of nginx.
    """
    is_generated = case.title_by == NOTICED_HERE or (
        case.source == NOTICED_HERE and _GENERATED.search(case.title) is not None
    )
    return "" if is_generated else case.title


def words_of_case(case: Case) -> str:
    """What a search reads of a case: what was seen first, then why, then what was done."""
    return "\n".join(line for line in _lines(case) if line)[:CASE_CHARS_MAX]


def _lines(case: Case) -> Iterator[str]:
    yield title_of(case)
    yield from case.symptoms
    if case.summary:
        yield case.summary
    if case.cause is not None:
        yield case.cause.text
    if case.resolution is not None:
        yield case.resolution.text
    yield " ".join((*case.services, *case.components))
    yield from (attempt.action for attempt in case.attempts)
    # What a note says of a change before the incident is generated, and fits every failure that followed a deploy.
    yield from (note.text for note in case.notes if not note.id.startswith(CHANGE_NOTE))
