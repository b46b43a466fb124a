"""Readers of texts from outside take time that grows with the text, whatever it is: counted in steps."""

from __future__ import annotations

import inspect
import json
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import personae.coding
from personae.coding.choice import read_choice
from personae.coding.pairs import read_pairs
from personae.coding.scores import read_score
from personae.coding.screen import screen
from personae.coding.text import LONGEST, TOO_LONG
from personae.coding.verdict import read_verdict_line
from personae.engine.ask import legible
from personae.types import Response

from .readers import READERS

GROWTH = Path(__file__).with_name("growth.py")
PARTS = 2
NO_READERS = {"label_patterns.label_patterns", "mentions.distinct"}
"""They take what a study offers, not what a model says; they are tried all the same."""


def grown(part: int, every: int) -> list[list[str]]:
    """What grows faster than the text: reader, text and place."""
    command = [sys.executable, str(GROWTH), str(part), str(PARTS), str(every)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_twice_the_text_takes_at_most_two_and_a_half_times_the_steps(part: int) -> None:
    assert grown(part, every=24) == []


@pytest.mark.long
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_hostile_text_of_all_grows_faster(part: int) -> None:
    assert grown(part, every=1) == []


def test_a_reader_that_is_quadratic_is_found() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import counting, growth\n"
        "counting.install()\n"
        "import re\n"
        "from personae.coding import text\n"
        "slow = counting.expressions.compile(r'\\s+x')\n"
        "print(growth.grown(lambda length: growth._steps(slow.search, ' ' * (length // 10))))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(GROWTH.parent)], capture_output=True, text=True, check=False)
    assert "steps at" in done.stdout, done.stdout + done.stderr


def test_every_reader_of_what_a_model_says_is_tried() -> None:
    found = set()
    for module in pkgutil.iter_modules(personae.coding.__path__):
        for name, function in inspect.getmembers(import_module(f"personae.coding.{module.name}"), inspect.isfunction):
            own = function.__module__ == f"personae.coding.{module.name}" and not name.startswith("_")
            first = next(iter(inspect.signature(function).parameters.values()), None)
            if own and first is not None and first.annotation == "str":
                found.add(f"{module.name}.{name}")
    assert found - set(READERS) - NO_READERS == set()


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1, 1_000_000])
def test_an_answer_is_read_to_its_end_or_not_at_all(length: int) -> None:
    text = "yes, A. " + "x" * (length - len("yes, A. "))
    outcome = screen(legible(Response(text=text)))
    readings = [
        read_choice(text, ["abusive", "not abusive"], ["A", "B"]).reason,
        read_pairs(text, ["command"], ["Eric", "Ann"]).reason,
        read_score(text).reason,
        read_verdict_line(text).reason,
    ]
    if length > LONGEST:
        assert outcome is not None
        assert (outcome.status, outcome.reason) == ("truncated", TOO_LONG)
        assert readings == [TOO_LONG] * 4
    else:
        assert outcome is None
        assert TOO_LONG not in readings
