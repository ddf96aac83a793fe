"""What a part of a postmortem is about, by the meaning of its name: stems with weights, in seven languages.

Nobody agrees on names ("Root cause", "Why it happened", "Was ist passiert"). Each stem of a name speaks for a role with
a weight, and some stems speak against one ("why nobody noticed" is about detection). The role with the most weight is
taken, if it has enough. Labels of values (dates, owners, severity) are fewer and are known by patterns.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

NAME_WORDS_MAX = 9
NAME_CHARS_MAX = 70
# Less than this says nothing.
WEIGHT_MIN = 1.0


class Field(StrEnum):
    """What a part of a page is about."""

    ACTIONS = "actions"
    TIMELINE = "timeline"
    DURATION = "duration"
    SEVERITY = "severity"
    SERVICES = "services"
    COMPONENTS = "components"
    RESPONDERS = "responders"
    CAUSE = "cause"
    ATTEMPTS = "attempts"
    RESOLUTION = "resolution"
    SUMMARY = "summary"
    IMPACT = "impact"
    DETECTION = "detection"
    SYMPTOMS = "symptoms"
    LINKS = "links"
    START = "start"
    END = "end"
    DATE = "date"
    STATUS = "status"
    TITLE = "title"


# Names of values: the first line that fits wins, and it wins over the stories below where it says "surely".
_VALUES: tuple[tuple[Field, str], ...] = (
    (
        Field.DURATION,
        (
            r"duration|time to (?:resolve|recover|restore|mitigate|repair)|^(?:mt)?ttr$|length|^minutes|downtime|dauer|"
            r"duracion|duree|duracao|durata|duur|how long|^lasted"
        ),
    ),
    (
        Field.SEVERITY,
        r"severity|priority|^sev$|urgency|impact level|schweregrad|prioritat|gravedad|severidad|gravite|gravita|ernst",
    ),
    (
        Field.START,
        (
            r"^(?:incident |impact |outage |fault )?(?:start|started|starts|began|begin|begins|beginn|onset|occurred|"
            r"occurs)\b(?: (?:time|at|date|on))*|start.?time|^created(?: at|_at)?$|fault occurs|^opened|"
            r"^first (?:detected|seen|noticed|reported|alert)|^(?:inicio|debut|inizio|begin|von|from)$"
        ),
    ),
    (
        Field.END,
        (
            r"^(?:incident |impact |outage )?(?:end|ended|ends|resolved|repaired|recovered|closed|fixed|restored|"
            r"mitigated)\b(?: (?:time|at|date|on))*$|end.?time|resolved.?at|^(?:ende|fin|fim|fine|einde|bis|until)$"
        ),
    ),
    (
        Field.RESPONDERS,
        (
            r"responder|commander|participant|on.?call|^owners?$|^people(?: involved)?$|on shift|^deciders?$|"
            r"author|engineer|"
            r"^team|involved|^leads?$|"
            r"incident lead|contributors?$|assignee|handled by|^who$|^by$|reporter|^(?:written|prepared|reported|"
            r"compiled|drafted|edited|facilitated) by|facilitator|scribe|^present$|attendees|^wer$|verfasser|autor|"
            r"beteiligte|bearbeiter|personas|responsables?|equipe|equipo|redige|who was (?:on|there|involved)|"
            r"persone|betrokken|opsteller|ansprechpartner|^crew$|^ic$"
        ),
    ),
    (Field.SERVICES, r"services?\b|systems?\b|affected (?:product|app|area)|impacted (?:product|app|area)|^product"),
    (Field.COMPONENTS, r"component|technolog|infrastructure|dependenc|stack$|^tags?$|^labels?$"),
    (Field.LINKS, r"links?$|reference|related|^tickets?|see also|^jira|^slack|^channel"),
    (Field.DATE, r"date$|^date|^when$|^when it happened|^day$|^time$|occurred|^datum|^fecha|^data$"),
    (Field.STATUS, r"^status|^state$|^estado|^statut|^stato"),
    (Field.TITLE, r"^title$|^name$|^incident$|^subject$|^betreff$|^asunto$|^titel$|^titulo$"),
)
_KNOWN = tuple((field, re.compile(pattern, re.I)) for field, pattern in _VALUES)

# Stems at the beginning of a word, or phrases; negative weights speak against a role.
_STORIES: tuple[tuple[Field, str], ...] = (
    (
        Field.ACTIONS,
        (
            "action 1.2|action item 3|follow up 3|followup 3|next step 3|next time 3|lesson 3|learn 2.5|learnt 2.5|"
            "what went well 3|got lucky 3|were lucky 3|prevent 2.5|corrective 2|improv 2|recommend 2|to do 2|todo 2.5|"
            "future 2.5|retrospect 2|left to do 3|going forward 3|never again 3|doesn t happen again 3|"
            "does not happen again 3|again$ 0.6|long term 2|homework 3|change from here 3|we will 2.5|we ll 2.5|"
            "still open 2|outstanding 1.5|planned 2|takeaway 3|remediation item 3|massnahmen 2|lehre 3|erkenntnis 2|"
            "nachste schritte 3|vorbeug 3|proximo 2|siguientes 2|leccion 3|aprend 2.5|acciones 2|prevenc 3|"
            "prochaine 2.5|lecon 3|enseignement 3|a faire 3|passi successivi 3|lezion 3|azioni 2|licoe 3|proximos "
            "passos 4|"
            "acoes 2|vervolg 2|geleerd 3|verbeter 2|preventi 2.5"
        ),
    ),
    (
        Field.TIMELINE,
        (
            "timeline 3|time line 3|chronolog 3|key event 2.5|sequence of event 3|play by play 3|minute by minute 3|"
            "incident log 2.5|log entries 3|entries 1.5|how it unfolded 2.5|unfold 1.5|what happened when 3|blow "
            "by blow 3|"
            "zeitleiste 3|zeitlich 2.5|zeitverlauf 3|ablauf 2.5|verlauf 2|hergang 1.5|cronolog 3|linea de tiempo 3|"
            "linha do tempo 3|"
            "deroule 2.5|tijdlijn 3|events$ 1.2|log$ 1"
        ),
    ),
    (
        Field.ATTEMPTS,
        (
            "tried 3|try$ 1.2|attempt 3|dead end 3|did not help 3|didn t help 3|did not work 3|didn t work 3|not "
            "work 3|"
            "not help 3|doesn t work 3|no effect 3|without effect 3|wrong turn 3|red herring 3|failed attempt 3|"
            "nowhere 3|options we 2|theories 2|theory 1.5|false lead 3|false "
            "start 3|"
            "blind alley 3|troubleshoot 2|what we did 2.2|did about it 2.5|step taken 2.5|actions taken 3|action "
            "taken 3|taken 1.2|"
            "worse 3|backfire 3|what hurt 3|do not do 3|don t do 3|what not to 3|not to do 3|how not to 3|stay "
            "away from 2|"
            "did not get right 3|didn t get right 3|in vain 3|experiment 1.5|investigation 1.1|response 1|"
            "ruled out 2.5|nothing helped 3|unsuccess 3|failed fix 3|went nowhere 3|"
            "versuch 3|probiert 3|unternommen 2.5|sackgasse 3|nicht geholfen 4|verschlimmert 3|erfolglos 3|"
            "sofortmassnahme 2.5|intent 2.2|que intent 2|probamos 3|probado 3|no funciono 4|no ayudo 4|empeor 3|"
            "essaye 3|tentative 3|piste 2|pas marche 4|pas fonctionne 4|aggrave 2.5|tentat 3|tentou 3|tentamos 3|"
            "nao funcionou 4|piorou 3|provato 3|peggior 3|geprobeerd 3|pogingen 3|niet geholpen 4|erger 2.5"
        ),
    ),
    (
        Field.RESOLUTION,
        (
            "resol 2.2|mitigat 2|fix 2.2|remed 2|recover 2|restor 2|solution 2.5|solv 2.2|repair 2.2|workaround 2.5|"
            "worked 2|helped 2.2|ended it 3|cure 2.5|back to normal 2.5|got back 2|brought it back 3|brought us back 3|"
            "stopped it 3|stopped the bleed 3|saved us 3|saved the day 3|end of it 2|got out of it 3|got us out 3|"
            "way out 2|"
            "made it go away 3|get out of 3|out of it 2.5|correction 2.5|go away 1.5|rescue 2|what did it 2.5|did "
            "the trick 3|countermeasure 1.5|put right "
            "2.5|turned it around 3|"
            "losung 3|gelost 2.5|behoben 3|behebung 3|geholfen 2.5|wiederherstell 2.5|abhilfe 3|entstorung 3|"
            "solucion 3|soluciona 3|arregl 3|correccion 2|funciono 2|recuperac 2|mitigac 2|correctif 2.5|corrig "
            "2.5|remise en service 3|"
            "retablissement 3|repar 2|solucao 3|correcao 2.5|risol 2.5|soluzione 3|ripristin 2.5|oplossing 3|"
            "opgelost 3|herstel 2.5"
        ),
    ),
    (
        Field.CAUSE,
        (
            "root cause 4|cause 2.5|why 2.2|because 2.5|reason 2.2|culprit 3|contribut 2|trigger 1.6|origin 2|"
            "diagnos 2.2|"
            "underlying 2|5 why 3|five why 3|whys 2.5|explanation 2|mechanism 2|behind it 2.5|was behind 2.5|at "
            "fault 2.5|fault 1.2|"
            "how it happened 2|how could 1.5|how this happened 2|came to this 2|to blame 3|under the hood 2|"
            "what went wrong 1.3|what actually happened 1.8|what really happened 2.2|the bug 2|technical detail "
            "1.4|analysis 1.2|finding 1.2|"
            "ursach 3|grund 2.2|warum 2.5|wieso 2.5|weshalb 2.5|ausloser 2|hintergrund 1.2|"
            "causa 3|motivo 2.5|por que 2.5|porque 2.5|raiz 2|pourquoi 2.5|raison 2.2|origine 2.2|perche 2.5|razon 2.2|"
            "oorzaak 3|waarom 2.5|reden 2.2|origem 2.2|"
            "long$ -2.5|notic -2.5|detect -2|alert -1.5|not seen -2|took so -2.5|didn t catch -3|did not catch -3|"
            "matters -3|late$ -2"
        ),
    ),
    (
        Field.SYMPTOMS,
        (
            "symptom 3|broke 2|broken 2|what we saw 3|saw 1.5|observ 2|error 1.5|errors 1.5|stack trace 3|stacktrace 3|"
            "logs 1.6|evidence 2|signs 1.5|problem 1.6|issue 1.1|what was seen 3|users saw 3|customers saw 3|"
            "looked like 2|looked from 2|"
            "fehlerbild 3|symptome 3|anzeichen 2|problema 1.6|sintoma 3|probleme 1.6|was war kaputt 3|wat ging er "
            "mis 2|fallo 1.5"
        ),
    ),
    (
        Field.SUMMARY,
        (
            "summary 3.2|overview 3|abstract 3|tl dr 4|tldr 4|synopsis 3|what happened 2.2|happened 1|description "
            "2.2|executive 3|"
            "background 2|context 2|introduct 2|in short 3|in brief 3|short version 3|nutshell 3|one line 2|gist 3|"
            "the story 2|"
            "zusammenfassung 4|uberblick 3|kurzfassung 3|beschreibung 2.5|was ist passiert 3|was war los 3|passiert 1|"
            "resumen 4|que paso 3|que ocurrio 3|descripcion 2.5|resume 3|que s est il passe 3|contexte 2|resumo 4|"
            "o que aconteceu 3|"
            "riassunto 4|sommario 4|cosa e successo 3|samenvatting 4|wat is er gebeurd 3"
        ),
    ),
    (
        Field.DETECTION,
        (
            "detect 2.4|identified 2|noticed 2.6|notice 2.2|discover 2.2|alerting 2|found out 3|how did we find 3|"
            "paged 1.5|"
            "erkennung 3|erkannt 2.5|entdeck 3|bemerkt 3|detecc 3|deteccao 3|detection 3|rilevament 3|ontdek 3"
        ),
    ),
    (
        Field.IMPACT,
        (
            "impact 2.6|affected 2.2|customer 1.6|user 1.2|consequence 2.4|effect 1.2|who was hit 3|damage 2.5|"
            "blast radius 3|"
            "fallout 2.5|who felt it 3|who noticed 2|cost us 2|auswirkung 3|betroffen 2.5|folgen 2.5|schaden 2.5|"
            "impacto 3|afect 2.4|alcance 2|"
            "repercussion 3|impatto 3|gevolg 2.5"
        ),
    ),
)
_SPACE = re.compile(r"[^a-z0-9]+")


def _stems(text: str) -> tuple[tuple[str, float], ...]:
    """The stems of a line; one that ends in `$` is a whole word."""
    pairs = (one.rpartition(" ") for one in text.split("|"))
    return tuple((stem.replace("$", " "), float(weight)) for stem, _, weight in pairs)


_WEIGHED = tuple((field, _stems(text)) for field, text in _STORIES)


def plain_words(text: str) -> str:
    """A name in small plain letters, one space between its words: "Lösung:" is "losung"."""
    bare = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    return _SPACE.sub(" ", "".join(letter for letter in bare if not unicodedata.combining(letter))).strip()


def weights_of(name: str) -> dict[Field, float]:
    """How much the words of a name speak for each role."""
    padded = f" {plain_words(name)} "
    found: dict[Field, float] = {}
    for field, stems in _WEIGHED:
        weight = sum(weight for stem, weight in stems if f" {stem}" in padded)
        if weight > 0:
            found[field] = weight
    return found


def field_of(name: str) -> Field | None:
    """What a part with this name is about; None where its words do not say."""
    plain = re.sub(r"^(?:\d+[.)]?|[ivx]+[.)])\s+", "", plain_words(re.sub(r":[a-z_]+:|\([^)]*\)", " ", name))).strip()
    plain = re.sub(r"^\d+ ", "", plain) if "why" not in plain else plain
    if not plain or len(plain.split()) > NAME_WORDS_MAX or len(plain) > NAME_CHARS_MAX:
        return None
    value = next((field for field, pattern in _KNOWN if pattern.search(plain)), None)
    weights = weights_of(plain)
    best = max(weights, key=lambda field: weights[field]) if weights else None
    if value is not None and (best is None or _is_surely(value, weights[best])):
        return value
    if best is not None and weights[best] >= WEIGHT_MIN:
        return best
    return value


def _is_surely(value: Field, weight: float) -> bool:
    """Whether a name is the label of a value although its words tell a story too: "Time to resolve", "Resolved at"."""
    if value in (Field.DURATION, Field.START, Field.END, Field.SEVERITY, Field.TITLE, Field.STATUS):
        return True
    if value is Field.RESPONDERS:
        return weight < 3
    return value in (Field.SERVICES, Field.DATE) and weight < 2.4
