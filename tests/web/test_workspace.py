"""The workspace in a real browser: a real repository, an outage that memory knows, and its fixes decided about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from tests.web.benching import benched
from tests.web.staging import Stage
from tests.web.weighing import LANGUAGE_KB_MAX, file_bytes, languages, manifest, page_kb_max, pages, shell


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """All stories are told on one Hindcast; each leaves the code as it found it."""
    with benched(tmp_path_factory.mktemp("bench")) as stage:
        yield stage


def test_a_browser_fetches_no_more_for_a_page_than_it_may(bench: Stage) -> None:
    """What a browser fetches for each page before anybody touches it is what is said of it, and fits its budget."""
    built = manifest()

    def files(names: Iterable[str]) -> list[str]:
        return [str(built[name]["file"]) for name in names]

    bench.tell(
        "weight",
        bytes={file: file_bytes(file) for file in files(built) if file.endswith(".js")},
        shell=files(shell(built)),
        pages={name: {"files": files(own), "kbMax": page_kb_max(name)} for name, own in pages(built).items()},
        languages=files(frozenset().union(*languages(built).values())),
        languageKbMax=LANGUAGE_KB_MAX,
    )


def test_fixes_are_accepted_modified_rejected_and_taken_back(bench: Stage) -> None:
    """Each decision is seen in the file, in the log and on disk, and taking it back leaves nothing of it."""
    bench.tell("workspace")


def test_a_workspace_is_worked_in_by_keyboard(bench: Stage) -> None:
    """Cards, files, blame, the whole diff, editing and saving have keys; a card waits when its file has changed."""
    bench.tell("workspace_keys")


def test_panes_branches_and_whatever_arrives(bench: Stage) -> None:
    """Panes stay as they were left; a fix goes on a branch; folders, archives and refused addresses are told about."""
    bench.tell("workspace_ways")
