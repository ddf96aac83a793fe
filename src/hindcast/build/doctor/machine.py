"""What the machine gives: disk, memory, open files, a clock that goes forward, files that nobody else can read."""

from __future__ import annotations

import resource
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from hindcast.build.doctor.check import Check, fail, ok, warn

DISK_BYTES_WARN = 2_000_000_000
DISK_BYTES_FAIL = 200_000_000
MEMORY_BYTES_WARN = 500_000_000
# Two thousand streams, and as many again for everything else.
FILES_MIN = 4_096
# A clock that is kept right is moved by far less than this in so short a time.
CLOCK_SECONDS_OFF_MAX = 0.05
CLOCK_SECONDS_WATCHED = 0.25
# Commits may be a little ahead when several machines write; more than this is a clock that was wrong.
COMMIT_AHEAD_MAX = timedelta(minutes=1)
SERVER_SKEW_SECONDS_MAX = 2.0
_MEMINFO = Path("/proc/meminfo")


def disks(folders: Iterable[Path]) -> Iterator[Check]:
    """Whether there is room where something is kept; each disk once."""
    seen: set[int] = set()
    for folder in folders:
        place = _existing(folder)
        device = place.stat().st_dev
        if device in seen:
            continue
        seen.add(device)
        free = shutil.disk_usage(place).free
        found = f"{free / 1e9:.1f} GB are free for {folder}."
        remedy = "Free some space, shorten telemetry_days, or move the store."
        if free < DISK_BYTES_FAIL:
            yield fail("disk", found, remedy)
        elif free < DISK_BYTES_WARN:
            yield warn("disk", found, remedy)
        else:
            yield ok("disk", found)


def _existing(folder: Path) -> Path:
    """The nearest folder above that is there."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return place


def memory() -> Check:
    """Whether there is room to work in."""
    try:
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text(encoding="ascii").splitlines())
        free = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return ok("memory", "This system does not say how much memory is free.")
    found = f"{free / 1e9:.1f} GB of memory are free."
    if free < MEMORY_BYTES_WARN:
        return warn("memory", found, "A server needs about 350 MB, more while much comes in. Free some, or add some.")
    return ok("memory", found)


def open_files() -> Check:
    """Whether a server may hold as many connections as it is made for."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard not in (-1, resource.RLIM_INFINITY) and hard < FILES_MIN:
        remedy = f"Raise it: LimitNOFILE={FILES_MIN * 4} in the systemd unit, or ulimit -n."
        return warn("open files", f"At most {hard} files may be open at once.", remedy)
    return ok("open files", "Enough files may be open at once.")


def clock(newest_commit: datetime | None, now: datetime, server_now: datetime | None) -> Iterator[Check]:
    """Whether the clock goes forward evenly, and agrees with what was written and with the database server."""
    wall, steady = time.time(), time.monotonic()
    time.sleep(CLOCK_SECONDS_WATCHED)
    off = (time.time() - wall) - (time.monotonic() - steady)
    if abs(off) > CLOCK_SECONDS_OFF_MAX:
        yield warn(
            "clock",
            f"The clock was moved by {off:+.2f} s while it was watched.",
            "Let NTP keep it (chronyd, timesyncd).",
        )
    if newest_commit is not None and newest_commit - now > COMMIT_AHEAD_MAX:
        yield fail(
            "clock",
            f"The newest commit was made at {newest_commit.isoformat(timespec='seconds')}, which is in the future.",
            "Set this machine's clock right, or find the one that wrote with a wrong clock.",
        )
    if server_now is not None:
        skew = (now - server_now).total_seconds()
        if abs(skew) > SERVER_SKEW_SECONDS_MAX:
            yield warn(
                "clock", f"This machine's clock is {skew:+.1f} s from PostgreSQL's.", "Let NTP keep both clocks."
            )
            return
        yield ok("clock", f"The clock is even, and {skew:+.1f} s from PostgreSQL's.")
    else:
        yield ok("clock", "The clock goes forward evenly.")


def permissions(folder: Path, config: Path | None) -> Iterator[Check]:
    """Whether others on this machine can read what is remembered, or the settings."""
    if config is not None and config.is_file() and config.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        found = f"Others on this machine can read {config}, which may hold secrets."
        yield warn("permissions", found, f"chmod 600 {config}")
    if not folder.is_dir():
        return
    mode = folder.stat().st_mode
    if mode & stat.S_IWOTH:
        yield fail("permissions", f"Anybody on this machine can write to {folder}.", f"chmod 700 {folder}")
    elif mode & (stat.S_IROTH | stat.S_IXOTH):
        yield warn("permissions", f"Others on this machine can read {folder}.", f"chmod 700 {folder}")
    else:
        yield ok("permissions", f"Only its owner and group can read {folder}.")
