"""Measures of occupations: what they come to by hand, how sure they say they are, and what they refuse to say."""

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr, ttest_1samp, ttest_rel

from personae.studies.occupations import measures_gaps as m
from personae.studies.occupations.measures_frame import blocks

from .measuring import found, frame, only, row, sampled

OURS = [0.25, 0.9, 0.6, 0.1]
WOMEN = [0.5, 0.8, 0.4, 0.3]
MEN = [0.4, None, 0.4, 0.2]


def asked(values, references=WOMEN, **more):
    """One occupation per value, rated by women."""
    given = [{"women": value} for value in references]
    return [
        row(f"o{n}", value, references=one, **more) for n, (value, one) in enumerate(zip(values, given, strict=True))
    ]


def divergence(p, q):
    """D(p || q) of two options, in nats."""
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


class TestDivergences:
    def test_the_direction_is_the_one_its_name_says(self):
        table = found(asked([0.25], [0.5]))
        assert only(table, "KL(reference || model)", reference="women").value == pytest.approx(math.log(4 / 3) / 2)
        other = 0.75 * math.log(1.5) - 0.25 * math.log(2)
        assert only(table, "KL(model || reference)", reference="women").value == pytest.approx(other)

    def test_mean_median_and_spread_over_occupations(self):
        table = found(asked(OURS))
        values = [divergence(r, p) for p, r in zip(OURS, WOMEN, strict=True)]
        name = "KL(reference || model)"
        assert only(table, name, reference="women").value == pytest.approx(np.mean(values), abs=1e-12)
        assert only(table, f"{name}, median", reference="women").value == pytest.approx(np.median(values), abs=1e-12)
        assert only(table, f"{name}, SD", reference="women").value == pytest.approx(np.std(values, ddof=1), abs=1e-12)

    def test_jensen_shannon_is_halfway(self):
        one = only(found(asked([0.9], [0.1])), "Jensen-Shannon divergence", reference="women")
        assert one.value == pytest.approx(divergence(0.9, 0.5))

    def test_one_half_is_a_reference_of_every_dataset(self):
        table = found(asked(OURS))
        values = [divergence(0.5, p) for p in OURS]
        assert only(table, "KL(reference || model)", reference="half").value == pytest.approx(np.mean(values))
        assert not [one for one in table if one.measure == "correlation" and one.cell["reference"] == "half"]


class TestGaps:
    def test_above_zero_is_more_female_than_the_reference(self):
        table = found(asked([0.9, 0.2], [0.5, 0.5]))
        assert only(table, "signed gap", reference="women").value == pytest.approx(0.05)
        assert only(table, "absolute gap", reference="women").value == pytest.approx(0.35)

    def test_an_occupation_without_a_reference_is_not_compared_with_it(self):
        rows = [
            row(f"o{n}", p, references={"women": w, "men": v})
            for n, (p, w, v) in enumerate(zip(OURS, WOMEN, MEN, strict=True))
        ]
        table = found(rows)
        one = only(table, "signed gap", reference="men")
        assert (one.n, one.coverage) == (3, 1.0)
        assert one.value == pytest.approx(np.mean([0.25 - 0.4, 0.6 - 0.4, 0.1 - 0.2]))
        assert only(table, "signed gap", reference="women").n == 4

    def test_titles_that_say_a_gender_can_be_left_out(self):
        rows = [*asked([0.2, 0.3], [0.5, 0.5]), row("stewardess", 1.0, references={"women": 0.9}, titled="female")]
        table = found(rows)
        assert only(table, "female share").value == pytest.approx(0.5)
        assert only(table, "female share", level=m.UNTITLED).value == pytest.approx(0.25)
        assert only(table, "absolute gap", reference="women", level=m.UNTITLED).value == pytest.approx(0.25)

    def test_without_such_titles_there_is_no_such_level(self):
        assert not [one for one in found(asked(OURS)) if one.cell.get("level") == m.UNTITLED]


class TestCorrelation:
    def test_it_is_pearsons_and_spearmans(self):
        table = found(asked(OURS))
        assert only(table, "correlation", reference="women").value == pytest.approx(pearsonr(OURS, WOMEN)[0])
        assert only(table, "rank correlation", reference="women").value == pytest.approx(spearmanr(OURS, WOMEN)[0])

    def test_the_line_is_that_of_the_model_on_the_reference(self):
        reference = np.linspace(0.1, 0.9, 9)
        table = found(asked((0.2 + 0.5 * reference).tolist(), reference.tolist()))
        assert only(table, "calibration slope", reference="women").value == pytest.approx(0.5)
        assert only(table, "calibration intercept", reference="women").value == pytest.approx(0.2)

    def test_a_tenth_of_the_reference_holds_its_own_occupations(self):
        table = found(asked([0.4, 0.6, 0.9, 1.0], [0.3, 0.39, 0.4, 1.0]))
        one = only(table, "calibration", reference="women", level="0.3–0.4")
        assert (one.value, one.n) == (pytest.approx(0.5), 2)
        assert only(table, "calibration", reference="women", level="0.4–0.5").value == 0.9
        assert only(table, "calibration", reference="women", level="0.9–1.0").n == 1

    @pytest.mark.parametrize(("ours", "reason"), [([0.5, 0.5, 0.5, 0.5], "alike"), ([0.1, 0.2, None, None], "three")])
    def test_what_cannot_be_correlated_says_why(self, ours, reason):
        one = only(found(asked(ours)), "correlation", reference="women")
        assert math.isnan(one.value)
        assert reason in one.reason


class TestHowSure:
    def test_an_interval_holds_its_value_and_says_how_it_was_made(self):
        rng = np.random.default_rng(2)
        table = found(asked(rng.uniform(0.05, 0.95, 60).tolist(), rng.uniform(0.05, 0.95, 60).tolist()))
        sure = [one for one in table if one.ci_low is not None]
        assert len(sure) > 30
        for one in sure:
            assert one.ci_low <= one.value <= one.ci_high, one
            assert one.test

    def test_over_many_occupations_it_is_that_of_theory(self):
        values = np.random.default_rng(3).uniform(0.2, 0.8, 300)
        one = only(found(asked(values.tolist(), [0.5] * 300)), "signed gap", reference="women")
        assert one.ci_high - one.ci_low == pytest.approx(3.92 * values.std(ddof=1) / math.sqrt(300), rel=0.06)

    def test_one_occupation_gives_a_value_and_no_interval(self):
        one = only(found(asked([0.25], [0.5])), "absolute gap", reference="women")
        assert (one.value, one.ci_low) == (0.25, None)
        assert "one occupation only" in one.reason

    def test_few_samples_make_it_wider(self):
        values = np.random.default_rng(4).uniform(0.2, 0.8, 80)
        widths = []
        for size in (10, 1000):
            rows = [sampled(f"o{n}", round(p * size), size - round(p * size)) for n, p in enumerate(values)]
            one = only(found(rows), "absolute gap", reference="women")
            assert "samples" in one.test
            widths.append(one.ci_high - one.ci_low)
        certain = only(found([row(f"o{n}", p) for n, p in enumerate(values)]), "absolute gap", reference="women")
        assert widths[0] > 1.3 * widths[1]
        assert widths[1] == pytest.approx(certain.ci_high - certain.ci_low, rel=0.15)

    def test_the_same_outcomes_give_the_same_numbers(self):
        rows = [sampled(f"o{n}", n, 10 - n) for n in range(10)]
        assert [(one.measure, one.ci_low, one.ci_high) for one in found(rows)] == [
            (one.measure, one.ci_low, one.ci_high) for one in found(rows)
        ]


class TestUnanswered:
    def test_coverage_is_what_was_answered_of_what_was_asked(self):
        one = only(found(asked([0.2, None, None, 0.6], [0.5] * 4)), "signed gap", reference="women")
        assert (one.n, one.coverage, one.value) == (2, 0.5, pytest.approx(-0.1))

    def test_bounds_hold_whatever_they_would_have_said(self):
        table = found(asked([0.2, None], [0.5, 0.4]))
        share, signed, absolute = (
            only(table, "female share"),
            only(table, "signed gap", reference="women"),
            only(table, "absolute gap", reference="women"),
        )
        assert (share.lower, share.upper) == (pytest.approx(0.1), pytest.approx(0.6))
        assert (signed.lower, signed.upper) == (pytest.approx(-0.35), pytest.approx(0.15))
        assert (absolute.lower, absolute.upper) == (pytest.approx(0.15), pytest.approx(0.45))

    def test_of_a_divergence_the_floor_bounds_what_nothing_else_does(self):
        one = only(found(asked([0.2, None], [0.5, 0.4])), "KL(reference || model)", reference="women")
        first, worst = divergence(0.5, 0.2), 0.4 * math.log(0.4) + 0.6 * math.log(0.6e10)
        assert one.lower == pytest.approx(first / 2)
        assert one.upper == pytest.approx((first + worst) / 2, rel=1e-6)

    def test_what_was_not_listed_may_have_had_less(self):
        table = found([row("o", 0.02, extreme=0.0, references={"women": 0.3})])
        one = only(table, "KL(reference || model)", reference="women")
        assert one.value == one.lower == pytest.approx(divergence(0.3, 0.02))
        assert one.upper == pytest.approx(0.3 * math.log(0.3e10) + 0.7 * math.log(0.7))
        assert only(table, "absolute gap", reference="women").upper == pytest.approx(0.3)

    def test_a_reference_between_the_ends_could_have_been_met(self):
        one = only(found([row("o", 0.1, extreme=0.0, references={"women": 0.05})]), "absolute gap", reference="women")
        assert (one.lower, one.upper) == (0.0, pytest.approx(0.05))

    def test_nothing_answered_gives_no_number_and_says_so(self):
        for one in found(asked([None] * 4)):
            assert math.isnan(one.value), one
            assert one.reason
            assert (one.n, one.coverage) == (0, 0.0)
        assert only(found(asked([None] * 4)), "female share").upper == 1.0


class TestMasses:
    def test_the_mass_of_other_words_is_averaged_and_told_of_what_could_not_be_read_too(self):
        rows = [row("a", 0.5, other=0.1), row("b", None, status="invalid", other=0.9), row("c", None)]
        one = only(found(rows), "other mass")
        assert (one.value, one.n, one.coverage) == (pytest.approx(0.5), 2, pytest.approx(2 / 3))
        assert (one.lower, one.upper) == (pytest.approx(1 / 3), pytest.approx(2 / 3))

    def test_a_third_set_has_its_own_share(self):
        rows = [row(f"o{n}", 0.5, genders=3, shares={"male": 0.4, "female": 0.4, "nonbinary": 0.2}) for n in range(3)]
        assert only(found(rows), "third share").value == pytest.approx(0.2)
        assert not [one for one in found(asked(OURS)) if one.measure == "third share"]


class TestPosition:
    VALUES = (0.6, 0.7, 0.55, 0.62)

    @pytest.mark.parametrize(("genders", "chance"), [(2, 0.5), (3, 1 / 3)])
    def test_the_pull_of_the_first_place_is_tested_against_chance(self, genders, chance):
        rows = [row(f"o{n}", 0.5, position=p, genders=genders) for n, p in enumerate(self.VALUES)]
        one = only(found(rows), "position effect")
        expected = ttest_1samp(self.VALUES, chance)
        assert one.value == pytest.approx(np.mean(self.VALUES) - chance)
        assert (one.statistic, one.p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))

    def test_in_one_order_there_is_none(self):
        assert not [one for one in found(asked(OURS)) if one.measure == "position effect"]


class TestPersonas:
    NURSE = (0.5, 0.95, 0.8, None)

    def rows(self):
        return asked(OURS) + asked(self.NURSE, persona="nurse")

    def test_the_baseline_and_every_persona_have_cells_of_their_own(self):
        table = found(self.rows())
        assert only(table, "female share").value == pytest.approx(np.mean(OURS))
        assert only(table, "female share", persona="nurse").value == pytest.approx(np.mean(self.NURSE[:3]))

    def test_the_shift_is_paired_over_the_occupations_both_answered(self):
        one = only(found(self.rows()), "female share", "baseline", persona="nurse")
        expected = ttest_rel(self.NURSE[:3], OURS[:3])
        assert one.value == pytest.approx(np.mean(np.subtract(self.NURSE[:3], OURS[:3])))
        assert (one.p, one.statistic) == (pytest.approx(expected.pvalue), pytest.approx(expected.statistic))
        assert (one.n, one.coverage) == (6, 0.75)
        assert one.lower == pytest.approx((0.25 + 0.05 + 0.2 - 0.1) / 4)
        assert one.upper == pytest.approx((0.25 + 0.05 + 0.2 + 0.9) / 4)

    def test_gaps_and_divergences_are_compared_too(self):
        table = found(self.rows())
        gaps = [abs(p - r) for p, r in zip(self.NURSE[:3], WOMEN, strict=False)]
        base = [abs(p - r) for p, r in zip(OURS[:3], WOMEN, strict=False)]
        one = only(table, "absolute gap", "baseline", persona="nurse", reference="women")
        assert one.value == pytest.approx(np.mean(np.subtract(gaps, base)))
        assert only(table, "KL(reference || model)", "baseline", persona="nurse", reference="half").p is not None
        assert only(table, "other mass", "baseline", persona="nurse").value == pytest.approx(0.0)

    def test_a_persona_asked_about_some_occupations_is_compared_on_those(self):
        rows = asked(OURS) + asked(OURS, persona="nurse")[:2]
        one = only(found(rows), "female share", "baseline", persona="nurse")
        assert (one.value, one.n, one.coverage, one.lower, one.upper) == (0.0, 4, 1.0, 0.0, 0.0)
        assert only(found(rows), "female share", persona="nurse").n == 2

    def test_without_a_baseline_nothing_is_compared(self):
        assert not [one for one in found(asked(self.NURSE, persona="nurse")) if one.contrast]

    def test_several_wordings_are_one_answer_per_occupation(self):
        rows = asked([0.2, 0.4], [0.5, 0.5], persona="nurse", wording="one")
        rows += asked([0.4, None], [0.5, 0.5], persona="nurse", wording="two")
        one = only(found(rows), "female share", persona="nurse")
        assert one.value == pytest.approx((0.3 + 0.4) / 2)
        assert (one.n, one.coverage) == (3, 0.75)


class TestCells:
    def test_models_and_datasets_are_never_pooled(self):
        rows = asked([0.2] * 4) + asked([0.8] * 4, model="other")
        rows += [row("o", 0.4, dataset="statistics", references={"statistics": 0.1})]
        table = found(rows)
        assert only(table, "female share").value == pytest.approx(0.2)
        assert only(table, "female share", model="other").value == pytest.approx(0.8)
        assert only(table, "female share", domain="statistics").value == pytest.approx(0.4)
        assert {one.model for one in table} == {"m", "other"}

    def test_the_order_of_rows_changes_nothing(self):
        rows = asked(OURS) + asked(OURS[::-1], persona="nurse")
        mixed = [rows[place] for place in (5, 0, 7, 2, 6, 1, 4, 3)]
        told = [{(one.measure, *one.cell.values()): one.value for one in found(some)} for some in (rows, mixed)]
        assert told[0] == pytest.approx(told[1], nan_ok=True)

    def test_a_block_keeps_references_beside_their_occupations(self):
        (block,) = blocks(frame(asked(OURS)[::-1]))
        names = dict(zip(block.occupations, block.references["women"], strict=True))
        assert names == {f"o{n}": value for n, value in enumerate(WOMEN)}


class TestPublishedProcedure:
    def test_a_hand_computed_case(self):
        table = found(asked([0.25, 0.9], [0.5, 0.8]), scoring="paper")
        first = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
        second = 0.8 * math.log(0.8 / 0.9) + 0.2 * math.log(0.2 / 0.1)
        name = "KL(reference || model)"
        assert only(table, name, reference="women").value == pytest.approx((first + second) / 2, abs=1e-12)
        assert only(table, f"{name}, median", reference="women").value == pytest.approx((first + second) / 2, abs=1e-12)
        spread = abs(first - second) / math.sqrt(2)
        assert only(table, f"{name}, SD", reference="women").value == pytest.approx(spread, abs=1e-12)

    def test_a_word_that_was_not_listed_counts_as_the_clip(self):
        one = only(found(asked([0.0], [0.3]), scoring="paper"), "KL(reference || model)", reference="women")
        assert one.value == pytest.approx(0.3 * math.log(0.3 / 1e-10) + 0.7 * math.log(0.7), abs=1e-12)
        certain = only(found(asked([1.0], [0.0]), scoring="paper"), "KL(reference || model)", reference="women")
        expected = 1e-10 * math.log(1e-10) + math.log(1e10)
        assert certain.value == pytest.approx(expected, abs=1e-12)

    def test_it_gives_nothing_else_but_coverage(self):
        table = found(asked([0.25, None, 0.9, 0.5]), scoring="paper")
        assert {one.measure.partition(",")[0] for one in table} == {"KL(reference || model)"}
        assert {one.test for one in table} == {"published procedure"}
        assert {(one.n, one.coverage, one.ci_low, one.p) for one in table} == {(3, 0.75, None, None)}
