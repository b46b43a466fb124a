"""What is said before anything is asked is there at once: nothing heavy is imported for it, and no other verb."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from personae.cli.verbs import VERBS
from personae.models.presets import presets

HEAVY = {"aiohttp", "altair", "inspect_ai", "jinja2", "numpy", "polars", "scipy", "statsmodels", "vl_convert"}
MODELS = {"pydantic", "msgspec", "yaml", "rich"}
"""What the verbs' own specs and tables need, and a list of verbs does not."""
CALLED = """
import sys
from personae.cli import main
sys.argv = ["personae", *{words!r}]
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def imported(*words: str) -> set[str]:
    """Every module that a process has imported once it has said what it was asked for."""
    nowhere = {preset.base_url_env: "http://127.0.0.1:9/v1" for preset in presets().values() if not preset.key_needed}
    done = subprocess.run(
        [sys.executable, "-c", CALLED.format(words=words)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | nowhere,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("words", ["--help", "--version", "studies", "models"])
def test_nothing_heavy_is_imported_to_say_what_there_is(words: str) -> None:
    assert not HEAVY & imported(words)


@pytest.mark.parametrize("words", ["--help", "--version"])
def test_the_list_of_verbs_imports_no_verb(words: str) -> None:
    found = imported(words)
    assert not (MODELS | {f"personae.cli.{verb.module}" for verb in VERBS.values()}) & found


@pytest.mark.parametrize("name", VERBS)
def test_the_line_of_a_verb_is_its_docstring(name: str) -> None:
    verb = VERBS[name]
    function = getattr(import_module(f"personae.cli.{verb.module}"), verb.function)
    assert inspect.getdoc(function) == verb.line


def test_help_names_every_verb_and_what_an_option_is_by_default() -> None:
    help_of = [
        subprocess.run(
            [sys.executable, "-m", "personae", *words, "--help"], capture_output=True, text=True, check=True
        ).stdout
        for words in ([], ["run"])
    ]
    assert re.findall(r"^  ([a-z]+)  ", help_of[0].partition("Commands:")[2], re.MULTILINE) == list(VERBS)
    assert "[default: quick]" in help_of[1]


def test_the_version_is_that_of_the_package() -> None:
    said = subprocess.run([sys.executable, "-m", "personae", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"personae {version('personae')}\n"


def test_public_names_are_there_whatever_was_imported_before(tmp_path: Path) -> None:
    program = "import personae.audit, personae, inspect\nfrom personae import *\n" + (
        "assert inspect.isfunction(audit) and inspect.isfunction(personae.audit)\n"
        "assert personae.Run is Run and personae.Study is Study and personae.Persona is Persona\n"
        "assert personae.__version__ and set(personae.__all__) < set(dir(personae))\n"
        "print(open_run, trust)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, capture_output=True)
