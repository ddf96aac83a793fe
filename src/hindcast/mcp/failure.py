"""Tells agents of failures: one table from the error tree to what a model can do next, and to the protocol's codes."""

from __future__ import annotations

import logging
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from hindcast.model.errors import (
    Busy,
    Damaged,
    HindcastError,
    Malformed,
    Missing,
    Refused,
    Stale,
    Unavailable,
    Unidentified,
)

LOG = logging.getLogger("hindcast")

# The one table, the narrower kind before the wider: what a model is told to do, and the code of JSON-RPC.
TOLD: tuple[tuple[type[HindcastError], str, int], ...] = (
    (Malformed, "Correct the argument and call again.", types.INVALID_PARAMS),
    (Missing, "Look for what there is, then call again.", types.INVALID_PARAMS),
    (Stale, "Read again, then retry.", types.INVALID_REQUEST),
    (Unidentified, "Do not retry; tell the person that a key is needed.", types.INVALID_REQUEST),
    (Refused, "Do not retry; tell the person.", types.INVALID_REQUEST),
    (Busy, "Wait, then call again with the same arguments.", types.INTERNAL_ERROR),
    (Unavailable, "Wait a little, then call again once; if it fails again, tell the person.", types.INTERNAL_ERROR),
    (Damaged, "Do not retry; tell the person.", types.INTERNAL_ERROR),
)
UNEXPECTED = "Hindcast met something it did not expect. Do not retry; tell the person. Its log says what."


def as_result(error: Exception) -> types.CallToolResult:
    """A tool call that failed, as a result that the model reads."""
    if not isinstance(error, HindcastError):
        LOG.error("A tool failed in a way nobody expected.", exc_info=error)
        return _result(UNEXPECTED, {"kind": "unexpected"})
    kind, next_step, _ = _row(error)
    where = f" (argument {error.field})" if error.field else ""
    text = f"Failed{where}: {error.problem} {error.remedy}\n{next_step}"
    told: dict[str, Any] = {"kind": kind, "problem": error.problem, "remedy": error.remedy, "field": error.field}
    if isinstance(error, Busy):
        told["retry_after_seconds"] = error.retry_after_seconds
    return _result(text, told)


def as_error(error: Exception) -> MCPError:
    """A resource or prompt that could not be given, as an error of the protocol."""
    if isinstance(error, MCPError):
        return error
    if not isinstance(error, HindcastError):
        LOG.error("A request failed in a way nobody expected.", exc_info=error)
        return MCPError(types.INTERNAL_ERROR, UNEXPECTED)
    kind, _, code = _row(error)
    return MCPError(code, f"{error.problem} {error.remedy}", {"kind": kind, "field": error.field})


def _row(error: HindcastError) -> tuple[str, str, int]:
    """The kind by the name of the tree, whatever narrower class was raised."""
    for kind, next_step, code in TOLD:
        if isinstance(error, kind):
            return kind.__name__.lower(), next_step, code
    return "unexpected", UNEXPECTED, types.INTERNAL_ERROR


def _result(text: str, error: dict[str, Any]) -> types.CallToolResult:
    content = [types.TextContent(text=text)]
    return types.CallToolResult(content=list(content), structured_content={"error": error}, is_error=True)
