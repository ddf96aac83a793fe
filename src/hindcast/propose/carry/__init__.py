"""Past fixes carried over to today's code.

A fix that helped once is remembered as a diff of code that has moved on since. Here its hunks are found again: line by
line, then token by token with the names that things have today. The result must parse, must use nothing that is not
there, and must have one place only; otherwise nothing is proposed, and the reason is told. Nothing here reads files,
runs programs or asks for the time: code comes in through its port.
"""

from hindcast.propose.carry.outcome import AlreadyFixed, Carried, CarriedFile, Hints, NotCarried, Outcome, Tier
from hindcast.propose.carry.source import carry_over
from hindcast.propose.carry.transplant import transplant

__all__ = [
    "AlreadyFixed",
    "Carried",
    "CarriedFile",
    "Hints",
    "NotCarried",
    "Outcome",
    "Tier",
    "carry_over",
    "transplant",
]
