"""The tables of accounts, made from the values that they keep. The DDL itself is in adapters/sql/accounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from sqlalchemy import BigInteger, Column, MetaData, Table, Text

from hindcast.adapters.store_sql.shape import microseconds, moment
from hindcast.model.account import (
    Credential,
    Failures,
    Invitation,
    Key,
    Membership,
    Organisation,
    Person,
    Project,
    Session,
)
from hindcast.model.audit import AuditEntry
from hindcast.model.errors import Damaged, Malformed

metadata = MetaData()

# What tells two values of a kind apart.
KEYS: Mapping[type, tuple[str, ...]] = {
    Organisation: ("name",),
    Project: ("organisation", "name"),
    Person: ("id",),
    Membership: ("person", "organisation", "project"),
    Key: ("id",),
    Session: ("id",),
    Invitation: ("id",),
    Credential: ("owner",),
    Failures: ("bucket",),
    AuditEntry: ("organisation", "seq"),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How values of one kind become rows and rows become values."""

    kind: type
    table: Table
    keys: tuple[str, ...]
    # For each field in order: its name, and what makes a value of what was stored.
    readers: tuple[tuple[str, Callable[[Any], Any]], ...]

    def row(self, value: object) -> dict[str, Any]:
        """A value as columns."""
        return {name: _stored(getattr(value, name)) for name, _ in self.readers}

    def key(self, value: object) -> dict[str, Any]:
        """The columns by which a value is found."""
        return {name: _stored(getattr(value, name)) for name in self.keys}

    def value(self, row: Any) -> Any:  # noqa: ANN401
        """A value out of a row. Raises Damaged when the row can be none."""
        try:
            return self.kind(**{name: read(row[name]) for name, read in self.readers})
        except (TypeError, ValueError, Malformed) as error:
            raise Damaged(
                f"A row of {self.table.name} cannot be read: {error}.", remedy="Restore the accounts from a copy."
            ) from error


def _stored(value: object) -> object:
    if isinstance(value, datetime):
        return microseconds(value)
    return str(value) if isinstance(value, StrEnum) else value


def _reader(hint: Any) -> tuple[type, Callable[[Any], Any]]:  # noqa: ANN401
    """The column's type and what reads it, for a field's type."""
    kinds = [kind for kind in get_args(hint) if kind is not type(None)]
    plain = kinds[0] if kinds else hint
    if plain is datetime:
        return BigInteger, lambda stored: None if stored is None else moment(stored)
    if plain is int:
        return BigInteger, int
    return Text, plain if issubclass(plain, StrEnum) else str


def _shaped(kind: type, name: str) -> Shape:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    table = Table(name, metadata, *(Column(field, made) for field, (made, _) in readers.items()))
    return Shape(kind, table, KEYS[kind], tuple((field, read) for field, (_, read) in readers.items()))


SHAPES: Mapping[type, Shape] = {
    kind: _shaped(kind, "audit" if kind is AuditEntry else kind.__name__.lower()) for kind in KEYS
}

revision = Table("revision", metadata, Column("number", BigInteger))
audit_start = Table(
    "audit_start", metadata, Column("organisation", Text), Column("seq", BigInteger), Column("digest", Text)
)
audit = SHAPES[AuditEntry].table
