"""The contract of the table of estimates, held against every row that is kept."""

from __future__ import annotations

import json

import pytest

from .cases import CASES
from .keeping import KEPT, taken

UNITS = {
    "answer",
    "cell",
    "draw",
    "episode",
    "model",
    "note",
    "occupation",
    "pair of identities",
    "prompt",
    "question",
    "role",
    "set",
    "stimulus",
}


@pytest.mark.parametrize("name", CASES)
def test_what_has_an_interval_or_a_test_says_over_what_it_goes(name: str) -> None:
    rows = [line for section, lines in taken(KEPT / name).items() if section.startswith("estimates") for line in lines]
    for key, row in map(json.loads, rows):
        if "ci_low" in row:
            assert row.get("clusters", 0) > 0, key
            assert row["unit"] in UNITS, key
        elif "p" not in row:
            assert "clusters" not in row, key
            assert row["unit"] == "", key


@pytest.mark.parametrize("name", CASES)
def test_a_study_whose_personas_are_compared_names_the_baseline(name: str) -> None:
    for section, lines in taken(KEPT / name).items():
        if section == "estimates/sound":
            keys = [json.loads(line)[0] for line in lines]
            compared = {key.split(" ")[0] for key in keys if " baseline " in key and " persona=" in key}
            named = {key.split(" ")[0] for key in keys if " persona=baseline" in key}
            assert compared <= named
