"""How the errors of a past incident went: quiet, a rise, worse where somebody made it worse, an end.

The incidents of the history were never lived, so nobody counted them. The same incident has the same course each time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta

import numpy as np

from hindcast.model.case import Attempt, Outcome
from hindcast.model.signal import Course, Severity
from hindcast.simulate.chance import Purpose, generator

BEFORE = timedelta(minutes=10)
AFTER = timedelta(minutes=5)
STEPS_MAX = 120
STEP_SECONDS_MIN = 30
USUALLY_PER_MINUTE = 0.8
WORST_PER_MINUTE = {Severity.CRITICAL: 340.0, Severity.MAJOR: 150.0, Severity.MINOR: 60.0, Severity.INFO: 20.0}
RISE_MINUTES = 2.0
FALL_MINUTES = 1.5
# What made it worse did so for as long as it takes to see that and take it back.
WORSE_FACTOR = 1.7
WORSE_MINUTES = 6.0


def course(name: str, began: datetime, ended: datetime, severity: Severity, attempts: Iterable[Attempt]) -> Course:
    """The course of an incident of this name; what its attempts did to it can be seen."""
    since, until = began - BEFORE, ended + AFTER
    step = max(STEP_SECONDS_MIN, -int(-(until - since).total_seconds() // STEPS_MAX))
    places = np.arange(-int(-(until - since).total_seconds() // step))
    minute = (places + 0.5) * step / 60 - BEFORE / timedelta(minutes=1)
    length = (ended - began) / timedelta(minutes=1)
    height = np.clip(minute / RISE_MINUTES, 0, 1) * np.clip(1 - (minute - length) / FALL_MINUTES, 0, 1)
    for attempt in attempts:
        if attempt.outcome is Outcome.MADE_WORSE and attempt.at is not None:
            after = minute - (attempt.at - began) / timedelta(minutes=1)
            height = np.where((after >= 0) & (after < WORSE_MINUTES), height * WORSE_FACTOR, height)
    wanted = (USUALLY_PER_MINUTE + WORST_PER_MINUTE[severity] * height) * step / 60
    drawn = generator(zlib.crc32(name.encode()), Purpose.COURSE, 0).poisson(wanted)
    return Course(since, step, tuple(int(one) for one in drawn))
