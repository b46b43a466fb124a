"""The one way from a result of `personae.stats` to a row of the table of estimates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

from personae.types import Estimate

STIMULUS = "stimulus"
"""The unit of an interval over stimuli; others are named by the studies that have them."""
_TESTED = ("statistic", "df", "p")


class Result(Protocol):
    """What every result of `personae.stats` has; a test also ``statistic``, ``df``, ``p`` and ``effect_size``."""

    @property
    def value(self) -> float: ...

    @property
    def ci_low(self) -> float: ...

    @property
    def ci_high(self) -> float: ...

    @property
    def reason(self) -> str: ...


def estimate_of(
    result: Result,
    *,
    study: str,
    measure: str,
    model: str | None,
    cell: Mapping[str, str],
    n: int,
    clusters: int,
    unit: str = STIMULUS,
    contrast: str = "",
    test: str = "",
    tested: bool = True,
    effect: bool | None = None,
    within: tuple[float, float] | None = None,
    coverage: float | None = None,
    bounds: tuple[float, float] | None = None,
    reason: str | None = None,
) -> Estimate:
    """A row of the table: a result with its cell, what it rests on, and its bounds.

    Parameters
    ----------
    result : Result
        What is nan in it is absent in the row.
    study, measure, model, cell, contrast
        As of `personae.types.Estimate`.
    n : int
        Answers that it rests on, of both sides where it is a contrast.
    clusters : int
        How many of ``unit`` the interval and the test go over; kept where there is one.
    unit : str
    test : str
        What the test is called, or the way of the interval where it is not ``tested``; named where there is one.
    tested : bool
        Whether the test is part of the row, or the interval alone.
    effect : bool, optional
        Whether the effect size is part of the row; by default where it is tested.
    within : tuple of float, optional
        The range of the measure, at which the interval is cut.
    coverage : float, optional
        The answered share of what was asked, on the side with less.
    bounds : tuple of float, optional
        What the value would be had the unanswered items been lowest, and highest.
    reason : str, optional
        In place of that of the result.
    """
    low, high = (number(end) for end in (result.ci_low, result.ci_high))
    if within is not None:
        low, high = (None if end is None else min(max(end, within[0]), within[1]) for end in (low, high))
    fields = fields_of_test(test, result) if tested else {"test": test if math.isfinite(result.value) else ""}
    known = (low is not None and high is not None) or fields.get("p") is not None
    return Estimate(
        study=study,
        measure=measure,
        model=model,
        contrast=contrast,
        cell=cell,
        value=result.value,
        ci_low=low,
        ci_high=high,
        n=n,
        clusters=clusters if known else None,
        unit=unit if known else "",
        coverage=coverage,
        lower=None if bounds is None else number(bounds[0]),
        upper=None if bounds is None else number(bounds[1]),
        reason=result.reason if reason is None else reason,
        effect_size=_effect_size(result) if (tested if effect is None else effect) else None,
        **fields,
    )


def number(value: float) -> float | None:
    """A number, or None where there is none."""
    return value if math.isfinite(value) else None


def fields_of_test(name: str, result: Any) -> dict[str, Any]:
    """The test of a result of `personae.stats`, as fields of an estimate; named where there is one."""
    found = {field: number(getattr(result, field, math.nan)) for field in _TESTED}
    return {"test": name if found["p"] is not None else "", **found}


def _effect_size(result: Any) -> float | None:
    found: float | None = getattr(result, "effect_size", None)
    return None if found is None else number(found)
