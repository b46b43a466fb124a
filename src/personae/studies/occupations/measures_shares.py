"""What needs no reference: P(female) in the mean, the mass that was none of the words, the pull of the first place."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from personae.measure.estimates import MEAN_TEST
from personae.measure.results import estimate_of
from personae.stats.means import mean_test
from personae.studies.occupations.measures_frame import Block
from personae.studies.occupations.measures_gaps import UNTITLED, redrawn_of, share_column
from personae.studies.occupations.measures_intervals import OCCUPATION, STUDY, Column, counted, mean_of
from personae.types import Estimate

SHARE, OTHER, POSITION, THIRD = "female share", "other mass", "position effect", "third share"


def share_estimates(block: Block) -> Iterator[Estimate]:
    """Every measure of a block that needs no reference."""
    redrawn, everything = redrawn_of(block), np.ones(block.codes.size, dtype=bool)
    yield mean_of(share_column(block, redrawn, everything), SHARE, {})
    if 0 < block.titled.sum() < block.titled.size:
        yield mean_of(share_column(block, redrawn, ~block.titled), SHARE, {"level": UNTITLED})
    for measure, name in ((OTHER, "other"), (THIRD, "third")):
        found, known = mass_column(block, name), block.counts(name)
        if known.any():
            told = mean_of(found, measure, {})
            yield msgspec.structs.replace(told, n=int(known.sum()), coverage=float(known.sum() / block.asked.sum()))
    yield from _position(block)


def mass_column(block: Block, name: str) -> Column:
    """A probability that answers carry, and some that could not be read; where it is not known it could be any."""
    values, share = block.mean(name), block.counts(name) / block.asked
    least = np.nan_to_num(values) * share
    return Column(
        block=block,
        kept=np.ones(block.codes.size, dtype=bool),
        values=values,
        least=least,
        most=least + (1.0 - share),
        redrawn=None,
        bounded=(0.0, 1.0),
    )


def _position(block: Block) -> Iterator[Estimate]:
    """How much more the option named first gets than its part, over occupations asked in every order."""
    chance = 1.0 / block.options
    values = block.mean("position")
    known = ~np.isnan(values)
    if not known.any():
        return
    found, share = mean_test(values[known] - chance), block.answered / block.asked
    least = np.nan_to_num(values) * share
    everything = counted(block, np.ones(block.codes.size, dtype=bool))
    yield estimate_of(
        found,
        study=STUDY,
        measure=POSITION,
        model=block.model,
        cell=block.names,
        test=MEAN_TEST,
        clusters=found.n,
        unit=OCCUPATION,
        bounds=(float(least.mean()) - chance, float((least + 1.0 - share).mean()) - chance),
        **everything,
    )
