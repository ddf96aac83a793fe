"""How things fail, for each way of failing and each language: the line that is written, and what was thrown.

`{peer}` is the service that could not be reached; where the trouble is a service's own, it is what that service relies
on outside the seven. `{subject}` is what the failing service was busy with: an order, a token, a job.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hindcast.simulate.scenario import Way
from hindcast.simulate.topology import Voice

# Said in place of a peer when the trouble is a service's own.
OUTSIDE = "upstream"


@dataclass(frozen=True, slots=True)
class Failure:
    """One error as it is logged. Without a type nothing was thrown, and there is no stack trace."""

    line: str
    type: str = ""
    text: str = ""


Voices = Mapping[Voice, tuple[Failure, ...]]
GO, JAVA, PYTHON, JAVASCRIPT, POSTGRES = Voice

NOISE: Voices = {
    GO: (
        Failure("{verb} {path}: context canceled request_id={uuid}"),
        Failure('write tcp {ip}:8080->{ip}:{port}: write: broken pipe path="{path}"'),
        Failure("bad request: json: unexpected end of input at offset {bytes} from {ip}"),
    ),
    JAVA: (
        Failure("Request {uuid} rejected: amount {amount} {currency} has too many decimals"),
        Failure(
            "Could not read message body of request {uuid}",
            "com.fasterxml.jackson.core.JsonParseException",
            "Unexpected character ('<' (code 60)): expected a valid value at [line: 1, column: {few}]",
        ),
        Failure("Unknown signing key kid={jti} in token from {ip}"),
    ),
    PYTHON: (
        Failure("validation failed for {user}: phone number {count} is too short"),
        Failure(
            "event {uuid} could not be read", "json.decoder.JSONDecodeError", "Expecting value: line 1 column {few}"
        ),
        Failure("row {many} of {table} has no currency", "KeyError", "'currency'"),
    ),
    JAVASCRIPT: (
        Failure("relay rejected {email}: 550 5.1.1 mailbox unavailable message={uuid}"),
        Failure(
            "could not render receipt for {user}", "TypeError", "Cannot read properties of null (reading 'locale')"
        ),
        Failure("push token of {user} is no longer registered"),
    ),
    POSTGRES: (
        Failure(
            'duplicate key value violates unique constraint "{table}_pkey"\nDETAIL:  Key (id)=({many}) already exists.'
        ),
        Failure("deadlock detected\nDETAIL:  Process {pid} waits for ShareLock on transaction {many}."),
        Failure("could not receive data from client {ip}: Connection reset by peer"),
    ),
}

POOL: Voices = {
    GO: (
        Failure("pool exhausted: {peer}: 64 of 64 connections busy, {count} waiting path={path} request_id={uuid}"),
        Failure("{verb} {path}: acquire connection to {peer}: context deadline exceeded after {long_ms}ms"),
    ),
    JAVA: (
        Failure(
            "Could not open JDBC connection for {subject}",
            "java.sql.SQLTransientConnectionException",
            "HikariPool-1 - Connection is not available, request timed out after {long_ms}ms (waiting={count})",
        ),
        Failure("HikariPool-1 - Thread starvation: active=40 idle=0 waiting={count}, {subject} gave up"),
    ),
    PYTHON: (
        Failure(
            "{subject} failed",
            "sqlalchemy.exc.TimeoutError",
            "QueuePool limit of size 20 overflow 10 reached, connection timed out, timeout 30.00",
        ),
        Failure("no connection to {peer} for {subject} after {long_ms}ms: pool exhausted"),
    ),
    JAVASCRIPT: (
        Failure(
            "could not look up {user}",
            "TimeoutError",
            "ResourceRequest timed out: pool of 10 has {count} pending acquires",
        ),
        Failure("pool exhausted while sending message {uuid}: 10 of 10 connections to {peer} busy"),
    ),
    POSTGRES: (
        Failure("remaining connection slots are reserved for roles with the SUPERUSER attribute"),
        Failure("sorry, too many clients already: user=payment host={ip} port={port}"),
        Failure("could not fork new process for connection: Resource temporarily unavailable pid={pid}"),
    ),
}

MEMORY: Voices = {
    GO: (Failure("fatal error: runtime: out of memory: cannot allocate {many}-byte block", "panic", "out of memory"),),
    JAVA: (
        Failure("Aborted {subject}", "java.lang.OutOfMemoryError", "Java heap space"),
        Failure("GC overhead limit exceeded after {long_ms}ms, heap {mb} MB of 8192 MB"),
    ),
    PYTHON: (
        Failure(
            "{subject} died",
            "MemoryError",
            "Unable to allocate {mb} MiB for an array with shape ({many}, 512) and data type float64",
        ),
        Failure("Out of memory: Killed process {pid} (python) total-vm:{many}kB, anon-rss:{mb}MB"),
        Failure("worker-{worker} exited with signal 9 (OOMKilled) while running {job}, restarting"),
    ),
    JAVASCRIPT: (
        Failure("message {uuid} lost", "RangeError", "Array buffer allocation failed"),
        Failure("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory pid={pid}"),
    ),
    POSTGRES: (Failure('out of memory\nDETAIL:  Failed on request of size {many} in memory context "ExecutorState".'),),
}

BUG: Voices = {
    GO: (
        Failure(
            "panic serving {ip}:{port}", "panic", "runtime error: invalid memory address or nil pointer dereference"
        ),
        Failure("panic serving {ip}:{port}", "panic", "runtime error: index out of range [3] with length 3"),
    ),
    JAVA: (
        Failure(
            "Failed on {subject}",
            "java.lang.NullPointerException",
            'Cannot invoke "Address.getLines()" because "profile.address" is null',
        ),
        Failure("Failed on {subject}", "java.lang.IllegalStateException", "address of {user} has no lines"),
    ),
    PYTHON: (
        Failure(
            "GET /internal/users/{user} 500 {ms}ms", "AttributeError", "'NoneType' object has no attribute 'splitlines'"
        ),
        Failure("profile of {user} could not be serialised", "KeyError", "'address_lines'"),
    ),
    JAVASCRIPT: (
        Failure(
            "could not send message {uuid} to {user}",
            "TypeError",
            "Cannot read properties of undefined (reading 'lines')",
        ),
    ),
    POSTGRES: (
        Failure('column "address_lines" does not exist at character {count}\nSTATEMENT:  {sql}'),
        Failure('relation "address_line" does not exist at character {count}'),
    ),
}

REFUSED: Voices = {
    GO: (
        Failure("{verb} {path}: dial tcp {ip}:8443: connect: connection refused upstream={peer} request_id={uuid}"),
        Failure("no healthy upstream for {peer}: 0 of 3 instances, {verb} {path} answered 503"),
    ),
    JAVA: (
        Failure(
            "Call to {peer} failed for {subject}", "java.net.ConnectException", "Connection refused: {peer}/{ip}:8443"
        ),
        Failure("Circuit breaker for {peer} is open after {count} failures, {subject} rejected"),
        Failure("Shutting down: listener on {ip}:8443 closed, {count} requests dropped"),
    ),
    PYTHON: (
        Failure(
            "could not reach {peer} for {subject}",
            "httpx.ConnectError",
            "[Errno 111] Connection refused: http://{peer}:8443/internal",
        ),
        Failure("{peer} unavailable, {subject} answered with 503"),
    ),
    JAVASCRIPT: (
        Failure("message {uuid} postponed, {peer} is down", "Error", "connect ECONNREFUSED {ip}:8443"),
        Failure("{peer} unavailable: message {uuid} requeued, attempt {few}"),
    ),
    POSTGRES: (
        Failure("the database system is shutting down: rejected {ip}:{port}"),
        Failure("terminating connection due to administrator command pid={pid}"),
    ),
}

TIMEOUT: Voices = {
    GO: (
        Failure("{verb} {path}: upstream {peer} timed out after {long_ms}ms, answered 504 request_id={uuid}"),
        Failure(
            "context deadline exceeded (Client.Timeout exceeded while awaiting headers) upstream={peer} path={path}"
        ),
    ),
    JAVA: (
        Failure(
            "Gave up on {subject} after {long_ms}ms",
            "org.postgresql.util.PSQLException",
            "ERROR: canceling statement due to statement timeout",
        ),
        Failure("Deadline of {subject} exceeded while waiting for {peer}: {long_ms}ms"),
    ),
    PYTHON: (
        Failure("gave up on {subject}", "httpx.ReadTimeout", "The read operation timed out: http://{peer}:8443"),
        Failure("{peer} did not answer within {long_ms}ms, {subject} failed"),
    ),
    JAVASCRIPT: (
        Failure("lookup of {user} gave up", "AxiosError", "timeout of 5000ms exceeded: http://{peer}:8443"),
        Failure("{peer} timed out, message {uuid} requeued, attempt {few}"),
    ),
    POSTGRES: (
        Failure("canceling statement due to statement timeout\nSTATEMENT:  {sql}"),
        Failure("canceling statement due to lock timeout\nCONTEXT:  while updating tuple ({few},{count}) in {table}"),
    ),
}

CERTIFICATE: Voices = {
    GO: (
        Failure(
            "{verb} {path}: tls: failed to verify certificate: x509: certificate has expired: upstream={peer} ip={ip}"
        ),
    ),
    JAVA: (
        Failure(
            "Handshake failed for {subject}",
            "javax.net.ssl.SSLHandshakeException",
            "PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed",
        ),
        Failure("Upstream unreachable for {subject}: certificate of api.cardnet.example expired {few} minutes ago"),
    ),
    PYTHON: (
        Failure(
            "call for {subject} failed",
            "ssl.SSLCertVerificationError",
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1000)",
        ),
    ),
    JAVASCRIPT: (
        Failure("could not send message {uuid}", "Error", "certificate has expired CERT_HAS_EXPIRED {ip}:443"),
    ),
    POSTGRES: (Failure("could not accept SSL connection: sslv3 alert certificate expired host={ip} port={port}"),),
}

QUEUE: Voices = {
    GO: (Failure("publish to {peer}: queue receipts is full ({many} messages), {verb} {path} answered 503"),),
    JAVA: (
        Failure(
            "Message for {subject} not handed over",
            "com.rabbitmq.client.AlreadyClosedException",
            "channel error: reply-code=406, reply-text=PRECONDITION_FAILED - queue receipts is full",
        ),
        Failure("Queue receipts rejected message {uuid} for {subject}: {many} waiting"),
    ),
    PYTHON: (
        Failure(
            "event {uuid} dropped", "kafka.errors.KafkaTimeoutError", "Failed to allocate memory within the timeout"
        ),
        Failure("queue of {peer} is full: {many} messages, event {uuid} dropped"),
    ),
    JAVASCRIPT: (
        Failure("dropped message {uuid} for {user}: queue receipts holds {many} of 50000"),
        Failure(
            "consumer-{worker} lost its lease",
            "Error",
            "Channel closed by server: 406 (PRECONDITION-FAILED) ack timed out",
        ),
    ),
    POSTGRES: (Failure("could not write to notify queue: too many notifications pending ({many})"),),
}

UPSTREAM: Voices = {
    GO: (
        Failure("{verb} {path}: upstream {peer} answered 500 in {ms}ms request_id={uuid}"),
        Failure("{verb} {path}: upstream {peer} answered 502 in {ms}ms request_id={uuid}"),
    ),
    JAVA: (
        Failure(
            "Failed on {subject}",
            "org.springframework.web.client.HttpServerErrorException",
            "503 Service Unavailable from {peer}",
        ),
        Failure("Not confirmed: {subject}, because {peer} answered 503 after {ms}ms"),
    ),
    PYTHON: (Failure("{subject} failed", "httpx.HTTPStatusError", "Server error '500' for url http://{peer}:8443"),),
    JAVASCRIPT: (
        Failure("message {uuid} postponed", "AxiosError", "Request failed with status code 500: http://{peer}:8443"),
        Failure("{peer} answered 500 for {user}, attempt {few}"),
    ),
    POSTGRES: (Failure("could not connect to foreign server {peer}: server closed the connection unexpectedly"),),
}

FAILURES: Mapping[Way, Voices] = {
    Way.NOISE: NOISE,
    Way.POOL: POOL,
    Way.MEMORY: MEMORY,
    Way.BUG: BUG,
    Way.REFUSED: REFUSED,
    Way.TIMEOUT: TIMEOUT,
    Way.CERTIFICATE: CERTIFICATE,
    Way.QUEUE: QUEUE,
    Way.UPSTREAM: UPSTREAM,
}

# What a service complains of while trouble builds up, before anything fails.
WORRIES: Mapping[Way, tuple[str, ...]] = {
    Way.NOISE: ("{count} retries in the last minute", "slow reply of {long_ms}ms, request {uuid}"),
    Way.POOL: (
        "connection pool nearly exhausted: {percent} percent in use, {count} waiting",
        "waited {long_ms}ms for a connection, request {uuid}",
    ),
    Way.MEMORY: (
        "memory at {percent} percent of its limit ({mb} MB)",
        "garbage collection took {long_ms}ms and freed {count} MB",
    ),
    Way.BUG: ("fell back to the default address for {user}",),
    Way.REFUSED: ("health check took {long_ms}ms", "{count} requests waiting for a free thread"),
    Way.TIMEOUT: ("slow statement: {long_ms}ms {sql}", "{count} requests slower than their budget in this minute"),
    Way.CERTIFICATE: ("handshake retried for request {uuid}",),
    Way.QUEUE: ("queue receipts holds {many} messages and grows", "consumer lag {seconds}s, message {uuid}"),
    Way.UPSTREAM: ("{peer} answered slowly: {long_ms}ms", "retrying request {uuid}, attempt {few}"),
}
