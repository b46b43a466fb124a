"""Tables as files and on the page; samples for the page."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import polars as pl
from polars.testing import assert_frame_equal

from personae.report import Sample, estimates, samples, write_tables


def test_parquet_and_csv_hold_the_frame(demo: ModuleType, tmp_path: Path) -> None:
    frame = demo.estimates(60).with_columns(pl.col("user").cast(pl.String))
    written = write_tables({"estimates": frame, "coverage": demo.coverage()}, tmp_path / "tables")
    assert [path.name for path in written] == ["estimates.parquet", "estimates.csv", "coverage.parquet", "coverage.csv"]
    assert_frame_equal(pl.read_parquet(written[0]), frame)
    read = pl.read_csv(written[1], schema=frame.schema)
    assert_frame_equal(read, frame, check_exact=True)
    assert_frame_equal(pl.read_parquet(written[2]), demo.coverage())


def test_nested_columns_become_json_in_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2], "cell": [{"k": 'v"1'}, None], "list": [[1.5, None], []]})
    parquet, plain = write_tables({"t": frame}, tmp_path)
    assert_frame_equal(pl.read_parquet(parquet), frame)
    read = pl.read_csv(plain)
    assert read["cell"].to_list() == ['{"k":"v\\"1"}', None]
    assert read["list"].to_list() == ["[1.5,null]", "[]"]


def test_a_line_says_its_cell_interval_bounds_and_reason() -> None:
    frame = pl.DataFrame(
        {
            "study": ["s"], "measure": ["iat_bias"], "model": ["m"], "contrast": ["baseline"], "test": ["paired t"],
            "value": [-0.25], "ci_low": [-0.5], "ci_high": [0.0], "p": [0.0001], "p_adjusted": [0.04], "n": [1200],
            "effect_size": [None], "coverage": [0.5], "lower": [-1.0], "upper": [1.0], "reason": ["few stimuli"],
            "persona_group": ["female"], "user": [None], "level": [""],
        }
    )  # fmt: skip
    (line,) = estimates.lines(frame)
    assert line == estimates.Line(
        study="s", measure="iat bias", model="m", cell="persona group: female", contrast="baseline",
        measured="less the baseline", value="−0.250", interval="−0.500 to 0.000", p="< 0.001", p_adjusted="0.040",
        effect="–", n="1,200", coverage="50 %", bounds="−1.000 to 1.000", reason="paired t; few stimuli",
    )  # fmt: skip


def test_where_rows_are_too_many_the_general_ones_stay_in_order() -> None:
    frame = pl.DataFrame({"measure": ["a", "b", "c"], "value": [1.0, 2.0, 3.0], "persona": ["wife", None, None]})
    assert [line.measure for line in estimates.lines(frame, most=2)] == ["b", "c"]


def sample(status: str, condition: str, text: str = "yes", key: str = "k") -> Sample:
    return Sample(
        key=key, study="s", model="m", condition=condition, prompt=(("user", "?"),), text=text, status=status  # type: ignore[arg-type]
    )  # fmt: skip


def test_rare_outcomes_are_kept_when_many_answers_are_left_out() -> None:
    many = [sample("answered", "wife", key=str(nth)) for nth in range(500)]
    rare = [sample("refused", "wife"), sample("error", "baseline")]
    chosen = samples.balanced([*many, *rare], most=10)
    assert len(chosen) == 10
    assert all(one in chosen for one in rare)
    assert chosen == samples.balanced([*many, *rare], most=10)


def test_the_demonstration_shows_every_status_study_and_condition(demo: ModuleType) -> None:
    given = demo.samples()
    chosen = samples.balanced(given)
    assert len(chosen) == samples.MOST
    for part in ("status", "study", "condition"):
        assert {getattr(one, part) for one in chosen} == {getattr(one, part) for one in given}


def test_long_answers_do_not_fill_the_page() -> None:
    long = [sample("answered", str(nth), "x" * 100_000) for nth in range(1000)]
    chosen = samples.balanced(long)
    assert sum(map(samples.size, chosen)) <= samples.BUDGET
    assert len(chosen) > 100
