"""Measures of votes and verdicts: whether trials and judges agree, and what the released answers come to."""

import csv
import math
import tarfile

import polars as pl
import pytest

from personae.errors import BadInput
from personae.stats.agreement import fleiss_kappa
from personae.studies.roleplay import Choice, Why, YesNo
from personae.studies.roleplay.measures import estimates
from personae.study.base import Settings

from .measuring import found, measured, only, questions, recorded, row

TRIALS = [[1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 0, 0], [1, None, 1]]


class TestTrials:
    def test_consistency_is_that_of_questions_with_three_verdicts(self):
        rows = [row("pensioner", f"pensioner/{n}", 1.0, votes=votes) for n, votes in enumerate(TRIALS)]
        table = found(rows)
        shares = {
            level: only(table, "consistency", level=level) for level in ("consistent", "two biased", "one biased")
        }
        assert {level: one.value for level, one in shares.items()} == {
            "consistent": 0.5,
            "two biased": 0.25,
            "one biased": 0.25,
        }
        assert shares["consistent"].coverage == 0.8

    def test_where_asking_stopped_early_only_the_first_two_trials_are_compared(self):
        votes = [[1, 1], [0, 0], [1, 0, 0], [0, 1, 1]]
        table = found([row("pensioner", f"pensioner/{n}", 1.0, votes=one) for n, one in enumerate(votes)])
        one = only(table, "consistency", level="consistent")
        assert math.isnan(one.value)
        assert "first two differ" in one.reason
        assert only(table, "trial_agreement").value == 0.5

    @pytest.mark.parametrize("kind", [YesNo, Choice, Why])
    def test_stopping_early_changes_neither_agreement_nor_outcomes_of_trials_nor_judges(self, kind):
        names = ("sim/planted?base=0.3&bias=0.2",)
        whole, early = (measured(kind, *names, stop_early=stop)[2] for stop in (False, True))
        for measure in ("biased", "biased_count", "trial_agreement"):
            one, other = (table.filter(pl.col("measure") == measure).drop("p_adjusted") for table in (whole, early))
            assert one.equals(other)

    def test_outcomes_of_trials_are_named_and_sum_to_one(self):
        named = [["biased", "refusal", "hedge"], ["unbiased", "unbiased", "refusal"]]
        rows = [
            row("pensioner", f"pensioner/{n}", 0.0, votes=[0, None, None], vote_status=one)
            for n, one in enumerate(named)
        ]
        values = {one.cell["level"]: one.value for one in found(rows) if one.measure == "vote_outcome"}
        assert values == pytest.approx({"biased": 1 / 6, "unbiased": 2 / 6, "refusal": 2 / 6, "hedge": 1 / 6})

    def test_asks_saved_are_summed_by_trials_and_judge_calls(self):
        rows = [
            row("pensioner", f"pensioner/{n}", 0.0, votes=[0, 0], asks_saved=1, judge_asks_saved=2) for n in range(3)
        ]
        table = found(rows)
        assert [only(table, "asks_saved", **cell).value for cell in ({}, {"level": "trials"})] == [9.0, 3.0]

    def test_forced_answers_have_no_trials(self):
        assert not {one.measure for one in found(questions([0.3, 0.4]))} & {"consistency", "trial_agreement"}


CALLS = [[1, 1, 1], [0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]


class TestJudges:
    def rows(self, votes, **more):
        return [
            row("pensioner", f"pensioner/{n}", 1.0, votes=[1, 1, 1], judges={"j": [one, [], []]}, **more)
            for n, one in enumerate(votes)
        ]

    def test_agreement_is_fleiss_kappa_over_votes_on_an_answer(self):
        one = only(found(self.rows(CALLS), "roleplay.why"), "judge_kappa")
        expected = fleiss_kappa([[3 - sum(votes), sum(votes)] for votes in CALLS])
        assert (one.value, one.n, one.coverage) == (pytest.approx(expected.value), 6, 1.0)
        assert (one.ci_low, one.ci_high) == (pytest.approx(expected.ci_low), pytest.approx(expected.ci_high))

    def test_third_votes_asked_only_where_two_differ_are_left_out(self):
        early = [votes[:2] if votes[0] == votes[1] else votes for votes in CALLS]
        one = only(found(self.rows(early), "roleplay.why"), "judge_kappa")
        expected = fleiss_kappa([[2 - sum(votes[:2]), sum(votes[:2])] for votes in CALLS])
        assert one.value == pytest.approx(expected.value)

    def test_answers_with_an_unread_vote_are_not_covered(self):
        one = only(found(self.rows([*CALLS, [1, None, 1]]), "roleplay.why"), "judge_kappa")
        assert (one.n, one.coverage) == (6, pytest.approx(6 / 7))

    def test_each_judge_of_a_panel_is_seen_alone(self):
        rows = [
            row("pensioner", f"pensioner/{n}", 1.0, votes=[1, 1, 1], judges={"a": [votes], "b": [[0, 1, 0]]})
            for n, votes in enumerate(CALLS)
        ]
        table = found(rows, "roleplay.why")
        alone = fleiss_kappa([[3 - sum(votes), sum(votes)] for votes in CALLS])
        assert only(table, "judge_kappa", level="a").value == pytest.approx(alone.value)
        assert only(table, "judge_kappa").value < alone.value
        assert only(table, "judge_biased", level="b").value == pytest.approx(1 / 3)

    def test_one_call_says_nothing_of_agreement(self):
        one = only(found(self.rows([[1], [0]]), "roleplay.why"), "judge_kappa")
        assert math.isnan(one.value)
        assert one.reason == "no answer was judged twice or more"


class TestRatings:
    def rows(self):
        """100 questions: 40 flagged; people rated 20 of them."""
        return questions([1.0] * 40 + [0.0] * 60)

    def ratings(self, **columns):
        flagged = [f"pensioner/{n}/role" for n in range(10)]
        cleared = [f"pensioner/{n}/role" for n in range(40, 50)]
        human = [1] * 9 + [0] + [1] + [0] * 9
        return pl.DataFrame({"item": flagged + cleared, "biased": human, **columns})

    def test_the_share_is_corrected_for_misses_and_false_alarms(self):
        table = found(self.rows(), "roleplay.why", ratings=self.ratings())
        assert only(table, "judge_sensitivity", model=None).value == 0.9
        assert only(table, "judge_specificity", model=None).value == 0.9
        one = only(table, "biased_corrected")
        assert one.value == pytest.approx((0.4 + 0.9 - 1) / 0.8)
        assert one.ci_low < one.value < one.ci_high

    def test_ratings_of_another_model_do_not_count(self):
        table = found(self.rows(), "roleplay.why", ratings=self.ratings(model=["other"] * 20))
        assert math.isnan(only(table, "biased_corrected").value)

    @pytest.mark.parametrize(
        ("ratings", "said"),
        [
            (pl.DataFrame({"item": ["a"], "verdict": [1]}), "the columns biased too"),
            (pl.DataFrame({"item": ["a"], "biased": [2]}), "neither 0 nor 1"),
            (pl.DataFrame({"item": ["a"], "biased": [None]}), "neither 0 nor 1"),
        ],
    )
    def test_what_is_no_rating_is_refused(self, ratings, said):
        with pytest.raises(BadInput, match=said):
            found(self.rows(), "roleplay.why", ratings=ratings)


RECORDED = [
    row("pensioner", "pensioner/0", 1.0, paper_value=1.0),
    row("pensioner", "pensioner/1", 1.0, paper_value=0.0),
    row("pensioner", "pensioner/2", 0.0, paper_value=1.0),
    row("pensioner", "pensioner/3", None, paper_value=0.0),
]


class TestRecorded:
    def test_changed_verdicts_are_told_by_what_they_become(self):
        table = found(RECORDED)
        values = {
            one.cell["level"]: one.value for one in table if one.measure == "verdict_changed" and len(one.cell) == 1
        }
        assert values == {"any": 0.75, "to biased": 0.25, "to not biased": 0.25, "to no answer": 0.25}
        assert only(table, "paper_count").value == only(table, "biased_count").value == 2.0

    def test_as_the_paper_counted_nothing_changes(self):
        assert not [one for one in found(RECORDED, scoring="paper") if one.measure == "verdict_changed"]


@pytest.fixture(scope="module")
def released(reference, tmp_path_factory):
    """Estimates of the released answers, counted as the paper did."""
    folder = tmp_path_factory.mktemp("biaslens")
    with tarfile.open(reference / "biaslens" / "biaslens-answers.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    settings = Settings(scoring="paper")
    return {name: estimates(one, settings, name) for name, one in recorded(folder, scoring="paper").items()}


STUDIES = {"Yes/No": "roleplay.yesno", "Choice": "roleplay.choice", "Why": "roleplay.why"}
ATTRIBUTES = {"Occupations": "occupation", "Social": "social status", "Victim": "victimhood"}


@pytest.mark.reference
@pytest.mark.slow
class TestReleasedAnswers:
    @pytest.mark.parametrize(
        ("table", "model", "cell"),
        [
            ("table2", "gpt4omini", {}),
            ("table2", "llama3_8b", {}),
            ("table3", "gpt4omini", {"persona": "baseline"}),
        ],
    )
    def test_counts_are_those_of_the_papers_tables(self, released, reference, table, model, cell):
        with (reference / "biaslens" / f"{table}.csv").open() as lines:
            printed = list(csv.DictReader(lines))
        assert len(printed) == 12
        for line in printed:
            name = line["Attribute"]
            place = {} if name == "Total" else {"domain": ATTRIBUTES.get(name, name.lower())}
            for kind, study in STUDIES.items():
                one = only(released[study], "biased_count", model=model, **place, **cell)
                assert one.value == int(line[f"{model}_{kind}"]), (name, kind)

    @pytest.mark.parametrize("model", ["gpt4omini", "llama3_8b"])
    @pytest.mark.parametrize(("kind", "study"), [("Yes/No", "roleplay.yesno"), ("Wh", "roleplay.why")])
    def test_consistency_is_that_of_table_5(self, released, reference, model, kind, study):
        # The Choice columns of that table do not follow from the rule behind tables 2 and 3.
        with (reference / "biaslens" / "table5.csv").open() as lines:
            line = next(one for one in csv.DictReader(lines) if one["Model"] == model)
        levels = {"Consistent": "consistent", "Two Biased": "two biased", "One Biased": "one biased"}
        for column, level in levels.items():
            one = only(released[study], "consistency", model=model, level=level)
            assert f"{100 * one.value:.1f}%" == line[f"{kind} {column}"]
