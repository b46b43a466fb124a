"""LIME: which words of a text move a score, by a weighted linear fit to masked copies; many texts at once.

On the same masks and outputs the weights are those of lime 0.2.0.1 (``LimeTextExplainer`` with its defaults).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray

from personae.stats._base import NAN, Floats, Integers

Masks = NDArray[np.bool_]
Selection = Literal["auto", "forward", "highest_weights", "none"]
KERNEL_WIDTH = 25.0
_FORWARD_UP_TO = 6
_RIDGE, _RIDGE_SELECTION = 1.0, 0.01
# A few texts at a time stay in the processor's cache, which is faster than all at once.
_CELLS = 250_000


class Explanation(Struct, frozen=True, kw_only=True):
    """Weights of the words of one or many texts; arrays have the leading axes of the masks.

    ``weights`` (..., words) is 0 for words that were not selected; ``selected`` says which were. ``intercept``
    and ``local`` (the fitted score of the whole text) are in the units of the outputs, ``score`` is the
    weighted R squared of the fit, nan where all outputs are equal.
    """

    weights: Floats
    selected: Masks
    intercept: Floats
    score: Floats
    local: Floats

    def top(self, k: int) -> Integers:
        """Places of the ``k`` words with the largest weights, largest first; shape ``(..., k)``.

        Words that were not selected come last.
        """
        return _largest(self.weights, k)


def lime_masks(words: int, samples: int, seed: int | RandomState) -> Masks:
    """Masks of one text as lime draws them.

    Parameters
    ----------
    words : int
        Distinct words of the text, at least 1.
    samples : int
        Masks including the first one, which keeps everything; at least 1.
    seed : int or numpy.random.RandomState
        Seed each text on its own: lime's explainer, seeded once, explains a text differently the second time.

    Returns
    -------
    ndarray of bool, shape (samples, words)
        True where a word is kept.

    Raises
    ------
    ValueError
        When there are no words or no samples.

    Notes
    -----
    lime 0.2.0.1, ``LimeTextExplainer.__data_labels_distances``: all numbers of words to remove first, uniform
    on 1 .. words, then for each mask that many words without replacement, from numpy's legacy stream.
    """
    _check_sizes(words, samples)
    stream = seed if isinstance(seed, RandomState) else RandomState(seed)
    removed = stream.randint(1, words + 1, samples - 1)
    orders = np.tile(np.arange(words), (samples - 1, 1))
    for order in orders:
        stream.shuffle(order)
    masks = np.ones((samples, words), dtype=bool)
    np.put_along_axis(masks[1:], orders, np.arange(words) >= removed[:, None], axis=1)
    return masks


def sample_masks(words: int, samples: int, rng: Generator) -> Masks:
    """Masks with the distribution of `lime_masks` from another random stream, faster.

    Parameters
    ----------
    words, samples : int
        As in `lime_masks`.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of bool, shape (samples, words)
    """
    _check_sizes(words, samples)
    removed = rng.integers(1, words + 1, (samples - 1, 1))
    keys = rng.random((samples - 1, words), dtype=np.float32)
    # The words with the smallest keys are removed, so the sorted keys tell up to which.
    last = np.take_along_axis(np.sort(keys, axis=1), removed - 1, axis=1)
    return np.concatenate([np.ones((1, words), dtype=bool), keys > last])


def proximity(masks: ArrayLike, words: ArrayLike | None = None, kernel_width: float = KERNEL_WIDTH) -> Floats:
    """The weight of each masked copy: near 1 where most words are kept.

    Parameters
    ----------
    masks : array_like of bool, shape (..., samples, words)
    words : array_like of int, shape (...), optional
        How many of the columns are words; the rest is padding.
    kernel_width : float
        In units of 100 x cosine distance.

    Returns
    -------
    ndarray, shape (..., samples)

    Notes
    -----
    Ribeiro, Singh and Guestrin, '"Why should I trust you?": explaining the predictions of any classifier', KDD
    2016, section 3.4; lime 0.2.0.1: ``sqrt(exp(-D**2 / width**2))``, D = 100 x (1 - cosine) between mask and
    the mask that keeps everything, which for k of n words is ``1 - sqrt(k / n)``.
    """
    kept = np.asarray(masks, dtype=bool)
    total = np.asarray(kept.shape[-1] if words is None else words, dtype=np.float64)
    distance = 100.0 * (1.0 - np.sqrt(kept.sum(axis=-1) / total[..., None]))
    weights: Floats = np.sqrt(np.exp(-(distance**2) / kernel_width**2))
    return weights


def explain(
    masks: ArrayLike,
    outputs: ArrayLike,
    num_features: int = 10,
    *,
    selection: Selection = "auto",
    words: ArrayLike | None = None,
    kernel_width: float = KERNEL_WIDTH,
) -> Explanation:
    """Fit the weights of words to the outputs of masked copies.

    Parameters
    ----------
    masks : array_like of bool, shape (..., samples, words)
        True where a word is kept; the first mask of each text keeps all of its words. Texts with fewer words
        than the longest are padded with False on the right.
    outputs : array_like, shape (..., samples)
        The score of each masked copy.
    num_features : int
        How many words get a weight, at least 1.
    selection : {"auto", "forward", "highest_weights", "none"}
        How they are chosen: stepwise by R squared, by the weights of a fit to all words, all of them;
        "auto" is "forward" up to 6 words and "highest_weights" beyond.
    words : array_like of int, shape (...), optional
        The number of words of each text, where masks are padded.
    kernel_width : float
        As in `proximity`.

    Returns
    -------
    Explanation

    Raises
    ------
    ValueError
        When shapes do not fit, outputs are not finite, or a first mask removes something.

    Notes
    -----
    lime 0.2.0.1, ``lime_base.LimeBase``: ridge regression with a free intercept, penalty 1 on the selected
    words, 0.01 for their selection, none in stepwise selection; solved here by normal equations of centred
    columns, for all texts together.
    """
    kept, values = np.asarray(masks, dtype=bool), np.asarray(outputs, dtype=np.float64)
    _check_fit(kept, values, num_features)
    lead, (samples, width) = kept.shape[:-2], kept.shape[-2:]
    counts = np.broadcast_to(np.asarray(width if words is None else words, dtype=np.intp), lead).reshape(-1)
    kept, values = kept.reshape(-1, samples, width), values.reshape(-1, samples)
    if not (kept[:, 0].sum(axis=1) == counts).all() or kept.any(axis=1).sum() != counts.sum():
        raise ValueError("the first mask of every text must keep all of its words, and padding nothing")
    rows = max(1, _CELLS // (samples * width))
    parts = [
        _fit(
            kept[at : at + rows], values[at : at + rows], counts[at : at + rows], num_features, selection, kernel_width
        )
        for at in range(0, max(1, len(kept)), rows)
    ]
    stacked = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    weights, selected, intercept, score, local = (array.reshape(lead + array.shape[1:]) for array in stacked)
    return Explanation(weights=weights, selected=selected, intercept=intercept, score=score, local=local)


def top_overlap(weights: ArrayLike, k: int = 10) -> float:
    """How far explanations of one text by different seeds name the same words.

    Parameters
    ----------
    weights : array_like, shape (seeds, words)
    k : int
        How many of the largest weights are compared.

    Returns
    -------
    float
        Mean share of common words over pairs of seeds, between 0 and 1; nan with fewer than two seeds.
    """
    table = np.asarray(weights, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"weights must be a table of seeds and words, found {table.ndim} dimensions")
    size = min(k, int(table.shape[1]))
    if table.shape[0] < 2 or size < 1:
        return NAN
    chosen = np.zeros(table.shape)
    np.put_along_axis(chosen, _largest(table, size), 1.0, axis=1)
    common: Floats = (chosen @ chosen.T)[np.triu_indices(table.shape[0], 1)]
    return float(common.mean()) / size


def _fit(
    masks: Masks, outputs: Floats, words: Integers, num_features: int, selection: Selection, kernel_width: float
) -> tuple[Any, ...]:
    """`explain` for a few texts: weights, selected, intercept, score, local."""
    near = proximity(masks, words, kernel_width)
    root, total = np.sqrt(near), near.sum(axis=1)
    columns = masks * root[:, :, None]
    centre = (root[:, None, :] @ columns)[:, 0] / total[:, None]
    mean = (near * outputs).sum(axis=1) / total
    residual = outputs - mean[:, None]
    # A product of one table with itself is symmetric, and half the work, only where it is two-dimensional.
    gram = np.array([rows.T @ rows for rows in columns]).reshape(len(columns), *[masks.shape[2]] * 2)
    gram -= total[:, None, None] * centre[:, :, None] * centre[:, None, :]
    moment = ((root * residual)[:, None, :] @ columns)[:, 0]
    inside = np.arange(masks.shape[2]) < words[:, None]
    chosen = _select(gram, moment, inside, num_features, selection)
    across, down = chosen[:, None, :], chosen[:, :, None]
    part = np.take_along_axis(np.take_along_axis(gram, down, axis=1), across, axis=2)
    found = _ridge(part, np.take_along_axis(moment, chosen, axis=1), _RIDGE)
    weights = np.zeros(moment.shape)
    np.put_along_axis(weights, chosen, found, axis=1)
    selected = np.zeros(moment.shape, dtype=bool)
    np.put_along_axis(selected, chosen, True, axis=1)
    intercept = mean - (centre * weights).sum(axis=1)
    spread = (near * residual**2).sum(axis=1)
    unexplained = spread - 2.0 * (weights * moment).sum(axis=1)
    unexplained += ((weights[:, None, :] @ gram)[:, 0] * weights).sum(axis=1)
    varies = np.ptp(outputs, axis=1) > 0.0
    score = 1.0 - np.divide(unexplained, spread, out=np.full(spread.shape, NAN), where=varies)
    return weights, selected & inside, intercept, score, intercept + weights.sum(axis=1)


def _select(gram: Floats, moment: Floats, inside: Masks, num_features: int, selection: Selection) -> Integers:
    """Places of the words that are fitted; shape ``(texts, chosen)``."""
    width = moment.shape[1]
    if selection == "none":
        return np.broadcast_to(np.arange(width), moment.shape)
    if selection == "forward" or (selection == "auto" and num_features <= _FORWARD_UP_TO):
        return _forward(gram, moment, inside, min(num_features, width))
    return _largest(_ridge(gram, moment, _RIDGE_SELECTION), num_features)


def _forward(gram: Floats, moment: Floats, inside: Masks, steps: int) -> Integers:
    """Stepwise selection: each step takes the word that adds most to the explained sum of squares."""
    left, right, texts = gram.copy(), moment.copy(), np.arange(len(gram))
    floor = 1e-12 * np.trace(gram, axis1=1, axis2=2)[:, None] / gram.shape[1]
    taken, chosen = np.zeros(moment.shape, dtype=bool), list[Integers]()
    for _ in range(steps):
        pivots: Floats = np.diagonal(left, axis1=1, axis2=2)
        usable = pivots > floor
        gain: Floats = np.divide(right**2, pivots, out=np.zeros(right.shape), where=usable)
        # Padding comes after every word, what was taken never again.
        best = np.where(taken, -2.0, np.where(inside, gain, -1.0)).argmax(axis=1)
        chosen.append(best)
        taken[texts, best] = True
        column = np.where(usable[texts, best][:, None], left[texts, best], 0.0)
        scale = column / np.where(usable[texts, best], pivots[texts, best], 1.0)[:, None]
        right = right - scale * right[texts, best][:, None]
        left = left - scale[:, :, None] * column[:, None, :]
    return np.stack(chosen, axis=1)


def _ridge(gram: Floats, moment: Floats, penalty: float) -> Floats:
    """Ridge weights of centred columns; ``(texts, k, k)`` and ``(texts, k)`` to ``(texts, k)``."""
    penalised = gram + penalty * np.eye(gram.shape[1])
    return np.asarray(np.linalg.solve(penalised, moment[:, :, None])[:, :, 0], dtype=np.float64)


def _largest(weights: Floats, k: int) -> Integers:
    """Places of the largest absolute weights, of equal ones the first."""
    order: Integers = np.argsort(-np.abs(weights), axis=-1, kind="stable")[..., :k]
    return order


def _check_sizes(words: int, samples: int) -> None:
    """Accept at least one word and one mask.

    Raises
    ------
    ValueError
        Otherwise.
    """
    if words < 1 or samples < 1:
        raise ValueError(f"at least one word and one mask are needed, found {words} and {samples}")


def _check_fit(masks: Masks, outputs: Floats, num_features: int) -> None:
    """Accept masks and outputs that belong together.

    Raises
    ------
    ValueError
        Otherwise.
    """
    if masks.ndim < 2 or outputs.shape != masks.shape[:-1] or 0 in masks.shape[-2:]:
        raise ValueError(f"found masks of shape {masks.shape} for outputs of shape {outputs.shape}")
    if num_features < 1:
        raise ValueError(f"num_features must be at least 1, found {num_features!r}")
    if not np.isfinite(outputs).all():
        raise ValueError("every masked copy needs a finite output")
