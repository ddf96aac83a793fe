"""Makes counts agree with lines again after a write that may have ended half-way.

A write puts lines in first and their counts after them, so whatever ended it can only have left counts out. Lines know
the number of their insert, and its counts go in under that number as their token: counting an insert again adds its
counts if they are missing and nothing if they are there, even while another process writes them.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import pyarrow as pa

from hindcast.adapters.telemetry_clickhouse.connection import Engine
from hindcast.adapters.telemetry_clickhouse.shape import EPOCH, microseconds
from hindcast.model.columns import RATE

# Lines wait for a few seconds at most between their arrival and their insert, so that those of the last insert are
# among those that arrived last.
ARRIVED_SECONDS_BACK = 60

_LAST = "SELECT toUnixTimestamp64Micro(max(arrived)) AS us, count() AS lines FROM log"

# The days that have to be looked at, so that no others are.
_RANGE = """
SELECT toInt64(min(time)) * 1000000 AS since_us, (toInt64(max(time)) + 1) * 1000000 AS until_us FROM log
WHERE arrived >= fromUnixTimestamp64Micro({arrived_us:Int64}, 'UTC')
"""

_SINCE = "fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')"
_UNTIL = "fromUnixTimestamp64Micro({until_us:Int64}, 'UTC')"

# Seconds are compared as a whole, because lines of one second come with several inserts.
_SECONDS = f"""
SELECT DISTINCT space, toInt64(time) FROM log
WHERE time >= {_SINCE} AND time < {_UNTIL} AND arrived >= fromUnixTimestamp64Micro({{arrived_us:Int64}}, 'UTC')
"""

# The services that each line counts for, as `write.counted` has it.
_COUNTED = "ARRAY JOIN arrayFilter(name -> name != '', [if(repeated, '', toString(service)), toString(dependency)])"

_MISSING = f"""
SELECT space, second, service, level, toUInt64(sum(logged) - sum(rated)) AS count
FROM (
    SELECT space, toInt64(time) AS second, counted AS service, level, toInt64(count()) AS logged, toInt64(0) AS rated
    FROM log {_COUNTED} AS counted WHERE time >= {_SINCE} AND time < {_UNTIL} AND (space, toInt64(time)) IN ({_SECONDS})
    GROUP BY space, second, counted, level
    UNION ALL
    SELECT space, toInt64(rate.second) AS second, service, level, toInt64(0) AS logged, toInt64(sum(count)) AS rated
    FROM rate WHERE rate.second >= {_SINCE} AND rate.second < {_UNTIL} AND (space, toInt64(rate.second)) IN ({_SECONDS})
    GROUP BY space, second, service, level
)
GROUP BY space, second, service, level
HAVING sum(logged) > sum(rated)
ORDER BY second
"""

_WRITES = f"""
SELECT DISTINCT write FROM log
WHERE time >= {_SINCE} AND time < {_UNTIL} AND arrived >= fromUnixTimestamp64Micro({{arrived_us:Int64}}, 'UTC')
"""

_COUNTS_OF = f"""
SELECT space, toInt64(time) AS second, counted AS service, level, count() AS count FROM log {_COUNTED} AS counted
WHERE write = {{write:UInt64}} AND arrived >= fromUnixTimestamp64Micro({{arrived_us:Int64}}, 'UTC')
GROUP BY space, second, counted, level
"""


def recount(engine: Engine, *, alone: bool, arrived_since: datetime | None = None) -> int:
    """Add the counts that are missing for lines that arrived of late; how many lines they count.

    Alone on the engine, what is missing is simply added. Otherwise another writer may be between its lines and its
    counts at this very moment, so each insert that is concerned is counted again under its own token.
    """
    if arrived_since is None:
        last = engine.ask(_LAST).to_pylist()[0]
        if not last["lines"]:
            return 0
        arrived_us = int(last["us"]) - ARRIVED_SECONDS_BACK * 1_000_000
    else:
        arrived_us = microseconds(arrived_since)
    late = {"arrived_us": arrived_us}
    missing = engine.ask(_MISSING, {**engine.ask(_RANGE, late).to_pylist()[0], **late})
    if not missing.num_rows:
        return 0
    if alone:
        engine.insert("rate", _rates(missing))
    else:
        _count_again(engine, missing, arrived_us)
    return int(sum(missing["count"].to_pylist()))


def _count_again(engine: Engine, missing: pa.Table, arrived_us: int) -> None:
    seconds = missing["second"].to_pylist()
    window = {
        "since_us": min(seconds) * 1_000_000,
        "until_us": (max(seconds) + 1) * 1_000_000,
        "arrived_us": arrived_us,
    }
    for number in engine.ask(_WRITES, window)["write"].to_pylist():
        counts = engine.ask(_COUNTS_OF, {"write": number, "arrived_us": arrived_us})
        engine.insert("rate", _rates(counts), token=token(number))


def _rates(found: pa.Table) -> pa.Table:
    second = found["second"].cast(RATE.field("second").type)
    return found.set_column(found.column_names.index("second"), "second", second).select(RATE.names).cast(RATE)


def token(number: int) -> str:
    """By what the counts of an insert are known to have been written before."""
    return f"hindcast-{number:016x}"


def recent(moment: datetime) -> datetime:
    """From when on lines have to be looked at so that none of a write at this moment is missed."""
    return max(moment - timedelta(seconds=ARRIVED_SECONDS_BACK), EPOCH)
