"""The outcomes of the decisions study as arrays: one `Block` for a model, a domain and a condition.

Somebody has one score in a block: the mean of the answers where there were several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.measure.cells import Floats
from personae.measure.estimates import share_of
from personae.measure.frame import decoded, joined
from personae.measure.names import BASELINE, NOT_SET
from personae.measure.results import estimate_of
from personae.studies.decisions.bank import DOMAINS, domain

STUDY, SET = "decisions.scores", "set"
PERSONA = ("persona", "user")
LOW, HIGH = 0.0, 100.0

set_estimate = partial(estimate_of, study=STUDY, unit=SET)
"""A row of this study, whose intervals go over matched sets."""


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
        From `rows_of`, of one model, domain and condition.
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
        self.baseline: bool = first["baseline"]
        named = {name: first[name] for name in PERSONA if first[name] != NOT_SET}
        self.names = {"domain": self.domain, **({"persona": BASELINE} if self.baseline else named)}
        self.groups = list(groups)
        self.sets: list[str] = rows["stimulus"].unique(maintain_order=True).to_list()
        places = {name: at for at, name in enumerate(self.sets)}
        columns = {name: at for at, name in enumerate(self.groups)}
        at = (
            np.array([places[name] for name in rows["stimulus"].to_list()], dtype=np.intp),
            np.array([columns[name] for name in rows["group"].to_list()], dtype=np.intp),
        )
        values = rows["value"].fill_null(np.nan).to_numpy()
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

    @property
    def shares(self) -> Floats:
        """Answered share of what was asked about each group, shape ``(groups,)``."""
        return np.asarray(self.answered.sum(axis=0) / self.asked.sum(axis=0))

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


class Pair:
    """A persona's block beside the baseline's, over the matched sets that both were asked.

    Attributes
    ----------
    blocks : (Block, Block)
        Of the persona and of the baseline.
    asked, whole : ndarray of int, shape (n, 2)
        Rows of both blocks of the sets that both were asked, and of those that both answered for every group.
    scores : (ndarray, ndarray), each of shape (whole sets, groups)
        Row by row the same sets.
    """

    def __init__(self, ours: Block, base: Block) -> None:
        self.blocks = ours, base
        places = {name: row for row, name in enumerate(base.sets)}
        rows = [(row, places[name]) for row, name in enumerate(ours.sets) if name in places]
        self.asked = np.array(rows, dtype=np.intp).reshape(-1, 2)
        self.whole = self.asked[ours.whole[self.asked[:, 0]] & base.whole[self.asked[:, 1]]]
        self.scores = ours.scores[self.whole[:, 0]], base.scores[self.whole[:, 1]]


def blocks(outcomes: pl.DataFrame) -> list[Block]:
    """Every block of the outcomes: model by model, the baseline first, domains in the order of Table 1.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    """
    rows = rows_of(outcomes)
    names = rows["domain"].unique(maintain_order=True).to_list()
    groups = {name: _groups(name, rows.filter(pl.col("domain") == name)["group"]) for name in names}
    parts = rows.partition_by("model", "domain", *PERSONA, maintain_order=True)
    made = [Block(part, groups[part["domain"][0]]) for part in parts]
    models, order = list(dict.fromkeys(block.model for block in made)), [*DOMAINS, *names]
    return sorted(made, key=lambda block: (models.index(block.model), not block.baseline, order.index(block.domain)))


def _groups(name: str, asked: pl.Series) -> list[str]:
    """The groups of a domain that were asked about, in the order of Table 1 where they stand there."""
    known = domain(name).groups if name in DOMAINS else ()
    groups = asked.unique(maintain_order=True).to_list()
    return sorted(groups, key=lambda group: known.index(group) if group in known else len(known))


def rows_of(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Outcomes with what measures need of their facts and details; a value stands only where an item was answered."""
    facts = decoded(
        outcomes,
        "facts",
        Facts,
        lambda facts: {
            "domain": [fact.domain for fact in facts],
            "group": [fact.group for fact in facts],
            "worth": [1.0 - fact.strength if fact.higher == "riskier" else fact.strength for fact in facts],
        },
        lambda name: name == "worth",
    )
    detail = decoded(
        outcomes,
        "detail",
        Detail,
        lambda details: {name: [getattr(detail, name) for detail in details] for name in ("mass", "spread")},
        lambda _: True,
    )
    answered = pl.when("answered").then("value")
    return joined(outcomes, facts, detail).with_columns(value=answered, dataset=pl.lit(None, pl.String))


def conditions(some: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks of every model and condition together: one for each domain."""
    together: dict[tuple[Any, ...], list[Block]] = {}
    for block in some:
        together.setdefault((block.model, *average_cell(block).items()), []).append(block)
    yield from together.values()


def paired(some: Sequence[Block]) -> Iterator[Pair]:
    """Every block of a persona with the baseline's of the same model and domain, where there is one."""
    bases = {(block.model, block.domain): block for block in some if block.baseline}
    for block in some:
        base = bases.get((block.model, block.domain))
        if base is not None and not block.baseline:
            yield Pair(block, base)


def average_cell(block: Block) -> dict[str, str]:
    """The cell of a block's condition in the mean over domains."""
    return {name: block.names[name] for name in PERSONA if name in block.names}


def counted(some: Sequence[Block], at: int | slice = slice(None)) -> dict[str, Any]:
    """Model, answers and coverage of blocks, as fields of an estimate; of one group where ``at`` is its place."""
    answered, asked = (
        sum(float(getattr(block, name)[:, at].sum()) for block in some) for name in ("answered", "asked")
    )
    return {"model": some[0].model, "n": int(answered), "coverage": share_of(answered, asked)}


def counted_both(pairs: Sequence[Pair], at: int | slice = slice(None)) -> dict[str, Any]:
    """Model, answers and coverage of comparisons, as fields of an estimate; of one group where ``at`` is its place.

    ``n`` counts the answers of both sides to the sets that are compared; ``coverage`` is the answered share of
    what was asked of the sets that both sides were asked, on the side with less.
    """
    number, answered, asked = 0.0, np.zeros(2), np.zeros(2)
    for pair in pairs:
        for side, block in enumerate(pair.blocks):
            number += block.answered[pair.whole[:, side], at].sum()
            answered[side] += block.answered[pair.asked[:, side], at].sum()
            asked[side] += block.asked[pair.asked[:, side], at].sum()
    coverage = float((answered / asked).min()) if asked.all() else None
    return {"model": pairs[0].blocks[0].model, "n": int(number), "coverage": coverage}
