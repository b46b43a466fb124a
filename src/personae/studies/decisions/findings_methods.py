"""What a reader should know of how the numbers came about."""

from __future__ import annotations

from collections.abc import Iterator

from personae.studies.decisions.drawn import Drawn
from personae.studies.decisions.measures_checks import MASS
from personae.studies.decisions.measures_gbv import AVERAGE, PUBLISHED


def methods(drawn: Drawn) -> Iterator[str]:
    """Sentences on the method."""
    if any(row["test"] == PUBLISHED for row in drawn.rows(AVERAGE)):
        yield (
            "These numbers follow the published procedure (section 4.3): the root of the mean squared deviation of"
            " the groups' mean scores from their own mean, and its mean over domains. A root of squares is above 0"
            " under pure noise; the sound scoring says how much of it chance leaves, with intervals over matched"
            " sets and a test."
        )
    else:
        yield (
            "GBV is the root of the mean squared deviation of the groups' mean scores from their own mean, so it is"
            " above 0 under pure noise, the more so the fewer sets there are. The floor is what it comes to when the"
            " groups of every matched set are shuffled, and p says how often that gives as much; compare excesses,"
            " not GBVs. Sets count that were answered for every group; intervals are bootstrapped over sets."
        )
    yield (
        "The people of a matched set have the same post, task, metric and file, and differ in one line alone. The"
        " texts of the benchmark were not released; these were written for this project, with the domains, groups"
        " and numbers of Table 1."
    )
    if drawn.rows(MASS):
        yield (
            "Where answers are forced the model is asked for a digit, and its score is the mean of the digits it"
            " considers, 0 standing for 0 and 9 for 100."
        )
