-- Memory: many spaces share these tables. Every query names its space, and row-level security holds even if one forgets.
-- Rows of "commit" and version are written once and never change, except that erasing blanks a body.

CREATE TABLE space (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    created_us bigint NOT NULL
);

CREATE TABLE branch (
    space bigint NOT NULL REFERENCES space (id),
    number bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    parent bigint,
    fork_seq bigint NOT NULL,
    head_seq bigint NOT NULL,
    created_us bigint NOT NULL,
    actor text NOT NULL,
    why text NOT NULL,
    seal bytea NOT NULL,
    PRIMARY KEY (space, number),
    UNIQUE (space, name)
);

CREATE TABLE "commit" (
    space bigint NOT NULL REFERENCES space (id),
    seq bigint NOT NULL,
    id bytea NOT NULL,
    branch bigint NOT NULL,
    parent bigint,
    merge_parent bigint,
    at_us bigint NOT NULL,
    actor text NOT NULL,
    why text NOT NULL,
    action text NOT NULL,
    detail bytea NOT NULL,
    first_version bigint NOT NULL,
    last_version bigint NOT NULL,
    PRIMARY KEY (space, seq)
);

CREATE UNIQUE INDEX commit_id ON "commit" (space, id);

CREATE INDEX commit_at ON "commit" (space, at_us);

CREATE INDEX commit_branch ON "commit" (space, branch, seq);

-- Merges and erasures are rare, and are asked for by name.
CREATE INDEX commit_action ON "commit" (space, action, seq) WHERE action <> 'commit';

CREATE TABLE version (
    space bigint NOT NULL REFERENCES space (id),
    id bigint NOT NULL,
    branch bigint NOT NULL,
    address text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    state smallint NOT NULL,
    from_seq bigint NOT NULL,
    body bytea,
    text text,
    occurred_us bigint NOT NULL,
    origin bigint,
    replaces bigint,
    salt bytea,
    digest bytea NOT NULL,
    PRIMARY KEY (space, id)
);

CREATE INDEX version_address ON version (space, branch, address, from_seq) INCLUDE (id);

CREATE TABLE snapshot (
    space bigint NOT NULL REFERENCES space (id),
    name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    created_us bigint NOT NULL,
    actor text NOT NULL,
    why text NOT NULL,
    seal bytea NOT NULL,
    PRIMARY KEY (space, name)
);

-- Derived: what an embedder made of a version. Losing it costs time, never knowledge.
CREATE TABLE vector (
    space bigint NOT NULL REFERENCES space (id),
    model text NOT NULL,
    version bigint NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (space, model, version)
);

ALTER TABLE branch ENABLE ROW LEVEL SECURITY;
ALTER TABLE branch FORCE ROW LEVEL SECURITY;
CREATE POLICY one_space ON branch USING (space = current_setting('hindcast.space', true)::bigint);

ALTER TABLE "commit" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "commit" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_space ON "commit" USING (space = current_setting('hindcast.space', true)::bigint);

ALTER TABLE version ENABLE ROW LEVEL SECURITY;
ALTER TABLE version FORCE ROW LEVEL SECURITY;
CREATE POLICY one_space ON version USING (space = current_setting('hindcast.space', true)::bigint);

ALTER TABLE snapshot ENABLE ROW LEVEL SECURITY;
ALTER TABLE snapshot FORCE ROW LEVEL SECURITY;
CREATE POLICY one_space ON snapshot USING (space = current_setting('hindcast.space', true)::bigint);

ALTER TABLE vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE vector FORCE ROW LEVEL SECURITY;
CREATE POLICY one_space ON vector USING (space = current_setting('hindcast.space', true)::bigint);
