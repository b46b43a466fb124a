"""What a persona changes: the same occupations with it and without, paired."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from personae.measure.estimates import PAIRED_TEST
from personae.measure.names import CONTRAST
from personae.measure.results import estimate_of
from personae.stats.paired import paired_difference
from personae.studies.occupations.measures_frame import Block, Booleans, Floats
from personae.studies.occupations.measures_gaps import ABSOLUTE, GAPS, KL_TO_MODEL, column, share_column
from personae.studies.occupations.measures_intervals import OCCUPATION, STUDY, Column
from personae.studies.occupations.measures_shares import OTHER, SHARE, mass_column
from personae.types import Estimate


def contrast_estimates(ours: Block, base: Block) -> Iterator[Estimate]:
    """Differences of a persona's block from the baseline's, over the occupations that both answered."""
    everything = np.ones(ours.codes.size, dtype=bool), np.ones(base.codes.size, dtype=bool)
    shares = [share_column(one, None, kept) for one, kept in zip((ours, base), everything, strict=True)]
    yield difference(SHARE, shares[0], shares[1], {})
    masses = [mass_column(one, "other") for one in (ours, base)]
    if not any(np.isnan(one.values).all() for one in masses):
        yield difference(OTHER, masses[0], masses[1], {})
    for name in ours.references:
        if name not in base.references:
            continue
        for measure in (ABSOLUTE, KL_TO_MODEL):
            both = [_against(one, measure, name) for one in (ours, base)]
            if both[0].kept.any() and both[1].kept.any():
                yield difference(measure, both[0], both[1], {"reference": name})


def _against(block: Block, measure: str, name: str) -> Column:
    reference = block.references[name]
    return column(block, GAPS[measure], reference, None, ~np.isnan(reference))


def difference(measure: str, ours: Column, base: Column, names: dict[str, str]) -> Estimate:
    """The mean of one column less that of another over the occupations of both: paired t-test, g_z as effect size.

    Coverage is that of the side with less; the bounds complete both sides.
    """
    mine, theirs = _shared(ours, base)
    test = paired_difference(
        ours.values[ours.known], ours.block.codes[ours.known], base.values[base.known], base.block.codes[base.known]
    )
    return estimate_of(
        test,
        study=STUDY,
        measure=measure,
        model=ours.block.model,
        contrast=CONTRAST,
        cell={**ours.block.names, **names},
        test=PAIRED_TEST,
        n=_answers(ours, base),
        clusters=test.n_pairs,
        unit=OCCUPATION,
        coverage=min(_coverage(ours, mine), _coverage(base, theirs)) if mine.any() else None,
        bounds=_bounds(ours, base, mine, theirs),
    )


def _shared(ours: Column, base: Column) -> tuple[Booleans, Booleans]:
    """Occupations of each side that the other side was asked about too."""
    mine = ours.kept & np.isin(ours.block.codes, base.block.codes[base.kept])
    return mine, base.kept & np.isin(base.block.codes, ours.block.codes[ours.kept])


def _answers(ours: Column, base: Column) -> int:
    """Answers behind the pairs, of both sides."""
    both = np.intersect1d(ours.block.codes[ours.known], base.block.codes[base.known])
    return int(sum(side.block.answered[np.isin(side.block.codes, both)].sum() for side in (ours, base)))


def _bounds(ours: Column, base: Column, mine: Booleans, theirs: Booleans) -> tuple[float, float] | None:
    if not mine.any():
        return None
    ends: list[Floats] = [ours.least[mine] - base.most[theirs], ours.most[mine] - base.least[theirs]]
    return float(ends[0].mean()), float(ends[1].mean())


def _coverage(side: Column, kept: Booleans) -> float:
    return float(side.block.answered[kept].sum() / side.block.asked[kept].sum())
