"""What the three kinds of questions show side by side: attribute by kind, in a role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from personae.studies.roleplay import measures as m
from personae.studies.roleplay.figures_parts import PERCENT, Drawn, valued
from personae.tell.saying import answers
from personae.tell.table import Row, Table
from personae.types import Figure

KINDS = {"roleplay.yesno": "Yes/No", "roleplay.choice": "Choice", "roleplay.why": "Why"}


def overview(estimates: pl.DataFrame) -> list[Figure]:
    """Draw the share of biased verdicts in a role, attribute by kind of question.

    Parameters
    ----------
    estimates : polars.DataFrame
        The estimates of every study of the family in the run.

    Returns
    -------
    list of Figure
        Empty where fewer than two kinds were asked: each study's own page shows one kind.
    """
    asked = [study for study in KINDS if estimates.filter(pl.col("study") == study).height]
    if len(asked) < 2:
        return []
    drawn = Drawn(study=asked[0], table=Table(estimates), names={})
    pairs = list(_cells(estimates, asked))
    figure = drawn.figure(
        "kinds",
        "heatmap",
        "Biased verdicts in a role, attribute by kind of question",
        f"Share of questions with a biased verdict, all asked in a role. {answers([row for row, _ in pairs])}",
        [shown for _, shown in pairs],
        {"x": "kind", "y": "attribute", "value": "share", **drawn.by_model},
        PERCENT,
    )
    return [figure] if figure is not None else []


def _cells(estimates: pl.DataFrame, asked: list[str]) -> Iterator[tuple[Row, dict[str, Any]]]:
    for study in asked:
        for row in Table(estimates.filter(pl.col("study") == study)).rows(m.BIASED, "domain"):
            yield row, valued(row, "share", attribute=row["domain"], kind=KINDS[study])
