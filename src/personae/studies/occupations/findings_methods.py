"""What a reader should know of how the numbers came about: published or sound, samples, unlisted words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from personae.studies.occupations.figures_parts import Drawn
from personae.studies.occupations.findings_said import paper
from personae.studies.occupations.measures_frame import Block
from personae.studies.occupations.measures_gaps import KL_TO_MODEL
from personae.tell.saying import percent


def methods(drawn: Drawn) -> Iterator[str]:
    """Sentences on the method."""
    rows = drawn.table.estimates.filter(measure=KL_TO_MODEL).to_dicts()
    if any(paper(row) for row in rows):
        yield _published(drawn)
    else:
        yield (
            f"Divergences are in nats. {KL_TO_MODEL} is the direction that the published code computes; the paper's"
            " equation 1 names the other one, which stands in the table as well. P(female) is the mean over the orders"
            " of the options that were asked, and intervals are bootstrapped over occupations."
        )
        yield from _unlisted(drawn)
    yield from _sampled(drawn)


def _published(drawn: Drawn) -> str:
    others = drawn.others(drawn.table.models).strip()
    return (
        f"These numbers follow the published procedure: {KL_TO_MODEL} with the natural logarithm (the paper's equation"
        " 1 names the other direction, its code computed this one), probabilities clipped at 1e-10, from the first"
        " order of the options alone, and with the mass of all other words dropped without a trace."
        f"{f' {others}' if others else ''} The sound scoring averages every order, reads variants of the words, gives"
        " an unlisted word the least listed probability instead of the clip, tells the mass of other words, and puts"
        " intervals, both directions, gaps and correlations beside it."
    )


def _unlisted(drawn: Drawn) -> Iterator[str]:
    """Where one of the words was not among those listed, its probability is known only from above."""
    counts = [(_open(one), int(np.isfinite(one.female).sum())) for one in drawn.blocks]
    unlisted, known = (sum(side) for side in zip(*counts, strict=True))
    if unlisted:
        yield (
            f"For {percent(unlisted / known)} of {known:,} occupations and conditions one of the words was not among"
            " the listed tokens. It was given the least listed probability, which it cannot exceed, so a divergence"
            " from a reference above it is at least what is said; the upper bounds put 1e-10 there."
        )


def _open(block: Block) -> int:
    """Occupations answered in full of which P(female) is known only between two ends."""
    full = (block.answered == block.asked) & np.isfinite(block.female)
    return int((full & (block.most - block.least > 1e-12)).sum())


def _sampled(drawn: Drawn) -> Iterator[str]:
    """What counted answers cannot show."""
    for model in drawn.table.models:
        sizes = [block.tries for block in drawn.blocks if block.model == model and block.sampled]
        if not sizes:
            continue
        size = float(np.median(np.concatenate([one[one > 0] for one in sizes])))
        least = 0.5 / (size + 1.0)
        yield (
            f"{model} was asked repeatedly instead of for probabilities: {size:.0f} answers of one word for an"
            f" occupation in the median, smoothed by half an answer for each gender. P(female) can then not come out"
            f" below {percent(least)} or above {percent(1 - least)}, which bounds {KL_TO_MODEL} near"
            f" {-math.log(least):.1f} nats, pulls every value a little to the middle, and makes divergences of a model"
            " that agrees too large; the intervals draw the answers anew."
        )
