"""Content encodings: what comes out is what went in, within limits, and nothing else is taken."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import cramjam
import pytest

from hindcast.ingest.body import TooLarge, UnknownEncoding, decoded, unsnapped
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

LIMITS = IngestLimits()
TEXT = b"2026-11-16 ERROR payment failed for order 1234\n" * 100


def bare_deflate(body: bytes) -> bytes:
    """Deflate without zlib's header, as some senders write it."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZIP", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 16),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", bare_deflate(TEXT)),
        ("zstd", bytes(cramjam.zstd.compress(TEXT))),
        ("snappy", bytes(cramjam.snappy.compress_raw(TEXT))),
        ("deflate, gzip", gzip.compress(zlib.compress(TEXT))),
    ],
)
def test_an_encoded_body_comes_out_as_it_was(encoding: str, body: bytes) -> None:
    """Every encoding that senders use is undone exactly."""
    assert decoded(body, encoding, LIMITS) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd", "snappy"])
def test_a_truncated_body_is_refused(encoding: str) -> None:
    """A stream that ends in the middle is an error of the body, whatever the encoding, wherever it ends."""
    whole = {
        "gzip": gzip.compress(TEXT),
        "deflate": zlib.compress(TEXT),
        "zstd": bytes(cramjam.zstd.compress(TEXT)),
        "snappy": bytes(cramjam.snappy.compress_raw(TEXT)),
    }[encoding]
    for end in range(len(whole) - 1):
        with pytest.raises(Malformed) as raised:
            decoded(whole[:end], encoding, LIMITS)
        assert raised.value.field == "body"
        assert not isinstance(raised.value, TooLarge | UnknownEncoding)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd", "snappy"])
def test_garbage_is_refused(encoding: str) -> None:
    """A body that was never compressed is an error of the body and names the encoding."""
    with pytest.raises(Malformed, match=encoding):
        decoded(b"\x01\x02 this is not compressed", encoding, LIMITS)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_bomb_is_refused_without_its_memory(encoding: str) -> None:
    """A body that grows a thousand times is refused, and not even a tenth of it is ever in memory."""
    grown = 512 * 1024 * 1024
    zeros = b"\0" * (1024 * 1024)
    if encoding == "zstd":
        bomb = b"".join([bytes(cramjam.zstd.compress(zeros))] * (grown // len(zeros)))
    else:
        packer = zlib.compressobj(9, wbits=31 if encoding == "gzip" else 15)
        bomb = b"".join([*(packer.compress(zeros) for _ in range(grown // len(zeros))), packer.flush()])

    tracemalloc.start()
    with pytest.raises(TooLarge):
        decoded(bomb, encoding, IngestLimits(body_bytes_max=16 * 1024 * 1024))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 40 * 1024 * 1024


def test_a_snappy_block_that_lies_about_its_size_is_refused() -> None:
    """The size that a block declares is checked before room is made for it."""
    declared = b"\xff\xff\xff\xff\x0f" + b"\0" * 10

    with pytest.raises(TooLarge, match="body_bytes_max"):
        unsnapped(declared, LIMITS)


def test_the_limits_name_themselves() -> None:
    """Whoever sends too much is told which limit it was and what to do."""
    limits = IngestLimits(body_bytes_max=1_000, compressed_bytes_max=500)

    with pytest.raises(TooLarge, match="body_bytes_max"):
        decoded(b"x" * 1_001, "", limits)
    with pytest.raises(TooLarge, match="compressed_bytes_max"):
        decoded(b"x" * 501, "gzip", limits)
    with pytest.raises(TooLarge, match="body_bytes_max"):
        decoded(gzip.compress(b"x" * 1_001), "gzip", limits)
    assert decoded(b"x" * 1_000, "", limits) == b"x" * 1_000


@pytest.mark.parametrize("encoding", ["br", "compress", "gzip, gzip, gzip", "gzip;q=1"])
def test_an_unknown_encoding_says_which_are_known(encoding: str) -> None:
    """An encoding that is not understood is told apart from a broken body."""
    with pytest.raises(UnknownEncoding) as raised:
        decoded(TEXT, encoding, LIMITS)

    assert raised.value.field == "Content-Encoding"


def test_repetitive_logs_are_no_bomb() -> None:
    """The same line ten thousand times compresses a hundredfold and is taken."""
    lines = TEXT * 100

    assert len(lines) > 100 * len(gzip.compress(lines))
    assert decoded(gzip.compress(lines), "gzip", LIMITS) == lines
