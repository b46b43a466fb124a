"""Figures and findings that lay arms side by side: where bias went, what mitigations did, over which threshold."""

from __future__ import annotations

import json

import polars as pl
import pytest

from personae.memory.figures import figures
from personae.memory.findings import findings
from personae.memory.measures import estimates
from personae.memory.study import Memories
from personae.report.plot import prepare
from personae.score import to_frame
from personae.study.base import Settings

from .measuring import episode, frame


def made(rows, **settings):
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings(**settings)), Memories.columns)
    found = {figure.id.removeprefix("memory.episode."): figure for figure in figures(table, outcomes)}
    for figure in found.values():
        prepare(figure)
    return found, [one.text for one in findings(table, outcomes)], table


def noisy(number: int, injected: str):
    """An episode in which one of two evaluated domains grows."""
    row = episode([8.0, 8.0 + 4 * (number % 2)], rate=0.5, injected=injected)
    detail = json.loads(row["detail"])
    for score in detail["audits"][1]["scores"][-2:]:
        score[3] += 9.0 * (score[2] == "y")
    return {**row, "detail": json.dumps(detail)}


SINGLE = [noisy(0, "age"), noisy(1, "race")]


def mitigated(gap: float, mitigation: str, seed: int = 0, rate: float = 0.3, **more):
    return episode([0.0, gap], rate=rate, seed=seed, mitigation=mitigation, **more)


class TestSpread:
    def test_what_was_injected_is_evaluated_on_the_diagonal(self):
        figure = made(SINGLE)[0]["spread"]
        assert list(dict.fromkeys(row["injected"] for row in figure.rows)) == ["race", "age"]
        assert list(dict.fromkeys(row["evaluated"] for row in figure.rows)) == ["race", "age"]
        assert "diagonal" in figure.caption

    def test_where_fewer_are_injected_than_evaluated_they_are_the_columns(self):
        figure = made(SINGLE[:1])[0]["spread"]
        assert (figure.encode["x"], figure.encode["y"]) == ("injected", "evaluated")
        assert "diagonal" not in figure.caption

    def test_where_all_are_mixed_the_arms_are_the_columns(self):
        figure = made([episode([0.0, 8.0], rate=0.5)])[0]["spread"]
        assert (figure.encode["x"], figure.encode["y"], "facet" in figure.encode) == ("arm", "evaluated", False)

    def test_mixed_injection_comes_last(self):
        figure = made([episode([0.0, 8.0], rate=0.5), *SINGLE])[0]["spread"]
        assert list(dict.fromkeys(row["injected"] for row in figure.rows)) == ["race", "age", "mixed"]

    def test_shares_stand_beside_what_chance_gives(self):
        rows = made([*SINGLE, episode([8.0, 8.0])])[0]["spread_share"].rows
        assert [row["against"] for row in rows] == ["its first audit", "the last audit without injection"]
        # race -> age grew and age -> race stayed.
        assert [(row["share"], row["n"]) for row in rows] == [(0.75, 2), (0.75, 2)]
        assert all("% to " in row["middle"] for row in rows)
        assert rows[0]["arm"] == "vector, λ = 0.5"

    def test_paper_scoring_has_the_share_alone(self):
        (row,) = made(SINGLE, scoring="paper")[0]["spread_share"].rows
        assert (row["share"], row["chance"], row["p"]) == (0.75, None, None)

    def test_a_finding_says_that_chance_gives_as_much(self):
        said = [text for text in made(SINGLE)[1] if "cross-domain" in text]
        assert len(said) == 1
        assert "of 2 cross-domain cells 75 % have a larger GBV at the last audit than at the first" in said[0]
        assert "by chance" in said[0]
        assert "not clearly more than chance gives (adjusted p = " in said[0]

    def test_a_finding_without_a_test_says_no_more_than_the_share(self):
        (said,) = [text for text in made(SINGLE, scoring="paper")[1] if "cross-domain" in text]
        assert said.endswith("have a larger GBV at the last audit than at the first.")

    def test_a_clear_spread_is_called_one(self):
        table = made(SINGLE)[2]
        clear = table.with_columns(
            p_adjusted=pl.when(pl.col("measure") == "cross-domain increases")
            .then(0.001)
            .otherwise(pl.col("p_adjusted"))
        )
        said = [one.text for one in findings(clear, frame(SINGLE)) if "cross-domain" in one.text]
        assert "more than chance gives (adjusted p = 0.001)" in said[0]
        assert "not clearly" not in said[0]

    def test_one_injected_domain_has_no_share_to_show(self):
        found, said, _ = made(SINGLE[:1])
        assert "spread_share" not in found
        assert not [text for text in said if "cross-domain" in text]


class TestMitigations:
    def test_the_table_is_that_of_the_paper(self):
        # Table 2, Mem0 with DeepSeek-V3.1: +5.65, SSP +3.12 (↓44.8 %), DMT +6.25 (↑10.6 %) and +2.55 (↓54.9 %).
        rows = [
            mitigated(4 * 5.65, "none"),
            mitigated(4 * 3.12, "static"),
            mitigated(4 * 6.25, "tag-recall"),
            mitigated(4 * 2.55, "tag-write"),
        ]
        figure = made(rows)[0]["mitigations"]
        assert list(figure.encode) == [
            "Memory",
            "No mitigation",
            "Static prompt (SSP)",
            "Tags at writing",
            "Tags on recall",
        ]
        (row,) = figure.rows
        said = [str(row[column]).replace("\xa0", " ") for column in figure.encode.values()]
        assert said == ["vector, λ = 0.3", "+5.65", "+3.12 (↓45 %)", "+2.55 (↓55 %)", "+6.25 (↑11 %)"]

    def test_seeds_give_intervals_in_it(self):
        rows = [mitigated(4 * gap, "none", seed) for seed, gap in enumerate((1.0, 2.0, 3.0))]
        rows += [mitigated(8.0, "static", seed) for seed in range(3)]
        (row,) = made(rows)[0]["mitigations"].rows
        # Changes 1, 2, 3: 2 -+ 4.302653 / sqrt(3).
        assert row["No mitigation"].replace("\xa0", " ") == "+2.00 [−0.48, +4.48]"
        assert row["Static prompt (SSP)"].replace("\xa0", " ") == "+2.00 (±0 %)"

    def test_every_threshold_is_a_column_and_they_rise(self):
        rows = [mitigated(4.0, f"tag-write?tau={tau}") for tau in ("0.8", "0", "0.25")]
        figure = made([*rows, mitigated(8.0, "none")])[0]["mitigations"]
        assert list(figure.encode)[1:] == [
            "No mitigation",
            "Tags at writing, τ=0",
            "Tags at writing, τ=0.25",
            "Tags at writing, τ=0.8",
        ]

    def test_where_nothing_is_injected_there_is_nothing_to_mitigate(self):
        rows = [mitigated(8.0, name, rate=rate) for name in ("none", "static") for rate in (0.0, 0.3)]
        found = made(rows)[0]
        assert [row["arm"] for row in found["mitigations"].rows] == ["vector, λ = 0.3"]
        assert len(found["mitigation"].rows) == 4

    def test_one_mitigation_alone_is_not_laid_beside_itself(self):
        found = made([mitigated(8.0, "none")])[0]
        assert "mitigations" not in found
        assert "mitigation" in found

    def test_models_have_rows_of_their_own(self):
        rows = [mitigated(8.0, name, model=model) for name in ("none", "static") for model in ("m", "o")]
        figure = made(rows)[0]["mitigations"]
        assert [row["model"] for row in figure.rows] == ["m", "o"]
        assert next(iter(figure.encode)) == "Model"


class TestThreshold:
    def test_shares_of_tagged_notes_are_drawn_over_it(self):
        rows = [mitigated(8.0, "none")]
        rows += [mitigated(gap, f"tag-write?tau={tau}") for tau, gap in ((0.2, 0.0), (0.6, 4.0))]
        found = made(rows)[0]
        assert {(row["tau"], row["value"]) for row in found["tags"].rows} == {(0.2, 0.0), (0.6, 0.0)}
        assert [(row["tau"], row["value"]) for row in found["tau"].rows] == [(0.2, 0.0), (0.6, 1.0)]
        assert {row["arm"] for row in found["tau"].rows} == {"vector, λ = 0.3, tag-write"}

    @pytest.mark.parametrize("names", [("tag-write?tau=0.2",), ("tag-write", "tag-recall"), ("none", "static")])
    def test_without_two_of_them_there_is_no_line(self, names):
        found = made([mitigated(8.0, name) for name in names])[0]
        assert "tau" not in found
        assert "tags" not in found

    def test_the_arms_are_listed_with_their_tags(self):
        found, said, _ = made([mitigated(8.0, "none"), mitigated(8.0, "tag-write")])
        heads = found["mitigation"].encode
        assert {"Tagged, injected", "Tagged, harmless"} <= set(heads)
        assert [row["injected"] for row in found["mitigation"].rows] == [None, 0.0]
        assert any("0 % of 1 injected notes carry a tag" in text for text in said)

    def test_without_tags_there_are_no_columns_for_them(self):
        assert "Tagged, injected" not in made([mitigated(8.0, "none")])[0]["mitigation"].encode


def test_episodes_that_differ_in_the_injected_domain_are_told_apart_in_every_figure():
    found = made([*SINGLE, episode([8.0, 8.0])])[0]
    assert len({row["arm"] for row in found["accuracy"].rows}) == 3
    assert len({row["arm"] for row in found["shown"].rows}) == 3
