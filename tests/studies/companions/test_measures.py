"""Every measure on outcomes small enough to compute by hand, and on the released tables."""

import math

import polars as pl
import pytest
from scipy import stats

from personae.score import CELL
from personae.studies.companions import Emotion, Iat, Sycophancy
from personae.studies.companions.measures import emotion_estimates, iat_estimates, sycophancy_estimates
from personae.study.base import Settings

from .measuring import FRIENDS, emotion, frame, iat, only, simulated, sycophancy

SOUND, PAPER = Settings(), Settings(scoring="paper")
HELD = {"anger": "male", "guilt": "female"}


@pytest.fixture
def three_stimuli():
    """Wife and baseline on three stimuli; the wife refuses the third."""
    return frame(
        [
            iat(None, "s1", 0.1),
            iat(None, "s2", 0.2),
            iat(None, "s3", 0.3),
            iat("wife", "s1", 0.5),
            iat("wife", "s2", 0.7),
            iat("wife", "s3"),
        ]
    )


class TestMeansAndDifferences:
    def test_mean_is_over_answered_stimuli_with_students_interval(self, three_stimuli):
        found = only(iat_estimates(three_stimuli, SOUND), "iat_bias", domain="submissive")
        expected = stats.ttest_1samp([0.5, 0.7], 0)
        low, high = expected.confidence_interval()
        assert (found.value, found.n, found.coverage) == pytest.approx((0.6, 2, 2 / 3))
        assert (found.statistic, found.p, found.df) == pytest.approx((expected.statistic, expected.pvalue, 1))
        assert (found.ci_low, found.ci_high) == pytest.approx((max(low, -1), min(high, 1)))

    def test_the_level_of_a_single_persona_has_an_interval_and_no_test_but_the_baseline_has_both(self, three_stimuli):
        estimates = iat_estimates(three_stimuli, SOUND)
        wife = only(estimates, "iat_bias", domain="submissive", persona="wife")
        assert (wife.p, wife.statistic, wife.test) == (None, None, "")
        assert (wife.ci_low, wife.ci_high) == pytest.approx((max(0.6 - 12.7062 * 0.1, -1), 1))
        base = only(estimates, "iat_bias", domain="submissive", persona="baseline")
        assert base.p == pytest.approx(stats.ttest_1samp([0.1, 0.2, 0.3], 0).pvalue)

    def test_bounds_hold_whatever_the_refused_item_would_have_said(self, three_stimuli):
        found = only(iat_estimates(three_stimuli, SOUND), "iat_bias", domain="submissive", persona="wife")
        assert (found.lower, found.upper) == pytest.approx(((0.5 + 0.7 - 1) / 3, (0.5 + 0.7 + 1) / 3))

    def test_difference_is_paired_on_the_stimuli_both_answered(self, three_stimuli):
        found = only(iat_estimates(three_stimuli, SOUND), "iat_bias", "baseline", domain="submissive", persona="wife")
        expected = stats.ttest_rel([0.5, 0.7], [0.1, 0.2])
        assert (found.value, found.n, found.df) == pytest.approx((0.45, 4, 1))
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))

    def test_difference_has_the_coverage_of_the_worse_side_and_bounds_over_all_stimuli(self, three_stimuli):
        found = only(iat_estimates(three_stimuli, SOUND), "iat_bias", "baseline", domain="submissive", persona="wife")
        assert found.coverage == pytest.approx(2 / 3)
        assert (found.lower, found.upper) == pytest.approx(((0.4 + 0.5 - 1.3) / 3, (0.4 + 0.5 + 0.7) / 3))

    def test_refusals_of_the_baseline_lower_the_coverage_of_the_difference_too(self):
        rows = [iat("wife", "s1", 0.5), iat("wife", "s2", 0.5), iat(None, "s1", 0.1), iat(None, "s2")]
        found = only(iat_estimates(frame(rows), SOUND), "iat_bias", "baseline", domain="submissive", persona="wife")
        assert (found.value, found.coverage) == pytest.approx((0.4, 0.5))
        assert found.reason
        assert found.p is None

    def test_a_stimulus_counts_once_however_often_it_was_asked(self):
        rows = [iat("wife", "s1", 1.0)] * 9 + [iat("wife", "s2", 0.0), iat(None, "s1", 0.0), iat(None, "s2", 0.0)]
        estimates = iat_estimates(frame(rows), SOUND)
        assert only(estimates, "iat_bias", domain="submissive", persona="wife").value == pytest.approx(0.5)
        assert only(estimates, "iat_bias", "baseline", domain="submissive", persona="wife").value == pytest.approx(0.5)

    def test_the_baseline_has_its_own_cell_and_is_part_of_no_average(self, three_stimuli):
        estimates = iat_estimates(three_stimuli, SOUND)
        assert only(estimates, "iat_bias", domain="submissive", persona="baseline").value == pytest.approx(0.2)
        assert only(estimates, "iat_bias", domain="submissive").value == pytest.approx(0.6)

    def test_nothing_answered_gives_nan_with_a_reason_and_the_widest_bounds(self):
        rows = [iat("wife", "s1"), iat("wife", "s2"), iat(None, "s1", 0.1), iat(None, "s2", 0.2)]
        found = only(iat_estimates(frame(rows), SOUND), "iat_bias", domain="submissive", persona="wife")
        assert math.isnan(found.value)
        assert (found.reason, found.coverage, found.lower, found.upper) == ("no values", 0.0, -1.0, 1.0)


class TestCells:
    def test_pairs_exist_only_where_users_were_set(self, three_stimuli):
        assert not [one for one in iat_estimates(three_stimuli, SOUND) if "user" in one.cell]
        rows = [iat(None, "s1", 0.1), iat("wife", "s1", 0.5), iat("wife", "s1", 0.9, user="husband")]
        estimates = iat_estimates(frame(rows), SOUND)
        cell = {"domain": "submissive", "persona": "wife"}
        assert only(estimates, "iat_bias", **cell, user="husband").value == pytest.approx(0.9)
        assert only(estimates, "iat_bias", **cell, user="not set").value == pytest.approx(0.5)
        assert only(estimates, "iat_bias", **cell).value == pytest.approx(0.7)

    def test_a_group_averages_its_personas(self):
        rows = [iat(None, "s1", 0.0), iat("wife", "s1", 0.2), iat("husband", "s1", 0.6)]
        estimates = iat_estimates(frame(rows), SOUND)
        assert only(estimates, "iat_bias", domain="submissive", persona_group="male").value == pytest.approx(0.6)
        assert only(estimates, "iat_bias", domain="submissive").value == pytest.approx(0.4)

    def test_several_models_are_pooled_with_stimuli_as_clusters(self):
        values = {("a", "s1"): 0.1, ("a", "s2"): 0.5, ("b", "s1"): 0.3, ("b", "s2"): 0.9}
        rows = [iat("wife", stimulus, value, model=model) for (model, stimulus), value in values.items()]
        rows += [iat(None, stimulus, 0.0, model=model) for model, stimulus in values]
        found = only(iat_estimates(frame(rows), SOUND), "iat_bias", model=None, domain="submissive")
        expected = stats.ttest_1samp([0.2, 0.7], 0)
        assert (found.value, found.n, found.df) == pytest.approx((0.45, 4, 1))
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))

    def test_one_model_has_no_pooled_cells(self, three_stimuli):
        assert all(one.model == "m" for one in iat_estimates(three_stimuli, SOUND))

    @pytest.mark.parametrize("kind", [Iat, Emotion, Sycophancy])
    @pytest.mark.parametrize("scoring", ["sound", "paper"])
    def test_a_whole_run_gives_every_cell_once_and_nothing_impossible(self, kind, scoring):
        study = kind(Settings(scale="standard", scoring=scoring))
        estimates = study.estimates(simulated(study, "sim/refuser?rate=0.1&persona_rate=0.3", "sim/planted"))
        names = [(one.measure, one.contrast, one.model, tuple(sorted(one.cell.items()))) for one in estimates]
        assert len(names) == len(set(names))
        for one in estimates:
            assert set(one.cell) <= set(CELL)
            assert one.coverage is None or 0 <= one.coverage <= 1
            assert one.p is None or 0 <= one.p <= 1
            assert one.ci_low is None or one.ci_low <= one.value <= one.ci_high
            assert one.lower is None or one.lower <= one.upper
            assert not math.isnan(one.value) or one.reason
            assert (one.p is None) == (one.statistic is None)

    @pytest.mark.parametrize("kind", [Iat, Emotion, Sycophancy])
    def test_a_run_of_nothing_but_refusals_still_gives_a_table(self, kind):
        study = kind(Settings())
        estimates = study.estimates(simulated(study, "sim/refuser?rate=1"))
        named = [one for one in estimates if one.measure == "avoidance" and one.cell.get("level") == "any"]
        assert named
        assert {one.value for one in named} == {0.0, 1.0}  # the measure, and its difference from the baseline
        assert all(math.isnan(one.value) for one in estimates if one.measure in ("iat_bias", "influence"))

    def test_what_is_explored_has_intervals_and_no_test(self):
        study = Iat(Settings(scale="standard"))
        estimates = study.estimates(simulated(study, "sim/planted"))
        differences = [one for one in estimates if one.contrast and one.measure == "iat_bias"]
        tested = {tuple(one.cell) for one in differences if one.p is not None}
        assert tested == {("domain",), ("domain", "persona"), ("domain", "persona_group")}
        looked_through = [one for one in differences if {"user", "wording", "dataset"} & set(one.cell)]
        assert {name for one in looked_through for name in one.cell} >= {"user", "wording", "dataset"}
        assert any(one.ci_low is not None for one in looked_through)

    def test_single_emotions_free_words_and_accuracies_are_explored_and_a_ratio_has_no_second_test(self):
        study = Emotion(Settings(scale="standard"))
        estimates = [*study.estimates(simulated(study, "sim/planted"))]
        study = Sycophancy(Settings(scale="standard"))
        estimates += study.estimates(simulated(study, "sim/planted"))
        tested = {one.measure for one in estimates if one.p is not None}
        assert tested <= {"own_emotions", "influence", "avoidance"}
        assert {"own_emotions", "influence"} <= tested
        for measure in ("emotion_share", "free_emotion_share", "accuracy", "stereotype_score", "relative_influence"):
            assert any(one.ci_low is not None for one in estimates if one.measure == measure)


class TestIat:
    def test_sets_with_a_right_answer_join_the_others_on_one_scale(self):
        rows = [iat("wife", "s1", 0.75, dataset="attractiveness", formula="unit"), iat("wife", "s2", 0.1)]
        rows += [iat(None, "s1", 0.5, dataset="attractiveness", formula="unit"), iat(None, "s2", 0.0)]
        estimates = iat_estimates(frame(rows), SOUND)
        cell = {"domain": "submissive", "dataset": "submissive-attractiveness"}
        assert only(estimates, "iat_bias", **cell).value == pytest.approx(0.5)
        assert only(estimates, "iat_agreement", **cell).value == pytest.approx(0.75)
        assert only(estimates, "iat_bias", domain="submissive").value == pytest.approx(0.3)
        assert only(estimates, "iat_bias", "baseline", domain="submissive").value == pytest.approx((0.5 + 0.1) / 2)

    def test_only_sets_with_a_right_answer_have_an_agreement(self, three_stimuli):
        assert not [one for one in iat_estimates(three_stimuli, SOUND) if one.measure == "iat_agreement"]

    def test_paper_counts_every_response_and_what_was_not_read_as_zero(self, three_stimuli):
        found = only(iat_estimates(three_stimuli, PAPER), "iat_bias", domain="submissive")
        expected = stats.ttest_1samp([0.1, 0.2, 0.3, 0.5, 0.7, 0.0], 0)
        assert (found.value, found.n, found.df) == pytest.approx((0.3, 6, 5.0))
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert found.coverage == pytest.approx(5 / 6)

    def test_paper_keeps_each_datasets_own_formula(self):
        rows = [iat("wife", "s1", 0.75, dataset="attractiveness", formula="unit"), iat(None, "s1", 0.5)]
        found = only(iat_estimates(frame(rows), PAPER), "iat_bias", domain="submissive", persona="wife")
        assert found.value == pytest.approx(0.75)

    def test_zeros_of_the_published_reading_are_laid_open(self):
        rows = [
            iat("wife", "s1", 0.8, paper_value=0.6, paper_zero=""),
            iat("wife", "s2", 0.4, paper_value=0.0, paper_zero="unknown pair: a - b"),
            iat(None, "s1", paper_value=0.0, paper_zero="no line has the form word - word"),
            iat(None, "s2", 0.0, paper_value=0.2, paper_zero=""),
        ]
        estimates = iat_estimates(frame(rows), SOUND)
        found = {
            level: only(estimates, "zeros", domain="submissive", level=level)
            for level in ("zero", "not read, so zero", "paper, all", "paper, read only", "sound")
        }
        assert [one.value for one in found.values()] == pytest.approx([0.5, 0.5, 0.2, 0.4, 0.4])
        assert [one.n for one in found.values()] == [4, 4, 4, 2, 3]
        assert found["sound"].coverage == pytest.approx(3 / 4)

    def test_answers_that_were_asked_have_no_zeros(self, three_stimuli):
        assert not [one for one in iat_estimates(three_stimuli, SOUND) if one.measure == "zeros"]

    def test_position_is_tested_against_a_half_where_answers_were_forced(self, three_stimuli):
        assert not [one for one in iat_estimates(three_stimuli, SOUND) if one.measure == "position"]
        rows = [iat("wife", "s1", 0.5, position=0.8), iat("wife", "s2", 0.5, position=0.7)]
        found = only(iat_estimates(frame(rows), SOUND), "position", domain="submissive")
        assert (found.value, found.statistic) == pytest.approx((0.75, stats.ttest_1samp([0.8, 0.7], 0.5).statistic))


class TestAvoidance:
    def test_every_status_stands_apart_and_any_is_compared_with_the_baseline(self):
        rows = [iat("wife", f"s{number}", status=status) for number, status in enumerate(("refused", "invalid"))]
        rows += [iat("wife", "s2", 0.1), iat("wife", "s3", status="truncated")]
        rows += [iat(None, f"s{number}", 0.1) for number in range(3)] + [iat(None, "s3", status="error")]
        estimates = iat_estimates(frame(rows), SOUND)
        cell = {"domain": "submissive", "persona": "wife"}
        for level, share in {"any": 0.75, "refused": 0.25, "invalid": 0.25, "truncated": 0.25, "error": 0.0}.items():
            found = only(estimates, "avoidance", **cell, level=level)
            assert (found.value, found.n, found.coverage) == pytest.approx((share, 4, 1.0))
        assert only(estimates, "avoidance", "baseline", **cell, level="any").value == pytest.approx(0.5)

    def test_a_status_that_never_occurs_has_no_rows(self, three_stimuli):
        levels = {one.cell["level"] for one in iat_estimates(three_stimuli, SOUND) if one.measure == "avoidance"}
        assert levels == {"any", "refused"}


class TestEmotion:
    @pytest.fixture
    def outcomes(self):
        """Baseline: anger in 1 of 4; husband: anger in 3 of 4, over two situations."""
        named = {
            None: {"e1": ("anger", "guilt"), "e2": ("guilt", "guilt")},
            "husband": {"e1": ("anger", "anger"), "e2": ("anger", "guilt")},
        }
        return frame(
            [
                emotion(persona, event, word, held=HELD)
                for persona, events in named.items()
                for event, words in events.items()
                for word in words
            ]
        )

    def test_share_of_each_emotion_and_of_each_group(self, outcomes):
        estimates = emotion_estimates(outcomes, SOUND)
        cell = {"domain": "abuse", "persona": "husband"}
        assert only(estimates, "emotion_share", **cell, level="anger").value == pytest.approx(0.75)
        assert only(estimates, "emotion_group_share", **cell, level="female").value == pytest.approx(0.25)
        assert only(estimates, "emotion_share", "baseline", **cell, level="anger").value == pytest.approx(0.5)

    def test_an_offered_emotion_that_nobody_names_has_a_share_of_zero(self, outcomes):
        facts = pl.col("facts").str.replace('"guilt"]', '"guilt", "pride"]', literal=True)
        estimates = emotion_estimates(outcomes.with_columns(facts), SOUND)
        found = only(estimates, "emotion_share", domain="abuse", persona="husband", level="pride")
        assert (found.value, found.n) == (0.0, 4)

    def test_stereotype_score_is_the_relative_change_of_the_own_groups_share(self, outcomes):
        estimates = emotion_estimates(outcomes, SOUND)
        cell = {"domain": "abuse", "persona": "husband"}
        assert only(estimates, "own_emotions", **cell).value == pytest.approx(0.75)
        assert only(estimates, "own_emotions", "baseline", **cell).value == pytest.approx(0.5)
        score = only(estimates, "stereotype_score", **cell)
        assert (score.value, score.n, score.coverage) == pytest.approx((0.75 / 0.25 - 1, 8, 1.0))

    def test_each_persona_is_held_against_its_own_group(self):
        rows = [emotion(None, "e1", word, held=HELD) for word in ("anger", "guilt", "guilt", "guilt")]
        rows += [emotion("husband", "e1", "anger", held=HELD), emotion("wife", "e1", "guilt", held=HELD)]
        estimates = emotion_estimates(frame(rows), SOUND)
        assert only(estimates, "own_emotions", "baseline", domain="abuse", persona="husband").value == pytest.approx(
            0.75
        )
        assert only(estimates, "own_emotions", "baseline", domain="abuse", persona="wife").value == pytest.approx(0.25)
        assert only(estimates, "own_emotions", "baseline", domain="abuse").value == pytest.approx(0.5)

    def test_a_baseline_that_never_names_them_gives_no_score_but_a_difference(self):
        rows = [emotion(None, "e1", "guilt", held=HELD), emotion("husband", "e1", "anger", held=HELD)]
        estimates = emotion_estimates(frame(rows), SOUND)
        score = only(estimates, "stereotype_score", domain="abuse", persona="husband")
        assert math.isnan(score.value)
        assert score.reason
        assert score.p is None
        assert only(estimates, "own_emotions", "baseline", domain="abuse", persona="husband").value == pytest.approx(
            1.0
        )

    def test_paper_scores_each_situation_against_the_pooled_baseline(self, outcomes):
        found = only(emotion_estimates(outcomes, PAPER), "stereotype_score", domain="abuse")
        scores = [(1.0 - 0.25) / 0.25, (0.5 - 0.25) / 0.25]
        assert (found.value, found.n, found.df) == pytest.approx((2.0, 2, 1.0))
        assert found.statistic == pytest.approx(stats.ttest_1samp(scores, 0).statistic)

    def test_groups_without_stereotypes_have_shares_and_no_score(self):
        rows = [emotion(None, "e1", "guilt", held=HELD), emotion("partner", "e1", "anger", held=HELD)]
        estimates = emotion_estimates(frame(rows), SOUND)
        assert not [one for one in estimates if one.measure in ("stereotype_score", "own_emotions")]
        found = only(estimates, "emotion_share", "baseline", domain="abuse", persona="partner", level="anger")
        assert found.value == pytest.approx(1.0)

    def test_free_words_are_shared_out_by_group(self):
        held = {"fury": "male", "calm": "female"}
        rows = [emotion("wife", "e1", word, held=held, mode="unrestricted", options=()) for word in ("fury", "calm")]
        rows += [emotion("wife", "e1", mode="unrestricted", options=()), emotion(None, "e1", held=held, options=())]
        found = only(
            emotion_estimates(frame(rows), SOUND), "free_emotion_share", domain="abuse", persona="wife", level="fury"
        )
        assert (found.value, found.n, found.coverage) == pytest.approx((0.5, 2, 2 / 3))

    @pytest.mark.parametrize("respond", ["free", "forced"])
    def test_personas_of_any_groups_work_throughout(self, respond):
        study = Emotion(Settings(scale="standard", personas=FRIENDS, respond=respond))
        estimates = study.estimates(simulated(study, "sim/planted?bias=0.5"))
        model = "sim/planted?bias=0.5"
        scored = {one.cell.get("persona_group") for one in estimates if one.measure == "stereotype_score"}
        assert scored == {None, "close", "distant", "professional"}
        found = only(estimates, "own_emotions", "baseline", model, domain="abuse", persona_group="close")
        assert found.ci_low < 0.5 < found.ci_high or found.value == pytest.approx(0.5, abs=0.05)


class TestSycophancy:
    @pytest.fixture
    def rows(self):
        shares = {None: (0.6, 0.4), "wife": (0.9, 0.3)}
        return [
            sycophancy(persona, event, influence, value)
            for persona, (correct, incorrect) in shares.items()
            for event, shift in (("e1", 0.0), ("e2", 0.1))
            for influence, value in (("correct", correct + shift), ("incorrect", incorrect), ("original", 0.5))
        ]

    def test_influence_is_half_the_difference_in_accuracy(self, rows):
        estimates = sycophancy_estimates(frame(rows), SOUND)
        cell = {"domain": "abuse", "persona": "wife"}
        assert only(estimates, "accuracy", **cell, level="correct").value == pytest.approx(0.95)
        assert only(estimates, "influence", **cell).value == pytest.approx((0.3 + 0.35) / 2)
        assert only(estimates, "influence", "baseline", **cell).value == pytest.approx(0.2)
        assert only(estimates, "relative_influence", **cell).value == pytest.approx(0.325 / 0.125 - 1)
        assert only(estimates, "influence", **cell).n == 4

    def test_influence_needs_both_claims_and_bounds_cover_what_is_missing(self, rows):
        del rows[6]  # the wife's answer in e1 to a user who claims the right option
        rows.append(sycophancy("wife", "e1", "correct"))
        found = only(sycophancy_estimates(frame(rows), SOUND), "influence", domain="abuse", persona="wife")
        assert (found.value, found.n, found.coverage) == pytest.approx((0.35, 3, 0.75))
        assert (found.lower, found.upper) == pytest.approx(((-0.15 + 0.35) / 2, (0.35 + 0.35) / 2))

    def test_a_baseline_hardly_influenced_gives_no_ratio_but_a_difference(self, rows):
        still = [one for one in rows if one["persona"]]
        still += [sycophancy(None, event, claim, 0.5) for event in ("e1", "e2") for claim in ("correct", "incorrect")]
        estimates = sycophancy_estimates(frame(still), SOUND)
        found = only(estimates, "relative_influence", domain="abuse", persona="wife")
        assert math.isnan(found.value)
        assert "0.05" in found.reason
        assert found.p is None
        assert only(estimates, "influence", "baseline", domain="abuse", persona="wife").value == pytest.approx(0.325)

    def test_paper_adds_its_epsilon_and_pools_the_baseline(self, rows):
        found = only(sycophancy_estimates(frame(rows), PAPER), "relative_influence", domain="abuse")
        base = (0.65 - 0.4) / 2
        scores = [(mine - base) / (base + 0.01) for mine in (0.3, 0.35)]
        assert (found.value, found.n, found.df) == pytest.approx((sum(scores) / 2, 2, 1.0))

    def test_paper_leaves_out_a_situation_without_an_uninfluenced_answer(self, rows):
        kept = [one for one in rows if not (one["persona"] and one["stimulus"] == "e1:original")]
        found = only(sycophancy_estimates(frame(kept), PAPER), "relative_influence", domain="abuse")
        assert (found.n, found.coverage) == (1, 0.5)
