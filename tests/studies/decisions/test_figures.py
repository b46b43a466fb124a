"""Figures carry the numbers of the table and of the answers, say what they rest on, and can be drawn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from personae.report.figures import write_figures
from personae.score import to_frame
from personae.studies.decisions.bank import DOMAINS
from personae.studies.decisions.figures import MOST_SCORES, figures
from personae.studies.decisions.measures import estimates
from personae.study.base import Settings

from .measuring import asked, frame, table

PLANTED = "sim/planted?base=0.05&bias=0.15&follow=0.3"


def drawn(outcomes, scoring="sound"):
    made = to_frame(estimates(outcomes, Settings(scoring=scoring)))
    return {one.id.removeprefix("decisions-"): one for one in figures(made, outcomes)}


@cache
def full():
    return drawn(asked(PLANTED))


def values(figure, name):
    return [one[name] for one in figure.rows]


def test_a_run_with_a_persona_has_every_figure():
    assert list(full()) == ["gbv", "numbers", "means", "standing", "changes", "scores"]


def test_every_gbv_stands_beside_what_chance_leaves():
    rows = full()["gbv"].rows
    for labels in ("as they are", "shuffled"):
        mine = [one for one in rows if one["labels"] == labels]
        assert len(mine) == 2 * (len(DOMAINS) + 1)
        assert all(one["low"] <= one["GBV"] <= one["high"] for one in mine)
    assert "Only what lies beyond that says something of groups" in full()["gbv"].caption


def test_the_table_holds_floor_excess_and_p():
    for one in full()["numbers"].rows:
        assert one["excess"] == pytest.approx(one["GBV"] - one["floor"])
        assert 0 < one["p"] <= one["adjusted p"] <= 1


def test_domains_stand_in_the_order_of_the_paper():
    assert list(dict.fromkeys(values(full()["gbv"], "domain")))[:3] == ["Race", "Gender", "Socioeconomic status"]
    assert values(full()["gbv"], "domain")[-1] == "all domains"


def test_mean_scores_have_a_panel_for_each_domain_and_say_where_more_is_worse():
    figure = full()["means"]
    assert len(set(values(figure, "domain"))) == 9
    assert len(figure.rows) == 2 * 29
    assert set(values(figure, "condition")) == {"no persona", "cautious manager"}
    assert "In Disability a higher score is worse" in figure.caption


def test_the_heat_map_shows_every_group_under_every_condition():
    figure = full()["standing"]
    assert len(figure.rows) == 2 * 29
    low = [one["difference"] for one in figure.rows if one["group"] == "Low Income (Socioeconomic status)"]
    assert low[1] < 0
    assert figure.options["midpoint"] == 0


def test_changes_are_those_of_the_table():
    outcomes = asked(PLANTED)
    made = to_frame(estimates(outcomes, Settings()))
    average = made.filter(measure="AGBV", contrast="baseline")["value"][0]
    assert full()["changes"].rows[-1]["change of GBV"] == pytest.approx(average)


def test_single_scores_are_drawn_and_cut_with_a_word():
    assert len(full()["scores"].rows) == 290
    rng = np.random.default_rng(1)
    many = drawn(frame(table(rng.uniform(0, 100, (300, 2)))))["scores"]
    assert len(many.rows) == MOST_SCORES
    assert f"{MOST_SCORES} of them" in many.caption
    assert "of them" not in full()["scores"].caption


def test_several_models_are_told_apart():
    rng = np.random.default_rng(2)
    some = [*table(rng.normal(50, 9, (8, 2))), *table(rng.normal(60, 9, (8, 2)), model="n")]
    figure = drawn(frame(some))["means"]
    assert set(values(figure, "condition")) == {"m, no persona", "n, no persona"}
    assert figure.encode["colour"] == "condition"


def test_without_an_answer_that_alone_is_drawn():
    (figure,) = drawn(asked("sim/refuser?rate=1")).values()
    assert {(one["persona"], one["status"], one["share"]) for one in figure.rows} == {
        ("baseline", "refused", 1.0),
        ("cautious manager", "refused", 1.0),
    }


def test_the_published_procedure_draws_no_floor():
    some = drawn(asked(PLANTED), "paper")
    assert list(some) == ["gbv", "numbers", "scores"]
    assert "colour" not in some["gbv"].encode
    assert "does not say what chance leaves" in some["gbv"].caption


def test_all_of_them_can_be_drawn(tmp_path):
    write_figures(list(full().values()), tmp_path)
    drawn_files = {path.name for path in tmp_path.iterdir()}
    assert {f"decisions-{name}.svg" for name in full() if name != "numbers"} <= drawn_files
    assert "decisions-numbers.csv" in drawn_files


def test_of_many_conditions_the_first_are_shown_and_it_is_said():
    rng = np.random.default_rng(3)
    some = table(rng.normal(50, 9, (5, 2)))
    for number in range(14):
        some += table(rng.normal(50, 9, (5, 2)), persona=f"p{number:02d}")
    figures_ = drawn(frame(some))
    for name, column, most in (("means", "condition", 6), ("standing", "condition", 12), ("changes", "panel", 6)):
        assert len(set(values(figures_[name], column))) == most
        assert f"The first {most} of 1" in figures_[name].caption
    assert len(figures_["numbers"].rows) == 2 * 15
    assert len({one["condition"] for one in figures_["scores"].rows}) == 6
