"""Works out briefings in a thread of its own, so that they are ready before anybody asks, and tells who listens."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hindcast.app import App
from hindcast.briefing import Briefing, Key
from hindcast.instruments import Work
from hindcast.model.record import Json
from hindcast.rest.live import Live

LOG = logging.getLogger("hindcast")

# How long it waits when nobody calls. Whatever is new is called out, so this only paces bringing up to date.
PAUSE_SECONDS = 0.5
# Bringing answers up to date takes a bounded part of the machine, however many incidents are under way.
AGAIN_PER_PAUSE_MAX = 2


class Briefer:
    """Works from start to stop. A briefing that cannot be made is told of like any other, and tried again."""

    def __init__(
        self,
        app: App,
        live: Live,
        *,
        pause_seconds: float = PAUSE_SECONDS,
        briefed: Callable[[Key], None] = lambda _: None,
    ) -> None:
        """`briefed` is told whenever a briefing was worked out."""
        self._app = app
        self._live = live
        self._briefed = briefed
        self._pause_seconds = pause_seconds
        self._called = threading.Event()
        self._stopping = False
        self._told: dict[Key, tuple[int, str]] = {}
        self._thread = threading.Thread(target=self._run, name="briefer", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def call(self) -> None:
        """Something new waits; may be called from any thread."""
        self._called.set()

    def stop(self) -> None:
        """Work no more, and wait for what is under way."""
        self._stopping = True
        self._called.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._called.wait(self._pause_seconds)
            self._called.clear()
            # The face of the product: one briefing that cannot be made must not end all others.
            try:
                self._work()
            except Exception as error:
                self._app.counts["briefings_failed"] += 1
                LOG.warning("Working out a briefing failed: %s", error, exc_info=error)

    def _work(self) -> None:
        app, again = self._app, 0
        app.counts["new_failures_asked"] += app.new_failures.work()
        while not self._stopping:
            key = app.briefings.due(app.now())
            if key is None:
                key = app.briefings.due_again(app.now()) if again < AGAIN_PER_PAUSE_MAX else None
                again += 1
            if key is None:
                return
            self._work_out(key)

    def _work_out(self, key: Key) -> None:
        app = self._app
        since = app.briefings.wanted_since(key)
        is_new = app.briefings.kept(*key) is None
        try:
            made = app.briefings.work_out(*key, now=app.now())
        except Exception as error:
            self._live.tell(key[0], "answer", {"incident": key[1], "failure": f"{type(error).__name__}: {error}"})
            raise
        if made.failure:
            app.counts["briefings_failed"] += 1
            LOG.warning("No briefing about %s: %s", made.incident, made.failure, extra={"space": made.space})
        else:
            app.counts["briefings"] += 1
            if is_new and since is not None:
                app.instruments.took(Work.BRIEFING, max((app.now() - since).total_seconds(), 0.0))
        # An answer that says the same again is no news.
        if self._told.get(key) != (news := (made.revision, made.failure)):
            self._note(key, news)
            self._live.tell(made.space, "answer", told(made))
        if not made.failure:
            self._briefed(key)

    def _note(self, key: Key, news: tuple[int, str]) -> None:
        self._told[key] = news
        while len(self._told) > self._app.briefings.limits.kept_max:
            del self._told[next(iter(self._told))]


def told(briefing: Briefing) -> dict[str, Json]:
    """A briefing as listeners get it: enough for a line on a screen; the page asks for the rest."""
    document: dict[str, Json] = {
        "incident": briefing.incident,
        "at": briefing.at.isoformat(),
        "step": briefing.step,
        "revision": briefing.revision,
    }
    if briefing.answered is not None:
        diagnosis = briefing.answered.diagnosis
        document |= {
            "familiarity": diagnosis.familiarity.value,
            "confidence": diagnosis.confidence,
            "headline": diagnosis.headline,
            "case": diagnosis.case,
        }
    if briefing.failure:
        document["failure"] = briefing.failure
    return document
