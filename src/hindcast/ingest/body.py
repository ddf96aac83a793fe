"""Bodies as they come over the wire: content encodings undone within limits.

Decompression is done in pieces and stops at the limit, so a bomb costs no more memory than an honest body may. Nothing
here knows what a body means.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

import cramjam

from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

# Two encodings on top of each other are somebody's proxy; more are somebody's attack.
ENCODINGS_STACKED_MAX: Final = 2
PIECE_BYTES: Final = 256 * 1024

_GZIP_WINDOW: Final = 31
_ZLIB_WINDOW: Final = 15
_RAW_WINDOW: Final = -15
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


class TooLarge(Malformed):
    """The body is larger than is taken: send less at once (HTTP 413)."""


class UnknownEncoding(Malformed):
    """The body is encoded in a way that is not understood here: encode it another way (HTTP 415)."""


def decoded(body: bytes, encoding: str, limits: IngestLimits) -> bytes:
    """The body as it was before its Content-Encoding; the header may name several, joined by commas."""
    if len(body) > limits.compressed_bytes_max and _names(encoding):
        raise _too_large(len(body), "compressed_bytes_max", limits.compressed_bytes_max)
    names = _names(encoding)
    if len(names) > ENCODINGS_STACKED_MAX:
        raise UnknownEncoding(
            f"{len(names)} encodings on top of each other.", field="Content-Encoding", remedy="Compress the body once."
        )
    for name in reversed(names):
        decode = _DECODERS.get(name)
        if decode is None:
            known = ", ".join(sorted({*_DECODERS, "identity"}))
            raise UnknownEncoding(
                f"{name[:40]!r} is not understood.", field="Content-Encoding", remedy=f"Use one of: {known}."
            )
        body = decode(body, limits)
    if len(body) > limits.body_bytes_max:
        raise _too_large(len(body), "body_bytes_max", limits.body_bytes_max)
    return body


def unsnapped(body: bytes, limits: IngestLimits) -> bytes:
    """Undo a snappy block (no frames), as Loki's senders write it. The block says its size before anything is made."""
    try:
        size = cramjam.snappy.decompress_raw_len(body)
    except cramjam.DecompressionError as error:
        raise _broken("snappy", error) from error
    if size > limits.body_bytes_max:
        raise _too_large(size, "body_bytes_max", limits.body_bytes_max)
    _check_ratio(len(body), size, limits)
    try:
        return bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise _broken("snappy", error) from error


def _names(encoding: str) -> list[str]:
    names = [name.strip().lower() for name in encoding.split(",")]
    return [name for name in names if name not in {"", "identity"}]


def _gunzipped(body: bytes, limits: IngestLimits) -> bytes:
    return _inflated(body, limits, window=_GZIP_WINDOW, name="gzip")


def _undeflated(body: bytes, limits: IngestLimits) -> bytes:
    """HTTP's deflate is zlib by the standard and bare deflate by some senders; the first two bytes tell."""
    is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflated(body, limits, window=_ZLIB_WINDOW if is_zlib else _RAW_WINDOW, name="deflate")


def _inflated(body: bytes, limits: IngestLimits, *, window: int, name: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    rest = body
    while True:
        stream = zlib.decompressobj(wbits=window)
        while not stream.eof:
            try:
                piece = stream.decompress(rest, PIECE_BYTES)
            except zlib.error as error:
                raise _broken(name, error) from error
            rest = stream.unconsumed_tail
            size += len(piece)
            if size > limits.body_bytes_max:
                raise _too_large(size, "body_bytes_max", limits.body_bytes_max)
            _check_ratio(len(body), size, limits)
            if not piece and not rest and not stream.eof:
                raise Malformed(
                    f"The {name} stream ends in the middle.", field="body", remedy="Send the whole body again."
                )
            pieces.append(piece)
        # Gzip may hold several members one after the other; padding of zeros after the last is harmless.
        rest = stream.unused_data.lstrip(b"\0")
        if not rest or window != _GZIP_WINDOW:
            return b"".join(pieces)


def _unzstandard(body: bytes, limits: IngestLimits) -> bytes:
    if not body.startswith(_ZSTD_MAGIC):
        raise Malformed("The body is not zstd.", field="body", remedy="Compress it, or leave the Content-Encoding out.")
    # The room is bounded before anything is decompressed, by both limits at once.
    room = min(limits.body_bytes_max, max(len(body) * limits.expansion_ratio_max, limits.expansion_free_bytes))
    output = bytearray(room)
    try:
        size = cramjam.zstd.decompress_into(body, output)
    except cramjam.DecompressionError as error:
        if "whole buffer" in str(error):
            raise _too_large(room + 1, "body_bytes_max", limits.body_bytes_max) from error
        raise _broken("zstd", error) from error
    return bytes(memoryview(output)[:size])


def _check_ratio(packed: int, unpacked: int, limits: IngestLimits) -> None:
    if unpacked > limits.expansion_free_bytes and unpacked > packed * limits.expansion_ratio_max:
        raise TooLarge(
            f"The body grows more than {limits.expansion_ratio_max} times when it is decompressed.",
            field="body",
            remedy="Send less repetitive data, or raise expansion_ratio_max.",
        )


def _too_large(size: int, limit: str, most: int) -> TooLarge:
    return TooLarge(
        f"The body has at least {size} bytes; {most} are taken ({limit}).",
        field="body",
        remedy="Send smaller batches, or raise the limit.",
    )


def _broken(name: str, error: Exception) -> Malformed:
    return Malformed(
        f"The body is not readable as {name}: {error}.", field="body", remedy="Send the whole, undamaged body again."
    )


_DECODERS: Final[dict[str, Callable[[bytes, IngestLimits], bytes]]] = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _undeflated,
    "zstd": _unzstandard,
    "snappy": unsnapped,
}
