"""Things done, as a sentence tells them: who did what.

What was not done, is only wished for, or happened by itself is no deed: "did not restart", "should have restarted",
"the pods restarted", "increased error rates".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hindcast.learn.cues import OutcomeCue
from hindcast.learn.deed_words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    BREAKS,
    CLOCKED,
    CODE,
    DETERMINERS,
    DID_ING,
    DID_NOUN,
    DID_TO,
    DONE,
    EITHER,
    FINISHED,
    HAVE,
    HYPOTHESIS,
    JOINTS,
    LINKS,
    MENTIONED,
    METRICS,
    MODALS,
    NEEDED,
    NEGATIONS,
    NOBODY,
    NOT_ING,
    PEOPLE,
    PRESENT,
    PRODUCTS,
    RAN,
    STEP,
)
from hindcast.model.action import Occurrence, Token, occurrences, tokens_of
from hindcast.model.action_words import BY_FORM, NOUNS, PAST_AS_BARE, Deed, Form

ACTION_WORDS_MAX = 14


@dataclass(frozen=True, slots=True)
class DeedFound:
    """Something done: where in the sentence, in a short clause, by whom, and how plainly it says so (0 to 1)."""

    deed: Deed
    start: int
    end: int
    action: str
    plain: float
    by: str = ""
    command: str = ""
    # Whether it counts only when an outcome is told with it: "a restart fixed it", but not "the restart at noon".
    needs_outcome: bool = False


def deeds_in(sentence: str, cues: Sequence[OutcomeCue] = ()) -> tuple[DeedFound, ...]:
    """What was done according to a sentence, in its order."""
    if STEP.search(sentence) and not re.search(r"\bafter\b|\bwe\s+(?:tried|\w+ed)\b", sentence, re.I):
        return ()
    commands = [_command(sentence, match) for match in RAN.finditer(sentence)]
    # A wrapped line is one clause.
    tokens = tokens_of(_hidden(sentence).replace("\n", " "))
    found = [
        one
        for occurrence in occurrences(tokens)
        if (one := _deed(sentence, tokens, occurrence, cues)) is not None
        and not any(cue.start <= one.start < cue.end for cue in cues)
    ]
    alone = [one for one in found if not any(other.start < one.start < other.end for other in found)]
    return tuple(sorted([*commands, *alone], key=lambda one: one.start))


def _hidden(sentence: str) -> str:
    """The sentence with its commands blanked: verbs inside of them are no verbs of the sentence."""
    return CODE.sub(
        lambda match: "`" + "¤" * len(match.group(1)) + "`" if " " in match.group(1) else match.group(), sentence
    )


def _command(sentence: str, match: re.Match[str]) -> DeedFound:
    command = match.group(1).strip()
    deed = next((one.deed for one in occurrences(tokens_of(command.replace("-", " ")))), Deed.OTHER)
    denied = any(word in NEGATIONS | MODALS for word in sentence[: match.start()].lower().split()[-2:])
    return DeedFound(deed, match.start(), match.end(), f"ran {command}", 0.2 if denied else 0.9, command=command)


def _deed(sentence: str, tokens: Sequence[Token], one: Occurrence, cues: Sequence[OutcomeCue]) -> DeedFound | None:
    before = _before(tokens, one.index)
    form = _form(tokens, one, before)
    if _is_wish(sentence, tokens, one, before):
        return None
    if form is not Form.NOUN and (_follows(tokens, one, "anything") or _follows(tokens, one, "nothing")):
        return None
    match form:
        case Form.THIRD:
            return _present(sentence, tokens, one, before, cues)
        case Form.PAST:
            return _past(sentence, tokens, one, before, cues)
        case Form.BARE:
            return _bare(sentence, tokens, one, before, cues)
        case Form.GERUND:
            return _gerund(sentence, tokens, one, before, cues)
        case Form.NOUN:
            return _noun(sentence, tokens, one, before, cues)


def _form(tokens: Sequence[Token], one: Occurrence, before: Sequence[str]) -> Form:
    """How the verb stands: "a restart" is a noun although it is spelt like the bare verb."""
    word = tokens[one.index].low
    if word in NOUNS and one.form in (Form.BARE, Form.THIRD):
        last = before[-1] if before else ""
        verbal = last == "to" or last in MODALS or last in ("did", "not", "didn't", "don't", "never")
        if not verbal and (last not in PEOPLE or word.endswith("s")):
            after = tokens[one.after].low if one.after < len(tokens) else ""
            starts_command = not before and after in DETERMINERS
            return Form.BARE if starts_command else Form.NOUN
    if word in PAST_AS_BARE and one.form is Form.BARE:
        last = next((other for other in reversed(before) if other not in ADVERBS), "")
        if last in PEOPLE or last in BE or last in HAVE or not before:
            return Form.PAST
    return one.form


def _before(tokens: Sequence[Token], index: int) -> list[str]:
    """The words of the clause before a verb."""
    found: list[str] = []
    for token in reversed(tokens[:index]):
        if token.text in BREAKS:
            break
        if not token.is_word:
            continue
        found.append(token.low)
        if token.low in ("but", "which", "because", "although", "though", "whereas"):
            break
    return found[::-1]


def _is_wish(sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str]) -> bool:
    near = list(before[-7:])
    last = [word for word in near if word not in ADVERBS or word == "to"]
    if any(word in MODALS for word in last[-4:]) and not set(near) & {"after", "once", "when"}:
        return True
    clause = sentence[: tokens[one.index].start]
    hypothesis = list(HYPOTHESIS.finditer(clause))
    if hypothesis and not re.search(r"[;]|,\s*(?:so|but|then|and)\s+(?:we|i)\b", clause[hypothesis[-1].end() :], re.I):
        return True
    # A denial before an "and" is about what stands there: "rebooted without success and replaced it".
    joints = [place for place, word in enumerate(near) if word in ("and", "then")]
    if joints:
        near = near[joints[-1] + 1 :]
        last = [word for word in near if word not in ADVERBS or word == "to"]
    if near[-3:] == ["no", "amount", "of"]:
        return False
    if any(word in NEGATIONS - EITHER for word in last[-3:]) and tokens[one.index].low not in NOUNS:
        return not (last and last[-1] == "to" and "unable" not in last)
    return bool(re.search(r"\bdecided\s+(?:not\s+to|against)\b|\bno\s+(?:need|attempt)\b", " ".join(near)))


def _past(
    sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str], cues: Sequence[OutcomeCue]
) -> DeedFound | None:
    told = [word for word in before if word not in ADVERBS]
    last = told[-1] if told else ""
    nouns = [token.low for token in tokens[one.after : one.after + 4]]
    changes = one.deed in (Deed.RAISE, Deed.LOWER, Deed.SCALE_UP, Deed.ADD, Deed.SET)
    if any(word in BE for word in told[-2:]):
        if "to" in before[-3:] or (changes and set(told[-5:-1]) & METRICS and not _by_people(tokens, one)):
            return None
        if one.deed is Deed.RELEASE or "oom" in before:
            # "locks were released", "was OOM killed": what happened, not what somebody did.
            return None
        return _made(sentence, tokens, one, cues, plain=0.9, passive=True)
    if last in PEOPLE or (last in HAVE and any(word in PEOPLE for word in told)):
        return _made(sentence, tokens, one, cues, plain=0.95)
    if not told:
        # A log of what was done leaves out who did it: "Rolled back, recovered."
        if changes and nouns and _metric_first(nouns):
            return None
        joined = bool(before) or one.index == 0 or not tokens[one.index - 1].is_word
        return _made(sentence, tokens, one, cues, plain=0.85) if joined and _is_telling(tokens, one) else None
    if _is_joined(tokens, one, before) or last in ("after", "once", "when"):
        return _made(sentence, tokens, one, cues, plain=0.8)
    return _by_name(sentence, tokens, one, before, cues)


def _is_joined(tokens: Sequence[Token], one: Occurrence, before: Sequence[str]) -> bool:
    """Whether a verb goes on with what somebody did: "restarted redis and capped the pool"."""
    place = one.index - 1
    while place >= 0 and tokens[place].low in ADVERBS - {"and", "to"}:
        place -= 1
    if place < 0 or tokens[place].low not in ("and", "then", "or"):
        return False
    follow = tokens[one.after] if one.after < len(tokens) else None
    doers = set(before) & PEOPLE or any(
        other.form is Form.PAST and other.index < place for other in occurrences(tokens[:place])
    )
    return bool(doers) and (follow is None or not follow.is_word or follow.low not in ("by", "itself", "themselves"))


def _present(
    sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str], cues: Sequence[OutcomeCue]
) -> DeedFound | None:
    """A deed told in the present, as timelines do: "Maria restarts redis, errors continue"."""
    found = _by_name(sentence, tokens, one, before, cues)
    logged = CLOCKED.match(sentence) is not None
    return replace(found, plain=0.75, needs_outcome=not logged) if found is not None else None


def _by_people(tokens: Sequence[Token], one: Occurrence) -> bool:
    after = [token.low for token in tokens[one.after : one.after + 8]]
    return "to" in after or ("by" in after and any(word in PEOPLE for word in after))


def _metric_first(nouns: Sequence[str]) -> bool:
    """Whether what was raised is a measure rather than a setting: "increased error rates"."""
    return nouns[0] in METRICS and not set(nouns) & {"limit", "limits", "size", "pool", "to", "from", "max"}


def _is_telling(tokens: Sequence[Token], one: Occurrence) -> bool:
    """Whether a verb at the beginning tells a deed, rather than describing the noun behind it: "Failed requests"."""
    rest = [token.low for token in tokens[one.after :]]
    return not (rest and rest[0] not in DETERMINERS and any(word in BE for word in rest[1:3]))


def _by_name(
    sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str], cues: Sequence[OutcomeCue]
) -> DeedFound | None:
    """A deed whose doer has a name: "Maria restarted redis", but not "Redis restarted"."""
    place = one.index - 1
    while place >= 0 and tokens[place].low in ADVERBS:
        place -= 1
    if place < 0:
        return None
    name, follow = tokens[place].text, tokens[one.after] if one.after < len(tokens) else None
    handle = sentence[: tokens[place].start].endswith("@")
    named = handle or (name[:1].isupper() and name[1:].islower() and name.isalpha() and name.lower() not in PRODUCTS)
    has_object = follow is not None and (
        follow.low in DETERMINERS or (follow.is_word and follow.low not in LINKS | ADVERBS)
    )
    starts = place == 0 or tokens[place - 1].text in BREAKS or tokens[place - 1].low in LINKS or handle
    if named and has_object and starts and name.lower() not in BY_FORM and name.lower() not in METRICS | NOBODY:
        return _made(sentence, tokens, one, cues, plain=0.85, by=name)
    if any(word in PEOPLE for word in before[-5:]) and has_object and not set(before[-3:]) & DETERMINERS:
        return _made(sentence, tokens, one, cues, plain=0.75)
    return None


def _bare(
    sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str], cues: Sequence[OutcomeCue]
) -> DeedFound | None:
    told = [word for word in before if word not in ADVERBS or word in ("to", "and")]
    if told and told[-1] == "to":
        if any(word in DID_TO for word in told[-4:-1]) and not set(told[-4:]) & MODALS:
            return _made(sentence, tokens, one, cues, plain=0.7 if "decided" in told else 0.85)
        return None
    if told and told[-1] == "and" and "to" in told and set(told) & DID_TO:
        return _made(sentence, tokens, one, cues, plain=0.7)
    if told and told[-1] in PRESENT:
        logged = CLOCKED.match(sentence) is not None
        return _made(sentence, tokens, one, cues, plain=0.7, needs_outcome=not logged)
    if told and told[-1] == "did":
        return _made(sentence, tokens, one, cues, plain=0.8)
    if not told and cues and re.search(r"[:→—–]|->|=>", sentence[tokens[one.index].end : cues[0].start + 1]):
        # "Restart redis: no effect."
        return _made(sentence, tokens, one, cues, plain=0.65, needs_outcome=True)
    return None


def _gerund(
    sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str], cues: Sequence[OutcomeCue]
) -> DeedFound | None:
    told = [word for word in before if word not in ADVERBS]
    near = told[-3:]
    if before[-1:] in (["and"], ["or"]) or near == ["no", "amount", "of"]:
        return _made(sentence, tokens, one, cues, plain=0.85, needs_outcome=True)
    if set(near[-2:]) & NOT_ING and not set(near[-1:]) & {"by", "after", "tried"}:
        return None
    if near[-2:] == ["ended", "up"] or (len(told) == 1 and _follows(tokens, one, "of")):
        # "ended up rebuilding the index", "vertical scaling of the primary".
        return _made(sentence, tokens, one, cues, plain=0.85, needs_outcome=near[-1] != "up")
    if near and near[-1] in BE:
        people = any(word in PEOPLE for word in told)
        return _made(sentence, tokens, one, cues, plain=0.6) if people else None
    if set(near) & {"tried", "attempted"}:
        return _made(sentence, tokens, one, cues, plain=0.9)
    if near and near[-1] in DID_ING:
        if near[-1] == "kept" and not any(word in PEOPLE for word in told):
            return None
        return _made(sentence, tokens, one, cues, plain=0.85, needs_outcome=near[-1] in ("with", "while", "via", "and"))
    if not near or set(near) & EITHER or near[-1] in ("but", "that", "unfortunately", "and", "or", "only"):
        return _made(sentence, tokens, one, cues, plain=0.9, needs_outcome=True)
    return None


def _follows(tokens: Sequence[Token], one: Occurrence, word: str) -> bool:
    return one.after < len(tokens) and tokens[one.after].low == word


def _noun(
    sentence: str, tokens: Sequence[Token], one: Occurrence, before: Sequence[str], cues: Sequence[OutcomeCue]
) -> DeedFound | None:
    last = before[-1] if before else ""
    if last in MENTIONED or set(before[-3:]) & NEEDED:
        # "removed from rotation", "the cost of a restart": no deed of this sentence.
        return None
    if set(before[-4:]) & (NEGATIONS - EITHER) and "after" not in before:
        return None
    follow = {token.low for token in tokens[one.after : one.after + 3]}
    by_deed = bool(set(before[-4:]) & DONE) or bool(follow & FINISHED)
    if by_deed or last in DID_NOUN or not before or set(before[-3:]) & DETERMINERS:
        return _made(sentence, tokens, one, cues, plain=0.85 if by_deed else 0.8, needs_outcome=not by_deed, noun=True)
    return _made(sentence, tokens, one, cues, plain=0.7, needs_outcome=True, noun=True)


def _made(
    sentence: str,
    tokens: Sequence[Token],
    one: Occurrence,
    cues: Sequence[OutcomeCue],
    *,
    plain: float,
    by: str = "",
    passive: bool = False,
    noun: bool = False,
    needs_outcome: bool = False,
) -> DeedFound:
    """The deed as a short clause in the past tense, however it was put."""
    start, end = tokens[one.index].start, tokens[one.after - 1].end
    past = NOUNS[tokens[one.index].low][1] if noun and tokens[one.index].low in NOUNS else one.past
    rest, stop = _object_after(sentence, tokens, one, cues)
    given = _object_before(sentence, tokens, one) if passive else ""
    if noun:
        rest = re.sub(
            r"^(?:of|to|on|for)\s+", lambda match: "" if match.group().strip() == "of" else match.group(), rest
        )
        rest = rest or _noun_before(tokens, one)
    action = " ".join(part for part in (past, given, rest) if part)
    return DeedFound(one.deed, start, max(end, stop), action, plain, by, needs_outcome=needs_outcome)


def _object_after(
    sentence: str, tokens: Sequence[Token], one: Occurrence, cues: Sequence[OutcomeCue]
) -> tuple[str, int]:
    """The words behind the verb that belong to it, and where they end."""
    last: Token | None = None
    for count, place in enumerate(range(one.after, len(tokens))):
        token = tokens[place]
        ends = token.text in BREAKS or token.low in LINKS - {"and", "or", "as"} or count >= ACTION_WORDS_MAX
        if count and token.low in DETERMINERS and tokens[place - 1].is_word and tokens[place - 1].low not in JOINTS:
            # "the restart of zookeeper the brokers": another clause begins.
            break
        if ends or any(cue.start <= token.start < cue.end for cue in cues) or token.low in AUXILIARIES:
            break
        if token.low in ("and", "or") and place + 1 < len(tokens) and _goes_on(tokens, place + 1, cues):
            break
        if place != one.particle:
            last = token
    if last is None:
        return "", 0
    text = sentence[tokens[one.after].start : last.end]
    if one.particle is not None and one.after <= one.particle and tokens[one.particle].start < last.end:
        apart = tokens[one.particle]
        text = sentence[tokens[one.after].start : apart.start] + sentence[apart.end : last.end]
    return _tidy(text), last.end


def _goes_on(tokens: Sequence[Token], place: int, cues: Sequence[OutcomeCue]) -> bool:
    """Whether behind an "and" comes a new statement rather than another object."""
    token = tokens[place]
    skipped = tokens[place + 1] if token.low in ADVERBS and place + 1 < len(tokens) else token
    starts_cue = any(cue.start <= one.start < cue.end for one in (token, skipped) for cue in cues)
    return bool(BY_FORM.get(skipped.low)) or starts_cue or token.low in PEOPLE or token.low in ("it", "that", "this")


def _object_before(sentence: str, tokens: Sequence[Token], one: Occurrence) -> str:
    """What a passive verb was done to: "the pool size" in "the pool size was then raised"."""
    place = one.index - 1
    while place >= 0 and tokens[place].low in ADVERBS | BE | HAVE:
        place -= 1
    end = place
    while place >= 0 and tokens[place].text not in BREAKS and tokens[place].low not in LINKS | {"at", "that"}:
        if not tokens[place].is_word:
            break
        if tokens[place].low in BE:
            # "the job was suspended and moved": both were done to the job.
            end = place - 1
        place -= 1
    begin = place + 1
    while begin <= end and tokens[begin].low in ADVERBS:
        begin += 1
    if begin > end:
        return ""
    text = _tidy(sentence[tokens[begin].start : tokens[end].end])
    return text[0].lower() + text[1:] if tokens[begin].low in DETERMINERS else text


def _noun_before(tokens: Sequence[Token], one: Occurrence) -> str:
    """What a noun is about when it stands before it: "redis" in "a redis restart"."""
    place = one.index - 1
    found: list[str] = []
    while place >= 0 and tokens[place].is_word and len(found) < 4:
        low = tokens[place].low
        if low in DETERMINERS | DID_NOUN | PEOPLE | ADVERBS | LINKS | DONE:
            break
        found.append(tokens[place].text)
        place -= 1
    return " ".join(reversed(found))


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("`", "").replace("*", "")).strip(" ,;:-")
