"""The write transaction: the only code that changes history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, update

from hindcast.adapters.store_sql import shape
from hindcast.adapters.store_sql import tables as t
from hindcast.adapters.store_sql.hot import Hot
from hindcast.adapters.store_sql.read import IDS_PER_STATEMENT_MAX, branch_query, chunks
from hindcast.model.errors import Missing
from hindcast.model.record import Branch, Commit, Snapshot
from hindcast.ports import Row, Tip

# Built once: putting a statement together costs more than running it.
_BRANCH = branch_query().where(t.branch.c.name == bindparam("name"))


class SqlWriter:
    """One write transaction on one space; the connection's transaction makes it all or nothing."""

    def __init__(self, connection: Connection, space: int, hot: Hot) -> None:
        self._connection = connection
        self._space = space
        self._hot = hot

    def tip(self) -> Tip:
        """The newest step of the space."""
        return shape.tip(self._hot.tip(self._connection))

    def branch(self, name: str) -> Branch:
        """A branch as it is inside this transaction."""
        found = self._connection.execute(_BRANCH, {"space": self._space, "name": name}).mappings().fetchone()
        if found is None:
            raise Missing(
                f"There is no branch {name!r}.", field="branch", remedy="`hindcast memory branches` lists them."
            )
        return shape.branch(found)

    def current(self, branch: int, addresses: Sequence[str]) -> Mapping[str, int]:
        """The newest version of each address on this very branch."""
        return self._hot.current(self._connection, branch, addresses)

    def append(self, commit: Commit, branch: Branch, merge_seq: int | None, rows: Sequence[Row]) -> None:
        """Write a commit and its versions after the branch's head, and move the head."""
        self._hot.append(self._connection, shape.commit_values(commit, branch, merge_seq), rows)

    def add_branch(self, branch: Branch, seal: bytes) -> None:
        """Start a branch."""
        parent = self.branch(branch.parent).number if branch.parent is not None else None
        self._connection.execute(
            insert(t.branch).values(
                space=self._space,
                number=branch.number,
                name=branch.name,
                parent=parent,
                fork_seq=branch.fork_seq,
                head_seq=branch.head_seq,
                created_us=shape.microseconds(branch.created_at),
                actor=branch.actor,
                why=branch.why,
                seal=seal,
            )
        )

    def add_snapshot(self, snapshot: Snapshot, seal: bytes) -> None:
        """Name a commit."""
        self._connection.execute(
            insert(t.snapshot).values(
                space=self._space,
                name=snapshot.name,
                seq=snapshot.seq,
                created_us=shape.microseconds(snapshot.created_at),
                actor=snapshot.actor,
                why=snapshot.why,
                seal=seal,
            )
        )

    def blank(self, versions: Sequence[int]) -> None:
        """Take body, text, salt and vector out of versions for ever."""
        for chunk in chunks(versions, IDS_PER_STATEMENT_MAX):
            self._connection.execute(
                update(t.version)
                .where(t.version.c.space == self._space, t.version.c.id.in_(chunk))
                .values(body=None, text=None, salt=None)
            )
            self._connection.execute(
                delete(t.vector).where(t.vector.c.space == self._space, t.vector.c.version.in_(chunk))
            )
