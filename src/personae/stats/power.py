"""How many stimuli and repeats an effect needs in the paired design."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from personae.stats._base import NAN

_MOST = 1_000_000
_NO_EFFECT = "an effect of 0 cannot be found"
_TOO_SMALL = "the effect is too small to be found with a million stimuli"
_OUT_OF_REACH = "the spread between stimuli alone is too large: more stimuli are needed, not more repeats"


class Need(Struct, frozen=True, kw_only=True):
    """How many are needed, and the power that many give; ``number`` is None when no number is enough."""

    number: int | None
    power: float = NAN
    effect_size: float = NAN
    reason: str = ""


def standardised(difference: float, sd_stimuli: float, sd_repeats: float, repeats: int) -> float:
    """Effect size d_z of a paired difference when each side is averaged over repeats.

    A difference varies over stimuli by ``sd_stimuli``, and each side's mean of ``repeats`` answers adds
    ``sd_repeats**2 / repeats`` to the variance.

    Source: Westfall, Kenny and Judd, J. Exp. Psychology: General 143 (2014) 2020-2045: the variance of a
    condition difference where stimuli are crossed with condition.
    """
    if sd_stimuli < 0.0 or sd_repeats < 0.0 or repeats < 1:
        raise ValueError("standard deviations must be at least 0 and repeats at least 1")
    spread = math.sqrt(sd_stimuli**2 + 2.0 * sd_repeats**2 / repeats)
    if spread == 0.0:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / spread


def paired_power(effect_size: float, stimuli: int, alpha: float = 0.05) -> float:
    """Power of the two-sided paired t-test over stimuli.

    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), chapter 2, case 4;
    computed by ``statsmodels.stats.power.TTestPower``.
    """
    if stimuli < 2:
        return NAN
    if math.isinf(effect_size):
        return 1.0
    # statsmodels takes seconds to import, so only who plans pays for it.
    from statsmodels.stats.power import TTestPower  # type: ignore[import-untyped]

    return float(TTestPower().power(effect_size=effect_size, nobs=stimuli, alpha=alpha))


def stimuli_needed(effect_size: float, power: float = 0.8, alpha: float = 0.05) -> Need:
    """Fewest stimuli that find an effect of this size with this power.

    Source: as `paired_power`.
    """
    if effect_size == 0.0:
        return Need(number=None, effect_size=0.0, reason=_NO_EFFECT)
    number, reached = _fewest(lambda stimuli: paired_power(effect_size, stimuli, alpha), 2, power)
    return Need(number=number, power=reached, effect_size=effect_size, reason="" if number else _TOO_SMALL)


def repeats_needed(
    difference: float,
    sd_stimuli: float,
    sd_repeats: float,
    stimuli: int,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Need:
    """Fewest repeats per stimulus and side that find a difference with this power on given stimuli.

    Source: `standardised` with `paired_power`.
    """
    if difference == 0.0:
        return Need(number=None, effect_size=0.0, reason=_NO_EFFECT)

    def size(repeats: int) -> float:
        return standardised(difference, sd_stimuli, sd_repeats, repeats)

    number, reached = _fewest(lambda repeats: paired_power(size(repeats), stimuli, alpha), 1, power)
    if number is None:
        return Need(number=None, power=reached, reason=_OUT_OF_REACH)
    return Need(number=number, power=reached, effect_size=size(number))


def _fewest(reached: Callable[[int], float], start: int, power: float) -> tuple[int | None, float]:
    """Smallest number with this power, and the power it has; None with the power of the largest tried."""
    if not 0.0 < power < 1.0:
        raise ValueError(f"power must lie between 0 and 1, found {power!r}")
    low, high = start - 1, start
    while not reached(high) >= power:
        if high >= _MOST:
            return None, reached(high)
        low, high = high, min(2 * high, _MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high, reached(high)
