"""Figures are complete as data: the report can draw them, they show the table's numbers, captions say on how much."""

import math
import re

import pytest

from personae.report.plot import prepare
from personae.score import to_frame
from personae.studies.roleplay.figures import figures
from personae.studies.roleplay.figures_parts import drawn_lines
from personae.studies.roleplay.measures import estimates
from personae.study.base import Settings
from personae.tell.table import Table

from .measuring import KINDS, frame, measured, row

ALWAYS = {"attributes", "bias-types", "role-effect", "roles"}
PLANTED = "sim/planted?base=0.2&bias=0.3"
MANY = (PLANTED, "sim/refuser?rate=0.3&base=0.2")


def drawn(kind, *names, **settings):
    """Figures of simulated respondents by the end of their id."""
    study, outcomes, table = measured(kind, *names, **settings)
    return {one.id.partition("-")[2]: one for one in study.figures(table, outcomes)}


def made(rows, study="roleplay.yesno"):
    """Figures of outcomes made by hand."""
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings(), study))
    return {one.id.partition("-")[2]: one for one in figures(study, table, outcomes)}


class TestWhichFigures:
    @pytest.mark.parametrize(
        ("kind", "own"),
        [(KINDS[0], {"polarity"}), (KINDS[1], {"place"}), (KINDS[2], {"judges"})],
    )
    def test_every_study_has_the_common_ones_and_its_own(self, kind, own):
        assert set(drawn(kind, PLANTED)) == ALWAYS | {"consistency", "outcomes"} | own

    @pytest.mark.parametrize("kind", KINDS[:2])
    def test_forced_answers_have_no_trials_to_draw(self, kind):
        assert not {"consistency", "outcomes", "place"} & set(drawn(kind, PLANTED, respond="forced"))

    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing_answered_still_draws(self, kind):
        for one in drawn(kind, "sim/refuser?rate=1").values():
            prepare(one)

    def test_recorded_answers_show_the_verdicts_that_change_and_whom_they_pick(self):
        facts = {"kind": "choice", "options": ["Men", "Women", "neither"], "undecided": 2}
        rows = [row("pensioner", f"pensioner/{n}", 1.0, facts=facts, picked="Men", paper_value=n % 2) for n in range(6)]
        found = made(rows, "roleplay.choice")
        assert {"changed", "picked"} <= set(found)
        assert "bias-types" not in found
        assert [one["group"] for one in found["picked"].rows] == ["Men", "Women"]

    def test_groups_spoken_badly_of_are_ranked_by_the_lower_end_of_their_interval(self):
        rows = [
            row("pensioner", f"{group}/{n}", float(n < biased), facts={"kind": "why", "target": group})
            for group, biased, asked in (("few", 5, 5), ("many", 38, 40), ("none", 0, 20))
            for n in range(asked)
        ]
        assert [one["group"] for one in made(rows, "roleplay.why")["against"].rows] == ["many", "few", "none"]

    def test_ids_tell_studies_apart(self):
        ids = [one.id for kind in KINDS for one in drawn(kind, PLANTED).values()]
        assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [(PLANTED,), MANY])
@pytest.mark.parametrize("respond", ["free", "forced"])
class TestEveryFigure:
    def test_the_report_can_draw_it(self, kind, names, respond):
        for one in drawn(kind, *names, respond=respond).values():
            assert prepare(one).rows
            assert one.study == kind.name

    def test_its_caption_says_on_how_many_answers(self, kind, names, respond):
        for one in drawn(kind, *names, respond=respond).values():
            assert re.search(r"\d answers", one.caption), one.caption

    def test_intervals_hold_their_value_and_nothing_is_nan(self, kind, names, respond):
        for one in drawn(kind, *names, respond=respond).values():
            for shown in one.rows:
                assert not any(isinstance(value, float) and math.isnan(value) for value in shown.values())
                if shown.get("low") is not None and "low" in one.encode:
                    value = shown[one.encode["x" if one.kind == "forest" else "y"]]
                    assert shown["low"] <= value <= shown["high"]

    def test_several_models_stand_apart_or_are_said_to_be_averaged(self, kind, names, respond):
        for one in drawn(kind, *names, respond=respond).values():
            assert len(names) == 1 or one.encode.get("facet") == "model" or "2 models" in one.caption


def test_the_map_of_attributes_shows_the_tables_numbers_with_and_without_a_role():
    table = Table(measured(KINDS[0], PLANTED)[2])
    shown = {(one["attribute"], one["condition"]): one["share"] for one in drawn(KINDS[0], PLANTED)["attributes"].rows}
    assert len(shown) == 22
    for baseline, condition in ((False, "in a role"), (True, "no role")):
        for one in table.rows("biased", "domain", baseline=baseline):
            assert shown[one["domain"], condition] == one["value"]


def test_the_map_of_bias_types_is_whole_and_blank_where_nothing_was_asked():
    one = drawn(KINDS[1], PLANTED)["bias-types"]
    places = [(shown["attribute"], shown["bias"]) for shown in one.rows]
    assert len(places) == len(set(places)) == 11 * len({bias for _, bias in places})
    assert any(shown.get("share") is None for shown in one.rows)


def test_the_effect_begins_with_all_attributes_and_goes_on_from_large_to_small():
    rows = drawn(KINDS[0], PLANTED, scale="standard")["role-effect"].rows
    assert rows[0]["attribute"] == "all attributes"
    values = [one["difference"] for one in rows[1:]]
    assert values == sorted(values, reverse=True)
    assert len(values) == 11


def test_the_ranking_shows_both_ends_of_many_roles():
    figure = drawn(KINDS[0], PLANTED, scale="standard")["roles"]
    assert len(figure.rows) == 40
    values = [one["share"] for one in figure.rows]
    assert values == sorted(values, reverse=True)
    assert "20 highest and lowest of 550" in figure.caption


def test_roles_of_the_same_name_are_told_apart_by_their_attribute():
    rows = [
        row("pensioner", f"{attribute}/pensioner/{n}", float(n < 3), attribute=attribute)
        for attribute in ("age", "social status")
        for n in range(6)
    ]
    assert {one["role"] for one in made(rows)["roles"].rows} == {"pensioner (age)", "pensioner (social status)"}


@pytest.mark.parametrize("name", ["consistency", "outcomes"])
def test_stacks_sum_to_one(name):
    rows = drawn(KINDS[1], *MANY)[name].rows
    bars = {(one["model"], one["condition"]) for one in rows}
    assert len(bars) == 4
    for bar in bars:
        assert sum(one["share"] for one in rows if (one["model"], one["condition"]) == bar) == pytest.approx(1.0)


def test_agreement_is_drawn_for_the_panel_and_for_each_judge():
    assert [one["judge"] for one in drawn(KINDS[2], PLANTED)["judges"].rows] == [
        "whole panel",
        "sim/judge?accuracy=0.95",
        "sim/judge?accuracy=0.9",
    ]


def test_agreement_of_one_judge_is_told_as_its_own():
    one = drawn(KINDS[2], PLANTED, judges=("sim/judge?accuracy=0.9",))["judges"]
    assert [shown["judge"] for shown in one.rows] == ["sim/judge?accuracy=0.9"]
    assert "The judge with itself." in one.caption
    assert "panel" not in one.caption
    assert ("Lines are" in one.caption) == any(shown["low"] is not None for shown in one.rows)


def test_lines_are_spoken_of_only_where_they_are_drawn():
    one = made([row("pensioner", f"pensioner/{n}", float(n < 3)) for n in range(10)])["roles"]
    assert ("Lines are" in one.caption) == any(shown["low"] is not None for shown in one.rows)
    assert drawn_lines([{"ci_low": None}]) == ""
    assert drawn_lines([{"ci_low": None}, {"ci_low": 0.1}]) == " Lines are 95 % intervals, clustered by role."


@pytest.mark.parametrize("stop_early", [True, False])
def test_what_single_answers_came_to_says_which_of_them_count(stop_early):
    caption = drawn(KINDS[0], PLANTED, stop_early=stop_early)["outcomes"].caption
    assert ("the first two of each question where asking stopped early" in caption) == stop_early
    assert ("What every single trial came to." in caption) != stop_early
    assert f"Each condition on {88 if stop_early else 132} answers" in caption


def test_the_axis_of_a_forest_plot_has_the_unit_of_the_numbers_beside_it():
    forests = [one for one in drawn(KINDS[0], PLANTED).values() if one.kind == "forest"]
    assert forests
    assert all(not one.options["format"].endswith("%") for one in forests)
