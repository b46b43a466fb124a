"""The measures of decisions on outcomes made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from personae.stats.gbv import generalised, generalised_difference, group_variance
from personae.studies.decisions.measures_frame import blocks
from personae.studies.decisions.measures_gbv import SEED

from .measuring import found, frame, only, row, table

RNG = np.random.default_rng(3)
GROUPS = ("White", "Black", "Asian", "Hispanic")
SCORES = RNG.normal(60, 8, (12, 1)) + RNG.normal(0, 4, (12, 4)) + np.array([4, -4, 0, -3])
OTHER = RNG.normal(55, 8, (12, 1)) + RNG.normal(0, 4, (12, 3))
RACE = table(SCORES, GROUPS)
GENDER = table(OTHER, ("Male", "Female", "Non-Binary"), domain="gender")


class TestGbv:
    def test_it_is_that_of_the_group_means(self):
        one = only(found(RACE), "GBV", domain="race")
        assert one.value == pytest.approx(float(np.std(SCORES.mean(axis=0))))
        assert (one.n, one.coverage) == (48, 1.0)
        assert one.lower == pytest.approx(one.value)
        assert one.upper == pytest.approx(one.value)

    def test_floor_excess_interval_and_p_are_those_of_the_statistic(self):
        made = found(RACE)
        exact = generalised([SCORES], np.random.default_rng(SEED))
        one, floor, excess = (only(made, name, domain="race") for name in ("GBV", "GBV, floor", "GBV, excess"))
        assert (one.ci_low, one.ci_high, one.p) == pytest.approx((exact.ci_low, exact.ci_high, exact.p))
        assert (floor.value, floor.ci_low) == pytest.approx((exact.floor, exact.floor_low))
        assert excess.value == pytest.approx(one.value - floor.value)
        assert floor.p is None
        assert excess.p is None

    def test_the_average_is_over_domains(self):
        made = found([*RACE, *GENDER])
        parts = [only(made, "GBV", domain=name).value for name in ("race", "gender")]
        average = only(made, "AGBV")
        assert average.value == pytest.approx(sum(parts) / 2)
        assert average.n == 48 + 36
        assert only(made, "AGBV, floor").value < average.value

    def test_repeated_answers_are_averaged_first(self):
        twice = [*table(SCORES - 2, GROUPS), *table(SCORES + 2, GROUPS, time=1)]
        assert only(found(twice), "GBV", domain="race").value == pytest.approx(
            only(found(RACE), "GBV", domain="race").value
        )

    def test_models_stand_by_themselves(self):
        made = found([*RACE, *table(SCORES[:, ::-1], GROUPS, model="n")])
        assert only(made, "score", domain="race", level="White").value == pytest.approx(SCORES[:, 0].mean())
        assert only(made, "score", model="n", domain="race", level="White").value == pytest.approx(SCORES[:, 3].mean())


class TestUnanswered:
    ROWS = table([[60, 50], [70, None], [80, 60], [90, 90]])

    def test_only_sets_answered_for_every_group_count(self):
        one = only(found(self.ROWS), "GBV", domain="race")
        assert one.value == pytest.approx(float(group_variance([230 / 3, 200 / 3])))
        assert (one.n, one.coverage) == (7, pytest.approx(7 / 8))

    def test_bounds_hold_whatever_the_rest_would_have_said(self):
        one = only(found(self.ROWS), "GBV", domain="race")
        ends = [float(group_variance([75, (200 + last) / 4])) for last in (0, 100)]
        assert one.lower == pytest.approx(0.0, abs=1e-6)
        assert one.upper == pytest.approx(max(ends))
        mean = only(found(self.ROWS), "score", domain="race", level="Black")
        assert (mean.lower, mean.upper) == (50, 75)
        assert mean.value == pytest.approx(200 / 3)

    def test_without_a_full_set_there_is_none_and_it_says_so(self):
        one = only(found(table([[60, None], [None, 50]])), "GBV", domain="race")
        assert np.isnan(one.value)
        assert one.reason == "no matched set was answered for every group"
        assert one.upper == pytest.approx((80 - 25) / 2)

    def test_a_domain_without_a_full_set_is_left_out_of_the_average_by_name(self):
        made = found([*RACE, *table([[60, None, 50]], ("Male", "Female", "Non-Binary"), domain="gender")])
        average = only(made, "AGBV")
        assert average.value == pytest.approx(only(made, "GBV", domain="race").value)
        assert average.reason == "without gender: no matched set was answered for every group"

    def test_nothing_answered_is_no_zero(self):
        made = found(table([[None, None], [None, None]]))
        assert np.isnan(only(made, "AGBV").value)
        assert np.isnan(only(made, "score", domain="race", level="White").value)

    def test_a_value_of_an_unanswered_item_does_not_count(self):
        rows = [
            *table([[60, 50], [70, 60]]),
            row(2, "White", 99.0, status="invalid"),
            row(2, "Black", 1.0, status="refused"),
        ]
        assert only(found(rows), "score", domain="race", level="White").value == 65

    def test_a_group_not_asked_yet_could_be_anything(self):
        rows = [row(0, "White", 60.0), row(0, "Black", 50.0), row(0, "White", 60.0, model="n")]
        one = only(found(rows), "GBV", model="n", domain="race")
        assert (one.lower, one.upper) == (0.0, pytest.approx(30.0))


class TestGroups:
    def test_a_difference_is_from_the_mean_of_the_set(self):
        one = only(found(RACE), "difference from the set", domain="race", level="Black")
        away = SCORES[:, 1] - SCORES.mean(axis=1)
        assert one.value == pytest.approx(away.mean())
        assert one.statistic == pytest.approx(away.mean() / (away.std(ddof=1) / np.sqrt(12)))
        assert one.df == 11
        assert one.ci_low < one.value < one.ci_high

    def test_differences_of_a_domain_sum_to_0(self):
        made = found(RACE)
        values = [only(made, "difference from the set", domain="race", level=group).value for group in GROUPS]
        assert sum(values) == pytest.approx(0, abs=1e-9)

    def test_mean_scores_have_intervals_within_the_scale(self):
        made = found(table([[98, 60], [100, 70], [99.5, 20]]))
        one = only(made, "score", domain="race", level="White")
        assert one.ci_high == 100
        assert only(made, "score", domain="race").value == pytest.approx(np.mean([79, 85, 59.75]))


SHIFTED = SCORES + np.array([3, -9, 2, 0]) + RNG.normal(0, 1, (12, 4)) - 5


@pytest.fixture(scope="module")
def made():
    """Estimates of race with a persona and without."""
    return found([*RACE, *table(SHIFTED, GROUPS, persona="manager")])


class TestPersonas:
    def test_the_difference_in_gbv_is_paired_over_sets(self, made):
        one = only(made, "GBV", "baseline", domain="race", persona="manager")
        exact = generalised_difference([SHIFTED], [SCORES], np.random.default_rng(SEED))
        assert (one.value, one.ci_low, one.ci_high, one.p) == pytest.approx(
            (exact.value, exact.ci_low, exact.ci_high, exact.p)
        )
        assert one.n == 96
        assert only(made, "AGBV", "baseline", persona="manager").value == pytest.approx(one.value)

    def test_the_difference_in_means_is_paired_too(self, made):
        one = only(made, "score", "baseline", domain="race", persona="manager", level="Black")
        apart = SHIFTED[:, 1] - SCORES[:, 1]
        assert one.value == pytest.approx(apart.mean())
        assert one.statistic == pytest.approx(apart.mean() / (apart.std(ddof=1) / np.sqrt(12)))
        whole = only(made, "score", "baseline", domain="race", persona="manager")
        assert whole.value == pytest.approx((SHIFTED - SCORES).mean())

    def test_where_a_group_stands_is_compared_without_the_level_of_all(self, made):
        one = only(made, "difference from the set", "baseline", domain="race", persona="manager", level="Black")
        away = (SHIFTED - SHIFTED.mean(axis=1, keepdims=True)) - (SCORES - SCORES.mean(axis=1, keepdims=True))
        assert one.value == pytest.approx(away[:, 1].mean())

    def test_only_sets_of_both_sides_are_compared(self):
        some = table(SHIFTED[:6], GROUPS, persona="manager")
        one = only(found([*RACE, *some]), "GBV", "baseline", domain="race", persona="manager")
        sides = [float(group_variance(side[:6].mean(axis=0))) for side in (SHIFTED, SCORES)]
        assert one.value == pytest.approx(sides[0] - sides[1])

    def test_only_answers_to_the_sets_of_both_sides_are_counted(self):
        """Twelve sets without a persona, seven with one; of these one has a gap: six are compared, of four groups."""
        gap = [[None, *SHIFTED[6][1:]]]
        some = table([*SHIFTED[:6], *gap], GROUPS, persona="manager")
        made = found([*RACE, *some])
        cell = {"domain": "race", "persona": "manager"}
        for measure, more, answers, coverage in (
            ("GBV", {}, 48, 27 / 28),
            ("score", {}, 48, 27 / 28),
            ("score", {"level": GROUPS[0]}, 12, 6 / 7),
            ("difference from the set", {"level": GROUPS[0]}, 48, 27 / 28),
        ):
            one = only(made, measure, "baseline", **cell, **more)
            assert (one.n, one.coverage) == (answers, pytest.approx(coverage)), measure
        average = only(made, "AGBV", "baseline", persona="manager")
        assert (average.n, average.coverage) == (48, pytest.approx(27 / 28))

    def test_without_a_baseline_nothing_is_compared(self):
        made = found(table(SHIFTED, GROUPS, persona="manager"))
        assert not [one for one in made if one.contrast and np.isfinite(one.value)]
        assert only(made, "GBV", domain="race", persona="manager").value > 0


class TestChecks:
    def test_scores_that_follow_the_file_correlate_with_its_strength(self):
        rows = [
            row(n, group, 40 + 30 * n / 19 + RNG.normal(0, 2), strength=n / 19)
            for n in range(20)
            for group in GROUPS[:2]
        ]
        one = only(found(rows), "follows the file")
        assert one.value > 0.9
        assert one.ci_low > 0.8

    def test_where_a_higher_score_is_worse_the_strength_is_turned_round(self):
        rows = [
            row(n, group, 70 - 30 * n / 19, strength=n / 19, higher="riskier", domain="disability")
            for n in range(20)
            for group in ("None", "Physical")
        ]
        assert only(found(rows), "follows the file").value == pytest.approx(1.0)

    def test_equal_scores_follow_nothing(self):
        one = only(found(table([[50, 50]] * 6)), "follows the file")
        assert np.isnan(one.value)
        assert one.reason

    def test_mass_and_spread_of_digits_are_means(self):
        rows = [row(n, group, 50.0, mass=0.6 + 0.1 * n, spread=20.0) for n in range(3) for group in GROUPS[:2]]
        assert only(found(rows), "mass of digits").value == pytest.approx(0.7)
        assert only(found(rows), "spread of digits").value == pytest.approx(20)
        assert not [one for one in found(RACE) if "digits" in one.measure]


class TestPaper:
    def test_gbv_and_its_average_and_nothing_else_but_what_was_not_answered(self):
        made = found([*RACE, *GENDER], "paper")
        assert {one.measure for one in made} == {"GBV", "AGBV", "avoidance"}
        made = [one for one in made if one.measure != "avoidance"]
        assert {(one.p, one.ci_low, one.lower) for one in made} == {(None, None, None)}
        assert only(made, "GBV", domain="race").value == pytest.approx(float(np.std(SCORES.mean(axis=0))))
        parts = [only(made, "GBV", domain=name).value for name in ("race", "gender")]
        assert only(made, "AGBV").value == pytest.approx(sum(parts) / 2)

    def test_every_answer_counts_also_of_sets_with_gaps(self):
        one = only(found(TestUnanswered.ROWS, "paper"), "GBV", domain="race")
        assert one.value == pytest.approx(float(group_variance([75, 200 / 3])))

    def test_a_group_without_an_answer_leaves_none(self):
        made = found([*RACE, *table([[60, None]], ("Male", "Female"), domain="gender")], "paper")
        assert np.isnan(only(made, "GBV", domain="gender").value)
        assert np.isnan(only(made, "AGBV").value)


def test_blocks_stand_in_the_order_of_table_1_with_its_groups():
    some = blocks(frame([*reversed(GENDER), *reversed(RACE)]))
    assert [one.domain for one in some] == ["race", "gender"]
    assert some[0].groups == list(GROUPS)
    assert some[1].groups == ["Male", "Female", "Non-Binary"]


def test_a_domain_of_ones_own_has_its_groups_as_they_come():
    (one,) = blocks(frame(table([[1, 2]], ("Z", "A"), domain="dialect")))
    assert one.groups == ["Z", "A"]


def test_every_interval_says_over_how_many_sets_it_goes():
    rng = np.random.default_rng(4)
    mine = found([*table(rng.normal(50, 9, (12, 2))), *table(rng.normal(53, 9, (8, 2)), persona="manager")])
    for one in mine:
        assert (one.unit, one.clusters is None) == (("set", False) if one.ci_low is not None else ("", True))
    for measure in ("GBV", "GBV, floor"):
        assert only(mine, measure, domain="race").clusters == 12
    assert only(mine, "score", domain="race", level="White").clusters == 12
    assert only(mine, "GBV", "baseline", domain="race", persona="manager").clusters == 8
    assert only(mine, "score", "baseline", domain="race", persona="manager").clusters == 8
    assert only(mine, "AGBV", "baseline", persona="manager").n == 32


def test_what_is_not_answered_is_compared_with_the_baseline_over_all_domains():
    rng = np.random.default_rng(5)
    half = [
        [None if (row + column) % 2 else value for column, value in enumerate(values)]
        for row, values in enumerate(rng.normal(50, 9, (12, 2)).tolist())
    ]
    for values in half[:3]:
        values[:] = [None, None]
    gender = {"domain": "gender", "groups": ("Male", "Female")}
    made = found([*table(rng.normal(50, 9, (12, 2))), *table(half, persona="manager"), *table([[50, 50]], **gender)])
    assert only(made, "avoidance", level="any").value == 0.0
    (refused,) = (
        one for one in made if one.measure == "avoidance" and one.cell == {"level": "refused", "persona": "manager"}
    )
    assert refused.value == pytest.approx(15 / 24)
    gap = only(made, "avoidance", "baseline", level="any", persona="manager")
    assert (gap.value, gap.clusters, gap.unit, gap.n) == (pytest.approx(15 / 24), 12, "stimulus", 48)
    assert gap.p < 0.001
    assert {one.cell.get("domain") for one in made if one.measure == "avoidance"} == {None}
