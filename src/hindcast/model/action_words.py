"""The words of operations: verbs with their forms and senses, and the things they are done to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Deed(StrEnum):
    """The kinds of action, each with its direction."""

    RESTART = "restart"
    ROLL_BACK = "roll back"
    SCALE_UP = "scale up"
    SCALE_DOWN = "scale down"
    RAISE = "raise"
    LOWER = "lower"
    SET = "set"
    FAIL_OVER = "fail over"
    REROUTE = "reroute"
    FLUSH = "flush"
    KILL = "kill"
    STOP = "stop"
    START = "start"
    DRAIN = "drain"
    DISABLE = "disable"
    ENABLE = "enable"
    DEPLOY = "deploy"
    FIX = "fix"
    UPGRADE = "upgrade"
    ADD = "add"
    REMOVE = "remove"
    MAINTAIN = "maintain"
    REBALANCE = "rebalance"
    RENEW = "renew"
    REPLACE = "replace"
    RESTORE = "restore"
    THROTTLE = "throttle"
    RETRY = "retry"
    CLEAN = "clean up"
    MOVE = "move"
    RELEASE = "release"
    OTHER = "other"


class Form(StrEnum):
    """How a verb stands in its sentence."""

    BARE = "bare"
    THIRD = "third"
    PAST = "past"
    GERUND = "gerund"
    NOUN = "noun"


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a verb: the deed it is, the particle and the object that give it that meaning."""

    deed: Deed
    # The past tense of the verb, with its particle: "rolled back".
    past: str
    particle: str = ""
    # Words one of which has to be near; empty: any object will do.
    objects: frozenset[str] = frozenset()


def words(text: str) -> frozenset[str]:
    """The words of a text, to look others up in."""
    return frozenset(text.split())


# Particles that may stand behind the object: "rolled the deployment back".
SPLITS = frozenset({"back", "off", "on", "up", "down", "over", "out", "away", "in"})

_REPLICAS = "replica capacity consumer broker shard"
_LIMITS = (
    "pool connection timeout limit memory heap thread quota ttl buffer concurrency parallelism batch rate cpu disk "
    "retry interval threshold size partition throughput backlog window budget queue depth ulimit iops"
)
_TRAFFIC = "traffic request load client call dns region zone backend upstream"
_WORK = "query transaction session process job task thread connection script import migration backup lock cron"

# One line for each sense: its verbs, their particle, the deed, and the objects that it asks for.
# The first line that fits wins, so lines with a particle or objects come before those without.
_VERBS: tuple[tuple[str, str, Deed, str], ...] = (
    ("restart reboot bounce recycle respawn relaunch powercycle", "", Deed.RESTART, ""),
    ("power", "cycle", Deed.RESTART, ""),
    ("cycle", "", Deed.RESTART, "replica service server host redis postgres database"),
    ("reload", "", Deed.RESTART, ""),
    ("kick", "", Deed.RESTART, "replica service celery redis postgres database scheduler"),
    ("roll", "back", Deed.ROLL_BACK, ""),
    ("back", "out", Deed.ROLL_BACK, ""),
    ("go", "back", Deed.ROLL_BACK, "release"),
    ("switch", "back", Deed.ROLL_BACK, "release"),
    ("revert rollback undo downgrade", "", Deed.ROLL_BACK, ""),
    ("roll", "out", Deed.DEPLOY, ""),
    ("roll", "forward", Deed.DEPLOY, ""),
    ("roll", "", Deed.RESTART, "replica service"),
    ("restore", "", Deed.ROLL_BACK, "release"),
    ("restore", "", Deed.RESTORE, "backup snapshot database table data dump replica config"),
    ("scale", "up", Deed.SCALE_UP, ""),
    ("scale", "out", Deed.SCALE_UP, ""),
    ("scale", "down", Deed.SCALE_DOWN, ""),
    ("scale", "in", Deed.SCALE_DOWN, ""),
    ("scale", "back", Deed.SCALE_DOWN, ""),
    ("scale", "", Deed.SCALE_UP, ""),
    ("upscale upsize autoscale", "", Deed.SCALE_UP, ""),
    ("provision", "", Deed.SCALE_UP, ""),
    ("spin", "up", Deed.SCALE_UP, ""),
    ("add", "", Deed.SCALE_UP, f"{_REPLICAS} service"),
    ("remove", "", Deed.DRAIN, "rotation balancer"),
    ("take", "out", Deed.DRAIN, "rotation balancer service"),
    ("take", "", Deed.DRAIN, "rotation balancer"),
    ("pull", "", Deed.DRAIN, "rotation balancer"),
    ("downscale", "", Deed.SCALE_DOWN, ""),
    ("turn", "up", Deed.RAISE, ""),
    ("crank", "up", Deed.RAISE, ""),
    ("turn", "down", Deed.LOWER, ""),
    ("dial", "down", Deed.LOWER, ""),
    ("dial", "back", Deed.LOWER, ""),
    ("cut", "back", Deed.LOWER, ""),
    ("cut", "over", Deed.FAIL_OVER, ""),
    ("bump", "", Deed.UPGRADE, "library dependency package driver"),
    ("raise increase bump enlarge double triple quadruple boost lift", "", Deed.RAISE, ""),
    ("expand extend grow widen relax up", "", Deed.RAISE, _LIMITS),
    ("lower reduce decrease shrink halve shorten tighten cap", "", Deed.LOWER, ""),
    ("limit cut trim", "", Deed.LOWER, _LIMITS),
    ("drop", "", Deed.LOWER, "timeout limit concurrency batch ttl rate parallelism"),
    ("drop", "", Deed.REMOVE, "index table partition constraint column replica slot trigger"),
    ("fail", "over", Deed.FAIL_OVER, ""),
    ("switch", "over", Deed.FAIL_OVER, ""),
    ("failover switchover", "", Deed.FAIL_OVER, ""),
    ("promote", "", Deed.FAIL_OVER, ""),
    ("switch", "off", Deed.DISABLE, ""),
    ("switch", "on", Deed.ENABLE, ""),
    ("turn", "off", Deed.DISABLE, ""),
    ("turn", "on", Deed.ENABLE, ""),
    ("toggle", "off", Deed.DISABLE, ""),
    ("toggle", "on", Deed.ENABLE, ""),
    ("flip", "off", Deed.DISABLE, ""),
    ("flip", "on", Deed.ENABLE, ""),
    ("flip", "", Deed.DISABLE, "flag"),
    ("switch", "", Deed.REROUTE, "traffic dns"),
    ("switch", "", Deed.FAIL_OVER, "standby primary secondary replica region zone provider"),
    ("reroute redirect repoint", "", Deed.REROUTE, ""),
    ("shift divert steer move route point", "", Deed.REROUTE, _TRAFFIC),
    ("disable deactivate bypass", "", Deed.DISABLE, ""),
    ("enable activate reenable re-enable", "", Deed.ENABLE, ""),
    ("flush purge invalidate", "", Deed.FLUSH, ""),
    ("clear empty wipe evict reset drop", "", Deed.FLUSH, "cache queue backlog key session pool cookie"),
    ("reset", "", Deed.FLUSH, "offset"),
    ("fail", "back", Deed.FAIL_OVER, ""),
    ("send", "", Deed.REROUTE, f"{_TRAFFIC} read write"),
    ("point", "", Deed.REROUTE, "address endpoint name"),
    ("kill", "off", Deed.KILL, ""),
    ("kill", "", Deed.KILL, ""),
    ("terminate abort", "", Deed.KILL, ""),
    ("cancel stop", "", Deed.KILL, _WORK),
    ("shut", "down", Deed.STOP, ""),
    ("shut", "off", Deed.STOP, ""),
    ("take", "down", Deed.STOP, ""),
    ("pause suspend halt", "", Deed.STOP, ""),
    ("stop", "", Deed.STOP, "service replica server redis postgres kafka deploy traffic cluster database scheduler"),
    ("resume unpause", "", Deed.START, ""),
    ("bring", "up", Deed.START, ""),
    ("bring", "back", Deed.START, ""),
    ("drain cordon quarantine isolate detach", "", Deed.DRAIN, ""),
    ("push", "", Deed.DEPLOY, "fix release config"),
    ("ship", "", Deed.DEPLOY, ""),
    ("release", "", Deed.DEPLOY, "fix release"),
    ("deploy redeploy re-deploy", "", Deed.DEPLOY, ""),
    ("apply", "", Deed.DEPLOY, "fix release config manifest terraform change"),
    ("merge", "", Deed.DEPLOY, "fix release"),
    ("patch hotfix correct repair", "", Deed.FIX, ""),
    ("fix", "", Deed.FIX, ""),
    ("upgrade", "", Deed.UPGRADE, ""),
    ("update", "", Deed.UPGRADE, "library dependency package driver firmware kernel client sdk agent image"),
    ("update", "", Deed.SET, ""),
    ("vacuum reindex rebuild compact defragment optimize optimise", "", Deed.MAINTAIN, ""),
    ("analyze", "", Deed.MAINTAIN, "table statistic index"),
    ("rebalance reshard repartition redistribute reassign", "", Deed.REBALANCE, ""),
    ("renew rotate reissue re-issue", "", Deed.RENEW, ""),
    ("regenerate", "", Deed.RENEW, "certificate credential"),
    ("replace", "", Deed.RENEW, "certificate credential"),
    ("swap", "out", Deed.REPLACE, ""),
    ("replace swap recreate reprovision reimage", "", Deed.REPLACE, ""),
    # A verb of two words, found as one.
    ("rate-limit rate_limit", "", Deed.THROTTLE, ""),
    ("throttle blacklist blocklist ban", "", Deed.THROTTLE, ""),
    ("shed", "", Deed.THROTTLE, ""),
    ("block", "", Deed.THROTTLE, f"{_TRAFFIC} ip ips address bot crawler range tenant user"),
    ("rerun re-run replay reprocess requeue resubmit", "", Deed.RETRY, ""),
    ("retry", "", Deed.RETRY, "job task deploy request message import migration pipeline build"),
    ("clean", "up", Deed.CLEAN, ""),
    ("clean", "out", Deed.CLEAN, ""),
    ("free", "up", Deed.CLEAN, ""),
    ("free", "", Deed.CLEAN, "disk memory space"),
    ("prune archive", "", Deed.CLEAN, ""),
    ("delete truncate remove", "", Deed.CLEAN, "file log disk space backup dump image volume"),
    ("migrate relocate", "", Deed.MOVE, ""),
    ("release close return free unlock", "", Deed.RELEASE, "connection lock handle session lease"),
    ("release", "", Deed.RELEASE, "buffer memory"),
    ("build", "", Deed.ADD, "index"),
    # What is given back is returned; without that, giving means giving more.
    ("give hand", "back", Deed.RELEASE, "connection pool lock handle session lease"),
    ("give", "", Deed.RAISE, f"{_LIMITS} replica"),
    ("start", "", Deed.START, "service replica again job task consumer scheduler"),
    ("install", "", Deed.DEPLOY, ""),
    ("allow", "", Deed.ENABLE, ""),
    ("cut", "", Deed.LOWER, ""),
    ("stop", "", Deed.STOP, ""),
    ("retry", "", Deed.RETRY, ""),
    ("move", "", Deed.MOVE, ""),
    ("pin override switch", "", Deed.SET, ""),
    ("set change tune adjust configure reconfigure tweak resize", "", Deed.SET, ""),
    ("add create introduce", "", Deed.ADD, ""),
    ("remove delete revoke", "", Deed.REMOVE, ""),
)
_NOUNS: tuple[tuple[str, Deed, str], ...] = (
    ("rollback", Deed.ROLL_BACK, "rolled back"),
    ("roll-back", Deed.ROLL_BACK, "rolled back"),
    ("revert", Deed.ROLL_BACK, "reverted"),
    ("downgrade", Deed.ROLL_BACK, "downgraded"),
    ("failover", Deed.FAIL_OVER, "failed over"),
    ("fail-over", Deed.FAIL_OVER, "failed over"),
    ("switchover", Deed.FAIL_OVER, "switched over"),
    ("restart", Deed.RESTART, "restarted"),
    ("reboot", Deed.RESTART, "rebooted"),
    ("bounce", Deed.RESTART, "bounced"),
    ("redeploy", Deed.DEPLOY, "redeployed"),
    ("redeployment", Deed.DEPLOY, "redeployed"),
    ("hotfix", Deed.FIX, "hotfixed"),
    ("scale-up", Deed.SCALE_UP, "scaled up"),
    ("scale-out", Deed.SCALE_UP, "scaled out"),
    ("upgrade", Deed.UPGRADE, "upgraded"),
    ("purge", Deed.FLUSH, "purged"),
    ("flush", Deed.FLUSH, "flushed"),
    ("vacuum", Deed.MAINTAIN, "vacuumed"),
    ("reindex", Deed.MAINTAIN, "reindexed"),
    ("rebalance", Deed.REBALANCE, "rebalanced"),
    ("rotation", Deed.RENEW, "rotated"),
    ("renewal", Deed.RENEW, "renewed"),
    ("replay", Deed.RETRY, "replayed"),
)

_DOUBLED = words("swap drop cap ship trim stop ban flip pin rerun reset spin")
_IRREGULAR: dict[str, tuple[tuple[str, ...], str]] = {
    "cut": (("cut",), "cutting"),
    "set": (("set",), "setting"),
    "reset": (("reset",), "resetting"),
    "shut": (("shut",), "shutting"),
    "shed": (("shed",), "shedding"),
    "take": (("took", "taken"), "taking"),
    "bring": (("brought",), "bringing"),
    "undo": (("undid", "undone"), "undoing"),
    "go": (("went", "gone"), "going"),
    "rebuild": (("rebuilt",), "rebuilding"),
    "grow": (("grew", "grown"), "growing"),
    "spin": (("spun",), "spinning"),
    "rerun": (("reran",), "rerunning"),
    "re-run": (("re-ran",), "re-running"),
    "cancel": (("cancelled", "canceled"), "cancelling"),
    "up": (("upped",), "upping"),
    "send": (("sent",), "sending"),
    "build": (("built",), "building"),
    "give": (("gave", "given"), "giving"),
    "override": (("overrode", "overridden"), "overriding"),
}

# Actions that people write without a verb: "more replicas", "smaller batches".
COMPARATIVES: dict[str, Deed] = {
    **dict.fromkeys(("more", "larger", "bigger", "higher", "longer", "greater", "additional", "extra"), Deed.RAISE),
    **dict.fromkeys(("fewer", "smaller", "lower", "shorter", "less"), Deed.LOWER),
}

# What things are called, in one word for each. `generic` runs everywhere, `part` is a knob or a part, `product` a name
# that everybody knows.
_THINGS: tuple[tuple[str, str, str], ...] = (
    ("replica", "generic", "pod instance node machine vm host worker consumer container dyno task executor runner"),
    (
        "release",
        "generic",
        "version build commit change deployment deploy rollout image pr changeset merge revision tag",
    ),
    ("service", "generic", "server app application system process cluster fleet component daemon box everything stack"),
    ("fix", "generic", "patch hotfix bugfix workaround"),
    ("pool", "part", "pooler"),
    ("connection", "part", "conn socket"),
    ("timeout", "part", "deadline"),
    ("memory", "part", "heap xmx ram mem oom"),
    ("limit", "part", "quota ceiling ulimit"),
    ("thread", "part", ""),
    ("concurrency", "part", "parallelism"),
    ("cache", "part", "caching"),
    ("queue", "part", "backlog"),
    ("query", "part", "statement"),
    ("transaction", "part", "tx"),
    ("session", "part", ""),
    ("flag", "part", "toggle feature flagged"),
    ("index", "part", "indices indexes"),
    ("certificate", "part", "cert tls ssl x509"),
    ("credential", "part", "secret password key token"),
    ("disk", "part", "volume storage filesystem space ebs"),
    ("dns", "part", "resolver"),
    ("traffic", "part", ""),
    ("retry", "part", "retries backoff"),
    ("breaker", "part", ""),
    ("table", "part", "tables"),
    ("partition", "part", ""),
    ("batch", "part", ""),
    ("ttl", "part", "expiry"),
    ("cpu", "part", "core vcpu"),
    ("rate", "part", ""),
    ("lock", "part", "mutex"),
    ("log", "part", "logfile"),
    ("config", "part", "configuration configmap"),
    ("database", "product", "db"),
    ("postgres", "product", "postgresql pg pgbouncer rds"),
    ("mysql", "product", "mariadb aurora"),
    ("redis", "product", "elasticache valkey"),
    ("kubernetes", "product", "k8s"),
    ("elasticsearch", "product", "opensearch"),
    ("kafka", "product", ""),
    ("rabbitmq", "product", "rabbit"),
    ("mongodb", "product", "mongo"),
    ("nginx", "product", ""),
    ("envoy", "product", "istio"),
    ("cassandra", "product", "scylla"),
    ("celery", "product", ""),
    ("memcached", "product", "memcache"),
    ("zookeeper", "product", ""),
    ("etcd", "product", ""),
    ("haproxy", "product", ""),
    ("vault", "product", ""),
    ("consul", "product", ""),
)
_STOP = words(
    "the a an all our its their his her this that these those it them some any each every more most less few many "
    "of on in at to for with from by into onto off up down out over back again and or not no also just only even "
    "then than max min maximum minimum size number count value setting parameter level amount total current new "
    "old previous prior last latest first same whole entire affected bad broken failing faulty problematic "
    "offending stuck hung we i you they he she was were is are been being be had has have did do does got get "
    "tried try trying attempt attempted decided manually quickly simply finally eventually second third "
    "additional extra another other about around roughly nearly per via using team engineer on-call oncall sre "
    "which who what there here now still already immediately temporarily way bit lot side part piece cautious "
    "full forced rolling hard soft clean quick manual emergency known good working stable fresh primary one two "
    "three four five six ten twice once pm am utc"
)
_IRREGULAR_NOUNS = {"indices": "index", "queries": "query", "retries": "retry", "replicas": "replica"}
_SS = ("ss", "us", "is", "dns", "aws", "tls", "redis", "kubernetes", "postgres", "nginx")


def lemma(word: str) -> str:
    """A noun without its plural."""
    if word in _IRREGULAR_NOUNS:
        return _IRREGULAR_NOUNS[word]
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) < 4 or not word.endswith("s") or word.endswith(_SS):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-1] if word == "caches" else word[:-2]
    return word[:-1]


def thing_of(word: str) -> tuple[str, str]:
    """A word in the form all its names share, and how much it tells: `stop` means nothing."""
    if word in _STOP:
        return word, "stop"
    return _THING.get(word) or (word, "name")


def _forms(base: str) -> list[tuple[str, Form]]:
    """All forms of a verb."""
    found = [(base, Form.BARE), (_third(base), Form.THIRD)]
    if base in _IRREGULAR:
        pasts, gerund = _IRREGULAR[base]
        return [*found, *((past, Form.PAST) for past in pasts if past != base), (gerund, Form.GERUND)]
    stem = base + base[-1] if base in _DOUBLED else base
    if base.endswith("e"):
        return [*found, (f"{base}d", Form.PAST), (f"{base[:-1]}ing", Form.GERUND)]
    if base.endswith("y") and base[-2] not in "aeiou":
        return [*found, (f"{base[:-1]}ied", Form.PAST), (f"{base}ing", Form.GERUND)]
    return [*found, (f"{stem}ed", Form.PAST), (f"{stem}ing", Form.GERUND)]


def _third(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "o")):
        return f"{base}es"
    return f"{base[:-1]}ies" if base.endswith("y") and base[-2] not in "aeiou" else f"{base}s"


def _by_form() -> dict[str, tuple[tuple[Sense, Form], ...]]:
    found: dict[str, list[tuple[Sense, Form]]] = {}
    for verbs, particle, deed, objects in _VERBS:
        for base in verbs.split():
            forms = _forms(base)
            past = next((word for word, form in forms if form is Form.PAST), base)
            past = NOUNS[base][1] if base in NOUNS else past
            sense = Sense(deed, f"{past} {particle}".strip().replace("_", " "), particle, frozenset(objects.split()))
            for word, form in forms:
                found.setdefault(word.replace("_", " "), []).append((sense, form))
    for noun, (deed, past) in NOUNS.items():
        if noun not in found:
            found[noun] = [(Sense(deed, past), Form.NOUN)]
    return {word: tuple(senses) for word, senses in found.items()}


_THING: dict[str, tuple[str, str]] = {
    spelling: (name, kind) for name, kind, spellings in _THINGS for spelling in (name, *spellings.split())
}
# Words that may be a noun although they are found as a bare verb ("a restart"): the deed, and its verb in the past.
NOUNS: dict[str, tuple[Deed, str]] = {word: (deed, past) for noun, deed, past in _NOUNS for word in (noun, f"{noun}s")}
# Every form of every verb, with its senses in the order in which they are tried.
BY_FORM: dict[str, tuple[tuple[Sense, Form], ...]] = _by_form()
# Verbs that are spelt the same in the present and the past, such as "cut" and "set".
PAST_AS_BARE = frozenset(base for base, (pasts, _) in _IRREGULAR.items() if base in pasts)
