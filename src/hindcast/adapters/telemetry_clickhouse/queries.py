"""What is asked of the engine. `$log` and the like stand for a table, or for what looks at its parts on all shards."""

from __future__ import annotations

from string import Template

from hindcast.adapters.telemetry_clickhouse.schema import AGES

_FROM = "fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')"
_EARLIER = "fromUnixTimestamp64Micro({since_us:Int64} - {lookback_us:Int64}, 'UTC')"
_UNTIL = "fromUnixTimestamp64Micro({until_us:Int64}, 'UTC')"
_DURING = f"time >= {_FROM} AND time < {_UNTIL}"
_SPACE = "({space:String} = '' OR space = {space:String})"
_SERVICES = "(empty({services:Array(String)}) OR service IN {services:Array(String)})"

# Steps begin at the window's first whole second, so that only the last of them can be cut short.
RATES = f"""
SELECT
    space,
    {{origin:Int64}} + intDiv(toInt64(second) - {{origin:Int64}}, {{step:Int64}}) * {{step:Int64}} AS step,
    service, level, sum(count) AS lines
FROM $rate
WHERE second >= {_FROM} AND second < {_UNTIL} AND {_SPACE}
GROUP BY space, step, service, level
ORDER BY step
"""

# Every part stands in the message or in the stack, in capitals or not; a part holds no space, so none is found across.
_PARTS = """
arrayAll(part -> positionCaseInsensitiveUTF8(concat(message, ' ', stack), part) > 0, {parts:Array(String)})
"""

RATES_OF_SEARCH = f"""
SELECT
    space,
    {{origin:Int64}}
        + intDiv(toInt64(toUnixTimestamp(time)) - {{origin:Int64}}, {{step:Int64}}) * {{step:Int64}} AS step,
    service, level, count() AS lines
FROM $log
WHERE {_DURING} AND {_SPACE} AND {_PARTS}
GROUP BY space, step, service, level
ORDER BY step
"""

# Without steps there is nothing to sum but what the engine has not merged yet, which it does ten times as fast as a
# query that groups. Rows of several shards have to be grouped all the same.
RATES_BY_SECOND = f"""
SELECT space, second, service, level, count FROM $rate FINAL
WHERE second >= {_FROM} AND second < {_UNTIL} AND {_SPACE}
SETTINGS output_format_arrow_low_cardinality_as_dictionary = 1, do_not_merge_across_partitions_select_final = 1
"""

# A counter's points are compared with the one before of the same series, which may lie before the window. A counter
# that fell was set back to 0. Several series of one counter are parts of a whole, so their rates are added up.
COUNTER_LOOKBACK_US_MIN = 600_000_000

_STEP_OF_US = """
{origin:Int64} + intDiv(intDiv(at_us, 1000000) - {origin:Int64}, {step:Int64}) * {step:Int64}
"""

GAUGES = f"""
SELECT space, service, name, {_STEP_OF_US} AS step, avg(value) AS mean
FROM (
    SELECT space, service, name, toUnixTimestamp64Micro(time) AS at_us, value FROM $metric
    WHERE {_DURING} AND {_SPACE} AND NOT cumulative AND isFinite(value)
)
GROUP BY space, service, name, step
UNION ALL
SELECT space, service, name, step, sum(rate) AS mean
FROM (
    SELECT space, service, name, series, {_STEP_OF_US} AS step,
        sum(if(value >= before, value - before, value)) / (sum(at_us - before_us) / 1000000) AS rate
    FROM (
        SELECT space, service, name, series, at_us, value,
            lagInFrame(value) OVER earlier AS before,
            lagInFrame(at_us) OVER earlier AS before_us,
            row_number() OVER earlier AS place
        FROM (
            SELECT space, service, name, series, toUnixTimestamp64Micro(time) AS at_us, value FROM $metric
            WHERE time >= {_EARLIER} AND time < {_UNTIL} AND {_SPACE} AND cumulative AND isFinite(value)
        )
        WINDOW earlier AS (
            PARTITION BY series ORDER BY at_us ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        )
    )
    WHERE place > 1 AND at_us > before_us AND at_us >= {{since_us:Int64}}
    GROUP BY space, service, name, series, step
)
GROUP BY space, service, name, step
"""

# A parent begins before its children, and may have begun before the window.
PARENT_LOOKBACK_US = 600_000_000

_CROSSINGS = f"""
SELECT
    child.trace AS trace, child.parent AS parent,
    caller.service AS caller, child.service AS callee, child.status AS status
FROM (
    SELECT trace, parent, service, status FROM $span
    WHERE space = {{space:String}} AND {_DURING} AND parent != ''
) AS child
GLOBAL ANY LEFT JOIN (
    SELECT trace, span, service FROM $span
    WHERE space = {{space:String}} AND time >= {_EARLIER} AND time < {_UNTIL}
) AS caller ON child.trace = caller.trace AND child.parent = caller.span
WHERE caller.service NOT IN ('', child.service)
"""

# A call is seen from both sides when both are traced; the caller's own word counts only where the callee says nothing.
CALLS = f"""
SELECT caller, callee, count() AS calls, countIf(status = 2) AS errors
FROM (
    SELECT caller, callee, status FROM ({_CROSSINGS})
    UNION ALL
    SELECT service AS caller, peer AS callee, status FROM $span
    WHERE space = {{space:String}} AND {_DURING} AND peer != '' AND peer != service
    AND (trace, span) GLOBAL NOT IN (SELECT trace, parent FROM ({_CROSSINGS}))
)
GROUP BY caller, callee
ORDER BY calls DESC, caller, callee
"""


# An exception that one trace repeats within two seconds is one, as in the counts (`ingest.dependency.Failures`).
_ONCE = (
    "countIf(trace = '' OR stack = '') + uniqExactIf((trace, intDiv(toInt64(time), 2)), trace != '' AND stack != '')"
)


def _top(column: str) -> str:
    return f"""
SELECT leader.id AS id, words.text AS text, leader.seen AS seen, leader.first_at AS first_at, leader.most_in AS most_in
FROM (
    SELECT id, sum(lines) AS seen, min(earliest) AS first_at, argMax(service, (lines, service)) AS most_in
    FROM (
        SELECT {column} AS id, service, {_ONCE} AS lines, min(time) AS earliest FROM $log
        WHERE space = {{space:String}} AND {_SERVICES} AND {_DURING} AND level >= {{level_min:UInt8}} AND {column} != 0
        GROUP BY id, service
    )
    GROUP BY id
    ORDER BY seen DESC, id
    LIMIT {{count_max:UInt64}}
) AS leader
GLOBAL LEFT JOIN (SELECT id, argMax(text, told) AS text FROM ${column} GROUP BY id) AS words ON leader.id = words.id
ORDER BY seen DESC, id
"""


TOP_TEMPLATES = _top("template")
TOP_FINGERPRINTS = _top("fingerprint")


def lines(*, words: bool, trace: bool, fingerprint: bool, newest_first: bool) -> str:
    """Log lines that satisfy the conditions named. One that is not there cannot keep an index from helping.

    Lines of one microsecond have an order too, so that a page can go on where another one ended.
    """
    conditions = [
        f"space = {{space:String}} AND {_SERVICES} AND {_DURING} AND level >= {{level_min:UInt8}}",
        *([_PARTS] if words else []),
        *(["trace = {trace:String}"] if trace else []),
        *(["fingerprint = {fingerprint:UInt64}"] if fingerprint else []),
    ]
    return f"""
SELECT time, service, level, message, stack, trace, template, fingerprint, attributes FROM $log
WHERE {" AND ".join(conditions)}
ORDER BY time{" DESC" if newest_first else ""}, service, message, trace
LIMIT {{lines_max:UInt64}}
"""


# A trace is found by its index of traces, whatever its time.
SPANS = """
SELECT time, duration_us, service, name, kind, trace, span, parent, peer, status, attributes FROM $span
WHERE space = {space:String} AND trace = {trace:String}
ORDER BY time, span
LIMIT {spans_max:UInt64}
"""

CHANGES = f"""
SELECT * FROM (
    SELECT * FROM $change WHERE space = {{space:String}} ORDER BY told DESC LIMIT 1 BY source, key
)
WHERE at >= {_FROM} AND at < {_UNTIL}
ORDER BY at, source, key
"""

ALERTS = f"""
SELECT * FROM (
    SELECT * FROM $alert WHERE {_SPACE} ORDER BY told DESC LIMIT 1 BY space, source, key
)
WHERE told >= {_FROM} AND told < {_UNTIL}
ORDER BY told, space, source, key
"""

TEMPLATES = "SELECT id, argMax(text, told) AS text FROM $template GROUP BY id ORDER BY id"

# Rows and the oldest of each table, by the time by which its rows grow old. It reads two columns of what there is, and
# nobody waits for it: a store with so much in it that this takes seconds is told of as not known.
KEPT_SECONDS_MAX = 5
# What is told again under the same key is one, whether or not the engine has dropped the earlier tellings yet.
_KEYED = dict.fromkeys(("alert", "change"), "uniqExact(source, key)")
KEPT = (
    "\nUNION ALL\n".join(
        f"SELECT '{table}' AS kind, {_KEYED.get(table, 'count()')} AS rows, "
        f"toDateTime64(min({column}), 6, 'UTC') AS oldest FROM ${table} WHERE space = {{space:String}}"
        for table, column in AGES.items()
    )
    + f"\nSETTINGS max_execution_time = {KEPT_SECONDS_MAX}"
)

# By day: one insert of one day is there as a whole or not at all.
PRESENT = """
SELECT toYYYYMMDD(time) AS day, count() AS lines FROM $table
WHERE write = {write:UInt64} AND time >= fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')
AND time < fromUnixTimestamp64Micro({until_us:Int64}, 'UTC')
GROUP BY day
"""


def over(query: str, suffix: str) -> str:
    """A query over tables with a suffix: none on one engine, that of the tables across all shards on a cluster."""
    tables = ("log", "metric", "span", "rate", "change", "alert", "template", "fingerprint")
    return Template(query).substitute({table: f"{table}{suffix}" for table in tables})
