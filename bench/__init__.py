"""Measurements: ratios against a limit, a baseline or a peer, taken in one run. `make bench NAME=…` runs one."""
