"""Measurements: ratios against a limit, a baseline or a peer, taken in one run. `make bench NAME=…` runs one."""

from __future__ import annotations

import os

# As the command does, before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
