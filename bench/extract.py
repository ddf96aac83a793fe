"""How much of a postmortem is read rightly: times, durations, causes and services, against pages that people annotated.

Reads ../shared/data (or HINDCAST_DATA). `--wrong N` prints what was wrong; the last line gives the shares right.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from hindcast.learn.postmortem import case_of
from hindcast.model.case import Case

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("HINDCAST_DATA", ROOT.parent / "shared" / "data"))
FALLBACK = datetime(1999, 1, 1, tzinfo=UTC)
SECONDS: list[float] = []
# Words in common (of the annotated sentence's) that make the cause the same statement.
CAUSE_WORDS_MIN = 0.6


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file; none where it is absent."""
    if not path.is_file():
        print(f"{path.name} is absent: left out")
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def share(right: int, of: int) -> str:
    """A share with its counts."""
    return f"{right / of:.3f} ({right}/{of})" if of else "- (0/0)"


class Score:
    """How often one field was right, and where it was not."""

    def __init__(self, name: str) -> None:
        self.name, self.right, self.of = name, 0, 0
        self.wrong: list[str] = []

    def count(self, right: bool, told: str) -> None:
        """Count one page."""
        self.of += 1
        self.right += right
        if not right:
            self.wrong.append(told)


def words(text: str) -> set[str]:
    """The words of a statement that tell anything."""
    return {word for word in re.findall(r"[a-z0-9]+", text.lower()) if len(word) > 2}


def alike(wanted: str, found: str) -> float:
    """How much of one statement stands in the other."""
    return len(words(wanted) & words(found)) / len(words(wanted)) if words(wanted) else 0.0


def moment(text: str) -> datetime:
    """A time of the annotations, which are in UTC."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)


def read(text: str, name: str) -> Case:
    """The case of a page, with the time it took."""
    began = perf_counter()
    case = case_of(text, name=name, fallback_at=FALLBACK)
    SECONDS.append(perf_counter() - began)
    return case


def reports(times: Score) -> None:
    """Incident reports in Markdown with annotated times; right is right to the minute."""
    folder = DATA / "kg_repos" / "moj_cloud_platform"
    for row in rows(folder / "gold_incident_times.jsonl"):
        path = folder / "tree" / row["file"]
        if not path.is_file():
            continue
        case = read(path.read_text(encoding="utf-8"), path.name)
        began = row["occurred"] or row["detected"] or row["declared"]
        if began:
            told = f"{path.name}: began {case.occurred_at} wanted {began}"
            times.count(case.occurred_at == moment(began), told)
        if row["resolved"]:
            told = f"{path.name}: ended {case.resolved_at} wanted {row['resolved']}"
            times.count(case.resolved_at == moment(row["resolved"]), told)


def annotated(duration: Score, cause: Score, services: Score, day: Score) -> None:
    """Postmortems as they were published, with annotated durations, causes and services."""
    folder = DATA / "cloud_incidents"
    texts = {row["file"].removesuffix(".txt"): row["text"] for row in rows(folder / "raw_text.jsonl")}
    for row in rows(folder / "annotated_incidents.jsonl"):
        # Pages of one day are numbered in another order than their annotations: their titles tell which is which.
        date = row["id"].split("-")[1]
        same = [text for name, text in texts.items() if name.startswith(date)]
        if not same:
            continue
        text = max(same, key=lambda text: alike(row["record"]["title"], text.split("\n")[0]))
        case = read(text, row["id"])
        record = row["record"]
        about(case, row["id"], record, duration, cause, services)
        day.count(near(case, row["date"]), f"{row['id']}: {case.occurred_at} wanted {row['date']}")


def near(case: Case, day: str) -> bool:
    """Whether the annotated day is one on which the incident lasted, or its neighbour: annotators differ in zones."""
    wanted = datetime.fromisoformat(day).replace(tzinfo=UTC)
    ended = case.resolved_at or case.occurred_at
    return case.occurred_at - timedelta(days=2) <= wanted <= ended + timedelta(days=1)


def about(case: Case, name: str, record: dict[str, Any], duration: Score, cause: Score, services: Score) -> None:
    """Compare one case with its annotations."""
    minutes = case.minutes_to_resolve
    if record.get("duration"):
        wanted = float(record["duration"])
        right = minutes is not None and abs(minutes - wanted) <= max(2.0, 0.05 * wanted)
        duration.count(right, f"{name}: {minutes} minutes, wanted {wanted}")
    why = (record.get("root cause") or {}).get("details")
    if why:
        found = case.cause.text if case.cause else ""
        cause.count(alike(why, found) >= CAUSE_WORDS_MIN, f"{name}: {found[:150]!r} wanted {why[:150]!r}")
    named = [one for one in record.get("service_name") or [] if one]
    if named:
        found_words = words(" ".join(case.services))
        right = any(words(one) <= found_words for one in named)
        services.count(right, f"{name}: {case.services} wanted {named}")


def main() -> None:
    """Read everything, print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", type=int, default=0, help="show so many wrong readings of each field")
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"{DATA} is absent: nothing to measure. HINDCAST_DATA names another folder.")
        return
    times, duration, cause, services = Score("times"), Score("duration"), Score("cause"), Score("services")
    day = Score("day")
    reports(times)
    annotated(duration, cause, services, day)
    if SECONDS:
        middle, most = median(SECONDS) * 1000, max(SECONDS) * 1000
        print(f"{middle:.1f} ms a page, {most:.0f} ms the slowest of {len(SECONDS)}")
    for score in (times, day, duration, cause, services):
        for told in score.wrong[: options.wrong]:
            print(f"  {score.name}: {told}")
        print(f"{score.name}: {share(score.right, score.of)}")
    told = " ".join(f"{one.name}={one.right / max(one.of, 1):.3f}" for one in (times, duration, cause, services))
    print(f"extract: {told}")


if __name__ == "__main__":
    main()
