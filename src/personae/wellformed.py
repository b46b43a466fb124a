"""Making texts from outside well-formed Unicode, at the place where they come in.

Half of a surrogate pair, as a server leaves it that cuts an answer within an emoji, is no character: UTF-8 has no bytes
for it, so that no file, database or page could hold it. Each becomes U+FFFD, the replacement character.
"""

from __future__ import annotations

import re
from typing import Any

_ESCAPED = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def well_formed(text: str) -> str:
    """A text whose surrogates are joined where two make a character, and are U+FFFD where they do not.

    Notes
    -----
    The Unicode Standard, section 3.9: surrogates alone are ill-formed, and U+FFFD stands in for what is.

    Examples
    --------
    >>> well_formed("tea \\ud83d or \\ud83c\\udf75") == "tea \\ufffd or 🍵"
    True
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def well_formed_json(text: str) -> str:
    """JSON without escaped halves of surrogate pairs, so that what it says is well-formed.

    Parameters
    ----------
    text : str
        JSON; a text that is none keeps everything but such escapes.

    Examples
    --------
    >>> well_formed_json(r'"tea \\ud83d, \\ud83c\\udf75"')
    '"tea \\\\ufffd, \\\\ud83c\\\\udf75"'
    """
    return _ESCAPED.sub(lambda found: r"\ufffd" if found["half"] else found[0], well_formed(text))


def well_formed_body(body: bytes) -> bytes:
    """The same of the body of a request or a reply; bytes that are no UTF-8 become U+FFFD as well."""
    return well_formed_json(body.decode("utf-8", "replace")).encode()


def well_formed_value(value: Any) -> Any:
    """The value of a JSON or YAML text with every text in it well-formed, keys too."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [well_formed_value(one) for one in value]
    if isinstance(value, dict):
        return {well_formed_value(key): well_formed_value(one) for key, one in value.items()}
    return value
