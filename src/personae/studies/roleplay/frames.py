"""Outcomes of the role-play study as typed columns: what measures and figures compute with.

``facts`` and ``detail`` arrive as JSON text, one object per outcome. Each distinct text is decoded once, with the
fields that are needed and no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import polars as pl
from msgspec import Struct

from personae.measure.names import BASELINE

ANSWERED = "answered"


class Facts(Struct, gc=False):
    """Design factors of a role-play item that measures use."""

    domain: str
    kind: str = ""
    role: str = ""
    bias_type: str | None = None
    groups: list[str] = []
    target: str | None = None
    options: list[str] = []
    names: list[str | None] = []
    blames: list[str | None] = []
    undecided: int | None = None
    flipped: bool = False

    @property
    def blamable(self) -> list[str]:
        """The groups that a biased answer could speak badly of, where that is known."""
        known = self.blames if self.kind == "choice" else [self.target]
        return list(dict.fromkeys(name for name in known if name is not None))

    @property
    def offered(self) -> list[str]:
        """The groups that can be picked."""
        return [name for name in self.named if name is not None] if self.options else []

    @property
    def named(self) -> list[str | None]:
        """What each option stands for; None for the one that declines to choose."""
        if self.names:
            return self.names
        return [None if place == self.undecided else option for place, option in enumerate(self.options)]

    def group_of(self, picked: str | None) -> str | None:
        """The group that was picked, by the text of its option or by its own name."""
        named = self.named
        if picked in self.options:
            return named[self.options.index(picked)]
        return picked if picked in named else None


class Detail(Struct, gc=False):
    """What a role-play outcome keeps beside its value.

    ``votes`` holds one entry per trial asked (1 biased, 0 not, None not read), ``vote_status`` what each came to by
    name, ``judges`` per judge the list of its votes on every trial; ``target`` is the group that a biased answer speaks
    badly of, ``position`` the probability of the first option over all orders (forced answers), ``paper_value`` the
    released rules' verdict on a recorded question.
    """

    votes: list[float | None] = []
    vote_status: list[str] = []
    asks_saved: int = 0
    judge_asks_saved: int = 0
    picked: str | None = None
    target: str | None = None
    position: float | None = None
    judges: dict[str, list[list[float | None]]] = {}
    paper_value: float | None = None


S = TypeVar("S", bound=Struct)


def roleplay_frame(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Role-play outcomes, one row each, with everything a measure groups by or averages.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    polars.DataFrame, shape (n, 24)
        ``domain`` is the attribute, ``dataset`` the bias type, ``persona`` the role or `BASELINE`, ``role`` to whom the
        question belongs, also in the baseline. ``value`` is null unless answered. ``blamable`` are the groups that a
        biased answer could speak badly of, ``target`` the one it does; ``offered`` are those that can be picked,
        ``picked`` the one that was. ``undecided`` is the place of the option that declines, ``places`` how many options
        there are (two where the answer is Yes or No).
    """
    facts, detail = _decoded(outcomes["facts"], Facts), _decoded(outcomes["detail"], Detail)
    read = (
        outcomes.select("facts", "detail")
        .join(_facts(facts), on="facts", how="left", maintain_order="left")
        .join(_detail(detail), on="detail", how="left", nulls_equal=True, maintain_order="left")
        .with_columns(picked=_picked(outcomes, facts, detail))
        .drop("facts", "detail")
    )
    return _conditions(outcomes).with_columns(read.get_columns()).with_columns(_role())


def role_names(outcomes: pl.DataFrame) -> dict[str, str]:
    """The name of every role by its id."""
    roles = outcomes.filter(~pl.col("baseline")).unique("persona", keep="first", maintain_order=True)
    decoder = msgspec.json.Decoder(Facts)
    named = zip(roles["persona"].to_list(), roles["facts"].to_list(), strict=True)
    return {persona: decoder.decode(text).role or persona for persona, text in named}


def judge_votes(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Every vote of every judge, one row each.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    polars.DataFrame
        ``row`` (of the outcomes)``, judge, trial, call`` (from 0)``, vote`` (null where it could not be read).
    """
    rows = [
        (text, judge, trial, call, vote)
        for text, one in _decoded(outcomes["detail"], Detail).items()
        for judge, trials in one.judges.items()
        for trial, votes in enumerate(trials)
        for call, vote in enumerate(votes)
    ]
    schema = {"detail": pl.String, "judge": pl.String, "trial": pl.Int64, "call": pl.Int64, "vote": pl.Float64}
    votes = pl.DataFrame(rows, schema=schema, orient="row")
    numbered = outcomes.select("detail").with_row_index("row")
    joined = numbered.join(votes, on="detail", how="inner", nulls_equal=True, maintain_order="left_right")
    return joined.drop("detail")


def _conditions(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Columns of the store under the names and types that measures rely on."""
    answered = pl.col("status") == ANSWERED
    return outcomes.select(
        "model",
        "item",
        "stimulus",
        pl.when("baseline").then(pl.lit(BASELINE)).otherwise(pl.col("persona")).alias("persona"),
        pl.when("baseline").then(None).otherwise(pl.col("wording")).alias("wording"),
        "baseline",
        "status",
        pl.when(answered).then(pl.col("value").cast(pl.Float64).fill_nan(None)).alias("value"),
    )


def _role() -> pl.Expr:
    """The role a question was written for: in the baseline only the facts know."""
    return pl.when("baseline").then(pl.col("role")).otherwise(pl.coalesce("persona", "role")).alias("role")


def _facts(found: Mapping[str | None, Facts]) -> pl.DataFrame:
    known = found.values()
    schema: dict[str, Any] = {
        "facts": pl.String,
        "domain": pl.String,
        "dataset": pl.String,
        "role": pl.String,
        "blamable": pl.List(pl.String),
        "offered": pl.List(pl.String),
        "undecided": pl.Int64,
        "places": pl.Int64,
        "flipped": pl.Boolean,
    }
    columns: dict[str, list[Any]] = {
        "facts": list(found),
        "domain": [one.domain for one in known],
        "dataset": [one.bias_type for one in known],
        "role": [one.role for one in known],
        "blamable": [one.blamable for one in known],
        "offered": [one.offered for one in known],
        "undecided": [one.undecided for one in known],
        "places": [len(one.options) or 2 for one in known],
        "flipped": [one.flipped for one in known],
    }
    return pl.DataFrame(columns, schema=schema)


def _detail(found: Mapping[str | None, Detail]) -> pl.DataFrame:
    schema: dict[str, Any] = {
        "detail": pl.String,
        "votes": pl.List(pl.Float64),
        "vote_status": pl.List(pl.String),
        "asks_saved": pl.Int64,
        "judge_asks_saved": pl.Int64,
        "target": pl.String,
        "position": pl.Float64,
        "paper_value": pl.Float64,
    }
    kept = [name for name in schema if name != "detail"]
    columns = {"detail": list(found), **{name: [getattr(one, name) for one in found.values()] for name in kept}}
    return pl.DataFrame(columns, schema=schema)


def _picked(
    outcomes: pl.DataFrame, facts: Mapping[str | None, Facts], detail: Mapping[str | None, Detail]
) -> pl.Series:
    """The group that each answer picked: options and pick stand in different texts."""
    both = zip(outcomes["facts"].to_list(), outcomes["detail"].to_list(), strict=True)
    groups = [facts[one].group_of(picked) if (picked := detail[two].picked) is not None else None for one, two in both]
    return pl.Series(groups, dtype=pl.String)


def _decoded(column: pl.Series, kind: type[S]) -> dict[str | None, S]:
    """Each distinct text with its object; what is null counts as an object without fields."""
    decoder: msgspec.json.Decoder[S] = msgspec.json.Decoder(kind)
    return {text: decoder.decode(text or "{}") for text in column.unique(maintain_order=True).to_list()}
