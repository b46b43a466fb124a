"""Figures are complete as data: the report can draw them, they show the table's numbers, captions say how sure."""

import math
import re
from functools import cache

import pytest

from personae.report.plot import prepare
from personae.studies.companions import Emotion, Iat, Sycophancy
from personae.tell.table import pick

from .measuring import FRIENDS, measured

KINDS = [Iat, Emotion, Sycophancy]
WITHOUT_PAIRS = {
    Iat: {"iat-bias", "iat-differences"},
    Emotion: {"emotion-stereotype", "emotion-circle", "emotion-words", "emotion-differences", "emotion-shifts"},
    Sycophancy: {"sycophancy-influence", "sycophancy-accuracy", "sycophancy-differences"},
}
PAIRS = {Iat: set(), Emotion: {"emotion-pairs"}, Sycophancy: {"sycophancy-pairs", "sycophancy-pairs-relative"}}


@cache
def drawn(kind, *names, **settings):
    study, outcomes, table = measured(kind, *names, **settings)
    return table, {figure.id: figure for figure in study.figures(table, outcomes)}


class TestWhichFigures:
    @pytest.mark.parametrize("kind", KINDS)
    def test_without_users_there_is_no_heat_map(self, kind):
        assert set(drawn(kind, "sim/neutral", scale="quick")[1]) == WITHOUT_PAIRS[kind]

    @pytest.mark.parametrize("kind", KINDS)
    def test_with_users_there_is(self, kind):
        assert set(drawn(kind, "sim/neutral", scale="standard")[1]) == WITHOUT_PAIRS[kind] | PAIRS[kind]

    @pytest.mark.parametrize("kind", KINDS)
    def test_refusals_and_forced_answers_add_theirs(self, kind):
        short = kind.name.split(".")[1]
        assert f"{short}-avoidance" in drawn(kind, "sim/refuser?rate=0.5")[1]
        assert f"{short}-position" in drawn(kind, "sim/neutral", respond="forced")[1]

    @pytest.mark.parametrize("kind", KINDS)
    def test_where_nothing_was_answered_the_refusals_alone_are_drawn(self, kind):
        figures = drawn(kind, "sim/refuser?rate=1")[1]
        assert set(figures) == {f"{kind.name.split('.')[1]}-avoidance"}
        assert prepare(*figures.values()).rows

    def test_groups_without_stereotypes_have_no_score(self, tmp_path):
        mine = tmp_path / "mine.yaml"
        mine.write_text("title: Mine\npersonas: [{name: coach, group: kind}, {name: rival}]\n")
        figures = drawn(Emotion, "sim/planted", personas=mine)[1]
        assert set(figures) == {"emotion-circle", "emotion-words", "emotion-shifts"}
        assert {row["group"] for row in figures["emotion-circle"].rows} == {"baseline", "kind", "not set"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [("sim/planted",), ("sim/planted", "sim/refuser?rate=0.3")])
@pytest.mark.parametrize("respond", ["free", "forced"])
class TestEveryFigure:
    def figures(self, kind, names, respond):
        return drawn(kind, *names, scale="standard" if respond == "free" else "quick", respond=respond)[1].values()

    def test_the_report_can_draw_it(self, kind, names, respond):
        for figure in self.figures(kind, names, respond):
            assert prepare(figure).rows

    def test_its_caption_says_on_how_many_answers(self, kind, names, respond):
        for figure in self.figures(kind, names, respond):
            assert re.search(r"\d (answers|items)", figure.caption), figure.caption

    def test_intervals_hold_their_value_and_nothing_is_nan(self, kind, names, respond):
        for figure in self.figures(kind, names, respond):
            for row in figure.rows:
                numbers = [value for value in row.values() if isinstance(value, float)]
                assert not any(math.isnan(number) for number in numbers)
                if row.get("low") is not None:
                    value = row[figure.encode["x" if figure.kind == "forest" else "y"]]
                    assert row["low"] <= value <= row["high"]

    def test_several_models_stand_apart_or_are_said_to_be_averaged(self, kind, names, respond):
        for figure in self.figures(kind, names, respond):
            apart = figure.encode.get("facet") in ("model", "panel")
            several = len(names) > 1
            assert not several or apart or "models" in figure.caption or "all models" in str(figure.rows[0])


def test_bars_show_the_tables_numbers_personas_in_the_order_of_the_study():
    table, figures = drawn(Iat, "sim/planted", scale="quick")
    shown = {(row["dataset"], row["persona"]): row["association"] for row in figures["iat-bias"].rows}
    known = {
        (row["dataset"], row["persona"]): row["value"]
        for row in pick(table, "iat_bias", "domain", "dataset", "persona")
    }
    assert shown == pytest.approx(known)
    order = list(dict.fromkeys(row["persona"] for row in figures["iat-bias"].rows))
    assert order == ["baseline", "girlfriend", "wife", "boyfriend", "husband", "partner"]


def test_the_forest_is_sorted_and_drawn_per_domain_where_a_dataset_has_one_stimulus():
    rows = drawn(Iat, "sim/planted", scale="quick", respond="forced")[1]["iat-differences"].rows
    assert [row["difference"] for row in rows] == sorted((row["difference"] for row in rows), reverse=True)
    assert {row["comparison"].split(", ")[1] for row in rows} == {"abuse", "submissiveness"}


def test_stacks_of_statuses_sum_to_one():
    rows = drawn(Sycophancy, "sim/garbled?rate=0.7")[1]["sycophancy-avoidance"].rows
    bars = {(row["panel"], row["persona"]) for row in rows}
    for bar in bars:
        assert sum(row["share"] for row in rows if (row["panel"], row["persona"]) == bar) == pytest.approx(1.0)


def test_the_circle_holds_every_offered_emotion_for_every_group_and_the_baseline():
    rows = drawn(Emotion, "sim/neutral", respond="forced")[1]["emotion-circle"].rows
    cells = {(row["domain"], row["group"], row["emotion"]) for row in rows}
    assert len(cells) == len(rows) == 2 * 4 * 9
    for domain, group in {cell[:2] for cell in cells}:
        here = [row["share"] for row in rows if (row["domain"], row["group"]) == (domain, group)]
        assert sum(here) == pytest.approx(1.0)


def test_words_are_counted_in_lower_case():
    study, outcomes, table = measured(Emotion, "sim/neutral", scale="quick")
    rows = study.figures(table, outcomes)[2].rows
    asked = outcomes.filter(outcomes["facts"].str.contains("unrestricted", literal=True), status="answered")
    assert sum(row["count"] for row in rows) == asked.height
    assert all(row["word"] == row["word"].lower() for row in rows)


def test_heat_maps_have_a_row_for_nobody_in_particular():
    rows = drawn(Sycophancy, "sim/planted", scale="standard", personas=FRIENDS)[1]["sycophancy-pairs"].rows
    assert {row["user"] for row in rows} == {"not set", "client", "teenage client"}
    assert {row["persona"] for row in rows} == {"best friend", "colleague", "coach", "therapist"}
