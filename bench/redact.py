"""What redaction costs a line: our pass over a column beside a mere copy of it.

`make bench NAME=redact` prints lines by second for ordinary lines, for lines of which one in a hundred holds a secret,
for requests of a thousand lines, and for attributes. The last line holds the figures.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

from bench._world import median
from hindcast.ingest.redact import Redactor

LINES = 400_000
REQUEST_LINES = 1_000
ROUNDS = 5
SECRET_SHARE = 0.01
ATTRIBUTES_PER_LINE = 5

# What services write all day, near misses included: ids, hashes, times, blocks, addresses, words such as token.
ORDINARY = (
    "{time} INFO  payment.api request_id={uuid} GET /api/v1/orders/{number}?page=2 status=200 duration_ms={small}",
    "{time} DEBUG auth validated session for user {number} from 10.0.{byte}.{byte} in {small} ms trace={trace}",
    "{time} INFO  database query took {small} ms: SELECT id, name FROM users WHERE id = {number} LIMIT 10",
    "{time} WARN  gateway upstream http://analytics:8080/v1/events slow: {small} ms (limit 250 ms), attempt {byte}",
    "{time} INFO  dfs.DataNode$PacketResponder: PacketResponder {byte} for block blk_{block} terminating",
    "{time} INFO  token cache hit ratio 0.97, evicted {number} keys, next sweep in 30 s",
    "{time} INFO  sshd[{number}]: Failed password for root from 10.0.{byte}.{byte} port {number} ssh2",
    "{time} DEBUG kafka offset {block} partition {byte} lag {small} group billing-consumer-{byte}",
)
SECRETS = (
    "{time} ERROR payment.db cannot connect to postgres://app:{hex}@db.internal:5432/orders after {small} ms",
    "{time} DEBUG auth header Authorization: Bearer {hex}{hex} from 10.0.{byte}.{byte}",
    '{time} INFO  user login {{"user":"u{number}","password":"{hex}"}} status=200',
    "{time} INFO  notification mail to user{number}@example.com sent in {small} ms",
    "{time} WARN  payment card 4111 1111 1111 1111 declined for order {number}",
    "{time} DEBUG deploy with AKIA{upper} and api_key={hex}",
)


def lines(count: int, share: float, *, seed: int) -> pa.Array:
    """Log lines, a share of them with a secret."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        form = chance.choice(SECRETS if chance.random() < share else ORDINARY)
        made.append(
            form.format(
                time=f"2026-11-15T02:{chance.randrange(60):02}:{chance.randrange(60):02}.{chance.randrange(1000):03}Z",
                uuid=f"{chance.getrandbits(32):08x}-1f2e-4a3b-8c4d-{chance.getrandbits(48):012x}",
                trace=f"{chance.getrandbits(128):032x}",
                hex=f"{chance.getrandbits(64):016x}",
                upper="".join(chance.choices("ABCDEFGHIJKLMNOP234567", k=16)),
                number=chance.randrange(10**7),
                small=chance.randrange(1000),
                byte=chance.randrange(256),
                block=chance.randrange(10**18, 9 * 10**18),
            )
        )
    return pa.array(made)


def attributes(count: int, *, seed: int) -> pa.Array:
    """What comes with lines: a handful of names, most values repeated."""
    chance = random.Random(seed)
    maps = [
        [
            ("host.name", f"node-{chance.randrange(20)}"),
            ("k8s.pod.name", f"payment-{chance.getrandbits(40):x}"),
            ("deployment.environment", "production"),
            ("http.route", "/api/v1/orders/{id}"),
            ("thread.id", str(chance.randrange(64))),
        ]
        for _ in range(count)
    ]
    return pa.array(maps, pa.map_(pa.string(), pa.string()))


def per_second(count: int, work: Callable[[], object]) -> float:
    """How many lines a second of one core, from the median of some rounds; what else the machine does is left out."""
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return count / median(taken)


def main() -> int:
    """Measure and print."""
    redactor = Redactor()
    ordinary, mixed = lines(LINES, 0, seed=1), lines(LINES, SECRET_SHARE, seed=2)
    assert redactor.column(ordinary)[1] == {}, "ordinary lines hold no secrets"
    taken = sum(redactor.column(mixed)[1].values())
    requests = [ordinary.slice(at, REQUEST_LINES) for at in range(0, LINES, REQUEST_LINES)]
    maps = attributes(LINES // ATTRIBUTES_PER_LINE, seed=3)
    copied = per_second(LINES, lambda: pc.binary_join_element_wise(ordinary, ""))
    rows = {
        "copying the column": copied,
        "ordinary lines": per_second(LINES, lambda: redactor.column(ordinary)),
        f"with {SECRET_SHARE:.0%} secrets": per_second(LINES, lambda: redactor.column(mixed)),
        f"ordinary, {REQUEST_LINES:,} a request": per_second(LINES, lambda: [redactor.column(one) for one in requests]),
        "attributes (values)": per_second(LINES, lambda: redactor.attributes(maps)),
        "one by one, in Python": per_second(
            5_000, lambda: [redactor.text(text) for text in ordinary[:5_000].to_pylist()]
        ),
    }
    table = Table("what", "lines/s", "ns a line", "of copying")
    for name, rate in rows.items():
        table.add_row(name, f"{rate:,.0f}", f"{1e9 / rate:,.0f}", f"{rate / copied:.2f}")
    size = ordinary.nbytes // LINES
    Console(width=100).print(f"{LINES:,} lines of {size} bytes, one core; {taken:,} secrets taken out", table)
    _, plain, secrets, small, values, _ = rows.values()
    print(
        f"redact: lines_per_s={plain:.0f} with_secrets_lines_per_s={secrets:.0f} "
        f"requests_lines_per_s={small:.0f} attributes_per_s={values:.0f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
