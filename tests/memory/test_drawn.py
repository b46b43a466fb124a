"""What captions say of how much a figure rests on."""

from __future__ import annotations

from typing import Any

import pytest

from personae.memory.drawn import resting
from personae.memory.measures_frame import EXCHANGE


@pytest.mark.parametrize(
    ("rows", "what", "said"),
    [
        ([], "scores", ""),
        ([(58, 1.0), (58, 1.0)], "scores", " Each number rests on 58 scores, coverage 100 %."),
        ([(1160, 0.999), (58, 0.5)], "scores", " Each number rests on 58 to 1,160 scores, coverage at least 50 %."),
        ([(3, None)], "episodes", " Each number rests on 3 episodes."),
        (
            [(18, None, EXCHANGE[1])],
            "episodes",
            " Each number is of one episode: how far episodes differ is not known.",
        ),
        ([(1, None)], "episodes", " Each number is of one episode: how far episodes differ is not known."),
    ],
)
def test_a_caption_says_on_how_much_its_numbers_rest(rows: list[tuple[Any, ...]], what: str, said: str) -> None:
    told = [dict(zip(("n", "coverage", "test"), (*row, ""), strict=False)) for row in rows]
    assert resting(told, what) == said
