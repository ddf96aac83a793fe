"""What people said one after the other: chats, mail, tickets and issues with comments, by speaker and time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from hindcast.learn.moments import moments_in, zone_of
from hindcast.learn.roles import field_of

# So many lines with a speaker make a chat, and so many headings with a speaker make a thread.
LINES_MIN = 3
HEADINGS_MIN = 2
# Of all lines of a chat, so many have to begin with a speaker where each message is one line.
SHARE_MIN = 0.5

_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}\.? [A-Za-z]{3,9}\.?,? \d{4}|"
    r"[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4})"
)
_TIME = (
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s{0,20}[AaPp]\.?[Mm]\.?)?(?:\s{0,20}(?:UTC|GMT|Z|CES?T|[+-]\d\d:?\d\d))?"
)
_AT = rf"(?:{_DAY}(?:\s{{1,20}}at)?[ T,]{{1,10}})?{_TIME}"
_WHO = r"@?[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2}(?: \([^()\n]{1,30}\))?"
_IN_LINE = (
    re.compile(
        rf"^[\s>↳*-]{{0,40}}\[?(?P<at>{_AT})\]?\s{{0,20}}[-–—|,]?\s{{0,20}}(?:<@?(?P<a>{_WHO})>|(?P<b>{_WHO})\s{{0,20}}[:>])\s{{1,20}}(?P<text>\S.*)$"
    ),
    re.compile(
        rf"^[\s>↳*-]{{0,40}}(?P<a>{_WHO})\s{{0,20}}[\[(](?P<at>{_AT})[\])]\s{{0,20}}:?\s{{1,20}}(?P<text>\S.*)$"
    ),
    re.compile(rf"^[\s↳]{{0,40}}\[?(?P<at>{_TIME})?\]?\s{{0,20}}<@?(?P<a>{_WHO})>\s{{1,20}}(?P<text>\S.*)$"),
)
_HEADING = (
    re.compile(
        rf"^[\s↳#*_>]{{0,40}}(?P<a>{_WHO})[*_]{{0,6}}(?:\s{{1,20}}APP)?\s{{0,20}}[,|·•—–-]{{0,6}}\s{{0,20}}[\[(]?(?P<at>{_AT})[\])]?\s{{0,20}}:?\s{{0,20}}$"
    ),
    re.compile(rf"^\s{{0,20}}\[(?P<at>{_AT})\]\s{{1,20}}(?P<a>{_WHO})\s{{0,20}}:?\s{{0,20}}$"),
)
_COMMENT = (
    re.compile(
        rf"^[\s#*_>@-]{{0,40}}(?P<a>{_WHO})[*_]{{0,6}},?\s{{1,20}}(?:added a comment|commented|wrote|"
        rf"opened(?: this(?: issue)?)?|"
        rf"replied|posted|said|updated|closed(?: this)?|reopened|"
        r"created(?: this)?|a écrit|schrieb|escribió|hat geschrieben|reported)\b(?P<rest>.*)$"
    ),
    re.compile(
        rf"^[\s#*_>-]{{0,40}}(?:Comment|Reply|Update|Note|Worklog)(?:\s{{1,20}}#?\d+)?\s{{1,20}}(?:by|from)\s{{1,20}}(?P<a>{_WHO})(?P<rest>\W.*)$",
        re.I,
    ),
    re.compile(
        rf"^[\s>]{{0,40}}(?:On|Am|Le|El)\s{{1,20}}(?P<rest>.{{6,60}}?),?\s{{1,20}}(?P<a>{_WHO})"
        rf"(?:\s{{1,20}}<[^<>\s]{{1,200}}>)?\s{{1,20}}(?:wrote|schrieb|a "
        rf"écrit|escribió)\s{{0,20}}:\s{{0,20}}$"
    ),
)
_MAIL = re.compile(
    r"^[\s>]{0,40}\**(?:From|Von|De)\**:\s{0,20}\**\s{0,20}\"?(?P<a>[^<\"\n]{2,60}?)\"?\s{0,20}(?:<[^<>\s]{0,400}>)?\s{0,20}$"
)
_MAIL_FIELD = re.compile(
    r"^[\s>]{0,40}\**(?P<name>To|Cc|Date|Sent|Subject|An|Datum|Gesendet|Betreff|Para|Fecha|Asunto|"
    r"Reply-To)\**:\s{0,20}(?P<value>.*)$",
    re.I,
)
_REPLY = re.compile(r"^(?:(?:re|fwd?|aw|wg|rv|tr)\s{0,20}:\s{0,20})+", re.I)
_ONLY_DAY = re.compile(rf"^[\s\-–—=_*#]{{0,40}}(?:[A-Za-z]{{3,9}},?\s{{1,20}})?(?P<day>{_DAY})[\s\-–—=_*]{{0,40}}$")
_BOT = re.compile(
    r"bot\b|pager|alertmanager|datadog|grafana|opsgenie|statuspage|sentry|jenkins|^system$|^app$|incident\.io|jira$",
    re.I,
)
_CLOSED = re.compile(r"\b(?:closed|resolved)\b", re.I)


@dataclass(frozen=True, slots=True)
class Line:
    """Something said or noted: by whom, when."""

    text: str
    at: datetime | None = None
    by: str = ""
    naive: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """A chat, a thread or a ticket: what stands before the first speaker, then what was said, in the order of time."""

    before: str
    lines: tuple[Line, ...]
    # What it calls itself, if it does.
    title: str = ""
    # Whether its speakers write in turns of a chat: many short messages.
    is_chat: bool = False

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who spoke, in their order, without machines."""
        return tuple(dict.fromkeys(line.by for line in self.lines if line.by and not _BOT.search(line.by)))


@dataclass(slots=True)
class _Mark:
    """A line that begins with a speaker."""

    number: int
    by: str
    at: str
    text: str
    kind: str


def talk_of(text: str, *, day: date | None = None) -> Talk | None:
    """The conversation that a text is; None where it is none. `day` is that of clocks without one."""
    lines = text.split("\n")
    marks = list(_marks(lines))
    inline = [mark for mark in marks if mark.kind == "line"]
    filled = sum(1 for line in lines if line.strip())
    if len(inline) >= LINES_MIN and len(inline) >= SHARE_MIN * filled:
        return _talk(lines, inline, day, is_chat=True)
    for kind, least in (("comment", HEADINGS_MIN), ("mail", HEADINGS_MIN), ("heading", LINES_MIN)):
        chosen = [mark for mark in marks if mark.kind == kind]
        if len(chosen) >= least:
            return _talk(lines, chosen, day, is_chat=kind == "heading")
    return None


def _marks(lines: Sequence[str]) -> Iterator[_Mark]:
    fenced = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or not line.strip():
            continue
        mark = _mark(number, line[:2_000])
        if mark is not None and field_of(mark.by) is None:
            yield mark


def _mark(number: int, line: str) -> _Mark | None:
    if len(line) < 200:
        if match := _MAIL.match(line):
            return _Mark(number, match["a"].strip(), "", "", "mail")
        for pattern in _COMMENT:
            if (match := pattern.match(line)) and re.search(r"\d", match["rest"]):
                return _Mark(
                    number, match["a"], match["rest"], match.group() if _CLOSED.search(line) else "", "comment"
                )
        for pattern in _HEADING:
            if match := pattern.match(line):
                return _Mark(number, match["a"], match["at"], "", "heading")
    for pattern in _IN_LINE:
        if match := pattern.match(line):
            groups = match.groupdict()
            return _Mark(number, groups.get("a") or groups.get("b") or "", match["at"] or "", match["text"], "line")
    return None


def _talk(lines: Sequence[str], marks: Sequence[_Mark], day: date | None, *, is_chat: bool) -> Talk:
    zone = zone_of("\n".join(lines))
    before = [line for line in lines[: marks[0].number] if not _MAIL_FIELD.match(line)]
    known = _day_in(lines[: marks[0].number]) or day
    title = next(
        (
            match["value"]
            for line in lines
            if (match := _MAIL_FIELD.match(line)) and match["name"].lower() in ("subject", "betreff", "asunto")
        ),
        "",
    )
    told: list[Line] = []
    for mark, follow in zip(marks, [*marks[1:], None], strict=True):
        end = follow.number if follow else len(lines)
        inside = lines[mark.number + 1 : end]
        at_text, body = mark.at, [mark.text] if mark.text else []
        for line in inside:
            field = _MAIL_FIELD.match(line) if mark.kind == "mail" else None
            if field and field["name"].lower() in ("date", "sent", "datum", "gesendet", "fecha"):
                at_text = field["value"]
            elif not field and not _is_rule(line):
                body.append(re.sub(r"^\s{0,20}(?:>\s?)+", "", line) if mark.kind in ("mail", "comment") else line)
        moments = [one for one in moments_in(_en_dates(at_text), day=known, zone=zone) if one.has_clock]
        at = moments[0].at if moments else None
        if at is not None:
            at = _not_backwards(at, told, at_text)
            known = at.date()
        text = "\n".join(body).strip()
        told.append(Line(text, at, mark.by.strip("@ *_"), bool(moments) and moments[0].naive))
        known = _day_in(inside) or known
    if all(line.at for line in told):
        told.sort(key=lambda line: (line.at is None, line.at))
    return Talk("\n".join(before).strip(), tuple(told), _REPLY.sub("", title).strip(), is_chat)


def _en_dates(text: str) -> str:
    """A time of a mail's head, with its zone where the reader of times expects it: "18:20 +0000"."""
    return re.sub(r"(\d\d:\d\d(?::\d\d)?)\s{1,20}([+-]\d{4})\b", r"\1\2", text)


def _not_backwards(at: datetime, told: Sequence[Line], written: str) -> datetime:
    """A clock without a day that runs backwards by many hours has passed midnight."""
    last = next((line.at for line in reversed(told) if line.at is not None), None)
    if last is not None and not re.search(_DAY, written) and at < last - timedelta(hours=12):
        return at + timedelta(days=1)
    return at


def _day_in(lines: Sequence[str]) -> date | None:
    """The day that a line of its own names, the last one first."""
    for line in reversed(lines):
        match = _ONLY_DAY.match(line)
        moments = moments_in(match["day"]) if match else ()
        if moments:
            return moments[0].at.date()
    return None


def _is_rule(line: str) -> bool:
    return re.fullmatch(r"[\s>]{0,40}[-_*=]{3,}\s{0,20}", line) is not None or _ONLY_DAY.match(line) is not None
