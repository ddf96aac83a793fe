"""Who owns a file: the last rule of CODEOWNERS that fits, or else whoever last touched most of the lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hindcast.model.code import Blamed, LineSpan
from hindcast.model.errors import HindcastError
from hindcast.ports import Code

# Where the rules may stand, in the order in which they are looked for; the first file that is there counts.
CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
RULES_MAX = 5_000
# How many people are named by the lines they touched, and the share below which somebody only passed by.
AUTHORS_MAX = 3
AUTHOR_SHARE_MIN = 0.15


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """A line of CODEOWNERS: a pattern, and those who own what it fits. Nobody may own it on purpose."""

    pattern: str
    owners: tuple[str, ...]


def owners_of(path: str, code: Code, *, lines: LineSpan | None = None) -> tuple[str, ...]:
    """Who to ask about a file, or about some of its lines where no rule names an owner; empty: nobody is known."""
    rules = owner_rules(code)
    rule = ruling(path, rules)
    if rule is not None:
        return rule.owners
    if lines is None:
        return ()
    try:
        return authors(code.blame(path, lines), lines)
    except HindcastError:
        return ()


def owner_rules(code: Code) -> tuple[OwnerRule, ...]:
    """The rules of a workspace, in their order."""
    for path in CODEOWNERS:
        try:
            return read_rules(code.read(path).text)
        except HindcastError:
            continue
    return ()


@lru_cache(maxsize=16)
def read_rules(text: str) -> tuple[OwnerRule, ...]:
    """The rules of a CODEOWNERS file. Comments, sections and patterns that mean nothing there are left out."""
    found: list[OwnerRule] = []
    for line in text.splitlines()[:RULES_MAX]:
        bare = re.sub(r"(?<!\\)#.*$", "", line).strip()
        if not bare or bare.startswith(("[", "^[", "!")):
            continue
        words = re.split(r"(?<!\\)\s+", bare)
        found.append(OwnerRule(words[0].replace("\\ ", " ").replace("\\#", "#"), tuple(words[1:])))
    return tuple(found)


def ruling(path: str, rules: Sequence[OwnerRule]) -> OwnerRule | None:
    """The rule that decides about a file: the last that fits, whatever the others say."""
    return next((rule for rule in reversed(rules) if fits(rule.pattern, path)), None)


def fits(pattern: str, path: str) -> bool:
    """Whether a pattern fits a path: as in .gitignore, without negation and ranges of characters."""
    return _pattern(pattern).match(path) is not None


@lru_cache(maxsize=2_048)
def _pattern(pattern: str) -> re.Pattern[str]:
    body = pattern.rstrip("/")
    is_folder = pattern.endswith("/")
    # A slash inside anchors a pattern to the root; without one, it fits at any depth.
    is_anchored = "/" in body
    body = body.lstrip("/")
    made = ""
    for part in re.findall(r"\*\*/|/\*\*$|\*\*|\*|\?|[^*?/]+|/", body):
        made += {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    if not body:
        return re.compile(".*" if pattern.startswith("/") else r"(?!)")
    # `docs/*` owns the files of the folder and not those of folders in it; any other name owns what is below it.
    below = "" if body.endswith("/*") and not is_folder else "(?:/.*)?"
    tail = "/.*" if is_folder else below
    return re.compile(f"{'' if is_anchored else '(?:.*/)?'}{made}{tail}$", re.S)


def authors(blamed: Sequence[Blamed], lines: LineSpan) -> tuple[str, ...]:
    """Who last touched most of the lines, most first."""
    counts: Counter[str] = Counter()
    for one in blamed:
        first, last = max(one.lines.first, lines.first), min(one.lines.last, lines.last)
        if first <= last:
            counts[one.commit.author] += last - first + 1
    total = counts.total()
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(name for name, count in ordered if count >= AUTHOR_SHARE_MIN * total)[:AUTHORS_MAX]
