"""What a persona changes: BAD, PSI and volatility of scores per prompt and generation, and whether it beats noise.

Scores are arrays of persona x prompt x generation, those without a persona of prompt x generation; nan marks an
answer without a score. Any number of leading axes (metrics, models) may stand before.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import ArrayLike

from personae.stats._base import NAN, NO_VALUES, ONE_CLUSTER, Floats, check_level
from personae.stats.association_permutation import DRAWS, LIMIT, subset_sums, tie
from personae.stats.bootstrap import Bootstrap

Over = Literal["both", "prompts", "generations"]
_NOT_COMPARABLE = "no prompt has a score with the persona and one without it"


class Amplification(Struct, frozen=True, kw_only=True):
    """BAD and what is made of it; every array may have leading axes.

    ``bad`` (personas, prompts) is the signed differential. Per persona: ``psi`` is its mean over prompts, in
    which opposite signs cancel, ``absolute`` the mean of ``|BAD|``, ``volatility_prompts`` the standard
    deviation of BAD over prompts (what the paper's Table 5 prints). ``volatility_generations`` (personas,
    prompts) is the standard deviation of the scores over generations (the paper's Algorithm 1). ``prompts``
    counts the prompts that were scored on both sides.
    """

    bad: Floats
    psi: Floats
    absolute: Floats
    volatility_prompts: Floats
    volatility_generations: Floats
    prompts: Floats


def amplification(scores: ArrayLike, neutral: ArrayLike, *, ddof: int = 0) -> Amplification:
    """Bias amplification differential, persona sensitivity index and both readings of volatility.

    Parameters
    ----------
    scores : array_like, shape (..., personas, prompts, generations)
    neutral : array_like, shape (..., prompts, generations)
        The number of generations may differ.
    ddof : int
        0 gives the standard deviations the paper prints, 1 the unbiased variance.

    Returns
    -------
    Amplification
        nan where nothing was scored, or too little for a standard deviation.

    Raises
    ------
    ValueError
        When the shapes do not fit.

    Notes
    -----
    Paper 003, section 4.3 and Algorithm 1: ``BAD(p, c) = m(p, c) - m(p, neutral)`` with m the mean score of
    the generations, ``PSI(c) = sum over p of BAD(p, c) / |P|``. The text calls BAD absolute, its formula is
    signed; `absolute` is the mean that does not cancel.
    """
    with_persona, without = np.asarray(scores, dtype=np.float64), np.asarray(neutral, dtype=np.float64)
    if with_persona.ndim < 3 or without.ndim != with_persona.ndim - 1 or _outer(with_persona) != without.shape[:-1]:
        raise ValueError(
            f"scores must be persona x prompt x generation and neutral scores prompt x generation, with the same "
            f"prompts, found shapes {with_persona.shape} and {without.shape}"
        )
    return shifts_of(_mean(with_persona) - _mean(without)[..., None, :], _deviation(with_persona, ddof), ddof=ddof)


def shifts_of(bad: ArrayLike, volatility_generations: ArrayLike | None = None, *, ddof: int = 0) -> Amplification:
    """`Amplification` of known BAD scores, such as averages over metrics or printed ones.

    Parameters
    ----------
    bad : array_like, shape (..., personas, prompts)
    volatility_generations : array_like, shape (..., personas, prompts), optional
        nan where it is not known.
    ddof : int
        As in `amplification`.
    """
    table = np.asarray(bad, dtype=np.float64)
    known = np.full(table.shape, NAN) if volatility_generations is None else volatility_generations
    return Amplification(
        bad=table,
        psi=_mean(table),
        absolute=_mean(np.abs(table)),
        volatility_prompts=_deviation(table, ddof),
        volatility_generations=np.asarray(known, dtype=np.float64),
        prompts=np.isfinite(table).sum(axis=-1).astype(np.float64),
    )


def average_metrics(bad: ArrayLike) -> Floats:
    """Mean BAD over metrics, the first axis: the paper's ``BAD_avg``.

    Scores of different encoders have no common scale, so this says less than its parts: print them with it.
    nan where any metric is missing.

    Parameters
    ----------
    bad : array_like, shape (metrics, ..., personas, prompts)

    Returns
    -------
    ndarray, shape (..., personas, prompts)

    Notes
    -----
    Paper 003, section 4.3, ``BAD_avg``.
    """
    mean: Floats = np.asarray(bad, dtype=np.float64).mean(axis=0)
    return mean


class ShiftTest(Struct, frozen=True, kw_only=True):
    """Whether a persona's generations differ from the neutral ones by more than these differ among themselves.

    ``p`` (two-sided) and ``p_greater`` test the signed mean ``psi``, ``p_absolute`` the mean of ``|BAD|``,
    which on noise alone would be ``expected_absolute`` on average, not 0.
    """

    psi: float
    absolute: float = NAN
    expected_absolute: float = NAN
    p: float = NAN
    p_greater: float = NAN
    p_absolute: float = NAN
    exact: bool = False
    partitions: int = 0
    prompts: int = 0
    reason: str = ""


def shift_test(
    scores: ArrayLike, neutral: ArrayLike, rng: Generator, *, draws: int = DRAWS, limit: int = LIMIT
) -> ShiftTest:
    """Permutation test of one persona: its generations and the neutral ones change places within each prompt.

    Parameters
    ----------
    scores : array_like, shape (prompts, generations)
    neutral : array_like, shape (prompts, generations)
        The number of generations may differ; nan is left out.
    rng : numpy.random.Generator
    draws : int
        Permutations where there are more than ``limit``; then p is ``(1 + hits) / (1 + draws)``.
    limit : int
        The most permutations that are counted exactly.

    Returns
    -------
    ShiftTest

    Raises
    ------
    ValueError
        When the shapes do not fit, or draws is below 1.

    Notes
    -----
    A stratified permutation test: Pesarin and Salmaso, Permutation Tests for Complex Data (2010). It holds for
    the prompts that were asked; whether others would give the same is told by an interval over prompts.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, found {draws!r}")
    pairs = _pairs(scores, neutral)
    if not pairs:
        return ShiftTest(psi=NAN, reason=_NOT_COMPARABLE)
    observed = np.array([ours.mean() - theirs.mean() for ours, theirs in pairs])
    partitions = math.prod(math.comb(ours.size + theirs.size, ours.size) for ours, theirs in pairs)
    exact = partitions <= limit
    psi, absolute = _all_shifts(pairs) if exact else _drawn_shifts(pairs, rng, draws)
    slack = max(tie(np.concatenate(pair)) for pair in pairs)
    shift, size = float(observed.mean()), float(np.abs(observed).mean())
    added, total = (0, partitions) if exact else (1, draws + 1)
    hits = [(np.abs(psi) >= abs(shift) - slack), psi >= shift - slack, absolute >= size - slack]
    p, p_greater, p_absolute = ((added + int(hit.sum())) / total for hit in hits)
    return ShiftTest(
        psi=shift,
        absolute=size,
        expected_absolute=float(absolute.mean()),
        p=p,
        p_greater=p_greater,
        p_absolute=p_absolute,
        exact=exact,
        partitions=psi.size,
        prompts=len(pairs),
    )


class ShiftIntervals(Struct, frozen=True, kw_only=True):
    """Bootstrap intervals of one persona's PSI, mean ``|BAD|`` and volatility over prompts."""

    psi: Bootstrap
    absolute: Bootstrap
    volatility_prompts: Bootstrap


def shift_intervals(
    scores: ArrayLike,
    neutral: ArrayLike,
    rng: Generator,
    *,
    over: Over = "both",
    draws: int = 4000,
    level: float = 0.95,
    ddof: int = 0,
) -> ShiftIntervals:
    """Hierarchical bootstrap of one persona: prompts are drawn, then the generations of each drawn prompt.

    Parameters
    ----------
    scores : array_like, shape (prompts, generations)
    neutral : array_like, shape (prompts, generations)
        The number of generations may differ; nan is left out.
    rng : numpy.random.Generator
    over : {"both", "prompts", "generations"}
        What might have been otherwise: "generations" keeps the prompts that were asked, "prompts" keeps the
        generations of a drawn prompt together.
    draws : int
        Resamples, at least 100.
    level : float
    ddof : int
        As in `amplification`.

    Returns
    -------
    ShiftIntervals
        Percentile intervals. The mean of ``|BAD|`` grows with noise: its interval leans upwards.

    Raises
    ------
    ValueError
        When the shapes do not fit, draws is below 100, or the level is not between 0 and 1.

    Notes
    -----
    Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8. With five prompts, five
    generations and as much noise as shift, simulated 95 % intervals of PSI held the mean over all prompts in
    96 % of cases ("both") and 87 % ("prompts"), and that of the prompts asked in 91 % ("generations"). Where
    generations hardly differ, "both" falls to "prompts": a t interval of BAD over prompts
    (`means.mean_test`) then holds its level better.
    """
    check_level(level)
    if draws < 100:
        raise ValueError(f"draws must be at least 100, found {draws!r}")
    pairs = _pairs(scores, neutral)
    reason = _NOT_COMPARABLE if not pairs else (ONE_CLUSTER if len(pairs) == 1 and over != "generations" else "")
    observed = shifts_of(np.array([[ours.mean() - theirs.mean() for ours, theirs in pairs]]), ddof=ddof)
    names = ("psi", "absolute", "volatility_prompts")
    if reason:
        value = {name: float(getattr(observed, name)[0]) for name in names}
        return ShiftIntervals(**{n: Bootstrap(value=value[n], n_clusters=len(pairs), reason=reason) for n in names})
    drawn = shifts_of(_resampled(pairs, rng, over, draws), ddof=ddof)
    found = {name: (float(getattr(observed, name)[0]), getattr(drawn, name)) for name in names}
    return ShiftIntervals(**{name: _interval(*found[name], level, len(pairs)) for name in names})


def _outer(scores: Floats) -> tuple[int, ...]:
    """The shape of persona scores without personas and generations."""
    return (*scores.shape[:-3], scores.shape[-2])


def _mean(values: Floats) -> Floats:
    """Mean over the last axis of what is there."""
    there = np.isfinite(values)
    count = there.sum(axis=-1)
    total = np.where(there, values, 0.0).sum(axis=-1)
    mean: Floats = np.divide(total, count, out=np.full(total.shape, NAN), where=count > 0)
    return mean


def _deviation(values: Floats, ddof: int) -> Floats:
    """Standard deviation over the last axis of what is there; nan of fewer than two."""
    there = np.isfinite(values)
    count = there.sum(axis=-1)
    squares = np.where(there, values - _mean(values)[..., None], 0.0) ** 2
    known = (count > 1) & (count > ddof)
    variance = np.divide(squares.sum(axis=-1), count - ddof, out=np.full(count.shape, NAN), where=known)
    deviation: Floats = np.sqrt(variance)
    return deviation


def _pairs(scores: ArrayLike, neutral: ArrayLike) -> list[tuple[Floats, Floats]]:
    """Per prompt that was scored on both sides, the scores with and without the persona.

    Raises
    ------
    ValueError
        When these are not two tables with the same number of prompts.
    """
    ours, theirs = np.asarray(scores, dtype=np.float64), np.asarray(neutral, dtype=np.float64)
    if ours.ndim != 2 or theirs.ndim != 2 or ours.shape[0] != theirs.shape[0]:
        raise ValueError(f"scores must be prompt x generation on both sides, found {ours.shape} and {theirs.shape}")
    found = [(one[np.isfinite(one)], two[np.isfinite(two)]) for one, two in zip(ours, theirs, strict=True)]
    return [(one, two) for one, two in found if one.size and two.size]


def _difference(sums: Floats, pair: tuple[Floats, Floats]) -> Floats:
    """Mean of the first group less that of the second, from the first group's sum of centred values."""
    return sums * (1.0 / pair[0].size + 1.0 / pair[1].size)


def _all_shifts(pairs: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """PSI and mean |BAD| of every permutation within prompts."""
    psi, absolute = np.zeros(1), np.zeros(1)
    for pair in pairs:
        values = np.concatenate(pair)
        # Centred sums of both groups are opposite, and the smaller group has fewer subsets to pass through.
        fewer, sign = (pair[0].size, 1.0) if pair[0].size <= pair[1].size else (pair[1].size, -1.0)
        shift = _difference(sign * subset_sums(values - values.mean(), fewer)[fewer], pair)
        psi = np.add.outer(psi, shift).ravel()
        absolute = np.add.outer(absolute, np.abs(shift)).ravel()
    return psi / len(pairs), absolute / len(pairs)


def _drawn_shifts(pairs: list[tuple[Floats, Floats]], rng: Generator, draws: int) -> tuple[Floats, Floats]:
    """PSI and mean |BAD| of drawn permutations within prompts."""
    psi, absolute = np.zeros(draws), np.zeros(draws)
    for pair in pairs:
        values = np.concatenate(pair)
        keys = rng.random((draws, values.size))
        chosen = np.argpartition(keys, pair[0].size - 1, axis=1)[:, : pair[0].size]
        shift = _difference((values - values.mean())[chosen].sum(axis=1), pair)
        psi += shift
        absolute += np.abs(shift)
    return psi / len(pairs), absolute / len(pairs)


def _resampled(pairs: list[tuple[Floats, Floats]], rng: Generator, over: Over, draws: int) -> Floats:
    """BAD of resampled prompts and generations; shape ``(draws, prompts)``."""
    size = len(pairs)
    prompts = np.tile(np.arange(size), (draws, 1)) if over == "generations" else rng.integers(0, size, (draws, size))
    keep = over == "prompts"
    means = [_resampled_means([pair[side] for pair in pairs], prompts, rng, keep) for side in (0, 1)]
    return means[0] - means[1]


def _resampled_means(
    groups: list[Floats], prompts: np.ndarray[tuple[int, ...], np.dtype[np.intp]], rng: Generator, keep: bool
) -> Floats:
    """Mean of the resampled generations of each drawn prompt, or of all of them where these are kept."""
    means = np.array([group.mean() for group in groups])[prompts]
    if keep:
        return means
    for prompt, group in enumerate(groups):
        at = prompts == prompt
        means[at] = group[rng.integers(0, group.size, (int(at.sum()), group.size))].mean(axis=1)
    return means


def _interval(value: float, drawn: Floats, level: float, prompts: int) -> Bootstrap:
    """A percentile interval; resamples without a value (one prompt only) are counted."""
    defined = drawn[np.isfinite(drawn)]
    if not defined.size:
        return Bootstrap(value=value, draws=drawn.size, undefined=drawn.size, n_clusters=prompts, reason=NO_VALUES)
    low, high = np.quantile(defined, [0.5 - level / 2.0, 0.5 + level / 2.0])
    return Bootstrap(
        value=value,
        ci_low=float(low),
        ci_high=float(high),
        error=float(defined.std(ddof=1)),
        draws=drawn.size,
        undefined=drawn.size - defined.size,
        n_clusters=prompts,
    )
