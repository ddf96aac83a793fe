"""The lines of the commonest servers as they write them out of the box, and the level that each of them shows."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

from hindcast.ingest.level import SPELLINGS, infer_level, infer_levels
from hindcast.model.signal import Level

PG = "2026-11-19 04:29:12.123 UTC [24436]"
ACCESS = '10.0.0.7 - - [19/Nov/2026:04:29:12 +0000] "GET /checkout?id=7 HTTP/1.1"'

STOCK: dict[str, list[tuple[str, Level]]] = {
    "PostgreSQL": [
        (f"{PG} app@shop FATAL:  sorry, too many clients already", Level.FATAL),
        (f'{PG} app@shop ERROR:  relation "cart" does not exist at character 15', Level.ERROR),
        (f"{PG} app@shop WARNING:  there is no transaction in progress", Level.WARN),
        (f"{PG} app@shop HINT:  No function matches the given name and argument types.", Level.INFO),
        (f"{PG} app@shop STATEMENT:  select * from error where fatal", Level.INFO),
        (f"{PG} LOG:  database system was shut down at 2026-11-19 04:29:11 UTC", Level.INFO),
        (f"{PG} PANIC:  could not write to file: No space left on device", Level.FATAL),
        (f"{PG} app@shop LOG:  process 7 still waiting for AccessShareLock on relation 16", Level.INFO),
        ("2026-11-19 04:29:12 UTC:10.0.0.7(51234):app@shop:[24436]:ERROR:  deadlock detected", Level.ERROR),
        ("2026-11-19 04:29:12 CET [24436]: [3-1] user=app,db=shop FATAL:  role is not permitted", Level.FATAL),
    ],
    "PgBouncer": [(f"{PG} WARNING C-0x55d: shop/app@10.0.0.7:51234 pooler error: no more connections", Level.WARN)],
    "Redis": [
        ("24436:M 19 Nov 2026 04:29:12.123 # Error registering fd event for the new client", Level.WARN),
        ("24436:M 19 Nov 2026 04:29:12.123 * Ready to accept connections tcp", Level.INFO),
        ("1:C 19 Nov 2026 04:29:12.123 - Accepted 10.0.0.7:51234", Level.DEBUG),
        ("[24436] 19 Nov 04:29:12.123 # Can't save in background: fork", Level.WARN),
    ],
    "nginx": [
        (
            "2026/11/19 04:29:12 [error] 29#29: *3 connect() failed (111: Connection refused) while connecting",
            Level.ERROR,
        ),
        ("2026/11/19 04:29:12 [crit] 29#29: *3 SSL_do_handshake() failed", Level.FATAL),
        ("2026/11/19 04:29:12 [warn] 29#29: *3 a client request body is buffered", Level.WARN),
        (f'{ACCESS} 502 157 "-" "curl/8.5.0"', Level.ERROR),
        (f'{ACCESS} 404 153 "-" "curl/8.5.0"', Level.INFO),
        (f'{ACCESS} 200 5000 "-" "curl/8.5.0"', Level.UNKNOWN),
        ('10.0.0.7 - - [19/Nov/2026:04:29:12 +0000] "GET /' + "a" * 900 + ' HTTP/2.0" 504 167 "-"', Level.ERROR),
    ],
    "Apache": [
        (
            "[Thu Nov 19 04:29:12.123456 2026] [proxy:error] [pid 8:tid 9] (111)Connection refused: AH00957",
            Level.ERROR,
        ),
        ("[Thu Nov 19 04:29:12.123456 2026] [mpm_event:notice] [pid 8:tid 9] AH00489: configured", Level.INFO),
        (f"shop.example:80 {ACCESS} 503 299", Level.ERROR),
    ],
    "MySQL": [
        ("2026-11-19T04:29:12.123456Z 0 [ERROR] [MY-010119] [Server] Aborting", Level.ERROR),
        ("2026-11-19T04:29:12.123456Z 8 [Warning] [MY-010055] [Server] IP address could not be resolved", Level.WARN),
        ("2026-11-19T04:29:12.123456Z 8 [Note] [MY-010914] [Server] Aborted connection 8", Level.INFO),
    ],
    "MariaDB": [("2026-11-19  4:29:12 0 [ERROR] InnoDB: Unable to lock ./ibdata1 error: 11", Level.ERROR)],
    "MongoDB": [
        (
            '{"t":{"$date":"2026-11-19T04:29:12.123+00:00"},"s":"E",  "c":"NETWORK",  "id":23016,   "ctx":"x"}',
            Level.ERROR,
        ),
        ('{"t":{"$date":"2026-11-19T04:29:12.123+00:00"},"s":"I",  "c":"CONTROL",  "id":23285}', Level.INFO),
        ("2026-11-19T04:29:12.123+0000 E NETWORK  [listener] Error accepting new connection", Level.ERROR),
    ],
    "Kafka": [("[2026-11-19 04:29:12,123] ERROR [Broker id=1] Closing socket (kafka.network.Processor)", Level.ERROR)],
    "ZooKeeper": [("2026-11-19 04:29:12,123 [myid:1] - WARN  [QuorumPeer:QuorumPeer@1] - Exception", Level.WARN)],
    "RabbitMQ": [
        ("2026-11-19 04:29:12.123456+00:00 [error] <0.700.0> Error on AMQP connection <0.700.0>", Level.ERROR),
        ("2026-11-19 04:29:12.123456+00:00 [warning] <0.700.0> memory resource limit alarm set", Level.WARN),
    ],
    "Elasticsearch": [
        ("[2026-11-19T04:29:12,123][ERROR][o.e.b.Elasticsearch] [node-1] fatal exception while booting", Level.ERROR),
        ("[2026-11-19T04:29:12,123][WARN ][o.e.m.j.JvmGcMonitorService] [node-1] [gc][12] overhead", Level.WARN),
        ('{"@timestamp":"2026-11-19T04:29:12.123Z", "log.level": "ERROR", "message":"x"}', Level.ERROR),
    ],
    "HAProxy": [
        (
            "10.0.0.7:51234 [19/Nov/2026:04:29:12.123] http-in web/srv1 0/0/-1/-1/3 503 217 - - SC-- 1/1/0/0/3 0/0",
            Level.ERROR,
        ),
        ("[ALERT]    (1) : backend 'web' has no server available!", Level.FATAL),
    ],
    "Envoy": [
        ("[2026-11-19 04:29:12.123][1][error][config] [source/common] gRPC config rejected", Level.ERROR),
        ('[2026-11-19T04:29:12.123Z] "GET /cart HTTP/1.1" 503 UF 0 91 3 - "-"', Level.ERROR),
    ],
    "Tomcat": [("19-Nov-2026 04:29:12.123 SEVERE [main] org.apache.catalina.core.X.start Failed", Level.ERROR)],
    "Caddy": [('{"level":"error","ts":1795062552.1,"logger":"http.log.error","msg":"dial tcp"}', Level.ERROR)],
    "Traefik": [
        ("2026-11-19T04:29:12Z ERR github.com/traefik/traefik/v3/pkg/x.go:12 > cannot start", Level.ERROR),
        ('time="2026-11-19T04:29:12Z" level=error msg="cannot start"', Level.ERROR),
    ],
    "systemd": [
        ("Nov 19 04:29:12 host systemd[1]: nginx.service: Failed with result 'exit-code'.", Level.ERROR),
        ("Nov 19 04:29:12 host systemd[1]: Started nginx.service - A high performance web server.", Level.UNKNOWN),
        ("Nov 19 04:29:12 host kernel: [ 123.456789] Out of memory: Killed process 812 (java)", Level.ERROR),
    ],
    "kubelet": [
        ('E1119 04:29:12.123456    1234 pod_workers.go:1301] "Error syncing pod, skipping"', Level.ERROR),
        ("Nov 19 04:29:12 node kubelet[812]: W1119 04:29:12.123456    1234 x.go:1] slow", Level.WARN),
    ],
    "etcd": [
        ('{"level":"warn","ts":"2026-11-19T04:29:12.123Z","msg":"apply request took too long"}', Level.WARN),
        ("2026-11-19 04:29:12.123456 E | etcdserver: publish error: request timed out", Level.ERROR),
    ],
    "Consul": [("2026-11-19T04:29:12.123Z [ERROR] agent.server.raft: failed to contact quorum", Level.ERROR)],
    "Vault": [("2026-11-19T04:29:12.123Z [WARN]  core: seal configuration missing", Level.WARN)],
    "ClickHouse": [
        ("2026.11.19 04:29:12.123456 [ 812 ] {7f-1a} <Error> executeQuery: Code: 241. Memory limit", Level.ERROR)
    ],
    "gunicorn": [
        ("[2026-11-19 04:29:12 +0000] [24436] [CRITICAL] WORKER TIMEOUT (pid:24440)", Level.FATAL),
        ("[2026-11-19 04:29:12 +0000] [24436] [INFO] Booting worker with pid: 24440", Level.INFO),
    ],
    "uvicorn": [
        ("ERROR:    Exception in ASGI application", Level.ERROR),
        ('INFO:     10.0.0.7:51234 - "GET /cart HTTP/1.1" 500 Internal Server Error', Level.ERROR),
        ('INFO:     10.0.0.7:51234 - "GET /cart HTTP/1.1" 200 OK', Level.INFO),
    ],
    "Celery": [
        ("[2026-11-19 04:29:12,123: ERROR/ForkPoolWorker-1] Task shop.pay[7f] raised unexpected", Level.ERROR),
        ("[2026-11-19 04:29:12,123: INFO/MainProcess] Task shop.pay[7f] received", Level.INFO),
    ],
    "sshd": [("Nov 19 04:29:12 host sshd[812]: error: kex_exchange_identification: closed", Level.ERROR)],
    "NATS": [("[1] 2026/11/19 04:29:12.123456 [ERR] 10.0.0.7:51234 - cid:7 - Slow consumer", Level.ERROR)],
    "PHP": [("[19-Nov-2026 04:29:12 UTC] PHP Fatal error:  Uncaught Exception: x in /a.php:1", Level.FATAL)],
    "ASP.NET Core": [("fail: Microsoft.AspNetCore.Server.Kestrel[13]", Level.ERROR)],
}


@pytest.mark.parametrize("server", STOCK)
def test_a_server_is_read_as_it_comes_out_of_the_box(server: str) -> None:
    """Each stock line has its level, alone and in a column."""
    lines = STOCK[server]

    assert {line: infer_level(line) for line, _ in lines} == {line: int(level) for line, level in lines}
    assert infer_levels(pa.array([line for line, _ in lines])).to_pylist() == [level for _, level in lines]


@pytest.mark.parametrize(
    "sentence",
    [
        'She said "GET the 502 bus" and left',
        "shipped 3/4/5 of 500 parcels",
        "Failed logins are counted for 503 seconds",
        "the query:  select 1",
    ],
)
def test_a_sentence_is_no_stock_line(sentence: str) -> None:
    """Numbers and words of stock formats mean nothing elsewhere."""
    assert infer_level(sentence) == Level.UNKNOWN


def test_twice_the_text_takes_at_most_about_twice_the_time() -> None:
    """No spelling is worse than linear in a text made to confuse it."""
    pieces = (
        "1 ",
        "- ",
        "[x] ",
        "{x} ",
        "1 | ",
        "a - ",
        "2026-11-19 ",
        '"GET ',
        "1/1",
        " 1/1/1/1/1 ",
        "LOG: ",
        "a",
        "[",
        " ",
    )
    heads = ("", "2026-11-19 04:29:12 ", '"GET /', "Nov 19 04:29:12 h p: ", "[2026-11-19 ", '{"t":{"$date":"')

    def seconds(text: str) -> float:
        best = 1.0
        for _ in range(5):
            began = time.thread_time()
            for spelling in SPELLINGS:
                spelling.pattern.match(text)
            best = min(best, time.thread_time() - began)
        return best

    for head in heads:
        for piece in pieces:
            once, twice = (head + piece * (size // len(piece)) for size in (20_000, 40_000))
            assert seconds(twice) <= 2.5 * seconds(once) + 0.005, (head, piece)
