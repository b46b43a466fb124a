"""What a database knows to be vulnerable, asked over the JSON interface of package indexes.

``BASE/NAME/VERSION/json`` holds a list ``vulnerabilities``: the documentation of the Python Package Index, "JSON API".
A mirror often has no such page. An answer without that list is no answer, and says of no version that nothing is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from licences import shown
from package_index import fetch
from pins import Pin, canonical

AT_ONCE = 8
SECONDS = 20
TRIED = 3
"""So many packages are asked about before a database counts as out of reach."""


class NotReached(Exception):
    """No answer of a database, and why."""


@dataclass(frozen=True)
class Known:
    """One known vulnerability: how it is called, in which versions it is mended, what it is."""

    names: tuple[str, ...]
    mended_in: tuple[str, ...]
    summary: str

    def __str__(self) -> str:
        mended = f"mended in {', '.join(self.mended_in)}" if self.mended_in else "not mended in any version"
        return shown(f"{' = '.join(self.names)} ({mended})") + (f": {shown(self.summary)}" if self.summary else "")


@dataclass(frozen=True)
class LookedUp:
    """What is known of each pin that a database answered for, and why it did not for the others."""

    known: dict[tuple[str, str], list[Known]]
    unanswered: dict[tuple[str, str], str]


def ask(pin: Pin, base: str) -> list[Known]:
    """What a database knows of one version.

    Raises
    ------
    NotReached
        When it says nothing, or nothing of vulnerabilities.
    """
    try:
        said = json.loads(fetch(f"{base}/{canonical(pin.name)}/{pin.version}/json", "application/json", SECONDS))
        return [read(one) for one in said["vulnerabilities"] if not one.get("withdrawn")]
    except OSError as error:
        raise NotReached(shown(str(error))) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotReached(f"the answer holds no list of vulnerabilities ({type(error).__name__})") from error


def read(one: dict[str, Any]) -> Known:
    """One entry of the list."""
    names = tuple(str(name) for name in [one["id"], *(one.get("aliases") or [])])
    told = str(one.get("summary") or one.get("details") or "")
    return Known(names, tuple(str(version) for version in one.get("fixed_in") or []), told)


def tried(pin: Pin, base: str) -> list[Known] | str:
    """What is known of one version, or why that cannot be said."""
    try:
        return ask(pin, base)
    except NotReached as error:
        return str(error)


def look_up(pins: Iterable[Pin], base: str) -> LookedUp:
    """Ask a database about every pin.

    Raises
    ------
    NotReached
        When the first few are not answered: then there is none at that address.
    """
    asked = list(pins)
    said = [tried(pin, base) for pin in asked[:TRIED]]
    if said and all(isinstance(one, str) for one in said):
        raise NotReached(str(said[0]))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        said += pool.map(partial(tried, base=base), asked[TRIED:])
    pairs = list(zip((pin.key for pin in asked), said, strict=True))
    known = {key: one for key, one in pairs if not isinstance(one, str)}
    return LookedUp(known, {key: one for key, one in pairs if isinstance(one, str)})
