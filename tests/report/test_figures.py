"""Figures: what is drawn is what the rows say."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import altair as alt
import pytest

from personae.errors import BadInput
from personae.report import figures, svg, theme, view, write_figures
from personae.report.cloud import layout
from personae.report.kinds import DRAW, common, radial
from personae.report.kinds.common import domain
from personae.report.plot import prepare
from personae.types import Figure

NASTY = "</text><script>alert(1)</script> & \"q\" 'a' \x00\x07\ufffe\ud800 \u202eRTL שלום 😀 "
SVG = "{http://www.w3.org/2000/svg}"


def figure(kind: str, rows: list[dict[str, Any]], encode: dict[str, str], **more: Any) -> Figure:
    usual: dict[str, Any] = {"id": kind, "title": "Title", "caption": "Caption."}
    return Figure(kind=kind, rows=tuple(rows), encode=encode, **(usual | more))  # type: ignore[arg-type]


def nasty(kind: str) -> Figure:
    """A figure of a kind whose every label is nasty."""
    names = {"bars": ("x", "colour", "facet"), "forest": ("y", "colour", "facet"), "heatmap": ("x", "y", "facet"),
             "points": ("colour", "facet", "label"), "radial": ("angle", "colour", "facet"), "words": ("word", "facet"),
             "stack": ("x", "colour", "facet")}.get(kind, ("colour", "facet"))  # fmt: skip
    numbers = {"bars": ("y", "low", "high"), "forest": ("x", "low", "high"), "heatmap": ("value",),
               "points": ("x", "y"), "radial": ("value",), "stack": ("y",), "words": ("count",),
               "line": ("x", "y", "low", "high"), "density": ("value",)}[kind]  # fmt: skip
    rows = [
        {f"a.b[{part}]": NASTY + tail for part in names} | {f"n.{part}": 0.3 for part in numbers} for tail in ("", "2")
    ]
    encode = {part: f"a.b[{part}]" for part in names} | {part: f"n.{part}" for part in numbers}
    return figure(kind, rows, encode, title=NASTY, caption=NASTY, id=f"nasty {kind}")


@pytest.mark.parametrize("kind", sorted(DRAW))
def test_no_label_becomes_markup_or_stops_the_renderer(kind: str) -> None:
    one = nasty(kind)
    picture = svg.standalone(figures.render(one), one.title, one.caption)
    root = ElementTree.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "g", "path", "text", "tspan", "line", "rect", "title", "defs", "clipPath", "linearGradient", "stop",
    }  # fmt: skip
    said = "".join(root.itertext())
    assert "script" in said
    assert not set(said) & set("\x00\x07\u202e")
    assert float(root.attrib["width"]) < 700


@pytest.mark.parametrize("kind", [*sorted(DRAW), "none"])
def test_a_spec_is_valid_vega_lite(kind: str) -> None:
    one = nasty(kind) if kind in DRAW else figure("bars", [], {"x": "x", "y": "y"})
    alt.core.Root.validate(figures.draw(one))


def test_drawing_leaves_the_checks_of_altair_as_they_were() -> None:
    figures.draw(figure("bars", [{"x": "a", "y": 1.0}], {"x": "x", "y": "y"}))
    with pytest.raises(alt.utils.schemapi.SchemaValidationError):
        alt.Scale(padding="wide")  # type: ignore[arg-type]


def test_endless_labels_are_cut_and_nasty_ones_reach_the_png(tmp_path: Path) -> None:
    rows = [{"x": NASTY + "endless " * 1000, "y": 1.0, "c": "endless" * 1000}]
    vector, bitmap = write_figures(
        [figure("bars", rows, {"x": "x", "y": "y", "colour": "c"}, title=NASTY, caption="endless " * 1000)], tmp_path
    )
    width, height = size(vector)
    assert width < 700
    assert height < 600
    assert bitmap.stat().st_size > 1000


def size(vector: Path) -> tuple[float, float]:
    root = ElementTree.parse(vector).getroot()
    return float(root.attrib["width"]), float(root.attrib["height"])


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("a\0b\u202e", "a-b"),
        ("..", "figure"),
        ("CON", "con-figure"),
        ("lpt1", "lpt1-figure"),
        ("decisions-gap", "decisions-gap"),
    ],
)
def test_no_identity_leads_out_of_the_folder_or_to_a_device(identity: str, name: str) -> None:
    assert figures.file_name(identity) == name


def test_long_identities_are_cut_and_told_apart() -> None:
    one, other = figures.file_name("a" * 3000), figures.file_name("a" * 3001)
    assert one != other
    assert len(one) == len(other) == 100


def test_the_table_of_a_figure_holds_no_formula(tmp_path: Path) -> None:
    rows = ({"=who": "=HYPERLINK(1)", "n": -0.5, "many": ["+1", "-2"]}, {"=who": "x", "n": None, "many": []})
    figure = Figure(id="t", title="t", caption="", kind="table", rows=rows, encode={"who": "=who", "n": "n"})
    (path,) = write_figures([figure], tmp_path)
    assert path.read_text("utf-8") == "'=who,n,many\n'=HYPERLINK(1),-0.5,'+1, -2\nx,,–\n".replace(
        "'+1, -2", '"\'+1, -2"'
    )


def test_files_are_named_after_the_figure_and_a_png_has_twice_the_pixels(demo: ModuleType, tmp_path: Path) -> None:
    made = demo.figures()[:3]
    written = write_figures(made, tmp_path)
    assert [path.name for path in written] == [f"{one.id}.{end}" for one in made for end in ("svg", "png")]
    for one in made:
        width, height = size(tmp_path / f"{one.id}.svg")
        data = (tmp_path / f"{one.id}.png").read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", data[16:24]) == pytest.approx((2 * width, 2 * height), abs=2)
        assert one.title.split()[0] in (tmp_path / f"{one.id}.svg").read_text(encoding="utf-8")


def test_usual_figures_fit_a_phone_when_scaled_a_little(demo: ModuleType) -> None:
    for one in demo.figures():
        if one.kind in DRAW:
            _, width = svg.embedded(figures.render(one), "f")
            assert 0.82 * width <= 390 - 2 * 12 - 2 * 9, one.id


def test_labels_are_not_cut_at_the_edge() -> None:
    long = "a rather long description of a situation that goes on for two lines"
    root = ElementTree.fromstring(figures.render(figure("bars", [{"a": long, "b": 1.0}], {"x": "a", "y": "b"})))
    said = " ".join("".join(root.itertext()).split())
    assert "a rather long" in said
    assert "…" not in said or said.count("…") == 1


def paths(picture: str, fill: str) -> list[tuple[float, float]]:
    """Left edge and width of every filled rectangle."""
    found = re.findall(r'd="M(-?[\d.]+),-?[\d.]+h(-?[\d.]+)v[^"]*"[^>]*fill="' + fill, picture)
    return [(float(left), float(width)) for left, width in found]


def test_bars_are_as_long_as_their_values() -> None:
    rows = [{"p": "a", "v": 1.0}, {"p": "b", "v": 0.5}, {"p": "c", "v": -0.25}]
    drawn = paths(figures.render(figure("bars", rows, {"x": "p", "y": "v"})), theme.PALETTE[0])
    widths = [abs(width) for _, width in drawn]
    assert widths[1] / widths[0] == pytest.approx(0.5, rel=1e-3)
    assert widths[2] / widths[0] == pytest.approx(0.25, rel=1e-3)
    assert drawn[2][0] + min(0, drawn[2][1]) < drawn[0][0]


def test_bars_are_the_same_whichever_way_round_they_are_named() -> None:
    rows = [{"p": "a", "v": 1.0}, {"p": "b", "v": 0.5}]
    assert figures.draw(figure("bars", rows, {"x": "p", "y": "v"})) == figures.draw(
        figure("bars", rows, {"x": "v", "y": "p"})
    )


def test_parts_of_a_stack_follow_one_another() -> None:
    shares = {"answered": 0.5, "refused": 0.3, "error": 0.2}
    rows = [{"m": "a", "s": status, "n": share} for status, share in shares.items()]
    picture = figures.render(figure("stack", rows, {"x": "m", "y": "n", "colour": "s"}))
    starts = [paths(picture, theme.FIXED[status]) for status in ("answered", "refused", "error")]
    (a, wide), (b, middle), (c, last) = (one[-1] for one in starts)
    assert a + wide == pytest.approx(b, abs=0.1)
    assert b + middle == pytest.approx(c, abs=0.1)
    assert middle / wide == pytest.approx(0.6, rel=1e-2)
    assert last / wide == pytest.approx(0.4, rel=1e-2)


def test_forest_writes_its_numbers_and_names_what_has_none() -> None:
    rows = [{"n": "a", "d": -0.5, "l": -0.75, "h": -0.001}, {"n": "b", "d": None, "l": None, "h": None}]
    said = "".join(ElementTree.fromstring(
        figures.render(figure("forest", rows, {"y": "n", "x": "d", "low": "l", "high": "h"}))
    ).itertext())  # fmt: skip
    assert "−0.50  [−0.75, 0.00]" in said
    assert "no value" in said


def test_a_difference_of_zero_is_white_and_opposite_ones_are_equally_far() -> None:
    rows = [{"a": name, "b": "r", "v": value} for name, value in (("x", -0.1), ("y", 0.0), ("z", 0.4))]
    spec = figures.draw(figure("heatmap", rows, {"x": "a", "y": "b", "value": "v"}))
    scale = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "rect")["encoding"]["color"]["scale"]
    assert scale["domain"] == [-0.4, 0.4]
    assert scale["range"][len(scale["range"]) // 2] == "#f7f7f7"
    assert "#f7f7f7" in figures.render(figure("heatmap", rows, {"x": "a", "y": "b", "value": "v"})) or (
        "rgb(247, 247, 247)" in figures.render(figure("heatmap", rows, {"x": "a", "y": "b", "value": "v"}))
    )


def test_values_that_are_no_differences_have_one_hue() -> None:
    rows = [{"a": "x", "b": "r", "v": 0.2}, {"a": "y", "b": "r", "v": 0.7}]
    spec = figures.draw(figure("heatmap", rows, {"x": "a", "y": "b", "value": "v"}))
    scale = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "rect")["encoding"]["color"]["scale"]
    assert scale["range"] == list(theme.SEQUENTIAL)
    assert scale["domain"] == [0.0, 0.7]


def test_a_bar_of_a_circular_histogram_ends_at_the_ring_of_its_value() -> None:
    rows = [{"e": "anger", "v": 0.3}, {"e": "fear", "v": 0.1}]
    picture = figures.render(figure("radial", rows, {"angle": "e", "value": "v"}))
    rings = sorted({float(found) for found in re.findall(r'd="M([\d.]+),0A[^"]*"[^>]*stroke="#d5dae0"', picture)})
    bars = re.findall(r'fill="' + theme.PALETTE[0] + r'"', picture)
    arcs = {float(found) for d in re.findall(r'd="([^"]+)"[^>]*fill="' + theme.PALETTE[0], picture)
            for found in re.findall(r"A([\d.]+),", d)}  # fmt: skip
    assert len(bars) == 2
    assert len(rings) == 4
    assert rings[-1] == pytest.approx(max(arcs), abs=0.01)
    assert any(arc == pytest.approx(rings[1], abs=0.01) for arc in arcs)


def test_a_circular_histogram_refuses_what_a_length_cannot_show() -> None:
    with pytest.raises(BadInput, match="counts or shares"):
        figures.draw(figure("radial", [{"e": "anger", "v": -0.1}], {"angle": "e", "value": "v"}))


@pytest.mark.parametrize("top", [0.003, 0.07, 0.3, 1.0, 7.0, 12345.0])
def test_rings_are_few_and_reach_the_largest_value(top: float) -> None:
    drawn = radial.rings(top)
    assert 2 <= len(drawn) <= 4
    assert drawn[-1] >= top * 0.999
    assert drawn[-1] <= 2 * top


def test_words_of_a_cloud_do_not_touch_and_their_area_is_their_count() -> None:
    words = [(f"word{nth}", 60 / (1 + nth)) for nth in range(40)]
    placed = layout(words, 390, 210)
    assert len(placed) >= 35
    assert placed == layout(words[::-1], 390, 210)
    assert (placed[0].size / placed[2].size) ** 2 == pytest.approx(placed[0].count / placed[2].count)
    boxes = [(p.x - len(p.word) * p.size * 0.25, p.y - p.size / 2, p.x + len(p.word) * p.size * 0.25, p.y + p.size / 2)
             for p in placed]  # fmt: skip
    for nth, one in enumerate(boxes):
        assert one[0] >= 0
        assert one[2] <= 390
        for two in boxes[:nth]:
            assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]


def test_a_cloud_without_words_is_empty() -> None:
    assert layout([("never", 0)], 390, 210) == []


def test_ids_inside_pictures_do_not_clash() -> None:
    inner = '<clipPath id="c"/><g clip-path="url(#c)"/>'
    source = f'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="5">{inner}</svg>'
    one, _ = svg.embedded(source, "a")
    two, width = svg.embedded(source, "b")
    assert 'id="a-c"' in one
    assert "url(#a-c)" in one
    assert 'id="b-c"' in two
    assert width == 10
    assert "width=" not in two


def test_no_rows_draw_a_sentence() -> None:
    assert "Nothing to draw" in figures.render(figure("bars", [], {"x": "a", "y": "b"}))


@pytest.mark.parametrize("kind", sorted(DRAW))
def test_rows_without_any_number_still_draw(kind: str) -> None:
    parts = {
        "bars": ("x", "y"), "forest": ("y", "x"), "heatmap": ("x", "y", "value"), "points": ("x", "y"),
        "radial": ("angle", "value"), "stack": ("x", "y", "colour"), "words": ("word", "count"),
        "line": ("x", "y"), "density": ("value",),
    }[kind]  # fmt: skip
    row = {part: "label" if part in ("angle", "colour", "word") else None for part in parts}
    ElementTree.fromstring(figures.render(figure(kind, [row], {part: part for part in parts})))


@pytest.mark.parametrize(
    ("kind", "rows", "encode", "said"),
    [
        ("bars", [{"a": 1}], {"x": "a"}, "also needs y"),
        ("bars", [{"a": 1, "b": 2}], {"x": "a", "y": "c"}, "the rows have a, b"),
        ("bars", [{"a": 1, "b": 2}], {"x": "a", "y": "b", "size": "b"}, "parts are"),
        ("pie", [{"a": 1}], {"x": "a"}, "known kinds are"),
        ("bars", [{"a": "p", "b": 2.0}, {"a": "p", "b": 3.0}], {"x": "a", "y": "b"}, "only one row"),
        ("heatmap", [{"a": "p", "b": "q", "c": 1.0}] * 2, {"x": "a", "y": "b", "value": "c"}, "only one row"),
    ],
)  # fmt: skip
def test_a_figure_that_does_not_hold_together_is_refused(
    kind: str, rows: list[dict[str, Any]], encode: dict[str, str], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        prepare(figure(kind, rows, encode))


def test_two_figures_of_one_name_are_refused(tmp_path: Path) -> None:
    one = figure("bars", [{"a": "p", "b": 2.0}], {"x": "a", "y": "b"})
    with pytest.raises(BadInput, match="id of its own"):
        write_figures([one, one], tmp_path)


def test_colours_are_distinct_and_known_names_keep_theirs() -> None:
    names = ["baseline", *(f"persona {nth}" for nth in range(16)), "refused"]
    given = theme.colours(names)
    assert len(set(given)) == len(given)
    assert given[0] == theme.GREY
    assert given[-1] == theme.FIXED["refused"]


@pytest.mark.parametrize("colour", [*theme.PALETTE, *theme.FIXED.values()])
def test_colours_stand_out_from_white(colour: str) -> None:
    def light(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (light(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    assert 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 3.0


@pytest.mark.parametrize(
    ("values", "zero", "reach"),
    [([], True, [0.0, 1.0]), ([0.0, None], True, [0.0, 1.0]), ([2.0], True, [0.0, 2.0]), ([2.0], False, [1.5, 2.5])],
)
def test_a_domain_is_never_empty(values: list[float | None], zero: bool, reach: list[float]) -> None:
    assert domain(values, zero=zero) == reach


@pytest.mark.parametrize(("pattern", "step"), [(".0%", 0.01), ("+.1f", 0.1), (".2f", 0.01), (".0f", 1.0)])
def test_no_two_ticks_of_an_axis_have_the_same_label(pattern: str, step: float) -> None:
    assert common.least_step(pattern) == pytest.approx(step)
    figure = Figure(
        id="f", title="t", caption="c", kind="line", encode={"x": "x", "y": "y"}, options={"format": {"y": pattern}},
        rows=tuple({"x": nth, "y": 3 * step + nth * step / 9} for nth in range(4)),
    )  # fmt: skip
    drawn = figures.render(figure)
    labels = [label for label in re.findall(r">([+−]?\d[\d.]*%?)</text>", drawn) if label.endswith("%") or "." in label]
    assert len(labels) == len(set(labels))


def test_a_cell_that_rounds_to_nothing_has_no_sign() -> None:
    figure = Figure(
        id="f", title="t", caption="c", kind="heatmap", encode={"x": "x", "y": "y", "value": "value"},
        options={"format": "+.1f", "midpoint": 0.0},
        rows=({"x": "a", "y": "b", "value": -0.04}, {"x": "a", "y": "c", "value": -0.4}),
    )  # fmt: skip
    drawn = figures.render(figure)
    assert "−0.4" in drawn
    assert "−0.0" not in drawn


def test_a_picture_that_cannot_be_shrunk_to_a_column_spans_both() -> None:
    def heatmap(columns: int) -> Figure:
        rows = tuple({"x": f"column {nth}", "y": "row", "value": 0.5} for nth in range(columns))
        encode = {"x": "x", "y": "y", "value": "value"}
        return Figure(id="f", title="t", caption="c", kind="heatmap", encode=encode, rows=rows)

    assert not view.shown(heatmap(3)).wide
    assert view.shown(heatmap(14)).wide
