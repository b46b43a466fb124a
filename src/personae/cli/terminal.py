"""All that the command line prints: what others wrote goes out as `personae.shown` spells it.

Each sentence, line and cell passes `shown` where it is made, so that no name breaks a line or a table. `guard` puts the
same around the streams of the process, for what the libraries and the interpreter print: warnings, logs, traces.
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TextIO

from personae.errors import PersonaeError
from personae.shown import one_line, shown, to_json

UNREAD = 141
"""The exit code of a program whose output nobody reads any more: 128 and the number of SIGPIPE."""

# What rich writes to style and to redraw; other sequences, such as titles and links, are nothing of ours.
_OURS = re.compile(r"(\x1b\[[0-9;]*[mAK]|\x1b\[\?25[hl]|\r)")


def say(sentence: str) -> None:
    """Tell the person something that is no data: on standard error, one line."""
    print(f"personae: {one_line(sentence)}", file=sys.stderr, flush=True)


def tell(*lines: object, err: bool = False) -> None:
    """Print lines; a line end within one is spelt out like all that is none to be seen."""
    for line in lines:
        print(shown(line), file=sys.stderr if err else sys.stdout, flush=True)


def show(data: Any) -> None:
    """Print data as JSON."""
    print(to_json(data), flush=True)


def show_line(data: Any) -> None:
    """Print data as one line of JSON, as programs read them line by line."""
    print(to_json(data, indent=None), flush=True)


class _Stream:
    """A stream that passes on what may be seen, and once nobody reads it any more, nothing."""

    def __init__(self, stream: TextIO, safe: Callable[[str], str]) -> None:
        self._stream, self._safe, self._broken = stream, safe, False

    def write(self, text: str) -> int:
        """Write a text as it may be shown."""
        if not isinstance(text, str):  # by this others tell streams of texts from those of bytes
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._do(lambda: self._stream.write(self._safe(text)))
        return len(text)

    def flush(self) -> None:
        """Pass on what has gathered."""
        self._do(self._stream.flush)

    def _do(self, work: Callable[[], object]) -> None:
        if self._broken:
            return
        try:
            work()
        except BrokenPipeError:
            self._broken = True
            raise SystemExit(UNREAD) from None
        except OSError as error:
            self._broken = True
            raise PersonaeError(f"what is printed cannot be written: {error.strerror}") from None

    def writelines(self, texts: Iterable[str]) -> None:
        """Write texts one after the other."""
        self.write("".join(texts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Guarded(_Stream):
    """A standard stream, all of whose text is `shown`; rich finds the way around by ``rich_proxied_file``."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream, lambda text: shown(text, lines=True))
        self.rich_proxied_file = _Stream(stream, styled)


def styled(text: str) -> str:
    """A text with the sequences of rich as they are, and everything else `shown`."""
    parts = _OURS.split(text)
    return "".join(part if nth % 2 else shown(part, lines=True) for nth, part in enumerate(parts))


class _Log(logging.Handler):
    """Prints records that no other handler takes."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one."""
        print(shown(self.format(record), lines=True), file=sys.stderr, flush=True)


def guard() -> None:
    """Have everything that this process prints from now on be `shown`."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before the program began
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter gets its number
        setattr(sys, name, Guarded(stream))
    log = _Log(logging.WARNING)
    logging.lastResort = log
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(log)
    sys.excepthook = _trace


def _trace(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print where an error of the program itself arose, without the colours that newer interpreters add."""
    print(shown("".join(traceback.format_exception(kind, error, trace)), lines=True), end="", file=sys.stderr)
