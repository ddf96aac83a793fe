"""A real server on this machine that speaks the OpenAI protocol (chat completions, streamed, with tool calls).

What it says is scripted, one act for each request; it keeps what it was sent. It can also misbehave in the ways that
servers do: statuses, slowness, streams that are cut, bytes that are no JSON, answers without end.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT_SECONDS_MAX = 20.0


@dataclass(frozen=True)
class Say:
    """Words, in so many pieces, and calls of tools: what a model replies."""

    text: str = ""
    # Name, and arguments as a value or as the text that stands in their place.
    calls: Sequence[tuple[str, Any]] = ()
    pieces: int = 3
    tokens_in: int = 100
    tokens_out: int = 20


@dataclass(frozen=True)
class Fail:
    """A status instead of an answer."""

    status: int
    body: str = '{"error": {"message": "no"}}'
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Bytes of a stream as they are; cut: the connection ends without the stream's end."""

    chunks: Sequence[bytes]
    is_cut: bool = False


@dataclass(frozen=True)
class Endless:
    """One and the same words until nobody listens any more."""

    text: str = "and so on "


@dataclass(frozen=True)
class Silence:
    """Nothing at all, until the server is released."""

    after: str = ""


Act = Say | Fail | Raw | Endless | Silence
# What to do next, given what was asked.
Play = Callable[[dict[str, Any]], Act]


class OpenAIServer(ThreadingHTTPServer):
    """Answers /v1/chat/completions as it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Act | Play] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        # Set when a client has gone away in the middle of an answer.
        self.was_left = threading.Event()
        self.released = threading.Event()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def play(self, *acts: Act | Play) -> None:
        """Begin anew with these acts; the last one is repeated."""
        self.script = list(acts)
        self.requests.clear()
        self.keys.clear()
        self.paths.clear()
        self.was_left.clear()

    def next_act(self, asked: dict[str, Any]) -> Act:
        """The act for a request."""
        self.requests.append(asked)
        act = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return act(asked) if callable(act) else act


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    """A server while the block runs."""
    server = OpenAIServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()


def results_of(asked: dict[str, Any]) -> list[str]:
    """What a model was told by tools so far, in order."""
    return [str(message["content"]) for message in asked["messages"] if message["role"] == "tool"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OpenAIServer

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.keys.append(self.headers.get("Authorization"))
        self.server.paths.append(self.path)
        act = self.server.next_act(asked)
        with suppress(BrokenPipeError, ConnectionResetError):
            self._act(act, asked)

    def _act(self, act: Act, asked: dict[str, Any]) -> None:
        if isinstance(act, Fail):
            self._fail(act)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if isinstance(act, Say):
            for chunk in _chunks(act, str(asked.get("model"))):
                self.wfile.write(chunk)
        elif isinstance(act, Raw):
            for chunk in act.chunks:
                self.wfile.write(chunk)
        elif isinstance(act, Endless):
            self._go_on(act.text)
        else:
            if act.after:
                self.wfile.write(_chunk({"content": act.after}))
            self.wfile.flush()
            self.server.released.wait(WAIT_SECONDS_MAX)

    def _fail(self, act: Fail) -> None:
        body = act.body.encode()
        self.send_response(act.status)
        for name, value in {"Content-Type": "application/json", **act.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _go_on(self, text: str) -> None:
        ends_at = time.monotonic() + WAIT_SECONDS_MAX
        try:
            while time.monotonic() < ends_at:
                self.wfile.write(_chunk({"content": text}))
        except (BrokenPipeError, ConnectionResetError):
            self.server.was_left.set()
            raise

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _chunk(delta: dict[str, Any], *, finish: str | None = None, usage: dict[str, int] | None = None) -> bytes:
    choices = [] if usage is not None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    document: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "scripted",
        "choices": choices,
    }
    if usage is not None:
        document["usage"] = usage
    return f"data: {json.dumps(document)}\n\n".encode()


def _chunks(act: Say, _model: str) -> Iterator[bytes]:
    yield _chunk({"role": "assistant", "content": ""})
    size = max(1, -(-len(act.text) // act.pieces))
    for at in range(0, len(act.text), size):
        yield _chunk({"content": act.text[at : at + size]})
    for index, (name, arguments) in enumerate(act.calls):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        begun = {"index": index, "id": f"call-{index}-{name[:20]}", "type": "function"}
        yield _chunk({"tool_calls": [{**begun, "function": {"name": name, "arguments": ""}}]})
        middle = len(written) // 2
        for part in (written[:middle], written[middle:]):
            yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield _chunk({}, finish="tool_calls" if act.calls else "stop")
    total = act.tokens_in + act.tokens_out
    yield _chunk({}, usage={"prompt_tokens": act.tokens_in, "completion_tokens": act.tokens_out, "total_tokens": total})
    yield b"data: [DONE]\n\n"
