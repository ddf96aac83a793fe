"""Words by which a deed is told from what only sounds like one: who acts, what denies, what wishes, what measures."""

from __future__ import annotations

import re

from hindcast.model.action_words import words

PEOPLE = words(
    "we i they he she you i've we've they've team engineer engineers on-call oncall sre sres ops operations "
    "operator operators dba dbas admin admins someone somebody support vendor provider developer developers dev "
    "devs responder responders crew colleague colleagues lead staff everyone netops devops secops platform who"
)
DETERMINERS = words("the a an our their this that these those its another any each every no some all his her my both")
BE = words("was were been being is are be got gets wasn't weren't isn't")
HAVE = words("had have has having")
MODALS = words(
    "should would could can will might may must shall cannot can't won't wouldn't shouldn't couldn't needs need ought "
    "let's lets please should've would've could've i'd we'd we'll i'll they'll"
)
NEGATIONS = words(
    "not never didn't don't doesn't hadn't haven't hasn't wasn't weren't isn't without no nobody neither nor cannot "
    "can't won't couldn't avoided avoid declined refused forgot instead rather nothing unable didnt wasnt"
)
# "neither restarting nor scaling helped" denies what came of it, not that it was done.
EITHER = words("neither nor")
ADVERBS = words(
    "also then finally eventually manually quickly immediately just simply first next again later only even already "
    "subsequently afterwards therefore thus successfully temporarily briefly both still now soon hastily gradually "
    "initially once twice actually partially fully carefully accidentally mistakenly repeatedly promptly preemptively "
    "and to"
)
# "tried to restart", "had to restart": done. The infinitive after anything else is a wish.
DID_TO = words(
    "tried attempted had managed able decided chose opted proceeded began started continued went resorted forced asked "
    "did helped elected scrambled rushed moved used"
)
DID_ING = words(
    "tried attempted started began kept try trying by after upon following finished completed resorted involved "
    "through via with while and or when"
)
NOT_ING = words(
    "against avoid avoided without instead than considered consider considering recommend recommended recommends "
    "suggest suggested suggests propose proposed discussed discuss debated contemplated planned planning stop stopped "
    "worth of before about need needs requires required require for ruled rejected postponed delayed prevent prevented "
    "from avoiding risk mean means meant imply skip skipped toward towards"
)
DID_NOUN = words(
    "performed did initiated triggered executed forced issued started began ran completed tried attempted requested "
    "after following made deployed shipped applied with by via a the another second third repeated full rolling manual "
    "emergency quick hard complete subsequent first initial and or neither nor through"
)
# What happens by itself, so that "latency increased" or "increased error rates" is nobody's deed.
METRICS = words(
    "latency latencies error errors rate rates traffic load usage cpu memory requests request time times count counts "
    "lag volume throughput utilization utilisation demand failures failure timeouts number amount consumption pressure "
    "depth queue backlog connections iops impact risk visibility awareness coverage"
)
STEP = re.compile(
    r"(?:action\s+items?|follow[- ]?ups?|next\s+time|next\s+steps?|to[- ]?do|lessons?\s+learn(?:ed|t)|recommendations?|"
    r"in\s+(?:the\s+)?future|going\s+forward|long[- ]term|preventi(?:ve|on)|"
    r"we\s+(?:plan|intend|propose|recommend|suggest)|(?:will|shall|'ll)\s+be|(?:jira|ticket|owner|due)\s*:)",
    re.I,
)
HYPOTHESIS = re.compile(
    r"\b(?:if\s+(?:we|i|you|they|it|this|the)\b|had\s+(?:we|i|they)\b|would\s+have|could\s+have|should\s+have|"
    r"might\s+have|would've|could've|should've|i\s+wish|ideally|suppose\b|in\s+hindsight|in\s+retrospect)",
    re.I,
)
PRESENT = words("we i they")
CLOCKED = re.compile(r"^\W*(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d")
CODE = re.compile(r"`([^`\n]{2,300})`")
RAN = re.compile(
    r"\b(?:ran|executed|issued|applied|invoked|tried|used|running|executing|"
    r"by)\s+(?:the\s+command\s+)?`([^`\n]{3,300})`",
    re.I,
)
NOBODY = words(
    "customers users clients monitoring autoscaling autoscaler nothing everything traffic requests engineers"
)
PRODUCTS = words(
    "redis postgres kafka kubernetes kubelet nginx mysql celery elasticsearch jenkins argo argocd terraform"
)
BREAKS = frozenset(";,.:!?()\n—–")
LINKS = words(
    "hoping thinking and or nor then but after when once while so because which that until before as since if "
    "although though"
)
FINISHED = words("finished completed complete done began started triggered initiated performed executed")
# Verbs that make a noun a deed: "performed a restart".
DONE = words("performed did initiated triggered executed forced issued ran completed tried attempted after following")
# Words that end an object: another statement begins with them.
AUXILIARIES = words(
    "nothing everything errors things we i they did didn't had has was were is are would could should will does "
    "doesn't seemed appeared only also didnt"
)
# Words behind which an article belongs to the same object: "the size of the pool".
JOINTS = words("of to on in for from with at by and or into onto over as than all both under below above until via")
# Before a noun of a deed, these only mention it: "removed from rotation", "the nightly restart", "needs a restart".
MENTIONED = words("from in into of per scheduled nightly daily automatic")
NEEDED = words("required requires require needs needed planned")
