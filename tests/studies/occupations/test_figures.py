"""Figures carry the numbers of the table and of the answers, say their direction and basis, and can be drawn."""

from functools import cache

import numpy as np
import pytest

from personae.report.figures import write_figures
from personae.score import to_frame
from personae.studies.occupations.figures import figures
from personae.studies.occupations.figures_published import published
from personae.studies.occupations.measures import estimates
from personae.study.base import Settings

from .measuring import frame, row, sampled

ROWS = [(f"job {n}", 0.03 + 0.94 * n / 39) for n in range(40)]


def answered(model="m", persona=None, shift=0.0, **more):
    """Forty rated occupations and as many of the statistics; answers flatter than the references."""
    rows = []
    for dataset, names in (("ratings", ("women", "men")), ("statistics", ("statistics",))):
        for n, (name, reference) in enumerate(ROWS):
            value = 0.5 + 0.6 * (reference - 0.5) + 0.05 * ((n * 7) % 5 - 2) / 2 + shift
            rows.append(
                row(
                    name,
                    float(np.clip(value, 0.01, 0.99)),
                    model=model,
                    persona=persona,
                    dataset=dataset,
                    references=dict.fromkeys(names, reference),
                    position=0.6 + 0.01 * (n % 3),
                    **more,
                )
            )
    return rows


def drawn(rows, scoring="sound"):
    return full() if rows is FULL else made(rows, scoring)


@cache
def full():
    return made(FULL, "sound")


def made(rows, scoring):
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings(scoring=scoring)), ["reference"])
    return {one.id.removeprefix("gender-"): one for one in figures(table, outcomes)}


FULL = [*answered(), *answered(persona="nurse", shift=0.1), *answered(persona="wife", shift=-0.05)]


class TestWhatIsDrawn:
    def test_a_run_with_personas_has_every_figure(self):
        names = {"scatter", "divergence", "numbers", "calibration", "furthest", "shift", "moved", "other", "position"}
        assert set(drawn(FULL)) == names

    def test_without_personas_nothing_shifts(self):
        assert not {"shift", "moved"} & set(drawn(answered()))

    def test_the_published_procedure_has_its_numbers_and_no_others(self):
        found = drawn(answered(), scoring="paper")
        assert {"divergence", "numbers", "scatter"} <= set(found)
        assert not {"calibration", "other", "position"} & set(found)

    @pytest.mark.parametrize("rows", [FULL, [*answered(), *answered("other")]], ids=["personas", "models"])
    def test_all_can_be_written(self, tmp_path, rows):
        found = drawn(rows)
        write_figures(tuple(found.values()), tmp_path)
        written = {path.stem for path in tmp_path.iterdir()}
        assert written == {one.id for one in found.values()}

    def test_captions_say_the_basis_and_the_mass_of_other_words(self):
        for name, one in drawn(FULL).items():
            assert "answers" in one.caption, name
            assert "other words" in one.caption or name == "other", name
        assert "KL(reference || model)" in drawn(FULL)["divergence"].caption


class TestScatter:
    def test_every_occupation_stands_against_every_reference(self):
        one = drawn(FULL)["scatter"]
        assert {row["panel"] for row in one.rows} == {"women's ratings", "men's ratings", "labour statistics"}
        assert len(one.rows) == 120
        assert one.options["diagonal"]

    def test_those_furthest_from_the_diagonal_are_named(self):
        rows = [row for row in drawn(FULL)["scatter"].rows if row["panel"] == "labour statistics"]
        gaps = {row["occupation"]: abs(row["model"] - row["reference"]) for row in rows}
        labelled = [row["occupation"] for row in rows if row["label"]]
        assert labelled == sorted(gaps, key=gaps.get, reverse=True)[: len(labelled)]

    def test_sampled_answers_have_their_interval(self):
        rows = [sampled(f"o{n}", n, 10 - n, low=0.1, high=0.9) for n in range(11)]
        one = drawn(rows)["scatter"]
        assert (one.encode["low"], one.rows[0]["low"], one.rows[0]["high"]) == ("low", 0.1, 0.9)
        assert "low" not in drawn(answered())["scatter"].encode

    def test_several_models_have_panels_of_their_own(self):
        found = drawn([*answered(), *answered("other")])["scatter"]
        assert "women's ratings, other" in {row["panel"] for row in found.rows}


class TestPublished:
    def test_there_are_five_models_against_five_references(self):
        assert len(published()) == 25
        assert {(row["dataset"], row["reference"]) for row in published()} == {
            ("ratings", "women"),
            ("ratings", "men"),
            ("ratings", "half"),
            ("statistics", "statistics"),
            ("statistics", "half"),
        }

    def test_they_stand_below_ones_own_and_are_marked(self):
        rows = drawn(FULL)["divergence"].rows
        assert [row["origin"] for row in rows] == [None] * 5 + ["published"] * 25
        value = {(row["model"], row["reference"]): row["KL"] for row in rows}
        assert value["gpt-4o (published)", "labour statistics"] == 0.348863

    def test_the_table_has_median_spread_and_interval(self):
        one = drawn(FULL)["numbers"]
        mine = one.rows[0]
        assert mine["low"] <= mine["mean"] <= mine["high"]
        assert (mine["n"], mine["origin"]) == (40, None)
        theirs = next(row for row in one.rows if row["model"] == "gpt-4" and row["reference"] == "labour statistics")
        assert (theirs["mean"], theirs["median"], theirs["SD"]) == (0.918617, 0.495961, 1.208165)
        assert set(one.encode.values()) <= {name for row in one.rows for name in row}

    def test_beside_a_users_own_table_there_are_none(self):
        rows = [row(f"o{n}", n / 10, dataset="mine", references={"survey": n / 11}) for n in range(1, 10)]
        found = drawn(rows)
        assert {row["origin"] for name in ("divergence", "numbers") for row in found[name].rows} == {None}
        assert "published" not in found["divergence"].caption


class TestRankings:
    def test_the_furthest_are_ordered_from_more_female_to_more_male(self):
        rows = [row for row in drawn(FULL)["furthest"].rows if row["panel"] == "statistics"]
        values = [row["difference"] for row in rows]
        assert values == sorted(values, reverse=True)
        assert values[0] > 0 > values[-1]

    def test_of_each_persona_the_ones_that_move_most(self):
        rows = answered() + [
            {**one, "value": one["value"] + (0.3 if one["stimulus"] == "ratings:job 5" else 0.01)}
            for one in answered(persona="nurse")
        ]
        first = drawn(rows)["moved"].rows[0]
        assert (first["panel"], first["occupation"], first["shift"]) == ("as nurse", "job 5", pytest.approx(0.3))

    def test_the_same_name_in_two_datasets_is_told_apart(self):
        rows = answered() + [
            {**one, "value": one["value"] + (0.3 if one["stimulus"].endswith("job 5") else 0.0)}
            for one in answered(persona="nurse")
        ]
        assert [row["occupation"] for row in drawn(rows)["moved"].rows] == ["job 5 (ratings)", "job 5 (statistics)"]

    def test_what_does_not_move_is_not_ranked(self):
        assert "moved" not in drawn([*answered(), *answered(persona="nurse")])

    def test_shifts_are_the_tables(self):
        rows = drawn(FULL)["shift"].rows
        found = {(row["condition"], row["dataset"]): row["shift"] for row in rows}
        assert found["nurse", "ratings"] == pytest.approx(0.1, abs=0.01)
        assert found["wife", "statistics"] == pytest.approx(-0.05, abs=0.01)


class TestCalibration:
    def test_the_curve_runs_over_the_mean_reference_of_each_tenth(self):
        rows = [row for row in drawn(answered())["calibration"].rows if row["panel"] == "labour statistics"]
        assert len(rows) == 10
        places = [row["reference"] for row in rows]
        assert places == sorted(places)
        assert places[0] == pytest.approx(np.mean([p for _, p in ROWS if p < 0.1]))
        assert rows[0]["P(female)"] > rows[0]["reference"]
        assert rows[-1]["P(female)"] < rows[-1]["reference"]
