"""The licence of an installed package, as its metadata says it, and whether it asks more than Apache-2.0 does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

from pins import Pin, canonical

LONGEST = 60
NOT_SAID, NOT_INSTALLED = "not said", "not installed here"
# What cannot be handed on under Apache-2.0 together with the rest: licences of category X of the Apache Software
# Foundation, https://www.apache.org/legal/resolved.html. Those that bind their own files alone (MPL) are not of it.
ASKS_MORE = re.compile(
    r"\b[AL]?GPL|General Public|Affero|SSPL|Server Side Public|\bBUSL|Business Source|Commons Clause|Elastic License"
    r"|Non-?Commercial|\bNC\b|Proprietary|End User",
    re.IGNORECASE,
)


def shown(text: str) -> str:
    """The first line that says something, without what a terminal would obey, and no longer than a column."""
    lines = (" ".join("".join(filter(str.isprintable, line)).split()) for line in text.splitlines())
    line = next(filter(None, lines), "")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def licence(package: Distribution) -> str:
    """What the metadata of a package says: its expression, its short name, its classifiers, or how its text begins."""
    said = package.metadata
    expression, text = ((said.get_all(field) or [""])[0].strip() for field in ("License-Expression", "License"))
    if text == "UNKNOWN":
        text = ""
    classified = [line.split(" :: ")[-1] for line in said.get_all("Classifier") or [] if line.startswith("License ::")]
    named = "; ".join(name for name in classified if not name.endswith("approved"))
    short = text if len(text) <= LONGEST and "\n" not in text else ""
    return shown(expression or short or named or text) or NOT_SAID


def asks_more(licence: str) -> bool:
    """Whether a licence asks more than Apache-2.0 of who hands a package on; one of several to choose from may."""
    parts = licence.split(" OR ") if " AND " not in licence else [licence]
    return all(ASKS_MORE.search(part) for part in parts)


def licences(pins: Iterable[Pin], folders: Iterable[Path]) -> dict[tuple[str, str], str]:
    """The licence of every pin that is installed in one of the folders, at the version that is pinned."""
    found = {
        (canonical(package.metadata["Name"]), package.version): licence(package)
        for package in distributions(path=[str(folder) for folder in folders])
    }
    return {pin.key: found.get(pin.key, NOT_INSTALLED) for pin in pins}
