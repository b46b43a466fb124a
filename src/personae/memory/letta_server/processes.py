"""Programs that are started, watched and stopped."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

_GRACE = 20  # seconds
_SHOWN = 1500  # letters


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it runs no more."""
    return process.poll() is not None


def stop(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """Tell it to end by a signal; end it where it does not."""
    if ended(process):
        return
    process.send_signal(how)
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tail(log: Path) -> str:
    """The end of what a program said."""
    return log.read_text(encoding="utf-8", errors="replace")[-_SHOWN:].strip() if log.exists() else "it said nothing"
