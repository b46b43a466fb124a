"""A table: numbers to the right in the format asked for, rows of another origin marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from personae.errors import BadInput
from personae.report import text
from personae.report.plot import Plot
from personae.types import Figure

MOST, MOST_CHOSEN = 400, 2000
"""Rows in the page, and in a table to choose from; the file beside it has all of them."""

PAGE = 20
"""Rows of a table to choose from that are shown at once."""

LONG = 60
"""Characters from which a text needs a broad column, also on a phone."""

_BETWEEN = "\x1f"
"""Parts the values of a row that are several, as the script of the page does."""

_ROW = Markup("<tr{}>{}</tr>\n")
_MARKED = Markup(' class="marked"')
_OPTION = Markup('<option value="{}">{}</option>')
_SELECT = Markup('<label>{} <select name="{}"><option value="">all</option>{}</select></label>')
_BROWSER = Markup(
    '<div class="browser" data-rows="tbody tr" data-page="{}">\n<div class="tools" hidden>'
    '<label>Search <input type="search"></label>{}<p class="count" role="status"></p></div>\n{}\n'
    '<div class="pager" hidden><button type="button" data-step="-1">Previous</button> <span></span>'
    ' <button type="button" data-step="1">Next</button></div>\n</div>'
)


def write(plot: Plot) -> Markup:
    """Write the table: a column per part, its name above it.

    Raises
    ------
    BadInput
        When there is no part, a column to mark rows by is in no row, or a format is none.
    """
    columns = plot.figure.encode
    if not columns:
        raise BadInput(f"figure {plot.figure.id}", "no part", "a table needs a column")
    sides = {name: _side(plot, column) for name, column in columns.items()}
    head = [Markup('<th scope="col"{}>{}</th>').format(sides[name], text.visible(text.label(name))) for name in columns]
    choices = plot.figure.options.get("choose", {})
    body = [_row(plot, row, sides) for row in plot.figure.rows[: MOST_CHOSEN if choices else MOST]]
    more = len(plot.figure.rows) - len(body)
    rest = Markup("<p>{} more rows are in the file of this table.</p>").format(text.number(more)) if more else ""
    table = Markup('<table class="numbers sheet">\n<thead>{}</thead>\n<tbody>\n{}</tbody>\n</table>{}').format(
        _ROW.format("", Markup("").join(head)), Markup("").join(body), rest
    )
    return _browser(plot, choices, table) if choices else table


def _browser(plot: Plot, choices: Mapping[str, str], table: Markup) -> Markup:
    """Put a search, a choice for each of some columns, and pages around a table; they work where scripts do."""
    selects = []
    for nth, (name, column) in enumerate(choices.items()):
        values = dict.fromkeys(said for row in plot.figure.rows for said in _said(row.get(column)))
        if len(values) > 1:
            selects.append(
                _SELECT.format(text.visible(name), f"choice{nth}", Markup("").join(map(_OPTION.format, values, values)))
            )
    return _BROWSER.format(PAGE, Markup("").join(selects), table)


def _said(value: Any) -> list[str]:
    """What can be chosen to see a row: its value, or each of several."""
    return [text.label(shown(one)) for one in (value if isinstance(value, list | tuple) else [value])]


def shown(value: Any, pattern: str | None = None) -> str:
    """Give a value as text; numbers by the format, with a true minus sign; what it holds is listed."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        known = text.decimal(value)
        return known if pattern is None or known == "–" else format(value, pattern).replace("-", "−")
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {shown(inner)}" for name, inner in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value)) or "–"
    return "–" if value is None else str(value)


def width(figure: Figure) -> float:
    """Estimate how many pixels wide the table is, no line broken."""
    return sum(
        max(
            text.width(one, 13.6)
            for one in (name, *(_formatted(figure, column, row.get(column)) for row in figure.rows))
        )
        + 21
        for name, column in figure.encode.items()
    )


def _numeric(plot: Plot, column: str) -> bool:
    values = [row.get(column) for row in plot.figure.rows]
    known = [value for value in values if value is not None]
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def _side(plot: Plot, column: str) -> Markup:
    """Give the class of a column's cells: none where it holds numbers, ``words``, and ``long`` where these are many."""
    if _numeric(plot, column):
        return Markup("")
    long = any(len(str(row.get(column))) > LONG for row in plot.figure.rows)
    return Markup(' class="words long"') if long else Markup(' class="words"')


def _row(plot: Plot, row: Mapping[str, Any], sides: Mapping[str, Markup]) -> Markup:
    tag = plot.mark(row)
    cells = []
    for nth, (name, column) in enumerate(plot.figure.encode.items()):
        said = text.visible(_formatted(plot.figure, column, row.get(column)))
        if nth == 0:
            told = tag.lower() in said.lower()
            small = Markup(" <small>{}</small>").format(text.visible(tag)) if tag and not told else ""
            cells.append(Markup('<th scope="row">{}{}</th>').format(said, small))
        else:
            cells.append(Markup("<td{}>{}</td>").format(sides[name], said))
    choices = plot.figure.options.get("choose", {})
    chosen = [
        Markup(' data-choice{}="{}"').format(nth, _BETWEEN.join(_said(row.get(column))))
        for nth, column in enumerate(choices.values())
    ]
    return _ROW.format(Markup("").join([_MARKED if tag else "", *chosen]), Markup("").join(cells))


def _formatted(figure: Figure, column: str, value: Any) -> str:
    chosen = figure.options.get("format")
    pattern = chosen.get(column) if isinstance(chosen, Mapping) else chosen
    try:
        return shown(value, pattern)
    except ValueError:
        raise BadInput(f"figure {figure.id}, format", pattern, "a number format is such as .2f or .0%") from None
