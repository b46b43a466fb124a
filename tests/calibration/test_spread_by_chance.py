"""The share of cells that grew: noise alone is called a spread no more often than it claims, a planted one is found."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from personae.stats.spread import Block, increases

pytestmark = pytest.mark.slow

SEED = 20261130
RARE = 1e-3
SERIES, DRAWS = 200, 119
GROUPS = (4, 3, 3, 3, 2, 4, 4, 3, 3)
"""Of the nine domains of paper 002, Table 1."""


def grown(number, *, ways, arms=5, sets=6, shared=False, gap=0.0, alike=0.0, moved=0.0):
    """A heat map: every arm injects one domain and is audited in all nine; ``alike`` of the noise is that of all arms.

    ``moved`` is how many points the first group loses in all domains once something was injected.
    """
    draw = np.random.default_rng((SEED, number))
    blocks = []
    for place, groups in enumerate(GROUPS):
        common = draw.normal(0, 8 * np.sqrt(alike), (1, sets, groups))
        after = common + draw.normal(0, 8 * np.sqrt(1 - alike), (arms, sets, groups))
        before = draw.normal(0, 8, (1 if shared else arms, sets, groups))
        after[:, :, 0] -= gap + moved
        before[:, :, 0] -= gap
        cells = tuple(None if arm == place else (arm, place) for arm in range(arms))
        blocks.append(Block(before=before, after=after, cells=cells))
    return increases(blocks, draw, ways=ways, draws=DRAWS)


OWN = partial(grown, ways=("ends",))
SHARED = partial(grown, ways=("ends", "all"), shared=True)
CALM = partial(grown, ways=("all",), shared=True)


@pytest.mark.parametrize("gap", [0.0, 10.0])
@pytest.mark.parametrize(
    "made",
    [OWN, SHARED, partial(SHARED, alike=0.5), CALM],
    ids=["own first audits", "one first audit", "one first audit, last ones alike", "one audit without injection"],
)
def test_noise_alone_is_called_a_spread_in_at_most_one_of_twenty(made, gap):
    found = [made(number, gap=gap) for number in range(SERIES)]
    hits = sum(one.p <= 0.05 for one in found)
    assert binom.sf(hits - 1, SERIES, 0.05) > RARE, hits
    assert np.mean([one.value for one in found]) == pytest.approx(0.5, abs=0.04)
    assert np.mean([one.null_low <= one.value <= one.null_high for one in found]) > 0.9


def test_exchanging_ends_alone_would_call_it_one_too_often_where_all_share_the_first_audit():
    hits = sum(grown(n, ways=("ends",), shared=True, arms=9, sets=20).p <= 0.05 for n in range(SERIES))
    assert binom.sf(hits - 1, SERIES, 0.05) < RARE, hits


@pytest.mark.parametrize("made", [OWN, SHARED, CALM])
def test_a_planted_spread_is_found(made):
    found = [made(number, gap=4.0, moved=8.0) for number in range(20)]
    assert sum(one.p <= 0.05 for one in found) >= 18
    assert min(one.value for one in found) > 0.7
