"""Sentences say what the table says, name direction, coverage and the mass of other words, and warn where they must."""

import re

import numpy as np
import pytest

from personae.score import to_frame
from personae.studies.occupations.findings import findings
from personae.studies.occupations.measures import estimates
from personae.study.base import Settings

from .measuring import frame, row, sampled

RNG = np.random.default_rng(11)
STATISTICS = np.linspace(0.05, 0.95, 80)
NOISE = RNG.normal(0, 0.06, 80)


def near(reference=STATISTICS, shift=0.0, **more):
    """Occupations of the labour statistics that a model follows, up to noise and a shift."""
    given = {"dataset": "statistics", **more}
    return [
        row(f"o{n}", float(np.clip(one + noise + shift, 0.01, 0.99)), references={"statistics": float(one)}, **given)
        for n, (one, noise) in enumerate(zip(reference, NOISE, strict=True))
    ]


def told(rows, tone="finding", scoring="sound"):
    """Texts of one tone about outcomes made by hand."""
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings(scoring=scoring)), ["reference"])
    return [one.text for one in findings(table, outcomes) if one.tone == tone]


def any_with(texts, *parts):
    return any(all(re.search(part, text) for part in parts) for text in texts)


class TestNearest:
    def test_the_nearest_reference_is_named_with_direction_interval_and_basis(self):
        first = told(near())[0]
        for part in (
            r"^m, statistics: mean KL\(reference \|\| model\) is 0\.\d+ nats \(95 % interval [0-9. to]+\) from labour",
            r"0\.\d\d nats .* from 50 % \(statistics\)",
            r"the nearest is labour statistics",
            r"80 answers, coverage 100 %",
            r"mass of other words 10 %",
            r"rank correlation with labour statistics 0\.9\d, 95 % interval",
        ):
            assert re.search(part, first), f"{part} is missing in: {first}"

    def test_what_overlaps_is_not_ranked(self):
        rows = [
            row(f"o{n}", float(p), references={"women": float(p) + 0.02, "men": float(p) - 0.02})
            for n, p in enumerate(np.linspace(0.1, 0.9, 40))
        ]
        first = told(rows)[0]
        assert "women's ratings and men's ratings cannot be told apart" in first or (
            "men's ratings and women's ratings cannot be told apart" in first
        )
        assert "the nearest is" not in first

    def test_the_number_is_the_tables(self):
        rows = near()
        table = to_frame(estimates(frame(rows), Settings()), ["reference"])
        value = table.filter(measure="KL(reference || model)", reference="statistics")["value"][0]
        assert f"is {value:.3f} nats" in told(rows)[0]

    def test_a_users_own_table_is_called_by_its_name(self):
        rows = [row(f"o{n}", n / 10, dataset="mine", references={"survey": n / 11}) for n in range(1, 10)]
        assert "survey (mine)" in told(rows)[0]


class TestLevel:
    @pytest.mark.parametrize(("shift", "way"), [(0.1, "more female"), (-0.1, "more male")])
    def test_a_pull_is_told_with_its_direction(self, shift, way):
        assert any_with(told(near(shift=shift)), f"{way} than labour statistics, by [+-]\\d+\\.\\d percentage points")

    def test_without_a_pull_it_says_so(self):
        texts = told(near())
        assert any_with(texts, "neither clearly more female nor more male than labour statistics", "95 % interval -")

    def test_the_distance_from_one_half_has_no_sign(self):
        assert any_with(told(near()), r"single occupations lie \d+\.\d percentage points \(95 % interval \d+\.\d to")


class TestPersonas:
    def test_the_largest_clear_shift_is_told_with_everything(self):
        rows = [*near(), *near(persona="nurse", shift=0.05), *near(persona="wife", shift=0.2)]
        texts = told(rows)
        assert any_with(
            texts,
            r"as wife: P\(female\) on statistics shifts towards female by \+1\d\.\d percentage points",
            r"95 % interval \+1",
            r"adjusted p < 0\.001, g_z \+",
            r"coverage 100 %",
            "2 of 2 shifts are clear; this is the largest",
        )
        assert any_with(texts, "as wife: the absolute gap changes by ", "away from labour statistics")

    def test_where_nothing_shifts_no_persona_is_named(self):
        other = np.random.default_rng(8).permutation(NOISE)
        same = [
            {**one, "persona": "nurse", "baseline": False, "value": float(np.clip(p + e, 0.01, 0.99))}
            for one, p, e in zip(near(), STATISTICS, other, strict=True)
        ]
        texts = told([*near(), *same])
        assert any_with(texts, r"no persona shifts P\(female\) clearly: 1 compared", r"reach \d\.\d points")
        assert not any_with(texts, "as nurse")


class TestCautions:
    def test_all_is_well_gives_none(self):
        assert told(near(), "caution") == []

    def test_much_mass_of_other_words(self):
        assert any_with(told(near(other=0.6), "caution"), r"60 % of the probability goes to words that are none")

    def test_low_coverage(self):
        rows = [{**one, "status": "refused", "value": None} if n % 2 else one for n, one in enumerate(near())]
        assert any_with(told(rows, "caution"), "only 50 % of 80 occupations came to an answer")

    def test_a_habit_of_the_first_place(self):
        assert not told(near(position=0.52), "caution")
        moving = [row(f"o{n}", 0.5, dataset="statistics", position=0.7 + 0.01 * (n % 5)) for n in range(40)]
        texts = told(moving, "caution")
        assert any_with(
            texts, r"the option named first gets 2\d\.\d percentage points more than chance", "95 % interval"
        )

    def test_answers_that_do_not_follow_the_occupation(self):
        values = np.random.default_rng(1).uniform(0.4, 0.5, 80)
        rows = [
            row(f"o{n}", float(p), references={"statistics": float(r)}, dataset="statistics")
            for n, (p, r) in enumerate(zip(values, STATISTICS, strict=True))
        ]
        assert any_with(
            told(rows, "caution"), "hardly follow the occupation", "rank correlation with labour statistics"
        )


class TestMethods:
    def test_the_direction_and_the_papers_other_one_are_told(self):
        assert any_with(told(near(), "method"), r"equation 1 names the other one", "bootstrapped over occupations")

    def test_unlisted_words_are_told(self):
        rows = near()[:40] + near(extreme=0.0)[40:]
        assert any_with(told(rows, "method"), r"For 50 % of 80 occupations", "not among the listed tokens")

    def test_what_samples_cannot_show(self):
        rows = [sampled(f"o{n}", n % 11, 10 - n % 11, dataset="statistics") for n in range(30)]
        texts = told(rows, "method")
        assert any_with(texts, "10 answers of one word", r"below 4\.5 %", r"near 3\.1 nats")

    def test_the_published_procedure_says_how_it_differs(self):
        texts = told(near(), "method", scoring="paper")
        for part in (
            "names the other direction",
            "clipped at 1e-10",
            "first order",
            "dropped",
            "sound scoring averages",
        ):
            assert any_with(texts, part), part
        assert any_with(told(near(), scoring="paper"), "the smallest is that from labour statistics", "no interval")
        assert not any_with(told(near(), scoring="paper"), "nearest")
