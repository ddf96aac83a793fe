"""The log of a running Hindcast: one line for each event, for people or for machines, and no secret in any of them."""

from __future__ import annotations

import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

import orjson

from hindcast.config import Settings

# What every record has; whatever else was said with it is a field of its own.
_USUAL = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
HIDDEN = "[redacted]"
# Where a secret can turn up in what we or a library log. Keys and cookies say by their beginning what they are.
_SECRETS = re.compile(
    r"\bh[clst]_[A-Za-z0-9_]{8,}"
    r"|(?<=/k/)[^/\s?#\"']+"
    r"|(?<=://)[^/\s@:]+:[^/\s@]+(?=@)"
    r"|(?<=[Bb]earer )\S+|(?<=[Bb]asic )\S+|(?<=ApiKey )\S+"
    r"|(?i:(?<=[?&]key=)|(?<=[?&]token=)|(?<=[?&]code=)|(?<=[?&]state=))[^&\s\"']+"
)
# Libraries that tell of every request they make or serve, which our own log tells better.
_CHATTY = ("httpx", "httpcore", "uvicorn.access", "asyncio")


def without_secrets(text: str) -> str:
    """A text as it may be logged."""
    return _SECRETS.sub(HIDDEN, text)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in record.__dict__.items() if name not in _USUAL}


class AsText(logging.Formatter):
    """For people: when, how bad, what, and then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback below it where there is one."""
        when = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        said = " ".join(f"{name}={_bare(value)}" for name, value in _fields(record).items())
        line = f"{when} {record.levelname.lower():<7} {_one_line(record.getMessage())}{' ' if said else ''}{said}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return without_secrets(line)


class AsJson(logging.Formatter):
    """For machines: one JSON object for each line."""

    def format(self, record: logging.LogRecord) -> str:
        """One object."""
        document: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            document["error"] = self.formatException(record.exc_info)
        return without_secrets(orjson.dumps(document, default=str).decode())


def _bare(value: object) -> str:
    """A field's value, in quotes where it would not end by itself. A caller's text cannot begin a new line."""
    text = str(value)
    return text if re.fullmatch(r"[\w./:@+-]+", text) else orjson.dumps(text).decode()


def _one_line(text: str) -> str:
    return text if text.isprintable() else orjson.dumps(text).decode()


def begin_logging(settings: Settings, stream: TextIO | None = None) -> None:
    """Log as the settings say, to stderr, whatever was set up before."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(AsJson() if settings.log_format == "json" else AsText())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    # Uvicorn tells of its own coming and going, and so do we.
    logging.getLogger("uvicorn.error").setLevel(max(level, logging.WARNING))
