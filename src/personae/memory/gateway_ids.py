"""Identifiers that a library draws at random, hidden from the model: the same writes then ask the same questions.

An answer that was stored is found again only under the very question it belongs to. A library that puts fresh UUIDs
into its prompts would never ask one twice, so each UUID is told to the model as ``id-0001``, ``id-0002`` …, in the
order in which they come, and put back in what it answers.
"""

from __future__ import annotations

import re

_UUID = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})(?![0-9A-Za-z])"
)
_STANDIN = re.compile(r"(?<![0-9A-Za-z])id-\d{4,}(?![0-9A-Za-z])")


class StandIns:
    """The names of one request, kept for its answer.

    Parameters
    ----------
    text : str
        Everything that the request says: a name that stands in it already is not given again.
    """

    def __init__(self, text: str) -> None:
        self._taken = set(_STANDIN.findall(text))
        self._shown: dict[str, str] = {}
        self._number = 0

    def hide(self, text: str) -> str:
        """A text with a name in the place of every UUID."""
        return _UUID.sub(lambda found: self._name(found[0]), text)

    def reveal(self, text: str) -> str:
        """An answer with the UUIDs that its names stand for; a name that was never given stays."""
        meant = {name: uuid for uuid, name in self._shown.items()}
        return _STANDIN.sub(lambda found: meant.get(found[0], found[0]), text)

    def _name(self, uuid: str) -> str:
        while uuid not in self._shown:
            self._number += 1
            name = f"id-{self._number:04d}"
            if name not in self._taken:
                self._shown[uuid] = name
        return self._shown[uuid]
