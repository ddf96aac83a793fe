"""The files of a form (multipart/form-data), read out of a body that lies on the disk, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from hindcast.model.errors import Malformed, Refused
from hindcast.ports.grounds import Incoming

PIECE_BYTES = 65_536
_ARCHIVES = (b"application/zip", b"application/x-zip-compressed")


def read_parts(body: IO[bytes], content_type: str, files_max: int) -> Iterator[Incoming]:
    """The files of a form. Raises Malformed for what is none, Refused for an archive among files."""
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not boundary:
        raise Malformed(
            "The form names no boundary.", field="Content-Type", remedy="Let the client write the header itself."
        )
    try:
        parts = _Parts(body, boundary)
    except FormParserError as error:
        raise _broken(str(error)) from error
    count = 0
    while parts.next_part():
        count += 1
        if count > files_max:
            raise Refused(f"More than {files_max} files came.", field="files", remedy="Leave some out.")
        yield Incoming(_name(parts.headers), parts.pieces())


def _name(headers: dict[bytes, bytes]) -> str:
    _, options = parse_options_header(headers.get(b"content-disposition", b""))
    given = options.get(b"filename")
    if given is None:
        field = options.get(b"name", b"").decode(errors="replace")[:100]
        raise Malformed(
            f"The field {field!r} is no file.", field="files", remedy="Send files only, each with its path as filename."
        )
    try:
        name = given.decode()
    except UnicodeDecodeError as error:
        raise Malformed("A name is not UTF-8.", field="file", remedy="Send names in UTF-8.") from error
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind in _ARCHIVES or name.lower().endswith(".zip"):
        raise Refused(
            f"{name[:100]!r} is an archive among files.",
            field="files",
            remedy="Send it as the body itself, with Content-Type: application/zip.",
        )
    return name


@dataclass
class _Part:
    """What the parser has told about a part and nobody has taken yet."""

    headers: dict[bytes, bytes] = field(default_factory=dict)
    is_headed: bool = False
    is_over: bool = False
    pieces: deque[bytes] = field(default_factory=deque)


class _Parts:
    """Pulls parts out of a parser that pushes. A part that nobody reads to its end is skipped."""

    def __init__(self, body: IO[bytes], boundary: bytes) -> None:
        body.seek(0)
        self._body = body
        self._waiting: deque[_Part] = deque()
        self._current: _Part | None = None
        self._name, self._value = bytearray(), bytearray()
        self._is_read = False
        # Whether its last boundary came: a form that was cut between two files is not a smaller form.
        self._is_whole = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": lambda: self._waiting.append(_Part()),
                "on_header_field": lambda data, start, end: self._name.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._keep_header,
                "on_headers_finished": self._headed,
                "on_part_data": lambda data, start, end: self._waiting[-1].pieces.append(bytes(data[start:end])),
                "on_part_end": self._ended,
                "on_end": self._whole,
            },
        )

    @property
    def headers(self) -> dict[bytes, bytes]:
        """Of the part at hand, their names in lower case."""
        assert self._current is not None
        return self._current.headers

    def next_part(self) -> bool:
        """Go on to the next part, if there is one."""
        if self._current is not None:
            for _ in self.pieces():
                pass
            self._waiting.popleft()
        while not self._waiting or not self._waiting[0].is_headed:
            if not self._feed():
                if self._waiting or not self._is_whole:
                    raise _broken("it has no end")
                return False
        self._current = self._waiting[0]
        return True

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the part at hand."""
        part = self._current
        assert part is not None
        while True:
            while part.pieces:
                yield part.pieces.popleft()
            if part.is_over:
                return
            if not self._feed():
                raise _broken("it ends within a file")

    def _feed(self) -> bool:
        if self._is_read:
            return False
        piece = self._body.read(PIECE_BYTES)
        try:
            if piece:
                self._parser.write(piece)
            else:
                self._is_read = True
                self._parser.finalize()
        except FormParserError as error:
            raise _broken(str(error)) from error
        return bool(piece)

    def _keep_header(self) -> None:
        self._waiting[-1].headers[bytes(self._name).lower()] = bytes(self._value)
        self._name.clear()
        self._value.clear()

    def _headed(self) -> None:
        self._waiting[-1].is_headed = True

    def _whole(self) -> None:
        self._is_whole = True

    def _ended(self) -> None:
        self._waiting[-1].is_over = True


def _broken(said: str) -> Malformed:
    return Malformed(
        f"The form is broken: {said.rstrip('.')[:200]}.", field="body", remedy="Send it again, as browsers write it."
    )
