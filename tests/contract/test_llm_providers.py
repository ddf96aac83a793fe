"""The port for language models in the protocols of other providers: Anthropic's messages, Google's contents."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hindcast.adapters.llm_model import ModelLLM
from hindcast.model.conversation import Call, Conversation, Offer, Piece, Result, Round, Spent, Words

KEY = "sk-ant-api03-a-key-nobody-may-see"
LOOK = Offer("look", "Looks something up.", {"type": "object", "properties": {"words": {"type": "string"}}})
ASKED = Conversation("Answer briefly.", "What happened?", (LOOK,))

_TEXT = {"type": "text", "text": ""}
_TOOL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
_MESSAGE: dict[str, Any] = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "c",
    "content": [],
    "stop_reason": None,
}
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "message_start", "message": _MESSAGE | {"usage": {"input_tokens": 11, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": _TEXT},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me look."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": _TOOL},
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"words": "pool"}'},
    },
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]
_CALLED = {"functionCall": {"name": "look", "args": {"words": "pool"}}}
GOOGLE: list[dict[str, Any]] = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Let me look."}]}}]},
    {
        "candidates": [{"content": {"role": "model", "parts": [_CALLED]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
    },
]


class Provider(ThreadingHTTPServer):
    """Asks for a tool, in whichever protocol it is spoken to; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[str] = []
        self.headers: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Provider

    def do_POST(self) -> None:
        """Answer one request."""
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.headers.append(str(self.headers))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in ANTHROPIC if self.path.endswith("/messages") else GOOGLE:
            name = f"event: {event['type']}\r\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\r\n\r\n".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    """A server on this machine."""
    made = Provider()
    threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize("model", ["anthropic:claude-haiku-5-5", "google:gemini-2.5-flash"])
def test_every_provider_speaks_and_calls_alike(server: Provider, model: str) -> None:
    """Words, a call and the cost come alike from every provider, and the conversation goes on with what came of it."""
    llm = ModelLLM(model, url=f"http://127.0.0.1:{server.server_port}", key=KEY)
    server.bodies.clear()

    pieces = _replied(llm, ASKED)

    words, call, spent = pieces
    assert words == Words("Let me look.")
    assert isinstance(call, Call)
    assert (call.tool, json.loads(call.arguments)) == ("look", {"words": "pool"})
    assert isinstance(spent, Spent)
    assert spent == Spent(11, 7)
    for memo in (spent.memo, None):
        done = Round("Let me look.", (Result(call, "found: the pool"),), memo)
        _replied(llm, Conversation("Answer briefly.", "What happened?", (LOOK,), (done,)))

    first, *later = server.bodies
    assert "Answer briefly." in first
    assert "Looks something up." in first
    assert all("found: the pool" in body and "Let me look." in body for body in later)
    assert KEY in server.headers[-1]


def _replied(llm: ModelLLM, asked: Conversation) -> list[Piece]:
    """A reply without the pieces that only say that it is under way."""
    return [piece for piece in llm.reply(asked, tokens_max=500, seconds_max=60) if piece != Words("")]
