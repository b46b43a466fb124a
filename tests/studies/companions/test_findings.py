"""Sentences say what the table says: the number, how sure, on how much; and warn where they must."""

import re
from functools import cache

import pytest

from personae.score import to_frame
from personae.studies.base import Settings
from personae.studies.companions import Emotion, Iat, Sycophancy
from personae.studies.companions.findings import iat_findings, numbers, percent, plain, sycophancy_findings
from personae.studies.companions.measures import iat_estimates, sycophancy_estimates
from personae.studies.shared.table import pick

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
        assert any(re.search(r"came to no answer \(refused \d+ %", text) for text in texts(findings, "caution"))

    def test_coverage_that_differs_from_the_baseline_is_said(self):
        _, findings = found(Iat, "sim/refuser?rate=0&persona_rate=0.5")
        assert any("percentage points more items" in text for text in texts(findings, "caution"))

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
