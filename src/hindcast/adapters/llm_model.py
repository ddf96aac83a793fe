"""Language models behind the port, through pydantic-ai: OpenAI-compatible servers, Anthropic, Google, Ollama.

One reply is one request. The loop over tools, its budgets and everything that decides what a model may do are not here
but in `hindcast.ask`; this only translates, bounds what one reply may take, and names what went wrong. Whoever reads
may stop at any time: the request ends with the iterator.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from hindcast.adapters.llm_provider import Target, client, model_of, target_of
from hindcast.adapters.outbound import Outbound
from hindcast.model.conversation import Call, Conversation, Piece, Round, Spent, Words
from hindcast.model.errors import Busy, HindcastError, Malformed, Refused, Unavailable

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

# A reply of more characters is no answer to anybody, whatever it costs.
REPLY_CHARS_MAX = 200_000
CALLS_PER_REPLY_MAX = 50
# A server that is busy is asked once more if it wants no longer pause than this; somebody waits for the answer.
WAIT_SECONDS_MAX = 3.0
ATTEMPTS_MAX = 2
# While nothing comes, whoever reads is given the chance to stop this often.
BEAT_SECONDS = 0.25
# How long a request that was given up may take to let go of its connection.
LET_GO_SECONDS_MAX = 5.0
_SAID_CHARS_MAX = 200


class ModelLLM:
    """One language model. May be used by several threads at once; each reply has a connection of its own."""

    def __init__(self, model: str, *, url: str = "", key: str = "", outbound: Outbound | None = None) -> None:
        self._target = target_of(model, url=url, key=key)
        self._guard = (outbound or Outbound()).for_setting()

    @property
    def name(self) -> str:
        """The model as the setting names it."""
        return self._target.full_name

    def reply(self, conversation: Conversation, *, tokens_max: int, seconds_max: float) -> Iterator[Piece]:
        """Words as they arrive, then the calls it asks for, and Spent at the end."""
        self._guard.check(self._target.url, field="ask_url")
        request = _Request(self._target, self._guard, conversation, max(tokens_max, 1))
        request.start()
        try:
            yield from request.pieces(seconds_max)
        finally:
            request.stop()


class _Request:
    """One request, on a loop in a thread of its own: so that waiting ends on time whatever a library does."""

    def __init__(self, target: Target, guard: Outbound, conversation: Conversation, tokens_max: int) -> None:
        self._target = target
        self._guard = guard
        self._conversation = conversation
        self._tokens_max = tokens_max
        # None: there will be no more; whether it ended well, the work itself says.
        self._out: queue.SimpleQueue[Piece | None] = queue.SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="hindcast-llm", daemon=True)
        self._work: Future[None] | None = None
        self._said = 0

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()
        self._work = asyncio.run_coroutine_threadsafe(self._begin(), self._loop)
        self._work.add_done_callback(lambda _: self._out.put(None))

    def pieces(self, seconds_max: float) -> Iterator[Piece]:
        """What comes, until it ends or the time is up."""
        assert self._work is not None
        ends_at = time.monotonic() + seconds_max
        while True:
            left = ends_at - time.monotonic()
            try:
                piece = self._out.get(timeout=min(max(left, 0), BEAT_SECONDS))
            except queue.Empty:
                if left > BEAT_SECONDS:
                    yield Words("")
                    continue
                raise Unavailable(
                    f"{self._target.full_name} did not answer within {seconds_max:.0f} seconds.",
                    field="ask_model",
                    remedy="Ask again, allow more with ask_seconds_max, or choose a faster model.",
                ) from None
            if piece is None:
                error = self._work.exception()
                if error is not None:
                    raise self._named(error) from error
                return
            yield piece

    def stop(self) -> None:
        """Give the request up, if it still runs."""
        assert self._work is not None
        self._work.cancel()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LET_GO_SECONDS_MAX)

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(self._let_go())
        self._loop.close()

    async def _let_go(self) -> None:
        """Give what was given up the chance to close its connection."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()

    async def _begin(self) -> None:
        from pydantic_ai.exceptions import ModelAPIError

        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                async with client(self._guard) as http:
                    await self._ask(http)
            except ModelAPIError as error:
                wait = _pause(error)
                if wait is None or attempt == ATTEMPTS_MAX or self._said:
                    raise
                await asyncio.sleep(wait)
            else:
                return

    async def _ask(self, http: Any) -> None:  # noqa: ANN401
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        async with model_request_stream(
            model_of(self._target, http),
            _messages(self._conversation),
            model_settings=_settings(self._tokens_max),
            model_request_parameters=_parameters(self._conversation),
            instrument=False,
        ) as stream:
            async for event in stream:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    self._say(event.part.content)
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    self._say(event.delta.content_delta)
                elif isinstance(event, PartDeltaEvent):
                    self._count(_size(event.delta))
            response = stream.get()
        calls = response.tool_calls
        for call in calls[:CALLS_PER_REPLY_MAX]:
            written = call.args if isinstance(call.args, str) else call.args_as_json_str()
            self._out.put(Call(call.tool_call_id, call.tool_name, written))
        usage = response.usage
        memo = response if len(calls) <= CALLS_PER_REPLY_MAX else None
        self._out.put(Spent(usage.input_tokens, usage.output_tokens, memo))

    def _say(self, text: str) -> None:
        self._count(len(text))
        if text:
            self._out.put(Words(text))

    def _count(self, chars: int) -> None:
        self._said += chars
        if self._said > REPLY_CHARS_MAX:
            raise self._strange(f"more than {REPLY_CHARS_MAX:,} characters")

    def _named(self, error: BaseException) -> HindcastError:
        """What went wrong, by what somebody can do about it. The key is in no message."""
        from pydantic_ai import exceptions as known

        own = _own(error)
        if own is not None:
            return own
        model = self._target.full_name
        if isinstance(error, known.ModelAuthenticationError):
            # What the server says is left out here: some repeat a part of the key.
            return Refused(f"{model} refuses the key.", field="ask_key", remedy="Set a key that may use this model.")
        if isinstance(error, known.ModelRateLimitError | known.ModelQuotaExceededError):
            wait = max(1, round(getattr(error, "retry_after", None) or WAIT_SECONDS_MAX))
            return Busy(
                f"{model} takes no more questions now.",
                field="ask_model",
                remedy="Ask again later.",
                retry_after_seconds=wait,
            )
        if isinstance(error, known.ModelRequestRejectedError):
            return Malformed(
                f"{model} rejects the request{self._quoted(error)}.",
                field="ask_model",
                remedy="Check ask_url and that the server has this model, and that it can use tools.",
            )
        if isinstance(error, known.ModelAPIError):
            return Unavailable(
                f"{model} does not answer{self._quoted(error)}.",
                field="ask_model",
                remedy="Ask again, or check ask_url and the server.",
            )
        return self._strange(f"what cannot be read ({type(error).__name__})")

    def _quoted(self, error: Exception) -> str:
        """The beginning of what a server said, on one line."""
        words = " ".join(str(getattr(error, "body", None) or error).split())
        hidden = words.replace(self._target.key, "***") if self._target.key else words
        return f": {hidden[:_SAID_CHARS_MAX]}" if hidden else ""

    def _strange(self, what: str) -> Malformed:
        return Malformed(
            f"{self._target.full_name} answers with {what}.",
            field="ask_model",
            remedy="Check that ask_url speaks the provider's protocol, or choose another model.",
        )


def _messages(conversation: Conversation) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, ToolReturnPart, UserPromptPart

    told: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(conversation.question)], instructions=conversation.instructions)
    ]
    for one in conversation.rounds:
        told.append(one.memo if isinstance(one.memo, ModelResponse) else _response(one))
        results = [ToolReturnPart(result.call.tool, result.text, result.call.id) for result in one.results]
        told.append(ModelRequest(parts=results, instructions=conversation.instructions))
    return told


def _response(one: Round) -> ModelMessage:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    calls = [ToolCallPart(each.call.tool, each.call.arguments, each.call.id) for each in one.results]
    said: Sequence[Any] = [TextPart(one.said)] if one.said else []
    return ModelResponse(parts=[*said, *calls])


def _parameters(conversation: Conversation) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=offer.name, description=offer.description, parameters_json_schema=dict(offer.schema), strict=False
        )
        for offer in conversation.offers
    ]
    return ModelRequestParameters(function_tools=tools, allow_text_output=True)


def _settings(tokens_max: int) -> ModelSettings:
    # Attempts are counted here, where a pause is known to be short.
    return {"max_tokens": tokens_max, "max_retries": 0}


def _size(delta: object) -> int:
    """How much a piece that is not text adds: thoughts, arguments of calls."""
    return sum(len(str(getattr(delta, name, "") or "")) for name in ("content_delta", "args_delta"))


def _pause(error: ModelAPIError) -> float | None:
    """How long to wait before asking once more; None where asking again would help nobody."""
    from pydantic_ai import exceptions as known

    if _own(error) is not None:
        return None
    if isinstance(error, known.ModelRequestRejectedError | known.ModelQuotaExceededError | known.ModelRequestTimeout):
        return None
    asked = error.retry_after
    wait = 0.3 if asked is None else asked
    return wait if wait <= WAIT_SECONDS_MAX else None


def _own(error: BaseException | None) -> HindcastError | None:
    """The guard's own word, where a library has wrapped it."""
    while error is not None:
        if isinstance(error, HindcastError):
            return error
        error = error.__cause__ or error.__context__
    return None
