"""The rules of ruff that are about incidents, with the kinds of errors each answers, in our own words.

Most of what ruff knows is about style. What stands here fails, leaks, hangs or gives wrong data when it runs, and is
not found by a rule of the packs.
"""

from __future__ import annotations

from dataclasses import dataclass

from hindcast.model.card import CardSeverity
from hindcast.model.code_rule import ErrorKind


@dataclass(frozen=True, slots=True)
class RuffRule:
    """A rule of ruff as a card tells it."""

    code: str
    title: str
    why: str
    answers: tuple[ErrorKind, ...]
    severity: CardSeverity = CardSeverity.WARNING
    risk: str = ""


_CRASH, _DATA, _MEMORY = ErrorKind.CRASH, ErrorKind.DATA, ErrorKind.MEMORY
_SILENT, _STALLED, _DEADLOCK = ErrorKind.SILENT, ErrorKind.STALLED, ErrorKind.DEADLOCK
_FAILS, _HINT = CardSeverity.CRITICAL, CardSeverity.HINT

RUFFS = tuple(
    RuffRule(*row)
    for row in (
        (
            "B006",
            "Make a new list or dict in each call; this default is shared by all of them.",
            "A default is made once. What one call puts into it, every later call finds there.",
            (_DATA, _MEMORY),
            CardSeverity.WARNING,
            "A caller that passes None on purpose gets the default then.",
        ),
        ("F821", "Define this name; it exists nowhere.", "Using it raises a NameError.", (_CRASH,), _FAILS),
        (
            "F823",
            "Set this variable before it is read.",
            "It is assigned later in the function, so reading it raises an UnboundLocalError.",
            (_CRASH,),
            _FAILS,
        ),
        (
            "F632",
            "Compare with == and not with is.",
            (
                "Whether two equal values are the same object depends on the interpreter, so that the comparison is "
                "right in tests and wrong in production."
            ),
            (_DATA, _CRASH),
        ),
        ("F601", "Give each key once.", "Of a key given twice only the last value counts.", (_DATA,)),
        (
            "F507",
            "Give as many values as the text has places.",
            "The number of values does not fit the format, which raises a TypeError.",
            (_CRASH,),
            _FAILS,
        ),
        (
            "F502",
            "Give the format a dict.",
            "The format names its values and gets something else, which raises a TypeError.",
            (_CRASH,),
            _FAILS,
        ),
        (
            "PLE1205",
            "Give the log message as many values as it has places.",
            "The message cannot be put together; the line is lost when it is needed.",
            (_SILENT, _CRASH),
        ),
        (
            "PLE1206",
            "Give the log message as many values as it has places.",
            "The message cannot be put together; the line is lost when it is needed.",
            (_SILENT, _CRASH),
        ),
        ("PLE0704", "Raise something.", "A bare raise outside of a handler is a RuntimeError.", (_CRASH,), _FAILS),
        (
            "PLW0711",
            "Name both exceptions in parentheses.",
            "`except A or B` catches only A; B goes on.",
            (_CRASH, _SILENT),
            _FAILS,
        ),
        (
            "PLW1508",
            "Give the environment's default as text.",
            "The value is text when the variable is set and something else when it is not.",
            (_CRASH, _DATA),
        ),
        (
            "PLW1509",
            "Start the program without preexec_fn.",
            "It runs between fork and exec, where a lock that another thread held is held for ever.",
            (_DEADLOCK, _STALLED),
        ),
        (
            "PLW2101",
            "Share one lock; a new one in each call keeps nobody out.",
            "A lock that is made where it is taken is never held by anybody else.",
            (_DATA, _DEADLOCK),
            _FAILS,
        ),
        (
            "B019",
            "Bound the cache of this method; it keeps every object it was called on.",
            "The cache holds `self`, so that no object is ever freed.",
            (_MEMORY, ErrorKind.LEAK),
        ),
        (
            "B020",
            "Give the loop's variable another name than what it walks over.",
            "After the first round the name stands for the item, and for the list no more.",
            (_DATA, _CRASH),
        ),
        (
            "B023",
            "Bind the loop's variable in the function that uses it.",
            "The function is run later and sees the last value of the loop, not its own.",
            (_DATA,),
        ),
        (
            "B031",
            "Keep the group in a list before using it twice.",
            "A group of groupby can be read once; the second time it is empty.",
            (_DATA,),
        ),
        (
            "B035",
            "Let the key of the dict depend on the item.",
            "Every round writes to the same key, so that only the last item is there.",
            (_DATA,),
        ),
        (
            "ASYNC230",
            "Open the file in a thread.",
            "A blocking open in an async function stops every other task while the disk is slow.",
            (_STALLED, ErrorKind.TIMEOUT),
            _HINT,
        ),
        (
            "ASYNC222",
            "Wait for the program without stopping the event loop.",
            "Waiting for a process in an async function stops every other task until it ends.",
            (_STALLED, ErrorKind.TIMEOUT),
        ),
    )
)
