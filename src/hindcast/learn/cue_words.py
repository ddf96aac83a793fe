"""The phrases that tell what came of something, as patterns: harm, no effect, relief that did not last, a cure."""

from __future__ import annotations

import re

_SPACE = r"\s{1,4}"


def any_of(text: str) -> str:
    """A pattern for any of the phrases of a text: spaces part them, and an underscore is a space within one."""
    return "(?:" + "|".join(phrase.replace("_", _SPACE) for phrase in text.split()) + ")"


def _patterns(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{pattern}", re.I) for pattern in patterns)


# What is wrong, by the names it goes by, and with the words that may stand before the name.
_TROUBLE = rf"(?:{any_of('the these those all our more new its it')}\s{{1,4}}){{0,4}}(?:\w{{1,40}}\s{{1,4}})?" + any_of(
    "errors? failures? problems? issues? timeouts? resets? alerts? symptoms? exceptions? crash(?:es|loops?)? "
    "restarts 5xxs? 500s 502s 503s 504s leaks? locks? lag backlog outage incident trouble spikes? pages "
    "retries error_rates? error_counts? failure_rates? queue(?:_depth)? deadlocks? evictions? ooms? oomkills? "
    "refused_connections pod_restarts memory_growth disk_usage cpu(?:_usage)? memory(?:_usage)? load "
    "requests_failing"
)
# What is measured where less is better, or where only steady is good.
_MEASURE = r"(?:\w{1,40}\s{1,4}){0,3}?" + any_of(
    "latenc(?:y|ies) response_times? p\\d\\d throughput success_rates? availability metrics dashboards? graphs?"
)
# What should be running.
_GOOD = rf"(?:{any_of('the all our its both every')}\s{{1,4}}){{0,4}}(?:\w[\w-]{{0,40}}\s{{1,4}})?" + any_of(
    "services? traffic site systems? api app application cluster database db queue consumers? workers? pods? "
    "nodes? everything things checkouts? requests? orders? payments? logins? customers users website platform "
    "operations? processing search redis postgres kafka replica(?:tion)? connections? "
    "connectivity access quorum writes reads network it they"
)
# The incident itself, as the object of a verb.
_IT = (
    rf"(?:it|this|that|them|things|matters|everything|{any_of('the this our all both these')}"
    rf"\s{{1,4}}(?:\w[\w-]{{0,40}}\s{{1,4}}){{0,3}}?"
    + any_of(
        "problems? issues? errors? incident outage situation symptoms? leak lag backlog bug alerts? timeouts? "
        "resets? failures? contention deadlocks? crash(?:es|loop)? trouble bottleneck latency exceptions? "
        "pressure stampede storm drift corruption mess fire bleeding"
    )
    + ")"
)
_ADVERB = (
    "(?:"
    + any_of(
        "only also even actually then just immediately quickly finally eventually merely further instantly "
        "promptly soon gradually apparently temporarily briefly partially fully completely probably likely "
        "possibly clearly"
    )
    + r"\s{1,4}){0,4}"
)
_AMOUNT = (
    "(?:"
    + any_of("a an about around roughly only some the_next the_first another under less_than nearly almost")
    + r"\s{1,4}){0,4}(?:\d+|"
    + any_of(
        "one two three four five six seven eight nine ten twelve fifteen twenty thirty forty sixty few "
        "couple(?:_of)? half moment while bit minute hour"
    )
    + r")(?:\s{1,4}(?:of\s{1,4})?(?:an\s{1,4})?(?:more\s{1,4})?(?:seconds?|minutes?|mins?|hours?|days?|moments?))?"
)
NOT = (
    r"(?:did|does|do|had|has|have|was|were|is|could|would)(?:\s{1,4}not|n[’']t)|never|nor|neither\s{1,4}\w{1,40}|failed\s{1,4}to|"
    r"without|nothing|none\s{1,4}of\s{1,4}(?:it|them|this|that|these|those)|not"
)

_ROSE = any_of(
    "spiked? spikes doubled? doubles tripled quadrupled jumped climb(?:ed|s)? rose rises? increased? "
    "increases grew went_up goes_up shot_up got_worse gets?_worse exploded soared surged multiplied degraded "
    "worsened worsens?"
)
_FELL = any_of(
    "stopped stops? disappear(?:ed|s)? ceased? went_away go(?:es)?_away cleared clears? subsided? vanished "
    "dropped drops? fell falls? decreased declined drained ended died_down came_down comes_down went_down "
    "recover(?:ed|s|ing)? normali[sz]ed? return(?:ed|s|ing)?_to_(?:normal|zero|baseline) "
    "went_(?:back_)?to_(?:zero|normal|baseline|green) stabili[sz]ed? evaporated tapered_off abated were_gone "
    "was_gone are_gone caught_up"
)
_WENT_ON = (
    "(?:"
    + any_of(
        "continued? continues persist(?:ed|s)? kept_\\w+ing keeps?_\\w+ing "
        "came_(?:right_)?back comes?_back reappear(?:ed|s)? recur(?:red|s)? resumed were_back was_back "
        "are_back did_not_go_away didn[’']t_go_away went_on"
    )
    + r"|(?:remain(?:ed|s)?|stayed)(?!\s{1,4}(?:\w{1,40}ly\s{1,4})?(?:flat|low|down|stable|"
    r"steady|normal|healthy|green|fine|"
    r"quiet|at\s{1,4}zero|gone))" + r"|return(?:ed|s)(?!\s{1,4}to\s{1,4}(?:normal|zero|baseline)))"
)
_HELPED = any_of(
    "help(?:ed|s)? worked recovered relieved eased improved stabili[sz]ed lasted held quiet(?:ened)? fine "
    "better stopped healthy came_back dropped fell subsided relief went_away bought_us mitigated fixed "
    "restored reduced cleared"
)
_HARM = any_of(
    "outages? cascad\\w+ crash\\w* failures? errors? thundering_herds? storms? stampedes? downtime data_loss "
    "split[-_]brain problems? incidents? timeouts? ooms? overload\\w* saturation deadlocks? contention "
    "evictions?"
)

WORSE = _patterns(
    rf"(?:made|making|makes?|left)\s{{1,4}}(?:{_IT}|\w{{1,40}}(?:\s{{1,4}}\w{{1,40}}){{0,2}})\s{{1,4}}(?:\w{{1,40}}\s{{1,4}})?(?:worse|more\s{{1,4}}unstable|"
    rf"less\s{{1,4}}stable)\b",
    r"(?:amplif|aggravat|exacerbat|worsen|compound|backfir|snowball)(?:y?ing|i?ed)\b",
    r"(?:took|taking|brought|bringing|knocked|knocking)\s{1,4}(?:down|out)\s{1,4}(?!the\s{1,4}(?:errors?|latency|load)\b)"
    r"(?:\w[\w-]{0,40}\s*){1,4}",
    r"(?:took|brought|knocked)\s{1,4}(?!it\s{1,4}back|(?:\w{1,40}\s{1,4}){0,3}(?:lag|latency|errors?|load|backlog|cpu|memory|queue|"
    r"rates?|"
    r"usage)\b)(?:\w[\w-]{0,40}\s{1,4}){1,5}(?:down|offline)\b",
    r"(?:caus|trigger|produc|creat)(?:ed|ing)\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){0,4}?" + _HARM + r"\b",
    r"(?:led|leading)\s{1,4}to\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){0,4}?" + _HARM + r"\b",
    r"result(?:ed|ing)\s{1,4}in\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){0,4}?" + _HARM + r"\b",
    rf"{_TROUBLE}\s{{1,4}}{_ADVERB}{_ROSE}\b",
    rf"(?:latenc(?:y|ies)|response\s{{1,4}}times?|p\d\d)\s{{1,4}}{_ADVERB}{_ROSE}\b",
    rf"{_ADVERB}(?:doubl|tripl|quadrupl|increas|multipli|rais)(?:ed|ing)\s{{1,4}}(?:the\s{{1,4}})?(?:number\s{{1,4}}of\s{{1,4}})?"
    + any_of("error_rate errors failures failure_rate timeouts latency outage")
    + r"\b",
    r"(?:overload|overwhelm|saturat|corrupt|crash|starv|swamp|hammer|brok|melt)(?:ed|ing|e)\s{1,4}"
    + any_of("the our all every another other auth redis postgres kafka more it them")
    + r"\b",
    r"(?:got|became|was|were|went|even|much|far|things\s{1,4}(?:are|were))\s{1,4}(?:\w{1,40}\s{1,4})?worse\b|worse\s{1,4}than\s{1,4}before\b",
    r"(?:made|making|left)\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){1,4}?(?:slower|longer|unresponsive|unstable|unavailable|unusable)\b",
    rf"{_GOOD}\s{{1,4}}{_ADVERB}"
    + any_of(
        "stopped_(?:entirely|completely|responding|working) died crashed went_(?:completely_)?down hung lost_quorum"
    )
    + r"\b",
    r"(?:fully|completely|entirely)\s{1,4}(?:down|unavailable|offline)\b|(?:pil|back)(?:e|ed|ing)\s{1,4}up\b",
    r"(?:was|were|got|became)\s{1,4}(?:\w{1,40}ly\s{1,4})?(?:overloaded|overwhelmed|saturated|unresponsive|"
    r"unreachable)\b(?!\s{1,4}again)",
    r"prolong(?:ed|ing)\s{1,4}the\b|lost\s{1,4}(?:\w{1,40}\s{1,4}){0,2}(?:data|messages|writes|orders)\b|dug\s{1,4}(?:us|"
    r"ourselves)\s{1,4}deeper\b",
)
NO_EFFECT = _patterns(
    r"(?:had|has|having|with|saw|showed|was|of|to|but|made)?\s*"
    r"(?:almost\s{1,4}|absolutely\s{1,4}|virtually\s{1,4}|little\s{1,4}to\s{1,4}|little\s{1,4}or\s{1,4})?no\s{1,4}(?:\w{1,40}\s{1,4})?"
    r"(?:effect|change|improvement|difference|impact|luck|avail|success|relief|result|help|use|joy|good)s?\b",
    r"(?:(?:had|has|with|saw|made)\s{1,4})?(?:very\s{1,4})?little\s{1,4}(?:effect|impact|difference|improvement)\b",
    r"nothing\s{1,4}(?:ha[ds]\s{1,4})?(?:changed|improved|happened|helped|worked|moved)\b",
    any_of("in_vain (?:un|not_)successful(?:ly)? ineffective fruitless") + r"\b",
    r"(?:useless|pointless|fruitless)\b",
    r"without\s{1,4}(?:\w{1,40}\s{1,4})?(?:success|effect|improvement|luck|result|any\s{1,4}(?:effect|change|improvement))\b",
    rf"{_TROUBLE}\s{{1,4}}{_ADVERB}{_WENT_ON}\b",
    r"(?:it|they|this|that|disks?|queues?|logs?|memory|heap|cache)\s{1,4}(?:\w{1,40}\s{1,4})?"
    + any_of("reappeared recurred happened_again came_right_back started_again failed_again filled_(?:up_)?again")
    + r"\b",
    r"(?:was|were|is|are|we\s{1,4}were|kept)?\s*\bstill\s{1,4}(?:\w{1,40}\s{1,4})?"
    + any_of(
        "failing seeing erroring down broken happening timing_out there elevated high degraded crashing "
        "unavailable climbing growing saw stuck full present slow failed"
    )
    + r"\b",
    r"still\s{1,4}(?!investigating|working|looking|waiting|monitoring|running|being|recovering|draining|trying)\w{1,40}ing\b",
    r"(?:was|were|is|are|got|went|ran)\s{1,4}(?:\w{1,40}\s{1,4})?"
    + any_of(
        "exhausted full down failing broken stuck slow out saturated unavailable overloaded crashing unreachable high"
    )
    + r"\s{1,4}(?:of\s{1,4}\w{1,40}\s{1,4})?again\b",
    rf"{_HELPED}\s{{1,4}}(?:only\s{{1,4}}|just\s{{1,4}}|but\s{{1,4}})?(?:for|lasted|us)\s{{1,4}}{_AMOUNT}\b(?!\s{{1,4}}later)",
    rf"{_HELPED}\s{{1,4}}(?:\w{{1,40}}\s{{1,4}}){{0,3}}?(?:only\s{{1,4}})?"
    + any_of("briefly temporarily momentarily at_first initially for_a_while until")
    + r"\b",
    rf"(?:only\s{{1,4}})?(?:briefly|temporarily|momentarily|initially|at\s{{1,4}}first)\s{{1,4}}{_HELPED}\b",
    r"(?:temporary|brief|short[- ]lived|momentary)\s{1,4}(?:relief|improvement|fix|recovery|reprieve|respite|effect)\b",
    r"bought\s{1,4}(?:us\b|some|a\s{1,4}little|a\s{1,4}few)(?:\s{1,4}\w{1,40})?",
    r"(?:only\s{1,4})?(?:delayed|postponed|masked|hid)\s{1,4}(?:the|it)\b"
    r"|(?:was|proved)\s{1,4}short[- ]lived\b|stopgap\b",
    r"(?:help(?:ed)?|worked)\s{1,4}(?:only\s{1,4})?(?:a\s{1,4}bit|a\s{1,4}little|slightly|somewhat|partially|marginally)\b",
    any_of("ruled_(?:it|that|this)_out red_herring made_zero_difference zero_effect did_(?:absolutely_)?nothing")
    + r"\b",
    any_of("restart rollback failover attempt fix deploy revert job command script migration upgrade")
    + r"\s{1,4}(?:itself\s{1,4})?(?:failed|hung|timed\s{1,4}out|was\s{1,4}unsuccessful)\b",
    r"(?:that|this|it|which|both|neither|all)\s{1,4}(?:\w{1,40}\s{1,4})?failed\b",
    r"came\s{1,4}(?:straight\s{1,4}|right\s{1,4})?back\s{1,4}(?:with\s{1,4}the\s{1,4}same|within|after)\b",
)
# What has stayed away is cured, although it is told with a "not".
STAYED_AWAY = re.compile(
    r"\b(?:ha(?:ve|s|d)|did)(?:\s{1,4}not|n[’']t)\s{1,4}(?:\w{1,40}\s{1,4})?(?:seen?|recur(?:red)?|happen(?:ed)?|reappear(?:ed)?|"
    r"occur(?:red)?)"
    r"(?:\s{1,4}(?:it|them|any|a|the|this|that|again|since|\w{1,40}\s{1,4}since))*\b",
    re.I,
)
WORKED = _patterns(
    r"(?:seeing|see|saw)\s{1,4}(?:\w{1,40}\s{1,4})?(?:recovery|improvements?)\b|\w{1,40}\s{1,4}resumed\b|(?:was|is|were|are)\s{1,4}healthy\b",
    r"(?:problems?|issues?|errors?|alerts?|symptoms?|timeouts?|lag)\s{1,4}(?:is\s{1,4}|are\s{1,4}|was\s{1,4}|were\s{1,4}|all\s{1,4}|"
    r"now\s{1,4}){0,4}gone\b",
    r"made\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){1,3}?(?:fast|stable|healthy|responsive|available|usable|reachable)\b",
    r"(?:seem(?:ed|s)|appear(?:ed|s))\s{1,4}to\s{1,4}(?:have\s{1,4})?(?:help|work|fix|resolv|solv|stop|do\s{1,4}the\s{1,4}trick|"
    r"mitigat|clear)\w{0,40}",
    _ADVERB
    + any_of("fixed resolved solved cured cleared mitigated ended stopped eliminated remedied addressed unblocked")
    + rf"\s{{1,4}}{_IT}\b",
    rf"{_ADVERB}(?:alleviated|relieved|contained|fixes|resolves|solves)\s{{1,4}}{_IT}\b",
    rf"(?:was|were|been|being|is|got)\s{{1,4}}{_ADVERB}"
    + any_of("fixed resolved solved mitigated restored remediated cleared contained over")
    + r"\b",
    r"(?:fix(?:ed|es)|resolved|cured|solved|healed)\s{1,4}"
    + any_of("checkout login payments? auth search orders? us most production everything \\w+_for_good")
    + r"\b",
    rf"{_TROUBLE}\s{{1,4}}(?:\w{{1,40}}\s{{1,4}})?(?:ha(?:ve|s|d)\s{{1,4}})?{_ADVERB}{_FELL}\b",
    rf"{_MEASURE}\s{{1,4}}{_ADVERB}"
    + any_of(
        "dropped fell improved normali[sz]ed recover(?:ed|s) went_back returned came_(?:back_)?down "
        "stabili[sz]ed went_(?:green|down) halved settled turned_green"
    )
    + r"\b",
    rf"{_GOOD}\s{{1,4}}{_ADVERB}"
    + any_of(
        "recover(?:ed|s|ing)? stabili[sz]ed came_back(?:_up|_online)? comes_back went_back_to_normal returned "
        "resumed normali[sz]ed caught_up became_(?:healthy|available|responsive) turned_green healed "
        "reconnected"
    )
    + r"\b",
    r"\w{1,40}\s{1,4}(?:has\s{1,4}|have\s{1,4})?(?:stay(?:ed|s)?|remain(?:ed|s)?)\s{1,4}(?:flat|low|stable|steady|normal|healthy|green|"
    r"quiet)\b",
    r"(?<!not\s)did\s{1,4}it(?=\W*$)|recovered\b|full\s{1,4}recovery\b|recovery\s{1,4}(?:was|followed|began|came|within)\b",
    r"(?:back|returned|returning|return)\s{1,4}to\s{1,4}(?:normal|baseline|healthy|green|usual|zero|steady|nominal)\b",
    r"back\s{1,4}(?:online|up\s{1,4}and\s{1,4}running|in\s{1,4}service|to\s{1,4}life|up\s{1,4}(?:at|within|by))\b",
    r"(?:did|done|doing)\s{1,4}the\s{1,4}(?:trick|job)\b|(?:that|this|it|which|what)\s{1,4}(?:\w{1,40}\s{1,4})?(?:worked|helped|"
    r"did\s{1,4}it|stuck|held)\b",
    rf"{_ADVERB}(?:worked|helped)\b(?!\s{{1,4}}(?:on|with|together|around|out\s{{1,4}}(?:what|why)|"
    r"us\s{1,4}(?:find|see|understand|identify|debug|narrow)|to\s{1,4}(?:find|identify|diagnose|debug|confirm)|"
    r"in\s{1,4}(?:find|diagnos|identify)\w{0,40}))",
    r"restor(?:ed|ing|es)\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){0,3}?"
    + any_of(
        "service traffic access availability operation functionality connectivity normal\\w* order checkout "
        "capacity replication throughput latency performance quorum logins? payments? it"
    )
    + r"\b",
    r"stabili[sz]ed(?:\s{1,4}(?:the|it|things))?\b",
    r"brought\s{1,4}(?:\w[\w-]{0,40}\s{1,4}){1,4}?(?:back|under\s{1,4}control|down\s{1,4}to|to\s{1,4}(?:zero|normal))\b",
    r"(?:all|everything|dashboards?|checks?)\s{1,4}(?:\w{1,40}\s{1,4})?(?:green|clear|healthy|fine|normal|ok)\b",
    r"problem\s{1,4}solved\b|successful(?:ly)?\b|(?:was|were)\s{1,4}(?:a\s{1,4})?success\b",
    r"(?:fixed|solved|resolved|cured)\s{1,4}it\b|(?:unblocked|unstuck|revived|rescued)\s{1,4}(?:the|all|our|every)\b",
    r"\w{1,40}\s{1,4}" + any_of("normali[sz]ed subsided vanished disappeared ceased went_away cleared_up") + r"\b",
    r"(?!consumers?|workers?|pods?|services?|traffic|requests?|processing|replication|writes?|reads?|jobs?|we|they|"
    r"team|it)"
    r"\w{1,40}\s{1,4}stopped\b(?!\s{1,4}(?:the|at|by|a|all|our|responding|working|processing|accepting))",
    r"(?:issue|problem|incident|outage)\s{1,4}(?:\w{1,40}\s{1,4})?(?:resolved|fixed|mitigated|closed|over)\b",
    r"(?:start(?:ed|ing)|began)\s{1,4}(?:succeeding|passing|flowing|working)\b|succeeded\b|succeeding\s{1,4}again\b",
    r"(?:could|can|able\s{1,4}to)\s{1,4}(?:\w{1,40}\s{1,4}){1,4}?(?:again|once\s{1,4}more)\b",
    r"(?:are|is|were|was|got|became|let\s{1,4}\w{1,40})\s{1,4}(?:\w{1,40}\s{1,4})?"
    + any_of("fast normal working serving running up available green reachable responsive happy accepting processing")
    + r"\s{1,4}(?:\w{1,40}\s{1,4})?(?:again|once\s{1,4}more)\b|calmed\s{1,4}down\b",
    r"(?:healthy|fine|quiet|clean|stable|ok)\s{1,4}(?:again|since|ever\s{1,4}since|afterwards?|from\s{1,4}then)\b",
    r"no\s{1,4}(?:more|further|new)\s{1,4}(?:\w{1,40}\s{1,4})?"
    + any_of(
        "errors? failures? timeouts? alerts? resets? crashes restarts occurrences recurrence ooms? problems issues"
    )
    + r"\b",
    r"not?\s{1,4}(?:recurred|seen\s{1,4}(?:it\s{1,4})?again)\b|(?:as|was|is)\s{1,4}(?:the\s{1,4})?(?:\w{1,40}\s{1,4})?fix\b",
    r"reduced\s{1,4}(?:the\s{1,4})?(?:\w{1,40}\s{1,4})?(?:error\s{1,4}rate|errors|latency|lag|load|failures)\b",
)
