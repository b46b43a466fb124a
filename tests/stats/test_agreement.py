"""Agreement, corrected shares and rank correlation against published numbers; each source stands where it is used."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as peer_kappa

from personae.stats.agreement import corrected_share, fleiss_kappa, rank_correlation
from personae.stats.paired_shares import paired_shares
from personae.stats.proportions import wilson

# Vignette "overview" of the R package irrCAC (Gwet): distrib.6raters, 15 patients, 6 psychiatrists, 5 diagnoses.
PSYCHIATRISTS = [
    [0, 0, 0, 6, 0],
    [0, 3, 0, 0, 3],
    [0, 1, 4, 0, 1],
    [0, 0, 0, 0, 6],
    [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2],
    [2, 0, 3, 1, 0],
    [2, 0, 0, 4, 0],
    [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0],
    [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0],
    [1, 0, 0, 5, 0],
    [0, 2, 0, 3, 1],
]
# Fleiss (1971), table 1: 30 patients, each diagnosed by 6 psychiatrists, as votes for one of 5 diagnoses in order (the
# table holds their counts, the data set `diagnoses` of the R package irr such votes).
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""
# The vignette of irrCAC again: cont3x3abstractors, two abstractors; Scott's pi is Fleiss' kappa of two raters.
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]


def of_two(table):
    """Counts per subject from a table of two raters."""
    counts = []
    for (one, row), other in product(enumerate(table), range(len(table))):
        votes = np.zeros(len(table), dtype=int)
        np.add.at(votes, [one, other], 1)
        counts += [votes] * row[other]
    return counts


class TestFleissKappa:
    def test_value_and_its_parts_are_those_that_fleiss_published(self):
        found = fleiss_kappa([[votes.count(diagnosis) for diagnosis in "12345"] for votes in DIAGNOSES.split()])
        assert round(found.value, 3) == 0.430
        assert (round(found.observed, 3), round(found.expected, 3)) == (0.556, 0.220)
        assert (found.n, found.raters) == (30, 6)

    @given(st.integers(2, 9), st.integers(2, 5), st.integers(1, 30), st.integers(0, 2**32 - 1))
    def test_value_is_statsmodels(self, raters, categories, subjects, seed):
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(raters, rng.dirichlet(np.ones(categories)), size=subjects)
        found = fleiss_kappa(counts)
        if not math.isnan(found.value):
            assert found.value == pytest.approx(peer_kappa(counts), rel=1e-12, abs=1e-12)

    def test_value_interval_and_test_are_those_that_irrcac_prints(self):
        found = fleiss_kappa(PSYCHIATRISTS)
        assert found.value == pytest.approx(0.4139265, abs=5e-8)
        assert found.value / found.statistic == pytest.approx(0.08119291, abs=5e-9)
        assert (round(found.ci_low, 3), round(found.ci_high, 3)) == (0.240, 0.588)
        assert found.p == pytest.approx(0.0001622724, abs=5e-11)
        assert (found.observed, found.expected) == (pytest.approx(0.5511111), pytest.approx(0.2340741))
        assert (found.n, found.raters) == (15, 6)

    def test_of_two_raters_it_is_scotts_pi(self):
        assert fleiss_kappa(of_two(ABSTRACTORS)).value == pytest.approx(0.7962397, abs=5e-8)

    def test_subjects_that_are_clusters_of_their_own_change_nothing(self):
        alone = fleiss_kappa(PSYCHIATRISTS)
        assert fleiss_kappa(PSYCHIATRISTS, clusters=range(15)) == alone

    def test_the_same_subjects_twice_are_no_more_certain_when_clustered(self):
        doubled, clusters = PSYCHIATRISTS * 2, [*range(15)] * 2
        once, twice = fleiss_kappa(PSYCHIATRISTS), fleiss_kappa(doubled, clusters=clusters)
        assert twice.value == pytest.approx(once.value)
        assert twice.ci_low == pytest.approx(once.ci_low)
        assert fleiss_kappa(doubled).ci_low > once.ci_low

    def test_perfect_agreement_is_one(self):
        assert fleiss_kappa([[3, 0], [0, 3], [3, 0]]).value == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("counts", "reason"),
        [([], "no values"), ([[3, 0], [3, 0]], "all votes are the same"), ([[2, 1]], "one cluster only")],
    )
    def test_what_cannot_be_told_says_why(self, counts, reason):
        found = fleiss_kappa(counts)
        assert reason in found.reason
        assert math.isnan(found.ci_low)

    @pytest.mark.parametrize("counts", [[[3, 0], [2, 0]], [[1, 0]], [[1.5, 0.5]], [[-1, 3]], [3, 0]])
    def test_uneven_votes_are_refused(self, counts):
        with pytest.raises(ValueError, match=r"votes|whole|table"):
            fleiss_kappa(counts)

    @given(st.lists(st.integers(0, 3), min_size=2, max_size=40))
    def test_it_lies_within_its_interval_and_below_one(self, biased):
        found = fleiss_kappa([[3 - votes, votes] for votes in biased])
        if not found.reason:
            assert found.ci_low <= found.value <= found.ci_high <= 1.0

    def test_the_interval_holds_the_truth_as_often_as_it_says(self):
        rng, truth, hits = np.random.default_rng(2), _kappa_of_betas(), 0
        for _ in range(400):
            votes = rng.binomial(3, rng.beta(1.0, 2.0, size=120))
            found = fleiss_kappa(np.column_stack([3 - votes, votes]))
            hits += found.ci_low <= truth <= found.ci_high
        assert 0.92 <= hits / 400 <= 0.98


def _kappa_of_betas() -> float:
    """Kappa of votes whose probability is beta(1, 2) from subject to subject: the intraclass correlation 1 / 4."""
    return 1.0 / (1.0 + 2.0 + 1.0)


class TestCorrectedShare:
    # Documentation of epi.prev in the R package epiR, examples: brucellosis and Helicobacter pylori.
    @pytest.mark.parametrize(
        ("flagged", "n", "sensitivity", "specificity", "printed"),
        [(23, 150, (960, 1000), (890, 1000), 0.051), (6, 151, (964, 1000), (927, 1000), 0.0)],
    )
    def test_the_value_is_the_published_one(self, flagged, n, sensitivity, specificity, printed):
        found = corrected_share(wilson(flagged, n), wilson(*sensitivity), wilson(*specificity))
        assert round(found.value, 3) == printed
        assert found.ci_low <= found.value <= found.ci_high

    def test_with_many_rated_the_interval_is_rogan_and_gladens(self):
        # Rogan and Gladen (1978), equation 3: variance a (1 - a) / (n (s + t - 1)^2) for a known test.
        found = corrected_share(wilson(4000, 10_000), wilson(900_000, 10**6), wilson(800_000, 10**6))
        half = 1.959964 * math.sqrt(0.4 * 0.6 / 10_000) / 0.7
        assert found.ci_low == pytest.approx(found.value - half, abs=3e-4)
        assert found.ci_high == pytest.approx(found.value + half, abs=3e-4)

    def test_fewer_rated_make_it_wider(self):
        widths = [
            (found.ci_high - found.ci_low)
            for many in (1, 10, 100)
            for found in [corrected_share(wilson(300, 1000), wilson(9 * many, 10 * many), wilson(8 * many, 10 * many))]
        ]
        assert widths == sorted(widths, reverse=True)

    def test_a_perfect_judge_changes_nothing(self):
        assert corrected_share(wilson(30, 100), wilson(50, 50), wilson(50, 50)).value == pytest.approx(0.3)

    @pytest.mark.parametrize(
        ("flagged", "sensitivity", "specificity", "reason"),
        [
            (wilson(3, 10), wilson(5, 10), wilson(5, 10), "no better than chance"),
            (wilson(3, 10), wilson(2, 10), wilson(1, 10), "no better than chance"),
            (wilson(0, 0), wilson(5, 10), wilson(9, 10), "no values"),
            (wilson(3, 10), wilson(0, 0), wilson(9, 10), "one of the two kinds"),
        ],
    )
    def test_what_cannot_be_corrected_says_why(self, flagged, sensitivity, specificity, reason):
        found = corrected_share(flagged, sensitivity, specificity)
        assert math.isnan(found.value)
        assert reason in found.reason

    @pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
    def test_the_interval_holds_the_truth_as_often_as_it_says(self, share):
        rng, hits, runs, s, t = np.random.default_rng(3), 0, 600, 0.85, 0.9
        for _ in range(runs):
            flagged = wilson(int(rng.binomial(500, share * s + (1 - share) * (1 - t))), 500)
            rated = wilson(int(rng.binomial(60, s)), 60), wilson(int(rng.binomial(80, t)), 80)
            found = corrected_share(flagged, *rated)
            hits += found.ci_low <= share <= found.ci_high
        assert hits / runs >= 0.93


class TestRankCorrelation:
    # Documentation of ci.spear in the R package statpsych (Bonett), example.
    ONE = (21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19)
    TWO = (67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51)

    def test_value_and_interval_are_those_that_statpsych_prints(self):
        found = rank_correlation(self.ONE, self.TWO)
        assert found.value == pytest.approx(0.8699639, abs=5e-8)
        assert found.ci_low == pytest.approx(0.5840951, abs=5e-8)
        assert found.ci_high == pytest.approx(0.9638297, abs=5e-8)

    # Two-sided levels of the exact critical values: Zar, J. Amer. Statist. Assoc. 67 (1972) 578-580, table 1.
    @pytest.mark.parametrize(
        ("others", "value", "level"),
        [
            ([1, 2, 3, 4, 5], 1.000, 0.02),
            ([1, 2, 3, 4, 6, 5], 0.943, 0.02),
            ([2, 1, 3, 5, 4, 6], 0.886, 0.05),
            ([2, 1, 4, 3, 5, 7, 6], 0.893, 0.02),
        ],
    )
    def test_few_pairs_are_tested_exactly(self, others, value, level):
        found = rank_correlation(range(len(others)), others)
        assert round(found.value, 3) == value
        assert found.exact
        assert level / 2 < found.p <= level

    def test_beyond_eight_pairs_it_is_t(self):
        found = rank_correlation(self.ONE, self.TWO)
        assert not found.exact
        assert found.statistic == pytest.approx(found.value * math.sqrt(13 / (1 - found.value**2)))

    def test_order_is_all_that_counts(self):
        assert rank_correlation(np.exp(self.ONE), self.TWO) == rank_correlation(self.ONE, self.TWO)
        assert rank_correlation(self.ONE, [-one for one in self.TWO]).value == pytest.approx(-0.8699639, abs=5e-8)

    @pytest.mark.parametrize(
        ("values", "others", "reason"),
        [
            ([1, 2], [1, 2], "fewer than three"),
            ([1, 1, 1], [1, 2, 3], "all ties"),
            ([1, 2, math.nan], [1, 2, 3], "not finite"),
            ([1, 2, 3], [1, 3, 2], "four pairs"),
            ([1, 2, 3, 4], [1, 2, 3, 4], "do not agree perfectly"),
        ],
    )
    def test_what_cannot_be_told_says_why(self, values, others, reason):
        assert reason in rank_correlation(values, others).reason

    def test_lengths_must_agree(self):
        with pytest.raises(ValueError, match="2 values and 3 others"):
            rank_correlation([1, 2], [1, 2, 3])


class TestPairedShares:
    def test_the_interval_is_newcombes(self):
        # Mycobacterium tuberculosis on two media (Armitage and Berry 1994, p. 127), and airway hyper-responsiveness
        # before and after transplantation (Fagerland, Lydersen and Laake, Statist. Med. 33 (2014) 2850-2875).
        media, airways = paired_shares(20, 12, 2, 16), paired_shares(1, 1, 7, 12)
        assert (round(media.ci_low, 4), round(media.ci_high, 4)) == (0.0562, 0.3292)
        assert (round(airways.ci_low, 3), round(airways.ci_high, 3)) == (-0.507, -0.026)

    def test_it_exists_where_no_pair_differs(self):
        found = paired_shares(0, 0, 0, 20)
        assert found.value == 0.0
        assert found.ci_low < 0.0 < found.ci_high

    def test_no_pairs_give_no_number(self):
        assert math.isnan(paired_shares(0, 0, 0, 0).value)

    def test_counts_are_counts(self):
        with pytest.raises(ValueError, match="ours must be a whole number"):
            paired_shares(1, -1, 0, 0)

    @given(st.tuples(*[st.integers(0, 30)] * 4).filter(any))
    def test_it_holds_its_value_within_one_and_turns_with_its_sides(self, counts):
        both, ours, theirs, neither = counts
        found, turned = paired_shares(*counts), paired_shares(both, theirs, ours, neither)
        assert -1.0 <= found.ci_low <= found.value <= found.ci_high <= 1.0
        assert turned.ci_low == pytest.approx(-found.ci_high)
