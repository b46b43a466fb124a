"""What went wrong on the way to a server, sorted and worded."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from personae.breaker import SECONDS
from personae.models.wire import ServerError
from personae.secrets import IN_USE, STRUCK

# Any token of the usual shapes, also where a server repeats only a part of it: "sk-pro***abcd".
_SECRET = re.compile(r"(?i)bearer\s+\S+|\b(?:sk|pk|gsk|xai|hf|key)[-_][\w*.\-]{6,}|\bAIza[\w\-]{8,}")


class Transient(Exception):
    """This attempt gave no answer; another may.

    Parameters
    ----------
    reason : str
        For a person.
    pause : float
        Seconds the server asked to wait.
    patience : float
        Seconds without an answer that it is a reason to wait, before the server is given up.

    Attributes
    ----------
    sent : float
        When the attempt was made, in seconds of the monotonic clock.
    """

    def __init__(self, reason: str, pause: float = 0.0, patience: float = SECONDS) -> None:
        self.reason, self.pause, self.patience = reason, pause, patience
        self.sent = 0.0
        super().__init__(reason)


class Refused(Exception):
    """The request is not taken as it is, or its reply cannot be used; the same again would fare no better.

    Parameters
    ----------
    reason : str
        For a person.
    error : ServerError, optional
        What the server says of it: it may be learned from.

    Attributes
    ----------
    sent : float
        As of `Transient`.
    """

    def __init__(self, reason: str, error: ServerError | None = None) -> None:
        self.reason, self.error = reason, error
        self.sent = 0.0
        super().__init__(reason)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float:
    """Seconds the server asks to wait: ``retry-after-ms``, or ``Retry-After`` (seconds or a date); else 0.

    Source: RFC 9110, section 10.2.3.
    """
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    value = headers.get("Retry-After")
    if value is None:
        return 0.0
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        until = parsedate_to_datetime(value)
        # The oldest of the three forms names no zone; it is in UTC as the others are.
        seconds = (until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
    return max(0.0, seconds - (time.time() if now is None else now))


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return max(0.0, number) if number is not None and number < float("inf") else None


def spent(status: int, error: ServerError) -> bool:
    """Whether the account behind the key has nothing left: waiting does not help."""
    return status == 402 or (status == 429 and error.code == "insufficient_quota")


def of_everyone(status: int) -> bool:
    """Whether a refusal is of the key, the account or the address, and not of what was asked."""
    return status in (401, 402, 404, 405) or 300 <= status < 400


def unknown_model(status: int, error: ServerError) -> bool:
    """Whether the server does not know the model, or there is no such server: OpenRouter says so in a 400."""
    known = error.code not in ("model_not_found", "invalid_model") and "not a valid model" not in error.message
    return status in (404, 405) or 300 <= status < 400 or not known


def unknown_key(status: int, error: ServerError) -> bool:
    """Whether the server does not accept the key: Google says so in a 400."""
    return status in (401, 403) or "api key not valid" in error.message.lower()


def told(seconds: float) -> str:
    """A time that a server names, however long."""
    return f"{seconds:,.0f} s" if seconds < 1e9 else "for ever"


def shortened(text: str, key: str | None = None, limit: int = 300) -> str:
    """A server's words on one line, without keys or anything like one, at most ``limit`` characters."""
    cut = text[: 20 * limit]
    said = IN_USE.struck(cut)
    if key:
        said = said.replace(key, STRUCK)
    said = " ".join(_SECRET.sub(STRUCK, said).split())
    return said if len(said) <= limit and len(cut) == len(text) else said[: limit - 1] + "…"
