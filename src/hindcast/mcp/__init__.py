"""The MCP face: the toolbox, incidents as resources and prompts for triage, for any agent that speaks MCP.

It is a thin translation over the official SDK, over stdio (`stdio.py`) and streamable HTTP (`exchange.py`, which the
HTTP face puts on its port). Whoever calls is received once for each call, with the permission that it needs; what a
tool, a resource or a prompt says is made elsewhere. Loading the SDK takes a second, so nobody imports this before an
agent has come.
"""
