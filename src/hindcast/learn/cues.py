"""Phrases that say what came of an attempt: helped, did nothing, did harm. Each with its place in the sentence.

A phrase that says what was hoped for ("to fix the errors", "should help") says nothing of what happened and is left
out; one that is denied ("did not recover") says the contrary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindcast.model.case import Outcome

_TROUBLE = (
    r"(?:(?:the|these|those|all|our|more|new|its?|connection|5xx|500|http|api|checkout|consumer|replication)\s+)*"
    r"(?:\w+\s+)?"
    r"(?:errors?|failures?|problems?|issues?|timeouts?|resets?|alerts?|symptoms?|exceptions?|crash(?:es|loops?)?|restarts|"
    r"5xxs?|500s|502s|503s|504s|leaks?|locks?|lag|backlog|outage|incident|trouble|spikes?|pages|retries|"
    r"error\s+(?:rates?|counts?|budget\s+burn)|failure\s+rates?|queue(?:\s+depth)?|deadlocks?|evictions?|ooms?|oomkills?|"
    r"refused\s+connections|pod\s+restarts|memory\s+growth|disk\s+usage|cpu(?:\s+usage)?|memory(?:\s+usage)?|load)"
)
_MEASURE = (
    r"(?:\w+\s+){0,3}?"
    r"(?:latenc(?:y|ies)|response\s+times?|p\d\d|throughput|success\s+rates?|availability|metrics|dashboards?|graphs?)"
)
_GOOD = (
    r"(?:(?:the|all|our|its|both|every)\s+)*(?:\w[\w-]*\s+)?"
    r"(?:services?|traffic|site|system|systems|api|app|application|cluster|database|db|queue|consumers?|workers?|pods?|"
    r"nodes?|everything|things|checkout|checkouts|requests?|orders?|payments?|logins?|customers|users|website|platform|"
    r"operations?|processing|search|redis|postgres|kafka|replica(?:tion)?|connections?|it|they)"
)
_IT = (
    r"(?:it|this|that|them|things|matters|everything|(?:the|this|our|all|both|these)\s+(?:\w[\w-]*\s+){0,3}?"
    r"(?:problems?|issues?|errors?|incident|outage|situation|symptoms?|leak|lag|backlog|bug|alerts?|timeouts?|resets?|"
    r"failures?|contention|deadlocks?|crash(?:es|loop)?|trouble|bottleneck|latency|exceptions?|pressure|stampede|storm|"
    r"drift|corruption|mess|fire))"
)
_ADVERB = (
    r"(?:(?:only|also|even|actually|then|just|immediately|quickly|finally|eventually|merely|further|instantly|"
    r"promptly|soon|gradually|apparently|temporarily|briefly|partially|fully|completely|probably|likely|"
    r"possibly|clearly)\s+)*"
)
_NOT = (
    r"(?:did|does|do|had|has|have|was|were|is|could|would)(?:\s+not|n[’']t)|never|nor|neither\s+\w+|"
    r"failed\s+to|without|nothing|none\s+of\s+(?:it|them|this|that|these|those)|not"
)
_AMOUNT = (
    r"(?:a\s+|an\s+|about\s+|around\s+|roughly\s+|only\s+|some\s+|the\s+(?:next|first)\s+|another\s+|under\s+|"
    r"less\s+than\s+|nearly\s+|almost\s+)*(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|"
    r"fifteen|twenty|thirty|forty|sixty|few|couple(?:\s+of)?|half|moment|while|bit|minute|hour)"
)
_UNIT = r"(?:\s+(?:of\s+)?(?:an\s+)?(?:more\s+)?(?:seconds?|minutes?|mins?|hours?|days?|moments?))?"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{pattern}", re.I) for pattern in patterns)


_WORSE = _compiled(
    rf"(?:made|making|makes|make|left)\s+(?:{_IT}|\w+(?:\s+\w+){{0,2}})\s+(?:\w+\s+)?(?:worse|more\s+unstable|less\s+stable)\b",
    r"(?:amplif(?:ied|ying)|aggravat(?:ed|ing)|exacerbat(?:ed|ing)|worsen(?:ed|ing)|compound(?:ed|ing)|backfir(?:ed|ing)|snowball(?:ed|ing))\b",
    r"(?:took|taking|brought|bringing|knocked|knocking)\s+(?:down\s+|out\s+)(?!the\s+(?:errors?|latency|load)\b)(?:\w[\w-]*\s*){1,4}",
    r"(?:took|brought|knocked)\s+(?!it\s+back|(?:\w+\s+){0,3}(?:lag|latency|errors?|load|backlog|cpu|memory|queue|rates?|usage)\b)(?:\w[\w-]*\s+){1,5}(?:down|offline)\b",
    r"(?:caus(?:ed|ing)|trigger(?:ed|ing)|led\s+to|leading\s+to|result(?:ed|ing)\s+in|produc(?:ed|ing)|creat(?:ed|ing))\s+"
    r"(?:\w[\w-]*\s+){0,4}?(?:outages?|cascad\w+|crash\w*|failures?|errors?|thundering\s+herds?|storms?|stampedes?|downtime|"
    r"data\s+loss|split[- ]brain|problems?|incidents?|timeouts?|ooms?|overload\w*|saturation|deadlocks?|contention|"
    r"evictions?)\b",
    rf"{_TROUBLE}\s+{_ADVERB}(?:spiked|doubled|tripled|quadrupled|jumped|climbed|rose|increased|grew|went\s+up|shot\s+up|got\s+worse|exploded|soared|surged|multiplied)\b",
    rf"(?:latenc(?:y|ies)|response\s+times?|p\d\d)\s+{_ADVERB}(?:spiked|doubled|tripled|jumped|climbed|rose|increased|grew|went\s+up|shot\s+up|got\s+worse|soared|degraded)\b",
    rf"{_ADVERB}(?:doubl|tripl|quadrupl|increas|multipli|rais)(?:ed|ing)\s+(?:the\s+)?(?:number\s+of\s+)?(?:error\s+rate|errors|failures|failure\s+rate|timeouts|latency|outage)\b",
    r"(?:overload(?:ed|ing)|overwhelm(?:ed|ing)|saturat(?:ed|ing)|corrupt(?:ed|ing)|crash(?:ed|ing)|broke|melted|starv(?:ed|ing)|swamp(?:ed|ing)|hammer(?:ed|ing))\s+(?:the|our|all|every|another|other|auth|redis|postgres|kafka|more|it|them)\b",
    r"(?:got|became|was|were|went|even|much|far|things\s+(?:are|were))\s+(?:\w+\s+)?worse\b",
    r"(?:made|making|left)\s+(?:\w[\w-]*\s+){1,4}?(?:slower|unresponsive|unstable|unavailable|unusable)\b",
    r"worse\s+than\s+before\b",
    r"prolong(?:ed|ing)\s+the\b|lost\s+(?:\w+\s+){0,2}(?:data|messages|writes|orders)\b|dug\s+(?:us|ourselves)\s+deeper\b",
)
_NO_EFFECT = _compiled(
    r"(?:had|has|having|with|saw|showed|was|of|to|but|made)?\s*(?:almost\s+|absolutely\s+|virtually\s+|little\s+to\s+|little\s+or\s+)?no\s+"
    r"(?:\w+\s+)?(?:effect|change|improvement|difference|impact|luck|avail|success|relief|result|help|use|joy|good)s?\b",
    r"(?:had|has|with|saw)\s+(?:very\s+)?little\s+(?:effect|impact)\b",
    r"nothing\s+(?:changed|improved|happened|helped|worked)\b|in\s+vain\b|(?:un|not\s+)successful(?:ly)?\b|ineffective\b|fruitless\b|useless\b|pointless\b",
    r"without\s+(?:\w+\s+)?(?:success|effect|improvement|luck|result|any\s+effect|any\s+change|any\s+improvement)\b",
    rf"{_TROUBLE}\s+{_ADVERB}(?:continued|persisted|remained|stayed|kept\s+\w+ing|came\s+back|came\s+right\s+back|returned(?!\s+to\s+(?:normal|zero|baseline))|reappeared|recurred|resumed|were\s+back|was\s+back|did\s+not\s+go\s+away|didn[’']t\s+go\s+away|went\s+on)\b",
    r"(?:it|they|this|that|disks?|queues?|logs?|memory|heap|cache)\s+(?:\w+\s+)?(?:reappeared|recurred|happened\s+again|came\s+right\s+back|started\s+again|failed\s+again|filled\s+(?:up\s+)?again)\b",
    r"(?:was|were|is|are|we\s+were|kept)?\s*\bstill\s+(?:\w+\s+)?(?:failing|seeing|erroring|down|broken|happening|timing\s+out|there|elevated|high|degraded|crashing|unavailable|climbing|growing|saw|stuck|full|present|slow)\b",
    rf"(?:help(?:ed|s)?|worked|recovered|relieved|eased|improved|stabili[sz]ed|lasted|held|quiet(?:ened)?|fine|better|stopped|healthy|came\s+back|dropped|fell|subsided|relief|went\s+away|bought\s+us)\s+(?:only\s+|just\s+|but\s+)?(?:for|lasted|us)\s+{_AMOUNT}{_UNIT}\b(?!\s+later)",
    r"(?:help(?:ed|s)?|recovered|worked|relieved|eased|improved|stabili[sz]ed|mitigated|fixed|dropped)\s+(?:\w+\s+){0,3}?(?:only\s+)?(?:briefly|temporarily|momentarily|at\s+first|initially|for\s+a\s+while|until)\b",
    r"(?:only\s+)?(?:briefly|temporarily|momentarily|initially|at\s+first)\s+(?:help(?:ed)?|recovered|worked|relieved|eased|improved|stabili[sz]ed|mitigated|fixed|restored|reduced|cleared)\b",
    r"(?:temporary|brief|short[- ]lived|momentary)\s+(?:relief|improvement|fix|recovery|reprieve|respite|effect)\b",
    r"bought\s+(?:us\s+)?(?:some|a\s+little|a\s+few)\s+\w+|(?:was|proved)\s+short[- ]lived\b|stopgap\b",
    r"(?:help(?:ed)?|worked)\s+(?:only\s+)?(?:a\s+bit|a\s+little|slightly|somewhat|partially|marginally)\b",
    r"(?:ruled\s+(?:it|that|this)\s+out|red\s+herring|made\s+zero\s+difference|zero\s+effect|(?:did|was)\s+nothing|did\s+(?:absolutely\s+)?nothing)\b",
    r"(?:restart|rollback|failover|attempt|fix|deploy|revert|job|command|script|migration|upgrade)\s+(?:itself\s+)?(?:failed|hung|timed\s+out|was\s+unsuccessful)\b",
    r"(?:that|this|it|which|both|neither|all)\s+(?:\w+\s+)?failed\b",
    r"came\s+(?:straight\s+|right\s+)?back\s+(?:with\s+the\s+same|within|after)\b",
)
_WORKED = _compiled(
    r"(?:seem(?:ed|s)|appear(?:ed|s))\s+to\s+(?:have\s+)?(?:help|work|fix|resolv|solv|stop|do\s+the\s+trick|mitigat|clear)\w*",
    rf"{_ADVERB}(?:fixed|resolved|solved|cured|cleared|mitigated|ended|stopped|eliminated|remedied|addressed|unblocked|alleviated|relieved|contained)\s+{_IT}\b",
    rf"(?:was|were|been|being|is|got)\s+{_ADVERB}(?:fixed|resolved|solved|mitigated|restored|remediated|cleared|contained|over)\b",
    r"(?:fix(?:ed|es)|resolved|cured|solved|healed)\s+(?:checkout|login|payments?|auth|search|orders?|us|most|production|everything|\w+\s+for\s+good)\b",
    rf"{_TROUBLE}\s+(?:\w+\s+)?(?:ha(?:ve|s|d)\s+)?{_ADVERB}(?:stopped|disappeared|ceased|went\s+away|cleared|subsided|vanished|dropped|fell|decreased|declined|drained|ended|died\s+down|came\s+down|went\s+down|recovered|normali[sz]ed|returned\s+to\s+(?:normal|zero|baseline)|went\s+(?:back\s+)?to\s+(?:zero|normal|baseline|green)|stabili[sz]ed|evaporated|tapered\s+off|abated|were\s+gone|was\s+gone|caught\s+up)\b",
    rf"{_MEASURE}\s+{_ADVERB}(?:dropped|fell|improved|normali[sz]ed|recovered|went\s+back|returned|came\s+(?:back\s+)?down|stabili[sz]ed|went\s+(?:green|down)|halved|settled|turned\s+green)\b",
    rf"{_GOOD}\s+{_ADVERB}(?:recovered|stabili[sz]ed|came\s+back(?:\s+up|\s+online)?|went\s+back\s+to\s+normal|returned|resumed|normali[sz]ed|caught\s+up|became\s+(?:healthy|available|responsive)|turned\s+green|healed|reconnected)\b",
    r"recovered\b|full\s+recovery\b|recovery\s+(?:was|followed|began|came|within)\b",
    r"(?:back|returned|returning|return)\s+to\s+(?:normal|baseline|healthy|green|usual|zero|steady|nominal)\b|back\s+(?:online|up\s+and\s+running|in\s+service|to\s+life)\b|back\s+up\s+(?:at|within|by)\b",
    r"(?:did|done|doing)\s+the\s+(?:trick|job)\b|(?:that|this|it|which|what)\s+(?:\w+\s+)?(?:worked|helped|did\s+it|stuck|held)\b",
    rf"{_ADVERB}(?:worked|helped)\b(?!\s+(?:on|with|together|around|out\s+(?:what|why)|us\s+(?:find|see|understand|identify|debug|narrow)|to\s+(?:find|identify|diagnose|debug|confirm)|in\s+(?:find|diagnos|identify)\w*))",
    r"(?:restored|restoring|restores)\s+(?:\w[\w-]*\s+){0,3}?(?:service|traffic|access|availability|operation|functionality|connectivity|normal\w*|order|checkout|capacity|replication|throughput|latency|performance|quorum|logins?|payments?|it)\b",
    r"stabili[sz]ed(?:\s+(?:the|it|things))?\b|brought\s+(?:\w[\w-]*\s+){1,4}?(?:back|under\s+control|down\s+to|to\s+(?:zero|normal))\b",
    r"(?:all|everything|dashboards?|checks?)\s+(?:\w+\s+)?(?:green|clear|healthy|fine|normal|ok)\b|problem\s+solved\b|successful(?:ly)?\b|(?:was|were)\s+(?:a\s+)?success\b",
    r"(?:fixed|solved|resolved|cured)\s+it\b|(?:issue|problem|incident|outage)\s+(?:\w+\s+)?(?:resolved|fixed|mitigated|closed|over)\b",
    r"(?:start(?:ed|ing)|began)\s+(?:succeeding|passing|flowing|working)\b|succeeded\b|succeeding\s+again\b",
    r"(?:could|can|able\s+to|are|is|were|was|got)\s+(?:\w+\s+){0,4}?(?<!not )(?<!failing )(?<!failed )(?<!down )"
    r"(?<!broken )(?<!full )(?<!back )(?<!out )(?<!slow )(?<!up )(?<!high )(?<!needed )(?:again|once\s+more)\b",
    r"(?:healthy|fine|quiet|clean|stable|ok)\s+(?:again|since|ever\s+since|afterwards?|from\s+then)\b|no\s+(?:more|further|new)\s+(?:\w+\s+)?(?:errors?|failures?|timeouts?|alerts?|resets?|crashes|restarts|occurrences|recurrence|ooms?|problems|issues)\b|not?\s+(?:recurred|seen\s+(?:it\s+)?again)\b",
    r"(?:as|was|is)\s+(?:the\s+)?(?:actual\s+|real\s+|final\s+|permanent\s+|proper\s+)?fix\b",
    r"reduced\s+(?:the\s+)?(?:\w+\s+)?(?:error\s+rate|errors|latency|lag|load|failures)\b",
)
# How far before a phrase its wish or its denial may stand.
_BEFORE_CHARS_MAX = 60
# Before a phrase: what was wanted or expected, not what happened.
_WISH = re.compile(
    r"(?:\b(?:should|would|could|will|might|may|can|must|to|hoping|hope[ds]?|expect(?:ed|ing)?|supposed|in\s+order|wanted|wants|"
    r"aim(?:ed|ing)?|trying|believed|assum(?:ed|ing)|thought|if|whether|unless|so\s+that|intended|meant|needs?|promis\w+)\b"
    r"(?:\s+(?:it|this|that|they|we|be|have|been|the|a|\w+ly|\w+\s+would|which))*)\s*$",
    re.I,
)
_DOUBT = re.compile(r"\bwhether\b[^,;.]*$", re.I)
_NEITHER = re.compile(r"\b(?:neither|none\s+of|no\s+amount\s+of)\b[^;.]*$", re.I)
_DENIED = re.compile(
    rf"\b(?:{_NOT})\b(?:\s+(?:\w+ly|have|been|even|the|any|of|really|yet|it|we|to|be|\w+ing))*\s*$", re.I
)
# "did not help", "wasn't resolved", "failed to clear": a denial with its own verb.
_DENIAL = re.compile(
    r"\b(?:(?:did|does|do|had|has|have|was|were|is|could)(?:\s+not|n[’']t)|didnt|wasnt|never|failed\s+to|neither|none\s+of\s+(?:them|these|those|it|this|that))\s+"
    r"(?:\w+ly\s+|really\s+|even\s+|seem\s+to\s+|appear\s+to\s+|have\s+|\w+\s+nor\s+\w+\s+)?"
    r"(?:help|helped|work|worked|fix|fixed|resolve|resolved|solve|solved|change|changed|make\s+(?:a|any)\s+\w+|improve|improved|clear|cleared|"
    r"stop|stopped|recover|recovered|go\s+away|do\s+(?:anything|much|the\s+trick)|bring|restore|restored|stabili[sz]e|stick|hold|last|address|"
    r"reduce|reduced|have\s+(?:any|an|much)|drop|mitigate|mitigated|come\s+back|get\s+better|get\s+us|budge|alleviate|cure|relieve|enough)\b",
    re.I,
)
_NOT_WORSE = re.compile(
    rf"\b(?:{_NOT})\b(?:\s+\w+){{0,2}}\s*$",
    re.I,
)
_ORDER = ((_WORSE, Outcome.MADE_WORSE), (_NO_EFFECT, Outcome.NO_EFFECT), (_WORKED, Outcome.WORKED))
_PARTIAL = re.compile(
    r"\b(?:a\s+bit|a\s+little|slightly|somewhat|partially|marginally|reduced|eased|partly|mostly)\b", re.I
)
# "until" behind a trouble that went on: what comes next ended it.
UNTIL = re.compile(r"^\W*(?:\w+\s+){0,3}?\buntil\b", re.I)


@dataclass(frozen=True, slots=True)
class OutcomeCue:
    """A phrase that tells an outcome, with its place in the sentence."""

    outcome: Outcome
    start: int
    end: int
    # Whether it tells only a part: "helped a bit".
    partial: bool = False


def outcome_cues(sentence: str) -> tuple[OutcomeCue, ...]:
    """The phrases of a sentence that tell what came of something, in their order."""
    found: list[OutcomeCue] = [
        OutcomeCue(Outcome.NO_EFFECT, match.start(), match.end())
        for match in _DENIAL.finditer(sentence)
        if not _WISH.search(sentence[max(match.start() - _BEFORE_CHARS_MAX, 0) : match.start()])
    ]
    for patterns, outcome in _ORDER:
        for pattern in patterns:
            for match in pattern.finditer(sentence):
                cue = _judged(sentence, match, outcome)
                if cue is not None and not any(_overlap(cue, other) for other in found):
                    found.append(cue)
    return tuple(sorted(found, key=lambda cue: cue.start))


def _judged(sentence: str, match: re.Match[str], outcome: Outcome) -> OutcomeCue | None:
    """The cue as its context has it: wished for (none), denied (the contrary), or as it stands."""
    before = sentence[max(match.start() - _BEFORE_CHARS_MAX, 0) : match.start()]
    if not match.group().strip() or _WISH.search(before) or _DOUBT.search(before):
        return None
    partial = _PARTIAL.search(match.group()) is not None
    if outcome is Outcome.WORKED and (_DENIED.search(before) or _NEITHER.search(sentence[: match.start()])):
        return OutcomeCue(Outcome.NO_EFFECT, match.start(), match.end(), partial)
    if outcome is Outcome.MADE_WORSE and _NOT_WORSE.search(before):
        return OutcomeCue(Outcome.NO_EFFECT, match.start(), match.end(), partial)
    start = match.start() + len(match.group()) - len(match.group().lstrip())
    return OutcomeCue(outcome, start, match.end(), partial)


def _overlap(one: OutcomeCue, other: OutcomeCue) -> bool:
    return one.start < other.end and other.start < one.end
