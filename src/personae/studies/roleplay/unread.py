"""What is no answer, whatever was asked: nothing said, an error of a server, the question's own form, a refusal."""

from __future__ import annotations

import re

from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, squeeze
from personae.studies.roleplay.votes import Vote

_ERROR = re.compile(
    r"\s*(?:(?:API |HTTP |Server )?Error\b\s*[:(]|HTTP (?:code )?[45]\d\d\b|<!DOCTYPE html|<html\b)", re.IGNORECASE
)
_ECHO = re.compile(r"(?:my|your)\s(?:choice|answer|response)|yes\s?(?:/|or)\s?no|no\s?(?:/|or)\s?yes")
_SIGNS = " \t\r\n.!?,:;*_\"'()[]-#>"
WONT = r"(?:can't|cannot|can\snot|won't|will\snot|would\snot|wouldn't)"
_DECLINES_TASK = re.compile(
    rf"""\bi\s{WONT}\s(?:make|discriminat\w+|stereotyp\w+|participat\w+|generali[sz]\w+|compar\w+|speculat\w+|engag\w+)\b
      | \bi(?:'m|\sam)\s(?:not\s(?:authori[sz]ed|capable|able|in\sa\sposition)|unable)\b
      | \b(?:must|have\sto)\s(?:respectfully\s)?decline\b""",
    re.VERBOSE,
)


def refusal_in(said: str) -> str | None:
    """Say how a squeezed answer declines the task, None where it does not.

    Beside what `find_refusal` knows there is what models say to questions about groups: that they do not discriminate,
    generalise or speculate.
    """
    said = squeeze(said)
    return find_refusal(said) or ("declines" if _DECLINES_TASK.search(said) else None)


def odd(text: str) -> Vote | None:
    """The vote of an answer in which there is nothing to read, or more than is read, None where there is something."""
    if len(text) > LONGEST:
        return Vote("truncated", TOO_LONG)
    bare = text.strip(_SIGNS)
    if not bare:
        return Vote("empty", "empty answer")
    if _ERROR.match(text):
        return Vote("error", "a server's error message stands in place of an answer")
    if len(bare) < 20 and _ECHO.fullmatch(squeeze(bare)):
        return Vote("echo", "repeats the form of the question")
    return None
