"""What the project says of itself holds: dependencies, extras, verbs, data that is shipped, release notes, links."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer import Context
from typer.main import get_command

from personae.cli import app

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEPENDENCIES: list[str] = PROJECT["project"]["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
VERBS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


def pinned() -> dict[str, str]:
    """Name to version of every line of the constraints; any other kind of line is an error."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)", line) for line in lines if line[:1] != "#"]
    assert all(pins), "constraints.txt holds more than names and versions"
    return {canonicalize_name(pin[1]): pin[2] for pin in pins if pin}


@pytest.mark.parametrize("line", [*DEPENDENCIES, *(line for lines in EXTRAS.values() for line in lines)])
def test_every_requirement_is_pinned_to_a_version_it_allows(line: str) -> None:
    wanted = Requirement(line)
    assert pinned()[canonicalize_name(wanted.name)] in wanted.specifier


def test_make_installs_every_extra_but_the_one_of_gigabytes() -> None:
    (named,) = re.findall(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*named.split(","), "torch"} == set(EXTRAS)


@pytest.mark.parametrize("target", PROJECT["project"]["scripts"].values())
def test_scripts_lead_somewhere(target: str) -> None:
    module, _, name = target.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("target", PROJECT["project"]["entry-points"]["personae.studies"].values())
def test_studies_lead_to_a_family(target: str) -> None:
    module, _, name = target.partition(":")
    assert getattr(import_module(module), name).studies


def test_everything_in_the_package_is_shipped() -> None:
    package = ROOT / "src" / "personae"
    patterns: list[str] = PROJECT["tool"]["setuptools"]["package-data"]["personae"]
    shipped = {path for pattern in patterns for path in package.glob(pattern)}
    present = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {str(path.relative_to(package)) for path in present - shipped if path.suffix != ".py"} == set()


def test_every_verb_has_its_section_and_its_table() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\w+)$", page, re.MULTILINE)) == set(VERBS)
    assert set(re.findall(r"^```{verb} (\w+)$", page, re.MULTILINE)) == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_stands_in_the_readme(verb: str) -> None:
    assert f"personae {verb}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_and_prints_data(verb: str) -> None:
    parameters = VERBS[verb].get_params(Context(VERBS[verb]))
    assert VERBS[verb].help
    assert [parameter.name for parameter in parameters if parameter.name != "help" and not parameter.help] == []
    assert "json" in {parameter.name for parameter in parameters}


FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md")


def test_every_fragment_becomes_a_release_note() -> None:
    drafted = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for fragment in FRAGMENTS:
        assert fragment.read_text(encoding="utf-8").strip() in drafted


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / PurePath(target)).exists()] == []
