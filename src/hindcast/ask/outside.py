"""What is asked outside of everything that can be answered: it is said so, with what can be asked and a search.

A question that was not understood never gets a no: that no incident is recorded, or that a failure is new, is said only
to a question that was understood and to a failure that was described.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hindcast.ask.beginnings import MACHINE, Want
from hindcast.ask.events import Sentence
from hindcast.ask.everyday import suggestions
from hindcast.ask.facts import Facts
from hindcast.ask.intent import Intent
from hindcast.ask.wording import quoted
from hindcast.recall.reading import exceptions
from hindcast.toolbox import ToolAnswer

SEARCHED_MAX = 3
CHARS_READ_MAX = 20_000

# How people begin what they ask or order; whatever begins otherwise may describe a failure.
_ASKS = re.compile(
    r"\s*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|am|do|does|did|can|could|should|would|will|shall|"
    r"may|might|must|has|have|had|list|show|give|tell|compare|write|make|create|draw|play|open|send|translate|explain|"
    r"summari[sz]e|calculate|restart|deploy|delete|remove|add|scale|roll|run|stop|start|set|book|order|call|find|search|"
    r"predict|recommend|suggest|remind|schedule|if|i want|i need|i would|let|thanks?|thank you|good|hello|hi|hey|sorry|"
    r"close|assign|change|update|turn|mute|unmute|resolve|confirm|import|export|fix)\b",
    re.IGNORECASE,
)
# Words with which people describe that something fails; a word counts from its beginning.
_TROUBLE = re.compile(
    r"\b(?:error|exception|fail|fault|timeout|time[sd]? out|timing out|unavailable|unreachable|crash|"
    r"refus|reset|lost|los(?:es?|ing)\b|leak|(?:is|are|was|were|fills?|runs?|ran|disks?|queue|pool|table|"
    r"volume|memory) (?:up |almost )?full\b|exhaust|expire|expiry|denied|reject|deadlock|oom|out ?of|"
    r"evict|lag(?:s|ging)?\b|latenc|spike|[45]\d\d\b|[45]xx|corrupt|duplicat|twice|broken|breaks|broke\b|"
    r"down\b|dead\b|dies\b|died\b|panic|segfault|sig(?:segv|kill|term|abrt)|cannot|can't|could not|"
    r"couldn't|unable|too many|invalid|outage|flap|throttl|overload|exceed|stuck|hang|hung|slow|stall|"
    r"stale|delay|backlog|killed|missing|no (?:space|such|healthy|answer|response|connection)|"
    r"not (?:found|ready|respond|work|reach|deliver)|crashloop|unhealthy|degraded|blocked|conflict|wrong|"
    r"misconf|loops?\b|saturat|drop(?:s|ped)\b|econn|enospc|eai_|epipe)",
    re.IGNORECASE,
)
_IDLE = frozenset(
    """a about after all an and any are as at be been before by can could did do does for from get give had has have
    how i if in into is it its last let list make many me more most much my need new not now of on one or our
    should show so some tell than that the their them then there these they this those to today tomorrow up us use
    want was we were what when where which who whom whose why will with would write you your please incident
    incidents outage outages failure failures fixed usually ever still just like""".split()  # noqa: SIM905
)
# Words between the words that are looked for.
_GLUE = frozenset("a about and for in of on the with".split())  # noqa: SIM905


def describes_failure(text: str) -> bool:
    """Whether a text says what fails: a machine's line, the name of an exception, or words for trouble."""
    read = text[:CHARS_READ_MAX]
    return _is_machine(read) or bool(_TROUBLE.search(read))


def asks(question: str) -> bool:
    """Whether a text begins as people ask or order, and holds nothing that a machine wrote."""
    return bool(_ASKS.match(question)) and not _is_machine(question[:CHARS_READ_MAX])


def _is_machine(text: str) -> bool:
    return any(MACHINE.match(line) for line in text.splitlines()) or bool(exceptions(text))


def is_outside(question: str, intent: Intent, found: ToolAnswer, facts: Facts, *, is_empty: bool) -> bool:
    """Whether what a tool found is no answer, because the question was none that it answers."""
    if intent.is_read and not facts.rows():
        # Nothing is recorded at all, which is the whole answer.
        return False
    text, name = str(intent.arguments.get("text", "")), intent.about
    match intent.want:
        case Want.RECALL if "incident" in intent.arguments or found.data["under_way"]:
            return False
        case Want.RECALL:
            if not intent.is_read and asks(question):
                return True
            is_said = describes_failure(text) or (bool(intent.as_of) and facts.is_known(name))
            return found.data["familiarity"] != "seen before" and not is_said
        case Want.LIST if name:
            return not facts.is_known(name) and (is_empty or not _all_hold(name, found.data, facts))
        case Want.PATTERNS | Want.TOGETHER if name:
            return not facts.is_known(name) and (is_empty or not describes_failure(name))
        case Want.AVOID if "incident" not in intent.arguments:
            return is_empty and not describes_failure(text) and not facts.is_known(name)
        case _:
            return False


def outside(question: str, facts: Facts) -> tuple[tuple[Sentence, ...], tuple[str, ...]]:
    """What is said to a question that cannot be answered, and the questions that are offered."""
    offered = suggestions(question)
    said = [Sentence("I cannot answer that. I can answer, for example:", is_aside=True)]
    said += [Sentence(f"– {one}", is_aside=True) for one in offered]
    rows = _searched(question, facts)
    if rows:
        said.append(Sentence("A search for its words finds:", is_aside=True))
        said += [Sentence(f"{quoted(row['title'], 120)}, {row['state']}.", (row["record"],)) for row in rows]
    return tuple(said), offered


def _searched(question: str, facts: Facts) -> list[Mapping[str, Any]]:
    """The incidents that have words of a question which say something."""
    words = [word for word in re.findall(r"[\w.-]{3,}", question[:2_000]) if word.lower() not in _IDLE]
    if not words:
        return []
    rows = facts.search(" ".join(words), SEARCHED_MAX).data["incidents"]
    return [row for row in rows if any(facts.holds(row["incident"], {word.lower()}) for word in words)]


def _all_hold(words: str, data: Mapping[str, Any], facts: Facts) -> bool:
    """Whether the best that a search found has every word that was asked for."""
    rows = data["incidents"]
    wanted = set(re.findall(r"[\w-]+", words.lower())) - _GLUE
    # A word such as `will` or `us` makes a condition of it that no search can keep.
    return bool(rows and wanted) and not wanted & _IDLE and facts.holds(rows[0]["incident"], wanted)
