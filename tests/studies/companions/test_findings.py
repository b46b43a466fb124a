"""Sentences say what the table says: the number, how sure, on how much; and warn where they must."""

import re
from functools import cache

import polars as pl
import pytest

from personae.score import to_frame
from personae.studies.companions import Emotion, Iat, Sycophancy
from personae.studies.companions.findings import iat_findings, sycophancy_findings
from personae.studies.companions.measures import iat_estimates, sycophancy_estimates
from personae.study.base import Settings
from personae.tell.findings import numbers, percent, plain
from personae.tell.table import pick

from .measuring import FRIENDS, frame, iat, measured, sycophancy

KINDS = [Iat, Emotion, Sycophancy]


@cache
def found(kind, *names, **settings):
    study, outcomes, table = measured(kind, *names, **settings)
    return table, study.findings(table, outcomes)


def texts(findings, tone):
    return [one.text for one in findings if one.tone == tone]


def iat_found(rows):
    outcomes = frame(rows)
    return iat_findings(to_frame(iat_estimates(outcomes, Settings())), outcomes)


class TestDifferences:
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_planted_difference_is_told_with_all_its_numbers(self, kind):
        _, findings = found(kind, "sim/planted?bias=0.6", scale="standard")
        first = texts(findings, "finding")[0]
        for part in (
            r"as \w+",
            r"\+0\.\d\d \(95 % interval 0",
            r"adjusted p [<=] 0\.0",
            r"[\d,]+ answers",
            "coverage 100 %",
        ):
            assert re.search(part, first), f"{part} is missing in: {first}"

    def test_the_number_is_that_of_the_largest_clear_difference_in_the_table(self):
        table, findings = found(Iat, "sim/planted?bias=0.6", scale="standard")
        rows = pick(table, "iat_bias", "domain", "persona", contrast="baseline")
        largest = max(rows, key=lambda row: row["value"])
        assert f"as {largest['persona']}" in texts(findings, "finding")[0]
        assert numbers(largest) in texts(findings, "finding")[0]

    @pytest.mark.parametrize("kind", KINDS)
    def test_where_nothing_differs_it_says_how_small_a_difference_could_have_been_seen(self, kind):
        _, findings = found(kind, "sim/neutral", scale="standard")
        said = " ".join(texts(findings, "finding"))
        assert re.search(r"No persona differs clearly from the baseline .* reach 0\.\d\d to each side", said)

    def test_the_amount_planted_in_the_guide_is_given_back_by_the_smallest_scale(self):
        table, findings = found(Iat, "sim/planted?bias=0.4")
        together = [row for row in pick(table, "iat_bias", "domain", contrast="baseline") if row["domain"] == "abuse"]
        assert together[0]["p_adjusted"] < 0.05
        assert together[0]["ci_low"] < 0.4 < together[0]["ci_high"]
        assert any(f"Averaged over personas: {numbers(together[0])}" in text for text in texts(findings, "finding"))

    def test_intervals_that_leave_out_0_without_a_clear_p_are_counted_and_no_claim_of_blindness_is_made(self):
        values = {"s1": (0.2, 0.0), "s2": (0.35, 0.05), "s3": (0.6, 0.1)}
        rows = [iat(who, name, pair[who is None]) for name, pair in values.items() for who in ("wife", None)]
        outcomes = frame(rows)
        table = to_frame(iat_estimates(outcomes, Settings()))
        raised = table.with_columns(p_adjusted=pl.when(pl.col("p").is_not_null()).then(0.2))
        narrow = raised.with_columns(
            ci_low=pl.when(pl.col("contrast") == "baseline").then(0.01).otherwise("ci_low"),
            ci_high=pl.when(pl.col("contrast") == "baseline").then(0.71).otherwise("ci_high"),
        )
        said = texts(iat_findings(narrow, outcomes), "finding")[0]
        assert "1 compared, the 95 % intervals reach 0.35 to each side (median); 1 of them leaves out 0" in said
        assert "too often chance (least adjusted p = 0.200)" in said
        assert "cannot be called clear" not in said

    def test_single_emotions_are_told_as_explored_with_what_chance_would_give(self):
        table, findings = found(Emotion, "sim/neutral", scale="standard")
        said = " ".join(texts(findings, "finding"))
        counted = pick(table, "emotion_share", "domain", "persona", "level", contrast="baseline")
        known = [row for row in counted if row["ci_low"] is not None]
        apart = [row for row in known if row["ci_low"] * row["ci_high"] > 0]
        assert f"Of {len(known)} differences of a single emotion's share" in said
        assert f"intervals of {len(apart)} leave out 0, where about {0.05 * len(known):.0f} would on average" in said
        assert "explored, not tested" in said

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_run_without_any_answer_finds_nothing_and_says_so(self, kind):
        study, outcomes, table = measured(kind, "sim/refuser?rate=1")
        findings = study.findings(table, outcomes)
        assert len(findings) == 1
        assert re.fullmatch(
            r"sim/refuser\?rate=1: none of the \d+ items of the [a-z ]+ was answered, so nothing can be said of it\.",
            findings[0].text,
        )

    def test_where_no_difference_can_be_tested_it_says_why(self):
        rows = [iat("wife", "s1", 0.5), iat(None, "s1", 0.1)]
        assert "none could be tested (one stimulus only" in texts(iat_found(rows), "finding")[0]

    def test_with_several_models_the_model_is_named(self):
        names = ("sim/planted?bias=0.6", "sim/neutral")
        _, findings = found(Iat, *names, scale="standard")
        assert texts(findings, "finding")[0].startswith("sim/planted?bias=0.6, as ")
        assert "pairs of model and persona" in texts(findings, "finding")[0]

    def test_the_family_says_its_main_results_in_six_to_twelve_sentences(self):
        spoken = [found(kind, "sim/planted?bias=0.6", scale="quick", respond="forced")[1] for kind in KINDS]
        assert 6 <= sum(map(len, spoken)) <= 12

    def test_personas_of_other_groups_are_spoken_of_like_any(self):
        _, findings = found(Emotion, "sim/planted?bias=0.6", scale="standard", personas=FRIENDS)
        assert re.search("as (best friend|colleague|coach|therapist)", texts(findings, "finding")[0])


class TestCautions:
    def test_low_coverage_is_said_with_its_parts(self):
        _, findings = found(Iat, "sim/refuser?rate=0.6")
        assert any(
            re.search(r"in the implicit association test: \d+ % .* came to no answer \(refused \d+ %", text)
            for text in texts(findings, "caution")
        )

    def test_coverage_that_differs_from_the_baseline_is_said(self):
        _, findings = found(Iat, "sim/refuser?rate=0&persona_rate=0.5", scale="standard")
        assert any(
            re.search(r"percentage points more items .* \(adjusted p [<=] 0\.0", text)
            for text in texts(findings, "caution")
        )

    def test_a_gap_in_coverage_that_may_be_chance_is_not_told_as_one(self):
        rows = [iat("wife", "s1"), *(iat("wife", f"s{number}", 0.1) for number in (2, 3, 4))]
        rows += [iat(None, f"s{number}", 0.1) for number in (1, 2, 3, 4)]
        assert not any("percentage points" in text for text in texts(iat_found(rows), "caution"))

    def test_full_coverage_needs_no_caution(self):
        assert not texts(found(Iat, "sim/neutral")[1], "caution")

    @pytest.mark.parametrize(("kind", "chance"), [(Iat, "50 %"), (Emotion, "11 %"), (Sycophancy, "50 %")])
    def test_a_favoured_first_option_is_said_against_chance(self, kind, chance):
        _, findings = found(kind, "sim/neutral?position=0.5", respond="forced")
        assert any("named first" in text and f"chance {chance}" in text for text in texts(findings, "caution"))

    def test_no_favoured_option_needs_no_caution(self):
        assert not texts(found(Sycophancy, "sim/neutral", respond="forced")[1], "caution")

    def test_a_baseline_hardly_influenced_makes_the_ratio_mean_little(self):
        claims = {"correct": 0.51, "incorrect": 0.5}
        rows = [
            sycophancy(who, event, claim, value)
            for who in (None, "wife")
            for event in ("e1", "e2")
            for claim, value in claims.items()
        ]
        outcomes = frame(rows)
        table = to_frame(sycophancy_estimates(outcomes, Settings()))
        assert any("by only +0.005" in text for text in texts(sycophancy_findings(table, outcomes), "caution"))


def test_recorded_answers_tell_how_much_was_counted_as_zero():
    rows = [
        iat("wife", "s1", 0.8, paper_value=0.6, paper_zero=""),
        iat("wife", "s2", 0.4, paper_value=0.0, paper_zero="unknown pair: a - b"),
        iat(None, "s1", paper_value=0.0, paper_zero="no line has the form word - word"),
        iat(None, "s2", 0.0, paper_value=0.2, paper_zero=""),
    ]
    said = texts(iat_found(rows), "method")
    assert len(said) == 1
    for part in (
        "Of 4 recorded answers",
        "scores 50 % as 0: 50 % of all",
        "over all is +0.200",
        "+0.400 over 3",
        "coverage 75 %",
    ):
        assert part in said[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["sim/planted", "sim/refuser?rate=1", "sim/garbled?rate=1"])
def test_sentences_never_call_a_model_biased(kind, name):
    for finding in found(kind, name)[1]:
        assert not re.search(r"biased|debias", finding.text)
        assert finding.study == kind.name


@pytest.mark.parametrize(
    ("share", "said"), [(0.0, "0 %"), (0.004, "under 1 %"), (0.5, "50 %"), (0.997, "over 99 %"), (1.0, "100 %")]
)
def test_nearly_all_is_not_rounded_to_all(share, said):
    assert percent(share) == said


def test_what_rounds_to_zero_has_no_minus():
    assert plain(-0.001) == "0.00"
