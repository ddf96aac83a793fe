"""A postmortem's structure: front matter, headings of all styles, labels, tables; each part with the field it is about.

Nobody agrees on names ("Root cause", "Why it happened", "What broke"), so a part is known by the words of its name. A
part whose name says nothing keeps its text and has no field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hindcast.learn.layout import flattened
from hindcast.learn.roles import NAME_WORDS_MAX, Field, field_of
from hindcast.model.action_words import BY_FORM

PAGE_CHARS_MAX = 400_000


# Fields that are values rather than stories.
_VALUES = (
    Field.STATUS, Field.DATE, Field.SEVERITY, Field.DURATION, Field.START, Field.END, Field.RESPONDERS, Field.SERVICES,
    Field.COMPONENTS, Field.LINKS, Field.TITLE, None,
)  # fmt: skip

_FRONT = re.compile(r"\A\ufeff?---[ \t]{0,40}\n(.*?)\n---[ \t]{0,40}\n", re.S)
_PAIR = re.compile(r"^([^\W\d_][\w .-]{0,40}?)\s{0,20}:\s{0,20}(.*)$")
_ATX = re.compile(r"^ {0,3}(#{1,6})\s{1,20}(.{1,200}?)\s{0,20}#{0,20}\s{0,20}$")
_SETEXT = re.compile(r"^ {0,3}(=+|-{3,})\s{0,20}$")
_BOLD_LINE = re.compile(r"^\s{0,20}(?:[-*+]\s{1,20})?(\*{1,3}|__)([^*_\s].{1,59}?)\1\s{0,20}:?\s{0,20}$")
_NAME = r"([^\W\d_][\w /&'’()?¿.-]{1,68}?)"
_LABEL = re.compile(rf"^(\s{{0,20}}(?:[-*+•]\s{{1,20}}|>\s{{0,20}})?){_NAME}:(?:\s{{1,20}}(.*))?$")
_BOLD_LABEL = re.compile(
    rf"^(\s{{0,20}}(?:[-*+•]\s{{1,20}}|>\s{{0,20}})?)(?P<mark>\*{{1,3}}|__){_NAME}[:.?]?\s{{0,20}}(?P=mark)\s{{0,20}}[:–—-]?(?:\s{{1,20}}(.*))?$"
)
_ROW = re.compile(
    r"^\s{0,20}\|\s{0,20}(?:\*\*)?([^|]{2,60}?)(?:\*\*)?\s{0,20}\|\s{0,20}(\S.{0,400}?)\s{0,20}\|?\s{0,20}$"
)
_RULE_ROW = re.compile(r"^\s{0,200}\|?[\s:|-]{1,200}\|?\s{0,200}$")
_INLINE = re.compile(
    r"(?<=[.!?)”\"])\s{1,20}((?:Preliminary |Customer |Final )?(?:[Rr]oot [Cc]ause|Mitigation|Resolution|Next [Ss]teps|"
    r"Impact|Customer [Ii]mpact|Workaround|Timeline|Detection|Trigger|Summary|Cause|Fix|Lessons [Ll]earned|"
    r"Action [Ii]tems)"
    r"(?: and [Mm]itigation)?):\s"
)
_FENCED = re.compile(r"^\s{0,20}(```|~~~)")
_PLAIN_HEAD = re.compile(r"^(?:\d{1,2}[.)]\s{1,20})?[^\W\d_a-z][\w '’&/?¿-]{2,50}:?$")


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of a page: what it is about, and what stands in it."""

    name: str
    field: Field | None
    text: str
    # How deep its name stands: 1 for the top heading, larger for what is inside of it.
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Page:
    """A page taken apart."""

    title: str
    parts: tuple[Part, ...]
    # Everything but the front matter, as it was written.
    text: str

    def of(self, *fields: Field) -> tuple[Part, ...]:
        """The parts about some fields that hold any text, in their order."""
        return tuple(part for part in self.parts if part.field in fields and part.text.strip())


def page_of(text: str) -> Page:
    """The structure of a Markdown page or of plain text."""
    text = text[:PAGE_CHARS_MAX].replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT.match(text)
    given = list(_front_parts(front.group(1))) if front else []
    body = text[front.end() :] if front else text
    parts = [*given, *_parts(_INLINE.sub(lambda match: f"\n\n{match.group(1)}: ", flattened(body)))]
    return Page(_title(parts, body), tuple(_retrospective(parts)), body)


def _front_parts(text: str) -> Iterator[Part]:
    """The front matter, as far as it is lines of `name: value` with lists."""
    name, values = "", list[str]()
    for line in [*text.splitlines(), "end:"]:
        match = _PAIR.match(line)
        if match and not line.startswith((" ", "\t", "-")):
            if name and values:
                yield Part(name, field_of(name), "\n".join(values), depth=0)
            name, values = match.group(1), [value] if (value := match.group(2).strip().strip("\"'")) else []
        elif line.strip():
            values.append(line.strip())


def _parts(body: str) -> Iterator[Part]:
    current = Part("", None, "", 1)
    indent, fenced = 0, False
    lines: list[str] = []
    section: Part | None = None
    every = body.split("\n")
    for number, line in enumerate(every):
        if _FENCED.match(line):
            fenced = not fenced
        elif not fenced and _RULE_ROW.match(line) and "|" in line:
            continue
        follow = every[number + 1] if number + 1 < len(every) else ""
        if (
            not fenced
            and _SETEXT.match(line)
            and lines
            and lines[-1].strip() == ""
            and number
            and every[number - 1].strip()
        ):
            continue
        started = None if fenced else _started(line, follow, current, indent)
        if started is None and _is_over(current, lines, line):
            started = Part("", section.field if section else None, "", 7), line, indent
        if started is None:
            lines.append(line)
            continue
        yield replace(current, text="\n".join(lines).strip("\n"))
        part, rest, indent = started
        if part.depth <= 6:
            # A heading without a meaning of its own belongs to the section it stands in.
            if part.field is None and section is not None and part.depth > section.depth:
                part = replace(part, field=section.field)
            section = part if part.field is not None or section is None or part.depth <= section.depth else section
        current, lines = part, [rest]
    yield replace(current, text="\n".join(lines).strip("\n"))


def _is_over(current: Part, lines: list[str], line: str) -> bool:
    """Whether a label that holds a value on its own line ends here: a paragraph that follows is not part of it."""
    # A plain label with its text beside it holds one paragraph.
    valued = current.depth >= 7 and (current.field in _VALUES or current.depth == 9) and bool(current.name)
    return valued and len(lines) > 1 and bool(lines[0].strip()) and not lines[-1].strip() and bool(line[:1].strip())


def _started(line: str, follow: str, current: Part, indent: int) -> tuple[Part, str, int] | None:
    """The part that begins with a line, what else stands on it, and how far it is indented; None: it goes on."""
    if match := _ATX.match(line):
        name = match.group(2).strip("*_ ")
        return Part(name, field_of(name), "", len(match.group(1))), "", 0
    if line.strip() and _SETEXT.match(follow) and not line.lstrip().startswith(("|", "-", "*", ">")):
        depth = 1 if follow.strip().startswith("=") else 2
        return Part(line.strip(), field_of(line), "", depth), "", 0
    if match := _BOLD_LINE.match(line):
        if not re.match(r"\d", match.group(2)):
            name = match.group(2).strip(": ")
            return _labelled(name, line, current, indent)
        return None
    if match := _BOLD_LABEL.match(line):
        return _labelled(match.group(3).strip(), line, current, indent, match.group(4) or "")
    if match := _LABEL.match(line):
        if _is_label(match.group(2).strip(), match.group(1), current):
            started = _labelled(match.group(2).strip(), line, current, indent, match.group(3) or "")
            return (replace(started[0], depth=9), *started[1:]) if started and match.group(3) else started
        return None
    if (match := _ROW.match(line)) and not _RULE_ROW.match(line):
        known = field_of(match.group(1))
        if known is not None and match.group(2).count("|") == 0 and current.field is not Field.TIMELINE:
            return Part(match.group(1), known, "", 8), match.group(2), 0
        return None
    if _PLAIN_HEAD.match(line) and field_of(line) is not None and len(line.split()) <= 4 and follow.strip() != "":
        return Part(line.strip(": "), field_of(line), "", 5), "", 0
    return None


def _is_label(name: str, mark: str, current: Part) -> bool:
    """Whether a few words before a colon name a part, rather than an action: "Rolled the fix back: no change"."""
    if field_of(name) is None or len(name.split()) > NAME_WORDS_MAX or name.lower().startswith("http"):
        return False
    words = name.lower().split()
    if len(words) > 1 and words[0] in BY_FORM and words[0] not in ("fix", "fixed", "fixes"):
        return False
    if {"was", "is", "were", "are"} & set(words[1:]) and not name.endswith("?"):
        # A sentence with a colon in it.
        return False
    item = bool(mark.strip())
    return not (item and current.field in (Field.ATTEMPTS, Field.RESOLUTION, Field.CAUSE))


def _retrospective(parts: list[Part]) -> Iterator[Part]:
    """The parts, with "What went wrong" beside "What went well" as what it is there: a lesson and no cause."""
    looks_back = any("went well" in part.name.lower() or "went right" in part.name.lower() for part in parts)
    for part in parts:
        yield replace(part, field=Field.ACTIONS) if looks_back and "went wrong" in part.name.lower() else part


def _labelled(name: str, line: str, current: Part, indent: int, rest: str = "") -> tuple[Part, str, int] | None:
    """A label starts a part unless it is a detail of the part it stands in."""
    width = len(line) - len(line.lstrip())
    inside = current.depth >= 7 and width > indent
    if current.field in (Field.TIMELINE, Field.ACTIONS) and (inside or current.depth < 7) and field_of(name) is None:
        return None
    if inside and current.field is Field.ACTIONS:
        return None
    return Part(name, field_of(name), "", 7), rest.strip(), width


def _title(parts: list[Part], body: str) -> str:
    """What the page calls itself: its top heading, its front matter, or its first line."""
    given = next((part.text for part in parts if part.depth == 0 and part.field is Field.TITLE and part.text), "")
    head = next(
        (part.name for part in parts if 1 <= part.depth <= 2 and part.name and part.field in (None, Field.TITLE)), ""
    )
    labelled = next((part.text.split("\n")[0] for part in parts if part.field is Field.TITLE and part.text), "")
    first = next((line for line in body.splitlines() if line.strip()), "")
    title = given or head or labelled or first
    title = re.sub(r"^[\s#>*_-]{1,40}|[\s{0,20}_#]{1,40}$", "", title)
    title = re.sub(r"^(?:post[- ]?mortem|incident (?:report|review)|rca)\s{0,20}[:–—-]\s{0,20}", "", title, flags=re.I)
    return title.strip()[:300]
