"""How well fixes are proposed: past diffs carried over to today's code, rules that cry wolf, and how long cards take.

`make bench NAME=fix` carries every case of `bench/carry_set` over, lays every past diff on the code of all other cases
(where it has no place), and asks the other parts for their figures. `--wrong` prints what was not right in the half
that may be looked at. The last line holds the figures.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections import Counter
from difflib import unified_diff
from pathlib import PurePosixPath
from statistics import median
from time import process_time

from rich.console import Console
from rich.table import Table

from bench._carry_cases import CarryCase, cases
from hindcast.propose.carry import Carried, Outcome, transplant

# Who measures what: a module of this folder with a function `measure() -> dict[str, float]`.
OTHERS = {"rules": "bench._fix_rules", "cards": "bench._fix_cards", "code": "bench._fix_code"}

Judged = list[tuple[CarryCase, Outcome, str]]


def strangers(every: tuple[CarryCase, ...]) -> list[str]:
    """Past diffs that were applied to code they have nothing to do with: each one is a wrong patch."""
    found = []
    for case in every:
        for other in every:
            if not _stems(case) & _stems(other):
                outcome = transplant(case.diff, other.code, other.hints)
                if isinstance(outcome, Carried):
                    found.append(f"{case.name} on the code of {other.name}")
    return found


def _stems(case: CarryCase) -> set[str]:
    """The paths of a case without their endings: the same code in JavaScript and TypeScript is no stranger."""
    return {str(PurePosixPath(path).with_suffix("")) for path in case.code.files}


def share(judged: Judged, expect: str) -> float:
    """How many of the cases with an expectation came out right."""
    verdicts = [verdict for case, _, verdict in judged if case.expect == expect]
    return sum(verdict == "right" for verdict in verdicts) / max(len(verdicts), 1)


def by_kind(judged: Judged) -> Table:
    """Right, missed and wrong for every kind of case."""
    counts = Counter((case.kind, verdict) for case, _, verdict in judged)
    table = Table("kind", "cases", "right", "missed", "wrong", title="carry-over")
    for kind in sorted({case.kind for case, _, _ in judged}):
        row = [counts[kind, verdict] for verdict in ("right", "missed", "wrong")]
        table.add_row(kind, str(sum(row)), *map(str, row))
    return table


def by_confidence(judged: Judged) -> Table:
    """How often carried changes of each confidence were right: what they are calibrated on."""
    table = Table("found", "files", "confidence, lowest to highest", "right", title="confidence")
    rows: dict[str, list[tuple[float, bool]]] = {}
    for _, outcome, verdict in judged:
        if isinstance(outcome, Carried):
            for file in outcome.files:
                rows.setdefault(file.tier.value, []).append((file.confidence, verdict == "right"))
    for tier, row in sorted(rows.items()):
        values = [confidence for confidence, _ in row]
        right = sum(is_right for _, is_right in row) / len(row)
        table.add_row(tier, str(len(row)), f"{min(values):.2f} to {max(values):.2f}", f"{right:.2f}")
    return table


def show_wrong(judged: Judged) -> None:
    """What was not right in the half that may be looked at."""
    for case, outcome, verdict in judged:
        if verdict == "right" or case.half != "dev":
            continue
        print(f"\n{case.name}: {verdict}; expected {case.expect}, got {type(outcome).__name__}")
        if not isinstance(outcome, Carried):
            print(f"  {outcome}")
            continue
        for file in outcome.files:
            wanted = case.expected.get(file.edit.path, case.code.files.get(file.edit.path, ""))
            made = (file.edit.text or "").split("\n")
            print("\n".join(unified_diff(wanted.split("\n"), made, "expected", "made", lineterm="")))


def measured_elsewhere() -> dict[str, float]:
    """What the other parts measure, as far as they are there."""
    found: dict[str, float] = {}
    for name, module in OTHERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{name}: not measured, there is no {module}")
            continue
        found |= importlib.import_module(module).measure()
    return found


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="print what was not right, of the cases that may be seen")
    parser.add_argument("--carry-only", action="store_true", help="leave out what other parts measure")
    given = parser.parse_args()
    every = cases()
    judged: Judged = []
    took = []
    for case in every:
        started = process_time()
        outcome = case.outcome()
        took.append((process_time() - started) * 1000)
        judged.append((case, outcome, case.judge(outcome)))
    held = [one for one in judged if one[0].half == "held"]
    misplaced = strangers(every)
    console = Console(width=110)
    console.print(by_kind(judged), by_confidence(judged))
    for text in misplaced:
        print(f"wrong: {text}")
    if given.wrong:
        show_wrong(judged)
    wrong = sum(verdict == "wrong" for _, _, verdict in judged) + len(misplaced)
    print(
        f"{len(every)} cases; a case took {median(took):.1f} ms in the median, {max(took):.0f} ms at most. "
        f"The held half: {len(held)} cases, carry_over={share(held, 'carried'):.3f} "
        f"wrong={sum(verdict == 'wrong' for _, _, verdict in held)} already_fixed={share(held, 'already'):.3f}"
    )
    others = {} if given.carry_only else measured_elsewhere()
    for name, value in others.items():
        print(f"{name}: {value:.4g}")
    rule_fp, cards = (f"{others[name]:.4g}" if name in others else "n/a" for name in ("rule_fp", "cards_ms"))
    print(
        f"fix: carry_over={share(judged, 'carried'):.3f} wrong_applied={wrong} "
        f"already_fixed={share(judged, 'already'):.3f} rule_fp={rule_fp} cards_ms={cards}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
