"""Persona against baseline on the same stimuli."""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import partial

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy import special

from personae.stats._base import (
    NAN,
    NO_DISCORDANT,
    NO_PAIR_VARIANCE,
    NO_PAIRS,
    NO_VALUES,
    NOT_FINITE,
    ONE_PAIR,
    Floats,
    Labels,
    Tested,
    as_floats,
    check_count,
    check_level,
    factorize,
    negligible,
    t_quantile,
    t_two_sided,
)
from personae.stats.effect import small_sample_correction

_EXACT_PAIRS = 18
_CHUNK = 4_000_000


class PairedDifference(Tested, frozen=True, kw_only=True):
    """A mean difference over shared stimuli, with its interval and its paired t-test.

    ``effect_size`` is g_z: mean over standard deviation of the differences, corrected for small samples.
    ``n_pairs`` counts stimuli answered on both sides, ``n_unpaired`` stimuli answered on one side only,
    ``n`` the single values behind the pairs.
    """

    effect_size: float = NAN
    n_pairs: int = 0
    n: int = 0
    n_unpaired: int = 0


class Pairs(Struct, frozen=True, kw_only=True):
    """Means per shared stimulus on both sides, in the order the stimuli first appear."""

    stimuli: list[Hashable]
    values: Floats
    baseline: Floats
    n: int
    n_unpaired: int

    @property
    def differences(self) -> Floats:
        """Mean less baseline mean per stimulus, shape ``(n_pairs,)``."""
        return self.values - self.baseline


class PermutationTest(Struct, frozen=True, kw_only=True):
    """A sign-flip test of a mean difference; ``draws`` counts the sign patterns looked at."""

    value: float
    p: float = NAN
    draws: int = 0
    exact: bool = False
    n_pairs: int = 0
    reason: str = ""


class McNemar(Struct, frozen=True, kw_only=True):
    """Pairs that changed one way (b) and the other (c).

    ``odds_ratio`` is b / c with its exact interval; ``p`` is exact, ``p_mid`` its mid-p version;
    ``statistic`` is the uncorrected chi-square on one degree of freedom.
    """

    odds_ratio: float
    ci_low: float = NAN
    ci_high: float = NAN
    statistic: float = NAN
    p: float = NAN
    p_mid: float = NAN
    n_discordant: int = 0
    reason: str = ""


def pair(values: ArrayLike, stimuli: Labels, baseline_values: ArrayLike, baseline_stimuli: Labels) -> Pairs:
    """Average per stimulus on both sides and keep the stimuli that both sides answered.

    Parameters
    ----------
    values, baseline_values : array_like, shape (n,) and (m,)
        Answered values under the condition and under the baseline.
    stimuli, baseline_stimuli : sequences of hashables, length n and m

    Raises
    ------
    ValueError
        When lengths differ.
    """
    ours, theirs = as_floats(values), as_floats(baseline_values)
    codes, names = factorize([*stimuli, *baseline_stimuli], ours.size + theirs.size)
    if len(stimuli) != ours.size:
        raise ValueError(f"found {len(stimuli)} stimuli for {ours.size} values")
    left, right = codes[: ours.size], codes[ours.size :]
    n_left = np.bincount(left, minlength=len(names))
    n_right = np.bincount(right, minlength=len(names))
    both = (n_left > 0) & (n_right > 0)
    return Pairs(
        stimuli=[name for name, shared in zip(names, both, strict=True) if shared],
        values=np.bincount(left, weights=ours, minlength=len(names))[both] / n_left[both],
        baseline=np.bincount(right, weights=theirs, minlength=len(names))[both] / n_right[both],
        n=int((n_left + n_right)[both].sum()),
        n_unpaired=int((~both).sum()),
    )


def paired_difference(
    values: ArrayLike,
    stimuli: Labels,
    baseline_values: ArrayLike,
    baseline_stimuli: Labels,
    level: float = 0.95,
) -> PairedDifference:
    """Compare a condition with the baseline on the stimuli both answered.

    Each stimulus is averaged on both sides first, so it counts once however often it was asked, and
    Student's t is taken over stimuli.

    Parameters
    ----------
    values, baseline_values : array_like, shape (n,) and (m,)
        Answered values under the condition and under the baseline.
    stimuli, baseline_stimuli : sequences of hashables, length n and m
        The stimulus of each value; the same name pairs.
    level : float
        Level of the interval, between 0 and 1.

    Raises
    ------
    ValueError
        When the level is not between 0 and 1, or lengths differ.

    Notes
    -----
    Sources: paired t-test: Student, Biometrika 6 (1908) 1-25; g_z: Lakens, Frontiers in Psychology 4:863
    (2013), with the exact correction of Hedges, J. Educational Statistics 6 (1981), equation 6e.
    """
    check_level(level)
    pairs = pair(values, stimuli, baseline_values, baseline_stimuli)
    differences = pairs.differences
    result = partial(PairedDifference, n_pairs=differences.size, n=pairs.n, n_unpaired=pairs.n_unpaired)
    if differences.size == 0:
        return result(value=NAN, reason=NO_PAIRS)
    if not np.isfinite(differences).all():
        return result(value=NAN, reason=NOT_FINITE)
    value = float(differences.mean())
    if differences.size == 1:
        return result(value=value, reason=ONE_PAIR)
    spread = float(differences.std(ddof=1))
    if negligible(spread, pairs.values, pairs.baseline):
        return result(value=value, reason=NO_PAIR_VARIANCE)
    df, error = differences.size - 1.0, spread / math.sqrt(differences.size)
    half, statistic = t_quantile(df, level) * error, value / error
    return result(
        value=value,
        ci_low=value - half,
        ci_high=value + half,
        statistic=statistic,
        df=df,
        p=t_two_sided(df, statistic),
        effect_size=small_sample_correction(df) * value / spread,
    )


def paired_permutation(differences: ArrayLike, draws: int, rng: Generator) -> PermutationTest:
    """Test a mean difference by flipping the signs of the differences.

    Up to 18 pairs every pattern of signs is looked at and the p-value is exact; beyond, ``draws`` random
    patterns are, and the observed one is counted among them so that the p-value is valid and never 0.

    Parameters
    ----------
    differences : array_like, shape (n_pairs,)
    draws : int
        Random sign patterns, at least 1.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        When draws is below 1.

    Notes
    -----
    Sources: Fisher, The Design of Experiments (1935), section 21; Phipson and Smyth, "Permutation
    p-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9:39 (2010).
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, found {draws!r}")
    array = as_floats(differences)
    if array.size == 0:
        return PermutationTest(value=NAN, reason=NO_VALUES)
    if not np.isfinite(array).all():
        return PermutationTest(value=NAN, n_pairs=array.size, reason=NOT_FINITE)
    # Sums that differ by rounding alone must count as ties.
    threshold = abs(float(array.sum())) - 1e-12 * float(np.abs(array).sum())
    value = float(array.mean())
    if array.size <= _EXACT_PAIRS:
        sums = np.abs(_all_sign_sums(array))
        p = float((sums >= threshold).mean())
        return PermutationTest(value=value, p=p, draws=2 * sums.size, exact=True, n_pairs=array.size)
    extreme = _random_extremes(array, threshold, draws, rng)
    return PermutationTest(value=value, p=(extreme + 1.0) / (draws + 1.0), draws=draws, n_pairs=array.size)


def _all_sign_sums(array: Floats) -> Floats:
    """Sums under every pattern of signs with the first sign fixed; the other half mirrors them."""
    sums = array[:1]
    for difference in array[1:]:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def _random_extremes(array: Floats, threshold: float, draws: int, rng: Generator) -> int:
    """How many random sign patterns give a sum at least as far from 0 as the threshold."""
    extreme, chunk = 0, max(1, _CHUNK // array.size)
    for start in range(0, draws, chunk):
        signs = rng.integers(0, 2, size=(min(chunk, draws - start), array.size), dtype=np.int8)
        extreme += int((np.abs((2.0 * signs - 1.0) @ array) >= threshold).sum())
    return extreme


def mcnemar(b: int, c: int, level: float = 0.95) -> McNemar:
    """Test whether pairs that changed went one way more often than the other.

    Parameters
    ----------
    b, c : int
        Pairs with the outcome under the condition only, and under the baseline only.
    level : float
        Level of the interval, between 0 and 1.

    Raises
    ------
    ValueError
        When a count is negative or not whole.

    Notes
    -----
    Sources: McNemar, Psychometrika 12 (1947) 153-157; mid-p: Fagerland, Lydersen and Laake, BMC Medical
    Research Methodology 13:91 (2013); the interval is Clopper and Pearson's (Biometrika 26, 1934) for b /
    (b + c), carried over to the odds.
    """
    check_level(level)
    check_count("b", b)
    check_count("c", c)
    total = b + c
    if total == 0:
        return McNemar(odds_ratio=NAN, reason=NO_DISCORDANT)
    tail, fewer = 0.5 - level / 2.0, min(b, c)
    low = float(special.betaincinv(b, c + 1, tail)) if b else 0.0
    high = float(special.betaincinv(b + 1, c, 1.0 - tail)) if c else 1.0
    tails = 2.0 * float(special.bdtr(fewer, total, 0.5))
    point = math.exp(-total * math.log(2.0) + _log_choose(total, fewer))
    return McNemar(
        odds_ratio=b / c if c else math.inf,
        ci_low=low / (1.0 - low),
        ci_high=high / (1.0 - high) if high < 1.0 else math.inf,
        statistic=(b - c) ** 2 / total,
        p=min(1.0, tails),
        # The middle belongs to both tails when b equals c, so it is taken off one and a half times.
        p_mid=tails - 1.5 * point if b == c else tails - point,
        n_discordant=total,
    )


def _log_choose(total: int, fewer: int) -> float:
    """Logarithm of the binomial coefficient, finite for any counts."""
    return math.lgamma(total + 1) - math.lgamma(fewer + 1) - math.lgamma(total - fewer + 1)
