"""What goes wrong around a telemetry store: servers that are down, wrong words, full disks, locks, damaged parts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from hindcast.adapters.telemetry_clickhouse import ClickhouseTelemetry, Retention, open_telemetry
from hindcast.adapters.telemetry_clickhouse.address import Address, Host, parse
from hindcast.adapters.telemetry_clickhouse.connection import Engine
from hindcast.model.columns import LOG, Batch
from hindcast.model.errors import Damaged, HindcastError, Malformed, Missing, Refused, Unavailable

if TYPE_CHECKING:
    from tests.contract import clickhouse_server
    from tests.contract.conftest import TelemetryPlace
else:
    from contract import clickhouse_server

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
SPACE = "acme/shop"
LINES = 3_000
# Tests have a time of their own, long ago: nothing may grow old while they run.
FOR_EVER = Retention(log_days=0, metric_days=0, span_days=0, rate_days=0, change_days=0, alert_days=0)


def logs(count: int = 1) -> pa.Table:
    """Lines that do not compress to nothing."""
    row = {"space": SPACE, "arrived": AT, "service": "api", "level": 9, "trace": "", "span": "", "stack": ""}
    row |= {"repeated": False, "dependency": ""}
    return pa.Table.from_pylist(
        [
            {
                **row,
                "time": AT + timedelta(seconds=number % 600),
                "template": number,
                "fingerprint": 0,
                "message": f"message {number * 7919 % 10_007}",
                "attributes": [],
            }
            for number in range(count)
        ],
        schema=LOG,
    )


def told(store: ClickhouseTelemetry) -> tuple[int, int]:
    """How many lines there are, and how many the rates count."""
    counts = store.rates(AT, LATER)["count"].to_pylist()
    return len(store.lines(SPACE, AT, LATER, lines_max=100_000)), sum(counts)


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[list[clickhouse_server.Server]]:
    """Two servers that a test may end."""
    with (
        tempfile.TemporaryDirectory(prefix="hindcast-ch-") as folder,
        clickhouse_server.running(Path(folder), 2) as two,
    ):
        yield two


# --- Addresses ----------------------------------------------------------------------------------------------------


def test_addresses_are_read() -> None:
    """Folders and servers, with and without the parts that may be left out, and passwords with any sign in them."""
    assert parse("chdb:///var/lib/a%20b") == Address("hindcast", folder="/var/lib/a b")
    assert parse("chdb:///x?database=other") == Address("other", folder="/x")
    one = (Host("h", 8123),)
    assert parse("clickhouse://h") == Address("hindcast", hosts=one)
    assert parse("http://u:p%40%2F@h/db") == Address("db", hosts=one, user="u", password="p@/")
    assert parse("https://h/db") == Address("db", hosts=(Host("h", 8443),), tls=True)
    two = (Host("a", 1), Host("::1", 8443))
    assert parse("clickhouses://u@a:1,[::1]/db?cluster=c") == Address("db", hosts=two, user="u", tls=True, cluster="c")


@pytest.mark.parametrize(
    "dsn",
    [
        "",
        "telemetry",
        "postgresql://u:secret@h/db",
        "chdb://",
        "chdb:///",
        "chdb://folder",
        "chdb:///a%3Fb",
        "chdb:///a?database=1;DROP",
        "chdb:///a?cluster=c",
        "clickhouse://u:secret@",
        "clickhouse://u:secret@h:port/db",
        "clickhouse://u:secret@h:99999/db",
        "clickhouse://u:secret@[::1/db",
        "clickhouse://u:secret@a,b/db",
        "clickhouse://u:secret@a,a/db?cluster=c",
        "clickhouse://u:secret@h/not-a-name",
        "clickhouse://u:secret@h/db?cluster=c';",
        "clickhouse://u:secret@h/db?typo=1",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_its_password(dsn: str) -> None:
    """Every wrong address is an error that names the setting and shows how one is written, and never the password."""
    with pytest.raises(Malformed) as caught:
        open_telemetry(dsn)
    assert caught.value.field
    assert caught.value.field.startswith("telemetry")
    assert "chdb:///folder" in caught.value.remedy
    assert "secret" not in str(caught.value)


# --- Servers ------------------------------------------------------------------------------------------------------


def test_a_server_that_is_not_there_is_unavailable() -> None:
    """Nobody listening is an error that says what to do, without the password."""
    with pytest.raises(Unavailable) as caught:
        open_telemetry("clickhouse://u:secret@127.0.0.1:1/db")
    assert "secret" not in str(caught.value)


def test_wrong_credentials_are_refused(server_place: TelemetryPlace) -> None:
    """A wrong password or an unknown user is not a matter of trying again."""
    host = parse(server_place.dsn).hosts[0]
    for who in (f"{clickhouse_server.USER}:wrong-word", "nobody:wrong-word"):
        with pytest.raises(Refused, match="credentials") as caught:
            open_telemetry(f"clickhouse://{who}@{host}/db")
        assert "wrong-word" not in str(caught.value)


def test_a_cluster_that_the_server_does_not_know_is_missing(server_place: TelemetryPlace) -> None:
    """The name of a cluster has to be one that the servers know."""
    server_place.telemetry().close()
    with pytest.raises(Missing, match="cluster"):
        open_telemetry(f"{server_place.dsn}?cluster=nobody").lines(SPACE, AT, LATER)


def test_a_server_that_goes_away_loses_nothing(own_cluster: list[clickhouse_server.Server]) -> None:
    """While a server is down every call says so; when it is back, what was acknowledged is there, and writes go on."""
    server = own_cluster[0]
    store = open_telemetry(server.dsn("away"), retention=FOR_EVER)
    batches = [Batch(SPACE, logs=logs(5))]
    store.write(batches)
    server.kill()
    for call in (lambda: store.write(batches), lambda: store.rates(AT, LATER), store.templates):
        with pytest.raises(Unavailable):
            call()
    assert server.start()
    assert told(store) == (5, 5)
    # The write that failed has left nothing, and is repeated as it was.
    store.write(batches)
    assert told(store) == (10, 10)
    store.close()


def test_a_cluster_with_a_shard_down_still_takes_writes(own_cluster: list[clickhouse_server.Server]) -> None:
    """One write fails on a shard that is down; repeated, it goes to another, and so do the next. Reads need all."""
    store = open_telemetry(clickhouse_server.dsn(own_cluster, "half"), retention=FOR_EVER)
    own_cluster[1].kill()
    refused = 0
    for number in range(6):
        batches = [Batch(SPACE, logs=logs(number + 1))]
        try:
            store.write(batches)
        except Unavailable:
            refused += 1
            store.write(batches)
    assert refused == 1
    with pytest.raises(Unavailable):
        store.lines(SPACE, AT, LATER)
    assert own_cluster[1].start()
    assert told(store) == (21, 21)
    store.close()


def test_few_rights_are_enough_and_fewer_are_refused(own_cluster: list[clickhouse_server.Server]) -> None:
    """The rights that the how-to guide names are enough, on a server and on a cluster; without them it is refused."""
    limited = clickhouse_server.LIMITED
    for server in own_cluster:
        admin = Engine(parse(server.dsn("default")), parse(server.dsn("default")).hosts[0])
        admin.run(f"CREATE DATABASE {limited}")
        admin.close()
    for servers in (own_cluster[:1], own_cluster):
        store = open_telemetry(clickhouse_server.dsn(servers, limited, limited), retention=FOR_EVER)
        store.write([Batch(SPACE, logs=logs())])
        assert told(store)[0] > 0
        store.close()
    with pytest.raises(Refused, match="may not do this"):
        open_telemetry(clickhouse_server.dsn(own_cluster, "other", limited))


# --- Disks --------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_unavailable_and_can_be_mended(telemetry_place: TelemetryPlace) -> None:
    """A write that finds no space says so, and the same write succeeds when there is some again."""
    store = telemetry_place.telemetry()
    engines = telemetry_place.engines()
    for engine in engines:
        engine.run("ALTER TABLE rate MODIFY SETTING min_free_disk_bytes_to_perform_insert = 4611686018427387904")
    batches = [Batch(SPACE, logs=logs(5))]
    with pytest.raises(Unavailable, match="full"):
        store.write(batches)
    for engine in engines:
        engine.run("ALTER TABLE rate RESET SETTING min_free_disk_bytes_to_perform_insert")
    store.write(batches)
    assert told(store) == (5, 5)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A folder below a file, or one that is a file, is an error that names it."""
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "below"):
        with pytest.raises(Unavailable, match=str(place)):
            open_telemetry(f"chdb://{place}")


def test_a_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that may not be written to is refused before the engine touches it."""

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Root may write anywhere, and tests may run as root.
    monkeypatch.setattr(Path, "touch", forbidden)
    with pytest.raises(Refused, match="cannot be written"):
        open_telemetry(f"chdb://{tmp_path}/telemetry")


# --- One process, one folder --------------------------------------------------------------------------------------


def elsewhere(dsn: str, environment: Mapping[str, str], then: str = "") -> dict[str, str]:
    """What opening a store, and what follows, comes to in another process: the name of the error and its words."""
    program = f"""
import json, sys
from datetime import UTC, datetime, timedelta
from hindcast.adapters.telemetry_clickhouse import Retention, open_telemetry
from hindcast.model.errors import HindcastError
AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
try:
    days = {{f"{{table}}_days": 0 for table in ("log", "metric", "span", "rate", "change", "alert")}}
    store = open_telemetry(sys.argv[1], retention=Retention(**days))
    {then or "pass"}
    print(json.dumps({{"error": ""}}))
except HindcastError as error:
    print(json.dumps({{"error": type(error).__name__, "words": str(error)}}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, dsn], env=dict(environment), capture_output=True, text=True, check=True
    )  # fmt: skip
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_second_process_is_told_who_has_the_folder(
    chdb_place: TelemetryPlace, source_environment: Mapping[str, str]
) -> None:  # fmt: skip
    """One process owns a folder; another is told so, and the owner goes on undisturbed."""
    store = chdb_place.telemetry()
    found = elsewhere(chdb_place.dsn, source_environment)
    assert found["error"] == "InUse"
    assert "another process" in found["words"]
    store.write([Batch(SPACE, logs=logs())])
    assert told(store) == (1, 1)


def test_a_process_can_have_one_folder_at_a_time(chdb_place: TelemetryPlace, tmp_path: Path) -> None:
    """A second folder in the same process is an error that says so."""
    chdb_place.telemetry()
    with pytest.raises(Unavailable, match="One process owns a folder"):
        open_telemetry(f"chdb://{tmp_path}/second")


def test_two_stores_may_share_a_folder_in_one_process(chdb_place: TelemetryPlace) -> None:
    """The same folder may be opened again in the same process, and closing one leaves the other open."""
    one, two = chdb_place.telemetry(), chdb_place.telemetry()
    one.write([Batch(SPACE, logs=logs())])
    one.close()
    assert told(two) == (1, 1)
    with pytest.raises(Unavailable, match="closed"):
        one.templates()


# --- Damage -------------------------------------------------------------------------------------------------------


def in_a_copy(chdb_folder: Path, place: TelemetryPlace, harm: Callable[[Path], None], target: Path) -> str:
    """The address of a copy of a store with one part of its logs harmed. Parts never change, so they can be copied."""
    import shutil

    (engine,) = place.engines()
    path = Path(
        engine.ask("SELECT path FROM system.parts WHERE active AND table = 'log' AND database = currentDatabase()")[
            "path"
        ][0].as_py()
    )
    shutil.copytree(chdb_folder, target, symlinks=True, ignore=shutil.ignore_patterns("status", "tmp*"))
    harm(target / path.relative_to(chdb_folder.resolve()))
    return place.dsn.replace(str(chdb_folder), str(target))


def flip(part: Path) -> None:
    """Change bytes in the middle of the data."""
    data = part / "data.bin"
    with data.open("r+b") as file:
        file.seek(data.stat().st_size // 2)
        file.write(bytes(64))


def cut(part: Path) -> None:
    """Lose the second half of the data."""
    data = part / "data.bin"
    os.truncate(data, data.stat().st_size // 2)


@pytest.mark.parametrize("harm", [flip, cut])
def test_a_damaged_part_is_never_passed_over(
    chdb_place: TelemetryPlace,
    chdb_folder: Path,
    tmp_path: Path,
    source_environment: Mapping[str, str],
    harm: Callable[[Path], None],
) -> None:
    """Bytes that are not what was written, or that are gone, are an error that names the part: no answer without it."""
    store = chdb_place.telemetry()
    store.write([Batch(SPACE, logs=logs(LINES))])
    dsn = in_a_copy(chdb_folder, chdb_place, harm, tmp_path / "copy")
    read = f"store.lines({SPACE!r}, AT, AT + timedelta(hours=1), lines_max=10_000)"
    found = elsewhere(dsn, source_environment, read)
    assert found["error"] == "Damaged"
    assert "20260101_" in found["words"]


def test_tables_that_are_gone_are_damage(telemetry_place: TelemetryPlace) -> None:
    """A table that somebody has dropped under a running store is damage, and not a bug."""
    store = telemetry_place.telemetry()
    for engine in telemetry_place.engines():
        engine.run("DROP TABLE template SYNC")
    with pytest.raises(Damaged):
        store.templates()


def test_whatever_the_engine_says_comes_as_an_error_of_ours(telemetry_place: TelemetryPlace) -> None:
    """No error of the driver gets through, not even for a statement that makes no sense."""
    telemetry_place.telemetry()
    engine: Engine = telemetry_place.engines()[0]
    for statement in ("SELECT", "SELECT throwIf(1)", "SELECT * FROM nowhere", "SELECT CAST('x' AS UInt8)"):
        with pytest.raises(HindcastError) as caught:
            engine.ask(statement)
        assert caught.value.remedy
