"""Tables and weighed texts: words in the page, CSV as a file; and what a heat map shows of both."""

from __future__ import annotations

import csv
import re
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput
from personae.report import figures, view, write_figures
from personae.report.kinds import WRITE, table
from personae.report.kinds import text as weighed
from personae.report.kinds.heatmap import bottomed
from personae.types import Figure

NASTY = "</td></table><script>alert(1)</script> & \"q\" 'a' \x00\ud800 \u202eRTL"


def figure(kind: str, rows: list[dict[str, Any]], encode: dict[str, str], **options: Any) -> Figure:
    return Figure(
        id=f"a {kind}", title="Title", caption="Caption.", kind=kind, rows=tuple(rows), encode=encode, options=options  # type: ignore[arg-type]
    )  # fmt: skip


def written(one: Figure) -> str:
    found = figures.written(one)
    assert found is not None
    return str(found)


def cells(source: str) -> list[list[str]]:
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", source, re.S)
    return [
        [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in rows
    ]


ROWS = [
    {"model": "sim", "kl": 0.12345, "share": 0.5, "n": 1404, "shift": -0.25},
    {"model": "gpt-4o", "kl": None, "share": 1.0, "n": 12, "shift": 0.1, "published": True},
]


def test_a_table_has_its_columns_in_order_and_numbers_in_their_format() -> None:
    encode = {"Model": "model", "n": "n", "Mean KL": "kl", "Share": "share", "Shift": "shift"}
    source = written(
        figure("table", ROWS, encode, format={"kl": ".2f", "share": ".0%", "shift": "+.1f"}, mark="published")
    )
    assert cells(source) == [
        ["Model", "n", "Mean KL", "Share", "Shift"],
        ["sim", "1,404", "0.12", "50%", "−0.2"],
        ["gpt-4o published", "12", "–", "100%", "+0.1"],
    ]


def test_numbers_stand_right_and_words_left() -> None:
    source = written(figure("table", ROWS, {"Model": "model", "Mean": "kl", "Source": "published"}))
    assert re.findall(r"<th scope=\"col\"([^>]*)>", source) == [' class="words"', "", ' class="words"']
    assert source.count('<td class="words">') == 2


def test_marked_rows_carry_their_tag_unless_their_name_says_it() -> None:
    rows = [{"m": "a (published)", "p": True}, {"m": "b", "p": "published 2024"}, {"m": "c", "p": False}, {"m": "d"}]
    source = written(figure("table", rows, {"m": "m"}, mark="p"))
    assert source.count('<tr class="marked">') == 2
    assert re.findall("<small>(.*?)</small>", source) == ["published 2024"]


def test_a_table_that_does_not_hold_together_is_refused() -> None:
    for encode, options, said in (
        ({}, {}, "needs a column"), ({"A": "absent"}, {}, "the rows have"),
        ({"KL": "kl"}, {"format": "two"}, "number format"),
        ({"KL": "kl"}, {"mark": "absent"}, "the rows have"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=said):
            written(figure("table", ROWS, encode, **options))
        assert view.shown(figure("table", ROWS, encode, **options)).problem


def test_rows_can_be_chosen_by_the_values_of_columns() -> None:
    rows = [{"a": "x", "at": ["0", "10"]}, {"a": "y", "at": ["10"]}, {"a": "y", "at": "20"}]
    source = written(figure("table", rows, {"A": "a"}, choose={"Arm": "a", "Audit": "at"}))
    assert re.findall(r'<option value="([^"]*)">', source) == ["", "x", "y", "", "0", "10", "20"]
    assert re.findall(r'data-choice1="([^"]*)"', source) == ["0\x1f10", "10", "20"]
    assert "browser" not in written(figure("table", rows, {"A": "a"}))


def test_where_all_rows_have_one_value_there_is_nothing_to_choose() -> None:
    source = written(figure("table", [{"a": "x"}, {"a": "x"}], {"A": "a"}, choose={"Arm": "a"}))
    assert "<select" not in source
    assert 'type="search"' in source


def test_a_column_to_choose_by_must_be_there() -> None:
    with pytest.raises(BadInput, match="choose"):
        written(figure("table", [{"a": "x"}], {"A": "a"}, choose={"Arm": "b"}))


def test_a_long_table_says_how_much_it_leaves_out() -> None:
    source = written(figure("table", [{"a": nth} for nth in range(table.MOST + 7)], {"A": "a"}))
    assert source.count("<tr>") == table.MOST + 1
    assert "7 more rows" in source


def test_only_a_wide_table_takes_the_width_of_two_figures() -> None:
    narrow = figure("table", [{"a": "b", "c": 1}], {"A": "a", "C": "c"})
    wide = figure(
        "table", [{str(nth): "a rather long text" for nth in range(6)}], {str(nth): str(nth) for nth in range(6)}
    )
    assert not view.shown(narrow).wide
    assert view.shown(wide).wide


@pytest.mark.parametrize("kind", sorted(WRITE))
def test_no_text_becomes_markup(kind: str) -> None:
    rows = [{"a": NASTY, "b": 0.5, "c": NASTY, "d": NASTY}]
    encode = {NASTY: "a", "B": "b"} if kind == "table" else {"text": "a", "weight": "b", "facet": "c"}
    source = written(figure(kind, rows, encode, mark="d", titles={"weight": NASTY}, choose={NASTY: "a", "B": "c"}))
    assert "<script" not in source
    assert "\u202e" not in source
    assert "\x00" not in source
    source.encode()


def test_words_are_files_of_rows_with_every_column_and_full_numbers(tmp_path: Path) -> None:
    rows = [{"a": NASTY, "b": 1 / 3, "c": None}, {"a": "line\nbreak", "b": -2, "c": {"k": [1, "x"]}}]
    (path,) = write_figures([figure("table", rows, {"A": "a"})], tmp_path)
    assert path.name == "a-table.csv"
    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [float(row["b"]) for row in read] == [1 / 3, -2]
    assert read[0]["a"].startswith("</td></table><script>")
    assert read[1] == {"a": "line\nbreak", "b": "-2", "c": "k: 1, x"}


def test_files_of_a_run_are_pictures_or_rows(demo: ModuleType, tmp_path: Path) -> None:
    chosen = [one for one in demo.figures() if one.id in ("table", "weighed", "divergence")]
    assert {path.name for path in write_figures(chosen, tmp_path)} == {
        "table.csv", "weighed.csv", "divergence.svg", "divergence.png",
    }  # fmt: skip


@pytest.mark.parametrize("kind", sorted(WRITE))
def test_words_are_no_picture_and_without_rows_say_so(kind: str) -> None:
    one = figure(kind, [], {"text": "a", "weight": "b"})
    with pytest.raises(BadInput, match="pictures are"):
        figures.draw(one)
    assert "Nothing to draw" in written(one)


PIECES = st.lists(st.tuples(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=8),
                            st.none() | st.floats(-5, 5)), min_size=1, max_size=12)  # fmt: skip


@given(PIECES)
def test_a_weighed_text_reads_as_it_was_given(pieces: list[tuple[str, float | None]]) -> None:
    source = written(
        figure("text", [{"t": said, "w": weight} for said, weight in pieces], {"text": "t", "weight": "w"})
    )
    (body,) = re.findall(r'<p dir="auto">(.*)</p></div>', source, re.S)
    assert unescape(re.sub("<[^>]+>", "", body)) == "".join(said for said, _ in pieces)


def test_the_strength_follows_the_weight_and_its_sign_has_a_line_of_its_own() -> None:
    rows = [
        {"t": said + " ", "w": weight} for said, weight in (("up", 0.8), ("half", 0.4), ("none", 0.01), ("down", -0.2))
    ]
    source = written(figure("text", [*rows, {"t": "plain", "w": None}], {"text": "t", "weight": "w"}))
    body = source.split('<div class="weighed">')[1]
    assert re.findall(r'<mark class="([a-z]+-\d)" title="([^"]*)">(\w+)</mark>', body) == [
        ("above-4", "+0.800", "up"), ("above-2", "+0.400", "half"), ("below-1", "−0.200", "down"),
    ]  # fmt: skip
    assert "−0.800" in source.split('<div class="weighed">')[0]


@given(st.floats(-10, 10), st.floats(0.1, 10))
def test_steps_are_odd_in_the_weight_and_never_above_the_strongest(weight: float, reach: float) -> None:
    bounded = max(-reach, min(reach, weight))
    assert weighed.step(bounded, reach) == -weighed.step(-bounded, reach)
    assert abs(weighed.step(bounded, reach)) <= weighed.STEPS


def test_texts_come_with_their_titles_and_not_more_than_a_page_bears() -> None:
    rows = [{"t": f"word{nth} ", "w": 1.0, "f": f"answer {nth % 30}"} for nth in range(60)]
    source = written(figure("text", rows, {"text": "t", "weight": "w", "facet": "f"}))
    assert source.count('<div class="weighed">') == weighed.MOST
    assert "6 more texts" in source
    assert source.index("word0") < source.index("word30") < source.index("word1<")


def test_a_weight_that_is_no_number_is_refused() -> None:
    with pytest.raises(BadInput, match="a number or None"):
        written(figure("text", [{"t": "a", "w": "much"}], {"text": "t", "weight": "w"}))


def test_a_table_needs_no_second_table_and_a_text_has_its_weights_in_one(demo: ModuleType) -> None:
    shown = {one.id: view.shown(one) for one in demo.figures() if one.kind in WRITE}
    assert shown["table"].body == []
    assert len(shown["weighed"].body) == len(next(one for one in demo.figures() if one.id == "weighed").rows)


def test_a_heat_map_sets_marked_rows_apart_and_leaves_no_hole(demo: ModuleType) -> None:
    one = next(one for one in demo.figures() if one.id == "divergence")
    spec = figures.draw(one)
    data = {id(layer): spec["datasets"][layer["data"]["name"]] for layer in spec["layer"]}
    rects = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rect"]
    assert sum(len(data[id(layer)]) for layer in rects) == 6 * 4
    styles = {row["said"].split("\n")[0]: layer["mark"]["fontStyle"] for layer in spec["layer"]
              if layer["mark"].get("align") == "right" for row in data[id(layer)]}  # fmt: skip
    assert styles["gpt-4o (published)"] == "italic"
    assert styles["local/smollm2"] == "normal"
    (border,) = (layer for layer in spec["layer"] if layer["mark"]["type"] == "rule")
    assert [row["y"] for row in data[id(border)]] == [spec["height"] / 2]


def test_column_names_of_a_heat_map_end_on_the_same_line() -> None:
    assert bottomed({"a b": "a\nb", "c": "c"}) == {"a b": "a\nb", "c": "\nc"}
