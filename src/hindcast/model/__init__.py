"""Frozen values that every other part speaks in. No I/O, and no import of anything else of ours."""
