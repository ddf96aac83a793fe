"""The tables as SQLAlchemy Core sees them. The DDL itself is in adapters/sql, one folder for each engine."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, SmallInteger, Table, Text

metadata = MetaData()

space = Table(
    "space",
    metadata,
    Column("id", BigInteger, primary_key=True),
    Column("name", Text),
    Column("created_us", BigInteger),
)

branch = Table(
    "branch",
    metadata,
    Column("space", BigInteger),
    Column("number", BigInteger),
    Column("name", Text),
    Column("parent", BigInteger),
    Column("fork_seq", BigInteger),
    Column("head_seq", BigInteger),
    Column("created_us", BigInteger),
    Column("actor", Text),
    Column("why", Text),
    Column("seal", LargeBinary),
)

commit = Table(
    "commit",
    metadata,
    Column("space", BigInteger),
    Column("seq", BigInteger),
    Column("id", LargeBinary),
    Column("branch", BigInteger),
    Column("parent", BigInteger),
    Column("merge_parent", BigInteger),
    Column("at_us", BigInteger),
    Column("actor", Text),
    Column("why", Text),
    Column("action", Text),
    Column("detail", LargeBinary),
    Column("first_version", BigInteger),
    Column("last_version", BigInteger),
)

version = Table(
    "version",
    metadata,
    Column("space", BigInteger),
    Column("id", BigInteger),
    Column("branch", BigInteger),
    Column("address", Text),
    Column("kind", Text),
    Column("state", SmallInteger),
    Column("from_seq", BigInteger),
    Column("body", LargeBinary),
    Column("text", Text),
    Column("occurred_us", BigInteger),
    Column("origin", BigInteger),
    Column("replaces", BigInteger),
    Column("salt", LargeBinary),
    Column("digest", LargeBinary),
)

snapshot = Table(
    "snapshot",
    metadata,
    Column("space", BigInteger),
    Column("name", Text),
    Column("seq", BigInteger),
    Column("created_us", BigInteger),
    Column("actor", Text),
    Column("why", Text),
    Column("seal", LargeBinary),
)

vector = Table(
    "vector",
    metadata,
    Column("space", BigInteger),
    Column("model", Text),
    Column("version", BigInteger),
    Column("vector", LargeBinary),
)
