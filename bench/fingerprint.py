"""Fingerprints against a crash tracker's own: how often our three nearest names are the ones it grouped by.

    python -m bench.fingerprint [--misses]

The data are 122 crash outputs with the state that a fuzzing service computed for each. `naive` takes the first three
functions after the first `#0`, as they stand there. Nothing in the product knows these files. `per_s` is traces
parsed and fingerprinted in a second of processor time, so that a busy machine does not matter.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from hindcast.ingest.fingerprint import of_trace
from hindcast.ingest.trace import parse

ROOT = Path(__file__).resolve().parent.parent
# The service cuts each line of a state there.
LINE_CHARS = 80
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Case:
    """One crash output and the lines it was grouped by."""

    name: str
    text: str
    expected: tuple[str, ...]


def folder() -> Path:
    """Where shared data live."""
    return Path(os.environ.get("HINDCAST_DATA", ROOT.parent / "shared" / "data")) / "clusterfuzz_stacks"


def cases(place: Path) -> list[Case]:
    """Every expectation with its text; some outputs are expected twice, under other settings of the service."""
    found = []
    for line in (place / "expected.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        text = (place / "traces" / entry["file"]).read_text(encoding="utf-8", errors="replace")
        state = entry["expected_state"] or ""
        found.append(Case(entry["file"], text, tuple(state.rstrip("\n").split("\n")) if state.strip() else ()))
    return found


def ours(text: str) -> tuple[str, ...]:
    """Our three nearest names; NULL is how the service writes that a crash has none."""
    trace = parse(text)
    if trace is None:
        return ()
    return tuple(name[:LINE_CHARS] for name in of_trace(trace).nearest) or ("NULL",)


def naive(text: str) -> tuple[str, ...]:
    """The first three functions of the first stack, less their arguments."""
    names: list[str] = []
    for line in text.splitlines():
        match = re.match(r"\s*#\d+\s+(?:0x)?[0-9a-f]+ in (\S.*)|\s+at ([\w.$]+)\(|.*\] ([a-z_]\w+)\+0x", line)
        if match is not None and len(names) < 3:
            found = next(name for name in match.groups() if name).replace("(anonymous namespace)::", "")
            names.append(re.split(r"\(| [\w./]+:\d+", found)[0].strip()[:LINE_CHARS])
    return tuple(names)


def main() -> None:
    """Print what matched, and the summary as the last line."""
    place = folder()
    if not place.is_dir():
        print(f"shared data is absent: {place}")
        return
    all_cases = cases(place)
    hits = [case for case in all_cases if ours(case.text) == case.expected]
    plain = sum(naive(case.text) == case.expected for case in all_cases)
    if "--misses" in sys.argv:
        for case in all_cases:
            if case not in hits:
                print(
                    f"{case.name}\n    expected {' | '.join(case.expected)}\n    found    {' | '.join(ours(case.text))}"
                )
    texts = [case.text for case in all_cases]
    spent = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for text in texts:
            ours(text)
        spent.append(time.process_time() - begun)
    size = sum(map(len, texts)) / len(texts)
    print(f"{len(hits)} of {len(texts)} as expected; a trace has {size / 1000:.1f} thousand characters on average")
    print(
        f"fingerprint: exact={len(hits) / len(texts):.3f} naive={plain / len(texts):.3f} traces={len(texts)} "
        f"per_s={len(texts) / min(spent):.0f}"
    )


if __name__ == "__main__":
    main()
