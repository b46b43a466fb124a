"""The outcomes of the occupations study as arrays: one `Block` for a model, a dataset and a condition.

An occupation has one P(female) in a block. Where it was asked several times (wordings, repeats) that is the mean of
its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.measure.names import cell_of

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

HALF = "half"
"""The reference that gives every occupation to both genders alike."""

PERSONA = ("persona", "user")
_KEYS = ("model", "domain", *PERSONA)
ANSWERED, SAMPLES, THIRD = "answered", "samples", "nonbinary"
NAN = float("nan")


class Facts(Struct, gc=False):
    """What an item says of its occupation."""

    domain: str = ""
    occupation: str = ""
    references: dict[str, float | None] = {}
    titled: str | None = None
    genders: int = 2


class Detail(Struct, gc=False):
    """What an outcome keeps beside P(female)."""

    shares: dict[str, float] | None = None
    other: float | None = None
    position: float | None = None
    source: str = ""
    extreme: float | None = None
    counts: dict[str, float] | None = None
    low: float | None = None
    high: float | None = None


T = TypeVar("T", bound=Struct)


class Block:
    """All that one model answered on one dataset under one condition.

    Parameters
    ----------
    rows : polars.DataFrame
        From `read`, of one model, dataset and condition, and ordered by stimulus.
    references : mapping of name to ndarray
        P(female) of every occupation of the dataset, nan where a reference has none, in the order of ``codes``.

    Attributes
    ----------
    asked, answered : ndarray, shape (k,)
        Items of each occupation asked, and answered.
    female : ndarray, shape (k,)
        P(female), nan where nothing was answered.
    least, most : ndarray, shape (k,)
        What it would be had the options that were not listed had probability 0, and what was not answered been
        wholly male or female.
    """

    def __init__(self, rows: pl.DataFrame, references: Mapping[str, Floats]) -> None:
        first = rows.row(0, named=True)
        self.model: str = first["model"]
        self.key = tuple(first[name] for name in _KEYS)
        self.names = cell_of(first, "domain", *PERSONA)
        self.baseline: bool = first["baseline"]
        self.options: int = first["genders"]
        self._rows = rows
        codes = rows["code"].to_numpy()
        self.codes, self._starts = np.unique(codes, return_index=True)
        self.asked = np.diff(np.append(self._starts, rows.height)).astype(float)
        self.answered = self.counts("value")
        self.references = {name: values[self.codes] for name, values in references.items()}
        occupations = rows[self._starts.tolist()]
        self.occupations: list[str] = occupations["occupation"].to_list()
        self.titled: Booleans = occupations["titled"].is_not_null().to_numpy()

    @cached_property
    def female(self) -> Floats:
        """P(female) of each occupation."""
        return self.mean("value")

    @cached_property
    def least(self) -> Floats:
        """The least that P(female) may be."""
        ends = np.fmin(self._column("value"), self._column("extreme"))
        return np.asarray(self._sum(np.nan_to_num(ends, nan=0.0)) / self.asked)

    @cached_property
    def most(self) -> Floats:
        """The most that P(female) may be."""
        ends = np.fmax(self._column("value"), self._column("extreme"))
        return np.asarray(self._sum(np.nan_to_num(ends, nan=1.0)) / self.asked)

    @property
    def sampled(self) -> bool:
        """Whether some answers were told from samples and not from probabilities."""
        return bool((self.tries > 0).any())

    @property
    def tries(self) -> Floats:
        """Sampled answers that were female or male, of each item; 0 where probabilities were given."""
        return self._column("tries")

    @property
    def unsmoothed(self) -> Floats:
        """P(female) as it was counted, without the prior that pulls it to the middle; where it was given, as given."""
        tries, hits = (self._rows[name].to_numpy() for name in ("tries", "hits"))
        counted = np.divide(hits, tries, out=self._column("value").copy(), where=tries > 0)
        return np.asarray(self._sum(np.nan_to_num(counted)) / np.where(self.answered > 0, self.answered, NAN))

    @property
    def noise(self) -> Floats:
        """Variance that the samples give `unsmoothed`; 0 where probabilities were given, nan where it is not known.

        Notes
        -----
        Of n samples a share p said female: p (1 - p) / (n - 1), unbiased for the variance of p (Cochran, Sampling
        Techniques (1977), section 3.2). One sample says nothing of it.
        """
        tries, hits = (self._rows[name].to_numpy() for name in ("tries", "hits"))
        share = np.divide(hits, tries, out=np.zeros_like(hits), where=tries > 0)
        one = np.where(tries == 1, NAN, share * (1.0 - share) / np.maximum(tries - 1.0, 1.0))
        return np.asarray(self._sum(one) / np.where(self.answered > 0, self.answered, NAN) ** 2)

    def mean(self, column: str) -> Floats:
        """Means over the answers of each occupation that have this number, nan where none has."""
        values = self._column(column)
        known = ~np.isnan(values)
        count = self.counts(column)
        return np.asarray(self._sum(np.where(known, values, 0.0)) / np.where(count > 0, count, NAN))

    def redrawn(self, draws: int, seed: int) -> Floats:
        """P(female) drawn anew from its posterior, shape ``(draws, k)``; certain answers stay.

        Notes
        -----
        Of n samples k said female: Beta(k + 1/2, n - k + 1/2), the posterior under Jeffreys' prior (Jeffreys, Theory
        of Probability (1961), section 3.10).
        """
        tries, hits = (self._rows[name].to_numpy() for name in ("tries", "hits"))
        values = np.repeat(self._column("value")[None, :], draws, axis=0)
        rng = np.random.default_rng((seed, tries.size))
        sampled = np.flatnonzero((tries > 0) & ~np.isnan(values[0]))
        shape = (draws, sampled.size)
        values[:, sampled] = rng.beta(hits[sampled] + 0.5, tries[sampled] - hits[sampled] + 0.5, size=shape)
        totals = np.add.reduceat(np.nan_to_num(values), self._starts, axis=1)
        return np.asarray(totals / np.where(self.answered > 0, self.answered, NAN))

    def counts(self, column: str) -> Floats:
        """Items of each occupation that have this number."""
        return self._sum(~np.isnan(self._column(column)))

    def _column(self, name: str) -> Floats:
        return self._rows[name].to_numpy()

    def _sum(self, values: NDArray[Any]) -> Floats:
        return np.add.reduceat(values.astype(float), self._starts)


def blocks(outcomes: pl.DataFrame) -> list[Block]:
    """Every block of the outcomes, in their order.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    """
    rows = read(outcomes)
    found: list[Block] = []
    known: dict[str, dict[str, Floats]] = {}
    for part in rows.sort("code", maintain_order=True).partition_by(*_KEYS, maintain_order=False):
        domain = part["domain"][0]
        if domain not in known:
            known[domain] = _references(rows.filter(pl.col("domain") == domain), rows["code"].n_unique())
        found.append(Block(part, known[domain]))
    place = {key: n for n, key in enumerate(rows.select(_KEYS).unique(maintain_order=True).iter_rows())}
    return sorted(found, key=lambda one: place[one.key])


def read(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Outcomes with what measures need of their facts and details.

    A value stands only where an item was answered; the mass of other words is also known where it left too little.
    """
    facts = _decoded(outcomes, "facts", Facts, _facts)
    detail = _decoded(outcomes, "detail", Detail, _detail)
    rows = outcomes.select("model", "stimulus", *PERSONA, "baseline", "status", "value", "facts", "detail")
    joined = rows.join(facts, on="facts", how="left", nulls_equal=True, maintain_order="left").join(
        detail, on="detail", how="left", nulls_equal=True, maintain_order="left"
    )
    spoken = pl.col("status") == ANSWERED
    numbers = ("value", "extreme", "position", "third", "low", "high")
    return joined.drop("facts", "detail").with_columns(
        *(pl.when(spoken).then(pl.col(name).cast(pl.Float64)).fill_null(NAN).alias(name) for name in numbers),
        *(pl.when("baseline").then(None).otherwise(pl.col(name)).alias(name) for name in PERSONA),
        other=pl.col("other").fill_null(NAN),
        code=pl.col("stimulus").rank("dense").cast(pl.Int64) - 1,
    )


def _decoded(
    outcomes: pl.DataFrame, column: str, kind: type[T], columns: Callable[[list[T]], Mapping[str, Sequence[Any]]]
) -> pl.DataFrame:
    """Decode each distinct JSON text of a column once."""
    texts = outcomes[column].unique(maintain_order=True)
    decoder = msgspec.json.Decoder(kind)
    made = columns([decoder.decode(text or "{}") for text in texts.to_list()])
    return pl.DataFrame([texts, *(pl.Series(name, values, _KINDS.get(name)) for name, values in made.items())])


_KINDS = {
    "titled": pl.String,
    "other": pl.Float64,
    "position": pl.Float64,
    "extreme": pl.Float64,
    "third": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "references": pl.Object,
}


def _facts(found: list[Facts]) -> dict[str, Sequence[Any]]:
    return {
        "domain": [one.domain for one in found],
        "occupation": [one.occupation for one in found],
        "titled": [one.titled or None for one in found],
        "genders": [one.genders for one in found],
        "given": [msgspec.json.encode(one.references).decode() for one in found],
    }


def _detail(found: list[Detail]) -> dict[str, Sequence[Any]]:
    counts = [one.counts or {} if one.source == SAMPLES else {} for one in found]
    return {
        "other": [one.other for one in found],
        "position": [one.position for one in found],
        "extreme": [one.extreme for one in found],
        "low": [one.low for one in found],
        "high": [one.high for one in found],
        "third": [one.shares.get(THIRD) if one.shares else None for one in found],
        "hits": [float(one.get("female", 0.0)) for one in counts],
        "tries": [float(one.get("female", 0.0) + one.get("male", 0.0)) for one in counts],
    }


def _references(rows: pl.DataFrame, size: int) -> dict[str, Floats]:
    """P(female) by reference over all stimuli, and one half for each of the dataset."""
    given = rows.unique("code", keep="first", maintain_order=True).select("code", "given")
    values = {code: msgspec.json.decode(text, type=dict[str, float | None]) for code, text in given.iter_rows()}
    names = dict.fromkeys(name for one in values.values() for name in one)
    found = {name: np.full(size, NAN) for name in (*names, HALF)}
    for code, one in values.items():
        found[HALF][code] = 0.5
        for name, value in one.items():
            found[name][code] = NAN if value is None else value
    return found


def paired(found: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Every block of a persona with the baseline's of the same model and dataset, where there is one."""
    bases = {(one.model, one.names["domain"]): one for one in found if one.baseline}
    for one in found:
        base = bases.get((one.model, one.names["domain"]))
        if base is not None and not one.baseline:
            yield one, base
