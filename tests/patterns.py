"""Every regular expression of the code base, how it is applied, and texts that are made to be hard for it."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hindcast

# What the standard library takes expressions apart with.
op: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")
SOURCE = Path(hindcast.__file__).parent.parent
# A repetition of fewer cannot take long.
WIDE = 16
FRAMES_MAX = 6
TEXTS_MAX = 24
INLINE = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
ANCHORED = frozenset({"match", "fullmatch"})


@dataclass(frozen=True)
class Pattern:
    """One expression, where it is written, and whether it is only ever applied at the beginning of a text."""

    text: str
    flags: int
    place: str
    is_anchored: bool

    def __str__(self) -> str:
        return f"{self.place} {self.text[:60]}"


def patterns() -> list[Pattern]:
    """What is compiled while every module is imported, and what is written where it is used."""
    told = subprocess.run([sys.executable, "-m", "tests.patterns"], capture_output=True, check=True, text=True).stdout
    uses = _uses()
    compiled = [
        Pattern(text, flags, place, _is_anchored(uses, place))
        for text, flags, place in json.loads(told.splitlines()[-1])
    ]
    known = {(one.text, one.flags) for one in compiled}
    return [*compiled, *(one for one in _inline() if (one.text, one.flags) not in known)]


def _compiled() -> list[tuple[str, int, str]]:
    """What modules compile; for a process of its own, because here they are imported already."""
    seen: dict[tuple[str, int], str] = {}
    compiling = re._compile  # type: ignore[attr-defined]

    def spy(pattern: Any, flags: int) -> Any:
        frame = sys._getframe(2)
        for _ in range(FRAMES_MAX):
            file = Path(frame.f_code.co_filename)
            if SOURCE in file.parents:
                if isinstance(pattern, str):
                    seen.setdefault((pattern, int(flags)), f"{file.relative_to(SOURCE)}:{frame.f_lineno}")
                break
            if frame.f_back is None or file.parent.name != "re":
                break
            frame = frame.f_back
        return compiling(pattern, flags)

    re._compile = spy  # type: ignore[attr-defined]
    for module in pkgutil.walk_packages(hindcast.__path__, "hindcast."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return [(text, flags, place) for (text, flags), place in seen.items()]


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((SOURCE / "hindcast").rglob("*.py")):
        yield str(path.relative_to(SOURCE)), ast.parse(path.read_text(encoding="utf-8"))


def _inline() -> Iterator[Pattern]:
    """Expressions that are written inside of a call, as in `re.sub("a+", …)`."""
    for file, tree in _trees():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in INLINE
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                yield Pattern(str(node.args[0].value), 0, f"{file}:{node.lineno}", node.func.attr in ANCHORED)


def _uses() -> dict[str, set[str]]:
    """By the place of each named expression, how it is applied; `?` where it is handed on."""
    found: dict[str, set[str]] = {}
    trees = dict(_trees())
    methods: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file, tree in trees.items():
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                methods[file, node.value.id].add(node.attr)
                called.add(node.value)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
                methods[file, node.id].add("?")
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    used = set(methods[file, target.id])
                    if not target.id.startswith("_"):
                        used |= {one for other in trees for one in methods[other, target.id]}
                    for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                        found[f"{file}:{line}"] = used
    return found


def _is_anchored(uses: dict[str, set[str]], place: str) -> bool:
    used = uses.get(place, set())
    return bool(used & ANCHORED) and used <= ANCHORED | {"pattern"}


def hard_texts(text: str, flags: int) -> list[tuple[str, str]]:
    """Beginnings and pieces that, repeated, make an expression try again and again."""
    tree = parser.parse(text, flags)
    wide: list[tuple[str, str]] = []
    _repetitions(tree, "", wide)
    whole = _sample(tree, {}, 0)
    found: dict[tuple[str, str], None] = {}
    for before, body in wide:
        for one in ((before, body), ("", body), ("", before + body), ("", before), ("", f"{before}{body * 3}\n")):
            if one[1]:
                found.setdefault(one)
    for piece in (whole, whole[:-1]):
        if piece:
            found.setdefault(("", piece))
    return list(found)[:TEXTS_MAX]


def _repetitions(tree: Any, before: str, found: list[tuple[str, str]]) -> None:
    for code, what in tree:
        if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            if what[1] >= WIDE:
                found += [(before, _sample(what[2], {}, pick)) for pick in range(3)]
            _repetitions(what[2], before, found)
        elif code is op.SUBPATTERN:
            _repetitions(what[3], before, found)
        elif code is op.ATOMIC_GROUP:
            _repetitions(what, before, found)
        elif code is op.BRANCH:
            for one in what[1]:
                _repetitions(one, before, found)
        before += _sample([(code, what)], {}, 0)


def _sample(tree: Any, groups: dict[int, str], pick: int) -> str:
    """A text that the expression, or a part of it, is found in."""
    return "".join(_one(code, what, groups, pick) for code, what in tree)


def _one(code: Any, what: Any, groups: dict[int, str], pick: int) -> str:
    made = ""
    if code is op.LITERAL:
        made = chr(what)
    elif code is op.NOT_LITERAL:
        made = "b" if what == ord("a") else "a"
    elif code is op.ANY:
        made = "a"
    elif code is op.IN:
        made = _of_set(what)
    elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        made = _sample(what[2], groups, pick) * max(what[0], 1 if what[1] else 0)
    elif code is op.SUBPATTERN:
        made = _sample(what[3], groups, pick)
        groups[what[0]] = made
    elif code is op.ATOMIC_GROUP:
        made = _sample(what, groups, pick)
    elif code is op.BRANCH:
        made = _sample(what[1][pick % len(what[1])], groups, pick)
    elif code is op.GROUPREF:
        made = groups.get(what, "")
    return made


def _of_set(items: Sequence[Any]) -> str:
    """A character of a set."""
    if items[0][0] is op.NEGATE:
        tried = re.compile("[^" + "".join(_written(*item) for item in items[1:]) + "]")
        return next((char for char in "a0A_ -.:/=,\"'\\()[]<>{}!@#é" if tried.match(char)), "€")
    code, what = items[0]
    return chr(what if code is op.LITERAL else what[0]) if code in (op.LITERAL, op.RANGE) else _of_category(what)


def _of_category(what: Any) -> str:
    known = {op.CATEGORY_SPACE: " ", op.CATEGORY_DIGIT: "1", op.CATEGORY_NOT_WORD: "-"}
    return known.get(what, "a")


_CATEGORIES = {
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}


def _written(code: Any, what: Any) -> str:
    if code is op.CATEGORY:
        return _CATEGORIES[what]
    if code is op.RANGE:
        return f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}"
    return re.escape(chr(what))


def applied(pattern: Pattern) -> Callable[[str], object]:
    """The whole work that a text gives to an expression."""
    made = re.compile(pattern.text, pattern.flags)
    if pattern.is_anchored:
        return made.match
    return lambda text: sum(1 for _ in made.finditer(text))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_compiled()))
