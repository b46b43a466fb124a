"""Measures that a study declares: what is averaged, over which answers, and what is compared with the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from personae.types import Estimate

# Studies name their measures when they are loaded, also where they are only listed: what computes comes later.
if TYPE_CHECKING:
    import polars as pl

    from personae.measure.frame import Columns

DOMAIN, DATASET = "domain", "dataset"


class Mean(Struct, frozen=True, kw_only=True):
    """The mean of a number, compared with the baseline on the same stimuli.

    With it come its interval over stimuli, the paired difference of all personas together, of each and of each group
    from the baseline with interval, test, effect size and bounds, and the coverage of both.

    Attributes
    ----------
    name : str
        In the table.
    said : str
        In a sentence, after "the".
    value : str
        Which number: the outcome's ``value``, or one of its detail by name.
    low, high : float
        The range of the number.
    null : float, optional
        What the mean is tested against, where a value stands for "no bias".
    where : mapping of str to str
        Facts that an answer must have to be counted.
    by : tuple of str
        Further columns to look through, each also by persona: ``domain``, ``dataset``, ``wording``, ``user``.
    explored : bool
        Whether it is there to be looked through, without a test.
    reading : str
        What the ends of the range mean, for the caption of its figures.
    """

    name: str
    said: str
    value: str = "value"
    low: float = 0.0
    high: float = 100.0
    null: float | None = None
    where: Mapping[str, str] = {}
    by: tuple[str, ...] = (DOMAIN,)
    explored: bool = False
    reading: str = ""

    @property
    def share(self) -> bool:
        """Whether it is said in percent."""
        return False


class Share(Mean, frozen=True, kw_only=True):
    """A share of answers, 0 to 1; as `Mean`, and said in percent."""

    high: float = 1.0

    @property
    def share(self) -> bool:
        """Whether it is said in percent."""
        return True


def declared_frame(outcomes: pl.DataFrame, measures: Sequence[Mean]) -> pl.DataFrame:
    """Outcomes with the facts and numbers that the measures name.

    Parameters
    ----------
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    measures : sequence of Mean

    Returns
    -------
    polars.DataFrame
        The columns of `personae.measure.frame.conditions`, ``domain``, ``dataset``, ``position``, the facts of every
        ``where`` and the numbers of every ``value``.
    """
    from personae.measure.frame import decoded, joined

    named = dict.fromkeys([DOMAIN, DATASET, *(name for measure in measures for name in measure.where)])
    numbers = dict.fromkeys(["position", *(measure.value for measure in measures if measure.value != "value")])

    def facts(rows: list[dict[str, Any]]) -> Columns:
        return {name: [None if row.get(name) is None else str(row[name]) for row in rows] for name in named}

    def detail(rows: list[dict[str, Any]]) -> Columns:
        return {name: [row.get(name) for row in rows] for name in numbers}

    return joined(
        outcomes,
        decoded(outcomes, "facts", dict, facts, lambda _: False),
        decoded(outcomes, "detail", dict, detail, lambda _: True),
    )


def declared_estimates(study: str, outcomes: pl.DataFrame, measures: Sequence[Mean], places: int) -> Iterator[Estimate]:
    """Every estimate of the declared measures, and avoidance and the favour of a place, which every study has.

    Parameters
    ----------
    study : str
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    measures : sequence of Mean
    places : int
        In how many orders the options of a question are shown; 1 where there are none.
    """
    from personae.measure.avoidance import avoidance_estimates, position_estimates

    rows = declared_frame(outcomes, measures)
    for declared in measures:
        yield from _estimates(study, rows, declared)
    yield from avoidance_estimates(study, rows, ())
    if places > 1:
        yield from position_estimates(study, rows, 1 / places, ())


def _estimates(study: str, rows: pl.DataFrame, declared: Mean) -> Iterator[Estimate]:
    import polars as pl

    from personae.measure.cells import tally
    from personae.measure.estimates import Measure, estimates_of

    counted = rows
    for fact, wanted in declared.where.items():
        counted = counted.filter(pl.col(fact) == wanted)
    if not counted.height:
        return
    measure = Measure(
        study=study,
        name=declared.name,
        low=declared.low,
        high=declared.high,
        null=declared.null,
        explored=declared.explored,
        within=(),
    )
    value = pl.when("answered").then(pl.col(declared.value).fill_nan(None))
    yield from estimates_of(measure, tally(counted, value, declared.low, declared.high), _groupings(counted, declared))


def _groupings(rows: pl.DataFrame, declared: Mean) -> list[tuple[str, ...]]:
    """The cells of a measure: of all, and of the columns it names where they tell anything apart."""
    from personae.measure.cells import coarse

    found = [*coarse(())]
    for column in (*declared.by, "wording", "user"):
        if rows[column].n_unique() < 2 or (column,) in found:
            continue
        found += [(column,), ("persona", column)] if column in (DOMAIN, DATASET) else [("persona", "user")]
    return found
