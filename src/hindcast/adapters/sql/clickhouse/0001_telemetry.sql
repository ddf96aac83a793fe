-- Raw telemetry. Every table is fsynced on insert: what was acknowledged survives a power failure.
-- A merged part is not; its sources stay on disk for eight minutes, by which time the system has written it.
-- Days are partitions, so that retention drops whole parts and rewrites none. How long is set when the store is opened.
-- `write` numbers the insert that a row came with: one insert is one part for each day, there as a whole or not at all.

CREATE TABLE IF NOT EXISTS log (
    space LowCardinality(String),
    time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    arrived DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    service LowCardinality(String),
    level UInt8,
    trace String CODEC(ZSTD(1)),
    span String CODEC(ZSTD(1)),
    template UInt64 CODEC(ZSTD(1)),
    fingerprint UInt64 CODEC(ZSTD(1)),
    message String CODEC(ZSTD(1)),
    stack String CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    write UInt64 CODEC(ZSTD(1)),
    INDEX log_arrived arrived TYPE minmax GRANULARITY 1,
    INDEX log_trace trace TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (space, service, time)
SETTINGS
    fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1;

CREATE TABLE IF NOT EXISTS metric (
    space LowCardinality(String),
    time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    service LowCardinality(String),
    name LowCardinality(String),
    value Float64 CODEC(ZSTD(1)),
    unit LowCardinality(String),
    cumulative Bool,
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    -- Points with the same attributes, in whatever order they came, are one series.
    series UInt64 MATERIALIZED cityHash64(space, service, name, mapSort(attributes)) CODEC(ZSTD(1)),
    write UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (space, service, name, series, time)
SETTINGS
    fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1;

CREATE TABLE IF NOT EXISTS span (
    space LowCardinality(String),
    time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    duration_us Int64 CODEC(ZSTD(1)),
    service LowCardinality(String),
    name LowCardinality(String),
    kind UInt8,
    trace String CODEC(ZSTD(1)),
    span String CODEC(ZSTD(1)),
    parent String CODEC(ZSTD(1)),
    peer LowCardinality(String),
    status UInt8,
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    write UInt64 CODEC(ZSTD(1)),
    INDEX span_trace trace TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (space, service, time)
SETTINGS
    fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1;

-- Days as in `log`, so that one insert's lines of one day and their counts are one part each. An insert whose token was
-- seen before is dropped, so that counting again what may have been counted adds nothing.
CREATE TABLE IF NOT EXISTS rate (
    space LowCardinality(String),
    second DateTime64(0, 'UTC') CODEC(Delta, ZSTD(1)),
    service LowCardinality(String),
    level UInt8,
    count UInt64 CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree(count)
PARTITION BY toYYYYMMDD(second)
ORDER BY (second, space, service, level)
SETTINGS
    fsync_after_insert = 1, fsync_part_directory = 1, ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1,
    non_replicated_deduplication_window = 10000;

-- `told` is when it was written. The latest telling of a key counts; the engine drops earlier ones when it merges.
CREATE TABLE IF NOT EXISTS change (
    space LowCardinality(String),
    source LowCardinality(String),
    key String,
    kind LowCardinality(String),
    at DateTime64(6, 'UTC'),
    service LowCardinality(String),
    title String,
    actor String,
    ref String,
    url String,
    labels Map(LowCardinality(String), String),
    told DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(told)
ORDER BY (space, source, key)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS alert (
    space LowCardinality(String),
    source LowCardinality(String),
    key String,
    status LowCardinality(String),
    title String,
    service LowCardinality(String),
    severity LowCardinality(String),
    started_at DateTime64(6, 'UTC'),
    ended_at Nullable(DateTime64(6, 'UTC')),
    url String,
    labels Map(LowCardinality(String), String),
    text String,
    stack String,
    told DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(told)
ORDER BY (space, source, key)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Told once, when new, and needed as long as any line refers to them: these two have no retention.
CREATE TABLE IF NOT EXISTS template (
    id UInt64,
    text String,
    told DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(told)
ORDER BY id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fingerprint (
    id UInt64,
    text String,
    told DateTime64(6, 'UTC')
)
ENGINE = ReplacingMergeTree(told)
ORDER BY id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
