"""Embeds texts with any server that speaks the OpenAI protocol's `/v1/embeddings`.

Waits and attempts are bounded, answers are checked before they are believed (as many vectors as texts, in order, all of
one length, finite), and the key is in no message. Which weights a server runs cannot be proven from here: the model's
name and the server's address stand for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from hindcast.adapters.outbound import Outbound, transport
from hindcast.adapters.retry_after import retry_after_seconds
from hindcast.model.errors import HindcastError, Malformed, Refused, Unavailable

TIMEOUT_SECONDS_MAX = 30.0
TEXTS_PER_REQUEST_MAX = 64
TEXTS_PER_CALL_MAX = 100_000
# About the 8,192 tokens that hosted models read; more is refused by some servers, and says little more.
TEXT_CHARS_MAX = 20_000
ATTEMPTS_MAX = 4
# The first pause; each further one is twice as long.
WAIT_SECONDS_MIN = 0.5
# A server that asks for a longer pause than this is, to somebody waiting for an answer, not available.
WAIT_SECONDS_MAX = 20.0
RESPONSE_BYTES_MAX = 64_000_000
DIMS_MAX = 16_384
_SAID_CHARS_MAX = 200
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class HttpEmbedder:
    """One model on one server. May be used by several threads at once."""

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str | None = None,
        *,
        dims: int | None = None,
        timeout_seconds_max: float = TIMEOUT_SECONDS_MAX,
        texts_per_request_max: int = TEXTS_PER_REQUEST_MAX,
        attempts_max: int = ATTEMPTS_MAX,
        wait_seconds_max: float = WAIT_SECONDS_MAX,
        sleep: Callable[[float], None] = time.sleep,
        outbound: Outbound | None = None,
    ) -> None:
        self._url = endpoint(url)
        self._name = model
        self._key = _checked_key(api_key)
        self._dims = dims
        self._texts_per_request_max = max(1, texts_per_request_max)
        self._attempts_max = max(1, attempts_max)
        self._wait_seconds_max = wait_seconds_max
        self._sleep = sleep
        self._lock = threading.Lock()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # Redirects are not followed: they would carry the key to an address nobody configured.
        # The address comes out of the settings, so that a server on this machine needs no further permission.
        guarded = transport((outbound or Outbound()).for_setting())
        self._client = httpx.Client(
            timeout=timeout_seconds_max, headers=headers, follow_redirects=False, transport=guarded
        )

    @property
    def model(self) -> str:
        """The model's name and the server's, because two servers may call different weights by one name."""
        return f"{self._name}@{self._url.netloc.decode('ascii')}"

    @property
    def dims(self) -> int:
        """The length of a vector: as configured, else as the server answers (asked once)."""
        if self._dims is None:
            self.embed(["dims"])
        assert self._dims is not None
        return self._dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length for each text, in the order given."""
        if len(texts) > TEXTS_PER_CALL_MAX:
            raise Malformed(
                f"{len(texts)} texts at once.", remedy=f"Embed at most {TEXTS_PER_CALL_MAX} in one call.", field="texts"
            )
        if not texts:
            return np.empty((0, self.dims), np.float32)
        size = self._texts_per_request_max
        return np.concatenate([self._embed_some(texts[at : at + size]) for at in range(0, len(texts), size)])

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def _embed_some(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Some servers refuse an empty text; a space means as little. Half characters cannot be sent at all.
        cleaned = [text[:TEXT_CHARS_MAX].encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        body = orjson.dumps({"model": self._name, "input": cleaned, "encoding_format": "float"})
        vectors = self._vectors(self._ask(body), len(texts))
        with self._lock:
            if self._dims is None:
                self._dims = vectors.shape[1]
        if vectors.shape[1] != self._dims:
            raise self._strange(f"vectors of {vectors.shape[1]} dims, not {self._dims}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise self._strange("a vector without direction")
        scaled: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return scaled

    def _ask(self, body: bytes) -> bytes:
        """Post until there is an answer, at most so many times."""
        trouble = ""
        for attempt in range(self._attempts_max):
            wait = min(WAIT_SECONDS_MIN * 2**attempt, self._wait_seconds_max)
            try:
                status, headers, content = self._post(body)
            except httpx.TransportError as error:
                trouble = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            else:
                if status == httpx.codes.OK:
                    return content
                if status not in _RETRIED:
                    raise self._rejected(status, content)
                trouble = f"status {status}{self._said(content)}"
                asked = retry_after_seconds(headers.get("retry-after"), now=datetime.now(UTC))
                if asked is not None and asked > self._wait_seconds_max:
                    trouble += f", and asks to wait {asked:.0f} seconds"
                    break
                wait = wait if asked is None else asked
            if attempt + 1 < self._attempts_max:
                self._sleep(wait)
        raise Unavailable(
            f"The embedding server {self._where} does not answer ({self._hidden(trouble)}).",
            remedy="Wait and retry, or check the address and the server.",
        )

    def _post(self, body: bytes) -> tuple[int, httpx.Headers, bytes]:
        with self._client.stream(
            "POST", self._url, content=body, headers={"Content-Type": "application/json"}
        ) as response:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if len(content) > RESPONSE_BYTES_MAX:
                    raise self._strange(f"more than {RESPONSE_BYTES_MAX} bytes")
            return response.status_code, response.headers, bytes(content)

    def _vectors(self, content: bytes, count: int) -> NDArray[np.float64]:
        """The vectors of an answer, in the order of the texts whatever order they came in."""
        try:
            data: list[dict[str, Any]] = orjson.loads(content)["data"]
            # Servers that leave the index out answer in order.
            places = [item.get("index", at) for at, item in enumerate(data)]
            rows = {place: item["embedding"] for place, item in zip(places, data, strict=True)}
            if sorted(places) != list(range(count)):
                raise self._strange(f"{len(data)} vectors for {count} texts, or the same one twice")
            vectors = np.array([rows[place] for place in range(count)], np.float64)
        except orjson.JSONDecodeError as error:
            raise self._strange("something that is not JSON") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._strange("JSON that is not a list of vectors of one length") from error
        if vectors.ndim != 2 or not 1 <= vectors.shape[1] <= DIMS_MAX:
            raise self._strange(f"vectors of shape {vectors.shape}")
        return vectors

    @property
    def _where(self) -> str:
        """The address as it may be shown: without a name, a password or a query."""
        return f"{self._url.scheme}://{self._url.netloc.decode('ascii')}{self._url.path}"

    def _rejected(self, status: int, content: bytes) -> HindcastError:
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            # What the server says is left out here: some repeat a part of the key.
            return Refused(
                f"The embedding server {self._where} refuses the key (status {status}).",
                remedy="Set a key that may use this model." if self._key else "Set a key.",
            )
        return Malformed(
            f"The embedding server {self._where} rejects the request with status {status}{self._said(content)}.",
            remedy=f"Check the address and that the server has a model {self._name!r}.",
        )

    def _strange(self, what: str) -> Malformed:
        return Malformed(
            f"The embedding server {self._where} answers with {what}.",
            remedy="Check that the address is an OpenAI-compatible /v1/embeddings, and the model one that embeds.",
        )

    def _said(self, content: bytes) -> str:
        """The beginning of what a server said, on one line."""
        words = " ".join(self._hidden(content.decode("utf-8", "replace")).split())
        return f": {words[:_SAID_CHARS_MAX]}" if words else ""

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def endpoint(url: str) -> httpx.URL:
    """The address to post to, from a server's root, its `/v1` or the whole of it."""
    remedy = "Give an address such as http://localhost:11434/v1."
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise Malformed("The address of the embedding server is no URL.", remedy=remedy, field="url") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise Malformed("The address of the embedding server is no http(s) URL.", remedy=remedy, field="url")
    path = parsed.path.rstrip("/")
    if path.endswith("/embeddings"):
        return parsed.copy_with(path=path)
    # An address with a path of its own (".../v1", ".../openai") is complete but for the last word.
    return parsed.copy_with(path=f"{path or '/v1'}/embeddings")


def _checked_key(key: str | None) -> str | None:
    """A key that can be sent. Checked here, because the library's own complaint would repeat it."""
    if not key:
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Malformed("The key has characters that cannot be sent.", remedy="Copy it again.", field="api_key")
    return key
