"""Random effects: statsmodels' DerSimonian and Laird, limits, and what cannot be combined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.meta_analysis import combine_effects

from personae.stats.random_effects import random_effects

EFFECTS = st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 40)), min_size=2, max_size=12)


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_it_is_statsmodels_dersimonian_and_laird(seed, level):
    numbers = np.random.default_rng(seed)
    effects, variances = numbers.normal(0.3, 0.1 + seed, 9), numbers.uniform(0.05, 0.5, 9)
    peer = combine_effects(effects, variances, method_re="chi2")
    found = random_effects(effects, variances, level)
    assert (found.tau2, found.q) == pytest.approx((peer.tau2, peer.q))
    assert found.tau2 > 0.0
    assert (found.value, found.error) == pytest.approx((peer.mean_effect_re, peer.sd_eff_w_re))
    assert (found.ci_low, found.ci_high) == pytest.approx(tuple(peer.conf_int(alpha=1 - level, use_t=False)[1]))


def test_effects_that_agree_are_combined_by_their_precision():
    found = random_effects([1.0, 2.0], [1.0, 3.0])
    assert (found.tau2, found.i2) == (0.0, 0.0)
    assert found.value == pytest.approx(1.25)
    assert found.error == pytest.approx(math.sqrt(0.75))
    assert found.q == pytest.approx(0.25)
    assert found.c == pytest.approx(0.5)


@given(EFFECTS)
def test_the_sign_of_all_effects_is_the_sign_of_the_result(pairs):
    effects, variances = [pair[0] / 10 for pair in pairs], [pair[1] / 20 for pair in pairs]
    one, two = random_effects(effects, variances), random_effects([-effect for effect in effects], variances)
    assert two.value == pytest.approx(-one.value, abs=1e-12)
    assert two.p == pytest.approx(one.p)
    assert two.p_greater == pytest.approx(1.0 - one.p_greater)
    assert min(effects) - 1e-12 <= one.value <= max(effects) + 1e-12
    assert one.p == pytest.approx(2 * min(one.p_greater, two.p_greater))
    assert 0.0 <= one.i2 < 1.0


@given(EFFECTS, st.floats(0.1, 10.0))
def test_units_carry_over(pairs, scale):
    effects, variances = np.array(pairs, dtype=float).T
    one, two = random_effects(effects, variances), random_effects(scale * effects, scale**2 * variances)
    assert (two.value, two.error, two.tau2) == pytest.approx(
        (scale * one.value, scale * one.error, scale**2 * one.tau2), rel=1e-8, abs=1e-8
    )


@pytest.mark.parametrize(
    ("effects", "variances", "reason"),
    [
        ([], [], "no values"),
        ([0.5], [0.1], "one value only"),
        ([0.5, math.nan], [0.1, 0.1], "missing or not finite"),
        ([0.5, 0.6], [0.1, math.inf], "missing or not finite"),
        ([0.5, 0.6], [0.1, 0.0], "variances are 0"),
    ],
)
def test_what_cannot_be_combined_is_nan_with_its_reason(effects, variances, reason):
    found = random_effects(effects, variances)
    assert reason in found.reason
    assert math.isnan(found.p)
    assert math.isnan(found.ci_low)
    assert found.n == len(effects)


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="2 effects and 1 variances"):
        random_effects([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="negative"):
        random_effects([1.0, 2.0], [1.0, -1.0])
    with pytest.raises(ValueError, match="level"):
        random_effects([1.0, 2.0], [1.0, 1.0], level=95.0)
