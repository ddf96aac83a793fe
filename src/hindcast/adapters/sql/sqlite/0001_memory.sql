-- Memory: one file holds one space, so `space` is always 1 here and leads no index.
-- Rows of "commit" and version are written once and never change, except that erasing blanks a body.

CREATE TABLE space (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_us INTEGER NOT NULL
);

CREATE TABLE branch (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    name TEXT NOT NULL UNIQUE,
    parent INTEGER,
    fork_seq INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    created_us INTEGER NOT NULL,
    actor TEXT NOT NULL,
    why TEXT NOT NULL,
    seal BLOB NOT NULL
);

CREATE TABLE "commit" (
    seq INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id BLOB NOT NULL,
    branch INTEGER NOT NULL,
    parent INTEGER,
    merge_parent INTEGER,
    at_us INTEGER NOT NULL,
    actor TEXT NOT NULL,
    why TEXT NOT NULL,
    action TEXT NOT NULL,
    detail BLOB NOT NULL,
    first_version INTEGER NOT NULL,
    last_version INTEGER NOT NULL
);

CREATE UNIQUE INDEX commit_id ON "commit" (id);

CREATE INDEX commit_at ON "commit" (at_us);

CREATE INDEX commit_branch ON "commit" (branch, seq);

-- Merges and erasures are rare, and are asked for by name.
CREATE INDEX commit_action ON "commit" (action, seq) WHERE action <> 'commit';

CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    branch INTEGER NOT NULL,
    address TEXT NOT NULL,
    kind TEXT NOT NULL,
    state INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    body BLOB,
    text TEXT,
    occurred_us INTEGER NOT NULL,
    origin INTEGER,
    replaces INTEGER,
    salt BLOB,
    digest BLOB NOT NULL
);

CREATE INDEX version_address ON version (branch, address, from_seq);

CREATE TABLE snapshot (
    name TEXT PRIMARY KEY,
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    created_us INTEGER NOT NULL,
    actor TEXT NOT NULL,
    why TEXT NOT NULL,
    seal BLOB NOT NULL
) WITHOUT ROWID;

-- Derived: what an embedder made of a version. Losing it costs time, never knowledge.
CREATE TABLE vector (
    model TEXT NOT NULL,
    version INTEGER NOT NULL,
    space INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model, version)
) WITHOUT ROWID;
