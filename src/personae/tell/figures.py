"""Figures that every study has, and what others share: rows of the table, captions, and the kinds that are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from personae.measure.avoidance import POSITION
from personae.measure.names import BASELINE, NOT_SET
from personae.measure.ratio import INTERVAL
from personae.tell import drawing
from personae.tell.findings import Voice
from personae.tell.table import Row, models, pick
from personae.types import STATUSES, Figure

Rows = list[dict[str, Any]]
_LENGTHS = {"bars": "y", "stack": "y", "forest": "x", "heatmap": "value", "radial": "value", "words": "count"}
"""What of each kind of figure shows a number."""
INTERVALS = "Lines are 95 % intervals over stimuli."


class Drawn(Struct, frozen=True):
    """What every figure of one study needs: its table, and the personas in the order of the study."""

    voice: Voice
    estimates: pl.DataFrame
    personas: Sequence[str]

    @property
    def study(self) -> str:
        """The study's name."""
        return self.voice.study

    def about(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The domain of a row in words, where the study tells domains apart."""
        return {"domain": self.voice.named(dict(row))} if "domain" in self.voice.within else {}

    @property
    def by_domain(self) -> dict[str, str]:
        """The colour by domain, where the study tells domains apart."""
        return {"colour": "domain"} if "domain" in self.voice.within else {}

    @property
    def several(self) -> bool:
        """Whether more than one model was measured."""
        return len(models(self.estimates)) > 1

    @property
    def by_model(self) -> dict[str, str]:
        """The facet by model, where there are several."""
        return {"facet": "model"} if self.several else {}

    def rows(self, measure: str, *columns: str, **chosen: Any) -> list[Row]:
        """Rows of the table, personas in the order of the study."""
        found = pick(self.estimates, measure, *columns, **chosen)
        places = {name: place for place, name in enumerate(self.personas)}
        return sorted(found, key=lambda row: places.get(row["persona"], -1))


def drawn_for(voice: Voice, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> Drawn:
    named = outcomes.filter(~pl.col("baseline"))["persona"].fill_null(NOT_SET).unique(maintain_order=True)
    return Drawn(voice=voice, estimates=estimates, personas=[BASELINE, *named.to_list()])


def heat(drawn: Drawn, id_: str, measure: str, said: str, contrast: str, zero: str) -> Figure | None:
    rows = drawn.rows(measure, *drawn.voice.within, "persona", "user", contrast=contrast, pooled=True)
    if not any(row["user"] != NOT_SET for row in rows):
        return None
    over = f" Averaged over {len(models(drawn.estimates))} models." if drawn.several else ""
    caption = f"Rows: who the user is; columns: who the model plays. {zero}{over} {answers(rows)}"
    return figure(
        drawn,
        id_,
        "heatmap",
        f"{said[0].upper()}{said[1:]} by user and persona",
        caption,
        [
            {"persona": row["persona"], "user": row["user"], **drawn.about(row), said: finite(row["value"])}
            for row in rows
        ],
        {"x": "persona", "y": "user", "value": said, **({"facet": "domain"} if drawn.by_domain else {})},
        {"midpoint": 0},
    )


def avoided(drawn: Drawn, rows: pl.DataFrame) -> Figure | None:
    """Share of every status per persona; drawn only where anything was left without an answer."""
    keys = [*drawn.voice.within, "persona", *(["model"] if drawn.several else [])]
    counted = rows.group_by(*keys, "status", maintain_order=True).len("n")
    counts = counted.with_columns(share=pl.col("n") / pl.col("n").sum().over(keys))
    if not (rows["status"] != "answered").any():
        return None
    places = {name: place for place, name in enumerate(drawn.personas)}
    found = sorted(
        counts.to_dicts(),
        key=lambda row: (
            row.get("model", ""),
            row.get("domain", ""),
            places[row["persona"]],
            STATUSES.index(row["status"]),
        ),
    )
    panels = [
        {
            "persona": row["persona"],
            "share": row["share"],
            "status": row["status"],
            "panel": _panel(drawn, row),
        }
        for row in found
    ]
    unanswered = (rows["status"] != "answered").sum()
    caption = (
        f"What the {rows.height:,} items came to; the {unanswered:,} without an answer are coverage, not zeros, and"
        " enter no mean."
    )
    paneled = {"facet": "panel"} if drawn.several or drawn.by_domain else {}
    encode = {"x": "persona", "y": "share", "colour": "status", **paneled}
    return figure(
        drawn, f"{_short(drawn)}-avoidance", "stack", "Answered and not, per persona", caption, panels, encode
    )


def placed(drawn: Drawn, chance: float) -> Figure | None:
    rows = drawn.rows(POSITION, *drawn.voice.within, "persona", pooled=False)
    caption = (
        f"Mean probability of the option named first, less chance ({chance:.2f}), over every order. {answers(rows)}"
        f" {INTERVALS} The other figures average over orders, so it does not move them."
    )
    shifted = [
        {
            "persona": row["persona"],
            **drawn.about(row),
            "model": row["model"],
            "above chance": _less(row["value"], chance),
            "low": _less(row["ci_low"], chance),
            "high": _less(row["ci_high"], chance),
        }
        for row in rows
    ]
    encode = {"x": "persona", "y": "above chance", **drawn.by_domain, "low": "low", "high": "high", **drawn.by_model}
    title = "How much the option named first is favoured"
    return figure(drawn, f"{_short(drawn)}-position", "bars", title, caption, shifted, encode)


def forest(
    drawn: Drawn, id_: str, title: str, rows: Sequence[Row], label: Callable[[Row], str], more: str = ""
) -> Figure | None:
    """Differences from the baseline with intervals, the largest first; one panel per model where there are several."""
    ordered = sorted(rows, key=lambda row: -row["value"] if math.isfinite(row["value"]) else math.inf)
    counts = [row["n"] for row in rows] or [0]
    caption = (
        "Paired differences from the same model without a persona, on the same stimuli, with 95 % intervals over"
        f" stimuli; each on {min(counts):,} to {max(counts):,} answers of both sides.{more}"
    )
    single = any(row["model"] is not None for row in rows)
    return figure(
        drawn,
        id_,
        "forest",
        title,
        caption,
        [valued(row, "difference", comparison=label(row)) for row in ordered],
        {
            "y": "comparison",
            "x": "difference",
            "low": "low",
            "high": "high",
            **(drawn.by_model if single else {}),
        },
    )


def figure(
    drawn: Drawn,
    id_: str,
    kind: Any,
    title: str,
    caption: str,
    rows: Rows,
    encode: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
) -> Figure | None:
    """A figure, or None where there is nothing to draw: no row, or none with a number."""
    if not any(row.get(encode[_LENGTHS[kind]]) is not None for row in rows):
        return None
    return drawing.figure(drawn.study, id_, kind, title, caption, rows, encode, options)


def present(*figures: Figure | None) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def valued(row: Row, name: str, **labels: Any) -> dict[str, Any]:
    """A row with its number, its interval and its model."""
    return {
        **labels,
        "model": row["model"] or "all models",
        name: finite(row["value"]),
        "low": row["ci_low"],
        "high": row["ci_high"],
        "answers": row["n"],
    }


def answers(rows: Sequence[Row]) -> str:
    """On how many answers, and what share of what was asked they are.

    Comparisons share the answers of the baseline, so their counts are not summed.
    """
    answered = sum(row["n"] for row in rows if row["level"] is None or row["level"] == rows[0]["level"])
    covered = [row["coverage"] for row in rows if row["coverage"] is not None]
    if not covered:
        return f"{answered:,} answers."
    compared = [row["n"] for row in rows if row["contrast"] or row["test"] == INTERVAL]
    lowest = f", at least {math.floor(100 * min(covered))} % in each cell" if min(covered) < 1 else ""
    if compared:
        return f"Each on {min(compared):,} to {max(compared):,} answers of both sides{lowest}."
    return f"{answered:,} answers{lowest or ', everything asked was answered'}."


def _panel(drawn: Drawn, row: Mapping[str, Any]) -> str:
    parts = [*([row["model"]] if drawn.several else []), *drawn.about(row).values()]
    return ": ".join(parts)


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _less(value: float | None, chance: float) -> float | None:
    return None if value is None or not math.isfinite(value) else value - chance


def _short(drawn: Drawn) -> str:
    return drawn.study.rpartition(".")[2]
