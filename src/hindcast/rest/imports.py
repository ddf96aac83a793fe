"""Postmortems over HTTP: a page is read, remembered and reviewed; each record is accepted or corrected in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Self

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.responses import Response

from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.learn.merge import settled
from hindcast.learn.postmortem import read_postmortem
from hindcast.learn.review import Correction, Review, correction_of, review_of, settle
from hindcast.model.case import Case
from hindcast.model.errors import HindcastError, Malformed
from hindcast.rest.casework import Said
from hindcast.rest.desk import Desk, answered
from hindcast.rest.once import Again
from hindcast.rest.seat import Responding, Seat

ROOT = "/api/v1/imports"
DOCUMENTS_MAX = 100
DOCUMENT_CHARS_MAX = 400_000
VALUE_CHARS_MAX = 4_000
NAMED = "By field: `cause`, `fix`, `people` (commas between), `minutes`, or an attempt as the review numbers it, `a1`, \
whose value is worked, no-effect, worse, unknown, or never where nobody tried it."

Corrections = Annotated[
    dict[Annotated[str, Field(max_length=20)], Annotated[str, Field(min_length=1, max_length=VALUE_CHARS_MAX)]],
    Field(max_length=200, description=NAMED, examples=[{"cause": "the driver leaks", "a2": "worse"}]),
]


class ImportDocument(Said):
    """A postmortem, exported chat, ticket or mail, as text."""

    name: str = Field(min_length=1, max_length=300, description="A file's name; the same name is the same record.")
    text: str = Field(min_length=1, max_length=DOCUMENT_CHARS_MAX)
    accept: bool = Field(default=False, description="Accept at once what was read surely.")
    corrections: Corrections = Field(default_factory=dict)


class ImportRequest(Said):
    """Documents to remember."""

    documents: list[ImportDocument] = Field(min_length=1, max_length=DOCUMENTS_MAX)
    dry_run: bool = Field(default=False, description="Read and review; write nothing.")


class RecordReview(Said):
    """What a person says about one record: what is not named is accepted as far as it was read surely."""

    case: str = Field(min_length=1, max_length=500)
    corrections: Corrections = Field(default_factory=dict)


class ReviewRequest(Said):
    """Records that a person has looked at."""

    records: list[RecordReview] = Field(min_length=1, max_length=DOCUMENTS_MAX)


class ReviewFieldResponse(BaseModel):
    """A field as it was read, with its sentences."""

    name: str
    value: str
    outcome: str = Field(description="What came of it, for an attempt; empty otherwise.")
    sentences: list[str]
    sure: bool
    question: str = Field(description="What is asked where the reading is not sure; empty otherwise.")


class ReviewResponse(BaseModel):
    """One record to look at."""

    case: str
    title: str
    open: int = Field(description="How many fields are not sure.")
    fields: list[ReviewFieldResponse]

    @classmethod
    def of(cls, review: Review) -> Self:
        """The response for a review."""
        fields = [
            ReviewFieldResponse(
                name=one.name,
                value=one.value,
                outcome=one.outcome,
                sentences=list(one.sentences),
                sure=one.sure,
                question=one.question,
            )
            for one in review.items
        ]
        return cls(case=review.case, title=review.title, open=len(review.questions), fields=fields)


class RejectedDocument(BaseModel):
    """A document that could not be read."""

    name: str
    reason: str


class ImportResponse(BaseModel):
    """What became of the documents, and the review of each record."""

    new: list[str]
    changed: list[str]
    unchanged: list[str]
    rejected: list[RejectedDocument]
    review: list[ReviewResponse]


class ReviewsResponse(BaseModel):
    """The records as they stand after a review."""

    review: list[ReviewResponse]


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""

    @app.post(ROOT, tags=["imports"], operation_id="import_documents", response_model=ImportResponse)
    def import_documents(said: ImportRequest, seat: Responding, again: Again) -> Response:
        """Remember postmortems as incidents, and review them: what is not surely told is left open and asked for.

        Sending a document again takes what it says now and keeps what people said since.
        """
        return again.once(seat, said, lambda: _imported(desk, seat, said))

    @app.post(f"{ROOT}/review", tags=["imports"], operation_id="import_review", response_model=ReviewsResponse)
    def import_review(said: ReviewRequest, seat: Responding, again: Again) -> Response:
        """Accept or correct imported records, each in one go; either all of them or none."""
        return again.once(seat, said, lambda: _reviewed(desk, seat, said))


def _imported(desk: Desk, seat: Seat, said: ImportRequest) -> Response:
    cases: dict[str, Case] = {}
    suggestions: dict[str, str] = {}
    rejected: list[RejectedDocument] = []
    for document in said.documents:
        try:
            # Secrets go first, so that whatever is read holds none.
            read = read_postmortem(desk.clean(document.text), name=document.name, fallback_at=desk.now())
            case = _corrected(desk, seat, read.case, document)
        except HindcastError as error:
            rejected.append(RejectedDocument(name=document.name, reason=str(error)))
            continue
        if case.id in cases:
            raise Malformed(f"Two documents make {case.id}.", field="documents", remedy="Give each its own name.")
        cases[case.id] = case
        suggestions[case.id] = read.suggestion.text if read.suggestion is not None else ""
    new, changed, unchanged = _written(desk, seat, list(cases.values()), dry_run=said.dry_run)
    known = {one: cases[one] if said.dry_run else desk.register.casebook(seat.space).case(one) for one in cases}
    reviews = [ReviewResponse.of(review_of(case, suggestion=suggestions[one])) for one, case in known.items()]
    body = ImportResponse(new=new, changed=changed, unchanged=unchanged, rejected=rejected, review=reviews)
    return answered(body.model_dump())


def _corrected(desk: Desk, seat: Seat, case: Case, document: ImportDocument) -> Case:
    if document.accept or document.corrections:
        case = settle(case, _correction(desk, document.corrections), by=seat.actor, at=desk.now())
    found = with_clues(case)
    return replace(found, components=found.components or found.clues.components)


def _correction(desk: Desk, told: Mapping[str, str]) -> Correction:
    return correction_of({name: desk.clean(value) for name, value in told.items()})


def _written(desk: Desk, seat: Seat, cases: Sequence[Case], *, dry_run: bool) -> tuple[list[str], list[str], list[str]]:
    if dry_run or not cases:
        memory = desk.register.existing(seat.space)
        book = Casebook(memory) if memory is not None else None
        known = {case.id: book.find(case.id) if book is not None else None for case in cases}
        same = [case.id for case in cases if (old := known[case.id]) is not None and settled(old, case) == old]
        new = [case.id for case in cases if known[case.id] is None]
        return new, [case.id for case in cases if case.id not in {*new, *same}], same
    why = f"Imported {len(cases)} case{'' if len(cases) == 1 else 's'}."
    written = Casebook(desk.register.memory(seat.space)).put_many(cases, actor=seat.actor, why=why, settle=settled)
    return list(written.new), list(written.changed), list(written.unchanged)


def _reviewed(desk: Desk, seat: Seat, said: ReviewRequest) -> Response:
    corrections = {one.case: _correction(desk, one.corrections) for one in said.records}
    book, at = Casebook(desk.memory(seat.space)), desk.now()
    made = book.revise(
        list(corrections),
        lambda found: [
            replace(kept, case=with_clues(settle(kept.case, corrections[kept.case.id], by=seat.actor, at=at)))
            for kept in found
        ],
        actor=seat.actor,
        why=f"{seat.actor} reviewed what was imported.",
    )
    body = ReviewsResponse(review=[ReviewResponse.of(review_of(kept.case)) for kept in made])
    return answered(body.model_dump())
