"""What went wrong on the way to a server, sorted and worded."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from personae.models.wire import ServerError

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
    """

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        self.reason, self.pause = reason, pause
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
        return max(0.0, parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now))
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return max(0.0, number) if number is not None and number < float("inf") else None


def spent(status: int, error: ServerError) -> bool:
    """Whether the account behind the key has nothing left: waiting does not help."""
    return status == 402 or (status == 429 and error.code == "insufficient_quota")


def unknown_model(status: int, error: ServerError) -> bool:
    """Whether the server does not know the model, or there is no such server: OpenRouter says so in a 400."""
    known = error.code not in ("model_not_found", "invalid_model") and "not a valid model" not in error.message
    return status in (404, 405) or 300 <= status < 400 or not known


def unknown_key(status: int, error: ServerError) -> bool:
    """Whether the server does not accept the key: Google says so in a 400."""
    return status in (401, 403) or "api key not valid" in error.message.lower()


def shortened(text: str, key: str | None = None, limit: int = 300) -> str:
    """A server's words on one line, without the key or anything like one, at most ``limit`` characters."""
    if key:
        text = text.replace(key, "***")
    text = " ".join(_SECRET.sub("***", text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
