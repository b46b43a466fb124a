"""What is pinned is pinned once, with the hashes of its files, and names no place where it comes from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from pins import CONSTRAINTS, HASHES, LETTA, RESOLVED, ROOT, head, read

# Of these the index gives no hash: name and version, as they are pinned.
WITHOUT_HASH: set[tuple[str, str]] = set()
# What no group wants here: TensorFlow has another name on macOS.
ELSEWHERE = {"tensorflow"}


@pytest.mark.parametrize("path", [HASHES, LETTA], ids=lambda path: path.name)
def test_every_pin_has_the_hash_of_its_files(path: Path) -> None:
    pins = read(path.read_text(encoding="utf-8"), path.name)
    assert len(pins) > 100
    assert {pin.key for pin in pins if not pin.hashes} == WITHOUT_HASH & {pin.key for pin in pins}
    assert [pin.name for pin in pins if len(set(pin.hashes)) < len(pin.hashes)] == []


def test_hashes_and_constraints_pin_the_same_versions_in_the_same_order() -> None:
    named = read(CONSTRAINTS.read_text(encoding="utf-8"), CONSTRAINTS.name)
    hashed = read(HASHES.read_text(encoding="utf-8"))
    assert [(pin.name, pin.version) for pin in hashed] == [(pin.name, pin.version) for pin in named]
    assert len({pin.key for pin in named}) == len({canonicalize_name(pin.name) for pin in named}) == len(named)


def test_every_package_says_what_wants_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"build", "core", *project["optional-dependencies"]}
    text = HASHES.read_text(encoding="utf-8")
    assert RESOLVED.search(head(text))
    wanted = {pin.name: {group.removesuffix("*") for group in pin.wanted_by} for pin in read(text)}
    assert {name for name, by in wanted.items() if not by} == ELSEWHERE
    assert set.union(*wanted.values()) == groups


@pytest.mark.parametrize("path", [CONSTRAINTS, HASHES, LETTA], ids=lambda path: path.name)
def test_no_place_is_named(path: Path) -> None:
    text = re.sub(r"--hash=sha256:[0-9a-f]{64}", "", path.read_text(encoding="utf-8"))
    assert re.findall(r"\S*(?:://|\b(?:index-url|find-links)|\.(?:org|com|net|io|dev)\b)\S*", text) == []
