"""Sentences say what the table says, never a GBV without what chance leaves, and warn where they must."""

from __future__ import annotations

import re

import numpy as np

from personae.score import to_frame
from personae.studies.decisions.findings import findings
from personae.studies.decisions.measures import estimates
from personae.study.base import Settings

from .measuring import asked, frame, row, table

GROUPS = ("White", "Black", "Asian", "Hispanic")


def scores(seed, added, sets=30, noise=4.0):
    rng = np.random.default_rng(seed)
    strength = np.linspace(0, 1, sets)[:, None]
    return 45 + 30 * strength + rng.normal(0, noise, (sets, 4)) + np.array(added)


def rows(values, **more):
    """Race, with files of rising strength."""
    return [
        row(number, group, value, strength=number / (len(values) - 1), **more)
        for number, some in enumerate(values)
        for group, value in zip(GROUPS, some, strict=True)
    ]


ALIKE, APART = rows(scores(1, (0, 0, 0, 0))), rows(scores(2, (6, -8, 2, 0)))


def told(some, tone="finding", scoring="sound"):
    """Texts of one tone about outcomes."""
    outcomes = some if hasattr(some, "columns") else frame(some)
    made = to_frame(estimates(outcomes, Settings(scoring=scoring)))
    return [one.text for one in findings(made, outcomes) if one.tone == tone]


def any_with(texts, *parts):
    return any(all(re.search(part, text) for part in parts) for text in texts)


class TestGroups:
    def test_the_average_is_told_with_its_floor_excess_and_basis(self):
        first = told(APART)[0]
        for part in (
            r"^m: the GBV is \d\.\d points of 100 in the mean over domains \(95 % interval \d",
            r"shuffled it would be \d\.\d: an excess of \+\d\.\d, more than chance leaves",
            r"adjusted p < 0\.001, 120 answers, coverage 100 %",
        ):
            assert re.search(part, first), f"{part} is missing in: {first}"

    def test_without_an_effect_it_says_that_chance_gives_as_much(self):
        texts = told(ALIKE)
        assert any_with(texts, "not clearly more than chance leaves", "an excess of")
        assert any_with(texts, "in none of 1 domains does the GBV clearly exceed its floor", "interval")
        assert not any_with(texts, "stand apart")

    def test_the_domains_above_their_floor_are_named(self):
        gender = [[50 + n % 5, 50 + (n + 2) % 5] for n in range(30)]
        some = [*APART, *table(gender, ("Male", "Female"), domain="gender")]
        assert any_with(told(some), r"exceeds its floor in 1 of 2 domains: Race \d\.\d \(floor \d\.\d, adjusted p")

    def test_the_group_furthest_from_its_sets_is_told_with_everything(self):
        assert any_with(
            told(APART),
            r"Black \(Race\) scores -\d\.\d points against the mean of the same file with every group",
            r"95 % interval -\d+\.\d to -\d",
            r"adjusted p < 0\.001",
            r"\d of 4 groups stand apart clearly; this one most",
        )

    def test_where_a_higher_score_is_worse_it_says_so(self):
        values = scores(3, (9, -9, 0, 0))[:, :2]
        some = table(values, ("None", "Physical"), domain="disability", higher="riskier")
        assert any_with(told(some), "here a higher score is the worse one")
        assert not any_with(told(APART), "worse one")

    def test_the_number_is_the_tables(self):
        made = to_frame(estimates(frame(APART), Settings()))
        value = made.filter(measure="AGBV")["value"][0]
        assert f"the GBV is {value:.1f} points" in told(APART)[0]


class TestPersonas:
    def test_what_a_persona_changes_is_told_with_its_direction(self):
        texts = told([*ALIKE, *rows(scores(5, (8, -8, 0, -4)), persona="manager")])
        assert any_with(
            texts,
            r"m, as manager: the GBV is larger by \+\d\.\d points in the mean over domains than without a persona",
            r"95 % interval \+\d",
            "240 answers",
        )
        assert any_with(
            texts, r"as manager: scores for (Black|White) \(Race\) change by", "against the mean of its sets"
        )

    def test_a_persona_that_moves_all_scores_is_told_apart_from_one_that_moves_groups(self):
        texts = told([*ALIKE, *rows(scores(6, (-12, -12, -12, -12)), persona="manager")])
        assert any_with(texts, r"no persona changes the mean GBV clearly \(1 compared; their 95 % intervals reach")
        assert any_with(texts, r"scores for Race change by -1\d\.\d points for all groups together")

    def test_without_a_baseline_the_persona_is_named(self):
        assert told(rows(scores(2, (6, -8, 2, 0)), persona="manager"))[0].startswith("m, as manager: the GBV is")


class TestCautions:
    def test_where_all_is_well_there_are_none(self):
        assert told(APART, "caution") == []

    def test_few_sets_say_what_cannot_be_seen(self):
        assert any_with(
            told(rows(scores(2, (6, -8, 2, 0), sets=6)), "caution"),
            r"Only 6 matched sets of each domain were answered in full",
            r"reach \d+\.\d points to each side",
        )

    def test_low_coverage_names_domain_and_sets(self):
        some = rows([[None if n % 3 == 0 else one for one in values] for n, values in enumerate(scores(2, (0,) * 4))])
        assert any_with(
            told(some, "caution"), r"in race \(no persona\) only 67 % of 120 scores", "20 of 30 matched sets"
        )

    def test_a_group_that_gets_no_score_is_named(self):
        values = [[a, None if n % 2 else b, c, d] for n, (a, b, c, d) in enumerate(scores(2, (0,) * 4))]
        assert any_with(
            told(rows(values), "caution"), "50 % of the scores for Black came, and 100 % of those for White"
        )

    def test_scores_that_follow_no_file(self):
        rng = np.random.default_rng(9)
        assert any_with(
            told(rows(rng.normal(50, 5, (30, 4))), "caution"), "nothing shows that its scores follow the files"
        )

    def test_digits_that_are_hardly_considered_or_all_over_the_scale(self):
        texts = told(rows(scores(2, (0,) * 4), mass=0.2, spread=33.0), "caution")
        assert any_with(texts, "digits have 20 % of the first token")
        assert any_with(texts, r"standard deviation 33\.0 of 100 points")

    def test_a_persona_that_is_answered_less_often_than_the_baseline(self):
        some = enumerate(scores(5, (0, 0, 0, 0)))
        less = [[None, b, c, None if number % 2 else d] for number, (_, b, c, d) in some]
        assert any_with(
            told([*ALIKE, *rows(less, persona="manager")], "caution"),
            r"^m in the decisions study, as manager: 38 percentage points more items came to no answer than without",
        )


class TestMethods:
    def test_the_floor_is_explained(self):
        assert any_with(told(APART, "method"), "above 0 under pure noise", "compare excesses")
        assert any_with(told(APART, "method"), "differ in one line alone", "written for this project")
        assert not any_with(told(APART, "method"), "asked for a digit")
        assert any_with(told(rows(scores(2, (0,) * 4), mass=0.9), "method"), "asked for a digit")

    def test_the_published_procedure_says_what_it_leaves_out(self):
        assert any_with(told(APART, "method", "paper"), "section 4.3", "how much of it chance leaves")
        assert any_with(told(APART, scoring="paper"), r"the GBV is \d\.\d points", "neither how sure that is")


def test_without_an_answer_nothing_is_claimed():
    name = "sim/refuser?rate=1"
    texts = told(asked(name))
    assert texts == [
        f"{name}: none of the 290 items of the decisions study was answered, so nothing can be said of it."
    ]
    assert not any_with(told(asked(name), "caution"), "came to no answer|could be read")


def test_without_a_full_set_there_is_no_gbv_to_be_told():
    halves = rows([[50.0, None, 50.0, 50.0]] * 3)
    assert told(halves) == ["m: no GBV can be told: no domain has a matched set that was answered for every group."]


def test_no_sentence_calls_a_model_or_a_group_biased():
    for tone in ("finding", "caution", "method"):
        assert not any_with(
            told([*ALIKE, *rows(scores(5, (8, -8, 0, -4)), persona="manager")], tone), r"(?i)\bbiased|fair"
        )
