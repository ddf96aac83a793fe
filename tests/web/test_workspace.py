"""The workspace in a real browser: a real repository, an outage that memory knows, and its fixes decided about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.web.benching import benched
from tests.web.staging import Stage


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Both stories are told on one Hindcast; the first leaves the code as it found it."""
    with benched(tmp_path_factory.mktemp("bench")) as stage:
        yield stage


def test_fixes_are_accepted_modified_rejected_and_taken_back(bench: Stage) -> None:
    """Each decision is seen in the file, in the log and on disk, and taking it back leaves nothing of it."""
    bench.tell("workspace")


def test_a_workspace_is_worked_in_by_keyboard(bench: Stage) -> None:
    """Cards, files, blame, the whole diff, editing and saving have keys; a card waits when its file has changed."""
    bench.tell("workspace_keys")


def test_panes_branches_and_whatever_arrives(bench: Stage) -> None:
    """Panes stay as they were left; a fix goes on a branch; folders, archives and refused addresses are told about."""
    bench.tell("workspace_ways")
