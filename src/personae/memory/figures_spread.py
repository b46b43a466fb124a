"""Where an injected bias went: domain by domain, and whether that is more than chance gives (paper 002, Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from personae.memory.design import MIXED
from personae.memory.drawn import figure, resting
from personae.memory.measures_frame import CHANGE_DOMAIN
from personae.memory.measures_spread import BEYOND, CHANCE, INCREASES
from personae.memory.naming import named, rows_of
from personae.studies.decisions.bank import DOMAINS
from personae.tell.table import Row, models
from personae.types import Figure


def figures(estimates: pl.DataFrame) -> Iterator[Figure]:
    """Draw the heat map of changes, and the table of shares where single domains were injected."""
    several = len(models(estimates)) > 1
    for made in (_heatmap(estimates, several), _shares(estimates, several)):
        if made is not None:
            yield made


def panel(row: Row, several: bool) -> str:
    """An arm in words without what is injected, and with its model where there are several."""
    return named({**row, "injected": MIXED}, several)


def _heatmap(estimates: pl.DataFrame, several: bool) -> Figure | None:
    found = [row for row in rows_of(estimates, CHANGE_DOMAIN, domain=True) if row["injection"] != "0"]
    injected = sorted({row["injected"] for row in found}, key=_place)
    single = [name for name in injected if name != MIXED]
    evaluated = [*single, *sorted({row["domain"] for row in found} - set(single), key=_place)]
    rows = [
        {"injected": row["injected"], "evaluated": row["domain"], "change": row["value"], "arm": panel(row, several)}
        for row in sorted(found, key=lambda row: (injected.index(row["injected"]), evaluated.index(row["domain"])))
    ]
    told = "by what was injected and by the domain that was evaluated" if single else "by arm, all nine being injected"
    caption = f"Change of GBV from the first audit to the last, in points, {told}. Above 0, group means moved apart."
    if len(single) > 1:
        caption += (
            " The domains that were injected come first, in the same order both ways: on the diagonal what was injected"
            " was evaluated, and all other cells are cross-domain. Noise alone makes about half of them grow; how"
            " many did, and how many would by chance, is in the next table."
        )
    axes = (
        {"x": "injected", "y": "evaluated"} if len(injected) < len(evaluated) else {"x": "evaluated", "y": "injected"}
    )
    return figure(
        "spread",
        "heatmap",
        "Where the change went",
        caption + resting(found, "episodes"),
        rows,
        {**axes, "value": "change", "facet": "arm"} if single else {"x": "arm", "y": "evaluated", "value": "change"},
        midpoint=0.0,
        format="+.1f",
    )


def _place(domain: str) -> int:
    """Domains as in Table 1 of the paper, all mixed after them."""
    return DOMAINS.index(domain) if domain in DOMAINS else len(DOMAINS)


def _shares(estimates: pl.DataFrame, several: bool) -> Figure | None:
    rows: list[Row] = []
    for measure, against in ((INCREASES, "its first audit"), (BEYOND, "the last audit without injection")):
        chances = rows_of(estimates, f"{measure}{CHANCE}")
        for row in rows_of(estimates, measure):
            rows.append(_share(row, against, [one for one in chances if _same(one, row)], several))
    heads = {
        "Arm": "arm",
        "Last audit against": "against",
        "Increases": "share",
        "By chance": "chance",
        "Middle 95 % of chance": "middle",
        "p": "p",
        "Adjusted p": "adjusted",
        "Cells": "n",
    }
    caption = (
        "Share of cross-domain cells in which group means moved apart (a cell that stayed the same is half an"
        " increase), and what exchanging audits within matched sets gives, with everything kept that cells have in"
        " common. p: how often chance gives as many or more. Against the first audit, whatever happens over an"
        " episode counts; against the same episode without injection, what was injected."
    )
    return figure(
        "spread_share",
        "table",
        "Cross-domain increases, and how many chance gives",
        caption,
        rows,
        heads,
        format={"share": ".0%", "chance": ".0%", "p": ".3f", "adjusted": ".3f"},
    )


def _share(row: Row, against: str, chances: Sequence[Row], several: bool) -> Row:
    """A share beside what chance gives; without the latter where the paper's scoring was asked for."""
    chance = chances[0] if chances else None
    return {
        "arm": panel(row, several),
        "against": against,
        "share": row["value"],
        "chance": chance and chance["value"],
        "middle": chance and f"{chance['ci_low']:.0%} to {chance['ci_high']:.0%}",
        "p": row["p"],
        "adjusted": row["p_adjusted"],
        "n": row["n"],
    }


def _same(one: Row, other: Row) -> bool:
    names = ("model", "memory", "injection", "injected", "mitigation", "persona")
    return all(one[name] == other[name] for name in names)
