"""From a trace to today's code: which file a frame is in, and where the line that it names is by now.

A path alone is a hint. Of the files whose paths end alike, the one that has the function and the line of the frame is
meant; a file that moved is found through history. Where two files fit equally well both are given, with less
confidence, and where nothing speaks for a file none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hindcast.model.code import Place, SourceFile
from hindcast.model.errors import HindcastError
from hindcast.model.trace import Frame, Raised, Relation, Trace
from hindcast.ports import Code
from hindcast.propose.lines import Located, line_today
from hindcast.propose.printed import Printed, printed

# Frames beyond these are the runtime's loop, or a recursion that says nothing new.
FRAMES_MAX = 60
# How many files may be meant by one frame; among more than these, naming any is guessing.
RIVALS_MAX = 3
# How many files are read for one frame before giving up on telling them apart.
RIVALS_READ_MAX = 12
# A place less sure than this would send people to the wrong file.
CONFIDENCE_MIN = 0.25
# How many spellings of a path history is asked about, for one frame.
HISTORY_ASKED_MAX = 4
# Names that every package has: alone, they say nothing about where.
_EVERYWHERE = frozenset(
    {"__init__.py", "__main__.py", "index.js", "index.ts", "index.tsx", "main.go", "mod.rs", "lib.rs"}
)
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.M)
_ORDER = {Relation.CAUSE: 0, Relation.RAISED: 1, Relation.GROUP: 2, Relation.DURING: 3, Relation.SUPPRESSED: 4}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that a frame may be in: how much of the path agrees, and why it was thought of."""

    path: str
    shared: int
    confidence: float
    how: str


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A candidate that was read: where the line is in it."""

    candidate: _Candidate
    located: Located

    @property
    def confidence(self) -> float:
        return self.candidate.confidence * self.located.certainty


def locate(trace: Trace, code: Code) -> tuple[Place, ...]:
    """Where the frames of a trace are in today's code, from where it failed outwards."""
    frames = tuple(_frames(trace))[:FRAMES_MAX]
    spellings = [printed(frame, trace.language) for frame in frames]
    shelf = _Shelf(code, {spelling.parts[-1].lower() for found in spellings for spelling in found})
    weighed = [shelf.weigh(frame, found) for frame, found in zip(frames, spellings, strict=True)]
    sure = [found[0].candidate.path for found in weighed if len(found) == 1]
    places: list[Place] = []
    for depth, (frame, found) in enumerate(zip(frames, weighed, strict=True)):
        places.extend(_places(frame, _near(found, sure), depth))
    return tuple(_once(places))


class _Shelf:
    """The files of a workspace that a trace may mean, each read at most once."""

    def __init__(self, code: Code, names: Iterable[str]) -> None:
        self._code = code
        wanted = set(names)
        self._by_name: dict[str, list[str]] = {}
        self._has_src = False
        self._go_roots: list[str] = []
        for path in code.paths():
            name = path.rpartition("/")[2].lower()
            if name in wanted:
                self._by_name.setdefault(name, []).append(path)
            elif name == "go.mod":
                self._go_roots.append(path)
            self._has_src = self._has_src or path.startswith("src/")
        self._read: dict[str, SourceFile | None] = {}
        self._weighed: dict[tuple[Frame, tuple[Printed, ...]], tuple[_Weighed, ...]] = {}

    def weigh(self, frame: Frame, spellings: tuple[Printed, ...]) -> tuple[_Weighed, ...]:
        """The files that a frame may be in, the likeliest first; equals of the first stay beside it."""
        key = (frame, spellings)
        if key not in self._weighed:
            self._weighed[key] = self._choose(frame, spellings)
        return self._weighed[key]

    def _choose(self, frame: Frame, spellings: tuple[Printed, ...]) -> tuple[_Weighed, ...]:
        found: list[_Weighed] = []
        for spelling in spellings:
            found = self._judged(frame, self._by_path(spelling))
            if found:
                break
        if found and found[0].located.is_confirmed:
            return _best(found)
        for spelling in spellings[:1]:
            # The file with that path today has nothing of the frame, or there is none: it may have moved.
            found += self._judged(frame, self._moved(spelling))
        return _best(found)

    def _judged(self, frame: Frame, candidates: Sequence[_Candidate]) -> list[_Weighed]:
        found = []
        for candidate in candidates[:RIVALS_READ_MAX]:
            file = self._file(candidate.path)
            if file is None:
                continue
            located = line_today(frame, file)
            if candidate.shared == 1 and candidate.how.startswith("only") and not located.is_confirmed:
                continue
            found.append(_Weighed(candidate, located))
        return found

    def _by_path(self, spelling: Printed) -> tuple[_Candidate, ...]:
        parts = spelling.parts
        if spelling.module:
            return tuple(self._of_go_module(spelling))
        paths = self._by_name.get(parts[-1].lower(), ())
        found = [one for path in paths if (one := _candidate(path, spelling)) is not None]
        most = max((one.shared for one in found), default=0)
        # A folder of the container may be called like one of the project's: a path that agrees less may be meant, if
        # only that file has what the frame names.
        near = [one if one.shared == most else replace(one, confidence=one.confidence * 0.9) for one in found]
        return tuple(
            sorted(
                (one for one in near if one.shared >= min(most, 2)),
                key=lambda one: (-one.shared, -one.confidence, one.path),
            )
        )

    def _of_go_module(self, spelling: Printed) -> Iterator[_Candidate]:
        """The project's own module, downloaded as somebody's dependency; other modules are not the project's."""
        for root in self._go_roots:
            file = self._file(root)
            match = _GO_MODULE.search(file.text) if file is not None else None
            if match is not None and match[1].strip('"') == spelling.module:
                folder = root.rpartition("/")[0]
                path = "/".join((*((folder,) if folder else ()), *spelling.parts))
                yield _Candidate(path, len(spelling.parts), 0.95, f"it is in the module {spelling.module}")

    def _moved(self, spelling: Printed) -> tuple[_Candidate, ...]:
        """Where history says that a file went, asked under every name it may have had here."""
        parts = spelling.parts
        names = ["/".join(parts[start:]) for start in range(len(parts))]
        if spelling.is_whole:
            names = names[:1]
        # The longest names that may be paths of the workspace; the last part alone says too little.
        names = [name for name in names if "/" in name or len(parts) == 1][-HISTORY_ASKED_MAX:]
        if self._has_src:
            names += [f"src/{name}" for name in names]
        for name in names:
            try:
                today = self._code.now_at(name)
            except HindcastError:
                continue
            if today:
                how = f"{name} moved here, as history tells"
                return tuple(_Candidate(path, name.count("/") + 1, 0.88, how) for path in today)
        return ()

    def _file(self, path: str) -> SourceFile | None:
        if path not in self._read:
            try:
                self._read[path] = self._code.read(path)
            except HindcastError:
                self._read[path] = None
        return self._read[path]


def _frames(trace: Trace) -> Iterator[Frame]:
    """Every frame, from where it failed outwards: the deepest cause first, then what it led to."""

    def rank(numbered: tuple[int, Raised]) -> tuple[int, int]:
        number, raised = numbered
        order = _ORDER[raised.relation]
        return order, -number if order == 0 else number

    for _, raised in sorted(enumerate(trace.raised), key=rank):
        yield from raised.frames


def _candidate(path: str, spelling: Printed) -> _Candidate | None:
    """How much of a path agrees with what was printed, from the end."""
    theirs, ours = spelling.parts, path.split("/")
    shared = _shared_end(theirs, ours)
    exact = _shared_end(theirs, ours, is_exact=True) == shared
    if spelling.is_whole and shared < len(theirs):
        return None
    if spelling.is_whole and shared == 1:
        return None
    case = 1.0 if exact else 0.9
    if shared == len(ours) == len(theirs):
        return _Candidate(path, shared, 0.99 * case, "the path is the same")
    if shared == len(ours) and shared > 1:
        return _Candidate(path, shared, 0.98 * case, "the path ends with it")
    if shared == len(theirs) and (shared > 1 or spelling.by != "path"):
        what = {"path": "the path ends alike", "module": "it is the module", "package": "it is the package"}[
            spelling.by
        ]
        return _Candidate(path, shared, 0.95 * case, what)
    if shared >= 2:
        return _Candidate(path, shared, min(0.86 + 0.03 * shared, 0.95) * case, "the path ends alike")
    if len(theirs) == 1 or len(ours) == 1:
        return _Candidate(path, shared, 0.75 * case, "the file has the same name")
    if theirs[-1].lower() in _EVERYWHERE:
        return None
    return _Candidate(path, shared, 0.55 * case, "only the name of the file is the same")


def _shared_end(one: Sequence[str], other: Sequence[str], *, is_exact: bool = False) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right and (is_exact or left.lower() != right.lower()):
            break
        count += 1
    return count


def _best(found: Sequence[_Weighed]) -> tuple[_Weighed, ...]:
    """The likeliest, and those that are as likely."""
    ordered = sorted(found, key=lambda one: (-one.confidence, one.candidate.path))
    return tuple(one for one in ordered if one.confidence >= ordered[0].confidence - 0.005)


def _near(found: tuple[_Weighed, ...], sure: Sequence[str]) -> tuple[_Weighed, ...]:
    """Of equals, the one that lies nearest to the files the other frames are in."""
    if len(found) < 2 or not sure:
        return found
    distance = {one.candidate.path: max(_shared_begin(one.candidate.path, path) for path in sure) for one in found}
    most = max(distance.values())
    nearest = tuple(one for one in found if distance[one.candidate.path] == most)
    if most == 0 or len(nearest) == len(found):
        return found
    near = replace(nearest[0].candidate, how=f"{nearest[0].candidate.how}, and it lies beside the other frames")
    if len(nearest) > 1:
        return nearest
    return (_Weighed(replace(near, confidence=near.confidence * 0.9), nearest[0].located),)


def _shared_begin(one: str, other: str) -> int:
    return _shared_end(one.split("/")[-2::-1], other.split("/")[-2::-1], is_exact=True)


def _places(frame: Frame, found: tuple[_Weighed, ...], depth: int) -> Iterator[Place]:
    if len(found) > RIVALS_MAX:
        return
    for one in found:
        confidence = one.confidence / len(found)
        if confidence < CONFIDENCE_MIN:
            continue
        reasons = [one.candidate.how, one.located.how]
        if len(found) > 1:
            others = ", ".join(other.candidate.path for other in found if other is not one)
            reasons.append(f"{others} fits as well")
        how = "; ".join(reason for reason in reasons if reason)
        at = one.located
        yield Place(one.candidate.path, at.line, frame.function, at.body, round(confidence, 3), how, depth)


def _once(places: Iterable[Place]) -> Iterator[Place]:
    """Each place once, where it is nearest to the failure: recursions and repeated causes say it again."""
    seen: set[tuple[str, int, str]] = set()
    for place in places:
        key = (place.path, place.line, place.function)
        if key not in seen:
            seen.add(key)
            yield place
