"""Ask the package index for the hashes of every version that is pinned: ``make hashes``, ``make constraints``.

Runs in an environment that holds all that is pinned, for what wants what is read from what is installed.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement

from package_index import files, hashes, index_address, page_of
from pins import CONSTRAINTS, HASHES, LETTA, ROOT, Pin, canonical, head, platform, read

AT_ONCE = 8
HEAD = """\
# The sha256 of every file of the versions in constraints.txt that Linux or macOS could install, as the package index
# gives them; a version without any is one for which the index gives none. `make hashes` writes this.
# After each stands what wants it: what builds, the program itself, an extra; starred where only some platforms do.
"""
SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "darwin": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
}
MACHINES = {"linux": ("x86_64", "aarch64"), "darwin": ("x86_64", "arm64")}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def environments() -> Iterator[dict[str, str]]:
    """What the markers of requirements are asked about: every system, processor and Python the project runs on."""
    for system, facts in SYSTEMS.items():
        for processor in MACHINES[system]:
            for version in PYTHONS:
                python = {"python_version": version, "python_full_version": f"{version}.0"}
                yield {**default_environment(), **facts, **python, "platform_machine": processor}  # type: ignore[dict-item]


def groups(project: Mapping[str, Any]) -> dict[str, list[str]]:
    """What pyproject.toml asks for: to build, for the program, for every extra."""
    asked = project["project"]
    return {
        "build": project["build-system"]["requires"],
        "core": asked["dependencies"],
        **asked["optional-dependencies"],
    }


def needed(requirements: Iterable[str], environment: Mapping[str, str]) -> set[str]:
    """The names of all that some requirements ask for, and of what that asks for, in an environment."""
    left = [(parsed(line), "") for line in requirements]
    seen: set[tuple[str, str]] = set()
    while left:
        wanted, extra = left.pop()
        if wanted.marker and not wanted.marker.evaluate({**environment, "extra": extra}):
            continue
        for asked in {(canonical(wanted.name), taken) for taken in {"", *wanted.extras}} - seen:
            seen.add(asked)
            left.extend((line, asked[1]) for line in asks(asked[0]))
    return {name for name, _ in seen}


@cache
def parsed(line: str) -> Requirement:
    """A requirement."""
    return Requirement(line)


@cache
def asks(name: str) -> list[Requirement]:
    """The requirements of an installed package; none of one that this platform does not need."""
    try:
        return [parsed(line) for line in requires(name) or []]
    except PackageNotFoundError:
        return []


def wanted_by(project: Mapping[str, Any]) -> dict[str, list[str]]:
    """For every package the groups that want it, starred where they do on some platforms only."""
    found: dict[str, list[str]] = {}
    here = {key: str(value) for key, value in default_environment().items()}
    for group, lines in groups(project).items():
        everywhere = set.intersection(*(needed(lines, environment) for environment in environments()))
        for name in needed(lines, here) | everywhere:
            found.setdefault(name, []).append(group if name in everywhere else f"{group}*")
    return found


def with_hashes(pin: Pin, address: str, wanted: Mapping[str, list[str]]) -> Pin:
    """A pin with what the index says of its files."""
    return Pin(pin.name, pin.version, hashes(pin, files(page_of(pin, address))), wanted.get(canonical(pin.name), []))


def renew(path: Path, pins: list[Pin], said: str, wanted: Mapping[str, list[str]]) -> list[Pin]:
    """Write a file of pins with their hashes, whole or not at all; what it now holds."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        renewed = list(pool.map(partial(with_hashes, address=index_address(), wanted=wanted), pins))
    beside = path.with_suffix(".new")
    beside.write_text(said + "".join(pin.block() for pin in renewed), encoding="utf-8")
    beside.replace(path)
    return renewed


def main() -> int:
    """Write both files; say which versions are without a hash."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    said = f"{HEAD}# resolved for: {', '.join(platform())}\n"
    pins = read(CONSTRAINTS.read_text(encoding="utf-8"), CONSTRAINTS.name)
    letta = LETTA.read_text(encoding="utf-8")
    both = [*renew(HASHES, pins, said, wanted_by(project)), *renew(LETTA, read(letta, LETTA.name), head(letta), {})]
    bare = [f"{pin.name}=={pin.version}" for pin in both if not pin.hashes]
    count = sum(len(pin.hashes) for pin in both)
    print(f"{len(both)} versions, {count} hashes; without one: {', '.join(bare) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
