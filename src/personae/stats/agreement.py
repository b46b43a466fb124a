"""Agreement of judges, shares corrected for a judge's errors, and agreement of two rankings."""

from __future__ import annotations

import math
from functools import partial
from itertools import permutations

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from personae.stats._base import (
    NAN,
    NO_VALUES,
    NOT_FINITE,
    ONE_CLUSTER,
    Floats,
    Labels,
    Tested,
    as_floats,
    check_level,
    factorize,
    negligible,
    t_quantile,
    t_two_sided,
    z_quantile,
)
from personae.stats.proportions import Proportion

ONE_CATEGORY = "all votes are the same: agreement beyond chance cannot be told"
NO_SPREAD = "every subject adds the same to the agreement: its spread cannot be estimated"
NO_INFORMATION = "the judge does no better than chance on the rated sample: nothing can be corrected"
NO_RATED = "the rated sample holds no case of one of the two kinds"
FEW_RANKS = "fewer than three pairs: no ranking to compare"
EQUAL_RANKS = "one side is all ties: no ranking to compare"
NO_INTERVAL = "four pairs or more that do not agree perfectly are needed for an interval"
_EXACT_RANKS = 8


class Kappa(Tested, frozen=True, kw_only=True):
    """Chance-corrected agreement with its interval and its test against 0.

    ``observed`` is the share of agreeing pairs of votes, ``expected`` what chance would give; ``n`` subjects,
    ``raters`` votes on each, ``n_clusters`` independent groups of subjects.
    """

    observed: float = NAN
    expected: float = NAN
    n: int = 0
    raters: int = 0
    n_clusters: int = 0


class CorrectedShare(Struct, frozen=True, kw_only=True):
    """A share corrected for false alarms and misses, with its interval."""

    value: float
    ci_low: float = NAN
    ci_high: float = NAN
    reason: str = ""


class RankCorrelation(Tested, frozen=True, kw_only=True):
    """Spearman's correlation with its interval and its test against 0. ``exact``: by every permutation."""

    n: int = 0
    exact: bool = False


def fleiss_kappa(counts: ArrayLike, clusters: Labels | None = None, level: float = 0.95) -> Kappa:
    """Agreement of votes on the same subjects, beyond what chance would give.

    The value is Fleiss': the share of agreeing pairs of votes beyond what the categories' shares would give by chance.
    The interval takes each subject's part in it (by linearisation) and Student's t over subjects, or over clusters of
    subjects where several belong together; it ends at 1.

    Parameters
    ----------
    counts : array_like of int, shape (n, k)
        Votes on each subject for each of k categories; every subject has the same number of votes, two or more.
    clusters : sequence of hashables, length n, optional
        What each subject belongs to, such as the question that several judged answers answer.
    level : float

    Raises
    ------
    ValueError
        When subjects differ in their number of votes, there are fewer than two, lengths differ, or the level is
        not between 0 and 1.

    Notes
    -----
    Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971) 378-382.
    Interval: Gwet, "Computing inter-rater reliability and its variance in the presence of high agreement", British
    J. Math. Stat. Psychol. 61 (2008) 29-48, equation 19, with n - 1 degrees of freedom as in Gwet, Handbook of
    Inter-Rater Reliability (2014), chapter 5. The sum over clusters instead of subjects is this project's own.
    """
    check_level(level)
    table = np.asarray(counts, dtype=np.float64)
    if table.size == 0:
        return Kappa(value=NAN, reason=NO_VALUES)
    raters = _raters(table)
    codes = np.arange(table.shape[0]) if clusters is None else factorize(clusters, table.shape[0])[0]
    share = table.sum(axis=0) / table.sum()
    agreeing = (table * (table - 1.0)).sum(axis=1) / (raters * (raters - 1.0))
    observed, expected = float(agreeing.mean()), float((share**2).sum())
    groups = int(codes.max()) + 1
    result = partial(Kappa, observed=observed, expected=expected, n=table.shape[0], raters=raters, n_clusters=groups)
    if negligible(1.0 - expected, share):
        return result(value=NAN, reason=ONE_CATEGORY)
    value = (observed - expected) / (1.0 - expected)
    if groups == 1:
        return result(value=value, reason=ONE_CLUSTER)
    by_chance = table @ share / raters
    parts = (agreeing - expected) / (1.0 - expected) - 2.0 * (1.0 - value) * (by_chance - expected) / (1.0 - expected)
    sums = np.bincount(codes, weights=parts - value) / table.shape[0]
    error = math.sqrt(groups / (groups - 1.0) * float(sums @ sums))
    if negligible(error, parts):
        return result(value=value, reason=NO_SPREAD)
    half, statistic = t_quantile(groups - 1.0, level) * error, value / error
    return result(
        value=value,
        ci_low=max(-1.0, value - half),
        ci_high=min(1.0, value + half),
        statistic=statistic,
        df=groups - 1.0,
        p=t_two_sided(groups - 1.0, statistic),
    )


def _raters(table: Floats) -> int:
    """Votes on every subject."""
    if table.ndim != 2:
        raise ValueError(f"counts must be a table of subjects and categories, found {table.ndim} dimensions")
    if (table < 0).any() or (table != np.round(table)).any():
        raise ValueError("counts must be whole numbers of at least 0")
    votes = np.unique(table.sum(axis=1))
    if votes.size > 1 or votes[0] < 2:
        raise ValueError(f"every subject needs the same number of votes, at least 2; found {votes.tolist()}")
    return int(votes[0])


def corrected_share(
    apparent: Proportion, sensitivity: Proportion, specificity: Proportion, level: float = 0.95
) -> CorrectedShare:
    """Correct the share a judge flags for the errors the judge makes.

    With share a flagged, sensitivity s and specificity t it is ``(a + t - 1) / (s + t - 1)``, cut to 0 .. 1. The
    interval knows that s and t are estimated too.

    Parameters
    ----------
    apparent : Proportion
        Share flagged, from `proportions.wilson` or `proportions.proportion`; its effective size counts.
    sensitivity, specificity : Proportion
        Of what people found biased, the share the judge flagged; of what they did not, the share it did not flag.
        The rated sample must not have been chosen by the verdict.
    level : float

    Returns
    -------
    CorrectedShare
        nan with a reason where the judge does no better than chance.

    Notes
    -----
    Rogan and Gladen, "Estimating prevalence from the results of a screening test", Amer. J. Epidemiology 107 (1978)
    71-76; interval: Lang and Reiczigel, "Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity", Preventive Veterinary Medicine 113 (2014) 13-22, equations 4, 6, 7 and 15 to 17.
    """
    check_level(level)
    if apparent.reason == NO_VALUES:
        return CorrectedShare(value=NAN, reason=NO_VALUES)
    if NO_VALUES in (sensitivity.reason, specificity.reason):
        return CorrectedShare(value=NAN, reason=NO_RATED)
    found, z = _rogan_gladen(apparent.value, sensitivity.value, specificity.value), z_quantile(level)
    size = apparent.n_effective + z**2
    share = (apparent.n_effective * apparent.value + z**2 / 2.0) / size
    n_s, n_t = sensitivity.n_effective + 2.0, specificity.n_effective + 2.0
    s = (sensitivity.n_effective * sensitivity.value + 1.0) / n_s
    t = (specificity.n_effective * specificity.value + 1.0) / n_t
    if math.isnan(found) or s + t <= 1.0:
        return CorrectedShare(value=NAN, reason=NO_INFORMATION)
    centre = (share + t - 1.0) / (s + t - 1.0)
    misses, alarms = s * (1.0 - s) / n_s, t * (1.0 - t) / n_t
    shift = 2.0 * z**2 * (centre * misses - (1.0 - centre) * alarms)
    variance = share * (1.0 - share) / size + centre**2 * misses + (1.0 - centre) ** 2 * alarms
    half = z * math.sqrt(variance) / (s + t - 1.0)
    value = min(1.0, max(0.0, found))
    return CorrectedShare(
        value=value,
        # The shrunken interval of an extreme share may miss the cut value by a little.
        ci_low=min(value, max(0.0, centre + shift - half)),
        ci_high=max(value, min(1.0, centre + shift + half)),
    )


def _rogan_gladen(share: float, sensitivity: float, specificity: float) -> float:
    informed = sensitivity + specificity - 1.0
    return (share + specificity - 1.0) / informed if informed > 0.0 else NAN


def rank_correlation(values: ArrayLike, others: ArrayLike, level: float = 0.95) -> RankCorrelation:
    """Spearman's rank correlation; equal values share their ranks.

    Parameters
    ----------
    values, others : array_like, shape (n,)
    level : float

    Returns
    -------
    RankCorrelation
        Up to 8 pairs p is exact (over every permutation), beyond it is that of t on n - 2 degrees of freedom.

    Raises
    ------
    ValueError
        When lengths differ or the level is not between 0 and 1.

    Notes
    -----
    Spearman, "The proof and measurement of association between two things", Amer. J. Psychology 15 (1904) 72-101;
    interval: Fisher's transformation with the standard error of Bonett and Wright, "Sample size requirements for
    estimating Pearson, Kendall and Spearman correlations", Psychometrika 65 (2000) 23-28.
    """
    check_level(level)
    ours, theirs = as_floats(values), as_floats(others)
    size = ours.size
    if theirs.size != size:
        raise ValueError(f"found {size} values and {theirs.size} others")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return RankCorrelation(value=NAN, n=size, reason=NOT_FINITE)
    if size < 3:
        return RankCorrelation(value=NAN, n=size, reason=FEW_RANKS)
    one, two = (_ranks(side) - (size + 1.0) / 2.0 for side in (ours, theirs))
    norm = math.sqrt(float(one @ one) * float(two @ two))
    if norm == 0.0:
        return RankCorrelation(value=NAN, n=size, reason=EQUAL_RANKS)
    value = float(np.clip(float(one @ two) / norm, -1.0, 1.0))
    statistic, p = _rank_test(one, two, value)
    result = partial(
        RankCorrelation, value=value, n=size, statistic=statistic, df=size - 2.0, p=p, exact=size <= _EXACT_RANKS
    )
    if size < 4 or abs(value) > 1.0 - 1e-12:
        return result(reason=NO_INTERVAL)
    half = z_quantile(level) * math.sqrt((1.0 + value**2 / 2.0) / (size - 3.0))
    return result(ci_low=math.tanh(math.atanh(value) - half), ci_high=math.tanh(math.atanh(value) + half))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1.0) / 2.0)[codes], dtype=np.float64)


def _rank_test(one: Floats, two: Floats, value: float) -> tuple[float, float]:
    """Statistic of t, and p: exact over all permutations of few ranks, else by t."""
    df = one.size - 2.0
    statistic = value * math.sqrt(df / (1.0 - value**2)) if abs(value) < 1.0 else NAN
    if one.size > _EXACT_RANKS:
        return statistic, t_two_sided(df, statistic) if abs(value) < 1.0 else 0.0
    products = np.abs(np.array(list(permutations(two))) @ one)
    # Products that differ by rounding alone must count as ties.
    return statistic, float((products >= abs(float(one @ two)) - 1e-9).mean())
