"""The seams to the world: small protocols, each with one contract suite in tests/contract."""

from __future__ import annotations

from hindcast.ports.accounts import A, Account, Accounts, Ledger, Passwords, Trail
from hindcast.ports.code import Applied, Code, Lint, Linter, Workspace, WorkspaceState
from hindcast.ports.llm import LLM
from hindcast.ports.memory import Early, Embedder, Index, Row, Searchable, Store, Tip, Writer
from hindcast.ports.telemetry import Counted, Kept, Line, Span, Telemetry
from hindcast.ports.world import Clock, Entropy, Progress

__all__ = [
    "LLM",
    "A",
    "Account",
    "Accounts",
    "Applied",
    "Clock",
    "Code",
    "Counted",
    "Early",
    "Embedder",
    "Entropy",
    "Index",
    "Kept",
    "Ledger",
    "Line",
    "Lint",
    "Linter",
    "Passwords",
    "Progress",
    "Row",
    "Searchable",
    "Span",
    "Store",
    "Telemetry",
    "Tip",
    "Trail",
    "Workspace",
    "WorkspaceState",
    "Writer",
]
