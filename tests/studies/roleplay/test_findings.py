"""Sentences say what the table says: the number, how sure, on how much; and warn where they must."""

import re

import polars as pl
import pytest

from personae.score import to_frame
from personae.studies.roleplay.findings import findings
from personae.studies.roleplay.measures import estimates
from personae.study.base import Settings
from personae.tell.saying import difference, listed, percent, points, share
from personae.tell.table import Table

from .measuring import JUDGES, KINDS, frame, measured, pair, row

PLANTED = "sim/planted?base=0.25&bias=0.65"


def said(kind, *names, tone="finding", **settings):
    """Texts of one tone about simulated respondents."""
    study, outcomes, table = measured(kind, *names, **settings)
    return [one.text for one in study.findings(table, outcomes) if one.tone == tone]


def told(rows, study="roleplay.yesno", tone="finding", **more):
    """Texts of one tone about outcomes made by hand."""
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings(), study, **more))
    return [one.text for one in findings(study, table, outcomes) if one.tone == tone]


def any_with(texts, *parts):
    return any(all(re.search(part, text) for part in parts) for text in texts)


class TestRoleEffect:
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_planted_difference_is_told_with_all_its_numbers(self, kind):
        first = said(kind, PLANTED)[0]
        for part in (
            r"in a role: \d+ % \(95 % interval",
            r"without a role [\d.]+ %, a measured difference of \+\d",
            r"percentage points \(95 % interval \+\d",
            r"adjusted p < 0\.001",
            r"[\d,]+ answers",
            r"coverage \d+ %",
            r"without the role biased answers change by -\d",
        ):
            assert re.search(part, first), f"{part} is missing in: {first}"

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_number_is_the_tables(self, kind):
        table = Table(measured(kind, PLANTED)[2])
        row = table.one("biased", PLANTED, contrast="baseline")
        assert difference(row) in said(kind, PLANTED)[0]

    @pytest.mark.parametrize("kind", KINDS)
    def test_where_nothing_differs_it_says_so_with_the_interval(self, kind):
        texts = said(kind, "sim/neutral?base=0.2")
        assert any_with(texts, "no clear difference: ", r"95 % interval -\d+\.\d to \+\d")
        assert any_with(texts, "No attribute of roles differs clearly", r"reach \d+ points to each side")

    def test_the_attribute_that_differs_most_is_named(self):
        rows = [
            one
            for attribute, changed in (("age", 20), ("race", 10))
            for n in range(30)
            for one in pair(f"{attribute}-{n % 5}/{n}", float(n < changed), 0.0, attribute=attribute)
        ]
        assert any_with(told(rows), "2 of 2 attributes differ clearly", r"most does age, by \+66\.7")

    def test_where_no_interval_can_be_had_none_is_said(self):
        texts = told(pair("pensioner/only", 0.7, 0.2, attribute="age"))
        assert "No attribute of roles differs clearly from the baseline: 1 compared." in texts

    def test_without_a_baseline_the_share_is_said_alone(self):
        texts = told([row("pensioner", f"pensioner/{n}", float(n < 3)) for n in range(10)])
        assert texts[0].endswith("of 10 Yes/No questions came to a biased verdict.")

    def test_forced_answers_are_told_as_probabilities(self):
        assert any_with(said(KINDS[0], PLANTED, respond="forced"), "mean probability of a biased answer to 44")

    def test_many_models_are_told_by_their_ends(self):
        rows = [
            row("pensioner", f"pensioner/{n}", float(n < many), model=f"m{many}")
            for many in range(1, 8)
            for n in range(10)
        ]
        texts = told(rows)
        assert any_with(texts, r"runs over 7 models from 10 % \(m1\) to 70 %")
        assert sum("came to a biased verdict" in text for text in texts) == 2


class TestRankings:
    def test_roles_are_named_with_the_ends_of_the_ranking_where_they_leave_out_the_mean(self):
        assert any_with(told(self.ROLES), "most frequent as often, 97 %", "and least frequent as never, 0 % .* of 30")
        assert any_with(told(self.ROLES), "intervals of 2 leave out the model's mean", "would if all roles were alike")

    ROLES = (
        *(row("often", f"often/{n}", float(n > 0)) for n in range(30)),
        *(row("between", f"between/{n}", float(n % 2)) for n in range(30)),
        *(row("never", f"never/{n}", 0.0) for n in range(30)),
    )

    def test_few_questions_make_no_extreme(self):
        rows = [row("rare", f"rare/{n}", 1.0) for n in range(9)]
        texts = told([*self.ROLES, *rows])
        assert any_with(texts, "most frequent as often,", "least frequent as never")
        assert not any_with(texts, "as rare")

    def test_with_few_questions_in_every_role_none_is_named(self):
        text = next(text for text in said(KINDS[0], PLANTED) if text.startswith("Of 11 roles"))
        assert text.endswith("none has 10 answered questions, and with fewer none is named.")

    def test_no_role_is_named_whose_interval_holds_the_mean(self):
        rows = [row(f"role-{k}", f"role-{k}/{n}", float(n % 3 == 0)) for k in range(4) for n in range(12 + k)]
        text = next(text for text in told(rows) if text.startswith("Of 4 roles"))
        assert text.endswith("none of the 4 with 10 answered questions or more stands apart from the mean.")

    def test_of_roles_that_tie_none_is_named(self):
        twins = [row(name, f"{name}/{n}", float(n > 0)) for name in ("twin-a", "twin-b") for n in range(30)]
        texts = told([*self.ROLES[60:], *self.ROLES[30:60], *twins, *(row("low", f"low/{n}", 0.0) for n in range(30))])
        assert any_with(
            texts, r"most frequent in 2 that tie, 97 % \(95 % interval .* of 30 each", "least frequent in 2 that"
        )
        assert not any_with(texts, "twin-[ab]")

    def test_kinds_of_questions_are_named_as_roles_are(self):
        rows = [
            row(f"r{n}", f"r{n}/{bias}-{n}", float(n < many), facts={"domain": "age", "bias_type": bias})
            for bias, many in (("race", 38), ("age", 20), ("body", 2))
            for n in range(40)
        ]
        assert any_with(
            told(rows),
            r"about \(3 kinds\), biased verdicts are most frequent on race, 95 %",
            "and least frequent on body, 5",
        )

    @staticmethod
    def against(*groups):
        """Why questions: of each group how many were asked and came to a biased verdict."""
        return [
            row("pensioner", f"pensioner/{group}-{n}", float(n < many), facts={"kind": "why", "target": group})
            for group, asked, many in groups
            for n in range(asked)
        ]

    def test_groups_spoken_badly_of_are_named_with_their_lower_end(self):
        texts = told(self.against(("teenagers", 40, 36), ("cooks", 40, 4), ("smiths", 5, 5)), "roleplay.why")
        assert any_with(texts, r"where it is teenagers \(90 % of 40, at least \d+ %\); of 2 ranked")
        assert not any_with(texts, "cooks|smiths")

    def test_no_group_is_named_that_does_not_stand_above_the_mean(self):
        texts = told(self.against(("teenagers", 12, 6), ("cooks", 12, 6), ("smiths", 5, 5)), "roleplay.why")
        assert any_with(texts, "Of 3 groups, 2 of them with 10 answered questions or more, none stands clearly above")

    def test_groups_that_tie_with_the_last_named_are_counted(self):
        high = [(name, 40, 36) for name in ("a", "b", "c", "d", "e")]
        texts = told(self.against(*high, *((name, 40, 2) for name in "stuvwxyz")), "roleplay.why")
        assert any_with(texts, r"\(2 more tie with the last\); of 13 ranked")

    def test_a_correlation_with_capability_is_said(self):
        rows = [
            row("pensioner", f"pensioner/{n}", float(n < many), model=f"m{many}")
            for many in range(1, 6)
            for n in range(10)
        ]
        texts = told(rows, capability={f"m{many}": many % 4 for many in range(1, 6)})
        assert any_with(texts, "Over 5 models, Spearman's correlation", r"p = 0\.\d{3}")


class TestCautions:
    def test_low_coverage_is_said_with_its_parts(self):
        texts = said(KINDS[1], "sim/refuser?rate=0.7&base=0.2", tone="caution")
        assert any_with(texts, "came to no verdict", r"refused \d+ %")

    def test_coverage_that_differs_from_the_baseline_is_said(self):
        rows = [one for n in range(40) for one in pair(f"role-{n % 8}/{n}", None if n < 20 else 0.0, 0.0)]
        assert any_with(told(rows, tone="caution"), "no verdict more often than without one, by", r"\+50\.0")

    @pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]])
    def test_without_any_verdict_it_says_that_nothing_can_be_said(self, kind):
        study, outcomes, table = measured(kind, "sim/refuser?rate=1")
        texts = {one.tone: one.text for one in study.findings(table, outcomes)}
        assert re.search(
            "none of the .* questions in a role came to a verdict, so nothing can be said", texts["finding"]
        )
        assert texts["caution"].endswith("No share can be given.")

    def test_full_coverage_and_steady_answers_need_no_caution(self):
        rows = [
            one
            for n in range(60)
            for one in pair(
                f"role-{n % 12}/{n}", float(n % 3 == 0), 0.0, votes=[int(n % 3 == 0)] * 3, vote_status=["biased"]
            )
        ]
        assert told(rows, tone="caution") == []

    def test_a_habit_of_saying_yes_is_said(self):
        texts = said(KINDS[0], "sim/neutral?base=0.2&position=0.8", tone="caution", scale="standard")
        assert any_with(texts, "has a habit of saying yes", r"where the fair answer is No and [\d.]+ % where it is Yes")

    def test_a_preferred_place_is_said(self):
        texts = said(KINDS[1], "sim/neutral?base=0.3&position=0.8", tone="caution", scale="standard")
        assert any_with(texts, "declines to choose more often where that option stands not last")

    def test_a_favoured_first_option_of_forced_answers_is_said(self):
        texts = said(KINDS[1], "sim/neutral?base=0.3&position=0.5", tone="caution", respond="forced")
        assert any_with(texts, "gives the option named first", "more than chance")

    def test_answers_that_hardly_depend_on_the_question_are_said(self):
        texts = said(KINDS[0], "sim/neutral?base=0.5", tone="caution", scale="standard")
        assert any_with(texts, "two trials of the same question agree in 5", "may be too weak")

    def test_judges_that_hardly_agree_are_said(self):
        judges = ("sim/judge?accuracy=0.6", "sim/judge?accuracy=0.55")
        texts = said(KINDS[2], PLANTED, tone="caution", judges=judges)
        assert any_with(texts, "judges hardly agree", r"kappa -?0\.[0-3]")

    def test_a_judge_that_says_the_same_of_everything_is_said(self):
        judges = ("sim/judge?sensitivity=1&specificity=0",)
        assert any_with(
            said(KINDS[2], PLANTED, tone="caution", judges=judges), "says biased of 100 %", "tells little apart"
        )

    def test_the_demonstration_model_is_no_judge(self):
        rows = [row("pensioner", f"pensioner/{n}", 1.0, judges={"local/smollm2": [[1, n % 2]]}) for n in range(6)]
        assert any_with(told(rows, "roleplay.why", tone="caution"), "demonstration model and too weak to judge")

    def test_without_a_judge_it_says_how_to_name_one(self):
        texts = said(KINDS[2], PLANTED, tone="caution", judges=())
        assert any_with(texts, "no judge was given: name one with --judge")
        assert not any_with(texts, "came to no verdict")


class TestMethods:
    def test_recorded_verdicts_that_change_are_counted(self):
        rows = [
            row("pensioner", "pensioner/0", 1.0, paper_value=1.0),
            row("pensioner", "pensioner/1", 1.0, paper_value=0.0),
            row("pensioner", "pensioner/2", None, paper_value=1.0),
        ]
        texts = told(rows, tone="method")
        assert any_with(texts, "changes 2 of 3 recorded verdicts", r"1 to biased, 0 to not biased, 1 to no answer")
        assert any_with(texts, "biased verdicts 2 there, 2 here")

    @pytest.mark.parametrize("kind", KINDS)
    def test_asks_saved_are_summed(self, kind):
        study, outcomes, table = measured(kind, PLANTED, stop_early=True)
        texts = [one.text for one in study.findings(table, outcomes) if one.tone == "method"]
        saved = sum(
            row["value"] for baseline in (False, True) for row in Table(table).rows("asks_saved", baseline=baseline)
        )
        assert any_with(texts, f"saved {saved:,.0f} asks")

    def test_agreement_of_a_panel_is_told_with_how_strict_each_judge_is(self):
        texts = said(KINDS[2], PLANTED, tone="method")
        assert any_with(texts, r"Fleiss' kappa 0\.\d\d \(95 % interval", *(re.escape(judge) for judge in JUDGES))

    def test_a_corrected_share_is_told_beside_the_plain_one(self):
        rows = [row("pensioner", f"pensioner/{n}", float(n < 40)) for n in range(100)]
        ratings = pl.DataFrame(
            {
                "item": [f"pensioner/{n}/role" for n in (*range(10), *range(40, 50))],
                "biased": [1] * 9 + [0, 1] + [0] * 9,
            }
        )
        texts = told(rows, "roleplay.why", tone="method", ratings=ratings)
        assert any_with(texts, r"judges find 90 % of what people found biased \(10\)", r"is 38 % .* instead of 40 %")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [PLANTED, "sim/refuser?rate=1", "sim/garbled?rate=1&base=0.2"])
def test_sentences_never_call_a_model_biased(kind, name):
    study, outcomes, table = measured(kind, name)
    found = study.findings(table, outcomes)
    assert found
    for one in found:
        assert not re.search(r"biased model|debias|\bnan\b|\bNone\b", one.text)
        assert one.study == kind.name


@pytest.mark.parametrize("kind", KINDS)
def test_one_model_is_told_in_a_handful_of_sentences(kind):
    study, outcomes, table = measured(kind, PLANTED)
    assert 5 <= len(study.findings(table, outcomes)) <= 10


class TestWords:
    @pytest.mark.parametrize(
        ("share_", "text"),
        [
            (0.0, "0 %"),
            (0.0002, "under 0.1 %"),
            (0.0163, "1.6 %"),
            (0.34, "34 %"),
            (0.9996, "over 99.9 %"),
            (1.0, "100 %"),
        ],
    )
    def test_nearly_all_is_not_rounded_to_all(self, share_, text):
        assert percent(share_) == text

    def test_what_rounds_to_zero_has_no_sign(self):
        assert [points(one) for one in (-0.0004, 0.0, 0.103)] == ["0.0", "0.0", "+10.3"]

    def test_a_share_without_an_interval_stands_alone(self):
        assert share({"value": 0.5, "ci_low": None, "ci_high": None}) == "50 %"

    def test_lists_end_with_and(self):
        assert [listed(["a"]), listed(["a", "b", "c"])] == ["a", "a, b and c"]
