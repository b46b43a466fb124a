"""The outcomes of the decisions study as arrays: one `Block` for a model, a domain and a condition.

Somebody has one score in a block: the mean of the answers where there were several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.measure.names import cell_of
from personae.studies.decisions.bank import DOMAINS, domain

Floats = NDArray[np.float64]

STUDY = "decisions.scores"
SET = "set"
"""What intervals and tests go over: matched sets."""
PERSONA = ("persona", "user")
_KEYS = ("model", "domain", *PERSONA)
LOW, HIGH = 0.0, 100.0


class Facts(Struct, gc=False):
    """What an item says of who is scored."""

    domain: str = ""
    group: str = ""
    higher: str = "better"
    strength: float = 0.5


class Detail(Struct, gc=False):
    """What an outcome keeps beside the score."""

    mass: float | None = None
    spread: float | None = None


class Block:
    """All scores that one model gave in one domain under one condition.

    Parameters
    ----------
    rows : polars.DataFrame
        From `read`, of one model, domain and condition.
    groups : sequence of str
        The groups of the domain; columns of the tables.

    Attributes
    ----------
    sets : list of str
        Names of the matched sets; rows of the tables.
    asked, answered : ndarray, shape (sets, groups)
        Items asked, and answered.
    scores : ndarray, shape (sets, groups)
        Mean scores, nan where nothing was answered.
    strength : ndarray, shape (sets,)
        How good the file of each set is, turned round where a higher score is worse.
    """

    def __init__(self, rows: pl.DataFrame, groups: Sequence[str]) -> None:
        first = rows.row(0, named=True)
        self.model: str = first["model"]
        self.domain: str = first["domain"]
        self.names = cell_of(first, "domain", *PERSONA)
        self.baseline: bool = first["baseline"]
        self.groups = list(groups)
        self.sets: list[str] = rows["stimulus"].unique(maintain_order=True).to_list()
        places = {name: at for at, name in enumerate(self.sets)}
        columns = {name: at for at, name in enumerate(self.groups)}
        at = (
            np.array([places[name] for name in rows["stimulus"].to_list()], dtype=np.intp),
            np.array([columns[name] for name in rows["group"].to_list()], dtype=np.intp),
        )
        values = rows["value"].to_numpy().astype(float)
        known = ~np.isnan(values)
        shape = len(self.sets), len(self.groups)
        self.asked, self.answered, sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        np.add.at(self.asked, at, 1.0)
        np.add.at(self.answered, at, known.astype(float))
        np.add.at(sums, at, np.where(known, values, 0.0))
        self.scores: Floats = np.divide(sums, self.answered, out=np.full(shape, np.nan), where=self.answered > 0)
        self.strength: Floats = np.zeros(shape[0])
        self.strength[at[0]] = rows["worth"].to_numpy()
        self.mass: Floats = rows["mass"].drop_nulls().to_numpy()
        self.spread: Floats = rows["spread"].drop_nulls().to_numpy()

    @cached_property
    def whole(self) -> NDArray[np.bool_]:
        """Sets answered for every group, shape ``(sets,)``."""
        return np.asarray(~np.isnan(self.scores).any(axis=1))

    @cached_property
    def table(self) -> Floats:
        """Scores of the sets answered for every group, shape ``(whole sets, groups)``."""
        return self.scores[self.whole]

    @property
    def coverage(self) -> float:
        """Answered share of all that was asked."""
        return float(self.answered.sum() / self.asked.sum())

    def ends(self) -> tuple[Floats, Floats]:
        """The least and largest mean of each group over the sets, whatever its unanswered items had said."""
        known = np.nan_to_num(self.scores) * self.answered
        asked = np.where(self.asked > 0, self.asked, 1.0)
        sets = (self.asked > 0).sum(axis=0)
        least, most = (
            np.where(sets > 0, ((known + (self.asked - self.answered) * end) / asked).sum(axis=0), end)
            for end in (LOW, HIGH)
        )
        return least / np.maximum(sets, 1), most / np.maximum(sets, 1)

    def of_sets(self) -> Floats:
        """The mean score of every set that has any, over the groups that were answered."""
        some = self.scores[(self.answered > 0).any(axis=1)]
        return np.asarray(np.nanmean(some, axis=1)) if len(some) else np.empty(0)


def blocks(outcomes: pl.DataFrame) -> list[Block]:
    """Every block of the outcomes: model by model, the baseline first, domains in the order of Table 1.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    """
    rows = read(outcomes)
    found = rows["domain"].unique(maintain_order=True).to_list()
    groups = {name: _groups(name, rows.filter(pl.col("domain") == name)["group"]) for name in found}
    parts = rows.partition_by(*_KEYS, maintain_order=True)
    made = [Block(part, groups[part["domain"][0]]) for part in parts]
    models, order = list(dict.fromkeys(one.model for one in made)), [*DOMAINS, *found]
    return sorted(made, key=lambda one: (models.index(one.model), not one.baseline, order.index(one.domain)))


def _groups(name: str, found: pl.Series) -> list[str]:
    """The groups of a domain that were asked about, in the order of Table 1 where they stand there."""
    known = domain(name).groups if name in DOMAINS else ()
    asked = found.unique(maintain_order=True).to_list()
    return sorted(asked, key=lambda group: known.index(group) if group in known else len(known))


def read(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Outcomes with what measures need of their facts and details; a value stands only where an item was answered."""
    rows = outcomes.select("model", "stimulus", *PERSONA, "baseline", "status", "value", "facts", "detail")
    joined = rows.join(_facts(outcomes["facts"]), on="facts", how="left", maintain_order="left").join(
        _detail(outcomes["detail"]), on="detail", how="left", nulls_equal=True, maintain_order="left"
    )
    answered = pl.col("status") == "answered"
    return joined.drop("facts", "detail").with_columns(
        *(pl.when("baseline").then(None).otherwise(pl.col(name)).alias(name) for name in PERSONA),
        value=pl.when(answered).then(pl.col("value").cast(pl.Float64)).fill_null(np.nan),
    )


def _facts(column: pl.Series) -> pl.DataFrame:
    """Decode each distinct JSON text once."""
    texts = column.unique(maintain_order=True)
    found = [msgspec.json.decode(text, type=Facts) for text in texts.to_list()]
    return pl.DataFrame(
        {
            "facts": texts,
            "domain": [one.domain for one in found],
            "group": [one.group for one in found],
            "worth": [1.0 - one.strength if one.higher == "riskier" else one.strength for one in found],
        }
    )


def _detail(column: pl.Series) -> pl.DataFrame:
    texts = column.unique(maintain_order=True)
    found = [msgspec.json.decode(text or "{}", type=Detail) for text in texts.to_list()]
    numbers: dict[str, Any] = {name: [getattr(one, name) for one in found] for name in ("mass", "spread")}
    return pl.DataFrame({"detail": texts, **numbers}, schema_overrides=dict.fromkeys(numbers, pl.Float64))


def conditions(found: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks of every model and condition together: one for each domain."""
    together: dict[tuple[Any, ...], list[Block]] = {}
    for one in found:
        together.setdefault((one.model, *(one.names.get(name) for name in PERSONA)), []).append(one)
    yield from together.values()


def paired(found: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Every block of a persona with the baseline's of the same model and domain, where there is one."""
    bases = {(one.model, one.domain): one for one in found if one.baseline}
    for one in found:
        base = bases.get((one.model, one.domain))
        if base is not None and not one.baseline:
            yield one, base


def shared(ours: Block, base: Block) -> tuple[Floats, Floats]:
    """Scores of the sets that both blocks have for every group, row by row the same sets."""
    mine, theirs = _whole(ours, base)
    return ours.scores[mine], base.scores[theirs]


def counted_both(pairs: Sequence[tuple[Block, Block]], at: int | slice = slice(None)) -> dict[str, Any]:
    """What comparisons of blocks rest on, as fields of an estimate.

    ``n`` counts the answers of both sides to the sets that `shared` compares; ``coverage`` is the answered share of
    what was asked of the sets that both sides were asked, on the side with less. Of one group where `at` is its place.
    """
    number, answered, asked = 0.0, np.zeros(2), np.zeros(2)
    for pair in pairs:
        for side, (block, whole, both) in enumerate(zip(pair, _whole(*pair), _same_sets(*pair), strict=True)):
            number += block.answered[whole, at].sum()
            answered[side] += block.answered[both, at].sum()
            asked[side] += block.asked[both, at].sum()
    return {"n": int(number), "coverage": float((answered / asked).min()) if asked.all() else None}


def _same_sets(ours: Block, base: Block) -> tuple[list[int], list[int]]:
    """Rows of the sets that both blocks were asked."""
    places = {name: at for at, name in enumerate(base.sets)}
    rows = [(at, places[name]) for at, name in enumerate(ours.sets) if name in places]
    return [at for at, _ in rows], [at for _, at in rows]


def _whole(ours: Block, base: Block) -> tuple[list[int], list[int]]:
    """Rows of the sets that both blocks have for every group."""
    rows = [(at, to) for at, to in zip(*_same_sets(ours, base), strict=True) if ours.whole[at] and base.whole[to]]
    return [at for at, _ in rows], [at for _, at in rows]
