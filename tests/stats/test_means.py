"""The mean: Student's own data, peers (scipy, statsmodels), Bell and McCaffrey by matrices, and what must hold."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import linalg
from scipy import stats as peer

from personae.stats.means import cluster_error, mean_test

# Additional hours of sleep under two drugs, ten patients: Student, Biometrika 6 (1908), as R's `datasets::sleep`.
SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

VALUES = hnp.arrays(np.float64, st.integers(3, 40), elements=st.integers(-50, 50).map(float))


@st.composite
def clustered(draw):
    """Values that differ, with at least two clusters of any sizes."""
    values = draw(VALUES.filter(lambda array: np.ptp(array) > 0))
    labels = draw(st.lists(st.integers(0, 6), min_size=values.size, max_size=values.size))
    labels[0], labels[1] = 0, 1
    return values, labels


def test_student_s_sleep_data_give_the_published_test():
    # Printed by R for t.test(extra ~ group, data = sleep, paired = TRUE): t = -4.0621, df = 9, p-value = 0.002833,
    # 95 percent confidence interval -2.4598858 -0.7001142, mean of the differences -1.58.
    found = mean_test(np.subtract(SLEEP_1, SLEEP_2))
    assert found.statistic == pytest.approx(-4.0621, abs=5e-5)
    assert (found.df, found.n) == (9, 10)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert (found.ci_low, found.ci_high) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)
    assert found.value == pytest.approx(-1.58)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("mu", [0.0, 1.5])
def test_without_clusters_it_is_scipy_s_t_test(level, mu):
    values = np.random.default_rng(3).normal(1.0, 2.0, 37)
    expected, found = peer.ttest_1samp(values, mu), mean_test(values, mu=mu, level=level)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.ci_low, found.ci_high) == pytest.approx(tuple(expected.confidence_interval(level)))
    assert found.effect_size == pytest.approx((values.mean() - mu) / values.std(ddof=1))


@pytest.mark.parametrize("seed", range(5))
def test_cr1_is_statsmodels_cluster_covariance(seed):
    rng = np.random.default_rng(seed)
    codes = np.sort(rng.integers(0, 7, 60))
    values = rng.normal(size=7)[codes] + rng.normal(size=60)
    expected = sm.OLS(values, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    found = mean_test(values, codes, robust="CR1")
    assert found.statistic == pytest.approx(expected.tvalues[0])
    assert found.p == pytest.approx(expected.pvalues[0])
    assert (found.ci_low, found.ci_high) == pytest.approx(tuple(expected.conf_int()[0]))
    assert found.df == expected.df_resid_inference


def bell_mccaffrey(values, codes):
    """CR2 and its degrees of freedom from the definition, with matrices: no closed form is used."""
    n, design = values.size, np.ones((values.size, 1))
    bread = np.linalg.inv(design.T @ design)
    keep = np.eye(n) - design @ bread @ design.T
    residuals, meat, columns = keep @ values, 0.0, []
    for group in np.unique(codes):
        rows = np.flatnonzero(codes == group)
        adjust = linalg.inv(np.real(linalg.sqrtm(keep[np.ix_(rows, rows)])))
        score = adjust @ design[rows] @ bread
        meat += float((score.T @ residuals[rows]).item() ** 2)
        columns.append(keep[rows].T @ score)
    kernel = np.hstack(columns)
    eigen = np.linalg.eigvalsh(kernel.T @ kernel)
    return math.sqrt(meat), eigen.sum() ** 2 / (eigen**2).sum()


@pytest.mark.parametrize("sizes", [[3, 3, 3, 3], [1, 2, 9], [1, 1, 2, 8, 20], [5, 6, 7, 8, 9, 10, 11]])
def test_cr2_is_the_definition_of_bell_and_mccaffrey(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(11).normal(size=codes.size)
    assert cluster_error(values, codes) == pytest.approx(bell_mccaffrey(values, codes))


def test_clusters_of_equal_size_are_the_t_test_on_cluster_means():
    values = np.random.default_rng(4).normal(size=(9, 5))
    expected = peer.ttest_1samp(values.mean(axis=1), 0.0)
    for robust in ("CR1", "CR2"):
        found = mean_test(values.ravel(), np.repeat(np.arange(9), 5), robust=robust)
        assert (found.statistic, found.df, found.p) == pytest.approx((expected.statistic, 8, expected.pvalue))


def test_clusters_of_one_value_each_are_no_clusters():
    values = np.random.default_rng(5).normal(size=12)
    plain, single = mean_test(values), mean_test(values, [f"s{place}" for place in range(12)])
    assert (single.statistic, single.df, single.p) == pytest.approx((plain.statistic, plain.df, plain.p))


@pytest.mark.parametrize(
    ("values", "clusters", "value", "reason"),
    [
        ([], None, None, "no values"),
        ([], [], None, "no values"),
        ([2.0], None, 2.0, "one value only"),
        ([1.0, 2.0], ["a", "a"], 1.5, "one cluster only"),
        ([0.1, 0.1, 0.1], None, 0.1, "all values are equal"),
        ([0.1, 0.1, 0.1], [1, 2, 3], 0.1, "all values are equal"),
        ([0.0, 0.0], None, 0.0, "all values are equal"),
        ([1.0, 3.0, 1.0, 3.0], [1, 1, 2, 2], 2.0, "all clusters agree"),
        ([0.1, 0.3, 0.1, 0.3, 0.1, 0.3], [1, 1, 2, 2, 3, 3], 0.2, "all clusters agree"),
        ([1.0, None], None, None, "missing or not finite"),
        ([1.0, math.inf], [1, 2], None, "missing or not finite"),
    ],
)
def test_what_cannot_be_known_is_nan_with_its_reason(values, clusters, value, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mean_test(values, clusters)
    assert reason in found.reason
    assert all(map(math.isnan, (found.ci_low, found.ci_high, found.statistic, found.df, found.p, found.effect_size)))
    assert math.isnan(found.value) if value is None else found.value == pytest.approx(value)
    assert found.n == len(values)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0, math.nan])
def test_an_impossible_level_is_refused(level):
    with pytest.raises(ValueError, match="level"):
        mean_test([1.0, 2.0], level=level)


def test_clusters_of_another_length_are_refused():
    with pytest.raises(ValueError, match="3 labels for 2 values"):
        mean_test([1.0, 2.0], [1, 2, 3])


def test_a_nan_label_is_refused_because_it_would_be_a_cluster_of_its_own():
    with pytest.raises(ValueError, match="nan"):
        mean_test([1.0, 2.0, 3.0], [1.0, math.nan, math.nan])


@given(clustered(), st.randoms())
def test_order_does_not_matter(data, random):
    values, labels = data
    order = list(range(len(labels)))
    random.shuffle(order)
    one, two = mean_test(values, labels), mean_test(values[order], [labels[place] for place in order])
    assert one.reason == two.reason
    for name in ("value", "ci_low", "ci_high", "p"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-9, abs=1e-9, nan_ok=True)


@given(clustered(), st.integers(-20, 20), st.sampled_from([0.5, 2.0, -4.0]))
def test_shifting_and_scaling_carry_over_to_the_interval(data, shift, scale):
    values, labels = data
    one = mean_test(values, labels)
    two = mean_test(values * scale + shift, labels, mu=float(shift))
    assert one.reason == two.reason
    if not one.reason:
        bounds = sorted((one.ci_low * scale + shift, one.ci_high * scale + shift))
        assert [two.ci_low, two.ci_high] == pytest.approx(bounds, rel=1e-7, abs=1e-7)
        assert two.p == pytest.approx(one.p, rel=1e-6, abs=1e-12)
        assert abs(two.effect_size) == pytest.approx(abs(one.effect_size), rel=1e-7, abs=1e-9)


@given(clustered(), st.floats(0.01, 0.99))
def test_the_interval_holds_the_mean_and_agrees_with_the_test(data, level):
    values, labels = data
    found = mean_test(values, labels, level=level)
    if not found.reason:
        assert found.ci_low <= found.value <= found.ci_high
        assert 1.0 - 1e-9 <= found.df <= found.n_clusters - 1 + 1e-9
        if abs(found.p - (1.0 - level)) > 1e-9:
            assert (found.p < 1.0 - level) == (not found.ci_low <= 0.0 <= found.ci_high)
