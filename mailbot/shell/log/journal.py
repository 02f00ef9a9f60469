"""How log records are written: one line each, with its priority if systemd's journal reads it (sd-daemon(3))."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from traceback import extract_tb
from typing import TextIO

PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}


def set_up(level: str, stream: TextIO, environ: Mapping[str, str]) -> None:
    """Sends all records of this level (a word of [log] level) and above to the stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Lines(is_journal(stream, environ)))
    logging.basicConfig(level=level.upper(), handlers=[handler])


def is_journal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether systemd has connected this stream to its journal."""
    try:
        there = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


def where(error: BaseException) -> str:
    """`KeyError at letters.py:12`: enough to find the place, but no values, because they may be addresses."""
    frames = extract_tb(error.__traceback__)
    return type(error).__name__ + (f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "")


class Lines(logging.Formatter):
    """`WARNING mailbot.reception: ...`, in the journal with `<4>` in front.

    Of an exception it shows only the kind and place, because the text may repeat a mail. Of asyncio's records it shows
    only the first line, because the others show the exception.
    """

    def __init__(self, journal: bool) -> None:
        super().__init__()
        self._journal = journal

    def format(self, record: logging.LogRecord) -> str:
        said = record.getMessage()
        said = said.partition("\n")[0] if record.name == "asyncio" else said.replace("\n", " | ")
        line = f"{record.levelname} {record.name}: {said}"
        if record.exc_info and record.exc_info[1]:
            line += f" ({where(record.exc_info[1])})"
        return f"<{PRIORITIES.get(record.levelno, 5)}>{line}" if self._journal else line
