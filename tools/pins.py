"""What is pinned: names, versions, the hashes of their files, and what each package is for.

Read with the standard library alone, for it runs before anything is installed. ``hashes.txt`` is a requirements file
of pip; a comment after each package says what wants it: ``build``, ``core`` or an extra, with a star where it does so
on some platforms only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from platform import machine

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
HASHES = ROOT / "hashes.txt"
LETTA = ROOT / "src" / "personae" / "memory" / "letta_server" / "requirements.txt"

PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9.+!]*)(?: \\)?")
HASH = re.compile(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?")
WANTED_BY = re.compile(r"    # for: (.*)")
RESOLVED = re.compile(r"# resolved for: (.*)")


def canonical(name: str) -> str:
    """The name of a package as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass
class Pin:
    """One version of one package, the sha256 of its files, and what wants it."""

    name: str
    version: str
    hashes: list[str] = field(default_factory=list)
    wanted_by: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        """By what two pins are the same."""
        return canonical(self.name), self.version

    def block(self) -> str:
        """Its lines in a requirements file."""
        lines = [f"{self.name}=={self.version}", *(f"    --hash=sha256:{digest}" for digest in self.hashes)]
        told = f"\n    # for: {', '.join(self.wanted_by)}" if self.wanted_by else ""
        return " \\\n".join(lines) + told + "\n"


def head(text: str) -> str:
    """The comments that a file begins with."""
    found = re.match(r"(?:#.*\n)*", text)
    return found[0] if found else ""


def read(text: str, name: str = "hashes.txt") -> list[Pin]:
    """The pins of a file of constraints, or of requirements with or without hashes.

    Raises
    ------
    ValueError
        At a line that is neither a pin, nor a hash, nor what one is for.
    """
    pins: list[Pin] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if found := PIN.fullmatch(line):
            pins.append(Pin(found[1], found[2]))
        elif pins and (found := HASH.fullmatch(line)):
            pins[-1].hashes.append(found[1])
        elif pins and (found := WANTED_BY.fullmatch(line)):
            pins[-1].wanted_by = found[1].split(", ")
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{name}, line {number}: {line[:80]!r} is no name==version, hash or comment")
    return pins


def resolved_here(text: str) -> bool:
    """Whether the versions were resolved on a platform like this one."""
    found = RESOLVED.search(head(text))
    return found is not None and tuple(found[1].split(", ")) == platform()


def platform() -> tuple[str, str, str]:
    """What the resolution depends on: the system, its processor and the version of Python."""
    return sys.platform, machine(), f"Python {sys.version_info.major}.{sys.version_info.minor}"


def selected(pins: Iterable[Pin], groups: Iterable[str], *, starred: bool) -> Iterator[Pin]:
    """The pins that some groups want; with ``starred`` also those that they want on some platforms only."""
    wanted = {*groups} | ({f"{group}*" for group in groups} if starred else set())
    return (pin for pin in pins if wanted.intersection(pin.wanted_by))
