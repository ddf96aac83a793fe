"""The phrases that tell what came of something, as patterns: harm, no effect, relief that did not last, a cure."""

from __future__ import annotations

import re

_SPACE = r"\s+"


def any_of(text: str) -> str:
    """A pattern for any of the phrases of a text: spaces part them, and an underscore is a space within one."""
    return "(?:" + "|".join(phrase.replace("_", _SPACE) for phrase in text.split()) + ")"


def _patterns(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{pattern}", re.I) for pattern in patterns)


# What is wrong, by the names it goes by, and with the words that may stand before the name.
_TROUBLE = rf"(?:{any_of('the these those all our more new its it')}\s+)*(?:\w+\s+)?" + any_of(
    "errors? failures? problems? issues? timeouts? resets? alerts? symptoms? exceptions? crash(?:es|loops?)? "
    "restarts 5xxs? 500s 502s 503s 504s leaks? locks? lag backlog outage incident trouble spikes? pages "
    "retries error_rates? error_counts? failure_rates? queue(?:_depth)? deadlocks? evictions? ooms? oomkills? "
    "refused_connections pod_restarts memory_growth disk_usage cpu(?:_usage)? memory(?:_usage)? load "
    "requests_failing"
)
# What is measured where less is better, or where only steady is good.
_MEASURE = r"(?:\w+\s+){0,3}?" + any_of(
    "latenc(?:y|ies) response_times? p\\d\\d throughput success_rates? availability metrics dashboards? graphs?"
)
# What should be running.
_GOOD = rf"(?:{any_of('the all our its both every')}\s+)*(?:\w[\w-]*\s+)?" + any_of(
    "services? traffic site systems? api app application cluster database db queue consumers? workers? pods? "
    "nodes? everything things checkouts? requests? orders? payments? logins? customers users website platform "
    "operations? processing search redis postgres kafka replica(?:tion)? connections? "
    "connectivity access quorum writes reads network it they"
)
# The incident itself, as the object of a verb.
_IT = (
    rf"(?:it|this|that|them|things|matters|everything|{any_of('the this our all both these')}\s+(?:\w[\w-]*\s+){{0,3}}?"
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
    + r"\s+)*"
)
_AMOUNT = (
    "(?:"
    + any_of("a an about around roughly only some the_next the_first another under less_than nearly almost")
    + r"\s+)*(?:\d+|"
    + any_of(
        "one two three four five six seven eight nine ten twelve fifteen twenty thirty forty sixty few "
        "couple(?:_of)? half moment while bit minute hour"
    )
    + r")(?:\s+(?:of\s+)?(?:an\s+)?(?:more\s+)?(?:seconds?|minutes?|mins?|hours?|days?|moments?))?"
)
NOT = (
    r"(?:did|does|do|had|has|have|was|were|is|could|would)(?:\s+not|n[’']t)|never|nor|neither\s+\w+|failed\s+to|"
    r"without|nothing|none\s+of\s+(?:it|them|this|that|these|those)|not"
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
    + r"|(?:remain(?:ed|s)?|stayed)(?!\s+(?:\w+ly\s+)?(?:flat|low|down|stable|steady|normal|healthy|green|fine|"
    r"quiet|at\s+zero|gone))" + r"|return(?:ed|s)(?!\s+to\s+(?:normal|zero|baseline)))"
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
    rf"(?:made|making|makes?|left)\s+(?:{_IT}|\w+(?:\s+\w+){{0,2}})\s+(?:\w+\s+)?(?:worse|more\s+unstable|"
    rf"less\s+stable)\b",
    r"(?:amplif|aggravat|exacerbat|worsen|compound|backfir|snowball)(?:y?ing|i?ed)\b",
    r"(?:took|taking|brought|bringing|knocked|knocking)\s+(?:down|out)\s+(?!the\s+(?:errors?|latency|load)\b)"
    r"(?:\w[\w-]*\s*){1,4}",
    r"(?:took|brought|knocked)\s+(?!it\s+back|(?:\w+\s+){0,3}(?:lag|latency|errors?|load|backlog|cpu|memory|queue|"
    r"rates?|"
    r"usage)\b)(?:\w[\w-]*\s+){1,5}(?:down|offline)\b",
    r"(?:caus|trigger|produc|creat)(?:ed|ing)\s+(?:\w[\w-]*\s+){0,4}?" + _HARM + r"\b",
    r"(?:led|leading)\s+to\s+(?:\w[\w-]*\s+){0,4}?" + _HARM + r"\b",
    r"result(?:ed|ing)\s+in\s+(?:\w[\w-]*\s+){0,4}?" + _HARM + r"\b",
    rf"{_TROUBLE}\s+{_ADVERB}{_ROSE}\b",
    rf"(?:latenc(?:y|ies)|response\s+times?|p\d\d)\s+{_ADVERB}{_ROSE}\b",
    rf"{_ADVERB}(?:doubl|tripl|quadrupl|increas|multipli|rais)(?:ed|ing)\s+(?:the\s+)?(?:number\s+of\s+)?"
    + any_of("error_rate errors failures failure_rate timeouts latency outage")
    + r"\b",
    r"(?:overload|overwhelm|saturat|corrupt|crash|starv|swamp|hammer|brok|melt)(?:ed|ing|e)\s+"
    + any_of("the our all every another other auth redis postgres kafka more it them")
    + r"\b",
    r"(?:got|became|was|were|went|even|much|far|things\s+(?:are|were))\s+(?:\w+\s+)?worse\b|worse\s+than\s+before\b",
    r"(?:made|making|left)\s+(?:\w[\w-]*\s+){1,4}?(?:slower|longer|unresponsive|unstable|unavailable|unusable)\b",
    rf"{_GOOD}\s+{_ADVERB}"
    + any_of(
        "stopped_(?:entirely|completely|responding|working) died crashed went_(?:completely_)?down hung lost_quorum"
    )
    + r"\b",
    r"(?:fully|completely|entirely)\s+(?:down|unavailable|offline)\b|(?:pil|back)(?:e|ed|ing)\s+up\b",
    r"(?:was|were|got|became)\s+(?:\w+ly\s+)?(?:overloaded|overwhelmed|saturated|unresponsive|"
    r"unreachable)\b(?!\s+again)",
    r"prolong(?:ed|ing)\s+the\b|lost\s+(?:\w+\s+){0,2}(?:data|messages|writes|orders)\b|dug\s+(?:us|"
    r"ourselves)\s+deeper\b",
)
NO_EFFECT = _patterns(
    r"(?:had|has|having|with|saw|showed|was|of|to|but|made)?\s*"
    r"(?:almost\s+|absolutely\s+|virtually\s+|little\s+to\s+|little\s+or\s+)?no\s+(?:\w+\s+)?"
    r"(?:effect|change|improvement|difference|impact|luck|avail|success|relief|result|help|use|joy|good)s?\b",
    r"(?:(?:had|has|with|saw|made)\s+)?(?:very\s+)?little\s+(?:effect|impact|difference|improvement)\b",
    r"nothing\s+(?:ha[ds]\s+)?(?:changed|improved|happened|helped|worked|moved)\b",
    any_of("in_vain (?:un|not_)successful(?:ly)? ineffective fruitless") + r"\b",
    r"(?:useless|pointless|fruitless)\b",
    r"without\s+(?:\w+\s+)?(?:success|effect|improvement|luck|result|any\s+(?:effect|change|improvement))\b",
    rf"{_TROUBLE}\s+{_ADVERB}{_WENT_ON}\b",
    r"(?:it|they|this|that|disks?|queues?|logs?|memory|heap|cache)\s+(?:\w+\s+)?"
    + any_of("reappeared recurred happened_again came_right_back started_again failed_again filled_(?:up_)?again")
    + r"\b",
    r"(?:was|were|is|are|we\s+were|kept)?\s*\bstill\s+(?:\w+\s+)?"
    + any_of(
        "failing seeing erroring down broken happening timing_out there elevated high degraded crashing "
        "unavailable climbing growing saw stuck full present slow failed"
    )
    + r"\b",
    r"still\s+(?!investigating|working|looking|waiting|monitoring|running|being|recovering|draining|trying)\w+ing\b",
    r"(?:was|were|is|are|got|went|ran)\s+(?:\w+\s+)?"
    + any_of(
        "exhausted full down failing broken stuck slow out saturated unavailable overloaded crashing unreachable high"
    )
    + r"\s+(?:of\s+\w+\s+)?again\b",
    rf"{_HELPED}\s+(?:only\s+|just\s+|but\s+)?(?:for|lasted|us)\s+{_AMOUNT}\b(?!\s+later)",
    rf"{_HELPED}\s+(?:\w+\s+){{0,3}}?(?:only\s+)?"
    + any_of("briefly temporarily momentarily at_first initially for_a_while until")
    + r"\b",
    rf"(?:only\s+)?(?:briefly|temporarily|momentarily|initially|at\s+first)\s+{_HELPED}\b",
    r"(?:temporary|brief|short[- ]lived|momentary)\s+(?:relief|improvement|fix|recovery|reprieve|respite|effect)\b",
    r"bought\s+(?:us\b|some|a\s+little|a\s+few)(?:\s+\w+)?",
    r"(?:only\s+)?(?:delayed|postponed|masked|hid)\s+(?:the|it)\b|(?:was|proved)\s+short[- ]lived\b|stopgap\b",
    r"(?:help(?:ed)?|worked)\s+(?:only\s+)?(?:a\s+bit|a\s+little|slightly|somewhat|partially|marginally)\b",
    any_of("ruled_(?:it|that|this)_out red_herring made_zero_difference zero_effect did_(?:absolutely_)?nothing")
    + r"\b",
    any_of("restart rollback failover attempt fix deploy revert job command script migration upgrade")
    + r"\s+(?:itself\s+)?(?:failed|hung|timed\s+out|was\s+unsuccessful)\b",
    r"(?:that|this|it|which|both|neither|all)\s+(?:\w+\s+)?failed\b",
    r"came\s+(?:straight\s+|right\s+)?back\s+(?:with\s+the\s+same|within|after)\b",
)
# What has stayed away is cured, although it is told with a "not".
STAYED_AWAY = re.compile(
    r"\b(?:ha(?:ve|s|d)|did)(?:\s+not|n[’']t)\s+(?:\w+\s+)?(?:seen?|recur(?:red)?|happen(?:ed)?|reappear(?:ed)?|"
    r"occur(?:red)?)"
    r"(?:\s+(?:it|them|any|a|the|this|that|again|since|\w+\s+since))*\b",
    re.I,
)
WORKED = _patterns(
    r"(?:seeing|see|saw)\s+(?:\w+\s+)?(?:recovery|improvements?)\b|\w+\s+resumed\b|(?:was|is|were|are)\s+healthy\b",
    r"(?:problems?|issues?|errors?|alerts?|symptoms?|timeouts?|lag)\s+(?:is\s+|are\s+|was\s+|were\s+|all\s+|"
    r"now\s+)*gone\b",
    r"made\s+(?:\w[\w-]*\s+){1,3}?(?:fast|stable|healthy|responsive|available|usable|reachable)\b",
    r"(?:seem(?:ed|s)|appear(?:ed|s))\s+to\s+(?:have\s+)?(?:help|work|fix|resolv|solv|stop|do\s+the\s+trick|"
    r"mitigat|clear)\w*",
    _ADVERB
    + any_of("fixed resolved solved cured cleared mitigated ended stopped eliminated remedied addressed unblocked")
    + rf"\s+{_IT}\b",
    rf"{_ADVERB}(?:alleviated|relieved|contained|fixes|resolves|solves)\s+{_IT}\b",
    rf"(?:was|were|been|being|is|got)\s+{_ADVERB}"
    + any_of("fixed resolved solved mitigated restored remediated cleared contained over")
    + r"\b",
    r"(?:fix(?:ed|es)|resolved|cured|solved|healed)\s+"
    + any_of("checkout login payments? auth search orders? us most production everything \\w+_for_good")
    + r"\b",
    rf"{_TROUBLE}\s+(?:\w+\s+)?(?:ha(?:ve|s|d)\s+)?{_ADVERB}{_FELL}\b",
    rf"{_MEASURE}\s+{_ADVERB}"
    + any_of(
        "dropped fell improved normali[sz]ed recover(?:ed|s) went_back returned came_(?:back_)?down "
        "stabili[sz]ed went_(?:green|down) halved settled turned_green"
    )
    + r"\b",
    rf"{_GOOD}\s+{_ADVERB}"
    + any_of(
        "recover(?:ed|s|ing)? stabili[sz]ed came_back(?:_up|_online)? comes_back went_back_to_normal returned "
        "resumed normali[sz]ed caught_up became_(?:healthy|available|responsive) turned_green healed "
        "reconnected"
    )
    + r"\b",
    r"\w+\s+(?:has\s+|have\s+)?(?:stay(?:ed|s)?|remain(?:ed|s)?)\s+(?:flat|low|stable|steady|normal|healthy|green|"
    r"quiet)\b",
    r"(?<!not\s)did\s+it(?=\W*$)|recovered\b|full\s+recovery\b|recovery\s+(?:was|followed|began|came|within)\b",
    r"(?:back|returned|returning|return)\s+to\s+(?:normal|baseline|healthy|green|usual|zero|steady|nominal)\b",
    r"back\s+(?:online|up\s+and\s+running|in\s+service|to\s+life|up\s+(?:at|within|by))\b",
    r"(?:did|done|doing)\s+the\s+(?:trick|job)\b|(?:that|this|it|which|what)\s+(?:\w+\s+)?(?:worked|helped|"
    r"did\s+it|stuck|held)\b",
    rf"{_ADVERB}(?:worked|helped)\b(?!\s+(?:on|with|together|around|out\s+(?:what|why)|"
    r"us\s+(?:find|see|understand|identify|debug|narrow)|to\s+(?:find|identify|diagnose|debug|confirm)|"
    r"in\s+(?:find|diagnos|identify)\w*))",
    r"restor(?:ed|ing|es)\s+(?:\w[\w-]*\s+){0,3}?"
    + any_of(
        "service traffic access availability operation functionality connectivity normal\\w* order checkout "
        "capacity replication throughput latency performance quorum logins? payments? it"
    )
    + r"\b",
    r"stabili[sz]ed(?:\s+(?:the|it|things))?\b",
    r"brought\s+(?:\w[\w-]*\s+){1,4}?(?:back|under\s+control|down\s+to|to\s+(?:zero|normal))\b",
    r"(?:all|everything|dashboards?|checks?)\s+(?:\w+\s+)?(?:green|clear|healthy|fine|normal|ok)\b",
    r"problem\s+solved\b|successful(?:ly)?\b|(?:was|were)\s+(?:a\s+)?success\b",
    r"(?:fixed|solved|resolved|cured)\s+it\b|(?:unblocked|unstuck|revived|rescued)\s+(?:the|all|our|every)\b",
    r"\w+\s+" + any_of("normali[sz]ed subsided vanished disappeared ceased went_away cleared_up") + r"\b",
    r"(?!consumers?|workers?|pods?|services?|traffic|requests?|processing|replication|writes?|reads?|jobs?|we|they|"
    r"team|it)"
    r"\w+\s+stopped\b(?!\s+(?:the|at|by|a|all|our|responding|working|processing|accepting))",
    r"(?:issue|problem|incident|outage)\s+(?:\w+\s+)?(?:resolved|fixed|mitigated|closed|over)\b",
    r"(?:start(?:ed|ing)|began)\s+(?:succeeding|passing|flowing|working)\b|succeeded\b|succeeding\s+again\b",
    r"(?:could|can|able\s+to)\s+(?:\w+\s+){1,4}?(?:again|once\s+more)\b",
    r"(?:are|is|were|was|got|became|let\s+\w+)\s+(?:\w+\s+)?"
    + any_of("fast normal working serving running up available green reachable responsive happy accepting processing")
    + r"\s+(?:\w+\s+)?(?:again|once\s+more)\b|calmed\s+down\b",
    r"(?:healthy|fine|quiet|clean|stable|ok)\s+(?:again|since|ever\s+since|afterwards?|from\s+then)\b",
    r"no\s+(?:more|further|new)\s+(?:\w+\s+)?"
    + any_of(
        "errors? failures? timeouts? alerts? resets? crashes restarts occurrences recurrence ooms? problems issues"
    )
    + r"\b",
    r"not?\s+(?:recurred|seen\s+(?:it\s+)?again)\b|(?:as|was|is)\s+(?:the\s+)?(?:\w+\s+)?fix\b",
    r"reduced\s+(?:the\s+)?(?:\w+\s+)?(?:error\s+rate|errors|latency|lag|load|failures)\b",
)
