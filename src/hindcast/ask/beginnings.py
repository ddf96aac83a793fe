"""How questions begin, and what each beginning wants. The first that fits counts, so the narrower stand first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum


class Want(StrEnum):
    """What a question may want."""

    RECALL = "recall"
    AVOID = "avoid"
    PATTERNS = "patterns"
    TOGETHER = "together"
    PEOPLE = "people"
    LEARNT = "learnt"
    LIST = "list"
    INCIDENT = "incident"
    SEARCH = "search"


_WHAT = r"(?:what|which (?:actions?|fix(?:es)?|steps?|things?))"
_WE = r"(?: (?:i|we|you))?"
_OFTEN = r"(?:usually|typically|normally|often|most often|generally|always|mostly)"
_FIXES = r"(?:fix(?:es|ed)?|work(?:s|ed)?|help(?:s|ed)?|end(?:s|ed)?|resolve[sd]?|solve[sd]?)"
_INCIDENTS = r"(?:incidents?|outages?)"
_STATE = r"(?:open|resolved|closed|dismissed|unresolved|ongoing|current|newest|latest|recent|last|past|our|similar)"
_FIND = r"(?:list|show|find|search(?: for)?|which|what|how many|count|any|(?:are|were) there(?: any)?|give me)"
_CHANGED = r"(?:changed?|learnt?|learned|recorded|forgotten|forget|added|new)"
_PAGES = r"(?:runbooks?|playbooks?|documentation|docs|page|notes?)"
_FAILS = r"(?:go(?:es)?|fails?|breaks?|happens?|occurs?|correlates?|comes?|appears?)"

_BEGINNINGS: Sequence[tuple[Want, Sequence[str]]] = (
    (
        Want.AVOID,
        (
            rf"{_WHAT} (?:should|must|can){_WE} ?(?:not|n'?t){_WE}(?: (?:try|do|run|touch))?",
            rf"{_WHAT} (?:not|never) to (?:try|do|run|touch)",
            rf"{_WHAT}(?: \w+){{0,2}} ma(?:de|kes?) (?:it|things|this|\w+) (?:even )?worse",
            rf"what (?:should|do|must){_WE} avoid|what to avoid|avoid\b|is it safe",
            r"what (?:did not|didn'?t) (?:work|help)|what(?:'s| is) (?:dangerous|harmful)",
        ),
    ),
    (
        Want.PATTERNS,
        (
            rf"{_WHAT}(?: has| have)? {_OFTEN} {_FIXES}",
            rf"what {_FIXES} (?:best|most)|what works\b",
            r"how (?:often|well) (?:does|do|did|has)|success rate|most effective|(?:resolution )?patterns?\b",
            rf"how do we {_OFTEN}(?: {_FIXES})?",
            r"what(?:'s| is) the (?:best|usual|typical) (?:fix|solution|remedy|way)|best fix(?:es)?",
        ),
    ),
    (
        Want.TOGETHER,
        (
            rf"(?:what|which \w+)(?: \w+){{0,3}} {_FAILS}(?: down)? (?:together|along|with|at the same time)(?: with)?",
            r"(?:what|which \w+)(?: is| are)? (?:correlate[sd]?|connected|linked)(?: with| to)?",
            r"(?:error )?correlations?\b(?: of| with| between)?|what else (?:fails|breaks|goes down|happens)",
        ),
    ),
    (
        Want.PEOPLE,
        (
            r"who (?:knows|fixed|solved|resolved|owns|handled|took part|dealt with|is the expert|has seen)",
            r"who (?:(?:has )?worked on|(?:can|could) help|should (?:i|we) (?:ask|call|wake|page))",
            rf"whom (?:should|do|can|to){_WE} ?(?:ask|call|wake|page|contact)?",
        ),
    ),
    (
        Want.LEARNT,
        (
            rf"what (?:has |have |did |was |were )?(?:we |memory |hindcast |you )?{_CHANGED}(?: in memory| of memory)?",
            r"what(?:'s| is) (?:new|different)(?: in memory)?|diff\b|difference",
        ),
    ),
    (
        Want.LIST,
        (
            rf"{_FIND}(?: all| the| me| us| of){{0,8}}(?: {_STATE}){{0,4}}(?: [\w-]{{2,40}}){{0,2}}? {_INCIDENTS}",
            rf"(?:the |our |my |all ){{0,4}}{_STATE} {_INCIDENTS}",
            r"what (?:happened|went wrong|broke|failed|is (?:broken|open|going on|wrong))",
        ),
    ),
    (
        Want.SEARCH,
        (rf"(?:is there |do we have |where is |find |show )?(?:a |an |the |any )?{_PAGES}\b",),
    ),
    (
        Want.RECALL,
        (
            r"what did we (?:do|try)|how did we (?:fix|solve|resolve|end|handle)",
            r"what (?:fixed|ended|solved|resolved|helped)|(?:have|did) we (?:ever )?(?:seen?|had|have|hit)",
            r"what (?:do|did) we know|what was known|(?:any )?similar(?: incidents?| outages?| failures?)?",
            r"what (?:causes|caused|(?:is|was|were) the (?:root )?causes?(?: of)?)|why (?:does|did|do|is|are|was)",
            r"how (?:do|can|should) (?:i|we) (?:fix|solve|resolve|stop)|remember",
        ),
    ),
)
RULES = tuple((want, re.compile(rf"(?:{'|'.join(forms)})", re.IGNORECASE)) for want, forms in _BEGINNINGS)

# Words of a beginning that say in which state incidents are wanted.
STATES = {
    "open": "open", "unresolved": "open", "ongoing": "open", "current": "open", "is broken": "open", "going on": "open",
    "is wrong": "open", "resolved": "resolved", "closed": "resolved", "dismissed": "dismissed",
}  # fmt: skip
# Everything in the beginning of a question for incidents that does not say which.
LISTING = re.compile(
    rf"^(?:{_FIND}|{_STATE}|all|the|me|us|of|for|happened|went wrong|broke|failed"
    rf"|is (?:broken|open|going on|wrong)|\s){{1,100}}|\b{_INCIDENTS}$",
    re.IGNORECASE,
)

# A machine's line: a time, a level, the name of an exception, a stack.
MACHINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d|\[?\d{10,}|[{<]|at \S+\(|File \"|Traceback|Caused by|"
    r"\[?(?:ERROR|FATAL|WARN|WARNING|INFO|DEBUG|CRITICAL|PANIC|panic)\b|[\w.]*(?:Error|Exception)\b\s*[:(])"
)
# What is said before a question begins.
POLITE = re.compile(
    r"^(?:hi|hello|hey|ok|okay|so|and|but|well|please|pls|hindcast|can you|could you|would you|tell me|"
    r"i want to know|i would like to know|do you know|explain|quick question)\b[\s,:!-]*",
    re.IGNORECASE,
)
# What leads from a beginning to what it is about, and what trails after that.
FILLER = re.compile(
    r"^(?:last time|about|for|with|to|of|in|on|when|if|the|this|that|a|an|our|my|it|is|are|was|were|we|us|get|got|see|"
    r"have|incidents?|outages?|errors?|failures?|problems?|issues?|kind|sort|happens?|happening|fails?|again|here|now|"
    r"like|similar|related|and|did|do|does|had|has|there|been|i|you|anybody|anyone|somebody|someone)\b[\s,:?!.'’-]*",
    re.IGNORECASE,
)
TAIL = re.compile(
    r"[\s,]{0,200}\b(?:have|had|has|there|been|before|last time|in the past|previously|again|so far|usually|normally|"
    r"right now|now|please|happens?|fails?|is down|goes down|breaks?|incidents?|outages?|errors?|failures?|"
    r"problems?|issues?)\s*$",
    re.IGNORECASE,
)
NOTHING = frozenset({"", "it", "this", "that", "them", "these", "everything", "all", "anything", "something"})
