"""Points, lines and densities: all stands where its numbers say, and what was not measured is not drawn."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import gaussian_kde

from personae.errors import BadInput
from personae.report import figures, kde, svg, text, theme
from personae.report.kinds import density, field, line, points
from personae.report.labels import Point, place
from personae.types import Figure


def figure(kind: str, rows: list[dict[str, Any]], encode: dict[str, str], **options: Any) -> Figure:
    return Figure(
        id=kind, title="Title", caption="Caption.", kind=kind, rows=tuple(rows), encode=encode, options=options  # type: ignore[arg-type]
    )  # fmt: skip


def drawn(one: Figure) -> str:
    return figures.render(one)


def circles(picture: str) -> list[tuple[float, float]]:
    """Middle of every dot, in pixels of its field."""
    found = re.findall(r'<path transform="translate\(([-\d.]+),([-\d.]+)\)" d="M[\d.]+,0A', picture)
    return [(float(x), float(y)) for x, y in found]


def layers(one: Figure, mark: str) -> list[dict[str, Any]]:
    """Every layer of a mark, wherever facets put it."""
    found, rest = [], [figures.draw(one)]
    while rest:
        spec = rest.pop(0)
        rest = [*(inner for part in ("layer", "concat", "vconcat") for inner in spec.get(part, ())), *rest]
        if isinstance(spec.get("mark"), dict) and spec["mark"]["type"] == mark:
            found.append(spec)
    return found


def test_a_dot_stands_where_its_numbers_say_and_the_diagonal_has_equal_axes() -> None:
    rows = [{"a": 0.0, "b": 1.0}, {"a": 1.0, "b": 0.0}, {"a": 0.25, "b": 0.25}, {"a": None, "b": 0.5}]
    picture = drawn(figure("points", rows, {"x": "a", "y": "b"}, diagonal=True))
    assert [number for dot in circles(picture) for number in dot] == pytest.approx([0, 0, 340, 340, 85, 255])


def test_more_points_are_smaller_and_paler_but_still_seen() -> None:
    few, many = points.look(20, 340), points.look(720, 340)
    assert few == (52, 0.85)
    assert 9 <= many[0] < few[0] / 3
    assert 0.3 < many[1] < few[1]


@pytest.mark.parametrize(("reach", "ends"), [([0.02, 0.98], [0, 1]), ([-0.31, 0.42], [-0.4, 0.6]), ([3, 97], [0, 100]),
                                             ([0.0, 1.0], [0, 1]), ([1e-4, 3e-4], [1e-4, 3e-4])])  # fmt: skip
def test_ends_of_axes_are_round(reach: list[float], ends: list[float]) -> None:
    assert field.nice(reach) == pytest.approx(ends)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_round_ends_hold_the_range_without_much_air(low: float, width: float) -> None:
    start, end = field.nice([low, low + width])
    slack = 1e-6 * (abs(low) + width)
    assert start <= low + slack
    assert end >= low + width - slack
    assert end - start <= 2 * width + slack


def test_facets_stand_two_abreast_on_the_same_axes_and_three_where_asked() -> None:
    rows = [{"f": f"facet {nth}", "a": 0.1 * nth, "b": 0.2} for nth in range(5)]
    encode = {"x": "a", "y": "b", "facet": "f"}
    two, three = (figures.draw(figure("points", rows, encode, columns=columns)) for columns in (2, 3))
    assert (two["columns"], three["columns"]) == (2, 3)
    domains = {str(layer["encoding"]["x"]["scale"]) for layer in layers(figure("points", rows, encode), "circle")}
    assert len(domains) == 1
    for columns in (2, 3):
        _, width = svg.embedded(drawn(figure("points", rows, encode, columns=columns)), "f")
        assert width < 425
    with pytest.raises(BadInput, match="1, 2 or 3 facets"):
        figures.draw(figure("points", rows, encode, columns=4))


def test_only_the_first_facet_of_a_line_numbers_the_vertical_axis_and_only_the_lowest_name_the_other() -> None:
    rows = [{"f": f"facet {nth}", "a": 0.1 * nth, "b": 0.2} for nth in range(3)]
    dots = layers(figure("points", rows, {"x": "a", "y": "b", "facet": "f"}), "circle")
    assert [dot["encoding"]["y"]["axis"].get("labels", True) for dot in dots] == [True, False, True]
    assert [dot["encoding"]["x"]["title"] for dot in dots] == [None, "a", "a"]


def box(label: Any, size: float) -> tuple[float, float, float, float]:
    half = text.width(label.text, size) / 2
    return label.x - half, label.y - size / 2, label.x + half, label.y + size / 2


def through(label: Any, box: tuple[float, float, float, float]) -> bool:
    """Whether the line to a name's point runs through the inner part of a box."""
    across, down = label.to_x - label.from_x, label.to_y - label.from_y
    spots = [(label.from_x + across * nth / 99, label.from_y + down * nth / 99) for nth in range(100)]
    return any(box[0] + 2 < x < box[2] - 2 and box[1] + 2 < y < box[3] - 2 for x, y in spots)


@given(st.lists(st.tuples(st.floats(0, 340), st.floats(0, 340)), min_size=1, max_size=40), st.integers(0, 12))
def test_names_of_points_do_not_touch_and_stay_inside(spots: list[tuple[float, float]], most: int) -> None:
    given_points = [Point(x, y, f"occupation {nth}") for nth, (x, y) in enumerate(spots)]
    placed = place(given_points, 340, 340, 10, most)
    assert len(placed) <= most
    assert [label.text for label in placed] == sorted(
        (label.text for label in placed), key=lambda name: int(name.split()[1])
    )
    boxes = [box(label, 10) for label in placed]
    for nth, one in enumerate(boxes):
        assert one[0] >= 0
        assert one[2] <= 340
        for label in placed[:nth] + placed[nth + 1 :]:
            assert not (label.far and through(label, one)), (label, one)
        for other in boxes[:nth]:
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_a_name_stands_beside_its_point_and_moves_only_for_another() -> None:
    alone = place([Point(100, 100, "nurse")], 340, 340, 10, 12)
    assert not alone[0].far
    assert abs(alone[0].x - 100) < 40
    assert alone[0].y == pytest.approx(100)
    crowd = [Point(100, 100 + 3 * nth, f"nurse number {nth}") for nth in range(5)]
    assert len(place(crowd, 340, 340, 10, 12)) == 5
    assert any(label.far for label in place(crowd, 340, 340, 10, 12))


def test_a_figure_names_the_first_labelled_rows_and_no_more_than_twelve() -> None:
    rows: list[dict[str, Any]] = [{"a": nth / 40, "b": (nth * 7 % 40) / 40, "n": None} for nth in range(40)]
    for nth in range(0, 40, 2):
        rows[nth]["n"] = f"name{nth}"
    said = "".join(ElementTree.fromstring(drawn(figure("points", rows, {"x": "a", "y": "b", "label": "n"}))).itertext())
    names = {int(found) for found in re.findall(r"name(\d+)(?=\D|$)", said)}
    assert 8 <= len(names) <= 12
    assert names <= set(range(0, 24, 2))


def test_a_line_is_broken_where_a_number_is_missing_and_its_band_too() -> None:
    rows = [
        {"t": t, "v": None if t == 2 else t / 10, "l": None if t == 4 else 0.0, "h": 1.0} for t in (5, 3, 1, 2, 4, 0)
    ]
    shown = line.runs([{"x": row["t"], "y": row["v"], "low": row["l"], "high": row["h"]} for row in rows])
    assert [(row["x"], row["run"], row["band"]) for row in shown] == [
        (0, 1, 1),
        (1, 1, 1),
        (3, 2, 2),
        (4, 2, 3),
        (5, 2, 3),
    ]
    picture = drawn(figure("line", rows, {"x": "t", "y": "v", "low": "l", "high": "h"}))
    strokes = re.findall(r'd="(M[^"]*)"[^>]*stroke="' + theme.PALETTE[0], picture)
    assert sorted(stroke.count("L") for stroke in strokes) == [1, 2]


def test_each_line_keeps_to_its_colour() -> None:
    rows = [{"t": t, "v": v + t, "m": m} for m, v in (("a", 0), ("b", 5)) for t in range(3)]
    shown = line.runs([{"x": row["t"], "y": row["v"], "colour": row["m"]} for row in rows])
    assert {(row["colour"], row["run"]) for row in shown} == {("a", 1), ("b", 2)}


def test_points_of_a_line_are_marked_where_they_are_few() -> None:
    def dots(many: int) -> int:
        return len(circles(drawn(figure("line", [{"t": t, "v": t} for t in range(many)], {"x": "t", "y": "v"}))))

    assert dots(line.DOTS) == line.DOTS
    assert dots(line.DOTS + 1) == 0
    gap = [{"t": t, "v": None if t == 1 else 1.0} for t in range(40)]
    assert len(circles(drawn(figure("line", gap, {"x": "t", "y": "v"})))) == 1


def test_a_line_over_words_is_refused() -> None:
    with pytest.raises(BadInput, match="over numbers"):
        figures.draw(figure("line", [{"t": "soon", "v": 1.0}], {"x": "t", "y": "v"}))
    with pytest.raises(BadInput, match="only one row"):
        figures.draw(figure("line", [{"t": 1, "v": 1.0}, {"t": 1, "v": 2.0}], {"x": "t", "y": "v"}))


def test_the_vertical_axis_reaches_zero_only_where_asked() -> None:
    rows = [{"t": t, "v": 60 + t} for t in range(9)]
    usual, zero = (figure("line", rows, {"x": "t", "y": "v"}, zero=asked) for asked in (False, True))
    assert layers(usual, "line")[0]["encoding"]["y"]["scale"]["domain"] == [60, 68]
    assert layers(zero, "line")[0]["encoding"]["y"]["scale"]["domain"][0] == 0


VALUES = arrays.arrays(float, st.integers(5, 60), elements=st.floats(0, 1))


@given(VALUES)
def test_a_density_has_area_one_and_nothing_beyond_what_is_possible(
    values: np.ndarray[Any, np.dtype[np.float64]],
) -> None:
    if kde.width(values) < 1e-3:
        return
    found = kde.curve(list(values), (0, 1), points=4000)
    assert found is not None
    x, y = found
    assert x.min() >= 0
    assert x.max() <= 1
    assert (y >= 0).all()
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.02)


def test_a_density_without_limits_is_that_of_scipy_at_the_same_width() -> None:
    values = np.random.default_rng(3).normal(2, 0.7, 40)
    found = kde.curve(list(values))
    assert found is not None
    expected = gaussian_kde(values, bw_method=kde.width(values) / values.std(ddof=1))(found[0])
    assert found[1] == pytest.approx(expected, rel=1e-9)


def test_the_width_is_silverman_s_and_survives_ties() -> None:
    values = np.arange(10.0)
    assert kde.width(values) == pytest.approx(0.9 * min(values.std(ddof=1), 4.5 / 1.34) * 10**-0.2)
    tied = np.array([0.0] * 8 + [1.0, 2.0])
    assert kde.width(tied) == pytest.approx(0.9 * tied.std(ddof=1) * 10**-0.2)


@pytest.mark.parametrize("values", [[], [0.1], [0.1, 0.2, 0.3, 0.4], [0.5] * 30])
def test_no_curve_is_drawn_over_too_few_or_equal_values(values: list[float]) -> None:
    assert kde.curve(values) is None


def test_every_value_of_a_density_is_a_dot_and_every_group_says_how_many() -> None:
    rows = [{"v": nth / 10, "g": group} for group, many in (("a", 9), ("b", 3)) for nth in range(many)]
    picture = drawn(figure("density", [*rows, {"v": None, "g": "b"}], {"value": "v", "colour": "g"}))
    assert len(circles(picture)) == 12
    said = "".join(ElementTree.fromstring(picture).itertext())
    assert "n = 9" in said
    assert "n = 3" in said
    curves = re.findall(r'd="M[^"]*"[^>]*stroke="(#[0-9a-f]{6})"[^>]*stroke-width="1.6"', picture)
    assert curves == [theme.PALETTE[0]]


def test_many_values_are_as_many_ticks_in_one_line() -> None:
    rows = [{"v": nth / 99} for nth in range(100)]
    picture = drawn(figure("density", rows, {"value": "v"}))
    assert circles(picture) == []
    ticks = re.findall(r'd="(M[^"]*)"[^>]*stroke-width="0.8"', picture)
    assert len(ticks) == 1
    assert ticks[0].count("M") == ticks[0].count("L") == 100
    assert density.DOTS < 100


def test_values_beyond_the_limits_or_no_numbers_are_refused() -> None:
    with pytest.raises(BadInput, match="limits"):
        figures.draw(figure("density", [{"v": 1.2}], {"value": "v"}, limits=(0, 1)))
    with pytest.raises(BadInput, match="one of numbers"):
        figures.draw(figure("density", [{"v": "many"}], {"value": "v"}))
