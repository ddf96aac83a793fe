"""Writes stack traces the way Python, Java, Go and JavaScript print them, through the code of a service."""

from __future__ import annotations

from collections.abc import Mapping

from hindcast.simulate.scenario import Way
from hindcast.simulate.topology import Voice, microservice

# (where, file, line), innermost first: the code of each service that a request passes through.
Place = tuple[str, str, int]

OWN: Mapping[str, tuple[Place, ...]] = {
    "api-gateway": (
        ("shop.example/gateway/proxy.(*Upstream).Forward", "/src/gateway/proxy/upstream.go", 148),
        ("shop.example/gateway/proxy.(*Router).route", "/src/gateway/proxy/router.go", 77),
        ("shop.example/gateway/middleware.Recover.func1", "/src/gateway/middleware/recover.go", 31),
    ),
    "auth": (
        ("com.example.auth.token.TokenStore.find", "TokenStore.java", 92),
        ("com.example.auth.token.TokenVerifier.verify", "TokenVerifier.java", 57),
        ("com.example.auth.web.TokenController.verify", "TokenController.java", 41),
    ),
    "payment": (
        ("com.example.payment.charge.ChargeRepository.save", "ChargeRepository.java", 118),
        ("com.example.payment.charge.ChargeFlow.authorise", "ChargeFlow.java", 203),
        ("com.example.payment.web.ChargeController.create", "ChargeController.java", 66),
    ),
    "notification": (
        ("Receipts.send", "/app/src/receipts/send.js", 84),
        ("Consumer.handle", "/app/src/queue/consumer.js", 52),
        ("Worker.run", "/app/src/worker.js", 27),
    ),
    "user": (
        ("load_profile", "/app/user/profile.py", 112),
        ("get_user", "/app/user/routes.py", 58),
        ("handle", "/app/user/server.py", 34),
    ),
    "analytics": (
        ("aggregate", "/app/analytics/rollup.py", 171),
        ("run_job", "/app/analytics/jobs.py", 96),
        ("main", "/app/analytics/worker.py", 40),
    ),
}

# The library that throws, for each way of failing; a service's own code throws where there is none.
LIBRARY: Mapping[tuple[Voice, Way], tuple[Place, ...]] = {
    (Voice.JAVA, Way.POOL): (
        ("com.zaxxer.hikari.pool.HikariPool.createTimeoutException", "HikariPool.java", 696),
        ("com.zaxxer.hikari.pool.HikariPool.getConnection", "HikariPool.java", 181),
    ),
    (Voice.JAVA, Way.REFUSED): (
        ("java.base/sun.nio.ch.Net.pollConnect", "Native Method", 0),
        ("java.base/java.net.Socket.connect", "Socket.java", 633),
    ),
    (Voice.JAVA, Way.TIMEOUT): (
        ("org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse", "QueryExecutorImpl.java", 2725),
        ("org.postgresql.jdbc.PgStatement.execute", "PgStatement.java", 502),
    ),
    (Voice.JAVA, Way.CERTIFICATE): (
        ("java.base/sun.security.ssl.Alert.createSSLException", "Alert.java", 130),
        ("java.base/sun.security.ssl.TransportContext.fatal", "TransportContext.java", 383),
    ),
    (Voice.JAVA, Way.QUEUE): (("com.rabbitmq.client.impl.AMQChannel.ensureIsOpen", "AMQChannel.java", 258),),
    (Voice.PYTHON, Way.POOL): (
        ("_do_get", "/usr/lib/python3.12/site-packages/sqlalchemy/pool/impl.py", 166),
        ("checkout", "/usr/lib/python3.12/site-packages/sqlalchemy/pool/base.py", 1264),
    ),
    (Voice.PYTHON, Way.REFUSED): (
        ("handle_request", "/usr/lib/python3.12/site-packages/httpx/_transports/default.py", 250),
    ),
    (Voice.PYTHON, Way.TIMEOUT): (
        ("map_httpcore_exceptions", "/usr/lib/python3.12/site-packages/httpx/_transports/default.py", 118),
    ),
    (Voice.PYTHON, Way.MEMORY): (("stack", "/usr/lib/python3.12/site-packages/numpy/_core/shape_base.py", 460),),
    (Voice.PYTHON, Way.UPSTREAM): (("raise_for_status", "/usr/lib/python3.12/site-packages/httpx/_models.py", 829),),
    (Voice.PYTHON, Way.CERTIFICATE): (("do_handshake", "/usr/lib/python3.12/ssl.py", 1319),),
    (Voice.JAVASCRIPT, Way.TIMEOUT): (
        ("RedirectableRequest.handleRequestTimeout", "/app/node_modules/axios/lib/adapters/http.js", 681),
    ),
    (Voice.JAVASCRIPT, Way.UPSTREAM): (("settle", "/app/node_modules/axios/lib/core/settle.js", 19),),
    (Voice.JAVASCRIPT, Way.REFUSED): (("TCPConnectWrap.afterConnect", "node:net", 1555),),
    (Voice.GO, Way.BUG): (("panic", "/usr/local/go/src/runtime/panic.go", 770),),
    (Voice.GO, Way.MEMORY): (("runtime.throw", "/usr/local/go/src/runtime/panic.go", 1023),),
}

# The lines of Python code that a traceback quotes; the innermost one depends on what went wrong.
_SOURCE = {
    "load_profile": "record = session.get(User, user_id)",
    "get_user": "profile = load_profile(session, user_id)",
    "handle": "response = route(request)",
    "aggregate": "rows = [event[column] for event in batch]",
    "run_job": "result = aggregate(shard)",
    "main": "run_job(job)",
}
_SOURCE_OF_WAY = {
    ("load_profile", Way.BUG): "lines = record.address.splitlines()",
    ("load_profile", Way.REFUSED): "token = auth.verify(request.token)",
    ("load_profile", Way.TIMEOUT): "token = auth.verify(request.token)",
    ("aggregate", Way.MEMORY): "frame = np.stack(columns)",
    ("aggregate", Way.REFUSED): "token = auth.verify(job.token)",
}


def stack_trace(service: str, way: Way, kind: str, text: str, number: int) -> str:
    """A stack trace of what a service threw; empty where its language writes none. The number varies addresses."""
    voice = microservice(service).voice
    library = LIBRARY.get((voice, way), ())
    match voice:
        case Voice.PYTHON:
            return _python((*library, *OWN[service]), way, kind, text)
        case Voice.JAVA:
            return _java(library, OWN[service], kind, text)
        case Voice.JAVASCRIPT:
            return _javascript((*library, *OWN[service]), kind, text)
        case Voice.GO:
            return _go((*library, *OWN[service]), text, number)
        case Voice.POSTGRES:
            return ""


def _python(frames: tuple[Place, ...], way: Way, kind: str, text: str) -> str:
    lines = ["Traceback (most recent call last):"]
    for function, file, line in reversed(frames):
        lines.append(f'  File "{file}", line {line}, in {function}')
        if source := _SOURCE_OF_WAY.get((function, way), _SOURCE.get(function)):
            lines.append(f"    {source}")
    return "\n".join([*lines, f"{kind}: {text}"])


def _java(library: tuple[Place, ...], own: tuple[Place, ...], kind: str, text: str) -> str:
    def at(place: Place) -> str:
        where, file, line = place
        return f"\tat {where}({file}:{line})" if line else f"\tat {where}({file})"

    end = (
        "\tat org.springframework.web.servlet.FrameworkServlet.service(FrameworkServlet.java:885)",
        "\tat java.base/java.lang.Thread.run(Thread.java:1583)",
    )
    if not library:
        return "\n".join([f"{kind}: {text}", *map(at, own), *end])
    # What the library threw is the cause; the service wraps it on the way out.
    package = own[0][0].rsplit(".", 2)[0]
    outer = f"{package}.RequestFailedException: {own[-1][0].rsplit('.', 2)[1]} gave up"
    cause = [f"Caused by: {kind}: {text}", *map(at, library), at(own[0]), f"\t... {len(own) + len(end) - 1} more"]
    return "\n".join([outer, *map(at, own), *end, *cause])


def _javascript(frames: tuple[Place, ...], kind: str, text: str) -> str:
    lines = [f"    at {where} ({file}:{line}:{line % 37 + 5})" for where, file, line in frames]
    end = "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)"
    return "\n".join([f"{kind}: {text}", *lines, end])


def _go(frames: tuple[Place, ...], text: str, number: int) -> str:
    lines = [f"panic: {text}", "", f"goroutine {number % 90_000 + 17} [running]:"]
    for place, (function, file, line) in enumerate(frames):
        lines.append(f"{function}(0xc{(number * (place + 3)) & 0xFFFFFFFF:09x})")
        lines.append(f"\t{file}:{line} +0x{line * 3:x}")
    return "\n".join(
        [*lines, "created by net/http.(*Server).Serve", "\t/usr/local/go/src/net/http/server.go:3285 +0x4b4"]
    )
