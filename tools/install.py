"""Install what is pinned, each file by its hash: ``python tools/install.py core,dev``, into that Python's environment.

First what builds, then all that is pinned and wanted, then the project itself: nothing of those is unpacked or run
unless its hash stands in ``hashes.txt``. What pip finds still missing after that (another platform needs it) comes at
the version that is pinned, by its hash; what is not pinned, or of which no hash is known, is named.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pins import CONSTRAINTS, HASHES, LETTA, ROOT, Pin, canonical, read, resolved_here, selected

PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
# Bytecode is written at the first import instead of for a gigabyte that is mostly never imported.
INSTALL = [*PIP, "--no-compile"]
# What builds is there already, by its hash; pip would fetch another without one.
AS_IT_IS = ["--no-deps", "--no-build-isolation"]


def install(pins: Iterable[Pin], folder: Path, options: Iterable[str] = AS_IT_IS) -> None:
    """Install pins: those with hashes by them, then those without, which are named."""
    taken = list(pins)
    bare = [pin for pin in taken if not pin.hashes]
    for some, by in (([pin for pin in taken if pin.hashes], ["--require-hashes"]), (bare, [])):
        if some:
            file = folder / "pins.txt"
            file.write_text("".join(pin.block() for pin in some), encoding="utf-8")
            subprocess.run([*INSTALL, *options, *by, "--requirement", str(file)], check=True)
    if bare:
        named = ", ".join(f"{pin.name} {pin.version}" for pin in bare)
        print(f"Installed as the index gave it, for no hash of it is known: {named}", file=sys.stderr)


def missing(report: dict[str, Any], pins: Iterable[Pin]) -> list[Pin]:
    """What pip says that it would install: as pinned, or without a hash."""
    known = {pin.key: pin for pin in pins}
    said = [(part["metadata"]["name"], part["metadata"]["version"]) for part in report["install"]]
    return [known.get((canonical(name), version), Pin(name, version)) for name, version in said]


def project() -> dict[str, Any]:
    """What pyproject.toml says of the project."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def requirements(groups: Iterable[str]) -> list[str]:
    """What pyproject.toml asks for in the groups, as it stands there."""
    asked: dict[str, list[str]] = {"core": project()["dependencies"], **project()["optional-dependencies"]}
    return [line for group in groups for line in asked[group]]


def still_missing(groups: Iterable[str], pins: Iterable[Pin], folder: Path) -> list[Pin]:
    """What pip would add to what is installed, so that all requirements of the groups are met."""
    wanted, told = folder / "wanted.txt", folder / "told.json"
    wanted.write_text("\n".join(requirements(groups)) + "\n", encoding="utf-8")
    options = ["--dry-run", "--report", str(told), "--constraint", str(CONSTRAINTS), "--requirement", str(wanted)]
    subprocess.run([*PIP, *options], check=True)
    return missing(json.loads(told.read_text(encoding="utf-8")), pins)


def install_project(groups: list[str], pins: list[Pin], folder: Path, *, here: bool) -> None:
    """Install the groups of the project, then itself, as a link to this checkout."""
    install(selected(pins, groups, starred=here), folder)
    # What only another platform needs may be a source that wants more than ours to be built.
    install(still_missing(groups, pins, folder), folder, ["--no-deps"])
    subprocess.run([*INSTALL, *AS_IT_IS, "--editable", str(ROOT)], check=True)


def main(asked: list[str]) -> int:
    """Install the groups that are named, or ``letta`` alone."""
    known = ["core", *project()["optional-dependencies"]]
    if wrong := [group for group in asked if group not in known and asked != ["letta"]]:
        print(f"{', '.join(wrong)}: no extra of this project, which has {', '.join(known)}", file=sys.stderr)
        return 2
    text = HASHES.read_text(encoding="utf-8")
    pins = read(text)
    with TemporaryDirectory() as named:
        folder = Path(named)
        install(selected(pins, ["build"], starred=True), folder)
        if asked == ["letta"]:
            install(read(LETTA.read_text(encoding="utf-8"), LETTA.name), folder)
        else:
            install_project(asked, pins, folder, here=resolved_here(text))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(",".join(sys.argv[1:]).split(",")))
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
