"""Takes pictures of every page in both themes: `python -m tests.web.screenshots docs/images`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.web.benching import benched
from tests.web.staging import staged


def main(target: Path) -> None:
    """Write the pictures into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        stage.tell("screenshots", pictures=str(target.resolve()))
    with tempfile.TemporaryDirectory() as folder, benched(Path(folder)) as bench:
        bench.tell("workspace_pictures", pictures=str(target.resolve()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
