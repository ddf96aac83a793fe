"""What people and agents add to an incident over HTTP: notes, attempts and what came of them, the fix, decisions.

Who acts is who asks; `by` names somebody else who did it. Each answer is the incident as it stands after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import FastAPI, Path
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.responses import Response

from hindcast.casebook import Casebook, check_unchanged
from hindcast.casebook.deciding import decided, event_of
from hindcast.casebook.joining import join, split, unlink
from hindcast.casebook.layout import address_of, readable
from hindcast.casebook.people import TEXT_CHARS_MAX, Fix, acknowledged, attempted, judged, noted, resolved, timed
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness
from hindcast.model.errors import Malformed, Missing, Refused
from hindcast.model.incident import Event
from hindcast.rest.conditions import IfMatch, matching
from hindcast.rest.desk import Desk
from hindcast.rest.incidents import told
from hindcast.rest.once import Again
from hindcast.rest.seat import Recording, Responding, Seat
from hindcast.rest.shapes import IncidentTold

ROOT = "/api/v1/incidents/{incident_id}"
MINUTES_MAX = 5_256_000

Text = Annotated[str, Field(max_length=TEXT_CHARS_MAX)]
By = Annotated[str, Field(max_length=200, description="Who did it, if that is somebody else than who says so.")]
Id = Annotated[str, Path(max_length=500, description="As GET /api/v1/incidents shows it.")]


class Said(BaseModel):
    """What somebody says. A field that nobody knows is a mistake, not a detail."""

    model_config = ConfigDict(extra="forbid")


class NoteSaid(Said):
    """What somebody wants to be remembered."""

    text: Text = Field(min_length=1, examples=["Only in eu-west, since the failover."])
    by: By = ""


class AcknowledgementSaid(Said):
    """Who works on it."""

    by: By = ""


class AttemptSaid(Said):
    """What was tried, and what came of it."""

    action: Text = Field(min_length=1, examples=["raised the pool to 200"])
    outcome: Outcome = Outcome.UNKNOWN
    at: AwareDatetime | None = Field(default=None, description="When; now, if left out while the incident lasts.")
    by: By = ""
    command: Text = ""
    diff: Text = ""
    config: Text = ""


class OutcomeSaid(Said):
    """What came of an attempt that is known."""

    outcome: Outcome
    why: Text = Field(default="", description="How that is known.")
    action: Text = Field(default="", description="What was done, in better words.")


class ResolutionSaid(Said):
    """Why it happened and what ended it; each may be said by itself."""

    cause: Text = Field(default="", examples=["workers kept their connections"])
    fix: Text = Field(default="", examples=["release them in the teardown"])
    attempt: str = Field(default="", max_length=100, description="The attempt that it was, as in a2.")
    by: By = ""
    command: Text = ""
    diff: Text = ""
    config: Text = ""
    minutes: float | None = Field(default=None, ge=0, le=MINUTES_MAX, description="How long it took.")


class DecisionSaid(Said):
    """What somebody decides about an incident."""

    verb: Literal["confirm", "dismiss", "reopen"]


class SplitSaid(Said):
    """Which services have a cause of their own, which failure began in its midst, or that no earlier one came back."""

    services: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(default=[], max_length=100)
    failure: str = Field(default="", max_length=20, pattern=r"^\d*$", description="As `detection.new_failures` has it.")
    from_previous: bool = Field(default=False, description="It is not the earlier incident that it was linked to.")
    new_id: str = Field(default="", max_length=200, description="The new incident's id; made up if left out.")
    why: str = Field(default="", max_length=4_000)


class JoinSaid(Said):
    """Which incident is part of this one."""

    other: str = Field(min_length=1, max_length=500)
    why: str = Field(default="", max_length=4_000)


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_notes(app, desk)
    _add_acknowledgement(app, desk)
    _add_attempts(app, desk)
    _add_resolution(app, desk)
    _add_decision(app, desk)
    _add_borders(app, desk)


def _add_notes(app: FastAPI, desk: Desk) -> None:
    @app.post(f"{ROOT}/notes", tags=["incidents"], operation_id="note_add", response_model=IncidentTold)
    def note_add(incident_id: Id, said: NoteSaid, seat: Recording, again: Again, if_match: IfMatch = None) -> Response:
        """Add a note."""
        text, now, who = desk.clean(said.text), desk.now(), said.by or seat.actor
        return again.once(
            seat,
            said,
            lambda: _changed(
                desk, seat, incident_id, if_match, lambda case: noted(case, text, by=who, at=now), why=f"{who} noted."
            ),
        )


def _add_acknowledgement(app: FastAPI, desk: Desk) -> None:
    @app.post(
        f"{ROOT}/acknowledgement", tags=["incidents"], operation_id="incident_acknowledge", response_model=IncidentTold
    )
    def incident_acknowledge(
        incident_id: Id, said: AcknowledgementSaid, seat: Recording, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Say who works on an open incident: you, or `by`. The latest to be named is its owner."""
        now, who = desk.now(), desk.clean(said.by) or seat.actor

        def edit(case: Case) -> Case:
            return acknowledged(case, by=who, at=now)

        return again.once(
            seat, said, lambda: _changed(desk, seat, incident_id, if_match, edit, why=f"{who} works on it.")
        )


def _add_attempts(app: FastAPI, desk: Desk) -> None:
    @app.post(f"{ROOT}/attempts", tags=["incidents"], operation_id="attempt_add", response_model=IncidentTold)
    def attempt_add(
        incident_id: Id, said: AttemptSaid, seat: Recording, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Say what was tried. What made it worse is worth as much as what helped."""
        now, who, action = desk.now(), said.by or seat.actor, desk.clean(said.action)
        known = said.outcome is not Outcome.UNKNOWN
        tried = Attempt(
            "",
            action,
            said.outcome,
            said.at,
            who,
            diff=desk.clean(said.diff),
            command=desk.clean(said.command),
            config=desk.clean(said.config),
            evidence=(Evidence(Witness.PERSON, f"{action}: {said.outcome}", "", now),) if known else (),
        )

        def edit(case: Case) -> Case:
            return attempted(case, timed(tried, case, now=now))

        return again.once(
            seat, said, lambda: _changed(desk, seat, incident_id, if_match, edit, why=f"{who} tried something.")
        )

    @app.post(
        f"{ROOT}/attempts/{{attempt_id}}", tags=["incidents"], operation_id="attempt_judge", response_model=IncidentTold
    )
    def attempt_judge(
        incident_id: Id,
        attempt_id: Annotated[str, Path(max_length=100, description="As the incident shows it: a1, a2 …")],
        said: OutcomeSaid,
        seat: Recording,
        again: Again,
        if_match: IfMatch = None,
    ) -> Response:
        """Say what came of an attempt."""
        quote = desk.clean(said.why) or f"{attempt_id}: {said.outcome}"
        evidence, action = Evidence(Witness.PERSON, quote, "", desk.now()), desk.clean(said.action)

        def edit(case: Case) -> Case:
            return judged(case, attempt_id, said.outcome, evidence=evidence, action=action)

        why = f"What came of {attempt_id}."
        return again.once(seat, said, lambda: _changed(desk, seat, incident_id, if_match, edit, why=why))


def _add_resolution(app: FastAPI, desk: Desk) -> None:
    @app.post(f"{ROOT}/resolution", tags=["incidents"], operation_id="incident_resolve", response_model=IncidentTold)
    def incident_resolve(
        incident_id: Id, said: ResolutionSaid, seat: Responding, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Say why it happened and what ended it. What is still watched is confirmed as over with it."""
        fix = Fix(
            desk.clean(said.fix),
            desk.clean(said.cause),
            said.attempt,
            desk.clean(said.command),
            desk.clean(said.diff),
            desk.clean(said.config),
            said.minutes,
        )
        if fix == Fix():
            raise Malformed(
                "Nothing was said about why it happened or what ended it.",
                field="fix",
                remedy="Give cause or fix. POST …/decision with confirm only says that it is over.",
            )
        now, who = desk.now(), said.by or seat.actor

        def resolve() -> Response:
            with matching(if_match) as expected, desk.turn:
                _casebook(desk, seat, incident_id).change(
                    incident_id,
                    lambda case: resolved(case, fix, by=who, at=now),
                    actor=seat.actor,
                    why=f"{who} said what ended it.",
                    expected=expected,
                )
                known = desk.register.find(seat.space, incident_id)
                is_watched = known is not None and not known.state.is_over
                event = _decided(desk, seat, "confirm", incident_id, None) if is_watched else None
            if event is not None:
                desk.tell(event)
            return told(desk, seat.space, desk.view(seat.space), incident_id)

        return again.once(seat, said, resolve)


def _add_decision(app: FastAPI, desk: Desk) -> None:
    @app.post(f"{ROOT}/decision", tags=["incidents"], operation_id="incident_decide", response_model=IncidentTold)
    def incident_decide(
        incident_id: Id, said: DecisionSaid, seat: Responding, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Confirm that an incident is over, dismiss it as none, or reopen it."""

        def decide() -> Response:
            with matching(if_match) as expected, desk.turn:
                event = _decided(desk, seat, said.verb, incident_id, expected)
            if event is not None:
                desk.tell(event)
            return told(desk, seat.space, desk.view(seat.space), incident_id)

        return again.once(seat, said, decide)


def _add_borders(app: FastAPI, desk: Desk) -> None:
    @app.post(f"{ROOT}/split", tags=["incidents"], operation_id="incident_split", response_model=IncidentTold)
    def incident_split(
        incident_id: Id, said: SplitSaid, seat: Responding, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Take services, or a new failure, out into an incident of their own. The answer is the new one; that sticks.

        While an incident lasts, its `detection.new_failures` are those that began in its midst. With `from_previous`
        the link to an earlier incident is taken back, and the answer is the incident itself.
        """
        if (bool(said.services), bool(said.failure), said.from_previous).count(True) != 1:
            raise Malformed(
                "Name services or a failure.",
                field="services",
                remedy="Send one of `services`, `failure` and `from_previous`.",
            )

        def take_link_back() -> Response:
            with matching(if_match) as expected:
                unlink(
                    _casebook(desk, seat, incident_id),
                    incident_id,
                    actor=seat.actor,
                    why=desk.clean(said.why) or "It is another failure.",
                    expected=expected,
                )
            return told(desk, seat.space, desk.view(seat.space), incident_id)

        def decide_about_failure() -> Response:
            with matching(if_match) as expected, desk.turn:
                kept = _casebook(desk, seat, incident_id).kept(incident_id)
                if kept is not None:
                    check_unchanged(kept, expected)
                events = desk.app.split(incident_id, int(said.failure), by=seat.actor, space=seat.space)
            for event in events:
                desk.tell(event)
            return told(desk, seat.space, desk.view(seat.space), events[0].incident.id)

        def decide() -> Response:
            with matching(if_match) as expected:
                _, new = split(
                    _casebook(desk, seat, incident_id),
                    incident_id,
                    said.services,
                    new_id=said.new_id,
                    actor=seat.actor,
                    why=desk.clean(said.why) or f"{', '.join(said.services)} has a cause of its own."[:4_000],
                    expected=expected,
                )
            return told(desk, seat.space, desk.view(seat.space), new.id)

        if said.from_previous:
            return again.once(seat, said, take_link_back)
        return again.once(seat, said, decide_about_failure if said.failure else decide)

    @app.post(f"{ROOT}/join", tags=["incidents"], operation_id="incident_join", response_model=IncidentTold)
    def incident_join(
        incident_id: Id, said: JoinSaid, seat: Responding, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Make one incident out of two: this one goes on with what both know, the other points to it. That sticks."""

        def decide() -> Response:
            with matching(if_match) as expected:
                why = desk.clean(said.why) or f"{said.other} is part of {incident_id}."
                book = _casebook(desk, seat, incident_id, said.other)
                join(book, incident_id, said.other, actor=seat.actor, why=why, expected=expected)
            return told(desk, seat.space, desk.view(seat.space), incident_id)

        return again.once(seat, said, decide)


def check_cases(memory: Memory, *incidents: str) -> None:
    """Raise Refused where what stands in the place of a case is none."""
    for incident_id in incidents:
        record = memory.now().find(address_of(incident_id))
        if record is not None and readable(record) is None:
            raise Refused(
                f"{record.address} holds no case: {record.actor} wrote something else there.",
                field="incident_id",
                remedy=f"See what it was: GET /api/v1/memory/history?address={record.address}",
            )


def _casebook(desk: Desk, seat: Seat, *incidents: str) -> Casebook:
    memory = desk.memory(seat.space)
    check_cases(memory, *incidents)
    return Casebook(memory)


def _changed(
    desk: Desk, seat: Seat, incident_id: str, if_match: str | None, edit: Callable[[Case], Case], *, why: str
) -> Response:
    with matching(if_match) as expected:
        _casebook(desk, seat, incident_id).change(incident_id, edit, actor=seat.actor, why=why, expected=expected)
    return told(desk, seat.space, desk.view(seat.space), incident_id)


def _decided(desk: Desk, seat: Seat, verb: str, incident_id: str, expected: int | None) -> Event | None:
    """Hand a decision to whoever watches; what nobody watches is decided in memory."""
    casebook, space = _casebook(desk, seat, incident_id), seat.space
    kept = casebook.kept(incident_id)
    if kept is not None:
        check_unchanged(kept, expected)
        if kept.joined_into:
            raise Refused(
                f"{incident_id} is part of {kept.joined_into}.", field="id", remedy=f"Decide about {kept.joined_into}."
            )
    try:
        return desk.app.decide(verb, incident_id, by=seat.actor, space=space)
    except Missing:
        known = desk.register.find(space, incident_id)
    if known is not None:
        event = event_of(known, verb, by=seat.actor, at=desk.now())
        desk.register.remember(event, actor=seat.actor)
        return event
    now = desk.now()
    casebook.revise(
        [incident_id],
        lambda found: decided(found, verb, at=now),
        actor=seat.actor,
        why=f"{seat.actor} said {verb}.",
        expected=expected,
    )
    return None
