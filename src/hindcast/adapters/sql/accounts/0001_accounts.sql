-- Who there is and what they may do, for SQLite (one file beside the spaces) and PostgreSQL (beside their tables) alike.
-- Times are microseconds since 1970. Nothing here is a secret: credentials are hashes and digests.

CREATE TABLE organisation (
    name text NOT NULL PRIMARY KEY,
    created_at bigint NOT NULL,
    created_by text NOT NULL
);

CREATE TABLE project (
    organisation text NOT NULL REFERENCES organisation (name),
    name text NOT NULL,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    archived_at bigint,
    PRIMARY KEY (organisation, name)
);

CREATE TABLE person (
    id text NOT NULL PRIMARY KEY,
    email text NOT NULL UNIQUE,
    name text NOT NULL,
    created_at bigint NOT NULL,
    identity text NOT NULL
);

CREATE INDEX person_identity ON person (identity);

CREATE TABLE membership (
    person text NOT NULL REFERENCES person (id),
    organisation text NOT NULL REFERENCES organisation (name),
    project text NOT NULL,
    role text NOT NULL,
    since bigint NOT NULL,
    by text NOT NULL,
    PRIMARY KEY (person, organisation, project)
);

CREATE INDEX membership_organisation ON membership (organisation);

CREATE TABLE key (
    id text NOT NULL PRIMARY KEY,
    name text NOT NULL,
    organisation text NOT NULL REFERENCES organisation (name),
    project text NOT NULL,
    power text NOT NULL,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
);

CREATE INDEX key_organisation ON key (organisation);

CREATE TABLE session (
    id text NOT NULL PRIMARY KEY,
    person text NOT NULL REFERENCES person (id),
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    peer text NOT NULL
);

CREATE INDEX session_person ON session (person);

CREATE TABLE invitation (
    id text NOT NULL PRIMARY KEY,
    purpose text NOT NULL,
    email text NOT NULL,
    organisation text NOT NULL REFERENCES organisation (name),
    project text NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    expires_at bigint NOT NULL
);

CREATE INDEX invitation_email ON invitation (email);

-- What proofs are compared with; apart, so that nothing that lists people or keys can list them.
CREATE TABLE credential (
    owner text NOT NULL PRIMARY KEY,
    kept text NOT NULL
);

CREATE TABLE failures (
    bucket text NOT NULL PRIMARY KEY,
    count bigint NOT NULL,
    last_at bigint NOT NULL
);

-- One row: a number that grows with every change of who may do what, so that a process sees what another one changed.
CREATE TABLE revision (
    number bigint NOT NULL
);

INSERT INTO revision (number) VALUES (1);

-- Rows are written once and never change. Those older than what is kept go from the front of a trail, and the last of
-- them leaves its number and digest in audit_start, after which the rest is still a chain.
CREATE TABLE audit (
    organisation text NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    until bigint,
    actor text NOT NULL,
    kind text NOT NULL,
    caller text NOT NULL,
    what text NOT NULL,
    space text NOT NULL,
    subject text NOT NULL,
    outcome text NOT NULL,
    peer text NOT NULL,
    count bigint NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (organisation, seq)
);

CREATE TABLE audit_start (
    organisation text NOT NULL PRIMARY KEY,
    seq bigint NOT NULL,
    digest text NOT NULL
);
