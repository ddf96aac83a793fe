"""Single facts out of a page's words: the cause, services, severity, people, links, symptoms, a stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindcast.learn.sentences import Sentence, sentences_of
from hindcast.model.signal import Severity

SYMPTOMS_MAX = 20
SYMPTOM_CHARS_MAX = 500
STACK_CHARS_MAX = 20_000
NAMES_MAX = 20
LINKS_MAX = 30

# What names a cause, the surest first, with how sure it is.
_CAUSES: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (sure, re.compile(pattern, re.I))
    for sure, pattern in (
        (
            0.85,
            (
                r"\b(?:the\s{1,20})?(?:root|underlying|ultimate|actual|primary|real)\s{1,20}cause\s{1,20}(?:\w+\s{1,20}){0,3}?(?:was|is|"
                r"were|turned\s{1,20}out|lay)\b"
            ),
        ),
        (
            0.8,
            (
                r"\b(?:the\s{1,20})?cause\s{1,20}(?:is|was)\s{1,20}(?!not\b|un)|\b(?:as|to\s{1,20}be)\s{1,20}(?:the\s{1,20})?(?:\w+\s{1,20})?(?:root|"
                r"underlying)\s{1,20}cause\b|\broot\s{1,20}cause\b.*\b(?:was|is|:)"
            ),
        ),
        (
            0.8,
            (
                r"\b(?:outage|incident|issue|problem|failure|errors?|this|that|it|which)\s{1,20}(?:\w+\s{1,20})?(?:was|were|is|"
                r"had\s{1,20}been)\s{1,20}(?:\w+ly\s{1,20})?caused\s{1,20}by\b"
            ),
        ),
        (
            0.7,
            (
                r"\b(?:caused|triggered|brought\s{1,20}on|introduced)\s{1,20}by\b|\bstemm?(?:ed|ing)\s{1,20}from\b|\bresult(?:ed|"
                r"ing)\s{1,20}from\b|\btraced\s{1,20}(?:back\s{1,20})?to\b|\bturned\s{1,20}out\s{1,20}(?:to\s{1,20}be|that)\b|\bthe\s{1,20}culprit\b"
            ),
        ),
        (
            0.65,
            (
                r"\b(?:identified|determined|discovered|found)\s{1,20}(?:that\s{1,20})?(?:a|an|the|one|our|some|"
                r"this)\b.*\b(?:bug|issue|change|deployment|configuration|misconfigur\w+|leak|component|error|failure|"
                r"update|regression|cause)\b"
            ),
        ),
        (
            0.7,
            (
                r"\b(?:die\s{1,20}ursache|schuld)\s{1,20}(?:war|ist)\b|\bla\s{1,20}(?:causa|cause)\s{1,20}(?:raíz\s{1,20}|profonde\s{1,20})?(?:fue|"
                r"era|es|était|est)\b|\bhervorgerufen\s{1,20}durch\b|\bausgelöst\s{1,20}durch\b"
            ),
        ),
        (
            0.6,
            r"\bdue\s{1,20}to\b|\bas\s{1,20}a\s{1,20}result\s{1,20}of\b|\bowing\s{1,20}to\b|\baufgrund\b|\bdebido\s{1,20}a\b|\bà\s{1,20}cause\s{1,20}d",
        ),
        (0.5, r"\bbecause\b|\bcaused\b|\bled\s{1,20}to\b|\bweil\b|\bporque\b|\bparce\s{1,20}qu"),
    )
)
# What somebody only thought, and what turned out not to be it.
_THOUGHT = re.compile(
    r"\b(?:suspect\w*|thought|assum\w*|believ\w*|hypothes\w*|theory|guess\w*|might|maybe|perhaps|possibly|probably|"
    r"looked\s{1,20}like|at\s{1,20}first|initially|seemed|appeared\s{1,20}to\s{1,20}be|"
    r"wrongly|blamed|red\s{1,20}herring|was(?:\s{1,20}not|n[’']t)\s{1,20}the\s{1,20}cause|ruled\s{1,20}out|not\s{1,20}caused|not\s{1,20}because|"
    r"not\s{1,20}due)\b",
    re.I,
)
_BECAUSE = re.compile(r"\b(?:because|weil|porque|parce\s{1,20}qu)", re.I)
_REPAIR = re.compile(
    r"\b(?:restart\w*|roll\w*\s{1,20}back|revert\w*|fail\w*\s{1,20}over|we\s{1,20}(?:tried|did|could|decided|had|chose|were)|"
    r"tried|help\w*|work(?:ed|s)|fix\w*|scal\w+|took\s{1,20}(?:so\s{1,20})?long|longer|delay\w*|"
    r"noticed|alert\w*|detect\w*|page[ds]?\b|nobody|slow\s{1,20}to)\b",
    re.I,
)
_CHARGE = re.compile(
    r"\b(?:down|fail\w*|outage|error\w*|unavailable|broke\w*|slow\w*|timed?\s{0,20}out|timeouts?|crash\w*|stopped|stuck|"
    r"lost|missing|rejected|refused|could\s{1,20}not|couldn[’']t|unable|[45]\d\d|"
    r"incident|interrupted|degraded|delayed|empty|unreachable|piled|ran\s{1,20}out|full|wrong|ausgefallen|fehler|"
    r"ca[ií]d[oa]|fall[oó]|panne|erreurs?)\b",
    re.I,
)
_NO_CAUSE = re.compile(
    r"\b(?:unknown|under\s{1,20}investigation|still\s{1,20}investigating|unclear|not\s{1,20}(?:yet\s{1,20})?(?:been\s{1,20})?(?:known|"
    r"identified|determined|clear|understood|sure)|not\s{1,20}yet\s{1,20}found|(?:have|has)(?:\s{1,20}not|n[’']t)\s{1,20}found|"
    r"(?:do(?:es)?\s{1,20}not|don[’']t|doesn[’']t)\s{1,20}(?:yet\s{1,20})?know|no\s{1,20}idea|nobody\s{1,20}knows|remains\s{1,20}(?:open|"
    r"a\s{1,20}mystery)|unbekannt|(?:noch\s{1,20})?(?:nicht|un)\s?geklärt|noch\s{1,20}offen|"
    r"desconocid[ao]|no\s{1,20}se\s{1,20}sabe|sin\s{1,20}determinar|inconnue?|indéterminée?|desconhecid[ao]|"
    r"to\s{1,20}be\s{1,20}determined|tbd|tbc|n/?a|none|pending)\b",
    re.I,
)
_TO_FIND = re.compile(
    r"\b(?:will|continue|to\s{1,20}(?:investigate|determine|establish|understand)|investigating|next\s{1,20}steps?)\b",
    re.I,
)

_LINK = re.compile(r"https?://[^\s<>()\]\"'`]{1,400}[^\s<>()\]\"'`.,;:!?]")
_HANDLE = re.compile(r"(?<![\w/])@([A-Za-z][\w.-]{1,38}\w)")
_NAME = r"[^\W\d_][\w'’.-]{1,25}(?: [A-Z][\w'’-]{1,25}){0,2}"
_BYLINE = re.compile(
    rf"\b(?:[Ww]ritten|[Ww]ritten up|[Pp]repared|[Cc]ompiled|[Dd]rafted|[Rr]eported|[Nn]oted|[Pp]osted|"
    rf"[Ff]acilitated|[Aa]uthored|[Pp]ost-?mortem|[Rr]eport|[Nn]otes|"
    rf"[Vv]erfasst|[Gg]eschrieben|[Ee]scrito|[Rr]edactado|[Rr]édigé|[Ss]critto|[Ee]rstellt) (?:up )?(?:by|von|por|"
    rf"par|da|door):? @?({_NAME})"
)
_SIGNED = re.compile(rf"^[ \t]{{0,40}}(?:—|–|--|[Bb]y:?)[ \t]{{0,40}}@?({_NAME})[ \t]{{0,40}}(?:,.{{0,40}})?$", re.M)
_DATED = re.compile(
    rf"^[ \t]{{0,40}}[*_]{{0,2}}({_NAME}),[ \t]{{1,40}}(?:\w+,? )?(?:\d{{1,2}}\.? \w{{3,9}}|\w{{3,9}} "
    rf"\d{{1,2}},?|\d{{4}}-\d\d-\d\d)(?: \d{{4}})?[*_]{{0,6}}[ \t]{{0,40}}$",
    re.M,
)
_LOOKED = re.compile(
    r"(?<![\w.])([A-Z][a-zà-ÿ]{1,15}(?: [A-Z][a-zà-ÿ]{1,20})?) (?:was on[- ]call|looked (?:after|into)|took over|"
    r"joined|noticed|found|led the|handled|was paged|got paged|"
    r"acknowledged|declared|hat (?:bemerkt|behoben|gefunden|den|das|die)|discovered|fixed|spotted)\b"
)
_NOT_PEOPLE = frozenset(
    [
        "support",
        "customers",
        "monitoring",
        "engineering",
        "alerting",
        "everyone",
        "everybody",
        "somebody",
        "someone",
        "nobody",
        "we",
        "it",
        "they",
        "he",
        "she",
        "this",
        "that",
        "who",
        "which",
        "what",
        "why",
        "how",
        "when",
        "nothing",
        "operations",
        "the",
        "on-call",
        "oncall",
    ]
)
_SERVICE = re.compile(
    r"(?<![\w/.@-])`?((?:[a-z][a-z0-9]*-)+(?:service|svc|api|worker|workers|gateway|server|backend|frontend|consumer|"
    r"producer|proxy|scheduler|db|web|app|job|processor|router|auth))`?(?![\w/-])"
)
_NAMED_SERVICE = re.compile(r"(?<![\w-])(?:[Tt]he|[Oo]ur)\s{1,20}`?([a-z][\w-]{2,30})`?\s{1,20}(?:micro)?service\b")
_USING = re.compile(
    r"\b(?:customers?|users?|subscribers)\s{1,20}(?:who\s{1,20}(?:are|were)\s{1,20})?(?:(?:attempting|trying)\s{1,20}to\s{1,20}(?:use|"
    r"access)|using|accessing|of|leveraging)\s{1,20}"
    r"((?:[A-Z][\w()./+&-]*|and|for|v\d)(?:[ ,]+(?:[A-Z][\w()./+&-]*|and|for|of|\(v\d\)))*)"
)
_TITLE_JOINT = re.compile(r"\s{1,200}[-–—|]\s{1,20}|:\s{1,20}|,\s{1,20}|\s{1,200}and\s{1,20}")
_TITLE_NOISE = re.compile(
    r"\s{0,20}\([^)]*\)|\bRCA\b|\b(?:Issues?|Errors?|Outage|Incident|Mitigated|Recovered|Resolved)\b.*", re.I
)
_PROPER = re.compile(r"(?:[A-Z][\w.+&]*)(?:\s{1,20}(?:[A-Z][\w.+&]*|of|for)){0,4}")
_NOT_SERVICES = frozenset(
    {"the", "this", "that", "our", "all", "each", "every", "any", "same", "new", "affected", "which", "other", "a"}
)

_SEVERITIES: tuple[tuple[Severity, re.Pattern[str]], ...] = tuple(
    (severity, re.compile(pattern, re.I))
    for severity, pattern in (
        (
            Severity.CRITICAL,
            r"\b(?:sev(?:erity)?[-\s:]{0,40}[01]|p[-\s]?[01]|s[01]|critical|highest|blocker|emergency)\b",
        ),
        (Severity.MAJOR, r"\b(?:sev(?:erity)?[-\s:]{0,40}2|p[-\s]?2|s2|major|high|error)\b"),
        (Severity.MINOR, r"\b(?:sev(?:erity)?[-\s:]{0,40}[34]|p[-\s]?[34]|s[34]|minor|medium|moderate|low|warning)\b"),
        (Severity.INFO, r"\b(?:sev(?:erity)?[-\s:]{0,40}5|p[-\s]?5|s5|info(?:rmational)?|trivial|lowest|none)\b"),
    )
)
_STATED = re.compile(r"\b(?:SEV(?:ERITY)?[-\s:]{0,40}\d|P[0-4])\b")
_FENCE = re.compile(
    r"^[ \t]{0,40}(?:```|~~~)[^\n]*\n((?:(?![ \t]{0,40}(?:```|~~~))[^\n]*\n)*)[ \t]{0,40}(?:```|~~~)[ \t]{0,40}$", re.M
)
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^\s{1,20}at [\w$.<>]+\(|^\s{1,20}at .+:\d+:\d+\)?$|^goroutine \d+|^panic: |"
    r"^Caused by: |^\s{0,20}File \"[^\"]+\", line \d+|thread '.*' panicked at|^\s{0,20}#\d+ 0x",
    re.M,
)
_TROUBLE = re.compile(
    r"\b(?:error|errors|exception|fail(?:ed|ure|ing)?|timeout|timed\s{1,20}out|refused|reset|denied|unavailable|fatal|"
    r"panic|oom\w*|"
    r"exhausted|exceeded|crash\w*|E[A-Z]{4,}|5\d\d|unreachable|deadlock\w*|too\s{1,20}many|cannot|could\s{1,20}not|unable)\b",
    re.I,
)
_COMMAND = re.compile(
    r"^\s{0,20}(?:\$|#|>|kubectl|helm|systemctl|docker|psql|redis-cli|aws|gcloud|terraform|curl|ssh|sudo|git)\s", re.I
)
_QUOTED = re.compile(r"[`\"“]([^`\"“”\n]{8,300})[`\"”]")


def cause_in(text: str) -> tuple[Sentence, float] | None:
    """The sentence that names a cause best, and how sure that is."""
    best: tuple[Sentence, float] | None = None
    for sentence in sentences_of(text):
        if sentence.is_question or _TO_FIND.search(sentence.text) or _is_thought(sentence.text):
            continue
        sure = next((sure for sure, pattern in _CAUSES if pattern.search(sentence.text)), 0.0)
        if sure == 0.5:
            sure = _by_its_effect(sentence.text)
        if sure and (best is None or sure > best[1]):
            best = sentence, sure
    return best


def _is_thought(text: str) -> bool:
    """Whether a sentence tells what somebody took for the cause, and not that it turned out to be it."""
    return _THOUGHT.search(text) is not None and not re.search(
        r"\bturned\s{1,20}out\b|\bconfirmed\b|\bin\s{1,20}fact\b|\breal\s{1,20}cause\b", text, re.I
    )


def _by_its_effect(text: str) -> float:
    """How sure a "because" names the cause: trouble has to stand before it, and nothing that was done."""
    match = _BECAUSE.search(text)
    if match is None:
        return 0.5
    before = text[: match.start()]
    if _REPAIR.search(before):
        return 0.4
    return 0.65 if _CHARGE.search(before) else 0.5


def is_known(text: str) -> bool:
    """Whether a part says anything: "TBD" and "under investigation" do not."""
    if not text.strip():
        return False
    if re.fullmatch(
        r"\W*(?:open|offen|abiert[oa]|ouvert|ongoing|pending|investigating|to\s{1,20}follow|see\s{1,20}(?:above|"
        r"below)|todo|\?+)?\W*",
        text,
        re.I,
    ):
        return False
    match = _NO_CAUSE.search(text)
    # In a longer text a word such as "unknown" tells of the failure, unless it begins with it.
    return match is None or not (len(text) < 60 or (len(text) < 160 and match.start() < 20))


def severity_of(text: str) -> Severity | None:
    """The severity that a label's text names."""
    return next((severity for severity, pattern in _SEVERITIES if pattern.search(text)), None)


def severity_in(text: str) -> Severity | None:
    """The severity that a whole page names in so many words, such as SEV-2."""
    match = _STATED.search(text)
    return severity_of(match.group()) if match else None


def names_in(text: str) -> tuple[str, ...]:
    """The names that a list holds, whatever its style: commas, bullets, lines, "and"."""
    found: list[str] = []
    for line in text.splitlines():
        plain = re.sub(r"^\s{0,20}(?:[-*+•]|\d+[.)])\s{1,20}|^\s{0,20}\[|\]\s{0,20}$", "", line)
        plain = re.sub(r"\[([^\]]{0,300})\]\([^)]{0,600}\)", r"\1", plain)
        for name in re.split(r"[,;|]|\s{1,20}and\s{1,20}|\s{1,20}&\s{1,20}", plain):
            name = re.split(r"\.\s{1,20}(?=[A-Z]\w+\s)", name)[0]
            tidy = re.sub(r"\s{1,20}", " ", name.strip().strip("`*_\"'@.").strip())
            if 1 < len(tidy) <= 60 and len(tidy.split()) <= 5:
                found.append(tidy)
    return tuple(dict.fromkeys(found))[:NAMES_MAX]


def services_in(text: str, title: str = "") -> tuple[str, ...]:
    """The services that prose names: `payment-worker`, "the checkout service", "customers using Object Storage".

    A name that stands in the title of a page and in its text is what the page is about.
    """
    found = [match.group(1) for match in _SERVICE.finditer(f"{title}\n{text}")]
    named = [match.group(1).lower() for match in _NAMED_SERVICE.finditer(text)]
    found += [name for name in named if named.count(name) > 1 and name not in _NOT_SERVICES]
    for name in _TITLE_JOINT.split(title):
        plain = _TITLE_NOISE.sub("", name).strip()
        if _PROPER.fullmatch(plain) and plain.lower() not in _NOT_SERVICES and plain in text:
            found.append(plain)
            # What follows it in a title is a place or a symptom.
            break
    for match in _USING.finditer(text):
        for name in re.split(r",| and ", match.group(1)):
            tidy = re.sub(r"\s{0,20}\(v\d\)|\s{1,20}(?:for|of|and)$", "", name.strip()).strip()
            if len(tidy) > 2 and tidy.lower() not in _NOT_SERVICES:
                found.append(tidy)
    return tuple(dict.fromkeys(found))[:NAMES_MAX]


def people_in(text: str) -> tuple[str, ...]:
    """The people that a text calls by their handle, and those who signed it: "written by dana", "— Mei"."""
    found = [match.group(1) for pattern in (_BYLINE, _SIGNED, _DATED, _LOOKED) for match in pattern.finditer(text)]
    found += [match.group(1) for match in _HANDLE.finditer(text)]
    tidy = (re.sub(r"[.,;:]{1,40}$", "", name) for name in found)
    return tuple(dict.fromkeys(name for name in tidy if name.lower() not in _NOT_PEOPLE))[:NAMES_MAX]


def links_in(text: str) -> tuple[str, ...]:
    """The links of a text."""
    return tuple(dict.fromkeys(match.group() for match in _LINK.finditer(text)))[:LINKS_MAX]


def stack_in(text: str) -> str:
    """The first stack trace that a text shows: in a block of code, or pasted between its lines."""
    for match in _FENCE.finditer(text):
        if _TRACE.search(match.group(1)):
            return match.group(1).strip("\n")[:STACK_CHARS_MAX]
    return _pasted(_FENCE.sub("", text))


def _pasted(text: str) -> str:
    """A trace without any marks around it: from its head to the last line that belongs to it."""
    lines = text.splitlines()
    first = next((number for number, line in enumerate(lines) if _TRACE.match(line)), None)
    if first is None:
        return ""
    # A line of a frame has the exception above it, where traces put the message first.
    start = first - 1 if lines[first][:1].isspace() and first and lines[first - 1].strip() else first
    end = first + 1
    while end < len(lines) and ((lines[end][:1].isspace() and lines[end].strip()) or _TRACE.match(lines[end])):
        end += 1
    if lines[first].startswith("Traceback") and end < len(lines) and lines[end].strip():
        # Python tells the exception last.
        end += 1
    return "\n".join(lines[start:end])[:STACK_CHARS_MAX]


def symptoms_in(text: str, told: Sequence[str] = ()) -> tuple[str, ...]:
    """What was seen: lines of logs in blocks of code, quoted errors, and what the parts about symptoms tell."""
    found = [line for line in _symptoms(text, told) if len(line) >= 4]
    return tuple(dict.fromkeys(line[:SYMPTOM_CHARS_MAX] for line in found))[:SYMPTOMS_MAX]


def _symptoms(text: str, told: Sequence[str]) -> Iterator[str]:
    for match in _FENCE.finditer(text):
        block = match.group(1)
        if _TRACE.search(block):
            # The whole trace is kept by itself; its last line is what people search for.
            last = [line.strip() for line in block.splitlines() if line.strip() and not line.startswith((" ", "\t"))]
            yield from last[-1:]
            continue
        yield from (line.strip() for line in block.splitlines() if _TROUBLE.search(line) and not _COMMAND.match(line))
    prose = _FENCE.sub("", text)
    yield from (match.group(1).strip() for match in _QUOTED.finditer(prose) if _is_error(match.group(1)))
    for part in told:
        yield from (sentence.text for sentence in sentences_of(part) if not sentence.is_question)


def _is_error(quoted: str) -> bool:
    return bool(_TROUBLE.search(quoted)) and not _COMMAND.match(quoted) and "://" not in quoted
