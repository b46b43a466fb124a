"""Resampled statistics: each is what the plain formula gives on the units drawn."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from personae.stats.bootstrap import drawn_interval
from personae.stats.resample import Resamples, resamples

RNG = np.random.default_rng(6)
X = np.round(RNG.random(30), 1)
Y = X + RNG.normal(0, 0.2, 30)
DRAWN = Resamples(30, draws=100, seed=1)
MOVED = Y + RNG.normal(0, 0.05, (100, 30))


def each(statistic, *columns):
    """A statistic of every resample, one at a time."""
    rows = zip(range(100), DRAWN.chosen, strict=True)
    return [statistic(*(one[c] if one.ndim == 1 else one[n][c] for one in columns)) for n, c in rows]


@pytest.mark.parametrize("values", [Y, MOVED], ids=["fixed", "redrawn"])
class TestStatistics:
    def test_means(self, values):
        assert DRAWN.means(values) == pytest.approx(each(np.mean, values))

    def test_spreads(self, values):
        assert DRAWN.spreads(values) == pytest.approx(each(lambda one: one.std(ddof=1), values))

    def test_medians(self, values):
        assert DRAWN.medians(values) == pytest.approx(each(np.median, values))

    def test_lines(self, values):
        slopes, intercepts = DRAWN.lines(X, values)
        expected = np.array(each(lambda x, y: np.polyfit(x, y, 1), X, values))
        assert slopes == pytest.approx(expected[:, 0])
        assert intercepts == pytest.approx(expected[:, 1])

    def test_correlations(self, values):
        assert DRAWN.correlations(X, values) == pytest.approx(each(lambda x, y: np.corrcoef(x, y)[0, 1], X, values))

    def test_rank_correlations_with_ties(self, values):
        expected = each(lambda x, y: spearmanr(x, y)[0], X, values)
        assert DRAWN.rank_correlations(X, values) == pytest.approx(expected)


def test_units_are_drawn_with_replacement_and_alike():
    assert DRAWN.counts.sum(axis=1).tolist() == [30.0] * 100
    assert (DRAWN.counts == [np.bincount(one, minlength=30) for one in DRAWN.chosen]).all()
    many = Resamples(5, draws=20_000)
    assert many.counts.mean(axis=0) == pytest.approx(np.ones(5), abs=0.03)
    assert many.counts.var() == pytest.approx(0.8, abs=0.02)


def test_the_same_seed_gives_the_same_resamples():
    assert (Resamples(30, 100, 1).chosen == DRAWN.chosen).all()
    assert (Resamples(30, 100, 2).chosen != DRAWN.chosen).any()
    assert resamples(30, 100, 1) is resamples(30, 100, 1)


def test_one_unit_has_no_spread_and_no_correlation():
    one = Resamples(1, draws=100)
    assert np.isnan(one.spreads(np.array([0.4]))).all()
    assert np.isnan(one.correlations(np.array([0.4]), np.array([0.2]))).all()


def test_a_resample_of_one_value_only_has_no_correlation_and_no_line():
    two_units = Resamples(2, draws=200)
    alike = two_units.counts.max(axis=1) == 2
    x, y = np.array([0.1, 0.7]), np.array([0.3, 0.2])
    assert alike.any()
    for found in (two_units.correlations(x, y), two_units.lines(x, y)[0]):
        assert (np.isnan(found) == alike).all()


@pytest.mark.parametrize(("size", "draws"), [(0, 100), (5, 99)])
def test_nothing_to_draw_is_refused(size, draws):
    with pytest.raises(ValueError, match=r"nothing to resample|at least 100"):
        Resamples(size, draws)


class TestIntervals:
    def test_plain_percentiles_are_outer_order_statistics(self):
        found = drawn_interval(0.5, np.arange(1000) / 1000)
        assert (found.ci_low, found.ci_high) == (0.024, 0.975)

    def test_with_the_jackknife_it_leans_to_the_side_of_the_skew(self):
        values = np.random.default_rng(3).exponential(size=60)
        drawn = Resamples(60).means(values)
        left = (values.sum() - values) / 59
        plain, leaning = drawn_interval(values.mean(), drawn), drawn_interval(values.mean(), drawn, left)
        assert leaning.ci_low > plain.ci_low
        assert leaning.ci_high > plain.ci_high

    def test_what_never_changes_has_no_interval(self):
        found = drawn_interval(0.1, Resamples(7).means(np.full(7, 0.1)))
        assert np.isnan(found.ci_low)
        assert "same in every resample" in found.reason

    def test_what_is_never_defined_has_none_either(self):
        found = drawn_interval(0.1, np.full(100, np.nan))
        assert (np.isnan(found.ci_low), found.undefined) == (True, 100)
        assert "not defined" in found.reason
