"""What a service depends on: databases, brokers and other systems, by the names that client spans and errors give them.

A dependency that sends nothing itself is a service all the same, named for its host or, where that is only an address,
for its kind. One that does send is the service it sends as. Which it is can change with every batch, so a parser writes
every name a callee may have (`candidates`), and `Dependencies` picks one.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Stands between the names of one callee, of which the first is its own where none is a service that sends.
SEPARATOR: Final = "\x1f"
NAME_CHARS_MAX: Final = 200

# What a kind of system is called as a service, and what its clients' exceptions are called.
_SYSTEMS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "postgresql": (("postgresql", "postgres", "pg"), ("postgres", "psycopg", "asyncpg", "pgx", "libpq")),
    "mysql": (("mysql", "mariadb"), ("mysql", "mariadb")),
    "mariadb": (("mariadb", "mysql"), ("mariadb", "mysql")),
    "mongodb": (("mongodb", "mongo"), ("mongo",)),
    "redis": (("redis", "valkey"), ("redis", "jedis", "lettuce")),
    "valkey": (("valkey", "redis"), ("valkey", "redis")),
    "memcached": (("memcached", "memcache"), ("memcache",)),
    "rabbitmq": (("rabbitmq", "rabbit"), ("rabbitmq", "amqp", "pika")),
    "microsoft.sql_server": (("sqlserver", "mssql"), ("sqlserver", "mssql", "pymssql")),
    "mssql": (("sqlserver", "mssql"), ("sqlserver", "mssql", "pymssql")),
    "aws_sqs": (("aws_sqs", "sqs"), ("sqs",)),
}
# Systems whose own name is a word of nothing else.
_KIND_WORDS: Final = (
    "kafka cassandra elasticsearch opensearch clickhouse couchbase neo4j influxdb cockroachdb dynamodb etcd nats pulsar"
    " activemq solr hbase snowflake bigquery"
)
_KINDS: Final = frozenset(_KIND_WORDS.split())
_NO_SYSTEM: Final = frozenset({"", "other_sql", "other", "unknown"})
_ADDRESS: Final = re.compile(r"[\d.]+|[0-9a-f]*:[0-9a-f:.%\w]*|localhost|.{0,64}\.sock|/.*", re.IGNORECASE | re.DOTALL)
# A host that ends so begins with the name of a service of one's own; any other is somebody else's.
_INTERNAL: Final = re.compile(r"[^.]*(?:\.[^.]+){0,4}\.(?:svc|local|internal|consul|lan)|[^.]*\.[^.]+\.svc\..*")
# What a service asks wrongly is no failure of the one that it asks.
_ASKED_WRONGLY: Final = re.compile(
    r"(?:Programming|Integrity|Data|Syntax|NotSupported|Type|Value|Key|Attribute|NotNull|Serializ\w{1,12}|Validation)Error"
    r"|(?:Unique|ForeignKey|NotNull|Check)Violation|Undefined[A-Z]|DoesNotExist|DuplicateKey|WRONGTYPE|ER_DUP_ENTRY"
)
SERVICES_MAX: Final = 10_000
VERDICTS_MAX: Final = 20_000
# Of a text, what stands in its messages: the first line and whatever begins a line of a stack.
_TEXT_CHARS_MAX: Final = 20_000


@lru_cache(maxsize=4_096)
def candidates(system: str, host: str, procedure: str = "") -> str:
    """Every name that what is called by a client span may have as a service; empty where nothing says what it is."""
    system, host = system.strip().lower(), host.strip().lower().rstrip(".")
    known = () if system in _NO_SYSTEM else _SYSTEMS.get(system, ((system,), ()))[0]
    names: list[str] = []
    if host and not _ADDRESS.fullmatch(host):
        label = host.partition(".")[0]
        # A database's host begins with its name, and so does one in the same cluster; any other is known as a whole.
        names += [label, host] if known or _INTERNAL.fullmatch(host) else [host]
    names += known
    if not names and procedure:
        names.append(procedure.lower().rpartition(".")[2].rpartition("/")[2])
    return SEPARATOR.join(dict.fromkeys(name[:NAME_CHARS_MAX] for name in names if name))


def is_asked_wrongly(text: str) -> bool:
    """Whether an error says that the question was wrong, rather than whoever was asked."""
    return _ASKED_WRONGLY.search(text[:_TEXT_CHARS_MAX]) is not None


class Dependencies:
    """Which services there are, and what each was seen to depend on, by space. One thread at a time."""

    def __init__(self) -> None:
        self._services: dict[str, set[str]] = {}
        # Of each service, the dependencies by name and what a text that names each of them looks like.
        self._known: dict[tuple[str, str], dict[str, re.Pattern[str]]] = {}
        # What the errors of one fingerprint of a service name; asked anew when it was seen to depend on something new.
        self._verdicts: OrderedDict[tuple[str, str, int], str] = OrderedDict()

    def meet(self, space: str, names: pa.Array | pa.ChunkedArray) -> None:
        """These services send something."""
        services = self._services.setdefault(space, set())
        if len(services) < SERVICES_MAX:
            services.update(pc.unique(names).to_pylist())

    def name(self, space: str, names: str) -> str:
        """The name under which a callee is known: that of a service that sends, if there is one."""
        if SEPARATOR not in names:
            return names
        possible = names.removeprefix(SEPARATOR).split(SEPARATOR)
        services = self._services.get(space, set())
        return next((one for one in possible if one in services), possible[0])

    def names(self, space: str, column: pa.Array | pa.ChunkedArray) -> pa.Array:
        """`name` of a whole column; each spelling is looked at once."""
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        encoded = whole.dictionary_encode()
        picked = pa.array([self.name(space, names) for names in encoded.dictionary.to_pylist()], pa.string())
        return picked.take(encoded.indices)

    def learn(self, space: str, spans: pa.Table) -> None:
        """See who calls what, before its names are picked."""
        called = spans.filter(pc.not_equal(spans["peer"], "")).select(["service", "peer"])
        for row in called.group_by(["service", "peer"]).aggregate([]).to_pylist():
            key, name = (space, row["service"]), self.name(space, row["peer"])
            known = self._known.setdefault(key, {})
            if name not in known and name != row["service"] and len(self._known) <= SERVICES_MAX:
                known[name] = _named_in_text(row["peer"])
                for asked in [verdict for verdict in self._verdicts if verdict[:2] == key]:
                    del self._verdicts[asked]

    def blamed(self, space: str, service: str, fingerprint: int, message: str, stack: str) -> str:
        """The dependency that a service's error names; empty where it names none that the service was seen to call."""
        known = self._known.get((space, service))
        if not known:
            return ""
        key = (space, service, fingerprint)
        verdict = self._verdicts.get(key) if fingerprint else None
        if verdict is None:
            verdict = _blamed(known, f"{message}\n{stack}"[:_TEXT_CHARS_MAX])
            if fingerprint:
                self._verdicts[key] = verdict
                while len(self._verdicts) > VERDICTS_MAX:
                    self._verdicts.popitem(last=False)
        return verdict


def _blamed(known: Mapping[str, re.Pattern[str]], text: str) -> str:
    # The lines of a stack that are frames name every library that was passed through.
    said = "\n".join(line[:1_000] for line in text.splitlines() if line and not line[0].isspace())
    if is_asked_wrongly(said):
        return ""
    found = [(at.start(), name) for name, pattern in known.items() if (at := pattern.search(said))]
    return min(found)[1] if found else ""


def _named_in_text(names: str) -> re.Pattern[str]:
    """By what a text names a dependency: the libraries of its kind, or its name where a host stands."""
    possible = names.split(SEPARATOR)
    words = {word for called, said in _SYSTEMS.values() if set(called) & set(possible) for word in said}
    words |= {name for name in possible if name in _KINDS}
    hosts = "|".join(re.escape(name) for name in possible)
    kinds = "|".join(re.escape(word) for word in sorted(words))
    host = rf"(?://|@)(?:{hosts})(?![\w.-])|(?<![\w.-])(?:{hosts}):\d"
    return re.compile(rf"{host}|(?<![a-z])(?:{kinds})" if kinds else host, re.IGNORECASE)


class Failures:
    """Counts a failure once for each service, however often the spans and lines of its trace repeat it."""

    # What comes later in the same trace is another failure: the next attempt, or the next piece of a long job.
    SECONDS: Final = 2
    KEPT_MAX: Final = 100_000

    def __init__(self) -> None:
        self._counted: OrderedDict[int, int] = OrderedDict()

    def is_repeated(self, space: str, trace: str, service: str, at_us: int) -> bool:
        """Whether a failure of this moment was counted for the service before; if not, it is now."""
        if not trace:
            return False
        key = hash((space, trace, service))
        first = self._counted.get(key)
        if first is not None and abs(at_us - first) <= self.SECONDS * 1_000_000:
            return True
        # What arrives late is a failure of its own, and not what the next line may repeat.
        self._counted[key] = max(at_us, first or 0)
        self._counted.move_to_end(key)
        while len(self._counted) > self.KEPT_MAX:
            self._counted.popitem(last=False)
        return False

    def forget(self) -> None:
        """What was counted may not have been kept, and comes again."""
        self._counted.clear()


def count_once(
    space: str, logs: pa.Table, dependencies: Dependencies, failures: Failures, *, error_level: int
) -> tuple[pa.Array, pa.Array]:
    """Which lines repeat a failure that was counted, and the dependency for which a line counts besides its service.

    The table is one of LOG whose `dependency` is as parsed: every name it may have, or empty.
    """
    repeated = np.zeros(logs.num_rows, dtype=np.bool_)
    rows = np.flatnonzero(np.asarray(logs["level"]) >= error_level)
    named: list[str] = [""] * logs.num_rows
    if len(rows):
        wanted = ("time", "service", "trace", "dependency", "fingerprint", "message", "stack")
        errors = logs.select(wanted).take(pa.array(rows))
        times = errors["time"].cast(pa.int64()).to_pylist()
        columns = [errors[name].to_pylist() for name in wanted[1:]]
        for row, at, service, trace, names, fingerprint, message, stack in zip(
            rows.tolist(), times, *columns, strict=True
        ):
            # A line without an exception says something of its own, however many of its trace came before.
            repeats = bool(stack) or names.startswith(SEPARATOR)
            repeated[row] = failures.is_repeated(space, trace, service, at) and repeats
            name = dependencies.name(space, names) or dependencies.blamed(space, service, fingerprint, message, stack)
            if name and name != service and not (failures.is_repeated(space, trace, name, at) and repeats):
                named[row] = name
    return pa.array(repeated), pa.array(named, pa.string())
