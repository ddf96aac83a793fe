"""One change of a hunk woven into today's lines: by whole lines where they are clean, by tokens where not."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from hindcast.model.code import Tongue
from hindcast.propose.carry.laid import Group, Laid, telling
from hindcast.propose.carry.layout import Shift, deepened, ended, guess_unit, indent_of, steps_between, unit_of
from hindcast.propose.carry.lex import Sort, lex
from hindcast.propose.carry.merge import merged
from hindcast.propose.carry.splice import Splice
from hindcast.propose.carry.wording import Wording, wording

# A line that tells less than this (`return None`, a brace) may stand anywhere twice.
REPEATED_TELLING_MIN = 1.5


class Loom:
    """Weaves the changes of one hunk, laid on a file."""

    def __init__(self, old: Sequence[str], new: Sequence[str], laid: Laid) -> None:
        self._old, self._laid, self._today = old, laid, laid.today
        self._wording: Wording = wording(laid)
        self._unit = unit_of(self._today.lines, self._today.tongue)
        self._old_unit = guess_unit(old) or guess_unit(new) or self._unit

    def weave(self, group: Group) -> Splice | None:
        """A change as lines of today; None where it would have to be guessed."""
        if not any(line.strip() for line in group.removed):
            return self._inserted(group)
        if self._is_reformatted(group):
            return merged(group, self._laid, self._wording, self._shift(group)) or self._replaced(group)
        return self._replaced(group) or merged(group, self._laid, self._wording, self._shift(group))

    def _is_reformatted(self, group: Group) -> bool:
        """Whether the lines that change are more or fewer today, as a formatter made them."""
        if len(group.removed) != len(group.added):
            return False
        lines = sum(bool(line.strip()) for line in group.removed)
        images = self._laid.images(group.old_at, group.old_at + len(group.removed))
        return len({self._today.tokens[image].line for image in images}) != lines

    # --- Lines that come in -------------------------------------------------------------------------------------

    def _inserted(self, group: Group) -> Splice | None:
        before = self._neighbour(range(group.old_at - 1, -1, -1))
        after = self._neighbour(range(group.old_at + len(group.removed), len(self._old)))
        shift = self._shift(group)
        # A line further off says too little: what stood next to the change may have come to stand elsewhere.
        is_behind = before is not None and not any(line.strip() for line in self._old[before + 1 : group.old_at])
        is_ahead = after is not None and not any(
            line.strip() for line in self._old[group.old_at + len(group.removed) : after]
        )
        if shift is None or not (is_behind or is_ahead):
            return None
        lines = self._worded(group.added, shift)
        if before is not None and after is not None:
            above, below = self._end(before), self._begin(after)
            if below <= above:
                return merged(group, self._laid, self._wording, shift) if below == above else None
            if is_behind:
                at = self._between(group, before, above, below, lines)
            else:
                at = self._above_decorators(below, lines)
            if at == below and not is_ahead and self._has_code(above + 1, below):
                return None
        elif before is not None:
            at = self._end(before) + 1
        else:
            assert after is not None
            at = self._above_decorators(self._begin(after), lines)
        if not self._is_whole(at):
            return merged(group, self._laid, self._wording, shift)
        return None if self._is_repeated(lines, at) else Splice(at, at, tuple(lines))

    def _is_repeated(self, lines: Sequence[str], at: int) -> bool:
        """Whether a line that tells something would stand next to itself."""
        near = {_key(line, self._today.tongue) for line in self._today.lines[max(at - 1, 0) : at + 1]}
        return any(
            _key(line, self._today.tongue) in near
            for line in lines
            if telling(lex(line, self._today.tongue)) >= REPEATED_TELLING_MIN
        )

    def _between(self, group: Group, before: int, above: int, below: int, lines: Sequence[str]) -> int:
        """Behind the line before, unless what today has in between belongs to that line's block."""
        blanks = sum(not self._old[line].strip() for line in range(before + 1, group.old_at))
        at = above + 1
        while blanks and at < below and not self._today.lines[at].strip():
            at, blanks = at + 1, blanks - 1
        depth = len(indent_of(next((line for line in lines if line.strip()), "")))
        between = [line for line in self._today.lines[at:below] if line.strip()]
        if between and len(indent_of(between[0])) > depth:
            return self._above_decorators(below, lines)
        return at

    def _above_decorators(self, at: int, lines: Sequence[str]) -> int:
        if any(line.lstrip().startswith("@") for line in lines):
            return at
        while at > 0 and self._today.lines[at - 1].lstrip().startswith("@"):
            at -= 1
        return at

    def _is_whole(self, at: int) -> bool:
        """Whether a new line may begin here: not in the middle of a token."""
        return not any(
            token.line < at <= self._today.last_line(index)
            for index, token in enumerate(self._today.tokens)
            if token.sort in (Sort.STRING, Sort.COMMENT) and token.line < at
        )

    def _neighbour(self, lines: range) -> int | None:
        """The nearest line of the snippet whose counterpart is certain."""
        for line in lines:
            indexes = self._laid.of_lines(line, line + 1)
            if indexes and self._laid.support(indexes) >= 0.6:
                return line
        return None

    # --- Lines that change --------------------------------------------------------------------------------------

    def _replaced(self, group: Group) -> Splice | None:
        """Whole lines for whole lines; what was only moved in or out keeps the form it has today."""
        first, after = group.old_at, group.old_at + len(group.removed)
        images = self._laid.images(first, after)
        if not images:
            return None
        top, bottom = self._today.tokens[images[0]].line, self._today.last_line(images[-1])
        shift = self._shift(group)
        if shift is None:
            return None
        tongue = self._today.tongue
        keys = [_key(line, tongue) for line in group.removed]
        matcher = SequenceMatcher(None, keys, [_key(line, tongue) for line in group.added], autojunk=False)
        made: list[str] = []
        reached = top
        for what, old_from, old_to, new_from, new_to in matcher.get_opcodes():
            added = group.added[new_from:new_to]
            if what == "insert":
                made += self._worded(added, shift)
                continue
            span = self._span(first + old_from, first + old_to, keep=what == "equal")
            if span is None:
                if any(keys[old_from:old_to]):
                    return None
                made += self._worded(added, shift)
                continue
            if span[0] < reached or (what != "equal" and self._has_code(reached, span[0])):
                return None
            if what == "equal":
                # What today has before these lines goes with them.
                made += self._moved(range(reached, span[1]), group.removed[old_from:old_to], added)
            else:
                made += self._worded(added, shift)
            reached = span[1]
        if reached != bottom + 1:
            return None
        return Splice(top, bottom + 1, tuple(made))

    def _span(self, first: int, after: int, *, keep: bool) -> tuple[int, int] | None:
        """The lines of today that are these lines and nothing else; more may be in between when they are kept."""
        images = self._laid.images(first, after)
        if not images or self._laid.missing(self._laid.of_lines(first, after)):
            return None
        top, bottom = self._today.tokens[images[0]].line, self._today.last_line(images[-1])
        own = set(images)
        edges = (top, bottom) if keep else range(top, bottom + 1)
        foreign = {one for line in edges for one in self._today.by_line.get(line, ()) if one not in own}
        if keep:
            foreign = {one for one in foreign if not images[0] <= one <= images[-1]}
            foreign = {one for one in foreign if self._today.tokens[one].sort is not Sort.COMMENT}
        wrapping = [self._today.tokens[one].key for one in sorted(foreign)]
        if foreign and wrapping not in (["(", ")"], [";"], [","]):
            return None
        return top, bottom + 1

    def _has_code(self, first: int, after: int) -> bool:
        return any(self._today.by_line.get(line) for line in range(first, after))

    def _moved(self, lines: range, removed: Sequence[str], added: Sequence[str]) -> list[str]:
        """Today's own lines, as much deeper as the diff made theirs."""
        was = next((indent_of(line) for line in removed if line.strip()), "")
        now = next((indent_of(line) for line in added if line.strip()), "")
        levels = steps_between(was, now, self._old_unit)
        found = []
        inside = {
            line
            for index, token in enumerate(self._today.tokens)
            if token.sort is Sort.STRING and token.line in lines
            for line in range(token.line + 1, self._today.last_line(index) + 1)
        }
        for at in lines:
            line = self._today.lines[at]
            if not line.strip() or at in inside:
                found.append(line)
            else:
                found.append(deepened(indent_of(line), levels, self._unit) + line.lstrip(" \t"))
        return found

    # --- Where lines begin --------------------------------------------------------------------------------------

    def _worded(self, lines: Sequence[str], shift: Shift) -> list[str]:
        """Added lines in today's words and at today's depth."""
        if not lines:
            return []
        text = self._wording.text("\n".join(lines))
        return ended([shift.line(line) for line in text.split("\n")], self._today.lines, self._today.tongue)

    def _shift(self, group: Group) -> Shift | None:
        """Measured at a line that both have: one that changes, or the nearest, best one as deep as what is added."""
        first, after = group.old_at, group.old_at + len(group.removed)
        wanted = next((indent_of(line) for line in group.added if line.strip()), "")
        near = [*range(first, after)]
        around = sorted(
            (line for line in range(len(self._old)) if not first <= line < after),
            key=lambda line: min(abs(line - first), abs(line - after + 1)),
        )
        known = [(line, today) for line in (*near, *around) if (today := self._today_indent(line)) is not None]
        if not known:
            return None
        own = [one for one in known if first <= one[0] < after]
        level = [one for one in known[:6] if indent_of(self._old[one[0]]) == wanted]
        line, today = (own or level or known)[0]
        return Shift(indent_of(self._old[line]), today, old_unit=self._old_unit, today_unit=self._unit)

    def _today_indent(self, line: int) -> str | None:
        """How deep a line of the snippet is today; None where it does not begin a line."""
        indexes = self._laid.of_lines(line, line + 1)
        if not indexes or self._laid.support(indexes) < 0.6:
            return None
        image = self._laid.image(indexes[0])
        if image < 0:
            image = min((one for one in map(self._laid.image, indexes) if one >= 0), default=-1)
        if image < 0:
            return None
        at = self._today.tokens[image].line
        leading = self._today.by_line[at][0]
        # `await` and `async` may have come before it.
        if leading != image and any(
            self._today.tokens[one].key not in ("await", "async", "export", "self", ".", "this")
            for one in range(leading, image)
        ):
            return None
        return indent_of(self._today.lines[at])

    def _begin(self, line: int) -> int:
        return self._today.tokens[self._laid.images(line, line + 1)[0]].line

    def _end(self, line: int) -> int:
        return self._today.last_line(self._laid.images(line, line + 1)[-1])


def _key(line: str, tongue: Tongue) -> tuple[str, ...]:
    """What two lines are compared by."""
    return tuple(token.key for token in lex(line, tongue))
