"""What each method of the protocol is answered with. Nothing is kept between two calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext

from hindcast import toolbox
from hindcast.mcp import failure, prompts, resources
from hindcast.mcp.server import Reception, Visit
from hindcast.model.access import Permission
from hindcast.toolbox import TOOLS, Desk, Tool, ToolAnswer

Answer = TypeVar("Answer")
Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Handling:
    """What is done for each method, for everybody whom `receive` lets in."""

    receive: Reception

    async def list_tools(self, _: Context, __: Any) -> types.ListToolsResult:  # noqa: ANN401
        """Every tool."""
        return types.ListToolsResult(tools=[described(tool) for tool in TOOLS])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a tool in a thread. Whatever goes wrong is a result: the model that called has to read it."""
        try:
            tool = toolbox.find(params.name)
            work = partial(toolbox.call, tool.name, params.arguments or {})
            answer = await self._at_desk(context, tool.permission, f"mcp {tool.name}", work)
        # The face of the product: whatever a tool can bring about ends as an answer.
        except Exception as error:  # noqa: BLE001
            return failure.as_result(error)
        return answered(answer)

    async def list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:  # noqa: ANN401
        """A page of incidents and postmortems."""
        cursor = params.cursor if params is not None else None
        return await self._reading(context, "mcp resources", lambda desk: resources.listed(desk, cursor))

    async def list_templates(self, _: Context, __: Any) -> types.ListResourceTemplatesResult:  # noqa: ANN401
        """How the addresses of resources are made."""
        return types.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """One page."""
        uri = str(params.uri)
        return await self._reading(context, "mcp resource", lambda desk: resources.read(desk, uri))

    async def list_prompts(self, _: Context, __: Any) -> types.ListPromptsResult:  # noqa: ANN401
        """Every prompt."""
        return types.ListPromptsResult(prompts=prompts.described())

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A prompt with its arguments filled in."""
        given = params.arguments or {}
        return await self._reading(
            context, f"mcp prompt {params.name[:60]}", lambda desk: prompts.written(desk, params.name, given)
        )

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Ids of incidents are the only thing that can be completed."""
        if params.argument.name not in ("id", "incident"):
            return types.CompleteResult(completion=types.Completion(values=[]))
        value = params.argument.value
        found = await self._reading(context, "mcp completion", lambda desk: resources.completed(desk, value))
        return types.CompleteResult(completion=found)

    async def _reading(self, context: Context, what: str, work: Callable[[Desk], Answer]) -> Answer:
        try:
            return await self._at_desk(context, Permission.READ, what, work)
        # The face of the product: here too.
        except Exception as error:
            raise failure.as_error(error) from error

    async def _at_desk(
        self, context: Context, permission: Permission, what: str, work: Callable[[Desk], Answer]
    ) -> Answer:
        """Receive the caller, then work: in a thread, since everything below the faces waits for disks."""
        visit = Visit(context.request, _client(context), what)
        return await anyio.to_thread.run_sync(lambda: work(self.receive(visit, permission)), abandon_on_cancel=True)


def described(tool: Tool) -> types.Tool:
    """A tool as clients list it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=toolbox.schema(tool),
        output_schema=toolbox.answer_schema(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=tool.is_destructive,
            idempotent_hint=tool.is_idempotent,
            # Everything a tool can reach is in the memory of one space.
            open_world_hint=False,
        ),
    )


def answered(answer: ToolAnswer) -> types.CallToolResult:
    """A tool's answer as clients receive it."""
    told = {**answer.data, "evidence": list(answer.evidence), "is_truncated": answer.is_truncated}
    return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=told)


def _client(context: Context) -> str:
    params = context.session.client_params
    return params.client_info.name if params is not None else ""
