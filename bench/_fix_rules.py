"""Rules on code that nobody here wrote: how many functions have a finding that is wrong, and how long looking takes.

A function is taken as a trace would take it: its lines, and nothing else. Every finding in these projects was read, and
`rules_read.toml` says of each whether it is right and why. What is not in that list counts as wrong.
"""

from __future__ import annotations

import random
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hindcast.model.code import LineSpan, Tongue
from hindcast.propose.carry.syntax import functions
from hindcast.propose.rules import pack, search

# Large, and part of every installation.
PROJECTS = ("sqlalchemy", "huggingface_hub", "fsspec", "clickhouse_connect", "mcp", "starlette", "fastapi", "uvicorn")
FUNCTIONS_MAX = 4_000
SEED = 20_261_116
READ = Path(__file__).with_name("rules_read.toml")


@dataclass(frozen=True, slots=True)
class Sampled:
    """A function of one of the projects."""

    file: str
    name: str
    text: str
    lines: LineSpan


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding, and what a reader says of it."""

    file: str
    function: str
    rule: str
    is_right: bool


def everything() -> Iterator[Sampled]:
    """Every function of the projects, in order."""
    for project in PROJECTS:
        spec = find_spec(project)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            root = Path(place)
            for path in sorted(root.rglob("*.py")):
                text = path.read_text(encoding="utf-8", errors="replace")
                file = f"{project}/{path.relative_to(root).as_posix()}"
                for one in functions(text, Tongue.PYTHON):
                    yield Sampled(file, one.name, text, LineSpan(one.first + 1, one.last + 1))


def read_findings() -> dict[tuple[str, str, str], bool]:
    """What a reader said: file, function and rule, and whether it is right."""
    listed = tomllib.loads(READ.read_text(encoding="utf-8"))["read"]
    return {(one["file"], one["function"], one["rule"]): one["right"] for one in listed}


def measure(functions_max: int = FUNCTIONS_MAX) -> dict[str, float]:
    """The share of functions with a wrong finding, that of findings that are wrong, and the time for a function."""
    every = list(everything())
    sample = random.Random(SEED).sample(every, min(functions_max, len(every)))
    # Files one after the other, as the functions of one trace are, so that each is parsed once.
    sample.sort(key=lambda one: (one.file, one.lines))
    rules, read = pack("python"), read_findings()
    judged: list[Judged] = []
    wrong_functions = 0
    times: list[float] = []
    for one in sample:
        began = time.perf_counter()
        found = search(rules, one.text, Tongue.PYTHON, one.lines)
        times.append(time.perf_counter() - began)
        mine = [
            Judged(one.file, one.name, hit.rule.id, read.get((one.file, one.name, hit.rule.id), False)) for hit in found
        ]
        wrong_functions += any(not hit.is_right for hit in mine)
        judged += mine
    for hit in judged:
        if not hit.is_right:
            print(f"wrong: {hit.rule} in {hit.function} of {hit.file}")
    times.sort()
    wrong = sum(not hit.is_right for hit in judged)
    return {
        "rule_fp": wrong_functions / len(sample),
        "rule_functions": float(len(sample)),
        "rule_findings": float(len(judged)),
        "rule_wrong_of_findings": wrong / len(judged) if judged else 0.0,
        "rule_ms_median": times[len(times) // 2] * 1000,
        "rule_ms_p99": times[len(times) * 99 // 100] * 1000,
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:24} {value:.4f}")
