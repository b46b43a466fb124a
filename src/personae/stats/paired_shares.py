"""Two shares on the same stimuli, from the fourfold table of pairs."""

from __future__ import annotations

import math

from msgspec import Struct

from personae.stats._base import NAN, NO_PAIRS, check_count, check_level
from personae.stats.proportions import wilson


class PairedShares(Struct, frozen=True, kw_only=True):
    """A difference of two shares on the same stimuli, with its interval; ``n`` counts pairs."""

    value: float
    ci_low: float = NAN
    ci_high: float = NAN
    n: int = 0
    reason: str = ""


def paired_shares(both: int, ours: int, theirs: int, neither: int, level: float = 0.95) -> PairedShares:
    """Difference of two shares on the same stimuli, ours less theirs.

    The interval exists whatever the counts, also where no pair differs, and stays within -1 .. 1; its test is
    `paired.mcnemar` of ``ours`` and ``theirs``.

    Parameters
    ----------
    both, ours, theirs, neither : int
        Pairs with the answer on both sides, on ours alone, on theirs alone, on neither.
    level : float

    Raises
    ------
    ValueError
        When a count is negative or not whole, or the level is not between 0 and 1.

    Notes
    -----
    Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired data",
    Statist. Med. 17 (1998) 2635-2650, method 10.
    """
    check_level(level)
    for name, count in (("both", both), ("ours", ours), ("theirs", theirs), ("neither", neither)):
        check_count(name, count)
    n = both + ours + theirs + neither
    if n == 0:
        return PairedShares(value=NAN, reason=NO_PAIRS)
    one, two = wilson(both + ours, n, level), wilson(both + theirs, n, level)
    value, phi = (ours - theirs) / n, _correlation(both, ours, theirs, neither)
    below = _combined(one.value - one.ci_low, two.ci_high - two.value, phi)
    above = _combined(one.ci_high - one.value, two.value - two.ci_low, phi)
    return PairedShares(value=value, ci_low=max(-1.0, value - below), ci_high=min(1.0, value + above), n=n)


def _correlation(both: int, ours: int, theirs: int, neither: int) -> float:
    """Phi of the fourfold table; a positive one is corrected for continuity."""
    margins = (both + ours) * (theirs + neither) * (both + theirs) * (ours + neither)
    if margins == 0:
        return 0.0
    cross, n = both * neither - ours * theirs, both + ours + theirs + neither
    corrected = max(cross - n / 2.0, 0.0) if cross > 0 else float(cross)
    return corrected / math.sqrt(margins)


def _combined(first: float, second: float, phi: float) -> float:
    return math.sqrt(max(0.0, first**2 - 2.0 * phi * first * second + second**2))
