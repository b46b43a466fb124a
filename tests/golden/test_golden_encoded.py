"""The same of answers that are made into vectors: all in one process, for the encoders take long to load."""

from __future__ import annotations

from pathlib import Path

import pytest

from .cases import CASES, Case
from .checking import come_to_the_same, say_the_same

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("golden-encoded")]
KEPT_HERE = [case for case in CASES.values() if case.encodes]


@pytest.mark.parametrize("case", KEPT_HERE, ids=lambda case: case.name)
def test_answers_of_before_come_to_what_they_came_to(case: Case, tmp_path: Path) -> None:
    come_to_the_same(case, tmp_path)


@pytest.mark.parametrize("case", [case for case in KEPT_HERE if case.asked], ids=lambda case: case.name)
def test_simulated_respondents_say_the_same_again(case: Case, tmp_path: Path) -> None:
    say_the_same(case, tmp_path)
