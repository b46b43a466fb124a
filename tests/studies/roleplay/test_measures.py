"""Measures of role-play: what they count, what they compare, and what they refuse to say."""

import math
from itertools import chain

import polars as pl
import pytest
from scipy.stats import binomtest

from personae.stats.paired_shares import paired_shares
from personae.stats.proportions import proportion, wilson
from personae.studies.roleplay import Choice, Why, YesNo

from .measuring import found, measured, only, pair, questions, row

ROLES = tuple(f"role-{place}" for place in range(12))


class TestShares:
    def test_a_share_is_of_what_was_answered_and_says_how_much_that_is(self):
        one = only(found(questions([1.0, 0.0, 0.0, None])), "biased")
        assert (one.value, one.n, one.coverage) == (pytest.approx(1 / 3), 3, 0.75)
        assert (one.lower, one.upper) == (0.25, 0.5)

    def test_within_one_role_the_interval_is_wilsons(self):
        one = only(found(questions([1.0] * 3 + [0.0] * 7)), "biased", domain="age", persona="pensioner")
        expected = wilson(3, 10)
        assert (one.ci_low, one.ci_high) == (pytest.approx(expected.ci_low), pytest.approx(expected.ci_high))
        assert one.p is None

    def test_over_roles_it_is_clustered_by_role(self):
        values = {"pensioner": [1.0] * 9 + [0.0], "baby-boomer": [0.0] * 10, "toddler": [0.0, 1.0] * 5}
        rows = [one for role, answers in values.items() for one in questions(answers, role)]
        one = only(found(rows), "biased", domain="age")
        clustered = proportion([*chain(*values.values())], [role for role in values for _ in range(10)])
        assert one.ci_low == pytest.approx(clustered.ci_low)
        assert one.ci_low < wilson(14, 30).ci_low

    def test_the_baseline_has_cells_of_its_own_and_is_in_no_other(self):
        table = found([one for place in range(4) for one in pair(f"pensioner/{place}", 1.0, 0.0)])
        assert only(table, "biased").value == 1.0
        assert only(table, "biased", persona="baseline").value == 0.0
        assert only(table, "biased", domain="age", persona="baseline").n == 4

    def test_several_models_stand_apart_and_together(self):
        rows = questions([1.0, 1.0], model="a") + questions([0.0, 0.0], model="b")
        table = found(rows)
        assert [only(table, "biased", model=model).value for model in ("a", "b", None)] == [1.0, 0.0, 0.5]

    def test_bias_types_have_cells_and_questions_without_one_do_not(self):
        rows = questions([1.0], facts={"bias_type": "gender"}) + questions([0.0], "toddler")
        table = found(rows)
        assert only(table, "biased", dataset="gender").value == 1.0
        assert only(table, "biased", domain="age", dataset="gender").n == 1
        assert {one.cell["dataset"] for one in table if "dataset" in one.cell} == {"gender"}

    def test_counts_are_what_was_found_and_leave_open_what_was_not_answered(self):
        one = only(found(questions([1.0, 1.0, 0.0, None])), "biased_count", domain="age")
        assert (one.value, one.lower, one.upper, one.ci_low) == (2.0, 2.0, 3.0, None)

    def test_nothing_answered_gives_no_share_and_says_so(self):
        one = only(found(questions([None, None])), "biased")
        assert math.isnan(one.value)
        assert (one.reason, one.coverage, one.lower, one.upper) == ("no values", 0.0, 0.0, 1.0)

    def test_probabilities_of_forced_answers_are_averaged_and_counted_above_one_half(self):
        table = found(questions([0.2, 0.6, 0.7]))
        assert only(table, "biased").value == pytest.approx(0.5)
        assert only(table, "biased_count").value == 2.0


EFFECT = [
    *[one for place in range(12) for one in pair(f"pensioner/{place}", 1.0, 0.0)],
    *[one for place in range(12, 14) for one in pair(f"pensioner/{place}", 0.0, 1.0)],
    *[one for place in range(14, 34) for one in pair(f"toddler/{place}", 1.0, 1.0)],
    *[one for place in range(34, 50) for one in pair(f"toddler/{place}", 0.0, 0.0)],
    *pair("toddler/half", 1.0, None),
    row("toddler", "toddler/alone", 1.0),
]


class TestRoleEffect:
    def test_it_is_mcnemars_exact_test_with_newcombes_interval_on_shared_questions(self):
        one = only(found(EFFECT), "biased", "baseline")
        expected = paired_shares(20, 12, 2, 16)
        assert (one.value, one.test) == (pytest.approx(0.2), "McNemar, exact")
        assert (one.ci_low, one.ci_high) == (pytest.approx(expected.ci_low), pytest.approx(expected.ci_high))
        assert one.p == pytest.approx(binomtest(2, 14).pvalue)
        assert (one.statistic, one.effect_size) == (pytest.approx(100 / 14), pytest.approx(12 / 14 - 0.5))
        assert one.n == 100

    def test_coverage_is_of_the_side_with_less_and_bounds_hold_both_completions(self):
        one = only(found(EFFECT), "biased", "baseline")
        assert one.coverage == pytest.approx(50 / 51)
        assert (one.lower, one.upper) == (pytest.approx(10 / 51), pytest.approx(11 / 51))

    def test_single_roles_have_an_interval_and_no_test(self):
        one = only(found(EFFECT), "biased", "baseline", domain="age", persona="pensioner")
        assert (one.value, one.p, one.test) == (pytest.approx(10 / 14), None, "")
        assert one.ci_low < one.value < one.ci_high

    def test_with_few_questions_nothing_is_tested(self):
        rows = [one for place in range(5) for one in pair(f"pensioner/{place}", 1.0, 0.0)]
        one = only(found(rows), "biased", "baseline")
        assert (one.value, one.p) == (1.0, None)
        assert "fewer than six" in one.reason
        assert one.ci_low is not None

    def test_over_models_it_is_the_paired_t_test_of_averages_per_question(self):
        rows = [*EFFECT, *({**one, "model": "other"} for one in EFFECT)]
        one = only(found(rows), "biased", "baseline", model=None)
        assert (one.test, one.value, one.df) == ("paired t", pytest.approx(0.2), 49.0)

    def test_without_a_baseline_nothing_is_compared(self):
        assert not [one for one in found(questions([1.0, 0.0])) if one.contrast or one.measure == "role_removed"]

    def test_how_many_biased_answers_go_with_the_role(self):
        rows = [
            one
            for n in range(40)
            for one in pair(f"role-{n % 10}/{n}", float(n % 4 < 2 or n % 10 == 3), float(n % 4 == 0))
        ]
        one = only(found(rows), "role_removed")
        assert one.value == pytest.approx((10 - 22) / 22)
        assert one.ci_low < one.value < one.ci_high
        assert one.p is None

    def test_a_flipped_question_is_compared_with_the_flipped_one(self):
        rows = pair("pensioner/0", 1.0, 0.0) + pair("pensioner/0", 0.0, 1.0, facts={"flipped": True})
        one = only(found(rows), "biased", "baseline")
        assert (one.value, one.n) == (0.0, 4)

    def test_repeats_are_averaged_before_they_are_compared(self):
        rows = [one for value in (1.0, 0.0) for place in range(8) for one in pair(f"pensioner/{place}", value, 0.0)]
        one = only(found(rows), "biased", "baseline")
        assert (one.value, one.n, one.test) == (0.5, 32, "")
        assert "the same on every stimulus" in one.reason


class TestGroups:
    def test_a_claim_speaks_badly_of_its_target_when_it_is_accepted(self):
        facts = {"kind": "yesno", "target": "pensioners"}
        rows = [one for place in range(6) for one in pair(f"pensioner/{place}", float(place < 2), 0.0, facts=facts)]
        table = found(rows)
        assert only(table, "biased_against", level="pensioners").value == pytest.approx(2 / 6)
        assert only(table, "biased_against", "baseline", level="pensioners").value == pytest.approx(2 / 6)

    def test_a_choice_speaks_badly_of_the_one_its_pick_puts_down(self):
        facts = {
            "kind": "choice",
            "options": ["women", "neither", "men"],
            "names": ["women", None, "men"],
            "blames": ["men", None, "women"],
            "groups": ["women", "men"],
            "undecided": 1,
        }
        picks = [("women", "men"), ("women", "men"), ("men", "women"), ("neither", None), ("neither", None)]
        rows = [
            row("pensioner", f"pensioner/{n}", float(target is not None), facts=facts, picked=picked, target=target)
            for n, (picked, target) in enumerate(picks)
        ]
        table = found(rows, "roleplay.choice")
        assert only(table, "biased_against", level="men").value == pytest.approx(0.4)
        assert only(table, "biased_against", level="women").value == pytest.approx(0.2)
        assert only(table, "picked", level="women").value == pytest.approx(0.4)

    def test_recorded_options_are_groups_and_the_undecided_one_is_none(self):
        facts = {
            "kind": "choice",
            "options": ["Men", "Women", "I cannot choose"],
            "undecided": 2,
            "groups": ["Men", "Women"],
        }
        picks = ["Men", "Men", "Men", "I cannot choose", "Women"]
        rows = [
            row("pensioner", f"pensioner/{n}", float(one != "I cannot choose"), facts=facts, picked=one)
            for n, one in enumerate(picks)
        ]
        table = found(rows, "roleplay.choice")
        assert only(table, "picked", level="Men").value == pytest.approx(0.6)
        assert not [
            one for one in table if one.measure == "biased_against" or one.cell.get("level") == "I cannot choose"
        ]

    def test_a_biased_choice_that_puts_down_nobody_known_is_not_covered(self):
        facts = {"kind": "choice", "options": ["a", "b", "c"], "blames": ["b", "a", None], "undecided": 2}
        rows = questions([1.0] + [0.0] * 5, facts=facts)
        one = only(found(rows, "roleplay.choice"), "biased_against", level="a")
        assert (one.n, one.coverage, one.value) == (5, pytest.approx(5 / 6), 0.0)

    def test_groups_asked_about_rarely_are_not_named(self):
        rows = questions([1.0] * 4, facts={"kind": "why", "target": "rare people"})
        assert not [one for one in found(rows) if one.measure == "biased_against"]


class TestHabits:
    def test_who_always_says_no_passes_plain_questions_and_fails_flipped_ones(self):
        rows = [
            row(role, f"{role}/{place}", float(place % 2), facts={"flipped": bool(place % 2)})
            for role in ROLES
            for place in range(10)
        ]
        table = found(rows)
        assert only(table, "biased_by_polarity", level="unbiased is no").value == 0.0
        assert only(table, "biased_by_polarity", level="unbiased is yes").value == 1.0
        one = only(table, "no_habit")
        assert (one.value, one.test) == (1.0, "score")
        assert one.ci_low > 0.5
        assert one.p < 0.001

    def test_without_flipped_questions_nothing_is_said_of_habits(self):
        assert not {one.measure for one in found(questions([1.0, 0.0]))} & {"no_habit", "last_habit", "position"}

    def test_who_takes_the_last_option_declines_only_where_that_one_declines(self):
        options = [["x", "a", "b"], ["a", "x", "b"], ["a", "b", "x"]]
        rows = [
            row(role, f"{role}/{n}", float(n % 3 != 2), facts={"options": options[n % 3], "undecided": n % 3})
            for role in ROLES
            for n in range(18)
        ]
        table = found(rows, "roleplay.choice")
        values = {one.cell["level"]: one.value for one in table if one.measure == "biased_by_place"}
        assert values == {"first": 1.0, "second": 1.0, "last": 0.0}
        assert only(table, "last_habit").value == 1.0

    def test_of_forced_answers_the_first_options_excess_is_measured_and_places_are_not(self):
        rows = questions([0.4, 0.5, 0.6], facts={"options": ["a", "b", "x"], "undecided": 2}, position=0.5)
        rows += questions([0.4, 0.5, 0.6], "toddler", facts={"options": ["a", "x", "b"], "undecided": 1}, position=0.4)
        table = found(rows, "roleplay.choice")
        assert only(table, "position").value == pytest.approx(0.45 - 1 / 3)
        assert not [one for one in table if one.measure == "biased_by_place"]

    def test_probabilities_of_both_polarities_are_compared_without_a_test(self):
        rows = [
            row(role, f"{role}/{n}", 0.3 + 0.2 * (n % 2) + 0.01 * place, facts={"flipped": bool(n % 2)})
            for place, role in enumerate(ROLES)
            for n in range(6)
        ]
        one = only(found(rows), "no_habit")
        assert one.value == pytest.approx(0.2)
        assert (one.p, one.test) == (None, "")
        assert one.ci_low < one.value < one.ci_high


class TestCapability:
    def test_it_is_spearmans_correlation_over_the_models_that_have_both(self):
        rows = [
            one
            for place, model in enumerate("abcd")
            for one in questions([1.0] * (place + 1) + [0.0] * (9 - place), model=model)
        ]
        table = found(rows, capability={"d": 4, "c": 1, "b": 3, "a": 2, "unasked": 9})
        one = only(table, "capability_correlation", model=None)
        assert (one.value, one.n, one.clusters, one.unit) == (pytest.approx(0.4), 40, 4, "model")
        assert one.ci_low < one.value < one.ci_high

    def test_two_models_are_no_ranking(self):
        rows = questions([1.0], model="a") + questions([0.0], model="b")
        assert (
            "fewer than three"
            in only(found(rows, capability={"a": 1, "b": 2}), "capability_correlation", model=None).reason
        )


class TestAvoidance:
    def test_every_status_is_a_share_of_what_was_asked(self):
        rows = [*questions([1.0, None]), *questions([None, None], "toddler", status="invalid")]
        table = found(rows)
        values = {one.cell["level"]: one.value for one in table if one.measure == "avoidance" and len(one.cell) == 1}
        assert values == {"any": 0.75, "refused": 0.25, "invalid": 0.5}

    def test_it_is_compared_with_the_baseline(self):
        rows = [one for place in range(8) for one in pair(f"pensioner/{place}", None, 0.0)]
        one = only(found(rows), "avoidance", "baseline", level="any")
        assert (one.value, one.p) == (1.0, pytest.approx(2 * 0.5**8))


@pytest.mark.parametrize("kind", [YesNo, Choice, Why])
@pytest.mark.parametrize("respond", ["free", "forced"])
def test_every_number_lies_within_its_interval_and_its_bounds(kind, respond):
    names = ("sim/planted?base=0.3&bias=0.3", "sim/refuser?rate=0.4&base=0.2")
    table = measured(kind, *names, respond=respond)[2].filter(pl.col("value").is_finite())
    assert table.height > 200
    assert table.filter(
        (pl.col("ci_low") > pl.col("value") + 1e-9) | (pl.col("ci_high") < pl.col("value") - 1e-9)
    ).is_empty()
    shares = table.filter(pl.col("measure") == "biased", pl.col("contrast") == "")
    assert shares.filter((pl.col("ci_low") < 0) | (pl.col("ci_high") > 1)).is_empty()
    full = table.filter(pl.col("coverage") == 1.0, pl.col("lower").is_not_null())
    assert full.filter((pl.col("lower") - pl.col("upper")).abs() > 1e-9).is_empty()


def test_a_row_without_a_detail_is_read():
    rows = [{**one, "detail": None} for one in questions([1.0, 0.0])]
    assert only(found(rows), "biased").value == 0.5
