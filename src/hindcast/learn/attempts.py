"""Attempts out of the items of a part that lists what was tried: one item is one attempt, with what came of it.

A list needs no verb that anybody knows: its place says that something was tried. What stands behind the action says
what came of it, in the languages that postmortems are written in; harm anywhere in an item is harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from hindcast.learn.cues import outcome_cues
from hindcast.learn.prose import attempt_id, attempts_in
from hindcast.learn.roles import plain_words
from hindcast.learn.sentences import sentences_of
from hindcast.model.action_words import words
from hindcast.model.case import Attempt, Evidence, Outcome, Witness

ACTION_CHARS_MAX = 160
QUOTE_CHARS_MAX = 700
HEAD_WORDS_MIN = 1

# In plain words (small letters, no accents, no marks).
_WORSE = re.compile(
    r"\b(?:worse|worst|backfire\w*|do not do|don t do|don t ever|never (?:again|do)|do not repeat|don t repeat|"
    r"corrupt\w*|data loss|lost (?:\w+ ){0,3}"
    r"(?:data|messages|orders|writes|rows|quorum|events|sessions|uploads|records)|crash\w*|went (?:\w+ )?down|fell "
    r"over|took (?:\w+ ){0,4}(?:down|out|with it)|"
    r"(?:locked|logged|kicked|thrown) (?:\w+ )?out|bad move|(?:don t|do not) touch|hammered|so bad that|even "
    r"longer|(?:is|are|were|was) gone now|died|ran out of|memory ran out|lost \d+|hung up|blocks? (?:\w+ "
    r"){1,3}(?:completely|entirely)|not a good idea|please undo|undo (?:it|that|this)|"
    r"(?:twice|three times|ten times) as \w+|from scratch|went dark|stood still|los(?:t|e|ing) (?:all|the|their|"
    r"its|our|every|half|even)|altogether|(?:too|as well) now|(?:is|are|was|were|went|got|became) (?:\w+ "
    r"){0,2}(?:slow|slower|down|dark|dead|broken|failing|stuck|unreachable|offline|unusable) (?:too|as well)|made "
    r"(?:the|our|all|every|both|each) (?:\w+ ){1,4}(?:slow|slower|back up|fail|hang|longer|unusable|unreachable|"
    r"unstable|stop|crash|time out|larger|bigger)|only made (?!it (?:better|faster))|delayed (?:the |all |our "
    r")?\w+ (?:\w+ )?too|piled up|pile up|split brain|even more (?:errors|failures|"
    r"timeouts)|more errors|stampede|thundering herd|"
    r"bad idea|big mistake|mistake|oops|overload\w*|snowball\w*|knocked (?:\w+ ){0,4}(?:out|over|offline)|(?:fully|"
    r"completely|entirely|everything|all) "
    r"(?:went )?(?:down|offline)|outage got|got longer|made it (?:slower|bigger|longer)|spiked|doubled|tripled|"
    r"exploded|melted|wiped|duplicat\w+ (?:orders|charges|payments|mails|emails|rows)|"
    r"schlimmer|verschlimmer\w*|verschlechter\w*|verscharft\w*|abgesturzt|sturzte \w* ?ab|ausgefallen|nie wieder|"
    r"empeor\w*|peor|se cayo|cayeron|agravo|aggrav\w+|empire|pire|tombe|piorou|pior|caiu|peggior\w*|crollat\w*|erger)\b"
)
_NOT_WORSE = re.compile(
    r"\b(?:not|no|without|never|nor|nicht|kein\w*|sin|sans|sem|senza|avoid\w*|prevent\w*)(?: \w+){0,2}$"
)
_NOTHING = re.compile(
    r"\b(?:no (?:\w+ )?(?:change|difference|effect|luck|improvement|joy|dice|help|good|success|impact|result|use|"
    r"relief|avail)|nothing|nope|zero (?:change|effect|difference)|"
    r"(?:did|does|do|was|were|is|had|has|could)(?: not|n t|nt) \w+|didn t|(?:to no|without) \w*|in vain|useless|"
    r"pointless|unchanged|(?:as|like) before|identical|no better|not any better|\w+ stayed$|timed out and|(?:the|"
    r"at the|with the) same \w+|same (?:as|errors?|thing|result|picture|problem|again)|"
    r"still (?!connected|up|fine|healthy|green|ok)\w+|(?:came|come|were|was) (?:right |straight )?back (?:within|"
    r"after|in)|only (?:for|briefly|bought|masked|helped)|for (?:a few|\w+) minutes|briefly|"
    r"kept \w+ing|went on|continued|persist\w*|remained|(?:refused|rejected|ignored|declined|broke off|would not|"
    r"could not|cannot|won t|gave up|hung|nothing moved|no luck|to no end) ?\w*|moved nothing|nothing moved|wrong "
    r"(?:track|lead|tree)|red herring|unrelated|ruled out|"
    r"ohne (?:wirkung|erfolg|effekt|ergebnis|besserung)|kein\w* (?:\w+ )?(?:wirkung|anderung|unterschied|effekt|"
    r"besserung|verbesserung|erfolg|veranderung)|nicht geholfen|half (?:auch )?nicht\w*|"
    r"brachte (?:auch )?nichts|nichts|unverandert|weiterhin|immer noch|vergeblich|wirkungslos|"
    r"sin (?:\w+ )?(?:efecto|cambios?|exito|resultado|mejora)|no (?:ayudo|sirvio|funciono|cambio|mejoro|hubo|"
    r"surtio|arreglo|resolvio)|nada|todo igual|seguia\w*|en vano|"
    r"sans (?:\w+ )?(?:effet|succes|resultat|changement)|aucun\w* (?:effet|changement|difference|amelioration)|"
    r"rien|n a pas|n a rien|toujours|en vain|"
    r"sem (?:efeito|sucesso|resultado|mudanca)|nao (?:ajudou|funcionou|adiantou|resolveu|mudou)|senza (?:effetto|"
    r"successo)|nessun\w* (?:effetto|cambiamento)|non ha|"
    r"geen (?:effect|verschil|resultaat|verbetering)|hielp niet|zonder (?:effect|resultaat))\b"
)
_CURED = re.compile(
    r"\b(?:worked|works|helped|fixed|recover\w*|back to (?:normal|green|baseline|life|zero)|is back|are back|came "
    r"back|stopped|gone|resolved|solved|cleared|all green|went green|drained|"
    r"stay\w* (?:flat|connected|up|low|stable|healthy)|(?:no|zero) (?:more |further |new )?\w+ since|no (?:more|"
    r"further|new) \w+|works? again|\w+ (?:\w+ )?again|contained|dropp(?:ed|ing)|falling|fell|"
    r"going down|went down to|down to (?:zero|normal)|normal|succeed\w*|accepted|pass(?:es|ed)?|flow(?:s|ing)?|"
    r"picked up|resumed|went through|came "
    r"through|caught up|thumbs up|right again|success\w*|stable|healthy|did (?:it|the "
    r"trick)|that was it|that s it|ended it|caught up|catching up|relieved|bingo|hooray|yes|"
    r"geholfen|half|behoben|wieder|gelost|erfolgreich|normalisier\w*|lauft|"
    r"funciono|resuelto|resolvio|soluciono|recupero|normalidad|volvio|volvieron|de nuevo|ayudo|arreglo|"
    r"fonctionne|resolu|retabli\w*|marche|corrige|la normale|revenu\w*|reparti|"
    r"funcionou|resolvido|resolveu|voltou|voltaram|normalizou|risolto|funzionato|tornat\w+|opgelost|hielp|weer|"
    r"hersteld)\b"
)
_SIGNS = ((Outcome.MADE_WORSE, "💥🔥👎"), (Outcome.NO_EFFECT, "❌✗✘⛔"), (Outcome.WORKED, "✅✔✓🎉👍"))
# Where an action ends and what came of it begins.
_CUT = re.compile(
    r"\s{0,200}(?:->|-->|→|=>|⇒|—|–)\s{0,20}|\s{1,200}-+\s{1,20}|:\s{1,20}|;\s{1,20}|[.!]\s{1,20}|\s{0,200}\("
    r"|,\s{1,20}(?:it|that|this|then|so|since|and then|as|"
    r"because)\s{1,20}|,?\s{1,200}(?:but|which|however|yet|aber|doch|pero|"
    r"mais|mas|però|maar)\s{1,20}|,\s{1,20}|\s{1,200}and\s{1,20}(?=(?:the|all|our|it|they|everything|every|traffic|errors|\w+s|\w+)\s{1,20}\w+)|"
    r"\.\.+\s{0,20}|…\s{0,20}"
)
_STRONG_CUT = re.compile(
    r"\s{0,20}(?:->|-->|→|=>|⇒|—|–)\s{0,20}|\s{1,20}-+\s{1,20}|:\s{1,20}|;\s{1,20}|[.!]\s{1,20}|…\s{0,20}"
)
_LEAD = re.compile(
    r"^(?:\W*\d{1,2}:\d\d(?::\d\d)?(?:\s{0,20}(?:UTC|GMT|Z|[ap]m))?\W*)?(?:(?:first|then|next|also|finally|ok|okay|so|"
    r"and|hmm|alright)[,:]?\s{1,20})*(?:(?:on|at|around)\s{1,20}\d[\w: ]{0,24}?,?\s{1,20}(?=(?:we|i)\b))?"
    r"(?:(?:we|i)\s{1,20})?(?:(?:tried|attempted)\s{1,20}(?:to\s{1,20})?)?",
    re.I,
)
_ITEM = re.compile(r"^[ \t>]*(?:[-*+•·–—]|\d{1,2}[.)]|[a-z]\))\s{1,20}(?:\[[ xX]\]\s{1,20})?", re.M)
_MARKS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")


def outcome_of(text: str) -> Outcome | None:
    """What a few words say that came of something; None where they do not say."""
    plain = plain_words(text)
    harm = _WORSE.search(plain)
    if harm and not _NOT_WORSE.search(plain[: harm.start()].rstrip()):
        return Outcome.MADE_WORSE
    for outcome, signs in _SIGNS:
        if any(sign in text for sign in signs):
            return outcome
    cues = outcome_cues(text)
    told = {cue.outcome for cue in cues}
    if Outcome.MADE_WORSE in told:
        return Outcome.MADE_WORSE
    if cues:
        return cues[-1].outcome
    if plain in ("no", "none", "nein", "non"):
        return Outcome.NO_EFFECT
    if _NOTHING.search(plain):
        return Outcome.NO_EFFECT
    return Outcome.WORKED if _CURED.search(plain) else None


def default_of(name: str) -> Outcome:
    """What came of everything in a part with this name, if the name says so: "Dead ends", "What made it worse"."""
    plain = f" {plain_words(name)} "
    if re.search(
        r" (?:worse|backfired|hurt|do not|don t|not to do|how not|empeor\w*|verschlimmert|aggrave|piorou|"
        r"peggior\w*|erger) ",
        plain,
    ):
        return (
            Outcome.MADE_WORSE
            if not re.search(r" (?:do not|don t|did not|didn t) (?:help|work|get) ", plain)
            else Outcome.NO_EFFECT
        )
    nothing = (
        r" (?:dead ends?|(?:did not|didn t|not|never) (?:help|work|get)\w*|without (?:success|effect|luck)|no "
        r"effect|wrong turns?|red herrings?|"
        r"false (?:leads?|starts?)|blind alleys?|in vain|nothing helped|unsuccess\w*|"
        r"failed|went nowhere|ruled out|sackgassen?|nicht geholfen|erfolglos\w*|no funciono|no ayudo|pas (?:marche|"
        r"fonctionne)|nao funcionou|niet geholpen) "
    )
    return Outcome.NO_EFFECT if re.search(nothing, plain) else Outcome.UNKNOWN


def _lines_of(text: str) -> list[str]:
    """The lines of a part that lists without marks: each line a statement of its own."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    ends = all(line.endswith((".", "!")) or len(line) < 60 for line in lines)
    return lines if len(lines) > 1 and ends and all(line[:1].isupper() for line in lines) else []


def items_of(text: str) -> tuple[str, ...]:
    """The items of a part: of its list, or else its paragraphs."""
    listed = _ITEM.search(text) is not None
    # A paragraph behind a list belongs to none of its items.
    pieces = (
        [re.split(r"\n[ \t]{0,40}\n(?=\S)", piece)[0] for piece in _ITEM.split(text)]
        if listed
        else re.split(r"\n[ \t]{0,40}\n", text)
    )
    return tuple(plain for piece in pieces if (plain := re.sub(r"\s{1,20}", " ", piece).strip()))


def is_list(text: str) -> bool:
    """Whether a part is a list."""
    return _ITEM.search(text) is not None


def attempts_listed(text: str, *, name: str = "", ref: str = "") -> tuple[Attempt, ...]:
    """What a part that tells what was tried says: item by item of its list, or sentence by sentence."""
    default = default_of(name)
    if is_list(text):
        first = _ITEM.search(text)
        assert first is not None
        found = [*_in_prose(text[: first.start()], default, ref)]
        found += [
            one for item in items_of(text[first.start() :]) if (one := attempt_of(item, default, ref)) is not None
        ]
        return tuple(found)
    if lines := _lines_of(text):
        return tuple(one for line in lines if (one := attempt_of(line, default, ref)) is not None)
    return tuple(_in_prose(text, default, ref))


def _in_prose(text: str, default: Outcome, ref: str) -> Iterator[Attempt]:
    paragraphs = [one for one in re.split(r"\n[ \t]{0,40}\n", text) if one.strip()]
    for paragraph in paragraphs:
        read = [told_well(one) for one in attempts_in(paragraph, ref=ref)]
        quoted = {one.quote for attempt in read for one in attempt.evidence}
        read += [one for one in attempts_told(paragraph, ref) if one.evidence[0].quote not in quoted]
        sentences = [one for one in sentences_of(paragraph) if not one.is_question]
        if read:
            yield from (_harmed(_as_usual(one, default), paragraph, only=len(read) == 1) for one in read)
        elif sentences:
            one = attempt_of(re.sub(r"\s{1,20}", " ", paragraph).strip(), default, ref)
            if one is not None and one.outcome is not Outcome.UNKNOWN:
                yield one


def _as_usual(one: Attempt, default: Outcome) -> Attempt:
    if one.outcome is not Outcome.UNKNOWN or default is Outcome.UNKNOWN:
        return one
    return replace(one, outcome=default, confidence=max(one.confidence, 0.75))


def _harmed(one: Attempt, paragraph: str, *, only: bool) -> Attempt:
    """The attempt with the harm that the rest of its paragraph tells: "index corrupted. DO NOT DO THIS"."""
    if not only or one.outcome is Outcome.MADE_WORSE:
        return one
    plain = re.sub(r"\s{1,20}", " ", paragraph).strip()
    quote = re.sub(r"\s{1,20}", " ", one.evidence[0].quote)
    rest = plain.partition(quote)[2]
    if any(_did(sentence.text) for sentence in sentences_of(rest)):
        return one
    if outcome_of(rest) is not Outcome.MADE_WORSE:
        return (
            one
            if one.outcome is not Outcome.UNKNOWN or not rest
            else replace(one, outcome=outcome_of(rest) or one.outcome)
        )
    return replace(
        one,
        outcome=Outcome.MADE_WORSE,
        confidence=0.8,
        evidence=(replace(one.evidence[0], quote=plain[:QUOTE_CHARS_MAX]),),
    )


def attempts_told(text: str, ref: str = "") -> Iterator[Attempt]:
    """What a story says that somebody did, in any words, where it also says what came of it."""
    sentences = sentences_of(text)
    for place, sentence in enumerate(sentences):
        match = _did(sentence.text)
        if match is None or sentence.is_question:
            continue
        one = attempt_of(match["did"], ref=ref)
        if one is not None:
            one = replace(one, evidence=(Evidence(Witness.TEXT, sentence.text, ref),))
        follow = sentences[place + 1] if place + 1 < len(sentences) else None
        if one is not None and one.outcome is Outcome.UNKNOWN and follow is not None and follow.follows:
            if _did(follow.text):
                continue
            later = outcome_of(follow.text) if len(follow.text.split()) <= FOLLOW_WORDS_MAX else None
            quotes = tuple(Evidence(Witness.TEXT, told.text, ref) for told in (sentence, follow))
            one = replace(one, outcome=later or one.outcome, evidence=quotes)
        if one is not None and one.outcome is not Outcome.UNKNOWN:
            by = match["by"] if match["by"].lower() not in ("we", "i", "they") else ""
            yield replace(one, by=by, confidence=0.65)


def told_well(one: Attempt) -> Attempt:
    """An attempt without an outcome, with the one that the rest of its own sentence gives."""
    if one.outcome is not Outcome.UNKNOWN or not one.evidence:
        return one
    quote = re.sub(r"\s{1,20}", " ", one.evidence[0].quote)
    tail = re.split(r"[,;:—–]\s{1,20}|\s(?:but|after which)\s", quote, maxsplit=1)
    outcome = outcome_of(tail[1]) if len(tail) > 1 else None
    return one if outcome is None else replace(one, outcome=outcome, confidence=0.65)


def _did(text: str) -> re.Match[str] | None:
    """Who did what, where a sentence says so."""
    match = _DID.match(re.sub(r"\s{1,20}", " ", text))
    if match is None or match["by"].lower() in _NO_NAMES - {"we", "i"}:
        return None
    return match if is_past(match["verb"]) and match["verb"] not in SEEN else None


def attempt_of(
    item: str, default: Outcome = Outcome.UNKNOWN, ref: str = "", at: datetime | None = None
) -> Attempt | None:
    """The attempt that an item tells; None where it tells none."""
    plain = _MARKS.sub("", item).strip()
    body = _LEAD.sub("", plain, count=1)
    if not body or body.endswith("?") or len(body.split()) < HEAD_WORDS_MIN:
        return None
    head, tail = _apart(body)
    by, head = _by(head)
    head = head.strip(" .,;:–—-")[:ACTION_CHARS_MAX]
    if not head or (not tail and len(head) < 4):
        return None
    outcome = (outcome_of(tail) if tail else None) or default
    sure = 0.85 if outcome is not Outcome.UNKNOWN else 0.45
    read = attempts_in(f"{head}.")
    action = read[0].action if len(read) == 1 and len(read[0].action) > 0.6 * len(head) else head
    command = read[0].command if len(read) == 1 else ""
    quote = Evidence(Witness.TEXT, item[:QUOTE_CHARS_MAX], ref, at)
    return Attempt(attempt_id(action), action, outcome, at, by, command=command, evidence=(quote,), confidence=sure)


def _apart(body: str) -> tuple[str, str]:
    """What was done, and what came of it."""
    for cut in _CUT.finditer(body):
        if cut.start() and outcome_of(body[cut.end() :]) is not None and _is_action(body[: cut.start()]):
            return body[: cut.start()], body[cut.end() :]
    cues = [cue for cue in outcome_cues(body) if cue.start > 8]
    if cues and (
        head := re.sub(r"\s{1,20}(?:and|had|has|it|this|that|,)+\s{0,20}$", "", body[: cues[0].start].rstrip(" ,"))
    ):
        return head, body[cues[0].start :]
    strong = _STRONG_CUT.search(body)
    if strong and strong.start() and _is_action(body[: strong.start()]):
        return body[: strong.start()], body[strong.end() :]
    return body, ""


def _is_action(head: str) -> bool:
    """Whether it can be an action: not a name before a colon, and not only the start of one."""
    return len(head.split()) >= 2 or head[:1].islower() or head.lower().endswith(("ed", "ing", "back"))


_BY_COLON = re.compile(r"^@?([A-Za-z][\w.'-]{1,30}(?: [A-Z][\w'-]+)?):\s{1,20}(?=\S)")
_BY_VERB = re.compile(
    r"^@?([A-Z][a-zà-ÿ]+(?: [A-Z][\w'-]+)?|[a-z]{2,10})\s{1,20}(?:then\s{1,20}|also\s{1,20})?([a-zà-ÿ]+)\b"
)
_NO_NAMES = frozenset(
    [
        "we",
        "they",
        "it",
        "he",
        "she",
        "you",
        "i",
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "all",
        "each",
        "every",
        "no",
        "some",
        "any",
        "one",
        "two",
        "first",
        "then",
        "so",
        "and",
        "but",
        "pods",
        "nodes",
        "workers",
        "service",
        "services",
        "cache",
        "traffic",
        "queue",
        "team",
        "ops",
        "everyone",
        "everybody",
        "somebody",
        "someone",
        "nobody",
        "who",
        "job",
        "jobs",
        "script",
        "index",
        "db",
        "redis",
        "kafka",
        "errors",
        "rolling",
        "manual",
        "hard",
        "full",
        "quick",
        "cold",
        "hot",
    ]
)


def _by(head: str) -> tuple[str, str]:
    """Who did it, where an action begins with a name, and the action without it."""
    colon = _BY_COLON.match(head)
    if colon:
        return colon.group(1), head[colon.end() :]
    named = _BY_VERB.match(head)
    if (
        named
        and named.group(1).lower() not in _NO_NAMES
        and is_past(named.group(2))
        and not is_past(named.group(1).lower())
    ):
        rest = head[named.start(2) :]
        return named.group(1), _PERFECT.sub("", rest)
    return "", head


_PERFECT = re.compile(r"^(?:hat|haben|ha|a|has|had)\s{1,20}(?:then\s{1,20}|dann\s{1,20})?")
_PAST = frozenset(
    [
        "set",
        "put",
        "cut",
        "shut",
        "reset",
        "ran",
        "took",
        "made",
        "gave",
        "sent",
        "brought",
        "built",
        "wrote",
        "rewrote",
        "did",
        "undid",
        "turned",
        "rolled",
        "split",
        "spun",
        "threw",
        "went",
        "got",
        "let",
        "hat",
        "ha",
        "a",
        "has",
        "had",
        "hizo",
        "puso",
    ]
)


# What somebody saw, said or thought is no attempt.
SEEN = words(
    "noticed found saw got thought realised realized discovered decided joined called asked was had did received "
    "reported failed needed used checked looked seemed paged confirmed went suspected investigated observed "
    "identified started acknowledged declared opened happened learned believed assumed expected wanted lost "
    "served detected searched traced compared verified notified informed escalated hoped helped worked stopped "
    "turned has a ha hat missed let ended closed published returned experienced"
)
FOLLOW_WORDS_MAX = 25
_DID = re.compile(
    r"^(?:(?:At|By|Around|About|On)\s{1,20}[\w:.]+(?:\s{1,20}(?:UTC|GMT|CEST|CET|\d{4}))*,?\s{1,20}|(?:Then|Finally|Eventually|"
    r"Next|Later|Afterwards|After that|In the end|At last|First|Meanwhile|So),?\s{1,20})*"
    r"(?P<by>[A-Z][a-zà-ÿ]+|we|I)\s{1,20}(?P<did>(?:then\s{1,20}|finally\s{1,20}|eventually\s{1,20}|also\s{1,20})?(?P<verb>[a-z]+)\s{1,20}.+)$"
)


def is_past(word: str) -> bool:
    """Whether a word looks like a verb in the past."""
    return word in _PAST or (word.endswith(("ed", "ó", "aron", "ieron", "ierte")) and len(word) > 3)
