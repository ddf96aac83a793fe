"""Hindcast: incident memory for engineering teams and their AI agents."""

__version__ = "0.1.0"
