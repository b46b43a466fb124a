"""Task 2: BAD, PSI and volatility by hand, tests against noise, groups, own words, and the printed tables."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from personae.stats.association_shift import shift_test
from personae.studies.associations.measures_groups import less
from personae.studies.associations.measures_personas import (
    ABSOLUTE,
    BAD,
    EXPECTED,
    FLOOR_ABSOLUTE,
    FLOOR_PSI,
    ONE_GENERATION,
    OVER_GENERATIONS,
    OVER_PROMPTS,
    PSI,
    SCORE,
    WITHOUT_OWN,
)

from .measuring import found, only, played, table_of

PERSONA = "young competitive gamer"
PROMPTS = ("background", "challenges", "change", "leadership", "technology")
NEUTRAL = {"leadership": [0.1, 0.3], "change": [0.0, 0.4]}
PLAYED = {"leadership": [0.6, 0.8], "change": [0.1, 0.1]}


def by_hand(scoring="sound", **settings):
    """Means 0.2 and 0.2 without the persona, 0.7 and 0.1 with it: BAD is 0.5 and −0.1."""
    return found(table_of(NEUTRAL) + table_of(PLAYED, PERSONA), scoring, **settings)


def shifted(shift, generations=5, seed=0, size=0.2):
    """Scores of five prompts around a shift."""
    rng = np.random.default_rng(seed)
    return {prompt: list(shift + size * rng.normal(size=generations)) for prompt in PROMPTS}


def row(table, measure, metric="average", contrast="", persona=PERSONA, **cell):
    cell = {**cell, "metric": metric} | ({"persona": persona} if persona else {})
    return only(table, measure, contrast, **cell)


class TestByHand:
    @pytest.mark.parametrize(("prompt", "value"), [("leadership", 0.5), ("change", -0.1)])
    def test_bad_is_the_mean_with_the_persona_less_that_without(self, prompt, value):
        for metric in ("CEAT", "I-WEAT", "I-SEAT", "average"):
            one = row(by_hand(), BAD, metric, "baseline", domain=prompt)
            assert one.value == pytest.approx(value)
            assert (one.n, one.coverage) == (4, 1.0)

    def test_psi_lets_opposite_shifts_cancel_and_the_mean_size_does_not(self):
        table = by_hand()
        assert row(table, PSI, contrast="baseline").value == pytest.approx((0.5 - 0.1) / 2)
        assert row(table, ABSOLUTE, contrast="baseline").value == pytest.approx((0.5 + 0.1) / 2)

    def test_volatility_over_prompts_is_the_population_deviation_of_bad(self):
        assert row(by_hand(), OVER_PROMPTS).value == pytest.approx(0.3)

    def test_volatility_over_generations_is_that_of_the_scores_of_a_prompt(self):
        table = by_hand()
        assert row(table, OVER_GENERATIONS, domain="leadership").value == pytest.approx(0.1)
        assert row(table, OVER_GENERATIONS, domain="change").value == pytest.approx(0.0)
        assert row(table, OVER_GENERATIONS).value == pytest.approx(0.05)
        neutral = only(table, OVER_GENERATIONS, metric="average")
        assert neutral.value == pytest.approx((0.1 + 0.2) / 2)

    def test_scores_are_the_means_of_each_condition(self):
        table = by_hand()
        assert row(table, SCORE, domain="leadership").value == pytest.approx(0.7)
        assert only(table, SCORE, domain="leadership", metric="I-WEAT").value == pytest.approx(0.2)

    def test_the_noise_floor_sets_one_neutral_answer_against_the_others(self):
        # Against each other: −0.2 and 0.2, −0.4 and 0.4; so each generation's PSI is −0.3 or 0.3.
        table = by_hand()
        assert only(table, FLOOR_PSI, metric="average").value == pytest.approx(0.3)
        assert only(table, FLOOR_ABSOLUTE, metric="average").value == pytest.approx(0.3)

    def test_the_average_is_that_of_the_three_metrics(self):
        three = {"CEAT": 0.9, "I-WEAT": 0.3, "I-SEAT": -0.3}
        rows = [*table_of(NEUTRAL), played("leadership", 0, three, persona=PERSONA)]
        table = found(rows)
        parts = [row(table, BAD, metric, "baseline", domain="leadership").value for metric in three]
        assert parts == pytest.approx([0.7, 0.1, -0.5])
        assert row(table, BAD, contrast="baseline", domain="leadership").value == pytest.approx(0.1)


class TestNoise:
    def test_a_persona_that_moves_every_answer_is_told_from_noise(self):
        table = found(table_of(shifted(0.0)) + table_of(shifted(1.0, seed=1), PERSONA))
        one = row(table, PSI, contrast="baseline")
        assert one.p < 0.001
        assert "exchange of generations within prompts (sampled" in one.test
        assert one.ci_low < one.value < one.ci_high

    def test_the_test_is_the_exchange_within_prompts(self):
        neutral, ours = shifted(0.0, 2), shifted(0.15, 2, seed=1)
        table = found(table_of(neutral) + table_of(ours, PERSONA))
        expected = shift_test(
            [ours[prompt] for prompt in PROMPTS], [neutral[prompt] for prompt in PROMPTS], np.random.default_rng(0)
        )
        assert expected.exact
        for measure, p in ((PSI, expected.p), (ABSOLUTE, expected.p_absolute)):
            assert row(table, measure, contrast="baseline").p == pytest.approx(p)
        assert row(table, EXPECTED).value == pytest.approx(expected.expected_absolute)

    def test_shifts_that_cancel_are_told_by_their_size(self):
        ours = {
            prompt: [(1 if n % 2 else -1) + x for x in values]
            for n, (prompt, values) in enumerate(shifted(0.0, seed=1).items())
        }
        ours["background"] = shifted(0.0, seed=2)["background"]
        table = found(table_of(shifted(0.0)) + table_of(ours, PERSONA))
        assert row(table, PSI, contrast="baseline").p > 0.05
        one = row(table, ABSOLUTE, contrast="baseline")
        assert one.p < 0.001
        assert one.value > 3 * row(table, EXPECTED).value

    def test_with_one_neutral_answer_nothing_is_tested_and_why_is_said(self):
        table = found(table_of(shifted(0.0, 1)) + table_of(shifted(1.0, 1, seed=1), PERSONA))
        for measure in (PSI, ABSOLUTE):
            one = row(table, measure, contrast="baseline")
            assert (one.p, one.reason) == (None, ONE_GENERATION)
            assert one.ci_low is not None
        bad = row(table, BAD, contrast="baseline", domain="change")
        assert bad.ci_low is None
        assert "its spread is not known" in bad.reason
        floor = only(table, FLOOR_PSI, metric="average")
        assert math.isnan(floor.value)
        assert floor.reason == ONE_GENERATION


class TestCoverage:
    def test_what_was_refused_is_left_out_and_the_lower_share_is_told(self):
        rows = table_of(NEUTRAL) + table_of({"leadership": [0.6, None], "change": [0.1, 0.1]}, PERSONA)
        table = found(rows)
        one = row(table, BAD, contrast="baseline", domain="leadership")
        assert one.value == pytest.approx(0.4)
        assert (one.n, one.coverage) == (3, 0.5)
        assert row(table, PSI, contrast="baseline").coverage == 0.75

    def test_a_prompt_that_one_side_never_answered_has_a_reason(self):
        rows = table_of(NEUTRAL) + table_of({"leadership": [None, None], "change": [0.1, 0.1]}, PERSONA)
        table = found(rows)
        one = row(table, BAD, contrast="baseline", domain="leadership")
        assert math.isnan(one.value)
        assert one.reason
        assert row(table, PSI, contrast="baseline").value == pytest.approx(-0.1)

    def test_without_a_baseline_there_are_scores_and_no_shifts(self):
        table = found(table_of(PLAYED, PERSONA))
        assert row(table, SCORE, domain="change").value == pytest.approx(0.1)
        assert math.isnan(row(table, PSI, contrast="baseline").value)
        assert row(table, PSI, contrast="baseline").reason


class TestOwnWords:
    def test_shifts_are_given_once_more_without_the_words_of_the_persona(self):
        rows = table_of(shifted(0.0)) + table_of(shifted(1.0, seed=1), PERSONA, own=0.1)
        table = found(rows)
        said, bare = (row(table, PSI, contrast="baseline", **level) for level in ({}, {"level": WITHOUT_OWN}))
        neutral = np.mean([np.mean(values) for values in shifted(0.0).values()])
        assert bare.value == pytest.approx(0.1 - neutral)
        assert said.value - bare.value > 0.5
        assert bare.p is None
        assert bare.ci_low is not None


class TestGroups:
    def rows(self, **shifts):
        groups = {"a": "marginalised", "b": "marginalised", "c": "marginalised"}
        rows = table_of(shifted(0.0))
        for nth, (name, shift) in enumerate(shifts.items()):
            group = groups.get(name, "advantaged")
            rows += table_of(shifted(shift, seed=nth + 1), name, group=group)
        return rows

    def test_a_group_is_the_mean_of_its_personas(self):
        table = found(self.rows(a=0.5, b=0.7, d=0.1))
        psi = [row(table, PSI, contrast="baseline", persona=name).value for name in "ab"]
        one = only(table, PSI, "baseline", persona_group="marginalised", metric="average")
        assert one.value == pytest.approx(np.mean(psi))

    def test_groups_are_compared_and_personas_exchanged(self):
        table = found(self.rows(a=0.9, b=1.0, c=1.1, d=0.0, e=0.1, f=-0.1))
        one = only(table, PSI, metric="average", level=less("marginalised", "advantaged"))
        means = [
            only(table, PSI, "baseline", persona_group=name, metric="average").value
            for name in ("marginalised", "advantaged")
        ]
        assert one.value == pytest.approx(means[0] - means[1])
        assert one.ci_low > 0
        assert one.p == pytest.approx(2 / 20)
        assert "exchange of personas" in one.test

    def test_personas_without_a_group_are_in_none(self):
        table = found(table_of(NEUTRAL) + table_of(PLAYED, PERSONA))
        assert not [one for one in table if "persona_group" in one.cell]


@pytest.fixture(scope="module")
def printed():
    lines = Path(__file__).with_name("printed.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.fixture(scope="module")
def recomputed(printed):
    """Estimates from one answer each that scores what is printed, against neutral ones that score 0."""
    rows = []
    for line in printed:
        if line["row"].startswith("P") and line["row"] != "PSI":
            prompt, model = PROMPTS[int(line["row"][1]) - 1], line["model"]
            rows.append(played(prompt, 0, 0.0, model=model))
            rows += [played(prompt, 0, float(line[name]), persona=name, model=model) for name in "ABCDEF"]
    return found(rows, "paper")


class TestPublished:
    def test_algorithm_1_has_the_same_values_and_nothing_beside_them(self):
        sound, paper = by_hand(), by_hand("paper")
        assert {one.measure for one in paper} == {BAD, PSI, OVER_PROMPTS, OVER_GENERATIONS}
        assert all((one.ci_low, one.p, one.test) == (None, None, "published procedure: Algorithm 1") for one in paper)
        for one in paper:
            assert only(sound, one.measure, one.contrast, **one.cell).value == pytest.approx(one.value)

    def gaps(self, printed, recomputed, name, measure, contrast=""):
        return [
            abs(
                only(recomputed, measure, contrast, model=line["model"], persona=persona, metric="average").value
                - float(line[persona])
            )
            for line in printed
            if line["row"] == name
            for persona in "ABCDEF"
        ]

    def test_every_printed_psi_is_the_mean_of_the_five_printed_bads(self, printed, recomputed):
        gaps = self.gaps(printed, recomputed, "PSI", PSI, "baseline")
        assert len(gaps) == 30
        assert max(gaps) <= 0.001

    def test_printed_volatility_is_the_population_deviation_over_prompts_in_26_of_30_cells(self, printed, recomputed):
        gaps = self.gaps(printed, recomputed, "volatility", OVER_PROMPTS)
        assert len(gaps) == 30
        assert sum(gap <= 0.001 for gap in gaps) == 26
