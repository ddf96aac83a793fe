"""Why things break, in the dozen ways in which they do: read out of a sentence that states a cause.

Two incidents with the same cause often share no rare word: "a bad value in the routing table" and "the new limit was
set to 20 instead of 200" are both wrong configuration. The words below are what engineers use for each way, and they
say nothing about what a system is called. It only compares stated causes; a question that states none has none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

CAUSE_CHARS_MAX = 3_000
# Each further sentence counts for this much of the one before it: the cause is said first, consequences follow.
LATER_SENTENCE = 0.7
# The length of a mixture that says enough, and what one that says nothing loses.
SAID_ENOUGH = 1.5
DOUBT_MAX = 0.3

_MUCH = r"(?:increas\w+|high|heavy|higher|unexpected|unusual\w*|abnormal\w*|large|excessive|elevated)"

# By mechanism: how people say it. "change" is added for code and configuration together: both are something we did.
_SAID: Mapping[str, tuple[str, ...]] = {
    "code": (
        "bugs?",
        "defects?",
        "regressions?",
        "race conditions?",
        r"deadlock\w*",
        "exceptions?",
        "null pointers?",
        r"incompatib\w+",
        r"(?:new|recent|previous|latest) (?:code|version|build|change\w*|release|deployment|update)",
        "code",
        r"software (?:issue|error|update|upgrade|bug|defect|problem|change)\w*",
        "logic errors?",
        r"deploy\w*",
        "roll(?:ed)? ?outs?",
        "releases?d?",
        "upgraded?s?",
        "patch(?:es|ed)?",
        r"hot ?fix\w*",
        "memory leaks?",
        "infinite loops?",
        "typos?",
        "migrations?",
    ),
    "configuration": (
        r"(?:mis|re)?-?config\w*",
        "(?:wrong|incorrect|invalid|missing) (?:settings?|values?|parameters?|flags?)",
        "(?:wrong|incorrect|invalid|missing) (?:rules?|polic(?:y|ies)|permissions?|routes?|entr(?:y|ies))",
        "settings?",
        "feature flags?",
        "toggles?",
        "access control lists?",
        "acls?",
        "(?:white|allow|deny) ?lists?",
        "firewall rules?",
        "(?:incorrectly|wrongly|improperly) (?:set|applied|updated|removed|marked)",
    ),
    "hardware": (
        "hardware",
        "power",
        "cooling",
        "temperatures?",
        r"overheat\w*",
        r"(?:disk|drive|dimm|node|host|server|device|circuit|cable|nic|fan|psu) fail\w*",
        r"fail(?:ed|ing|ure of)(?: \w+){0,3} (?:disk|drive|device|circuit|cable|node)s?",
        "network devices?",
        "switch(?:es)?",
        "routers?",
        "fib(?:er|re)(?: cuts?)?",
        "line ?cards?",
        "ups",
        "generators?",
        "breakers?",
        "optical",
        "racks?",
        r"physical\w*",
        "hvac",
        "fire suppression",
        "lightning",
        "electrical",
    ),
    "capacity": (
        "out of (?:memory|disk|space|threads|connections|capacity|resources|ports|sockets|file descriptors|inodes)",
        r"oom\w*",
        r"exhaust\w*",
        r"insufficient\w*",
        "not enough",
        "capacity",
        "quotas?",
        "cpu",
        "memory",
        r"(?:disk|thread|connection|resource)s? (?:usage|utili[sz]ation|pressure|consumption|contention)\w*",
        r"(?:disk|thread|connection|resource)s? (?:constraint|limit|starvation|space)\w*",
        r"leak\w*",
        r"saturat\w*",
        r"starv\w*",
        "bottlenecks?",
        r"throttl\w*",
        "limits? (?:was|were|had been) (?:reached|hit|exceeded)",
        r"(?:reached|hit|exceed\w*)(?: \w+){0,4} (?:limits?|thresholds?|capacity|maximum)",
        "full",
        "backlogs?",
        r"under-?provision\w*",
    ),
    "load": (
        "spikes?",
        "surges?",
        "bursts?",
        "floods?",
        "waves?",
        rf"{_MUCH}(?: \w+){{0,3}} (?:traffic|load|requests?|volumes?|demand)",
        rf"{_MUCH}(?: \w+){{0,3}} (?:calls|queries|connections|usage|workload)",
        r"overload\w*",
        r"overwhelm\w*",
        "retry storms?",
        "retries",
        "thundering herd",
        "d?dos",
        r"expensive quer\w+",
        "hot (?:key|partition|spot)s?",
        "peaks?",
    ),
    "supplier": (
        "third[- ]part(?:y|ies)",
        "vendors?",
        "providers?",
        "isps?",
        "carriers?",
        r"external (?:service|system|depend\w+|api)s?",
        "partners?",
        "upstream",
    ),
    "expiry": (
        "certificates?",
        r"expir\w+",
        "credentials?",
        "secrets?",
        r"rotat\w+",
        "clock skew",
        "time ?zones?",
    ),
    "names": (
        "dns",
        "domain names?",
        "name resolution",
        "resolvers?",
        "name ?servers?",
    ),
    "hand": (
        "maintenance",
        r"manual\w*",
        "operators?",
        "human errors?",
        r"mistak\w+",
        r"accident\w*",
        r"decommission\w*",
        r"inadvertent\w*",
        r"erroneous\w*",
        r"procedur\w+",
        "deleted",
        "removed",
        "deletion",
        "cleanup",
    ),
    "dependency": (
        r"dependen\w+",
        "back-?ends?",
        "downstream",
        "storage",
        "databases?",
        "sql",
        "cache",
        r"replica\w*",
        "fail-?overs?",
        "quorum",
        "leader election",
        r"corrupt\w*",
    ),
}
_PATTERNS = {name: re.compile(rf"(?<!\w)(?:{'|'.join(said)})(?!\w)", re.IGNORECASE) for name, said in _SAID.items()}
# These say where or how it came about more than why.
_WEIGHTS = {"hand": 0.5, "dependency": 0.5}

_HEADING = re.compile(
    r"(?:^|(?<=[.\s]))(?P<name>(?:[A-Z]\w+ )?(?:[Rr]oot )?[Cc]ause(?: and \w+)?|[A-Z][a-z]+(?: [a-z]+){0,2})\s*:(?=\s)",
    re.MULTILINE,
)
# Not "Caused by:", under which a Java trace has the next exception: that is what failed, and nobody's word on why.
_NAMES_CAUSE = re.compile(r"\bcause\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CAUSAL = re.compile(
    r"\b(?:root cause|caused by|due to|because|as a result of|result(?:ed|ing) from|triggered by"
    r"|(?:identified|determined|found|discovered) (?:that|an?|the))\b",
    re.IGNORECASE,
)


def stated_cause(text: str) -> str:
    """What a text says about why: the passages under a heading such as `Root cause:`, otherwise causal sentences."""
    text = text[: CAUSE_CHARS_MAX * 10]
    headings = list(_HEADING.finditer(text))
    passages = []
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=False):
        if _NAMES_CAUSE.search(heading["name"]):
            passages.append(text[heading.end() : end].strip())
    if not passages:
        passages = [sentence for sentence in _SENTENCE.split(text) if _CAUSAL.search(sentence)]
    return " ".join(passages)[:CAUSE_CHARS_MAX]


def states_root_cause(text: str) -> bool:
    """Whether it is a report that names its cause in so many words; then the same cause is what is asked for."""
    return any(_NAMES_CAUSE.search(heading["name"]) for heading in _HEADING.finditer(text))


def mechanisms(cause: str) -> dict[str, float]:
    """How much a stated cause speaks of each mechanism: different words count, and what is said first counts most."""
    said: dict[str, float] = {}
    known: set[tuple[str, str]] = set()
    for place, sentence in enumerate(_SENTENCE.split(cause[:CAUSE_CHARS_MAX])):
        for name, pattern in _PATTERNS.items():
            for match in pattern.finditer(sentence):
                word = (name, match.group().lower())
                if word not in known:
                    known.add(word)
                    said[name] = said.get(name, 0.0) + LATER_SENTENCE**place
    weighed = {name: math.log1p(much) * _WEIGHTS.get(name, 1.0) for name, much in said.items()}
    change = max(weighed.get("code", 0.0), weighed.get("configuration", 0.0))
    return {**weighed, "change": change} if change else weighed


def alike(asked: Mapping[str, float], told: Mapping[str, float]) -> float:
    """How alike two causes are: near 1 for the same mixture of mechanisms, 0 for none in common.

    A case that says little about its cause is doubted a little: one word in passing may mean anything.
    """
    length = math.hypot(*told.values())
    lengths = math.hypot(*asked.values()) * length
    if not lengths:
        return 0.0
    said = min(length / SAID_ENOUGH, 1.0)
    shared = sum(asked[name] * told[name] for name in asked.keys() & told.keys())
    return shared / lengths * (1 - DOUBT_MAX + DOUBT_MAX * said)
