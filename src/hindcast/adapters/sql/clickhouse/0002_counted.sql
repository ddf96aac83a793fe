-- What a line counts for: nothing of its own where it repeats a failure of its trace, and the dependency that failed it.

ALTER TABLE log ADD COLUMN IF NOT EXISTS repeated Bool DEFAULT false AFTER fingerprint;

ALTER TABLE log ADD COLUMN IF NOT EXISTS dependency LowCardinality(String) DEFAULT '' AFTER repeated;
