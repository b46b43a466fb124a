"""Keys and passwords in use, struck out of whatever servers say before it is shown or kept.

A server is sent its key with every question, and may put it, a part of it or an encoding of it into an answer, a token
or an error. Whoever sends a key adds it to `IN_USE`; whatever comes back passes through `Secrets.struck`.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from urllib.parse import quote, urlsplit

STRUCK = "***"
SHORTEST = 8
"""Letters of a key, or of a part of one, that are struck out; what is shorter is left."""
_PLAIN, _PLAIN_WHOLE = 16, 12
_WORD = re.compile(r"[A-Z]?[a-z\-_./]*|[A-Z\-_./]+")
_NAMES = re.compile(r"(?i)(?:key|token|secret|password|passwd|credentials?)$")
_USER = re.compile(r"^([a-z][a-z0-9+.-]*://)?.*@", re.DOTALL | re.IGNORECASE)


class _Form:
    """One way to write keys: parts of so many letters are looked for."""

    def __init__(self, size: int) -> None:
        self.size = size
        # Whether a part tells something of the key by itself, or only beside others: "password" is an ordinary word.
        self.grams: dict[str, bool] = {}
        # Every part of so many letters holds one of these whole, since they follow each other at half its length.
        self.blocks: set[str] = set()

    def add(self, written: str, *, telling: bool) -> None:
        half = self.size // 2
        for at in range(len(written) - self.size + 1):
            part = written[at : at + self.size]
            gram = part.lower()
            self.grams[gram] = self.grams.get(gram, False) or telling or not _WORD.fullmatch(part)
        low = written.lower()
        self.blocks |= {low[at : at + half] for at in range(0, len(low) - half + 1, half)}

    def runs(self, low: str) -> Iterator[tuple[int, int]]:
        """Where a lower-case text holds parts, each as long as it goes."""
        if not any(block in low for block in self.blocks):
            return
        begin, end, telling = 0, -1, False
        for at in range(len(low) - self.size + 1):
            told = self.grams.get(low[at : at + self.size])
            if told is None:
                continue
            if at > end:
                if end >= 0 and (telling or end - begin >= _PLAIN):
                    yield begin, end
                begin, telling = at, False
            end, telling = at + self.size, telling or told
        if end >= 0 and (telling or end - begin >= _PLAIN):
            yield begin, end


class Secrets:
    """Keys that are struck out of texts.

    Struck out are, in letters of any case: a key, and every part of it of `SHORTEST` letters or more; the same in
    base64 (also of ``Bearer`` and the key), in hexadecimal digits, percent-encoded and escaped as in JSON.

    A key that is shorter, or an ordinary word, is none: nothing is struck for ``none`` or ``password``. Ordinary words
    within a key (``sk-proj-``) are struck with what stands beside them, and by themselves from 16 letters on.
    """

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._forms: tuple[_Form, ...] = ()
        self._wholes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._keys)

    def add(self, key: str | None) -> None:
        """Strike a key out from now on; None, and what is too short or too ordinary for a key, changes nothing."""
        if not key or len(key) < SHORTEST or (len(key) < _PLAIN_WHOLE and _WORD.fullmatch(key)) or key in self._keys:
            return
        self._keys.add(key)
        if not self._forms:
            self._forms = tuple(map(_Form, (SHORTEST, 10, 2 * SHORTEST, 3 * SHORTEST, 6 * SHORTEST)))
        plain, base64, hexadecimal, percent, escaped = self._forms
        raw = key.encode("utf-8", "replace")
        for written in (key, quote(key, safe=""), key.replace("/", r"\/"), re.sub(r'(["\\])', r"\\\1", key)):
            plain.add(written, telling=False)
        for encode in (b64encode, urlsafe_b64encode):
            for before in range(3):  # what stands before the key decides how its bytes fall into groups of three
                base64.add(encode(bytes(before) + raw)[2 * before :].decode().rstrip("="), telling=True)
        hexadecimal.add(raw.hex(), telling=True)
        percent.add("".join(f"%{byte:02x}" for byte in raw), telling=True)
        escaped.add("".join(f"\\u{byte:04x}" for byte in raw), telling=True)
        self._wholes = tuple(one.lower() for one in self._keys if len(one) < _PLAIN and _WORD.fullmatch(one))

    def add_url(self, url: str) -> None:
        """Strike out what a URL says between ``//`` and ``@``: a password, or a key in the place of a name."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return
        self.add(parts.password or parts.username)

    def add_named(self, environment: Mapping[str, str]) -> None:
        """Strike out every variable whose name says that it is a key, a token, a secret or a password."""
        for name, value in environment.items():
            if _NAMES.search(name):
                self.add(value.strip())

    def found(self, text: str) -> list[tuple[int, int]]:
        """Where a text holds keys or parts of them: beginnings and ends, in order, none within another."""
        if len(text) < SHORTEST or not self._keys:
            return []
        low = text.lower() if text.isascii() else _lowered(text)
        runs = [run for form in self._forms for run in form.runs(low)]
        for whole in self._wholes:
            runs += [(one.start(), one.end()) for one in re.finditer(re.escape(whole), low)]
        return _joined(sorted(runs)) if runs else []

    def struck(self, text: str) -> str:
        """A text with `STRUCK` in the place of every key and part of one.

        Examples
        --------
        >>> secrets = Secrets()
        >>> secrets.add("sk-4f9a2b7c8d1e")
        >>> secrets.struck("You sent Bearer sk-4f9a2b7c8d1e, in part 4F9A2B7C.")
        'You sent Bearer ***, in part ***.'
        """
        if not self._keys or not (runs := self.found(text)):
            return text
        parts, at = [], 0
        for begin, end in runs:
            parts += [text[at:begin], STRUCK]
            at = end
        return "".join(parts) + text[at:]

    def struck_pieces(self, pieces: list[str]) -> list[str]:
        """The same for a text in pieces, such as tokens: a key that goes over several is struck out of all of them."""
        if not self._keys or not (runs := self.found("".join(pieces))):
            return pieces
        found, at, runs = [], 0, runs[::-1]
        for piece in pieces:
            end, kept, place = at + len(piece), [], at
            while runs and runs[-1][0] < end:
                begin, stop = runs[-1]
                kept.append(piece[place - at : max(begin, at) - at] + (STRUCK if begin >= at else ""))
                place = min(stop, end)
                if stop > end:
                    break
                runs.pop()
            found.append("".join(kept) + piece[place - at :])
            at = end
        return found


IN_USE = Secrets()
"""What this process has sent to anybody as a key, a token or a password."""


def bare_url(text: str) -> str:
    """A URL as it may be shown, whatever is wrong with it: without what may be a key in it.

    Left out is all before the last ``@``, for a password may hold any letter, and all behind a ``?`` or ``#``.

    Examples
    --------
    >>> bare_url("http://me:sec/ret@host:99999/v1?key=1")
    'http://…@host:99999/v1?…'
    """
    shown = _USER.sub(lambda found: f"{found[1] or ''}…@", text)
    for mark in "#?":
        shown, cut, _ = shown.partition(mark)
        shown += f"{mark}…" if cut else ""
    return shown


def _lowered(text: str) -> str:
    """Lower-case letter by letter, so that every place stays where it was."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found = runs[:1]
    for begin, end in runs[1:]:
        if begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found
