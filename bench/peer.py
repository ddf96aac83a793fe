"""The peer's side of `make bench NAME=memory`: memoir-ai and prollytree, measured beside Hindcast on one machine.

The peer lives in an environment of its own, `.venv-peer`, made here when it is missing and never mixed with ours.
Every case is a process of its own (`bench/peer_memoir.py`), so that a case which hangs can be ended without losing the
others. Nothing measured is kept: a run reports what it saw. When the peer cannot be installed, every result says so and
the bench goes on.

`python bench/peer.py` prints the table alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_ENVIRONMENT = _ROOT / ".venv-peer"
_PYTHON = _ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin") / "python"
_REQUIREMENTS = _ROOT / "bench" / "requirements-peer.txt"
_SCRIPT = _ROOT / "bench" / "peer_memoir.py"

KEYS = (1_000, 10_000, 100_000)
CASES = ("commit", "asof_get", "asof_list", "branch", "diff", "merge")
# The three ways into the peer; `peer_memoir.py` says what each one is.
DOORS = ("memoir", "versioned", "namespaced")

CASE_SECONDS_MAX = 60.0
# Loading is not what is compared, so it may take longer: 100,000 keys take memoir about a minute.
LOAD_SECONDS_MAX = 150.0
INSTALL_SECONDS_MAX = 300.0
NOTE_CHARACTERS_MAX = 160


@dataclass(frozen=True)
class PeerResult:
    """How long one case took through one door of the peer, and whether its answers were right."""

    door: str
    case: str
    keys: int
    seconds: float | None  # the median; None when there is no time to report
    repeats: int
    right: bool
    note: str


class PeerUnavailableError(Exception):
    """The peer's environment could not be made; the message says why."""


def peer_results(
    keys: Sequence[int] = KEYS,
    cases: Sequence[str] = CASES,
    *,
    doors: Sequence[str] = DOORS,
    budget_seconds_max: float = 600.0,
) -> list[PeerResult]:
    """Measure the peer, smallest size first, within the budget; one result per door, case and size, and per load."""
    ends_at = time.monotonic() + budget_seconds_max
    try:
        _install(seconds_max=min(INSTALL_SECONDS_MAX, budget_seconds_max))
    except PeerUnavailableError as unavailable:
        note = f"peer not installed: {unavailable}"
        return [_absent(door, case, size, note) for size in sorted(keys) for door in doors for case in cases]

    results: list[PeerResult] = []
    with tempfile.TemporaryDirectory(prefix="hindcast-peer-", ignore_cleanup_errors=True) as folder:
        for size in sorted(keys):
            for door in doors:
                store = Path(folder) / f"{door}-{size}"
                results.extend(_door_results(door, size, cases, store, ends_at=ends_at, earlier=tuple(results)))
                # A store with 100,000 keys and a cut-off merge holds hundreds of megabytes.
                shutil.rmtree(store, ignore_errors=True)
    return results


def fastest(results: Iterable[PeerResult], case: str, keys: int) -> PeerResult | None:
    """The best the peer can do in a case: its quickest door among those that answered rightly."""
    able = [result for result in results if (result.case, result.keys, result.right) == (case, keys, True)]
    return min(able, key=lambda result: result.seconds or 0.0, default=None)


def _door_results(
    door: str, keys: int, cases: Sequence[str], store: Path, *, ends_at: float, earlier: Sequence[PeerResult]
) -> Iterator[PeerResult]:
    """Load a store through one door, then run each case on it; skip what a smaller size could not finish."""
    unfinished = {result.case: result for result in earlier if result.door == door and result.seconds is None}
    if "load" in unfinished:
        loaded = _absent(door, "load", keys, _too_slow(unfinished["load"]))
    else:
        loaded = _run(door, "load", keys, store, seconds_max=LOAD_SECONDS_MAX, ends_at=ends_at)
    yield loaded
    for case in cases:
        if loaded.seconds is None:
            yield _absent(door, case, keys, "not run: loading did not finish")
        elif case in unfinished:
            yield _absent(door, case, keys, _too_slow(unfinished[case]))
        else:
            yield _run(door, case, keys, store, seconds_max=CASE_SECONDS_MAX, ends_at=ends_at)


def _too_slow(smaller: PeerResult) -> str:
    """Why a larger size is not tried; a reason that is not about size is passed on as it is."""
    if smaller.note.startswith("not finished"):
        return f"not run: {smaller.keys:,} keys did not finish"
    if smaller.note.startswith("failed"):
        return f"not run: failed with {smaller.keys:,} keys"
    return smaller.note


def _absent(door: str, case: str, keys: int, note: str) -> PeerResult:
    return PeerResult(door, case, keys, seconds=None, repeats=0, right=False, note=note)


def _run(door: str, case: str, keys: int, store: Path, *, seconds_max: float, ends_at: float) -> PeerResult:
    """Run one case in a process of its own; the time it may take includes opening the store and preparing."""
    seconds_left = ends_at - time.monotonic()
    if seconds_left <= 0:
        return _absent(door, case, keys, "not run: the time for the peer is used up")
    limit = min(seconds_max, seconds_left)
    command = [str(_PYTHON), str(_SCRIPT), "--door", door, "--case", case, "--keys", str(keys), "--folder", str(store)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_environment(), cwd=_ROOT
    )
    try:
        out, complaints = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        left = "" if limit == seconds_max else " (all that was left for the peer)"
        return _absent(door, case, keys, f"not finished in {limit:.0f} s{left}")
    answers = [line for line in out.splitlines() if line.startswith("{")]
    if process.returncode != 0 or not answers:
        return _absent(door, case, keys, f"failed: {_last_line(complaints)}")
    answer = json.loads(answers[-1])
    return PeerResult(door, case, keys, answer["seconds"], answer["repeats"], answer["right"], answer["note"])


def _environment() -> dict[str, str]:
    """Our environment without what would make the peer's git or its language-model client behave differently."""
    return os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "bench",
        "GIT_AUTHOR_EMAIL": "bench@localhost",
        "GIT_COMMITTER_NAME": "bench",
        "GIT_COMMITTER_EMAIL": "bench@localhost",
        # litellm, which memoir imports, otherwise fetches a price list from the network on import.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def _install(*, seconds_max: float) -> None:
    """Make `.venv-peer` from the pinned requirements, unless one made from the same pins is there."""
    pins = hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()
    # Written last, so an installation that was cut off is made again.
    stamp = _ENVIRONMENT / "requirements.sha256"
    if stamp.is_file() and stamp.read_text() == pins and _PYTHON.exists():
        return
    ends_at = time.monotonic() + seconds_max
    print(f"making {_ENVIRONMENT.name} for the peer …", file=sys.stderr)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(_ENVIRONMENT)],
        [str(_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(_REQUIREMENTS)],
    ):
        try:
            subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=max(1.0, ends_at - time.monotonic())
            )
        except subprocess.TimeoutExpired as late:
            raise PeerUnavailableError(f"not done in {seconds_max:.0f} s") from late
        except subprocess.CalledProcessError as failed:
            raise PeerUnavailableError(_last_line(failed.stderr)) from failed
        except OSError as missing:
            raise PeerUnavailableError(str(missing)) from missing
    stamp.write_text(pins)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:NOTE_CHARACTERS_MAX] if lines else "it said nothing"


def main() -> None:
    """Print the peer's table alone; sizes may be given as arguments."""
    sizes = [int(size) for size in sys.argv[1:]] or list(KEYS)
    started = time.monotonic()
    print(f"{'case':<10} {'keys':>8} {'door':<11} {'median':>11} {'repeats':>7}  note")
    for result in sorted(peer_results(sizes), key=lambda one: (("load", *CASES).index(one.case), one.keys)):
        seconds = "–" if result.seconds is None else f"{result.seconds * 1_000:,.2f} ms"
        print(f"{result.case:<10} {result.keys:>8,} {result.door:<11} {seconds:>11} {result.repeats:>7}  {result.note}")
    print(f"whole run: {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
