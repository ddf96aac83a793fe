"""`hindcast evaluate`: how good recall is on your own incidents and questions, measured where it can harm nothing.

The memory that people use is never opened: records and questions come from files, and everything happens in a folder of
its own that is gone afterwards.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from hindcast.cli.render import clean, facts, plural, table
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed, Missing

if TYPE_CHECKING:
    from hindcast.evaluation import Asked, Evaluation, Rejected

SPACE = "evaluation"
# A file of records is read whole; what is larger is a log, and belongs into telemetry.
FILE_BYTES_MAX = 1_000_000_000
LINES_TOLD_MAX = 5
QUESTION_CHARS_MAX = 100

HELP = (
    "Measure how well memory answers, on your own data.\n\n"
    "Nothing of it is remembered: an evaluation cannot write into the memory that you use, it never even opens it."
)
EPILOG = """[dim]# Last year's incidents, and what people asked about them[/dim]
hindcast evaluate recall --records incidents.jsonl --queries questions.jsonl
hindcast evaluate recall --records incidents.csv --queries questions.csv --k 1,3,10 --misses 20"""

app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

RecordsFile = Annotated[
    Path, typer.Option("--records", metavar="FILE", help="What is remembered: JSON lines, a JSON list or CSV.")
]
QueriesFile = Annotated[
    Path, typer.Option("--queries", metavar="FILE", help="What is asked, each with the records that would be right.")
]
Places = Annotated[str, typer.Option("--k", metavar="NUMBERS", help="How many places to look at, as in 1,5,10.")]
NoModel = Annotated[bool, typer.Option("--no-model", help="Without a model: words, keys and traces only.")]
Misses = Annotated[int, typer.Option("--misses", metavar="N", min=0, help="Show the first N questions it got wrong.")]


@verb(app, "recall", epilog=EPILOG)
def recall(
    session: Session,
    records: RecordsFile,
    queries: QueriesFile,
    k: Places = "1,5,10",
    no_model: NoModel = False,
    misses: Misses = 0,
) -> None:
    """Measure recall@k, the mean reciprocal rank, false recall and calibration on your own records and questions.

    A record needs an id and some words; a question needs a text and the ids of the records that would be right, none
    meaning that nothing in memory is the same failure. The memory in use is neither read nor written.
    """
    from hindcast.build import open_memory
    from hindcast.evaluation import evaluate, read_questions, read_records

    places = _places(k)
    now = session.now()
    known = read_records(_read(records, "--records"), fallback_at=now)
    asked = read_questions(_read(queries, "--queries"))
    with tempfile.TemporaryDirectory(prefix="hindcast-evaluate-") as folder, session.progress("Measuring") as progress:
        model = "none" if no_model else session.settings.model
        url = "" if no_model else session.settings.embed_url
        settings = replace(session.settings, store=folder, space=SPACE, index="", model=model, embed_url=url)
        memory = open_memory(settings, create=True)
        try:
            found = evaluate(
                memory,
                known,
                asked.questions,
                now=now,
                seconds=time.perf_counter,
                places=places,
                progress=progress,
            )
        finally:
            memory.close()
    wrong = [one for one in found.asked if _is_miss(one)]
    document = {
        **plain(found),
        "rejected": {"records": _plain_lines(known.rejected), "queries": _plain_lines(asked.rejected)},
        "misses": [_plain_miss(one) for one in wrong[:misses]],
    }
    shown = [measures_table(found), reliability_table(found)]
    session.answer(document, *shown, *([_miss_table(wrong[:misses])] if wrong[:misses] else []))
    _tell_lines(session, "records", known.rejected)
    _tell_lines(session, "queries", asked.rejected)
    _tell_questions(session, found)


def plain(found: Evaluation) -> dict[str, Any]:
    """What `--json` prints of an evaluation."""
    measures, taken = found.measures, found.milliseconds
    return {
        "records": found.records,
        "questions": measures.asked,
        "with_a_match": measures.matched,
        "arms": list(found.arms),
        "recall_at": {str(place): share for place, share in found.recall_at.items()},
        "mrr": measures.mrr,
        "seen": measures.answered,
        "seen_and_right": measures.found,
        "false_recall": measures.false_recall,
        "false_recall_of_seen": measures.wrong_of_seen,
        "false_recall_of_new": measures.seen_of_new,
        "calibration_error": measures.ece,
        "reliability": [
            {"from": level.confidence_min, "to": level.confidence_max, "asked": level.asked, "right": level.right}
            for level in measures.reliability
            if level.asked
        ],
        "milliseconds": {"p50": _percentile(taken, 0.5), "p99": _percentile(taken, 0.99)},
        "unknown_records": [{"query": query, "ids": list(ids)} for query, ids in found.unknown],
        "not_asked": [{"query": query, "why": why} for query, why in found.unasked],
    }


def measures_table(found: Evaluation) -> RenderableType:
    """The numbers, each with what it says."""
    measures = found.measures
    half, nearly_all = (_percentile(found.milliseconds, share) for share in (0.5, 0.99))
    new = measures.asked - measures.matched
    rows = [
        ("records", f"{found.records:,}", "remembered for this run"),
        ("questions", f"{measures.asked:,}", f"{measures.matched:,} with a true match, {new:,} without"),
        *(
            (f"recall@{place}", f"{share:.3f}", f"a true match among the first {place}" if place > 1 else "came first")
            for place, share in found.recall_at.items()
        ),
        ("MRR", f"{measures.mrr:.3f}", "one over the place of the first true match, on average"),
        ("seen before", f"{measures.answered:.3f}", "of all questions were answered so"),
        ("false recall", f"{measures.false_recall:.3f}", "of all questions were answered so, and wrongly"),
        ("", f"{measures.seen_of_new:.3f}", "of those without a true match were answered so"),
        ("calibration", f"{measures.ece:.3f}", "how far confidence is from how often it was right"),
        ("time", f"{half:.1f} ms", f"half of the answers within it; 99 % within {nearly_all:.1f} ms"),
        ("arms", "", ", ".join(found.arms)),
    ]
    made = table("measure", "value", "what it says")
    for name, value, what in rows:
        made.add_row(name, value, Text(what, style="dim"))
    return made


def reliability_table(found: Evaluation) -> RenderableType:
    """How often the first answer was right, by how sure it was."""
    made = table("confidence", "answers", "right", "share")
    for level in found.measures.reliability:
        if level.asked:
            made.add_row(
                f"{level.confidence_min:.1f} to {level.confidence_max:.1f}",
                f"{level.asked:,}",
                f"{level.right:,}",
                f"{level.right / level.asked:.2f}",
            )
    return made


def _is_miss(one: Asked) -> bool:
    """Whether the first answer is not a true match, or something was called "seen before" that is new."""
    judged = one.judged
    if not judged.relevant:
        return judged.seen
    return not judged.ranked or judged.ranked[0] not in judged.relevant


def _miss_table(wrong: Sequence[Asked]) -> RenderableType:
    rows: list[tuple[str, RenderableType | str]] = []
    for one in wrong:
        judged = one.judged
        asked = " ".join(clean(one.question.text).split())[:QUESTION_CHARS_MAX]
        rightly = ", ".join(sorted(judged.relevant)) or "none"
        first = judged.ranked[0] if judged.ranked else "nothing"
        said = "seen before" if judged.seen else f"{judged.confidence:.2f}"
        rows.append((clean(judged.query_id), f"{asked}\nfirst: {clean(first)} ({said}); right: {clean(rightly)}"))
    return facts(rows)


def _plain_miss(one: Asked) -> dict[str, Any]:
    judged = one.judged
    return {
        "query": judged.query_id,
        "ranked": list(judged.ranked),
        "confidence": judged.confidence,
        "seen": judged.seen,
        "relevant": sorted(judged.relevant),
    }


def _plain_lines(rejected: Sequence[Rejected]) -> list[dict[str, Any]]:
    return [{"line": one.line, "why": one.why} for one in rejected]


def _tell_lines(session: Session, what: str, rejected: Sequence[Rejected]) -> None:
    if rejected:
        session.hint(f"{plural(len(rejected), 'line')} of the {what} could not be used:")
        for one in rejected[:LINES_TOLD_MAX]:
            session.hint(f"  line {one.line}: {clean(one.why)}")
        if len(rejected) > LINES_TOLD_MAX:
            session.hint(f"  and {len(rejected) - LINES_TOLD_MAX:,} more; --json lists them all")


def _tell_questions(session: Session, found: Evaluation) -> None:
    if found.unknown:
        query, ids = found.unknown[0]
        named = ", ".join(ids[:LINES_TOLD_MAX])
        count = plural(len(found.unknown), "question")
        session.hint(f"{count} named records that are not there, first {clean(query)}: {clean(named)}")
    if found.unasked:
        query, why = found.unasked[0]
        session.hint(f"{plural(len(found.unasked), 'question')} left out, first {clean(query)}: {clean(why)}")


def _places(text: str) -> tuple[int, ...]:
    from hindcast.evaluation import PLACES_MAX

    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isdecimal() and 1 <= int(word) <= PLACES_MAX for word in words):
        raise Malformed(
            f"{text[:QUESTION_CHARS_MAX]!r} names no places.",
            field="--k",
            remedy=f"Write numbers from 1 to {PLACES_MAX}: 1,5,10.",
        )
    return tuple(sorted({int(word) for word in words}))


def _read(path: Path, field: str) -> str:
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise Malformed(
                f"{path} has more than {FILE_BYTES_MAX:,} bytes.", field=field, remedy="Measure on a part of it."
            )
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError as error:
        raise Missing(f"There is no file {path}.", field=field, remedy="Correct its path.") from error
    except OSError as error:
        raise Malformed(f"{path} cannot be read: {error.strerror}.", field=field, remedy="Name another one.") from error


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which so large a share lies."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
