"""Which tests of a workspace are about a file, by what tests are called wherever people write them.

A past fix that came with its tests names them itself. For everything else the names tell: `worker.py` has
`test_worker.py` somewhere, `pool.go` has `pool_test.go` beside it, `cart.ts` has `cart.spec.ts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# More of them nobody runs before deciding.
TESTS_MAX = 3
_SCRIPTS = r"(?:[cm]?[jt]sx?|vue|svelte)"
# The name of a test, and in it the name of what it tests.
_TEST = re.compile(
    r"test_(?P<a>.+)\.py|(?P<b>.+)_test\.(?:py|go|rb|exs?|c|cc|cpp|dart)|(?P<c>.+)_spec\.rb"
    rf"|(?P<d>.+)\.(?:test|spec)\.{_SCRIPTS}|(?P<e>.+?)(?:Tests?|IT|Spec)\.(?:java|kt|cs|php|scala|swift)"
)
# Which test speaks for which code: the one is never about the other's language.
_KIN = (
    ("py",),
    ("go",),
    ("rb",),
    ("ex", "exs"),
    ("c", "cc", "cpp", "h", "hpp"),
    ("dart",),
    ("java", "kt", "scala"),
    ("cs",),
    ("php",),
    ("swift",),
    ("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"),
)
# Files that stand for their folder: their tests are named after that.
_WHOLE = ("__init__", "index", "mod", "main")


def near_tests(changed: Iterable[str], paths: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """For each of some files the tests that are named after it, those that lie nearest; none where there is none."""
    wanted = {path: subject for path in changed if (subject := _subject(path)) is not None}
    found: dict[str, list[str]] = {path: [] for path in wanted}
    by_subject: dict[tuple[str, int], list[str]] = {}
    for path, subject in wanted.items():
        by_subject.setdefault(subject, []).append(path)
    for path in paths if by_subject else ():
        tested = _tested(path)
        for one in by_subject.get(tested, ()) if tested is not None else ():
            found[one].append(path)
    return {path: _nearest(path, tests) for path, tests in found.items() if tests}


def _subject(path: str) -> tuple[str, int] | None:
    """What a test of a file would be named after, and its language; None for what has no tests of its own."""
    folder, _, name = path.rpartition("/")
    stem, kin = name.rpartition(".")[0], _kin(name)
    if kin is None or not stem or _TEST.fullmatch(name):
        return None
    around = folder.rpartition("/")[2]
    return (around if stem in _WHOLE and around else stem).casefold(), kin


def _tested(path: str) -> tuple[str, int] | None:
    name = path.rpartition("/")[2]
    # Most files of a large workspace are told apart by less than an expression.
    match = _TEST.fullmatch(name) if "est" in name or "pec" in name or "IT." in name else None
    if match is None:
        return None
    kin = _kin(name)
    return (str(match[match.lastgroup or 0]).casefold(), kin) if kin is not None else None


def _kin(name: str) -> int | None:
    _, dot, ending = name.lower().rpartition(".")
    return next((number for number, kin in enumerate(_KIN) if dot and ending in kin), None)


def _nearest(path: str, tests: Iterable[str]) -> tuple[str, ...]:
    """Of tests with the same name in several places, those that share the most folders with the file."""
    folders = set(path.split("/")[:-1])
    ranked = sorted((-len(folders & set(one.split("/")[:-1])), one) for one in tests)
    return tuple(one for near, one in ranked if near == ranked[0][0])[:TESTS_MAX]
