"""The measures of the occupations study: outcomes in, estimates out (paper 004, sections 3 and 4)."""

from __future__ import annotations

import polars as pl

from personae.studies.occupations.measures_contrasts import contrast_estimates
from personae.studies.occupations.measures_frame import blocks, paired
from personae.studies.occupations.measures_gaps import gap_estimates
from personae.studies.occupations.measures_paper import paper_estimates
from personae.studies.occupations.measures_shares import share_estimates
from personae.study.base import Settings
from personae.types import Estimate


def estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of the occupations study, each model by itself.

    Cells name the dataset (``domain``), the persona (and user) and, where there is one, the ``reference``; the
    baseline's cells name it as their persona. Intervals are bootstrapped over occupations.

    Measures
    --------
    ``KL(reference || model)``, ``KL(model || reference)``, ``Jensen-Shannon divergence``
        Mean over occupations, in nats; with ``, median`` and ``, SD`` measures of their own.
    ``absolute gap``, ``signed gap``
        P(female) of the model less the reference's; above 0 is more female than the reference.
    ``correlation``, ``rank correlation``
        Pearson's and Spearman's, with every reference but the constant one half.
    ``calibration slope``, ``calibration intercept``, ``calibration``
        The line of the model on the reference; and mean P(female) in every tenth of the reference (``level``).
    ``female share``, ``third share``, ``other mass``
        Mean P(female) among the two; mass of the third set of words; mass that was none of the words.
    ``position effect``
        Share of the option named first, less one over the number of options; t-test against 0.

    Differences of a persona from the baseline (``contrast="baseline"``) are made of ``female share`` (the shift),
    ``other mass``, ``absolute gap`` and ``KL(reference || model)``: paired t-test over occupations. The level ``titles
    without gender`` leaves out occupations whose title says a gender.

    ``lower`` and ``upper`` hold whatever unanswered items would have said, and whatever probability below the least
    listed one an option that was not listed had; the latter reach down to 1e-10 in a divergence.

    ``scoring="paper"`` gives `measures_paper.paper_estimates` and nothing else.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    found = blocks(outcomes)
    if settings.scoring == "paper":
        return [one for block in found for one in paper_estimates(block)]
    return [
        *(one for block in found for one in (*share_estimates(block), *gap_estimates(block))),
        *(one for ours, base in paired(found) for one in contrast_estimates(ours, base)),
    ]
