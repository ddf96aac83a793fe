"""The limits of memory, each with its unit in its name.

A limit exists so that one careless caller cannot make memory slow, large or unreadable for everyone else.
Reaching one is an error that names it; nothing is ever silently cut short.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """What one space accepts. The defaults fit a team; a store opened with others applies those."""

    # A record is a fact or an incident, not a log file: logs belong into telemetry.
    body_bytes_max: int = 1_000_000
    text_chars_max: int = 200_000
    # Large enough for an import in one commit, small enough for one transaction to stay short.
    changes_per_commit_max: int = 100_000
    why_chars_max: int = 4_000
    records_per_page_max: int = 10_000
    commits_per_page_max: int = 10_000
    hits_per_search_max: int = 1_000
    query_chars_max: int = 20_000
    # Each level of branching costs a read one more look-up, so depth is bounded and width is not.
    branch_depth_max: int = 32
    branches_max: int = 10_000
    snapshots_max: int = 100_000
    # A diff or merge of more than this is a migration, and should be done in parts.
    diff_records_max: int = 1_000_000
    body_depth_max: int = 64
