"""From a spec to SVG: one that stands alone, one that lives in a page beside others."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import vl_convert

from personae.report import text, theme

_SVG = "http://www.w3.org/2000/svg"
_LONG = re.compile(r"(?:-|(?<!\d))\d+\.\d{3,}(?:e-?\d+)?")
_DRAWN = re.compile(r'(?<= )(?:transform|d|[xy][12]?|width|height|opacity)="[^"]*"')
_REFERENCE = re.compile(r"url\(#([^()]+)\)")

ElementTree.register_namespace("", _SVG)


def render(spec: dict[str, Any]) -> str:
    """Render a Vega-Lite spec, in hundredths of a pixel. The renderer may fetch nothing."""
    drawn = str(vl_convert.vegalite_to_svg(spec, vl_version="6.4", allowed_base_urls=[]))
    return _DRAWN.sub(lambda said: _LONG.sub(lambda number: f"{round(float(number[0]), 2):g}", said[0]), drawn)


def embedded(svg: str, prefix: str) -> tuple[str, float]:
    """Make an SVG fit for a page: ids of its own, scaled by its container.

    Returns
    -------
    markup : str
        The element, without width and height, hidden from assistive technology: the figure around it is named.
    width : float
        Its natural width in pixels.
    """
    root = ElementTree.fromstring(svg)
    wide = float(root.attrib.pop("width"))
    root.attrib.pop("height")
    root.attrib.pop("version", None)
    root.attrib.pop("class", None)
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            element.set(name, _own(name, value, prefix))
        for name in ("role", "aria-roledescription", "class", "pointer-events"):
            element.attrib.pop(name, None)
    return ElementTree.tostring(root, encoding="unicode"), wide


def _own(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name.endswith("href") and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    return _REFERENCE.sub(rf"url(#{prefix}-\1)", value)


def standalone(svg: str, title: str, caption: str) -> str:
    """Add the title above and the caption below, so that the picture says by itself what it shows."""
    inner = ElementTree.fromstring(svg)
    width, height = (float(inner.attrib[side]) for side in ("width", "height"))
    pad = 16.0
    head = text.wrap(text.label(title), width, 15, 4).split("\n")
    foot = text.wrap(text.label(caption), width, 10.5, 12).split("\n") if caption else []
    top = pad + 19 * len(head) + 10
    tall = top + height + (14 + 14 * len(foot) if foot else 0) + pad
    root = ElementTree.Element(f"{{{_SVG}}}svg", {
        "width": _px(width + 2 * pad), "height": _px(tall), "viewBox": f"0 0 {_px(width + 2 * pad)} {_px(tall)}",
        "role": "img",
    })  # fmt: skip
    ElementTree.SubElement(root, f"{{{_SVG}}}title").text = text.label(title)
    ElementTree.SubElement(root, f"{{{_SVG}}}rect", {"width": "100%", "height": "100%", "fill": "white"})
    for nth, line in enumerate(head):
        _line(root, line, pad, pad + 14 + 19 * nth, 15, theme.INK, "bold")
    root.append(_moved(inner, pad, top))
    for nth, line in enumerate(foot):
        _line(root, line, pad, top + height + 22 + 14 * nth, 10.5, theme.SOFT, "normal")
    return ElementTree.tostring(root, encoding="unicode")


def _moved(drawn: ElementTree.Element, x: float, y: float) -> ElementTree.Element:
    """A drawing as a group: as a picture of its own within the other, bitmaps of it would take twice as long."""
    group = ElementTree.Element(f"{{{_SVG}}}g", {"transform": f"translate({_px(x)},{_px(y)})"})
    group.extend(drawn)
    return group


def _px(value: float) -> str:
    return f"{value:g}"


def _line(root: ElementTree.Element, line: str, x: float, y: float, size: float, fill: str, weight: str) -> None:
    ElementTree.SubElement(root, f"{{{_SVG}}}text", {
        "x": _px(x), "y": _px(y), "font-family": theme.FONT, "font-size": f"{size}px", "fill": fill,
        "font-weight": weight,
    }).text = line  # fmt: skip
