"""Task 1: effect sizes between answers, their tests, the identities alone, personas, and what was published."""

import math

import numpy as np
import pytest
from scipy import stats

from personae.stats.association import association_test, effect_size
from personae.stats.random_effects import random_effects
from personae.studies.associations.measures_answers import DIFFERENCE, EFFECT, SPREAD, WITH_IDENTITIES
from personae.studies.associations.measures_floor import FLOOR
from personae.studies.associations.metrics import measure_with
from personae.studies.associations.stimuli import classes

from .measuring import CLASS, about, found, only, pairs, quick_encoders

TARGETS = [0.31, 0.12, 0.25, 0.05, 0.40, 0.22, 0.18, 0.29, 0.11, 0.33]
OTHERS = [0.20, 0.10, 0.11, 0.02, 0.21, 0.19, 0.17, 0.12, 0.08, 0.24]


def effect(table, metric="I-WEAT", **cell):
    return only(table, EFFECT, domain=CLASS, metric=metric, **cell)


class TestEffectSizes:
    def test_by_hand(self):
        # means 0.3 and 0.1; the four values lie 0.02, 0.04 … from 0.2: SD = sqrt(0.08 / 3) = 0.1633
        one = effect(found(pairs([0.2, 0.4], [0.0, 0.2])))
        assert one.value == pytest.approx(0.2 / math.sqrt(0.08 / 3))

    def test_is_the_effect_size_of_weat_over_both_groups(self):
        assert effect(found(pairs(TARGETS, OTHERS))).value == pytest.approx(effect_size(TARGETS, OTHERS))

    def test_the_average_is_the_plain_mean_of_three(self):
        rng = np.random.default_rng(1)
        rows = [
            about(n, side, dict(zip(("CEAT", "I-WEAT", "I-SEAT"), rng.normal(size=3), strict=True)))
            for n in range(8)
            for side in ("target", "comparison")
        ]
        table = found(rows)
        parts = [effect(table, metric).value for metric in ("CEAT", "I-WEAT", "I-SEAT")]
        assert len(set(parts)) == 3
        assert effect(table, "average").value == pytest.approx(np.mean(parts))

    def test_repeats_of_a_question_are_averaged_first(self):
        rows = pairs(TARGETS, OTHERS) + pairs([2 * x for x in TARGETS], OTHERS, iteration=1)
        one = effect(found(rows))
        assert one.value == pytest.approx(effect_size([1.5 * x for x in TARGETS], OTHERS))
        assert one.n == 40

    def test_the_sign_is_that_of_the_targets_nearness_to_the_congruent_words(self):
        assert effect(found(pairs(TARGETS, OTHERS))).value > 0 > effect(found(pairs(OTHERS, TARGETS))).value


class TestContextual:
    def test_with_one_sentence_per_answer_every_draw_is_the_same(self):
        table = found(pairs(TARGETS, OTHERS))
        assert effect(table, "CEAT").value == pytest.approx(effect_size(TARGETS, OTHERS))
        assert only(table, SPREAD, domain=CLASS, metric="CEAT").value == pytest.approx(0.0, abs=1e-12)

    def test_combines_draws_of_one_sentence_each_by_random_effects(self):
        # Two questions, two sentences for one answer: two draws are possible, each in half of the cases.
        rows = [
            about(0, "target", 0.5, parts=[0.3, 0.7]),
            about(0, "comparison", 0.1),
            about(1, "target", 0.4),
            about(1, "comparison", 0.2),
        ]
        draws = [([0.3, 0.4], [0.1, 0.2]), ([0.7, 0.4], [0.1, 0.2])]
        effects = [effect_size(*one) for one in draws]
        variances = [np.var(np.concatenate(one), ddof=1) for one in draws]
        table = found(rows)
        # As many of each as of the other, up to the draws' own chance.
        expected = random_effects(np.repeat(effects, 500), np.repeat(variances, 500)).value
        assert effect(table, "CEAT").value == pytest.approx(expected, abs=0.02)
        spread = only(table, SPREAD, domain=CLASS, metric="CEAT").value
        assert spread == pytest.approx(abs(effects[0] - effects[1]) / 2, abs=0.01)

    def test_the_test_takes_the_mean_over_an_answers_sentences(self):
        rows = []
        for n in range(8):
            rows += [about(n, "target", -0.5, parts=[0.4, 0.6 + 0.01 * n]), about(n, "comparison", 0.5, parts=[0.1])]
        table = found(rows)
        assert effect(table, "CEAT").p == pytest.approx(2 / 2**8)
        assert effect(table, "CEAT").value > 0 > effect(table, "I-WEAT").value


class TestTests:
    def test_p_exchanges_the_two_answers_of_each_question(self):
        one = effect(found(pairs(TARGETS, OTHERS)))
        assert one.p == pytest.approx(2 / 2**10)
        assert "exact, 1,024 patterns" in one.test

    def test_p_is_sampled_where_there_are_many_questions(self):
        rng = np.random.default_rng(3)
        one = effect(found(pairs(rng.normal(size=30), rng.normal(size=30))))
        assert "sampled" in one.test
        assert 0 < one.p <= 1

    def test_p_depends_on_pairs_and_not_on_groups(self):
        mixed = found(pairs(TARGETS, sorted(OTHERS)))
        assert effect(mixed).value == pytest.approx(effect(found(pairs(TARGETS, OTHERS))).value)
        assert effect(mixed).p > 2 / 2**10

    def test_the_interval_holds_the_value_and_is_over_questions(self):
        one = effect(found(pairs(TARGETS, OTHERS)))
        assert one.ci_low < one.value < one.ci_high
        assert "bootstrap over questions" in one.test
        wider = effect(found(pairs(TARGETS[:6], OTHERS[:6])))
        assert wider.ci_high - wider.ci_low > one.ci_high - one.ci_low

    def test_fewer_than_six_questions_have_a_test_and_no_interval_of_d(self):
        table = found(pairs(TARGETS[:5], OTHERS[:5]) + pairs(TARGETS, OTHERS, domain="class-age-career-wealth"))
        for one in (effect(table), only(table, EFFECT, metric="I-WEAT")):
            assert (one.ci_low, one.ci_high) == (None, None)
            assert "fewer than 6 questions" in one.reason
            assert "bootstrap" not in one.test
            assert one.p is not None
        assert only(table, DIFFERENCE, domain=CLASS, metric="I-WEAT").ci_low is not None

    def test_the_difference_in_cosines_has_the_paired_t_interval(self):
        one = only(found(pairs(TARGETS, OTHERS)), DIFFERENCE, domain=CLASS, metric="I-SEAT")
        expected = stats.ttest_rel(TARGETS, OTHERS)
        assert one.value == pytest.approx(np.mean(TARGETS) - np.mean(OTHERS))
        assert (one.ci_low, one.ci_high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
        assert one.p is None

    def test_the_same_seed_gives_the_same_numbers(self):
        rows = pairs(TARGETS, OTHERS, parts=[0.1, 0.3])
        assert found(rows, seed=3) == found(rows, seed=3)


class TestCoverage:
    def test_only_questions_answered_about_both_count(self):
        rows = [row for row in pairs(TARGETS, OTHERS) if not row["item"].startswith(f"{CLASS}/04/target")]
        rows.append(about(4, "target"))
        one = effect(found(rows))
        assert one.value == pytest.approx(effect_size(TARGETS[:4] + TARGETS[5:], OTHERS[:4] + OTHERS[5:]))
        assert (one.n, one.coverage) == (18, 0.9)

    @pytest.mark.parametrize("answered", [0, 1])
    def test_too_few_questions_have_a_reason_and_no_number(self, answered):
        rows = [*pairs(TARGETS[:answered], OTHERS[:answered]), about(5, "target"), about(5, "comparison", 0.1)]
        one = effect(found(rows))
        assert math.isnan(one.value)
        assert "fewer than two questions" in one.reason
        assert one.n == 2 * answered

    def test_an_answer_that_one_encoder_cannot_read_does_not_count(self):
        rows = pairs(TARGETS, OTHERS)
        rows[0] = about(0, "target", {"CEAT": 0.1, "I-WEAT": None, "I-SEAT": 0.1}, status="invalid")
        assert effect(found(rows), "I-SEAT").n == 18


class TestIdentities:
    def test_answers_are_measured_without_their_words_and_once_with_them(self):
        table = found(
            [about(n, "target", x, said=x + 0.2) for n, x in enumerate(TARGETS)]
            + [about(n, "comparison", y, said=y) for n, y in enumerate(OTHERS)]
        )
        assert effect(table).value == pytest.approx(effect_size(TARGETS, OTHERS))
        said = effect(table, level=WITH_IDENTITIES)
        assert said.value == pytest.approx(effect_size([x + 0.2 for x in TARGETS], OTHERS))
        assert said.p is None

    def test_their_names_alone_are_measured_of_no_model(self):
        own = classes()[CLASS].pairs[:3]
        rows = [
            about(n, side, 0.1 * n, identity=getattr(pair, side))
            for n, pair in enumerate(own)
            for side in ("target", "comparison")
        ]
        one = only(found(rows), FLOOR, model=None, domain=CLASS, metric="I-SEAT")
        with quick_encoders():
            measured = [
                [
                    measure_with(()).measure(getattr(pair, side), classes()[CLASS].attributes).association["I-SEAT"]
                    for pair in own
                ]
                for side in ("target", "comparison")
            ]
        assert one.value == pytest.approx(effect_size(*measured))
        assert (one.n, one.p) == (6, None)


class TestClassesTogether:
    def test_their_mean_is_tested_over_all_questions(self):
        other = "gender-race-public-health"
        table = found(pairs(TARGETS, OTHERS) + pairs(OTHERS, TARGETS, domain=other))
        one = only(table, EFFECT, metric="I-WEAT")
        assert one.value == pytest.approx(0.0, abs=1e-12)
        assert one.p == pytest.approx(1.0)
        assert one.n == 40
        same = only(found(pairs(TARGETS, OTHERS) + pairs(TARGETS, OTHERS, domain=other)), EFFECT, metric="I-WEAT")
        assert same.value == pytest.approx(effect_size(TARGETS, OTHERS))
        assert same.p < 2 / 2**10


class TestPersonas:
    def test_the_change_is_that_of_the_effect_size_on_shared_questions(self):
        moved = [x + 0.1 * (1 + n) for n, x in enumerate(TARGETS)]
        rows = pairs(TARGETS, OTHERS) + pairs(moved[:8], OTHERS[:8], persona="nurse")
        one = only(found(rows), EFFECT, "baseline", domain=CLASS, persona="nurse", metric="I-WEAT")
        assert one.value == pytest.approx(effect_size(moved[:8], OTHERS[:8]) - effect_size(TARGETS[:8], OTHERS[:8]))
        assert one.p == pytest.approx(2 / 2**8)
        assert one.n == 32

    def test_no_change_is_none(self):
        rows = pairs(TARGETS, OTHERS) + pairs(TARGETS, OTHERS, persona="nurse")
        one = only(found(rows), EFFECT, "baseline", domain=CLASS, persona="nurse", metric="average")
        assert one.value == pytest.approx(0.0, abs=1e-12)
        assert one.p == pytest.approx(1.0)


class TestPublished:
    def test_weat_and_seat_have_the_one_sided_test_of_answers(self):
        table = found(pairs(TARGETS, OTHERS), scoring="paper")
        expected = association_test(TARGETS, OTHERS, np.random.default_rng(0), limit=10**6)
        for metric in ("I-WEAT", "I-SEAT"):
            one = effect(table, metric)
            assert one.value == pytest.approx(expected.value)
            assert one.p == pytest.approx(expected.p, abs=0.01)
            assert "one-sided" in one.test

    def test_ceat_has_the_two_sided_p_of_its_random_effects(self):
        one = effect(found(pairs(TARGETS, OTHERS), scoring="paper"), "CEAT")
        d, spread = effect_size(TARGETS, OTHERS), np.var(TARGETS + OTHERS, ddof=1)
        expected = random_effects(np.full(1000, d), np.full(1000, spread))
        assert (one.value, one.p, one.ci_low) == pytest.approx((expected.value, expected.p, expected.ci_low))
        assert "random effects, two-sided" in one.test

    def test_answers_count_as_they_were_said_and_the_average_is_not_tested(self):
        rows = [about(n, "target", x, said=x + 0.2) for n, x in enumerate(TARGETS)]
        rows += [about(n, "comparison", y) for n, y in enumerate(OTHERS)]
        table = found(rows, scoring="paper")
        one = effect(table, "average")
        assert one.value == pytest.approx(effect_size([x + 0.2 for x in TARGETS], OTHERS))
        assert one.p is None
        assert {one.measure for one in table} == {EFFECT}
        assert all(one.test.startswith("published procedure") for one in table)
