"""Rows are picked by exactly the columns their cells name, whatever columns a study adds."""

import math

import pytest

from personae.score import to_frame
from personae.tell.table import Table, models, pick
from personae.types import Estimate


def estimate(measure="gap", model="a", value=1.0, **cell):
    contrast = cell.pop("contrast", "")
    return Estimate(study="s", measure=measure, model=model, value=value, contrast=contrast, cell=cell)


def frame(*found):
    return to_frame(found, ["reference"])


CELLS = frame(
    estimate(value=1.0),
    estimate(value=2.0, domain="x"),
    estimate(value=3.0, domain="x", persona="nurse"),
    estimate(value=4.0, domain="x", persona="baseline"),
    estimate(value=5.0, domain="x", reference="half"),
    estimate(value=6.0, level="any"),
    estimate(value=7.0, domain="x", contrast="baseline"),
    estimate(measure="other", value=math.nan),
)


def values(rows):
    return [row["value"] for row in rows]


class TestPick:
    @pytest.mark.parametrize(
        ("columns", "chosen", "expected"),
        [
            ((), {}, [1.0]),
            (("domain",), {}, [2.0]),
            (("domain", "persona"), {}, [3.0, 4.0]),
            (("domain", "reference"), {}, [5.0]),
            ((), {"level": "any"}, [6.0]),
            (("level",), {}, [6.0]),
            (("domain",), {"contrast": "baseline"}, [7.0]),
        ],
    )
    def test_cells_name_these_columns_and_no_others(self, columns, chosen, expected):
        assert values(pick(CELLS, "gap", *columns, **chosen)) == expected

    def test_pooled_rows_are_those_over_models_where_there_are_several(self):
        several = frame(*(estimate(model=name, value=n) for n, name in enumerate(("a", "b", None))))
        assert models(several) == ["a", "b"]
        assert values(pick(several, "gap", pooled=True)) == [2.0]
        assert values(pick(several, "gap", pooled=False)) == [0.0, 1.0]
        assert values(pick(frame(estimate()), "gap", pooled=True)) == [1.0]


class TestTable:
    def test_the_named_baseline_is_in_no_other_cell(self):
        table = Table(CELLS)
        assert values(table.rows("gap", "domain", "persona")) == [3.0]
        assert values(table.rows("gap", "domain", baseline=True)) == [4.0]

    def test_rows_without_a_number_are_left_out_where_numbers_are_asked_for(self):
        table = Table(CELLS)
        assert len(table.rows("other")) == 1
        assert table.known("other") == []
        assert table.one("other", "a") is None

    def test_one_is_of_the_model_and_the_domain(self):
        table = Table(CELLS)
        assert table.one("gap", "a")["value"] == 1.0
        assert table.one("gap", "a", named="x")["value"] == 2.0
        assert table.one("gap", "a", named="y") is None
        assert table.one("gap", "b") is None

    def test_what_is_over_all_models_has_no_model(self):
        table = Table(frame(estimate(measure="correlation", model=None, value=0.5), estimate(measure="correlation")))
        assert values(table.pooled("correlation")) == [0.5]
