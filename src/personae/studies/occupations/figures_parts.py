"""What the figures and findings of the occupations study share: its table, its blocks, and references in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from personae.measure.names import is_baseline
from personae.studies.occupations.measures_frame import HALF, Block
from personae.studies.occupations.measures_intervals import STUDY
from personae.tell import drawing
from personae.tell.saying import answers, percent
from personae.tell.table import Table
from personae.types import Figure

Rows = list[dict[str, Any]]
MOST_MODELS = 4
"""With more models, figures of single occupations show the first of them."""
NO_PERSONA = "no persona"
REFERENCES = {
    ("ratings", "women"): "women's ratings",
    ("ratings", "men"): "men's ratings",
    ("statistics", "statistics"): "labour statistics",
}


def reference_name(dataset: str, reference: str) -> str:
    """A reference in words, with its dataset where its name alone does not say which."""
    if reference == HALF:
        return f"50 % ({dataset})"
    return REFERENCES.get((dataset, reference), f"{reference} ({dataset})")


class Drawn(Struct, frozen=True):
    """What every figure needs: the table of estimates, and the blocks of answers behind it."""

    table: Table
    blocks: list[Block]

    @property
    def several(self) -> bool:
        """Whether more than one model was measured."""
        return len(self.table.models) > 1

    @property
    def shown(self) -> list[Block]:
        """Blocks without a persona of the first models; of every condition where there is none without."""
        first = [one for one in self.blocks if one.model in self.table.models[:MOST_MODELS]]
        return [one for one in first if one.baseline] or first

    @property
    def datasets(self) -> set[str]:
        """Names of the datasets that were asked."""
        return {one.names["domain"] for one in self.blocks}

    @property
    def limited(self) -> str:
        """Says that single occupations are shown of some models only, where that is so."""
        more = len(self.table.models) - MOST_MODELS
        return f" The first {MOST_MODELS} of {MOST_MODELS + more} models are shown." if more > 0 else ""

    def panel(self, block: Block, said: str) -> str:
        """What a panel shows, with the condition and the model where there are several."""
        who = condition(block.names)
        parts = [said, *([who] if who != NO_PERSONA else []), *([block.model] if self.several else [])]
        return ", ".join(parts)

    def other_mass(self, models: Sequence[str], dataset: str = "") -> float | None:
        """How much of the probability was none of the words, in the mean over what these models were asked.

        With a dataset, over its occupations without a persona, where they were asked so.
        """
        mine = [one for one in self.blocks if one.model in models and dataset in ("", one.names["domain"])]
        if dataset and any(one.baseline for one in mine):
            mine = [one for one in mine if one.baseline]
        masses = [mass[~np.isnan(mass)] for mass in (one.mean("other") for one in mine)]
        known = np.concatenate([np.empty(0), *masses])
        return float(known.mean()) if known.size else None

    def others(self, models: Sequence[str]) -> str:
        """The same as a sentence to append to a caption."""
        mass = self.other_mass(models)
        return "" if mass is None else f" Mass of other words: {percent(mass)} in the mean."


def figure(
    name: str,
    kind: Any,
    title: str,
    caption: str,
    rows: Rows,
    encode: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
) -> Figure | None:
    """A figure, or None where there is nothing to draw."""
    return drawing.figure(STUDY, f"gender-{name}", kind, title, caption, rows, encode, options)


def condition(row: Mapping[str, Any]) -> str:
    """Who the model is, in words."""
    persona, user = row.get("persona"), row.get("user")
    if is_baseline(row) or (persona is None and user is None):
        return NO_PERSONA
    return (persona or NO_PERSONA) + (f", to {user}" if user else "")


def answered(blocks: Sequence[Block], each: str) -> str:
    """The same of blocks drawn occupation by occupation; ``each`` is what a block is drawn as."""
    return answers(
        [
            {"n": int(one.answered.sum()), "coverage": float(one.answered.sum() / one.asked.sum())}
            for one in blocks
            if one.asked.sum()
        ],
        each,
    )
