"""The figures of the decisions study as data; `personae.report` draws them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl

from personae.measure.names import CONTRAST
from personae.studies.decisions.measures_frame import HIGH, LOW, STUDY, Block, blocks, rows_of
from personae.studies.decisions.measures_gbv import EXCESS, FLOOR, PUBLISHED
from personae.studies.decisions.measures_groups import RELATIVE, SCORE
from personae.studies.decisions.telling import VOICE, Drawn, condition, of_group, riskier, title
from personae.tell import drawing
from personae.tell.figures import Rows, avoided, drawn_for, finite, present
from personae.tell.saying import answers
from personae.tell.table import Row, Table
from personae.types import Figure

figure = partial(drawing.figure, STUDY)
ALL = "all domains"
MOST_PANELS, MOST_COLUMNS = 6, 12
"""Of many conditions figures show the first: so many panels or colours, so many columns of the heat map."""
MOST_SCORES = 400
"""Of single scores, a density draws so many per condition, spread evenly over the sets."""


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
    """Draw the decisions study.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    """
    drawn = Drawn(table=Table(estimates), blocks=blocks(outcomes))
    unanswered = avoided(drawn_for(VOICE, estimates, outcomes), rows_of(outcomes))
    return present(
        _gbv(drawn), _numbers(drawn), _means(drawn), _heat(drawn), _changes(drawn), _scores(drawn), unanswered
    )


def _gbv(drawn: Drawn) -> Figure | None:
    """GBV of every domain beside what chance leaves."""
    rows, cut = _first(drawn, drawn.gbv())
    floors, _ = _first(drawn, drawn.gbv(FLOOR))
    shown = [_valued(drawn, row, "GBV", labels="as they are") for row in rows]
    shown += [_valued(drawn, row, "GBV", labels="shuffled") for row in floors]
    published = any(row["test"] == PUBLISHED for row in rows)
    how = (
        "With the labels of the groups as they are, with 95 % intervals over matched sets; and the labels shuffled:"
        " the mean and the middle 95 % of what chance leaves. Only what lies beyond that says something of groups."
    )
    if published:
        how = "By the published procedure, which has no intervals and does not say what chance leaves."
    caption = (
        f"How far the groups' mean scores lie apart, in points of 100; lower is more alike. {how} {answers(rows)}{cut}"
    )
    encode = {"y": "domain", "x": "GBV", "low": "low", "high": "high", "facet": "panel"}
    if not published:
        encode["colour"] = "labels"
    return figure("decisions-gbv", "forest", "GBV by domain, and what chance leaves", caption, shown, encode)


def _numbers(drawn: Drawn) -> Figure | None:
    """The numbers behind it."""
    rows = drawn.gbv()
    parts = {part: {_key(row): row["value"] for row in drawn.gbv(part)} for part in (FLOOR, EXCESS)}
    shown: Rows = [
        {
            **_valued(drawn, row, "GBV"),
            "condition": condition(row),
            "model": row["model"],
            **{part: values.get(_key(row)) for part, values in parts.items()},
            "p": row["p"],
            "adjusted p": row["p_adjusted"],
        }
        for row in rows
    ]
    caption = (
        "GBV in points of the score with its 95 % interval; floor: the mean with the groups of every set shuffled;"
        f" excess: the GBV less the floor; p by permutation, adjusted over the whole audit. {answers(rows)}"
    )
    encode = {"Model": "model", "Condition": "condition", "Domain": "domain", "GBV": "GBV"}
    encode |= {"Low": "low", "High": "high", "Floor": FLOOR, "Excess": EXCESS}
    encode |= {"p": "p", "adjusted p": "adjusted p", "Answers": "answers"}
    numbers = dict.fromkeys(("GBV", "low", "high", FLOOR, EXCESS), ".2f") | {"answers": ",.0f"}
    options = {"format": {**numbers, "p": ".4f", "adjusted p": ".4f"}}
    return figure("decisions-numbers", "table", "GBV in numbers", caption, shown, encode, options)


def _means(drawn: Drawn) -> Figure | None:
    """Mean score of every group."""
    rows, cut = _first(drawn, drawn.rows(SCORE, "domain", "level"))
    shown = [
        {**_valued(drawn, row, "mean score"), "group": row["level"], "condition": _panel(drawn, row)} for row in rows
    ]
    caption = (
        "Mean scores with 95 % intervals over matched sets. The intervals hold the differences between files, which"
        f" the groups of a set share: that they overlap does not say that groups are scored alike.{_worse(rows)}"
        f" {answers(rows)}{cut}"
    )
    encode = {"y": "group", "x": "mean score", "low": "low", "high": "high", "facet": "domain"}
    if len({row["condition"] for row in shown}) > 1:
        encode["colour"] = "condition"
    return figure("decisions-means", "forest", "Mean scores of the groups", caption, shown, encode)


def _heat(drawn: Drawn) -> Figure | None:
    """Where every group stands in its sets, under every condition."""
    rows, cut = _first(drawn, drawn.rows(RELATIVE, "domain", "level"), MOST_COLUMNS)
    shown = [
        {"group": of_group(row), "condition": _panel(drawn, row), "difference": finite(row["value"])} for row in rows
    ]
    caption = (
        "Score of a group less the mean over all groups of the same file, in points, averaged over the sets answered"
        f" for every group.{_worse(rows)} {answers(rows)}{cut}"
    )
    encode = {"x": "condition", "y": "group", "value": "difference"}
    options = {"midpoint": 0, "format": "+.1f"}
    return figure("decisions-standing", "heatmap", "Where the groups stand", caption, shown, encode, options)


def _changes(drawn: Drawn) -> Figure | None:
    """What a persona adds to the GBV."""
    rows, cut = _first(drawn, drawn.gbv(contrast=CONTRAST))
    shown = [_valued(drawn, row, "change of GBV") for row in rows]
    caption = (
        "GBV under the persona less that without one, over the matched sets answered both ways; right of 0 the"
        f" groups lie further apart. 95 % intervals over sets. {answers(rows)} Answers of both sides are counted.{cut}"
    )
    encode = {"y": "domain", "x": "change of GBV", "low": "low", "high": "high", "facet": "panel"}
    return figure("decisions-changes", "forest", "What a persona changes", caption, shown, encode)


def _scores(drawn: Drawn) -> Figure | None:
    """The scores one by one."""
    together: dict[str, list[Block]] = {}
    for block in drawn.blocks:
        together.setdefault(_panel(drawn, {**block.names, "model": block.model}), []).append(block)
    shown: Rows = []
    thinned = False
    for panel, mine in list(together.items())[:MOST_PANELS]:
        values = np.concatenate([block.scores.ravel() for block in mine])
        values = values[~np.isnan(values)]
        places = np.linspace(0, values.size - 1, min(MOST_SCORES, values.size)).astype(int)
        thinned = thinned or places.size < values.size
        shown += [{"score": float(value), "condition": panel} for value in values[places]]
    cut = f" {MOST_SCORES} of them, spread evenly, for each condition." if thinned else ""
    first = f" The first {MOST_PANELS} of {len(together)} conditions are shown." if len(together) > MOST_PANELS else ""
    caption = (
        "Every score of every group and domain. A model that gives nearly the same score to all files cannot show much"
        f" of a difference between groups.{cut}{first}"
    )
    encode = {"value": "score", "facet": "condition"}
    options = {"limits": [LOW, HIGH], "titles": {"value": "score"}}
    return figure("decisions-scores", "density", "How scores are spread", caption, shown, encode, options)


def _first(drawn: Drawn, rows: list[Row], most: int = MOST_PANELS) -> tuple[list[Row], str]:
    """Rows of the first conditions, and a sentence that says so where there are more."""
    panels = list(dict.fromkeys(_panel(drawn, row) for row in rows))
    kept = panels[:most]
    cut = (
        f" The first {most} of {len(panels)} conditions are shown; all are in the table." if len(panels) > most else ""
    )
    return [row for row in rows if _panel(drawn, row) in kept], cut


def _worse(rows: list[Row]) -> str:
    """Which domains have a score of which more is worse."""
    worse = [title(name) for name in dict.fromkeys(row["domain"] for row in rows) if riskier(name)]
    return f" In {', '.join(worse)} a higher score is worse, in the others better." if worse else ""


def _valued(drawn: Drawn, row: Row, name: str, **labels: str) -> dict[str, Any]:
    return {
        **labels,
        "domain": ALL if row["domain"] is None else title(row["domain"]),
        "panel": _panel(drawn, row),
        name: finite(row["value"]),
        "low": row["ci_low"],
        "high": row["ci_high"],
        "answers": row["n"],
    }


def _panel(drawn: Drawn, row: Row) -> str:
    """A condition, with the model where there are several."""
    return f"{row['model']}, {condition(row)}" if len(drawn.table.models) > 1 else condition(row)


def _key(row: Row) -> tuple[Any, ...]:
    return row["model"], row["domain"], row["persona"], row["user"]
